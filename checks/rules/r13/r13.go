// Package r13 is rule R13: loops run over ranges, and step_by takes a usize.
package r13

import (
	_ "embed"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R13.
var Rule = &rules.Rule{
	ID: "R13", Title: "Loops over ranges, with a usize step",
	Category: "syntax", Owner: "kernel", Severity: rules.Error, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-B04", "S-J12"},
	Why:        "`step_by` is Rust's and takes a `usize`; every other loop form than a range or a stepped range is rejected by the kernel compiler.",
	Triage: []string{
		"Write the loop as `0i32..n`, or as `(a..b).step_by(k as usize)`.",
		"For another order, compute the index from the loop variable.",
	},
	First: map[string]int{"form": 0, "step": 0},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

// pin is the version in whose source the accepted loop forms were read.
const pin = "0.2.0"

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			for _, c := range fn.Calls() {
				if c.Name == "step_by" && c.Method() && dsl.Unparen(c.Receiver).Is("range_expression") && len(c.Args) == 1 {
					step(p, fn, c.Args[0])
				}
			}
			for _, loop := range fn.Body.Find("for_expression") {
				form(p, fn, loop.Field("value"))
			}
		}
	}
}

// step reports a step whose type is known and not usize.
func step(p *rules.Pass, fn *dsl.Func, n syntax.Node) {
	typ := stepType(fn, n)
	if typ == "" || typ == "usize" {
		return
	}
	var fix *rules.Fix
	if n.Is("identifier") && typ == "i32" {
		fix = rules.Insert(n.Span().End, " as usize", "convert the step to usize")
	}
	p.ReportFix(n, rules.Error, "step", fix, "`step_by` takes a `usize`, `%s` is `%s`", n.Squeeze(), typ)
}

// stepType is the type that decides a step expression: of its names and
// suffixed literals, an unsuffixed literal taking any. Empty when unknown.
func stepType(fn *dsl.Func, n syntax.Node) string {
	n = dsl.Unparen(n)
	switch n.Kind() {
	case "integer_literal":
		if strings.IndexFunc(n.Text(), func(r rune) bool { return r == 'i' || r == 'u' }) < 0 {
			return ""
		}
	case "binary_expression":
		if l := stepType(fn, n.Field("left")); l != "" {
			return l
		}
		return stepType(fn, n.Field("right"))
	case "identifier", "type_cast_expression", "field_expression":
	default:
		return ""
	}
	if t := fn.TypeOf(n); t.Kind == dsl.Scalar {
		return t.Elem
	}
	return ""
}

// form reports a loop over something that the kernel compiler rejects. A name,
// a call of a function and a method of anything but a range or array, such as
// iter_indices of a mapped partition, may be legal.
func form(p *rules.Pass, fn *dsl.Func, over syntax.Node) {
	n := dsl.Unparen(over)
	if n.Is("identifier") {
		if d := fn.Definition(n); dsl.Unparen(d).Is("range_expression", "array_expression") {
			report(p, over, "the loop runs over the name `%s`; write the range in the loop itself", n.Text())
			return
		}
	}
	switch n.Kind() {
	case "range_expression":
		bounds(p, n)
	case "array_expression":
		report(p, over, "the loop runs over an array; only ranges and `(a..b).step_by(k)` are supported")
	case "call_expression":
		c, ok := dsl.AsCall(n)
		if !ok || !c.Method() {
			return
		}
		receiver := dsl.Unparen(c.Receiver)
		switch {
		case c.Name != "step_by" && (overRange(receiver) || fn.TypeOf(receiver).Kind == dsl.ShapeOrArray):
			report(p, over, "the loop runs over `.%s(..)`; only ranges and `(a..b).step_by(k)` are supported", c.Name)
		case c.Name != "step_by":
		case receiver.Is("range_expression") && len(c.Args) != 1:
			report(p, over, "`step_by` takes exactly one argument")
		case receiver.Is("range_expression"):
			bounds(p, receiver)
		case receiver.Is("identifier", "call_expression"):
			report(p, over, "`step_by` must follow a range in parentheses, found `%s`", c.Receiver.Squeeze())
		}
	}
}

// overRange reports whether a chain of method calls starts at a range.
func overRange(n syntax.Node) bool {
	for {
		n = dsl.Unparen(n)
		c, ok := dsl.AsCall(n)
		if !ok || !c.Method() {
			return n.Is("range_expression")
		}
		n = c.Receiver
	}
}

func bounds(p *rules.Pass, n syntax.Node) {
	kids := n.NamedChildren()
	if len(kids) == 2 {
		return
	}
	missing := "start"
	for c := range n.Children() {
		if !c.IsComment() {
			if c.Named() {
				missing = "end"
			}
			break
		}
	}
	report(p, n, "the range `%s` has no %s", n.Squeeze(), missing)
}

func report(p *rules.Pass, n syntax.Node, format string, args ...any) {
	p.ReportPinned(n, rules.Error, "form", pin, format, args...)
}
