package triage

import "math"

var correctnessRows = []Row{
	{
		ID: "S-C05", Stage: Correctness, Class: Host, Rules: []string{"R16", "R35"}, From: TileGym,
		Title:   "The output has another data type than the reference",
		Steps:   []string{"Allocate the output with the reference's data type."},
		Any:     []Pattern{{Line: `\bdtype mismatch, test:`}},
		Example: "RuntimeError: dtype mismatch, test: torch.float32, reference: torch.float16", NearMiss: "dtype mismatch between a and b",
	},
	{
		ID: "S-C11", Stage: Correctness, Class: Host, Rules: []string{"R35"}, From: TileGym,
		Title:   "The output has another layout than the reference",
		Steps:   []string{"Return a contiguous tensor where the reference does.", "If the reference returns a view, return the same view."},
		Any:     []Pattern{{Line: `\bstride mismatch, test:`}},
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
		ID: "S-C01", Stage: Correctness, Class: Host, Also: Kernel, Unless: []string{"S-C06", "S-C07", "S-C16", "S-C19"}, Rules: []string{"R43", "R35"}, From: TileGym,
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
		ID: "S-C09", Stage: Correctness, Class: Kernel, Rules: []string{"R48", "R19", "R26"}, From: TileGym,
		Title: "The output has NaN or infinity where the reference is finite",
		Steps: []string{
			"See whether it happens for inputs of large magnitude only: then a rewrite overflows that the reference avoids.",
			"Compare the order of scaling and exponential with the reference.",
			"Compare approximation and flush-to-zero modes with the reference.",
		},
		Compare: func(c Comparison) bool {
			return !c.Grad && c.Ref.finite() && c.testSaid && !c.Test.finite()
		},
		Example:  "*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=0.001) ***\nmatched: 4000 / 4096 [97.66%]\nref range:    -3.1000e+04 :  2.9000e+04\ntest range:    -3.1000e+04 :         nan",
		NearMiss: "*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=0.001) ***\nmatched: 4000 / 4096 [97.66%]\nref range:            nan :         nan\ntest range:           nan :         nan",
	},
	{
		ID: "S-C02", Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R34", "R27", "R11"}, Unless: []string{"S-C06", "S-C16", "S-C18", "S-C19"}, Rank: Weak, From: TileGym,
		Title: "Almost nothing matches, and the values have the reference's range: a permuted output",
		Steps: []string{
			"Find who transposes: exactly one of wrapper, ffi.rs and kernel may.",
			"Compare the pairs of axes, one after the other, on a small case with distinct sizes.",
		},
		Compare: func(c Comparison) bool {
			alike := func(a, b float64) bool { return math.Abs(a-b) <= 0.25*c.Ref.Size() }
			return !c.Grad && c.Matched <= 10 && c.Ref.finite() && c.Ref.Size() > 0 && alike(c.Ref.Min, c.Test.Min) && alike(c.Ref.Max, c.Test.Max)
		},
		Example:  "*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=0.001) ***\nmatched: 60 / 4096 [1.46%]\nref range:    -3.1000e+00 :  2.9000e+00\ntest range:    -3.0000e+00 :  2.9500e+00",
		NearMiss: "*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=0.001) ***\nmatched: 60 / 4096 [1.46%]\nref range:    -3.1000e+00 :  2.9000e+00\ntest range:    -9.0000e+02 :  8.0000e+02",
	},
	{
		ID: "S-C13", Stage: Correctness, Class: Infra, Also: Host, Unless: []string{"S-R34", "S-R35"}, Rules: []string{"R38"}, From: Platform,
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
		ID: "S-C12", Stage: Correctness, Class: Infra, Also: Host, Unless: []string{"S-R34", "S-R35"}, Rules: []string{"R38"}, Rank: Weak, From: Platform,
		Title: "A test ran out of time",
		Steps: []string{
			"If it is the first case, compiling and tuning take the time: run a canary first or raise the limit.",
			"If it is another, look for a loop in the kernel that does not end.",
		},
		Any: []Pattern{{Line: `Timeout (\(>|>)[0-9.]+s`}, {Line: `\+{3,} Timeout \+{3,}`},
			{Line: `^Timeout \(\d+:\d\d:\d\d\)!`},
		},
		Example: "Failed: Timeout >60.0s", NearMiss: "timeout: 60.0s",
	},
	{
		ID: "S-C03", Unless: []string{"S-C16", "S-C17", "S-C19"}, Stage: Correctness, Class: Kernel, Rules: []string{"R8", "R31"}, From: TileGym,
		Title:   "Only the fp32 cases fail, by little",
		Steps:   []string{"Compare the tf32 cast with the reference: both or neither.", "Accumulate in f32."},
		Records: each(onlyFP32),
	},
	{
		ID: "S-C04", Unless: []string{"S-C16", "S-C17", "S-C19"}, Stage: Correctness, Class: Host, Rules: []string{"R35", "R16"}, From: TileGym,
		Title:   "Only one data type gives wrong values",
		Steps:   []string{"Compare the data type's code in the table, its arm in ffi.rs and the generics that it passes."},
		Records: each(onlyOneType),
	},
	{
		ID: "S-C06", Unless: []string{"S-C16", "S-C17", "S-C19"}, Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R45", "R28", "R21", "R20"}, From: TileGym,
		Title: "Only ragged shapes fail, or rows after a multiple of the number of SMs",
		Steps: []string{
			"Check the mask, the rounding up and the padding of the last tile.",
			"If the first wrong row is a multiple of the SM count, the grid is capped and the kernel lacks its loop over the rest.",
		},
		Records: each(raggedOnly),
	},
	{
		ID: "S-C07", Unless: []string{"S-C16", "S-C17", "S-C19"}, Stage: Correctness, Class: Kernel, Rules: []string{"R22", "R24", "R45"}, From: TileGym,
		Title:   "The error grows along the reduced axis, or only the last tile is wrong",
		Steps:   []string{"Look for an update that a branch or nested loop loses.", "Check that the last tile is accumulated too."},
		Records: each(growing),
	},
	{
		ID: "S-C10", Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R38"}, From: TileGym,
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
		Unless: []string{"S-C01", "S-C02", "S-C03", "S-C04", "S-C06", "S-C07", "S-C09", "S-C10", "S-C16", "S-C17", "S-C18", "S-C19", "S-C20", "S-C21", "S-C22"},
		Title:  "The values differ from the reference's",
		Steps: []string{
			"See how many elements differ and where: all, one tile, one row, the tail.",
			"See which cases fail: one data type, ragged shapes, large ones.",
			"Compare the failing case with the reference step by step, masks and the order of scaling first.",
		},
		Any: []Pattern{
			{Line: `OUTPUT.* DID NOT MATCH THE REFERENCE`},
			{Line: `(Tensor|Scalar)-likes are not (close|equal)!`},
			{Line: `\bMismatched elements: \d+ / \d+`},
			{Line: `where (False|tensor\(False.*) = .*(allclose|isclose|\ball\b)`},
			{Line: `Not equal to tolerance rtol=`},
			{Line: `The values for attribute '(dtype|stride\(\))' do not match`, Class: Host},
		},
		Context: `(matched: \d+ / \d+|Greatest absolute difference|Mismatched elements|Max absolute difference)`, ContextAfter: true,
		Example:  "AssertionError: Tensor-likes are not close!\n\nMismatched elements: 12 / 4096 (0.3%)\nGreatest absolute difference: 0.125 at index (3, 17) (up to 0.001 allowed)",
		NearMiss: "*** OUTPUT 0 MATCHED THE REFERENCE (rtol=0.001, atol=0.001) ***",
	},
	{
		ID: "S-C16", Stage: Correctness, Class: Test, Also: Env, Unless: []string{"S-C17", "S-C20"}, From: TileGym,
		Title: "All backends fail alike: what they are compared with is off",
		Steps: []string{
			"Look at the test's reference first: what changed in it, and its mask, scale, order of operands.",
			"Compare with a third computation, in float64 on the CPU for one.",
			"If the reference did not change, compare the library versions of this run with those of the last good one.",
		},
		Records: alike,
	},
	{
		ID: "S-C17", Stage: Correctness, Class: Test, From: TileGym,
		Title: "The tolerance is below one rounding step of the data type",
		Steps: []string{
			"Take the tolerances for the data type from `get_dtype_tolerances`, or give the type its own.",
			"Do not touch the kernel: no output of this type can do better.",
		},
		Records: belowSpacing,
	},
	{
		ID: "S-C18", Stage: Correctness, Class: Kernel, Also: Host, Rules: []string{"R48", "R19"}, Unless: []string{"S-C16", "S-C17", "S-C19"}, From: TileGym,
		Title: "All values are off by one known constant",
		Steps: []string{
			"Look for the constant: a factor that a rewritten formula lost, exp for exp2, a scale that is applied twice or not at all.",
			"If the kernel has it right, see what the wrapper passes as the scale.",
		},
		Records: scaled,
	},
	{
		ID: "S-C19", Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R34", "R21"}, From: Platform,
		Title: "A failing case ends otherwise when it is run again: a race",
		Steps: []string{
			"Run it with CUDA_LAUNCH_BLOCKING=1: if it passes then, the kernel runs on another stream than its inputs are made on.",
			"Take the current stream at each call, not once.",
			"Else look for two blocks that write one place, and for memory that is read before it is written.",
		},
		Records: unsteady,
	},
	{
		ID: "S-C20", Stage: Correctness, Class: Env, Also: Test, Rank: Root, From: Platform,
		With:  []string{"S-C03", "S-C14", "S-C16", "S-C17", "S-C04"},
		Title: "TF32 is forced on: the reference is not exact in float32",
		Steps: []string{
			"Take the variable out of the image or the job, and run again.",
			"Compare the reference with float64 on the CPU, to see which side is off.",
		},
		Any: []Pattern{
			{Line: `\bNVIDIA_TF32_OVERRIDE[=:] ?1\b|\bTORCH_ALLOW_TF32_CUBLAS_OVERRIDE[=:] ?1\b`},
			{Line: `\ballow_tf32\s*[=:]\s*True\b|float32_matmul_precision\S*\s*[=:]\s*'?(high|medium)\b`},
		},
		Example:  "NVIDIA_TF32_OVERRIDE=1\n*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=1e-08) ***",
		NearMiss: "NVIDIA_TF32_OVERRIDE=0\n*** OUTPUT 0 DID NOT MATCH THE REFERENCE (rtol=0.001, atol=1e-08) ***",
	},
	{
		ID: "S-C21", Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R34", "R27", "R35"}, Unless: []string{"S-C16", "S-C17", "S-C18", "S-C19", "S-C01", "S-C09"}, From: TileGym,
		Title: "Only the cases with one option are wrong",
		Steps: []string{
			"Follow the option from the wrapper through ffi.rs to the variant of the kernel: it may be inverted, dropped or applied twice.",
			"Compare the generics that the two variants get.",
		},
		Records: each(oneOption),
	},
	{
		ID: "S-C22", Stage: Correctness, Class: Host, Also: Kernel, Rules: []string{"R43", "R45"}, From: TileGym,
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
}
