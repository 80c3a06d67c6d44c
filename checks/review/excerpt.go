package review

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/untrusted"
)

const (
	// excerptCells is the width of a source line in an excerpt, in terminal cells.
	excerptCells = 110
	// beforeCaret is how much of a longer line stands before the place.
	beforeCaret = 40
	// excerptLines is how many lines of a place are shown; of more, the first
	// ones and the last.
	excerptLines = 6
	tab          = "    "
)

// excerpt prints the place with its source lines and carets below the columns.
func excerpt(b *strings.Builder, c palette, f Finding, source func(string) *syntax.File) {
	var file *syntax.File
	if source != nil {
		file = source(f.Path)
	}
	last := max(f.Line, f.EndLine)
	known := file != nil && f.Line >= 1 && last <= file.LineCount()
	pad := "  "
	if known {
		pad = strings.Repeat(" ", len(fmt.Sprint(last)))
	}
	fmt.Fprintf(b, "%s%s--> %s%s:%d:%d\n", pad, c.blue, c.reset, line(f.Path), f.Line, f.Column)
	if !known {
		return
	}
	e := excerpter{b, c, c.of(f.Severity), pad}
	e.gutter("")
	if last == f.Line {
		e.single(file.Line(f.Line), f)
		return
	}
	e.several(file, f)
}

type excerpter struct {
	b    *strings.Builder
	c    palette
	mark string // colour of the severity
	pad  string
}

// gutter starts a line of the excerpt.
func (e excerpter) gutter(number string) {
	fmt.Fprintf(e.b, "%s%*s |%s", e.c.blue, len(e.pad), number, e.c.reset)
}

func (e excerpter) end() { e.b.WriteByte('\n') }

// single shows a place on one line.
func (e excerpter) single(text string, f Finding) {
	all := cells(text, f.Column-1)
	from := at(all, f.Column-1)
	to := max(at(all, f.EndColumn-1), from+1)
	all, from, to = unindent(all, from, to)
	shown, from, to := window(all, from, to)
	e.end()
	e.gutter(fmt.Sprint(f.Line))
	e.text("", shown)
	e.gutter("")
	fmt.Fprintf(e.b, " %s%s%s%s", blanks(width(shown[:min(from, len(shown))])), e.mark, strings.Repeat("^", max(1, width(shown[min(from, len(shown)):min(to, len(shown))]))), e.c.reset)
	e.end()
}

// several shows a place of more than one line, with a rail from its first column
// to its last.
func (e excerpter) several(file *syntax.File, f Finding) {
	var numbers []int
	for n := f.Line; n <= f.EndLine; n++ {
		if f.EndLine-f.Line >= excerptLines && n >= f.Line+excerptLines-2 && n < f.EndLine {
			if numbers[len(numbers)-1] != 0 {
				numbers = append(numbers, 0) // lines are left out
			}
			continue
		}
		numbers = append(numbers, n)
	}
	indent := -1
	for _, n := range numbers {
		if n == 0 {
			continue
		}
		if all := cells(file.Line(n), 0); len(all) > indentOf(all) && (indent < 0 || indentOf(all) < indent) {
			indent = indentOf(all)
		}
	}
	indent = max(indent, 0)
	rail := e.mark + "|" + e.c.reset + " "
	e.end()
	for _, n := range numbers {
		if n == 0 {
			fmt.Fprintf(e.b, "%s...%s%s%s|%s\n", e.c.blue, e.c.reset, e.pad, e.mark, e.c.reset)
			continue
		}
		all := cells(file.Line(n), 0)
		from, to := at(all, f.Column-1), at(all, f.EndColumn-2)
		all, from, to = all[min(indent, len(all)):], max(from-indent, 0), max(to-indent, 0)
		shown, _, _ := window(all, 0, 0)
		e.gutter(fmt.Sprint(n))
		switch n {
		case f.Line:
			e.text("  ", shown)
			e.rail(" _", width(shown[:min(from, len(shown))]))
		case f.EndLine:
			e.text(rail, shown)
			e.rail("|_", width(shown[:min(to, len(shown))]))
		default:
			e.text(rail, shown)
		}
	}
}

// rail draws a line under the text to the cell of the place.
func (e excerpter) rail(start string, cells int) {
	e.gutter("")
	fmt.Fprintf(e.b, " %s%s%s^%s", e.mark, start, strings.Repeat("_", cells), e.c.reset)
	e.end()
}

// text writes a line behind the gutter, without blanks at its end.
func (e excerpter) text(before string, shown []glyph) {
	var b strings.Builder
	b.WriteString(" " + before)
	for _, c := range shown {
		b.WriteString(c.text)
	}
	e.b.WriteString(strings.TrimRight(b.String(), " "))
	e.end()
}

// glyph is one character of a line as a person sees it.
type glyph struct {
	text  string // safe to print
	width int    // in terminal cells
	off   int    // byte in the line
}

// near is how many bytes around a place are looked at; a line may have millions.
const near = 2000

// cells cuts a line into characters, as far as they are near a byte. A tab is
// four blanks, what is invisible is spelled.
func cells(text string, place int) []glyph {
	var out []glyph
	cut, to := max(place-near, 0), min(place+near, len(text))
	for cut > 0 && cut < len(text) && !utf8.RuneStart(text[cut]) {
		cut--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	if cut >= to {
		cut = 0
	}
	if cut > 0 {
		out = append(out, glyph{"...", 3, 0})
	}
	for i, state := cut, -1; i < to; {
		if text[i] >= ' ' && text[i] <= '~' && (i+1 == to || text[i+1] < utf8.RuneSelf) {
			out = append(out, glyph{text[i : i+1], 1, i})
			i, state = i+1, -1
			continue
		}
		one, _, _, next := uniseg.FirstGraphemeClusterInString(text[i:to], state)
		s := tab
		if one != "\t" {
			s = untrusted.Text(one).Plain()
		}
		out = append(out, glyph{s, uniseg.StringWidth(s), i})
		i, state = i+len(one), next
	}
	if to < len(text) {
		out = append(out, glyph{"...", 3, to})
	}
	return out
}

// at is the index of the character that holds a byte.
func at(all []glyph, off int) int {
	for i, c := range all {
		if c.off >= off {
			if c.off > off && i > 0 {
				return i - 1
			}
			return i
		}
	}
	return len(all)
}

func width(all []glyph) int {
	n := 0
	for _, c := range all {
		n += c.width
	}
	return n
}

func indentOf(all []glyph) int {
	n := 0
	for n < len(all) && strings.TrimSpace(all[n].text) == "" {
		n++
	}
	return n
}

// unindent leaves out the white space before the text, as far as the place does
// not lie in it.
func unindent(all []glyph, from, to int) ([]glyph, int, int) {
	n := min(indentOf(all), from, len(all))
	return all[n:], from - n, to - n
}

// window cuts a long line around the place.
func window(all []glyph, from, to int) ([]glyph, int, int) {
	if width(all) <= excerptCells {
		return all, from, to
	}
	more := glyph{"...", 3, 0}
	start := 0
	if width(all[:min(to, len(all))]) > excerptCells-3 {
		start = from
		for start > 0 && width(all[start-1:from]) <= beforeCaret {
			start--
		}
	}
	var out []glyph
	if start > 0 {
		out = append(out, more)
		from, to = from-start+1, to-start+1
	}
	used := width(out)
	for _, c := range all[start:] {
		if used+c.width > excerptCells-3 {
			out = append(out, more)
			break
		}
		used += c.width
		out = append(out, c)
	}
	return out, from, min(to, len(out))
}

func blanks(n int) string { return strings.Repeat(" ", n) }
