package integrity_test

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/checks/upstreamtest"
)

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
	dir := upstreamtest.Repository(t)
	log := strings.Fields(upstreamtest.Git(t, dir, "log", "--reverse", "--abbrev=7", "--format=%h", "bc4faed~1..HEAD", "--",
		"tests/ops/test_matmul.py", "tests/ops/test_bmm.py", "tests/ops/test_silu_and_mul.py", "tests/ops/test_swiglu.py",
		"tests/ops/test_attention_sink.py", "tests/common.py", "tests/conftest.py", "tests/config.py",
		"src/tilegym/backend/dispatcher.py"))
	require.Contains(t, log, "bc4faed")
	for _, commit := range log {
		t.Run(commit, func(t *testing.T) {
			base, head := load(t, upstreamtest.Revision(t, dir, commit+"~1")), load(t, upstreamtest.Revision(t, dir, commit))
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
