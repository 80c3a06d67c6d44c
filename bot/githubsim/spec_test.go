package githubsim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-github/v62/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/bot/githubsim/spec"
)

// specDir is the folder with GitHub's descriptions; the test is skipped without.
func specDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(spec.EnvDir)
	if dir == "" {
		t.Skipf("%s is not set: GitHub's description is not at hand (.ci/fetch-spec brings it)", spec.EnvDir)
	}
	return dir
}

// loadSpec loads the description once for all tests.
var loadSpec = sync.OnceValues(func() (*spec.Spec, error) { return spec.Load(os.Getenv(spec.EnvDir)) })

// TestConversationAgreesWithGitHubsDescription makes every request that the Sim
// serves through the real client, and checks each request and each answer.
func TestConversationAgreesWithGitHubsDescription(t *testing.T) {
	specDir(t)
	sp, err := loadSpec()
	require.NoError(t, err)
	before := len(sp.Problems())
	ctx := context.Background()
	w := newWorld(t, githubsim.Options{})
	rt := sp.RoundTripper(http.DefaultTransport)
	gh, app := client(t, w.sim, w.repo.Installation(), rt), appClient(t, w.sim, rt)
	fork, err := w.repo.Fork("mallory")
	require.NoError(t, err)
	_, err = fork.Commit("patch", "mallory", "no base", nil)
	require.Error(t, err)
	_, err = fork.ForcePush("patch", "main", "mallory", "patch", githubsim.Changes{
		"src/b/kernel.rs": githubsim.Text("fn b() {}\n"), "run.sh": nil,
		"link": githubsim.Symlink("run.sh"), "mod": githubsim.Submodule(strings.Repeat("b", 40)),
		"renamed/readme.md": githubsim.Text("sample\n"), "README.md": nil,
	})
	require.NoError(t, err)
	fromFork, err := w.repo.OpenPull(githubsim.PullOptions{Title: "From a fork", Head: fork, Branch: "patch"})
	require.NoError(t, err)
	comment, err := w.repo.Comment(w.number, "alice", "/tilegym help")
	require.NoError(t, err)
	deliveries, err := w.sim.DeliverTo(ctx, w.sim.URL+"/nowhere", "s")
	require.NoError(t, err)
	require.NotEmpty(t, deliveries)

	must := func(resp *github.Response, err error) {
		t.Helper()
		require.NoError(t, err)
		require.Less(t, resp.StatusCode, 400)
	}
	get := func(path string, accept string) {
		t.Helper()
		req, err := gh.NewRequest("GET", path, nil)
		require.NoError(t, err)
		if accept != "" {
			req.Header.Set("Accept", accept)
		}
		resp, err := gh.BareDo(ctx, req)
		require.NoError(t, err, path)
		require.NoError(t, resp.Body.Close())
	}
	main := w.repo.Head("main")

	// the App
	_, resp, err := app.Apps.Get(ctx, "")
	must(resp, err)
	_, resp, err = app.Apps.ListInstallations(ctx, nil)
	must(resp, err)
	_, resp, err = app.Apps.GetInstallation(ctx, w.repo.Installation())
	must(resp, err)
	_, resp, err = app.Apps.FindRepositoryInstallation(ctx, "o", "r")
	must(resp, err)
	_, resp, err = app.Apps.CreateInstallationToken(ctx, w.repo.Installation(), &github.InstallationTokenOptions{
		Repositories: []string{"r"}, Permissions: &github.InstallationPermissions{Checks: github.String("write")},
	})
	must(resp, err)
	hooks, resp, err := app.Apps.ListHookDeliveries(ctx, &github.ListCursorOptions{PerPage: 1})
	must(resp, err)
	require.NotEmpty(t, resp.Cursor)
	_, resp, err = app.Apps.ListHookDeliveries(ctx, &github.ListCursorOptions{Cursor: resp.Cursor})
	must(resp, err)
	_, resp, err = app.Apps.GetHookDelivery(ctx, hooks[0].GetID())
	must(resp, err)
	_, _, err = app.Apps.RedeliverHookDelivery(ctx, hooks[0].GetID())
	var accepted *github.AcceptedError
	require.True(t, asError(err, &accepted), "%v", err)
	_, resp, err = gh.Apps.ListRepos(ctx, nil)
	must(resp, err)
	_, resp, err = gh.RateLimit.Get(ctx)
	must(resp, err)
	_, resp, err = gh.Users.Get(ctx, "alice")
	must(resp, err)
	_, resp, err = gh.Users.Get(ctx, w.sim.BotLogin())
	must(resp, err)

	// the repository
	_, resp, err = gh.Repositories.Get(ctx, "o", "r")
	must(resp, err)
	_, resp, err = gh.Repositories.Get(ctx, "mallory", "r")
	must(resp, err)
	_, resp, err = gh.Repositories.ListBranches(ctx, "o", "r", nil)
	must(resp, err)
	_, resp, err = gh.Repositories.GetBranch(ctx, "o", "r", "feature/x", 0)
	must(resp, err)
	_, resp, err = gh.Repositories.ListCommits(ctx, "o", "r", &github.CommitsListOptions{SHA: "feature/x"})
	must(resp, err)
	_, resp, err = gh.Repositories.GetCommit(ctx, "o", "r", w.head, nil)
	must(resp, err)
	_, resp, err = gh.Repositories.GetCommitSHA1(ctx, "o", "r", "main", "")
	must(resp, err)
	_, resp, err = gh.Git.GetRef(ctx, "o", "r", "heads/feature/x")
	must(resp, err)
	_, resp, err = gh.Git.GetRef(ctx, "o", "r", "pull/1/head")
	must(resp, err)
	_, resp, err = gh.Git.GetCommit(ctx, "o", "r", main)
	must(resp, err)
	tree, resp, err := gh.Git.GetTree(ctx, "o", "r", main, true)
	must(resp, err)
	_, _, err = gh.Git.GetTree(ctx, "o", "r", "mallory:patch", false)
	refused(t, err, 404)
	for _, e := range tree.Entries {
		if e.GetType() == "blob" {
			_, resp, err = gh.Git.GetBlob(ctx, "o", "r", e.GetSHA())
			must(resp, err)
			_, resp, err = gh.Git.GetBlobRaw(ctx, "o", "r", e.GetSHA())
			must(resp, err)
		}
	}
	for _, x := range [][2]string{{"main", "feature/x"}, {"main", "mallory:patch"}, {"main", "main"}, {w.head, main}, {"mallory:patch", "feature/x"}} {
		_, resp, err = gh.Repositories.CompareCommits(ctx, "o", "r", x[0], x[1], nil)
		must(resp, err)
	}
	_, _, resp, err = gh.Repositories.GetContents(ctx, "o", "r", "src/a kernel/kernel.rs", &github.RepositoryContentGetOptions{Ref: "feature/x"})
	must(resp, err)
	_, _, resp, err = gh.Repositories.GetContents(ctx, "o", "r", "src", nil)
	must(resp, err)
	_, _, _, err = gh.Repositories.GetContents(ctx, "o", "r", "src/none", nil)
	refused(t, err, 404)
	get("repos/o/r/contents/README.md", "application/vnd.github.raw")
	for _, p := range []string{"link", "mod"} {
		_, _, resp, err = gh.Repositories.GetContents(ctx, "mallory", "r", p, &github.RepositoryContentGetOptions{Ref: "patch"})
		must(resp, err)
	}
	link, _, err := gh.Repositories.GetArchiveLink(ctx, "o", "r", github.Tarball, &github.RepositoryContentGetOptions{Ref: w.head}, 0)
	require.NoError(t, err)
	content, err := http.Get(link.String())
	require.NoError(t, err)
	require.NoError(t, content.Body.Close())
	for _, role := range []string{"admin", "maintain", "write", "triage", "read", "none"} {
		w.repo.SetPermission("carol", role)
		level, resp, err := gh.Repositories.GetPermissionLevel(ctx, "o", "r", "carol")
		must(resp, err)
		assert.Equal(t, role, level.GetUser().GetRoleName())
	}
	_, _, err = gh.Repositories.GetPermissionLevel(ctx, "o", "r", "no-such-user")
	refused(t, err, 404)

	// pull requests
	_, resp, err = gh.PullRequests.List(ctx, "o", "r", &github.PullRequestListOptions{State: "all", Sort: "updated", Direction: "asc"})
	must(resp, err)
	_, resp, err = gh.PullRequests.List(ctx, "o", "r", &github.PullRequestListOptions{Head: "mallory:patch", Base: "main"})
	must(resp, err)
	for _, n := range []int{w.number, fromFork} {
		_, resp, err = gh.PullRequests.Get(ctx, "o", "r", n)
		must(resp, err)
		_, resp, err = gh.PullRequests.GetRaw(ctx, "o", "r", n, github.RawOptions{Type: github.Diff})
		must(resp, err)
		files, resp, err := gh.PullRequests.ListFiles(ctx, "o", "r", n, &github.ListOptions{PerPage: 2})
		must(resp, err)
		require.Len(t, files, 2)
		require.Equal(t, 2, resp.NextPage)
		_, resp, err = gh.PullRequests.ListFiles(ctx, "o", "r", n, nil)
		must(resp, err)
		_, resp, err = gh.PullRequests.ListCommits(ctx, "o", "r", n, nil)
		must(resp, err)
	}
	_, resp, err = gh.PullRequests.ListPullRequestsWithCommit(ctx, "o", "r", w.head, nil)
	must(resp, err)
	_, _, err = gh.PullRequests.Get(ctx, "o", "r", 99)
	refused(t, err, 404)

	// reviews
	line := func(n int) *github.DraftReviewComment {
		return &github.DraftReviewComment{Path: github.String("src/a kernel/kernel.rs"), Body: github.String("b"), Line: github.Int(n), Side: github.String("RIGHT")}
	}
	span := line(12)
	span.StartLine, span.StartSide = github.Int(9), github.String("RIGHT")
	review, resp, err := gh.PullRequests.CreateReview(ctx, "o", "r", w.number, &github.PullRequestReviewRequest{
		CommitID: &w.head, Body: github.String("review"), Event: github.String("COMMENT"), Comments: []*github.DraftReviewComment{line(10), span},
	})
	must(resp, err)
	_, _, err = gh.PullRequests.CreateReview(ctx, "o", "r", w.number, &github.PullRequestReviewRequest{
		Event: github.String("COMMENT"), Comments: []*github.DraftReviewComment{line(10), line(30)},
	})
	refused(t, err, 422)
	_, resp, err = gh.PullRequests.CreateReview(ctx, "o", "r", w.number, &github.PullRequestReviewRequest{Body: github.String("draft")})
	must(resp, err)
	_, resp, err = gh.PullRequests.ListReviews(ctx, "o", "r", w.number, nil)
	must(resp, err)
	_, resp, err = gh.PullRequests.GetReview(ctx, "o", "r", w.number, review.GetID())
	must(resp, err)
	_, resp, err = gh.PullRequests.UpdateReview(ctx, "o", "r", w.number, review.GetID(), "changed")
	must(resp, err)
	_, resp, err = gh.PullRequests.ListReviewComments(ctx, "o", "r", w.number, review.GetID(), nil)
	must(resp, err)
	single, resp, err := gh.PullRequests.CreateComment(ctx, "o", "r", w.number, &github.PullRequestComment{
		Body: github.String("single"), Path: github.String("src/a kernel/kernel.rs"), CommitID: &w.head, Line: github.Int(50), Side: github.String("LEFT"),
	})
	must(resp, err)
	_, resp, err = gh.PullRequests.CreateComment(ctx, "o", "r", w.number, &github.PullRequestComment{
		Body: github.String("file"), Path: github.String("new.bin"), CommitID: &w.head, SubjectType: github.String("file"),
	})
	must(resp, err)
	_, _, err = gh.PullRequests.CreateComment(ctx, "o", "r", w.number, &github.PullRequestComment{
		Body: github.String("off"), Path: github.String("src/a kernel/kernel.rs"), CommitID: &w.head, Line: github.Int(30),
	})
	refused(t, err, 422)
	request, err := gh.NewRequest("POST", fmt.Sprintf("repos/o/r/pulls/%d/comments/%d/replies", w.number, single.GetID()), map[string]string{"body": "again"})
	require.NoError(t, err)
	resp, err = gh.Do(ctx, request, nil)
	must(resp, err)
	_, resp, err = gh.PullRequests.EditComment(ctx, "o", "r", single.GetID(), &github.PullRequestComment{Body: github.String("edited")})
	must(resp, err)
	_, resp, err = gh.PullRequests.GetComment(ctx, "o", "r", single.GetID())
	must(resp, err)
	_, err = w.repo.Commit("feature/x", "alice", "outdate", githubsim.Changes{"src/a kernel/kernel.rs": githubsim.Text(kernel(60, map[int]string{12: "x\n"}))})
	require.NoError(t, err)
	_, resp, err = gh.PullRequests.ListComments(ctx, "o", "r", w.number, &github.PullRequestListCommentsOptions{Sort: "created", Direction: "asc"})
	must(resp, err)
	_, resp, err = gh.PullRequests.ListReviewComments(ctx, "o", "r", w.number, review.GetID(), nil)
	must(resp, err)
	resp, err = gh.PullRequests.DeleteComment(ctx, "o", "r", single.GetID())
	must(resp, err)

	// conversation
	_, resp, err = gh.Issues.Get(ctx, "o", "r", w.number)
	must(resp, err)
	_, resp, err = gh.Issues.Get(ctx, "o", "r", w.repo.OpenIssue("alice", "plain", ""))
	must(resp, err)
	_, resp, err = gh.Issues.ListLabelsByIssue(ctx, "o", "r", w.number, nil)
	must(resp, err)
	sticky, resp, err := gh.Issues.CreateComment(ctx, "o", "r", w.number, &github.IssueComment{Body: github.String("summary")})
	must(resp, err)
	_, _, err = gh.Issues.CreateComment(ctx, "o", "r", w.number, &github.IssueComment{Body: github.String(strings.Repeat("x", 65_537))})
	refused(t, err, 422)
	_, resp, err = gh.Issues.EditComment(ctx, "o", "r", sticky.GetID(), &github.IssueComment{Body: github.String("summary 2")})
	must(resp, err)
	_, resp, err = gh.Issues.GetComment(ctx, "o", "r", sticky.GetID())
	must(resp, err)
	_, resp, err = gh.Issues.ListComments(ctx, "o", "r", w.number, nil)
	must(resp, err)
	for range 2 {
		_, resp, err = gh.Reactions.CreateIssueCommentReaction(ctx, "o", "r", comment, "eyes")
		must(resp, err)
	}
	reactions, resp, err := gh.Reactions.ListIssueCommentReactions(ctx, "o", "r", comment, nil)
	must(resp, err)
	require.Len(t, reactions, 1)
	resp, err = gh.Reactions.DeleteIssueCommentReaction(ctx, "o", "r", comment, reactions[0].GetID())
	must(resp, err)
	resp, err = gh.Issues.DeleteComment(ctx, "o", "r", sticky.GetID())
	must(resp, err)

	// checks
	run, resp, err := gh.Checks.CreateCheckRun(ctx, "o", "r", github.CreateCheckRunOptions{Name: "tilegym / rules", HeadSHA: w.head, ExternalID: github.String("d1")})
	must(resp, err)
	_, resp, err = gh.Checks.UpdateCheckRun(ctx, "o", "r", run.GetID(), github.UpdateCheckRunOptions{
		Name: "tilegym / rules", Status: github.String("completed"), Conclusion: github.String("failure"),
		Output: &github.CheckRunOutput{Title: github.String("1 error"), Summary: github.String("s"), Text: github.String("t"),
			Annotations: []*github.CheckRunAnnotation{{
				Path: github.String("src/a kernel/kernel.rs"), StartLine: github.Int(1), EndLine: github.Int(1), StartColumn: github.Int(2), EndColumn: github.Int(3),
				AnnotationLevel: github.String("warning"), Message: github.String("m"),
			}}},
		Actions: []*github.CheckRunAction{{Label: "Rerun", Description: "Run again", Identifier: "rerun"}},
	})
	must(resp, err)
	_, resp, err = gh.Checks.CreateCheckRun(ctx, "o", "r", github.CreateCheckRunOptions{Name: "tilegym / gate", HeadSHA: w.head,
		Status: github.String("completed"), Conclusion: github.String("success"), CompletedAt: &github.Timestamp{Time: run.GetStartedAt().Time}})
	must(resp, err)
	_, resp, err = gh.Checks.GetCheckRun(ctx, "o", "r", run.GetID())
	must(resp, err)
	_, resp, err = gh.Checks.ListCheckRunAnnotations(ctx, "o", "r", run.GetID(), nil)
	must(resp, err)
	_, err = w.repo.ForeignCheck(77, "tilegym / gate", w.head, "success")
	require.NoError(t, err)
	_, resp, err = gh.Checks.ListCheckRunsForRef(ctx, "o", "r", w.head, &github.ListCheckRunsOptions{Filter: github.String("all")})
	must(resp, err)
	_, _, err = gh.Checks.CreateCheckRun(ctx, "o", "r", github.CreateCheckRunOptions{Name: "x", HeadSHA: w.head, Status: github.String("completed")})
	refused(t, err, 422)

	// actions
	workflows, resp, err := gh.Actions.ListWorkflows(ctx, "o", "r", nil)
	must(resp, err)
	require.Equal(t, 2, workflows.GetTotalCount())
	_, resp, err = gh.Actions.GetWorkflowByFileName(ctx, "o", "r", "gate.yml")
	must(resp, err)
	for _, details := range []bool{true, false} {
		request, err := gh.NewRequest("POST", "repos/o/r/actions/workflows/gate.yml/dispatches", map[string]any{
			"ref": "main", "inputs": map[string]string{"request": "{}", "dispatch": "1"}, "return_run_details": details,
		})
		require.NoError(t, err)
		resp, err = gh.Do(ctx, request, nil)
		must(resp, err)
	}
	_, err = gh.Actions.CreateWorkflowDispatchEventByFileName(ctx, "o", "r", "gate.yml", github.CreateWorkflowDispatchEventRequest{Ref: w.head})
	refused(t, err, 422)
	first, second := w.sim.Runs()[0], w.sim.Runs()[1]
	show := func() {
		t.Helper()
		_, resp, err := gh.Actions.GetWorkflowRunByID(ctx, "o", "r", first.ID)
		must(resp, err)
		_, resp, err = gh.Actions.ListWorkflowJobs(ctx, "o", "r", first.ID, nil)
		must(resp, err)
	}
	job := first.AddJob("build (bmm, gpu0)", "self-hosted")
	show()
	job.Start("gpu-3")
	job.Annotate("failure", "The runner lost communication")
	show()
	_, resp, err = gh.Checks.ListCheckRunAnnotations(ctx, "o", "r", job.ID, nil)
	must(resp, err)
	_, resp, err = gh.Checks.ListCheckRunsForRef(ctx, "o", "r", "main", nil)
	must(resp, err)
	require.NoError(t, first.Upload("evidence", map[string][]byte{"evidence.json": []byte("{}")}))
	job.Complete("failure", githubsim.Step{Name: "cargo", Conclusion: "failure"})
	first.Complete("failure")
	show()
	_, err = gh.Actions.CancelWorkflowRunByID(ctx, "o", "r", second.ID)
	require.True(t, asError(err, &accepted), "%v", err)
	_, err = gh.Actions.CancelWorkflowRunByID(ctx, "o", "r", second.ID)
	refused(t, err, 409)
	_, resp, err = gh.Actions.ListWorkflowRunsByFileName(ctx, "o", "r", "gate.yml", &github.ListWorkflowRunsOptions{Event: "workflow_dispatch"})
	must(resp, err)
	_, resp, err = gh.Actions.ListRepositoryWorkflowRuns(ctx, "o", "r", &github.ListWorkflowRunsOptions{Status: "completed"})
	must(resp, err)
	artifacts, resp, err := gh.Actions.ListWorkflowRunArtifacts(ctx, "o", "r", first.ID, nil)
	must(resp, err)
	_, resp, err = gh.Actions.GetArtifact(ctx, "o", "r", artifacts.Artifacts[0].GetID())
	must(resp, err)
	link, _, err = gh.Actions.DownloadArtifact(ctx, "o", "r", artifacts.Artifacts[0].GetID(), 0)
	require.NoError(t, err)
	content, err = http.Get(link.String())
	require.NoError(t, err)
	require.NoError(t, content.Body.Close())
	first.ExpireArtifacts()
	_, _, err = gh.Actions.DownloadArtifact(ctx, "o", "r", artifacts.Artifacts[0].GetID(), 0)
	require.ErrorContains(t, err, "410")

	// later states
	_, err = w.repo.MergePull(fromFork, "o")
	require.NoError(t, err)
	_, resp, err = gh.PullRequests.Get(ctx, "o", "r", fromFork)
	must(resp, err)
	w.sim.Suspend(w.repo.Installation(), true)
	_, resp, err = app.Apps.ListInstallations(ctx, nil)
	must(resp, err)
	_, _, err = gh.Repositories.Get(ctx, "o", "r")
	refused(t, err, 403)
	_, _, err = app.Apps.CreateInstallationToken(ctx, w.repo.Installation(), nil)
	refused(t, err, 403)

	assert.Empty(t, sp.Problems()[before:])
	served := map[string]bool{}
	for _, c := range w.sim.Calls() {
		if c.Status < 400 {
			served[c.Route] = true
		}
	}
	for _, p := range w.sim.Patterns() {
		parts := []string{""}
		if strings.Contains(p, "{part}") {
			parts = map[bool][]string{true: {"files", "commits", "reviews", "comments"}, false: {"comments", "labels"}}[strings.Contains(p, "/pulls/")]
		}
		for _, part := range parts {
			assert.True(t, served[strings.Replace(p, "{part}", part, 1)], "no successful request for %s %s", p, part)
		}
	}
	t.Logf("%d kinds of answers checked against the description", len(sp.Seen()))
}

// TestSpecSeesFaults makes sure that the check above can fail.
func TestSpecSeesFaults(t *testing.T) {
	specDir(t)
	sp, err := loadSpec()
	require.NoError(t, err)
	jsonHeader := http.Header{"Content-Type": {"application/json"}}
	for name, f := range map[string]struct {
		method, path, body string
		status             int
		answer             string
	}{
		"51 annotations": {"POST", "/repos/o/r/check-runs", `{"name":"x","head_sha":"a","output":{"title":"t","summary":"s","annotations":[` +
			strings.TrimSuffix(strings.Repeat(`{"path":"a","start_line":1,"end_line":1,"annotation_level":"notice","message":"m"},`, 51), ",") + `]}}`, 204, ``},
		"wrong type in an answer": {"GET", "/repos/o/r/git/ref/heads/a/b", ``, 200, `{"ref":1}`},
		"missing field":           {"GET", "/repos/o/r/contents/src/a.rs", ``, 200, `{"type":"file"}`},
		"undeclared status":       {"GET", "/app", ``, 201, `{}`},
		"not an error body":       {"GET", "/app", ``, 404, `{"message":7}`},
		"unknown operation":       {"GET", "/repos/o/r/no/such/thing", ``, 200, `{}`},
	} {
		before := len(sp.Problems())
		req, err := http.NewRequest(f.method, "http://h"+f.path, nil)
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		sp.Check(req, []byte(f.body), f.status, jsonHeader, []byte(f.answer))
		assert.Greater(t, len(sp.Problems()), before, name)
	}
}

// TestWebhookPayloadsHaveTheFieldsOfGitHubsExamples compares each kind of event
// that the Sim sends with GitHub's own example: whatever field GitHub shows, at
// any depth, ours must have with the same JSON type, except where a side is null.
func TestWebhookPayloadsHaveTheFieldsOfGitHubsExamples(t *testing.T) {
	examples, err := spec.Examples(specDir(t))
	require.NoError(t, err)
	published := map[string][]map[string]any{}
	for _, e := range examples {
		var v map[string]any
		require.NoError(t, json.Unmarshal(e.Payload, &v))
		action, _ := v["action"].(string)
		published[e.Event+"."+action] = append(published[e.Event+"."+action], v)
		published[e.Event] = append(published[e.Event], v)
	}
	w := everyEvent(t)
	compared := map[string]bool{}
	for _, d := range w.sim.Deliveries() {
		kind := d.Event + "." + d.Action
		theirs := published[kind]
		if len(theirs) == 0 {
			theirs = published[d.Event] // no example of this action: any of the event
		}
		require.NotEmpty(t, theirs, "GitHub publishes no example of %s", kind)
		var ours map[string]any
		require.NoError(t, json.Unmarshal(d.Body, &ours))
		var best []string
		for i, example := range theirs {
			if missing := lacking(example, ours, ""); i == 0 || len(missing) < len(best) {
				best = missing
			}
		}
		assert.Empty(t, best, "%s lacks what GitHub's example has", kind)
		compared[kind] = true
	}
	t.Logf("%d kinds of events compared", len(compared))
}

// unneeded are parts of GitHub's examples that belong to accounts of other
// kinds (organizations, enterprises) or to features that the Sim has not.
var unneeded = map[string]bool{"organization": true, "enterprise": true, "check_run.deployment": true}

// lacking lists the fields of theirs that ours has not or has with another type.
func lacking(theirs, ours map[string]any, at string) []string {
	var out []string
	for k, x := range theirs {
		p := strings.TrimPrefix(at+"."+k, ".")
		y, has := ours[k]
		if unneeded[p] {
			continue
		}
		if !has {
			out = append(out, p)
			continue
		}
		if x == nil || y == nil {
			continue
		}
		if fmt.Sprintf("%T", x) != fmt.Sprintf("%T", y) {
			out = append(out, fmt.Sprintf("%s: %T, GitHub has %T", p, y, x))
			continue
		}
		// which permissions there are is each App's own affair
		if sub, isObject := x.(map[string]any); isObject && k != "permissions" {
			out = append(out, lacking(sub, y.(map[string]any), p)...)
		}
		a, isArray := x.([]any)
		if !isArray || len(a) == 0 || len(y.([]any)) == 0 {
			continue
		}
		first, isObject := a[0].(map[string]any)
		mine, mineToo := y.([]any)[0].(map[string]any)
		if isObject && mineToo {
			out = append(out, lacking(first, mine, p+"[]")...)
		}
	}
	return out
}
