package gate

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/r02"
	"github.com/tilegate/tilegate/checks/rules/r06"
	"github.com/tilegate/tilegate/checks/rules/r35"
	"github.com/tilegate/tilegate/checks/rules/t01"
	"github.com/tilegate/tilegate/checks/untrusted"
)

const (
	head  = "1111111111111111111111111111111111111111"
	other = "2222222222222222222222222222222222222222"
)

var now = time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)

// good is an input whose gate is green: one kernel on one GPU class.
func good() Input {
	in := Input{
		HeadSHA:   head,
		Now:       now,
		Config:    Config{State: ConfigOK},
		Plan:      Plan{State: PlanGPU, Kernels: []string{"bmm"}, GPUs: []string{"h200"}},
		Rules:     Rules{State: RulesDone},
		Trust:     Trust{State: Trusted},
		Integrity: Integrity{State: IntegrityDone},
	}
	in.Jobs = goodJobs("bmm", "h200")
	return in
}

func goodJobs(kernel, gpu string) []Job {
	return []Job{
		{Stage: job.Build, Kernel: kernel, GPU: gpu, SHA: head, State: Done, Verdict: Pass},
		{Stage: job.Correctness, Kernel: kernel, GPU: gpu, SHA: head, State: Done, Verdict: AllPass},
		{Stage: job.Perf, Kernel: kernel, GPU: gpu, SHA: head, State: Done, Verdict: PerfDone, Ratio: 0.98, Severity: "DONE", Comparable: ComparableYes},
	}
}

// A choice is one value of one part of the input and whether it opens the gate.
type choice[T any] struct {
	v  T
	ok bool
}

func configs() []choice[Config] {
	return []choice[Config]{
		{Config{State: ConfigOK}, true}, {Config{}, false}, {Config{State: ConfigInvalid}, false},
		{Config{State: ConfigUnreachable}, false}, {Config{State: "new state"}, false},
	}
}

var (
	newError = found(r35.Rule, "src/k.rs", 3, "f35", "`cutile_bmm` is declared with 7 parameters and takes 8")
	weakened = found(t01.Rule, "tests/ops/test_bmm.py", 9, "ft1", "`rtol` is looser: 0.001 became 0.1")
	unwaived = found(r06.Rule, "src/k.rs", 9, "f6", "`BM*2` computes in a shape")
	ended    = found(r02.Rule, "src/k.rs", 9, "f2", "`1e9f32` is no plain decimal literal")
)

// found is a finding of a rule.
func found(r *rules.Rule, path untrusted.Text, line int, fingerprint string, says untrusted.Text) Finding {
	return Finding{Rule: r.ID, Path: path, Line: line, Title: says, Fingerprint: fingerprint}
}

// The findings of the published table are of rules that close the gate.
func TestExamplesAreOfRulesThatCloseTheGate(t *testing.T) {
	for _, r := range []*rules.Rule{r35.Rule, r06.Rule, r02.Rule} {
		require.Equal(t, rules.Error, r.Severity, r.ID)
		require.False(t, rules.OnTests(r.ID), r.ID)
	}
	require.True(t, rules.OnTests(t01.Rule.ID))
	require.Greater(t, t01.Rule.Severity.Rank(), rules.Note.Rank())
}

// waivers hold for newError and weakened; the one for ended ended yesterday.
func waivers() []Waiver {
	return []Waiver{
		{Fingerprint: "f35", By: "maya", Reason: "not reached", Until: time.Date(2026, 5, 20, 0, 0, 0, 0, time.UTC)},
		{Fingerprint: "ft1", By: "maya", Reason: "known"},
		{Fingerprint: "f2", By: "maya", Until: time.Date(2026, 5, 19, 0, 0, 0, 0, time.UTC)},
	}
}

func ruleChoices() []choice[Rules] {
	return []choice[Rules]{
		{Rules{State: RulesDone}, true},
		{Rules{State: RulesDone, Errors: []Finding{newError}}, true},
		{Rules{}, false},
		{Rules{State: RulesFailed}, false},
		{Rules{State: RulesNothing}, false},
		{Rules{State: RulesDone, Errors: []Finding{unwaived}}, false},
		{Rules{State: RulesDone, Errors: []Finding{ended}}, false},
		{Rules{State: RulesDone, Errors: []Finding{newError, unwaived}}, false},
		{Rules{State: RulesDone, Unread: []Unread{{Path: "a.rs", Why: "too deep"}}}, false},
		{Rules{State: RulesDone, Errors: []Finding{{Rule: "R3", Fingerprint: ""}}}, false},
	}
}

func integrityChoices() []choice[Integrity] {
	return []choice[Integrity]{
		{Integrity{State: IntegrityDone}, true},
		{Integrity{State: IntegrityDone, Findings: []Finding{weakened}}, true},
		{Integrity{}, false},
		{Integrity{State: IntegrityDone, Findings: []Finding{weakened, unwaived}}, false},
	}
}

func trustChoices() []choice[Trust] {
	return []choice[Trust]{
		{Trust{State: Trusted}, true},
		{Trust{State: NeedsApproval, ApprovedSHA: head, By: "maya"}, true},
		{Trust{}, false}, {Trust{State: NeedsApproval}, false},
		{Trust{State: NeedsApproval, ApprovedSHA: other}, false},
		{Trust{ApprovedSHA: head}, false},
	}
}

// jobChoices are the states that every stage shares, then the finished ones.
func jobChoices(stage job.Stage, done ...choice[Job]) []choice[*Job] {
	all := []choice[*Job]{{nil, false}}
	for _, s := range []JobState{NotDispatched, Queued, Running, Infra, Cancelled, JobTimedOut, MissingEvidence, "new state"} {
		all = append(all, choice[*Job]{&Job{SHA: head, State: s}, false})
	}
	for _, d := range done {
		d.v.SHA, d.v.State = head, Done
		all = append(all, choice[*Job]{&d.v, d.ok})
		stale := d.v
		stale.SHA = other
		all = append(all, choice[*Job]{&stale, false})
		unknown := d.v
		unknown.SHA = ""
		all = append(all, choice[*Job]{&unknown, false})
	}
	for _, c := range all {
		if c.v != nil {
			c.v.Stage, c.v.Kernel, c.v.GPU = stage, "bmm", "h200"
		}
	}
	return all
}

func buildChoices() []choice[*Job] {
	return jobChoices(job.Build,
		choice[Job]{Job{Verdict: Pass}, true}, choice[Job]{Job{Verdict: Pass, Reused: "run 4"}, true},
		choice[Job]{Job{Verdict: Fail, FailClass: "kernel"}, false}, choice[Job]{Job{Verdict: Fail, FailClass: "env"}, false},
		choice[Job]{Job{Verdict: Blocked}, false}, choice[Job]{Job{}, false}, choice[Job]{Job{Verdict: AllPass}, false})
}

func correctnessChoices() []choice[*Job] {
	return jobChoices(job.Correctness,
		choice[Job]{Job{Verdict: AllPass}, true},
		choice[Job]{Job{Verdict: Fail, FailClass: "kernel"}, false}, choice[Job]{Job{Verdict: Blocked, FailClass: "infra"}, false},
		choice[Job]{Job{Verdict: Blocked}, false}, choice[Job]{Job{}, false}, choice[Job]{Job{Verdict: Pass}, false})
}

func perfChoices() []choice[*Job] {
	p := func(v Verdict, sev string, ratio float64, c Comparable, incomplete, ok bool) choice[Job] {
		return choice[Job]{Job{Verdict: v, Severity: sev, Ratio: ratio, Comparable: c, Incomplete: incomplete}, ok}
	}
	return jobChoices(job.Perf,
		p(PerfDone, "DONE", 1.05, ComparableYes, false, true),
		p(PerfDone, "DONE", 1.01, ComparableUnknown, false, false),
		p(PerfDone, "DONE", 1.01, ComparableNo, false, false),
		p(PerfDone, "DONE", 1.01, "", false, false),
		p(PerfDone, "DONE", 0, ComparableYes, false, false),
		p(PerfDone, "DONE", math.NaN(), ComparableYes, false, false),
		p(PerfDone, "DONE", 1.01, ComparableYes, true, false),
		p(Investigate, "MILD_GAP", 1.09, ComparableYes, false, false),
		p(Investigate, "LARGE_GAP", 1.9, ComparableYes, false, false),
		p(Investigate, "MISSING_DATA", 1.01, ComparableYes, false, false),
		p(Investigate, "MISSING_DATA", 0, ComparableYes, true, false),
		p(Blocked, "MISSING_DATA", 0, ComparableYes, false, false),
		p(Fail, "", 1, ComparableYes, false, false), p(AllPass, "", 1, ComparableYes, false, false), p("", "", 1, ComparableYes, false, false))
}

var unblocks = regexp.MustCompile("`/tilegym [a-z-]+|a push|a commit|the end of|the dispatch|a free runner|GitHub's|an administrator|that passes; ")

// command is what a red leaf must name: a comment, or where none can be written
// GitHub's own buttons.
func command(in Input) *regexp.Regexp {
	if in.MergeGroup {
		return rerunButton
	}
	return comment
}

var (
	comment     = regexp.MustCompile("`/tilegym (status|rerun|waive|ok-to-test)\\b[^`]*`, which ")
	rerunButton = regexp.MustCompile("GitHub's Re-run of this check, or leaving the merge queue")
)

// check asserts the gate's promises for one input.
func check(t *testing.T, in Input, open bool) {
	t.Helper()
	root := Evaluate(in)
	if (root.Conclusion() == Success) != open {
		b, _ := json.MarshalIndent(in, "", " ")
		require.Failf(t, "wrong conclusion", "open %v, found %s: %s\n%s", open, root.Status, root.Reason, b)
	}
	var walk func(n Node)
	walk = func(n Node) {
		if _, known := rank[n.Status]; !known {
			require.Failf(t, "unknown status", "%q", n.Status)
		}
		if n.Reason == "" {
			require.Failf(t, "no reason", "%s", n.Name)
		}
		if (n.Status == Success) != (n.Unblock == "") {
			require.Failf(t, "unblock", "%s is %s and says %q", n.Name, n.Status, n.Unblock)
		}
		if n.Status != Success && !unblocks.MatchString(string(n.Unblock)) {
			require.Failf(t, "unblock names no command or event", "%s: %q", n.Name, n.Unblock)
		}
		// No command brings back kernels that the change removes.
		if red := rank[n.Status] > rank[Pending]; red && len(n.Children) == 0 && n.Unblock != in.removal() && !command(in).MatchString(string(n.Unblock)) {
			require.Failf(t, "a red leaf names no command", "%s: %q", n.Name, n.Unblock)
		}
		for _, c := range n.Children {
			if rank[c.Status] > rank[n.Status] {
				require.Failf(t, "child is worse than its parent", "%s under %s", c.Name, n.Name)
			}
			walk(c)
		}
	}
	walk(root)
}

// Every combination of the parts outside of the jobs, with jobs of every kind;
// green exactly when each part is shown.
func TestEveryCombinationOfParts(t *testing.T) {
	jobSets := []choice[[]Job]{
		{goodJobs("bmm", "h200"), true}, {nil, false}, {goodJobs("bmm", "h200")[:2], false}, {goodJobs("bmm", "h200")[1:], false},
		{goodJobs("matmul", "h200"), false}, {goodJobs("bmm", "b200"), false},
	}
	plans := []choice[Plan]{
		{Plan{State: PlanGPU, Kernels: []string{"bmm"}, GPUs: []string{"h200"}}, true},
		{Plan{}, false}, {Plan{State: PlanGPU}, false}, {Plan{State: PlanGPU, Kernels: []string{"bmm"}}, false},
		{Plan{State: PlanGPU, GPUs: []string{"h200"}}, false}, {Plan{State: PlanNothing, Why: "documentation only."}, true}, {Plan{State: "new"}, false},
	}
	for _, c := range configs() {
		for _, p := range plans {
			for _, r := range ruleChoices() {
				for _, tr := range trustChoices() {
					for _, ti := range integrityChoices() {
						for _, js := range jobSets {
							for _, mg := range []bool{false, true} {
								in := Input{HeadSHA: head, MergeGroup: mg, Now: now, Config: c.v, Plan: p.v, Rules: r.v, Trust: tr.v, Integrity: ti.v, Jobs: js.v, Waivers: waivers()}
								gpu := p.v.State == PlanNothing || tr.ok && js.ok
								check(t, in, c.ok && p.ok && r.ok && ti.ok && gpu)
							}
						}
					}
				}
			}
		}
	}
}

// Every combination of job states; green exactly when all three are shown for
// this commit.
func TestEveryCombinationOfJobs(t *testing.T) {
	for _, b := range buildChoices() {
		for _, c := range correctnessChoices() {
			for _, p := range perfChoices() {
				in := good()
				in.Jobs = nil
				for _, j := range []*Job{p.v, c.v, b.v} {
					if j != nil {
						in.Jobs = append(in.Jobs, *j)
					}
				}
				check(t, in, b.ok && c.ok && p.ok)
				in.HeadSHA = ""
				check(t, in, false)
			}
		}
	}
}

// With several kernels and GPU classes each pair needs its own three jobs.
func TestEveryKernelOnEveryClassIsRequired(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		in := good()
		in.Plan.Kernels, in.Plan.GPUs = []string{"bmm", "matmul"}, []string{"h200", "b200"}
		in.Jobs = nil
		missing := -1
		if rng.IntN(3) > 0 {
			missing = rng.IntN(12)
		}
		for _, k := range in.Plan.Kernels {
			for _, g := range in.Plan.GPUs {
				in.Jobs = append(in.Jobs, goodJobs(k, g)...)
			}
		}
		if missing >= 0 {
			in.Jobs = slices.Delete(in.Jobs, missing, missing+1)
		}
		rng.Shuffle(len(in.Jobs), func(i, j int) { in.Jobs[i], in.Jobs[j] = in.Jobs[j], in.Jobs[i] })
		check(t, in, missing < 0)
	}
}

func TestZeroInputIsPending(t *testing.T) {
	root := Evaluate(Input{})
	assert.Equal(t, Pending, root.Conclusion())
	check(t, Input{}, false)
}

func TestPerfWaivers(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 5, d, 0, 0, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		w     Waiver
		ratio float64
		holds bool
		says  string
	}{
		"no ratio: holds at the measured one":    {Waiver{Kernel: "bmm", Measured: map[string]float64{"h200": 1.2}}, 1.2, true, "1.2000 up to 1.20 waived by maya"},
		"no ratio: a better measurement":         {Waiver{Kernel: "bmm", Measured: map[string]float64{"h200": 1.2}}, 1.1, true, ""},
		"no ratio: a worse measurement ends it":  {Waiver{Kernel: "bmm", Measured: map[string]float64{"h200": 1.2}}, 1.2001, false, "1.2001 is above 1.20"},
		"a hair above is printed above":          {Waiver{Kernel: "bmm", Measured: map[string]float64{"h200": 1.2}}, 1.2000004, false, "1.2000004 is above 1.20"},
		"within 1e-9 is on the limit":            {Waiver{Kernel: "bmm", MaxRatio: 1.2, Measured: map[string]float64{"h200": 0}}, 1.2 + 5e-10, true, ""},
		"a ratio covers unmeasured classes":      {Waiver{Kernel: "bmm", MaxRatio: 1.3, Measured: map[string]float64{"h200": 0}}, 1.25, true, ""},
		"no ratio and nothing measured":          {Waiver{Kernel: "bmm", Measured: map[string]float64{"h200": 0}}, 1.1, false, "does not cover h200"},
		"another GPU class":                      {Waiver{Kernel: "bmm", MaxRatio: 2, Measured: map[string]float64{"b200": 1.2}}, 1.1, false, "does not cover h200"},
		"another kernel":                         {Waiver{Kernel: "matmul", MaxRatio: 2, Measured: map[string]float64{"h200": 1.2}}, 1.1, false, ""},
		"its last day":                           {Waiver{Kernel: "bmm", MaxRatio: 2, Until: day(20), Measured: map[string]float64{"h200": 1.2}}, 1.1, true, ""},
		"the day after":                          {Waiver{Kernel: "bmm", MaxRatio: 2, Until: day(19), Measured: map[string]float64{"h200": 1.2}}, 1.1, false, "ended on 2026-05-19"},
		"a rule waiver with an empty kernel":     {Waiver{Fingerprint: "f", MaxRatio: 2, Measured: map[string]float64{"h200": 1.2}}, 1.1, false, ""},
		"a worse measurement before this one":    {Waiver{Kernel: "bmm", Measured: map[string]float64{"h200": 1.2}, Highest: map[string]float64{"h200": 1.3}}, 1.1, false, "ended: 1.3000 was measured on h200, above 1.20"},
		"a worse measurement on another class":   {Waiver{Kernel: "bmm", MaxRatio: 1.25, Measured: map[string]float64{"h200": 1.2, "b200": 1.1}, Highest: map[string]float64{"b200": 1.26}}, 1.1, false, "ended: 1.2600 was measured on b200, above 1.25"},
		"the highest since is on the limit":      {Waiver{Kernel: "bmm", MaxRatio: 1.25, Measured: map[string]float64{"h200": 1.2}, Highest: map[string]float64{"h200": 1.25 + 5e-10}}, 1.1, true, ""},
		"a class that it never covered":          {Waiver{Kernel: "bmm", Measured: map[string]float64{"h200": 1.2}, Highest: map[string]float64{"b200": 9}}, 1.1, true, ""},
		"a ratio that is not a number holds not": {Waiver{Kernel: "bmm", MaxRatio: math.NaN(), Measured: map[string]float64{"h200": 1.2}}, 1.1, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := good()
			c.w.By = "maya"
			in.Waivers = []Waiver{c.w}
			p := &in.Jobs[2]
			p.Verdict, p.Severity, p.Ratio = Investigate, "MODERATE_GAP", c.ratio
			check(t, in, c.holds)
			root := Evaluate(in)
			assert.Equal(t, c.holds, root.Waived)
			assert.Contains(t, string(root.Reason), c.says)

			for _, change := range []func(*Input){
				func(in *Input) { in.Jobs[1].Verdict = Fail },
				func(in *Input) { in.Jobs[0].Verdict = Fail },
				func(in *Input) { in.Jobs[2].Verdict = Blocked },
				func(in *Input) { in.Jobs[2].State = MissingEvidence },
				func(in *Input) { in.Jobs[2].Comparable = ComparableUnknown },
				func(in *Input) { in.Jobs[2].Severity = "MISSING_DATA" },
				func(in *Input) { in.Jobs[2].Incomplete = true },
			} {
				bad := in
				bad.Jobs = slices.Clone(in.Jobs)
				change(&bad)
				check(t, bad, false)
			}
		})
	}
}

// A waiver that the gate suggests must hold for the measurement that it is for.
func TestSuggestedWaiverCoversTheMeasurement(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	suggestion := regexp.MustCompile(`waive perf bmm <= ([0-9.]+) REASON`)
	for range 1000 {
		in := good()
		p := &in.Jobs[2]
		p.Verdict, p.Severity, p.Ratio = Investigate, "LARGE_GAP", 1.05+rng.Float64()*3
		m := suggestion.FindStringSubmatch(string(Evaluate(in).Unblock))
		require.NotNil(t, m)
		var limit float64
		require.NoError(t, json.Unmarshal([]byte(m[1]), &limit))
		in.Waivers = []Waiver{{Kernel: "bmm", MaxRatio: limit, Measured: map[string]float64{"h200": p.Ratio}}}
		check(t, in, true)
	}
}

// field-report 28: a required GPU job that was skipped or is absent is never a
// pass, and the reason says that it did not run.
func TestFieldReport28AbsentJobIsNotSuccess(t *testing.T) {
	in := good()
	in.Jobs = in.Jobs[:2]
	root := Evaluate(in)
	assert.Equal(t, Pending, root.Conclusion())
	assert.Contains(t, string(root.Reason), "Not dispatched")
	in = good()
	in.Jobs[2].State = MissingEvidence
	in.Jobs[2].Sentence = "The job did not run: its conclusion is skipped."
	root = Evaluate(in)
	assert.Equal(t, ActionRequired, root.Conclusion())
	assert.Contains(t, string(root.Reason), "did not run")
}

// field-report 62: an infrastructure fault blocks and does not blame.
func TestFieldReport62InfrastructureDoesNotBlame(t *testing.T) {
	for _, change := range []func(*Job){
		func(j *Job) { j.State = Infra },
		func(j *Job) { j.Verdict, j.FailClass = Blocked, "infra" },
		func(j *Job) { j.Verdict, j.FailClass = Fail, "env" },
	} {
		in := good()
		change(&in.Jobs[1])
		root := Evaluate(in)
		assert.Equal(t, ActionRequired, root.Conclusion())
		assert.Contains(t, string(root.Reason), "not shown to be at fault")
	}
}

// What has to be done before another run can help stands before it.
func TestRemedyComesBeforeTheRerun(t *testing.T) {
	in := good()
	in.Jobs[0].State, in.Jobs[0].Remedy = Infra, "a commit that adds the workflow"
	assert.Contains(t, string(Evaluate(in).Unblock), "a commit that adds the workflow, then `/tilegym rerun build ")
}

// field-report 26: a result of another commit does not count.
func TestFieldReport26ResultOfAnotherCommit(t *testing.T) {
	in := good()
	in.Jobs[1].SHA = other
	root := Evaluate(in)
	assert.NotEqual(t, Success, root.Conclusion())
	assert.Contains(t, string(root.Reason), "`2222222`")
}

// field-report 59: an approval is of one commit only.
func TestFieldReport59ApprovalOfAnotherCommit(t *testing.T) {
	in := good()
	in.Trust = Trust{State: NeedsApproval, ApprovedSHA: other}
	root := Evaluate(in)
	assert.Equal(t, ActionRequired, root.Conclusion())
	assert.Contains(t, string(root.Unblock), "/tilegym ok-to-test "+head)
}

func TestMergeGroupNamesNoComment(t *testing.T) {
	in := good()
	in.MergeGroup = true
	in.Jobs[2].State = JobTimedOut
	root := Evaluate(in)
	assert.Equal(t, TimedOut, root.Conclusion())
	assert.NotContains(t, string(root.Unblock), "/tilegym")
}

func TestTreeIsJSONForEveryProjection(t *testing.T) {
	in := good()
	in.Rules.Errors = []Finding{{Rule: "R1", Path: "a\x1b[31m.rs", Title: "bad \xff", Line: 1}}
	b, err := json.Marshal(Evaluate(in))
	require.NoError(t, err)
	assert.NotContains(t, string(b), `\u001b`)
	var back Node
	require.NoError(t, json.Unmarshal(b, &back))
	assert.Equal(t, Failure, back.Conclusion())
	assert.Len(t, back.Children, 5)
	assert.Len(t, back.Leaves(), 7)
}

func BenchmarkEvaluate(b *testing.B) {
	in := good()
	for b.Loop() {
		Evaluate(in)
	}
}
