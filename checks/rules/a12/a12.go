// Package a12 is rule A12: supplements are no variants.
package a12

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A12.
var Rule = &rules.Rule{
	ID: "A12", Title: analysis.Titles["A12"],
	Category: "process", Owner: "process", Severity: rules.Error, DecidedBy: "analysis", Fix: "none",
	Why: "A dump that only proves a data type, kept among the variants, asks for an entry that the op does not have.",
	Triage: []string{
		"Move the file below `reference/supplements/` and name it under a key with `supplement` in the variant that it belongs to.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
