// Package p08 is rule P8: no latency in persistent loops of the generated IR.
package p08

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/ir"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/r20"
	"github.com/tilegate/tilegate/checks/rules/r29"
)

//go:embed doc.md
var doc string

// Rule is P8.
var Rule = &rules.Rule{
	ID: "P8", Title: "Persistent loops of the generated IR have no latency that the reference lacks",
	Category: "performance", Owner: "kernel", Severity: rules.Warning, DecidedBy: "ir", Fix: "none",
	Why: "The compiler schedules loads of a persistent TMA loop best by itself; a latency that the reference does not have makes it slower.",
	Triage: []string{
		"Pass `None` as the latency of `load_view_tko` and `store_view_tko_mut` inside of the loop.",
		"When the source has none, generate the IR again: it is older than the source.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.Generated, reference.IR}, Run: run,
}

var latency = regexp.MustCompile(`\blatency ?= ?[1-9]`)

func run(p *rules.Pass) {
	ref := reference.IR.Of(p)
	if len(ref) == 0 || slices.ContainsFunc(ref, hinted) {
		return // unknown, or the reference asks for one
	}
	for _, d := range reference.Generated.Of(p) {
		for _, e := range d.Entries {
			if e.Count("get_num_tile_blocks") == 0 {
				continue
			}
			for _, op := range e.Ops {
				if op.Loop == 0 || !strings.HasPrefix(op.Name, "load_view_tko") && !strings.HasPrefix(op.Name, "store_view_tko") || !latency.MatchString(op.Text) {
					continue
				}
				if p.Speaks(r29.Rule) || p.Speaks(r20.Rule, "latency") {
					return
				}
				p.Report(rules.Diagnostic{
					File: d.File, Span: d.At(op.Line), Construct: e.Name,
					Message: rules.Message("`%s` of `@%s` has a latency hint in a persistent loop, the reference IR has none; expected `None` in the source", op.Name, e.Name),
				})
			}
		}
	}
}

func hinted(e ir.Entry) bool {
	return slices.ContainsFunc(e.Ops, func(op ir.Op) bool { return latency.MatchString(op.Text) })
}
