package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/perf"
	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/checks/words"
	"github.com/tilegate/tilegate/runner"
)

type runnerCmd struct {
	Stage     string   `arg:"" enum:"build,correctness,perf,all" help:"Stage to run: build, correctness, perf or all."`
	Request   string   `placeholder:"FILE" help:"Request of a dispatch; - reads standard input. Runs in a copy of its head commit."`
	Kernel    []string `placeholder:"NAME" sep:"none" help:"Kernel to run; may be repeated. With --request one of the request's; without it the checkout is used as it is."`
	Checkout  string   `placeholder:"DIR" default:"." help:"TileGym checkout (default: the current folder)."`
	Out       string   `placeholder:"DIR" default:"tilegate-out" help:"Folder for one folder of evidence for each job (default ${default})."`
	After     string   `placeholder:"DIR" help:"Evidence of the stage before; unless it succeeded nothing is run."`
	Reference string   `placeholder:"NAME" default:"cutile" help:"Backend to compare with, without --request (default ${default})."`
	Rounds    int      `placeholder:"N" default:"2" help:"Perf rounds, without --request (default ${default})."`
	DryRun    bool     `help:"Print the commands and run nothing."`
}

func (c *runnerCmd) Help() string {
	return "Builds, tests and measures kernels and leaves raw evidence; perf compare and correctness judge it. Needs cargo, the CUDA toolkit (CUDA_TOOLKIT_PATH, or /usr/local/cuda) and a Python that imports pytest (TILEGATE_PYTHON, python3 or python). Exit status: 0 everything ran, 1 a command failed and the later stages were not run, 2 wrong usage or a missing tool, 3 interrupted."
}

func (c *runnerCmd) Run(s streams) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if _, err := checkout(c.Checkout); err != nil {
		return fmt.Errorf("--checkout: %w", err)
	}
	req, err := c.request(ctx, s.In)
	if err != nil {
		return err
	}
	stages := req.Stages
	if c.Stage != "all" {
		stages = []job.Stage{job.Stage(c.Stage)}
	}
	if c.After != "" {
		if len(req.Kernels) != 1 || len(stages) != 1 {
			return errors.New("--after: expected one stage and one --kernel")
		}
		if err := runner.Succeeded(c.After, req, stages[0], req.Kernels[0]); err != nil {
			fmt.Fprintf(s.Err, "tilegate: %s is not run: %s\n", job.JobName(stages[0], req.Kernels[0], req.GPU), untrusted.Text(err.Error()).Line())
			return exitNotFine
		}
	}
	r := &runner.Runner{Limits: runner.DefaultLimits, Out: c.Out, Now: time.Now, MoreRounds: moreRounds(req)}
	if c.DryRun {
		r.DryRun = s.Out
		r.Host = runner.Host{Python: "python3", Cargo: "cargo", Environ: os.Environ()}
		r.Host.Git, _ = exec.LookPath("git")
	} else {
		if r.Host, err = runner.FindHost(ctx, os.Environ()); err != nil {
			return err
		}
		r.Ended = func(o runner.Outcome) { c.report(s, o) }
		r.Unasked = c.Request == ""
	}
	if terminal(s.Err) {
		r.Progress = s.Err
	}
	outcomes, err := c.run(ctx, r, req, stages)
	if next := c.next(outcomes); !c.DryRun && len(next) > 0 {
		fmt.Fprintf(s.Out, "\nNext:\n%s\n", strings.Join(next, "\n"))
	}
	if errors.Is(err, runner.ErrInterrupted) {
		fmt.Fprintln(s.Err, "tilegate: interrupted")
		return exitUndecided
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(outcomes, func(o runner.Outcome) bool { return o.Failed != "" }) {
		return exitNotFine
	}
	return nil
}

// request is the one of the file, narrowed to --kernel, or one for this checkout
// as it is.
func (c *runnerCmd) request(ctx context.Context, in io.Reader) (job.Request, error) {
	if c.Request == "" {
		if len(c.Kernel) == 0 {
			return job.Request{}, errors.New("expected --request FILE or --kernel NAME")
		}
		if c.Rounds < 1 || c.Rounds > job.MaxRounds {
			return job.Request{}, fmt.Errorf("--rounds: expected 1 to %d, found %d", job.MaxRounds, c.Rounds)
		}
		if err := c.backend(); err != nil {
			return job.Request{}, err
		}
		git, _ := exec.LookPath("git")
		return job.Request{
			Schema: job.RequestSchema, Dispatch: "local", Repository: "local", HeadSHA: runner.Head(ctx, git, c.Checkout),
			Kernels: c.Kernel, Stages: job.Stages, Candidate: "cutile-rs", Reference: c.Reference, GPU: "local",
			Rounds: job.Rounds{Min: c.Rounds, Max: c.Rounds}, Harness: "head",
		}, nil
	}
	var data []byte
	var err error
	if c.Request == "-" {
		data, err = io.ReadAll(io.LimitReader(in, 1<<20))
	} else {
		data, err = readSmall(c.Request, "a request")
	}
	if err != nil {
		return job.Request{}, err
	}
	req, err := job.ParseRequest(data)
	if err != nil {
		return job.Request{}, oneLine(err)
	}
	for _, k := range c.Kernel {
		if !slices.Contains(req.Kernels, k) {
			return job.Request{}, fmt.Errorf("--kernel %s: the request is for %s", k, strings.Join(req.Kernels, ", "))
		}
	}
	if len(c.Kernel) > 0 {
		req.Kernels = c.Kernel
	}
	if c.Stage != "all" && !slices.Contains(req.Stages, job.Stage(c.Stage)) {
		return job.Request{}, fmt.Errorf("the request does not ask for %s", c.Stage)
	}
	return req, nil
}

// backend refuses a reference of which the checkout has no ops and of which
// TileGym's tests know nothing: pytest would select no case.
func (c *runnerCmd) backend() error {
	name := records.CanonicalBackend(c.Reference)
	ops := filepath.Join(c.Checkout, "src", "tilegym", "ops")
	if info, err := os.Stat(filepath.Join(ops, strings.ReplaceAll(name, "-", "_"))); slices.Contains(records.KnownBackends, name) || name != "" && err == nil && info.IsDir() {
		return nil
	}
	return fmt.Errorf("--reference %s: expected one of %s, or a backend with a folder in %s", c.Reference, strings.Join(records.KnownBackends, ", "), ops)
}

func (c *runnerCmd) run(ctx context.Context, r *runner.Runner, req job.Request, stages []job.Stage) ([]runner.Outcome, error) {
	if c.Request != "" {
		req.Stages = stages
		return r.Local(ctx, c.Checkout, req)
	}
	w, err := runner.InPlace(c.Checkout)
	if errors.Is(err, tree.ErrNoKernels) {
		return nil, otherLayout(c.Checkout, tree.ErrNoKernels)
	}
	if err != nil {
		return nil, err
	}
	if !c.DryRun {
		if err := r.Host.CanBuild(w, req.Kernels); err != nil {
			return nil, err
		}
	}
	return r.Kernels(ctx, w, req, stages)
}

// moreRounds asks the perf verdict whether the answer is still open.
func moreRounds(req job.Request) func(candidate, reference []string, e job.Evidence) (bool, error) {
	return func(candidate, reference []string, e job.Evidence) (bool, error) {
		var files []perf.File
		for _, group := range []struct {
			side  perf.Side
			paths []string
		}{{perf.CandidateOnly, candidate}, {perf.ReferenceOnly, reference}} {
			for _, path := range group.paths {
				r, err := readJUnit(path)
				if err != nil {
					return false, err
				}
				files = append(files, perf.File{Report: r, Side: group.side})
			}
		}
		v := perf.Compare(files, []job.Evidence{e}, perf.Options{
			Candidate: records.CanonicalBackend(req.Candidate), Reference: records.CanonicalBackend(req.Reference), Threshold: req.Threshold, MaxRounds: req.Rounds.Max,
		})
		return v.MoreRounds > 0, nil
	}
}

// dir is the folder of a job as the person at the terminal would name it.
func (c *runnerCmd) dir(o runner.Outcome) string {
	return filepath.Join(c.Out, filepath.Base(o.Dir))
}

// report prints what a job did, and the end of the log of what failed.
func (c *runnerCmd) report(s streams, o runner.Outcome) {
	if o.Failed == "" {
		fmt.Fprintf(s.Out, "%s (%s): ran, see %s\n", o.Stage, o.Kernel, c.dir(o))
		return
	}
	fmt.Fprintf(s.Out, "%s (%s): %s failed, see %s\n", o.Stage, o.Kernel, o.Failed, c.dir(o))
	const lines = 30
	text, err := os.ReadFile(filepath.Join(o.Dir, logOf(o.Failed)))
	if err != nil {
		return
	}
	all := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	for _, line := range all[max(0, len(all)-lines):] {
		// The bar keeps a workflow from reading a command out of the log.
		fmt.Fprintf(s.Err, "| %s\n", untrusted.Text(line).Line())
	}
}

func logOf(command string) string { return strings.ReplaceAll(command, " ", "-") + ".log" }

// next are the commands that judge what the jobs left.
func (c *runnerCmd) next(outcomes []runner.Outcome) (commands []string) {
	for _, o := range outcomes {
		tests := o.Failed == "" || o.Failed == "pytest" || o.Failed == "canary"
		switch dir := c.dir(o); {
		case o.Stage == job.Correctness && tests:
			commands = append(commands, "tilegate correctness "+words.Shell(dir))
		case o.Failed != "":
			if log := filepath.Join(dir, logOf(o.Failed)); exists(log) {
				commands = append(commands, "tilegate triage "+words.Shell(log))
			}
		case o.Stage == job.Perf:
			commands = append(commands, "tilegate perf compare "+words.Shell(dir))
		}
	}
	return commands
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
