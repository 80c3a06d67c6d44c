// Package a09 is rule A9: each data type has its tolerance.
package a09

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A9.
var Rule = &rules.Rule{
	ID: "A9", Title: analysis.Titles["A9"],
	Category: "process", Owner: "test", Severity: rules.Error, DecidedBy: "analysis", Fix: "none",
	Why: "Every key there but `source` and `notes` is a data type, and a type without both numbers has no limit.",
	Triage: []string{
		"Write `atol` and `rtol` for each data type, as the test has them.",
		"Put remarks under `notes`.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
