package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// OpenReader opens an existing database for reading, beside an App that may be
// running on it; every write fails. A database of another version of tilegate
// is refused.
func OpenReader(ctx context.Context, databaseURL string) (*Store, error) {
	path, err := sqlitePath(databaseURL)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("expected the App's database: %w", err)
	}
	// SQLite keeps its files beside what a link points to.
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, fmt.Errorf("expected the App's database: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("expected the App's database, found %s, which is no file", path)
	}
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?mode=ro&_pragma=busy_timeout(5000)&_pragma=query_only(1)"
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		// No App has it open. Without this a reader leaves files beside the
		// database that belong to the reader's user.
		dsn += "&immutable=1"
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	s := &Store{queries: queries{q: db, now: time.Now}, db: db}
	if err := s.sameVersion(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	return s, nil
}

// sameVersion compares the migrations of the database with those known here.
func (s *Store) sameVersion(ctx context.Context) error {
	tables, err := one(ctx, s.queries, scanInt, "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'migrations'")
	if err != nil {
		return err
	}
	if tables == 0 {
		return errors.New("expected the App's database, found another one")
	}
	applied, err := collect(ctx, s.queries, scanString, "SELECT name FROM migrations ORDER BY name")
	if err != nil {
		return err
	}
	known, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	if len(applied) != len(known) {
		return fmt.Errorf("it has %d of the %d migrations of this tilegate: expected one of the same version", len(applied), len(known))
	}
	return nil
}

// TargetLike reads a target by its key in any case, as people write names of
// repositories.
func (q queries) TargetLike(ctx context.Context, key string) (Target, error) {
	return one(ctx, q, scanTarget, "SELECT "+targetColumns+" FROM targets WHERE key = ?1 COLLATE NOCASE ORDER BY key = ?1 DESC LIMIT 1", key)
}

// PullsLike lists the numbers of the known pull requests of a repository, its
// name in any case, the newest first.
func (q queries) PullsLike(ctx context.Context, repo string) ([]int64, error) {
	return collect(ctx, q, scanInt, "SELECT number FROM targets WHERE repo = ?1 COLLATE NOCASE AND number > 0 ORDER BY number DESC", repo)
}

// NextLook is the time at which the App looks at a target again by itself;
// zero when only an event makes it.
func (q queries) NextLook(ctx context.Context, key string) (time.Time, error) {
	ms, err := one(ctx, q, scanInt, `SELECT COALESCE(MIN(t), 0) FROM (
		SELECT next_look AS t FROM targets WHERE key = ?1 AND next_look > 0 UNION ALL
		SELECT next_poll FROM targets WHERE key = ?1 AND next_poll > 0)`, key)
	return fromMillis(ms), err
}

// CountLaneWrites counts what GitHub has not been told yet about a target.
func (q queries) CountLaneWrites(ctx context.Context, lane string) (int64, error) {
	return one(ctx, q, scanInt, "SELECT COUNT(*) FROM outbox WHERE lane = ?1 AND state IN ('queued', 'sending')", lane)
}
