package dispatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tilegate/tilegate/checks/config"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/perf"
	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/triage"
)

// Verdict is what the evidence of one job shows.
type Verdict struct {
	Outcome   gate.Verdict
	FailClass string
	Sentence  string // untrusted: may quote the evidence
	Detail    []byte // the verdict in its published JSON form
}

// blocked is the verdict that nothing is shown.
func blocked(format string, args ...any) Verdict {
	return Verdict{Outcome: gate.Blocked, Sentence: fmt.Sprintf(format, args...)}
}

// Judge judges evidence with the package of its stage. conclusion is what
// GitHub says of the job: a job that failed proves nothing good, whatever its
// evidence claims.
func Judge(e Evidence, conclusion string, c config.Config) (Verdict, error) {
	var v Verdict
	var err error
	switch {
	case e.Interrupted:
		v = blocked("The %s job was interrupted; its evidence is partial and shows nothing.", e.Stage)
	case e.Stage == job.Build:
		v = e.build()
	case e.Stage == job.Correctness:
		v, err = e.correctness(c)
	default:
		v, err = e.perf(c)
	}
	if err != nil {
		return Verdict{}, err
	}
	good := v.Outcome == gate.Pass || v.Outcome == gate.AllPass || v.Outcome == gate.PerfDone
	if good && conclusion != "success" {
		v.Outcome, v.Sentence = gate.Blocked, fmt.Sprintf("The evidence says %s, but the job ended with %s.", v.Outcome, conclusion)
	}
	if !good {
		return e.explain(v)
	}
	return v, nil
}

// build passes when every step succeeded and the kernel's symbol is exported.
func (e Evidence) build() Verdict {
	symbol := "cutile_" + e.Kernel
	if c, failed := e.failed(); failed {
		return Verdict{Outcome: gate.Fail, Sentence: fmt.Sprintf("`%s` ended with exit code %d.", c.Name, c.ExitCode)}
	}
	if _, ran := e.exit("cargo build"); !ran {
		return blocked("The build evidence names no `cargo build` command.")
	}
	for _, s := range e.Symbols {
		if s == symbol {
			return Verdict{Outcome: gate.Pass, Sentence: fmt.Sprintf("Built; `%s` is exported.", symbol)}
		}
	}
	return Verdict{Outcome: gate.Fail, FailClass: string(triage.Host), Sentence: fmt.Sprintf("The library does not export `%s`.", symbol)}
}

func (e Evidence) correctness(config.Config) (Verdict, error) {
	return blocked("pending"), nil
}

// perf compares the rounds. Files of one side pair up in their order.
func (e Evidence) perf(c config.Config) (Verdict, error) {
	var files []perf.File
	var notes []string
	for _, f := range e.Files {
		data, err := fs.ReadFile(e.fsys, f.Path)
		if err != nil {
			return Verdict{}, err
		}
		switch f.Kind {
		case "junit":
			files = append(files, perf.File{Report: records.ReadJUnit(f.Path, bytes.NewReader(data))})
		case "log":
			notes = append(notes, perf.ConsoleNotes(records.ReadConsole(f.Path, bytes.NewReader(data)))...)
		}
	}
	if len(files) == 0 {
		return blocked("The perf evidence holds no JUnit file: nothing was measured."), nil
	}
	v := perf.Compare(files, []job.Evidence{e.Evidence}, perf.Options{
		Candidate: e.Candidate, Reference: e.Reference, Threshold: c.Perf.Threshold, MaxMissing: c.Perf.MaxMissing,
		MaxRounds: c.Perf.Rounds.Max, Renames: c.Perf.Renames, AllowSkip: c.SkipMatcher(e.Candidate), LogNotes: notes,
	})
	detail, err := json.Marshal(v)
	return Verdict{Outcome: gate.Verdict(v.Verdict), Sentence: v.Sentence, Detail: detail}, err
}

// Incomplete reports whether more configs are missing than the configuration
// allows.
func Incomplete(v perf.Verdict, c config.Config) bool {
	all := len(v.Configs) + len(v.Missing)
	return all > 0 && float64(len(v.Missing))/float64(all) > c.Perf.MaxMissing
}

// explain adds what the known failure signatures say about the logs.
func (e Evidence) explain(v Verdict) (Verdict, error) {
	var matches []triage.Match
	for _, f := range e.Files {
		if f.Kind != "log" && f.Kind != "junit" && f.Kind != "symbols" {
			continue
		}
		data, err := fs.ReadFile(e.fsys, f.Path)
		if err != nil {
			return v, err
		}
		matches = append(matches, triage.Text(f.Path, string(data)).Matches...)
	}
	if len(matches) == 0 {
		return v, nil
	}
	best := matches[0]
	if v.FailClass == "" {
		v.FailClass = string(best.Class)
	}
	if v.Outcome == gate.Fail && (best.Class == triage.Env || best.Class == triage.Infra) {
		v.Outcome = gate.Blocked
	}
	v.Sentence = fmt.Sprintf("%s %s (%s).", strings.TrimSpace(v.Sentence), best.Title, best.Signature)
	return v, v.addTriage(matches)
}

// addTriage puts the rules and steps of the matches into the detail.
func (v *Verdict) addTriage(matches []triage.Match) error {
	detail := map[string]json.RawMessage{}
	if len(v.Detail) > 0 {
		if err := json.Unmarshal(v.Detail, &detail); err != nil {
			return err
		}
	}
	type step struct {
		Rules []string `json:"rules"`
		Steps []string `json:"steps"`
	}
	var steps []step
	if old, ok := detail["triage"]; ok {
		if err := json.Unmarshal(old, &steps); err != nil {
			return err
		}
	}
	for _, m := range matches[:min(len(matches), triage.MaxMatches)] {
		steps = append(steps, step{m.Rules, m.Steps})
	}
	encoded, err := json.Marshal(steps)
	if err != nil {
		return err
	}
	detail["triage"] = encoded
	v.Detail, err = json.Marshal(detail)
	return err
}
