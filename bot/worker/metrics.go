package worker

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/job"
)

// metrics are what an operator watches.
type metrics struct {
	writes    *prometheus.CounterVec
	looks     *prometheus.HistogramVec
	verdicts  *prometheus.CounterVec
	gpuJobs   prometheus.Counter
	gpuSecond prometheus.Counter

	sweepFailures *prometheus.CounterVec
	swept         prometheus.Gauge
}

func newMetrics(r *prometheus.Registry, s *store.Store) metrics {
	m := metrics{
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tilegate_github_writes_total", Help: "Requests that write to GitHub, by kind and result.",
		}, []string{"kind", "result"}),
		looks: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tilegate_look_seconds", Help: "Duration of looks at a pull request, by result.", Buckets: prometheus.ExponentialBuckets(0.01, 3, 9),
		}, []string{"result"}),
		verdicts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tilegate_verdicts_total", Help: "Verdicts of GPU jobs, by stage and outcome.",
		}, []string{"stage", "outcome"}),
		gpuJobs: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tilegate_dispatches_total", Help: "Requests sent to GPU runners.",
		}),
		gpuSecond: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tilegate_runner_seconds_total", Help: "Time that jobs of dispatched runs took on runners.",
		}),
		sweepFailures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tilegate_sweep_failures_total", Help: "Parts of sweeps that failed, by part.",
		}, []string{"part"}),
		swept: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tilegate_sweep_success_timestamp_seconds", Help: "End of the last sweep of which no part failed, 0 before the first.",
		}),
	}
	m.begin()
	open := func(states ...store.WriteState) func() float64 {
		return func() float64 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			counts, err := s.CountWrites(ctx)
			if err != nil {
				return -1
			}
			var n int64
			for _, state := range states {
				n += counts[state]
			}
			return float64(n)
		}
	}
	r.MustRegister(m.writes, m.looks, m.verdicts, m.gpuJobs, m.gpuSecond, m.sweepFailures, m.swept,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "tilegate_outbox_open", Help: "Writes that GitHub has not confirmed."}, open(store.WriteQueued, store.WriteSending)),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "tilegate_outbox_failed", Help: "Writes that GitHub refused."}, open(store.WriteFailed)),
	)
	return m
}

// begin makes the series that alarms and sums are on: one that is not there before
// it first counts tells nothing, and its first step is lost.
func (m metrics) begin() {
	for _, result := range []string{lookDone, lookFailed} {
		m.looks.WithLabelValues(result)
	}
	for _, part := range []sweepPart{sweepDatabase, sweepDeliveries, sweepInstallations, sweepRepository} {
		m.sweepFailures.WithLabelValues(string(part))
	}
	verdicts := map[job.Stage][]gate.Verdict{
		job.Build: {gate.Pass, gate.Fail}, job.Correctness: {gate.AllPass, gate.Fail}, job.Perf: {gate.PerfDone, gate.Investigate},
	}
	for stage, own := range verdicts {
		for _, outcome := range append(own, gate.Blocked, outcomeInfra, outcomeCancelled, outcomeTimedOut, outcomeMissing) {
			m.verdicts.WithLabelValues(string(stage), string(outcome))
		}
	}
}
