package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tilegate/tilegate/bot/dispatch"
	"github.com/tilegate/tilegate/bot/outbox"
	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/config"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/history"
	"github.com/tilegate/tilegate/checks/job"
)

// newDispatch makes the row of a dispatch of kernels that have one reference.
func (l *look) newDispatch(ctx context.Context, gpu string, r rerun) (store.Dispatch, error) {
	id, err := l.newID()
	if err != nil {
		return store.Dispatch{}, err
	}
	n, err := rounds(l.policy.Config, r.rounds)
	if err != nil {
		return store.Dispatch{}, err
	}
	request, err := dispatch.NewRequest(job.Request{
		Dispatch: id, Repository: l.t.Repo, HeadSHA: l.info.HeadSHA, BaseSHA: l.study.MergeBaseSHA, Kernels: r.kernels, Stages: r.stages,
		Candidate: config.Candidate, Reference: l.reference(r.kernels[0]), GPU: gpu, Rounds: n, Harness: l.study.Harness,
		Threshold: l.policy.Perf.Threshold,
	})
	if err != nil {
		return store.Dispatch{}, err
	}
	branch, err := l.Reader.DefaultBranch(ctx, l.repo)
	if err != nil {
		return store.Dispatch{}, fmt.Errorf("read the default branch: %w", err)
	}
	return store.Dispatch{
		ID: id, Target: l.t.Key, Repo: l.t.Repo, Installation: l.t.Installation, HeadSHA: l.info.HeadSHA, BaseSHA: l.study.MergeBaseSHA,
		GPU: gpu, Request: request, Workflow: l.policy.Workflow, Ref: branch, Labels: l.policy.labels(gpu), Cause: r.cause, Attempt: r.attempt, Policy: l.policy.judging,
	}, nil
}

// follow reads the run of a dispatch and stores the results of jobs that ended.
func (l *look) follow(ctx context.Context, d *store.Dispatch) error {
	if d.State.Final() {
		return l.stopStray(ctx, d)
	}
	if d.RunID == 0 {
		found, err := l.findRun(ctx, d)
		if err != nil || !found {
			return err
		}
	}
	run, err := l.Reader.Run(ctx, l.repo, d.RunID)
	if errors.Is(err, pull.ErrNotFound) {
		return l.end(ctx, d, store.DispatchExpired, "GitHub does not know the run any more.")
	}
	if err != nil {
		return fmt.Errorf("read run %d: %w", d.RunID, err)
	}
	l.seen.note(d.ID, run)
	if run.Name != job.RunName(d.ID) {
		return l.end(ctx, d, store.DispatchRefused, fmt.Sprintf("Run %d does not carry this dispatch's name.", d.RunID))
	}
	request, err := job.ParseRequest(d.Request)
	if err != nil {
		return fmt.Errorf("dispatch %s: %w", d.ID, err)
	}
	if run.Status == "completed" && run.Conclusion == "cancelled" {
		// What jobs of a cancelled run still say is not asked.
		return l.end(ctx, d, store.DispatchCancelled, "The run was cancelled on GitHub.")
	}
	started := false
	for _, stage := range request.Stages {
		for _, kernel := range request.Kernels {
			began, err := l.followJob(ctx, d, request, run, stage, kernel)
			if err != nil {
				return err
			}
			started = started || began
		}
	}
	if run.Status == "completed" {
		return l.end(ctx, d, store.DispatchDone, "")
	}
	if started && d.State != store.DispatchRunning {
		if _, err := l.Store.SetDispatchState(ctx, d.ID, store.DispatchRunning, ""); err != nil {
			return err
		}
		d.State, d.Started = store.DispatchRunning, l.Now()
	}
	return l.deadline(ctx, d)
}

// runsMoved reads the runs under way and reports whether one of them differs
// from what the last look saw. Otherwise it only sets the time of the next look.
func (l *look) runsMoved(ctx context.Context) (bool, error) {
	all, err := l.Store.DispatchesOf(ctx, l.t.Key)
	if err != nil {
		return false, err
	}
	late, err := l.Store.LateDispatches(ctx, l.t.Key)
	if err != nil || len(late) > 0 {
		return true, err
	}
	open := false
	for _, d := range all {
		if d.State.Final() {
			continue
		}
		open = true
		if d.RunID == 0 {
			return true, nil
		}
		run, err := l.Reader.Run(ctx, l.repo, d.RunID)
		if err != nil {
			return false, fmt.Errorf("read run %d: %w", d.RunID, err)
		}
		if l.seen.differs(d.ID, run) {
			return true, nil
		}
	}
	if !open {
		return false, nil
	}
	l.pollSoon()
	return false, l.Store.SavePoll(ctx, l.t.Key, l.poll)
}

// seenRuns remembers what the last look saw of each run, to tell whether
// another look is worth its requests. Forgetting it costs only those.
type seenRuns struct {
	mu   sync.Mutex
	last map[string]string
}

// state is what matters of a run.
func (s *seenRuns) state(run pull.Run) string {
	var b strings.Builder
	b.WriteString(run.Status)
	for _, j := range run.Jobs {
		fmt.Fprintf(&b, "\n%s %s", j.Name, j.Status)
	}
	return b.String()
}

func (s *seenRuns) differs(dispatch string, run pull.Run) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last[dispatch] != s.state(run)
}

// note remembers a run; one that has completed is not asked for again.
func (s *seenRuns) note(dispatch string, run pull.Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = map[string]string{}
	}
	if run.Status == "completed" {
		delete(s.last, dispatch)
		return
	}
	s.last[dispatch] = s.state(run)
}

// findRun finds the run of a dispatch whose answer carried no id.
func (l *look) findRun(ctx context.Context, d *store.Dispatch) (bool, error) {
	if d.State == store.DispatchWanted {
		l.pollSoon()
		return false, nil // not sent yet; the outbox calls for a look
	}
	run, err := l.Reader.FindRun(ctx, l.repo, d.Workflow, job.RunName(d.ID), d.Created.Add(-5*time.Minute))
	if errors.Is(err, pull.ErrNotFound) {
		return false, l.deadline(ctx, d)
	}
	if err != nil {
		return false, fmt.Errorf("find the run of dispatch %s: %w", d.ID, err)
	}
	d.RunID, d.RunURL = run.ID, run.URL
	return true, l.Store.SetDispatchRun(ctx, d.ID, run.ID, run.URL)
}

// followJob stores the result of one job once it has ended, and reports
// whether it has begun.
func (l *look) followJob(ctx context.Context, d *store.Dispatch, r job.Request, run pull.Run, stage job.Stage, kernel string) (began bool, err error) {
	for _, known := range l.results[d.ID] {
		if known.Stage == string(stage) && known.Kernel == kernel {
			return true, nil
		}
	}
	result := store.Result{Dispatch: d.ID, Stage: string(stage), Kernel: kernel, GPU: d.GPU, Verdict: []byte("{}")}
	j, ok := jobOf(run, stage, kernel, d.GPU)
	if !ok {
		if run.Status != "completed" {
			return false, nil
		}
		result.Outcome, result.Sentence = outcomeMissing, fmt.Sprintf("The run has no job `%s`: it did not run.", job.JobName(stage, kernel, d.GPU))
		return false, l.store(ctx, d, result, nil)
	}
	var measured *history.Measurement
	result.JobURL, result.Runner = j.URL, j.Runner
	end, sentence := dispatch.EndOf(j)
	result.Sentence = sentence
	switch end {
	case dispatch.EndOpen:
		return j.Status == "in_progress", nil
	case dispatch.EndSkipped:
		// GitHub counts a skipped job as passed; nothing ran.
		result.Outcome = outcomeMissing
	case dispatch.EndCancelled:
		result.Outcome = outcomeCancelled
	case dispatch.EndTimedOut:
		result.Outcome = outcomeTimedOut
	case dispatch.EndInfra:
		result.Outcome = outcomeInfra
	case dispatch.EndJudge:
		if measured, err = l.judge(ctx, d, r, j, &result); err != nil {
			return true, err
		}
	}
	if seconds := j.CompletedAt.Sub(j.StartedAt).Seconds(); seconds > 0 {
		l.metrics.gpuSecond.Add(seconds)
	}
	return true, l.store(ctx, d, result, measured)
}

// judge downloads a job's evidence and has it judged. It returns what a concluded
// perf verdict measured, else nil.
func (l *look) judge(ctx context.Context, d *store.Dispatch, r job.Request, j pull.Job, result *store.Result) (*history.Measurement, error) {
	stage := job.Stage(result.Stage)
	name := job.ArtifactName(d.ID, stage, result.Kernel, d.GPU)
	artifact, err := l.Reader.Artifact(ctx, l.repo, d.RunID, name)
	switch {
	case errors.Is(err, pull.ErrNotFound), errors.Is(err, pull.ErrTooLarge), errors.Is(err, pull.ErrArchive):
		result.Outcome = outcomeMissing
		result.Sentence = fmt.Sprintf("The job ended with %s and left no usable artifact `%s`: %v.", j.Conclusion, name, err)
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("download artifact %s: %w", name, err)
	}
	evidence, err := dispatch.Open(artifact, r, stage, result.Kernel)
	if err != nil {
		result.Outcome = outcomeMissing
		result.Sentence = "The evidence does not belong to this job: " + oneLine(err) + "."
		return nil, nil
	}
	var k dispatch.Kernel
	if facts, ok := l.study.Kernels[result.Kernel]; ok && d.HeadSHA == l.info.HeadSHA {
		k = dispatch.Kernel{Test: facts.Test, Analysis: facts.Analysis}
		for _, p := range l.study.Changed {
			if dispatch.IsRequirements(p) {
				k.Requirements = append(k.Requirements, p)
			}
		}
	}
	v, err := dispatch.Judge(evidence, j.Conclusion, l.policy.Config, k)
	if err != nil {
		// The same files would give the same error for ever.
		l.Log.Error("evidence could not be judged", "dispatch", d.ID, "artifact", name, "error", err)
		result.Outcome, result.Sentence = outcomeMissing, "The evidence could not be judged: "+oneLine(err)+"."
		return nil, nil
	}
	v = v.On(j.Runner)
	if d.Cause == causeRetry {
		first, err := l.firstAttempt(d, result)
		if err != nil {
			return nil, err
		}
		if v, err = v.Again(first); err != nil {
			return nil, err
		}
	}
	result.Outcome, result.Sentence, result.Evidence = string(v.Outcome), v.Sentence, evidence.SHA256
	if d.HeadSHA == l.info.HeadSHA {
		result.Content, result.Environment = l.study.Contents[result.Kernel], environmentOf(evidence.Evidence)
	}
	if len(v.Detail) > 0 {
		result.Verdict = v.Detail
	}
	return l.measured(d, result, evidence.Evidence, v), nil
}

// measured is what a concluded perf verdict measured. Identity and time are the
// App's own; the card, its driver and the way of timing are known from the
// evidence alone.
func (l *look) measured(d *store.Dispatch, result *store.Result, e job.Evidence, v dispatch.Verdict) *history.Measurement {
	if v.Times == nil || v.Outcome != gate.PerfDone && v.Outcome != gate.Investigate {
		return nil
	}
	e.Repository, e.HeadSHA, e.Dispatch, e.Kernel, e.GPU, e.FinishedAt = l.t.Repo, d.HeadSHA, d.ID, result.Kernel, result.GPU, l.Now()
	m, err := history.From(e, *v.Times, v.Times.Threshold)
	if err != nil {
		l.Log.Warn("a measurement is not kept for the history", "dispatch", d.ID, "kernel", result.Kernel, "error", err)
		return nil
	}
	m.Source = l.t.Key
	return &m
}

// firstAttempt is what the dispatch said that a retry repeats; empty when it left
// no verdict.
func (l *look) firstAttempt(retry *store.Dispatch, result *store.Result) (dispatch.Verdict, error) {
	var first dispatch.Verdict
	for _, d := range l.dispatches {
		if d.ID == retry.ID {
			break
		}
		for _, r := range l.results[d.ID] {
			if r.Stage == result.Stage && r.Kernel == result.Kernel && r.GPU == result.GPU {
				v, err := verdictOf(r)
				if err != nil {
					return first, err
				}
				first = v
			}
		}
	}
	return first, nil
}

// verdictOf is what is kept of a verdict.
func verdictOf(r store.Result) (dispatch.Verdict, error) {
	d, err := report.ParseDetail(r.Verdict)
	return dispatch.Verdict{Outcome: gate.Verdict(r.Outcome), FailClass: d.FailClass, Signature: d.Signature, Sentence: r.Sentence}, err
}

// oneLine joins the lines of a joined error.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// store keeps a result, and what it measured for the history.
func (l *look) store(ctx context.Context, d *store.Dispatch, r store.Result, measured *history.Measurement) error {
	err := l.Store.Update(ctx, func(tx *store.Tx) error {
		if measured != nil {
			if err := tx.AddMeasurement(ctx, *measured); err != nil {
				return err
			}
		}
		return tx.AddResult(ctx, r)
	})
	if err != nil {
		return err
	}
	l.metrics.verdicts.WithLabelValues(r.Stage, r.Outcome).Inc()
	l.results[d.ID] = append(l.results[d.ID], r)
	return nil
}

// jobOf finds a job by its exact name.
func jobOf(run pull.Run, stage job.Stage, kernel, gpu string) (pull.Job, bool) {
	name := job.JobName(stage, kernel, gpu)
	for _, j := range run.Jobs {
		if j.Name == name {
			return j, true
		}
	}
	return pull.Job{}, false
}

// end moves a dispatch to a final state.
func (l *look) end(ctx context.Context, d *store.Dispatch, state store.DispatchState, note string) error {
	if _, err := l.Store.SetDispatchState(ctx, d.ID, state, note); err != nil {
		return err
	}
	d.State, d.Note, d.Finished = state, note, l.Now()
	return nil
}

// deadline ends a dispatch that waits or runs too long, and else sets the time
// of the next look.
func (l *look) deadline(ctx context.Context, d *store.Dispatch) error {
	since, limit, what := d.Sent, l.policy.Deadlines.Queue, fmt.Sprintf("No runner with the labels `%s` took a job in %s.", strings.Join(d.Labels, ", "), l.policy.Deadlines.Queue)
	if since.IsZero() {
		since = d.Created
	}
	if d.State == store.DispatchRunning {
		since, limit, what = d.Started, l.policy.Deadlines.Run, fmt.Sprintf("The run did not end in %s.", l.policy.Deadlines.Run)
	}
	end := since.Add(limit)
	if limit <= 0 || end.After(l.Now()) {
		l.pollSoon()
		if limit > 0 {
			l.sooner(end)
		}
		return nil
	}
	err := l.Store.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.SetDispatchState(ctx, d.ID, store.DispatchExpired, what); err != nil {
			return err
		}
		if d.RunID == 0 {
			return nil
		}
		return outbox.AddCancel(ctx, tx, l.to, outbox.Cancel{RunID: d.RunID})
	})
	d.State, d.Note, d.Finished = store.DispatchExpired, what, l.Now()
	return err
}

// stopStray cancels the run of a dispatch that ended before its run was known.
func (l *look) stopStray(ctx context.Context, d *store.Dispatch) error {
	if d.RunID == 0 || d.State != store.DispatchCancelled && d.State != store.DispatchExpired {
		return nil
	}
	return l.Store.Update(ctx, func(tx *store.Tx) error {
		return outbox.AddCancel(ctx, tx, l.to, outbox.Cancel{RunID: d.RunID})
	})
}
