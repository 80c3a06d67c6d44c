// Package perf answers "is the candidate as fast as the reference?" from raw
// test records of both, and must not estimate what was not measured: a config
// without a time on both sides is missing, and no matched config is no verdict.
//
// # Statistic
//
// A config's value is its median; over k rounds it is, per side, the lowest of
// the k medians (the noise of a GPU time is one-sided: a two-speed kernel or a
// busy neighbour only adds). The verdict is made on the geometric mean over the
// configs of candidate value over reference value.
//
// # Confidence
//
// The interval is for the ratio of the undisturbed times, which geomean_ratio and
// ratio_mean both estimate. Candidate and reference of one round run beside each
// other on one card, so what changes between rounds (clock, temperature,
// neighbours) is common to both and cancels. Noise may go both ways or may only
// add, and the rounds are too few to tell, so the interval holds what each view
// allows:
//
//   - Noise that goes both ways. The rounds' log geometric mean ratios are
//     independent and normal about the true one: the paired Student t interval
//     mean ± t(k-1) s/sqrt(k) (Student 1908). It is given from two rounds on, with
//     two it is as wide as one degree of freedom makes it.
//   - Noise that only adds. The undisturbed time of a config lies below the lowest
//     of k medians, on average by the distance from the lowest to the second
//     lowest (Robson and Whitlock 1964 for the end of a distribution; it is
//     Quenouille's jackknife of a minimum). Of each side one and a half such
//     distances are allowed, after what a round has in common is taken out.
//   - Two speeds. Where a run has the spread of two speeds, its median may sit on
//     either; the lowest minimum does not, so the ratio of minima is allowed too.
//
// A little is added for what rounds cannot show: the 32 ns steps of the GPU's
// timer, and 0.1 % between processes. Where a two-speed config has no minimum, or
// where half of the configs of a side vary by 10 % inside every run, because
// something else used the card, an interval would not hold and none is given
// (for device times; wall-clock times of a host vary that much by themselves).
//
// # Plan
//
// More rounds are asked for, up to the budget, while geomean_ratio and ratio_mean
// lie in different bands or the interval holds a limit: as many as would decide if
// they scatter as those before. Looking after each round and stopping early makes
// an interval cover less than its level says; docs/perf-simulation.md counts what
// is left, on pull requests whose truth is known. A verdict that stays open, or
// lies within 1 % of the limit, by which equal code differs between two cards of
// one model, is borderline. On a card that something else used, an open verdict is
// none.
package perf
