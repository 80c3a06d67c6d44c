package perf

import (
	"fmt"
	"math"
	"slices"

	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/words"
)

// What the interval allows for besides the scatter of the rounds.
const (
	// twoSpeedRelStd is the spread inside one run, in percent, from which configs
	// were seen to flip their median between two speeds.
	twoSpeedRelStd = 5
	// gapsBelow is how far below the lowest of a side's medians its undisturbed time
	// may lie, in distances of the lowest from the second lowest. The mean distance
	// is one where noise only adds; half of one more is for few configs.
	gapsBelow = 1.5
	// timerStep is the step of the GPU's clock in milliseconds: medians of short
	// kernels repeat to the digit and are still off by up to half of it.
	timerStep = 32e-6
	// repeatable is the relative scatter between processes that a median of equal
	// code shows on a quiet card, at most.
	repeatable = 0.001
	// acrossCards is the relative difference of equal code on two cards of a model.
	acrossCards = 0.01
	// disturbedRelStd is the spread inside one run, in percent, that half of the
	// configs of a side show only beside other work on the card.
	disturbedRelStd = 10
)

// reading is what the rounds say about the geometric mean ratio of the matched
// configs. Values are natural logarithms of ratios.
type reading struct {
	rounds int
	lowest float64 // from each side's lowest medians: the ratio of the verdict
	mean   float64 // of the rounds' geometric means
	std    float64 // of the same, NaN with one round
	least  float64 // as lowest, with the lowest minimum where a config has two speeds

	below, above float64 // how far the ratio may lie from lowest, from the gaps
	extra        float64 // half-width for the timer's step and for what rounds do not show

	perRound  []float64
	common    []float64 // level of each round, both sides and all configs, from the first
	twoSpeeds int       // configs with the sign of two speeds
	unclear   string    // why no interval would hold, else ""
}

// read takes the readings of at least one matched config over k rounds.
func read(ms []matched, k int) reading {
	r := reading{rounds: k, std: math.NaN(), perRound: make([]float64, k), common: make([]float64, k)}
	n := float64(len(ms))
	for _, m := range ms {
		for i := range k {
			r.perRound[i] += (m.candLogs[i] - m.refLogs[i]) / n
			r.common[i] += (m.candLogs[i] + m.refLogs[i]) / (2 * n)
		}
	}
	r.mean, r.std = meanStd(r.perRound)
	step := 0.0
	for _, m := range ms {
		ratio := m.logRatio()
		r.lowest += ratio / n
		if m.twoSpeeds() {
			r.twoSpeeds++
			ratio = math.Log(m.cand.lowest(minimum)) - math.Log(m.ref.lowest(minimum))
			if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
				r.unclear = fmt.Sprintf("%s may run at two speeds (rel_std %s) and its records lack the minimum that would tell them apart", m.name, percent(m.relStd))
			}
		}
		r.least += ratio / n
		step += timerStep * timerStep / 12 * (1/(m.candMS*m.candMS) + 1/(m.refMS*m.refMS)) / (n * n)
		if k > 1 {
			r.below += gapsBelow * gap(m.candLogs, r.common) / n
			r.above += gapsBelow * gap(m.refLogs, r.common) / n
		}
	}
	r.extra = math.Sqrt(repeatable*repeatable + 4*step)
	for i := k - 1; i >= 0; i-- {
		r.common[i] -= r.common[0]
	}
	return r
}

// gap is the distance of the lowest from the second lowest value, after taking
// from each round what it has in common with all others.
func gap(logs, common []float64) float64 {
	first, second := math.Inf(1), math.Inf(1)
	for i, v := range logs {
		if v -= common[i]; v < first {
			first, second = v, first
		} else {
			second = min(second, v)
		}
	}
	return second - first
}

func minimum(m records.Measurement) float64 { return m.Min }

// twoSpeeds reports whether some run of the config has the spread of two speeds.
func (m matched) twoSpeeds() bool { return m.relStd >= twoSpeedRelStd }

// interval is the interval of the logarithm of the ratio after some more rounds
// that scatter as those before; none are more rounds of equal mean. ok is false
// where no interval would hold.
func (r reading) interval(more int) (low, high float64, ok bool) {
	k := r.rounds + more
	if r.rounds < 2 || r.unclear != "" {
		return 0, 0, false
	}
	half := studentQuantile(confidenceLevel, k-1) * r.std / math.Sqrt(float64(k))
	// The gap of k values of noise that only adds is on average 1/(k-1) of the noise.
	shrink := float64(r.rounds-1) / float64(k-1)
	low = min(r.mean-half, r.lowest-r.below*shrink, r.least) - r.extra
	high = max(r.mean+half, r.lowest+r.above*shrink, r.least) + r.extra
	return low, high, true
}

// widened says what made the interval wider than the rounds' own scatter, "" when
// nothing did.
func (r reading) widened() string {
	low, high, ok := r.interval(0)
	half := r.extra + studentQuantile(confidenceLevel, r.rounds-1)*r.std/math.Sqrt(float64(r.rounds))
	switch {
	case !ok || low >= r.mean-half && high <= r.mean+half:
		return ""
	case r.twoSpeeds > 0 && (r.least-r.extra <= low || r.least+r.extra >= high):
		return "widened for " + words.Count(r.twoSpeeds, "config") + " with the spread of two speeds"
	}
	return "widened to what the lowest medians allow"
}

// more is how many more rounds would decide between the bands, up to a budget:
// the budget when none within it would.
func (r reading) more(budget int, threshold float64) int {
	for n := range budget {
		low, high, _ := r.interval(n + 1)
		if sameBand(low, high, threshold) {
			return n + 1
		}
	}
	return budget
}

func sameBand(lowLog, highLog, threshold float64) bool {
	return Severity(math.Exp(lowLog), threshold) == Severity(math.Exp(highLog), threshold)
}

// disturbed reports whether the card was not the test's own: in every round at
// least half of the configs of one side vary that much inside a run.
func disturbed(ms []matched, k int) bool {
	for i := range k {
		cand, ref := 0, 0
		for _, m := range ms {
			if m.cand.obs[i].ms.RelStd >= disturbedRelStd {
				cand++
			}
			if m.ref.obs[i].ms.RelStd >= disturbedRelStd {
				ref++
			}
		}
		if 2*max(cand, ref) < len(ms) {
			return false
		}
	}
	return k > 0 && len(ms) > 0
}

// noteworthy are the differences between rounds, in ratio, that are said.
const noteworthy = 0.02

// notes says what the rounds show of clocks, neighbours and noise.
func (r reading) notes(limit float64) []string {
	var notes []string
	if r.rounds < 2 {
		return nil
	}
	low, high := slices.Min(r.common), slices.Max(r.common)
	if high-low > noteworthy {
		notes = append(notes, fmt.Sprintf("round %d was %.1f %% slower than round %d on both sides: the clock changed, or something else used the card",
			1+slices.Index(r.common, high), 100*(math.Exp(high-low)-1), 1+slices.Index(r.common, low)))
	}
	if low, high := slices.Min(r.perRound), slices.Max(r.perRound); high-low > noteworthy {
		between := fmt.Sprintf("their geomeans lie between %s and %s", FormatRatio(math.Exp(low), limit), FormatRatio(math.Exp(high), limit))
		if sameBand(low, high, limit) {
			notes = append(notes, fmt.Sprintf("the rounds spread by %.1f %%: %s, with no limit between them", 100*(math.Exp(high-low)-1), between))
		} else {
			notes = append(notes, "the rounds disagree: "+between+", and a limit lies between them")
		}
	}
	return notes
}
