package records

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseID(t *testing.T) {
	for _, tc := range []struct{ class, name, kernel, backend, config string }{
		{"tests.ops.test_rms_norm.Test_RMSNorm", "test_perf[triton-static_persistent-262144-1024-torch.float16]", "rms_norm", "triton", "test_perf[static_persistent-262144-1024-torch.float16]"},
		{"tests.ops.test_bmm.Test_BMM_FWD", "test_op[1-128-cutile_rs-torch.float16]", "bmm", "cutile-rs", "test_op[1-128-torch.float16]"},
		{"tests.ops.test_matmul.Test_Matmul", "test_op[cutile-rs-use_tma=True-1024]", "matmul", "cutile-rs", "test_op[use_tma=True-1024]"},
		{"tests.ops.test_matmul.Test_Matmul", "test_op[cutile-use_tma=True-1024]", "matmul", "cutile", "test_op[use_tma=True-1024]"},
		{"tests.ops.test_x.Test_X", "test_op[framework=cutile_rs-1]", "x", "cutile-rs", "test_op[1]"},
		{"tests.ops.test_x.Test_X", "test_op[backend=cutile-rs-1]", "x", "cutile-rs", "test_op[1]"},
		{"tests.ops.test_x.Test_X", "test_op[pytorch2]", "x", "", "test_op[pytorch2]"},
		{"tests.ops.test_x", "test_op", "x", "", "test_op"},
		{"tests.ops.test_x.Test_X", "test_op[cutile_rs]", "x", "cutile-rs", "test_op"},
		{"tests.ops.test_x.Test_X", "test_op[a[0]-cutile]", "x", "cutile", "test_op[a[0]]"},
		{"tests.ops.test_x.Test_X", "test_op[broken-cutile", "x", "", "test_op[broken-cutile"},
	} {
		id := ParseID(tc.class, tc.name)
		require.Equal(t, tc.kernel, id.Kernel, tc.name)
		require.Equal(t, tc.backend, id.Backend, tc.name)
		require.Equal(t, tc.config, id.Config(), tc.name)
		require.Equal(t, tc.class+"::"+tc.config, id.Key())
	}
	require.Equal(t, "mine", ParseID("a", "t[1-mine]", "mine").Backend, "a name that was asked for is known")
}

func TestParseNodeID(t *testing.T) {
	want := ParseID("tests.ops.test_bmm.Test_BMM_FWD", "test_op[cutile_rs-a::b/c.py]")
	require.Equal(t, want, ParseNodeID("tests/ops/test_bmm.py::Test_BMM_FWD::test_op[cutile_rs-a::b/c.py]"))
	require.Equal(t, want.Key(), ParseNodeID("./tests/ops/test_bmm.py::Test_BMM_FWD::test_op[cutile-a::b/c.py]").Key())
	require.Equal(t, "tests.ops.test_x::test_f", ParseNodeID("tests/ops/test_x.py::test_f").Key())
}

func TestForAnotherBackend(t *testing.T) {
	id := ParseID("m.T", "test_op[1-cutile-2]")
	require.Equal(t, "m.T::test_op[1-cutile_rs-2]", id.For("cutile-rs"))
	require.Equal(t, "m.T::test_op[1-cutile-2]", id.For("cutile"))
	require.Equal(t, "m.T::test_op[cutile-rs-2]", ParseID("m.T", "test_op[cutile-rs-2]").For("cutile-rs"))
}

func TestParseBenchmark(t *testing.T) {
	ms, err := ParseBenchmark("{'cutile_rs': {'forward': {'median': 0.1, 'std': nan, 'rel_std': nan, 'nrep': 1, 'kernel_times': [{'name': 'a_entry', 'self_time_us': 90, 'count': 2}, {'name': 'Memcpy DtoD (Device -> Device)', 'self_time_us': 10.5, 'count': 1}]}, 'backward': {'median': None}}, 'pytorch': {'forward': {}}}")
	require.NoError(t, err)
	require.Len(t, ms, 3)
	require.Equal(t, "cutile-rs", ms[0].Backend)
	n, ok := ms[0].Launches()
	require.True(t, ok)
	require.Equal(t, 3, n)
	require.InDelta(t, 0.1005, ms[0].SelfMS(), 1e-12)
	require.True(t, math.IsNaN(ms[0].RelStd))
	require.Equal(t, "backward", ms[1].Direction)
	require.True(t, math.IsNaN(ms[1].Median))
	_, ok = ms[2].Launches()
	require.False(t, ok)

	for value, want := range map[string]string{
		"[1]":                                   "benchmark: expected a dict from backend to figures, found a list",
		"{1: {}}":                               "expected backend names as keys, found 1",
		"{'a': 'b'}":                            `a: expected a dict with forward or backward, found the string "b"`,
		"{'a': {'sideways': {}}}":               `expected forward or backward, found the string "sideways"`,
		"{'a': {'forward': {'median': '0.1'}}}": `a.forward.median: expected a number, or a time or rate with its unit, found the string "0.1"`,
		"{'a': {'forward': {'median': True}}}":  "a.forward.median: expected a number, found True",
		"{'a': {'forward': {'kernel_times': [{'name': 'k', 'count': 0}]}}}": "kernel_times[0].count: expected a whole number of launches",
		"{'a': {'forward': {'median': tensor(0.1)}}}":                       "offset 29",
	} {
		_, err := ParseBenchmark(value)
		require.ErrorContains(t, err, want, value)
	}
}

func TestConsole(t *testing.T) {
	log := "noise\n\x1b[32m=== Performance Test Results ===\x1b[0m\n" +
		"test: tests/ops/test_x.py::Test_X::test_perf[cutile_rs-1]\n" +
		"benchmark: {'cutile-rs': {'forward': {'median': 0.1}}}\n" +
		"Performance Test Results\nmedian = 0.1 ms\n" +
		"the Performance Test Results are fine\n" +
		"== 1 passed, 3 deselected, 2 warnings in 4.50s ==\n"
	c := ReadConsole("log", strings.NewReader(log))
	require.Len(t, c.Cases, 1)
	require.Equal(t, "tests.ops.test_x.Test_X::test_perf[cutile_rs-1]", c.Cases[0].ID())
	require.True(t, c.Cases[0].HasBenchmark())
	require.Equal(t, 1, c.Ignored)
	require.Equal(t, map[string]int{"passed": 1, "deselected": 3, "warning": 2}, c.Counts)
	require.True(t, c.Ended)

	c = ReadConsole("log", strings.NewReader("Performance Test Results"))
	require.Equal(t, 1, c.Ignored)
	require.False(t, c.Ended)
}

func TestRecordedConsoleHasNoNumbers(t *testing.T) {
	f := openRecorded(t, "interrupted_console.log")
	c := ReadConsole("interrupted_console.log", f)
	require.Empty(t, c.Cases)
	require.Zero(t, c.Ignored)
	require.Equal(t, 2, c.Counts["passed"])
	require.Equal(t, 58, c.Counts["deselected"])
	require.Empty(t, c.NoProfiler)
}

func TestExitSentence(t *testing.T) {
	for code, whole := range map[int]bool{0: true, 1: true, 2: false, 3: false, 4: false, 5: false, 124: false, 137: false, -9: false, 77: false} {
		sentence, got := ExitSentence(code)
		require.Equal(t, whole, got, code)
		require.NotEmpty(t, sentence)
	}
}
