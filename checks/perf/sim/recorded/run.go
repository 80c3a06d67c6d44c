package recorded

import (
	"math"
	"math/rand/v2"

	"github.com/tilegate/tilegate/checks/perf/sim"
)

// config is the model of one config on one side. Spreads are fractions.
type config struct {
	name    string
	ms      float64 // noise-free time in the best state
	run     float64 // sigma of the factor common to a run
	core    float64 // sigma of an iteration
	slow    float64 // how much slower the slow group is
	slowSD  float64 // sigma of the logarithm of slow, between runs
	share   float64 // share of iterations in the slow group
	shareSD float64 // sigma of share between runs, beside the binomial's
	flips   bool    // whether the slow group may hold the median
	picks   []pick  // what the autotuner chooses from, anew in every run

	nrepLo, nrepHi int
	launches       int
}

// pick is one choice of an autotuner; the times of the best are 1, the odds of
// all add up to 1.
type pick struct{ time, odds float64 }

const (
	tick          = 32e-6 // ms, the step of the recorded times
	perRepetition = 4.5   // ms that a repetition takes beside the kernel

	contendedTime   = 2.28 // 8.43 ms instead of 3.70
	contendedSpread = 0.19
)

// burst is a kind of load that comes and goes. Lengths are exponential, in ms;
// its slowness is uniform between lo and hi, one value for each burst.
type burst struct{ on, off, lo, hi float64 }

var (
	copies   = burst{on: 20, off: 80, lo: 0.01, hi: 0.05}
	products = burst{on: 55, off: 1100, lo: 0.15, hi: 0.60}
)

// measure is one run. Factor multiplies every iteration. Scratch must hold nrepHi
// values.
func (c *config) measure(r *rand.Rand, factor float64, around conditions, scratch []float64) sim.Sample {
	n := c.nrepLo + r.IntN(c.nrepHi-c.nrepLo+1)
	if around.contended {
		n = max(2, n/2)
	}
	base := c.ms / tick * factor * (1 + c.run*r.NormFloat64()) * c.picked(r)
	slow := c.slow
	if c.slowSD > 0 {
		slow *= math.Exp(c.slowSD * r.NormFloat64())
	}
	k := c.slowCount(r, n)
	ticks := scratch[:n]
	for i := range ticks[:k] {
		ticks[i] = base * (1 + slow) * (1 + c.core*jitter(r))
	}
	for i := range ticks[k:] {
		ticks[k+i] = base * (1 + c.core*jitter(r))
	}
	if around.neighbour {
		// In time the slow iterations are anywhere, bursts are not.
		r.Shuffle(n, func(i, j int) { ticks[i], ticks[j] = ticks[j], ticks[i] })
		copies.slow(r, ticks)
		products.slow(r, ticks)
	}
	if around.contended {
		for i := range ticks {
			ticks[i] *= max(1, contendedTime*(1+contendedSpread*r.NormFloat64()))
		}
	}
	return c.sample(ticks)
}

// jitter is triangular with mean 0 and variance 1.
func jitter(r *rand.Rand) float64 {
	u := r.Uint64()
	return (float64(u>>32) - float64(u&math.MaxUint32)) * (triangleWidth / (1 << 32))
}

// triangleWidth is half the base of the triangle of variance 1, sqrt(6).
const triangleWidth = 2.449489742783178

// triangle is the quantile of jitter, for shares of at least a half.
func triangle(share float64) float64 {
	return triangleWidth * (1 - math.Sqrt(2*(1-share)))
}

func (c *config) picked(r *rand.Rand) float64 {
	if len(c.picks) == 0 {
		return 1
	}
	left := r.Float64()
	for _, p := range c.picks {
		if left -= p.odds; left < 0 {
			return p.time
		}
	}
	return c.picks[len(c.picks)-1].time
}

// slowCount draws how many of n iterations are in the slow group.
func (c *config) slowCount(r *rand.Rand, n int) int {
	if c.share == 0 {
		return 0
	}
	share := c.share
	if c.shareSD > 0 {
		share = min(1, max(0, share+c.shareSD*r.NormFloat64()))
	}
	k := 0
	if n <= 16 {
		for range n {
			if r.Float64() < share {
				k++
			}
		}
	} else {
		mean := share * float64(n)
		k = int(math.Round(mean + math.Sqrt(mean*(1-share))*r.NormFloat64()))
	}
	if !c.flips {
		// No recorded run lacks the spread, and up to n/2 slow ones leave the lower
		// median among the others.
		return min(n/2, max(1, k))
	}
	return min(n, max(0, k))
}

// slow slows the iterations that fall into bursts.
func (b burst) slow(r *rand.Rand, ticks []float64) {
	busy := r.Float64()*(b.on+b.off) < b.on
	left, by := 0.0, 0.0
	enter := func() {
		if busy {
			left += b.on * r.ExpFloat64()
			by = b.lo + (b.hi-b.lo)*r.Float64()
		} else {
			left += b.off * r.ExpFloat64()
		}
	}
	enter()
	for i := range ticks {
		for left <= 0 {
			busy = !busy
			enter()
		}
		if busy {
			ticks[i] *= 1 + by
		}
		left -= perRepetition + ticks[i]*tick
	}
}

// sample rounds the iterations to whole ticks and sums them up. It reorders them.
func (c *config) sample(ticks []float64) sim.Sample {
	n := float64(len(ticks))
	first := math.Round(ticks[0])
	lo, hi := first, first
	var sum, squares float64 // of the distances from the first
	for i, t := range ticks {
		t = math.Floor(t + 0.5)
		ticks[i] = t
		lo, hi = min(lo, t), max(hi, t)
		d := t - first
		sum += d
		squares += d * d
	}
	mean := first + sum/n
	variance := max(0, squares-sum*sum/n) / (n - 1)
	return sim.Sample{
		Config:   c.name,
		Median:   lowerMedian(ticks) * tick,
		Mean:     mean * tick,
		Min:      lo * tick,
		Max:      hi * tick,
		RelStd:   100 * math.Sqrt(variance) / mean,
		NRep:     len(ticks),
		Launches: c.launches,
	}
}

// lowerMedian is torch.median: the lower of the two in the middle. It reorders
// values. Selection by Hoare's partition is linear also with many equal values.
func lowerMedian(values []float64) float64 {
	want := (len(values) - 1) / 2
	lo, hi := 0, len(values)-1
	for lo < hi {
		pivot := values[(lo+hi)/2]
		i, j := lo, hi
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for pivot < values[j] {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch {
		case want <= j:
			hi = j
		case want >= i:
			lo = i
		default:
			return values[want]
		}
	}
	return values[want]
}
