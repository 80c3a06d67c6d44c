// Package p07 is rule P7: a tensor is not transposed twice in the generated IR.
package p07

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/ir"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/r34"
)

//go:embed doc.md
var doc string

// Rule is P7.
var Rule = &rules.Rule{
	ID: "P7", Title: "A tensor is not transposed twice in the generated IR",
	Category: "semantics", Owner: "kernel", Severity: rules.Warning, DecidedBy: "ir", Fix: "none",
	Why: "Strides that are already exchanged and a partition that permutes the same axes cancel out: the kernel reads the original again, and compiles.",
	Triage: []string{
		"Decide on one owner: physical strides with `partition_permuted`, or exchanged strides with a plain partition.",
		"Compare `strides` and `dim_map` of both IR files.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.Generated, reference.IR}, Run: run,
}

var (
	strides = regexp.MustCompile(`strides ?= ?\[([^\]]*)\]`)
	dimMap  = regexp.MustCompile(`dim_map ?= ?\[([^\]]*)\]`)
)

func run(p *rules.Pass) {
	for _, d := range reference.Generated.Of(p) {
		for _, e := range d.Entries {
			for _, op := range e.Ops {
				if !twice(op) {
					continue
				}
				if inReference(p) || p.Speaks(r34.Rule) {
					return
				}
				p.Report(rules.Diagnostic{
					File: d.File, Span: d.At(op.Line), Construct: e.Name,
					Message: fmt.Sprintf("entry `@%s` makes a partition with an exchanging `dim_map` of a view whose strides are exchanged already: the tensor is transposed twice", e.Name),
				})
			}
		}
	}
}

// inReference reports whether the reference does the same, which is then meant.
func inReference(p *rules.Pass) bool {
	for _, e := range reference.IR.Of(p) {
		if slices.ContainsFunc(e.Ops, twice) {
			return true
		}
	}
	return false
}

// twice reports whether an operation partitions a view whose contiguous axis is
// not the last by a map that puts this axis last.
func twice(op ir.Op) bool {
	s, m := list(strides, op.Text), list(dimMap, op.Text)
	if op.Name != "make_partition_view" || len(s) < 2 || len(s) != len(m) || s[len(s)-1] == "1" {
		return false
	}
	axis := slices.Index(s, "1")
	return axis >= 0 && m[len(m)-1] == strconv.Itoa(axis)
}

func list(re *regexp.Regexp, text string) []string {
	found := re.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	parts := strings.Split(found[1], ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}
