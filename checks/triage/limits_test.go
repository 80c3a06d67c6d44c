package triage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a failed case prints, or the place where the cases turn bad, tells which limit was
// passed; beside it stands the same with figures that pass none.
func TestLimits(t *testing.T) {
	const (
		failures = "=== FAILURES ===\n"
		refusal  = "E   RuntimeError: Triton Error [CUDA]: invalid argument\n"
		stray    = "E   RuntimeError: CUDA error: an illegal memory access was encountered\n"
		tuner    = "Autotuning kernel add_k with config BLOCK: 64\n"
	)
	grid := func(heads string) string {
		return "tests/test_a.py::test_scan[8] PASSED\ntests/test_a.py::test_scan[9] FAILED\n" + failures +
			"____ test_scan[9] ____\nB = 9000, H = " + heads + ", D = 64\nsrc/scan.py:9: in scan\n    grid = (cdiv(D, 16), B * H)\n>   scan_k[grid](x)\n" + refusal
	}
	edge := func(pass, fail string) string {
		return "tests/test_a.py::test_scan[" + pass + "-2] PASSED\ntests/test_a.py::test_scan[" + fail + "-2] FAILED\n" + failures + "____ test_scan[" + fail + "-2] ____\n" + refusal
	}
	index := func(row, stride string) string {
		return "tests/test_a.py::test_take[int64-max_row=90000] PASSED\n  table stride0=" + stride + "\ntests/test_a.py::test_take[int32-max_row=" + row + "] FAILED\n" +
			failures + "____ test_take[int32-max_row=" + row + "] ____\n" + stray
	}
	sum := func(got string) string {
		return "tests/test_a.py::test_sum[f32-9000] PASSED\ntests/test_a.py::test_sum[f16-9000] FAILED\n" + failures +
			"____ test_sum[f16-9000] ____\n>   assert out.item() == n\nE   AssertionError: assert " + got + " == 9000\n"
	}
	calls := func(first string) string {
		return "tests/test_a.py::test_hist[16] FAILED\n" + failures + "____ test_hist[16] ____\nE   AssertionError: Scalars are not close!\n" + tuner +
			"call 0: " + first + "\ncall 1: 12.5\ncall 2: 12.5\n"
	}
	for _, c := range []struct {
		id, hit, miss string
	}{
		{gridLimit, grid("8"), grid("7")},
		{gridLimit, edge("32767", "32768"), edge("20000", "20480")},
		{overflow32, index("50000", "65536"), index("5000", "65536")},
		{"S-C25", sum("2048.0"), sum("2047.0")},
		{"S-C46", calls("900.25"), calls("12.5")},
		{narrowPointer, "tests/test_a.py::test_q [ffi] new(8) -> 0x55d08b83e7d0\n[ffi] free(p=0xffffffff8b83e7d0)\nFatal Python error: Segmentation fault\n", "tests/test_a.py::test_q [ffi] new(8) -> 0x55d08b83e7d0\n[ffi] free(p=0x55d08b83e7d0)\nFatal Python error: Segmentation fault\n"},
	} {
		got := Text("job.log", c.hit)
		require.NotEmpty(t, got.Matches, c.hit)
		assert.Equal(t, c.id, got.Matches[0].Signature, "%s%v", c.hit, ids(got))
		assert.NotContains(t, ids(Text("job.log", c.miss)), c.id, c.miss)
	}
}

// A signature that matched in a step that passed is shown where it matched again in the
// one that failed.
func TestRepeatedInTheFailedStep(t *testing.T) {
	got := Text("job.log", "##[group]Run maturin develop\nnote: Couldn't find the symbol `PyInit_plan` in the native library\n##[endgroup]\n##[group]Run pytest\n##[endgroup]\nE   ImportError: dynamic module does not define module export function (PyInit_plan)\n##[error]Process completed with exit code 2.\n")
	require.NotEmpty(t, got.Matches)
	assert.Equal(t, "S-I41", got.Matches[0].Signature, "%v", ids(got))
	assert.Equal(t, 6, got.Matches[0].Line)
}
