// Package r18 is rule R18: runtime scalars are broadcast, not made constants.
package r18

import (
	_ "embed"
	"fmt"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R18.
var Rule = &rules.Rule{
	ID: "R18", Title: "Runtime scalars go through broadcast_scalar",
	Category: "performance", Owner: "kernel", Severity: rules.Error, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-J05", "S-J04"},
	Why:        "`constant` writes its value into the kernel's code, so it takes literals and named constants only; anything else stops the kernel compiler.",
	Triage: []string{
		"Replace `constant(value, shape)` by `broadcast_scalar(value, shape)`.",
		"Keep `constant` for literals.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			for _, c := range fn.OpCalls(fn.Body, "constant") {
				if len(c.Args) == 2 {
					check(p, fn, c)
				}
			}
		}
	}
}

func check(p *rules.Pass, fn *dsl.Func, c dsl.Call) {
	what := runtime(p, fn, dsl.Unparen(c.Args[0]))
	if what == "" {
		return
	}
	use := fmt.Sprintf("use `broadcast_scalar(%s, ..)`", c.Args[0].Squeeze())
	if value := dsl.Unparen(c.Args[0]); hostCall(value) {
		use = "write its value as a literal, and convert the tile where the type has none"
	}
	p.ReportFix(c.Node, rules.Error, "", rename(fn, c), "`constant` takes a literal, but `%s` is %s; %s", c.Args[0].Squeeze(), what, use)
}

// runtime says what makes a value unfit for constant; empty when it is fit or
// not known.
func runtime(p *rules.Pass, fn *dsl.Func, n syntax.Node) string {
	switch n.Kind() {
	case "identifier":
		b, ok := fn.Lookup(n)
		if !ok {
			p.Undecided("the value of a constant is a name from elsewhere")
			return ""
		}
		switch b.Node.Kind() {
		case "parameter":
			return "a parameter"
		case "const_parameter":
			return "a const generic"
		case "const_item":
			if computed(dsl.Unparen(b.Node.Field("value"))) {
				return "a constant that is not written as a literal"
			}
			return ""
		}
		return "a local name"
	case "field_expression":
		return "a field"
	case "binary_expression":
		return "an expression"
	case "call_expression":
		return "the result of a call"
	case "index_expression":
		return "an element"
	case "type_cast_expression":
		return "a conversion"
	case "unary_expression":
		if v := dsl.Unparen(n.NamedChild(0)); !literal(v) {
			return runtime(p, fn, v)
		}
	}
	return ""
}

func literal(n syntax.Node) bool {
	if n.Is("unary_expression") {
		n = dsl.Unparen(n.NamedChild(0))
	}
	return n.Is("integer_literal", "float_literal", "boolean_literal")
}

// computed reports whether a constant's value is anything but a literal; what a
// macro stands for is not known.
func computed(n syntax.Node) bool {
	return n.Is("binary_expression", "call_expression", "type_cast_expression", "identifier", "scoped_identifier")
}

// hostCall reports whether a call is of a primitive type's own function, such
// as `f16::from_f32`, which kernels do not have.
func hostCall(n syntax.Node) bool {
	owner := n.Field("function").Field("path")
	t := dsl.Type{Kind: dsl.Scalar, Elem: owner.Text()}
	return n.Is("call_expression") && owner.Valid() && (t.Float() || t.Int())
}

// rename is the fix: the same arguments broadcast a scalar of known type.
func rename(fn *dsl.Func, c dsl.Call) *rules.Fix {
	name := c.Node.Field("function")
	if name.Is("generic_function") {
		return nil // the two functions have other type arguments
	}
	if name.Is("scoped_identifier") {
		name = name.Field("name")
	}
	value := dsl.Unparen(c.Args[0])
	if t := fn.TypeOf(value); t.Kind != dsl.Scalar || value.Is("type_cast_expression") || fn.Module.Func("broadcast_scalar") != nil {
		return nil
	}
	if b, ok := fn.Lookup(value); ok && b.Node.Is("const_item") {
		return nil // better written as a literal
	}
	return rules.Replace(name, "broadcast_scalar", "broadcast the scalar")
}
