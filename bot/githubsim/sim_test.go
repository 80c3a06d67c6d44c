package githubsim_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v62/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
)

const gateWorkflow = `name: gate
run-name: tilegate ${{ inputs.dispatch }}
on:
  workflow_dispatch:
    inputs:
      request:
        required: true
        type: string
      dispatch:
        required: true
        type: string
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: "true"
`

// kernel is a file of numbered lines.
func kernel(n int, edits map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if line, edited := edits[i]; edited {
			b.WriteString(line)
			continue
		}
		fmt.Fprintf(&b, "let v%d = %d;\n", i, i)
	}
	return b.String()
}

func sampleTree() fstest.MapFS {
	return fstest.MapFS{
		"README.md":                   {Data: []byte("sample\n")},
		"src/a kernel/kernel.rs":      {Data: []byte(kernel(60, nil))},
		"run.sh":                      {Data: []byte("true\n"), Mode: 0o755},
		"src-x.rs":                    {Data: []byte("// sorts before the folder src\n")},
		".github/workflows/gate.yml":  {Data: []byte(gateWorkflow)},
		".github/workflows/other.yml": {Data: []byte("on: push\njobs: {}\n")},
	}
}

// clock is GitHub's clock in tests.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is a Sim with a repository o/r, an open pull request and a client.
type world struct {
	sim    *githubsim.Sim
	repo   *githubsim.Repo
	gh     *github.Client
	number int
	head   string
}

func newWorld(t *testing.T, opts githubsim.Options) *world {
	t.Helper()
	sim := githubsim.New(opts)
	require.NoError(t, sim.Start())
	t.Cleanup(func() { assert.NoError(t, sim.Close()) })
	repo, err := sim.CreateRepo("o", "r", sampleTree())
	require.NoError(t, err)
	require.NoError(t, repo.CreateBranch("feature/x", "main"))
	head, err := repo.Commit("feature/x", "alice", "Change the kernel", githubsim.Changes{
		"src/a kernel/kernel.rs": githubsim.Text(kernel(60, map[int]string{10: "let v10 = 11;\n", 50: "", 51: ""})),
		"new.bin":                githubsim.Binary([]byte{0, 1, 2}),
		"README.md":              nil,
	})
	require.NoError(t, err)
	number, err := repo.OpenPull(githubsim.PullOptions{
		Title: "Change", Body: "Faster", Author: "alice", Branch: "feature/x", Labels: []string{"kernel"},
	})
	require.NoError(t, err)
	return &world{sim: sim, repo: repo, gh: client(t, sim, repo.Installation(), nil), number: number, head: head}
}

// client is a go-github client that authenticates as the App's installation.
func client(t *testing.T, sim *githubsim.Sim, installation int64, rt http.RoundTripper) *github.Client {
	t.Helper()
	if rt == nil {
		rt = http.DefaultTransport
	}
	tr, err := ghinstallation.New(rt, sim.AppID(), installation, sim.PrivateKeyPEM())
	require.NoError(t, err)
	tr.BaseURL = sim.URL
	return rooted(t, sim, &http.Client{Transport: tr})
}

// appClient is a go-github client that authenticates as the App itself.
func appClient(t *testing.T, sim *githubsim.Sim, rt http.RoundTripper) *github.Client {
	t.Helper()
	if rt == nil {
		rt = http.DefaultTransport
	}
	tr, err := ghinstallation.NewAppsTransport(rt, sim.AppID(), sim.PrivateKeyPEM())
	require.NoError(t, err)
	return rooted(t, sim, &http.Client{Transport: tr})
}

func rooted(t *testing.T, sim *githubsim.Sim, hc *http.Client) *github.Client {
	t.Helper()
	gh := github.NewClient(hc)
	u, err := url.Parse(sim.URL + "/")
	require.NoError(t, err)
	gh.BaseURL = u
	return gh
}

// refused asserts that GitHub answered with that status, and returns the error's text.
func refused(t *testing.T, err error, status int) string {
	t.Helper()
	var er *github.ErrorResponse
	var rl *github.RateLimitError
	var abuse *github.AbuseRateLimitError
	switch {
	case assert.Error(t, err) && asError(err, &er):
		assert.Equal(t, status, er.Response.StatusCode, "%v", err)
	case asError(err, &rl):
		assert.Equal(t, status, rl.Response.StatusCode, "%v", err)
	case asError(err, &abuse):
		assert.Equal(t, status, abuse.Response.StatusCode, "%v", err)
	default:
		assert.Fail(t, "no answer from GitHub", "%v", err)
	}
	return fmt.Sprint(err)
}

func TestObjectIDsAreThoseOfGit(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	// six unchanged lines between changes are one hunk, seven are two
	require.NoError(t, w.repo.CreateBranch("gaps", "main"))
	_, err := w.repo.Commit("gaps", "alice", "gaps", githubsim.Changes{
		"src/a kernel/kernel.rs": githubsim.Text(kernel(60, map[int]string{10: "x\n", 17: "y\n", 30: "z\n", 38: "w\n", 60: "end"})),
	})
	require.NoError(t, err)
	gaps, err := w.repo.OpenPull(githubsim.PullOptions{Title: "gaps", Branch: "gaps"})
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "r.git")
	require.NoError(t, w.repo.Export(dir))
	git := func(args ...string) string {
		out, err := exec.Command("git", append([]string{"-c", "safe.directory=*", "--git-dir", dir}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return strings.TrimSpace(string(out))
	}
	assert.Empty(t, git("fsck", "--strict", "--no-dangling"))
	assert.Equal(t, w.head, git("rev-parse", "refs/pull/1/head"))
	assert.Equal(t, w.repo.Head("main"), git("merge-base", "main", "feature/x"))
	assert.Contains(t, git("ls-tree", "main", "run.sh"), "100755 blob")
	assert.Equal(t, "alice", git("log", "-1", "--format=%an", "feature/x"))

	files, _, err := w.gh.PullRequests.ListFiles(context.Background(), "o", "r", w.number, nil)
	require.NoError(t, err)
	var patch string
	for _, f := range files {
		if f.GetFilename() == "src/a kernel/kernel.rs" {
			patch = f.GetPatch()
		}
	}
	require.NotEmpty(t, patch)
	_, hunks, _ := strings.Cut(git("diff", "main...feature/x", "--", "src"), "@@")
	assert.Equal(t, "@@"+hunks, patch, "the patch field is git's own diff")
	diff, _, err := w.gh.PullRequests.GetRaw(context.Background(), "o", "r", w.number, github.RawOptions{Type: github.Diff})
	require.NoError(t, err)
	assert.Equal(t, git("diff", "main...feature/x")+"\n", diff)
	diff, _, err = w.gh.PullRequests.GetRaw(context.Background(), "o", "r", gaps, github.RawOptions{Type: github.Diff})
	require.NoError(t, err)
	assert.Equal(t, git("diff", "main...gaps")+"\n", diff)
	assert.Equal(t, 4, strings.Count(diff, "\n@@ "), diff)
}

func TestReviewIsAllOrNothing(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, githubsim.Options{})
	comment := func(line int) *github.DraftReviewComment {
		return &github.DraftReviewComment{
			Path: github.String("src/a kernel/kernel.rs"), Body: github.String("```suggestion\nx\n```"),
			Line: github.Int(line), Side: github.String("RIGHT"),
		}
	}
	request := func(comments ...*github.DraftReviewComment) *github.PullRequestReviewRequest {
		return &github.PullRequestReviewRequest{
			CommitID: &w.head, Event: github.String("COMMENT"), Body: github.String("see"), Comments: comments,
		}
	}
	_, _, err := w.gh.PullRequests.CreateReview(ctx, "o", "r", w.number, request(comment(10), comment(30)))
	assert.Contains(t, refused(t, err, 422), "Line could not be resolved")
	state, err := w.repo.Pull(w.number)
	require.NoError(t, err)
	assert.Empty(t, state.Reviews)
	assert.Empty(t, state.ReviewComments)

	for name, bad := range map[string]func(c *github.DraftReviewComment){
		"start after end":    func(c *github.DraftReviewComment) { c.StartLine = github.Int(11) },
		"start equals end":   func(c *github.DraftReviewComment) { c.StartLine = github.Int(10) },
		"other hunk":         func(c *github.DraftReviewComment) { c.StartLine = github.Int(9); c.Line = github.Int(48) },
		"file not in diff":   func(c *github.DraftReviewComment) { c.Path = github.String("run.sh") },
		"deleted line right": func(c *github.DraftReviewComment) { c.Line = github.Int(60) },
		"empty body":         func(c *github.DraftReviewComment) { c.Body = github.String(" ") },
		"long body":          func(c *github.DraftReviewComment) { c.Body = github.String(strings.Repeat("é", 65_537)) },
	} {
		c := comment(10)
		bad(c)
		_, _, err := w.gh.PullRequests.CreateReview(ctx, "o", "r", w.number, request(c))
		refused(t, err, 422)
		state, err := w.repo.Pull(w.number)
		require.NoError(t, err)
		assert.Empty(t, state.Reviews, name)
	}

	left := comment(50)
	left.Side = github.String("LEFT")
	span := comment(12)
	span.StartLine, span.StartSide = github.Int(9), github.String("RIGHT")
	r, _, err := w.gh.PullRequests.CreateReview(ctx, "o", "r", w.number, request(comment(10), left, span))
	require.NoError(t, err)
	assert.Equal(t, "COMMENTED", r.GetState())
	assert.Equal(t, "tilegate[bot]", r.GetUser().GetLogin())
	list, _, err := w.gh.PullRequests.ListComments(ctx, "o", "r", w.number, nil)
	require.NoError(t, err)
	require.Len(t, list, 3)
	assert.Equal(t, []int{10, 50, 12}, []int{list[0].GetLine(), list[1].GetLine(), list[2].GetLine()})
	assert.Equal(t, 9, list[2].GetStartLine())
	assert.True(t, strings.HasSuffix(list[0].GetDiffHunk(), "+let v10 = 11;"), list[0].GetDiffHunk())

	// a push moves what still stands in the diff, and outdates what does not
	_, err = w.repo.Commit("feature/x", "alice", "more", githubsim.Changes{
		"src/a kernel/kernel.rs": githubsim.Text("// new first line\n" +
			kernel(60, map[int]string{10: "let v10 = 11;\n", 12: "let v12 = 13;\n", 50: "", 51: ""})),
	})
	require.NoError(t, err)
	list, _, err = w.gh.PullRequests.ListComments(ctx, "o", "r", w.number, nil)
	require.NoError(t, err)
	assert.Equal(t, 11, list[0].GetLine())
	assert.Equal(t, 10, list[0].GetOriginalLine())
	assert.Equal(t, 50, list[1].GetLine())
	assert.Nil(t, list[2].Line, "its last line changed")
	assert.Equal(t, 12, list[2].GetOriginalLine())
}

func TestCheckRunLimits(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, githubsim.Options{})
	annotations := func(n int) []*github.CheckRunAnnotation {
		out := make([]*github.CheckRunAnnotation, n)
		for i := range out {
			out[i] = &github.CheckRunAnnotation{
				Path: github.String("src/a kernel/kernel.rs"), StartLine: github.Int(i + 1), EndLine: github.Int(i + 1),
				AnnotationLevel: github.String("failure"), Message: github.String("bad"),
			}
		}
		return out
	}
	good := func() github.CreateCheckRunOptions {
		return github.CreateCheckRunOptions{
			Name: "tilegate", HeadSHA: w.head, Status: github.String("completed"), Conclusion: github.String("failure"),
			Output:  &github.CheckRunOutput{Title: github.String("t"), Summary: github.String("s"), Annotations: annotations(50)},
			Actions: []*github.CheckRunAction{{Label: "Rerun", Description: "Run again", Identifier: "rerun"}},
		}
	}
	for name, bad := range map[string]func(*github.CreateCheckRunOptions){
		"51 annotations":     func(o *github.CreateCheckRunOptions) { o.Output.Annotations = annotations(51) },
		"long summary":       func(o *github.CreateCheckRunOptions) { o.Output.Summary = github.String(strings.Repeat("x", 65_536)) },
		"long text":          func(o *github.CreateCheckRunOptions) { o.Output.Text = github.String(strings.Repeat("x", 65_536)) },
		"no title":           func(o *github.CreateCheckRunOptions) { o.Output.Title = nil },
		"no summary":         func(o *github.CreateCheckRunOptions) { o.Output.Summary = nil },
		"no conclusion":      func(o *github.CreateCheckRunOptions) { o.Conclusion = nil },
		"unknown conclusion": func(o *github.CreateCheckRunOptions) { o.Conclusion = github.String("good") },
		"unknown commit":     func(o *github.CreateCheckRunOptions) { o.HeadSHA = strings.Repeat("a", 40) },
		"no name":            func(o *github.CreateCheckRunOptions) { o.Name = "" },
		"long label":         func(o *github.CreateCheckRunOptions) { o.Actions[0].Label = strings.Repeat("x", 21) },
		"long description":   func(o *github.CreateCheckRunOptions) { o.Actions[0].Description = strings.Repeat("x", 41) },
		"long identifier":    func(o *github.CreateCheckRunOptions) { o.Actions[0].Identifier = strings.Repeat("x", 21) },
		"four actions": func(o *github.CreateCheckRunOptions) {
			a := o.Actions[0]
			o.Actions = []*github.CheckRunAction{a, a, a, a}
		},
		"columns over lines": func(o *github.CreateCheckRunOptions) {
			a := o.Output.Annotations[0]
			a.EndLine, a.StartColumn = github.Int(2), github.Int(1)
		},
		"lines backwards": func(o *github.CreateCheckRunOptions) { o.Output.Annotations[1].EndLine = github.Int(1) },
		"unknown level": func(o *github.CreateCheckRunOptions) {
			o.Output.Annotations[0].AnnotationLevel = github.String("error")
		},
		"annotation no place": func(o *github.CreateCheckRunOptions) { o.Output.Annotations[0].StartLine = nil },
	} {
		o := good()
		bad(&o)
		_, _, err := w.gh.Checks.CreateCheckRun(ctx, "o", "r", o)
		assert.NotEmpty(t, refused(t, err, 422), name)
	}
	assert.Empty(t, w.repo.Checks(w.head))

	run, _, err := w.gh.Checks.CreateCheckRun(ctx, "o", "r", good())
	require.NoError(t, err)
	_, _, err = w.gh.Checks.UpdateCheckRun(ctx, "o", "r", run.GetID(), github.UpdateCheckRunOptions{
		Name: "tilegate", Output: &github.CheckRunOutput{Title: github.String("t2"), Summary: github.String("s2"), Annotations: annotations(43)},
	})
	require.NoError(t, err)
	states := w.repo.Checks(w.head)
	require.Len(t, states, 1)
	assert.Len(t, states[0].Annotations, 93, "annotations are appended")
	assert.Equal(t, "t2", states[0].Title)
	page2, _, err := w.gh.Checks.ListCheckRunAnnotations(ctx, "o", "r", run.GetID(), &github.ListOptions{PerPage: 90, Page: 2})
	require.NoError(t, err)
	assert.Len(t, page2, 3)

	foreign, err := w.repo.ForeignCheck(77, "tilegate", w.head, "success")
	require.NoError(t, err)
	_, _, err = w.gh.Checks.UpdateCheckRun(ctx, "o", "r", foreign, github.UpdateCheckRunOptions{Name: "tilegate"})
	refused(t, err, 403)
	list, _, err := w.gh.Checks.ListCheckRunsForRef(ctx, "o", "r", w.head, &github.ListCheckRunsOptions{AppID: github.Int64(1)})
	require.NoError(t, err)
	assert.Equal(t, 1, list.GetTotal())

	require.Error(t, w.repo.RequestAction(run.GetID(), "other", "alice"), "no such button")
	require.NoError(t, w.repo.RequestAction(run.GetID(), "rerun", "alice"))
	require.NoError(t, w.repo.Rerequest(run.GetID(), "alice"))
}

func TestDispatchRunsAndArtifacts(t *testing.T) {
	ctx := context.Background()
	done := make(chan struct{})
	w := newWorld(t, githubsim.Options{OnDispatch: func(run *githubsim.Run) {
		defer close(done)
		j := run.AddJob("build (bmm, gpu0)", "self-hosted", "gpu0")
		j.Start("gpu-3")
		if run.Upload("evidence", map[string][]byte{"evidence.json": []byte("{}")}) == nil {
			j.Complete("success", githubsim.Step{Name: "cargo", Conclusion: "success"})
			run.Complete("success")
		}
	}})
	dispatch := func(ref string, inputs map[string]any, details bool) (int64, int, error) {
		body := map[string]any{"ref": ref, "inputs": inputs}
		if details {
			body["return_run_details"] = true
		}
		req, err := w.gh.NewRequest("POST", "repos/o/r/actions/workflows/gate.yml/dispatches", body)
		require.NoError(t, err)
		var out struct {
			ID int64 `json:"workflow_run_id"`
		}
		resp, err := w.gh.Do(ctx, req, &out)
		return out.ID, resp.StatusCode, err
	}
	good := map[string]any{"request": "{}", "dispatch": "01J"}
	for ref, inputs := range map[string]map[string]any{
		w.head: good, "main": {"request": "{}"}, "feature/x": {"request": "{}", "dispatch": "1", "gpu": "x"}, "none": good,
	} {
		_, _, err := dispatch(ref, inputs, true)
		refused(t, err, 422)
	}
	many := map[string]any{}
	for i := range 26 {
		many[fmt.Sprint("i", i)] = "x"
	}
	_, _, err := dispatch("main", many, true)
	refused(t, err, 422)
	assert.Empty(t, w.sim.Runs())

	id, status, err := dispatch("main", good, true)
	require.NoError(t, err)
	assert.Equal(t, 200, status)
	<-done
	run, _, err := w.gh.Actions.GetWorkflowRunByID(ctx, "o", "r", id)
	require.NoError(t, err)
	assert.Equal(t, "tilegate 01J", run.GetDisplayTitle())
	assert.Equal(t, "completed/success", run.GetStatus()+"/"+run.GetConclusion())
	assert.Equal(t, w.repo.Head("main"), run.GetHeadSHA())
	jobs, _, err := w.gh.Actions.ListWorkflowJobs(ctx, "o", "r", id, nil)
	require.NoError(t, err)
	require.Len(t, jobs.Jobs, 1)
	assert.Equal(t, "gpu-3", jobs.Jobs[0].GetRunnerName())
	arts, _, err := w.gh.Actions.ListWorkflowRunArtifacts(ctx, "o", "r", id, nil)
	require.NoError(t, err)
	require.Len(t, arts.Artifacts, 1)
	link, _, err := w.gh.Actions.DownloadArtifact(ctx, "o", "r", arts.Artifacts[0].GetID(), 0)
	require.NoError(t, err)
	resp, err := http.Get(link.String())
	require.NoError(t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(data, []byte("PK")))

	created := func(spec string) int {
		runs, _, err := w.gh.Actions.ListWorkflowRunsByFileName(ctx, "o", "r", "gate.yml",
			&github.ListWorkflowRunsOptions{Event: "workflow_dispatch", Created: spec})
		require.NoError(t, err)
		return runs.GetTotalCount()
	}
	at := run.GetCreatedAt().Time
	assert.Equal(t, 1, created(">="+at.Format(time.RFC3339)))
	assert.Equal(t, 0, created(">="+at.Add(time.Second).Format(time.RFC3339)))
	assert.Equal(t, 1, created(at.Format("2006-01-02")))
	assert.Equal(t, 0, created("<"+at.Format(time.RFC3339)))
	assert.Equal(t, 1, created(at.Format(time.RFC3339)+"..*"))
	_, err = w.gh.Actions.CancelWorkflowRunByID(ctx, "o", "r", id)
	refused(t, err, 409)
}

func TestCancelledRun(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, githubsim.Options{})
	_, err := w.gh.Actions.CreateWorkflowDispatchEventByFileName(ctx, "o", "r", "gate.yml",
		github.CreateWorkflowDispatchEventRequest{Ref: "main", Inputs: map[string]any{"request": "{}", "dispatch": "1"}})
	require.NoError(t, err)
	run := w.sim.Runs()[0]
	job := run.AddJob("build")
	_, err = w.gh.Actions.CancelWorkflowRunByID(ctx, "o", "r", run.ID)
	var accepted *github.AcceptedError
	require.True(t, asError(err, &accepted), "%v", err)
	<-run.Context().Done()
	job.Complete("success")
	run.Complete("success")
	status, conclusion := run.Status()
	assert.Equal(t, "completed/cancelled", status+"/"+conclusion, "a late end does not change the outcome")
}
