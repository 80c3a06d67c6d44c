package triage

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Comparison is one printed comparison of a test output with the reference.
// Figures that were not printed are NaN, lists are nil.
type Comparison struct {
	Matched   float64 // share of close elements, in percent
	Ref, Test Range
	MaxAbs    float64 // largest absolute difference
	MaxRel    float64 // largest difference relative to the reference
	RTol      float64 // relative tolerance of the test
	// The largest differences that the test allows.
	AllowedAbs, AllowedRel float64
	Type                   string // data type of the output, as torch spells it without its module
	Shape                  []int  // of the output
	First                  []int  // index of the first element that differs
	Grad                   bool   // a gradient was compared

	elements int     // of the output
	wrong    float64 // elements that do not match

	at                line
	started, share    bool
	refSaid, testSaid bool // a range was printed, if only of NaN
}

// Range is the smallest and the largest value.
type Range struct{ Min, Max float64 }

// Size is the largest absolute value.
func (r Range) Size() float64 { return max(math.Abs(r.Min), math.Abs(r.Max)) }

func (r Range) finite() bool {
	return !math.IsNaN(r.Min) && !math.IsNaN(r.Max) && !math.IsInf(r.Min, 0) && !math.IsInf(r.Max, 0)
}

// comparisonLines bounds the lines of one printed comparison.
const comparisonLines = 24

// comparisonReader collects the lines of a comparison. It ends with the indices
// that differ, with another comparison, or after comparisonLines.
type comparisonReader struct {
	c     Comparison
	lines int
}

var (
	differs = regexp.MustCompile(`(OUTPUT|GRAD FOR).* DID NOT MATCH THE REFERENCE(?: \(rtol=([^,]+),)?`)
	matched = regexp.MustCompile(`\bmatched: \d+ / \d+ \[([0-9.]+|nan)%\]`)
	ranged  = regexp.MustCompile(`\b(ref|test) range:\s+(\S+) : +(\S+)`)
	shaped  = regexp.MustCompile(`\bshape: torch\.Size\(\[([\d, ]*)\]\)(?:.* dtype: torch\.(\w+))?`)
	largest = regexp.MustCompile(`max (absolute difference|relative change):\s+(\S+)`)
	indexed = regexp.MustCompile(`mismatched indices: ?tensor\(\[\[([\d, ]+)\]`)
)

func (r *comparisonReader) line(l line) (done Comparison, ok bool) {
	if !r.c.started && !strings.Contains(l.text, " DID NOT MATCH THE REFERENCE") || l.quote {
		return Comparison{}, false
	}
	if m := differs.FindStringSubmatch(l.text); m != nil {
		done, ok = r.end()
		unknown := Range{math.NaN(), math.NaN()}
		r.c = Comparison{started: true, at: l, Grad: m[1] == "GRAD FOR", Ref: unknown, Test: unknown, MaxAbs: math.NaN(), MaxRel: math.NaN(), RTol: number(m[2]), AllowedAbs: math.NaN(), AllowedRel: math.NaN()}
		r.lines = 0
		return done, ok
	}
	if !r.c.started {
		return Comparison{}, false
	}
	r.lines++
	if m := matched.FindStringSubmatch(l.text); m != nil {
		r.c.Matched, r.c.share = number(m[1]), true
	}
	if m := ranged.FindStringSubmatch(l.text); m != nil {
		v := Range{number(m[2]), number(m[3])}
		if m[1] == "ref" && !r.c.refSaid {
			r.c.Ref, r.c.refSaid = v, true
		} else if m[1] == "test" && !r.c.testSaid {
			r.c.Test, r.c.testSaid = v, true
		}
	}
	if m := shaped.FindStringSubmatch(l.text); m != nil {
		r.c.Shape, r.c.Type = numbers(m[1]), m[2]
	}
	if m := largest.FindStringSubmatch(l.text); m != nil {
		if m[1] == "relative change" {
			r.c.MaxRel = number(m[2])
		} else {
			r.c.MaxAbs = number(m[2])
		}
	}
	m := indexed.FindStringSubmatch(l.text)
	if m != nil {
		r.c.First = numbers(m[1])
	}
	if m != nil || r.lines >= comparisonLines {
		return r.end()
	}
	return Comparison{}, false
}

// begin starts a comparison without its first line, where a failed test is told of:
// some summaries leave it out.
func (r *comparisonReader) begin(l line) {
	if !r.c.started && !l.quote && strings.HasPrefix(l.text, "matched: ") && matched.MatchString(l.text) {
		unknown := Range{math.NaN(), math.NaN()}
		r.c = Comparison{started: true, at: l, Ref: unknown, Test: unknown, MaxAbs: math.NaN(), MaxRel: math.NaN(), RTol: math.NaN(), AllowedAbs: math.NaN(), AllowedRel: math.NaN()}
		r.lines = 0
	}
}

// end gives the comparison if its share is known.
func (r *comparisonReader) end() (Comparison, bool) {
	c := r.c
	r.c = Comparison{}
	return c, c.started && c.share
}

func number(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// numbers reads a list such as "262144, 1024".
func numbers(list string) []int {
	var all []int
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			return nil
		}
		all = append(all, n)
	}
	return all
}
