package host_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/tree"
)

// upstream models the checkout that TILEGYM_DIR names, or skips the test.
func upstream(t *testing.T) *host.Model {
	t.Helper()
	dir := os.Getenv("TILEGYM_DIR")
	if dir == "" {
		t.Skip("TILEGYM_DIR is unset: it names a TileGym checkout to read")
	}
	tr, err := tree.Load(os.DirFS(dir), nil)
	require.NoError(t, err)
	return host.Facts.For(&rules.Facts{}, tr, rules.Unit{})
}

// The C declaration of each wrapper and the Rust signature of its export are
// the same list of names and types.
func TestUpstreamSignaturesAgree(t *testing.T) {
	m := upstream(t)
	for name, params := range map[string]int{
		"matmul": 13, "bmm": 15, "silu_and_mul": 7, "swiglu": 8, "attention_sink": 20,
	} {
		k := m.Kernel(m.Tree.Kernel(name))
		require.NotNil(t, k, name)
		require.NotNil(t, k.FFI, name)
		require.Len(t, k.FFI.Exports, 1, name)
		require.NotNil(t, k.Wrapper, name)
		require.Len(t, k.Wrapper.Binds, 1, name)
		require.NotNil(t, k.Wrapper.Binds[0].CDef, name)
		require.Len(t, k.Wrapper.Binds[0].CDef.Decls, 1, name)
		require.Len(t, k.Wrapper.Calls, 1, name)

		e, d, c := k.FFI.Exports[0], k.Wrapper.Binds[0].CDef.Decls[0], k.Wrapper.Calls[0]
		assert.Equal(t, "cutile_"+name, e.Name)
		assert.Equal(t, e.Name, d.Name)
		assert.Equal(t, e.Name, c.Symbol)
		require.Len(t, e.Params, params, name)
		require.Len(t, d.Params, params, name)
		assert.Len(t, c.Args, params, name)
		for i, p := range e.Params {
			assert.Equal(t, p.Name, d.Params[i].Name, "%s parameter %d", name, i)
			same, known := host.RustType(p.Type).Same(d.Params[i].Type)
			assert.True(t, same && known, "%s parameter %d: %s and %s", name, i, p.Type, d.Params[i].Type.Text)
		}
		same, known := host.RustType(e.Return).Same(d.Return)
		assert.True(t, same && known, name)
	}
}

// All of the host side is resolved; a rule that needs a piece finds it.
func TestUpstreamIsModelled(t *testing.T) {
	m := upstream(t)
	launches := map[string]int{"matmul": 2, "bmm": 2, "silu_and_mul": 1, "swiglu": 1, "attention_sink": 1}
	registered := map[string]string{
		"matmul": "matmul", "bmm": "bmm", "silu_and_mul": "silu_and_mul", "swiglu": "get_swiglu", "attention_sink": "attention_sink",
	}
	assert.True(t, m.DispatchKnown)
	for name, n := range launches {
		k := m.Kernel(m.Tree.Kernel(name))
		e := k.FFI.Exports[0]
		require.Len(t, e.Launches, n, name)
		for _, l := range e.Launches {
			assert.True(t, l.Listed, name)
			assert.Len(t, l.Generics, len(l.Entry.Types)+len(l.Entry.Consts), name)
			assert.True(t, l.Generics[0].Dtype, name)
			assert.True(t, l.Grid.Valid() && l.Options.Valid() && l.Runs && !l.Escapes, name)
			assert.Len(t, l.Call.Args, len(l.Entry.Params), name)
		}
		assert.True(t, e.ArmsKnown, name)
		assert.Len(t, e.Arms, 3, name)
		descs := 0
		for _, p := range e.Params {
			if p.Desc() {
				descs++
			}
		}
		assert.Len(t, e.Tensors, descs, name)
		for i := range descs {
			_, ok := k.Wrapper.DescOf(k.Wrapper.Calls[0].Args[i])
			assert.True(t, ok, "%s argument %d", name, i)
		}

		require.Len(t, k.Wrapper.Registers, 1, name)
		assert.Equal(t, registered[name], k.Wrapper.Registers[0].Op)
		assert.True(t, m.Dispatched[registered[name]], name)
		assert.Equal(t, host.Hot, k.Wrapper.Region(k.Wrapper.Calls[0].Node), name)
		assert.True(t, k.Crate.Lib.Has(k.Kernel.FFI) && k.Crate.Lib.Has(k.KernelRS), name)
		assert.True(t, k.Crate.Init.Imported[name], name)
	}
	u, f := m.Utils, m.Crates[0].FFIUtil
	assert.Equal(t, f.MaxDims.Value, u.MaxDims.Value)
	assert.Len(t, u.Fields, 5)
	assert.Len(t, f.Fields, 5)
	assert.NotEmpty(t, f.DtypeStr)
	assert.Len(t, u.DtypeCode, len(f.DtypeStr))
	assert.Len(t, f.ElemSize, len(f.DtypeStr))
	assert.Equal(t, "libcutile_kernels.so", orDefault(u.SoName))
	assert.Empty(t, m.Crates[0].Manifest.Problem)
	v, ok := m.Crates[0].Manifest.Get("dependencies", "cutile")
	assert.True(t, ok)
	assert.Equal(t, `"=0.2.0"`, string(v.FileText(m.Crates[0].Manifest)))
}

// orDefault fills in the name that loaders without a so_name load.
func orDefault(so string) string {
	if so == "" {
		return "libcutile_kernels.so"
	}
	return so
}
