// Package p02 is rule P2: the record of the pipeline test shows a success.
package p02

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is P2.
var Rule = &rules.Rule{
	ID: "P2", Title: "The record of the pipeline test shows that the kernel compiled",
	Category: "process", Owner: "kernel", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "The pipeline test is where the kernel is compiled for the GPU the first time; a failure there is a failure of the port.",
	Triage: []string{
		"Run `cargo test --release --test KERNEL_pipeline -- --nocapture` and read its first error.",
		"A run of 0 tests compiled nothing.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{}, Run: run,
}

var outcome = regexp.MustCompile(`^test result: (ok|FAILED)\. (\d+) passed`)

// run reads the last record of the pipeline test in each report that claims a
// success.
func run(p *rules.Pass) {
	for _, r := range reference.Reports(p.Tree, p.Kernel) {
		if !r.Succeeded() {
			continue
		}
		var last *reference.Run
		for _, c := range r.Runs("cargo test") {
			if strings.Contains(c.Command.Text, "--test "+p.Kernel.Name+"_pipeline") {
				last = &c
			}
		}
		if last == nil {
			continue
		}
		for _, l := range last.Output {
			text, what := strings.TrimSpace(l.Text), ""
			m := outcome.FindStringSubmatch(text)
			switch {
			case m != nil && m[1] == "FAILED":
				what = "the pipeline test failed"
			case m != nil && m[2] == "0":
				what = "no test ran, so nothing was compiled"
			case strings.HasPrefix(text, "error: no test target named"):
				what = "there is no such test"
			case strings.HasPrefix(text, "error: could not compile"):
				what = "the pipeline test did not build"
			default:
				continue
			}
			p.Report(rules.Diagnostic{
				File: r.File, Span: l.Span, Construct: "pipeline",
				Message: fmt.Sprintf("the verdict is %s, but %s in the last record of `%s_pipeline`", r.Verdict, what, p.Kernel.Name),
			})
		}
	}
}
