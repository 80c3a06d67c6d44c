package triage

// rustPlace is the line in which rustc says where a diagnostic is.
const rustPlace = `^--> \S+:\d+:\d+`

// dslOps are operations of the kernel language whose number of arguments is
// easily got wrong.
const dslOps = `\b(addf|subf|mulf|divf|fma|maxf|minf|exp2|rsqrt|sqrt|ftof|ftoi|itof|trunci|cmpi|cmpf|addi|subi|muli|divi|negi|shli|load_ptr_tko|store_ptr_tko|load_view_tko|store_view_tko_mut|make_tensor_view|make_partition_view)\(|_core\.rs:\d+`

var buildRows = []Row{
	{
		ID: "S-B01", Stage: Build, Class: Kernel, Rules: []string{"R6", "R36"}, From: Rustc,
		Title: "Arithmetic on a const generic in a type or shape position",
		Steps: []string{
			"Find the computed entry in a `{[..]}` shape or a `const_shape!`.",
			"Move the arithmetic into a run-time value, or pass the result as one more const generic from the host.",
			"If neither works, specialise the entry with a literal and choose it in ffi.rs.",
			"Stay on stable Rust: do not add a nightly feature.",
		},
		Any:     []Pattern{{Line: `generic parameters may not be used in const operations`}},
		Context: rustPlace, ContextAfter: true,
		Example:  "error: generic parameters may not be used in const operations\n --> src/softmax_kernel/kernel.rs:14:35",
		NearMiss: "warning: const parameters may only be used as standalone arguments here",
	},
	{
		ID: "S-B02", Stage: Build, Class: Kernel, Rules: []string{"R36", "R6"}, From: Rustc,
		Title: "A nightly feature on the stable compiler",
		Steps: []string{
			"Remove the `#![feature(..)]` line.",
			"What it was meant to allow is usually arithmetic in a shape: treat it as S-B01.",
		},
		Any:     []Pattern{{Line: `error\[E0554\].*may not be used on the stable`}},
		Context: rustPlace, ContextAfter: true,
		Example:  "error[E0554]: `#![feature]` may not be used on the stable release channel\n --> src/lib.rs:2:1",
		NearMiss: "warning: the feature `generic_const_exprs` is incomplete and may not be safe to use",
	},
	{
		ID: "S-B03", Stage: Build, Class: Kernel, Rules: []string{"R1", "R4", "R7"}, From: Rustc,
		Title: "The compiler cannot infer a type in a chain of conversions",
		Steps: []string{
			"Go to the first place that the compiler names.",
			"Split the statement: one conversion, reshape or reduction a `let`.",
			"Write the type on each of these bindings.",
		},
		Any:     []Pattern{{Line: `error\[E028[34]\]`}, {Line: `error\[E0282\]`}},
		Context: rustPlace, ContextAfter: true,
		Example:  "error[E0283]: type annotations needed\n --> src/bmm_kernel/kernel.rs:31:17",
		NearMiss: "error[E0285]: overflow evaluating the requirement",
	},
	{
		ID: "S-B04", Stage: Build, Class: Kernel, Rules: []string{"R13"}, From: Rustc,
		Title: "`step_by` was given something other than usize",
		Steps: []string{
			"Cast the step: `.step_by(step as usize)`.",
			"If the mismatch is about the entry's call, which gives `()`, see S-B06.",
		},
		Any:     []Pattern{{Line: `error\[E0308\]`, Near: `step_by|expected .usize.`}},
		Context: rustPlace, ContextAfter: true,
		Example:  "error[E0308]: mismatched types\n --> src/k.rs:2:45\n  |\n2 | for _ in (0..10).step_by(n) {}\n  |                  ------- ^ expected `usize`, found `i32`",
		NearMiss: "error[E0308]: mismatched types\n --> src/k.rs:2:45\n  |\n2 | let x: u32 = e();\n  |              ^^^ expected `u32`, found `()`\nerror[E0425]: cannot find value `q`\n  |\n9 | (0..4).step_by(q)",
	},
	{
		ID: "S-B05", Stage: Build, Class: Kernel, Rules: []string{"R11"}, From: Compiler,
		Title: "A pipeline test leaves a tensor parameter without strides",
		Steps: []string{
			"Give `.strides(..)` one entry for each `&Tensor` parameter of the entry.",
			"Write all dimensions, also the last one whose stride is 1.",
		},
		Any:      []Pattern{{Line: `kernel_entry_generator\.rs:\d+`, Near: `called .Option::unwrap\(\)`, Within: 3}},
		Example:  "thread 'main' panicked at cutile-compiler/src/kernel_entry_generator.rs:70:42:\ncalled `Option::unwrap()` on a `None` value",
		NearMiss: "thread 'main' panicked at cutile-compiler/src/kernel_entry_generator.rs:128:9:\nMappedPartitionMut parameters must have rank 1 through 3.",
	},
	{
		ID: "S-B06", Stage: Build, Class: Kernel, Rules: []string{"R12"}, From: Rustc,
		Title: "The entry has no launcher",
		Steps: []string{
			"Write the attribute with parentheses: `#[cutile::entry()]`.",
			"Check that the function is `pub` and the module has `#[cutile::module]`.",
			"Check that ffi.rs calls the generated launcher, not the plain function.",
		},
		Any:     []Pattern{{Line: "no method named .generics. found for (unit )?type"}},
		Context: rustPlace, ContextAfter: true,
		Example:  "error[E0599]: no method named `generics` found for unit type `()` in the current scope\n --> src/f.rs:4:26",
		NearMiss: "error[E0599]: no method named `generic` found for struct `Launcher` in the current scope",
	},
	{
		ID: "S-B07", Stage: Build, Class: Kernel, Rules: []string{"R3"}, From: Compiler,
		Title: "The kernel macro does not know a pattern in a `let`",
		Steps: []string{
			"Read the message below the panic: it names the pattern.",
			"Bind to a plain identifier or to a typed tuple of identifiers.",
			"Tokens need ordinary names too, not `_`.",
		},
		Any: []Pattern{
			{Line: `Local pattern type not supported`},
			{Line: `error: (proc macro|custom attribute) panicked`, Weak: true},
		},
		Context: `^= help: message:`, ContextAfter: true,
		Example:  "error: custom attribute panicked\n --> src/k.rs:3:1\n  = help: message: Local pattern type not supported PatStruct",
		NearMiss: "error: custom attribute not found in this scope",
	},
	{
		ID: "S-B08", Stage: Build, Class: Kernel, Rules: []string{"R12"}, From: Compiler,
		Title: "A pointer parameter needs an unsafe entry and `*mut`",
		Steps: []string{
			"Declare the entry `pub unsafe fn`.",
			"Spell the parameter `*mut T`, also for inputs.",
		},
		Any:     []Pattern{{Line: `Pointers can only be used in unsafe kernel entry points`}, {Line: `Pointers must be \* ?mut`}},
		Context: rustPlace, ContextAfter: true,
		Example:  "error: Pointers can only be used in unsafe kernel entry points.\n --> src/k.rs:9:14",
		NearMiss: "note: pointers can only be dereferenced in unsafe code",
	},
	{
		ID: "S-B09", Stage: Build, Class: Kernel, Rules: []string{"R12", "R43"}, From: Compiler,
		Title: "A parameter type that an entry cannot take",
		Steps: []string{
			"Pass tensors as `&Tensor`, outputs included.",
			"Pass scalars by value and raw memory as `*mut T` in an unsafe entry.",
			"Take the mutable partition inside the kernel.",
		},
		Any: []Pattern{
			{Line: `Tensors cannot be moved into kernel functions`},
			{Line: `References to .* as parameters are not supported`},
			{Line: `MappedPartitionMut parameters are passed by value`},
		},
		Context: rustPlace, ContextAfter: true,
		Example:  "error: Tensors cannot be moved into kernel functions. Use &mut Tensor for outputs\n --> src/k.rs:7:5",
		NearMiss: "error: values cannot be moved into closures that are called twice",
	},
	{
		ID: "S-B13", Stage: Build, Class: Host, Rules: []string{"R33"}, From: Rustc,
		Title: "The kernel crate does not depend on cutile-compiler",
		Steps: []string{
			"Add `cutile-compiler` with the pinned version to the crate's manifest.",
			"Keep all cutile crates on the same pin.",
		},
		Any:     []Pattern{{Line: `(cannot find|use of undeclared|unresolved|failed to resolve).*cutile_compiler`}},
		Context: rustPlace, ContextAfter: true,
		Example:  "error[E0433]: cannot find module or crate `cutile_compiler` in this scope\n --> src/k.rs:1:1",
		NearMiss: "   Compiling cutile_compiler v0.2.0",
	},
	{
		ID: "S-B10", Stage: Build, Class: Host, Rules: []string{"R17", "R33"}, From: Rustc,
		Title: "An import of a name that moved, or of a module that is not included",
		Steps: []string{
			"Import `DevicePointer` from `cuda_async::device_buffer`, launch options from `cutile::tile_kernel`.",
			"If a `.._module` is missing, check that lib.rs includes kernel.rs beside ffi.rs.",
			"Compare the pinned cutile version with the one that the code was written for.",
		},
		Any: []Pattern{
			{Line: `error\[E043[23]\].*(DevicePointer|CompileOptions|DType|\w+_module)\b`},
			{Line: `error\[E043[23]\]`, Near: `\b(DevicePointer|CompileOptions|DType|\w+_module)\b`},
		},
		Context: rustPlace, ContextAfter: true,
		Example:  "error[E0432]: unresolved import `cutile::DevicePointer`\n  --> src/f.rs:12:5",
		NearMiss: "error[E0432]: unresolved import `rand::Rng`\n  --> src/f.rs:12:5",
	},
	{
		ID: "S-B11", Stage: Build, Class: Kernel, Rules: []string{"R26"}, From: Rustc,
		Title: "A kernel operation was called with the wrong number of arguments",
		Steps: []string{
			"Look up the operation's signature for the pinned version.",
			"Add the missing static modes: rounding, flush-to-zero, NaN, overflow.",
			"Take the modes from the reference, not from habit.",
		},
		Any:     []Pattern{{Line: `error\[E0061\]`, Near: dslOps}},
		Context: rustPlace, ContextAfter: true,
		Example:  "error[E0061]: this function takes 4 arguments but 2 arguments were supplied\n  --> src/k.rs:11:14\n   |\n11 |     let y = addf(a, b);\n   |             ^^^^ two arguments are missing",
		NearMiss: "error[E0061]: this function takes 0 arguments but 2 arguments were supplied\n  --> src/f.rs:11:14\n   |\n11 |     setup(1, 2);",
	},
	{
		ID: "S-B12", Stage: Build, Class: Host, Rules: []string{"R32"}, From: Rustc,
		Title: "An export attribute of the 2021 edition",
		Steps: []string{"Write `#[unsafe(no_mangle)]`."},
		Any:   []Pattern{{Line: `error: unsafe attribute used without unsafe`}}, Context: rustPlace, ContextAfter: true,
		Example:  "error: unsafe attribute used without unsafe\n --> src/ffi.rs:2:3",
		NearMiss: "warning: unsafe attribute is not needed",
	},
	{
		ID: "S-B14", Stage: Build, Class: Host, Rules: []string{"R33"}, From: Rustc,
		Title: "The cutile crates are pinned to different versions",
		Steps: []string{
			"Set all cutile and cuda crates of the manifest to the same exact version.",
			"Delete an untracked Cargo.lock that is older than the manifest.",
		},
		Any: []Pattern{
			{Line: "failed to select a version for (the requirement )?.(cutile|cuda-)"},
			{Line: "(two|multiple) different versions of crate .cu(tile|da)"},
		},
		Example:  "error: failed to select a version for `cutile-compiler`.",
		NearMiss: "error: failed to select a version for `serde`.",
	},
	{
		ID: "S-B15", Stage: Build, Class: Kernel, Also: Test, Rules: []string{"R44"}, From: Rustc,
		Title: "No `partition` method on this value",
		Steps: []string{
			"In host or test code import `cutile::prelude::PartitionMut`.",
			"In a kernel module the method needs no import: check the receiver, which may be a raw pointer or another kind of reference.",
		},
		Any:     []Pattern{{Line: "no method named .partition(_full|_permuted)?(_mut)?. found"}},
		Context: rustPlace, ContextAfter: true,
		Example:  "error[E0599]: no method named `partition_full_mut` found for reference `&mut Tensor<f32>` in the current scope\n --> src/k.rs:6:40",
		NearMiss: "error[E0599]: no method named `partition_point` found for struct `Tile`",
	},
	{
		ID: "S-B16", Stage: Build, Class: Kernel, Rules: []string{"R12"}, From: Rustc,
		Title: "An unsafe kernel operation outside of an unsafe block",
		Steps: []string{"Wrap the call in `unsafe { .. }`, as small as the call."},
		Any: []Pattern{{
			Line: `error\[E0133\]: call to unsafe function .([A-Za-z_]\w*::)*(make_tensor_view|make_partition_view|partition_full_mut|partition_mut|store_view_tko_mut|load_ptr_tko|store_ptr_tko|assume_\w+). is unsafe`,
		}},
		Context: rustPlace, ContextAfter: true,
		Example:  "error[E0133]: call to unsafe function `cutile::core::make_tensor_view` is unsafe and requires unsafe block\n --> src/k.rs:8:14",
		NearMiss: "warning[E0133]: call to unsafe function `make_tensor_view` is unsafe and requires unsafe block",
	},
	{
		ID: "S-B17", Stage: Build, Class: Host, Also: Kernel, Rules: []string{"R16"}, From: Rustc,
		Title: "A half-precision type was not imported",
		Steps: []string{
			"In host code import `f16` and `bf16` from `cutile::half`.",
			"In kernel modules take them from `cutile::core`.",
			"Better: keep the data type generic and name no concrete half type.",
		},
		Any:     []Pattern{{Line: "the type .f16. is unstable"}, {Line: "built-in .f16. is unstable"}, {Line: "cannot find type .b?f16. in this scope"}},
		Context: rustPlace, ContextAfter: true,
		Example:  "error[E0658]: the type `f16` is unstable\n --> src/k.rs:9:13",
		NearMiss: "error[E0425]: cannot find type `bf17` in this scope",
	},
	{
		ID: "S-B18", Stage: Build, Class: Env, From: Rustc,
		Title: "The CUDA toolkit or libclang is missing on the build host",
		Steps: []string{
			"Install the CUDA toolkit with its headers and libclang with its built-in headers on the runner.",
			"Set CUDA_TOOLKIT_PATH to the toolkit's root, the directory that holds include/cuda.h.",
			"The automatic build passes only a few environment variables on: check that the path is among them.",
			"Run the build again; the change is not at fault.",
		},
		Any: []Pattern{
			{Line: `CUDA_TOOLKIT_PATH is (required but )?not set`},
			{Line: `CUDA_TOOLKIT_PATH=\S* is invalid:`},
			{Line: `CUDA_TOOLKIT_PATH=\S* .*(cuda\.h|does not exist|no such)`},
			{Line: `[Uu]nable to find libclang`},
			{Line: `fatal error: '[\w./]+\.h' file not found`},
			{Line: `\b(ClangDiagnostic|NotExist)\("`},
		},
		Context:  "failed to run custom build command for",
		Example:  "error: failed to run custom build command for `cuda-bindings v0.2.0`\n  --- stderr\n  /usr/include/limits.h:124:26: fatal error: 'stddef.h' file not found",
		NearMiss: "CUDA_TOOLKIT_PATH=/usr/local/cuda-13.2",
	},
	{
		ID: "S-B20", Stage: Build, Class: Infra, From: TileGym,
		Title: "The build ran out of time",
		Steps: []string{
			"Run the build once more: a cold registry or a busy host is the usual reason.",
			"If it repeats, build beforehand and look for a download that hangs.",
		},
		Any:      []Pattern{{Line: `cutile-rs: cargo build timed out \(>\d+s\)`}},
		Example:  "RuntimeError: cutile-rs: cargo build timed out (>900s) in cutile_kernels.",
		NearMiss: "cutile-rs: cargo build finished (>900s) in cutile_kernels.",
	},
	{
		ID: "S-B21", Stage: Build, Class: Env, From: TileGym,
		Title: "There is no cargo on the host",
		Steps: []string{
			"Install the Rust version that the crate asks for.",
			"Or build the library elsewhere and set CUTILE_RS_AUTOBUILD=0.",
		},
		Any:      []Pattern{{Line: `cutile-rs: cargo not found on PATH`}},
		Example:  "RuntimeError: cutile-rs: cargo not found on PATH (install Rust, or set CUTILE_RS_AUTOBUILD=0 to use a prebuilt .so).",
		NearMiss: "cutile-rs: cargo found on PATH",
	},
	{
		ID: "S-B23", Stage: Build, Class: Env, Also: Host, From: Rustc,
		Title: "The linker failed",
		Steps: []string{
			"Read the linker's last lines: a missing `-l` library belongs to the host.",
			"An undefined `cutile_..` symbol belongs to the crate: see S-I02.",
		},
		Any:     []Pattern{{Line: "error: linking with .* failed"}, {Line: "error: linker .* not found"}},
		Context: `cannot find -l|undefined reference`,
		Example: "error: linking with `cc` failed: exit status: 1\n  = note: /usr/bin/ld: cannot find -lcuda: No such file or directory", NearMiss: "note: linking with `cc` took 3 s",
	},
	{
		ID: "S-B22", Stage: Build, Class: Kernel, Also: Host, Weak: true, From: Rustc,
		Title: "A Rust compile error without a more specific signature",
		Steps: []string{
			"Correct the first error that the compiler names; later ones often follow from it.",
			"Run `cargo build --release` in the crate to see it whole.",
		},
		Any:     []Pattern{{Line: `^error(\[E\d{4}\])?: `, Not: `could not compile|aborting due to|failed to run custom build command|build failed`}},
		Context: rustPlace, ContextAfter: true,
		Example:  "error[E0425]: cannot find value `n` in this scope\n  --> src/softmax_kernel/kernel.rs:40:9",
		NearMiss: "error: could not compile `cutile_kernels` (lib) due to 1 previous error",
	},
	{
		ID: "S-B19", Stage: Build, Class: Host, Weak: true, From: TileGym,
		Title: "The automatic build failed; only the end of its output is shown",
		Steps: []string{
			"Run `cargo build --release` in the crate: the Python message keeps only the last 2000 characters, so the first error may be missing.",
			"Triage the first error of that output.",
		},
		Any:      []Pattern{{Line: `cutile-rs: cargo build failed \(exit`}},
		Example:  "RuntimeError: cutile-rs: cargo build failed (exit 101) in cutile_kernels:",
		NearMiss: "cutile-rs: cargo build done (exit 0)",
	},
}
