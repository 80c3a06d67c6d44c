package triage

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Messages of libraries that load and run kernels, as they word one cause: the signature
// that leads.
func TestRuntimeWordings(t *testing.T) {
	const failed = "\nFAILED tests/ops/test_a.py::test_op[1] - AssertionError: Tensor-likes are not close!"
	const nan = "E   AssertionError: Tensor-likes are not close!\nE   Greatest absolute difference: nan at index (1, 2) (up to 0.01 allowed)\n"
	for _, c := range []struct{ want, log string }{
		{"S-C23", nan + "launch add<<<8,128>>> stream=0x0\nambient stream 0x55aa00112233" + failed},
		{"S-C23", nan + "queue: inputs on stream=0x7f1200aa3400\nlaunch: add stream=(nil)" + failed},
		{"S-C09", "launch add stream=0x55aa00112233\ncurrent stream 0x55aa00112233\n" + nan + failed},
		{"S-C19", "  TRY 1 FAIL [   1.2s] kern softmax::fp16\nassertion failed: allclose max_abs=nan\n  TRY 2 PASS [   1.1s] kern softmax::fp16"},
		{"S-R89", "  File \"pool.py\", line 88, in __del__\nCUDAError: CUDA_ERROR_CONTEXT_IS_DESTROYED: the context is gone"},
		{"S-R33", "thread 'main' panicked at src/lib.rs:4:5:\ncuLaunchKernel: CUDA_ERROR_INVALID_CONTEXT: invalid device context"},
		{"S-R90", "thread '<unnamed>' panicked at pyo3/src/gil.rs:1:1:\nCannot drop pointer into Python heap without the thread being attached."},
		{"S-R90", "Fatal Python error: _enter_buffered_busy: could not acquire lock for <_io.BufferedWriter name='<stdout>'> at interpreter shutdown, possibly due to daemon threads"},
		{"S-R91", "pyo3_runtime.PanicException: Already borrowed: PyBorrowMutError"},
		{"S-R92", "numba.cuda.cudadrv.driver.CudaAPIError: [904] Call to cuStreamEndCapture results in CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
		{"S-R74", "rmm/alloc.py:8: in new\n    p = cudaMalloc(n)\nE   CUDA error: operation not permitted when stream is capturing"},
		{"S-R93", "NCCL WARN Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error."},
		{"S-R93", "CUDARuntimeError: cudaErrorMemoryAllocation: out of memory\ncupy/cuda/pinned_memory.pyx:31: in cupy.cuda.pinned_memory.PinnedMemory.__init__"},
		{"S-R94", "RuntimeError: CUDA out of memory. Tried to allocate 1.50 GiB (GPU 0; 23.65 GiB total capacity; 12.00 GiB already allocated; 1.20 GiB free; 21.00 GiB reserved in total by PyTorch)"},
		{"S-R13", "jaxlib._jax.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 34359738368 bytes."},
		{"S-R13", "terminate called after throwing an instance of 'rmm::out_of_memory'\n  what():  std::bad_alloc: out_of_memory: CUDA error at: cuda_memory_resource.hpp:62: cudaErrorMemoryAllocation out of memory"},
		{"S-B27", "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 64.0 GiB for an array with shape (8192, 1048576)"},
		{"S-B27", "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc"},
		{"S-R95", "ValueError: invalid literal for int() with base 10: 'MIG-89c850dc'"},
		{"S-R18", "RuntimeError: Function \"cuInit\" not found"},
		{"S-R21", "RuntimeError: Function \"cuKernelGetParamInfo\" not found"},
		{"S-R21", "RuntimeError: Unable to initialize backend 'cuda': Found CUDA version 12020, but JAX was built against version 12030, which is newer."},
		{"S-I45", "cuda.pathfinder.DynamicLibNotFoundError: Failure finding \"libnvrtc.so\": No such file: libnvrtc.so*"},
		{"S-I11", "ImportError: /opt/ext/tile.so: cannot open shared object file: No such file or directory"},
		{"S-I164", "RuntimeError: module compiled against ABI version 0x1000009 but this version of numpy is 0x2000000"},
		{"S-R72", "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:466] Loaded runtime CuDNN library: 8.5.0 but source was compiled with: 8.6.0."},
		{"S-R72", "NCCL WARN Mismatched NCCL version detected : rank 0 has 2.27.3 but rank 1 has 2.26.2"},
		{"S-R40", "NCCL WARN Call to posix_fallocate failed : No space left on device\nNCCL WARN Error while creating shared memory segment nccl-shm-recv-1-1-2-3 (size 9637888)\nncclSystemError"},
		{"S-R86", "torch.distributed.DistBackendError: NCCL error in: NCCLUtils.cpp:94, remote process exited or there was a network error, NCCL version 2.26.2\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely."},
		{"S-R13", "NCCL WARN Cuda failure 2 'out of memory'\nncclUnhandledCudaError: Call to CUDA function failed."},
		{"S-R06", "ncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 'an illegal memory access was encountered'"},
		{"S-R06", "FAILED tests/test_gemm.py::test_gemm[f16] - RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`\nFAILED tests/test_attn.py::test_attn[causal] - torch.AcceleratorError: CUDA error: an illegal memory access was encountered"},
		{"S-R13", "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"},
		{"S-R33", "BufferError: Can't export tensors on a different CUDA device index. Expected: 0. Current device: 1."},
		{"S-R98", "E   RuntimeError: CUDA error: invalid resource handle\n/v/torch/multiprocessing/reductions.py:181: in rebuild_cuda_tensor"},
		{"S-C14", "out at 0x7f21a0000000, torch tensor at 0x7f21b0000000, default stream\nE   AssertionError: Tensor-likes are not close!" + failed},
		{"S-R03", "thread 'x' panicked at src/cb.rs:2:3:\nboom\nfatal runtime error: Rust cannot catch foreign exceptions, aborting"},
		{"S-R03", "SIGABRT [ 0.5s] kern stream::callback\nthread 'x' panicked at src/a.rs:2:3:\nboom\nthread caused non-unwinding panic. aborting."},
		{"S-R73", "device = device(type='cuda', index=1)\nE   ValueError: Pointer argument (at 0) cannot be accessed from Triton (cpu tensor?)" + failed},
		{"S-R78", "AssertionError: fused_ar needs a contiguous input"},
		{"S-R98", "RuntimeError: CUDASymmetricMemory requires PYTORCH_CUDA_ALLOC_CONF=expandable_segments:False"},
	} {
		got := Text("job.log", c.log)
		if assert.NotEmpty(t, got.Matches, c.log) {
			assert.Equal(t, c.want, got.Matches[0].Signature, "%s\nfound %v", c.log, ids(got))
		}
	}
	// What is printed on the way tells of no failure.
	for _, line := range []string{
		"copied to the cpu with non_blocking=True" + failed,
		"reserved 12.00 GiB of memory, in one piece",
		"pinned 64 MiB of host memory for the ring",
		"NCCL INFO Channel 00 : 0[100000] -> 1[200000] via direct shared memory",
		"cudaIpcOpenMemHandle: 8 handles opened",
		"========= Program hit cudaErrorNotReady (error 600) due to \"device not ready\" on CUDA API call to cudaEventQuery.",
		"thread 'main' borrowed the pool and gave it back",
	} {
		for _, id := range ids(Text("job.log", line)) {
			assert.NotContains(t, []string{"S-R40", "S-R89", "S-R90", "S-R91", "S-R92", "S-R93", "S-R94", "S-R95", "S-R96", "S-R97", "S-R98"}, id, line)
		}
	}
}
