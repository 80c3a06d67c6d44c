package syntax

import "strings"

// kinds maps the kinds of a grammar to what a pass does with them; others are zero.
func kinds[T any](lang Lang, of map[string]T) []T {
	g := grammars[lang]
	out := make([]T, len(g.kinds))
	for kind, do := range of {
		id, ok := g.ids[kind]
		if !ok {
			panic("the grammar of " + lang.String() + " has no " + kind)
		}
		out[id] = do
	}
	return out
}

// part reports whether a node is a named part of another one: no comment, and no
// backslash that continues a line.
func part(n Node) bool {
	return n.Named() && !n.IsComment() && !n.Is("line_continuation")
}

func parts(n Node) (all []Node) {
	for c := range n.Children() {
		if part(c) {
			all = append(all, c)
		}
	}
	return all
}

// nth is the part of a node with an index, from 0.
func nth(n Node, i int) Node {
	for c := range n.Children() {
		if part(c) {
			if i == 0 {
				return c
			}
			i--
		}
	}
	return Node{}
}

// scope is what a piece of Python belongs to.
type scope uint8

const (
	moduleScope scope = iota
	classScope
	defScope
	asyncScope
	lambdaScope
	comprehensionScope
)

// pyContext is what holds around a node.
type pyContext struct {
	scope, outer scope // outer: around a comprehension
	text         bool  // inside of a string
	loop         bool
	generator    bool // inside of a generator expression, where await is allowed anywhere
	iterable     bool // inside of what a comprehension goes over
	def          scope
}

// pyPass is the pass over one file of Python.
type pyPass struct {
	f      *File
	found  *faults
	layout layout
	around around[pyContext]
	at     *pyContext // around the node at hand
	any    bool       // a statement stood before
	code   bool       // one stood before that ends where imports from __future__ may stand
	shared bool       // a name is declared global or nonlocal
	hoists []hoist    // what the grammar nests the wrong way round
	// Whether the with clause that was asked for last is a tuple.
	items int32
	tuple bool
}

// pyCheck looks at one node, which is not inside of damage.
type pyCheck func(p *pyPass, n Node)

var (
	pyChecks []pyCheck
	// pyTokens tells the tokens that the layout knows.
	pyTokens []byte
	// pyLines tells what stands on lines of its own.
	pyLines []byte
	// pyScopes are the kinds inside of which something else holds.
	pyScopes []bool
)

func init() {
	pyTokens = kinds(Python, map[string]byte{
		"(": '(', "[": '(', "{": '(', ")": ')', "]": ')', "}": ')', ":": ':',
		// These are no tokens.
		"comment": '#', "line_continuation": '#', "block": '#', "module": '#',
		"string": '"', ";": ';',
	})
	pyLines = kinds(Python, map[string]byte{
		"elif_clause": ownLine, "else_clause": ownLine, "except_clause": ownLine, "except_group_clause": ownLine, "finally_clause": ownLine,
		"case_clause": ownLine, "decorator": ownLine,
		"comment": noStatement, "line_continuation": noStatement, "block": holdsLines, "module": holdsLines, "decorated_definition": holdsLines,
	})
	pyScopes = kinds(Python, map[string]bool{"string": true, "block": true, "for_in_clause": true, "lambda": true, "lambda_parameters": true, "generator_expression": true,
		"list_comprehension": true, "set_comprehension": true, "dictionary_comprehension": true})
	pyChecks = kinds(Python, map[string]pyCheck{
		"identifier":              (*pyPass).name,
		"integer":                 (*pyPass).number,
		"float":                   (*pyPass).number,
		"string":                  (*pyPass).text,
		"concatenated_string":     (*pyPass).texts,
		"type_conversion":         (*pyPass).conversion,
		"parameters":              (*pyPass).parameters,
		"lambda_parameters":       (*pyPass).parameters,
		"argument_list":           (*pyPass).arguments,
		"dictionary":              (*pyPass).elements,
		"assignment":              (*pyPass).assignment,
		"augmented_assignment":    (*pyPass).augmented,
		"for_statement":           (*pyPass).loop,
		"for_in_clause":           (*pyPass).clause,
		"with_statement":          (*pyPass).with,
		"delete_statement":        (*pyPass).del,
		"as_pattern":              (*pyPass).as,
		"named_expression":        (*pyPass).named,
		"list_splat":              (*pyPass).splat,
		"splat_type":              (*pyPass).splat,
		"constrained_type":        (*pyPass).constrained,
		"yield":                   (*pyPass).yield,
		"await":                   (*pyPass).await,
		"return_statement":        (*pyPass).ret,
		"break_statement":         (*pyPass).jump,
		"continue_statement":      (*pyPass).jump,
		"nonlocal_statement":      (*pyPass).declaration,
		"global_statement":        (*pyPass).declaration,
		"print_statement":         (*pyPass).print,
		"exec_statement":          (*pyPass).print,
		"comparison_operator":     (*pyPass).comparison,
		"boolean_operator":        (*pyPass).operands,
		"not_operator":            (*pyPass).operands,
		"conditional_expression":  (*pyPass).operands,
		"import_statement":        (*pyPass).imports,
		"import_from_statement":   (*pyPass).imports,
		"future_import_statement": (*pyPass).imports,
		"assert_statement":        (*pyPass).assert,
		"raise_statement":         (*pyPass).raise,
		"try_statement":           (*pyPass).try,
		"match_statement":         (*pyPass).match,
	})
}

// forbidPython finds the first thing in a file that Python's compiler refuses.
func forbidPython(f *File, found *faults) {
	p := pyPass{f: f, found: found, layout: layout{f: f, found: found}}
	p.around.push(0, pyContext{})
	for i := int32(1); i < int32(len(f.nodes)); i++ {
		raw := &f.nodes[i]
		p.at = p.around.enter(raw.parent)
		n := Node{f, i}
		if !p.at.text {
			p.token(n)
		}
		if raw.flags&named != 0 {
			if check := pyChecks[raw.kind]; check != nil {
				check(&p, n)
			}
		}
		if raw.parent == 0 && !p.code {
			p.prologue(n)
		}
		if raw.flags&inner != 0 {
			c := *p.at
			if pyScopes[raw.kind] {
				c = p.inside(n)
			}
			p.around.push(i, c)
		}
	}
	p.layout.finish()
	if p.shared {
		forbidShared(f, found)
	}
	if found.first == nil && f.Unread == "" && len(p.hoists) > 0 {
		f.hoist(p.hoists)
	}
}

// token hands a token to the layout.
func (p *pyPass) token(n Node) {
	raw := n.node()
	what := pyTokens[raw.kind]
	if own(n) && p.layout.goesOn(int(raw.start)) {
		p.refuse(n, "neither a new line nor `;` stands before this")
	}
	if what == '#' || raw.flags&inner != 0 && what != '"' || raw.start == raw.end {
		return
	}
	l := &p.layout
	end := l.end
	if l.token(int(raw.start), int(raw.end)) && !p.begins(n) {
		p.found.add(end, "the line ends inside of a statement")
	}
	switch what {
	case '(':
		l.depth++
	case ')':
		l.depth = max(0, l.depth-1)
	case ':':
		l.colon = l.depth == 0
	case ';':
		l.semicolon = true
	}
}

// begins reports whether a token is the first of something that has its own line.
func (p *pyPass) begins(n Node) bool {
	for start := n.node().start; n.Valid() && n.node().start == start; n = n.Parent() {
		if own(n) {
			return true
		}
	}
	return false
}

// own reports whether a node is a statement, or a part of one that has its own line.
func own(n Node) bool {
	flags := pyLines[n.node().kind]
	parent := n.node().parent
	return flags == ownLine || parent != none && flags != noStatement && n.node().flags&named != 0 && pyLines[n.f.nodes[parent].kind] >= holdsLines && !n.Is("block")
}

const (
	ownLine = iota + 1
	noStatement
	holdsLines
)

// inside is what holds inside of a node.
func (p *pyPass) inside(n Node) pyContext {
	c := *p.at
	enter := func(s scope) {
		c.outer, c.scope = c.scope, s
		if s != comprehensionScope {
			c.def, c.loop, c.generator, c.iterable = s, false, false, false
		}
	}
	parent := n.Parent()
	switch n.Kind() {
	case "string":
		c.text = true
	case "block":
		switch parent.Kind() {
		case "function_definition":
			if first := parent.at(p.f.first(parent.i)); first.Is("async") {
				enter(asyncScope)
			} else {
				enter(defScope)
			}
		case "class_definition":
			enter(classScope)
		case "for_statement", "while_statement":
			c.loop = true
		}
	case "for_in_clause":
		c.iterable = true
	case "lambda":
		enter(lambdaScope)
	case "lambda_parameters": // hold what is evaluated around the lambda
		c = p.around.of[len(p.around.of)-2]
	case "generator_expression":
		enter(comprehensionScope)
		c.generator = true
	case "list_comprehension", "set_comprehension", "dictionary_comprehension":
		enter(comprehensionScope)
	}
	return c
}

func (p *pyPass) refuse(n Node, format string, args ...any) {
	p.found.add(n.Span().Start, format, args...)
}

// pyKeyword reports whether a word can be no name.
func pyKeyword(s string) bool {
	if len(s) < 2 || len(s) > 8 {
		return false
	}
	switch s {
	case "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
		"else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or",
		"pass", "raise", "return", "try", "while", "with", "yield":
		return true
	}
	return false
}

func (p *pyPass) name(n Node) {
	if text := n.Text(); pyKeyword(text) {
		p.refuse(n, "`%s` is a word of the language and no name", text)
	}
}

func (p *pyPass) number(n Node) {
	text := strings.ToLower(n.Text())
	digit := func(i int) bool { return i >= 0 && i < len(text) && text[i] >= '0' && text[i] <= '9' }
	based := len(text) > 1 && text[0] == '0' && strings.IndexByte("xob", text[1]) >= 0
	for i := 0; i < len(text); i++ {
		if text[i] != '_' {
			continue
		}
		if based && i+1 < len(text) && text[i+1] != 'l' && text[i+1] != '_' || digit(i-1) && digit(i+1) {
			continue
		}
		p.refuse(n, "an underscore of a number stands between two digits")
	}
	switch {
	case strings.HasSuffix(text, "l"):
		p.refuse(n, "a number has no suffix `%s`", n.Text()[len(text)-1:])
	case n.Is("integer") && !based && len(text) > 1 && text[0] == '0' && text[len(text)-1] != 'j' && strings.Trim(text, "0_") != "":
		p.refuse(n, "a decimal number does not begin with 0")
	}
}

func pyPrefix(n Node) string {
	return strings.ToLower(strings.TrimRight(n.ChildOf("string_start").Text(), `"'`))
}

func (p *pyPass) text(n Node) {
	prefix := pyPrefix(n)
	switch prefix {
	case "", "r", "u", "b", "f", "br", "rb", "fr", "rf", "t", "tr", "rt":
	default:
		p.refuse(n, "a string has no prefix `%s`", prefix)
		return
	}
	bytes := strings.Contains(prefix, "b")
	raw := strings.Contains(prefix, "r")
	if raw && !bytes {
		return
	}
	for c := range n.Children() {
		if !c.Is("string_content") {
			continue
		}
		text, from := c.Text(), c.Span().Start
		for i := 0; bytes && i < len(text); i++ {
			if text[i] >= 0x80 {
				p.found.add(from+i, "bytes hold other characters than ASCII")
				break
			}
		}
		for i := 0; !raw; {
			k := strings.IndexByte(text[i:], '\\')
			if k < 0 || i+k+1 >= len(text) {
				break
			}
			i += k
			if why := pyEscape(text[i+1:], prefix); why != "" {
				p.found.add(from+i, "%s", why)
			}
			i += 2
		}
	}
}

// pyEscape says what is wrong with an escape sequence, whose backslash is left out.
func pyEscape(s, prefix string) string {
	digits := 0
	switch {
	case s[0] == 'x':
		digits = 2
	case strings.Contains(prefix, "b"):
	case s[0] == 'u':
		digits = 4
	case s[0] == 'U':
		digits = 8
	case s[0] == 'N' && (prefix == "" || prefix == "u"):
		if end := strings.IndexByte(s, '}'); len(s) < 2 || s[1] != '{' || end < 3 {
			return "`\\N` is followed by the name of a character in braces"
		}
	}
	value := 0
	for i := 1; i <= digits; i++ {
		if i == len(s) || strings.IndexByte("0123456789abcdefABCDEF", s[i]) < 0 {
			return "`\\" + s[:1] + "` is followed by " + map[int]string{2: "two", 4: "four", 8: "eight"}[digits] + " hexadecimal digits"
		}
		value = value<<4 | strings.IndexByte("0123456789abcdef", s[i]|0x20)
	}
	if value > 0x10ffff {
		return "`\\U` names no character"
	}
	return ""
}

func (p *pyPass) texts(n Node) {
	bytes, first := false, true
	for c := range n.Children() {
		if !c.Is("string") {
			continue
		}
		is := strings.Contains(pyPrefix(c), "b")
		if !first && is != bytes {
			p.refuse(c, "bytes and text are joined")
		}
		bytes, first = is, false
	}
}

func (p *pyPass) conversion(n Node) {
	if t := n.Text(); t != "!s" && t != "!r" && t != "!a" {
		p.refuse(n, "a conversion is `!s`, `!r` or `!a`, not `%s`", t)
	}
}

// names tells whether a name comes again.
type names struct {
	few  []string
	many map[string]bool
}

func (s *names) again(name string) bool {
	if s.many == nil {
		for _, n := range s.few {
			if n == name {
				return true
			}
		}
		if s.few = append(s.few, name); len(s.few) > 16 {
			s.many = map[string]bool{}
			for _, n := range s.few {
				s.many[n] = true
			}
		}
		return false
	}
	again := s.many[name]
	s.many[name] = true
	return again
}

func (p *pyPass) parameters(n Node) {
	var seen names
	var star, named, double, slash, def bool // named: after the star something has a name
	var lone Node
	any := false
	for c := range n.Children() {
		if !part(c) {
			continue
		}
		name, is := c, c
		if c.Is("typed_parameter") {
			is = nth(c, 0)
			name = is
		}
		if double {
			p.refuse(c, "nothing follows the parameter with `**`")
		}
		switch is.Kind() {
		case "identifier":
			if def && !star {
				p.refuse(c, "a parameter without a default follows one with a default")
			}
			named = true
		case "default_parameter", "typed_default_parameter":
			name = is.Field("name")
			def, named = true, true
		case "list_splat_pattern", "keyword_separator":
			if star {
				p.refuse(c, "a second `*` among the parameters")
			}
			star, named = true, false
			if is.Is("keyword_separator") {
				lone = c
				name = Node{}
			} else {
				name = nth(is, 0)
			}
		case "dictionary_splat_pattern":
			double = true
			name = nth(is, 0)
		case "positional_separator":
			if slash || star || !any {
				p.refuse(c, "`/` stands once, after a parameter and before `*`")
			}
			slash, name = true, Node{}
		}
		any = true
		if !name.Valid() {
			continue
		}
		if !name.Is("identifier") {
			p.refuse(name, "a parameter is a name")
		} else if seen.again(name.Text()) {
			p.refuse(name, "two parameters have the name `%s`", name.Text())
		}
	}
	if lone.Valid() && !named {
		p.refuse(lone, "a parameter with a name follows `*`")
	}
}

func (p *pyPass) arguments(n Node) {
	var seen names
	keyword, double := false, false
	p.elements(n)
	for c := range n.Children() {
		if !part(c) {
			continue
		}
		switch c.Kind() {
		case "keyword_argument":
			keyword = true
			if name := c.Field("name"); seen.again(name.Text()) {
				p.refuse(name, "the argument `%s` is given twice", name.Text())
			}
		case "dictionary_splat":
			double = true
		case "list_splat":
			if double {
				p.refuse(c, "an argument with `*` follows one with `**`")
			}
		default:
			if keyword || double {
				p.refuse(c, "an argument without a name follows one with a name")
			}
		}
	}
}

// elements checks that something stands before a comma.
func (p *pyPass) elements(n Node) {
	for c := range n.Children() {
		if part(c) {
			return
		}
		if c.Is(",") {
			p.refuse(c, "nothing stands before the comma")
		}
	}
}

// target checks what is assigned to.
func (p *pyPass) target(n Node, listed bool) {
	switch n.Kind() {
	case "identifier", "attribute", "subscript", "":
	case "as_pattern_target", "parenthesized_expression":
		p.target(nth(n, 0), false)
	case "list_splat_pattern", "list_splat":
		if !listed {
			p.refuse(n, "a target with `*` is one of several")
		}
	case "pattern_list", "expression_list", "tuple_pattern", "tuple", "list_pattern", "list":
		stars := 0
		several := !n.Is("tuple_pattern") || n.ChildOf(",").Valid()
		for c := range n.Children() {
			if !part(c) {
				continue
			}
			if c.Is("list_splat_pattern", "list_splat") {
				if stars++; stars == 2 {
					p.refuse(c, "two targets with `*`")
				}
			}
			p.target(c, several)
		}
	default:
		p.refuse(n, "nothing can be assigned to this expression")
	}
}

// single reports whether a target is no list of targets.
func single(n Node) bool {
	for n.Is("tuple_pattern") && !n.ChildOf(",").Valid() && nth(n, 0).Valid() {
		n = nth(n, 0)
	}
	return n.Is("identifier", "attribute", "subscript")
}

func (p *pyPass) assignment(n Node) {
	left := n.Field("left")
	p.target(left, false)
	typed := n.Field("type").Valid()
	if typed && !single(left) {
		p.refuse(left, "only one name can have a type")
	}
	switch parent := n.Parent(); {
	case parent.Is("augmented_assignment"), parent.Is("assignment") && (typed || parent.Field("type").Valid()):
		p.refuse(n, "this assignment is no value of another")
	}
}

func (p *pyPass) augmented(n Node) {
	if left := n.Field("left"); !single(left) {
		p.refuse(left, "`%s` changes one name", n.Field("operator").Text())
	}
	if n.Parent().Is("assignment", "augmented_assignment") {
		p.refuse(n, "this assignment is no value of another")
	}
}

// async checks a statement that begins with async.
func (p *pyPass) async(n Node) {
	if first := n.at(p.f.first(n.i)); first.Is("async") && p.at.scope != asyncScope {
		p.refuse(first, "`async` stands outside of an async function")
	}
}

func (p *pyPass) loop(n Node) {
	p.target(n.Field("left"), false)
	p.async(n)
}

func (p *pyPass) with(n Node) { p.async(n) }

func (p *pyPass) clause(n Node) {
	p.target(n.Field("left"), false)
	if first := n.at(p.f.first(n.i)); first.Is("async") && p.at.def != asyncScope && !p.at.generator {
		p.refuse(first, "`async` stands outside of an async function")
	}
	if comma := n.ChildOf(","); comma.Valid() {
		p.refuse(comma, "a comprehension goes over one expression")
	}
	if right := n.Field("right"); right.Is("lambda", "conditional_expression") {
		p.refuse(right, "a comprehension goes over this expression in parentheses only")
	}
}

func (p *pyPass) del(n Node) {
	var check func(n Node)
	check = func(n Node) {
		switch n.Kind() {
		case "identifier", "attribute", "subscript", "":
		case "parenthesized_expression", "expression_list", "tuple", "list":
			for c := range n.Children() {
				if part(c) {
					check(c)
				}
			}
		default:
			p.refuse(n, "`del` deletes names, attributes and items")
		}
	}
	check(nth(n, 0))
}

func (p *pyPass) as(n Node) {
	// The grammar binds `as` closer than the last operand of an expression.
	whole := n
	for up := n.Parent(); up.node().end == n.node().end && up.Is("conditional_expression", "lambda"); up = up.Parent() {
		whole = up
	}
	parent := whole.Parent()
	if parent.Is("tuple", "parenthesized_expression") && parent.Parent().Is("with_item") {
		parent = parent.Parent()
	}
	if whole != n {
		p.hoists = append(p.hoists, hoist{whole.i, n.i})
		if first := nth(whole, 0); first.Is("named_expression") {
			p.refuse(first, "`:=` needs parentheses here")
		}
	}
	switch parent.Kind() {
	case "with_item":
		p.target(n.Field("alias"), false)
	case "except_clause", "except_group_clause":
		if alias := n.Field("alias"); !nth(alias, 0).Is("identifier") {
			p.refuse(alias, "an exception is bound to a name")
		}
	case "case_pattern":
	default:
		p.refuse(n, "`as` stands outside of `with`, `except`, `case` and `import`")
	}
}

func (p *pyPass) named(n Node) {
	if p.at.iterable {
		p.refuse(n, "`:=` stands in what a comprehension goes over")
	}
	// The grammar binds `:=` closer than `if`.
	whole := n
	if up := n.Parent(); up.Is("conditional_expression") && up.node().start == n.node().start {
		whole = up
		p.hoists = append(p.hoists, hoist{up.i, n.i})
	}
	switch parent := whole.Parent(); parent.Kind() {
	case "parenthesized_expression", "argument_list", "subscript", "set", "list", "tuple", "if_statement", "elif_clause", "while_statement",
		"list_comprehension", "set_comprehension", "generator_expression", "match_statement", "decorator",
		"interpolation", "format_expression":
	case "if_clause":
		if !parent.Parent().Is("case_clause") {
			p.refuse(n, "`:=` needs parentheses here")
		}
	case "with_item":
		if !p.tupled(parent.Parent()) {
			p.refuse(n, "`:=` needs parentheses here")
		}
	default:
		p.refuse(n, "`:=` needs parentheses here")
	}
}

// tupled reports whether the items of a with clause are those of a tuple, or an
// expression in parentheses: all stand in parentheses, and none is bound to a name.
func (p *pyPass) tupled(clause Node) bool {
	if p.items != clause.i {
		p.items = clause.i
		p.tuple = clause.ChildOf("(").Valid()
		for c := range clause.Children() {
			if c.Is("with_item") && boundItem(c) {
				p.tuple = false
			}
		}
	}
	return p.tuple
}

// boundItem reports whether an item of a with clause is bound to a name.
func boundItem(item Node) bool {
	n := nth(item, 0)
	for n.Is("conditional_expression", "lambda") {
		last := Node{}
		for c := range n.Children() {
			last = c
		}
		n = last
	}
	return n.Is("as_pattern")
}

func (p *pyPass) splat(n Node) {
	// The grammar binds `*` closer than a call, an attribute or an operator.
	whole := n
	for up := n.Parent(); up.node().start == n.node().start && up.Is("attribute", "call", "subscript", "binary_operator", "comparison_operator",
		"boolean_operator", "conditional_expression", "as_pattern", "type", "member_type", "union_type"); up = up.Parent() {
		whole = up
	}
	parent := whole.Parent()
	switch parent.Kind() {
	case "argument_list", "list", "set", "expression_list", "pattern_list", "subscript", "type_parameter", "generic_type", "match_statement",
		"list_comprehension", "set_comprehension", "generator_expression", "except_clause":
		return
	case "expression_statement", "tuple":
		if parent.ChildOf(",").Valid() {
			return
		}
	case "with_item", "print_statement":
		clause := parent.Parent()
		if !whole.Is("comparison_operator", "boolean_operator", "conditional_expression") &&
			(parent.Is("print_statement") || p.tupled(clause) && clause.ChildOf(",").Valid()) {
			return
		}
	case "typed_parameter":
		if nth(parent, 0).Is("list_splat_pattern") {
			return
		}
	}
	p.refuse(n, "an expression with `*` stands in a list of expressions only")
}

func (p *pyPass) constrained(n Node) {
	outer := n.Parent()
	for outer.Is("type") {
		outer = outer.Parent()
	}
	if !outer.Is("type_parameter", "constrained_type") {
		p.refuse(n, "a type has no second `:`")
	}
}

func (p *pyPass) yield(n Node) {
	scope := p.at.scope
	switch {
	case scope == moduleScope || scope == classScope:
		p.refuse(n, "`yield` stands outside of a function")
	case scope == asyncScope && n.ChildOf("from").Valid():
		p.refuse(n, "`yield from` stands inside of an async function")
	}
	if !n.Parent().Is("expression_statement", "assignment", "augmented_assignment", "parenthesized_expression", "interpolation", "format_expression") {
		p.refuse(n, "`yield` needs parentheses here")
	}
}

func (p *pyPass) await(n Node) {
	if p.at.def != asyncScope && !p.at.generator {
		p.refuse(n, "`await` stands outside of an async function")
	}
	if nth(n, 0).Is("unary_operator", "await") {
		p.refuse(nth(n, 0), "`await` is followed by this expression in parentheses only")
	}
}

func (p *pyPass) ret(n Node) {
	if s := p.at.scope; s != defScope && s != asyncScope {
		p.refuse(n, "`return` stands outside of a function")
	}
}

func (p *pyPass) jump(n Node) {
	if !p.at.loop {
		p.refuse(n, "`%s` stands outside of a loop", n.Text())
	}
}

func (p *pyPass) declaration(n Node) {
	if n.Is("nonlocal_statement") && p.at.scope == moduleScope {
		p.refuse(n, "`nonlocal` stands outside of a function")
	}
	p.shared = true
}

func (p *pyPass) print(n Node) {
	if !n.ChildOf("chevron").Valid() { // else an expression, too: print >> f, x
		word := n.at(p.f.first(n.i))
		p.refuse(n, "`%s` is no statement", word.Text())
	}
}

func (p *pyPass) comparison(n Node) {
	if c := n.ChildOf("<>"); c.Valid() {
		p.refuse(c, "`<>` is no operator")
	}
}

// operands checks what stands without parentheses beside and, or, not and if.
func (p *pyPass) operands(n Node) {
	count := len(parts(n))
	for i, c := range parts(n) {
		if n.Is("conditional_expression") && i == count-1 {
			break // the last may be anything
		}
		if c.Is("lambda", "conditional_expression") {
			p.refuse(c, "this expression needs parentheses here")
		}
	}
}

func (p *pyPass) imports(n Node) {
	names := n.Fields("name")
	var last Node
	for c := range n.Children() {
		if part(c) || !c.Named() {
			last = c
		}
	}
	if last.Is(",") {
		p.refuse(last, "a comma ends the names that are imported")
	}
	if n.Is("import_statement") {
		return
	}
	if n.ChildOf("wildcard_import").Valid() && p.at.scope != moduleScope {
		p.refuse(n, "`import *` stands inside of a function or class")
	}
	for _, name := range names {
		if name.Is("aliased_import") {
			name = name.Field("name")
		}
		if name.ChildOf(".").Valid() {
			p.refuse(name, "an imported name has no dot")
		}
		if n.Is("future_import_statement") && !futures[name.Text()] {
			p.refuse(name, "`__future__` has no `%s`", name.Text())
		}
	}
	if n.Is("future_import_statement") && (p.code || n.Parent().i != 0) {
		p.refuse(n, "an import from `__future__` stands after other code")
	}
}

var futures = map[string]bool{
	"nested_scopes": true, "generators": true, "division": true, "absolute_import": true, "with_statement": true, "print_function": true,
	"unicode_literals": true, "barry_as_FLUFL": true, "generator_stop": true, "annotations": true,
}

// prologue notes that the part of a file ends that imports from __future__ may
// stand in.
func (p *pyPass) prologue(n Node) {
	switch {
	case !part(n):
		return
	case n.Is("future_import_statement"):
	case !p.any && n.Is("expression_statement") && nth(n, 0).Is("string", "concatenated_string"): // what documents the module
	default:
		p.code = true
	}
	p.any = true
}

func (p *pyPass) assert(n Node) {
	if c := nth(n, 2); c.Valid() {
		p.refuse(c, "`assert` takes a condition and a message")
	}
}

func (p *pyPass) raise(n Node) {
	if c := n.ChildOf("expression_list"); c.Valid() {
		p.refuse(c, "`raise` takes one exception")
	}
}

func (p *pyPass) try(n Node) {
	var all Node
	for c := range n.Children() {
		if !c.Is("except_clause") {
			continue
		}
		if all.Valid() {
			p.refuse(all, "`except:` without an exception is the last")
			return
		}
		if first := nth(c, 0); first.Is("block") {
			all = c
		}
	}
}

func (p *pyPass) match(n Node) {
	var all Node
	for c := range n.Field("body").Children() {
		if !c.Is("case_clause") {
			continue
		}
		if all.Valid() {
			p.refuse(all, "no case after this one can be reached")
			return
		}
		if c.Field("guard").Valid() || c.ChildOf(",").Valid() {
			continue
		}
		pattern := c.ChildOf("case_pattern")
		for what := range pattern.Children() {
			if what.Is("_") || what.Is("dotted_name") && !what.ChildOf(".").Valid() {
				all = c
			}
		}
	}
}
