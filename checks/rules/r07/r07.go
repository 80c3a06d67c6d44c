// Package r07 is rule R7: integer conversions in two typed steps.
package r07

import (
	_ "embed"
	"fmt"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R7.
var Rule = &rules.Rule{
	ID: "R7", Title: "Integer widening and narrowing in two typed steps",
	Category: "types", Owner: "kernel", Severity: rules.Error, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-B03"},
	Why:        "`exti` and `trunci` are generic in input and output; without both types written down Rust stops with E0283.",
	Triage: []string{
		"Bind the input to a name with its type.",
		"Bind the result to a name with its type.",
		"Pick the overflow mode from `None`, `NoSignedWrap`, `NoUnsignedWrap`, `NoWrap`.",
		"Widen both to i64 first: `exti` of a bound tile, then multiply.",
	},
	First: map[string]int{"mode": 2, "nested": 0, "unannotated": 1, "offset": 3},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			for _, c := range fn.OpCalls(fn.Body, "exti", "trunci") {
				conversion(p, fn, c)
			}
			for _, c := range fn.Calls() {
				if c.Method() && (c.Name == "offset" || c.Name == "offset_tile") && len(c.Args) == 1 && fn.TypeOf(c.Receiver).Kind == dsl.PointerTile {
					offset(p, fn, c)
				}
			}
		}
	}
}

func conversion(p *rules.Pass, fn *dsl.Func, c dsl.Call) {
	if c.Name == "trunci" && len(c.Args) == 2 {
		if module, mode, ok := dsl.Mode(c.Args[1]); ok && module == "overflow" && mode == "Wrap" {
			p.Reportf(c.Args[1], rules.Error, "mode", "there is no `overflow::Wrap`; the modes are `None`, `NoSignedWrap`, `NoUnsignedWrap` and `NoWrap`")
		}
	}
	if len(c.Args) == 0 {
		return
	}
	if inner, ok := fn.OpCall(c.Args[0], "scalar_to_tile"); ok {
		p.ReportFix(c.Node, rules.Error, "nested", hoist(fn, c, inner), "`%s(scalar_to_tile(..))` leaves the type between the two open; bind `scalar_to_tile(..)` first with its type", c.Name)
		return
	}
	if at := fn.PlaceOf(c.Node); at.Known && at.Let.Valid() && !at.Type.Valid() {
		p.Reportf(c.Node, rules.Warning, "unannotated", "the result of `%s(..)` has no type annotation; write `let %s: Tile<.., { [..] }> = ..`", c.Name, at.Let.Field("pattern").Squeeze())
	}
}

// hoist is the fix that binds the inner call before the let. It needs to know
// the type of the scalar and a line of its own.
func hoist(fn *dsl.Func, outer, inner dsl.Call) *rules.Fix {
	let := fn.PlaceOf(outer.Node).Let
	at := dsl.Statement(outer.Node)
	if !let.Valid() || !let.Field("pattern").Is("identifier") || !at.Valid() || len(inner.Args) != 1 || dsl.HasComment(outer.Args[0]) {
		return nil
	}
	t := fn.TypeOf(inner.Args[0])
	if t.Kind != dsl.Scalar || !t.Int() || t.Elem == "usize" {
		return nil
	}
	indent, ok := dsl.Indent(at)
	if !ok {
		return nil
	}
	width := t.Elem[1:]
	name := fn.Fresh(let.Field("pattern").Text() + width)
	return &rules.Fix{
		Description: "bind the scalar's tile with its type first",
		Edits: []rules.TextEdit{
			{Span: syntax.Span{Start: at.Span().Start, End: at.Span().Start}, New: fmt.Sprintf("let %s: Tile<%s, { [] }> = %s;\n%s", name, t.Elem, inner.Node.Text(), indent)},
			{Span: outer.Args[0].Span(), New: name},
		},
	}
}

// offset notes a pointer offset that is a 32-bit product of a block index and a
// runtime parameter: rows times stride may exceed i32.
func offset(p *rules.Pass, fn *dsl.Func, c dsl.Call) {
	steps := dsl.Budget(dsl.Steps)
	product := multiplication(fn, c.Args[0], 4, &steps)
	l, r, ok := dsl.Binary(product, "*")
	if !ok || fn.TypeOf(l).Elem != "i32" || fn.TypeOf(r).Elem != "i32" {
		return
	}
	lb, lp := sources(fn, l, 4)
	rb, rp := sources(fn, r, 4)
	if lb && rp || rb && lp {
		p.Reportf(c.Node, rules.Note, "offset", "the offset multiplies a block index by a runtime stride in i32 (`%s`); widen both to i64 when the tensor may have more than 2^31 elements", product.Squeeze())
	}
}

// multiplication finds the product in an offset, through names, sums and
// changes of rank.
func multiplication(fn *dsl.Func, n syntax.Node, hops int, steps *dsl.Budget) syntax.Node {
	if hops == 0 || !steps.Spend() {
		return syntax.Node{}
	}
	n = fn.Resolve(n, hops)
	if _, _, ok := dsl.Binary(n, "*"); ok {
		return n
	}
	if l, r, ok := dsl.Binary(n, "+"); ok {
		if m := multiplication(fn, l, hops-1, steps); m.Valid() {
			return m
		}
		return multiplication(fn, r, hops-1, steps)
	}
	if c, ok := dsl.AsCall(n); ok {
		switch {
		case c.Method() && (c.Name == "reshape" || c.Name == "broadcast"):
			return multiplication(fn, c.Receiver, hops-1, steps)
		case (fn.Op(c) == "scalar_to_tile" || fn.Op(c) == "broadcast_scalar") && len(c.Args) > 0:
			return multiplication(fn, c.Args[0], hops-1, steps)
		}
	}
	return syntax.Node{}
}

// sources reports whether a factor is a block index, and whether it is a
// runtime parameter of the entry.
func sources(fn *dsl.Func, n syntax.Node, hops int) (block, param bool) {
	n = fn.Resolve(n, hops)
	if hops == 0 {
		return false, false
	}
	switch n.Kind() {
	case "identifier":
		b, ok := fn.Lookup(n)
		if !ok {
			return false, false
		}
		switch b.Node.Kind() {
		case "parameter":
			return false, fn.Entry != nil
		case "let_declaration":
			c, ok := dsl.AsCall(b.Node.Field("value"))
			return ok && fn.Op(c) == "get_tile_block_id", false
		}
	case "field_expression":
		c, ok := dsl.AsCall(n.Field("value"))
		return ok && fn.Op(c) == "get_tile_block_id", false
	case "call_expression":
		c, ok := dsl.AsCall(n)
		if !ok {
			return false, false
		}
		if c.Method() && (c.Name == "reshape" || c.Name == "broadcast") {
			return sources(fn, c.Receiver, hops-1)
		}
		if op := fn.Op(c); (op == "scalar_to_tile" || op == "broadcast_scalar") && len(c.Args) > 0 {
			return sources(fn, c.Args[0], hops-1)
		}
	}
	return false, false
}
