// Package gate answers "may this commit be merged, and if not, what would
// change that?". It folds all verdicts, trust and waivers of one commit into
// one tree of reasons. It must not fetch anything, and what it was not told is
// never a pass.
package gate
