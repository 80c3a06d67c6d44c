package reference

import (
	"bytes"
	"strings"

	"github.com/tilegate/tilegate/checks/perf"
	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// PerfLog is the performance log of a port beside its kernel, compared with the
// reference's.
type PerfLog struct {
	File *syntax.File
	// At is the line of the first record.
	At syntax.Span
	perf.Verdict
}

// Perf is the fact that holds the comparison of the performance logs beside a
// kernel; nil when one of the two is absent or has no record. The numbers are
// the author's own: they advise and never decide.
var Perf = rules.NewFact("performance logs", func(t *tree.Tree, u rules.Unit) *PerfLog {
	if u.Kernel == nil {
		return nil
	}
	ours, theirs := Log(t, u.Kernel, "perf_cutile_rs.txt"), Log(t, u.Kernel, "baseline_perf_cutile.txt")
	if ours == nil || theirs == nil {
		return nil
	}
	a, b := records.ReadConsole(ours.Path, bytes.NewReader(ours.Src)), records.ReadConsole(theirs.Path, bytes.NewReader(theirs.Src))
	if len(a.Cases) == 0 || len(b.Cases) == 0 {
		return nil
	}
	l := &PerfLog{File: ours, Verdict: perf.Compare([]perf.File{
		{Report: a.Report, Side: perf.CandidateOnly}, {Report: b.Report, Side: perf.ReferenceOnly},
	}, nil, perf.Options{Candidate: "cutile-rs", Reference: "cutile"})}
	for i := 1; i <= ours.LineCount(); i++ {
		if text := ours.Line(i); strings.HasPrefix(text, "benchmark: ") {
			start := ours.LineStart(i)
			l.At = syntax.Span{Start: start, End: start + len(text)}
			break
		}
	}
	return l
})

// maxShown bounds how many configurations a message names.
const maxShown = 3

// Report tells what the comparison says about a bullet of the performance checklist,
// with the first configurations that show it. Where another rule speaks of the kernel's
// code, that is the cause, and nothing is said.
func (l *PerfLog) Report(p *rules.Pass, bullet string, cause *rules.Rule, message string) {
	points := l.points(bullet)
	if len(points) == 0 || p.Speaks(cause) {
		return
	}
	p.Report(rules.Diagnostic{
		File: l.File, Span: l.At, Construct: "launches",
		Message: message + ": " + strings.Join(points[:min(len(points), maxShown)], "; "),
	})
}

// points are the configurations that show a bullet, in words.
func (l *PerfLog) points(bullet string) []string {
	if l == nil {
		return nil
	}
	for _, t := range l.Triage {
		for _, id := range t.Rules {
			if id == bullet && len(t.Steps) > 1 {
				return t.Steps[1:]
			}
		}
	}
	return nil
}
