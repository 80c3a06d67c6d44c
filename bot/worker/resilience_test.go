package worker_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/worker/fakerunner"
)

// writeRoutes are the requests by which the App changes GitHub.
var writeRoutes = []string{"/check-runs", "/reviews", "/comments", "/reactions", "/dispatches"}

func isWrite(c *githubsim.Call) bool {
	if c.Method == http.MethodGet {
		return false
	}
	for _, r := range writeRoutes {
		if strings.Contains(c.Path, r) {
			return true
		}
	}
	return false
}

// assertOnce checks that nothing exists twice on GitHub.
func (w *world) assertOnce(n int, sha string) {
	w.t.Helper()
	p, err := w.repo.Pull(n)
	require.NoError(w.t, err)
	seen := map[string]int{}
	for _, c := range w.repo.Checks(sha) {
		seen["check "+c.Name+" "+c.ExternalID]++
		for _, a := range c.Annotations {
			seen[fmt.Sprintf("annotation %s %s:%d %s", c.Name, a.Path, a.StartLine, a.Title)]++
		}
	}
	for _, c := range p.ReviewComments {
		seen["review comment "+c.Body]++
	}
	for _, c := range w.repo.Comments(n) {
		if c.Author == w.sim.BotLogin() {
			seen["comment "+c.Body]++
		}
		for _, r := range c.Reactions {
			seen[fmt.Sprintf("reaction %d %s", c.ID, r)]++
		}
	}
	for _, r := range w.sim.Runs() {
		seen["run "+r.Title]++
	}
	for what, count := range seen {
		require.Equal(w.t, 1, count, what)
	}
	require.LessOrEqual(w.t, len(p.Reviews), 1)
}

// TestLostAnswers : each write is cut off once before and once after GitHub
// applied it. The final state is the same, and nothing exists twice.
func TestLostAnswers(t *testing.T) {
	for name, action := range map[string]githubsim.Action{
		"not applied": {Drop: true}, "applied without an answer": {DropAnswer: true},
		"refused with 502": githubsim.Refuse(http.StatusBadGateway, "bad gateway"),
	} {
		t.Run(name, func(t *testing.T) {
			w, g := gpuWorld(t)
			g.Set(fakerunner.Only("perf", fakerunner.Outcome{Ratio: 1.3}))
			var mu sync.Mutex
			seen := map[string]bool{}
			w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
				if !isWrite(c) {
					return githubsim.Action{}
				}
				var body struct {
					Name       string
					Conclusion string
					Content    string
				}
				_ = json.Unmarshal(c.Body, &body) // only tells the writes apart
				key := c.Route + " " + body.Name + body.Conclusion + body.Content
				mu.Lock()
				defer mu.Unlock()
				if seen[key] {
					return githubsim.Action{}
				}
				seen[key] = true
				return action
			})
			n, sha := w.open("writer", w.planted())
			w.becomes(sha, report.CheckGate, "failure")
			_, err := w.repo.Comment(n, "writer", "/tilegym status")
			require.NoError(t, err)
			w.becomes(sha, report.CheckPerf, "failure")
			w.quiet()
			require.Greater(t, len(seen), 8)
			w.dispatched(g, 1)
			w.assertOnce(n, sha)
		})
	}
}

// TestFieldReport41 : a finding is commented once over pushes and restarts, and
// says so when it is gone.
func TestFieldReport41(t *testing.T) {
	w, _ := gpuWorld(t)
	n, sha := w.open("writer", w.planted())
	w.becomes(sha, report.CheckRules, "failure")
	w.quiet()
	planted := w.planted()[kernelRS]
	for i := range 2 {
		if i == 1 {
			w.restart()
		}
		text := strings.Repeat("// A line above.\n", i+1) + string(planted.Data)
		var err error
		sha, err = w.repo.ForcePush("topic-writer", "main", "writer", "again", githubsim.Changes{kernelRS: githubsim.Text(text)})
		require.NoError(t, err)
		w.becomes(sha, report.CheckRules, "failure")
		w.quiet()
	}
	p, err := w.repo.Pull(n)
	require.NoError(t, err)
	require.Len(t, p.ReviewComments, 1)
	require.Len(t, w.repo.Comments(n), 1)

	sha = w.push("topic-writer", "writer", w.harmless())
	w.becomes(sha, report.CheckRules, "success")
	w.quiet()
	p, err = w.repo.Pull(n)
	require.NoError(t, err)
	require.Len(t, p.ReviewComments, 1)
	require.Contains(t, p.ReviewComments[0].Body, "Fixed in `"+sha[:7]+"`")
}

// restart stops the App and starts another one on the same database.
func (w *world) restart(changes ...change) {
	w.t.Helper()
	w.stop()
	c := config{}
	for _, change := range changes {
		change(&c)
	}
	w.start(c)
}

// TestForgottenMemory : an App with an empty database repeats no comment.
func TestForgottenMemory(t *testing.T) {
	w, _ := gpuWorld(t)
	n, sha := w.open("writer", w.planted())
	w.becomes(sha, report.CheckRules, "failure")
	w.quiet()
	w.stop()
	w.path += ".new"
	w.start(config{})
	w.eventually("the sweep found the pull request", func() bool {
		_, err := w.st.Target(t.Context(), w.repo.FullName()+"#1")
		return err == nil
	})
	w.quiet()
	p, err := w.repo.Pull(n)
	require.NoError(t, err)
	require.Len(t, p.ReviewComments, 1)
	require.Len(t, w.repo.Comments(n), 1)
}

// TestFieldReport12 : what happened while the App was down is made up for.
func TestFieldReport12(t *testing.T) {
	w, g := gpuWorld(t)
	g.Hold(true)
	_, sha1 := w.open("writer", w.harmless())
	w.eventually("dispatched", func() bool { return len(g.Waiting()) == 1 })
	w.quiet()
	w.stop()
	g.Work(g.Waiting()[0])
	id, err := w.repo.Comment(1, "writer", "/tilegym explain R6")
	require.NoError(t, err)
	g.Hold(false)
	_, sha2 := w.open("maya", githubsim.Changes{kernelRS: w.edit(kernelRS, "n_cols + TILE - 1i32", "(n_cols + TILE) - 1i32")})
	w.outage()
	w.start(config{})
	w.becomes(sha1, report.CheckGate, "success")
	w.becomes(sha2, report.CheckGate, "success")
	w.eventually("the command of that time is answered", func() bool { return len(w.reactions(1, id)) == 2 })
	w.dispatched(g, 2)
}

// TestFieldReport4 : one suspended installation does not hold up another.
func TestFieldReport4(t *testing.T) {
	w, _ := gpuWorld(t)
	other, err := w.sim.CreateRepo("beta", "TileGym", mini(t))
	require.NoError(t, err)
	suspended := w.repo.Installation()
	w.sim.Suspend(suspended, true)
	w.sim.ForgetCalls()
	w.open("writer", w.harmless())
	require.NoError(t, other.CreateBranch("topic", "main"))
	sha, err := other.Commit("topic", "beta", "change", w.harmless())
	require.NoError(t, err)
	_, err = other.OpenPull(githubsim.PullOptions{Title: "Change", Branch: "topic"})
	require.NoError(t, err)
	w.eventually("the other repository is green", func() bool {
		for _, c := range other.Checks(sha) {
			if c.Name == report.CheckGate && c.Conclusion == "success" {
				return true
			}
		}
		return false
	})
	tokens := 0
	for _, c := range w.sim.Calls() {
		if strings.HasSuffix(c.Path, fmt.Sprintf("/installations/%d/access_tokens", suspended)) {
			tokens++
		}
	}
	require.LessOrEqual(t, tokens, 2)
	w.sim.Suspend(suspended, false)
	w.becomes(w.repo.Head("topic-writer"), report.CheckGate, "success")
}

// TestFieldReport3 : a token that ended during a long run is made anew.
func TestFieldReport3(t *testing.T) {
	w, g := gpuWorld(t)
	g.Hold(true)
	_, sha := w.open("writer", w.harmless())
	w.eventually("dispatched", func() bool { return len(g.Waiting()) == 1 })
	w.quiet()
	w.advance(75 * time.Minute)
	g.Work(g.Waiting()[0])
	w.becomes(sha, report.CheckGate, "success")
	w.quiet()
	for _, c := range w.sim.Calls() {
		require.NotEqual(t, http.StatusUnauthorized, c.Status, c.Path)
	}
}

// TestFieldReport10 : a slow GitHub does not slow the webhook down.
func TestFieldReport10(t *testing.T) {
	w := newWorld(t, func(c *config) { c.manual = true })
	var slow atomic.Bool
	slow.Store(true)
	w.sim.Intercept(func(*githubsim.Call) githubsim.Action {
		if slow.Load() {
			return githubsim.Action{Delay: 300 * time.Millisecond}
		}
		return githubsim.Action{}
	})
	_, sha := w.open("writer", w.planted())
	_, err := w.sim.DeliverTo(t.Context(), w.hook.URL+"/webhook", secret)
	require.NoError(t, err)
	_, known := w.check(sha, report.CheckGate)
	require.False(t, known, "the answer came before the work")
	slow.Store(false)
	w.concluded(sha, report.CheckGate)
}

// TestFieldReport14 : a secondary limit without a header stops everything for a
// minute; a plain refusal is not repeated.
func TestFieldReport14(t *testing.T) {
	w, g := gpuWorld(t)
	g.Set(fakerunner.Only("build", fakerunner.Outcome{Conclusion: "failure"}))
	var limited atomic.Bool
	w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
		if c.Method == http.MethodPatch && strings.Contains(string(c.Body), `"conclusion":"failure"`) && limited.CompareAndSwap(false, true) {
			return githubsim.SecondaryLimit(0)
		}
		return githubsim.Action{}
	})
	_, sha := w.open("writer", w.harmless())
	w.eventually("limited", func() bool { return limited.Load() })
	before := 0
	w.eventually("still", func() bool {
		calls := len(w.sim.Calls())
		same := calls == before
		before = calls
		return same
	})
	w.advance(58 * time.Second)
	require.Len(t, w.sim.Calls(), before, "no call within a minute")
	w.advance(5 * time.Second)
	w.becomes(sha, report.CheckGate, "failure")
	w.quiet()

	w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
		if strings.Contains(c.Path, "/reactions") {
			return githubsim.Refuse(http.StatusForbidden, "Resource not accessible by integration")
		}
		return githubsim.Action{}
	})
	w.sim.ForgetCalls()
	w.say(1, "writer", "/tilegym status")
	w.sim.Intercept(nil)
	tries := map[string]int{}
	for _, c := range w.sim.Calls() {
		if strings.Contains(c.Path, "/reactions") {
			tries[string(c.Body)]++
		}
	}
	for body, n := range tries {
		require.Equal(t, 1, n, body)
	}
}

// TestFieldReport13 : a fetch that fails blames nobody and never passes.
func TestFieldReport13(t *testing.T) {
	configFails := func(w *world, times int, then int) {
		var n atomic.Int32
		w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
			if strings.Contains(c.Path, "tilegym.yml") {
				if int(n.Add(1)) <= times {
					return githubsim.Refuse(http.StatusBadGateway, "bad gateway")
				}
				if then != 0 {
					return githubsim.Refuse(then, "Not Found")
				}
			}
			return githubsim.Action{}
		})
	}
	t.Run("never opted in", func(t *testing.T) {
		plain := mini(t)
		for p := range plain {
			if strings.HasPrefix(p, "src/") || strings.HasPrefix(p, ".github/tilegym") {
				delete(plain, p)
			}
		}
		w := newWorld(t, func(c *config) { c.repo = plain })
		configFails(w, 3, http.StatusNotFound)
		_, sha := w.open("writer", githubsim.Changes{"README.md": githubsim.Text("x")})
		for range 4 {
			w.quiet()
			w.advance(10 * time.Second)
		}
		w.quiet()
		require.Empty(t, w.repo.Checks(sha))
	})
	t.Run("recovers", func(t *testing.T) {
		w, _ := gpuWorld(t)
		configFails(w, 1, 0)
		_, sha := w.open("writer", w.harmless())
		w.quiet()
		w.advance(10 * time.Second)
		w.becomes(sha, report.CheckGate, "success")
	})
	t.Run("for ever", func(t *testing.T) {
		w, _ := gpuWorld(t)
		_, first := w.open("maya", w.harmless())
		w.becomes(first, report.CheckGate, "success")
		w.quiet()
		configFails(w, 1<<30, 0)
		_, sha := w.open("writer", githubsim.Changes{kernelRS: w.edit(kernelRS, "n_cols + TILE - 1i32", "(n_cols + TILE) - 1i32")})
		var gate githubsim.CheckState
		w.eventually("told", func() bool {
			w.advance(time.Minute)
			gate, _ = w.check(sha, report.CheckGate)
			return gate.Conclusion == "action_required"
		})
		require.Contains(t, gate.Title, ".github/tilegym.yml")
		require.Contains(t, gate.Title, "not at fault")
	})
}
