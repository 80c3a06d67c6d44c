// Package worker answers "what has to happen to this pull request now?". An
// event only says "look again"; a look reads the present state, decides by
// `checks`, and puts what GitHub has to be told into the outbox. It must not
// write to GitHub itself, and nothing it needs lives only in memory.
package worker
