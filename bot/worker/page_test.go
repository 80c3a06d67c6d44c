package worker_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/worker/fakerunner"
	"github.com/tilegate/tilegate/checks/job"
)

func TestRunPageShowsTheDispatch(t *testing.T) {
	w, g := gpuWorld(t, func(c *config) {
		c.app.PageURL = func(id string) string { return "https://gate.example/runs/" + id + "?k=" + tokens.Token(id) }
	})
	g.Set(func(_ job.Request, s job.Stage, _ string) fakerunner.Outcome {
		if s == job.Correctness {
			return fakerunner.Outcome{Conclusion: "failure", Failing: 1}
		}
		return fakerunner.Outcome{}
	})
	_, sha := w.open("writer", w.harmless())
	c := w.becomes(sha, report.CheckCorrectness, "failure")
	id := g.Requests()[0].Dispatch
	require.Equal(t, "https://gate.example/runs/"+id+"?k="+tokens.Token(id), c.DetailsURL)

	get := func(path string) (*http.Response, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.hook.URL+path, nil)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		data, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer, string(data)
	}
	answer, page := get("/runs/" + id + "?k=" + tokens.Token(id))
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Contains(t, answer.Header.Get("Content-Security-Policy"), "default-src 'none'")
	for _, want := range []string{id, "octo/TileGym#1", "correctness of row_sum: FAIL", "build of row_sum: PASS", "test_op[cutile_rs-64-torch.float32]", "gpu-1"} {
		require.Contains(t, page, want)
	}
	require.NotContains(t, page, "<img")
	answer, _ = get("/runs/" + id)
	require.Equal(t, http.StatusNotFound, answer.StatusCode)
}
