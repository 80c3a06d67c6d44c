package correctness

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

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
	FailClass triage.Class `json:"fail_class"`          // whose fault; "" when nothing failed or nobody knows
	FailAlso  triage.Class `json:"fail_also,omitempty"` // whose fault it may be as well
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
	triage.Env:       "the GPU machine lacks something; the change is not at fault",
	triage.Infra:     "the GPU machine or a service failed; the change is not at fault",
	triage.InProcess: "how the change was made or run",
}

// WriteText prints a verdict for people. The cases that did not pass share a line
// where they share the reason.
func WriteText(w io.Writer, v Verdict) error {
	line := func(s string) string { return untrusted.Text(s).Line() }
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", v.Verdict, line(v.Sentence))
	fmt.Fprintf(&b, "backend %s: %s\n", line(v.Backend), v.counts())
	if v.FailClass != "" {
		b.WriteString(v.owners())
	}
	if groups := v.groups(); len(groups) > 0 {
		outcomes, counts := len("outcome"), len("cases")
		for _, g := range groups {
			outcomes = max(outcomes, len(g.outcome))
			counts = max(counts, len(strconv.Itoa(len(g.ids))))
		}
		fmt.Fprintf(&b, "\n%-*s  %*s  why\n", outcomes, "outcome", counts, "cases")
		for _, g := range groups {
			fmt.Fprintf(&b, "%-*s  %*d  %s\n", outcomes, g.outcome, counts, len(g.ids), line(g.reason()))
			for _, t := range g.tests() {
				fmt.Fprintf(&b, "%*s%s\n", outcomes+counts+4, "", line(t))
			}
		}
	}
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n"))
	return err
}

// owners says whose fault it is, or may be.
func (v Verdict) owners() string {
	if v.FailAlso == "" {
		return fmt.Sprintf("class: %s (%s)\n", v.FailClass, classes[v.FailClass])
	}
	return fmt.Sprintf("class: %s or %s\n  %[1]s: %[3]s\n  %[2]s: %[4]s\n", v.FailClass, v.FailAlso, classes[v.FailClass], classes[v.FailAlso])
}

// group is the cases that did not pass for one reason.
type group struct {
	outcome records.Outcome
	why     string // of the first case
	vary    bool   // the numbers in it are not the same in all cases
	ids     []string
}

// numbers are what differs between the reports of one fault: how many elements,
// by how much, at which address.
var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?`)

// groups are the cases that did not pass, by outcome and reason, in their order.
func (v Verdict) groups() []*group {
	var out []*group
	known := map[[2]string]*group{}
	for _, c := range v.Cases {
		if c.Outcome == records.Passed {
			continue
		}
		key := [2]string{string(c.Outcome), numbers.ReplaceAllString(c.Why, "0")}
		g := known[key]
		if g == nil {
			g = &group{outcome: c.Outcome, why: c.Why}
			known[key] = g
			out = append(out, g)
		}
		g.vary = g.vary || g.why != c.Why
		g.ids = append(g.ids, c.ID)
	}
	return out
}

func (g *group) reason() string {
	switch {
	case g.why == "":
		return "no reason is given"
	case g.vary:
		return g.why + " (other cases: the same with other numbers)"
	}
	return g.why
}

// tests names some of the cases.
func (g *group) tests() []string {
	const named = 3
	if more := len(g.ids) - named; more > 1 { // a line that counts one says less than its name
		return append(slices.Clone(g.ids[:named]), fmt.Sprintf("and %d more", more))
	}
	return g.ids
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
