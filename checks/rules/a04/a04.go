// Package a04 is rule A4: the reference backend is cutile or triton.
package a04

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A4.
var Rule = &rules.Rule{
	ID: "A4", Title: analysis.Titles["A4"],
	Category: "process", Owner: "process", Severity: rules.Error, DecidedBy: "analysis", Fix: "none",
	Why: "Only these two have tests, logs and IR to compare with.",
	Triage: []string{
		"Write `cutile` or `triton`; the Triton-TileIR run is called `triton` here.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
