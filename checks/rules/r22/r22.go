// Package r22 is rule R22: both branches of an if assign loop-carried tiles.
package r22

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R22.
var Rule = &rules.Rule{
	ID: "R22", Title: "Both branches assign loop-carried tiles",
	Category: "syntax", Owner: "kernel", Severity: rules.Warning, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-J08", "S-C07"},
	Why:        "An `if` becomes an operation that yields the tiles it changes from every branch; a branch that does not name one leaves it to the compiler to carry the old value.",
	Triage: []string{
		"Add an `else` that assigns each tile to itself.",
		"Assign the same names in every branch.",
	},
	First: map[string]int{"else": 0, "asymmetric": 1},
	Doc:   doc, Pin: "0.2.0", Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			for _, n := range fn.Body.Find("if_expression") {
				if !n.Parent().Is("else_clause") && dsl.Loop(n).Valid() {
					check(p, fn, n)
				}
			}
		}
	}
}

// target is a tile that some branch assigns.
type target struct {
	name    string
	pattern syntax.Node
}

func check(p *rules.Pass, fn *dsl.Func, n syntax.Node) {
	for c := n; c.Is("if_expression"); c = elseIf(c) {
		cond := c.Field("condition")
		if fn.CompileTime(cond) || cond.Is("let_condition", "let_chain") {
			return // only the taken branch exists
		}
	}
	blocks, complete := dsl.Branches(n)
	var all []target
	sets := make([]map[syntax.Node]bool, len(blocks))
	for i, b := range blocks {
		sets[i] = map[syntax.Node]bool{}
		for _, a := range fn.Assignments(b) {
			t := fn.TypeOf(a.Name)
			if !a.Binding.Mutable() || a.Binding.Node.Inside(n) || t.Kind != dsl.Tile && t.Kind != dsl.PointerTile {
				continue
			}
			sets[i][a.Binding.Pattern] = true
			if one := (target{a.Name.Text(), a.Binding.Pattern}); !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	if len(all) == 0 {
		return
	}
	for _, b := range blocks {
		if leaves(b) {
			p.Undecided("a branch leaves the loop or the function")
			return
		}
	}
	if !complete {
		p.ReportFix(n, rules.Warning, "else", repair(fn, n, blocks, sets, all, complete), "this `if` in a loop assigns %s and has no `else`; add one that assigns each tile to itself", names(all))
		return
	}
	var missing []target
	for _, t := range all {
		if slices.ContainsFunc(sets, func(s map[syntax.Node]bool) bool { return !s[t.pattern] }) {
			missing = append(missing, t)
		}
	}
	if len(missing) > 0 {
		p.ReportFix(n, rules.Warning, "asymmetric", repair(fn, n, blocks, sets, all, complete), "the branches of this `if` in a loop assign different tiles: %s not in each; assign a tile to itself where it does not change", names(missing))
	}
}

// elseIf is the if that follows an else; invalid when there is none.
func elseIf(n syntax.Node) syntax.Node {
	other := n.Field("alternative")
	if other.Is("else_clause") {
		other = other.NamedChild(0)
	}
	return other
}

// leaves reports whether a block breaks out of its loop or function.
func leaves(block syntax.Node) bool {
	return len(block.Find("break_expression", "continue_expression", "return_expression")) > 0
}

func names(list []target) string {
	var out []string
	for _, t := range list {
		out = append(out, "`"+t.name+"`")
	}
	return strings.Join(out, ", ")
}

// repair is the fix: each branch assigns what it lacks to itself.
func repair(fn *dsl.Func, n syntax.Node, blocks []syntax.Node, sets []map[syntax.Node]bool, all []target, complete bool) *rules.Fix {
	indent, ok := dsl.Indent(n)
	if !ok {
		return nil
	}
	fix := &rules.Fix{Description: "assign each tile in every branch"}
	for i, b := range blocks {
		lines := ""
		var lacking []string
		for _, t := range all {
			if !sets[i][t.pattern] {
				lacking = append(lacking, t.name+" = "+t.name+";")
			}
		}
		if len(lacking) == 0 {
			continue
		}
		if dsl.Tail(b).Valid() && !dsl.Tail(b).Is("if_expression", "for_expression", "while_expression", "loop_expression") || shadows(b, all) {
			return nil
		}
		end := b.Span().End - 1
		if b.EndPos().Line == b.Pos().Line {
			lines = strings.Join(lacking, " ") + " "
			if len(b.NamedChildren()) == 0 {
				lines = " " + lines
			}
		} else {
			in := "\n" + indent + "    "
			lines = "    " + strings.Join(lacking, in) + "\n" + indent
		}
		fix.Edits = append(fix.Edits, rules.TextEdit{Span: syntax.Span{Start: end, End: end}, New: lines})
	}
	if !complete {
		var lines []string
		for _, t := range all {
			lines = append(lines, t.name+" = "+t.name+";")
		}
		text := " else { " + strings.Join(lines, " ") + " }"
		if n.EndPos().Line != n.Pos().Line {
			in := "\n" + indent + "    "
			text = " else {" + in + strings.Join(lines, in) + "\n" + indent + "}"
		}
		end := n.Span().End
		fix.Edits = append(fix.Edits, rules.TextEdit{Span: syntax.Span{Start: end, End: end}, New: text})
	}
	return fix
}

// shadows reports whether a block binds one of the names anew.
func shadows(block syntax.Node, all []target) bool {
	for _, let := range block.Find("let_declaration") {
		for _, id := range let.Field("pattern").Find("identifier") {
			if slices.ContainsFunc(all, func(t target) bool { return t.name == id.Text() }) {
				return true
			}
		}
	}
	return false
}
