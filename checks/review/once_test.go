package review

import (
	"context"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/tree"
)

// checkout is the clean checkout of the rules' tests, whose package uses this one.
func checkout(t *testing.T) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	dir := os.DirFS("../rules/ruletest/base")
	require.NoError(t, fs.WalkDir(dir, ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(dir, p)
		out[p] = &fstest.MapFile{Data: data}
		return err
	}))
	return out
}

// A file that both sides have with the same content is parsed once, on the
// whole way of a review.
func TestEachContentIsParsedOnce(t *testing.T) {
	const kernel = tree.OpsRoot + "/demo_kernel/kernel.rs"
	sides := func(change func(fstest.MapFS)) (head, base *tree.Tree) {
		changed := checkout(t)
		change(changed)
		head, err := tree.Load(changed, nil)
		require.NoError(t, err)
		base, err = tree.Load(checkout(t), head)
		require.NoError(t, err)
		o := Options{Rules: all.Rules}
		_, err = runRules(context.Background(), o, head, base, head.Kernels)
		require.NoError(t, err)
		_, err = runRules(context.Background(), o, base, nil, base.Kernels)
		require.NoError(t, err)
		return head, base
	}
	source := func(tr *tree.Tree) (n int) {
		for _, f := range tr.Read() {
			if e := path.Ext(f.Path); (e == ".rs" || e == ".py") && f.Unread == "" {
				n++
			}
		}
		return n
	}
	head, base := sides(func(fstest.MapFS) {})
	require.Greater(t, source(base), 5)
	assert.Equal(t, source(head), head.Parsed())
	assert.Zero(t, base.Parsed())
	assert.Same(t, head.File(kernel), base.File(kernel))

	head, base = sides(func(m fstest.MapFS) {
		m[kernel] = &fstest.MapFile{Data: []byte(strings.Replace(string(m[kernel].Data), "cols", "columns", 1))}
		m[tree.OpsRoot+"/other_kernel/kernel.rs"] = m[kernel]
	})
	assert.Equal(t, source(head), head.Parsed())
	assert.Equal(t, 1, base.Parsed(), "one file differs")
	assert.NotSame(t, head.File(kernel), base.File(kernel))
}
