// Package r04 is rule R4: reductions are bound before they are used.
package r04

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R4.
var Rule = &rules.Rule{
	ID: "R4", Title: "Reductions are bound before they are used",
	Category: "types", Owner: "kernel", Severity: rules.Warning, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-B03", "S-J10", "S-J01"},
	Why:        "Inside another expression the rank of a reduction's result is left to inference, which the kernel macros often cannot do.",
	Triage: []string{
		"Bind the reduction in a `let` of its own, annotated with the input's shape without the reduced axis.",
		"Compute and reshape with that name.",
	},
	First: map[string]int{"nested": 0, "unannotated": 0},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

var reductions = []string{"reduce_sum", "reduce_max", "reduce_min", "reduce_prod"}

// math are the functions whose arguments must not be reductions.
var math = []string{
	"exp", "exp2", "rsqrt", "sqrt", "log", "log2", "tanh", "negf", "absf", "true_div", "divf", "mulf", "subf", "addf", "fma", "maxf", "minf",
}

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			r := &names{fn, map[string]bool{}, map[syntax.Node]bool{}}
			for _, c := range fn.OpCalls(fn.Body, reductions...) {
				check(p, fn, c, r)
			}
		}
	}
}

func check(p *rules.Pass, fn *dsl.Func, c dsl.Call, names *names) {
	if use := consumer(fn, c.Node); use != "" {
		p.ReportFix(c.Node, rules.Warning, "nested", names.hoist(c), "`%s(..)` is %s; bind it in an annotated `let` first", c.Name, use)
		return
	}
	at := fn.PlaceOf(c.Node)
	if at.Known && at.Let.Valid() && !at.Type.Valid() {
		p.ReportFix(c.Node, rules.Warning, "unannotated", annotate(fn, c, at), "the result of `%s(..)` has no type annotation; write `let %s: Tile<.., { [..] }> = ..`", c.Name, at.Let.Field("pattern").Squeeze())
	}
}

// consumer says what uses the value of an expression at once; empty when it is
// bound, returned or handed to a function that is not listed.
func consumer(fn *dsl.Func, n syntax.Node) string {
	for p := n.Parent(); p.Valid(); n, p = p, p.Parent() {
		switch p.Kind() {
		case "parenthesized_expression", "unsafe_block":
		case "block":
			if dsl.Unparen(p) == p {
				return ""
			}
		case "expression_statement":
			if strings.HasSuffix(p.Text(), ";") {
				return ""
			}
		case "binary_expression", "compound_assignment_expr":
			return "an operand of `" + p.Field("operator").Text() + "`"
		case "unary_expression":
			return "an operand of `" + p.Text()[:1] + "`"
		case "arguments":
			if c, ok := dsl.AsCall(p.Parent()); ok && slices.Contains(math, fn.Op(c)) {
				return "an argument of `" + c.Name + "`"
			}
			return ""
		case "field_expression":
			if c, ok := dsl.AsCall(call(p)); ok && c.Receiver == n {
				return "what `." + c.Name + "(..)` is called on"
			}
			return ""
		default:
			return ""
		}
	}
	return ""
}

// call is the call that a field expression is the function of, a turbofish
// between them or not.
func call(field syntax.Node) syntax.Node {
	p := field.Parent()
	if p.Is("generic_function") {
		p = p.Parent()
	}
	return p
}

// resultType is the type of a reduction, written out; empty when the input's
// type is not known.
func resultType(fn *dsl.Func, c dsl.Call) string {
	if len(c.Args) != 2 {
		return ""
	}
	t := fn.TypeOf(c.Args[0])
	axis, err := strconv.Atoi(strings.TrimSuffix(dsl.Unparen(c.Args[1]).Text(), "i32"))
	if t.Kind != dsl.Tile || t.Elem == "" || !t.ShapeKnown || err != nil || axis < 0 || axis >= len(t.Shape) {
		return ""
	}
	shape := strings.Join(slices.Delete(slices.Clone(t.Shape), axis, axis+1), ", ")
	return fmt.Sprintf("Tile<%s, { [%s] }>", t.Elem, shape)
}

// annotate is the fix for a let without a type.
func annotate(fn *dsl.Func, c dsl.Call, at dsl.Place) *rules.Fix {
	pattern, t := at.Let.Field("pattern"), resultType(fn, c)
	if t == "" || !at.Direct || !pattern.Is("identifier") {
		return nil
	}
	return rules.Insert(pattern.Span().End, ": "+t, "annotate the reduction")
}

// maxFixes bounds how many reductions the fixes of one function bind.
const maxFixes = 100

// names is what the fixes of one function have bound and changed already.
type names struct {
	fn         *dsl.Func
	taken      map[string]bool
	statements map[syntax.Node]bool
}

// hoist is the fix that binds the nested reductions of a statement before it.
// The first of them carries it for all.
func (r *names) hoist(c dsl.Call) *rules.Fix {
	at := dsl.Statement(c.Node)
	indent, ok := dsl.Indent(at)
	if !at.Valid() || !ok || r.statements[at] || len(r.taken) >= maxFixes {
		return nil
	}
	r.statements[at] = true
	fix := &rules.Fix{Description: "bind the reduction first"}
	lets := ""
	for _, c := range r.fn.OpCalls(at, reductions...) {
		if t := resultType(r.fn, c); t != "" && len(r.taken) < maxFixes && consumer(r.fn, c.Node) != "" && r.movable(c, at) {
			name := r.name("reduced_" + strings.TrimPrefix(c.Name, "reduce_"))
			lets += fmt.Sprintf("let %s: %s = %s;\n%s", name, t, c.Node.Text(), indent)
			fix.Edits = append(fix.Edits, rules.TextEdit{Span: c.Node.Span(), New: name})
		}
	}
	if lets == "" {
		return nil
	}
	start := at.Span().Start
	fix.Edits = append([]rules.TextEdit{{Span: syntax.Span{Start: start, End: start}, New: lets}}, fix.Edits...)
	return fix
}

// movable reports whether a call may move before its statement: it holds no
// other reduction or comment, and between the two nothing binds a name or runs
// more than once.
func (r *names) movable(c dsl.Call, at syntax.Node) bool {
	if dsl.Statement(c.Node) != at || dsl.HasComment(c.Node) || len(r.fn.OpCalls(c.Node, reductions...)) != 1 {
		return false
	}
	for n := c.Node; n != at; n = n.Parent() {
		if n.Is("match_arm", "while_expression", "let_condition") {
			return false
		}
	}
	return !at.Is("while_expression")
}

// name is a name that neither the function nor another fix has.
func (r *names) name(base string) string {
	name := r.fn.Fresh(base)
	for i := 2; r.taken[name]; i++ {
		name = r.fn.Fresh(fmt.Sprintf("%s_%d", base, i))
	}
	r.taken[name] = true
	return name
}
