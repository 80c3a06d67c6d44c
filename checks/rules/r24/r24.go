// Package r24 is rule R24: tiles carried out of nested loops are assigned, not
// shadowed.
package r24

import (
	_ "embed"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R24.
var Rule = &rules.Rule{
	ID: "R24", Title: "Carried tiles are assigned, not shadowed",
	Category: "syntax", Owner: "kernel", Severity: rules.Warning, DecidedBy: "syntax", Fix: "suggest",
	Signatures: []string{"S-C07", "S-J08"},
	Why:        "A `let` inside a loop makes a new tile that ends with the iteration; the one read after the loop still has its first value.",
	Triage: []string{
		"Turn the inner `let x: T = ..` into `x = ..`.",
		"Compare the loop's yielded values in both IR files.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			carried := map[syntax.Node][]dsl.Assignment{}
			for _, a := range fn.Assignments(fn.Body) {
				carried[a.Binding.Pattern] = append(carried[a.Binding.Pattern], a)
			}
			for _, let := range fn.Body.Find("let_declaration") {
				for _, id := range let.Field("pattern").Find("identifier") {
					shadow(p, fn, let, id, carried)
				}
			}
			closures(p, fn, carried)
		}
	}
}

func tile(t dsl.Type) bool { return t.Kind == dsl.Tile || t.Kind == dsl.PointerTile }

// shadow reports a let in a loop that makes a new tile from a mutable one of
// the same name, which the loop never assigns and which is read after it.
func shadow(p *rules.Pass, fn *dsl.Func, let, id syntax.Node, carried map[syntax.Node][]dsl.Assignment) {
	loop := dsl.Loop(let)
	outer, ok := fn.Lookup(id)
	if !loop.Valid() || !ok || outer.Node == let || !outer.Mutable() || outer.Node.Inside(loop) || !tile(fn.TypeOf(id)) {
		return
	}
	value := let.Field("value")
	if c, ok := dsl.AsCall(dsl.Unparen(value)); ok && strings.HasPrefix(fn.Op(c), "assume_") {
		return
	}
	for _, a := range carried[outer.Pattern] {
		if a.Node.Inside(loop) {
			return
		}
	}
	reads, after := false, false
	for _, use := range fn.Uses(outer.Pattern) {
		reads = reads || use.Inside(value)
		after = after || use.Span().Start >= loop.Span().End && !target(use)
	}
	if reads && after {
		p.Reportf(id, rules.Warning, "shadow", "this `let` makes a new `%s` in each iteration; the one of line %d, read after the loop, never changes. Write `%s = ..` instead", id.Text(), outer.Node.Pos().Line, id.Text())
	}
}

// target reports whether a name is the left side of a plain assignment.
func target(id syntax.Node) bool {
	p := id.Parent()
	return p.Is("assignment_expression") && p.Field("left") == id
}

// closures reports tiles that only closures assign.
func closures(p *rules.Pass, fn *dsl.Func, carried map[syntax.Node][]dsl.Assignment) {
	for _, c := range fn.Body.Find("closure_expression") {
		if c.Ancestor("closure_expression").Inside(fn.Body) {
			continue
		}
		for _, a := range fn.Assignments(c.Field("body")) {
			b := a.Binding
			if b.Node.Inside(c) || !b.Mutable() || !tile(fn.TypeOf(a.Name)) || len(carried[b.Pattern]) > 0 {
				continue
			}
			for _, use := range fn.Uses(b.Pattern) {
				if use.Span().Start >= c.Span().End && !target(use) {
					p.Reportf(a.Node, rules.Warning, "closure", "`%s` is assigned in a closure only, so loops and branches do not carry the change; assign it in the body itself", a.Name.Text())
					break
				}
			}
		}
	}
}
