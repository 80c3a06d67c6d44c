package triage

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Other wordings of known causes, as tools print them in other versions and
// settings: the signature that leads.
func TestOtherWordings(t *testing.T) {
	for _, c := range []struct{ want, log string }{
		{"S-I23", "____ ERROR at setup of test_queue ____\n.venv/lib/python3.12/site-packages/pytest_async/plugin.py:71: in _wrap\nE   AttributeError: 'FixtureDef' object has no attribute 'owner'"},
		{"S-B92", "error: linking with `cc` failed: exit status: 1\n          /src/registry/pyo3-0.24.1/src/err/mod.rs:12: undefined reference to `PyErr_Print'\n          collect2: error: ld returned 1 exit status"},
		{"S-C131", "tile 1.0 | torch 2.8.0 (float32_matmul_precision=highest) | triton 3.4.0\ntests/test_mm.py::test_matmul[float16-64] PASSED\ntests/test_mm.py::test_matmul[float32-64] FAILED\n=== FAILURES ===\n____ test_matmul[float32-64] ____\nE   AssertionError: Tensor-likes are not close!\nE\nE   Mismatched elements: 3900 / 4096 (95.2%)\nE   Greatest absolute difference: 0.0312 at index (1, 7) (up to 0.0001 allowed)\nE   Greatest relative difference: 3.1 at index (2, 2) (up to 0.0001 allowed)"},
		{"S-C131", "ptx: 32 x mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32\ntests/test_mm.py::test_matmul[float32-64] FAILED\n=== FAILURES ===\n____ test_matmul[float32-64] ____\nE   AssertionError: Tensor-likes are not close!\nE\nE   Mismatched elements: 3900 / 4096 (95.2%)\nE   Greatest absolute difference: 0.0312 at index (1, 7) (up to 0.0001 allowed)\nE   Greatest relative difference: 3.1 at index (2, 2) (up to 0.0001 allowed)"},
		{"S-I02", "E   AttributeError: function/symbol 'tile_relu' not found in library '/opt/app/libkernels.so': /opt/app/libkernels.so: undefined symbol: tile_relu"},
		{"S-P14", "Unable to set persistence mode for GPU 00000000:41:00.0: Insufficient Permissions\nTerminating early due to previous errors."},
		{"S-P14", "The current user does not have permission to change clocks for GPU 00000000:41:00.0."},
		{"S-B56", "thread 'main' panicked at build.rs:9:5:\nCUDA 14.0 is not supported by this crate"},
		{"S-B212", "RuntimeError:\nThe detected CUDA version (13.1) mismatches the version that was used to compile\nPyTorch (12.8). Please make sure to use the same CUDA versions."},
		{"S-J22", "thread 'main' panicked at bindgen_cuda-0.1.5/src/lib.rs:489:13:\n`nvcc` cannot target gpu arch 120. Available nvcc targets are [75, 80, 90]."},
		{"S-J22", "RuntimeError: CUDA error: invalid device function"},
		{"S-B18", "error: failed to run custom build command for `cust_raw v0.11.3`\nthread 'main' panicked at build.rs:4:5:\nCould not find a cuda installation"},
		{"S-P15", "thread 'main' panicked at criterion-0.5.1/src/benchmark_group.rs:7:9:\nBaseline 'main' must exist before comparison is allowed; try --save-baseline main"},
		{"S-P15", "compare.py: nothing to compare with, the store is empty"},
		{"S-R21", "symbol lookup error: /opt/lib/libcomm.so: undefined symbol: cuMulticastCreate"},
		{"S-R21", "ImportError: /opt/venv/lib/libcomm.so: undefined symbol: cuTensorMapEncodeIm2col"},
		{"S-R21", "RuntimeError: CUDA error: API call is not supported in the installed CUDA driver"},
		{"S-I22", "thread '<unnamed>' panicked at cudarc/src/nvrtc/sys.rs:9:9:\nExpected symbol in library: DlSym { desc: \"/usr/lib/libnvrtc.so: undefined symbol: nvrtcGetPCHHeapSize\" }"},
		{"S-R18", "thread '<unnamed>' panicked at cudarc/src/lib.rs:177:5:\nUnable to dynamically load the \"cuda\" shared library - searched for library names: [\"cuda\", \"nvcuda\"]"},
		{"S-I23", "ERROR: could not load conftest\nE   AttributeError: module 'pytest' has no attribute 'yield_fixture'"},
		{"S-I23", "/opt/venv/lib/python3.13/site-packages/pytest_asyncio/plugin.py:610: in _patched\nE   AttributeError: 'Package' object has no attribute 'obj'"},
		{"S-I23", "E   pytest.PytestRemovedIn10Warning: Passing a generator to parametrize is deprecated."},
		{"S-I23", "E   Failed: Expected None, but tests/ops/test_a.py::test_b returned True. Did you mean to use `assert` instead of `return`?"},
		{"S-J33", "cupy_backends.cuda.api.driver.CUDADriverError: CUDA_ERROR_NOT_FOUND: named symbol not found"},
		{"S-B57", "error: failed to find a `codegen-backends` folder in the sysroot candidates:\n* /home/u/.rustup/toolchains/nightly"},
		{"S-B58", "error[E0557]: feature has been removed\n  --> /home/u/.cargo/registry/src/index-1/nightly-0.1.0/src/lib.rs:3:12"},
		{"S-B58", "error[E0282]: type annotations needed for `Box<_>`\n  --> /home/u/.cargo/registry/src/index-1/time-0.3.30/src/format_description/parse/mod.rs:83:9"},
		{"S-C31", "every element is counted twice\nAssertionError: Tensor-likes are not close!"},
		{"S-C32", "launch cutile_mix (bias: base pointer only)\nAssertionError: Tensor-likes are not close!"},
		{"S-J70", "E   RuntimeError: cutile_rms_norm failed (rc=-3): kernel launch failed\n\nsrc/tilegym/ops/cutile_rs/rms_norm.py:41: RuntimeError"},
		{"S-B24", "error: rustc 1.90.0 is not supported by the following package:\n  fast_hash@0.4.3 requires rustc 1.95.0"},
		{"S-I16", "cache-hit=true -> cargo build skipped\nAttributeError: build/libtile_rs.so: undefined symbol: tile_gate_bwd"},
		{"S-I25", "WARNING tile.registry: backend flash left out: /v/flash_2_cuda.so: undefined symbol: _ZN3c104cuda9some_checkEv\nE   KeyError: 'flash'\n\ntests/ops/test_gate.py:31: KeyError"},
		{"S-P09", "  02:10:20   1260   9001   91   209   hw_thermal_slowdown | hw_slowdown\nPerformance regressions detected!"},
		{"S-C33", "AssertionError: Tensor-likes are not close!\nmax abs err against a float64 product (32 rows):\n    got  8.1e-05\n    ref  1.6e-01"},
		{"S-J31", "[tile-rs] jit: lowering failed, 0 bytes written\nE   AssertionError: error: a partition needs static tile dimensions, got outer dim -1 and a mismatch at axis 0\nE   assert 6 == 0"},
		{"S-R53", "found an orphan process 4711 with 60 GiB\nRuntimeError: CUDA out of memory"},
		{"S-X23", "rm: cannot remove '/opt/runner/_work/o/target/a.o': Permission denied"},
		{"S-B23", "collect2: error: ld returned 1 exit status"},
		{"S-X32", "#31 ERROR: failed to push ghcr.example.invalid/o/ci:pr-41: denied: installation not allowed to Create organization package"},
		{"S-X31", "ERROR: failed to solve: a/b:12.1: failed to resolve source metadata for registry.example.invalid/a/b:12.1: registry.example.invalid/a/b:12.1: not found"},
		{"S-B54", "#5 ERROR: failed to configure registry cache importer: registry.example.invalid/o/pr:1: not found\n#12 0.4 error: The lockfile at `uv.lock` needs to be updated, but `--locked` was provided."},
		{"S-B18", "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root."},
		{"S-X28", "FileNotFoundError: [Errno 2] No such file or directory: 'target/kernels/softmax.cubin'"},
		{"S-R18", "NVIDIA_VISIBLE_DEVICES=GPU-11d0\nRuntimeError: No CUDA GPUs are available"},
		{"S-I11", "OSError: libsndfile.so.1: cannot open shared object file: No such file or directory"},
		{"S-R18", "/src/target/debug/deps/tile_core-99aa: error while loading shared libraries: libcuda.so.1: cannot open shared object file: No such file or directory"},
		{"S-B100", "rust-lld: error: undefined symbol: ncclGroupStart\n>>> referenced by comm.o"},
		{"S-B23", "/usr/bin/ld: main.o: in function `run': main.c:4: undefined reference to `cutile_relu'\ncollect2: error: ld returned 1 exit status"},
		{"S-B52", "error: subprocess-exited-with-error\n  src/a.c:2:10: fatal error: Python.h: No such file or directory\nERROR: Failed building wheel for a"},
		{"S-B55", "E: Unable to locate package cuda-cudart-15\nERROR: failed to solve: process \"/bin/sh -c apt-get install\" did not complete successfully: exit code: 100"},
		{"S-R18", "docker: Error response from daemon: failed to create task for container: failed to create shim task: OCI runtime create failed\nnvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1"},
		{"S-B190", "error: failed to get `half` as a dependency of package `k v0.1.0`\n\nCaused by:\n  failed to query replaced source registry `crates-io`\n\nCaused by:\n  [16] Error in the HTTP2 framing layer"},
		{"S-B46", "E: Failed to fetch https://a.invalid/InRelease\nE: The repository 'https://a.invalid noble InRelease' is not signed."},
		{"S-R32", "error: failed to load source for dependency `half`\n\nCaused by:\n  Unable to update registry `crates-io`\n\nCaused by:\n  Permission denied (os error 13)"},
		{"S-B57", "error: rustc 1.95.0-nightly cannot load codegen backend cranelift"},
		{"S-C31", "ratio out/ref: min 2.0000 max 2.0000\nAssertionError: Tensor-likes are not close!"},
		{"S-C14", "ratio out/ref: min 0.9000 max 1.2000\nAssertionError: Tensor-likes are not close!"},
		{"S-B14", "error[E0277]: the trait bound `half::f16: ElementType` is not satisfied\n   --> src/a.rs:22:18\n = note: perhaps two different versions of crate `half` are being used?"},
		{"S-B53", "bash: line 4: ./ci/probe: bad interpreter: Permission denied"},
		{"S-B54", "error: the lock file /src/Cargo.lock needs to be updated but --frozen was passed to prevent this"},
		{"S-B54", " ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with \"frozen-lockfile\" because pnpm-lock.yaml is not up to date"},
		{"S-B55", "E: Unable to locate package cuda-tileiras-14-9"},
		{"S-B110", "error: Proxy CONNECT aborted"},
		{"S-R43", "Error: EMFILE: too many open files, open '/src/a.js'"},
		{"S-R40", "RuntimeError: unable to write to file </torch_811_0>: No space left on device (28)"},
		{"S-R04", "munmap_chunk(): invalid pointer"},
		{"S-R04", "RuntimeError: block->allocated INTERNAL ASSERT FAILED at \"/pytorch/c10/cuda/CUDACachingAllocator.cpp\":77"},
		{"S-R45", "x: 2400000000 elements\nE   RuntimeError: CUDA error: an illegal memory access was encountered"},
		{"S-R51", "config tuned for float16 was used for float32\nAssertionError: Tensor-likes are not close!"},
		{"S-C29", "row sums of the output: 0.83 instead of 1\nAssertionError: Tensor-likes are not close!"},
		{"S-C29", "padded lanes are 0 and not the lowest value\nAssertionError: Tensor-likes are not close!"},
		{"S-P13", "wrapper makes 2 extra copy kernels\nperf gate FAILED: gelu ratio 2.2 > 1.05"},
		{"S-P09", "Clocks Throttle Reasons: HW Power Brake\nPerformance regressions detected!"},
		{"S-P10", "geomean 2.068 (float16 4.255), limit 1.05: INVESTIGATE LARGE_GAP"},
		{"S-X31", "Error response from daemon: pull access denied for tilegym-pr, repository does not exist"},
		{"S-X23", "error: could not execute process `/b/release/build/syn-1/build-script-build` (never executed)\n\nCaused by:\n  Text file busy (os error 26)"},
		{"S-C06", "grid is capped at 752 blocks for 4096 rows\nAssertionError: Tensor-likes are not close!"},
		{"S-R52", "compute-sanitizer: use-after-free of 4096 bytes\nRuntimeError: CUDA error: an illegal memory access was encountered"},
		{"S-B18", "   Compiling cuda-bindings v0.2.0\nerror: failed to run custom build command for `cuda-bindings v0.2.0`\n\nCaused by:\n  process didn't exit successfully: `/src/target/debug/build/cuda-bindings-1/build-script-build` (exit status: 101)\n  --- stderr\n\n  thread 'main' (4711) panicked at /cargo/registry/src/index-1/cuda-bindings-0.2.0/build.rs:57:40:\n  CUDA_TOOLKIT_PATH is required but not set: NotPresent\n  note: run with `RUST_BACKTRACE=1`"},
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
		{"S-B59", "error: linking with `cc` failed: exit status: 1\n  |\n  = note: /usr/bin/ld: cannot find -lcuda: No such file or directory"},
		{"S-B10", "error[E0432]: unresolved import `crate::softmax_module`\n --> src/softmax_kernel/ffi.rs:3:5\n  |\n3 | use crate::softmax_module::softmax;"},
		{"S-B11", "error[E0061]: this function takes 4 arguments but 2 arguments were supplied\n   --> src/k.rs:10:9\n    |\n10  |         maxf(a, b)\n    |         ^^^^----- two arguments are missing"},
		{"S-I11", "ModuleNotFoundError: No module named 'torch'"},
		{"S-I33", "ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by /opt/venv/lib/libtorch.so)"},
		{"S-I45", "OSError: libcudart.so.13: cannot open shared object file: No such file or directory"},
		{"S-I35", "ImportError: /opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: ncclCommWindowRegister"},
		{"S-I02", "AttributeError: undefined symbol: cutile_softmax"},
		{"S-I02", "OSError: /src/target/release/libcutile_kernels.so: undefined symbol: cutile_softmax_f16"},
		{"S-I12", "ImportError while loading conftest '/src/tests/conftest.py'.\ntests/conftest.py:6: in <module>\n    from tilegym.backend import selecter\nE   ModuleNotFoundError: No module named 'tilegym.backend.selecter'"},
		{"S-I12", "E     File \"/src/tilegym/ops/cutile_rs/softmax.py\", line 40\nE       def softmax(x\nE                  ^\nE   SyntaxError: '(' was never closed"},
		{"S-I15", "Traceback (most recent call last):\n  File \"/src/src/tilegym/ops/cutile_rs/softmax.py\", line 61, in softmax\n    y = torch.empty_like(z)\nNameError: name 'z' is not defined. Did you mean: 'x'?"},
		{"S-I37", "E       fixture 'backend' not found\n>       available fixtures: anyio_backend, cache, capfd"},
		{"S-I14", "ERROR: file or directory not found: tests/ops/test_bnm.py"},
		{"S-I06", "collected 40 items / 40 deselected / 0 selected\n\n===== 40 deselected in 1.20s =====\nError: Process completed with exit code 5."},
		{"S-B87", "nvcc fatal   : Unsupported gpu architecture 'compute_120'"},
		{"S-J22", "RuntimeError: CUDA error: no kernel image is available for execution on the device\nCUDA kernel errors might be asynchronously reported"},
		{"S-J24", "ptxas error   : Entry function 'softmax_kernel' uses too much shared data (0x40000 bytes, 0x3a000 max)"},
		{"S-J59", "triton.compiler.errors.CompilationError: at 14:11:\n    acc = tl.dot(a, b)\n           ^\nInput shapes should have M >= 16, N >= 16 and K >= 16"},
		{"S-J60", "cuda.tile._exception.TileTypeError: Expected a tile of rank 2, got rank 1"},
		{"S-J19", "thread '<unnamed>' panicked at cutile-compiler/src/cuda_tile_runtime_utils.rs:87:13:\nFailed to launch tileiras for /tmp/a.bc: No such file or directory (os error 2)\npanic in a function that cannot unwind\nFatal Python error: Aborted"},
		{"S-R06", "RuntimeError: CUDA error: unspecified launch failure"},
		{"S-R69", "========= Invalid __global__ read of size 4 bytes\n=========     at softmax_entry+0x1a0\n=========     by thread (64,0,0) in block (3,0,0)"},
		{"S-R13", "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"},
		{"S-R13", "cutile_bmm f16 launch failed: Driver(DriverError(2, \"out of memory\"))\nE   RuntimeError: cutile_bmm failed (rc=-3): kernel launch failed"},
		{"S-R18", "RuntimeError: No CUDA GPUs are available"},
		{"S-R82", "docker: Error response from daemon: could not select device driver \"\" with capabilities: [[gpu]]."},
		{"S-R18", "nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown"},
		{"S-I29", "AssertionError: Torch not compiled with CUDA enabled"},
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
		{"S-X50", "RuntimeError: CUDA error: system not yet initialized"},
		{"S-R30", "OSError: [Errno 28] No space left on device: '/tmp/torchinductor'"},
		{"S-R26", "RuntimeError: CUDA error: invalid configuration argument"},
		{"S-R26", "RuntimeError: Triton Error [CUDA]: invalid argument"},
		{"S-R68", "RuntimeError: CUDA error: operation would make the legacy stream depend on a capturing blocking stream"},
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
		{"S-B18", "error: failed to run custom build command for `cuda-bindings v0.2.0`\n  --- stderr\n  wrapper.h:1:10: fatal error: 'cuda.h' file not found\n  thread 'main' panicked at build.rs:88:10:\n  Unable to generate bindings: ClangDiagnostic(\"wrapper.h:1:10: fatal error: 'cuda.h' file not found\\n\")"},
		{"S-B24", "error: rustup could not choose a version of cargo to run, because one wasn't specified explicitly, and no default is configured.\nhelp: run 'rustup default stable' to download the latest stable release of Rust and set it as your default toolchain."},
		{"S-B24", "error: rustc 1.85.0 is not supported by the following packages:\n  cutile@0.2.0 requires rustc 1.89"},
		{"S-B18", "thread 'main' panicked at /home/u/.cargo/registry/bindgen-0.71.1/lib.rs:1:1:\nlibclang error; possible causes include:\n- Invalid flag syntax\n"},
		{"S-B18", "This is the wrong version of libclang: the `libclang` shared library at /usr/lib/llvm-3.9/lib/libclang.so.1 could not be opened: undefined symbol: clang_getTypeKindSpelling"},
		{"S-B74", "error: could not execute process `sccache rustc -vV` (never executed)\n\nCaused by:\n  No such file or directory (os error 2)"},
		{"S-B25", "    Updating crates.io index\nerror: failed to get `half` as a dependency of package `cutile-kernels v0.1.0`\n\nCaused by:\n  download of ha/lf/half failed\n\nCaused by:\n  curl failed\n\nCaused by:\n  [56] Failure when receiving data from the peer"},
		{"S-B25", "error: failed to download from `https://static.invalid/crates/syn/2.0.117/download`\n\nCaused by:\n  failed to get successful HTTP response from `https://static.invalid/crates/syn/2.0.117/download`, got 503"},
		{"S-B25", "ERROR: failed to solve: registry.invalid/cuda:13.3.0-devel-ubuntu24.04: failed to resolve source metadata for registry.invalid/cuda:13.3.0-devel-ubuntu24.04: unexpected status from HEAD request to https://registry.invalid/v2: 503 Service Unavailable"},
		{"S-B51", "error: failed to unpack package `cutile v0.2.0`\n\nCaused by:\n  failed to iterate over archive\n\nCaused by:\n  invalid gzip header / corrupt deflate stream"},
		{"S-B44", "error: could not compile `cutile` (lib)\n\nCaused by:\n  process didn't exit successfully: `/usr/local/bin/rustc --crate-name cutile` (signal: 7, SIGBUS: access to undefined memory)"},
		{"S-B51", "error: failed to verify the checksum of `syn v2.0.117`"},
		{"S-B37", "error[E0107]: missing generics for struct `Tile`\n  --> src/../../softmax_kernel/kernel.rs:40:9"},
		{"S-B33", "error[E0432]: unresolved import `crate::ffi_utils`\n --> src/../../relu_kernel/ffi.rs:3:12"},
		{"S-B33", "error[E0433]: failed to resolve: use of unresolved module or unlinked crate `approx`\n --> tests/pipeline.rs:3:5\n  |\n3 | use approx::assert_relative_eq;\nerror: could not compile `cutile-kernels` (test \"pipeline\") due to 1 previous error"},
		{"S-B37", "error[E0061]: this function takes 3 arguments but 2 arguments were supplied\n  --> tests/ir_dump.rs:22:5"},
		{"S-X14", "fatal: No url found for submodule path 'third_party/cutile' in .gitmodules"},
		{"S-I45", "E   ImportError: libcudart.so.12: cannot open shared object file: No such file or directory"},
		{"S-I164", "E   ImportError: numpy.core.multiarray failed to import\nA module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.3.1 as it may crash."},
		{"S-I19", "E   OSError: /src/libcutile_kernels.so: wrong ELF class: ELFCLASS64\n"},
		{"S-I01", "E   OSError: cannot load library '/src/libcutile_kernels.so': /src/libcutile_kernels.so: cannot open shared object file: No such file or directory"},
		{"S-I11", "ImportError: \n\n[TileGym] PyTorch is required to run this library."},
		{"S-I03", "E   cffi.CDefError: cannot parse \"int cutile_relu(TensorDesc* a, int n\""},
		{"S-I03", "E   ffi.error: undefined type name: \"TensorDesk\""},
		{"S-I04", "E   TypeError: initializer for ctype 'int32_t' must be an integer, not float"},
		{"S-I04", "E   OverflowError: integer 4294967296 does not fit 'int32_t'"},
		{"S-I04", "E   TypeError: 'cutile_relu' expects 7 arguments, got 6"},
		{"S-I15", "src/tilegym/ops/cutile_rs/relu.py:61: in <module>\n    @register_impl(\"relu\", backend=\"cutile-rs\")\nE   ValueError: Operation 'relu' already registered for backend cutile-rs"},
		{"S-B25", "ERROR: Could not install packages due to an OSError: HTTPSConnectionPool(host='files.invalid', port=443): Read timed out."},
		{"S-I19", "E   OSError: cannot load library 'libcutile_kernels.so': file too short"},
		{"S-I19", "E   OSError: libcutile_kernels.so: invalid ELF header"},
		{"S-I11", "tileiras failed (exit exit status: 127) for gpu sm_100:\nstderr: tileiras: error while loading shared libraries: libnvvm.so.4: cannot open shared object file: No such file or directory"},
		{"S-R28", "E   torch.AcceleratorError: CUDA error: all CUDA-capable devices are busy or unavailable"},
		{"S-X50", "Error 802: system not yet initialized"},
		{"S-X49", "E   torch.AcceleratorError: CUDA error: MPS client failed to connect to the MPS control daemon or the MPS server"},
		{"S-P15", "No baseline results found - this will become the first baseline (nightly only)\nFileNotFoundError: [Errno 2] No such file or directory: 'baseline-results/matmul.json'"},
		{"S-P10", "geomean ratio 1.42 (limit 1.10)\nFAIL: cutile-rs is 1.42x slower than cutile"},
		{"S-P10", "perf gate FAILED: matmul 4096 ratio 2.31 > 1.10"},
		{"S-P13", "bmm: 3 kernels per call (expected 1): direct_copy_kernel_cuda x2\nperf gate FAILED"},
		{"S-X08", "black....................................................................Failed\n- hook id: black\n- files were modified by this hook"},
		{"S-X14", "error: pathspec 'pull-request/431' did not match any file(s) known to git"},
		{"S-X11", "Error: .github/workflows/tilegym-ci.yml (Line: 40, Col: 9): Unrecognized named-value: 'matrix'"},
		{"S-R22", "##[error]The hosted runner lost communication with the server."},
		{"S-B25", "Error: buildx failed with: ERROR: failed to solve: process did not complete: received unexpected HTTP status: 502 Bad Gateway"},
		{"S-B25", "##[error]Failed to CreateArtifact: Unable to make request: ENOTFOUND"},
		{"S-B25", "##[error]fatal: unable to access 'https://github.invalid/o/r/': The requested URL returned error: 503"},
		{"S-I11", "python3: command not found\n##[error]Process completed with exit code 127."},
		{"S-X15", "xfail_strict: [XPASS(strict)] known issue 41\nFAILED tests/ops/test_relu.py::test_op[cutile_rs-1] - [XPASS(strict)] known issue 41"},
		{"S-X13", "❌ Skills content was modified but /nvskills-ci has not been run on this PR."},
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
		"NVIDIA_TF32_OVERRIDE=1", "Config: build=false, run_ops=true, run_benchmark=false, run_sanity=false", "no valid artifacts found to download",
		"Cache hit for restore-key: kernels-Linux-0a1b", "samples [ms], rep=1 warmup=0: 2.7", "Regression threshold: -5.0% (fail if worse)", "No regressions detected",
		"warning: spurious network error (2 tries remaining): download of `config.json` failed to transfer more than 10 bytes in 30s",
		"412 files already formatted", "concurrency group: ci (cancel-in-progress: true)", "cuStreamSynchronize 40 calls", "CUDA Version 13.3.0",
		"stream 0x0 is the default, current stream 0x0", "CUDA_LAUNCH_BLOCKING=1: all tests pass", "accumulator: float16", "results are non-deterministic by design",
		"x.numel() = 4294967296 > 2**31, offsets are 64 bits", "first bad column: none", "transposed inputs match", "self-signed certificates are refused: ok 3",
		"merge base of origin/main and HEAD is 0a1b2c3", "rate limit: 4998 of 5000 calls left", "Login Succeeded!", "Required test coverage of 80% reached. Total coverage: 81.40%",
		"pip's dependency resolver: torch 2.9.0 requires triton==3.5.0, but you have triton 3.6.0 which is incompatible.", "num_cta_in_cga=1, reference num_ctas=2",
		"##[warning]No files were found with the provided path: out/*.xml. No artifacts will be uploaded.", "max abs err 2.1e-05 (limit 1e-3)", "0 elements outside tolerance",
		"open files (-n) 1048576", "shared memory: 65536 bytes a block", "cuda_stream=0x5581d0e0", "all values within tolerance", "test_mismatch_is_reported PASSED",
		"grid is capped at 752 blocks for 4096 rows", "autotune is disabled", "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 1s", "255 registers, 4096 bytes spill stores",
		"HW Power Brake Slowdown : Not Active", "HW Slowdown : Active", "x: 2400000000 elements", "tmpfs on /tmp type tmpfs (rw,nosuid,nodev,noexec)", "uv.lock is up to date",
		"Current Power Limit : 350.00 W", "launches 3 kernels a call, the reference 1", "padded lanes are 0", "clocks_event_reasons.active: 0x0000000000000001", "1 passed in 3.3s alone",
		"geomean 1.011, limit 1.05: PASS", "geomean_ratio=0.98", "same cache key for all shapes of one type", "freed 12 GiB of 35 GiB",
		"CUDA toolkit version: 13.3 (supported)", "found CUDA 13.3, cudarc knows it", "   Compiling rustc_codegen_nvvm v0.3.0", "using codegen backend librustc_codegen_nvvm.so",
		"Process 4711 has 402.00 MiB memory in use", "orphan processes on the GPU: none", "ACTUAL: array(4711)", "x (64, 128) (256, 1) contiguous=False", "Expected 24611 but got 98444", "pytest 9.1.1, marks on fixtures: 0",
		"symbols: cuLogsCurrent, cuMulticastCreate", "No baseline found, creating the first baseline", "cuModuleGetFunction 12 calls", "feature stdsimd: stable", "nsys profile --trace=cuda python -m bench",
		"[1/9] Building CUDA object softmax.cu.o", "Collecting errors==1.0", "max absolute difference:  9.7656e-04", "kill -0 4711",
	} {
		assert.Empty(t, Text("job.log", line).Matches, line)
	}
}

// What an error in a file says of whose fault it is.
func TestClassByPlace(t *testing.T) {
	for place, want := range map[string]Class{
		"src/../../softmax_kernel/kernel.rs:40:9":                       Kernel,
		"src/../../softmax_kernel/ffi.rs:40:9":                          Host,
		"src/lib.rs:12:1":                                               Host,
		"tests/pipeline.rs:3:5":                                         Test,
		"/home/u/.cargo/registry/src/index/cutile-0.2.0/src/api.rs:1:1": Env,
	} {
		got := Text("job.log", "error[E0425]: cannot find value `n` in this scope\n  --> "+place)
		require.NotEmpty(t, got.Matches)
		assert.Equal(t, want, got.Matches[0].Class, place)
		assert.Empty(t, got.Matches[0].Also, place)
	}
}

// A warning, and what stands in a step that passed, comes after what ended the job.
func TestSurvivedComesLast(t *testing.T) {
	log := "##[group]Run pip install\nERROR: Failed building wheel for x\n##[endgroup]\n" +
		"##[group]Run pytest\n[TileGym] WARNING dispatcher.py:109 Current backend 'cutile-rs' has no implementation for 'rope', falling back to 'pytorch' backend\n" +
		"E   RuntimeError: dtype mismatch, test: torch.float32, reference: torch.float16\n##[error]Process completed with exit code 1.\n"
	got := Text("job.log", log)
	assert.Equal(t, "S-C05", got.Matches[0].Signature, "found %v", ids(got))
	assert.Equal(t, []string{"S-C05", "S-B29", "S-I09"}, ids(got))
	assert.True(t, got.Matches[1].Weak && got.Matches[2].Weak)
}

// The steps after the one that ended the job clean up and publish: what fails in
// them is not the cause, unless nothing is known of that step.
func TestStepsAfterTheFailedOneComeLast(t *testing.T) {
	const upload = "##[group]Run actions/upload-artifact@v4\n##[endgroup]\n##[error]Failed to CreateArtifact: Failed request: (409) Conflict: an artifact with this name already exists on the workflow run\n"
	const tests = "##[group]Run pytest\n##[endgroup]\n%s##[error]Process completed with exit code 1.\n"
	got := Text("job.log", fmt.Sprintf(tests, "AssertionError: Tensor-likes are not close!\n")+upload)
	assert.Equal(t, []string{"S-C14", "S-X18"}, ids(got))
	assert.True(t, got.Matches[1].Weak)
	assert.Equal(t, []string{"S-X18"}, ids(Text("job.log", fmt.Sprintf(tests, "what is this\n")+upload)))
}

// What says that the machine measures badly, or that a reference is inexact, must
// not excuse a failure: it is no strong match, whatever else is in the log.
func TestNoStrongExcuse(t *testing.T) {
	const wrong = "\nAssertionError: Tensor-likes are not close!\nPerformance regressions detected!\n"
	for id, log := range map[string]string{
		"S-P12": "every backend became slower", "S-P14": "Setting locked GPU clocks is not supported for GPU 00000000:41:00.0.",
		"S-P16": "baseline comes from another GPU", "S-C20": "NVIDIA_TF32_OVERRIDE=1", "S-P09": "GPU clock throttled (thermal)",
	} {
		got := Text("job.log", log+wrong)
		require.Contains(t, ids(got), id)
		for _, m := range got.Matches {
			assert.True(t, m.Weak || m.Class != Env && m.Class != Infra, "%s: %s", id, m.Signature)
		}
	}
	cupti := "WARNING:2026-07-02 13:07:22 611:611 init.cpp:178] function failed with error CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)"
	got := Text("job.log", cupti+wrong)
	assert.Equal(t, []string{"S-C14", "S-R14", "S-P10"}, ids(got))
	assert.True(t, got.Matches[1].Weak)
	assert.Equal(t, []string{"S-R14"}, ids(Text("job.log", cupti)))
	for _, log := range []string{
		"error: internal compiler error: unexpected type", "thread 'rustc' panicked\nerror: the compiler unexpectedly panicked. this is a bug.",
		"OSError: cannot load library 'libcutile_kernels.so': /src/libcutile_kernels.so: wrong ELF class: ELFCLASS32",
		"RuntimeError: fn() did not launch any GPU kernels.",
	} {
		got := Text("job.log", log)
		require.NotEmpty(t, got.Matches, log)
		assert.NotContains(t, []Class{Env, Infra}, got.Matches[0].Class, log)
	}
}

// A warning does not count for a row that says what ended the job.
func TestFatal(t *testing.T) {
	const none = "No files were found with the provided path: out/*.xml. No artifacts will be uploaded."
	assert.Empty(t, Text("job.log", "##[warning]"+none).Matches)
	assert.Equal(t, []string{"S-X26"}, ids(Text("job.log", "##[error]"+none)))
}

// Rows that explain others say nothing without them.
func TestWith(t *testing.T) {
	assert.True(t, Text("job.log", "NVIDIA_TF32_OVERRIDE=1\n").Unknown)
	const race = "run 0 vs run 3: 188 of 4120 elements differ\n"
	assert.True(t, Text("job.log", race).Unknown)
	assert.Equal(t, []string{"S-C24"}, ids(Text("job.log", race+"FAILED tests/ops/test_bmm.py::test_op[cutile_rs-1]\n")), "a case that failed, for whatever reason")
	got := Text("job.log", "NVIDIA_TF32_OVERRIDE=1\nAssertionError: Tensor-likes are not close!\n")
	assert.Equal(t, []string{"S-C20"}, ids(got))
}
