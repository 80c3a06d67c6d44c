package triage

import (
	"regexp"
	"strings"

	"github.com/tilegate/tilegate/checks/records"
)

// rustCases collects the cases that cargo's test runner prints. The words and numbers
// of a name, parted by underscores, stand for parameters.
type rustCases struct {
	order  []rustCase
	places map[string]int
	inside int // place and 1 of the case whose output is told, 0 for none
}

type rustCase struct {
	name   string
	failed bool
	line   int
	told   bool // what it printed is shown
	unlike bool
	far    *Comparison
}

var (
	rustResult = regexp.MustCompile(`^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED)$`)
	rustOutput = regexp.MustCompile(`^---- (\S+) stdout ----$`)
	rustUnlike = probe(`assertion failed: .*(?:err|diff|close|allclose|approx|tol)|\bdiffers? by\b|\b[Mm]ismatch|^left: |not close|\b(?:diff|err|error)\b.{0,24}(?:>|exceeds)|assert_(?:relative|abs_diff|ulps)_eq`)
	rustNumber = regexp.MustCompile(`_(\d+(?:x\d+)*|b?f(?:p?16|p?32|p?64)|bf16|e4m3|e5m2|i8|u8|i32|i64|half)(?:_|$)`)
	// rustFar is how far the values of a case are off, and what it allows.
	rustFar  = regexp.MustCompile(`\b(?:diff\w*|err\w*)\b\D{0,12}(\d[\d.]*(?:e[-+]?\d+)?) ?(?:>=?|exceeds|above|over)\D{0,16}(\d[\d.]*(?:e[-+]?\d+)?)`)
	rustPart = regexp.MustCompile(`\b(\d+) ?(?:of|/) ?(\d+) (?:elements|values|entries)`)
)

func (r *rustCases) line(l line) {
	switch {
	case strings.HasPrefix(l.text, "test "):
		if m := rustResult.FindStringSubmatch(l.text); m != nil && len(r.order) < maxCases {
			if r.places == nil {
				r.places = map[string]int{}
			}
			name := strings.Clone(m[1])
			r.places[name] = len(r.order)
			r.order = append(r.order, rustCase{name: name, failed: m[2] == "FAILED", line: l.n})
		}
		r.inside = 0
	case strings.HasPrefix(l.text, "---- "):
		r.inside = 0
		if m := rustOutput.FindStringSubmatch(l.text); m != nil {
			if at, ok := r.places[m[1]]; ok {
				r.inside = at + 1
				r.order[at].told = true
			}
		}
	case strings.HasPrefix(l.text, "failures:"):
		r.inside = 0
	case r.inside > 0 && l.is(rustUnlike):
		k := &r.order[r.inside-1]
		k.unlike = true
		if m := rustFar.FindStringSubmatch(l.text); m != nil && k.far == nil {
			unknown := number("")
			k.far = &Comparison{Matched: unknown, Ref: Range{unknown, unknown}, Test: Range{unknown, unknown}, MaxAbs: number(m[1]), AllowedAbs: number(m[2]), MaxRel: unknown, RTol: unknown, AllowedRel: unknown, at: l}
			if p := rustPart.FindStringSubmatch(l.text); p != nil {
				k.far.Matched = 100 * (1 - number(p[1])/number(p[2]))
			}
		}
	}
}

// into adds the cases to a collector.
func (r *rustCases) into(to *collector, log string) {
	for _, k := range r.order {
		class, name := "", k.name
		if i := strings.LastIndex(name, "::"); i >= 0 {
			class, name = strings.ReplaceAll(name[:i], "::", "."), name[i+2:]
		}
		tc := records.Case{Class: class, Name: rustName(name), Line: k.line, Outcome: records.Passed}
		if k.failed {
			tc.Outcome = records.Failed
		}
		to.addShown(tc, k.far, log, shown{name: k.name, unsaid: k.failed && !k.told, facts: facts{unlike: k.failed && k.unlike}})
	}
}

// rustName is a name with its numbers as the parameters that they stand for.
func rustName(name string) string {
	var params []string
	for {
		m := rustNumber.FindStringSubmatchIndex(name)
		if m == nil {
			break
		}
		params = append(params, name[m[2]:m[3]])
		name = name[:m[0]] + name[m[3]:]
	}
	if len(params) == 0 {
		return name
	}
	return name + "[" + strings.Join(params, "-") + "]"
}
