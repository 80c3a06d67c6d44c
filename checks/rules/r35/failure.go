package r35

import (
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
	related map[string]bool // names of arguments and of what is made from them
	left    int
}

// raisesOnFailure reports whether a function that gets a return code raises for
// each code of a failure, or may, as far as its source says.
func raisesOnFailure(fn syntax.Node) bool {
	params := fn.Field("parameters").NamedChildren()
	if len(params) == 0 {
		return false
	}
	for _, code := range failureCodes {
		c := &checked{code: code, is: map[string]bool{first(params[0]): true}, related: map[string]bool{}, left: maxChecked}
		for _, id := range fn.Field("parameters").Find("identifier") {
			c.related[id.Text()] = true
		}
		if c.passes(fn.Field("body").NamedChildren()) {
			return false
		}
	}
	return true
}

// someCodes reports whether a condition on a return code is met by some failures
// only. One that success meets asks for success.
func someCodes(cond syntax.Node, rc string) bool {
	ask := func(code int) held {
		return (&checked{code: code, is: map[string]bool{rc: true}}).holds(cond)
	}
	if ask(0) == holds {
		return false
	}
	for _, code := range failureCodes {
		if a := ask(code); a == fails || a == either {
			return true
		}
	}
	return false
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
			return !c.handsOn(s)
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
			if c.handsOn(s) {
				return false
			}
			if a := s.NamedChild(0); a.Is("assignment", "augmented_assignment") {
				c.assign(a)
			}
		case "for_statement", "while_statement", "match_statement":
			if len(s.Find("raise_statement", "return_statement")) > 0 || c.handsOn(s) {
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

func join(a, b []syntax.Node) []syntax.Node { return append(append([]syntax.Node(nil), a...), b...) }

// assign notes what a name holds now.
func (c *checked) assign(a syntax.Node) {
	right := a.Field("right")
	isCode := a.Is("assignment") && c.isCode(right)
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
		found = found || id.Is("identifier") && (c.is[id.Text()] || c.related[id.Text()])
		return !found
	})
	return found
}

// harmless are functions that get a code without judging it.
var harmless = map[string]bool{
	"print": true, "debug": true, "info": true, "warning": true, "warn": true, "error": true, "exception": true, "critical": true, "log": true,
	"get": true, "int": true, "str": true, "repr": true, "hex": true, "format": true, "abs": true, "bool": true, "isinstance": true, "append": true, "write": true,
}

// handsOn reports whether a node gives the code, or what is made from it, to a
// function that may raise for it, or ends the process.
func (c *checked) handsOn(n syntax.Node) bool {
	for _, call := range n.Find("call") {
		name := syntax.PyName(call.Field("function"))
		if name == "exit" || name == "_exit" || name == "abort" || !harmless[name] && c.mentions(call.Field("arguments")) {
			return true
		}
	}
	return false
}

// holds evaluates a condition for the code.
func (c *checked) holds(n syntax.Node) held {
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
