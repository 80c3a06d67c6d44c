package triage

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Whose a folder is, which tool PATH finds and how much ran at once decide between causes
// of the same message. Each pair differs in such a fact alone.
func TestFactsOfTheMachineDecide(t *testing.T) {
	const refused = "\nE   PermissionError: [Errno 13] Permission denied: '/data/triton/ab/k.json'\n"
	const killed = "error: linking with `cc` failed: exit status: 1\n  = note: collect2: fatal error: ld terminated with signal 9 [Killed]\n"
	const tooOld = "CMake Error at CMakeLists.txt:1 (cmake_minimum_required):\n  CMake 3.28 or higher is required.  You are running version 3.22.1\n"
	const crashed = "8 workers [40 items]\nworker 'gw3' crashed while running 'tests/test_mla.py::test_big[4096]'\n"
	for _, c := range []struct{ name, log, want string }{
		{"another user's folder", "uid=7(b)\ndrwxr-xr-x 2 a a 4096 Nov  9 19:39 /data/triton" + refused, "S-X130"},
		{"the job's own folder", "uid=7(b)\ndrwxr-xr-x 2 b b 4096 Nov  9 19:39 /data/triton" + refused, "S-R32"},
		{"a folder that all may write", "uid=7(b)\ndrwxrwxrwx 2 a a 4096 Nov  9 19:39 /data/triton" + refused, "S-R32"},
		{"an inner folder is the job's own", "uid=7(b)\ndrwxr-xr-x 2 a a 4096 Nov  9 19:39 /data\ndrwxr-xr-x 2 b b 4096 Nov  9 19:39 /data/triton" + refused, "S-R32"},
		{"the job is root", "uid=0(root)\ndrwxr-xr-x 2 a a 4096 Nov  9 19:39 /data/triton" + refused, "S-R32"},
		{"nobody knows who the job is", "drwxr-xr-x 2 a a 4096 Nov  9 19:39 /data/triton" + refused, "S-R32"},
		{"listed by its name in a folder", "uid=7(b)\n$ ls -l /data\ntotal 4\ndrwxr-xr-x 2 a a 4096 Nov  9 19:39 triton" + refused, "S-X130"},
		{"the list of another folder", "uid=7(b)\n$ ls -l /srv\ntotal 4\ndrwxr-xr-x 2 a a 4096 Nov  9 19:39 triton" + refused, "S-R32"},
		{"below /tmp every folder is its maker's", "E   PermissionError: [Errno 13] Permission denied: '/tmp/torch_extensions/py312/op'", "S-X130"},
		{"/tmp itself", "E   PermissionError: [Errno 13] Permission denied: '/tmp/op'", "S-R32"},
		{"a mounted folder, not root", "docker run -u 1000 -v /srv/c:/data ci pytest" + refused, "S-X130"},
		{"a mounted folder, as root", "docker run -v /srv/c:/data ci pytest" + refused, "S-R32"},
		{"another mount", "docker run -u 1000 -v /srv/c:/cache ci pytest" + refused, "S-R32"},

		{"links at once", "nproc: 16\n" + killed, "S-B200"},
		{"two links killed", killed + killed, "S-B200"},
		{"one link at a time", "nproc: 16\ncargo build -j 1\n" + killed, "S-B27"},
		{"one link, nothing of the others", killed, "S-B27"},

		{"workers and the group's limit", crashed + "oom_kill 2", "S-X132"},
		{"workers, nothing killed", crashed + "oom_kill 0", "S-R24"},

		{"two places of the tool", "cmake is /usr/bin/cmake\ncmake is /opt/venv/bin/cmake\n" + tooOld, "S-X133"},
		{"two tools", "cmake is /usr/bin/cmake\nninja is /opt/venv/bin/ninja\n" + tooOld, "S-B72"},
		{"two places of another tool", "git is /usr/bin/git\ngit is /opt/venv/bin/git\n" + tooOld, "S-B72"},
	} {
		got := Text("job.log", c.log).Matches
		if assert.NotEmpty(t, got, c.name) {
			assert.Equal(t, c.want, got[0].Signature, "%s: %v", c.name, got)
		}
	}
}

// What tells of a machine in order is no failure.
func TestFactsAloneAreNoFailure(t *testing.T) {
	for _, log := range []string{
		"uid=7(b)\ndrwxr-xr-x 2 a a 4096 Nov  9 19:39 /data/triton\n12 passed in 3.1s",
		"nvcc is /opt/conda/bin/nvcc\nnvcc is /usr/local/cuda/bin/nvcc\n12 passed in 3.1s",
		"nproc: 16\n8 workers [412 items]\noom_kill 0\n412 passed in 3.1s",
		"tmpfs           2.0G  1.1G  0.9G  55% /tmp\n12 passed in 3.1s",
		"Requested labels: self-hosted, gpu\nWaiting for a runner to pick up this job...\nJob is about to start running on the runner: gpu-3\n12 passed in 3.1s",
		"HTTPS_PROXY=http://proxy.example:3128\ndocker run --rm ci pip install -r r.txt\nWARNING: Retrying (Retry(total=4)) after connection broken by 'ReadTimeoutError'\nSuccessfully installed torch-2.9.1\n12 passed in 3.1s",
		"#9 [4/7] RUN echo 'fn main(){}' > src/main.rs\n#10 [5/7] COPY src src\n#11 0.4 Finished `release` profile [optimized] target(s) in 0.09s\n#11 DONE 0.5s",
		"Submodule 'a' (git@host.example:k/a.git) registered for path 'a'\nSubmodule path 'a': checked out '0a1b2c3'\n12 passed in 3.1s",
		"GPU 0: Tesla V100-SXM2-32GB\nnvidia-cuda-nvrtc    13.0.88\n12 passed in 3.1s",
		"crw-rw---- 1 root video 195, 0 Nov 20 10:00 /dev/nvidia0\nuid=1001(ci) groups=1001(ci)\n12 passed in 3.1s",
	} {
		assert.Empty(t, Text("job.log", log).Matches, log)
	}
}
