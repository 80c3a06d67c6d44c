package tree_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/tree"
)

const ops = tree.OpsRoot + "/"

// checkout is a tree of two ops and a suite with one.
func checkout() fstest.MapFS {
	out := fstest.MapFS{}
	for p, text := range map[string]string{
		ops + "ffi_util.rs":                                 "pub const MAX_DIMS: usize = 5;\n",
		ops + "cutile_kernels/Cargo.toml":                   "[dependencies]\ncutile = \"=0.2.0\"\n",
		ops + "cutile_kernels/src/lib.rs":                   "mod ffi_util;\nmod a {\n    include!(\"a\");\n}\nmod b {\n    include!(\"b\");\n}\n",
		ops + "__init__.py":                                 "from tilegym.backend import is_backend_available\n\nif is_backend_available(\"cutile-rs\"):\n    from . import a  # noqa\n    from . import b\n",
		"src/tilegym/ops/ops.py":                            "@dispatch(\"a\")\ndef a(x):\n    raise NotImplementedError\n\n\n@dispatch(\"b\")\ndef b(x):\n    raise NotImplementedError\n",
		"src/tilegym/backend/selector.py":                   "x = 1\n",
		tree.BackendRoot + "/utils.py":                      "x = 1\n",
		"tests/conftest.py":                                 "x = 1\n",
		"README.md":                                         "hello\n",
		"src/tilegym/ops/cutile/a.py":                       "x = 1\n",
		"src/tilegym/suites/s/cutile_rs/k/Cargo.toml":       "[package]\n",
		"src/tilegym/suites/s/cutile_rs/k/src/lib.rs":       "mod c { }\n",
		"src/tilegym/suites/s/cutile_rs/c_kernel/kernel.rs": "fn c() {}\n",
	} {
		out[p] = &fstest.MapFile{Data: []byte(text)}
	}
	for _, op := range []string{"a", "b"} {
		out[ops+op+"_kernel/kernel.rs"] = &fstest.MapFile{Data: []byte("fn k() { g(1); }\n")}
		out[ops+op+"_kernel/ffi.rs"] = &fstest.MapFile{Data: []byte("fn f() {}\n")}
		out[ops+op+".py"] = &fstest.MapFile{Data: []byte("@register_impl(\"" + op + "\", backend=\"cutile-rs\")\ndef " + op + "(x):\n    \"\"\"Doc.\"\"\"\n    return x\n")}
		out["tests/ops/test_"+op+".py"] = &fstest.MapFile{Data: []byte("def test_op():\n    pass\n\n\ndef test_perf():\n    pass\n")}
	}
	return out
}

func TestPlan(t *testing.T) {
	for name, c := range map[string]struct {
		edit     map[string]string // path -> new text; "-" deletes
		kernels  string
		sentence string
	}{
		"device source":      {map[string]string{ops + "a_kernel/kernel.rs": "fn k() { g(2); }\n"}, "a", "1 kernel"},
		"wrapper":            {map[string]string{ops + "b.py": "@register_impl(\"b\", backend=\"cutile-rs\")\ndef b(x):\n    return 2\n"}, "b", ""},
		"test":               {map[string]string{"tests/ops/test_a.py": "def test_op():\n    assert 1\n"}, "a", ""},
		"shared marshalling": {map[string]string{ops + "ffi_util.rs": "pub const MAX_DIMS: usize = 6;\n"}, "a b c", "3 kernels"},
		"manifest":           {map[string]string{ops + "cutile_kernels/Cargo.toml": "[dependencies]\n"}, "a b", ""},
		"suite":              {map[string]string{"src/tilegym/suites/s/cutile_rs/c_kernel/kernel.rs": "fn c() { x(); }\n"}, "c", ""},
		"backend":            {map[string]string{tree.BackendRoot + "/utils.py": "x = 2\n"}, "a b c", ""},
		"selector":           {map[string]string{"src/tilegym/backend/selector.py": "x = 2\n"}, "a b c", ""},
		"harness":            {map[string]string{"tests/conftest.py": "x = 2\n"}, "a b c", ""},
		"one module of lib":  {map[string]string{ops + "cutile_kernels/src/lib.rs": "mod ffi_util;\nmod a {\n    include!(\"a2\");\n}\nmod b {\n    include!(\"b\");\n}\n"}, "a", ""},
		"rest of lib":        {map[string]string{ops + "cutile_kernels/src/lib.rs": "mod ffi_util;\nmod more;\nmod a {\n    include!(\"a\");\n}\nmod b {\n    include!(\"b\");\n}\n"}, "a b", ""},
		"one import":         {map[string]string{ops + "__init__.py": "from tilegym.backend import is_backend_available\n\nif is_backend_available(\"cutile-rs\"):\n    from . import a\n"}, "b", ""},
		"dispatch":           {map[string]string{"src/tilegym/ops/ops.py": "@dispatch(\"a\")\ndef a(x, y):\n    raise NotImplementedError\n\n\n@dispatch(\"b\")\ndef b(x):\n    raise NotImplementedError\n"}, "a", ""},
		"comments":           {map[string]string{ops + "a_kernel/kernel.rs": "// why\nfn k() {\n    g(1); // here\n}\n"}, "", "only comments and formatting (1 file)"},
		"line ends":          {map[string]string{ops + "a_kernel/kernel.rs": "fn k() { g(1); }\r\n"}, "", "comments and formatting"},
		"docstring is text":  {map[string]string{ops + "a.py": "@register_impl(\"a\", backend=\"cutile-rs\")\ndef a(x):\n    \"\"\"Other doc.\"\"\"\n    return x\n"}, "a", ""},
		"documentation":      {map[string]string{"README.md": "bye\n", "wiki/a.md": "x\n"}, "", "documentation (2 files)"},
		"skills":             {map[string]string{"skills/x/y.py": "x\n"}, "", "skills"},
		"workflows":          {map[string]string{".github/workflows/a.yml": "on: push\n"}, "", "workflows"},
		"packaging":          {map[string]string{"pyproject.toml": "x\n", "requirements.txt": "y\n"}, "", "Python packaging (2 files)"},
		"reference op":       {map[string]string{"src/tilegym/ops/cutile/a.py": "x = 2\n"}, "", "the reference op"},
		"deleted op": {map[string]string{
			ops + "b_kernel/kernel.rs": "-", ops + "b_kernel/ffi.rs": "-", ops + "b.py": "-",
			ops + "cutile_kernels/src/lib.rs": "mod ffi_util;\nmod a {\n    include!(\"a\");\n}\n",
			ops + "__init__.py":               "from tilegym.backend import is_backend_available\n\nif is_backend_available(\"cutile-rs\"):\n    from . import a  # noqa\n",
		}, "", "a deleted op"},
		"nothing": {nil, "", "no files"},
	} {
		t.Run(name, func(t *testing.T) {
			base, head := checkout(), checkout()
			var changes []tree.Change
			for p, text := range c.edit {
				if text == "-" {
					delete(head, p)
				} else {
					head[p] = &fstest.MapFile{Data: []byte(text)}
				}
				changes = append(changes, tree.Change{Path: p})
			}
			b, err := tree.Load(base, nil)
			require.NoError(t, err)
			h, err := tree.Load(head, b)
			require.NoError(t, err)
			plan := tree.MakePlan(h, b, changes)
			var names []string
			for _, k := range plan.Kernels {
				names = append(names, k.Name)
				assert.Equal(t, []string{"build", "correctness", "perf"}, k.Stages)
				assert.NotEmpty(t, k.Because)
			}
			assert.Equal(t, c.kernels, strings.Join(names, " "))
			assert.Equal(t, c.kernels != "", plan.GPU)
			assert.Contains(t, plan.Sentence, c.sentence)
		})
	}
}

// What still takes in a deleted op makes the crate's build or the package's import
// fail: everything is affected.
func TestPlanOfAnOpThatIsStillTakenIn(t *testing.T) {
	const lib = "mod ffi_util;\nmod a {\n    include!(\"../../a_kernel/kernel.rs\");\n}\nmod b {\n    // a word on \"../../b_kernel/kernel.rs\"\n    include!(\"../../b_kernel/kernel.rs\");\n}\n"
	const without = "mod ffi_util;\nmod a {\n    include!(\"../../a_kernel/kernel.rs\");\n}\n// \"../../b_kernel/kernel.rs\"\n"
	const init = "from . import a\n"
	plan := func(edit map[string]string) *tree.Plan {
		base, head := checkout(), checkout()
		base[ops+"cutile_kernels/src/lib.rs"] = &fstest.MapFile{Data: []byte(lib)}
		base[ops+"__init__.py"] = &fstest.MapFile{Data: []byte(init + "from . import b\n")}
		for _, at := range []string{"b_kernel/kernel.rs", "b_kernel/ffi.rs", "b.py"} {
			delete(head, ops+at)
		}
		changes := []tree.Change{{Path: ops + "b_kernel/kernel.rs"}, {Path: ops + "b_kernel/ffi.rs"}, {Path: ops + "b.py"}}
		for _, at := range []string{"cutile_kernels/src/lib.rs", "__init__.py", "a.py"} {
			head[ops+at] = base[ops+at]
			if text, ok := edit[at]; ok {
				head[ops+at] = &fstest.MapFile{Data: []byte(text)}
				changes = append(changes, tree.Change{Path: ops + at})
			}
		}
		b, err := tree.Load(base, nil)
		require.NoError(t, err)
		h, err := tree.Load(head, b)
		require.NoError(t, err)
		return tree.MakePlan(h, b, changes)
	}
	clean := map[string]string{"cutile_kernels/src/lib.rs": without, "__init__.py": init}
	assert.Empty(t, plan(clean).Kernels)
	const op = "@register_impl(\"a\", backend=\"cutile-rs\")\ndef a(x):\n    return b(x)\n"
	for name, c := range map[string]struct {
		edit  map[string]string
		taker string
	}{
		"lib.rs":                {map[string]string{"__init__.py": init}, "cutile_kernels/src/lib.rs"},
		"lib.rs, as a module":   {map[string]string{"cutile_kernels/src/lib.rs": without + "#[path = \"../../b_kernel/ffi.rs\"]\nmod b;\n", "__init__.py": init}, "cutile_kernels/src/lib.rs"},
		"the package":           {map[string]string{"cutile_kernels/src/lib.rs": without}, "__init__.py"},
		"as another name":       {map[string]string{"cutile_kernels/src/lib.rs": without, "__init__.py": init + "from . import b as c\n"}, "__init__.py"},
		"another wrapper":       {map[string]string{"cutile_kernels/src/lib.rs": without, "__init__.py": init, "a.py": "from .b import b\n\n\n" + op}, "a.py"},
		"by the whole name":     {map[string]string{"cutile_kernels/src/lib.rs": without, "__init__.py": init, "a.py": "import tilegym.ops.cutile_rs.b\n\n\n" + op}, "a.py"},
		"from the whole folder": {map[string]string{"cutile_kernels/src/lib.rs": without, "__init__.py": init, "a.py": "from tilegym.ops.cutile_rs import b\n\n\n" + op}, "a.py"},
	} {
		p := plan(c.edit)
		require.Len(t, p.Kernels, 1, name)
		assert.Equal(t, "a", p.Kernels[0].Name, name)
		assert.Contains(t, p.Kernels[0].Because, ops+c.taker, name)
		assert.Contains(t, p.Kernels[0].Because, ops+"b.py", name)
		assert.Contains(t, p.Sentence, "to build, test and measure: a. "+ops+c.taker+" still takes in `b`, which the change deletes.", name)
		assert.Equal(t, 1, strings.Count(p.Sentence, "still takes in"), name)
	}
}

// A change after which there is no kernel is told as such, whatever it leaves there.
func TestPlanOfAChangeThatRemovesEveryKernel(t *testing.T) {
	base, err := tree.Load(checkout(), nil)
	require.NoError(t, err)
	gone, err := tree.Load(fstest.MapFS{"README.md": {}}, base)
	require.ErrorIs(t, err, tree.ErrNoKernels)
	left, err := tree.Load(fstest.MapFS{ops + "README.md": {}}, base)
	require.NoError(t, err)
	for _, head := range []*tree.Tree{nil, gone, left} {
		plan := tree.MakePlan(head, base, []tree.Change{{Path: ops + "a.py"}})
		assert.Empty(t, plan.Kernels)
		assert.True(t, plan.Rules)
		assert.False(t, plan.GPU)
		assert.Contains(t, plan.Sentence, "Nothing to run: the change removes every cutile-rs kernel (a, b, s/c). The gate does not open for that: ")
	}
	assert.NotContains(t, tree.MakePlan(left, left, nil).Sentence, "removes")
}

func TestPlanOfAnotherLayout(t *testing.T) {
	head, err := tree.Load(fstest.MapFS{"a.txt": {}}, nil)
	require.ErrorIs(t, err, tree.ErrNoKernels)
	plan := tree.MakePlan(head, head, []tree.Change{{Path: "a.txt"}})
	assert.Empty(t, plan.Kernels)
	assert.Contains(t, plan.Sentence, "no cutile-rs kernels")
}

func TestPlanOfARename(t *testing.T) {
	base, head := checkout(), checkout()
	head[ops+"a_kernel/device.rs"] = head[ops+"a_kernel/kernel.rs"]
	delete(head, ops+"a_kernel/kernel.rs")
	b, err := tree.Load(base, nil)
	require.NoError(t, err)
	h, err := tree.Load(head, b)
	require.NoError(t, err)
	plan := tree.MakePlan(h, b, []tree.Change{{Path: ops + "a_kernel/device.rs", Previous: ops + "a_kernel/kernel.rs"}})
	require.Len(t, plan.Kernels, 1)
	assert.Equal(t, []string{ops + "a_kernel/device.rs"}, plan.Kernels[0].Because)
}

// Upstream has the tests and the reference of some ops in a folder below.
func TestFilesInAFolderBelow(t *testing.T) {
	base := checkout()
	for at, to := range map[string]string{"tests/ops/test_a.py": "tests/ops/z/test_a.py", "src/tilegym/ops/cutile/a.py": "src/tilegym/ops/cutile/z/a.py"} {
		base[to] = base[at]
		delete(base, at)
	}
	base["tests/ops/a/deeper/test_a.py"] = &fstest.MapFile{Data: []byte("x = 1\n")}
	b, err := tree.Load(base, nil)
	require.NoError(t, err)
	assert.Equal(t, "tests/ops/z/test_a.py", b.Kernel("a").Test)
	assert.Equal(t, "tests/ops/z/test_a.py", b.Kernel("a").TestPath())
	assert.Equal(t, "src/tilegym/ops/cutile/z/a.py", b.Kernel("a").Reference)
	assert.Empty(t, b.Kernel("s/c").Test)
	assert.Equal(t, "tests/suites/s/test_c.py", b.Kernel("s/c").TestPath())
	head := maps.Clone(base)
	head["tests/ops/z/test_a.py"] = &fstest.MapFile{Data: []byte("def test_op():\n    assert 1\n\n\ndef test_perf():\n    pass\n")}
	h, err := tree.Load(head, b)
	require.NoError(t, err)
	plan := tree.MakePlan(h, b, []tree.Change{{Path: "tests/ops/z/test_a.py"}})
	assert.Equal(t, "1 kernel to build, test and measure: a.", plan.Sentence)
}

func TestPlanOfAKernelWithoutTests(t *testing.T) {
	base, head := checkout(), checkout()
	delete(head, "tests/ops/test_a.py")
	b, err := tree.Load(base, nil)
	require.NoError(t, err)
	h, err := tree.Load(head, b)
	require.NoError(t, err)
	plan := tree.MakePlan(h, b, []tree.Change{{Path: "tests/ops/test_a.py"}})
	assert.Equal(t, "1 kernel to build, test and measure: a. `a` can be neither tested nor measured: it has no test file; expected tests/ops/test_a.py, or a file of that name in a folder below tests/ops.", plan.Sentence)
}

func TestPlanOfAKernelThatIsNotMeasured(t *testing.T) {
	sentence := func(test string) string {
		head := checkout()
		head["tests/ops/test_a.py"] = &fstest.MapFile{Data: []byte(test)}
		b, err := tree.Load(checkout(), nil)
		require.NoError(t, err)
		h, err := tree.Load(head, b)
		require.NoError(t, err)
		return tree.MakePlan(h, b, []tree.Change{{Path: "tests/ops/test_a.py"}}).Sentence
	}
	const lacks = "1 kernel to build, test and measure: a. `a` cannot be measured: tests/ops/test_a.py has no test_perf; expected one that records a time for each backend."
	assert.Equal(t, lacks, sentence("from .. import common\n\n\nclass Test_A(common.PyTestCase):\n    def test_op(self):\n        pass\n"))
	for _, may := range []string{
		"def test_op():\n    pass\n\n\ndef test_perf_large():\n    pass\n",
		"from .measured import *\n\n\ndef test_op():\n    pass\n",
		"from .measured import Measured\n\n\nclass Test_A(Measured):\n    def test_op(self):\n        pass\n",
		"def test_op(:\n",
	} {
		assert.Equal(t, "1 kernel to build, test and measure: a.", sentence(may), may)
	}
}

// Upstream has the reference of some ops in a file of another name.
func TestReferenceByWhatItRegisters(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"one file":         {map[string]string{"x.py": `@register_impl("a", backend="cutile")`}, "src/tilegym/ops/cutile/x.py"},
		"in a folder":      {map[string]string{"z/x.py": `@register_impl(name="a", backend="cutile")`}, "src/tilegym/ops/cutile/z/x.py"},
		"the file's name":  {map[string]string{"x.py": `@register_impl("a", backend="cutile")`, "a.py": `@register_impl("b", backend="cutile")`}, "src/tilegym/ops/cutile/a.py"},
		"two files":        {map[string]string{"x.py": `@register_impl("a", backend="cutile")`, "y.py": `@register_impl("a", backend="cutile")`}, ""},
		"another op":       {map[string]string{"x.py": `@register_impl("a_backward", backend="cutile")`}, ""},
		"another backend":  {map[string]string{"x.py": `@register_impl("a", backend="triton")`}, ""},
		"only in a string": {map[string]string{"x.py": `X = 'register_impl("a", backend="cutile")'` + "\n@other"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := checkout()
			delete(files, "src/tilegym/ops/cutile/a.py")
			for at, decorator := range c.files {
				files["src/tilegym/ops/cutile/"+at] = &fstest.MapFile{Data: []byte(decorator + "\ndef op(x):\n    return x\n")}
			}
			tr, err := tree.Load(files, nil)
			require.NoError(t, err)
			assert.Equal(t, c.want, tr.Kernel("a").Reference)
		})
	}
	files := checkout()
	files["src/tilegym/suites/s/cutile/x.py"] = &fstest.MapFile{Data: []byte("@register_impl(\"s.group.c\", backend=\"cutile\")\ndef op(x):\n    return x\n")}
	delete(files, "src/tilegym/suites/s/cutile/c.py")
	tr, err := tree.Load(files, nil)
	require.NoError(t, err)
	assert.Equal(t, "src/tilegym/suites/s/cutile/x.py", tr.Kernel("s/c").Reference)
}
