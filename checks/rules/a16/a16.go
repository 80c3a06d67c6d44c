// Package a16 is rule A16: a renamed IR is the original but for the name.
package a16

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A16.
var Rule = &rules.Rule{
	ID: "A16", Title: analysis.Titles["A16"],
	Category: "process", Owner: "process", Severity: rules.Error, DecidedBy: "analysis", Fix: "none",
	Why: "A dump under another name proves something about the op only when nothing but the name changed.",
	Triage: []string{
		"Dump the same function under both names with the same arguments and environment.",
		"Keep the original as `reference/orig_NAME.mlir.bak`.",
		"Compare: `tilegate ir diff` of the two must find nothing.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
