package triage

// verdictLine is the line that ends the report of a stage.
const verdictLine = `^VERDICT: (PASS|PASS_WITH_NOTES|COMPILED|FAIL_COMPILE|FAIL_FIXABLE|FAIL_COMPILER_BUG|ALL_PASS|FAIL|DONE|INVESTIGATE|FIXABLE|ALIGNED|BLOCKED)$`

// noUpload is what a step says that had nothing to hand on to other jobs.
const noUpload = `No files were found with the provided path: |no matching files\. Ensure that the artifact path|No files matched paths: `

// noRepository is harmless where a build asks for its revision and can do without.
const noRepository = `fatal: not a git repository`

// ownership is what git, and libgit2 in cargo, say of a work tree of another user.
const ownership = `detected dubious ownership in repository|fatal: unsafe repository|repository path '.*' is not owned by current user`

var processRows = []Row{
	{
		ID: "S-X02", Stage: Process, Class: InProcess, From: Rulebook,
		Title: "The correctness log does not come from pytest",
		Steps: []string{"Refuse the file: it lacks the header that pytest prints.", "Run the test file with pytest and keep its whole output."},
		File:  `^correctness_cutile_rs\.txt$`,
		Expect: []Expect{
			{Line: `^platform .* -- Python`, Min: 1},
			{Line: `^rootdir:`, Min: 1},
			{Line: `^plugins:`, Min: 1},
		},
		Example:  "all 24 cases passed",
		NearMiss: "platform linux -- Python 3.12.3, pytest-8.3.4, pluggy-1.5.0\nrootdir: .\nplugins: timeout-2.3.1\n24 passed",
	},
	{
		ID: "S-X01", Stage: Process, Class: InProcess, From: Rulebook,
		Title: "A stage's report has no usable verdict line",
		Steps: []string{
			"End the report with one verdict of the stage's list, on a line of its own.",
			"With a success, put the validator's output before it.",
		},
		File: `^agent_[a-f]\.md$`,
		Expect: []Expect{
			{Line: verdictLine, Min: 1},
			{When: `^VERDICT: (PASS|PASS_WITH_NOTES|COMPILED|ALL_PASS|DONE|ALIGNED)$`, Line: `<VALIDATOR_OUTPUT>`, Min: 1},
		},
		Example:  "Everything looks good.\nVERDICT: GOOD",
		NearMiss: "<VALIDATOR_OUTPUT>\nexit=0\n</VALIDATOR_OUTPUT>\nVERDICT: COMPILED",
	},
	{
		ID: "S-X03", Stage: Process, Class: InProcess, Rules: []string{"R39", "R49"}, From: Rulebook,
		Title: "A conversion without the later stages was blocked, or its build log tells of no attempt",
		Steps: []string{
			"Reports of stages that did not run are not expected: ignore their absence.",
			"Ask for the build log instead: every attempt, its first error, the snippet and the correction.",
		},
		File:    `^build_log\.md$`,
		Expect:  []Expect{{Line: `(?i)\b(attempt|iteration|cargo build)\b`, Min: 1}, {Line: "^```", Min: 1}},
		Example: "It compiled.", NearMiss: "## Attempt 1\ncargo build: error[E0061]\n```rust\naddf(a, b)\n```",
	},
	{
		ID: "S-X04", Stage: Process, Class: Infra, Rank: Weak, From: Rulebook,
		Title: "The perf log has no printed results",
		Steps: []string{
			"The public test configuration accepts `--print-record` and prints nothing: this check cannot pass there.",
			"Read the times from the JUnit records.",
		},
		Any:     []Pattern{{Line: `--print-record was not effective`}, {Line: `no 'Performance Test Results' found`}, {Line: `geomean.*expected exactly 1\b`}},
		Example: "FAIL: perf: no 'Performance Test Results' found — --print-record was not effective", NearMiss: "--print-record: accepted",
	},
	{
		ID: "S-X05", Stage: Process, Class: Kernel, Also: Host, Rank: General, From: Rustc,
		Title: "A Rust test failed",
		Steps: []string{
			"Read what the named test printed; the first panic is the cause.",
			"Run it alone with `cargo test NAME -- --nocapture`.",
		},
		Any:     []Pattern{{Line: `^test result: FAILED\. \d+ passed; [1-9]\d* failed`}, {Line: `^Summary \[.*\] +\d+(/\d+)? tests? run: .*\b(failed|timed out)\b|^error: test run failed`}, {Line: `^test \S+ \.\.\. FAILED$`}},
		Context: `^---- \S+ stdout ----$|\bpanicked at `,
		Example: "thread 'pipeline::bmm' panicked at tests/pipeline.rs:40:5:\nassertion `left == right` failed\ntest pipeline::bmm ... FAILED\ntest result: FAILED. 3 passed; 1 failed; 0 ignored", NearMiss: "test result: ok. 4 passed; 0 failed; 0 ignored",
	},
	{
		ID: "S-X06", Stage: Process, Class: InProcess, Also: Host, Rank: Root, From: TileGym,
		With:  []string{"S-I02", "S-I08", "S-I09", "S-I12", "S-I13"},
		Title: "The tests ran in an image or on a package that was not built from this commit",
		Steps: []string{
			"Set `build: true` in the CI configuration of the pull request's description, and run again.",
			"Compare the revision that the image names with the commit under test.",
		},
		Any: []Pattern{
			{Line: `Config: build=false|Parsed config from PR: .*'build': False`},
			{Line: `^=* ?(job: )?build-\S*(image|wheel)\S*: skipped`},
			{Line: `[Ii]mage (was )?(built|created) (from|at) .*(older|other|different|previous) commit|image is (stale|outdated)`},
		},
		Example:  "Config: build=false, run_ops=true, run_benchmark=false, run_sanity=false\nNotImplementedError: No backend implementation found for 'softmax' with backend 'cutile-rs'.",
		NearMiss: "Config: build=true, run_ops=true, run_benchmark=false, run_sanity=false\nNotImplementedError: No backend implementation found for 'softmax' with backend 'cutile-rs'.",
	},
	{
		ID: "S-X07", Stage: Process, Class: InProcess, Also: Infra, Rank: Root, From: Platform,
		With:  []string{"S-I01", "S-I02", "S-I06", "S-I07", "S-I08", "S-I11", "S-I14", "S-X12", "S-B25", "S-X04"},
		Title: "An artifact that the job needs is missing or has expired",
		Steps: []string{
			"Compare the name or pattern with those of the artifacts that the job before it made: where none fits, the step downloads nothing and passes.",
			"Make the artifact again, or build in this job.",
			"Let the step fail when there is nothing to download: what follows tests nothing.",
		},
		Any: []Pattern{
			{Line: `no valid artifacts found to download|no artifact matches any of the names|Total of 0 artifact\(s\) downloaded`},
			{Line: `[Aa]rtifact\b.*\b(has|have|is) (expired|missing)|Artifact not found for name|Unable to find any artifacts`},
			{Line: `Unable to download artifact\(s\): .*not found|Unable to find an artifact with the name|No artifacts found for downloading`},
		},
		Example:  "no valid artifacts found to download\nSKIPPED [48] tests/suites/test_bmm.py:41: Backend cutile-rs is not available",
		NearMiss: "Artifact download completed successfully.\nSKIPPED [48] tests/suites/test_bmm.py:41: Backend cutile-rs is not available",
	},
	{
		ID: "S-X08", Stage: Process, Class: InProcess, From: Platform,
		Title: "The sources are not formatted as the repository wants",
		Steps: []string{
			"Run the formatter that the job names and commit what it changes.",
		},
		Any: []Pattern{
			{Line: `^(Would reformat: |would reformat )|\bfiles? would be (reformatted|left unchanged)`, Not: `^\d+ files? would be left unchanged`},
			{Line: `^Diff in \S+\.rs(:\d+| at line \d+):`},
			{Line: `Imports are incorrectly sorted|\bI001 |file is not properly formatted|files were not properly formatted|(clang-format|prettier|rustfmt|black|ruff)\S*.*(check failed|not formatted|\bFailed$|\.Failed$)`},
			{Line: `files were modified by this hook`},
		},
		Example:  "Would reformat: src/tilegym/ops/cutile_rs/bmm.py\n1 file would be reformatted, 411 files already formatted",
		NearMiss: "412 files already formatted",
	},
	{
		ID: "S-X09", Stage: Process, Class: InProcess, From: TileGym,
		Title: "Files lack the licence header",
		Steps: []string{
			"Run `.github/scripts/check_spdx_headers.py --action write` and commit what it adds.",
		},
		Any:     []Pattern{{Line: `files are missing SPDX headers|\d+ file\(s\) missing headers|[Mm]issing (SPDX|[Ll]icen[cs]e|[Cc]opyright)[ -](header|identifier)`}},
		Context: `^\S+\.(py|rs|sh|toml|md)$`, ContextAfter: true,
		Example:  "The following files are missing SPDX headers:\n\n  src/tilegym/ops/cutile_rs/relu.py\n\n1 file(s) missing headers",
		NearMiss: "All files have SPDX headers",
	},
	{
		ID: "S-X10", Stage: Process, Class: InProcess, Also: Infra, Rank: Root, From: Platform,
		Title: "The run was cancelled for a newer one",
		Steps: []string{
			"Ignore this run and look at that of the newest commit.",
		},
		Any: []Pattern{
			{Line: `removed from the (merge )?queue`},
			{Line: `Canceling since a higher priority waiting request for`},
			{Line: `[Cc]ancel(l?ed|ing)\b.*\b(newer|more recent|superseded|new(er)? (commit|push|run))\b|[Ss]uperseded by (a )?(newer|run|commit)`},
		},
		Example:  "##[error]Canceling since a higher priority waiting request for tilegym-ci-refs/heads/pull-request/9 exists\n##[error]The operation was canceled.",
		NearMiss: "concurrency group: tilegym-ci-refs/heads/pull-request/9 (cancel-in-progress: true)",
	},
	{
		ID: "S-X11", Stage: Process, Class: InProcess, From: Platform,
		Title: "The workflow file, or what it calls, is wrong",
		Steps: []string{
			"Correct the workflow file, the action's version or the input that the message names.",
			"No test has run: the result says nothing about the change.",
		},
		Any: []Pattern{
			{Line: `Invalid workflow file|The workflow is not valid|Unrecognized (named-value|function|input)|\(Line: \d+, Col: \d+\): Unexpected value '|Unable to resolve action|Can't find 'action\.ya?ml'|File not found: '\S+/_actions/\S+'`},
			{Line: `Input required and not supplied: |HttpError: Not Found`, Not: `supplied: \S*([Tt]oken|[Pp]assword|[Ss]ecret|[Kk]ey)`},
			{Line: `uses a deprecated version of .|is not allowed to be used in |The template is not valid|You have an error in your yaml syntax|Unable to process file command|Matrix vector '[^']*' does not contain any values|Error when evaluating '|action is only supported on |Code scanning is not enabled|An error occurred trying to start process '.*No such file|Unable to find Node version|error parsing called workflow|is not supported on this runner\. Missing file|The artifact name is not valid|unexpected key "[^"]*" for "|No ref found for: |does not have 'workflow_dispatch' trigger`},
			{Line: `Cache folder path is retrieved for|^(Error: )?No file in \S+ matched to \[|No event triggers defined|HttpError: Validation Failed|^yaml: (unmarshal errors|line \d+: )|Unable to process command '|The workflow is requesting '|\(Line: \d+, Col: \d+\): '[^']*' is already defined|JavaScript Actions in Alpine containers|is not valid[.:].*Contains the following character:|The version '[^']*' with architecture '[^']*' was not found`},
		},
		Example:  "##[error]Unable to resolve action actions/checkout@v99, unable to find version v99",
		NearMiss: "Download action repository actions/checkout@v4",
	},
	{
		ID: "S-X12", Stage: Process, Class: InProcess, Also: Env, Rank: General, From: Platform,
		Title: "Every test was skipped",
		Steps: []string{
			"Read the reasons for the skips: a backend, a library or a GPU is missing.",
			"A run without one executed test is no pass: let the job demand a number of them.",
		},
		Any: []Pattern{
			{Line: `^(=+ )?\d+ skipped(, \d+ (warnings?|deselected))* in [0-9.]+s`},
			{Line: `\b0 tests? (were )?executed\b|executed=0\b`},
		},
		Context: `^SKIPPED `,
		Example: "==================== 164 skipped in 8.27s ====================", NearMiss: "==================== 3 passed, 161 skipped in 8.27s ====================",
	},
	{
		ID: "S-X13", Stage: Process, Class: InProcess, From: Platform,
		Title: "A rule of the repository about commits is not met",
		Steps: []string{
			"Do what the check asks: sign off, sign, rename, or let a maintainer approve.",
			"The change's code is not at fault.",
		},
		Any: []Pattern{
			{Line: `[Mm]issing (a )?(DCO|[Ss]igned-off-by|sign-?off)|sign-?off is missing|DCO check failed|Commits must have verified signatures`},
			{Line: `Skills content was modified (but|AFTER)|signatures are stale`},
			{Line: `\b(Environment|[Dd]eployment)\b.*\b(is protected|protection rules?)\b`},
			{Line: `is not allowed to deploy to|requires? (an )?(approv|additional vetting)|[Cc]ommit message does not (match|follow)|[Pp]ull request title .*(does not|must)|\b[Ll]abels? .*\b(is|are) (missing|required)|approving review is required|\bCLA\b.*\bnot (been )?signed|Contributor License Agreement.*\b(not|must|please)\b`},
			{Line: `\[(subject|type|header|body|scope|footer)-[a-z-]+\]$|[Nn]o ([Cc]hangelog|[Nn]ews) (entry|fragment)|[Cc]hangelog\b.*\b(missing|not updated|required)`},
			{Line: `remote: error: GH\d{3}: |pre-receive hook declined|protected branch hook declined|required status check .* is (expected|failing)`},
		},
		Example:  "Commit 0a1b2c3 is missing a Signed-off-by line\nDCO check failed",
		NearMiss: "DCO check passed",
	},
	{
		ID: "S-X14", Stage: Process, Class: InProcess, Also: Infra, From: Platform,
		Title: "The commit, branch or submodule that the job wants does not exist",
		Steps: []string{
			"See whether the branch was deleted or force-pushed, or a submodule points at a commit that was never pushed.",
			"Start the run anew from the newest commit.",
		},
		Any: []Pattern{
			{Line: `fatal: (couldn't find remote ref|reference is not a tree|bad object|remote error: upload-pack: not our ref|unable to read tree|invalid reference)|error: pathspec '.*' did not match`},
			{Line: `Server does not allow request for unadvertised object`},
			{Line: `submodule path .* did not contain [0-9a-f]{40}|Unable to checkout '[0-9a-f]+' in submodule path`, Rank: Root},
			{Line: `fatal: No url found for submodule path|Submodule .* (could not be|failed to)`},
		},
		Example:  "fatal: couldn't find remote ref refs/heads/pull-request/9",
		NearMiss: "HEAD is now at 0a1b2c3 cutile-rs: add relu",
	},
	{
		ID: "S-X15", Stage: Process, Class: Test, Also: InProcess, From: Platform,
		Title: "A test that is marked as failing passes",
		Steps: []string{
			"Take the mark away if the change mends what it was for; say so in the review.",
			"Else narrow the mark to the cases that fail.",
		},
		Any:     []Pattern{{Line: `\[XPASS\(strict\)\]`}},
		Example: "FAILED tests/ops/test_bmm.py::test_op[cutile_rs-1] - [XPASS(strict)] issue 41", NearMiss: "tests/ops/test_bmm.py::test_op[cutile_rs-1] XPASS",
	},
	{
		ID: "S-X16", Over: []string{unnamedError}, Stage: Process, Class: Test, Also: Host, Rank: General, LastResort: true, From: Platform,
		Title: "A test's own assertion failed",
		Steps: []string{
			"Read the assertion and the two values that pytest shows below it.",
			"See whether the change altered the test or what it looks at.",
		},
		Any:     []Pattern{{Line: `^(.*/)?tests/\S+\.py:\d+: AssertionError$`, Not: `tests/common\.py`}, {Line: `^Failed: DID NOT (RAISE|WARN)`}, {Line: `^FAILED \S+\.py::\S+ - (AssertionError: |assert )`}, {Line: `^AssertionError: expected .+ to (be|equal|have|match|contain)\b`}},
		Context: `^assert `,
		Example: "E   assert 3 == 4\n\ntests/ops/test_dump.py:41: AssertionError", NearMiss: "tests/common.py:366: AssertionError",
	},
	{
		ID: "S-X17", Stage: Process, Class: InProcess, From: Platform,
		Title: "A shell script of the job is wrong: line ends, syntax or mode",
		Steps: []string{
			"If the message shows `\\r` or `^M`, the file has line ends of Windows: convert it, and say so in .gitattributes.",
			"If it says permission denied, set the file's mode: `git update-index --chmod=+x`.",
			"Else correct the syntax at the named line; check that the step's shell is the one that the script is for.",
		},
		Any: []Pattern{
			{Line: `\$'\\r': command not found|\^M: bad interpreter|\\r'?: (No such file|not found)|: bad interpreter: `, Not: `bad interpreter: (No such file|\S*python)`},
			{Line: `: syntax error (near unexpected token|in conditional expression)|: syntax error: (unexpected|[Uu]nterminated)|: unexpected EOF while looking for matching`},
			{Line: `^exec \S+\.sh: no such file or directory$`},
			{Line: `(\./|/)\S+\.sh: Permission denied$|: [Bb]ad substitution$|: (\[\[|source|pushd|declare|shopt): not found$|invalid option name$`},
		},
		Example:  "./ci/run_ops.sh: line 2: $'\\r': command not found",
		NearMiss: "./ci/run_ops.sh: line 2: done",
	},
	{
		ID: "S-X18", Stage: Process, Class: InProcess, From: Platform,
		Title: "An artifact of this name exists already in the run",
		Steps: []string{
			"Give each job of a matrix its own artifact name, or let the upload overwrite.",
			"The tests' own results stand above: this step says nothing about them.",
		},
		Any:      []Pattern{{Line: `Failed to CreateArtifact: .*(\(409\)|already exists)|an artifact with this name already exists`}},
		Example:  "##[error]Failed to CreateArtifact: Received non-retryable error: Failed request: (409) Conflict: an artifact with this name already exists on the workflow run",
		NearMiss: "Artifact junit-results has been successfully uploaded!",
	},
	{
		ID: "S-X19", Over: []string{"S-B51", "S-I19", "S-I47", "S-X42"}, Stage: Process, Class: Infra, Also: InProcess, From: Platform,
		Title: "Git LFS did not give the files",
		Steps: []string{
			"If a program reads the pointer in place of the file, check out with `lfs: true`, or run `git lfs pull`; git-lfs must be installed.",
			"If the budget is used up, raise it or keep the files in the runner's cache.",
			"If an object is missing, push it from where it was committed: `git lfs push --all`.",
		},
		Any: []Pattern{
			{Line: `should have been pointers, but weren't|smudge filter lfs failed|[Gg]it LFS.*(budget|quota)|^version https://git-lfs\.github\.com/spec`},
			// A pointer begins with a v, which is byte 118.
			{Line: `invalid load key, 'v'|WeightsUnpickler error: Unsupported operand 118\b`, Class: InProcess, Also: Env},
			{Line: `exceeded its LFS budget|is over its data quota|^batch response: |[Ee]rror downloading object: |failed to fetch some objects from '|Object does not exist on the server|git: 'lfs' is not a git command|\bgit-lfs: (command )?not found`},
		},
		Example:  "batch response: This repository exceeded its LFS budget. The account responsible for the budget should increase it to restore access.",
		NearMiss: "Git LFS: (3 of 3 files) 12.4 MB / 12.4 MB",
	},
	{
		ID: "S-X20", Stage: Process, Class: Infra, Also: InProcess, From: Platform,
		Title: "A limit of the code host, or of another service that the job asks, is reached: calls, storage or money",
		Steps: []string{
			"For calls, wait until the limit is reset, and let the job use its own token (`GITHUB_TOKEN`, `HF_TOKEN`) and fewer calls, or a cache.",
			"For storage or spending, remove old artifacts or raise the limit.",
		},
		Any: []Pattern{
			{Line: `API rate limit exceeded|Rate limit reached|Too Many Requests|exceeded a secondary rate limit|Artifact storage quota has been hit|returned error: 429\b|\(SlowDown\) when calling|had to rate limit your IP`},
			{Line: `spending limit needs to be increased|account is locked due to a billing|account payments have failed|included (services|minutes) .*(used up|exhausted|exceeded)`},
		},
		Example:  "##[error]API rate limit exceeded for installation ID 4711.",
		NearMiss: "rate limit: 4998 of 5000 calls left",
	},
	{
		ID: "S-X21", Over: []string{"S-B25", "S-B55", "S-X63"}, Stage: Process, Class: InProcess, Also: Infra, From: Platform,
		Title: "The job's credentials are refused or missing",
		Steps: []string{
			"See whether the step has them at all: a variable of the job is not one of a container that a step starts (`docker run -e NAME`, `--secret`), nor of `sudo`; runs of forks get no secrets.",
			"Check that the secret has not expired (tokens of an app live for an hour) and may do this.",
			"Check the permissions that the workflow gives its token.",
		},
		Any: []Pattern{
			{Line: `unexpected status from (HEAD|GET|POST|PUT) request .*: 40[13] `},
			{Line: `fatal: (Authentication failed for|could not read (Username|Password) for|unable to access '.*returned error: 40[13])|remote: (Permission to \S+ denied|Invalid username or (password|token)|Write access to repository not granted|Support for password authentication was removed)`},
			{Line: `Could not assume role|Not authorized to perform sts|Credentials could not be loaded|Unable to get ACTIONS_ID_TOKEN_REQUEST_URL`, Near: `[Ss]erver startup failed: cache storage|sccache: error: `, Within: 40, Rank: Root},
			{Line: `no identity token\b|failed to authenticate when downloading|fatal: repository '[^']*' not found|Could not assume role|Not authorized to perform sts|NoCredentialsError|Unable to locate credentials|InvalidAccessKeyId|SignatureDoesNotMatch|Codecov\b.*[Tt]oken required|Token required because branch is protected`},
			{Line: `Permission denied \(publickey|Host key verification failed|fatal: could not read Username for|remote: Repository not found`, Near: `into submodule path .* failed|a second time, aborting`, Within: 12, Rank: Root},
			{Line: `Permission denied \(publickey|Host key verification failed|remote: Repository not found`},
			{Line: `Username and password required|incorrect username or password|\bunauthorized(: |$)|denied: denied|[Ll]ogin (for '[^']*' )?failed with exit code|'Issued at' claim|no basic auth credentials|[Ee]rror (saving|storing|getting) credentials|^(Error: )?Bad credentials$|api_key not configured|has an IP allow list enabled|(enforced|by organization) SAML|failed to authorize: |401 Client Error|403 Client Error|status(:| code| )? ?401\b`},
			{Line: `HTTP status client error \(40[13]|failed to get successful HTTP response from .*got 401\b|returned error code: 40[13]\b|401 Authorization Required|Access to model \S+ is restricted|DefaultCredentialsError`},
			{Line: `Cannot access gated repo|GatedRepoError|Credentials could not be loaded|ExpiredToken\b|Unable to get ACTIONS_ID_TOKEN_REQUEST_URL`},
		},
		Example:  "remote: Invalid username or token. Password authentication is not supported for Git operations.\nfatal: Authentication failed for 'https://git.example.invalid/o/r/'",
		NearMiss: "Login Succeeded",
	},
	{
		ID: "S-X22", Stage: Process, Class: Env, Also: InProcess, From: Platform,
		Title: "Git refuses the work tree: another owner, or no repository",
		Steps: []string{
			"Name the folder in `safe.directory`, or run the container as the user that owns it.",
			"If there is no repository, check the step's folder and that the checkout came first; in a container without git it only unpacks an archive.",
			"What is missing later (files of a source package, a version) follows from it: git was not allowed to list them.",
		},
		Any: []Pattern{
			{Line: ownership, Near: `listing git files failed|unable to detect version|[Ff]ailed to query file list|git (ls-files|rev-parse|describe)\b.*(fail|returned|exit)|failed to (determine|retrieve) .*\bgit\b|could not determine (the )?version`, Within: 24, Rank: Root},
			{Line: ownership},
			{Line: noRepository, Near: `exit code 128\b|exit(ed with| status| code)? 128\b|setuptools-scm was unable|The process '\S*git' failed`, Within: 12},
			{Line: noRepository, Rank: survived},
			{Line: `listing git files failed|fatal: not in a git directory|fatal: --local can only be used inside a git repository`, Rank: Weak},
		},
		Example:  "fatal: detected dubious ownership in repository at '/__w/TileGym/TileGym'",
		NearMiss: "safe.directory set for '/__w/TileGym/TileGym'",
	},
	{
		ID: "S-X23", Stage: Process, Class: Infra, From: Platform,
		Title: "An earlier job left a lock, changes or files of another user in the work tree",
		Steps: []string{
			"See first whether another job, runner or container is at work in that folder now (`ps -ef`, `fuser -v DIR`): then its lock is in use, and each runner needs a folder of its own.",
			"If nothing is, remove the lock file or the changes that the message names, or the whole work tree, on the runner.",
			"If the files belong to root, a container wrote them: change their owner on the runner, and run containers as the runner's user or clean up inside of them.",
		},
		Any: []Pattern{
			{Line: `File was unable to be removed Error: |EACCES: permission denied, (unlink|rmdir|rm|scandir)\b|\brm: cannot remove '[^']*': Permission denied`},
			{Line: `Text file busy|Unable to create '.*\.lock': File exists|Another git process seems to be running in this repository|could not lock config file .*File exists|local changes to the following files would be overwritten|cannot (rebase|pull with rebase): You have unstaged|insufficient permission for adding an object to repository`},
		},
		Context:  `^[-d]r\S+ +\d+ +(root|0) +(root|0) `,
		Example:  "fatal: Unable to create '/opt/runner/_work/TileGym/.git/index.lock': File exists.",
		NearMiss: "Cargo.lock exists, index is unlocked",
	},
	{
		ID: "S-X24", Stage: Process, Class: InProcess, From: Platform,
		Title: "The checkout lacks history that a step asks for",
		Steps: []string{
			"Check out with `fetch-depth: 0`, or fetch the base branch before comparing with it.",
			"Without tags a version becomes 0.1.dev1 or the like, and what asks for a newer one refuses it; without the base no file has changed, and no test is selected.",
		},
		Any: []Pattern{
			{Line: `setuptools-scm was unable to detect version|fatal: (no merge base|bad revision '|ambiguous argument '[^']*': unknown revision|refusing to merge unrelated histories|Invalid symmetric difference expression|No names found, cannot describe)|fatal: could not fetch \S+ from promisor remote|fatal: \S+: no merge base|\S+\.\.\.\S+: no merge base`},
			// A version that setuptools-scm makes up where it sees no tag.
			{Line: `\b(Error|ERROR|requires?|required|found|incompatible)\b.*\b0\.[01](\.post\d+)?\.dev\d+\+g[0-9a-f]{6,}`},
		},
		Example:  "fatal: origin/main...HEAD: no merge base",
		NearMiss: "merge base of origin/main and HEAD is 0a1b2c3",
	},
	{
		ID: "S-X25", Stage: Process, Class: InProcess, Also: Infra, Rank: General, From: Platform,
		Title: "A report cannot be read: it is cut off, empty or not in its format",
		Steps: []string{
			"Look for what ended the program that writes it: a crash or a limit leaves half a file.",
			"If the file is whole, look at the line that the message names for bytes that the format forbids.",
		},
		Any: []Pattern{
			{Line: `xml\.etree\.ElementTree\.ParseError|xml\.parsers\.expat\.ExpatError|XMLSyntaxError|not well-formed \(invalid token\)|no element found: line`},
			{Line: `\bJSONDecodeError\b|Unexpected end of JSON input|Unexpected token .* in JSON`},
		},
		Example:  "xml.etree.ElementTree.ParseError: no element found: line 1, column 0",
		NearMiss: "wrote results/junit.xml, 24 cases",
	},
	{
		ID: "S-X26", Stage: Process, Class: InProcess, Also: Infra, Rank: General, From: Platform,
		Title: "There was no file to upload",
		Steps: []string{
			"Look above for what should have written it: that step failed, or wrote elsewhere.",
		},
		Any: []Pattern{
			// A warning of it is harmless until another job misses the artifact.
			{Line: noUpload, With: []string{"S-X07"}, Rank: Root},
			{Line: noUpload + `|ERROR: No files to upload|No artifacts found that match the file pattern`, Fatal: true},
		},
		Example: "##[error]No files were found with the provided path: results/*.xml. No artifacts will be uploaded.", NearMiss: "With the provided path, there will be 3 files uploaded",
	},
	{
		ID: "S-X27", Stage: Process, Class: Test, Also: InProcess, Rank: Weak, From: Platform,
		Title: "The tests cover less of the code than the job demands",
		Steps: []string{
			"Add tests for the lines that the report shows as missed.",
			"If tests were skipped for want of a GPU, measure where there is one.",
		},
		Any:     []Pattern{{Line: `Coverage failure: total of|Required test coverage of \S+ not reached|[Cc]overage \S+ is (below|less than)`}},
		Example: "FAIL Required test coverage of 80% not reached. Total coverage: 71.40%", NearMiss: "Required test coverage of 80% reached. Total coverage: 81.40%",
	},
	{
		ID: "S-X28", Stage: Process, Class: InProcess, Also: Infra, Rank: General, From: Platform,
		Title: "A file or target that the job names is not there",
		Steps: []string{
			"Look above for the step that should have made it.",
			"Else correct the name or the folder in the step.",
		},
		Any: []Pattern{
			{Line: `^(/\S+/)?(cp|mv|tee|sed|cat|ls|chmod|nm|objdump|strip|tail|head|grep|cd|rm|jq|diff): .*: No such file or directory$|\bcd: \S+: No such file or directory$|: cannot (stat|access) '[^']*': No such file|nm: '[^']*': No such file`},
			{Line: `No rule to make target|missing and no known rule to make it|^jq: error |FileNotFoundError: \[Errno 2\]|CUDA_ERROR_FILE_NOT_FOUND`},
		},
		Example: "cp: cannot stat 'target/release/libcutile_kernels.so': No such file or directory", NearMiss: "cp: 'target/release/libcutile_kernels.so' -> 'out/libcutile_kernels.so'",
	},
	{
		ID: "S-X29", Stage: Process, Class: InProcess, Also: Infra, From: Platform,
		Title: "A cache that the job cannot do without is not there",
		Steps: []string{
			"See whether the job that fills it ran, and whether both build the key from the same files.",
			"Caches expire, and those of other branches are not seen: let the job build what is missing.",
		},
		Any:     []Pattern{{Line: `fail-on-cache-miss is set|\bCache not found for (input )?keys?\b.*(fail|error)`}},
		Example: "##[error]Failed to restore cache entry. Exiting as fail-on-cache-miss is set. Input key: kernels-Linux-0a1b", NearMiss: "Cache not found for input keys: kernels-Linux-0a1b",
	},
	{
		ID: "S-X30", Stage: Process, Class: Infra, From: Platform,
		Title: "The repository in the work tree is damaged",
		Steps: []string{
			"Remove the work tree on the runner and check out again.",
			"If it comes back, look at the runner's disk, and for jobs that are killed while they write.",
		},
		Any:     []Pattern{{Line: `object file \S+ is empty|loose object \S+ .*is corrupt|index file (corrupt|smaller than expected)|pack(file)? \S+ .*(cannot be accessed|is corrupt)|pack has bad object`}},
		Example: "error: object file .git/objects/aa/bb is empty\nfatal: loose object aabb (stored in .git/objects/aa/bb) is corrupt", NearMiss: "checking objects: no object is corrupt",
	},
	{
		ID: "S-X31", Over: []string{"S-X42", "S-X63"}, Stage: Process, Class: InProcess, Also: Infra, From: Platform,
		Title: "The container image that the job wants does not exist, or is not open to it",
		Steps: []string{
			"See whether this run built and pushed the image: the pull request's options may have left the build out, or its job was skipped.",
			"Compare name and tag with what was pushed; old tags are cleaned away.",
			"Build the image, and run again; no test has run.",
		},
		Any: []Pattern{
			{Line: `manifest (for \S+ )?(not found|unknown)|: manifest unknown|pull access denied|not found: manifest|failed to resolve source metadata for \S+: \S+: not found|failed to resolve reference "|failed to solve: \S+: \S+: not found$`},
			{Line: `ErrImagePull|ImagePullBackOff`, Rank: Weak},
		},
		Context:  `'?build'?: (False|false)\b|build\S*: skipped`,
		Example:  "docker: Error response from daemon: manifest for registry.example.invalid/tilegym-pr:pr-9 not found: manifest unknown",
		NearMiss: "9d1e: Pull complete\nDigest: sha256:0a1b",
	},
	{
		ID: "S-X32", Stage: Process, Class: InProcess, From: Platform,
		Title: "The job's token or account lacks a right",
		Steps: []string{
			"Give the job the permission that the call needs, in the workflow's `permissions`.",
			"A pull request from a fork gets a token that only reads, and no secrets: do such steps in another workflow.",
			"Look for a token that ran out.",
		},
		Any: []Pattern{
			{Line: `Resource not accessible by integration|HttpError: (Bad credentials|Must have admin rights)|Resource not accessible by personal access token|GitHub Actions is not permitted to `},
			{Line: `\(AccessDenied\)|AccessDenied(Exception)?: |/manifests/\S+": denied|sudo: (a (password|terminal) is required|\S+ is not in the sudoers)|is not in the sudoers file|sudo: The "no new privileges" flag is set|An error occurred \(403\) when calling`},
			{Line: `denied: (installation not allowed|permission_denied|requested access)|unauthorized: authentication required|refusing to allow (a|an) .* to (create or )?update workflow`},
		},
		Example:  "##[error]Resource not accessible by integration",
		NearMiss: "GITHUB_TOKEN Permissions: Contents: read",
	},
	{
		ID: "S-X33", Stage: Process, Class: InProcess, From: Platform,
		Title: "A script that a step calls is not there",
		Steps: []string{
			"Compare the path with the checked out tree: a file that moved, another working directory, a partial checkout.",
			"See whether the workflow of one branch runs on a commit of another, which lacks the script.",
		},
		Any: []Pattern{
			{Line: `(bash|sh|python3?): (can't open file|\S*\.(sh|py): No such file or directory)|can't open file '\S+\.py'|^\S*\.sh: line \d+: \S+\.(sh|py): No such file or directory`},
		},
		Example:  "python: can't open file '/src/.github/scripts/report.py': [Errno 2] No such file or directory",
		NearMiss: "python .github/scripts/report.py: 3 reports written",
	},
	{
		ID: "S-X34", Stage: Process, Class: InProcess, From: Platform,
		Title: "A variable or secret that a step needs is not set",
		Steps: []string{
			"Set it in the workflow or in the repository's settings; a pull request from a fork gets no secrets.",
			"Look for a name that is spelled differently where it is set.",
		},
		Any: []Pattern{
			{Line: `failed to solve: (\S+: )?secret \S+: not found`},
			{Line: `Input required and not supplied: \S*([Tt]oken|[Pp]assword|[Ss]ecret|[Kk]ey)|set the GH_TOKEN environment variable|Must provide --username with --password-stdin|^(Error: )?(Username|Password|Token) required$`},
			{Line: "environment variable .?\\w+.? (is )?(not (defined|set)|required|missing|must be set)|an `?Err`? value: (NotPresent|EnvVar\\w*)", Not: `\b(using|default\w*|assum\w+|ignor\w+|skip\w*)\b|CUDA_HOME`},
			{Line: `Environment variable \w+ (is )?(not set|required)|: unbound variable$|: parameter null or not set$`},
			{Line: `^(os\.py:\d+: )?KeyError: '[A-Z][A-Z0-9]*_[A-Z0-9_]+'$`, Near: `os\.py|os\.environ`, Within: 4},
		},
		Example:  "run.sh: line 4: RUNNER_LABEL: unbound variable",
		NearMiss: "RUNNER_LABEL=gpu",
	},
	{
		ID: "S-X35", Over: []string{"S-B30", "S-B40", "S-B72", "S-B106"}, Stage: Process, Class: InProcess, Also: Infra, From: Platform,
		Title: "A submodule was not checked out",
		Steps: []string{
			"Check out with `submodules: recursive`, or run `git submodule update --init --recursive`.",
			"If it is private, give the job a token that may read it.",
		},
		Any: []Pattern{
			{Line: `does not contain a CMakeLists\.txt file|[Ss]ubmodules? .*(not (initiali[sz]ed|checked out|present|updated)|is empty|missing)|(did you forget|please run|try) .*git submodule update|\bgit submodule update --init\b.*(first|missing|required)`},
			{Line: `fatal: transport 'file' not allowed|Input 'submodules' not supported when falling back`},
			{Line: "couldn't read .?\\S*(third[_-]?party|submodules?|externals?|deps)/\\S+: No such file"},
			{Line: `failed to (load|read) \S*/(third[_-]?party|submodules?|externals?)/\S+|[Ff]ailed to read .\S*/(third[_-]?party|submodules?|externals?)/\S+Cargo\.toml`},
		},
		Example:  "CMake Error at CMakeLists.txt:12 (add_subdirectory):\n  The source directory /src/third_party/fmt does not contain a CMakeLists.txt file.",
		NearMiss: "Submodule path 'third_party/fmt': checked out '0a1b2c3'",
	},
	{
		ID: "S-X36", Stage: Process, Class: InProcess, Also: Env, From: Platform,
		Title: "A program was called with an option or command that it does not know",
		Steps: []string{
			"Compare the program's version on the runner with the one that the command was written for.",
			"Correct the option in the step, or install the version or plugin that has it.",
		},
		Any: []Pattern{
			{Line: `error: (unexpected argument|unrecognized (subcommand|option)|no such (subcommand|command)|invalid (value|option)|[Ff]ound argument|the following required arguments were not provided|unrecognized command.line option|unsupported option )`},
			{Line: `\b\w+: error: (invalid choice|argument \S+: invalid|unrecognized arguments)|[Ii]nvalid option( --|: )|unrecognized option '|unknown (flag|shorthand flag|option)[: ]|[Nn]o such option: `, Not: `^pytest|__main__\.py|pytest: error`},
			{Line: `the input device is not a TTY|is not a (docker|git|gh|nvidia-smi) command|cargo: no such command`},
		},
		Example:  "error: unexpected argument '--profile-time' found\n\nUsage: bench [OPTIONS]",
		NearMiss: "Usage: bench [OPTIONS]\n  --profile-time <SECONDS>",
	},
	{
		ID: "S-X37", Stage: Process, Class: Test, Also: Kernel, From: Platform,
		Title: "The output differs from the expected one that is kept in the repository",
		Steps: []string{
			"Look at the difference: if it is meant, write the expected file anew and commit it with the change.",
			"If the change does not touch what is printed, compare the versions of compiler and libraries.",
		},
		Any: []Pattern{
			{Line: `snapshot assertion for|[Ss]napshots? (failed|mismatch\w*|(do(es)? not|don't|doesn't) match)|\bdoes not match\b.*\b([Gg]olden|[Ss]napshot|expected file)\b|\b([Gg]olden|[Ss]napshot)\b.*\b(mismatch\w*|differs?|do(es)?n't match|do(es)? not match|out of date|outdated)\b`},
			{Line: `: DocTestFailure$|^Test-?[Ff]ailed: doctest|^Failed example:$`},
			{Line: `^test \S+\.rs \.\.\. mismatch$|^error: CHECK[\w-]*: expected string not found|To update snapshots run|run with .?(UPDATE_EXPECT|TRYBUILD|INSTA_UPDATE|BLESS)=`},
			{Line: `[Gg]enerated (code|files?|docs?|bindings|IR) (is|are|does|do) (not up[- ]to[- ]date|out of date|stale|not match)|[Uu]ncommitted changes after|(git diff|working tree) .*(not clean|is dirty)`, Class: InProcess, Also: Test},
		},
		Example:  "Snapshot Summary\nsnapshot assertion for 'softmax' failed in line 31\ntest ir::softmax ... FAILED",
		NearMiss: "12 snapshots, all as expected",
	},
	{
		ID: "S-X38", Stage: Process, Class: InProcess, Also: Env, From: Platform,
		Title: "A dependency has a known weakness, a licence that is not allowed, or is banned or there twice",
		Steps: []string{
			"Raise the dependency that the message names, or replace it.",
			"An advisory may be newer than the change: see whether the main branch fails too; `cargo update -p` then mends it there.",
			"For one that is there twice, see with `cargo tree -d` who asks for the old version; raise that one, or enter it in the list of exceptions.",
		},
		Any:      []Pattern{{Line: `\b(advisories|bans|licenses|sources) FAILED\b|^error\[(vulnerability|unmaintained|yanked|rejected|unsound)\]|error: \d+ vulnerabilit(y|ies) found|[Ff]ound \d+ known vulnerabilit|detected vulnerable packages`}},
		Context:  `RUSTSEC-\d|GHSA-`,
		Example:  "error[vulnerability]: Use after free in `slab`\n    ID: RUSTSEC-2025-0047\nadvisories FAILED, bans ok, licenses ok, sources ok",
		NearMiss: "advisories ok, bans ok, licenses ok, sources ok",
	},
	{
		ID: "S-X39", Stage: Process, Class: InProcess, Also: Host, From: Platform,
		Title: "The public interface changed without a new version",
		Steps: []string{
			"Raise the version as the check asks, or keep what was public.",
		},
		Any:      []Pattern{{Line: `semver requires new (major|minor) version|^--- failure \w+: `}},
		Example:  "--- failure struct_missing: pub struct removed or renamed ---\n     Summary semver requires new major version: 1 major and 0 minor checks failed",
		NearMiss: "     Summary no semver update required",
	},
	{
		ID: "S-X40", Stage: Process, Class: InProcess, Rank: Weak, From: Platform,
		Title: "The documentation does not build, or has a broken link",
		Steps: []string{
			"Correct the page or link that the first warning names: warnings are errors in this job.",
		},
		Any:      []Pattern{{Line: `build finished with problems|warnings treated as errors|Aborted with \d+ warnings? in strict mode|^\(line +\d+\) broken |\d+ broken links? found|\bERROR\b.*\b(dead|broken) link`}},
		Example:  "docs/guide.md: WARNING: document isn't included in any toctree\nbuild finished with problems, 1 warning (with warnings treated as errors).",
		NearMiss: "build succeeded, 41 pages",
	},
	{
		ID: "S-X41", Stage: Process, Class: InProcess, Also: Host, Rank: General, From: Platform,
		Title: "A command that another program started has failed",
		Steps: []string{
			"Read what that command printed above: it is the cause.",
			"If it printed nothing, run it by hand with its output shown.",
		},
		Any:      []Pattern{{Line: `CalledProcessError: Command .* (returned non-zero exit status|died with)|^make(\[\d+\])?: \*\*\* \[|^error: Recipe .* failed|^ninja: error: `}, {Line: `^srun: error: .*\btasks? [\d,-]+: Exited with exit code`, Rank: survived}},
		Example:  "subprocess.CalledProcessError: Command '['./gen', '--all']' returned non-zero exit status 3.",
		NearMiss: "./gen --all: done, exit status 0",
	},
	{
		ID: "S-X42", Over: []string{"S-B25"}, Stage: Process, Class: InProcess, Also: Infra, Rank: Weak, From: Platform,
		Title: "What is to be downloaded is not at its address: moved, removed or never published",
		Steps: []string{
			"See who names the address: an old list of packages is refreshed with `apt-get update`, a release may have been replaced.",
			"Correct the name, version or address; a repeated run does not help.",
		},
		Any: []Pattern{
			{Line: `\b404 Client Error\b|RepositoryNotFoundError|\bEntryNotFoundError|RevisionNotFoundError|returned error: 404\b|HTTP Error 404|\b404 +Not Found\b|ERROR 404: Not Found|[Ss]tatus( code)?:? 404\b`, Not: `retry|Retry|HTTP Request: `},
			{Line: `NoSuchKey|NoSuchBucket|The specified (key|bucket|blob) does not exist`},
		},
		Example:  "E: Failed to fetch http://archive.example.invalid/pool/c/curl_8.5.deb  404  Not Found [IP: 10.0.0.1 80]",
		NearMiss: "Get:1 http://archive.example.invalid noble InRelease [256 kB]",
	},
	{
		ID: "S-X43", Stage: Process, Class: InProcess, Also: Env, Rank: Weak, From: Platform,
		Title: "A type checker, a spelling check or another hook refuses the change",
		Steps: []string{
			"Correct what it names, or except the line with a reason.",
		},
		Any:      []Pattern{{Line: `^- hook id: `, Rank: General}, {Line: `^Found \d+ errors? in \d+ files? \(checked|^\d+ errors?, \d+ warnings?, \d+ \w+ ?$|^\S+\.(py|md|rs|txt):\d+: \w+ ==> \w+`}, {Line: "^error: `[^`]+` should be `"}, {Line: `(\^-- SC|-\^ SC)\d{4} \((info|warning|error|style)\)`}},
		Example:  "tests/a.py:12: error: Argument 1 to \"f\" has incompatible type \"int\"; expected \"str\"  [arg-type]\nFound 1 error in 1 file (checked 40 source files)",
		NearMiss: "Success: no issues found in 40 source files",
	},
	{
		ID: "S-X44", Stage: Process, Class: Infra, Also: Env, Rank: Root, From: Platform,
		Title: "The container lost its GPU while the job ran: device access was taken away under it",
		Steps: []string{
			"Run the job again in a new container: the change is not at fault, and what passed before the loss still counts.",
			"On the host, look for a `systemctl daemon-reload` or an update of the unit files at that time: with the systemd cgroup driver it drops the devices of running containers.",
			"Mend it for good: hand the devices over by CDI or with `--device`, make the links in /dev/char, or use the cgroupfs driver.",
		},
		Any:      []Pattern{{Line: `Failed to initialize NVML: Unknown Error`}},
		Example:  "##[group]Run nvidia-smi\nFailed to initialize NVML: Unknown Error\nE   RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 304: OS call failed or operation not supported on this OS",
		NearMiss: "Failed to initialize NVML: Driver/library version mismatch",
	},
	{
		ID: "S-X45", Over: []string{"S-X20", "S-X63"}, Stage: Process, Class: Infra, Also: InProcess, From: Platform,
		Title: "The image registry's limit for pulls is reached",
		Steps: []string{
			"Log in before pulling: without an account all runners behind one address share a small limit.",
			"Keep the images in a mirror or a registry of your own, or on the runners.",
			"Run the job again later; the change is not at fault.",
		},
		Any: []Pattern{
			{Line: `toomanyrequests: |reached your (unauthenticated )?pull rate limit|429 Too Many Requests.*/v2/|/v2/.*429 Too Many Requests`},
		},
		Example:  "Error response from daemon: toomanyrequests: You have reached your unauthenticated pull rate limit.",
		NearMiss: "pull rate limit: 187 of 200 left",
	},
	{
		ID: "S-X46", Stage: Process, Class: InProcess, From: Platform,
		Title: "A command line or the environment is too long for the system",
		Steps: []string{
			"Hand the text over in a file or by standard input, not as an argument or a variable: one argument holds at most 128 KiB.",
			"Look for an output or a list of files that grew: `env`, a step's output, a glob.",
		},
		Any: []Pattern{
			{Line: `Argument list too long|\[Errno 7\]|\(os error 7\)`},
		},
		Example:  "##[error]An error occurred trying to start process '/usr/bin/bash' with working directory '/src'. Argument list too long",
		NearMiss: "xargs: 412 arguments in 3 calls",
	},
	{
		ID: "S-X47", Stage: Process, Class: InProcess, Also: Host, From: Platform,
		Title: "A check finds dependencies that the code does not use, or uses without naming them",
		Steps: []string{
			"Remove from the manifest what the check names, or add what is missing.",
			"If a macro or a build script uses it, put it on the check's list of exceptions with the reason.",
		},
		Any: []Pattern{
			{Line: "found the following unused dependencies|^unused dependencies:|\\bDEP00[1-5]\\b|unused crate dependencies|extern crate `\\w+` is unused in crate"},
		},
		Example:  "cargo-machete found the following unused dependencies in this directory:\ntile-core -- ./core/Cargo.toml:",
		NearMiss: "cargo-machete didn't find any unused dependencies in this directory. Good job!",
	},
	{
		ID: "S-X48", Stage: Process, Class: Env, Also: InProcess, From: Platform,
		Title: "The container's user cannot write the files by which a step talks to the runner",
		Steps: []string{
			"Run the container as the user that owns the runner's work folder (`options: --user 1001`), or as root.",
			"Or make the work folder writable on the machine: it is mounted as /__w and /github/home.",
			"The change is not at fault: the step itself may have passed.",
		},
		Any: []Pattern{
			{Line: `_runner_file_commands/\S*.{0,12}[Pp]ermission denied|EACCES: permission denied, open .\S*(/__w/_temp|_runner_file_commands|/github/(home|workflow))|/github/home\S*.? ?: ?[Pp]ermission denied`},
		},
		Example:  "##[error]EACCES: permission denied, open '/__w/_temp/_runner_file_commands/save_state_77aa'",
		NearMiss: "saved state in /__w/_temp/_runner_file_commands/save_state_77aa",
	},
	{
		ID: "S-X49", Stage: Process, Class: Infra, Rank: Root, From: Platform,
		Title: "The server that shares the GPU between processes (MPS) failed or cannot be reached",
		Steps: []string{
			"Start it again on the machine: `echo quit | nvidia-cuda-mps-control`, then `nvidia-cuda-mps-control -d`; a fault in one client ends it for all.",
			"If the job is not to use it, unset CUDA_MPS_PIPE_DIRECTORY in the container.",
			"Judge the job again afterwards: the first fault before this line may be another client's.",
		},
		Any: []Pattern{
			{Line: `between the MPS server and the MPS client failed|MPS (server|client|daemon|control)\b.*\b(fail\w*|not (ready|running)|terminated|cannot connect|limit)|CUDA_ERROR_MPS_\w+|cudaErrorMps\w+`},
		},
		Example:  "E   RuntimeError: CUDA error: the remote procedural call between the MPS server and the MPS client failed",
		NearMiss: "MPS server: 3 clients",
	},
	{
		ID: "S-X50", Stage: Process, Class: Infra, Also: Env, Rank: Root, From: Platform,
		Title: "The machine's NVSwitch fabric is not ready: the fabric manager does not run or does not fit the driver",
		Steps: []string{
			"On the host look at `systemctl status nvidia-fabricmanager`, and start it; its version must be the driver's own, to the last digit.",
			"Until it is ready every CUDA call on such machines fails, single-GPU ones too.",
			"Run the job again on another machine; the change is not at fault.",
		},
		Any: []Pattern{
			{Line: `Error 802: system not yet initialized|CUDA error: system not yet initialized|CUDA_ERROR_SYSTEM_NOT_READY|cudaErrorSystemNotReady|[Ff]abric ?[Mm]anager\b.*\b(not running|fail\w*|inactive|does(n.t| not) match|mismatch)|\bState +: In Progress\b.*[Ff]abric`},
		},
		Example:  "E   RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized",
		NearMiss: "nvidia-fabricmanager: active (running), 580.95.05",
	},
	{
		ID: "S-X51", Stage: Process, Class: InProcess, From: Platform,
		Title: "A program waits for an answer that nobody gives in a job",
		Steps: []string{
			"Give the answer with the call: `-y`, `DEBIAN_FRONTEND=noninteractive`, `--yes`, `BatchMode=yes`, or close its input with `</dev/null`.",
			"It is the last line before the silence that asks.",
		},
		Any: []Pattern{
			{Line: `^(Please select the geographic area|Geographic area:|Configuring tzdata|Enter passphrase|Username for |Password for |Are you sure you want to continue connecting|Proceed \(\[?y\]?/n\)\?|Do you want to continue\? \[Y/n\] ?$|Is this ok \[y/N\]: ?$)`, With: []string{"S-R25"}},
			{Line: `\[Y/n\] Abort\.|\[y/N\]: (Operation aborted|Aborted)|Proceed \(\[y\]/n\)\?.*(EOF|Exiting)|EOFError: EOF when reading a line|Cannot perform an interactive login from a non TTY|[Ii]nquirer.*not a (tty|terminal)`},
		},
		Example:  "Do you want to continue? [Y/n] Abort.",
		NearMiss: "Do you want to continue? [Y/n] y\nSetting up tzdata",
	},
	{
		ID: "S-X52", Over: []string{"S-B25"}, Stage: Process, Class: Infra, Also: InProcess, From: Platform,
		Title: "A model or data set is to come from the local cache and is not there: the run may not or cannot fetch it",
		Steps: []string{
			"Fill the cache beforehand (HF_HOME on the runner), and mount it into the container with rights to read.",
			"Or allow the network for it: unset HF_HUB_OFFLINE and TRANSFORMERS_OFFLINE.",
			"Better: let kernel tests make their inputs themselves.",
		},
		Any: []Pattern{
			{Line: `outgoing traffic has been disabled|LocalEntryNotFoundError|[Oo]ffline mode is enabled|OfflineModeIsEnabled|couldn't find (it|them) in the cached files|Cannot find the requested files in the (disk|local) cache`},
		},
		Example:  "huggingface_hub.errors.LocalEntryNotFoundError: Cannot find the requested files in the disk cache and outgoing traffic has been disabled.",
		NearMiss: "HF_HUB_OFFLINE=1, 3 models found in the local cache",
	},
	{
		ID: "S-X53", Stage: Process, Class: InProcess, Also: Infra, From: Platform,
		Title: "A push was refused: the branch moved on in the meantime",
		Steps: []string{
			"Fetch and rebase before the push, and try again a few times in the job.",
			"Let only one job at a time push to that branch (a `concurrency` group).",
			"The tests' own results stand above.",
		},
		Any: []Pattern{
			{Line: `!\s+\[(remote )?rejected\].*\((fetch first|non-fast-forward|stale info|cannot lock ref)|Updates were rejected because|failed to update ref|cannot lock ref .*is at .* but expected`},
		},
		Example:  " ! [rejected]        gh-pages -> gh-pages (fetch first)\nerror: failed to push some refs",
		NearMiss: "To https://git.example.invalid/o/r\n   0a1b..2c3d  gh-pages -> gh-pages",
	},
	{
		ID: "S-X54", Stage: Process, Class: Env, Also: InProcess, From: Platform,
		Title: "The job's user is unknown in the container: it has no name and no home folder",
		Steps: []string{
			"Set HOME and USER in the job to what exists and can be written; caches go below it (TRITON_CACHE_DIR, TORCHINDUCTOR_CACHE_DIR).",
			"Or make the user in the image with the number that the runner uses, or run as one that is there.",
		},
		Any: []Pattern{
			{Line: `cannot find name for user ID|I have no name!`, Rank: survived},
			{Line: `getpwuid\(\): uid not found|unable to find user \S+: no matching entries|[Cc]ould not determine (the )?home directory|(^|[ :$])HOME (is not|not) (set|defined)|Permission denied: '/\.(triton|cache|cargo|local|config|nv)\b`},
		},
		Example:  "KeyError: 'getpwuid(): uid not found: 1001'",
		NearMiss: "uid=1001(ci) gid=1001(ci), HOME=/home/ci",
	},
	{
		ID: "S-X55", Stage: Process, Class: Infra, From: Platform,
		Title: "The runner's hook could not start or reach the container of the job",
		Steps: []string{
			"Look at the pod's events in the cluster: no room on a GPU node, an image that cannot be pulled, a volume that cannot be mounted.",
			"Run the job again; the change is not at fault.",
		},
		Any: []Pattern{
			{Line: `pod failed to come online|Executing the custom container implementation failed|Pod \S+ is unhealthy with phase status|[Ff]ailed to (create|initialize) (job|step|container) pod`},
			{Line: `MountVolume\.\w+ failed|FailedMount\b|has unbound immediate PersistentVolumeClaims`},
			{Line: `failed to run script step: `, Rank: General},
		},
		Example:  "##[error]Error: pod failed to come online with error: Error: Pod gpu-77aa-workflow is unhealthy with phase status Failed",
		NearMiss: "Pod gpu-77aa-workflow is online",
	},
	{
		ID: "S-X56", Stage: Process, Class: Infra, Also: Env, From: Platform,
		Title: "The file system gives no locks: a folder that needs them lies on the network",
		Steps: []string{
			"Move the folder that the message names (cargo's or rustup's home, the build folder, a data base) to a disk of the machine.",
			"Or start the lock service on both sides, or mount with locks kept local.",
		},
		Any: []Pattern{
			{Line: `No locks available|\[Errno 37\]|\(os error 37\)|\bENOLCK\b|database is locked$|failed to lock .*Unknown error 524`},
		},
		Example:  "error: failed to open: /home/ci/.cargo/.package-cache\n\nCaused by:\n  No locks available (os error 37)",
		NearMiss: "locks: 3 available",
	},
	{
		ID: "S-X57", Stage: Process, Class: Env, Also: InProcess, From: Platform,
		Title: "A file is to be moved or linked from one file system to another",
		Steps: []string{
			"Put both folders on one file system: the tool's cache beside the environment, the temporary folder beside the target.",
			"For uv set `UV_LINK_MODE=copy`; in an image, do not rename what an earlier layer brought.",
		},
		Any: []Pattern{
			{Line: `Invalid cross-device link|\[Errno 18\]|\(os error 18\)|\bEXDEV\b`},
		},
		Example:  "  Caused by: failed to hardlink file from /cache/uv/archive to /src/.venv/lib: Invalid cross-device link (os error 18)",
		NearMiss: "warning: Failed to hardlink files; falling back to full copy.",
	},
	{
		ID: "S-X58", Over: []string{"S-R22"}, Stage: Process, Class: Infra, Rank: Root, From: Platform,
		Title: "The runner's own software is refused or not in order: too old, its registration gone, or its hook failed",
		Steps: []string{
			"If it updated itself and did not come back, its programs are gone: put the version into the image, and switch automatic updates off there.",
			"Install the newest runner on the machine or in its image: the service refuses old versions after some weeks, and with automatic updates off nothing renews it.",
			"If the registration is gone, or another process uses it, register the machine anew and start one runner only.",
			"If a hook of the machine failed (`ACTIONS_RUNNER_HOOK_JOB_STARTED`), read what its script printed above.",
			"Then run the job again; the change is not at fault.",
		},
		Any: []Pattern{
			{Line: `Runner version \S+ is deprecated|runner registration has been deleted|A session for this runner already exists|[Rr]unner version \S+ is (too old|not supported|no longer supported)`},
			{Line: `A job (started|completed) hook has been configured by .* failed`},
			{Line: `A job (started|completed) hook has been configured by `, Near: `failed with exit code|exited with code|[Pp]rocess completed with exit code`, Within: 8},
			{Line: `\bRunner\.(Listener|Worker)\S*: (No such file|not found|cannot execute|Permission denied)`},
		},
		Example:  "An error occured: Runner version v2.320.0 is deprecated and cannot receive messages.",
		NearMiss: "Current runner version: '2.332.0'\nNode.js 20 actions are deprecated.",
	},
	{
		ID: "S-X59", Stage: Process, Class: Infra, Rank: Root, From: Platform,
		Title: "A file system of the network failed under the job: a stale handle, a lost mount or a server that does not answer",
		Steps: []string{
			"Look at the mount on the runner (`mount`, `stat` of the folder) and at the file server; mount it anew if the server exports another tree.",
			"If another job or host replaces the files while this one reads them, write beside and rename, or give each job its own copy.",
			"Copy what the job reads to a disk of the machine first, and build there.",
			"Run the job again; the change is not at fault.",
		},
		Any: []Pattern{
			{Line: `Stale (NFS )?file handle|\[Errno 116\]|\(os error 116\)|\bESTALE\b`},
			{Line: `Transport endpoint is not connected|\[Errno 107\]|\(os error 107\)`, Not: `\b(socket|connect|send|recv|shutdown)\b`},
			{Line: `\bnfs: server \S+ not responding, still trying`, With: []string{"S-R25"}},
			{Line: `\bmount\.(nfs4?|cifs|lustre|ceph): .*(timed out|denied|fail|not respond|unreachable|No such)|\bnfs: server \S+ not responding, timed out|\bHost is down$|\.nfs[0-9a-f]{8,}\S*: Device or resource busy`},
		},
		Example:  "OSError: [Errno 116] Stale file handle: '/mnt/refs/gemm.npz'",
		NearMiss: "nas01:/refs on /mnt/refs type nfs4 (rw,relatime)",
	},
	{
		ID: "S-X60", Stage: Process, Class: Infra, Also: InProcess, Rank: Root, From: Platform,
		Title: "The cluster's scheduler refused the job, gave it no node in time, or does not answer: nothing has run",
		Steps: []string{
			"Read its reason: too many jobs of this user or account, a partition, an account or a kind of GPU that does not exist, more time or memory than is allowed.",
			"For a limit of jobs, cancel old ones (`squeue --me`, `scancel`) or let the workflow queue them; else correct the step's options for sbatch or srun (`scontrol show partition`, `sinfo -o %G`).",
			"If the controller cannot be reached, run the job again later; the change is not at fault.",
		},
		Any: []Pattern{
			{Line: `[Bb]atch job submission failed|Unable to allocate resources|Unable to create step for job|\b(srun|salloc|sbatch): .*allocation failure|invalid partition specified|Invalid (account or account/partition|generic resource|Trackable RESource)|[Ii]nvalid generic resource|\bQOS\w*(Limit|Per\w+)\b|Job violates accounting/QOS policy`},
			{Line: `Unable to contact slurm controller|Requested (node configuration is not available|time limit is invalid)|^(sbatch|salloc): error: `},
			{Line: `JobState=PENDING Reason=\(?(ReqNodeNotAvail|Resources|Priority|QOS\w+|Assoc\w+|Partition\w+|NodeDown)`, With: []string{"S-R25"}},
			{Line: `^bsub: |Job not submitted\.|^qsub: .*(violates|[Uu]nknown|exceed|would exceed)`},
		},
		Example:  "sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified",
		NearMiss: "Submitted batch job 4711\nsrun: job 4711 has been allocated resources",
	},
	{
		ID: "S-X61", Over: []string{"S-R22"}, Stage: Process, Class: Infra, Rank: Root, From: Platform,
		Title: "The machine was taken away from the job: it was preempted for another one, or was a spot instance",
		Steps: []string{
			"Run the job again; what passed until then still counts, the change is not at fault.",
			"If it repeats, take machines that stay or a partition that is not preempted, or make the job shorter and let it go on from where it stopped.",
		},
		Any: []Pattern{
			{Line: `DUE TO (PREEMPTION|JOB REQUEUE)|this job is preempted|\b(job|pod|node|instance|VM|machine|runner|[Cc]ontainer)\b.*\b(was|is being|has been|been) preempted|(?:^|: )[Pp]reempted( by|$)`, Not: `\b(stream|warp|block|context|thread)s?\b`},
			{Line: `[Ss]pot ([Ii]nstance )?[Ii]nterruption|spot (instance|VM|node) (was |is being |has been )?(reclaimed|terminated|evicted)|instance-action.*terminate|Instance (was )?terminated by spot`},
			// What a hook on the machine read of the cloud's own notice.
			{Line: `^\{"action": ?"(terminate|stop|hibernate)", ?"time":`},
			{Line: `[Ll]ife ?cycle\W{1,3}spot\b`, Near: `received a shutdown signal|lost communication with the server`, Within: 60},
		},
		Example:  "slurmstepd: error: *** JOB 4711 ON gpu-a7 CANCELLED AT 2026-03-01T10:00:00 DUE TO PREEMPTION ***",
		NearMiss: "slurmstepd: error: *** JOB 4711 ON gpu-a7 CANCELLED AT 2026-03-01T10:00:00 DUE TO TIME LIMIT ***",
	},
	{
		ID: "S-X62", Over: []string{"S-R22"}, Stage: Process, Class: Infra, Rank: Root, From: Platform,
		Title: "The cluster put the job's pod out: its node ran short of disk or memory, or the pod used more than it may",
		Steps: []string{
			"See which resource the message names: ephemeral storage is the work tree, build folders and images of the pod; memory is that of all processes.",
			"Give the runner's pod requests and limits for it, mount a volume for large folders, and build with fewer parallel jobs.",
			"Clean old images and work trees off the node, and run the job again.",
		},
		Any: []Pattern{
			{Line: `The node was low on resource|pod .* was evicted|^Reason: +Evicted|\bephemeral[- ](local )?storage usage exceeds|[Ee]victed\b.*\b(pod|runner|kubelet)\b|\b(pod|[Pp]od/\S+|kubelet)\b.*\b[Ee]victed\b|node.*\b(DiskPressure|MemoryPressure)\b`},
		},
		Example:  "Message: The node was low on resource: ephemeral-storage. Container runner was using 91249008Ki, request is 0.",
		NearMiss: "DiskPressure  False  KubeletHasNoDiskPressure",
	},
	{
		ID: "S-X63", Stage: Process, Class: Infra, Also: Env, Rank: Weak, From: Platform,
		Title: "The cluster's container tool (enroot, Apptainer) could not import or start the image",
		Steps: []string{
			"Read the tool's own log in the lines below: the registry, a full folder, a hook that failed.",
			"An image from a private registry needs credentials on the node (`~/.config/enroot/.credentials`, `apptainer registry login`); a local file must be given by a path with a slash.",
			"See that its cache and runtime folders exist, are writable and have room (ENROOT_CACHE_PATH, ENROOT_RUNTIME_PATH, APPTAINER_TMPDIR).",
		},
		Any: []Pattern{
			{Line: `pyxis: (failed to (import docker image|create container|start)|couldn't start container|container start failed|child \d+ failed)|required plugin spank_pyxis|/enroot/hooks\.d/\S+ exited with return code|enroot\S*: .*(fail|denied|No such)`},
			{Line: `FATAL: +(While making image|Unable to handle|container creation failed|could not open image)`},
		},
		Context: `pyxis: +\[ERROR\] `, ContextAfter: true,
		Example:  "slurmstepd: error: pyxis: failed to import docker image\nslurmstepd: error: pyxis:     [ERROR] /etc/enroot/hooks.d/98-nvidia.sh exited with return code 1",
		NearMiss: "pyxis: imported docker image: registry.example.invalid#kern/ci:1",
	},
	{
		ID: "S-X64", Stage: Process, Class: Infra, From: Platform,
		Title: "The runner's container engine has no address range left for another network",
		Steps: []string{
			"Remove the networks that earlier jobs left on the machine: `docker network prune`; let the runner do so after each job.",
			"If there are few, widen `default-address-pools` in the engine's configuration, or look for a VPN whose routes cover its ranges.",
			"Run the job again; the change is not at fault.",
		},
		Any: []Pattern{
			{Line: `non-overlapping IPv[46] address pool|address pools have been fully subnetted|[Pp]ool overlaps with other one on this address space|could not find (a )?free subnet`},
			{Line: `Docker network create failed`, Rank: General},
		},
		Example:  "Error response from daemon: could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network\n##[error]Docker network create failed with exit code 1",
		NearMiss: "docker network create github_network_0a1b",
	},
	{
		ID: "S-X65", Stage: Process, Class: InProcess, Also: Env, From: Platform,
		Title: "Git has no name and address to commit with",
		Steps: []string{
			"Set `git config user.name` and `user.email` in the step, or GIT_COMMITTER_NAME and GIT_COMMITTER_EMAIL: runners have none.",
			"Applying patches with `git am` or a merge needs them too.",
		},
		Any: []Pattern{
			{Line: `Author identity unknown|Committer identity unknown|Please tell me who you are|unable to auto-detect email address|empty ident name \(for`},
		},
		Example:  "Committer identity unknown\n\n*** Please tell me who you are.\n\nfatal: unable to auto-detect email address (got 'ci@gpu-3.(none)')",
		NearMiss: "Author: ci-bot <ci-bot@example.invalid>",
	},
	{
		ID: "S-X66", Stage: Process, Class: InProcess, Also: Env, From: Platform,
		Title: "The conda environment is not there or not active in the step's shell",
		Steps: []string{
			"Run the step in a login shell (`shell: bash -el {0}`), or source `etc/profile.d/conda.sh` before `conda activate`; `conda run -n NAME` needs neither.",
			"If the environment does not exist, look above for the step that should have made it.",
		},
		Any: []Pattern{
			{Line: `Run 'conda init' before 'conda activate'|shell has not been properly configured to use 'conda|[Ss]hell not initialized|Run 'mamba init'`, Rank: Root},
			{Line: `EnvironmentNameNotFound|EnvironmentLocationNotFound|Could not find conda environment: `, Rank: Weak},
		},
		Example:  "CondaError: Run 'conda init' before 'conda activate'",
		NearMiss: "conda activate gemmlab: done",
	},
	{
		ID: "S-X67", Stage: Process, Class: Kernel, Also: Host, Rank: General, From: Platform,
		Title: "A C++ test failed",
		Steps: []string{
			"Read what the named test printed: the assertion, and the two values below it.",
			"Run it alone: `--gtest_filter`, the test's name for Catch2, or `ctest -R`.",
		},
		Any: []Pattern{
			{Line: `^\[  FAILED  \] \S+|^\S+:\d+: (FAILED:|Failure)$|^test cases: .*\| +[1-9]\d* failed`},
			{Line: `^\d+/\d+ Test +#\d+: .*\*\*\*(Failed|Exception)|^\d+% tests passed, [1-9]\d* tests? failed|^//\S+ +FAILED in `},
		},
		Context:  `^\S+:\d+: (FAILED:|Failure)$|^(REQUIRE|CHECK)\w*\( `,
		Example:  "/src/test/scan.cu:61: FAILED:\n  REQUIRE( n == 4 )\ntest cases: 12 | 11 passed | 1 failed",
		NearMiss: "[  PASSED  ] 12 tests.\n100% tests passed, 0 tests failed out of 3",
	},
	{
		ID: "S-X68", Stage: Process, Class: Test, Also: Host, Rank: General, From: Platform,
		Title: "A fixture failed before or after a test",
		Steps: []string{
			"Read the error below the heading: it is of the fixture, or of what the fixture calls, not of the test's own lines.",
			"At the teardown look for what the test left behind: something freed twice, still open or still running.",
		},
		Any:      []Pattern{{Line: `^_+ ERROR at (setup|teardown) of .* _+$`}},
		Context:  `^(\S*/)?(conftest|tests?/\S+)\.py:\d+: in `,
		Example:  "____ ERROR at teardown of test_close ____\ntests/conftest.py:31: in handle\nE   RuntimeError: handle was closed before",
		NearMiss: "1 passed, no error at teardown",
	},
	{
		ID: "S-X69", Over: []string{"S-X63"}, Stage: Process, Class: Env, Also: Infra, From: Platform,
		Title: "A container without root's rights cannot be made on this machine: user namespaces, sub-ids, fuse or system-call filters are missing",
		Steps: []string{
			"Give the runner's user a range in /etc/subuid and /etc/subgid, install `uidmap`, then `podman system migrate`.",
			"See whether the system allows user namespaces to others than root (`kernel.apparmor_restrict_unprivileged_userns`, `user.max_user_namespaces`), and whether /dev/fuse is there.",
			"Where the kernel has no filters (`Function not implemented`), it is too old or built without them: use another node.",
			"Inside of another container the outer one must allow it: `--device /dev/fuse`, `--security-opt`, or the vfs storage driver.",
		},
		Any: []Pattern{
			{Line: `newuidmap\b.*(exit status|not found|failed|[Oo]peration not permitted)|no subuid ranges found|insufficient UIDs or GIDs available in user namespace|[Nn]o permissions to create (a )?new namespace|[Ff]ailed to (create|unshare) (the )?(user|mount) namespace|fuse: device not found|seccomp filter failed: Function not implemented|cannot clone: Operation not permitted|unshare(\(CLONE_NEWUSER\)|: unshare failed)|kernel does not support overlay fs|failed to mount overlay.*(not permitted|denied)`},
		},
		Example:  "Error: cannot set up namespace using \"/usr/bin/newuidmap\": exit status 1",
		NearMiss: "rootless: true, subuid: ci:100000:65536",
	},
	{
		ID: "S-X70", Over: []string{"S-B45", "S-B46"}, Stage: Process, Class: Infra, Also: Env, Rank: Root, From: Platform,
		Title: "The machine's clock is wrong: what others have signed seems to come from the future, or too late",
		Steps: []string{
			"Compare `date -u` on the runner with another machine, and start its time service (`timedatectl`, chrony); a virtual machine that slept keeps its old time.",
			"Run the job again; the change is not at fault.",
		},
		Any: []Pattern{
			{Line: `RequestTimeTooSkewed|difference between the request time and the current time is too large|Release file for \S+ is not valid yet|certificate (verify failed: certificate )?is not yet valid|[Tt]oken (is )?(used before issued|not yet valid)|[Cc]lock skew (is )?(too|exceeds)|\(the (local|system) clock (is|may be)`},
		},
		Example:  "E: Release file for http://mirror.example.invalid/dists/noble/InRelease is not valid yet (invalid for another 3h 20min 1s).",
		NearMiss: "make: warning:  Clock skew detected.  Your build may be incomplete.",
	},
	{
		ID: "S-X71", Stage: Process, Class: InProcess, From: Platform,
		Title: "A package index refuses what the job publishes: the version is there already, is too large, or the publisher is not known",
		Steps: []string{
			"A version can be published once: raise it, or let the step pass over files that exist (`skip-existing`).",
			"For trusted publishing compare owner, repository, workflow file and environment with what the index has entered.",
			"If it is too large, build for fewer architectures in one wheel, or ask for a higher limit.",
		},
		Any: []Pattern{
			{Line: `HTTPError: 40[03] .*(upload|legacy|[Ff]ile (already exists|too large))|File too large\. Limit for project|crate version .* is already uploaded|crate \S+ already exists on |error: failed to publish to registry|Trusted publishing exchange failure|invalid-publisher: `},
		},
		Example:  "HTTPError: 400 Bad Request from https://upload.example.invalid/legacy/\nFile already exists ('tilekit-0.1-py3-none-any.whl')",
		NearMiss: "Uploading tilekit-0.1-py3-none-any.whl\n100% 4.2/4.2 MB",
	},
	{
		ID: unnamedError, Over: []string{"S-X28", "S-X41", "S-R86"}, Stage: Process, Class: Host, Also: Kernel, Rank: General, LastResort: true, From: Platform,
		Title: "Python raised an error that no signature names",
		Steps: []string{
			"Read its message: it is the first error that the job tells of; what comes after it may follow from it. Under \"The above exception was the direct cause\" the upper error is the cause.",
			"Find the innermost frame that lies in the project's own code. In a kernel's wrapper: its arguments. In a test: its expectations. In a script of the job: what it was given.",
			"If all inner frames lie in site-packages, see whether that package moved in this run (`pip list` against the last good run): pin it, and the error goes away if it did.",
			"If the message is of a device, a driver, a file or the network, run the job again on another machine: what then passes is the machine's fault.",
			"Run the base commit in the same job: if it fails as well, the change is not the cause.",
		},
		Example:  "Traceback (most recent call last):\n  File \"src/demo/rows.py\", line 17, in cut\ndemo.PlanError: no rank is left",
		NearMiss: "demo.PlanError: no rank is left",
	},
	{
		ID: "S-X73", Stage: Process, Class: InProcess, Rank: Root, From: Platform,
		Title: "A step removed what an earlier one had built: a second checkout or a clean-up",
		Steps: []string{
			"Check out once, and before the build; for a second checkout set `clean: false`, or give it a `path` of its own.",
			"Or build after it, or keep the result outside of the work tree.",
		},
		Example:  "    Finished `release` profile [optimized] target(s) in 55.02s\nRemoving rust/target/\nE   OSError: cannot load library 'rust/target/release/libnorm.so': cannot open shared object file: No such file or directory",
		NearMiss: "Removing rust/target/\n    Finished `release` profile [optimized] target(s) in 55.02s\nE   OSError: cannot load library 'rust/target/release/libnorm.so': cannot open shared object file: No such file or directory",
	},
	{
		ID: "S-X90", Over: []string{"S-I50"}, Stage: Process, Class: Env, Also: InProcess, From: Platform,
		Title: "pip was replaced by a version that the `pip` program of the distribution does not fit",
		Steps: []string{
			"Call it as a module: `python3 -m pip`; or open a new shell (`hash -r`), so that the new program is found first.",
			"Do not update the distribution's pip: make a virtual environment, or install with `ensurepip` into one.",
		},
		Any: []Pattern{
			{Line: `cannot import name '?main'?|No module named '?pip(\._internal)?'?$`, Near: `/bin/pip[\d.]*"|from pip(\._internal(\.cli\.main)?)? import main|Not uninstalling pip at `, Within: 12, Rank: Root},
		},
		Example:  "  File \"/usr/bin/pip3\", line 9, in <module>\n    from pip import main\nImportError: cannot import name 'main'",
		NearMiss: "  File \"ci/run.py\", line 9, in <module>\n    from tool import main\nImportError: cannot import name 'main' from 'tool'",
	},
	{
		ID: "S-X91", Stage: Process, Class: InProcess, Also: Env, From: Platform,
		Title: "The builder looks for a local image in a registry: its driver does not see the images of the machine",
		Steps: []string{
			"Build with the engine's own builder (`docker buildx use default`), or hand the base over by `--build-context` or `--load`.",
			"Or push the base to a registry that the builder reaches, and name it in full.",
			"The network is not at fault: the address is the machine itself.",
		},
		Any: []Pattern{
			{Line: `failed to do request: Head "?https?://(localhost|127\.0\.0\.1)(:\d+)?/v2/\S*.*connection refused`, Rank: Root},
		},
		Example:  "ERROR: failed to do request: Head \"http://localhost/v2/tile/base/manifests/ci\": dial tcp 127.0.0.1:80: connect: connection refused",
		NearMiss: "ERROR: failed to do request: Head \"https://registry.example/v2/tile/base/manifests/ci\": dial tcp 203.0.113.9:443: connect: connection refused",
	},
	{
		ID: "S-X92", Stage: Process, Class: InProcess, Also: Env, From: Platform,
		Title: "Slurm looks for the program outside of the container: its path on the host or in the image is another one",
		Steps: []string{
			"Name the program without a path, or by a path that both have, or run it through a shell: `bash -c '...'`.",
			"With a test of the program before the start (`test_exec`, `SlurmdParameters`), the host must have it, too.",
		},
		Any: []Pattern{
			{Line: `^srun: fatal: Can not execute /`},
			{Line: `^slurmstepd: error: execve\(\): /\S+: No such file`, Not: `slurm_script`},
		},
		Example:  "srun: fatal: Can not execute /opt/conda/bin/python",
		NearMiss: "srun: job 771 has been allocated resources",
	},
	{
		ID: "S-X93", Over: []string{"S-X63"}, Stage: Process, Class: Infra, Also: Env, From: Platform,
		Title: "A folder that Slurm or its container plugin needs is gone from the node",
		Steps: []string{
			"Make the folder anew, with root as its owner, or restart the node's daemon: a clean-up of /tmp or a restart removed it (`SlurmdSpoolDir`, pyxis' `runtime_path`).",
			"Keep the spool folder outside of /tmp. Run the job on another node; the change is not at fault.",
		},
		Any: []Pattern{
			{Line: `execve\(\): \S*/slurm_script: No such file|pyxis: couldn't mkdir \S+: |slurmstepd: error: .*\b(spool|slurmd)\S*: No such file|[Uu]nable to create (spool|job) (directory|script)`},
		},
		Example:  "slurmstepd: error: execve(): /tmp/slurmd/job00089/slurm_script: No such file or directory",
		NearMiss: "slurmstepd: error: execve(): /usr/bin/ls: No such file or directory",
	},
	{
		ID: "S-X94", Over: []string{"S-X21"}, Stage: Process, Class: InProcess, Also: Env, From: Platform,
		Title: "MPI's launcher cannot start its daemons on the other nodes",
		Steps: []string{
			"Inside of a container or a Slurm step let Slurm start the processes: `srun --mpi=pmix program`, and not `mpirun` in the container, which goes to the other nodes by ssh.",
			"If ssh is meant, it needs keys and known hosts between the nodes, and the same MPI at the same path on each.",
		},
		Any: []Pattern{
			{Line: `(ORTE|PRTE) was unable to reliably start one or more daemons|An ORTE daemon has unexpectedly failed|unable to reliably start one or more daemons|HYDU_create_process|HYDT_bscd?\w*_launch_procs|control_cb .*assert .*closed`},
		},
		Example:  "Host key verification failed.\nORTE was unable to reliably start one or more daemons.",
		NearMiss: "mpirun: 16 processes on 2 nodes",
	},
	{
		ID: "S-X95", Over: []string{"S-B51", "S-X29"}, Stage: Process, Class: Env, Also: Infra, From: Platform,
		Title: "The program that unpacks an archive is not installed on the runner",
		Steps: []string{
			"Install it on the machine or in the image (zstd, xz-utils, bzip2, unzip): hosted runners have it, own ones often do not.",
			"A cache is packed by what the machine that saves it has: all machines that share a cache need the same.",
		},
		Any: []Pattern{
			{Line: `tar\S*( \(child\))?: [\w /.-]+: Cannot (exec|run)\b`},
		},
		Example:  "/usr/bin/tar: zstd -d: Cannot exec: No such file or directory",
		NearMiss: "/usr/bin/tar: Unexpected EOF in archive",
	},
	{
		ID: "S-X96", Over: []string{"S-B84"}, Stage: Process, Class: InProcess, Also: Env, From: Platform,
		Title: "Conda's strict order of channels hides the version that is needed",
		Steps: []string{
			"With `channel_priority: strict` a package comes from the first channel that has it in any version: put the channel with the wanted one first, or name it (`channel::package`).",
			"Or set `channel_priority: flexible` for this environment.",
		},
		Any: []Pattern{
			{Line: `excluded (because of|due to|by) strict (repo|channel) priority`},
		},
		Example:  "cuda-version >=12,<12.6.0a0, which is excluded because of strict repo priority.",
		NearMiss: "channel_priority: strict",
	},
	{
		ID: "S-X110", Over: []string{"S-B24", "S-B21", "S-I11"}, Stage: Process, Class: InProcess, Also: Env, From: Platform,
		Title: "The program is installed, but its folder is not on the PATH of the shell that calls it",
		Steps: []string{
			"Add the folder to PATH: `export PATH=...` in the same step; `echo FOLDER >> \"$GITHUB_PATH\"` works from the next step on only.",
			"In an image set it by `ENV PATH=...`: what a profile or `~/.cargo/env` sets is not read there.",
			"`sudo` has a PATH of its own (`secure_path`): call the program by its whole path, or without sudo.",
		},
		Any: []Pattern{
			{Line: `^sudo: [\w.+-]+: command not found$`},
		},
		Example:  "WARNING: The scripts py.test and pytest are installed in '/home/ci/.local/bin' which is not on PATH.\n/bin/bash: line 1: pytest: command not found",
		NearMiss: "WARNING: The scripts py.test and pytest are installed in '/home/ci/.local/bin' which is not on PATH.\n/bin/bash: line 1: jq: command not found",
	},
	{
		ID: "S-X111", Stage: Process, Class: InProcess, Also: Env, From: Platform,
		Title: "In the job's container HOME is another folder than in the image, so that tools do not find what was installed in it",
		Steps: []string{
			"The runner sets HOME for the container: install Rust in the image outside of it, with RUSTUP_HOME and CARGO_HOME set by `ENV`.",
			"Or set `HOME: /root` (or both variables) for the steps that need it.",
			"The toolchain is in the image: nothing need be installed.",
		},
		Example:  "/usr/bin/docker create --name ci -e \"HOME=/github/home\" ci-rust:1\nerror: rustup could not choose a version of cargo to run, because one wasn't specified explicitly, and no default is configured.",
		NearMiss: "/usr/bin/docker create --name ci ci-rust:1\nerror: rustup could not choose a version of cargo to run, because one wasn't specified explicitly, and no default is configured.",
	},
	{
		ID: "S-X112", Over: []string{"S-I32", "S-R41", "S-I11"}, Stage: Process, Class: Env, Also: InProcess, From: Platform,
		Title: "The job's image is too old for, or not made for, the Node with which the runner starts actions",
		Steps: []string{
			"Take a newer base image: Node 20 needs glibc 2.28, which CentOS 7 and Ubuntu 18.04 do not have; Alpine on ARM is not supported.",
			"Or run the actions outside, and only the build by `docker run` in the old image.",
			"No step of the job itself has run.",
		},
		Any: []Pattern{
			// No action runs without the runner's node: later steps fail for want of their files.
			{Line: "^/\\S*/node\\d*(_\\w+)?/bin/node: .*version `?GLIBC_[\\d.]+'? not found", Rank: Root},
			{Line: `^/__e/node\d+\w*/bin/node: (.*cannot open shared object|not found)`},
			{Line: `exec: "/__e/node\d+\w*/bin/node": .*no such file`},
		},
		Example:  "/__e/node20/bin/node: /lib64/libc.so.6: version `GLIBC_2.28' not found (required by /__e/node20/bin/node)",
		NearMiss: "/opt/tool/bin/node: /lib64/libc.so.6: version `GLIBC_2.28' not found (required by /opt/tool/bin/node)",
	},
	{
		ID: "S-X113", Stage: Process, Class: InProcess, From: Platform,
		Title: "The run is of a fork or of an automatic update: it gets no secrets, and its token may only read",
		Steps: []string{
			"Leave the step out for such runs (`if:` on the repository of the pull request), or do without the secret in it.",
			"What must write or log in goes into a second workflow (`workflow_run`) that does not run the change's code.",
			"For updates by a bot the secret has to be entered among the bot's own secrets.",
		},
		Example:  "Secret source: None\n##[error]Password required",
		NearMiss: "Secret source: Actions\n##[error]Password required",
	},
	{
		ID: "S-X114", Stage: Process, Class: Infra, Also: Env, From: Platform,
		Title: "The containers' network takes larger packets than the machine's own link carries: large answers are lost",
		Steps: []string{
			"Set the engine's MTU to that of the link (`\"mtu\": 1450` in its configuration, `com.docker.network.driver.mtu` for networks of a job) and restart it.",
			"Small requests work and TLS handshakes and downloads hang: that is its mark. The server is not at fault.",
		},
		Example:  "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc mq\n3: docker0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue\nGet \"https://registry.example.invalid/v2/\": net/http: TLS handshake timeout",
		NearMiss: "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq\n3: docker0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue\nGet \"https://registry.example.invalid/v2/\": net/http: TLS handshake timeout",
	},
	{
		ID: "S-X115", Over: []string{"S-B25"}, Stage: Process, Class: Infra, Also: Env, From: Platform,
		Title: "A server is asked for by IPv6, and the machine has no way out by it",
		Steps: []string{
			"Switch IPv6 off for the machine or the container, or prefer IPv4 (`precedence ::ffff:0:0/96 100` in /etc/gai.conf, `--ipv4`, `-4`).",
			"Or give the network a route for IPv6. The server is not at fault.",
		},
		Any: []Pattern{
			{Line: `\[[0-9a-f:]*:[0-9a-f:]+\]:\d+: connect: (network is unreachable|cannot assign requested address|no route to host)|[Cc]ould not connect to \S+ \([0-9a-f]*:[0-9a-f:]+\).*(Network is unreachable|Cannot assign requested address)|connect to [0-9a-f]+:[0-9a-f:]+ port \d+.* failed: (Network is unreachable|Cannot assign)|ENETUNREACH [0-9a-f]*:[0-9a-f:]+`},
		},
		Example:  "dial tcp [2001:db8:0:8000::154]:443: connect: network is unreachable",
		NearMiss: "dial tcp 203.0.113.9:443: connect: network is unreachable",
	},
	{
		ID: "S-X116", Over: []string{"S-R18", "S-R20"}, Stage: Process, Class: Infra, Also: Env, From: Platform,
		Title: "The driver's kernel module does not load: it was not built for the kernel that runs, or the system refuses it",
		Steps: []string{
			"Compare `uname -r` with `dkms status`: after an update of the kernel install its headers and build the module (`dkms autoinstall`), or start the older kernel.",
			"`Key was rejected`: Secure Boot wants a signed module; enrol its key or switch that off. If nouveau has the GPU, put it on the block list and make the initial RAM disk anew.",
			"Hold kernel and driver back from unattended updates. The change is not at fault.",
		},
		Any: []Pattern{
			{Line: `could not insert '?nvidia\w*'?: (Key was rejected|Required key not available|Exec format error|Unknown symbol|Invalid argument)|is already bound to nouveau|NVRM: The NVIDIA probe routine was not called|nvidia: (loading out-of-tree module .*disagrees|disagrees about version of symbol|version magic)|Bad return status for module build on kernel: `},
		},
		Example:  "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service",
		NearMiss: "nvidia/580.95.05, 6.8.0-88-generic, x86_64: installed",
	},
	{
		ID: "S-X117", Stage: Process, Class: InProcess, From: Platform,
		Title: "A container is started from within the job's container, and the folder that it mounts is looked for on the machine itself, where it is not",
		Steps: []string{
			"The engine takes the path of `-v` on its own host: name the folder's place there (the runner's `_work` folder), or copy the files in (`docker cp`, an image).",
			"Or share the job's own mounts: `--volumes-from \"$(hostname)\"`.",
			"The script is in the checkout: the new container's folder is empty.",
		},
		Example:  "/usr/bin/docker create --name ci -v \"/var/run/docker.sock\":\"/var/run/docker.sock\" ci:1\ndocker run --gpus all -v $PWD:/w -w /w test bash ci/run.sh\nbash: ci/run.sh: No such file or directory",
		NearMiss: "docker run --gpus all -v $PWD:/w -w /w test bash ci/run.sh\nbash: ci/run.sh: No such file or directory",
	},
	{
		ID: "S-X118", Over: []string{"S-R25", "S-R22", "S-X10"}, Stage: Process, Class: InProcess, From: Platform,
		Title: "The job was cancelled because another one of its matrix failed",
		Steps: []string{
			"Read the log of the job that is named: this one tells nothing.",
			"To let all of them end set `fail-fast: false` in the workflow's strategy.",
		},
		Any: []Pattern{
			{Line: `strategy configuration was cancell?ed because|because "?\S+"? failed.*fail-fast|[Cc]ancell?ed (by|because of|due to) fail-?fast`},
		},
		Example:  "##[error]The strategy configuration was canceled because \"test_3_12\" failed\n##[error]The operation was canceled.",
		NearMiss: "strategy: fail-fast is true, 4 jobs\n##[error]The operation was canceled.",
	},
	{
		ID: "S-X120", Over: []string{"S-R41", "S-R32"}, Stage: Process, Class: Env, Also: Infra, From: Platform,
		Title: "The job cannot talk to the container engine: it does not run, or its socket is not for the job's user or not in the job's container",
		Steps: []string{
			"See whether it runs (`systemctl status docker`) and what its log says of the end.",
			"For `permission denied` let the user into the group `docker`, and start the runner anew: groups are read at the login.",
			"Inside of a container mount `/var/run/docker.sock`, or set DOCKER_HOST to the service that has one.",
		},
		Any: []Pattern{
			{Line: `permission denied while trying to connect to the [Dd]ocker|Got permission denied while trying to connect to the Docker|[Cc]annot connect to the Docker daemon|[Ii]s the docker daemon running|failed to connect to the docker API|Cannot connect to Podman`},
		},
		Example:  "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock",
		NearMiss: "docker: Error response from daemon: permission denied on /src",
	},
	{
		ID: "S-X121", Over: []string{"S-R41"}, Stage: Process, Class: InProcess, Also: Infra, From: Platform,
		Title: "A container of that name, or one that holds the port, is still there from an earlier job",
		Steps: []string{
			"Remove it (`docker rm -f NAME`), and let the job do so at its end in any case (`--rm`, a step with `if: always()`).",
			"Give names and ports that are of this run alone (`$GITHUB_RUN_ID`, port 0), so that two jobs on one machine do not meet.",
		},
		Any: []Pattern{
			{Line: `Conflict\. The container name "[^"]*" is already in use|the container name "[^"]*" is already in use|name \S+ is in use: container already exists`},
			{Line: `Bind for \S+ failed: port is already allocated|failed to bind host port \S+.*address already in use`},
		},
		Example:  "docker: Error response from daemon: Conflict. The container name \"/ci-gpu\" is already in use by container \"0a1b\".",
		NearMiss: "docker: Error response from daemon: Conflict. The image is in use by container \"0a1b\".",
	},
	{
		ID: "S-X119", Stage: Process, Class: Env, Also: Infra, From: Platform,
		Title: "SELinux or AppArmor denies the access: the file's mode is not what forbids it",
		Steps: []string{
			"Read the denial: which program, which label or profile, which file.",
			"For a mounted folder let the engine label it (`-v a:b:Z`); for the GPU allow it (`container_use_devices`, `--security-opt label=type:nvidia_container_t`), or use CDI.",
			"Not `chmod`, nor root's rights: both are of no help here.",
		},
		Any: []Pattern{
			{Line: `\bavc: +denied\b|\bapparmor="DENIED"|AVC avc:`, With: []string{"S-R18", "S-R20", "S-R32", "S-R82", "S-R41", "S-X33", "S-X28", "S-B53", "S-R30"}, Rank: Root},
		},
		Example:  "audit: avc:  denied  { map } for  pid=99 comm=\"python\" path=\"/dev/nvidiactl\"\nRuntimeError: No CUDA GPUs are available",
		NearMiss: "audit: avc:  granted  { map } for  pid=99 comm=\"python\" path=\"/dev/nvidiactl\"\nRuntimeError: No CUDA GPUs are available",
	},
	{
		ID: "S-X122", Stage: Process, Class: InProcess, From: Platform,
		Title: "The container or the step was started without a network, and something in it wants one",
		Steps: []string{
			"Take `--network none` away, or fetch what is needed before (models, packages) and mount it.",
			"Server and name service are not at fault.",
		},
		Example:  "docker run --network none --gpus all ci:1 pytest tests\nurllib3: Temporary failure in name resolution",
		NearMiss: "docker run --network host --gpus all ci:1 pytest tests\nurllib3: Temporary failure in name resolution",
	},
	{
		ID: "S-X123", Stage: Process, Class: InProcess, Also: Host, From: Platform,
		Title: "A step of the image's build needs the GPU, and a build has none",
		Steps: []string{
			"Move it to where the container runs (`docker run --gpus all`): builds get no GPU, whatever the machine has.",
			"What only asks for the architecture can be told it: `TORCH_CUDA_ARCH_LIST`, CMAKE_CUDA_ARCHITECTURES. For linking the toolkit's stubs will do.",
		},
		Example:  "RuntimeError: Found no NVIDIA driver on your system.\nERROR: failed to solve: process \"/bin/sh -c python warm.py\" did not complete successfully: exit code: 1",
		NearMiss: "RuntimeError: Found no NVIDIA driver on your system.\nERROR: the process ended with exit code: 1",
	},
	{
		ID: "S-X124", Over: []string{"S-R22"}, Stage: Process, Class: InProcess, Also: Infra, Rank: Root, From: Platform,
		Title: "The job starved its own runner: memory or processors were used up before the contact was lost",
		Steps: []string{
			"Let the build do less at a time: MAX_JOBS, `cargo build -j`, `ninja -j`, nvcc's `--threads`, and one build after the other; count 2 to 4 GiB for each nvcc.",
			"Or take a larger runner, or give it swap; put the job under a memory limit of its own, so that it is ended and not the runner.",
			"Network and service are not at fault: another run ends the same way.",
		},
		Example:  "13:05  mem_avail= 0.1G  load1=143.5  psi_mem_full10=93.2\nThe self-hosted runner: gpu-3 lost communication with the server.",
		NearMiss: "13:05  mem_avail= 9.1G  load1=3.5  psi_mem_full10=0.2\nThe self-hosted runner: gpu-3 lost communication with the server.",
	},
	{
		ID: "S-X125", Stage: Process, Class: Env, Also: Infra, Rank: Root, From: Platform,
		Title: "One thing alone is otherwise than in the last good run of the same sources: a version or the machine moved",
		Steps: []string{
			"Put it back (hold the version, or take the machine of the good run), and run the same commit again.",
			"If that is good, the change is not at fault: report it where the thing is from, or see what its release notes say of this.",
			"If it is not good either, something moved that the comparison does not list.",
		},
		Example:  "FAILED tests/ops/test_a.py::test_op[64] - AssertionError: values differ\nCompared with the last good run:\ncommit   9f1c2ab   9f1c2ab\ndriver   580.95.05   590.44.01",
		NearMiss: "FAILED tests/ops/test_a.py::test_op[64] - AssertionError: values differ\nCompared with the last good run:\ncommit   9f1c2ab   8e11aa0\ndriver   580.95.05   590.44.01",
	},
	{
		ID: "S-X130", Over: []string{"S-R32", "S-B74", "S-B90", "S-B25", "S-X41", "S-B28"}, Stage: Process, Class: Infra, Also: InProcess, From: Platform,
		Title: "The folder belongs to another user than the job's: a cache that several users of the machine share, or a folder of the host that a container mounts",
		Steps: []string{
			"Give each user or runner its own, with its name or number in the path: UV_CACHE_DIR, TRITON_CACHE_DIR, TORCHINDUCTOR_CACHE_DIR, TORCH_EXTENSIONS_DIR, SCCACHE_DIR, CARGO_HOME, TMPDIR.",
			"A folder that is mounted into a container keeps the owner that it has on the host: `chown` it there to the number of the container's user. A `chown` in the image's build changes what the mount hides.",
			"If it is to be shared, give it a common group, the mode `g+ws` and the jobs `umask 002`; new files of one user are else closed to the others.",
			"The test that fails is the first one that wants to write there.",
		},
		Example:  "uid=1001(ci-b) gid=1001(ci-b)\ndrwxrwxr-x 4 1000 1000 4096 Nov  9 19:39 /data/uv\nerror: failed to open file `/data/uv/sdists-v9/.git`: Permission denied (os error 13)",
		NearMiss: "uid=1000(ci-a) gid=1000(ci-a)\ndrwxrwxr-x 4 1000 1000 4096 Nov  9 19:39 /data/uv\nerror: failed to open file `/data/uv/sdists-v9/.git`: Permission denied (os error 13)",
	},
	{
		ID: "S-X131", Over: []string{"S-R32", "S-B53", "S-B29", "S-B50"}, Stage: Process, Class: InProcess, Also: Env, From: Platform,
		Title: "What the job starts or writes lies in root's own folder (/root), which no other user may enter",
		Steps: []string{
			"Install it where all users may read, when the image is made: `UV_PYTHON_INSTALL_DIR=/opt/python`, `CARGO_HOME=/usr/local/cargo`, `RUSTUP_HOME=/usr/local/rustup`, a venv below /opt.",
			"Or make it as the user that runs the job (`USER` before the installation).",
			"If the path is the job's own HOME, set HOME to a folder of this user (`docker run -e HOME=/tmp/home`).",
		},
		Example:  "uid=1000(ci) gid=1000(ci)\nlrwxrwxrwx 1 root root 67 Nov 20 10:00 /app/.venv/bin/python3 -> /root/.local/share/uv/python/bin/python3.12\nerror: failed to canonicalize path `/app/.venv/bin/python3`: Permission denied (os error 13)",
		NearMiss: "uid=0(root) gid=0(root)\nerror: failed to create directory `/root/.cache/uv`: Permission denied (os error 13)",
	},
	{
		ID: "S-X132", Over: []string{"S-R24", "S-B27", "S-R87"}, Stage: Process, Class: InProcess, Also: Test, From: Platform,
		Title: "The test workers together need more memory than the machine or the container has: the system killed some of them",
		Steps: []string{
			"Run fewer: `-n 2`, or as many as the memory holds (each loads PyTorch and its own reference); `-n auto` counts processors.",
			"Hold the largest cases apart: `--dist loadgroup` with one group for them, or a run of their own with `-n 0`.",
			"Raise the limit of the container (`--memory`, the pod's limits) if they are meant to run so.",
			"The case that is named is only the one that ran in the killed worker.",
		},
		Example:  "8 workers [412 items]\n[gw3] node down: Not properly terminated\nworker 'gw3' crashed while running 'tests/test_mla.py::test_big[4096]'\noom_kill 2",
		NearMiss: "8 workers [412 items]\n[gw3] node down: Not properly terminated\nworker 'gw3' crashed while running 'tests/test_mla.py::test_big[4096]'\noom_kill 0",
	},
	{
		ID: "S-X133", Over: []string{"S-B87", "S-B104", "S-B89", "S-B88", "S-B48", "S-B56", "S-B24", "S-B91", "S-B02", "S-B26", "S-B58", "S-B72", "S-B106", "S-B75", "S-J32", "S-B203", "S-X36"}, Stage: Process, Class: Env, Also: InProcess, From: Platform,
		Title: "Several versions of one tool are on the machine, and the one that PATH finds first is not the one that is meant",
		Steps: []string{
			"`which -a TOOL` lists them in order, `TOOL --version` tells the first one's: an environment of conda, a venv or the distribution stands before the one that the job installed.",
			"Put the right folder first (PATH, GITHUB_PATH), name the tool by its full path (CUDACXX, CMAKE_CUDA_COMPILER, CARGO, `-DCMAKE_...`), or remove the other one.",
			"Let the variables agree with it: CUDA_HOME and the nvcc on PATH are to be of one toolkit.",
			"Nothing has to be installed or raised, and the sources are not at fault.",
		},
		Example:  "cmake is /usr/bin/cmake\ncmake is /opt/venv/bin/cmake\nCMake Error at CMakeLists.txt:1 (cmake_minimum_required):\n  CMake 3.28 or higher is required.  You are running version 3.22.1",
		NearMiss: "cmake is /usr/bin/cmake\nCMake Error at CMakeLists.txt:1 (cmake_minimum_required):\n  CMake 3.28 or higher is required.  You are running version 3.22.1",
	},
	{
		ID: "S-X135", Over: []string{"S-R24"}, Stage: Process, Class: Host, Also: Kernel, From: Platform,
		Title: "The process crashed inside of the library that the system's log names",
		Steps: []string{
			"Find the place: `addr2line -Cfe LIBRARY` with `ip` less the first number in the brackets; build it with debug information before. An address next to 0 is a null pointer.",
			"Run the named case alone and without workers, under `gdb --args python -m pytest ...` or with PYTHONFAULTHANDLER=1: what passes alone depends on what ran before it in that worker.",
			"If the library is libcuda, libpython or libc, look at its caller in the stack: what it was given is at fault.",
		},
		Example:  "[gw1] node down: Not properly terminated\n[88211.101] python[40211]: segfault at 0 ip 00007f2a1c2b1f30 sp 00007ffd1 error 4 in libtilekernels.so[7f2a1c200000+8c000]",
		NearMiss: "[gw1] node down: Not properly terminated\n[88211.101] python[40211]: exited",
	},
	{
		ID: "S-X136", Over: []string{"S-R20", "S-R18", "S-R82"}, Stage: Process, Class: Env, From: Platform,
		Title: "The image holds libraries of the driver of its own, of another version than the host's driver",
		Steps: []string{
			"Look for them in the image: `find / -name 'libnvidia-ml.so*' -o -name 'libcuda.so*'` without `--gpus`; there should be none but stubs.",
			"Take the packages that bring them out of the build file (`nvidia-driver-*`, `nvidia-utils-*`, `libnvidia-compute-*`, `cuda-drivers`, the package `cuda` in place of `cuda-toolkit-*`, installers that add a driver).",
			"The host is in order (its own nvidia-smi works): a reboot changes nothing.",
		},
		Example:  "NVIDIA-SMI 580.95.05\n$ docker run --rm --gpus all ci-image:main nvidia-smi\nFailed to initialize NVML: Driver/library version mismatch\nNVML library version: 570.133",
		NearMiss: "$ docker run --rm --gpus all ci-image:main nvidia-smi\nFailed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.105",
	},
	{
		ID: "S-X137", Over: []string{"S-R32", "S-X63", "S-X41", "S-X130"}, Stage: Process, Class: Infra, From: Platform,
		Title: "The folders in which enroot works (cache, data, run) may not be used by this user: another one made them, or nobody made them on this node",
		Steps: []string{
			"`grep PATH /etc/enroot/enroot.conf` names them; `ls -ld` them on the node that failed. Let each carry the user's number (`/run/enroot/user-$(id -u)`), and let the prolog or the node's start make them (mode 0700, below a folder with 1777).",
			"A cache for a group needs files that the group may read: enroot writes them for the user alone (`chmod g+r` in the epilog, or a cache for each user).",
			"Until then take another node, or set ENROOT_CACHE_PATH, ENROOT_DATA_PATH and ENROOT_RUNTIME_PATH to folders of this user.",
			"Image and credentials are in order.",
		},
		Any: []Pattern{
			{Line: `\b(?:pyxis|enroot)\b.*(?:Permission denied|Permiso denegado|Permission non)|(?:cannot create directory|cannot open|Cannot open)\b.*enroot\S*: Permission denied`, Not: `publickey|user namespace|enroot-nsenter|failed to execute`, Rank: Root},
		},
		Example:  "slurmstepd: error: pyxis:     mkdir: cannot create directory '/run/enroot': Permission denied",
		NearMiss: "slurmstepd: error: pyxis:     mkdir: cannot create directory '/run/enroot': No space left on device",
	},
	{
		ID: "S-X138", Over: []string{"S-X23", "S-R32"}, Stage: Process, Class: Infra, Also: InProcess, From: Platform,
		Title: "An earlier job left folders that not even their owner may write (Go's module cache, an unpacked archive), so that they cannot be removed",
		Steps: []string{
			"Give the right back and remove them: `chmod -R u+w DIR && rm -rf DIR` (`go clean -modcache` for Go's).",
			"Let that tool keep its cache outside of the work tree (GOMODCACHE, or `-modcacherw`), or clean up at the end of the job that makes it.",
			"The files' owner is right: a `chown` or running as root hides the cause.",
		},
		Example:  "File was unable to be removed Error: EACCES: permission denied, rmdir '/w/tile/.cache/text@v0.14.0/cases'\ndr-xr-xr-x 2 runner runner 4096 Dec 23 20:48 cases",
		NearMiss: "File was unable to be removed Error: EACCES: permission denied, rmdir '/w/tile/.cache/text@v0.14.0/cases'\ndrwxr-xr-x 2 root root 4096 Dec 23 20:48 cases",
	},
	{
		ID: "S-X139", Over: []string{"S-X120"}, Stage: Process, Class: InProcess, Also: Infra, From: Platform,
		Title: "The job asked the container engine before it was ready: it starts beside the job and answered only later",
		Steps: []string{
			"Wait for it in the step: `until docker info >/dev/null 2>&1; do sleep 1; done`, with a limit.",
			"Or let the runner wait (DOCKER_WAIT_FOR_DOCKER_SECONDS, a readiness check of the dind container).",
			"Socket and rights are in order.",
		},
		Example:  "ERROR: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\ndind level=info msg=\"API listen on /var/run/docker.sock\"",
		NearMiss: "dind level=info msg=\"API listen on /var/run/docker.sock\"\nERROR: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
	},
	{
		ID: "S-X140", Over: []string{"S-X23", "S-R60"}, Stage: Process, Class: Infra, From: Platform,
		Title: "Two runners of the machine work in one folder: their checkouts and builds meet",
		Steps: []string{
			"Give each runner a work folder of its own (`config.sh --work`, a folder for each installation), then start them anew.",
			"Do not remove the lock while the other job runs: it is in use.",
		},
		Example:  "ci 3311 Runner.Worker /opt/ci (gpu-03-a)\nci 3409 Runner.Worker /opt/ci (gpu-03-b)\nerror: Unable to create '/opt/ci/_work/tile/tile/.git/index.lock': File exists.",
		NearMiss: "ci 3311 Runner.Worker /opt/ci-a (gpu-03-a)\nci 3409 Runner.Worker /opt/ci-b (gpu-03-b)\nerror: Unable to create '/opt/ci-a/_work/tile/tile/.git/index.lock': File exists.",
	},
	{
		ID: "S-X141", Over: []string{"S-R30", "S-B29", "S-X59"}, Stage: Process, Class: Infra, Also: InProcess, From: Platform,
		Title: "The user's or project's quota on the file system is used up, though the file system itself has room",
		Steps: []string{
			"`quota -s`, `lfs quota -h`, `df -i` tell how much is used, of space and of files; `du -xsh ~/.cache ~/.local ~/.cargo ~/.conda` where it went.",
			"Move the caches to the node's own disk: UV_CACHE_DIR, PIP_CACHE_DIR, HF_HOME, TRITON_CACHE_DIR, CARGO_TARGET_DIR.",
			"Remove what earlier jobs left (`uv cache prune`, `pip cache purge`), or ask for a larger quota.",
		},
		Any: []Pattern{
			{Line: `[Dd]isk quota exceeded|\bEDQUOT\b|\(os error 122\)|\[Errno 122\]`, Rank: Root},
		},
		Context:  `/cache|\.cache/|^/|quota`,
		Example:  "failed to copy file from /home/ci/.cache/uv/a to /home/ci/.venv/a: Disk quota exceeded (os error 122)",
		NearMiss: "failed to copy file from /home/ci/.cache/uv/a to /home/ci/.venv/a: No space left on device (os error 28)",
	},
	{
		ID: "S-X142", Over: []string{"S-R30", "S-B29"}, Stage: Process, Class: Infra, Also: InProcess, From: Platform,
		Title: "The folder for temporary files (/tmp) is small: it lies in memory or on a partition of its own, and what is unpacked or built there does not fit",
		Steps: []string{
			"Point TMPDIR at a folder on the large disk for this step (pip, compilers and archives unpack below it).",
			"Or enlarge it: `mount -o remount,size=16G /tmp`, `--tmpfs /tmp:size=16g` or no tmpfs for the container.",
			"Afterwards it is empty again: `df` after the failure shows room.",
		},
		Example:  "tmpfs           2.0G  1.1G  0.9G  55% /tmp\nERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
		NearMiss: "tmpfs           2.0G  1.1G  0.9G  55% /run\nERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
	},
	{
		ID: "S-X144", Over: []string{"S-R22"}, Stage: Process, Class: InProcess, Also: Infra, From: Platform,
		Title: "No runner took the job: none that is online has all labels that it asks for, or all that have are busy",
		Steps: []string{
			"Compare the labels of the job (`runs-on`, \"Requested labels\") with those of the runners that are online, letter by letter.",
			"If one fits, see why it takes no work: it is busy, its group is not open to this repository, or its program waits for an update.",
			"A new run waits for the same.",
		},
		Example:  "Requested labels: self-hosted, gpu, h100\nWaiting for a runner to pick up this job...\n##[error]The job was not acquired by Runner of type hosted even after multiple attempts",
		NearMiss: "Requested labels: self-hosted, gpu, h100\nWaiting for a runner to pick up this job...\nJob is about to start running on the runner: gpu-3\n##[error]The self-hosted runner: gpu-3 lost communication with the server.",
	},
	{
		ID: "S-X145", Over: []string{"S-R18", "S-R32", "S-R82"}, Stage: Process, Class: Infra, From: Platform,
		Title: "The GPU's device files are for a group that the job's user is not in",
		Steps: []string{
			"Let the user into that group (`usermod -aG video,render USER`) and start the runner anew: groups are read at the login. For a container: `--group-add` with the group's number.",
			"Or let the driver make them for all: `NVreg_DeviceFileMode=0666` among the module's options, and no udev rule against it.",
			"Driver and GPU are in order: root sees them.",
		},
		Example:  "crw-rw---- 1 root video 195, 0 Nov 20 10:00 /dev/nvidia0\nuid=1001(ci) gid=1001(ci) groups=1001(ci)\nE  RuntimeError: No CUDA GPUs are available",
		NearMiss: "crw-rw---- 1 root video 195, 0 Nov 20 10:00 /dev/nvidia0\nuid=1001(ci) gid=1001(ci) groups=1001(ci),44(video)\nE  RuntimeError: No CUDA GPUs are available",
	},
	{
		ID: "S-X146", Over: []string{"S-X41", "S-B24", "S-J37", "S-B18", "S-X110", "S-X28"}, Stage: Process, Class: InProcess, From: Platform,
		Title: "Under `sudo` the job's PATH and variables are gone, so that a tool that is there is not found",
		Steps: []string{
			"Do without sudo: install below a folder of the job's user.",
			"Or hand them over: `sudo env \"PATH=$PATH\" \"CUDA_HOME=$CUDA_HOME\" ...`; `sudo -E` keeps variables, but PATH and LD_LIBRARY_PATH only where `secure_path` allows it.",
			"The tool is installed: `which` finds it in the same step without sudo.",
		},
		Example:  "/usr/local/cuda/bin/nvcc\n$ sudo make install\nmake: nvcc: No such file or directory\nmake: *** [Makefile:12: kern.o] Error 127",
		NearMiss: "/usr/local/cuda/bin/nvcc\n$ make install\nmake: nvcc: No such file or directory\nmake: *** [Makefile:12: kern.o] Error 127",
	},
	{
		ID: "S-X147", Over: []string{"S-R30"}, Stage: Process, Class: InProcess, From: Platform,
		Title: "The folder is mounted read-only into the container (`:ro`), and the job writes into it",
		Steps: []string{
			"Send what is written elsewhere: CARGO_TARGET_DIR, `-B` of CMake, `-p no:cacheprovider` and PYTHONDONTWRITEBYTECODE=1 for pytest, `--basetemp`.",
			"Or mount it without `:ro`, or a copy of it.",
			"The disk is in order and has room.",
		},
		Example:  "docker run -v /src/tile:/src:ro ci cargo build\nerror: failed to create directory `/src/target`\nCaused by:\n  Read-only file system (os error 30)",
		NearMiss: "docker run -v /src/tile:/src ci cargo build\nerror: failed to create directory `/src/target`\nCaused by:\n  Read-only file system (os error 30)",
	},
}
