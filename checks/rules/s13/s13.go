// Package s13 is rule S13: a performance log has records.
package s13

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is S13.
var Rule = &rules.Rule{
	ID: "S13", Title: analysis.Titles["S13"],
	Category: "performance", Owner: "process", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "A log without records shows that something ran, not how fast; one with a failed test lacks shapes.",
	Triage: []string{
		"Run `test_perf` with `--print-record` and keep the whole output.",
		"Repair the failing test before the times are used.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
