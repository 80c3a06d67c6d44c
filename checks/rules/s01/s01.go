// Package s01 is rule S1: the device source is there.
package s01

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is S1.
var Rule = &rules.Rule{
	ID: "S1", Title: analysis.Titles["S1"],
	Category: "process", Owner: "process", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "Artifacts of a kernel without its source prove something about a file that nobody has.",
	Triage: []string{
		"Add `kernel.rs` beside the artifacts, or take the artifacts out of the change.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: run,
}

// run leaves a kernel with an export but without a source to R17.
func run(p *rules.Pass) {
	reference.ReportSome(p, func(a *reference.Artifacts, _ analysis.Located) bool {
		return a.Dir != p.Kernel.Dir || p.Kernel.FFI == ""
	})
}
