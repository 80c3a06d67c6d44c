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
