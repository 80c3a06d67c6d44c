package triage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Logs whose rows, figures and switches tell the cause: the signature that leads.
func TestTrials(t *testing.T) {
	for _, c := range []struct{ name, want, log string }{
		{"tune script", "S-C46", "$ python examples/fused_adamw.py --steps 3\n" +
			"GPU: NVIDIA H100 80GB HBM3, torch 2.8.0, triton 3.4.0\n" +
			"[adamw] autotuning _adamw_kernel over 8 configs (key: n_elements=1048576)\n" +
			"[adamw] best config: BLOCK=1024, num_warps=4\n" +
			"step 1: max |p_triton - p_torch| = 7.000e-03\n" +
			"step 2: max |p_triton - p_torch| = 7.000e-03\n" +
			"step 3: max |p_triton - p_torch| = 7.000e-03\n" +
			"$ TRITON_CONFIGS=1 python examples/fused_adamw.py --steps 3\n" +
			"step 1: max |p_triton - p_torch| = 0.000e+00\n" +
			"step 2: max |p_triton - p_torch| = 0.000e+00\n" +
			"$ TRITON_CONFIGS=4 python examples/fused_adamw.py --steps 3\n" +
			"step 1: max |p_triton - p_torch| = 3.000e-03\n" +
			"Traceback (most recent call last):\n" +
			"  File \"examples/fused_adamw.py\", line 88, in <module>\n" +
			"    assert diff < 1e-5, diff\n" +
			"AssertionError: 0.007\n"},
		{"tune firstcall", "S-C46", "tests/test_lion.py::test_step_matches_eager FAILED                       [ 50%]\n" +
			"tests/test_lion.py::test_state_shapes PASSED                             [100%]\n" +
			"\n" +
			"=================================== FAILURES ===================================\n" +
			"___________________________ test_step_matches_eager ____________________________\n" +
			"    def test_step_matches_eager():\n" +
			"        for it in range(4):\n" +
			"            p = base.clone()\n" +
			"            lion_update(p, grad, exp_avg.clone(), lr=1e-3)\n" +
			"            errs.append((p - want).abs().max().item())\n" +
			">       assert max(errs) < 1e-6, errs\n" +
			"E       AssertionError: [0.011, 0.0, 0.0, 0.0]\n" +
			"E       assert 0.011 < 1e-06\n" +
			"----------------------------- Captured stderr call -----------------------------\n" +
			"Triton autotuning for function _lion_update_kernel,\n" +
			"with key as (65536, 'torch.float32', 'torch.float32'),\n" +
			"finished after 0.61s,\n" +
			"best config selected: BLOCK_SIZE: 512, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: None;\n" +
			"=========================== short test summary info ============================\n" +
			"FAILED tests/test_lion.py::test_step_matches_eager - AssertionError: [0.011, 0.0, 0.0, 0.0]\n" +
			"========================= 1 failed, 1 passed in 4.10s ==========================\n"},
		{"tune grow", "S-C46", "[bias_grad] configs tried: 1  -> db / ref = 2.00\n" +
			"[bias_grad] configs tried: 4  -> db / ref = 5.00\n" +
			"[bias_grad] configs tried: 12 -> db / ref = 13.00\n" +
			"[bias_grad] second call with the same shape: db / ref = 1.00\n" +
			"AssertionError: bias gradient mismatch on first call: max rel err 12.0\n"},
		{"mask ref", "S-C130", "tests/ops/test_sdpa.py::test_sdpa[cutile_rs-pad0] PASSED\n" +
			"tests/ops/test_sdpa.py::test_sdpa[cutile_rs-pad17] FAILED\n" +
			"tests/ops/test_sdpa.py::test_sdpa[cutile_rs-pad64] FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"_____ test_sdpa[cutile_rs-pad17] _____\n" +
			"tests/ops/test_sdpa.py:71: in test_sdpa\n" +
			"    torch.testing.assert_close(out, ref, atol=2e-2, rtol=2e-2)\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E\n" +
			"E   Mismatched elements: 17408 / 524288 (3.3%)\n" +
			"E   Greatest absolute difference: nan at index (0, 0, 0, 0) (up to 0.02 allowed)\n" +
			"E   Greatest relative difference: nan at index (0, 0, 0, 0) (up to 0.02 allowed)\n" +
			"----- Captured stdout call -----\n" +
			"left padding 17: rows without a visible key 136\n" +
			"nan in out: 0   nan in ref: 17408\n" +
			"ref backend: SDPBackend.MATH\n" +
			"=========================== short test summary info ============================\n" +
			"FAILED tests/ops/test_sdpa.py::test_sdpa[cutile_rs-pad17] - AssertionError: Tensor-likes are not close!\n" +
			"FAILED tests/ops/test_sdpa.py::test_sdpa[cutile_rs-pad64] - AssertionError: Tensor-likes are not close!\n" +
			"2 failed, 1 passed in 6.7s\n"},
		{"mask fallback", "S-C130", "[check] attention, mask=key_padding, lens=[64, 0, 17]\n" +
			"[check] flash path : nan 0 / 98304\n" +
			"[check] fallback (eager softmax) : nan 32768 / 98304\n" +
			"[check] nan rows: batch 1, all 64 queries (length 0: every key is masked)\n" +
			"AssertionError: flash and fallback disagree: nan in fallback output where flash gives 0\n" +
			"FAILED tests/test_attn_dispatch.py::test_fallback_matches_flash[key_padding] - AssertionError: flash and fallback disagree\n" +
			"1 failed, 11 passed in 9.2s\n"},
		{"tf32 flag", "S-C33", "tests/ops/test_matmul.py::test_op[cutile_rs-f32-512] FAILED\n" +
			"tests/ops/test_matmul.py::test_op[cutile_rs-f32-4096] FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"____ test_op[cutile_rs-f32-512] ____\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 201733 / 262144 (77.0%)\n" +
			"E   Greatest absolute difference: 0.0161 at index (77, 301) (up to 1e-05 allowed)\n" +
			"E   Greatest relative difference: 41.2 at index (12, 9) (up to 1.3e-06 allowed)\n" +
			"---- Captured stdout call ----\n" +
			"torch 2.9.1+cu130, float32_matmul_precision=high, allow_tf32=True\n" +
			"kernel launched in 0.031 ms, reference 0.028 ms\n" +
			"err vs float64: out 3.1e-05, ref 1.6e-02\n" +
			"1 passed of bf16 group\n" +
			"FAILED tests/ops/test_matmul.py::test_op[cutile_rs-f32-512] - AssertionError: Tensor-likes are not close!\n" +
			"FAILED tests/ops/test_matmul.py::test_op[cutile_rs-f32-4096] - AssertionError: Tensor-likes are not close!\n" +
			"2 failed in 8.1s\n"},
		{"tf32 triton", "S-C131", "tests/test_gemm.py::test_gemm[triton-float32-256] FAILED\n" +
			"tests/test_gemm.py::test_gemm[triton-float16-256] PASSED\n" +
			"=================================== FAILURES ===================================\n" +
			"____ test_gemm[triton-float32-256] ____\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 60211 / 65536 (91.9%)\n" +
			"E   Greatest absolute difference: 0.0098 at index (7, 31) (up to 0.0001 allowed)\n" +
			"E   Greatest relative difference: 20.0 at index (1, 9) (up to 0.0001 allowed)\n" +
			"---- Captured stdout call ----\n" +
			"allow_tf32=True (tl.dot input_precision default)\n" +
			"torch.backends.cuda.matmul.allow_tf32=False\n" +
			"1 failed, 1 passed in 3.1s\n"},
		{"atol order", "S-C132", "=================================== FAILURES ===================================\n" +
			"____ test_sum[cutile_rs-n1048576] ____\n" +
			"tests/ops/test_sum.py:40: in test_sum\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 3 / 64 (4.7%)\n" +
			"E   Greatest absolute difference: 0.000244140625 at index (17,) (up to 0.0001 allowed)\n" +
			"E   Greatest relative difference: 1.1920928955078125e-07 at index (17,) (up to 0 allowed)\n" +
			"---- Captured stdout call ----\n" +
			"n=1024: max diff 7.6e-06\n" +
			"n=16384: max diff 3.1e-05\n" +
			"n=262144: max diff 1.2e-04\n" +
			"n=1048576: max diff 2.4e-04\n" +
			"sum order: kernel tree per 1024, torch per 4096; run 1 and run 2 give the same bits\n" +
			"FAILED tests/ops/test_sum.py::test_sum[cutile_rs-n1048576] - AssertionError\n" +
			"1 failed, 7 passed in 3.4s\n"},
		{"atol script", "S-C132", "check reduce_sum float32\n" +
			"  n=4096      max abs diff 3.8e-06   values ~ 64\n" +
			"  n=65536     max abs diff 1.5e-05   values ~ 256\n" +
			"  n=1048576   max abs diff 6.1e-05   values ~ 1024    FAIL (atol=5e-05)\n" +
			"  n=16777216  max abs diff 2.4e-04   values ~ 4096    FAIL (atol=5e-05)\n" +
			"  2 of 1024 elements beyond atol, by one ulp of the sum\n" +
			"AssertionError: reduce_sum: 2 sizes beyond atol\n"},
		{"atol atomic", "S-C132", "tests/test_hist.py::test_weighted_hist[atomic] FAILED\n" +
			"____ test_weighted_hist[atomic] ____\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 7 / 4096 (0.2%)\n" +
			"E   Greatest absolute difference: 1.52587890625e-05 at index (211,) (up to 1e-05 allowed)\n" +
			"E   Greatest relative difference: 1.3e-07 at index (211,) (up to 0 allowed)\n" +
			"---- Captured stdout call ----\n" +
			"bins hold up to 118.4; float32 spacing there is 7.6e-06\n" +
			"10 runs: 10 distinct checksums, max diff between runs 1.5e-05\n" +
			"FAILED tests/test_hist.py::test_weighted_hist[atomic] - AssertionError\n" +
			"1 failed, 3 passed in 2.0s\n"},
		{"stride view", "S-C32", "check transpose-add\n" +
			"x contiguous:      max err 0\n" +
			"x = y[:, ::2]:     max err 6.21\n" +
			"x = y.t():         max err 7.02\n" +
			"x = y.expand(..):  max err 4.40\n" +
			"RuntimeError: verification failed for 3 of 4 layouts\n"},
		{"uninit acc", "S-C36", "tests/test_splitk.py::test_splitk[run0] PASSED\n" +
			"tests/test_splitk.py::test_splitk[run1] FAILED\n" +
			"tests/test_splitk.py::test_splitk[run2] FAILED\n" +
			"____ test_splitk[run1] ____\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 16384 / 16384 (100.0%)\n" +
			"E   Greatest absolute difference: 310.2 at index (0, 0) (up to 0.01 allowed)\n" +
			"---- Captured stdout call ----\n" +
			"out[0,0] = 620.4, want 310.2  (previous run's output buffer reused, torch.empty)\n" +
			"FAILED tests/test_splitk.py::test_splitk[run1] - AssertionError\n" +
			"FAILED tests/test_splitk.py::test_splitk[run2] - AssertionError\n" +
			"2 failed, 1 passed\n"},
		{"graph stale", "S-C48", "$ python bench/decode_loop.py --graph\n" +
			"eager     token 0..7: 411 88 901 12 7 7 3120 2\n" +
			"graph run 1 token 0..7: 411 88 901 12 7 7 3120 2\n" +
			"graph run 2 token 0..7: 411 88 901 12 7 7 3120 2\n" +
			"graph run 3 token 0..7: 411 88 901 12 7 7 3120 2\n" +
			"inputs differ between runs; outputs do not\n" +
			"AssertionError: replay 2 returned the values of the capture\n"},
		{"compile dyn", "S-C77", "mode=eager              max err 0.0\n" +
			"mode=aot_eager          max err 0.0\n" +
			"mode=inductor           max err 3.71\n" +
			"mode=inductor,dynamic   max err 3.71\n" +
			"RuntimeError: correctness check failed for 2 of 4 modes\n"},
		{"dtype rows", "S-C04", "checking softmax, 4 dtypes\n" +
			"float32   ok   max err 2.1e-07\n" +
			"float16   ok   max err 4.8e-04\n" +
			"bfloat16  FAIL max err 1.1e+00\n" +
			"float64   ok   max err 1.0e-15\n" +
			"1 of 4 dtypes failed\n"},
		{"ragged rows", "S-C06", "rows x cols      max err\n" +
			" 64 x 1024       0.0\n" +
			" 64 x 2048       0.0\n" +
			" 64 x 1000       8.13\n" +
			" 64 x 1030       7.71\n" +
			"128 x 1024       0.0\n" +
			"128 x 4097       9.02\n" +
			"RuntimeError: validation failed\n"},
		{"gqa rows", "S-C44", "hq=32 hkv=32: max diff 0.0009\n" +
			"hq=32 hkv=8:  max diff 2.31\n" +
			"hq=32 hkv=4:  max diff 2.44\n" +
			"hq=32 hkv=1:  max diff 0.0010\n" +
			"hq=16 hkv=16: max diff 0.0009\n" +
			"attention check failed\n" +
			"AssertionError: 2 of 5 head layouts differ\n"},
		{"batch rows", "S-C49", "batch=1 heads=8 : max diff 0.0007\n" +
			"batch=2 heads=8 : max diff 1.91\n" +
			"batch=4 heads=8 : max diff 2.02\n" +
			"batch=1 heads=16: max diff 0.0008\n" +
			"AssertionError: attention differs for 2 of 4 configs\n"},
		{"fp16 acc", "S-C26", "matmul fp16, M=N=256\n" +
			"K=64     max err 0.004\n" +
			"K=512    max err 0.031\n" +
			"K=4096   max err 0.26\n" +
			"K=32768  max err 2.11\n" +
			"AssertionError: K=32768: 2.11 > 0.5\n"},
		{"tf32 grow", "S-C131", "matmul float32 vs float64 reference, M=N=512\n" +
			"K=128    max err 0.0046\n" +
			"K=1024   max err 0.0131\n" +
			"K=8192   max err 0.0370\n" +
			"AssertionError: error above 1e-3\n"},
		{"tf32 rust", "S-C03", "test gemm_f32_256 ... FAILED\n" +
			"test gemm_f16_256 ... ok\n" +
			"test gemm_bf16_256 ... ok\n" +
			"failures:\n" +
			"---- gemm_f32_256 stdout ----\n" +
			"thread 'gemm_f32_256' panicked at tests/gemm.rs:61:5:\n" +
			"max abs diff 0.0121 > tol 0.0001 (4093 of 65536 elements)\n" +
			"test result: FAILED. 2 passed; 1 failed\n"},
		{"race smem", "S-C24", "run 0: sum 8126464.0\n" +
			"run 1: sum 8126464.0\n" +
			"run 2: sum 8125952.0\n" +
			"run 3: sum 8126464.0\n" +
			"run 4: sum 8126208.0\n" +
			"expected 8126464.0\n" +
			"block reduce with 256 threads, warp shuffles without __syncthreads between stages\n" +
			"AssertionError: sum differs in 2 of 5 runs\n"},
		{"eps diff", "S-C34", "rms_norm: kernel eps=1e-6, torch eps=1e-5\n" +
			"max rel diff 4.1e-4 on rows with small norm\n" +
			"AssertionError: rms_norm mismatch\n"},
		{"gelu tanh", "S-C34", "gelu parity\n" +
			"  approximate='tanh' : max diff 2.4e-07\n" +
			"  approximate='none' : max diff 4.7e-04\n" +
			"AssertionError: gelu differs from F.gelu(x) (default approximate='none')\n"},
		{"ref vs gold", "S-C33", "check: kernel vs torch     max err 3.1e-02   FAIL\n" +
			"check: kernel vs float64   max err 4.0e-07   ok\n" +
			"check: torch  vs float64   max err 3.1e-02\n" +
			"RuntimeError: gemm f32 verification failed\n"},
		{"fma", "S-C133", "$ nvcc -O3 -arch=sm_90 det.cu && ./det\n" +
			"mismatch at 17: got 0x3f8ccccd want 0x3f8cccce\n" +
			"mismatch at 90: got 0x40233333 want 0x40233334\n" +
			"212 of 65536 elements differ by 1 ulp\n" +
			"$ nvcc -O3 -fmad=false -arch=sm_90 det.cu && ./det\n" +
			"0 of 65536 elements differ\n" +
			"error: bitwise check failed\n"},
		{"stalecache", "S-J80", "$ pytest tests/test_rope.py -q\n" +
			"FAILED tests/test_rope.py::test_rope[interleaved] - AssertionError: Tensor-likes are not close!\n" +
			"1 failed, 3 passed in 2.1s\n" +
			"$ rm -rf ~/.cache/kite/cubin && pytest tests/test_rope.py -q\n" +
			"4 passed in 31.8s\n"},
		{"stalecache2", "S-J80", "[jit] cache hit rope_fwd key=rope_fwd-sm90-bf16 (built 2026-11-02 by 0.4.1, source now 0.5.0)\n" +
			"[jit] source hash not part of key\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 8192 / 8192 (100.0%)\n" +
			"FAILED tests/test_rope.py::test_rope - AssertionError: Tensor-likes are not close!\n"},
		{"restore src", "S-C46", "    @triton.autotune(configs=CONFIGS, key=[\"n\"])\n" +
			"    @triton.jit\n" +
			"    def scale_inplace_kernel(x_ptr, s, n, BLOCK: tl.constexpr):\n" +
			"        offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n" +
			"        x = tl.load(x_ptr + offs, mask=offs < n)\n" +
			"        tl.store(x_ptr + offs, x * s, mask=offs < n)\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 1024 / 1024 (100.0%)\n" +
			"E   Greatest absolute difference: 63.1 at index (5,) (up to 1e-05 allowed)\n" +
			"FAILED tests/test_scale.py::test_scale - AssertionError: Tensor-likes are not close!\n" +
			"1 failed in 3.2s\n"},
		{"uninit tail", "S-C27", "n=1000, BLOCK=256\n" +
			"out[0:768] ok\n" +
			"out[768:1000] = 0.0\n" +
			"AssertionError: tail wrong\n"},
		{"nan oob", "S-C29", "softmax n=1000 (BLOCK 1024): row sum 0.9766 for every row\n" +
			"softmax n=1024 (BLOCK 1024): row sum 1.0000\n" +
			"AssertionError: rows do not sum to one\n"},
		{"perm out", "S-C02", "got\n" +
			"[[0., 4., 8.],\n" +
			" [1., 5., 9.],\n" +
			" [2., 6., 10.]]\n" +
			"want\n" +
			"[[0., 1., 2.],\n" +
			" [4., 5., 6.],\n" +
			" [8., 9., 10.]]\n" +
			"AssertionError: out mismatch\n"},
		{"topk ties", "S-C40", "topk values equal: True\n" +
			"topk indices equal: False (11 of 512)\n" +
			"values at differing indices are equal in both\n" +
			"AssertionError: indices differ\n"},
		{"inplace alias", "S-C37", "out = op(x, out=x): max err 9.1\n" +
			"out = op(x):        max err 0.0\n" +
			"input unchanged after op(x): True\n" +
			"AssertionError: in-place variant is wrong\n"},
		{"noncontig grad", "S-C32", "grad_out.stride() = (0, 0) (expanded by sum().backward())\n" +
			"dx max err with expanded grad: 4.2\n" +
			"dx max err with grad.contiguous(): 1e-7\n" +
			"AssertionError: backward mismatch\n"},
		{"stream free", "S-R52", "tests/test_async.py::test_overlap[side] FAILED\n" +
			"tests/test_async.py::test_overlap[default] PASSED\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 2031 / 65536 (3.1%)\n" +
			"---- Captured stdout call ----\n" +
			"with PYTORCH_NO_CUDA_MEMORY_CACHING=1: passes 50 of 50\n" +
			"tensor x freed while side stream still reads (record_stream not called)\n"},
		{"tune pytest names", "S-C46", "tests/test_fused.py::test_bias_grad[1024] FAILED\n" +
			"tests/test_fused.py::test_bias_grad[2048] FAILED\n" +
			"tests/test_fused.py::test_forward[1024] PASSED\n" +
			"tests/test_fused.py::test_forward[2048] PASSED\n" +
			"____ test_bias_grad[1024] ____\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 1024 / 1024 (100.0%)\n" +
			"E   Greatest absolute difference: 412.1 at index (3,) (up to 0.01 allowed)\n" +
			"E   Greatest relative difference: 6.0 at index (3,) (up to 0.01 allowed)\n" +
			"---- Captured stdout call ----\n" +
			"Triton autotuning for function _bias_grad_atomic_kernel,\n" +
			"with key as (1024,), finished after 0.41s,\n" +
			"____ test_bias_grad[2048] ____\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 2048 / 2048 (100.0%)\n" +
			"E   Greatest absolute difference: 500.3 at index (7,) (up to 0.01 allowed)\n" +
			"E   Greatest relative difference: 6.0 at index (7,) (up to 0.01 allowed)\n" +
			"FAILED tests/test_fused.py::test_bias_grad[1024] - AssertionError: Tensor-likes are not close!\n" +
			"FAILED tests/test_fused.py::test_bias_grad[2048] - AssertionError: Tensor-likes are not close!\n" +
			"2 failed, 2 passed\n"},
		{"tune multiple", "S-C46", "autotuning over 5 configs: grad_w_kernel\n" +
			"got  = [12.0, 24.0, 6.0]\n" +
			"want = [2.0, 4.0, 1.0]\n" +
			"AssertionError: grad_w mismatch\n"},
		{"stream blocking", "S-C23", "$ pytest tests/test_overlap.py -q\n" +
			"FAILED tests/test_overlap.py::test_copy_then_scale - AssertionError: Tensor-likes are not close!\n" +
			"1 failed, 6 passed\n" +
			"$ CUDA_LAUNCH_BLOCKING=1 pytest tests/test_overlap.py -q\n" +
			"7 passed in 3.01s\n"},
		{"nocache", "S-R52", "$ python stress.py --iters 200\n" +
			"iter 37: mismatch in 512 of 65536 elements\n" +
			"iter 121: mismatch in 256 of 65536 elements\n" +
			"$ PYTORCH_NO_CUDA_MEMORY_CACHING=1 python stress.py --iters 200\n" +
			"200 iterations ok\n" +
			"error: stress failed\n"},
		{"both equal", "S-C59", "err vs float64:  kernel 2.1e-03  torch 2.0e-03\n" +
			"AssertionError: kernel vs torch 3.9e-03 > 2e-03\n"},
		{"causal rows", "S-C55", "causal=False sq=128 sk=128: max err 0.0008\n" +
			"causal=True  sq=128 sk=128: max err 0.0009\n" +
			"causal=True  sq=64  sk=128: max err 1.91\n" +
			"causal=True  sq=1   sk=128: max err 2.40\n" +
			"causal=False sq=64  sk=128: max err 0.0008\n" +
			"RuntimeError: attention parity failed\n"},
		{"perm rows", "S-C50", "M=128 N=128: max err 0.0\n" +
			"M=256 N=256: max err 0.0\n" +
			"M=128 N=256: max err 9.8\n" +
			"M=256 N=128: max err 9.1\n" +
			"AssertionError: 2 shapes differ\n"},
		{"gpu rows", "S-R73", "cuda:0 max err 0.0\n" +
			"cuda:1 max err 4.21\n" +
			"cuda:2 max err 4.22\n" +
			"cuda:3 max err 4.21\n" +
			"AssertionError: outputs differ on cuda:1, cuda:2, cuda:3\n"},
		{"one gpu", "S-C76", "gpu 0: max err 0.0\n" +
			"gpu 1: max err 0.0\n" +
			"gpu 2: max err 3.1\n" +
			"gpu 3: max err 0.0\n" +
			"AssertionError: gpu 2 differs\n"},
		{"md table", "S-C04", "| dtype    | max err | tol   | result |\n" +
			"|----------|---------|-------|--------|\n" +
			"| float32  | 1.1e-06 | 1e-05 | PASS   |\n" +
			"| float16  | 3.9e-04 | 1e-03 | PASS   |\n" +
			"| bfloat16 | 7.1e+00 | 1e-02 | FAIL   |\n" +
			"##[error]Process completed with exit code 1.\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Text("job.log", c.log)
			require.NotEmpty(t, got.Matches)
			assert.Equal(t, c.want, got.Matches[0].Signature, "found %v", ids(got))
		})
	}
}

// The same rows without anything that failed, and rows that do not differ, say nothing.
func TestTrialsOfPassingJobs(t *testing.T) {
	for _, log := range []string{
		"softmax ok max err 1e-7\nmatmul  ok max err 2e-4\nnorm    ok max err 3e-6\nall ok\n",
		"n=4096 max abs diff 3.8e-06\nn=65536 max abs diff 1.5e-05\nn=1048576 max abs diff 6.1e-05\n8 passed in 3.1s\n",
		"run 0: sum 12.5\nrun 1: sum 12.4\nrun 2: sum 12.5\nrun 3: sum 12.4\n",
		"step 1: loss 3.2\nstep 2: loss 3.1\nstep 3: loss 3.2\n",
		"eager max err 0.0\ncompiled max err 0.0\n",
		"nan in out: 0, nan in ref: 12, both are expected\n12 passed in 3.1s\n",
		"$ NVIDIA_TF32_OVERRIDE=0 pytest -q\n12 passed in 3.1s\n",
		"autotuning over 8 configs\ncall 0: max err 0.0\ncall 1: max err 0.0\ncall 2: max err 0.0\n",
	} {
		assert.Empty(t, Text("job.log", log).Matches, log)
	}
}
