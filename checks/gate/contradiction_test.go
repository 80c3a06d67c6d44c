package gate

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/job"
)

// Of several results of one job the worst counts, in whatever order they come.
func TestWorstOfEqualJobsDecides(t *testing.T) {
	for name, change := range map[string]func(*Job){
		"failed":         func(j *Job) { j.Verdict = Fail },
		"still running":  func(j *Job) { j.State = Running },
		"another commit": func(j *Job) { j.SHA = other },
		"lost":           func(j *Job) { j.State = Infra },
		"not dispatched": func(j *Job) { j.State = NotDispatched },
	} {
		for stage := range job.Stages {
			in := good()
			again := in.Jobs[stage]
			change(&again)
			in.Jobs = append(in.Jobs, again)
			first := Evaluate(in)
			assert.NotEqual(t, Success, first.Conclusion(), "%s, stage %d", name, stage)
			slices.Reverse(in.Jobs)
			assert.Equal(t, first, Evaluate(in), "%s, stage %d", name, stage)
		}
	}
}

// A verdict and a severity that do not go together show nothing.
func TestSeverityThatContradictsTheVerdict(t *testing.T) {
	for _, severity := range []string{"", "MILD_GAP", "LARGE_GAP", "MISSING_DATA", "new"} {
		in := good()
		in.Jobs[2].Severity = severity
		n := Evaluate(in)
		require.Equal(t, ActionRequired, n.Conclusion(), severity)
		require.Contains(t, string(n.Reason), `BLOCKED: the verdict DONE does not go with the severity "`+severity+`"`)
	}
	for _, severity := range []string{"", "DONE"} {
		in := good()
		in.Jobs[2].Verdict, in.Jobs[2].Severity, in.Jobs[2].Ratio = Investigate, severity, 1.2
		in.Waivers = []Waiver{{Kernel: "bmm", MaxRatio: 1.3, Measured: map[string]float64{"h200": 1.2}}}
		require.Equal(t, ActionRequired, Evaluate(in).Conclusion(), severity)
	}
}

func TestPlanThatContradictsItself(t *testing.T) {
	in := good()
	in.Plan.State = PlanNothing
	n := Evaluate(in)
	require.Equal(t, ActionRequired, n.Conclusion())
	require.Contains(t, string(n.Reason), "The plan says that no GPU job is needed and names 1 kernel.")
	in = good()
	in.Plan.Kernels = []string{""}
	for i := range in.Jobs {
		in.Jobs[i].Kernel = ""
	}
	require.Equal(t, ActionRequired, Evaluate(in).Conclusion())
}

// What is no number or no time never keeps a waiver alive.
func TestWaiverOfUnknownNumbers(t *testing.T) {
	waived := func(change func(*Input, *Waiver)) Status {
		in := good()
		in.Jobs[2].Verdict, in.Jobs[2].Severity, in.Jobs[2].Ratio = Investigate, "MODERATE_GAP", 1.2
		w := Waiver{Kernel: "bmm", MaxRatio: 1.3, Measured: map[string]float64{"h200": 1.2}}
		change(&in, &w)
		in.Waivers = []Waiver{w}
		return Evaluate(in).Conclusion()
	}
	require.Equal(t, Success, waived(func(*Input, *Waiver) {}))
	require.Equal(t, Failure, waived(func(_ *Input, w *Waiver) { w.Highest = map[string]float64{"h200": math.NaN()} }))
	require.Equal(t, Failure, waived(func(in *Input, w *Waiver) { in.Now, w.Until = time.Time{}, now }))
}

// In a merge group nothing begins with a person who could give a command.
func TestMergeGroupSentencesAreWhole(t *testing.T) {
	for name, change := range map[string]func(*Input){
		"trust":     func(in *Input) { in.Trust = Trust{State: NeedsApproval, Why: "a fork"} },
		"integrity": func(in *Input) { in.Integrity.Findings = []Finding{weakened} },
		"gap": func(in *Input) {
			in.Jobs[2].Verdict, in.Jobs[2].Severity, in.Jobs[2].Ratio = Investigate, "MODERATE_GAP", 1.2
		},
	} {
		in := good()
		in.MergeGroup = true
		change(&in)
		for _, l := range Evaluate(in).Leaves() {
			require.NotContains(t, string(l.Unblock), "maintainer's", name)
			require.LessOrEqual(t, strings.Count(string(l.Unblock), "leaving the merge queue"), 1, name)
		}
		in.MergeGroup = false
		require.Contains(t, string(Evaluate(in).Unblock), "a maintainer's `/tilegym ", name)
	}
}
