package githubsim_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/google/go-github/v62/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
)

// everyEvent is a world in which each event that the Sim can send was queued.
func everyEvent(t *testing.T) *world {
	t.Helper()
	ctx := context.Background()
	w := newWorld(t, githubsim.Options{})
	require.NoError(t, w.repo.SetDraft(w.number, true, "alice"))
	require.NoError(t, w.repo.SetDraft(w.number, false, "alice"))
	_, err := w.repo.Commit("feature/x", "alice", "second", githubsim.Changes{"b.rs": githubsim.Text("fn b() {}\n")})
	require.NoError(t, err)
	_, err = w.repo.ForcePush("feature/x", "main", "alice", "rewritten", githubsim.Changes{"c.rs": githubsim.Text("fn c() {}\n")})
	require.NoError(t, err)
	comment, err := w.repo.Comment(w.number, "alice", "/tilegym help")
	require.NoError(t, err)
	require.NoError(t, w.repo.EditComment(comment, "alice", "/tilegym status"))
	require.NoError(t, w.repo.DeleteComment(comment, "alice"))
	head := w.repo.Head("feature/x")
	run, _, err := w.gh.Checks.CreateCheckRun(ctx, "o", "r", github.CreateCheckRunOptions{
		Name: "gate", HeadSHA: head, Conclusion: github.String("failure"), ExternalID: github.String("d1"),
		Actions: []*github.CheckRunAction{{Label: "Rerun", Description: "Run again", Identifier: "rerun"}},
	})
	require.NoError(t, err)
	require.NoError(t, w.repo.Rerequest(run.GetID(), "alice"))
	require.NoError(t, w.repo.RequestAction(run.GetID(), "rerun", "alice"))
	w.repo.RerequestAll(head, "alice")
	_, err = w.gh.Actions.CreateWorkflowDispatchEventByFileName(ctx, "o", "r", "gate.yml",
		github.CreateWorkflowDispatchEventRequest{Ref: "main", Inputs: map[string]any{"request": "{}", "dispatch": "1"}})
	require.NoError(t, err)
	job := w.sim.Runs()[0].AddJob("build (bmm, gpu0)", "self-hosted")
	job.Start("gpu-3")
	job.Complete("success", githubsim.Step{Name: "cargo", Conclusion: "success"})
	w.sim.Runs()[0].Complete("success")
	_, err = w.repo.MergeGroup(w.number)
	require.NoError(t, err)
	require.NoError(t, w.repo.ClosePull(w.number, "alice"))
	require.NoError(t, w.repo.ReopenPull(w.number, "alice"))
	require.NoError(t, w.repo.Retarget(w.number, "main", "alice"))
	_, err = w.repo.MergePull(w.number, "o")
	require.NoError(t, err)
	w.sim.Suspend(w.repo.Installation(), true)
	w.sim.Suspend(w.repo.Installation(), false)
	w.sim.Uninstall(w.repo.Installation())
	return w
}

func TestWebhooksParseAndNameWhatTheAppUses(t *testing.T) {
	w := everyEvent(t)
	seen := map[string]bool{}
	for _, d := range w.sim.Deliveries() {
		ev, err := github.ParseWebHook(d.Event, d.Body)
		require.NoError(t, err, d.Event)
		seen[d.Event+"."+d.Action] = true
		type common interface {
			GetInstallation() *github.Installation
			GetSender() *github.User
		}
		c, isCommon := ev.(common)
		require.True(t, isCommon, d.Event)
		assert.NotZero(t, c.GetInstallation().GetID(), d.Event)
		assert.NotEmpty(t, c.GetSender().GetLogin(), d.Event)
		if r, has := ev.(interface{ GetRepo() *github.Repository }); has {
			assert.Equal(t, "o/r", r.GetRepo().GetFullName(), d.Event)
			assert.Equal(t, "main", r.GetRepo().GetDefaultBranch(), d.Event)
		}
		switch ev := ev.(type) {
		case *github.PullRequestEvent:
			assert.Len(t, ev.GetPullRequest().GetHead().GetSHA(), 40)
			assert.Equal(t, w.number, ev.GetNumber())
			if ev.GetAction() == "synchronize" {
				assert.Equal(t, ev.GetAfter(), ev.GetPullRequest().GetHead().GetSHA())
			}
		case *github.IssueCommentEvent:
			assert.True(t, ev.GetIssue().IsPullRequest())
			assert.NotEmpty(t, ev.GetComment().GetBody())
			if ev.GetAction() == "edited" {
				assert.Equal(t, "/tilegym help", ev.GetChanges().GetBody().GetFrom())
			}
		case *github.CheckRunEvent:
			assert.Equal(t, "d1", ev.GetCheckRun().GetExternalID())
			assert.EqualValues(t, 1, ev.GetCheckRun().GetApp().GetID())
			if ev.GetAction() == "requested_action" {
				assert.Equal(t, "rerun", ev.GetRequestedAction().Identifier)
			}
		case *github.WorkflowRunEvent:
			assert.Equal(t, "tilegate 1", ev.GetWorkflowRun().GetDisplayTitle())
		case *github.WorkflowJobEvent:
			assert.Equal(t, "build (bmm, gpu0)", ev.GetWorkflowJob().GetName())
		case *github.MergeGroupEvent:
			assert.Len(t, ev.GetMergeGroup().GetHeadSHA(), 40)
		}
	}
	for _, kind := range []string{
		"installation.created", "installation.suspend", "installation.unsuspend", "installation.deleted", "push.",
		"pull_request.opened", "pull_request.synchronize", "pull_request.closed", "pull_request.reopened",
		"pull_request.converted_to_draft", "pull_request.ready_for_review", "pull_request.edited",
		"issue_comment.created", "issue_comment.edited", "issue_comment.deleted",
		"check_run.created", "check_run.completed", "check_run.rerequested", "check_run.requested_action",
		"check_suite.requested", "check_suite.rerequested",
		"workflow_run.requested", "workflow_run.in_progress", "workflow_run.completed",
		"workflow_job.queued", "workflow_job.in_progress", "workflow_job.completed", "merge_group.checks_requested",
	} {
		assert.True(t, seen[kind], kind)
	}
}

func TestDeliveriesAreSignedAndCanBeRedelivered(t *testing.T) {
	ctx := context.Background()
	type got struct{ guid, event string }
	var received []got
	status := http.StatusInternalServerError
	hook := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		assert.NoError(t, github.ValidateSignature(r.Header.Get("X-Hub-Signature-256"), body, []byte("secret")))
		assert.Empty(t, r.Header.Get("X-Hub-Signature"), "SHA-1 is not sent")
		received = append(received, got{r.Header.Get("X-GitHub-Delivery"), r.Header.Get("X-GitHub-Event")})
		rw.WriteHeader(status)
	}))
	defer hook.Close()
	w := newWorld(t, githubsim.Options{Events: []string{"pull_request"}})
	sent, err := w.sim.DeliverTo(ctx, hook.URL, "secret")
	require.NoError(t, err)
	require.Len(t, sent, 2)
	assert.Equal(t, []string{"installation", "pull_request"}, []string{sent[0].Event, sent[1].Event})
	assert.Equal(t, 500, sent[1].Status)
	again, err := w.sim.DeliverTo(ctx, hook.URL, "secret")
	require.NoError(t, err)
	assert.Empty(t, again, "GitHub does not repeat a failed delivery by itself")

	app := appClient(t, w.sim, nil)
	list, _, err := app.Apps.ListHookDeliveries(ctx, nil)
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, "pull_request", list[0].GetEvent(), "newest first")
	assert.Equal(t, 500, list[0].GetStatusCode())
	status = http.StatusAccepted
	_, _, err = app.Apps.RedeliverHookDelivery(ctx, list[0].GetID())
	var accepted *github.AcceptedError
	require.True(t, asError(err, &accepted), "%v", err)
	sent, err = w.sim.DeliverTo(ctx, hook.URL, "secret")
	require.NoError(t, err)
	require.Len(t, sent, 1)
	assert.True(t, sent[0].Redelivery)
	assert.Equal(t, 202, sent[0].Status)
	require.Len(t, received, 3)
	assert.Equal(t, received[1], received[2], "a redelivery keeps the GUID")

	w.sim.Suspend(w.repo.Installation(), true)
	require.NoError(t, w.repo.ClosePull(w.number, "alice"))
	sent, err = w.sim.DeliverTo(ctx, hook.URL, "secret")
	require.NoError(t, err)
	assert.True(t, slices.ContainsFunc(sent, func(d githubsim.Delivery) bool { return d.Action == "suspend" }))
	assert.Len(t, sent, 1, "a suspended installation gets no events of its repositories")
}

func TestOutageLosesDeliveries(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	w.sim.Outage()
	sent, err := w.sim.DeliverTo(context.Background(), "http://127.0.0.1:1/", "secret")
	require.NoError(t, err)
	assert.Empty(t, sent)
	for _, d := range w.sim.Deliveries() {
		assert.True(t, d.Sent && d.Status == 0)
	}
}

func TestAutomaticDelivery(t *testing.T) {
	events := make(chan string, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		events <- r.Header.Get("X-GitHub-Event")
	}))
	defer hook.Close()
	w := newWorld(t, githubsim.Options{Events: []string{"issue_comment"}})
	w.sim.DeliverAutomatically(hook.URL, "secret")
	assert.Equal(t, "installation", <-events)
	_, err := w.repo.Comment(w.number, "alice", "hello")
	require.NoError(t, err)
	assert.Equal(t, "issue_comment", <-events)
}
