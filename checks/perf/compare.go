package perf

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/records"
)

// Side restricts which records of a file count.
type Side int

// The sides of a file.
const (
	Both Side = iota
	CandidateOnly
	ReferenceOnly
)

// File is one record file. Files of one side are that side's rounds, in order.
type File struct {
	records.Report
	Side Side
}

// Options are the question. The zero values of the limits mean the defaults.
type Options struct {
	Candidate, Reference string
	Threshold            float64 // highest ratio that is DONE; 0 means 1.05
	MaxMissing           float64 // highest share of missing configs that is judged on the others
	MaxRounds            int     // no more rounds are asked for beyond it; 0 means 6
	// AllowSkip says whether a skip text of the candidate declares a gap; nil allows
	// none.
	AllowSkip func(text string) bool
	Renames   map[string]string // old config name to new, as they are printed
	Variants  *Variants         // nil: one variant, default
	// LogNotes are signs found in console logs, such as a profiler that failed.
	LogNotes []string
}

// DefaultMaxRounds is the budget of rounds when none is configured.
const DefaultMaxRounds = 6

// Compare judges candidate against reference. It never fails: what cannot be
// read or compared is part of the verdict.
func Compare(files []File, evidence []job.Evidence, o Options) Verdict {
	o.Candidate, o.Reference = records.CanonicalBackend(o.Candidate), records.CanonicalBackend(o.Reference)
	if o.Threshold == 0 {
		o.Threshold = DefaultThreshold
	}
	if o.MaxRounds == 0 {
		o.MaxRounds = DefaultMaxRounds
	}
	c := comparison{
		o: o,
		v: Verdict{
			Schema: Schema, Candidate: o.Candidate, Reference: o.Reference, Threshold: o.Threshold,
			Variants: []Variant{}, Configs: []Config{}, Missing: []Missing{}, Uncovered: []Uncovered{}, Triage: []Triage{},
		},
		order: map[string]int{},
	}
	c.v.Notes = append(c.v.Notes, o.LogNotes...)
	c.read(files)
	c.compare(evidence)
	return c.v
}

// observation is what one round of one side says about a config.
type observation struct {
	ms      records.Measurement
	ok      bool            // ms holds a usable time
	outcome records.Outcome // "" when the config does not occur
	why     string          // why there is no usable time
	void    bool            // another backend answered
}

// round holds the observations of one file for one side, by config key.
type round map[string]observation

type comparison struct {
	o          Options
	v          Verdict
	candidate  []round
	reference  map[string][]round // by backend
	order      map[string]int     // test key to index into ids
	ids        []configID
	duplicates []string
	partial    []string
	unmatched  map[string]bool // test keys that config_to_variant lacks
	// incomparable says why the sides cannot be compared.
	incomparable string
}

// configID is a test case without its backend, and the directions in which some
// side measured it.
type configID struct {
	base, class, config, params string
	directions                  []string
}

// read sorts the cases of all files into rounds.
func (c *comparison) read(files []File) {
	references := []string{c.o.Reference}
	if c.o.Variants != nil {
		references = c.o.Variants.references(c.o.Reference)
	}
	parser := records.NewIDParser(append([]string{c.o.Candidate}, references...)...)
	perfFunctions := map[string]bool{}
	ids := make([][]records.TestID, len(files))
	for i, f := range files {
		ids[i] = make([]records.TestID, len(f.Cases))
		for n, tc := range f.Cases {
			id := c.renamed(parser.Parse(tc.Class, tc.Name))
			ids[i][n] = id
			if tc.HasBenchmark() || strings.Contains(id.Test, "perf") || strings.Contains(id.Test, "bench") {
				perfFunctions[id.Function()] = true
			}
		}
	}
	c.reference = map[string][]round{}
	for i, f := range files {
		if why := f.Interrupted(); why != "" {
			c.partial = append(c.partial, why)
		}
		if f.Ignored > 0 {
			c.note("%s: result blocks in an unknown shape, read as no data: %d", f.Name, f.Ignored)
		}
		c.readFile(f, ids[i], references, perfFunctions)
	}
}

func (c *comparison) note(format string, args ...any) {
	c.v.Notes = append(c.v.Notes, fmt.Sprintf(format, args...))
}

// renamed applies the configured renames to an id.
func (c *comparison) renamed(id records.TestID) records.TestID {
	if len(c.o.Renames) == 0 {
		return id
	}
	for _, from := range []string{id.Key(), id.Config()} {
		if to, ok := c.o.Renames[from]; ok {
			return id.Renamed(to)
		}
	}
	return id
}

// readFile adds one file's rounds.
func (c *comparison) readFile(f File, ids []records.TestID, references []string, perfFunctions map[string]bool) {
	candidate := round{}
	reference := map[string]round{}
	type seenCase struct{ backend, key string }
	seen := map[seenCase]records.Outcome{}
	for n, tc := range f.Cases {
		id := ids[n]
		if !perfFunctions[id.Function()] {
			continue
		}
		counted := map[string]bool{}
		for _, o := range c.observe(id, tc) {
			into := make([]round, 0, 2)
			if f.Side != ReferenceOnly && o.backend == c.o.Candidate {
				into = append(into, candidate)
			}
			if f.Side != CandidateOnly && slices.Contains(references, o.backend) {
				if reference[o.backend] == nil {
					reference[o.backend] = round{}
				}
				into = append(into, reference[o.backend])
			}
			if len(into) == 0 {
				continue
			}
			if this := (seenCase{o.backend, id.Key()}); !counted[o.backend] {
				if before, dup := seen[this]; dup && !teardownTwin(before, tc) {
					c.duplicates = append(c.duplicates, fmt.Sprintf("%s: %s of %s occurs more than once", f.Name, id.Config(), o.backend))
				}
				seen[this] = tc.Outcome
				counted[o.backend] = true
			}
			if o.void = o.ok && c.void(o.backend, o.ms) && f.Side != ReferenceOnly; o.void {
				o.ok, o.why = false, "void: "+voidReason(o.ms)
			}
			key := c.config(id, o.direction)
			for _, r := range into {
				r[key] = o.observation
			}
		}
	}
	if len(candidate) > 0 {
		c.candidate = append(c.candidate, candidate)
	}
	for backend, r := range reference {
		c.reference[backend] = append(c.reference[backend], r)
	}
}

// teardownTwin reports whether a second record of a case is the error of its
// tear-down, which pytest writes as a case of the same name.
func teardownTwin(before records.Outcome, tc records.Case) bool {
	return before == records.Failed && tc.Outcome == records.Error && strings.HasPrefix(tc.Message, "failed on teardown")
}

// config registers a config and returns its key in a round. A case without a
// measurement is registered without a direction and stands for all of them.
func (c *comparison) config(id records.TestID, direction string) string {
	base := id.Key()
	if _, ok := c.order[base]; !ok {
		c.order[base] = len(c.ids)
		c.ids = append(c.ids, configID{base: base, class: id.Class, config: id.Config(), params: strings.Join(id.Params, "-")})
	}
	if direction == "" {
		return base
	}
	if known := &c.ids[c.order[base]].directions; !slices.Contains(*known, direction) {
		*known = append(*known, direction)
	}
	return base + " " + direction
}

// observed is an observation of one backend in one direction; no direction stands
// for all.
type observed struct {
	observation
	backend, direction string
}

// observe turns a case into observations.
func (c *comparison) observe(id records.TestID, tc records.Case) []observed {
	without := func(why string) []observed {
		return []observed{{observation{outcome: tc.Outcome, why: why}, id.Backend, ""}}
	}
	if tc.Outcome != records.Passed {
		return without(outcomeReason(tc))
	}
	measurements, err := records.Measurements(tc)
	if err != nil {
		return without(err.Error())
	}
	var all []observed
	for _, m := range measurements {
		if id.Backend != "" && m.Backend != id.Backend {
			continue
		}
		if slices.ContainsFunc(all, func(o observed) bool { return o.backend == m.Backend && o.direction == m.Direction }) {
			c.duplicates = append(c.duplicates, fmt.Sprintf("%s of %s has two benchmark records", id.Config(), m.Backend))
		}
		obs := observation{ms: m, ok: true, outcome: tc.Outcome}
		if !(m.Median >= shortest && m.Median <= longest) {
			obs.ok, obs.why = false, medianReason(m.Median)
		}
		all = append(all, observed{obs, m.Backend, m.Direction})
	}
	switch {
	case len(all) > 0:
		return all
	case len(measurements) > 0:
		return without(fmt.Sprintf("the test is of %s, its record is of %s", id.Backend, measurements[0].Backend))
	}
	return without("passed without a benchmark record")
}

// shortest and longest bound a measured time in milliseconds: 0.1 ns is below any
// clock, eleven days above any limit. Beyond them a ratio can leave the range of
// numbers.
const shortest, longest = 1e-7, 1e9

// forward is the direction that goes without saying.
const forward = "forward"

func medianReason(median float64) string {
	if math.IsNaN(median) {
		return "the record has no median"
	}
	return fmt.Sprintf("the median is %v ms, which is no measured time: the profiler gave no device time or the case did not run", median)
}

// outcomeReason says why a case that did not pass has no time.
func outcomeReason(tc records.Case) string {
	text := tc.Message
	if text == "" {
		text = tc.Detail
	}
	if line, _, cut := strings.Cut(strings.TrimSpace(text), "\n"); cut || len(line) > 300 {
		text = line[:min(len(line), 300)]
	}
	return string(tc.Outcome) + ": " + strings.ToValidUTF8(strings.TrimSpace(text), "")
}

// cutileRS is the backend whose kernels can be told by their names.
const cutileRS = "cutile-rs"

func (c *comparison) void(backend string, m records.Measurement) bool {
	if backend != cutileRS || c.o.Candidate != cutileRS {
		return false
	}
	return !slices.ContainsFunc(m.Kernels, func(k records.Kernel) bool { return records.OwnKernel(k.Name) })
}

func voidReason(m records.Measurement) string {
	if m.Kernels == nil {
		return "the record has no kernel_times, so nothing shows that a cutile-rs kernel (named *_entry) ran"
	}
	names := make([]string, 0, 3)
	for _, k := range m.Kernels[:min(3, len(m.Kernels))] {
		names = append(names, short(k.Name))
	}
	return "no kernel named *_entry ran, another backend answered: " + strings.Join(names, ", ")
}

func short(name string) string {
	if len(name) > 60 {
		return strings.ToValidUTF8(name[:57], "") + "..."
	}
	return name
}

// sideState is what the counted rounds of one side say about a config.
type sideState struct {
	obs      []observation
	measured bool // in every round
	skipped  bool // skipped in every round in which it occurs, and it occurs
	absent   bool // occurs in no round
	void     bool
	why      string
	skip     string // text of the skip
}

func state(rounds []round, base, direction string) sideState {
	s := sideState{measured: len(rounds) > 0, skipped: true, absent: true}
	for i, r := range rounds {
		obs, ok := r[base+" "+direction]
		if !ok {
			obs, ok = r[base]
		}
		if !ok {
			obs = observation{why: "not in the records"}
		}
		s.obs = append(s.obs, obs)
		s.absent = s.absent && !ok
		s.void = s.void || obs.void
		if ok && obs.outcome != records.Skipped {
			s.skipped = false
		}
		if obs.outcome == records.Skipped && s.skip == "" {
			s.skip = strings.TrimPrefix(obs.why, "skipped: ")
		}
		if !obs.ok {
			s.measured = false
			if s.why == "" || strings.HasSuffix(s.why, "not in the records") && ok {
				s.why = obs.why
				if len(rounds) > 1 {
					s.why = fmt.Sprintf("round %d: %s", i+1, obs.why)
				}
			}
		}
	}
	if len(rounds) == 0 {
		s.why = "not in the records"
	}
	s.skipped = s.skipped && !s.absent
	return s
}

// value is the lowest median in milliseconds and the worst rel_std in percent.
func (s sideState) value() (ms, relStd float64) {
	ms, relStd = math.Inf(1), math.NaN()
	for _, o := range s.obs {
		ms = math.Min(ms, o.ms.Median)
		if !math.IsNaN(o.ms.RelStd) && !(o.ms.RelStd <= relStd) {
			relStd = o.ms.RelStd
		}
	}
	return ms, relStd
}

// launches is the largest count of any round.
func (s sideState) launches() *int {
	var most *int
	for _, o := range s.obs {
		if n, ok := o.ms.Launches(); ok && (most == nil || n > *most) {
			most = &n
		}
	}
	return most
}

// first is the profile of the first round.
func (s sideState) first() records.Measurement { return s.obs[0].ms }
