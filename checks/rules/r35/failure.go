package r35

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// failureCodes are the return codes of a call that failed.
var failureCodes = []int{-2, -3, -4, -5, -6}

// maxChecked bounds the statements of a check that are looked at for one code.
const maxChecked = 200

// held is the answer of a condition for one return code.
type held uint8

const (
	unknown held = iota // depends on the code or an argument in a way that is not understood
	holds
	fails
	either // has nothing to do with the code
)

// checked is what is known of a function that gets a return code, for one code.
type checked struct {
	code    int
	is      map[string]bool // names of the code
	tells   map[string]form // names of what tells whether it is one of a failure
	at      syntax.Node     // an expression without a name that tells it, too
	atIs    form
	related map[string]bool // names of arguments and of what is made from them
	asked   bool            // a condition has asked for the code: what follows may depend on it
	calls   *callees
	left    int
}

// raisesOnFailure reports whether a function that gets a return code as one of its
// parameters raises for each code of a failure, or may, as far as its source says. The
// functions that it calls are those of its file.
func raisesOnFailure(fn syntax.Node, param int, calls *callees) bool {
	params := fn.Field("parameters").NamedChildren()
	if len(params) <= param {
		return false
	}
	for _, code := range failureCodes {
		c := &checked{code: code, is: map[string]bool{first(params[param]): true}, related: map[string]bool{}, calls: calls, left: maxChecked}
		for _, id := range fn.Field("parameters").Find("identifier") {
			c.related[id.Text()] = true
		}
		if c.passes(fn.Field("body").NamedChildren()) {
			return false
		}
	}
	return true
}

// passes reports whether statements end without an error for the code, for sure
// or where something holds that has nothing to do with it.
func (c *checked) passes(list []syntax.Node) bool {
	for i, s := range list {
		if c.left--; c.left < 0 {
			return false
		}
		rest := list[i+1:]
		switch s.Kind() {
		case "raise_statement":
			return false
		case "return_statement":
			return !c.mayRaise(s)
		case "if_statement":
			return c.branches(s, rest)
		case "with_statement":
			body := s.Field("body").NamedChildren()
			return suppresses(s) && c.passes(rest) || c.passes(join(body, rest))
		case "try_statement":
			body := s.Field("body").NamedChildren()
			if len(s.Find("raise_statement")) > len(s.Field("body").Find("raise_statement")) {
				return false // a handler raises
			}
			return swallows(s) && c.passes(rest) || c.passes(join(body, rest))
		case "assert_statement":
			if a := c.holds(s.NamedChild(0)); a == fails || a == unknown {
				return false
			}
		case "expression_statement":
			if c.mayRaise(s) {
				return false
			}
			if a := s.NamedChild(0); a.Is("assignment", "augmented_assignment") {
				c.assign(a)
			}
		case "for_statement", "while_statement", "match_statement":
			if len(s.Find("raise_statement", "return_statement")) > 0 || c.mayRaise(s) {
				return false
			}
		}
	}
	return true
}

// branches is passes for an if statement and what follows it.
func (c *checked) branches(s syntax.Node, rest []syntax.Node) bool {
	type branch struct {
		cond syntax.Node
		body []syntax.Node
	}
	list := []branch{{s.Field("condition"), s.Field("consequence").NamedChildren()}}
	otherwise := []syntax.Node(nil)
	for p := range s.Children() {
		switch p.Kind() {
		case "elif_clause":
			list = append(list, branch{p.Field("condition"), p.Field("consequence").NamedChildren()})
		case "else_clause":
			otherwise = p.Field("body").NamedChildren()
		}
	}
	for _, b := range list {
		if c.mentions(b.cond) {
			c.asked = true
			c.touched(s)
		}
	}
	all := true // of the branches that an unknown condition chooses from
	for _, b := range list {
		if c.handsOn(b.cond) {
			return false
		}
		switch c.holds(b.cond) {
		case holds:
			return all && c.passes(join(b.body, rest))
		case either:
			if all && c.passes(join(b.body, rest)) {
				return true
			}
		case unknown:
			all = all && c.passes(join(b.body, rest))
		}
	}
	return all && c.passes(join(otherwise, rest))
}

// touched relates to the code what the branches of a condition on it assign or call a
// method of.
func (c *checked) touched(branches syntax.Node) {
	for _, n := range branches.Find("assignment", "augmented_assignment", "named_expression", "call") {
		if !n.Ancestor("block").Inside(branches) {
			continue // asked for, not touched
		}
		at := n.Field("left")
		switch {
		case n.Is("call"):
			at = n.Field("function").Field("object")
		case n.Is("named_expression"):
			at = n.Field("name")
		}
		for _, id := range append(at.Find("identifier"), at) {
			if id.Is("identifier") {
				c.related[id.Text()] = true
			}
		}
	}
}

func join(a, b []syntax.Node) []syntax.Node { return append(append([]syntax.Node(nil), a...), b...) }

// assign notes what a name holds now.
func (c *checked) assign(a syntax.Node) {
	right := a.Field("right")
	isCode := a.Is("assignment") && a.Field("left").Is("identifier") && c.isCode(right)
	from := c.mentions(right) || a.Is("augmented_assignment") && c.mentions(a.Field("left"))
	for _, id := range a.Field("left").Find("identifier") {
		c.name(id.Text(), isCode, from)
	}
	if left := a.Field("left"); left.Is("identifier") {
		c.name(left.Text(), isCode, from)
	}
}

func (c *checked) name(name string, isCode, from bool) {
	delete(c.is, name)
	if isCode {
		c.is[name] = true
	}
	// A name keeps what it was: another branch may have set it.
	c.related[name] = c.related[name] || isCode || from
}

// isCode reports whether an expression is the code itself.
func (c *checked) isCode(n syntax.Node) bool {
	switch {
	case n == c.at && n.Valid():
		return c.atIs == asCode
	case n.Is("parenthesized_expression"):
		return c.isCode(n.NamedChild(0))
	case n.Is("call"):
		args := n.Field("arguments").NamedChildren()
		return n.Field("function").Text() == "int" && len(args) == 1 && c.isCode(args[0])
	}
	return n.Is("identifier") && c.is[n.Text()]
}

func (c *checked) mentions(n syntax.Node) bool {
	found := false
	n.Inspect(func(id syntax.Node) bool {
		found = found || id == c.at || id.Is("identifier") && (c.is[id.Text()] || c.related[id.Text()] || c.tells[id.Text()] != none)
		return !found
	})
	return found
}

// logs are functions that write a message.
var logs = map[string]bool{
	"print": true, "debug": true, "info": true, "warning": true, "warn": true, "error": true, "exception": true, "critical": true, "log": true,
}

// judgeless are other functions that get a code without judging it.
var judgeless = map[string]bool{
	"get": true, "int": true, "str": true, "repr": true, "hex": true, "format": true, "abs": true, "bool": true, "isinstance": true, "append": true, "write": true,
}

func harmless(name string) bool { return logs[name] || judgeless[name] }

// handsOn reports whether a node gives the code, or what is made from it, to a
// function that may raise for it, or ends the process.
func (c *checked) handsOn(n syntax.Node) bool {
	for _, call := range n.Find("call") {
		name := syntax.PyName(call.Field("function"))
		if name == "exit" || name == "_exit" || name == "abort" || !harmless(name) && c.mentions(call.Field("arguments")) {
			return true
		}
	}
	return false
}

// mayRaise reports whether a statement hands the code on, or calls a function that may
// raise for it where the code was asked for before.
func (c *checked) mayRaise(s syntax.Node) bool {
	return c.handsOn(s) || c.asked && slices.ContainsFunc(s.Find("call"), c.calls.raise)
}

// callees knows the functions of a file that may raise without being given the code.
type callees struct {
	defs  map[string][]syntax.Node
	known map[string]bool // answers; true while one is looked for
}

func newCallees(f *syntax.File) *callees {
	c := &callees{map[string][]syntax.Node{}, map[string]bool{}}
	for _, d := range f.Root().Find("function_definition") {
		name := d.Field("name").Text()
		c.defs[name] = append(c.defs[name], d)
	}
	return c
}

// raise reports whether a call may raise. Of a function that is not in the file
// nothing is known.
func (c *callees) raise(call syntax.Node) bool {
	fn := call.Field("function")
	if harmless(syntax.PyName(fn)) {
		return false
	}
	name := fn.Text()
	if !fn.Is("identifier") || len(c.defs[name]) == 0 {
		return true
	}
	raises, seen := c.known[name]
	if !seen {
		c.known[name] = true
		raises = slices.ContainsFunc(c.defs[name], func(d syntax.Node) bool {
			body := d.Field("body")
			return len(body.Find("raise_statement", "assert_statement")) > 0 || slices.ContainsFunc(body.Find("call"), c.raise)
		})
		c.known[name] = raises
	}
	return raises
}

// holds evaluates a condition for the code.
func (c *checked) holds(n syntax.Node) held {
	if n == c.at && n.Valid() {
		return truth((c.code == 0) == (c.atIs == forSuccess))
	}
	switch n.Kind() {
	case "parenthesized_expression":
		return c.holds(n.NamedChild(0))
	case "true":
		return holds
	case "false", "none":
		return fails
	case "identifier":
		if c.is[n.Text()] {
			return truth(c.code != 0)
		}
		if t := c.tells[n.Text()]; t != none {
			return truth((c.code == 0) == (t == forSuccess))
		}
	case "call":
		if a := c.answer(n); a != unknown {
			return a
		}
	case "not_operator":
		switch a := c.holds(n.Field("argument")); a {
		case holds:
			return fails
		case fails:
			return holds
		default:
			return a
		}
	case "boolean_operator":
		l, r := c.holds(n.Field("left")), c.holds(n.Field("right"))
		decides, other := fails, holds
		if n.Field("operator").Text() == "or" {
			decides, other = holds, fails
		}
		switch {
		case l == decides || r == decides:
			return decides
		case l == unknown || r == unknown:
			return unknown
		case l == either || r == either:
			return either
		}
		return other
	case "comparison_operator":
		if a := c.compare(n); a != unknown {
			return a
		}
	}
	if c.mentions(n) {
		return unknown
	}
	return either
}

// answer is what a function says of the code that does nothing but compare it: bool, or
// one of the file.
func (c *checked) answer(call syntax.Node) held {
	name, args := call.Field("function").Text(), call.Field("arguments").NamedChildren()
	if name == "bool" && len(args) == 1 {
		return c.holds(args[0])
	}
	if c.calls == nil || len(c.calls.defs[name]) != 1 {
		return unknown
	}
	def := c.calls.defs[name][0]
	params, body := def.Field("parameters").NamedChildren(), def.Field("body").NamedChildren()
	if len(args) != len(params) || len(body) == 0 || !body[len(body)-1].Is("return_statement") {
		return unknown
	}
	for _, s := range body[:len(body)-1] {
		if !s.NamedChild(0).Is("string") {
			return unknown
		}
	}
	for i, a := range args {
		if c.isCode(a) {
			// Without the functions of the file none calls itself.
			in := &checked{code: c.code, is: map[string]bool{first(params[i]): true}}
			return in.holds(body[len(body)-1].NamedChild(0))
		}
	}
	return unknown
}

func truth(b bool) held {
	if b {
		return holds
	}
	return fails
}

// compare evaluates a comparison of the code with numbers.
func (c *checked) compare(n syntax.Node) held {
	parts := n.NamedChildren()
	if len(parts) != 2 {
		return unknown
	}
	value := func(n syntax.Node) (int, bool) {
		if c.isCode(n) {
			return c.code, true
		}
		v, err := strconv.Atoi(strings.ReplaceAll(n.Squeeze(), "_", ""))
		return v, err == nil
	}
	if in := n.ChildOf("in", "not in"); in.Valid() && c.isCode(parts[0]) && parts[1].Is("tuple", "list", "set") {
		found := false
		for _, e := range parts[1].NamedChildren() {
			v, ok := value(e)
			if !ok {
				return unknown
			}
			found = found || v == c.code
		}
		return truth(found == in.Is("in"))
	}
	l, ok := value(parts[0])
	r, ok2 := value(parts[1])
	if !ok || !ok2 || !c.isCode(parts[0]) && !c.isCode(parts[1]) {
		return unknown
	}
	switch op := n.ChildOf("==", "!=", "<", ">", "<=", ">="); op.Kind() {
	case "==":
		return truth(l == r)
	case "!=":
		return truth(l != r)
	case "<":
		return truth(l < r)
	case ">":
		return truth(l > r)
	case "<=":
		return truth(l <= r)
	case ">=":
		return truth(l >= r)
	}
	return unknown
}

// suppresses reports whether a with statement goes on after check_rc has raised
// in it.
func suppresses(with syntax.Node) bool {
	for c := range with.Children() {
		if !c.Is("with_clause") {
			continue
		}
		for _, call := range c.Find("call") {
			if syntax.PyName(call.Field("function")) != "suppress" {
				continue
			}
			for _, a := range syntax.PyArgs(call) {
				switch syntax.PyName(a) {
				case "RuntimeError", "Exception", "BaseException":
					return true
				}
			}
		}
	}
	return false
}

// swallowed is the nearest statement around a check inside of its function that
// goes on after the check has raised, where what follows it uses the output;
// invalid when there is none.
func swallowed(check syntax.Node, output string) syntax.Node {
	if output == "" {
		return syntax.Node{}
	}
	for at := check; at.Valid() && !at.Is("function_definition", "module"); at = at.Parent() {
		if !(at.Is("with_statement") && suppresses(at)) && !(at.Is("try_statement") && check.Inside(at.Field("body")) && swallows(at)) {
			continue
		}
		for next := at.Next(); next.Valid(); next = next.Next() {
			if !mentionsName(next, output) {
				continue
			}
			// The output may be made in another way after a failure.
			if a := next.NamedChild(0); next.Is("expression_statement") && a.Is("assignment") && a.Field("left").Text() == output || next.Is("if_statement", "delete_statement") {
				break
			}
			return at
		}
	}
	return syntax.Node{}
}
