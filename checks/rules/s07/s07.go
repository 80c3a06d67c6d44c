// Package s07 is rule S7: the analysis is there.
package s07

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is S7.
var Rule = &rules.Rule{
	ID: "S7", Title: analysis.Titles["S7"],
	Category: "process", Owner: "process", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "Artifacts without the analysis have no variants, no reference and no shapes.",
	Triage: []string{
		"Add `reference/analysis.json`; `tilegate analysis check` says what it needs.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
