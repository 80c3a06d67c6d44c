// Package r15 is rule R15: what a reduction reads of a pointer load is bound
// with a type.
package r15

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

// Rule is R15.
var Rule = &rules.Rule{
	ID: "R15", Title: "Bind and annotate a loaded tile's conversion before reducing it",
	Category: "types", Owner: "kernel", Severity: rules.Warning, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-J10", "S-J13"},
	Why:        "Load, conversion and reduction each leave a type to inference; written in one expression the failure names none of them.",
	Triage: []string{
		"Annotate the tuple of the load (rule R47).",
		"Bind the conversion in a `let` of its own with its type.",
		"Reduce that name.",
	},
	First: map[string]int{"nested": 1, "unannotated": 1},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

var conversions = []string{"convert_tile", "exti", "trunci", "ftof", "ftoi", "itof"}

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			reported := map[syntax.Node]bool{}
			for _, c := range fn.OpCalls(fn.Body, "reduce_sum", "reduce_max", "reduce_min", "reduce_prod") {
				if len(c.Args) > 0 {
					check(p, fn, c, reported)
				}
			}
		}
	}
}

func check(p *rules.Pass, fn *dsl.Func, c dsl.Call, reported map[syntax.Node]bool) {
	arg := c.Args[0]
	if conversion, ok := fn.OpCall(arg, conversions...); ok {
		if tile := loaded(fn, conversion.Node); tile.Valid() {
			p.ReportFix(c.Node, rules.Warning, "nested", hoist(fn, c, conversion, tile),
				"`%s(%s(..))` reduces the loaded tile `%s` in one expression with its conversion; bind the conversion in an annotated `let` first", c.Name, conversion.Name, tile.Text())
		}
		return
	}
	id := dsl.Unparen(arg)
	if !id.Is("identifier") {
		return
	}
	b, ok := fn.Lookup(id)
	if !ok || !b.Node.Is("let_declaration") || b.Node.Field("type").Valid() || reported[b.Node] {
		return
	}
	// The load itself is rule R47's.
	value := b.Node.Field("value")
	if _, load := fn.OpCall(value, "load_ptr_tko"); load || fn.PlaceOf(value).Let != b.Node {
		return
	}
	tile := loaded(fn, value)
	if !tile.Valid() {
		return
	}
	source, _ := fn.Lookup(tile)
	conversion, converts := fn.OpCall(value, conversions...)
	if !converts && source.Node.Field("type").Valid() {
		return // its type follows from the annotated load
	}
	reported[b.Node] = true
	var fix *rules.Fix
	if t := convertedType(fn, c, tile); converts && t != "" && len(conversion.Args) > 0 && dsl.Unparen(conversion.Args[0]) == tile && b.Node.Field("pattern").Is("identifier") {
		fix = rules.Insert(b.Pattern.Span().End, ": "+t, "annotate the conversion")
	}
	p.ReportFix(b.Pattern, rules.Warning, "unannotated", fix, "`%s` is computed from the loaded tile `%s` without a type annotation, and a reduction reads it; write `let %s: Tile<.., { [..] }> = ..`", id.Text(), tile.Text(), id.Text())
}

// loaded is the first name at or below a node that a pointer load binds.
func loaded(fn *dsl.Func, n syntax.Node) syntax.Node {
	for _, id := range n.Find("identifier") {
		b, ok := fn.Lookup(id)
		if !ok || !b.Node.Is("let_declaration") {
			continue
		}
		if _, load := fn.OpCall(b.Node.Field("value"), "load_ptr_tko"); load && fn.TypeOf(id).Kind != dsl.Token {
			return id
		}
	}
	return syntax.Node{}
}

// convertedType is the type of a tile's conversion, written out: the shape of
// the tile with the element type of the reduction's annotation; empty when one
// of them is not known.
func convertedType(fn *dsl.Func, reduction dsl.Call, tile syntax.Node) string {
	in, out := fn.TypeOf(tile), dsl.ParseType(fn.PlaceOf(reduction.Node).Type)
	if in.Kind != dsl.Tile || !in.ShapeKnown || out.Kind != dsl.Tile || out.Elem == "" {
		return ""
	}
	return fmt.Sprintf("Tile<%s, { [%s] }>", out.Elem, strings.Join(in.Shape, ", "))
}

// hoist is the fix that binds a conversion before the reduction's statement.
func hoist(fn *dsl.Func, reduction, conversion dsl.Call, tile syntax.Node) *rules.Fix {
	t, at := convertedType(fn, reduction, tile), dsl.Statement(reduction.Node)
	indent, ok := dsl.Indent(at)
	if t == "" || !ok || !at.Valid() || fn.PlaceOf(reduction.Node).Let != at || len(conversion.Args) == 0 ||
		dsl.Unparen(conversion.Args[0]) != tile || dsl.HasComment(conversion.Node) {
		return nil
	}
	name := fn.Fresh(tile.Text() + "_" + dsl.ParseType(fn.PlaceOf(reduction.Node).Type).Elem)
	start := at.Span().Start
	return &rules.Fix{Description: "bind the conversion first", Edits: []rules.TextEdit{
		{Span: syntax.Span{Start: start, End: start}, New: fmt.Sprintf("let %s: %s = %s;\n%s", name, t, conversion.Node.Text(), indent)},
		{Span: reduction.Args[0].Span(), New: name},
	}}
}
