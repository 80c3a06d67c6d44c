// Package r27 is rule R27: a kernel that multiplies matrices transposes its
// operands itself.
package r27

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/r34"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R27.
var Rule = &rules.Rule{
	ID: "R27", Title: "Operands of a matrix product are transposed in the kernel, not by the wrapper",
	Category: "performance", Owner: "host", Severity: rules.Error, DecidedBy: "cross-file", Fix: "none",
	Signatures: []string{"S-P01", "S-C02"},
	Why:        "A transposed operand that the wrapper makes contiguous is copied through device memory on each call, which costs as much as a good part of the product and hides the transposition from the kernel.",
	Whys: map[string]string{
		"flag": "The host says by the flag that an operand is transposed; a kernel that does nothing for it computes with the untransposed one.",
	},
	Triage: []string{
		"Pass the operand as it lies in memory, with the flag (`int(transpose_b)`), to the library.",
		"Load the tile in its physical order and `permute` it, or load through `partition_permuted`.",
		"Check that only one side transposes: both together give plausible but permuted results.",
	},
	First: map[string]int{"flag": 1},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts, reference.Facts, dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	gemm := false
	for _, m := range dsl.Modules.Of(p) {
		uses := false
		for _, f := range m.Funcs {
			uses = uses || len(f.OpCalls(f.Body, "mmaf", "mmai")) > 0
		}
		gemm = gemm || uses
		if uses {
			flags(p, m)
		}
	}
	if w := host.Of(p).Kernel(p.Kernel).Wrapper; gemm && w != nil {
		operands(p, w)
	}
}

// operands reports transposed copies before the launch.
func operands(p *rules.Pass, w *host.Wrapper) {
	var copies *reference.Copies
	owners := sync.OnceValue(func() []rules.Diagnostic { return p.Reports(r34.Rule) })
	launches := w.Launches()
	for _, c := range w.Copies() {
		region := w.Region(c.Node)
		if c.Kind != host.Layout || region == host.Unreached || w.LayoutGuarded(c.Node) {
			continue
		}
		if end, ok := launches[host.Owner(c.Node)]; ok && end <= c.Node.Span().Start {
			continue // the result
		}
		ref := reference.Facts.Of(p)
		if ref == nil {
			p.Undecided("what the reference transposes is not known")
			return
		}
		if copies == nil {
			copies = ref.HostCopies(w.Ops()...)
		}
		if copies.Include(w, c) != reference.No {
			continue
		}
		value := w.Before(c.Tensor)
		if slices.ContainsFunc(owners(), func(d rules.Diagnostic) bool {
			return d.Construct != r34.Conditional && (d.In(c.Node) || d.In(value))
		}) {
			continue // the kernel swaps the same axes, which is worse than the copy
		}
		severity, where := rules.Warning, "before the launch"
		if region == host.Hot {
			severity, where = rules.Error, "on each timed call"
		}
		name := w.Origin(c.Tensor)
		if name == "" {
			name = "an operand"
		} else {
			name = "`" + name + "`"
		}
		p.Reportf(c.Node, severity, "copy", "%s is transposed with `%s` and copied %s, which the reference does not do; expected the physical tensor and a flag, and `permute` in the kernel", name, c.Op, where)
	}
}

// flags warns of an entry with a flag for a transposed operand in a module
// that permutes nothing.
func flags(p *rules.Pass, m *dsl.Module) {
	for _, f := range m.Funcs {
		for _, c := range f.Calls() {
			switch {
			case strings.Contains(c.Name, "permute"), strings.Contains(c.Name, "transpose"), c.Name == "make_tensor_view", c.Name == "load_ptr_tko":
				return // transposes, or reads by its own strides
			case !c.Method() && f.Op(c) == "" && m.Func(c.Name) == nil && c.Name != "Some":
				p.Undecided("a function of another module may transpose")
				return
			}
		}
		// A dimension map other than the identity transposes too.
		for _, c := range f.OpCalls(f.Body, "make_partition_view") {
			if len(c.Args) != 5 || syntax.LastSegment(c.Args[3]) != "Identity" {
				return
			}
		}
	}
	for _, f := range m.Entries() {
		if len(f.OpCalls(f.Body, "mmaf", "mmai")) == 0 {
			continue
		}
		for _, c := range f.Consts {
			name := strings.ToUpper(c.Name)
			if strings.HasPrefix(name, "TRANSPOSE") || strings.HasPrefix(name, "TRANS_") {
				p.Reportf(c.Node, rules.Warning, "flag", "`%s` has the flag `%s`, but nothing in `%s` permutes a tile; expected `permute` after the load or `partition_permuted`", f.Name, c.Name, m.Name)
			}
		}
	}
}
