package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/tilegate/tilegate/bot/store"
)

// Inline is an App whose caller does the work, one step after the other: the
// same deliveries have the same effects in the same order. It waits for
// nothing; what is due later stays undone.
type Inline struct {
	*App
	work *inlineQueue
}

// NewInline makes an Inline over an open store.
func NewInline(ctx context.Context, o Options) (*Inline, error) {
	app, err := New(ctx, o)
	if err != nil {
		return nil, err
	}
	work := &inlineQueue{}
	app.queue = work
	return &Inline{app, work}, nil
}

// maxSteps bounds Settle: no delivery needs nearly as many.
const maxSteps = 10_000

// Settle acts on what was accepted, looks at what that concerns and sends what
// GitHub has to be told, until nothing is left that can be done now.
func (i *Inline) Settle(ctx context.Context) error {
	for range maxSteps {
		did, err := i.step(ctx)
		if err != nil || !did {
			return err
		}
	}
	return fmt.Errorf("not settled after %d steps", maxSteps)
}

// step does one thing and reports whether there was one.
func (i *Inline) step(ctx context.Context) (bool, error) {
	if len(i.work.deliveries) > 0 {
		guid := i.work.deliveries[0]
		i.work.deliveries = i.work.deliveries[1:]
		return true, i.deliver(ctx, guid)
	}
	if len(i.work.looks) > 0 {
		l := i.work.looks[0]
		i.work.looks = i.work.looks[1:]
		return true, i.lookAt(ctx, l.Target, l.Depth)
	}
	select {
	case <-i.sweep:
		return true, i.sweepAll(ctx)
	default:
	}
	return i.outbox.Step(ctx)
}

// inlineQueue holds the jobs in the order in which they came.
type inlineQueue struct {
	deliveries []string
	looks      []lookArgs
}

var errInline = errors.New("an inline App is not run, its caller settles it")

func (q *inlineQueue) start(context.Context) error { return errInline }

func (q *inlineQueue) stop(context.Context) error { return nil }

func (q *inlineQueue) addDelivery(_ context.Context, _ *store.Tx, guid string) error {
	q.deliveries = append(q.deliveries, guid)
	return nil
}

// addLook joins looks at the same target.
func (q *inlineQueue) addLook(_ context.Context, _ *store.Tx, target string, d depth) error {
	for i, l := range q.looks {
		if l.Target == target {
			q.looks[i].Depth = max(l.Depth, d)
			return nil
		}
	}
	q.looks = append(q.looks, lookArgs{Target: target, Depth: d})
	return nil
}

func (q *inlineQueue) waiting(context.Context) (bool, error) {
	return len(q.deliveries)+len(q.looks) > 0, nil
}
