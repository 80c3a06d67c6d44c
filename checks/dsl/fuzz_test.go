package dsl_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// maxAsked bounds the nodes of a function that are asked everything.
const maxAsked = 200

// FuzzModule: whatever a kernel's source is, all questions about it end, are
// answered with nodes of the file, and are answered alike when asked again.
func FuzzModule(f *testing.F) {
	f.Add([]byte(source))
	f.Add(ruletest.Base()[tree.OpsRoot+"/demo_kernel/kernel.rs"].Data)
	for _, body := range []string{
		"let a = a; let b = c; let c = b; use_all(a, b, c);",
		"let (a, (b, c)): (Tile<E, { [BM] }>, (i32, i32)) = f(); a = b; for i in 0..n { let a = a + i; }",
		"let x = x.reshape(const_shape![x]).broadcast(const_shape![const_shape![1]]);",
		"if let Some(t) = x { t } else { return }; match y { Some(z) => z, None => { loop { break } } }",
		"let f = |a: i32| a + b; let g = move || f(g()); f(f(f(1)))",
		"while a < b { a += 1; b = a; } unsafe { *p = 1; } let _ = &mut a[1..];",
		"macro_rules! m { ($x:expr) => { load_ptr_tko($x) }; } m!(a); let v = vec![a, vec![b]];",
	} {
		f.Add([]byte("#[cutile::module]\npub mod m {\n use cutile::core::*;\n const A: i32 = B; const B: i32 = A;\n type T = Tile<E, {[A]}>;\n#[cutile::entry(a = [1, 2], print_ir = true)]\npub unsafe fn k<E: ElementType, const BM: i32>(x: *mut E, y: &Tensor<E, { [-1, BM] }>, n: i32) {\n" + body + "\n}\nfn helper(k: i32) -> T { helper(k) }\n}\n"))
	}
	for _, s := range hostile.Rust {
		f.Add([]byte(s.Text(300)))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file := syntax.Parse("kernel.rs", syntax.Rust, src)
		hostile.Ends(t, len(src), func() {
			for _, m := range dsl.Parse(file) {
				require.Equal(t, file, m.Node.File())
				require.NotEmpty(t, m.Name)
				entries := m.Entries()
				for _, fn := range m.Funcs {
					require.Equal(t, fn.Entry != nil, slices.Contains(entries, fn))
					require.NotNil(t, m.Func(fn.Name))
					askFunc(t, file, fn)
				}
			}
		})
	})
}

func askFunc(t *testing.T, file *syntax.File, fn *dsl.Func) {
	t.Helper()
	within := func(n syntax.Node) {
		t.Helper()
		require.True(t, !n.Valid() || n.File() == file)
	}
	fn.AccessOf()
	fresh := fn.Fresh("x")
	asked := 0
	fn.Node.Inspect(func(n syntax.Node) bool {
		if asked++; asked > maxAsked {
			return false
		}
		require.False(t, n.Is("identifier") && n.Text() == fresh, "the name %q is taken", fresh)
		require.Equal(t, fn.TypeOf(n), fn.TypeOf(n))
		require.Equal(t, fn.CompileTime(n), fn.CompileTime(n))
		place := fn.PlaceOf(n)
		require.Equal(t, place, fn.PlaceOf(n))
		within(fn.Resolve(n, 8))
		within(fn.Definition(n))
		within(dsl.Unparen(n))
		within(dsl.Statement(n))
		within(dsl.Loop(n))
		within(dsl.Tail(n))
		dsl.Dims(n)
		dsl.ParseType(n)
		dsl.MacroList(n)
		dsl.Mode(n)
		dsl.Branches(n)
		dsl.SomeOf(n)
		dsl.Indent(n)
		fn.GridStride(n)
		if b, ok := fn.Lookup(n); ok {
			within(b.Node)
			within(b.Pattern)
			b.Mutable()
			for _, use := range fn.Uses(b.Pattern) {
				within(use)
			}
		}
		if c, ok := dsl.AsCall(n); ok {
			within(c.Node)
			fn.Op(c)
		}
		return true
	})
	for _, a := range fn.Assignments(fn.Body) {
		within(a.Node)
		within(a.Name)
	}
}

// FuzzUses: the names of any use declaration have a path.
func FuzzUses(f *testing.F) {
	for _, s := range []string{"use a::b;", "use a::{b, c::{d as e, *}, self};", "use ::{};", "pub use self::a as _;", "use {a, {b, {c}}};", "use a::{{{{b}}}};"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file := syntax.Parse("a.rs", syntax.Rust, src)
		hostile.Ends(t, len(src), func() {
			for _, d := range file.Root().Find("use_declaration") {
				for _, u := range dsl.Uses(d) {
					require.NotEmpty(t, u.Path)
				}
			}
		})
	})
}
