// Package r05 is rule R5: reducing a 2-D tile along an axis drops that axis.
package r05

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R5.
var Rule = &rules.Rule{
	ID: "R5", Title: "An axis reduction drops the axis",
	Category: "types", Owner: "kernel", Severity: rules.Error, DecidedBy: "syntax", Fix: "suggest",
	Signatures: []string{"S-J01"},
	Why:        "The result of a reduction has one dimension less than its input; an annotation that keeps the axis as 1 does not fit the value, and the first use of it fails to compile.",
	Whys: map[string]string{
		"axis": "The kernel compiler refuses an axis that the tile does not have when the kernel is first launched.",
	},
	Triage: []string{
		"Annotate the reduction with the input's shape without the reduced axis.",
		"Where the column or row form is needed, bind `.reshape(const_shape![M, 1])` to a second name.",
		"Count the axes from 0: a tile of one dimension has axis 0 alone.",
	},
	First: map[string]int{"": 0, "axis": 2},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			for _, c := range fn.OpCalls(fn.Body, "reduce_sum", "reduce_max", "reduce_min", "reduce_prod") {
				check(p, fn, c)
			}
		}
	}
}

func check(p *rules.Pass, fn *dsl.Func, c dsl.Call) {
	if len(c.Args) != 2 {
		return
	}
	in := fn.TypeOf(c.Args[0])
	axis, ok := literal(c.Args[1])
	if ok && in.Kind == dsl.Tile && in.ShapeKnown && axis >= len(in.Shape) {
		p.Reportf(c.Args[1], rules.Error, "axis", "`%s` has no axis %d: its tile has the shape `[%s]`, whose axes count from 0", c.Name, axis, strings.Join(in.Shape, ", "))
		return
	}
	at := fn.PlaceOf(c.Node)
	if !at.Type.Valid() {
		return
	}
	out := dsl.ParseType(at.Type)
	if in.Kind != dsl.Tile || !in.ShapeKnown || out.Kind != dsl.Tile || !out.ShapeKnown || !ok {
		p.Undecided("the shape of a reduction or its axis is unknown")
		return
	}
	want := slices.Delete(slices.Clone(in.Shape), axis, axis+1)
	if slices.Equal(out.Shape, want) {
		return
	}
	if len(out.Shape) == len(want) && !certain(fn, out.Shape, want) {
		p.Undecided("two shapes differ in names that may be equal")
		return
	}
	place := at.Type
	if !at.Let.Valid() {
		place = c.Node
	}
	severity, only := rules.Error, ""
	if reshaped(fn, at.Let.Field("pattern")) {
		severity, only = rules.Warning, " (harmless as long as the name is only reshaped)"
	}
	p.Reportf(place, severity, "", "`%s` over axis %d of a tile of shape `[%s]` gives `[%s]`, the annotation says `[%s]`%s",
		c.Name, axis, strings.Join(in.Shape, ", "), strings.Join(want, ", "), strings.Join(out.Shape, ", "), only)
}

// reshaped reports whether a name is used, and only as what reshape is called
// on: the kernel compiler takes the true shape there, not the annotated one.
func reshaped(fn *dsl.Func, name syntax.Node) bool {
	if !name.Is("identifier") {
		return false
	}
	uses := fn.Uses(name)
	for _, id := range uses {
		c, ok := dsl.AsCall(id.Parent().Parent())
		if !ok || c.Receiver != id || c.Name != "reshape" {
			return false
		}
	}
	return len(uses) > 0
}

// certain reports whether two shapes of one rank differ for sure somewhere: two
// different literals, or two different const generics of the function.
func certain(fn *dsl.Func, a, b []string) bool {
	for i := range a {
		_, errA := strconv.Atoi(a[i])
		_, errB := strconv.Atoi(b[i])
		if a[i] != b[i] && (errA == nil && errB == nil || fn.Const(a[i]) && fn.Const(b[i])) {
			return true
		}
	}
	return false
}

func literal(n syntax.Node) (int, bool) {
	n = dsl.Unparen(n)
	if !n.Is("integer_literal") {
		return 0, false
	}
	text := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(n.Text(), "i32"), "usize"), "_")
	v, err := strconv.Atoi(text)
	return v, err == nil
}
