package r35_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/r35"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/tree"
)

func Test(t *testing.T) { ruletest.Run(t, r35.Rule) }

// The rule has many parts, and its own reason is that of none of them alone.
func TestEachFindingHasAReasonOfItsOwn(t *testing.T) {
	files, err := filepath.Glob("testdata/bad_*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		head, _, err := ruletest.Head(file, r35.Rule)
		require.NoError(t, err)
		r, err := review.Run(context.Background(), review.Options{Head: head, Rules: []*rules.Rule{r35.Rule}})
		require.NoError(t, err)
		require.NotEmpty(t, r.Findings, file)
		for _, f := range r.Findings {
			assert.NotEqual(t, r35.Rule.Why, f.Why, "%s: %s", file, f.Message)
		}
	}
}

// The first step is one for what was found; the others follow.
func TestFirstStepOfAConstruct(t *testing.T) {
	assert.Equal(t, r35.Rule.Triage, r35.Rule.Steps("count"))
	steps := r35.Rule.Steps("rc late")
	assert.Contains(t, steps[0], "`check_rc` right after")
	assert.ElementsMatch(t, r35.Rule.Triage, steps)
	assert.Contains(t, r35.Rule.Steps("grid type")[0], "`.grid((x, y, z))`")
	assert.Contains(t, r35.Rule.Triage[0], "C declaration", "the rule's own order stays")
}

// A construct without a reason takes that of the words that it begins with.
func TestReasonOfAConstruct(t *testing.T) {
	assert.Equal(t, r35.Rule.Whys["rc"], r35.Rule.WhyOf("rc late"))
	assert.Equal(t, r35.Rule.Whys["key"], r35.Rule.WhyOf("key some op"))
	assert.NotEqual(t, r35.Rule.WhyOf("rc"), r35.Rule.WhyOf("rc assert"))
	assert.Equal(t, r35.Rule.Why, r35.Rule.WhyOf("another thing"))
	assert.Equal(t, r35.Rule.Why, r35.Rule.WhyOf(""))
}

// What is too much to be compared is told as not read.
func TestManyDescriptors(t *testing.T) {
	head := ruletest.Base()
	p := tree.OpsRoot + "/demo_kernel/ffi.rs"
	var lets strings.Builder
	for i := range 300 {
		fmt.Fprintf(&lets, "    let d%d = &*out;\n", i)
	}
	before, after, ok := strings.Cut(string(head[p].Data), "    let cols")
	require.True(t, ok)
	head[p] = &fstest.MapFile{Data: []byte(before + lets.String() + "    let cols" + after)}
	r, err := review.Run(context.Background(), review.Options{Head: head, Rules: []*rules.Rule{r35.Rule}})
	require.NoError(t, err)
	require.Len(t, r.Summary.Unread, 1)
	assert.Equal(t, p, r.Summary.Unread[0].Path)
	assert.Contains(t, r.Summary.Unread[0].Why, "more than 256 names of descriptors")
}
