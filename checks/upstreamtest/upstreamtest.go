// Package upstreamtest is for tests only. It answers "what did NVIDIA/TileGym look
// like at a commit?" from the clone that TILEGYM_DIR names.
package upstreamtest

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// First is the commit by which the backend cutile-rs came.
const First = "bc4faed"

// maxSize is the size in bytes above which a file is left out: no source is larger.
const maxSize = 2 << 20

// Repository is the clone that TILEGYM_DIR names. A test skips without one, or
// when its history does not reach back to before First.
func Repository(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("TILEGYM_DIR")
	if dir == "" {
		tb.Skip("TILEGYM_DIR is not set; it names a clone of NVIDIA/TileGym")
	}
	if _, err := os.Stat(path.Join(dir, ".git")); err != nil {
		tb.Skip("TILEGYM_DIR has no history: it is no clone")
	}
	if err := exec.Command("git", "-C", dir, "cat-file", "-e", First+"~1^{commit}").Run(); err != nil {
		tb.Skip("TILEGYM_DIR is a clone without the history since " + First)
	}
	return dir
}

// Git is what a git command prints in a repository.
func Git(tb testing.TB, dir string, args ...string) string {
	tb.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(tb, err, "git %v: %s", args, stderr.String())
	return string(out)
}

// Revision is the tree of a commit.
func Revision(tb testing.TB, dir, commit string) fstest.MapFS {
	tb.Helper()
	out := fstest.MapFS{}
	r := tar.NewReader(bytes.NewReader([]byte(Git(tb, dir, "archive", commit))))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(tb, err)
		if h.Typeflag == tar.TypeReg && h.Size <= maxSize {
			data, err := io.ReadAll(r)
			require.NoError(tb, err)
			out[h.Name] = &fstest.MapFile{Data: data}
		}
	}
}
