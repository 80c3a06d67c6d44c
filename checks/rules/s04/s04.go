// Package s04 is rule S4: the reports of the stages that ran are there.
package s04

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is S4.
var Rule = &rules.Rule{
	ID: "S4", Title: analysis.Titles["S4"],
	Category: "process", Owner: "process", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "A stage without its report cannot be told from one that was left out.",
	Triage: []string{
		"Write the report of each stage to `reports/agent_STAGE.md` or `reports/agent_logs/agent_STAGE.md`.",
		"After a comparison of the IR both its report and `generated/diff_report.md` are needed, after an investigation `agent_f.md`.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: run,
}

// run leaves the build log to R49 where that rule asks for it.
func run(p *rules.Pass) {
	b := reference.StageReport(p.Tree, p.Kernel, "b")
	reference.ReportSome(p, func(a *reference.Artifacts, l analysis.Located) bool {
		return l.File != "reports/build_log.md" || a.Dir != p.Kernel.Dir || b == nil || b.Verdict != "COMPILED"
	})
}
