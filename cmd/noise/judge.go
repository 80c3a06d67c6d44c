package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/perf"
	"github.com/tilegate/tilegate/checks/records"
)

// base is the set of unmodified code.
const base = "base"

// everything stands for all ops of a card as one pull request.
const everything = "all ops"

// card is what was recorded on one GPU: by set, its repetitions by number.
type card struct {
	dir  string
	sets map[string]map[string]records.Report
}

func readCard(dir string) (card, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "r*.xml"))
	if err != nil {
		return card{}, err
	}
	if len(files) == 0 {
		return card{}, fmt.Errorf("%s: expected folders with files rNN.xml, found none", dir)
	}
	c := card{dir: dir, sets: map[string]map[string]records.Report{}}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return card{}, err
		}
		report := records.ReadJUnit(file, f)
		f.Close()
		if why := report.Interrupted(); why != "" {
			return card{}, fmt.Errorf("%s; leave unfinished repetitions out", why)
		}
		set := filepath.Base(filepath.Dir(file))
		if c.sets[set] == nil {
			c.sets[set] = map[string]records.Report{}
		}
		c.sets[set][filepath.Base(file)] = report
	}
	return c, nil
}

// ops are the test classes that a set measures.
func (c card) ops(set, backend string) []string {
	seen := map[string]bool{}
	for _, r := range c.sets[set] {
		for _, tc := range r.Cases {
			if op, ok := opOf(tc, backend); ok {
				seen[op] = true
			}
		}
	}
	var ops []string
	for op := range seen {
		ops = append(ops, op)
	}
	slices.Sort(ops)
	if len(ops) > 1 {
		ops = append(ops, everything)
	}
	return ops
}

// opOf is the op of a measured case of the backend: the module's name without
// test_.
func opOf(tc records.Case, backend string) (string, bool) {
	id := records.NewIDParser(backend).Parse(tc.Class, tc.Name)
	if tc.Outcome != records.Passed || id.Backend != records.CanonicalBackend(backend) {
		return "", false
	}
	for part := range strings.SplitSeq(tc.Class, ".") {
		if op, ok := strings.CutPrefix(part, "test_"); ok {
			return op, true
		}
	}
	return "", false
}

// repetition is one process that measured one op.
type repetition struct {
	number string
	report records.Report
}

// repetitions are the set's processes that measured the op, in order.
func (c card) repetitions(set, op, backend string) []repetition {
	var all []repetition
	for number, r := range c.sets[set] {
		r.Cases = slices.DeleteFunc(slices.Clone(r.Cases), func(tc records.Case) bool {
			found, ok := opOf(tc, backend)
			return !ok || op != everything && found != op
		})
		r.Declared = -1 // a part of a file holds fewer cases than the file declares
		if len(r.Cases) > 0 {
			all = append(all, repetition{number, r})
		}
	}
	slices.SortFunc(all, func(a, b repetition) int { return strings.Compare(a.number, b.number) })
	return all
}

// verdict compares the repetitions as rounds, on the configs that all of them
// measured: sets and sittings may be of different size.
func verdict(candidate, reference []repetition, backend string) perf.Verdict {
	measured := map[string]int{}
	for _, r := range slices.Concat(candidate, reference) {
		for _, tc := range r.report.Cases {
			measured[tc.ID()]++
		}
	}
	shared := func(r records.Report) records.Report {
		r.Cases = slices.DeleteFunc(slices.Clone(r.Cases), func(tc records.Case) bool {
			return measured[tc.ID()] < len(candidate)+len(reference)
		})
		return r
	}
	var files []perf.File
	for i := range candidate {
		files = append(files,
			perf.File{Report: shared(candidate[i].report), Side: perf.CandidateOnly},
			perf.File{Report: shared(reference[i].report), Side: perf.ReferenceOnly})
	}
	one := job.Evidence{Timing: "cupti", GPUIdentity: job.GPUIdentity{Name: "recorded", Driver: "recorded"}}
	return perf.Compare(files, []job.Evidence{one}, perf.Options{Candidate: backend, Reference: backend})
}

// worstConfig is the largest ratio of a single config.
func worstConfig(v perf.Verdict) float64 {
	worst := 0.0
	for _, c := range v.Configs {
		if c.Ratio != nil {
			worst = max(worst, *c.Ratio)
		}
	}
	return worst
}

// anyConfigLimit is the rule that a verdict is set beside.
const anyConfigLimit = 1.05

// plan measures two rounds and goes on while the verdict asks for more, as the
// runner does; at most limit rounds.
func plan(candidate, reference []repetition, backend string, limit int) (v perf.Verdict, rounds int) {
	rounds = min(2, len(candidate))
	for {
		v = verdict(candidate[:rounds], reference[:rounds], backend)
		if v.MoreRounds == 0 || rounds >= min(limit, len(candidate)) {
			return v, rounds
		}
		rounds = min(rounds+v.MoreRounds, limit, len(candidate))
	}
}

// geomean is the verdict's ratio, NaN without a verdict on times.
func geomean(v perf.Verdict) float64 {
	if v.GeomeanRatio == nil {
		return math.NaN()
	}
	return *v.GeomeanRatio
}

// tally counts verdicts. One that is BLOCKED is neither red nor green.
type tally struct{ compared, red, blocked, anyConfig int }

func (t *tally) add(v perf.Verdict) {
	t.compared++
	switch v.Verdict {
	case perf.Investigate:
		t.red++
	case perf.Blocked:
		t.blocked++
	}
	if worstConfig(v) > anyConfigLimit {
		t.anyConfig++
	}
}

func (t tally) String() string {
	text := fmt.Sprintf("%d of %d / %d", t.red, t.compared, t.anyConfig)
	if t.blocked > 0 {
		text += fmt.Sprintf(" (%d BLOCKED)", t.blocked)
	}
	return text
}

// equalCode is what was said of one op against itself. Index k of rounds counts
// comparisons of k+1 rounds; the two sides of one share no repetition.
type equalCode struct {
	card, op                      string
	configs, twoSpeed             int
	repetitions                   int
	rounds                        [3]tally
	plan                          tally
	asked                         int     // rounds that the plan measured, in total
	worst, worstOne               float64 // largest geomean, and largest ratio of one config, of single rounds
	changedLaunches, launchCounts int     // comparisons of single rounds
}

// change is what was said of one op in one set of changed code.
type change struct {
	card, set, op string
	configs       int
	repetitions   int
	pooled        float64 // geometric mean of all pairs of equal number
	single        tally   // one verdict a repetition
	plan          tally   // windows of three repetitions that follow each other
	launches      int     // repetitions with a config whose launch count changed
}

func judge(cards []card, backend string) (equal []equalCode, changes []change) {
	for _, c := range cards {
		for _, op := range c.ops(base, backend) {
			if reps := c.repetitions(base, op, backend); len(reps) > 1 {
				equal = append(equal, judgeEqual(c, op, backend, reps))
			}
		}
		for _, set := range sortedSets(c) {
			for _, op := range c.ops(set, backend) {
				if ch, ok := judgeChange(c, set, op, backend); ok {
					changes = append(changes, ch)
				}
			}
		}
	}
	return equal, changes
}

func sortedSets(c card) []string {
	var sets []string
	for set := range c.sets {
		if set != base {
			sets = append(sets, set)
		}
	}
	slices.Sort(sets)
	return sets
}

func judgeEqual(c card, op, backend string, reps []repetition) equalCode {
	e := equalCode{card: filepath.Base(c.dir), op: op, repetitions: len(reps)}
	for i := range reps {
		for j := range reps {
			if i == j {
				continue
			}
			v := verdict(reps[i:i+1], reps[j:j+1], backend)
			e.rounds[0].add(v)
			e.configs = max(e.configs, len(v.Configs))
			e.worst = max(e.worst, geomean(v))
			e.worstOne = max(e.worstOne, worstConfig(v))
			e.launchCounts++
			if launchesChanged(v) {
				e.changedLaunches++
			}
		}
	}
	for i := range reps {
		noisy := 0
		for _, config := range verdict(reps[i:i+1], reps[i:i+1], backend).Configs {
			if config.RelStd != nil && *config.RelStd >= 5 {
				noisy++
			}
		}
		e.twoSpeed = max(e.twoSpeed, noisy)
	}
	// Candidate and reference of a window alternate, as in a real measurement.
	for k := 2; k <= 3; k++ {
		for i := 0; i+2*k <= len(reps); i++ {
			a, b := alternate(reps[i : i+2*k])
			e.rounds[k-1].add(verdict(a, b, backend))
			e.rounds[k-1].add(verdict(b, a, backend))
		}
	}
	const limit = 6
	for i := 0; i+2*limit <= len(reps); i++ {
		a, b := alternate(reps[i : i+2*limit])
		for _, sides := range [][2][]repetition{{a, b}, {b, a}} {
			v, rounds := plan(sides[0], sides[1], backend, limit)
			e.plan.add(v)
			e.asked += rounds
		}
	}
	return e
}

func alternate(reps []repetition) (a, b []repetition) {
	for i, r := range reps {
		if i%2 == 0 {
			a = append(a, r)
		} else {
			b = append(b, r)
		}
	}
	return a, b
}

func launchesChanged(v perf.Verdict) bool {
	return slices.ContainsFunc(v.Configs, func(c perf.Config) bool {
		return c.Launches.Candidate != nil && c.Launches.Reference != nil && *c.Launches.Candidate != *c.Launches.Reference
	})
}

func judgeChange(c card, set, op, backend string) (change, bool) {
	byNumber := map[string]repetition{}
	for _, r := range c.repetitions(base, op, backend) {
		byNumber[r.number] = r
	}
	var changed, plain []repetition
	for _, r := range c.repetitions(set, op, backend) {
		if b, ok := byNumber[r.number]; ok {
			changed, plain = append(changed, r), append(plain, b)
		}
	}
	ch := change{card: filepath.Base(c.dir), set: set, op: op, repetitions: len(changed)}
	if len(changed) == 0 {
		return ch, false
	}
	logs := 0.0
	for i := range changed {
		v := verdict(changed[i:i+1], plain[i:i+1], backend)
		ch.single.add(v)
		ch.configs = len(v.Configs)
		logs += math.Log(geomean(v))
		if launchesChanged(v) {
			ch.launches++
		}
	}
	ch.pooled = math.Exp(logs / float64(len(changed)))
	for i := 0; i+3 <= len(changed); i++ {
		v, _ := plan(changed[i:i+3], plain[i:i+3], backend, 3)
		ch.plan.add(v)
	}
	return ch, true
}
