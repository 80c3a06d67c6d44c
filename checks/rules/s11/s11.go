// Package s11 is rule S11: an investigation begins with its verdict.
package s11

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"path"
	"strings"
)

//go:embed doc.md
var doc string

// Rule is S11.
var Rule = &rules.Rule{
	ID: "S11", Title: analysis.Titles["S11"],
	Category: "performance", Owner: "process", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "The investigation is the first thing that the next step reads; without a verdict it cannot be acted on.",
	Triage: []string{
		"Begin with `VERDICT: FIXABLE`, `VERDICT: ALIGNED` or `VERDICT: BLOCKED`.",
		"After FIXABLE, change what it names before anything else is measured: it leads over every other performance signal.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: run,
}

func run(p *rules.Pass) {
	reference.ReportProblems(p)
	for _, name := range p.Tree.Files(path.Join(p.Kernel.Dir, "reports"), investigation) {
		r := reference.ReadReport(p.Tree, name)
		if r == nil || r.Verdict != "FIXABLE" || r.VerdictAt.Start != 0 {
			continue
		}
		p.Report(rules.Diagnostic{
			File: r.File, Span: syntax.Span{Start: 0, End: len(r.File.Line(1))}, Severity: rules.Note, Construct: "leading",
			Message: "this investigation found a cause that can be fixed; act on it before other signals of performance",
		})
	}
}

func investigation(p string) bool {
	return strings.HasPrefix(path.Base(p), "perf_investigation_") && strings.HasSuffix(p, ".md")
}
