package rules_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/tree"
)

// TestCleanKernels runs every kernel rule over whole kernels that are right,
// each with the reference that it was ported from.
func TestCleanKernels(t *testing.T) {
	var kernelRules []*rules.Rule
	for _, r := range all.Rules {
		if r.Owner == "kernel" {
			kernelRules = append(kernelRules, r)
		}
	}
	files, err := filepath.Glob("testdata/clean/*.rs")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		head := ruletest.Base()
		head[tree.OpsRoot+"/demo_kernel/kernel.rs"] = &fstest.MapFile{Data: src}
		ref, err := os.ReadFile(strings.TrimSuffix(file, ".rs") + ".py")
		require.NoError(t, err, "the reference that the kernel was ported from")
		head[tree.ReferenceRoot+"/demo.py"] = &fstest.MapFile{Data: ref}
		report, err := review.Run(context.Background(), review.Options{Head: head, Rules: kernelRules})
		require.NoError(t, err)
		assert.Empty(t, report.Summary.Unread, file)
		for _, f := range report.Findings {
			t.Errorf("%s:%d: %s %s: %s", file, f.Line, f.Rule, f.Severity, f.Message)
		}
	}
}
