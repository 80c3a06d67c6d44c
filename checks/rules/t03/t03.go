// Package t03 is rule T3: a change adds no skip and no expected failure.
package t03

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is T3.
var Rule = &rules.Rule{
	ID: "T3", Title: "Skip or expected failure added",
	Category: "process", Owner: "test", Severity: rules.Warning, DecidedBy: "cross-file", Fix: "none",
	Why: "A skipped case passes without having run, and an expected failure hides a real one.",
	Triage: []string{
		"Run the skipped cases and fix what fails.",
		"If the backend cannot do it, declare the gap in the commit that registers the backend, for that backend alone.",
		"If the machine cannot, tie the skip to the machine and not to the op.",
	},
	Doc: doc, Scope: rules.PerChange, Requires: []rules.AnyFact{integrity.Facts},
	Run: func(p *rules.Pass) { integrity.Report(p, integrity.Skips) },
}
