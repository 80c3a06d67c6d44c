// Package r09 is rule R9: Shape and Array literals list only dynamic entries.
package r09

import (
	_ "embed"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R9.
var Rule = &rules.Rule{
	ID: "R9", Title: "Shape and Array literals list only dynamic entries",
	Category: "memory", Owner: "kernel", Severity: rules.Error, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-C02", "S-R06"},
	Why:        "The values in `dims` are taken in order for the `-1` entries of the type; one too many or too few gives a dimension the value of another.",
	Triage: []string{
		"Count the `-1` entries of the type.",
		"List exactly those values in `dims`, in their order; constants stand in the type only.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

// hops is how many names a list of dims is followed through at most.
const hops = 3

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			for _, lit := range fn.Body.Find("struct_expression") {
				check(p, fn, lit)
			}
		}
	}
}

func check(p *rules.Pass, fn *dsl.Func, lit syntax.Node) {
	name := lit.Field("name")
	if last := syntax.LastSegment(name); last != "Shape" && last != "Array" {
		return
	}
	entries, ok := typeDims(name)
	if !ok {
		t := dsl.ParseType(fn.PlaceOf(lit).Type)
		if t.Kind != dsl.ShapeOrArray || !t.ShapeKnown {
			p.Undecided("the type of a Shape or Array is not written")
			return
		}
		entries = t.Shape
	}
	list := dims(fn, lit)
	if !list.Valid() {
		p.Undecided("the list of dims is not visible")
		return
	}
	dynamic := 0
	for _, e := range entries {
		if e == "-1" {
			dynamic++
		}
	}
	values := list.NamedChildren()
	// A type without dynamic entries says all. Most operations then ignore a list
	// of all of them; a tensor view is given them as operands that it has no
	// place for.
	if len(values) == dynamic || dynamic == 0 && len(values) == len(entries) && !viewed(fn, lit) {
		return
	}
	if list.Damaged() {
		p.Undecided("the list of dims is damaged")
		return
	}
	var fix *rules.Fix
	if list.Inside(lit) {
		fix = dropStatic(entries, list, values)
	}
	pin := ""
	if len(values) == len(entries) {
		pin = "0.2.0" // later versions drop the static entries of a full list
	}
	p.Report(rules.Diagnostic{
		File: list.File(), Span: list.Span(), Severity: rules.Error, Pin: pin, Fix: fix,
		Message: rules.Message("`dims` lists %d values, but `[%s]` has %d dynamic entries (`-1`); list exactly those, static entries stand in the type only",
			len(values), strings.Join(entries, ", "), dynamic),
	})
}

// viewed reports whether a tensor view is made with a literal.
func viewed(fn *dsl.Func, lit syntax.Node) bool {
	for _, c := range fn.OpCalls(fn.Body, "make_tensor_view") {
		for _, a := range c.Args {
			if fn.Resolve(a, hops) == lit {
				return true
			}
		}
	}
	return false
}

// typeDims are the entries of Shape::<{ [..] }>; ok is false without them.
func typeDims(name syntax.Node) ([]string, bool) {
	for _, list := range name.Field("type_arguments").Find("array_expression") {
		return dsl.Dims(list), true
	}
	return nil, false
}

// dims is the array that the field dims gets; invalid when it is not visible or
// made by repetition.
func dims(fn *dsl.Func, lit syntax.Node) syntax.Node {
	for _, field := range lit.Field("body").NamedChildren() {
		var value syntax.Node
		switch {
		case field.Is("field_initializer") && field.Field("field").Text() == "dims":
			value = field.Field("value")
		case field.Is("shorthand_field_initializer") && field.Text() == "dims":
			value = field.ChildOf("identifier")
		default:
			continue
		}
		for range hops {
			value = fn.Resolve(value, hops)
			if value.Is("reference_expression") {
				value = value.Field("value")
			}
		}
		if value.Is("array_expression") && !value.Field("length").Valid() {
			return value
		}
	}
	return syntax.Node{}
}

// dropStatic is the fix, possible when there is one value for each entry.
func dropStatic(entries []string, list syntax.Node, values []syntax.Node) *rules.Fix {
	if len(values) != len(entries) || dsl.HasComment(list) {
		return nil
	}
	var keep []string
	for i, v := range values {
		if entries[i] == "-1" {
			keep = append(keep, v.Text())
		}
	}
	return rules.Replace(list, "["+strings.Join(keep, ", ")+"]", "list only the dynamic entries")
}
