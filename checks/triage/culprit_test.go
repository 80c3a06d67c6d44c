package triage

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Where one fault spreads, the case whose call failed first is named, although pytest
// reports errors around calls before it; the progress says which came first.
func TestTheFirstFailedCallIsTheCulprit(t *testing.T) {
	const report = `==== ERRORS ====
____ ERROR at setup of test_b[1] ____
E   RuntimeError: CUDA error: an illegal memory access was encountered
==== FAILURES ====
____ test_a[1] ____
E   RuntimeError: CUDA error: an illegal memory access was encountered
==== short test summary info ====
FAILED tests/test_a.py::test_a[1] - RuntimeError: CUDA error: an illegal memory access was encountered
ERROR tests/test_b.py::test_b[1] - RuntimeError: CUDA error: an illegal memory access was encountered
`
	for progress, want := range map[string]string{
		"tests/test_a.py ..F [ 50%]\ntests/test_b.py EEE [100%]\n":   "test_a[1]",
		"..FEEE                                            [100%]\n": "test_a[1]",
		"": "test_a[1]",
		"tests/test_a.py::test_a[1] FAILED\ntests/test_b.py::test_b[1] ERROR\n": "test_a[1]",
		"tests/test_b.py::test_b[1] ERROR\ntests/test_a.py::test_a[1] FAILED\n": "test_b[1]",
		"tests/test_b.py ..E [ 50%]\ntests/test_a.py FFF [100%]\n":              "test_b[1]",
	} {
		got := Text("job.log", progress+report)
		require.NotEmpty(t, got.Matches)
		assert.Equal(t, "S-R06", got.Matches[0].Signature, "%q: %v", progress, ids(got))
		assert.Equal(t, want, got.Matches[0].Case.Plain(), "%q", progress)
	}
	// Without the order of execution an error that is alone still counts.
	alone := strings.Join(strings.SplitAfter(report, "\n")[:3], "")
	assert.Equal(t, "test_b[1]", Text("job.log", alone).Matches[0].Case.Plain())
}

func TestSizesBeyond32Bits(t *testing.T) {
	for _, c := range []struct {
		params []string
		want   bool
	}{
		{[]string{"rows=524289", "hidden=4096", "bf16"}, true},
		{[]string{"524288", "4096"}, true},
		{[]string{"524287", "4096"}, false},
		{[]string{"8x65536x8192", "fp16"}, true},
		{[]string{"8192", "8192", "8192"}, false},
		{[]string{"seed=1234567", "4096"}, false},
		{[]string{"3000000000"}, false},
	} {
		assert.Equal(t, c.want, farSizes(c.params), "%v", c.params)
	}
}
