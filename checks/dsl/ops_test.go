package dsl_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/syntax"
)

// TestOpsMatchTheLibrary compares the table with the library's own signatures.
func TestOpsMatchTheLibrary(t *testing.T) {
	dir := os.Getenv("TILEGATE_CUTILE_DIR")
	if dir == "" {
		t.Skip("TILEGATE_CUTILE_DIR is not set; it names a checkout of cutile-rs at v0.2.0")
	}
	src, err := os.ReadFile(filepath.Join(dir, "cutile/src/_core.rs"))
	require.NoError(t, err)
	f := syntax.Parse("_core.rs", syntax.Rust, src)
	seen := map[string]bool{}
	for _, fn := range f.Root().Find("function_item") {
		op, ok := dsl.Ops[fn.Field("name").Text()]
		if !ok || fn.Ancestor("impl_item", "trait_item").Valid() || seen[op.Name] {
			continue
		}
		seen[op.Name] = true
		modes := map[string]string{}
		for _, p := range fn.Field("type_parameters").NamedChildren() {
			for _, b := range p.Field("bounds").NamedChildren() {
				if module, trait, ok := strings.Cut(b.Text(), "::"); ok && strings.HasSuffix(trait, "Mode") {
					modes[p.Field("name").Text()] = module
				}
			}
		}
		params := fn.Field("parameters").NamedChildren()
		assert.Len(t, params, op.Args, op.Name)
		for i, p := range params {
			assert.Equal(t, modes[p.Field("type").Text()], op.Modes[i], "%s argument %d", op.Name, i+1)
		}
	}
	for name := range dsl.Ops {
		assert.True(t, seen[name], "the library has no %s", name)
	}
	modules := 0
	for _, m := range f.Root().Find("mod_item") {
		want, ok := dsl.Modes[m.Field("name").Text()]
		if !ok || want == nil {
			continue
		}
		modules++
		var have []string
		for _, s := range m.Field("body").Find("struct_item") {
			have = append(have, s.Field("name").Text())
		}
		assert.ElementsMatch(t, want, have, m.Field("name").Text())
	}
	assert.GreaterOrEqual(t, modules, len(dsl.Modes)-1)
}

const places = `
#[cutile::module]
pub mod demo_module {
    use cutile::core::{exp, exp2 as power};
    use crate::mathx::{self, log, sin as sine};
    use other::*;
    type Matrix<E> = Tensor<E, { [-1, -1] }>;

    fn own(x: i32) -> (Tile<f32, { [] }>, Token) {
        load_ptr_tko(x)
    }

    fn tanh(x: i32) -> i32 { x }

    #[cutile::entry()]
    pub unsafe fn demo_kernel<E: ElementType, const BM: i32>(x: *mut E, n: i32) {
        let plain = exp(a);
        let typed: Tile<f32, { [] }> = unsafe { exp(b) };
        let block: Tile<f32, { [] }> = { let c = 1; if n > 0 { exp(d) } else { exp(e) } };
        exp(f);
        let g = own(exp(h));
        let (gx, gy, gz) = get_num_tile_blocks();
        let grid: i32 = get_num_tile_blocks().0;
        let n1 = unsafe { assume_bounds_lower::<_, 0>(n) };
        let n2 = (n1);
        let n3 = { n2 };
        for i in (0i32..n3).step_by(gx as usize) { tanh(1); log(2); sine(3); mathx::exp(4); }
        for i in (0i32..n3).step_by(grid as usize) { let floor = |v| v; floor(5); cutile::core::exp(6); }
        for i in (0i32..n3).step_by(n2 as usize) {}
        let out = |q| exp(q);
        last(n3);
    }
}
`

func TestPlacesAndNames(t *testing.T) {
	f := syntax.Parse("kernel.rs", syntax.Rust, []byte(places))
	require.Empty(t, f.Unread)
	m := dsl.Parse(f)[0]
	assert.Equal(t, map[string]bool{"mathx": true, "log": true, "sine": true, "*": true}, m.Imported)
	assert.True(t, m.Aliases["Matrix"])
	assert.Equal(t, "cutile::module", dsl.AttributePath(m.Attr))

	fn := m.Entries()[0]
	got := map[string]string{}
	ops := map[string]string{}
	for _, c := range dsl.Calls(fn.Body) {
		if len(c.Args) != 1 {
			continue
		}
		ops[c.Args[0].Text()] = fn.Op(c)
		at := fn.PlaceOf(c.Node)
		s := "let " + at.Let.Field("pattern").Text() + ": " + at.Type.Squeeze()
		if !at.Let.Valid() {
			s = "none"
		}
		if !at.Known {
			s = "unknown"
		}
		if at.Direct {
			s += " direct"
		}
		got[c.Args[0].Text()] = s
	}
	for arg, want := range map[string]string{
		"a": "let plain:  direct", "b": "let typed: Tile<f32,{[]}>", "d": "let block: Tile<f32,{[]}>", "e": "let block: Tile<f32,{[]}>",
		"f": "none", "h": "none", "exp(h)": "let g:  direct", "q": "unknown",
	} {
		assert.Equal(t, want, got[arg], arg)
	}
	for arg, want := range map[string]string{"a": "exp", "1": "", "2": "", "3": "", "4": "", "5": "", "6": "exp"} {
		assert.Equal(t, want, ops[arg], arg)
	}

	own := m.Func("own")
	at := own.PlaceOf(dsl.Calls(own.Body)[0].Node)
	assert.True(t, at.Type.Valid() && !at.Let.Valid(), "a function's result annotates its tail")

	var strides []bool
	for _, loop := range fn.Body.Find("for_expression") {
		strides = append(strides, fn.GridStride(loop))
	}
	assert.Equal(t, []bool{true, true, false}, strides)

	for _, c := range dsl.Calls(fn.Body) {
		if c.Name == "last" {
			assert.Equal(t, "n", fn.Resolve(c.Args[0], 3).Text())
			assert.Equal(t, "n2", fn.Resolve(c.Args[0], 1).Text())
		}
	}
	assert.Equal(t, "plain_2", fn.Fresh("plain"))
	assert.Equal(t, "other", fn.Fresh("other"))
}

func TestNamesOfOps(t *testing.T) {
	f := syntax.Parse("kernel.rs", syntax.Rust, []byte(`
#[cutile::module]
pub mod demo_module {
    use cutile;
    use cutile::core::*;
    use cutile::core::{self, exp as e, log2 as exp2, sin as sine, self as c};
    use ::cutile::core::sqrt as root;
    use cutile as ct;
    use crate::mathx::{self, log as tanh};
    use crate::mathx as cosh_lib;
    #[cfg(feature = "a")]
    use cutile::core::ceil as either;
    #[cfg(not(feature = "a"))]
    use crate::mathx::ceil as either;
    #[cfg(test)]
    use crate::mathx::iota;

    fn sqrt(x: i32) -> i32 { x }

    fn inner(x: i32) {
        use crate::mathx::exp as e;
        use cutile::core::floor as low;
        e(20);
        { use cutile::core::rsqrt as e; e(21); }
        low(22);
    }

    #[cutile::entry()]
    pub unsafe fn demo_kernel<E: ElementType>(x: *mut E) {
        e(1); exp2(2); sine(3); root(4); sqrt(5); cutile::core::sqrt(6);
        ::cutile::core::exp(7); core::exp(8); c::exp::<E>(9); ct::core::exp(10);
        self::exp(11); self::e(12); self::sqrt(13); tanh(14); mathx::exp(15);
        cosh_lib::exp(16); either(17); iota(18); low(19);
        core::mem::swap(30); super::exp(31); cutile::api::exp(32); crate::core::exp(33);
        let root = |v| v;
        root(34);
        x.e(35);
    }
}
`))
	require.Empty(t, f.Unread)
	m := dsl.Parse(f)[0]
	assert.Equal(t, map[string]bool{"mathx": true, "tanh": true, "cosh_lib": true, "either": true}, m.Imported)
	got := map[string]string{}
	for _, fn := range m.Funcs {
		for _, c := range fn.Calls() {
			if got[c.Args[0].Text()] = fn.Op(c); fn.Op(c) != "" {
				assert.Equal(t, fn.Op(c), c.Name)
			}
		}
	}
	assert.Equal(t, map[string]string{
		"1": "exp", "2": "log2", "3": "sin", "4": "sqrt", "5": "", "6": "sqrt",
		"7": "exp", "8": "exp", "9": "exp", "10": "exp",
		"11": "exp", "12": "exp", "13": "", "14": "", "15": "",
		"16": "", "17": "", "18": "iota", "19": "low",
		"20": "", "21": "rsqrt", "22": "floor",
		"30": "", "31": "", "32": "", "33": "", "34": "", "35": "",
	}, got)

	entry := m.Entries()[0]
	args := func(list []dsl.Call) (out []string) {
		for _, c := range list {
			out = append(out, c.Args[0].Text())
		}
		return out
	}
	exps := []string{"1", "7", "8", "9", "10", "11", "12"}
	assert.Equal(t, exps, args(entry.OpCalls(entry.Body, "exp")))
	assert.Equal(t, exps, args(entry.OpCalls(entry.Node, "exp")), "below any node")
	assert.Empty(t, entry.OpCalls(entry.Body, "exp2"), "the name means another function")
}

func TestAccess(t *testing.T) {
	f := syntax.Parse("kernel.rs", syntax.Rust, []byte(`
#[cutile::module]
pub mod demo_module {
    use cutile::core::*;

    #[cutile::entry()]
    pub unsafe fn pointers<E: ElementType>(x: *mut E, y: *mut E) {
        let r: (Tile<E, { [] }>, Token) = load_ptr_tko(p, ordering::Weak, None, None, None, None, Latency::<1>);
    }

    #[cutile::entry()]
    pub unsafe fn views<E: ElementType>(x: &Tensor<E, { [-1] }>) {
        let part: Partition<E, { [8] }> = x.partition(const_shape![8]);
        let v: Tile<E, { [8] }> = load_view_tko(&part, [0i32], ordering::Weak, scope::TileBlock, None, tma::Enabled);
        let w: Tile<E, { [8] }> = part.load([0i32]);
    }

    #[cutile::entry()]
    pub unsafe fn helped<E: ElementType>(x: *mut E) {
        let view = unsafe { make_tensor_view(base, shape, strides, token) };
        pointers(x);
    }
}
`))
	require.Empty(t, f.Unread)
	m := dsl.Parse(f)[0]
	assert.Equal(t, dsl.Access{Pointers: 2, PointerOps: 1}, m.Func("pointers").AccessOf())
	assert.Equal(t, dsl.Access{Tensors: 1, ViewOps: 3}, m.Func("views").AccessOf())
	assert.Equal(t, dsl.Access{Pointers: 1, MakesView: true, HandsOverData: true}, m.Func("helped").AccessOf())
}
