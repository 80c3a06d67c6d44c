// Package a14 is rule A14: an IR file is CUDA Tile IR of the kernel.
package a14

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A14.
var Rule = &rules.Rule{
	ID: "A14", Title: analysis.Titles["A14"],
	Category: "process", Owner: "process", Severity: rules.Error, DecidedBy: "analysis", Fix: "none",
	Why: "A file that is no CUDA Tile IR of this kernel makes every comparison with it worthless.",
	Triage: []string{
		"Translate the bytecode dump with `cuda-tile-translate --cudatilebc-to-mlir`.",
		"Dump the kernel again under a name that contains the op when only the name differs, and keep the original beside it (A16).",
		"Run `tilegate ir check FILE KERNEL`.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
