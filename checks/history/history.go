package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/perf"
	"github.com/tilegate/tilegate/checks/words"
)

// Schema is the identifier of a document of measurements.
const Schema = "tilegate.history/v1"

// MaxBytes bounds a store or an export that is read. Ten thousand measurements of
// a kernel with 100 configs take about half of it.
const MaxBytes = 256 << 20

// Document is the published form of some measurements.
type Document struct {
	Schema       string        `json:"schema"`
	Measurements []Measurement `json:"measurements"`
}

// Measurement is one comparison of one kernel at one commit on one card. Times are
// milliseconds, ratios are candidate over reference. Names in it come from test
// records and are untrusted.
type Measurement struct {
	Repository string    `json:"repository"`
	Commit     string    `json:"commit"`   // 40 hexadecimal digits
	Kernel     string    `json:"kernel"`   // with its suite, such as flashinfer.rms_norm
	Source     string    `json:"source"`   // what asked for it, such as octo/TileGym#12; may be empty
	Dispatch   string    `json:"dispatch"` // empty or local: no dispatch
	MeasuredAt time.Time `json:"measured_at"`
	GPU        GPU       `json:"gpu"`
	Candidate  string    `json:"candidate"`
	Reference  string    `json:"reference"`
	Rounds     int       `json:"rounds"`
	// Verdict, Severity and Threshold are as they were judged then.
	Verdict    string           `json:"verdict"`
	Severity   string           `json:"severity"`
	Threshold  float64          `json:"threshold"`
	Ratio      *float64         `json:"geomean_ratio" jsonschema:"nullable"` // null: no verdict on times
	Confidence *perf.Confidence `json:"confidence" jsonschema:"nullable"`
	Variants   []Variant        `json:"variants"`
	Configs    []Config         `json:"configs"`
}

// GPU is where a measurement was taken and how.
type GPU struct {
	Class  string `json:"class"` // the runners' name for it, such as rtxpro6000
	Name   string `json:"name"`  // the card's model
	Driver string `json:"driver"`
	Timing string `json:"timing"` // how times were taken, such as cupti
}

// Variant is the geometric mean over the configs of one structural variant.
type Variant struct {
	Name      string   `json:"name"`
	Reference string   `json:"reference"`
	Ratio     *float64 `json:"geomean_ratio" jsonschema:"nullable"`
}

// Config is one config's medians, null where a side has none.
type Config struct {
	Name        string   `json:"name"`
	Variant     string   `json:"variant"` // empty when not known: it was not measured on both sides
	CandidateMS *float64 `json:"candidate_ms" jsonschema:"nullable"`
	ReferenceMS *float64 `json:"reference_ms" jsonschema:"nullable"`
}

// ErrNothingMeasured says that a verdict holds no time that could be kept.
var ErrNothingMeasured = errors.New("nothing was measured that can be kept")

// From makes a measurement of a verdict and the evidence that it was made from.
// Identity is taken from the evidence; whoever does not trust it overwrites it.
// The error is ErrNothingMeasured when the verdict does not conclude; otherwise it
// says what the identity lacks.
func From(e job.Evidence, v perf.Verdict, threshold float64) (Measurement, error) {
	if v.Verdict == perf.Blocked || v.GeomeanRatio == nil || v.Comparable == "no" {
		return Measurement{}, fmt.Errorf("%w: the verdict is %s", ErrNothingMeasured, v.Verdict)
	}
	m := Measurement{
		Repository: e.Repository, Commit: e.HeadSHA, Kernel: e.Kernel, Dispatch: e.Dispatch, MeasuredAt: e.FinishedAt.UTC(),
		GPU:       GPU{Class: e.GPU, Name: e.GPUIdentity.Name, Driver: e.GPUIdentity.Driver, Timing: e.Timing},
		Candidate: v.Candidate, Reference: v.Reference, Rounds: v.Rounds,
		Verdict: v.Verdict, Severity: v.Severity, Threshold: threshold, Ratio: v.GeomeanRatio, Confidence: v.Confidence,
		Variants: []Variant{}, Configs: []Config{},
	}
	for _, x := range v.Variants {
		m.Variants = append(m.Variants, Variant{x.Name, x.Reference, x.GeomeanRatio})
	}
	for _, c := range v.Configs {
		m.Configs = append(m.Configs, Config{c.Name, c.Variant, &c.CandidateMS, &c.ReferenceMS})
	}
	for _, x := range v.Missing {
		if !slices.ContainsFunc(m.Configs, func(c Config) bool { return c.Name == x.Config }) {
			m.Configs = append(m.Configs, Config{Name: x.Config})
		}
	}
	return m, m.Validate()
}

var commitPattern = regexp.MustCompile(`^[0-9a-f]{40}$`)

// Validate reports every field that is missing or malformed, joined into one error.
func (m Measurement) Validate() error {
	var errs []error
	want := func(ok bool, field, expected string, found any) {
		if !ok {
			errs = append(errs, fmt.Errorf("%s: expected %s, found %.60s", field, expected, fmt.Sprint(found)))
		}
	}
	want(commitPattern.MatchString(m.Commit), "commit", "40 hexadecimal digits", quoted(m.Commit))
	for field, value := range map[string]string{"repository": m.Repository, "kernel": m.Kernel, "candidate": m.Candidate, "reference": m.Reference, "gpu.name": m.GPU.Name} {
		want(value != "", field, "a name", `""`)
	}
	want(!m.MeasuredAt.IsZero(), "measured_at", "a time", m.MeasuredAt)
	want(m.Rounds > 0, "rounds", "at least 1", m.Rounds)
	want(positive(&m.Threshold), "threshold", "a ratio from 1e-20 to 1e20", m.Threshold)
	verdict, severity := m.judged()
	want(m.Verdict == verdict && m.Severity == severity, "verdict and severity", fmt.Sprintf("%s and %s, which ratio and threshold give", verdict, severity), fmt.Sprintf("%.20q and %.20q", m.Verdict, m.Severity))
	want(m.Ratio == nil || positive(m.Ratio), "geomean_ratio", "a ratio from 1e-20 to 1e20 or null", deref(m.Ratio))
	if c := m.Confidence; c != nil {
		want(positive(&c.Low) && positive(&c.High) && c.Low <= c.High, "confidence", "low and high in this order", *c)
	}
	for i, v := range m.Variants {
		field := fmt.Sprintf("variants[%d]", i)
		want(v.Name != "" && v.Reference != "", field, "a name and a reference", quoted(v.Name))
		want(v.Ratio == nil || positive(v.Ratio), field+".geomean_ratio", "a ratio from 1e-20 to 1e20 or null", deref(v.Ratio))
		want(!slices.ContainsFunc(m.Variants[:i], func(o Variant) bool { return o.Name == v.Name }), field, "each variant once", quoted(v.Name))
	}
	seen := map[string]bool{}
	for i, c := range m.Configs {
		field := fmt.Sprintf("configs[%d]", i)
		want(c.Name != "" && !seen[c.Name], field+".name", "each config once, by its name", quoted(c.Name))
		seen[c.Name] = true
		for side, ms := range map[string]*float64{".candidate_ms": c.CandidateMS, ".reference_ms": c.ReferenceMS} {
			want(ms == nil || positive(ms), field+side, "milliseconds from 1e-20 to 1e20 or null", deref(ms))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// judged is the verdict that ratio and threshold give. A ratio that passes may still
// lack data.
func (m Measurement) judged() (verdict, severity string) {
	switch {
	case m.Ratio == nil:
		return perf.Investigate, perf.MissingData
	case perf.Severity(*m.Ratio, m.Threshold) == perf.SeverityDone && m.Severity == perf.MissingData:
		return perf.Investigate, perf.MissingData
	case perf.Severity(*m.Ratio, m.Threshold) == perf.SeverityDone:
		return perf.Done, perf.SeverityDone
	}
	return perf.Investigate, perf.Severity(*m.Ratio, m.Threshold)
}

// positive reports whether a number is one that could have been measured. The range
// is wider than any time or ratio and narrow enough to calculate with.
func positive(f *float64) bool { return *f >= 1e-20 && *f <= 1e20 }

func deref(f *float64) any {
	if f == nil {
		return "null"
	}
	return *f
}

func quoted(s string) string { return fmt.Sprintf("%.50q", s) }

// key is equal for equal measurements.
func (m Measurement) key() string {
	b, err := json.Marshal(m)
	if err != nil {
		// Only a number that Validate refuses cannot be encoded.
		return fmt.Sprintf("%#v", m)
	}
	return string(b)
}

// Read reads the measurements of a store or an export. It reports where a document
// stops being one; nothing is skipped.
func Read(r io.Reader) ([]Measurement, error) {
	limited := &io.LimitedReader{R: r, N: MaxBytes + 1}
	d := json.NewDecoder(limited)
	all := []Measurement{}
	for n := 1; ; n++ {
		var doc Document
		err := d.Decode(&doc)
		switch {
		case limited.N == 0:
			return nil, fmt.Errorf("expected at most %d MiB", MaxBytes>>20)
		case err == io.EOF:
			return all, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("document %d is cut off at byte %d: %s", n, d.InputOffset(), wayOut(n, d.InputOffset()))
		case err != nil:
			return nil, fmt.Errorf("document %d, at byte %d: expected a JSON object of schema %s: %s", n, d.InputOffset(), Schema, words.JSON(err))
		case doc.Schema != Schema:
			return nil, fmt.Errorf("document %d: schema: expected %s, found %.60q", n, Schema, doc.Schema)
		}
		for i, m := range doc.Measurements {
			if err := m.Validate(); err != nil {
				return nil, fmt.Errorf("document %d, measurement %d: %s", n, i+1, strings.ReplaceAll(err.Error(), "\n", "; "))
			}
			m.MeasuredAt = m.MeasuredAt.UTC()
			m.Variants, m.Configs = slices.Concat([]Variant{}, m.Variants), slices.Concat([]Config{}, m.Configs)
			all = append(all, m)
		}
	}
}

// wayOut says how a store whose document n is cut off is made whole again. What is
// before the document is whole, and the documents of a store are lines.
func wayOut(n int, offset int64) string {
	if n == 1 {
		return "nothing of it can be read; take another copy of the file"
	}
	return fmt.Sprintf("the %d before it %s whole, and `head -n %d FILE` keeps %s of a store with one document a line; record what was lost again", n-1, words.Form(n-1, "is", "are"), n-1, words.Form(n-1, "it", "them"))
}

// New are the measurements of some that are not among the known ones, each once.
func New(known, some []Measurement) []Measurement {
	seen := map[string]bool{}
	for _, m := range known {
		seen[m.key()] = true
	}
	var fresh []Measurement
	for _, m := range some {
		if k := m.key(); !seen[k] {
			seen[k] = true
			fresh = append(fresh, m)
		}
	}
	return fresh
}

// Lines are measurements as a store keeps them, a document a line.
func Lines(some []Measurement) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, m := range some {
		if err := enc.Encode(Document{Schema, []Measurement{m}}); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
