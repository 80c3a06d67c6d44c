package syntax_test

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/syntax"
)

// FuzzRust: no bytes make a tree that leaves its file, and what is not read as a
// whole says why.
func FuzzRust(f *testing.F) {
	seed(f, hostile.Rust, "#[a::b(c = 1)]\npub unsafe extern \"C\" fn f<'a, E: T, const N: usize>(x: &'a mut [E; N]) -> i32 where E: U { x[0] = 1e-6f32; r#\"a\"#; b'\\n'; 'a: loop { break 'a } }",
		"macro_rules! m { ($($e:expr),+) => {{ $( f($e); )+ vec![$x, const_shape![A, -1]] }}; [a] => [b]; }",
		"unsafe extern \"C\" { pub safe fn a(); }\nfn f() { g::<-1>(); let Some(x) = y else { return }; match a { 1..=2 | _ if b => c, } }")
	f.Fuzz(func(t *testing.T, src []byte) { checkParsed(t, syntax.Rust, src) })
}

// FuzzMacro: the content of macros, parsed again, stays at its place.
func FuzzMacro(f *testing.F) {
	for _, s := range []string{"g($e)", "A, -1, B * 2", "1, [2, 3]; 4", "$( $e ),*", "", "é, \"]\"", "vec![vec![const_shape![1]]]", "{ let x = 1; x }", "// c\n1", "1 /* ] */"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		checkParsed(t, syntax.Rust, []byte("macro_rules! m { ($e:expr) => {"+content+"}; (a) => ["+content+"]; }\n"+
			"fn f() { let a = const_shape!["+content+"]; let b = vec!("+content+"); m!{"+content+"} }\n"))
	})
}

// FuzzPython is FuzzRust for Python, with the helpers that look into its nodes.
func FuzzPython(f *testing.F) {
	seed(f, hostile.Python, "import a.b as c\n@d(e, *f, g=1, **h)\nclass A(B):\n    async def f(self, /, x: int = 1, *a, k, **kw) -> 'T':\n        return rb'\\x00' f'{x!r:>{y}}' \"\"\"a\n\"\"\"\n",
		"match x:\n    case {'a': [1, *_]} if y: pass\ntry:\n    x = (yield)\nexcept* E as e: raise\nfinally: del a[1:, ...]\nwith a as b, c: global d\n", "x = 'a' \"b\" u'\\u00e9' '\\\n'\nprint \"a\"\n")
	f.Fuzz(func(t *testing.T, src []byte) {
		for n := range all(checkParsed(t, syntax.Python, src)) {
			syntax.PyName(n)
			syntax.PyDotted(n)
			if s := syntax.PyString(n); n.Is("string") && s != "" {
				source := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(n.Text()) // as Python reads it
				if strings.ContainsAny(n.ChildOf("string_start").Text(), "fF") {
					source = strings.NewReplacer("{{", "{", "}}", "}").Replace(source)
				}
				require.True(t, strings.Contains(source, s) || strings.Contains(n.Text(), `\`), "%q of %q", s, n.Text())
			}
			for _, d := range syntax.PyDecorators(n) {
				require.Equal(t, n.Parent(), d.Parent().Parent())
			}
			for i, a := range syntax.PyArgs(n) {
				require.Equal(t, a, syntax.PyArg(n, "\x00", i))
			}
			syntax.PyArg(n, "backend", -1)
		}
	})
}

// FuzzEmbed: source inside of source stays inside of its parts.
func FuzzEmbed(f *testing.F) {
	for _, s := range []string{"int32_t f(const TensorDesc* a, int32_t b);", "typedef struct { void *p; } T;\\n", "#define A(", "f(((", "/* a", "\"a\\", "é int g(void);"} {
		f.Add(s, 3, true)
		f.Add(s, len(s), false)
	}
	f.Fuzz(func(t *testing.T, src string, cut int, escapes bool) {
		host := syntax.Parse("a.py", syntax.Python, []byte("C = '''"+src+"'''\n"))
		at := min(max(cut, 0), len(src)) + 7
		parts := []syntax.Span{{Start: 7, End: at}, {Start: at, End: 7 + len(src)}, {Start: -1, End: 2}, {Start: 5, End: 1 << 20}}
		if host.BOM {
			return // it is not at the start: the offsets above are right without one
		}
		var c *syntax.File
		hostile.Ends(t, len(src), func() { c = syntax.Embed(host, syntax.C, parts, escapes) })
		for n := range all(c) {
			s := n.Span()
			if n != c.Root() {
				require.True(t, s.Start >= 7 && s.End <= 7+len(src), "%s at %v of %q", n.Kind(), s, src)
			}
		}
	})
}

// FuzzLines: lines and offsets of any text agree.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"", "\n", "a\r\nb", "\ufeffa\n\n", "a\rb\n\x00\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkLines(t, syntax.Lines(src)) })
}

func seed(f *testing.F, shapes []hostile.Shape, texts ...string) {
	for _, s := range slices.Concat(shapes, hostile.Any) {
		f.Add([]byte(s.Text(200)))
	}
	for _, text := range texts {
		f.Add([]byte(text))
	}
}

// all yields every node of a file, those of opaque tokens and of damage and
// parsed macro content included.
func all(f *syntax.File) func(yield func(syntax.Node) bool) {
	return func(yield func(syntax.Node) bool) {
		var walk func(n syntax.Node) bool
		walk = func(n syntax.Node) bool {
			if !n.Valid() {
				return true
			}
			if !yield(n) {
				return false
			}
			for c := range n.Children() {
				if !walk(c) {
					return false
				}
			}
			return walk(n.Parsed())
		}
		walk(f.Root())
	}
}

func checkLines(t *testing.T, f *syntax.File) {
	t.Helper()
	require.GreaterOrEqual(t, f.LineCount(), 1)
	for n := 1; n <= f.LineCount(); n++ {
		start := f.LineStart(n)
		require.Equal(t, syntax.Pos{Line: n, Column: 1}, f.Position(start))
		line := f.Line(n)
		require.Equal(t, line, string(f.Src[start:start+len(line)]))
		require.NotContains(t, line, "\n")
	}
	require.LessOrEqual(t, f.Position(len(f.Src)).Line, f.LineCount())
	require.Empty(t, f.Line(0)+f.Line(f.LineCount()+1))
}

// maxChecked bounds how many nodes of a file are asked about their whole subtree,
// which for all of them takes quadratic time.
const maxChecked = 50

func checkParsed(t *testing.T, lang syntax.Lang, src []byte) *syntax.File {
	t.Helper()
	var f *syntax.File
	hostile.Ends(t, len(src), func() { f = syntax.Parse("a", lang, src) })
	checkLines(t, f)
	require.True(t, f.Unread != "" || f.Root().Valid(), "no tree and no reason")
	if strings.Contains(string(src), "\x00") {
		require.NotEmpty(t, f.Unread)
	}
	whole := syntax.Span{Start: 0, End: len(f.Src)}
	for _, s := range f.Opaque {
		require.True(t, whole.Contains(s))
	}
	count := 0
	for n := range all(f) {
		count++
		s := n.Span()
		require.True(t, s.Start <= s.End && whole.Contains(s), "%s at %v of %d bytes", n.Kind(), s, len(f.Src))
		require.Equal(t, f, n.File())
		before := s.Start
		for c := range n.Children() {
			require.Equal(t, n, c.Parent())
			require.True(t, s.Contains(c.Span()), "%s at %v holds %s at %v", n.Kind(), s, c.Kind(), c.Span())
			require.GreaterOrEqual(t, c.Span().Start, before, "%s after its next", c.Kind())
			require.True(t, !n.Damaged() || c.Damaged(), "%s inside of damage", c.Kind())
			before = c.Span().Start
		}
		if p := n.Parsed(); p.Valid() {
			require.Equal(t, n, p.Parent())
			require.Equal(t, s, p.Span())
		}
		if count > maxChecked {
			continue
		}
		require.True(t, f.Enclosing(s).Span().Contains(s))
		n.Squeeze()
		n.Attributes()
		if next := n.Next(); next.Valid() {
			require.Equal(t, n.Parent(), next.Parent())
			require.GreaterOrEqual(t, next.Span().Start, s.End)
		}
		checkFind(t, n)
	}
	first := dump(f)
	require.Equal(t, first, dump(syntax.Parse("a", lang, src)), "a second parse differs")
	if !f.BOM {
		require.Equal(t, first, dump(syntax.Parse("a", lang, append([]byte("\ufeff"), src...))), "a byte-order mark changes the tree")
	}
	return f
}

// checkFind compares what is looked up with what is visited.
func checkFind(t *testing.T, n syntax.Node) {
	t.Helper()
	var visited []syntax.Node
	kinds := map[string]bool{}
	n.Inspect(func(c syntax.Node) bool {
		require.False(t, c.Damaged())
		visited = append(visited, c)
		kinds[c.Kind()] = true
		return true
	})
	var names []string
	for k := range kinds {
		names = append(names, k)
	}
	slices.Sort(names)
	require.Equal(t, visited, n.Find(names...))
	if len(names) > 1 {
		require.Equal(t, slices.DeleteFunc(visited, func(c syntax.Node) bool { return !c.Is(names[:2]...) }), n.Find(names[1], names[0]))
	}
}

// dump is a digest of all nodes of a file.
func dump(f *syntax.File) string {
	h := fnv.New64a()
	n := 0
	for c := range all(f) {
		n++
		fmt.Fprintf(h, "%s %v %v %v\n", c.Kind(), c.Span(), c.Named(), c.Damaged())
	}
	io.WriteString(h, fmt.Sprint(f.Opaque))
	return fmt.Sprintf("%d nodes %x, unread %q", n, h.Sum64(), f.Unread)
}

// Dense source is read: the bounds of a parse are far above what it takes.
func TestDenseFilesAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		lang  syntax.Lang
		shape hostile.Shape
	}{
		"array":        {syntax.Rust, hostile.Repeat("", "const A: [i32; 1] = [", "1,", "];\n")},
		"statements":   {syntax.Rust, hostile.Repeat("", "fn f() {", "a;", "}\n")},
		"calls":        {syntax.Rust, hostile.Repeat("", "fn f() {", "a(b.c(d::<E>(&f[1])))?;", "}\n")},
		"token tree":   {syntax.Rust, hostile.Repeat("", "m!{", "a+", "}\n")},
		"macro rules":  {syntax.Rust, hostile.Repeat("", "macro_rules! m { ($e:ty) => {{", "a::<$e>(1);", "}} }\n")},
		"semicolons":   {syntax.Rust, hostile.Repeat("", "fn f() {", ";", "}\n")},
		"list":         {syntax.Python, hostile.Repeat("", "x = [", "1,", "]\n")},
		"names":        {syntax.Python, hostile.Repeat("", "", "a\n", "")},
		"calls in it":  {syntax.Python, hostile.Repeat("", "", "a(b.c(d[1:2], *e, f=g))\n", "")},
		"dictionaries": {syntax.Python, hostile.Repeat("", "x = [", "{a:b},", "]\n")},
		"strings":      {syntax.Python, hostile.Repeat("", "x = [", "f'{a}',", "]\n")},
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{4 << 10, 128 << 10} {
				require.Empty(t, syntax.Parse("a", c.lang, []byte(c.shape.Text(n))).Unread, "%d bytes", n)
			}
		})
	}
}
