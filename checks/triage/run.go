package triage

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// Run is what the records of a test run say together.
type Run struct {
	Cases  []Case       // of the candidate
	Others []Case       // of all other backends
	Loose  []Comparison // printed outside of what tells of a case
	Times  []Time       // configs that candidate and reference both measured
	// Unnamed counts the cases that passed and of which the log does not give the name.
	Unnamed int

	functions [][]Case // Cases by the test function, in order of appearance
}

// Case is one test case of the candidate.
type Case struct {
	ID       records.TestID
	Failed   bool
	Compared *Comparison // how its values differ from the reference's; nil when no comparison was printed

	shown
	name   string   // class and name, as the file has them
	params []string // of ID, with the sizes of a shape such as 4x1030 taken apart
	log    string
	line   int
}

// shown is what a console log adds to a case.
type shown struct {
	name   string // as the log has it; "" where that is the records' name
	unsaid bool   // it failed with an assertion, or with nothing said
	again  bool   // a second run of it ended otherwise
	facts
}

// maybeWrong reports whether the case has wrong values or may have: what failed in
// it is not told.
func (c Case) maybeWrong() bool { return c.differs() || c.unsaid }

// untold reports whether the log does not tell what failed in the case.
func (c Case) untold() bool { return c.unsaid && c.Compared == nil && !c.unlike && !c.view }

// differs reports whether the case says that values differ, with figures or without.
func (c Case) differs() bool { return c.wrong() || c.Failed && c.unlike }

func (c Case) wrong() bool { return c.Failed && c.Compared != nil }

// Time is one config that both sides measured, in milliseconds.
type Time struct {
	Op                   string // e.g. rms_norm
	Config               string // as it is printed
	Params               []string
	Candidate, Reference float64
	// Launches are the kernels of one call, -1 without a profile.
	CandidateLaunches, ReferenceLaunches int
	OwnLaunches                          int  // of the candidate's own kernels
	HostWork                             bool // the candidate copies, fills or converts in the measured call

	log string
}

func (t Time) ratio() float64 { return t.Candidate / t.Reference }

// Seen says in one sentence what a record signature is based on.
type Seen struct {
	What string
	weak bool // less sure than the row says

	log  string
	line int
}

// maxCases bounds what is kept of a run. Nothing is decided from the records of a
// larger one.
const maxCases = 40_000

// collector keeps the cases of all JUnit files.
type collector struct {
	parser  *records.IDParser
	cases   map[string][]Case                 // by backend, in order
	times   map[string]map[string]measurement // by backend and config
	order   []string                          // configs in order of appearance
	ids     map[string]records.TestID
	count   int
	passed  int
	skipped int
	loose   []Comparison
	unnamed int // cases that passed, without a name
}

type measurement struct {
	records.Measurement
	log string
}

func (c *collector) add(tc records.Case, compared *Comparison, log string, told facts) {
	c.addShown(tc, compared, log, shown{facts: told})
}

func (c *collector) addShown(tc records.Case, compared *Comparison, log string, more shown) {
	switch tc.Outcome {
	case records.Passed:
		c.passed++
	case records.Skipped:
		c.skipped++
	}
	if c.count++; c.count > maxCases || tc.CollectionError() {
		return
	}
	if c.parser == nil {
		p := records.NewIDParser()
		c.parser, c.cases, c.times, c.ids = &p, map[string][]Case{}, map[string]map[string]measurement{}, map[string]records.TestID{}
	}
	id := c.parse(tc.Class, tc.Name)
	out := Case{ID: id, shown: more, name: cmp.Or(more.name, tc.ID()), params: apartSizes(id.Params), log: log, line: tc.Line}
	switch tc.Outcome {
	case records.Failed, records.Error, records.Timeout, records.Crashed:
		out.Failed = true
		if compared != nil {
			c := *compared
			out.Compared = &c
		}
	case records.Passed:
	default:
		return
	}
	c.cases[id.Backend] = append(c.cases[id.Backend], out)
	ms, err := records.Measurements(tc)
	if err != nil {
		return
	}
	for _, m := range ms {
		if m.Backend != id.Backend && id.Backend != "" || !(m.Median > 0) {
			continue
		}
		key := id.Key() + " " + m.Direction
		if _, known := c.ids[key]; !known {
			c.ids[key] = id
			c.order = append(c.order, key)
		}
		if c.times[m.Backend] == nil {
			c.times[m.Backend] = map[string]measurement{}
		}
		// Of several rounds the fastest counts: noise only adds.
		if old, ok := c.times[m.Backend][key]; !ok || m.Median < old.Median {
			c.times[m.Backend][key] = measurement{m, log}
		}
	}
}

// parse splits the name of a case. Some parametrizations join the parameters with
// underscores and not with dashes: where such a name begins with a backend's, it is
// read as if it had dashes.
func (c *collector) parse(class, name string) records.TestID {
	id := c.parser.Parse(class, name)
	if id.Backend != "" || len(id.Params) == 0 || !strings.Contains(id.Params[0], "_") {
		return id
	}
	for _, backend := range records.KnownBackends {
		for _, spelled := range []string{strings.ReplaceAll(backend, "-", "_"), backend} {
			rest, ok := strings.CutPrefix(strings.Join(id.Params, "-"), spelled+"_")
			// torch_compile is a mode, not torch with a parameter.
			if !ok || backend == "torch" && strings.HasPrefix(rest, "compile") {
				continue
			}
			var params []string
			for p := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == '_' || r == '-' }) {
				// The types of eight bits have the sign in their names.
				if n := len(params); n > 0 && strings.HasSuffix(params[n-1], "float8") {
					params[n-1] += "_" + p
				} else {
					params = append(params, p)
				}
			}
			return c.parser.Parse(class, id.Test+"["+strings.Join(append([]string{backend}, params...), "-")+"]")
		}
	}
	return id
}

// ours is the backend that is judged when the records hold it.
const ours = "cutile-rs"

// references are the backends that a port can be measured against, best first.
var references = []string{"cutile", "triton", "tilecpp", "pytorch", "torch"}

// collected is the run of all files together.
func (c *collector) collected() Run {
	if c.count > maxCases || c.count == 0 {
		return Run{Loose: c.loose, Unnamed: c.unnamed}
	}
	candidate := ours
	if len(c.cases[ours]) == 0 {
		most := 0
		for _, backend := range slices.Concat([]string{""}, references) {
			failed := 0
			for _, k := range c.cases[backend] {
				if k.Failed {
					failed++
				}
			}
			if failed > most {
				candidate, most = backend, failed
			}
		}
	}
	run := casesRun(c.cases[candidate])
	run.Loose, run.Unnamed = c.loose, c.unnamed
	for _, backend := range slices.Sorted(maps.Keys(c.cases)) {
		if backend != candidate {
			run.Others = append(run.Others, c.cases[backend]...)
		}
	}
	var best []Time
	for _, reference := range references {
		if times := c.matched(candidate, reference); len(times) > len(best) {
			best = times
		}
	}
	run.Times = best
	return run
}

// matched are the configs that both sides measured.
func (c *collector) matched(candidate, reference string) []Time {
	if candidate == reference {
		return nil
	}
	var all []Time
	for _, key := range c.order {
		a, ok := c.times[candidate][key]
		b, both := c.times[reference][key]
		if ok && both {
			id := c.ids[key]
			all = append(all, newTime(id, id.Config(), a.Measurement, b.Measurement))
			all[len(all)-1].log = a.log
		}
	}
	return all
}

// newTime is a config with the measurements of both sides.
func newTime(id records.TestID, config string, candidate, reference records.Measurement) Time {
	t := Time{Op: id.Kernel, Config: config, Params: id.Params, Candidate: candidate.Median, Reference: reference.Median, CandidateLaunches: -1, ReferenceLaunches: -1}
	if n, ok := candidate.Launches(); ok {
		t.CandidateLaunches = n
	}
	if n, ok := reference.Launches(); ok {
		t.ReferenceLaunches = n
	}
	for _, k := range candidate.Kernels {
		switch {
		case records.OwnKernel(k.Name):
			t.OwnLaunches += k.Count
		case hostWork(k.Name):
			t.HostWork = true
		}
	}
	return t
}

// hostWork reports whether a profile entry is a copy, a fill or one of the
// framework's own kernels.
func hostWork(kernel string) bool {
	kernel = strings.ToLower(kernel)
	for _, s := range []string{"memcpy", "memset", "at::native", "elementwise", "fill", "copy"} {
		if strings.Contains(kernel, s) {
			return true
		}
	}
	return false
}

// cases are the cases of all files so far.
func (s *Scanner) cases() Run {
	if s.run.count == 0 {
		return s.shown.collected()
	}
	return s.run.collected()
}

// decided are the record signatures of a run, as hits.
func (s *Scanner) decided(run Run) []*hit {
	var all []*hit
	for i, rows := 0, ready(); i < len(rows); i++ {
		row := &rows[i]
		if row.Records == nil || !slices.Contains(s.stages, row.Stage) {
			continue
		}
		if seen := row.Records(run); seen != nil {
			m := row.match(seen.log, line{n: seen.line, text: seen.What})
			m.Case = untrusted.Text(run.caseAt(seen)).Cut(maxCase)
			rank := row.Rank
			if seen.weak {
				rank = max(rank, Weak)
			}
			m.Weak = rank >= Weak
			all = append(all, &hit{rank: rank, log: s.logs, order: row.order, records: true, with: row.With,
				Match: m})
		}
	}
	return all
}

// caseAt is the name of the case that a record signature points at.
func (r Run) caseAt(seen *Seen) string {
	for _, c := range slices.Concat(r.Cases, r.Others) {
		if seen.line > 0 && c.line == seen.line && c.log == seen.log {
			return c.name
		}
	}
	return ""
}

// ops divides times by the op, in order of appearance.
func ops(times []Time) [][]Time {
	return grouped(times, func(t Time) string { return t.Op })
}

// casesRun is a run of some cases of the candidate.
func casesRun(cases []Case) Run {
	return Run{Cases: cases, functions: grouped(cases, func(c Case) string { return c.ID.Function() })}
}

// grouped divides items by their keys, in order of appearance.
func grouped[T any](items []T, key func(T) string) [][]T {
	var sizes []int
	at, of := map[string]int{}, make([]int, len(items))
	for n, x := range items {
		k := key(x)
		i, ok := at[k]
		if !ok {
			i = len(sizes)
			at[k] = i
			sizes = append(sizes, 0)
		}
		of[n] = i
		sizes[i]++
	}
	all := make([][]T, len(sizes))
	for i, n := range sizes {
		all[i] = make([]T, 0, n)
	}
	for n, x := range items {
		all[of[n]] = append(all[of[n]], x)
	}
	return all
}

// typeNames are the spellings of data types in test ids.
var typeNames = map[string]string{
	"float32": "float32", "fp32": "float32", "f32": "float32", "float": "float32",
	"float16": "float16", "fp16": "float16", "f16": "float16", "half": "float16",
	"bfloat16": "bfloat16", "bf16": "bfloat16", "float64": "float64", "fp64": "float64", "double": "float64",
	"float8_e4m3fn": "float8_e4m3fn", "float8_e5m2": "float8_e5m2", "fp8": "float8_e4m3fn", "int8": "int8", "int32": "int32", "int64": "int64",
}

// dtype is the first data type among the parameters, "" for none.
func dtype(params []string) string {
	for _, p := range params {
		if name := typeNames[strings.TrimPrefix(value(p), "torch.")]; name != "" {
			return name
		}
	}
	return ""
}

// value is what stands behind the name of a parameter: 64 of "m=64".
func value(param string) string {
	if _, v, ok := strings.Cut(param, "="); ok {
		return v
	}
	return param
}

// apartSizes takes the sizes of a shape apart: 4 and 1030 of "4x1030".
func apartSizes(params []string) []string {
	var all []string
	for _, p := range params {
		// A tuple or list is printed with brackets.
		bare := strings.Trim(value(p), "()[]")
		sizes := strings.Split(strings.ReplaceAll(strings.ReplaceAll(bare, " ", ""), ",", "x"), "x")
		if len(sizes) < 2 || slices.ContainsFunc(sizes, func(s string) bool { _, ok := size(s); return !ok }) {
			sizes = []string{p}
		}
		all = append(all, sizes...)
	}
	return all
}

// sizeName is a size with the letters of its dimension before it: tok4096, h128, D64.
var sizeName = regexp.MustCompile(`^(?:m|n|k|d|h|b|s|c|e|g|q|l|t|v|w|M|N|K|D|H|B|S|C|E|G|L|T|V|tok|tokens?|rows?|cols?|dim|hidden|len|seq|seqlen|ctx|batch|heads?|Hq|Hkv|hq|hkv|size|width|vocab|sq|sk|skv|lq|lk|lkv|seqlen_?q|seqlen_?k|seqlen_?kv|qlen|klen|kvlen)_?(\d+)$`)

// size is the number that a parameter is; ok is false when it is none.
func size(param string) (n int, ok bool) {
	text := value(param)
	if m := sizeName.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n > 0
}

func powerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

// geomean is the geometric mean ratio.
func geomean(times []Time) float64 {
	sum := 0.0
	for _, t := range times {
		sum += math.Log(t.ratio())
	}
	return math.Exp(sum / float64(len(times)))
}
