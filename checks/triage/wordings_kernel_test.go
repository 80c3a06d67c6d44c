package triage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Wordings of compilers, runtimes, tuners and benchmarks of kernels: the signature that
// leads.
func TestKernelWordings(t *testing.T) {
	const failed = "\nFAILED tests/ops/test_a.py::test_op[cutile_rs-1] - RuntimeError\n"
	const slower = "\nPERF GATE FAILED: 1 of 12 rows above 1.10\n"
	for _, c := range []struct{ want, log string }{
		{"S-J21", "error: unable to resolve generic type `BK`"},
		{"S-J43", "error: unable to resolve generic type `&f32`"},
		{"S-J22", "Error: cuTile cannot target CUDA device 0: it is sm_75, but tileiras supports only sm_80, sm_86. Use a supported GPU"},
		{"S-J24", "torch._inductor.exc.InductorError: RuntimeError: No valid triton configs. OutOfMemoryError: out of resource: triton_red_fused_0 Required: 135168 Hardware limit:101376"},
		{"S-J36", "RuntimeError: FlashAttention only supports Ampere GPUs or newer."},
		{"S-J41", "kernels/mm.py:98:51: note: Pipeline failed while executing [`TritonGPUCoalesce` on 'builtin.module' operation]\nE   RuntimeError: PassManager::run failed"},
		{"S-R02", "RuntimeError: tile_gemm returned -2: unsupported dtype float8_e4m3fn (supported: f16, bf16, f32)"},
		{"S-R07", "ValueError: CUtensorMap must be aligned to 128B, but got (&map) mod 128 = 64"},
		{"S-R13", "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine."},
		{"S-R16", "RuntimeError: CUDA error: operation failed due to a previous error during capture"},
		{"S-C23", "launch silu stream=0x0\nRuntimeError: CUDA error: operation failed due to a previous error during capture" + failed},
		{"S-R17", "triton.runtime.errors.AutotunerError: No valid autotuner configs after pruning."},
		{"S-R17", "Can't execute the autotune plan for key: Sum(SumAutotuneKey { dtype: F16, length: 32768 })"},
		{"S-R19", "NVRM: Xid (PCI:0000:dc:00): 45, pid=18, name=python3, Ch 00000001 caused by previous Xid 145\nunspecified launch failure"},
		{"S-R34", "tests/ops/test_a.py::test_op[cutile_rs-1] Timeout (0:05:00)!\nThread 0x00007f8be3a63080 (most recent call first):\n  File \"torch/cuda/__init__.py\", line 1085 in synchronize"},
		{"S-R34", "#8  0x00007f1b cuStreamSynchronize () from /usr/lib/x86_64-linux-gnu/libcuda.so.1\nThe operation was canceled."},
		{"S-R34", "ERROR: Job failed: execution took longer than 1h0m0s seconds\n| N/A   44C    P0   310W / 700W |   1874MiB / 81559MiB |    100%      Default |"},
		{"S-R25", "Canceling since a higher priority waiting request exists\nThe operation was canceled.\nutilization.gpu [%]\n100 %"},
		{"S-R53", "torch.OutOfMemoryError: CUDA out of memory. Process 11 has 129.36 GiB memory in use. Including non-PyTorch memory, this process has 1.1 GiB memory in use."},
		{"S-R59", "AssertionError: memory leak: memory_allocated() grew by 67108864 bytes over 10 calls" + failed},
		{"S-R61", "DriverError(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, \"too many blocks in cooperative launch\")"},
		{"S-R62", "========= Invalid __global__ write of size 16 bytes\n=========     Address 0x7f21a0000c04 is misaligned"},
		{"S-R75", "ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nDuplicate GPU detected : rank 1 and rank 0 both on CUDA device 41000"},
		{"S-C09", "AssertionError: loss became nan at step 210" + failed},
		{"S-C14", "E   AssertionError: assert 0.0612 < 0.01\nE    +  where 0.0612 = rel_err(tensor([[0.1]]), tensor([[0.2]]))"},
		{"S-C14", "assert_relative_eq!(*a, *b, epsilon = 1.0e-5)"},
		{"S-C24", "AssertionError: dq differs between two identical runs: 211 of 65536 elements" + failed},
		{"S-C34", "low nibble first in the kernel, the reference packs the high nibble first" + failed},
		{"S-C37", "RuntimeError: unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location."},
		{"S-C38", "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run." + failed},
		{"S-C51", "RuntimeError: Invalid scaling configuration." + failed},
		{"S-C53", "RuntimeError: Trying to backward through the graph a second time"},
		{"S-P10", "attn_fwd num_warps=4: 3761 us, baseline 1885 us" + slower},
		{"S-P18", "spread of the base itself 0.28 > 0.10" + slower},
		{"S-P26", "HMMA instructions: 0 (baseline 8192)" + slower},
		{"S-P29", "N=8192: 1.00x   N=8193: 1.98x" + slower},
		{"S-P33", "utilization.gpu before the run: 97 %" + slower},
	} {
		got := Text("job.log", c.log)
		if assert.NotEmpty(t, got.Matches, c.log) {
			assert.Equal(t, c.want, got.Matches[0].Signature, "%s\nfound %v", c.log, ids(got))
		}
	}
	// The same figures without anything that failed or became slower say nothing.
	for _, line := range []string{
		"launch norm device=0 (tensor on cuda:1)", "upgraded: triton 3.4.0 -> 3.6.0", "silu: kernel 12.1 us -> 12.0 us, wall 18.0 us -> 44.3 us",
		"base: best config BLOCK_M=128", "head: best config BLOCK_M=32", "utilization.gpu [%]: 100 %", "compile time: 21 s, limit 30 s: ok",
		"peak memory: 19.8 GiB, within the limit", "scale factors: swizzled layout, the kernel reads it", "N=8192: 1.00x   N=8193: 1.98x",
		"x must not be empty", "got  = [64.0, 62.0, 30.0]", "ref  = [32.0, 31.0, 15.0]", "GPU 0: 132 SMs", "HMMA instructions: 0",
	} {
		require.Empty(t, Text("job.log", line).Matches, line)
	}
}
