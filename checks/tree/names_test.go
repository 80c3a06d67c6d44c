package tree

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestJobNamesAreUnique : a name that two kernels have stands for neither.
func TestJobNamesAreUnique(t *testing.T) {
	files := fstest.MapFS{}
	for _, p := range []string{
		OpsRoot + "/bmm_kernel/kernel.rs", SuitesRoot + "/zoo/cutile_rs/bmm_kernel/kernel.rs", SuitesRoot + "/zoo/cutile_rs/dot_kernel/kernel.rs",
		SuitesRoot + "/farm/cutile_rs/cat_kernel/kernel.rs", SuitesRoot + "/zoo/cutile_rs/cat_kernel/kernel.rs",
	} {
		files[p] = &fstest.MapFile{}
	}
	tr, err := Load(files, nil)
	require.NoError(t, err)
	names := map[string]string{}
	for _, k := range tr.Kernels {
		name := tr.JobName(k)
		require.Empty(t, names[name], name)
		names[name] = k.ID()
		require.Same(t, k, tr.Kernel(name))
		require.Same(t, k, tr.Kernel(k.ID()))
	}
	require.Equal(t, map[string]string{"bmm": "bmm", "zoo.bmm": "zoo/bmm", "dot": "zoo/dot", "zoo.cat": "zoo/cat", "farm.cat": "farm/cat"}, names)
	require.Nil(t, tr.Kernel("cat"), "ambiguous")
}
