package correctness

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/triage"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// Schema is the identifier of the JSON form of a Verdict.
const Schema = "tilegate.correctness/v1"

// The verdicts.
const (
	AllPass = "ALL_PASS"
	Fail    = "FAIL"
	Blocked = "BLOCKED"
)

// Verdict is the outcome; its JSON form is a fixed contract. Text in it quotes
// test records and is untrusted.
type Verdict struct {
	Schema    string       `json:"schema"`
	Verdict   string       `json:"verdict"`
	FailClass triage.Class `json:"fail_class"` // whose fault; "" when nothing failed or nobody knows
	Backend   string       `json:"backend"`
	Expected  int          `json:"expected"` // cases
	Passed    int          `json:"passed"`
	Failed    int          `json:"failed"`  // failures, errors, timeouts and crashes
	Skipped   int          `json:"skipped"` // cited or not
	Missing   []string     `json:"missing"` // ids of expected cases that did not run
	Cases     []Case       `json:"cases"`   // failures first, the culprit leading
	Sentence  string       `json:"sentence"`

	// Cited counts the skips that a rule of the contract allows; Consequences the
	// failures that an earlier one caused; Beyond the cases that count although
	// nobody expected them, such as one of no backend that failed.
	Cited        int `json:"-"`
	Consequences int `json:"-"`
	Beyond       int `json:"-"`
}

// Case is one case of the candidate.
type Case struct {
	ID      string          `json:"id"`
	Outcome records.Outcome `json:"outcome"`
	Why     string          `json:"why"`
}

// classes say what each class of a fault means.
var classes = map[triage.Class]string{
	triage.Kernel:    "the code of the kernel",
	triage.Host:      "the change's code around the kernel: wrapper, ffi.rs, build",
	triage.Test:      "the tests",
	triage.Env:       "the GPU host lacks something; the change is not at fault",
	triage.Infra:     "the GPU host or a service failed; the change is not at fault",
	triage.InProcess: "how the change was made or run",
}

// WriteText prints a verdict for people.
func WriteText(w io.Writer, v Verdict) error {
	line := func(s string) string { return untrusted.Text(s).Line() }
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", v.Verdict, line(v.Sentence))
	fmt.Fprintf(&b, "backend %s: %s\n", line(v.Backend), v.counts())
	if v.FailClass != "" {
		fmt.Fprintf(&b, "class: %s (%s)\n", v.FailClass, classes[v.FailClass])
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	shown := 0
	for _, c := range v.Cases {
		if c.Outcome == records.Passed {
			continue
		}
		if shown == 0 {
			fmt.Fprintln(t, "\noutcome\tcase\twhy")
		}
		shown++
		fmt.Fprintf(t, "%s\t%s\t%s\n", c.Outcome, line(c.ID), line(c.Why))
	}
	t.Flush()
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n"))
	return err
}

// counts adds up: what was expected and what came beyond that is the sum of what
// stands after it.
func (v Verdict) counts() string {
	s := fmt.Sprintf("%d expected", v.Expected)
	if v.Beyond > 0 {
		s += fmt.Sprintf(" and %d beyond them", v.Beyond)
	}
	s += fmt.Sprintf(", %d passed, %d failed, %d skipped (%d cited), %d missing", v.Passed, v.Failed, v.Skipped, v.Cited, len(v.Missing))
	for _, o := range []records.Outcome{records.XFailed, records.Void} {
		n := 0
		for _, c := range v.Cases {
			if c.Outcome == o {
				n++
			}
		}
		if n > 0 {
			s += fmt.Sprintf(", %d %s", n, o)
		}
	}
	return s
}
