package review_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/tree"
)

// renamed is a tree with a word replaced in the kernel and its launcher.
func renamed(from fstest.MapFS, old, with string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, f := range from {
		out[name] = f
	}
	for _, name := range []string{demoKernel, tree.OpsRoot + "/demo_kernel/ffi.rs"} {
		out[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(string(from[name].Data), old, with))}
	}
	return out
}

func TestRenamedFindingsAreKnown(t *testing.T) {
	const lines = "        let wide: Tile<i64, { [] }> = exti(scalar_to_tile(cols));"
	base := withLine(lines)
	for name, head := range map[string]fstest.MapFS{
		"the same":      base,
		"a parameter":   renamed(base, "cols", "columns"),
		"the function":  renamed(base, "demo_kernel", "demo_rows_kernel"),
		"both":          renamed(renamed(base, "cols", "columns"), "demo_kernel", "demo_rows_kernel"),
		"another place": withLine("\n        // widen\n" + lines),
	} {
		r := reviewed(t, head, base)
		require.Len(t, r.Findings, 1, name)
		assert.False(t, r.Findings[0].New, name)
	}
}

func TestOneMoreIsNew(t *testing.T) {
	const lines = "        let wide: Tile<i64, { [] }> = exti(scalar_to_tile(cols));"
	more := strings.Replace(lines, "wide", "wider", 1)
	news := 0
	for _, f := range reviewed(t, withLine(lines+"\n"+more), withLine(lines)).Findings {
		if f.New {
			news++
		}
	}
	assert.Equal(t, 1, news, "one more of the same")
	r := reviewed(t, withLine(lines), withLine(violation))
	require.Len(t, r.Findings, 1)
	assert.True(t, r.Findings[0].New, "another rule's takes its place")
	r = reviewed(t, withLine(strings.Replace(lines, "cols", "other", 1)), withLine(lines))
	require.Len(t, r.Findings, 1)
	assert.True(t, r.Findings[0].New, "of a name that the function does not declare")
}

// withCopy is the clean checkout whose wrapper copies a tensor that it need not.
func withCopy(t *testing.T) fstest.MapFS {
	t.Helper()
	out := withLine(violation)
	src := string(out[demoWrapper].Data)
	text := strings.Replace(src, "    def kernel_fn(cfg):\n", "    def kernel_fn(cfg):\n        x.clone()\n", 1)
	require.NotEqual(t, src, text)
	out[demoWrapper] = &fstest.MapFile{Data: []byte(text)}
	return out
}

// moved is a tree with a word replaced in every path, and in every file.
func moved(from fstest.MapFS, old, with string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, f := range from {
		out[strings.ReplaceAll(name, old, with)] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(string(f.Data), old, with))}
	}
	return out
}

// news are the new findings of the rulebook; the T rules look at a test file
// under its path, since another one is collected by other commands.
func news(r *review.Report) (out []string) {
	for _, f := range r.Findings {
		if f.New && strings.HasPrefix(f.Rule, "R") {
			out = append(out, f.Rule+" "+f.Path)
		}
	}
	return out
}

func TestFindingsOfRenamedFilesAreKnown(t *testing.T) {
	base := withCopy(t)
	require.GreaterOrEqual(t, len(reviewed(t, base, nil).Findings), 2)
	assert.Empty(t, news(reviewed(t, base, base)))
	// The operation is called otherwise: its files, functions and symbols are.
	renamed := moved(base, "demo", "sample")
	r := reviewed(t, renamed, base)
	assert.NotEmpty(t, r.Findings)
	assert.Empty(t, news(r))
	// One more in a renamed file is new.
	more := moved(base, "demo", "sample")
	wrapper := strings.Replace(demoWrapper, "demo", "sample", 1)
	more[wrapper] = &fstest.MapFile{Data: []byte(strings.Replace(string(more[wrapper].Data), "        x.clone()\n", "        x.clone()\n        x.clone()\n", 1))}
	assert.Equal(t, []string{"R41 " + wrapper}, news(reviewed(t, more, base)))
}

// A file of another content is not the old one under a new name.
func TestFindingsOfAnotherFileAreNew(t *testing.T) {
	base := withCopy(t)
	other := moved(base, "demo", "sample")
	wrapper := strings.Replace(demoWrapper, "demo", "sample", 1)
	text := string(other[wrapper].Data)
	for i := range 200 {
		text += fmt.Sprintf("\n\ndef helper_%d(a):\n    return a + %d\n", i, i)
	}
	other[wrapper] = &fstest.MapFile{Data: []byte(text)}
	assert.Contains(t, news(reviewed(t, other, base)), "R41 "+wrapper)
}

// What counting cannot tell: one finding mended while one of the same shape came.
func TestMendedAndCameIsNotNew(t *testing.T) {
	const lines = "        let wide: Tile<i64, { [] }> = exti(scalar_to_tile(cols));"
	other := strings.ReplaceAll(strings.ReplaceAll(lines, "wide", "far"), "cols", "row_stride")
	assert.Empty(t, news(reviewed(t, withLine(other), withLine(lines))))
	assert.Len(t, news(reviewed(t, withLine(lines+"\n"+other), withLine(lines))), 1)
}

// A problem more of an artifact, at a place that has one already, is new.
func TestAnotherProblemAtOnePlaceIsNew(t *testing.T) {
	analysis := func(fields string) fstest.MapFS {
		fsys := ruletest.Base()
		fsys["src/tilegym/ops/cutile_rs/demo_kernel/reference/analysis.json"] = &fstest.MapFile{Data: []byte("{" + fields + "}\n")}
		return fsys
	}
	base := analysis(`"kernel_name": "demo", "ops_used": ["ct.load"]`)
	isNew := func(head fstest.MapFS) (out []string) {
		for _, f := range reviewed(t, head, base).Findings {
			if f.New {
				out = append(out, f.Rule)
			}
		}
		return out
	}
	assert.Empty(t, isNew(base))
	assert.Equal(t, []string{"A2"}, isNew(analysis(`"kernel_name": "demo"`)))
	// One less is not, wherever it stood among the others.
	assert.Empty(t, isNew(analysis(`"kernel_name": "demo", "ops_used": ["ct.load"], "pattern": "elementwise"`)))
	assert.Empty(t, isNew(analysis(`"kernel_name": "demo", "ops_used": ["ct.load"], "launch_path": "direct"`)))
}

// A review against a base parses what differs and nothing twice.
func TestReviewParsesTheBasesOwnFilesOnly(t *testing.T) {
	for want, head := range map[string]fstest.MapFS{
		"parsed 0 files of the base that the head does not have": ruletest.Base(),
		"parsed 1 file of the base that the head does not have":  withLine(violation),
	} {
		var said []string
		o := review.Options{Head: head, Base: ruletest.Base(), Rules: all.Rules, Progress: func(s string) { said = append(said, s) }}
		_, err := review.Run(context.Background(), o)
		require.NoError(t, err)
		assert.Contains(t, said, want)
	}
}

// Code that moves into a function of its own, out of one, or with its function into
// another file takes its findings along.
func TestMovedFindingsAreKnown(t *testing.T) {
	base := withCopy(t)
	src := string(base[demoWrapper].Data)
	with := func(text string) fstest.MapFS {
		out := fstest.MapFS{}
		for name, f := range base {
			out[name] = f
		}
		out[demoWrapper] = &fstest.MapFile{Data: []byte(text)}
		return out
	}
	const helper = "\n\ndef _doubled(tensor):\n    tensor.clone()\n"
	extracted := strings.Replace(src, "        x.clone()\n", "        _doubled(x)\n", 1) + helper
	require.NotEqual(t, src+helper, extracted)
	assert.NotEmpty(t, reviewed(t, with(extracted), nil).Findings)
	assert.Empty(t, news(reviewed(t, with(extracted), base)), "into a helper")
	assert.Empty(t, news(reviewed(t, base, with(extracted))), "out of a helper")
	both := strings.Replace(src, "        x.clone()\n", "        x.clone()\n        _doubled(x)\n", 1) + helper
	assert.Equal(t, []string{"R41 " + demoWrapper}, news(reviewed(t, with(both), base)), "one more in a helper is new")
}

// A function that moves out of a file that stays takes its findings along; another one
// of its name does not.
func TestFindingsOfAFunctionInAnotherFileAreKnown(t *testing.T) {
	const from, to = tree.OpsRoot + "/demo_kernel/host.rs", tree.OpsRoot + "/demo_kernel/parts.rs"
	const parts = "fn parts(mut t: Tensor<f32>) -> usize {\n    let sizes = [64, 64];\n    let count = (&mut t).partition([64, 64]).count();\n    count + sizes.len()\n}\n"
	const stays = "fn stays() -> usize {\n    1\n}\n"
	with := func(files map[string]string) fstest.MapFS {
		out := withLine(violation)
		for name, text := range files {
			out[name] = &fstest.MapFile{Data: []byte(text)}
		}
		return out
	}
	base := with(map[string]string{from: stays + parts})
	head := with(map[string]string{from: stays, to: parts})
	r := reviewed(t, head, nil)
	require.Equal(t, 1, count(r, "R44"))
	assert.Empty(t, news(reviewed(t, head, base)))
	other := with(map[string]string{from: stays, to: "fn parts(mut other: Tensor<f16>) -> Option<Part> {\n    (&mut other).partition([32, 32]).next()\n}\n"})
	assert.Equal(t, []string{"R44 " + to}, news(reviewed(t, other, base)))
	both := with(map[string]string{from: stays + parts, to: parts})
	assert.Equal(t, []string{"R44 " + to}, news(reviewed(t, both, base)))
}
