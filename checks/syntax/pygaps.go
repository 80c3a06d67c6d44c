package syntax

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
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
		if text, segments := f.narrow(); text != nil {
			b.anew(text, segments)
		}
	}
	// What one hides is found when that is mended.
	var gaps pyGaps
	for range maxRounds {
		if f.Unread == "" && !f.namesInText() || !gaps.add(f.pyGaps()) {
			break
		}
		b.mendPython(gaps)
	}
	b.forbid()
}

// maxIndent is the widest indentation that the grammar remembers.
const maxIndent = 255

// narrow returns the source with less white space before each line where some have
// more than the grammar remembers: lines that are indented alike stay so, and what is
// further in than another stays so. Else it returns nil.
func (f *File) narrow() (text []byte, segments []segment) {
	type start struct{ at, width int }
	lines := make([]start, 0, len(f.lines))
	var widths []int
	for n := range f.lines {
		s := start{at: int(f.lines[n])}
		for ; s.at < len(f.Src) && (f.Src[s.at] == ' ' || f.Src[s.at] == '\t'); s.at++ {
			s.width++
			if f.Src[s.at] == '\t' {
				s.width += 7
			}
		}
		lines, widths = append(lines, s), append(widths, s.width)
	}
	slices.Sort(widths)
	widths = slices.Compact(widths)
	if widths[len(widths)-1] <= maxIndent || len(widths) > maxIndent {
		return nil, nil
	}
	for n, s := range lines {
		rank, _ := slices.BinarySearch(widths, s.width)
		text = append(text, bytes.Repeat([]byte{' '}, rank)...)
		end := len(f.Src)
		if n+1 < len(lines) {
			end = int(f.lines[n+1])
		}
		segments = append(segments, segment{len(text), end - s.at, s.at})
		text = append(text, f.Src[s.at:end]...)
	}
	return text, segments
}

// namesInText reports whether an interpolation seems to name a value: it is a format
// that begins with `=`.
func (f *File) namesInText() bool {
	if !strings.Contains(f.text, ":=") {
		return false
	}
	kind := f.g.ids["named_expression"]
	for i := range f.nodes {
		if f.nodes[i].kind != kind {
			continue
		}
		up := Node{f, f.nodes[i].parent}
		if up.Is("interpolation", "format_expression") || up.Is("expression_list", "conditional_expression") && up.Parent().Is("interpolation", "format_expression") {
			return true
		}
	}
	return false
}

// pyGaps are the places of legal source at which the grammar of Python needs another
// text.
type pyGaps struct {
	// The offset of each `*` in a list of expressions without parentheses, before what
	// makes the grammar take it for a product.
	stars []int
	// The offset of each `=` before what a type parameter is by default.
	defaults []int
	// What stands before the first word of a line in brackets that is further out than
	// the statement: the grammar may end a block there.
	breaks []Span
	// The offset of each `*` after except, a space and before a bracket.
	groups []int
	// The offset of each `=` that begins the format of an interpolation.
	formats []int
}

// add takes further gaps, and reports whether there were any.
func (g *pyGaps) add(more pyGaps) bool {
	added := false
	one := func(all *[]int, more []int) {
		before := len(*all)
		*all = append(*all, more...)
		slices.Sort(*all)
		*all = slices.Compact(*all)
		added = added || len(*all) > before
	}
	one(&g.stars, more.stars)
	one(&g.defaults, more.defaults)
	one(&g.groups, more.groups)
	one(&g.formats, more.formats)
	before := len(g.breaks)
	g.breaks = append(g.breaks, more.breaks...)
	slices.SortFunc(g.breaks, func(a, b Span) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	g.breaks = slices.Compact(g.breaks)
	return added || len(g.breaks) > before
}

// The brackets that pyGaps tells apart.
const (
	otherBracket = iota
	listBracket  // of a subscript, or none: a list without parentheses
	textBracket  // of an interpolation
	typeBracket  // of type parameters
)

// pyGaps finds what the grammar of Python lacks among the tokens of the first parse.
func (f *File) pyGaps() (gaps pyGaps) {
	open := []int{listBracket}
	var statement []int   // stars of the statement at hand that stand in no bracket
	var before, last Node // the tokens that stand before one
	indent := 0           // of the statement at hand
	lambda := false       // among the parameters of one
	texts := 0            // how many strings with interpolations are open
	for i := int32(0); i < int32(len(f.nodes)); i++ {
		n := Node{f, i}
		text := n.IsComment() || n.Is("string")
		if !text && f.first(i) != none || n.Span().Start == n.Span().End || n.Is("string_content", "escape_sequence") {
			continue
		}
		inside := n.Is("string") && n.ChildOf("interpolation").Valid()
		if text && !inside {
			i = f.after(i) - 1
		}
		if !part(n) && n.Named() {
			continue
		}
		// Words may be identifiers inside of damage.
		word := n.Text()
		top := open[len(open)-1]
		if at := last.Span().Start; last.Is("*") {
			switch {
			case !starred(n) && (top != typeBracket || before.Text() != "="):
			case before.Text() == "except" && before.Span().End == at-1 && f.Src[at-1] == ' ':
				gaps.groups = append(gaps.groups, at)
			case len(open) > 1 && (before.Is(":") || top != otherBracket && (beforeStar(before.Text()) || before.Is("[", "{"))):
				gaps.stars = append(gaps.stars, at)
			case len(open) == 1 && (beforeStar(before.Text()) || f.beginsStatement(before, last)):
				statement = append(statement, at)
			}
		}
		later := last.Valid() && n.Pos().Line > f.Position(last.Span().End-1).Line
		if len(open) == 1 && (later || !last.Valid()) {
			indent = f.indentOf(n)
		} else if later && texts == 0 && f.indentOf(n) < indent {
			gaps.breaks = append(gaps.breaks, Span{last.Span().End, n.Span().Start})
		}
		switch {
		case inside:
			continue // with what stands in it
		case n.Is("[", "(", "{"):
			open, lambda = append(open, bracketOf(n, before, last)), false
		case n.Is(")", "]", "}"):
			open, lambda = open[:max(1, len(open)-1)], false
		case len(open) > 1 && top == typeBracket:
			if word == "=" && !lambda {
				gaps.defaults = append(gaps.defaults, n.Span().Start)
			}
			lambda = word == "lambda" || lambda && word != ":"
		case len(open) > 1:
			if top == textBracket && word == ":=" {
				gaps.formats = append(gaps.formats, n.Span().Start+1)
			}
		case n.Is(":", ";"), later:
			gaps.stars, statement = append(gaps.stars, statement...), nil
		case word == "=" || word == "in":
			statement = nil // they are what is assigned to
		}
		if n.Is("string_start") {
			texts++
		} else if n.Is("string_end") {
			texts--
		}
		before, last = last, n
	}
	gaps.stars = append(gaps.stars, statement...)
	return gaps
}

// starred reports whether the grammar takes a star before this token for a product.
func starred(n Node) bool {
	return n.Is("[", "(", "{", "string", "-", "+", "~", "integer", "float", "ellipsis", "...", "none", "true", "false") || n.Text() == "await"
}

// bracketOf tells what an opening bracket after two tokens opens.
func bracketOf(n, before, last Node) int {
	name := last.Text()
	switch {
	case n.Is("{") && (n.Parent().Is("interpolation") || last.Is("string_start")):
		return textBracket
	case !n.Is("[") || !last.Valid():
	case word(name[0]):
		switch before.Text() {
		case "class", "def", "type":
			return typeBracket
		}
		if !pyKeyword(name) || name == "None" || name == "True" || name == "False" {
			return listBracket
		}
	case last.Is(")", "]", "}", "string", "string_end", "ellipsis", "..."):
		return listBracket
	}
	return otherBracket
}

// indentOf is how far the line of a token is indented, as the grammar counts.
func (f *File) indentOf(n Node) (width int) {
	for at := f.LineStart(n.Pos().Line); at < n.Span().Start; at++ {
		switch f.Src[at] {
		case ' ':
			width++
		case '\t':
			width += 8
		case '\f', '\r':
			width = 0
		default:
			return width
		}
	}
	return width
}

// beginsStatement reports whether a token outside of brackets is the first of a
// statement.
func (f *File) beginsStatement(before, n Node) bool {
	return !before.Valid() || before.Is(":", ";") || n.Pos().Line > f.Position(before.Span().End-1).Line
}

// beforeStar reports whether an expression begins after a token of a list of them.
func beforeStar(token string) bool {
	switch token {
	case ",", "return", "yield", "in":
		return true
	}
	return strings.HasSuffix(token, "=")
}

// mendPython parses the source again with an operator of one operand in the place of
// each star, which the grammar does take there, a comma in that of each `=` and other
// white space, and makes of the nodes what the source says.
func (b builder) mendPython(gaps pyGaps) {
	f := b.f
	src := bytes.Clone(f.Src)
	stars, defaults := map[int]bool{}, map[int]bool{}
	for _, at := range gaps.stars {
		src[at], stars[at] = '~', true
	}
	for _, at := range gaps.defaults {
		src[at], defaults[at] = ',', true
	}
	for _, s := range gaps.breaks {
		copy(src[s.Start:s.End], bytes.Repeat([]byte{' '}, s.End-s.Start))
	}
	for _, at := range gaps.groups {
		src[at-1], src[at] = '*', ' '
	}
	for _, at := range gaps.formats {
		src[at] = '<' // aligns, too
	}
	if !b.anew(src, nil) {
		return
	}
	refuse := func(n Node, why string) {
		if f.Unread == "" {
			f.UnreadAt = n.Pos()
			f.Unread = fmt.Sprintf("syntax error at line %d, column %d: %s", f.UnreadAt.Line, f.UnreadAt.Column, why)
		}
	}
	for i := range f.nodes {
		token := &f.nodes[i]
		if token.parent == none {
			continue
		}
		n := Node{f, token.parent}
		switch kind := f.g.kinds[token.kind]; {
		case kind == "~" && stars[int(token.start)] && n.Is("unary_operator"):
			token.kind = f.g.ids["*"]
			n.node().kind = f.g.ids["list_splat"]
			for c := f.first(n.i); c != none; c = f.nodes[c].next {
				f.nodes[c].field = 0
			}
			whole := n
			for up := n.Parent(); up.node().start == n.node().start && up.Is("attribute", "call", "subscript", "binary_operator"); up = up.Parent() {
				whole = up
			}
			up := whole.Parent()
			if up.Is("type") {
				up = up.Parent()
			}
			if !up.Is("expression_list", "subscript", "list", "match_statement", "print_statement", "type_parameter") &&
				!(up.Is("expression_statement") && up.ChildOf(",").Valid()) && !(up.Is("typed_parameter") && nth(up, 0).Is("list_splat_pattern")) {
				refuse(n, "an expression with `*` stands in a list of expressions only")
			}
		case kind == "," && defaults[int(token.start)]:
			token.kind = f.g.ids["="]
		}
	}
	if len(defaults) > 0 {
		for i := range f.nodes {
			if n := (Node{f, int32(i)}); n.Is("type_parameter") {
				n.typeDefaults(refuse)
			}
		}
	}
}

// typeDefaults checks type parameters with defaults.
func (n Node) typeDefaults(refuse func(n Node, why string)) {
	var name, value Node // of the parameter at hand
	equals, before := 0, false
	check := func(at Node) {
		switch {
		case equals == 0 && before && name.Valid():
			refuse(name, "a type parameter without a default follows one with a default")
		case equals > 1 || equals == 1 && (!name.Valid() || !value.Valid()):
			refuse(at, "a type parameter has one name and one default")
		case equals == 1:
			before = true
			is := nth(name, 0)
			if is.Is("constrained_type") && !nth(nth(is, 1), 0).Is("constrained_type") {
				is = nth(nth(is, 0), 0)
			}
			of := nth(value, 0)
			switch whole := value.Text(); {
			case !is.Is("identifier", "splat_type"), of.Is("constrained_type"), strings.HasPrefix(whole, "**"),
				strings.HasPrefix(whole, "*") && !(is.Is("splat_type") && !strings.HasPrefix(is.Text(), "**")):
				refuse(value, "this is no default of a type parameter")
			}
			value.inOwnScope(refuse)
		}
		name, value, equals = Node{}, Node{}, 0
	}
	for c := range n.Children() {
		switch {
		case c.Is(",", "]"):
			check(c)
		case c.Is("="):
			equals++
		case part(c) && equals == 0:
			name = c
		case part(c):
			value = c
		}
	}
}

// inOwnScope checks what is evaluated in a scope of its own, which is no function.
func (n Node) inOwnScope(refuse func(n Node, why string)) {
	end := n.f.after(n.i)
	for i := n.i; i < end; i++ {
		switch c := (Node{n.f, i}); {
		case c.Is("lambda"):
			i = n.f.after(i) - 1
		case c.Named() && c.Is("yield", "await", "named_expression"):
			refuse(c, "this stands in no default of a type parameter")
		}
	}
}

// hoist is a node that stands at an edge of another, which its operand at that edge
// goes on with: `n := a` in `n := a if b else c`, and `c as d` in `a if b else c as d`.
type hoist struct{ top, node int32 }

// operand is what of a hoisted node the other node goes on with.
func (f *File) operand(i int32) int32 {
	n := Node{f, i}
	if n.Is("as_pattern") {
		return nth(n, 0).i
	}
	return n.Field("value").i
}

// hoist puts the nodes at an edge around those that they stand in.
func (f *File) hoist(all []hoist) {
	old := *f
	old.nodes = append([]node(nil), f.nodes...)
	over, held := map[int32]int32{}, map[int32]int32{} // top: node, node: operand
	for _, h := range all {
		over[h.top], held[h.node] = h.node, f.operand(h.node)
		whole, operand := f.nodes[h.node], f.nodes[held[h.node]]
		for up := whole.parent; ; up = old.nodes[up].parent {
			if n := &old.nodes[up]; whole.start == operand.start {
				n.end = operand.end
			} else {
				n.start = operand.start
			}
			if up == h.top {
				break
			}
		}
	}
	out := make([]node, 0, len(f.nodes))
	var emit, emitNode func(i, parent int32) int32
	children := func(i, to int32, emit func(c int32) int32) {
		before := none
		for c := old.first(i); c != none; c = old.nodes[c].next {
			at := emit(c)
			if before != none {
				out[before].next = at
			}
			before = at
		}
	}
	place := func(n node, parent int32) int32 {
		n.parent, n.next = parent, none
		out = append(out, n)
		return int32(len(out) - 1)
	}
	// emitNode writes a node with what it holds, and emit what stands around it then.
	emitNode = func(i, parent int32) int32 {
		to := place(old.nodes[i], parent)
		children(i, to, func(c int32) int32 {
			operand, hoisted := held[c]
			if !hoisted {
				return emit(c, to)
			}
			at := emit(operand, to)
			out[at].field = old.nodes[c].field
			return at
		})
		return to
	}
	emit = func(i, parent int32) int32 {
		outer, under := over[i]
		if !under {
			return emitNode(i, parent)
		}
		n := old.nodes[outer]
		n.start, n.end, n.field = f.nodes[i].start, f.nodes[i].end, f.nodes[i].field
		to := place(n, parent)
		children(outer, to, func(c int32) int32 {
			if c != held[outer] {
				return emit(c, to)
			}
			at := emitNode(i, to)
			out[at].field = old.nodes[c].field
			return at
		})
		return to
	}
	emit(0, none)
	f.nodes = out
}
