// Package a03 is rule A3: the files that the analysis names exist.
package a03

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A3.
var Rule = &rules.Rule{
	ID: "A3", Title: analysis.Titles["A3"],
	Category: "process", Owner: "process", Severity: rules.Error, DecidedBy: "analysis", Fix: "none",
	Why: "A variant whose reference IR is absent has nothing to be compared with.",
	Triage: []string{
		"Add the IR file, or correct the path; it is relative to the folder of the kernel.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
