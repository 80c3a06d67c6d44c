package syntax

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Valid source that the pinned grammars read as an error. A file whose only damage is
// of this kind is read. Such a gap is either an error node that is left unvisited, as
// knownGap tells, or bytes that are others in a second parse, at unchanged offsets, as
// rustGaps and starGaps do.

// knownGap reports whether an error of Rust is none of the language: a negative literal
// as a generic argument, an empty list of arguments, parameters or bounds, or a lifetime
// that stands before the traits of an object.
func knownGap(n Node) bool {
	parent := n.Parent()
	if n.Is("type_identifier") && n.Text() == "" {
		switch parent.Kind() {
		case "type_arguments":
			return parent.NamedChild(0) == n && n.Next().Is(">")
		case "type_parameter":
			list := parent.Parent()
			return list.Is("type_parameters") && list.NamedChild(0) == parent && parent.Next().Is(">")
		case "trait_bounds":
			return parent.Parent().Is("where_predicate") && parent.NamedChild(0) == n && !n.Next().Valid() && parent.Text() == ":"
		}
		return false
	}
	if !n.Is(errorKind) {
		return false
	}
	before, after := previous(n), n.Next()
	switch n.Squeeze() {
	case "-":
		return parent.Is("type_arguments")
	case ":":
		switch parent.Kind() {
		case "type_parameters":
			return before.Is("type_parameter", "lifetime_parameter") && len(parts(before)) == 1 && after.Is(",", ">")
		case "type_parameter":
			return before.Is("type_identifier") && after.Is("=")
		case "trait_item":
			return before.Is("type_identifier", "type_parameters") && after.Is("declaration_list")
		}
	case "dyn":
		return before.Is("<", "(", ",") && beginsWithLifetime(after)
	case "'": // of a lifetime that is taken for a trait
		bounds := parent.Parent()
		for nth(bounds.Parent(), 0) == bounds && bounds.Parent().Is("bounded_type") {
			bounds = bounds.Parent()
		}
		return parent.Is("dynamic_type", "abstract_type") && before.Is("dyn", "impl") && after.Is("type_identifier") && after.Span().Start == n.Span().End &&
			previous(bounds).Is("<", "(", ",") && beginsWithLifetime(bounds)
	case "for<>":
		return before.Is("=", ":", "<", "(", ",", "->") && after.Is("function_type") && !after.Damaged()
	}
	return false
}

// previous is what stands before a node in the same one. What it holds last is the
// node before in the list of all.
func previous(n Node) Node {
	parent := n.node().parent
	for i := n.i - 1; i > parent; i = n.f.nodes[i].parent {
		if n.f.nodes[i].parent == parent {
			return Node{n.f, i}
		}
	}
	return Node{}
}

// beginsWithLifetime reports whether bounds begin with a lifetime and hold a trait, and
// stand where they need no parentheses. The lifetime may be taken for a trait.
func beginsWithLifetime(bounds Node) bool {
	if !bounds.Parent().Is("type_arguments", "tuple_type") {
		return false
	}
	first, trait := bounds, false
	for first.Is("bounded_type") {
		head := nth(first, 0)
		for c := range first.Children() {
			trait = trait || part(c) && c != head && !c.Is("lifetime")
		}
		first = head
	}
	return first.Is("lifetime", "dynamic_type", "abstract_type") && trait
}

// rustGaps returns the source without what the grammar of Rust lacks, or nil when it
// has none of it: unsafe before an extern block, safe and unsafe before an item of one,
// and underscores in the number of a character. The tokens of the first parse tell
// where the words stand.
func (f *File) rustGaps() []byte {
	out := f.escapeGaps()
	blank := func(n Node) {
		if out == nil {
			out = bytes.Clone(f.Src)
		}
		for i := n.Span().Start; i < n.Span().End; i++ {
			out[i] = ' '
		}
	}
	var before, last Node  // the tokens that stand before one
	depth, foreign := 0, 0 // of blocks, and that of the unsafe extern block at hand
	for i := int32(0); i < int32(len(f.nodes)); i++ {
		n := Node{f, i}
		text := n.IsComment() || n.Is("string_literal", "raw_string_literal")
		if !text && f.first(i) != none {
			continue
		}
		if text {
			i = f.after(i) - 1
		}
		t := n.Text()
		if t == "" || n.IsComment() || n.Is("string_literal") && last.Text() == "extern" {
			continue
		}
		switch {
		case t == "{":
			depth++
			if last.Text() == "extern" && before.Text() == "unsafe" {
				blank(before)
				foreign = depth
			}
		case t == "}":
			if depth == foreign {
				foreign = 0
			}
			depth--
		case (t == "fn" || t == "static") && last.Text() == "safe",
			t == "static" && last.Text() == "unsafe" && foreign > 0 && depth == foreign:
			blank(last)
		}
		before, last = last, n
	}
	return out
}

// escapeGaps returns the source with digits for the underscores in the numbers of
// characters, or nil when it has none.
func (f *File) escapeGaps() (out []byte) {
	src := f.text
	for i := 0; i < len(src); {
		next := skipRust(src, i)
		// Bytes have no such escapes.
		if c := src[i]; (c == '"' || c == '\'') && (i == 0 || !word(src[i-1]) || src[i-1] == 'c' && (i == 1 || !word(src[i-2]))) {
			for _, at := range underscores(src[i:next]) {
				if out == nil {
					out = bytes.Clone(f.Src)
				}
				out[i+at] = '0'
			}
		}
		i = next
	}
	return out
}

// underscores are the offsets of underscores in the numbers of characters of a text,
// where those are of the language.
func underscores(text string) (all []int) {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++ // so that an escaped backslash escapes nothing
		number, braced := strings.CutPrefix(text[i:], "u{")
		rest := strings.TrimLeft(number, "0123456789abcdefABCDEF_")
		number = number[:len(number)-len(rest)]
		if !braced || !strings.HasPrefix(rest, "}") || strings.HasPrefix(number, "_") {
			continue
		}
		digits := strings.ReplaceAll(number, "_", "")
		if v, err := strconv.ParseUint(digits, 16, 32); err != nil || len(digits) > 6 || !utf8.ValidRune(rune(v)) {
			continue
		}
		for k := range len(number) {
			if number[k] == '_' {
				all = append(all, i+len("u{")+k)
			}
		}
	}
	return all
}

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
