package triage

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
		ID: "S-J02", Stage: JIT, Class: Kernel, Rules: []string{"R20", "R12"}, From: Compiler,
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
		Any:      []Pattern{{Line: "missing a required `#\\[entry\\(\\.\\.\\.\\)\\]` attribute"}, {Line: "undefined (module|function):? `"}},
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
		Any:     []Pattern{{Line: `missing attribute 'signedness' on op`}},
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
		Title: "The tile assembler has no target for the runner's GPU",
		Steps: []string{
			"Use a runner whose GPU the toolkit's tile assembler supports; the message names the architecture.",
			"The change is not at fault.",
		},
		Any:      []Pattern{{Line: `gpu-name.*([Cc]annot find option|unknown|invalid|not supported|unsupported|not a valid).*sm_\d+`}, {Line: `sm_\d+\w? is not (a )?supported (gpu|target|architecture)`}},
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
			{Line: `Failed to launch \S*tileiras\S* for`, Class: Env},
			{Line: `tileiras\S* failed \(exit .*\) for gpu sm_\w+`, Class: Kernel, Also: Env, Weak: true},
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
		},
		Example: "Undefined generic parameter BK", NearMiss: "generic parameter BK is undefined",
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
			{Line: `Failed to serialize bytecode`},
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
			"The message has no source place: do not guess a line.",
		},
		Any:      []Pattern{{Line: `\bTileCompiler(Execution|Timeout)?Error\b`}},
		Example:  "cuda.tile.TileCompilerExecutionError: Return code 5 <unknown location>",
		NearMiss: "import TileCompilerOptions",
	},
}
