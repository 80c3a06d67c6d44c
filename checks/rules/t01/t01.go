// Package t01 is rule T1: a change does not loosen a tolerance.
package t01

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is T1.
var Rule = &rules.Rule{
	ID: "T1", Title: "Tolerance loosened",
	Category: "process", Owner: "test", Severity: rules.Warning, DecidedBy: "cross-file", Fix: "none",
	Why: "The tolerance is what makes a comparison a test: a kernel that became wrong passes when the limit is raised together with it.",
	Triage: []string{
		"Give the old tolerance back and look at the largest difference that the check prints.",
		"If the reference is less exact than the kernel, compute it in a wider type instead.",
		"If the limit was wrong, say why in the pull request: a maintainer waives the finding.",
	},
	Doc: doc, Scope: rules.PerChange, Requires: []rules.AnyFact{integrity.Facts},
	Run: func(p *rules.Pass) { integrity.Report(p, integrity.Tolerance) },
}
