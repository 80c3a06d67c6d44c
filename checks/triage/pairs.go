package triage

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// pairs reads values of both sides that a test prints one below the other: tables with
// a column for each side, lines that name both, and whole tensors. How all of them
// differ tells the cause.
type pairs struct {
	columns [2]int // of a table, the output's first
	width   int    // cells of its head, 0 outside of one
	blank   int    // lines since its last row
	got     []float64
	want    []float64
	at      line
	whole   [2][][]float64 // the rows of two printed tensors
	open    int            // the tensor whose rows follow: 1, 2, 0 for none
	before  [16]string     // the lines before the values, a ring
	found   []conclusion
	calls   []call
	places  map[string][]place
	nouns   []string
	ratios  []ratio
}

// conclusion is what the values tell.
type conclusion struct {
	id string
	at line
}

// call is what one of several equal calls gave.
type call struct {
	n         int
	got, want float64
	at        line
}

// place is whether a head, a tile or the like is right.
type place struct {
	n    int
	good bool
	at   line
}

// ratio is what one line tells of all values.
type ratio struct {
	value float64
	at    line
}

const (
	maxPairs     = 256  // values, calls and places that are kept
	fewPairs     = 3    // values that tell something
	maxSizes     = 64   // whole numbers that are kept
	sameRatio    = 2e-3 // relative, by which equal ratios differ in print
	equalTo      = 1e-4 // relative, by which equal values differ in print
	fullRight    = 5e-3 // relative to 1, of a ratio that says that nothing is wrong
	smallErr     = 1e-2 // the largest error of a place that is right
	largeErr     = 0.05 // the smallest of one that is wrong
	maxRows      = 64   // of a tensor
	leastExcess  = 2e-4 // beyond 1, of a ratio that is told
	partOfExcess = 0.05 // of what a ratio is beyond 1, by which equal ones differ
	repeated     = 1e-3 // relative, by which calls must differ to be unlike
)

var (
	figureText = `(-?\d[\d.]*(?:e[-+]?\d+)?)`
	gotFirst   = regexp.MustCompile(`\b(?:got|actual|ours?|out(?:put)?|kernel|result)\b[ =:]{1,3}` + figureText + `\b.{0,12}\b(?:want|expected|ref(?:erence)?|torch|golden|should be)\b[ =:]{0,3}` + figureText + `(?:$|[ ,;)])`)
	wantFirst  = regexp.MustCompile(`\b(?:want|expected|ref(?:erence)?|torch|golden)\b[ =:]{1,3}` + figureText + `\b.{0,12}\b(?:got|actual|ours?|out(?:put)?|kernel|result)\b[ =:]{1,3}` + figureText + `(?:$|[ ,;)])`)
	callLine   = regexp.MustCompile(`^\W*(?:call|run|iter(?:ation)?|launch|attempt|repeat|replay|trial|rep)[ #=:_]*(\d+)\b`)
	placeLine  = regexp.MustCompile(`(?i)^\W*(q_?head|kv_?head|head|batch|row|tile|block|group|expert|layer|chunk|split|seq(?:uence)?|token|page|rank|warp|cta|col(?:umn)?|slice|sample|channel|gpu|device|cuda)[ #=_:\[]*(\d+)\]?\b(.*)$`)
	goodWord   = regexp.MustCompile(`\b(?:ok|OK|pass(?:ed)?|PASS(?:ED)?|match(?:es)?|correct|good|fine|equal|right|close)\b`)
	badWord    = regexp.MustCompile(`\b(?:WRONG|wrong|bad|BAD|FAIL\w*|fail\w*|mismatch\w*|MISMATCH\w*|differs?|DIFFERS?|incorrect|nan|NaN)\b|\bnot (?:ok|equal|close|correct)\b`)
	errorValue = regexp.MustCompile(`\b(?:err(?:or)?|diff(?:erence)?)s?\b[^\d]{0,8}(\d[\d.]*(?:e[-+]?\d+)?)`)
	wholeSize  = regexp.MustCompile(`(?:^|[ =:x,(\[])(\d{1,6})(?:$|[ ,;:)x\]])`)
	ratioRange = regexp.MustCompile(`\b(?:[Rr]atio|(?:got|out\w*|actual|kernel|test|ours?) ?/ ?(?:want|ref\w*|expected|torch))\b.*?\bmin\W{0,3}` + figureText + `.*?\bmax\W{0,3}` + figureText)
	tensorOf   = regexp.MustCompile(`^([A-Za-z_]\w*)\W{0,3}(tensor\(|\[\[|array\()?`)
)

func (p *pairs) line(l line) {
	if l.quote || len(l.text) > 2048 {
		return
	}
	if p.open > 0 || len(l.text) < 24 && (strings.HasSuffix(l.text, ":") || sideOfColumn(l.text) >= 0) || strings.Contains(l.text, "[[") {
		if p.tensor(l) {
			return
		}
	}
	if p.width > 0 {
		p.row(l)
	}
	if namesSide(l.text) {
		if strings.ContainsAny(l.text, "0123456789") {
			p.named(l)
		} else {
			p.head(l)
		}
	}
	if noun := leadingWord(l.text); placeNouns[noun] {
		p.tellsPlace(l)
	}
	if strings.Contains(l.text, "max") && strings.Contains(l.text, "min") {
		p.tellsRatio(l)
	}
	if p.width == 0 && len(p.got) == 0 {
		p.before[l.n%len(p.before)] = l.text
	}
}

// namesSide reports whether a line may name the reference, as heads of tables and lines
// with the values of both sides do.
func namesSide(text string) bool {
	return strings.Contains(text, "want") || strings.Contains(text, "xpected") || strings.Contains(text, "ref") || strings.Contains(text, "Ref") || strings.Contains(text, "torch") || strings.Contains(text, "golden") || strings.Contains(text, "numpy") || strings.Contains(text, "eager") || strings.Contains(text, "should be")
}

// leadingWord is the first word of a line in small letters, "" where it is long.
func leadingWord(text string) string {
	start := 0
	for start < len(text) && start < 4 && !isLetter(text[start]) {
		start++
	}
	end := start
	for end < len(text) && end-start <= 10 && (isLetter(text[end]) || text[end] == '_') {
		end++
	}
	if end-start > 10 || end == start {
		return ""
	}
	return strings.TrimRight(strings.ToLower(text[start:end]), "_")
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// placeNouns are the words before the number of a place.
var placeNouns = func() map[string]bool {
	all := map[string]bool{}
	for n := range strings.SplitSeq("q_head qhead kv_head kvhead head batch row tile block group expert layer chunk split seq sequence token page rank warp cta col column slice sample channel gpu device cuda", " ") {
		all[n] = true
	}
	return all
}()

// sizesBefore are the whole numbers of the lines before the values.
func (p *pairs) sizesBefore() []float64 {
	var sizes []float64
	for _, text := range p.before {
		for _, m := range wholeSize.FindAllStringSubmatch(text, 8) {
			if v := number(m[1]); v >= 2 && !slices.Contains(sizes, v) {
				sizes = append(sizes, v)
			}
		}
	}
	return sizes
}

// sideOfColumn is the side whose values stand below a word: 0 for the output, 1 for the
// reference, -1 for neither.
func sideOfColumn(word string) int {
	switch {
	case our.MatchString(word):
		return 0
	case theirs.MatchString(word):
		return 1
	}
	return -1
}

// head takes the head of a table with a column for each side.
func (p *pairs) head(l line) {
	words := strings.Fields(strings.ReplaceAll(l.text, "|", " "))
	if len(words) < 2 || len(words) > 8 {
		return
	}
	at := [2]int{-1, -1}
	for i, w := range words {
		if s := sideOfColumn(strings.TrimSuffix(w, ":")); s >= 0 {
			if at[s] >= 0 {
				return
			}
			at[s] = i
		} else if strings.ContainsAny(w, "0123456789=") {
			return
		}
	}
	if at[0] >= 0 && at[1] >= 0 {
		p.judge()
		p.columns, p.width, p.blank, p.at = at, len(words), 0, l
	}
}

// row takes a row of such a table.
func (p *pairs) row(l line) {
	words := strings.Fields(strings.ReplaceAll(l.text, "|", " "))
	if len(words) == p.width {
		a, b := number(words[p.columns[0]]), number(words[p.columns[1]])
		if !math.IsNaN(a) && !math.IsNaN(b) {
			p.take(a, b)
			p.blank = 0
			return
		}
	}
	if p.blank++; p.blank > 1 {
		p.judge()
	}
}

func (p *pairs) take(got, want float64) {
	if len(p.got) < maxPairs {
		p.got, p.want = append(p.got, got), append(p.want, want)
	}
}

// named takes a line that names the values of both sides.
func (p *pairs) named(l line) {
	got, want := math.NaN(), math.NaN()
	if m := gotFirst.FindStringSubmatch(l.text); m != nil {
		got, want = number(m[1]), number(m[2])
	} else if m := wantFirst.FindStringSubmatch(l.text); m != nil {
		got, want = number(m[2]), number(m[1])
	}
	if math.IsNaN(got) || math.IsNaN(want) {
		return
	}
	if m := callLine.FindStringSubmatch(l.text); m != nil {
		if len(p.calls) < maxPairs {
			p.calls = append(p.calls, call{int(number(m[1])), got, want, l})
		}
		return
	}
	if p.width > 0 {
		return
	}
	if len(p.got) == 0 {
		p.at = l
	}
	p.take(got, want)
}

// tellsPlace takes a line that says of one head, tile or the like whether it is right.
func (p *pairs) tellsPlace(l line) {
	m := placeLine.FindStringSubmatch(l.text)
	if m == nil {
		return
	}
	noun := strings.ToLower(m[1])
	good, bad := goodWord.MatchString(m[3]), badWord.MatchString(m[3])
	if bad {
		good = false
	} else if !good {
		e := errorValue.FindStringSubmatch(m[3])
		if e == nil {
			return
		}
		v := number(e[1])
		if good, bad = v <= smallErr, v >= largeErr; !good && !bad {
			return
		}
	}
	if p.places == nil {
		p.places = map[string][]place{}
	}
	if _, known := p.places[noun]; !known {
		if len(p.nouns) >= 8 {
			return
		}
		p.nouns = append(p.nouns, noun)
	}
	if len(p.places[noun]) < maxPairs {
		p.places[noun] = append(p.places[noun], place{int(number(m[2])), good, l})
	}
}

// tellsRatio takes a line with the range of the ratio of both sides.
func (p *pairs) tellsRatio(l line) {
	m := ratioRange.FindStringSubmatch(l.text)
	if m == nil {
		return
	}
	a, b := number(m[1]), number(m[2])
	if math.Abs(a-b) <= sameRatio*math.Abs(b) && math.Abs(b-1) > fullRight && b != 0 && len(p.ratios) < maxPairs {
		p.ratios = append(p.ratios, ratio{b, l})
	}
}

// tensor takes the rows of tensors that are printed whole below the name of a side; ok
// is false for a line of neither.
func (p *pairs) tensor(l line) (ok bool) {
	text := l.text
	if m := tensorOf.FindStringSubmatch(text); m != nil && (m[2] != "" || strings.HasSuffix(text, ":") || text == m[1]) {
		if s := sideOfColumn(m[1]); s >= 0 {
			p.open = s + 1
			p.whole[s] = nil
			if s == 0 {
				p.whole[1] = nil
			}
			if text = strings.TrimLeft(text[len(m[1]):], " =:"); text == "" {
				return true
			}
		} else if m[1] != "tensor" && m[1] != "array" {
			p.open = 0
			return false
		}
	}
	if p.open == 0 || !strings.Contains(text, "[") || strings.Contains(text, "...") {
		p.open = 0
		return false
	}
	text, _, _ = strings.Cut(text, "device=")
	if row := figures(text); len(row) > 0 && len(p.whole[p.open-1]) < maxRows {
		p.whole[p.open-1] = append(p.whole[p.open-1], row)
	}
	if strings.Contains(text, "]]") || !strings.Contains(text, "[[") && len(p.whole[p.open-1]) == 1 {
		done := p.open == 2
		p.open = 0
		if got, want := slices.Concat(p.whole[0]...), slices.Concat(p.whole[1]...); done && len(got) == len(want) && len(p.whole[0]) == len(p.whole[1]) {
			p.judge()
			p.at = l
			for i := range got {
				p.take(got[i], want[i])
			}
			p.judge()
		}
	}
	return true
}

// tells notes what values tell.
func (p *pairs) tells(id, what string) {
	if len(p.found) < 8 {
		p.found = append(p.found, conclusion{id, line{n: p.at.n, text: what, step: p.at.step}})
	}
}

// near reports whether two values are equal but for what print cuts off.
func near(a, b float64) bool {
	return math.Abs(a-b) <= equalTo*math.Max(math.Abs(a), math.Abs(b))
}

// distinct counts the values of a list, up to a few.
func distinct(list []float64) int {
	var seen []float64
	for _, v := range list {
		if !slices.Contains(seen, v) && len(seen) < 8 {
			seen = append(seen, v)
		}
	}
	return len(seen)
}

// judge ends a list of values and says how the sides differ.
func (p *pairs) judge() {
	got, want := p.got, p.want
	p.got, p.want, p.width, p.blank = nil, nil, 0, 0
	n := len(got)
	if n < fewPairs || distinct(want) < fewPairs {
		return
	}
	equal := func(i int) bool { return near(got[i], want[i]) }
	right := 0
	for i := range got {
		if equal(i) {
			right++
		}
	}
	if right == n {
		return
	}
	if zeros(got) && !zeros(want) {
		p.tells("S-C01", fmt.Sprintf("all %d values that are shown are 0", n))
		return
	}
	if r, ok := constant(got, want); ok {
		p.factor(r, fmt.Sprintf("all %d values", n))
		return
	}
	if d := got[0] - want[0]; n > fewPairs && d != 0 && right == 0 && !slices.ContainsFunc(index0(n), func(i int) bool {
		return math.Abs(got[i]-want[i]-d) > sameRatio*math.Abs(d)
	}) {
		p.tells("S-C18", fmt.Sprintf("all %d values are the reference's and %.4g more", n, d))
		return
	}
	if k := slices.IndexFunc(index0(n), func(i int) bool { return !equal(i) }); k > 0 && right == k && n-k >= 1 && zeros(got[k:]) {
		p.tells("S-C27", fmt.Sprintf("the first %d of %d values are right, the others 0", k, n))
		return
	}
	if n < 4 {
		return
	}
	shifted := func(by int) bool {
		for i := range n - 1 {
			a, b := i, i+by
			if by < 0 {
				a, b = i+1, i
			}
			if !near(got[a], want[b]) {
				return false
			}
		}
		return true
	}
	if right <= n/4 && (shifted(1) || shifted(-1)) {
		p.tells("S-C39", fmt.Sprintf("each of the %d values is the reference's one place away", n))
		return
	}
	a, b := slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if distinct(want) > fewPairs && !slices.ContainsFunc(index0(n), func(i int) bool { return !near(a[i], b[i]) }) {
		p.tells("S-C02", fmt.Sprintf("the %d values are the reference's in another order", n))
	}
}

func index0(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func zeros(list []float64) bool {
	return !slices.ContainsFunc(list, func(v float64) bool { return v != 0 })
}

// constant is the ratio that all pairs have.
func constant(got, want []float64) (float64, bool) {
	first := math.NaN()
	for i := range got {
		switch r := got[i] / want[i]; {
		case got[i] == 0 && want[i] == 0:
		case math.IsNaN(r) || math.IsInf(r, 0) || r == 0:
			return 0, false
		case math.IsNaN(first):
			first = r
		case math.Abs(r-first) > min(sameRatio*math.Abs(first), partOfExcess*math.Abs(first-1)):
			return 0, false
		}
	}
	return first, math.Abs(first-1) > leastExcess
}

// factor tells of a ratio that all values have: a whole multiple, a constant that
// formulas have, or one that two sizes make.
func (p *pairs) factor(r float64, of string) {
	close := func(v float64) bool { return math.Abs(r-v) <= sameRatio*math.Abs(v) }
	if whole := math.Max(math.Abs(r), 1/math.Abs(r)); r > 0 && math.Abs(whole-math.Round(whole)) < sameRatio && math.Round(whole) >= 2 && whole < mostMultiple {
		p.tells(multiple, fmt.Sprintf("%s are %.4g times the reference's", of, r))
		return
	}
	from := ""
	for _, f := range factors {
		if close(f.value) {
			from = f.from
		}
	}
	for d := 16.0; d <= 512 && from == ""; d *= 2 {
		switch {
		case close(math.Sqrt(d)):
			from = fmt.Sprintf("the square root of %.0f: a scale that is missing or undone", d)
		case close(1 / math.Sqrt(d)):
			from = fmt.Sprintf("1 over the square root of %.0f: a scale that is applied twice or too many", d)
		}
	}
	sizes := p.sizesBefore()
	for _, a := range sizes {
		for _, b := range sizes {
			if from == "" && a != b && a > 16 && b > 16 && close(a/b) {
				from = fmt.Sprintf("%.0f / %.0f: it divides or multiplies by the wrong one of two sizes", a, b)
			}
		}
	}
	for _, n := range sizes {
		if from != "" || n < 3 {
			continue
		}
		for _, e := range []float64{n / (n - 1), (n - 1) / n, math.Sqrt(n / (n - 1)), math.Sqrt((n - 1) / n)} {
			if math.Abs(r-e) <= partOfExcess*math.Abs(e-1) {
				from = fmt.Sprintf("that of %.0f and %.0f: one side divides by the number of values, the other by one less", n, n-1)
			}
		}
	}
	if math.Abs(r-1) <= fullRight && from == "" {
		return
	}
	what := fmt.Sprintf("%s are %.6g times the reference's", of, r)
	if from != "" {
		what += ", which is " + from
	}
	p.tells("S-C18", what)
}

func (p *pairs) end(sc *logScan) {
	p.judge()
	p.judgeCalls()
	p.judgePlaces()
	p.judgeRatios()
	for _, c := range p.found {
		sc.explains(c.id, wrongValues, c.at)
	}
}

// judgeRatios tells of ratios that are constant, each for one size.
func (p *pairs) judgeRatios() {
	if len(p.ratios) == 0 {
		return
	}
	first := p.ratios[0]
	p.at = first.at
	if other := slices.IndexFunc(p.ratios, func(r ratio) bool { return !near(r.value, first.value) }); other >= 0 {
		p.tells("S-C18", fmt.Sprintf("all values are %.5g times the reference's in one case and %.5g times in another: the factor depends on a size", first.value, p.ratios[other].value))
		return
	}
	p.factor(first.value, "all values")
}

// judgeCalls tells of equal calls of which the results differ.
func (p *pairs) judgeCalls() {
	c := p.calls
	if len(c) < fewPairs || slices.ContainsFunc(c, func(k call) bool { return !near(k.want, c[0].want) }) || c[0].want == 0 {
		return
	}
	for i := range c {
		if i > 0 && c[i].n != c[i-1].n+1 {
			return
		}
	}
	unlike := func(a, b float64) bool { return math.Abs(a-b) > repeated*math.Max(math.Abs(a), math.Abs(b)) }
	times, later, turns, equal := true, true, 0, true
	for i, k := range c {
		times = times && !unlike(k.got, float64(i+1)*k.want)
		later = later && unlike(k.got, k.want) == (i > 0)
		equal = equal && !unlike(k.got, c[0].got)
		if i > 1 && (c[i].got-c[i-1].got)*(c[i-1].got-c[i-2].got) < 0 {
			turns++
		}
	}
	p.at = c[1].at
	switch {
	case times:
		p.tells("S-C36", fmt.Sprintf("call %d gives %g times what is right, call %d %g times: each adds to what the one before left", c[1].n, 2.0, c[2].n, 3.0))
	case later:
		p.tells("S-C36", fmt.Sprintf("the first call is right, and all %d later ones are not", len(c)-1))
	case !equal && turns > 0:
		p.tells(nondeterminism, fmt.Sprintf("%d equal calls give different values, now more, now less", len(c)))
	}
}

// judgePlaces tells of heads, tiles and the like of which some are right.
func (p *pairs) judgePlaces() {
	for _, noun := range p.nouns {
		var good, bad []place
		twice := map[int]bool{}
		again := false
		for _, k := range p.places[noun] {
			again = again || twice[k.n]
			twice[k.n] = true
			if k.good {
				good = append(good, k)
			} else {
				bad = append(bad, k)
			}
		}
		if again || len(good) == 0 || len(bad) == 0 || len(good)+len(bad) < fewPairs {
			continue
		}
		p.at = bad[0].at
		first, last := bad[0].n, 0
		for _, k := range p.places[noun] {
			last = max(last, k.n)
		}
		tail := !slices.ContainsFunc(good, func(k place) bool { return k.n > first })
		gpu := noun == "gpu" || noun == "device" || noun == "cuda" || noun == "rank"
		long := noun == "row" || strings.HasPrefix(noun, "col") || noun == "tile" || noun == "block" || noun == "cta" || noun == "chunk" || noun == "page" || noun == "token"
		switch {
		case gpu && len(bad) == 1 && len(good) >= 2:
			p.tells(badGPU, fmt.Sprintf("only %s %d is wrong, and %d others are right", noun, first, len(good)))
		case gpu:
		case len(good) == 1 && good[0].n == 0:
			p.tells("S-C49", fmt.Sprintf("only %s 0 is right, and all %d others that are told of are wrong", noun, len(bad)))
		case long && tail && len(good) >= 2:
			p.tells("S-C27", fmt.Sprintf("%s %d and what comes after it is wrong, and all before it are right", noun, first))
		}
	}
}

const badGPU = "S-C76"

// saysUnlike reports whether a line says that values differ.
func saysUnlike(text string) bool {
	return strings.Contains(text, "-likes are not ") || strings.Contains(text, "Mismatched elements: ") || strings.Contains(text, "Arrays are not ") || strings.Contains(text, "DID NOT MATCH THE REFERENCE") ||
		strings.Contains(text, "total failing elements: ") || strings.Contains(text, "Number of mismatched elements: ") || strings.Contains(text, ").abs().max()") ||
		strings.Contains(text, "Outputs not close enough in tensor") || strings.Contains(text, " ratio: ") && farRatioOf.MatchString(text)
}

// farRatioOf is an assertion about the error of one tensor and its ratio to the values.
var farRatioOf = regexp.MustCompile(`\bAssertionError: \w+ +diff: `)
