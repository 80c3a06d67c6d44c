// Package a11 is rule A11: the choice of the reference backend is recorded.
package a11

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A11.
var Rule = &rules.Rule{
	ID: "A11", Title: analysis.Titles["A11"],
	Category: "performance", Owner: "process", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "Without the times, nobody can see that the faster reference was chosen.",
	Triage: []string{
		"Record `winner` and the geometric means of both backends, for each variant under `per_variant`.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
