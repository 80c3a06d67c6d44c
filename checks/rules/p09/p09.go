// Package p09 is rule P9: the timed call only allocates.
package p09

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/r41"
)

//go:embed doc.md
var doc string

// Rule is P9.
var Rule = &rules.Rule{
	ID: "P9", Title: "The timed call allocates with torch.empty and copies nothing",
	Category: "performance", Owner: "host", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "A fill or a copy beside the kernel is measured with it, and the reference does not have it.",
	Triage: []string{
		"Allocate outputs with `torch.empty`.",
		"Remove `clone`, `zeros`, conversions and `contiguous` of large tensors from what the tuner calls.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.Perf}, Run: run,
}

func run(p *rules.Pass) {
	reference.Perf.Of(p).Report(p, "P9", r41.Rule, "the recorded calls run fills or copies beside the kernel")
}
