// Package a02 is rule A2: the required fields are there.
package a02

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A2.
var Rule = &rules.Rule{
	ID: "A2", Title: analysis.Titles["A2"],
	Category: "process", Owner: "process", Severity: rules.Error, DecidedBy: "analysis", Fix: "none",
	Why: "A field that is missing or of another type stops the stage that needs it, or makes it guess.",
	Triage: []string{
		"Add the field that the message names; the table under Use instead, in docs/rules/A2.md, tells its form.",
		"A field with a slip in its name: write it as the message says.",
		"`launch_path` is `direct` or `autotune`; `ops_used` is a list of names.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
