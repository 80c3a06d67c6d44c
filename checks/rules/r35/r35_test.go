package r35_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/rules/r35"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/tree"
)

func Test(t *testing.T) { ruletest.Run(t, r35.Rule) }

// The rule has many parts, and its own reason is that of none of them alone.
func TestEachFindingHasAReasonOfItsOwn(t *testing.T) {
	files, err := filepath.Glob("testdata/bad_*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		head, _, err := ruletest.Head(file, r35.Rule)
		require.NoError(t, err)
		r, err := review.Run(context.Background(), review.Options{Head: head, Rules: []*rules.Rule{r35.Rule}})
		require.NoError(t, err)
		require.NotEmpty(t, r.Findings, file)
		for _, f := range r.Findings {
			assert.NotEqual(t, r35.Rule.Why, f.Why, "%s: %s", file, f.Message)
		}
	}
}

// The first step is one for what was found; the others follow.
func TestFirstStepOfAConstruct(t *testing.T) {
	assert.Equal(t, r35.Rule.Triage, r35.Rule.Steps("count"))
	steps := r35.Rule.Steps("rc late")
	assert.Contains(t, steps[0], "`check_rc` right after")
	assert.ElementsMatch(t, r35.Rule.Triage, steps)
	assert.Contains(t, r35.Rule.Steps("grid type")[0], "`.grid((x, y, z))`")
	assert.Contains(t, r35.Rule.Triage[0], "C declaration", "the rule's own order stays")
}

// A construct without a reason takes that of the words that it begins with.
func TestReasonOfAConstruct(t *testing.T) {
	assert.Equal(t, r35.Rule.Whys["rc"], r35.Rule.WhyOf("rc late"))
	assert.Equal(t, r35.Rule.Whys["key"], r35.Rule.WhyOf("key some op"))
	assert.NotEqual(t, r35.Rule.WhyOf("rc"), r35.Rule.WhyOf("rc assert"))
	assert.Equal(t, r35.Rule.Why, r35.Rule.WhyOf("another thing"))
	assert.Equal(t, r35.Rule.Why, r35.Rule.WhyOf(""))
}

// What is too much to be compared is told as not read.
func TestManyDescriptors(t *testing.T) {
	head := ruletest.Base()
	p := tree.OpsRoot + "/demo_kernel/ffi.rs"
	var lets strings.Builder
	for i := range 300 {
		fmt.Fprintf(&lets, "    let d%d = &*out;\n", i)
	}
	before, after, ok := strings.Cut(string(head[p].Data), "    let cols")
	require.True(t, ok)
	head[p] = &fstest.MapFile{Data: []byte(before + lets.String() + "    let cols" + after)}
	r, err := review.Run(context.Background(), review.Options{Head: head, Rules: []*rules.Rule{r35.Rule}})
	require.NoError(t, err)
	require.Len(t, r.Summary.Unread, 1)
	assert.Equal(t, p, r.Summary.Unread[0].Path)
	assert.Contains(t, r.Summary.Unread[0].Why, "more than 256 names of descriptors")
}

// However much a file declares, a message names the first of it and a count.
func TestMessagesStayShort(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	ffi, py := tree.OpsRoot+"/demo_kernel/ffi.rs", tree.OpsRoot+"/demo.py"
	kernel := tree.OpsRoot + "/demo_kernel/kernel.rs"
	name := strings.Repeat("long", 5000)
	for what, c := range map[string]struct{ file, old, with string }{
		"declared parameters":   {py, "int32_t block,", many(40000, "int32_t p%d, ")},
		"declared functions":    {py, "uint64_t raw_stream);", "uint64_t raw_stream);\n" + many(5000, "int32_t cutile_%d(void);\n")},
		"exported parameters":   {ffi, "    block: i32,", many(200, "    a_rather_long_name_for_one_parameter_of_many_%d: i32,\n")},
		"name of a parameter":   {ffi, "    block: i32,", "    " + name + ": i32,"},
		"declared name":         {py, "int32_t cutile_demo(", "int32_t cutile_" + name + "("},
		"name of the symbol":    {ffi, "fn cutile_demo(", "fn cutile_" + name + "("},
		"name of the handle":    {py, "_KERNEL = \"demo\"", "_KERNEL = \"" + name + "\""},
		"name of the op":        {py, "@register_impl(\"demo\"", "@register_impl(\"" + name + "\""},
		"name of the backend":   {py, "backend=\"cutile-rs\"", "backend=\"cutile_rs" + strings.Repeat("-", 9000) + "\""},
		"called symbol":         {py, "lib.cutile_demo(", "lib.cutile_" + name + "("},
		"entries of the kernel": {kernel, "demo_kernel", "demo_" + name},
	} {
		t.Run(what, func(t *testing.T) {
			head := ruletest.Base()
			src := string(head[c.file].Data)
			require.Contains(t, src, c.old)
			head[c.file] = &fstest.MapFile{Data: []byte(strings.Replace(src, c.old, c.with, 1))}
			r, err := review.Run(context.Background(), review.Options{Head: head, Rules: all.Rules})
			require.NoError(t, err)
			require.NotZero(t, len(r.Findings)+len(r.Summary.Unread))
			for _, f := range r.Findings {
				assert.LessOrEqual(t, len(f.Message), 2000, f.Rule)
			}
		})
	}
}
