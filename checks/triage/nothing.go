package triage

import (
	"bufio"
	"fmt"
	"strings"
)

// JUnit reports whether what is read next begins as a JUnit file does.
func JUnit(in *bufio.Reader) bool { return isJUnit(in) }

// NoneFailed says that the JUnit files hold no case that failed, else "". It is no
// verdict: which cases were expected it does not know.
func (s *Scanner) NoneFailed() string {
	if s.broken || len(s.damaged) > 0 || s.run.count == 0 {
		return ""
	}
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{s.run.passed, "passed"}, {s.run.skipped, "skipped"}, {s.run.count - s.run.passed - s.run.skipped, "expected to fail"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return "no case failed (" + strings.Join(parts, ", ") + "), so there is nothing to explain; tilegate correctness tells whether that is a pass."
}
