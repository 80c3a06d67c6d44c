// Package a05 is rule A5: there are shapes to measure.
package a05

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A5.
var Rule = &rules.Rule{
	ID: "A5", Title: analysis.Titles["A5"],
	Category: "process", Owner: "test", Severity: rules.Error, DecidedBy: "analysis", Fix: "none",
	Why: "Without a shape of `test_perf` there is no configuration to measure and no ratio.",
	Triage: []string{
		"Copy the parametrisation of `test_perf`: an object with `shapes` for each case, or a list whose items have `param_list`.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
