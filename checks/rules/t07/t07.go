// Package t07 is rule T7: what is tested touches neither the tests nor the measurement.
package t07

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is T7.
var Rule = &rules.Rule{
	ID: "T7", Title: "Measurement or test machinery touched",
	Category: "process", Owner: "test", Severity: rules.Warning, DecidedBy: "cross-file", Fix: "none",
	Why: "Code that can see that it is tested can behave differently there, and a changed measurement makes two runs incomparable.",
	Whys: map[string]string{
		"backend":     "The port is compared with the other backends: what answers for them, or lets them answer, is no longer the port that is judged.",
		"mode":        "A mode of PyTorch holds for all that follows: the reference that the port is compared with, and every test after it, computes with it, too.",
		"environment": "Variables of the environment choose for the whole process: another crate may be built and loaded than the one that is reviewed, or another backend answer.",
		"process":     "Code that can tell a test from another run can behave differently there, and the tests then say nothing of the others.",
		"remembered":  "A call that answers with what an earlier one returned is measured without its kernel, and gives an old result where the values have changed.",
	},
	First: map[string]int{"backend": 3, "remembered": 4, "mode": 5, "environment": 5},
	Triage: []string{
		"Remove the access; a wrapper needs neither the clock nor the profiler.",
		"Leave changes of how the harness measures to a pull request without kernels.",
		"Measure base and head with the same harness.",
		"Register and launch only for `cutile-rs`; the dispatcher selects the other backends, the wrapper does not.",
		"Launch on each call; keep configurations, sizes and scratch memory between calls, never a result.",
		"Leave the modes of PyTorch and the variables of the environment to who runs the process; pass what the kernel needs as arguments.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{integrity.Facts, host.Facts},
	Run:  touches,
	Also: []rules.Check{{Scope: rules.PerChange, Run: func(p *rules.Pass) { integrity.Report(p, integrity.Measuring) }}},
}

// touches reports where a kernel or its wrapper reaches for what tests it.
func touches(p *rules.Pass) {
	if w := host.Of(p).Kernel(p.Kernel).Wrapper; w != nil {
		instead(p, w)
	}
	for _, path := range []string{p.Kernel.Wrapper, p.Kernel.KernelRS, p.Kernel.FFI} {
		if path == "" {
			continue
		}
		f := p.Tree.File(path)
		if f.Unread != "" {
			p.Undecided("the file is unread")
			continue
		}
		for _, t := range integrity.Touches(f) {
			p.Reportf(t.Node, rules.Warning, t.Construct, "%s", t.Message)
		}
	}
}
