package worker_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim/spec"
	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/worker/fakerunner"
	"github.com/tilegate/tilegate/checks/job"
)

// specDir is the folder with what GitHub publishes; the test is skipped without.
func specDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(spec.EnvDir)
	if dir == "" {
		t.Skipf("%s is not set: what GitHub publishes is not at hand (.ci/fetch-spec brings it)", spec.EnvDir)
	}
	return dir
}

// TestPublishedExamples posts every example payload that GitHub publishes. All
// of them are taken, none breaks the App, and it answers after them.
func TestPublishedExamples(t *testing.T) {
	dir := specDir(t)
	data, err := os.ReadFile(filepath.Join(dir, "node_modules/@octokit/webhooks-examples/api.github.com/index.json"))
	require.NoError(t, err)
	var events []struct {
		Name     string            `json:"name"`
		Examples []json.RawMessage `json:"examples"`
	}
	require.NoError(t, json.Unmarshal(data, &events))
	w := newWorld(t, func(c *config) { c.manual = true })
	sent := 0
	for _, e := range events {
		for _, payload := range e.Examples {
			d := w.sim.Emit(w.repo.Installation(), e.Name, payload)
			code, err := w.sim.Send(t.Context(), d, w.hook.URL+"/webhook", secret)
			require.NoError(t, err)
			require.Equal(t, 202, code, "%s: %.200s", e.Name, payload)
			sent++
		}
	}
	require.Greater(t, sent, 300)
	w.eventually("every delivery is handled", func() bool {
		open, err := w.st.OpenDeliveries(t.Context())
		require.NoError(t, err)
		return len(open) == 0
	})
	require.NoError(t, w.st.Ping(t.Context()))
}

// TestRequestsAgreeWithGitHubsDescription checks every request of whole
// conversations, and every answer, against GitHub's published description.
func TestRequestsAgreeWithGitHubsDescription(t *testing.T) {
	sp, err := spec.Load(specDir(t))
	require.NoError(t, err)
	w, g := gpuWorld(t, func(c *config) { c.transport = sp.RoundTripper(http.DefaultTransport) })
	g.Set(fakerunner.Only(job.Perf, fakerunner.Outcome{Ratio: 1.2}))
	n, sha := w.open("writer", w.planted())
	w.becomes(sha, report.CheckPerf, "failure")
	w.say(n, "writer", "/tilegym status")
	g.Hold(true)
	w.say(n, "writer", "/tilegym rerun all")
	w.eventually("a run waits", func() bool { return len(g.Waiting()) == 1 })
	sha = w.push("topic-writer", "writer", w.harmless())
	w.eventually("another one", func() bool { return len(g.Waiting()) == 2 })
	g.Set(nil)
	g.Work(g.Waiting()[1])
	w.becomes(sha, report.CheckGate, "success")
	g.Hold(false)
	group, err := w.repo.MergeGroup(n)
	require.NoError(t, err)
	w.becomes(group, report.CheckGate, "success")
	fork, _, forkSHA := w.forked()
	w.becomes(forkSHA, report.CheckGate, "action_required")
	w.say(fork, "maya", "/tilegym ok-to-test "+forkSHA)
	w.becomes(forkSHA, report.CheckGate, "success")
	w.app.Sweep()
	w.quiet()
	require.Empty(t, sp.Problems())
	t.Log(sp.Seen())
}
