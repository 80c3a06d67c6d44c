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
			{Line: `\bsymbol '?\w+'? not found in library`},
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
		ID: "S-I11", Stage: Import, Class: Env, Also: Host, From: Platform,
		Title: "A Python package or a shared library is missing on the host, or does not fit it",
		Steps: []string{
			"Install what the message names, in the version that the others were built for.",
			"If the change uses it for the first time, add it to the requirements.",
		},
		Any: []Pattern{
			{Line: `ModuleNotFoundError: No module named '`, Not: `'(tilegym|tests)\b`},
			{Line: `(ImportError|OSError): .*\blib\S+\.so\S*: cannot open shared object file`, Not: `libcuda\.so|libnvidia-|libcutile_`},
			{Line: `error while loading shared libraries: `},
			{Line: "version `?(GLIBC|GLIBCXX|CXXABI)_[\\d.]+'? not found"},
			{Line: `(ImportError|OSError): .*\bundefined symbol: \w+`, Not: `undefined symbol: (cutile_|cu(Logs|Multicast|TensorMap|GreenCtx|Library|LaunchKernelEx|DevResource|DeviceGetHostAtomic|StreamGetDevice|Checkpoint|CoredumpGet|GetProcAddress_v2|EventElapsedTime_v2))`},
			{Line: `A module that was compiled using NumPy 1\.x cannot be run in|numpy\.dtype size changed, may indicate binary incompatibility|RuntimeError: Numpy is not available`},
			{Line: `git: '\S+' is not a git command`},
			{Line: `^[\w.+/-]+: command not found$`, Rank: Weak},
			{Line: `^(bash|sh|/bin/sh|/usr/bin/bash|/usr/bin/env): .*: (command )?(not found|No such file or directory)$`, Rank: Weak},
			{Line: `^(/\S+/)?(python3?|pytest|uv|docker|git|nm|gcc|cmake|ninja): (command )?not found$|Unable to locate executable file: |\[TileGym\] PyTorch is required`},
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
			{Line: `ImportError: cannot import name `, Not: `circular import| from '` + thirdParty + `\b`},
			{Line: `ModuleNotFoundError: No module named '(tilegym|tests)\b`},
			{Line: `^(SyntaxError|IndentationError|TabError): |ImportError: attempted relative import `},
			{Line: `AttributeError: (partially initialized )?module '(tilegym|tests)[\w.]*' has no attribute`},
			{Line: `^_* ?ERROR collecting `, Rank: General},
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
		ID: "S-I14", Stage: Import, Class: Test, Also: InProcess, From: Platform,
		Title: "pytest was called or configured wrongly",
		Steps: []string{
			"Correct the command or the configuration that the message names.",
			"No test has run: the result says nothing.",
		},
		Any: []Pattern{
			{Line: `error: (unrecognized arguments|argument \S+: |the following arguments are required)`},
			{Line: `fixture '\w+' not found`},
			{Line: `ERROR: ((file or directory )?not found: |found no collectors for |Wrong expression passed to )`},
			// Whatever ends pytest itself is printed so, the worker's crash included.
			{Line: `^INTERNALERROR> .*(Error|Exception)\b`, Rank: General},
			{Line: `'\w+' not found in .markers. configuration option`},
			{Line: `duplicate parametrization of|in "parametrize" the number of names`},
			{Line: `^ScopeMismatch: |Fixtures? "\w+" called directly|recursive dependency involving fixture|execnet\S*DumpError|Error importing plugin "|Unknown config option: |Defining .pytest_plugins. in a non-top-level conftest`},
			{Line: `(pluggy|pytest)\S*\.(PluginValidationError|UsageError)\b`},
			{Line: `function uses no (argument|fixture) '`},
		},
		Example:  "ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]\npytest: error: unrecognized arguments: --print-record",
		NearMiss: "PytestUnknownMarkWarning: Unknown pytest.mark.slow - is this a typo?",
	},
	{
		ID: "S-I15", Stage: Import, Class: Host, Also: Test, Rank: General, From: Platform,
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
		ID: "S-I22", Stage: Import, Class: Env, Also: Host, From: Platform,
		Title: "A package has another version than the code expects",
		Steps: []string{
			"Compare the installed version of the package that the message names with what the requirements ask for.",
			"If the change uses something newer, raise the requirement with it.",
		},
		Any: []Pattern{
			{Line: `ImportError: cannot import name .* from '` + thirdParty + `\b`, Not: `circular import`},
			{Line: `AttributeError: module '` + thirdParty + `[\w.]*' has no attribute`},
			{Line: `\b(pkg_resources\.\w*|importlib\.metadata\.)?(VersionConflict|DistributionNotFound|PackageNotFoundError)\b`},
			{Line: `DlSym \{ desc: "[^"]*lib(nvrtc|cublas|cublasLt|cudnn|cudart|curand|cusparse|cusolver|nccl)\S*: undefined symbol: `},
			{Line: `RuntimeError: operator \S+ does not exist|undefined symbol: _ZN\d*(K)?\d+(c10|at|torch)`},
		},
		Example:  "E   ImportError: cannot import name 'TensorDescriptor' from 'triton.tools.tensor_descriptor' (/opt/venv/triton/tools/tensor_descriptor.py)",
		NearMiss: "E   ImportError: cannot import name 'bnm' from 'tilegym.ops' (src/tilegym/ops/__init__.py)",
	},
}

// thirdParty are packages that are not of the repository.
const thirdParty = `(torch|triton|cuda|cupy|numpy|cffi|pytest|_pytest|transformers|tokenizers|huggingface_hub|flash_attn|pandas|jinja2|setuptools|typing_extensions)`

// codingError are Python's errors that a mistake in the code raises.
const codingError = `(TypeError|ValueError|NameError|AttributeError|KeyError|IndexError|UnboundLocalError|ZeroDivisionError|RecursionError)`
