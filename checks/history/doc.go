// Package history answers "how have a kernel's times moved from commit to
// commit?" from measurements that were judged before. It must not judge, and
// never puts what was measured on two GPUs, or of two commits, into one value: a
// series is one kernel, variant and pair of backends on one GPU class and card
// model, each point is one measurement of one commit, and what was not measured is
// a gap.
//
// # Form
//
// A store is a sequence of documents of schema tilegate.history/v1, usually one a
// line, each with one or more measurements. An exported document is such a
// sequence too, so a store, an export and several of them one behind the other are
// read alike. Measurements are only ever added.
package history
