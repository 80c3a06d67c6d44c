package review

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// maxFixed bounds the bytes of the lines that a fix replaces as a whole. A file of
// one long line would be repeated by each of its findings.
const maxFixed = 8 << 10

// lineFix turns byte edits into whole-line edits, which is what a suggestion
// on GitHub and a person can apply. Edits that touch the same lines become one.
func lineFix(f *syntax.File, fix *rules.Fix) *Fix {
	if fix == nil || len(fix.Edits) == 0 {
		return nil
	}
	edits := slices.Clone(fix.Edits)
	slices.SortStableFunc(edits, func(a, b rules.TextEdit) int { return a.Span.Start - b.Span.Start })
	out := &Fix{Description: fix.Description}
	for i := 0; i < len(edits); {
		first, last := lineRange(f, edits[i].Span)
		j := i + 1
		for j < len(edits) {
			a, b := lineRange(f, edits[j].Span)
			if a > last {
				break
			}
			last = max(last, b)
			j++
		}
		start, end := lineSpan(f, first, last)
		if end-start > maxFixed {
			return nil
		}
		var b strings.Builder
		at := start
		for _, e := range edits[i:j] {
			if e.Span.Start < at {
				return nil // edits overlap: there is no one result
			}
			b.Write(f.Src[at:e.Span.Start])
			b.WriteString(newlines(f, e.New))
			at = e.Span.End
		}
		b.Write(f.Src[at:end])
		out.Edits = append(out.Edits, Edit{first, last, b.String()})
		i = j
	}
	return out
}

// lineRange is the first and last line that an edit changes. An edit that ends
// at the start of a line (a whole line removed) takes that line in, so that no
// empty line is left.
func lineRange(f *syntax.File, s syntax.Span) (int, int) {
	return f.Position(s.Start).Line, f.Position(s.End).Line
}

// lineSpan is the byte range of lines first..last without the last line end.
func lineSpan(f *syntax.File, first, last int) (int, int) {
	start, end := f.LineStart(first), f.LineStart(last)
	return start, end + len(f.Line(last))
}

func newlines(f *syntax.File, text string) string {
	if f.CRLF() {
		return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	}
	return text
}

// addFix adds the edits of a later place to a finding's fix; an edit that
// touches the last line of an earlier one is left for the next round.
func addFix(f, more *Fix) *Fix {
	if f == nil || more == nil {
		if f == nil {
			return more
		}
		return f
	}
	for _, e := range more.Edits {
		if e.StartLine > f.Edits[len(f.Edits)-1].EndLine {
			f.Edits = append(f.Edits, e)
		}
	}
	return f
}

// Apply returns a file's content with the edits of all fixes applied, and how
// many edits were applied; an edit that overlaps an earlier one, or is not within
// the file, is left out.
func Apply(src []byte, edits []Edit) ([]byte, int) {
	bom := strings.HasPrefix(string(src), "\xef\xbb\xbf")
	f := syntax.Lines(src)
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.StartLine - b.StartLine })
	var out []byte
	if bom {
		out = append(out, "\xef\xbb\xbf"...)
	}
	at, applied, lastLine := 0, 0, 0
	for _, e := range edits {
		if e.StartLine <= lastLine || e.EndLine < e.StartLine || e.EndLine > f.LineCount() {
			continue
		}
		start, end := lineSpan(f, e.StartLine, e.EndLine)
		out = append(out, f.Src[at:start]...)
		out = append(out, e.Text...)
		at, lastLine = end, e.EndLine
		applied++
	}
	return append(out, f.Src[at:]...), applied
}
