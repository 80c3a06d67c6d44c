package syntax_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/syntax"
)

// sample is a source and what compilers say of it: ok, no, or new where only those
// of a later version than others take it.
type sample struct{ says, src string }

// samples reads a file of one sample a line.
func samples(t *testing.T, file string) (all []sample) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		says, src, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		require.True(t, ok, line)
		all = append(all, sample{says, strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(src) + "\n"})
	}
	return all
}

func TestWhatTheLanguageForbidsIsUnread(t *testing.T) {
	for file, lang := range map[string]syntax.Lang{"python.txt": syntax.Python, "rust.txt": syntax.Rust} {
		for _, s := range samples(t, file) {
			f := syntax.Parse("a", lang, []byte(s.src))
			if s.says != "no" {
				assert.Empty(t, f.Unread, s.src)
				continue
			}
			if assert.NotEmpty(t, f.Unread, s.src) {
				assert.Equal(t, told(f.Unread), f.UnreadAt, f.Unread)
				assert.LessOrEqual(t, f.UnreadAt.Line, f.LineCount())
			}
		}
	}
}

// compilePython asks the interpreter which sources its compiler takes.
func compilePython(t *testing.T, sources []string) (taken []bool) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 in PATH: it is asked what its compiler takes")
	}
	const script = `import json, sys, warnings
warnings.simplefilter("ignore")
def taken(source):
    try:
        compile(source, "a", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True
print(json.dumps([taken(s) for s in json.load(sys.stdin)]))`
	in, err := json.Marshal(sources)
	require.NoError(t, err)
	c := exec.Command(python, "-c", script)
	c.Stdin, c.Stderr = bytes.NewReader(in), os.Stderr
	out, err := c.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &taken))
	require.Len(t, taken, len(sources))
	return taken
}

func TestPythonTakesWhatIsRead(t *testing.T) {
	var sources []string
	var want []bool
	for _, s := range samples(t, "python.txt") {
		if s.says != "new" {
			sources, want = append(sources, s.src), append(want, s.says == "ok")
		}
	}
	for i, taken := range compilePython(t, sources) {
		assert.Equal(t, want[i], taken, sources[i])
	}
}

// parseRustAll asks the formatter, which parses as the compiler does, what it takes.
func parseRustAll(t *testing.T, sources []string) (taken []bool) {
	t.Helper()
	rustfmt, err := exec.LookPath("rustfmt")
	if err != nil {
		t.Skip("no rustfmt in PATH: it is asked what the compiler's parser takes")
	}
	dir := t.TempDir()
	args := []string{"--edition", "2024", "--emit", "stdout"}
	for i, src := range sources {
		name := filepath.Join(dir, strconv.Itoa(i)+".rs")
		require.NoError(t, os.WriteFile(name, []byte(src), 0o600))
		args = append(args, name)
		taken = append(taken, true)
	}
	var said bytes.Buffer
	c := exec.Command(rustfmt, args...)
	c.Stderr = &said
	_ = c.Run() // it fails where one file does
	for _, m := range regexp.MustCompile(`--> .*/([0-9]+)\.rs:`).FindAllStringSubmatch(said.String(), -1) {
		i, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		taken[i] = false
	}
	return taken
}

func TestRustTakesWhatIsRead(t *testing.T) {
	var sources []string
	all := samples(t, "rust.txt")
	for _, s := range all {
		sources = append(sources, s.src)
	}
	for i, taken := range parseRustAll(t, sources) {
		assert.Equal(t, all[i].says == "ok", taken, sources[i])
	}
}

// sources are the texts of this project with an extension, and those upstream where
// there is a checkout.
func sources(t *testing.T, ext string) (all []string) {
	t.Helper()
	for _, root := range []string{"../..", os.Getenv("TILEGYM_DIR")} {
		if root == "" {
			continue
		}
		require.NoError(t, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(p) != ext {
				return err
			}
			src, err := os.ReadFile(p)
			if len(src) < 60_000 && len(src) > 0 {
				all = append(all, string(src))
			}
			return err
		}))
	}
	require.NotEmpty(t, all)
	return all
}

// spoil changes one line of a source as slips do.
func spoil(r *rand.Rand, src string) string {
	lines := strings.Split(src, "\n")
	at := r.IntN(len(lines))
	line := lines[at]
	words := strings.Fields(line)
	switch kind := r.IntN(10); {
	case kind == 0:
		lines = slices.Delete(lines, at, at+1)
	case kind == 1:
		lines = slices.Insert(lines, at, line)
	case kind == 2:
		lines[at] = "    " + line
	case kind == 3:
		lines[at] = strings.TrimPrefix(line, "    ")
	case kind == 4:
		lines[at] = " " + line
	case kind == 5:
		lines[at] = strings.Replace(line, "    ", "\t", 1)
	case kind == 6 && at+1 < len(lines):
		lines[at] += " " + strings.TrimLeft(lines[at+1], " ")
		lines = slices.Delete(lines, at+1, at+2)
	case kind == 7 && len(line) > 0:
		i := r.IntN(len(line))
		lines[at] = line[:i] + line[i+1:]
	case len(words) > 1:
		i := r.IntN(len(words) - 1)
		words[i], words[i+1] = words[i+1], words[i]
		lines[at] = line[:len(line)-len(strings.TrimLeft(line, " "))] + strings.Join(words, " ")
	}
	return strings.Join(lines, "\n")
}

// What Python's compiler refuses is unread, and nothing that it takes is.
func TestSpoiledPythonIsReadAsCompiled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := sources(t, ".py")
	var spoiled []string
	for range 1200 {
		spoiled = append(spoiled, spoil(r, all[r.IntN(len(all))]))
	}
	refused := 0
	for i, taken := range compilePython(t, spoiled) {
		why := syntax.Parse("a", syntax.Python, []byte(spoiled[i])).Unread
		if taken {
			assert.Empty(t, why, spoiled[i])
			continue
		}
		refused++
		assert.NotEmpty(t, why, spoiled[i])
	}
	require.Greater(t, refused, 300)
}

// What Rust's parser takes is read, and what it refuses is unread but for a little.
func TestSpoiledRustIsReadAsParsed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all := sources(t, ".rs")
	// The formatter looks for modules in other files, and takes rules of macros that the compiler does not.
	all = slices.DeleteFunc(all, func(src string) bool { return strings.Contains(src, "mod ") || strings.Contains(src, "macro_rules!") })
	var spoiled []string
	for range 300 {
		spoiled = append(spoiled, spoil(r, all[r.IntN(len(all))]))
	}
	refused, missed := 0, 0
	for i, taken := range parseRustAll(t, spoiled) {
		why := syntax.Parse("a", syntax.Rust, []byte(spoiled[i])).Unread
		if taken && why != "" {
			taken = parseRustAll(t, spoiled[i:i+1])[0] // of many files it does not tell the same twice
		}
		if taken {
			assert.Empty(t, why, spoiled[i])
			continue
		}
		refused++
		if why == "" {
			missed++
			t.Log(spoiled[i])
		}
	}
	require.Greater(t, refused, 40)
	assert.LessOrEqual(t, missed*50, refused)
}

// Fields that are left out stand in what is assigned to. The formatter takes them
// elsewhere, too, and the compiler does not.
func TestFieldsAreLeftOutOfTargetsOnly(t *testing.T) {
	for src, read := range map[string]bool{
		"fn f() { A { b, .. } = c; }":                       true,
		"fn f() { (A { .. }, [B(C { d, .. })]) = e; }":      true,
		"fn f() { A { b: C { d, .. }, .. } = e; }":          true,
		"fn f() { let a = A { b, .. }; }":                   false,
		"fn f() { g(A { b, .. }); }":                        false,
		"fn f() { a = A { b, .. }; }":                       false,
		"fn f() { A { b, .. } = c; let d = A { b, .. }; }":  false,
		"fn f() { A { b, .. } += c; }":                      false,
		"fn f() { A { b, .. } = c; let A { b, .. } = d; }":  true,
		"fn f() { A { b, .. } = match c { A { .. } => d }}": true,
	} {
		assert.Equal(t, read, syntax.Parse("a", syntax.Rust, []byte(src)).Unread == "", src)
	}
}

// What stands in the tree for a form that the grammar lacks is what the source says.
func TestGapsOfRustAreNotSeen(t *testing.T) {
	const src = `pub struct T<A> where (): B, fn(A): C;
extern "C" { pub type X; }
fn f() { S { a, .. } = &raw; let S { #[a] b, c } = u16!(d); let e = |#[b] g| h; }
`
	f := syntax.Parse("a", syntax.Rust, []byte(src))
	require.Empty(t, f.Unread)
	one := func(kind string) syntax.Node {
		all := f.Root().Find(kind)
		require.Len(t, all, 1, kind)
		return all[0]
	}
	assert.Equal(t, "pub struct T<A> where (): B, fn(A): C;", one("struct_item").Text())
	assert.Empty(t, one("struct_item").Field("body"))
	assert.Equal(t, "()", one("where_clause").NamedChild(0).Field("left").Text())
	assert.Equal(t, "unit_type", one("where_clause").NamedChild(0).Field("left").Kind())
	assert.Equal(t, "function_type", one("where_clause").NamedChild(1).Field("left").Kind())
	assert.Equal(t, "pub type X;", one("type_item").Text())
	assert.False(t, one("type_item").Field("type").Valid())
	assert.Equal(t, "..", one("base_field_initializer").Text())
	assert.Equal(t, "raw", one("reference_expression").Field("value").Text())
	assert.Equal(t, "u16", one("macro_invocation").Field("macro").Text())
	assert.Len(t, f.Root().Find("field_pattern"), 2)
	for _, kind := range []string{"reference_type", "ordered_field_declaration_list"} {
		assert.Empty(t, f.Root().Find(kind), kind)
	}
	f.Root().Inspect(func(n syntax.Node) bool {
		assert.NotEmpty(t, n.Text())
		return true
	})
}

// The tree binds as Python does where the grammar does not.
func TestWhatTheGrammarNestsTheWrongWayRound(t *testing.T) {
	const src = "with f(n := a if b else c), a if d else lambda: e as g:\n    x = [n := (m := 1 if a else 2) if b else c]\n"
	f := syntax.Parse("a", syntax.Python, []byte(src))
	require.Empty(t, f.Unread)
	texts := func(kind, field string) (all []string) {
		for _, n := range f.Root().Find(kind) {
			all = append(all, n.Field(field).Text())
		}
		return all
	}
	assert.Equal(t, []string{"a if b else c", "(m := 1 if a else 2) if b else c", "1 if a else 2"}, texts("named_expression", "value"))
	assert.Equal(t, []string{"n", "n", "m"}, texts("named_expression", "name"))
	as := f.Root().Find("as_pattern")
	require.Len(t, as, 1)
	assert.Equal(t, "a if d else lambda: e as g", as[0].Text())
	assert.Equal(t, "a if d else lambda: e", as[0].NamedChild(0).Text())
	assert.Equal(t, "conditional_expression", as[0].NamedChild(0).Kind())
	assert.Equal(t, "g", as[0].Field("alias").Text())
	assert.Equal(t, "with_item", as[0].Parent().Kind())
	assert.Equal(t, "lambda: e", as[0].NamedChild(0).NamedChild(2).Text())
	assert.Equal(t, "e", f.Root().Find("lambda")[0].Field("body").Text())
	// Each node holds its children, in their order.
	f.Root().Inspect(func(n syntax.Node) bool {
		end := n.Span().Start
		for c := range n.Children() {
			assert.Equal(t, n, c.Parent())
			assert.True(t, n.Span().Contains(c.Span()), c.Text())
			assert.GreaterOrEqual(t, c.Span().Start, end, c.Text())
			end = c.Span().End
		}
		return true
	})
}

// Nothing is read as what it is not for want of a comma, an `=` or a star in the grammar.
func TestGapsOfPythonAreNotSeen(t *testing.T) {
	f := syntax.Parse("a", syntax.Python, []byte("class A[T = int]:\n    def f(self):\n        return (x[*[a]].\nb)\n"))
	require.Empty(t, f.Unread)
	list := f.Root().Find("type_parameter")[0]
	assert.True(t, list.ChildOf("=").Valid())
	assert.False(t, list.ChildOf(",").Valid())
	assert.Equal(t, "*[a]", f.Root().Find("list_splat")[0].Text())
	assert.Empty(t, f.Root().Find("unary_operator"))
	assert.Equal(t, "b", f.Root().Find("attribute")[0].Field("attribute").Text())
}

// What begins a format is no name of a value.
func TestFormatsThatBeginWithEquals(t *testing.T) {
	f := syntax.Parse("a", syntax.Python, []byte(`f"{x:=10}{(y := 1)}"`))
	require.Empty(t, f.Unread)
	require.Len(t, f.Root().Find("format_specifier"), 1)
	assert.Equal(t, ":=10", f.Root().Find("format_specifier")[0].Text())
	require.Len(t, f.Root().Find("named_expression"), 1)
	assert.Equal(t, "y := 1", f.Root().Find("named_expression")[0].Text())
}

// Python nests a hundred blocks, however wide they are indented.
func TestDeepIndentationIsRead(t *testing.T) {
	for _, indent := range []string{"    ", "\t", "         "} {
		var b strings.Builder
		for i := range 99 {
			b.WriteString(strings.Repeat(indent, i) + "if a:\n")
		}
		b.WriteString(strings.Repeat(indent, 99) + "x = \"\"\"b\n" + strings.Repeat(" ", 600) + "c\"\"\"\n")
		b.WriteString(strings.Repeat(indent, 50) + "y = (1,\n2)\nz = 3\n")
		f := syntax.Parse("a", syntax.Python, []byte(b.String()))
		require.Empty(t, f.Unread)
		var names []string
		for _, n := range f.Root().Find("assignment") {
			names = append(names, n.Field("left").Text())
		}
		assert.Equal(t, []string{"x", "y", "z"}, names)
		assert.Len(t, f.Root().Find("if_statement"), 99)
		assert.Equal(t, "\"\"\"b\n"+strings.Repeat(" ", 600)+"c\"\"\"", f.Root().Find("string")[0].Text())
		assert.NotEmpty(t, syntax.Parse("a", syntax.Python, []byte(b.String()+" z = 4\n")).Unread)
	}
}

// Many escapes of one text take no more than as many words.
func TestManyEscapesAreRead(t *testing.T) {
	f := syntax.Parse("a", syntax.Rust, []byte(`const A: &str = "`+strings.Repeat(`\u{1_F_6_00}`, 100_000)+`";`))
	assert.Empty(t, f.Unread)
}
