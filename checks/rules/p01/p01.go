// Package p01 is rule P1: the built library's record shows the exported symbol.
package p01

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is P1.
var Rule = &rules.Rule{
	ID: "P1", Title: "The record of the built library shows the exported symbol",
	Category: "process", Owner: "host", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Why: "A library without the symbol answers every call with another backend or an error, however well the kernel compiles.",
	Triage: []string{
		"Run `cargo build --release` in the crate and `nm -D` on the library.",
		"Check the module in `lib.rs` (R35) and the export of `ffi.rs` (R32).",
		"The build stage of a run reads the symbols itself; its evidence decides.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts}, Run: run,
}

// run reads the last record of nm in each report that claims a success.
func run(p *rules.Pass) {
	k := host.Of(p).Kernel(p.Kernel)
	if k.FFI == nil || len(k.FFI.Exports) == 0 {
		p.Undecided("the exported symbols are not known")
		return
	}
	for _, r := range reference.Reports(p.Tree, p.Kernel) {
		if !r.Succeeded() {
			continue
		}
		runs := slices.DeleteFunc(r.Runs("nm -D"), func(n reference.Run) bool { return !about(n, k.FFI.Exports) })
		if len(runs) == 0 {
			continue
		}
		last := runs[len(runs)-1]
		for _, e := range k.FFI.Exports {
			if !shows(last, e.Name) {
				p.Report(rules.Diagnostic{
					File: r.File, Span: last.Command.Span, Construct: e.Name,
					Message: rules.Message("the verdict is %s, but this record of `nm -D` shows no `T %s`; expected the symbol that `ffi.rs` exports", r.Verdict, e.Name),
				})
			}
		}
	}
}

var (
	symbol = regexp.MustCompile(`^(?:[0-9a-fA-F]+\s+)?([A-Za-z])\s+(\S+)$`)
	filter = regexp.MustCompile(`\bgrep\b.*?\s["']?([\w ]+?)["']?\s*$`)
)

// about reports whether a command lists symbols of these exports: all of the
// library's, or those that a filter keeps.
func about(n reference.Run, exports []*host.Export) bool {
	m := filter.FindStringSubmatch(strings.TrimSpace(n.Command.Text))
	if m == nil {
		return !strings.Contains(n.Command.Text, "|")
	}
	keep := strings.TrimPrefix(strings.TrimSpace(m[1]), "T ")
	return slices.ContainsFunc(exports, func(e *host.Export) bool { return strings.Contains(e.Name, keep) })
}

// shows reports whether the output lists a symbol as defined text, or is not
// whole.
func shows(n reference.Run, name string) bool {
	for _, l := range n.Output {
		text := strings.TrimSpace(l.Text)
		if text == "..." || text == "\u2026" {
			return true
		}
		if m := symbol.FindStringSubmatch(text); m != nil && m[1] == "T" && m[2] == name {
			return true
		}
	}
	return false
}
