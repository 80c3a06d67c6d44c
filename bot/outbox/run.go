package outbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/job"
)

// lookedOnce notes that a run was not found at the first look after a lost
// answer. GitHub lists a new run only after some seconds.
const lookedOnce = "no run of that name yet"

// lookBack is how long before a dispatch a run may have been created, by
// GitHub's clock against ours.
const lookBack = 5 * time.Minute

// dispatch starts the workflow run of a dispatch row. The run is known by the
// id in the answer, or later by its name.
func (s sender) dispatch(ctx context.Context) (string, error) {
	var payload Dispatch
	if err := decode(s.w, &payload); err != nil {
		return "", err
	}
	d, err := s.Store.Dispatch(ctx, payload.ID)
	if err != nil {
		return "", err
	}
	if d.State.Final() {
		return "not sent: the dispatch has ended: " + string(d.State), nil
	}
	if s.unknown {
		run, err := s.Reader.FindRun(ctx, s.repo, d.Workflow, job.RunName(d.ID), d.Created.Add(-lookBack))
		switch {
		case err == nil:
			return "found on GitHub", s.Store.SetDispatchRun(ctx, d.ID, run.ID, run.URL)
		case !errors.Is(err, pull.ErrNotFound):
			return "", &postponed{wait: backoff(s.w.Attempts), note: "could not look for the run: " + err.Error()}
		case s.w.Note != lookedOnce && s.Pace > 0:
			return "", &postponed{wait: 5 * s.Pace, note: lookedOnce}
		}
	}
	id, link, err := s.startRun(ctx, d)
	if err != nil {
		return "", err
	}
	return "", s.Store.SetDispatchRun(ctx, d.ID, id, link)
}

// dispatchRequest is the body of the request. return_run_details is newer than
// the client library.
type dispatchRequest struct {
	Ref              string            `json:"ref"`
	Inputs           map[string]string `json:"inputs"`
	ReturnRunDetails bool              `json:"return_run_details,omitempty"`
}

// dispatchAnswer is the body of a 200.
type dispatchAnswer struct {
	RunID int64  `json:"workflow_run_id"`
	URL   string `json:"html_url"`
}

// startRun asks GitHub to start the workflow. An older GitHub does not know
// return_run_details: it answers 204 without it, or refuses the parameter.
func (s sender) startRun(ctx context.Context, d store.Dispatch) (id int64, link string, err error) {
	body := dispatchRequest{
		Ref:              d.Ref,
		Inputs:           map[string]string{"request": string(d.Request), "dispatch": d.ID},
		ReturnRunDetails: true,
	}
	answer, err := s.postDispatch(ctx, d.Workflow, body)
	if code := statusOf(err); code == http.StatusBadRequest || code == http.StatusUnprocessableEntity {
		if names(err, "return_run_details") {
			body.ReturnRunDetails = false
			answer, err = s.postDispatch(ctx, d.Workflow, body)
		}
	}
	return answer.RunID, answer.URL, err
}

func (s sender) postDispatch(ctx context.Context, workflow string, body dispatchRequest) (dispatchAnswer, error) {
	path := fmt.Sprintf("repos/%s/%s/actions/workflows/%s/dispatches", s.repo.Owner, s.repo.Name, url.PathEscape(workflow))
	request, err := s.client.NewRequest(http.MethodPost, path, body)
	if err != nil {
		return dispatchAnswer{}, err
	}
	s.pace(s.w.Installation)
	var answer dispatchAnswer
	_, err = s.client.Do(ctx, request, &answer)
	return answer, err
}

// cancel cancels a run. A run that has ended (409) or is gone (404) needs none.
func (s sender) cancel(ctx context.Context) (string, error) {
	var c Cancel
	if err := decode(s.w, &c); err != nil {
		return "", err
	}
	path := fmt.Sprintf("repos/%s/%s/actions/runs/%d/cancel", s.repo.Owner, s.repo.Name, c.RunID)
	request, err := s.client.NewRequest(http.MethodPost, path, nil)
	if err != nil {
		return "", err
	}
	response, err := s.client.Do(ctx, request, nil)
	if response != nil {
		switch response.StatusCode {
		case http.StatusAccepted:
			return "", nil
		case http.StatusConflict, http.StatusNotFound:
			return "the run has ended", nil
		}
	}
	return "", err
}
