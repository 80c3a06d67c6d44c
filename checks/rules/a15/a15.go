// Package a15 is rule A15: the reference is the one that was measured faster.
package a15

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A15.
var Rule = &rules.Rule{
	ID: "A15", Title: analysis.Titles["A15"],
	Category: "performance", Owner: "process", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "Against the slower reference every port looks good.",
	Triage: []string{
		"Compare the recorded geometric means, for each variant.",
		"Set `winner` and `reference_backend` to the backend with the lower one, and dump its IR.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
