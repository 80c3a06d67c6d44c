// Package p06 is rule P6: the recorded runs do not fail on gradients.
package p06

import (
	_ "embed"
	"regexp"
	"strings"

	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/r37"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is P6.
var Rule = &rules.Rule{
	ID: "P6", Title: "The recorded runs do not fail on gradients",
	Category: "process", Owner: "host", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "Performance tests make inputs that require gradients although they only time the forward pass; a wrapper that refuses them has no time.",
	Triage: []string{
		"Detach inputs that require gradients before the launch.",
		"Skip backward cases for cutile-rs in the test (R37).",
		"Run again: the log may come from an older wrapper.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{}, Run: run,
}

var (
	refused = regexp.MustCompile(`\b(NotImplementedError|RuntimeError)\b`)
	grads   = regexp.MustCompile(`(?i)\b(backward|requires_grad|autograd|grad_fn)\b`)
)

func run(p *rules.Pass) {
	for _, name := range []string{"correctness_cutile_rs.txt", "perf_cutile_rs.txt"} {
		f := reference.Log(p.Tree, p.Kernel, name)
		if f == nil {
			continue
		}
		for i := 1; i <= f.LineCount(); i++ {
			text := f.Line(i)
			if !refused.MatchString(text) || !grads.MatchString(text) || strings.Contains(text, "SKIPPED") {
				continue
			}
			if p.Speaks(r37.Rule) {
				return
			}
			start := f.LineStart(i)
			p.Report(rules.Diagnostic{
				File: f, Span: syntax.Span{Start: start, End: start + len(text)}, Construct: "gradients",
				Message: "this recorded run of cutile-rs failed on gradients; expected a forward-only wrapper that detaches, and backward cases that are skipped",
			})
			break
		}
	}
}
