// Package t05 is rule T5: a change keeps the reference, the seed and the inputs.
package t05

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is T5.
var Rule = &rules.Rule{
	ID: "T5", Title: "Reference, seed or inputs changed",
	Category: "process", Owner: "test", Severity: rules.Warning, DecidedBy: "cross-file", Fix: "none",
	Why: "What is compared depends on what is put in: another seed, smaller values or a reference that was rewritten to agree make a wrong kernel pass.",
	Triage: []string{
		"Give the inputs, the seed and the reference back and look at what fails.",
		"If the reference was wrong, fix it in a pull request of its own.",
		"If the old inputs overflow the type, say so: a maintainer waives the finding.",
	},
	Doc: doc, Scope: rules.PerChange, Requires: []rules.AnyFact{integrity.Facts},
	Run: func(p *rules.Pass) { integrity.Report(p, integrity.Inputs) },
}
