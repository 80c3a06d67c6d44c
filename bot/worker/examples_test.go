package worker_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPublishedExamples posts every example payload that GitHub publishes. All
// of them are taken, none breaks the App, and it answers after them.
func TestPublishedExamples(t *testing.T) {
	dir := os.Getenv("TILEGATE_GITHUB_SPEC_DIR")
	if dir == "" {
		t.Skip("TILEGATE_GITHUB_SPEC_DIR is not set: it names the folder with node_modules/@octokit/webhooks-examples")
	}
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
