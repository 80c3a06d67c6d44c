// Package mechanism invents perf records from causes: a clock that warms up, a
// tuner that picks by noisy timings, a neighbour on the card, iterations of two
// speeds. It makes every iteration and reports what torch's timer would report
// of them. How strong each cause is was chosen before the estimator was written,
// from what real runs show, with a margin above it, and knows nothing of how the
// records are judged.
package mechanism

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tilegate/tilegate/checks/perf/sim"
)

// Generator is the generator of this package.
type Generator struct{}

var _ sim.Generator = Generator{}

// Name of the generator.
func (Generator) Name() string { return "mechanism" }

// scenarios says how each kind of pull request draws its causes. Shares and
// factors are fractions: 0.01 is one percent.
var scenarios = []struct {
	name string
	draw func(*rand.Rand, *causes)
}{
	// What most kernels of a card that is left alone show.
	{"quiet", func(*rand.Rand, *causes) {}},
	// Rare slow runs whose size has no natural scale.
	{"heavy-tails", heavyTails},
	// The card warms up or its clock steps from round to round; both sides of a
	// round see the same.
	{"drift-common", driftCommon},
	// The clock moves from process to process, so the two sides of a round
	// differ; now and then a process is throttled.
	{"drift-sides", driftSides},
	// Iterations lie in two groups and the median falls into one or the other.
	{"two-speed", twoSpeed},
	// Each process tunes for itself and does not always find the best.
	{"autotune", autotune},
	// Another process uses the card in bursts.
	{"contention", contention},
	// One side is far noisier than the other.
	{"unequal-noise", unequal},
	// Each of the above with even chance, all in one pull request.
	{"mixed", func(r *rand.Rand, c *causes) {
		for _, draw := range []func(*rand.Rand, *causes){
			heavyTails, driftCommon, driftSides, twoSpeed, autotune, contention, unequal,
		} {
			if r.Float64() < 0.5 {
				draw(r, c)
			}
		}
	}},
}

// causes of noise in one pull request. Index 0 is the candidate's side where a
// cause knows sides.
type causes struct {
	runSD        [2]float64 // sd of the log of a run's level, either direction
	interference [2]float64 // mean of what only ever slows a run, exponential
	processSD    float64    // sd of the log of what all configs of a process share

	tailShare, tailScale, tailShape float64 // Pareto slow-downs of a run

	warmRound, warmProcess       float64 // time lost from cold to warm
	warmRounds, warmProcesses    float64 // after how many of them it is 63 % there
	clockStepRound, clockStepRun float64 // sd of the clock's random walk
	throttleShare                float64 // share of processes that are throttled

	twoSpeedShare float64 // share of configs whose iterations have two speeds

	tunedShare, tunerSD float64 // share of tuned configs, error of one timing of the tuner

	burstShare, burstLength float64 // chance that a burst begins at a config, configs that it lasts
}

func heavyTails(r *rand.Rand, c *causes) {
	sd := between(r, 0.002, 0.008)
	c.runSD = [2]float64{sd, sd}
	c.tailShare, c.tailScale, c.tailShape = between(r, 0.02, 0.06), 0.01, 1.2
}

func driftCommon(r *rand.Rand, c *causes) {
	c.warmRound, c.warmRounds = between(r, 0, 0.06), between(r, 0.5, 4)
	c.clockStepRound = between(r, 0, 0.01)
}

func driftSides(r *rand.Rand, c *causes) {
	c.warmProcess, c.warmProcesses = between(r, 0, 0.04), between(r, 2, 10)
	c.clockStepRun = between(r, 0, 0.003)
	c.processSD = between(r, 0.001, 0.005)
	c.throttleShare = 0.06
}

func twoSpeed(r *rand.Rand, c *causes) { c.twoSpeedShare = between(r, 0.2, 0.7) }

func autotune(r *rand.Rand, c *causes) {
	c.tunedShare, c.tunerSD = between(r, 0.2, 0.7), between(r, 0.03, 0.15)
}

func contention(r *rand.Rand, c *causes) {
	c.burstShare, c.burstLength = between(r, 0.02, 0.06), between(r, 1, 3)
}

func unequal(r *rand.Rand, c *causes) {
	side := r.IntN(2)
	c.runSD[side] = between(r, 0.005, 0.012)
	c.interference[side] = between(r, 0.01, 0.03)
}

// Scenarios names the kinds of pull requests that the generator knows.
func (Generator) Scenarios() []string {
	names := make([]string, len(scenarios))
	for i, s := range scenarios {
		names[i] = s.name
	}
	return names
}

// Trial starts a pull request. It panics on a scenario that Scenarios does not
// name.
func (Generator) Trial(scenario string, seed uint64, slowdown float64) sim.Trial {
	name := fnv.New64a()
	name.Write([]byte(scenario))
	r := rand.New(rand.NewPCG(seed, name.Sum64()))
	sd := between(r, 0.0002, 0.0015)
	c := causes{runSD: [2]float64{sd, sd}}
	for _, s := range scenarios {
		if s.name == scenario {
			s.draw(r, &c)
			return newTrial(r, c, slowdown)
		}
	}
	panic(fmt.Sprintf("mechanism: no scenario %q", scenario))
}

// config is one shape of the benchmark.
type config struct {
	name   string
	ms     float64   // time of the reference, undisturbed
	jitter float64   // sd of the log of one iteration
	slow   float64   // share of iterations in the slower group, 0 for one group
	gap    float64   // how much slower they are
	tuned  []float64 // factors of the tuner's choices, the best is 1
}

type trial struct {
	rng      *rand.Rand
	causes   causes
	slowdown float64
	configs  []config

	candidateFirst bool
	rounds         int
	processes      int
	clockRound     float64 // log of the clock's random walk
	clockRun       float64
}

func newTrial(r *rand.Rand, c causes, slowdown float64) *trial {
	t := &trial{rng: r, causes: c, slowdown: slowdown, candidateFirst: r.IntN(2) == 0}
	for i := range int(math.Round(math.Exp(between(r, math.Log(3), math.Log(24))))) {
		cfg := config{
			name:   fmt.Sprintf("config-%02d", i),
			ms:     math.Exp(between(r, math.Log(0.004), math.Log(15))),
			jitter: math.Exp(between(r, math.Log(0.002), math.Log(0.04))),
		}
		if cfg.ms > 2 { // few repetitions
			cfg.jitter = min(cfg.jitter, 0.01)
		}
		if r.Float64() < c.twoSpeedShare {
			cfg.slow, cfg.gap = between(r, 0.2, 0.48), between(r, 0.08, 0.15)
			cfg.jitter = min(cfg.jitter, 0.01)
		}
		if r.Float64() < c.tunedShare {
			cfg.ms = min(cfg.ms, between(r, 0.004, 0.05))
			cfg.tuned = []float64{1}
			for range 2 + r.IntN(4) {
				cfg.tuned = append(cfg.tuned, 1+0.1*r.ExpFloat64())
			}
		}
		t.configs = append(t.configs, cfg)
	}
	return t
}

// Truth is the slowdown: it holds for every config.
func (t *trial) Truth() float64 { return t.slowdown }

// Round measures both sides, each in a process of its own; which comes first
// alternates.
func (t *trial) Round() sim.Round {
	var round sim.Round
	if t.rounds > 0 {
		t.clockRound += t.causes.clockStepRound * t.rng.NormFloat64()
	}
	candidateFirst := t.candidateFirst == (t.rounds%2 == 0)
	if candidateFirst {
		round.Candidate = t.process(0, t.slowdown)
	}
	round.Reference = t.process(1, 1)
	if !candidateFirst {
		round.Candidate = t.process(0, t.slowdown)
	}
	t.rounds++
	return round
}

// process measures every config once on one side.
func (t *trial) process(side int, factor float64) []sim.Sample {
	c, r := t.causes, t.rng
	if t.processes > 0 {
		t.clockRun += c.clockStepRun * r.NormFloat64()
	}
	level := factor * math.Exp(t.clockRound+t.clockRun+c.processSD*r.NormFloat64())
	if c.warmRound > 0 {
		level *= 1 + c.warmRound*(1-math.Exp(-float64(t.rounds)/c.warmRounds))
	}
	if c.warmProcess > 0 {
		level *= 1 + c.warmProcess*(1-math.Exp(-float64(t.processes)/c.warmProcesses))
	}
	t.processes++
	throttledFrom, throttle := len(t.configs), 1.0
	if r.Float64() < c.throttleShare {
		throttledFrom, throttle = r.IntN(len(t.configs)), between(r, 1.05, 1.25)
	}
	samples := make([]sim.Sample, len(t.configs))
	burst, burstFactor, burstShare := 0, 1.0, 0.0
	for i, cfg := range t.configs {
		run := level
		if i >= throttledFrom {
			run *= throttle
		}
		if burst > 0 {
			burst--
		} else if r.Float64() < c.burstShare {
			burst = int(c.burstLength * r.ExpFloat64())
			burstFactor, burstShare = 1+min(0.3*r.ExpFloat64(), 1.5), between(r, 0.3, 1)
		} else {
			burstShare = 0
		}
		run *= math.Exp(c.runSD[side] * r.NormFloat64())
		run *= 1 + c.interference[side]*r.ExpFloat64()
		if r.Float64() < c.tailShare {
			run *= min(1+c.tailScale*math.Pow(1-r.Float64(), -1/c.tailShape), 2)
		}
		run *= pick(r, cfg.tuned, c.tunerSD)
		samples[i] = measure(r, cfg, run, burstShare, burstFactor)
	}
	return samples
}

// pick is what a tuner takes that times each choice once.
func pick(r *rand.Rand, choices []float64, sd float64) float64 {
	best, bestTime := 1.0, math.Inf(1)
	for _, choice := range choices {
		if seen := choice * math.Exp(sd*r.NormFloat64()); seen < bestTime {
			best, bestTime = choice, seen
		}
	}
	return best
}

// timerStep is what the card's timer counts in, 32 ns, in milliseconds.
const timerStep = 32e-6

// measure makes the iterations of one run and the record of them. Repetitions
// are what 50 ms allow, at least 2 and, so that a simulation ends, at most 80.
func measure(r *rand.Rand, cfg config, run, burstShare, burstFactor float64) sim.Sample {
	level := cfg.ms * run
	slow := cfg.slow
	if slow > 0 {
		slow = min(max(slow+0.1*r.NormFloat64(), 0), 1)
	}
	times := make([]float64, min(max(int(50/level*between(r, 0.8, 1.2)), 2), 80))
	for i := range times {
		// Iterations follow a pattern that repeats from run to run, so they spread
		// far more within a run than medians do between runs.
		z := math.Sqrt2 * math.Erfinv(2*(float64(i)+r.Float64())/float64(len(times))-1)
		times[i] = level * math.Exp(cfg.jitter*max(-4, min(z, 4)))
		if slow > 0 && r.Float64() < slow {
			times[i] *= 1 + cfg.gap
		}
		if burstShare > 0 && r.Float64() < burstShare {
			times[i] *= burstFactor
		}
		times[i] = math.Round(times[i]/timerStep) * timerStep
	}
	slices.Sort(times)
	var sum, squares float64
	for _, ms := range times {
		sum += ms
	}
	mean := sum / float64(len(times))
	for _, ms := range times {
		squares += (ms - mean) * (ms - mean)
	}
	return sim.Sample{
		Config: cfg.name,
		Median: times[(len(times)-1)/2],
		Mean:   mean,
		Min:    times[0],
		Max:    times[len(times)-1],
		RelStd: 100 * math.Sqrt(squares/float64(len(times)-1)) / mean,
		NRep:   len(times), Launches: 1,
	}
}

func between(r *rand.Rand, low, high float64) float64 { return low + (high-low)*r.Float64() }
