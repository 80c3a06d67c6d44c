package githubsim

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Run is one workflow run. The exported fields do not change.
type Run struct {
	ID       int64
	Number   int
	Repo     *Repo
	Workflow string // file name below .github/workflows
	Title    string // the evaluated run-name
	Event    string
	Branch   string // whose workflow file runs
	HeadSHA  string // tip of Branch at the dispatch
	Inputs   map[string]string

	sim          *Sim
	workflowName string
	actor        *user
	status       string
	conclusion   string
	created      time.Time
	updated      time.Time
	started      time.Time
	jobs         []*Job
	artifacts    []*artifact
	ctx          context.Context
	cancel       context.CancelFunc
}

// Job is one job of a run. It is also a check run, as on GitHub.
type Job struct {
	ID   int64
	Name string
	Run  *Run

	labels             []string
	runner             string
	status             string
	conclusion         string
	created            time.Time
	started, completed time.Time
	steps              []Step
	check              *checkRun
}

// Step is one step of a job.
type Step struct {
	Name       string
	Conclusion string // success, failure, cancelled, skipped
}

type artifact struct {
	id      int64
	run     *Run
	name    string
	data    []byte
	created time.Time
	expired bool
}

var runConclusions = append(slices.Clone(checkConclusions), "stale", "startup_failure")

func (s *Sim) listWorkflows(c *request) answer {
	return counted(c, "workflows", c.repo.workflowFiles(), func(f string) obj { return s.viewWorkflow(c.base, c.repo, f) })
}

func (s *Sim) getWorkflow(c *request) answer {
	f, found := c.repo.findWorkflow(c.PathValue("workflow"))
	if !found {
		return notFound()
	}
	return ok(s.viewWorkflow(c.base, c.repo, f))
}

// runDetailsVersion is the API version from which a dispatch always answers
// with the run's id.
const runDetailsVersion = "2026-03-10"

func (s *Sim) dispatch(c *request) answer {
	file, found := c.repo.findWorkflow(c.PathValue("workflow"))
	if !found {
		return notFound()
	}
	var in struct {
		Ref        string         `json:"ref"`
		Inputs     map[string]any `json:"inputs"`
		RunDetails *bool          `json:"return_run_details"`
	}
	if bad := c.decode(&in); bad != nil {
		return *bad
	}
	if in.RunDetails != nil && s.opts.NoRunDetails {
		return invalid("Invalid request.\n\n\"return_run_details\" is not a permitted key.")
	}
	branch := strings.TrimPrefix(in.Ref, "refs/heads/")
	sha := c.repo.branches[branch]
	if sha == "" {
		return invalid("No ref found for: " + in.Ref)
	}
	w := c.repo.readWorkflow(c.repo.st.commits[sha], file)
	switch {
	case w == nil:
		return notFound()
	case w.err != nil:
		return invalid("failed to parse workflow: " + w.err.Error())
	case w.dispatch == nil:
		return invalid("Workflow does not have 'workflow_dispatch' trigger")
	}
	inputs, refused := w.bind(in.Inputs)
	if refused != "" {
		return invalid(refused)
	}
	run := s.newRun(c.repo, w, file, branch, sha, s.appUser, inputs)
	details := in.RunDetails != nil && *in.RunDetails || c.Header.Get("X-GitHub-Api-Version") >= runDetailsVersion
	if !details || s.opts.NoRunDetails {
		return answer{status: http.StatusNoContent}
	}
	return ok(obj{"workflow_run_id": run.ID, "run_url": run.api(c.base), "html_url": run.html(c.base)})
}

func (s *Sim) newRun(r *Repo, w *workflow, file, branch, sha string, by *user, inputs map[string]string) *Run {
	s.runNumbers[r.workflows[file]]++
	now := s.now()
	run := &Run{
		ID: s.nextID(), Number: s.runNumbers[r.workflows[file]], Repo: r, Workflow: file, Title: w.title(inputs),
		Event: "workflow_dispatch", Branch: branch, HeadSHA: sha, Inputs: inputs,
		sim: s, workflowName: w.name, actor: by, status: "queued", created: now, updated: now, started: now,
	}
	run.ctx, run.cancel = context.WithCancel(s.ctx)
	s.runs[run.ID] = run
	s.emitRun(run, "requested")
	if s.opts.OnDispatch != nil && !s.closed {
		s.work.Go(func() { s.opts.OnDispatch(run) })
	}
	return run
}

// Run finds a workflow run by its id; nil when there is none.
func (s *Sim) Run(id int64) *Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[id]
}

// Runs lists all workflow runs, oldest first.
func (s *Sim) Runs() []*Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runsOf(nil)
}

func (s *Sim) runsOf(r *Repo) []*Run {
	var out []*Run
	for _, id := range slices.Sorted(maps.Keys(s.runs)) {
		if r == nil || s.runs[id].Repo == r {
			out = append(out, s.runs[id])
		}
	}
	return out
}

// Context ends when the run is cancelled or the Sim is closed.
func (run *Run) Context() context.Context { return run.ctx }

// Status is the run's status and conclusion.
func (run *Run) Status() (status, conclusion string) {
	run.sim.mu.Lock()
	defer run.sim.mu.Unlock()
	return run.status, run.conclusion
}

// AddJob queues a job that waits for a runner with those labels.
func (run *Run) AddJob(name string, labels ...string) *Job {
	s := run.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	cr := s.newCheck(run.Repo, actionsAppID, name, run.HeadSHA)
	j := &Job{ID: cr.id, Name: name, Run: run, labels: labels, status: "queued", created: s.now(), check: cr}
	run.jobs = append(run.jobs, j)
	s.emitJob(j, "queued")
	return j
}

// Start gives the job to a runner. It does nothing for a job that is over.
func (j *Job) Start(runner string) {
	s := j.Run.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	if j.status != "queued" {
		return
	}
	j.status, j.runner, j.started = "in_progress", runner, s.now()
	j.check.apply(&checkInput{Status: "in_progress"}, s.now())
	s.emitJob(j, "in_progress")
	if j.Run.status == "queued" {
		j.Run.status, j.Run.updated = "in_progress", s.now()
		s.emitRun(j.Run, "in_progress")
	}
}

// Annotate adds an annotation to the job, as workflow commands and lost
// runners do. level is notice, warning or failure.
func (j *Job) Annotate(level, message string) {
	s := j.Run.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	line := 1
	j.check.annotations = append(j.check.annotations, annotation{
		Path: ".github", StartLine: &line, EndLine: &line, Level: level, Message: message,
	})
}

// Complete ends the job. It does nothing for a job that is over already.
func (j *Job) Complete(conclusion string, steps ...Step) {
	s := j.Run.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	s.completeJob(j, conclusion, steps)
}

func (s *Sim) completeJob(j *Job, conclusion string, steps []Step) {
	if j.status == "completed" {
		return
	}
	mustConclude(conclusion)
	j.status, j.conclusion, j.completed, j.steps = "completed", conclusion, s.now(), steps
	if j.started.IsZero() {
		j.started = j.completed
	}
	j.check.apply(&checkInput{Conclusion: conclusion}, s.now())
	s.emitJob(j, "completed")
}

func mustConclude(conclusion string) {
	if !slices.Contains(runConclusions, conclusion) {
		panic(fmt.Sprintf("githubsim: expected one of %v, found %q", runConclusions, conclusion))
	}
}

// Complete ends the run. Jobs that are not over are cancelled. It does nothing
// for a run that is over already.
func (run *Run) Complete(conclusion string) {
	s := run.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	s.completeRun(run, conclusion)
}

func (s *Sim) completeRun(run *Run, conclusion string) {
	if run.status == "completed" {
		return
	}
	mustConclude(conclusion)
	for _, j := range run.jobs {
		s.completeJob(j, "cancelled", nil)
	}
	run.status, run.conclusion, run.updated = "completed", conclusion, s.now()
	run.cancel()
	s.emitRun(run, "completed")
}

// Upload stores an artifact with those files, by their path in the archive.
func (run *Run) Upload(name string, files map[string][]byte) error {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(p)
		if err != nil {
			return err
		}
		if _, err := w.Write(files[p]); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return run.UploadZip(name, b.Bytes())
}

// UploadZip stores an artifact whose archive is data, which may be malformed:
// GitHub does not look into it. A name is taken once a run.
func (run *Run) UploadZip(name string, data []byte) error {
	s := run.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	if name == "" || strings.ContainsAny(name, "\":<>|*?\r\n\\/") {
		return fmt.Errorf("githubsim: the artifact name %q has characters that GitHub refuses", name)
	}
	for _, a := range run.artifacts {
		if a.name == name {
			return fmt.Errorf("githubsim: an artifact with the name %q already exists on the run", name)
		}
	}
	run.artifacts = append(run.artifacts, &artifact{id: s.nextID(), run: run, name: name, data: data, created: s.now()})
	return nil
}

// ExpireArtifacts lets the run's artifacts expire.
func (run *Run) ExpireArtifacts() {
	run.sim.mu.Lock()
	defer run.sim.mu.Unlock()
	for _, a := range run.artifacts {
		a.expired = true
	}
}

// inRange reports whether t lies in a search range such as ">=2024-01-01",
// "2024-01-01..2024-02-01" or a plain date.
func inRange(t time.Time, spec string) bool {
	parse := func(v string) (time.Time, time.Duration, bool) {
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02"} {
			if x, err := time.Parse(layout, v); err == nil {
				length := time.Second
				if layout == "2006-01-02" {
					length = 24 * time.Hour
				}
				return x, length, true
			}
		}
		return time.Time{}, 0, false
	}
	t = t.Truncate(time.Second)
	if from, to, both := strings.Cut(spec, ".."); both {
		return (from == "*" || inRange(t, ">="+from)) && (to == "*" || inRange(t, "<="+to))
	}
	op := strings.TrimRight(spec[:min(2, len(spec))], "0123456789")
	x, length, known := parse(spec[len(op):])
	switch {
	case !known:
		return false
	case op == ">=":
		return !t.Before(x)
	case op == ">":
		return !t.Before(x.Add(length))
	case op == "<=":
		return t.Before(x.Add(length))
	case op == "<":
		return t.Before(x)
	}
	return !t.Before(x) && t.Before(x.Add(length))
}

func (s *Sim) listRuns(c *request) answer {
	q := c.URL.Query()
	file := ""
	if key := c.PathValue("workflow"); key != "" {
		var found bool
		if file, found = c.repo.findWorkflow(key); !found {
			return notFound()
		}
	}
	match := func(name, value string) bool { return q.Get(name) == "" || q.Get(name) == value }
	var out []*Run
	for _, run := range s.runsOf(c.repo) {
		if file != "" && run.Workflow != file || !match("event", run.Event) || !match("branch", run.Branch) ||
			!match("head_sha", run.HeadSHA) || !match("actor", run.actor.login) ||
			!match("status", run.status) && !match("status", run.conclusion) ||
			q.Get("created") != "" && !inRange(run.created, q.Get("created")) {
			continue
		}
		out = append(out, run)
	}
	slices.Reverse(out)
	return counted(c, "workflow_runs", out, func(run *Run) obj { return s.viewRun(c.base, run) })
}

func (c *request) runOf() *Run {
	if run := c.sim.runs[c.id("id")]; run != nil && run.Repo == c.repo {
		return run
	}
	return nil
}

func (s *Sim) getRun(c *request) answer {
	run := c.runOf()
	if run == nil {
		return notFound()
	}
	return ok(s.viewRun(c.base, run))
}

func (s *Sim) listJobs(c *request) answer {
	run := c.runOf()
	if run == nil {
		return notFound()
	}
	return counted(c, "jobs", run.jobs, func(j *Job) obj { return s.viewJob(c.base, j) })
}

func (s *Sim) cancelRun(c *request) answer {
	run := c.runOf()
	switch {
	case run == nil:
		return notFound()
	case run.status == "completed":
		return fail(http.StatusConflict, "Cannot cancel a workflow run that is completed.")
	}
	run.cancel()
	if !s.opts.KeepCancelled {
		s.completeRun(run, "cancelled")
	}
	return answer{status: http.StatusAccepted, body: obj{}}
}

func (s *Sim) listArtifacts(c *request) answer {
	run := c.runOf()
	if run == nil {
		return notFound()
	}
	name := c.URL.Query().Get("name")
	out := slices.DeleteFunc(slices.Clone(run.artifacts), func(a *artifact) bool { return name != "" && a.name != name })
	return counted(c, "artifacts", out, func(a *artifact) obj { return s.viewArtifact(c.base, a) })
}

func (s *Sim) artifactByID(id int64) *artifact {
	for _, run := range s.runs {
		for _, a := range run.artifacts {
			if a.id == id {
				return a
			}
		}
	}
	return nil
}

func (s *Sim) getArtifact(c *request) answer {
	a := s.artifactByID(c.id("id"))
	if a == nil || a.run.Repo != c.repo {
		return notFound()
	}
	return ok(s.viewArtifact(c.base, a))
}

func (s *Sim) downloadArtifact(c *request) answer {
	a := s.artifactByID(c.id("id"))
	switch {
	case a == nil || a.run.Repo != c.repo || c.PathValue("format") != "zip":
		return notFound()
	case a.expired:
		return fail(http.StatusGone, "Artifact has expired")
	}
	return answer{status: http.StatusFound}.with("Location", fmt.Sprintf("%s/artifact-content/%d?sig=%s", c.base, a.id, a.signature()))
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// signature makes a download link hard to guess, as GitHub's are.
func (a *artifact) signature() string {
	return digest([]byte("artifact " + strconv.FormatInt(a.id, 10) + a.name))[:16]
}

func (s *Sim) artifactContent(c *request) answer {
	a := s.artifactByID(c.id("id"))
	if a == nil || a.expired || c.URL.Query().Get("sig") != a.signature() {
		return fail(http.StatusForbidden, "Forbidden")
	}
	return answer{status: http.StatusOK, raw: nonNil(a.data), typ: "application/zip"}
}
