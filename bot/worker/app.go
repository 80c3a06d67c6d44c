package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tilegate/tilegate/bot/outbox"
	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/rules"
)

// Options configure an App. Store, Reader, Clients, AppID and Rules are required.
type Options struct {
	Store   *store.Store
	Reader  pull.Reader
	Clients outbox.Clients
	AppID   int64
	Rules   []*rules.Rule
	Version string
	// Forget drops what the clients know about an installation; may be nil.
	Forget            func(installation int64)
	Now               func() time.Time
	Entropy           io.Reader // for dispatch ids
	Log               *slog.Logger
	WritePace         time.Duration
	PollInterval      time.Duration // how often a run under way is read
	ReconcileInterval time.Duration // how often everything open is looked at
	ReviewLimit       time.Duration // of a static review; 500 kernels take some seconds
	// PageURL is the address of a dispatch's page; nil when there are no pages.
	PageURL  func(dispatch string) string
	Registry *prometheus.Registry
}

// App carries out what deliveries, time and its own writes call for.
type App struct {
	Options
	queue  queue
	outbox *outbox.Outbox
	turns  turns
	seen   seenRuns
	sweep  chan struct{}
	swept  time.Time // start of the last search for missed deliveries; the sweep's own
	clock  chan struct{}

	idMu sync.Mutex
	ids  *ulid.MonotonicEntropy

	metrics metrics
}

// New makes an App over an open store and creates its queue's tables.
func New(ctx context.Context, o Options) (*App, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Entropy == nil {
		o.Entropy = rand.Reader
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.PollInterval == 0 {
		o.PollInterval = 30 * time.Second
	}
	if o.ReconcileInterval == 0 {
		o.ReconcileInterval = 5 * time.Minute
	}
	if o.ReviewLimit == 0 {
		o.ReviewLimit = 5 * time.Minute
	}
	if o.Forget == nil {
		o.Forget = func(int64) {}
	}
	if o.Registry == nil {
		o.Registry = prometheus.NewRegistry()
	}
	a := &App{
		Options: o, sweep: make(chan struct{}, 1), clock: make(chan struct{}, 1),
		ids: ulid.Monotonic(o.Entropy, 0), metrics: newMetrics(o.Registry, o.Store),
	}
	a.outbox = outbox.New(outbox.Options{
		Store: o.Store, Clients: o.Clients, Reader: o.Reader, Now: o.Now, Pace: o.WritePace, Log: o.Log,
		Done: a.written, Observe: func(kind, result string) { a.metrics.writes.WithLabelValues(kind, result).Inc() },
	})
	var err error
	if a.queue, err = openSQLite(ctx, a); err != nil {
		return nil, fmt.Errorf("open the queue: %w", err)
	}
	return a, nil
}

func (a *App) start(ctx context.Context) error {
	if err := a.recover(ctx); err != nil {
		return fmt.Errorf("take up unfinished work: %w", err)
	}
	if err := a.queue.start(ctx); err != nil {
		return fmt.Errorf("start the queue: %w", err)
	}
	return nil
}

// Run works until the context ends. It first looks again at whatever an
// earlier process left unfinished. A stop while it starts is no error.
func (a *App) Run(ctx context.Context) error {
	if err := a.start(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	var parts sync.WaitGroup
	failures := make(chan error, 3)
	for _, part := range []func(context.Context) error{a.outbox.Run, a.runClock, a.runSweep} {
		parts.Go(func() { failures <- part(ctx) })
	}
	<-ctx.Done()
	parts.Wait()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := a.queue.stop(stop)
	for range cap(failures) {
		err = errors.Join(err, <-failures)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// Accept stores a delivery and the job that acts on it, together. A delivery
// that was stored and not finished gets its job again.
func (a *App) Accept(ctx context.Context, d store.Delivery) (fresh bool, err error) {
	err = a.Store.Update(ctx, func(tx *store.Tx) error {
		if fresh, err = tx.AddDelivery(ctx, d); err != nil {
			return err
		}
		if !fresh {
			known, err := tx.Delivery(ctx, d.GUID)
			if err != nil || !known.Handled.IsZero() {
				return err
			}
		}
		return a.queue.addDelivery(ctx, tx, d.GUID)
	})
	return fresh, err
}

// Wake makes time-driven work look at the clock, for callers that set it.
func (a *App) Wake() {
	signal(a.clock)
	a.outbox.Wake()
}

// Sweep makes the App read all installations now.
func (a *App) Sweep() { signal(a.sweep) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// newID makes the id of a dispatch.
func (a *App) newID() (string, error) {
	a.idMu.Lock()
	defer a.idMu.Unlock()
	id, err := ulid.New(ulid.Timestamp(a.Now()), a.ids)
	return id.String(), err
}

// written is told when the outbox has tried a write. A dispatch that was sent
// is followed from then on.
func (a *App) written(kind, lane string) {
	if kind != outbox.KindDispatch && kind != outbox.KindCancel {
		return
	}
	ctx := context.Background()
	err := a.Store.Update(ctx, func(tx *store.Tx) error { return a.queue.addLook(ctx, tx, lane, full) })
	if err != nil {
		a.Log.Error("queue a look", "target", lane, "error", err)
	}
}

// Busy reports whether a look is under way or queued.
func (a *App) Busy(ctx context.Context) (bool, error) {
	if a.turns.any() {
		return true, nil
	}
	return a.queue.waiting(ctx)
}
