package triage

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A line that is no error of a failing test leads only where no failing test tells of an
// error of its own.
func TestAsidesComeAfterTheErrorsOfTests(t *testing.T) {
	const (
		note    = "[autotune] config BLOCK=512 skipped: out of resource: shared memory, Required: 300000, Hardware limit: 232448.\n"
		warned  = "==== warnings summary ===\ntests/test_b.py::test_b[fp8]\n  /opt/lib/b.py:20: UserWarning: fp8 path falls back to bf16 accumulation\n==== end ====\n"
		blamed  = "==== warnings summary ===\ntests/test_a.py::test_a[1]\n  /opt/lib/b.py:20: out of resource: shared memory, Required: 300000, Hardware limit: 232448.\n==== end ====\n"
		other   = "==== warnings summary ===\ntests/test_b.py::test_b[1]\n  /opt/lib/b.py:20: out of resource: shared memory, Required: 300000, Hardware limit: 232448.\n==== end ====\n"
		driver  = "==== warnings summary ====\ntests/test_b.py::test_b[1]\n  /opt/lib/cuda.py:20: UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 12020).\n==== end ====\n"
		passes  = "==== PASSES ====\n____ test_b ____\nout of resource: shared memory, Required: 300000, Hardware limit: 232448.\n==== end ====\n"
		failing = "==== FAILURES ====\n____ test_a[1] ____\nE   RuntimeError: CUDA error: an illegal memory access was encountered\n"
		summary = "FAILED tests/test_a.py::test_a[1] - RuntimeError: CUDA error: an illegal memory access was encountered\n"
	)
	for _, c := range []struct{ name, log, want string }{
		{"a note beside an error", failing + note + summary, "S-R06"},
		{"a note before an error", note + failing + summary, "S-R06"},
		{"a note alone", note + "all 12 configs failed\n", "S-J24"},
		{"a warning of another test", failing + other + summary, "S-R06"},
		{"a warning of the failing test", failing + blamed + summary, "S-J24"},
		{"what a passing test printed", failing + passes + summary, "S-R06"},
		{"a warning about values", failing + warned + summary, "S-R06"},
		{"the same text as an error", note + "==== FAILURES ====\n____ test_a[1] ____\nE   OutOfResources: out of resource: shared memory, Required: 147456, Hardware limit: 101376\n", "S-J24"},
	} {
		got := Text("job.log", c.log)
		require.NotEmpty(t, got.Matches, c.name)
		assert.Equal(t, c.want, got.Matches[0].Signature, "%s: found %v", c.name, ids(got))
	}
	// What tells of the machine holds for every test.
	got := Text("job.log", "==== FAILURES ====\n____ test_a[1] ____\nE   RuntimeError: it did not work\n"+driver)
	assert.Equal(t, []string{"S-R21"}, ids(got))
	assert.False(t, got.Matches[0].Weak)
	// The error and not the note is what is quoted.
	got = Text("job.log", note+"==== FAILURES ====\n____ test_a[1] ____\nE   OutOfResources: out of resource: shared memory, Required: 147456, Hardware limit: 101376\n")
	assert.Contains(t, got.Matches[0].Excerpt.Plain(), "147456")
	assert.False(t, got.Matches[0].Weak)
	// A report in XML holds what the case printed, too.
	x := NewScanner()
	require.NoError(t, x.Scan("pytest.xml", strings.NewReader(`<testsuites><testsuite name="pytest" tests="1"><testcase classname="tests.test_a" name="test_a[1]"><failure message="RuntimeError">E   RuntimeError: CUDA error: an illegal memory access was encountered</failure><system-out>`+note+`</system-out></testcase></testsuite></testsuites>`)))
	assert.Equal(t, []string{"S-R06"}, ids(x.Result()))
}
