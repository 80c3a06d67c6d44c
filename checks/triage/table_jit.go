package triage

import "fmt"

// The kernel compiler's messages also arrive inside a Rust debug string, so no
// pattern here may need the start or the end of a line.
var jitRows = []Row{
	{
		ID: "S-J01", Stage: JIT, Class: Kernel, Rules: []string{"R5", "R4", "R1"}, From: Compiler,
		Title: "Both sides of an operator have different shapes or types",
		Steps: []string{
			"Compare the two types in the message.",
			"A reduction over one axis of a matrix gives rank 1: bind it as `[M]`, then reshape.",
			"Convert data types in a step of their own.",
		},
		Any:      []Pattern{{Line: "binary `\\w+` requires operands of the same type, but got"}},
		Example:  "cutile_softmax launch failed: Anyhow(\"binary `Div` requires operands of the same type, but got `Tile<f32,[64]>` and `Tile<f32,[64,1]>`\\n  --> kernel.rs:9:5\")",
		NearMiss: "error: binary operation `==` cannot be applied to type `Tile`",
	},
	{
		ID: "S-J02", Stage: JIT, Class: Kernel, Also: Host, Rules: []string{"R20", "R12"}, From: Compiler,
		Title: "An entry has an optimisation hint that the compiler does not know there",
		Steps: []string{
			"Keep only `num_cta_in_cga`, `occupancy` and `max_divisibility` under the architecture's key.",
			"Remove hints about warps: the assembler chooses them.",
			"Write latency at the load or store, not at the entry.",
		},
		Any: []Pattern{
			{Line: `Unexpected optimization hint( key)?\b`},
			{Line: `is a per-op hint and cannot be set at the entry level`},
			{Line: `hint has already been set`},
		},
		Example:  "Unexpected optimization hint key 'simt_num_warps_in_cta'.",
		NearMiss: "optimization_hints=<sm_90 = {occupancy = 2}>",
	},
	{
		ID: "S-J03", Stage: JIT, Class: Kernel, Rules: []string{"R1"}, From: Compiler,
		Title:   "A chained operation has no type",
		Steps:   []string{"Split the chain into one typed `let` for each operation."},
		Any:     []Pattern{{Line: `return type is missing a compiled tile type`}},
		Example: "return type is missing a compiled tile type", NearMiss: "return type is missing",
	},
	{
		ID: "S-J04", Stage: JIT, Class: Kernel, Rules: []string{"R2", "R18"}, From: Compiler,
		Title: "A constant that is not a plain literal",
		Steps: []string{
			"Write the value as a decimal literal, with at most a minus before it.",
			"For a value known only at run time use `broadcast_scalar`.",
		},
		Any:      []Pattern{{Line: `\bConstant not supported\b`}, {Line: `Only literal negation is supported for constant values`}},
		Example:  "Only literal negation is supported for constant values",
		NearMiss: "constant folding is not supported here",
	},
	{
		ID: "S-J05", Stage: JIT, Class: Kernel, Rules: []string{"R18", "R2"}, From: Compiler,
		Title: "`constant(..)` was given a run-time value or a long path",
		Steps: []string{
			"Use `broadcast_scalar` for run-time values.",
			"Write constants as literals instead of paths into a module.",
		},
		Any:     []Pattern{{Line: `Unexpected dense value`}, {Line: `Unsupported expression for named attribute`}},
		Example: "Unexpected dense value.", NearMiss: "Unexpected value in dense layer",
	},
	{
		ID: "S-J06", Stage: JIT, Class: Kernel, Rules: []string{"R2"}, From: Rulebook,
		Title: "A qualified path in a constant, refused by an old compiler",
		Steps: []string{
			"Check the installed cutile version: the pinned one does not print this.",
			"Write the value as a decimal literal.",
		},
		Any:     []Pattern{{Line: `qualified paths not supported`}},
		Example: "qualified paths not supported", NearMiss: "qualified paths are supported since 0.2",
	},
	{
		ID: "S-J07", Stage: JIT, Class: Kernel, Rules: []string{"R14", "R2"}, From: Compiler,
		Title: "An associated constant where the compiler wants a literal",
		Steps: []string{
			"For padding pass `None` and select the value afterwards.",
			"Or move the constant into `constant(..)`.",
		},
		Any:     []Pattern{{Line: `associated const values are not supported in expression position`}},
		Example: "associated const values are not supported in expression position; use a literal", NearMiss: "associated const values are supported in constant position",
	},
	{
		ID: "S-J08", Stage: JIT, Class: Kernel, Rules: []string{"R22", "R24", "R25"}, From: Compiler,
		Title: "An `if` whose branches do not assign the same variables",
		Steps: []string{
			"Write the `if` as a statement.",
			"Assign every variable that lives on in both branches, `x = x` where nothing changes.",
			"Do not let an `if` be a tile's value.",
		},
		Any: []Pattern{
			{Line: `If expression result count`},
			{Line: `if-expression without an else branch cannot produce`},
			{Line: `only block expressions .* are supported in else branches`},
		},
		Example:  "If expression result count (1) does not match captured var count + 1 (3)",
		NearMiss: "expression result count is 3",
	},
	{
		ID: "S-J09", Stage: JIT, Class: Kernel, Rules: []string{"R1", "R26", "R31"}, From: Compiler,
		Title: "The compiler cannot infer a generic parameter or result",
		Steps: []string{
			"Write the result's type on the `let`.",
			"Check order and length of the generics that ffi.rs passes.",
			"Check that all static modes are given.",
		},
		Any:      []Pattern{{Line: `Failed to infer generic parameter`}, {Line: `Unable to infer return type for CUDA Tile op`}},
		Example:  "thread '<unnamed>' panicked at generics.rs:2071:29:\nFailed to infer generic parameter BM \n{}\npanic in a function that cannot unwind\nFatal Python error: Aborted",
		NearMiss: "Failed to infer backend",
	},
	{
		ID: "S-J10", Stage: JIT, Class: Kernel, Rules: []string{"R1", "R4", "R46"}, From: Compiler,
		Title:   "A literal or an expression has no type",
		Steps:   []string{"Add a suffix to the literal (`0i32`, `1.0f32`).", "Or write the type on the `let`."},
		Any:     []Pattern{{Line: `Failed to infer type for (lit|unary op) expr`}, {Line: `unable to infer type for `}},
		Example: "Failed to infer type for lit expr 0.", NearMiss: "unable to infer type",
	},
	{
		ID: "S-J11", Stage: JIT, Class: Kernel, Also: Host, Rules: []string{"R12", "R17"}, From: Compiler,
		Title: "The entry is not found, or it has no complete attribute",
		Steps: []string{
			"Write the attribute with parentheses.",
			"Compare the module's and entry's names in the call, or in the pipeline test, with kernel.rs.",
		},
		Any:      []Pattern{{Line: "missing a required `#\\[entry\\(\\.\\.\\.\\)\\]` attribute"}, {Line: "undefined (module|function): `"}},
		Example:  "function is missing a required `#[entry(...)]` attribute",
		NearMiss: "undefined function or variable 'x'",
	},
	{
		ID: "S-J12", Stage: JIT, Class: Kernel, Rules: []string{"R13"}, From: Compiler,
		Title: "A `for` loop that is not a plain range",
		Steps: []string{"Loop over `0i32..n` or `(a..b).step_by(k)`.", "Use a plain name or `_` as the loop variable."},
		Any: []Pattern{
			{Line: `only range expressions \(`},
			{Line: `range expression is missing an? (start|end) bound`},
			{Line: `step_by expects exactly one argument`},
			{Line: `this loop pattern is not supported`},
		},
		Example: "range expression is missing an end bound (e.g. `0..n`)", NearMiss: "only range queries are supported",
	},
	{
		ID: "S-J13", Stage: JIT, Class: Kernel, Rules: []string{"R47", "R15"}, From: Compiler,
		Title:   "A load's result is not annotated",
		Steps:   []string{"Write the tuple's type on the `let`: the tile and the token.", "Do it before the tile goes into a reduction."},
		Any:     []Pattern{{Line: `unable to infer call; add a return type annotation`}, {Line: "expected a tuple return type for .(load_ptr|atomic_\\w+)_tko"}},
		Example: "expected a tuple return type for `load_ptr_tko", NearMiss: "expected a tuple return type for `main`",
	},
	{
		ID: "S-J14", Stage: JIT, Class: Kernel, Rules: []string{"R46"}, From: Compiler,
		Title:   "An `as` cast that the kernel language does not have",
		Steps:   []string{"Convert with `convert_tile`, or in the typed steps that the operation list gives."},
		Any:     []Pattern{{Line: "unsupported cast from .*to"}},
		Example: "unsupported cast from `i64` to `f16`", NearMiss: "unsupported cast",
	},
	{
		ID: "S-J15", Stage: JIT, Class: Kernel, Rules: []string{"R46"}, From: Compiler,
		Title:   "An integer to float conversion without signedness",
		Steps:   []string{"Use `convert_tile` instead of `itof`."},
		Any:     []Pattern{{Line: "missing (required )?attribute ['\"`]?signedness"}},
		Example: "missing attribute 'signedness' on op IToF", NearMiss: "attribute 'signedness' on op IToF is ignored",
	},
	{
		ID: "S-J16", Stage: JIT, Class: Kernel, From: Compiler,
		Title:   "A unary operator that the kernel language does not have",
		Steps:   []string{"Turn the branch round instead of negating its condition.", "Multiply by -1, or use `negf`, for a number."},
		Any:     []Pattern{{Line: `Unary expression not supported`}, {Line: `Non-const unary expressions not supported`}},
		Example: "Non-const unary expressions not supported.", NearMiss: "Unary plus is supported",
	},
	{
		ID: "S-J17", Stage: JIT, Class: Kernel, Rules: []string{"R20"}, From: Compiler,
		Title: "A memory ordering, scope or latency of the wrong kind",
		Steps: []string{
			"Pass ordering and scope as the unit structs that the message lists.",
			"Pass latency as a literal or a const generic.",
		},
		Any: []Pattern{
			{Line: "invalid `memory_ordering` for `"},
			{Line: "invalid `memory_scope`: `"},
			{Line: "`latency` (must be|must use|must specify|const generic must)"},
		},
		Example: "`latency` must be a literal or const generic", NearMiss: "`latency` was set to 4",
	},
	{
		ID: "S-J18", Stage: JIT, Class: Kernel, Rules: []string{"R12"}, From: Compiler,
		Title:   "Unchecked accesses need an unsafe entry",
		Steps:   []string{"Declare the entry `pub unsafe fn`."},
		Any:     []Pattern{{Line: "kernel must be declared .unsafe. when .unchecked_accesses. is enabled"}},
		Example: "kernel must be declared `unsafe` when `unchecked_accesses` is enabled", NearMiss: "kernel was declared unsafe",
	},
	{
		ID: "S-J22", Stage: JIT, Class: Env, From: Platform,
		Title: "The runner's GPU is not supported: the assembler or the library has no code for it",
		Steps: []string{
			"Use a runner whose GPU the toolkit supports; the message names the architecture.",
			"The change is not at fault.",
		},
		Any: []Pattern{
			{Line: `gpu-name.*([Cc]annot find option|unknown|invalid|not supported|unsupported|not a valid).*sm_\d+`},
			{Line: `sm_\d+\w?.? is not (a )?(supported|recognized|valid) (gpu|GPU|target|architecture|processor|value)`},
			{Line: `Value '(sm|compute)_\d+\w?' is not defined for option '(gpu-name|gpu-architecture)'`},
			{Line: `[Uu]nsupported (gpu|GPU|target|architecture|arch|compute capability)\b.*(sm_|compute_|\d\.\d)`},
			{Line: `cannot target CUDA device \d+: it is sm_|tileiras supports only sm_`},
			{Line: `no kernel image is available for execution on the device|CUDA_ERROR_NO_BINARY_FOR_GPU|cudaErrorNoKernelImageForDevice`},
			{Line: `CUDA error: invalid device function|cudaErrorInvalidDeviceFunction`, Rank: Weak},
			{Line: `does not support (sm_|compute_)\d+`},
			{Line: `nvcc\S* cannot target gpu arch|nvrtc: error: invalid value for --gpu-architecture`},
			{Line: `DriverError\(209\b`},
			{Line: `with CUDA capability sm_\d+\w? is not compatible with the current PyTorch installation`, Rank: Weak},
		},
		Example:  "thread 'main' panicked at cuda_tile_runtime_utils.rs:96:9:\ntileiras failed (exit exit status: 1) for gpu sm_75:\nstderr: tileiras: for the --gpu-name option: Cannot find option named 'sm_75'!",
		NearMiss: "tileiras --gpu-name sm_90 --opt-level 3",
	},
	{
		ID: "S-J19", Stage: JIT, Class: Env, Also: Kernel, From: Compiler,
		Title: "The tile assembler did not run or refused the kernel",
		Steps: []string{
			"If it could not be started, put `tileiras` on PATH or set CUTILE_TILEIRAS_PATH.",
			"If it ran, read its standard error below the message.",
			"If that names our entry, check padded views, latency in loops and descriptor strides; else treat it as a compiler fault.",
		},
		Rules: []string{"R28", "R29", "R30", "R6"},
		Any: []Pattern{
			{Line: `[Ff]ailed to launch \S*tileiras`, Not: `Too many open files|Cannot allocate memory|temporarily unavailable|No space left|Text file busy`, Class: Env},
			{Line: `tileiras\S* reported success but `, Class: Env},
			{Line: `tileiras: (error: )?([Uu]nknown|[Uu]nrecognized) (command line )?(argument|option)`, Class: Env},
			{Line: `tileiras\S*: (command not found|error while loading shared libraries|cannot execute)`, Class: Env},
			{Line: `tileiras\S* failed \(exit .*\) for gpu sm_\w+`, Class: Kernel, Also: Env, Rank: General},
			{Line: `tileiras\S* failed while compiling Tile IR`, Class: Kernel, Also: Env, Rank: General},
		},
		Context: `^stderr: `, ContextAfter: true,
		Example:  "Failed to launch tileiras for kernel.bc: No such file or directory (os error 2)",
		NearMiss: "Failed to launch browser for tileiras",
	},
	{
		ID: "S-J21", Stage: JIT, Class: Kernel, Also: Host, Rules: []string{"R35", "R6"}, From: Compiler,
		Title: "The generics that ffi.rs passes do not fit the entry",
		Steps: []string{
			"Compare number and order of the generics with the entry's parameters.",
			"Look for a name that is spelled differently in the two files.",
		},
		Any: []Pattern{
			{Line: `Undefined generic parameter`},
			{Line: `Failed to get cuda tile type`},
			{Line: `[Ii]ndex .* out of bounds for const generic array`},
			{Line: `not enough generic arguments to instantiate`},
			{Line: `too many generic arguments: expected \d+ but got`},
			{Line: `failed to parse (bool|i32|integer) generic argument|Failed to infer value for generic parameter`},
			{Line: `generic parameter count \(\d+\) does not match|expected no generic parameters, but found|is not a known (const generic|generic type|bool const generic)|const array parameter .* expects \d+ elements`},
			{Line: `unable to resolve generic `, Not: "unable to resolve generic [^`]*`& ?"},
		},
		Example: "Undefined generic parameter BK", NearMiss: "generic parameter BK is undefined",
	},
	{
		ID: "S-J43", Stage: JIT, Class: Kernel, Also: Env, Rules: []string{"R1", "R26"}, From: Compiler,
		Title: "The kernel compiler cannot instantiate a generic with a reference type",
		Steps: []string{
			"Look in the kernel for a helper that takes or returns a generic, and for a structured type whose element is a reference: the message names the type.",
			"Let the helper take the value instead of a reference (`f32`, not `&f32`), or write it for the one type.",
			"This is a limit of the compiler, not a mistake in what ffi.rs passes: see whether a newer version knows it, and report it.",
		},
		Any:      []Pattern{{Line: "unable to resolve generic [^`]*`& ?"}, {Line: `Type::Reference\b.*\b(not (yet )?(implemented|supported)|unimplemented)|not (yet )?implemented:.*\b(Type::Reference|reference type)`}},
		Example:  "cutile_attention launch failed: error: unable to resolve generic type `& f32`",
		NearMiss: "cutile_attention launch failed: error: unable to resolve generic type `BK`",
	},
	{
		ID: "S-J20", Stage: JIT, Class: Kernel, From: Compiler,
		Title: "The compiler produced invalid tile code",
		Steps: []string{
			"Cut the kernel down to the statement that triggers it.",
			"Use a known workaround if there is one.",
			"Otherwise report it as a compiler fault.",
		},
		Any: []Pattern{
			{Line: `Failed to serialize bytecode|bytecode serialization failed`, Not: `signedness`},
			{Line: `tile-ir (dominance|bytecode value-index) verification failed`},
			{Line: `missing attribute '\w+' on op`, Not: `'signedness'`},
		},
		Example: "tile-ir dominance verification failed: value %12 used before its definition", NearMiss: "tile-ir verification passed",
	},
	{
		ID: "S-J23", Stage: JIT, Class: Kernel, Also: Env, From: Platform,
		Title: "The reference's tile compiler failed",
		Steps: []string{
			"See in how many tests: one points at that case, all of them at the toolkit.",
			"Compare the versions of the tile compiler, the driver and the toolkit.",
			"See which toolkit CUDA_HOME names: one that is older than tileiras makes every program fail with code 5. Unset it, or name the toolkit that tileiras came with.",
			"The message has no source place: do not guess a line.",
		},
		Any: []Pattern{
			{Line: `\b(Tile)?Compiler(Execution|Timeout)Error\b|\bTileCompilerError\b`, Rank: General},
			{Line: `\b(TileTypeError|TileSyntaxError|TileValueError|TileInternalError|TileStaticAssertionError)\b`},
			{Line: `failed to compile Tile IR program`, Rank: General},
		},
		Context:  `[Rr]eturn code \d+`,
		Example:  "cuda.tile.TileCompilerExecutionError: Return code 5 <unknown location>",
		NearMiss: "import TileCompilerOptions",
	},
	{
		ID: "S-J24", Stage: JIT, Class: Kernel, Also: Env, Unless: []string{"S-J32"}, From: Platform,
		Title: "A kernel needs more shared memory, registers or threads than the GPU has",
		Steps: []string{
			"See whose kernel it is: a reference kernel of Triton is not the port's fault.",
			"Take smaller blocks or fewer stages: the message says how much is needed and how much there is.",
			"If the configuration was made for another GPU, give this one its own.",
		},
		Any: []Pattern{
			{Line: `\bout of resource: `},
			{Line: `uses too much (shared data|local data|parameter space)|[Rr]egister allocation failed`},
			{Line: `set the allowed dynamic shared memory size|(MAX_DYNAMIC_SHARED_SIZE|MaxDynamicSharedMemorySize)\S* .*(fail|[Ii]nvalid|exceed)|cuFuncSetAttribute\b.*([Ff]ail|INVALID_VALUE)`},
			{Line: `([Rr]equired|requested|needs) \S* ?(bytes of |KiB of )?shared memory.*(limit|available|maximum|exceeds|only)|[Ss]hared memory .*(exceeds?|larger than|more than) (the )?(device|hardware|maximum|limit|available)`},
		},
		Example:  "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 262144, Hardware limit: 232448.",
		NearMiss: "import triton.compiler as tc",
	},
	{
		ID: "S-J25", Stage: JIT, Class: Kernel, Rules: []string{"R26", "R18"}, From: Compiler,
		Title: "The kernel compiler does not know a call or expression that rustc accepts",
		Steps: []string{
			"Replace the call by an operation of the kernel language: it has no methods of Rust's standard types.",
			"Look for the operation in the list of the pinned version.",
		},
		Any: []Pattern{
			{Line: "call to `[^`]+` is not supported"},
			{Line: `this (binary operator|expression form|reference expression form) is not supported|returning a value from this function is not supported`},
			{Line: `arithmetic ops with \d+ operands not supported|undefined operation call|unrecognized (macro invocation|arithmetic operation)`},
			{Line: `Expr::\w+ not supported|Unexpected compiler_op call`},
			{Line: "undefined function `\\w+`|Variable not found \\w+"},
			{Line: "unsupported element type `|unsupported primitive type `"},
		},
		Example:  "cutile_rms_norm launch failed: Anyhow(\"call to `f32 :: mul_add` is not supported\\n  --> kernel.rs:40:9\")",
		NearMiss: "note: call to `softmax` is supported since 0.2",
	},
	{
		ID: "S-J26", Stage: JIT, Class: Host, Also: Kernel, Rules: []string{"R6", "R20"}, From: Compiler,
		Title: "A tile dimension is no power of two",
		Steps: []string{
			"Find the block size in the wrapper's configurations, or the constant in the kernel, that the message's shape holds.",
			"Take a power of two and mask what is beyond the data.",
		},
		Any: []Pattern{
			{Line: `dimensions must have power of two length`},
			{Line: `(must be|not|no|expected) an? power of (two|2)\b|must be powers of (two|2)`},
		},
		Example:  "tileiras failed (exit exit status: 3) for gpu sm_100:\nstderr: error: tile shape dimensions must have power of two length but got [1, 96]",
		NearMiss: "padded to the next power of two: 128",
	},
	{
		ID: "S-J27", Stage: JIT, Class: Kernel, Rules: []string{"R5", "R6", "R28"}, Unless: []string{"S-J26", "S-J28"}, From: Compiler,
		Title: "The tile assembler's verifier refuses an operation of the kernel",
		Steps: []string{
			"Read the operation and its types in the message and find it in kernel.rs: CUTILE_DUMP=ir prints the code.",
			"Look at the shapes first: a reduction's result has one dimension less, and nothing broadcasts by itself.",
		},
		Any: []Pattern{
			{Line: `'cuda_tile\.\w+' op `},
			{Line: `op failed to verify that|verification failed for deserialized`},
			{Line: `failed to (get result type \d+ for|parse function body for function)`, Rank: Weak},
		},
		Example:  "tileiras failed (exit exit status: 3) for gpu sm_100:\nstderr: error: 'cuda_tile.mulf' op requires the same type for all operands and results",
		NearMiss: "dump: 'cuda_tile.mulf' : tile<128xf32>",
	},
	{
		ID: "S-J28", Stage: JIT, Class: Env, Also: Host, From: Compiler,
		Title: "tileiras does not read this version of the tile code",
		Steps: []string{
			"Compare the version of tileiras with the one of the code in the message.",
			"Unset CUTILE_BYTECODE_VERSION and CUTILE_TILEIRAS_PATH, or point the path at the toolkit that the crate wants.",
			"The change is not at fault, unless it raised the version.",
		},
		Any: []Pattern{
			{Line: `unsupported Tile( IR)? version|this reader supports versions`},
			{Line: `requires (Tile IR )?bytecode version|invalid magic number at position|unknown opcode \d|failed to deserialize`},
			{Line: `(unsupported|unknown|newer|incompatible) bytecode version|bytecode version \S+ is (newer|not supported|unsupported)`},
			{Line: `CUTILE_BYTECODE_VERSION.*(invalid|unsupported|not supported|unknown)`},
		},
		Example:  "tileiras failed (exit exit status: 5) for gpu sm_100:\nstderr: error: unsupported Tile version 13.3.0, this reader supports versions [13.1 - 13.2]",
		NearMiss: "tileiras: NVIDIA (R) Cuda Tile IR optimizing assembler, release 13.2, V13.2.51",
	},
	{
		ID: "S-J29", Stage: JIT, Class: Kernel, Also: Env, Rules: []string{"R28", "R29"}, From: Compiler,
		Title: "tileiras itself crashed",
		Steps: []string{
			"Cut the kernel down to what triggers it; padded views and latencies in loops are known causes.",
			"Try the newest tileiras of the same toolkit, and report it as a compiler fault.",
		},
		Any: []Pattern{
			{Line: `tileiras\S* failed .*signal: (4|6|7|8|11)\b|tileiras\b.*died with <Signals\.SIG(SEGV|ABRT|BUS|ILL|FPE)|tileiras\[\d+\]: segfault`},
			{Line: `^status: signal: (4|6|7|8|11)\b`, Near: `tileiras`, Within: 6},
			{Line: `PLEASE submit a bug report|Stack dump without symbol names|LLVM ERROR: `, Not: `out of memory|No space left|IO failure`, Near: `tileiras`, Within: 20},
		},
		Example:  "thread '<unnamed>' panicked at cuda_tile_runtime_utils.rs:95:9:\ntileiras failed (exit signal: 11 (SIGSEGV) (core dumped)) for gpu sm_100:",
		NearMiss: "tileiras finished (signal: none)",
	},
	{
		ID: "S-J30", Stage: JIT, Class: Test, Also: Env, From: Compiler,
		Title: "The folder for temporary files is gone or cannot be written",
		Steps: []string{
			"See what sets TMPDIR: a fixture that sets it must set it back, and the folder must live as long as the process.",
			"If every case fails from the first one on, correct TMPDIR or the folder's mode on the runner.",
		},
		Any: []Pattern{
			{Line: `Failed to write bytecode for \S+: .*(Permission denied|Read-only)`, Class: Env, Also: Test},
			{Line: `Failed to write bytecode for `, Not: `No space left|Permission denied|Read-only`},
			{Line: `No usable temporary directory found in`, Class: Env, Also: Test},
		},
		Example:  "thread '<unnamed>' panicked at cuda_tile_runtime_utils.rs:75:31:\nFailed to write bytecode for /tmp/jit-a/1.bc: No such file or directory (os error 2)",
		NearMiss: "wrote bytecode for /tmp/jit-a/1.bc",
	},
	{
		ID: "S-J31", Stage: JIT, Class: Kernel, Also: Host, Rank: General, Unless: append(numbered("S-J", 30), "S-J32", "S-J34", "S-J36", "S-J37", "S-J38", "S-J41", "S-J43"), From: Compiler,
		Title: "The kernel was not compiled or launched, for a reason without a signature",
		Steps: []string{
			"Read the compiler's message and the place behind it.",
			"If it speaks of generics or hints, look at ffi.rs; else at the line of kernel.rs.",
		},
		Any: []Pattern{
			{Line: `(launch failed|error): (Anyhow|Compile\w*|Located|Generic|Internal)\(`},
			{Line: `launch failed: JIT\(`},
			{Line: `\bcutile_\w+( \w+)?:? (launch failed|error): error: `, Not: `DriverError`},
			{Line: `panicked at \S*cutile-(compiler|ir|macro)\S*`},
			{Line: `\bJITError\b`},
		},
		Context: `^(?:error: )?[A-Z].*`, ContextAfter: true,
		Example: "cutile_bmm launch failed: Anyhow(\"the view has no strides\")\nRuntimeError: cutile_bmm failed (rc=-3): kernel launch failed", NearMiss: "cutile_bmm launch took 3 ms: Anyhow fast enough",
	},
	{
		ID: "S-J32", Stage: JIT, Class: Env, Also: Host, From: Platform,
		Title: "The PTX assembler or the driver is older than the code that it gets",
		Steps: []string{
			"Compare the versions: the compiler that wrote the PTX, the ptxas that was found, the driver.",
			"See which ptxas the environment names: one of an older toolkit may stand first on the path.",
			"If the change raised a dependency, it raised the requirement: say so in the review.",
		},
		Any: []Pattern{
			{Line: `Unsupported \.version \d|unsupported PTX version`},
			{Line: `PTX was compiled with an unsupported toolchain|requires PTX ISA \.version \S+ or later|PTX version \S+ (does not support|is not supported)`},
		},
		Example:  "ptxas /tmp/tmpa.ptx, line 5; fatal   : Unsupported .version 9.1; current version is '8.8'",
		NearMiss: ".version 8.8\n.target sm_100a",
	},
	{
		ID: "S-J33", Stage: JIT, Class: Kernel, Also: Host, From: Platform,
		Title: "The module has no kernel of the name that is asked for: left out for this architecture, or named otherwise",
		Steps: []string{
			"See whether the kernel stands behind a guard for newer architectures: give older ones a version of it, or skip its tests there.",
			"Compare the name in the launch with the exported one: mangling, a missing `extern \"C\"`, an instance of a template that nobody asked for.",
			"Look at the names that the module has, with `cuobjdump -symbols` or in the PTX.",
		},
		Any: []Pattern{
			{Line: `named symbol not found|CUDA_ERROR_NOT_FOUND|cudaErrorSymbolNotFound|DriverError\(500\b`},
			{Line: `cuModuleGetFunction\b.*(failed|not found|error)|[Ff]unction '?\w+'? (was )?not found in (the )?(module|cubin|PTX|fatbin)|[Mm]issing (module )?function \w+ in module|no kernel (named|called) \S+ in (the )?(module|cubin|PTX)|no entry (named|called) \S+ in (the )?(module|cubin|PTX)`},
		},
		Context:  `\b(left out|skipped|excluded|guard(ed)?)\b.*__CUDA_ARCH__|__CUDA_ARCH__.*\b(left out|skipped|excluded|guard(ed)?)\b`,
		Example:  "called `Result::unwrap()` on an `Err` value: DriverError(CUDA_ERROR_NOT_FOUND, \"named symbol not found\")",
		NearMiss: "symbol names: 12, not found: 0",
	},
	{
		ID: "S-J34", Stage: JIT, Class: Kernel, Also: Env, Unless: []string{"S-J32", "S-J22", "S-J24", "S-J36"}, From: Platform,
		Title: "The PTX assembler, NVRTC or the driver refused the code that it got",
		Steps: []string{
			"See whose kernel it is: a reference kernel is not the port's fault.",
			"Read the assembler's own line: it names the instruction or the entry.",
			"Otherwise compare the versions of the compiler, PTX and the driver.",
		},
		Any: []Pattern{
			{Line: `ptxas (error|fatal)\s*:|ptxas exited with non-zero`},
			{Line: `PTX JIT compilation failed|CUDA_ERROR_INVALID_PTX|CUDA_ERROR_INVALID_SOURCE`},
			{Line: `device kernel image is invalid|CUDA_ERROR_INVALID_IMAGE`},
			{Line: `NVRTC_ERROR_\w+|CompileException: `},
			{Line: `LLVM ERROR: Cannot select`},
		},
		Example:  "ptxas error   : Entry function 'k' with max regcount of 64 calls function 'f' with regcount of 80",
		NearMiss: "ptxas info    : Compiling entry function 'k' for 'sm_100'",
	},
	{
		ID: "S-J35", Stage: JIT, Class: Kernel, Also: Test, Rank: Weak, Unless: []string{"S-J22", "S-J36", "S-J26", "S-J32", "S-J41", "S-J34"}, From: Platform,
		Title: "A Triton kernel does not compile: its source has an error",
		Steps: []string{
			"Read the error below the place: a name, two types that do not meet, a shape.",
			"See whose kernel it is: a reference kernel is not the port's fault.",
			"If it compiled before, compare the version of Triton with that of the last good run.",
		},
		Any: []Pattern{
			{Line: `\btriton\.compiler\.errors\.\w+|\btriton\.compiler\.code_generator\.\w+Error|IncompatibleTypeErrorImpl`},
			{Line: `Loop-carried variable .* has initial type|Both operands must be same dtype|unsupported AST node type`},
			{Line: `'tt\w*\.\w+' op |PassManager::run failed`},
		},
		Context: `^(\w+Error\(|Input shapes should|at \d+:\d+:)`, ContextAfter: true,
		Example:  "triton.compiler.errors.CompilationError: at 12:9:\nNameError('BLOCK_K is not defined')",
		NearMiss: "import triton.compiler as tc",
	},
	{
		ID: "S-J36", Stage: JIT, Class: Kernel, Also: Env, Rules: []string{"R20"}, From: Platform,
		Title: "The GPU lacks a data type or an instruction that the kernel uses",
		Steps: []string{
			"Compare the architecture that the code is made for with the one that the message asks for.",
			"Give older GPUs another version of the kernel, or skip its tests there.",
			"Some instructions need the architecture's own target, with the letter behind its number.",
		},
		Any: []Pattern{
			{Line: `type \w+ not supported in this architecture|[Ff]p8\w* (is |are )?(not supported|only supported) |[Ff]loat8\w* .*(only|not) supported (on|for|by)`},
			{Line: `not supported on \.target|requires \.target '?sm_\d+|\.target '?sm_\d+\w?'? requires|[Rr]equires (at least )?(CUDA )?compute capability|requires sm_?\d+\w? or (higher|later|newer)`},
			{Line: `only supports? (NVIDIA )?(Turing|Ampere|Ada|Hopper|Blackwell)\b.{0,24}\bGPUs?\b`},
			{Line: `Cannot select: intrinsic %llvm\.nvvm|only (supported|available) on (devices|GPUs) (with|of) .*(capability|sm_)`},
		},
		Example:  "ptxas /tmp/x.ptx, line 40; error   : Instruction 'tcgen05.mma' not supported on .target 'sm_90'",
		NearMiss: ".version 8.8\n.target sm_100a",
	},
	{
		ID: "S-J37", Stage: JIT, Class: Env, From: Platform,
		Title: "A program of the CUDA toolkit or the tile compiler is not found when kernels are compiled",
		Steps: []string{
			"Put the toolkit's `bin` folder on the job's path, or set the variable that names the program.",
			"A runtime image has no compilers: take the development one.",
		},
		Any: []Pattern{
			{Line: `[Cc]annot find (ptxas|cuobjdump|nvdisasm|nvlink|tileiras)\b|No such file or directory: '(\S*/)?(ptxas|nvcc|cuobjdump|nvdisasm|tileiras)'|'?\b(ptxas|tileiras|nvdisasm|cuobjdump)'? (is |was )?not found (in|on)\b`},
			{Line: `[Cc]ould not find (the )?'?(ptxas|tileiras)\b|(ptxas|tileiras): command not found|\bwhich\b.*\b(ptxas|tileiras): no `},
		},
		Example:  "FileNotFoundError: [Errno 2] No such file or directory: 'tileiras'",
		NearMiss: "tileiras is at /usr/local/cuda/bin/tileiras",
	},
	{
		ID: "S-J38", Stage: JIT, Class: Kernel, Also: Infra, Rules: []string{"R19", "R20"}, From: Compiler,
		Title: "The tile compiler ran out of time on one kernel",
		Steps: []string{
			"Take smaller tiles or fewer unrolled steps: the time grows with the code.",
			"If it is one configuration of the tuner, leave it out; raise the limit only if the time is expected.",
		},
		Any:      []Pattern{{Line: `TileCompilerTimeoutError|tileiras\S* (compiler )?exceeded (the )?time(out| limit)|tileiras\S*.*\btimed out\b|[Cc]ompil\w+ (of )?\S* ?(kernel )?(timed out|did not finish) (after|within|in) \d+`}},
		Example:  "cuda.tile._exception.TileCompilerTimeoutError: `tileiras` compiler exceeded timeout 120s.",
		NearMiss: "tileiras compiled 12 kernels in 9.2 s, the limit is 120 s",
	},
	{
		ID: "S-J39", Stage: JIT, Class: Test, Also: Host, Unless: []string{"S-R73"}, From: Platform,
		Title: "A Triton kernel is launched with wrong arguments",
		Steps: []string{
			"Compare the launch with the kernel's signature: names, number, which are constexpr.",
			"Tensors must lie on the GPU: one on the CPU is no pointer there.",
		},
		Any:      []Pattern{{Line: `Pointer argument (\(at \d+\)|.*) cannot be accessed from Triton|Keyword argument \w+ was specified but unrecognised|TypeError: dynamic_func\(\) (missing|got|takes)|KeyError: 'Keyword argument |Conflicting meta-parameters: `}},
		Example:  "ValueError: Pointer argument (at 0) cannot be accessed from Triton (cpu tensor?)",
		NearMiss: "triton: 3 pointer arguments, all on cuda:0",
	},
	{
		ID: "S-J40", Stage: JIT, Class: Infra, Also: Test, From: Platform,
		Title: "An entry of a compile cache is damaged, half written or gone",
		Steps: []string{
			"Remove the cache's folder and run again.",
			"Give each job and worker its own (`TRITON_CACHE_DIR`, `TORCHINDUCTOR_CACHE_DIR`), on a disk with space.",
		},
		Any: []Pattern{
			{Line: `JSONDecodeError|EOFError: Ran out of input|UnpicklingError|zlib\.error`, Near: `triton/(runtime|compiler)/\w+\.py|torch/_inductor/|[Cc]ache_?[Dd]ir|\.triton/cache|torchinductor_`, Within: 12},
			{Line: `FileNotFoundError: .*(torchinductor|[./]triton)\S*\.(cubin|ptx|json|so|ttir|ttgir|llir|py)\b`},
			{Line: `\.(cubin|ptx|ttir|ttgir|json)\b.{0,4} (is|was) (empty|truncated|corrupt\w*)`},
			{Line: `([Cc]orrupt\w*|[Tt]runcated|[Dd]amaged|[Hh]alf[- ]written|invalid) (compile |kernel |JIT |jit |triton )?cache (entry|file)|cache (entry|file) \S* ?(is|was) (corrupt\w*|truncated|damaged|empty)`},
		},
		Example:  "  File \"/opt/venv/lib/python3.12/site-packages/triton/runtime/cache.py\", line 190, in get_group\njson.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
		NearMiss: "triton cache: 412 entries, none damaged",
	},
	{
		ID: "S-J41", Stage: JIT, Class: Env, Also: Kernel, Unless: []string{"S-J29"}, From: Platform,
		Title: "A compiler that is loaded into the process (LLVM, MLIR) crashed on a kernel, or failed in one of its passes",
		Steps: []string{
			"See which pass or file of the compiler the message names, for which kernel and configuration: warp specialization, pipelining and layout passes are switched by options of the kernel (`warp_specialize`, `num_stages`, `num_warps`).",
			"Leave that option out, take another tile shape, or the version that compiled it last.",
			"Report it to the compiler's maintainers; the test's values say nothing.",
		},
		Any:      []Pattern{{Line: `Fatal Python error: (Aborted|Segmentation fault)`, Near: `triton/backends/\w+/compiler\.py", line \d+ in make_`, Within: 14}, {Line: `Pipeline failed while executing \[|does not have expected attribute ttg\.partition|failed to legalize operation 'tt|size mismatch when packing elements for LLVM struct|[Ii]nternal Triton PTX codegen error: (?:Segmentation|signal)`}, {Line: `(mlir|llvm|LLVM|MLIR|triton|nvptx|NVPTX)\S*\.(cpp|h|td|inc):\d+: .*Assertion .* failed|\.(cpp|h|td|inc):\d+: .*\b(mlir|llvm)::.*Assertion .* failed|UNREACHABLE executed at \S+|LLVM ERROR: (Broken|unsupported|Do not know|Instruction|Unable)|PLEASE submit a bug report to https`, Not: `tileiras`}},
		Example:  "python: /build/llvm/mlir/lib/IR/Operation.cpp:400: mlir::Operation::erase(): Assertion `use_empty()' failed.\nAborted (core dumped)",
		NearMiss: "built with LLVM 21, assertions on",
	},
	{
		ID: "S-J44", Stage: JIT, Class: Host, Also: Test, From: Platform,
		Title: "A Triton kernel makes descriptors on the device, and nobody gave Triton an allocator for them",
		Steps: []string{
			"Call `triton.set_allocator` with a function (size, alignment, stream) that returns device memory, before the launch: in the wrapper, not in the test.",
			"Or make the descriptor on the host, which needs no memory.",
			"See who resets it: an allocator is kept for each thread or context.",
		},
		Any:      []Pattern{{Line: `requires a runtime memory allocation, but no allocator was set`}},
		Example:  "RuntimeError: Kernel requires a runtime memory allocation, but no allocator was set. Use triton.set_allocator to specify an allocator.",
		NearMiss: "allocator: set by the wrapper",
	},
	{
		ID: "S-J45", Stage: JIT, Class: Test, Also: Kernel, From: Platform,
		Title: "The kernel runs in Triton's interpreter, which does not know an operation of it or breaks in it",
		Steps: []string{
			"Read the error behind the interpreter's: a missing operation (assembly, descriptors, atomics on some types) is a limit of the interpreter: skip the case there.",
			"An index or mask error is the kernel's own: the interpreter finds out-of-range accesses that a GPU may pass over.",
			"If it should run on the GPU, see what sets TRITON_INTERPRET.",
		},
		Any:      []Pattern{{Line: `\bInterpreterError\b|not supported in interpreter mode`}},
		Example:  "triton.runtime.errors.InterpreterError: NotImplementedError('inline_asm_elementwise is not supported in interpreter mode')",
		NearMiss: "TRITON_INTERPRET=1: 41 passed",
	},
	{
		ID: "S-J42", Stage: JIT, Class: Test, Also: Host, Rank: Weak, Unless: []string{"S-J24", "S-J40"}, From: Platform,
		Title: "torch.compile cannot trace or compile the code",
		Steps: []string{
			"Read what it says of the place: a call without a meta function, a break in the graph, a size that depends on data.",
			"Register a fake implementation for the operator, or leave the call out of the compiled part.",
		},
		Any:      []Pattern{{Line: `torch\._dynamo\.exc\.\w+|OpCheckError: |no (fake|meta) (impl|implementation|kernel) (found|registered)|UnsupportedFakeTensorException|GuardOnDataDependentSymNode`}, {Line: `\b(BackendCompilerFailed|InductorError)\b`, Rank: General}},
		Example:  "torch._dynamo.exc.Unsupported: Graph break under fullgraph=True",
		NearMiss: "torch.compile: 12 graphs, no break",
	},
}

// numbered are the signatures of a stage up to a number.
func numbered(prefix string, last int) []string {
	var all []string
	for n := 1; n <= last; n++ {
		all = append(all, fmt.Sprintf("%s%02d", prefix, n))
	}
	return all
}
