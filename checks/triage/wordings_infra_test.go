package triage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Wordings of runners, clusters, containers, registries and package managers, and the
// signature that leads for each.
func TestWordingsOfTheMachineRoom(t *testing.T) {
	for _, c := range []struct{ want, log string }{
		{"S-X61", "Instance life cycle: spot\ntests/ops/test_a.py::test_b PASSED\n##[error]The runner has received a shutdown signal. This can happen when the runner service is stopped.\nGET /latest/meta-data/spot/instance-action\n{\"action\":\"terminate\",\"time\":\"2026-03-01T10:00:00Z\"}"},
		{"S-X61", "Instance life cycle: spot\ntests/ops/test_a.py::test_b PASSED\n##[error]The self-hosted runner lost communication with the server."},
		{"S-X64", "Error response from daemon: could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network"},
		{"S-X64", "ERROR: all predefined address pools have been fully subnetted"},
		{"S-R82", "nvidia-container-cli: mount error: file creation failed: /var/lib/docker/overlay2/aa/merged/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1: file exists: unknown"},
		{"S-R82", "nvidia-container-cli: mount error: failed to add device rules: unable to find any existing device filters attached to the cgroup: bpf_prog_query(BPF_CGROUP_DEVICE) failed: operation not permitted: unknown"},
		{"S-R82", "nvidia-container-cli: ldcache error: process /sbin/ldconfig.real failed with error code: 1: unknown"},
		{"S-R82", "docker: Error response from daemon: failed to discover GPU vendor from CDI: no known GPU vendor found"},
		{"S-R82", "Error: setting up CDI devices: failed to inject devices: failed to stat CDI host device \"/dev/nvidia-modeset\": no such file or directory"},
		{"S-R82", "Error: stat nvidia.com/gpu=all: no such file or directory"},
		{"S-R82", "docker: Error response from daemon: CDI device injection failed: unresolvable CDI devices nvidia.com/gpu=all"},
		{"S-R82", "docker: Error response from daemon: failed to create task for container: OCI runtime create failed: runc create failed: exec: \"nvidia-smi\": executable file not found in $PATH: unknown."},
		{"S-R18", "modprobe: FATAL: Module nvidia not found in directory /lib/modules/6.8.0-60-generic"},
		{"S-X63", "slurmstepd: error: pyxis:     [ERROR] /etc/enroot/hooks.d/98-nvidia.sh exited with return code 1"},
		{"S-X60", "sbatch: error: Batch job submission failed: Invalid generic resource (gres) specification"},
		{"S-X60", "srun: error: Unable to allocate resources: Requested node configuration is not available"},
		{"S-X60", "sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified"},
		{"S-X60", "sbatch: error: invalid partition specified: gpu-h200"},
		{"S-X60", "sbatch: error: Batch job submission failed: Requested time limit is invalid (missing or exceeds some limit)"},
		{"S-X60", "slurm_load_jobs error: Unable to contact slurm controller (connect failure)"},
		{"S-R25", "slurmstepd: error: *** JOB 88213 ON gpu-node-14 CANCELLED AT 2026-03-01T10:00:00 DUE TO TIME LIMIT ***"},
		{"S-X61", "slurmstepd: error: *** JOB 88213 ON gpu-node-14 CANCELLED AT 2026-03-01T10:00:00 DUE TO PREEMPTION ***"},
		{"S-R22", "slurmstepd: error: *** STEP 88213.0 ON gpu-node-14 CANCELLED AT 2026-03-01T10:00:00 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***"},
		{"S-X61", "slurmstepd: error: *** JOB 608 ON node CANCELLED AT 2022-08-12T02:06:12 DUE TO JOB REQUEUE ***"},
		{"S-R22", "srun: error: Task launch for StepId=88213.0 failed on node gpu-node-14: Invalid job credential"},
		{"S-X41", "srun: error: gpu-node-14: task 3: Exited with exit code 1"},
		{"S-R24", "srun: error: gpu-node-14: task 0: Segmentation fault (core dumped)"},
		{"S-R25", "TERM_RUNLIMIT: job killed after reaching LSF run time limit."},
		{"S-X62", "The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi."},
		{"S-X62", "Pod ephemeral local storage usage exceeds the total limit of containers 50Gi."},
		{"S-X31", "Warning  Failed  kubelet  Error: ImagePullBackOff"},
		{"S-R22", "0/12 nodes are available: 12 Insufficient nvidia.com/gpu. preemption: 0/12 nodes are available"},
		{"S-R22", "pods \"runner-x\" is forbidden: exceeded quota: gpu-quota, requested: requests.nvidia.com/gpu=1, used: 8, limited: 8"},
		{"S-X55", "MountVolume.SetUp failed for volume \"cache\" : mount failed: exit status 32"},
		{"S-X58", "An error occurred: Error: Forbidden Runner version v2.317.0 is deprecated and cannot receive messages."},
		{"S-X58", "Failed to create a session. The runner registration has been deleted from the server, please re-configure."},
		{"S-X58", "A session for this runner already exists."},
		{"S-R22", "The job has exceeded the maximum execution time while awaiting a runner for 24h0m0s"},
		{"S-X58", "Error: A job started hook has been configured by the self-hosted runner administrator and failed with exit code 1"},
		{"S-R22", "Cannot contact gpu-agent-3: java.lang.InterruptedException"},
		{"S-R22", "The agent was lost: agent gpu-1 stopped sending heartbeats"},
		{"S-X07", "Error: Unable to find an artifact with the name: wheels"},
		{"S-B25", "Error: Failed to FinalizeArtifact: Failed to make request after 5 attempts: Request timeout: /twirp/github.actions.results.api.v1.ArtifactService/FinalizeArtifact"},
		{"S-B51", "Error: Unable to download artifact(s): Digest validation failed"},
		{"S-X11", "Error: The least common ancestor is / Unable to upload: path is not valid: target/a\"b. Contains the following character:  Double quote \""},
		{"S-X26", "ERROR: No files to upload"},
		{"S-B25", "pip._internal.exceptions.IncompleteDownloadError: Download failed because not enough bytes were received (120.3 MB/902.4 MB)"},
		{"S-B51", "ERROR: Wheel 'torch' located at /tmp/pip-unpack-a/torch-2.9.1-cp312-cp312-linux_x86_64.whl is invalid."},
		{"S-X21", "error: Failed to fetch: `https://pypi.example.invalid/simple/kern/` Caused by: HTTP status client error (401 Unauthorized) for url"},
		{"S-X56", "error: Could not acquire lock Caused by: failed to lock `/home/ci/.cache/uv/.lock`: Unknown error 524 (os error 524)"},
		{"S-B25", "  ├─▶ peer closed connection without sending TLS close_notify"},
		{"S-B25", "  Caused by: Failed to download distribution due to network timeout. Try increasing UV_HTTP_TIMEOUT (current value: 30s)."},
		{"S-B84", "error    libmamba Could not solve for environment specs"},
		{"S-B51", "InvalidArchiveError(\"Error with archive /opt/conda/pkgs/cuda-nvcc-12.6.conda.  You probably need to delete and re-download or re-create this file.\")"},
		{"S-X66", "CondaError: Run 'conda init' before 'conda activate'"},
		{"S-B51", "ChecksumMismatchError: Conda detected a mismatch between the expected content and downloaded content"},
		{"S-R32", "NotWritableError: The current user does not have write permissions to a required path."},
		{"S-B46", "E: Conflicting values set for option Signed-By regarding source https://repo.example.invalid/libnvidia-container/stable/deb/amd64/ /"},
		{"S-B46", "   File has unexpected size (2013637 != 2008310). Mirror sync in progress? [IP: 192.0.2.10 443]"},
		{"S-B46", "Error: GPG check FAILED"},
		{"S-B55", "ERROR: unable to select packages:"},
		{"S-X22", "  repository path '/io/k' is not owned by current user; class=Config (7); code=Owner (-36)"},
		{"S-X65", "fatal: unable to auto-detect email address (got 'ci@gpu-3.(none)')"},
		{"S-B186", "remote: error: GH001: Large files detected. You may want to try Git Large File Storage"},
		{"S-X24", "fatal: could not fetch 0a1b from promisor remote"},
		{"S-X14", "error: Server does not allow request for unadvertised object 6047713aff39dc8a9f94952ecf3b136223605eec"},
		{"S-B172", "git: 'lfs' is not a git command. See 'git --help'."},
		{"S-B172", "git-lfs filter-process: 1: git-lfs: not found"},
		{"S-B177", "Input 'submodules' not supported when falling back to download using the GitHub REST API. To create a local Git repository instead, add Git 2.18 or higher to the PATH."},
		{"S-X11", "JavaScript Actions in Alpine containers are only supported on x64 Linux runners. Detected Linux Arm64"},
		{"S-X11", "Error: .github/workflows/gpu.yml (Line: 12, Col: 3): 'runs-on' is already defined"},
		{"S-X11", "The workflow is requesting 'id-token: write', but is only allowed 'id-token: none'."},
		{"S-X11", "Error: Unable to process command '::set-env name=A::b' successfully. Error: The `set-env` command is disabled."},
		{"S-X11", "Error: The version '3.14' with architecture 'arm64' was not found for Ubuntu 24.04."},
		{"S-X59", "ls: cannot access '/mnt/golden': Stale file handle"},
		{"S-X59", "Caused by: Stale file handle (os error 116)"},
		{"S-X59", "mount.nfs: Connection timed out"},
		{"S-X59", "OSError: [Errno 107] Transport endpoint is not connected: '/mnt/s3'"},
		{"S-B25", "dial tcp: lookup registry.example on 127.0.0.53:53: server misbehaving"},
		{"S-B25", "dial tcp: lookup registry.example: no such host"},
		{"S-B25", "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to static.example:443"},
		{"S-B110", "urllib.error.URLError: <urlopen error Tunnel connection failed: 403 Forbidden>"},
		{"S-B25", "requests.exceptions.ChunkedEncodingError: ('Connection broken: IncompleteRead(1048576 bytes read, 2097152 more expected)', IncompleteRead(...))"},
		{"S-X32", "sudo: The \"no new privileges\" flag is set, which prevents sudo from running as root."},
		{"S-X21", "Access to model meta/x is restricted. You must have access to it and be authenticated to access it. Please log in."},
		{"S-X32", "botocore.exceptions.ClientError: An error occurred (403) when calling the HeadObject operation: Forbidden"},
		{"S-X20", "fatal error: An error occurred (SlowDown) when calling the PutObject operation: Please reduce your request rate."},
		{"S-X21", "google.auth.exceptions.DefaultCredentialsError: Your default credentials were not found."},
		{"S-B98", "ERROR: failed to solve: error writing layer blob: failed to parse error response 400: <?xml version=\"1.0\" encoding=\"utf-8\"?>"},
		{"S-B85", "ERROR: Cannot uninstall blinker 1.4, RECORD file not found. Hint: The package was installed by debian."},
		{"S-B51", "CondaVerificationError: The package for cuda-nvcc located at /opt/conda/pkgs/cuda-nvcc appears to be corrupted."},
		{"S-X11", "Error: No file in /home/ci/_work/k/k matched to [**/requirements.txt or **/pyproject.toml], make sure you have checked out the target repository"},
		{"S-X11", "Error: Cache folder path is retrieved for pip but doesn't exist on disk: /home/ci/.cache/pip. This likely indicates that there are no dependencies to cache. Consider removing the cache step if it is not needed."},
		{"S-X21", "Error: Bad credentials"},
		{"S-X11", "No event triggers defined in `on`"},
		{"S-X11", "yaml: line 4: did not find expected key"},
		{"S-B25", "gpg: keyserver receive failed: No keyserver available"},
		{"S-B51", "sha256sum: WARNING: 1 computed checksum did NOT match"},
		{"S-X20", "The job was not started because your account is locked due to a billing issue."},
		{"S-X21", "remote: Although you appear to have the correct authorization credentials, the `kern` organization has an IP allow list enabled"},
		{"S-X21", "remote: The 'kern' organization has enabled or enforced SAML SSO."},
		{"S-X69", "Error: cannot set up namespace using \"/usr/bin/newuidmap\": exit status 1"},
		{"S-X69", "ERRO[0000] cannot find UID/GID for user ci: no subuid ranges found for user \"ci\" in /etc/subuid"},
		{"S-X69", "potentially insufficient UIDs or GIDs available in user namespace (requested 0:42 for /etc/gshadow): Check /etc/subuid and /etc/subgid: lchown /etc/gshadow: invalid argument"},
		{"S-X69", "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces."},
		{"S-X69", "fuse: device not found, try 'modprobe fuse' first"},
		{"S-X70", "An error occurred (RequestTimeTooSkewed) when calling the PutObject operation: The difference between the request time and the current time is too large."},
		{"S-X71", "Trusted publishing exchange failure: invalid-publisher: valid token, but no corresponding publisher"},
		{"S-X71", "HTTPError: 400 Bad Request File too large. Limit for project 'kern' is 100 MB."},
		{"S-X71", "error: crate version `0.2.0` is already uploaded"},
		{"S-B25", "fatal: fetch-pack: invalid index-pack output"},
		{"S-B25", "fetch-pack: unexpected disconnect while reading sideband packet"},
		{"S-X23", "error: insufficient permission for adding an object to repository database .git/objects"},
		{"S-X48", "error: could not lock config file /github/home/.gitconfig: Permission denied"},
		{"S-X31", "failed to solve: registry.example.invalid/nvidia/cuda:13.9.0-devel-ubuntu24.04: registry.example.invalid/nvidia/cuda:13.9.0-devel-ubuntu24.04: not found"},
		{"S-X20", "fatal: unable to access 'https://git.example.invalid/k/': The requested URL returned error: 429"},
		{"S-X21", "ci@git.example.invalid: Permission denied (publickey).\nfatal: clone of 'git@git.example.invalid:o/r.git' into submodule path '/src/third_party/r' failed\nFailed to clone 'third_party/r' a second time, aborting\nsrc/a.cu:3:10: fatal error: r/r.h: No such file or directory"},
		{"S-X14", "fatal: Fetched in submodule path 'r', but it did not contain 0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d. Direct fetching of that commit failed.\nsrc/a.cu:3:10: fatal error: r/r.h: No such file or directory"},
		{"S-B25", "Error: Unable to download artifact(s): Unable to download and extract artifact: Artifact download failed after 5 retries.\nModuleNotFoundError: No module named 'ops_native'"},
		{"S-B18", "Lmod has detected the following error: The following module(s) are unknown: \"cuda/13.1\"\nCMake Error at CMakeLists.txt:3 (project):\n  No CMAKE_CUDA_COMPILER could be found."},
		{"S-X21", "error - Upload failed: {\"message\":\"Token required because branch is protected\"}\nError: Codecov: Failed to upload report"},
		{"S-X60", "JobId=41 JobState=PENDING Reason=ReqNodeNotAvail,_UnavailableNodes:gpu-[01-08]\n##[error]The operation was canceled."},
		{"S-B27", "The self-hosted runner: gpu-7 lost communication with the server.\nkernel: Out of memory: Killed process 4121 (Runner.Worker) total-vm:27487kB"},
	} {
		got := Text("job.log", c.log)
		if assert.NotEmpty(t, got.Matches, c.log) {
			assert.Equal(t, c.want, got.Matches[0].Signature, "%s\nfound %v", c.log, ids(got))
		}
	}
}

// Lines that jobs print which go on do not lead over a test that failed by itself.
func TestLinesThatDoNotLead(t *testing.T) {
	const failed = "\nE   assert 8 == 4\n\ntests/ops/test_plan.py:19: AssertionError\nFAILED tests/ops/test_plan.py::test_plan - assert 8 == 4\n"
	for _, line := range []string{
		"Waiting for cache lock: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 18 (unattended-upgr)...",
		"Unable to find image 'ops:9' locally\n9: Pulling from ops\nStatus: Downloaded newer image for ops:9",
		"fatal: not a git repository (or any of the parent directories): .git\n-- revision: unknown",
		"W: GPG error: https://repo.example.invalid noble InRelease: The following signatures couldn't be verified because the public key is not available: NO_PUBKEY 0A1B",
		"INFO httpx: HTTP Request: HEAD https://hub.example.invalid/m/adapter_config.json \"HTTP/1.1 404 Not Found\"",
		"ConnectionResetError: [Errno 104] Connection reset by peer",
		"groups: cannot find name for user ID 1004",
		"srun: error: gpu-a4: task 0: Exited with exit code 1",
		"Warning: No files were found with the provided path: out/*.xml. No artifacts will be uploaded.",
		"nfs: server nas02 not responding, still trying\nnfs: server nas02 OK",
		"E   ValueError: Unexpected value 'nan' in column 3",
	} {
		got := Text("job.log", line+failed)
		require.NotEmpty(t, got.Matches)
		assert.Equal(t, "S-X16", got.Matches[0].Signature, "%s\nfound %v", line, ids(got))
	}
}

// A warning of an upload, or a work tree that git did not read, is the cause when what
// it should have given is missed later, even in a step that passed.
func TestCausesInStepsThatPassed(t *testing.T) {
	const step, end = "##[group]Run it\n##[endgroup]\n", "##[error]Process completed with exit code 1.\n"
	for want, log := range map[string]string{
		"S-X26":  step + "##[warning]No files were found with the provided path: dist/*.whl. No artifacts will be uploaded.\n" + step + "##[error]Unable to download artifact(s): Artifact not found for name: dist\n",
		"S-X22":  step + "fatal: detected dubious ownership in repository at '/src'\nlisting git files failed - pretending there aren't any\n" + step + "FileNotFoundError: [Errno 2] No such file or directory: 'pkg/kernels/a.cubin'\n" + end,
		"S-X112": step + "/__e/node20/bin/node: /lib64/libc.so.6: version `GLIBC_2.28' not found (required by /__e/node20/bin/node)\n" + step + "src/a.cu(4): error: identifier \"a\" is undefined\n" + end,
		"S-B46":  "Waiting for cache lock: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 18 (apt)...\n##[error]The operation was canceled.\n",
		"S-X59":  "nfs: server nas02 not responding, still trying\n##[error]The operation was canceled.\n",
	} {
		assert.Equal(t, want, ids(Text("job.log", log))[0], "%s: %v", log, ids(Text("job.log", log)))
	}
}

// What failed before another try ended nothing; the last try counts.
func TestAnotherTry(t *testing.T) {
	const fetch, wait = "fatal: unable to access 'https://git.example.invalid/o/r/': Could not resolve host: git.example.invalid\nThe process '/usr/bin/git' failed with exit code 128\n", "Waiting 12 seconds before trying again\n"
	const script = "error: failed to run custom build command for `tile-sys v0.1.0`\n"
	for _, c := range []struct{ want, log string }{
		{"S-R06", fetch + wait + "HEAD is now at 0a1b2c3\nE   RuntimeError: CUDA error: an illegal memory access was encountered\n"},
		{"S-C14", "curl: (56) Recv failure: Connection reset by peer\nWarning: Problem: timeout. Will retry in 1 seconds. 3 retries left.\nAssertionError: Tensor-likes are not close!\n"},
		{"S-B28", fetch + wait + "HEAD is now at 0a1b2c3\n" + script},
		{"S-B25", fetch + wait + fetch},
		{"S-B25", fetch + wait + fetch + "LookupError: setuptools-scm was unable to detect version for /src.\n"},
		{"S-B25", fetch + wait},
	} {
		got := ids(Text("job.log", c.log))
		require.NotEmpty(t, got, c.log)
		assert.Equal(t, c.want, got[0], "%s\nfound %v", c.log, got)
	}
	got := Text("job.log", fetch+wait)
	assert.True(t, got.Matches[0].Weak)
	assert.False(t, Text("job.log", fetch+wait+fetch).Matches[0].Weak)
}
