package report

import (
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/perf"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// PageResult is one result as the run page shows it.
type PageResult struct {
	Stage, Kernel, Outcome, Runner, Evidence, JobURL string
	Sentence                                         untrusted.Text
	Configs                                          []PageConfig
	Cases                                            []PageCase
	Steps                                            []untrusted.Text
}

// PageConfig is one measured configuration with formatted figures.
type PageConfig struct {
	Name, Change                untrusted.Text
	Candidate, Reference, Ratio string
}

// PageCase is one test case that did not pass.
type PageCase struct {
	ID, Outcome, Why untrusted.Text
}

// pageRows bounds the tables of a page.
const pageRows = 5000

// Page prepares a stored result for the run page.
func Page(r store.Result) (PageResult, error) {
	d, err := ParseDetail(r.Verdict)
	if err != nil {
		return PageResult{}, err
	}
	p := PageResult{
		Stage: r.Stage, Kernel: r.Kernel, Outcome: r.Outcome, Runner: r.Runner, Evidence: r.Evidence, JobURL: r.JobURL,
		Sentence: under(r.Outcome, r.Sentence),
	}
	for _, c := range d.Configs[:min(len(d.Configs), pageRows)] {
		p.Configs = append(p.Configs, PageConfig{
			Name: c.Name, Change: c.Change, Candidate: perf.FormatMS(c.CandidateMS), Reference: perf.FormatMS(c.ReferenceMS), Ratio: ratio(c.Ratio, d.limit()),
		})
	}
	for _, m := range d.Missing[:min(len(d.Missing), pageRows)] {
		p.Cases = append(p.Cases, PageCase{m.Config, "missing", m.Side + ": " + m.Why})
	}
	for _, c := range d.Cases[:min(len(d.Cases), pageRows)] {
		if c.Outcome != "passed" {
			p.Cases = append(p.Cases, PageCase{c.ID, c.Outcome, c.Why.Cut(500)})
		}
	}
	for _, t := range d.Triage {
		p.Steps = append(p.Steps, t.Steps...)
	}
	return p, nil
}

// Word is how a status is called in text.
func Word(s gate.Status) string { return word(s) }
