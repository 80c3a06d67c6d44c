// Package r46 is rule R46: numbers are converted as tiles, not by casts.
package r46

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R46.
var Rule = &rules.Rule{
	ID: "R46", Title: "Numeric conversion goes through convert_tile",
	Category: "types", Owner: "kernel", Severity: rules.Error, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-J14", "S-J15", "S-J10"},
	Why:        "The kernel compiler supports four integer casts and no cast to a float; everything else stops the first launch with an unsupported cast.",
	Whys: map[string]string{
		"itof": "An attribute of `itof` can be missing when the kernel is written out; that stops it far from the line that caused it.",
	},
	Triage: []string{
		"Bind the number as a tile: `let n_i32: Tile<i32, { [] }> = scalar_to_tile(N);`.",
		"Convert that tile: `let n_f32: Tile<f32, { [] }> = convert_tile(n_i32);`.",
		"Drop the cast: the value has that type already.",
		"Cast i32 to u32 or usize, i64 to u64 and usize to i32 only; convert a tile for anything else.",
	},
	First: map[string]int{"cast": 3, "cast same": 2, "float": 0, "itof": 1},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

// casts are the conversions by `as` that the kernel compiler supports, target
// by source.
var casts = map[string][]string{"i32": {"u32", "usize"}, "i64": {"u64"}, "usize": {"i32"}}

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			for _, n := range fn.Body.Find("type_cast_expression") {
				if !n.Ancestor("const_item", "static_item").Inside(fn.Body) {
					cast(p, fn, n)
				}
			}
			for _, c := range fn.OpCalls(fn.Body, "itof") {
				p.ReportPinned(c.Node, rules.Warning, "itof", "0.2.0", "`itof(..)` can lose its signedness when the kernel is written out; use `convert_tile(..)`")
			}
		}
	}
}

func cast(p *rules.Pass, fn *dsl.Func, n syntax.Node) {
	target := dsl.ParseType(n.Field("type"))
	if target.Kind != dsl.Scalar {
		return
	}
	value := dsl.Unparen(n.Field("value"))
	source := fn.TypeOf(value)
	from := ""
	if source.Kind == dsl.Scalar {
		from = source.Elem
	}
	if value.Is("float_literal") && from == "" {
		from = "float"
	}
	switch target.Elem {
	case "u32", "u64", "usize", "i32":
		if from == "" || slices.Contains(casts[from], target.Elem) || value.Is("integer_literal", "binary_expression") {
			return
		}
	}
	if target.Float() {
		p.ReportFix(n, rules.Error, "float", twoSteps(fn, n), "`%s` casts to a float, which the kernel compiler does not support; convert a tile with `convert_tile`", n.Squeeze())
		return
	}
	what := "a value"
	if from != "" {
		what = "`" + from + "`"
	}
	if from == target.Elem {
		p.Reportf(n, rules.Error, "cast same", "`%s` casts an `%s` to itself, which is none of the casts that kernels support; drop `as %s`", n.Squeeze(), from, from)
		return
	}
	p.Reportf(n, rules.Error, "cast", "`%s` casts %s to `%s`; kernels support i32 to u32 or usize, i64 to u64 and usize to i32 only", n.Squeeze(), what, target.Elem)
}

// twoSteps is the fix for an annotated `let d: Tile<f32, ..> =
// scalar_to_tile(x as f32)` with an integer x on its own line.
func twoSteps(fn *dsl.Func, n syntax.Node) *rules.Fix {
	args := n.Parent()
	call, ok := dsl.AsCall(args.Parent())
	if !ok || !args.Is("arguments") || fn.Op(call) != "scalar_to_tile" || len(call.Args) != 1 {
		return nil
	}
	at := fn.PlaceOf(call.Node)
	source := fn.TypeOf(n.Field("value"))
	annotated := dsl.ParseType(at.Type)
	if !at.Let.Valid() || !at.Direct || annotated.Kind != dsl.Tile || annotated.Elem != n.Field("type").Text() ||
		source.Kind != dsl.Scalar || !source.Int() || source.Elem == "usize" || !at.Let.Field("pattern").Is("identifier") || dsl.HasComment(call.Node) {
		return nil
	}
	indent, ok := dsl.Indent(at.Let)
	if !ok || !at.Let.Parent().Is("block") {
		return nil
	}
	name := fn.Fresh(at.Let.Field("pattern").Text() + "_" + source.Elem)
	start := at.Let.Span().Start
	value := n.Field("value")
	if value.Is("parenthesized_expression") {
		value = value.NamedChild(0)
	}
	return &rules.Fix{
		Description: "convert a tile instead of the scalar",
		Edits: []rules.TextEdit{
			{Span: syntax.Span{Start: start, End: start}, New: fmt.Sprintf("let %s: Tile<%s, { [] }> = scalar_to_tile(%s);\n%s", name, source.Elem, value.Text(), indent)},
			{Span: call.Node.Span(), New: "convert_tile(" + name + ")"},
		},
	}
}
