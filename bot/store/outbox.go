package store

import (
	"context"
	"errors"
	"strings"
	"time"
)

// WriteState is where a write stands.
type WriteState string

// The states of a write. A write found in "sending" at start-up may or may not
// have reached GitHub.
const (
	WriteQueued     WriteState = "queued"
	WriteSending    WriteState = "sending"
	WriteDone       WriteState = "done"
	WriteFailed     WriteState = "failed"     // GitHub refused it for good
	WriteSuperseded WriteState = "superseded" // a newer state of the same object replaced it
)

// Write is one thing that GitHub has to be told.
type Write struct {
	Seq          int64
	Key          string // idempotency key: the same key is enqueued once
	Lane         string // writes of a lane are sent in the order of Seq
	Installation int64
	Repo         string
	Kind         string
	Object       string // the thing on GitHub that it writes, our own name for it
	Priority     int    // lower goes first among lanes
	Payload      []byte // JSON, by kind
	State        WriteState
	Attempts     int
	NotBefore    time.Time
	Note         string
}

const writeColumns = "seq, key, lane, installation, repo, kind, object, priority, payload, state, attempts, not_before, note"

func scanWrite(scan func(...any) error) (Write, error) {
	var w Write
	var notBefore int64
	err := scan(&w.Seq, &w.Key, &w.Lane, &w.Installation, &w.Repo, &w.Kind, &w.Object, &w.Priority, &w.Payload, &w.State, &w.Attempts, &notBefore, &w.Note)
	w.NotBefore = fromMillis(notBefore)
	return w, err
}

// Enqueue adds a write and reports whether its key is new. With replace,
// queued writes of the same object that were not begun are superseded.
func (q queries) Enqueue(ctx context.Context, w Write, replace bool) (bool, error) {
	added, err := q.changed(ctx, `INSERT INTO outbox (key, lane, installation, repo, kind, object, priority, payload, not_before, created)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (key) DO NOTHING`,
		w.Key, w.Lane, w.Installation, w.Repo, w.Kind, w.Object, w.Priority, w.Payload, millis(w.NotBefore), q.stamp())
	if err != nil || !added || !replace {
		return added, err
	}
	return true, q.exec(ctx, `UPDATE outbox SET state = 'superseded', finished = ?3 WHERE object = ?1 AND key <> ?2 AND state = 'queued'`,
		w.Object, w.Key, q.stamp())
}

// OpenWrites lists the writes that are not finished, in order, without their
// payloads.
func (q queries) OpenWrites(ctx context.Context) ([]Write, error) {
	return collect(ctx, q, scanWrite, "SELECT "+strings.Replace(writeColumns, "payload", "x''", 1)+
		" FROM outbox WHERE state IN ('queued', 'sending') ORDER BY seq")
}

// Write reads one write by its key.
func (q queries) Write(ctx context.Context, key string) (Write, error) {
	return one(ctx, q, scanWrite, "SELECT "+writeColumns+" FROM outbox WHERE key = ?1", key)
}

// BeginWrite marks a queued write as being sent. It reports false when the
// write was superseded meanwhile.
func (q queries) BeginWrite(ctx context.Context, seq int64) (bool, error) {
	return q.changed(ctx, "UPDATE outbox SET state = 'sending', attempts = attempts + 1 WHERE seq = ?1 AND state IN ('queued', 'sending')", seq)
}

// FinishWrite records the end of a write.
func (q queries) FinishWrite(ctx context.Context, seq int64, state WriteState, note string) error {
	return q.exec(ctx, "UPDATE outbox SET state = ?2, note = ?3, finished = ?4 WHERE seq = ?1", seq, state, note, q.stamp())
}

// PostponeWrite keeps a write for later. It stays "sending" unless GitHub is
// known not to have applied it.
func (q queries) PostponeWrite(ctx context.Context, seq int64, notApplied bool, notBefore time.Time, note string) error {
	state := WriteSending
	if notApplied {
		state = WriteQueued
	}
	return q.exec(ctx, "UPDATE outbox SET state = ?2, not_before = ?3, note = ?4 WHERE seq = ?1", seq, state, millis(notBefore), note)
}

// HoldInstallation keeps all of an installation's writes back until a time,
// because GitHub asked for a pause.
func (q queries) HoldInstallation(ctx context.Context, id int64, until time.Time) error {
	return q.exec(ctx, `INSERT INTO installations (id, not_before) VALUES (?1, ?2)
		ON CONFLICT (id) DO UPDATE SET not_before = max(not_before, ?2)`, id, millis(until))
}

// ReleaseInstallation ends a pause early, because the installation is back.
func (q queries) ReleaseInstallation(ctx context.Context, id int64) error {
	if err := q.exec(ctx, "UPDATE outbox SET not_before = 0 WHERE installation = ?1 AND state IN ('queued', 'sending')", id); err != nil {
		return err
	}
	return q.exec(ctx, "DELETE FROM installations WHERE id = ?1", id)
}

// InstallationHold is the time before which an installation must not be written to.
func (q queries) InstallationHold(ctx context.Context, id int64) (time.Time, error) {
	ms, err := one(ctx, q, scanInt, "SELECT COALESCE(MAX(not_before), 0) FROM installations WHERE id = ?1", id)
	return fromMillis(ms), err
}

// CountWrites counts the writes in each state.
func (q queries) CountWrites(ctx context.Context) (map[WriteState]int64, error) {
	type row struct {
		state WriteState
		n     int64
	}
	rows, err := collect(ctx, q, func(scan func(...any) error) (row, error) {
		var r row
		err := scan(&r.state, &r.n)
		return r, err
	}, "SELECT state, COUNT(*) FROM outbox GROUP BY state")
	counts := make(map[WriteState]int64, len(rows))
	for _, r := range rows {
		counts[r.state] = r.n
	}
	return counts, err
}

// Object is what is known about a thing on GitHub that the App made.
type Object struct {
	RemoteID int64 // GitHub's id
	Progress int   // how much of it was written, e.g. annotations sent
	URL      string
}

// Object reads what is known about an object; ErrNotFound before it was made.
func (q queries) Object(ctx context.Context, object string) (Object, error) {
	return one(ctx, q, func(scan func(...any) error) (Object, error) {
		var o Object
		err := scan(&o.RemoteID, &o.Progress, &o.URL)
		return o, err
	}, "SELECT remote_id, progress, url FROM objects WHERE object = ?1", object)
}

// SaveObject records what is known about an object.
func (q queries) SaveObject(ctx context.Context, object string, o Object) error {
	return q.exec(ctx, `INSERT INTO objects (object, remote_id, progress, url) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT (object) DO UPDATE SET remote_id = ?2, progress = ?3, url = ?4`, object, o.RemoteID, o.Progress, o.URL)
}

// Wanted is the state that was asked for last of an object.
type Wanted struct {
	Digest     string // of the whole state
	Generation int    // counts the check runs of one name and commit; starts at 1
	Completed  bool   // the check run was concluded
}

// Wanted reads what was asked for last; the zero value for nothing yet.
func (q queries) Wanted(ctx context.Context, object string) (Wanted, error) {
	w, err := one(ctx, q, func(scan func(...any) error) (Wanted, error) {
		var w Wanted
		err := scan(&w.Digest, &w.Generation, &w.Completed)
		return w, err
	}, "SELECT digest, generation, completed FROM wanted WHERE object = ?1", object)
	if errors.Is(err, ErrNotFound) {
		return Wanted{}, nil
	}
	return w, err
}

// SetWanted records the state that an object should have.
func (q queries) SetWanted(ctx context.Context, object string, w Wanted) error {
	return q.exec(ctx, `INSERT INTO wanted (object, digest, generation, completed) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT (object) DO UPDATE SET digest = ?2, generation = ?3, completed = ?4`, object, w.Digest, w.Generation, w.Completed)
}
