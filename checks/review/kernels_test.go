package review_test

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules/all"
)

// A review of one kernel says nothing of the other's own files, whichever rule speaks
// of them, and all of what both share.
func TestReviewOfOneKernel(t *testing.T) {
	base := fstest.MapFS{}
	mini := os.DirFS("../../testdata/tilegym-mini")
	require.NoError(t, fs.WalkDir(mini, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(mini, p)
		base[p] = &fstest.MapFile{Data: data}
		return err
	}))
	head := maps.Clone(base)
	change := func(p, old, text string) {
		src := strings.Replace(string(base[p].Data), old, text, 1)
		require.Contains(t, src, text)
		head[p] = &fstest.MapFile{Data: []byte(src)}
	}
	const ops = "src/tilegym/ops/cutile_rs"
	change("tests/ops/test_row_sum.py", "atol=5e-4", "atol=5e-2")
	change(ops+"/cutile_kernels/Cargo.toml", `"=0.2.0"`, `"0.2.0"`)
	for kernel, want := range map[string]string{"scale_add": "R33", "row_sum": "R33 T1", "": "R33 T1"} {
		o := review.Options{Head: head, Base: base, Rules: all.Rules}
		if kernel != "" {
			o.Kernels = []string{kernel}
		}
		r, err := review.Run(context.Background(), o)
		require.NoError(t, err)
		found := map[string]bool{}
		for _, f := range r.Findings {
			if f.New {
				found[f.Rule] = true
			}
		}
		var ids []string
		for _, id := range []string{"R33", "T1"} {
			if found[id] {
				ids = append(ids, id)
			}
		}
		assert.Equal(t, want, strings.Join(ids, " "), kernel)
	}
}
