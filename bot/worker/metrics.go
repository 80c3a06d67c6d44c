package worker

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tilegate/tilegate/bot/store"
)

// metrics are what an operator watches.
type metrics struct {
	writes    *prometheus.CounterVec
	looks     *prometheus.HistogramVec
	verdicts  *prometheus.CounterVec
	gpuJobs   prometheus.Counter
	gpuSecond prometheus.Counter
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
	}
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
	r.MustRegister(m.writes, m.looks, m.verdicts, m.gpuJobs, m.gpuSecond,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "tilegate_outbox_open", Help: "Writes that GitHub has not confirmed."}, open(store.WriteQueued, store.WriteSending)),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "tilegate_outbox_failed", Help: "Writes that GitHub refused."}, open(store.WriteFailed)),
	)
	return m
}
