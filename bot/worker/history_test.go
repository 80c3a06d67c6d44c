package worker_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/bot/worker/fakerunner"
	"github.com/tilegate/tilegate/checks/history"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/perf"
)

// Every concluded perf verdict is kept for the history, bound to the commit and the
// card; a verdict that concludes nothing is not. Another process reads it beside
// the App.
func TestConcludedMeasurementsAreKept(t *testing.T) {
	w, g := gpuWorld(t)
	changed := func(to string) githubsim.Changes {
		return githubsim.Changes{kernelRS: w.edit(kernelRS, "n_cols + TILE - 1i32", to)}
	}
	_, green := w.open("writer", w.harmless())
	w.becomes(green, report.CheckGate, "success")
	w.quiet()

	g.Set(fakerunner.Only(job.Perf, fakerunner.Outcome{Ratio: 1.12}))
	slower := w.push("topic-writer", "writer", changed("(n_cols + TILE) - 1i32"))
	w.becomes(slower, report.CheckPerf, "failure")
	w.quiet()

	g.Set(fakerunner.Only(job.Perf, fakerunner.Outcome{Conclusion: "failure"}))
	failed := w.push("topic-writer", "writer", changed("n_cols + TILE - (1i32)"))
	w.becomes(failed, report.CheckGate, "failure")
	w.quiet()

	st, err := store.OpenReader(t.Context(), "sqlite:"+w.path)
	require.NoError(t, err)
	defer st.Close()
	all, err := st.Measurements(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 2)
	for i, sha := range []string{green, slower} {
		m := all[i]
		require.Equal(t, sha, m.Commit)
		require.Equal(t, "octo/TileGym", m.Repository)
		require.Equal(t, "row_sum", m.Kernel)
		require.Equal(t, "octo/TileGym#1", m.Source)
		require.Equal(t, g.Requests()[i].Dispatch, m.Dispatch)
		require.Equal(t, history.GPU{Class: "cpu", Name: "Test GPU", Driver: "580.1", Timing: "cupti"}, m.GPU)
		require.Equal(t, []string{"cutile-rs", "cutile"}, []string{m.Candidate, m.Reference})
		require.InDelta(t, []float64{1, 1.12}[i], *m.Ratio, 1e-9)
		require.Equal(t, []string{perf.Done, perf.Investigate}[i], m.Verdict)
		require.Equal(t, perf.DefaultThreshold, m.Threshold)
		require.NotEmpty(t, m.Configs)
		for _, c := range m.Configs {
			require.InDelta(t, *m.Ratio, *c.CandidateMS / *c.ReferenceMS, 1e-9)
		}
		require.WithinDuration(t, w.clk.now(), m.MeasuredAt, time.Hour)
	}
}
