package triage

import (
	"math"
	"regexp"
	"strings"
)

// multiples reads the pairs of values that failed comparisons print, the output's and
// the reference's, and sees whether one is a whole multiple of the other in all of
// them.
type multiples struct {
	first  string // the side of a pair that has been read
	values []float64
	age    int // lines since then
	at     line
	factor float64 // what all pairs so far have in common, 0 before the first
	mixed  bool    // two pairs have not
	pairs  map[[2]float64]bool
	strong bool // one pair is no coincidence by itself
	listed int  // pairs of the longest lists
}

const (
	multiple     = "S-C31"
	mostMultiple = 64   // the largest factor
	mostPairs    = 64   // pairs that are kept
	pairLines    = 3    // lines between the two sides of a pair
	bigValue     = 100  // from which one pair is enough
	pairAccuracy = 1e-6 // relative
)

// sides are the marks of the two sides, as NumPy prints them in two versions.
var sides = [][2]string{{"ACTUAL: ", "DESIRED: "}, {"x: array(", "y: array("}}

var (
	figure   = regexp.MustCompile(`-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?`)
	inOne    = probe(`[Ee]xpected:? (-?[\d.]+(?:e[-+]?\d+)?)(?: but got|,? (?:got|actual|found):?) (-?\d[\d.]*(?:e[-+]?\d+)?)`)
	textPart = regexp.MustCompile(`, dtype=.*|\w+\(|[^-+.\deE\[\], ()]`)
)

func (m *multiples) line(l line) {
	if m.mixed {
		return
	}
	if m.first != "" {
		if m.age++; m.age > pairLines {
			m.first = ""
		}
	}
	for _, s := range sides {
		if rest, ok := strings.CutPrefix(l.text, s[0]); ok {
			m.first, m.values, m.age = s[0], figures(rest), 0
			return
		}
		if rest, ok := strings.CutPrefix(l.text, s[1]); ok && m.first == s[0] {
			m.first = ""
			m.pair(l, m.values, figures(rest))
			return
		}
	}
	if strings.HasSuffix(l.text, "]") {
		if f := gotList.FindStringSubmatch(l.text); f != nil {
			m.first, m.values, m.age = "list", figures(f[1]), 0
			return
		}
		if f := refList.FindStringSubmatch(l.text); f != nil && m.first == "list" {
			ref := figures(f[1])
			m.first, m.listed = "", max(m.listed, min(len(m.values), len(ref)))
			m.pair(l, m.values, ref)
			return
		}
	}
	if !l.quote && inOne.need.in(l.text) {
		if f := inOne.re.FindStringSubmatch(l.text); f != nil {
			m.pair(l, []float64{number(strings.TrimRight(f[1], "."))}, []float64{number(strings.TrimRight(f[2], "."))})
		}
	}
}

// figures are the numbers of a printed scalar or of the first line of an array.
func figures(text string) []float64 {
	if len(text) > 4096 {
		return nil
	}
	var all []float64
	for _, f := range figure.FindAllString(textPart.ReplaceAllString(text, " "), mostPairs) {
		all = append(all, number(f))
	}
	return all
}

// pair takes the values of one comparison.
func (m *multiples) pair(l line, a, b []float64) {
	for i := range min(len(a), len(b)) {
		x, y := math.Abs(a[i]), math.Abs(b[i])
		if x == 0 && y == 0 {
			continue
		}
		f := math.Max(x, y) / math.Min(x, y)
		if !(f <= mostMultiple) || math.Round(f) < 2 || math.Abs(f-math.Round(f)) > pairAccuracy*f || m.factor != 0 && math.Round(f) != m.factor || math.Signbit(a[i]) != math.Signbit(b[i]) {
			m.mixed = true
			return
		}
		if m.factor == 0 {
			m.factor, m.at, m.pairs = math.Round(f), l, map[[2]float64]bool{}
		}
		if len(m.pairs) < mostPairs {
			m.pairs[[2]float64{x, y}] = true
		}
		m.strong = m.strong || math.Min(x, y) >= bigValue
	}
}

func (m *multiples) end(sc *logScan) {
	if !m.mixed && (m.strong || len(m.pairs) >= 3 || m.factor != 0 && m.listed >= 3) {
		sc.explains(multiple, mismatches, m.at)
	}
}
