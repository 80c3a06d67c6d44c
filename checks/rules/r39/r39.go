// Package r39 is rule R39: a run of the compile stage alone keeps to its part.
package r39

import (
	"bytes"
	_ "embed"
	"path"
	"regexp"
	"strings"

	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

//go:embed doc.md
var doc string

// Rule is R39.
var Rule = &rules.Rule{
	ID: "R39", Title: "A run of the compile stage (agent B) alone keeps to its part",
	Category: "process", Owner: "process", Severity: rules.Note, DecidedBy: "analysis", Fix: "none",
	Signatures: []string{"S-X03"},
	Why:        "In a run of the compile stage alone the other stages' reports do not exist and their files are not to be touched; waiting for the one or editing the other makes the run say something that nobody checked.",
	Triage: []string{
		"Give a verdict on the compiled kernel; absent reports of later stages are expected.",
		"Leave the export, the registration and the tests to the stages that own them.",
		"Say in `reports/agent_b.md` what the wrapper and a small canary showed.",
	},
	Doc: doc, Scope: rules.PerKernel, Run: blocked, Also: []rules.Check{{Scope: rules.PerChange, Run: lane}},
}

var (
	laterReport = regexp.MustCompile(`(?i)\bagent[_ ]([cdef])\b`)
	absent      = regexp.MustCompile(`(?i)\b(absent|missing|not found|no such|does not exist|not available|unavailable|waiting|lacks?)\b`)
)

// blocked notes a run that gives up because reports of later stages are absent.
func blocked(p *rules.Pass) {
	b := reference.StageReport(p.Tree, p.Kernel, "b")
	if b == nil || b.BOnly == (syntax.Span{}) || b.Verdict == "" || b.Verdict == "COMPILED" {
		return
	}
	for _, l := range b.Lines {
		if m := laterReport.FindStringSubmatch(l.Text); m != nil && !l.Code && absent.MatchString(l.Text) {
			report(p, b, l.Span, "blocked", "the verdict is %s because a report of stage %s is absent; in a B-only run it is expected to be", b.Verdict, strings.ToUpper(m[1]))
			return
		}
	}
}

// lane notes a change that brings a B-only report together with files of other
// stages.
func lane(p *rules.Pass) {
	for _, k := range p.Tree.Kernels {
		b := reference.StageReport(p.Tree, k, "b")
		if b == nil || b.BOnly == (syntax.Span{}) || !changed(p, b.File.Path) {
			continue
		}
		var touched []string
		for _, f := range []string{k.FFI, path.Join(k.Crate.Root, "__init__.py"), "src/tilegym/backend/selector.py", k.Test} {
			if f != "" && changed(p, f) {
				touched = append(touched, f)
			}
		}
		if len(touched) > 0 {
			report(p, b, b.BOnly, "lane", "this B-only run comes with changes of %s, which belong to other stages", rules.List(touched))
		}
	}
}

// changed reports whether a file of the head differs from the base's or is new.
func changed(p *rules.Pass, name string) bool {
	now, err := p.Tree.Bytes(name)
	if err != nil {
		return false
	}
	return !same(p.Base, name, now)
}

func same(base *tree.Tree, name string, now []byte) bool {
	old, err := base.Bytes(name)
	return err == nil && bytes.Equal(old, now)
}

func report(p *rules.Pass, r *reference.Report, at syntax.Span, construct, format string, args ...any) {
	p.Report(rules.Diagnostic{File: r.File, Span: at, Severity: rules.Note, Construct: construct, Message: rules.Message(format, args...)})
}
