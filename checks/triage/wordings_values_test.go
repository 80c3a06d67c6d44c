package triage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Wordings of tests and their runners: the signature that leads.
func TestValueWordings(t *testing.T) {
	const failed = "\nFAILED tests/ops/test_a.py::test_op[cutile_rs-1] - AssertionError\n"
	const unlike = "\nE   AssertionError: Tensor-likes are not close!\nE   Mismatched elements: 41 / 4096 (1.0%)\nE   Greatest absolute difference: 0.06 at index (3, 1) (up to 0.01 allowed)\nE   Greatest relative difference: 0.2 at index (3, 1) (up to 0.01 allowed)" + failed
	for _, c := range []struct{ want, log string }{
		// Both sides against a more exact computation.
		{"S-C59", "err(kernel, fp32) = 0.041\nerr(torch, fp32) = 0.040" + unlike},
		{"S-C59", "max err vs fp32: triton=1.9e-02 torch=1.8e-02" + unlike},
		{"S-C59", "kernel vs fp32: 0.0512 | torch vs fp32: 0.0498" + unlike},
		{"S-C59", "vs fp32: err_kernel=0.0312 err_torch=0.0309" + unlike},
		{"S-C59", "triton_err=3.1e-02 torch_err=3.0e-02 (against fp32)" + unlike},
		{"S-C59", "H200: reference deviates from fp32 by 0.061, kernel deviates from fp32 by 0.059" + unlike},
		{"S-C59", "kernel is 0.059 away from fp32, torch is 0.061 away from fp32" + unlike},
		{"S-R13", "err(kernel, fp32) = 0.0010\nerr(torch, fp32) = 0.0011\nE   torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 64.00 GiB." + failed},
		{"S-C59", "|out - gold| = 0.031, |ref - gold| = 0.030" + unlike},
		{"S-C59", "kernel error against fp64 reference: 3.1e-3\ntorch error against fp64 reference: 3.0e-3" + unlike},
		{"S-C59", "Output max diff: 0.0078125\nPytorch max diff: 0.0075" + unlike},
		{"S-C59", "on sm_120 both have the same max error against fp32 (0.031)" + unlike},
		{"S-C59", "note: kernel and torch are equally far from the fp64 reference" + unlike},
		{"S-C33", "kernel vs fp32: 5.2e-05 | jnp vs fp32: 3.4e-02" + unlike},
		{"S-C33", "JAX_DEFAULT_MATMUL_PRECISION=highest: passed" + unlike},
		{"S-C33", "passes with NVIDIA_TF32_OVERRIDE=0" + unlike},
		{"S-C14", "kernel vs fp32: 0.9 | torch vs fp32: 0.0498" + unlike},
		{"S-C14", "kernel vs fp32: nan | torch vs fp32: 0.0498\nkernel vs fp32: 0.05" + unlike},
		// Values.
		{"S-C09", "Not equal to tolerance rtol=1e-05, atol=0\n\nx and y nan location mismatch:\n x: array([nan, 1.])" + failed},
		{"S-C09", "Not equal to tolerance rtol=1e-05, atol=0\n\n+inf location mismatch:\n ACTUAL: array([inf, 1.])" + failed},
		{"S-C14", "---- sum_gpu stdout ----\nthread 'sum_gpu' panicked at tests/reduce.rs:40:5:\nassertion `left == right` failed\n  left: [1.0, 2.5]\n right: [1.0, 3.5]\ntest sum_gpu ... FAILED\ntest result: FAILED. 3 passed; 1 failed; 0 ignored"},
		{"S-X05", "---- parse stdout ----\nthread 'parse' panicked at tests/reduce.rs:40:5:\nassertion `left == right` failed\n  left: \"f16\"\n right: \"bf16\"\ntest parse ... FAILED\ntest result: FAILED. 3 passed; 1 failed; 0 ignored"},
		{"S-C14", "thread 'dot' panicked at tests/dot.rs:12:5:\nassertion failed: (got[i] - want[i]).abs() < 1e-3\ntest dot ... FAILED"},
		{"S-C14", "/src/test/gemm_test.cu:91: Failure\nThe difference between want[i] and got[i] is 0.0625, which exceeds 1e-3f, where\n[  FAILED  ] Gemm.Odd (3 ms)\nninja: build stopped: subcommand failed."},
		{"S-C14", "     Disposition: Incorrect\nmake: *** [ci.mk:19: profile] Error 1"},
		{"S-C14", "E   assert 161.94 == 162.028 ± 0.0162\ntests/test_tide.py:12: AssertionError\nFAILED tests/test_tide.py::test_heat - assert 161.94 == 162.028 ± 0.0162"},
		{"S-C14", "AssertionError: 0.1206 != 0.1188 within 3 places (0.0018 difference)\nFAILED (failures=1)"},
		{"S-C14", "AssertionError: tensor(3.0518e-05, dtype=torch.float16, device='cuda:0') not less than or equal to 1e-05 :\nFAILED (failures=1)"},
		{"S-C14", "GPU result check\nINCORRECT: [173]: 0 != 968\t Offsets FAIL\nmake: *** [check] Error 1"},
		{"S-C14", "E0804 18:33:30.699000 27683 torch/_dynamo/utils.py:1554] RMSE (res-fp64): 0.53290, (ref-fp64): 0.02166 and shape=torch.Size([24]).\nfail_accuracy"},
		{"S-C14", "/src/test/scan.cu:61: FAILED:\n  REQUIRE_THAT( out, RangeEquals(ref) )\nwith expansion:\n  { 1, 3, 0 } elements are equal to { 1, 3, 6 }\ntest cases: 12 | 11 passed | 1 failed"},
		{"S-C14", "thread 'tail' panicked at tests/softmax.rs:61:9:\nrow 3: max |got - want| = 0.0312 > 0.001\ntest tail ... FAILED"},
		{"S-C14", "  Actual: { 0, 1, 0 }, where the value pair (3, 0) at index #2 don't match, which is -3 from 3\n[  FAILED  ] Scan.Exclusive (3 ms)"},
		{"S-C09", "comparison failed. Mismatched elements: 2 / 4:\nMax absolute difference: nan" + failed},
		{"S-C09", "RuntimeError: Function 'FusedNormBackward' returned nan values in its 1th output.\nmake: *** [smoke] Error 1"},
		{"S-R45", "E   OverflowError: Python integer 3221225472 out of bounds for int32" + failed},
		{"S-C19", "E   AssertionError: Tensor-likes are not equal!\nRERUN tests/ops/test_b.py::test_op[cutile_rs-2]" + failed + "1 failed, 12 passed, 1 rerun in 8.1s"},
		{"S-C64", "AssertionError: gsm8k accuracy 0.41 is below 0.61" + failed},
		{"S-C30", "rerun with -p no:randomly: 8 passed in 2.0s" + failed},
		{"S-X37", "/w/docs/api/scan.md:12: DocTestFailure"},
		{"S-B51", "E   _pickle.UnpicklingError: pickle data was truncated"},
		// Runs that differ.
		{"S-C24", "AssertionError: run 4 differs from run 0 in 12 elements" + failed},
		{"S-C24", "AssertionError: iteration 7 differs from the first" + failed},
		{"S-C24", "E   AssertionError: Tensor-likes are not equal!\nE   Mismatched elements: 3 / 4096 (0.1%)\nFAILED tests/test_mm.py::test_mm_deterministic[64] - AssertionError"},
		{"S-C60", "E   AssertionError: Tensor-likes are not equal!\nFAILED tests/test_mm.py::test_batch_invariant[64] - AssertionError"},
		{"S-C46", "autotune: two configs\nright with a single config, wrong with two" + unlike},
		{"S-C46", "the tuned kernel accumulates: no restore_value" + unlike},
		// Gradients.
		{"S-C52", "torch.autograd.gradcheck.GradcheckError: Jacobian mismatch for output 0 with respect to input 0,\nnumerical:tensor([[0.9]], device='cuda:0', dtype=torch.float64)\nanalytical:tensor([[0.4]], device='cuda:0', dtype=torch.float64)"},
		{"S-C61", "torch.autograd.gradcheck.GradcheckError: Jacobian mismatch for output 0 with respect to input 0,\nnumerical:tensor([[0.9]], device='cuda:0', dtype=torch.bfloat16)\nanalytical:tensor([[0.4]], device='cuda:0', dtype=torch.bfloat16)"},
		// Scripts.
		{"S-C63", "File \"/w/tools/sweep.py\", line 31, in main\nrun(shape, warm=3)\nTypeError: run() got an unexpected keyword argument 'warm'"},
		{"S-C63", "[bench] rope failed: TypeError(\"do_bench() got an unexpected keyword argument 'fast_flush'\")\n[bench] going on"},
		{"S-C63", "ERROR bench_softmax.py: TypeError: bench() missing 1 required positional argument: 'provider'"},
		{"S-C70", "TypeError: assert_near() got an unexpected keyword argument 'atol'\n\ntests/test_gelu.py:61: TypeError"},
		// Runners.
		{"S-I14", "ValueError: option names {'--device'} already added"},
		{"S-I14", "argparse.ArgumentError: argument --gpu: conflicting option string: --gpu"},
		{"S-X16", "FAILED tests/test_drop.py::test_mask - AssertionError: keep rate 0.4991, expected 0.9"},
		{"S-X16", "FAILED tests/test_ir.py::test_layout - assert 'ttg.shared = 0' in 'module attributes'"},
		{"S-I15", "E   KeyError: 'stride'\nloom/ops/scan.py:61: KeyError\nFAILED tests/test_scan.py::test_scan - KeyError: 'stride'"},
		{"S-I27", "FAILED tests/test_poll.py::test_poll - pytest.PytestUnhandledThreadExceptionWarning: Exception in thread Thread-3 (poll)"},
		{"S-C06", "all failing rows are >= 132; grid = (132,) for 140 rows, no loop in the kernel" + unlike},
		{"S-C62", "hypothesis.errors.FailedHealthCheck: Data generation is extremely slow"},
	} {
		got := Text("job.log", c.log)
		if assert.NotEmpty(t, got.Matches, c.log) {
			assert.Equal(t, c.want, got.Matches[0].Signature, "%s\nfound %v", c.log, ids(got))
		}
	}
	// A remark on a tuner does not explain what failed for another reason.
	for _, remark := range []string{"autotune: matched with 1 config", "autotune: timings are accumulated", "quality score 7 is below 8"} {
		require.NotContains(t, ids(Text("job.log", remark+"\nFAILED tests/ops/test_a.py::test_op[cutile_rs-1] - RuntimeError: no")), "S-C46", remark)
	}
	// The same words without anything that failed say nothing.
	for _, line := range []string{
		"err(kernel, fp32) = 0.041", "err(torch, fp32) = 0.040", "kernel vs fp32: 0.0512 | torch vs fp32: 0.0498", "Output max diff: 0.0078125", "Pytorch max diff: 0.0075",
		"kernel and torch are equally far from the fp64 reference", "passes with NVIDIA_TF32_OVERRIDE=0", "right with a single config", "Disposition: Passed", "cuBLAS: Passed",
		"Verification: ON", "left: [1.0, 2.5]", "tests/test_mm.py::test_batch_invariant[64] PASSED", "tests/test_mm.py::test_mm_deterministic[64] PASSED", "signature verification failed for 0 files",
		"plugins: hypothesis-6.131.0, xdist-3.8.0", "run 3 of 10", "pytest -p no:randomly tests\n8 passed in 2.0s", "accuracy 0.643", "100% tests passed, 0 tests failed out of 3", "[  PASSED  ] 2 tests.", "values lie within 0.01 of the mean",
	} {
		require.Empty(t, Text("job.log", line).Matches, line)
	}
}

// pytest cuts the reason in its summary at the terminal's width.
func TestReasonsCutOff(t *testing.T) {
	for reason, want := range map[string]bool{"AssertionError: 3 == 4": true, "AssertionErr...": true, "Asse...": true, "As...": false, "Runtime...": false, "Assume": false} {
		assert.Equal(t, want, asserts(reason), reason)
	}
}

// A tuner that tries configurations in place spoils the operand; a case that passes tells
// nothing of it.
func TestTunedInPlace(t *testing.T) {
	log := func(test string) string {
		return "tests/test_s.py::test_copy[64] PASSED\ntests/test_s.py::" + test + "[64] FAILED\n=== FAILURES ===\n____ " + test + "[64] ____\nE   AssertionError: Tensor-likes are not close!\nE\nE   Mismatched elements: 64 / 64 (100.0%)\nE   Greatest absolute difference: 6.0 at index (0,) (up to 1e-05 allowed)\nE   Greatest relative difference: 3.0 at index (0,) (up to 1.3e-06 allowed)\n---- Captured stdout call ----\nTriton autotuning for function scale_kernel finished after 1.31s\n1 failed, 1 passed in 1.2s\n"
	}
	assert.Equal(t, "S-C46", Text("job.log", log("test_scale_inplace")).Matches[0].Signature)
	assert.NotContains(t, ids(Text("job.log", log("test_scale"))), "S-C46")
}
