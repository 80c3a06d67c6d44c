package triage

import "math"

// mismatches are the signatures of values that differ from the reference's.
var mismatches = []string{"S-C01", "S-C02", "S-C03", "S-C04", "S-C06", "S-C07", "S-C09", "S-C14", "S-C16", "S-C17", "S-C18", "S-C19", "S-C21", "S-C22", "S-C25", "S-C28", "S-C29", "S-C31", "S-C32"}

// mismatchLine is a line that says that values differ.
const mismatchLine = `DID NOT MATCH THE REFERENCE|-likes are not (close|equal)!|Mismatched elements: \d`

// exactly ends a phrase that compares with a more exact computation.
const exactly = `(fp32|float32|f32|fp64|float64|f64|double|exact|gold\w*|oracle)\b`

// badCall is what Python says of a call that does not fit the function's signature.
const badCall = `\bTypeError\W{1,3}[\w.<>]+\(\) (got an unexpected keyword argument|missing \d+ required (positional|keyword-only) argument|takes (from \d+ to )?\d+ positional arguments? but \d+|got multiple values for argument)`

// script is the path of a benchmark or of a helper script.
const script = `((bench(mark)?s?|scripts|tools|perf|profiling|examples|ci)/(\S+/)?[\w-]+|[\w-]*bench(mark)?[\w-]*|perf_\w+|profile_\w+|run_\w+)\.py`

// inKernel are words of a setting that is a kernel's, not the tensor library's.
const inKernel = `\btl\.dot\b|input_precision|\b([Kk]ernel|[Tt]riton|cutile\w*|ours)\b`

// exactProducts says that the tensor library multiplies matrices exactly, whatever its
// convolutions do.
const exactProducts = `matmul\.allow_tf32\W{1,4}[Ff]alse|matmul_precision\W{1,4}highest`

// scored names the score of a model.
const scored = `\b([Aa]ccuracy|(eval|model|task)[ _]score|gsm8k|GSM8K|mmlu|MMLU|exact_match|[Pp]erplexity|ppl|PPL|bleu|BLEU|wer|WER)\b`

var correctnessRows = []Row{
	{
		ID: "S-C05", Stage: Correctness, Class: Host, Rules: []string{"R16", "R35"}, From: TileGym,
		Title:   "The output has another data type than the reference",
		Steps:   []string{"Allocate the output with the reference's data type."},
		Any:     []Pattern{{Line: `\bdtype mismatch, test:`}, {Line: `The values for attribute 'dtype' do not match|AssertionError: ((\w+\.)?dtype\b|.*\bdtype (mismatch|differs|is wrong))`}},
		Example: "RuntimeError: dtype mismatch, test: torch.float32, reference: torch.float16", NearMiss: "dtype mismatch between a and b",
	},
	{
		ID: "S-C11", Stage: Correctness, Class: Host, Rules: []string{"R35"}, From: TileGym,
		Title:   "The output has another layout than the reference",
		Steps:   []string{"Return a contiguous tensor where the reference does.", "If the reference returns a view, return the same view."},
		Any:     []Pattern{{Line: `\bstride mismatch, test:`}, {Line: `The values for attribute 'stride\(\)' do not match|AssertionError: .*\bcontiguous\b|where False = .*\bis_contiguous\b`}},
		Example: "RuntimeError: stride mismatch, test: (1, 64), reference: (64, 1)", NearMiss: "stride mismatch ignored",
	},
	{
		ID: "S-C08", Stage: Correctness, Class: Test, Rules: []string{"R37"}, From: TileGym,
		Title:   "A backward test reached a forward-only backend",
		Steps:   []string{"Skip the backward cases for cutile-rs, with a reason that says forward-only."},
		Any:     []Pattern{{Line: `GRAD FOR: .* DID NOT MATCH`}, {Line: `element \d+ of tensors does not require grad and does not have a grad_fn`}},
		Example: "*** GRAD FOR: x DID NOT MATCH THE REFERENCE (rtol=0.01, atol=0.01) ***", NearMiss: "*** GRAD FOR: x MATCHED THE REFERENCE (rtol=0.01, atol=0.01) ***",
	},
	{
		ID: "S-C01", Over: []string{"S-C14", "S-C21"}, Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R43", "R35"}, From: TileGym,
		Title: "The output was never written",
		Steps: []string{
			"Check that the wrapper returns the tensor that it passed to the kernel.",
			"Check that the grid is not empty and the function does not return early.",
			"Look for a launch error that was swallowed (S-R05).",
		},
		Compare: func(c Comparison) bool {
			return !c.Grad && c.Matched == 0 && c.Test.finite() && c.Test.Size() <= 1e-6*max(c.Ref.Size(), 1e-30)
		},
		Example:  "*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=0.001) ***\nallclose: False\nmatched: 0 / 4096 [0.00%]\nref range:    -3.1000e+00 :  2.9000e+00\ntest range:    0.0000e+00 :  0.0000e+00",
		NearMiss: "*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=0.001) ***\nmatched: 4000 / 4096 [97.66%]\nref range:    -3.1000e+00 :  2.9000e+00\ntest range:    0.0000e+00 :  2.9000e+00",
	},
	{
		ID: "S-C09", Over: []string{"S-C14", "S-C21"}, Stage: Correctness, Class: Kernel, Rules: []string{"R48", "R19", "R26"}, From: TileGym,
		Title: "The output has NaN or infinity where the reference is finite",
		Steps: []string{
			"See whether it happens for inputs of large magnitude only: then a rewrite overflows that the reference avoids.",
			"Compare the order of scaling and exponential with the reference.",
			"Compare approximation and flush-to-zero modes with the reference.",
			"If only rows that are masked throughout have it, the largest value of nothing is subtracted: treat them on their own.",
		},
		Any: []Pattern{
			{Line: `^Greatest absolute difference: (nan|inf) at index`},
			{Line: `\b(x and y )?[+-]?(nan|inf|NaN|NaT) location mismatch|^Max absolute difference: nan$|Function '\w+' returned nan values in its \d+th output`},
			{Line: `\b[Nn]a[Nn] != -?(\d|inf)|\b(kernel|got|actual|ours|out\w*|test)[ :=]+[Nn]a[Nn],? .*\b(ref\w*|expected|want)[ :=]+-?(inf|\d)`},
			{Line: `\b(test|output|result|kernel|actual|got)\b.*\b[1-9]\d* NaNs?\b.*\b(ref\w*|expected)\b.*\b0 NaN`},
			{Line: `\b[Nn]a[Nn]s?\b.*\b(out\w*|kernel|ours|got|test|y|result)\b.{0,12}[:=] ?[1-9]\d*\b.*\bref\w*\b.{0,12}[:=] ?0\b|\b(out|output|kernel|result|[Oo]utputs?) (has|have|contains?|holds?|is|are|shows?|gives?|yields?|produces?) (\d+ |only |all )?(NaN|nan|NaNs|inf|infinit\w+)\b`, Near: mismatchLine + `|^FAILED |AssertionError`, Within: 45},
			{Line: `where True = .*\b(isnan|isinf)\b|AssertionError: .*\b([Oo]utput|[Rr]esult|[Kk]ernel|[Ll]oss|[Gg]rad\w*|[Ll]ogits)\b.*\b(NaN|nan|inf)s?\b`},
		},
		Compare: func(c Comparison) bool {
			return !c.Grad && c.Ref.finite() && c.testSaid && !c.Test.finite()
		},
		Example:  "*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=0.001) ***\nmatched: 4000 / 4096 [97.66%]\nref range:    -3.1000e+04 :  2.9000e+04\ntest range:    -3.1000e+04 :         nan",
		NearMiss: "*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=0.001) ***\nmatched: 4000 / 4096 [97.66%]\nref range:            nan :         nan\ntest range:           nan :         nan",
	},
	{
		ID: "S-C02", Over: []string{"S-C14"}, Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R34", "R27", "R11"}, Rank: Weak, From: TileGym,
		Title: "Almost nothing matches, and the values have the reference's range: a permuted output",
		Steps: []string{
			"Find who transposes: exactly one of wrapper, ffi.rs and kernel may.",
			"Compare the pairs of axes, one after the other, on a small case with distinct sizes.",
		},
		Any: []Pattern{
			{Line: `\b([Tt]ranspos\w+|permut\w+|\.m?T\b).*\b(match\w*|equals?|agrees?|identical|correct)\b|\b(match\w*|equals?|agrees?|identical)\b.*(\b[Tt]ranspos\w+|\bpermut\w+|\w\.m?T\b)`, Not: `\.py::`, Near: mismatchLine, Within: 45},
			{Line: `\b(double|twice)[ -](transpos|permut)\w+|transposed (twice|again)|\bdim_map ?= ?\[1, ?0\]`, Near: mismatchLine, Within: 45},
		},
		Compare: func(c Comparison) bool {
			alike := func(a, b float64) bool { return math.Abs(a-b) <= 0.25*c.Ref.Size() }
			return !c.Grad && c.Matched <= 10 && c.Ref.finite() && c.Ref.Size() > 0 && alike(c.Ref.Min, c.Test.Min) && alike(c.Ref.Max, c.Test.Max)
		},
		Example:  "*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=0.001) ***\nmatched: 60 / 4096 [1.46%]\nref range:    -3.1000e+00 :  2.9000e+00\ntest range:    -3.0000e+00 :  2.9500e+00",
		NearMiss: "*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=0.001) ***\nmatched: 60 / 4096 [1.46%]\nref range:    -3.1000e+00 :  2.9000e+00\ntest range:    -9.0000e+02 :  8.0000e+02",
	},
	{
		ID: "S-C13", Over: []string{"S-C67", "S-J65", "S-R67", "S-R65"}, Stage: Correctness, Class: Infra, Also: Host, Rules: []string{"R38"}, From: Platform,
		Title: "A test ran out of time while tuning",
		Steps: []string{
			"Run a fixed configuration first; switch tuning off for correctness tests.",
			"Raise the limit, or tune before the tests, for perf: times without tuning do not count there.",
		},
		Any: []Pattern{{Line: `Timeout (\(>|>)[0-9.]+s|\++ Timeout \++`, Near: `autotune_launch|_bench_config_cupti|exhaustive_search|\bautotun`, Within: 45},
			{Line: `\bTileLaunchTimeoutError\b`},
		},
		Example: "  File \"autotuner.py\", line 130 in _bench_config_cupti\nFailed: Timeout (>60.0s) from pytest-timeout.", NearMiss: "autotune finished\nFailed: Timeouts are off",
	},
	{
		ID: "S-C12", Stage: Correctness, Class: Infra, Also: Host, Rules: []string{"R38"}, Rank: General, From: Platform,
		Title: "A test or a command ran out of time",
		Steps: []string{
			"If it is the first case, compiling and tuning take the time: run a canary first or raise the limit.",
			"If it is another, look for a loop in the kernel that does not end.",
		},
		Any: []Pattern{{Line: `Timeout (\(>|>)[0-9.]+s`}, {Line: `\+{3,} Timeout \+{3,}`},
			{Line: `^TIMEOUT \[ *\d|^\w+Error: .*[Tt]est (timed out|exceeded)`},
			{Line: `\bTimeoutExpired\b.*timed out after`},
			{Line: `\*\*\*Timeout +[\d.]+ sec|^\d+ - \S+ \(Timeout\)|^TIMEOUT: //|\bTIMEOUT in [\d.]+s\b|^panic: test timed out after`},
			{Line: `\bTimeout \(\d+:\d\d:\d\d\)!$`},
		},
		Example: "Failed: Timeout >60.0s", NearMiss: "timeout: 60.0s",
	},
	{
		ID: "S-C03", Over: []string{"S-C14", "S-C43"}, Stage: Correctness, Class: Kernel, Rules: []string{"R8", "R31"}, From: TileGym,
		Title:   "Only the fp32 cases fail, by little",
		Steps:   []string{"See whether one side multiplies in TF32 (a default of `tl.dot`, a flag of torch): compare its cast with the reference, both or neither.", "Accumulate in f32."},
		Records: each(onlyFP32),
	},
	{
		ID: "S-C04", Over: []string{"S-C14", "S-C43"}, Stage: Correctness, Class: Host, Rules: []string{"R35", "R16"}, From: TileGym,
		Title:   "Only one data type gives wrong values",
		Steps:   []string{"Compare the data type's code in the table, its arm in ffi.rs and the generics that it passes."},
		Records: each(onlyOneType),
	},
	{
		ID: "S-C06", Over: []string{"S-C01", "S-C09", "S-C02", "S-C14", "S-C27", "S-C43", "S-C49", "S-C50"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R45", "R28", "R21", "R20"}, From: TileGym,
		Title: "Only ragged shapes fail, or rows after a multiple of the number of SMs",
		Steps: []string{
			"Check the mask, the rounding up and the padding of the last tile.",
			"If the first wrong row is a multiple of the SM count, the grid is capped and the kernel lacks its loop over the rest.",
		},
		Any: []Pattern{
			{Line: `\b[Rr]ows? \d+ ?(\.\.|-|to|–) ?\d+ (are |is |stay )?(zeros?|unwritten|not written|never written|garbage|wrong)\b.*\bgrid`, With: mismatches},
			{Line: `\b[Gg]rid\b.*\b(capped|clamped|smaller than|fewer)\b.*\b(rows?|tiles?|blocks?)\b|\bkernel\b.*\bno (grid-stride |persistent )?loop\b|\bno (grid-stride |persistent )?loop\b.{0,24}\bkernel\b`, With: mismatches},
		},
		Records: firstOf(each(raggedOnly), raggedNames),
	},
	{
		ID: "S-C07", Over: []string{"S-C01", "S-C14", "S-C49"}, Stage: Correctness, Class: Kernel, Rules: []string{"R22", "R24", "R45"}, From: TileGym,
		Title:   "The error grows along the reduced axis, or only the last tile is wrong",
		Steps:   []string{"Look for an update that a branch or nested loop loses.", "Check that the last tile is accumulated too."},
		Records: each(growing),
	},
	{
		ID: "S-C10", Over: []string{"S-C14"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R38"}, From: TileGym,
		Title:   "Wrong values together with very good times",
		Steps:   []string{"Ignore the times.", "Look for rows or tiles that are never written."},
		Records: wrongAndFast,
	},
	{
		ID: "S-C15", Stage: Correctness, Class: Host, Rules: []string{"R35"}, From: TileGym,
		Title:   "The output has another shape than the reference",
		Steps:   []string{"Compare how wrapper and reference derive the output's shape.", "Look for an axis that is squeezed, or swapped by a transpose."},
		Any:     []Pattern{{Line: `\bshape mismatch, test:`}, {Line: `The values for attribute 'shape' do not match`}, {Line: `RuntimeError: The size of tensor a \(\d+\) must match the size of tensor b`, Rank: Weak}},
		Example: "RuntimeError: shape mismatch, test: torch.Size([4, 64]), reference: torch.Size([4, 1, 64])", NearMiss: "shape mismatch was ignored",
	},
	{
		ID: "S-C14", Stage: Correctness, Class: Kernel, Also: Host, Rank: Weak, From: TileGym,
		Title: "The values differ from the reference's",
		Steps: []string{
			"See how many elements differ and where: all, one tile, one row, the tail.",
			"See which cases fail: one data type, ragged shapes, large ones.",
			"Compare the failing case with the reference step by step, masks and the order of scaling first.",
		},
		Any: []Pattern{
			{Line: `OUTPUT.* DID NOT MATCH THE REFERENCE`},
			{Line: `(Tensor|Scalar)-likes are not (close|equal)!|Scalars are not (close|equal)!`},
			{Line: `\bMismatched elements: \d+ / \d+`},
			{Line: `where (False|tensor\(False.*) = .*(allclose|isclose|\ball\b)`},
			{Line: `\bwhere (-?[\d.]+(e-?\d+)?|tensor\(-?[\d.].*\)) = \S*(err|diff|rmse|mse|snr|cos|sim|mismatch)\w*\(|assert_(relative|abs_diff|ulps)_(eq|ne)!\(`},
			{Line: `Not equal to tolerance rtol=|Arrays are not (almost )?equal|\ballclose( check)?:? (FAILED|[Ff]ailed|False)\b`},
			{Line: `\b(elements|values|entries|outputs?)\b.{0,20}\b(outside|out of|beyond|exceed\w*|above|over)\b.{0,8}\b(tol\w*|rtol|atol)\b`, Not: `\b0(\.0+)? ?(%|elements|values|entries)`},
			{Line: `assertion failed: .*(err\b|err_|_err|diff|close\b|tol\b|\babs\(\) <)`},
			{Line: `^left: \[+-?\d`, Near: `^right: \[+-?\d`, Within: 1},
			{Line: `^comparison failed$|^Expected: \S+ ± \d|^FAILED \S.* - assert .* ± \d|AssertionError: .* (within \d+ places|not less than or equal to [\d.]+(e-?\d+)?)\b|Items are not equal to \d+ significant|Arrays are not less-ordered`},
			{Line: `^The difference between .* and .* is [\d.e+-]+, which exceeds |\bis within [\d.e+-]+ of (each )?[\d.-]`},
			{Line: `\bDisposition: (Incorrect|Failed)\b|^(cuBLAS|cuDNN|reference_device|reference_host): Incorrect\b`},
			{Line: `\bRMSE \(res-fp64\): [\d.]|\bAccuracy failed\b|^fail_accuracy$`},
			{Line: `\} elements are equal to \{|== Approx\( |where the value pair .* don't match`, Not: `\bok\b`},
			{Line: `\|(got|kernel|actual|result|test|out)\S* ?- ?[\w.\[\]]+\|\D{0,6}[\d.]+(e[-+]?\d+)? ?> ?[\d.]|\b([Mm]ismatch|[Dd]iffers?|[Ww]rong( value)?) (at|@) .{0,24}\b(got|expected|want|actual|ref\w*|vs\.?)\b`},
			{Line: `^INCORRECT: \[\d+\]: \S+ != |\bTENSOR NOT OK\b|^Result = FAIL\b|^([Rr]esults? )?[Vv]erification:? (FAILED|failed|FAIL)\b`},
			{Line: `AssertionError: .*\b(bit-?wise|identical|determinis\w+)\b`},
			{Line: `AssertionError: .*\b(err(or)?|diff(erence)?|mismatch\w*|toleran\w+|not close|similarity|differ)\b`, Not: `AssertionError: \W{0,2}([\w.]*[eE]rror|fatal)(\[\w+\])?: `},
			{Line: `^(.*AssertionError: |SystemExit: )?.*\b(outputs?|values?|results?|histogram|gemm|matmul|attention|softmax|norm|elements|rows|kernel)\b.{0,24}\b(differs|differ|does not match|do not match|don't match|doesn't match)( (the |from )|$|:| \()`, Not: `\b([Ss]hapes?|dtypes?|types?|[Vv]ersions?|[Dd]evices?|hash\w*|checksum|[Ll]engths?|signature|schema|keys?|strides?|config\w*|names?|times?|rules?)\b|^(E +)?assert |\b([Rr]un|call|launch|iter\w*) ?#?\d+\b`},
			{Line: `\b[1-9]\d*( of |/)\d+ (rows|elements|values|entries|heads|columns|positions|tokens|batches)\b.{0,12}\b(differ|are wrong|wrong|outside|mismatch\w*|disagree)\b`, Not: `\b([Rr]un|call|launch|iter\w*) ?#?\d+\b`},
			{Line: `\b[Mm]ismatch(es|ed)? (in|at|for) [1-9]\d*( of |/)\d+\b`},
			{Line: `AssertionError: .*\b(rel_?rms\w*|rmse|max_?abs\w*|max_?rel\w*|cos_?sim\w*|cosine|SNR|snr|psnr)\b ?[=:<>]* ?-?\d|AssertionError: .*\b[1-9]\d* of \d+ (elements|values|heads|rows|entries|tokens|outputs)\b.{0,24}\b(differ|below|above|wrong|mismatch\w*|off)\b|Tensors are not (approx|approximately) eq`},
			{Line: `\b([Tt]riton|[Kk]ernel|cu[Tt]ile|CUDA) and ([Tt]orch|PyTorch|[Rr]eference|CPU)\b.{0,12}\b(differ|disagree|mismatch|do not match|don't match)\b`},
			{Line: `^([\w.]*(Error|Exception)|SystemExit): .*\b([Vv]erification|[Vv]alidation|[Cc]omparison|[Cc]orrectness|[Aa]ccuracy|[Nn]umeric\w*|[Pp]arity|[Ss]elf-?check)\b.{0,24}\b(failed|FAILED|mismatch\w*|broken)\b`, Not: `\b([Ss]ignature|[Cc]ertificate|[Cc]hecksum|[Ss]chema|[Cc]onfig\w*|hash|[Ii]nput)\b`},
			{Line: `^AssertionError: .*\b(vs\.?|err\w*|diff\w*)\b.{0,24}\d(e-?\d+)? ?(>|exceeds) ?\d`},
			{Line: `\b(numerical|value|accuracy|correctness)( check)? (mismatch|failed|FAILED|failure)\b|\b[Rr]esults? (do(es)?n't|do(es)? not|did not) match\b`},
			{Line: `\bNMSE = \S+ > \S+.*\bFAIL$|^AssertionError: m=\d+.*\bdiff=|\binf mismatch: |: NaN at index \d+ \(`},
			{Line: `^(E +)?AssertionError: .*\b(differs?|(is|are) wrong|wrong (for|on|at|with|in)|incorrect|saturates?|not reproducible)\b`, Not: `\b([Ss]hapes?|dtypes?|types?|[Vv]ersions?|[Dd]evices? (type|index)|hash\w*|checksum|[Ll]engths?|signature|schema|keys?|strides?|config\w*|names?|times?|rules?|password|file|path|argument)\b`},
			{Line: `^FAILED \d+ of \d+$|\bcos(ine)?([ _]sim\w*)?\W{0,3}-?[01]?\.\d+\b.*\b(FAIL\w*|WRONG|below)\b|^(E +)?(AssertionError: )?assert \d[\d.]*(e-?\d+)? <= \(\d`},
			{Line: `^Evaluated: .* ≈ |^AssertionError: Number of mismatched elements: \d|/ total failing elements: [1-9]|\b[1-9]\d* of \d+ (configs|configurations|modes|layouts|sizes|codes|cases|shapes|dtypes) (are |were )?(wrong|incorrect|differ|mismatch\w*|decode wrongly)\b`},
			{Line: `\b([Mm]ax|[Mm]aximum|[Mm]ean|[Ll]argest|[Gg]reatest)[ _]?(abs\w*|rel\w*)?[ _]?(err|error|diff|difference)\b.{0,12}[0-9.]+(e[-+]?\d+)?\)? *(>|exceeds|is (above|over|larger|greater|beyond))`},
		},
		Context: `(matched: \d+ / \d+|Greatest absolute difference|Mismatched elements|Max absolute difference)`, ContextAfter: true,
		Example:  "AssertionError: Tensor-likes are not close!\n\nMismatched elements: 12 / 4096 (0.3%)\nGreatest absolute difference: 0.125 at index (3, 17) (up to 0.001 allowed)",
		NearMiss: "*** OUTPUT 0 MATCHED THE REFERENCE (rtol=0.001, atol=0.001) ***",
	},
	{
		ID: "S-C16", Over: []string{"S-C01", "S-C02", "S-C03", "S-C04", "S-C06", "S-C07", "S-C14", "S-C18", "S-C21", "S-C25", "S-C26", "S-C27", "S-C28", "S-C29", "S-C31", "S-C32", "S-C33", "S-C34", "S-C35", "S-C36", "S-C37", "S-C39", "S-C43", "S-C44", "S-C45", "S-C46", "S-C47", "S-C48", "S-C49", "S-C50", "S-C51", "S-C55", "S-C57", "S-C58", "S-C59", "S-C64", "S-C76", "S-C77"}, Stage: Correctness, Class: Test, Also: Env, From: TileGym,
		Title: "All backends fail alike: what they are compared with is off",
		Steps: []string{
			"Look at the test's reference first: what changed in it, and its mask, scale, order of operands.",
			"Compare with a third computation, in float64 on the CPU for one.",
			"If the reference did not change, compare the library versions of this run with those of the last good one.",
		},
		Records: alike,
	},
	{
		ID: "S-C17", Over: []string{"S-C03", "S-C04", "S-C06", "S-C07", "S-C14", "S-C16", "S-C18", "S-C21", "S-C25", "S-C26", "S-C29", "S-C32", "S-C35", "S-C36", "S-C37", "S-C39", "S-C43", "S-C49", "S-C50", "S-C77"}, Stage: Correctness, Class: Test, From: TileGym,
		Title: "The tolerance is below one rounding step of the data type",
		Steps: []string{
			"Take the tolerances for the data type from `get_dtype_tolerances`, or give the type its own.",
			"Do not touch the kernel: no output of this type can do better.",
		},
		Records: belowSpacing,
	},
	{
		ID: "S-C18", Over: []string{"S-C02", "S-C14", "S-C21"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R48", "R19"}, From: TileGym,
		Title: "All values are off by one known constant",
		Steps: []string{
			"Look for the constant: a factor that a rewritten formula lost, exp for exp2, a scale that is applied twice or not at all.",
			"If the kernel has it right, see what the wrapper passes as the scale.",
		},
		Any: []Pattern{
			{Line: `\b(out|y|got|test|kernel|output|actual)\w* ?/ ?(ref\w*|want|expected)\b.{0,24}\d.{0,30}\b(all|every|constant|everywhere)\b`, Near: mismatchLine, Within: 45},
			{Line: `\b(constant|same|uniform|exact|common) (factor|ratio|scale)\b.{0,24}\d|\boff by (a |the )?(constant )?factor\b|\b(test|output|got|actual|kernel|out) ?/ ?(ref\w*|expected)\b.{0,30}\b(1\.4427|0\.6931|1\.4142|0\.7071)`, Near: mismatchLine, Within: 45},
		},
		Records: scaled,
	},
	{
		ID: "S-C19", Over: []string{"S-C01", "S-C09", "S-C02", "S-C03", "S-C04", "S-C06", "S-C07", "S-C14", "S-C18", "S-C21", "S-C25", "S-C28", "S-C29", "S-C31", "S-C32", "S-C34", "S-C35", "S-C36", "S-C37", "S-C39", "S-C43", "S-C44", "S-C45", "S-C48", "S-C49", "S-C50", "S-C55", "S-C76", "S-C77"}, Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R34", "R21"}, From: Platform,
		Title: "A failing case ends otherwise when it is run again: a race",
		Steps: []string{
			"Run it with CUDA_LAUNCH_BLOCKING=1: if it passes then, the kernel runs on another stream than its inputs are made on.",
			"Take the current stream at each call, not once.",
			"Else look for two blocks that write one place, and for memory that is read before it is written.",
			"If it passes without parallel workers, look at what they share: a cache folder, a file, the GPU's memory.",
		},
		Any: []Pattern{
			{Line: `\b(TRY [2-9] PASS|FLAKY [2-9]/\d+) \[`, With: mismatches},
			{Line: `\bpytest\b.* (-n ?0|-p no:xdist)\b`, Near: `^(=+ )?[1-9]\d* passed(, \d+ (skipped|warnings?))* in `, Within: 5, With: mismatches},
			{Line: `\b([Rr]e-?run|[Rr]etry|[Aa]ttempt|[Tt]ry) ?#?\d*:? +\d+ passed in\b|\b[Pp]ass(ed|es) (on|in|at|after) (the |a |its )?(second|2nd|retry|re-?run|next) ?(run|try|attempt)?\b`, With: mismatches},
		},
		Records: unsteady,
	},
	{
		ID: "S-C20", Over: []string{"S-C03", "S-C14", "S-C16", "S-C17", "S-C25", "S-C43"}, Stage: Correctness, Class: Env, Also: Test, Only: "float32", From: Platform,
		With:  []string{"S-C03", "S-C14", "S-C16", "S-C17"},
		Title: "TF32 is forced on: the reference is not exact in float32",
		Steps: []string{
			"Take the variable out of the image or the job, and run again.",
			"Compare the reference with float64 on the CPU, to see which side is off.",
		},
		Any: []Pattern{
			{Line: `\bNVIDIA_TF32_OVERRIDE[=:] ?1\b|\bTORCH_ALLOW_TF32_CUBLAS_OVERRIDE[=:] ?1\b`, Rank: Weak},
			{Line: `\ballow_tf32\b.{0,16}\bTrue\b|set_float32_matmul_precision\(.(high|medium)\b`, Not: inKernel + `|` + exactProducts, Rank: Weak},
			{Line: `\ballow_tf32\s*[=:]\s*True\b|float32_matmul_precision\S*\s*[=:]\s*'?(high|medium)\b`, Not: inKernel + `|` + exactProducts, Rank: Weak},
		},
		Example:  "NVIDIA_TF32_OVERRIDE=1\n*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=1e-08) ***",
		NearMiss: "NVIDIA_TF32_OVERRIDE=0\n*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=1e-08) ***",
	},
	{
		ID: "S-C21", Over: []string{"S-C14", "S-C43"}, Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R34", "R27", "R35"}, From: TileGym,
		Title: "Only the cases with one option are wrong",
		Steps: []string{
			"Follow the option from the wrapper through ffi.rs to the variant of the kernel: it may be inverted, dropped or applied twice.",
			"Compare the generics that the two variants get.",
		},
		Records: firstOf(each(oneOption), each(nonZero)),
	},
	{
		ID: "S-C22", Over: []string{"S-C14"}, Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R43", "R45"}, From: TileGym,
		Title: "A few values are far beyond the reference: memory that nobody wrote",
		Steps: []string{
			"Look for elements that no block writes: the tail, a mask, an early return; `torch.empty` shows what lay there.",
			"If other backends fail so too, and elsewhere each time, suspect the GPU's memory.",
		},
		Compare: func(c Comparison) bool {
			return !c.Grad && c.Ref.finite() && c.Test.finite() && c.Ref.Size() > 0 && c.Test.Size() >= 1e6*c.Ref.Size()
		},
		Example:  "*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=0.001) ***\nmatched: 4000 / 4096 [97.66%]\nref range:    -3.1000e+00 :  2.9000e+00\ntest range:   -3.1000e+00 :  3.1000e+37",
		NearMiss: "*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=0.001) ***\nmatched: 4000 / 4096 [97.66%]\nref range:    -3.1000e+00 :  2.9000e+00\ntest range:   -3.1000e+00 :  9.1000e+02",
	},
	{
		ID: "S-C23", Over: []string{"S-C01", "S-C09", "S-C02", "S-C03", "S-C04", "S-C06", "S-C07", "S-C14", "S-C16", "S-C17", "S-C18", "S-C19", "S-C21", "S-C24", "S-C25", "S-C26", "S-C27", "S-C28", "S-C29", "S-C31", "S-C32", "S-C34", "S-C35", "S-C36", "S-C37", "S-C38", "S-C39", "S-C40", "S-C41", "S-C43", "S-C44", "S-C45", "S-C46", "S-C47", "S-C48", "S-C49", "S-C50", "S-C51", "S-C55", "S-C57", "S-C58", "S-C59", "S-C60", "S-C71", "S-C64", "S-C65", "S-C77", "S-R16", "S-R68", "S-R74", "S-R92"}, Stage: Correctness, Class: Host, Rules: []string{"R34"}, From: Platform,
		With:  append([]string{failedCase, "S-R06"}, mismatches...),
		Title: "A race: the kernel runs on another stream than its inputs are made on",
		Steps: []string{
			"Pass the tensor library's current stream of the tensor's device at each call, not the default stream and not one that was kept.",
			"Launch on exactly that stream in ffi.rs, and do not make one there.",
			"Run the case with CUDA_LAUNCH_BLOCKING=1 and on the default stream: it passes there.",
		},
		Any: []Pattern{
			{Line: `\b[Ss]tream\b.*\b(0x0+\b|legacy|default|NULL|null|None)\b.*\bcurrent`},
			{Line: `\bcurrent(_| |\w+\.)?[Ss]tream\b.*\b(0x0+\b|legacy|default|NULL|null|another|other|different|kernel)\b`, Not: `\bcurrent_stream\(\)[,)]`},
			{Line: `CUDA_LAUNCH_BLOCKING ?= ?1\b.*\b([Pp]ass\w*|PASS\w*|[Ss]ucceed\w*|correct|match\w*|clean|ok|OK|gone|disappear\w*)\b|\b([Pp]ass\w*|PASS\w*|[Ss]ucceed\w*|correct|match\w*|disappear\w*)\b.*CUDA_LAUNCH_BLOCKING ?= ?1\b`, Not: `consider passing`},
			{Line: `\b([Pp]ass\w*|[Ss]ucceed\w*|correct|match\w*|disappear\w*)\b.*\b(with|after|when|if)\b.*\bsynchroni[sz]e\b|\bsynchroni[sz]e\b.*\b(before|after|added|inserted)\b.*\b(pass\w*|succeed\w*|correct|match\w*|disappear\w*)\b`},
			{Line: `\b[Ss]tream\w*\b.*(\b0x0+\b|\(nil\)|\bNULL\b|\blegacy\b|\bdefault stream\b)`, Near: `cuda_stream ?[=:]? ?0x[1-9a-f]|[Cc]urrent(_|\w*\.| )?[Ss]tream\b|torch\S* stream\b`, Within: 40},
			{Line: `\b[Ss]tream\w*\b.{0,6}(\b0x0+\b|\(nil\)|\bNULL\b|\bnullptr\b)`, Near: `\b([Cc]urrent|[Aa]mbient|[Aa]ctive)\b.{0,24}\b0x[1-9a-f][0-9a-f]{6,}|\b[Ss]tream\w*(\(\))?(\.\w+)? ?[=:(]+ ?0x[1-9a-f][0-9a-f]{6,}`, Within: 20},
			{Line: `\b(produced|made|written|computed|filled) on stream\b|\bno event between\b.*\bstreams?\b|\bstreams?\b.*\bno event between\b`},
			{Line: `CUDA_LAUNCH_BLOCKING ?= ?1\b.*\b0 (failed|wrong|bad|mismatch\w*)\b`},
			{Line: `\bCUDA_LAUNCH_BLOCKING=1 .*pytest\b`, Near: `^\d+ passed\b`, Within: 8},
			{Line: `\b[Ss]tream( ?ID|Id|_id)?[ =:#]+7\b`, Near: `\b[Ss]tream( ?ID|Id|_id)?[ =:#]+([89]|[1-9]\d)\b`, Within: 15},
			{Line: `^FAILED \S*::\S*(side|default|second|other|custom|multi|concurrent)\w*_?streams?\b`},
			{Line: `\b[Ss]tream\w* ?[=:] ?(0x0+\b|0\b|NULL\b|nullptr\b|\(nil\))`, Near: `during capture|StreamCapture|STREAM_CAPTURE|is capturing|capture was invalidated`, Within: 8},
			{Line: `^FAILED \S*stream\S*::\S*\[(\S*[-_])?(side|other|second|custom|user|non_?default)[-_\]]`, Near: `\b[Ss]tream\w* ?[=:] ?(0x0+\b|0\b|NULL\b|nullptr\b|\(nil\))`, Within: 45},
			{Line: `\b([Ww]rong|[Oo]ther|[Dd]ifferent|[Aa]nother) (CUDA )?stream\b|[Ss]tream mismatch|not (synchroni[sz]ed|ordered) with (the )?(current|torch\S*|PyTorch\S*) stream`},
		},
		Records:  streamMode.alone,
		Example:  "launched on stream 0x0, torch.cuda.current_stream() is 0x55d0c2a7b1e0\nAssertionError: Tensor-likes are not close!",
		NearMiss: "stream 0x55d0c2a7b1e0 is used by all launches\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C24", Over: []string{"S-C14", "S-C43"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R34"}, From: Platform,
		With:  append([]string{failedCase, "S-R06"}, mismatches...),
		Title: "Equal runs give different values: a race inside of the kernel",
		Steps: []string{
			"Look for two blocks that write or add to one place without an atomic operation.",
			"Look for memory that is read before it is written, and for a token that a store or load leaves out.",
			"If sums of blocks are added in any order on purpose, give the test that tolerance.",
		},
		Any: []Pattern{
			{Line: `\b(single|one|1) (block|CTA|thread|program|warp)\b.{0,16}\b(right|ok|OK|correct|pass\w*)\b.{0,40}\b(blocks|CTAs|threads|programs|warps)\b.{0,16}\b(wrong|fail\w*|differ\w*|incorrect)\b`, With: scriptFailed},
			{Line: `\b([2-9]|\d\d+) (distinct|different) (checksums?|hashes|results?|outputs?|sums?)\b`},
			{Line: `[Dd]ata race|[Rr]ace condition|hypothesis\.errors\.Flaky|produces unreliable results`},
			{Line: `\b([Rr]e-?run\w*|[Rr]epeat\w*|[Aa]ttempts?|times each)\b.*\b[1-9]\d* (passed|ok), [1-9]\d* (failed|wrong)\b|\b([Rr]e-?run\w*|[Rr]epeat\w*|[Aa]ttempts?|times each)\b.*\b[1-9]\d* (failed|wrong), [1-9]\d* (passed|ok)\b`},
			{Line: `\b(not|aren't|isn't|never) (bit-?wise |bit-?for-?bit |exactly )?(identical|equal|the same|reproducible)\b.{0,30}\b(runs|launches|calls|repeats)\b|\bbit-?wise (mismatch|differ\w*)\b.*\b(runs|launches|calls)\b|\batomic\w*\b.{0,24}\border\b|\brun 1\b.*\brun 2\b.*\brun 3\b`},
			{Line: `\brun \d+ (vs\.?|and|against|to) (run )?\d+\b.*\bdiffer`},
			{Line: `\b(run|iter\w*|call|launch|attempt|repeat|repetition|trial|pass) ?#?\d+ (differs?|differed|deviates?|disagrees?|is (not equal|not identical|different)|!=|mismatch\w*)\b.{0,12}\b(from|to|with|than|against|vs\.?)?\b.{0,8}\b(the )?(first|previous|run|iter\w*|call|launch|attempt|repeat|repetition|trial|pass)\b`},
			{Line: `^FAILED \S*::\S*_(determinis\w+|reproducib\w+|run_to_run|same_bits|bit_?exact_repeat|repeatab\w+)`, Near: mismatchLine + `|AssertionError|torch\.equal`, Within: 45},
			{Line: `\b(differ\w*|varies|vary|changes?|not (the same|equal|identical|reproducible))\b.*\b(between|across|from run to|over) (the )?((\d+|two|both|three) )?(equal |identical |same |repeated )?(runs?|repeats|repetitions|launches|calls|run)\b`, Not: `\binputs? (differ|change|var)`},
			{Line: `\b([Nn]on-?[Dd]eterminis\w+|[Nn]ot deterministic)\b|\bself\.assertDeterministic\(`, Not: `\b(mode|algorithms?|use_deterministic)\b|Deterministic behavior was enabled`},
			{Line: `\b(failed|fails|passed|passes|wrong|mismatch\w*|differ\w*) (in |on )?\d+ (of|out of|/) (the )?\d+ (equal |identical |repeated )?(runs?|repeats|repetitions|attempts|tries|times)\b`},
		},
		Records: repeats,
	},
	{
		ID: "S-C25", Over: []string{"S-C04", "S-C06", "S-C07", "S-C14", "S-C21", "S-C26", "S-C27", "S-C29", "S-C31", "S-C43"}, Stage: Correctness, Class: Kernel, Rules: []string{"R8", "R31"}, From: TileGym,
		Title: "Sums lose bits: the accumulator is of half precision instead of f32",
		Steps: []string{
			"Make the accumulator f32 and convert once, at the end: look for a convert inside of the loop.",
			"Check that ffi.rs passes f32 for the accumulator's generic.",
			"Do not raise the tolerance: the error grows with the length of the sum.",
		},
		Records: firstOf(each(coarseSums), stalledSums),
	},
	{
		ID: "S-C26", Over: []string{"S-C04", "S-C06", "S-C07", "S-C14", "S-C29", "S-C43"}, Stage: Correctness, Class: Kernel, Rules: []string{"R8", "R31"}, From: Platform,
		With:  append([]string{failedCase}, mismatches...),
		Title: "Sums lose bits: the accumulator is of half precision instead of f32, so the error grows with the sum's length",
		Steps: []string{
			"Make the accumulator f32 and convert once, at the end: look for a convert inside of the loop.",
			"Check that ffi.rs passes f32 for the accumulator's generic.",
			"Do not raise the tolerance: the error grows with the length of the sum.",
		},
		Any: []Pattern{
			{Line: `\b(bf16|fp16|bfloat16|float16|half)[- ](atomic_?adds?|accumulat\w+|atomics?|partial sums?)\b`, Not: `\b(no|without|instead of) (bf16|fp16|bfloat16|float16|half)`, With: scriptFailed},
			{Line: `\b([Aa]ccumulat\w+|acc)\b.*\b(b?f(loat)?16|fp16|half)\b|\b(b?f(loat)?16|fp16|half)\b.{0,24}\b([Aa]ccumulat\w+|acc)\b`, Not: `\b(f32|fp32|float32) accumulat|accumulat\w+ (is |in |dtype ?[=:] ?)?(f32|fp32|float32)`},
			{Line: `\b([Ee]rrors?|err|[Dd]iff\w*|[Mm]ismatch\w*)\b.*\b(grows?|growing|increas\w+|scales?|rises?|proportional)\b.*\b(K|k|N|n|length|depth|sum|reduc\w+|sqrt\(\w\))\b`},
			{Line: `\berr(or)?s?\b.*\bK ?[=:] ?\d+\b.*\bK ?[=:] ?\d+|\bK ?[=:] ?\d+\b.*\berr(or)?\b.*\bK ?[=:] ?\d+.*\berr`},
			{Line: `\b([Ww]orkspace|[Pp]artials?|split_?k|split-K)\b.*\b(b?float16|b?fp?16|half)\b`},
			{Line: `\b(mma\w*|dot)\b.*-> ?\S*tile<\d+x\d+xb?f16>`},
		},
		Example:  "max abs err by K: K=64: 0.0039  K=4096: 0.75\n*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.01, atol=0.01) ***",
		NearMiss: "inputs float16, accumulator float32, K=64\n*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.01, atol=0.01) ***",
	},
	{
		ID: "S-C27", Over: []string{"S-C14", "S-C43"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R45", "R28"}, From: Platform,
		With:  append([]string{failedCase}, mismatches...),
		Title: "Only the tail is wrong: the last, partial tile is dropped or not masked",
		Steps: []string{
			"Round the number of tiles up, not down.",
			"Mask loads and stores of the last tile with the real size, and pad with what the operation ignores.",
			"Check that the grid covers the last tile.",
		},
		Any: []Pattern{
			{Line: `\b([Ff]irst|[Oo]nly|[Aa]ll) (bad|wrong|mismatch\w*|differing|incorrect|failing) (col\w*|rows?|index|indices|elements?|values?|entr\w+)\b.*\b(>=|from|last|tail|beyond|after|first|at|in|are|is)\b|\b[Ff]irst (bad|wrong|differing|incorrect) (col\w*|row|index|element)\b`},
			{Line: `\b([Aa]ll|[Ee]very|[Oo]nly)\b.*\b(mismatch\w*|wrong|differ\w*|errors?|bad)\b.*\b(col\w*|rows?|ind(ex|ices)|idx|elements?) ?(>=|>|from|beyond|after) ?\d`},
			{Line: `\b(all|every|only)\b.*\b(mismatch\w*|wrong|differ\w*|errors?)\b.*\b(in|at|beyond|after) (the )?(last|tail|final|partial|remainder|ragged)\b`},
			{Line: `\b([Rr]ows|[Cc]olumns|[Ii]ndices|[Ee]lements) \d+ ?(\.\.+|-|to|–|:) ?\d+ (are |is |stay |all )*(0(\.0*)?|zeros?|nan|NaN|unwritten|not written)\b`, With: wrongValues},
			{Line: `\w\[\d+:\d*\] = (all )?(0\.0+|zeros?|nan|NaN|garbage|unwritten)$`, Near: `\w\[0?:\d+\]\W{0,4}(ok|OK|right|correct|match\w*)`, Within: 6},
			{Line: `\b(last|final|partial|tail|remainder|ragged) (tile|block|col\w*|rows?|elements?)\b.*\b(zeros?|not written|never written|unwritten|garbage|missing|wrong|dropped)\b`},
		},
		Example:  "first bad column 1024, last bad column 1029, TILE_SIZE=1024\nAssertionError: Tensor-likes are not close!",
		NearMiss: "first column 0, last column 1029, TILE_SIZE=1024\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C28", Over: []string{"S-C02", "S-C04", "S-C06", "S-C07", "S-C14", "S-C29"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R7"}, From: TileGym,
		Title: "Values are wrong from element 2^31 on: an offset does not fit 32 bits",
		Steps: []string{
			"Compute offsets in 64 bits before they are multiplied with a stride: `exti` each factor.",
			"Check the wrapper too: sizes and strides that it passes as 32-bit integers.",
			"If the size is not supported, refuse it in the wrapper.",
		},
		Records: wrapped,
	},
	{
		ID: "S-C29", Over: []string{"S-C09", "S-C02", "S-C06", "S-C14", "S-C43", "S-C49"}, Stage: Correctness, Class: Kernel, Rules: []string{"R14", "R45", "R48"}, From: TileGym,
		With:  append([]string{failedCase}, mismatches...),
		Title: "Lanes beyond the data take part in the reduction: they are padded with the wrong neutral element, or not masked",
		Steps: []string{
			"Give the lanes beyond the data what the reduction ignores: the lowest value before a maximum, the largest before a minimum, 0 before a sum, 1 before a product.",
			"Mask again after a function that does not keep it: exp(0) is 1, and (0 - mean)^2 is not 0.",
			"Divide by the real length, not by the tile's.",
		},
		Any: []Pattern{
			{Line: `\bselect\(.*\b(zeros?(_\w+)?|0\.0\w*)\b`, Near: `\breduce_max\(|\breduce_min\(`, Within: 4},
			{Line: `\b([Pp]added|[Pp]adding|[Mm]asked|[Oo]ut-of-(range|bounds)|[Ii]nvalid|[Ii]nactive|[Ee]xtra) (lanes?|col\w*|elements?|values?|entries|positions?)\b.*\b(zeros?|0(\.0)?|-?inf\w*|contribut\w+|included?|counted|leak\w*|in the (sum|max\w*|mean|denominator))\b`, Not: `\b(are|is) (ignored|excluded)|\b(not|never) (counted|included)`},
			{Line: `\b([Nn]eutral|[Ii]dentity) (element|value)\b.*\b(wrong|expected|should|instead|not)\b|\b(wrong|bad) (neutral|identity) (element|value)\b`},
			{Line: `\b[Pp]adding(_value|_mode|Mode)?\b.{0,24}\b(ZERO|Zero|zero)\b`, Near: `\b(NEG_INF|NegInf|neg_inf)\b|\breduce_max\(`, Within: 10},
			{Line: `\bdivid(es|ed|ing) by (the )?(tile|block|padded)\b`},
			{Line: `\btl\.load\(.*\bother ?= ?0`, Near: `\btl\.(max|min)\(`, Within: 6},
			{Line: `\b([Rr]ow sums?|sum of (a|each|the|every) row)\b.{0,40}\b(0\.\d+|1\.\d*[1-9]\d*)\b`, Near: mismatchLine + `|^AssertionError`, Within: 45},
			{Line: `\b(each row|every row|rows|[Ss]oftmax|probabilit\w+)\b.{0,24}\b(sum to|sums to|sum up to|sums up to) (0\.\d+|1\.\d*[1-9])`, Near: mismatchLine, Within: 45},
		},
		Records: firstOf(each(paddedLanes), paddedMaximum),
	},
	{
		ID: "S-C30", Over: []string{"S-C14"}, Stage: Correctness, Class: Test, Also: Host, Rank: Weak, Rules: []string{"R34"}, From: Platform,
		With:  append([]string{failedCase}, mismatches...),
		Title: "A case fails only after another one: something outlives the test that made it",
		Steps: []string{
			"Find the shortest pair of cases that fails in one process, and what the first leaves behind: a cache, a backend that is set, a seed, a default type or device.",
			"If it is kept by the wrapper, its key lacks what differs between the two cases.",
			"If it is kept by a fixture, set it back after the test.",
		},
		Any: []Pattern{
			{Line: `\b[Pp]ass(es|ed)? (when run |if run )?(alone|in isolation|by itself|on its own|on their own|in a fresh process)\b|\b(alone|in isolation|in a fresh process)\b.{0,24}\bpass(es|ed)?\b|\b(fails?|failed) only (after|together with|when run after)\b`},
			{Line: `^(\$ |\+ )?(python3? -m )?pytest \S+\.py::\S+$`, Near: `^1 passed in [\d.]+s`, Within: 5},
			{Line: `\b(alone|isolation|fresh process|fresh processes|isolated)\b`, Near: `^\d+ passed in [\d.]+s`, Within: 5},
			{Line: `\b(reverse_order|random[-_]order)\b`, Near: `^\d+ (passed|failed)\b`, Within: 5},
			{Line: `-p no:randomly\b`, Near: `^(=+ )?\d+ passed\b|no:randomly\W{1,4}(all )?\d+ passed|no:randomly\W{1,4}(it |they )?pass(es|ed)?\b`, Within: 5},
			{Line: `^AssertionError: assert '\w+' not in environ\(`},
		},
		Example:  "$ for t in $FAILED; do pytest $t; done  # each in a fresh process\n1 passed in 2.10s\nFAILED tests/ops/test_bmm.py::test_op[cutile_rs-nt] - AssertionError",
		NearMiss: "$ pytest tests/ops\n1 passed in 2.10s\nFAILED tests/ops/test_bmm.py::test_op[cutile_rs-nt] - AssertionError",
	},
	{
		ID: "S-C31", Over: []string{"S-C14", "S-C21"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R22", "R34"}, From: Platform,
		With:  mismatches,
		Title: "The values are a whole multiple of the reference's: elements are counted more than once, or a part of them only",
		Steps: []string{
			"No tolerance is at fault: divide the two values, and look for what there is as many times: lanes, warps, blocks of a cluster, chunks of a split sum.",
			"In a sum over warps or blocks see that each element has one owner: a layout that repeats elements adds them twice, while a maximum hides it.",
			"See whether the output is added to without being cleared, or a scale is applied twice.",
		},
		Any: []Pattern{
			{Line: `\b([Cc]ounted|[Aa]dded|[Ss]ummed|[Aa]ccumulated|[Rr]educed|[Aa]pplied) (twice|two times|[2-9] times|more than once)\b|\b[Dd]ouble[- ]count\w*`, Near: mismatchLine, Within: 45},
			{Line: `\b([Rr]atio|\w+ ?/ ?ref\w*)\b\D{0,30}\b([2-9]|1\d)\.0{2,}\b`, Near: mismatchLine, Within: 45},
			{Line: `\b(exactly|always|precisely) (twice|double|half|[2-9] ?x|[2-9] times) (of )?(the |what the )?(expected|reference|correct|right)\b`},
		},
		Example:  "Not equal to tolerance rtol=0.01, atol=0.001\nMismatched elements: 1 / 1 (100%)\nACTUAL: array(4711)\nDESIRED: array([9422], dtype=int32)",
		NearMiss: "Not equal to tolerance rtol=0.01, atol=0.001\nMismatched elements: 1 / 1 (100%)\nACTUAL: array(4711)\nDESIRED: array([9433], dtype=int32)",
	},
	{
		ID: "S-C32", Over: []string{"S-C09", "S-C02", "S-C14", "S-C21", "S-C35", "S-C36", "S-C37", "S-C39", "S-C45", "S-C48", "S-C49", "S-C50", "S-C77"}, Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R34", "R11", "R27"}, From: TileGym,
		With:  append([]string{failedCase}, mismatches...),
		Title: "Only the cases with a view as an operand are wrong: its strides are not passed or not used",
		Steps: []string{
			"See of which operand the failing cases make a view, and whether its strides reach the kernel: the wrapper may pass a base pointer only.",
			"Pass the strides of every operand, or make it contiguous, or refuse it, in the wrapper.",
			"In the kernel look for a stride that is computed from the shape.",
		},
		Any: []Pattern{
			{Line: `\b[Ss]trides?(\(\))? ?[=:]? ?\([\d, ]+\).*\b([Kk]ernel|[Ww]rapper) (assumes?|expects?|takes?|reads?|uses?)\b.*\([\d, ]+\)`, With: scriptFailed},
			{Line: `\bbase pointer only\b|\b[Ss]trides? (of|for) \w+( \w+)? (is |are |was |were )?(not passed|ignored|not used|dropped|assumed)|\b(assumes?|assumed|as if) (to be |it were |they were )?(packed|contiguous|row[- ]major)\b`, With: mismatches},
			{Line: `\b(is_)?contiguous(\(\))? ?[=:] ?False\b`, With: []string{"S-C21"}},
		},
		Context: `\bcontiguous ?[=:] ?False\b`,
		Records: strided,
	},
	{
		ID: "S-C33", Over: []string{"S-C14", "S-C43", "S-C59"}, Stage: Correctness, Class: Test, Rules: []string{"R8"}, From: Platform,
		With:  append([]string{failedCase}, mismatches...),
		Title: "The reference is less exact than the kernel: TF32 or another shortcut in it",
		Steps: []string{
			"Switch TF32 and reduced sums off in the reference for float32 tests: `torch.backends.cuda.matmul.allow_tf32`, `set_float32_matmul_precision(\"highest\")`.",
			"Or compare with float64, as the printed figures do: there the kernel is right.",
			"Do not touch the kernel, and do not widen the tolerance for other types.",
		},
		Any: []Pattern{
			{Line: `\b([Rr]ef\w*|torch|eager|baseline)\b.*\b(runs?|is|was|computed?|uses?) (in |with )?(TF32|tf32)\b|\b(TF32|tf32)\b.*\b(in|on|for|of) the reference\b`, Near: mismatchLine, Within: 45},
			{Line: `\b(JAX_DEFAULT_MATMUL_PRECISION|[Dd]efault_matmul_precision|float32_matmul_precision)\W{1,4}(highest|float32)\b.*\b([Pp]ass\w*|PASS\w*|ok|OK|match\w*)\b|\b(\w*TF32\w*|allow_tf32) ?= ?(0|[Ff]alse)\b.*\b([Pp]ass\w*|PASS\w*|ok|OK|match\w*)\b|\b([Pp]ass\w*|PASS\w*|match\w*) (with|under|if|when) (\w*TF32\w*|\S*allow_tf32|JAX_DEFAULT_MATMUL_PRECISION|\S*matmul_precision)\W{1,4}(0|[Ff]alse|highest|float32|ieee)\b`},
		},
		Example:  "the reference runs in TF32 (float32_matmul_precision is high)\nAssertionError: Tensor-likes are not close!",
		NearMiss: "the reference is computed in float64\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C34", Over: []string{"S-C14"}, Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R35", "R48"}, From: Platform,
		With:  append([]string{failedCase}, mismatches...),
		Title: "Kernel and reference compute different things: a constant, a mode or a formula is not the same",
		Steps: []string{
			"Compare what the line names on both sides, and see which side the operation's documentation wants.",
			"Pass the value on from the wrapper to the kernel instead of writing it twice.",
		},
		Any: []Pattern{
			{Line: `\bconj(ugate\w*)?\b.{0,40}\b(ref\w*|expected|missing|twice|imag\w*|flipped)\b|\bimag\w* (part|sign)\b.{0,24}\b(flipped|negated|sign)\b`, With: scriptFailed},
			{Line: `\b([Kk]ernel|ours)\b\W{1,3}\w.*[-+*/(].*[,;|] *([Rr]ef(erence)?|[Tt]orch|[Ee]xpected)\b\W{1,3}\w.*[-+*/(]`, Not: `\d ?(us|ms|µs|GB/s|TFLOPS)\b|\b(err\w*|diff\w*|nan|NaN|shape|stride\w*|rc|grid)\b|\.py\b`, With: scriptFailed},
			{Line: `\b(\w*neox\w*|rotate_half|half-?split|non-?interleaved|halves)\b.*\b(interleaved|gptj|gpt_j|GPT-?J|even.?odd)\b|\b(interleaved|gptj|gpt_j|GPT-?J|even.?odd)\b.*\b(\w*neox\w*|rotate_half|half-?split|non-?interleaved|halves)\b`, Not: `\.py::`, With: wrongValues},
			{Line: `\b(in |by )?the kernel\b,? (and |but )?the (reference|ref|original)\b.{0,16}\b(packs?|stores?|uses?|takes?|first|last|expects?|reads?|counts?|has|is)\b`},
			{Line: `\b([Kk]ernel|[Ww]rapper|[Cc]andidate|[Oo]urs)\b.{0,24}\b(divides? by|masks?|rounds?|truncates?|clamps?|saturates?|uses?|assumes?|skips?|omits?|lacks?|applies|adds?|subtracts?|scales?|normali[sz]es?|interleaves?|expects?|approximates?|rotates?|swaps?|reads?|writes?|counts?|starts?|returns?)\b.{0,60}\b([Rr]ef\w*|torch|PyTorch|eager)\b`},
		},
		Example:  "the kernel divides by N, the reference by N-1\nAssertionError: Tensor-likes are not close!",
		NearMiss: "the kernel and the reference divide by N\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C35", Over: []string{"S-C14", "S-C21"}, Stage: Correctness, Class: Host, Also: Test, Rules: []string{"R34"}, From: Platform,
		With:  append([]string{failedCase}, mismatches...),
		Title: "Random numbers differ: the seed, the offset or the order in which they are drawn",
		Steps: []string{
			"Set one seed for both sides right before each of them, and take the generator's offset from PyTorch.",
			"If the test draws its own inputs, seed them: a rare draw may be the one that fails.",
			"Compare a dropout's mask by its rate, not by its elements, unless both use one generator.",
		},
		Any: []Pattern{
			{Line: `\bsamples? (are|is) (duplicated|repeated|the same|identical) (across|in|for|on) (all |the )?(workers?|ranks?|process\w*)\b`},
			{Line: `\b([Gg]enerator|[Oo]ffset)\b.{0,48}\b([Kk]ernel|ours|wrapper)\b.{0,24}\b(reuses?|repeats?|ignores?|keeps?|stays?)\b`},
			{Line: `\b([Pp]hilox|[Rr]ng|RNG)\b.*\b(offset|state|seed|counter)\b.*\b(differ\w*|kernel|ref\w*|expected|mismatch\w*|!=|not)\b|\b[Dd]ropout mask\w*\b.*\b(differ\w*|mismatch\w*|not)\b`},
			{Line: `\b[Ss]eed\b.*\b(not set|unset|not fixed|differs?|mismatch|ignored|missing|not passed|random)\b|\b(no|without a?|unseeded|un-seeded) ?(fixed )?seed\b|\b(un-?seeded)\b`},
		},
		Records:  dropoutMode.alone,
		Example:  "dropout mask differs: philox offset kernel=0 reference=4\nAssertionError: Tensor-likes are not close!",
		NearMiss: "seed 1234 is set before both sides\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C36", Over: []string{"S-C14", "S-C21"}, Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R34", "R22"}, From: Platform,
		With:  append([]string{failedCase}, mismatches...),
		Title: "A buffer keeps what an earlier launch wrote: it is not cleared between calls",
		Steps: []string{
			"Clear counters, locks and partial sums before each launch, on the launch's stream.",
			"If the kernel adds to its output, start it from zero, or store in the first step.",
			"Call the operation twice in a test: the first call alone does not show it.",
		},
		Any: []Pattern{
			{Line: `\b([Ll]ocks?|[Ss]emaphores?|[Ww]orkspace( locks)?|[Cc]ounters?)\b.{0,24}\b(not (zero\w*|reset|cleared)|nonzero|non-zero|left (set|over)|stale|dirty)\b`, Not: `\bnon-?zero\W{1,3}0\b`, With: scriptFailed},
			{Line: `\b([Ww]orkspace|[Ss]cratch\w*|[Bb]uffer|[Cc]ounters?|[Ss]emaphores?|[Ll]ocks?|[Oo]utput|[Pp]artials?|out)\b.*\b(not (zeroed|cleared|reset|initiali[sz]ed)|never (zeroed|cleared|reset|initiali[sz]ed)|stale|un-?zeroed|accumulates across|left over)\b`},
			{Line: `\b([Ss]econd|2nd|third|later|next|every other) (call|launch|run|iteration)s?\b.*\b(wrong|differs?|fail\w*|doubles?|doubled|first call's|mismatch\w*|not)\b|\b([Ff]irst|1st) (call|launch|run) (is |was )?(ok|right|correct|matches|passes)\b`, Not: `warm-?up|\b(ms|us)\b`},
		},
		Records:  firstOf(laterMode.alone, laterCalls),
		Example:  "the workspace is not zeroed between launches: the second call returns the first call's sums\nAssertionError: Tensor-likes are not close!",
		NearMiss: "the workspace is zeroed before each launch\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C37", Over: []string{"S-C14", "S-C21", "S-J42"}, Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R35"}, From: Platform,
		Title: "The operation writes into its input, or input and output share memory",
		Steps: []string{
			"Give the output memory of its own, or clone where the operation may not change its input.",
			"If it works in place on purpose, let every block read what it needs before another writes it.",
		},
		Any: []Pattern{
			{Line: `\b(x|q|k|v|[Ii]nput|residual|operand)\b.{0,24}\b(changed|modified|overwritten|mutated) (by|in|during|after) (the )?(call|kernel|launch|op|forward)\b`, Not: `\b([Ff]alse|no|not|0)\b|\.py::`, With: wrongValues},
			{Line: `AssertionError: .*\b([Ii]nput|x|arg\w*)\b.{0,24}\b(was|were|is|has been|got) (modified|changed|mutated|overwritten|clobbered)\b`, Not: `\bnot (modified|changed|mutated|overwritten)`},
			{Line: `\b([Ii]nput|x|arg\w*)\b.{0,24}\b(was|were|is|has been|got) (modified|changed|mutated|overwritten|clobbered)\b`, Not: `\bnot (modified|changed|mutated|overwritten)|\.py::`, With: wrongValues},
			{Line: `is not defined as mutable but was mutated`},
			{Line: `written-to tensor refer to a single memory location|unsupported operation: some elements of the input tensor`},
			{Line: `\b(mutates?|overwrites?|clobbers?) (its |the |an? )?inputs?\b|\b(out\w*|output)\.data_ptr\(\) ?== ?(x|in\w*)\.data_ptr\(\)|\bdata_ptr\(\) ?== ?out\w*\.data_ptr|\b(overlap\w*|alias\w*)\b.*\b(input|output)s?\b`, With: append([]string{failedCase}, mismatches...)},
		},
		Records:  inPlaceMode.alone,
		Example:  "AssertionError: input was modified by the kernel (expected unchanged)",
		NearMiss: "checked: input was not modified",
	},
	{
		ID: "S-C38", Over: []string{"S-C09", "S-C14"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R8", "R48"}, From: Platform,
		With:  append([]string{failedCase}, mismatches...),
		Title: "A value goes beyond the range of the half-precision or 8-bit type",
		Steps: []string{
			"Compute and scale in f32, and convert at the end; saturate where the reference saturates.",
			"Subtract the maximum before an exponential, scale before a product of large values.",
		},
		Any: []Pattern{
			{Line: `\b(65504|65520|448\.0)\b.*\b(inf|overflow\w*|max\w*|saturat\w*|range|limit)\b|\b(inf|overflow\w*|max\w*|saturat\w*|exceeds?|beyond|range)\b.*\b(65504|65520|448\.0)\b`},
			{Line: `[Ll]oss scale already at minimum`},
			{Line: `\b(overflow\w*|out of range|beyond the range|exceeds? the range)\b.{0,24}\b(fp16|float16|half|f16|fp8|float8\w*|e4m3\w*|e5m2\w*)\b|\b(fp16|float16|half|f16|fp8|float8\w*|e4m3\w*)\b.{0,24}\b(overflow\w*|saturat\w+)\b`},
		},
		Example:  "12 values reach inf: the scores exceed 65504 before the scale is applied\nAssertionError: Tensor-likes are not close!",
		NearMiss: "largest score 412.0, far from the limit of float16\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C39", Over: []string{"S-C14", "S-C21", "S-C27"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R45", "R27"}, From: Platform,
		With:  append([]string{failedCase}, mismatches...),
		Title: "A mask or an index is off by one, shifted or inverted",
		Steps: []string{
			"Compare the comparison with the reference's: whether the diagonal counts, which value means keep.",
			"With more keys than queries see which corner the causal mask is aligned to.",
			"Test a case of few rows by hand: the first and the last are the ones that show it.",
		},
		Any: []Pattern{
			{Line: `~ ?\w*mask\b.{0,24}\b25[45]\b|\bmask\b.{0,16}\buint8\b.{0,40}(~|\binver\w+|\bnot\b)`, With: scriptFailed},
			{Line: `\b[Oo]ff[- ]by[- ]one\b(?:$|.{0,40}\b(index|mask|row|col\w*|position|diagonal|window|offset|causal)\b)`},
			{Line: `\b([Mm]ask\w*|[Cc]ausal|[Dd]iagonal|[Ww]indow)\b.{0,60}\b(inverted|polarity|flipped|opposite|shifted|aligned|top[- ]left|bottom[- ]right|exclud\w+|includ\w+|missing|wrong)\b`, Not: `\.py::|\b(NaN|nan)\b`},
			{Line: `\b(only|all)\b.{0,30}\b(wrong|bad|mismatch\w*|differ\w*)\b.{0,30}\b(diagonal|above the diagonal|window)\b|\bdiagonal\b.{0,40}\b(differ\w*|wrong|mismatch\w*)\b`},
		},
		Records:  causalMode.alone,
		Example:  "all wrong elements lie on the diagonal: the mask is shifted by one\nAssertionError: Tensor-likes are not close!",
		NearMiss: "causal mask of 128 x 128, 8128 elements kept\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C40", Over: []string{"S-C14"}, Stage: Correctness, Class: Test, Also: Kernel, From: Platform,
		With:  append([]string{failedCase}, mismatches...),
		Title: "Equal values are put in another order: the result is not unique",
		Steps: []string{
			"Compare the values that the indices point at, not the indices.",
			"If the order of equal values is promised, break ties by the index in the kernel.",
		},
		Any: []Pattern{
			{Line: `\b([Ii]ndices|[Ii]ndex|idx|argmax)\b.{0,24}\b(equal|match\w*|identical|same)\b\W{1,3}([Ff]alse|no|NO)\b`, Near: `\b[Vv]alues\b.{0,24}\b(equal|match\w*|identical|same)\b\W{1,3}([Tt]rue|yes|YES)\b`, Within: 8},
			{Line: `\b(ties?|tied|equal values|duplicate values)\b.{0,60}\b(ind(ex|ices)|argmax|arg\w+|top-?k|sort\w*|order\w*)\b|\b(ind(ex|ices)|argmax|top-?k|sort\w*|order\w*)\b.{0,60}\b(ties?|tied|equal values)\b`},
		},
		Example:  "indices differ only where values tie\nAssertionError: Tensor-likes are not equal!",
		NearMiss: "12 of 64 indices differ\nAssertionError: Tensor-likes are not equal!",
	},
	{
		ID: "S-C41", Over: []string{"S-C14", "S-C34"}, Stage: Correctness, Class: Kernel, Also: Test, Rules: []string{"R19", "R26"}, From: Platform,
		With:  append([]string{failedCase}, mismatches...),
		Title: "Values are rounded otherwise than in the reference",
		Steps: []string{
			"Compare the rounding mode: to nearest even, towards zero, away; where a conversion truncates.",
			"For quantized output see that scale and zero point are applied in the same order and type.",
			"Compare approximate functions and flush-to-zero with the reference.",
		},
		Any:      []Pattern{{Line: `\b(off by|differs? by|by) (one|1|exactly one) (ulp|ULP|step|level|LSB|quant\w*)\b|\b([Rr]ound\w*|[Tt]runcat\w*)\b.{0,40}\b(nearest|half[- ]to[- ](even|up)|half[- ](even|up)|towards? zero|away|instead of|rne|rtz|floor)\b`}, {Line: `\b(kernel|ours|got|out)\b.*\b(ref\w*|torch|expected)\b.*\b([Hh]alf|[Tt]ies)[- ](to[- ])?(even|up|away)\b`}},
		Example:  "int8 output: every wrong value differs by one level, truncated instead of rounded\nAssertionError: Tensor-likes are not equal!",
		NearMiss: "int8 output: 12 levels are used\nAssertionError: Tensor-likes are not equal!",
	},
	{
		ID: "S-C42", Stage: Correctness, Class: Test, Also: Host, From: Platform,
		Title:    "The output lies on another device than the reference",
		Steps:    []string{"Allocate the output on the input's device, and compare both on one."},
		Any:      []Pattern{{Line: `The values for attribute 'device' do not match`}, {Line: `can't convert cuda:\d device type tensor to numpy`}},
		Example:  "AssertionError: The values for attribute 'device' do not match: cuda:1 != cuda:0.",
		NearMiss: "device of both: cuda:0",
	},
	{
		ID: "S-C43", Over: []string{"S-C14"}, Stage: Correctness, Class: Test, Also: Kernel, Rank: Weak, Rules: []string{"R8"}, From: Platform,
		Title: "A few values are just beyond the tolerance: rounding, or a tolerance that is too tight",
		Steps: []string{
			"Compare both sides with float64: if they are equally far, the tolerance is at fault.",
			"See which tolerance other tests give this type and length of sum; a tolerance of 0 demands the same order of operations.",
			"If the kernel alone is far, look at its accumulator and its approximate functions.",
		},
		Records: justBeyond,
	},
	{
		ID: "S-C44", Over: []string{"S-C14", "S-C21", "S-C49", "S-C50"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R27"}, From: Platform,
		Title: "Only cases in which query heads share key heads are wrong: heads are mapped to the wrong ones",
		Steps: []string{
			"A query head h belongs to key head h / (query heads / key heads), not to h modulo the number of key heads.",
			"Compare head by head: those that are right show which mapping the kernel has.",
			"See which strides the wrapper passes for keys and values.",
		},
		Records: groupedHeads,
	},
	{
		ID: "S-C45", Over: []string{"S-C09", "S-C14", "S-C21", "S-C49", "S-C50"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R45", "R43"}, From: Platform,
		Title: "Only cases with an empty group or sequence are wrong: its part of the output is not written, or is NaN",
		Steps: []string{
			"Write zeros where a group has no rows: allocate the output with zeros, or let the kernel store them.",
			"In a softmax guard the maximum and the sum of nothing.",
			"Check that offsets of the groups after an empty one are right.",
		},
		Records: emptyGroup,
	},
	{
		ID: "S-C46", Over: []string{"S-C09", "S-C14", "S-C21", "S-C31"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R20", "R34"}, From: Platform,
		Title: "Only the call in which the tuner runs is wrong: its trial launches write into the real operands",
		Steps: []string{
			"A kernel that adds to its output, or works in place, changes it with every trial: reset or restore it (`reset_to_zero`, `restore_value`), or tune on copies.",
			"Look for atomic adds and for outputs that are also inputs.",
			"Call the operation once more: the second call is right.",
		},
		Any: []Pattern{
			{Line: `\b([Pp]ass\w*|ok|OK|right|correct|match\w*|fine)\b.{0,40}\b(with|for|when|if) (only )?(one|a single|1|each single|any single) (\w+ )?[Cc]onfig\w*\b|\b(one|a single|only one|1) (\w+ )?[Cc]onfig\b.{0,30}\b([Pp]ass\w*|PASS\w*|ok|OK|right|correct|match\w*|fine)\b`, Near: `\b[Aa]uto-?tun\w*|\b[Tt]un(er|ing|ed)\b`, Within: 45, With: mismatches},
			{Line: `\b[Aa]uto-?tun\w*\b.{0,60}\b(overwr\w+|clobber\w*|accumulat\w*|modif\w+|mutat\w+|dirt\w+|in[- ]place)\b|\b(missing|without|no|needs?) (reset_to_zero|restore_value)\b`, With: mismatches},
		},
		Records: firstOf(afterTuning, tunedInPlace, tunedFirst, tunedMode.alone),
	},
	{
		ID: "S-C47", Over: []string{"S-C14"}, Stage: Correctness, Class: Host, Rules: []string{"R16", "R35"}, From: TileGym,
		With:  wrongValues,
		Title: "The kernel takes an operand for another data type than it has",
		Steps: []string{
			"Compare the code that the wrapper passes for the type with the one that ffi.rs reads: both 16-bit types have the same size, so nothing complains.",
			"Take the code from the tensor's type in one table, and test each type against it.",
		},
		Any:      []Pattern{{Line: `\b(int64|i64|torch\.long)\b.{0,40}\b(kernel|reads?|loads?|taken|treated)\b.{0,16}\b(int32|i32|32[- ]bit)\b`, With: scriptFailed}, {Line: `\b(interpreted|read|treated|taken|passed) as (b?f(loat)?16|f32|float32|half|i32|i64|u8|int\d+)\b.*\b(is|but|instead of|has)\b`}},
		Example:  "ffi: dtype code 1 (f16), tensor dtype torch.bfloat16\nAssertionError: Tensor-likes are not close!",
		NearMiss: "ffi: dtype code 2 (bf16), tensor dtype torch.bfloat16\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C48", Over: []string{"S-C14", "S-C21"}, Stage: Correctness, Class: Host, Rules: []string{"R34"}, From: Platform,
		Title: "Only cases that replay a captured graph are wrong: the graph holds what was true at the capture",
		Steps: []string{
			"Copy each new input into the tensor that was captured: a replay reads that one, whatever the call is given.",
			"Look for temporaries that the wrapper makes: a graph keeps their address after they are freed; take them from the graph's pool or from the caller.",
			"Look for values that are read on the host while capturing: sizes, scales, seeds stay as they were.",
			"Look for work on another stream, which the capture does not see.",
		},
		Any: []Pattern{
			{Line: `\b[Rr]eplay\w*\b.{0,40}\b(returns?|returned|gives?|gave|holds?|yields?)\b.{0,40}\b(captured?|first|stale|old|previous|warm-?up)\b|\binputs? (differ|change[sd]?)\b.{0,40}\boutputs? (do not|don't|stay|are the same|unchanged)`, With: scriptFailed},
			{Line: `\b([Gg]raph|[Rr]eplay)\b.{0,40}\b(ignores?|does not see|misses|not copied|never copied)\b.{0,40}\b(inputs?|new|updated)\b`, With: scriptFailed},
		},
		Example:  "replay 2 returned the values of the capture\nAssertionError: Tensor-likes are not close!",
		NearMiss: "replay 2 returned the right values\nAssertionError: Tensor-likes are not close!",
		Records:  firstOf(replayed, graphMode.alone),
	},
	{
		ID: "S-C49", Over: []string{"S-C14", "S-C21", "S-C50"}, Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R35", "R34"}, From: Platform,
		Title: "Only cases with more than one of an outer dimension are wrong: its index or stride is not used",
		Steps: []string{
			"Follow the dimension from the wrapper to the grid: whether its blocks are launched, and which stride they add.",
			"Compare the stride that is passed with the tensor's.",
			"See whether blocks of different batches write to one place.",
		},
		Records: outerIndex,
	},
	{
		ID: "S-C50", Over: []string{"S-C14", "S-C21"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R27", "R11"}, From: Platform,
		Title: "Only shapes with two different sizes are wrong, square ones are right: two dimensions are swapped",
		Steps: []string{
			"Find who transposes: exactly one of wrapper, ffi.rs and kernel may.",
			"Look for a stride or a bound that belongs to the other dimension.",
		},
		Records: notSquare,
	},
	{
		ID: "S-C51", Over: []string{"S-C09", "S-C14", "S-C34", "S-I27"}, Stage: Correctness, Class: Host, Also: Test, Rules: []string{"R34", "R35"}, From: Platform,
		Title: "The scale factors of a quantized operand have another layout, shape or type than the kernel reads",
		Steps: []string{
			"Compare what makes the scales with what the kernel reads: linear or swizzled (128x4), along which dimension, per tensor, row or block, and the size of a block.",
			"Convert them once in the wrapper, or refuse a wrong layout there: a kernel reads any bytes without complaint.",
			"Test one case whose scales all differ: with equal scales a wrong layout is not seen.",
		},
		Any: []Pattern{
			{Line: `\b([Ss]cales?|[Ss]cale[- _]factors?|SF|sf|sfa|sfb|scale_[ab])\b.{0,60}\b(swizzle\w*|interleaved|128x4|linear|row-major|col\w*-major|K-major|MN-major|transposed|un-?swizzled)\b.{0,60}\b(reads?|expects?|wants?|needs?|but|instead|required|not|while)\b`, With: append([]string{failedCase}, mismatches...)},
			{Line: `[Cc]heck failed: \w*[Ss]cale\w*\.|\b\w*[Ss]cale\w* (size|shape|layout|dtype) (does not match|mismatch\w*)|Invalid scaling configuration|For (RowWise|BlockWise|TensorWise|row-wise|block-wise) scaling, scale_[ab] should be`},
			{Line: `\b(quantized|scales? (are|is|were) (taken|computed|made)) (along|over|per) (the )?(wrong|other|n|N|m|M|columns?|rows?)\b.{0,50}\b(reduction|instead|k|K|kernel)\b`, With: append([]string{failedCase}, mismatches...)},
		},
		Example:  "UserWarning: scale factors are in linear layout, the kernel reads the swizzled one\nAssertionError: Tensor-likes are not close!",
		NearMiss: "scale factors: linear layout, 128 blocks\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C52", Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R48"}, From: Platform,
		Title: "The backward's derivative differs from the numerical one",
		Steps: []string{
			"Compare the two Jacobians in the message: off by one factor, one row or one input points at a term that is missing or a transpose.",
			"Run it in float64 with well spread inputs: near a kink or in float32 the numerical side is wrong.",
			"Check the forward first: a wrong forward makes both differ.",
		},
		Any:     []Pattern{{Line: `\bGradcheckError\b|Jacobian mismatch for output|Backward is not reentrant|[Gg]radcheck failed|Numerical gradient for function expected`}},
		Context: `^(numerical|analytical):`, ContextAfter: true,
		Example:  "torch.autograd.gradcheck.GradcheckError: Jacobian mismatch for output 0 with respect to input 0,\nnumerical:tensor([[0.9277]])",
		NearMiss: "gradcheck: 12 inputs, all passed",
	},
	{
		ID: "S-C53", Stage: Correctness, Class: Host, Also: Test, Rules: []string{"R34"}, From: Platform,
		Title: "A tensor that the backward still needs was changed in place, or the graph was freed",
		Steps: []string{
			"Find the operation that writes into a saved tensor: the wrapper that reuses its input as output, or `out=` in the test.",
			"Save a copy for the backward, or mark the tensor as changed (`mark_dirty`); do not write into a leaf.",
			"`torch.autograd.set_detect_anomaly(True)` names the forward call.",
		},
		Any:      []Pattern{{Line: `needed for gradient computation has been modified by an inplace operation|a (view of a )?leaf Variable that requires grad is being used in an in-?place|Trying to backward through the graph a second time|is a view and (is|its base or another view of its base has) been modified inplace`}},
		Example:  "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.cuda.FloatTensor [64, 64]], is at version 1; expected version 0 instead.",
		NearMiss: "gradient computation: 12 variables, version 0",
	},
	{
		ID: "S-C54", Stage: Correctness, Class: Host, Rules: []string{"R35"}, From: Platform,
		Title: "The backward of a custom function returns gradients of the wrong number, shape or type",
		Steps: []string{
			"Return one gradient for each argument of the forward, `None` for those that are no tensors.",
			"Give each the shape and type of its input: sum over what was broadcast, convert from the accumulator's type.",
		},
		Any:      []Pattern{{Line: `returned an (invalid gradient|incorrect number of gradients)|Mismatch in shape: grad_output\[|returned incorrect number of gradients`}},
		Example:  "RuntimeError: function RmsNormBackward returned an incorrect number of gradients (expected 4, got 3)",
		NearMiss: "RmsNormBackward returned 4 gradients",
	},
	{
		ID: "S-C70", Over: []string{"S-I15"}, Stage: Correctness, Class: Test, Also: Host, From: Platform,
		Title: "The test calls a function with arguments that its signature does not have: nothing was compared",
		Steps: []string{
			"Compare the call with the function's signature: one of them was changed, or is of another version.",
			"If the function is the test's helper, correct the tests; if it is the operator, see whether its signature was meant to change.",
			"Run the cases again: what they would have found is not known yet.",
		},
		Any: []Pattern{{
			Line:   `^TypeError: [\w.<>]+\(\) (got an unexpected keyword argument|missing \d+ required (positional|keyword-only) argument|takes (from \d+ to )?\d+ positional arguments? but \d+|got multiple values for argument)`,
			Near:   `^(.*/)?(tests?/(\S+/)?\S+|conftest|test_\w+)\.py:\d+: (in |TypeError$)`,
			Within: 2,
		}},
		Context:  `^(.*/)?(tests?/(\S+/)?\S+|conftest|test_\w+)\.py:\d+: `,
		Example:  "TypeError: assert_near() got an unexpected keyword argument 'atol'\n\ntests/test_gelu.py:61: TypeError",
		NearMiss: "E   TypeError: _softmax() missing 1 required positional argument: 'dim'\n\nsrc/tilegym/ops/cutile_rs/softmax.py:61: TypeError",
	},
	{
		ID: "S-C55", Over: []string{"S-C06", "S-C07", "S-C14", "S-C21", "S-C29", "S-C39", "S-C49", "S-C50"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R45", "R27"}, From: Platform,
		Title: "Only causal cases with other numbers of queries and keys are wrong: the mask is aligned to the wrong corner",
		Steps: []string{
			"The last query sees the last key: a query i sees keys up to i + (keys - queries). Look for that offset in the mask and in the loop's upper bound.",
			"See which corner the reference aligns to: libraries differ, and versions of one do.",
			"Test one query against many keys: it must see all of them.",
		},
		Records: causalCorner,
	},
	{
		ID: "S-C56", Stage: Correctness, Class: Test, Also: Env, From: Platform,
		Title: "Determinism is demanded, and an operation has no deterministic implementation or setting",
		Steps: []string{
			"See who demands it: a fixture that outlives its test, or the job's environment.",
			"For cuBLAS set CUBLAS_WORKSPACE_CONFIG before the process starts; for another operation ask for a warning only (`warn_only=True`), or take one that is deterministic.",
		},
		Any:      []Pattern{{Line: `does not have a deterministic implementation, but you set|Deterministic behavior was enabled with`}},
		Example:  "RuntimeError: scatter_add_cuda_kernel does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True)'.",
		NearMiss: "deterministic implementations are used",
	},
	{
		ID: "S-C57", Over: []string{"S-C14", "S-C19", "S-C24", "S-C27", "S-C36"}, Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R23", "R35"}, From: Platform,
		With:  append([]string{failedCase}, mismatches...),
		Title: "The grid ends before the output does: nothing writes the elements behind its last block",
		Steps: []string{
			"Compute the number of blocks from the number of elements of the output, rounded up; look for a constant, or for the size of another operand.",
			"See that the launch and the kernel mean the same block size: the tuner may have chosen another one.",
			"Fill the output with NaN in the test before the launch: what an empty allocation holds changes from run to run.",
		},
		Any: []Pattern{
			{Line: `\bgrid\b.{0,40}\b(covers?|covering|reach\w*|spans?) (only|just|at most) \d|\bgrid (is )?(too small|does not cover|doesn't cover)\b`, With: mismatches},
		},
		Example:  "launch add grid=(4, 1, 1) BLOCK=16\nfirst wrong index 64\nAssertionError: Tensor-likes are not close!",
		NearMiss: "launch add grid=(4, 1, 1) BLOCK=16\nfirst wrong index 60\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C58", Over: []string{"S-C14"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R45"}, From: Platform,
		With:  append([]string{failedCase}, mismatches...),
		Title: "Only indices that occur more than once are wrong: writes to one place overwrite each other",
		Steps: []string{
			"Look for a load, an add and a store where an atomic add belongs.",
			"Or give each output element one owner: sort by index and reduce each run.",
			"If the operation assigns, the order of equal indices is not defined: compare with what the documentation allows.",
		},
		Any: []Pattern{
			{Line: `\bind(ex|ices) (has|have|with) (repeats|duplicates|collisions)\b|\b([Dd]uplicate[sd]?|[Rr]epeated|[Cc]olliding|[Ss]ame|[Aa]ll[- ](equal|same))\b.{0,16}\b(ind(ex|ices)|idx|rows?|slots?|targets?|bins?|ids?|each)\b|\b(ind(ex|ices)|idx|bins?|slots?)\b.{0,16}\b(duplicate[sd]?|repeated|colliding|all equal|the same)\b`,
				Not:  `\b(ok|OK|pass(ed)?|PASS(ED)?|[Uu]nique|[Dd]istinct)\b`,
				Near: `\b([Uu]nique|[Dd]istinct|([Nn]o|[Ww]ithout) (duplicate|repeat|collision)\w*)\b`, Within: 8},
			{Line: `\b(lost|missing) (updates?|adds?|increments?)\b|\b(updates?|adds?|increments?) (are|were|is|get|got) lost\b|\b[Nn]on-?atomic (adds?|updates?|increments?|writes?|stores?|accumulat\w+)\b|\b(adds?|updates?|increments?|accumulat\w+) (is|are|was|were) not atomic\b`},
		},
		Example:  "unique indices: max err 0.0\nduplicate indices: max err 14.2\nAssertionError: Tensor-likes are not close!",
		NearMiss: "unique indices: max err 14.2\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C59", Over: []string{"S-C03", "S-C04", "S-C06", "S-C07", "S-C14", "S-C16", "S-C18", "S-C21", "S-C25", "S-C26", "S-C29", "S-C32", "S-C43", "S-C49", "S-C50"}, Stage: Correctness, Class: Test, Rules: []string{"R8"}, From: Platform,
		With:  unlikeValues,
		Title: "Kernel and reference are equally far from a more exact computation: the test's tolerance is too tight",
		Steps: []string{
			"Derive the tolerance from the type, the length of the sum and the magnitude of the values: two right results may lie on both sides of the exact one.",
			"Compare the kernel with the exact computation instead, and allow a small multiple of the reference's own error.",
			"If it came with another GPU or library, the reference takes another algorithm there: the kernel did not get worse.",
			"If both are far, look at the exact computation: its inputs or its formula are other ones.",
		},
		Any: []Pattern{
			{Line: `\b(equally|just as|as) (far|close|accurate|exact|inaccurate|good|bad)\b.{0,40}\b` + exactly + `|\b[Bb]oth\b.{0,40}\b(same|equal|similar|identical|comparable) (max\w* |mean |abs\w* |rel\w* )*(err\w*|distance|deviation|diff\w*)\b.{0,40}\b` + exactly},
		},
		Example:  "max err vs fp32: kernel 4.11e-03 torch 4.09e-03\nAssertionError: Tensor-likes are not close!",
		NearMiss: "max err vs fp32: kernel 4.11e-01 torch 4.09e-03\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C60", Over: []string{"S-C14", "S-C24"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R8", "R34"}, From: Platform,
		With:  append([]string{failedCase}, mismatches...),
		Title: "A row's values depend on how many rows are computed with it: the batch's size chooses another order of the sums",
		Steps: []string{
			"See what the batch's size chooses: the tile, the number of splits of a sum, another kernel or library algorithm.",
			"Fix it for this mode, so that a row is reduced in one order whatever is beside it.",
			"If the difference is of rounding only and nobody promises equal bits, give the test a tolerance.",
		},
		Any: []Pattern{
			{Line: `^FAILED \S*batch\w*_?invarian\w*|^AssertionError: .*\b[Bb]atch[- _]?invarian\w*|\b[Bb]atch[- _]?invarian\w*\b.{0,40}\b(violat\w+|broken|fail\w*|FAIL\w*|mismatch\w*)\b`},
			{Line: `\b([Bb]itwise|[Bb]it-wise|BS=1|bs=?1|batch (size )?1)\b.{0,60}\b(BS=N|bs=?N|batch (size )?(of )?\d+)\b.{0,60}\b(differ\w*|mismatch\w*|DIVERGE\w*|diverge\w*|not equal)\b`},
		},
		Example:  "AssertionError: batch-invariance: row 0 of batch 32 is not the row alone, max diff 1.2e-04",
		NearMiss: "batch-invariant mode is on\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C61", Over: []string{"S-C52", "S-I27"}, Stage: Correctness, Class: Test, From: Platform,
		Title: "gradcheck runs on inputs of less than double precision: its numerical side is too coarse",
		Steps: []string{
			"Give gradcheck inputs of float64; the differences of float32 are lost in rounding with its usual step.",
			"If the kernel has no float64, compare its gradient with the one that autograd makes of the reference, not with differences.",
			"The backward may be right: nothing is known of it yet.",
		},
		Any: []Pattern{
			{Line: `Jacobian mismatch for output|\bGradcheckError\b`, Near: `requires gradient and is not a double precision|inputs that requires gradient is not of double precision`, Within: 46},
			{Line: `\], device='cuda:\d+'(, dtype=torch\.b?float16)?\)$|\], dtype=torch\.b?float16\)$`, Near: `^(numerical|analytical):tensor|Jacobian mismatch for output`, Within: 8},
		},
		Example:  "UserWarning: Input #0 requires gradient and is not a double precision floating point or complex.\ntorch.autograd.gradcheck.GradcheckError: Jacobian mismatch for output 0 with respect to input 0,",
		NearMiss: "torch.autograd.gradcheck.GradcheckError: Jacobian mismatch for output 0 with respect to input 0,\nnumerical:tensor([[0.9277]], device='cuda:0', dtype=torch.float64)",
	},
	{
		ID: "S-C62", Over: []string{"S-C24"}, Stage: Correctness, Class: Test, From: Platform,
		Title: "Hypothesis ended a test by a limit of its own: the deadline of one example, or a health check",
		Steps: []string{
			"Switch the deadline off for tests that launch kernels (`deadline=None`): the first example compiles and tunes.",
			"For a health check do what it names: draw smaller data, filter less, do not mix it with fixtures of function scope.",
			"No value was wrong: look whether any example failed by its own assertion.",
		},
		Any:      []Pattern{{Line: `hypothesis\.errors\.(DeadlineExceeded|FailedHealthCheck)|^DeadlineExceeded: |^FailedHealthCheck: |which exceeds the deadline of \S+ms|^Unreliable test timings!`}},
		Example:  "hypothesis.errors.DeadlineExceeded: Test took 2210.31ms, which exceeds the deadline of 200.00ms.",
		NearMiss: "hypothesis profile 'ci' -> deadline=None, max_examples=25",
	},
	{
		ID: "S-C63", Stage: Correctness, Class: Test, Also: Host, From: Platform,
		Title: "A benchmark or helper script calls a function with arguments that its signature does not have: nothing was measured",
		Steps: []string{
			"Compare the call in the script with the function's signature: one of them was changed, or the library is of another version.",
			"Correct the script, or pin the library whose function it is.",
			"Let the runner stop at the first script that fails: what comes after it lacks the figures.",
		},
		Any: []Pattern{
			{Line: badCall, Near: `^File "([^"]*/)?` + script + `", line \d+|^([^\s"]*/)?` + script + `:\d+: (in |TypeError$)`, Within: 3},
			{Line: badCall, Near: `^(\S*/)?` + script + `\b.{0,40}\b(FAILED|failed|FAIL|exit|error)|\b(FAILED|[Ff]ailed|ERROR|[Ee]rror|[Ss]kipp\w+)\b.{0,24}\b` + script + `\b`, Within: 4},
			{Line: `\b([Bb]ench\w*|` + script + `)\b.*` + badCall},
		},
		Context:  `^File "([^"]*/)?` + script + `", line \d+`,
		Example:  "  File \"/w/benchmarks/bench_gemm.py\", line 40, in run\n    ms = do_bench(fn, percentiles=q)\nTypeError: do_bench() got an unexpected keyword argument 'percentiles'",
		NearMiss: "  File \"/w/kite/ops/gemm.py\", line 40, in run\nTypeError: launch() got an unexpected keyword argument 'percentiles'",
	},
	{
		ID: "S-C71", Over: []string{"S-C09", "S-C14"}, Stage: Correctness, Class: Host, Also: Test, Rules: []string{"R34"}, From: Platform,
		With:  mismatches,
		Title: "The host reads a result before the copy that brings it has ended",
		Steps: []string{
			"A copy to pinned memory with `non_blocking=True`, or an asynchronous copy of the driver, returns at once: wait for an event or the stream before the host looks.",
			"Keep the buffer until then, and do not use it for the next copy.",
			"Put a `torch.cuda.synchronize()` before the comparison: if the case passes, this is it.",
		},
		Any: []Pattern{
			{Line: `\b(cpu|CPU|host|pinned|D2H|d2h|DtoH)\b.*\bnon_blocking ?= ?True\b|\bnon_blocking ?= ?True\b.*\b(cpu|CPU|host|pinned|D2H|d2h|DtoH)\b`},
			{Line: `\b(D2H|d2h|DtoH|dtoh|[Dd]evice[- ]to[- ]host|\w*[Mm]emcpy\w*[Aa]sync|[Aa]sync(hronous)? copy|pinned)\b.*\b(not (yet )?(waited|synchroni[sz]ed|completed?|finished|ended)|no (event|sync\w*|wait)|without (a |any )?(sync\w*|wait\w*)|(read|compared|checked) before)\b`},
		},
		Example:  "fetch: out.to('cpu', non_blocking=True), compared at once\nAssertionError: Tensor-likes are not close!",
		NearMiss: "fetch: out.to('cpu'), compared at once\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C90", Over: []string{"S-C05", "S-R02"}, Stage: Correctness, Class: Test, State: true, With: []string{failedCase}, From: Platform,
		Title: "A test leaves a setting of the process changed: the tests after it run with another default type, device or mode",
		Steps: []string{
			"Restore what the named test sets, in a fixture or in `finally`: a test that is skipped or fails halfway does not come to its last line.",
			"Run the failing tests alone: they pass. Their code is not at fault.",
			"An order by chance brings it to light and is not the cause.",
		},
		Any: []Pattern{
			{Line: `\b(default[ _]d?type|default[ _]device|grad mode|inference mode|allow_tf32|matmul_precision|deterministic\w*|default stream|current device|working directory|environment|global state|random state)\b.*\b(at teardown|after (the )?test|leak\w*|not restored|not reset|left (behind|set|changed)|was changed)\b`},
			{Line: `\b(leak(s|ed)?|leaves?|left|does not (restore|reset)|did not (restore|reset))\b.*\b(default[ _]d?type|default[ _]device|grad mode|inference mode|allow_tf32|matmul_precision|deterministic\w*|monkeypatch)\b`},
		},
		Example:  "UserWarning: default dtype is torch.float64 after test test_gradcheck[rows]\nFAILED tests/ops/test_rows.py::test_rows[cutile_rs-64] - RuntimeError: expected Float and got Double",
		NearMiss: "default dtype: torch.float32\nFAILED tests/ops/test_rows.py::test_rows[cutile_rs-64] - RuntimeError: expected Float and got Double",
	},
	{
		ID: "S-C91", Over: []string{"S-C09"}, Stage: Correctness, Class: Kernel, Rules: []string{"R48", "R45"}, With: []string{"S-C09"}, From: Platform,
		Title: "Rows of which every element is masked give NaN: the largest value of nothing is subtracted, or a sum of nothing divides",
		Steps: []string{
			"Guard the running maximum: where it is still minus infinity, subtract zero in its place.",
			"Guard the division by the sum, and write zero for such rows, as the reference does.",
			"Look at how the other backends do it: padding on the left and windows make such rows.",
		},
		Any: []Pattern{
			{Line: `\b([Ff]ully|[Cc]ompletely|[Ee]ntirely|[Aa]ll)[- _]masked\b|\b(rows?|quer(y|ies)|tokens?)\b.{0,24}\b(no|without( any)?|zero|0) (visible|valid|unmasked|allowed|attended|real) (keys?|tokens?|elements?|entries|positions?)\b|\ball(-| keys? )(masked|hidden) (out|rows?)\b|\b(every|all) (keys?|elements?|positions?) (is|are) masked\b`},
		},
		Example:  "rows with no visible key  96, rows holding NaN in out 96\nAssertionError: Tensor-likes are not close!\n\nMismatched elements: 96 / 4096 (2.3%)\nGreatest absolute difference: nan at index (0, 0) (up to 0.01 allowed)",
		NearMiss: "rows with no visible key  96\nAssertionError: Tensor-likes are not close!\n\nMismatched elements: 96 / 4096 (2.3%)\nGreatest absolute difference: 0.5 at index (0, 0) (up to 0.01 allowed)",
	},
	{
		ID: "S-C64", Stage: Correctness, Class: Kernel, Also: Test, Rules: []string{"R48"}, From: Platform,
		Title: "A model's score with this kernel is below what the job demands",
		Steps: []string{
			"Run the same questions with the reference backend: if the score is as low there, the threshold or the sample is at fault.",
			"If it is lower by far, compare the kernel with its reference on the model's own shapes and types first.",
			"If it misses by a little, repeat it: with a few hundred questions a score varies by some percent.",
		},
		Any: []Pattern{
			{Line: `^AssertionError: \d[\d.]* not (greater|less) than (or equal to )?\d`, Near: scored, Within: 30},
			{Line: `^AssertionError: .*` + scored + `.*\b(below|less than|not (greater|above|reach\w*)|under|too (low|high)|above|exceeds)\b|^AssertionError: .*` + scored + `.* (<|>) ?\d|\bExpected: \d[\d.]* \| Measured: \d`},
			{Line: scored + `.{0,30}\d ?(%)? ?(is )?(below|under|less than|<) (the )?(threshold|baseline|minimum|target|expected|\d)`, With: []string{failedCase, "S-X41"}},
		},
		Example:  "gsm8k accuracy: 0.412\nAssertionError: 0.412 not greater than 0.61",
		NearMiss: "gsm8k accuracy: 0.643, threshold 0.61",
	},
	{
		ID: "S-C65", Over: []string{"S-C14", "S-I27"}, Stage: Correctness, Class: Test, Also: Host, Rules: []string{"R35"}, From: Platform,
		With:  append([]string{"S-X16"}, mismatches...),
		Title: "Two operands of different shapes were broadcast against each other: the values compare something else",
		Steps: []string{
			"See in which side the warning's shapes meet: the reference that the test computes, or the wrapper.",
			"Give both the same shape, with an explicit reshape or unsqueeze; a column against a row makes a matrix.",
			"Assert the shapes before the values.",
		},
		Any:      []Pattern{{Line: `Using a target size \(.*\) that is different to the input size`, Warned: Weak}},
		Example:  "UserWarning: Using a target size (torch.Size([8])) that is different to the input size (torch.Size([8, 1])). This will likely lead to incorrect results due to broadcasting.\nAssertionError: Scalars are not close!",
		NearMiss: "target size (torch.Size([8])) is the input size (torch.Size([8]))\nAssertionError: Scalars are not close!",
	},
	{
		ID: "S-C66", Over: []string{"S-C77", "S-J42"}, Stage: Correctness, Class: Host, Rules: []string{"R35"}, From: Platform,
		Title: "The registration of an operator does not tell what the operator does: its fake implementation, schema or autograd differs",
		Steps: []string{
			"Compare what the fake (meta) implementation returns with the real output: shape, strides, type, device, and which outputs there are.",
			"Return a contiguous output in both, or the same strides.",
			"The kernel's values are not at fault; a compiled model would read the output with the wrong layout.",
		},
		Any: []Pattern{
			{Line: `test_(faketensor|aot_dispatch_\w+|autograd_registration|schema) failed with\b`, Not: `but was mutated`},
			{Line: `MetadataMismatchError|\bStride mismatch! Strides are\b|fake (tensor|kernel|implementation).{0,40}\b(mismatch\w*|disagrees?|does not match)\b`},
		},
		Example:  "OpCheckError: opcheck(op, ...): test_faketensor failed with Shapes torch.Size([4, 8]) and torch.Size([8, 4]) are not equal! (scroll up for stack trace)",
		NearMiss: "opcheck: test_schema, test_faketensor: SUCCESS",
	},
	{
		ID: "S-C67", Over: []string{"S-C12"}, Stage: Correctness, Class: Test, Also: Host, From: Platform,
		Title: "A test waits for another process, thread or pipe that does not answer until its time is over",
		Steps: []string{
			"Look for the other side's own error above: a worker that died leaves the reader waiting.",
			"Give the wait a time limit of its own, and end it when the worker has ended.",
			"The GPU is not what it waits for.",
		},
		Any: []Pattern{
			{Line: `Timeout (\(>|>)[0-9.]+s`, Near: `/(multiprocessing/\w+|concurrent/futures/\w+|queue|subprocess|selectors|socket|threading|asyncio/\w+)\.py:\d+: in (get|_?recv\w*|join|wait\w*|_wait\w*|acquire|result|poll|select|communicate|_communicate|accept|readinto|run_until_complete)$`, Within: 40},
		},
		Context:  `^(\S*/)?tests?/\S+\.py:\d+: in `,
		Example:  "/usr/lib/python3.12/multiprocessing/queues.py:103: in get\nE   Failed: Timeout (>60.0s) from pytest-timeout.",
		NearMiss: "tests/test_a.py:103: in get\nE   Failed: Timeout (>60.0s) from pytest-timeout.",
	},
	{
		ID: "S-C76", Over: []string{"S-C14", "S-C21"}, Stage: Correctness, Class: Infra, Also: Env, Rank: Weak, From: Platform,
		Title: "Only one of several GPUs gives wrong values: the machine, or what is kept for that GPU",
		Steps: []string{
			"Run the case on that GPU alone (`CUDA_VISIBLE_DEVICES`), then on another one of the same kind: if the fault stays with the GPU, the kernel is not at fault.",
			"Ask for its memory errors and Xids (`nvidia-smi -q -d ECC`, `dmesg`), and take it out of the pool.",
			"If it is always the first or the last, whichever GPU that is, look at what is made for one device only.",
		},
		Any:      []Pattern{{Line: `\b[Oo]nly (on )?(GPU|gpu|device|cuda:) ?\d+ (is |gives? |returns? |has )?(wrong|fails?|bad|incorrect|differs?|mismatch\w*)`, With: wrongValues}},
		Records:  oneGPU,
		Example:  "only GPU 3 is wrong, 7 others agree\nAssertionError: Tensor-likes are not close!",
		NearMiss: "GPU 3 is idle, 7 others work\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C77", Over: []string{"S-C14", "S-C21"}, Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R34", "R35"}, From: Platform,
		Title: "Only cases that a compiler traces (torch.compile) are wrong: it is not told what the operator does",
		Steps: []string{
			"See what the registration says: an operator that writes into an argument must name it (`mutates_args`), or the write is dropped or moved.",
			"Look for values that are fixed while tracing: a scale, a seed, a pointer, a size that is no guard.",
			"Run with `backend=\"eager\"`, then `aot_eager`, then `inductor`: the first one that is wrong tells which stage it is. Check the operator with `torch.library.opcheck`.",
		},
		Any:      []Pattern{{Line: `\b(torch\.compile|compiled|[Ii]nductor|aot_eager)\b.{0,30}\b(wrong|differs?|mismatch\w*|incorrect)\b.{0,40}\b(eager|uncompiled|not compiled)\b.{0,20}\b(right|ok|OK|correct|match\w*|pass\w*)|\b(eager|uncompiled)\b.{0,20}\b(right|ok|OK|correct|match\w*|pass\w*)\b.{0,40}\b(torch\.compile|compiled|[Ii]nductor|aot_eager)\b.{0,30}\b(wrong|differs?|mismatch\w*|incorrect|FAIL\w*|fails?)\b`, With: wrongValues}},
		Records:  compiledMode.alone,
		Example:  "eager: ok, compiled: wrong in 4096 of 4096 elements\nAssertionError: Tensor-likes are not close!",
		NearMiss: "eager: ok, compiled: ok\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C130", Over: []string{"S-C09", "S-C14", "S-C21", "S-C34", "S-C39", "S-C45", "S-C91"}, Stage: Correctness, Class: Test, Also: Host, Rules: []string{"R48"}, From: Platform,
		Title: "The reference or the fallback gives NaN where the kernel does not: rows of which every element is masked",
		Steps: []string{
			"Look at the rows with NaN: a softmax over nothing is 0 divided by 0 in a plain implementation, and zero in a kernel that guards it.",
			"Guard the reference, or the fallback, as the kernel does (zero for such rows), or leave such rows out of the comparison; `nan_to_num` on the masked rows will do.",
			"Do not touch the kernel: its values are finite.",
		},
		Compare: func(c Comparison) bool {
			return !c.Grad && c.refSaid && c.testSaid && !c.Ref.finite() && c.Test.finite()
		},
		Example:  "nan in out: 0, nan in ref: 17408\nAssertionError: Tensor-likes are not close!\n\nMismatched elements: 17408 / 524288 (3.3%)\nGreatest absolute difference: nan at index (0, 0) (up to 0.02 allowed)",
		NearMiss: "nan in out: 17408, nan in ref: 0\nAssertionError: Tensor-likes are not close!\n\nMismatched elements: 17408 / 524288 (3.3%)\nGreatest absolute difference: nan at index (0, 0) (up to 0.02 allowed)",
	},
	{
		ID: "S-C131", Over: []string{"S-C03", "S-C07", "S-C14", "S-C20", "S-C25", "S-C26", "S-C43"}, Stage: Correctness, Class: Kernel, Also: Test, Rules: []string{"R8"}, Only: "float32", From: Platform,
		With:  append([]string{failedCase, "S-X16"}, mismatches...),
		Title: "The kernel multiplies float32 in TF32: its error is as large as that of 10 bits",
		Steps: []string{
			"See what the kernel asks for: `tl.dot` takes TF32 for float32 unless it is given `input_precision=\"ieee\"` (`allow_tf32=False` in older versions), other languages have a cast or a mode.",
			"If the kernel is exact and the reference is not, switch TF32 off there (`torch.backends.cuda.matmul.allow_tf32`, `set_float32_matmul_precision`).",
			"If TF32 is meant, compare with a tolerance that it can hold: about 1e-3 times the root of the length of the sum.",
		},
		Any: []Pattern{
			{Line: `(\btl\.dot\b|\binput_precision\b|\b[Kk]ernel\b|\b[Tt]riton\b|\bcutile\w*).*\ballow_tf32\b\W{1,4}[Tt]rue\b|\ballow_tf32\b\W{1,4}[Tt]rue\b.*(\btl\.dot\b|\binput_precision\b|\b[Kk]ernel\b|\b[Tt]riton\b)|\binput_precision\b\W{1,4}tf32\b|\btf32\b.{0,12}\binput_precision`},
			{Line: `\b(kernel|tl\.dot|triton|mma)\b.{0,24}\b(in|uses?|runs? in|with|as) (TF32|tf32)\b`},
		},
		Example:  "tl.dot: input_precision=tf32\nAssertionError: Tensor-likes are not close!",
		NearMiss: "tl.dot: input_precision=ieee\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C132", Over: []string{"S-C07", "S-C14", "S-C17", "S-C18", "S-C21", "S-C24", "S-C25", "S-C26", "S-C34", "S-C41", "S-C43", "S-C60"}, Stage: Correctness, Class: Test, Rules: []string{"R8"}, From: Platform,
		Title: "The tolerance is below the rounding of sums in another order",
		Steps: []string{
			"Compare the error with the spacing of the type at the values' size: two orders of summation differ by some steps, and by more the longer the sum is (with the root of its length).",
			"Give the test a tolerance relative to the values, or one that grows so; an absolute one that holds for short sums does not hold for long ones.",
			"Neither a race nor the kernel is at fault: atomics and blocks add in an order of their own.",
		},
		Records: orderOfSums,
	},
	{
		ID: "S-C133", Over: []string{"S-C14", "S-C34", "S-C41", "S-C43"}, Stage: Correctness, Class: Kernel, Also: Test, Rules: []string{"R19", "R26"}, From: Platform,
		With:  append([]string{failedCase, "S-X16"}, mismatches...),
		Title: "The compiler contracts a multiplication and an addition, takes approximate functions or flushes the smallest values to zero: the bits differ from the reference's",
		Steps: []string{
			"Build or launch once without it: `-fmad=false` for nvcc, `enable_fp_fusion=False` for Triton, no `--use_fast_math`. If the case passes, this is it.",
			"If equal bits are promised, keep it off for this kernel; else compare with a tolerance of some steps of the type.",
			"Where two nearly equal products are subtracted, contraction shows most: see whether the formula can do without.",
		},
		Any: []Pattern{
			{Line: `(-{1,2}fmad=false|enable_fp_fusion ?= ?False|-ffp-contract=off|without (--?use_)?fast[-_]math|no fast[-_]math)\b.{0,40}\b([Pp]ass\w*|PASS\w*|ok|OK|match\w*|equal|identical|0 (failed|mismatch\w*|differ\w*))\b`},
			{Line: `\b([Pp]ass\w*|[Mm]atch\w*|equal|identical)\b.{0,40}(-{1,2}fmad=false|enable_fp_fusion ?= ?False|-ffp-contract=off|without (--?use_)?fast[-_]math)`},
			{Line: `(-{1,2}ftz=true|--?use_fast_math|\bftz\b|[Ff]lush[- ]to[- ]zero)`, Near: `\b([Dd]e|[Ss]ub)normal|\b1\.1\d*e-3[89]\b|\b\d(\.\d+)?e-(39|4[0-5])\b`, Within: 8},
			{Line: `\b([Dd]e|[Ss]ub)normals?\b.{0,40}\b(are |is |become |flushed )?(0(\.0)?|zeros?|flushed)\b`},
			{Line: `(-{1,2}fmad=false|enable_fp_fusion=False|-ffp-contract=off)\b`, Near: `^(=+ )?\d+ passed\b[^,]*$|^\W*(ok|OK|PASS(ED)?|all match)$|^0 (of|/) ?\d+ \w+ (differ|mismatch)|max\w* (abs )?(err\w*|diff\w*)\W{1,3}0(\.0*(e[+-]?0+)?)?$`, Within: 4},
		},
		Example:  "with -fmad=false: passes\nAssertionError: Tensor-likes are not equal!",
		NearMiss: "nvcc -fmad=true -O3\nAssertionError: Tensor-likes are not equal!",
	},
	{
		ID: "S-C120", Over: []string{"S-C14", "S-I27"}, Stage: Correctness, Class: InProcess, Also: Env, From: Platform,
		Title: "The kernel ran in Triton's interpreter on the CPU, not on the GPU: its arithmetic and its gaps are others",
		Steps: []string{
			"Run the case without `TRITON_INTERPRET=1`: if it passes, the kernel is not at fault.",
			"Take the variable out of the job's environment, or look for a test or `conftest.py` that sets it and leaves it set.",
			"A warning of overflow in interpreter.py names the operation that NumPy computes otherwise.",
		},
		Any: []Pattern{
			{Line: `triton/runtime/interpreter\.py:\d+: RuntimeWarning`, With: append([]string{"S-X16"}, mismatches...), Warned: Specific},
		},
		Example:  "E   AssertionError: Tensor-likes are not close!\n  /opt/venv/lib/triton/runtime/interpreter.py:412: RuntimeWarning: overflow encountered in multiply",
		NearMiss: "E   AssertionError: Tensor-likes are not close!\n  /opt/venv/lib/numpy/core/fromnumeric.py:88: RuntimeWarning: overflow encountered in reduce",
	},
	{
		ID: "S-C160", Over: []string{"S-C06", "S-C07", "S-C09", "S-C14", "S-C21", "S-C29", "S-C49", "S-C50", "S-C57"}, Stage: Correctness, Class: Kernel, Also: Env, Rules: []string{"R21", "R34"}, From: Platform,
		Title: "Only some launch configurations are wrong: loads of the pipeline, or warps, overtake each other",
		Steps: []string{
			"Look in the kernel for a buffer that is read and written in one loop without a barrier between, for an accumulator that the loop does not carry, and for pointers that alias.",
			"Compare the code that both configurations compile to: if the kernel is right, it is the compiler's pipeline; another version of it tells.",
			"Until then leave the wrong configurations out of the tuner's list (`num_stages=1` is the safe one), and let the tuner check its results.",
		},
		Any:      []Pattern{{Line: `\b(correct|right|ok|OK|pass(es)?|matches|fine) (only )?(with|for|at|when) \(?num_(stages|warps) ?= ?\d|\b(wrong|incorrect|mismatch\w*|differs?) (only )?(with|for|at|when) \(?num_(stages|warps) ?(=|>|>=) ?\d`, With: scriptFailed}},
		Records:  configurations,
		Example:  "num_stages=1: max err 9.4e-05 ok\nnum_stages=2: max err 9.4e-05 ok\nnum_stages=3: max err 33.6 WRONG\nAssertionError: outputs differ",
		NearMiss: "num_stages=1: max err 33.1 WRONG\nnum_stages=2: max err 33.6 WRONG\nnum_stages=3: max err 33.6 WRONG\nAssertionError: outputs differ",
	},
	{
		ID: "S-C161", Over: []string{"S-C14", "S-C16", "S-C21", "S-C49"}, Stage: Correctness, Class: Env, Also: Kernel, From: Platform,
		Title: "The same code is right with one version of a compiler or library and wrong with another",
		Steps: []string{
			"Read the newer version's notes for what it changed: the default precision of products, a mask's alignment, an argument's meaning, undefined values of masked loads.",
			"See that the kernel relies on nothing that is not promised (values of masked lanes, the order of writes); then report the smallest case with both versions.",
			"Pin the version that is right until then.",
		},
		Any:      []Pattern{{Line: `\b([Rr]ight|[Cc]orrect|[Pp]ass(es|ed)?|PASS(ED)?|ok|OK)\b.{0,24}\b(triton|torch|cuda|CUDA|ptxas|nvcc|cutlass|jax|driver)[ =]+v?\d+\.\d[\w.]*\b.{0,40}\b([Ww]rong|[Ii]ncorrect|[Ff]ail(s|ed)?|FAIL(ED)?|differs?)\b.{0,24}\b(triton|torch|cuda|CUDA|ptxas|nvcc|cutlass|jax|driver)?[ =]*v?\d+\.\d`, With: scriptFailed}},
		Records:  otherRelease,
		Example:  "triton 3.1.0 -> max err 1.1e-06 ok\ntriton 3.2.0 -> max err 0.74 FAIL\ntriton 3.3.0 -> max err 0.74 FAIL\nAssertionError: row max differs from torch",
		NearMiss: "triton 3.1.0 -> max err 0.74 FAIL\ntriton 3.2.0 -> max err 0.74 FAIL\ntriton 3.3.0 -> max err 0.74 FAIL\nAssertionError: row max differs from torch",
	},
	{
		ID: "S-C162", Over: []string{"S-C14", "S-C16", "S-C21", "S-C31", "S-C49", "S-C57"}, Stage: Correctness, Class: Kernel, Also: Env, Rules: []string{"R23"}, From: Platform,
		Title: "The same code is right on one kind of GPU and wrong on another",
		Steps: []string{
			"Look for what is written for one kind: the width of a warp (64 lanes on some), shuffles and masks of 32 bits, the size of shared memory, an instruction with another layout, a branch on the architecture.",
			"See what was compiled for the second kind: a fat binary without its code runs what is compiled from an older one.",
			"If it is wrong on a newer one alone, look for threads of a warp that rely on running in step: they need `__syncwarp`.",
		},
		Any: []Pattern{
			{Line: `\b(warp_?[Ss]ize|wave(front)?([_ ]?size)?)\b\W{0,4}64\b|\bwave ?64\b`, With: scriptFailed, Not: `\b(ok|OK|PASS\w*|pass(ed)?)\b`},
		},
		Records:  otherArchitecture,
		Example:  "A100: max err 1.2e-06 ok\nL4: max err 1.2e-06 ok\nH100: max err 3.4 WRONG\nAssertionError: outputs differ",
		NearMiss: "A100: max err 3.2 WRONG\nL4: max err 3.1 WRONG\nH100: max err 3.4 WRONG\nAssertionError: outputs differ",
	},
	{
		ID: "S-C163", Over: []string{"S-C04", "S-C14", "S-C18", "S-C31", "S-C51"}, Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R35"}, From: Platform,
		With:  append([]string{"S-X16"}, mismatches...),
		Title: "The two 8-bit float formats are mixed up (`fn` and `fnuz`): the same bits are half as much in one of them",
		Steps: []string{
			"Convert a checkpoint of one format before the other is used: the scale must be doubled, and the bits 0x80 (NaN in one of them) be replaced.",
			"Let the wrapper choose the format by the GPU, and refuse the other one.",
		},
		Any: []Pattern{
			{Line: `e4m3fnuz\b.*e4m3(fn)?\b|e4m3(fn)?\b.*e4m3fnuz\b|e5m2fnuz\b.*e5m2\b|e5m2\b.*e5m2fnuz\b`},
		},
		Example:  "weight dtype torch.float8_e4m3fnuz, checkpoint dtype torch.float8_e4m3fn\nAssertionError: Tensor-likes are not close!",
		NearMiss: "weight dtype torch.float8_e4m3fn, checkpoint dtype torch.float8_e4m3fn\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C165", Over: []string{"S-C14", "S-C18", "S-C51"}, Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R35"}, From: Platform,
		Title: "The scales of a block are exponents (e8m0), and are taken for numbers, or rounded on one side alone",
		Steps: []string{
			"Decode each as 2 to the power of the byte less 127; files store them as plain bytes (U8) as well as under a type of their own.",
			"Round the scale to a power of two before the values are divided by it, not after: else both sides differ by up to a factor of two.",
		},
		Any: []Pattern{
			{Line: `\b[Ss]cales?\b.{0,40}\b(U8|uint8|u8|byte)\b`, Near: `\b(mx\w*|MX\w*|e8m0\w*|ue8m0|[Dd]equant\w*)\b`, Within: 6, With: scriptFailed},
			{Line: `\bu?e8m0\w*\b.{0,60}\b(raw|linear|as (a )?(number|float|uint8)|not decoded|rounded (after|only)|unrounded|after quanti[sz]\w+)\b`, With: scriptFailed},
		},
		Example:  "dequant mxfp8: weight F8_E4M3, scale U8 [1024, 128], mean |w| 13410 where 0.0297 is expected\nAssertionError: values differ",
		NearMiss: "dequant mxfp8: weight F8_E4M3, scale F32 [1024, 128], mean |w| 13410 where 0.0297 is expected\nAssertionError: values differ",
	},
	{
		ID: "S-C166", Over: []string{"S-C09", "S-C14", "S-C49"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R8"}, From: Platform,
		Title: "Only the special codes of a small float type are converted wrongly: subnormal numbers, zero, infinity or NaN",
		Steps: []string{
			"Convert with the type's own instruction or cast instead of moving bits: an exponent of zero has no hidden one, and the last codes are no numbers.",
			"Test all codes of the type once, against a table.",
		},
		Any: []Pattern{
			{Line: `\b([Dd]e|[Ss]ub)normals?\b.{0,40}\b[0-9]+ ?(/|of) ?\d+ (are )?(equal|match|ok|right)\b|\bexponent(_field| field)?\b.{0,8}\b0\b.{0,40}\b\d+ ?(/|of) ?\d+`, With: scriptFailed},
			{Line: `\b(1[0-9]|[2-9]) (of|/) (the )?256\b.{0,40}\b(codes?|bit patterns?|bytes?|words?|encodings?)\b`, With: scriptFailed},
			{Line: `\b0x(7f|ff|80|7c|fc|7e)\b.{0,24}\b(got|gives?|decod\w+|->)\b.{0,16}\b(480|240|448|57344|nan|NaN|inf)\b`, With: scriptFailed},
		},
		Example:  "exponent field 0: 2 / 16 equal\nAssertionError: 16 of 256 codes decode wrongly",
		NearMiss: "exponent field 3: 2 / 16 equal\nAssertionError: values differ",
	},
	{
		ID: nanOfBoth, Over: []string{"S-C09", "S-C14", "S-C22", "S-C38", "S-C91", "S-C130"}, Stage: Correctness, Class: Test, From: Platform,
		Title: "Kernel and reference have NaN at the same places, and the comparison takes no NaN for equal",
		Steps: []string{
			"Compare with `equal_nan=True`, if NaN is what the operation gives for such inputs.",
			"Else keep the inputs within what the operation is defined for.",
			"Leave the kernel alone: both sides agree.",
		},
		Example:  "nan in out: 12, nan in ref: 12\nAssertionError: Tensor-likes are not close!\n\nMismatched elements: 12 / 4096 (0.3%)\nGreatest absolute difference: nan at index (0, 0) (up to 1e-05 allowed)",
		NearMiss: "nan in out: 12, nan in ref: 3\nAssertionError: Tensor-likes are not close!\n\nMismatched elements: 12 / 4096 (0.3%)\nGreatest absolute difference: nan at index (0, 0) (up to 1e-05 allowed)",
	},
	{
		ID: "S-C168", Over: []string{"S-C14", "S-I27", "S-C03", "S-C25", "S-C43", "S-C61"}, Stage: Correctness, Class: Test, Also: Env, From: Platform,
		With:  append([]string{"S-X16"}, mismatches...),
		Title: "The exact reference is not computed in double precision: the library cuts float64 down to float32",
		Steps: []string{
			"Switch it on before the first array is made (`jax_enable_x64`), or compute the reference with NumPy.",
			"Or give the comparison a tolerance of float32.",
		},
		Any: []Pattern{
			{Line: `[Ee]xplicitly requested dtype (<class '\S*float64'>|float64|\S*int64\S*|complex128).*will be truncated to dtype|\bjax_enable_x64\b\W{1,4}[Ff]alse`, Warned: Specific},
		},
		Example:  "UserWarning: Explicitly requested dtype float64 requested in astype is not available, and will be truncated to dtype float32.\nAssertionError: \nNot equal to tolerance rtol=1e-10, atol=1e-10",
		NearMiss: "UserWarning: requested dtype float64 is slow\nAssertionError: \nNot equal to tolerance rtol=1e-10, atol=1e-10",
	},
	{
		ID: "S-C169", Over: []string{"S-C14", "S-C33", "S-C131", "S-C20", "S-C43"}, Stage: Correctness, Class: Test, Also: Kernel, Rules: []string{"R8"}, From: Platform,
		With:  append([]string{"S-X16", failedCase}, mismatches...),
		Title: "JAX multiplies float32 in TF32 or bfloat16 unless it is asked for more",
		Steps: []string{
			"Compute the reference with `jax.default_matmul_precision(\"highest\")`, or give `precision=` to each product of it.",
			"Give the kernel the precision that it promises (`preferred_element_type`, `precision`), and compare with a tolerance that it can hold.",
		},
		Any: []Pattern{
			{Line: `\b(jax_)?default_matmul_precision\W{1,4}(None|default|tensorfloat32|bfloat16|fastest)\b`},
			{Line: `\bdefault_matmul_precision\(["']?(highest|float32)["']?\).{0,40}\b(max|err\w*|diff\w*|pass\w*|ok)\b`},
		},
		Example:  "jax_default_matmul_precision=None on NVIDIA A100\nAssertionError: \nNot equal to tolerance rtol=1e-05, atol=1e-05",
		NearMiss: "jax_default_matmul_precision=highest on NVIDIA A100\nAssertionError: \nNot equal to tolerance rtol=1e-05, atol=1e-05",
	},
	{
		ID: nearZero, Over: []string{"S-C14", "S-C17", "S-C43", "S-C132"}, Stage: Correctness, Class: Test, From: Platform,
		Title: "The tolerance is relative alone, and the values that differ are next to zero",
		Steps: []string{
			"Give the comparison an absolute part (`atol`) of some rounding steps of the largest values: NumPy's default for it is 0.",
			"Leave the kernel alone: its absolute error is that of rounding.",
		},
		Example:  "AssertionError: \nNot equal to tolerance rtol=0.0001, atol=0\n\nMismatched elements: 3 / 512 (0.586%)\nMax absolute difference: 4.1e-08\nMax relative difference: 372.0",
		NearMiss: "AssertionError: \nNot equal to tolerance rtol=0.0001, atol=0\n\nMismatched elements: 3 / 512 (0.586%)\nMax absolute difference: 4.1\nMax relative difference: 372.0",
	},
	{
		ID: "S-C171", Over: []string{"S-C03", "S-C05", "S-C14", "S-C17", "S-C43", "S-C34", "S-C59"}, Stage: Correctness, Class: Test, Also: Host, Rules: []string{"R35"}, From: Platform,
		With:  append([]string{failedCase, "S-C05", "S-X16"}, mismatches...),
		Title: "Autocast is on: one of the sides runs in another type than the test means",
		Steps: []string{
			"See who switches it on (a fixture, a trainer, the job), and compute the reference outside of it, or in the type that it gives.",
			"If the operation is called under autocast on purpose, convert its inputs there (`custom_fwd(cast_inputs=...)`): a custom kernel is not converted by itself.",
		},
		Any: []Pattern{
			{Line: `\bis_autocast_enabled\(["'\w]*\)\W{1,4}True\b|\b[Aa]utocast\b\W{1,4}(enabled|on|True|true|active)\b|\b(under|inside( of)?|within|with) (torch\.)?(amp\.)?autocast\b.{0,40}\b(bfloat16|float16|bf16|fp16|half)\b`},
		},
		Example:  "torch.is_autocast_enabled(): True\nAssertionError: The values for attribute 'dtype' do not match: torch.bfloat16 != torch.float32.",
		NearMiss: "torch.is_autocast_enabled(): False\nAssertionError: The values for attribute 'dtype' do not match: torch.bfloat16 != torch.float32.",
	},
	{
		ID: "S-C173", Over: []string{"S-C14", "S-C43", "S-C161", "S-C162"}, Stage: Correctness, Class: Test, Also: Env, From: Platform,
		With:  append([]string{failedCase, "S-X16", "S-X41"}, mismatches...),
		Title: "The values to compare with were recorded on another GPU or with other versions",
		Steps: []string{
			"Compute the expected values anew where the test runs, or keep a file for each kind of GPU and library.",
			"Or compare with a tolerance for another order of sums, and never bit by bit.",
			"See first that a present backend agrees with the kernel on this machine.",
		},
		Any: []Pattern{
			{Line: `\b([Gg]olden|[Ss]napshot|[Ee]xpected|[Rr]eference|[Bb]aseline|[Rr]ecorded)\b.{0,60}\b(recorded|generated|made|saved|captured|created|produced|dumped)\b.{0,16}\b(on|with|by|under|for)\b.{0,24}(\b(NVIDIA )?(Tesla |GeForce )?([AHLVTB]\d{1,3}\w?|RTX ?\d+\w*|GH200|GB\d+|MI\d+\w?)\b|\b(torch|triton|cuda|cu|driver)[ =-]*\d|another|other|older|a different)`},
		},
		Example:  "golden file logits.pt recorded on A100, torch 2.3.1; running on H100\nAssertionError: Tensor-likes are not close!",
		NearMiss: "golden file logits.pt found\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C175", Over: []string{"S-C09", "S-C14", "S-C38", "S-C04"}, Stage: Correctness, Class: Test, Rules: []string{"R8"}, From: Platform,
		With:  append([]string{failedCase, "S-X16"}, mismatches...),
		Title: "The reference overflows: it has infinity where the kernel is finite",
		Steps: []string{
			"Compute the reference in float32 or float64 and convert its result.",
			"Do not touch the kernel: its values are finite.",
		},
		Any: []Pattern{
			{Line: `\b[Ii]nfs?\b( values)?( in| of)? (the )?(out\w*|ours?|kernel|test|got|actual)\W{1,3}0\b.*\b[Ii]nfs?\b( values)?( in| of)? (the )?(ref\w*|torch|expected|eager|want)\W{1,3}[1-9]`},
			{Line: `\b([Rr]ef\w*|[Tt]orch|[Ee]ager|[Ee]xpected)\b.{0,40}\b(overflow\w*|> ?65504|exceeds 65504|(has|is|gives|becomes) \+?-?inf(inity)?)\b`, Not: `\b(kernel|ours?|out)\b.{0,24}\b(overflow\w*|inf)\b`},
		},
		Example:  "inf in out: 0  inf in ref: 4096\nAssertionError: Tensor-likes are not close!",
		NearMiss: "inf in out: 4096  inf in ref: 0\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C176", Over: []string{"S-C14", "S-C21", "S-C34", "S-C41"}, Stage: Correctness, Class: Kernel, Also: Test, Rules: []string{"R8", "R35"}, From: Platform,
		Title: "A conversion to an integer type wraps round where it should stop at the type's ends",
		Steps: []string{
			"Clamp to the type's ends before the conversion, and round before that: a cast cuts off, and what is beyond the end is undefined or wraps.",
			"See which of both sides the operation's documentation wants.",
		},
		Any: []Pattern{
			{Line: `\b12[789]\.?\d*\b.{0,16}(->|=>|kernel|got|gives?).{0,16}-12[0-8]\b|\b(got|kernel|out\w*)\W{1,3}-12[78]\b.{0,24}\b(ref|want|expected|torch)\W{1,3}127\b|\b(got|kernel|out\w*)\W{1,3}[0-3]\b.{0,24}\b(ref|want|expected|torch)\W{1,3}255\b`, With: scriptFailed},
			{Line: `\b(wraps?|wrapped|wrap-?around)\b.{0,40}\b(saturat\w+|clamp\w*|clip\w*)\b|\b(saturat\w+|clamp\w*|clip\w*)\b.{0,40}\b(wraps?|wrapped|wrap-?around)\b|\bint8\b.{0,40}\b(overflow\w*|wrap\w*)\b`, With: scriptFailed},
		},
		Example:  "input 127.6 -> kernel -128, ref 127\nAssertionError: 212 of 4096 int8 values differ",
		NearMiss: "input 12.6 -> kernel 12, ref 13\nAssertionError: 212 of 4096 int8 values differ",
	},
	{
		ID: "S-C177", Over: []string{"S-C14", "S-C21"}, Stage: Correctness, Class: Kernel, Rules: []string{"R19"}, From: Platform,
		Title: "Division or remainder of negative numbers differs: towards zero on one side, downwards on the other",
		Steps: []string{
			"See which the operation promises: Python, NumPy and torch's `//` and `%` go downwards, C, CUDA and Triton's go towards zero.",
			"Correct the quotient where the signs differ and there is a remainder.",
		},
		Any: []Pattern{
			{Line: `\b(floor_?div\w*|floordiv|remainder|fmod|mod(ulo)?|div\w*)\b.{0,60}\b(negative|mixed signs?|signs? differ\w*|opposite signs?|trunc\w*|towards? zero)\b`, With: scriptFailed},
			{Line: `-\d+ ?(%|//|mod|rem) ?\d+.{0,24}\b(got|kernel|triton|ours?)\b`, With: scriptFailed},
		},
		Example:  "AssertionError: remainder differs for mixed signs",
		NearMiss: "AssertionError: remainder differs for large values",
	},
	{
		ID: "S-C179", Over: []string{"S-C14", "S-C19", "S-C23", "S-C24"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R34"}, From: Platform,
		With:  append([]string{failedCase, "S-X16", "S-C24", "S-X41"}, mismatches...),
		Title: "A kernel that is launched early (programmatic dependent launch) reads before its predecessor has written",
		Steps: []string{
			"Wait (`griddepcontrol.wait`, `cudaGridDependencySynchronize`, `gdc_wait`) before the first access to anything that an earlier kernel writes, and before the first write to what it reads.",
			"Look further back as well: the wait is for the direct predecessor's end, and what came before it must have waited too.",
			"With the attribute off all must be right: that shows it.",
		},
		Any: []Pattern{
			{Line: `\b(PDL|pdl|enable_pdl|launch_pdl|programmatic (dependent|stream)|[Pp]rogrammaticStreamSerialization\w*|griddepcontrol|gdc_wait|gdc_launch\w*|cudaGridDependencySynchronize)\b`, Not: `\b(PDL|pdl|launch_pdl)\b ?[=:]? ?(off|False|false|0|disabled)\b|unsupported|not supported|[Uu]nknown|[Uu]nrecognized`},
			{Line: `\bTRTLLM_ENABLE_PDL=1\b|programmaticStreamSerialization`},
		},
		Example:  "PDL on : 131 mismatches, 0 without it\nAssertionError: outputs differ",
		NearMiss: "PDL off: 131 mismatches\nAssertionError: outputs differ",
	},
	{
		ID: "S-C181", Over: []string{"S-C06", "S-C07", "S-C14", "S-C27", "S-C29", "S-C45", "S-C57"}, Stage: Correctness, Class: Kernel, Rules: []string{"R22", "R34"}, From: Platform,
		Title: "Of a scan only the first block is right: what it carries to the next block is lost",
		Steps: []string{
			"See how a block learns what came before it: a loop that keeps the last value, a second pass over the blocks' totals, or a look-back; see that the totals are added to each element.",
			"Compare the first element of the second block with the reference: if it is the block's own, the carry is missing.",
		},
		Records:  lostCarry,
		Any:      []Pattern{{Line: `\b(carry|carried|running (sum|total|state)|prefix)\b.{0,40}\b(lost|missing|dropped|not (added|carried|passed|propagated)|reset)\b.{0,24}\b(block|tile|chunk)s?\b`, With: scriptFailed}},
		Example:  "the running sum is not carried to the next block\nAssertionError: Tensor-likes are not close!",
		NearMiss: "the running sum is carried to the next block\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: interpreted, Over: []string{"S-C14", "S-C24", "S-C120"}, Stage: Correctness, Class: Kernel, Also: Env, Rules: []string{"R34", "R45"}, From: Platform,
		Title: "The kernel is right in the interpreter and wrong on the GPU: what runs at once there runs in order here",
		Steps: []string{
			"Look for what depends on the order of blocks: a load of what another block stores, an addition that is not atomic, a buffer that two blocks share.",
			"Look for values that the interpreter computes in NumPy and the GPU otherwise: masked loads without `other`, integer overflow, the precision of products.",
			"Run it under `compute-sanitizer --tool memcheck` and `initcheck` once.",
		},
		Any:      []Pattern{{Line: `\b([Ii]nterpret\w*|TRITON_INTERPRET=1|CPU)\b.{0,24}\b(right|ok|OK|correct|pass\w*|match\w*)\b.{0,40}\b(GPU|gpu|cuda|compiled|device)\b.{0,24}\b(wrong|fail\w*|FAIL\w*|differ\w*|incorrect)\b`, With: scriptFailed}},
		Example:  "interpreter: max err 1.2e-07 ok, compiled: max err 3.3 FAIL\nAssertionError: Tensor-likes are not close!",
		NearMiss: "interpreter: max err 3.3 FAIL, compiled: max err 3.3 FAIL\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C184", Over: []string{"S-C09", "S-C14", "S-C06", "S-C21"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R45"}, From: Platform,
		With:  append([]string{failedCase, "S-X16", "S-X41"}, mismatches...),
		Title: "The kernel reads a page or block that is not in use (-1 in the table)",
		Steps: []string{
			"Bound the loop by the sequence's own length, not by the table's width, and mask the table's entries.",
			"Do not let -1 reach the address: it points before the cache, to whatever lies there.",
		},
		Any:      []Pattern{{Line: `\b(reads?|loads?|loaded|keys?|values?)\b.{0,24}\b([Pp]age|[Bb]lock|[Ss]lot|[Ee]xpert) -1\b|\b([Pp]age|[Bb]lock|[Ss]lot)s? -1\b.{0,16}\b(is|was|are|were|being) (read|used|loaded|accessed)\b`}},
		Example:  "keys read from page -1\nAssertionError: Tensor-likes are not close!",
		NearMiss: "page table: [7, 12, -1, -1]\nAssertionError: Tensor-likes are not close!",
	},
	{
		ID: "S-C185", Over: []string{"S-C14", "S-C19", "S-C24", "S-C60"}, Stage: Correctness, Class: Test, Also: Env, From: Platform,
		Title: "A call of the tensor library is what is not reproducible: its algorithm or its workspace changes from run to run",
		Steps: []string{
			"Switch cuDNN's search off (`cudnn.benchmark=False`) and ask for deterministic algorithms, or set CUBLAS_WORKSPACE_CONFIG before the process starts, for this test.",
			"Take the library's call out of what is compared bit by bit: the kernel itself is not at fault.",
		},
		Any: []Pattern{
			{Line: `\bwith\b.{0,24}\b(CUBLAS_WORKSPACE_CONFIG=:\S+|(cudnn\.)?benchmark ?= ?False|(cudnn\.)?deterministic ?= ?True|use_deterministic_algorithms\(True\))`, With: scriptFailed},
			{Line: `\b(CUBLAS_WORKSPACE_CONFIG=:\S+|cudnn\.benchmark ?= ?False|cudnn\.deterministic ?= ?True)\b.{0,60}\b(1 checksum|same|equal|identical|reproducib\w+|ok|OK|pass\w*)\b`, With: scriptFailed},
		},
		Example:  "run 1 loss 2.30112, run 2 loss 2.30109\nwith cudnn.benchmark=False: run 1..3 loss 2.30110\nAssertionError: losses differ between runs",
		NearMiss: "run 1 loss 2.30112, run 2 loss 2.30109\ncudnn.benchmark=True: run 1..3 differ\nAssertionError: losses differ between runs",
	},
	{
		ID: droppedNaN, Over: []string{"S-C09", "S-C14", "S-C130"}, Stage: Correctness, Class: Kernel, Also: Test, Rules: []string{"R48"}, From: Platform,
		Title: "The reference hands NaN of its input on, and the kernel drops it",
		Steps: []string{
			"Ask the comparison for it: a maximum, a minimum or a clamp of the hardware takes the other operand unless NaN is to be propagated (`propagate_nan`, `fmax` against `maximum`).",
			"If nobody promises it, keep NaN out of the test's inputs.",
		},
		Example:  "ACTUAL: array([-inf], dtype=float32)\nDESIRED: array([nan], dtype=float32)\nAssertionError: Arrays are not equal",
		NearMiss: "ACTUAL: array([nan], dtype=float32)\nDESIRED: array([1.5], dtype=float32)\nAssertionError: Arrays are not equal",
	},
}
