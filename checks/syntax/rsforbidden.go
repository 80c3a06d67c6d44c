package syntax

import (
	"strings"
	"unicode/utf8"
)

// rsPass is the pass over one file of Rust.
type rsPass struct {
	f     *File
	found *faults
}

// rsCheck looks at one node, which is neither inside of damage nor a token of a macro.
type rsCheck func(p *rsPass, n Node)

var (
	rsChecks []rsCheck
	// rsOpaque are the kinds whose content may be any tokens.
	rsOpaque []bool
	// rsBlocks are expressions that end a statement with their block.
	rsBlocks []bool
)

func init() {
	rsOpaque = kinds(Rust, map[string]bool{"token_tree": true, "token_tree_pattern": true, "attribute": true, "macro_definition": true, errorKind: true,
		"lifetime": true, "label": true})
	rsBlocks = kinds(Rust, map[string]bool{"block": true, "unsafe_block": true, "if_expression": true, "match_expression": true, "loop_expression": true,
		"while_expression": true, "for_expression": true, "const_block": true})
	rsChecks = kinds(Rust, map[string]rsCheck{
		"identifier":                 (*rsPass).name,
		"type_identifier":            (*rsPass).name,
		"field_identifier":           (*rsPass).name,
		"shorthand_field_identifier": (*rsPass).name,
		"source_file":                (*rsPass).items,
		"declaration_list":           (*rsPass).items,
		"block":                      (*rsPass).statements,
		"field_declaration_list":     (*rsPass).documented,
		"enum_variant_list":          (*rsPass).documented,
		"binary_expression":          (*rsPass).comparison,
		"range_expression":           (*rsPass).ranges,
		"let_declaration":            (*rsPass).let,
		"mut_pattern":                (*rsPass).mut,
		"parameter":                  (*rsPass).mut,
		"parameters":                 (*rsPass).parameters,
		"static_item":                (*rsPass).static,
		"visibility_modifier":        (*rsPass).visibility,
		"function_modifiers":         (*rsPass).modifiers,
		"foreign_mod_item":           (*rsPass).body,
		"impl_item":                  (*rsPass).body,
		"tuple_pattern":              (*rsPass).tuple,
		"field_initializer_list":     (*rsPass).rest,
		"struct_pattern":             (*rsPass).rest,
		"expression_statement":       (*rsPass).operand,
	})
}

// forbidRust finds the first thing in a file that Rust's parser refuses.
func forbidRust(f *File, found *faults) {
	p := rsPass{f, found}
	var around around[bool] // whether what is inside may be any tokens
	around.push(none, false)
	tokens := false // of a macro, which the grammar does not know
	for i := int32(0); i < int32(len(f.nodes)); i++ {
		raw := &f.nodes[i]
		opaque := i > 0 && *around.enter(raw.parent)
		tokens = tokens || raw.flags&damaged != 0
		if check := rsChecks[raw.kind]; check != nil && !opaque && raw.flags&(named|damaged) == named {
			check(&p, Node{f, i})
		}
		if raw.flags&inner != 0 {
			around.push(i, opaque || rsOpaque[raw.kind])
		}
	}
	if tokens { // they may be any, and yet their brackets match
		forbidBrackets(f.text, found)
	}
}

func (p *rsPass) refuse(n Node, format string, args ...any) {
	p.found.add(n.Span().Start, format, args...)
}

// after refuses what is missing after a node.
func (p *rsPass) after(n Node, format string, args ...any) {
	p.found.add(n.Span().End, format, args...)
}

// rsKeyword reports whether a word can be no name in any edition.
func rsKeyword(s string) bool {
	if len(s) < 2 || len(s) > 8 {
		return false
	}
	switch s {
	case "as", "break", "const", "continue", "else", "enum", "extern", "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod",
		"move", "mut", "pub", "ref", "return", "static", "struct", "trait", "true", "type", "unsafe", "use", "where", "while",
		"abstract", "become", "box", "do", "final", "macro", "override", "priv", "typeof", "unsized", "virtual", "yield":
		return true
	}
	return false
}

func (p *rsPass) name(n Node) {
	if text := n.Text(); rsKeyword(text) {
		p.refuse(n, "`%s` is a word of the language and no name", text)
	}
}

// documentation reports whether a comment documents what follows ("outer") or what
// it stands in ("inner").
func documentation(n Node, which string) bool {
	return n.IsComment() && n.Field(which).Valid()
}

// row checks attributes and comments among items or statements: those of the inside
// stand first, and the others before something.
func (p *rsPass) row(n Node) {
	begun := false
	var open Node
	for c := range n.Children() {
		switch {
		case c.Is("inner_attribute_item") || documentation(c, "inner"):
			if begun {
				p.refuse(c, "an attribute or a comment of what it stands in stands first there")
			}
		case c.Is("attribute_item") || documentation(c, "outer"):
			open, begun = c, true
		case !c.Named() || c.Is("empty_statement"):
			if (c.Is("}") || c.Is("empty_statement")) && open.Valid() {
				p.refuse(open, "an attribute or a comment of documentation stands before nothing")
				open = Node{}
			}
		case c.IsComment() || c.Is("label", "shebang"):
		default:
			begun, open = true, Node{}
		}
	}
	if open.Valid() {
		p.refuse(open, "an attribute or a comment of documentation stands before nothing")
	}
}

// invoked is the macro that a statement or item invokes.
func invoked(n Node) Node {
	if n.Is("macro_invocation") {
		return n
	}
	if n.Is("expression_statement") {
		if c := n.NamedChild(0); c.Is("macro_invocation") {
			return c
		}
	}
	return Node{}
}

// braced reports whether a macro is invoked with braces, which end it.
func braced(n Node) bool {
	return strings.HasPrefix(n.ChildOf("token_tree").Text(), "{")
}

func (p *rsPass) items(n Node) {
	p.row(n)
	owner := n.Parent()
	associated := owner.Is("impl_item", "trait_item")
	var last Node
	for c := range n.Children() {
		if !c.Named() || c.IsComment() {
			continue
		}
		switch m := invoked(c); {
		case m.Valid():
			if c == m && !braced(m) && !c.Next().Is("empty_statement") {
				p.after(m, "`;` is missing")
			}
		case c.Is("expression_statement", "let_declaration"):
			p.refuse(c, "a statement stands outside of a function")
		case associated && c.Is("struct_item", "enum_item", "union_item", "mod_item", "use_declaration", "trait_item", "impl_item",
			"extern_crate_declaration", "foreign_mod_item", "macro_definition"):
			p.refuse(c, "this item stands in no trait and no impl")
		case c.Is("empty_statement"):
			if !last.Is("macro_invocation") { // which it ends
				p.refuse(c, "`;` ends nothing here")
			}
		}
		last = c
	}
}

func (p *rsPass) statements(n Node) {
	p.row(n)
	for c := range n.Children() {
		if c.Is("macro_invocation") && !braced(c) {
			if next := c.Next(); next.Valid() && !next.Is("}", "empty_statement") {
				p.after(c, "`;` is missing")
			}
		}
	}
}

func (p *rsPass) documented(n Node) { p.row(n) }

func compares(n Node) bool {
	return n.Is("binary_expression") && n.Field("operator").Is("==", "!=", "<", "<=", ">", ">=")
}

func (p *rsPass) comparison(n Node) {
	if compares(n) && (compares(n.Field("left")) || compares(n.Field("right"))) {
		p.refuse(n.Field("operator"), "comparisons are not chained")
	}
}

// ranges checks that no expression stands between the dots of two ranges. Dots may
// follow dots.
func (p *rsPass) ranges(n Node) {
	dots := false // stood before
	for c := range n.Children() {
		switch {
		case c.Is("..."), c.Is("range_expression") && p.bounded(c, dots):
			p.refuse(c, "this is no range")
		case !c.IsComment():
			dots = true
		}
	}
}

// bounded reports whether a range begins with an expression, or else ends in one.
func (p *rsPass) bounded(n Node, begins bool) bool {
	for n.Is("range_expression") {
		edge := n.at(p.f.first(n.i))
		for c := range n.Children() {
			if !begins {
				edge = c
			}
		}
		n = edge
	}
	return !n.Is("..", "..=")
}

func (p *rsPass) let(n Node) {
	p.mut(n)
	value := n.Field("value")
	if n.Field("alternative").Valid() && value.Valid() && rsBlocks[value.node().kind] {
		p.after(value, "a value that ends in a block stands before `else`")
	}
}

// mut checks that one name follows mut.
func (p *rsPass) mut(n Node) {
	seen := false
	for c := range n.Children() {
		switch {
		case c.Is("mutable_specifier"):
			if seen {
				p.refuse(c, "`mut` stands twice")
			}
			seen = true
		case seen && c.Is("mut_pattern", "tuple_pattern", "reference_pattern", "slice_pattern", "tuple_struct_pattern", "struct_pattern"):
			p.refuse(c, "`mut` stands before a name")
		case c.Is(":"):
			return
		}
	}
}

func (p *rsPass) parameters(n Node) {
	first := true
	for c := range n.Children() {
		if !c.Named() || c.IsComment() || c.Is("attribute_item") {
			continue
		}
		self := c.Is("self_parameter") || c.Is("parameter") && c.Field("pattern").Is("self")
		if self && !first {
			p.refuse(c, "`self` is the first parameter")
		}
		if first = false; n.Parent().Is("function_item") && !self && !c.Is("parameter", "variadic_parameter") {
			p.refuse(c, "a parameter has a name and a type")
		}
	}
}

func (p *rsPass) static(n Node) {
	if c := n.ChildOf("ref"); c.Valid() {
		p.refuse(c, "a static has no `ref`")
	}
}

func (p *rsPass) visibility(n Node) {
	if !n.ChildOf("pub").Valid() {
		p.refuse(n, "`crate` alone is no visibility")
	}
}

// modifiers checks what stands before fn: each word once, and in one order.
func (p *rsPass) modifiers(n Node) {
	last := -1
	for c := range n.Children() {
		if c.IsComment() {
			continue
		}
		at := strings.Index("default const async unsafe extern_modifier", c.Kind())
		if at <= last {
			p.refuse(c, "the words before `fn` stand as in `const async unsafe extern`")
		}
		last = at
	}
}

func (p *rsPass) body(n Node) {
	if c := n.ChildOf(";"); c.Valid() {
		p.refuse(c, "`{` is missing")
	}
}

func (p *rsPass) tuple(n Node) {
	c := n.ChildOf("closure_expression")
	if !c.Valid() {
		return
	}
	// What begins with a bar may be a choice of patterns, too.
	if first := c.at(p.f.first(c.i)); first.Is("closure_parameters") {
		switch body := first.Next(); {
		case body.Is("identifier", "scoped_identifier", "tuple_expression", "array_expression", "reference_expression", "struct_expression",
			"string_literal", "raw_string_literal", "char_literal", "boolean_literal", "integer_literal", "float_literal", "unary_expression",
			"range_expression", "macro_invocation", "const_block"),
			body.Is("binary_expression") && body.Field("operator").Is("|"),
			body.Is("call_expression") && body.Field("function").Is("identifier", "scoped_identifier"):
			return
		}
	}
	p.refuse(c, "a closure is no pattern")
}

// rest checks that what stands for the rest of the fields is the last.
func (p *rsPass) rest(n Node) {
	for c := range n.Children() {
		if c.Is("base_field_initializer", "remaining_field_pattern") && !c.Next().Is("}") {
			p.after(c, "what stands for the other fields is the last, without a comma")
		}
	}
}

// operand checks that a statement that begins with a block does not go on with an
// operator.
func (p *rsPass) operand(n Node) {
	e := n.NamedChild(0)
	if !e.Is("binary_expression") {
		return
	}
	operator := Node{}
	for e.Is("binary_expression") {
		operator = e.Field("operator")
		e = e.Field("left")
	}
	if e.Valid() && rsBlocks[e.node().kind] && !operator.Is("-", "*", "&", "&&", "|", "||", "<", "<<") {
		p.refuse(operator, "the block before ends the statement: put it in parentheses")
	}
}

// forbidBrackets finds the first bracket of a Rust file that has no partner.
func forbidBrackets(src string, found *faults) {
	type bracket struct {
		close byte
		at    int
	}
	var open []bracket
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == '(' || c == '[' || c == '{':
			open = append(open, bracket{map[byte]byte{'(': ')', '[': ']', '{': '}'}[c], i})
		case c == ')' || c == ']' || c == '}':
			if len(open) == 0 {
				found.add(i, "`%c` closes nothing", c)
				return
			}
			if last := open[len(open)-1]; last.close != c {
				found.add(last.at, "`%c` is not closed: `%c` follows", src[last.at], c)
				return
			}
			open = open[:len(open)-1]
		}
		i = skipRust(src, i)
	}
	if len(open) > 0 {
		last := open[len(open)-1]
		found.add(last.at, "`%c` is not closed", src[last.at])
	}
}

// skipRust is the offset after the comment, text, character, word or other byte that
// stands at an offset.
func skipRust(src string, i int) int {
	switch c := src[i]; {
	case strings.HasPrefix(src[i:], "//"):
		if end := strings.IndexByte(src[i:], '\n'); end >= 0 {
			return i + end
		}
		return len(src)
	case strings.HasPrefix(src[i:], "/*"):
		return skipBlockComment(src, i)
	case c == '"':
		return skipText(src, i+1, '"')
	case c == '\'':
		return skipQuote(src, i)
	case word(c):
		start := i
		for i < len(src) && word(src[i]) {
			i++
		}
		if prefix := src[start:i]; prefix == "r" || prefix == "br" || prefix == "cr" {
			return skipRaw(src, i)
		}
		return i
	}
	return i + 1
}

// skipRaw is the offset after a raw text whose prefix ends at an offset; that offset
// when there is none.
func skipRaw(src string, i int) int {
	hashes := 0
	for i+hashes < len(src) && src[i+hashes] == '#' {
		hashes++
	}
	if i+hashes == len(src) || src[i+hashes] != '"' {
		return i
	}
	from := i + hashes + 1
	if end := strings.Index(src[from:], `"`+strings.Repeat("#", hashes)); end >= 0 {
		return from + end + 1 + hashes
	}
	return len(src)
}

func skipBlockComment(src string, i int) int {
	for depth := 0; i < len(src); {
		switch {
		case strings.HasPrefix(src[i:], "/*"):
			depth++
			i += 2
		case strings.HasPrefix(src[i:], "*/"):
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return len(src)
}

// skipText is the offset after a text, whose content begins at an offset.
func skipText(src string, i int, end byte) int {
	for ; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case end:
			return i + 1
		}
	}
	return len(src)
}

// skipQuote is the offset after a character or the quote of a lifetime.
func skipQuote(src string, i int) int {
	i++
	if i < len(src) && src[i] == '\\' {
		return skipText(src, i, '\'')
	}
	if _, n := utf8.DecodeRuneInString(src[i:]); i+n < len(src) && src[i+n] == '\'' {
		return i + n + 1
	}
	return i
}
