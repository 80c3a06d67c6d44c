package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
	botreport "github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/worker/fakerunner"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/testdata"
)

const (
	killSecret  = "webhook secret"
	killKernel  = "src/tilegym/ops/cutile_rs/row_sum_kernel/kernel.rs"
	killTimeout = 90 * time.Second
)

// keeper runs `tilegate serve` as a process and starts it again whenever it
// ends, on the same database.
type keeper struct {
	t   *testing.T
	env []string

	mu      sync.Mutex
	cmd     *exec.Cmd
	address string
	up      chan struct{} // closed when address is set
	gone    chan struct{} // closed when cmd has ended
	done    bool
	started time.Time
	log     bytes.Buffer
}

// start starts the process; the binary of the test is the command itself.
func (k *keeper) start() {
	self, err := os.Executable()
	require.NoError(k.t, err)
	cmd := exec.Command(self, "serve")
	cmd.Args[0] = "tilegate"
	cmd.Env = k.env
	stderr, err := cmd.StderrPipe()
	require.NoError(k.t, err)
	require.NoError(k.t, cmd.Start())
	k.cmd, k.up, k.gone, k.started = cmd, make(chan struct{}), make(chan struct{}), time.Now()
	go k.watch(cmd, stderr, k.up, k.gone)
}

// watch reads the log for the address, and starts a new process at its end.
func (k *keeper) watch(cmd *exec.Cmd, stderr io.Reader, up, gone chan struct{}) {
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct{ Msg, Address string }
		k.mu.Lock()
		k.log.Write(append(lines.Bytes(), '\n'))
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
			k.address = line.Address
			close(up)
		}
		k.mu.Unlock()
	}
	_ = cmd.Wait() // it was killed
	k.mu.Lock()
	defer k.mu.Unlock()
	close(gone)
	if !k.done {
		k.start()
	}
}

// kill ends the process without warning and waits until it is gone.
func (k *keeper) kill() {
	k.mu.Lock()
	cmd, gone := k.cmd, k.gone
	k.mu.Unlock()
	_ = cmd.Process.Kill()
	<-gone
}

// stop ends the process for good.
func (k *keeper) stop() {
	k.mu.Lock()
	k.done = true
	k.mu.Unlock()
	k.kill()
}

// forward hands a webhook request to the process, again until one answers.
func (k *keeper) forward(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	require.NoError(k.t, err)
	for {
		k.mu.Lock()
		up, gone, done := k.up, k.gone, k.done
		k.mu.Unlock()
		if done {
			return
		}
		select {
		case <-up:
		case <-gone:
			continue
		}
		k.mu.Lock()
		address := k.address
		k.mu.Unlock()
		again, err := http.NewRequestWithContext(context.Background(), r.Method, "http://"+address+r.URL.Path, bytes.NewReader(body))
		require.NoError(k.t, err)
		again.Header = r.Header
		answer, err := http.DefaultClient.Do(again)
		if err != nil {
			<-gone // it died under the request
			continue
		}
		answer.Body.Close()
		w.WriteHeader(answer.StatusCode)
		return
	}
}

// killWorld is a GitHub whose App is a process.
type killWorld struct {
	t    *testing.T
	sim  *githubsim.Sim
	repo *githubsim.Repo
	k    *keeper
	gpu  *fakerunner.Runner
}

func newKillWorld(t *testing.T) *killWorld {
	t.Helper()
	dir := t.TempDir()
	w := &killWorld{t: t, gpu: &fakerunner.Runner{}}
	w.sim = githubsim.New(githubsim.Options{OnDispatch: w.gpu.Dispatched})
	require.NoError(t, w.sim.Start())
	sub, err := fs.Sub(testdata.TilegymMini, "tilegym-mini")
	require.NoError(t, err)
	tree := fstest.MapFS{".github/workflows/tilegym-gate.yml": {Data: []byte("run-name: tilegate ${{ inputs.dispatch }}\non:\n  workflow_dispatch:\n    inputs:\n      request: {required: true, type: string}\n      dispatch: {required: true, type: string}\njobs: {}\n")}}
	require.NoError(t, fs.WalkDir(sub, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(sub, p)
		tree[p] = &fstest.MapFile{Data: data}
		return err
	}))
	w.repo, err = w.sim.CreateRepo("octo", "TileGym", tree)
	require.NoError(t, err)
	w.repo.SetPermission("writer", "write")
	key := filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(key, w.sim.PrivateKeyPEM(), 0o600))
	w.k = &keeper{t: t, env: []string{
		"HOME=" + dir, "TILEGATE_GITHUB_API_URL=" + w.sim.URL, fmt.Sprintf("TILEGATE_APP_ID=%d", w.sim.AppID()), "TILEGATE_PRIVATE_KEY_FILE=" + key,
		"TILEGATE_WEBHOOK_SECRET=" + killSecret, "TILEGATE_DATABASE_URL=sqlite:" + filepath.Join(dir, "tilegate.db"),
		"TILEGATE_LISTEN=127.0.0.1:0", "TILEGATE_ADMIN_LISTEN=127.0.0.1:0", "TILEGATE_WRITE_PACE=0", "TILEGATE_POLL_INTERVAL=100ms",
	}}
	w.k.mu.Lock()
	w.k.start()
	w.k.mu.Unlock()
	hook := httptest.NewServer(http.HandlerFunc(w.k.forward))
	t.Cleanup(func() {
		w.k.stop()
		w.sim.Close()
		hook.Close()
	})
	w.sim.DeliverAutomatically(hook.URL+"/webhook", killSecret)
	return w
}

// until waits for a state of GitHub.
func (w *killWorld) until(what string, f func() bool) {
	w.t.Helper()
	deadline, tick := time.NewTimer(killTimeout), time.NewTicker(20*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for !f() {
		select {
		case <-deadline.C:
			w.k.mu.Lock()
			defer w.k.mu.Unlock()
			w.t.Fatalf("%s did not happen\n%s\n%s", what, w.state(), w.k.log.String())
		case <-tick.C:
		}
	}
}

func (w *killWorld) conclusion(sha, name string) string {
	last := ""
	for _, c := range w.repo.Checks(sha) {
		if c.Name == name && c.AppID == w.sim.AppID() {
			last = c.Conclusion
		}
	}
	return last
}

var (
	shaText    = regexp.MustCompile(`\b[0-9a-f]{7}\b|\b[0-9a-f]{40}\b`)
	ulidText   = regexp.MustCompile(`\b01[0-9A-HJKMNP-TV-Z]{24}\b`)
	numberText = regexp.MustCompile(`\b\d{4,}\b`)
)

// state is everything that the App has made on GitHub, without what differs
// from run to run, one thing a line.
func (w *killWorld) state() string {
	var lines []string
	p, err := w.repo.Pull(1)
	require.NoError(w.t, err)
	for i, sha := range w.heads() {
		newest := map[string]githubsim.CheckState{}
		for _, c := range w.repo.Checks(sha) {
			if c.AppID == w.sim.AppID() && strings.HasPrefix(c.Name, "tilegym") {
				newest[c.Name] = c
			}
		}
		for _, c := range newest {
			lines = append(lines, fmt.Sprintf("head %d: %s %s %s, %d annotations: %s", i, c.Name, c.Status, c.Conclusion, len(c.Annotations), c.Title))
		}
	}
	for _, c := range p.ReviewComments {
		lines = append(lines, "review comment: "+c.Body)
	}
	for _, r := range p.Reviews {
		lines = append(lines, "review: "+r.Body)
	}
	for _, c := range w.repo.Comments(1) {
		slices.Sort(c.Reactions)
		lines = append(lines, fmt.Sprintf("comment by %s %v: %s", c.Author, c.Reactions, c.Body))
	}
	for _, r := range w.sim.Runs() {
		status, conclusion := r.Status()
		lines = append(lines, fmt.Sprintf("run: %s %s", status, conclusion))
	}
	slices.Sort(lines)
	text := strings.Join(lines, "\n")
	text = ulidText.ReplaceAllString(text, "ULID")
	return numberText.ReplaceAllString(shaText.ReplaceAllString(text, "SHA"), "N")
}

// heads are the commits that were pushed to the topic branch, oldest first.
func (w *killWorld) heads() []string {
	var heads []string
	for _, d := range w.sim.Deliveries() {
		var e struct {
			PullRequest struct {
				Head struct{ SHA string } `json:"head"`
			} `json:"pull_request"`
		}
		if d.Event == "pull_request" && json.Unmarshal(d.Body, &e) == nil && !slices.Contains(heads, e.PullRequest.Head.SHA) {
			heads = append(heads, e.PullRequest.Head.SHA)
		}
	}
	return heads
}

// conversation is a pull request in which every kind of write occurs: a
// finding, its dispatch, a command, a run that a push replaces, and the fix.
func (w *killWorld) conversation() {
	w.t.Helper()
	source, err := w.repo.Read("main", killKernel)
	require.NoError(w.t, err)
	planted := strings.Replace(string(source), "constant(0.0f32, const_shape![TILE]);", "constant(0.0f32, const_shape![TILE * 1]);", 1)
	require.NotEqual(w.t, string(source), planted)
	w.gpu.Hold(true)
	require.NoError(w.t, w.repo.CreateBranch("topic", "main"))
	first, err := w.repo.Commit("topic", "writer", "change", githubsim.Changes{killKernel: githubsim.Text(planted)})
	require.NoError(w.t, err)
	n, err := w.repo.OpenPull(githubsim.PullOptions{Title: "Change", Author: "writer", Branch: "topic"})
	require.NoError(w.t, err)
	w.until("first dispatch", func() bool { return len(w.gpu.Waiting()) == 1 })
	w.until("first review", func() bool { p, err := w.repo.Pull(n); return err == nil && len(p.ReviewComments) == 1 })
	w.ask(n, "/tilegym explain R6")
	w.gpu.Set(fakerunner.Only(job.Perf, fakerunner.Outcome{Ratio: 1.2}))
	w.gpu.Hold(false)
	second, err := w.repo.Commit("topic", "writer", "fix", githubsim.Changes{killKernel: githubsim.Text(strings.Replace(string(source), "n_cols + TILE - 1i32", "n_cols + (TILE - 1i32)", 1))})
	require.NoError(w.t, err)
	w.until("the gate of the fix", func() bool { return w.conclusion(second, botreport.CheckGate) == "failure" })
	w.until("perf of the fix", func() bool { return w.conclusion(second, botreport.CheckPerf) == "failure" })
	w.until("the old head is concluded", func() bool {
		return w.conclusion(first, botreport.CheckPerf) == "cancelled" && w.conclusion(first, botreport.CheckCorrectness) == "cancelled"
	})
	w.until("the comment says fixed", func() bool {
		p, err := w.repo.Pull(n)
		return err == nil && strings.HasPrefix(p.ReviewComments[0].Body, "Fixed in")
	})
	_, conclusion := w.gpu.Waiting()[0].Status()
	w.until("the old run is cancelled", func() bool { _, conclusion = w.gpu.Waiting()[0].Status(); return conclusion == "cancelled" })
	// Whatever write was the last one so far has a request after it.
	w.ask(n, "/tilegym explain R2")
}

// ask gives a command and waits for its answer.
func (w *killWorld) ask(n int, command string) {
	w.t.Helper()
	_, err := w.repo.Comment(n, "writer", command)
	require.NoError(w.t, err)
	w.until("the answer to "+command, func() bool {
		return slices.ContainsFunc(w.repo.Comments(n), func(c githubsim.CommentState) bool {
			return strings.HasPrefix(c.Body, "`"+command+"`") && strings.Contains(c.Body, "tilegate:reply")
		})
	})
}

// kinds tells the writes apart: one entry for each kind of outbox write.
func killKind(c *githubsim.Call) string {
	if c.Method == http.MethodGet {
		return ""
	}
	for _, k := range []struct{ method, part, name string }{
		{"POST", "/check-runs", "make a check run"}, {"PATCH", "/check-runs/", "update a check run"}, {"POST", "/reviews", "review"},
		{"PATCH", "/pulls/comments/", "edit a review comment"}, {"PATCH", "/issues/comments/", "edit a comment"}, {"POST", "/reactions", "react"},
		{"POST", "/dispatches", "dispatch"}, {"POST", "/cancel", "cancel"}, {"POST", "/comments", "comment"},
	} {
		if c.Method == k.method && strings.Contains(c.Path, k.part) {
			return k.name
		}
	}
	return ""
}

// TestKill kills the server once at each kind of write, at three points: the
// request has arrived and is not applied; it is applied and not answered; it
// is answered. The state on GitHub is in the end the one of an undisturbed
// server, and nothing is there twice.
func TestKill(t *testing.T) {
	calm := newKillWorld(t)
	calm.conversation()
	want := ""
	calm.until("calm", func() bool { before := want; want = calm.state(); return before == want })

	kinds := []string{"make a check run", "update a check run", "review", "edit a review comment", "edit a comment", "react", "dispatch", "cancel", "comment"}
	for _, point := range []string{"before it is applied", "before it is answered", "after it is answered"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newKillWorld(t)
			var mu sync.Mutex
			killed := map[string]bool{}
			next := "" // a kind whose write was answered: the next call is the point
			var waits []time.Duration
			var restarted time.Time
			w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
				mu.Lock()
				defer mu.Unlock()
				if !restarted.IsZero() {
					w.k.mu.Lock()
					since := w.k.started
					w.k.mu.Unlock()
					if since.After(restarted) {
						waits = append(waits, time.Since(since))
						restarted = time.Time{}
					}
				}
				kind := killKind(c)
				if next != "" {
					killed[next], next = true, ""
					w.k.kill()
					restarted = time.Now().Add(-time.Second)
					return githubsim.Action{Drop: true}
				}
				if kind == "" || killed[kind] {
					return githubsim.Action{}
				}
				switch point {
				case "before it is applied":
					killed[kind], restarted = true, time.Now()
					return githubsim.Action{BeforeApply: w.k.kill, Drop: true}
				case "before it is answered":
					killed[kind], restarted = true, time.Now()
					return githubsim.Action{AfterApply: w.k.kill, DropAnswer: true}
				}
				next = kind
				return githubsim.Action{}
			})
			w.conversation()
			got := ""
			w.until("the state of an undisturbed server", func() bool { got = w.state(); return got == want })
			mu.Lock()
			defer mu.Unlock()
			var hit []string
			for kind := range killed {
				hit = append(hit, kind)
			}
			require.ElementsMatch(t, kinds, hit)
			require.NotEmpty(t, waits)
			slices.Sort(waits)
			t.Logf("%d restarts, from start to the first call: median %s, longest %s", len(waits), waits[len(waits)/2], waits[len(waits)-1])
			require.Less(t, waits[len(waits)/2], 2*time.Second)
			seen := map[string]int{}
			for _, sha := range w.heads() {
				for _, c := range w.repo.Checks(sha) {
					if c.AppID == w.sim.AppID() && strings.HasPrefix(c.Name, "tilegym") {
						seen[sha+c.Name+c.ExternalID]++
					}
				}
			}
			for what, count := range seen {
				require.Equal(t, 1, count, what)
			}
		})
	}
}
