package syntax

import (
	"fmt"
	"strings"
)

// damage sets Unread from the first syntax error that is not one of the
// grammar's known gaps. Token trees are exempt: any tokens are legal there.
func (b builder) damage() {
	f := b.f
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.flags&damaged == 0 || n.parent != none && f.nodes[n.parent].flags&damaged != 0 {
			continue
		}
		h := Node{f, int32(i)}
		if h.Ancestor("token_tree", "token_tree_pattern").Valid() || knownGap(h) {
			continue
		}
		f.Unread, f.UnreadAt = h.trouble()
		return
	}
}

// trouble says where somebody has to look for a syntax error. The parser gives up
// as little as it can, which may still be the whole file, and what it misses it
// misses at the end; the cause may stand far before. Then a bracket without a
// partner is named, or the first piece inside that fits nowhere.
func (n Node) trouble() (why string, where Pos) {
	s := n.Span()
	at, last := n.Pos(), n.f.Position(max(s.Start, s.End-1))
	if b, what := n.f.unbalanced(); what != "" && b < s.End {
		if line := n.f.Position(b).Line; line != at.Line || line != last.Line {
			return fmt.Sprintf("syntax error near line %d: %s", line, what), Pos{Line: line}
		}
	}
	switch {
	case n.Kind() != errorKind:
		// What is missing at the end of a line is found at the next word.
		if end := len(strings.TrimRight(n.f.text[:s.Start], " \t\r\n")); n.f.Position(end).Line < at.Line && !n.f.afterComment(n.i) {
			at = n.f.Position(end)
		}
		return fmt.Sprintf("missing %q at line %d, column %d", n.Kind(), at.Line, at.Column), at
	case at.Line == last.Line:
		return fmt.Sprintf("syntax error at line %d, column %d", at.Line, at.Column), at
	}
	if p := n.misfit(); p.Valid() {
		line := p.Pos().Line
		return fmt.Sprintf("syntax error near line %d", line), Pos{Line: line}
	}
	return fmt.Sprintf("syntax error in lines %d to %d", at.Line, last.Line), Pos{Line: at.Line}
}

// afterComment reports whether a comment is the last that stands before a node.
func (f *File) afterComment(i int32) bool {
	for i--; i > 0; i-- {
		n := Node{f, i}
		if s := n.Span(); n.IsComment() || s.Start < s.End && f.first(i) == none {
			return n.IsComment() || n.Parent().IsComment()
		}
	}
	return false
}

// misfit is the first error inside another that stands on one line; invalid when
// there is none.
func (n Node) misfit() Node {
	end := n.f.after(n.i)
	for i := n.i + 1; i < end; i++ {
		m := Node{n.f, i}
		s := m.Span()
		if s.Start == s.End || m.node().kind == n.f.g.errorID && m.Pos().Line == n.f.Position(s.End-1).Line {
			return m
		}
	}
	return Node{}
}

// bracket is one that is open, and how far its line is indented.
type bracket struct {
	kind       byte
	at, indent int
}

// unbalanced is the offset of a bracket without a partner, and what is wrong with
// it; empty when all brackets match. Where the kinds of brackets match longer than
// they should, the indentation of lines that begin with a closing one tells where
// the first is too few or too many, as people indent.
func (f *File) unbalanced() (at int, what string) {
	var open []bracket
	lines := indents{f: f}
	few, many := -1, -1 // first places where one is missing or too many by the indentation
	for i := range f.nodes {
		n := &f.nodes[i]
		kind := f.g.kinds[n.kind]
		if n.flags&inner != 0 || n.end-n.start != 1 || len(kind) != 1 {
			continue
		}
		opening := strings.IndexByte("([{", kind[0])
		closing := strings.IndexByte(")]}", kind[0])
		if opening < 0 && closing < 0 {
			continue
		}
		o := bracket{kind: kind[0], at: int(n.start)}
		var first bool
		o.indent, first = lines.of(o.at)
		if opening >= 0 {
			open = append(open, o)
			continue
		}
		partner := "([{"[closing]
		if len(open) == 0 {
			if many >= 0 {
				o.at = many
			}
			return o.at, fmt.Sprintf("`%c` closes nothing", f.Src[o.at])
		}
		last := open[len(open)-1]
		if last.kind != partner {
			for _, outer := range open {
				if outer.kind == partner {
					return last.at, fmt.Sprintf("`%c` is not closed", last.kind)
				}
			}
			return o.at, fmt.Sprintf("`%c` closes nothing", o.kind)
		}
		open = open[:len(open)-1]
		if first && few < 0 && o.indent < last.indent {
			few = last.at
		}
		if first && many < 0 && o.indent > last.indent {
			many = o.at
		}
	}
	if len(open) == 0 {
		return 0, ""
	}
	at = open[len(open)-1].at
	if few >= 0 {
		at = few
	}
	return at, fmt.Sprintf("`%c` is not closed up to the end, line %d", f.Src[at], len(f.lines))
}

// indents tells how far lines are indented. It remembers the last: a line may hold
// as many brackets as the file.
type indents struct {
	f           *File
	line, start int
	width       int
}

// of is the width of the white space that begins the line of an offset, and
// whether nothing else stands before it.
func (d *indents) of(at int) (width int, first bool) {
	if line := d.f.Position(at).Line; line != d.line {
		d.line, d.start = line, d.f.LineStart(line)
		text := d.f.Line(line)
		d.width = len(text) - len(strings.TrimLeft(text, " \t"))
	}
	return d.width, d.start+d.width == at
}
