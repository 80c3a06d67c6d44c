package review_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

// withLine puts lines before the scale of the clean kernel.
func withLine(lines string) fstest.MapFS {
	tree := ruletest.Base()
	anchor := "        let scale: Tile<f32, { [BLOCK] }>"
	src := strings.Replace(string(tree[demoKernel].Data), anchor, lines+"\n"+anchor, 1)
	tree[demoKernel] = &fstest.MapFile{Data: []byte(src)}
	return tree
}

const violation = "        let tiny: Tile<f32, { [BLOCK * 2] }> = g();"

func reviewed(t *testing.T, head, base fstest.MapFS) *review.Report {
	t.Helper()
	o := review.Options{Head: head, Rules: all.Rules}
	if base != nil {
		o.Base = base
	}
	r, err := review.Run(context.Background(), o)
	require.NoError(t, err)
	return r
}

func TestSuppressionAccepts(t *testing.T) {
	for _, lines := range []string{
		"        // tilegate: allow(R6) the generic is a power of two\n" + violation,
		violation + " // tilegate: allow(R6) the generic is a power of two",
		"        // tilegate: allow(r06, R2) the generic is a power of two\n\n        // more\n" + violation,
	} {
		r := reviewed(t, withLine(lines), nil)
		assert.Empty(t, r.Findings, lines)
		require.Len(t, r.Summary.Suppressions, 1)
		s := r.Summary.Suppressions[0]
		assert.True(t, s.Used && s.New, lines)
		assert.Empty(t, s.Problem)
		assert.Equal(t, "the generic is a power of two", s.Reason)
	}
}

func TestSuppressionProblems(t *testing.T) {
	for comment, problem := range map[string]string{
		"tilegate: allow(R6)":           "expected a reason",
		"tilegate: allow(R6) -":         "expected a reason",
		"tilegate: allow(R99) because":  `no rule "R99"`,
		"tilegate: ignore R6":           "expected `tilegate: allow(R45) reason`",
		"tilegate: allow(R2) because":   "not needed",
		"tilegate: allow(T1) we differ": "only a maintainer",
	} {
		r := reviewed(t, withLine("        // "+comment+"\n"+violation), nil)
		assert.Len(t, r.Findings, 1, comment)
		require.Len(t, r.Summary.Suppressions, 1, comment)
		assert.Contains(t, r.Summary.Suppressions[0].Problem, problem)
	}
}

// A comment inside a string or documentation accepts nothing.
func TestSuppressionIsACommentOnly(t *testing.T) {
	for _, lines := range []string{
		"        let s = \"// tilegate: allow(R6) because\";\n" + violation,
		"        /// tilegate: allow(R6) because\n" + violation,
	} {
		assert.Len(t, reviewed(t, withLine(lines), nil).Findings, 1, lines)
	}
}

// Taking a suppression away makes its finding a new one; keeping it is no news.
func TestSuppressionAgainstABase(t *testing.T) {
	base := withLine("        // tilegate: allow(R6) known\n" + violation)
	r := reviewed(t, withLine(violation), base)
	require.Len(t, r.Findings, 1)
	assert.True(t, r.Findings[0].New)

	r = reviewed(t, base, base)
	assert.Empty(t, r.Findings)
	assert.False(t, r.Summary.Suppressions[0].New)
}
