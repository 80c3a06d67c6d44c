package triage

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// contrast reads what a log of benchmarks tells of its two sides: settings, versions,
// machine and figures of each, in one line, in a line of each, in a section of each or in
// a table with a column of each. What differs tells what has to be changed.
type contrast struct {
	plain   []string        // the head of a table without a column for the side
	none    map[string]bool // what the base does not spill
	spilled line            // on which the run does
	section int             // that the lines from here are of: side of the base or of the run
	told    map[string]*setting
	order   []string
	rows    map[string]*timed // by group and name
	names   []string
	columns []column    // of a table
	cells   int         // of its head, 0 outside of one
	fields  bool        // its cells are words
	missed  int         // lines since its last row
	kernels [2][]string // that a profile lists of each side
	listed  line        // the first of the run's
	failed  line        // says that something is slow or has failed
	hinted  bool        // a line tells what a time was or should be
	tails   []int       // sides of a table's last columns, 0 for none, 1 the base's, 2 the run's
	tailed  int         // its last line
	loose   line        // says that something has failed, and not what
}

// setting is one quantity that both sides may tell.
type setting struct {
	kind  kind
	name  string
	value [2]string
	at    [2]line
}

// timed is a row of figures of both sides.
type timed struct {
	group string // of its columns
	name  string
	value [2]float64
	at    line
}

// column is where a table tells one quantity of both sides.
type column struct {
	group string
	at    [2]int
}

// kind is what a setting tells of.
type kind int

// The kinds, the first decides where several differ.
const (
	ofUnit kind = iota
	ofMethod
	ofDeterminism
	ofPinned
	ofMachine
	ofClock
	ofPower
	ofWork
	ofFlags
	ofBackend
	ofTool
	ofHost
	ofConfig
	ofUse
	ofLaunches
)

// apartIn are the signatures by what differs between the sides.
var apartIn = map[kind]string{
	ofUnit: otherUnit, ofMethod: otherState, ofMachine: elsewhere, ofClock: otherClocks, ofPower: clocks, ofWork: unlikeWork, ofFlags: otherFlags,
	ofDeterminism: deterministic, ofPinned: pageable,
	ofBackend: otherBaseline, ofTool: otherVersion, ofHost: slowHost, ofConfig: otherChoice, ofUse: notFilled, ofLaunches: extraLaunches,
}

const (
	otherState    = "S-P28"
	otherUnit     = "S-P40"
	unlikeWork    = "S-P85"
	otherFlags    = "S-P88"
	otherBaseline = "S-P91"
	slowHost      = "S-P24"
	newCompiler   = "S-P93"
	workCount     = "S-P86"
	coarseTimer   = "S-P83"
	deterministic = "S-P110"
	pageable      = "S-P119"
	maxSettings   = 128
	maxTimed      = 256
	fewSlow       = 1.08 // times the base, from which a row is slower
	levelRow      = 1.04 // times, within which a row is level
	clearlySlower = 1.15
)

// aspect finds one kind of setting in what a log tells of a side.
type aspect struct {
	kind kind
	re   *matcher // the name of the setting and its value
	name string   // of the setting, "" for the first group
}

const (
	sep   = `["']?\s*(?:[:=|]|\bis\b)?\s*["']?`
	typed = `(?:torch\.|tl\.|jnp\.)?(float16|bfloat16|float32|float64|float8\w*|fp16|bf16|fp32|fp64|fp8\w*|tf32|int8|f16|f32|e4m3\w*|e5m2\w*)\b`
)

var aspects = []aspect{
	{ofUnit, probe(`\b(time|latency|duration|median|mean|runtime|avg)[_ (\[]{1,2}(ns|us|ms|s|sec)\b`), "unit"},
	{ofUnit, probe(`\b(unit|units|time_unit)["']?\s*[:=|]\s*["']?(ns|us|µs|ms|s|sec\w*|milli\w+|micro\w+|nano\w+|GB/s|GiB/s|TB/s|TFLOPS|GFLOPS)(?:\b|$)`), "unit"},
	{ofUnit, probe(`\b(reports?|reported in|measured in|given in|units? (?:is|are))\s+(GB/s|GiB/s|ns|us|µs|ms|s|seconds|milliseconds|microseconds)(?:\b|$)`), "unit"},
	{ofUnit, probe(`\b((?:time|figure|value|number)s? (?:is|are))\s+(?:the )?(total|sum|per rep\w*|per call|per iter\w*|per step|mean|median|minimum)\b`), "unit"},
	{ofMethod, probe(`\b(bench|bench_fn|harness|measured (?:with|by))["']?\s*[:=|]?\s*["']?(?:triton\.testing\.)?(do_bench\w*|cuda_?\w+|[Ee]vents?|[Cc][Uu][Pp][Tt][Ii]|proton|perf_counter\w*|time\.\w+)`), "timer"},
	{ofMethod, probe(`\b(timer|timing|timing[_ ]method|bench[_ ]method|measured[_ ]with)["']?\s*[:=|]\s*["']?([\w.]+)`), "timer"},
	{ofMethod, probe(`\b(l2[_ ]?flush|flush[_ ]?l2|cold_l2\w*|clear_cache|flush)["']?\s*[:=|]\s*["']?(\w+)`), "flush of the L2 cache"},
	{ofMethod, probe(`\b(n_?warm_?up|num_warmup|warm_?up(?:_iters|_runs|_ms)?)["']?\s*[:=| ]\s*["']?(\d+)`), "warm-up"},
	{ofMethod, probe(`\b((?:use_)?cuda_?graphs?)["']?\s*[:=|]\s*["']?(\w+)`), "CUDA graph"},
	{ofMethod, probe(`\b(reduce|statistic|aggregate|return_mode)["']?\s*[:=|]\s*["']?(mean|median|min|max|p\d\d)\b`), "statistic"},
	{ofMachine, probe(`(NVIDIA)\s+((?:GeForce |RTX |Tesla )*(?:PRO )?[A-Z\d][\w.-]*\d[\w.-]*(?: (?:\d+ ?GB|HBM\w+|PCIe|NVL|SXM\d?|Ti|SUPER|Super|Ada|Laptop|MIG \S+))*)`), "GPU"},
	{ofDeterminism, probe(`\b((?:use_)?deterministic\w*(?:\.deterministic)?)["']?(?:\(|\s*[:=|]\s*)["']?(True|False|true|false|on|off|1|0)\b`), "deterministic algorithms"},
	{ofPinned, probe(`\b((?:is_)?pinned(?:\(\))?|pin_memory)["']?\s*[:=|]\s*["']?(True|False|true|false|on|off|1|0)\b`), "pinned memory"},
	{ofMachine, probe(`\b(ECC(?: [Mm]ode)?(?: [Cc]urrent)?)` + sep + `([Ee]nabled|[Dd]isabled|[Oo]n|[Oo]ff)\b`), "ECC"},
	{ofMachine, probe(`\b([Dd]river[ _][Mm]odel)` + sep + `(WDDM|TCC|MCDM)\b`), "driver model"},
	{ofMachine, probe(`\b(MIG)\b\W{0,3}(\d+g\.\d+gb|[Ee]nabled|[Dd]isabled|on|off)`), "MIG"},
	{ofMachine, probe(`\b(sm_count|num_sms|SMs|sms|multi_?processor(?:s|_count))` + sep + `(\d+)`), "multiprocessors"},
	{ofMachine, probe(`\b()(\d+) SMs\b`), "multiprocessors"},
	{ofMachine, probe(`\b([Dd]river(?:[_ ]version)?)` + sep + `(\d{3}\.\d+\S*)`), "driver"},
	{ofMachine, probe(`\b(CUDA_MPS_ACTIVE_THREAD_PERCENTAGE)\s*[:=|]\s*(\d+)`), "share of MPS"},
	{ofClock, probe(`\b((?:SM|sm|gpu|GPU|[Gg]raphics)(?:[_ ](?:clock|mhz|MHz|clk))?(?:_mhz)?)` + sep + `@?\s*(\d{3,4})\s?(?:MHz|mhz|$)`), "clock of the multiprocessors"},
	{ofClock, probe(`\b()(\d{3,4}) ?MHz \((?:sm|SM|gpu|GPU|graphics)\)`), "clock of the multiprocessors"},
	{ofClock, probe(`\b((?:sm|gpu|gr|graphics)_(?:clock|mhz|clk)\w*)` + sep + `(\d{3,4})\b`), "clock of the multiprocessors"},
	{ofClock, probe(`\b((?:mem|memory|HBM)(?:[_ ](?:clock|mhz|MHz|clk))?)` + sep + `@?\s*(\d{3,5})\s?(?:MHz|mhz)\b`), "clock of the memory"},
	{ofPower, probe(`\b((?:[Pp]ower|POWER)[_ ](?:limit|cap|LIMIT)(?:_w)?|TGP|TDP)` + sep + `(\d{2,4})\b`), "power limit"},
	{ofPower, probe(`\b(pstate|P-?[Ss]tate|perf[_ ]state)` + sep + `(P\d+)\b`), "power state"},
	{ofPower, probe(`\b([Pp]ersistence[_ ][Mm]ode)` + sep + `(\w+)`), "persistence mode"},
	{ofWork, probe(`\b(dtype|type|precision|in_dtype|input dtype)["']?\s*[:=| ]\s*["']?` + typed), "data type"},
	{ofWork, probe(`\b(allow_tf32|tf32|TF32)["']?\s*[:=| ]\s*["']?(True|False|true|false|on|off|0|1)\b`), "TF32"},
	{ofWork, probe(`\b(shape|size|strides?|layout|is_contiguous|contiguous|causal|is_causal|dropout\w*|mask|transposed?|trans_[ab]|batch(?:_size)?|seq_?len\w*|head_dim|n?heads?|num_heads|hidden(?:_size)?|page_size|requires_grad|training|batch size|experts|top_?k|tokens|bias|[BHSDTNMK])["']?\s*[:=|]\s*["']?(\([^)]*\)|\[[^\]]*\]|[\w.]+)`), ""},
	{ofWork, probe(`\b(strides?|shapes?)\s*(\([^)]*\)|\[[^\]]*\])`), ""},
	{ofBackend, probe(`\b(backend|impl|implementation|provider|engine|compile_mode)["']?\s*[:=|]\s*["']?([\w.-]+(?:\([^)]*\))?)`), "backend"},
	{ofTool, probe(`\b([Tt]riton(?:-xpu)?|[Tt]orch|[Pp]y[Tt]orch|ptxas|nvcc|CUDA|cuda(?:[_ ](?:toolkit|version))?|cudnn|cuDNN|cublas(?:Lt)?|cuBLAS(?:Lt)?|llvm|LLVM|tileiras|cutile(?:-rs)?|cuda-tile|cutlass|CUTLASS|flash[-_]attn|flashinfer|rustc|gcc|clang|jax|jaxlib|xla|numba|cupy)(?:[_ ]version)?["']?\s*(?:==|[:=| @-])\s*["']?v?(\d+\.\d+[\w.+]*)`), ""},
	{ofHost, probe(`\b((?:scaling_|cpu[_ ])?governor)` + sep + `(\w+)`), "CPU governor"},
	{ofHost, probe(`\b((?:numa|NUMA)(?:[_ ]node)?|cpubind)` + sep + `(-?\d+)\b`), "NUMA node"},
	{ofHost, probe(`\b((?:PCIe|pcie)(?:[_ ](?:link|gen|width))*)` + sep + `((?:[Gg]en ?)?\d+(?: ?x\d+)?)\b`), "PCIe link"},
	{ofConfig, probe(`\b(BLOCK\w*|TILE\w*|num_warps|NUM_WARPS|num_stages|NUM_STAGES|num_ctas?|GROUP_\w+|cluster(?:_size)?|[Ss]tages|[Ww]arps|split_?k|SPLIT_?K|maxnreg|occupancy_hint|num_cta_in_cga)['"]?` + `\s*(?:[:=|]|\s)\s*` + `(\d+)\b`), ""},
	{ofUse, probe(`\b([Rr]egisters?(?:[/ ](?:per )?thread)?|REG|regs(?:/thread)?|n_regs)` + sep + `(\d{2,3})\b`), "registers"},
	{ofUse, probe(`\bUsed ()(\d+) registers`), "registers"},
	{ofUse, probe(`\b(SHARED|[Ss]mem|shared(?:[_ ]mem\w*)?)(?:/block)?(?: ?\((?:KiB|KB|bytes|B)\))?` + sep + `(\d{2,7})\b`), "shared memory"},
	{ofUse, probe(`\b((?:blocks|CTAs|ctas|warps)(?: ?/ ?| per )SM|[Oo]ccupancy(?: ?\(?%\)?)?)` + sep + `(\d+(?:\.\d+)?)`), ""},
	{ofUse, probe(`\b(grid(?:[_ ]size)?|waves(?:/SM| per SM)?)` + sep + `(\d+(?:\.\d+)?)`), ""},
	{ofLaunches, probe(`\b((?:launches|kernels)(?: ?/ ?call| per (?:call|step|iteration)| a (?:call|step))?|num_kernels|kernel launches)` + sep + `(\d+)\b`), "launches of a call"},
}

var (
	baseName = `[Bb]ase(?:line)?|BASE(?:LINE)?|[Mm]ain|master|[Bb]efore|[Oo]ld|[Pp]revious|prev|nightly|last[ _]green|[Ss]tored`
	headName = `[Hh]ead|HEAD|[Nn]ew|PR|pr|[Aa]fter|[Cc]urrent|cur|[Cc]andidate|[Tt]his[ _]run|[Nn]ow|today|here`
	// marks are the words of the sides in a line.
	marks = probe(`\b(?:(` + baseName + `)|(` + headName + `))(?:\.json|\.csv|\.txt| json| file| host|_env| env| run| side| result| flags| build| config| timing| host \S+| input| branch)?["']?\)?(?:\s*(?:[:=|(]|->)|\s)`)
	// sectionHead begins what a log tells of one side.
	sectionHead = probe(`^[=#*\[> -]*(?:env\w* )?(?:(` + baseName + `|reference)|(` + headName + `))\b(?: run| env\w*| side| results?| build| branch)?[ :=#*\]-]*(?:\([^()]{0,40}\)|@ ?\S+|[0-9a-f]{7,40}|20\d\d-\d\d-\d\d)?[ :=#*\]-]*$|^[^\d=]{0,40}[(\[](?:(` + baseName + `)|(` + headName + `))[)\]]:?$`)
	otherHead   = regexp.MustCompile(`^(?:={2,}|-{3,}|#{1,3} |\$ |\+ )`)
	// rivals name two implementations, of which the first is what one compares with.
	rivals   = probe(`^\W*(?:\w )?\(?(?:(torch|eager|cublas|cuBLAS|reference|ref|cutile|baseline|theirs|expected)|(ours?|cutile[-_]rs|triton|candidate|fused|kernel|tile\w*))\b\W{0,3}[ :]`)
	flagsOf  = probe(`(?:^|\s)(-O\w+|--?use_fast_math|-ftz=\w+|-fmad=\w+|-prec-\w+=\w+|-G|-lineinfo|-DNDEBUG|-march=\S+|-gencode[ =]\S+|arch=\S+|-arch[ =]\S+|opt-level ?= ?"?\w+|lto ?= ?"?\w+|target-cpu=[\w-]+|codegen-units=\d+|--profile[ =]\w+|--maxrregcount[ =]\d+|-maxrregcount[ =]\d+|-C ?[\w-]+=\S+|--release|--opt-level[ =]?\d|CMAKE_BUILD_TYPE=\w*|-flto\S*)`)
	unitless = `(?:ns|us|µs|ms|s|GB/s|TB/s|GiB/s|TFLOPS|TFLOP/s|GFLOPS|tok/s|it/s)`
	// pairOf are figures of both sides in one line, the base's first.
	pairOf = probe(`\b(?:` + baseName + `|ref)\b["']?[ :=(]{1,3}(\d+(?:\.\d+)?) ?(` + unitless + `)?\b.{1,40}?\b(?:` + headName + `)\b["']?[ :=(]{1,3}(\d+(?:\.\d+)?) ?(` + unitless + `)?`)
	// pairBack are figures of both sides in one line, the run's first.
	pairBack = probe(`(?:^|[\s=:])(\d+(?:\.\d+)?) ?(` + unitless + `)\b[^\d]{0,24}\b(?:` + baseName + `|was|ref|reference|expected)\b["']?[^\d]{0,16}?(\d+(?:\.\d+)?) ?(` + unitless + `)?\b`)
	// pairArrow are figures of both sides with an arrow between them.
	pairArrow = probe(`(\d+(?:\.\d+)?) ?(` + unitless + `)? ?(?:->|→|=>|-->) ?(\d+(?:\.\d+)?) ?(` + unitless + `)`)
	rowOfSide = regexp.MustCompile(`^([A-Za-z_][\w.\-/\[\]=,]*)\W{1,40}?(\d+(?:\.\d+)?) ?(` + unitless + `)\b`)
	// profiled is a row of a profile: a kernel, its calls and a time.
	profiled = regexp.MustCompile(`^(\S.*?[a-z]\S*)\s{2,}(\d+)\s+(\d+(?:\.\d+)?)(?: ?(?:us|ms|ns|µs))?$`)
	rateUnit = regexp.MustCompile(`(?i)(?:GB|TB|GiB|FLOPS?|tok\w*|it)/s|FLOPS|throughput|bandwidth`)
	// verdictWord is what a check prints that ends with a failure.
	verdictWord = probe(`\b(?:FAIL|FAILED|FAILURE|REGRESSION|REGRESSED|SLOWER|slower|regression|regressed|AssertionError|ERROR|DECREASED|failed|exceeds|above|implausible)\b`)
	figureWord  = regexp.MustCompile(`\d ?(?:us|µs|ms|GB/s|TB/s|TFLOPS|TFLOP/s|tok/s|%|x)(?:$|[\s,;:.)\]])|\b(?:ratio|speed-?up|baseline|limit|budget|latency|bandwidth|throughput|perf\w*|step time|call time|geomean)\b`)
	noVerdict   = regexp.MustCompile(`\.py::|^test result|\bpassed\b|^--- FAIL|\b(?:err|error of|max_?err\w*|atol|rtol|mismatch\w*|max[ _]?(?:abs|rel|diff)\w*|tolerance exceeded|allclose)\b|\b(?:[Nn]o|0|zero|without) (?:perf\w* )?(?:regress\w*|fail\w*|errors?)|\b0 of \d|\b[Nn]o\b.{0,24}\babove\b|\b(?:none|None) (?:of|is|are)\b|\bif (?:worse|slower)\b`)
	// inGeneral is said of what may be slow, not of what is.
	inGeneral = regexp.MustCompile(`\b(?:[Ww]hatever|[Ww]herever|[Ww]hether|[Ww]henever|in which|of those that|makes? it)\b`)
	// verdictFirst begins with the verdict, and may do without a figure.
	verdictFirst = regexp.MustCompile(`^\W*(?:FAIL|ERROR|REGRESS|SLOWER|AssertionError)`)
	bareVerdict  = regexp.MustCompile(`^\W*(?:(?:perf\w*|bench\w*|PERF|gate|check|GATE|result|verdict) ?)*:? ?(?:FAIL|FAILED|REGRESSION|failed)\W*$|^\W*(?:FAIL|FAILED|REGRESSION|REGRESSED|SLOWER|AssertionError)\b[^./]{0,40}$`)
	// hint is a time together with what it was or should be.
	hint        = probe(`\d ?(?:us|µs|ms|GB/s|TFLOPS)\b.{0,24}\b(?:baseline|expected|was|previous|limit|budget)\b|\b(?:baseline|expected|limit|budget)\b.{0,16}\d ?(?:us|µs|ms|GB/s|TFLOPS)\b|\bratio\b.{0,24}\d`)
	deviceGroup = regexp.MustCompile(`(?i)\b(?:kernels?|device|gpu|cupti|cuda)(?:\b|_)`)
	wholeGroup  = regexp.MustCompile(`(?i)\b(?:call|wall|e2e|total|host|step|end[- ]to[- ]end|cpu|latency)(?:\b|_)`)
)

func (c *contrast) line(l line) {
	if l.quote && !strings.HasPrefix(l.text, "|") && !strings.HasPrefix(l.text, "#") || l.text == "" || len(l.text) > 1024 {
		return
	}
	c.verdict(l)
	if l.is(hint) {
		c.hinted = true
	}
	if c.sideRow(l) || c.versus(l) {
		return
	}
	if c.tail(l) || c.head(l) {
		return
	}
	if len(l.text) <= 72 && l.is(sectionHead) {
		m := sectionHead.re.FindStringSubmatch(l.text)
		c.section = 1
		if m[2]+m[4] != "" {
			c.section = 2
		}
		return
	}
	if otherHead.MatchString(l.text) {
		c.section = 0
	}
	if m := listedTool.FindStringSubmatch(l.text); m != nil {
		side := 0
		if m[1] == ">" || m[1] == "+" {
			side = 1
		}
		c.tell(ofTool, strings.ToLower(m[2]), m[3], side, l)
		return
	}
	c.pair(l)
	switch {
	case l.is(marks):
		c.sidesOf(l)
	case c.section > 0:
		if m := profiled.FindStringSubmatch(l.text); m != nil && len(c.kernels[c.section-1]) < maxDistinct {
			if c.section == 2 && c.listed.n == 0 {
				c.listed = l
			}
			c.kernels[c.section-1] = append(c.kernels[c.section-1], strings.Clone(m[1]))
		}
		c.take(c.section-1, l.text, l, false)
		if m := rowOfSide.FindStringSubmatch(l.text); m != nil {
			c.row(group(m[3], ""), m[1], c.section-1, number(m[2]), l)
		}
	case l.is(rivals):
		side := 0
		if m := rivals.re.FindStringSubmatch(l.text); m[2] != "" {
			side = 1
		}
		c.take(side, l.text, l, true)
	}
}

// sidesOf takes a line that names a side, or both.
func (c *contrast) sidesOf(l line) {
	found := marks.re.FindAllStringSubmatchIndex(l.text, 8)
	if !slices.ContainsFunc(found, func(m []int) bool { return m[2] < 0 || !behind(l.text, m[0]) }) {
		from := 0
		for _, m := range found {
			from = c.inBrackets(l, from, m)
		}
		return
	}
	for i, m := range found {
		end := len(l.text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		side := 0
		if m[4] >= 0 {
			side = 1
		}
		text := l.text[m[0]:end]
		// What stands before the word of the only side is of it, too.
		if len(found) == 1 && m[0] < 16 {
			text = l.text
		}
		c.take(side, text, l, false)
		if len(found) == 1 && l.may(figureOfSide) {
			if f := figureOfSide.re.FindStringSubmatch(l.text[m[1]:]); f != nil {
				c.row(group(f[3], f[1]), strings.TrimSpace(f[1]), side, number(f[2]), l)
			}
		}
		if len(found) == 2 && m[0] > 0 && l.may(unitFigure) {
			for _, f := range unitFigure.re.FindAllStringSubmatch(text, 4) {
				c.row(group(f[2], ""), strings.Trim(l.text[:found[0][0]], " :=|,"), side, number(f[1]), l)
			}
		}
		// "registers: base 128 head 168": the name stands before the sides.
		if len(found) == 2 && m[0] > 0 {
			name := strings.TrimRight(l.text[:found[0][0]], " :=|(")
			if value := strings.TrimSpace(l.text[m[1]:end]); value != "" && len(name) < 48 {
				c.take(side, name+": "+strings.TrimLeft(value, " :=|("), l, false)
			}
		}
	}
}

// behind reports whether a word stands behind what it is compared with: in brackets, or
// after a comma.
func behind(text string, at int) bool {
	before := strings.TrimRight(text[:at], " ")
	return before != "" && strings.ContainsAny(before[len(before)-1:], "(,;")
}

// inBrackets takes a part of a line that tells the base's value behind the run's, as in
// "ECC: Enabled (baseline: Disabled)", and gives its end.
func (c *contrast) inBrackets(l line, from int, mark []int) (end int) {
	before, inner := l.text[min(from, mark[0]-1):mark[0]-1], l.text[mark[1]:]
	end = len(l.text)
	if i := strings.IndexByte(inner, ')'); i >= 0 {
		inner, end = inner[:i], mark[1]+i
	}
	c.take(1, before, l, false)
	c.take(0, inner, l, false)
	for i := range aspects {
		a := &aspects[i]
		if !l.may(a.re) {
			continue
		}
		for _, m := range a.re.re.FindAllStringSubmatchIndex(before, 12) {
			// What stands right before the bracket is what the base's value is of.
			if strings.TrimSpace(before[m[1]:]) != "" {
				continue
			}
			if theirs := a.re.re.FindStringSubmatch(before[m[0]:m[4]] + strings.TrimLeft(inner, " :=")); theirs != nil {
				name := a.name
				if name == "" {
					name = strings.ToLower(theirs[1])
				}
				c.tell(a.kind, name, strings.Trim(theirs[2], "`\"',"), 0, l)
			}
		}
	}
	if l.may(figureOfSide) {
		if f := figureOfSide.re.FindStringSubmatch(inner); f != nil {
			c.row(group(f[3], f[1]), strings.TrimSpace(f[1]), 0, number(f[2]), l)
		}
	}
	return end
}

// take finds the settings in what a log tells of a side.
func (c *contrast) take(side int, text string, l line, workOnly bool) {
	for i := range aspects {
		a := &aspects[i]
		if workOnly && a.kind != ofWork || !l.may(a.re) {
			continue
		}
		for _, m := range a.re.re.FindAllStringSubmatch(text, 12) {
			name := a.name
			if name == "" {
				name = strings.ToLower(m[1])
			}
			c.tell(a.kind, name, strings.Trim(m[2], `"',`), side, l)
		}
	}
	if workOnly {
		if !l.may(typedWord) {
			return
		}
		if m := typedWord.re.FindStringSubmatch(text); m != nil {
			c.tell(ofWork, "data type", m[1], side, l)
		}
		return
	}
	if !l.may(flagsOf) {
		return
	}
	if flags := flagsOf.re.FindAllString(text, 24); len(flags) > 0 {
		for i := range flags {
			flags[i] = strings.TrimSpace(flags[i])
		}
		slices.Sort(flags)
		c.tell(ofFlags, "flags of the compiler", strings.Join(flags, " "), side, l)
	}
}

var typedWord = probe(`\b` + typed)

// tell remembers a setting of a side; the first value counts.
func (c *contrast) tell(k kind, name, value string, side int, l line) {
	if value == "" {
		return
	}
	s := c.told[name]
	if s == nil {
		if len(c.told) == maxSettings {
			return
		}
		if c.told == nil {
			c.told = map[string]*setting{}
		}
		s = &setting{kind: k, name: strings.Clone(name)}
		c.told[s.name] = s
		c.order = append(c.order, s.name)
	}
	if s.value[side] == "" {
		s.value[side], s.at[side] = strings.Clone(value), l
	}
}

// group names what figures are of, by their unit and by what stands before them.
func group(unit, name string) string {
	switch {
	case rateUnit.MatchString(unit) || rateUnit.MatchString(name):
		return "rate"
	case deviceGroup.MatchString(name):
		return "device"
	case wholeGroup.MatchString(name):
		return "whole"
	}
	return "time"
}

// row remembers a figure of a side.
func (c *contrast) row(group, name string, side int, value float64, l line) {
	if !(value > 0) {
		return
	}
	key := group + "\x00" + name
	r := c.rows[key]
	if r == nil {
		if len(c.rows) == maxTimed {
			return
		}
		if c.rows == nil {
			c.rows = map[string]*timed{}
		}
		r = &timed{group: group, name: strings.Clone(name), at: l}
		c.rows[key] = r
		c.names = append(c.names, key)
	}
	if r.value[side] == 0 {
		r.value[side] = value
		if side == 1 {
			r.at = l
		}
	}
}

// pair takes a line with figures of both sides.
func (c *contrast) pair(l line) {
	var a, b, unit string
	at := 0
	switch {
	case l.is(pairOf):
		i := pairOf.re.FindStringSubmatchIndex(l.text)
		m := pairOf.re.FindStringSubmatch(l.text)
		a, b, unit, at = m[1], m[3], m[2]+m[4], i[0]
	case l.is(pairArrow):
		i := pairArrow.re.FindStringSubmatchIndex(l.text)
		m := pairArrow.re.FindStringSubmatch(l.text)
		a, b, unit, at = m[1], m[3], m[4], i[0]
	case l.is(pairBack):
		i := pairBack.re.FindStringSubmatchIndex(l.text)
		m := pairBack.re.FindStringSubmatch(l.text)
		a, b, unit, at = m[3], m[1], m[2], i[0]
	default:
		return
	}
	name := strings.Trim(l.text[:at], " :=|,")
	if unit == "" && !rateUnit.MatchString(name) && !deviceGroup.MatchString(name) && !wholeGroup.MatchString(name) {
		return
	}
	g := group(unit, name)
	c.row(g, name, 0, number(a), l)
	c.row(g, name, 1, number(b), l)
}

// listedTool is a line of a difference of two lists of packages.
var listedTool = regexp.MustCompile(`^([-+<>]) ?(triton|torch|pytorch-triton|nvidia-cuda-nvcc\S*|nvidia-cublas\S*|nvidia-cudnn\S*|flash[-_]attn|cuda-tile|jaxlib|numba|llvm)\W{1,2}(\d+\.\d+\S*)$`)

// unitFigure is a figure with its unit.
var unitFigure = probe(`\b(\d+(?:\.\d+)?) ?(` + unitless + `)(?:$|[\s,;)])`)

// figureOfSide is the figure of a line of one side, with its name.
var figureOfSide = probe(`(?:([A-Za-z_]\w*)\W{1,3}|\s)(\d+(?:\.\d+)?) ?(` + unitless + `)(?:$|[\s,;)])`)

var (
	unitCell = regexp.MustCompile(`^(?:%|us|usecond|µs|ms|msecond|ns|nsecond|GB/s|TB/s|[KMG]?byte(?:/\w+)?|[KMG]i?B|cycle|inst|register/thread|block|warp|[KMG]?Hz|inst/cycle)$`)
	leading  = regexp.MustCompile(`^\d+(?:\.\d+)?`)
	ofUses   = regexp.MustCompile(`(?i)registers?|smem|shared|occupancy|spill|blocks|warps|waves|grid|clock|mhz|watt|temp|SMs`)
)

var sideWord = probe(`(?i)\b(?:(base(?:line)?|main|before|old|prev(?:ious)?|last (?:week|night|run|green)|yesterday|stored)|(head|new|pr|after|current|cur|candidate|this run|now|today))\b`)

// sideRow takes a row of one side in a table whose head has no column for the side:
// "attn (main) 168 0 612" below "kernel regs spills us".
func (c *contrast) sideRow(l line) bool {
	head := (l.is(tableUnit) || l.is(spillWord)) && !strings.ContainsAny(l.text, "0123456789=:")
	if !head && len(c.plain) == 0 {
		return false
	}
	words := strings.Fields(strings.ReplaceAll(l.text, "|", " "))
	if len(words) < 2 || len(words) > 12 {
		return false
	}
	if head && len(words) > 2 {
		c.plain = c.plain[:0]
		for _, w := range words {
			c.plain = append(c.plain, strings.Clone(w))
		}
		return false
	}
	if len(words) != len(c.plain)+1 {
		return false
	}
	at := slices.IndexFunc(words[:2], pureSide.MatchString)
	if at < 0 {
		return false
	}
	side := 0
	if m := pureSide.FindStringSubmatch(words[at]); m[2] != "" {
		side = 1
	}
	words = slices.Delete(words, at, at+1)
	for i, h := range c.plain {
		switch v := number(words[i]); {
		case i == 0 || !(v >= 0):
		case spillWord.match(h):
			key := words[0] + " " + h
			if side == 0 && v == 0 {
				if c.none == nil {
					c.none = map[string]bool{}
				}
				if len(c.none) < maxSettings {
					c.none[strings.Clone(key)] = true
				}
			} else if side == 1 && v > 0 && c.none[key] && c.spilled.n == 0 {
				c.spilled = l
			}
		case ofUses.MatchString(h):
			c.take(side, h+": "+words[i], l, false)
		case tableUnit.match(h):
			c.row(group(h, h), words[0], side, v, l)
		}
	}
	return true
}

var (
	tableUnit  = probe(`(?:\b|_)(?:us|ms|GB/s|TFLOPS|tok/s)\b|latency|throughput`)
	pureSide   = regexp.MustCompile(`^[(\[]?(?:(` + baseName + `)|(` + headName + `))[)\]]?:?$`)
	versusWord = probe(`\s(?:vs|versus|against)\.?\s`)
)

// versus takes a line with both sides' types around one word.
func (c *contrast) versus(l line) bool {
	if !l.is(versusWord) || len(l.text) > 240 {
		return false
	}
	at := versusWord.re.FindStringIndex(l.text)
	a, b := typedWord.re.FindStringSubmatch(l.text[:at[0]]), typedWord.re.FindStringSubmatch(l.text[at[1]:])
	if a == nil || b == nil || a[1] == b[1] || errorWord.MatchString(l.text) {
		return false
	}
	c.tell(ofWork, "data type", b[1], 0, l)
	c.tell(ofWork, "data type", a[1], 1, l)
	return true
}

var errorWord = regexp.MustCompile(`(?i)\b(?:err\w*|diff\w*|toler\w*|mismatch\w*|expected|got)\b`)

// parts are the cells of a row of a table.
func parts(text string, fields bool) []string {
	if fields {
		return strings.Fields(strings.ReplaceAll(text, "|", " "))
	}
	return cellGap.Split(strings.Trim(text, " |"), -1)
}

// head takes the head and the rows of a table with a column of each side.
func (c *contrast) head(l line) bool {
	if c.cells > 0 && c.cellsOf(l) {
		return true
	}
	if len(l.text) > 200 || !l.may(sideWord) || strings.ContainsAny(l.text, "0123456789=") || !sideWord.re.MatchString(strings.ReplaceAll(l.text, "_", " ")) {
		return false
	}
	for _, fields := range []bool{false, true} {
		cells := parts(l.text, fields)
		if len(cells) < 2 || len(cells) > 14 || fields && strings.ContainsAny(l.text, ".:,;") {
			continue
		}
		var columns []column
		open := map[string]*column{}
		for i, cell := range cells {
			word := strings.NewReplacer("_", " ", "(", " ", ")", " ").Replace(cell)
			m := sideWord.re.FindStringSubmatch(word)
			if m == nil || len(strings.Fields(word)) > 4 {
				continue
			}
			g := strings.TrimSpace(sideWord.re.ReplaceAllString(word, ""))
			side := 0
			if m[2] != "" {
				side = 1
			}
			col := open[g]
			if col == nil {
				col = &column{g, [2]int{-1, -1}}
				open[g] = col
			}
			if col.at[side] < 0 {
				col.at[side] = i
			}
			if col.at[0] >= 0 && col.at[1] >= 0 && !slices.ContainsFunc(columns, func(k column) bool { return k.group == g }) {
				columns = append(columns, *col)
			}
		}
		if len(columns) > 0 {
			c.columns, c.cells, c.fields, c.missed = columns, len(cells), fields, 0
			return true
		}
	}
	return false
}

var (
	oursColumn = regexp.MustCompile(`(?i)^(?:ours?|measured|head|new|current|cur|candidate|this|pr)(?:[_(\[]?(?:ms|us|µs|ns|s)[)\]]?)?$`)
	baseColumn = regexp.MustCompile(`(?i)^(?:base|baseline|ref|reference|main|expected|old|stored)(?:[_(\[]?(?:ms|us|µs|ns|s)[)\]]?)?$`)
	figureTail = regexp.MustCompile(`^[-+]?\d+(?:\.\d+)?(?:x|%)?$`)
)

// tail takes a table with a column of ours beside one of the base's, whose names of rows
// have gaps: its cells are counted from the right.
func (c *contrast) tail(l line) bool {
	words := strings.Fields(l.text)
	if len(words) < 3 || len(words) > 16 || strings.Contains(l.text, "|") {
		return false
	}
	ours, base := slices.IndexFunc(words, oursColumn.MatchString), slices.IndexFunc(words, baseColumn.MatchString)
	// A table of which the base is told first is read by its gaps.
	if ours > 0 && base > ours && !strings.ContainsAny(l.text, "0123456789=:") {
		c.tails, c.tailed = c.tails[:0], l.n
		for i := ours; i < len(words); i++ {
			side := 0
			switch i {
			case base:
				side = 1
			case ours:
				side = 2
			}
			c.tails = append(c.tails, side)
		}
		return true
	}
	if len(c.tails) == 0 || l.n > c.tailed+tableFor {
		return false
	}
	for len(words) > 0 && !figureTail.MatchString(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	at := len(words) - len(c.tails)
	if at < 1 || !strings.ContainsAny(words[0], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") || slices.ContainsFunc(words[at:], func(w string) bool { return !figureTail.MatchString(w) }) {
		return false
	}
	c.tailed = l.n
	name := strings.Join(words[:at], " ")
	for i, side := range c.tails {
		if side > 0 {
			c.row("time", name, side-1, number(words[at+i]), l)
		}
	}
	return true
}

// cellsOf takes a row of the present table.
func (c *contrast) cellsOf(l line) bool {
	cells := parts(l.text, c.fields)
	// The head may lack a name for the column of the names, and a row may have notes
	// behind its cells.
	shift := 0
	if c.columns[0].at[0] == 0 || c.columns[0].at[1] == 0 || len(cells) == c.cells+1 && strings.TrimLeft(cells[0], "0123456789") == "" {
		shift = 1
	}
	if extra := len(cells) - c.cells - shift; extra < 0 || extra > 3 || extra > 0 && c.fields && shift > 0 {
		if c.missed++; c.missed > 1 {
			c.cells = 0
		}
		return false
	}
	c.missed = 0
	name := cells[0]
	// A column of units has no name in the head of some tables.
	if len(cells) == c.cells+1 && shift == 0 && unitCell.MatchString(cells[1]) {
		cells = slices.Delete(cells, 1, 2)
	}
	for _, col := range c.columns {
		a, b := strings.Trim(cells[col.at[0]+shift], "*` "), strings.Trim(cells[col.at[1]+shift], "*` ")
		if col.at[0]+shift > 0 {
			c.take(0, name+": "+a, l, false)
			c.take(1, name+": "+b, l, false)
		}
		if x, y := leading.FindString(a), leading.FindString(b); number(x) > 0 && number(y) > 0 && !ofUses.MatchString(name) {
			g := group(col.group, col.group+" "+name)
			c.row(g, name, 0, number(x), l)
			c.row(g, name, 1, number(y), l)
		}
	}
	return true
}

// verdict takes a line that says that something is slow.
func (c *contrast) verdict(l line) {
	if c.failed.n > 0 || !l.is(verdictWord) || l.is(gtestEnd) {
		return
	}
	switch {
	case noVerdict.MatchString(l.text) || inGeneral.MatchString(l.text) || isProse(l.text):
	case figureWord.MatchString(l.text) && (verdictFirst.MatchString(l.text) || strings.ContainsAny(l.text, "0123456789")):
		c.failed = l
	case c.loose.n == 0 && bareVerdict.MatchString(l.text):
		c.loose = l
	}
}

// sentence is how many words make a text that ends with a full stop prose.
const sentence = 20

// isProse reports whether a line is a long sentence or a row of a table of a document.
func isProse(text string) bool {
	return strings.HasSuffix(text, ".") && strings.Count(text, " ") >= sentence || strings.HasPrefix(text, "|") && strings.Contains(text, "`")
}

// both are the rows that both sides tell, of some groups.
func (c *contrast) both(groups ...string) []*timed {
	var all []*timed
	for _, key := range c.names {
		if r := c.rows[key]; r.value[0] > 0 && r.value[1] > 0 && slices.Contains(groups, r.group) {
			all = append(all, r)
		}
	}
	return all
}

// slowdown is how many times as long the run takes as the base.
func (r *timed) slowdown() float64 {
	if r.group == "rate" {
		return r.value[0] / r.value[1]
	}
	return r.value[1] / r.value[0]
}

func (r *timed) slower() bool { return r.slowdown() >= fewSlow }
func (r *timed) level() bool  { return r.slowdown() < levelRow && r.slowdown() > 1/levelRow }

// apart are the settings in which the sides differ, what decides first.
func (c *contrast) apart() []*setting {
	var all []*setting
	for _, name := range c.order {
		s := c.told[name]
		if s.value[0] == "" || s.value[1] == "" || strings.EqualFold(s.value[0], s.value[1]) || s.close() {
			continue
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b *setting) int { return int(a.kind) - int(b.kind) })
	return all
}

// close reports whether two values differ by what such values differ by anyway.
func (s *setting) close() bool {
	x, y := number(s.value[0]), number(s.value[1])
	switch {
	case !(x > 0) || !(y > 0):
		return false
	case s.kind == ofClock:
		return max(x, y) <= (1+sameClock)*min(x, y)
	case s.kind == ofUse:
		return max(x, y) <= 1.1*min(x, y)
	}
	return false
}

func (c *contrast) end(sc *logScan) {
	rows := c.both("time", "rate", "device", "whole")
	some := slices.ContainsFunc(rows, (*timed).slower)
	switch {
	case c.failed.n > 0 && (len(rows) > 0 || figureWord.MatchString(c.failed.text)):
		sc.explains(oneSlower, nil, c.failed)
	case c.loose.n > 0 && (some || c.hinted):
		sc.explains(oneSlower, nil, c.loose)
	}
	tell := func(id string, at line, text string) {
		sc.explains(id, slow, at)
		if h := sc.found[id]; h != nil && h.Line == at.n {
			sc.adds(h, text)
		}
	}
	if at, text := thousandfold(rows); at.n > 0 {
		tell(otherUnit, at, text)
		return
	}
	if at, text := c.counted(); at.n > 0 {
		tell(workCount, at, text)
		return
	}
	if at, text := c.quantized(rows); at.n > 0 {
		tell(coarseTimer, at, text)
		return
	}
	if at := c.onHost(); at.n > 0 {
		tell(hostTime, at, "the time on the device is level")
	}
	if base, run := c.kernels[0], c.kernels[1]; len(base) > 0 && len(run) > len(base) && c.listed.n > 0 {
		id := extraLaunches
		if slices.ContainsFunc(run, hostCalls.MatchString) && !slices.ContainsFunc(base, hostCalls.MatchString) {
			id = hostTime
		}
		tell(id, c.listed, fmt.Sprintf("a call launches %d kernels in the base and %d in the run", len(base), len(run)))
	}
	if c.spilled.n > 0 {
		tell(spills, c.spilled, "")
	}
	if at, text := c.constant(rows); at.n > 0 {
		if sc.roofline.flush.n > 0 {
			tell(flushTimed, at, text+"; line "+fmt.Sprint(sc.roofline.flush.n)+": "+sc.roofline.flush.text)
		} else {
			sc.unspoken.tellRise(sc, at, text)
		}
		return
	}
	if at, text := oddSizes(rows); at.n > 0 {
		tell(cliff, at, text)
	}
	for _, name := range slices.Sorted(maps.Keys(sc.early.changes)) {
		if by := sc.early.changes[name]; slices.Contains(compilers, name) {
			_, versions, _ := strings.Cut(by.to, " ")
			if from, to, ok := strings.Cut(versions, " -> "); ok {
				c.tell(ofTool, name, from, 0, by.at)
				c.tell(ofTool, name, to, 1, by.at)
			}
		}
	}
	apart := c.apart()
	if len(apart) == 0 {
		return
	}
	first := apart[0]
	id := apartIn[first.kind]
	if first.kind == ofTool && some && slices.ContainsFunc(rows, (*timed).level) {
		id = newCompiler
	}
	at := first.at[1]
	if at.n < first.at[0].n {
		at = first.at[0]
	}
	var texts []string
	for _, s := range apart {
		if s.kind == first.kind && len(texts) < 4 {
			texts = append(texts, fmt.Sprintf("%s: %s in the base, %s in the run", s.name, s.value[0], s.value[1]))
		}
	}
	tell(id, at, strings.Join(texts, "; "))
}

// thousandfold tells of rows of which all figures of one side are a thousand times those of
// the other.
func thousandfold(rows []*timed) (at line, text string) {
	if len(rows) < 2 {
		return line{}, ""
	}
	low, high := math.Inf(1), 0.0
	for _, r := range rows {
		f := r.slowdown()
		if f < 1 {
			f = 1 / f
		}
		low, high = math.Min(low, f), math.Max(high, f)
	}
	if low < 900 || high > 1100 {
		return line{}, ""
	}
	return rows[0].at, fmt.Sprintf("in %d rows one side is %.4g to %.4g times the other", len(rows), low, high)
}

// compilers are packages of which another version makes other code.
var compilers = []string{"triton", "pytorch_triton", "triton_xpu", "torch", "nvidia_cuda_nvcc", "nvidia_cuda_nvrtc", "nvidia_cublas", "nvidia_cudnn_cu12", "nvidia_cudnn_cu13", "flash_attn", "cuda_tile", "nvidia_cutlass_dsl", "jaxlib", "numba", "flashinfer_python"}

// hostCalls are calls that wait for the GPU.
var hostCalls = regexp.MustCompile(`Synchronize|aten::item|_local_scalar_dense|cudaMalloc|cudaFree|cuModuleLoad|cuLibraryLoad`)

// cliff is the signature of sizes that are slow among others.
const cliff = "S-P29"

// constant is what all rows take more, whatever they take.
func (c *contrast) constant(rows []*timed) (at line, text string) {
	var base, more []float64
	for _, r := range rows {
		if r.group != "rate" {
			base, more = append(base, r.value[0]), append(more, r.value[1]-r.value[0])
		}
	}
	if len(base) < manyRows || slices.Max(base) < wideSizes*slices.Min(base) {
		return line{}, ""
	}
	if low, high := slices.Min(more), slices.Max(more); low >= tellingPart*slices.Min(base) && low > 0 && high-low <= constantPart*high {
		return rows[0].at, fmt.Sprintf("each of %d rows takes %.4g to %.4g more, whatever it takes", len(base), low, high)
	}
	return line{}, ""
}

var lastSize = regexp.MustCompile(`(\d+)\D*$`)

// oddSizes are slow rows whose sizes are odd multiples, among others whose sizes are even ones.
func oddSizes(rows []*timed) (at line, text string) {
	level, slow := 0, 0
	for _, r := range rows {
		m := lastSize.FindStringSubmatch(r.name)
		if m == nil {
			return line{}, ""
		}
		ragged := int(number(m[1]))%16 != 0
		switch {
		case r.slower() && ragged:
			if slow == 0 {
				at = r.at
			}
			slow++
		case r.level() && !ragged:
			level++
		default:
			return line{}, ""
		}
	}
	if slow == 0 || level < manyRows {
		return line{}, ""
	}
	return at, fmt.Sprintf("the %d slow sizes are no multiples of 16, the %d level ones are", slow, level)
}

// onHost is a row of a whole call that is slower while the time on the device is level.
func (c *contrast) onHost() line {
	device, whole := c.both("device"), c.both("whole")
	if len(device) == 0 || slices.ContainsFunc(device, func(r *timed) bool { return !r.level() }) {
		return line{}
	}
	if i := slices.IndexFunc(whole, func(r *timed) bool { return r.slowdown() >= clearlySlower }); i >= 0 {
		return whole[i].at
	}
	return line{}
}

// counted is a table whose times are level while the rates that follow from them are not.
func (c *contrast) counted() (at line, text string) {
	rates, level, off := c.both("rate"), 0, 0
	for _, r := range rates {
		for _, g := range []string{"time", "whole", "device"} {
			t := c.rows[g+"\x00"+r.name]
			if t == nil || t.value[0] == 0 || t.value[1] == 0 {
				continue
			}
			if f := r.slowdown(); t.level() && (f > 1.3 || f < 1/1.3) {
				if off == 0 {
					at, text = r.at, fmt.Sprintf("%s: the time is %g and %g, the rate %g and %g", r.name, t.value[0], t.value[1], r.value[0], r.value[1])
				}
				off++
			} else {
				level++
			}
		}
	}
	if off == 0 || level > 0 {
		return line{}, ""
	}
	return at, text
}

// steps are the resolutions of timers, in microseconds.
var steps = []float64{1.024, 0.512}

// quantized is a table of which all times are a few steps of the timer, and the sides
// differ by one or two of them where they are called slower.
func (c *contrast) quantized(rows []*timed) (at line, text string) {
	for _, step := range steps {
		slower, all := 0, 0
		ok := true
		for _, r := range rows {
			if r.group == "rate" {
				continue
			}
			all++
			a, b := r.value[0]/step, r.value[1]/step
			if !whole(a) || !whole(b) || r.slower() && (b-a > 2.1 || a > 12) {
				ok = false
				break
			}
			if r.slower() {
				if slower == 0 {
					at = r.at
				}
				slower++
			}
		}
		if ok && all >= manyRows && slower > 0 {
			return at, fmt.Sprintf("all %d times are multiples of %g us, and the sides differ by one or two of them", all, step)
		}
	}
	return line{}, ""
}

// whole reports whether a number is one that was printed with three digits behind the
// point and is whole otherwise.
func whole(v float64) bool {
	r := float64(int(v + .5))
	return r >= 1 && v-r < .004 && r-v < .004
}
