package host

import (
	"github.com/tilegate/tilegate/checks/syntax"
)

// Region says when code of a wrapper runs.
type Region uint8

// The regions.
const (
	Unreached Region = iota // not reached from a registered function
	Once                    // reached, outside of what the autotuner calls
	Hot                     // runs on each timed call
)

// graph knows which functions of a file are reached from which.
type graph struct {
	w     *Wrapper
	reach map[syntax.Node]Region // by function_definition or lambda
}

func newGraph(w *Wrapper) *graph {
	g := &graph{w: w, reach: map[syntax.Node]Region{}}
	for _, r := range w.Registers {
		g.mark(r.Func, Once)
	}
	tuned := false
	for _, c := range w.File.Root().Find("call") {
		if syntax.PyName(c.Field("function")) != "autotune_launch" || g.reach[Owner(c)] == Unreached {
			continue
		}
		tuned = true
		fn := syntax.PyArg(c, "kernel_fn", 0)
		if fn.Is("identifier") {
			if v := w.Local(fn); v.Valid() {
				fn = v
			}
		}
		for _, f := range g.referenced(fn) {
			g.mark(f, Hot)
		}
	}
	if !tuned {
		for f := range g.reach {
			g.reach[f] = Hot
		}
	}
	return g
}

// mark walks all functions that are reached from fn.
func (g *graph) mark(fn syntax.Node, r Region) {
	if g.reach[fn] >= r {
		return
	}
	g.reach[fn] = r
	for _, f := range g.referenced(fn.Field("body")) {
		g.mark(f, r)
	}
}

// referenced lists the functions that code names or holds, bodies of nested
// functions left out: a function that is called, passed on or returned.
func (g *graph) referenced(n syntax.Node) []syntax.Node {
	var out []syntax.Node
	n.Inspect(func(c syntax.Node) bool {
		switch c.Kind() {
		case "lambda":
			out = append(out, c)
			return false
		case "function_definition":
			return false
		case "identifier":
			if p := c.Parent(); p.Is("attribute") && p.Field("attribute") == c || p.Is("keyword_argument") && p.Field("name") == c {
				return true
			}
			if f := g.w.Function(c); f.Valid() {
				out = append(out, f)
			}
		}
		return true
	})
	return out
}

// Function is the function_definition or lambda that a name refers to, found
// by scope; invalid when there is none.
func (w *Wrapper) Function(id syntax.Node) syntax.Node {
	for owner := Owner(id); owner.Valid(); owner = Owner(owner) {
		if f := w.funcs[scopedName{owner, id.Text()}]; f.Valid() {
			return f
		}
		if parameter(owner, id.Text()) {
			return syntax.Node{}
		}
	}
	return syntax.Node{}
}

// Region says when the code at a node runs.
func (w *Wrapper) Region(n syntax.Node) Region {
	if o := Owner(n); o.Valid() {
		return w.graph.reach[o]
	}
	return Unreached
}

// Reached reports whether a function or lambda is reached from a registered
// function.
func (w *Wrapper) Reached(fn syntax.Node) bool { return w.graph.reach[fn] > Unreached }
