package triage

import (
	"math"
	"regexp"
	"strings"

	"github.com/tilegate/tilegate/checks/records"
)

// gtests collects the cases that GoogleTest prints. The words of a name, parted by
// underscores, slashes and dots, stand for parameters.
type gtests struct {
	order  []gtest
	unlike bool // the open case failed in an expectation
	broken bool // and with an error that is no expectation
}

type gtest struct {
	name           string
	failed, unlike bool
	line           int
}

var (
	gtestEnd    = probe(`^\[ +(OK|FAILED) +\] (\S+)(?:, where .*)? \(\d+ ms(?: total)?\)$`)
	gtestBegin  = probe(`^\[ RUN      \] \S`)
	gtestFails  = probe(`: Failure$|^Expected equality of these values:$|^Value of: \S`)
	gtestThrows = probe(`\bC\+\+ exception\b|\bCUDA error\b|\bcudaError|\bthrown in\b|\bunknown file: Failure\b`)
)

func (g *gtests) line(l line) {
	if l.is(gtestBegin) {
		g.unlike, g.broken = false, false
		return
	}
	g.unlike = g.unlike || l.is(gtestFails)
	g.broken = g.broken || l.is(gtestThrows)
	if m := l.find(gtestEnd); m != nil && len(g.order) < maxCases {
		g.order = append(g.order, gtest{strings.Clone(m[2]), m[1] == "FAILED", g.unlike && !g.broken, l.n})
	}
}

// apartInName parts the name of a case.
var apartInName = regexp.MustCompile(`[_/.<>,]+`)

// into adds the cases to a collector.
func (g *gtests) into(to *collector, log string) {
	for _, k := range g.order {
		suite, name, _ := strings.Cut(k.name, ".")
		tc := records.Case{Class: suite, Name: suite + "[" + strings.Join(apartInName.Split(strings.Trim(name, "_/"), -1), "-") + "]", Line: k.line, Outcome: records.Passed}
		var far *Comparison
		if k.failed {
			tc.Outcome = records.Failed
			if k.unlike {
				unknown := math.NaN()
				far = &Comparison{Matched: unknown, Ref: Range{unknown, unknown}, Test: Range{unknown, unknown}, MaxAbs: unknown, MaxRel: unknown, RTol: unknown, AllowedAbs: unknown, AllowedRel: unknown}
			}
		}
		to.addShown(tc, far, log, shown{name: k.name, unsaid: k.failed && !k.unlike, facts: facts{unlike: k.failed && k.unlike}})
	}
}
