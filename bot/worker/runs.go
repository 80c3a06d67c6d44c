package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tilegate/tilegate/bot/outbox"
	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/bot/trust"
	"github.com/tilegate/tilegate/checks/config"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// runs brings the dispatches of the head up to date, sends those that are
// missing, and tells the gate how each job stands.
func (l *look) runs(ctx context.Context, in *gate.Input) error {
	if err := l.load(ctx); err != nil {
		return err
	}
	if in.Plan.State != gate.PlanGPU {
		return nil
	}
	in.Plan.GPUs = l.policy.gpus()
	if err := l.dropStale(ctx); err != nil {
		return err
	}
	if err := l.readTrust(ctx, in); err != nil {
		return err
	}
	for i := range l.dispatches {
		if err := l.follow(ctx, &l.dispatches[i]); err != nil {
			return err
		}
	}
	if l.trust.Trusted && l.study.Failure == "" {
		if err := l.send(ctx, in.Plan); err != nil {
			return err
		}
	}
	for _, kernel := range in.Plan.Kernels {
		for _, gpu := range in.Plan.GPUs {
			for _, stage := range job.Stages {
				j, err := l.jobState(ctx, stage, kernel, gpu)
				if err != nil {
					return err
				}
				in.Jobs = append(in.Jobs, j)
			}
		}
	}
	return nil
}

// current reports whether the results of a dispatch count: it is of this head,
// was compared with this base and is judged by what the configuration says now.
// A change of the base branch must not keep verdicts that another one gave.
func (l *look) current(d store.Dispatch) bool {
	if d.HeadSHA != l.info.HeadSHA {
		return false
	}
	return l.study == nil || d.BaseSHA == l.study.MergeBaseSHA && d.Policy == l.policy.judging
}

// dropStale ends the dispatches of this head that do not count any more.
func (l *look) dropStale(ctx context.Context) error {
	all, err := l.Store.DispatchesOf(ctx, l.t.Key)
	if err != nil {
		return err
	}
	return l.Store.Update(ctx, func(tx *store.Tx) error {
		for _, d := range all {
			if d.HeadSHA != l.info.HeadSHA || l.current(d) || d.State.Final() {
				continue
			}
			if err := l.cancel(ctx, tx, d, "Replaced: the base or its configuration changed."); err != nil {
				return err
			}
		}
		return nil
	})
}

// load reads the dispatches of this head with their results.
func (l *look) load(ctx context.Context) error {
	all, err := l.Store.DispatchesOf(ctx, l.t.Key)
	if err != nil {
		return err
	}
	l.dispatches, l.results = nil, map[string][]store.Result{}
	for _, d := range all {
		if !l.current(d) {
			continue
		}
		l.dispatches = append(l.dispatches, d)
		if l.results[d.ID], err = l.Store.ResultsOf(ctx, d.ID); err != nil {
			return err
		}
	}
	return nil
}

// readTrust decides whether the head may run on the runners.
func (l *look) readTrust(ctx context.Context, in *gate.Input) error {
	stored, err := l.Store.Approvals(ctx, l.t.Repo, l.info.Number)
	if err != nil {
		return err
	}
	var approvals []trust.Approval
	for _, a := range stored {
		approvals = append(approvals, trust.Approval{
			Repo: l.t.Repo, Number: l.info.Number, SHA: a.SHA, By: a.Actor, Role: a.Role, CommentID: a.CommentID, At: a.Recorded,
		})
	}
	var name string
	var roleErr error
	if l.info.Number > 0 {
		name, roleErr = l.role(ctx, l.info.Author)
	}
	l.trust = trust.Trusted(l.info, name, roleErr, approvals)
	switch {
	case l.trust.Trusted && l.trust.Approval != nil:
		in.Trust = gate.Trust{State: gate.NeedsApproval, ApprovedSHA: l.trust.Approval.SHA, By: untrusted.Text(l.trust.Approval.By)}
	case l.trust.Trusted:
		in.Trust = gate.Trust{State: gate.Trusted}
	case l.trust.Retry:
		in.Trust = gate.Trust{State: gate.TrustUnknown}
		l.sooner(l.Now().Add(l.PollInterval))
	default:
		in.Trust = gate.Trust{State: gate.NeedsApproval, Why: untrusted.Text(strings.TrimSuffix(l.trust.Reason, "."))}
		if n := len(approvals); n > 0 {
			in.Trust.ApprovedSHA, in.Trust.By = approvals[n-1].SHA, untrusted.Text(approvals[n-1].By)
		}
	}
	return nil
}

// sooner moves the next look at everything forward.
func (l *look) sooner(t time.Time) {
	if l.next.IsZero() || t.Before(l.next) {
		l.next = t
	}
}

// pollSoon asks for a look at the runs under way after the poll interval.
func (l *look) pollSoon() { l.poll = l.Now().Add(l.PollInterval) }

// covers reports whether a dispatch asks for a stage of a kernel.
func covers(r job.Request, stage job.Stage, kernel string) bool {
	return slices.Contains(r.Stages, stage) && slices.Contains(r.Kernels, kernel)
}

// newest is the newest dispatch of the head that asks for a stage of a kernel
// on a GPU class.
func (l *look) newest(stage job.Stage, kernel, gpu string) (store.Dispatch, bool, error) {
	for _, d := range slices.Backward(l.dispatches) {
		if d.GPU != gpu {
			continue
		}
		r, err := job.ParseRequest(d.Request)
		if err != nil {
			return d, false, fmt.Errorf("dispatch %s: %w", d.ID, err)
		}
		if covers(r, stage, kernel) {
			return d, true, nil
		}
	}
	return store.Dispatch{}, false, nil
}

// newestDispatch is the newest dispatch of each stage, for the check runs.
func (l *look) newestDispatch() map[job.Stage]string {
	newest := map[job.Stage]string{}
	for _, d := range l.dispatches {
		r, err := job.ParseRequest(d.Request)
		if err != nil {
			continue // jobState reports it
		}
		for _, stage := range r.Stages {
			newest[stage] = d.ID
		}
	}
	return newest
}

// jobState tells the gate how one job stands.
func (l *look) jobState(ctx context.Context, stage job.Stage, kernel, gpu string) (gate.Job, error) {
	j := gate.Job{Stage: stage, Kernel: kernel, GPU: gpu, SHA: l.info.HeadSHA}
	d, ok, err := l.newest(stage, kernel, gpu)
	if err != nil {
		return j, err
	}
	if !ok {
		reused, err := l.reusable(ctx, kernel, gpu)
		if err != nil || reused == nil {
			return j, err
		}
		return l.reusedState(j, reused)
	}
	j.SHA, j.URL = d.HeadSHA, d.RunURL
	for _, r := range l.results[d.ID] {
		if r.Stage == string(stage) && r.Kernel == kernel {
			return l.resultState(j, r)
		}
	}
	j.Sentence = untrusted.Text(d.Note)
	switch d.State {
	case store.DispatchWanted, store.DispatchSent:
		j.State, j.Waiting = gate.Queued, untrusted.Text(strings.Join(d.Labels, ", "))
	case store.DispatchRunning:
		j.State = gate.Running
	case store.DispatchCancelled:
		j.State = gate.Cancelled
	case store.DispatchExpired:
		j.State = gate.JobTimedOut
	case store.DispatchRefused:
		j.State = gate.Infra
		if outbox.NoWorkflow(d) {
			j.Remedy = untrusted.Text(fmt.Sprintf("a commit on `%s` that adds `.github/workflows/%s`, a copy of tilegate's `templates/tilegym-gate.yml`", d.Ref, d.Workflow))
		}
	default:
		j.State, j.Sentence = gate.MissingEvidence, "The run ended without a result for this job."
	}
	return j, nil
}

// Outcomes of jobs that have no verdict, beside the gate's verdicts.
const (
	outcomeInfra     = "INFRA"
	outcomeCancelled = "CANCELLED"
	outcomeTimedOut  = "TIMED_OUT"
	outcomeMissing   = "MISSING_EVIDENCE"
)

// resultState is the state of a job that has a stored result.
func (l *look) resultState(j gate.Job, r store.Result) (gate.Job, error) {
	j.Sentence = untrusted.Text(r.Sentence)
	if r.JobURL != "" {
		j.URL = r.JobURL
	}
	switch r.Outcome {
	case outcomeInfra:
		j.State = gate.Infra
		return j, nil
	case outcomeCancelled:
		j.State = gate.Cancelled
		return j, nil
	case outcomeTimedOut:
		j.State = gate.JobTimedOut
		return j, nil
	case outcomeMissing:
		j.State = gate.MissingEvidence
		return j, nil
	}
	d, err := report.ParseDetail(r.Verdict)
	if err != nil {
		return j, err
	}
	j.State, j.Verdict, j.FailClass = gate.Done, gate.Verdict(r.Outcome), d.FailClass
	if j.Stage == job.Perf {
		j.Severity, j.Comparable = d.Severity, gate.Comparable(d.Comparable)
		if d.Ratio != nil {
			j.Ratio = *d.Ratio
		}
		all := len(d.Configs) + len(d.Missing)
		j.Incomplete = all > 0 && float64(len(d.Missing))/float64(all) > l.policy.Perf.MaxMissing
	}
	return j, nil
}

// rerun is a request for jobs on one GPU class.
type rerun struct {
	kernels []string
	stages  []job.Stage
	rounds  int // 0: as configured
	cause   string
	attempt int
}

// send dispatches what was never asked for at this head, and once more what an
// infrastructure fault destroyed.
func (l *look) send(ctx context.Context, plan gate.Plan) error {
	for _, gpu := range plan.GPUs {
		var missing []string
		for _, kernel := range plan.Kernels {
			_, build, err := l.newest(job.Build, kernel, gpu)
			if err != nil {
				return err
			}
			if build {
				continue
			}
			reused, err := l.reusable(ctx, kernel, gpu)
			if err != nil {
				return err
			}
			if reused == nil {
				missing = append(missing, kernel)
			}
		}
		if len(missing) > 0 {
			if err := l.dispatch(ctx, gpu, rerun{kernels: missing, stages: job.Stages, cause: "head", attempt: 1}); err != nil {
				return err
			}
		}
		retry, err := l.retries(plan, gpu)
		if err != nil {
			return err
		}
		if len(retry.kernels) > 0 {
			if err := l.dispatch(ctx, gpu, retry); err != nil {
				return err
			}
		}
	}
	return nil
}

// causeRetry is the cause of a dispatch that repeats one by itself.
const causeRetry = "retry"

// retries collects the kernels on a GPU class whose newest dispatch ended with
// an infrastructure fault, or whose evidence blames one, and was not a retry itself.
func (l *look) retries(plan gate.Plan, gpu string) (rerun, error) {
	out := rerun{cause: causeRetry, attempt: 2, stages: job.Stages}
	for _, kernel := range plan.Kernels {
		for _, stage := range job.Stages {
			d, ok, err := l.newest(stage, kernel, gpu)
			if err != nil {
				return out, err
			}
			if !ok || !d.State.Final() || d.Attempt > 1 {
				continue
			}
			for _, r := range l.results[d.ID] {
				if r.Stage != string(stage) || r.Kernel != kernel || slices.Contains(out.kernels, kernel) {
					continue
				}
				v, err := verdictOf(r)
				if err != nil {
					return out, err
				}
				if r.Outcome == outcomeInfra || v.Retry() {
					out.kernels = append(out.kernels, kernel)
				}
			}
		}
	}
	return out, nil
}

// dispatch sends a request.
func (l *look) dispatch(ctx context.Context, gpu string, r rerun) error {
	all, err := l.newDispatches(ctx, gpu, r)
	if err != nil {
		return err
	}
	for _, d := range all {
		if err := l.Store.Update(ctx, func(tx *store.Tx) error { return l.addDispatch(ctx, tx, d) }); err != nil {
			return err
		}
		d.State, d.Created = store.DispatchWanted, l.Now()
		l.dispatches = append(l.dispatches, d)
	}
	l.pollSoon()
	return nil
}

// reference is the backend that a kernel is compared with.
func (l *look) reference(kernel string) string {
	return l.policy.ReferenceBackend(l.study.Kernels[kernel].Reference)
}

// requestKernels is the number of kernels that a run takes.
const requestKernels = 100

// requests divides kernels into those of one request each: they have one
// reference, and there are not too many.
func requests(kernels []string, reference func(string) string) [][]string {
	groups := map[string][]string{}
	for _, kernel := range kernels {
		groups[reference(kernel)] = append(groups[reference(kernel)], kernel)
	}
	var out [][]string
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		out = slices.AppendSeq(out, slices.Chunk(groups[name], requestKernels))
	}
	return out
}

// newDispatches makes the rows for as many requests as it takes.
func (l *look) newDispatches(ctx context.Context, gpu string, r rerun) ([]store.Dispatch, error) {
	var all []store.Dispatch
	for _, kernels := range requests(r.kernels, l.reference) {
		part := r
		part.kernels = kernels
		d, err := l.newDispatch(ctx, gpu, part)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// addDispatch records a dispatch and the write that sends it.
func (l *look) addDispatch(ctx context.Context, tx *store.Tx, d store.Dispatch) error {
	if err := tx.AddDispatch(ctx, d); err != nil {
		return err
	}
	l.metrics.gpuJobs.Inc()
	l.Log.Info("dispatch", "target", l.t.Key, "dispatch", d.ID, "head", d.HeadSHA, "gpu", d.GPU, "cause", d.Cause, "attempt", d.Attempt)
	return outbox.AddDispatch(ctx, tx, l.to, outbox.Dispatch{ID: d.ID})
}

// maxQueue bounds how far ahead in a merge queue is looked.
const maxQueue = 100

// pulls are the pull requests whose changes the target holds: its own, or those
// of a merge group and of the groups before it, on which it is built.
func (l *look) pulls(ctx context.Context) ([]int, error) {
	if l.info.Number > 0 {
		return []int{l.info.Number}, nil
	}
	var numbers []int
	for t, n := l.t, 0; n < maxQueue; n++ {
		if t.Pull > 0 {
			numbers = append(numbers, t.Pull)
		}
		before, err := l.Store.Target(ctx, store.CommitKey(l.t.Repo, t.BaseSHA))
		if errors.Is(err, store.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, err
		}
		t = before
	}
	return numbers, nil
}

// waivers are the waivers of the target's pull requests as the gate takes them.
func (l *look) waivers(ctx context.Context) ([]gate.Waiver, error) {
	numbers, err := l.pulls(ctx)
	if err != nil {
		return nil, err
	}
	var out []gate.Waiver
	for _, n := range numbers {
		stored, err := l.Store.Waivers(ctx, l.t.Repo, n)
		if err != nil {
			return nil, err
		}
		for _, w := range stored {
			g, err := l.waiver(ctx, n, w)
			if err != nil {
				return nil, fmt.Errorf("waiver %d: %w", w.ID, err)
			}
			out = append(out, g)
		}
	}
	return out, nil
}

// waiver is a waiver of a pull request as the gate takes it.
func (l *look) waiver(ctx context.Context, number int, w store.Waiver) (gate.Waiver, error) {
	if end := w.Until.Add(24 * time.Hour); !w.Until.IsZero() && end.After(l.Now()) {
		l.sooner(end) // the last day counts in full
	}
	g := gate.Waiver{Until: w.Until, By: untrusted.Text(w.Actor), Reason: untrusted.Text(w.Reason)}
	if w.Kind != "perf" {
		g.Fingerprint = w.Fingerprint
		return g, nil
	}
	g.Kernel, g.MaxRatio, g.Highest = w.Subject, w.Ratio, map[string]float64{}
	if err := json.Unmarshal([]byte(w.GPU), &g.Measured); err != nil {
		return g, err
	}
	since, err := l.Store.PerfSince(ctx, l.t.Repo, number, w.Recorded)
	if err != nil {
		return g, err
	}
	for _, m := range since {
		if m.Kernel != w.Subject {
			continue
		}
		d, err := report.ParseDetail(m.Verdict)
		if err != nil {
			return g, err
		}
		if d.Ratio != nil && d.Comparable == string(gate.ComparableYes) {
			g.Highest[m.GPU] = max(g.Highest[m.GPU], *d.Ratio)
		}
	}
	return g, nil
}

// replaceOld ends what belongs to heads that are not the head any more.
func (l *look) replaceOld(ctx context.Context) error {
	all, err := l.Store.DispatchesOf(ctx, l.t.Key)
	if err != nil {
		return err
	}
	heads, err := l.Store.HeadsOf(ctx, l.t.Key)
	if err != nil {
		return err
	}
	others := map[string][]store.Target{}
	for _, sha := range heads {
		if others[sha], err = l.others(ctx, sha); err != nil {
			return err
		}
	}
	return l.Store.Update(ctx, func(tx *store.Tx) error {
		note := fmt.Sprintf("Replaced by %.7s.", l.info.HeadSHA)
		for _, d := range all {
			if d.HeadSHA == l.info.HeadSHA {
				continue
			}
			if err := l.cancel(ctx, tx, d, note); err != nil {
				return err
			}
		}
		for _, sha := range heads {
			if sha == l.info.HeadSHA {
				continue
			}
			if err := l.concludeOld(ctx, tx, sha); err != nil {
				return err
			}
			if err := l.leave(ctx, tx, sha, others[sha]); err != nil {
				return err
			}
		}
		return nil
	})
}

// concludeOld cancels the check runs of an old head that were left open.
func (l *look) concludeOld(ctx context.Context, tx *store.Tx, sha string) error {
	for _, name := range report.CheckNames {
		open, err := outbox.CheckOpen(ctx, tx, l.to, name, sha)
		if err != nil {
			return err
		}
		if !open {
			continue
		}
		if _, err := outbox.PutCheck(ctx, tx, l.to, report.Replaced(name, sha, l.info.HeadSHA)); err != nil {
			return err
		}
	}
	return nil
}

// cancel ends a dispatch and the run that it became.
func (l *look) cancel(ctx context.Context, tx *store.Tx, d store.Dispatch, note string) error {
	moved, err := tx.SetDispatchState(ctx, d.ID, store.DispatchCancelled, note)
	if err != nil {
		return err
	}
	// A run that became known after the end still has to be stopped.
	if d.RunID == 0 || !moved && d.State != store.DispatchCancelled && d.State != store.DispatchExpired {
		return nil
	}
	return outbox.AddCancel(ctx, tx, l.to, outbox.Cancel{RunID: d.RunID})
}

// close ends everything that belongs to a target that needs no gate any more.
func (l *look) close(ctx context.Context, why string) error {
	all, err := l.Store.DispatchesOf(ctx, l.t.Key)
	if err != nil {
		return err
	}
	others, err := l.others(ctx, l.t.HeadSHA)
	if err != nil {
		return err
	}
	return l.Store.Update(ctx, func(tx *store.Tx) error {
		if err := l.leave(ctx, tx, l.t.HeadSHA, others); err != nil {
			return err
		}
		for _, d := range all {
			if err := l.cancel(ctx, tx, d, "Cancelled: "+why+"."); err != nil {
				return err
			}
		}
		return tx.CloseTarget(ctx, l.t.Key)
	})
}

// errNoRounds guards the request's own validation message.
var errNoRounds = errors.New("configuration: perf.rounds: expected at least one round")

// rounds are the configured rounds, or the number that a command asked for.
func rounds(c config.Config, asked int) (job.Rounds, error) {
	if asked > 0 {
		// Whoever asks for a run may ask for more rounds than the base branch does,
		// not for fewer.
		asked = max(asked, c.Perf.Rounds.Min)
		return job.Rounds{Min: asked, Max: asked}, nil
	}
	if c.Perf.Rounds.Min < 1 {
		return job.Rounds{}, errNoRounds
	}
	return job.Rounds{Min: c.Perf.Rounds.Min, Max: c.Perf.Rounds.Max}, nil
}
