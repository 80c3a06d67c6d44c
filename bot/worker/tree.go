package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// StatusSchema is the identifier of the JSON form of a Status.
const StatusSchema = "tilegate.status/v1"

// Unknown is the conclusion of a target that has no gate (yet).
const Unknown gate.Status = "unknown"

// Status is what the App's database says about a pull request or merge group.
type Status struct {
	Schema  string `json:"schema"`
	Target  string `json:"target"` // owner/name#12 or owner/name@sha
	Open    bool   `json:"open"`
	HeadSHA string `json:"head_sha"` // the newest head that the App knows
	BaseRef string `json:"base_ref"`
	// Conclusion is that of the gate of HeadSHA: pending when only an older
	// head was judged, unknown when nothing was.
	Conclusion gate.Status    `json:"conclusion"`
	Sentence   untrusted.Text `json:"sentence"`
	// Gate is the last tree; Gate.SHA is the commit that it judges.
	Gate *gate.Node `json:"gate"`
	// Failures counts looks in a row that ended in an error.
	Failures int `json:"failures"`
	// NextLook is when the App looks again by itself; nil when only an event
	// makes it.
	NextLook *time.Time `json:"next_look"`
	// Unsent counts what GitHub has not been told yet.
	Unsent int64       `json:"unsent"`
	Runs   []RunStatus `json:"runs"` // of HeadSHA, oldest first
}

// RunStatus is how one dispatch stands.
type RunStatus struct {
	Dispatch string              `json:"dispatch"`
	GPU      string              `json:"gpu"`
	State    store.DispatchState `json:"state"`
	Note     untrusted.Text      `json:"note,omitempty"`
	Cause    string              `json:"cause"`
	Attempt  int                 `json:"attempt"`
	Created  time.Time           `json:"created"`
	URL      string              `json:"url,omitempty"`
}

// ReadStatus reads the status of a target by its key, the repository's name in
// any case. The error is store.ErrNotFound when the App does not know it.
func ReadStatus(ctx context.Context, st *store.Store, key string) (Status, error) {
	t, err := st.TargetLike(ctx, key)
	if err != nil {
		return Status{}, err
	}
	s := Status{Schema: StatusSchema, Target: t.Key, Open: t.Open, HeadSHA: t.HeadSHA, BaseRef: t.BaseRef, Failures: t.Failures, Runs: []RunStatus{}}
	if err := s.judge(t); err != nil {
		return Status{}, fmt.Errorf("the gate of %s: %w", t.Key, err)
	}
	next, err := st.NextLook(ctx, t.Key)
	if err != nil {
		return Status{}, err
	}
	if !next.IsZero() {
		s.NextLook = &next
	}
	if s.Unsent, err = st.CountLaneWrites(ctx, t.Key); err != nil {
		return Status{}, err
	}
	dispatches, err := st.DispatchesOf(ctx, t.Key)
	if err != nil {
		return Status{}, err
	}
	for _, d := range dispatches {
		if d.HeadSHA == t.HeadSHA {
			s.Runs = append(s.Runs, RunStatus{d.ID, d.GPU, d.State, untrusted.Text(d.Note), d.Cause, d.Attempt, d.Created, d.RunURL})
		}
	}
	return s, nil
}

// judge takes the conclusion from the stored tree, if it is one of the head.
func (s *Status) judge(t store.Target) error {
	s.Conclusion = Unknown
	switch string(t.Tree) {
	case "":
		s.Sentence = "The App has not looked at it yet."
		return nil
	case "null":
		s.Sentence = "The repository has neither a configuration nor cutile-rs kernels: it asks for no gate."
		return nil
	}
	s.Gate = &gate.Node{}
	if err := json.Unmarshal(t.Tree, s.Gate); err != nil {
		return err
	}
	s.Conclusion, s.Sentence = s.Gate.Status, s.Gate.Reason
	if s.Gate.SHA != t.HeadSHA || t.HeadSHA == "" {
		s.Conclusion = gate.Pending
		s.Sentence = untrusted.Text(fmt.Sprintf("%.7s is not judged yet; what is known is of %.7s.", t.HeadSHA, s.Gate.SHA))
	}
	return nil
}
