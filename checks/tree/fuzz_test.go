package tree_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// FuzzPlan: whatever a file becomes, the plan names kernels of the head only, says
// something, and lets no change of the code pass for one that needs nothing.
func FuzzPlan(f *testing.F) {
	base := checkout()
	paths := slices.Sorted(maps.Keys(base))
	for i, p := range paths {
		text := base[p].Data
		f.Add(uint8(i), text, "")
		f.Add(uint8(i), append([]byte("# x\n"), text...), "")
		f.Add(uint8(i), text[:len(text)/2], "tests/ops/test_a.py")
	}
	f.Fuzz(func(t *testing.T, place uint8, after []byte, previous string) {
		p := paths[int(place)%len(paths)]
		head := maps.Clone(base)
		head[p] = &fstest.MapFile{Data: after}
		hostile.Ends(t, len(after), func() {
			was, err := tree.Load(base, nil)
			require.NoError(t, err)
			is, err := tree.Load(head, was)
			require.NoError(t, err)
			for _, change := range []tree.Change{{Path: p}, {Path: p, Previous: previous}} {
				checkPlan(t, tree.MakePlan(is, was, []tree.Change{change}), is)
			}
			plan := tree.MakePlan(is, was, []tree.Change{{Path: p}})
			source := slices.Contains([]string{ops + "a_kernel/kernel.rs", ops + "a_kernel/ffi.rs", "tests/ops/test_a.py"}, p)
			if a, b := is.File(p), was.File(p); source && !tree.SameSyntax(a, b) {
				require.True(t, plan.GPU, "%q became %q and nothing has to run", base[p].Data, after)
			}
			// Without a change nothing has to run.
			if none := tree.MakePlan(is, is, []tree.Change{{Path: p}}); is.File(p).Unread == "" && is.File(p).Root().Valid() {
				require.Empty(t, none.Kernels)
			}
		})
	})
}

func checkPlan(t *testing.T, plan *tree.Plan, head *tree.Tree) {
	t.Helper()
	text, err := json.Marshal(plan)
	require.NoError(t, err)
	require.True(t, utf8.Valid(text))
	require.NotEmpty(t, plan.Sentence)
	require.Equal(t, len(plan.Kernels) > 0, plan.GPU)
	for _, k := range plan.Kernels {
		require.NotNil(t, head.Kernel(k.Name))
		require.NotEmpty(t, k.Because)
		require.NotEmpty(t, k.Stages)
	}
}

// FuzzSameSyntax: a file is the same as itself, a damaged one is never the same,
// and both sides are treated alike.
func FuzzSameSyntax(f *testing.F) {
	f.Add([]byte("fn f() { g(1) }"), []byte("// c\nfn f() {\r\n  g(1)\n}"))
	f.Add([]byte("fn f() { g(\"1\") }"), []byte("fn f() { g(\"1 \") }"))
	f.Add([]byte("\ufefffn f() {}"), []byte("fn f() {}\n\n/* x */"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		for _, lang := range []syntax.Lang{syntax.Rust, syntax.Python} {
			x, y := syntax.Parse("x", lang, a), syntax.Parse("x", lang, b)
			require.Equal(t, x.Unread == "", tree.SameSyntax(x, syntax.Parse("x", lang, a)))
			same := tree.SameSyntax(x, y)
			require.Equal(t, same, tree.SameSyntax(y, x))
			require.False(t, same && (x.Unread != "" || y.Unread != ""), "a damaged file is the same")
		}
	})
}

// FuzzLoad: any two files in the place of sources and a manifest make a tree whose
// paths exist and whose pin is text.
func FuzzLoad(f *testing.F) {
	f.Add("x", []byte("[dependencies]\ncutile = { version = \"=0.2.0\", path = \"..\" }\n"), []byte("@register_impl(\"x\", backend=\"cutile-rs\")\ndef x(): pass\n"))
	f.Add("a_kernel", []byte("dependencies.cutile.git = 'x'"), []byte("@a.register_impl(1, 'cutile-rs')\nclass A: pass"))
	f.Add("../x", []byte("a = [[["), []byte("def f(:"))
	f.Fuzz(func(t *testing.T, name string, manifest, wrapper []byte) {
		head := checkout()
		head[ops+"cutile_kernels/Cargo.toml"] = &fstest.MapFile{Data: manifest}
		if p := ops + name + ".py"; fs.ValidPath(p) {
			head[p] = &fstest.MapFile{Data: wrapper}
		}
		hostile.Ends(t, len(manifest)+len(wrapper), func() {
			tr, err := tree.Load(head, nil)
			require.NoError(t, err)
			for _, c := range tr.Crates {
				require.Equal(t, tr.Pin(c), tr.Pin(c))
			}
			ids := map[string]bool{}
			for _, k := range tr.Kernels {
				require.False(t, ids[k.ID()], "two kernels %q", k.ID())
				ids[k.ID()] = true
				for _, p := range []string{k.KernelRS, k.FFI, k.Wrapper, k.Test, k.Reference} {
					require.True(t, p == "" || tr.Exists(p))
				}
			}
			for _, file := range tr.Read() {
				require.NotEmpty(t, file.Path)
			}
		})
	})
}
