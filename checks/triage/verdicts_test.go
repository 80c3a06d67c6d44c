package triage

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Tables and lists of benchmarks tell that something else than the change is slow.
func TestVerdictsOnBenchmarks(t *testing.T) {
	const failed = "Performance regressions detected!\n"
	for _, c := range []struct{ want, says, log string }{
		{"S-P38", "triton 3.4.0: 90 to 91, 3.6.0: 50 to 51", "code triton tok/s\nold 3.4.0 90\nold 3.6.0 50\nnew 3.6.0 51\nnew 3.4.0 91\n"},
		{"S-P38", "in the baseline", "run: torch 2.8.1, triton 3.6.0\nbaseline: torch 2.8.1, triton 3.4.0\n"},
		{"S-P18", "goes from 70 to 92", "base sample 1: 92\nbase sample 2: 70\nbase sample 3: 74\nhead sample 1: 72\nhead sample 2: 73\n"},
		{"S-P32", "n=3", "[compile] topk_kernel n=1 2.4 s\n1 0.06 0.06\n[compile] topk_kernel n=3 2.5 s\n3 0.06 2500\n"},
		{"S-P27", "1200.5", "GPU: dense fp16 peak 989 TFLOPS\nM N K ms TFLOPS\n4096 4096 4096 0.20 687.0\n8192 8192 8192 0.92 1200.5\n"},
		{"S-P27", "8192", "M N K a_ms\n2048 2048 2048 0.024\n8192 8192 8192 0.024\n"},
		{"S-P60", "uses the change is topk", "SLOWER (3):\na.x +11 %\na.y +12 %\nb.z +13 %\nbenchmarks that use a changed file: topk.*\n"},
	} {
		got := Text("job.log", c.log+failed)
		require.NotEmpty(t, got.Matches, c.log)
		assert.Equal(t, c.want, got.Matches[0].Signature, "%s: %v", c.log, ids(got))
		assert.Contains(t, got.Matches[0].Excerpt.Plain(), c.says, c.log)
	}
	for _, log := range []string{
		// Both tools moved together, so neither is known to be the cause.
		"# env A: torch 2.7.0, triton 3.4.0\na 1.70 x\na 1.71 x\n# env B: torch 2.8.0, triton 3.6.0\na 1.40 x\na 1.41 x\n",
		"code triton tok/s\nold 3.4.0 90\nold 3.6.0 88\nnew 3.6.0 51\nnew 3.4.0 50\n",
		"base sample 1: 92\nbase sample 2: 91\nbase sample 3: 92\nhead sample 1: 72\nhead sample 2: 73\n",
		"[compile] topk_kernel n=1 2.4 s\n[compile] topk_kernel n=3 2.5 s\n1 0.06 0.06\n",
		"GPU: dense fp16 peak 989 TFLOPS\nM N K ms TFLOPS\n4096 4096 4096 0.20 687.0\n8192 8192 8192 1.60 687.5\n",
		"SLOWER (3):\na.x +11 %\ntopk.y +12 %\nb.z +13 %\nbenchmarks that use a changed file: topk.*\n",
	} {
		assert.Equal(t, []string{"S-P10"}, ids(Text("job.log", log+failed)), log)
	}
}

// The last thing that a run began before its time was over is told, and how long ago.
func TestStopped(t *testing.T) {
	const over = "2026-10-02T08:40:00.0Z ##[error]The operation was canceled.\n"
	at := func(clock string, lines ...string) string {
		return "2026-10-02T" + clock + ".0Z " + strings.Join(lines, "\n2026-10-02T"+clock+".0Z ") + "\n"
	}
	for _, c := range []struct{ want, log string }{
		{"S-R140", at("08:00:00", "##[group]Run nvidia-smi -q", "shell: bash", "##[endgroup]")},
		{"S-R141", at("08:00:00", "Cloning into '/w/cutlass'...")},
		{"S-R141", at("08:00:00", "Received 10 of 900 (1.1%), 0.1 MBs/sec") + at("08:39:59", "Received 90 of 900 (10.0%), 0.1 MBs/sec")},
		{"S-R142", at("08:00:00", "   Compiling cutile v0.2.0")},
		{"S-R67", at("08:00:00", "test_output_is_bounded:", "kern: chatty:")},
		{"S-R25", at("08:00:00", "sweep of 400 shapes")},
		// The download had only begun, and the command had answered.
		{"S-R25", at("08:00:00", "sweep of 400 shapes") + at("08:39:00", "Cloning into '/w/cutlass'...")},
		{"S-R25", at("08:00:00", "+ nvidia-smi", "| NVIDIA-SMI 580.1 |")},
	} {
		got := Text("job.log", c.log+over)
		require.NotEmpty(t, got.Matches, c.log)
		assert.Equal(t, c.want, got.Matches[0].Signature, "%s: %v", c.log, ids(got))
	}
	got := Text("job.log", at("08:00:00", "sweep of 400 shapes")+over)
	assert.Contains(t, got.Matches[0].Excerpt.Plain(), "sweep of 400 shapes (40m0s earlier)")
}
