package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A message may quote a file's name or text: nothing in it commands a terminal.
func TestErrorsHoldNoControlBytes(t *testing.T) {
	for _, args := range [][]string{
		{"correctness", "--junit", "no\x1b[31m\afile", "--backend", "x"},
		{"perf", "compare", "--format", "\x1b[31m"},
		{"triage", "\x1b]0;title\afile"},
	} {
		var out, errs bytes.Buffer
		require.Equal(t, int(exitUsage), run(args, streams{strings.NewReader(""), &out, &errs}))
		require.NotContains(t, errs.String(), "\x1b")
		require.NotContains(t, errs.String(), "\a")
		require.Contains(t, errs.String(), "tilegate: ")
	}
}

// What is missing is told by what it is, and not by its place in the usage alone.
func TestMissingArgumentsAreExplained(t *testing.T) {
	for line, want := range map[string]string{
		"ir check":           "tilegate: expected <file> (file of CUDA Tile IR) and <kernel> (kernel whose name the entry's symbol must contain), found nothing (see tilegate ir check --help)\n",
		"ir check a.mlir":    "tilegate: expected <kernel> (kernel whose name the entry's symbol must contain), found nothing (see tilegate ir check --help)\n",
		"ir diff":            "tilegate: expected <reference> (IR of the reference backend) and <generated> (IR that cutile-rs generated), found nothing (see tilegate ir diff --help)\n",
		"triage":             "tilegate: expected <log> ... (log files and JUnit files; - is standard input), found nothing (see tilegate triage --help)\n",
		"triage --stage jit": "tilegate: expected <log> ... (log files and JUnit files; - is standard input), found nothing (see tilegate triage --help)\n",
		"perf":               "tilegate: expected one of \"compare\", \"history\" (see tilegate perf --help)\n",
		"ir check a b c":     "tilegate: unexpected argument c (see tilegate ir check --help)\n",
	} {
		var out, errs bytes.Buffer
		require.Equal(t, int(exitUsage), run(strings.Fields(line), streams{strings.NewReader(""), &out, &errs}))
		require.Equal(t, want, errs.String(), line)
	}
}
