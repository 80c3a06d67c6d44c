package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/bot/server"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/runner"
)

const (
	owner  = "demo"
	name   = "tilegym-mini"
	author = "contributor"
)

// Options configure a demo. Serve and MoreRounds are required.
type Options struct {
	// Serve runs the App on two listeners until the context ends.
	Serve func(ctx context.Context, s server.Settings, public, admin net.Listener, log *slog.Logger) error
	// MoreRounds decides whether a perf job measures another round.
	MoreRounds func(job.Request) func(candidate, reference []string, e job.Evidence) (bool, error)
	// Listen is the address of the page; a free port of loopback when empty.
	Listen string
	// Keep leaves the working folder, for looking at logs.
	Keep bool
	// Progress takes what is being done.
	Progress func(string)
	Log      *slog.Logger
}

// Result is how a demo ended.
type Result struct {
	Gates []Gate
	// Problems lists what did not come out as it has to; empty when all did.
	Problems []string
	Calls    map[int]int // API calls by pull request number, of the App
}

// Gate is the gate of one pull request when all had reported.
type Gate struct {
	Number                   int
	Title, Conclusion, Check string // Check is the gate check's title
}

// Demo is a running demo.
type Demo struct {
	// URL is the page that shows the pull requests.
	URL string

	sim    *githubsim.Sim
	repo   *githubsim.Repo
	dir    string
	keep   bool
	stop   context.CancelFunc
	parts  sync.WaitGroup
	pages  *http.Server
	failed chan error
}

// Start opens the two pull requests and begins to work on them.
func Start(ctx context.Context, o Options) (*Demo, error) {
	host, err := runner.FindHost(ctx, os.Environ())
	if err != nil {
		return nil, err
	}
	if host.Git == "" {
		return nil, runner.MissingTool{Tool: "git", Package: "git"}
	}
	host.Runner.Name = "demo-runner"
	ctx, stop := context.WithCancel(ctx)
	d := &Demo{keep: o.Keep, stop: stop, failed: make(chan error, 8)}
	if err := d.start(ctx, o, host); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// start is Start without the cleaning up.
func (d *Demo) start(ctx context.Context, o Options, host runner.Host) (err error) {
	if d.dir, err = os.MkdirTemp("", "tilegate-demo-"); err != nil {
		return err
	}
	m := &machine{host: host, dir: filepath.Join(d.dir, "jobs"), progress: o.Progress, rounds: o.MoreRounds, fail: d.fail}
	d.sim = githubsim.New(githubsim.Options{OnDispatch: m.run})
	if err := d.sim.Start(); err != nil {
		return err
	}
	tree, port, err := base()
	if err != nil {
		return err
	}
	if d.repo, err = d.sim.CreateRepo(owner, name, tree); err != nil {
		return err
	}
	d.repo.SetPermission(author, "write")
	if err := d.serve(ctx, o); err != nil {
		return err
	}
	if err := d.show(o.Listen); err != nil {
		return err
	}
	return openPulls(d.repo, port)
}

// serve starts the App and points the webhook at it.
func (d *Demo) serve(ctx context.Context, o Options) error {
	public, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	admin, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, public.Close())
	}
	secret := rand.Text()
	settings := server.Settings{
		GitHubAPIURL: d.sim.URL, AppID: d.sim.AppID(), PrivateKey: server.Secret(d.sim.PrivateKeyPEM()),
		WebhookSecrets: []server.Secret{server.Secret(secret)}, DatabaseURL: "sqlite:" + filepath.Join(d.dir, "tilegate.db"),
		PublicURL: "http://" + public.Addr().String(), ReconcileInterval: time.Minute, PollInterval: 500 * time.Millisecond,
	}
	d.parts.Go(func() {
		if err := o.Serve(ctx, settings, public, admin, o.Log); err != nil && ctx.Err() == nil {
			d.fail(fmt.Errorf("the App ended: %w", err))
		}
	})
	d.sim.DeliverAutomatically(settings.PublicURL+"/webhook", secret)
	return nil
}

// show starts the page.
func (d *Demo) show(listen string) error {
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	d.URL = "http://" + l.Addr().String() + "/"
	d.pages = &http.Server{Handler: (&page{repo: d.repo, done: d.done}).handler(), ReadHeaderTimeout: 10 * time.Second}
	d.parts.Go(func() {
		if err := d.pages.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
			d.fail(err)
		}
	})
	return nil
}

func (d *Demo) fail(err error) {
	select {
	case d.failed <- err:
	default:
	}
}

// done reports whether every pull request's gate has reached its end.
func (d *Demo) done() bool {
	numbers := d.repo.Pulls()
	for _, n := range numbers {
		pr, err := d.repo.Pull(n)
		if err != nil || gateOf(pr).Status != "completed" || len(pr.Checks) < len(checkNames) {
			return false
		}
		for _, c := range pr.Checks {
			if c.Status != "completed" {
				return false
			}
		}
	}
	return len(numbers) > 0
}

// Wait returns when every gate has reported, or why it will not.
func (d *Demo) Wait(ctx context.Context) (Result, error) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !d.done() {
		select {
		case <-ctx.Done():
			return Result{}, fmt.Errorf("not all gates had reported: %w", ctx.Err())
		case err := <-d.failed:
			return Result{}, err
		case <-tick.C:
		}
	}
	return d.judge()
}

// Close stops everything and removes the working folder.
func (d *Demo) Close() error {
	d.stop()
	var err error
	if d.pages != nil {
		err = d.pages.Close()
	}
	if d.sim != nil {
		err = errors.Join(err, d.sim.Close())
	}
	d.parts.Wait()
	if d.dir != "" && !d.keep {
		err = errors.Join(err, os.RemoveAll(d.dir))
	}
	return err
}

// Report prints a line for each pull request and how the demo ended.
func (r Result) Report(w io.Writer) {
	for _, g := range r.Gates {
		fmt.Fprintf(w, "gate %s %s\n", g.Conclusion, g.Title)
	}
	if len(r.Problems) == 0 {
		fmt.Fprintln(w, "demo: ok")
		return
	}
	for _, p := range r.Problems {
		fmt.Fprintf(w, "demo: FAILED %s\n", p)
	}
}
