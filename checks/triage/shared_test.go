package triage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What failing cases have and passing ones have not.
func TestSharedBy(t *testing.T) {
	leads := 0
	for name, c := range map[string]struct {
		cases []string
		want  string
	}{
		"one value":              {[]string{"!f16-64", "f32-64", "!f16-128", "f32-128"}, "of 4 cases 2 fail: those with `f16`, and no other"},
		"a range":                {[]string{"mean0", "mean10", "!mean100", "!mean1000"}, "of 4 cases 2 fail: those with `mean100` and more, and no other"},
		"a range below":          {[]string{"!p=0.1", "!p=0.2", "p=0.5", "p=0.9"}, "of 4 cases 2 fail: those with `p=0.2` and less, and no other"},
		"a value and a range":    {[]string{"f32-mean0", "!f32-mean100", "!f32-mean1000", "f64-mean0", "f64-mean1000"}, "of 5 cases 2 fail: those with `f32` together with `mean100` and more, and no other"},
		"two values together":    {[]string{"gk32-fixed", "!gk32-tuned", "gk128-fixed", "gk128-tuned"}, "of 4 cases 1 fails: those with `gk32` together with `tuned`, and no other"},
		"a set":                  {[]string{"!row", "!col", "full", "none"}, "of 4 cases 2 fail: those with `row` or `col`, and no other"},
		"nothing tells":          {[]string{"!a-1", "a-2", "b-1", "!b-2", "a-3", "!c-3"}, ""},
		"all fail":               {[]string{"!a", "!b"}, ""},
		"one passes: too little": {[]string{"!a", "b"}, ""},
	} {
		var log strings.Builder
		for i, id := range c.cases {
			id, failed := strings.CutPrefix(id, "!")
			outcome := "PASSED"
			if failed {
				outcome = "FAILED"
			}
			fmt.Fprintf(&log, "tests/ops/test_demo.py::test_op[cutile_rs-%s] %s [%3d%%]\n", id, outcome, 100*(i+1)/len(c.cases))
		}
		log.WriteString("=================================== FAILURES ===================================\n")
		for _, id := range c.cases {
			if id, failed := strings.CutPrefix(id, "!"); failed {
				fmt.Fprintf(&log, "____________________ test_op[cutile_rs-%s] ____________________\nE   AssertionError: Tensor-likes are not close!\nE   \nE   Mismatched elements: 16 / 64 (25.0%%)\nE   Greatest absolute difference: 0.5 at index (0, 3) (up to 0.01 allowed)\n", id)
			}
		}
		r := Text("job.log", log.String())
		require.NotEmpty(t, r.Matches, name)
		if r.Matches[0].Signature == "S-C14" {
			leads++
			assert.Equal(t, c.want, string(r.Matches[0].Shared), name)
		}
		s := NewScanner()
		require.NoError(t, s.Scan("job.log", strings.NewReader(log.String())))
		assert.Equal(t, c.want, sharedBy(s.cases()), name)
	} // Several rows tell their causes from the cases; with the general one they are told beside it.
	assert.GreaterOrEqual(t, leads, 4)
}
