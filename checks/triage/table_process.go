package triage

// verdictLine is the line that ends the report of a stage.
const verdictLine = `^VERDICT: (PASS|PASS_WITH_NOTES|COMPILED|FAIL_COMPILE|FAIL_FIXABLE|FAIL_COMPILER_BUG|ALL_PASS|FAIL|DONE|INVESTIGATE|FIXABLE|ALIGNED|BLOCKED)$`

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
		Title: "A conversion without the later stages was blocked, or its build log says nothing",
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
		ID: "S-X05", Stage: Process, Class: Kernel, Also: Host, Rank: Weak, From: Rustc,
		Title: "A Rust test failed",
		Steps: []string{
			"Read what the named test printed; the first panic is the cause.",
			"Run it alone with `cargo test NAME -- --nocapture`.",
		},
		Any:     []Pattern{{Line: `^test result: FAILED\. \d+ passed; [1-9]\d* failed`}, {Line: `^test \S+ \.\.\. FAILED$`}},
		Context: `^---- \S+ stdout ----$|\bpanicked at `,
		Example: "thread 'pipeline::bmm' panicked at tests/pipeline.rs:40:5:\nassertion `left == right` failed\ntest pipeline::bmm ... FAILED\ntest result: FAILED. 3 passed; 1 failed; 0 ignored", NearMiss: "test result: ok. 4 passed; 0 failed; 0 ignored",
	},
}
