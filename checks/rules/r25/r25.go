// Package r25 is rule R25: no if expression yields a tile.
package r25

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

// Rule is R25.
var Rule = &rules.Rule{
	ID: "R25", Title: "No if expression yields a tile",
	Category: "syntax", Owner: "kernel", Severity: rules.Warning, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-J08", "S-J13"},
	Why:        "The branches of an `if` expression are compiled without the type that is expected of them, so generic calls in them cannot be inferred, and not every `if` may have a result.",
	Triage: []string{
		"Declare a mutable tile with the value of one branch.",
		"Assign it in an `if` statement with an explicit `else`.",
	},
	Doc: doc, Pin: "0.2.0", Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			reported := map[syntax.Node]bool{}
			for _, n := range fn.Body.Find("if_expression") {
				if n.Parent().Is("else_clause") || part(fn, n, reported) {
					continue
				}
				if kind := yields(fn, n); kind != "" {
					reported[n] = true
					p.ReportFix(n, rules.Warning, "", statement(fn, n), "this `if` expression yields a %s; assign a mutable one in an `if` statement with both branches", kind)
				}
			}
		}
	}
}

// part reports whether an if is where the value of a reported one comes from.
func part(fn *dsl.Func, n syntax.Node, reported map[syntax.Node]bool) bool {
	for r := n.Ancestor("if_expression"); r.Valid(); r = r.Ancestor("if_expression") {
		if reported[r] {
			a, b := fn.PlaceOf(n), fn.PlaceOf(r)
			return a.Let == b.Let && a.Type == b.Type
		}
	}
	return false
}

// yields names the kind of the value of an if; empty when it has none, when it
// is no tile or when its type is unknown.
func yields(fn *dsl.Func, n syntax.Node) string {
	blocks, complete := dsl.Branches(n)
	var types []dsl.Type
	for _, b := range blocks {
		if t := dsl.Tail(b); t.Valid() && !t.Is("assignment_expression", "compound_assignment_expr") {
			types = append(types, fn.TypeOf(t))
		}
	}
	if !complete || len(types) == 0 {
		return ""
	}
	if at := fn.PlaceOf(n); at.Type.Valid() {
		types = append(types, dsl.ParseType(at.Type))
	} else if a := n.Parent(); a.Is("assignment_expression") {
		types = append(types, fn.TypeOf(a.Field("left")))
	}
	// The branches have one type, so one known type is the type of all.
	for _, t := range types {
		switch t.Kind {
		case dsl.Tile:
			return "tile"
		case dsl.PointerTile:
			return "pointer tile"
		case dsl.Partition:
			return "partition"
		}
	}
	return ""
}

// statement is the fix: an annotated let of a plain name whose two branches are
// one expression each. The value of the else branch is then always computed,
// so it must not touch memory.
func statement(fn *dsl.Func, n syntax.Node) *rules.Fix {
	let := n.Parent()
	blocks, complete := dsl.Branches(n)
	if !let.Is("let_declaration") || !let.Field("pattern").Is("identifier") || dsl.ParseType(let.Field("type")).Kind != dsl.Tile ||
		!complete || len(blocks) != 2 || dsl.HasComment(let) || n.Field("condition").Is("let_condition", "let_chain") {
		return nil
	}
	then, other := dsl.Unparen(blocks[0]), dsl.Unparen(blocks[1])
	indent, ok := dsl.Indent(let)
	if !ok || then == blocks[0] || other == blocks[1] || !dsl.Tail(blocks[0]).Valid() || !dsl.Tail(blocks[1]).Valid() {
		return nil
	}
	name := let.Field("pattern").Text()
	for _, id := range n.Find("identifier") {
		if id.Text() == name {
			return nil // it means an earlier name, of maybe another type
		}
	}
	for _, c := range dsl.Calls(other) {
		_, op := dsl.Ops[fn.Op(c)]
		if !pure[c.Name] && (c.Method() || !op || strings.Contains(c.Name, "_tko") || strings.HasPrefix(c.Name, "make_")) {
			return nil
		}
	}
	text := fmt.Sprintf("let mut %[1]s: %[2]s = %[3]s;\n%[4]sif %[5]s {\n%[4]s    %[1]s = %[6]s;\n%[4]s} else {\n%[4]s    %[1]s = %[3]s;\n%[4]s}",
		name, let.Field("type").Text(), dsl.Tail(blocks[1]).Text(), indent, n.Field("condition").Text(), dsl.Tail(blocks[0]).Text())
	return rules.Replace(let, text, "assign in a statement")
}

// pure are further functions and methods that only compute.
var pure = map[string]bool{
	"reshape": true, "broadcast": true, "constant": true, "broadcast_scalar": true, "iota": true, "convert_tile": true,
	"permute": true, "scalar_to_tile": true, "andi": true, "ori": true, "xori": true,
}
