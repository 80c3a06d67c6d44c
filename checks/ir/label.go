package ir

import (
	"bytes"
	"strings"
)

// Unlabelled is a printed module with the names of its entries left out: two
// dumps of one kernel under different names are then the same text. White
// space, comments and source locations are left out too.
func Unlabelled(data []byte) string {
	src := string(bytes.ToValidUTF8(data, []byte("\ufffd")))
	names := map[string]bool{}
	for _, e := range Read(data).Entries {
		names[e.Name] = true
	}
	var b strings.Builder
	l := lex(src)
	last, whole := 0, true
	for t := l.next(); t.kind != end; t = l.next() {
		if whole {
			var n *lexer
			if n, whole = located(l, t); n != nil {
				l = *n
				continue
			}
		}
		if t.from > last && b.Len() > 0 {
			b.WriteByte(' ')
		}
		last = t.to
		if t.kind == symbol && names[strings.Trim(t.text[1:], `"`)] {
			b.WriteByte('@')
			continue
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// located is behind a source location that starts with this token: "loc(...)" or
// the definition of a name for a piece of debug information; nil when it is none.
// It is false when the text ends before the location does.
func located(l lexer, t token) (*lexer, bool) {
	switch {
	case t.kind == alias && t.first:
		if !l.next().is("=") {
			return nil, true
		}
		if v := l.next(); v.text != "loc" && !strings.HasPrefix(v.text, "#cuda_tile.di_") {
			return nil, true
		}
	case t.kind != word || t.text != "loc":
		return nil, true
	}
	if open := l.next(); !open.is("(") && !open.is("<") {
		return nil, true
	}
	for depth := 1; depth > 0; {
		switch t := l.next(); {
		case t.kind == end:
			return nil, false
		case t.is("("), t.is("<"):
			depth++
		case t.is(")"), t.is(">"):
			depth--
		}
	}
	return &l, true
}
