// Package r06 is rule R6: no arithmetic in type and shape positions.
package r06

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R6.
var Rule = &rules.Rule{
	ID: "R6", Title: "No arithmetic in type and shape positions",
	Category: "syntax", Owner: "kernel", Severity: rules.Error, DecidedBy: "syntax", Fix: "none",
	Signatures: []string{"S-B01", "S-B02"},
	Why:        "Stable Rust cannot compute with const generics inside types, and the DSL's shape macros take names and literals only, so the crate does not build.",
	Triage: []string{
		"Move the arithmetic into a value (`let half: i32 = BLOCK / 2i32;`) where a value will do.",
		"Where a type needs it, add a const generic that the host computes and passes.",
		"Do not reach for a nightly feature.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			check(p, fn)
		}
	}
}

func check(p *rules.Pass, fn *dsl.Func) {
	fn.Node.Inspect(func(n syntax.Node) bool {
		switch n.Kind() {
		case "array_expression":
			if n.Ancestor("type_arguments").Valid() && n.Parent().Is("block", "expression_statement") {
				for _, d := range n.NamedChildren() {
					dimension(p, fn, d)
				}
			}
		case "macro_invocation":
			switch name := syntax.LastSegment(n.Field("macro")); name {
			case "const_shape", "const_array":
				list, _ := dsl.MacroList(n)
				for _, d := range list {
					dimension(p, fn, d)
				}
			}
		case "array_type":
			dimension(p, fn, n.Field("length"))
		}
		return true
	})
}

// dimension reports one entry of a shape that computes with a const generic.
// A unary minus on a literal is no arithmetic.
func dimension(p *rules.Pass, fn *dsl.Func, d syntax.Node) {
	for d.Is("block", "parenthesized_expression") && len(d.NamedChildren()) == 1 {
		d = d.NamedChild(0)
		if d.Is("expression_statement") {
			d = d.NamedChild(0)
		}
	}
	if !d.Is("binary_expression", "call_expression", "type_cast_expression") {
		return
	}
	for _, id := range d.Find("identifier") {
		if fn.Const(id.Text()) {
			p.Reportf(d, rules.Error, "", "`%s` computes with the const generic `%s` in a shape; a shape entry must be a literal or one name", d.Squeeze(), id.Text())
			return
		}
	}
}
