package worker

import (
	"context"
	"database/sql"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"github.com/tilegate/tilegate/bot/store"
)

// deliveryArgs asks for one stored delivery to be acted on.
type deliveryArgs struct {
	GUID string `json:"guid"`
}

// Kind names the job in the database.
func (deliveryArgs) Kind() string { return "delivery" }

// lookArgs asks for a look at one target.
type lookArgs struct {
	Target string `json:"target"`
	Depth  depth  `json:"depth"`
}

// Kind names the job in the database.
func (lookArgs) Kind() string { return "look" }

// queue is the durable queue, whatever database is below it.
type queue interface {
	start(ctx context.Context) error
	stop(ctx context.Context) error
	addDelivery(ctx context.Context, tx *store.Tx, guid string) error
	addLook(ctx context.Context, tx *store.Tx, target string, d depth) error
	// waiting reports whether a job has not ended.
	waiting(ctx context.Context) (bool, error)
}

// Bounds of a job. A job reads and decides; it never waits for a GPU.
const (
	jobTimeout = 15 * time.Minute
	workers    = 8
)

// riverQueue is a queue over one of River's drivers; TTx is its transaction.
type riverQueue[TTx any] struct {
	client *river.Client[TTx]
	tx     func(*store.Tx) TTx
}

// openSQLite opens the queue in the App's own SQLite file.
func openSQLite(ctx context.Context, a *App) (queue, error) {
	return openRiver(ctx, a, riversqlite.New(a.Store.DB()), func(tx *store.Tx) *sql.Tx { return tx.SQL() })
}

func openRiver[TTx any](ctx context.Context, a *App, driver riverdriver.Driver[TTx], tx func(*store.Tx) TTx) (queue, error) {
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: a.Log})
	if err != nil {
		return nil, err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return nil, err
	}
	jobs := river.NewWorkers()
	if err := river.AddWorkerSafely(jobs, &deliveryWorker{app: a}); err != nil {
		return nil, err
	}
	if err := river.AddWorkerSafely(jobs, &lookWorker{app: a}); err != nil {
		return nil, err
	}
	client, err := river.NewClient(driver, &river.Config{
		Logger:  a.Log,
		Workers: jobs,
		Queues:  map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}},
		// What was under way when a process ended is taken up at the next start,
		// so the timer for stuck jobs is only a second net.
		JobTimeout:           jobTimeout,
		RescueStuckJobsAfter: 2 * jobTimeout,
		FetchCooldown:        20 * time.Millisecond,
	})
	if err != nil {
		return nil, err
	}
	return &riverQueue[TTx]{client: client, tx: tx}, nil
}

func (q *riverQueue[TTx]) start(ctx context.Context) error { return q.client.Start(ctx) }

// stop waits for the jobs under way, which the end of start's context has cancelled.
func (q *riverQueue[TTx]) stop(ctx context.Context) error { return q.client.Stop(ctx) }

func (q *riverQueue[TTx]) addDelivery(ctx context.Context, tx *store.Tx, guid string) error {
	_, err := q.client.InsertTx(ctx, q.tx(tx), deliveryArgs{GUID: guid}, nil)
	return err
}

func (q *riverQueue[TTx]) addLook(ctx context.Context, tx *store.Tx, target string, d depth) error {
	_, err := q.client.InsertTx(ctx, q.tx(tx), lookArgs{Target: target, Depth: d}, nil)
	return err
}

func (q *riverQueue[TTx]) waiting(ctx context.Context) (bool, error) {
	jobs, err := q.client.JobList(ctx, river.NewJobListParams().First(1).States(
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled))
	if err != nil {
		return false, err
	}
	return len(jobs.Jobs) > 0, nil
}

type deliveryWorker struct {
	river.WorkerDefaults[deliveryArgs]
	app *App
}

// Work acts on a delivery.
func (w *deliveryWorker) Work(ctx context.Context, j *river.Job[deliveryArgs]) error {
	return w.app.deliver(ctx, j.Args.GUID)
}

// NextRetry tries soon again: the work is local and short.
func (w *deliveryWorker) NextRetry(j *river.Job[deliveryArgs]) time.Time {
	return time.Now().Add(min(time.Duration(j.Attempt)*time.Second, time.Minute))
}

type lookWorker struct {
	river.WorkerDefaults[lookArgs]
	app *App
}

// Work looks at a target. A look that fails sets its own time for the next one.
func (w *lookWorker) Work(ctx context.Context, j *river.Job[lookArgs]) error {
	return w.app.lookAt(ctx, j.Args.Target, j.Args.Depth)
}
