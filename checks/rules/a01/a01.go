// Package a01 is rule A1: the analysis is one JSON object.
package a01

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A1.
var Rule = &rules.Rule{
	ID: "A1", Title: analysis.Titles["A1"],
	Category: "process", Owner: "process", Severity: rules.Error, DecidedBy: "analysis", Fix: "none",
	Why: "A document that cannot be parsed says nothing, and one with the same key twice says two things: each reader then picks its own.",
	Triage: []string{
		"Load the file with a JSON parser and go to the line that it names.",
		"Remove the second of two equal keys.",
		"Write notes as values of their own keys, never as comments.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
