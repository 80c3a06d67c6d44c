package review_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
