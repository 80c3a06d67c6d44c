package triage

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What stands beside what on a machine is the cause of a loud error that follows.
func TestSetupExplainsTheError(t *testing.T) {
	const (
		lost = "\nThe self-hosted runner: gpu-3 lost communication with the server."
		code = "\nE   cuda.tile._exception.TileCompilerExecutionError: Return code 5\nE   failed to compile Tile IR program"
		full = "\nE   torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 8.00 GiB. GPU 0 has a total capacity of 21.96 GiB of which 3.90 GiB is free. Including non-PyTorch memory, this process has 17.90 GiB memory in use. Of the allocated memory 17.60 GiB is allocated by PyTorch, and 12.41 MiB is reserved by PyTorch but unallocated."
		two  = "\nE   torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.18 GiB of which 1.20 GiB is free. Process 4001 has 70.00 GiB memory in use. Process 5110 has 7.90 GiB memory in use. Of the allocated memory 7.10 GiB is allocated by PyTorch, and 120.00 MiB is reserved by PyTorch but unallocated."
	)
	for _, c := range []struct{ want, log string }{
		{"S-I106", "nvidia-cudnn-cu12         9.10.2.21\nnvidia-cudnn-cu13         9.19.0.56\nE   RuntimeError: cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"},
		{"S-I106", "cupy-cuda12x==13.6.0\ncupy-cuda13x==13.6.0\nImportError: /opt/venv/lib/python3.12/site-packages/cupy/_core/core.so: undefined symbol: cuGreenCtxCreate"},
		{"S-I106", "nvidia-cutlass           4.2.0.0\nnvidia-cutlass-dsl       4.4.2\nE   AttributeError: module 'cutlass' has no attribute 'cute'"},
		{"S-I35", "nvidia-cublas-cu12        12.8.4.1\nnvidia-cublas             13.1.1.3\nE   ImportError: /v/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12"},
		{"S-I107", "Found existing installation: opencv-python 4.12.0.88\nSuccessfully uninstalled opencv-python-4.12.0.88\nopencv-python-headless    4.12.0.88\nE   ModuleNotFoundError: No module named 'cv2'"},
		{"S-I107", "- nvidia-cudnn-cu12==9.10.2.21\n+ nvidia-cudnn-cu13==9.19.0.56\nE   ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory"},
		{"S-I11", "Successfully uninstalled cupy-cuda12x-13.1\nE   ModuleNotFoundError: No module named 'cupy'"},
		{"S-J81", "Found existing installation: triton 3.5.1\nSuccessfully installed triton-3.6.0\nE   RuntimeError: PassManager::run failed"},
		{"S-J81", "E   tvm.error.InternalError: Check failed: no available layout found\nlast good: run 8121\ncommit: 77ab12f 77ab12f\ntilelang: 0.1.6 0.1.7"},
		{"S-J81", "last passing nightly\n| item | last passing | tonight |\n| commit | 9f1c2ab | 9f1c2ab |\n| cuda-tile | 1.1.0 | 1.2.0 |\nE   cuda.tile._exception.TileCompilerExecutionError: Return code 139"},
		{"S-J47", "last green: 2026-03-01\ncommit       9f1c2ab      8e11aa0\ndriver       580.95.05    580.95.05\ntriton       3.5.1        3.6.0\nE   triton.compiler.errors.CompilationError: at 31:12:\nE   AssertionError('Mismatched type for acc between then block and else block')"},
		{"S-I50", "E   ImportError: cannot import name 'TensorDescriptor' from 'triton.tools' (/v/triton/tools/__init__.py)\nlast green on main: b41c7de\ntorch       2.10.0     2.10.0\ntriton      3.5.1      3.3.1"},
		{"S-X125", "FAILED tests/ops/test_a.py::test_op[64] - AssertionError: values differ\nCompared with the last good run:\n  commit      same\n  host        gpu-07     gpu-11"},
		{"S-B90", "error: toolchain '1.90.0-x86_64-unknown-linux-gnu' is not installed\nerror: failed to install component: 'rustc-x86_64-unknown-linux-gnu', detected conflict: 'bin/rust-gdb'"},
		{"S-B90", "error: component download failed for rustc: could not rename downloaded file from '/opt/rustup/downloads/8a.partial' to '/opt/rustup/downloads/8a'"},
		{"S-B24", "error: toolchain '1.90.0-x86_64-unknown-linux-gnu' is not installed"},
		{"S-R146", "E   RuntimeError: NVML_SUCCESS == nvmlDeviceGetMemoryInfo(dev, &mem) INTERNAL ASSERT FAILED at \"/pytorch/c10/cuda/CUDACachingAllocator.cpp\":990, please report a bug to PyTorch."},
		{"S-R18", "GPU 0: NVIDIA H200 (UUID: GPU-a0de7b4c-3c0e-8d2a-3f5e)\nCUDA_VISIBLE_DEVICES=GPU-a0de7b4c\nE   RuntimeError: No CUDA GPUs are available"},
		{"S-I43", "MIG 1g.18gb     Device  0: (UUID: MIG-2b4a4e0b)\nCUDA_VISIBLE_DEVICES=MIG-77aa0d12\nE   RuntimeError: No CUDA GPUs are available"},
		{"S-X124", "MemAvailable:   182344 kB" + lost},
		{"S-X124", "nproc: 8\n14:03 load average: 148.20, 90.1, 40.2" + lost},
		{"S-X124", "total used free shared buff/cache available\nMem:            15Gi        15Gi       102Mi       1.0Mi       210Mi        88Mi" + lost},
		{"S-R22", "nproc: 256\n14:03 load average: 148.20, 90.1, 40.2" + lost},
		{"S-R22", "13:05  mem_avail= 0.1G  load1=143  net=down" + lost},
		{"S-J82", "tileiras: NVIDIA (R) Tile IR optimizing assembler\nCuda compilation tools, release 13.1, V13.1.80\nptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 12.9, V12.9.86" + code},
		{"S-J82", "cuda-tile                1.1.0\nCUDA_HOME=/usr/local/cuda-12.8" + code},
		{"S-J82", "cuda-tile                1.1.0\nnvidia-cuda-nvcc-cu12    12.8.93" + code},
		{"S-J23", "tileiras 13.2 (/usr/local/cuda-13.2/bin/tileiras)\nptxas 13.2 (/usr/local/cuda-13.2/bin/ptxas)" + code},
		{"S-R53", two},
		{"S-R58", "4 workers [120 items]" + two},
		{"S-R53", "|  0%   38C    P0   121W /  700W |   71234MiB /  81559MiB |      0%      Default |\n|  No running processes found            |\nE   torch.OutOfMemoryError: CUDA out of memory."},
		{"S-R13", "|  0%   38C    P8    21W /  450W |       1MiB /  24564MiB |      0%      Default |\n|  No running processes found            |" + full},
		{"S-R147", "[mem] before test_mm[big]: memory_allocated=0" + full},
		{"S-R147", "1 failed, 30 passed in 40s" + full + "\n1 failed, 30 deselected in 11.02s"},
		{"S-R59", "memory_allocated grows: 1.2 GiB after test 1, 17.1 GiB after test 40" + full},
		{"S-R13", full},
	} {
		got := Text("job.log", c.log)
		assert.Equal(t, c.want, append(ids(got), "")[0], "%s\nfound %v", c.log, ids(got))
	}
	assert.True(t, Text("job.log", "nvidia-nccl-cu12   2.27.5\nnvidia-nccl-cu13   2.29.7\nptxas 12.8\ntileiras 13.1\nload average: 148.20\nlast green: 1\ntriton 3.5.1  3.6.0\n120 passed in 20.1s").Unknown)
}
