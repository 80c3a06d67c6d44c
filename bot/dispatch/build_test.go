package dispatch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/dispatch"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/job"
)

// A build that failed is told with the first error of the compiler.
func TestFailedBuildNamesTheFirstError(t *testing.T) {
	one := "error[E0425]: cannot find value `TILE` in this scope\n  --> src/row_sum_kernel/kernel.rs:31:9\n   |\nerror: could not compile `kernels` (lib) due to 1 previous error\n"
	v := judged(t, job.Build, "failure", dispatch.Kernel{}, built(101, one))
	require.Equal(t, gate.Fail, v.Outcome)
	require.Contains(t, v.Sentence, "`cargo build` ended with exit code 101: error[E0425]: cannot find value `TILE` in this scope (src/row_sum_kernel/kernel.rs:31).")
	v = judged(t, job.Build, "failure", dispatch.Kernel{}, built(101, one+"error: another\n"))
	require.Contains(t, v.Sentence, "(src/row_sum_kernel/kernel.rs:31), the first of 2 errors.")
	v = judged(t, job.Build, "failure", dispatch.Kernel{}, built(137, "   Compiling kernels v0.1.0\n"))
	require.Contains(t, v.Sentence, "`cargo build` ended with exit code 137.")
}

// The list of symbols beside the evidence has to bear out what the evidence says.
func TestBuildReadsTheRawSymbols(t *testing.T) {
	listed := func(symbols string) dispatch.Verdict {
		return judged(t, job.Build, "success", dispatch.Kernel{}, func(b *bundle) {
			built(0, "    Finished `release` profile [optimized] target(s) in 9.1s\n")(b)
			b.ran("symbols", 0)
			b.add("symbols.txt", "symbols", symbols)
		})
	}
	for _, symbols := range []string{"cutile_row_sum\ncutile_scale_add\n", "00000000000116d0 T cutile_row_sum\n                 U malloc@GLIBC_2.2.5\n"} {
		require.Equal(t, gate.Pass, listed(symbols).Outcome)
	}
	for _, symbols := range []string{"", "cutile_scale_add\nmissing: cutile_row_sum\n", "                 U cutile_row_sum\n"} {
		v := listed(symbols)
		require.Equal(t, gate.Blocked, v.Outcome)
		require.Contains(t, v.Sentence, "says that `cutile_row_sum` is exported, and its own list `symbols.txt` does not hold it")
	}
}
