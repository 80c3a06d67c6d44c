package worker

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/templates"
)

// RunPage renders the page of a dispatch; ok is false when there is none.
func (a *App) RunPage(ctx context.Context, id string) (html []byte, ok bool, err error) {
	d, err := a.Store.Dispatch(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	t, err := a.Store.Target(ctx, d.Target)
	if err != nil {
		return nil, false, err
	}
	tree := gate.Node{Name: "gate", Status: gate.Pending, Reason: "Nothing is known yet."}
	if len(t.Tree) > 0 && string(t.Tree) != "null" {
		if err := json.Unmarshal(t.Tree, &tree); err != nil {
			return nil, false, err
		}
	}
	stored, err := a.Store.ResultsOf(ctx, id)
	if err != nil {
		return nil, false, err
	}
	results := make([]report.PageResult, 0, len(stored))
	for _, r := range stored {
		p, err := report.Page(r)
		if err != nil {
			return nil, false, err
		}
		results = append(results, p)
	}
	html, err = templates.HTML("run.html", map[string]any{
		"Target": d.Target, "SHA": d.HeadSHA, "Tree": tree, "Word": report.Word(tree.Status), "Older": d.HeadSHA != t.HeadSHA,
		"Dispatch": d.ID, "GPU": d.GPU, "State": string(d.State), "Note": d.Note, "Cause": d.Cause, "Attempt": d.Attempt,
		"Sent": clockText(d.Sent), "Ended": clockText(d.Finished), "RunURL": d.RunURL, "Results": results,
	})
	return html, err == nil, err
}

// clockText is a time for people, or that it has not come.
func clockText(t time.Time) string {
	if t.IsZero() {
		return "not yet"
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}
