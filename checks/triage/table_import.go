package triage

var importRows = []Row{
	{
		ID: "S-I02", Stage: Import, Class: Host, Rules: []string{"R35", "R17", "R32"}, From: TileGym,
		Title: "The library does not export the symbol that the wrapper calls",
		Steps: []string{
			"Compare the four names: `_FFI_NAME`, the cdef, the extern function and the registration in lib.rs.",
			"List the library's symbols with `nm -D`.",
			"Restart Python: a library that was loaded before a rebuild stays mapped.",
		},
		Any: []Pattern{
			{Line: `AttributeError: .*(has no attribute|no function, constant or global variable named|function/symbol) '?cutile_\w+`, Not: `'?cutile_(rs|kernels)\b`},
			{Line: `(function/)?symbol '?cutile_\w+'? not found in library`},
			{Line: `undefined symbol: cutile_\w+`},
		},
		Example:  "AttributeError: function/symbol 'cutile_bmm' not found in library 'libcutile_kernels.so': undefined symbol: cutile_bmm",
		NearMiss: "AttributeError: module 'tilegym.ops' has no attribute 'cutile_rs'",
	},
	{
		ID: "S-I03", Stage: Import, Class: Host, Rules: []string{"R35"}, From: TileGym,
		Title: "The C declaration in the wrapper does not parse",
		Steps: []string{
			"Read the cdef as C: one declaration, every type known, a semicolon.",
			"Do not declare `TensorDesc` again: it stands before every cdef.",
		},
		Any:      []Pattern{{Line: `\bCDefError\b`}, {Line: `cffi.*cannot parse`}},
		Example:  "cffi.CDefError: cannot parse \"int cutile_bmm(TensorDesc a\"",
		NearMiss: "ValueError: cannot parse shape",
	},
	{
		ID: "S-I04", Stage: Import, Class: Host, Rules: []string{"R35"}, From: TileGym,
		Title: "An argument does not fit the C declaration",
		Steps: []string{
			"Pass descriptors, not tensors.",
			"Pass whole numbers where the cdef says an integer.",
			"Compare the order of the arguments with the cdef.",
		},
		Any:      []Pattern{{Line: `TypeError: .*initializer for ctype`}},
		Example:  "TypeError: initializer for ctype 'TensorDesc *' must be a cdata pointer, not Tensor",
		NearMiss: "TypeError: initializer must be callable",
	},
	{
		ID: "S-I05", Stage: Import, Class: Host, Rules: []string{"R37"}, From: TileGym,
		Title: "The wrapper refuses tensors that require a gradient",
		Steps: []string{
			"Detach such inputs and return a leaf tensor.",
			"Skip the backward tests for this backend.",
		},
		Any:      []Pattern{{Line: `NotImplementedError: cutile-rs .*backward`}},
		Example:  "NotImplementedError: cutile-rs softmax: backward not implemented",
		NearMiss: "NotImplementedError: cutile softmax: backward not implemented",
	},
	{
		ID: "S-I10", Stage: Import, Class: Host, Rules: []string{"R35"}, From: TileGym,
		Title: "The wrapper packs a tensor that it should have refused",
		Steps: []string{
			"Check rank, device and data type before the descriptor is made.",
			"Raise the error that the reference raises, or let the test skip the case.",
		},
		Any: []Pattern{
			{Line: `cutile-rs TensorDesc supports <= \d+ dims`},
			{Line: `make_tensor_desc requires a CUDA tensor`},
			{Line: `cutile-rs: dtype .* not supported`},
			{Line: `cutile-rs \w+: .*must be (a )?CUDA tensors?`},
		},
		Example:  "ValueError: cutile-rs TensorDesc supports <= 5 dims, got 6",
		NearMiss: "cutile-rs: dtype torch.float16 is supported",
	},
	{
		ID: "S-I09", Stage: Import, Class: Host, Rules: []string{"R35", "R40"}, From: TileGym, Passing: true,
		Title: "The operation is not registered and another backend answered",
		Steps: []string{
			"Treat every pass and every time of this run as void.",
			"Check the `register_impl` name and that the module is imported.",
			"Set DISABLE_FALLBACK=1 in the job, so that this fails loudly.",
		},
		Any: []Pattern{
			{Line: `Current backend 'cutile-rs' has no implementation for '`},
			{Line: `No backend implementation found for '[^']*' with backend 'cutile-rs'`},
			{Line: `is not implemented for (this backend: )?cutile-rs\b`},
			{Line: `No backend implementation found for '[^']*', using default implementation`, Rank: Weak},
		},
		Example:  "Current backend 'cutile-rs' has no implementation for 'bmm'. Falling back to 'pytorch'",
		NearMiss: "Current backend 'cutile' has no implementation for 'bmm'. Falling back to 'pytorch'",
	},
	{
		ID: "S-I01", Stage: Import, Class: Host, Rules: []string{"R33", "R17"}, Rank: General, From: TileGym,
		Title: "The kernel library is not there",
		Steps: []string{
			"Look for the cargo error above: the build failed, or it was switched off.",
			"Mind that the message names libcutile_kernels.so also for suites with a library of their own.",
		},
		Any:      []Pattern{{Line: `libcutile_kernels\.so not found at`}},
		Example:  "FileNotFoundError: libcutile_kernels.so not found at target/release/libcutile_kernels.so. Build it first.",
		NearMiss: "libcutile_kernels.so found at target/release",
	},
	{
		ID: "S-I06", Stage: Import, Class: Infra, Also: Test, Rules: []string{"R40"}, Rank: Weak, From: Platform,
		Title: "No test was selected",
		Steps: []string{
			"A backend that is not available registers no cases at all: ask `is_backend_available` first.",
			"Check the filter: the case ids spell the backend with a dash or an underscore.",
			"Check the selector and the ops package's `__init__`.",
		},
		Any: []Pattern{
			{Line: `\bno tests ran\b`},
			{Line: `\bcollected 0 items\b`, Not: `\berrors?\b`},
			{Line: `\b(exit (code|status):? |returned non-zero exit status )5\b`, Near: `pytest`, Within: 3},
			{Line: `\bdeselected\b.* 0 selected`, Class: InProcess, Also: Test},
			{Line: `^=+ \d+ deselected(, \d+ warnings?)? in `, Class: InProcess, Also: Test},
		},
		Example:  "collected 24 items / 24 deselected / 0 selected",
		NearMiss: "collected 24 items / 4 deselected / 20 selected",
	},
	{
		ID: "S-I07", Stage: Import, Class: Env, Also: Host, Rules: []string{"R35", "R40"}, Rank: Weak, From: TileGym,
		Title: "The backend says that it is not available",
		Steps: []string{
			"Check that cargo is installed, or that a fresh library is there.",
			"Check that importing the ops package does not drop the backend (S-I08).",
		},
		Any: []Pattern{
			{Line: `Backend cutile-rs is not available`},
			{Line: `Backend is not supported: .*[Uu]nknown backend:? '?cutile-rs`},
			{Line: `[Uu]nknown backend:? '?cutile-rs\b`},
			{Line: `^(SKIPPED|ValueError: ).*(Backend|Framework) \S+ is not available`},
		},
		Example:  "SKIPPED [1] tests/ops/test_bmm.py:30: Backend cutile-rs is not available",
		NearMiss: "SKIPPED [1] tests/ops/test_bmm.py:30: Backend triton has no bmm",
	},
	{
		ID: "S-I08", Stage: Import, Class: Host, Rules: []string{"R35"}, From: TileGym,
		Title:    "Importing the backend failed and it was dropped",
		Steps:    []string{"Run `python -c \"import tilegym.ops.cutile_rs\"`: it shows the error that the package hides."},
		Any:      []Pattern{{Line: `cutile-rs backend import failed, cutile-rs operations will not be available`}},
		Example:  "UserWarning: cutile-rs backend import failed, cutile-rs operations will not be available",
		NearMiss: "UserWarning: cutile backend import failed, cutile operations will not be available",
	},
	{
		ID: "S-I11", Stage: Import, Class: Env, Also: Host, From: Platform,
		Title: "A Python package or a shared library is missing on the host",
		Steps: []string{
			"Install what the message names, in the version that the others were built for.",
			"If the change uses it for the first time, add it to the requirements.",
		},
		Any: []Pattern{
			{Line: `ModuleNotFoundError: No module named '`, Not: `'(tilegym|tests)\b`},
			{Line: `(ImportError|OSError): .*\blib\S+\.so\S*: cannot open shared object file`, Not: `libcuda\.so|libnvidia-|libcutile_`},
			{Line: `error while loading shared libraries: `},
			{Line: "version `?(GLIBC|GLIBCXX|CXXABI)_[\\d.]+'? not found"},
			{Line: `ImportError: .*\bundefined symbol: \w+`, Not: `cutile_`},
			{Line: `A module that was compiled using NumPy 1\.x cannot be run in`},
			{Line: `^(bash|sh|/bin/sh|/usr/bin/bash|/usr/bin/env): .*: (command )?(not found|No such file or directory)$`, Rank: Weak},
		},
		Example:  "E   ModuleNotFoundError: No module named 'cuda.tile'",
		NearMiss: "E   ModuleNotFoundError: No module named 'tilegym.ops.cutile_rs.bnm'",
	},
	{
		ID: "S-I12", Stage: Import, Class: Host, Also: Test, Rules: []string{"R35"}, From: Platform,
		Title: "A module of the repository cannot be imported",
		Steps: []string{
			"Run `python -c \"import MODULE\"` with the module that the traceback ends in.",
			"Correct the name or the syntax; nothing of that test file has run.",
		},
		Any: []Pattern{
			{Line: `ImportError: cannot import name `, Not: `circular import`},
			{Line: `ModuleNotFoundError: No module named '(tilegym|tests)\b`},
			{Line: `^(SyntaxError|IndentationError|TabError): `},
			{Line: `AttributeError: (partially initialized )?module '(tilegym|tests)[\w.]*' has no attribute`},
			{Line: `^_* ?ERROR collecting `, Rank: Weak},
			{Line: `ImportError while (importing test module|loading conftest)`, Rank: Weak},
		},
		Context:  `^(tests|src)/\S+\.py:\d+: in `,
		Example:  "tests/ops/test_softmax.py:3: in <module>\nE   ImportError: cannot import name 'softmax_rs' from 'tilegym.ops' (src/tilegym/ops/__init__.py)",
		NearMiss: "UserWarning: Failed to import cuda.tile / cuda.tile.tune, CUDA Tile backend is not available.",
	},
	{
		ID: "S-I13", Stage: Import, Class: Host, Also: Test, Rules: []string{"R35", "R40"}, From: TileGym,
		Title: "The wrapper refuses a case that the test runs",
		Steps: []string{
			"If the reference takes such inputs, the port must too, or declare the gap.",
			"If the gap is declared, skip the case in the test with that reason.",
		},
		Any: []Pattern{
			{Line: `(NotImplementedError|ValueError): cutile-rs \w+:? `, Not: `TensorDesc|must be (a )?CUDA tensor|backward`},
		},
		Example:  "E   NotImplementedError: cutile-rs matmul: trans_a is not supported",
		NearMiss: "SKIPPED [4] tests/ops/test_matmul.py:61: cutile-rs matmul does not support trans_a",
	},
	{
		ID: "S-I14", Stage: Import, Class: Test, Also: InProcess, From: Platform,
		Title: "pytest was called or configured wrongly",
		Steps: []string{
			"Correct the command or the configuration that the message names.",
			"No test has run: the result says nothing.",
		},
		Any: []Pattern{
			{Line: `error: (unrecognized arguments|argument \S+: |the following arguments are required)`},
			{Line: `fixture '\w+' not found`},
			{Line: `ERROR: (file or directory )?not found: `},
			{Line: `^INTERNALERROR> .*(Error|Exception)\b`},
			{Line: `'\w+' not found in .markers. configuration option`},
			{Line: `duplicate parametrization of|in "parametrize" the number of names`},
			{Line: `(pluggy|pytest)\S*\.(PluginValidationError|UsageError)\b`},
		},
		Example:  "ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]\npytest: error: unrecognized arguments: --print-record",
		NearMiss: "PytestUnknownMarkWarning: Unknown pytest.mark.slow - is this a typo?",
	},
	{
		ID: "S-I15", Stage: Import, Class: Host, Also: Test, Rank: Weak, From: Platform,
		Title: "Python code of the repository raised an error of its own",
		Steps: []string{
			"Go to the file and line that the traceback ends in and read the error above it.",
			"If it lies below src/tilegym, the wrapper is wrong; if below tests, the test is.",
		},
		Any: []Pattern{
			{Line: `^(.*/)?src/tilegym/\S+\.py:\d+: ` + codingError + `$`},
			{Line: `^(.*/)?tests/\S+\.py:\d+: ` + codingError + `$`, Class: Test, Also: Host},
			{Line: `^` + codingError + `: `, Near: `File "[^"]*/tilegym/[^"]*\.py", line \d+`, Within: 8},
		},
		Context:  `^` + codingError + `: `,
		Example:  "E   TypeError: _softmax() missing 1 required positional argument: 'dim'\n\nsrc/tilegym/ops/cutile_rs/softmax.py:61: TypeError",
		NearMiss: "src/tilegym/backend/cutile_rs/utils.py:370: RuntimeError",
	},
	{
		ID: "S-I16", Stage: Import, Class: Host, Also: InProcess, Rules: []string{"R17", "R33"}, From: Platform,
		With:  []string{"S-I02", "S-C01", "S-C02", "S-C04", "S-C06", "S-C07", "S-C09", "S-C14", "S-C18", "S-C21", "S-R02", "S-R12"},
		Title: "The library under test is older than the sources",
		Steps: []string{
			"Build the library from this commit, and take the sources into the cache's key.",
			"Do not build only when the file is missing: a cache by prefix brings the file of another commit.",
			"Judge the failing cases again with the new library.",
		},
		Any: []Pattern{
			{Line: `Cache (hit for restore-key|restored from key): `, Near: `CUTILE_RS_AUTOBUILD[=:] ?0\b`, Within: 46},
			{Line: `(using|with|keeping|reusing) (the )?(previous|old|existing|stale|prebuilt) lib\w+\.so`},
			{Line: `lib\w+\.so is (older|not newer) than|(stale|outdated) (library|lib\w+\.so)`},
		},
		Example:  "Cache hit for restore-key: kernels-Linux-0a1b2c\nCUTILE_RS_AUTOBUILD=0\n*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=0.001) ***",
		NearMiss: "Cache hit for restore-key: cargo-registry-Linux\n*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=0.001) ***",
	},
	{
		ID: "S-I17", Stage: Import, Class: Test, Also: InProcess, From: Platform,
		Title: "Two test files have the same module name",
		Steps: []string{
			"Give the new file a name of its own, or put an `__init__.py` into both folders.",
			"No test of either file has run.",
		},
		Any:     []Pattern{{Line: `import file mismatch:`}, {Line: `HINT: remove __pycache__ / \.pyc files and/or use a unique basename`}},
		Context: `which is not the same as|^/?\S+\.py$`,
		Example: "_____ ERROR collecting tests/ops/extra/test_bmm.py _____\nimport file mismatch:\nimported module 'test_bmm' has this __file__ attribute:\n  /src/tests/ops/test_bmm.py", NearMiss: "imported module 'test_bmm' from /src/tests/ops/test_bmm.py",
	},
	{
		ID: "S-I18", Stage: Import, Class: Host, Rules: []string{"R35"}, From: Platform,
		Title: "Modules import each other in a circle",
		Steps: []string{
			"Move the import into the function that needs it, or the shared part into a module of its own.",
		},
		Any:     []Pattern{{Line: `most likely due to a circular import`}},
		Example: "E   ImportError: cannot import name 'bmm' from partially initialized module 'tilegym.ops.cutile_rs' (most likely due to a circular import)", NearMiss: "no circular import was found",
	},
}

// codingError are Python's errors that a mistake in the code raises.
const codingError = `(TypeError|ValueError|NameError|AttributeError|KeyError|IndexError|UnboundLocalError|ZeroDivisionError|RecursionError)`
