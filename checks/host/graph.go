package host

import (
	"slices"

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
	w       *Wrapper
	reach   map[syntax.Node]Region // by function_definition or lambda
	classes map[string]syntax.Node // of the file by name, invalid where a name has several
}

func newGraph(w *Wrapper) *graph {
	g := &graph{w, map[syntax.Node]Region{}, map[string]syntax.Node{}}
	for _, c := range w.File.Root().Find("class_definition") {
		name := c.Field("name").Text()
		if _, twice := g.classes[name]; twice {
			c = syntax.Node{}
		}
		g.classes[name] = c
	}
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
	for _, d := range slices.Backward(syntax.PyDecorators(fn)) {
		var around []syntax.Node
		switch {
		case syntax.PyName(d.Field("function")) == "register_impl":
			return // what stands above it is not registered
		case d.Is("identifier"):
			around = g.returned(g.w.Function(d))
		case d.Is("call") && d.Field("function").Is("identifier"):
			for _, f := range g.returned(g.w.Function(d.Field("function"))) {
				around = append(around, g.returned(f)...)
			}
		}
		for _, f := range around {
			g.mark(f, r)
		}
	}
}

// returned lists the functions that a function of the file defines and returns, such
// as the one that a decorator puts in place of another.
func (g *graph) returned(fn syntax.Node) []syntax.Node {
	var out []syntax.Node
	for _, r := range fn.Find("return_statement") {
		if Owner(r) != fn {
			continue
		}
		for _, f := range g.referenced(r) {
			if Owner(f) == fn {
				out = append(out, f)
			}
		}
	}
	return out
}

// entered lists the methods that a with statement calls of an object that it makes of a
// class of the file.
func (g *graph) entered(item syntax.Node) []syntax.Node {
	made := item.Field("value")
	if made.Is("as_pattern") {
		made = made.NamedChild(0)
	}
	var out []syntax.Node
	class := g.classes[made.Field("function").Text()]
	for _, m := range class.Find("function_definition") {
		switch m.Field("name").Text() {
		case "__init__", "__enter__", "__exit__":
			if m.Ancestor("class_definition") == class && !Owner(m).Inside(class) {
				out = append(out, m)
			}
		}
	}
	return out
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
		case "with_item":
			out = append(out, g.entered(c)...)
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
