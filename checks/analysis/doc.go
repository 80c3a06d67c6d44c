// Package analysis answers "does this analysis.json say what the later steps
// need, and are the files there that a ported kernel must have?". It must not
// judge the kernel itself, and a field that is absent is unknown, never false.
package analysis
