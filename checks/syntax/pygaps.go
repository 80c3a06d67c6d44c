package syntax

import (
	"bytes"
	"fmt"
	"strings"
)

// python parses the file's source.
func (b builder) python() {
	f := b.f
	if !b.append(f.Src, nil) {
		return
	}
	b.damage()
	if f.Unread != "" {
		if stars := f.starGaps(); len(stars) > 0 {
			b.starred(stars)
		}
	}
	b.forbid()
}

// starGaps are the offsets of each `*` before a bracket, a text or await in a list of
// expressions without parentheses, which the grammar takes for a product.
func (f *File) starGaps() (stars []int) {
	open := []bool{true}  // whether what is open is no bracket, or a subscript's
	var statement []int   // those of the statement at hand that stand in no bracket
	var before, last Node // the tokens that stand before one
	for i := int32(0); i < int32(len(f.nodes)); i++ {
		n := Node{f, i}
		text := n.IsComment() || n.Is("string")
		if !text && f.first(i) != none || n.Span().Start == n.Span().End {
			continue
		}
		if text {
			i = f.after(i) - 1
		}
		if !part(n) && n.Named() {
			continue
		}
		// Words may be identifiers inside of damage.
		word := n.Text()
		if last.Is("*") && open[len(open)-1] && (n.Is("[", "(", "{", "string") || word == "await") && beforeStar(before.Text()) {
			if at := last.Span().Start; len(open) > 1 {
				stars = append(stars, at)
			} else {
				statement = append(statement, at)
			}
		}
		switch {
		case n.Is("[", "(", "{"):
			open = append(open, n.Is("[") && last.Is("identifier", ")", "]", "string") && !pyKeyword(last.Text()))
		case n.Is(")", "]", "}"):
			open = open[:max(1, len(open)-1)]
		case len(open) > 1:
		case n.Is(":", ";"), last.Valid() && n.Pos().Line > f.Position(last.Span().End-1).Line:
			stars, statement = append(stars, statement...), nil
		case word == "=" || word == "in":
			statement = nil // they are what is assigned to
		}
		before, last = last, n
	}
	return append(stars, statement...)
}

// beforeStar reports whether an expression begins after a token of a list of them.
func beforeStar(token string) bool {
	switch token {
	case ",", "return", "yield", "in":
		return true
	}
	return strings.HasSuffix(token, "=")
}

// starred parses the source again with an operator of one operand in the place of
// each star, which the grammar does take there, and makes stars of them again.
func (b builder) starred(stars []int) {
	f := b.f
	src := bytes.Clone(f.Src)
	is := map[int]bool{}
	for _, at := range stars {
		src[at], is[at] = '~', true
	}
	f.nodes, f.Unread, f.UnreadAt = f.nodes[:0], "", Pos{}
	if !b.append(src, nil) {
		return
	}
	b.damage()
	for i := range f.nodes {
		token := &f.nodes[i]
		if !is[int(token.start)] || f.g.kinds[token.kind] != "~" || token.parent == none {
			continue
		}
		n := Node{f, token.parent}
		if !n.Is("unary_operator") {
			continue
		}
		token.kind = f.g.ids["*"]
		n.node().kind = f.g.ids["list_splat"]
		for c := f.first(n.i); c != none; c = f.nodes[c].next {
			f.nodes[c].field = 0
		}
		whole := n
		for up := n.Parent(); up.node().start == n.node().start && up.Is("attribute", "call", "subscript", "binary_operator"); up = up.Parent() {
			whole = up
		}
		if up := whole.Parent(); f.Unread == "" && !up.Is("expression_list", "subscript", "list", "match_statement") && !(up.Is("expression_statement") && up.ChildOf(",").Valid()) {
			f.UnreadAt = n.Pos()
			f.Unread = fmt.Sprintf("syntax error at line %d, column %d: an expression with `*` stands in a list of expressions only", f.UnreadAt.Line, f.UnreadAt.Column)
		}
	}
}
