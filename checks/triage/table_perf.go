package triage

// Perf signatures but the last are decided from measurements, not from text.
var perfRows = []Row{
	{
		ID: "S-P01", Stage: Perf, Class: Host, Rules: []string{"R41", "R38", "R27"}, From: TileGym,
		Title:   "About twice the time everywhere, or more than one launch a call",
		Steps:   []string{"Count the launches of one call.", "Remove copies, fills and canaries from the timed path.", "Leave the kernel alone."},
		Records: gap(gapLaunches),
	},
	{
		ID: "S-P02", Stage: Perf, Class: Host, Rules: []string{"R20"}, From: TileGym,
		Title:   "Large matrix products are slow, small ones are not",
		Steps:   []string{"Compare the cluster size with what the reference tunes."},
		Records: gap(gapLargeGEMM),
	},
	{
		ID: "S-P03", Stage: Perf, Class: Kernel, Rules: []string{"R8"}, From: TileGym,
		Title:   "Only fp32 matrix products are slow",
		Steps:   []string{"Cast to tf32 where the reference does."},
		Records: gap(gapFP32GEMM),
	},
	{
		ID: "S-P04", Stage: Perf, Class: Kernel, Rules: []string{"R23", "R20", "R19"}, From: TileGym,
		Title:   "Evenly slower with the same number of launches",
		Steps:   []string{"Look for constants that became run-time values.", "Compare latency hints and the tuned configurations with the reference."},
		Records: gap(gapEven),
	},
	{
		ID: "S-P05", Stage: Perf, Class: Kernel, Rules: []string{"R19", "R26"}, From: TileGym,
		Title:   "An activation is somewhat slower",
		Steps:   []string{"Divide as the reference divides.", "Compare flush-to-zero and approximation modes."},
		Records: gap(gapActivation),
	},
	{
		ID: "S-P06", Stage: Perf, Class: Kernel, Also: Host, From: TileGym,
		Title:   "Much faster than the reference while correctness fails",
		Steps:   []string{"Treat the measurement as void and correct the values first."},
		Records: failedAndFast,
	},
	{
		ID: "S-P07", Stage: Perf, Class: Host, Rules: []string{"R20", "R42"}, From: TileGym,
		Title:   "One row that depends on the number of blocks is slow",
		Steps:   []string{"Compare occupancy and cluster size with the reference before reading any IR."},
		Records: gap(gapOneRow),
	},
	{
		ID: "S-P09", Stage: Perf, Class: Infra, Rank: Weak, State: true, From: Platform,
		Title: "The GPU was throttled while times were taken",
		Steps: []string{
			"See which reason is active: a thermal one is the cooling, a power cap the limit that is set, a power brake the host's power supply.",
			"Leave code and baseline alone; take the host out if the reason stays.",
			"Measure again: times from a throttled GPU show nothing.",
		},
		Any: []Pattern{
			{Line: `[Tt]hrottl(ed|ing)\b`, Not: `(?i)\b(no|not|never|without)\b[^.]{0,20}throttl|\b0 throttl|throttl\w*:? *(none|no|0|not active|inactive|false)\b`},
			{Line: `(SW|HW) (Thermal|Power).*(Slowdown|Cap) *: Active|clocks_(throttle|event)_reasons\.\w+.*[:=,] ?Active\b`},
			{Line: `\b(hw|sw|HW|SW)_(thermal|power)_(slowdown|brake_slowdown|cap)\b *[:=] *(Active|1|[Tt]rue)\b`},
			{Line: `[Tt]hrottle [Rr]easons?\W.*\b(HW|SW|Thermal|[Pp]ower)\b`, Not: `(?i)\b(none|not active|inactive|0x0+)\b`, With: slow},
			{Line: `^HW Slowdown *: Active\b`, With: slow},
			// A query: the reasons by name in the head, or all of them as bits.
			{Line: `(^|, )Active(,|$)`, Near: `^.*clocks_(event|throttle)_reasons\.\w*(slowdown|cap|brake)`, Within: 4, With: slow},
			{Line: `\b0x000000000000[0-9a-f]{2}([2-9a-f][0-9a-f]|[0-9a-f][89a-f])\b`, Near: `clocks_(event|throttle)_reasons\.active`, Within: 4, With: slow},
		},
		Example:  "warning: GPU clock throttled (thermal), sample 12 discarded",
		NearMiss: "clock events: no throttling seen",
	},
	{
		ID: "S-P08", Stage: Perf, Class: InProcess, Rules: []string{"R49"}, From: Rulebook,
		Title:   "The perf report has not exactly one machine-readable geomean",
		Steps:   []string{"Write one line `geomean_ratio=1.0234`, without spaces."},
		File:    `^performance\.md$`,
		Expect:  []Expect{{Line: `^geomean_ratio=[0-9]+(\.[0-9]+)?$`, Min: 1, Max: 1}},
		Example: "VERDICT: DONE\ngeomean_ratio = 1.02", NearMiss: "VERDICT: DONE\ngeomean_ratio=1.02",
	},
	{
		ID: "S-P10", Stage: Perf, Class: Kernel, Also: Host, Rank: General, Unless: []string{"S-P13"}, From: TileGym,
		Title: "A benchmark became slower than its baseline",
		Steps: []string{
			"See which backends, operations and shapes: one operation of one backend points at the change.",
			"Compare the kernel's own time with the call's: if the first is as before, look at the wrapper.",
			"Then compare TMA, tile sizes, latency hints and generics with the last good version.",
		},
		Any: []Pattern{
			{Line: `[Pp]erformance regressions? (was |were )?detected`},
			{Line: `\b[Pp]erf(ormance)? gate\b.*([Ff]ail|FAIL|above|exceed|slower|regress)`, Not: `\b[Nn]o\b|\b0 (of|fail|regress)|fail if`},
			{Line: `\b([Pp]erf|[Pp]erformance|[Bb]enchmark) check\b.*([Ff]ail|FAIL|above|exceed|slower|regress)`, Not: `\b[Nn]o\b|\b0 (of|fail|regress)|fail if`},
			{Line: `\d(x|%| %| percent) slower than (the )?(baseline|reference|previous|cutile)\b`},
			{Line: `\b(INVESTIGATE|LARGE_GAP|SMALL_GAP|PERF_FAIL\w*)\b|\b(geomean|ratio)\b.{0,40}\d.{0,40}\b(limit|threshold|max\w*|budget)\b.{0,20}\d.{0,12}\b(FAIL\w*|[Ff]ailed|[Ee]xceed\w*|ABOVE|above)\b`, Not: `\b(0|no) (FAIL|LARGE_GAP)|\bPASS(ED)?\b`},
			{Line: `\bgeomean\w*[ =:]+\d.{0,24}(\babove\b|\bover\b|\bexceeds\b|>) ?(the )?(limit|threshold|budget|\d)|\bFAIL\w*\b.{0,40}\bgeomean`, Not: `\b0 (of|fail|regress)|fail if`},
			{Line: `\bregressed (by|from) \d|\bregressions? in \d+ of \d+\b`, Not: `\b0 of \d`},
		},
		Context:  `^Backend: |^Change: -`,
		Example:  "FOUND 1 REGRESSION(S):\n  Backend: CuTileRs, M=2048\n  Change: -62.9%\nPerformance regressions detected!",
		NearMiss: "Baseline results found, checking for regressions...\nRegression threshold: -5.0% (fail if worse)\nNo regressions detected",
	},
	{
		ID: "S-P11", Stage: Perf, Class: Test, From: Platform,
		With:  []string{"S-P01", "S-P04", "S-P10", "S-P05", "S-P07", "S-P02"},
		Title: "The benchmark measures without warm-up or repetition",
		Steps: []string{
			"Warm up, repeat, and take the median: the first call compiles the kernel and pays for the host.",
			"Compare with the kernel time that the profiler prints: if that is level, the kernel did not become slower.",
		},
		Any: []Pattern{
			{Line: `\b(?:warm-?up|WARMUP|n_warmup|num_warmup)(?:_iters|_runs)?\s*[=:]\s*0\b|\b(no|without) warm-?up\b|warm-?up (skipped|disabled)`},
			{Line: `\b(rep|reps|REP|n_repeat|iters)\s*[=:]\s*1\b`, Near: `Event\(|elapsed_time|samples`, Within: 20},
			{Line: `(first call|measured time|timing) includes? (the )?(JIT|compil)`},
		},
		Example:  "samples [ms], rep=1 warmup=0: 2.7\nPerformance regressions detected!",
		NearMiss: "samples [ms], rep=50 warmup=100: 2.7\nPerformance regressions detected!",
	},
	{
		ID: "S-P12", Stage: Perf, Class: Infra, Also: Env, Rank: Weak, Unless: []string{"S-P09"}, From: TileGym,
		Title: "All backends became slower: the machine, not the change",
		Steps: []string{
			"Compare the GPU, its clocks, the driver and the toolkit of this run with those of the baseline.",
			"Look for another job on the GPU, and measure again.",
		},
		Any:      []Pattern{{Line: `(all|every) (backends?|benchmarks?) (is|are|became|got) slower`}},
		Example:  "FOUND 3 REGRESSION(S):\n  Backend: CuTileRs, M=2048\n  Change: -22.9%\n  Backend: CuTile, M=2048\n  Change: -23.1%\n  Backend: PyTorch, M=2048\n  Change: -21.7%",
		NearMiss: "FOUND 3 REGRESSION(S):\n  Backend: CuTileRs, M=2048\n  Change: -22.9%\n  Backend: CuTileRs, M=4096\n  Change: -23.1%\n  Backend: CuTileRs, M=8192\n  Change: -21.7%",
	},
	{
		ID: "S-P13", Stage: Perf, Class: Host, Rules: []string{"R41", "R27"}, From: TileGym,
		Title: "The measured call copies or converts tensors beside the kernel",
		Steps: []string{
			"Find the `contiguous`, `to`, `clone` or `zeros` in the wrapper that makes the extra kernels.",
			"Pass strides or a transpose flag to the kernel instead.",
			"Leave the kernel alone: its own time is what it was.",
		},
		Any: []Pattern{
			{Line: `at::native::.*(copy|elementwise|fill|Fill|cast|cat)|^(void )?\S*(direct_copy_kernel|FillFunctor)|^\[?CUDA (memcpy|memset)`, Near: `\b\w+_kernel\w*_entry\b`, Within: 2},
			{Line: `\b(extra|additional|superfluous) (copy|copies|cast|conversion|convert|elementwise|memcpy|memset|fill)\b|\b(extra|additional) (kernels|launches|kernel launch\w*)\b`, Not: `\b([Nn]o|0|without) (extra|additional)`, With: slow},
			{Line: `\blaunches\b.{0,12}\b([2-9]|\d\d)\b.*\b(ref\w*|cutile|baseline)\b.{0,16}\b1\b`, With: slow},
		},
		Example:  "=== CUPTI events (total=401.5 us) ===\n  bmm_kernel_entry  total=215.0 us  per_call=215.00 us  rep_num=1\n  void at::native::elementwise_kernel<128, 4, direct_copy_kernel_cuda>  total=186.5 us  per_call=186.50 us  rep_num=1",
		NearMiss: "=== CUPTI events (total=215.0 us) ===\n  bmm_kernel_entry  total=215.0 us  per_call=215.00 us  rep_num=1\n=== end ===\n=== CUPTI events (total=300.0 us) ===\n  void at::native::elementwise_kernel<128, 4, direct_copy_kernel_cuda>  total=186.5 us  per_call=186.50 us  rep_num=1",
	},
	{
		ID: "S-P14", Stage: Perf, Class: Env, Also: Infra, Rank: Weak, State: true, From: Platform,
		Title: "The GPU's clocks or power limit are not what the measurement needs",
		Steps: []string{
			"Let the runner lock the clocks, or measure both sides in one sitting.",
			"Compare power limit, persistence mode and MIG mode with the baseline's machine.",
		},
		Any: []Pattern{
			{Line: `\b[Ll]ock(ing|ed)? (\w+ ){0,3}clocks (is |are |was |were )?(not (supported|permitted)|failed|denied)`},
			{Line: `([Cc]ould not|[Cc]annot|[Ff]ailed to|[Uu]nable to) (lock|set) (\w+ ){0,3}clocks`},
			{Line: `power (limit|cap) (was |is )?(lowered|reduced|below)`},
		},
		Example:  "Setting locked GPU clocks is not supported for GPU 00000000:41:00.0.\nTreating as warning and moving on.",
		NearMiss: "GPU clocks set to \"(gpuClkMin 1980, gpuClkMax 1980)\" for GPU 00000000:41:00.0",
	},
	{
		ID: "S-P15", Stage: Perf, Class: InProcess, Also: Infra, From: Platform,
		Title: "There is no baseline to compare with",
		Steps: []string{
			"Make the baseline again from the main branch: the artifact may have expired.",
			"A check without a baseline has measured, but says nothing.",
		},
		Any: []Pattern{
			{Line: `(FileNotFoundError|[Ee]rror|FAIL\w*)\b.*\bbaseline\S*.*(No such file|not found|missing|does not exist)|(FileNotFoundError|ENOENT).*\bbaseline`},
			{Line: `[Bb]aseline (artifact|results?|file|measurement)s? (was |were |is |are )?(missing|expired)`},
		},
		Example:  "FileNotFoundError: [Errno 2] No such file or directory: 'baseline-results/matmul.json'",
		NearMiss: "No baseline results found - this will become the first baseline (nightly only)",
	},
	{
		ID: "S-P16", Stage: Perf, Class: Env, Also: InProcess, Rank: Weak, From: TileGym,
		With:  []string{"S-P10", "S-P12", "S-P04", "S-P01"},
		Title: "Baseline and run were measured on different machines",
		Steps: []string{
			"Compare GPU, clocks, driver and toolkit of both, which the log names.",
			"Measure the baseline again on this machine before judging the change.",
		},
		Any:      []Pattern{{Line: `[Bb]aseline .*(other|different|another) (GPU|machine|runner|driver|hardware)`}},
		Example:  "current : NVIDIA H100 PCIe, driver 590.48.01, clock_sm_mhz 1755\nbaseline: NVIDIA B200, driver 590.48.01, clock_sm_mhz 1965\nPerformance regressions detected!",
		NearMiss: "current : NVIDIA B200, driver 590.48.01, clock_sm_mhz 1965\nbaseline: NVIDIA B200, driver 590.48.01, clock_sm_mhz 1965\nPerformance regressions detected!",
	},
	{
		ID: "S-P17", Stage: Perf, Class: Host, Also: Kernel, Rules: []string{"R20", "R29"}, From: Rulebook,
		With:  []string{"S-P01", "S-P02", "S-P03", "S-P04", "S-P05", "S-P07", "S-P10"},
		Title: "Cluster size, occupancy, TMA or latency are not what the reference uses",
		Steps: []string{
			"Forward the cluster size and the occupancy that the reference tunes; leave them alone where it does.",
			"Keep TMA on where the reference has tensor views; give no latency inside of a persistent loop.",
			"Measure again before reading any IR.",
		},
		Any: []Pattern{
			{Line: `\b(num_ctas?(_in_cga)?|cluster( size)?|CGA|occupancy)\b.*\b(ref\w*|expected|baseline|cutile|instead of|tunes?)\b`},
			{Line: `\b(ref\w*|expected|baseline)\b.*\b(num_ctas?(_in_cga)?|cluster size|CGA|occupancy)\b`},
			{Line: `num_cta_in_cga\W{1,3}(None|1|-1|auto)\b`, Near: `num_ctas?\W{1,3}[248]\b`, Within: 15},
			{Line: `tma::Disabled|\bTMA (is |was )?(disabled|off|not used)\b|\b(no|without|0) (TMA|tma_descriptor\w*)|\bload_ptr_tko\b.*\b(ref\w*|expected)\b.*\bload_view_tko\b`},
		},
		Example:  "candidate num_cta_in_cga=1, reference num_ctas=2\nperf gate FAILED: matmul 4096 ratio 1.61 > 1.10",
		NearMiss: "candidate num_cta_in_cga=2, occupancy=1\nperf gate FAILED: matmul 4096 ratio 1.61 > 1.10",
	},
	{
		ID: "S-P18", Stage: Perf, Class: Infra, Rank: Weak, State: true, From: Platform,
		Title: "The times scatter too much to judge, or another process used the GPU",
		Steps: []string{
			"Look for other processes on the GPU, and at clocks and cooling.",
			"Measure again with more repetitions; no conclusion stands on these times.",
		},
		Any: []Pattern{
			{Line: `\b([Vv]ariance|[Nn]oise|[Ss]pread|[Cc]oefficient of variation|CV|cv|stddev|IQR|[Jj]itter)\b.*\b(too (high|large|big)|exceed\w*|above|over the)\b|\b(too noisy|not stable enough|unstable (timing|measurement)s?)\b`, Not: `\b(0|no|none) (of|exceed)`},
			{Line: `\b([Oo]ther|[Aa]nother|[Ff]oreign) (compute )?process\w*\b.*\b(GPU|gpu|device)\b|\b(GPU|gpu|device)\b.*\b(shared with|in use by|used by) (an)?other\b`, Not: `\b[Nn]o other`},
		},
		Example:  "bmm: coefficient of variation 0.31 exceeds 0.05, samples dropped",
		NearMiss: "bmm: coefficient of variation 0.01",
	},
	{
		ID: "S-P19", Stage: Perf, Class: Host, Also: InProcess, Rules: []string{"R17"}, From: Rustc,
		With:  slow,
		Title: "The library that was measured is built without optimization",
		Steps: []string{
			"Build with `--release`, and see that the wrapper loads the library of that folder.",
			"Measure again; these times show the host's code and not the kernel's.",
		},
		Any: []Pattern{
			{Line: `Finished .?(dev|debug|test).? (profile )?(\[|target)|\[unoptimized( \+ debuginfo)?\]`},
			{Line: `/target/debug/lib\w*kernels\w*\.so`},
		},
		Example:  "Loaded cutile-rs library (cffi) from /src/cutile_kernels/target/debug/libcutile_kernels.so\nPerformance regressions detected!",
		NearMiss: "Loaded cutile-rs library (cffi) from /src/cutile_kernels/target/release/libcutile_kernels.so\nPerformance regressions detected!",
	},
	{
		ID: "S-P20", Stage: Perf, Class: Host, Also: InProcess, Rules: []string{"R20", "R38"}, From: TileGym,
		With:  slow,
		Title: "The measured kernel was not tuned",
		Steps: []string{
			"Let the tuner run before the measurement, with the configurations that the reference tunes.",
			"Look for what switched it off: a variable of the job, a cache that holds another shape's choice, a list of one configuration.",
		},
		Any: []Pattern{
			{Line: `\b[Aa]utotun\w+\b.{0,24}\b(disabled|off|skipped|turned off|not run)\b|\bDISABLE_AUTOTUNE ?[=:] ?1\b|\b[Nn]o tuned config\w*|\b(using|falling back to) (the )?(default|first|fallback) config\w*`, Not: `\b(not|never) disabled`},
		},
		Example:  "autotune is disabled, using the default config\nPerformance regressions detected!",
		NearMiss: "autotune: 12 configs, best of them kept\nPerformance regressions detected!",
	},
	{
		ID: "S-P21", Stage: Perf, Class: Kernel, Also: Host, Rules: []string{"R19", "R20"}, From: Platform,
		With:  slow,
		Title: "The kernel's registers spill to memory",
		Steps: []string{
			"Take smaller tiles or a lower occupancy, as the reference has them.",
			"Look for values that live across the loop and need not, and for arithmetic that is wider than the reference's.",
		},
		Any: []Pattern{
			{Line: `\b[1-9]\d* bytes (spill (stores|loads)|stack frame, [1-9]\d* bytes spill)|\b[Rr]egister (spill\w*|pressure)\b.{0,24}[1-9]|\blocal_memory\w* ?[=:] ?[1-9]`},
		},
		Example:  "ptxas info: 255 registers used, 4096 bytes spill stores, 4096 bytes spill loads\nPerformance regressions detected!",
		NearMiss: "ptxas info: 96 registers used, 0 bytes spill stores, 0 bytes spill loads\nPerformance regressions detected!",
	},
}
