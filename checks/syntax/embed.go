package syntax

import (
	"bytes"
	"fmt"
)

// Embed parses parts of a file, put one after the other, as source of another
// language: C declarations that stand in Python strings. The result shares the
// file's path, source and lines, so that its nodes stand where the text stands.
// With escapes, a backslash and the character after it count as white space.
func Embed(host *File, lang Lang, parts []Span, escapes bool) *File {
	f := &File{Path: host.Path, Lang: lang, Src: host.Src, text: host.text, BOM: host.BOM, lines: host.lines, g: grammars[lang]}
	var src bytes.Buffer
	var segments []segment
	for _, p := range parts {
		if p.Start < 0 || p.End > len(host.Src) || p.End <= p.Start {
			continue
		}
		text := bytes.Clone(host.Src[p.Start:p.End])
		for i := 0; escapes && i+1 < len(text); i++ {
			if text[i] == '\\' {
				text[i], text[i+1] = ' ', ' '
				i++
			}
		}
		segments = append(segments, segment{src.Len(), len(text), p.Start})
		src.Write(text)
	}
	switch {
	case len(segments) == 0:
		f.Unread = "empty"
		return f
	case BracketDepth(src.Bytes()) > MaxDepth:
		f.Unread = fmt.Sprintf("brackets nested deeper than %d levels", MaxDepth)
		return f
	}
	b := builder{f}
	if b.append(src.Bytes(), segments) {
		b.damage()
	}
	f.index()
	return f
}
