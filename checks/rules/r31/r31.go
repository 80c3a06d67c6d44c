// Package r31 is rule R31: the generic slot of an accumulator's type is f32.
package r31

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R31.
var Rule = &rules.Rule{
	ID: "R31", Title: "The accumulator's generic slot gets \"f32\"",
	Category: "memory", Owner: "host", Severity: rules.Error, DecidedBy: "cross-file", Fix: "safe",
	Signatures: []string{"S-J09", "S-C03"},
	Why:        "A product that accumulates in the data's type loses its precision, or the matrix unit refuses the pair of types when the kernel is first launched.",
	Triage: []string{
		"Find the slot: the generics list has the order of the entry's `<..>`.",
		"Pass `\"f32\".to_string()` for the accumulator and the dtype for the data.",
		"Convert the accumulator with `convert_tile` before the store.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts, reference.Evidence}, Run: run,
}

// names are names of type parameters that mean an accumulator.
var names = []string{"E2", "EACC", "ACC", "EOUT", "TACC", "ACCTYPE"}

func run(p *rules.Pass) {
	k := host.Of(p).Kernel(p.Kernel)
	if k.FFI == nil {
		return
	}
	for _, e := range k.FFI.Exports {
		for _, l := range e.Launches {
			launch(p, e, l)
		}
	}
}

func launch(p *rules.Pass, e *host.Export, l *host.Launch) {
	f := l.Entry
	if len(f.Types) < 2 {
		return
	}
	if !l.Listed || len(l.Generics) != len(f.Types)+len(f.Consts) {
		p.Undecided("the generics list is not visible, or of another length")
		return
	}
	for i, t := range f.Types {
		if i == 0 || data(f, t.Name) {
			continue
		}
		proven := accumulates(f, t.Name)
		if !proven && !slices.Contains(names, strings.ToUpper(strings.ReplaceAll(t.Name, "_", ""))) {
			continue
		}
		g := l.Generics[slot(f, t)]
		passed := "`\"" + g.Literal + "\"`"
		switch {
		case g.Literal == "f32":
			continue
		case g.Dtype:
			if e.ArmsKnown && !slices.ContainsFunc(e.Arms, func(a host.Arm) bool { return a.Type != "f32" }) {
				continue // the data is f32
			}
			passed = "the dtype of the data"
		case host.ElemSize(g.Literal) == 0:
			p.Undecided("what is passed for the accumulator is not known")
			continue
		}
		if otherwise(p) {
			p.Undecided("analysis.json names another accumulator type")
			continue
		}
		if proven {
			p.ReportFix(g.Node, rules.Error, "slot", rules.Replace(g.Node, `"f32".to_string()`, "accumulate in f32"),
				"generic `%s` of `%s` is the type that `mmaf` accumulates in, but %s is passed; expected `\"f32\".to_string()`", t.Name, f.Name, passed)
			continue
		}
		p.Reportf(g.Node, rules.Warning, "slot", "generic `%s` of `%s` is by its name the accumulator's type, but %s is passed; expected `\"f32\".to_string()`", t.Name, f.Name, passed)
	}
}

// slot is the place of a type parameter among all generics of the entry.
func slot(f *dsl.Func, t dsl.TypeParam) int {
	at := 0
	for _, o := range f.Types {
		if o.Node.Span().Start < t.Node.Span().Start {
			at++
		}
	}
	for _, o := range f.Consts {
		if o.Node.Span().Start < t.Node.Span().Start {
			at++
		}
	}
	return at
}

// data reports whether a parameter of the entry has elements of the type.
func data(f *dsl.Func, name string) bool {
	return slices.ContainsFunc(f.Params, func(q dsl.Param) bool {
		for _, id := range q.Type.Find("type_identifier") {
			if id.Text() == name {
				return true
			}
		}
		return false
	})
}

// accumulates reports whether mmaf accumulates in tiles of the type.
func accumulates(f *dsl.Func, name string) bool {
	return slices.ContainsFunc(f.OpCalls(f.Body, "mmaf"), func(c dsl.Call) bool {
		return len(c.Args) == 3 && element(f, c.Args[2]) == name
	})
}

func element(f *dsl.Func, n syntax.Node) string {
	if t := f.TypeOf(n); t.Kind == dsl.Tile {
		return t.Elem
	}
	return ""
}

// otherwise reports whether analysis.json names an accumulator type that is
// not f32.
func otherwise(p *rules.Pass) bool {
	a := reference.Evidence.Of(p)
	if a == nil {
		return false
	}
	for _, v := range a.Values(func(k string) bool { return strings.Contains(k, "accum") || strings.HasPrefix(k, "acc_") }) {
		if s, ok := v.(string); ok && !slices.Contains([]string{"f32", "float32", "ct.float32", "torch.float32"}, strings.ToLower(s)) {
			return true
		}
	}
	return false
}
