package triage

import (
	"regexp"
	"strings"
)

// asides tells lines that are no error of a failing test from those that may be one:
// warnings that pytest lists of other tests, what tests printed that passed, notes of a
// tuner on configurations that it left out.
type asides struct {
	listing bool // inside of pytest's list of warnings
	node    bool // the present warning names its tests
	blamed  bool // one of them failed
	fails   bool // a failing test tells of an error of its own
}

var (
	// leftOut is a note on a configuration that was tried and left out.
	leftOut = probe(`\b[Cc]onfig\w*\b.*\b(skipp(ed|ing)|pruned?|pruning|discard(ed|ing)|left out|ignored)\b|\b([Ss]kipp|[Dd]iscard|[Pp]run)(ed|ing) .{0,24}\b[Cc]onfig`)
	// pythonWarning are the warnings of Python that tell nothing of the machine by
	// themselves.
	pythonWarning = regexp.MustCompile(`\b(User|Deprecation|PendingDeprecation|Future|Runtime|PytestUnraisableException|Pytest\w+)Warning: `)
)

// aside says what kind of aside a line is.
type aside byte

const (
	noAside  aside = iota
	isNote         // of a tuner, or of a test that passed
	isWarned       // a warning of tests that did not fail
)

// line takes a line as it is shown, and says whether it is an aside.
func (a *asides) line(c *console, shown, text string) aside {
	switch {
	case strings.HasPrefix(text, "===="):
		a.listing = strings.Contains(text, " warnings summary ")
		a.node, a.blamed = false, false
		return noAside
	case strings.HasPrefix(shown, "E   "):
		a.fails = a.fails || c.section != nil && !c.passes
	case strings.HasPrefix(text, "FAILED ") && strings.Contains(text, ".py::") && strings.Contains(text, " - "):
		a.fails = true
	case a.listing && text == "":
		a.node, a.blamed = false, false
	case a.listing && strings.Contains(text, ".py::") && !strings.HasPrefix(shown, " "):
		_, node, _ := nodeIn(text)
		class, name := splitNode(node)
		k := c.cases[class+"."+name]
		a.node, a.blamed = true, a.blamed || k != nil && k.bad()
	}
	switch {
	case c.passes:
		return isNote
	case a.listing && a.node && !a.blamed:
		return isWarned
	case !a.listing && leftOut.match(text):
		return isNote
	}
	return noAside
}

// besides reports whether a row's match in a line is an aside. What tells of a machine
// counts in a warning, too, whichever test it was raised in.
func besides(row *compiled, l line) bool {
	if l.aside == isNote {
		return true
	}
	machine := row.Class == Env || row.Class == Infra || row.State
	return !machine && (l.aside == isWarned || strings.Contains(l.text, "Warning: ") && pythonWarning.MatchString(l.text))
}

// settleAsides gives the matches of a log in asides their rank back when no failing
// test tells of an error of its own.
func (sc *logScan) settleAsides() {
	for _, h := range sc.hits {
		if h.log == sc.logs && h.aside && !sc.asides.fails {
			h.rank, h.Weak = h.own, h.own >= Weak
		}
		h.aside = false
	}
}
