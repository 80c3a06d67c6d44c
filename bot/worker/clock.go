package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/store"
)

// recover queues again whatever an earlier process may have left unfinished.
// It does not wait for the queue's timer for stuck jobs.
func (a *App) recover(ctx context.Context) error {
	guids, err := a.Store.OpenDeliveries(ctx)
	if err != nil {
		return err
	}
	targets, err := a.Store.OpenTargets(ctx, "")
	if err != nil {
		return err
	}
	a.Sweep()
	return a.Store.Update(ctx, func(tx *store.Tx) error {
		for _, guid := range guids {
			if err := a.queue.addDelivery(ctx, tx, guid); err != nil {
				return err
			}
		}
		for _, t := range targets {
			if err := a.queue.addLook(ctx, tx, t.Key, full); err != nil {
				return err
			}
		}
		return nil
	})
}

// runClock queues the looks that are due.
func (a *App) runClock(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := a.queueDue(ctx); err != nil && ctx.Err() == nil {
			a.Log.Error("queue the looks that are due", "error", err)
		}
		next, err := a.Store.NextDue(ctx)
		wait := time.Minute
		switch {
		case err != nil:
			wait = time.Second
		case !next.IsZero():
			wait = min(wait, max(next.Sub(a.Now()), time.Millisecond))
		}
		pause(ctx, wait, a.clock)
	}
	return nil
}

func (a *App) queueDue(ctx context.Context) error {
	due, err := a.Store.DueTargets(ctx)
	if err != nil || len(due) == 0 {
		return err
	}
	return a.Store.Update(ctx, func(tx *store.Tx) error {
		for _, d := range due {
			if err := tx.ClearDue(ctx, d); err != nil {
				return err
			}
			how := poll
			if d.Full {
				how = full
			}
			if err := a.queue.addLook(ctx, tx, d.Target, how); err != nil {
				return err
			}
		}
		return nil
	})
}

// pause waits for a time, a signal or the end of the context.
func pause(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-wake:
	case <-timer.C:
	}
}

// runSweep reads all installations now and then: GitHub never repeats a
// delivery that was not received.
func (a *App) runSweep(ctx context.Context) error {
	for ctx.Err() == nil {
		pause(ctx, a.ReconcileInterval, a.sweep)
		if ctx.Err() != nil {
			break
		}
		if err := a.sweepAll(ctx); err != nil && ctx.Err() == nil {
			a.Log.Error("sweep", "error", err)
		}
	}
	return nil
}

// deliveryMemory is how long payloads are kept, longer than GitHub offers to
// redeliver them.
const deliveryMemory = 30 * 24 * time.Hour

// sweepPart is a part of a sweep that can fail, as the metric names it.
type sweepPart string

const (
	sweepDatabase      sweepPart = "database"
	sweepDeliveries    sweepPart = "deliveries"
	sweepInstallations sweepPart = "installations"
	sweepRepository    sweepPart = "repository"
)

func (a *App) sweepAll(ctx context.Context) error {
	var failures []error
	failed := func(part sweepPart, err error) {
		failures = append(failures, err)
		if ctx.Err() == nil {
			a.metrics.sweepFailures.WithLabelValues(string(part)).Inc()
		}
	}
	if err := a.Store.Prune(ctx, a.Now().Add(-deliveryMemory)); err != nil {
		failed(sweepDatabase, err)
		return errors.Join(failures...)
	}
	if err := a.acceptMissed(ctx); err != nil {
		failed(sweepDeliveries, fmt.Errorf("read missed deliveries: %w", err))
	}
	installations, err := a.Reader.Installations(ctx)
	if err != nil {
		failed(sweepInstallations, err)
		return errors.Join(failures...)
	}
	for _, i := range installations {
		if i.Suspended {
			continue
		}
		for _, repo := range i.Repos {
			// One repository that cannot be read must not hide the others.
			if err := a.sweepRepo(ctx, repo); err != nil {
				failed(sweepRepository, err)
			}
		}
	}
	if len(failures) == 0 {
		a.metrics.swept.Set(float64(a.Now().Unix()))
	}
	return errors.Join(failures...)
}

// missedReader is a Reader that also knows which deliveries GitHub could not
// make.
type missedReader interface {
	MissedDeliveries(ctx context.Context, since time.Time, known func(guid string) (bool, error)) ([]pull.Delivery, error)
}

// Bounds of the search for missed deliveries: how far the first one looks back,
// and how much each one overlaps with the one before.
const (
	firstLookBack = 3 * 24 * time.Hour
	overlap       = time.Hour
)

// acceptMissed takes in the deliveries that did not get through. What they ask
// for, such as a command, may show nowhere else.
func (a *App) acceptMissed(ctx context.Context) error {
	reader, ok := a.Reader.(missedReader)
	if !ok {
		return nil
	}
	started, since := a.Now(), a.swept.Add(-overlap)
	if a.swept.IsZero() {
		since = started.Add(-firstLookBack)
	}
	missed, err := reader.MissedDeliveries(ctx, since, func(guid string) (bool, error) {
		_, err := a.Store.Delivery(ctx, guid)
		if errors.Is(err, store.ErrNotFound) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return err
	}
	for _, d := range missed {
		if _, err := a.Accept(ctx, store.Delivery{GUID: d.GUID, Event: d.Event, Action: d.Action, Payload: d.Payload}); err != nil {
			return err
		}
		a.Log.Warn("a delivery did not get through and was fetched", "guid", d.GUID, "event", d.Event)
	}
	a.swept = started
	return nil
}

// sweepRepo queues a look at each open pull request that is new, has moved, or
// is not settled, and at those that are not open any more.
func (a *App) sweepRepo(ctx context.Context, repo pull.Repo) error {
	open, err := a.Reader.OpenPullRequests(ctx, repo)
	if err != nil {
		return err
	}
	return a.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.SaveRepo(ctx, repo.String(), repo.Installation); err != nil {
			return err
		}
		known, err := tx.OpenTargets(ctx, repo.String())
		if err != nil {
			return err
		}
		before := make(map[string]store.Target, len(known))
		for _, t := range known {
			before[t.Key] = t
		}
		for _, info := range open {
			t := targetOf(info)
			old, ok := before[t.Key]
			delete(before, t.Key)
			if ok && old.HeadSHA == t.HeadSHA && settled(old.Tree) {
				continue
			}
			if err := tx.SaveTarget(ctx, t); err != nil {
				return err
			}
			if err := a.queue.addLook(ctx, tx, t.Key, full); err != nil {
				return err
			}
		}
		for key, t := range before {
			if t.Number == 0 && settled(t.Tree) {
				continue
			}
			if err := a.queue.addLook(ctx, tx, key, full); err != nil {
				return err
			}
		}
		return nil
	})
}

// targetOf is the target of an open pull request or a commit.
func targetOf(i pull.Info) store.Target {
	t := store.Target{
		Key: store.PullKey(i.Repo.String(), i.Number), Repo: i.Repo.String(), Installation: i.Repo.Installation, Number: i.Number,
		HeadSHA: i.HeadSHA, BaseRef: i.BaseRef, BaseSHA: i.BaseSHA, Author: i.Author, Open: true,
	}
	if i.Number == 0 {
		t.Key = store.CommitKey(i.Repo.String(), i.HeadSHA)
	}
	return t
}
