package triage

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What a job installed, and where, is held against what it does not find afterwards.
func TestWhatWasInstalledContradictsTheError(t *testing.T) {
	for _, c := range []struct{ want, log string }{
		{"S-I81", "Successfully installed iniconfig-2.0.0 pluggy-1.5.0 pytest-8.3.4\n/usr/bin/python3: No module named pytest"},
		{"S-I81", "Requirement already satisfied: torch in /opt/conda/lib/python3.12/site-packages (2.9.1)\n+ sudo python3 bench.py\nModuleNotFoundError: No module named 'torch'"},
		{"S-I11", "/usr/bin/python3: No module named pytest"},
		{"S-I11", "ModuleNotFoundError: No module named 'cffi'\nSuccessfully installed cffi-1.17.1"},
		{"S-B76", "Successfully installed torch-2.9.1\nGetting requirements to build wheel: started\nModuleNotFoundError: No module named 'torch'"},
		{"S-I82", "🛠 Installed fused-0.1.0\nUninstalled 1 package in 0.5ms\n - fused==0.1.0\nE   ModuleNotFoundError: No module named 'fused'"},
		{"S-I40", "Successfully built fused_ops\nSuccessfully installed fused_ops-0.3.0\nfused_ops/__init__.py:4: in <module>\nE   ImportError: cannot import name '_C' from partially initialized module 'fused_ops' (most likely due to a circular import) (/src/fused_ops/__init__.py)"},
		{"S-I40", "Successfully built fused_ops\nSuccessfully installed fused_ops-0.3.0\nfused_ops/__init__.py:4: in <module>\nE   ModuleNotFoundError: No module named 'fused_ops._C'"},
		{"S-I91", "Building editable for fused_ops (pyproject.toml): started\nSuccessfully installed fused_ops-0.3.0\nfused_ops/__init__.py:4: in <module>\nE   ModuleNotFoundError: No module named 'fused_ops._C'"},
		{"S-X110", "Rust is installed now. Great!\n/bin/sh: 1: cargo: not found"},
		{"S-X110", "installing to /root/.local/bin\n/bin/sh: 1: uv: not found"},
		{"S-X110", "+ sudo cargo test\nsudo: cargo: command not found"},
		{"S-X110", "##[group]Run a\necho /opt/rust/bin >> $GITHUB_PATH\nbash: line 2: rustfilt: command not found"},
		{"S-B33", "bash: line 1: cargo: command not found\nRust is installed now. Great!\nerror[E0425]: cannot find value `q` in this scope\n --> src/lib.rs:3:5"},
		{"S-B75", "Python 3.14.0\nERROR: Could not find a version that satisfies the requirement triton==3.1.0 (from versions: none)\nERROR: No matching distribution found for triton==3.1.0"},
		{"S-B75", "Python 3.14.0\nERROR: Could not find a version that satisfies the requirement torch==2.5.1 (from versions: 2.9.0, 2.9.1)\nERROR: No matching distribution found for torch==2.5.1"},
		{"S-B55", "Python 3.14.0\nERROR: Could not find a version that satisfies the requirement torch==2.9.7 (from versions: 2.9.0, 2.9.1)\nERROR: No matching distribution found for torch==2.9.7"},
		{"S-B123", "aarch64\nERROR: kern-0.3.0-cp312-cp312-manylinux_2_28_x86_64.whl is not a supported wheel on this platform."},
		{"S-B75", "ERROR: kern-0.3.0-cp311-cp311-linux_x86_64.whl is not a supported wheel on this platform."},
		{"S-B123", "hint: You're on Linux (`manylinux_2_28_aarch64`), but `torch` (v2.9.1) only has wheels for the following platforms: `manylinux_2_28_x86_64`"},
		{"S-R117", "LD_LIBRARY_PATH=/usr/local/cuda/compat:/usr/local/nvidia/lib64\nRuntimeError: Error 803: system has unsupported display driver / cuda driver combination"},
		{"S-I102", "warning: kern@0.3.0: nvcc not found, building without CUDA kernels\nE   AttributeError: /w/libkern.so: undefined symbol: tile_add"},
		{"S-B55", "##[group]Run pip install -r r.txt || true\nERROR: Could not find a version that satisfies the requirement cuda-tile==1.9.0 (from versions: 1.0.0, 1.1.0)\n##[group]Run pytest tests\nE   ModuleNotFoundError: No module named 'einops'\n##[error]Process completed with exit code 1."},
		{"S-B75", "ERROR: Ignored the following versions that require a different python version: 1.2.0 Requires-Python >=3.11\nERROR: Could not find a version that satisfies the requirement kern==1.2.0 (from versions: 1.0.0, 1.1.0)"},
		{"S-B55", "ERROR: Ignored the following versions that require a different python version: 1.2.0 Requires-Python >=3.11\nERROR: Could not find a version that satisfies the requirement kern==1.3.0 (from versions: 1.0.0, 1.1.0)"},
		{"S-J22", "TORCH_CUDA_ARCH_LIST=8.0;9.0\nGPU 0: NVIDIA H100 80GB HBM3\nRuntimeError: CUDA error: no kernel image is available for execution on the device"},
		{"S-J22", "TORCH_CUDA_ARCH_LIST=8.0+PTX\nGPU 0: NVIDIA H100 80GB HBM3\nRuntimeError: CUDA error: no kernel image is available for execution on the device"},
		{"S-B131", "nvcc -gencode=arch=compute_90a,code=sm_90a -c k.cu\nGPU 0: NVIDIA B200\nRuntimeError: CUDA error: no kernel image is available for execution on the device"},
		{"S-X19", "OSError: /w/lib/libkern.so: file too short\nversion https://git-lfs.github.com/spec/v1"},
		{"S-I25", "Python 3.12.3\nFile \"/usr/lib/python3.10/site-packages/numpy/__init__.py\", line 140, in <module>\nImportError: numpy.core.multiarray failed to import"},
		{"S-I11", "E   ModuleNotFoundError: No module named 'kern._utils'"},
		{"S-B24", "/usr/bin/docker create --name ci -e \"HOME=/github/home\" ci:1\n/bin/sh: 1: cargo: not found"},
		{"S-I11", "WARNING: Ignoring invalid distribution ~orch (/opt/venv/lib/python3.12/site-packages)\nModuleNotFoundError: No module named 'cffi'"},
		{"S-I11", "libtilert.so.1\nImportError: libtilert.so.2: cannot open shared object file: No such file or directory"},
		{"S-I103", "ERROR: Could not install packages due to an OSError: [Errno 2] No such file or directory: '/opt/venv/lib/python3.12/site-packages/~orch'"},
		{"S-X113", "Secret source: Dependabot\n##[error]Resource not accessible by integration"},
	} {
		got := Text("job.log", c.log)
		assert.Equal(t, c.want, append(ids(got), "")[0], "%s\nfound %v", c.log, ids(got))
	}
}

// The same error of pytest has its cause in where it was started, in what hides the
// tests, or in the tests themselves.
func TestRootsOfPytest(t *testing.T) {
	for _, c := range []struct{ want, log string }{
		{"S-I17", "import file mismatch:\nimported module 'test_gemm' has this __file__ attribute:\n  /w/pkg_a/tests/test_gemm.py\nwhich is not the same as the test file we want to collect:\n  /w/pkg_b/tests/test_gemm.py"},
		{"S-I86", "import file mismatch:\nimported module 'test_gemm' has this __file__ attribute:\n  /w/build/lib/tests/test_gemm.py\nwhich is not the same as the test file we want to collect:\n  /w/tests/test_gemm.py"},
		{"S-I86", "_pytest.pathlib.ImportPathMismatchError: ('pkg.conftest', '/opt/venv/lib/python3.12/site-packages/pkg/conftest.py', PosixPath('/w/pkg/conftest.py'))"},
		{"S-I83", "E   ModuleNotFoundError: No module named 'test.helpers'"},
		{"S-I83", "E   ModuleNotFoundError: No module named 'utils.compare'; 'utils' is not a package"},
		{"S-I84", "tests/ops/test_rope.py:4: in <module>\nE   ImportError: attempted relative import with no known parent package"},
		{"S-I84", "tests/ops/test_bmm.py:5: in <module>\n    import helpers\nE   ModuleNotFoundError: No module named 'helpers'\naddopts = \"--import-mode=importlib\""},
		{"S-I85", "rootdir: /\nE       fixture 'gpu_arch' not found"},
		{"S-I37", "rootdir: /w\nE       fixture 'gpu_arch' not found"},
		{"S-I38", "rootdir: /w\nE       fixture 'benchmark' not found"},
		{"S-I87", "___ ERROR collecting setup.py ___\nsetup.py:40: in <module>\nE   SystemExit: usage: setup.py [global_opts] cmd1"},
		{"S-I80", "ImportError: libc10.so: cannot open shared object file: No such file or directory"},
		{"S-J22", "nvcc -arch=sm_121a\nptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'"},
	} {
		got := Text("job.log", c.log)
		assert.Equal(t, c.want, append(ids(got), "")[0], "%s\nfound %v", c.log, ids(got))
	}
}

// Facts about an installation are no failure.
func TestInstallationsThatWentWell(t *testing.T) {
	for _, log := range []string{
		"Secret source: None\nPython 3.12.3\nSuccessfully installed cffi-1.17.1 torch-2.9.1\nSKIPPED [1] tests/test_b.py:3: could not import 'triton': No module named 'triton'\n12 passed, 1 skipped in 3.10s",
		"WARNING: The script f2py is installed in '/home/ci/.local/bin' which is not on PATH.\nSuccessfully installed numpy-2.2.0\n12 passed in 3.10s",
		"/usr/bin/docker create --name ci -e \"HOME=/github/home\" -v \"/var/run/docker.sock\":\"/var/run/docker.sock\" ci:1\ndocker run -v $PWD:/w test true\n12 passed in 3.10s",
		"2: eth0: <BROADCAST,UP> mtu 1450 qdisc mq\n3: docker0: <BROADCAST,UP> mtu 1500 qdisc noqueue\n12 passed in 3.10s",
		"6.8.0-88-generic\nnvidia/570.172.08, 6.8.0-87-generic, x86_64: installed\n12 passed in 3.10s",
		"PYTEST_DISABLE_PLUGIN_AUTOLOAD: 1\nconfigfile: pytest.ini (WARNING: ignoring pytest config in pyproject.toml!)\n12 passed in 3.10s",
		"Uninstalled 1 package in 1ms\nInstalled 1 package in 3ms\n - kern==0.1.0\n + kern==0.2.0\n12 passed in 3.10s",
		"docker run --network none ci:1 pytest\nTORCH_CUDA_ARCH_LIST=8.0\nGPU 0: NVIDIA B200\nno kernels are built without CUDA, CPU-only build\n12 passed in 3.10s",
		"WARNING: Ignoring invalid distribution ~orch (/opt/venv/lib/python3.12/site-packages)\n12 passed in 3.10s",
		"#6 [2/5] RUN apt-get update\n#6 CACHED\n12 passed in 3.10s",
	} {
		assert.Empty(t, ids(Text("job.log", log)), log)
	}
}
