package store_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/store"
)

func TestOpenReader(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "app one.db")
	address := "sqlite:" + path
	app, err := store.Open(ctx, address, time.Now)
	require.NoError(t, err)
	for n, repo := range []string{1: "octo/TileGym", 2: "octo/TileGym", 3: "octo/x"} {
		if n > 0 {
			require.NoError(t, app.SaveTarget(ctx, store.Target{Key: store.PullKey(repo, n), Repo: repo, Number: n, HeadSHA: "s", Open: true}))
		}
	}

	// Beside an App in the middle of a write: what was committed is read, nothing
	// can be written.
	link := filepath.Join(t.TempDir(), "link.db")
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, app.Update(ctx, func(tx *store.Tx) error {
		require.NoError(t, tx.AddRerun(ctx, "octo/TileGym#1"))
		r, err := store.OpenReader(ctx, "sqlite:"+link)
		require.NoError(t, err)
		defer r.Close()
		target, err := r.TargetLike(ctx, "OCTO/tilegym#2")
		require.NoError(t, err)
		assert.Equal(t, "octo/TileGym#2", target.Key)
		numbers, err := r.PullsLike(ctx, "Octo/Tilegym")
		require.NoError(t, err)
		assert.Equal(t, []int64{2, 1}, numbers)
		_, err = r.TargetLike(ctx, "octo/TileGym#3")
		assert.ErrorIs(t, err, store.ErrNotFound)
		assert.Error(t, r.AddRerun(ctx, "octo/TileGym#1"))
		return nil
	}))
	require.NoError(t, app.Close())

	// With no App running a reader leaves nothing behind.
	r, err := store.OpenReader(ctx, address)
	require.NoError(t, err)
	_, err = r.TargetLike(ctx, "octo/TileGym#1")
	require.NoError(t, err)
	require.NoError(t, r.Close())
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	require.NoError(t, err)
	assert.Equal(t, []string{path, path + ".lock"}, left, "the lock file is the App's")

	for name, make := range map[string]func(string) error{
		"missing": func(string) error { return nil },
		"folder":  func(p string) error { return os.Mkdir(p, 0o755) },
		"text":    func(p string) error { return os.WriteFile(p, []byte("not a database, only a longer text"), 0o644) },
		"empty":   func(p string) error { return os.WriteFile(p, nil, 0o644) },
	} {
		p := filepath.Join(t.TempDir(), name)
		require.NoError(t, make(p))
		_, err := store.OpenReader(ctx, "sqlite:"+p)
		assert.Error(t, err, name)
	}
}
