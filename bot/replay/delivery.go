package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Delivery is a recorded webhook delivery.
type Delivery struct {
	Event   string
	GUID    string
	Payload []byte
}

// ParseDelivery reads a record: {"event", "delivery", "payload"}, what GitHub's
// API answers for a delivery of the App, or, when an event is named, the
// payload alone.
func ParseDelivery(data []byte, event string) (Delivery, error) {
	var doc struct {
		Event    string          `json:"event"`
		Delivery string          `json:"delivery"`
		GUID     string          `json:"guid"`
		Payload  json.RawMessage `json:"payload"`
		Request  struct {
			Payload json.RawMessage `json:"payload"`
		} `json:"request"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return Delivery{}, fmt.Errorf("expected a JSON object: %w", err)
	}
	d := Delivery{Event: doc.Event, GUID: doc.Delivery, Payload: doc.Payload}
	if d.GUID == "" {
		d.GUID = doc.GUID
	}
	if d.Payload == nil {
		d.Payload = doc.Request.Payload
	}
	if d.Payload == nil && event != "" {
		d.Payload = data
	}
	if event != "" {
		d.Event = event
	}
	if d.GUID == "" {
		d.GUID = "replay"
	}
	switch {
	case d.Payload == nil:
		return Delivery{}, errors.New(`expected {"event": ..., "delivery": ..., "payload": {...}}, or --event with the payload alone`)
	case d.Event == "":
		return Delivery{}, errors.New(`expected the name of the event in "event" or in --event`)
	case bytes.TrimSpace(d.Payload)[0] != '{':
		return Delivery{}, errors.New(`"payload": expected an object`)
	}
	return d, nil
}

// payload is the part of GitHub's payloads that says what the simulation needs.
type payload struct {
	Action     string `json:"action"`
	Repository struct {
		FullName      string `json:"full_name"`
		DefaultBranch string `json:"default_branch"`
		Private       bool   `json:"private"`
	} `json:"repository"`
	Installation *struct {
		ID int64 `json:"id"`
	} `json:"installation"`
	Sender account `json:"sender"`

	PullRequest *pullRequest `json:"pull_request"`
	Issue       *struct {
		Number      int       `json:"number"`
		Title       string    `json:"title"`
		State       string    `json:"state"`
		User        account   `json:"user"`
		Association string    `json:"author_association"`
		PullRequest *struct{} `json:"pull_request"`
	} `json:"issue"`
	Comment *struct {
		ID          int64   `json:"id"`
		Body        string  `json:"body"`
		User        account `json:"user"`
		Association string  `json:"author_association"`
		CreatedAt   string  `json:"created_at"`
	} `json:"comment"`
	CheckRun   *check `json:"check_run"`
	CheckSuite *check `json:"check_suite"`
	Workflow   *check `json:"workflow_run"`
	MergeGroup *struct {
		HeadSHA string `json:"head_sha"`
		HeadRef string `json:"head_ref"`
		BaseSHA string `json:"base_sha"`
		BaseRef string `json:"base_ref"`
	} `json:"merge_group"`
}

type account struct {
	Login string `json:"login"`
}

type pullRequest struct {
	Number      int     `json:"number"`
	Title       string  `json:"title"`
	Body        string  `json:"body"`
	State       string  `json:"state"`
	Draft       bool    `json:"draft"`
	User        account `json:"user"`
	Association string  `json:"author_association"`
	Head        branch  `json:"head"`
	Base        branch  `json:"base"`
	UpdatedAt   string  `json:"updated_at"`
}

type branch struct {
	Ref  string `json:"ref"`
	SHA  string `json:"sha"`
	Repo *struct {
		FullName string `json:"full_name"`
	} `json:"repo"`
}

// check is what a check run, a check suite and a workflow run have in common.
type check struct {
	HeadSHA string `json:"head_sha"`
	App     struct {
		ID int64 `json:"id"`
	} `json:"app"`
	PullRequests []pullRequest `json:"pull_requests"`
}

// Commits are the recorded head and base commits; empty where the payload does
// not tell them.
func (d Delivery) Commits() (head, base string) {
	s, err := newScene(d)
	switch {
	case err != nil: // Run says what is wrong
	case s.p.MergeGroup != nil:
		head, base = s.p.MergeGroup.HeadSHA, s.p.MergeGroup.BaseSHA
	case s.pull != nil:
		head, base = s.pull.Head.SHA, s.pull.Base.SHA
	}
	if !commitID.MatchString(head) {
		head = ""
	}
	if !commitID.MatchString(base) {
		base = ""
	}
	return head, base
}
