package linediff

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// contextLines is how many unchanged lines a hunk shows on each side.
const contextLines = 3

// Op is one line of a diff. Old and New are line numbers from 1, 0 where the
// line does not exist on that side.
type Op struct {
	Kind     byte // ' ', '-', '+'
	Old, New int
	Text     string // with its line end, which the last line may lack
}

// Hunk is a run of changed lines with three lines of context around them.
// Starts are line numbers from 1; an empty side is named by the line before it.
type Hunk struct {
	OldStart, OldLines, NewStart, NewLines int
	Section                                string // the line that git names the hunk by; may be empty
	Ops                                    []Op
}

// Split splits a text after each line feed.
func Split(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	out := strings.SplitAfter(string(text), "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// Lines compares two texts line by line. The script is the shortest one; above
// 20,000 different lines a longer one may come out after five seconds.
func Lines(a, b []byte) []Op {
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // the shortest edit script, whatever the machine's speed
	r1, r2, _ := dmp.DiffLinesToRunes(string(a), string(b))
	if len(r1)+len(r2) > 20_000 {
		dmp.DiffTimeout = 5 * time.Second
	}
	oldLines, newLines := Split(a), Split(b)
	var ops []Op
	i, j := 0, 0
	for _, d := range dmp.DiffMainRunes(r1, r2, false) {
		for range d.Text {
			switch d.Type {
			case diffmatchpatch.DiffEqual:
				ops = append(ops, Op{' ', i + 1, j + 1, newLines[j]})
				i, j = i+1, j+1
			case diffmatchpatch.DiffDelete:
				ops = append(ops, Op{'-', i + 1, 0, oldLines[i]})
				i++
			case diffmatchpatch.DiffInsert:
				ops = append(ops, Op{'+', 0, j + 1, newLines[j]})
				j++
			}
		}
	}
	return ops
}

// Hunks groups a diff into hunks.
func Hunks(ops []Op) []Hunk {
	var out []Hunk
	for i := 0; i < len(ops); {
		if ops[i].Kind == ' ' {
			i++
			continue
		}
		start := max(0, i-contextLines)
		end := i + 1 // one past the last changed line of the hunk
		for k := i; k < len(ops) && k-end <= 2*contextLines; k++ {
			if ops[k].Kind != ' ' {
				end = k + 1
			}
		}
		stop := min(len(ops), end+contextLines)
		out = append(out, newHunk(ops, start, stop))
		i = stop
	}
	return out
}

func newHunk(ops []Op, start, stop int) Hunk {
	h := Hunk{Ops: ops[start:stop]}
	for _, o := range h.Ops {
		if o.Kind != '+' {
			h.OldLines++
			if h.OldStart == 0 {
				h.OldStart = o.Old
			}
		}
		if o.Kind != '-' {
			h.NewLines++
			if h.NewStart == 0 {
				h.NewStart = o.New
			}
		}
	}
	// an empty side is named by the line before it
	for _, o := range slices.Backward(ops[:start]) {
		if h.OldLines == 0 && h.OldStart == 0 {
			h.OldStart = o.Old
		}
		if h.NewLines == 0 && h.NewStart == 0 {
			h.NewStart = o.New
		}
		if o.Kind != '+' && h.Section == "" && o.Text != "" && isSection(o.Text[0]) {
			h.Section = strings.TrimRight(o.Text, "\r\n\t ")
		}
	}
	if len(h.Section) > 80 {
		h.Section = strings.ToValidUTF8(h.Section[:80], "")
	}
	return h
}

// isSection is git's default rule for the line that names a hunk.
func isSection(c byte) bool {
	return c == '_' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Header is the hunk's first line.
func (h Hunk) Header() string {
	span := func(start, n int) string {
		if n == 1 {
			return fmt.Sprint(start)
		}
		return fmt.Sprintf("%d,%d", start, n)
	}
	s := fmt.Sprintf("@@ -%s +%s @@", span(h.OldStart, h.OldLines), span(h.NewStart, h.NewLines))
	if h.Section != "" {
		s += " " + h.Section
	}
	return s
}

// Text is the hunk as a unified diff up to and including the n-th line (from
// 0), or whole for n < 0; no line feed at the end.
func (h Hunk) Text(n int) string {
	var b strings.Builder
	b.WriteString(h.Header())
	for i, o := range h.Ops {
		if n >= 0 && i > n {
			break
		}
		b.WriteByte('\n')
		b.WriteByte(o.Kind)
		line, ended := strings.CutSuffix(o.Text, "\n")
		b.WriteString(line)
		if !ended {
			b.WriteString("\n\\ No newline at end of file")
		}
	}
	return b.String()
}

// Unified is the difference of two versions of a file with the names before
// and after, such as "a/x.rs" and "b/x.rs", or "/dev/null"; empty for equal
// texts. It has no `diff --git` line, so that git takes the names as relative
// to the folder in which it applies the diff.
func Unified(before, after string, a, b []byte) string {
	hunks := Hunks(Lines(a, b))
	if len(hunks) == 0 {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", FileName(before), FileName(after))
	for _, h := range hunks {
		out.WriteString(h.Text(-1))
		out.WriteByte('\n')
	}
	return out.String()
}

// FileName is a name as it stands behind --- and +++: quoted as git does where
// a reader could not tell its end, else with a tab behind a name with blanks.
func FileName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == '\\' }) {
		var b strings.Builder
		b.WriteByte('"')
		for _, c := range []byte(name) {
			switch {
			case c == '"' || c == '\\':
				b.WriteByte('\\')
				b.WriteByte(c)
			case c < ' ' || c == 0x7f:
				fmt.Fprintf(&b, "\\%03o", c)
			default:
				b.WriteByte(c)
			}
		}
		b.WriteByte('"')
		return b.String()
	}
	if strings.Contains(name, " ") {
		return name + "\t"
	}
	return name
}
