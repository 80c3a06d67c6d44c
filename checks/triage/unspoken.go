package triage

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// unspoken reads figures that are a cause and that no sentence calls one: the tile of a
// product beside the group of its scales, the streams of a launch and of the tensor
// library, a latency that no size changes, a set of tables in which even an empty kernel
// became slower.
type unspoken struct {
	tile, group int // the last ones that were told, 0 for none
	told        int // the line of the first of both
	wide        groupScale
	narrow      bool // a case that is right has a tile within one group
	spans       bool // one that is right has a tile over several groups
	pending     groupScale
	streams     line
	latency     latencies
	empty       bool // a row is of a kernel that does nothing
	takesTime   bool // a line tells of a time, a rate or a benchmark
	hook        line // a configuration of a tuner has a hook
	profile     callTimes
	apart       []line // lines of both sides' times with an arrow between them
	arrows      [][2]float64
	means       []meanRow
	stuck       map[string]line // processes that wait in the kernel, by number
	holders     map[string]bool // processes that hold memory of a GPU
	singlePass  line            // source of a variance from the sum of squares
	meanHead    [3]int          // of a table: the column of the mean, that of the error, and all
	meanUntil   int
	centred     bool // the log speaks of an operation that subtracts a mean
}

// groupScale is a product whose tile spans several groups of scales.
type groupScale struct {
	tile, group int
	at          line
}

// latencies are rows of a table with a size and the times of both sides.
type latencies struct {
	head  line
	ours  int // the columns
	refs  int
	width int
	last  int
	sizes []float64
	times [2][]float64
}

// meanRow is a row with the mean of the input and an error.
type meanRow struct {
	mean, err float64
	bad       bool
	at        line
}

const (
	otherStream    = "S-C23"
	severalGroups  = "S-C190"
	lostDigits     = "S-C191"
	stuckHolder    = "S-R151"
	measuredMore   = "S-P130"
	groupWithin    = 4    // lines between a tile and its group
	levelLatency   = 1.15 // ratio of the largest and the smallest of times that do not grow
	hostLatency    = 1.5  // times the reference, from which a level latency is the host's
	growingSizes   = 8    // ratio of the largest and the smallest size of such a table
	largeMean      = 10   // ratio of means between which errors must grow
	maxUnspoken    = 64
	leastMeanTimes = 4 // by which the errors grow
)

var (
	tileOfK   = probe(`(?i)\b(?:BLOCK_?(?:SIZE)?_?K|TILE_?(?:SIZE)?_?K|tile_?k|block_?k|bk|kBlockK|K_?TILE)\b['"]?\W{1,3}(\d+)\b`)
	groupOfK  = probe(`(?i)\b(?:group_?k|group_?size|quant_?(?:block|group)(?:_?size)?|scale_?(?:group|block)(?:_?size)?|q_?group(?:_?size)?|group_?len|k_?group|groupsize|sf_?vec(?:_?size)?|block_?quant)\b['"]?\W{1,3}(\d+)\b`)
	verdictOf = regexp.MustCompile(`\b(?:(FAIL(?:ED)?|WRONG|wrong|BAD|bad|MISMATCH|mismatch)|(PASS(?:ED)?|passed|ok|OK))\b`)

	twoStreams = probe(`(?i)\b(?:launch\w*|kernel|our\w*|ffi|stream|on)\b.{0,24}?\bstreams?\b\W{1,4}(0x[0-9a-f]+|\d+|null\w*|legacy|default|none)\b.{0,40}?\b(?:torch|current|producer|ambient|pytorch|caller)\w*(?:[ _.]?(?:cuda)?_?stream\w*)?(?:\(\))?\W{1,4}(0x[0-9a-f]+|\d+)\b`)

	latencyHead = probe(`(?i)^\W*(?:n|m|size|sizes|numel|elements|tokens|seq\w*|batch|rows|shape|bytes|len\w*)\b.*(?:us|µs|ms|ours|time|latency)`)
	aTime       = probe(`\b\d[\d.]*(?:e-?\d+)? ?(?:us|ms|ns|µs|usec|msec|TFLOPS?|TFLOP/s|GFLOPS?|GB/s|GiB/s|TB/s|tok(?:ens)?/s|it/s)\b|\bbase(?:line)?[ _(]*(?:us|ms|ns)\b|[ _(](?:us|ms|ns)\)?(?:\s|$)|\b(?:CUDA|CPU|GPU)[ _](?:time|total)\b|\b(?:speed-?up|geomean|median|latency|throughput|TFLOPS|GB/s)\b|\d(?:\.\d+)?x slower|\b[Pp]erf\b|[Pp]erformance|PERF\w*|[Bb]enchmark|[+-]\d+(?:\.\d+)? ?%`)
	pytestTime  = regexp.MustCompile(`^\W*(?:\d+ (?:passed|failed|skipped|error\w*)\b.*\bin \d|slowest \d|\d[\d.]*s (?:call|setup|teardown) )`)
	tunerHook   = probe(`\b(?:post|pre)_?hook\b|\bhook ?= ?["']?(?:post|pre)\b`)
	// emptyKernel is the row of a kernel that does nothing.
	emptyKernel = regexp.MustCompile(`(?i)^\W*(?:no-?op|empty|null|nop)(?:_\w+)?\b.*\d.*\d`)
	sideArrow   = probe(`^\W*(\S[^:=]{0,60}?)[ :=|]+([\d.]+) ?(?:us|ms|µs|ns)? ?(?:->|→|=>) ?([\d.]+)(?: ?(?:us|ms|µs|ns))?\b`)

	inputMean  = regexp.MustCompile(`(?i)\b(?:mean|mu|offset|shift|loc|bias|center|centre|dc)[ _=]{0,2}(\d[\d.]*(?:e[+]?\d+)?)\b`)
	errorOfRow = regexp.MustCompile(`(?i)(?:err(?:or)?|diff)\w*\W{1,4}(\d[\d.]*(?:e[-+]?\d+)?)`)
	// memoryHolder is a process that holds memory of a GPU, as PyTorch and nvidia-smi tell.
	memoryHolder = probe(`\b[Pp]rocess (\d+) has \d[\d.]* [GM]iB memory in use|^\|\s+\d+\s+\S+\s+\S+\s+(\d+)\s+\S+\s.*?\d{3,}MiB \|$|^(?:GPU-\S+, )?(\d+), (?:\S+, )*\d+ MiB$`)
	// waitingProcess is a process in state D, as ps lists it.
	waitingProcess = regexp.MustCompile(`^(?:[a-z_]\S* +)?(\d+) +(?:\d+ +)?(?:\S+ +\S+ +\d+ +\d+ +\S+ +)?D[<NsLl+]*(?: |$)`)
	stateOf        = regexp.MustCompile(`(?i)\b(?:pid|process) (\d+)\b.*\b(?:state|stat) ?[:=]? ?D\b|/proc/(\d+)/stat\w*\b.*\bD\b`)
	// variances are operations in which a mean is subtracted.
	variances = regexp.MustCompile(`(?i)(?:^|[^a-z])var(?:iance)?|std|norm|welford|moment|whiten|covariance|kurtosis|skew`)
	onePass   = probe(`(?i)\b(?:ex2|e_?x_?sq\w*|mean_?(?:of_?)?sq\w*|mean_?x2|sum_?sq\w*(?: ?[/*] ?\w+)?|sumsq\w*(?: ?[/*] ?\w+)?|sq_?mean|x2_?mean|m2|s2(?: ?/ ?\w+)?)\)? ?- ?\(?(?:mean|mu|avg|m|ex|e_x|x_mean|m1)(?: ?\* ?(?:mean|mu|avg|m|ex|e_x|x_mean|m1)\b| ?\*\* ?2|\^2|²)|\bE\[x\^?2\] ?- ?E\[x\]|\bsquare\w*\(mean\)`)
)

func (u *unspoken) line(l line) {
	if l.text == "" || len(l.text) > 512 {
		return
	}
	if u.singlePass.n == 0 && l.is(onePass) {
		u.singlePass = l
	}
	if l.quote && !(l.text[0] == '|' && strings.HasSuffix(l.text, "|")) {
		return
	}
	u.scales(l)
	if m := l.find(twoStreams); m != nil && u.streams.n == 0 && unlikeStreams(m[1], m[2]) {
		u.streams = l
	}
	u.takesTime = u.takesTime || l.is(aTime) && !pytestTime.MatchString(l.text)
	if u.hook.n == 0 && l.is(tunerHook) {
		u.hook = l
	}
	u.profile.line(l)
	u.empty = u.empty || emptyKernel.MatchString(l.text)
	u.sizes(l)
	if m := l.find(sideArrow); m != nil && len(u.arrows) < maxUnspoken {
		if a, b := number(m[2]), number(m[3]); a > 0 && b > 0 {
			u.arrows, u.apart = append(u.arrows, [2]float64{a, b}), append(u.apart, l)
		}
	}
	u.mean(l)
	u.holds(l)
}

// holds takes a process that holds memory of a GPU, or that waits in the kernel.
func (u *unspoken) holds(l line) {
	if m := l.find(memoryHolder); m != nil && len(u.holders) < maxUnspoken {
		u.holders = set(u.holders, strings.Clone(m[1]+m[2]+m[3]))
	}
	if !strings.Contains(l.text, " D") || len(u.stuck) >= maxUnspoken {
		return
	}
	pid := ""
	if m := waitingProcess.FindStringSubmatch(l.text); m != nil {
		pid = m[1]
	} else if m := stateOf.FindStringSubmatch(l.text); m != nil {
		pid = m[1] + m[2]
	}
	if pid != "" {
		if u.stuck == nil {
			u.stuck = map[string]line{}
		}
		u.stuck[strings.Clone(pid)] = l
	}
}

// unlikeStreams reports whether two streams of one line are not the same.
func unlikeStreams(a, b string) bool {
	null := func(s string) bool {
		return strings.Trim(strings.TrimPrefix(strings.ToLower(s), "0x"), "0") == "" || !strings.ContainsAny(s[:1], "0123456789")
	}
	return !strings.EqualFold(a, b) && !(null(a) && null(b))
}

// scales takes the tile of a product along K, the group of its scales, and how that ended.
func (u *unspoken) scales(l line) {
	if u.pending.at.n > 0 && l.n > u.pending.at.n {
		switch m := verdictOf.FindStringSubmatch(l.text); {
		case m != nil && m[2] != "" && l.n <= u.pending.at.n+2 && !strings.Contains(l.text, "::"):
			u.ended(u.pending, true)
			u.pending = groupScale{}
		case l.n > u.pending.at.n+1:
			u.ended(u.pending, false)
			u.pending = groupScale{}
		}
	}
	tile, group := l.find(tileOfK), l.find(groupOfK)
	if tile == nil && group == nil {
		return
	}
	if l.n > u.told+groupWithin {
		u.tile = 0
	}
	if tile != nil {
		u.tile, u.told = int(number(tile[1])), l.n
	}
	if group != nil {
		u.group = int(number(group[1]))
	}
	if u.tile == 0 || u.group == 0 {
		return
	}
	s := groupScale{u.tile, u.group, l}
	u.tile = 0
	switch m := verdictOf.FindStringSubmatch(l.text); {
	case m == nil:
		u.pending = s
	default:
		u.ended(s, m[2] != "")
	}
}

// ended notes how a product ended.
func (u *unspoken) ended(s groupScale, good bool) {
	switch over := s.tile > s.group; {
	case over && good:
		u.spans = true
	case over && u.wide.at.n == 0:
		u.wide = s
	case !over && good:
		u.narrow = true
	}
}

// sizes takes the head and the rows of a table of times by size.
func (u *unspoken) sizes(l line) {
	t := &u.latency
	if l.is(latencyHead) {
		cells := strings.Fields(strings.ReplaceAll(l.text, "|", " "))
		ours, refs := -1, -1
		for i, c := range cells {
			name := strings.ToLower(strings.TrimLeft(c, "("))
			switch {
			case i == 0 || strings.Contains(name, "ratio") || strings.Contains(name, "speed"):
			case refs < 0 && refColumn.MatchString(name):
				refs = i
			case ours < 0 && ourColumn.MatchString(name):
				ours = i
			}
		}
		if ours > 0 && refs > 0 && u.latencyAt() == "" {
			*t = latencies{head: l, ours: ours, refs: refs, width: len(cells), last: l.n}
		}
		return
	}
	if t.width == 0 || l.n > t.last+2 {
		return
	}
	cells := strings.Fields(strings.ReplaceAll(l.text, "|", " "))
	if len(cells) != t.width || len(t.sizes) >= maxUnspoken {
		return
	}
	n, a, b := number(cells[0]), number(cells[t.ours]), number(cells[t.refs])
	if n > 0 && a > 0 && b > 0 {
		t.sizes, t.times[0], t.times[1], t.last = append(t.sizes, n), append(t.times[0], a), append(t.times[1], b), l.n
	}
}

var (
	ourColumn = regexp.MustCompile(`ours|kernel|cutile|candidate|triton|new|head|pr\b|this|fused|mine|test`)
	refColumn = regexp.MustCompile(`ref|torch|baseline|eager|base\b|cublas|cudnn|main|expected`)
)

// latencyAt tells of a table in which one side takes the same time whatever the size is,
// "" when there is none.
func (u *unspoken) latencyAt() string {
	t := u.latency
	level := 0
	for level < len(t.sizes) && t.times[0][level] <= levelLatency*slices.Min(t.times[0]) {
		level++
	}
	if level < manyRows || t.sizes[level-1] < growingSizes*t.sizes[0] {
		return ""
	}
	for i := range level {
		if t.times[0][i] >= hostLatency*t.times[1][i] {
			return fmt.Sprintf("%d rows take %.4g, whatever the size from %.6g to %.6g is", level, t.times[0][0], t.sizes[0], t.sizes[level-1])
		}
	}
	return ""
}

// meanRows takes the head and the rows of a table with a column of the input's mean and one
// of an error.
func (u *unspoken) meanRows(l line) {
	if u.meanUntil == 0 || l.n > u.meanUntil {
		u.meanUntil = 0
		if !strings.Contains(l.text, "rr") && !strings.Contains(l.text, "iff") || strings.ContainsAny(l.text, "=:") {
			return
		}
		cells := tableCells(l.text)
		mean := slices.IndexFunc(cells, meanColumn.MatchString)
		e := slices.IndexFunc(cells, errorHead.re.MatchString)
		if mean >= 0 && e >= 0 && mean != e {
			u.meanHead, u.meanUntil = [3]int{mean, e, len(cells)}, l.n+trialGap
		}
		return
	}
	cells := tableCells(l.text)
	if len(cells) != u.meanHead[2] || len(u.means) >= maxUnspoken {
		return
	}
	m, e := number(cells[u.meanHead[0]]), number(cells[u.meanHead[1]])
	if m >= 0 && !math.IsNaN(e) {
		u.means, u.meanUntil = append(u.means, meanRow{m, e, false, l}), l.n+trialGap
	}
}

var (
	meanColumn = regexp.MustCompile(`(?i)\b(?:mean|offset|shift|mu|loc|bias)\b`)
	// subtracts is an operation in which a mean is subtracted.
	subtracts = probe(`[Ll]ayer_?[Nn]orm|[Bb]atch_?[Nn]orm|[Gg]roup_?[Nn]orm|[Ii]nstance_?[Nn]orm|[Vv]arianc|[Ww]elford|\bvar_mean\b`)
)

// mean takes a row with the mean of the input and an error.
func (u *unspoken) mean(l line) {
	if len(u.means) >= maxUnspoken || strings.Contains(l.text, "::") {
		return
	}
	u.centred = u.centred || l.is(subtracts)
	u.meanRows(l)
	e := errorOfRow.FindStringSubmatch(l.text)
	if e == nil {
		return
	}
	if m := inputMean.FindStringSubmatch(l.text); m != nil {
		u.means = append(u.means, meanRow{number(m[1]), number(e[1]), badWord.MatchString(l.text), l})
	}
}

// cancels tells of rows whose errors grow with the mean of the input.
func (u *unspoken) cancels() (line, string) {
	if len(u.means) < fewRows {
		return line{}, ""
	}
	rows := slices.Clone(u.means)
	slices.SortStableFunc(rows, func(a, b meanRow) int {
		switch {
		case a.mean < b.mean:
			return -1
		case a.mean > b.mean:
			return 1
		}
		return 0
	})
	for i := 1; i < len(rows); i++ {
		if rows[i].err < rows[i-1].err || rows[i].mean == rows[i-1].mean {
			return line{}, ""
		}
	}
	low, high := rows[0], rows[len(rows)-1]
	if high.mean < largeMean*math.Max(rows[1].mean, 1) && high.mean < largeMean*math.Max(low.mean, 1) || high.err < leastMeanTimes*math.Max(low.err, noError) {
		return line{}, ""
	}
	return high.at, fmt.Sprintf("the error grows from %.3g to %.3g while the mean of the input grows from %g to %g", low.err, high.err, low.mean, high.mean)
}

func (u *unspoken) end(sc *logScan) {
	if u.pending.at.n > 0 {
		u.ended(u.pending, false)
	}
	tell := func(id string, with []string, at line, text string) {
		sc.causes(id, with, at, text)
	}
	if u.wide.at.n > 0 && !u.spans {
		tell(severalGroups, scriptFailed, u.wide.at, fmt.Sprintf("a tile of %d along K spans %d groups of %d", u.wide.tile, (u.wide.tile+u.wide.group-1)/u.wide.group, u.wide.group))
	}
	if u.streams.n > 0 {
		sc.explains(otherStream, wrongValues, u.streams)
	}
	if at, text := u.cancels(); at.n > 0 && (u.singlePass.n > 0 || u.centred || variances.MatchString(sc.name+" "+at.text)) {
		tell(lostDigits, scriptFailed, at, text)
	} else if u.singlePass.n > 0 && slices.ContainsFunc(sc.console.order, func(k *shownCase) bool {
		return k.bad() && inputMean.MatchString(k.name)
	}) {
		tell(lostDigits, wrongValues, u.singlePass, "")
	}
	if text := u.latencyAt(); text != "" {
		sc.explains(hostTime, slow, u.latency.head)
		sc.adds(sc.found[hostTime], text)
	}
	for _, pid := range slices.Sorted(maps.Keys(u.stuck)) {
		if u.holders[pid] {
			tell(stuckHolder, takenMemory, u.stuck[pid], "")
		}
	}
	if sc.roofline.filled.n > 0 && u.hook.n > 0 {
		sc.explains(flushTimed, slow, sc.roofline.filled)
		sc.adds(sc.found[flushTimed], u.hook.text)
	}
	if at, text := u.profile.launches(); at.n > 0 {
		sc.explains(hostTime, slow, at)
		sc.adds(sc.found[hostTime], text)
	}
	u.risen(sc)
	u.untimed(sc)
}

// takenMemory are errors of a GPU of which another process holds the memory.
var takenMemory = []string{"S-R13", "S-R28", "S-R53"}

// risen tells of times with an arrow between the sides that all rise by as much.
func (u *unspoken) risen(sc *logScan) {
	if len(u.arrows) < manyRows {
		return
	}
	var base, more []float64
	for _, a := range u.arrows {
		base, more = append(base, a[0]), append(more, a[1]-a[0])
	}
	low, high := slices.Min(more), slices.Max(more)
	if slices.Max(base) < wideSizes*slices.Min(base) || low <= 0 || low < tellingPart*slices.Min(base) || high-low > constantPart*high {
		return
	}
	u.tellRise(sc, u.apart[0], fmt.Sprintf("each of %d rows takes %.4g to %.4g more, whatever it takes", len(base), low, high))
}

// tellRise tells of rows that all take the same time more: where an empty kernel is among
// them, it is the measurement.
func (u *unspoken) tellRise(sc *logScan, at line, text string) {
	id := hostTime
	if u.empty {
		id = measuredMore
	}
	sc.explains(id, slow, at)
	if h := sc.found[id]; h != nil && h.Line == at.n {
		sc.adds(h, text)
	}
}

// untimed takes back what is told of a slow benchmark in a job whose cases have wrong
// values and that takes no times: a word of it is of something else.
func (u *unspoken) untimed(sc *logScan) {
	if u.takesTime || !slices.ContainsFunc(mismatches, func(id string) bool { return sc.found[id] != nil }) {
		return
	}
	sc.hits = slices.DeleteFunc(sc.hits, func(h *hit) bool {
		quiet := h.log == sc.logs && !h.records && h.Signature == slowBenchmark
		if quiet {
			delete(sc.found, h.Signature)
		}
		return quiet
	})
}

// slowBenchmark says that a benchmark became slower, and no more.
const slowBenchmark = "S-P10"

// withMean is S-C191 by the cases: those with a large mean of the input are wrong, and
// those with a small one right.
func withMean(run Run) *Seen {
	for _, f := range run.functions {
		if !variances.MatchString(f[0].ID.Kernel + " " + f[0].ID.Test) {
			continue
		}
		right, wrong, some := 0.0, math.Inf(1), 0
		for _, c := range f {
			m := inputMean.FindStringSubmatch(strings.Join(c.params, " "))
			switch {
			case m == nil || c.Failed && !c.maybeWrong():
				some = -len(f)
			case dtype(c.params) == "float64":
			case c.Failed:
				some++
				wrong = math.Min(wrong, number(m[1]))
			default:
				right = math.Max(right, number(m[1]))
			}
		}
		if some > 0 && right < wrong && wrong >= largeMean && slices.ContainsFunc(f, func(c Case) bool { return !c.Failed }) {
			return at(f, "the %d wrong cases are those with a mean of the input of %g or more", some, wrong)
		}
	}
	return nil
}

// callTimes reads a profiler's table with the mean time of a call on the host and on the
// device.
type callTimes struct {
	host, device, width int // the columns, counted from the end
	last                int
	rows                []callTime
}

// callTime is one operation.
type callTime struct {
	name         string
	host, device float64
	at           line
}

var (
	profileHead = probe(`\bCPU time avg\b.*\b(?:CUDA|GPU|[Dd]evice) time avg\b`)
)

func (p *callTimes) line(l line) {
	if l.is(profileHead) {
		cells := cellGap.Split(strings.TrimSpace(l.text), -1)
		p.width, p.last = len(cells), l.n
		for i, c := range cells {
			switch {
			case c == "CPU time avg":
				p.host = len(cells) - i
			case strings.HasSuffix(c, " time avg"):
				p.device = len(cells) - i
			}
		}
		return
	}
	if p.host == 0 || p.device == 0 || l.n > p.last+groupWithin || len(p.rows) >= maxUnspoken {
		return
	}
	cells := strings.Fields(l.text)
	if len(cells) < p.width || p.host > len(cells) || p.device > len(cells) {
		return
	}
	host, device := micros(cells[len(cells)-p.host]), micros(cells[len(cells)-p.device])
	if host > 0 && device > 0 {
		p.rows, p.last = append(p.rows, callTime{strings.Clone(cells[0]), host, device, l}), l.n
	}
}

// launches tells of two operations of which the calls take as long on the device, while
// one takes longer on the host.
func (p *callTimes) launches() (line, string) {
	for i, a := range p.rows {
		for _, b := range p.rows[i+1:] {
			if a.name == b.name || math.Abs(a.device-b.device) > (levelLatency-1)*math.Min(a.device, b.device) {
				continue
			}
			slow, fast := a, b
			if b.host > a.host {
				slow, fast = b, a
			}
			if slow.host >= hostLatency*fast.host && slow.host >= hostLatency*slow.device {
				return slow.at, fmt.Sprintf("a call takes %.4g us on the device on both sides; on the host %.4g us against %.4g us", slow.device, slow.host, fast.host)
			}
		}
	}
	return line{}, ""
}
