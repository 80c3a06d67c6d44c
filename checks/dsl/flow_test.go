package dsl_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/syntax"
)

func parseBody(t *testing.T, body string) *dsl.Func {
	t.Helper()
	f := syntax.Parse("kernel.rs", syntax.Rust, []byte(`
#[cutile::module]
pub mod m {
    use cutile::core::*;
    const K: i32 = 2;
    const ONE: i32 = 1;
    const YES: bool = true;
    #[cutile::entry()]
    pub unsafe fn k<E: ElementType, const M: i32, const N: i32, const B: bool>(t: &Tensor<E, { [-1, -1] }>, n: i32) {
`+body+`
    }
}
`))
	require.Empty(t, f.Unread)
	return dsl.Parse(f)[0].Funcs[0]
}

func TestTypesOfResults(t *testing.T) {
	fn := parseBody(t, `
let p: Partition<E, { [M, N] }> = t.partition(const_shape![M, N]);
let x = load_view_tko(&p, [0i32, 0i32], ordering::Weak, scope::TileBlock, None, tma::Enabled);
let xf: Tile<f32, { [M, N] }> = convert_tile(x);
let e = exp2(xf, ftz::Enabled);
let ok = cmpf(e, xf, predicate::LessThan, cmp_ordering::Ordered);
let s = select(ok, e, xf);
let acc = mmaf(x, x, s);
let turned = permute(xf, const_array![1, 0]);
let converted = convert_tile(xf);
let choice = if n > 0i32 { xf } else { e };
let tail = { let y: i32 = 1i32; xf };
let part = t.partition(const_shape![M, 4]);
use_all(x, e, ok, s, acc, turned, converted, choice, tail, part);
`)
	got := map[string]dsl.Type{}
	for _, c := range dsl.Calls(fn.Body) {
		if c.Name == "use_all" {
			for _, a := range c.Args {
				got[a.Text()] = fn.TypeOf(a)
			}
		}
	}
	mn := []string{"M", "N"}
	tile := func(elem string) dsl.Type {
		return dsl.Type{Kind: dsl.Tile, Name: "Tile", Elem: elem, Shape: mn, ShapeKnown: true}
	}
	for name, want := range map[string]dsl.Type{
		"x": tile("E"), "e": tile("f32"), "ok": tile("bool"), "s": tile("f32"), "acc": tile("f32"),
		"converted": tile(""), "choice": tile("f32"), "tail": tile("f32"),
	} {
		have := got[name]
		have.Name = "Tile"
		assert.Equal(t, want, have, name)
	}
	assert.Equal(t, dsl.Tile, got["turned"].Kind)
	assert.False(t, got["turned"].ShapeKnown)
	assert.Equal(t, dsl.Partition, got["part"].Kind)
	assert.Equal(t, []string{"M", "4"}, got["part"].Shape)
}

// A `!` of an integer turns all its bits; only that of a bool is its contrary.
func TestNot(t *testing.T) {
	for condition, want := range map[string]dsl.Taken{
		"!YES": dsl.Never, "!!YES": dsl.Always, "!(K == 2)": dsl.Never, "!(K < 1 || false)": dsl.Always, "!known": dsl.Never,
		"!ONE == 0": dsl.Sometimes, "!ONE < 0": dsl.Sometimes, "!counted == 0": dsl.Sometimes, "!1 == 0": dsl.Sometimes, "!(-1) == 0": dsl.Sometimes,
		"!B": dsl.Never, "!M == 0": dsl.Sometimes,
	} {
		fn := parseBody(t, "let known = ONE == 1;\nlet counted = ONE;\nif "+condition+" { mark(); }\n")
		calls := slices.DeleteFunc(dsl.Calls(fn.Body), func(c dsl.Call) bool { return c.Name != "mark" })
		require.Len(t, calls, 1)
		assert.Equal(t, want, fn.Taken(calls[0].Node, func(string) (int64, bool) { return 1, true }), condition)
	}
}

func TestFlow(t *testing.T) {
	fn := parseBody(t, `
let mut acc: Tile<f32, { [M] }> = constant(0.0f32, const_shape![M]);
let limit = M * K;
for i in 0i32..n {
    if limit > 4i32 { acc = acc; } else if n > 1i32 { acc = acc; } else { acc = acc; }
    if n > 2i32 { let f = || { acc = acc; }; }
}
`)
	ifs := fn.Body.Find("if_expression")
	require.Len(t, ifs, 3)
	blocks, complete := dsl.Branches(ifs[0])
	assert.Len(t, blocks, 3)
	assert.True(t, complete)
	assert.True(t, fn.CompileTime(ifs[0].Field("condition")))
	assert.False(t, fn.CompileTime(ifs[1].Field("condition")))
	_, complete = dsl.Branches(ifs[2])
	assert.False(t, complete)
	assert.Equal(t, "for_expression", dsl.Loop(ifs[0]).Kind())
	assert.False(t, dsl.Loop(fn.Body.Find("for_expression")[0]).Valid())
	a := fn.Assignments(fn.Body)
	require.Len(t, a, 3, "the closure's is left out")
	assert.True(t, a[0].Binding.Mutable())
	assert.Equal(t, "acc", a[0].Name.Text())
}
