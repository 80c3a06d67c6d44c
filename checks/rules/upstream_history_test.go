package rules_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/checks/upstreamtest"
)

// TestUpstreamHistory: no error in any commit of upstream's main that touches the
// backend, its kernels' tests or the harness, nor in every tenth of the others,
// neither in the whole tree nor as news against the commit before.
func TestUpstreamHistory(t *testing.T) {
	dir := upstreamtest.Repository(t)
	since := upstreamtest.First + "~1..HEAD"
	list := func(args ...string) []string {
		return strings.Fields(upstreamtest.Git(t, dir, append([]string{"rev-list", "--reverse", "--abbrev-commit", since}, args...)...))
	}
	seen := map[string]bool{}
	commits := list("--", tree.OpsRoot, tree.BackendRoot, "src/tilegym/backend/dispatcher.py", "tests/common.py", "tests/conftest.py", "tests/config.py",
		"tests/ops/test_matmul.py", "tests/ops/test_bmm.py", "tests/ops/test_silu_and_mul.py", "tests/ops/test_swiglu.py", "tests/ops/test_attention_sink.py")
	require.NotEmpty(t, commits)
	for i, c := range list() {
		if i%10 == 0 {
			commits = append(commits, c)
		}
	}
	for _, commit := range commits {
		if seen[commit] {
			continue
		}
		seen[commit] = true
		t.Run(commit, func(t *testing.T) {
			head, base := upstreamtest.Revision(t, dir, commit), upstreamtest.Revision(t, dir, commit+"~1")
			for name, o := range map[string]review.Options{
				"whole": {Head: head, Rules: all.Rules},
				"news":  {Head: head, Base: base, Rules: all.Rules},
			} {
				report, err := review.Run(context.Background(), o)
				require.NoError(t, err)
				assert.Empty(t, report.Summary.Unread, name)
				assert.NotEmpty(t, report.Summary.Kernels, name)
				for _, f := range report.Findings {
					if f.Severity == rules.Error {
						t.Errorf("%s: %s:%d: %s: %s", name, f.Path, f.Line, f.Rule, f.Message)
					}
				}
			}
		})
	}
	t.Logf("%d commits", len(seen))
}
