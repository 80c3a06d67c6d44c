package triage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A cause that is printed as a fact leads over the loud error that follows from it.
func TestQuietFactsLead(t *testing.T) {
	for _, c := range []struct{ name, id, log string }{
		{"a1", "S-I40", "$ pip install dist/fastnorm-0.4.1-cp312-cp312-linux_x86_64.whl\n" +
			"Successfully installed fastnorm-0.4.1\n" +
			"$ pip show -f fastnorm | grep so\n" +
			"  fastnorm/_C.cpython-312-x86_64-linux-gnu.so\n" +
			"$ cd /tmp && python -c \"import fastnorm; print(fastnorm.__file__)\"\n" +
			"/opt/venv/lib/python3.12/site-packages/fastnorm/__init__.py\n" +
			"$ cd /work/fastnorm && python -m pytest tests -q\n" +
			"============================= test session starts ==============================\n" +
			"platform linux -- Python 3.12.3, pytest-8.3.2\n" +
			"rootdir: /work/fastnorm\n" +
			"collected 0 items / 1 error\n" +
			"==================================== ERRORS ====================================\n" +
			"_____________________ ERROR collecting tests/test_norm.py ______________________\n" +
			"ImportError while importing test module '/work/fastnorm/tests/test_norm.py'.\n" +
			"Traceback:\n" +
			"tests/test_norm.py:4: in <module>\n" +
			"    import fastnorm\n" +
			"fastnorm/__init__.py:3: in <module>\n" +
			"    from . import _C\n" +
			"E   ImportError: cannot import name '_C' from partially initialized module 'fastnorm' (most likely due to a circular import) (/work/fastnorm/fastnorm/__init__.py)\n" +
			"=========================== short test summary info ============================\n" +
			"ERROR tests/test_norm.py"},
		{"a4n", "S-I12", "$ pytest tests\n" +
			"rootdir: /repo\n" +
			"tests/test_a.py:3: in <module>\n" +
			"    import rowops\n" +
			"rowops/__init__.py:7: in <module>\n" +
			"    from rowops.fused import softmax\n" +
			"E   ImportError: cannot import name 'softmax' from 'rowops.fused' (/repo/rowops/fused.py)"},
		{"a5", "S-I40", "Successfully installed gemmkit-2.0.0\n" +
			"-- in /: import ok: /opt/conda/lib/python3.11/site-packages/gemmkit/_kernels.cpython-311-x86_64-linux-gnu.so\n" +
			"== pytest\n" +
			"rootdir: /home/runner/work/gemmkit/gemmkit\n" +
			"configfile: setup.cfg\n" +
			"____________ ERROR collecting tests/test_gemm.py _____________\n" +
			"tests/test_gemm.py:2: in <module>\n" +
			"    from gemmkit import gemm\n" +
			"gemmkit/__init__.py:1: in <module>\n" +
			"    from ._kernels import gemm\n" +
			"E   ModuleNotFoundError: No module named 'gemmkit._kernels'"},
		{"a6", "S-I40", "$ pip show -f rowops | grep -E 'Location|abi3'\n" +
			"Location: /usr/local/lib/python3.11/dist-packages\n" +
			"  rowops/_native.abi3.so\n" +
			"$ cd /tmp && python -c 'import rowops; print(rowops.__file__)'\n" +
			"/usr/local/lib/python3.11/dist-packages/rowops/__init__.py\n" +
			"$ cd $GITHUB_WORKSPACE && pytest tests\n" +
			"============================= test session starts ==============================\n" +
			"rootdir: /__w/rowops/rowops\n" +
			"configfile: pyproject.toml\n" +
			"testpaths: tests\n" +
			"collected 0 items / 1 error\n" +
			"_____________________ ERROR collecting tests/test_softmax.py ______________________\n" +
			"ImportError while importing test module '/__w/rowops/rowops/tests/test_softmax.py'.\n" +
			"tests/__init__.py:1: in <module>\n" +
			"    from rowops import softmax\n" +
			"rowops/__init__.py:5: in <module>\n" +
			"    from rowops._native import softmax\n" +
			"E   ImportError: cannot import name 'softmax' from 'rowops._native' (unknown location)"},
		{"a7", "S-I40", "-- wheel contents\n" +
			"tilekit/_ext.abi3.so\n" +
			"tilekit/__init__.py\n" +
			"-- smoke: cd / && python -c \"import tilekit\"\n" +
			"tilekit 0.3 from /opt/venv/lib/python3.12/site-packages/tilekit/__init__.py\n" +
			"-- tests\n" +
			"rootdir: /src/tilekit\n" +
			"E   ModuleNotFoundError: No module named 'tilekit._ext'\n" +
			"tilekit/__init__.py:2: in <module>\n" +
			"    from tilekit._ext import launch\n" +
			"-- find /src/tilekit -name '*.so'\n" +
			"(nothing)"},
		{"b2", "S-B191", "  × Failed to build `warpctc-bind==1.1.0`\n" +
			"  ├─▶ The build backend returned an error\n" +
			"  ╰─▶ Call to `setuptools.build_meta:__legacy__.build_wheel` failed (exit status: 1)\n" +
			"      [stderr]\n" +
			"      Traceback (most recent call last):\n" +
			"        File \"<string>\", line 14, in <module>\n" +
			"        File \"/root/.cache/uv/builds-v0/.tmpQw1/lib/python3.12/site-packages/setuptools/build_meta.py\", line 331, in get_requires_for_build_wheel\n" +
			"      ModuleNotFoundError: No module named 'pkg_resources'"},
		{"b3", "S-B191", "$ pip install .\n" +
			"Processing /work/ops\n" +
			"  Installing build dependencies: finished with status 'done'\n" +
			"  Preparing metadata (pyproject.toml): finished with status 'error'\n" +
			"  error: subprocess-exited-with-error\n" +
			"        File \"/tmp/pip-build-env-q1/overlay/lib/python3.12/site-packages/setuptools/dist.py\", line 10, in <module>\n" +
			"      ModuleNotFoundError: No module named 'pkg_resources'\n" +
			"$ pip install -U setuptools\n" +
			"Requirement already satisfied: setuptools in /opt/venv/lib/python3.12/site-packages (80.9.0)\n" +
			"Successfully installed setuptools-82.0.1\n" +
			"$ pip install .\n" +
			"      ModuleNotFoundError: No module named 'pkg_resources'\n" +
			"ERROR: Failed to build 'ops' when getting requirements to build wheel"},
		{"b4n", "S-I26", "Traceback (most recent call last):\n" +
			"  File \"/opt/venv/lib/python3.12/site-packages/oldlogger/__init__.py\", line 3, in <module>\n" +
			"    import pkg_resources\n" +
			"ModuleNotFoundError: No module named 'pkg_resources'"},
		{"c1", "S-I140", "thread 'main' panicked at /root/.cargo/registry/src/index-1/cudarc-0.12.1/src/lib.rs:98:5:\n" +
			"Unable to dynamically load the \"cublas\" shared library - searched for library names: [\"cublas\", \"cublas64\", \"cublas64_11\", \"cublas64_12\", \"cublas64_11.8\", \"cublas64_110\"]. Ensure that `LD_LIBRARY_PATH` has the correct path to the installed library. If the shared library is present on the system under a different name than one of those listed above, please open a GitHub issue.\n" +
			"$ ldconfig -p | grep cublas\n" +
			"\tlibcublasLt.so.12 (libc6,x86-64) => /usr/local/cuda/lib64/libcublasLt.so.12\n" +
			"\tlibcublas.so.12 (libc6,x86-64) => /usr/local/cuda/lib64/libcublas.so.12"},
		{"c2", "S-I140", "FROM nvidia/cuda:12.6.2-runtime-ubuntu24.04\n" +
			"running 1 test\n" +
			"thread 'gemm::tests::small' panicked at cudarc/src/lib.rs:120:5:\n" +
			"Unable to dynamically load the \"nvrtc\" shared library - searched for library names: [\"nvrtc\", \"nvrtc64\", \"nvrtc64_12\", \"nvrtc64_126\"].\n" +
			"ls /usr/local/cuda/lib64: libnvrtc.so.12  libnvrtc.so.12.6.77  libnvrtc-builtins.so.12.6"},
		{"c3", "S-I140", "Traceback (most recent call last):\n" +
			"  File \"/app/run.py\", line 4, in <module>\n" +
			"    ctypes.CDLL(\"libcudnn.so\")\n" +
			"OSError: libcudnn.so: cannot open shared object file: No such file or directory\n" +
			"$ find / -name 'libcudnn.so*'\n" +
			"/usr/lib/x86_64-linux-gnu/libcudnn.so.9\n" +
			"/usr/lib/x86_64-linux-gnu/libcudnn.so.9.5.1"},
		{"c4n", "S-I11", "Unable to dynamically load the \"cublas\" shared library - searched for library names: [\"cublas\", \"cublas64\"].\n" +
			"$ find / -name 'libcublas*'\n" +
			"$"},
		{"d1", "S-I80", "$ python -c \"import fused_ext\"\n" +
			"Traceback (most recent call last):\n" +
			"  File \"<string>\", line 1, in <module>\n" +
			"ImportError: libc10.so: cannot open shared object file: No such file or directory\n" +
			"$ find /opt/venv -name 'libc10.so'\n" +
			"/opt/venv/lib/python3.12/site-packages/torch/lib/libc10.so\n" +
			"$ python -c \"import torch, fused_ext; print('ok')\"\n" +
			"ok"},
		{"d3", "S-I80", "E   ImportError: libtorch_python.so: cannot open shared object file: No such file or directory\n" +
			"tests/test_quant.py:1: in <module>\n" +
			"    import quant_kernels\n" +
			"ls: /usr/lib/python3/dist-packages/torch/lib/libtorch_python.so"},
		{"d4", "S-I29", "E   ImportError: libc10_cuda.so: cannot open shared object file: No such file or directory\n" +
			"torch 2.6.0+cpu"},
		{"e2", "S-R150", "GPU 0: Tesla T4 (UUID: GPU-1)\n" +
			"Found existing installation: attnlib 1.2.0\n" +
			"Successfully uninstalled attnlib-1.2.0\n" +
			"Successfully installed attnlib-2.0.0\n" +
			"E   RuntimeError: paged_attention is only supported for CUDA devices with compute capability 8.0 or higher\n" +
			"FAILED tests/test_paged.py::test_decode[f16] - RuntimeError: paged_attention is only supported for..."},
		{"e4", "S-R150", "NVIDIA A100-SXM4-80GB\n" +
			"E   RuntimeError: torch._scaled_mm is only supported on CUDA devices with compute capability >= 9.0 or 8.9, or ROCm MI300+\n" +
			"FAILED tests/test_fp8.py::test_scaled_mm[128-128-128]"},
		{"e6", "S-R150", "NotImplementedError: Unsupported device: this kernel requires Hopper (SM90) or later, got SM 8.6"},
		{"e7", "S-R150", "GPU 0: Tesla T4\n" +
			"Successfully uninstalled flash_lib-1.9.0\n" +
			"Successfully installed flash_lib-2.0.0\n" +
			"  File \"/opt/venv/lib/python3.12/site-packages/flash_lib/ops.py\", line 40, in fwd\n" +
			"RuntimeError: FlashLib only supports Ampere GPUs or newer."},
		{"f1", "S-C190", "tests/test_w4a16.py::test_gemm[M16-N4096-K4096-group128] BLOCK_M=16 BLOCK_N=64 BLOCK_K=128 group_size=128\n" +
			"PASSED\n" +
			"tests/test_w4a16.py::test_gemm[M32-N4096-K4096-group128] BLOCK_M=32 BLOCK_N=64 BLOCK_K=64 group_size=128\n" +
			"PASSED\n" +
			"tests/test_w4a16.py::test_gemm[M64-N4096-K4096-group128] BLOCK_M=64 BLOCK_N=128 BLOCK_K=256 group_size=128\n" +
			"FAILED\n" +
			"tests/test_w4a16.py::test_gemm[M128-N4096-K4096-group128] BLOCK_M=128 BLOCK_N=128 BLOCK_K=256 group_size=128\n" +
			"FAILED\n" +
			"=================================== FAILURES ===================================\n" +
			"_________________ test_gemm[M64-N4096-K4096-group128] _________________\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 251003 / 262144 (95.7%)\n" +
			"E   Greatest absolute difference: 3.21 at index (4, 9) (up to 0.1 allowed)"},
		{"f3", "S-C190", "running quantised matmul checks\n" +
			"config tile_k=32 quant_block=32  max_err=0.004 ok\n" +
			"config tile_k=64 quant_block=32  max_err=1.91 FAIL\n" +
			"config tile_k=128 quant_block=32  max_err=2.44 FAIL\n" +
			"config tile_k=16 quant_block=32  max_err=0.004 ok\n" +
			"AssertionError: allclose failed"},
		{"f4n", "S-C14", "tests/test_w4.py::test_gemm[16] BLOCK_K=256 group_size=128\n" +
			"PASSED\n" +
			"tests/test_w4.py::test_gemm[64] BLOCK_K=256 group_size=128\n" +
			"FAILED\n" +
			"____ test_gemm[64] ____\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 251003 / 262144 (95.7%)"},
		{"g2", "S-C23", "rope kernel: launching on stream 0 (legacy default); torch.cuda.current_stream().cuda_stream = 94207231885632\n" +
			"FAILED tests/test_rope.py::test_rope[stream] - AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 120 / 8192 (1.5%)\n" +
			"with CUDA_LAUNCH_BLOCKING=1: 12 passed"},
		{"g4", "S-C14", "env: CUDA_LAUNCH_BLOCKING=1\n" +
			"FAILED tests/test_a.py::test_b[64] - AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 8192 / 8192 (100.0%)\n" +
			"1 failed, 3 passed in 4.0s: 2.1x slower than usual"},
		{"g5", "S-C23", "kernel stream: 0  current stream: 0x55aa10\n" +
			"== run 1: FAIL max_abs_err 3.1\n" +
			"== run 2: ok\n" +
			"== run 3: FAIL max_abs_err 0.7\n" +
			"AssertionError: output differs from the reference"},
		{"h1", "S-C191", "tests/test_layernorm.py::test_var[mean0] PASSED\n" +
			"tests/test_layernorm.py::test_var[mean10] PASSED\n" +
			"tests/test_layernorm.py::test_var[mean100] FAILED\n" +
			"tests/test_layernorm.py::test_var[mean1000] FAILED\n" +
			"tests/test_layernorm.py::test_var[mean10000] FAILED\n" +
			"____ test_var[mean100] ____\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 812 / 8192 (9.9%)\n" +
			"E   Greatest absolute difference: 0.004\n" +
			"____ test_var[mean1000] ____\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 8100 / 8192 (98.9%)\n" +
			"E   Greatest absolute difference: 0.41\n" +
			"____ test_var[mean10000] ____\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 8192 / 8192 (100%)\n" +
			"E   Greatest absolute difference: 31.0"},
		{"h2", "S-C191", "group_norm  offset=0      max_abs_err=3.1e-07  ok\n" +
			"group_norm  offset=10     max_abs_err=2.8e-06  ok\n" +
			"group_norm  offset=100    max_abs_err=2.9e-04  FAIL\n" +
			"group_norm  offset=1000   max_abs_err=3.3e-02  FAIL\n" +
			"var = ex2 - mean * mean\n" +
			"AssertionError: 2 of 4 outside of tolerance"},
		{"h3", "S-C191", "tests/test_std.py::test_std[shift=0-float32] PASSED\n" +
			"tests/test_std.py::test_std[shift=0-float64] PASSED\n" +
			"tests/test_std.py::test_std[shift=1000-float32] FAILED\n" +
			"tests/test_std.py::test_std[shift=1000-float64] PASSED\n" +
			"tests/test_std.py::test_std[shift=4096-float32] FAILED\n" +
			"tests/test_std.py::test_std[shift=4096-float64] PASSED\n" +
			"____ test_std[shift=1000-float32] ____\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 61 / 256 (23.8%)\n" +
			"E   Greatest absolute difference: 0.05\n" +
			"____ test_std[shift=4096-float32] ____\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 256 / 256 (100%)\n" +
			"E   Greatest absolute difference: 0.9"},
		{"h4", "S-C191", "E   AssertionError: output has nan where reference is finite\n" +
			"FAILED tests/test_bn.py::test_bn[mean_500] - AssertionError: Tensor-likes are not close!\n" +
			"PASSED tests/test_bn.py::test_bn[mean_0]\n" +
			"PASSED tests/test_bn.py::test_bn[mean_5]\n" +
			"E   Mismatched elements: 3 / 256 (1.2%)\n" +
			"      sum_sq / n - mean * mean"},
		{"h5n", "S-C14", "tests/test_softmax.py::test_sm[scale1] PASSED\n" +
			"tests/test_softmax.py::test_sm[scale100] FAILED\n" +
			"____ test_sm[scale100] ____\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 8192 / 8192 (100%)\n" +
			"E   Greatest absolute difference: nan"},
		{"i1", "S-P80", "autotune softmax (4096, 4096): 3 configs\n" +
			"  BLOCK=256  post_hook=none   0.041 ms\n" +
			"  BLOCK=512  post_hook=flush_l2   0.119 ms\n" +
			"  BLOCK=1024 post_hook=flush_l2   0.121 ms\n" +
			"best: BLOCK=256\n" +
			"trace inside timed window, BLOCK=512:\n" +
			"  softmax_kernel                                                   31.0 us\n" +
			"  at::native::vectorized_elementwise_kernel<4, FillFunctor<int>>   84.2 us\n" +
			"trace inside timed window, BLOCK=256:\n" +
			"  softmax_kernel                                                   40.8 us\n" +
			"Performance regressions detected! softmax 1.32x slower than baseline"},
		{"i3", "S-P80", "[tuner] op=gemm key=(4096,4096,4096)\n" +
			"cfg0 BM=64 BN=64 hook=-        median 0.412 ms   kernels/call: gemm_kernel x1\n" +
			"cfg1 BM=128 BN=128 hook=post   median 0.498 ms   kernels/call: gemm_kernel x1, void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>> x1\n" +
			"cfg2 BM=128 BN=256 hook=post   median 0.471 ms   kernels/call: gemm_kernel x1, void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>> x1\n" +
			"selected cfg0\n" +
			"gemm 4096: 0.413 ms, baseline 0.352 ms: 1.17x slower\n" +
			"perf check failed"},
		{"i4", "S-P80", "Autotune results attention_fwd\n" +
			"  num_stages=2 : 1.204 ms\n" +
			"  num_stages=3 : 1.377 ms   (post_hook zeroes the 128 MiB scratch inside do_bench)\n" +
			"nsys: num_stages=3 timed range: attention_fwd 1.190 ms, [CUDA memset] 0.181 ms\n" +
			"nsys: num_stages=2 timed range: attention_fwd 1.203 ms\n" +
			"best num_stages=2\n" +
			"Performance has regressed: attention_fwd +1.1 %"},
		{"j2", "S-P130", "| kernel | main | pr | delta |\n" +
			"|---|---|---|---|\n" +
			"| empty_kernel | 3.02 us | 28.11 us | +831% |\n" +
			"| relu_4k | 9.8 us | 34.9 us | +256% |\n" +
			"| layer_norm | 31.0 us | 56.2 us | +81% |\n" +
			"| gemm_8k | 1210.0 us | 1235.3 us | +2.1% |\n" +
			"Performance regressions detected!"},
		{"j3 without an empty kernel", "S-P23", "buf = torch.empty(256, 4)\n" +
			"baseline -> this run (ms)\n" +
			"copy_1MB 0.010 -> 0.042\n" +
			"copy_64MB 0.061 -> 0.093\n" +
			"copy_1GB 0.812 -> 0.844\n" +
			"gelu 0.120 -> 0.152\n" +
			"FAIL: perf gate: 4 benchmarks slower than baseline"},
		{"j3", "S-P23", "baseline -> this run (ms)\n" +
			"copy_1MB 0.010 -> 0.042\n" +
			"copy_64MB 0.061 -> 0.093\n" +
			"copy_1GB 0.812 -> 0.844\n" +
			"gelu 0.120 -> 0.152\n" +
			"FAIL: perf gate: 4 benchmarks slower than baseline"},
		{"j4n", "S-P10", "op           base us   head us   ratio\n" +
			"noop            2.1      2.1     1.00x\n" +
			"add             5.0      10.1    2.02x\n" +
			"softmax        21.4      43.7     2.04x\n" +
			"matmul        410.2     822.3     2.00x\n" +
			"PERFORMANCE REGRESSION: 3 ops slower"},
		{"k2", "S-P23", "n        ours(us)  ref(us)\n" +
			"128        88.1     11.2\n" +
			"1024       88.4     11.3\n" +
			"8192       88.9     12.0\n" +
			"65536      90.2     21.8\n" +
			"kernel time (nsys): ours 3.1 us, ref 3.0 us\n" +
			"perf gate: FAIL geomean 5.9x slower than the reference"},
		{"k3", "S-P23", "size   latency_ours_us latency_torch_us ratio\n" +
			"1024   41.2  6.0  6.87\n" +
			"4096   41.3  6.1  6.77\n" +
			"16384  41.1  7.9  5.20\n" +
			"1048576 43.0 30.2 1.42\n" +
			"16777216 402.0 400.1 1.00\n" +
			"perf gate failed: ratio 6.87 above limit 1.2"},
		{"k4n", "S-P10", "n        ours(us)  ref(us)\n" +
			"1024       12.0     6.0\n" +
			"8192       88.9     44.0\n" +
			"65536      702.0    350.8\n" +
			"perf gate: FAIL geomean 2.0x slower than the reference"},
		{"k5", "S-P23", "-------------------------------  ------------  ------------  ------------  ------------  ------------\n" +
			"                           Name    CPU total  CPU time avg     CUDA total  CUDA time avg    # of Calls\n" +
			"-------------------------------  ------------  ------------  ------------  ------------  ------------\n" +
			"candidate (n=256)\n" +
			"              cutile_rs::gelu       8.912ms      89.120us     201.000us       2.010us           100\n" +
			"reference (n=256)\n" +
			"                   aten::gelu       0.911ms       9.110us     199.000us       1.990us           100\n" +
			"candidate (n=16384)\n" +
			"              cutile_rs::gelu       8.934ms      89.340us     330.000us       3.300us           100\n" +
			"reference (n=16384)\n" +
			"                   aten::gelu       0.921ms       9.210us     331.000us       3.310us           100\n" +
			"perf gate: gelu geomean 6.2x slower than reference FAIL"},
		{"k6", "S-P23", "op   n      gpu_us(ours) gpu_us(ref) cpu_us/call(ours) cpu_us/call(ref)\n" +
			"silu 1024    2.0     2.0     61.0    8.0\n" +
			"silu 4096    2.1     2.1     61.2    8.1\n" +
			"silu 16384   2.9     2.9     60.9    8.0\n" +
			"wall geomean 4.9x slower than reference: FAIL (limit 1.10)\n" +
			"GPU was busy for 3.1 % of the window"},
		{"l1", "S-R151", "pick_gpu: choosing by utilization.gpu\n" +
			"index, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n" +
			"0, 0 %, 78120 MiB, 81559 MiB\n" +
			"1, 37 %, 2120 MiB, 81559 MiB\n" +
			"selected GPU 0\n" +
			"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.18 GiB of which 1.10 GiB is free. Process 41022 has 75.90 GiB memory in use. Including non-PyTorch memory, this process has 1.10 GiB memory in use.\n" +
			"$ ps -o pid,ppid,stat,etime,cmd -p 41022\n" +
			"  PID  PPID STAT     ELAPSED CMD\n" +
			"41022     1 D     2-03:11:40 python train.py\n" +
			"kill -9 41022: no effect"},
		{"l2", "S-R151", "+ GPU=$(nvidia-smi --query-gpu=index,utilization.gpu --format=csv,noheader | sort -k2 -n | head -1)\n" +
			"CUDA_VISIBLE_DEVICES=2\n" +
			"RuntimeError: CUDA error: out of memory\n" +
			"|    2   N/A  N/A   1188200      C   [python]                             70114MiB |\n" +
			"root     1188200  0.0  0.0      0     0 ?        D    Nov29   0:14 [python]"},
		{"m1", "S-B174", "$ nvidia-smi -L\n" +
			"GPU 0: NVIDIA A10 (UUID: GPU-12)\n" +
			"$ ls /dev | grep nvidia\n" +
			"nvidia0\n" +
			"nvidiactl\n" +
			"nvidia-modeset\n" +
			"$ python -c 'import torch; torch.cuda.init()'\n" +
			"RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env variable CUDA_VISIBLE_DEVICES after program start. Setting the available devices to be zero."},
		{"m2", "S-B174", "| NVIDIA-SMI 570.86.15   Driver Version: 570.86.15   CUDA Version: 12.8 |\n" +
			"$ lsmod | grep nvidia\n" +
			"nvidia_drm  110592  0\n" +
			"nvidia_modeset 1540096 1 nvidia_drm\n" +
			"nvidia  89763840 1 nvidia_modeset\n" +
			"thread 'main' panicked: DriverError(999, \"CUDA_ERROR_UNKNOWN\")"},
		{"m3", "S-B174", "GPU 0: NVIDIA L4 (UUID: GPU-7)\n" +
			"ls: cannot access '/dev/nvidia-uvm': No such file or directory\n" +
			"cuInit failed: 999 (unknown error)"},
		{"m4", "S-B174", "modprobe: ERROR: could not insert 'nvidia_uvm': Operation not permitted\n" +
			"cuInit(0) -> 999\n" +
			"test device_count ... FAILED"},
		{"m5", "S-B174", "nvidia-smi: Driver Version: 550.54.15, NVIDIA L40S\n" +
			"open(\"/dev/nvidia-uvm\", O_RDWR|O_CLOEXEC) = -1 ENOENT (No such file or directory)\n" +
			"torch.cuda.is_available() False\n" +
			"RuntimeError: No CUDA GPUs are available"},
		{"n2", "S-B190", "CARGO_NET_RETRY=10\n" +
			"error: failed to get `half` as a dependency of package `cutile v0.2.0`\n" +
			"Caused by:\n" +
			"  download of config.json failed\n" +
			"Caused by:\n" +
			"  [92] Stream error in the HTTP/2 framing layer (HTTP/2 stream 5 was not closed cleanly: PROTOCOL_ERROR (err 1))\n" +
			"$ curl --http1.1 -sI https://index.example/config.json\n" +
			"HTTP/1.1 200 OK"},
		{"n4", "S-B190", "Cloning into 'cutlass'...\n" +
			"error: RPC failed; curl 92 HTTP/2 stream 5 was not closed cleanly: CANCEL (err 8)\n" +
			"fetch-pack: unexpected disconnect while reading sideband packet\n" +
			"fatal: early EOF"},
		{"n5", "S-B190", "curl: (92) HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)\n" +
			"##[error]Process completed with exit code 92."},
		{"n6n", "S-B25", "warning: spurious network error (3 tries remaining): [6] Could not resolve hostname (Could not resolve host: index.registry.example)\n" +
			"error: failed to download from `https://index.example/x`\n" +
			"Caused by:\n" +
			"  [6] Could not resolve hostname"},
		{"p1", "S-C14", "tests/test_conv.py::test_a[1] PASSED\n" +
			"tests/test_conv.py::test_a[2] FAILED\n" +
			"CUDA_LAUNCH_BLOCKING=1\n" +
			"E   AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 3 / 12 (25.0%)\n" +
			"REGRESSION: 1 test newly fails\n" +
			"1 failed, 1 passed in 2.31s"},
		{"p2", "S-C14", "== TRITON_DEBUG=1 pytest\n" +
			"FAILED tests/test_x.py::test_y[8] - AssertionError: Tensor-likes are not close!\n" +
			"E   Mismatched elements: 8 / 12 (66.7%)\n" +
			"E   Greatest relative difference: 12.5 at index (0, 1) (up to 0.01 allowed)\n" +
			"3 metrics outside of tolerance 0.01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Text("job.log", c.log)
			require.NotEmpty(t, got.Matches)
			assert.Equal(t, c.id, got.Matches[0].Signature, "found %v", ids(got))
		})
	}
}

// What tells of a slow benchmark is of something else in a job that takes no times and of
// which the values are wrong.
func TestNoSlowBenchmarkWithoutTimes(t *testing.T) {
	const wrong = "\nE   AssertionError: Tensor-likes are not close!\nE   Mismatched elements: 8 / 12 (66.7%)\n3 metrics outside of tolerance 0.01\n"
	assert.Equal(t, []string{"S-C14"}, ids(Text("job.log", "env: CUDA_LAUNCH_BLOCKING=1"+wrong)))
	got := ids(Text("job.log", "env: CUDA_LAUNCH_BLOCKING=1\nsoftmax 0.41 ms"+wrong))
	assert.Contains(t, got, "S-P10")
	assert.Contains(t, got, "S-P47")
}

// A job that passes and prints the same facts is of no failure.
func TestQuietFactsOfPassingJobs(t *testing.T) {
	for _, log := range []string{
		"BLOCK_K=256 group_size=128\ntests passed: 4\n4 passed in 1.0s",
		"[launch] softmax stream=0x0 torch_current=0x5583a1b0\n4 passed in 1.0s",
		"n  ours(us) ref(us)\n128 88.1 11.2\n1024 88.4 11.3\n8192 88.9 12.0\n4 passed in 1.0s",
		"41022 1 D 2-03:11:40 python train.py\n|    2   N/A  N/A   41022      C   python       70114MiB |\n4 passed in 1.0s",
		"var = ex2 - mean * mean\n4 passed in 1.0s",
		"libcublas.so.12 (libc6,x86-64) => /usr/local/cuda/lib64/libcublas.so.12\n4 passed in 1.0s",
	} {
		assert.Empty(t, ids(Text("job.log", log)), log)
	}
}
