package syntax_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/syntax"
)

func parseRust(t *testing.T, src string) *syntax.File {
	t.Helper()
	f := syntax.Parse("a.rs", syntax.Rust, []byte(src))
	require.Empty(t, f.Unread)
	return f
}

func TestMacroBodiesAreSyntax(t *testing.T) {
	f := parseRust(t, `fn f() {
    macro_rules! dispatch {
        ($E:ty) => {{
            let x_t = unsafe { borrow_tensor::<$E>(x_d) };
            let generics = vec![dty.to_string(), bm.to_string()];
            op(&*x_t).generics(generics)
        }};
    }
    dispatch!(f32)
}
`)
	var calls []string
	for _, c := range f.Root().Find("call_expression") {
		calls = append(calls, c.Field("function").Text())
	}
	assert.Equal(t, []string{
		"borrow_tensor::<$E>", "dty.to_string", "bm.to_string", "op(&*x_t).generics", "op",
	}, calls)
	assert.Empty(t, f.Opaque)

	let := f.Root().Find("let_declaration")[0]
	assert.Equal(t, syntax.Pos{Line: 4, Column: 13}, let.Pos())
	assert.Equal(t, "let x_t = unsafe { borrow_tensor::<$E>(x_d) };", let.Text())
	assert.Equal(t, "macro_definition", let.Ancestor("macro_definition").Kind())
	vec := f.Root().Find("macro_invocation")[0]
	assert.Len(t, vec.ChildOf("token_tree").Parsed().NamedChildren(), 2)
}

func TestOneBrokenMacroBodyDoesNotHideOthers(t *testing.T) {
	f := parseRust(t, `
macro_rules! a { ($($p:ident),+) => {{ $( if $p.is_null() { return 1; } )+ }}; }
macro_rules! b { ($p:expr) => { inner($p) }; }
`)
	require.Len(t, f.Opaque, 1)
	require.Len(t, f.Root().Find("call_expression"), 1)
	assert.Equal(t, "inner($p)", f.Root().Find("call_expression")[0].Text())
}

// Tokens of macros with a syntax of their own are no code (field-report 129).
func TestFieldReport129UnknownMacrosAreOpaque(t *testing.T) {
	f := parseRust(t, `
bitflags! {
    /// doc comment with from_raw_parts(x)
    pub struct Flags: u32 { const A = 1; }
}
html! { <a href={load_ptr_tko(p)}>{1e-6}</a> }
`)
	assert.Empty(t, f.Root().Find("call_expression"))
	assert.Empty(t, f.Root().Find("float_literal"))
}

func TestKnownGapsAreRead(t *testing.T) {
	for _, src := range []string{
		"fn f() { let x: Tensor<E, -1> = g::<-1>(); }",
		"unsafe extern \"C\" { pub safe fn a(); }",
		"unsafe extern { safe fn a(); unsafe fn b(); safe static C: i32; }",
		"unsafe /* a */ extern // b\n  \"C\"\n{ fn a(); }\nmod m { unsafe extern \"C\" { safe\nfn b(x: i32) -> i32; } }",
		"/// A safe fn of an unsafe extern { block }.\nunsafe extern \"C\" { safe fn a(safe: i32); }\nconst A: &str = \"safe fn\";",
	} {
		f := syntax.Parse("a.rs", syntax.Rust, []byte(src))
		assert.Empty(t, f.Unread, src)
		assert.Equal(t, src, string(f.Src))
	}
	for _, src := range []string{"safe fx a() {}", "unsafe extern \"C\" \"D\" { fn a(); }", "safe fn = 1;",
		"type A = Box<dyn ' + Send>;", "type A<'a> = Box<dyn ' a + Send>;"} {
		assert.NotEmpty(t, syntax.Parse("a.rs", syntax.Rust, []byte(src)).Unread, src)
	}
}

// What the grammar of Python takes for a product is the star that it is.
func TestStarsBeforeBrackets(t *testing.T) {
	src := "def f():\n    return a, *[1], *(b)[0]\nx[c, *[2]] = y = d, *{3}\n"
	f := syntax.Parse("a.py", syntax.Python, []byte(src))
	require.Empty(t, f.Unread)
	assert.Equal(t, src, string(f.Src))
	var stars []string
	for _, n := range f.Root().Find("list_splat") {
		stars = append(stars, n.Text())
		assert.Equal(t, "*", n.ChildOf("*").Text())
		assert.False(t, n.Field("argument").Valid())
	}
	assert.Equal(t, []string{"*[1]", "*(b)[0]", "*[2]", "*{3}"}, stars)
	assert.Empty(t, f.Root().Find("unary_operator"))
}

// told is the place that a reason to be unread names first.
func told(why string) (at syntax.Pos) {
	if m := regexp.MustCompile(`(?:at|near|in) lines? ([0-9]+)(?:, column ([0-9]+))?`).FindStringSubmatch(why); m != nil {
		at.Line, _ = strconv.Atoi(m[1])
		at.Column, _ = strconv.Atoi(m[2])
	}
	return at
}

func TestUnread(t *testing.T) {
	for name, c := range map[string]struct {
		lang syntax.Lang
		src  string
		why  string
	}{
		"truncated":       {syntax.Rust, "pub fn f() { let x = ", "line 1"},
		"other language":  {syntax.Python, "#include <a>\nint main() { return 0; }\n", "syntax error at line"},
		"NUL bytes":       {syntax.Python, "x = 1\ny = \x00\n", "NUL byte at line 2"},
		"not UTF-8":       {syntax.Rust, "// a\n// \xff\n", "not UTF-8 at line 2"},
		"too large":       {syntax.Python, strings.Repeat("x = 1\n", 500_000), "3000000 bytes, the limit is 2097152"},
		"deep brackets":   {syntax.Rust, "fn f() { " + strings.Repeat("(", 100_000) + strings.Repeat(")", 100_000) + " }", "nested deeper"},
		"deep operators":  {syntax.Rust, "fn f() { " + strings.Repeat("- ", 100_000) + "1; }", "nested deeper"},
		"missing bracket": {syntax.Rust, "fn f() { g(1; }", "line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			f := syntax.Parse("a", c.lang, []byte(c.src))
			assert.Contains(t, f.Unread, c.why)
			assert.Equal(t, told(f.Unread), f.UnreadAt)
		})
	}
}

// The parser may take the whole file for the error; the place that is named is
// where somebody has to look.
func TestSyntaxErrorsAreFound(t *testing.T) {
	python := "import torch\n\n\ndef f(x):\n    return g(\n        x,\n    )\n\n\ndef h(x):\n    y = [f(x), f(x)]\n    return y\n\n\nclass C:\n    def m(self, x):\n        return {\"a\": x}\n"
	rust := "pub mod m {\n    pub fn f(x: i32) -> i32 {\n        g(x, 1);\n        if x > 0 {\n            return 1;\n        }\n        x\n    }\n\n    pub fn h(x: i32) -> [i32; 2] {\n        let y = [x, x];\n        y\n    }\n}\n"
	for name, c := range map[string]struct {
		lang     syntax.Lang
		src      string
		old, new string
		why      string
	}{
		"a comment swallows a bracket": {syntax.Python, python, "y = [f(x), f(x)]", "y = [f(x), f(x  # )]", "syntax error near line 11: `(` is not closed up to the end, line 17"},
		"another bracket closes":       {syntax.Python, python, "f(x), f(x)]", "f(x), f(x]", "missing \")\" at line 11, column 19"},
		"Python is cut":                {syntax.Python, python, "{\"a\": x}\n", "{\"a\"", "syntax error at line 17, column 9"},
		"a bracket too many":           {syntax.Python, python, "y = [f(x)", "y = [f(x))", "syntax error at line 11, column 14"},
		"Rust is cut":                  {syntax.Rust, rust, "            return 1;\n        }\n        x\n    }\n\n    pub fn h(x: i32) -> [i32; 2] {\n        let y = [x, x];\n        y\n    }\n}\n", "            ret", "syntax error near line 4: `{` is not closed up to the end, line 5"},
		"a block is not closed":        {syntax.Rust, rust, "1;\n        }\n", "1;\n", "syntax error near line 4: `{` is not closed up to the end, line 13"},
		"a function is not closed":     {syntax.Rust, rust, "        x\n    }\n", "        x\n", "syntax error near line 2: `{` is not closed up to the end, line 13"},
		"a block is closed twice":      {syntax.Rust, rust, "1;\n        }\n", "1;\n        }\n        }\n", "syntax error near line 7: `}` closes nothing"},
		"a call is not closed":         {syntax.Rust, rust, "g(x, 1);", "g(x, 1;", "missing \")\" at line 3, column 15"},
		"marks of a merge":             {syntax.Rust, rust, "        y\n    }\n", "<<<<<<< HEAD\n        y\n    }\n", "syntax error in lines 12 to 13"},
		"no bracket":                   {syntax.Python, "class C:\n    def m(self):\n        x = = 1\n        y = \n    def\n", "", "", "line 3"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, c.src, c.old)
			f := syntax.Parse("a", c.lang, []byte(strings.Replace(c.src, c.old, c.new, 1)))
			assert.Contains(t, f.Unread, c.why)
			assert.Equal(t, told(f.Unread), f.UnreadAt)
		})
	}
}

func TestFieldReport124ByteOrderMark(t *testing.T) {
	plain := parseRust(t, "fn f() { g(1) }\n")
	marked := parseRust(t, "\xef\xbb\xbffn f() { g(1) }\n")
	assert.Equal(t, plain.Root().Find("call_expression")[0].Pos(), marked.Root().Find("call_expression")[0].Pos())
	assert.True(t, marked.BOM)
}

func TestPositionsAndLines(t *testing.T) {
	f := parseRust(t, "fn f() {\r\n    /* é🙂 */ g(1)\r\n}\r\n")
	c := f.Root().Find("call_expression")[0]
	assert.Equal(t, syntax.Pos{Line: 2, Column: 18}, c.Pos())
	assert.Equal(t, "    /* é🙂 */ g(1)", f.Line(2))
	assert.True(t, f.CRLF())
	assert.Equal(t, 3, f.LineCount())
}

func TestSqueezeAndAttributes(t *testing.T) {
	f := parseRust(t, `
#[doc = "x"]
// comment
#[cutile::entry(a = 1)]
pub unsafe fn k(a : *mut  E /* c */, b: i32) {}
`)
	fn := f.Root().Find("function_item")[0]
	assert.Len(t, fn.Attributes(), 2)
	assert.Equal(t, "(a:*mut E,b:i32)", fn.Field("parameters").Squeeze())
}

// upstream lists the sources of a TileGym checkout, or skips the test.
func upstream(tb testing.TB) map[string]syntax.Lang {
	dir := os.Getenv("TILEGYM_DIR")
	if dir == "" {
		tb.Skip("TILEGYM_DIR is unset: it names a TileGym checkout to parse")
	}
	files := map[string]syntax.Lang{}
	for _, sub := range []string{"src/tilegym", "tests/ops"} {
		err := filepath.WalkDir(filepath.Join(dir, sub), func(p string, d fs.DirEntry, err error) error {
			switch filepath.Ext(p) {
			case ".rs":
				files[p] = syntax.Rust
			case ".py":
				files[p] = syntax.Python
			}
			return err
		})
		require.NoError(tb, err)
	}
	return files
}

func TestUpstreamIsRead(t *testing.T) {
	for p, lang := range upstream(t) {
		src, err := os.ReadFile(p)
		require.NoError(t, err)
		f := syntax.Parse(p, lang, src)
		assert.Empty(t, f.Unread, p)
		if filepath.Base(p) == "ffi.rs" {
			assert.Empty(t, f.Opaque, p)
			assert.NotEmpty(t, f.Root().Find("macro_definition"), p)
		}
	}
}

func BenchmarkParseUpstream(b *testing.B) {
	type input struct {
		lang syntax.Lang
		src  []byte
	}
	var in []input
	size := int64(0)
	for p, lang := range upstream(b) {
		src, err := os.ReadFile(p)
		require.NoError(b, err)
		in = append(in, input{lang, src})
		size += int64(len(src))
	}
	b.SetBytes(size)
	for b.Loop() {
		for _, i := range in {
			syntax.Parse("x", i.lang, i.src)
		}
	}
}

// Nodes of embedded source stand where the text stands in the host file.
func TestEmbeddedDeclarationsKeepTheirPlace(t *testing.T) {
	src := "X = \"\"\"\nint32_t f(\n    const T* a, /* é */ int32_t b);\n\"\"\"\n"
	host := syntax.Parse("a.py", syntax.Python, []byte(src))
	content := host.Root().Find("string_content")[0]
	c := syntax.Embed(host, syntax.C, []syntax.Span{content.Span()}, true)
	require.Empty(t, c.Unread)
	params := c.Root().Find("parameter_declaration")
	require.Len(t, params, 2)
	assert.Equal(t, "int32_t b", params[1].Text())
	assert.Equal(t, 3, params[1].Pos().Line)
	assert.Equal(t, "a.py", params[1].File().Path)

	broken := syntax.Embed(host, syntax.C, []syntax.Span{{Start: 0, End: 3}}, true)
	assert.Contains(t, broken.Unread, "line 1")
}

func TestEmbeddedPartsAreOneText(t *testing.T) {
	src := `X = "int f(\n" "int a);"`
	host := syntax.Parse("a.py", syntax.Python, []byte(src))
	var parts []syntax.Span
	for _, s := range host.Root().Find("string_content") {
		parts = append(parts, s.Span())
	}
	c := syntax.Embed(host, syntax.C, parts, true)
	require.Empty(t, c.Unread)
	assert.Equal(t, "int a", c.Root().Find("parameter_declaration")[0].Text())
}
