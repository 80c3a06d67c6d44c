package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/store"
)

// Refused is what the log says of a write that GitHub will not take.
const Refused = "outbox: GitHub refuses the write"

// Clients gives the API client that may write as an installation.
type Clients interface {
	Write(installation int64) *github.Client
}

// Options configure an Outbox. Store, Clients, Reader and Now are required.
type Options struct {
	Store   *store.Store
	Clients Clients
	Reader  pull.Reader // looks for what a lost answer may have made
	Now     func() time.Time
	Pace    time.Duration // least time between two content-creating writes of an installation
	Log     *slog.Logger
	// Done is called after an attempt, with the kind and the lane of the write.
	Done func(kind, lane string)
	// Observe counts a request's kind and result ("done", "failed", "retry", "held").
	Observe func(kind, result string)
}

// Outbox sends the stored writes.
type Outbox struct {
	Options
	wake chan struct{}

	mu      sync.Mutex
	busy    map[int64]bool      // installations with a write under way
	created map[int64]time.Time // the last content-creating write of an installation
}

// New makes an Outbox; Run starts it.
func New(o Options) *Outbox {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Done == nil {
		o.Done = func(string, string) {}
	}
	if o.Observe == nil {
		o.Observe = func(string, string) {}
	}
	return &Outbox{Options: o, wake: make(chan struct{}, 1), busy: map[int64]bool{}, created: map[int64]time.Time{}}
}

// Wake makes Run look at the store now.
func (o *Outbox) Wake() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// Run sends writes until the context ends. Writes that an earlier process left
// in "sending" are looked up on GitHub first.
func (o *Outbox) Run(ctx context.Context) error {
	var sends sync.WaitGroup
	defer sends.Wait()
	for ctx.Err() == nil {
		ready, next, err := o.ready(ctx)
		if err != nil && ctx.Err() == nil {
			o.Log.Error("outbox: read the store", "error", err)
			next = o.Now().Add(time.Second)
		}
		for _, w := range ready {
			sends.Add(1)
			go func() {
				defer sends.Done()
				defer o.release(w.Installation)
				o.send(ctx, w)
			}()
		}
		wait := time.Hour
		if !next.IsZero() {
			wait = max(next.Sub(o.Now()), 10*time.Millisecond)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-o.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// Step sends at most one write, in the caller's goroutine, and reports whether
// there was one ready.
func (o *Outbox) Step(ctx context.Context) (bool, error) {
	ready, _, err := o.ready(ctx)
	if err != nil || len(ready) == 0 {
		return false, err
	}
	for _, w := range ready[1:] {
		o.release(w.Installation)
	}
	defer o.release(ready[0].Installation)
	o.send(ctx, ready[0])
	return true, nil
}

// release frees an installation for its next write.
func (o *Outbox) release(installation int64) {
	o.mu.Lock()
	delete(o.busy, installation)
	o.mu.Unlock()
	o.Wake()
}

// ready picks for each installation without a write under way the one to send
// now, and reserves the installation. next is the earliest time at which a
// postponed write becomes ready.
func (o *Outbox) ready(ctx context.Context) (ready []store.Write, next time.Time, err error) {
	writes, err := o.Store.OpenWrites(ctx)
	if err != nil {
		return nil, time.Time{}, err
	}
	now := o.Now()
	later := func(t time.Time) {
		if next.IsZero() || t.Before(next) {
			next = t
		}
	}
	type lane struct {
		taken   bool
		objects map[string]bool // objects with an earlier write that is postponed
	}
	lanes := map[string]*lane{}
	best := map[int64]store.Write{}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range writes {
		l := lanes[w.Lane]
		if l == nil {
			l = &lane{objects: map[string]bool{}}
			lanes[w.Lane] = l
		}
		if l.taken || l.objects[w.Object] {
			continue
		}
		// One write that GitHub has trouble with must not hold the others of
		// its pull request back, only those of the same object.
		if w.NotBefore.After(now) {
			l.objects[w.Object] = true
			later(w.NotBefore)
			continue
		}
		l.taken = true
		if o.busy[w.Installation] {
			continue
		}
		b, ok := best[w.Installation]
		if !ok || w.Priority < b.Priority {
			best[w.Installation] = w
		}
	}
	for id, w := range best {
		hold, err := o.Store.InstallationHold(ctx, id)
		if err != nil {
			return nil, time.Time{}, err
		}
		if paced := o.created[id].Add(o.Pace); creates(w.Kind) && paced.After(hold) {
			hold = paced
		}
		if hold.After(now) {
			later(hold)
			continue
		}
		o.busy[id] = true
		ready = append(ready, w)
	}
	return ready, next, nil
}

// creates reports whether a write of this kind may make content, which GitHub
// limits to 80 a minute and 500 an hour.
func creates(kind string) bool { return kind != KindEdit && kind != KindCancel }

// pace notes that content is being made.
func (o *Outbox) pace(installation int64) {
	o.mu.Lock()
	o.created[installation] = o.Now()
	o.mu.Unlock()
}

// send performs one write and records how it went.
func (o *Outbox) send(ctx context.Context, listed store.Write) {
	w, err := o.Store.Write(ctx, listed.Key)
	if err != nil {
		o.Log.Error("outbox: read a write", "key", listed.Key, "error", err)
		return
	}
	began, err := o.Store.BeginWrite(ctx, w.Seq)
	if err != nil || !began {
		if err != nil {
			o.Log.Error("outbox: begin a write", "key", w.Key, "error", err)
		}
		return
	}
	// "sending" before this attempt means that an earlier one had no answer.
	unknown := w.State == store.WriteSending
	w.Attempts++
	result, err := o.perform(ctx, w, unknown)
	if ctx.Err() != nil {
		return // stays "sending"; the next process looks it up
	}
	if err := o.settle(ctx, w, result, err); err != nil {
		o.Log.Error("outbox: record a write", "key", w.Key, "error", err)
		return
	}
	o.Done(w.Kind, w.Lane)
}

// settle records the outcome of an attempt.
func (o *Outbox) settle(ctx context.Context, w store.Write, note string, failure error) error {
	log := o.Log.With("kind", w.Kind, "object", w.Object, "repo", w.Repo, "attempt", w.Attempts)
	if failure == nil {
		o.Observe(w.Kind, "done")
		log.Debug("outbox: written", "note", note)
		return o.Store.FinishWrite(ctx, w.Seq, store.WriteDone, note)
	}
	var later *postponed
	if errors.As(failure, &later) {
		o.Observe(w.Kind, "retry")
		return o.Store.PostponeWrite(ctx, w.Seq, later.notApplied, o.Now().Add(later.wait), later.note)
	}
	switch f := classify(failure, o.Now()); f.class {
	case held:
		o.Observe(w.Kind, "held")
		log.Warn("outbox: nothing may be sent for a while", "until", f.until, "error", failure)
		if err := o.Store.HoldInstallation(ctx, w.Installation, f.until); err != nil {
			return err
		}
		return o.Store.PostponeWrite(ctx, w.Seq, w.State == store.WriteQueued, f.until, failure.Error())
	case refused:
		o.Observe(w.Kind, "failed")
		log.Error(Refused, "error", failure)
		return o.refuse(ctx, w, failure)
	case notSent:
		o.Observe(w.Kind, "retry")
		log.Warn("outbox: not sent, will be tried again", "error", failure)
		return o.Store.PostponeWrite(ctx, w.Seq, w.State == store.WriteQueued, o.Now().Add(backoff(w.Attempts)), failure.Error())
	default:
		o.Observe(w.Kind, "retry")
		log.Warn("outbox: no certain answer, will be looked up", "error", failure)
		return o.Store.PostponeWrite(ctx, w.Seq, false, o.Now().Add(backoff(w.Attempts)), failure.Error())
	}
}

// noWorkflow begins the note of a dispatch whose workflow is not there.
const noWorkflow = "GitHub does not find the workflow"

// NoWorkflow reports whether a dispatch was refused because the default branch
// does not have its workflow.
func NoWorkflow(d store.Dispatch) bool {
	return d.State == store.DispatchRefused && strings.HasPrefix(d.Note, noWorkflow)
}

// refuse ends a write that GitHub will never take.
func (o *Outbox) refuse(ctx context.Context, w store.Write, failure error) error {
	return o.Store.Update(ctx, func(tx *store.Tx) error {
		if w.Kind == KindDispatch {
			var d Dispatch
			if err := decode(w, &d); err != nil {
				return err
			}
			was, err := tx.Dispatch(ctx, d.ID)
			if err != nil {
				return err
			}
			note := fmt.Sprintf("GitHub refuses to start the workflow `%s`: %s.", was.Workflow, strings.TrimRight(messageOf(failure), "."))
			if statusOf(failure) == http.StatusNotFound {
				note = fmt.Sprintf("%s `.github/workflows/%s` on the default branch `%s`.", noWorkflow, was.Workflow, was.Ref)
			}
			if _, err := tx.SetDispatchState(ctx, d.ID, store.DispatchRefused, note); err != nil {
				return err
			}
		}
		return tx.FinishWrite(ctx, w.Seq, store.WriteFailed, failure.Error())
	})
}

// perform sends one write. The note says what was done when that is not plain.
func (o *Outbox) perform(ctx context.Context, w store.Write, unknown bool) (note string, err error) {
	s := sender{Outbox: o, client: o.Clients.Write(w.Installation), w: w, unknown: unknown}
	s.repo.Installation = w.Installation
	s.repo.Owner, s.repo.Name = splitRepo(w.Repo)
	switch w.Kind {
	case KindCheck:
		return s.check(ctx)
	case KindReview:
		return s.review(ctx)
	case KindComment:
		return s.comment(ctx)
	case KindEdit:
		return s.edit(ctx)
	case KindReaction:
		return s.reaction(ctx)
	case KindDispatch:
		return s.dispatch(ctx)
	case KindCancel:
		return s.cancel(ctx)
	}
	return "", fmt.Errorf("outbox: unknown kind %q", w.Kind)
}
