// Package a13 is rule A13: the kernel's name is the directory's.
package a13

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A13.
var Rule = &rules.Rule{
	ID: "A13", Title: analysis.Titles["A13"],
	Category: "process", Owner: "process", Severity: rules.Error, DecidedBy: "analysis", Fix: "none",
	Why: "The name selects the exported symbol, the module and the test; another name selects another kernel.",
	Triage: []string{
		"Write the stem of the folder: `bmm` for `bmm_kernel`.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
