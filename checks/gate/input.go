package gate

import (
	"time"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// Input is everything that the gate knows about one commit. The zero value of
// each part means "not known yet" and keeps the gate shut.
type Input struct {
	HeadSHA    string    // the commit that is judged: a pull request's head or a merge group's
	MergeGroup bool      // the commit belongs to a merge queue, where no comment can be written
	Now        time.Time // decides whether a waiver has expired

	Config    Config
	Plan      Plan
	Rules     Rules
	Trust     Trust
	Integrity Integrity
	Jobs      []Job
	Waivers   []Waiver
}

// ConfigState says whether the repository's configuration could be read.
type ConfigState string

// The states of the configuration.
const (
	ConfigUnknown     ConfigState = ""
	ConfigOK          ConfigState = "ok"
	ConfigInvalid     ConfigState = "invalid"     // the file is wrong
	ConfigUnreachable ConfigState = "unreachable" // GitHub did not give it
)

// Config is the state of the configuration; Why tells what is wrong with it.
type Config struct {
	State ConfigState
	Why   untrusted.Text
}

// PlanState says whether the change needs GPU jobs.
type PlanState string

// The states of the plan.
const (
	PlanUnknown PlanState = ""
	PlanGPU     PlanState = "gpu"     // Kernels on GPUs are required
	PlanNothing PlanState = "nothing" // no job is required; Why says so
)

// Plan lists what must be shown: every kernel on every GPU class.
type Plan struct {
	State   PlanState
	Why     untrusted.Text
	Kernels []string
	GPUs    []string
}

// RulesState says how far the static review is.
type RulesState string

// The states of the static review.
const (
	RulesPending RulesState = ""
	RulesDone    RulesState = "done"
	RulesFailed  RulesState = "failed" // the review itself broke; Why tells how
	// RulesNothing says that the change removes every kernel, so that nothing is left to
	// review; Why tells it.
	RulesNothing RulesState = "nothing"
)

// Rules is the outcome of the static review. Errors are the new findings of
// severity error; Unread are the files that could not be reviewed.
type Rules struct {
	State  RulesState
	Why    untrusted.Text
	Errors []Finding
	Unread []Unread
}

// Finding is one finding that closes the gate unless it is waived.
type Finding struct {
	Rule        string // as printed: R45
	Path        untrusted.Text
	Line        int
	Title       untrusted.Text
	Fingerprint string
}

// Unread is a file that could not be reviewed.
type Unread struct {
	Path untrusted.Text
	Why  untrusted.Text
}

// TrustState says whether the commit may run on the repository's GPU runners.
type TrustState string

// The states of trust.
const (
	TrustUnknown  TrustState = ""
	Trusted       TrustState = "trusted"        // the author may write to the repository
	NeedsApproval TrustState = "needs approval" // an approval of exactly HeadSHA is needed
)

// Trust is the trust in the commit. ApprovedSHA is the commit that a maintainer
// approved last, By who did.
type Trust struct {
	State       TrustState
	ApprovedSHA string
	By          untrusted.Text
	Why         untrusted.Text // why approval is needed: "a fork", "no write access"
}

// IntegrityState says whether the change weakens the tests.
type IntegrityState string

// The states of test integrity.
const (
	IntegrityUnknown IntegrityState = ""
	IntegrityDone    IntegrityState = "done" // looked; Findings may be empty
)

// Integrity lists what the change does to the tests that judge it.
type Integrity struct {
	State    IntegrityState
	Findings []Finding
}

// JobState says how far one stage of one kernel on one GPU class is.
type JobState string

// The states of a job. Only Done has a verdict.
const (
	NotDispatched   JobState = ""
	Queued          JobState = "queued"
	Running         JobState = "running"
	Done            JobState = "done"
	Infra           JobState = "infrastructure" // the host or GitHub failed, the retry too
	Cancelled       JobState = "cancelled"
	JobTimedOut     JobState = "timed out"
	MissingEvidence JobState = "missing evidence" // the job ended without a usable artifact
)

// Verdict is the outcome of a finished job.
type Verdict string

// The verdicts: Pass and Fail for build, AllPass and Fail for correctness,
// PerfDone and Investigate for perf, Blocked for all. Any other word counts as
// Blocked.
const (
	Pass        Verdict = "PASS"
	AllPass     Verdict = "ALL_PASS"
	Fail        Verdict = "FAIL"
	PerfDone    Verdict = "DONE"
	Investigate Verdict = "INVESTIGATE"
	Blocked     Verdict = "BLOCKED"
)

// Comparable says whether both sides of a perf measurement ran alike.
type Comparable string

// The values of comparability. Only yes counts.
const (
	ComparableUnknown Comparable = "unknown"
	ComparableYes     Comparable = "yes"
	ComparableNo      Comparable = "no"
)

// Job is one stage of one kernel on one GPU class.
type Job struct {
	Stage  job.Stage
	Kernel string
	GPU    string
	SHA    string // the commit that was tested; another than HeadSHA does not count
	State  JobState

	Verdict   Verdict
	FailClass string         // kernel, host, test, env, infra or process, where known
	Sentence  untrusted.Text // the verdict in one sentence
	Reused    untrusted.Text // "run 12 of abc1234" when the verdict of equal content is used
	Waiting   untrusted.Text // requested labels while queued
	URL       string
	// Remedy is what has to be done before another run can help, where that is known
	// of a job that was lost to infrastructure.
	Remedy untrusted.Text

	// Perf only.
	Ratio      float64 // geometric mean of candidate over reference time
	Severity   string  // DONE, MILD_GAP, MODERATE_GAP, LARGE_GAP, MISSING_DATA
	Comparable Comparable
	Incomplete bool // more required configs are missing than allowed
}

// Waiver is a maintainer's decision to accept one finding or one gap. Exactly
// one of Kernel (a perf waiver) and Fingerprint (a rule waiver) is set.
type Waiver struct {
	Kernel string
	// MaxRatio is the ratio that was asked for, 0 for none: then Measured holds.
	MaxRatio float64
	// Measured has a key for each GPU class that was required when the waiver was
	// written, with the ratio measured then (0: none). Another class is not covered.
	Measured map[string]float64
	// Highest is the highest ratio that was measured on each GPU class since the
	// waiver was written. One above what is accepted ends the waiver for good: a
	// lower measurement that comes after does not bring it back.
	Highest map[string]float64

	Fingerprint string

	Until  time.Time // last day on which it holds, in UTC; zero for no end
	By     untrusted.Text
	Reason untrusted.Text
}
