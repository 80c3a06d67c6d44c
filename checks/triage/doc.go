// Package triage answers "what does this log say went wrong, whose fault is it
// and what does one try first?". It matches log text, and the failed cases of
// JUnit files, against a table of known failure signatures in one pass with
// bounded memory; some signatures are decided from cases and times together. It
// must not decide a verdict: a log without a known signature says nothing about
// success.
package triage
