// Package p05 is rule P5: no canary launch in the measured call.
package p05

import (
	_ "embed"

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

func run(p *rules.Pass) {
	reference.Perf.Of(p).Report(p, "P5", r38.Rule, "the recorded calls launch the own kernel more often than the reference")
}
