package mechanism

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/perf/sim"
)

func TestEqualArgumentsGiveEqualRecords(t *testing.T) {
	for _, scenario := range (Generator{}).Scenarios() {
		a, b := (Generator{}).Trial(scenario, 7, 1.07), (Generator{}).Trial(scenario, 7, 1.07)
		other := (Generator{}).Trial(scenario, 8, 1.07)
		for range 3 {
			round := a.Round()
			assert.Equal(t, round, b.Round(), scenario)
			assert.NotEqual(t, round, other.Round(), scenario)
		}
		assert.Equal(t, 1.07, a.Truth())
	}
	assert.Panics(t, func() { (Generator{}).Trial("none", 1, 1) })
}

// What a round must be so that it could come from a real run.
func TestRecordsAreWhatATimerReports(t *testing.T) {
	for _, scenario := range (Generator{}).Scenarios() {
		for i := range 50 {
			round := (Generator{}).Trial(scenario, sim.Seed(i), 1.1).Round()
			require.Len(t, round.Candidate, len(round.Reference))
			for j, c := range round.Candidate {
				assert.Equal(t, c.Config, round.Reference[j].Config)
				assert.True(t, 0 < c.Min && c.Min <= c.Median && c.Median <= c.Max, "%s: %+v", scenario, c)
				assert.True(t, c.Min <= c.Mean && c.Mean <= c.Max)
				assert.GreaterOrEqual(t, c.NRep, 2)
				assert.False(t, math.IsNaN(c.RelStd))
			}
		}
	}
}

// spread is the sd of the log of a config's medians over many processes, in
// percent, and the share of configs with a rel_std of at least 5.
func spread(scenario string) (median, worst, wide float64) {
	var all []float64
	configs, wideConfigs := 0, 0
	for i := range 40 {
		trial := (Generator{}).Trial(scenario, sim.Seed(i), 1)
		logs := map[string][]float64{}
		rel := map[string]float64{}
		for range 15 {
			for _, s := range trial.Round().Reference {
				logs[s.Config] = append(logs[s.Config], math.Log(s.Median))
				rel[s.Config] += s.RelStd / 15
			}
		}
		for name, l := range logs {
			var sum, squares float64
			for _, v := range l {
				sum += v
			}
			for _, v := range l {
				squares += math.Pow(v-sum/float64(len(l)), 2)
			}
			all = append(all, 100*math.Sqrt(squares/float64(len(l)-1)))
			configs++
			if rel[name] >= 5 {
				wideConfigs++
			}
		}
	}
	for _, v := range all {
		median += v / float64(len(all))
		worst = max(worst, v)
	}
	return median, worst, float64(wideConfigs) / float64(configs)
}

// The strength of the causes against what was measured on a card: without a
// cause medians move by some tenths of a percent at most, two speeds by up to
// about 5 % with a wide spread inside a run, a tuner by more than 10 %.
func TestCausesAreAsStrongAsMeasured(t *testing.T) {
	mean, worst, wide := spread("quiet")
	t.Logf("quiet: mean %.2f %%, worst %.2f %%, wide %.2f", mean, worst, wide)
	assert.Less(t, mean, 0.3)
	assert.Less(t, worst, 1.5)
	assert.Less(t, wide, 0.05)
	mean, worst, wide = spread("two-speed")
	t.Logf("two-speed: mean %.2f %%, worst %.2f %%, wide %.2f", mean, worst, wide)
	assert.Greater(t, worst, 4.0)
	assert.Less(t, worst, 9.0)
	assert.Greater(t, wide, 0.1)
	for _, scenario := range []string{"heavy-tails", "autotune", "contention"} {
		mean, worst, wide = spread(scenario)
		t.Logf("%s: mean %.2f %%, worst %.2f %%, wide %.2f", scenario, mean, worst, wide)
		assert.Greater(t, worst, 8.0, scenario)
	}
	for _, scenario := range []string{"drift-common", "drift-sides", "unequal-noise", "mixed"} {
		mean, worst, wide = spread(scenario)
		t.Logf("%s: mean %.2f %%, worst %.2f %%, wide %.2f", scenario, mean, worst, wide)
		assert.Greater(t, worst, 1.5, scenario)
	}
}
