package gate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/checks/words"
)

// Evaluate decides. The root is named "gate"; its children are config, rules,
// tests, and, when jobs are required, trust and one node for each kernel on
// each GPU class with the children build, correctness and perf.
func Evaluate(in Input) Node {
	children := []Node{in.config()}
	if in.Config.State == ConfigOK {
		children = append(children, in.rules(), in.integrity())
		children = append(children, in.plan()...)
	}
	green := text("Rules, build, correctness and perf are shown for %s.", short(in.HeadSHA))
	if in.Plan.State == PlanNothing {
		green = text("No GPU job is needed for %s: %s", short(in.HeadSHA), sentence(in.Plan.Why, "the change touches no kernel."))
	}
	if len(in.HeadSHA) == 0 {
		children = append(children, Node{Name: "commit", Status: Pending, Reason: "The commit to judge is not known yet.", Unblock: "GitHub's next event about it"})
	}
	root := Fold("gate", green, children)
	root.SHA = in.HeadSHA
	if root.Status == Success && root.Waived {
		root.Reason += " Waived: " + waivedNames(root)
	}
	return root
}

func waivedNames(root Node) untrusted.Text {
	var names []string
	for _, l := range root.Leaves() {
		if l.Waived {
			names = append(names, string(l.Reason))
		}
	}
	return untrusted.Text(strings.Join(names, " "))
}

func (in Input) config() Node {
	n := Node{Name: "config"}
	switch in.Config.State {
	case ConfigOK:
		n.Status, n.Reason = Success, "The configuration of the base branch is valid."
	case ConfigInvalid:
		n.Status, n.Reason = Failure, sentence(in.Config.Why, "The configuration of the base branch is not valid.")
		n.Unblock = "a commit on the base branch that corrects `.github/tilegym.yml`, then " + in.command("status", "reads it again")
	case ConfigUnreachable:
		n.Status, n.Reason = ActionRequired, sentence(in.Config.Why, "GitHub did not give the configuration; this change is not at fault.")
		n.Unblock = in.command("status", "asks again")
	default:
		n.Status, n.Reason = Pending, "The configuration has not been read yet."
		n.Unblock = "the end of reading `.github/tilegym.yml` from the base branch"
	}
	return n
}

func (in Input) rules() Node {
	leaf := func(s Status, reason, unblock untrusted.Text) Node {
		return Node{Name: "rules", Status: s, Reason: reason, Unblock: unblock}
	}
	switch in.Rules.State {
	case RulesDone:
	case RulesFailed:
		return leaf(ActionRequired, sentence(in.Rules.Why, "The static review could not be carried out."), in.command("rerun rules", "reviews again"))
	case RulesNothing:
		return leaf(ActionRequired, sentence(in.Rules.Why, "The change removes every cutile-rs kernel, so that nothing is left to review."), in.removal())
	default:
		return leaf(Pending, "The static review has not ended.", text("the end of the static review of %s", short(in.HeadSHA)))
	}
	var children []Node
	for _, f := range in.Rules.Errors {
		children = append(children, in.finding(f, Failure, "a push that corrects it, or "))
	}
	for _, u := range in.Rules.Unread {
		children = append(children, Node{
			Name: u.Path, Status: Failure,
			Reason:  text("The file could not be reviewed as a whole (%s), and nothing is known about the rest.", sentence(u.Why, "no reason given")),
			Unblock: "a push that makes the file readable, or, if it is, " + in.command("rerun rules", "reviews again"),
		})
	}
	if len(children) == 0 {
		return leaf(Success, "No new error, and every file was read.", "")
	}
	return Fold("rules", "Every new error is waived.", children)
}

func (in Input) integrity() Node {
	if in.Rules.State == RulesFailed {
		// The same review compares the tests.
		return Node{Name: "tests", Status: ActionRequired, Waits: true, Reason: "Whether the change weakens the tests is not known: the static review could not be carried out.",
			Unblock: in.command("rerun rules", "reviews again")}
	}
	if in.Rules.State == RulesNothing {
		return Node{Name: "tests", Status: ActionRequired, Waits: true, Reason: "Whether the change weakens the tests is not decided: no kernel is left that they would judge.",
			Unblock: in.removal()}
	}
	if in.Integrity.State != IntegrityDone {
		return Node{Name: "tests", Status: Pending, Reason: "Whether the change weakens the tests is not known yet.",
			Unblock: text("the end of the static review of %s", short(in.HeadSHA))}
	}
	var children []Node
	for _, f := range in.Integrity.Findings {
		children = append(children, in.finding(f, ActionRequired, in.maintainers()))
	}
	if len(children) == 0 {
		return Node{Name: "tests", Status: Success, Reason: "Nothing in the change weakens the tests of the kernels or what they share."}
	}
	return Fold("tests", "A maintainer accepted what the change does to the tests.", children)
}

// removal is how a change that removes every kernel gets in: no command makes it one
// that can be judged.
func (in Input) removal() untrusted.Text {
	if in.MergeGroup {
		return "leaving the merge queue, or an administrator, who can merge without this check where the removal is meant"
	}
	return "a push that keeps a kernel there, or an administrator, who can merge without this check where the removal is meant"
}

// finding is the leaf of a finding: waived, or closed with how to open it.
func (in Input) finding(f Finding, s Status, before untrusted.Text) Node {
	n := Node{Name: untrusted.Text(f.Rule), Status: s, Reason: text("%s (`%s:%d`).", strings.TrimSuffix(string(f.Title), "."), f.Path, f.Line)}
	n.Unblock = before + in.command(fmt.Sprintf("waive %s %s REASON", f.Rule, f.Path), "accepts it")
	for _, w := range in.Waivers {
		if w.Fingerprint == "" || w.Fingerprint != f.Fingerprint {
			continue
		}
		if in.expired(w) {
			n.Reason += text(" The waiver by %s ended on %s.", w.By, w.Until.UTC().Format("2006-01-02"))
			continue
		}
		return Node{Name: n.Name, Status: Success, Waived: true, Reason: text("%s waived by %s at `%s:%d`: %s", f.Rule, w.By, f.Path, f.Line, sentence(w.Reason, "no reason given."))}
	}
	return n
}

// plan is the trust and the jobs that the change requires.
func (in Input) plan() []Node {
	switch in.Plan.State {
	case PlanNothing:
		if len(in.Plan.Kernels) > 0 {
			return []Node{{Name: "plan", Status: ActionRequired, Reason: text("The plan says that no GPU job is needed and names %s.", words.Count(len(in.Plan.Kernels), "kernel")),
				Unblock: in.command("rerun", "plans again")}}
		}
		return nil
	case PlanGPU:
	default:
		if in.Rules.State == RulesFailed {
			return []Node{{Name: "plan", Status: ActionRequired, Waits: true, Reason: "What the change affects is not known: the static review could not be carried out.",
				Unblock: in.command("rerun rules", "reviews again")}}
		}
		return []Node{{Name: "plan", Status: Pending, Reason: "What the change affects is not known yet.", Unblock: text("the end of planning for %s", short(in.HeadSHA))}}
	}
	nodes := []Node{in.trust()}
	if len(in.Plan.GPUs) == 0 {
		nodes = append(nodes, Node{Name: "GPU classes", Status: Failure, Reason: "The change needs a GPU and the configuration names no GPU class.",
			Unblock: "a commit on the base branch that adds `gpus` to `.github/tilegym.yml`, then " + in.command("status", "reads it again")})
	}
	if len(in.Plan.Kernels) == 0 || slices.Contains(in.Plan.Kernels, "") {
		nodes = append(nodes, Node{Name: "plan", Status: ActionRequired, Reason: "The change needs a GPU and no kernel was named.",
			Unblock: in.command("rerun", "plans again")})
	}
	for _, k := range in.Plan.Kernels {
		for _, g := range in.Plan.GPUs {
			nodes = append(nodes, in.kernel(k, g))
		}
	}
	return nodes
}

// trusted reports whether the commit may run on the runners.
func (in Input) trusted() bool {
	return in.Trust.State == Trusted ||
		in.Trust.State == NeedsApproval && in.HeadSHA != "" && in.Trust.ApprovedSHA == in.HeadSHA
}

func (in Input) trust() Node {
	n := Node{Name: "trust"}
	switch {
	case in.trusted() && in.Trust.State == Trusted:
		n.Status, n.Reason = Success, "The author may run code on the GPU runners."
	case in.trusted():
		n.Status, n.Reason = Success, text("%s approved %s for the GPU runners.", in.Trust.By, short(in.HeadSHA))
	case in.Trust.State == NeedsApproval:
		n.Status = ActionRequired
		n.Reason = text("%s must be approved before it may run on the GPU runners (%s).", short(in.HeadSHA), sentence(in.Trust.Why, "the author has no write access"))
		if in.Trust.ApprovedSHA != "" {
			n.Reason += text(" The approval of %s is for that commit only.", short(in.Trust.ApprovedSHA))
		}
		n.Unblock = in.maintainers() + in.command("ok-to-test "+in.HeadSHA, "approves it")
	default:
		n.Status, n.Reason = Pending, "Whether the author may run code on the GPU runners is not known yet."
		n.Unblock = "GitHub's answer about the author's permission"
	}
	return n
}

// kernel is one kernel on one GPU class. Each stage needs the one before it.
func (in Input) kernel(kernel, gpu string) Node {
	build := in.stage(job.Build, kernel, gpu, Pass, nil)
	correct := in.stage(job.Correctness, kernel, gpu, AllPass, &build)
	perf := in.stage(job.Perf, kernel, gpu, PerfDone, &correct)
	return Fold(text("%s on %s", kernel, gpu), "Build, correctness and perf are shown.", []Node{build, correct, perf})
}

// stage is one job. A stage whose predecessor is not green has no conclusion,
// whatever its own job says.
func (in Input) stage(s job.Stage, kernel, gpu string, good Verdict, before *Node) Node {
	n := Node{Name: untrusted.Text(s), Status: Pending}
	rerun := in.command(fmt.Sprintf("rerun %s %s --gpu %s", s, kernel, gpu), "runs it again")
	if before != nil && before.Status != Success {
		n.Waits = true
		n.Reason = text("No conclusion: %s is not shown.", before.Name)
		n.Unblock = text("%s that passes; %s", before.Name, before.Unblock)
		return n
	}
	// Of several jobs that are the same, the worst decides.
	var worst *Node
	for _, j := range in.Jobs {
		if j.Stage != s || j.Kernel != kernel || j.GPU != gpu {
			continue
		}
		if one := in.job(n, j, good, rerun); worst == nil || rank[one.Status] > rank[worst.Status] {
			worst = &one
		}
	}
	if worst == nil {
		return in.undispatched(n, rerun)
	}
	return *worst
}

// undispatched is the leaf of a job that was not sent to a host.
func (in Input) undispatched(n Node, rerun untrusted.Text) Node {
	n.Reason = "Not dispatched yet."
	n.Unblock = "the dispatch, which follows by itself; " + rerun
	if !in.trusted() {
		n.Waits = true
		n.Reason = "Not dispatched: the commit is not approved for the GPU runners."
		n.Unblock = in.trust().Unblock
	}
	return n
}

// job is the leaf of one job.
func (in Input) job(n Node, j Job, good Verdict, rerun untrusted.Text) Node {
	if j.State == NotDispatched {
		return in.undispatched(n, rerun)
	}
	n.URL = j.URL
	if j.SHA != in.HeadSHA {
		n.Status = ActionRequired
		n.Reason = text("The result is of commit %s, not of %s, and does not count.", short(j.SHA), short(in.HeadSHA))
		n.Unblock = rerun
		return n
	}
	switch j.State {
	case Queued:
		n.Reason = "Waits for a runner."
		n.Unblock = "a free runner"
		if j.Waiting != "" {
			n.Reason = text("Waits for a runner with the labels `%s`.", j.Waiting)
			n.Unblock = text("a free runner with the labels `%s`", j.Waiting)
		}
	case Running:
		n.Reason, n.Unblock = "Running.", "the end of the job"
	case Infra:
		n.Status, n.Unblock = ActionRequired, rerun
		if j.Remedy != "" {
			n.Unblock = text("%s, then %s", j.Remedy, rerun)
		}
		n.Reason = sentence(j.Sentence, "The runner or GitHub failed.") + " The change is not shown to be at fault."
	case Cancelled:
		n.Status, n.Unblock = ActionRequired, rerun
		n.Reason = sentence(j.Sentence, "The job was cancelled and shows nothing.")
	case JobTimedOut:
		n.Status, n.Unblock = TimedOut, rerun
		n.Reason = sentence(j.Sentence, "The job did not end in time.")
	case MissingEvidence:
		n.Status, n.Unblock = ActionRequired, rerun
		n.Reason = sentence(j.Sentence, "The job ended without usable evidence.")
	case Done:
		return in.judged(n, j, good, rerun)
	default:
		n.Status, n.Unblock = ActionRequired, rerun
		n.Reason = text("The job is in the unknown state %q.", string(j.State))
	}
	return n
}

// judged is the leaf of a finished job of this commit.
func (in Input) judged(n Node, j Job, good Verdict, rerun untrusted.Text) Node {
	n.Reason = sentence(j.Sentence, untrusted.Text(j.Verdict)+".")
	if j.Reused != "" {
		n.Reason += text(" Reused from %s.", j.Reused)
	}
	switch {
	case j.Stage == job.Perf && j.Comparable != ComparableYes:
		n.Status, n.Unblock = ActionRequired, rerun
		word := j.Comparable
		if word == "" {
			word = ComparableUnknown
		}
		if j.Verdict != Blocked { // which says by itself why there is nothing to compare
			n.Reason = text("BLOCKED: whether both sides were measured alike is %q. %s", word, n.Reason)
		}
	case j.Stage == job.Perf && (j.Verdict == PerfDone || j.Verdict == Investigate && j.Severity != "MISSING_DATA") && !positive(j.Ratio):
		n.Status, n.Unblock = ActionRequired, rerun
		n.Reason = text("BLOCKED: the verdict %s has no ratio.", j.Verdict)
	case j.Stage == job.Perf && j.contradicts():
		n.Status, n.Unblock = ActionRequired, rerun
		n.Reason = text("BLOCKED: the verdict %s does not go with the severity %q. %s", j.Verdict, j.Severity, n.Reason)
	case j.Stage == job.Perf && j.Verdict == PerfDone && j.Incomplete:
		n.Status, n.Unblock = ActionRequired, rerun
		n.Reason = text("BLOCKED: required measurements are missing. %s", n.Reason)
	case j.Verdict == good:
		n.Status = Success
	case j.Verdict == Investigate && j.Stage == job.Perf:
		return in.gap(n, j, rerun)
	default:
		n.Status, n.Unblock = Failure, "a push that corrects it; "+rerun
		if j.Verdict != Blocked && (j.Verdict != Fail || j.Stage == job.Perf) {
			n.Reason = text("BLOCKED: unknown verdict %q.", string(j.Verdict))
		}
		if blameless(j.FailClass) {
			n.Status, n.Unblock = ActionRequired, rerun
			n.Reason += " The change is not shown to be at fault."
		}
	}
	return n
}

// contradicts reports whether the severity is not one that the verdict can have.
func (j Job) contradicts() bool {
	return j.Verdict == PerfDone && j.Severity != severityDone || j.Verdict == Investigate && (j.Severity == severityDone || j.Severity == "")
}

// severityDone is the severity of what passes.
const severityDone = "DONE"

// gap is the leaf of a perf gap: waived, or closed with how to open it. Missing
// measurements are not waivable.
func (in Input) gap(n Node, j Job, rerun untrusted.Text) Node {
	n.Status = Failure
	if j.Severity == "MISSING_DATA" || j.Incomplete {
		n.Reason += " Missing measurements cannot be waived."
		n.Unblock = "a push or run in which every required case is measured; " + rerun
		return n
	}
	n.Unblock = "a push that makes it faster; " + rerun
	if !in.MergeGroup {
		n.Unblock += "; " + in.maintainers() + in.command(fmt.Sprintf("waive perf %s <= %s REASON", j.Kernel, roundUp(j.Ratio)), "accepts the gap")
	}
	for _, w := range in.Waivers {
		if w.Kernel == "" || w.Kernel != j.Kernel {
			continue
		}
		limit, covered := w.limit(j.GPU)
		gpu, above := in.exceeded(w)
		switch {
		case in.expired(w):
			n.Reason += text(" The waiver by %s ended on %s.", w.By, w.Until.UTC().Format("2006-01-02"))
		case !covered || !positive(limit):
			n.Reason += text(" The waiver by %s does not cover %s.", w.By, j.GPU)
		case gpu == j.GPU && above == j.Ratio:
			n.Reason += text(" The waiver by %s ended: %s is above %s.", w.By, apart(j.Ratio, limit), number(limit))
		case gpu != "":
			accepted, _ := w.limit(gpu)
			n.Reason += text(" The waiver by %s ended: %s was measured on %s, above %s.", w.By, apart(above, accepted), gpu, number(accepted))
		default:
			return Node{Name: n.Name, Status: Success, Waived: true, URL: n.URL,
				Reason: text("%s on %s: perf %s up to %s waived by %s: %s", j.Kernel, j.GPU, apart(j.Ratio, limit), number(limit), w.By, sentence(w.Reason, "no reason given."))}
		}
	}
	return n
}

// limit is the highest ratio that a waiver accepts on a GPU class; covered is
// false for a class that it was not written for.
func (w Waiver) limit(gpu string) (limit float64, covered bool) {
	measured, covered := w.Measured[gpu]
	if w.MaxRatio != 0 {
		return w.MaxRatio, covered
	}
	return measured, covered
}

// exceeded is the first GPU class, in order, on which more was measured than the
// waiver accepts, now or since it was written, and what was; "" for none.
func (in Input) exceeded(w Waiver) (gpu string, ratio float64) {
	for _, gpu := range slices.Sorted(maps.Keys(w.Measured)) {
		limit, _ := w.limit(gpu)
		highest := w.Highest[gpu]
		for _, j := range in.Jobs {
			if j.Stage == job.Perf && j.Kernel == w.Kernel && j.GPU == gpu && j.SHA == in.HeadSHA && j.State == Done && j.Comparable == ComparableYes {
				highest = max(highest, j.Ratio)
			}
		}
		if positive(limit) && !(highest <= limit+onLimit) {
			return gpu, highest
		}
	}
	return "", 0
}

// onLimit is how far a ratio may lie above a limit and still count as on it.
const onLimit = 1e-9

// expired reports whether the last day of the waiver, in UTC, is over, or may be.
func (in Input) expired(w Waiver) bool {
	return !w.Until.IsZero() && (in.Now.IsZero() || !in.Now.Before(w.Until.UTC().Truncate(24*time.Hour).Add(24*time.Hour)))
}

// maintainers stands before a command that only a maintainer can give; in a merge
// group there is no command.
func (in Input) maintainers() untrusted.Text {
	if in.MergeGroup {
		return ""
	}
	return "a maintainer's "
}

// command is how a person changes a node: by a comment, or in a merge group,
// where there is no conversation, by GitHub's own button.
func (in Input) command(c, does string) untrusted.Text {
	if in.MergeGroup {
		return "GitHub's Re-run of this check, or leaving the merge queue"
	}
	return text("`/tilegym %s`, which %s", c, does)
}

// blameless reports whether a fail class says that the change is not at fault.
func blameless(class string) bool { return class == "env" || class == "infra" }

func positive(r float64) bool { return r > 0 && !math.IsInf(r, 0) && !math.IsNaN(r) }

// number prints a ratio with at least two decimals and no more than needed.
func number(r float64) string {
	s := strconv.FormatFloat(r, 'f', 2, 64)
	if v, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(v-r) < onLimit {
		return s
	}
	return strings.TrimRight(strconv.FormatFloat(r, 'f', 9, 64), "0")
}

// apart prints r with as many decimals, at least four, as make the printed
// number lie on the same side of limit as r.
func apart(r, limit float64) string {
	for prec := 4; prec < 12; prec++ {
		s := strconv.FormatFloat(r, 'f', prec, 64)
		if v, err := strconv.ParseFloat(s, 64); err == nil && (v > limit+onLimit) == (r > limit+onLimit) {
			return s
		}
	}
	return strconv.FormatFloat(r, 'g', -1, 64)
}

// roundUp is the smallest ratio of four decimals that is not below r.
func roundUp(r float64) string {
	return strconv.FormatFloat(math.Ceil(r*1e4-1e-6)/1e4, 'f', 4, 64)
}

// sentence is s, or what stands in for an empty s.
func sentence(s, empty untrusted.Text) untrusted.Text {
	if strings.TrimSpace(string(s)) == "" {
		return empty
	}
	return s
}

func short(sha string) string { return "`" + sha[:min(7, len(sha))] + "`" }

// text formats without rendering: the parts stay untrusted until the whole is.
func text(format string, args ...any) untrusted.Text {
	for i, a := range args {
		if t, ok := a.(untrusted.Text); ok {
			args[i] = string(t)
		}
	}
	return untrusted.Text(fmt.Sprintf(format, args...))
}
