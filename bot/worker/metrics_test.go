package worker_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/bot/worker"
)

// values are the counters and gauges of a registry by name and label values.
func values(t *testing.T, r *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := r.Gather()
	require.NoError(t, err)
	found := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			key := f.GetName()
			for _, l := range m.GetLabel() {
				key += " " + l.GetValue()
			}
			found[key] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return found
}

// An alarm on a series that does not exist is silent, so all that docs/serve.md names
// are there before anything has happened.
func TestMetricsExistFromTheStart(t *testing.T) {
	registry := prometheus.NewRegistry()
	newWorld(t, func(c *config) { c.app.Registry = registry })
	found := values(t, registry)
	for _, key := range []string{
		"tilegate_outbox_open", "tilegate_outbox_failed", "tilegate_look_seconds failed", "tilegate_look_seconds done",
		"tilegate_dispatches_total", "tilegate_runner_seconds_total",
		"tilegate_verdicts_total PASS build", "tilegate_verdicts_total FAIL correctness", "tilegate_verdicts_total INVESTIGATE perf", "tilegate_verdicts_total MISSING_EVIDENCE perf",
		"tilegate_sweep_failures_total database", "tilegate_sweep_failures_total deliveries", "tilegate_sweep_failures_total installations", "tilegate_sweep_failures_total repository",
	} {
		n, ok := found[key]
		require.True(t, ok, "%s in %v", key, found)
		require.Zero(t, n, key)
	}
	require.Contains(t, found, "tilegate_sweep_success_timestamp_seconds")
}

// That GitHub cannot be asked shows though nothing waits to be written, and so does
// that it can be asked again.
func TestFailedSweepsAreCounted(t *testing.T) {
	registry := prometheus.NewRegistry()
	const everything, lists = "/", "/pulls"
	var broken atomic.Value
	broken.Store(everything)
	w := newWorld(t, func(c *config) { c.noApp = true })
	w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
		if part := broken.Load().(string); part != "" && strings.Contains(c.Path, part) {
			return githubsim.Refuse(http.StatusUnauthorized, "Bad credentials")
		}
		return githubsim.Action{}
	})
	w.start(config{app: worker.Options{Registry: registry}})
	value := func(key string) float64 { return values(t, registry)[key] }
	w.eventually("the first sweep fails", func() bool {
		return value("tilegate_sweep_failures_total installations") == 1
	})
	require.Equal(t, 1.0, value("tilegate_sweep_failures_total deliveries"))
	require.Zero(t, value("tilegate_sweep_success_timestamp_seconds"))

	broken.Store(lists)
	w.app.Sweep()
	w.eventually("one repository cannot be read", func() bool {
		return value("tilegate_sweep_failures_total repository") == 1
	})
	require.Zero(t, value("tilegate_sweep_success_timestamp_seconds"), "a part of it failed")

	broken.Store("")
	before := w.clk.now().Truncate(time.Second)
	w.app.Sweep()
	w.eventually("a good sweep", func() bool { return value("tilegate_sweep_success_timestamp_seconds") > 0 })
	require.GreaterOrEqual(t, value("tilegate_sweep_success_timestamp_seconds"), float64(before.Unix()))
	require.Equal(t, 1.0, value("tilegate_sweep_failures_total installations"))
	require.Equal(t, 1.0, value("tilegate_sweep_failures_total repository"))
}
