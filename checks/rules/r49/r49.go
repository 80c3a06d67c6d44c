// Package r49 is rule R49: the build log is part of the change.
package r49

import (
	_ "embed"
	"path"
	"regexp"
	"strings"

	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R49.
var Rule = &rules.Rule{
	ID: "R49", Title: "The build log is part of the change",
	Category: "process", Owner: "process", Severity: rules.Warning, DecidedBy: "analysis", Fix: "none",
	Signatures: []string{"S-X03", "S-P08"},
	Why:        "The failed attempts of a port are what the next one learns from; a success without them cannot be told from one that was never built.",
	Triage: []string{
		"Write `reports/build_log.md` while building: command, result, first errors.",
		"Paste the lines of `kernel.rs` that caused each failed attempt as `rust` code, and what fixed it.",
		"Stop after three attempts and say so in the verdict.",
	},
	First: map[string]int{"attempts": 0, "count": 2, "missing": 0, "snippet": 1},
	Doc:   doc, Scope: rules.PerKernel, Run: run,
}

// maxAttempts is how many builds one run may take.
const maxAttempts = 3

var (
	heading = regexp.MustCompile(`(?i)^#{0,6}\s*attempt\s+#?(\d+)\b`)
	failed  = regexp.MustCompile(`(?i)\bresult:?[*_\s:]*fail`)
)

func run(p *rules.Pass) {
	log := reference.ReadReport(p.Tree, path.Join(p.Kernel.Dir, "reports/build_log.md"))
	if log == nil {
		if b := reference.StageReport(p.Tree, p.Kernel, "b"); b != nil && b.Verdict == "COMPILED" {
			report(p, b.File, b.VerdictAt, "missing", "the verdict is COMPILED, but `reports/build_log.md` is absent or empty; expected one section for each attempt to build")
		}
		return
	}
	attempts := attemptsOf(log)
	if len(attempts) == 0 {
		report(p, log.File, log.Lines[0].Span, "attempts", "the build log has no section `## Attempt N`")
		return
	}
	cargo := 0
	for _, a := range attempts {
		if a.failed && !a.snippet {
			report(p, log.File, a.at, "snippet", "this attempt failed, but its section has no `rust` code; expected the lines that caused the error")
		}
		if a.number == "1" {
			cargo = 0 // another run
		}
		if a.cargo {
			if cargo++; cargo == maxAttempts+1 {
				report(p, log.File, a.at, "count", "this is build %d of one run; expected a verdict after %d", cargo, maxAttempts)
			}
		}
	}
}

func report(p *rules.Pass, f *syntax.File, at syntax.Span, construct, format string, args ...any) {
	p.Report(rules.Diagnostic{File: f, Span: at, Severity: rules.Warning, Construct: construct, Message: rules.Message(format, args...)})
}

// attempt is one section of the log.
type attempt struct {
	at                     syntax.Span
	number                 string
	failed, snippet, cargo bool
}

func attemptsOf(log *reference.Report) []*attempt {
	var out []*attempt
	for _, l := range log.Lines {
		if m := heading.FindStringSubmatch(l.Text); m != nil && !l.Code {
			out = append(out, &attempt{at: l.Span, number: m[1]})
			continue
		}
		if len(out) == 0 {
			continue
		}
		a := out[len(out)-1]
		a.failed = a.failed || !l.Code && failed.MatchString(l.Text)
		a.snippet = a.snippet || l.Fence == "rust" || l.Fence == "rs" || strings.HasPrefix(l.Fence, "rust")
		a.cargo = a.cargo || strings.Contains(l.Text, "cargo build")
	}
	return out
}
