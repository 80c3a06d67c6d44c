// Package a08 is rule A8: the correctness reference is named.
package a08

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A8.
var Rule = &rules.Rule{
	ID: "A8", Title: analysis.Titles["A8"],
	Category: "process", Owner: "test", Severity: rules.Error, DecidedBy: "analysis", Fix: "none",
	Why: "Without the function that the test compares with, nobody can say what the kernel should compute.",
	Triage: []string{
		"Copy the reference function of the test class into `correctness_reference.function`, and where it stands into `source`.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
