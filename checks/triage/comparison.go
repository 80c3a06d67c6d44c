package triage

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Comparison is one printed comparison of a test output with the reference.
// Ranges are the smallest and largest values; they are NaN when not printed.
type Comparison struct {
	Matched        float64 // share of close elements, in percent
	Ref, Test      Range
	Grad           bool // a gradient was compared
	at             line
	refOK, testOK  bool
	started, share bool
}

// Range is the smallest and the largest value.
type Range struct{ Min, Max float64 }

// Size is the largest absolute value.
func (r Range) Size() float64 { return max(math.Abs(r.Min), math.Abs(r.Max)) }

func (r Range) finite() bool {
	return !math.IsNaN(r.Min) && !math.IsNaN(r.Max) && !math.IsInf(r.Min, 0) && !math.IsInf(r.Max, 0)
}

// comparisonReader collects the lines of a comparison. The comparison ends when
// both ranges are known or another one begins.
type comparisonReader struct{ c Comparison }

var (
	differs = regexp.MustCompile(`(OUTPUT|GRAD FOR).* DID NOT MATCH THE REFERENCE`)
	matched = regexp.MustCompile(`\bmatched: \d+ / \d+ \[([0-9.]+|nan)%\]`)
	ranged  = regexp.MustCompile(`\b(ref|test) range:\s+(\S+) : +(\S+)`)
)

func (r *comparisonReader) line(l line) (done Comparison, ok bool) {
	if l.quote {
		return Comparison{}, false
	}
	switch {
	case strings.Contains(l.text, " DID NOT MATCH THE REFERENCE") && differs.MatchString(l.text):
		done, ok = r.end()
		r.c = Comparison{started: true, at: l, Grad: strings.Contains(l.text, "GRAD FOR")}
		return done, ok
	case !r.c.started:
		return Comparison{}, false
	}
	if strings.Contains(l.text, "matched: ") {
		if m := matched.FindStringSubmatch(l.text); m != nil {
			r.c.Matched, r.c.share = number(m[1]), true
		}
	}
	if strings.Contains(l.text, " range:") && !strings.Contains(l.text, "|") {
		if m := ranged.FindStringSubmatch(l.text); m != nil {
			v := Range{number(m[2]), number(m[3])}
			if m[1] == "ref" {
				r.c.Ref, r.c.refOK = v, true
			} else {
				r.c.Test, r.c.testOK = v, true
			}
		}
	}
	if r.c.share && r.c.refOK && r.c.testOK {
		return r.end()
	}
	return Comparison{}, false
}

// end gives the comparison if its share is known.
func (r *comparisonReader) end() (Comparison, bool) {
	c := r.c
	r.c = Comparison{}
	if !c.started || !c.share {
		return Comparison{}, false
	}
	nan := Range{math.NaN(), math.NaN()}
	if !c.refOK {
		c.Ref = nan
	}
	if !c.testOK {
		c.Test = nan
	}
	return c, true
}

func number(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
