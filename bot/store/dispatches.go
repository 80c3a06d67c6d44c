package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tilegate/tilegate/checks/history"
)

// DispatchState is where a dispatch stands.
type DispatchState string

// The states of a dispatch. The last four are final.
const (
	DispatchWanted    DispatchState = "wanted"    // the request to GitHub is in the outbox
	DispatchSent      DispatchState = "sent"      // GitHub took it; no job has started
	DispatchRunning   DispatchState = "running"   // at least one job has started
	DispatchDone      DispatchState = "done"      // the run completed and its evidence was read
	DispatchCancelled DispatchState = "cancelled" // replaced or cancelled by a command
	DispatchExpired   DispatchState = "expired"   // no job started, or none reported, in time
	DispatchRefused   DispatchState = "refused"   // GitHub did not take the request
)

// Final reports whether a dispatch will not change any more.
func (s DispatchState) Final() bool {
	switch s {
	case DispatchDone, DispatchCancelled, DispatchExpired, DispatchRefused:
		return true
	}
	return false
}

// Dispatch is one request to a GPU class for one head, and the run it became.
type Dispatch struct {
	ID           string // ULID
	Target       string
	Repo         string
	Installation int64
	HeadSHA      string
	BaseSHA      string
	GPU          string
	Request      []byte // job.Request as JSON
	Workflow     string
	Ref          string   // the branch whose workflow file runs
	Labels       []string // runner labels asked for, for messages
	Cause        string   // why it was sent: "head", "retry", "command 42"
	Attempt      int
	Policy       string // names the part of the configuration that verdicts depend on
	State        DispatchState
	Note         string // one sentence about an end that is not "done"
	RunID        int64
	RunURL       string
	Created      time.Time
	Sent         time.Time
	Started      time.Time
	Finished     time.Time
}

const dispatchColumns = `id, target, repo, installation, head_sha, base_sha, gpu, request, workflow, ref, labels, cause,
	attempt, policy, state, note, run_id, run_url, created, sent, started, finished`

func scanDispatch(scan func(...any) error) (Dispatch, error) {
	var d Dispatch
	var labels string
	var created, sent, started, finished int64
	err := scan(&d.ID, &d.Target, &d.Repo, &d.Installation, &d.HeadSHA, &d.BaseSHA, &d.GPU, &d.Request, &d.Workflow, &d.Ref, &labels, &d.Cause,
		&d.Attempt, &d.Policy, &d.State, &d.Note, &d.RunID, &d.RunURL, &created, &sent, &started, &finished)
	if err != nil {
		return d, err
	}
	d.Created, d.Sent, d.Started, d.Finished = fromMillis(created), fromMillis(sent), fromMillis(started), fromMillis(finished)
	if err := json.Unmarshal([]byte(labels), &d.Labels); err != nil {
		return d, fmt.Errorf("dispatch %s: labels: %w", d.ID, err)
	}
	return d, nil
}

// AddDispatch records a dispatch in the state "wanted".
func (q queries) AddDispatch(ctx context.Context, d Dispatch) error {
	labels, err := json.Marshal(d.Labels)
	if err != nil {
		return err
	}
	return q.exec(ctx, `INSERT INTO dispatches (id, target, repo, installation, head_sha, base_sha, gpu, request, workflow, ref, labels, cause, attempt, policy, state, created)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)`,
		d.ID, d.Target, d.Repo, d.Installation, d.HeadSHA, d.BaseSHA, d.GPU, d.Request, d.Workflow, d.Ref, string(labels), d.Cause, max(d.Attempt, 1), d.Policy, DispatchWanted, q.stamp())
}

// Dispatch reads one dispatch.
func (q queries) Dispatch(ctx context.Context, id string) (Dispatch, error) {
	return one(ctx, q, scanDispatch, "SELECT "+dispatchColumns+" FROM dispatches WHERE id = ?1", id)
}

// DispatchesOf lists a target's dispatches, oldest first. ULIDs sort by time.
func (q queries) DispatchesOf(ctx context.Context, target string) ([]Dispatch, error) {
	return collect(ctx, q, scanDispatch, "SELECT "+dispatchColumns+" FROM dispatches WHERE target = ?1 ORDER BY created, id", target)
}

// DispatchOfRun finds the dispatch of a workflow run.
func (q queries) DispatchOfRun(ctx context.Context, repo string, runID int64) (Dispatch, error) {
	return one(ctx, q, scanDispatch, "SELECT "+dispatchColumns+" FROM dispatches WHERE repo = ?1 AND run_id = ?2", repo, runID)
}

// SetDispatchRun records the run that GitHub made of a dispatch. It does not
// wake a dispatch that has already ended.
func (q queries) SetDispatchRun(ctx context.Context, id string, runID int64, url string) error {
	return q.exec(ctx, `UPDATE dispatches SET run_id = ?2, run_url = ?3,
		sent = CASE WHEN sent = 0 THEN ?4 ELSE sent END,
		state = CASE WHEN state = 'wanted' THEN 'sent' ELSE state END WHERE id = ?1`, id, runID, url, q.stamp())
}

// SetDispatchState moves a dispatch that has not ended, with a sentence that
// explains it, and reports whether it moved. A dispatch that ended stays as it
// ended, whatever arrives late.
func (q queries) SetDispatchState(ctx context.Context, id string, state DispatchState, note string) (bool, error) {
	started, finished := int64(0), int64(0)
	if state == DispatchRunning {
		started = q.stamp()
	}
	if state.Final() {
		finished = q.stamp()
	}
	return q.changed(ctx, `UPDATE dispatches SET state = ?2, note = ?3,
		sent = CASE WHEN sent = 0 AND ?2 <> 'refused' AND ?2 <> 'cancelled' THEN ?6 ELSE sent END,
		started = CASE WHEN started = 0 THEN ?4 ELSE started END,
		finished = CASE WHEN finished = 0 THEN ?5 ELSE finished END
		WHERE id = ?1 AND state IN ('wanted', 'sent', 'running')`, id, state, note, started, finished, q.stamp())
}

// SetLate notes that the run of a dispatch that was cancelled has completed by
// itself after all, or that this was looked at.
func (q queries) SetLate(ctx context.Context, id string, late bool) error {
	return q.exec(ctx, "UPDATE dispatches SET late = ?2 WHERE id = ?1 AND state = 'cancelled'", id, late)
}

// LateDispatches lists the cancelled dispatches of a target whose runs
// completed by themselves and were not looked at since.
func (q queries) LateDispatches(ctx context.Context, target string) ([]Dispatch, error) {
	return collect(ctx, q, scanDispatch, "SELECT "+dispatchColumns+" FROM dispatches WHERE target = ?1 AND late = 1 ORDER BY created, id", target)
}

// Result is the verdict of one stage of one kernel in one dispatch.
type Result struct {
	Dispatch string
	Stage    string
	Kernel   string
	GPU      string
	Outcome  string // the verdict's word, e.g. ALL_PASS, DONE, BLOCKED
	Sentence string // untrusted: may quote the evidence
	Verdict  []byte // the verdict as JSON
	Evidence string // sha256 of the evidence document
	// Content names everything that was tested, Environment the kind of host;
	// both are empty where that is not known for certain.
	Content     string
	Environment string
	Runner      string
	JobURL      string
	Recorded    time.Time
}

func scanResult(scan func(...any) error) (Result, error) {
	var r Result
	var recorded int64
	err := scan(&r.Dispatch, &r.Stage, &r.Kernel, &r.GPU, &r.Outcome, &r.Sentence, &r.Verdict, &r.Evidence, &r.Runner, &r.JobURL, &recorded)
	r.Recorded = fromMillis(recorded)
	return r, err
}

// AddResult records a result. The first one of a stage and kernel stays: a
// verdict of a dispatch never changes.
func (q queries) AddResult(ctx context.Context, r Result) error {
	return q.exec(ctx, `INSERT INTO results (dispatch, stage, kernel, gpu, outcome, sentence, verdict, evidence, runner, job_url, recorded, content, environment)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) ON CONFLICT (dispatch, stage, kernel) DO NOTHING`,
		r.Dispatch, r.Stage, r.Kernel, r.GPU, r.Outcome, r.Sentence, r.Verdict, r.Evidence, r.Runner, r.JobURL, q.stamp(), r.Content, r.Environment)
}

// Reused is a result of an earlier dispatch with that dispatch's run and commit.
type Reused struct {
	Result
	RunID   int64
	HeadSHA string
}

// Reusable lists the results of a kernel on a GPU class for equal content,
// newest first, that come from the kind of host that the class had last.
func (q queries) Reusable(ctx context.Context, repo, kernel, gpu, content string) ([]Reused, error) {
	return collect(ctx, q, func(scan func(...any) error) (Reused, error) {
		var r Reused
		var recorded int64
		err := scan(&r.Dispatch, &r.Stage, &r.Kernel, &r.GPU, &r.Outcome, &r.Sentence, &r.Verdict, &r.Evidence, &r.Runner, &r.JobURL, &recorded, &r.RunID, &r.HeadSHA)
		r.Recorded = fromMillis(recorded)
		return r, err
	}, `SELECT r.dispatch, r.stage, r.kernel, r.gpu, r.outcome, r.sentence, r.verdict, r.evidence, r.runner, r.job_url, r.recorded, d.run_id, d.head_sha
		FROM results r JOIN dispatches d ON d.id = r.dispatch
		WHERE r.content = ?4 AND r.content <> '' AND r.kernel = ?2 AND r.gpu = ?3 AND d.repo = ?1 AND r.environment <> '' AND r.environment =
			(SELECT n.environment FROM results n JOIN dispatches e ON e.id = n.dispatch
			WHERE e.repo = ?1 AND n.gpu = ?3 AND n.stage = r.stage AND n.environment <> '' ORDER BY n.recorded DESC, n.rowid DESC LIMIT 1)
		ORDER BY r.recorded DESC, r.rowid DESC`, repo, kernel, gpu, content)
}

// ResultsOf lists the results of a dispatch.
func (q queries) ResultsOf(ctx context.Context, dispatch string) ([]Result, error) {
	return collect(ctx, q, scanResult, `SELECT dispatch, stage, kernel, gpu, outcome, sentence, verdict, evidence, runner, job_url, recorded
		FROM results WHERE dispatch = ?1 ORDER BY kernel, stage`, dispatch)
}

// AddMeasurement keeps what a concluded perf verdict measured, for the history.
// The first one of a dispatch and kernel stays.
func (q queries) AddMeasurement(ctx context.Context, m history.Measurement) error {
	text, err := history.Lines([]history.Measurement{m})
	if err != nil {
		return fmt.Errorf("measurement of %s in dispatch %s: %w", m.Kernel, m.Dispatch, err)
	}
	return q.exec(ctx, `INSERT INTO measurements (dispatch, kernel, document, recorded) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING`,
		m.Dispatch, m.Kernel, text, q.stamp())
}

// Measurements lists what was measured, in the order in which it was recorded.
func (q queries) Measurements(ctx context.Context) ([]history.Measurement, error) {
	all := []history.Measurement{}
	texts, err := collect(ctx, q, func(scan func(...any) error) (text []byte, err error) { return text, scan(&text) },
		"SELECT document FROM measurements ORDER BY recorded, rowid")
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		some, err := history.Read(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("stored measurement: %w", err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// Measured is one perf result of a kernel in a pull request.
type Measured struct {
	Kernel, GPU string
	HeadSHA     string
	Verdict     []byte
}

// MeasuredOf lists the perf results of a target, oldest first.
func (q queries) MeasuredOf(ctx context.Context, target string) ([]Measured, error) {
	return collect(ctx, q, func(scan func(...any) error) (Measured, error) {
		var m Measured
		err := scan(&m.Kernel, &m.GPU, &m.HeadSHA, &m.Verdict)
		return m, err
	}, `SELECT r.kernel, r.gpu, d.head_sha, r.verdict FROM results r JOIN dispatches d ON d.id = r.dispatch
		WHERE d.target = ?1 AND r.stage = 'perf' ORDER BY r.recorded, r.rowid`, target)
}
