// Package triage answers "what does this log say went wrong, whose fault is it
// and what does one try first?". It matches log text against a table of known
// failure signatures in one pass with bounded memory. It must not decide a
// verdict: a log without a known signature says nothing about success.
package triage
