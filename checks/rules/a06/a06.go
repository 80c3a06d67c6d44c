// Package a06 is rule A6: variants name themselves, their function and their IR.
package a06

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A6.
var Rule = &rules.Rule{
	ID: "A6", Title: analysis.Titles["A6"],
	Category: "process", Owner: "process", Severity: rules.Error, DecidedBy: "analysis", Fix: "none",
	Why: "A variant without these three cannot be matched with an entry, a kernel of the reference or a dump.",
	Triage: []string{
		"Give each variant `variant_name`, `kernel_function`, `reference_ir` and `dispatch_condition`.",
		"Names are unique.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
