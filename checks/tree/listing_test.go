package tree_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/tree"
)

// counted counts what is asked of a file system.
type counted struct {
	fstest.MapFS
	asked map[string]int
}

func (c counted) Open(name string) (fs.File, error) {
	c.asked["open "+name]++
	return c.MapFS.Open(name)
}

func (c counted) Stat(name string) (fs.FileInfo, error) {
	c.asked["stat "+name]++
	return c.MapFS.Stat(name)
}

func TestFoldersAndFilesAreAskedForOnce(t *testing.T) {
	c := counted{fstest.MapFS{
		tree.OpsRoot + "/a_kernel/kernel.rs": &fstest.MapFile{Data: []byte("fn f() {}")},
		tree.OpsRoot + "/a.py":               &fstest.MapFile{Data: []byte("x = 1\n")},
	}, map[string]int{}}
	tr, err := tree.Load(c, nil)
	require.NoError(t, err)
	for range 3 {
		assert.True(t, tr.Exists(tree.OpsRoot+"/a.py"))
		assert.False(t, tr.Exists(tree.OpsRoot+"/b.py"))
		assert.Len(t, tr.Files(tree.OpsRoot, func(string) bool { return true }), 2)
	}
	assert.Equal(t, 1, c.asked["open "+tree.OpsRoot])
	for what, n := range c.asked {
		assert.Equal(t, 1, n, what)
	}
}
