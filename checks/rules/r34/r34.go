// Package r34 is rule R34: a transposition has exactly one owner.
package r34

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R34.
var Rule = &rules.Rule{
	ID: "R34", Title: "A transposition has exactly one owner",
	Category: "memory", Owner: "kernel", Severity: rules.Error, DecidedBy: "cross-file", Fix: "none",
	Signatures: []string{"S-C02"},
	Why:        "When the host swaps two axes of a tensor and the kernel permutes the same two, the swaps cancel and the kernel computes with the untransposed operand.",
	Triage: []string{
		"Keep the transposition in the kernel and pass the physical tensor, shape and strides.",
		"Compare the axes: a swap of other axes on the host, such as heads and sequence, is no second owner.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules, host.Facts}, Run: run,
}

// Conditional is the construct of a swap that the host makes under a condition only.
const Conditional = "conditional"

// axes are two axes that change places, counted from the last: -1 is the last.
type axes [2]int

// move is a transposition in a kernel.
type move struct {
	node        syntax.Node
	axes        axes
	conditional bool
}

func run(p *rules.Pass) {
	k := host.Of(p).Kernel(p.Kernel)
	if k == nil || k.FFI == nil || k.Wrapper == nil {
		return
	}
	moves := map[string]map[string][]move{} // by entry and parameter
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Entries() {
			moves[fn.Name] = permutations(fn)
		}
	}
	reported := map[syntax.Node]bool{}
	for _, e := range k.FFI.Exports {
		for _, l := range e.Launches {
			for i, q := range l.Entry.Params {
				list := moves[l.Entry.Name][q.Name]
				t := dsl.ParseType(q.Type)
				if len(list) == 0 || i >= len(l.Call.Args) || !t.ShapeKnown {
					continue
				}
				for _, r := range routes(k, e, l.Call.Args[i]) {
					compare(p, q.Name, len(t.Shape), list, r, reported)
				}
			}
		}
	}
}

// compare reports a route of a tensor that swaps the axes which the kernel
// swaps too.
func compare(p *rules.Pass, param string, rank int, list []move, r route, reported map[syntax.Node]bool) {
	if !r.known {
		p.Undecided("how the host lays out a tensor that the kernel transposes is not visible")
		return
	}
	for _, m := range list {
		swapped, ok := r.last(rank, m.axes)
		if !ok || reported[r.place] {
			continue
		}
		reported[r.place] = true
		severity := rules.Error
		if m.conditional || r.conditional {
			severity = rules.Warning
		}
		construct := ""
		if r.conditional {
			construct = Conditional
		}
		p.Reportf(r.place, severity, construct, "this swaps axes %d and %d of the tensor that the kernel gets as `%s`, and `%s` in line %d of kernel.rs swaps the same two; let one side do it, best the kernel",
			swapped[0], swapped[1], param, m.node.Field("function").Squeeze(), m.node.Pos().Line)
	}
}

// permutations lists, by parameter, where an entry swaps two of its axes.
func permutations(fn *dsl.Func) map[string][]move {
	out := map[string][]move{}
	for _, c := range fn.Calls() {
		var perm, tensor syntax.Node
		switch {
		case c.Method() && c.Name == "partition_permuted" && len(c.Args) == 2:
			perm, tensor = c.Args[1], c.Receiver
		case fn.Op(c) == "permute" && len(c.Args) == 2:
			perm, tensor = c.Args[1], loadedFrom(fn, c.Args[0])
		default:
			continue
		}
		tensor = fn.Resolve(tensor, 3)
		b, ok := fn.Lookup(tensor)
		a, swaps := pair(perm)
		if !tensor.Is("identifier") || !ok || !b.Node.Is("parameter") || !swaps {
			continue
		}
		out[b.Name] = append(out[b.Name], move{c.Node, a, c.Node.Ancestor("if_expression", "match_expression").Inside(fn.Body)})
	}
	return out
}

// pair reads const_array![..] as a permutation that swaps two axes.
func pair(perm syntax.Node) (axes, bool) {
	list, ok := dsl.MacroList(perm)
	if !ok {
		return axes{}, false
	}
	var p []int
	for _, n := range list {
		v, err := strconv.Atoi(strings.TrimSuffix(n.Text(), "i32"))
		if err != nil {
			return axes{}, false
		}
		p = append(p, v)
	}
	return swapOf(p)
}

// swapOf reads a permutation that swaps two axes and keeps the others.
func swapOf(p []int) (axes, bool) {
	var moved []int
	for i, v := range p {
		if v != i {
			moved = append(moved, i)
		}
	}
	if len(moved) != 2 || p[moved[0]] != moved[1] || p[moved[1]] != moved[0] {
		return axes{}, false
	}
	return axes{moved[0] - len(p), moved[1] - len(p)}, true
}

// loadedFrom is the tensor that a tile is loaded from, through conversions and
// reshapes that only drop leading dimensions; invalid when it is not visible.
func loadedFrom(fn *dsl.Func, tile syntax.Node) syntax.Node {
	for range 8 {
		tile = fn.Resolve(tile, 3)
		c, ok := dsl.AsCall(tile)
		switch {
		case !ok:
			return syntax.Node{}
		case c.Method() && c.Name == "reshape":
			from, to := fn.TypeOf(c.Receiver), fn.TypeOf(tile)
			if !from.ShapeKnown || !to.ShapeKnown || len(from.Shape) < len(to.Shape) ||
				!slices.Equal(from.Shape[len(from.Shape)-len(to.Shape):], to.Shape) {
				return syntax.Node{}
			}
			tile = c.Receiver
		case fn.Op(c) == "convert_tile" && len(c.Args) == 1:
			tile = c.Args[0]
		case fn.Op(c) == "load_view_tko" && len(c.Args) > 0:
			view := dsl.Unparen(c.Args[0])
			if view.Is("reference_expression") {
				view = view.Field("value")
			}
			v, ok := dsl.AsCall(fn.Resolve(view, 3))
			switch {
			case ok && v.Method() && v.Name == "partition":
				return v.Receiver
			case ok && fn.Op(v) == "make_partition_view" && len(v.Args) == 5 && syntax.LastSegment(v.Args[3]) == "Identity":
				return v.Args[0]
			}
			return syntax.Node{}
		default:
			return syntax.Node{}
		}
	}
	return syntax.Node{}
}
