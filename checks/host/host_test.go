package host_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

func model(t *testing.T, files map[string]string) *host.Model {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	tr, err := tree.Load(fsys, nil)
	require.NoError(t, err)
	return host.Facts.For(&rules.Facts{}, tr, rules.Unit{})
}

func TestRegions(t *testing.T) {
	f := syntax.Parse("scale.py", syntax.Python, []byte(`
def unused(x):
    return at_unused(x)

def helper(x):
    return at_helper(x)

def prepare(x):
    return at_prepare(x)

def scale(x):
    x = prepare(x)
    def kernel_fn(cfg):
        return helper(at_kernel(x))
    tuned = lambda cfg: kernel_fn(cfg)
    result = autotune_launch(kernel_fn=tuned, configs=[])
    return at_scale(result)

@register_impl("get_scale", backend="cutile-rs")
def get_scale():
    return scale
`))
	w := host.ParseWrapper(f)
	want := map[string]host.Region{
		"at_unused": host.Unreached, "at_helper": host.Hot, "at_prepare": host.Once, "at_kernel": host.Hot, "at_scale": host.Once,
	}
	for _, c := range f.Root().Find("call") {
		if region, ok := want[c.Field("function").Text()]; ok {
			assert.Equal(t, region, w.Region(c), c.Text())
			delete(want, c.Field("function").Text())
		}
	}
	assert.Empty(t, want)
	require.Len(t, w.Registers, 1)
	assert.Equal(t, "get_scale", w.Registers[0].Op)
}

func TestTypesOfBothSides(t *testing.T) {
	f := syntax.Parse("a.py", syntax.Python, []byte(`
_C = """unsigned int f(const TensorDesc *a, TensorDesc const* b, void* c, int d, unsigned long long e, double g, size_t, struct S h);"""
bind_kernel_function_cffi("f", _C)
`))
	w := host.ParseWrapper(f)
	require.Len(t, w.Binds, 1)
	require.Len(t, w.Binds[0].CDef.Decls, 1)
	d := w.Binds[0].CDef.Decls[0]
	assert.Equal(t, "u32", d.Return.Base)
	rust := []string{"*const TensorDesc", "*mut crate::ffi_util::TensorDesc", "*const TensorDesc", "i32", "u64", "f64", "usize", "S"}
	require.Len(t, d.Params, len(rust))
	for i, p := range d.Params {
		same, known := p.Type.Same(host.RustType(rust[i]))
		assert.Equal(t, i < 7, same, p.Node.Text())
		assert.Equal(t, i < 7, known, p.Node.Text())
	}
	for _, other := range []string{"i64", "f32", "*const i32"} {
		same, known := d.Params[3].Type.Same(host.RustType(other))
		assert.False(t, same)
		assert.True(t, known, other)
	}
}

func TestManifestFormsAreOne(t *testing.T) {
	m := model(t, map[string]string{
		tree.OpsRoot + "/c/Cargo.toml": `[dependencies]
a = "=1.0.0" # one
b.version = "=1.0.0"
c = { version = "=1.0.0", features = ["x", "y"] }

[dependencies.d]
version = "=1.0.0"
`,
	})
	man := m.Crates[0].Manifest
	require.Empty(t, man.Problem)
	for _, key := range [][]string{{"dependencies", "a"}, {"dependencies", "b", "version"}, {"dependencies", "c", "version"}, {"dependencies", "d", "version"}} {
		v, ok := man.Get(key...)
		require.True(t, ok, key)
		assert.Equal(t, "=1.0.0", v.Text)
		assert.Equal(t, `"=1.0.0"`, string(v.FileText(man)))
	}
	c, _ := man.Get("dependencies", "c", "features")
	assert.Equal(t, []string{"x", "y"}, c.List)
	assert.Equal(t, `c = { version = "=1.0.0", features = ["x", "y"] }`, string(man.File.Src[c.Entry.Start:c.Entry.End]))

	broken := model(t, map[string]string{tree.OpsRoot + "/c/Cargo.toml": "[a]\nx = 1\nx = 2\n"}).Crates[0].Manifest
	assert.NotEmpty(t, broken.Problem)
	assert.Equal(t, 3, broken.File.Position(broken.ProblemAt.Start).Line)
}

func TestLaunchesAreFollowed(t *testing.T) {
	m := model(t, map[string]string{
		tree.OpsRoot + "/scale_kernel/kernel.rs": `
#[cutile::module]
pub mod scale_module {
    #[cutile::entry()]
    pub unsafe fn scale_kernel<E: ElementType, const B: i32>(x: *mut E) {}
}
`,
		tree.OpsRoot + "/scale_kernel/ffi.rs": `
pub unsafe extern "C" fn cutile_scale(x: *const TensorDesc, b: i32) -> i32 {
    let (x_d,) = crate::deref_descs!(x);
    let dty = crate::resolve_dtype!(x_d);
    let mut changed = vec![dty.to_string()];
    changed.push(b.to_string());
    macro_rules! dispatch {
        ($E:ty) => {{
            let x_p: DevicePointer<$E> = unsafe { DevicePointer::from_cu_deviceptr(x_d.ptr) };
            let whole = scale_kernel(x_p).generics(vec![dty.to_string(), b.to_string()]).grid((1, 1, 1));
            let op = scale_kernel(x_p).generics(changed);
            let op = op.grid((1, 1, 1));
            run_it(op);
            match whole.sync_on(&s) { _ => 0 }
        }};
    }
    match dty { "f32" => dispatch!(f32), "f16" | "bf16" => dispatch!(f16), _ => -2 }
}
`,
	})
	e := m.Kernels[0].FFI.Exports[0]
	require.Len(t, e.Launches, 2)
	whole, handed := e.Launches[0], e.Launches[1]
	assert.True(t, whole.Listed && whole.Runs && whole.Grid.Valid() && !whole.Escapes)
	assert.True(t, whole.Generics[0].Dtype)
	assert.Equal(t, "b", whole.Generics[1].Name)
	assert.False(t, handed.Listed, "the list is changed after it is made")
	assert.True(t, handed.Escapes && handed.Grid.Valid())

	b, ok := e.TensorOf(whole.Call.Args[0])
	assert.True(t, ok)
	assert.Equal(t, "x", b.Param)
	assert.Equal(t, "$E", b.Elem)
	var arms []string
	for _, a := range e.Arms {
		arms = append(arms, a.Type)
	}
	assert.Equal(t, []string{"f32", "f16", "bf16"}, arms)
}

// Names of names make a short file tell texts, and ask questions, without end.
func TestNamesOfNamesAreBounded(t *testing.T) {
	for name, text := range map[string]func(before string) string{
		"formatted": func(before string) string { return `f"` + strings.Repeat("{"+before+"}", 300) + `"` },
		"added":     func(before string) string { return "(" + before + " + " + before + ")" },
		"nested": func(before string) string {
			return `f"` + strings.Repeat(`{f"{`+before+`}{`+before+`}"}`, 100) + `"`
		},
	} {
		t.Run(name, func(t *testing.T) {
			var src strings.Builder
			src.WriteString("T0 = 'int32_t f(int a);'\n")
			for i := range 60 {
				fmt.Fprintf(&src, "T%d = %s\n", i+1, text(fmt.Sprintf("T%d", i)))
			}
			for i := range 61 {
				fmt.Fprintf(&src, "ffi, lib = bind_kernel_function_cffi(T%d, T%d)\ngetattr(lib, T%d)()\n", i, i, i)
			}
			f := syntax.Parse("a.py", syntax.Python, []byte(src.String()))
			require.Empty(t, f.Unread)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var w *host.Wrapper
			hostile.Within(t, 2*time.Second, func() { w = host.ParseWrapper(f) })
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20))
			require.Len(t, w.Binds, 61)
			assert.Equal(t, "int32_t f(int a);", w.Binds[0].Key)
			assert.Empty(t, w.Binds[60].Key, "the text is too long to be known")
		})
	}
}

// A constant that names itself through others has no text, and one that a later line
// defines has one.
func TestTextsOfConstants(t *testing.T) {
	f := syntax.Parse("a.py", syntax.Python, []byte("A = f'{B}'\nB = 'b' + A\nC = f'{D}x'\nD = ('d' 'e')\nE = f'{D:>9}'\nF = b'f'\n"))
	w := host.ParseWrapper(f)
	for name, want := range map[string]string{"A": "", "B": "", "C": "dex", "D": "de", "E": "", "F": ""} {
		got, known := w.String(w.Consts[name])
		assert.Equal(t, want, got, name)
		assert.Equal(t, want != "", known, name)
	}
}

func TestQuestionsOfLayoutAreBounded(t *testing.T) {
	var src strings.Builder
	src.WriteString("def f(x):\n    d = x\n")
	for _, n := range []string{"c d", "b c", "a b"} {
		name, of, _ := strings.Cut(n, " ")
		src.WriteString("    " + name + " = [" + strings.Repeat(of+", ", 3000) + "]\n")
	}
	src.WriteString("    if a:\n        y = x.clone()\n")
	f := syntax.Parse("a.py", syntax.Python, []byte(src.String()))
	w := host.ParseWrapper(f)
	clone := f.Root().Find("call")[0]
	hostile.Within(t, time.Second, func() { assert.False(t, w.LayoutGuarded(clone)) })
}

// What a name holds is looked up in a bounded number of its statements.
func TestQuestionsOfTensorsAreBounded(t *testing.T) {
	for _, line := range []string{"    a = a\n    a += 1\n", "    a%[1]d = a%[2]d.view(2)\n    a%[1]d += 1\n"} {
		var src strings.Builder
		src.WriteString("def f(a0):\n")
		for i := range 8000 {
			if strings.Contains(line, "%") {
				fmt.Fprintf(&src, line, i+1, i)
			} else {
				src.WriteString(line)
			}
		}
		f := syntax.Parse("a.py", syntax.Python, []byte(src.String()))
		require.Empty(t, f.Unread)
		w := host.ParseWrapper(f)
		hostile.Within(t, time.Second, func() { w.Copies() })
	}
}

// Constants that repeat a long one are looked up until their texts are too long, and no
// further.
func TestManyLongConstantsAreBounded(t *testing.T) {
	var src strings.Builder
	fmt.Fprintf(&src, "A = '%s'\n", strings.Repeat("a", 60_000))
	for i := range 20_000 {
		fmt.Fprintf(&src, "A%d = A\n", i)
	}
	src.WriteString("B = A0\nC = A19999\n")
	f := syntax.Parse("a.py", syntax.Python, []byte(src.String()))
	require.Empty(t, f.Unread)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w := host.ParseWrapper(f)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100<<20))
	_, known := w.String(w.Consts["B"])
	assert.True(t, known)
	_, known = w.String(w.Consts["C"])
	assert.False(t, known)
}

// What is too large to be modelled is no clean file.
func TestLargeFilesAreListedAsUnread(t *testing.T) {
	base := ruletest.Base()
	python, rust := tree.OpsRoot+"/demo.py", tree.OpsRoot+"/demo_kernel/ffi.rs"
	bind := "    ffi, lib = bind_kernel_function_cffi(_KERNEL, _FFI_CDEF)\n"
	text := func(p string) string { return string(base[p].Data) }
	export := func(extra string) string {
		before, after, ok := strings.Cut(text(rust), "match op.sync_on")
		require.True(t, ok)
		return before + extra + "match op.sync_on" + after
	}
	for name, c := range map[string]struct{ path, text, why string }{
		"as it is":     {python, text(python), ""},
		"bindings":     {python, text(python) + "def f():\n" + strings.Repeat(bind, 257), "more than 256 library calls, bindings or registrations"},
		"declaration":  {python, text(python) + "\nffi, lib = bind_kernel_function_cffi('x', 'a'" + strings.Repeat(" ''", 1100) + ")\n", "a declaration of more than 1024 pieces"},
		"exports":      {rust, text(rust) + strings.Repeat("pub unsafe extern \"C\" fn f() {}\n", 257), "more than 256 exports"},
		"launches":     {rust, export(strings.Repeat("demo_kernel(x).sync_on(&s);\n", 65)), "more than 64 launches"},
		"its generics": {rust, export("demo_kernel(x).generics(vec![" + strings.Repeat("a, ", 65) + "]).sync_on(&s);\n"), "more than 64 launches, or generics"},
	} {
		t.Run(name, func(t *testing.T) {
			files := ruletest.Base()
			files[c.path] = &fstest.MapFile{Data: []byte(c.text)}
			tr, err := tree.Load(files, nil)
			require.NoError(t, err)
			host.Facts.For(&rules.Facts{}, tr, rules.Unit{})
			assert.Empty(t, tr.File(c.path).Unread, "rules still get the file")
			for _, f := range tr.Read() {
				if f.Path == c.path && c.why != "" {
					assert.Contains(t, f.Unread, c.why)
				} else {
					assert.Empty(t, f.Unread, f.Path)
				}
			}
		})
	}
}
