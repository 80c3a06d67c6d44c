package triage

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// The signatures of what a JUnit file says besides its cases.
const (
	nothingSelected = "S-I06"
	interrupted     = "S-R25"
)

// junit matches the failed cases of a JUnit file. A match's line is the one on
// which its case begins.
func (sc *logScan) junit(in *bufio.Reader) error {
	cases, failed := 0, 0
	sum := records.DecodeJUnit(in, func(c records.Case) error {
		cases++
		before := sc.broken
		sc.broken = false
		sc.testcase(c)
		if sc.broken {
			failed++
		}
		sc.broken = sc.broken || before
		return nil
	})
	sc.inCase = ""
	sc.end()
	read := fmt.Sprintf("%d cases were read before that, %d of them failed", cases, failed)
	switch {
	case sum.Damage != nil:
		what := "the JUnit file is not whole: " + sum.Damage.Error() + "; " + read
		sc.damaged = append(sc.damaged, untrusted.Text(Place(sc.name)+": "+what))
		sc.event(interrupted, line{text: what})
	case sum.Unnamed > 0:
		what := "the JUnit file holds a case without a name: the run was stopped inside of it; " + read
		sc.damaged = append(sc.damaged, untrusted.Text(Place(sc.name)+": "+what))
		sc.event(interrupted, line{text: what})
	case cases == 0:
		sc.event(nothingSelected, line{text: "the JUnit file holds no case"})
	}
	return nil
}

// testcase matches what one case printed.
func (sc *logScan) testcase(c records.Case) {
	sc.passing, sc.source, sc.inCase = c.Outcome == records.Passed, false, c.ID()
	sc.seen, sc.pending, sc.compared = 0, sc.pending[:0], sc.compared[:0]
	var text string
	switch c.Outcome {
	case records.Passed:
		text = c.Output
	case records.Skipped:
		text = fmt.Sprintf("SKIPPED %s: %s", c.ID(), c.Message)
	case records.XFailed:
	default:
		text = c.Message + "\n" + c.Detail + "\n" + c.Output
	}
	var told facts
	for l := range strings.SplitSeq(text, "\n") {
		told.tells(l)
		sc.raw(c.Line, []byte(l))
	}
	told.given, told.got, told.calls = nil, nil, nil
	if done, ok := sc.console.close.end(); ok {
		sc.compare(done)
	}
	if done, ok := sc.block.end(); ok {
		sc.compare(done)
	}
	var first *Comparison
	if len(sc.compared) > 0 {
		first = &sc.compared[0]
	}
	switch c.Outcome {
	case records.Failed, records.Error, records.Timeout, records.Crashed:
		sc.broken = true
	}
	sc.run.add(c, first, sc.name, told)
}

// event records that the file as a whole says something.
func (sc *logScan) event(id string, l line) { sc.explains(id, nil, l) }

// explains adds a match that counts beside one of some others only.
func (sc *logScan) explains(id string, with []string, l line) {
	var p *compiledPattern
	if len(with) > 0 {
		p = &compiledPattern{Pattern: Pattern{With: with}}
	}
	for i, rows := 0, ready(); i < len(rows); i++ {
		if row := &rows[i]; row.ID == id && sc.wanted[i] {
			sc.hit(row, p, l)
		}
	}
}
