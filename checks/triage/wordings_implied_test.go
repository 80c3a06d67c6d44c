package triage

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Numbers that a log prints beside its cases tell the cause, though no sentence does.
func TestImplied(t *testing.T) {
	for _, c := range []struct{ want, log string }{
		{"S-C172", session("test_mm[k=16]", "test_mm[k=24]!", "test_mm[k=32]", "test_mm[k=40]!") + "stage_k=8 with two buffers=2\n"},
		{"S-C174", "graph capture begins, bs [1, 2, 4, 8]\n" + session("test_step[bs=1]", "test_step[bs=3]!", "test_step[bs=4]", "test_step[bs=7]!")},
		{"S-C183", session("test_dec[num_splits=1-64]", "test_dec[num_splits=4-64]!", "test_dec[num_splits=1-128]", "test_dec[num_splits=4-128]!")},
		{"S-C180", session("test_ce_grad[mean]", "test_ce_grad[none]!", "test_ce_grad[sum]")},
		{"S-C190", session("test_w4[K=512-gs=64]", "test_w4[K=512-gs=32]!", "test_w4[K=1024-gs=64]", "test_w4[K=1024-gs=32]!") + "BLOCK_K: 64\n"},
		{"S-R170", "cache: capacity=1024\n" + strings.ReplaceAll(session("test_fill[n=256]", "test_fill[n=1000]", "test_fill[n=1025]!", "test_fill[n=2000]!"), "n=", "n=")},
		{"S-C06", "NVIDIA A100 (108 SMs)\n" + session("test_dw[M=64]", "test_dw[M=108]", "test_dw[M=109]!", "test_dw[M=300]!")},
		{"S-C39", session("test_swa[s=512-w=512]", "test_swa[s=512-w=96]!") + "first wrong row: 96\n"},
		{"S-C91", "rows with NaN: [2, 9]\nmask.all(-1) at [2, 9]\n" + session("test_sm[none]", "test_sm[pad]!") + "Greatest absolute difference: nan at index (2, 0) (up to 0.01 allowed)\n"},
		{"S-C41", session("test_q[8]!") + "x/scale at the mismatches: [0.5, 2.5, -1.5]\n"},
		{"S-C40", session("test_argmax[bf16]!", "test_argmax[fp32]") + "values at got: [4.5, 3.0]\nvalues at ref: [4.5, 3.0]\n"},
		{"S-C38", session("test_q[1]", "test_q[100]!") + "got[1, 3] = nan, ref[1, 3] = 448.0\n"},
		{"S-C184", "block_table: [[4, 7, -1], [2, -1, -1]]\nRuntimeError: CUDA error: an illegal memory access was encountered\n"},
		{"S-C48", "replay 9: max_len=610, captured with max_len=128\nAssertionError: score 0.23 < 0.44\n"},
		{"S-C23", session("test_add[default]", "test_add[other]!") + "    s = torch.cuda.Stream()\n    with torch.cuda.stream(s):\n        y = add(x)\n"},
		{"S-C24", "run 0: max|d| = 0.0000\nrun 1: max|d| = 1.8125\nrun 2: max|d| = 0.0000\nrun 3: max|d| = 2.4375\nAssertionError: Tensor-likes are not close!\n"},
		{"S-C24", "splits=8 sum run 1: -18.406\nsplits=8 sum run 2: -18.421\nsplits=8 sum run 3: -18.406\nsplits=8 sum run 4: -18.390\nAssertionError: Tensor-likes are not equal!\n"},
		{"S-C26", "K=256    max err 0.0078\nK=1024   max err 0.0313\nK=4096   max err 0.1250\nAssertionError: 0.1250 > 0.05\n"},
		{"S-C181", "cumsum n=512    ok\ncumsum n=1024   ok\ncumsum n=1025   FAIL first wrong index 1024\ncumsum n=4096   FAIL first wrong index 1024\nAssertionError\n"},
		{"S-C191", "layer_norm against float64\nmean      got     want    max abs err\n0       -1.34    -1.34     0.0000\n100     -2.37    -1.34     1.0301\n10000   -0.01    -1.33     1.3289\nAssertionError: Tensor-likes are not close!\n"},
		{"S-C32", "test conv_grad_gpu ... ok\ntest conv_grad_sliced_gpu ... FAILED\n\n---- conv_grad_sliced_gpu stdout ----\nassertion `left == right` failed\n  left: 25.926\n right: 57.6732\n"},
		{"S-C03", "a.py::test_linear[1-bf16] PASSED\na.py::test_linear[1-fp32] FAILED\nFAILED a.py::test_linear[1-fp32] - AssertionError: Outputs not close enough in tensor at idx=0. Maximum difference at location [78] with -10.8247 vs -10.8181 (diff 0.0066).\n"},
		{"S-R61", "NVIDIA A10 (72 SMs)\nlaunch persistent_reduce grid=132 block=256\nFAILED a.py::test_reduce - Failed: Timeout (>600.0s) from pytest-timeout.\n"},
		{"S-P121", "0a1b2c3d4e5f is the first bad commit\n    Read angles with a stride\nREGRESSION rope 0.231 ms -> 0.312 ms\n"},
		{"S-P38", "0a1b2c3d4 Fix a test\n1a1b2c3d4 Move triton pin to 3.4\n2a1b2c3d4 Add jobs\nperformance check failed: -6.8% (limit 3%)\n"},
		{"S-P31", "kernel  ours_us(base) ours_us(now) ref_us(base) ref_us(now)\nadd  118.2  118.1  141.0  120.3\nexp  119.0  119.2  143.5  121.1\nPerformance regressions detected!\n"},
		{"S-P24", "$ cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor\npowersave\nkernel (device)  base 12.1 us  now 12.1 us\ncall (python)    base 21.4 us  now 39.8 us\nFAIL launch_latency +86%\n"},
		{"S-P11", "iter 0: 2314.88 ms\niter 1: 1.21 ms\niter 2: 1.20 ms\nREGRESSION: swiglu 771 ms vs 1.22 ms\n"},
		{"S-P11", "bench(warmup=25) mm 11.23 ms\nbench(warmup=500)  mm 8.79 ms\nREGRESSION: mm 11.23 ms vs baseline 8.77 ms (+28.1%)\n"},
		{"S-P61", "try 1  add  base 41.2 us  head 44.9 us  +9.0%  FAIL\ntry 2  add  base 44.8 us  head 41.0 us  -8.5%  ok\ntry 3  add  base 41.3 us  head 45.0 us  +9.0%  FAIL\nperf gate failed: 2 of 3 tries over 5%\nPerformance regressions detected!\n"},
		{"S-P40", "case        baseline   current\nsoftmax_1k     0.012      12.1\nsoftmax_4k     0.031      31.0\nPerformance regressions detected!\n"},
		{"S-P81", "GPU: NVIDIA GB200\n   M      N      ours TB/s   ref TB/s\n4096   1024          11.9           6.2\n4096   2048          12.4           6.4\n4096   8192           7.4           6.9\n4096  16384           6.7           6.8\nPerformance regressions detected!\n"},
		{"S-R170", "log_softmax[V=32000] max err 3.1e-06 ok\nlog_softmax[V=128256] max err 2.9e-06 ok\nlog_softmax[V=151936] max err 14.2 FAIL\nMAX_FUSED_SIZE = 131072\nAssertionError: 1 size differs\n"},
		{"S-C22", "tests/a.py::test_s[dense] PASSED\ntests/a.py::test_s[sparse] FAILED\nE   AssertionError: Tensor-likes are not close!\nE   Mismatched elements: 512 / 65536 (0.8%)\nE   Greatest absolute difference: 3.0e+38 at index (17, 0) (up to 1e-05 allowed)\n"},
		{"S-C35", "FAILED a.py::test_mask - AssertionError\nseed fwd 1234 offset 0, seed bwd 1234 offset 4\n"},
		{"S-P20", "[autotune] key=(4096, 4096, 'sm_90a') no entry, default BLOCK 64x64\nFAIL gemm_4096 2.6x slower than the baseline\nPerformance regressions detected!\n"},
		{"S-C21", "[ RUN      ] Gemm.128x64_cluster1x1\n[       OK ] Gemm.128x64_cluster1x1 (412 ms)\n[ RUN      ] Gemm.128x64_cluster2x1\n/src/t.hpp:5: Failure\nValue of: passed\n[  FAILED  ] Gemm.128x64_cluster2x1 (398 ms)\n[ RUN      ] Gemm.256x64_cluster1x1\n[       OK ] Gemm.256x64_cluster1x1 (1 ms)\n[ RUN      ] Gemm.256x64_cluster2x1\n/src/t.hpp:5: Failure\nValue of: passed\n[  FAILED  ] Gemm.256x64_cluster2x1 (398 ms)\n"},
		{"S-C32", "tests/a.py .....F\n____ test_g[strided_index] ____\nindex.stride()=(1, 512) index.is_contiguous()=False\nE   AssertionError: Tensor-likes are not equal!\nE   Mismatched elements: 1489 / 1536 (96.9%)\nE   Greatest absolute difference: 4.1 at index (0, 1)\nE   Greatest relative difference: inf at index (0, 1)\n"},
	} {
		got := Text("job.log", c.log)
		require.NotEmpty(t, got.Matches, c.log)
		assert.Equal(t, c.want, got.Matches[0].Signature, "%s\n%v", c.log, ids(got))
	}
}

// The same numbers, where they do not tell cases that fail from those that pass.
func TestNotImplied(t *testing.T) {
	for _, c := range []struct{ not, log string }{
		{"S-C172", session("test_mm[k=16]", "test_mm[k=24]", "test_mm[k=32]", "test_mm[k=40]!") + "stage_k=8 buffers=2\n"},
		{"S-C172", session("test_mm[k=16]", "test_mm[k=24]!", "test_mm[k=32]", "test_mm[k=40]!") + "stage_k=8\n"},
		{"S-C174", "graph capture begins, bs [1, 2, 4, 8]\n" + session("test_step[bs=1]", "test_step[bs=3]", "test_step[bs=4]", "test_step[bs=7]!")},
		{"S-C183", session("test_dec[num_splits=1-64]!", "test_dec[num_splits=4-64]!", "test_dec[num_splits=1-128]")},
		{"S-R170", "cache: capacity=4096\n" + session("test_fill[n=256]", "test_fill[n=1000]", "test_fill[n=1025]!")},
		{"S-C23", session("test_add[default]", "test_add[other]!") + "    s = torch.cuda.Stream()\n    s.wait_stream(torch.cuda.current_stream())\n    with torch.cuda.stream(s):\n"},
		{"S-C24", "run 0: max|d| = 1.0\nrun 1: max|d| = 2.0\nrun 2: max|d| = 3.0\nrun 3: max|d| = 4.0\nAssertionError: Tensor-likes are not close!\n"},
		{"S-C178", "o diff: nan ratio: nan\ndg diff: nan ratio: nan\nAssertionError: dg diff: nan\n"},
		{"S-C26", "K=256    max err 0.0071\nK=1024   max err 0.0293\nK=4096   max err 0.1150\nAssertionError: 0.1150 > 0.05\n"},
		{"S-C21", "try 1  add  base 41.2 us  head 44.9 us  +9.0%  FAIL\ntry 2  add  base 44.8 us  head 41.0 us  -8.5%  ok\ntry 3  add  base 41.3 us  head 45.0 us  +9.0%  FAIL\nAssertionError\n"},
		{"S-P40", "FAIL gate: speedup at N=1024 1.92 but at N=16384 0.985\nPerformance regressions detected!\n"},
		{"S-P11", "iter 0: 1.31 ms\niter 1: 1.21 ms\niter 2: 1.20 ms\nPerformance regressions detected!\n"},
		{"S-C22", "tests/a.py::test_s[dense] PASSED\ntests/a.py::test_s[sparse] FAILED\nE   AssertionError: Tensor-likes are not close!\nE   Mismatched elements: 512 / 65536 (0.8%)\nE   Greatest absolute difference: 3.0e+02 at index (17, 0) (up to 1e-05 allowed)\n"},
		{"S-C35", "FAILED a.py::test_mask - AssertionError\nseed fwd 1234 offset 4, seed bwd 1234 offset 4\n"},
		{"S-P10", "[ RUN      ] Gemm.a\n[  FAILED  ] Gemm.a (398 ms)\n"},
		{"S-R61", "NVIDIA A10 (72 SMs)\nlaunch persistent_reduce grid=72 block=256\nFAILED a.py::test_reduce - Failed: Timeout (>600.0s) from pytest-timeout.\n"},
		{"S-C06", session("test_attn[h_kv=8-64]", "test_attn[h_kv=3-64]!", "test_attn[h_kv=16-64]", "test_attn[h_kv=5-64]!")},
	} {
		assert.NotContains(t, ids(Text("job.log", c.log)), c.not, c.log)
	}
}

// A function's head names the parameters of its cases.
func TestNamedParameters(t *testing.T) {
	got := Text("job.log", session("test_heads[32-32-128]", "test_heads[32-1-128]", "test_heads[32-8-128]!", "test_heads[16-4-128]!")+"    def test_heads(num_q_heads, num_kv_heads, head_dim):\n")
	require.NotEmpty(t, got.Matches)
	assert.Equal(t, "S-C44", got.Matches[0].Signature, ids(got))
}
