package gate

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/untrusted"
)

//go:generate go test -run TestTruthTableIsCurrent -update

var update = flag.Bool("update", false, "write docs/gate.md and the gate table in README.md")

const (
	begin = "<!-- gate-table:begin -->"
	end   = "<!-- gate-table:end -->"
)

// A scenario is one row of the truth table: what differs from a green pull
// request. Brief rows also stand in the README.
type scenario struct {
	group, name string
	brief       bool
	change      func(*Input)
}

func perf(v Verdict, severity string, ratio float64, says untrusted.Text) func(*Input) {
	return func(in *Input) {
		p := &in.Jobs[2]
		p.Verdict, p.Severity, p.Ratio, p.Sentence = v, severity, ratio, says
	}
}

func waived(w Waiver) func(*Input) {
	return func(in *Input) {
		perf(Investigate, "MODERATE_GAP", 1.2, "INVESTIGATE: MODERATE_GAP, geomean 1.2000.")(in)
		w.By, w.Reason = "maya", "the reference was tuned last week."
		in.Waivers = []Waiver{w}
	}
}

var scenarios = []scenario{
	{"All", "everything is shown for the head commit", true, func(*Input) {}},
	{"All", "the change needs no GPU job, and rules are clean", true, func(in *Input) { in.Plan = Plan{State: PlanNothing, Why: "only documentation changed."} }},
	{"All", "the plan is not known yet", false, func(in *Input) { in.Plan = Plan{} }},
	{"All", "the plan needs a GPU, and no GPU class is configured", false, func(in *Input) { in.Plan.GPUs = nil }},
	{"All", "one of two GPU classes has no result", true, func(in *Input) { in.Plan.GPUs = []string{"h200", "b200"} }},
	{"All", "merge group, everything is shown for the group's commit", false, func(in *Input) { in.MergeGroup = true }},
	{"Configuration", "not read yet", false, func(in *Input) { in.Config = Config{} }},
	{"Configuration", "wrong", true, func(in *Input) {
		in.Config = Config{State: ConfigInvalid, Why: "`.github/tilegym.yml:3`: expected a list, found a number."}
	}},
	{"Configuration", "GitHub does not give it", false, func(in *Input) { in.Config = Config{State: ConfigUnreachable} }},
	{"Rules", "the review has not ended", true, func(in *Input) { in.Rules = Rules{} }},
	{"Rules", "the review broke", false, func(in *Input) { in.Rules.State = RulesFailed }},
	{"Rules", "the change removes every kernel", false, func(in *Input) {
		in.Rules, in.Integrity, in.Jobs = Rules{State: RulesNothing}, Integrity{}, nil
		in.Plan = Plan{State: PlanNothing, Why: "the change removes every cutile-rs kernel."}
	}},
	{"Rules", "a new error", true, func(in *Input) { in.Rules.Errors = []Finding{newError} }},
	{"Rules", "the same error, waived by its fingerprint", true, func(in *Input) { in.Rules.Errors, in.Waivers = []Finding{newError}, waivers() }},
	{"Rules", "an error whose waiver has ended", false, func(in *Input) { in.Rules.Errors, in.Waivers = []Finding{ended}, waivers() }},
	{"Rules", "a file that could not be read", true, func(in *Input) { in.Rules.Unread = []Unread{{"src/kernel.rs", "nested too deep"}} }},
	{"Tests", "not looked at yet", false, func(in *Input) { in.Integrity = Integrity{} }},
	{"Tests", "the change weakens a test", true, func(in *Input) { in.Integrity.Findings = []Finding{weakened} }},
	{"Tests", "the same, waived by its fingerprint", false, func(in *Input) { in.Integrity.Findings, in.Waivers = []Finding{weakened}, waivers() }},
	{"Trust", "the permission is not known yet", false, func(in *Input) { in.Trust, in.Jobs = Trust{}, nil }},
	{"Trust", "a fork, not approved", true, func(in *Input) { in.Trust, in.Jobs = Trust{State: NeedsApproval, Why: "a fork"}, nil }},
	{"Trust", "a fork, another commit approved", false, func(in *Input) {
		in.Trust, in.Jobs = Trust{State: NeedsApproval, Why: "a fork", ApprovedSHA: other}, nil
	}},
	{"Trust", "a fork, this commit approved", false, func(in *Input) { in.Trust = Trust{State: NeedsApproval, Why: "a fork", ApprovedSHA: head, By: "maya"} }},
	{"Trust", "a fork whose change needs no GPU job", false, func(in *Input) {
		in.Trust, in.Jobs, in.Plan = Trust{State: NeedsApproval}, nil, Plan{State: PlanNothing, Why: "only documentation changed."}
	}},
	{"Jobs", "not dispatched yet", true, func(in *Input) { in.Jobs = nil }},
	{"Jobs", "queued", false, func(in *Input) { in.Jobs[0].State, in.Jobs[0].Waiting = Queued, "self-hosted, h200" }},
	{"Jobs", "running", true, func(in *Input) { in.Jobs[1].State = Running }},
	{"Jobs", "lost to infrastructure, the retry too", true, func(in *Input) { in.Jobs[1].State = Infra }},
	{"Jobs", "cancelled", false, func(in *Input) { in.Jobs[1].State = Cancelled }},
	{"Jobs", "timed out", true, func(in *Input) { in.Jobs[1].State = JobTimedOut }},
	{"Jobs", "ended without evidence, or was skipped", true, func(in *Input) { in.Jobs[1].State = MissingEvidence }},
	{"Jobs", "the result is of another commit", true, func(in *Input) { in.Jobs[1].SHA = other }},
	{"Jobs", "verdict reused from a run of equal content", false, func(in *Input) { in.Jobs[2].Reused = "run 12 of 2222222" }},
	{"Build", "FAIL", true, func(in *Input) { in.Jobs[0].Verdict, in.Jobs[0].FailClass = Fail, "kernel" }},
	{"Build", "FAIL, cause in the environment", false, func(in *Input) { in.Jobs[0].Verdict, in.Jobs[0].FailClass = Fail, "env" }},
	{"Correctness", "FAIL, whatever perf says", true, func(in *Input) { in.Jobs[1].Verdict, in.Jobs[1].FailClass = Fail, "kernel" }},
	{"Correctness", "BLOCKED: nothing ran, or everything was skipped", true, func(in *Input) { in.Jobs[1].Verdict, in.Jobs[1].Sentence = Blocked, "BLOCKED: nothing ran." }},
	{"Correctness", "BLOCKED, cause in the infrastructure", false, func(in *Input) { in.Jobs[1].Verdict, in.Jobs[1].FailClass = Blocked, "infra" }},
	{"Correctness", "FAIL, with a perf waiver", false, func(in *Input) {
		waived(Waiver{Kernel: "bmm", MaxRatio: 2, Measured: map[string]float64{"h200": 1.2}})(in)
		in.Jobs[1].Verdict = Fail
	}},
	{"Perf", "INVESTIGATE, a gap", true, perf(Investigate, "MODERATE_GAP", 1.2, "INVESTIGATE: MODERATE_GAP, geomean 1.2000.")},
	{"Perf", "INVESTIGATE, MISSING_DATA", true, perf(Investigate, "MISSING_DATA", 1.01, "INVESTIGATE: 2 of 8 configs were not measured.")},
	{"Perf", "BLOCKED", false, perf(Blocked, "MISSING_DATA", 0, "BLOCKED: no config was measured on both sides.")},
	{"Perf", "DONE, and it is unknown whether both sides ran alike", true, func(in *Input) { in.Jobs[2].Comparable = ComparableUnknown }},
	{"Perf", "DONE without a ratio", false, func(in *Input) { in.Jobs[2].Ratio = 0 }},
	{"Perf waiver", "with a ratio, not exceeded", true, waived(Waiver{Kernel: "bmm", MaxRatio: 1.25, Measured: map[string]float64{"h200": 1.2}})},
	{"Perf waiver", "without a ratio, not above what was measured when it was written", false, waived(Waiver{Kernel: "bmm", Measured: map[string]float64{"h200": 1.2}})},
	{"Perf waiver", "a measurement above it", true, waived(Waiver{Kernel: "bmm", Measured: map[string]float64{"h200": 1.15}})},
	{"Perf waiver", "a lower measurement after one above it", false, waived(Waiver{Kernel: "bmm", MaxRatio: 1.25, Measured: map[string]float64{"h200": 1.2}, Highest: map[string]float64{"h200": 1.31}})},
	{"Perf waiver", "written for another GPU class", false, waived(Waiver{Kernel: "bmm", MaxRatio: 1.25, Measured: map[string]float64{"b200": 1.2}})},
	{"Perf waiver", "its last day is over", false, waived(Waiver{Kernel: "bmm", MaxRatio: 1.25, Measured: map[string]float64{"h200": 1.2}, Until: now.AddDate(0, 0, -1).Truncate(24 * time.Hour)})},
}

func row(s scenario) (Node, string) {
	in := good()
	s.change(&in)
	n := Evaluate(in)
	unblock := "–"
	if n.Unblock != "" {
		unblock = n.Unblock.Prose()
	}
	return n, fmt.Sprintf("| %s | `%s` | %s | %s |\n", s.name, n.Conclusion(), n.Reason.Prose(), unblock)
}

func page() string {
	var b strings.Builder
	b.WriteString(`# What the gate says, and when

Generated from the gate's code by ` + "`go generate ./checks/gate`" + `; do not edit.

The check to require is ` + "`tilegym / gate`" + `. It is ` + "`success`" + ` only when everything that the change needs is shown for exactly
the commit that would be merged. It is never ` + "`neutral`" + ` or ` + "`skipped`" + `: GitHub lets both through a required check.
The worst part decides, in this order: ` + "`failure`, `timed_out`, `action_required`, `pending`, `success`" + `
(` + "`pending`" + ` is a check run in progress). Each row changes one thing of a pull request that is green: one kernel, one GPU class.
`)
	group := ""
	for _, s := range scenarios {
		if s.group != group {
			group = s.group
			fmt.Fprintf(&b, "\n## %s\n\n| situation | gate | it says | what changes it |\n|---|---|---|---|\n", group)
		}
		_, line := row(s)
		b.WriteString(line)
	}
	return b.String()
}

func brief() string {
	var b strings.Builder
	b.WriteString("| | situation | gate |\n|---|---|---|\n")
	group := ""
	for _, s := range scenarios {
		if !s.brief {
			continue
		}
		shown := ""
		if s.group != group {
			shown, group = s.group, s.group
		}
		n, _ := row(s)
		fmt.Fprintf(&b, "| %s | %s | `%s` |\n", shown, s.name, n.Conclusion())
	}
	return b.String()
}

// fill replaces what stands between the markers. A document with one marker, or
// with both in the wrong order, is an error.
func fill(doc, block string) (string, error) {
	i, j := strings.Index(doc, begin), strings.Index(doc, end)
	if i < 0 || j < i {
		return "", fmt.Errorf("expected the markers %s and %s in this order, found them at %d and %d", begin, end, i, j)
	}
	return doc[:i+len(begin)] + "\n" + block + doc[j:], nil
}

// The published tables are what the code does.
func TestTruthTableIsCurrent(t *testing.T) {
	const doc, readme = "../../docs/gate.md", "../../README.md"
	if *update {
		require.NoError(t, os.MkdirAll("../../docs", 0o755))
		require.NoError(t, os.WriteFile(doc, []byte(page()), 0o644))
	}
	got, err := os.ReadFile(doc)
	require.NoError(t, err)
	assert.Equal(t, page(), string(got), "stale: run go generate ./checks/gate")

	src, err := os.ReadFile(readme)
	if errors.Is(err, fs.ErrNotExist) {
		return // the table is published in docs/gate.md alone
	}
	require.NoError(t, err)
	want, err := fill(string(src), brief())
	require.NoError(t, err, readme)
	if *update {
		require.NoError(t, os.WriteFile(readme, []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(src), "stale: run go generate ./checks/gate")
}

func TestFillNeedsBothMarkers(t *testing.T) {
	got, err := fill("a\n"+begin+"\nold\n"+end+"\nb\n", "new\n")
	require.NoError(t, err)
	assert.Equal(t, "a\n"+begin+"\nnew\n"+end+"\nb\n", got)
	for _, doc := range []string{"", begin, end, end + begin} {
		_, err := fill(doc, "")
		require.Error(t, err, "%q", doc)
	}
}

// The table must show every conclusion, or it says less than it claims.
func TestTruthTableShowsEveryConclusion(t *testing.T) {
	seen := map[Status]bool{}
	for _, s := range scenarios {
		n, _ := row(s)
		seen[n.Conclusion()] = true
	}
	assert.Len(t, seen, len(rank))
}
