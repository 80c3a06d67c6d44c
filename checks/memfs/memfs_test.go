package memfs_test

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/memfs"
)

func TestFS(t *testing.T) {
	var f memfs.FS
	require.True(t, f.Add("a/b/c.rs", []byte("x")))
	require.True(t, f.Add("a/d.py", nil))
	assert.False(t, f.Add("../e", nil))
	require.NoError(t, fstest.TestFS(&f, "a/b/c.rs", "a/d.py"))
}

func TestUnreadable(t *testing.T) {
	var f memfs.FS
	large := errors.New("over the limit")
	f.AddUnreadable("a/big.py", 3<<20, large)
	info, err := fs.Stat(&f, "a/big.py")
	require.NoError(t, err)
	assert.Equal(t, int64(3<<20), info.Size())
	_, err = fs.ReadFile(&f, "a/big.py")
	assert.ErrorIs(t, err, large)
}
