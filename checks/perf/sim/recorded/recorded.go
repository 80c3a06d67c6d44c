package recorded

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/tilegate/tilegate/checks/perf/sim"
)

// Generator invents records from recorded noise. It has no state: equal arguments
// give equal trials, also at the same time.
type Generator struct{}

var _ sim.Generator = Generator{}

// Name is the name of the generator in reports.
func (Generator) Name() string { return "recorded" }

// Scenarios names the kinds of noise. The package documentation says where each
// comes from.
//
//   - quiet: the ln, rope and dropout kernels, 10 configs that never flip
//   - pair: two dropout configs
//   - two-speed: the four rms kernels, one flips in 4 of 15 runs
//   - suite: those of quiet and two-speed
//   - few-repetitions: the pytorch side, down to 2 and 3 repetitions
//   - tiny-autotuned: five kernels of 5 us, two of them autotuned
//   - bursty-rms, bursty-rope: beside a bursty neighbour
//   - contended: seven other processes on the card
//   - drift: the suite, with all times drifting from round to round
//   - unequal: the suite, one side noisier and flipping where the other does not
//   - mixed: 20 configs of 5 us to 100 ms, drawn from all of the above, a
//     neighbour in a quarter of the trials and drift in another
func (Generator) Scenarios() []string {
	var names []string
	for _, s := range scenarios {
		names = append(names, s.name)
	}
	return names
}

// Trial starts one pull request. The noise depends on the scenario and the seed
// only, so trials of one seed with different slowdowns differ in nothing else. It
// panics on an unknown scenario and on a slowdown that is not a positive number.
func (Generator) Trial(name string, seed uint64, slowdown float64) sim.Trial {
	if !(slowdown > 0) || math.IsInf(slowdown, 1) {
		panic(fmt.Sprintf("recorded: slowdown is %v, expected a positive number", slowdown))
	}
	for _, s := range scenarios {
		if s.name == name {
			return newTrial(s, seed, slowdown)
		}
	}
	panic(fmt.Sprintf("recorded: no scenario %q, expected one of %s", name,
		strings.Join(Generator{}.Scenarios(), ", ")))
}

// conditions are what surrounds the runs of a trial.
type conditions struct{ neighbour, contended, drift bool }

type scenario struct {
	name   string
	around conditions
	// sides draws the configs of a trial, and may change the conditions.
	sides func(*rand.Rand, *conditions) (candidate, reference []config)
}

var scenarios = []scenario{
	{"quiet", conditions{}, fixed(rows("triton", "ln", "rope", "drop"))},
	{"pair", conditions{}, fixed(rows("triton", "drop"))},
	{"two-speed", conditions{}, fixed(rows("triton", "rms"))},
	{"suite", conditions{}, fixed(rows("triton"))},
	{"few-repetitions", conditions{}, fixed(rows("pytorch"))},
	{"tiny-autotuned", conditions{}, func(*rand.Rand, *conditions) ([]config, []config) {
		return same(tiny())
	}},
	{"bursty-rms", conditions{neighbour: true}, fixed(rows("triton", "rms"))},
	{"bursty-rope", conditions{neighbour: true}, fixed(rows("triton", "rope"))},
	{"contended", conditions{contended: true}, fixed(rows("pytorch", "rms", "ln"))},
	{"drift", conditions{drift: true}, fixed(rows("triton"))},
	{"unequal", conditions{}, unequal},
	{"mixed", conditions{}, mixed},
}

func same(configs []config) (candidate, reference []config) { return configs, configs }

func configs(rows []row) []config {
	out := make([]config, len(rows))
	for i, r := range rows {
		out[i] = r.config()
	}
	return out
}

func fixed(rows []row) func(*rand.Rand, *conditions) (candidate, reference []config) {
	return func(*rand.Rand, *conditions) ([]config, []config) { return same(configs(rows)) }
}

// unequal makes one side noisier: a coin says which. There a third of the configs
// has two speeds that flip in up to a quarter of the runs, the others three times
// the spread.
func unequal(r *rand.Rand, _ *conditions) (candidate, reference []config) {
	plain := configs(rows("triton"))
	noisy := append([]config(nil), plain...)
	for i := range noisy {
		c := &noisy[i]
		switch {
		case c.flips:
		case r.IntN(3) == 0:
			c.core, c.slow, c.slowSD = 0.005, uniform(r, 0.08, 0.13), 0
			c.share, c.shareSD, c.flips = uniform(r, 0.30, 0.46), 0.05, true
		default:
			c.core *= 3
			c.run *= 3
			c.slow *= 1.5
		}
	}
	if r.IntN(2) == 0 {
		return plain, noisy
	}
	return noisy, plain
}

// mixed draws 20 of all recorded configs, makes their times up to two times longer
// or shorter, and lets two-speed and autotuned ones differ from trial to trial.
func mixed(r *rand.Rand, around *conditions) (candidate, reference []config) {
	switch r.IntN(4) {
	case 0:
		around.neighbour = true
	case 1:
		around.drift = true
	}
	small := tiny()
	drawn := make([]config, 0, 20)
	for _, at := range r.Perm(len(page) + len(small))[:cap(drawn)] {
		scale := math.Exp(uniform(r, -math.Ln2, math.Ln2))
		if at >= len(page) {
			c := small[at-len(page)]
			c.ms *= math.Sqrt(scale)
			if len(c.picks) > 0 {
				middle := uniform(r, 0, 0.15)
				c.picks = []pick{{1, 0.4}, {1 + middle, 0.4}, {1 + middle + uniform(r, 0, 0.17), 0.2}}
			}
			drawn = append(drawn, c)
			continue
		}
		from := page[at]
		from.us *= scale
		// A run lasts as long as before.
		from.nrepLo = min(400, max(2, int(float64(from.nrepLo)/scale)))
		from.nrepHi = min(406, max(from.nrepLo, int(float64(from.nrepHi)/scale)))
		c := from.config()
		if c.flips {
			c.share = uniform(r, 0.3, 0.5)
		}
		drawn = append(drawn, c)
	}
	return same(drawn)
}

func uniform(r *rand.Rand, lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }

// trial measures the reference, then the candidate, in every round.
type trial struct {
	rng                  *rand.Rand
	slowdown             float64
	around               conditions
	candidate, reference []config
	scratch              []float64
	clock                float64 // what drift makes of every time
	trend                float64 // logarithm of what clock gains from one side to the next
}

func newTrial(s scenario, seed uint64, slowdown float64) *trial {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.name)) // never fails
	t := &trial{
		rng:      rand.New(rand.NewPCG(seed, h.Sum64())),
		slowdown: slowdown,
		around:   s.around,
		clock:    1,
	}
	t.candidate, t.reference = s.sides(t.rng, &t.around)
	longest := 0
	for i := range t.candidate {
		longest = max(longest, t.candidate[i].nrepHi, t.reference[i].nrepHi)
	}
	t.scratch = make([]float64, longest)
	if t.around.drift {
		t.trend = uniform(t.rng, -driftTrend, driftTrend)
	}
	return t
}

// Over the twelve sides of six rounds these add up to about 1 %.
const (
	driftTrend  = 0.001
	driftWander = 0.001
)

// Round measures every config once on both sides, each side in a process of its
// own.
func (t *trial) Round() sim.Round {
	reference := t.side(t.reference, 1)
	return sim.Round{Reference: reference, Candidate: t.side(t.candidate, t.slowdown)}
}

func (t *trial) side(configs []config, factor float64) []sim.Sample {
	if t.around.drift {
		t.clock *= math.Exp(t.trend + driftWander*t.rng.NormFloat64())
	}
	out := make([]sim.Sample, len(configs))
	for i := range configs {
		out[i] = configs[i].measure(t.rng, factor*t.clock, t.around, t.scratch)
	}
	return out
}

// Truth is the geometric mean over the configs of candidate over reference, of
// noise-free times in the best state. Both sides share the states, so it is the
// slowdown.
func (t *trial) Truth() float64 { return t.slowdown }
