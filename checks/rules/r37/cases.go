package r37

import (
	"maps"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/syntax"
)

// held is whether a list of a test file holds the backend: No, Yes or Unsure.
// Names of one list share it.
type held struct{ answer host.Answer }

// cases tells which of the lists that tests are parametrised with hold the
// backend. It runs the module and its classes in their order: a list may be taken
// before the backend is added, or without it.
type cases struct {
	w     *host.Wrapper
	lists map[string]bool             // names that hold the backend somewhere in the file
	scope []map[string]*held          // of the module, the class, comprehensions
	class map[string]map[string]*held // by name
	at    map[syntax.Node]*held       // the values of each parametrize
	steps dsl.Budget
	// doubt is how sure it is that the statement runs: Yes, Depends when that has
	// nothing to do with the backend, Unsure when it may.
	doubt host.Answer
	// calls are functions of the file that are being executed.
	calls []syntax.Node
	// loop is the name that stands for the backend in a loop or a comprehension.
	loop string
}

// casesOf runs a test file.
func casesOf(w *host.Wrapper, lists map[string]bool) *cases {
	c := &cases{
		w: w, lists: lists, scope: []map[string]*held{{}}, class: map[string]map[string]*held{},
		at: map[syntax.Node]*held{}, steps: 20 * dsl.Steps, doubt: host.Yes,
	}
	c.block(w.File.Root())
	return c
}

// run reports whether a test has a case with the backend in a parameter.
func (c *cases) run(fn syntax.Node, param string) host.Answer {
	answer := host.No
	for _, d := range marks(c.w, fn) {
		if !d.Is("call") || syntax.PyName(d.Field("function")) != "parametrize" || !slices.Contains(argNames(c.w, d), param) {
			continue
		}
		switch h := c.at[d]; {
		case h == nil: // it was not executed here
			answer = host.Unsure
		case h.answer == host.Yes:
			return host.Yes
		case h.answer == host.Unsure:
			answer = host.Unsure
		}
	}
	if c.steps <= 0 {
		return host.Unsure
	}
	return answer
}

// marks are the decorators of a test, of its class and of the module.
func marks(w *host.Wrapper, fn syntax.Node) []syntax.Node {
	out := slices.Clone(syntax.PyDecorators(fn))
	for class := fn.Ancestor("class_definition"); class.Valid(); class = class.Ancestor("class_definition") {
		out = append(out, syntax.PyDecorators(class)...)
	}
	if m := w.Consts["pytestmark"]; m.Valid() {
		out = append(out, m.Find("call", "attribute")...)
	}
	return out
}

// argNames are the parameters that a parametrize sets.
func argNames(w *host.Wrapper, d syntax.Node) []string {
	arg := syntax.PyArg(d, "argnames", 0)
	if s, ok := w.String(arg); ok {
		return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
	}
	var names []string
	for _, n := range arg.NamedChildren() {
		names = append(names, syntax.PyString(n))
	}
	return names
}

// parametrized evaluates the lists of the parametrize calls in an expression.
func (c *cases) parametrized(n syntax.Node) {
	for _, call := range n.Find("call") {
		if syntax.PyName(call.Field("function")) == "parametrize" {
			c.at[call] = c.eval(syntax.PyArg(call, "argvalues", 1))
		}
	}
}

// block executes statements; true when a loop's turn ends in it for the backend.
func (c *cases) block(b syntax.Node) bool {
	before := c.doubt
	defer func() { c.doubt = before }()
	for _, st := range b.NamedChildren() {
		if !c.steps.Spend() {
			return false
		}
		if c.statement(st) {
			return true
		}
	}
	return false
}

func (c *cases) statement(st syntax.Node) bool {
	switch st.Kind() {
	case "expression_statement":
		for _, e := range st.NamedChildren() {
			c.expression(e)
		}
	case "if_statement":
		return c.branches(st)
	case "for_statement":
		c.forEach(st)
	case "while_statement":
		c.perhaps(host.Depends, st.Field("body"))
	case "with_statement":
		return c.block(st.Field("body"))
	case "try_statement":
		c.block(st.Field("body"))
		for p := range st.Children() {
			switch p.Kind() {
			case "except_clause", "except_group_clause":
				c.perhaps(host.Depends, p.ChildOf("block"))
			case "else_clause":
				c.block(p.Field("body"))
			case "finally_clause":
				c.block(p.ChildOf("block"))
			}
		}
	case "match_statement":
		for _, p := range st.Field("body").NamedChildren() {
			if body := p.Field("consequence"); body.Valid() {
				c.perhaps(host.Depends, body)
			}
		}
	case "class_definition":
		c.scope = append(c.scope, map[string]*held{})
		c.block(st.Field("body"))
		c.class[st.Field("name").Text()] = c.top()
		c.scope = c.scope[:len(c.scope)-1]
	case "decorated_definition":
		for _, d := range st.NamedChildren() {
			if d.Is("decorator") {
				c.parametrized(d.NamedChild(0))
			}
		}
		if d := st.Field("definition"); d.Is("class_definition") {
			return c.statement(d)
		}
	case "delete_statement":
		for _, d := range st.Find("subscript") {
			c.take(c.eval(d.Field("value")), d.Field("subscript"))
		}
	case "continue_statement", "break_statement":
		return true
	}
	return false
}

func (c *cases) top() map[string]*held { return c.scope[len(c.scope)-1] }

// expression executes an expression for what it does to lists.
func (c *cases) expression(e syntax.Node) {
	switch e.Kind() {
	case "assignment":
		right := e.Field("right")
		c.assign(e.Field("left"), right)
		c.parametrized(right)
		if right.Is("call") {
			c.runs(right)
		}
	case "augmented_assignment":
		h, left := c.eval(e.Field("right")), c.eval(e.Field("left"))
		switch e.Field("operator").Text() {
		case "+=", "|=":
			c.add(left, h.answer)
		case "-=":
			c.without(left, h.answer)
		default:
			c.add(left, unsure(h.answer))
		}
	case "call":
		fn := e.Field("function")
		if !fn.Is("attribute") {
			c.runs(e)
			return
		}
		object, args := c.eval(fn.Field("object")), syntax.PyArgs(e)
		switch syntax.PyName(fn) {
		case "append", "extend", "add", "update", "insert":
			for _, a := range args {
				c.add(object, c.eval(a).answer)
			}
		case "remove", "discard", "pop", "difference_update":
			if len(args) == 0 {
				c.take(object, syntax.Node{})
			} else {
				c.take(object, args[0])
			}
		case "clear":
			c.without(object, host.Yes)
		}
	}
}

// assign gives a target a value; targets of one assignment take its values one by one.
func (c *cases) assign(left, right syntax.Node) {
	switch left.Kind() {
	case "identifier":
		c.top()[left.Text()] = c.eval(right)
	case "subscript":
		// Something takes the place of what the list has there.
		list, h := c.eval(left.Field("value")), c.eval(right)
		if h.answer == host.No {
			c.without(list, host.Unsure)
		}
		c.add(list, h.answer)
	case "pattern_list", "tuple_pattern", "list_pattern":
		targets, values := left.NamedChildren(), right.NamedChildren()
		single := right.Is("expression_list", "tuple", "list") && len(values) == len(targets)
		for i, t := range targets {
			switch {
			case single && !t.Is("list_splat_pattern") && !values[i].Is("list_splat"):
				c.assign(t, values[i])
			case t.Is("identifier"):
				c.top()[t.Text()] = &held{host.Unsure}
			}
		}
	}
}

// maxRuns bounds how deep functions of the file are executed that call each other.
const maxRuns = 4

// quiet are functions that change nothing that they are given.
var quiet = []string{"print", "len", "list", "tuple", "set", "frozenset", "sorted", "reversed", "str", "repr", "any", "all", "isinstance", "enumerate", "zip", "id", "type"}

// runs executes the function of the file that a call runs. What another function does
// to the lists that it is given is not known.
func (c *cases) runs(call syntax.Node) {
	f := call.Field("function")
	fn := c.w.Function(f)
	if !fn.Is("function_definition") || len(syntax.PyDecorators(fn)) > 0 || len(c.calls) == maxRuns || slices.Contains(c.calls, fn) {
		if !slices.Contains(quiet, syntax.PyName(f)) {
			for _, id := range call.Field("arguments").Find("identifier") {
				c.blur(id.Text())
			}
		}
		return
	}
	local := map[string]*held{}
	for _, q := range host.Params(fn) {
		local[q.Text()] = &held{host.Unsure}
	}
	for i, a := range syntax.PyArgs(call) {
		if params := host.Params(fn); i < len(params) {
			local[params[i].Text()] = c.eval(a)
		}
	}
	scope, loop := c.scope, c.loop
	c.scope, c.loop = []map[string]*held{scope[0], local}, ""
	c.calls = append(c.calls, fn)
	c.block(fn.Field("body"))
	c.calls = c.calls[:len(c.calls)-1]
	c.scope, c.loop = scope, loop
	for _, g := range fn.Field("body").Find("global_statement", "nonlocal_statement") {
		for _, id := range g.NamedChildren() {
			c.blur(id.Text())
		}
	}
}

// blur forgets what the list of a name holds.
func (c *cases) blur(name string) {
	for _, names := range c.scope {
		if names[name] != nil {
			names[name].answer = host.Unsure
		}
	}
}

// add is that something comes into a list.
func (c *cases) add(h *held, answer host.Answer) {
	switch {
	case answer == host.No || h.answer == host.Yes:
	case answer == host.Unsure || c.doubt == host.Unsure:
		h.answer = host.Unsure
	default:
		h.answer = host.Yes
	}
}

// without is that something goes out of a list; what stays in some run stays.
func (c *cases) without(h *held, answer host.Answer) {
	switch {
	case answer == host.No || h.answer == host.No || c.doubt == host.Depends:
	case answer == host.Unsure || c.doubt == host.Unsure:
		h.answer = host.Unsure
	default:
		h.answer = host.No
	}
}

// take is that one element goes out of a list, by its value or its place.
func (c *cases) take(h *held, element syntax.Node) {
	if s, ok := c.w.String(element); ok {
		c.without(h, truth(s == host.Backend))
		return
	}
	if element.Is("identifier", "set", "list", "tuple") {
		c.without(h, c.eval(element).answer)
		return
	}
	c.without(h, host.Unsure)
}

func truth(b bool) host.Answer {
	if b {
		return host.Yes
	}
	return host.No
}

// unsure is what is left of an answer after something that is not understood.
func unsure(a host.Answer) host.Answer {
	if a == host.No {
		return host.No
	}
	return host.Unsure
}

// either is the answer of what holds this or that.
func either(a, b host.Answer) host.Answer {
	switch {
	case a == host.Yes || b == host.Yes:
		return host.Yes
	case a == host.Unsure || b == host.Unsure:
		return host.Unsure
	}
	return host.No
}

// perhaps executes a block that may not run, for a reason.
func (c *cases) perhaps(why host.Answer, b syntax.Node) {
	before, doubt := maps.Clone(c.top()), c.doubt
	c.doubted(why)
	c.block(b)
	c.doubt = doubt
	c.join(why, before)
}

func (c *cases) doubted(why host.Answer) {
	if c.doubt != host.Unsure {
		c.doubt = why
	}
}

// join merges the names of another way to this place.
func (c *cases) join(why host.Answer, other map[string]*held) {
	for name, b := range other {
		switch a := c.top()[name]; {
		case a == nil:
			c.top()[name] = b
		case a != b && a.answer != b.answer && why == host.Unsure:
			c.top()[name] = &held{host.Unsure}
		case a != b:
			c.top()[name] = &held{either(a.answer, b.answer)}
		}
	}
}

// branches executes an if statement: the branch that the backend takes, or all
// that it may take.
func (c *cases) branches(st syntax.Node) bool {
	type branch struct{ cond, body syntax.Node }
	list := []branch{{st.Field("condition"), st.Field("consequence")}}
	for p := range st.Children() {
		switch p.Kind() {
		case "elif_clause":
			list = append(list, branch{p.Field("condition"), p.Field("consequence")})
		case "else_clause":
			list = append(list, branch{body: p.Field("body")})
		}
	}
	var ends []map[string]*held
	after, why, rest := c.doubt, host.Depends, c.top()
	for _, b := range list {
		answer := host.Yes
		if b.cond.Valid() {
			answer = c.ask(b.cond)
		}
		if answer == host.No {
			continue
		}
		c.scope[len(c.scope)-1] = maps.Clone(rest)
		if answer != host.Yes {
			c.doubted(answer)
		}
		if answer == host.Unsure {
			why = host.Unsure
		}
		if !c.block(b.body) {
			ends = append(ends, c.top())
		} else if answer != host.Yes && after != host.Unsure {
			after = answer // what follows runs when this did not
		}
		if answer == host.Yes {
			rest = nil
			break
		}
	}
	c.doubt = after
	if rest != nil {
		ends = append(ends, rest)
	}
	if len(ends) == 0 {
		return true
	}
	c.scope[len(c.scope)-1] = ends[0]
	for _, e := range ends[1:] {
		c.join(why, e)
	}
	return false
}

// ask evaluates a condition where lists are made: Depends when it has nothing to
// do with the backend.
func (c *cases) ask(n syntax.Node) host.Answer {
	switch n.Kind() {
	case "parenthesized_expression":
		return c.ask(n.NamedChild(0))
	case "not_operator":
		return opposite(c.ask(n.Field("argument")))
	case "boolean_operator":
		l, r := c.ask(n.Field("left")), c.ask(n.Field("right"))
		decisive := host.No
		if n.Field("operator").Text() == "or" {
			decisive = host.Yes
		}
		switch {
		case l == decisive || r == decisive:
			return decisive
		case l == host.Unsure || r == host.Unsure:
			return host.Unsure
		case l == host.Depends || r == host.Depends:
			return host.Depends
		}
		return l
	case "call":
		if syntax.PyName(n.Field("function")) == "is_backend_available" {
			arg := syntax.PyArg(n, "backend", 0)
			if s, ok := c.w.String(arg); ok && s == host.Backend || arg.Is("identifier") && arg.Text() == c.loop {
				return host.Yes
			}
			return host.Depends
		}
	case "comparison_operator":
		parts := n.NamedChildren()
		if len(parts) != 2 || !n.ChildOf("in", "not in").Valid() {
			break
		}
		if s, ok := c.w.String(parts[0]); ok && s == host.Backend || parts[0].Is("identifier") && parts[0].Text() == c.loop {
			answer := c.eval(parts[1]).answer
			if n.ChildOf("not in").Valid() {
				answer = opposite(answer)
			}
			return answer
		}
	}
	if c.loop == "" {
		return host.Depends
	}
	return c.w.Ask(n, c.loop)
}

func opposite(a host.Answer) host.Answer {
	switch a {
	case host.Yes:
		return host.No
	case host.No:
		return host.Yes
	}
	return a
}

// element is the name that stands for the backend in a loop over a list; empty
// when none does for sure.
func element(pattern syntax.Node) string {
	if pattern.Is("identifier") {
		return pattern.Text()
	}
	name := ""
	for _, n := range pattern.Find("identifier") {
		if strings.Contains(n.Text(), "backend") || strings.Contains(n.Text(), "framework") {
			if name != "" {
				return ""
			}
			name = n.Text()
		}
	}
	return name
}

// enter gives the names of a loop what they hold in it.
func (c *cases) enter(pattern syntax.Node, over host.Answer) {
	name := element(pattern)
	for _, n := range pattern.Find("identifier") {
		switch n.Text() {
		case name:
			c.top()[name] = &held{over}
		default:
			c.top()[n.Text()] = &held{host.No}
			if name == "" {
				c.top()[n.Text()] = &held{unsure(over)}
			}
		}
	}
	if over != host.No && name != "" {
		c.loop = name
	}
}

// forEach executes a loop for the backend, when it is among what it runs over.
func (c *cases) forEach(st syntax.Node) {
	h, loop := c.eval(st.Field("right")), c.loop
	c.enter(st.Field("left"), h.answer)
	switch h.answer {
	case host.Yes:
		c.block(st.Field("body"))
	case host.No:
		c.perhaps(host.Depends, st.Field("body"))
	default:
		c.perhaps(host.Unsure, st.Field("body"))
	}
	c.loop = loop
}

// through are functions that give back what their arguments hold.
var through = []string{
	"list", "tuple", "set", "frozenset", "sorted", "reversed", "zip", "product", "chain", "from_iterable", "enumerate", "copy", "deepcopy",
	"fromkeys", "keys", "items", "union", "dict",
}

// eval is whether a value holds the backend.
func (c *cases) eval(n syntax.Node) *held {
	if !n.Valid() {
		return &held{host.No}
	}
	if !c.steps.Spend() {
		return &held{host.Unsure}
	}
	switch n.Kind() {
	case "identifier":
		for i := len(c.scope) - 1; i >= 0; i-- {
			if h := c.scope[i][n.Text()]; h != nil {
				return h
			}
		}
		return &held{unsure(truth(c.lists[n.Text()]))}
	case "attribute":
		if h := c.class[n.Field("object").Text()][n.Field("attribute").Text()]; h != nil {
			return h
		}
		return &held{unsure(truth(c.lists[n.Field("attribute").Text()]))}
	case "parenthesized_expression", "list_splat":
		return c.eval(n.NamedChild(0))
	case "list", "tuple", "set", "expression_list", "dictionary":
		answer := host.No
		for _, e := range n.NamedChildren() {
			if e.Is("pair") {
				e = e.Field("key")
			} else if e.Is("dictionary_splat") {
				e = e.NamedChild(0)
			}
			answer = either(answer, c.eval(e).answer)
		}
		return &held{answer}
	case "list_comprehension", "set_comprehension", "generator_expression", "dictionary_comprehension":
		return &held{c.comprehension(n)}
	case "conditional_expression":
		parts := n.NamedChildren()
		if len(parts) != 3 {
			break
		}
		switch a, b := c.eval(parts[0]), c.eval(parts[2]); c.ask(parts[1]) {
		case host.Yes:
			return a
		case host.No:
			return b
		case host.Depends:
			return &held{either(a.answer, b.answer)}
		default:
			return &held{unsure(either(a.answer, b.answer))}
		}
	case "boolean_operator":
		return &held{either(c.eval(n.Field("left")).answer, c.eval(n.Field("right")).answer)}
	case "binary_operator":
		return &held{c.operator(n)}
	case "subscript":
		return &held{unsure(c.eval(n.Field("value")).answer)}
	case "named_expression":
		h := c.eval(n.Field("value"))
		c.top()[n.Field("name").Text()] = h
		return h
	case "call":
		return &held{c.call(n)}
	case "comparison_operator", "not_operator", "lambda", "integer", "float", "true", "false", "none":
		return &held{host.No}
	}
	if s, ok := c.w.String(n); ok {
		return &held{truth(s == host.Backend)}
	}
	return &held{unsure(c.parts(n))}
}

// parts is whether a part of an expression holds the backend.
func (c *cases) parts(n syntax.Node) host.Answer {
	answer := host.No
	for _, p := range n.NamedChildren() {
		if p.Is("keyword_argument") {
			p = p.Field("value")
		}
		answer = either(answer, c.eval(p).answer)
	}
	return answer
}

func (c *cases) operator(n syntax.Node) host.Answer {
	l, r := c.eval(n.Field("left")).answer, c.eval(n.Field("right")).answer
	switch n.Field("operator").Text() {
	case "+", "|", "*":
		return either(l, r)
	case "-":
		return minus(l, r)
	case "&":
		if l == host.No || r == host.No {
			return host.No
		}
		if l == host.Yes && r == host.Yes {
			return host.Yes
		}
	}
	return unsure(either(l, r))
}

// minus is what is left of a set without another.
func minus(l, r host.Answer) host.Answer {
	switch r {
	case host.Yes:
		return host.No
	case host.No:
		return l
	}
	return unsure(l)
}

func (c *cases) comprehension(n syntax.Node) host.Answer {
	loop := c.loop
	c.scope = append(c.scope, map[string]*held{})
	defer func() { c.scope, c.loop = c.scope[:len(c.scope)-1], loop }()
	sure := true
	for _, p := range n.NamedChildren() {
		switch p.Kind() {
		case "for_in_clause":
			c.enter(p.Field("left"), c.eval(p.Field("right")).answer)
		case "if_clause":
			switch c.ask(p.NamedChild(0)) {
			case host.No:
				return host.No
			case host.Unsure:
				sure = false
			}
		}
	}
	body := n.Field("body")
	if body.Is("pair") {
		body = body.Field("key")
	}
	answer := c.eval(body).answer
	if !sure {
		answer = unsure(answer)
	}
	return answer
}

func (c *cases) call(n syntax.Node) host.Answer {
	fn, args := n.Field("function"), n.Field("arguments")
	name, values := syntax.PyName(fn), args.NamedChildren()
	if args.Is("generator_expression") {
		values = []syntax.Node{args}
	}
	answer := host.No
	for _, v := range values {
		switch {
		case !v.Is("keyword_argument"):
			answer = either(answer, c.eval(v).answer)
		case name != "param": // whose keywords are marks and an id
			answer = either(answer, c.eval(v.Field("value")).answer)
		}
	}
	object := host.No
	if fn.Is("attribute") {
		object = c.eval(fn.Field("object")).answer
	}
	switch {
	case strings.HasPrefix(name, "is_backend_available"):
		return host.No
	case name == "param":
		return param(n, answer)
	case name == "filter" && len(values) == 2:
		return c.filter(values[0], answer)
	case name == "difference" && fn.Is("attribute"):
		return minus(object, answer)
	case slices.Contains(through, name):
		return either(object, answer)
	}
	return unsure(either(object, answer))
}

// param is one case, which a mark may leave out.
func param(n syntax.Node, answer host.Answer) host.Answer {
	mark := syntax.PyArg(n, "marks", -1)
	if !mark.Valid() {
		return answer
	}
	for _, m := range mark.Find("identifier", "conditional_expression") {
		switch name := m.Text(); {
		case m.Is("conditional_expression"), strings.Contains(name, "skip"), name == "xfail", name != "pytest" && !m.Parent().Is("attribute"):
			return unsure(answer)
		}
	}
	return answer
}

// filter is filter(lambda b: .., list).
func (c *cases) filter(fn syntax.Node, over host.Answer) host.Answer {
	params := host.Params(fn)
	if !fn.Is("lambda") || len(params) != 1 {
		return unsure(over)
	}
	loop := c.loop
	c.loop = params[0].Text()
	defer func() { c.loop = loop }()
	switch c.ask(fn.Field("body")) {
	case host.No:
		return host.No
	case host.Unsure:
		return unsure(over)
	}
	return over
}
