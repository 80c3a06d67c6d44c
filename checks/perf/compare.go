package perf

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/words"
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
	// Fallback is a log line that says that another backend answered for the
	// candidate; "" for none.
	Fallback string
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
	for _, n := range o.LogNotes {
		c.v.Notes = append(c.v.Notes, n)
		if strings.HasPrefix(n, throttledNote) {
			c.unsound = append(c.unsound, n)
		}
	}
	c.read(files)
	c.repeated(files, evidence)
	c.compare(files, evidence)
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

// direction is the direction of a measurement. A case without a measurement has
// none and stands for all of them.
type direction int

const (
	anyDirection direction = iota
	forward
	backward
	directions
)

func directionOf(name string) direction {
	if name == "backward" {
		return backward
	}
	return forward
}

// round holds the observations of one file for one side, by config and direction;
// nil where a config does not occur.
type round []*observation

func (r round) at(config int, d direction) *observation {
	at := config*int(directions) + int(d)
	if at >= len(r) {
		return nil
	}
	return r[at]
}

func (r *round) set(config int, d direction, o *observation) {
	at := config*int(directions) + int(d)
	if at >= len(*r) {
		*r = append(*r, make(round, at+1-len(*r)+int(directions))...)
	}
	(*r)[at] = o
}

type comparison struct {
	o          Options
	v          Verdict
	candidate  []round
	reference  map[string][]round // by backend
	order      map[string]int     // test key to index into ids
	ids        []configID
	duplicates []string
	repeats    []string // files that stand for two rounds
	partial    []string
	foreign    []string          // files that are no JUnit XML
	backends   map[string]bool   // of all perf cases of the files
	backwards  map[function]bool // tests of which the candidate recorded a backward pass
	unmatched  map[string]bool   // test keys that config_to_variant lacks
	// incomparable says why the sides cannot be compared.
	incomparable string
	unsound      []string // what makes the times themselves doubtful
	open         string   // that the interval holds the limit, and what to do; else ""
	allNoisy     bool     // no config has figures that are sound by themselves
	wall         bool     // the evidence says that times are wall-clock times
	quantile     float64  // of Student's t at 0.99 for the rounds at hand, once it was needed
}

// configID is a test case without its backend, and the directions in which some
// side measured it.
type configID struct {
	base, class, config, params string
	function                    function
	measured                    [directions]bool
}

// read sorts the cases of all files into rounds.
func (c *comparison) read(files []File) {
	references := []string{c.o.Reference}
	if c.o.Variants != nil {
		references = c.o.Variants.references(c.o.Reference)
	}
	parser := records.NewIDParser(append([]string{c.o.Candidate}, references...)...)
	perfFunctions := map[function]bool{}
	parsed := make([][]parsedCase, len(files))
	for i, f := range files {
		parsed[i] = make([]parsedCase, len(f.Cases))
		for j, tc := range f.Cases {
			p := c.parseCase(parser, tc)
			if p.perf {
				perfFunctions[p.function()] = true
			}
			parsed[i][j] = p
		}
	}
	c.reference, c.backends, c.backwards = map[string][]round{}, map[string]bool{}, map[function]bool{}
	for i, f := range files {
		if f.NotJUnit() {
			c.foreign = append(c.foreign, f.Name)
		}
		if why := f.Interrupted(); why != "" {
			c.partial = append(c.partial, why)
		}
		if f.Ignored > 0 {
			c.note("%s: result blocks in an unknown shape, read as no data: %d", f.Name, f.Ignored)
		}
		c.readFile(f, parsed[i], references, perfFunctions)
	}
}

// parsedCase is a case with its id and what it says, read without regard to the
// other cases.
type parsedCase struct {
	id         records.TestID
	base       string // key of the id
	perf       bool   // a perf case by itself
	observed   []observed
	duplicates []string
}

// function identifies a test function.
type function struct{ class, test string }

func (p parsedCase) function() function { return function{p.id.Class, p.id.Test} }

func (c *comparison) parseCase(parser records.IDParser, tc records.Case) parsedCase {
	id := c.renamed(parser.Parse(tc.Class, tc.Name))
	p := parsedCase{id: id, base: id.Key()}
	p.perf = tc.HasBenchmark() || strings.Contains(id.Test, "perf") || strings.Contains(id.Test, "bench")
	p.observed, p.duplicates = observe(id, tc)
	return p
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
func (c *comparison) readFile(f File, cases []parsedCase, references []string, perfFunctions map[function]bool) {
	var candidate round
	reference := map[string]*round{}
	type seenCase struct {
		backend string
		config  int
	}
	seen := make(map[seenCase]records.Outcome, len(cases))
	for n := range cases {
		p := &cases[n]
		if !perfFunctions[p.function()] {
			continue
		}
		c.duplicates = append(c.duplicates, p.duplicates...)
		for i := range p.observed {
			o := &p.observed[i]
			if o.backend != "" {
				c.backends[o.backend] = true
			}
			asCandidate := f.Side != ReferenceOnly && o.backend == c.o.Candidate
			asReference := f.Side != CandidateOnly && slices.Contains(references, o.backend)
			if !asCandidate && !asReference {
				continue
			}
			config := c.config(p, o.direction)
			if this := (seenCase{o.backend, config}); !slices.ContainsFunc(p.observed[:i], func(b observed) bool { return b.backend == o.backend }) {
				if before, dup := seen[this]; dup && !teardownTwin(before, f.Cases[n]) {
					c.duplicates = append(c.duplicates, fmt.Sprintf("%s: %s of %s occurs more than once", f.Name, p.id.Config(), o.backend))
				}
				seen[this] = f.Cases[n].Outcome
			}
			if why := c.void(o, f.Cases[n]); why != "" && f.Side != ReferenceOnly {
				o.ok, o.void, o.why = false, true, "void: "+why
			}
			if asCandidate && o.direction == backward {
				c.backwards[p.function()] = true
			}
			if asCandidate {
				candidate.set(config, o.direction, &o.observation)
			}
			if asReference {
				if reference[o.backend] == nil {
					reference[o.backend] = &round{}
				}
				reference[o.backend].set(config, o.direction, &o.observation)
			}
		}
	}
	if len(candidate) == 0 && len(reference) == 0 && f.Damage == nil {
		c.note("%s holds no perf case of %s, so it is no round", f.Name, c.wanted(f.Side))
	}
	if len(candidate) > 0 {
		c.candidate = append(c.candidate, candidate)
	}
	for backend, r := range reference {
		c.reference[backend] = append(c.reference[backend], *r)
	}
}

// wanted names the backends whose cases a file is read for.
func (c *comparison) wanted(side Side) string {
	switch side {
	case CandidateOnly:
		return c.o.Candidate
	case ReferenceOnly:
		return c.o.Reference
	}
	return c.o.Candidate + " or " + c.o.Reference
}

// teardownTwin reports whether a second record of a case is the error of its
// tear-down, which pytest writes as a case of the same name.
func teardownTwin(before records.Outcome, tc records.Case) bool {
	return before == records.Failed && tc.Outcome == records.Error && strings.HasPrefix(tc.Message, "failed on teardown")
}

// config registers a config and returns its index.
func (c *comparison) config(p *parsedCase, d direction) int {
	i, ok := c.order[p.base]
	if !ok {
		i = len(c.ids)
		c.order[p.base] = i
		c.ids = append(c.ids, configID{base: p.base, class: p.id.Class, function: p.function(), config: p.id.Config(), params: strings.Join(p.id.Params, "-")})
	}
	c.ids[i].measured[d] = true
	return i
}

// observed is an observation of one backend in one direction.
type observed struct {
	observation
	backend   string
	direction direction
}

// observe turns a case into observations, and names records that occur twice.
func observe(id records.TestID, tc records.Case) (all []observed, duplicates []string) {
	without := func(why string) ([]observed, []string) {
		return []observed{{observation{outcome: tc.Outcome, why: why}, id.Backend, anyDirection}}, duplicates
	}
	if tc.Outcome != records.Passed {
		return without(outcomeReason(tc))
	}
	measurements, err := records.Measurements(tc)
	if err != nil {
		return without(err.Error())
	}
	for _, m := range measurements {
		if id.Backend != "" && m.Backend != id.Backend {
			continue
		}
		d := directionOf(m.Direction)
		if slices.ContainsFunc(all, func(o observed) bool { return o.backend == m.Backend && o.direction == d }) {
			duplicates = append(duplicates, fmt.Sprintf("%s of %s has two benchmark records", id.Config(), m.Backend))
		}
		obs := observation{ms: m, ok: true, outcome: tc.Outcome}
		if !(m.Median >= shortest && m.Median <= longest) {
			obs.ok, obs.why = false, medianReason(m.Median)
		}
		all = append(all, observed{obs, m.Backend, d})
	}
	switch {
	case len(all) > 0:
		return all, duplicates
	case len(measurements) > 0:
		return without(fmt.Sprintf("the test is of %s, its record is of %s", id.Backend, measurements[0].Backend))
	}
	return without("passed without a benchmark record")
}

// shortest and longest bound a measured time in milliseconds: 0.1 ns is below any
// clock, eleven days above any limit. Beyond them a ratio can leave the range of
// numbers.
const shortest, longest = 1e-7, 1e9

func medianReason(median float64) string {
	if math.IsNaN(median) {
		return "the record has no median"
	}
	if median > longest {
		return fmt.Sprintf("the median is %v ms, which is no measured time: it is longer than any run", median)
	}
	return fmt.Sprintf("the median is %v ms, which is no measured time: the profiler gave no device time or the case did not run", median)
}

// outcomeReason says why a case that did not pass has no time.
func outcomeReason(tc records.Case) string {
	if tc.Outcome != records.Skipped {
		return strings.TrimSuffix(string(tc.Outcome)+": "+tc.Reason(), ": ")
	}
	// The text of a skip is what a declared gap is told by: its first line, as it is.
	text := tc.Message
	if text == "" {
		text = tc.Detail
	}
	if line, _, cut := strings.Cut(strings.TrimSpace(text), "\n"); cut || len(line) > 300 {
		text = line[:min(len(line), 300)]
	}
	return strings.TrimSuffix(string(tc.Outcome)+": "+strings.ToValidUTF8(strings.TrimSpace(text), ""), ": ")
}

// cutileRS is the backend whose kernels can be told by their names.
const cutileRS = "cutile-rs"

// anotherAnswered begins what shows that another backend was measured.
const anotherAnswered = "another backend answered: "

// void says why a time of the candidate is another backend's, or may be, else "".
func (c *comparison) void(o *observed, tc records.Case) string {
	if !o.ok || o.backend != c.o.Candidate {
		return ""
	}
	if said := records.Fallback(tc.Output+"\n"+tc.Detail, o.backend); said != "" {
		return anotherAnswered + said
	}
	own := func(k records.Kernel) bool { return records.OwnKernel(k.Name) }
	switch {
	case o.backend != cutileRS || slices.ContainsFunc(o.ms.Kernels, own):
		return ""
	case o.ms.Kernels == nil:
		return "the record has no kernel_times, so nothing shows that a cutile-rs kernel (named *_entry) ran"
	case len(o.ms.Kernels) == 0:
		return "kernel_times is empty, so nothing shows that a cutile-rs kernel (named *_entry) ran"
	}
	names := make([]string, 0, 3)
	for _, k := range o.ms.Kernels[:min(3, len(o.ms.Kernels))] {
		names = append(names, short(k.Name))
	}
	return "no kernel named *_entry ran, " + anotherAnswered + strings.Join(names, ", ")
}

func short(name string) string {
	if len(name) > 60 {
		return strings.ToValidUTF8(name[:57], "") + "..."
	}
	return name
}

// repeated notes files that are equal byte for byte and stand for two rounds of a
// side. How rounds scatter cannot be told from a measurement that is counted twice.
func (c *comparison) repeated(files []File, evidence []job.Evidence) {
	type round struct {
		side Side
		sum  string
	}
	first := map[round]string{}
	note := func(side Side, sum, name string) {
		if len(sum) != 64 {
			return
		}
		this := round{side, strings.ToLower(sum)}
		if before, ok := first[this]; ok {
			c.repeats = append(c.repeats, fmt.Sprintf("%s is %s once more, byte for byte", name, before))
			return
		}
		first[this] = name
	}
	for _, f := range files {
		note(f.Side, f.SHA256, f.Name)
	}
	for _, e := range evidence {
		clear(first)
		for _, f := range e.Files {
			if f.Kind == "junit" {
				note(Both, f.SHA256, f.Path)
			}
		}
	}
}

// sideState is what the counted rounds of one side say about a config.
type sideState struct {
	obs      []*observation
	measured bool // in every round
	skipped  bool // skipped in every round in which it occurs, and it occurs
	absent   bool // occurs in no round
	void     bool
	why      string
	skip     string // text of the skip
}

// notThere stands for a config in a round in which it does not occur.
var notThere = &observation{why: "not in the records"}

func state(rounds []round, config int, d direction) sideState {
	s := sideState{obs: make([]*observation, 0, len(rounds)), measured: len(rounds) > 0, skipped: true, absent: true}
	for _, r := range rounds {
		obs := r.at(config, d)
		if obs == nil {
			obs = r.at(config, anyDirection)
		}
		ok := obs != nil
		if !ok {
			obs = notThere
		}
		s.obs = append(s.obs, obs)
		s.absent = s.absent && !ok
		s.void = s.void || obs.void
		if ok && obs.outcome != records.Skipped {
			s.skipped = false
		}
		if obs.outcome == records.Skipped && s.skip == "" {
			s.skip = strings.TrimPrefix(strings.TrimPrefix(obs.why, string(records.Skipped)), ": ")
		}
		s.measured = s.measured && obs.ok
	}
	s.why = whyNot(s.obs)
	s.skipped = s.skipped && !s.absent
	return s
}

// whyNot says why some of the rounds have no time: the first reason that is more
// than that the config does not occur, and of which rounds it is.
func whyNot(obs []*observation) string {
	why := notThere.why
	for _, o := range obs {
		if !o.ok && o.why != notThere.why {
			why = o.why
			break
		}
	}
	var of []string
	for i, o := range obs {
		if !o.ok && o.why == why {
			of = append(of, strconv.Itoa(i+1))
		}
	}
	switch {
	case len(obs) <= 1:
		return why
	case len(of) == len(obs):
		return fmt.Sprintf("all %d rounds: %s", len(obs), why)
	}
	return words.Form(len(of), "round ", "rounds ") + strings.Join(of, ", ") + ": " + why
}

// lowest is the lowest value over the rounds of what a record says.
func (s sideState) lowest(of func(records.Measurement) float64) float64 {
	low := math.Inf(1)
	for _, o := range s.obs {
		low = math.Min(low, of(o.ms))
	}
	return low
}

func median(m records.Measurement) float64 { return m.Median }

// relStd is the worst spread inside a run in percent, NaN when no record has one.
func (s sideState) relStd() float64 {
	worst := math.NaN()
	for _, o := range s.obs {
		if !math.IsNaN(o.ms.RelStd) && !(o.ms.RelStd <= worst) {
			worst = o.ms.RelStd
		}
	}
	return worst
}

// profile is the record with the most launches of any round; ok is false without
// one that has a profile.
func (s sideState) profile() (m records.Measurement, launches int, ok bool) {
	for _, o := range s.obs {
		if n, has := o.ms.Launches(); has && (!ok || n > launches) {
			m, launches, ok = o.ms, n, true
		}
	}
	return m, launches, ok
}

// launches is the largest count of any round.
func (s sideState) launches() *int {
	if _, n, ok := s.profile(); ok {
		return &n
	}
	return nil
}
