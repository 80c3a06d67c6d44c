package worker_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/worker/fakerunner"
)

// say lets someone comment and waits until the App has nothing left to do.
func (w *world) say(n int, login, body string) int64 {
	w.t.Helper()
	id, err := w.repo.Comment(n, login, body)
	require.NoError(w.t, err)
	w.quiet()
	return id
}

// reactions of a comment.
func (w *world) reactions(n int, id int64) []string {
	for _, c := range w.repo.Comments(n) {
		if c.ID == id {
			return c.Reactions
		}
	}
	return nil
}

// own are the App's comments, without the summary.
func (w *world) own(n int) []string {
	var out []string
	for _, c := range w.repo.Comments(n) {
		if c.Author == w.sim.BotLogin() && !strings.Contains(c.Body, report.StickyMarker) {
			out = append(out, c.Body)
		}
	}
	return out
}

func TestRerunAndReactions(t *testing.T) {
	w, g := gpuWorld(t)
	n, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "success")
	id := w.say(n, "writer", "/tilegym rerun perf row_sum --rounds 3")
	require.Equal(t, []string{"eyes", "rocket"}, w.reactions(n, id))
	w.dispatched(g, 2)
	require.Equal(t, 3, g.Requests()[1].Rounds.Min)
	require.Equal(t, 1.05, g.Requests()[1].Threshold, "the limit of the configuration, for the plan of the rounds")
	require.Equal(t, "success", w.concluded(sha, report.CheckGate).Conclusion)

	id = w.say(n, "writer", "/tilegym rerun perf nothing")
	require.Equal(t, []string{"eyes", "confused"}, w.reactions(n, id))
	require.Contains(t, w.own(n)[0], "there are `row_sum`")
	w.dispatched(g, 2)
}

// TestFieldReport46 : an edit or a deletion never runs anything.
func TestFieldReport46(t *testing.T) {
	w, g := gpuWorld(t)
	n, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "success")
	id := w.say(n, "writer", "/tilegym run all\n\nteh text")
	w.dispatched(g, 2)
	require.NoError(t, w.repo.EditComment(id, "writer", "/tilegym run all\n\nthe text"))
	require.NoError(t, w.repo.EditComment(id, "writer", "/tilegym run all\n\nthe text."))
	w.quiet()
	require.NoError(t, w.repo.DeleteComment(id, "writer"))
	w.quiet()
	w.dispatched(g, 2)
}

// TestFieldReport47And48And53 : only what is written as a command is one.
func TestFieldReport47And48And53(t *testing.T) {
	w, g := gpuWorld(t)
	n, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "success")
	for _, body := range []string{
		"> /tilegym run all\n\nI would not.", ">> /tilegym run all", "```\n/tilegym run all\n```", "~~~\n/tilegym run all\n~~~",
		"try `/tilegym run all`", "you can say /tilegym run all", "| a |\n| --- |\n| /tilegym run all |", "<!-- /tilegym run all -->",
	} {
		w.say(n, "writer", body)
	}
	w.dispatched(g, 1)
	w.say(n, "writer", "> /tilegym run build\n\n/tilegym run all row_sum  \t\r\n\r\n")
	w.dispatched(g, 2)
	require.Len(t, g.Requests()[1].Stages, 3)
}

// TestFieldReport50 : bots get no answer, and an unknown command gets one.
func TestFieldReport50(t *testing.T) {
	w, g := gpuWorld(t)
	n, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "success")
	w.say(n, "writer", "/tilegym frobnicate")
	require.Len(t, w.own(n), 1)
	reply := w.own(n)[0]
	w.say(n, "other[bot]", reply+"\n/tilegym run all")
	w.say(n, w.sim.BotLogin(), "/tilegym run all")
	require.Len(t, w.own(n), 2, "the one reply and the App's own comment above")
	w.dispatched(g, 1)
}

// TestFieldReport52 : carriage returns do not stick to arguments.
func TestFieldReport52(t *testing.T) {
	w, g := gpuWorld(t)
	n, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "success")
	w.say(n, "writer", "/tilegym run build row_sum\r\n/tilegym run perf row_sum\r\n")
	w.dispatched(g, 3)
	for _, r := range g.Requests()[1:] {
		require.Equal(t, []string{"row_sum"}, r.Kernels)
	}
}

// TestFieldReport55 : the permission API decides, and silence is a refusal.
func TestFieldReport55(t *testing.T) {
	w, g := gpuWorld(t)
	w.repo.SetPermission("reader", "read")
	n, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "success")
	id := w.say(n, "reader", "/tilegym run all")
	require.Equal(t, []string{"eyes", "confused"}, w.reactions(n, id))
	w.dispatched(g, 1)

	w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
		if strings.HasSuffix(c.Path, "/permission") {
			return githubsim.Refuse(http.StatusInternalServerError, "broken")
		}
		return githubsim.Action{}
	})
	id = w.say(n, "maya", "/tilegym run all")
	w.sim.Intercept(nil)
	require.Equal(t, []string{"eyes", "confused"}, w.reactions(n, id))
	w.dispatched(g, 1)
	last := w.own(n)[len(w.own(n))-1]
	require.Contains(t, strings.ToLower(last), "again")
}

// TestFieldReport57 : closed pull requests and plain issues are left alone.
func TestFieldReport57(t *testing.T) {
	w, g := gpuWorld(t)
	n, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "success")
	require.NoError(t, w.repo.ClosePull(n, "writer"))
	w.quiet()
	w.say(n, "maya", "/tilegym run all")
	require.Len(t, w.own(n), 1)
	issue := w.repo.OpenIssue("writer", "Question", "text")
	w.say(issue, "maya", "/tilegym run all")
	require.Empty(t, w.own(issue))
	w.repo.Lock(n, true)
	w.say(n, "maya", "/tilegym run all")
	w.dispatched(g, 1)
}

// forked opens a pull request from a fork by someone without rights.
func (w *world) forked() (n int, fork *githubsim.Repo, sha string) {
	w.t.Helper()
	fork, err := w.repo.Fork("stranger")
	require.NoError(w.t, err)
	require.NoError(w.t, fork.CreateBranch("topic", "main"))
	sha, err = fork.Commit("topic", "stranger", "change", w.harmless())
	require.NoError(w.t, err)
	n, err = w.repo.OpenPull(githubsim.PullOptions{Title: "Change", Author: "stranger", Head: fork, Branch: "topic"})
	require.NoError(w.t, err)
	return n, fork, sha
}

// TestForkWaitsForApproval also is field-report 21: the run of a fork's pull
// request finds its way without GitHub's list of pull requests.
func TestForkWaitsForApproval(t *testing.T) {
	w, g := gpuWorld(t)
	n, _, sha := w.forked()
	gate := w.becomes(sha, report.CheckGate, "action_required")
	require.Contains(t, gate.Summary, "/tilegym ok-to-test "+sha)
	w.quiet()
	require.Empty(t, g.Requests())
	w.say(n, "writer", "/tilegym ok-to-test "+sha)
	require.Empty(t, g.Requests(), "write access is not enough")
	w.say(n, "maya", "/tilegym ok-to-test "+sha)
	w.becomes(sha, report.CheckGate, "success")
	w.dispatched(g, 1)
}

// TestFieldReport59 : what was pushed after the approval is never run by it.
func TestFieldReport59(t *testing.T) {
	w, g := gpuWorld(t)
	n, fork, sha1 := w.forked()
	w.becomes(sha1, report.CheckGate, "action_required")
	w.quiet()
	// The head moves between the comment and the App's look.
	var once bool
	var sha2 string
	w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
		if !once && strings.HasSuffix(c.Path, "/pulls/1") {
			once = true
			var err error
			sha2, err = fork.Commit("topic", "stranger", "worse", githubsim.Changes{kernelRS: w.edit(kernelRS, "n_cols + TILE - 1i32", "(n_cols + TILE) - 1i32")})
			if err != nil {
				panic(err)
			}
		}
		return githubsim.Action{}
	})
	id := w.say(n, "maya", "/tilegym ok-to-test "+sha1)
	w.sim.Intercept(nil)
	require.NotEmpty(t, sha2)
	for _, r := range g.Requests() {
		require.NotEqual(t, sha2, r.HeadSHA)
	}
	require.Equal(t, []string{"eyes", "confused"}, w.reactions(n, id))
	require.Contains(t, w.own(n)[0], sha2[:7])
	w.becomes(sha2, report.CheckGate, "action_required")
}

func TestHelpStatusExplainCancel(t *testing.T) {
	w, g := gpuWorld(t)
	w.repo.SetPermission("reader", "read")
	g.Hold(true)
	n, sha := w.open("writer", w.harmless())
	w.eventually("dispatched", func() bool { return len(g.Waiting()) == 1 })
	w.quiet()
	w.say(n, "reader", "/tilegym help")
	w.say(n, "reader", "/tilegym status")
	w.say(n, "reader", "/tilegym explain R6")
	replies := w.own(n)
	require.Len(t, replies, 3)
	require.Contains(t, replies[0], "ok-to-test")
	require.Contains(t, replies[1], "row\\_sum")
	require.Contains(t, replies[2], "No arithmetic in type and shape positions")
	w.say(n, "writer", "/tilegym cancel")
	run := g.Waiting()[0]
	w.eventually("cancelled", func() bool { _, c := run.Status(); return c == "cancelled" })
	gate := w.becomes(sha, report.CheckGate, "action_required")
	require.Contains(t, gate.Title, "Cancelled by a command")
	w.quiet()
	w.dispatched(g, 1)
	g.Hold(false)
	w.say(n, "writer", "/tilegym run")
	w.becomes(sha, report.CheckGate, "success")
}

func TestButtonRerunsPerf(t *testing.T) {
	w, g := gpuWorld(t)
	g.Set(fakerunner.Only("perf", fakerunner.Outcome{Ratio: 1.2}))
	_, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "failure")
	perf := w.becomes(sha, report.CheckPerf, "failure")
	require.NotEmpty(t, perf.Actions)
	g.Set(nil)
	require.NoError(t, w.repo.RequestAction(perf.ID, perf.Actions[0].Identifier, "writer"))
	w.becomes(sha, report.CheckGate, "success")
	w.quiet()
	w.dispatched(g, 2)
}

func TestRuleWaiverOpensTheRules(t *testing.T) {
	w, _ := gpuWorld(t)
	n, sha := w.open("writer", w.planted())
	w.becomes(sha, report.CheckRules, "failure")
	w.say(n, "maya", "/tilegym waive R6 elsewhere.rs it is fine")
	require.Contains(t, w.own(n)[0], "kernel.rs")
	w.say(n, "maya", "/tilegym waive R6 "+kernelRS+" until 2030-01-01 it is fine")
	w.becomes(sha, report.CheckRules, "success")
	w.becomes(sha, report.CheckGate, "success")
	encoded, err := json.Marshal(w.tree(n))
	require.NoError(t, err)
	require.Contains(t, string(encoded), "waived by maya")
}
