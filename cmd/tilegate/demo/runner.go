package demo

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/runner"
)

// machine is the self-hosted runner of the demo: it runs the jobs of dispatched
// workflow runs one after the other, as one GPU would.
type machine struct {
	host     runner.Host
	dir      string
	progress func(string)
	rounds   func(job.Request) func(candidate, reference []string, e job.Evidence) (bool, error)
	turn     sync.Mutex
	fail     func(error)
}

// run carries out the jobs of one workflow run, each stage of a kernel only
// when the one before succeeded, as the workflow does.
func (m *machine) run(run *githubsim.Run) {
	m.turn.Lock()
	defer m.turn.Unlock()
	conclusion := "success"
	if err := m.jobs(run.Context(), run, &conclusion); err != nil && run.Context().Err() == nil {
		m.fail(fmt.Errorf("run %s: %w", run.Title, err))
		conclusion = "failure"
	}
	run.Complete(conclusion)
}

func (m *machine) jobs(ctx context.Context, run *githubsim.Run, conclusion *string) error {
	req, err := job.ParseRequest([]byte(run.Inputs["request"]))
	if err != nil {
		return err
	}
	dir := filepath.Join(m.dir, req.Dispatch)
	repository := filepath.Join(dir, "repository.git")
	if err := os.MkdirAll(repository, 0o755); err != nil {
		return err
	}
	if err := run.Repo.Export(repository); err != nil {
		return err
	}
	base := ""
	if req.Harness == "base" {
		base = req.BaseSHA
	}
	w, err := runner.Export(ctx, m.host.Git, repository, "", req.HeadSHA, base, req.Reference)
	if err != nil {
		return err
	}
	defer w.Close()
	r := &runner.Runner{Host: m.host, Limits: runner.DefaultLimits, Out: filepath.Join(dir, "out"), Now: time.Now, MoreRounds: m.rounds(req)}
	for _, kernel := range req.Kernels {
		for _, stage := range job.Stages {
			if !slices.Contains(req.Stages, stage) {
				continue
			}
			name := job.JobName(stage, kernel, req.GPU)
			what := fmt.Sprintf("%s of %s", name, req.HeadSHA[:7])
			if stage == job.Perf {
				what += fmt.Sprintf(", %d to %d rounds of both sides", req.Rounds.Min, req.Rounds.Max)
			}
			m.progress(what)
			j := run.AddJob(name, "self-hosted", req.GPU)
			j.Start(m.host.Runner.Name)
			outcome, err := r.Stage(ctx, w, req, stage, kernel)
			if err != nil {
				j.Complete("failure")
				return err
			}
			files, err := readDir(outcome.Dir)
			if err != nil {
				return err
			}
			if err := run.Upload(job.ArtifactName(req.Dispatch, stage, kernel, req.GPU), files); err != nil {
				return err
			}
			if outcome.Failed != "" {
				j.Complete("failure", githubsim.Step{Name: string(stage), Conclusion: "failure"})
				*conclusion = "failure"
				break
			}
			j.Complete("success", githubsim.Step{Name: string(stage), Conclusion: "success"})
		}
	}
	return nil
}

// readDir reads the regular files of a job's folder.
func readDir(dir string) (map[string][]byte, error) {
	out := map[string][]byte{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := root.Open(p)
		if err != nil {
			return err
		}
		defer f.Close()
		out[p], err = io.ReadAll(f)
		return err
	})
	return out, err
}
