// Package r16 is rule R16: the data type of an entry is generic.
package r16

import (
	_ "embed"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is R16.
var Rule = &rules.Rule{
	ID: "R16", Title: "The data type of an entry is generic",
	Category: "types", Owner: "kernel", Severity: rules.Error, DecidedBy: "analysis", Fix: "none",
	Signatures: []string{"S-R02", "S-C04", "S-C05", "S-B17"},
	Why:        "The host picks the element type at launch; an entry with a fixed one serves a single dtype and reads any other as garbage or not at all.",
	Triage: []string{
		"Add `E: ElementType` and use it for data pointers and tensors.",
		"Keep f32 for accumulators and row statistics.",
		"Pass the dtype string first in the generics of ffi.rs.",
	},
	First: map[string]int{"fixed": 1, "no generic": 0},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

// statistics are names of parameters that hold f32 by role.
var statistics = regexp.MustCompile(`(?i)^(rstd|mean|var|inv_?std|lse|l|m|acc|scale|sum|max)(_.*)?$`)

func run(p *rules.Pass) {
	if onlyF32(p) {
		return
	}
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Entries() {
			check(p, fn)
		}
	}
}

func check(p *rules.Pass, fn *dsl.Func) {
	generic := slices.ContainsFunc(fn.Types, func(t dsl.TypeParam) bool {
		return slices.ContainsFunc(t.Bounds, func(b string) bool { return last(b) == "ElementType" })
	})
	var fixed []dsl.Param
	var elems []string
	for _, q := range fn.Params {
		t := dsl.ParseType(q.Type)
		if t.Kind != dsl.Ptr && t.Kind != dsl.Tensor {
			continue
		}
		if fn.TypeParam(t.Elem) {
			generic = true
		}
		switch t.Elem {
		case "f16", "bf16", "f32", "f64":
			fixed = append(fixed, q)
			elems = append(elems, t.Elem)
		}
	}
	if !generic {
		if len(fixed) > 0 {
			p.Reportf(fn.NameAt, rules.Error, "no generic", "`%s` has no type parameter bounded by `ElementType`, and `%s` is fixed to `%s`; take the data type as a generic", fn.Name, fixed[0].Name, elems[0])
		}
		return
	}
	for i, q := range fixed {
		if !statistics.MatchString(q.Name) {
			p.Reportf(q.Node, rules.Warning, "fixed", "`%s` is fixed to `%s` in an entry with a generic data type; use the generic unless the reference fixes it too", q.Name, elems[i])
		}
	}
}

func last(path string) string { return path[strings.LastIndexAny(path, ": ")+1:] }

// onlyF32 reports whether the analysis of the reference lists tolerances for
// f32 and no other type: then a fixed type is what the reference does.
func onlyF32(p *rules.Pass) bool {
	src, err := p.Tree.Bytes(path.Join(p.Kernel.Dir, "reference/analysis.json"))
	if err != nil {
		return false
	}
	var a struct {
		Tolerance map[string]json.RawMessage `json:"correctness_tolerance"`
	}
	if json.Unmarshal(src, &a) != nil {
		return false
	}
	n := 0
	for k := range a.Tolerance {
		switch k {
		case "source", "notes":
		case "f32", "float32", "torch.float32":
			n++
		default:
			return false
		}
	}
	return n > 0
}
