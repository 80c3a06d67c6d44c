package r35

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// launch compares a call of an entry with the entry's signature.
func launch(p *rules.Pass, e *host.Export, l *host.Launch) {
	if got, want := len(l.Call.Args), len(l.Entry.Params); got != want {
		p.Reportf(l.Call.Node, rules.Error, "entry arguments", "`%s` is called with %d arguments, the entry has %d parameters", l.Entry.Name, got, want)
	} else {
		swappedEntry(p, l)
	}
	if l.Listed {
		genericList(p, e, l)
	} else if l.GenericsAt.Valid() {
		p.Undecided("the generics list is not visible")
	}
	if l.Escapes || !l.Runs {
		p.Undecided("the launch is handed on")
		return
	}
	switch {
	case l.Grid.Valid():
		grid(p, e, l)
		idleAxis(p, l)
	case !infersGrid(l.Entry):
		p.Reportf(l.Call.Node, rules.Error, "grid", "`%s` is launched without `.grid((x, y, z))`", l.Entry.Name)
	}
	for _, name := range []string{"occupancy", "num_cta_in_cga"} {
		if param, ok := e.Param(name); ok && !l.Options.Valid() {
			p.Reportf(l.Call.Node, rules.Error, "options", "`%s` takes `%s`, but the launch of `%s` has no `.compile_options(..)`, so tuned values have no effect", e.Name, param.Name, l.Entry.Name)
			break
		}
	}
}

// infersGrid reports whether an entry takes a partition, whose shape gives the
// grid, or something that is not understood.
func infersGrid(f *dsl.Func) bool {
	return slices.ContainsFunc(f.Params, func(q dsl.Param) bool {
		t := dsl.ParseType(q.Type)
		return t.Kind == dsl.Partition || t.Kind == dsl.Tensor && t.Mut || t.Kind == dsl.Unknown
	})
}

// genericList compares the list passed to generics with the entry's <..>.
func genericList(p *rules.Pass, e *host.Export, l *host.Launch) {
	params := generics(l.Entry)
	if len(l.Generics) != len(params) {
		var names []string
		for _, g := range params {
			names = append(names, g.name)
		}
		p.Reportf(l.GenericsAt, rules.Error, "generics", "`%s` gets %d generic values, the entry has %d: %s", l.Entry.Name, len(l.Generics), len(params), list(names))
		return
	}
	fixedType(p, e, l, params)
	for i, g := range l.Generics {
		param, isParam := e.Param(g.Name)
		switch {
		case params[i].kind && g.Name != "" && isParam && !param.Desc() && param.Type != "&str":
			p.Reportf(g.Node, rules.Error, "generics kind", "generic %d of `%s` is the type `%s`, but the number `%s` is passed", i+1, l.Entry.Name, params[i].name, g.Name)
		case !params[i].kind && (g.Dtype || elementLiteral(g.Literal)):
			p.Reportf(g.Node, rules.Error, "generics kind", "generic %d of `%s` is the constant `%s`, but a dtype is passed", i+1, l.Entry.Name, params[i].name)
		case !params[i].kind && g.Name != "" && fold(g.Name) != fold(params[i].name) && !g.Dtype:
			// Names may differ; a name that another slot has is a mix-up.
			if other := slices.IndexFunc(params, func(o generic) bool { return !o.kind && fold(o.name) == fold(g.Name) }); other >= 0 {
				p.Reportf(g.Node, rules.Warning, "generics order", "generic %d of `%s` is `%s`, but `%s` is passed, which is the name of generic %d", i+1, l.Entry.Name, params[i].name, g.Name, other+1)
			} else if isParam && !related(g.Name, params[i].name) && chooses(l.Call.Node, g.Name) {
				p.Reportf(g.Node, rules.Warning, "generics order", "generic %d of `%s` is `%s`, but `%s` is passed, which chooses this launch and is the same in all of its calls", i+1, l.Entry.Name, params[i].name, g.Name)
			}
		}
	}
}

// related reports whether a word of one name begins one of the other.
func related(a, b string) bool {
	for _, x := range strings.Split(strings.ToLower(a), "_") {
		for _, y := range strings.Split(strings.ToLower(b), "_") {
			if x != "" && y != "" && (strings.HasPrefix(x, y) || strings.HasPrefix(y, x)) {
				return true
			}
		}
	}
	return false
}

// chooses reports whether a launch stands in a branch on a name alone.
func chooses(launch syntax.Node, name string) bool {
	for n := launch.Ancestor("if_expression"); n.Valid(); n = n.Ancestor("if_expression") {
		ids := n.Field("condition").Find("identifier")
		if len(ids) == 1 && ids[0].Text() == name {
			return true
		}
	}
	return false
}

// elementLiteral reports whether a literal names an element type.
func elementLiteral(s string) bool { return host.ElemSize(s) > 0 }

// fold is a name without case and underscores: BM and bm, BLOCK_SIZE and
// block_size are one.
func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// grid checks that the grid is three numbers of type u32.
func grid(p *rules.Pass, e *host.Export, l *host.Launch) {
	g := dsl.Unparen(l.Grid)
	if !g.Is("tuple_expression") {
		return
	}
	dims := g.NamedChildren()
	if len(dims) != 3 {
		p.Reportf(l.Grid, rules.Error, "grid", "the grid of `%s` has %d dimensions; expected `(x, y, z)`", l.Entry.Name, len(dims))
		return
	}
	for _, d := range dims {
		if t := known(e, dsl.Unparen(d)); t != "" && t != "u32" {
			p.Reportf(d, rules.Error, "grid type", "`%s` is of type `%s`; a grid is of `u32`", rules.Short(d), t)
		}
	}
}

// known is the type of an expression where the source says it at once.
func known(e *host.Export, n syntax.Node) string {
	switch n.Kind() {
	case "type_cast_expression":
		return n.Field("type").Squeeze()
	case "identifier":
		if param, ok := e.Param(n.Text()); ok && !shadowed(e, n) {
			return param.Type
		}
	case "integer_literal":
		for _, s := range []string{"i32", "i64", "usize", "u64"} {
			if strings.HasSuffix(n.Text(), s) {
				return s
			}
		}
	}
	return ""
}

func shadowed(e *host.Export, id syntax.Node) bool {
	for _, let := range e.Body.Find("let_declaration") {
		for _, b := range let.Field("pattern").Find("identifier") {
			if b.Text() == id.Text() {
				return true
			}
		}
	}
	return false
}
