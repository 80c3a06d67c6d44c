package triage

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/records"
)

// implied reads numbers that a log prints beside its cases, and draws what follows when
// both are put together: sizes of captured graphs beside the sizes that are wrong, a limit
// beside the size from which on all fails, the tile beside sizes that are odd multiples of
// it, the candidate that a tuner chose beside how that ended.
type implied struct {
	graphs   []int // sizes of which a graph was captured
	captured line
	tile     int  // of the loop that a log tells last
	tiled    line // that tells it
	tileAt   line // that tells it of a loop with two buffers
	limits   []limitOf
	rows     []sizedRow
	chosen   string // by a tuner, before the present outcome
	choices  map[string][2]int
	order    []string
	chooses  line
	turns    int // outcomes that follow a choice
	lastOut  int
	culprit  line // the first bad commit of a bisection
	subject  line // of that commit
	log      int  // the last line of a list of commits
	moved    line // a commit of a list that moves a tool to another version
	nanRows  string
	masked   string // a list of places that are masked
	maskedAt line
	sameRows line // the lists of both are equal
	nothing  line // a count by which is divided is 0
	ends     line // the reference has the largest value of a small type where the output has none
	halves   line // inputs at which the values differ, all between two whole numbers
	tied     [2]string
	ties     line
	grads    [2]line // a gradient that is no number, and a forward that is finite
	exp      line    // of the difference of two sums, or one that is masked later
	wide     line    // an exponent beyond the range
	window   int     // first wrong row
	windowAt line
	repeated string // a command that asks for the CPU's governor
	governor line
	held     line // what a replay is given is not what was captured
	pages    line // a table of pages with -1
	seeds    line // both passes draw with other seeds or offsets
	streams  [2]line
	joined   bool // a stream waits for another
	iters    []float64
	iterAt   line
	warmups  map[string][]warmed
	runs     map[string][]runValue // by what is said beside the number of the run
	runNames []string
	tries    []float64 // changes in percent of tries of one commit
	tryAt    line
	sided    [4]int // columns of a table: ours and the reference, each in the base and now
	cells    int    // of its head, 0 outside of one
	level    int    // rows of which ours is what it was and the reference faster
	others   int    // rows of which this is not so
	faster   line
	weights  line // one side's gradient over the other's is one over a weight
}

// limitOf is a number with a name that may be a bound.
type limitOf struct {
	name string
	n    int
	at   line
}

// sizedRow is a row with one size that tells how it ended.
type sizedRow struct {
	n   int
	bad bool
	at  line
}

// warmed is a time after a warm-up of some length.
type warmed struct {
	warmup, ms float64
	at         line
}

// Signatures that implied decides beside others.
const (
	oddSteps       = "S-C172"
	paddedGraph    = "S-C174"
	gradientNaN    = "S-C178"
	givenGradient  = "S-C180"
	splitSums      = "S-C183"
	oneCandidate   = "S-C187"
	madeForFewer   = "S-R170"
	culpritCommit  = "S-P121"
	maskedRows     = "S-C91"
	staleGraph     = "S-C48"
	equalValues    = "S-C40"
	otherRounding  = "S-C41"
	beyondRange    = "S-C38"
	otherRandom    = "S-C35"
	unusedPage     = "S-C184"
	maxImplied     = 64
	rowsApart      = 6   // lines between the rows of one list
	coldFirst      = 20  // times the later ones, from which a first call compiles
	steadyPart     = .02 // by which times of one state differ
	noWarmupFactor = 1.1
)

var (
	graphSizes = probe(`(?i)\b(?:capture\w*|cuda ?graphs?|graph)\b[^\[]{0,48}\b(?:sizes?|bs|batch\w*)\b[^\[]{0,16}\[([\d, ]+)\]`)
	loopTile   = probe(`(?i)\b(?:tile_?k|block_?k|block_size_k|stage_k|k_?tile|bk|chunk(?:_?size)?)\b['"]?\W{1,3}(\d+)\b`)
	doubled    = probe(`(?i)\b(?:buffers?|num_?buffers|stages?|num_?stages|unroll\w*|double[-_ ]?buffer\w*|ping[-_ ]?pong)\b['"]?(?:\W{1,3}2\b|[^\d]{0,12}$)|(?i)double[-_ ]?buffer|(?i)ping[-_ ]?pong`)
	aLimit     = probe(`\b([A-Za-z_]*(?:max|MAX|Max|limit|cap|CAP|capacity|bound|size[sd]?_?for|num_?sms?|SMs?)[A-Za-z_]*)["']?(?: ?[=:] ?| is | of )(\d{2,})\b|\b(\d{2,3}) (SMs)\b`)
	listedSize = probe(`^(?:\S+ ){0,3}?([A-Za-z_]+)[ =]+(\d+)\s+(?:[^\d=]{0,12}\s)?(ok|OK|PASS(?:ED)?|passed|FAIL(?:ED)?|failed|CUDA_ERROR_\w+|ERROR|error|wrong|WRONG)\b`)
	choiceOf   = probe(`(?i)(?:\b(?:auto-?)?tun\w*|\b(?:chosen|selected|picked|best) (?:config\w*|kernel|algo\w*|candidate)|\balgo(?:rithm)?)\b.*?(?:->|=>|→|[:=]) ?([A-Za-z_][\w./<>-]*|\{[^}]*\}|BLOCK\S*: .*)`)
	outcomeOf  = regexp.MustCompile(`\.\.\. (?:(ok)|(FAILED))$|\b(?:(PASSED|PASS|passed)|(FAILED|FAIL|failed|WRONG|wrong|MISMATCH|mismatch))\b`)
	bisected   = probe(`^([0-9a-f]{7,40}) is the first bad commit$`)
	ofLog      = regexp.MustCompile(`^(?:\* )?([0-9a-f]{7,40}) (\S.*)$`)
	movesTool  = regexp.MustCompile(`(?i)\b(?:bump|update|upgrade|move|pin|roll|switch|downgrade|use)\w*\b.*\b(?:triton|torch|pytorch|cuda|nvcc|ptxas|llvm|cutlass|cudnn|cublas|nccl|driver|toolchain|rustc?|tileiras|cutile\S*|jax|xla|compiler|base image|docker)\b.*`)
	nanPlaces  = probe(`(?i)\bnans?\b[^\[]{0,32}\[([\d, ]+)\]|\[([\d, ]+)\] (?:are|is|have|hold) nan`)
	maskPlaces = probe(`(?i)\b(?:mask\w*|pad\w*|empty|all_?hidden)\b[^\[]{0,48}\[([\d, ]+)\]`)
	noneLeft   = probe(`\b(?:n_?non_?(?:ignore|masked|pad)\w*|n_?valid|num_?valid\w*|valid_?(?:count|tokens)|denom\w*|divisor|non_?ignored|(?:total|sum)_?weights?|kept)\b ?(?:=|:|is) ?0(?:\.0*)?$`)
	endOfType  = probe(`\b(?:got|out|ours|actual|kernel)\b[^=:]{0,16}[=:] ?(?:nan|-?inf)\b.{0,12}\b(?:ref\w*|want|expected|torch)\b[^=:]{0,16}[=:] ?-?(?:448|57344|240|65504|6|7\.5|28|127|128|255)(?:\.0*)?$`)
	halfPlaces = probe(`(?i)\b(?:x|in\w*|scaled|quotients?|values?)\b.{0,16}\b(?:mismatch\w*|wrong|differ\w*|places)\b[^\[]{0,12}\[([-\d., ]+)\]`)
	tiedValues = probe(`(?i)^values?\b.{0,12}\b(?:(got|ours|out\w*|kernel)|(ref\w*|want|expected|torch))\b[^\[]{0,24}\[([^\]]+)\]`)
	gradFigure = regexp.MustCompile(`^(?:E +)?(?:AssertionError: )?(d[a-zA-Z]{1,6}|grad_?\w*|\w+[._]grad)\b[^:=]{0,16}[:=]? *(?:\w+ ?[:=] ?)?(nan|inf)\b`)
	outFigure  = regexp.MustCompile(`^(?:o|out\w*|y|fwd|forward|loss|lse|ht?|state|final_state)\b *(?:max )?(?:diff|err\w*|close)?\b[^:=]{0,12}[:=] *(\d[\d.]*(?:e[-+]?\d+)?|ok|True)\b`)
	expOfDiff  = probe(`\b(?:tl|torch|np|jnp|math|F)?\.?exp2?f?\([^()]*(?:\[[^\]]*\])?[^()]* - `)
	exponents  = regexp.MustCompile(`(?i)\bmax\w*\(?[^=]{0,24}\)? ?= ?(\d{2,4}(?:\.\d+)?)$`)
	wrongFrom  = probe(`\b[Ff]irst (?:wrong|bad|differing|mismatched) row\b\W{1,3}(\d+)\b`)
	windowName = regexp.MustCompile(`^(?:w|win|window\w*|sliding\w*|swa|local)[=_]?(\d+)$`)
	governorOf = regexp.MustCompile(`scaling_governor|cpupower|cpufreq`)
	heldValue  = probe(`\b([a-z]\w*) ?= ?(\d+)\b.{0,24}\bcaptured (?:with|at|for) ([a-z]\w*) ?= ?(\d+)\b`)
	pageTable  = probe(`(?i)\b(?:block|page|slot|kv)_?(?:tables?|indices|mapping|map|indptr)\b.*[\[ ,]-1\b`)
	seedOffset = probe(`\b(seed|offset)\b(?: (?:fwd|bwd|forward|backward|kernel|ref\w*|torch|ours))?\W{1,3}(\d+)\b`)
	sideStream = probe(`\bwith (?:torch\.)?cuda\.stream\(|\bcudaStreamNonBlocking\b|\bExternalStream\(`)
	makesOne   = probe(`\b(?:torch\.)?cuda\.Stream\(`)
	waitsFor   = probe(`\bwait_(?:stream|event)\(|\bcudaStreamWaitEvent\b|\brecord_event\(`)
	iteration  = probe(`^(?:iter\w*|run|call|step|rep|sample|launch)[ #=:]*(\d+)[ :=]+([\d.]+) ?(ns|us|µs|ms|s)$`)
	warmupOf   = probe(`\bwarm-?up ?[=:] ?(\d+)`)
	aDuration  = regexp.MustCompile(`([\d.]+) ?(ns|us|µs|ms|s)\b`)
	oneOver    = probe(`\b[Rr]atio\b.*\[((?:[\d.]+ ?/ ?[\d.]+(?:, )?)+)\]|\bgrad\w*\b.{0,40}\b(?:ignores?|without|independent of|not (?:scaled|multiplied)|unscaled)\b.{0,40}\bgrad\w*\b`)
)

func (k *implied) line(l line) {
	if l.text == "" || len(l.text) > 1024 {
		return
	}
	k.source(l)
	if l.quote {
		return
	}
	if m := l.find(graphSizes); m != nil && k.captured.n == 0 {
		k.graphs, k.captured = numbers(m[1]), l
	}
	if m := l.find(loopTile); m != nil {
		if k.tile, k.tiled, k.tileAt = int(number(m[1])), l, l; !l.is(doubled) {
			k.tileAt.n = 0
		}
	} else if k.tile > 0 && k.tileAt.n == 0 && l.is(doubled) {
		k.tileAt = l
	}
	if l.is(aLimit) && len(k.limits) < maxImplied {
		for _, m := range aLimit.re.FindAllStringSubmatch(l.text, 8) {
			k.limits = append(k.limits, limitOf{strings.Clone(m[1] + m[4]), int(number(m[2] + m[3])), l})
		}
	}
	if m := l.find(listedSize); m != nil && len(k.rows) < maxImplied {
		k.rows = append(k.rows, sizedRow{int(number(m[2])), !rowRight.MatchString(m[3]), l})
	}
	k.choice(l)
	k.commits(l)
	k.places(l)
	k.gradient(l)
	if m := l.find(wrongFrom); m != nil && k.windowAt.n == 0 {
		k.window, k.windowAt = int(number(m[1])), l
	}
	switch {
	case strings.Contains(l.text, "governor") || strings.Contains(l.text, "cpu"):
		if governorOf.MatchString(l.text) {
			k.repeated = l.text
			if strings.Contains(l.text, "powersave") {
				k.governor = l
			}
		}
	case l.text == "powersave" && k.repeated != "":
		k.governor = l
	}
	if m := l.find(heldValue); m != nil && k.held.n == 0 && m[1] == m[3] && m[2] != m[4] {
		k.held = l
	}
	if k.seeds.n == 0 && l.is(seedOffset) {
		last := map[string]string{}
		for _, m := range seedOffset.re.FindAllStringSubmatch(l.text, 8) {
			name, v := m[1], m[2]
			if old := last[name]; old != "" && old != v {
				k.seeds = l
			}
			last[name] = v
		}
	}
	if k.pages.n == 0 && l.is(pageTable) {
		k.pages = l
	}
	k.times(l)
	k.repeats(l)
	k.columns(l)
	if m := l.find(oneOver); m != nil && k.weights.n == 0 {
		k.weights = l
	}
}

// source takes a line of quoted source, or any other that may show the same.
func (k *implied) source(l line) {
	switch {
	case l.is(makesOne):
		k.streams[0] = l
	case l.is(sideStream):
		k.streams[1] = l
	}
	k.joined = k.joined || l.is(waitsFor)
	if k.exp.n == 0 && l.is(expOfDiff) {
		k.exp = l
	}
}

// choice takes what a tuner chose, or how what followed ended.
func (k *implied) choice(l line) {
	if m := l.find(choiceOf); m != nil {
		k.chosen, k.chooses = strings.Clone(m[1]), l
		return
	}
	if k.chosen == "" || l.n > k.chooses.n+rowsApart {
		return
	}
	m := outcomeOf.FindStringSubmatch(l.text)
	if m == nil {
		return
	}
	if k.choices == nil {
		k.choices = map[string][2]int{}
	}
	c, known := k.choices[k.chosen]
	if !known {
		if len(k.order) >= maxImplied {
			return
		}
		k.order = append(k.order, k.chosen)
	}
	out := 0
	if m[2]+m[4] != "" {
		out = 1
	}
	c[out]++
	if k.turns == 0 || out != k.lastOut {
		k.turns++
	}
	k.choices[k.chosen], k.lastOut, k.chosen = c, out, ""
}

// commits takes the end of a bisection and lists of commits.
func (k *implied) commits(l line) {
	if l.is(bisected) {
		k.culprit = l
		return
	}
	if k.culprit.n > 0 && k.subject.n == 0 && l.n <= k.culprit.n+rowsApart && !strings.HasPrefix(l.text, "commit ") && !strings.HasPrefix(l.text, "Author: ") && !strings.HasPrefix(l.text, "Date: ") {
		k.subject = l
	}
	if c := l.text[0]; c != '*' && (c < '0' || c > '9') && (c < 'a' || c > 'f') {
		return
	}
	if m := ofLog.FindStringSubmatch(l.text); m != nil {
		if k.moved.n == 0 && movesTool.MatchString(m[2]) {
			k.moved = l
		}
		k.log++
	}
}

// places takes lists of the places at which values are no numbers, are masked, or differ.
func (k *implied) places(l line) {
	if m := l.find(nanPlaces); m != nil {
		k.nanRows = strings.ReplaceAll(m[1]+m[2], " ", "")
	} else if m := l.find(maskPlaces); m != nil {
		k.masked, k.maskedAt = strings.ReplaceAll(m[1], " ", ""), l
	}
	if k.nanRows != "" && k.nanRows == k.masked && k.sameRows.n == 0 {
		k.sameRows = k.maskedAt
	}
	if k.nothing.n == 0 && l.is(noneLeft) {
		k.nothing = l
	}
	if k.ends.n == 0 && l.is(endOfType) {
		k.ends = l
	}
	if m := l.find(halfPlaces); m != nil && k.halves.n == 0 {
		all := figures(m[1])
		if len(all) > 1 && !slices.ContainsFunc(all, func(v float64) bool { return math.Abs(v-math.Trunc(v)) != 0.5 }) {
			k.halves = l
		}
	}
	if m := l.find(tiedValues); m != nil {
		side := 0
		if m[2] != "" {
			side = 1
		}
		k.tied[side] = strings.Clone(m[3])
		if k.ties.n == 0 && k.tied[0] != "" && k.tied[0] == k.tied[1] {
			k.ties = l
		}
	}
}

// gradient takes figures of a gradient and of the forward's output.
func (k *implied) gradient(l line) {
	if k.grads[0].n == 0 && (strings.Contains(l.text, "nan") || strings.Contains(l.text, "inf")) && gradFigure.MatchString(l.text) {
		k.grads[0] = l
	} else if k.grads[1].n == 0 && strings.IndexByte("oyflhs", l.text[0]) >= 0 && outFigure.MatchString(l.text) {
		k.grads[1] = l
	}
	if k.wide.n == 0 && strings.Contains(l.text, "max") {
		if m := exponents.FindStringSubmatch(l.text); m != nil && number(m[1]) > largestExponent {
			k.wide = l
		}
	}
}

// largestExponent is that of which e has a power in float32.
const largestExponent = 88.8

// times takes a time of one iteration, or behind a warm-up of some length.
func (k *implied) times(l line) {
	if m := l.find(iteration); m != nil && len(k.iters) < maxImplied {
		if k.iterAt.n == 0 {
			k.iterAt = l
		}
		k.iters = append(k.iters, number(m[2])*unitOf[m[3]])
	}
	if m := l.find(warmupOf); m != nil {
		at := strings.Index(l.text, m[0])
		rest := l.text[at+len(m[0]):]
		d := aDuration.FindStringSubmatchIndex(rest)
		if d == nil {
			return
		}
		name := strings.Join(strings.Fields(l.text[:at]+rest[:d[0]]), " ")
		if k.warmups == nil {
			k.warmups = map[string][]warmed{}
		}
		if len(k.warmups) < maxImplied && len(k.warmups[name]) < maxImplied {
			k.warmups[name] = append(k.warmups[name], warmed{number(m[1]), number(rest[d[2]:d[3]]) * unitOf[rest[d[4]:d[5]]], l})
		}
	}
}

// repeats takes what one of several equal runs gave, or how much slower a try was.
func (k *implied) repeats(l line) {
	m := l.find(numberedRun)
	if m == nil {
		return
	}
	if p := percents.FindString(m[3]); p != "" {
		if len(k.tries) == 0 {
			k.tryAt = l
		}
		if len(k.tries) < maxImplied {
			k.tries = append(k.tries, number(strings.TrimRight(p, " %")))
		}
		return
	}
	if runNot.MatchString(m[1]) || runTimes.MatchString(m[3]) {
		return
	}
	v := runFigure.FindString(m[3])
	if v == "" {
		return
	}
	if k.runs == nil {
		k.runs = map[string][]runValue{}
	}
	name := strings.TrimSpace(m[1])
	if _, known := k.runs[name]; !known {
		if len(k.runNames) >= maxImplied {
			return
		}
		name = strings.Clone(name)
		k.runNames = append(k.runNames, name)
	}
	if len(k.runs[name]) < maxImplied {
		k.runs[name] = append(k.runs[name], runValue{int(number(m[2])), number(v), l})
	}
}

var (
	numberedRun = probe(`^(.{0,40}?)\b(?:[Rr]un|[Cc]all|[Ii]ter(?:ation)?|[Ll]aunch|[Aa]ttempt|[Rr]epeat|[Rr]ep|[Tt]rial|[Tt]ry|[Rr]ound) ?#?(\d+)\b(.*\d.*)$`)
	runFigure   = regexp.MustCompile(`-?\d+\.\d+(?:e[-+]?\d+)?`)
	runTimes    = regexp.MustCompile(`\d ?(?:ns|us|µs|ms|s|sec|MHz|TFLOPS|GB/s|MiB|GiB|tok/s)\b|\b(?:time|latency|loss|lr)\b`)
)

// unsteady tells of equal runs whose values go up and down. Nothing else differs between
// them, so that it is the order in which something is done.
func (k *implied) unsteady(tell func(string, []string, line, string)) {
	for _, name := range k.runNames {
		runs := k.runs[name]
		low, high, turns, rise := math.Inf(1), 0.0, 0, 0.0
		for i, r := range runs {
			low, high = math.Min(low, math.Abs(r.value)), math.Max(high, math.Abs(r.value))
			if i == 0 {
				continue
			}
			if r.n != runs[i-1].n+1 {
				turns = -len(runs)
			}
			if d := r.value - runs[i-1].value; d != 0 {
				if rise*d < 0 {
					turns++
				}
				rise = d
			}
		}
		if len(runs) > fewRows && turns > 0 && (low == 0 || high < 1.5*low) {
			text := fmt.Sprintf("%d equal runs give %g to %g, up and down", len(runs), low, high)
			for _, other := range k.runNames {
				if o := k.runs[other]; other != name && len(o) >= fewRows && !slices.ContainsFunc(o, func(r runValue) bool { return r.value != o[0].value }) {
					text += "; with " + other + " all are equal"
					break
				}
			}
			tell(nondeterminism, wrongValues, runs[0].at, text)
			return
		}
	}
	if len(k.tries) >= fewRows && slices.Max(k.tries) >= leastTurn && (slices.Min(k.tries) <= -leastTurn || slices.Min(k.tries) < slices.Max(k.tries)/8) {
		tell(samePasses, slow, k.tryAt, fmt.Sprintf("%d tries change by %+.3g to %+.3g %%", len(k.tries), slices.Min(k.tries), slices.Max(k.tries)))
	}
}

// columns takes a table with times of ours and of the reference, each in the base and now.
func (k *implied) columns(l line) {
	if k.cells == 0 {
		if !l.is(refHead) {
			return
		}
		words := strings.Fields(l.text)
		at := [4]int{-1, -1, -1, -1}
		for i, w := range words {
			m := sidedColumn.FindStringSubmatch(w)
			if m == nil {
				continue
			}
			c := 0
			if m[2] != "" {
				c = 2
			}
			if m[4] != "" {
				c++
			}
			if at[c] < 0 {
				at[c] = i
			}
		}
		if !slices.Contains(at[:], -1) {
			k.sided, k.cells = at, len(words)
		}
		return
	}
	words := strings.Fields(l.text)
	if len(words) != k.cells {
		k.cells = 0
		return
	}
	v := [4]float64{}
	for i, c := range k.sided {
		v[i] = number(words[c])
	}
	if near := v[1] / v[0]; near > 1/levelRow && near < levelRow && v[3] < v[2]/fewSlow {
		if k.level++; k.level == 1 {
			k.faster = l
		}
	} else {
		k.others++
	}
}

var (
	refHead     = probe(`\b(?:ref|reference|torch|eager|baseline_impl)\w*\(`)
	sidedColumn = regexp.MustCompile(`^(?:(ours?|kernel|candidate|cutile|triton|helion|mine)|(ref|reference|torch|eager|cublas|cudnn))(?:_?(?:us|ms|ns|time))?\((?:(base|main|before|old|prev\w*)|(now|new|head|cur\w*|after|pr|run))\)$`)
)

const (
	leastTurn  = 5 // percent
	samePasses = "S-P61"
)

func (k *implied) end(sc *logScan) {
	tell := func(id string, with []string, at line, text string) {
		if at.n == 0 {
			return
		}
		sc.explains(id, with, at)
		if h := sc.found[id]; text != "" && h != nil && h.Line == at.n {
			sc.adds(h, text)
		}
	}
	if k.culprit.n > 0 {
		sc.causes(culpritCommit, nil, k.culprit, k.subject.text)
	}
	if k.moved.n > 0 && k.log >= fewRows {
		tell(otherVersion, slow, k.moved, "")
	}
	tell(maskedRows, nil, k.sameRows, "the rows with NaN are these")
	tell(maskedRows, nil, k.nothing, "")
	if k.ends.n > 0 {
		sc.causes(beyondRange, scriptFailed, k.ends, "")
	}
	tell(otherRounding, scriptFailed, k.halves, "each of them lies in the middle between two whole numbers")
	tell(equalValues, scriptFailed, k.ties, "both sides point at equal values")
	if k.grads[0].n > 0 && k.grads[1].n > 0 {
		text := k.grads[1].text
		if k.wide.n > 0 && k.exp.n > 0 {
			text = k.wide.text
		}
		tell(gradientNaN, nil, k.grads[0], text)
	}
	if k.governor.n > 0 {
		tell(slowHost, append([]string{hostTime}, slow...), k.governor, "")
	}
	tell(staleGraph, nil, k.held, "")
	if k.pages.n > 0 && (sc.found["S-R06"] != nil || sc.found["S-R27"] != nil) {
		sc.causes(unusedPage, []string{"S-R06", "S-R27"}, k.pages, "")
	}
	if k.streams[0].n > 0 && k.streams[1].n > 0 && !k.joined {
		tell(otherStream, unlikeValues, k.streams[1], "no stream waits for the other")
	}
	if k.seeds.n > 0 && strings.Contains(k.seeds.text, "seed") {
		tell(otherRandom, nil, k.seeds, "")
	}
	tell("S-C22", unlikeValues, farBeyond(sc), "most values match, and one is far off")
	tell(givenGradient, unlikeValues, k.weights, "")
	if k.level > 1 && k.others == 0 {
		tell(fasterOther, slow, k.faster, fmt.Sprintf("in %d rows ours is level and the reference became faster", k.level))
	}
	k.unsteady(tell)
	k.cold(tell)
	k.warm(tell)
	k.candidates(tell)
	cases := sc.namedCases()
	k.window39(tell, cases)
	k.sizes(tell, cases)
	k.limit(sc, cases)
}

// window39 tells of a first wrong row that is the window's length: the first one that does
// not see the first key any more.
func (k *implied) window39(tell func(string, []string, line, string), cases []Case) {
	if k.windowAt.n == 0 {
		return
	}
	for _, c := range cases {
		if !c.Failed {
			continue
		}
		for _, p := range c.params {
			if m := windowName.FindStringSubmatch(p); m != nil && math.Abs(number(m[1])-float64(k.window)) <= 1 {
				tell(offByOne, unlikeValues, k.windowAt, "it is the first row that the window of "+m[1]+" cuts")
				return
			}
		}
	}
}

// cold tells of single times of which the first alone is long.
func (k *implied) cold(tell func(string, []string, line, string)) {
	if len(k.iters) < fewRows || k.iters[0] < coldFirst*slices.Max(k.iters[1:]) {
		return
	}
	tell(noWarmup, slow, k.iterAt, fmt.Sprintf("the first call takes %.4g times as long as any later one: it compiles or loads", k.iters[0]/slices.Max(k.iters[1:])))
}

// warm tells of one benchmark that is faster the longer it is warmed up.
func (k *implied) warm(tell func(string, []string, line, string)) {
	for _, rows := range k.warmups {
		if len(rows) < 2 {
			continue
		}
		slices.SortStableFunc(rows, func(a, b warmed) int { return int(a.warmup - b.warmup) })
		first, last := rows[0], rows[len(rows)-1]
		if first.warmup < last.warmup && first.ms > noWarmupFactor*last.ms {
			tell(noWarmup, slow, first.at, fmt.Sprintf("with a warm-up of %g it takes %.3g times as long as with %g", first.warmup, first.ms/last.ms, last.warmup))
			return
		}
	}
}

// candidates tells of a choice of a tuner that is always wrong, beside one that is always
// right.
func (k *implied) candidates(tell func(string, []string, line, string)) {
	var right, wrong []string
	for _, name := range k.order {
		switch c := k.choices[name]; {
		case c[0] > 0 && c[1] > 0:
			return
		case c[0] > 0:
			right = append(right, name)
		case c[1] > 0:
			wrong = append(wrong, name)
		}
	}
	if len(right) > 0 && len(wrong) > 0 && k.turns >= fewRows {
		tell(oneCandidate, nil, k.chooses, fmt.Sprintf("wrong with %s, right with %s", strings.Join(wrong, ", "), strings.Join(right, ", ")))
	}
}

// namedCases are the cases that the console names, with how they ended.
func (sc *logScan) namedCases() []Case {
	var cases []Case
	ids := records.NewIDParser()
	for _, k := range sc.console.order {
		if !k.bad() && !k.passed || len(cases) >= maxCases {
			continue
		}
		id := ids.Parse(k.class, sc.console.spelled(k.name))
		cases = append(cases, Case{ID: id, Failed: k.bad(), params: apartSizes(id.Params), line: k.line, shown: shown{facts: facts{stray: k.stray}}})
	}
	return cases
}

// bySize divides the sizes of one parameter of a test's cases into those that fail and
// those that pass, where the same size never does both.
func bySize(cases []Case, p int) (bad, good []int) {
	for _, c := range cases {
		if p >= len(c.params) {
			return nil, nil
		}
		n, ok := size(c.params[p])
		if !ok {
			return nil, nil
		}
		if c.Failed {
			bad = append(bad, n)
		} else {
			good = append(good, n)
		}
	}
	if slices.ContainsFunc(bad, func(n int) bool { return slices.Contains(good, n) }) {
		return nil, nil
	}
	slices.Sort(bad)
	slices.Sort(good)
	return slices.Compact(bad), slices.Compact(good)
}

// sizes tells of sizes that are wrong because a captured graph is larger, or because they
// are odd multiples of a tile.
func (k *implied) sizes(tell func(string, []string, line, string), cases []Case) {
	if k.captured.n == 0 && k.tile == 0 {
		return
	}
	for _, f := range casesRun(cases).functions {
		for p := range f[0].params {
			bad, good := bySize(f, p)
			if len(bad) == 0 || len(good) == 0 {
				continue
			}
			if m := groupName.FindStringSubmatch(f[0].params[p]); m != nil && k.tile > 0 && bad[len(bad)-1] < k.tile && good[0] >= k.tile {
				tell(severalGroups, unlikeValues, k.tiled, fmt.Sprintf("wrong are groups of %s, right those of %d and more: a tile of %d along K spans several of the first", listOf(bad), good[0], k.tile))
				return
			}
			if len(good) == 1 {
				continue
			}
			in := func(n int) bool { return slices.Contains(k.graphs, n) }
			if k.captured.n > 0 && !slices.ContainsFunc(bad, in) && !slices.ContainsFunc(good, func(n int) bool { return !in(n) }) {
				tell(paddedGraph, unlikeValues, k.captured, fmt.Sprintf("wrong are %s, of which no graph was captured", listOf(bad)))
				return
			}
			odd := func(n int) bool { return n%k.tile == 0 && n/k.tile%2 == 1 }
			even := func(n int) bool { return n%k.tile == 0 && n/k.tile%2 == 0 }
			if k.tileAt.n > 0 && k.tile > 1 && len(bad) > 1 && !slices.ContainsFunc(bad, func(n int) bool { return !odd(n) }) && !slices.ContainsFunc(good, func(n int) bool { return !even(n) }) {
				tell(oddSteps, unlikeValues, k.tileAt, fmt.Sprintf("wrong are %s, odd multiples of %d", listOf(bad), k.tile))
				return
			}
		}
	}
}

// listOf is a short list of numbers.
func listOf(all []int) string {
	var b strings.Builder
	for i, n := range all {
		if i == maxNamed {
			b.WriteString(", ...")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}

// limit tells of a size from which on all fails, and of a number with the name of a bound
// that lies just there.
func (k *implied) limit(sc *logScan, cases []Case) {
	if len(k.limits) == 0 {
		return
	}
	between := func(bad, good []int) bool {
		if len(bad) == 0 || len(good) < 2 || good[len(good)-1] >= bad[0] {
			return false
		}
		for _, m := range k.limits {
			if m.n < good[len(good)-1] || m.n >= bad[0] || strings.Contains(m.name, "warmup") {
				continue
			}
			text := fmt.Sprintf("up to %d all is right, from %d on it fails: %s is %d", good[len(good)-1], bad[0], m.name, m.n)
			id := madeForFewer
			if strings.HasSuffix(m.name, "SMs") || strings.HasSuffix(m.name, "sms") {
				id = raggedShapes
			}
			sc.causes(id, append([]string{"S-R06", "S-R27", "S-R45"}, scriptFailed...), m.at, text)
			return true
		}
		return false
	}
	for _, f := range casesRun(cases).functions {
		for p := range f[0].params {
			if bad, good := bySize(f, p); between(bad, good) {
				return
			}
		}
	}
	var bad, good []int
	for _, r := range k.rows {
		if r.bad {
			bad = append(bad, r.n)
		} else {
			good = append(good, r.n)
		}
	}
	slices.Sort(bad)
	slices.Sort(good)
	if between(bad, good) {
		return
	}
	for _, b := range sc.trials.blocks {
		if bad, good := sizesOfRows(slices.Clone(b)); between(bad, good) {
			return
		}
	}
}

// sizesOfRows divides the sizes that rows differ in into those that are wrong and those that
// are right.
func sizesOfRows(rows []trial) (bad, good []int) {
	if !classify(rows) {
		return nil, nil
	}
	var cases []Case
	for _, r := range rows {
		words := apartSizes(strings.FieldsFunc(strings.Join(r.words(), "-"), func(c rune) bool { return strings.ContainsRune("-[]", c) }))
		if r.good || r.bad {
			cases = append(cases, Case{Failed: r.bad, params: words})
		}
	}
	if len(cases) == 0 {
		return nil, nil
	}
	for p := range cases[0].params {
		if bad, good = bySize(cases, p); len(bad) > 0 && len(good) > 0 {
			return bad, good
		}
	}
	return nil, nil
}

var (
	partsName = regexp.MustCompile(`(?i)^(?:\w*splits?|split_?k\w*|\w*_?parts|partitions?)[_=]?(\d+)$`)
	lossOf    = regexp.MustCompile(`(?i)loss|cross_?entropy|\bce\b|_ce\b|kl|jsd|dpo|orpo|grad|backward|bwd|fl?ce`)
	reducedTo = regexp.MustCompile(`^(?:\w*reduction\w*=)?(?i:mean|sum|batchmean)$`)
	unreduced = regexp.MustCompile(`^(?:\w*reduction\w*=)?(?i:none|weighted|scaled|no_?reduction)$`)
)

// splitParts is S-C183: the wrong cases are those in which one result is made of several
// parts, and those with one part are right.
func splitParts(run Run) *Seen {
	return only(run, "in which the work is cut into several parts", func(c Case) bool {
		return slices.ContainsFunc(c.params, func(p string) bool {
			m := partsName.FindStringSubmatch(p)
			return m != nil && number(m[1]) > 1
		})
	})
}

// weightedLoss is S-C180 by the cases: gradients of a loss that is not reduced are wrong,
// while those of one that is, and the losses themselves, are right.
func weightedLoss(run Run) *Seen {
	for _, f := range run.functions {
		if !lossOf.MatchString(f[0].ID.Test) || !gradientTest(f) {
			continue
		}
		wrong, right := 0, 0
		for _, c := range f {
			switch {
			case c.Failed && c.maybeWrong() && slices.ContainsFunc(c.params, unreduced.MatchString):
				wrong++
			case !c.Failed && slices.ContainsFunc(c.params, reducedTo.MatchString):
				right++
			default:
				wrong = -len(f)
			}
		}
		if wrong > 0 && right > 0 && slices.ContainsFunc(f, Case.differs) {
			return at(f, "the gradients of %d cases without a reduction are wrong, and those with one are right", wrong)
		}
	}
	return nil
}

// gradientTest reports whether a test compares gradients: by its name, or by what it says.
func gradientTest(cases []Case) bool {
	return aGradient.MatchString(cases[0].ID.Test) || slices.ContainsFunc(cases, func(c Case) bool { return c.Compared != nil && c.Compared.Grad })
}

var aGradient = regexp.MustCompile(`(?i)grad|backward|bwd`)

// groupName is a parameter that is the length of a group of scales.
var groupName = regexp.MustCompile(`(?i)^(?:gs|\w*group_?(?:size|k|len)?|groupsize|quant_?block\w*|scale_?block\w*)=(\d+)$`)

// farBeyond tells of cases of which most values match, and one is off by more than any
// input explains.
func farBeyond(sc *logScan) line {
	var first line
	for _, k := range sc.console.order {
		if !k.bad() {
			continue
		}
		if len(k.compared) == 0 {
			return line{}
		}
		x := k.compared[0]
		if x.testSaid || !(x.Matched >= 50) || !(x.MaxAbs >= noInput) || math.IsInf(x.MaxAbs, 0) {
			return line{}
		}
		if first.n == 0 {
			first = x.at
		}
	}
	return first
}

// noInput is a difference that no input explains.
const noInput = 1e25
