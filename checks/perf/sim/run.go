package sim

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/perf"
	"github.com/tilegate/tilegate/checks/records"
)

// Plan bounds the rounds of a pull request.
type Plan struct{ Min, Max int }

// AppPlan is what the App asks of a runner by default.
var AppPlan = Plan{Min: 2, Max: perf.DefaultMaxRounds}

// Outcome is how one simulated pull request ended.
type Outcome struct {
	perf.Verdict
	Truth float64
}

// Covered reports whether the verdict's interval holds the true ratio; it must
// have one.
func (o Outcome) Covered() bool {
	return o.Confidence.Low <= o.Truth && o.Truth <= o.Confidence.High
}

// Measure runs one pull request as a runner does: it measures the least number
// of rounds and one more for as long as the verdict asks for more.
func Measure(t Trial, p Plan) Outcome {
	var files []perf.File
	for n := 1; ; n++ {
		round := t.Round()
		name := strconv.Itoa(n)
		files = append(files,
			perf.File{Report: report("candidate-"+name, candidate, round.Candidate), Side: perf.CandidateOnly},
			perf.File{Report: report("reference-"+name, reference, round.Reference), Side: perf.ReferenceOnly})
		if n < p.Min {
			continue
		}
		v := perf.Compare(files, []job.Evidence{evidence}, perf.Options{Candidate: candidate, Reference: reference, MaxRounds: p.Max})
		if v.MoreRounds == 0 || n >= p.Max {
			return Outcome{v, t.Truth()}
		}
	}
}

const candidate, reference = "cutile-rs", "cutile"

var evidence = job.Evidence{
	Candidate: candidate, Reference: reference, Timing: "cupti",
	GPUIdentity: job.GPUIdentity{Name: "simulated", UUID: "simulated", Driver: "1", ComputeCapability: "9.0"},
}

// report is one side of a round as the harness records it, read like a real one.
func report(name, backend string, samples []Sample) records.Report {
	spelled := strings.ReplaceAll(backend, "-", "_")
	var b bytes.Buffer
	fmt.Fprintf(&b, `<testsuites><testsuite tests="%d">`, len(samples))
	for _, s := range samples {
		fmt.Fprintf(&b, `<testcase classname="tests.ops.test_simulated.Test_Simulated" name="test_perf[%s-%s]"><properties><property name="benchmark" value="`, spelled, s.Config)
		fmt.Fprintf(&b, "{'%s': {'forward': {'mean': %v, 'rel_std': %v, 'median': %v, 'min': %v, 'max': %v, 'nrep': %d, 'kernel_times': [{'name': 'simulated_entry', 'self_time_us': %v, 'count': %d}]}}}",
			backend, s.Mean, s.RelStd, s.Median, s.Min, s.Max, s.NRep, 1000*s.Median, s.Launches)
		b.WriteString(`" /></properties></testcase>`)
	}
	b.WriteString(`</testsuite></testsuites>`)
	return records.ReadJUnit(name+".xml", &b)
}

// Cell counts what came out of the pull requests of one scenario and one true
// slowdown.
type Cell struct {
	Generator, Scenario string
	Slowdown            float64
	Trials              int
	Red                 int     // INVESTIGATE
	Green               int     // DONE
	Borderline          int     // red or green, and marked borderline
	Rounds              int     // of all trials together
	Intervals, Covered  int     // intervals reported, and of these the ones that hold the truth
	Width               float64 // sum of the intervals' widths, high over low minus 1
}

// Run simulates the first trials pull requests of a scenario. Trials run in
// parallel; the counts do not depend on it.
func Run(g Generator, scenario string, slowdown float64, trials int, p Plan) Cell {
	outcomes := make([]Outcome, trials)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < trials; i = int(next.Add(1)) - 1 {
				o := Measure(g.Trial(scenario, Seed(i), slowdown), p)
				o.Configs = nil // only the counts are kept
				outcomes[i] = o
			}
		})
	}
	wg.Wait()
	c := Cell{Generator: g.Name(), Scenario: scenario, Slowdown: slowdown, Trials: trials}
	for _, o := range outcomes {
		c.Rounds += o.Rounds
		switch o.Verdict.Verdict {
		case perf.Investigate:
			c.Red++
		case perf.Done:
			c.Green++
		}
		if o.Borderline {
			c.Borderline++
		}
		if o.Confidence != nil {
			c.Intervals++
			c.Width += o.Confidence.High/o.Confidence.Low - 1
			if o.Covered() {
				c.Covered++
			}
		}
	}
	return c
}
