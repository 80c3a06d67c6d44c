// Package t06 is rule T6: a change keeps tests, backends and test files in the run.
package t06

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is T6.
var Rule = &rules.Rule{
	ID: "T6", Title: "Test, backend or test file taken out of the run",
	Category: "process", Owner: "test", Severity: rules.Warning, DecidedBy: "cross-file", Fix: "none",
	Why: "A test that pytest does not collect, a backend that is not in the list and an op that another backend answers for look like a pass.",
	Whys: map[string]string{
		integrity.NewFile: "Nothing at the base says which cases the file must have, so that only a person can say whether it tests enough.",
	},
	Triage: []string{
		"Give the test its name, its file or its backend back; take a setting of pytest back.",
		"Look at the number of collected cases before and after: `pytest --collect-only -q`.",
		"Keep `DISABLE_FALLBACK=1`, so that a missing op fails.",
		"A test file that is new: a maintainer reads its cases and checks and, where they are enough, writes `/tilegym waive T6 PATH REASON`. The gate waits for that where the file is a kernel's test, and not for a further one.",
	},
	First: map[string]int{integrity.NewFile: 3},
	Doc:   doc, Scope: rules.PerChange, Requires: []rules.AnyFact{integrity.Facts},
	Run: func(p *rules.Pass) { integrity.Report(p, integrity.Collection) },
}
