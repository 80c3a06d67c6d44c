package recorded

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/perf/sim"
)

// TestShape holds every scenario to what a record can say.
func TestShape(t *testing.T) {
	for _, name := range (Generator{}).Scenarios() {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				trial := Generator{}.Trial(name, seed, 1.1)
				require.Equal(t, 1.1, trial.Truth())
				var names []string
				for range 3 {
					round := trial.Round()
					require.Len(t, round.Candidate, len(round.Reference))
					require.True(t, 2 <= len(round.Candidate) && len(round.Candidate) <= 20)
					var configs []string
					for i, s := range round.Candidate {
						require.Equal(t, s.Config, round.Reference[i].Config)
						require.Equal(t, s.Launches, round.Reference[i].Launches)
						configs = append(configs, s.Config)
					}
					if names == nil {
						names = configs
						require.Len(t, slices.Compact(slices.Sorted(slices.Values(configs))), len(configs), "a name twice")
					}
					require.Equal(t, names, configs)
					for _, s := range slices.Concat(round.Candidate, round.Reference) {
						require.True(t, 0 < s.Min && s.Min <= s.Median && s.Median <= s.Max, "%+v", s)
						require.True(t, s.Min <= s.Mean*(1+1e-12) && s.Mean <= s.Max*(1+1e-12), "%+v", s)
						require.True(t, s.RelStd >= 0 && s.NRep >= 2 && s.Launches >= 1, "%+v", s)
						for _, v := range []float64{s.Min, s.Median, s.Max} {
							require.InDelta(t, math.Round(v/tick), v/tick, 1e-6)
						}
					}
				}
			}
		})
	}
}

func TestDeterministic(t *testing.T) {
	for _, name := range (Generator{}).Scenarios() {
		a, b := Generator{}.Trial(name, 7, 1.03), Generator{}.Trial(name, 7, 1.03)
		other := Generator{}.Trial(name, 8, 1.03)
		for range 4 {
			// In turns: trials share nothing.
			round := a.Round()
			assert.NotEqual(t, round, other.Round(), name)
			assert.Equal(t, round, b.Round(), name)
		}
	}
}

// TestSlowdown: the candidate's noise is the same at every slowdown, each of its
// times longer by that factor up to a tick; the reference does not change. Beside a
// neighbour longer iterations meet other bursts.
func TestSlowdown(t *testing.T) {
	for _, name := range []string{"quiet", "two-speed", "few-repetitions", "tiny-autotuned", "contended", "drift", "unequal"} {
		equal, slower := Generator{}.Trial(name, 3, 1), Generator{}.Trial(name, 3, 1.25)
		for range 3 {
			e, s := equal.Round(), slower.Round()
			require.Equal(t, e.Reference, s.Reference, name)
			for i := range e.Candidate {
				a, b := e.Candidate[i], s.Candidate[i]
				require.Equal(t, a.NRep, b.NRep)
				for _, of := range []func(sim.Sample) float64{medianOf, meanOf, minOf} {
					require.InDelta(t, 1.25*of(a), of(b), 1.2*tick, name)
				}
			}
		}
	}
}

func TestFewRepetitions(t *testing.T) {
	two := 0
	for _, s := range (Generator{}).Trial("few-repetitions", 1, 1).Round().Candidate {
		if s.NRep == 2 {
			two++
			assert.Equal(t, s.Min, s.Median)
			assert.Less(t, s.Median, s.Mean)
			assert.InEpsilon(t, 100*(s.Max-s.Min)/math.Sqrt2/s.Mean, s.RelStd, 1e-6)
		}
	}
	assert.Equal(t, 4, two)
}

// TestDrift: both sides drift together, by about 1 % in six rounds, while the ratio
// of neighbouring sides moves by a tenth of that.
func TestDrift(t *testing.T) {
	var far, near []float64
	for seed := range uint64(500) {
		trial := Generator{}.Trial("drift", seed, 1)
		first := trial.Round()
		var last sim.Round
		for range 5 {
			last = trial.Round()
		}
		// A config that is steady otherwise.
		require.Equal(t, "rms-triton-"+narrowRMS, first.Reference[1].Config)
		far = append(far, 100*math.Log(last.Candidate[1].Median/first.Reference[1].Median))
		near = append(near, 100*math.Log(last.Candidate[1].Median/last.Reference[1].Median))
	}
	_, drifted := spread(far)
	_, between := spread(near)
	t.Logf("over six rounds %.3f %%, from side to side %.3f %%", drifted, between)
	assert.InDelta(t, 0.7, drifted, 0.2)
	assert.InDelta(t, 0.12, between, 0.03)
}

// TestUnequal: one side spreads more and has at least as many configs that flip,
// either side in about half of the trials; the best states are those of the other.
func TestUnequal(t *testing.T) {
	candidates, trials := 0, 300
	for seed := range uint64(trials) {
		trial := Generator{}.Trial("unequal", seed, 1).(*trial)
		var noise [2]float64
		flips := [2]int{}
		for side, configs := range [][]config{trial.candidate, trial.reference} {
			for i, c := range configs {
				require.Equal(t, trial.reference[i].ms, c.ms, "the best state")
				noise[side] += c.core
				if c.flips {
					flips[side]++
				}
			}
		}
		require.NotEqual(t, noise[0], noise[1])
		if noise[0] > noise[1] {
			candidates++
			require.GreaterOrEqual(t, flips[0], flips[1])
		}
	}
	assert.InDelta(t, 0.5, float64(candidates)/float64(trials), 0.1)
}

// TestMixed: the trials of the mixed scenario differ in scale, repetitions and in
// what surrounds them.
func TestMixed(t *testing.T) {
	around := map[conditions]int{}
	shortest, longest, few := math.Inf(1), 0.0, 0
	for seed := range uint64(200) {
		made := Generator{}.Trial("mixed", seed, 1).(*trial)
		around[made.around]++
		for _, c := range made.candidate {
			shortest, longest = min(shortest, c.ms), max(longest, c.ms)
			if c.nrepLo <= 3 {
				few++
			}
		}
	}
	assert.Len(t, around, 3)
	assert.Less(t, shortest, 0.005)
	assert.Greater(t, longest, 50.0)
	assert.Positive(t, few)
}

func TestLowerMedian(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 2000 {
		values := make([]float64, 1+r.IntN(40))
		for i := range values {
			values[i] = float64(r.IntN(1 + r.IntN(30))) // with ties
		}
		want := slices.Sorted(slices.Values(values))[(len(values)-1)/2]
		require.Equal(t, want, lowerMedian(values))
	}
}

func TestRefuses(t *testing.T) {
	assert.PanicsWithValue(t, `recorded: no scenario "none", expected one of quiet, pair, two-speed, suite, `+
		`few-repetitions, tiny-autotuned, bursty-rms, bursty-rope, contended, drift, unequal, mixed`,
		func() { Generator{}.Trial("none", 1, 1) })
	for _, slowdown := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		assert.Panics(t, func() { Generator{}.Trial("quiet", 1, slowdown) })
	}
}

// BenchmarkTrial is one trial of six rounds.
func BenchmarkTrial(b *testing.B) {
	for _, name := range (Generator{}).Scenarios() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for seed := uint64(0); b.Loop(); seed++ {
				trial := Generator{}.Trial(name, seed, 1)
				for range 6 {
					trial.Round()
				}
			}
		})
	}
}
