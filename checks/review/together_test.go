package review_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

// The App reviews several changes at once, and each review runs its rules at once: a
// fixture of each rule gives the same report beside all others as it does alone. Under
// the race detector this is what looks at the code of the rules.
func TestReviewsTogether(t *testing.T) {
	run := func(file string, rule *rules.Rule) (string, error) {
		head, _, err := ruletest.Head(file, rule)
		if err != nil {
			return "", err
		}
		r, err := review.Run(context.Background(), review.Options{Head: head, Base: ruletest.Base(), Rules: all.Rules})
		if err != nil {
			return "", err
		}
		out, err := json.Marshal(r)
		return string(out), err
	}
	var files, alone []string
	findings := 0
	for _, rule := range all.Rules {
		number, err := strconv.Atoi(rule.ID[1:])
		require.NoError(t, err)
		found, err := filepath.Glob(fmt.Sprintf("../rules/%s%02d/testdata/bad_*.txtar", strings.ToLower(rule.ID[:1]), number))
		require.NoError(t, err)
		require.NotEmpty(t, found, rule.ID)
		report, err := run(found[0], rule)
		require.NoError(t, err, found[0])
		files, alone = append(files, found[0]), append(alone, report)
		findings += strings.Count(report, `"fingerprint"`)
	}
	require.Greater(t, findings, len(all.Rules))
	together := make([]string, len(files))
	var g errgroup.Group
	for i, file := range files {
		g.Go(func() (err error) {
			together[i], err = run(file, all.Rules[i])
			return err
		})
	}
	require.NoError(t, g.Wait())
	for i, file := range files {
		assert.JSONEq(t, alone[i], together[i], file)
	}
}
