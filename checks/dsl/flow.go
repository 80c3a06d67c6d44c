package dsl

import "github.com/tilegate/tilegate/checks/syntax"

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
