// Package r19 is rule R19: a port divides as the reference does.
package r19

import (
	"bufio"
	"bytes"
	_ "embed"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R19.
var Rule = &rules.Rule{
	ID: "R19", Title: "True division where the reference uses it",
	Category: "performance", Owner: "kernel", Severity: rules.Warning, DecidedBy: "cross-file", Fix: "safe",
	Signatures: []string{"S-P05", "S-C09"},
	Why:        "An operator `/` on f32 tiles becomes an exactly rounded division of many instructions, while the reference divides with one approximate instruction.",
	Triage: []string{
		"Look for `divf` without `rounding<approx>` in the generated IR.",
		"Write `true_div(a, b)`; `divf` with `rounding::Approx` is encoded as another rounding in cutile 0.2.0.",
	},
	First: map[string]int{"divf": 1, "operator": 1},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.Facts, dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	used, approximate := evidence(p)
	if !used {
		return
	}
	for _, m := range dsl.Modules.Of(p) {
		if slices.ContainsFunc(m.Funcs, func(f *dsl.Func) bool { return len(f.OpCalls(f.Body, "true_div")) > 0 }) {
			continue
		}
		for _, f := range m.Funcs {
			operators(p, f, approximate)
			for _, c := range f.OpCalls(f.Body, "divf") {
				if len(c.Args) != 4 {
					continue
				}
				module, mode, ok := dsl.Mode(c.Args[2])
				if !ok || module != "rounding" {
					continue
				}
				a, b := c.Args[0], c.Args[1]
				switch {
				case mode == "Approx":
					p.ReportFix(c.Node, rules.Warning, "divf", fix(f, c.Node, a, b, approximate), "`divf` with `rounding::Approx` is encoded as another rounding in cutile 0.2.0; the reference divides with `truediv`, expected `true_div(%s, %s)`", a.Squeeze(), b.Squeeze())
				case mode == "NearestEven" && approximate:
					p.ReportFix(c.Node, rules.Warning, "divf exact", fix(f, c.Node, a, b, approximate), "`divf` with `rounding::NearestEven` divides with exact rounding, the reference with an approximate `truediv`; expected `true_div(%s, %s)`", a.Squeeze(), b.Squeeze())
				}
			}
		}
	}
}

// operators reports divisions of float tiles by the operator.
func operators(p *rules.Pass, f *dsl.Func, approximate bool) {
	for _, n := range f.Body.Find("binary_expression") {
		l, r, ok := dsl.Binary(n, "/")
		if !ok {
			continue
		}
		a, b := f.TypeOf(l), f.TypeOf(r)
		if a.Kind != dsl.Tile || b.Kind != dsl.Tile || !a.Float() || !b.Float() {
			continue
		}
		p.ReportFix(n, rules.Warning, "operator", fix(f, n, l, r, approximate), "`%s` divides with exact rounding, the reference with `truediv`; expected `true_div(%s, %s)`", n.Squeeze(), dsl.Unparen(l).Squeeze(), dsl.Unparen(r).Squeeze())
	}
}

// fix writes true_div where both operands are tiles of one type, the value's
// type is given, and the reference's division is the approximate one.
func fix(f *dsl.Func, n, l, r syntax.Node, approximate bool) *rules.Fix {
	a, b := f.TypeOf(l), f.TypeOf(r)
	same := a.Kind == dsl.Tile && b.Kind == dsl.Tile && a.Elem == "f32" && b.Elem == "f32" && a.ShapeKnown && b.ShapeKnown && slices.Equal(a.Shape, b.Shape)
	if !approximate || !same || !f.PlaceOf(n).Type.Valid() || dsl.HasComment(n) {
		return nil
	}
	return rules.Replace(n, "true_div("+dsl.Unparen(l).Text()+", "+dsl.Unparen(r).Text()+")", "divide as the reference does")
}

// evidence reports whether the reference divides with truediv, in its source
// or in its IR, and whether some such division is approximate.
func evidence(p *rules.Pass) (used, approximate bool) {
	if ref := reference.Facts.Of(p); ref != nil {
		for _, c := range ref.Calls("truediv") {
			used = true
			mode := c.Arg("rounding_mode", -1)
			approximate = approximate || strings.HasSuffix(ref.Name(mode), "APPROX")
		}
	} else {
		p.Undecided("the reference is not known")
	}
	files, err := fs.Glob(p.Tree.FS, path.Join(p.Kernel.Dir, "reference/*.mlir"))
	if err != nil {
		return used, approximate
	}
	for _, name := range files {
		data, err := p.Tree.Bytes(name)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if t := lines.Text(); strings.Contains(t, "divf ") && strings.Contains(t, "rounding<approx>") {
				return true, true
			}
		}
	}
	return used, approximate
}
