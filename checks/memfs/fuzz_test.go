package memfs_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/memfs"
)

// FuzzAdd: whatever names an archive has, the tree that they make is a file system
// whose files can be read.
func FuzzAdd(f *testing.F) {
	f.Add("a/b", "a/c", []byte("x"))
	f.Add("a", "a/b", []byte(""))
	f.Add("../a", "/b", []byte("x"))
	f.Add("a//b", "a\\b\x00", []byte("x"))
	f.Fuzz(func(t *testing.T, one, two string, data []byte) {
		var files memfs.FS
		for _, name := range []string{one, two} {
			require.Equal(t, fs.ValidPath(name) && name != ".", files.Add(name, data), "%q", name)
		}
		err := fs.WalkDir(&files, ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			got, err := fs.ReadFile(&files, p)
			require.Equal(t, string(data), string(got))
			return err
		})
		require.NoError(t, err)
	})
}
