package triage

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// verdicts reads tables and lists of benchmarks from which it follows that the change is
// not what is slow: the version of a tool decides, the samples of one commit scatter, what
// became slower does not use what changed, or the times cannot be true.
type verdicts struct {
	until   int      // last line that may be of a table
	columns []string // of a table with the version of a tool, "" for another column
	runs    []benchRun
	tools   map[string]string // versions that the present part of the log names
	now     map[string]string // versions of the run
	moved   line              // which names another version for the base
	change  string

	samples map[string]*sampled
	order   []string

	slower  []string // benchmarks
	listing bool     // of what became slower
	slowAt  line
	reached []string // benchmarks that use what changed

	compiled string // kernel that was compiled last
	measured bool   // something was measured since
	again    line   // which compiles it again

	peak    map[string]float64 // by unit
	figures []string           // units of a table's columns
	sizes   [3]int             // of M, N and K in it, -1 for none
	millis  []int              // columns of times in it
	tooGood line
}

// benchRun is a row of figures together with the versions that it was measured with.
type benchRun struct {
	tools  map[string]string
	name   string // the rest of the row
	values []float64
	at     line
}

// sampled are the samples of one side.
type sampled struct {
	values []float64
	at     line
}

const (
	untouched     = "S-P60"
	untrueTimes   = "S-P27"
	compiledAgain = "S-P32"
	maxRunsKept   = 128
	tableFor      = 40 // lines below a word of a table in which it goes on
	maxSampled    = 16
	versionGap    = 1.12  // between the figures of two versions
	versionSpread = 1.06  // of the figures of one version
	sampleSpread  = 1.08  // of the samples of one side, that makes a comparison void
	nearSample    = 1.03  // by which the other side may lie outside of them
	fewSlower     = 3     // benchmarks that are slower, for a verdict on what they use
	beyondPeak    = 1.1   // times the peak that a figure must exceed
	anyPeak       = 20000 // TFLOPS that no GPU has
)

var (
	toolNames    = []string{"triton", "torch", "pytorch", "cuda", "nvcc", "ptxas", "llvm", "driver", "cutlass", "cudnn", "cublas", "tileiras", "rustc", "triton-xpu", "toolkit"}
	tableWord    = probe(`TFLOP|PFLOPS|GB/s|TB/s|\b(?:triton|torch|pytorch|cuda|nvcc|ptxas|llvm|driver|cutlass|cudnn|cublas|tileiras|rustc|toolkit)\b`)
	milliseconds = compile(`(?:\b|_)ms\b`)
	versionCell  = regexp.MustCompile(`^v?\d+\.\d+[\w.+-]*$`)
	namedVersion = probe(`\b(triton(?:-xpu)?|torch|nvcc|ptxas|llvm|tileiras|cudnn|cublas|cutlass|rustc)[ =:]+v?(\d+\.\d+\.\d[\w.+]*)`)
	baseWord     = probe(`\b(?:[Bb]ase|[Bb]aseline|[Bb]efore|previous|last green)\b`)
	sampleOf     = probe(`^(\S.*?)\W+(?:sample|run|rep|trial|repeat|round|attempt) ?#?\d+\W+(\d+(?:\.\d+)?)(?: ?\S{0,8})?$`)
	reachList    = probe(`\b(?:benchmarks?|cases|kernels|ops)\b.{0,16}\b(?:reach|touch|use|exercise|depend on|affected by|cover)\w*\b.*\b(?:chang|diff|PR|modif)\w*[^:]*: ?(\S.*)$`)
	slowerHead   = probe(`^(?:SLOWER|REGRESS\w*|[Ss]lower|[Rr]egress\w*)\b.*:$`)
	slowerRow    = regexp.MustCompile(`^([A-Za-z_][\w.:/\[\]=,-]*) +\+?\d+(?:\.\d+)? ?%`)
	compileOf    = probe(`^\[?(?:compile|compiling|jit|JIT|Compiling|Compiled|compiled)\]?:? +(\w+)\b.*\d ?m?s$`)
	peakOf       = probe(`\bpeak\b\D{0,24}?(\d+(?:\.\d+)?) ?(TFLOPS|TFLOP/s|PFLOPS|GB/s|TB/s)`)
	peakAfter    = probe(`\b(\d+(?:\.\d+)?) ?(TFLOPS|TFLOP/s|PFLOPS|GB/s|TB/s)\b.{0,4}\bpeak\b`)
)

func (v *verdicts) line(l line) {
	// A comment heads rows of figures, too.
	if l.quote && !strings.HasPrefix(l.text, "# ") || l.text == "" || len(l.text) > 1024 {
		return
	}
	if l.n > v.until {
		v.columns, v.tools, v.figures = nil, nil, nil
	}
	if l.is(tableWord) || l.is(milliseconds) {
		v.until = l.n + tableFor
	}
	if l.n <= v.until {
		words := strings.Fields(strings.ReplaceAll(l.text, "|", " "))
		v.versions(l, words)
		v.figure(l, words)
	}
	if l.is(sampleOf) {
		v.sample(l)
	}
	v.lists(l)
	if l.is(compileOf) {
		name := compileOf.re.FindStringSubmatch(l.text)[1]
		if name == v.compiled && v.measured && v.again.n == 0 {
			v.again = l
		}
		v.compiled, v.measured = strings.Clone(name), false
	} else if v.compiled != "" && l.text[0] >= '0' && l.text[0] <= '9' {
		v.measured = true
	}
}

// versions takes the head and the rows of a table with versions, and rows below a line
// that names some.
func (v *verdicts) versions(l line, words []string) {
	if l.is(namedVersion) {
		tools := map[string]string{}
		for _, m := range namedVersion.re.FindAllStringSubmatch(l.text, 8) {
			tools[strings.Clone(m[1])] = strings.Clone(m[2])
		}
		v.tools, v.columns = tools, nil
		switch {
		case !l.is(baseWord) && v.now == nil:
			v.now = tools
		case l.is(baseWord) && v.moved.n == 0:
			for _, t := range slices.Sorted(maps.Keys(tools)) {
				if now := v.now[t]; now != "" && now != tools[t] && !otherSide.MatchString(l.text) {
					v.moved, v.change = l, fmt.Sprintf("%s is %s here, and %s in the baseline", t, now, tools[t])
				}
			}
		}
		return
	}
	if len(words) > 2 && len(words) < 12 && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(toolNames, w) }) && !strings.ContainsAny(l.text, "0123456789") {
		v.columns, v.tools = nil, nil
		for _, w := range words {
			if !slices.Contains(toolNames, w) {
				w = ""
			}
			v.columns = append(v.columns, strings.Clone(w))
		}
		return
	}
	if len(v.runs) == maxRunsKept || len(v.columns) == 0 && v.tools == nil {
		return
	}
	cells := words
	if v.columns == nil && strings.Contains(l.text, ",") {
		cells = strings.Split(l.text, ",")
	}
	run := benchRun{tools: v.tools, at: l}
	if len(v.columns) > 0 {
		if len(cells) != len(v.columns) {
			v.columns = nil
			return
		}
		run.tools = map[string]string{}
	}
	for i, c := range cells {
		switch {
		case len(v.columns) > 0 && v.columns[i] != "":
			if !versionCell.MatchString(c) {
				return
			}
			run.tools[v.columns[i]] = strings.Clone(c)
		case number(c) > 0:
			run.values = append(run.values, number(c))
		case len(v.columns) == 0:
			run.name += " " + c
		}
	}
	if len(run.values) > 0 && len(cells) > 1 {
		v.runs = append(v.runs, run)
	}
}

// decides is a tool whose version decides the figures, whatever else differs, with what is
// told of it.
func (v *verdicts) decides() (at line, text string) {
	groups := map[string][]benchRun{}
	var names []string
	for _, r := range v.runs {
		key := fmt.Sprintf("%s %d", r.name, len(r.values))
		if groups[key] == nil {
			names = append(names, key)
		}
		groups[key] = append(groups[key], r)
	}
	for _, key := range names {
		runs := groups[key]
		for _, tool := range slices.Sorted(maps.Keys(runs[0].tools)) {
			if text := splitsBy(runs, tool); text != "" {
				return runs[0].at, text
			}
		}
	}
	return line{}, ""
}

// splitsBy tells of a figure that is level among the rows of one version of a tool and
// far from that of the other, "" when there is none. One version must have been measured
// twice, beside something else that differs.
func splitsBy(runs []benchRun, tool string) string {
	by := map[string][]benchRun{}
	for _, r := range runs {
		by[r.tools[tool]] = append(by[r.tools[tool]], r)
	}
	if len(by) != 2 || by[""] != nil {
		return ""
	}
	versions := slices.Sorted(maps.Keys(by))
	crossed := false
	for _, rows := range by {
		for _, r := range rows[1:] {
			crossed = crossed || len(r.tools) == 1 && len(by[versions[0]]) > 1 && len(by[versions[1]]) > 1 || !maps.Equal(r.tools, rows[0].tools)
		}
	}
	if !crossed {
		return ""
	}
	for c := range runs[0].values {
		ends := map[string][2]float64{}
		for version, rows := range by {
			low, high := rows[0].values[c], rows[0].values[c]
			for _, r := range rows {
				low, high = min(low, r.values[c]), max(high, r.values[c])
			}
			ends[version] = [2]float64{low, high}
		}
		a, b := ends[versions[0]], ends[versions[1]]
		if a[1] > versionSpread*a[0] || b[1] > versionSpread*b[0] {
			continue
		}
		if a[0] >= versionGap*b[1] || b[0] >= versionGap*a[1] {
			return fmt.Sprintf("%s %s: %g to %g, %s: %g to %g, whatever else differs", tool, versions[0], a[0], a[1], versions[1], b[0], b[1])
		}
	}
	return ""
}

// sample takes one sample of a side.
func (v *verdicts) sample(l line) {
	m := sampleOf.re.FindStringSubmatch(l.text)
	s := v.samples[m[1]]
	switch {
	case s != nil && len(s.values) < maxSampled:
		s.values = append(s.values, number(m[2]))
	case s == nil && len(v.order) < maxSampled:
		if v.samples == nil {
			v.samples = map[string]*sampled{}
		}
		name := strings.Clone(m[1])
		v.samples[name] = &sampled{[]float64{number(m[2])}, l}
		v.order = append(v.order, name)
	}
}

// scatters is a side whose samples scatter so that the other one lies among them.
func (v *verdicts) scatters() (at line, text string) {
	for _, name := range v.order {
		s := v.samples[name]
		low, high := slices.Min(s.values), slices.Max(s.values)
		if len(s.values) < fewSlower || high < sampleSpread*low {
			continue
		}
		for _, other := range v.order {
			o := v.samples[other].values
			if other != name && len(o) > 1 && slices.Min(o) >= low/nearSample && slices.Max(o) <= high*nearSample {
				return s.at, fmt.Sprintf("%s alone goes from %g to %g, and %s lies within", name, low, high, other)
			}
		}
	}
	return line{}, ""
}

// lists takes the lists of what became slower and of what uses the change.
func (v *verdicts) lists(l line) {
	if l.is(reachList) {
		for name := range strings.SplitSeq(reachList.re.FindStringSubmatch(l.text)[1], ",") {
			if name = strings.Trim(name, " *."); name != "" && len(v.reached) < maxRunsKept {
				v.reached = append(v.reached, strings.Clone(name))
			}
		}
		return
	}
	if l.is(slowerHead) {
		v.listing = true
		return
	}
	if v.listing {
		m := slowerRow.FindStringSubmatch(l.text)
		if m == nil {
			v.listing = strings.HasPrefix(l.text, "...")
			return
		}
		if len(v.slower) == 0 {
			v.slowAt = l
		}
		if len(v.slower) < maxRunsKept {
			v.slower = append(v.slower, strings.Clone(m[1]))
		}
	}
}

// figure takes the peak of the GPU, and the heads and rows of tables with rates.
func (v *verdicts) figure(l line, words []string) {
	if v.tooGood.n > 0 {
		return
	}
	for _, p := range []*matcher{peakOf, peakAfter} {
		if l.is(p) {
			m := p.re.FindStringSubmatch(l.text)
			unit, peak := rate(m[2], number(m[1]))
			if v.peak == nil {
				v.peak = map[string]float64{}
			}
			v.peak[unit] = max(v.peak[unit], peak)
			return
		}
	}
	if len(words) > 1 && len(words) < 16 && (strings.Contains(l.text, "TFLOP") || strings.Contains(l.text, "GB/s") || strings.Contains(l.text, "ms")) && !strings.ContainsAny(words[len(words)-1], "0123456789") && number(words[0]) != number(words[0]) {
		v.figures, v.millis, v.sizes = nil, nil, [3]int{-1, -1, -1}
		for i, w := range words {
			unit := ""
			switch {
			case strings.Contains(w, "TFLOP"):
				unit = "TFLOPS"
			case strings.Contains(w, "GB/s"):
				unit = "GB/s"
			case w == "ms" || strings.HasSuffix(w, "_ms") || strings.HasSuffix(w, "(ms)"):
				v.millis = append(v.millis, i)
			case len(w) == 1 && strings.Contains("MNK", w):
				v.sizes[strings.Index("MNK", w)] = i
			}
			v.figures = append(v.figures, unit)
		}
		return
	}
	// A table of pandas has one cell more, the row's number.
	if len(words) == len(v.figures)+1 {
		words = words[1:]
	}
	if len(v.figures) == 0 || len(words) != len(v.figures) {
		return
	}
	for i, unit := range v.figures {
		peak := v.peak[unit]
		if unit == "TFLOPS" && peak == 0 {
			peak = anyPeak
		}
		if unit != "" && peak > 0 && number(words[i]) > beyondPeak*peak {
			v.tooGood = l
			return
		}
	}
	if v.sizes[0] < 0 || v.sizes[1] < 0 || v.sizes[2] < 0 {
		return
	}
	work := 2 * number(words[v.sizes[0]]) * number(words[v.sizes[1]]) * number(words[v.sizes[2]])
	for _, i := range v.millis {
		if ms := number(words[i]); ms > 0 && work/ms > anyPeak*1e9 {
			v.tooGood = l
			return
		}
	}
}

// rate is a figure in the unit in which tables have it.
func rate(unit string, figure float64) (string, float64) {
	switch unit {
	case "PFLOPS":
		return "TFLOPS", 1000 * figure
	case "TB/s":
		return "GB/s", 1000 * figure
	case "TFLOP/s":
		return "TFLOPS", figure
	}
	return unit, figure
}

func (v *verdicts) end(sc *logScan) {
	tell := func(id string, at line, text string) {
		sc.explains(id, slow, at)
		if h := sc.found[id]; text != "" && h != nil && h.Line == at.n {
			sc.adds(h, text)
		}
	}
	if at, text := v.decides(); at.n > 0 {
		tell(otherVersion, at, text)
	} else if v.moved.n > 0 {
		tell(otherVersion, v.moved, v.change)
	}
	if at, text := v.scatters(); at.n > 0 {
		tell(scatter, at, text)
	}
	if v.again.n > 0 {
		tell(compiledAgain, v.again, "")
	}
	if v.tooGood.n > 0 {
		tell(untrueTimes, v.tooGood, "")
	}
	if len(v.slower) >= fewSlower && len(v.reached) > 0 && !slices.ContainsFunc(v.slower, v.reaches) {
		tell(untouched, v.slowAt, fmt.Sprintf("what uses the change is %s", strings.Join(v.reached, ", ")))
	}
}

// reaches reports whether a benchmark is one of those that use the change.
func (v *verdicts) reaches(name string) bool {
	return slices.ContainsFunc(v.reached, func(r string) bool { return strings.HasPrefix(name, r) || strings.HasPrefix(r, name) })
}
