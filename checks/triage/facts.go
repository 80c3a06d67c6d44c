package triage

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// facts are what a case printed of its operands and launches.
type facts struct {
	view   bool    // an operand is a view
	empty  bool    // a group or sequence is empty
	tuned  bool    // a tuner worked in it
	trial  bool    // what it printed tells of a tuner's trials
	adds   bool    // of a kernel that changes what it is given, by its name
	reuse  bool    // memory that a launch was given was given out again in the same case
	zeros  bool    // the output is zero where the reference is negative throughout
	width  bool    // an index of the output is the width of the data, one beyond the last
	stray  bool    // it accessed memory that is not its own
	wide   bool    // a launch was given strides of 64 bits
	unlike bool    // it says that values differ
	index  float64 // the largest index that it prints
	step   float64 // the largest stride
	far    bool    // the grid and a stride of a launch span more than 32 bits count
	given  map[string]bool
	got    []float64 // the last printed list of the output

	stalled   float64   // a sum that stopped where its type does not count on, 0 for none
	calls     []float64 // what equal calls gave, from the number from on
	from      int
	firstOnly bool // the first of them differs, and the others agree
}

// maxGiven bounds the addresses that are kept of a case.
const maxGiven = 32

var (
	address   = regexp.MustCompile(`\b0x[0-9a-f]{6,16}\b`)
	handedOut = regexp.MustCompile(`(?:->|\balloc\w*\b.*?|\bnew\b.*?|\bempty\b.*?)\s*(0x[0-9a-f]{6,16})\b`)
	argument  = regexp.MustCompile(`\b\w+ ?= ?(0x[0-9a-f]{6,16})\b`)
	launching = regexp.MustCompile(`\b[Ll]aunch\w*\b|\bffi\b|\b\w*kernel\w*\b|\bgrid\b|\bstream=`)
	zeroIn    = regexp.MustCompile(`\b(?:\w*sizes?|\w*len(?:s|gths?)?|counts?|\w*seqlens?|groups?|splits?|tokens?\S*)[ =:]*[\[(](?:[\d, ]*[ ,])?0(?:[ ,][\d, ]*)?[\])]`)
	gotList   = regexp.MustCompile(`^(?:got|out\w*|actual|ours|kernel|test|result)\b[^:=]{0,16}[:=] ?\[(.+)\]`)
	// zeroName is a list of sizes with an empty one, as the name of a case holds it.
	zeroName = regexp.MustCompile(`^(?:\w*sizes?|\w*lens?|\w*lengths?|counts?|\w*seqlens?|groups?|splits?)[_=](?:\d+[_x,])*0(?:[_x,]\d+)*$`)
	refList  = regexp.MustCompile(`^(?:ref\w*|expected|want|torch|golden)\b[^:=]{0,16}[:=] ?\[(.+)\]`)
)

// tells takes a line that a case printed.
func (f *facts) tells(text string) {
	f.view = f.view || showsView(text)
	if strings.Contains(text, "0") && (strings.Contains(text, "[") || strings.Contains(text, "(")) {
		f.empty = f.empty || zeroIn.MatchString(text)
	}
	if strings.Contains(text, "0x") {
		f.addresses(text)
	}
	if strings.HasSuffix(text, "]") {
		f.lists(text)
	}
	f.unlike = f.unlike || saysUnlike(text)
	f.trial = f.trial || tunes(text)
	f.adds = f.adds || strings.Contains(text, "utotuning for function") && addsInKernel.MatchString(text)
	f.stray = f.stray || strings.Contains(text, "illegal memory access") || strings.Contains(text, "ILLEGAL_ADDRESS")
	if strings.Contains(text, "stride") {
		f.spans(text)
	}
	if strings.ContainsAny(text, "[=:") {
		f.indexes(text)
	}
	f.stall(text)
	f.call(text)
}

// addresses remembers what a launch was given, and sees it given out again.
func (f *facts) addresses(text string) {
	if len(text) > 4096 || !address.MatchString(text) {
		return
	}
	for _, m := range handedOut.FindAllStringSubmatch(text, 8) {
		f.reuse = f.reuse || f.given[m[1]]
	}
	if !launching.MatchString(text) {
		return
	}
	for _, m := range argument.FindAllStringSubmatch(text, 16) {
		if f.given == nil {
			f.given = map[string]bool{}
		}
		if len(f.given) < maxGiven {
			f.given[strings.Clone(m[1])] = true
		}
	}
}

// lists compares the first values that a test prints of both sides.
func (f *facts) lists(text string) {
	if m := gotList.FindStringSubmatch(text); m != nil {
		f.got = figures(m[1])
		return
	}
	m := refList.FindStringSubmatch(text)
	if m == nil || len(f.got) < 2 {
		return
	}
	got, ref := f.got, figures(m[1])
	f.got = nil
	if len(got) != len(ref) {
		return
	}
	all := func(list []float64, is func(float64) bool) bool {
		return !slices.ContainsFunc(list, func(v float64) bool { return !is(v) })
	}
	if all(got, func(v float64) bool { return v == 0 }) && all(ref, func(v float64) bool { return v < 0 || v == 0 && math.Signbit(v) }) {
		f.zeros = true
	}
	if n := got[0]; n >= 2 && n == math.Trunc(n) && all(got, func(v float64) bool { return v == n }) && all(ref, func(v float64) bool { return v < n && v >= 0 && v == math.Trunc(v) }) {
		f.width = true
	}
}

// paddedMaximum is S-C29 by what the cases print: a maximum of negative values is 0, or
// its index lies beyond the data.
func paddedMaximum(run Run) *Seen {
	for _, c := range run.Cases {
		if c.Failed && (c.zeros && isOp(c.ID.Kernel+c.ID.Test, "max") || c.width && isOp(c.ID.Kernel+c.ID.Test, "max", "min", "arg", "index", "topk", "top_k", "sort")) {
			return &Seen{What: c.ID.Config() + ": lanes beyond the data win the maximum, 0 where all values are negative or an index beyond the last", log: c.log, line: c.line}
		}
	}
	return nil
}

// reusedMemory is S-R52 by addresses: what a launch was given is given out again while
// the case runs, and its values are wrong.
func reusedMemory(run Run) *Seen {
	for _, c := range run.Cases {
		if c.Failed && c.maybeWrong() && c.reuse {
			return &Seen{What: c.ID.Config() + ": the memory of an argument of the launch is given out again before the case ends", log: c.log, line: c.line}
		}
	}
	return nil
}

// emptyGroup is S-C45: the wrong cases are those with an empty group or sequence.
func emptyGroup(run Run) *Seen {
	for _, f := range run.functions {
		wrong, full := 0, run.Unnamed
		for _, c := range f {
			empty := c.empty || slices.ContainsFunc(c.ID.Params, func(p string) bool {
				return zeroName.MatchString(p) && strings.ContainsAny(p, "123456789") || zeroIn.MatchString(p) || zeroIn.MatchString("sizes="+value(p))
			})
			switch {
			case c.Failed && empty && c.maybeWrong():
				wrong++
			case c.Failed || empty:
				wrong = -len(f) - 1
			default:
				full++
			}
		}
		if wrong > 0 && full > 0 && slices.ContainsFunc(f, Case.wrong) {
			return at(f, "the %d wrong cases are those with an empty group or sequence", wrong)
		}
	}
	return nil
}

var (
	queryHeads = regexp.MustCompile(`(?i)(?:^|[-_\[(=, ])(?:h_?q|q_?heads?|num_heads|heads?|nh|qh|q|h)[=_]?(\d+)`)
	keyHeads   = regexp.MustCompile(`(?i)(?:h_?kv|kv_?heads?|num_kv_heads|kvh|kv|hk)[=_]?(\d+)`)
)

// groupedHeads is S-C44: the wrong cases are those in which several query heads share
// one of several key heads.
func groupedHeads(run Run) *Seen {
	for _, f := range run.functions {
		wrong, passing := 0, run.Unnamed
		for _, c := range f {
			name := strings.Join(c.ID.Params, "-")
			q, kv := queryHeads.FindStringSubmatch(name), keyHeads.FindStringSubmatch(name)
			if q == nil || kv == nil {
				if c.Failed {
					wrong = -len(f) - 1
				}
				continue
			}
			a, _ := strconv.Atoi(q[1])
			b, _ := strconv.Atoi(kv[1])
			grouped := b > 1 && b < a
			switch {
			case c.Failed && grouped && c.maybeWrong():
				wrong++
			case c.Failed || grouped:
				wrong = -len(f) - 1
			default:
				passing++
			}
		}
		if wrong > 1 && passing > 0 {
			return at(f, "the %d wrong cases are those in which query heads share one of several key heads", wrong)
		}
	}
	return nil
}

// afterTuning is S-C46: the cases that fail are those in which a tuner worked.
func afterTuning(run Run) *Seen {
	for _, f := range run.functions {
		wrong, passing := 0, 0
		for _, c := range f {
			switch {
			case c.Failed && c.tuned && c.maybeWrong():
				wrong++
			case c.Failed || c.tuned:
				wrong = -len(f) - 1
			default:
				passing++
			}
		}
		if wrong > 0 && passing > 0 {
			return at(f, "the %d wrong cases are those in which the tuner ran", wrong)
		}
	}
	return nil
}

// adds are names of tests of operations that change what they are given.
var adds = regexp.MustCompile(`(?i)in_?place|atomic|split_?k|scatter_?add|index_?add|[a-z]_(\[|$)`)

// addsInKernel are names of kernels that change what they are given.
var addsInKernel = regexp.MustCompile(`(?i)function \w*(in_?place|atomic|split_?k|scatter|accum|_update|adam|lion_|sgd|_step_|_grad_|wgrad|dbias|dgamma|dweight|_dw_|histogram)`)

// tunedInPlace is S-C46 by what the wrong cases print: all of them are of operations in
// place, a tuner tried configurations in them, and other cases pass.
func tunedInPlace(run Run) *Seen {
	wrong, passed, trial := 0, run.Unnamed, false
	added := map[string]bool{} // functions of which a case tells of such a kernel
	for _, c := range run.Cases {
		if c.Failed && c.trial && c.adds {
			added[c.ID.Function()] = true
		}
	}
	for _, c := range run.Cases {
		switch {
		case !c.Failed:
			passed++
		case !c.maybeWrong() || !adds.MatchString(c.ID.Test) && !added[c.ID.Function()]:
			return nil
		default:
			wrong++
			trial = trial || c.trial
		}
	}
	if !trial || passed == 0 || !slices.ContainsFunc(run.Cases, Case.differs) {
		return nil
	}
	return at(run.Cases, "all %d wrong cases are of an operation in place, in which a tuner tried configurations", wrong)
}

// repeats is S-C24 by the cases: of cases that differ in nothing but a count of
// repetitions some pass and some fail, and not from one of them on.
func repeats(run Run) *Seen {
	for _, f := range run.functions {
		for p := range f[0].params {
			groups := map[string][]Case{}
			for _, c := range f {
				if p >= len(c.params) {
					continue
				}
				key := strings.Join(slices.Delete(slices.Clone(c.params), p, p+1), "-")
				groups[key] = append(groups[key], c)
			}
			for _, g := range groups {
				if turns := turned(g, p); turns >= 3 {
					return at(f, "cases that differ in a count alone (parameter %d) end now so, now so: %d changes among %d", p+1, turns, len(g))
				}
			}
		}
	}
	return nil
}

// turned counts how often the outcome changes from one case to the next, when parameter
// p counts from 0 or 1 without a gap; else it is 0.
func turned(cases []Case, p int) int {
	turns := 0
	for i, c := range cases {
		n, err := strconv.Atoi(c.params[p])
		first, firstErr := strconv.Atoi(cases[0].params[p])
		if err != nil || firstErr != nil || first > 1 || n != first+i || c.Failed && !c.maybeWrong() {
			return 0
		}
		if i > 0 && c.Failed != cases[i-1].Failed {
			turns++
		}
	}
	return turns
}

// firstOf is the first of some decisions that matches.
func firstOf(decisions ...func(Run) *Seen) func(Run) *Seen {
	return func(run Run) *Seen {
		for _, d := range decisions {
			if seen := d(run); seen != nil {
				return seen
			}
		}
		return nil
	}
}

// benchmarks reads what benchmark scripts print: which sides became slower, and which
// binary was measured.
type benchmarks struct {
	alike        []line // lines on which both sides became slower by as much
	theirs       []line // lines on which only the reference became faster
	tuned        map[string]map[string]bool
	cached       map[string]int
	key          string // of the last line about tuning
	device, wall line   // rows of the time on the device, which is level, and of the whole, which is not
	keyAt        line
	binary       line
	noisy        []line
	hash         string // of the last run that a line tells of
	differs      line
	process      line      // of another program that has memory of the GPU
	arrow        [2]line   // the time on the device, level, and the whole, not level, with an arrow between the sides
	versions     line      // on which the sides name different versions of a tool
	chosen       [2]string // the last configuration of the base and of the head
	choice       line      // on which they differ
}

var (
	percents = regexp.MustCompile(`[+-]\d+(?:\.\d+)? ?%`)
	tuneKey  = regexp.MustCompile(`(?i)\btun\w*\b.*?\bkey ?[=:] ?(\([^)]*\)|\[[^\]]*\]|\S+)|autotun\w*.*?\bkey ?[=:] ?(\([^)]*\)|\[[^\]]*\]|\S+)`)
	keyHit   = regexp.MustCompile(`\b(?:cached|hit|reused?|from cache)\b`)
	sizeOf   = regexp.MustCompile(`\b([A-Za-z_]\w*)(?:/\w+)? ?= ?(\d+)\b`)
	twoSums  = regexp.MustCompile(`\b(?:sha256|sha1|md5|hash|digest|build[ -]id)\b.*\b(?:base|main|before|old|reference)\b\W{1,3}([0-9a-f]{6,64})\b.*\b(?:head|after|new|candidate|pr)\b\W{1,3}([0-9a-f]{6,64})\b`)
	runSum   = regexp.MustCompile(`\b(?:run|iter\w*|attempt|repeat|launch|call|pass|trial|rep)[ #=_]?\d+\b.*?\b(?:sha256|sha1|md5|crc\w*|hash|checksum|digest|sum)\W{0,3}([0-9a-f]{6,64})\b`)
	// theirProcess is a program in the table of nvidia-smi that has a GiB or more.
	theirProcess = regexp.MustCompile(`^\|\s+\d+\s+\S+\s+\S+\s+\d+\s+[CG+M]+\s+\S+\s+\d{4,}MiB \|$`)
	// arrowTime is a time of both sides with an arrow between them.
	arrowTime   = probe(`\b(?:([Kk]ernel|gpu|GPU|device)|([Ww]all|host|e2e|total|call))\b\D{0,8}([\d.]+) ?(?:us|ms|µs) ?(?:->|→|=>) ?([\d.]+) ?(?:us|ms|µs)`)
	toolVersion = regexp.MustCompile(`\b(triton|tileiras|nvcc|ptxas|torch|llvm|cutile[\w-]*)[ =:]+v?(\d+\.\d+[\w.+]*)`)
	// otherSide begins what a line tells of the second side.
	otherSide = regexp.MustCompile(`\b(this run|head|current|candidate|now|after)\b`)
	// sideConfig is a configuration that a tuner chose for one side.
	sideConfig = probe(`^\W*(?:(base|main|baseline|before|old)|(head|new|pr|PR|candidate|after|current))\b[^:]*:.*\b(?:best|chosen|selected|tuned|picked)[ _]?(?:config\w*)?\b\W*(\S.*)`)
	variation  = probe(`\b(?:cv|CV|rsd|RSD|stdev|spread)\W{0,3}(\d+(?:\.\d+)?) ?%`)
)

const (
	maxBench  = 16 // lines of a kind that are kept
	manyRows  = 3  // rows that make a table
	muchNoise = 10 // percent
)

// Signatures that tables of benchmarks decide.
const (
	tunedKey       = "S-R51"
	sameBinary     = "S-P30"
	fasterOther    = "S-P31"
	scatter        = "S-P18"
	otherProcess   = "S-P33"
	otherChoice    = "S-P35"
	otherVersion   = "S-P38"
	hostTime       = "S-P23"
	nondeterminism = "S-C24"
)

func (b *benchmarks) line(l line) {
	if len(l.text) > 2048 {
		return
	}
	if b.process.n == 0 && strings.HasSuffix(l.text, "MiB |") && theirProcess.MatchString(l.text) {
		b.process = l
	}
	if l.quote {
		return
	}
	if n := strings.Count(l.text, "%"); n > 0 {
		if n > 1 {
			b.changes(l)
		}
		if m := b.spread(l.text); m != nil && number(m[1]) >= muchNoise && len(b.noisy) < maxBench {
			b.noisy = append(b.noisy, l)
		}
	}
	if b.key != "" || strings.Contains(l.text, "key") {
		b.tuning(l)
	}
	b.times(l)
	if strings.Contains(l.text, "onfig") {
		b.choices(l)
	}
	if arrowTime.need.in(l.text) {
		b.arrows(l)
	}
	if b.versions.n == 0 && (strings.Contains(l.text, "base") || strings.Contains(l.text, "before")) {
		b.tools(l)
	}
	sums := strings.Contains(l.text, "sha") || strings.Contains(l.text, "md5") || strings.Contains(l.text, "hash") || strings.Contains(l.text, "digest") || strings.Contains(l.text, "sum") || strings.Contains(l.text, "crc")
	if sums && b.binary.n == 0 {
		if m := twoSums.FindStringSubmatch(l.text); m != nil && m[1] == m[2] {
			b.binary = l
		}
	}
	if sums && b.differs.n == 0 {
		if m := runSum.FindStringSubmatch(l.text); m != nil {
			if b.hash != "" && b.hash != m[1] {
				b.differs = l
			}
			b.hash = strings.Clone(m[1])
		}
	}
}

// arrows takes times of both sides with an arrow between them.
func (b *benchmarks) arrows(l line) {
	for _, m := range arrowTime.re.FindAllStringSubmatch(l.text, 4) {
		x, y := number(m[3]), number(m[4])
		switch ratio := math.Max(x, y) / math.Min(x, y); {
		case math.IsNaN(ratio):
		case m[1] != "" && ratio < 1.05:
			b.arrow[0] = l
		case m[2] != "" && y > x && ratio > 1.15 && ratio < 1000:
			b.arrow[1] = l
		}
	}
}

// tools takes a line that names versions of both sides.
func (b *benchmarks) tools(l line) {
	at := otherSide.FindStringIndex(l.text)
	if at == nil {
		return
	}
	base := map[string]string{}
	for _, m := range toolVersion.FindAllStringSubmatch(l.text[:at[0]], 8) {
		base[m[1]] = m[2]
	}
	for _, m := range toolVersion.FindAllStringSubmatch(l.text[at[0]:], 8) {
		if v := base[m[1]]; v != "" && v != m[2] {
			b.versions = l
		}
	}
}

// choices takes the configurations that a tuner chose for the two sides.
func (b *benchmarks) choices(l line) {
	m := sideConfig.re.FindStringSubmatch(l.text)
	if m == nil || b.choice.n > 0 {
		return
	}
	config, _, _ := strings.Cut(m[3], " (")
	side := 0
	if m[2] != "" {
		side = 1
	}
	b.chosen[side] = strings.Clone(config)
	if b.chosen[0] != "" && b.chosen[1] != "" && b.chosen[0] != b.chosen[1] {
		b.choice = l
	}
	if side == 1 {
		b.chosen = [2]string{}
	}
}

// spread is the variation that a row names.
func (b *benchmarks) spread(text string) []string {
	if !variation.need.in(text) {
		return nil
	}
	return variation.re.FindStringSubmatch(text)
}

// changes takes a row with the changes of two sides.
func (b *benchmarks) changes(l line) {
	found := percents.FindAllString(l.text, 3)
	if len(found) != 2 {
		return
	}
	x, y := number(strings.TrimRight(found[0], " %")), number(strings.TrimRight(found[1], " %"))
	switch {
	case x >= 5 && y >= 5 && math.Abs(x-y) <= 0.1*math.Max(x, y) && len(b.alike) < maxBench:
		b.alike = append(b.alike, l)
	case math.Abs(x) <= 2 && y <= -5 && len(b.theirs) < maxBench:
		b.theirs = append(b.theirs, l)
	}
}

var timeRow = probe(`^(?:(gpu|GPU|device|[Kk]ernel|cuda|CUDA)|([Ww]all|host|[Ee]2[Ee]|end[- ]to[- ]end|cpu|CPU|elapsed))\b[^\d]{0,40}?([\d.]+)(?: ?[a-zµ/]+)?[\s|]+([\d.]+)`)

// times takes the rows of a table that tell the time on the device and the whole, of
// two sides.
func (b *benchmarks) times(l line) {
	if l.text == "" || strings.IndexByte("gGdkKcCwWheE", l.text[0]) < 0 || !timeRow.need.in(l.text) {
		return
	}
	m := timeRow.re.FindStringSubmatch(l.text)
	if m == nil {
		return
	}
	x, y := number(m[3]), number(m[4])
	switch ratio := math.Max(x, y) / math.Min(x, y); {
	case math.IsNaN(ratio):
	case m[1] != "" && b.device.n == 0 && ratio < 1.05:
		b.device = l
	case m[2] != "" && b.wall.n == 0 && ratio > 1.15 && ratio < 1000:
		b.wall = l
	}
}

// tuning takes lines about a tuner's key, and the sizes that stand between them.
func (b *benchmarks) tuning(l line) {
	if strings.Contains(l.text, "key") && (strings.Contains(l.text, "tun") || strings.Contains(l.text, "Tun")) {
		if m := tuneKey.FindStringSubmatch(l.text); m != nil {
			b.key, b.keyAt = strings.Clone(m[1]+m[2]), l
			if b.cached == nil {
				b.cached, b.tuned = map[string]int{}, map[string]map[string]bool{}
			}
			if len(b.cached) < maxDistinct && keyHit.MatchString(l.text) {
				b.cached[b.key]++
			}
			return
		}
	}
	if b.key == "" {
		return
	}
	if m := sizeOf.FindStringSubmatch(l.text); m != nil && !strings.Contains(b.key, m[1]+"=") {
		if b.tuned[b.key] == nil {
			b.tuned[b.key] = map[string]bool{}
		}
		if len(b.tuned[b.key]) < maxDistinct {
			b.tuned[b.key][m[1]+"="+m[2]] = true
		}
		b.key = ""
	}
}

func (b *benchmarks) end(sc *logScan) {
	for key, hits := range b.cached {
		if hits >= 2 && len(b.tuned[key]) >= manyRows {
			sc.explains(tunedKey, slow, b.keyAt)
			break
		}
	}
	if b.device.n > 0 && b.wall.n > 0 {
		sc.explains(hostTime, slow, b.wall)
	}
	if b.process.n > 0 {
		sc.explains(otherProcess, append([]string{scatter}, slow...), b.process)
	}
	if b.arrow[0].n > 0 && b.arrow[1].n > 0 {
		sc.explains(hostTime, slow, b.arrow[1])
	}
	if b.versions.n > 0 {
		sc.explains(otherVersion, slow, b.versions)
	}
	if b.choice.n > 0 {
		sc.explains(otherChoice, slow, b.choice)
	}
	if b.binary.n > 0 {
		sc.explains(sameBinary, slow, b.binary)
	}
	if len(b.alike) >= manyRows {
		sc.explains(allSlower, slow, b.alike[0])
	}
	if len(b.theirs) >= manyRows {
		sc.explains(fasterOther, slow, b.theirs[0])
	}
	if len(b.noisy) >= 2 {
		sc.explains(scatter, slow, b.noisy[0])
	}
	if b.differs.n > 0 {
		sc.explains(nondeterminism, wrongValues, b.differs)
	}
}
