package dsl

import (
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// Mutable reports whether a binding may be assigned: a let with mut.
func (b Binding) Mutable() bool {
	return b.Node.Is("let_declaration") &&
		(b.Node.ChildOf("mutable_specifier").Valid() || b.Pattern.Parent().Is("mut_pattern"))
}

// Loop is the innermost loop whose body holds a node, a closure ending the
// search; invalid outside of loops.
func Loop(n syntax.Node) syntax.Node {
	for at, p := n, n.Parent(); p.Valid(); at, p = p, p.Parent() {
		switch p.Kind() {
		case "for_expression", "while_expression", "loop_expression":
			if at == p.Field("body") {
				return p
			}
		case "closure_expression", "function_item":
			return syntax.Node{}
		}
	}
	return syntax.Node{}
}

// Assignment is one assignment of a whole name.
type Assignment struct {
	Node    syntax.Node // assignment_expression or compound_assignment_expr
	Name    syntax.Node // the identifier on the left
	Binding Binding
}

// Assignments lists the assignments of local names at or below a node, those
// in closures left out.
func (f *Func) Assignments(n syntax.Node) []Assignment {
	var out []Assignment
	n.Inspect(func(c syntax.Node) bool {
		if c.Is("assignment_expression", "compound_assignment_expr") {
			if id := Unparen(c.Field("left")); id.Is("identifier") {
				if b, ok := f.Lookup(id); ok {
					out = append(out, Assignment{c, id, b})
				}
			}
		}
		return !c.Is("closure_expression")
	})
	return out
}

// CompileTime reports whether an expression is made of literals, const generics
// and constants only, so that its value is known when the kernel is compiled.
func (f *Func) CompileTime(n syntax.Node) bool { return f.compileTime(n, maxHops) }

func (f *Func) compileTime(n syntax.Node, hops int) bool {
	if hops == 0 {
		return false
	}
	n = Unparen(n)
	switch n.Kind() {
	case "integer_literal", "float_literal", "boolean_literal":
		return true
	case "unary_expression":
		return f.compileTime(n.NamedChild(0), hops-1)
	case "type_cast_expression":
		return f.compileTime(n.Field("value"), hops-1)
	case "binary_expression":
		return f.compileTime(n.Field("left"), hops-1) && f.compileTime(n.Field("right"), hops-1)
	case "identifier":
		b, ok := f.Lookup(n)
		if ok && b.Node.Is("const_parameter", "const_item") {
			return true
		}
		d := f.Definition(n)
		return d.Valid() && f.compileTime(d, hops-1)
	}
	return false
}

// Taken says how surely a place in a function is reached, as far as the
// conditions around it say it.
type Taken uint8

// The answers of Func.Taken.
const (
	Always Taken = iota
	Sometimes
	Never
)

// Taken looks at the conditions around a node. The values of const generics are
// those that generic knows; it may be nil.
func (f *Func) Taken(n syntax.Node, generic func(name string) (int64, bool)) Taken {
	taken := Always
	for at, p := n, n.Parent(); p.Valid() && at != f.Body; at, p = p, p.Parent() {
		switch {
		case p.Is("match_expression"):
			taken = Sometimes
		case p.Is("if_expression", "while_expression") && at != p.Field("condition"):
			holds, known := f.value(p.Field("condition"), generic, maxHops)
			switch {
			case !known:
				taken = Sometimes
			case (holds != 0) == (at == p.Field("alternative")):
				return Never
			}
		}
	}
	return taken
}

// value is an integer or a condition (0 or 1) that literals and constants decide.
func (f *Func) value(n syntax.Node, generic func(string) (int64, bool), hops int) (int64, bool) {
	if hops == 0 {
		return 0, false
	}
	truth := func(b bool) (int64, bool) {
		if b {
			return 1, true
		}
		return 0, true
	}
	n = Unparen(n)
	switch n.Kind() {
	case "boolean_literal":
		return truth(n.Text() == "true")
	case "integer_literal":
		return Integer(n)
	case "unary_expression":
		v, ok := f.value(n.NamedChild(0), generic, hops-1)
		switch {
		case ok && strings.HasPrefix(n.Text(), "-"):
			return -v, true
		case ok && strings.HasPrefix(n.Text(), "!") && (v == 0 || v == 1) && f.condition(n.NamedChild(0), hops-1):
			return 1 - v, true
		}
	case "identifier":
		b, ok := f.Lookup(n)
		switch {
		case ok && b.Node.Is("const_item"):
			return f.value(b.Node.Field("value"), generic, hops-1)
		case ok && b.Node.Is("const_parameter"):
			if generic != nil {
				return generic(b.Name)
			}
		case ok:
			if d := f.Definition(n); d.Valid() {
				return f.value(d, generic, hops-1)
			}
		}
	case "binary_expression":
		l, left := f.value(n.Field("left"), generic, hops-1)
		r, right := f.value(n.Field("right"), generic, hops-1)
		switch op := n.Field("operator").Text(); {
		case op == "&&" && (left && l == 0 || right && r == 0):
			return 0, true
		case op == "||" && (left && l == 1 || right && r == 1):
			return 1, true
		case !left || !right:
		case op == "&&":
			return truth(l == 1 && r == 1)
		case op == "||":
			return truth(l == 1 || r == 1)
		case op == "==":
			return truth(l == r)
		case op == "!=":
			return truth(l != r)
		case op == "<":
			return truth(l < r)
		case op == ">":
			return truth(l > r)
		case op == "<=":
			return truth(l <= r)
		case op == ">=":
			return truth(l >= r)
		}
	}
	return 0, false
}

// condition reports whether an expression is a bool for sure: `!` of an integer
// turns all its bits.
func (f *Func) condition(n syntax.Node, hops int) bool {
	if hops == 0 {
		return false
	}
	n = Unparen(n)
	switch n.Kind() {
	case "boolean_literal":
		return true
	case "unary_expression":
		return strings.HasPrefix(n.Text(), "!") && f.condition(n.NamedChild(0), hops-1)
	case "binary_expression":
		switch n.Field("operator").Text() {
		case "&&", "||", "==", "!=", "<", ">", "<=", ">=":
			return true
		}
	case "identifier":
		b, ok := f.Lookup(n)
		switch {
		case ok && b.Node.Is("const_item", "const_parameter"):
			return b.Node.Field("type").Text() == "bool"
		case ok:
			return f.condition(f.Definition(n), hops-1)
		}
	}
	return false
}

// Integer is the value of a decimal integer literal.
func Integer(n syntax.Node) (int64, bool) {
	if !n.Is("integer_literal") {
		return 0, false
	}
	text := n.Text()
	if i := strings.IndexAny(text, "iu"); i > 0 {
		text = text[:i]
	}
	v, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 32)
	return v, err == nil
}

// Branches lists the blocks of an if with all its else ifs; complete says that
// the last one is a plain else.
func Branches(n syntax.Node) (blocks []syntax.Node, complete bool) {
	for n.Is("if_expression") {
		blocks = append(blocks, n.Field("consequence"))
		other := n.Field("alternative")
		if !other.Valid() {
			return blocks, false
		}
		if other.Is("else_clause") {
			other = other.NamedChild(0)
		}
		n = other
	}
	return append(blocks, n), true
}
