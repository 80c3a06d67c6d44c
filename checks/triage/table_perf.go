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
		ID: "S-P09", Stage: Perf, Class: Infra, Rank: Weak, From: Platform,
		Title: "The GPU was throttled while times were taken",
		Steps: []string{
			"Look at the runner's cooling, power limit and other jobs.",
			"Measure again: times from a throttled GPU show nothing.",
		},
		Any: []Pattern{
			{Line: `[Tt]hrottl(ed|ing)\b`, Not: `(?i)\b(no|not|never|without)\b[^.]{0,20}throttl|\b0 throttl|throttl\w*:? *(none|no|0|not active|inactive|false)\b`},
			{Line: `(SW|HW) (Thermal|Power).*(Slowdown|Cap) *: Active|clocks_throttle_reasons\.\w+.*\bActive\b`},
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
}
