package triage

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// alike is S-C16: at least two backends fail in one case with the same figures,
// and none passes it. They agree with each other, so what they are compared with
// is off.
func alike(run Run) *Seen {
	by := map[string][]Case{}
	for _, c := range slices.Concat(run.Cases, run.Others) {
		by[c.ID.Key()] = append(by[c.ID.Key()], c)
	}
	for _, c := range slices.Concat(run.Cases, run.Others) {
		if !c.wrong() {
			continue
		}
		var agree []string
		for _, o := range by[c.ID.Key()] {
			switch {
			case !o.Failed:
				agree = nil
			case o.ID.Backend != c.ID.Backend && o.wrong() && sameFigures(*c.Compared, *o.Compared):
				agree = append(agree, o.ID.Backend)
				continue
			default:
				continue
			}
			break
		}
		if len(agree) > 0 {
			return &Seen{What: fmt.Sprintf("%s fails with the same figures as %s", c.ID.Config(), strings.Join(agree, " and ")), log: c.log, line: c.line}
		}
	}
	return nil
}

// sameFigures reports whether two comparisons with one reference tell of outputs
// that agree with each other.
func sameFigures(a, b Comparison) bool {
	near := func(x, y, part float64) bool {
		return math.IsNaN(x) || math.IsNaN(y) || math.Abs(x-y) <= part*math.Max(math.Abs(x), math.Abs(y))
	}
	return math.Abs(a.Matched-b.Matched) <= 0.05 && near(a.MaxAbs, b.MaxAbs, 0.02) && near(a.Test.Min, b.Test.Min, 0.02) && near(a.Test.Max, b.Test.Max, 0.02)
}

// spacing is the distance of a type's numbers, relative to their size: one unit in
// the last place.
var spacing = map[string]float64{"bfloat16": 1.0 / (1 << 7), "float16": 1.0 / (1 << 10), "float32": 1.0 / (1 << 23)}

// belowSpacing is S-C17: every comparison is off by the rounding of the type, and
// the test asks for more than the type can hold.
func belowSpacing(run Run) *Seen {
	var first *Case
	for _, c := range slices.Concat(run.Cases, run.Others) {
		if !c.Failed || c.Compared == nil {
			continue
		}
		x := *c.Compared
		if x.Type == "" {
			x.Type = dtype(c.params)
		}
		if math.IsNaN(x.RTol) {
			x.RTol = x.AllowedRel
		}
		if !rounded(x) {
			return nil
		}
		if first == nil {
			c.Compared = &x
			first = &c
		}
	}
	for _, c := range run.Loose {
		if first == nil || !rounded(c) {
			return nil
		}
	}
	if first == nil {
		return nil
	}
	x := first.Compared
	return &Seen{What: fmt.Sprintf("%s differs by %.2g of the value at most, one step of %s is %.2g, the test asks for %.2g", first.ID.Config(), x.MaxRel, x.Type, spacing[x.Type], x.RTol), log: first.log, line: first.line}
}

// rounded reports whether a comparison fails by no more than rounding: a type of
// half precision by one step, float32, whose sums round often, by some.
func rounded(c Comparison) bool {
	step, known := spacing[c.Type]
	steps := 1.01
	if c.Type == "float32" {
		steps = 32
	}
	return known && c.Matched >= 90 && c.RTol < step && c.MaxRel <= steps*step
}

// factors are constants that are easily lost or put in twice, and what they come
// from.
var factors = []struct {
	value float64
	from  string
}{
	{2, "2"}, {0.5, "1/2"}, {4, "4"}, {0.25, "1/4"}, {8, "8"}, {0.125, "1/8"}, {-1, "-1: the sign"},
	{math.Log2E, "log2(e): exp and exp2"}, {math.Ln2, "ln(2): exp and exp2"}, {math.Sqrt2, "the square root of 2"}, {math.Sqrt2 / 2, "the root of 1/2"},
}

// scaled is S-C18: all values are the reference's times one known constant.
func scaled(run Run) *Seen {
	from, count := "", 0
	var first *Case
	for _, c := range run.Cases {
		if !c.wrong() || math.IsNaN(c.Compared.Ref.Size()) {
			continue
		}
		f := factor(*c.Compared)
		if f == "" || from != "" && f != from {
			return nil
		}
		if first == nil {
			first, from = &c, f
		}
		count++
	}
	if count == 0 {
		return nil
	}
	return &Seen{What: fmt.Sprintf("%s and all other wrong cases are the reference times %s", first.ID.Config(), from), log: first.log, line: first.line}
}

func factor(c Comparison) string {
	if c.Matched > 50 || !c.Ref.finite() || !c.Test.finite() || c.Ref.Size() == 0 {
		return ""
	}
	for _, f := range factors {
		lo, hi := c.Ref.Min*f.value, c.Ref.Max*f.value
		if f.value < 0 {
			lo, hi = hi, lo
		}
		close := func(a, b float64) bool { return math.Abs(a-b) <= 0.004*c.Test.Size() }
		// A sign is seen only where the range is not symmetric.
		if close(lo, c.Test.Min) && close(hi, c.Test.Max) && !(close(c.Ref.Min, c.Test.Min) && close(c.Ref.Max, c.Test.Max)) {
			return f.from
		}
	}
	return ""
}

// unsteady is S-C19: a case that fails gives other values, or passes, when it is
// run again.
func unsteady(run Run) *Seen {
	if !slices.ContainsFunc(run.Cases, func(c Case) bool { return c.Failed && c.maybeWrong() }) {
		return nil
	}
	for _, c := range run.Cases {
		if c.again {
			return &Seen{What: c.ID.Config() + " ends otherwise when it is run again", log: c.log, line: c.line}
		}
	}
	return nil
}

// wrapped is S-C28: the first wrong element is the first one whose offset does not
// fit 32 bits with a sign, or lies within a row of it.
func wrapped(run Run) *Seen {
	for _, c := range run.Cases {
		if !c.wrong() || len(c.Compared.First) == 0 || len(c.Compared.First) != len(c.Compared.Shape) {
			continue
		}
		offset := 0
		for i, n := range c.Compared.Shape {
			if n <= 0 || offset > math.MaxInt32 {
				offset = 0
				break
			}
			offset = offset*n + c.Compared.First[i]
		}
		row := c.Compared.Shape[len(c.Compared.Shape)-1]
		if offset > math.MaxInt32 && offset-math.MaxInt32 <= row {
			return &Seen{What: fmt.Sprintf("%s is wrong from element %d on, the limit of 32 bits is %d", c.ID.Config(), offset, math.MaxInt32), log: c.log, line: c.line}
		}
	}
	return nil
}
