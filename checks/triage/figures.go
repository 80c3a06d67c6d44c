package triage

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Signatures that printed figures decide.
const (
	inexactReference = "S-C33"
	tightTolerance   = "S-C59"
	otherSetting     = "S-C34"
	otherClocks      = "S-P22"
	otherMemory      = "S-R53"
	keptMemory       = "S-R59"
	fragments        = "S-R94"
	otherType        = "S-C47"
	narrowPointer    = "S-I31"
)

// wrongValues are what says that a case gave wrong values, or failed at all.
var wrongValues = append([]string{failedCase}, mismatches...)

// unlikeValues are what says that a case compared values, and not that it failed for
// another reason.
var unlikeValues = append([]string{"S-X16"}, mismatches...)

// printed reads figures that tests and benchmarks print beside a failure, of which
// the relation says more than any word.
type printed struct {
	exact     [2]float64 // largest errors against a more exact computation, of the kernel and of the reference
	exactAt   line
	listed    int  // lines in which such errors may still be listed
	inexact   bool // an error against it is no number
	setting   line // on which the two sides name different values
	clocks    []clock
	query     bool      // a table of clocks begins with the line before
	slowest   line      // on which the present clock is far below the largest
	memory    [2]line   // out of memory: another process holds it, this one does outside of PyTorch
	pieces    line      // out of memory, though PyTorch keeps more unused than was asked for
	narrow    [2]line   // the lower half of a pointer, and the whole of it
	pointers  []pointer // of the last lines
	stride    float64   // the largest that the log tells of
	wrongType line      // the type that a launch is given is not the tensor's
	launches  launches
	layouts   layouts
	list      timeList
}

// clock is one clock of the GPU that a measurement tells of.
type clock struct {
	mhz float64
	at  line
}

// maxListed is how many lines such a list has.
const maxListed = 4

// maxClocks bounds the clocks that are kept of one log.
const maxClocks = 64

var (
	// against is an error of one side against a more exact computation.
	against = regexp.MustCompile(`\b([A-Za-z_]\w*)(?:\.\w+\(\)|'s)?(?: (?:fp32|float32|f32|tf32|max\w*|mean|rel\w*|abs\w*|err\w*|diff\w*|distance|deviat\w+|is|off))*\s*(?:-|,|vs\.?|against|to|from|w\.?r\.?t\.?)\s*(?:the )?(?:\w+_)?(?:fp64|float64|f64|double|fp32|float32|f32|gold\w*|oracle)\w*\|?\)?[^=:,\d]{0,12}(?:[=:]|\bby\b|\bis\b|\berr(?:or)?\b|\bdiff\b)\s*(nan|inf|[0-9][0-9.]*(?:e[-+]?\d+)?)`)
	// away is such an error with the figure before the computation.
	away = regexp.MustCompile(`\b([A-Za-z_]\w*) (?:is|was|are|lies|deviates by|differs by) (nan|inf|[0-9][0-9.]*(?:e[-+]?\d+)?) (?:\w+ )?(?:from|against|vs\.?) (?:the )?(?:fp64|float64|f64|double|fp32|float32|f32|gold\w*|oracle|exact)\b`)
	// measured heads the errors of both sides against a more exact computation.
	measured = regexp.MustCompile(`\b(?:vs\.?|against|to|from|w\.?r\.?t\.?|versus) (?:the |an? )?(?:fp32|float32|f32|gold\w*|oracle)\b`)
	// listing heads a list of such errors, each on a line of its own, as listedError reads it.
	listing     = regexp.MustCompile(`\b(?:[Ee]rr\w*|[Dd]iff\w*|[Dd]eviation|[Dd]istance)\b.*\b(?:vs\.?|against|to|from|w\.?r\.?t\.?|versus) (?:the |an? )?(?:float64|fp64|f64|double|fp32|float32|f32|gold\w*|oracle|exact)\b`)
	listedError = regexp.MustCompile(`^(\w+)\s*[:=]?\s+([0-9][0-9.]*(?:e[-+]?\d+)?)$`)
	anError     = regexp.MustCompile(`\d\.\d|\de-`)
	// flashed are the errors that tests of attention print of both sides.
	flashed = regexp.MustCompile(`^(Output|Pytorch|dQ|dK|dV|dQ Pytorch|dK Pytorch|dV Pytorch) max diff: (nan|inf|[0-9][0-9.]*(?:e[-+]?\d+)?)$`)
	// sided are the errors of both sides behind their names.
	sided = regexp.MustCompile(`\b([A-Za-z_]\w*)(?:'s)?\s*(?:max\w*|rel\w*|abs\w*|err\w*|rms\w*|diff\w*)?\s*[=:]?\s*([0-9][0-9.]*e[-+]?\d+|0?\.\d+)`)
	// errorOf begins the name of an error, before the side's.
	errorOf = regexp.MustCompile(`^(?:max_?|mean_?|abs_?|rel_?)*(?:err|error|diff|dist)_`)
	// theirs and our are names of the two sides.
	theirs = regexp.MustCompile(`^([Rr]ef\w*|[Tt]orch\w*|[Pp]y[Tt]orch|eager\w*|[Ee]xpected|baseline|cu[Bb][Ll][Aa][Ss]\w*|cu[Dd][Nn][Nn]\w*|want|golden|jnp|jax|numpy|np|cupy|sdpa)$`)
	our    = regexp.MustCompile(`^(y|[Oo]ut\w*|[Oo]urs?|[Kk]ernel\w*|test|got|actual|result|candidate|cu[Tt]ile\w*|[Tt]riton\w*|tile\w*|fused|res)$`)

	// named are values that both sides give one setting.
	setOurs   = probe(`\b(?:kernel|ours|wrapper|candidate|cutile\w*|test)(?: ?[=:] ?['"]?([\w.+-]+)| (\d[\w.+-]*))`)
	setTheirs = probe(`\b(?:reference|ref|torch|expected|eager)(?: ?[=:] ?['"]?([\w.+-]+)| (\d[\w.+-]*))`)
	settings  = regexp.MustCompile(`\b(eps\w*|epsilon|alpha|beta\d?|theta|base|\w*scale|approx\w*|unbiased|correction|\w*causal|interleaved|layout|rounding|mode|momentum|dim|axis|softcap|window\w*|offset|order|zero_point|divisor|group_size|page_size|block_size|bits)\b`)
	// results are figures of an outcome, of which a difference says nothing new.
	results = regexp.MustCompile(`\b(err\w*|diff\w*|max|min|mean|sum|range|norm|ms|us|time|nan|shape|strides?|mismatch\w*|matched|launch\w*|kernels)\b`)

	clockLine = regexp.MustCompile(`\b(?:SM|sm|GPU|gpu|Graphics|graphics|core)[ _.-]?(?:clock|CLOCK|Clock)|\bclocks?(?:\.current)?\.(?:sm|gr|graphics)\b`)
	clockNot  = regexp.MustCompile(`\b[Ll]ock(?:ed|ing)?\b|\b[Mm]ax(?:imum)?[ _](?:SM|sm|[Gg]raphics|clock)|\b[Ss]upported\b|\b[Dd]efault\b|\b[Bb]oost\b|\b[Aa]pplications?\b|\b[Ll]imit\b`)
	megahertz = regexp.MustCompile(`\b(\d{3,4}) ?MHz\b`)
)

func (p *printed) line(l line) {
	if l.quote {
		return
	}
	p.launches.line(l)
	p.layouts.line(l)
	p.list.line(l)
	p.tellsMemory(l)
	p.tellsPieces(l)
	p.tellsPointer(l)
	p.tellsType(l)
	p.tellsClock(l)
	if strings.Contains(l.text, "stride") && len(l.text) <= 4096 {
		for _, m := range launchStride.FindAllStringSubmatch(l.text, 16) {
			p.stride = max(p.stride, number(m[1]))
		}
	}
	if strings.Contains(l.text, "64") || strings.Contains(l.text, "32") || strings.Contains(l.text, "double") || strings.Contains(l.text, "gold") || strings.Contains(l.text, "max diff") {
		p.exactness(l)
	} else if p.listed > 0 {
		p.listed--
		if m := listedError.FindStringSubmatch(l.text); m != nil {
			switch {
			case theirs.MatchString(m[1]):
				p.far(l, 1, m[2])
			case our.MatchString(m[1]):
				p.far(l, 0, m[2])
			}
		}
	}
	if p.setting.n == 0 && (strings.IndexByte(l.text, '=') >= 0 || strings.IndexByte(l.text, ':') >= 0) {
		p.settings(l)
	}
	if strings.Contains(l.text, "MHz") && len(p.clocks) < maxClocks && clockLine.MatchString(l.text) && !clockNot.MatchString(l.text) {
		found := megahertz.FindAllStringSubmatch(l.text, -1)
		if sides := strings.Contains(l.text, "base") && (strings.Contains(l.text, "head") || strings.Contains(l.text, "current") || strings.Contains(l.text, "run")); !sides {
			found = found[:min(len(found), 1)]
		}
		for _, m := range found {
			p.clocks = append(p.clocks, clock{number(m[1]), l})
		}
	}
}

var (
	outOfMemory = regexp.MustCompile(`total capacity of ([\d.]+) ([GM])iB of which ([\d.]+) ([GM])iB is free\.`)
	ownMemory   = regexp.MustCompile(`this process has ([\d.]+) ([GM])iB memory in use`)
	byTorch     = regexp.MustCompile(`([\d.]+) ([GM])iB is (?:allocated by PyTorch|reserved by PyTorch)`)
	// What PyTorch was asked for, what it keeps unused, and both sums of older versions.
	triedMemory    = regexp.MustCompile(`Tried to allocate ([\d.]+) ([GM])iB`)
	unusedMemory   = regexp.MustCompile(`([\d.]+) ([GM])iB is reserved by PyTorch but unallocated`)
	reservedMemory = regexp.MustCompile(`([\d.]+) ([GM])iB already allocated;.* ([\d.]+) ([GM])iB reserved in total by PyTorch`)
	wholeAddress   = regexp.MustCompile(`\b0x([0-9a-fA-F]{6,16})\b`)
	cutDecimal     = regexp.MustCompile(`(?:[=:(]|->|\bis|\bgot) ?(-?\d{7,10})\b`)
	typeCode       = regexp.MustCompile(`\b(?:dtype|type)[ _]?(?:code|id|tag|enum)? ?[=:]? ?\d+ ?\(?(b?f(?:loat)?\d+|half|[iu](?:nt)?\d+)\)?.*\btorch\.(\w+)`)
)

// gib is a size in GiB.
func gib(value, unit string) float64 {
	if unit == "M" {
		return number(value) / 1024
	}
	return number(value)
}

// mostOf is the part of a GPU's memory that is called most of it.
const mostOf = 0.4

// tellsMemory takes PyTorch's message that there is no memory left: what is neither
// free nor this process's is another's, and what is this process's and not PyTorch's
// was taken by a library.
func (p *printed) tellsMemory(l line) {
	if !strings.Contains(l.text, "total capacity of ") {
		return
	}
	m, own := outOfMemory.FindStringSubmatch(l.text), ownMemory.FindStringSubmatch(l.text)
	if m != nil && own == nil && p.memory[0].n == 0 && othersHold(l.text, gib(m[1], m[2])) {
		p.memory[0] = l
	}
	if m == nil || own == nil {
		return
	}
	total, free, mine := gib(m[1], m[2]), gib(m[3], m[4]), gib(own[1], own[2])
	if p.memory[0].n == 0 && !strings.Contains(l.text, "Process ") && total-free-mine > mostOf*total {
		p.memory[0] = l
	}
	torch := 0.0
	for _, t := range byTorch.FindAllStringSubmatch(l.text, 2) {
		torch += gib(t[1], t[2])
	}
	if p.memory[1].n == 0 && torch > 0 && mine-torch > mostOf*total {
		p.memory[1] = l
	}
}

// overhead is what a process holds of a GPU's memory at most beside what PyTorch has, in
// GiB.
const overhead = 2.5

// othersHold reports whether most of a GPU's memory is another process's, by a message
// that does not say which process is its own: that is the one that holds what PyTorch has.
func othersHold(text string, total float64) bool {
	torch := 0.0
	for _, t := range byTorch.FindAllStringSubmatch(text, 2) {
		torch += gib(t[1], t[2])
	}
	found, most := 0, 0.0
	for _, m := range anotherHas.FindAllStringSubmatch(text, 16) {
		v := gib(m[2], m[3])
		if found++; v < torch || v > torch+overhead {
			most = max(most, v)
		}
	}
	return found > 1 && torch > 0 && most > mostOf*total
}

// tellsPieces takes PyTorch's message that there is no memory left, of versions old and
// new: what is asked for is smaller than what PyTorch has reserved and nobody uses.
func (p *printed) tellsPieces(l line) {
	if p.pieces.n > 0 || !strings.Contains(l.text, "by PyTorch") {
		return
	}
	asked, unused := triedMemory.FindStringSubmatch(l.text), 0.0
	if asked == nil {
		return
	}
	if m := unusedMemory.FindStringSubmatch(l.text); m != nil {
		unused = gib(m[1], m[2])
	} else if m := reservedMemory.FindStringSubmatch(l.text); m != nil {
		unused = gib(m[3], m[4]) - gib(m[1], m[2])
	}
	if unused > gib(asked[1], asked[2]) {
		p.pieces = l
	}
}

// pointer is an address, or the lower half of one, that a line shows.
type pointer struct {
	value uint64
	at    line
}

const (
	pointersNear = 4  // lines between an address and its lower half
	maxPointers  = 16 // that are remembered
	leastLow     = 1 << 20
)

// tellsPointer takes a line with addresses: one of them whole, and elsewhere near by the
// lower 32 bits of it, bare, with its sign spread, or as a decimal number.
func (p *printed) tellsPointer(l line) {
	if p.narrow[0].n > 0 || len(l.text) > 1024 || !strings.Contains(l.text, "0x") && (len(p.pointers) == 0 || l.n-p.pointers[len(p.pointers)-1].at.n > pointersNear) {
		return
	}
	p.pointers = slices.DeleteFunc(p.pointers, func(o pointer) bool { return l.n-o.at.n > pointersNear })
	for _, m := range wholeAddress.FindAllStringSubmatch(l.text, 8) {
		if v, err := strconv.ParseUint(m[1], 16, 64); err == nil {
			p.point(v, l)
		}
	}
	for _, m := range cutDecimal.FindAllStringSubmatch(l.text, 8) {
		if v, err := strconv.ParseInt(m[1], 10, 64); err == nil && v >= math.MinInt32 && v <= math.MaxUint32 {
			p.point(uint64(v)&math.MaxUint32, l)
		}
	}
}

// point compares a value with those before it.
func (p *printed) point(v uint64, l line) {
	if v>>32 == math.MaxUint32 {
		v &= math.MaxUint32
	}
	low := v & math.MaxUint32
	if low < leastLow || v >= 1<<56 || p.narrow[0].n > 0 {
		return
	}
	for _, o := range p.pointers {
		if o.value&math.MaxUint32 == low && (o.value == low) != (v == low) {
			p.narrow = [2]line{l, o.at}
			if v != low {
				p.narrow = [2]line{o.at, l}
			}
			return
		}
	}
	if len(p.pointers) < maxPointers {
		p.pointers = append(p.pointers, pointer{v, l})
	}
}

// tellsType takes a line that names the type that a launch is told of and the tensor's.
func (p *printed) tellsType(l line) {
	if p.wrongType.n > 0 || !strings.Contains(l.text, "torch.") || !strings.Contains(l.text, "type") {
		return
	}
	if m := typeCode.FindStringSubmatch(l.text); m != nil {
		if a, b := typeNames[m[1]], typeNames[m[2]]; a != "" && b != "" && a != b {
			p.wrongType = l
		}
	}
}

// tellsClock takes the row of a query of the present and the largest clock.
func (p *printed) tellsClock(l line) {
	row := p.query
	p.query = strings.Contains(l.text, "clocks.sm") && strings.Contains(l.text, "clocks.max")
	if !row || p.slowest.n > 0 {
		return
	}
	if all := megahertz.FindAllStringSubmatch(l.text, 4); len(all) == 2 && number(all[0][1]) < 0.9*number(all[1][1]) {
		p.slowest = l
	}
}

// exactness takes the errors of the two sides against a more exact computation.
func (p *printed) exactness(l line) {
	if m := flashed.FindStringSubmatch(l.text); m != nil {
		side := 0
		if strings.Contains(m[1], "Pytorch") {
			side = 1
		}
		p.far(l, side, m[2])
		return
	}
	has := func(word string) bool { return strings.Contains(l.text, word) }
	double := has("fp64") || has("float64") || has("f64") || has("double")
	if len(l.text) > 1024 || !double && !has("fp32") && !has("float32") && !has("f32") && !has("gold") && !has("oracle") {
		return
	}
	if listing.MatchString(l.text) && !anError.MatchString(l.text) {
		p.listed = maxListed
	}
	pairs := away.FindAllStringSubmatch(l.text, -1)
	if len(pairs) == 0 {
		pairs = against.FindAllStringSubmatch(l.text, -1)
	}
	if len(pairs) == 0 && (double || measured.MatchString(l.text)) {
		pairs = sided.FindAllStringSubmatch(l.text, -1)
	}
	for _, m := range pairs {
		switch name := errorOf.ReplaceAllString(m[1], ""); {
		case theirs.MatchString(name):
			p.far(l, 1, m[2])
		case our.MatchString(name):
			p.far(l, 0, m[2])
		}
	}
}

// far takes the error of one side against a more exact computation.
func (p *printed) far(l line, side int, figure string) {
	v := number(figure)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		p.inexact = true
		return
	}
	p.exact[side] = math.Max(p.exact[side], v)
	p.exactAt = l
}

// settings takes a line on which both sides name their value of one setting.
func (p *printed) settings(l line) {
	if strings.Contains(l.text, ".py:") || !setTheirs.need.in(l.text) || !setOurs.need.in(l.text) {
		return
	}
	a, b := setOurs.re.FindStringSubmatch(l.text), setTheirs.re.FindStringSubmatch(l.text)
	if a == nil || b == nil || a[1]+a[2] == b[1]+b[2] || !settings.MatchString(l.text) || results.MatchString(l.text) {
		return
	}
	if x, y := number(strings.TrimRight(a[1]+a[2], ".")), number(strings.TrimRight(b[1]+b[2], ".")); x == y {
		return
	}
	p.setting = l
}

const (
	asExact     = 1.25 // times that the kernel's error may exceed the reference's, to be called equal
	moreExact   = 8    // times that the reference's error must exceed the kernel's
	sameClock   = 0.03 // part by which clocks of one state differ
	exactEnough = 1e-2 // the largest error of a kernel that is called exact
)

func (p *printed) end(sc *logScan) {
	p.launches.end(sc)
	p.layouts.end(sc)
	p.list.end(sc)
	if p.memory[0].n > 0 && (sc.found["S-R58"] == nil || !strings.Contains(p.memory[0].text, "Process ")) {
		sc.explains(otherMemory, []string{"S-R13"}, p.memory[0])
	}
	if p.memory[1].n > 0 {
		sc.explains(keptMemory, []string{"S-R13"}, p.memory[1])
	}
	if p.pieces.n > 0 {
		sc.explains(fragments, []string{"S-R13"}, p.pieces)
	}
	if p.narrow[0].n > 0 {
		sc.explains(narrowPointer, append([]string{"S-R06", "S-R24", "S-R39", "S-R62"}, wrongValues...), p.narrow[0])
		if h := sc.found[narrowPointer]; h != nil && h.log == sc.logs && h.Line == p.narrow[0].n && p.narrow[1].n != p.narrow[0].n {
			h.quote(p.narrow[1].text)
		}
	}
	if p.wrongType.n > 0 {
		sc.explains(otherType, wrongValues, p.wrongType)
	}
	if p.slowest.n > 0 {
		sc.explains(clocks, slow, p.slowest)
	}
	if ours, reference := p.exact[0], p.exact[1]; ours > 0 && reference > 0 && !p.inexact {
		switch {
		case ours < exactEnough && reference > moreExact*ours:
			sc.explains(inexactReference, wrongValues, p.exactAt)
		case ours <= asExact*reference && reference <= moreExact*ours:
			sc.explains(tightTolerance, unlikeValues, p.exactAt)
		}
	}
	if p.setting.n > 0 {
		sc.explains(otherSetting, wrongValues, p.setting)
	}
	if len(p.clocks) > 1 {
		low, high := p.clocks[0], p.clocks[0]
		for _, c := range p.clocks {
			if c.mhz < low.mhz {
				low = c
			}
			if c.mhz > high.mhz {
				high = c
			}
		}
		if high.mhz > (1+sameClock)*low.mhz {
			sc.explains(otherClocks, slow, low.at)
		}
	}
}

var (
	notPacked = regexp.MustCompile(`\b(?:is_)?contiguous(?:\(\))? ?[=:] ?False\b|\b[Nn]on-?contiguous\b`)
	strideOf  = regexp.MustCompile(`\bstrides?(?:\(\))? ?[=:]? ?[(\[]([\d, ]+)[)\]]`)
)

// showsView reports whether a line tells of an operand whose elements do not lie one
// after the other in the order of its dimensions.
func showsView(text string) bool {
	if !strings.Contains(text, "contiguous") && !strings.Contains(text, "stride") {
		return false
	}
	if notPacked.MatchString(text) {
		return true
	}
	for _, m := range strideOf.FindAllStringSubmatch(text, 8) {
		s := numbers(strings.TrimRight(m[1], ", "))
		for i := range s {
			if last := i == len(s)-1; last && len(s) > 1 && s[i] != 1 || !last && s[i] < s[i+1] {
				return true
			}
		}
	}
	return false
}

// closeReader reads what torch.testing.assert_close prints.
type closeReader struct{ c *Comparison }

var (
	unlike = regexp.MustCompile(`^Mismatched elements: (\d+) / (\d+) `)
	apart  = regexp.MustCompile(`^Greatest (absolute|relative) difference: (\S+) at index \(([\d, ]*)\)(?: \(up to (\S+) allowed\))?`)
)

// line takes a line, and gives the comparison that ends before it or with it.
func (r *closeReader) line(l line) (done Comparison, ok bool) {
	if l.text == "" || l.text[0] != 'M' && l.text[0] != 'G' {
		return Comparison{}, false
	}
	if m := unlike.FindStringSubmatch(l.text); m != nil {
		done, ok = r.end()
		wrong, all := number(m[1]), number(m[2])
		unknown := number("")
		r.c = &Comparison{elements: int(all), wrong: wrong, Matched: 100 * (1 - wrong/all), Ref: Range{unknown, unknown}, Test: Range{unknown, unknown}, MaxAbs: unknown, MaxRel: unknown, RTol: unknown, AllowedAbs: unknown, AllowedRel: unknown, at: l}
		return done, ok
	}
	if r.c == nil {
		return Comparison{}, false
	}
	if m := apart.FindStringSubmatch(l.text); m != nil {
		if m[1] == "absolute" {
			r.c.MaxAbs, r.c.AllowedAbs = number(m[2]), number(m[4])
		} else {
			r.c.MaxRel, r.c.AllowedRel = number(m[2]), number(m[4])
			return r.end()
		}
	}
	return Comparison{}, false
}

func (r *closeReader) end() (Comparison, bool) {
	if r.c == nil {
		return Comparison{}, false
	}
	done := *r.c
	r.c = nil
	return done, true
}

const (
	fewWrong   = 99.9 // percent of the elements that match
	barely     = 4    // times the tolerance
	unitsOfEnd = 64   // rounding steps of float32 that equality forgives
)

// justBeyond is S-C43: in every case that fails nearly all values match, and none is
// far beyond the tolerance.
func justBeyond(run Run) *Seen {
	var first *Case
	for _, c := range slices.Concat(run.Cases, run.Others) {
		if !c.Failed {
			continue
		}
		if c.Compared == nil || !c.Compared.barely() {
			return nil
		}
		if first == nil {
			first = &c
		}
	}
	if first == nil {
		return nil
	}
	x := first.Compared
	return &Seen{What: fmt.Sprintf("%s: %.4g %% of the values match, the largest difference is %.3g where %.3g is allowed", first.ID.Config(), x.Matched, x.MaxAbs, x.AllowedAbs), log: first.log, line: first.line}
}

// barely reports whether a comparison fails by a few values that are little beyond the
// tolerance; of a tolerance of 0, by rounding.
func (c Comparison) barely() bool {
	switch {
	case math.IsNaN(c.AllowedAbs) || math.IsNaN(c.MaxAbs):
		return false
	case c.AllowedAbs == 0 && c.AllowedRel == 0:
		return c.MaxRel <= unitsOfEnd*spacing["float32"]
	}
	return c.Matched >= fewWrong && c.Matched < 100 && c.MaxAbs <= barely*c.AllowedAbs
}
