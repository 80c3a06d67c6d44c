package host_test

import (
	"path"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// The files of which the model of the host side is made.
var modelled = []string{
	tree.OpsRoot + "/demo_kernel/ffi.rs", tree.OpsRoot + "/demo.py", tree.OpsRoot + "/cutile_kernels/src/lib.rs",
	tree.OpsRoot + "/ffi_util.rs", tree.OpsRoot + "/__init__.py", tree.BackendRoot + "/utils.py", "src/tilegym/ops/ops.py",
}

// maxAsked bounds the nodes of a file that are asked everything.
const maxAsked = 200

// FuzzModel: whatever one file of the host side is, the model of all is made, and
// its nodes stand in their files.
func FuzzModel(f *testing.F) {
	base := ruletest.Base()
	for i, p := range modelled {
		text := string(base[p].Data)
		f.Add(uint8(i), text)
		f.Add(uint8(i), text[:len(text)/2])
	}
	f.Add(uint8(0), "#[no_mangle] pub unsafe extern \"C\" fn cutile_demo(a: *const TensorDesc) -> i32 { macro_rules! m { ($E:ty) => {{ let a = borrow_tensor::<$E>(a); demo_kernel(a, &*a).generics(vec![a]).grid((1,2,3)).sync_on(s) }}; } match dty { 0 => m!(f32), _ => m!(f16) } }")
	f.Add(uint8(1), "lib = bind_kernel_function_cffi('f', \"int f(void *a, ...);\" f'{x}' 'int g(\\\n);', crate_dir=a, **k)\nlib.f(*a, b=c)\n@register_impl('x', backend='cutile-rs')\ndef x(a, *, b=1, **c):\n  for i in a: a = a.t().contiguous(); b, (c, d) = pack(a)\n  return autotune_launch(kernel_fn=lambda cfg: x(a), configs=[a])\n")
	for _, s := range slices.Concat(hostile.Rust, hostile.Python) {
		f.Add(uint8(0), s.Text(300))
		f.Add(uint8(1), s.Text(300))
	}
	f.Fuzz(func(t *testing.T, place uint8, text string) {
		p := modelled[int(place)%len(modelled)]
		files := ruletest.Base()
		files[p] = &fstest.MapFile{Data: []byte(text)}
		hostile.Ends(t, len(text), func() {
			tr, err := tree.Load(files, nil)
			require.NoError(t, err)
			m := host.Facts.For(&rules.Facts{}, tr, rules.Unit{})
			checkModel(t, m)
			if f := tr.File(p); path.Ext(p) == ".rs" {
				askRust(t, f)
			}
		})
	})
}

func checkModel(t *testing.T, m *host.Model) {
	t.Helper()
	for _, c := range m.Crates {
		for _, w := range c.Python {
			checkWrapper(t, w)
		}
		c.AllFFIRead()
	}
	for _, k := range m.Kernels {
		if k.FFI == nil {
			continue
		}
		for _, e := range k.FFI.Exports {
			require.NotEmpty(t, e.Name)
			require.NotNil(t, k.Crate.Export(e.Name))
			for _, p := range e.Params {
				p.Desc()
				got, ok := e.Param(p.Name)
				require.True(t, ok)
				require.Equal(t, p.Name, got.Name)
			}
			for _, l := range e.Launches {
				require.Equal(t, k.FFI.File, l.Call.Node.File())
				for _, a := range l.Call.Args {
					e.TensorOf(a)
				}
			}
		}
	}
}

// checkWrapper asks a wrapper about each of its nodes.
func checkWrapper(t *testing.T, w *host.Wrapper) {
	t.Helper()
	for _, b := range w.Binds {
		require.Equal(t, w.File, b.Node.File())
		if b.CDef == nil {
			continue
		}
		for _, d := range b.CDef.Decls {
			require.Equal(t, w.File.Path, d.Node.File().Path)
			require.LessOrEqual(t, d.Node.Span().End, len(w.File.Src))
			for _, p := range d.Params {
				same, known := p.Type.Same(p.Type)
				require.True(t, same || !known, "%+v differs from itself", p.Type)
			}
		}
	}
	lists := w.BackendLists()
	w.Launches()
	w.Copies()
	asked := 0
	w.File.Root().Inspect(func(n syntax.Node) bool {
		if asked++; asked > maxAsked {
			return false
		}
		for _, got := range []syntax.Node{w.Before(n), w.Const(n), w.Function(n), w.Local(n), host.Owner(n)} {
			require.True(t, !got.Valid() || got.File() == w.File)
		}
		require.Equal(t, w.Region(n), w.Region(n))
		w.Full(n)
		w.Origin(n)
		w.String(n)
		w.DescOf(n)
		w.LayoutGuarded(n)
		w.HoldsBackend(n, lists)
		host.Guard(n)
		host.Branch(n)
		host.Leaves(n)
		host.PyInt(n)
		host.Params(n)
		if n.Is("function_definition") {
			w.Reached(n)
			w.Callers(n)
			param := w.BackendParam(n, lists)
			w.Reaches(n, n.Field("body"), param)
			w.Ask(n.Field("body"), param)
		}
		checkRemoval(t, n)
		return true
	})
}

func askRust(t *testing.T, f *syntax.File) {
	t.Helper()
	asked := 0
	f.Root().Inspect(func(n syntax.Node) bool {
		if asked++; asked > maxAsked {
			return false
		}
		host.TestOnly(n)
		host.Root(n)
		for _, a := range host.TokenArgs(n) {
			for _, c := range a.Nodes {
				require.Equal(t, f, c.File())
			}
		}
		checkRemoval(t, n)
		return true
	})
}

// checkRemoval checks that removing a statement's lines leaves the other lines.
func checkRemoval(t *testing.T, n syntax.Node) {
	t.Helper()
	require.Empty(t, string(bytesOf(host.Indent(n))))
	e, ok := host.RemoveLines(n)
	if !ok {
		return
	}
	f := n.File()
	require.Empty(t, e.New)
	require.True(t, e.Span.Contains(n.Span()))
	require.Equal(t, 1, f.Position(e.Span.Start).Column)
	require.True(t, e.Span.End == len(f.Src) || f.Position(e.Span.End).Column == 1)
}

// bytesOf is what of an indent is no white space.
func bytesOf(indent string) []byte {
	return slices.DeleteFunc([]byte(indent), func(c byte) bool { return c == ' ' || c == '\t' })
}

// FuzzTOML: the places of a manifest's values lie in it, and only what the TOML
// reader takes has none.
func FuzzTOML(f *testing.F) {
	f.Add(ruletest.Base()[tree.OpsRoot+"/cutile_kernels/Cargo.toml"].Data)
	for _, s := range slices.Concat(hostile.TOML, hostile.Any) {
		f.Add([]byte(s.Text(100)))
	}
	f.Add([]byte("a.\"b\".'c' = { d = [1, \"x\", [2]], e = '''\n#]''' } # c\n[[t]]\nf = 1979-05-27T07:32:00Z\r\n[t.u]\ng = \"\"\"a\\\n b\"\"\""))
	f.Fuzz(func(t *testing.T, src []byte) {
		files := fstest.MapFS{tree.OpsRoot + "/x_kernel/a.toml": &fstest.MapFile{Data: src}}
		hostile.Ends(t, len(src), func() {
			tr, err := tree.Load(files, nil)
			require.NoError(t, err)
			m := host.ParseTOML(tr, tree.OpsRoot+"/x_kernel/a.toml")
			whole := syntax.Span{Start: 0, End: len(m.File.Src)}
			require.True(t, whole.Contains(m.ProblemAt), "the problem %q at %v of %d bytes", m.Problem, m.ProblemAt, whole.End)
			for _, v := range m.Values {
				require.NotEmpty(t, v.Path)
				for _, s := range []syntax.Span{v.Key, v.At, v.Entry} {
					require.True(t, s.Start <= s.End && whole.Contains(s), "%v at %v of %d bytes", v.Path, s, whole.End)
				}
				v.FileText(m)
				_, found := m.Get(v.Path...)
				require.True(t, found)
				require.NotEmpty(t, m.Under(v.Path...))
			}
			for _, table := range m.Tables {
				require.True(t, whole.Contains(table.At))
				_, found := m.Table(table.Path...)
				require.True(t, found)
			}
		})
	})
}

// FuzzCDecl: the C text of a wrapper stands in the wrapper, whatever it is.
func FuzzCDecl(f *testing.F) {
	for _, s := range []string{"int32_t f(const TensorDesc* a, int32_t b);", "int f(void), *g(int (*h)(int), char c[3]);", "unsigned long long x;", "struct S { int a; } f(struct S);", "#define X\nint f();", "int f(", "a b c d;", "/* x */ int\\nf(int a);"} {
		f.Add(s)
		host.RustType(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := syntax.Parse("a.py", syntax.Python, []byte("C = \"\"\""+text+"\"\"\"\nbind_kernel_function_cffi('f', C)\n"))
		hostile.Ends(t, len(text), func() {
			if file.Unread == "" {
				checkWrapper(t, host.ParseWrapper(file))
			}
			a := host.RustType(text)
			same, known := a.Same(a)
			require.True(t, same || !known)
		})
	})
}
