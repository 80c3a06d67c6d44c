package dsl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/syntax"
)

const source = `
#[cutile::module]
pub mod demo_module {
    use cutile::core::*;
    const BIG: f32 = -1.0;

    #[cutile::entry(unchecked_accesses = true)]
    pub unsafe fn demo_kernel<E: ElementType, const BM: i32, const BN: i32>(
        x: *mut E,
        y: &Tensor<E, { [-1, -1] }>,
        n: i32,
    ) {
        let x = unsafe { assume_div_by::<_, 16>(x) };
        let pid: i32 = get_tile_block_id().0;
        let p: PointerTile<*mut E, { [] }> = pointer_to_tile(x);
        let row = p.reshape(const_shape![1]).broadcast(const_shape![BM]);
        let (t, tok): (Tile<E, { [BM] }>, Token) = load_ptr_tko(row);
        let big: Tile<f32, { [BM, BN] }> = constant(BIG, const_shape![BM, BN]);
        for i in 0i32..n {
            let s = i + 1i32;
            use_all(x, pid, row, t, tok, big, i, s, y, n, BM, BIG, mystery);
        }
    }

    #[cfg(test)]
    mod tests { fn helper() {} }
}
`

func TestTypes(t *testing.T) {
	f := syntax.Parse("kernel.rs", syntax.Rust, []byte(source))
	require.Empty(t, f.Unread)
	mods := dsl.Parse(f)
	require.Len(t, mods, 1)
	require.Len(t, mods[0].Funcs, 1)
	fn := mods[0].Entries()[0]
	assert.Equal(t, "cutile::entry", fn.Entry.Path)
	assert.True(t, fn.Entry.HasList)
	assert.True(t, fn.Public && fn.Unsafe)
	assert.Equal(t, []string{"ElementType"}, fn.Types[0].Bounds)
	assert.True(t, fn.Const("BN"))

	var use dsl.Call
	for _, c := range dsl.Calls(fn.Body) {
		if c.Name == "use_all" {
			use = c
		}
	}
	got := map[string]dsl.Type{}
	for _, a := range use.Args {
		got[a.Text()] = fn.TypeOf(a)
	}
	assert.Equal(t, dsl.Type{Kind: dsl.Ptr, Elem: "E", Mut: true}, got["x"])
	assert.Equal(t, dsl.Type{Kind: dsl.Scalar, Elem: "i32"}, got["pid"])
	assert.Equal(t, dsl.PointerTile, got["row"].Kind)
	assert.Equal(t, []string{"BM"}, got["row"].Shape)
	assert.Equal(t, dsl.Tile, got["t"].Kind)
	assert.Equal(t, dsl.Token, got["tok"].Kind)
	assert.Equal(t, []string{"BM", "BN"}, got["big"].Shape)
	assert.Equal(t, dsl.Scalar, got["i"].Kind)
	assert.Equal(t, dsl.Scalar, got["s"].Kind)
	assert.Equal(t, []string{"-1", "-1"}, got["y"].Shape)
	assert.Equal(t, "i32", got["BM"].Elem)
	assert.Equal(t, "f32", got["BIG"].Elem)
	assert.Equal(t, dsl.Unknown, got["mystery"].Kind)
}
