package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	_ "modernc.org/sqlite" // registers the "sqlite" driver
)

//go:embed migrations/*.sql
var migrations embed.FS

// ErrNotFound says that the row asked for does not exist.
var ErrNotFound = errors.New("not in the store")

// querier is what a database and a transaction have in common.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// queries holds the typed statements; they work on the store and inside a
// transaction alike.
type queries struct {
	q   querier
	now func() time.Time
}

// Store is the App's database. It is safe for concurrent use.
type Store struct {
	queries
	db   *sql.DB
	lock *os.File // nil for a reader and for a database in memory
}

// Tx is one transaction. Inside Update only the transaction may be used: the
// database has one connection, so a statement on the Store would wait for ever.
type Tx struct {
	queries
	tx *sql.Tx
}

// SQL returns the transaction for a queue that inserts its jobs in it.
func (t *Tx) SQL() *sql.Tx { return t.tx }

// Open opens the database of a URL of the form "sqlite:PATH", creates or
// migrates its tables, and reads the time from now. Until it is closed, or its
// process ends, no other one opens the same database: ErrInUse.
func Open(ctx context.Context, databaseURL string, now func() time.Time) (*Store, error) {
	path, err := sqlitePath(databaseURL)
	if err != nil {
		return nil, err
	}
	var held *os.File
	if path != inMemory {
		if held, err = lock(path); err != nil {
			return nil, fmt.Errorf("open database %s: %w", path, err)
		}
	}
	// FULL: an acknowledged webhook must survive a power loss.
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() +
		"?_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_txlock=immediate"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		held.Close()
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	// SQLite has one writer; one connection turns lock waits into a queue.
	db.SetMaxOpenConns(1)
	s := &Store{queries: queries{q: db, now: now}, db: db, lock: held}
	if err := s.migrate(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	return s, nil
}

// inMemory is the path of a database that no other process can open.
const inMemory = ":memory:"

// sqlitePath is the path of a URL of the form "sqlite:PATH".
func sqlitePath(databaseURL string) (string, error) {
	path, ok := strings.CutPrefix(databaseURL, "sqlite:")
	if !ok || path == "" {
		scheme, _, _ := strings.Cut(databaseURL, ":")
		return "", fmt.Errorf("database URL: expected sqlite:PATH, found scheme %q", scheme)
	}
	return path, nil
}

// DB returns the pool for a queue driver.
func (s *Store) DB() *sql.DB { return s.db }

// Close closes the database and lets another process open it.
func (s *Store) Close() error {
	err := s.db.Close()
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return s.db.QueryRowContext(ctx, "SELECT 1").Scan(&one)
}

// Update runs f in one transaction: all of its writes are kept, or none.
func (s *Store) Update(ctx context.Context, f func(*Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	if err := f(&Tx{queries: queries{q: tx, now: s.now}, tx: tx}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// migrate applies the numbered files that the database has not seen.
func (s *Store) migrate(ctx context.Context) error {
	if _, err := s.db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied INTEGER NOT NULL)"); err != nil {
		return err
	}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		err := s.Update(ctx, func(tx *Tx) error {
			var seen int
			if err := tx.q.QueryRowContext(ctx, "SELECT COUNT(*) FROM migrations WHERE name = ?1", name).Scan(&seen); err != nil || seen > 0 {
				return err
			}
			text, err := migrations.ReadFile(name)
			if err != nil {
				return err
			}
			if _, err := tx.q.ExecContext(ctx, string(text)); err != nil {
				return err
			}
			return tx.exec(ctx, "INSERT INTO migrations (name, applied) VALUES (?1, ?2)", name, tx.stamp())
		})
		if err != nil {
			return fmt.Errorf("migration %s: %w", name, err)
		}
	}
	return nil
}

// stamp is the present time in the form that the tables hold.
func (q queries) stamp() int64 { return millis(q.now()) }

func (q queries) exec(ctx context.Context, query string, args ...any) error {
	_, err := q.q.ExecContext(ctx, query, args...)
	return err
}

// changed runs a statement and reports whether it touched a row.
func (q queries) changed(ctx context.Context, query string, args ...any) (bool, error) {
	res, err := q.q.ExecContext(ctx, query, args...)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// collect reads all rows of a query before it returns, so that the one
// connection is free again.
func collect[T any](ctx context.Context, q queries, scan func(func(...any) error) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := scan(rows.Scan)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// one reads a single row; ErrNotFound when there is none.
func one[T any](ctx context.Context, q queries, scan func(func(...any) error) (T, error), query string, args ...any) (T, error) {
	v, err := scan(q.q.QueryRowContext(ctx, query, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return v, err
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
