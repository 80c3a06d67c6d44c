// Package t04 is rule T4: a change drops no shape, type or configuration.
package t04

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is T4.
var Rule = &rules.Rule{
	ID: "T4", Title: "Shapes, types or configurations dropped",
	Category: "process", Owner: "test", Severity: rules.Warning, DecidedBy: "cross-file", Fix: "none",
	Why: "A shape or type that is tested no more is the one that breaks next; a performance configuration that is gone can no longer show a regression.",
	Triage: []string{
		"Put the cases back; add new ones beside them.",
		"If a case was a duplicate, say of which one.",
		"If it takes too long, ask a maintainer to move it.",
	},
	Doc: doc, Scope: rules.PerChange, Requires: []rules.AnyFact{integrity.Facts},
	Run: func(p *rules.Pass) { integrity.Report(p, integrity.Cases) },
}
