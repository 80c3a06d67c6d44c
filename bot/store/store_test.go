package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/store"
)

// clock is a settable time.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.t }

func (c *clock) advance(d time.Duration) { c.mu.Lock(); c.t = c.t.Add(d); c.mu.Unlock() }

func open(t *testing.T, path string) (*store.Store, *clock) {
	t.Helper()
	c := &clock{t: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	s, err := store.Open(t.Context(), "sqlite:"+path, c.now)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s, c
}

func TestOpenMigratesOnceAndKeepsRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b.db")
	s, _ := open(t, path)
	added, err := s.AddDelivery(t.Context(), store.Delivery{GUID: "g1", Event: "ping", Payload: []byte("{}")})
	require.NoError(t, err)
	require.True(t, added)
	require.NoError(t, s.Close())

	s, _ = open(t, path)
	added, err = s.AddDelivery(t.Context(), store.Delivery{GUID: "g1", Event: "ping", Payload: []byte("{}")})
	require.NoError(t, err)
	require.False(t, added, "the same GUID is one event, also after a restart")
	guids, err := s.OpenDeliveries(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"g1"}, guids)
	require.NoError(t, s.FinishDelivery(t.Context(), "g1", "ignored"))
	guids, err = s.OpenDeliveries(t.Context())
	require.NoError(t, err)
	require.Empty(t, guids)
}

func TestOpenRefusesOtherSchemesWithoutEchoingThem(t *testing.T) {
	_, err := store.Open(t.Context(), "postgres://user:hunter2@host/db", time.Now)
	require.ErrorContains(t, err, "expected sqlite:PATH")
	require.NotContains(t, err.Error(), "hunter2")
}

func TestUpdateKeepsAllOrNothing(t *testing.T) {
	s, _ := open(t, filepath.Join(t.TempDir(), "db"))
	boom := errors.New("boom")
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.AddDelivery(t.Context(), store.Delivery{GUID: "g", Payload: []byte("{}")}); err != nil {
			return err
		}
		return boom
	})
	require.ErrorIs(t, err, boom)
	_, err = s.Delivery(t.Context(), "g")
	require.ErrorIs(t, err, store.ErrNotFound)
}

func TestHeadAtIsWhatWasKnownThen(t *testing.T) {
	ctx := context.Background()
	s, c := open(t, filepath.Join(t.TempDir(), "db"))
	target := store.Target{Key: store.PullKey("o/r", 3), Repo: "o/r", Installation: 1, Number: 3, HeadSHA: "aaa", Open: true}
	require.NoError(t, s.SaveTarget(ctx, target))
	commented := c.now()
	c.advance(time.Second)
	target.HeadSHA = "bbb"
	require.NoError(t, s.SaveTarget(ctx, target))

	sha, err := s.HeadAt(ctx, target.Key, commented)
	require.NoError(t, err)
	require.Equal(t, "aaa", sha)
	keys, err := s.TargetsOf(ctx, "o/r", "aaa")
	require.NoError(t, err)
	require.Equal(t, []string{"o/r#3"}, keys, "field-report 21: a commit leads to its pull request without GitHub's list")
}

func TestAnEndedDispatchStaysEnded(t *testing.T) {
	ctx := context.Background()
	s, _ := open(t, filepath.Join(t.TempDir(), "db"))
	require.NoError(t, s.AddDispatch(ctx, store.Dispatch{ID: "01", Target: "o/r#1", Repo: "o/r", Labels: []string{"gpu"}, Request: []byte("{}")}))
	moved, err := s.SetDispatchState(ctx, "01", store.DispatchExpired, "no runner took the job")
	require.NoError(t, err)
	require.True(t, moved)
	moved, err = s.SetDispatchState(ctx, "01", store.DispatchDone, "")
	require.NoError(t, err)
	require.False(t, moved, "field-report 64: a late completion does not change the outcome")
	d, err := s.Dispatch(ctx, "01")
	require.NoError(t, err)
	require.Equal(t, store.DispatchExpired, d.State)
	require.Equal(t, []string{"gpu"}, d.Labels)
	require.False(t, d.Finished.IsZero())
}

func TestEnqueueOnceAndReplaceWhatWasNotBegun(t *testing.T) {
	ctx := context.Background()
	s, _ := open(t, filepath.Join(t.TempDir(), "db"))
	add := func(key, object string, replace bool) bool {
		added, err := s.Enqueue(ctx, store.Write{Key: key, Lane: "l", Object: object, Kind: "check", Payload: []byte("{}")}, replace)
		require.NoError(t, err)
		return added
	}
	require.True(t, add("a1", "a", true))
	require.False(t, add("a1", "a", true))
	writes, err := s.OpenWrites(ctx)
	require.NoError(t, err)
	ok, err := s.BeginWrite(ctx, writes[0].Seq)
	require.NoError(t, err)
	require.True(t, ok)
	require.True(t, add("a2", "a", true))
	require.True(t, add("b1", "b", true))
	require.True(t, add("a3", "a", true))

	writes, err = s.OpenWrites(ctx)
	require.NoError(t, err)
	keys := make([]string, 0, len(writes))
	for _, w := range writes {
		keys = append(keys, w.Key)
	}
	require.Equal(t, []string{"a1", "b1", "a3"}, keys, "a1 was begun and stays, a2 was replaced")

	superseded, err := s.Write(ctx, "a2")
	require.NoError(t, err)
	ok, err = s.BeginWrite(ctx, superseded.Seq)
	require.NoError(t, err)
	require.False(t, ok)
}

func TestWantedIsKept(t *testing.T) {
	ctx := context.Background()
	s, _ := open(t, filepath.Join(t.TempDir(), "db"))
	w, err := s.Wanted(ctx, "o")
	require.NoError(t, err)
	require.Zero(t, w)
	for _, want := range []store.Wanted{{Digest: "x", Generation: 1}, {Digest: "y", Generation: 2, Completed: true}} {
		require.NoError(t, s.SetWanted(ctx, "o", want))
		w, err = s.Wanted(ctx, "o")
		require.NoError(t, err)
		require.Equal(t, want, w)
	}
}

func BenchmarkAddDelivery(b *testing.B) {
	s, err := store.Open(b.Context(), "sqlite:"+filepath.Join(b.TempDir(), "db"), time.Now)
	require.NoError(b, err)
	defer s.Close()
	payload := make([]byte, 20_000)
	for i := 0; b.Loop(); i++ {
		_, err := s.AddDelivery(b.Context(), store.Delivery{GUID: time.Duration(i).String(), Payload: payload})
		require.NoError(b, err)
	}
}

// One process works on a database: a second one would send what waits once more.
func TestOpenRefusesASecondOwner(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tilegate.db")
	s, _ := open(t, path)
	link := filepath.Join(dir, "link.db")
	require.NoError(t, os.Symlink(path, link))
	for _, name := range []string{path, link} {
		_, err := store.Open(t.Context(), "sqlite:"+name, time.Now)
		require.ErrorIs(t, err, store.ErrInUse)
		require.ErrorContains(t, err, "stop the other one, or give this one a database of its own")
	}
	reader, err := store.OpenReader(t.Context(), "sqlite:"+path)
	require.NoError(t, err, "to read is no second owner")
	require.NoError(t, reader.Close())
	require.NoError(t, s.Close())
	again, err := store.Open(t.Context(), "sqlite:"+link, time.Now)
	require.NoError(t, err)
	require.NoError(t, again.Close())

	ahead := filepath.Join(dir, "ahead.db")
	require.NoError(t, os.Symlink(filepath.Join(dir, "later.db"), ahead))
	open(t, ahead)
	_, err = store.Open(t.Context(), "sqlite:"+filepath.Join(dir, "later.db"), time.Now)
	require.ErrorIs(t, err, store.ErrInUse, "the link was there before the database")

	for range 2 {
		s, err := store.Open(t.Context(), "sqlite::memory:", time.Now)
		require.NoError(t, err, "each database in memory is one of its own")
		t.Cleanup(func() { s.Close() })
	}
}
