package runner

import (
	"context"
	"slices"

	"github.com/tilegate/tilegate/checks/job"
)

// Kernels runs stages of kernels in a workspace: for each kernel in order each
// stage in order, the next only when the one before ran without a failure. The
// outcomes are those of the jobs that ran.
func (r *Runner) Kernels(ctx context.Context, w *Workspace, req job.Request, stages []job.Stage) ([]Outcome, error) {
	var outcomes []Outcome
	for _, kernel := range req.Kernels {
		for _, stage := range job.Stages {
			if !slices.Contains(stages, stage) {
				continue
			}
			outcome, err := r.Stage(ctx, w, req, stage, kernel)
			if outcome.Dir != "" {
				outcomes = append(outcomes, outcome)
				if r.Ended != nil {
					r.Ended(outcome)
				}
			}
			if err != nil {
				return outcomes, err
			}
			if outcome.Failed != "" {
				break
			}
		}
	}
	return outcomes, nil
}

// Local runs all jobs of a request in this process, in a copy of the repository
// at the request's commits, and leaves one folder for each job below Out.
func (r *Runner) Local(ctx context.Context, repository string, req job.Request) ([]Outcome, error) {
	base := ""
	if req.Harness == "base" {
		base = req.BaseSHA
	}
	w, err := Export(ctx, r.Host.Git, repository, "", req.HeadSHA, base, req.Reference)
	if err != nil {
		return nil, err
	}
	outcomes, err := r.Kernels(ctx, w, req, req.Stages)
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	return outcomes, err
}
