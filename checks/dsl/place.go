package dsl

import (
	"fmt"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// Place is where the value of an expression goes.
type Place struct {
	// Let is the let_declaration that binds the value, directly or as the tail
	// of a block; invalid when none does.
	Let syntax.Node
	// Type is the annotation that the value must have: of the let or of the
	// function that returns it. Invalid when there is none.
	Type syntax.Node
	// Direct reports that no block stands between the let and the expression.
	Direct bool
	// Known is false when the place is one that the source does not decide,
	// such as the result of a closure or an assignment.
	Known bool
}

// PlaceOf finds where the value of an expression goes.
func (f *Func) PlaceOf(n syntax.Node) Place {
	direct := true
	for at, p := n, n.Parent(); p.Valid(); at, p = p, p.Parent() {
		switch p.Kind() {
		case "let_declaration":
			if at != p.Field("value") {
				return Place{Known: true}
			}
			return Place{Let: p, Type: p.Field("type"), Direct: direct, Known: true}
		case "parenthesized_expression":
		case "unsafe_block":
			direct = false
		case "expression_statement":
			if strings.HasSuffix(p.Text(), ";") {
				return Place{Known: true}
			}
		case "block":
			direct = false
			if !at.Next().Is("}") {
				return Place{Known: true}
			}
		case "if_expression", "else_clause", "match_block", "match_arm", "match_expression":
			direct = false
			if at == p.Field("condition") || at == p.Field("pattern") || p.Is("match_expression") && at == p.Field("value") {
				return Place{Known: true}
			}
		case "function_item":
			return Place{Type: p.Field("return_type"), Known: true}
		case "return_expression":
			return Place{Type: f.Node.Field("return_type"), Known: !p.Ancestor("closure_expression").Valid()}
		case "closure_expression", "assignment_expression":
			return Place{}
		default:
			return Place{Known: true}
		}
	}
	return Place{}
}

// Statement is the statement or block tail that holds an expression, the
// nearest block below a closure or function being its parent; invalid when a
// closure without a block stands between.
func Statement(n syntax.Node) syntax.Node {
	for p := n.Parent(); p.Valid(); n, p = p, p.Parent() {
		switch p.Kind() {
		case "block":
			return n
		case "closure_expression":
			return syntax.Node{}
		}
	}
	return syntax.Node{}
}

// Indent is the white space before a node on its line; ok is false when
// something else stands before it.
func Indent(n syntax.Node) (indent string, ok bool) {
	f := n.File()
	start := f.LineStart(n.Pos().Line)
	indent = string(f.Src[start:n.Span().Start])
	return indent, strings.TrimLeft(indent, " \t") == ""
}

// HasComment reports whether a comment stands at or below a node.
func HasComment(n syntax.Node) bool { return len(n.Find("line_comment", "block_comment")) > 0 }

// Fresh returns base, or base with a number, such that no identifier of the
// function has that name.
func (f *Func) Fresh(base string) string {
	f.build()
	name := base
	for i := 2; f.names[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	return name
}

// Definition is the expression that an identifier stands for: the value of an
// immutable let with a plain name. Invalid for parameters, constants, parts of
// patterns and mutable names.
func (f *Func) Definition(id syntax.Node) syntax.Node {
	b, ok := f.Lookup(id)
	if !ok || !b.Node.Is("let_declaration") || b.Node.ChildOf("mutable_specifier").Valid() || !b.Node.Field("pattern").Is("identifier") {
		return syntax.Node{}
	}
	return b.Node.Field("value")
}

// Resolve strips parentheses, blocks and assume_* calls from an expression and
// follows names to their definitions, at most hops times. The result may be an
// identifier that has no definition.
func (f *Func) Resolve(n syntax.Node, hops int) syntax.Node {
	for {
		n = Unparen(n)
		if n.Is("block") {
			if tail := Tail(n); tail.Valid() {
				n = tail
				continue
			}
			return n
		}
		if c, ok := AsCall(n); ok && len(c.Args) == 1 && strings.HasPrefix(f.Op(c), "assume_") {
			n = c.Args[0]
			continue
		}
		if !n.Is("identifier") || hops <= 0 {
			return n
		}
		d := f.Definition(n)
		if !d.Valid() {
			return n
		}
		n, hops = d, hops-1
	}
}

// Budget bounds how many steps a search through definitions takes, so that
// source made for it cannot make it run away. A search that runs out has found
// nothing.
type Budget int

// Spend takes one step; it reports false when none is left.
func (b *Budget) Spend() bool {
	*b--
	return *b >= 0
}

// Steps is the budget of one search.
const Steps = 500

// Tail is the expression that a block ends in; invalid when it has none.
func Tail(block syntax.Node) syntax.Node {
	kids := block.NamedChildren()
	if len(kids) == 0 {
		return syntax.Node{}
	}
	tail := kids[len(kids)-1]
	if tail.Is("expression_statement") {
		if strings.HasSuffix(tail.Text(), ";") {
			return syntax.Node{}
		}
		tail = tail.NamedChild(0)
	}
	if tail.Is("let_declaration", "empty_statement") || strings.HasSuffix(tail.Kind(), "_item") {
		return syntax.Node{}
	}
	return tail
}

// Binary splits a binary expression with that operator, parentheses removed.
func Binary(n syntax.Node, operator string) (left, right syntax.Node, ok bool) {
	n = Unparen(n)
	if !n.Is("binary_expression") || n.Field("operator").Text() != operator {
		return syntax.Node{}, syntax.Node{}, false
	}
	return n.Field("left"), n.Field("right"), true
}

// Access says how an entry reaches memory: by its parameters and by the calls
// in its own body.
type Access struct {
	Pointers, Tensors        int  // parameters
	PointerOps, ViewOps      int  // load_ptr_tko and its kin; partitions and view loads
	MakesView, HandsOverData bool // calls make_tensor_view; may reach memory in a helper or an unknown method
}

// AccessOf classifies a function. With HandsOverData the counts of calls say
// nothing about what the helpers do.
func (f *Func) AccessOf() Access {
	var a Access
	for _, p := range f.Params {
		switch ParseType(p.Type).Kind {
		case Ptr:
			a.Pointers++
		case Tensor:
			a.Tensors++
		}
	}
	for _, c := range f.Calls() {
		switch f.Op(c) {
		case "load_ptr_tko", "store_ptr_tko", "atomic_rmw_tko", "atomic_cas_tko":
			a.PointerOps++
		case "load_view_tko", "store_view_tko_mut", "load_tile", "store_tile", "load_tile_like", "load_tile_mut":
			a.ViewOps++
		case "make_tensor_view":
			a.MakesView = true
		}
		if c.Method() {
			switch c.Name {
			case "partition", "partition_permuted", "partition_full_mut", "partition_mut", "load_tile":
				a.ViewOps++
			case "load", "load_pipelined", "load_index", "store", "store_index":
				switch f.TypeOf(c.Receiver).Kind {
				case PointerTile:
					a.PointerOps++
				case Tensor, Partition:
					a.ViewOps++
				default:
					a.HandsOverData = true
				}
			}
		}
		if f.Module.Func(c.Name) != nil || !c.Method() && f.Op(c) == "" {
			a.HandsOverData = true
		}
	}
	return a
}

// GridStride reports whether a loop steps by the launch grid, which makes its
// kernel persistent: its range steps by a count of get_num_tile_blocks.
func (f *Func) GridStride(loop syntax.Node) bool {
	c, ok := AsCall(Unparen(loop.Field("value")))
	if !ok || c.Name != "step_by" || !c.Method() || len(c.Args) != 1 {
		return false
	}
	step := Unparen(c.Args[0])
	if step.Is("type_cast_expression") {
		step = Unparen(step.Field("value"))
	}
	if step.Is("identifier") {
		if b, ok := f.Lookup(step); ok && b.Node.Is("let_declaration") && b.Node.Field("pattern").Is("tuple_pattern") {
			step = b.Node.Field("value")
		}
	}
	step = f.Resolve(step, 3)
	if step.Is("type_cast_expression") {
		step = f.Resolve(step.Field("value"), 3)
	}
	if step.Is("field_expression") {
		step = step.Field("value")
	}
	grid, ok := AsCall(Unparen(step))
	return ok && f.Op(grid) == "get_num_tile_blocks"
}
