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
	if err := exec.Command("git", "-C", dir, "cat-file", "-e", "bc4faed~1^{commit}").Run(); err != nil {
		t.Skip("TILEGYM_DIR is a clone without the history since bc4faed")
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

// judged holds, for each commit of upstream's main since the backend came that
// touches a kernel's test or the harness, what is reported and why that is
// right.
var judged = map[string][]string{
	// The registration: declared gaps of the new backend, and forward-only skips.
	"bc4faed": {"T3 note test_bmm.py", "T3 note test_matmul.py", "T3 note test_matmul.py"},
	// A skip for another backend, which says nothing about the candidate.
	"f7348a2": {"T3 note test_matmul.py"},
	// Clean-up before each test.
	"04c84d8": nil,
	// conftest.py replaces a constant of the cuTile library, the reference.
	"faa52bc": {"T6 warning conftest.py"},
	// A skip is taken away.
	"12a84ea": nil,
	// A new option of the comparison that nobody sets.
	"196070f": nil,
	// The dispatcher hands an unavailable backend's ops to the fallback without
	// asking the switch.
	"2467e55": {"T6 warning dispatcher.py"},
	// The cache is flushed before the measurement: other numbers than before.
	"10c3846": {"T7 warning common.py"},
	// A skip for another backend.
	"95573d9": {"T3 note test_bmm.py"},
	// A decorator that no kernel's test uses.
	"a7eefb9": nil,
	// Skips are taken away.
	"80d8a68": nil,
}

func TestUpstreamHistory(t *testing.T) {
	dir := repository(t)
	log := strings.Fields(string(git(t, dir, "log", "--reverse", "--abbrev=7", "--format=%h", "bc4faed~1..HEAD", "--",
		"tests/ops/test_matmul.py", "tests/ops/test_bmm.py", "tests/ops/test_silu_and_mul.py", "tests/ops/test_swiglu.py",
		"tests/ops/test_attention_sink.py", "tests/common.py", "tests/conftest.py", "tests/config.py",
		"src/tilegym/backend/dispatcher.py")))
	require.Contains(t, log, "bc4faed")
	for _, commit := range log {
		t.Run(commit, func(t *testing.T) {
			base, head := load(t, revision(t, dir, commit+"~1")), load(t, revision(t, dir, commit))
			var got []string
			for _, f := range integrity.Compare(head, base) {
				t.Log(report(f))
				assert.NotEqual(t, rules.Error, f.Severity)
				got = append(got, fmt.Sprintf("T%d %s %s", f.Kind, f.Severity, path.Base(f.File.Path)))
			}
			if want, ok := judged[commit]; ok {
				assert.ElementsMatch(t, want, got)
			}
		})
	}
}
