package triage

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Logs in which a fact beside the loud one names the cause: the precision that the
// reference has, the power limit, the index and the stride, the grid, the mask, the flush.
func TestFactsBesideTheFailureLead(t *testing.T) {
	for _, c := range []struct{ name, want, log string }{
		{"c06a", "S-C06", "....FF\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_scale[shape=(100, 100)] _______________\n" +
			"tests/t.py:44: in t\n" +
			"kernel:\n" +
			"    x = tl.load(x_ptr + offs_m[:, None] * stride + offs_n[None, :])\n" +
			"    tl.store(y_ptr + offs_m[:, None] * stride + offs_n[None, :], x)\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   \n" +
			"E   Mismatched elements: 1200 / 10000 (12.0%)\n" +
			"E   Greatest absolute difference: 33.1 at index (96, 3) (up to 0.001 allowed)\n" +
			"E   Greatest relative difference: 3 at index (96, 3) (up to 1e-05 allowed)\n" +
			"FAILED tests/t.py::test_scale[shape=(100, 100)]\n" +
			"FAILED tests/t.py::test_scale[shape=(130, 64)]\n" +
			"2 failed, 4 passed in 2s\n"},
		{"c06b", "S-C06", "tests/t.py::test_r[64-64] PASSED\n" +
			"tests/t.py::test_r[128-256] PASSED\n" +
			"tests/t.py::test_r[65-64] FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_r[65-64] _______________\n" +
			"tests/t.py:44: in t\n" +
			"E   AssertionError: canary behind out was overwritten: 0x3f800000\n" +
			"FAILED tests/t.py::test_r[65-64] - AssertionError: canary behind out was overwritten\n" +
			"1 failed, 2 passed in 2s\n"},
		{"c06c", "S-C06", "tests/t.py::test_r[n=1024] PASSED\n" +
			"tests/t.py::test_r[n=2048] PASSED\n" +
			"tests/t.py::test_r[n=1000003] FAILED\n" +
			"tests/t.py::test_r[n=4096] FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_r[n=1000003] _______________\n" +
			"tests/t.py:44: in t\n" +
			"BLOCK=1024\n" +
			"    x = tl.load(x_ptr + pid * BLOCK + tl.arange(0, BLOCK))\n" +
			"E   RuntimeError: Triton Error [CUDA]: an illegal memory access was encountered\n" +
			"_______________ test_r[n=4096] _______________\n" +
			"tests/t.py:44: in t\n" +
			"E   RuntimeError: Triton Error [CUDA]: an illegal memory access was encountered\n" +
			"FAILED tests/t.py::test_r[n=1000003] - RuntimeError\n" +
			"FAILED tests/t.py::test_r[n=4096] - RuntimeError\n" +
			"2 failed, 2 passed in 2s\n"},
		{"c06d", "S-C06", "...F.F\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_t[777x333] _______________\n" +
			"tests/t.py:44: in t\n" +
			"BLOCK_M=32 BLOCK_N=32\n" +
			"    x = tl.load(x_ptr + offs_m[:, None] * stride + offs_n[None, :])\n" +
			"    tl.store(y_ptr + offs_m[:, None] * stride + offs_n[None, :], x)\n" +
			"E   AssertionError: nan in output\n" +
			"FAILED tests/t.py::test_t[777x333]\n" +
			"FAILED tests/t.py::test_t[1000x1000]\n" +
			"2 failed, 4 passed in 2s\n"},
		{"c06e", "S-C06", "......F\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_t[M=1040-N=512] _______________\n" +
			"tests/t.py:44: in t\n" +
			"_k[grid](x, y, BLOCK_M=64)\n" +
			"    x = tl.load(x_ptr + offs_m[:, None] * stride + offs_n[None, :])\n" +
			"    tl.store(y_ptr + offs_m[:, None] * stride + offs_n[None, :], x)\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   \n" +
			"E   Mismatched elements: 1200 / 10000 (12.0%)\n" +
			"E   Greatest absolute difference: 33.1 at index (1024, 3) (up to 0.001 allowed)\n" +
			"E   Greatest relative difference: 3 at index (1024, 3) (up to 1e-05 allowed)\n" +
			"FAILED tests/t.py::test_t[M=1040-N=512]\n" +
			"1 failed, 6 passed in 2s\n"},
		{"c131a", "S-C131", "torch.backends.cuda.matmul.allow_tf32 = False\n" +
			"tests/t.py::test_bmm[float16-4-128] PASSED\n" +
			"tests/t.py::test_bmm[bfloat16-4-128] PASSED\n" +
			"tests/t.py::test_bmm[float32-4-128] FAILED\n" +
			"tests/t.py::test_bmm[float32-8-512] FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_bmm[float32-4-128] _______________\n" +
			"tests/t.py:44: in t\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   \n" +
			"E   Mismatched elements: 61000 / 65536 (93.1%)\n" +
			"E   Greatest absolute difference: 0.0112 at index (1, 2, 3) (up to 0.0001 allowed)\n" +
			"E   Greatest relative difference: 3 at index (1, 2, 3) (up to 1e-05 allowed)\n" +
			"_______________ test_bmm[float32-8-512] _______________\n" +
			"tests/t.py:44: in t\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   \n" +
			"E   Mismatched elements: 2000000 / 2097152 (95.4%)\n" +
			"E   Greatest absolute difference: 0.0412 at index (1, 2, 3) (up to 0.0001 allowed)\n" +
			"E   Greatest relative difference: 3 at index (1, 2, 3) (up to 1e-05 allowed)\n" +
			"FAILED tests/t.py::test_bmm[float32-4-128]\n" +
			"FAILED tests/t.py::test_bmm[float32-8-512]\n" +
			"2 failed, 2 passed in 3.1s\n"},
		{"c131b", "S-C131", "NVIDIA_TF32_OVERRIDE=0\n" +
			"$ pytest -q tests/t.py -k cutile\n" +
			"......FF..\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_linear[cutile-fp32-256] _______________\n" +
			"tests/t.py:44: in t\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   \n" +
			"E   Mismatched elements: 61000 / 65536 (93.1%)\n" +
			"E   Greatest absolute difference: 0.0062 at index (1, 2) (up to 0.0001 allowed)\n" +
			"E   Greatest relative difference: 3 at index (1, 2) (up to 1e-05 allowed)\n" +
			"kernel source:  acc = ct.mma(a, b, acc)\n" +
			"FAILED tests/t.py::test_linear[cutile-fp32-256] - AssertionError: Tensor-likes are not close!\n" +
			"FAILED tests/t.py::test_linear[cutile-fp32-512] - AssertionError: Tensor-likes are not close!\n" +
			"2 failed, 8 passed in 3.1s\n"},
		{"c131c", "S-C131", "$ pytest -q tests/t.py\n" +
			"....F\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_attention[dtype=torch.float32] _______________\n" +
			"tests/t.py:44: in t\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   \n" +
			"E   Mismatched elements: 2000 / 65536 (3.1%)\n" +
			"E   Greatest absolute difference: 0.0051 at index (1, 2, 3, 4) (up to 0.001 allowed)\n" +
			"E   Greatest relative difference: 3 at index (1, 2, 3, 4) (up to 1e-05 allowed)\n" +
			"max err vs float64: torch 1.9e-06, triton 5.1e-03\n" +
			"FAILED tests/t.py::test_attention[dtype=torch.float32]\n" +
			"1 failed, 4 passed in 3.1s\n"},
		{"c131d", "S-C131", "torch.get_float32_matmul_precision(): highest\n" +
			"tests/t.py::test_conv1x1_as_gemm[f32-64] FAILED\n" +
			"tests/t.py::test_conv1x1_as_gemm[f16-64] PASSED\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_conv1x1_as_gemm[f32-64] _______________\n" +
			"tests/t.py:44: in t\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   \n" +
			"E   Mismatched elements: 60000 / 65536 (91.6%)\n" +
			"E   Greatest absolute difference: 0.0151 at index (1, 2) (up to 0.0001 allowed)\n" +
			"E   Greatest relative difference: 3 at index (1, 2) (up to 1e-05 allowed)\n" +
			"src/k.py:31:     acc += tl.dot(x, w)\n" +
			"FAILED tests/t.py::test_conv1x1_as_gemm[f32-64]\n" +
			"1 failed, 1 passed in 3.1s\n"},
		{"c131e", "S-C131", "env: matmul.allow_tf32=False, cudnn.allow_tf32=True\n" +
			".FF......\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_mlp[triton-float32-1024] _______________\n" +
			"tests/t.py:44: in t\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   \n" +
			"E   Mismatched elements: 60000 / 65536 (91.6%)\n" +
			"E   Greatest absolute difference: 0.0251 at index (1, 2) (up to 0.0001 allowed)\n" +
			"E   Greatest relative difference: 3 at index (1, 2) (up to 1e-05 allowed)\n" +
			"_______________ test_mlp[triton-float32-4096] _______________\n" +
			"tests/t.py:44: in t\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   \n" +
			"E   Mismatched elements: 60000 / 65536 (91.6%)\n" +
			"E   Greatest absolute difference: 0.0551 at index (1, 2) (up to 0.0001 allowed)\n" +
			"E   Greatest relative difference: 3 at index (1, 2) (up to 1e-05 allowed)\n" +
			"FAILED tests/t.py::test_mlp[triton-float32-1024]\n" +
			"FAILED tests/t.py::test_mlp[triton-float32-4096]\n" +
			"2 failed, 7 passed in 3.1s\n"},
		{"c20", "S-C20", "torch.backends.cuda.matmul.allow_tf32 = True\n" +
			".FF......\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_mlp[triton-float32-1024] _______________\n" +
			"tests/t.py:44: in t\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   \n" +
			"E   Mismatched elements: 60000 / 65536 (91.6%)\n" +
			"E   Greatest absolute difference: 0.0251 at index (1, 2) (up to 0.0001 allowed)\n" +
			"E   Greatest relative difference: 3 at index (1, 2) (up to 1e-05 allowed)\n" +
			"FAILED tests/t.py::test_mlp[triton-float32-1024]\n" +
			"2 failed, 7 passed in 3.1s\n"},
		{"c20b", "S-C20", "cudnn.allow_tf32=True matmul.allow_tf32=False\n" +
			".FF......\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_conv2d[triton-float32-64] _______________\n" +
			"tests/t.py:44: in t\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   \n" +
			"E   Mismatched elements: 60000 / 65536 (91.6%)\n" +
			"E   Greatest absolute difference: 0.0251 at index (1, 2) (up to 0.0001 allowed)\n" +
			"E   Greatest relative difference: 3 at index (1, 2) (up to 1e-05 allowed)\n" +
			"FAILED tests/t.py::test_conv2d[triton-float32-64]\n" +
			"2 failed, 7 passed in 3.1s\n"},
		{"c57a", "S-C57", "tests/t.py::test_x FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"______ test_x ______\n" +
			"\n" +
			"    def test_x():\n" +
			"        out = torch.empty_like(x)\n" +
			"        mul_kernel[(8,)](x, out, 1000, BLOCK=64)\n" +
			">       torch.testing.assert_close(out, ref)\n" +
			"E       AssertionError: Tensor-likes are not close!\n" +
			"E       \n" +
			"E       Mismatched elements: 488 / 1000 (48.8%)\n" +
			"E       Greatest absolute difference: 3.1 at index (700,) (up to 1e-05 allowed)\n" +
			"E       Greatest relative difference: inf at index (700,) (up to 1.3e-06 allowed)\n" +
			"\n" +
			"tests/t.py:9: AssertionError\n" +
			"FAILED tests/t.py::test_x - AssertionError\n" +
			"1 failed in 2s\n"},
		{"c57b", "S-C57", "tests/t.py::test_x FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"______ test_x ______\n" +
			"\n" +
			"    def test_x():\n" +
			"        out = torch.empty_like(x)\n" +
			"        relu[16,](x, out, n, BLOCK_SIZE=128)\n" +
			">       torch.testing.assert_close(out, ref)\n" +
			"E       AssertionError: Tensor-likes are not close!\n" +
			"E       \n" +
			"E       Mismatched elements: 2048 / 4096 (50.0%)\n" +
			"E       Greatest absolute difference: 3.1 at index (2048,) (up to 1e-05 allowed)\n" +
			"E       Greatest relative difference: inf at index (2048,) (up to 1.3e-06 allowed)\n" +
			"\n" +
			"tests/t.py:9: AssertionError\n" +
			"FAILED tests/t.py::test_x - AssertionError\n" +
			"1 failed in 2s\n"},
		{"c57c", "S-C57", "tests/t.py::test_x FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"______ test_x ______\n" +
			"\n" +
			"BLOCK = 256\n" +
			"N = 8\n" +
			"    def test_x():\n" +
			"        k[(N,)](x, out, BLOCK_SIZE=BLOCK)\n" +
			">       torch.testing.assert_close(out, ref)\n" +
			"E       AssertionError: Tensor-likes are not close!\n" +
			"E       \n" +
			"E       Mismatched elements: 952 / 3000 (31.7%)\n" +
			"E       Greatest absolute difference: 3.1 at index (2048,) (up to 1e-05 allowed)\n" +
			"E       Greatest relative difference: inf at index (2048,) (up to 1.3e-06 allowed)\n" +
			"\n" +
			"tests/t.py:9: AssertionError\n" +
			"FAILED tests/t.py::test_x - AssertionError\n" +
			"1 failed in 2s\n"},
		{"c57d", "S-C57", "tests/t.py::test_second_call RERUN\n" +
			"tests/t.py::test_second_call FAILED\n" +
			"tests/t.py::test_first_call PASSED\n" +
			"=================================== FAILURES ===================================\n" +
			"______ test_second_call ______\n" +
			"\n" +
			"    def test_x():\n" +
			"        out = torch.empty_like(x)\n" +
			"        k[(2, )](x, out, TILE=512)\n" +
			">       torch.testing.assert_close(out, ref)\n" +
			"E       AssertionError: Tensor-likes are not close!\n" +
			"E       \n" +
			"E       Mismatched elements: 1024 / 2048 (50.0%)\n" +
			"E       Greatest absolute difference: 3.1 at index (1024,) (up to 1e-05 allowed)\n" +
			"E       Greatest relative difference: inf at index (1024,) (up to 1.3e-06 allowed)\n" +
			"\n" +
			"tests/t.py:9: AssertionError\n" +
			"FAILED tests/t.py::test_second_call - AssertionError\n" +
			"1 failed, 1 passed, 1 rerun in 2s\n"},
		{"c57e", "S-C57", "tests/t.py::test_x FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"______ test_x ______\n" +
			"launch: grid=(4, 1, 1) BLOCK=1024\n" +
			"E       AssertionError: Tensor-likes are not close!\n" +
			"E       \n" +
			"E       Mismatched elements: 904 / 5000 (18.1%)\n" +
			"E       Greatest absolute difference: 3.1 at index (4100,) (up to 1e-05 allowed)\n" +
			"E       Greatest relative difference: inf at index (4100,) (up to 1.3e-06 allowed)\n" +
			"\n" +
			"tests/t.py:9: AssertionError\n" +
			"FAILED tests/t.py::test_x - AssertionError\n" +
			"1 failed in 2s\n"},
		{"p09", "S-P09", "HW Thermal Slowdown : Active\n" +
			"shape us sm_mhz\n" +
			"a 41.2 945\n" +
			"b 18.9 1410\n" +
			"c 17.2 1980\n" +
			"FAIL: 3 of 3 shapes slower than baseline\n"},
		{"p80a", "S-P80", "[bench] l2 flush: cache.zero_() before each repeat\n" +
			"case            ours_ms  base_ms  ratio\n" +
			"add n=1   0.0612 0.0041 14.9\n" +
			"add n=8   0.0640 0.0070 9.1\n" +
			"mul n=64  0.1270 0.0700 1.8\n" +
			"3 of 3 cases above 1.10x\n" +
			"FAIL\n"},
		{"p80b", "S-P80", "flush buffer 512 MiB\n" +
			"profile of the timed region:\n" +
			"  Memset (Device)    12.0   91.20\n" +
			"  rms_norm_kernel     104.0    8.10\n" +
			"rms_norm 99.4 us, baseline 8.2 us\n" +
			"FAIL ratio 12.1 (limit 1.1)\n"},
		{"p80c", "S-P80", "L2 flush on (zero_())\n" +
			"kernel measured expected diff\n" +
			"rope s=1k 45.1us 4.1us 41.0us\n" +
			"softmax 46.2 5.1 41.1\n" +
			"layer norm big 91.2 50.1 41.1\n" +
			"rope 45.3 4.2 41.1\n" +
			"PERF FAILED: 3 above 1.05x\n"},
		{"p80d", "S-P80", "l2_flush: 256 MiB\n" +
			"| case | current_us | baseline_us |\n" +
			"|---|---|---|\n" +
			"| add_1 | 61.2 | 4.1 |\n" +
			"| add_2 | 63.0 | 5.9 |\n" +
			"| add_3 | 97.2 | 40.1 |\n" +
			"| add_4 | 257.0 | 200.1 |\n" +
			"REGRESSION in 4 of 4\n"},
		{"p80e", "S-P80", "cache flush: zero_() 128 MiB per iteration\n" +
			"top kernels in window (us):\n" +
			"  void at::native::vectorized_elementwise_kernel<4, FillFunctor<float>>  28.80\n" +
			"  avg_pool_kernel 3.90\n" +
			"avg_pool: 32.7 us vs baseline 3.9 us: REGRESSION 8.4x\n"},
		{"p82", "S-P82", "shape us sm_mhz\n" +
			"128x128 41.2 345\n" +
			"512x512 18.9 1410\n" +
			"1024x1024 17.2 1980\n" +
			"SW Power Cap : Not Active\n" +
			"FAIL: 3 of 3 shapes slower than baseline\n"},
		{"p96a", "S-P96", "NVIDIA B200, power.limit 600 W (default 1000 W)\n" +
			"clocks_event_reasons.sw_power_cap: Active\n" +
			"gemm 4096: 0.31 ms (baseline 0.20 ms) sm 1110 MHz\n" +
			"attn 8k: 1.9 ms (baseline 1.2 ms) sm 1125 MHz\n" +
			"copy 1G: 0.29 ms (baseline 0.29 ms) sm 1950 MHz\n" +
			"FAIL: 2 of 3 benchmarks slower than 1.10\n"},
		{"p96b", "S-P96", "$ nvidia-smi -q -d POWER\n" +
			"    Default Power Limit : 700.00 W\n" +
			"    Current Power Limit : 350.00 W\n" +
			"$ python bench.py --compare\n" +
			"kernel   ms   base_ms  sm_mhz  power\n" +
			"gemm_a   0.40  0.22  1005  349.8\n" +
			"gemm_b   1.40  0.81  1010  349.9\n" +
			"gemm_c   2.40  1.40  1002  349.7\n" +
			"add     0.30  0.30  1980  280.1\n" +
			"REGRESSION: 3 of 4 rows above 1.10\n"},
		{"p96c", "S-P96", "+ nvidia-smi --query-gpu=name,power.max_limit,power.limit --format=csv\n" +
			"NVIDIA H200, max_power_limit 700\n" +
			"+ nvidia-smi -i 0 -pl 300\n" +
			"[bench] throttle reasons: SW Power Cap\n" +
			"matmul  410 TFLOPS  (baseline 720)\n" +
			"rmsnorm 3900 GB/s (baseline 3910)\n" +
			"bench gate: 1 regression above 5 %\n"},
		{"p96d", "S-P96", "Power limit for GPU 00000000:3B:00.0 was set to 200.00 W from 350.00 W.\n" +
			"matmul fp16 8192  sm=900MHz  3.1 ms  base 1.9 ms  FAIL\n" +
			"matmul bf16 8192  sm=905MHz  3.1 ms  base 1.9 ms  FAIL\n" +
			"softmax  sm=1700MHz  0.31 ms  base 0.31 ms\n" +
			"SW Power Cap : Active\n"},
		{"p96e", "S-P96", "kernel  ms  base_ms  sm_mhz  power_w\n" +
			"gemm 0.40 0.22 1005 299.8\n" +
			"attn 1.40 0.81 1010 299.9\n" +
			"conv 2.40 1.40 1002 299.7\n" +
			"add 0.30 0.30 1980 240.1\n" +
			"nvidia-smi: power.limit 300.00 W, power.default_limit 700.00 W\n" +
			"3 of 4 benchmarks slower than baseline\n" +
			"FAIL\n"},
		{"r06", "S-R06", "tests/t.py::test_g[idx0] PASSED\n" +
			"tests/t.py::test_g[idx300000] FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_g[idx300000] _______________\n" +
			"tests/t.py:44: in t\n" +
			"rows=400000 row_stride=1024\n" +
			"E   torch.AcceleratorError: CUDA error: an illegal memory access was encountered\n" +
			"FAILED tests/t.py::test_g[idx300000]\n" +
			"1 failed, 1 passed in 3.1s\n"},
		{"r06b", "S-R06", "tests/t.py::test_g[idx0] PASSED\n" +
			"tests/t.py::test_g[big] FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_g[big] _______________\n" +
			"tests/t.py:44: in t\n" +
			"idx = tensor([300000], dtype=torch.int64)\n" +
			"stride = (8192, 1)\n" +
			"E   torch.AcceleratorError: CUDA error: an illegal memory access was encountered\n" +
			"FAILED tests/t.py::test_g[big]\n" +
			"1 failed, 1 passed in 3.1s\n"},
		{"r45a", "S-R45", "tests/t.py::test_copy[slot=1000] PASSED\n" +
			"tests/t.py::test_copy[slot=32767] PASSED\n" +
			"tests/t.py::test_copy[slot=32768] FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_copy[slot=32768] _______________\n" +
			"tests/t.py:44: in t\n" +
			"E   RuntimeError: Triton Error [CUDA]: an illegal memory access was encountered\n" +
			"cache strides: (65536, 128, 1)\n" +
			"FAILED tests/t.py::test_copy[slot=32768] - RuntimeError\n" +
			"1 failed, 2 passed in 3.1s\n"},
		{"r45b", "S-R45", "tests/t.py::test_kv[small] PASSED\n" +
			"tests/t.py::test_kv[big] FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_kv[big] _______________\n" +
			"tests/t.py:44: in t\n" +
			"kv_cache shape (70000, 16, 8, 256) stride(0)=32768\n" +
			"block_table = tensor([65537], dtype=torch.int32)\n" +
			"E   RuntimeError: Triton Error [CUDA]: an illegal memory access was encountered\n" +
			"FAILED tests/t.py::test_kv[big] - RuntimeError\n" +
			"1 failed, 1 passed in 3.1s\n"},
		{"r45c", "S-R45", "....F\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_embed[tokens-row200000] _______________\n" +
			"tests/t.py:44: in t\n" +
			"weight stride = (16384, 1)\n" +
			"E   RuntimeError: Triton Error [CUDA]: an illegal memory access was encountered\n" +
			"FAILED tests/t.py::test_embed[tokens-row200000] - RuntimeError: Triton Error\n" +
			"1 failed, 4 passed in 3.1s\n"},
		{"r45d", "S-R45", "tests/t.py::test_g[page4095] PASSED\n" +
			"tests/t.py::test_g[page4096] FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_g[page4096] _______________\n" +
			"tests/t.py:44: in t\n" +
			"signature: {'p': '*fp16', 'stride_page': 'i32'}\n" +
			"p.stride() = (524288, 128, 1)\n" +
			"E   torch.AcceleratorError: CUDA error: an illegal memory access was encountered\n" +
			"FAILED tests/t.py::test_g[page4096]\n" +
			"1 failed, 1 passed in 3.1s\n"},
		{"r45e", "S-R45", "tests/t.py::test_g[idx0] PASSED\n" +
			"tests/t.py::test_g[idx300000] FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_g[idx300000] _______________\n" +
			"tests/t.py:44: in t\n" +
			"rows=400000 row_stride=8192\n" +
			"E   torch.AcceleratorError: CUDA error: an illegal memory access was encountered\n" +
			"FAILED tests/t.py::test_g[idx300000]\n" +
			"1 failed, 1 passed in 3.1s\n"},
	} {
		got := Text("job.log", c.log)
		require.NotEmpty(t, got.Matches, c.name)
		assert.Equal(t, c.want, got.Matches[0].Signature, "%s: %v", c.name, ids(got))
	}
	for _, c := range []struct{ name, not, log string }{
		{"notc06", "S-C06", "....FF\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_scale[shape=(128, 128)] _______________\n" +
			"tests/t.py:44: in t\n" +
			"kernel:\n" +
			"    x = tl.load(x_ptr + offs_m[:, None] * stride + offs_n[None, :])\n" +
			"    tl.store(y_ptr + offs_m[:, None] * stride + offs_n[None, :], x)\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   \n" +
			"E   Mismatched elements: 1200 / 10000 (12.0%)\n" +
			"E   Greatest absolute difference: 33.1 at index (96, 3) (up to 0.001 allowed)\n" +
			"E   Greatest relative difference: 3 at index (96, 3) (up to 1e-05 allowed)\n" +
			"FAILED tests/t.py::test_scale[shape=(128, 128)]\n" +
			"FAILED tests/t.py::test_scale[shape=(130, 64)]\n" +
			"2 failed, 4 passed in 2s\n"},
		{"notc131", "S-C131", "torch.backends.cuda.matmul.allow_tf32 = False\n" +
			"tl.dot(a, b, acc, input_precision=\"ieee\")\n" +
			".FF......\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________ test_mlp[triton-float32-1024] _______________\n" +
			"tests/t.py:44: in t\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   \n" +
			"E   Mismatched elements: 60000 / 65536 (91.6%)\n" +
			"E   Greatest absolute difference: 0.0251 at index (1, 2) (up to 0.0001 allowed)\n" +
			"E   Greatest relative difference: 3 at index (1, 2) (up to 1e-05 allowed)\n" +
			"FAILED tests/t.py::test_mlp[triton-float32-1024]\n" +
			"2 failed, 7 passed in 3.1s\n"},
		{"notc57", "S-C57", "tests/t.py::test_x FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"______ test_x ______\n" +
			"\n" +
			"    def test_x():\n" +
			"        out = torch.empty_like(x)\n" +
			"        mul_kernel[(8,)](x, out, 1000, BLOCK=128)\n" +
			">       torch.testing.assert_close(out, ref)\n" +
			"E       AssertionError: Tensor-likes are not close!\n" +
			"E       \n" +
			"E       Mismatched elements: 488 / 1000 (48.8%)\n" +
			"E       Greatest absolute difference: 3.1 at index (700,) (up to 1e-05 allowed)\n" +
			"E       Greatest relative difference: inf at index (700,) (up to 1.3e-06 allowed)\n" +
			"\n" +
			"tests/t.py:9: AssertionError\n" +
			"FAILED tests/t.py::test_x - AssertionError\n" +
			"1 failed in 2s\n"},
		{"notp80", "S-P80", "[bench] l2 flush: cache.zero_() before each repeat\n" +
			"case            ours_ms  base_ms  ratio\n" +
			"add n=1   0.0082 0.0041 2.0\n" +
			"add n=8   0.0140 0.0070 2.0\n" +
			"mul n=64  0.1400 0.0700 2.0\n" +
			"3 of 3 cases above 1.10x\n" +
			"FAIL\n"},
	} {
		assert.NotContains(t, ids(Text("job.log", c.log)), c.not, c.name)
	}
}

// A page of documentation tells of failures that did not happen.
func TestDocumentationIsNoLog(t *testing.T) {
	pages := []string{"../../README.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/rules/*.md"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		pages = append(pages, found...)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		assert.True(t, Text(page, string(text)).Unknown, "%s: %v", page, ids(Text(page, string(text))))
		if page == pages[0] {
			assert.True(t, Text("job.log", string(text)).Unknown, "%v", ids(Text("job.log", string(text))))
		}
	}
	const failed = "# error[E0308] in the build\nerror[E0554]: `#![feature]` may not be used on the stable release channel\n --> src/lib.rs:2:1\n"
	assert.False(t, Text("output.md", failed).Unknown, "a log by another name is a log")
	assert.False(t, Text("job.log", "# Build\n## Step\n"+failed).Unknown, "headings make no document of a log")
}
