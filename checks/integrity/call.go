package integrity

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// eval is the value of an expression.
func (f *frame) eval(n syntax.Node) *term {
	f.run.u().spend(1)
	return f.run.made(f.expr(n), n)
}

// condition is the value of an expression of which only the truth counts.
func (f *frame) condition(n syntax.Node) *term { return f.run.u().condition(f.eval(n)) }

func (f *frame) expr(n syntax.Node) *term {
	u := f.run.u()
	if !n.Valid() {
		return u.none
	}
	switch n.Kind() {
	case "identifier":
		if b, ok := f.lookup(n.Text()); ok {
			return f.value(b)
		}
		return u.sym(canonical(n.Text()))
	case "integer":
		text := strings.ReplaceAll(strings.ToLower(n.Text()), "_", "")
		if v, err := strconv.ParseInt(text, 0, 64); err == nil {
			return u.int(v)
		}
		return u.raw("int", text)
	case "float":
		if v, err := strconv.ParseFloat(strings.ReplaceAll(n.Text(), "_", ""), 64); err == nil {
			return u.float(v)
		}
		return u.raw("other", n.Text())
	case "true":
		return u.yes
	case "false":
		return u.no
	case "none":
		return u.none
	case "string":
		return f.text(n)
	case "concatenated_string":
		out := u.str("")
		for _, c := range n.NamedChildren() {
			out = u.bin("+", out, f.eval(c))
		}
		return out
	case "parenthesized_expression":
		return f.eval(n.NamedChild(0))
	case "attribute":
		return f.attribute(n)
	case "subscript":
		var idx []*term
		for _, s := range n.Fields("subscript") {
			idx = append(idx, f.eval(s))
		}
		key := u.raw("tuple", "", idx...)
		if len(idx) == 1 {
			key = idx[0]
		}
		return u.subscript(f.eval(n.Field("value")), key)
	case "slice":
		return f.slice(n)
	case "call":
		t, _ := f.call(n)
		return t
	case "unary_operator":
		v := f.eval(n.Field("argument"))
		if n.Field("operator").Text() == "-" {
			return negative(u, v)
		}
		return u.raw("un", n.Field("operator").Text(), v)
	case "not_operator":
		return u.not(f.condition(n.Field("argument")))
	case "binary_operator":
		return u.bin(n.Field("operator").Text(), f.eval(n.Field("left")), f.eval(n.Field("right")))
	case "boolean_operator":
		return f.boolean(n)
	case "comparison_operator":
		return f.comparison(n)
	case "conditional_expression":
		return f.conditional(n)
	case "list", "tuple", "set", "expression_list", "pattern_list":
		op := n.Kind()
		if op == "expression_list" || op == "pattern_list" {
			op = "tuple"
		}
		if op == "set" {
			return u.set(f.elements(n))
		}
		return u.raw(op, "", f.elements(n)...)
	case "dictionary":
		return f.dictionary(n)
	case "generator_expression":
		return f.generator(n)
	case "list_comprehension", "set_comprehension", "dictionary_comprehension":
		return f.comprehension(n)
	case "lambda":
		c := &closure{node: n, scope: f.seen(n)}
		return f.fnTerm(c)
	case "named_expression":
		v := f.eval(n.Field("value"))
		owner := f
		for owner.within {
			owner = owner.outer
		}
		owner.set(n.Field("name").Text(), binding{t: v, at: f.where(n.Field("value"))})
		return v
	case "keyword_argument":
		return u.raw("kw", n.Field("name").Text(), f.eval(n.Field("value")))
	case "list_splat":
		return u.raw("star", "", u.keyed(f.eval(n.NamedChild(0))))
	case "dictionary_splat":
		return u.raw("dstar", "", f.eval(n.NamedChild(0)))
	case "ellipsis":
		return u.raw("ellipsis", "")
	case "await", "yield":
		if c := n.NamedChild(0); c.Valid() {
			v := f.eval(c)
			if n.Is("yield") {
				f.returns = append(f.returns, returned{way{cond: u.yes}, v})
			}
			return v
		}
		return u.none
	case "type":
		return f.eval(n.NamedChild(0))
	}
	return u.raw("other", n.Squeeze())
}

// negative is a value with a minus before it.
func negative(u *universe, v *term) *term {
	x, ok := v.number()
	switch {
	case !ok:
		return u.raw("un", "-", v)
	case v.is("int"):
		return u.int(-int64(x))
	}
	return u.float(-x)
}

// text is a string, with its constant parts joined.
func (f *frame) text(n syntax.Node) *term {
	u := f.run.u()
	if !n.ChildOf("interpolation").Valid() {
		if strings.ContainsAny(n.ChildOf("string_start").Text(), "bB") {
			return u.raw("bytes", n.Text())
		}
		text, known := syntax.PyText(n)
		if !known {
			return u.raw("text", n.Text())
		}
		return u.str(text)
	}
	var kids []*term
	add := func(t *term) {
		if last := len(kids) - 1; t.is("str") && last >= 0 && kids[last].is("str") {
			if joined := u.text(kids[last].text, t.text); joined != nil {
				kids[last] = joined
				return
			}
		}
		kids = append(kids, t)
	}
	for c := range n.Children() {
		switch c.Kind() {
		case "string_content":
			if text, known := syntax.PyPart(n, c.Text()); known {
				add(u.str(text))
			} else {
				add(u.raw("text", n.ChildOf("string_start").Text()+c.Text()))
			}
		case "interpolation":
			v := f.eval(c.Field("expression"))
			spec, conversion := c.Field("format_specifier"), c.Field("type_conversion")
			if spec.Valid() || conversion.Valid() || c.ChildOf("=").Valid() {
				v = f.formatted(c, v)
			} else if t := convert(u, "str", v); t != nil {
				v = t
			}
			add(v)
		}
	}
	if len(kids) == 1 && kids[0].is("str") {
		return kids[0]
	}
	return u.raw("fstr", "", kids...)
}

// formatted is a value that an interpolation formats: with the source of the value only
// where that is written, too.
func (f *frame) formatted(n syntax.Node, v *term) *term {
	parts, text := []*term{v}, ""
	if equal := n.ChildOf("="); equal.Valid() {
		text = strings.TrimPrefix(string(n.File().Src[n.Span().Start:equal.Span().End]), "{")
	}
	text += n.Field("type_conversion").Text()
	spec := n.Field("format_specifier")
	from := spec.Span().Start
	for _, inner := range spec.Find("format_expression") {
		value := inner.NamedChild(0)
		parts = append(parts, f.eval(value))
		text += string(n.File().Src[from:value.Span().Start])
		from = value.Span().End
	}
	text += string(n.File().Src[from:spec.Span().End])
	return f.run.u().raw("format", text, parts...)
}

func (f *frame) slice(n syntax.Node) *term {
	u := f.run.u()
	parts := [3]*term{u.none, u.none, u.none}
	i := 0
	for c := range n.Children() {
		switch {
		case c.Kind() == ":":
			i++
		case c.Named() && !c.IsComment() && i < 3:
			parts[i] = f.eval(c)
		}
	}
	return u.raw("slice", "", parts[:]...)
}

func (f *frame) elements(n syntax.Node) []*term {
	var out []*term
	for _, c := range n.NamedChildren() {
		t := f.eval(c)
		if t.is("star") && t.kids[0].is("list", "tuple") && len(out)+len(t.kids[0].kids) <= maxElements {
			f.run.u().spend(len(t.kids[0].kids) / 8)
			out = append(out, t.kids[0].kids...)
			continue
		}
		out = append(out, t)
	}
	return out
}

func (f *frame) dictionary(n syntax.Node) *term {
	var kids []*term
	for _, c := range n.NamedChildren() {
		if c.Is("pair") {
			p := f.run.u().raw("pair", "", f.eval(c.Field("key")), f.eval(c.Field("value")))
			kids = append(kids, f.run.made(p, f.where(c.Field("value"))))
			continue
		}
		kids = append(kids, f.eval(c))
	}
	return f.run.u().dict(kids)
}

func (f *frame) boolean(n syntax.Node) *term {
	u := f.run.u()
	and := n.Field("operator").Text() == "and"
	left := f.eval(n.Field("left"))
	if v, known := left.truth(); known {
		if v == and {
			return f.eval(n.Field("right"))
		}
		return left
	}
	cond := u.condition(left)
	if !and {
		cond = u.not(cond)
	}
	right, _ := f.either(n, cond, func() *term { return f.eval(n.Field("right")) }, func() *term { return left })
	// A value that is no condition is one of two that are chosen from.
	_, known := right.truth()
	chosen := known && !right.is("bool") || right.is("list", "dict", "tuple", "set")
	switch {
	case and && chosen:
		return u.ite(left, right, left)
	case and:
		return u.and(left, right)
	case chosen:
		return u.ite(left, left, right)
	}
	return u.or(left, right)
}

func (f *frame) comparison(n syntax.Node) *term {
	u := f.run.u()
	var parts []*term
	var left *term
	var op []string
	for c := range n.Children() {
		if c.IsComment() {
			continue
		}
		if !c.Named() || c.Is("is not", "not in") {
			op = append(op, c.Text())
			continue
		}
		right := f.eval(c)
		if left != nil {
			parts = append(parts, u.cmp(strings.Join(strings.Fields(strings.Join(op, " ")), " "), left, right))
		}
		left, op = right, nil
	}
	return u.and(parts...)
}

func (f *frame) conditional(n syntax.Node) *term {
	parts := n.NamedChildren()
	if len(parts) != 3 {
		return f.run.u().raw("other", n.Squeeze())
	}
	cond := f.condition(parts[1])
	if v, known := cond.truth(); known {
		if v {
			return f.eval(parts[0])
		}
		return f.eval(parts[2])
	}
	a, b := f.either(n, cond, func() *term { return f.eval(parts[0]) }, func() *term { return f.eval(parts[2]) })
	return f.run.u().ite(cond, a, b)
}

// generator is a comprehension that runs only when something takes its values:
// the call or loop that it is written in. What it does by itself never happens.
func (f *frame) generator(n syntax.Node) *term {
	recorded := len(f.run.events)
	t := f.comprehension(n)
	if up := n.Parent(); !up.Is("call", "argument_list", "for_statement", "list_splat", "for_in_clause") {
		f.run.events = f.run.events[:recorded]
	}
	return t
}

// comprehension writes a comprehension out where its iterables are known.
func (f *frame) comprehension(n syntax.Node) *term {
	u := f.run.u()
	op := map[string]string{"set_comprehension": "set", "dictionary_comprehension": "dict"}[n.Kind()]
	if op == "" {
		op = "list"
	}
	body := n.Field("body")
	var clauses []syntax.Node
	for c := range n.Children() {
		if c.Is("for_in_clause", "if_clause") {
			clauses = append(clauses, c)
		}
	}
	inner := &frame{run: f.run, vars: map[string]binding{}, outer: f, mark: f.mark, within: true}
	if f.class != nil && f.class.frame == f {
		// A comprehension in a class body sees the class's names here, which is
		// more than Python allows and changes no test that runs.
		inner.vars = f.copyVars()
	}
	var out []*term
	var symbolic []*term
	var visit func(i int, conds []*term) bool
	visit = func(i int, conds []*term) bool {
		if i == len(clauses) {
			var t *term
			if body.Is("pair") {
				t = u.raw("pair", "", inner.eval(body.Field("key")), inner.eval(body.Field("value")))
			} else {
				t = inner.eval(body)
			}
			if len(conds) > 0 {
				t = u.opt(u.and(conds...), t)
			}
			out = append(out, t)
			return len(out) <= maxElements
		}
		c := clauses[i]
		if c.Is("if_clause") {
			cond := inner.condition(c.NamedChild(0))
			if v, known := cond.truth(); known {
				if !v {
					return true
				}
				return visit(i+1, conds)
			}
			return visit(i+1, append(slices.Clip(conds), cond))
		}
		iter := u.keyed(inner.eval(c.Field("right")))
		unordered := iter.is("set") && len(iter.kids) > 1 && op != "set"
		if !iter.is("list", "tuple", "set") || unordered || slices.ContainsFunc(iter.kids, func(k *term) bool { return k.is("star") }) {
			symbolic = append(symbolic, iter)
			inner.assign(c.Field("left"), u.raw("elem", "", iter), c.Field("right"))
			return visit(i+1, conds)
		}
		for _, item := range iter.kids {
			more := conds
			if item.is("opt") {
				more = append(slices.Clip(conds), item.kids[0])
				item = item.kids[1]
			}
			inner.assign(c.Field("left"), item, c.Field("right"))
			if !visit(i+1, more) {
				return false
			}
		}
		return true
	}
	whole := visit(0, nil)
	if inner.captured {
		f.run.closed = append(f.run.closed, inner)
	}
	switch {
	case !whole:
		return u.unknown() // what follows the elements that were looked at may be anything
	case len(symbolic) > 0:
		return u.raw("comp", op, slices.Concat(symbolic, out)...)
	case op == "dict":
		return u.dict(out)
	case op == "set":
		return u.set(out)
	}
	return u.raw(op, "", out...)
}

func mapTerms(list []*term, change func(*term) *term) []*term {
	out := make([]*term, len(list))
	for i, t := range list {
		out[i] = change(t)
	}
	return out
}

// attribute is object.name, with what the file's classes define.
func (f *frame) attribute(n syntax.Node) *term {
	b, t := f.member(n)
	if t != nil {
		return t
	}
	return f.value(b)
}

// member is an attribute's binding when a class of the file has it, else its
// term.
func (f *frame) member(n syntax.Node) (binding, *term) {
	u := f.run.u()
	object := n.Field("object")
	name := n.Field("attribute").Text()
	if b, t, ok := f.inherited(object, name); ok {
		return b, t
	}
	t := f.eval(object)
	if v := f.run.s.fieldValue(t, name); v != nil {
		return binding{}, v
	}
	c := f.classOf(t)
	stored := u.storedIn(t, name, func() *term {
		if c != nil {
			if b, ok := f.run.s.inClass(c, name); ok {
				return f.value(b)
			}
		}
		return u.attr(plainObject(t), name)
	})
	switch {
	case stored != nil && isCheck(name):
		t = plainObject(t) // a check that was replaced is told of where that was done
	case stored != nil:
		return binding{}, stored
	}
	if c != nil {
		if b, ok := f.run.s.inClass(c, name); ok {
			if b.fn != nil && b.t == nil {
				fn := *b.fn
				fn.bound = !t.is("class") && !decorated(fn.node, "staticmethod") || decorated(fn.node, "classmethod")
				fn.self = c
				return binding{at: b.at, fn: &fn}, nil
			}
			return b, f.value(b)
		}
	}
	return binding{}, u.attr(t, name)
}

func decorated(def syntax.Node, name string) bool {
	return slices.ContainsFunc(syntax.PyDecorators(def), func(d syntax.Node) bool { return syntax.PyName(d) == name })
}

// callee is what a call calls: a function of the file, or a term.
func (f *frame) callee(n syntax.Node) (*closure, *term) {
	switch n.Kind() {
	case "identifier":
		if b, ok := f.lookup(n.Text()); ok && b.fn != nil && b.t == nil {
			return b.fn, nil
		}
	case "attribute":
		b, t := f.member(n)
		if b.fn != nil && t == nil {
			return b.fn, nil
		}
		if t != nil {
			return f.functionOf(t), t
		}
	}
	t := f.eval(n)
	return f.functionOf(t), t
}

// argument is one argument of a call and where it stands.
type argument struct {
	t  *term
	at syntax.Node
}

func (f *frame) arguments(call syntax.Node) []argument {
	list := call.Field("arguments")
	if list.Is("generator_expression") {
		return []argument{{f.eval(list), list}}
	}
	var out []argument
	for _, a := range list.NamedChildren() {
		t := f.eval(a)
		at := a
		if a.Is("keyword_argument") {
			at = f.where(a.Field("value"))
		} else {
			at = f.where(a)
		}
		switch {
		case t.is("star") && t.kids[0].is("list", "tuple") && t.kids[0].concrete():
			for _, k := range t.kids[0].kids {
				out = append(out, argument{k, at})
			}
		case t.is("dstar") && t.kids[0].is("dict") && len(t.kids[0].pairs()) == len(t.kids[0].kids):
			for _, p := range t.kids[0].kids {
				where := at
				if o := f.run.s.origin[p]; o.Valid() {
					where = o
				}
				out = append(out, argument{f.run.u().raw("kw", p.kids[0].text, p.kids[1]), where})
			}
		default:
			out = append(out, argument{t, at})
		}
	}
	return out
}

// call evaluates a call. entered says that a function of the file was entered,
// so that what it did is recorded.
func (f *frame) call(n syntax.Node) (t *term, entered bool) {
	fn, callee := f.callee(n.Field("function"))
	return f.invoke(n, fn, callee, f.arguments(n))
}

// invoke is a call of what was evaluated; n is where it is written.
func (f *frame) invoke(n syntax.Node, fn *closure, callee *term, args []argument) (t *term, entered bool) {
	u := f.run.u()
	for callee != nil && callee.is("partial") {
		// partial(g, a)(b) is g(a, b); what is named twice has the later value.
		var all []argument
		for _, k := range callee.kids[1:] {
			all = append(all, argument{k, n})
		}
		args, callee = append(all, args...), callee.kids[0]
		slices.SortStableFunc(args, func(a, b argument) int {
			return map[bool]int{true: 1}[a.t.is("kw")] - map[bool]int{true: 1}[b.t.is("kw")]
		})
		fn = f.functionOf(callee)
	}
	if fn != nil && f.mayEnter(fn) {
		if v, ok := f.enterCall(fn, args); ok {
			return v, true
		}
	}
	if callee == nil {
		callee = f.fnTermOrName(fn)
	}
	kids := make([]*term, len(args))
	for i, a := range args {
		kids[i] = f.run.latest(a.t)
	}
	kids = iterated(u, callee, kids)
	if v := builtin(u, callee, kids); v != nil {
		return v, false
	}
	if callee.is("sym") && callee.text == "filter" && len(kids) == 2 {
		if t := f.filtered(kids[0], kids[1], n); t != nil {
			return t, false
		}
	}
	if callee.is("sym") && callee.text == "map" && len(kids) == 2 && consumed(n) {
		if t := f.mapped(kids[0], kids[1], n); t != nil {
			return t, false
		}
	}
	name := callee.last()
	if name == "partial" && callee.is("sym") && len(kids) > 0 && !kids[0].is("kw") && !slices.ContainsFunc(kids, func(k *term) bool { return k.is("star", "dstar") }) {
		return f.run.made(u.raw("partial", "", kids...), n), false
	}
	if isMeasure(name) {
		kids = mapTerms(kids, func(k *term) *term { return f.run.s.idle(f.thunk(k)) })
	}
	callee, kids = asMethod(u, callee, kids)
	kids = f.run.s.normalArgs(callee, f.run.s.torchArgs(callee, kids))
	if v := f.run.s.namedTupleOf(callee, kids); v != nil {
		return f.run.made(v, n), false
	}
	t = u.raw("call", "", append([]*term{callee}, kids...)...)
	if isRandom(name) {
		count := f.run.fresh[t]
		f.run.fresh[t]++
		if count > 0 {
			t = u.raw("fresh", strconv.Itoa(count), t)
		}
	}
	f.run.made(t, n)
	if callee.is("attr") && callee.kids[0].is("list") && changesList[name] && n.Field("function").Field("object").Is("identifier") && !n.Parent().Is("expression_statement") {
		// As a part of an expression, which may not be evaluated.
		f.mutated(n.Field("function").Field("object").Text(), u.raw("mut", name, t), n)
	}
	f.changes(n, callee, name, kids)
	recorded := len(f.run.events)
	f.significant(n, t, callee, name, kids)
	for i := range f.run.events[recorded:] {
		f.run.events[recorded+i].places = f.run.s.places(name, args)
	}
	return t, false
}

// filtered is filter(chosen, list), each element under its condition; nil where
// they cannot be told.
func (f *frame) filtered(chosen, list *term, at syntax.Node) *term {
	u := f.run.u()
	name := chosen.last()
	if !list.is("list", "tuple") || list.has("star") || isRandom(name) || isCheck(name) || isMeasure(name) || isSetup(name) {
		return nil
	}
	var out []*term
	for _, item := range list.kids {
		there := u.yes
		if item.is("opt") {
			there, item = item.kids[0], item.kids[1]
		}
		cond := item
		if !chosen.is("none") {
			if cond = f.applied(chosen, item, at); cond == nil {
				return nil
			}
		}
		if v, known := cond.truth(); !known || v {
			out = append(out, u.opt(u.and(there, cond), item))
		}
	}
	return u.raw("list", "", out...)
}

// consumed reports whether what goes through elements takes them at once.
func consumed(n syntax.Node) bool {
	up := n.Parent()
	return up.Is("argument_list", "for_statement", "list_splat", "for_in_clause") || up.Is("assignment") && up.Field("left").Is("pattern_list", "tuple_pattern", "list_pattern")
}

// mapped is map(fn, list); nil where the values cannot be told.
func (f *frame) mapped(fn, list *term, at syntax.Node) *term {
	u := f.run.u()
	name := fn.last()
	if !list.is("list", "tuple") || list.has("star") || list.has("opt") || len(list.kids) > maxUnroll || isRandom(name) || isCheck(name) || isMeasure(name) || isSetup(name) {
		return nil
	}
	var out []*term
	for _, item := range list.kids {
		v := f.applied(fn, item, at)
		if v == nil {
			return nil
		}
		out = append(out, v)
	}
	return u.raw("list", "", out...)
}

// applied is a function's value for one argument, or nil.
func (f *frame) applied(fn, arg *term, at syntax.Node) *term {
	u := f.run.u()
	if c := f.run.s.closures[fn]; c != nil && f.mayEnter(c) {
		if v, ok := f.enterCall(c, []argument{{arg, at}}); ok {
			return v
		}
		return nil
	}
	if v := builtin(u, fn, iterated(u, fn, []*term{arg})); v != nil {
		return v
	}
	if !fn.is("sym", "attr", "fn") {
		return nil
	}
	return u.raw("call", "", append([]*term{fn}, f.run.s.normalArgs(fn, []*term{arg})...)...)
}

// changesList are the methods that change a list in place.
var changesList = map[string]bool{"append": true, "extend": true, "insert": true, "remove": true, "pop": true, "clear": true, "sort": true, "reverse": true}

// thunk is a function without arguments that partial makes, as a lambda would.
func (f *frame) thunk(t *term) *term {
	u := f.run.u()
	switch {
	case t.is("kw"):
		return u.raw("kw", t.text, f.thunk(t.kids[0]))
	case t.is("ite"):
		u.spend(1)
		return u.ite(t.kids[0], f.thunk(t.kids[1]), f.thunk(t.kids[2]))
	}
	at := f.run.s.origin[t]
	if !t.is("partial") || !at.Valid() || f.run.depth >= maxInline {
		return t
	}
	r := &run{s: f.run.s, fresh: map[*term]int{}, ended: -1, depth: f.run.depth + 1, active: f.run.active}
	inner := &frame{run: r, vars: map[string]binding{}}
	v, _ := inner.invoke(at, nil, t, nil)
	return f.run.made(u.raw("fn", "", slices.Concat(mapEvents(u, r.events), r.alteredModule(), []*term{v})...), at)
}

// idle marks the functions among the values of a term that compute nothing but
// return what was computed before.
func (s *side) idle(t *term) *term {
	if t.is("ite") {
		s.u.spend(1)
		return s.u.ite(t.kids[0], s.idle(t.kids[1]), s.idle(t.kids[2]))
	}
	fn := s.closures[t]
	if fn != nil {
		s.u.read(fn.node)
	}
	if fn == nil || len(fn.node.Field("body").Find("call", "binary_operator", "unary_operator", "subscript", "attribute", "await", "augmented_assignment")) > 0 {
		return t
	}
	return s.u.raw("idle", "", t)
}

// inPlace reports whether a call of this name changes a tensor: PyTorch's
// methods and functions that end with an underscore.
func inPlace(name string) bool {
	return strings.HasSuffix(name, "_") && !strings.HasSuffix(name, "__") && name != "requires_grad_"
}

// operatorsInPlace are the functions of Python's operator module that change their
// first argument.
var operatorsInPlace = map[string]bool{"iadd": true, "isub": true, "imul": true, "itruediv": true, "ifloordiv": true, "imod": true, "ipow": true, "iand": true, "ior": true, "ixor": true}

// changes gives the names whose tensors a call changes another value: of the
// object or first argument of a call that works in place, and of out=.
func (f *frame) changes(call syntax.Node, callee *term, name string, kids []*term) {
	var targets []syntax.Node
	if fn := call.Field("function"); inPlace(name) && callee.is("attr") && fn.Is("attribute") {
		targets = append(targets, fn.Field("object"))
	} else if callee.is("sym") && strings.HasPrefix(callee.text, "operator.i") && operatorsInPlace[name] {
		targets = append(targets, syntax.PyArg(call, "", 0))
	} else if inPlace(name) && callee.is("sym") {
		targets = append(targets, syntax.PyArg(call, "input", 0))
	}
	targets = append(targets, syntax.PyArg(call, "out", -1))
	for _, target := range targets {
		f.overwrite(target, call, func(old *term) *term { return f.run.u().raw("mut", name, append([]*term{old}, kids...)...) })
	}
}

// overwrite gives the tensor that an expression shows a new value, under each
// name that it has here.
func (f *frame) overwrite(target, at syntax.Node, change func(old *term) *term) {
	whole := target
	target = tensorOf(target)
	if !target.Is("identifier") {
		return
	}
	u := f.run.u()
	old := f.eval(target)
	switch {
	case object(old):
		// What is changed is an attribute of the object.
		if target == whole || !target.Parent().Is("attribute") {
			return
		}
		target = target.Parent()
		held := f.eval(target)
		f.share(held, syntax.Node{}, at, change)
		f.assign(target, f.run.made(change(f.eval(target)), at), at)
		return
	case f.foreign(old), old.is("none"):
		return
	case old.is("list", "tuple", "dict"):
		for n := target; n != whole; {
			n = n.Parent()
			switch v := f.eval(n); {
			case v.is("list", "tuple", "dict"):
				continue
			case v.is("index", "attr") && v.kids[0].is("list", "tuple", "dict"):
				// It is not known which of the elements.
				for _, e := range elements(v.kids[0]) {
					f.share(e, syntax.Node{}, at, func(t *term) *term { return u.raw("maybe", "", t, change(t)) })
				}
			case !f.foreign(v):
				f.share(v, syntax.Node{}, at, change)
			}
			return
		}
	}
	b, _ := f.lookup(target.Text())
	f.share(old, b.at, at, change)
	f.rebind(target.Text(), f.run.made(change(old), at), at)
}

// elements are the values in a sequence or dictionary.
func elements(t *term) []*term {
	var out []*term
	for _, k := range t.kids {
		if k.is("pair", "opt") {
			k = k.kids[1]
		}
		if !k.constant && !k.is("none", "star", "dstar") && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// replaced is a sequence or dictionary in which a value is another, at any depth of
// sequences.
func (u *universe) replaced(t, old, with *term, memo map[*term]*term) *term {
	if t == old {
		return with
	}
	if !t.is("list", "tuple", "set", "dict", "pair", "opt", "star") && !(t.is("store") && t.text == "[]") || t.constant {
		return t
	}
	if known := memo[t]; known != nil {
		return known
	}
	u.spend(1 + len(t.kids)/8)
	list := t.kids
	if pairs := u.orders[t]; t.is("dict") && len(pairs) == len(t.kids) {
		list = pairs
	}
	kids := mapTerms(list, func(k *term) *term { return u.replaced(k, old, with, memo) })
	out := t
	switch {
	case slices.Equal(kids, list):
	case t.is("dict"):
		out = u.dict(kids)
	case t.is("set"):
		out = u.set(kids)
	default:
		out = u.raw(t.op, t.text, kids...)
	}
	memo[t] = out
	return out
}

// views are methods whose result shares the memory of what they are called on.
var views = map[string]bool{
	"detach": true, "view": true, "view_as": true, "reshape": true, "flatten": true, "squeeze": true, "unsqueeze": true, "t": true,
	"transpose": true, "permute": true, "narrow": true, "select": true, "as_strided": true, "expand": true, "unflatten": true,
	"unbind": true, "chunk": true, "split": true, "tensor_split": true, "unfold": true, "movedim": true, "swapaxes": true,
	"requires_grad_": true, "detach_": true,
}

// sharing are functions whose result shares the memory of their argument.
var sharing = map[string]bool{"torch.from_dlpack": true, "torch.utils.dlpack.from_dlpack": true, "torch.as_tensor": true, "torch.asarray": true}

// tensorOf is what an expression for a part or a view of a tensor starts with.
func tensorOf(n syntax.Node) syntax.Node {
	for {
		switch {
		case n.Is("attribute", "subscript", "parenthesized_expression"):
			n = n.NamedChild(0)
		case n.Is("call") && n.Field("function").Is("attribute") && views[syntax.PyName(n.Field("function"))]:
			n = n.Field("function")
		case n.Is("call") && sharing[syntax.PyDotted(n.Field("function"))]:
			n = syntax.PyArg(n, "", 0)
		default:
			return n
		}
	}
}

// viewOf is what a term is a part or a view of, or nil.
func viewOf(t *term) *term {
	switch {
	case t.is("attr") && (t.text == "data" || t.text == "T" || t.text == "mT"), t.is("index", "elem", "item"):
		return t.kids[0]
	case t.is("call") && t.kids[0].is("attr") && views[t.kids[0].text]:
		return t.kids[0].kids[0]
	case t.is("call") && t.kids[0].is("sym") && sharing[t.kids[0].text] && len(t.kids) > 1:
		return t.kids[1]
	}
	return nil
}

// viewed is the tensor that a term is a part or a view of.
func viewed(t *term) *term {
	var passed []*term
	for t.whole == nil {
		v := viewOf(t)
		if v == nil {
			t.whole = t
			break
		}
		passed = append(passed, t)
		t = v
	}
	for _, p := range passed {
		p.whole = t.whole
	}
	return t.whole
}

// tensor reports whether a term surely is a tensor, which an augmented assignment
// changes for all who hold it.
func tensor(t *term) bool {
	for ; t != nil; t = viewOf(t) {
		switch {
		case t.is("fresh", "mut"), t.is("attr") && (t.text == "data" || t.text == "grad"):
			return true
		case t.is("call") && t.kids[0].is("attr") && views[t.kids[0].text]:
			return true
		case t.is("call") && t.kids[0].is("sym") && (sharing[t.kids[0].text] || takesSizes[strings.TrimSuffix(t.kids[0].last(), "_like")] && strings.HasPrefix(t.kids[0].text, "torch.")):
			return true
		}
	}
	return false
}

// single reports whether a term is one object, wherever it occurs: what a random
// generator draws, a parameter, and their parts.
func single(t *term) bool {
	t = viewed(t)
	if t.one == 0 {
		t.one = 1
		if isSingle(t) {
			t.one = 2
		}
	}
	return t.one == 2
}

// isSingle is what single remembers.
func isSingle(t *term) bool {
	switch t.op {
	case "param", "arg", "fresh":
		return true
	case "sym", "ite":
		return object(t)
	case "mut", "loop", "store":
		return single(t.kids[0])
	case "call":
		return isRandom(t.kids[0].last())
	}
	return false
}

// share gives the other names of an object that is changed in place, of what it is a
// view of, and of the sequences that hold it, their new values: here, in the functions
// that called and in the module. at is where it is changed, held where the object was
// got: two equal terms may be two objects. Without held it is one of those that are
// equal, and it is not known which.
func (f *frame) share(old *term, held, at syntax.Node, change func(*term) *term) {
	if whole := viewed(old); whole.constant || whole.is("none") || f.foreign(whole) {
		return
	}
	u := f.run.u()
	frames := []*frame{}
	for _, g := range slices.Concat([]*frame{f}, f.run.callers, f.run.closed) {
		for ; g != nil; g = g.outer {
			u.spend(1 + len(frames)/8)
			if !slices.Contains(frames, g) {
				frames = append(frames, g)
			}
		}
	}
	for t := old; t != nil; t = viewOf(t) {
		next, memo := (*term)(nil), map[*term]*term{}
		for _, g := range frames {
			u.spend(len(g.vars)/2 + 1)
			var names []string
			for name, b := range g.vars {
				if b.t != nil && (b.t == t || b.t.is("list", "tuple", "set", "dict", "store")) {
					names = append(names, name)
				}
			}
			slices.Sort(names)
			for _, name := range names {
				b := g.vars[name]
				if next == nil {
					next = f.run.made(change(t), at)
				}
				is := binding{t: next, at: at}
				switch {
				case b.t != t:
					if is.t = u.replaced(b.t, t, next, memo); is.t == b.t {
						continue
					}
					is.at = b.at
				case t != old || single(t) || held.Valid() && b.at == held:
				case held.Valid():
					continue
				default:
					is.t = f.run.made(u.raw("maybe", "", t, next), at)
				}
				if g != f {
					f.run.alter(slot{g, name}, is)
				} else {
					f.set(name, is)
				}
			}
		}
	}
}

// places are where the arguments of a call were written, by name.
func (s *side) places(name string, args []argument) map[string]syntax.Node {
	out := map[string]syntax.Node{}
	sg := s.signature(name)
	for i, a := range args {
		switch {
		case a.t.is("kw"):
			out[a.t.text] = a.at
		case sg != nil && i < len(sg.params):
			out[sg.params[i]] = a.at
		}
	}
	return out
}

// significant records the calls that skip, check, measure or set something up.
func (f *frame) significant(n syntax.Node, t, callee *term, name string, kids []*term) {
	r := f.run
	switch {
	case callee.is("sym") && strings.HasPrefix(callee.text, "pytest.mark."):
		// A mark does nothing until a test carries it.
	case name == "skip" && isPytest(callee), name == "skipTest", name == "xfail" && isPytest(callee), name == "exit" && isPytest(callee):
		r.skip(callee, n, reason(kids))
	case name == "importorskip" && isPytest(callee):
		done := r.push(onCond, r.u().raw("missing", "", kids...), n)
		r.skip(callee, n, "")
		done()
	case callee.is("sym") && endsProcess[callee.text]:
		r.skip(callee, n, "the process ends")
	case name == "applymarker", name == "add_marker":
		r.mark(t, kids, n)
	case name == "fail" && isPytest(callee):
		r.fail(n)
		r.ended = len(r.guards)
	case isCheck(name):
		for _, part := range pairwise(r.u(), t) {
			r.record(checked, part, n, "")
		}
	case isMeasure(name):
		r.record(measured, t, n, "")
	case isSetup(name), isEnvironment(callee):
		r.record(effected, t, n, "")
	}
}

// pairwise is a comparison of two sequences as those of their elements, as PyTorch
// makes them.
func pairwise(u *universe, t *term) []*term {
	if !t.is("call") || !t.kids[0].is("sym") || !strings.HasSuffix(t.kids[0].text, "testing.assert_close") {
		return []*term{t}
	}
	of := func(name string) int {
		return slices.IndexFunc(t.kids, func(k *term) bool { return k.is("kw") && k.text == name })
	}
	i, j := of("actual"), of("expected")
	if i < 0 || j < 0 {
		return []*term{t}
	}
	got, want := valuesOf(u, t.kids[i].kids[0], t.kids[j].kids[0]), t.kids[j].kids[0]
	want = valuesOf(u, want, t.kids[i].kids[0])
	if !got.is("list", "tuple") || !want.is("list", "tuple") || !got.concrete() || !want.concrete() || len(got.kids) != len(want.kids) || len(got.kids) == 0 || len(got.kids) > maxUnroll {
		return []*term{t}
	}
	var out []*term
	for k := range got.kids {
		u.spend(len(t.kids))
		kids := slices.Clone(t.kids)
		kids[i], kids[j] = u.raw("kw", "actual", got.kids[k]), u.raw("kw", "expected", want.kids[k])
		out = append(out, pairwise(u, u.raw("call", "", kids...))...)
	}
	return out
}

// valuesOf are the values of a dictionary whose keys are those of another, in the order of
// the keys, and any other term as it is.
func valuesOf(u *universe, d, other *term) *term {
	if !d.is("dict") || !other.is("dict") || !d.concrete() || !other.concrete() {
		return d
	}
	same := slices.EqualFunc(d.kids, other.kids, func(a, b *term) bool { return a.kids[0] == b.kids[0] && a.kids[0].is("str") })
	if !same {
		return d
	}
	return u.raw("list", "", mapTerms(d.kids, func(p *term) *term { return p.kids[1] })...)
}

// endsProcess are calls after which no test runs and none fails.
var endsProcess = map[string]bool{"os._exit": true, "os.abort": true, "os.execv": true, "os.kill": true}

// mark is a skip or an expected failure that a test gives itself while it
// runs; a mark that cannot be read may be one.
func (r *run) mark(t *term, kids []*term, n syntax.Node) {
	if len(kids) == 0 {
		return
	}
	callee, args := kids[0], []*term(nil)
	if callee.is("call") {
		callee, args = callee.kids[0], callee.kids[1:]
	}
	if callee.is("str") {
		callee = r.u().raw("sym", "pytest.mark."+callee.text)
	}
	m, ok := r.s.mark(callee, args, n, t)
	switch {
	case ok && m.kind == xfailed:
		r.record(xfailed, t, n, m.text)
	case ok:
		r.record(skipped, t, n, m.text)
	case !callee.is("sym") || !strings.HasPrefix(callee.text, "pytest.mark."):
		r.record(xfailed, t, n, "a mark that cannot be read")
	}
}

// namespace reports whether a term is a module or the names of one, got by a
// call.
func namespace(t *term) bool {
	if !t.is("call") || !t.kids[0].is("sym") {
		return false
	}
	switch t.kids[0].text {
	case "vars", "globals", "sys.modules.get", "importlib.import_module", "importlib.reload", "__import__":
		return true
	}
	return false
}

// isEnvironment reports whether a call changes the environment, or the names of
// a module as a dictionary.
func isEnvironment(callee *term) bool {
	switch object, name, _ := cutLast(callee); name {
	case "setdefault", "update", "pop", "popitem", "clear", "__setitem__", "__delitem__", "__setattr__", "__delattr__":
		if object != "" && strings.HasSuffix(object, "__dict__") || callee.is("attr") && namespace(callee.kids[0]) {
			return true
		}
	}
	if !callee.is("sym") {
		return false
	}
	switch name := strings.TrimPrefix(callee.text, "os.environ."); name {
	case "setdefault", "update", "pop", "popitem", "clear":
		return name != callee.text
	}
	return false
}

// cutLast splits the name of a callee at its last dot; object is "" where a
// term that is no name has the attribute.
func cutLast(callee *term) (object, name string, ok bool) {
	if callee.is("attr") {
		if callee.kids[0].is("sym", "attr") {
			object = callee.kids[0].text
		}
		return object, callee.text, true
	}
	if i := strings.LastIndexByte(callee.text, '.'); callee.is("sym") && i >= 0 {
		return callee.text[:i], callee.text[i+1:], true
	}
	return "", callee.text, false
}

func isPytest(callee *term) bool {
	return callee.is("sym") && (strings.HasPrefix(callee.text, "pytest.") || strings.HasPrefix(callee.text, "_pytest."))
}

// reason is the text of a skip.
func reason(args []*term) string {
	for _, a := range args {
		switch {
		case a.is("kw") && (a.text == "reason" || a.text == "msg"):
			return plain(a.kids[0])
		case !a.is("kw", "star", "dstar"):
			return plain(a)
		}
	}
	return ""
}

// plain is a text with its variable parts as an ellipsis.
func plain(t *term) string {
	switch t.op {
	case "str":
		return t.text
	case "fstr":
		var b strings.Builder
		for _, k := range t.kids {
			b.WriteString(plain(k))
		}
		return b.String()
	case "bin":
		return plain(t.kids[0]) + plain(t.kids[1])
	}
	return "…"
}

func (f *frame) mayEnter(c *closure) bool {
	s := f.run.s
	if f.run.depth >= maxInline || slices.Contains(f.run.active, c.node) {
		return false
	}
	if s.yields(c.node) {
		return false
	}
	if s.opaque && c.node.Is("function_definition") && host(c.node) {
		return s.enter[c.node.Field("name").Text()]
	}
	return true
}

// yields reports whether a function is a generator.
func (s *side) yields(def syntax.Node) bool {
	v, ok := s.generators[def]
	if !ok {
		v = len(def.Find("yield")) > 0
		s.generators[def] = v
	}
	return v
}

// host reports whether a function stands at the top of its file or class.
func host(def syntax.Node) bool {
	return !def.Ancestor("function_definition", "lambda").Valid()
}

// fnTermOrName is a function's name where files are compared function by
// function, else what it does.
func (f *frame) fnTermOrName(c *closure) *term {
	if f.run.s.opaque && c.node.Is("function_definition") && host(c.node) {
		return f.run.u().raw("sym", c.node.Field("name").Text())
	}
	return f.fnTerm(c)
}

// enterCall evaluates the body of a function for its arguments; ok is false
// when they do not fit, or too many functions are entered within each other.
func (f *frame) enterCall(c *closure, args []argument) (v *term, ok bool) {
	r := f.run
	if !r.u().nest() {
		return nil, false
	}
	defer r.u().unnest()
	inner := &frame{run: r, vars: map[string]binding{}, outer: c.scope, mark: len(r.guards), entered: len(r.altered)}
	if !f.bind(inner, c, args) {
		return nil, false
	}
	if c.class != nil {
		// Methods see self's class through a frame of their own.
		inner.outer = &frame{run: r, vars: map[string]binding{}, outer: outside(c.scope), class: c.class, self: c.self}
	}
	r.depth++
	r.active = append(r.active, c.node)
	r.callers = append(r.callers, f)
	exits := len(r.exits)
	body := c.node.Field("body")
	if c.node.Is("lambda") {
		v = inner.eval(body)
	} else {
		if inner.block(body) == goesOn {
			inner.returned(r.u().none, c.node)
		}
		v = inner.result()
		r.meet(inner.ways(), inner.entered, false, nil)
	}
	r.exits = append(r.exits[:exits:exits], slices.DeleteFunc(slices.Clone(r.exits[exits:]), func(e exit) bool { return e.kind != onSkip })...)
	r.active = r.active[:len(r.active)-1]
	r.callers = r.callers[:len(r.callers)-1]
	r.depth--
	if inner.captured {
		r.closed = append(r.closed, inner)
	}
	return v, true
}

// outside is the scope around a class body.
func outside(f *frame) *frame {
	if f != nil && f.class != nil && f.class.frame == f {
		return f.outer
	}
	return f
}

// bind gives a function's parameters their values.
func (f *frame) bind(inner *frame, c *closure, args []argument) bool {
	u := f.run.u()
	var positional []argument
	named := map[string]argument{}
	for _, a := range args {
		switch {
		case a.t.is("star", "dstar"):
			return false
		case a.t.is("kw"):
			named[a.t.text] = argument{a.t.kids[0], a.at}
		default:
			positional = append(positional, a)
		}
	}
	if c.bound {
		receiver := u.raw("sym", "self")
		if b, ok := f.lookup("self"); ok && b.t != nil && object(b.t) {
			receiver = b.t
		}
		positional = append([]argument{{receiver, c.node}}, positional...)
	}
	set := func(name string, a argument) {
		inner.vars[name] = binding{t: a.t, at: a.at}
	}
	keywordOnly := false
	params := c.node.Field("parameters").NamedChildren()
	u.spend(len(params) / 8)
	for _, p := range params {
		name, def := parameter(p)
		switch {
		case p.Is("keyword_separator"):
			keywordOnly = true
		case p.Is("positional_separator"):
		case splat(p).Is("list_splat_pattern"):
			var rest []*term
			for _, a := range positional {
				rest = append(rest, a.t)
			}
			positional, keywordOnly = nil, true
			set(splat(p).NamedChild(0).Text(), argument{u.raw("tuple", "", rest...), p})
		case splat(p).Is("dictionary_splat_pattern"):
			var rest []*term
			for _, k := range sortedKeys(named) {
				rest = append(rest, u.raw("pair", "", u.str(k), named[k].t))
				delete(named, k)
			}
			set(splat(p).NamedChild(0).Text(), argument{u.dict(rest), p})
		case name == "":
			return false
		default:
			if a, ok := named[name]; ok {
				set(name, a)
				delete(named, name)
				continue
			}
			if !keywordOnly && len(positional) > 0 {
				set(name, positional[0])
				positional = positional[1:]
				continue
			}
			if !def.Valid() {
				return false
			}
			set(name, argument{f.run.s.keptDefault(c.node, name, c.defaultOf(def)), c.scope.where(def)})
		}
	}
	return len(positional) == 0 && len(named) == 0
}

// splat is a parameter without its type.
func splat(p syntax.Node) syntax.Node {
	if p.Is("typed_parameter") {
		return p.NamedChild(0)
	}
	return p
}

// parameter is a parameter's name and default.
func parameter(p syntax.Node) (string, syntax.Node) {
	switch p.Kind() {
	case "identifier":
		return p.Text(), syntax.Node{}
	case "default_parameter", "typed_default_parameter":
		return p.Field("name").Text(), p.Field("value")
	case "typed_parameter":
		if id := p.NamedChild(0); id.Is("identifier") {
			return id.Text(), syntax.Node{}
		}
	}
	return "", syntax.Node{}
}

// defaultOf is what a parameter is when no argument is given. It is evaluated where the
// function stands, before there is the function.
func (c *closure) defaultOf(def syntax.Node) *term {
	r := c.scope.run
	active := r.active
	r.active = append(slices.Clip(active), c.node)
	defer func() { r.active = active }()
	return c.scope.eval(def)
}

// fnTerm is what a function does, with its parameters by position.
func (f *frame) fnTerm(c *closure) *term {
	s := f.run.s
	u := s.u
	if s.opaque && c.node.Is("function_definition") && host(c.node) {
		return u.raw("sym", c.node.Field("name").Text())
	}
	static := c.static()
	key := closureKey{c.node, c.scope, c.self, c.bound}
	if t := s.fnOf[key]; static && t != nil {
		return t
	}
	if f.run.depth >= maxInline || slices.Contains(f.run.active, c.node) || !u.nest() {
		return s.closed(c)
	}
	defer u.unnest()
	r := &run{s: s, fresh: map[*term]int{}, ended: -1, depth: f.run.depth, active: f.run.active}
	var args []argument
	var shape []string
	object := false
	for _, p := range c.node.Field("parameters").NamedChildren() {
		pname, def := parameter(p)
		switch {
		case splat(p).Is("list_splat_pattern", "dictionary_splat_pattern"):
			shape = append(shape, splat(p).Kind())
		case p.Is("keyword_separator", "positional_separator"):
			// A call that they refuse fails.
		case pname == "":
			shape = append(shape, p.Kind())
		case c.bound && len(args) == 0 && len(shape) == 0 && !object:
			object = true // which is no argument of a call
		default:
			t := u.raw("arg", strconv.Itoa(len(shape)))
			args = append(args, argument{u.raw("kw", pname, t), p})
			shape = append(shape, "arg")
			if def.Valid() {
				shape[len(shape)-1] = "arg=" + strconv.Itoa(c.defaultOf(def).id)
			}
		}
	}
	fr := &frame{run: r, vars: map[string]binding{}}
	v, ok := fr.enterCall(c, args)
	r.undo(0) // it is not called where it is a value
	if !ok {
		return s.closed(c)
	}
	t := s.etaReduced(v, r.events, len(args))
	if t == nil {
		kids := mapEvents(u, r.events)
		t = u.raw("fn", strings.Join(shape, ","), append(kids, v)...)
	}
	s.closures[t] = c
	if !slices.ContainsFunc(s.shown[t], func(o *closure) bool { return *o == *c }) {
		u.spend(len(s.shown[t]))
		s.shown[t] = append(s.shown[t], c)
	}
	f.run.made(t, c.node)
	if static {
		s.fnOf[key] = t
	}
	return t
}

// closed is a function that is not entered. It is what it was where its source is,
// and all that it can reach by names.
func (s *side) closed(c *closure) *term {
	if t := s.unentered[c.node]; t != nil {
		return t
	}
	t := s.u.raw("closed", s.reach(c.node, c.scope))
	s.unentered[c.node] = t
	return s.module.run.made(t, c.node)
}

// reach is the source of a statement or function in a scope, and all that it can reach
// by names.
func (s *side) reach(n syntax.Node, scope *frame) string {
	type source struct {
		node  syntax.Node
		scope *frame
	}
	parts := map[string]bool{}
	seen := map[syntax.Node]bool{}
	todo := []source{{n, scope}}
	enter := func(name string, b binding) {
		if b.fn != nil {
			todo = append(todo, source{b.fn.node, b.fn.scope})
		}
		if b.t != nil {
			parts[name+"="+strconv.Itoa(b.t.id)] = true
		}
	}
	for ; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		if seen[at.node] {
			continue
		}
		seen[at.node] = true
		s.u.read(at.node)
		parts[digest(at.node)] = true
		for _, id := range at.node.Find("identifier") {
			s.u.spend(1 + (len(s.order)+len(s.others))/8)
			name := id.Text()
			if id.Parent().Is("attribute") && id.Parent().Field("attribute") == id {
				for _, k := range slices.Concat(s.order, s.others) {
					enter(name, k.frame.vars[name])
				}
			} else if b, ok := at.scope.lookup(name); ok {
				enter(name, b)
			}
		}
	}
	return strings.Join(sortedKeys(parts), " ")
}

// etaReduced is g for lambda x: g(x), else nil.
func (s *side) etaReduced(v *term, events []event, n int) *term {
	u := s.u
	if !v.is("call") || len(v.kids) != n+1 || len(events) > 0 || n == 0 {
		return nil
	}
	if !v.kids[0].is("sym", "attr", "fn") {
		return nil
	}
	sg := s.signatureOf(v.kids[0])
	for i, k := range v.kids[1:] {
		at := i
		if k.is("kw") && sg != nil {
			at, k = slices.Index(sg.params, k.text), k.kids[0]
		}
		if !k.is("arg") || k.text != strconv.Itoa(at) {
			return nil
		}
	}
	if u.contains(v.kids[0], u.raw("arg", "0")) {
		return nil
	}
	return v.kids[0]
}

// mapEvents makes terms of what a function did.
func mapEvents(u *universe, events []event) []*term {
	var out []*term
	for _, e := range events {
		kids := []*term{e.t}
		for _, g := range e.guards {
			kids = append(kids, g.t)
		}
		slices.SortFunc(kids[1:], func(a, b *term) int { return a.id - b.id })
		out = append(out, u.raw("event", strconv.Itoa(int(e.kind)), kids...))
	}
	return out
}
