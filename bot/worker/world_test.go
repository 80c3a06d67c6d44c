package worker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/appauth"
	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/server"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/bot/worker"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/testdata"
)

const (
	secret    = "webhook secret"
	kernelRS  = "src/tilegym/ops/cutile_rs/row_sum_kernel/kernel.rs"
	patience  = 30 * time.Second
	heartbeat = 10 * time.Millisecond
)

const workflowYAML = `name: tilegym-gate
run-name: tilegate ${{ inputs.dispatch }}
on:
  workflow_dispatch:
    inputs:
      request: {required: true, type: string}
      dispatch: {required: true, type: string}
jobs: {}
`

// clock is the App's and GitHub's time: real time plus an offset.
type clock struct {
	mu     sync.Mutex
	offset time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	c.offset += d
	c.mu.Unlock()
}

// world is a GitHub with one repository, and the App.
type world struct {
	t    testing.TB
	sim  *githubsim.Sim
	repo *githubsim.Repo
	path string // database
	clk  *clock

	app  *worker.App
	hook *httptest.Server
	st   *store.Store
	stop func()

	serving atomic.Pointer[http.Handler]
	lost    map[string]bool // deliveries that will never arrive
}

// tokens are the keys of the run pages in tests.
var tokens = server.NewTokens(make([]byte, 32))

type change func(*config)

type config struct {
	sim    githubsim.Options
	app    worker.Options
	repo   fs.FS
	owner  string
	noApp  bool
	manual bool // deliveries are sent by the test
	// transport carries the App's requests; nil for the usual one.
	transport http.RoundTripper
}

// mini is the sample repository with a workflow file.
func mini(t testing.TB) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	sub, err := fs.Sub(testdata.TilegymMini, "tilegym-mini")
	require.NoError(t, err)
	require.NoError(t, fs.WalkDir(sub, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(sub, p)
		out[p] = &fstest.MapFile{Data: data}
		return err
	}))
	out[".github/workflows/tilegym-gate.yml"] = &fstest.MapFile{Data: []byte(workflowYAML)}
	return out
}

func newWorld(t testing.TB, changes ...change) *world {
	t.Helper()
	if p, ok := t.(interface{ Parallel() }); ok {
		p.Parallel() // a test mostly waits for its App
	}
	w := &world{t: t, path: filepath.Join(t.TempDir(), "tilegate.db"), clk: &clock{}}
	c := config{sim: githubsim.Options{Now: w.clk.now}, owner: "octo", repo: mini(t)}
	for _, change := range changes {
		change(&c)
	}
	// The address outlives the App, as a host's does.
	w.hook = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if h := w.serving.Load(); h != nil {
			(*h).ServeHTTP(rw, r)
			return
		}
		http.Error(rw, "down", http.StatusBadGateway)
	}))
	t.Cleanup(w.hook.Close)
	w.sim = githubsim.New(c.sim)
	require.NoError(t, w.sim.Start())
	t.Cleanup(func() { w.sim.Close() })
	var err error
	w.repo, err = w.sim.CreateRepo(c.owner, "TileGym", c.repo)
	require.NoError(t, err)
	w.repo.SetPermission("writer", "write")
	w.repo.SetPermission("maya", "maintain")
	if !c.noApp {
		w.start(c)
		if !c.manual {
			w.sim.DeliverAutomatically(w.hook.URL+"/webhook", secret)
		}
	}
	return w
}

// start starts an App on the world's database.
func (w *world) start(c config) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	log := slog.New(slog.DiscardHandler)
	if os.Getenv("TILEGATE_TEST_LOG") != "" {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	var err error
	w.st, err = store.Open(ctx, "sqlite:"+w.path, w.clk.now)
	require.NoError(w.t, err)
	clients, err := appauth.New(appauth.Config{APIURL: w.sim.URL, AppID: w.sim.AppID(), PrivateKey: w.sim.PrivateKeyPEM(), Now: w.clk.now, Transport: c.transport})
	require.NoError(w.t, err)
	o := c.app
	o.Store, o.Clients, o.AppID, o.Forget = w.st, clients, w.sim.AppID(), clients.Forget
	o.Reader = pull.NewReader(pull.Config{Clients: clients, Now: w.clk.now})
	o.Rules, o.Version, o.Now, o.Log = slices.Concat(all.Rules, c.app.Rules), "test", w.clk.now, log
	if o.PollInterval == 0 {
		o.PollInterval = 50 * time.Millisecond
	}
	if o.ReconcileInterval == 0 {
		o.ReconcileInterval = time.Hour
	}
	w.app, err = worker.New(ctx, o)
	require.NoError(w.t, err)
	public := server.Public(server.Options{
		Secrets: []server.Secret{secret}, Inbox: w.app, Pages: w.app, Ready: w.st.Ping, Log: log, Tokens: tokens,
	})
	w.serving.Store(&public)
	ended := make(chan error, 1)
	go func() { ended <- w.app.Run(ctx) }()
	var once sync.Once
	w.stop = func() {
		once.Do(func() {
			w.serving.Store(nil)
			cancel()
			require.NoError(w.t, <-ended)
			require.NoError(w.t, w.st.Close())
		})
	}
	w.t.Cleanup(w.stop)
}

// advance moves the clock and lets the App notice.
func (w *world) advance(d time.Duration) {
	w.clk.advance(d)
	w.app.Wake()
}

// eventually waits until f reports success, and shows the last state when it
// does not.
func (w *world) eventually(what string, f func() bool) {
	w.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for !f() {
		select {
		case <-deadline.C:
			w.t.Fatalf("%s did not happen in %s\n%s", what, patience, w.describe())
		case <-tick.C:
		}
	}
}

// describe prints GitHub's state and the outbox.
func (w *world) describe() string {
	var b strings.Builder
	for _, n := range w.repo.Pulls() {
		p, err := w.repo.Pull(n)
		require.NoError(w.t, err)
		fmt.Fprintf(&b, "pull %d at %.7s\n", n, p.HeadSHA)
		for _, c := range w.repo.Checks(p.HeadSHA) {
			fmt.Fprintf(&b, "  check %d %s %s %s: %s\n", c.ID, c.Name, c.Status, c.Conclusion, c.Title)
		}
		for _, c := range w.repo.Comments(n) {
			fmt.Fprintf(&b, "  comment by %s %v: %.300s\n", c.Author, c.Reactions, c.Body)
		}
	}
	for _, r := range w.sim.Runs() {
		status, conclusion := r.Status()
		fmt.Fprintf(&b, "run %d %s %s %s\n", r.ID, r.Title, status, conclusion)
	}
	if w.st != nil {
		writes, err := w.st.OpenWrites(context.Background())
		fmt.Fprintf(&b, "open writes: %v\n", err)
		for _, o := range writes {
			fmt.Fprintf(&b, "  %s %s %s %d %s\n", o.State, o.Kind, o.Object, o.Attempts, o.Note)
		}
	}
	for _, c := range w.sim.Calls() {
		if c.Status >= 400 {
			fmt.Fprintf(&b, "call %s %s: %d\n", c.Method, c.Path, c.Status)
		}
	}
	return b.String()
}

// push commits to a branch; a new branch starts at main.
func (w *world) push(branch, author string, ch githubsim.Changes) string {
	w.t.Helper()
	if w.repo.Head(branch) == "" {
		require.NoError(w.t, w.repo.CreateBranch(branch, "main"))
	}
	sha, err := w.repo.Commit(branch, author, "change", ch)
	require.NoError(w.t, err)
	return sha
}

// open opens a pull request with changes and returns its number and head.
func (w *world) open(author string, ch githubsim.Changes) (int, string) {
	w.t.Helper()
	branch := "topic-" + author
	sha := w.push(branch, author, ch)
	n, err := w.repo.OpenPull(githubsim.PullOptions{Title: "Change", Author: author, Branch: branch})
	require.NoError(w.t, err)
	return n, sha
}

// check is the newest check run of a name on a commit.
func (w *world) check(sha, name string) (githubsim.CheckState, bool) {
	var found githubsim.CheckState
	ok := false
	for _, c := range w.repo.Checks(sha) {
		if c.Name == name && c.AppID == w.sim.AppID() {
			found, ok = c, true
		}
	}
	return found, ok
}

// concluded waits for a check run's conclusion.
func (w *world) concluded(sha, name string) githubsim.CheckState {
	w.t.Helper()
	var c githubsim.CheckState
	w.eventually(name+" of "+sha[:7]+" concluded", func() bool {
		c, _ = w.check(sha, name)
		return c.Status == "completed"
	})
	return c
}

// becomes waits until a check run has a conclusion.
func (w *world) becomes(sha, name, conclusion string) githubsim.CheckState {
	w.t.Helper()
	var c githubsim.CheckState
	w.eventually(name+" of "+sha[:7]+" "+conclusion, func() bool {
		c, _ = w.check(sha, name)
		return c.Conclusion == conclusion
	})
	return c
}

// outage lets the deliveries that were not tried yet fail.
func (w *world) outage() {
	w.sim.Outage()
	w.lost = map[string]bool{}
	for _, d := range w.sim.Deliveries() {
		if d.Status == 0 {
			w.lost[d.GUID] = true
		}
	}
}

// quiet waits until the App has nothing left to do at this time.
func (w *world) quiet() {
	w.t.Helper()
	w.eventually("quiet", func() bool {
		ctx := context.Background()
		writes, err := w.st.OpenWrites(ctx)
		require.NoError(w.t, err)
		deliveries, err := w.st.OpenDeliveries(ctx)
		require.NoError(w.t, err)
		busy, err := w.app.Busy(ctx)
		require.NoError(w.t, err)
		pending := false
		for _, d := range w.sim.Deliveries() {
			pending = pending || d.Status == 0 && !w.lost[d.GUID]
		}
		return len(writes) == 0 && len(deliveries) == 0 && !busy && !pending
	})
}

// edit replaces text in a file of the sample repository.
func (w *world) edit(path, old, with string) *githubsim.File {
	w.t.Helper()
	data, err := w.repo.Read("main", path)
	require.NoError(w.t, err)
	require.Equal(w.t, 1, strings.Count(string(data), old), "%q in %s", old, path)
	return githubsim.Text(strings.Replace(string(data), old, with, 1))
}

// planted is a change with a violation of R6 on a line of the kernel.
func (w *world) planted() githubsim.Changes {
	return githubsim.Changes{kernelRS: w.edit(kernelRS, "let zero: Tile<f32, { [TILE] }> = constant(0.0f32, const_shape![TILE]);",
		"let zero: Tile<f32, { [TILE] }> = constant(0.0f32, const_shape![TILE * 1]);")}
}

// harmless is a change of a kernel without a finding.
func (w *world) harmless() githubsim.Changes {
	return githubsim.Changes{kernelRS: w.edit(kernelRS, "n_cols + TILE - 1i32", "n_cols + (TILE - 1i32)")}
}

// stored reads a target's tree.
func (w *world) tree(n int) map[string]any {
	w.t.Helper()
	t, err := w.st.Target(context.Background(), store.PullKey(w.repo.FullName(), n))
	require.NoError(w.t, err)
	var tree map[string]any
	require.NoError(w.t, json.Unmarshal(t.Tree, &tree))
	return tree
}

// append adds text to a file of the sample repository.
func (w *world) append(path, text string) *githubsim.File {
	w.t.Helper()
	data, err := w.repo.Read("main", path)
	require.NoError(w.t, err)
	return githubsim.Text(string(data) + text)
}
