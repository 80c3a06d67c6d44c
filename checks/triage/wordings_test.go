package triage

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Other wordings of known causes, as tools print them in other versions and
// settings: the signature that leads.
func TestOtherWordings(t *testing.T) {
	for _, c := range []struct{ want, log string }{
		{"S-B18", "   Compiling cuda-bindings v0.2.0\nerror: failed to run custom build command for `cuda-bindings v0.2.0`\n\nCaused by:\n  process didn't exit successfully: `/src/target/debug/build/cuda-bindings-1/build-script-build` (exit status: 101)\n  --- stderr\n\n  thread 'main' (4711) panicked at /cargo/registry/src/index.crates.io-1/cuda-bindings-0.2.0/build.rs:57:40:\n  CUDA_TOOLKIT_PATH is required but not set: NotPresent\n  note: run with `RUST_BACKTRACE=1`"},
		{"S-B18", "thread 'main' panicked at /cargo/registry/bindgen-0.71.1/lib.rs:604:27:\n  Unable to find libclang: \"couldn't find any valid shared libraries matching: ['libclang.so', 'libclang-*.so']\""},
		{"S-B18", "CUDA_TOOLKIT_PATH is not set, and no CUDA 13.2+ toolkit was found in default locations:\n  - /usr/local/cuda: /usr/local/cuda is not a directory"},
		{"S-B18", "CUDA_TOOLKIT_PATH=/usr/local/cuda is invalid: CUDA toolkit 12.8 is too old. cuTile requires CUDA 13.2+ and recommends CUDA 13.3"},
		{"S-B24", "error: package `cutile v0.2.0` cannot be built because it requires rustc 1.89 or newer, while the currently active rustc version is 1.84.0"},
		{"S-B24", "error: failed to parse manifest at `/src/Cargo.toml`\n\nCaused by:\n  feature `edition2024` is required\n\n  The package requires the Cargo feature called `edition2024`, but that feature is not stabilized in this version of Cargo (1.84.0)."},
		{"S-B24", "/usr/bin/bash: line 1: cargo: command not found"},
		{"S-B25", "error: failed to get `cutile` as a dependency of package `cutile_kernels v0.1.0`\n\nCaused by:\n  failed to query replaced source registry `crates-io`\n\nCaused by:\n  download of config.json failed\n\nCaused by:\n  curl failed\n\nCaused by:\n  [28] Timeout was reached (Connection timed out after 30001 milliseconds)"},
		{"S-B25", "fatal: unable to access 'https://github.invalid/o/r/': Could not resolve host: github.invalid"},
		{"S-B25", "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'\nERROR: Could not find a version that satisfies the requirement torch==2.11.0 (from versions: none)\nERROR: No matching distribution found for torch==2.11.0"},
		{"S-B27", "collect2: fatal error: ld terminated with signal 9 [Killed]\ncompilation terminated."},
		{"S-B27", "Killed                  python -m pytest tests/ops\nError: Process completed with exit code 137."},
		{"S-B27", "error: rustc interrupted by SIGKILL"},
		{"S-B34", "error[E0277]: the trait bound `f16: ElementType` is not satisfied\n   --> src/softmax_kernel/kernel.rs:22:18"},
		{"S-B41", "error: expected one of `.`, `;`, `?`, `}`, or an operator, found `let`\n  --> src/softmax_kernel/kernel.rs:22:18"},
		{"S-B23", "error: linking with `cc` failed: exit status: 1\n  |\n  = note: /usr/bin/ld: cannot find -lcuda: No such file or directory"},
		{"S-B10", "error[E0432]: unresolved import `crate::softmax_module`\n --> src/softmax_kernel/ffi.rs:3:5\n  |\n3 | use crate::softmax_module::softmax;"},
		{"S-B11", "error[E0061]: this function takes 4 arguments but 2 arguments were supplied\n   --> src/k.rs:10:9\n    |\n10  |         maxf(a, b)\n    |         ^^^^----- two arguments are missing"},
		{"S-I11", "ModuleNotFoundError: No module named 'torch'"},
		{"S-I11", "ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by /opt/venv/lib/libtorch.so)"},
		{"S-I11", "OSError: libcudart.so.13: cannot open shared object file: No such file or directory"},
		{"S-I11", "ImportError: /opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: ncclCommWindowRegister"},
		{"S-I02", "AttributeError: undefined symbol: cutile_softmax"},
		{"S-I02", "OSError: /src/target/release/libcutile_kernels.so: undefined symbol: cutile_softmax_f16"},
		{"S-I12", "ImportError while loading conftest '/src/tests/conftest.py'.\ntests/conftest.py:6: in <module>\n    from tilegym.backend import selecter\nE   ModuleNotFoundError: No module named 'tilegym.backend.selecter'"},
		{"S-I12", "E     File \"/src/tilegym/ops/cutile_rs/softmax.py\", line 40\nE       def softmax(x\nE                  ^\nE   SyntaxError: '(' was never closed"},
		{"S-I15", "Traceback (most recent call last):\n  File \"/src/src/tilegym/ops/cutile_rs/softmax.py\", line 61, in softmax\n    y = torch.empty_like(z)\nNameError: name 'z' is not defined. Did you mean: 'x'?"},
		{"S-I14", "E       fixture 'backend' not found\n>       available fixtures: anyio_backend, cache, capfd"},
		{"S-I14", "ERROR: file or directory not found: tests/ops/test_bnm.py"},
		{"S-I06", "collected 40 items / 40 deselected / 0 selected\n\n===== 40 deselected in 1.20s =====\nError: Process completed with exit code 5."},
		{"S-J22", "nvcc fatal   : Unsupported gpu architecture 'compute_120'"},
		{"S-J22", "RuntimeError: CUDA error: no kernel image is available for execution on the device\nCUDA kernel errors might be asynchronously reported"},
		{"S-J24", "ptxas error   : Entry function 'softmax_kernel' uses too much shared data (0x40000 bytes, 0x3a000 max)"},
		{"S-J24", "triton.compiler.errors.CompilationError: at 14:11:\n    acc = tl.dot(a, b)\n           ^\nInput shapes should have M >= 16, N >= 16 and K >= 16"},
		{"S-J23", "cuda.tile._exception.TileTypeError: Expected a tile of rank 2, got rank 1"},
		{"S-J19", "thread '<unnamed>' panicked at cutile-compiler/src/cuda_tile_runtime_utils.rs:87:13:\nFailed to launch tileiras for /tmp/a.bc: No such file or directory (os error 2)\npanic in a function that cannot unwind\nFatal Python error: Aborted"},
		{"S-R06", "RuntimeError: CUDA error: unspecified launch failure"},
		{"S-R06", "========= Invalid __global__ read of size 4 bytes\n=========     at softmax_entry+0x1a0\n=========     by thread (64,0,0) in block (3,0,0)"},
		{"S-R13", "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"},
		{"S-R13", "cutile_bmm f16 launch failed: Driver(DriverError(2, \"out of memory\"))\nE   RuntimeError: cutile_bmm failed (rc=-3): kernel launch failed"},
		{"S-R18", "RuntimeError: No CUDA GPUs are available"},
		{"S-R18", "docker: Error response from daemon: could not select device driver \"\" with capabilities: [[gpu]]."},
		{"S-R18", "nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown"},
		{"S-R18", "AssertionError: Torch not compiled with CUDA enabled"},
		{"S-R20", "RuntimeError: CUDA error: system has unsupported display driver / cuda driver combination\nFailed to initialize NVML: Driver/library version mismatch"},
		{"S-R21", "RuntimeError: The NVIDIA driver on your system is too old (found version 12020). Please update your GPU driver"},
		{"S-R21", "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=13.0, please update your driver to a newer version"},
		{"S-R19", "RuntimeError: CUDA error: uncorrectable ECC error encountered"},
		{"S-R19", "Unable to determine the device handle for GPU0000:41:00.0: Unknown Error"},
		{"S-R22", "The self-hosted runner lost communication with the server."},
		{"S-R22", "##[error]The runner has received a shutdown signal. This can happen when the runner service is stopped, or a manually started runner is canceled."},
		{"S-R25", "##[error]The operation was canceled."},
		{"S-R25", "##[error]The job running on runner gpu-3 has exceeded the maximum execution time of 360 minutes."},
		{"S-R28", "RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable"},
		{"S-R28", "RuntimeError: CUDA error: system not yet initialized"},
		{"S-R30", "OSError: [Errno 28] No space left on device: '/tmp/torchinductor'"},
		{"S-R26", "RuntimeError: CUDA error: invalid configuration argument"},
		{"S-R26", "RuntimeError: Triton Error [CUDA]: invalid argument"},
		{"S-R16", "RuntimeError: CUDA error: operation would make the legacy stream depend on a capturing blocking stream"},
		{"S-R14", "WARNING: CUPTI initialization failed - CUDA profiler activities will be missing\nCUPTI_ERROR_INSUFFICIENT_PRIVILEGES"},
		{"S-R24", "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f (most recent call first):\n  File \"/src/tests/ops/test_bmm.py\", line 40 in test_op"},
		{"S-C12", "+++++++++++++++++++++++++++++++++++ Timeout +++++++++++++++++++++++++++++++++++\n~~~ Stack of MainThread ~~~\n  File \"/src/tilegym/ops/cutile_rs/bmm.py\", line 88, in _run_ffi"},
		{"S-C14", "AssertionError: Tensor-likes are not close!\n\nMismatched elements: 33152093 / 67108864 (49.4%)\nGreatest absolute difference: 0.19970703125 at index (0, 3) (up to 0.01 allowed)"},
		{"S-C14", "E       assert False\nE        +  where False = <built-in method allclose of type object at 0x7f>(tensor([1.]), tensor([2.]))"},
		{"S-C09", "*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=0.001) ***\n  allclose: False\n  matched: 100 / 4096 [2.44%]\n  ref range:    -3.1e+00 :  2.9e+00\n  test range:          nan :         nan"},
		{"S-X05", "running 2 tests\ntest ir::bmm ... FAILED\n\nfailures:\n\n---- ir::bmm stdout ----\n\nthread 'ir::bmm' panicked at tests/ir.rs:9:5:\nassertion `left == right` failed\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored"},
		{"S-R18", "running 1 test\ntest pipeline::bmm ... FAILED\n\n---- pipeline::bmm stdout ----\nthread 'pipeline::bmm' panicked at cuda-core/src/lib.rs:10:5:\nfailed to get CUDA device: DriverError(100, \"no CUDA-capable device is detected\")\n\ntest result: FAILED. 0 passed; 1 failed"},
		{"S-C08", "E   RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"},
		{"S-C15", "RuntimeError: shape mismatch, test: torch.Size([1]), reference: torch.Size([2])"},
	} {
		got := Text("job.log", c.log)
		if assert.NotEmpty(t, got.Matches, c.log) {
			assert.Equal(t, c.want, got.Matches[0].Signature, "%s\nfound %v", c.log, ids(got))
		}
	}
}

// What logs of healthy runs hold and no signature may match.
func TestHealthyLines(t *testing.T) {
	for _, line := range []string{
		"WARNING: Retrying (Retry(total=4)) after connection broken by 'ReadTimeoutError(\"HTTPSConnectionPool\")': /simple/torch/",
		"warning: spurious network error (3 tries remaining): [28] Timeout was reached",
		"NVRM: Xid (PCI:0000:41:00): 13, Graphics Exception: ESR 0x404600=0x80000001",
		"NVML version 13.580.159", "CUDA_LAUNCH_BLOCKING=1", "NCCL version 2.27.3+cuda13.0",
		"tests/ops/test_oom.py::test_out_of_memory_is_raised PASSED", "SW Thermal Slowdown : Not Active", "clocks_throttle_reasons.active: 0x0000000000000000",
		"test result: ok. 4 passed; 0 failed; 0 ignored", "0 errors, 0 warnings", "error rate 0.1 %", "Process completed with exit code 0",
		"PytestUnknownMarkWarning: Unknown pytest.mark.slow", "TileCpp backend is not available: nvcc >= 13.3 is required",
		"UserWarning: Failed to import cuda.tile / cuda.tile.tune, CUDA Tile backend is not available.",
		"Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.", "timeout: 60.0s", "rerun 0 times after a timeout",
		"git: warning: refname is ambiguous", "ld: warning: type and size of dynamic symbol changed", "ptxas info    : 0 bytes gmem",
		"[1/9] Building CUDA object softmax.cu.o", "Collecting errors==1.0", "max absolute difference:  9.7656e-04", "kill -0 4711",
	} {
		assert.Empty(t, Text("job.log", line).Matches, line)
	}
}
