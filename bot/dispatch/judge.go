package dispatch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/config"
	"github.com/tilegate/tilegate/checks/correctness"
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
	// Signature names the failure signature that leads; "" when none is known.
	Signature string
	// Times is the verdict of the perf stage on what was measured; nil in others.
	Times *perf.Verdict
	// judged says that the causes of the failed cases are part of the outcome.
	judged bool
}

// Kernel is what the head's tree says about the kernel that was run. Fields that
// are not known are empty.
type Kernel struct {
	Test     string // path of its test file
	Analysis []byte // its analysis.json
	// Requirements are the files of the change that say what the code needs to run.
	Requirements []string
}

// IsRequirements reports whether a file says what the code needs to run.
func IsRequirements(file string) bool {
	name := path.Base(file)
	switch name {
	case "Cargo.toml", "Cargo.lock", "pyproject.toml", "setup.py", "setup.cfg", "rust-toolchain.toml":
		return true
	}
	return strings.HasPrefix(name, "requirements") && strings.HasSuffix(name, ".txt")
}

// blocked is the verdict that nothing is shown.
func blocked(format string, args ...any) Verdict {
	return Verdict{Outcome: gate.Blocked, Sentence: fmt.Sprintf(format, args...)}
}

// partial is the verdict on a job that was interrupted.
func (e Evidence) partial() string {
	return fmt.Sprintf("The %s job was interrupted; its evidence is partial and shows nothing.", e.Stage)
}

// Judge judges evidence with the package of its stage. conclusion is what
// GitHub says of the job: a job that failed proves nothing good, whatever its
// evidence claims.
func Judge(e Evidence, conclusion string, c config.Config, k Kernel) (Verdict, error) {
	var v Verdict
	var err error
	switch {
	case e.Interrupted:
		v = blocked("%s", e.partial())
	case e.Stage == job.Build:
		v, err = e.build()
	case e.Stage == job.Correctness:
		v, err = e.correctness(c, k)
	default:
		v, err = e.perf(c, k)
	}
	if err != nil {
		return Verdict{}, err
	}
	good := v.Outcome == gate.Pass || v.Outcome == gate.AllPass || v.Outcome == gate.PerfDone
	if good && conclusion != "success" {
		v.Outcome, v.Sentence = gate.Blocked, fmt.Sprintf("The evidence says %s, but the job ended with %s.", v.Outcome, conclusion)
	}
	if !good {
		return e.explain(v, k)
	}
	return v, nil
}

// build passes when every step succeeded and the kernel's symbol is exported, by
// the evidence's own list and by the raw one beside it.
func (e Evidence) build() (Verdict, error) {
	// The suite before a name that is not unique is no part of the symbol.
	symbol := "cutile_" + e.Kernel[strings.LastIndexByte(e.Kernel, '.')+1:]
	if c, failed := e.failed(); failed {
		why, err := e.compileError()
		return Verdict{Outcome: gate.Fail, Sentence: fmt.Sprintf("`%s` ended with exit code %d%s.", c.Name, c.ExitCode, why)}, err
	}
	if _, ran := e.exit("cargo build"); !ran {
		return blocked("The build evidence names no `cargo build` command."), nil
	}
	if name, err := e.failedTestLog(); err != nil || name != "" {
		return blocked("Every command ended with exit code 0, yet `%s` says that a test failed: the two do not agree.", name), err
	}
	if !slices.Contains(e.Symbols, symbol) {
		return Verdict{Outcome: gate.Fail, FailClass: string(triage.Host), Sentence: fmt.Sprintf("The library does not export `%s`.", symbol)}, nil
	}
	for _, f := range e.Files {
		if f.Kind != "symbols" {
			continue
		}
		data, err := fs.ReadFile(e.fsys, f.Path)
		if err != nil {
			return Verdict{}, err
		}
		if !records.ReadSymbols(bytes.NewReader(data)).Exports(symbol) {
			return blocked("The evidence says that `%s` is exported, and its own list `%s` does not hold it.", symbol, f.Path), nil
		}
	}
	return Verdict{Outcome: gate.Pass, Sentence: fmt.Sprintf("Built; `%s` is exported.", symbol)}, nil
}

// rustTestFailed is the signature of a failed `cargo test`.
const rustTestFailed = "S-X05"

// failedTestLog is the log in which a Rust test failed, "" for none.
func (e Evidence) failedTestLog() (string, error) {
	scanner := triage.NewScanner(triage.Process)
	for _, f := range e.Files {
		if f.Kind == "log" {
			if err := e.scan(scanner, f.Path); err != nil {
				return "", err
			}
		}
	}
	for _, m := range scanner.Result().Matches {
		if m.Signature == rustTestFailed {
			return m.Log.Line(), nil
		}
	}
	return "", nil
}

// scan matches one file of the evidence.
func (e Evidence) scan(scanner *triage.Scanner, name string) error {
	f, err := e.fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return scanner.Scan(name, f)
}

// compileError is the first error of the compiler, behind a colon, else "".
func (e Evidence) compileError() (string, error) {
	for _, f := range e.Files {
		if f.Path != "cargo-build.log" || f.Kind != "log" {
			continue
		}
		data, err := fs.ReadFile(e.fsys, f.Path)
		if err != nil {
			return "", err
		}
		if c := records.ReadCargo(bytes.NewReader(data)); c.Count == 1 {
			return ": " + c.Errors[0].String(), nil
		} else if c.Count > 1 {
			return fmt.Sprintf(": %s, the first of %d errors", c.Errors[0], c.Count), nil
		}
	}
	return "", nil
}

// correctness takes over what the test run shows.
func (e Evidence) correctness(c config.Config, k Kernel) (Verdict, error) {
	v, judged, err := e.Tests(k.Test, nil, correctness.Options{AllowSkip: c.SkipMatcher(e.Candidate)})
	if err != nil {
		return Verdict{}, err
	}
	out := Verdict{Outcome: gate.Verdict(v.Verdict), FailClass: string(v.FailClass), Sentence: v.Sentence, judged: judged}
	if judged {
		out.Detail, err = json.Marshal(v)
	}
	return out, err
}

// Tests judges the last test run of a correctness job: the whole one, or the first
// case alone when that already failed. Without a test run the step that failed
// before it is the verdict, and judged is false. test is the kernel's test file,
// empty when it is not known; backends and what is known of the run are taken from
// the evidence, the other options as they are.
func (e Evidence) Tests(test string, base []records.Report, o correctness.Options) (v correctness.Verdict, judged bool, err error) {
	without := func(verdict, format string, args ...any) (correctness.Verdict, bool, error) {
		return correctness.Verdict{
			Schema: correctness.Schema, Verdict: verdict, Backend: e.Candidate, Missing: []string{}, Cases: []correctness.Case{}, Sentence: fmt.Sprintf(format, args...),
		}, false, nil
	}
	if e.Interrupted {
		return without(correctness.Blocked, "%s", e.partial())
	}
	for _, name := range []string{"pytest", "canary"} {
		code, ran := e.exit(name)
		if !ran {
			continue
		}
		report, ok, err := e.junit(name + ".xml")
		if err != nil {
			return v, false, err
		}
		if !ok {
			return without(correctness.Blocked, "`%s` ended with exit code %d and left no JUnit file: nothing is shown.", name, code)
		}
		if other := foreign(report, test); other != "" {
			return without(correctness.Blocked, "%s", other)
		}
		log, err := e.log(name + ".log")
		if err != nil {
			return v, false, err
		}
		o.Backend, o.Reference, o.ExitCode = e.Candidate, e.Reference, &code
		o.Deselected, o.Fallback = log.Counts["deselected"], log.Fallbacks[records.CanonicalBackend(e.Candidate)]
		// The first case alone is never the whole run.
		o.Interrupted = name == "canary" && code == 0
		v = correctness.Judge([]records.Report{report}, base, o)
		if _, failed := e.failed(); failed && v.Verdict == correctness.AllPass {
			v.Verdict, v.Sentence = correctness.Blocked, "All cases passed, but a command of the job failed."
		}
		return v, true, nil
	}
	if c, failed := e.failed(); failed {
		return without(correctness.Fail, "`%s` ended with exit code %d before any test ran.", c.Name, c.ExitCode)
	}
	return without(correctness.Blocked, "The correctness evidence names no test run: nothing ran.")
}

// junit reads one of the evidence's JUnit files; ok is false when it is not listed.
func (e Evidence) junit(name string) (r records.Report, ok bool, err error) {
	for _, f := range e.Files {
		if f.Path == name && f.Kind == "junit" {
			data, err := fs.ReadFile(e.fsys, f.Path)
			return records.ReadJUnit(f.Path, bytes.NewReader(data)), err == nil, err
		}
	}
	return r, false, nil
}

// log reads one of the evidence's logs; it is empty when it is not listed.
func (e Evidence) log(name string) (records.Console, error) {
	for _, f := range e.Files {
		if f.Path == name && f.Kind == "log" {
			data, err := fs.ReadFile(e.fsys, f.Path)
			return records.ReadConsole(f.Path, bytes.NewReader(data)), err
		}
	}
	return records.Console{}, nil
}

// foreign says that a report holds cases of another test file than the
// kernel's, else "": what another kernel's tests show is nothing about this one.
func foreign(r records.Report, test string) string {
	want := strings.TrimSuffix(path.Base(test), ".py")
	if test == "" {
		return ""
	}
	for _, c := range r.Cases {
		if c.Class != "" && !slices.Contains(strings.Split(c.Class, "."), want) {
			return fmt.Sprintf("`%s` holds the case `%s`, which is not of the kernel's test file `%s`: the records are of something else.", r.Name, c.ID(), test)
		}
	}
	return ""
}

// references are the backends that a kernel can be a port of.
var references = []string{"cutile", "triton"}

// variants reads the structural variants of an analysis.json. It may not choose
// what the candidate is measured against beyond the backends that a port can
// have as its reference.
func (e Evidence) variants(k Kernel) (v *perf.Variants, note string) {
	if len(k.Analysis) == 0 {
		return nil, ""
	}
	v, err := perf.ParseVariants(k.Analysis)
	if err != nil {
		return nil, err.Error()
	}
	maps.DeleteFunc(v.Reference, func(_, backend string) bool { return !slices.Contains(references, backend) })
	return v, ""
}

// untuned is how a log says that autotuning was off.
var untuned = regexp.MustCompile(`(?mi)^.{0,80}\b((TILEGYM_)?DISABLE_AUTOTUNE\s*=\s*['"]?(1|true|yes|on)\b|autotun(e|ing) (is |was )?(disabled|off|skipped)).{0,80}$`)

// perf compares the rounds. Files of one side pair up in their order.
func (e Evidence) perf(c config.Config, k Kernel) (Verdict, error) {
	var files []perf.File
	var notes, signs []string
	var fallback string
	for _, f := range e.Files {
		data, err := fs.ReadFile(e.fsys, f.Path)
		if err != nil {
			return Verdict{}, err
		}
		switch f.Kind {
		case "junit":
			report := records.ReadJUnit(f.Path, bytes.NewReader(data))
			if other := foreign(report, k.Test); other != "" {
				return blocked("%s", other), nil
			}
			files = append(files, perf.File{Report: report})
		case "log":
			if line := untuned.Find(data); line != nil {
				return blocked("Refused: `%s` says `%s`, and times that were taken without tuning do not count.", f.Path, bytes.TrimSpace(line)), nil
			}
			console := records.ReadConsole(f.Path, bytes.NewReader(data))
			signs = append(signs, perf.ConsoleNotes(console)...)
			fallback = cmp.Or(fallback, console.Fallbacks[records.CanonicalBackend(e.Candidate)])
		}
	}
	if len(files) == 0 {
		return blocked("The perf evidence holds no JUnit file: nothing was measured."), nil
	}
	variants, note := e.variants(k)
	if note != "" {
		notes = append(notes, note)
	}
	notes = append(signs, notes...)
	v := perf.Compare(files, []job.Evidence{e.Evidence}, perf.Options{
		Candidate: e.Candidate, Reference: e.Reference, Threshold: c.Perf.Threshold, MaxMissing: c.Perf.MaxMissing, Variants: variants,
		MaxRounds: e.request.Rounds.Max, Renames: c.Perf.Renames, AllowSkip: c.SkipMatcher(e.Candidate), LogNotes: notes, Fallback: fallback,
	})
	// The limit is kept with the verdict: the configuration may change after.
	detail, err := json.Marshal(struct {
		perf.Verdict
		Threshold float64 `json:"threshold"`
	}{v, v.Threshold})
	out := Verdict{Outcome: gate.Verdict(v.Verdict), Sentence: v.Sentence, Detail: detail, Times: &v}
	if out.Outcome == gate.Blocked && len(v.Configs) == 0 && len(signs) > 0 {
		out.FailClass = string(triage.Infra) // a profiler that failed, a GPU that was throttled
	}
	if out.Outcome == gate.PerfDone {
		if command, failed := e.failed(); failed {
			out.Outcome, out.Sentence = gate.Blocked, fmt.Sprintf("`%s` ended with exit code %d, so the measurements are not those of a whole run.", command.Name, command.ExitCode)
		} else if least := e.request.Rounds.Min; v.Rounds < least {
			out.Outcome, out.Sentence = gate.Blocked, fmt.Sprintf("The evidence holds %d of at least %d rounds: it is partial. %s", v.Rounds, least, v.Sentence)
		}
	}
	return out, err
}

// explain adds what the known failure signatures say about the logs, the failed
// cases and the times.
func (e Evidence) explain(v Verdict, k Kernel) (Verdict, error) {
	scanner := triage.NewScanner()
	for _, f := range e.Files {
		if f.Kind != "log" && f.Kind != "symbols" && f.Kind != "junit" {
			continue
		}
		if err := e.scan(scanner, f.Path); err != nil {
			return v, err
		}
	}
	matches := scanner.Result().Matches
	if v.Outcome == gate.Fail {
		matches = slices.DeleteFunc(matches, func(m triage.Match) bool { return m.Skipped })
	}
	if len(matches) == 0 {
		return v, v.addTriage(nil)
	}
	best := matches[0]
	// That a test ran out of time is an outcome, which the failed cases tell, and
	// not a cause.
	limit := v.judged && best.Signature == correctness.TimeoutSignature
	v.Signature = best.Signature
	v.say(best)
	switch second := codeError(matches[1:]); {
	case second != nil && innocent(best.Class):
		// The host has a fault, and the change does not compile either.
		v.FailClass = string(second.Class)
		v.say(*second)
	case v.Outcome == gate.Fail && !limit && !best.Weak && innocent(best.Class):
		v.Outcome, v.FailClass = gate.Blocked, string(best.Class)
	case v.FailClass == "":
		v.FailClass = string(best.Class)
	}
	if len(k.Requirements) > 0 && best.Signature == driverTooOld {
		v.Sentence += fmt.Sprintf(" The change edits `%s`: it may have raised the requirement.", strings.Join(k.Requirements, "`, `"))
	}
	return v, v.addTriage(matches)
}

// The signatures that need more than their class: a driver that is older than what
// the code asks for, and memory that ran out.
const (
	driverTooOld = "S-R21"
	outOfMemory  = "S-R13"
)

func innocent(c triage.Class) bool { return c == triage.Env || c == triage.Infra }

// say adds a match to the sentence, with its text unless that stands there.
func (v *Verdict) say(m triage.Match) {
	v.Sentence = strings.TrimSpace(v.Sentence)
	said := m.Excerpt.Cut(300).Line()
	if first, _, _ := strings.Cut(m.Excerpt.Plain(), "\n"); strings.Contains(v.Sentence, strings.TrimSpace(first)) {
		said = ""
	}
	v.Sentence += fmt.Sprintf(" %s (%s)", strings.TrimSuffix(m.Title, "."), m.Signature)
	if said != "" {
		v.Sentence += ": " + strings.TrimRight(said, ". ")
	}
	v.Sentence += "."
}

// codeError is the first match that is a compiler's error with a place in the
// sources; nil for none.
func codeError(matches []triage.Match) *triage.Match {
	for i, m := range matches {
		if m.Stage == triage.Build && !innocent(m.Class) && strings.Contains(m.Excerpt.Plain(), "\n--> ") {
			return &matches[i]
		}
	}
	return nil
}

// On names the runner of a verdict that blames the host.
func (v Verdict) On(runner string) Verdict {
	if runner != "" && innocent(triage.Class(v.FailClass)) && !strings.Contains(v.Sentence, runner) {
		v.Sentence += fmt.Sprintf(" It ran on the runner `%s`.", strings.ReplaceAll(runner, "`", "'"))
	}
	return v
}

// Retry reports whether a verdict is worth one automatic repetition: the host, not
// the change, is what it blames, and another run may meet another host.
func (v Verdict) Retry() bool {
	return v.Outcome == gate.Blocked && v.FailClass == string(triage.Infra)
}

// Again is the verdict of an automatic repetition of a job, told with why it was
// made. A case that ran out of memory twice is no accident.
func (v Verdict) Again(first Verdict) (Verdict, error) {
	switch {
	case v.Outcome == gate.Blocked && v.Signature == outOfMemory && first.Signature == outOfMemory:
		v.Outcome, v.FailClass = gate.Fail, string(triage.Test)
		excuse := strings.NewReplacer(", for one reason outside of the change (infra)", "", " for a reason outside of the change (infra)", "")
		v.Sentence = "It ran out of memory in the repetition too. " + excuse.Replace(v.Sentence)
		return v, v.amend(map[string]any{"fail_class": v.FailClass})
	case v.Outcome != gate.Blocked && first.Signature == outOfMemory:
		v.Sentence = strings.TrimSpace(v.Sentence) + " This is a repetition: the first run ran out of GPU memory (flaky)."
	case v.Outcome != gate.Blocked && first.Retry():
		v.Sentence = strings.TrimSpace(v.Sentence) + " This is a repetition: in the first run the machine was at fault."
	}
	return v, nil
}

// addTriage puts the class of the failure and the rules and steps of the
// matches into the detail.
func (v *Verdict) addTriage(matches []triage.Match) error {
	type step struct {
		Rules []string `json:"rules"`
		Steps []string `json:"steps"`
	}
	var old struct{ Triage []step }
	if len(v.Detail) > 0 {
		if err := json.Unmarshal(v.Detail, &old); err != nil {
			return err
		}
	}
	steps := append([]step{}, old.Triage...)
	for _, m := range matches[:min(len(matches), triage.MaxMatches)] {
		steps = append(steps, step{m.Rules, m.Steps})
	}
	return v.amend(map[string]any{"triage": steps, "fail_class": v.FailClass, "signature": v.Signature})
}

// amend sets fields of the detail.
func (v *Verdict) amend(fields map[string]any) (err error) {
	detail := map[string]json.RawMessage{}
	if len(v.Detail) > 0 {
		if err := json.Unmarshal(v.Detail, &detail); err != nil {
			return err
		}
	}
	if class, given := fields["fail_class"]; given && string(detail["fail_class"]) != strconv.Quote(fmt.Sprint(class)) {
		delete(detail, "fail_also") // it went with the class that was there
	}
	for name, value := range fields {
		if detail[name], err = json.Marshal(value); err != nil {
			return err
		}
	}
	v.Detail, err = json.Marshal(detail)
	return err
}
