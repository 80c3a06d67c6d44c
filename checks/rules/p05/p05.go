// Package p05 is rule P5: no canary launch in the measured call.
package p05

import (
	_ "embed"
	"strings"

	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/r38"
)

//go:embed doc.md
var doc string

// Rule is P5.
var Rule = &rules.Rule{
	ID: "P5", Title: "The measured call launches the kernel once",
	Category: "performance", Owner: "host", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "A trial launch before each measured one doubles the time that is compared.",
	Triage: []string{
		"Move the launch with a fixed configuration out of the timed path and out of `kernel_fn`.",
		"Look for a second variant or a fallback that also runs.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.Perf}, Run: run,
}

// maxShown bounds how many configurations a message names.
const maxShown = 3

func run(p *rules.Pass) {
	l := reference.Perf.Of(p)
	points := l.Points("P5")
	if len(points) == 0 || p.Speaks(r38.Rule) {
		return
	}
	p.Report(rules.Diagnostic{
		File: l.File, Span: l.At, Construct: "launches",
		Message: "the recorded calls launch the own kernel more often than the reference: " + strings.Join(points[:min(len(points), maxShown)], "; "),
	})
}
