package triage

var runtimeRows = []Row{
	{
		ID: "S-R19", Stage: Runtime, Class: Infra, From: Platform,
		Title: "The GPU reports a hardware fault",
		Steps: []string{
			"Take the runner out of service and reset or replace the GPU.",
			"Run the job on another runner; no failing test of this run says anything.",
		},
		Any: []Pattern{
			{Line: `CUDA_ERROR_ECC_UNCORRECTABLE`},
			{Line: `uncorrectable ECC error`},
			{Line: `\bXid\b.*: (48|63|64|74|79|94|95)\b`},
			{Line: `GPU has fallen off the bus`},
		},
		Example:  "NVRM: Xid (PCI:0000:41:00): 79, pid=1, GPU has fallen off the bus.",
		NearMiss: "NVRM: Xid (PCI:0000:41:00): 13, Graphics Exception",
	},
	{
		ID: "S-R20", Stage: Runtime, Class: Infra, From: Platform,
		Title: "The driver's kernel module and its libraries differ, or the driver does not answer",
		Steps: []string{"Reboot the runner, or reload the driver after its update.", "Run the job again; the change is not at fault."},
		Any: []Pattern{
			{Line: `[Dd]river/library version mismatch`},
			{Line: `couldn't communicate with the NVIDIA driver`},
			{Line: `CUDA_ERROR_SYSTEM_DRIVER_MISMATCH|cudaErrorSystemDriverMismatch`},
		},
		Example:  "Failed to initialize NVML: Driver/library version mismatch",
		NearMiss: "NVML library version: 580.159",
	},
	{
		ID: "S-R21", Stage: Runtime, Class: Env, From: Platform,
		Title: "The driver is too old for the CUDA version in use",
		Steps: []string{
			"Update the driver, or pin the package that asks for the newer one.",
			"If the change raises a dependency, it raised the requirement: say so in the review.",
		},
		Any: []Pattern{
			{Line: `CUDA driver version is insufficient for CUDA runtime version`},
			{Line: `cudaErrorInsufficientDriver|CUDA_ERROR_(UNSUPPORTED_PTX_VERSION|STUB_LIBRARY)`},
			{Line: `NVIDIA driver on your system is too old`},
			{Line: `DriverError\(35\b`},
		},
		Example: "RuntimeError: CUDA error 35: CUDA driver version is insufficient for CUDA runtime version", NearMiss: "CUDA driver version: 580",
	},
	{
		ID: "S-R23", Stage: Runtime, Class: Env, From: Platform,
		Title: "The driver lacks its compiler library",
		Steps: []string{
			"Install the driver's full set of libraries on the runner.",
			"If one kernel alone fails so, treat it as an ordinary failure of that kernel.",
		},
		Any:     []Pattern{{Line: `CUDA_ERROR_JIT_COMPILER_NOT_FOUND|cudaErrorJitCompilerNotFound`}, {Line: `JIT compiler library not found`}, {Line: `libnvidia-(ptxjitcompiler|tileiras|nvvm)\S*: cannot open shared object`}, {Line: `DriverError\(221\b`}},
		Example: "cutile_bmm launch failed: Driver(DriverError(221, \"PTX JIT compiler library not found\"))", NearMiss: "PTX JIT compilation was disabled",
	},
	{
		ID: "S-R18", Stage: Runtime, Class: Env, From: Device,
		Title: "There is no usable CUDA driver or GPU",
		Steps: []string{"Check the driver and that the container sees the GPU.", "Run the job again on a working runner; the change is not at fault."},
		Any: []Pattern{
			{Line: `CUDA driver library unavailable`},
			{Line: `libcuda\.so(\.\d+)?: cannot open shared object`},
			{Line: `DriverError\(303\b`},
			{Line: `[Nn]o CUDA-capable device`},
			{Line: `Failed to initialize NVML|NVML.*([Ee]rror|not found|Shared Library Not Found)|nvmlInit.*fail`},
			{Line: `Found no NVIDIA driver on your system`},
		},
		Example:  "cutile-rs: Device::new failed: DriverError(303, \"CUDA driver library unavailable: libcuda.so.1: cannot open shared object file\")",
		NearMiss: "NVML version 12.580",
	},
	{
		ID: "S-R05", Stage: Runtime, Class: Kernel, Rules: []string{"R43"}, From: Device,
		Title: "The launch grid does not fit the partition of an output",
		Steps: []string{
			"Declare the output `&Tensor` instead of `&mut Tensor`.",
			"Take the mutable partition inside the kernel.",
		},
		Any:      []Pattern{{Line: `Specified launch grid does not match inferred tensor partition grid`}, {Line: `Inferred tensor partition grids do not match`}},
		Example:  "cutile_bmm launch failed: Anyhow(\"Specified launch grid does not match inferred tensor partition grid\")\nRuntimeError: cutile_bmm failed (rc=-3): kernel launch failed",
		NearMiss: "launch grid matches inferred partition",
	},
	{
		ID: "S-R08", Stage: Runtime, Class: Kernel, Also: Host, Rules: []string{"R43", "R35"}, From: Device,
		Title: "A tensor's rank or shape does not fit the entry's parameter",
		Steps: []string{
			"Compare the descriptor's rank with the parameter's rank.",
			"A wildcard dimension in a mutable output means `&mut Tensor`: use `&Tensor`.",
		},
		Any:      []Pattern{{Line: `partition shape mismatch\. Expected \[`}, {Line: `\brank mismatch: Expected \d`}},
		Example:  "cutile_bmm launch failed: Launch(\"c rank mismatch: Expected 3, got 2\")",
		NearMiss: "rank mismatch between ranks of the process group",
	},
	{
		ID: "S-R06", Stage: Runtime, Class: Host, Rules: []string{"R35", "R45", "R34"}, From: Platform,
		Title: "The kernel accessed memory that is not its own",
		Steps: []string{
			"Trust only the first such failure: the later ones follow from a broken context.",
			"Check shapes and strides in the descriptors, and which side transposes.",
			"Check the mask of the last tile.",
			"Check the cdef against the extern function.",
			"Launch a tiny contiguous case to tell the kernel from the wrapper.",
		},
		Any: []Pattern{
			{Line: `an illegal memory access was encountered`},
			{Line: `CUDA_ERROR_(ILLEGAL_ADDRESS|MISALIGNED_ADDRESS)|cudaErrorIllegalAddress`},
			{Line: `\b(error|code:?) 700\b|DriverError\(7(00|16)\b`},
			{Line: `\bmisaligned address\b`},
		},
		Example: "RuntimeError: CUDA error: an illegal memory access was encountered", NearMiss: "error 7001",
	},
	{
		ID: "S-R07", Stage: Runtime, Class: Host, Rules: []string{"R30", "R28"}, From: Platform,
		Title: "A tensor does not fit a TMA descriptor",
		Steps: []string{
			"The outer strides must be multiples of 16 bytes and the inner stride must be 1.",
			"Make the input contiguous, or pad it, in the wrapper outside of the timed path.",
		},
		Any:     []Pattern{{Line: `cuTensorMapEncode\w*`}, {Line: `TMA descriptor.*(fail|invalid|error|align)`}, {Line: `invalid argument.*tensor map`}},
		Example: "cuTensorMapEncodeTiled failed: CUDA_ERROR_INVALID_VALUE", NearMiss: "TMA descriptor created",
	},
	{
		ID: "S-R02", Stage: Runtime, Class: Host, Also: Test, Rules: []string{"R16", "R35"}, From: TileGym,
		Title: "The data type is not dispatched",
		Steps: []string{
			"Add an arm for the data type in ffi.rs, or take it out of the wrapper's list.",
			"If the reference skips the data type, skip it in the test too.",
		},
		Any:     []Pattern{{Line: `failed \(rc=-2\): unsupported dtype`}},
		Example: "RuntimeError: cutile_bmm failed (rc=-2): unsupported dtype", NearMiss: "RuntimeError: cutile_bmm failed (rc=-3): kernel launch failed",
	},
	{
		ID: "S-R09", Stage: Runtime, Class: Env, Also: Host, Rules: []string{"R32"}, From: TileGym,
		Title: "The device could not be opened",
		Steps: []string{
			"Check the device number: a negative one is refused.",
			"Check the driver, and whether a GPU slice is visible to the job.",
		},
		Any:     []Pattern{{Line: `failed \(rc=-4\): device init failed`}, {Line: `cutile-rs: invalid device id`}, {Line: `\bDevice::new failed: `}},
		Example: "cutile-rs: invalid device id: -1", NearMiss: "cutile-rs: device id 0",
	},
	{
		ID: "S-R10", Stage: Runtime, Class: Host, Rules: []string{"R32", "R35"}, From: TileGym,
		Title: "A descriptor or its data pointer was null",
		Steps: []string{
			"Keep the descriptors alive until the call has returned.",
			"Refuse or shortcut empty tensors in the wrapper.",
		},
		Any:     []Pattern{{Line: `failed \(rc=-5\): null tensor pointer`}},
		Example: "RuntimeError: cutile_bmm failed (rc=-5): null tensor pointer", NearMiss: "null tensor pointer test passed",
	},
	{
		ID: "S-R11", Stage: Runtime, Class: Host, Rules: []string{"R35", "R23"}, From: TileGym,
		Title: "The foreign function refused a scalar argument",
		Steps: []string{
			"Check tile sizes and the grid: each must be positive.",
			"Check the flag that selects the variant.",
		},
		Any:     []Pattern{{Line: `failed \(rc=-6\): invalid arguments`}},
		Example: "RuntimeError: cutile_bmm failed (rc=-6): invalid arguments", NearMiss: "invalid arguments were rejected (rc=-6)",
	},
	{
		ID: "S-R12", Stage: Runtime, Class: Host, Rules: []string{"R35"}, From: TileGym,
		Title: "The foreign function returned a code that nobody defined",
		Steps: []string{
			"Compare the cdef with the extern function: argument number, order and widths.",
			"-1 means automatic as an argument; as a return code it is a mistake.",
		},
		Any:     []Pattern{{Line: `failed \(rc=-?\d+\): unknown error`}},
		Example: "RuntimeError: cutile_bmm failed (rc=32767): unknown error", NearMiss: "failed: unknown error",
	},
	{
		ID: "S-R04", Stage: Runtime, Class: Host, Rules: []string{"R10"}, From: Platform,
		Title: "Memory of PyTorch was freed by the kernel library",
		Steps: []string{
			"Find the owning tensor that is dropped at the end of the call.",
			"Borrow the memory with `borrow_tensor` instead of taking it.",
		},
		Any: []Pattern{
			{Line: `double free or corruption|free\(\): (invalid pointer|double free)`},
			{Line: `[Ii]nvalid device pointer`},
		},
		Example: "free(): double free detected in tcache 2", NearMiss: "torch.cuda.memory: freed twice the expected size",
	},
	{
		ID: "S-R13", Stage: Runtime, Class: Infra, Also: Test, Rules: []string{"R40"}, From: Platform,
		Title: "The GPU ran out of memory",
		Steps: []string{
			"Run it once more: another worker may have held the memory.",
			"Skip what the reference skips for lack of memory.",
			"If only this backend runs out, look for extra full-size buffers in the wrapper (R41).",
		},
		Any:     []Pattern{{Line: `CUDA out of memory`}, {Line: `\bOutOfMemoryError\b`}, {Line: `CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation`}, {Line: `DriverError\(2,`}},
		Example: "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", NearMiss: "memory: 2.00 GiB out of 80",
	},
	{
		ID: "S-R14", Stage: Runtime, Class: Infra, From: TileGym,
		Title: "The profiler saw no device time",
		Steps: []string{
			"Check that libcupti is installed and that the user may profile.",
			"If it is, the measured function launched nothing: run it once without the profiler.",
			"Times of 0 from such a run are no data.",
		},
		Any: []Pattern{
			{Line: `CUPTI returned 0 device time`},
			{Line: `CUPTI_ERROR_\w+`},
			{Line: `CUPTI.*(initiali[sz]ation.*fail|fail.*initiali[sz]|[Ii]nsufficient privileges)`},
			{Line: `fn\(\) did not launch any GPU kernels`},
		},
		Example: "RuntimeError: CUPTI returned 0 device time for config {'BM': 64}. Check that libcupti is installed and accessible.", NearMiss: "timing: CUPTI",
	},
	{
		ID: "S-R15", Stage: Runtime, Class: Infra, From: Platform,
		Title: "The profiler was left running or was started twice",
		Steps: []string{
			"Run the test alone: an earlier timeout left the profiler broken.",
			"Do not tune inside of a profiled region: tuning profiles too.",
		},
		Any:     []Pattern{{Line: `Can't disable Kineto profiler when it's not running`}, {Line: `(Profiler is already enabled|nested profil)`}},
		Example: "RuntimeError: Can't disable Kineto profiler when it's not running", NearMiss: "Kineto profiler is running",
	},
	{
		ID: "S-R16", Stage: Runtime, Class: Infra, Also: Test, From: Device,
		Title: "The kernel was launched while a CUDA graph was captured",
		Steps: []string{
			"Set CUPTI=1, or switch graph capture off, for this backend: its launch waits for the stream.",
			"Change the command that runs the test, not the kernel.",
		},
		Any:     []Pattern{{Line: `operation (not permitted|would make the legacy stream depend).*captur`}, {Line: `cudaErrorStreamCapture\w*|CUDA_ERROR_STREAM_CAPTURE_\w+`}},
		Example: "CUDA error: operation not permitted when stream is capturing", NearMiss: "operation not permitted",
	},
	{
		ID: "S-R22", Stage: Runtime, Class: Infra, From: Platform,
		Title: "The runner was lost during the job",
		Steps: []string{"Run the job once more.", "If it repeats, look at the runner: power, memory, a reboot."},
		Any: []Pattern{
			{Line: `runner.*lost communication with the server`},
			{Line: `runner has received a shutdown signal`},
			{Line: `No space left on device`},
		},
		Example: "##[error]The self-hosted runner: gpu-3 lost communication with the server.", NearMiss: "The self-hosted runner: gpu-3 is connected to the server.",
	},
	{
		ID: "S-R17", Stage: Runtime, Class: Host, Also: Kernel, Rules: []string{"R20", "R38"}, Weak: true, From: TileGym,
		Title: "Every tuning configuration failed",
		Steps: []string{
			"Triage the first warning about a single configuration above.",
			"Run one fixed configuration without the tuner.",
		},
		Any:     []Pattern{{Line: `cutile-rs autotune \[.*\]: all \d+ configs failed`}},
		Example: "RuntimeError: cutile-rs autotune [bmm]: all 12 configs failed", NearMiss: "cutile-rs autotune [bmm]: 2 of 12 configs failed",
	},
	{
		ID: "S-R03", Stage: Runtime, Class: Host, Also: Kernel, Rules: []string{"R32"}, Weak: true, From: Rustc,
		Title: "A Rust panic aborted the process",
		Steps: []string{
			"Read the message under `panicked at`: it is the cause, and the abort follows from it.",
			"If it comes from the kernel compiler, the fault is in the kernel.",
			"If it comes from ffi.rs, return an error code instead of unwrapping.",
		},
		Any:     []Pattern{{Line: `panic(ked)? in a function that cannot unwind`}, {Line: `\bpanicked at `, Near: `Fatal Python error: Aborted|cannot unwind`, Within: 40}},
		Context: `\bpanicked at `,
		Example: "thread '<unnamed>' panicked at src/bmm_kernel/ffi.rs:40:9:\nnot a known message\nthread '<unnamed>' panicked at library/core/src/panicking.rs:226:5:\npanic in a function that cannot unwind\nFatal Python error: Aborted", NearMiss: "thread 'main' panicked at tests/x.rs:3:1:",
	},
	{
		ID: "S-R01", Stage: Runtime, Class: Kernel, Also: Host, Rules: []string{"R29", "R38"}, Weak: true, From: Platform,
		Title: "The process aborted inside of the foreign function",
		Steps: []string{
			"Run one fixed configuration without the tuner.",
			"If only persistent configurations with TMA abort, look at their latency hints.",
			"If all abort, look for a panic above and for memory that is freed twice (S-R03, S-R04).",
			"If only the largest case aborts, skip what the reference skips.",
		},
		Any:     []Pattern{{Line: `Fatal Python error: Aborted`, Near: `\b_run_ffi\b`, Within: 40}},
		Example: "Fatal Python error: Aborted\n\nCurrent thread 0x00007f (most recent call first):\n  File \"src/tilegym/ops/cutile_rs/bmm.py\", line 80 in _run_ffi", NearMiss: "Fatal Python error: Segmentation fault\n\n  File \"bmm.py\", line 80 in _run_ffi",
	},
	{
		ID: "S-R24", Stage: Runtime, Class: Kernel, Also: Host, Weak: true, From: Platform,
		Title: "A test worker crashed",
		Steps: []string{
			"Run the named test alone and without workers, to see what it prints.",
			"Look above for a panic, a double free or an abort.",
		},
		Any:     []Pattern{{Line: `worker '?gw\d+'? crashed while running`}, {Line: `Fatal Python error: (Segmentation fault|Bus error)`}},
		Example: "worker 'gw0' crashed while running 'tests/ops/test_bmm.py::test_op[cutile-rs-1]'", NearMiss: "worker gw0 finished",
	},
}
