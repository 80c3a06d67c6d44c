// Package p10 is rule P10: TMA is on in the generated IR where the reference has it.
package p10

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/ir"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/r28"
)

//go:embed doc.md
var doc string

// Rule is P10.
var Rule = &rules.Rule{
	ID: "P10", Title: "TMA is on in the generated IR where the reference has it",
	Category: "performance", Owner: "kernel", Severity: rules.Warning, DecidedBy: "ir", Fix: "none",
	Why: "A load that falls back from TMA is issued by the threads of the block, and the pipeline of the kernel is gone.",
	Triage: []string{
		"Keep `tma::Enabled` unless the reference says `allow_tma=False`.",
		"Compare `allow_tma` in both IR files; when the source enables it, generate the IR again.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.Generated, reference.IR}, Run: run,
}

func run(p *rules.Pass) {
	views := 0
	for _, e := range reference.IR.Of(p) {
		if slices.ContainsFunc(e.Ops, off) {
			return
		}
		views += e.Count("load_view_tko") + e.Count("store_view_tko")
	}
	if views == 0 {
		return
	}
	for _, d := range reference.Generated.Of(p) {
		for _, e := range d.Entries {
			for _, op := range e.Ops {
				if !off(op) {
					continue
				}
				if p.Speaks(r28.Rule, "tma") {
					return
				}
				p.Report(rules.Diagnostic{
					File: d.File, Span: d.At(op.Line), Construct: e.Name,
					Message: fmt.Sprintf("`%s` of `@%s` has TMA switched off, the reference IR never does; expected `tma::Enabled`", op.Name, e.Name),
				})
			}
		}
	}
}

// off reports whether an operation forbids TMA.
func off(op ir.Op) bool {
	return strings.Contains(strings.ReplaceAll(op.Text, " ", ""), "allow_tma=false")
}
