package integrity_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/tree"
)

// repository is the clone of NVIDIA/TileGym that TILEGYM_DIR names.
func repository(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("TILEGYM_DIR")
	if dir == "" {
		t.Skip("TILEGYM_DIR is not set; it names a clone of NVIDIA/TileGym")
	}
	if _, err := os.Stat(path.Join(dir, ".git")); err != nil {
		t.Skip("TILEGYM_DIR has no history: it is no clone")
	}
	return dir
}

func git(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "git %v: %s", args, stderr.String())
	return out
}

// revision is the tree of a commit, without what the comparison never reads.
func revision(t *testing.T, dir, commit string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	r := tar.NewReader(bytes.NewReader(git(t, dir, "archive", commit)))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		switch path.Ext(h.Name) {
		case ".py", ".ini", ".toml", ".cfg":
			data, err := io.ReadAll(r)
			require.NoError(t, err)
			out[h.Name] = &fstest.MapFile{Data: data}
		}
	}
}

func load(t testing.TB, files fstest.MapFS) *tree.Tree {
	t.Helper()
	loaded, err := tree.Load(files, nil)
	if !errors.Is(err, tree.ErrNoKernels) {
		require.NoError(t, err)
	}
	return loaded
}

// report is one line of a finding.
func report(f integrity.Finding) string {
	return fmt.Sprintf("T%d %s %s:%d %s", f.Kind, f.Severity, path.Base(f.File.Path), f.File.Position(f.Span.Start).Line, f.Message)
}

func TestUpstreamHistory(t *testing.T) {
	dir := repository(t)
	log := string(git(t, dir, "log", "--reverse", "--format=%h", "bc4faed~1..HEAD", "--",
		"tests/ops/test_matmul.py", "tests/ops/test_bmm.py", "tests/ops/test_silu_and_mul.py", "tests/ops/test_swiglu.py",
		"tests/ops/test_attention_sink.py", "tests/common.py", "tests/conftest.py", "tests/config.py"))
	for _, commit := range strings.Fields(log) {
		base, head := load(t, revision(t, dir, commit+"~1")), load(t, revision(t, dir, commit))
		for _, f := range integrity.Compare(head, base) {
			t.Log(commit, report(f))
			assert.NotEqual(t, rules.Error, f.Severity)
		}
	}
}
