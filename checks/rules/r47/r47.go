// Package r47 is rule R47: results of load_ptr_tko are annotated.
package r47

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R47.
var Rule = &rules.Rule{
	ID: "R47", Title: "Annotate the result of load_ptr_tko",
	Category: "types", Owner: "kernel", Severity: rules.Error, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-J13", "S-J10"},
	Why:        "The kernel compiler takes the type of a pointer load from the annotation of its binding; without one the first launch stops.",
	Triage: []string{
		"Write `let (x, tok): (Tile<E, { [S] }>, Token) = load_ptr_tko(..);` with the shape of the pointer tile.",
		"Bind a conversion or reduction of the tile in a `let` of its own (rule R15).",
	},
	First: map[string]int{"open": 0, "unannotated": 0, "unbound": 0},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			for _, c := range fn.OpCalls(fn.Body, "load_ptr_tko") {
				check(p, fn, c)
			}
		}
	}
}

func check(p *rules.Pass, fn *dsl.Func, c dsl.Call) {
	at := fn.PlaceOf(c.Node)
	switch {
	case at.Type.Valid() && open(at.Type):
		p.Reportf(at.Type, rules.Warning, "open", "`%s` leaves the type of `load_ptr_tko(..)` open; write `(Tile<.., { [..] }>, Token)`", at.Type.Squeeze())
	case at.Type.Valid():
	case !at.Known:
		p.Undecided("the type of a load comes from an assignment or a closure")
	case !at.Let.Valid():
		p.Reportf(c.Node, rules.Error, "unbound", "the result of `load_ptr_tko(..)` is used without a typed binding; write `let (x, tok): (Tile<.., { [..] }>, Token) = load_ptr_tko(..);`")
	default:
		pattern := at.Let.Field("pattern")
		reduced := ""
		if name := pattern.NamedChild(0); pattern.Is("tuple_pattern") && feeds(fn, name) {
			reduced = fmt.Sprintf("; a reduction reads `%s`, so bind it and its conversion with types as well (R15)", name.Text())
		}
		p.ReportFix(pattern, rules.Error, "unannotated", annotate(fn, c, at, pattern), "the result of `load_ptr_tko(..)` has no type annotation%s", reduced)
	}
}

// open reports whether an annotation leaves the tuple, or the tile in it, to be
// inferred.
func open(t syntax.Node) bool {
	return t.Squeeze() == "_" || t.Is("tuple_type") && t.NamedChild(0).Squeeze() == "_"
}

// feeds reports whether a reduction reads a name, directly or inside its
// argument.
func feeds(fn *dsl.Func, name syntax.Node) bool {
	for _, id := range fn.Uses(name) {
		for call := id.Ancestor("call_expression"); call.Valid(); call = call.Ancestor("call_expression") {
			if _, ok := fn.OpCall(call, "reduce_sum", "reduce_max", "reduce_min", "reduce_prod"); ok {
				return true
			}
		}
	}
	return false
}

// annotate is the fix, possible when the type of the pointer tile is written.
func annotate(fn *dsl.Func, c dsl.Call, at dsl.Place, pattern syntax.Node) *rules.Fix {
	if len(c.Args) == 0 || !at.Direct {
		return nil
	}
	switch pattern.Kind() {
	case "identifier", "_":
	case "tuple_pattern":
		parts := 0
		for k := range pattern.Children() {
			switch {
			case k.Is("identifier", "_", "mut_pattern"):
				parts++
			case k.Named() && !k.IsComment():
				return nil
			}
		}
		if parts != 2 {
			return nil
		}
	default:
		return nil
	}
	t := fn.TypeOf(c.Args[0])
	if t.Kind != dsl.PointerTile || t.Elem == "" || !t.ShapeKnown {
		return nil
	}
	return rules.Insert(pattern.Span().End, fmt.Sprintf(": (Tile<%s, { [%s] }>, Token)", t.Elem, strings.Join(t.Shape, ", ")), "annotate the tile and the token")
}
