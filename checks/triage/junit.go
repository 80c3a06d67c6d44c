package triage

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/tilegate/tilegate/checks/records"
)

// The signatures of what a JUnit file says besides its cases.
const (
	nothingSelected = "S-I06"
	interrupted     = "S-R25"
)

// junit matches the failed cases of a JUnit file. A match's line is the one on
// which its case begins.
func (sc *logScan) junit(in *bufio.Reader) error {
	cases := 0
	sum := records.DecodeJUnit(in, func(c records.Case) error {
		cases++
		sc.testcase(c)
		return nil
	})
	sc.end()
	switch {
	case sum.Damage != nil:
		sc.event(interrupted, line{text: "the JUnit file is not whole: " + sum.Damage.Error()})
	case sum.Unnamed > 0:
		sc.event(interrupted, line{text: "the JUnit file holds a case without a name: the run was stopped inside of it"})
	case cases == 0:
		sc.event(nothingSelected, line{text: "the JUnit file holds no case"})
	}
	return nil
}

// testcase matches what one case printed.
func (sc *logScan) testcase(c records.Case) {
	sc.passing, sc.source = c.Outcome == records.Passed, false
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
	told.given, told.got = nil, nil
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
