package r08_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/r08"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/tree"
)

func Test(t *testing.T) { ruletest.Run(t, r08.Rule) }

// A reference that is too large to be compared with is told as not read.
func TestLargeReference(t *testing.T) {
	head, _, err := ruletest.Head("testdata/bad_accumulator.txtar", r08.Rule)
	require.NoError(t, err)
	of := func(products int) []review.Unread {
		head[tree.ReferenceRoot+"/demo.py"] = &fstest.MapFile{Data: []byte("import cuda.tile as ct\n@ct.kernel\ndef k(a, b):\n    acc = ct.full((1,), 0, dtype=ct.float32)\n" + strings.Repeat("    acc = ct.mma(a, b, acc)\n", products))}
		r, err := review.Run(context.Background(), review.Options{Head: head, Rules: []*rules.Rule{r08.Rule}})
		require.NoError(t, err)
		return r.Summary.Unread
	}
	require.Empty(t, of(64))
	unread := of(65)
	require.Len(t, unread, 1)
	require.Equal(t, tree.ReferenceRoot+"/demo.py", unread[0].Path)
	require.Contains(t, unread[0].Why, "more than 64 matrix products")
}
