package triage

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// roofline reads tables of rates and times by size, and compares them with what the GPU
// can do: rates above the memory's come from the cache or are none, times that do not grow
// with the work are no times, times that fall as the clock rises are of a GPU that wakes.
type roofline struct {
	gpu    float64 // GB/s of the memory of the GPU that the log names
	name   string
	told   float64 // GB/s that the log itself calls the peak
	warm   line    // tells of a graph, or of a cache that is not flushed
	heads  []string
	until  int
	titled int // line of a title that names a rate
	rates  []rated
	tables []series
	clocks []clock
	asleep line
	flush  line      // tells of a buffer that flushes the cache
	inside line      // tells that it does so inside of the timed window
	events line      // tells that another timer is used than was asked for
	flops  float64   // TFLOPS that the log calls the peak
	beyond rated     // the largest rate of a line in TFLOPS
	window line      // begins a timed window
	tuned  line      // of a tuner or compiler inside of one
	nodes  [2]string // of the process and of the GPU
	node   line
	sms    float64 // multiprocessors
	waves  []wave
	filled line // a kernel that fills memory among what was timed
	capped line // the power limit is set below the GPU's
	held   line // the clock is held down
	pinned powers
	watts  float64 // the largest power limit of the GPU
}

// powers are the power draws beside figures.
type powers struct {
	watts []float64
	at    line
}

// rated is a rate of memory with the name of its row.
type rated struct {
	gbs  float64
	size float64 // of the row's last size, 0 when it names none
	at   line
}

// wave is how often a launch fills the GPU, and its time.
type wave struct {
	waves, ms float64
	at        line
}

// sized is a time with the size that it is of.
type sized struct {
	size float64
	ms   float64
	at   line
}

// series are the rows of one table by rising size.
type series struct {
	rows  []sized
	other [][]float64
	text  string // before it
}

// memories are the rates of the memory of GPUs in GB/s, the more precise name first.
var memories = []struct {
	re  *regexp.Regexp
	gbs float64
}{
	{regexp.MustCompile(`\bGB300\b|\bB300\b`), 8000}, {regexp.MustCompile(`\bGB200\b|\bB200\b|\bB100\b`), 8000},
	{regexp.MustCompile(`\bGH200\b|\bH200\b`), 4800}, {regexp.MustCompile(`\bH100 PCIe\b`), 2039}, {regexp.MustCompile(`\bH100 NVL\b`), 3938}, {regexp.MustCompile(`\bH100\b|\bH800\b`), 3352},
	{regexp.MustCompile(`\bH20\b`), 4000}, {regexp.MustCompile(`\bA100\b.*80 ?GB|\bA800\b`), 2039}, {regexp.MustCompile(`\bA100\b`), 1555}, {regexp.MustCompile(`\bV100\b`), 900},
	{regexp.MustCompile(`\bL40S?\b`), 864}, {regexp.MustCompile(`\bL4\b`), 300}, {regexp.MustCompile(`\bA10G?\b`), 600}, {regexp.MustCompile(`\bT4\b`), 320}, {regexp.MustCompile(`\bA6000\b`), 768},
	{regexp.MustCompile(`\bRTX PRO 6000\b`), 1792}, {regexp.MustCompile(`\bRTX 6000 Ada\b`), 960}, {regexp.MustCompile(`\b5090\b`), 1792}, {regexp.MustCompile(`\b4090\b`), 1008}, {regexp.MustCompile(`\b3090\b`), 936},
	{regexp.MustCompile(`\b5080\b`), 960}, {regexp.MustCompile(`\b4080\b`), 717}, {regexp.MustCompile(`\bGB10\b`), 273},
}

const (
	warmCache     = "S-P81"
	powerCap      = "S-P96"
	flushTimed    = "S-P80"
	wakingClock   = "S-P82"
	otherTimer    = "S-P84"
	aboveMemory   = 1.05 // times the memory's rate, from which a rate is not of the memory
	muchLarger    = 8    // times, of the largest size of a series against the smallest
	sameTime      = 1.2  // times, within which times do not grow
	asleepClock   = 0.75 // of the last clock, below which the first is of a GPU that wakes
	maxRated      = 256
	fewBlocks     = .35  // of a wave, that a last wave of few blocks has
	muchMore      = 1.25 // times, of the time with a wave more
	constantRows  = 3
	lowCap        = 0.85 // of the GPU's power limit, below which one is low
	tooManyTflops = 20000
)

var (
	gpuNamed     = probe(`\b(?:NVIDIA|GeForce|RTX|Tesla|GPU|gpu|[Dd]evice|card)\b.*\d`)
	rateHead     = probe(`GB/s|GB/sec|\bGBps\b|\bGBPS\b|gbps|GiB/s|\bTB/s`)
	rateIn       = regexp.MustCompile(`(\d+(?:\.\d+)?) ?(GB|TB|GiB)/s(?:ec)?\b`)
	peakWord     = regexp.MustCompile(`(?i)\b(?:peak|theoretical|spec|roofline|HBM\d?e?|DRAM|limit|max)\b`)
	cacheWarm    = probe(`cuda_?graph|CUDA [Gg]raph|cuda graph|[Gg]raph replay|\bno (?:L2|l2|cache)[- _]?flush|[Ww]ithout flush|(?:L2|l2)[_ ]?flush\w*["']?\s*[:=]\s*["']?(?:0|[Ff]alse|off|no|none|None)\b|flush_l2["']?\s*[:=]\s*["']?(?:0|[Ff]alse|off)|cold_l2\w*["']?\s*[:=]\s*["']?(?:0|[Ff]alse)|same (?:input )?buffers?|clear_cache\s*=\s*False`)
	flushWord    = probe(`(?:L2|l2|cache)[ _-]?(?:flush|clear)|flush\w*[ _](?:the )?(?:L2|l2|cache)|cache\.zero_|zero_\(\)|\bflush(?:ing|ed)?\b|clear_cache|[Ff]lush buffer|_clear_cache|\b(?:64|128|192|256|512) ?Mi?B\b`)
	insideOf     = regexp.MustCompile(`\b(?:between|inside|within|after) (?:the )?(?:of )?(?:the )?(?:start|timed|measured|measurement|timing|record|first event|loop|region|window|events?)|\b(?:counted|included|timed) (?:too|as well|in|with|together)|\bin the timed\b|\bincludes? (?:the )?(?:L2 |cache )?flush|start\w*\.record\(\).{0,40}(?:zero_|flush|clear)|record\(start\)`)
	fillRow      = probe(`FillFunctor|\bmemset\b|Memset|\bfill_kernel\b|flush_\w*kernel|l2_flush|\bzero_kernel`)
	fillTimed    = regexp.MustCompile(`\s\d+\.\d+$|\d(?:\.\d+)? ?(?:us|µs|ms|%)|\bcalls?\b|\b\d+x\b|total=|per_call=`)
	timerGone    = probe(`(?:CUPTI|cupti|[Pp]rofiler|kineto|Kineto)\b.*\b(?:[Ff]all(?:ing|s)?|fell|fallback) ?back|\b[Ff]all(?:ing|s)? back to (?:CUDA[- ])?(?:cuda )?[Ee]vents?\b|\b(?:using|with) (?:CUDA|cuda)[- ]?events? (?:timing )?instead\b`)
	sizeCell     = regexp.MustCompile(`^(?:[A-Za-z_=]+)?(\d+)(?:[xX]\d+)*(?:[kK]|MiB|GiB|KiB|MB|KB)?$`)
	lineSized    = probe(`^([A-Za-z_][\w. ]*?)?[ \[(=]?(\d+)(?:[x,]\d+)*[\])]? ?[:=|] *(\d+(?:\.\d+)?) ?(us|µs|ms)\b`)
	clockHead    = regexp.MustCompile(`(?i)^(?:sm_?|gpu_?|gr_?)?(?:clock|clk|mhz)(?:_mhz|_sm|\(mhz\))?$`)
	tflopsIn     = probe(`(\d+(?:\.\d+)?) ?(TFLOPS|TFLOP/s|PFLOPS|TFLOPs)\b`)
	masked       = regexp.MustCompile(`(?i)causal|mask|varlen|ragged|spars|window|seq_?lens`)
	windowBegins = probe(`\b(?:start\w* (?:of )?(?:the )?(?:timer|timing|timed|clock|measur\w+)|timer start\w*|timed (?:region|section|window|loop)\W{1,3}(?:begin|start)\w*|begin\w* (?:timed|timing|measur\w+))\b`)
	windowEnds   = probe(`\b(?:stop\w* (?:of )?(?:the )?(?:timer|timing|clock|measur\w+)|timer stop\w*|timed (?:region|section|window|loop)\W{1,3}(?:end|stop)\w*|end\w* (?:of )?(?:timed|timing|measur\w+))\b`)
	tunesHere    = probe(`[Aa]utotun\w+|\b[Cc]ompil(?:ing|ed|ation)\b|\bJIT\b|\bnvcc\b|\bptxas\b`)
	nodeWord     = probe(`\bNUMA\b|\bnuma\w*|cpubind|cpunodebind`)
	ownNode      = regexp.MustCompile(`(?:cpubind: ?|--cpunodebind[= ]|\b(?:running|pinned|process|python|bound)\b.{0,24}\bnode ?)(\d+)`)
	gpuNode      = regexp.MustCompile(`\bGPU ?\d*\b.{0,24}\b(?:NUMA|numa)(?:[_ ](?:affinity|node|ID))*\W{0,3}(\d+)`)
	smsWord      = probe(`\b(\d+) (?:SMs|multiprocessors)\b`)
	// clockBeside is the clock beside a time.
	clockBeside = probe(`\b(?:sm|SM|gpu|gr)(?:_clock|_mhz| clock)?[=: ]{1,2}(\d{3,4}) ?MHz\b.*\d ?(?:us|ms|µs)\b`)
	gridTime    = probe(`\b(?:grid|blocks|tiles|CTAs|ctas)\W{1,3}(\d+)\b\D{1,16}(\d+(?:\.\d+)?) ?(us|µs|ms)\b`)
	asleepIn    = probe(`\bP8\b|\bP5\b|\bP12\b`)
	bigBytes    = regexp.MustCompile(`\b(\d+(?:\.\d+)?) ?(GiB|GB)(?:[\s,:;)]|$)`)
)

func (r *roofline) line(l line) {
	if l.text == "" || len(l.text) > 1024 || l.quote && !strings.HasPrefix(l.text, "|") {
		return
	}
	first := func(at *line, m *matcher) bool {
		if at.n == 0 && l.is(m) {
			*at = l
			return true
		}
		return false
	}
	first(&r.warm, cacheWarm)
	first(&r.events, timerGone)
	if first(&r.flush, flushWord); r.inside.n == 0 && l.is(flushWord) && insideOf.MatchString(l.text) && !negated.MatchString(l.text) {
		r.inside = l
	}
	if r.filled.n == 0 && l.is(fillRow) && fillTimed.MatchString(l.text) {
		r.filled = l
	}
	r.power(l)
	if r.asleep.n == 0 && l.is(asleepIn) && strings.Contains(l.text, "MHz") {
		r.asleep = l
	}
	switch {
	case l.is(windowEnds):
		r.window = line{}
	case l.is(windowBegins):
		r.window = l
	case r.window.n > 0 && r.tuned.n == 0 && l.is(tunesHere):
		r.tuned = l
	}
	if l.is(tflopsIn) {
		r.tflops(l)
	}
	if l.is(nodeWord) {
		for side, re := range []*regexp.Regexp{ownNode, gpuNode} {
			if m := re.FindStringSubmatch(l.text); m != nil && r.nodes[side] == "" {
				r.nodes[side], r.node = strings.Clone(m[1]), l
			}
		}
	}
	if r.sms == 0 && l.is(smsWord) {
		r.sms = number(smsWord.re.FindStringSubmatch(l.text)[1])
	}
	if r.sms > 0 && len(r.waves) < maxRated && l.is(gridTime) {
		m := gridTime.re.FindStringSubmatch(l.text)
		if v := number(m[1]) / r.sms; v > 0 {
			r.waves = append(r.waves, wave{v, millis(number(m[2]), m[3]), l})
		}
	}
	if r.gpu == 0 && l.is(gpuNamed) {
		for _, m := range memories {
			if s := m.re.FindString(l.text); s != "" {
				r.gpu, r.name = m.gbs, strings.Clone(s)
				break
			}
		}
	}
	if l.is(clockBeside) && !l.is(marks) && len(r.clocks) < maxRated {
		r.clocks = append(r.clocks, clock{number(clockBeside.re.FindStringSubmatch(l.text)[1]), l})
	}
	hasRate := l.is(rateHead)
	if hasRate {
		r.rate(l)
	}
	r.table(l, hasRate)
	if l.is(lineSized) {
		m := lineSized.re.FindStringSubmatch(l.text)
		r.sized(number(m[2]), millis(number(m[3]), m[4]), nil, strings.TrimSpace(m[1]), l)
	}
}

var negated = regexp.MustCompile(`(?i)\b(?:not|never|outside|excluded|before the (?:timed|start))\b`)

// tflops takes a rate of arithmetic that a line names.
func (r *roofline) tflops(l line) {
	for _, m := range tflopsIn.re.FindAllStringSubmatch(l.text, 4) {
		_, v := rate(m[2], number(m[1]))
		switch {
		case peakWord.MatchString(l.text):
			r.flops = max(r.flops, v)
		case v > r.beyond.gbs:
			r.beyond = rated{v, 0, l}
		}
	}
}

func millis(v float64, unit string) float64 {
	if unit != "ms" {
		return v / 1000
	}
	return v
}

// rate takes the rates that a line names, and the peak.
func (r *roofline) rate(l line) {
	for _, m := range rateIn.FindAllStringSubmatch(l.text, 4) {
		v := number(m[1])
		if m[2] == "TB" {
			v *= 1000
		}
		if m[2] == "GiB" {
			v *= 1.0737
		}
		if peakWord.MatchString(l.text) {
			r.told = max(r.told, v)
			continue
		}
		size := 0.0
		if b := bigBytes.FindStringSubmatch(l.text); b != nil {
			size = number(b[1]) * 1e9
		}
		if len(r.rates) < maxRated {
			r.rates = append(r.rates, rated{v, size, l})
		}
	}
}

// table takes heads and rows of tables.
func (r *roofline) table(l line, hasRate bool) {
	words := strings.FieldsFunc(l.text, func(r rune) bool { return r == '|' || r == ',' || unicode.IsSpace(r) })
	if len(words) < 2 || len(words) > 16 {
		return
	}
	if number(words[len(words)-1]) != number(words[len(words)-1]) || !strings.ContainsAny(words[0], "0123456789") {
		if !strings.ContainsAny(words[len(words)-1], "0123456789") || strings.HasSuffix(words[len(words)-1], "_mhz") || clockHead.MatchString(words[len(words)-1]) {
			if hasRate || strings.Contains(l.text, "ms") || strings.Contains(l.text, "us") || slices.ContainsFunc(words, clockHead.MatchString) || r.titled > 0 && l.n-r.titled <= 4 {
				r.headOf(l, words, hasRate)
				return
			}
		}
	}
	if len(r.heads) == 0 || l.n > r.until {
		return
	}
	r.until = l.n + tableFor
	heads := r.heads
	switch len(words) - len(heads) {
	case 0:
	case 1:
		words = words[1:] // the row's number
	default:
		return
	}
	size, cells := 0.0, []float64{}
	ms, waves := math.NaN(), 0.0
	for i, h := range heads {
		v := number(words[i])
		switch {
		case (h == "rate" || h == "terarate") && v > 0:
			if h == "terarate" {
				v *= 1000
			}
			if len(r.rates) < maxRated {
				r.rates = append(r.rates, rated{v, 0, l})
			}
		case h == "waves" && v > 0:
			waves = v
		case h == "blocks" && v > 0 && r.sms > 0 && waves == 0:
			waves = v / r.sms
		case h == "clock" && v > 100 && len(r.clocks) < maxRated:
			r.clocks = append(r.clocks, clock{v, l})
		case (h == "ms" || h == "us") && v > 0:
			if math.IsNaN(ms) {
				ms = millis(v, h)
			} else {
				cells = append(cells, millis(v, h))
			}
		case h == "" && size == 0:
			if m := sizeCell.FindStringSubmatch(words[i]); m != nil && number(m[1]) > 1 {
				size = number(m[1])
			}
		}
	}
	if waves > 0 && ms > 0 && len(r.waves) < maxRated {
		r.waves = append(r.waves, wave{waves, ms, l})
	}
	if size > 0 && ms > 0 {
		r.sized(size, ms, cells, "", l)
	}
}

// headOf takes the head of a table.
func (r *roofline) headOf(l line, words []string, hasRate bool) {
	if hasRate && (strings.HasPrefix(l.text, "=") || strings.HasPrefix(l.text, "#") || strings.HasSuffix(l.text, ":")) {
		r.heads, r.until, r.titled = nil, 0, l.n
		return
	}
	var heads []string
	units := []string{}
	for _, w := range words {
		// A unit by itself is of the word before it.
		if w == "(GB/s)" || w == "(TB/s)" || (w == "GB/s" || w == "TB/s" || w == "ms" || w == "us") && strings.Count(" "+l.text+" ", " "+w+" ") > 1 {
			if len(heads) > 0 {
				heads[len(heads)-1] = kindOf(w)
			}
			continue
		}
		heads = append(heads, kindOf(w))
		units = append(units, w)
	}
	if r.titled > 0 && l.n-r.titled <= 4 && !slices.Contains(heads, "rate") {
		for i := 1; i < len(heads); i++ {
			if heads[i] == "" && len(units[i]) > 1 {
				heads[i] = "rate"
			}
		}
	}
	r.heads, r.until = heads, l.n+tableFor
}

func kindOf(w string) string {
	switch {
	case strings.Contains(w, "TB/s"):
		return "terarate"
	case strings.Contains(w, "GB/s") || strings.Contains(w, "GBps") || strings.Contains(w, "gbps") || strings.Contains(w, "GB/sec"):
		return "rate"
	case clockHead.MatchString(w):
		return "clock"
	case strings.HasPrefix(w, "waves"):
		return "waves"
	case w == "blocks" || w == "ctas" || w == "CTAs" || w == "grid" || w == "tiles":
		return "blocks"
	case w == "ms" || strings.HasSuffix(w, "_ms") || strings.HasSuffix(w, "(ms)"):
		return "ms"
	case w == "us" || strings.HasSuffix(w, "_us") || strings.HasSuffix(w, "(us)"):
		return "us"
	}
	return ""
}

// sized takes a time with its size. A smaller size begins another series.
func (r *roofline) sized(size, ms float64, other []float64, text string, l line) {
	n := len(r.tables)
	if n == 0 || len(r.tables[n-1].rows) == 0 || size <= r.tables[n-1].rows[len(r.tables[n-1].rows)-1].size || r.tables[n-1].text != text {
		if n == maxDistinct {
			return
		}
		r.tables = append(r.tables, series{text: strings.Clone(text)})
		n++
	}
	t := &r.tables[n-1]
	if len(t.rows) < maxRated {
		t.rows, t.other = append(t.rows, sized{size, ms, l}), append(t.other, other)
	}
}

// peak is the rate of the memory in GB/s, 0 when it is not known.
func (r *roofline) peak() (gbs float64, text string) {
	if r.told > 0 {
		return r.told, "the peak that the log names"
	}
	return r.gpu, "the memory of " + r.name
}

func (r *roofline) end(sc *logScan) {
	tell := func(id string, with []string, at line, text string) {
		sc.explains(id, with, at)
		if h := sc.found[id]; text != "" && h != nil && h.Line == at.n {
			sc.adds(h, text)
		}
	}
	switch {
	case r.inside.n > 0:
		tell(flushTimed, slow, r.inside, "")
	case r.filled.n > 0 && r.flush.n > 0:
		tell(flushTimed, slow, r.filled, "a kernel that fills memory is among what was timed")
	}
	if r.events.n > 0 {
		tell(otherTimer, slow, r.events, "")
	}
	if r.tuned.n > 0 {
		tell(noWarmup, slow, r.tuned, "it stands between the start and the end of the timed window")
	}
	if r.nodes[0] != "" && r.nodes[1] != "" && r.nodes[0] != r.nodes[1] {
		tell(slowHost, slow, r.node, fmt.Sprintf("the process runs on node %s, the GPU is at node %s", r.nodes[0], r.nodes[1]))
	}
	r.tail(tell)
	if r.flops > 0 && r.beyond.gbs > aboveMemory*r.flops {
		text := fmt.Sprintf("%g TFLOPS, where the peak is %g", r.beyond.gbs, r.flops)
		if masked.MatchString(r.beyond.at.text) {
			tell(workCount, nil, r.beyond.at, text+"; a mask or lengths that vary leave out a part of the work that is counted")
		} else {
			tell(untrueTimes, nil, r.beyond.at, text)
		}
	}
	r.bandwidth(tell)
	for _, t := range r.tables {
		if at, text := t.constant(); at.n > 0 {
			tell(untrueTimes, nil, at, text)
			break
		}
	}
	if w := sc.regress.watts; r.capped.n == 0 && w[0] > 0 && w[0] < lowCap*w[1] {
		r.capped = sc.regress.limited
	}
	throttled := sc.found["S-P09"] != nil || r.held.n > 0
	switch {
	case r.capped.n > 0 && (throttled || r.pinned.same() >= constantRows):
		text := ""
		if r.held.n > 0 {
			text = r.held.text
		} else if n := r.pinned.same(); n >= constantRows {
			text = fmt.Sprintf("the power is %g W at most, and so in %d rows", slices.Max(r.pinned.watts), n)
		}
		tell(powerCap, slow, r.capped, text)
	case throttled && r.held.n > 0 && r.apart():
		tell(powerCap, slow, r.held, "what computes runs at a lower clock than what moves memory")
	}
	if throttled || r.capped.n > 0 {
		return // a clock that is held down is no clock that rises
	}
	if n := len(r.clocks); n >= constantRows && r.clocks[0].mhz < asleepClock*r.clocks[n-1].mhz {
		tell(wakingClock, slow, r.clocks[0].at, fmt.Sprintf("the clock goes from %g to %g MHz while times are taken", r.clocks[0].mhz, r.clocks[n-1].mhz))
	} else if r.asleep.n > 0 {
		tell(wakingClock, slow, r.asleep, "")
	}
}

var (
	powerWord = probe(`[Pp]ower|POWER|\bTGP\b|\bTDP\b|watts?\b|_w\b`)
	// setLimit is a power limit that is set, with the one before or the largest one.
	setLimit = regexp.MustCompile(`[Pp]ower limit .* was set to (\d+(?:\.\d+)?) W from (\d+(?:\.\d+)?) W|[Pp]ower[_ .](?:limit|cap)\w*\W{1,4}(\d+(?:\.\d+)?) ?W?\b[^\d]{1,24}\b(?:default|max|rated|enforced_max|of)\w*(?:[_ .](?:power[_ .])?limit)?\W{0,4}(\d+(?:\.\d+)?) ?W?\b`)
	askedCap = probe(`\bnvidia-smi\b.*(?:-pl|--power-limit)[= ](\d+)\b`)
	largeCap = regexp.MustCompile(`(?i)\b(?:max_?power|power\.max_limit|max[_ ]power[_ ]limit|power\.default_limit|default[_ ]power[_ ]limit|tdp|tgp|rated)\b\D{0,8}(\d{2,4})(?:\.\d+)?\b`)
	heldDown = probe(`(?:SW|sw)[ _](?:Power|power)[ _](?:Cap|cap)(?:ping)?\W{1,24}(?:Active|active|1|[Tt]rue)\b|[Tt]hrottle\w*(?: reasons?)?\W.*\b(?:SW ?)?[Pp]ower ?[Cc]ap\b|sw_power_cap\w*.{0,3}\bActive\b|\bperf(?:_?cap)?[_ ]?reason\W{1,3}[Pp](?:wr|ower)\b`)
	notHeld  = regexp.MustCompile(`(?i)not active|inactive|\bnone\b`)
	powerRow = regexp.MustCompile(`^[A-Za-z_].*\s(\d{2,4}\.\d) ?W?$`)
)

// power takes a line that tells of the power limit or of the power.
func (r *roofline) power(l line) {
	if r.held.n == 0 && l.is(heldDown) && !notHeld.MatchString(l.text) {
		r.held = l
	}
	if r.pinned.at.n > 0 && l.n-r.pinned.at.n <= tableFor {
		if m := powerRow.FindStringSubmatch(l.text); m != nil && len(r.pinned.watts) < maxRated {
			r.pinned.watts = append(r.pinned.watts, number(m[1]))
		}
	}
	if l.is(askedCap) && r.capped.n == 0 && r.watts > 0 && number(askedCap.re.FindStringSubmatch(l.text)[1]) < lowCap*r.watts {
		r.capped = l
	}
	if !l.is(powerWord) {
		return
	}
	if words := strings.Fields(l.text); len(words) > 2 && strings.HasPrefix(strings.ToLower(words[len(words)-1]), "power") && !strings.ContainsAny(words[len(words)-1], "=:0123456789") {
		r.pinned.at = l
	}
	if m := setLimit.FindStringSubmatch(l.text); m != nil && r.capped.n == 0 {
		if number(m[1]+m[3]) < lowCap*number(m[2]+m[4]) {
			r.capped = l
		}
		return
	}
	if m := largeCap.FindStringSubmatch(l.text); m != nil {
		r.watts = max(r.watts, number(m[1]))
	}
}

// same counts the rows whose power is the largest one.
func (p powers) same() int {
	same := 0
	for _, w := range p.watts {
		if w >= 0.98*slices.Max(p.watts) {
			same++
		}
	}
	return same
}

// apart reports whether some rows run at a much lower clock than others.
func (r *roofline) apart() bool {
	if len(r.clocks) < constantRows {
		return false
	}
	low, high := r.clocks[0].mhz, r.clocks[0].mhz
	for _, c := range r.clocks {
		low, high = min(low, c.mhz), max(high, c.mhz)
	}
	return low < asleepClock*high
}

// tail finds a launch that needs a wave more for a few blocks, and takes as much longer.
func (r *roofline) tail(tell func(string, []string, line, string)) {
	for i := 1; i < len(r.waves); i++ {
		a, b := r.waves[i-1], r.waves[i]
		if f := b.waves - math.Floor(b.waves); a.waves <= math.Floor(b.waves) && f > 0 && f < fewBlocks && b.waves < 1.25*a.waves && b.ms > muchMore*a.ms {
			tell(notFilled, slow, b.at, fmt.Sprintf("from %.4g to %.4g waves the time goes from %g to %g ms", a.waves, b.waves, a.ms, b.ms))
			return
		}
	}
}

// bandwidth judges rates against the memory's.
func (r *roofline) bandwidth(tell func(string, []string, line, string)) {
	peak, name := r.peak()
	if peak == 0 || len(r.rates) == 0 {
		return
	}
	best, below, large := r.rates[0], false, false
	for _, v := range r.rates {
		if v.gbs > best.gbs {
			best = v
		}
		below = below || v.gbs <= peak
		large = large || v.gbs > aboveMemory*peak && v.size >= 1e9
	}
	if best.gbs <= aboveMemory*peak {
		return
	}
	text := fmt.Sprintf("%g GB/s, where %s gives %g", best.gbs, name, peak)
	if !large && (r.warm.n > 0 || below && len(r.rates) >= constantRows && best.gbs < 10*peak) {
		if r.warm.n > 0 {
			text += "; line " + fmt.Sprint(r.warm.n) + ": " + r.warm.text
		}
		tell(warmCache, nil, best.at, text)
		return
	}
	tell(untrueTimes, nil, best.at, text)
}

// constant is a series whose times do not grow although its work does: another column
// grows, or the work of a matrix product of that size takes longer on any GPU.
func (t series) constant() (at line, text string) {
	n := len(t.rows)
	if n < constantRows || t.rows[n-1].size < muchLarger*t.rows[0].size {
		return line{}, ""
	}
	low, high := t.rows[0].ms, t.rows[0].ms
	for _, s := range t.rows {
		low, high = min(low, s.ms), max(high, s.ms)
	}
	last := t.rows[n-1]
	if high > sameTime*low {
		return line{}, ""
	}
	grows := false
	for i := range t.other[0] {
		if i < len(t.other[n-1]) && t.other[n-1][i] > muchLarger*t.other[0][i] {
			grows = true
		}
	}
	if isOp(t.text, "matmul", "gemm", "mm") && 2*math.Pow(last.size, 3)/last.ms > tooManyTflops*1e9 {
		grows = true
	}
	if !grows {
		return line{}, ""
	}
	return last.at, fmt.Sprintf("from size %g to %g the time stays at %g ms", t.rows[0].size, last.size, last.ms)
}
