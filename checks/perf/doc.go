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
// Candidate and reference of one round run beside each other on one card, so
// what changes between rounds (clock, temperature, neighbours) is common to both
// and cancels in the ratio. Model: the rounds' log geometric mean ratios
// x_1..x_k are independent and normal with the same mean; the interval is the
// paired Student t interval exp(mean(x) ± t(k-1) s(x)/sqrt(k)) (Student 1908; the
// paired form is in any textbook of statistics). It belongs to ratio_mean, the
// geometric mean over rounds, and is given from three rounds on: with two, one
// degree of freedom makes it useless. Two-speed kernels are not normal; where
// that matters the two statistics disagree and another round is asked for.
package perf
