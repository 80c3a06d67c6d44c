package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	write := func(name, text string, mode os.FileMode) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), mode))
		require.NoError(t, os.Chmod(filepath.Join(dir, name), mode))
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(data)
	}
	write("a/x.rs", "old", 0o750)
	require.NoError(t, replaceFile(root, "a/x.rs", []byte("old"), []byte("new")))
	assert.Equal(t, "new", read("a/x.rs"))
	info, err := os.Stat(filepath.Join(dir, "a/x.rs"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o750), info.Mode())

	// Somebody saved the file meanwhile: their content stays.
	write("a/y.rs", "theirs", 0o644)
	assert.ErrorContains(t, replaceFile(root, "a/y.rs", []byte("old"), []byte("new")), "was changed while")
	assert.Equal(t, "theirs", read("a/y.rs"))

	// Behind a link to a folder, and a folder in place of the file.
	require.NoError(t, os.Symlink("a", filepath.Join(dir, "link")))
	assert.ErrorContains(t, replaceFile(root, "link/x.rs", []byte("new"), []byte("newer")), "found one at link")
	assert.Equal(t, "new", read("a/x.rs"))
	assert.ErrorContains(t, replaceFile(root, "a", nil, nil), "expected a regular file")
	assert.ErrorIs(t, replaceFile(root, "a/none.rs", nil, nil), os.ErrNotExist)

	left, err := os.ReadDir(filepath.Join(dir, "a"))
	require.NoError(t, err)
	assert.Len(t, left, 2, "no temporary file is left")
}
