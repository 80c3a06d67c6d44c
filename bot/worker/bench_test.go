package worker_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/worker/fakerunner"
	"github.com/tilegate/tilegate/checks/job"
)

// BenchmarkWebhook posts signed deliveries of 20 kB over loopback; each is
// stored durably with its job before the answer.
func BenchmarkWebhook(b *testing.B) {
	body := append([]byte(`{"action":"labeled","x":"`), bytes.Repeat([]byte("a"), 20_000)...)
	body = append(body, `"}`...)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	signature := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	for _, connections := range []int{1, 8} {
		b.Run(fmt.Sprintf("connections=%d", connections), func(b *testing.B) {
			w := newWorld(b, func(c *config) { c.manual = true })
			var n atomic.Int64
			b.SetParallelism(connections)
			b.ResetTimer()
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					r, err := http.NewRequest(http.MethodPost, w.hook.URL+"/webhook", bytes.NewReader(body))
					if err != nil {
						b.Error(err)
						return
					}
					r.Header.Set("X-Hub-Signature-256", signature)
					r.Header.Set("X-GitHub-Event", "label")
					r.Header.Set("X-GitHub-Delivery", fmt.Sprintf("%d-%d", b.N, n.Add(1)))
					r.Header.Set("Content-Type", "application/json")
					answer, err := http.DefaultClient.Do(r)
					if err != nil {
						b.Error(err)
						return
					}
					answer.Body.Close()
					if answer.StatusCode != http.StatusAccepted {
						b.Errorf("status %d", answer.StatusCode)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
		})
	}
}

// BenchmarkPullRequest takes one pull request from its opening to its gate and
// counts the requests to GitHub.
func BenchmarkPullRequest(b *testing.B) {
	for _, kind := range []string{"clean", "bad"} {
		b.Run(kind, func(b *testing.B) {
			calls, writes := 0, 0
			for b.Loop() {
				w, g := gpuWorld(b)
				ch, want := w.harmless(), "success"
				if kind == "bad" {
					ch, want = w.planted(), "failure"
					g.Set(fakerunner.Only(job.Perf, fakerunner.Outcome{Ratio: 1.2}))
				}
				_, sha := w.open("writer", ch)
				w.becomes(sha, report.CheckGate, want)
				w.becomes(sha, report.CheckPerf, want)
				w.quiet()
				for _, c := range w.sim.Calls() {
					calls++
					if c.Method != http.MethodGet {
						writes++
					}
				}
				w.stop()
			}
			require.NotZero(b, calls)
			b.ReportMetric(float64(calls)/float64(b.N), "calls/PR")
			b.ReportMetric(float64(writes)/float64(b.N), "writes/PR")
		})
	}
}
