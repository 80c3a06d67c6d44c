package host

import (
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// Backend is the name under which the kernels are registered.
const Backend = "cutile-rs"

// BackendLists names the lists of a test file that hold the backend.
func (w *Wrapper) BackendLists() map[string]bool {
	out := map[string]bool{}
	holds := func(n syntax.Node) bool { return w.HoldsBackend(n, out) }
	for range 4 { // lists are built from lists
		for _, a := range w.File.Root().Find("assignment", "augmented_assignment") {
			if right := a.Field("right"); holds(right) {
				given(a.Field("left"), right, holds, out)
			}
		}
		for _, loop := range w.File.Root().Find("for_statement") {
			// What a loop adds to a list is one of the names that it runs over.
			if left := loop.Field("left"); left.Is("identifier") && !strings.HasPrefix(Owner(loop).Field("name").Text(), "test") && holds(loop.Field("right")) {
				out[left.Text()] = true
			}
		}
		for _, c := range w.File.Root().Find("call") {
			fn := c.Field("function")
			if name := syntax.PyName(fn); fn.Is("attribute") && (name == "append" || name == "extend" || name == "insert") && holds(c.Field("arguments")) {
				out[syntax.PyName(fn.Field("object"))] = true
			}
		}
	}
	return out
}

// given names the lists that an assignment of something that holds the backend gives it
// to: a name, an element or a part of a list, or those of several targets whose value
// holds it.
func given(left, right syntax.Node, holds func(syntax.Node) bool, out map[string]bool) {
	switch left.Kind() {
	case "identifier":
		out[left.Text()] = true
	case "subscript":
		out[syntax.PyName(left.Field("value"))] = true
	case "pattern_list", "tuple_pattern", "list_pattern":
		targets, values := left.NamedChildren(), right.NamedChildren()
		single := right.Is("expression_list", "tuple", "list") && len(values) == len(targets)
		for i, t := range targets {
			switch {
			case !single:
				given(t, syntax.Node{}, holds, out)
			case holds(values[i]):
				given(t, values[i], holds, out)
			}
		}
	}
}

// HoldsBackend reports whether an expression holds the backend's name or one
// of the lists. The question whether it is available holds nothing.
func (w *Wrapper) HoldsBackend(n syntax.Node, lists map[string]bool) bool {
	found := false
	n.Inspect(func(c syntax.Node) bool {
		switch c.Kind() {
		case "call":
			if name := syntax.PyName(c.Field("function")); strings.HasPrefix(name, "is_backend_available") {
				return false
			}
		case "comparison_operator", "lambda":
			return false
		case "string":
			found = found || syntax.PyString(c) == Backend
		case "identifier":
			found = found || lists[c.Text()]
		}
		return true
	})
	return found
}

// BackendParam is the name of the test's parameter that takes the backend;
// empty when it takes none.
func (w *Wrapper) BackendParam(fn syntax.Node, lists map[string]bool) string {
	marks := syntax.PyDecorators(fn)
	if class := fn.Ancestor("class_definition"); class.Valid() {
		marks = append(marks, syntax.PyDecorators(class)...)
	}
	if m := w.Consts["pytestmark"]; m.Valid() {
		marks = append(marks, m.Find("call")...)
	}
	for _, d := range marks {
		if !d.Is("call") || syntax.PyName(d.Field("function")) != "parametrize" || !w.HoldsBackend(syntax.PyArg(d, "argvalues", 1), lists) {
			continue
		}
		arg := syntax.PyArg(d, "argnames", 0)
		var names []string
		if s, ok := w.String(arg); ok {
			names = strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
		}
		for _, c := range arg.NamedChildren() {
			if s := syntax.PyString(c); s != "" {
				names = append(names, s)
			}
		}
		for _, n := range names {
			if len(names) == 1 || strings.Contains(n, "backend") || strings.Contains(n, "framework") {
				return n
			}
		}
	}
	return ""
}

// Answer is the value of a condition in a test for the backend.
type Answer uint8

// The answers.
const (
	Depends Answer = iota // depends on other things
	No                    // false
	Yes                   // true
	Unsure                // depends on the backend in a way that is not understood
)

// Ask evaluates a condition with the backend's name in the parameter.
func (w *Wrapper) Ask(n syntax.Node, param string) Answer {
	switch n.Kind() {
	case "parenthesized_expression":
		return w.Ask(n.NamedChild(0), param)
	case "not_operator":
		return not(w.Ask(n.Field("argument"), param))
	case "boolean_operator":
		l, r := w.Ask(n.Field("left"), param), w.Ask(n.Field("right"), param)
		decisive, neutral := No, Yes
		if n.Field("operator").Text() == "or" {
			decisive, neutral = Yes, No
		}
		switch {
		case l == decisive || r == decisive:
			return decisive
		case l == Unsure || r == Unsure:
			return Unsure
		case l == neutral && r == neutral:
			return neutral
		}
		return Depends
	case "comparison_operator":
		parts := n.NamedChildren()
		if len(parts) != 2 {
			break
		}
		l, r := parts[0], parts[1]
		if r.Text() == param && !n.ChildOf("in", "not in").Valid() {
			l, r = r, l
		}
		if l.Text() != param {
			break
		}
		switch {
		case n.ChildOf("==", "!=").Valid():
			s, ok := w.String(r)
			if !ok {
				return Unsure
			}
			return truth((s == Backend) == n.ChildOf("==").Valid())
		case n.ChildOf("in", "not in").Valid():
			set := w.Const(r)
			if !set.Is("tuple", "list", "set") {
				return Unsure
			}
			found := false
			for _, e := range set.NamedChildren() {
				s, ok := w.String(e)
				if !ok {
					return Unsure
				}
				found = found || s == Backend
			}
			return truth(found == n.ChildOf("in").Valid())
		}
	case "call":
		fn := n.Field("function")
		switch name := syntax.PyName(fn); {
		case name == "is_backend_available":
			return Yes
		case fn.Is("attribute") && fn.Field("object").Text() == param && (name == "startswith" || name == "endswith"):
			s, ok := w.String(syntax.PyArg(n, "", 0))
			if !ok {
				return Unsure
			}
			if name == "startswith" {
				return truth(strings.HasPrefix(Backend, s))
			}
			return truth(strings.HasSuffix(Backend, s))
		}
	}
	for _, id := range n.Find("identifier") {
		if id.Text() == param {
			return Unsure
		}
	}
	return Depends
}

func truth(b bool) Answer {
	if b {
		return Yes
	}
	return No
}

func not(a Answer) Answer {
	switch a {
	case Yes:
		return No
	case No:
		return Yes
	}
	return a
}

// Reaches reports whether the backend gets to a place of a test, by the
// conditions around it. A condition that is not understood counts as no.
func (w *Wrapper) Reaches(fn, n syntax.Node, param string) bool {
	for c := n; c.Valid() && c != fn; c = c.Parent() {
		cond, negate, ok := Branch(c)
		if !ok {
			continue
		}
		switch a := w.Ask(cond, param); {
		case a == Unsure, a == No && !negate, a == Yes && negate:
			return false
		}
	}
	return true
}

// Branch is the condition under which a node's parent runs the node: negated
// for the other branch. The last result is false when the parent is no branch.
func Branch(c syntax.Node) (cond syntax.Node, negate, ok bool) {
	switch p := c.Parent(); {
	case p.Is("if_statement", "elif_clause") && p.Field("consequence") == c:
		return p.Field("condition"), false, true
	case p.Is("else_clause") && p.Parent().Is("if_statement"):
		return p.Parent().Field("condition"), true, true
	case p.Is("conditional_expression"):
		if parts := p.NamedChildren(); len(parts) == 3 && parts[1] != c {
			return parts[1], c == parts[2], true
		}
	}
	return syntax.Node{}, false, false
}

// Leaves reports whether a block ends the test.
func Leaves(block syntax.Node) bool {
	for _, s := range block.NamedChildren() {
		switch s.Kind() {
		case "return_statement", "raise_statement":
			return true
		case "expression_statement":
			switch c := s.NamedChild(0); syntax.PyName(c.Field("function")) {
			case "skip", "xfail", "skipTest":
				return true
			}
		}
	}
	return false
}
