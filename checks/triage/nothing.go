package triage

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tilegate/tilegate/checks/words"
)

var (
	// wentWell are the last words of a run in which nothing failed: Cargo's, pytest's
	// and the Rust test harness's.
	wentWell = regexp.MustCompile("^(?:Finished `?\\w+`? (?:profile|\\[)|=* ?\\d+ passed(?:, \\d+ (?:skipped|deselected|xfailed|xpassed|warnings?))* in \\d|test result: ok\\. )")
	// wentIll is anything that may tell of a failure, rather too much than too little.
	wentIll = regexp.MustCompile(`(?i)error|fail|\b(?:seg)?fault|panic|abort|fatal|exception|traceback|kill|time[d-]? ?out|cannot|can't|could not|unable|denied|refused|not found|no such|missing|core dumped|signal|exit(?:ed)? (?:code|status|with)|mismatch|\bnan\b|incorrect|wrong|invalid|unsupported|not supported|not available|interrupt|cancel|skipp?(?:ed|ing)`)
	// isNone counts what may fail and did not; isName only names a package or a test.
	isNone = regexp.MustCompile(`(?i)\b(?:0|no) (?:failed|failures?|errors?|skipped|ignored)\b|\b\d+ skipped\b`)
	isName = regexp.MustCompile(`^(?:Compiling|Checking|Fresh|Download(?:ed|ing)|Adding|Locking|Updating) \S+ v?\d|\bPASSED(?: +\[ *\d+%\])?$|^test .* \.\.\. ok$`)
)

// nearEnd is how many lines may follow the words that a run went well.
const nearEnd = 5

// ending is how a log ends, as far as it tells.
type ending struct {
	lines int    // that are not blank
	well  string // the last line that says that a run went well
	since int    // lines after it
	ill   bool   // some line may tell of a failure
}

func (e *ending) line(text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	e.lines++
	e.since++
	if wentWell.MatchString(text) {
		e.well, e.since = text, 0
	}
	e.ill = e.ill || wentIll.MatchString(text) && !isName.MatchString(text) && wentIll.MatchString(isNone.ReplaceAllString(text, ""))
}

// quiet are the logs that are no JUnit files and hold something, and what those of
// them say that went well to their end.
type quiet struct {
	logs int
	well []string
}

func (q *quiet) add(e ending) {
	if e.lines == 0 {
		return
	}
	q.logs++
	if e.well != "" && e.since <= nearEnd && !e.ill {
		q.well = append(q.well, e.well)
	}
}

// NoneFailed says that the JUnit files hold no case that failed and that the logs
// tell of no failure, else "". It is no verdict: what was expected it does not know.
func (s *Scanner) NoneFailed() string {
	if s.broken || len(s.damaged) > 0 || s.quiet.logs > len(s.quiet.well) {
		return ""
	}
	var says []string
	verdict := "that is no verdict."
	if s.run.count > 0 {
		says = append(says, "no case failed ("+s.outcomes()+")")
		verdict = "tilegate correctness tells whether that is a pass."
	}
	if n := len(s.quiet.well); n > 0 {
		says = append(says, fmt.Sprintf("no line of %s a failure (at the end: %q)", words.Form(n, "the log tells of", "the logs tells of"), s.quiet.well[n-1]))
	}
	if len(says) == 0 {
		return ""
	}
	return strings.Join(says, " and ") + ", so there is nothing to explain; " + verdict
}

// outcomes counts the cases of JUnit files of which none failed.
func (s *Scanner) outcomes() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{s.run.passed, "passed"}, {s.run.skipped, "skipped"}, {s.run.count - s.run.passed - s.run.skipped, "expected to fail"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}
