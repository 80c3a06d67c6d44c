// Package sim judges the perf verdict on invented pull requests whose truth is
// known. Generators that know nothing of the estimator make the records; the
// package runs the sequential plan over them and counts what came out.
package sim

// Generator invents the records of pull requests. Generators are written from
// what real runs show, not from what the estimator expects. Equal arguments give
// equal records.
type Generator interface {
	Name() string
	// Scenarios names the kinds of noise that the generator knows.
	Scenarios() []string
	// Trial starts one pull request. Slowdown is the true factor by which every
	// config of the candidate is slower than the reference; 1 is equal code.
	Trial(scenario string, seed uint64, slowdown float64) Trial
}

// Trial is one pull request that is being measured.
type Trial interface {
	// Round measures every config once on both sides.
	Round() Round
	// Truth is the true geometric mean ratio over the configs, candidate over
	// reference.
	Truth() float64
}

// Round is one round of a trial: the same configs on both sides, in one order.
type Round struct {
	Candidate, Reference []Sample
}

// Sample is what a benchmark record says about one config of one side. Times are
// milliseconds, RelStd is percent of the mean.
type Sample struct {
	Config                         string
	Median, Mean, Min, Max, RelStd float64
	NRep                           int
	Launches                       int
}
