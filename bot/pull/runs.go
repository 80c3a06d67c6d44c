package pull

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"
)

// clockMargin is by how much this host's clock may differ from GitHub's when
// runs are searched by time. The name decides; time only shortens the list.
const clockMargin = 5 * time.Minute

// FindRun implements Reader. Should several runs have the name, the first one
// is taken: a dispatch is sent once, and its name is not known before.
func (g *GitHub) FindRun(ctx context.Context, repo Repo, workflow, runName string, since time.Time) (Run, error) {
	client, err := g.read(repo)
	if err != nil {
		return Run{}, err
	}
	if !workflowShape.MatchString(workflow) {
		return Run{}, fmt.Errorf("expected the name of a workflow file, found %q", workflow)
	}
	if runName == "" {
		return Run{}, errors.New("expected the name of a run, found none")
	}
	list, err := all(func(o github.ListOptions) ([]*github.WorkflowRun, *github.Response, error) {
		page, resp, err := client.Actions.ListWorkflowRunsByFileName(ctx, repo.Owner, repo.Name, workflow, &github.ListWorkflowRunsOptions{
			Event: "workflow_dispatch", Created: ">=" + since.Add(-clockMargin).UTC().Format(time.RFC3339), ListOptions: o,
		})
		if err != nil {
			return nil, resp, err
		}
		return page.WorkflowRuns, resp, nil
	})
	if err != nil {
		return Run{}, fail(err, "list the runs of %s in %s", workflow, repo)
	}
	var found *github.WorkflowRun
	for _, run := range list {
		if titleOf(run) != runName || run.GetEvent() != "workflow_dispatch" {
			continue
		}
		if found == nil || run.GetID() < found.GetID() {
			found = run
		}
	}
	if found == nil {
		return Run{}, fmt.Errorf("run %q of %s in %s: %w", runName, workflow, repo, ErrNotFound)
	}
	return g.withJobs(ctx, client, repo, found)
}

// Run implements Reader.
func (g *GitHub) Run(ctx context.Context, repo Repo, runID int64) (Run, error) {
	client, err := g.read(repo)
	if err != nil {
		return Run{}, err
	}
	run, _, err := client.Actions.GetWorkflowRunByID(ctx, repo.Owner, repo.Name, runID)
	if err != nil {
		return Run{}, fail(err, "read run %d of %s", runID, repo)
	}
	return g.withJobs(ctx, client, repo, run)
}

// titleOf returns the evaluated run-name. Older servers give it as the name,
// which is otherwise that of the workflow.
func titleOf(run *github.WorkflowRun) string {
	if title := run.GetDisplayTitle(); title != "" {
		return title
	}
	return run.GetName()
}

func (g *GitHub) withJobs(ctx context.Context, client *github.Client, repo Repo, from *github.WorkflowRun) (Run, error) {
	run := Run{
		ID: from.GetID(), Name: titleOf(from), HeadSHA: from.GetHeadSHA(), Status: from.GetStatus(),
		Conclusion: from.GetConclusion(), URL: from.GetHTMLURL(), CreatedAt: from.GetCreatedAt().Time,
	}
	jobs, err := all(func(o github.ListOptions) ([]*github.WorkflowJob, *github.Response, error) {
		page, resp, err := client.Actions.ListWorkflowJobs(ctx, repo.Owner, repo.Name, run.ID, &github.ListWorkflowJobsOptions{Filter: "latest", ListOptions: o})
		if err != nil {
			return nil, resp, err
		}
		return page.Jobs, resp, nil
	})
	if err != nil {
		return Run{}, fail(err, "list the jobs of run %d of %s", run.ID, repo)
	}
	for _, j := range jobs {
		job := Job{
			ID: j.GetID(), Name: j.GetName(), Status: j.GetStatus(), Conclusion: j.GetConclusion(), Runner: j.GetRunnerName(),
			Labels: j.Labels, URL: j.GetHTMLURL(), StartedAt: j.GetStartedAt().Time, CompletedAt: j.GetCompletedAt().Time,
		}
		if job.Status != "in_progress" && job.Status != "completed" {
			// GitHub gives waiting jobs the time at which they were queued.
			job.StartedAt = time.Time{}
		}
		for _, s := range j.Steps {
			job.Steps = append(job.Steps, Step{Name: s.GetName(), Conclusion: s.GetConclusion()})
		}
		if job.Status == "completed" && job.Conclusion != "success" && job.Conclusion != "skipped" {
			if job.Annotations, err = failures(ctx, client, repo, job.ID); err != nil {
				return Run{}, err
			}
		}
		run.Jobs = append(run.Jobs, job)
	}
	return run, nil
}

// failures reads the failure annotations of a job, whose id is also that of its
// check run. An installation that may not read them goes without.
func failures(ctx context.Context, client *github.Client, repo Repo, jobID int64) ([]string, error) {
	page, _, err := client.Checks.ListCheckRunAnnotations(ctx, repo.Owner, repo.Name, jobID, &github.ListOptions{PerPage: perPage})
	if err = fail(err, "read the annotations of job %d of %s", jobID, repo); err != nil {
		if errors.Is(err, ErrNotFound) || errors.Is(err, ErrForbidden) {
			return nil, nil
		}
		return nil, err
	}
	var messages []string
	for _, a := range page {
		if a.GetAnnotationLevel() == "failure" {
			messages = append(messages, a.GetMessage())
		}
	}
	return messages, nil
}

// artifact is the part of GitHub's answer that is read; the library's type lacks
// the digest.
type artifact struct {
	ID      int64  `json:"id"`
	Name    string `json:"name"`
	Size    int64  `json:"size_in_bytes"`
	Expired bool   `json:"expired"`
	Digest  string `json:"digest"`
}

// Artifact implements Reader. When a run was repeated, the artifact of the
// latest attempt is taken.
func (g *GitHub) Artifact(ctx context.Context, repo Repo, runID int64, name string) (fs.FS, error) {
	client, err := g.read(repo)
	if err != nil {
		return nil, err
	}
	list, err := all(func(o github.ListOptions) ([]artifact, *github.Response, error) {
		u := fmt.Sprintf("repos/%s/%s/actions/runs/%d/artifacts?name=%s&per_page=%d&page=%d", repo.Owner, repo.Name, runID, url.QueryEscape(name), o.PerPage, o.Page)
		req, err := client.NewRequest(http.MethodGet, u, nil)
		if err != nil {
			return nil, nil, err
		}
		var page struct {
			Artifacts []artifact `json:"artifacts"`
		}
		resp, err := client.Do(ctx, req, &page)
		return page.Artifacts, resp, err
	})
	if err != nil {
		return nil, fail(err, "list the artifacts of run %d of %s", runID, repo)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID > list[j].ID })
	for _, a := range list {
		if a.Name != name {
			continue
		}
		if a.Expired {
			return nil, fmt.Errorf("artifact %q of run %d of %s has expired: %w", name, runID, repo, ErrNotFound)
		}
		data, err := g.artifactData(ctx, repo, a)
		if err != nil {
			return nil, fail(err, "download artifact %q of run %d of %s", name, runID, repo)
		}
		files, err := unzip(data, g.limits)
		if err != nil {
			return nil, fmt.Errorf("artifact %q of run %d of %s: %w", name, runID, repo, err)
		}
		return files, nil
	}
	return nil, fmt.Errorf("artifact %q of run %d of %s: %w", name, runID, repo, ErrNotFound)
}

func (g *GitHub) artifactData(ctx context.Context, repo Repo, a artifact) ([]byte, error) {
	if a.Size > g.limits.Artifact {
		return nil, overLimit(a.Size, g.limits.Artifact)
	}
	client := g.clients.Download(repo.Installation)
	req, err := client.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/actions/artifacts/%d/zip", repo.Owner, repo.Name, a.ID), nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.BareDo(ctx, req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var data bytes.Buffer
	if _, err := io.Copy(&data, &capped{r: resp.Body, left: g.limits.Artifact, what: "compressed artifact"}); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data.Bytes())
	if want, ok := strings.CutPrefix(a.Digest, "sha256:"); ok && !strings.EqualFold(want, hex.EncodeToString(sum[:])) {
		return nil, errors.New("the content does not have the digest that GitHub lists")
	}
	return data.Bytes(), nil
}
