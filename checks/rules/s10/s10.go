// Package s10 is rule S10: a verdict agrees with its validators.
package s10

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is S10.
var Rule = &rules.Rule{
	ID: "S10", Title: analysis.Titles["S10"],
	Category: "process", Owner: "process", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Signatures: []string{"S-X01"},
	Why:        "A verdict above a validator that failed, or beside the mark of a blocked run, is no verdict.",
	Triage: []string{
		"Repair what the validator names and run all of them again.",
		"A run that could not be made ends with BLOCKED, and the gate waits for one that can.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
