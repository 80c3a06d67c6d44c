// Package s03 is rule S3: the generated IR is there.
package s03

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is S3.
var Rule = &rules.Rule{
	ID: "S3", Title: analysis.Titles["S3"],
	Category: "process", Owner: "process", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "What the port compiles to is compared with the reference; without it nobody has looked.",
	Triage: []string{
		"Run the pipeline test, translate the bytecode and write `generated/generated.mlir`, or `generated/generated_VARIANT.mlir` for several variants.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.ArtifactsOf}, Run: reference.ReportProblems,
}
