// Package a10 is rule A10: a tuned kernel lists its configurations.
package a10

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is A10.
var Rule = &rules.Rule{
	ID: "A10", Title: analysis.Titles["A10"],
	Category: "performance", Owner: "host", Severity: rules.Error, DecidedBy: "analysis", Fix: "none",
	Why: "A tuned kernel without its configurations cannot be tuned over the same ones.",
	Triage: []string{
		"List `autotune_configs` at the top or in the variants, with the sizes as `BLOCK_*` or `TILE_*`.",
		"Name `autotune_backends` and `autotune_key`; write `[]` for none, never null.",
	},
	First: map[string]int{"`autotune_backends`:": 1, "`autotune_key`:": 1},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
