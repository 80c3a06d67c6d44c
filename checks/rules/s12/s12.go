// Package s12 is rule S12: the report of the IR comparison is complete.
package s12

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is S12.
var Rule = &rules.Rule{
	ID: "S12", Title: analysis.Titles["S12"],
	Category: "process", Owner: "process", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "A comparison without its parts or with two verdicts decides nothing.",
	Triage: []string{
		"Write the five parts: structure, list of differences, causes, impact, verdict.",
		"End with one verdict; after FAIL_FIXABLE list the action items.",
		"`tilegate ir diff REFERENCE GENERATED` makes the comparison itself.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
