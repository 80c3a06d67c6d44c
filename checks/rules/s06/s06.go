// Package s06 is rule S6: the performance report has a verdict and one geomean.
package s06

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is S6.
var Rule = &rules.Rule{
	ID: "S6", Title: analysis.Titles["S6"],
	Category: "performance", Owner: "process", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "A report without one clear number can be read in two ways.",
	Triage: []string{
		"Begin with `VERDICT: DONE` or `VERDICT: INVESTIGATE`.",
		"Write exactly one line `geomean_ratio=NUMBER`.",
		"Keep `perf_cutile_rs.txt` and `baseline_perf_cutile.txt`.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
