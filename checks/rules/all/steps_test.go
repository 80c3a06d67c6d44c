package all_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/tree"
)

// general are rules whose first step is the one for all of their constructs that
// have none of their own.
var general = []string{"R27", "R32", "R34", "R35", "R41"}

// TestStepsAreChosen: where a rule has several steps and finds several kinds of
// things, the step that a finding shows as its help was chosen for each kind.
func TestStepsAreChosen(t *testing.T) {
	for _, r := range all.Rules {
		// The constructs of an artifact's rule are texts; with a base there is none here.
		if len(r.Triage) < 2 || r.DecidedBy == "analysis" && r.ID != "R49" || strings.HasPrefix(r.ID, "T") || slices.Contains(general, r.ID) {
			continue
		}
		n, err := strconv.Atoi(r.ID[1:])
		require.NoError(t, err)
		files, err := filepath.Glob(fmt.Sprintf("../%s%02d/testdata/bad_*.txtar", strings.ToLower(r.ID[:1]), n))
		require.NoError(t, err)
		found := map[string]bool{}
		for _, file := range files {
			head, _, err := ruletest.Head(file, r)
			require.NoError(t, err)
			checkout, err := tree.Load(head, nil)
			require.NoError(t, err)
			for _, job := range rules.Jobs([]*rules.Rule{r}, checkout, nil, checkout.Kernels) {
				require.NoError(t, job(func(_ *rules.Pass, d rules.Diagnostic) { found[d.Construct] = true }))
			}
		}
		if len(found) < 2 {
			continue
		}
		for construct := range found {
			assert.True(t, r.Chosen(construct), "%s: no step is chosen for %q: name the one that is its help in First, 0 for the first", r.ID, construct)
		}
	}
}

// TestFixesReadAlike: what a fix does is told in small letters, as all texts that follow
// a word and a colon are.
func TestFixesReadAlike(t *testing.T) {
	fixes := 0
	for _, r := range all.Rules {
		if r.Fix == "" {
			continue
		}
		n, err := strconv.Atoi(r.ID[1:])
		require.NoError(t, err)
		files, err := filepath.Glob(fmt.Sprintf("../%s%02d/testdata/bad_*.txtar", strings.ToLower(r.ID[:1]), n))
		require.NoError(t, err)
		for _, file := range files {
			head, _, err := ruletest.Head(file, r)
			require.NoError(t, err)
			report, err := review.Run(context.Background(), review.Options{Head: head, Rules: []*rules.Rule{r}})
			require.NoError(t, err)
			for _, f := range report.Findings {
				if f.Fix != nil {
					fixes++
					assert.Regexp(t, "^[a-z`]", f.Fix.Description, file)
				}
			}
		}
	}
	assert.Greater(t, fixes, 50)
}
