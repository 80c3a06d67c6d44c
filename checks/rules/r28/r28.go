// Package r28 is rule R28: ragged edges keep padded views and TMA.
package r28

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R28.
var Rule = &rules.Rule{
	ID: "R28", Title: "Ragged edges keep padded views and TMA",
	Category: "performance", Owner: "kernel", Severity: rules.Error, DecidedBy: "cross-file", Fix: "safe",
	Signatures: []string{"S-P02", "S-C06", "S-J19"},
	Why:        "A view without padding reads past the tensor in the last, partial tile; loads without TMA or through pointers take the edge correctly and lose the speed of all other tiles.",
	Triage: []string{
		"Make partitions that are loaded with `x.partition(const_shape![..])`, which pads with zero.",
		"Keep `tma::Enabled` unless the reference says `allow_tma=False`.",
		"Compare `padding_value` and `allow_tma` in both IR files.",
		"Load through `x.partition(const_shape![..])` of a `&Tensor` instead of pointers.",
	},
	First: map[string]int{"tma": 1, "padding": 0, "pointer": 3},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules, reference.Facts, reference.IR, reference.Evidence}, Run: run,
}

func run(p *rules.Pass) {
	tma, views := tmaEvidence(p), viewsOnly(p)
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			disabled(p, fn, tma)
			unpadded(p, fn)
			pointers(p, fn, views)
		}
	}
}

// answer is what the evidence says.
type answer uint8

const (
	unknown answer = iota
	no
	yes
)

// tmaEvidence says whether the reference turns TMA off somewhere.
func tmaEvidence(p *rules.Pass) answer {
	if a := reference.Evidence.Of(p); a != nil && len(a.Values(func(k string) bool { return k == "allow_tma" || k == "tma" })) > 0 {
		return yes // it has its own word on TMA
	}
	entries := reference.IR.Of(p)
	for _, e := range entries {
		for _, op := range e.Ops {
			if strings.Contains(strings.ReplaceAll(op.Text, " ", ""), "allow_tma=false") {
				return yes
			}
		}
	}
	if len(entries) > 0 {
		return no
	}
	ref := reference.Facts.Of(p)
	if ref == nil || notCuTile(p) {
		return unknown
	}
	calls := ref.Calls("load", "store")
	for _, c := range calls {
		if c.Hidden() {
			return unknown
		}
		for _, key := range []string{"allow_tma", "tma"} {
			if v := ref.Const(c.Arg(key, -1)); v.Valid() && !v.Is("true", "none") {
				return yes // False, or a value that is chosen elsewhere
			}
		}
	}
	if len(calls) == 0 {
		return unknown
	}
	return no
}

// source names what shows how the reference reads memory: its IR where there is some,
// else its Python.
func source(p *rules.Pass) string {
	if len(reference.IR.Of(p)) > 0 {
		return path.Join(p.Kernel.Dir, "reference/*.mlir")
	}
	return p.Kernel.Reference
}

// notCuTile reports whether the analysis names another reference.
func notCuTile(p *rules.Pass) bool {
	a := reference.Evidence.Of(p)
	if a == nil {
		return false
	}
	for _, v := range a.Variants {
		if v.ReferenceBackend != "" && v.ReferenceBackend != "cutile" {
			return true
		}
	}
	return a.ReferenceBackend != "" && a.ReferenceBackend != "cutile"
}

// viewsOnly says whether the reference reads memory through views alone.
func viewsOnly(p *rules.Pass) answer {
	if entries := reference.IR.Of(p); len(entries) > 0 {
		views := 0
		for _, e := range entries {
			if e.Count("load_ptr_tko") > 0 {
				return no
			}
			views += e.Count("load_view_tko")
		}
		if views == 0 {
			return unknown
		}
		return yes
	}
	ref := reference.Facts.Of(p)
	switch {
	case ref == nil || notCuTile(p) || len(ref.Calls("load")) == 0:
		return unknown
	case len(ref.Calls("gather", "scatter", "load_pointer", "store_pointer")) > 0:
		return no
	}
	return yes
}

// disabled reports tma::Disabled.
func disabled(p *rules.Pass, fn *dsl.Func, tma answer) {
	for _, n := range fn.Body.Find("scoped_identifier") {
		if module, mode, ok := dsl.Mode(n); !ok || module != "tma" || mode != "Disabled" || n.Parent().Is("scoped_identifier") {
			continue
		}
		switch tma {
		case unknown:
			p.Undecided("what the reference says of TMA is not known")
		case no:
			p.ReportFix(n, rules.Error, "tma", rules.Replace(n.Field("name"), "Enabled", "enable TMA"), "`tma::Disabled`, but the reference (`%s`) never turns TMA off (`allow_tma=False`); write `tma::Enabled`", source(p))
		}
	}
}

// unpadded reports loads of views that do not pad.
func unpadded(p *rules.Pass, fn *dsl.Func) {
	for _, c := range fn.Calls() {
		what := ""
		var shape syntax.Node
		switch {
		case fn.Op(c) == "make_partition_view" && len(c.Args) == 5:
			if module, mode, ok := dsl.Mode(c.Args[2]); !ok || module != "padding" || mode != "None" {
				continue
			}
			what, shape = "`padding::None`", c.Args[1]
		case c.Method() && (c.Name == "partition_full_mut" || c.Name == "partition_mut") && len(c.Args) == 1 && fn.TypeOf(c.Receiver).Kind == dsl.Tensor:
			what, shape = "`"+c.Name+"`, which never pads", c.Args[0]
		default:
			continue
		}
		if single(shape) || ownShape(fn, shape) {
			continue // never partial
		}
		loads, only := viewUses(fn, c)
		if len(loads) == 0 {
			continue
		}
		for i, l := range loads {
			var fix *rules.Fix
			if i == 0 && only {
				fix = padded(fn, c)
			}
			p.ReportFix(l, rules.Warning, "padding", fix, "this loads from a view made with %s; the last tile may be partial, so load from `x.partition(..)`, which pads with zero", what)
		}
	}
}

// ownShape reports whether a shape is that of a tensor itself: one tile.
func ownShape(fn *dsl.Func, shape syntax.Node) bool {
	c, ok := dsl.AsCall(fn.Resolve(shape, 3))
	return ok && c.Method() && c.Name == "shape" && len(c.Args) == 0
}

// single reports whether all dimensions of a shape are 1.
func single(shape syntax.Node) bool {
	list, ok := dsl.MacroList(shape)
	return ok && !slices.ContainsFunc(list, func(d syntax.Node) bool { return strings.TrimSuffix(d.Text(), "i32") != "1" })
}

// viewUses lists the loads that read the view which a call makes. Only says
// that nothing else uses it.
func viewUses(fn *dsl.Func, c dsl.Call) (loads []syntax.Node, only bool) {
	if l, ok := loadOf(fn, c.Node); ok {
		return []syntax.Node{l}, true
	}
	let := fn.PlaceOf(c.Node).Let
	if !let.Valid() || !let.Field("pattern").Is("identifier") {
		return nil, false
	}
	only = true
	for _, id := range fn.Uses(let.Field("pattern")) {
		if l, ok := loadOf(fn, id); ok {
			loads = append(loads, l)
		} else {
			only = false
		}
	}
	return loads, only
}

// loadOf is the call of load_view_tko whose view an expression is.
func loadOf(fn *dsl.Func, n syntax.Node) (syntax.Node, bool) {
	p := n.Parent()
	for p.Is("reference_expression", "parenthesized_expression") {
		n, p = p, p.Parent()
	}
	c, ok := dsl.AsCall(p.Parent())
	if !ok || !p.Is("arguments") || fn.Op(c) != "load_view_tko" || len(c.Args) == 0 || !n.Inside(c.Args[0]) {
		return syntax.Node{}, false
	}
	return c.Node, true
}

// padded is the fix for an identity view of a name that is only loaded.
func padded(fn *dsl.Func, c dsl.Call) *rules.Fix {
	if fn.Op(c) != "make_partition_view" || !dsl.Unparen(c.Args[0]).Is("identifier") || dsl.HasComment(c.Node) {
		return nil
	}
	if syntax.LastSegment(c.Args[3]) != "Identity" || fn.TypeOf(c.Args[0]).Kind != dsl.Tensor {
		return nil
	}
	return rules.Replace(c.Node, dsl.Unparen(c.Args[0]).Text()+".partition("+c.Args[1].Text()+")", "pad with zero")
}

// pointers reports pointer loads in an entry that also loads views, or whose
// IR has none, when the reference reads through views alone.
func pointers(p *rules.Pass, fn *dsl.Func, views answer) {
	if fn.Entry == nil || views != yes {
		return
	}
	if len(reference.IR.Of(p)) == 0 && len(fn.OpCalls(fn.Body, "load_view_tko")) == 0 {
		return // another style as a whole, which rule R12 judges
	}
	for _, c := range fn.OpCalls(fn.Body, "load_ptr_tko") {
		p.Reportf(c.Node, rules.Warning, "pointer", "a pointer load, but the reference (`%s`) reads through views only; a padded view takes partial tiles too, with TMA", source(p))
	}
}
