package r37

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/syntax"
)

// skipped reports whether the test ends for the backend before the use: Unsure
// when it may.
func (s *skips) skipped(fn syntax.Node, param string, use syntax.Node) host.Answer {
	w := s.w
	for _, d := range marks(w, fn) {
		if s.marked(d) {
			return host.Unsure
		}
	}
	if s.fixtureSkips(fn) {
		return host.Unsure
	}
	return s.before(fn, param, fn.Field("body"), use)
}

// marked reports whether a decorator may skip: by its name, or as a function of
// the file that skips.
func (s *skips) marked(d syntax.Node) bool {
	if d.Is("call") {
		d = d.Field("function")
	}
	name := syntax.PyName(d)
	if strings.Contains(name, "skip") || name == "xfail" {
		return true
	}
	fn := s.w.Function(d)
	return fn.Valid() && s.mentionsSkip(fn)
}

// mentionsSkip reports whether code skips anywhere.
func (s *skips) mentionsSkip(n syntax.Node) bool {
	found, known := s.mentions[n]
	if !known {
		found = mentionsSkip(n)
		s.mentions[n] = found
	}
	return found
}

func mentionsSkip(n syntax.Node) bool {
	return slices.ContainsFunc(n.Find("call", "attribute"), func(c syntax.Node) bool {
		name := syntax.PyName(c)
		if c.Is("call") {
			name = syntax.PyName(c.Field("function"))
		}
		return name == "skip" || name == "skipif" || name == "skipTest" || name == "xfail" || name == "SkipTest"
	})
}

// fixtureSkips reports whether a fixture of the file that the test uses skips.
func (s *skips) fixtureSkips(fn syntax.Node) bool {
	if s.fixtures == nil {
		s.fixtures = map[string]bool{}
		for _, f := range s.w.File.Root().Find("function_definition") {
			for _, d := range syntax.PyDecorators(f) {
				mark := d
				if d.Is("call") {
					mark = d.Field("function")
				}
				if syntax.PyName(mark) == "fixture" && s.mentionsSkip(f) {
					s.fixtures[f.Field("name").Text()] = true
					s.always = s.always || syntax.PyArg(d, "autouse", -1).Is("true")
				}
			}
		}
	}
	if s.always {
		return true
	}
	for _, q := range host.Params(fn) {
		if s.fixtures[q.Text()] {
			return true
		}
	}
	for _, d := range marks(s.w, fn) {
		if d.Is("call") && syntax.PyName(d.Field("function")) == "usefixtures" {
			if slices.ContainsFunc(syntax.PyArgs(d), func(a syntax.Node) bool { return s.fixtures[syntax.PyString(a)] }) {
				return true
			}
		}
	}
	return false
}

// skips looks for what ends a test for the backend.
type skips struct {
	w *host.Wrapper
	// calls are helpers that are being read.
	calls []syntax.Node
	// What was found out about the file: each is asked once.
	helpers  map[handed]host.Answer
	blocks   map[passage]host.Answer
	asked    map[question]host.Answer
	values   map[syntax.Node]map[string][]syntax.Node
	mentions map[syntax.Node]bool
	wants    map[syntax.Node]bool
	classes  map[string]syntax.Node
	fixtures map[string]bool // those that skip
	always   bool            // one of them is used by every test
	left     dsl.Budget
}

// handed is a helper and the name under which it gets the backend.
type handed struct {
	fn    syntax.Node
	param string
}

// passage is the statements of a block up to a place, asked for a name of the backend.
type passage struct {
	block, place syntax.Node
	param        string
}

// question is a condition, asked for a name of the backend.
type question struct {
	cond  syntax.Node
	param string
}

// newSkips reads a test file.
func newSkips(w *host.Wrapper) *skips {
	s := &skips{
		w: w, helpers: map[handed]host.Answer{}, blocks: map[passage]host.Answer{}, asked: map[question]host.Answer{}, values: map[syntax.Node]map[string][]syntax.Node{},
		mentions: map[syntax.Node]bool{}, wants: map[syntax.Node]bool{}, classes: map[string]syntax.Node{}, left: maxAsked,
	}
	for _, c := range w.File.Root().Find("class_definition") {
		if name := c.Field("name").Text(); !s.classes[name].Valid() {
			s.classes[name] = c
		}
	}
	return s
}

// maxAsked bounds how many names are read in the conditions of one file.
const maxAsked = 200000

// before reads the statements of a block up to a place, which is invalid for all of
// a helper.
func (s *skips) before(fn syntax.Node, param string, block, place syntax.Node) host.Answer {
	at := passage{block, place, param}
	answer, known := s.blocks[at]
	if !known {
		answer = s.passed(fn, param, block, place)
		s.blocks[at] = answer
	}
	return answer
}

func (s *skips) passed(fn syntax.Node, param string, block, place syntax.Node) host.Answer {
	result := host.No
	for _, st := range block.NamedChildren() {
		if place.Valid() && st.Span().Start >= place.Span().Start {
			break
		}
		switch s.statement(fn, param, st, place) {
		case host.Yes:
			return host.Yes
		case host.Unsure:
			result = host.Unsure
		}
	}
	return result
}

func (s *skips) statement(fn syntax.Node, param string, st, place syntax.Node) host.Answer {
	switch st.Kind() {
	case "if_statement":
		return s.branches(fn, param, st, place)
	case "with_statement":
		return s.before(fn, param, st.Field("body"), place)
	case "try_statement":
		return s.try(fn, param, st, place)
	case "for_statement", "while_statement", "match_statement":
		if result := s.before(fn, param, st.Field("body"), place); result == host.No && !(st.Is("match_statement") && s.mentionsSkip(st)) {
			return host.No
		}
		return host.Unsure
	case "return_statement":
		if place.Valid() {
			return host.Yes
		}
	case "raise_statement":
		return host.Yes
	}
	result := host.No
	for _, e := range st.NamedChildren() {
		result = surer(result, s.expression(fn, param, e))
	}
	return result
}

// try is what a try statement does to the test: what is raised in it may be caught.
func (s *skips) try(fn syntax.Node, param string, st, place syntax.Node) host.Answer {
	body := st.Field("body")
	result := s.before(fn, param, body, place)
	if result == host.Yes && st.ChildOf("except_clause", "except_group_clause").Valid() && !(place.Valid() && place.Inside(body)) {
		result = host.Unsure
		if raise := body.ChildOf("raise_statement"); raise.Valid() {
			if h := handler(st, raise); h.Valid() {
				result = surer(s.before(fn, param, body, raise), s.before(fn, param, h.ChildOf("block"), place))
			}
		}
	}
	for c := range st.Children() {
		if c.Is("except_clause", "else_clause", "finally_clause") && place.Valid() && place.Inside(c) {
			block := c.ChildOf("block")
			result = surer(result, s.before(fn, param, block, place))
		}
	}
	return result
}

// handler is the clause of a try statement that surely catches what a statement in it
// raises: the first one, when it names that or everything.
func handler(try, raise syntax.Node) syntax.Node {
	raised := raise.NamedChild(0)
	if raised.Is("call") {
		raised = raised.Field("function")
	}
	h := try.ChildOf("except_clause")
	caught := h.NamedChild(0)
	if caught.Is("as_pattern") {
		caught = caught.NamedChild(0)
	}
	if caught.Is("block") || caught.Text() == "BaseException" || raised.Is("identifier") && caught.Is("identifier") && caught.Text() == raised.Text() {
		return h
	}
	return syntax.Node{}
}

// surer is the answer for one thing after another.
func surer(a, b host.Answer) host.Answer {
	switch {
	case a == host.Yes || b == host.Yes:
		return host.Yes
	case a == host.Unsure || b == host.Unsure:
		return host.Unsure
	}
	return host.No
}

func (s *skips) branches(fn syntax.Node, param string, st, place syntax.Node) host.Answer {
	result := host.No // of the branches that the backend may take
	take := func(cond, body syntax.Node) (over bool) {
		answer := host.Yes
		if cond.Valid() {
			if answer = s.expression(fn, param, cond); answer != host.No {
				result = surer(result, answer)
			}
			answer = s.ask(fn, cond, param)
		}
		if answer == host.No {
			return false
		}
		inside := s.before(fn, param, body, place)
		switch {
		case answer == host.Yes && result == host.No:
			result = inside
		case answer == host.Unsure && inside != host.No, answer == host.Yes && inside != host.No, inside == host.Unsure:
			result = host.Unsure
		}
		return answer == host.Yes
	}
	if take(st.Field("condition"), st.Field("consequence")) {
		return result
	}
	for c := range st.Children() {
		switch c.Kind() {
		case "elif_clause":
			if take(c.Field("condition"), c.Field("consequence")) {
				return result
			}
		case "else_clause":
			take(syntax.Node{}, c.Field("body"))
		}
	}
	return result
}

// expression looks for calls that end the test.
func (s *skips) expression(fn syntax.Node, param string, e syntax.Node) host.Answer {
	switch e.Kind() {
	case "lambda", "function_definition", "class_definition", "decorated_definition":
		return host.No
	case "boolean_operator":
		left := s.expression(fn, param, e.Field("left"))
		right := s.expression(fn, param, e.Field("right"))
		if left == host.Yes || right == host.No {
			return left
		}
		decides := host.Yes // x and skip()
		if e.Field("operator").Text() == "or" {
			decides = host.No
		}
		switch s.ask(fn, e.Field("left"), param) {
		case decides:
			return right
		case host.Unsure:
			return host.Unsure
		}
		return left
	case "conditional_expression":
		parts := e.NamedChildren()
		if len(parts) != 3 {
			return host.No
		}
		then, other := s.expression(fn, param, parts[0]), s.expression(fn, param, parts[2])
		switch s.ask(fn, parts[1], param) {
		case host.Yes:
			return then
		case host.No:
			return other
		case host.Unsure:
			if then != host.No || other != host.No {
				return host.Unsure
			}
		}
		return host.No
	}
	result := host.No
	for _, c := range e.NamedChildren() {
		result = surer(result, s.expression(fn, param, c))
	}
	if e.Is("call") {
		result = surer(result, s.call(param, e))
	}
	return result
}

// call reports whether a call ends the test for the backend.
func (s *skips) call(param string, c syntax.Node) host.Answer {
	f := c.Field("function")
	switch name := syntax.PyName(f); {
	case name == "skip" || name == "skipTest" || name == "xfail":
		return host.Yes
	case strings.Contains(name, "skip"):
		return host.Unsure // a helper decides
	}
	helper, method := s.helper(f)
	if !helper.Valid() {
		if passes(c, param) && unknown(s.w, f) {
			return host.Unsure
		}
		return host.No
	}
	inner, ok := received(helper, method, c, param)
	if !ok {
		if s.mentionsSkip(helper) {
			return host.Unsure
		}
		return host.No
	}
	answer, known := s.helpers[handed{helper, inner}]
	switch {
	case known:
		return answer
	case len(s.calls) == maxCalls || slices.Contains(s.calls, helper):
		return host.Unsure
	}
	s.calls = append(s.calls, helper)
	answer = s.before(helper, inner, helper.Field("body"), syntax.Node{})
	s.calls = s.calls[:len(s.calls)-1]
	s.helpers[handed{helper, inner}] = answer
	return answer
}

// helps reports whether a call runs a function of the file.
func (s *skips) helps(c syntax.Node) bool {
	fn, _ := s.helper(c.Field("function"))
	return fn.Valid()
}

// helper is the function or method of the file that a call runs; method says
// that its first parameter is not among the arguments.
func (s *skips) helper(f syntax.Node) (fn syntax.Node, method bool) {
	if fn := s.w.Function(f); fn.Valid() {
		return fn, false
	}
	if !f.Is("attribute") {
		return syntax.Node{}, false
	}
	object := f.Field("object")
	class := f.Ancestor("class_definition")
	if name := object.Text(); name != "self" && name != "cls" && !object.Is("call") {
		class = s.classes[name]
	}
	return s.methodOf(class, f.Field("attribute").Text(), maxCalls)
}

// methodOf finds a method in a class or in the classes of the file that it
// extends.
func (s *skips) methodOf(class syntax.Node, name string, hops int) (fn syntax.Node, method bool) {
	if !class.Valid() || hops == 0 {
		return syntax.Node{}, false
	}
	for _, st := range class.Field("body").NamedChildren() {
		if st.Is("decorated_definition") {
			st = st.Field("definition")
		}
		if st.Is("function_definition") && st.Field("name").Text() == name {
			static := slices.ContainsFunc(syntax.PyDecorators(st), func(d syntax.Node) bool { return d.Text() == "staticmethod" })
			return st, !static
		}
	}
	for _, base := range class.Field("superclasses").NamedChildren() {
		if c := s.classes[base.Text()]; base.Is("identifier") && c.Valid() && c != class {
			return s.methodOf(c, name, hops-1)
		}
	}
	return syntax.Node{}, false
}

// received is the name under which a helper gets the backend.
func received(helper syntax.Node, method bool, c syntax.Node, param string) (string, bool) {
	params := host.Params(helper)
	if method && len(params) > 0 {
		params = params[1:]
	}
	for i, a := range syntax.PyArgs(c) {
		if a.Is("identifier") && a.Text() == param && i < len(params) {
			return params[i].Text(), true
		}
	}
	for _, a := range c.Field("arguments").NamedChildren() {
		if a.Is("keyword_argument") && a.Field("value").Text() == param {
			name := a.Field("name").Text()
			return name, slices.ContainsFunc(params, func(q syntax.Node) bool { return q.Text() == name })
		}
	}
	return "", false
}

// passes reports whether a call hands the backend on.
func passes(c syntax.Node, param string) bool {
	for _, a := range c.Field("arguments").NamedChildren() {
		if a.Is("keyword_argument") {
			a = a.Field("value")
		}
		if a.Is("identifier") && a.Text() == param {
			return true
		}
	}
	return false
}

// unknown reports whether what a function of another file does with the backend is
// not known. The package itself, Python and PyTorch skip no test.
func unknown(w *host.Wrapper, f syntax.Node) bool {
	root, _, _ := strings.Cut(full(w, f), ".")
	switch root {
	case "tilegym", "torch", "print", "str", "repr", "len", "getattr", "isinstance", "logging":
		return false
	}
	return true
}

// ask evaluates a condition of a test for the backend, with names that stand for
// such a condition.
func (s *skips) ask(fn, cond syntax.Node, param string) host.Answer {
	q := question{cond, param}
	answer, known := s.asked[q]
	if !known {
		answer = s.evaluate(fn, cond, param)
		s.asked[q] = answer
	}
	return answer
}

func (s *skips) evaluate(fn, cond syntax.Node, param string) host.Answer {
	switch cond.Kind() {
	case "parenthesized_expression":
		return s.ask(fn, cond.NamedChild(0), param)
	case "not_operator":
		return opposite(s.ask(fn, cond.Field("argument"), param))
	}
	names := cond.Find("identifier")
	for range names {
		if !s.left.Spend() {
			return host.Unsure
		}
	}
	answer := s.w.Ask(cond, param)
	if answer != host.Depends {
		return answer
	}
	for _, c := range cond.Find("call") {
		if syntax.PyName(c.Field("function")) == "get_current_backend" {
			return host.Unsure
		}
	}
	for _, id := range names {
		values := s.valuesOf(fn, id.Text())
		for _, value := range values {
			if !s.left.Spend() {
				return host.Unsure
			}
			if of := s.w.Ask(value, param); of != host.Depends {
				if cond == id && len(values) == 1 {
					return of
				}
				return host.Unsure
			}
		}
	}
	return host.Depends
}

// valuesOf are the values that a function gives to a name.
func (s *skips) valuesOf(fn syntax.Node, name string) []syntax.Node {
	out, known := s.values[fn]
	if !known {
		out = map[string][]syntax.Node{}
		for _, a := range fn.Field("body").Find("assignment", "named_expression") {
			left, right := a.Field("left"), a.Field("right")
			if a.Is("named_expression") {
				left, right = a.Field("name"), a.Field("value")
			}
			if left.Is("identifier") && right.Valid() {
				out[left.Text()] = append(out[left.Text()], right)
			}
		}
		s.values[fn] = out
	}
	return out[name]
}

// reaches reports whether the backend gets to a place of a test, by the conditions
// around it. A condition that is not understood counts as no.
func (s *skips) reaches(fn, n syntax.Node, param string) bool {
	for c := n; c.Valid() && c != fn; c = c.Parent() {
		cond, negate, ok := host.Branch(c)
		if !ok {
			continue
		}
		switch a := s.ask(fn, cond, param); {
		case a == host.Unsure, a == host.No && !negate, a == host.Yes && negate:
			return false
		}
	}
	return true
}
