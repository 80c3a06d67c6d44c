package triage

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Lines that stand apart name a cause that none of them tells by itself.
func TestCluesNameTheCause(t *testing.T) {
	const (
		noFile = "\nE   FileNotFoundError: [Errno 2] No such file or directory: '/home/ci/.triton/cache/R5XW/softmax.json'"
		ice    = "\nE   cutlass.base_dsl.common.DSLRuntimeError: DSLRuntimeError: ICE\nE   error: 'nvgpu.tma_load' op failed to legalize"
		noGPU  = "\nE   RuntimeError: No CUDA GPUs are available"
		noCuda = "\nRun python -c 'import torch; assert torch.cuda.is_available()'\nAssertionError"
	)
	for _, c := range []struct{ want, log string }{
		{"S-B160", "job 880: rm -rf ~/.triton/cache" + noFile},
		{"S-B160", "systemd-tmpfiles[812]: Removing /home/ci/.triton/cache older than 1d" + noFile},
		{"S-I34", "job 880: rm -rf ~/.triton/cache\nserver:/home on /home type nfs4 (rw,vers=4.2)" + noFile},
		{"S-I34", "job 880: rm -rf /srv/other/.triton/cache" + noFile},
		{"S-B160", "error: linking with `cc` failed: exit status: 1\n  = note: rust-lld: error: cannot open /srv/target/debug/deps/libhalf-0aa1.rlib: No such file or directory"},
		{"S-B160", "error: could not execute process `/srv/ci/target/debug/deps/kern-9ac6` (never executed)\nCaused by:\n  No such file or directory (os error 2)"},
		{"S-B74", "error: could not execute process `sccache /home/ci/bin/rustc -vV` (never executed)\nCaused by:\n  No such file or directory (os error 2)"},
		{"S-B160", "E   torch._inductor.exc.InductorError: SubprocException: An exception occurred in a subprocess:\nE   OSError: source code not available\nE   ValueError: @jit functions should be defined in a Python file"},
		{"S-B161", "$ nvidia-smi -ac 1313,[N/A]\nInvalid combination of arguments: '1313,[N/A]'"},
		{"S-B161", "$ sudo nvidia-smi -ac 9751,1695\nSetting applications clocks is not supported for GPU 00000000:01:00.0.\nERROR: clocks were not locked"},
		{"S-P14", "Setting locked GPU clocks is not supported for GPU 00000000:41:00.0.\nTreating as warning and moving on."},
		{"S-B162", "[tool.uv.pip]\nindex-url = \"https://mirror.example.invalid/simple\"\n$ uv sync\nerror: Failed to fetch: `https://index.example.invalid/simple/torch/`\n  Caused by: dns error: failed to lookup address information: Name or service not known"},
		{"S-B25", "[tool.uv.pip]\nindex-url = \"https://mirror.example.invalid/simple\"\n$ uv pip install torch\nerror: Failed to fetch: `https://mirror.example.invalid/simple/torch/`\n  Caused by: dns error: failed to lookup address information: Name or service not known"},
		{"S-B163", "Virtual packages: __cuda=12.4, __glibc=2.35\n      __cuda >=13.0, for which no candidates were found."},
		{"S-B97", "Virtual packages: __glibc=2.35\n      __cuda >=13.0, for which no candidates were found."},
		{"S-B163", "__cuda=11.4=0\n  + pytorch              2.9.1  cpu_generic_py312_h8d0ab12_1   conda-forge" + noCuda},
		{"S-B164", "Cache restored from key: cargo-4ab1\nerror[E0432]: unresolved import `kern_models::shape_name`\n  --> src/plan.rs:4:5\n   |\n   = note: no `shape_name` in `kern_models`\n$ grep -rn shape_name crates\ncrates/models/src/lib.rs:88:pub fn shape_name(cfg: &Config) -> &str {"},
		{"S-I130", "Cache restored successfully from key uv-7d1\nInstalled 31 packages in 88ms\n + kern-sdk==0.2.0 (from file:///w/python)\nE   ModuleNotFoundError: No module named 'kern_sdk._native'"},
		{"S-I91", "Cache restored successfully from key uv-7d1\n   Built kern-sdk @ file:///w/python\n + kern-sdk==0.2.0 (from file:///w/python)\nE   ModuleNotFoundError: No module named 'kern_sdk._native'"},
		{"S-B109", "nvidia-cuda-nvcc          13.0.88\nnvidia-nvvm               13.2.51\nptxas /tmp/k.ptx, line 9; fatal   : Unsupported .version 9.2; current version is '9.0'"},
		{"S-J32", "nvidia-cuda-nvcc          13.0.88\nnvidia-nvvm               13.0.88\nptxas /tmp/k.ptx, line 9; fatal   : Unsupported .version 9.2; current version is '9.0'"},
		{"S-B165", "Submodule 'third_party/cutlass' (git@example.invalid:org/cutlass.git) registered for path 'third_party/cutlass'\nHost key verification failed.\nfatal: Could not read from remote repository."},
		{"S-I131", "CUDA_VISIBLE_DEVICES=NoDevFiles" + noGPU},
		{"S-I131", "scontrol show job 881: TRES=cpu=8,mem=64G,node=1,billing=8" + noGPU},
		{"S-R18", "scontrol show job 881: TRES=cpu=8,mem=64G,node=1,gres/gpu=1" + noGPU},
		{"S-X116", "$ lsmod\nnouveau              2306048  0\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."},
		{"S-R30", "tmpfs           2.0G  2.0G     0 100% /scratch\nnvcc fatal   : Could not open output file '/scratch/tmpxft_00001b2c.ii'"},
		{"S-B104", "tmpfs           2.0G  2.0G     0 100% /data\nnvcc fatal   : Could not open output file '/scratch/tmpxft_00001b2c.ii'"},
		{"S-B174", "/dev/nvidia0  /dev/nvidiactl\nE   RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment"},
		{"S-I38", "pytest: error: unrecognized arguments: -n tests"},
		{"S-I38", "__main__.py: error: unrecognized arguments: -n"},
		{"S-I14", "pytest: error: unrecognized arguments: -no-such tests"},
		{"S-J81", "## versions of the last green run (#8121)\ntorch==2.10.0\nnvidia-cutlass-dsl==4.3.5\n## versions of this run (#8140)\ntorch==2.10.0\nnvidia-cutlass-dsl==4.4.0" + ice},
		{"S-J55", "## versions of the last green run (#8121)\ntorch==2.10.0\nnvidia-cutlass-dsl==4.3.5\n## versions of this run (#8140)\ntorch==2.10.0\nnvidia-cutlass-dsl==4.3.5" + ice},
		{"S-J55", "## versions of the last green run (#8121)\ntorch==2.9.1\nnvidia-cutlass-dsl==4.3.5\n## versions of this run (#8140)\ntorch==2.10.0\nnvidia-cutlass-dsl==4.4.0" + ice},
		{"S-X28", "job 7: rm -rf /root/.triton/cache\nls: cannot access '/root/.triton/cache': No such file or directory"},
		{"S-B182", "runner-2: docker system prune -af\ndocker: Error response from daemon: No such image: kern-ci:881"},
		{"S-X31", "docker: Error response from daemon: manifest for kern-ci:881 not found: manifest unknown: manifest unknown"},
		{"S-B160", "/tmp/venv-881/bin/python: No such file or directory\nsystemd-tmpfiles[12]: Removing /tmp/venv-881"},
		{"S-X110", "$ ls /usr/local/cuda/bin/nvcc\n/usr/local/cuda/bin/nvcc\n/bin/sh: 1: nvcc: not found"},
		{"S-B18", "$ ls /usr/local/cuda/bin/ptxas\n/usr/local/cuda/bin/ptxas\n/bin/sh: 1: nvcc: not found"},
		{"S-X29", "Warning: Failed to restore: Cache service responded with 503\nerror: no matching package named `half` found"},
		{"S-X66", "CondaError: Run 'conda init' before 'conda activate'\nModuleNotFoundError: No module named 'torch'"},
		{"S-X58", "A job started hook has been configured by the self-hosted runner administrator\nError: The process '/opt/hooks/start.sh' failed with exit code 1"},
		{"S-X34", "failed to solve: secret pip_conf: not found"},
		{"S-R143", "WARNING: Could not find any nv files on this host!\nRuntimeError: Found no NVIDIA driver on your system."},
		{"S-I32", "libc.so.6: version `GLIBC_ABI_DT_RELR' not found (required by libcuda.so.1)"},
		{"S-B82", "UserWarning: TORCH_CUDA_ARCH_LIST is not set\nIndexError: list index out of range"},
		{"S-B45", "OSError: Could not find a suitable TLS CA certificate bundle, invalid path: /etc/ssl/certs/corp-ca.pem"},
		{"S-B51", "  File \"/v/lib/python3.12/site-packages/pip/_vendor/cachecontrol/serialize.py\", line 71, in _loads_v4\npip._vendor.msgpack.exceptions.ExtraData: unpack(b) received extra data."},
		{"S-B109", "nvidia-cuda-runtime       13.1.80\nCUDA_HOME=/usr/local/cuda-13.0\ncuda.bindings.nvjitlink.nvJitLinkError: ERROR_INVALID_INPUT (3)"},
		{"S-B109", "cub/version.cuh(9): error: #error \"CUB version does not match Thrust\""},
		{"S-I102", "warning: kern@0.3.0: nvcc not found, kernels are skipped\nthread 'main' panicked at src/kernels.rs:41:9:\nno embedded PTX for kernel `alp_decode`"},
		{"S-I65", "nvrtc: error: failed to open libnvrtc-builtins.so.13.0."},
		{"S-B47", "thread 'rustc' panicked at compiler/rustc_query_system/src/query/plumbing.rs:726:9:\nFound unstable fingerprints for evaluate_obligation"},
		{"S-B49", " > [7/9] RUN ln -s /usr/local/cuda-12.8 /usr/local/cuda:\nln: failed to create symbolic link '/usr/local/cuda/cuda-12.8': File exists\nERROR: failed to solve: process \"/bin/sh -c ln -s\" did not complete successfully: exit code: 1"},
		{"S-X125", "Environment of last successful run: torch=2.10.0 triton=3.5.1 driver=580.95\nEnvironment of this run:            torch=2.10.0 triton=3.6.0 driver=580.95\nFAILED tests/test_a.py::test_ln[64] - AssertionError: values differ"},
	} {
		got := Text("job.log", c.log)
		assert.Equal(t, c.want, append(ids(got), "")[0], "%s\nfound %v", c.log, ids(got))
	}
}

// The facts of clues are no failures by themselves.
func TestFactsOfCluesStayUnknown(t *testing.T) {
	for _, log := range []string{
		"$ rm -rf ~/.triton/cache\n[tool.uv.pip]\nindex-url = \"https://mirror.example.invalid/simple\"\n$ uv sync\nResolved 41 packages in 12ms\nAudited 41 packages in 1ms\n120 passed in 20.1s",
		"NVIDIA GeForce RTX 4090, [N/A], 3105 MHz\nApplications Clocks\n    Graphics : N/A\nGPU clocks set to \"(gpuClkMin 1980, gpuClkMax 1980)\" for GPU 00000000:01:00.0\n12 passed in 3.1s",
		"#SBATCH --partition=gpu\nTRES=cpu=8,mem=64G\n__cuda=12.2=0\nCache restored from key: cargo-4ab1\nFresh kern-models v0.4.0 (/w)\nnouveau   2306048  0\n12 passed in 3.1s",
		"$ docker system prune -f\n$ docker rm -f kern-test || true\nError response from daemon: No such container: kern-test\n12 passed in 3.1s",
		"last green run:\ntorch==2.9.1\ntriton==3.5.1\nthis run:\ntorch==2.9.1\ntriton==3.6.0\n12 passed in 3.1s",
		"/dev/nvidia0  /dev/nvidiactl\nrustflags = [\"-L\", \"native=/usr/local/cuda/lib64\"]\n$ RUSTFLAGS=\"-D warnings\" cargo build\n    Finished `release` profile\ntmpfs           2.0G  2.0G     0 100% /data\n12 passed in 3.1s",
	} {
		got := Text("job.log", log)
		assert.True(t, got.Unknown, "%s\nfound %v", log, ids(got))
	}
}
