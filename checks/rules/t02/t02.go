// Package t02 is rule T2: a change removes, wraps or narrows no check.
package t02

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is T2.
var Rule = &rules.Rule{
	ID: "T2", Title: "Check removed, wrapped or narrowed",
	Category: "process", Owner: "test", Severity: rules.Warning, DecidedBy: "cross-file", Fix: "none",
	Why: "A comparison that is gone, swallowed, skipped by an early return or made of a part of the result cannot fail where the kernel is wrong.",
	Triage: []string{
		"Put the check back, or show in the pull request where the same is compared now.",
		"Compare whole outputs, with their shapes, types and strides.",
		"Let failures out of `try` blocks.",
	},
	Doc: doc, Scope: rules.PerChange, Requires: []rules.AnyFact{integrity.Facts},
	Run: func(p *rules.Pass) { integrity.Report(p, integrity.Checks) },
}
