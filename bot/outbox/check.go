package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/store"
)

// annotationsPerRequest is GitHub's limit.
const annotationsPerRequest = 50

// sender performs one write.
type sender struct {
	*Outbox
	client  *github.Client
	w       store.Write
	repo    pull.Repo
	unknown bool // an earlier attempt may have been applied
}

func decode(w store.Write, payload any) error {
	if err := json.Unmarshal(w.Payload, payload); err != nil {
		return fmt.Errorf("outbox: payload of %s: %w", w.Key, err)
	}
	return nil
}

func splitRepo(repo string) (owner, name string) {
	owner, name, _ = strings.Cut(repo, "/")
	return owner, name
}

// check makes the check run when it does not exist and brings it to the wanted
// state. With more annotations than one request takes, the conclusion goes
// with the last batch.
func (s sender) check(ctx context.Context) (string, error) {
	var c Check
	if err := decode(s.w, &c); err != nil {
		return "", err
	}
	note := ""
	known, err := s.Store.Object(ctx, s.w.Object)
	switch {
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return "", err
	case s.unknown && (known.RemoteID == 0 || len(c.Annotations) > 0):
		found, err := s.findCheck(ctx, c, known.RemoteID)
		if err != nil {
			return "", err
		}
		if found.ID != 0 {
			if known.RemoteID == 0 {
				note = "found on GitHub"
			}
			known.RemoteID, known.Progress = found.ID, found.Annotations
			if err := s.Store.SaveObject(ctx, s.w.Object, known); err != nil {
				return "", err
			}
		}
	}
	for first := true; first || known.Progress < len(c.Annotations); first = false {
		from := min(known.Progress, len(c.Annotations))
		batch := c.Annotations[from:min(from+annotationsPerRequest, len(c.Annotations))]
		last := from+len(batch) == len(c.Annotations)
		run, err := s.putCheck(ctx, c, known.RemoteID, batch, last)
		if err != nil {
			return note, err
		}
		known = store.Object{RemoteID: run.GetID(), Progress: from + len(batch), URL: run.GetHTMLURL()}
		if err := s.Store.SaveObject(ctx, s.w.Object, known); err != nil {
			return note, err
		}
	}
	return note, nil
}

// findCheck looks for the check run among the App's own ones of the commit.
func (s sender) findCheck(ctx context.Context, c Check, id int64) (pull.CheckRun, error) {
	runs, err := s.Reader.CheckRuns(ctx, s.repo, c.HeadSHA)
	if err != nil {
		return pull.CheckRun{}, &postponed{wait: backoff(s.w.Attempts), note: "could not look the check run up: " + err.Error()}
	}
	for _, r := range runs {
		if r.ID == id || id == 0 && r.Name == c.Name && r.ExternalID == c.ExternalID {
			return r, nil
		}
	}
	return pull.CheckRun{}, nil
}

// putCheck sends one request for the check run.
func (s sender) putCheck(ctx context.Context, c Check, id int64, batch []Annotation, last bool) (*github.CheckRun, error) {
	status, conclusion := c.Status, c.Conclusion
	actions := actionsOf(c)
	if !last {
		status, conclusion, actions = "in_progress", "", nil
	}
	output := &github.CheckRunOutput{
		Title:   github.String(c.Title),
		Summary: github.String(c.Summary),
	}
	if c.Text != "" {
		output.Text = github.String(c.Text)
	}
	for _, a := range batch {
		output.Annotations = append(output.Annotations, a.request())
	}
	if id == 0 {
		s.pace(s.w.Installation)
		run, _, err := s.client.Checks.CreateCheckRun(ctx, s.repo.Owner, s.repo.Name, github.CreateCheckRunOptions{
			Name: c.Name, HeadSHA: c.HeadSHA, ExternalID: optional(c.ExternalID), DetailsURL: optional(c.DetailsURL),
			Status: github.String(status), Conclusion: optional(conclusion), Output: output, Actions: actions,
		})
		return run, err
	}
	run, _, err := s.client.Checks.UpdateCheckRun(ctx, s.repo.Owner, s.repo.Name, id, github.UpdateCheckRunOptions{
		Name: c.Name, ExternalID: optional(c.ExternalID), DetailsURL: optional(c.DetailsURL),
		Status: github.String(status), Conclusion: optional(conclusion), Output: output, Actions: actions,
	})
	return run, err
}

// actionsOf are the buttons, which GitHub only shows on a concluded check run.
func actionsOf(c Check) []*github.CheckRunAction {
	if c.Status != "completed" {
		return nil
	}
	var actions []*github.CheckRunAction
	for _, a := range c.Actions {
		actions = append(actions, &github.CheckRunAction{Label: a.Label, Description: a.Description, Identifier: a.Identifier})
	}
	return actions
}

// request is the annotation as GitHub takes it: columns only within one line.
func (a Annotation) request() *github.CheckRunAnnotation {
	r := &github.CheckRunAnnotation{
		Path: github.String(a.Path), StartLine: github.Int(a.StartLine), EndLine: github.Int(a.EndLine),
		AnnotationLevel: github.String(a.Level), Title: optional(a.Title), Message: github.String(a.Message),
	}
	if a.StartLine == a.EndLine && a.StartColumn > 0 && a.EndColumn >= a.StartColumn {
		r.StartColumn, r.EndColumn = github.Int(a.StartColumn), github.Int(a.EndColumn)
	}
	return r
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
