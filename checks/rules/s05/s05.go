// Package s05 is rule S5: the correctness report is one of pytest.
package s05

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is S5.
var Rule = &rules.Rule{
	ID: "S5", Title: analysis.Titles["S5"],
	Category: "process", Owner: "test", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "A report without a verdict, or a log that no pytest wrote, shows no passed test.",
	Triage: []string{
		"Begin `reports/correctness.md` with `VERDICT: ALL_PASS` or `VERDICT: FAIL`.",
		"Keep the whole output of `python -m pytest .. -k cutile_rs -v` as `correctness_cutile_rs.txt`.",
		"Never judge by a loop of your own: the test's comparison decides.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
