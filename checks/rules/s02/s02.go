// Package s02 is rule S2: the reference IR is there.
package s02

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is S2.
var Rule = &rules.Rule{
	ID: "S2", Title: analysis.Titles["S2"],
	Category: "process", Owner: "process", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "Without the reference's IR the port follows a source whose compiled form nobody has seen.",
	Triage: []string{
		"Dump the winning backend for each variant into `reference/reference.mlir`, or `reference/reference_VARIANT.mlir` for several.",
		"Move further dumps to `reference/supplements/`.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
