package correctness

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/triage"
)

// run is a run of n candidate cases of which the first failed ones end with text.
func run(n, failed int, text string) []string {
	var cases []string
	for i := range n {
		result := ""
		if i < failed {
			result = failure(text)
		}
		cases = append(cases, tc(fmt.Sprintf("test_op[cutile_rs-%d]", i), result), tc(fmt.Sprintf("test_op[cutile-%d]", i), ""))
	}
	return cases
}

// field-report 69: uncorrectable memory errors are one hardware verdict, and no
// test of the run says anything.
func TestFieldReport069HardwareFault(t *testing.T) {
	for _, text := range []string{
		"torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
		"RuntimeError: CUDA_ERROR_ECC_UNCORRECTABLE",
		"NVRM: Xid (PCI:0000:41:00): 79, pid=481, GPU has fallen off the bus.",
	} {
		v := judgeOne(rs, run(105, 105, text)...)
		require.Equal(t, Blocked, v.Verdict, v.Sentence)
		require.Equal(t, triage.Infra, v.FailClass)
		require.Contains(t, v.Sentence, "all 105 cases failed alike, for one reason outside of the change (infra): The GPU reports a hardware fault")
	}
}

// field-report 104: a driver library that cannot be loaded is one environment
// verdict and not as many failures as there are tests.
func TestFieldReport104DriverLibraryMissing(t *testing.T) {
	v := judgeOne(rs, run(24, 24, `RuntimeError: cutile-rs: Device::new failed: DriverError(303, &quot;CUDA driver library unavailable: libcuda.so.1: cannot open shared object file&quot;)`)...)
	require.Equal(t, Blocked, v.Verdict, v.Sentence)
	require.Equal(t, triage.Env, v.FailClass)
	require.Contains(t, v.Sentence, "all 24 cases failed alike, for one reason outside of the change (env): There is no usable CUDA driver or GPU")
	require.Contains(t, v.Sentence, "libcuda.so.1")
}

// field-report 106: a GPU that the assembler has no target for is the runner's
// fault, with the architecture shown.
func TestFieldReport106UnsupportedGPU(t *testing.T) {
	v := judgeOne(rs, run(24, 24, "RuntimeError: tileiras failed (exit exit status: 1) for gpu sm_75: tileiras: for the --gpu-name option: Cannot find option named &apos;sm_75&apos;!")...)
	require.Equal(t, Blocked, v.Verdict, v.Sentence)
	require.Equal(t, triage.Env, v.FailClass)
	require.Contains(t, v.Sentence, "The runner's GPU is not supported")
	require.Contains(t, v.Sentence, "sm_75")
}

// field-report 108: without the driver's compiler library every kernel fails; one
// that fails alone is an ordinary failure.
func TestFieldReport108JITLibraryMissing(t *testing.T) {
	const text = `RuntimeError: Driver(DriverError(221, &quot;PTX JIT compiler library not found&quot;)), driver version 580.159.04`
	v := judgeOne(rs, run(24, 24, text)...)
	require.Equal(t, Blocked, v.Verdict, v.Sentence)
	require.Equal(t, triage.Env, v.FailClass)
	require.Contains(t, v.Sentence, "The driver lacks its compiler library")
	require.Contains(t, v.Sentence, "580.159.04")

	v = judgeOne(rs, run(24, 1, text)...)
	require.Equal(t, Fail, v.Verdict, v.Sentence)
	require.Equal(t, triage.Kernel, v.FailClass)
	require.Contains(t, v.Sentence, "1 of 24 cases failed; tests.ops.test_x.Test_X::test_op[cutile_rs-0] failed")
}

// field-report 109: a compiler error without a place is a failure of that test
// with the text shown; in every test it also points at the toolchain.
func TestFieldReport109CompilerErrorWithoutAPlace(t *testing.T) {
	const text = "cuda.tile._exception.TileCompilerExecutionError: Return code 5&#10;failed to compile Tile IR program&#10;Unknown location"
	v := judgeOne(rs, run(50, 1, text)...)
	require.Equal(t, Fail, v.Verdict, v.Sentence)
	require.Contains(t, v.Sentence, "test_op[cutile_rs-0] failed: cuda.tile._exception.TileCompilerExecutionError: Return code 5")
	require.NotContains(t, v.Sentence, "toolchain")

	v = judgeOne(rs, run(50, 50, text)...)
	require.NotEqual(t, AllPass, v.Verdict)
	require.Contains(t, v.Sentence, "also points at the toolchain")
}

// field-report 112: a time limit that ends a test inside of the tuning is told as
// such, with the test and the phase.
func TestFieldReport112TimeoutWhileTuning(t *testing.T) {
	cases := run(24, 0, "")
	cases[0] = tc("test_op[cutile_rs-0]", `<failure message="Failed: Timeout (&gt;60.0s) from pytest-timeout.">src/tilegym/backend/cutile_rs/autotuner.py:214: in autotune_launch
    ...
src/tilegym/backend/cutile_rs/autotuner.py:130: in _bench_config_cupti
    ...
E   Failed: Timeout (&gt;60.0s) from pytest-timeout.</failure>`)
	v := judgeOne(rs, cases...)
	require.NotEqual(t, AllPass, v.Verdict)
	require.Contains(t, v.Sentence, "test_op[cutile_rs-0]")
	require.Contains(t, v.Sentence, "ran out of time while tuning")
	require.NotContains(t, v.Sentence, "DID NOT MATCH")
	require.Equal(t, "timeout", string(v.Cases[0].Outcome))
}

// field-report 114: a driver that is too old is the environment's, with the
// version.
func TestFieldReport114DriverTooOld(t *testing.T) {
	v := judgeOne(rs, run(24, 24, "RuntimeError: CUDA error 35: CUDA driver version is insufficient for CUDA runtime version (driver version 535.216.03)")...)
	require.Equal(t, Blocked, v.Verdict, v.Sentence)
	require.Equal(t, triage.Env, v.FailClass)
	require.Contains(t, v.Sentence, "The driver is too old for the CUDA version in use")
	require.Contains(t, v.Sentence, "535.216.03")
}
