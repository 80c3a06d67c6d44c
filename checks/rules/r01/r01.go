// Package r01 is rule R1: one typed binding for each change of rank or type.
package r01

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R1.
var Rule = &rules.Rule{
	ID: "R1", Title: "One typed binding for each change of rank or type",
	Category: "types", Owner: "kernel", Severity: rules.Warning, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-B03", "S-J03", "S-J10"},
	Why:        "Rust and the kernel compiler each see one expression at a time; a conversion whose result no annotation names often cannot be inferred.",
	Triage: []string{
		"Find the innermost conversion in the reported expression.",
		"Bind it with a `let` that carries its full type.",
		"Rebuild the rest on that name, one step for each `let`.",
	},
	First: map[string]int{"argument": 0, "chain": 0, "receiver": 0, "permute": 1},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

var (
	conversions = []string{"pointer_to_tile", "scalar_to_tile", "exti", "trunci", "permute", "iota", "convert_tile"}
	changers    = []string{"reshape", "broadcast", "offset_tile", "offset"}
)

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			for _, c := range fn.Calls() {
				if c.Method() && slices.Contains(changers, c.Name) {
					chain(p, fn, c)
				} else if slices.Contains(conversions, fn.Op(c)) {
					nested(p, fn, c)
					permuted(p, fn, c)
				}
			}
		}
	}
}

// chain reports the outermost of two or more rank changers in a row on a
// pointer tile or a fresh conversion, and a single one on a fresh conversion.
// Chains on a named tile of values are fine, and so is one step whose result is
// annotated on a conversion that takes its type from its argument.
func chain(p *rules.Pass, fn *dsl.Func, c dsl.Call) {
	if outer, ok := outerCall(c.Node); ok && slices.Contains(changers, outer.Name) {
		return
	}
	steps := []dsl.Call{c}
	root := dsl.Unparen(c.Receiver)
	for {
		inner, ok := dsl.AsCall(root)
		if !ok || !inner.Method() || !slices.Contains(changers, inner.Name) {
			break
		}
		steps = append(steps, inner)
		root = dsl.Unparen(inner.Receiver)
	}
	slices.Reverse(steps)
	conv, isConv := fn.OpCall(root, conversions...)
	switch {
	case isConv && len(steps) == 1 && (conv.Name == "pointer_to_tile" || conv.Name == "scalar_to_tile") && fn.PlaceOf(c.Node).Type.Valid():
	case isConv && (len(steps) == 1 || conv.Name != "pointer_to_tile" && conv.Name != "scalar_to_tile"):
		p.Reportf(c.Node, rules.Warning, "receiver", "`%s(..)` is the receiver of `.%s(..)`; bind it first with a `let` that names its type", conv.Name, steps[0].Name)
	case isConv:
		p.ReportFix(c.Node, rules.Warning, "chain", split(fn, c, root, steps), "%d changes of rank follow `%s(..)` in one expression; give each step a typed `let`", len(steps), conv.Name)
	case len(steps) > 1 && fn.TypeOf(root).Kind == dsl.PointerTile:
		p.ReportFix(c.Node, rules.Warning, "chain", split(fn, c, root, steps), "%d changes of rank in one expression on the pointer tile `%s`; give each step a typed `let`", len(steps), root.Squeeze())
	}
}

// outerCall is the method call whose receiver is the node.
func outerCall(n syntax.Node) (dsl.Call, bool) {
	p := n.Parent()
	for p.Is("parenthesized_expression") {
		p = p.Parent()
	}
	if !p.Is("field_expression") {
		return dsl.Call{}, false
	}
	p = p.Parent()
	if p.Is("generic_function") {
		p = p.Parent()
	}
	c, ok := dsl.AsCall(p)
	return c, ok && n.Inside(c.Receiver)
}

// nested reports a conversion that is an argument of another. The argument of
// an integer conversion that is scalar_to_tile is rule R7's.
func nested(p *rules.Pass, fn *dsl.Func, outer dsl.Call) {
	for _, a := range outer.Args {
		inner, ok := fn.OpCall(a, conversions...)
		if !ok || inner.Name == "scalar_to_tile" && (outer.Name == "exti" || outer.Name == "trunci") {
			continue
		}
		p.Reportf(inner.Node, rules.Warning, "argument", "`%s(..)` is an argument of `%s(..)`; bind it first with a `let` that names its type", inner.Name, outer.Name)
	}
}

// permuted reports a permute that nothing annotates.
func permuted(p *rules.Pass, fn *dsl.Func, c dsl.Call) {
	if c.Name != "permute" {
		return
	}
	if at := fn.PlaceOf(c.Node); at.Known && at.Let.Valid() && !at.Type.Valid() {
		p.Reportf(c.Node, rules.Warning, "permute", "the result of `permute(..)` has no type annotation, and its shape cannot be inferred; write `let %s: Tile<.., { [..] }> = ..`", at.Let.Field("pattern").Squeeze())
	}
}

// split is the fix that gives each step its own let: possible when the chain is
// the whole value of an annotated let on its own line and the shape of each
// step is written in the chain.
func split(fn *dsl.Func, c dsl.Call, root syntax.Node, steps []dsl.Call) *rules.Fix {
	at := fn.PlaceOf(c.Node)
	let := at.Let
	if !let.Valid() || !at.Direct || !at.Type.Valid() || dsl.HasComment(let) || !let.Field("pattern").Is("identifier") {
		return nil
	}
	indent, ok := dsl.Indent(let)
	final := dsl.ParseType(at.Type)
	if !ok || final.Elem == "" || !let.Parent().Is("block") {
		return nil
	}
	prefix := "Tile<" + final.Elem
	switch final.Kind {
	case dsl.PointerTile:
		prefix = "PointerTile<*mut " + final.Elem
	case dsl.Tile:
	default:
		return nil
	}
	name := let.Field("pattern").Text()
	var b strings.Builder
	shape, receiver := []string{}, root.Text()
	if root.Is("identifier") {
		t := fn.TypeOf(root)
		if !t.ShapeKnown {
			return nil
		}
		shape = t.Shape
	} else {
		receiver = fn.Fresh(name + "_0")
		fmt.Fprintf(&b, "let %s: %s, { [] }> = %s;\n%s", receiver, prefix, root.Text(), indent)
	}
	f := let.File()
	for i, s := range steps {
		if s.Name == "reshape" || s.Name == "broadcast" {
			list, ok := dsl.MacroList(s.Args[0])
			if len(s.Args) != 1 || !ok {
				return nil
			}
			shape = nil
			for _, d := range list {
				shape = append(shape, d.Squeeze())
			}
		}
		call := fmt.Sprintf("%s.%s%s", receiver, s.Name, s.Node.Field("arguments").Text())
		if i == len(steps)-1 {
			head := string(f.Src[let.Span().Start:let.Field("value").Span().Start])
			b.WriteString(head + call + ";")
			break
		}
		receiver = fn.Fresh(fmt.Sprintf("%s_%d", name, i+1))
		fmt.Fprintf(&b, "let %s: %s, { [%s] }> = %s;\n%s", receiver, prefix, strings.Join(shape, ", "), call, indent)
	}
	return rules.Replace(let, b.String(), "bind each step with its type")
}
