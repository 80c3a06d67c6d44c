package review_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/syntax"
)

const demoWrapper = "src/tilegym/ops/cutile_rs/demo.py"

// withFile lays one file over the clean tree.
func withFile(path, text string) fstest.MapFS {
	tree := ruletest.Base()
	tree[path] = &fstest.MapFile{Data: []byte(text)}
	return tree
}

func unread(r *review.Report, path string) string {
	for _, u := range r.Summary.Unread {
		if u.Path == path {
			return u.Why
		}
	}
	return ""
}

// A file nested 100,000 deep is listed, and the others are reviewed.
func TestFieldReport118DeepNesting(t *testing.T) {
	head := withLine(violation)
	head["src/tilegym/ops/cutile_rs/demo_kernel/ffi.rs"] = &fstest.MapFile{
		Data: []byte("fn f() { " + strings.Repeat("(", 100_000) + strings.Repeat(")", 100_000) + " }"),
	}
	r := reviewed(t, head, nil)
	assert.Contains(t, unread(r, "src/tilegym/ops/cutile_rs/demo_kernel/ffi.rs"), "nested deeper")
	assert.Equal(t, 1, count(r, "R6"))
	assert.NotContains(t, r.Sentence(), "No finding:")
}

func count(r *review.Report, rule string) int {
	n := 0
	for _, f := range r.Findings {
		if f.Rule == rule {
			n++
		}
	}
	return n
}

// Memory outside of Go's heap does not grow with the number of reviews.
func TestFieldReport120MemoryOfTheParser(t *testing.T) {
	rounds, size := 40, 60
	if os.Getenv("TILEGATE_LONG") != "" {
		rounds, size = 1000, 300
	}
	good := strings.Repeat("// padding padding padding padding padding padding padding\nfn f() { g(1, 2); }\n", size<<10/80)
	for _, src := range []string{good, good + "fn ( {{{ \"" + good} {
		parse := func(n int) {
			for range n {
				syntax.Parse("a.rs", syntax.Rust, []byte(src))
			}
			runtime.GC()
		}
		parse(rounds / 4)
		before := resident(t)
		parse(rounds)
		assert.Less(t, resident(t)-before, 100<<20, "bytes that stay resident")
	}
}

func resident(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	pages, err := strconv.Atoi(strings.Fields(string(data))[1])
	require.NoError(t, err)
	return pages * os.Getpagesize()
}

// Reviews in parallel, while the collector works, find what a serial one finds.
func TestFieldReport121Parallel(t *testing.T) {
	head := withLine(violation + "\n        let k: Tile<f32, { [BLOCK] }> = constant(1e-6f32, const_shape![BLOCK]);")
	want := reviewed(t, head, nil)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			runtime.GC()
			r, err := review.Run(context.Background(), review.Options{Head: head, Rules: all.Rules})
			if assert.NoError(t, err) {
				assert.Equal(t, want, r)
			}
		})
	}
	wg.Wait()
}

// What does not parse is said to be unread, and nothing is found in the wreckage.
func TestFieldReport122NotParsed(t *testing.T) {
	for name, c := range map[string]struct{ path, text string }{
		"another language": {demoWrapper, "#include <torch/extension.h>\nint main() { x.contiguous(); return 0; }\n"},
		"truncated":        {demoKernel, "#[cutile::module]\npub mod demo_module {\n    #[cutile::entry]\n    pub unsafe fn demo_kernel<E: ElementType>(x: *mut E) {\n        let k = constant(1e-6f32, "},
		"NUL bytes":        {demoWrapper, "x = 1\x00\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := reviewed(t, withFile(c.path, c.text), nil)
			assert.NotEmpty(t, unread(r, c.path))
			for _, f := range r.Findings {
				assert.NotEqual(t, c.path, f.Path, f.Message)
			}
			assert.NotContains(t, r.Sentence(), "No finding:")
		})
	}
}

// A byte-order mark moves nothing and stays out of fixes.
func TestFieldReport124ByteOrderMark(t *testing.T) {
	plain := withLine("        let k: Tile<f32, { [BLOCK] }> = constant(1e-6f32, const_shape![BLOCK]);")
	marked := ruletest.Base()
	marked[demoKernel] = &fstest.MapFile{Data: append([]byte("\xef\xbb\xbf"), plain[demoKernel].Data...)}
	a, b := reviewed(t, plain, nil), reviewed(t, marked, nil)
	assert.Equal(t, a.Findings, b.Findings)
	require.NotEmpty(t, b.Findings)
	require.NotNil(t, b.Findings[0].Fix)
	assert.NotContains(t, b.Findings[0].Fix.Edits[0].Text, "\ufeff")
}

// Columns start at the violating token, whatever stands before it.
func TestFieldReport126Columns(t *testing.T) {
	const before = "\t/* é 🙂 */ let k: Tile<f32, { [BLOCK] }> = constant("
	head := withLine(before + "1e-6f32, const_shape![BLOCK]);")
	r := reviewed(t, head, nil)
	require.Equal(t, 1, count(r, "R2"))
	f := r.Findings[0]
	assert.Equal(t, len(before)+1, f.Column)
	assert.Equal(t, len(before)+len("1e-6f32")+1, f.EndColumn)
	var out strings.Builder
	source := func(p string) *syntax.File { return syntax.Lines(head[p].Data) }
	require.NoError(t, review.Write(&out, "sarif", r, review.Style{Rules: all.Rules, Source: source}))
	assert.Contains(t, out.String(), fmt.Sprintf(`"startColumn": %d`, len(utf16.Encode([]rune(before)))+1))
}

// A file over the limit is listed with its size; it is not a clean review.
func TestFieldReport127Size(t *testing.T) {
	r := reviewed(t, withFile(demoWrapper, strings.Repeat("x = 1\n", 500_000)), nil)
	assert.Contains(t, unread(r, demoWrapper), "3000000 bytes, the limit is 2097152")
	assert.NotContains(t, r.Sentence(), "No finding:")
}

// Tokens of macros with a syntax of their own are no code.
func TestFieldReport129Macros(t *testing.T) {
	r := reviewed(t, withLine(`        bitflags! {
            /// Flags of 1e-6f32.
            pub struct Flags: u32 { const A = constant(1e-6f32, const_shape![BLOCK * 2]); }
        }
        html! { <a href={ exti(scalar_to_tile(row)) }>{ (0..n).step_by(stride) }</a> }`), nil)
	assert.Empty(t, r.Findings)
	assert.Empty(t, r.Summary.Unread)
}

// The text of a violation in a string, a comment or a longer name is none.
func TestFieldReport131TextIsNotCode(t *testing.T) {
	for _, line := range []string{
		`        let s = "exti(scalar_to_tile(row)) 1e-6 core::f32::consts::LN_2";`,
		`        let s = r#"const_shape![BLOCK * 2] "quoted""#;`,
		`        // constant(1e-6f32, const_shape![BLOCK * 2])`,
		`        /* load_ptr_tko(p) E::ZERO /* nested */ */`,
		`        let my_load_ptr_tko_count: i32 = 1i32;`,
	} {
		assert.Empty(t, reviewed(t, withLine(line), nil).Findings, line)
	}
	wrapper := string(ruletest.Base()[demoWrapper].Data)
	for _, line := range []string{
		`    """x.clone() torch.zeros(1) mem::forget"""`,
		`    text = f"{block} x.t().contiguous() torch.zeros"`,
		`    # out = torch.zeros_like(out); return out.clone()`,
	} {
		head := withFile(demoWrapper, strings.Replace(wrapper, "    def kernel_fn(cfg):\n", "    def kernel_fn(cfg):\n    "+line+"\n", 1))
		assert.Empty(t, reviewed(t, head, nil).Findings, line)
	}
	assert.Equal(t, 1, count(reviewed(t, withLine("        let k: Tile<i64, { [] }> = exti(scalar_to_tile(row));"), nil), "R7"))
}
