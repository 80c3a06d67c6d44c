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
			{Line: `AttributeError: \S+\.so\S*: undefined symbol: \w+`},
			{Line: `\bsymbol '?\w+'? not found in library|cffi library '\S+' has no (attribute|function, constant or global variable)`},
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
		Any: []Pattern{{Line: `\bCDefError\b`}, {Line: `cffi.*cannot parse`},
			{Line: `undefined type name: |\bffi\.error: |cffi\S*\.FFIError`},
		},
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
		Any: []Pattern{{Line: `TypeError: .*initializer for ctype`},
			{Line: `OverflowError: integer \S+ does not fit|TypeError: '?cutile_\w+'?(\(\))? expects \d+ arguments, got \d+`},
			{Line: `TypeError: '[^']*\(\*\)\([^']*\)' expects \d+ arguments, got \d+|TypeError: this function takes at least \d+ argument`},
			{Line: `ctypes\.ArgumentError: argument \d+|TypeError: (an integer is required|expected .* instance instead of|cdata '[^']*' (is|has))`},
		},
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
		ID: "S-I10", Stage: Import, Class: Host, Rules: []string{"R35"}, Unless: []string{"S-R18", "S-R19", "S-R20", "S-R21"}, From: TileGym,
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
			{Line: `\bFallbackWarning\b|\b[Nn]o (variant|kernel|implementation|specialization) (for|of|matches)\b[^;:]{0,80}[,;:] ?(using|falling back to|fall back to) \w+|\b(falling|fell|falls) back to (the )?(torch|pytorch|PyTorch|eager|reference|default) (implementation|kernel|backend|path|op)\b`, Rank: General, Warned: General},
		},
		Example:  "Current backend 'cutile-rs' has no implementation for 'bmm'. Falling back to 'pytorch'",
		NearMiss: "Current backend 'cutile' has no implementation for 'bmm'. Falling back to 'pytorch'",
	},
	{
		ID: "S-I01", Stage: Import, Class: Host, Also: Env, Rules: []string{"R33", "R17"}, Rank: General, From: TileGym,
		Title: "The kernel library is not there",
		Steps: []string{
			"Look for the cargo error above: the build failed, or it was switched off.",
			"Mind that the message names libcutile_kernels.so also for suites with a library of their own.",
		},
		Any: []Pattern{{Line: `libcutile_kernels\.so not found at`},
			{Line: `lib\w*kernels\w*\.so: cannot open shared object file: No such file`},
		},
		Example:  "FileNotFoundError: libcutile_kernels.so not found at target/release/libcutile_kernels.so. Build it first.",
		NearMiss: "libcutile_kernels.so found at target/release",
	},
	{
		ID: "S-I06", Stage: Import, Class: Infra, Also: Test, Rules: []string{"R40"}, Rank: General, From: Platform,
		Title: "No test was selected",
		Steps: []string{
			"A backend that is not available registers no cases at all: ask `is_backend_available` first.",
			"Check the filter: the case ids spell the backend with a dash or an underscore.",
			"Check the selector and the ops package's `__init__`.",
		},
		Any: []Pattern{
			{Line: `\bno tests ran\b|^error: no tests to run`},
			{Line: `\bcollected 0 items\b`, Not: `\berrors?\b`},
			{Line: `\b(exit (code|status):? |returned non-zero exit status )5\b`, Near: `pytest`, Within: 3},
			{Line: `\bdeselected\b.* 0 selected`, Class: InProcess, Also: Test},
			{Line: `^=+ \d+ deselected(, \d+ warnings?)? in `, Class: InProcess, Also: Test},
		},
		Example:  "collected 24 items / 24 deselected / 0 selected",
		NearMiss: "collected 24 items / 4 deselected / 20 selected",
	},
	{
		ID: "S-I07", Stage: Import, Class: Env, Also: Host, Rules: []string{"R35", "R40"}, Rank: General, From: TileGym,
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
		ID: "S-I08", Stage: Import, Class: Host, Rules: []string{"R35"}, Rank: Weak, From: TileGym,
		Title:    "Importing the backend failed and it was dropped",
		Steps:    []string{"Run `python -c \"import tilegym.ops.cutile_rs\"`: it shows the error that the package hides."},
		Any:      []Pattern{{Line: `cutile-rs backend import failed, cutile-rs operations will not be available`}},
		Example:  "UserWarning: cutile-rs backend import failed, cutile-rs operations will not be available",
		NearMiss: "UserWarning: cutile backend import failed, cutile operations will not be available",
	},
	{
		ID: "S-I11", Stage: Import, Class: Env, Also: Host, Unless: []string{"S-B76", "S-I25", "S-I26", "S-I32", "S-I33", "S-I35", "S-I39", "S-I45"}, From: Platform,
		Title: "A Python package or a shared library is missing on the host, or does not fit it",
		Steps: []string{
			"Install what the message names, in the version that the others were built for.",
			"If the change uses it for the first time, add it to the requirements.",
		},
		Any: []Pattern{
			{Line: `ModuleNotFoundError: No module named '`, Not: `'(tilegym|tests)\b|'(torch|triton|numpy|transformers)\.\w`},
			{Line: `(ImportError|OSError): .*\blib\S+\.so\S*: cannot open shared object file`, Not: `libcuda\.so|libnvidia-|libcutile_`},
			{Line: `error while loading shared libraries: `, Not: `libcuda\.so|libnvidia-`},
			{Line: `symbol \S+,? version \S+ not defined in file|Unable to dynamically load the "?(nvrtc|cublas\w*|cudnn|curand|cusparse|cusolver|nccl)"? shared library|failed to open (lib)?nvrtc-builtins`},
			{Line: `(ImportError|OSError): .*\bundefined symbol: \w+`, Not: `undefined symbol: (cutile_|cu(Logs|Multicast|TensorMap|GreenCtx|Library|LaunchKernelEx|DevResource|DeviceGetHostAtomic|StreamGetDevice|Checkpoint|CoredumpGet|GetProcAddress_v2|EventElapsedTime_v2))`},
			{Line: `git: '\S+' is not a git command`, Not: `'lfs'`},
			{Line: `^[\w.+/-]+: command not found$`, Rank: Weak},
			{Line: `^(bash|sh|/bin/sh|/usr/bin/bash|/usr/bin/env): .*: (command )?(not found|No such file or directory)$`, Rank: Weak},
			{Line: `^(/\S+/)?(python3?|pytest|uv|docker|git|nm|gcc|cmake|ninja): (command )?not found$|Unable to locate executable file: |\[TileGym\] PyTorch is required`},
		},
		Example:  "E   ModuleNotFoundError: No module named 'cuda.tile'",
		NearMiss: "E   ModuleNotFoundError: No module named 'tilegym.ops.cutile_rs.bnm'",
	},
	{
		ID: "S-I12", Stage: Import, Class: Host, Also: Test, Unless: []string{"S-I39", "S-I40"}, Rules: []string{"R35"}, From: Platform,
		Title: "A module of the repository cannot be imported",
		Steps: []string{
			"Run `python -c \"import MODULE\"` with the module that the traceback ends in.",
			"Correct the name or the syntax; nothing of that test file has run.",
		},
		Any: []Pattern{
			{Line: `ImportError: cannot import name `, Not: `circular import|/(site|dist)-packages/| from '` + thirdParty + `\b`},
			{Line: `ModuleNotFoundError: No module named '(tilegym|tests)\b`},
			{Line: `^(SyntaxError|IndentationError|TabError): |ImportError: attempted relative import `},
			{Line: `AttributeError: (partially initialized )?module '(tilegym|tests)[\w.]*' has no attribute`},
			{Line: `^_* ?ERROR collecting |Interrupted: \d+ errors? during collection`, Rank: General},
			{Line: `ImportError while (importing test module|loading conftest)`, Rank: General},
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
		ID: "S-I23", Stage: Import, Class: Test, Also: Env, From: Platform,
		Title: "This version of pytest, or of a plugin, refuses what the tests do",
		Steps: []string{
			"Compare the installed version of pytest with that of the last good run: what only warned before is an error now.",
			"Change the tests as the message says: take the mark off the fixture, use the argument's or hook's new name, return nothing from a test.",
			"Until then hold the version back in the requirements; the kernels are not at fault.",
		},
		Any: []Pattern{
			{Line: `Marks cannot be applied to fixtures|^pytest\.Pytest\w+Warning: |yield tests were removed in pytest|[Ff]ixture '?\w+'? .*(was|is) removed in pytest`},
			{Line: `unknown hook '?pytest_\w+'?|The \(\S+: py\.path\.local\) argument|py\.path\.local\) argument is deprecated`},
			{Line: `AttributeError: module '_?pytest[\w.]*' has no attribute|ImportError: cannot import name '\w+' from '_?pytest\b`},
			{Line: `AttributeError: '(Function|Package|Module|Session|Config|FixtureRequest|FixtureManager|Item|Class|Dir)' object has no attribute '\w+'`, Near: `\b_?pytest(_\w+)?/|\bconftest\.py`, Within: 6},
			{Line: `TypeError: .*\bgot an unexpected keyword argument '\w+'`, Near: `/_pytest/\S+\.py:\d+|/pytest_\w+/\S+\.py:\d+|File "[^"]*/(_pytest|pytest_\w+)/`, Within: 3},
			{Line: `^Failed: Expected None, but \S+ returned|[Ss]upport for nose tests .*removed|exceptions must be derived from Warning, not <class 'NoneType'>`},
			{Line: `requires pytest(>=|-)\d\S*, (but |actual )|'minversion'|\bminversion\b.*requires pytest`},
		},
		Context:  `^(\S*/)?tests?/\S+\.py:\d+: in |^ERROR \S+\.py\b`,
		Example:  "_____ ERROR collecting tests/ops/test_bmm.py _____\nE   Failed: Marks cannot be applied to fixtures.",
		NearMiss: "PytestDeprecationWarning: Marks on fixtures are deprecated",
	},
	{
		ID: "S-I14", Stage: Import, Class: Test, Also: InProcess, Unless: []string{"S-I46", "S-I38"}, From: Platform,
		Title: "pytest was called or configured wrongly: an option, a path, a marker or a setting",
		Steps: []string{
			"Correct the command or the configuration that the message names.",
			"No test has run: there is no result.",
		},
		Any: []Pattern{
			{Line: `error: (unrecognized arguments|argument \S+: |the following arguments are required)`},
			{Line: `ERROR: ((file or directory )?not found: |found no collectors for |Wrong expression passed to )`},
			// Whatever ends pytest itself is printed so, the worker's crash included.
			{Line: `^INTERNALERROR> .*(Error|Exception)\b`, Rank: General},
			{Line: `'\w+' not found in .markers. configuration option`},
			{Line: `option names? \{?'-\S+?'.* already added|ArgumentError: argument \S+: conflicting option string|Plugin( name)? already registered`},
			{Line: `execnet\S*DumpError|Unknown config option: |Defining .pytest_plugins. in a non-top-level conftest`},
			{Line: `(pluggy|pytest)\S*\.(PluginValidationError|UsageError)\b`},
		},
		Example:  "ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]\npytest: error: unrecognized arguments: --print-record",
		NearMiss: "PytestUnknownMarkWarning: Unknown pytest.mark.slow - is this a typo?",
	},
	{
		ID: "S-I15", Stage: Import, Class: Host, Also: Test, Rank: General, Unless: []string{"S-C70"}, From: Platform,
		Title: "Python code of the repository raised an error of its own",
		Steps: []string{
			"Go to the file and line that the traceback ends in and read the error above it.",
			"If it lies below src/tilegym, the wrapper is wrong; if below tests, the test is.",
		},
		Any: []Pattern{
			{Line: `^(.*/)?src/tilegym/\S+\.py:\d+: ` + codingError + `$`},
			{Line: `^(.*/)?tests/\S+\.py:\d+: ` + codingError + `$`, Class: Test, Also: Host},
			{Line: `^` + codingError + `: `, Near: `File "[^"]*/tilegym/[^"]*\.py", line \d+`, Within: 8},
			{Line: `^` + codingError + `: `, Near: `^(.*/)?src/tilegym/\S+\.py:\d+: in `, Within: 2},
			{Line: `^` + codingError + `: `, Near: `^(.*/)?tests/\S+\.py:\d+: in `, Within: 2, Class: Test, Also: Host},
		},
		Context:  `^` + codingError + `: `,
		Example:  "E   TypeError: _softmax() missing 1 required positional argument: 'dim'\n\nsrc/tilegym/ops/cutile_rs/softmax.py:61: TypeError",
		NearMiss: "src/tilegym/backend/cutile_rs/utils.py:370: RuntimeError",
	},
	{
		ID: "S-I16", Stage: Import, Class: Host, Also: InProcess, Rules: []string{"R17", "R33"}, From: Platform,
		With:  []string{"S-I02", "S-C01", "S-C02", "S-C04", "S-C06", "S-C07", "S-C09", "S-C14", "S-C18", "S-C21", "S-R02", "S-R12", "S-I21", "S-J31", failedCase},
		Title: "The library under test is older than the sources",
		Steps: []string{
			"Build the library from this commit, and take the sources into the cache's key.",
			"Do not build only when the file is missing: a cache by prefix brings the file of another commit.",
			"Judge the failing cases again with the new library.",
		},
		Any: []Pattern{
			{Line: `Cache (hit for restore-key|restored from key): `, Near: `CUTILE_RS_AUTOBUILD[=:] ?0\b`, Within: 46},
			{Line: `(using|with|keeping|reusing) (the )?(previous|old|existing|stale|prebuilt) lib\w+\.so`},
			{Line: `\blib\w+\.so\b.*\b(built|mtime|modified|dated)\b.*\b(before|older|earlier)\b`},
			{Line: `\blib\w+\.so\b.*\bversion \S+.*\b(package|expected|sources?|crate) version\b|\b(built|compiled|cached)\b.*\bsources? (was |were )?(changed|modified|newer)\b|\bolder than (its|the) sources?\b`},
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
		ID: "S-I18", Stage: Import, Class: Host, Unless: []string{"S-I40"}, Rules: []string{"R35"}, From: Platform,
		Title: "Modules import each other in a circle",
		Steps: []string{
			"Move the import into the function that needs it, or the shared part into a module of its own.",
		},
		Any:     []Pattern{{Line: `most likely due to a circular import`}},
		Example: "E   ImportError: cannot import name 'bmm' from partially initialized module 'tilegym.ops.cutile_rs' (most likely due to a circular import)", NearMiss: "no circular import was found",
	},
	{
		ID: "S-I19", Stage: Import, Class: Env, Also: Infra, From: Platform,
		Title: "A library file is cut off, damaged or of another machine",
		Steps: []string{
			"Compare the file's size and checksum with what was built; load it again from there.",
			"See with `file` for which machine it was built.",
		},
		Any: []Pattern{
			// The kernel library is built from the change.
			{Line: `lib\w*kernels\w*\.so: (file too short|invalid ELF header|wrong ELF class|cannot read file data|ELF load command)`, Class: Host, Also: Env},
			{Line: `\.so\S*: (file too short|invalid ELF header|wrong ELF class|cannot read file data|ELF load command)`},
		},
		Example: "E   OSError: cannot load library 'libcutile_kernels.so': /src/libcutile_kernels.so: file too short", NearMiss: "libcutile_kernels.so: ELF 64-bit LSB shared object, x86-64",
	},
	{
		ID: "S-I20", Stage: Import, Class: Test, From: Platform,
		Title: "The test workers collected different tests",
		Steps: []string{
			"Look for a parameter list that comes from a set, a random choice, the time, or a folder's unsorted list.",
			"Sort it, or give the parameters fixed ids; no test has run.",
		},
		Any:      []Pattern{{Line: `Different tests were collected between gw\d+ and gw\d+`}},
		Example:  "Different tests were collected between gw0 and gw3. The difference is:\n--- gw0\n+++ gw3",
		NearMiss: "4 workers [412 items], the same tests were collected by gw0 and gw3",
	},
	{
		ID: "S-I21", Stage: Import, Class: Host, Rules: []string{"R35", "R32"}, From: Platform,
		Title: "The C declaration and the exported function differ",
		Steps: []string{
			"Compare the wrapper's cdef with the extern function in ffi.rs: number, order and width of the parameters.",
			"Values that arrive shifted follow from it: a device number or a stream that nobody passed, a return code without meaning.",
			"Build the library again, if the sources agree: the one that was loaded may be older.",
		},
		Any: []Pattern{
			{Line: `(cdef|declar\w+|_FFI_CDEF|[Pp]ython|wrapper)\b.*\b\d+ (param|arg)\w*.*\b(export\w*|extern|Rust|ffi\.rs|library|symbol|\.so)\b.*\b\d+\b`},
			{Line: `(export\w*|extern|Rust|ffi\.rs|library|symbol)\b.*\b\d+ (param|arg)\w*.*\b(cdef|declar\w+|_FFI_CDEF|[Pp]ython|wrapper)\b.*\b\d+\b`},
			{Line: `\b([Ss]ignature|ABI|[Pp]rototype|cdef|[Aa]rity)\b.*\b(mismatch|differs?|out of (step|sync)|disagree\w*|does not match)\b`, Near: `\bcutile_\w+|libcutile_\w+|ffi\.rs|_FFI_CDEF`, Within: 12},
			// A device number that no machine has stands where another parameter belongs.
			{Line: `[Ii]nvalid device (id|ordinal)\W{1,3}-?\d{4,}\b|Device::new\(-?\d{4,}\)|\bdevice_id ?[=:] ?-?\d{4,}\b`},
		},
		Example:  "cutile-rs: invalid device id: 1065353216\nRuntimeError: cutile_bmm failed (rc=-4): device init failed",
		NearMiss: "cutile-rs: invalid device id: 8\nRuntimeError: cutile_bmm failed (rc=-4): device init failed",
	},
	{
		ID: "S-I22", Stage: Import, Class: Env, Also: Host, Unless: []string{"S-I39", "S-I40"}, From: Platform,
		Title: "A package has another version than the code expects",
		Steps: []string{
			"Compare the installed version of the package that the message names with what the requirements ask for.",
			"If the change uses something newer, raise the requirement with it.",
			"If it is the repository's own package, an installed copy hides the checkout: install with `-e`, or remove the copy.",
		},
		Any: []Pattern{
			{Line: `ImportError: cannot import name .* from '` + thirdParty + `\b`, Not: `circular import`},
			{Line: `AttributeError: module '` + thirdParty + `[\w.]*' has no attribute|was removed in the NumPy \S+ release`},
			{Line: `ModuleNotFoundError: No module named '(torch|triton|numpy|transformers)\.\w`, Not: `\._C'`},
			{Line: `ImportError: cannot import name .*\(\S*/(site|dist)-packages/`, Not: `circular import`},
			{Line: `this is the 'cffi' package version .* we get version`},
			{Line: `\b(pkg_resources\.\w*|importlib\.metadata\.)?(VersionConflict|DistributionNotFound|PackageNotFoundError)\b`},
			{Line: `DlSym \{ desc: "[^"]*lib(nvrtc|cublas|cublasLt|cudnn|cudart|curand|cusparse|cusolver|nccl)\S*: undefined symbol: `},
			{Line: `RuntimeError: operator \S+ does not exist`},
		},
		Example:  "E   ImportError: cannot import name 'TensorDescriptor' from 'triton.tools.tensor_descriptor' (/opt/venv/triton/tools/tensor_descriptor.py)",
		NearMiss: "E   ImportError: cannot import name 'bnm' from 'tilegym.ops' (src/tilegym/ops/__init__.py)",
	},
	{
		ID: "S-I24", Stage: Import, Class: Host, Also: Test, From: Platform,
		Title: "An operator is registered with PyTorch twice, or not at all",
		Steps: []string{
			"See which import registers it: two modules or two copies of the library may.",
			"If it is missing, import or load the library before the first use.",
		},
		Any:      []Pattern{{Line: `Tried to register an operator|[Oo]nly a single TORCH_LIBRARY can be used to register|There was already a kernel registered|'_OpNamespace' '\w+' object has no attribute|There are no registered operators? (with|for)|Couldn't find an operator for `}},
		Example:  "AttributeError: '_OpNamespace' 'tile' object has no attribute 'softmax'",
		NearMiss: "registered operator tile::softmax once",
	},
	{
		ID: "S-I25", Stage: Import, Class: Env, Also: Host, Rank: Specific, From: Platform,
		Title: "A compiled extension was built for another Python, PyTorch or NumPy",
		Steps: []string{
			"Build the extension again with the interpreter and the PyTorch of this run.",
			"If a wheel brings it, take the one for these versions; take them into the cache's key.",
		},
		Any: []Pattern{
			{Line: `undefined symbol: (_ZN\d*K?\d+(c10|at|torch|caffe2)|_?Py[A-Z_]\w+|_ZNK?\d+(c10|torch|at)\d)`, Not: `\b(lld|ld|mold|gold): `},
			{Line: `Python version mismatch: module was compiled for|was compiled for Python \S+, but|No module named '\w+(\.\w+)*\._C'|bad magic number in '`},
			{Line: `A module that was compiled using NumPy 1\.x cannot be run in|numpy\.dtype size changed, may indicate binary incompatibility|RuntimeError: Numpy is not available`},
		},
		Example:  "ImportError: /src/tile/_C.abi3.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationE",
		NearMiss: "symbols of _C.abi3.so: 412, none undefined",
	},
	{
		ID: "S-I26", Stage: Import, Class: Env, Also: Host, From: Platform,
		Title: "A module is gone from this version of Python or setuptools",
		Steps: []string{
			"Use a Python or setuptools in which it still exists, or raise the package that imports it.",
			"The traceback's last file names that package.",
		},
		Any:      []Pattern{{Line: `No module named '(setuptools\.\w+|distutils|imp|pkg_resources|asynchat|asyncore|cgi|crypt|pipes|telnetlib)\b`}, {Line: `module 'pkgutil' has no attribute 'ImpImporter'|cannot import name '\w+' from 'collections'|module 'inspect' has no attribute 'getargspec'`}},
		Example:  "E   ModuleNotFoundError: No module named 'pkg_resources'",
		NearMiss: "setuptools 82.0.1 (without pkg_resources)",
	},
	{
		ID: "S-I27", Stage: Import, Class: Test, Also: Env, Rank: Weak, From: Platform,
		Title: "A warning counts as an error in this run",
		Steps: []string{
			"Read who warns: a library that was raised warns of what it will drop.",
			"Change the call as the warning says, or except this one warning in the configuration.",
		},
		Any:      []Pattern{{Line: `^(Pending)?(Deprecation|Future|User|Runtime|Syntax|Resource)Warning: `, Near: `filterwarnings|-W ?error|^(FAILED|ERROR) \S+.* - \w*Warning: `, Within: 46}, {Line: `^(FAILED|ERROR) \S+\.py\S* - (Pending)?(Deprecation|Future|User|Runtime|Syntax|Resource)Warning: `}},
		Example:  "E   DeprecationWarning: the jit module is deprecated\nFAILED tests/ops/test_bmm.py::test_op - DeprecationWarning: the jit module is deprecated",
		NearMiss: "tests/ops/test_bmm.py:12: DeprecationWarning: the jit module is deprecated\n1 passed, 1 warning in 1.20s",
	},
	{
		ID: "S-I28", Stage: Import, Class: InProcess, Also: Env, From: Platform,
		Title: "The job's locale is not UTF-8, or does not exist in the image",
		Steps: []string{
			"Set `LC_ALL=C.UTF-8` or `PYTHONUTF8=1` in the job.",
			"Open files with their encoding named.",
		},
		Any:      []Pattern{{Line: `Unicode(De|En)codeError: '(ascii|latin-1)' codec|locale\.Error: unsupported locale setting`}},
		Example:  "UnicodeDecodeError: 'ascii' codec can't decode byte 0xe2 in position 12: ordinal not in range(128)",
		NearMiss: "LC_ALL=C.UTF-8, codec utf-8",
	},
	{
		ID: "S-I29", Stage: Import, Class: Env, Also: InProcess, Unless: []string{"S-R19", "S-R20", "S-R21"}, From: Platform,
		With:  []string{"S-R18", "S-X12", "S-I07", "S-I06"},
		Title: "PyTorch was installed without CUDA",
		Steps: []string{
			"Install it from the index of the CUDA version that the runner has; drop the CPU index from this job.",
			"See which requirement or which strategy of the installer chose the build for the CPU.",
			"Let the job fail at once when `torch.cuda.is_available()` is false.",
		},
		Any:      []Pattern{{Line: `\d(\+cpu|%2Bcpu)\b`, Near: `\btorch\b`, Within: 1}, {Line: `/whl/cpu/torch-|Torch not compiled with CUDA enabled`}},
		Example:  " + torch==2.12.0+cpu\nSKIPPED [56] tests/conftest.py:22: needs CUDA",
		NearMiss: " + torch==2.12.0+cu130\nSKIPPED [56] tests/conftest.py:22: needs CUDA",
	},
	{
		ID: "S-I30", Stage: Import, Class: Host, Also: Env, Rules: []string{"R32"}, From: Rustc,
		With:  []string{"S-I02", "S-I03", "S-I15", failedCase},
		Title: "The generator of the bindings left exported functions out",
		Steps: []string{
			"Raise cbindgen, or the tool that brings it: an old one does not know `#[unsafe(no_mangle)]`.",
			"Compare the generated header with the library's symbols: there they are.",
		},
		Any:      []Pattern{{Line: `cbindgen\S*:? .*\b[Ss]kip\w*\b|\bbindings?\b.*\(0 functions\b|\b0 (functions|exports) (were )?(found|declared|generated|exported)\b`}},
		Example:  "cbindgen: WARN: Skip ffi::tl_norm - (not `no_mangle`).\nAttributeError: cffi library 'libtl.so' has no function, constant or global variable named 'tl_norm'",
		NearMiss: "cbindgen: 4 functions\nAttributeError: cffi library 'libtl.so' has no function, constant or global variable named 'tl_norm'",
	},
	{
		ID: "S-I31", Stage: Import, Class: Host, Rules: []string{"R35", "R32"}, From: Platform,
		With:  append([]string{"S-R06", "S-R24", "S-R39", "S-R62"}, wrongValues...),
		Title: "A pointer is cut to 32 bits on its way into the library",
		Steps: []string{
			"Declare the argument's type on the Python side: without `argtypes` ctypes passes an int of 32 bits.",
			"Take 64-bit integers or pointers for addresses and streams in the C declaration and in ffi.rs.",
			"Look at the other arguments of the call as well: what follows a narrow one is shifted.",
		},
		Any:      []Pattern{{Line: `\b([Pp]ointer|[Aa]ddress|[Hh]andle)\b.*\b(truncated|cut|narrowed)\b.*\b(32|int)\b`}},
		Example:  "ffi: x=0x7f3c40000000 received x=0x40000000\nE   RuntimeError: CUDA error: an illegal memory access was encountered",
		NearMiss: "ffi: x=0x7f3c40000000 received x=0x7f3c40000000\nE   RuntimeError: CUDA error: an illegal memory access was encountered",
	},
	{
		ID: "S-I32", Stage: Import, Class: Env, Also: InProcess, From: Platform,
		Title: "A program or library was built on a newer system than the one that it runs on: its glibc is too old",
		Steps: []string{
			"Compare the image that built it with the one that loads it: the version in the message is the least that it needs (`ldd --version` shows what there is).",
			"Build it on the oldest system that is to run it, or raise the image of the job that loads it.",
			"If the message names the runner's own node, the job's container is older than the actions need: take a newer container image.",
			"If a cache or an artifact brought it, take the image's name into the key.",
		},
		Any: []Pattern{
			// No action runs without the runner's node: later steps fail for want of their files.
			{Line: "^/\\S*/node\\d*(_\\w+)?/bin/node: .*version `?GLIBC_[\\d.]+'? not found", Rank: Root},
			{Line: "version `?GLIBC_[\\d.]+'? not found"},
		},
		Context:  `^(PRETTY_NAME=|ldd \()|builder=`,
		Example:  "OSError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.39' not found (required by libcutile_kernels.so)",
		NearMiss: "libcutile_kernels.so needs GLIBC_2.34 at most",
	},
	{
		ID: "S-I33", Stage: Import, Class: Env, Unless: []string{"S-I32"}, From: Platform,
		Title: "The libstdc++ that is loaded is older than the one that a library was built with",
		Steps: []string{
			"See which libstdc++ the message names: one of a conda environment or of LD_LIBRARY_PATH may hide the system's newer one.",
			"Raise it there (`libstdcxx-ng` in conda), or take that folder off the loader's path; else build with the older compiler.",
		},
		Any:      []Pattern{{Line: "version `?(GLIBCXX|CXXABI)_[\\d.]+'? not found"}},
		Example:  "ImportError: /opt/conda/lib/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by /opt/venv/lib/tile/_C.so)",
		NearMiss: "/opt/conda/lib/libstdc++.so.6 has GLIBCXX_3.4.32",
	},
	{
		ID: "S-I34", Stage: Import, Class: Infra, Also: Env, From: Platform,
		Title: "A compile cache lies on a network file system, or several jobs share it: writers and readers race",
		Steps: []string{
			"Point the cache (TRITON_CACHE_DIR, TORCHINDUCTOR_CACHE_DIR, TORCH_EXTENSIONS_DIR, HOME for the defaults) at a disk of the machine, a folder for each job.",
			"Do not share it between workers or hosts: a file system of the network shows renames and removals late, or refuses them.",
			"Run the job again; the kernels are not at fault.",
		},
		Any: []Pattern{
			{Line: `(OSError: \[Errno (16|39|116)\]|Device or resource busy|Directory not empty|Text file busy).*` + kernelCache},
			{Line: kernelCache + `.*(Device or resource busy|Directory not empty|Text file busy)`},
			{Line: `Stale file handle.*` + kernelCache + `|` + kernelCache + `.*Stale file handle`, Rank: Root},
			{Line: `FileNotFoundError: \[Errno 2\] No such file or directory: '\S*(` + kernelCache + `\S*|\.(ttir|ttgir|llir)')`},
			{Line: `(ImportError|OSError): \S*` + kernelCache + `\S*: cannot (open|stat) shared object`},
		},
		Context:  `\b(nfs4?|lustre|cifs|ceph|beegfs|gpfs|9p|fuse\.\w+)\b`,
		Example:  "E   OSError: [Errno 16] Device or resource busy: '/mnt/shared/triton-cache/KQ4T/tmp.pid_41873_5d0e'",
		NearMiss: "TRITON_CACHE_DIR: /mnt/shared/triton-cache (nfs4), 412 entries",
	},
	{
		ID: "S-I35", Stage: Import, Class: Env, Also: InProcess, From: Platform,
		Title: "A CUDA library of another version is loaded than PyTorch was built with: LD_LIBRARY_PATH puts a toolkit, its CUPTI or its stubs first",
		Steps: []string{
			"Take the toolkit's folders out of LD_LIBRARY_PATH for what runs PyTorch, `lib64/stubs` above all: the wheels bring their own libraries.",
			"If the toolkit is needed beside, put its folders last, and of the same CUDA version as PyTorch's (`torch.version.cuda`).",
			"See with `LD_DEBUG=libs` which file is taken; if it is a wheel's, install the `nvidia-*` wheels in the versions that torch asks for.",
		},
		Any: []Pattern{
			{Line: `\.so[\d.]*: undefined symbol: (__nvJitLink\w+|cublasLt\w+|cudnn\w+|nccl[A-Z]\w+|cusparse\w+|cupti\w+|nvrtc\w+)|symbol (__nvJitLink\w+|cublasLt\w+|cudnn\w+|nccl[A-Z]\w+),? version \S+ not defined`},
			{Line: `LD_LIBRARY_PATH\b.*/(stubs|extras/CUPTI)\b`, With: []string{"S-R14", "S-R64"}},
		},
		Example:  "ImportError: /opt/venv/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12",
		NearMiss: "LD_LIBRARY_PATH: /usr/local/cuda/extras/CUPTI/lib64",
	},
	{
		ID: "S-I36", Stage: Import, Class: Env, Also: InProcess, Unless: []string{"S-B44"}, From: Platform,
		Title: "The program has instructions that the processor of this machine does not know",
		Steps: []string{
			"Compare the machine that built it with the one that ran it (`lscpu`): a build for `target-cpu=native` or `-march=native` runs only on processors like its own.",
			"Build for a plain level (`x86-64-v2` or v3), or take the processor's model into the cache's key.",
			"If a package from the index does it, it wants AVX or more: use another runner.",
		},
		Any: []Pattern{
			{Line: `\(signal: 4, SIGILL|Illegal instruction +\(core dumped\)|Fatal Python error: Illegal instruction|\bSIGILL\b.*(illegal instruction|core dumped)|died with <Signals\.SIGILL|exit(ed with)? (code|status):? 132\b|CPU (does not support|doesn.t support|lacks) (x86[-_]64[-_]v\d|AVX\w*|avx\w*)|CPU ISA level is lower than required`},
		},
		Context:  `target-cpu=native|march=native|Cache (hit|restored)|Model name:`,
		Example:  "error: failed to run custom build command for `tile-sys v0.2.0`\n  process didn't exit successfully: `/src/target/release/build/tile-sys-9/build-script-build` (signal: 4, SIGILL: illegal instruction)",
		NearMiss: "RuntimeError: CUDA error: an illegal instruction was encountered",
	},
	{
		ID: "S-I37", Stage: Import, Class: Test, From: Platform,
		Title: "A test's fixtures or parameters are wrong, so it is not collected or set up",
		Steps: []string{
			"Correct what the message names: the fixture's name or scope, or the list of parameters and their names.",
			"If the fixture is of a plugin or of another conftest, install it or move it up.",
			"The kernels are not at fault: the test has not run.",
		},
		Any: []Pattern{
			{Line: `fixture '\w+' not found|^ScopeMismatch: |Failed: ScopeMismatch|Fixtures? \"\w+\" called directly|recursive dependency involving fixture|duplicate parametrization of|in \"parametrize\" the number of names|function uses no (argument|fixture) '|duplicate '\w+'$|fixture function has already been|indirect fixture '`},
		},
		Example:  "E       fixture 'dtype' not found\n>       available fixtures: backend, device",
		NearMiss: "fixtures used: dtype, backend, device",
	},
	{
		ID: "S-I38", Stage: Import, Class: InProcess, Also: Env, From: Platform,
		Title: "A pytest plugin that the command or the configuration needs is not installed",
		Steps: []string{
			"Install the plugin that the option or the message speaks of: pytest-timeout for `--timeout`, pytest-xdist for `-n`, pytest-cov for `--cov`, pytest-rerunfailures for `--reruns`, pytest-forked, pytest-asyncio.",
			"Install the test requirements in the same environment that runs pytest.",
			"No test has run: there is no result.",
		},
		Any: []Pattern{
			{Line: `error: unrecognized arguments: (.* )?(--timeout|-n ?\d|-n ?auto|--dist|--cov|--reruns|--forked|--maxprocesses|--benchmark|--html|--json-report|--random-order|--splits|--shard|--asyncio|--mpl)\b`},
			{Line: `Missing required plugins: |Error importing plugin "|async def functions are not natively supported|need to install a suitable plugin for your async`},
		},
		Example:  "ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]\npytest: error: unrecognized arguments: --timeout=300",
		NearMiss: "plugins: timeout-2.4.0, xdist-3.8.0",
	},
	{
		ID: "S-I39", Stage: Import, Class: InProcess, Also: Host, From: Platform,
		Title: "The code uses syntax or typing that this Python is too old for",
		Steps: []string{
			"Compare the job's Python with what the package asks for (`requires-python`): raise the job's, or the matrix's lowest one.",
			"If the old version is to be kept, write it otherwise: `from __future__ import annotations`, `Optional[..]`, no `match`.",
			"The kernels are not at fault.",
		},
		Any: []Pattern{
			{Line: `TypeError: unsupported operand type\(s\) for \|: |TypeError: 'type' object is not subscriptable|ImportError: cannot import name '\w+' from 'typing'|No module named 'tomllib'|SyntaxError: f-string: `},
			{Line: `^SyntaxError: (invalid syntax|expected)`, Near: `^(match \w.*:|case \w.*:|type \w+ ?=|except\* )`, Within: 4},
		},
		Context:  `^(platform |Python )|\.py:\d+: in <module>`,
		Example:  "E   TypeError: unsupported operand type(s) for |: 'torch._C._TensorMeta' and 'NoneType'",
		NearMiss: "TypeError: unsupported operand type(s) for +: 'Tensor' and 'NoneType'",
	},
	{
		ID: "S-I40", Stage: Import, Class: InProcess, Also: Host, From: Platform,
		Title: "A folder or file of the checkout hides an installed package of the same name",
		Steps: []string{
			"Look at the path in the message: it lies in the checkout, not in site-packages.",
			"Rename it, or do not start Python in that folder: `python -P`, `--import-mode=importlib` for pytest, a src layout.",
			"If the folder is the sources of a compiled package, install that package and run the tests from elsewhere.",
		},
		Any: []Pattern{
			{Line: `partially initialized module '(torch|triton|numpy|cuda|cffi|cupy|pytest|transformers|random|types|inspect|logging|tokenize|queue|select|statistics)\b[\w.]*'.*circular import`, Not: `(site|dist)-packages`},
			{Line: `cannot import name '\w+' from '(torch|triton|numpy|cuda|cffi|cupy|pytest|transformers)[\w.]*' \(unknown location\)|since it has the same name as the (standard library|third-party) module|AttributeError: module 'torch' has no attribute '(Tensor|nn|cuda)'|Error importing numpy: you should not try to import numpy from its source directory|Failed to load PyTorch C extensions`},
		},
		Example:  "/src/triton/__init__.py:1: in <module>\nE   ImportError: cannot import name 'jit' from partially initialized module 'triton.runtime' (most likely due to a circular import) (/src/triton/runtime/__init__.py)",
		NearMiss: "E   ImportError: cannot import name 'jit' from 'triton.runtime' (/opt/venv/lib/python3.12/site-packages/triton/runtime/__init__.py)",
	},
	{
		ID: "S-I41", Stage: Import, Class: Host, From: Platform,
		Title: "The extension has no start function of the name by which it is imported",
		Steps: []string{
			"Give the module in Rust or C the name of the file: `#[pymodule] fn NAME`, `PyInit_NAME`, and `module-name` for maturin.",
			"If the names agree, an old or foreign file of that name is imported: remove it and build again.",
		},
		Any: []Pattern{
			{Line: `dynamic module does not define (module export|init) function|[Cc]ouldn.t find the symbol .?PyInit_\w+|PyInit_\w+.? (was )?not found`},
		},
		Example:  "E   ImportError: dynamic module does not define module export function (PyInit__opforge)",
		NearMiss: "warning: PyInit__opforge is exported",
	},
	{
		ID: "S-I42", Stage: Import, Class: Env, Also: Host, From: Platform,
		Title: "A library with static thread-local storage is loaded too late",
		Steps: []string{
			"Import first what brings the library that the message names (libgomp comes with torch and with scikit-learn), or name it in LD_PRELOAD.",
			"Keep one copy of it: see which packages bring their own.",
		},
		Any: []Pattern{
			{Line: `cannot allocate memory in static TLS block|cannot load any more object with static TLS`},
		},
		Example:  "E   ImportError: /opt/venv/lib/torch/lib/libgomp.so.1: cannot allocate memory in static TLS block",
		NearMiss: "libgomp.so.1: TLS segment of 64 bytes",
	},
	{
		ID: "S-I43", Stage: Import, Class: InProcess, Also: Infra, From: Platform,
		Title: "CUDA_VISIBLE_DEVICES names a GPU or MIG slice that this machine does not have",
		Steps: []string{
			"Compare the value with `nvidia-smi -L`: identifiers of MIG slices change when the slices are made anew, and numbers count from 0 within what the container sees.",
			"Take the value from the scheduler or the runner's own settings, not from the workflow.",
			"The change is not at fault.",
		},
		Any: []Pattern{
			{Line: `\bCUDA_VISIBLE_DEVICES\W{1,3}(MIG-|GPU-)\w`, With: []string{"S-R18"}},
			{Line: `invalid device ordinal`, Near: `\bCUDA_VISIBLE_DEVICES\W{1,3}[1-9]\d*$`, Within: 45},
		},
		Example:  "CUDA_VISIBLE_DEVICES: MIG-77aa0d12-41c9-5f0a-9f1e-aa21cdefa001\nE   RuntimeError: No CUDA GPUs are available",
		NearMiss: "CUDA_VISIBLE_DEVICES: 0\nE   RuntimeError: No CUDA GPUs are available",
	},
	{
		ID: "S-I44", Stage: Import, Class: Infra, Also: InProcess, From: Platform,
		Title: "A process waits for the lock of an extension or kernel build that an earlier, killed process left",
		Steps: []string{
			"Remove the lock file in the extension's build folder (TORCH_EXTENSIONS_DIR, by default below ~/.cache/torch_extensions) on the runner.",
			"Give each job a fresh folder: PyTorch's lock is a plain file, which stays when its owner is killed, and the wait has no end.",
			"Run the job again; no test is at fault for the time that ran out.",
		},
		Any: []Pattern{
			{Line: `file_baton\.py", line \d+,? in wait|FileBaton\b.*\b(wait|stale|lock)|/filelock/\S+\.py", line \d+,? in acquire`},
		},
		Example:  "Timeout (0:05:00)!\n  File \"/opt/venv/lib/python3.12/site-packages/torch/utils/file_baton.py\", line 50 in wait",
		NearMiss: "Timeout (0:05:00)!\n  File \"/src/opforge/queue.py\", line 50 in wait",
	},
	{
		ID: "S-I45", Stage: Import, Class: Env, Also: Host, From: Platform,
		Title: "A library of CUDA is not there in this version: the package is for another version of CUDA, or nothing brings it",
		Steps: []string{
			"Compare the number in the library's name with what there is (`torch.version.cuda`, `pip list | grep nvidia`): the package wants that major version.",
			"Install the package's wheel for this CUDA, from the index that has it; or build it here.",
			"If nothing brings the library at all, install the `nvidia-*` wheel or the toolkit's package that has it.",
		},
		Any: []Pattern{
			{Line: `\blib(cudart|cublas|cublasLt|cudnn\w*|nvrtc|cusparse|cusolver|curand|cufft|nvJitLink|cupti|nvToolsExt)\.so\.\d[\d.]*: cannot open shared object`},
		},
		Example:  "E   ImportError: libcudart.so.12: cannot open shared object file: No such file or directory",
		NearMiss: "libcudart.so.12 => /opt/venv/lib/libcudart.so.12",
	},
	{
		ID: "S-I46", Stage: Import, Class: Host, Also: Env, From: Platform,
		Title: "pytest's workers could not be started: something else writes to their standard output, or ends them, as they begin",
		Steps: []string{
			"Start the interpreter with nothing to do (`python -c pass`): what it prints comes from a `sitecustomize`, a `.pth` file or a plugin, and must go to standard error.",
			"If nothing is printed, see whether the worker ended: start one by hand with the same environment.",
			"No test of this step has run: there is no result.",
		},
		Any: []Pattern{
			{Line: `AssertionError: b['"]`, Near: `gateway_bootstrap|bootstrap_import|bootstrap_exec`, Within: 4},
			{Line: `EOFError: (couldnt|couldn't|could not) load message header|EOFError: expected \d+ bytes, got 0`, Near: `xdist|execnet|INTERNALERROR`, Within: 8},
		},
		Example:  "INTERNALERROR>   File \"/opt/venv/lib/python3.12/site-packages/execnet/gateway_bootstrap.py\", line 37, in bootstrap_import\nINTERNALERROR> AssertionError: b'w'",
		NearMiss: "INTERNALERROR>   File \"/src/plugin.py\", line 37, in pytest_configure\nINTERNALERROR> AssertionError: b'w'",
	},
}

// thirdParty are packages that are not of the repository.
const thirdParty = `(torch|triton|cuda|cupy|numpy|cffi|pytest|_pytest|transformers|tokenizers|huggingface_hub|flash_attn|pandas|jinja2|setuptools|typing_extensions)`

// codingError are Python's errors that a mistake in the code raises.
const codingError = `(TypeError|ValueError|NameError|AttributeError|KeyError|IndexError|UnboundLocalError|ZeroDivisionError|RecursionError)`

// kernelCache is a part of the path of a cache that holds compiled kernels.
const kernelCache = `(triton[-_./]?cache|\.triton/|torchinductor|inductor[-_]cache|torch_extensions|torch_compile_cache|kernel[-_]cache|jit[-_]cache|cutile[-_]cache|flashinfer/|tvm-ffi/)`
