// Package a07 is rule A7: configurations belong to variants.
package a07

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A7.
var Rule = &rules.Rule{
	ID: "A7", Title: analysis.Titles["A7"],
	Category: "process", Owner: "process", Severity: rules.Error, DecidedBy: "analysis", Fix: "none",
	Why: "A measured configuration that belongs to no variant is compared with the wrong reference.",
	Triage: []string{
		"Give each perf configuration the name of one of the variants in `kernel_variants`.",
		"A supplement is no variant.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
