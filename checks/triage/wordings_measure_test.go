package triage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Logs of wrong values and of slow benchmarks whose settings, versions and rows tell the
// cause: the signature that leads.
func TestSettingsAndRowsTellTheCause(t *testing.T) {
	for _, c := range []struct{ name, want, log string }{
		{"numpy atol zero", "S-C170", "tests/test_fft.py::test_irfft[512] FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"_______________________________ test_irfft[512] ________________________________\n" +
			"tests/test_fft.py:51: in test_irfft\n" +
			"    np.testing.assert_allclose(got.get(), want, rtol=1e-4)\n" +
			"E   AssertionError: \n" +
			"E   Not equal to tolerance rtol=0.0001, atol=0\n" +
			"E   \n" +
			"E   Mismatched elements: 3 / 512 (0.586%)\n" +
			"E   Max absolute difference among violations: 4.1e-08\n" +
			"E   Max relative difference among violations: 3.7e+02\n" +
			"E    ACTUAL: array([ 1.021144e+00, -3.1e-08,  7.711e-01, ...], dtype=float32)\n" +
			"E    DESIRED: array([ 1.021144e+00,  1.0e-10,  7.711e-01, ...], dtype=float32)\n" +
			"=========================== short test summary info ============================\n" +
			"FAILED tests/test_fft.py::test_irfft[512] - AssertionError: \n" +
			"1 failed, 11 passed in 2.11s\n"},
		{"nan both", "S-C167", "tests/test_log.py::test_log_negative FAILED\n" +
			"_______________________________ test_log_negative ______________________________\n" +
			"    def test_log_negative():\n" +
			"        x = torch.tensor([-1.0, 0.0, 1.0, 2.0], device=\"cuda\")\n" +
			">       torch.testing.assert_close(my_log(x), torch.log(x))\n" +
			"E       AssertionError: Tensor-likes are not close!\n" +
			"E       \n" +
			"E       Mismatched elements: 1 / 4 (25.0%)\n" +
			"E       Greatest absolute difference: nan at index (0,) (up to 1e-05 allowed)\n" +
			"E       Greatest relative difference: nan at index (0,) (up to 1.3e-06 allowed)\n" +
			"----------------------------- Captured stdout call -----------------------------\n" +
			"out: tensor([nan, -inf, 0.0000, 0.6931], device='cuda:0')\n" +
			"ref: tensor([nan, -inf, 0.0000, 0.6931], device='cuda:0')\n" +
			"FAILED tests/test_log.py::test_log_negative - AssertionError: Tensor-likes are not close!\n" +
			"1 failed, 8 passed in 1.90s\n"},
		{"stages table", "S-C160", "checking gemm_a16w4 128x4096x4096\n" +
			"  num_stages=1 num_warps=4  max_err=9.4e-05  ok\n" +
			"  num_stages=2 num_warps=4  max_err=9.4e-05  ok\n" +
			"  num_stages=3 num_warps=4  max_err=3.36e+01 WRONG\n" +
			"  num_stages=3 num_warps=8  max_err=7.99e+01 WRONG\n" +
			"  num_stages=4 num_warps=4  max_err=3.61e+01 WRONG\n" +
			"same config gives bit-identical output in 10 runs\n" +
			"RuntimeError: 3 of 5 configs wrong\n"},
		{"triton version wrong", "S-C161", "python check_max.py\n" +
			"triton 2.1.0: tl.max over [16,1] -> 1.745240 (ref 1.745240) ok\n" +
			"triton 2.2.0: tl.max over [16,1] -> 1.004396 (ref 1.745240) FAIL\n" +
			"same source, same torch 2.2.0+cu121, same GPU (A100)\n" +
			"AssertionError: row max differs from torch on triton 2.2.0\n"},
		{"fnuz scale", "S-C163", "tests/quant/test_fp8_gemm.py::test_scaled_mm[e4m3-64] FAILED\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 4096 / 4096 (100.0%)\n" +
			"E   Greatest absolute difference: 21.75 at index (3, 9) (up to 0.05 allowed)\n" +
			"----------------------------- Captured stdout call -----------------------------\n" +
			"device gfx942, weight dtype torch.float8_e4m3fnuz, checkpoint dtype torch.float8_e4m3fn\n" +
			"out/ref ratio: mean 0.5000 min 0.4998 max 0.5002\n" +
			"FAILED tests/quant/test_fp8_gemm.py::test_scaled_mm[e4m3-64] - AssertionError: Tensor-likes are not close!\n" +
			"1 failed, 2 passed in 4.0s\n"},
		{"e8m0 raw", "S-C165", "[dequant] layer 3 k_proj: weight F8_E4M3 [1024, 4096], scale U8 [1024, 128]\n" +
			"[dequant] mean |w| got 13410.2, expected 0.0297\n" +
			"[dequant] ratio 4.5e+05\n" +
			"AssertionError: dequantized weights out of range\n"},
		{"fp8 subnormal", "S-C166", "decode all 256 codes of e4m3fn\n" +
			"  normals           238 / 238 equal\n" +
			"  exponent field 0    2 / 16 equal   (0x01: got 0.0087890625, want 0.001953125)\n" +
			"  nan codes           0 / 2 nan      (0x7f: got 480.0)\n" +
			"AssertionError: 16 of 256 codes decode wrongly\n"},
		{"jax x64", "S-C168", "jax/_src/numpy/lax_numpy.py:5211: UserWarning: Explicitly requested dtype float64 requested in astype is not available, and will be truncated to dtype float32. To enable more dtypes, set the jax_enable_x64 configuration option or the JAX_ENABLE_X64 shell environment variable.\n" +
			"tests/test_cumsum.py::test_cumsum[1000000] FAILED\n" +
			"E   AssertionError: \n" +
			"E   Not equal to tolerance rtol=1e-10, atol=1e-10\n" +
			"E   Mismatched elements: 999812 / 1000000 (100%)\n" +
			"E   Max absolute difference: 0.0312\n" +
			"E   Max relative difference: 6.1e-05\n" +
			"FAILED tests/test_cumsum.py::test_cumsum[1000000] - AssertionError\n" +
			"1 failed, 4 passed in 3.4s\n"},
		{"jax precision", "S-C169", "tests/test_attn.py::test_mha_grad FAILED\n" +
			"E   AssertionError: \n" +
			"E   Not equal to tolerance rtol=1e-05, atol=1e-05\n" +
			"E   Mismatched elements: 32011 / 32768 (97.7%)\n" +
			"E   Max absolute difference: 0.0042\n" +
			"E   Max relative difference: 12.1\n" +
			"---- Captured stdout call ----\n" +
			"jax_default_matmul_precision=None on NVIDIA A100; dtype float32\n" +
			"with jax.default_matmul_precision(\"highest\"): max diff 3.1e-06\n" +
			"FAILED tests/test_attn.py::test_mha_grad\n" +
			"1 failed, 6 passed in 20.4s\n"},
		{"liger style", "S-C43", ">               assert_verbose_allclose(o, ref, atol=1e-5, rtol=1e-5)\n" +
			"E               AssertionError: Number of mismatched elements: 2\n" +
			"E               Mismatch at index (1, 77): tensor1[(1, 77)] = 0.4821113348007202, tensor2[(1, 77)] = 0.4821262359619141\n" +
			"E               Mismatch at index (3, 12): tensor1[(3, 12)] = -1.2203311920166016, tensor2[(3, 12)] = -1.2203512191772461\n" +
			"test/utils.py:88: AssertionError\n" +
			"FAILED test/transformers/test_rms_norm.py::test_correctness[dtype0-1e-05-1e-05-4-128-512] - AssertionError: Number of mismatched elements: 2\n" +
			"1 failed, 63 passed in 12.2s\n"},
		{"liger nan", "S-C09", "E               AssertionError: Number of mismatched elements: 512\n" +
			"E               Mismatch at index (0, 0): tensor1[(0, 0)] = nan, tensor2[(0, 0)] = 0.4821262359619141\n" +
			"E               Mismatch at index (0, 1): tensor1[(0, 1)] = nan, tensor2[(0, 1)] = -0.22\n" +
			"E               ... and 510 more mismatched elements.\n" +
			"FAILED test/transformers/test_geglu.py::test_correctness[dtype1] - AssertionError: Number of mismatched elements: 512\n" +
			"1 failed, 3 passed in 2.2s\n"},
		{"gtest near", "S-C17", "[ RUN      ] LayerNormTest.Float16Large\n" +
			"test/layernorm_test.cu:88: Failure\n" +
			"The difference between expected[i] and actual[i] is 0.00048828125, which exceeds 1e-4, where\n" +
			"expected[i] evaluates to 0.9990234375,\n" +
			"actual[i] evaluates to 0.99951171875, and\n" +
			"1e-4 evaluates to 0.0001.\n" +
			"at i=211\n" +
			"[  FAILED  ] LayerNormTest.Float16Large (12 ms)\n" +
			"[==========] 9 tests from 1 test suite ran. (88 ms total)\n" +
			"[  PASSED  ] 8 tests.\n" +
			"[  FAILED  ] 1 test, listed below:\n" +
			"[  FAILED  ] LayerNormTest.Float16Large\n"},
		{"burn rust", "S-C17", "running 3 tests\n" +
			"test tests::gelu_matches ... ok\n" +
			"test tests::matmul_f16 ... FAILED\n" +
			"failures:\n" +
			"---- tests::matmul_f16 stdout ----\n" +
			"thread 'tests::matmul_f16' panicked at crates/tests/src/matmul.rs:44:10:\n" +
			"Tensors are not approx eq:\n" +
			"  => Position 3: 12.109375 != 12.1171875 | difference 0.0078125 > tolerance 0.001\n" +
			"  => Position 19: 30.5 != 30.515625 | difference 0.015625 > tolerance 0.001\n" +
			"test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.44s\n"},
		{"rope neox", "S-C34", "tests/test_rope.py::test_rope[64-neox] PASSED\n" +
			"tests/test_rope.py::test_rope[64-gptj] FAILED\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 8064 / 8192 (98.4%)\n" +
			"E   Greatest absolute difference: 4.71 at index (1, 3, 5) (up to 0.001 allowed)\n" +
			"---- Captured stdout call ----\n" +
			"kernel is_neox_style=True  ref interleaved=True\n" +
			"position 0: equal\n" +
			"FAILED tests/test_rope.py::test_rope[64-gptj] - AssertionError: Tensor-likes are not close!\n" +
			"1 failed, 1 passed\n"},
		{"wave64", "S-C162", "device: AMD Instinct MI300X (gfx942), warpSize 64\n" +
			"reduce_sum<float, 256>: got 8128.0 want 16256.0\n" +
			"reduce_sum<float, 64>: got 992.0 want 2016.0\n" +
			"reduce on gfx1100 (warpSize 32): ok\n" +
			"FAILED 2 of 2\n"},
		{"pdl race", "S-C179", "[norm+quant] PDL on : mismatches 0, 131, 0, 12, 0, 77 over 6 runs\n" +
			"[norm+quant] PDL off: mismatches 0, 0, 0, 0, 0, 0 over 6 runs\n" +
			"kernel quant_fp8 launched with programmaticStreamSerialization, no griddepcontrol.wait before the first load\n" +
			"AssertionError: fused_norm_quant not reproducible\n"},
		{"semaphores", "S-C36", "marlin gemm m=16: call 1 max err 0.0009\n" +
			"marlin gemm m=16: call 2 max err 0.0009\n" +
			"marlin gemm m=48 (aborted by timeout)\n" +
			"marlin gemm m=16: call 4 max err 188.2\n" +
			"workspace locks nonzero: 24 of 512\n" +
			"AssertionError: output differs after aborted launch\n"},
		{"scan carry", "S-C181", "tests/test_cumsum.py::test_cumsum[1024] PASSED\n" +
			"tests/test_cumsum.py::test_cumsum[1025] FAILED\n" +
			"tests/test_cumsum.py::test_cumsum[4096] FAILED\n" +
			"E   Mismatched elements: 3072 / 4096 (75.0%)\n" +
			"E   Greatest absolute difference: 1571.2 at index (4095,) (up to 0.001 allowed)\n" +
			"---- Captured stdout call ----\n" +
			"BLOCK=1024; first wrong index 1024; out[1024]=0.31 ref[1024]=512.9\n" +
			"FAILED tests/test_cumsum.py::test_cumsum[1025]\n" +
			"FAILED tests/test_cumsum.py::test_cumsum[4096]\n" +
			"2 failed, 1 passed\n"},
		{"int8 wrap", "S-C176", "quantize_int8: got -127 -126 13, want 127 127 13 at 3 values of 200.4 ...\n" +
			"input 127.6 -> kernel -128, ref 127\n" +
			"input 129.0 -> kernel -127, ref 127\n" +
			"AssertionError: 212 of 4096 int8 values differ\n"},
		{"floor mod", "S-C177", "remainder int32: x=[7, -7, 7, -7] y=[3, 3, -3, -3]\n" +
			"triton: [1, -1, 1, -1]\n" +
			"torch:  [1, 2, -2, -1]\n" +
			"AssertionError: remainder differs for mixed signs\n"},
		{"autocast", "S-C171", "tests/test_block.py::test_block_forward FAILED\n" +
			"E   AssertionError: The values for attribute 'dtype' do not match: torch.bfloat16 != torch.float32.\n" +
			"---- Captured stdout call ----\n" +
			"torch.is_autocast_enabled(): True (session fixture)\n" +
			"1 failed, 3 passed\n"},
		{"autocast values", "S-C171", "tests/test_block.py::test_mlp FAILED\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 3991 / 4096 (97.4%)\n" +
			"E   Greatest absolute difference: 0.0171 at index (1, 9) (up to 1e-05 allowed)\n" +
			"---- Captured stdout call ----\n" +
			"autocast: enabled dtype=torch.bfloat16 -> reference linear ran in bfloat16, kernel in float32\n" +
			"1 failed, 3 passed\n"},
		{"inplace ref", "S-C37", "def test_add_rms():\n" +
			"    out = fused_add_rmsnorm(x, residual, w)\n" +
			"    ref = rmsnorm_ref(x + residual, w)\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 8192 / 8192 (100.0%)\n" +
			"E   Greatest absolute difference: 3.81 at index (1, 9) (up to 0.01 allowed)\n" +
			"---- Captured stdout call ----\n" +
			"x changed by the call: True (sum 12.1 -> 55.8)\n" +
			"1 failed in 1s\n"},
		{"channels last", "S-C32", "conv2d nchw           max err 2.1e-06\n" +
			"conv2d channels_last  max err 5.31\n" +
			"conv2d channels_last (x.contiguous())  max err 2.1e-06\n" +
			"AssertionError: conv2d wrong for channels_last\n"},
		{"golden gpu", "S-C173", "tests/regression/test_golden.py::test_logits[gemma] FAILED\n" +
			"golden file: tests/golden/gemma_a100.pt (recorded on A100, torch 2.3.1, cu121)\n" +
			"running on NVIDIA H100, torch 2.8.0, cu128\n" +
			"E   Mismatched elements: 88 / 32000 (0.3%)\n" +
			"E   Greatest absolute difference: 0.0156 at index (0, 2210) (up to 0.01 allowed)\n" +
			"E   Greatest relative difference: 0.012 at index (0, 2210) (up to 0.01 allowed)\n" +
			"1 failed, 4 passed\n"},
		{"fp16 reduced", "S-C33", "tests/test_mm.py::test_mm_fp16[8192] FAILED\n" +
			"E   Mismatched elements: 12 / 65536 (0.0%)\n" +
			"E   Greatest absolute difference: 0.25 at index (8, 1) (up to 0.1 allowed)\n" +
			"---- Captured stdout call ----\n" +
			"allow_fp16_reduced_precision_reduction=True\n" +
			"err vs fp64: kernel 0.031, torch 0.261\n" +
			"1 failed, 3 passed\n"},
		{"ref in fp16", "S-C175", "tests/test_norm.py::test_l2norm[float16] FAILED\n" +
			"E   Mismatched elements: 4096 / 4096 (100.0%)\n" +
			"E   Greatest absolute difference: inf at index (0, 0) (up to 0.001 allowed)\n" +
			"---- Captured stdout call ----\n" +
			"inf in out: 0  inf in ref: 4096\n" +
			"ref computed in torch.float16: sum of squares 81920 > 65504\n" +
			"1 failed, 1 passed\n"},
		{"warps inversion", "S-P93", "kernel sparse_decode, A100, 200 calls after 20 warm-up\n" +
			"num_warps  triton 3.6.0  triton 3.7.1\n" +
			"4          1885 us       3761 us\n" +
			"8          1901 us       1931 us\n" +
			"FAIL: decode 2.0x slower than baseline (1885 us)\n"},
		{"compile in time", "S-P11", "call 0: 1841.22 ms\n" +
			"call 1: 0.071 ms\n" +
			"call 2: 0.070 ms\n" +
			"mean over 3 calls: 613.8 ms, baseline 0.072 ms\n" +
			"FAIL: rms_norm regressed 8525x\n"},
		{"anomaly", "S-P47", "torch.autograd.set_detect_anomaly(True) in conftest\n" +
			"UserWarning: Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging.\n" +
			"backward: 41.2 ms (baseline 9.1 ms)\n" +
			"Performance regressions detected!\n"},
		{"cgroup cpu", "S-P24", "cpu.max: 200000 100000 (2 CPUs), nproc 64\n" +
			"cpu.stat nr_periods 8122 nr_throttled 7711 throttled_usec 512331002\n" +
			"decode: gpu time 5.1 ms (baseline 5.1 ms), wall 19.8 ms (baseline 7.2 ms)\n" +
			"Performance regressions detected!\n"},
		{"omp threads", "S-P118", "OMP_NUM_THREADS=64 on 8 allowed CPUs\n" +
			"dataloader: 41 ms/batch (baseline 9 ms)\n" +
			"gpu util 22%\n" +
			"Performance regressions detected!\n"},
		{"tf32 off", "S-P85", "torch 2.11: float32_matmul_precision=highest, allow_tf32=False (baseline: torch 1.11 allow_tf32=True)\n" +
			"mm fp32 4096: 8.9 ms (baseline 1.2 ms)\n" +
			"mm fp16 4096: 0.21 ms (baseline 0.21 ms)\n" +
			"Performance regressions detected!\n"},
		{"unaligned size", "S-P116", "vec_add n=16777216: 61 us (base 61 us)\n" +
			"vec_add n=16777217: 104 us (base 62 us)\n" +
			"vec_add n=16777219: 104 us (base 62 us)\n" +
			"ptx: ld.global.b32 where base has ld.global.v4.b32\n" +
			"Performance regressions detected!\n"},
		{"int64 idx", "S-P120", "registers: head 96, base 64; SASS IMAD.WIDE x212 (base 40)\n" +
			"change: offsets cast to int64\n" +
			"gather: 88 us (base 61 us)\n" +
			"Performance regressions detected!\n"},
		{"wddm", "S-P124", "nvidia-smi: driver model WDDM (baseline TCC)\n" +
			"launch overhead 48 us (baseline 5 us)\n" +
			"kernel time 12.1 us (baseline 12.0 us)\n" +
			"Performance regressions detected!\n"},
		{"sysmem fallback", "S-P112", "GPU memory used 23.9 / 24.0 GB; shared GPU memory 11.2 GB\n" +
			"step 12.8 s (baseline 1.1 s)\n" +
			"Performance regressions detected!\n"},
		{"uvm", "S-P112", "nsys: Unified Memory: GPU page fault groups 81223, HtoD migrations 14.1 GB\n" +
			"kernel stencil: 412 ms (base 38 ms)\n" +
			"Performance regressions detected!\n"},
		{"item sync", "S-P113", "decode loop: cudaStreamSynchronize 1 per token -> 33 per token (aten::item, aten::_local_scalar_dense)\n" +
			"token time 31.1 ms (baseline 22.4 ms), kernel time 20.1 ms (baseline 20.0 ms)\n" +
			"Performance regressions detected!\n"},
		{"cudagraph skip", "S-P114", "skipping cudagraphs due to mutated inputs (2 instances). Found from :\n" +
			"   File \"model.py\", line 88, in forward\n" +
			"decode: 9.2 ms (baseline 2.9 ms)\n" +
			"Performance regressions detected!\n"},
		{"deterministic", "S-P110", "CUBLAS_WORKSPACE_CONFIG=:4096:8, torch.use_deterministic_algorithms(True) (baseline: False)\n" +
			"index_add_: 812 us (baseline 31 us)\n" +
			"Performance regressions detected!\n"},
		{"ecc", "S-P16", "nvidia-smi: ECC Mode Current: Enabled (baseline host: Disabled)\n" +
			"stream triad: 612 GB/s (baseline 689 GB/s)\n" +
			"gemm fp16: 121 TFLOPS (baseline 121 TFLOPS)\n" +
			"Performance regressions detected!\n"},
		{"mem clock", "S-P22", "clocks.mem 1593 MHz (baseline 2619 MHz), clocks.sm 1980 MHz (baseline 1980 MHz)\n" +
			"stream: 1.9 TB/s (baseline 3.0 TB/s)\n" +
			"gemm: 702 TFLOPS (baseline 701 TFLOPS)\n" +
			"Performance regressions detected!\n"},
		{"pageable", "S-P119", "h2d copy 1 GiB: 6.1 GB/s (baseline 25.2 GB/s)\n" +
			"tensor.is_pinned(): False (baseline True)\n" +
			"kernel: 4.1 ms (baseline 4.1 ms)\n" +
			"Performance regressions detected!\n"},
		{"numa", "S-P24", "numactl: cpubind 1, GPU0 NUMA affinity 0\n" +
			"h2d pinned: 11.2 GB/s (baseline 25.2 GB/s)\n" +
			"Performance regressions detected!\n"},
		{"nccl sockets", "S-P111", "NCCL INFO NET/Socket : Using [0]eth0:10.0.0.4<0>\n" +
			"NCCL INFO NET/IB : No device found.\n" +
			"all_reduce 1 GiB busbw 1.1 GB/s (baseline 181 GB/s)\n" +
			"Performance regressions detected!\n"},
		{"nccl p2p", "S-P111", "NCCL INFO P2P is disabled between connected GPUs 1 and 0. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1.\n" +
			"all_reduce 256 MiB busbw 9.2 GB/s (baseline 231 GB/s)\n" +
			"Performance regressions detected!\n"},
		{"nvlink down", "S-P111", "nvidia-smi nvlink -s: GPU 3: Link 0: <inactive>, Link 1: <inactive>, Link 2: 26.562 GB/s\n" +
			"p2p 0->3: 46 GB/s (baseline 271 GB/s)\n" +
			"p2p 0->1: 271 GB/s (baseline 271 GB/s)\n" +
			"Performance regressions detected!\n"},
		{"steal", "S-P118", "cpu steal 41% (baseline 0%)\n" +
			"launch overhead 19 us (baseline 5 us)\n" +
			"kernel 40 us (baseline 40 us)\n" +
			"Performance regressions detected!\n"},
		{"bench input dtype", "S-P85", "bench: x.dtype=torch.float32 (default), baseline json dtype=torch.bfloat16\n" +
			"rms_norm: 88.2 us (baseline 44.3 us)\n" +
			"layer_norm: 90.1 us (baseline 45.4 us)\n" +
			"Performance regressions detected!\n"},
		{"cache unwritable", "S-P122", "triton cache dir /root/.triton is not writable, kernels compiled in every process\n" +
			"test run: 1812 s (baseline 212 s), compile 1650 s\n" +
			"FAIL: job exceeded time budget\n"},
		{"wave quantization", "S-P41", "grid 133 blocks on 132 SMs, 1 block per SM\n" +
			"kernel: 81 us (base grid 132: 41 us)\n" +
			"Performance regressions detected!\n"},
		{"sm limit", "S-P20", "W0912 torch/_inductor/utils.py:1250] [0/0] Not enough SMs to use max_autotune_gemm mode\n" +
			"mm 4096: 2.1 ms (baseline 1.4 ms)\n" +
			"Performance regressions detected!\n"},
		{"ptx jit", "S-P122", "cuobjdump: ELF sm_80; PTX compute_80\n" +
			"running on sm_120\n" +
			"first kernel launch: 48.3 s (baseline 0.4 s)\n" +
			"~/.nv/ComputeCache: 0 files, CUDA_CACHE_DISABLE=1\n" +
			"FAIL: startup exceeded limit 10 s\n"},
		{"stages pytest", "S-C160", "tests/test_gemm.py::test_gemm[stages1-warps4] PASSED\n" +
			"tests/test_gemm.py::test_gemm[stages1-warps8] PASSED\n" +
			"tests/test_gemm.py::test_gemm[stages2-warps4] PASSED\n" +
			"tests/test_gemm.py::test_gemm[stages2-warps8] FAILED\n" +
			"tests/test_gemm.py::test_gemm[stages3-warps4] FAILED\n" +
			"tests/test_gemm.py::test_gemm[stages3-warps8] FAILED\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 801 / 4096 (19.6%)\n" +
			"E   Greatest absolute difference: 33.1 at index (1, 2) (up to 0.01 allowed)\n" +
			"FAILED tests/test_gemm.py::test_gemm[stages2-warps8] - AssertionError: Tensor-likes are not close!\n" +
			"FAILED tests/test_gemm.py::test_gemm[stages3-warps4] - AssertionError: Tensor-likes are not close!\n" +
			"FAILED tests/test_gemm.py::test_gemm[stages3-warps8] - AssertionError: Tensor-likes are not close!\n" +
			"3 failed, 3 passed\n"},
		{"interp vs gpu", "S-C182", "TRITON_INTERPRET=1 python check.py\n" +
			"max err 1.2e-07 ok\n" +
			"python check.py\n" +
			"max err 3.3 FAIL\n" +
			"AssertionError: kernel differs on the GPU\n"},
		{"hypothesis nan", "S-C186", "Falsifying example: test_max(\n" +
			"    x=array([nan], dtype=float32),\n" +
			")\n" +
			"E   AssertionError: Arrays are not equal\n" +
			"E   Mismatched elements: 1 / 1 (100%)\n" +
			"E    ACTUAL: array([-inf], dtype=float32)\n" +
			"E    DESIRED: array([nan], dtype=float32)\n" +
			"FAILED tests/test_max.py::test_max\n" +
			"1 failed, 4 passed\n"},
		{"eps place", "S-C34", "AssertionError: rms_norm differs: max abs 0.031\n" +
			"x = zeros: out 0.0, ref 0.0\n" +
			"x ~ 1e-4: out/ref 0.7071\n" +
			"x ~ 1: out/ref 1.0000\n" +
			"kernel: x / (rms + eps), reference: x * rsqrt(mean(x^2) + eps), eps=1e-08\n"},
		{"ignore index", "S-C21", "tests/test_ce.py::test_ce[ignore0] PASSED\n" +
			"tests/test_ce.py::test_ce[ignore25] FAILED\n" +
			"tests/test_ce.py::test_ce[ignore50] FAILED\n" +
			"E   AssertionError: Scalars are not close!\n" +
			"E   Expected 2.3456 but got 1.7592.\n" +
			"FAILED tests/test_ce.py::test_ce[ignore25]\n" +
			"FAILED tests/test_ce.py::test_ce[ignore50]\n" +
			"2 failed, 1 passed\n"},
		{"window", "S-C39", "window_size=(128, 0): kernel keeps 129 keys, reference keeps 128\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 40960 / 65536 (62.5%)\n" +
			"E   Greatest absolute difference: 0.021 at index (0, 130, 3) (up to 0.01 allowed)\n" +
			"1 failed, 3 passed in 2s\n"},
		{"paged stale", "S-C184", "page table row 1: [7, 12, -1, -1], seq_len 40, page_size 16\n" +
			"keys read from page -1\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 128 / 256 (50.0%)\n" +
			"E   Greatest absolute difference: 1.7 at index (1, 3) (up to 0.01 allowed)\n" +
			"1 failed, 3 passed\n"},
		{"strided last", "S-C32", "E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 4096 / 4096 (100.0%)\n" +
			"E   Greatest absolute difference: 4.2 at index (1, 3) (up to 0.01 allowed)\n" +
			"---- Captured stdout call ----\n" +
			"q.stride() = (12288, 128, 3, 1) from qkv.unbind, kernel assumes (4096, 128, 1)\n" +
			"1 failed, 3 passed in 2s\n"},
		{"bf16 accumulate grad", "S-C26", "grad weight: sum over 65536 rows; bf16 atomic_add\n" +
			"got 256.0, expected 65536.0\n" +
			"AssertionError: dW saturates at 256\n"},
		{"softmax scale", "S-C34", "attn d=64: out vs ref max err 0.21\n" +
			"attn d=128: out vs ref max err 0.34\n" +
			"with ref scale=1.0: max err 0.0008\n" +
			"AssertionError: attention differs from reference\n"},
		{"cublas ws determinism", "S-C185", "run 1 checksum 9f21, run 2 checksum 9f21, run 3 checksum 77ab\n" +
			"streams: 2, CUBLAS_WORKSPACE_CONFIG unset\n" +
			"with CUBLAS_WORKSPACE_CONFIG=:4096:8: 10 runs, 1 checksum\n" +
			"AssertionError: matmul result not reproducible\n"},
		{"cudnn benchmark", "S-C185", "torch.backends.cudnn.benchmark=True\n" +
			"run 1 loss 2.30112, run 2 loss 2.30109, run 3 loss 2.30115\n" +
			"with cudnn.benchmark=False, deterministic=True: run 1..3 loss 2.30110\n" +
			"AssertionError: losses differ between runs\n"},
		{"dataloader seeds", "S-C35", "worker 0 first sample 0.3312, worker 1 first sample 0.3312, worker 2 first sample 0.3312\n" +
			"AssertionError: samples are duplicated across workers\n"},
		{"numpy int default", "S-C47", "test_index.py: index dtype int64 (linux) kernel reads int32: got [0 0 1 0 2 0], want [0 1 2 3 4 5]\n" +
			"AssertionError: gather indices wrong\n"},
		{"bool mask uint8", "S-C39", "mask dtype torch.uint8: ~mask gives 254/255\n" +
			"max err bool mask 0.0, uint8 mask 6.2\n" +
			"AssertionError: masked_fill differs for uint8 mask\n"},
		{"complex conj", "S-C34", "fft backward: out = conj(ref) at all 512 values (imag sign flipped)\n" +
			"AssertionError: complex gradient differs\n"},
		{"H100 only", "S-C162", "a100  max_err 2.1e-04\n" +
			"h100  max_err 5.1e+00\n" +
			"b200  max_err 2.3e-04\n" +
			"AssertionError: gemm wrong on h100\n"},
		{"sm120", "S-C162", "NVIDIA A100-SXM4-80GB: PASS max err 1.0e-06\n" +
			"NVIDIA GeForce RTX 5090: FAIL max err 2.77\n" +
			"AssertionError: 1 of 2 devices failed\n"},
		{"thread sanitizer lock", "S-C24", "max err 0.0 with GRID=(1,), 3.1 with GRID=(64,)\n" +
			"single block right, 64 blocks wrong\n" +
			"AssertionError: block reduce differs\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Text("job.log", c.log)
			require.NotEmpty(t, got.Matches)
			assert.Equal(t, c.want, got.Matches[0].Signature, "found %v", ids(got))
		})
	}
}

// What tells a cause beside a failure is no failure of its own.
func TestSettingsAloneAreNoFailure(t *testing.T) {
	for _, log := range []string{
		"tests/test_a.py::test_a[1] PASSED\ntorch.use_deterministic_algorithms(True)\nNCCL INFO NET/Socket : Using [0]eth0:10.0.0.4<0>\ntorch.is_autocast_enabled(): True\nskipping cudagraphs due to mutated inputs (2 instances)\ngolden file recorded on A100\n4 passed in 2.1s\n",
		"num_stages=1 max_err=1e-6 ok\nnum_stages=3 max_err=1e-6 ok\nPDL on, griddepcontrol.wait used\nA100: max err 1e-6 ok\nH100: max err 1e-6 ok\n",
		"triton 3.1.0: max err 1.1e-06 ok\ntriton 3.2.0: max err 1.3e-06 ok\nnan in out: 12, nan in ref: 12\nkernel: x / (rms + eps), reference: x / (rms + eps)\n",
		"nr_throttled 0\ncpu steal 0%\ndriver model TCC\nECC: Enabled (baseline: Disabled)\nis_pinned(): False\nIMAD.WIDE x40 (base 40)\n",
		"kernel keeps 129 keys, reference keeps 128 plus itself\nmask dtype torch.uint8\nscales: uint8, mxfp8\n",
	} {
		assert.Empty(t, Text("job.log", log).Matches, log)
	}
}
