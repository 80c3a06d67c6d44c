// Package hostile is for tests only. It answers "what does a text look like that
// is made to hurt its reader, and did the reader bear it?": shapes of text of any
// size, and bounds of the time that reading may take. It knows no reader.
package hostile

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// hang is the real time after which a call is taken never to end. Machines
	// may be busy, so it is far above what Ends allows.
	hang = 5 * time.Minute
	// base and perByte are the processor time that a call may take, with a
	// fuzzer's instrumentation, which makes code several times slower.
	base    = 10 * time.Second
	perByte = 100 * time.Microsecond
)

// Ends runs a reader of n bytes and fails the test when it takes processor time
// out of all proportion. A call that does not end is broken off by a panic with
// the stacks of all goroutines, by which a fuzzer keeps the input.
func Ends(tb testing.TB, n int, read func()) {
	tb.Helper()
	watch := time.AfterFunc(hang, func() {
		stacks := make([]byte, 1<<20)
		panic(fmt.Sprintf("no end after %s on %d bytes:\n%s", hang, n, stacks[:runtime.Stack(stacks, true)]))
	})
	defer watch.Stop()
	took := Time(read)
	if limit := base + time.Duration(n)*perByte; took > limit {
		tb.Fatalf("%s of processor time for %d bytes, expected at most %s", took, n, limit)
	}
}

// Time is the processor time that the process spends while run runs.
func Time(run func()) time.Duration {
	start := processor()
	run()
	return processor() - start
}

func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const (
	growth = 4 // the larger size of Grows against its smaller one
	worst  = 9 // times the processor time that the larger one may take
	noise  = 100 * time.Millisecond
	tries  = 4
)

// Linear runs a reader on a text of about n bytes and on one of four times n, as
// Grows does.
func Linear(tb testing.TB, n int, shape func(n int) string, read func(text string)) {
	tb.Helper()
	texts := map[int]string{n: shape(n), growth * n: shape(growth * n)}
	Grows(tb, n, func(n int) { read(texts[n]) })
}

// Grows runs a call for the sizes n and four times n and fails the test when the
// time grows much faster than the size: in quadratic time the larger takes sixteen
// times as long. A machine may be busy with other things, so only a result that
// comes again and again counts. The race detector measures nothing: with it the
// smaller size is run once.
func Grows(tb testing.TB, n int, run func(n int)) {
	tb.Helper()
	if Race {
		run(n)
		return
	}
	var short, long time.Duration
	for i := range tries {
		s, l := Time(func() { run(n) }), Time(func() { run(growth * n) })
		if i == 0 {
			short, long = s, l
		}
		short, long = min(short, s), min(long, l)
		if long < worst*short+noise {
			return
		}
	}
	tb.Errorf("size %d takes %s, size %d takes %s: the time does not grow in proportion", n, short, growth*n, long)
}

// Within runs a call and fails the test when it takes more processor time than
// Allow gives. Only a result that comes again and again counts. The race detector
// measures nothing.
func Within(tb testing.TB, limit time.Duration, run func()) {
	tb.Helper()
	var took, allowed time.Duration
	for range tries {
		took = Time(run)
		if Race || took < limit {
			return
		}
		if allowed = Allow(limit); took < allowed {
			return
		}
	}
	tb.Errorf("%s of processor time, expected less than %s, here %s", took, limit, allowed)
}

// Allow is a limit of processor time that holds for an idle processor, as others
// slow this one down: it grows by as much as a known piece of work takes longer.
func Allow(limit time.Duration) time.Duration {
	return time.Duration(float64(limit) * slowness())
}

// usual is what work takes on an idle processor of 2.4 GHz.
const usual = 90 * time.Millisecond

// slowness is how many times longer than usual a known piece of work takes now; 1
// on a machine that is as fast or faster.
func slowness() float64 {
	return max(1, float64(Time(work))/float64(usual))
}

// work sorts numbers.
func work() {
	n := make([]uint32, 1<<20)
	x := uint32(1)
	for i := range n {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		n[i] = x
	}
	slices.Sort(n)
}

// Shape is a family of texts, one for each size.
type Shape struct {
	Name string
	// Text is a text of about n bytes.
	Text func(n int) string
}

// Repeat is a shape of one piece repeated, between a head and a tail.
func Repeat(name, head, piece, tail string) Shape {
	return Shape{name, func(n int) string {
		return head + strings.Repeat(piece, max(1, (n-len(head)-len(tail))/len(piece))) + tail
	}}
}

// Numbered is a shape of numbered pieces: each # of the piece is its number, so
// that all names differ.
func Numbered(name, head, piece, tail string) Shape {
	return Shape{name, func(n int) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.ReplaceAll(piece, "#", fmt.Sprint(i)))
		}
		b.WriteString(tail)
		return b.String()
	}}
}

// Nested is a shape of brackets inside each other.
func Nested(name, head, open, inner, closing, tail string) Shape {
	return Shape{name, func(n int) string {
		depth := max(1, n/(len(open)+len(closing)))
		return head + strings.Repeat(open, depth) + inner + strings.Repeat(closing, depth) + tail
	}}
}

// Any are shapes that mean nothing in any language, or something else in each.
var Any = []Shape{
	Repeat("one long line", "", "a", ""),
	Repeat("empty lines", "", "\n", ""),
	Repeat("carriage returns", "", "\r", ""),
	Repeat("CRLF lines", "", "a\r\n", ""),
	Repeat("blanks", "", " ", "x"),
	Repeat("tabs and lines", "", "\t\n", ""),
	Repeat("byte-order marks", "", "\ufeff", ""),
	Repeat("invalid UTF-8", "", "\xff", ""),
	Repeat("NUL bytes", "", "\x00", ""),
	Repeat("escapes", "", "\x1b[31m", ""),
	Repeat("backslashes", "", `\`, ""),
	Repeat("quotes", "", `"`, ""),
	Repeat("escaped quotes", `"`, `\"`, ""),
	Repeat("apostrophes", "", "'", ""),
	Repeat("open round", "", "(", ""),
	Repeat("open square", "", "[", ""),
	Repeat("open curly", "", "{", ""),
	Repeat("open mixed", "", "([{", ""),
	Repeat("closing", "", ")]}", ""),
	Repeat("open angles", "", "<", ""),
	Nested("nested round", "", "(", "", ")", ""),
	Nested("nested square", "", "[", "", "]", ""),
	Nested("nested curly", "", "{", "", "}", ""),
	Repeat("pairs", "", "()", ""),
	Repeat("commas", "", ",", ""),
	Repeat("colons", "", ":", ""),
	Repeat("equals", "", "=", ""),
	Repeat("minus", "", "- ", "1"),
	Repeat("bars", "", "|", ""),
	Repeat("hashes", "", "#", ""),
	Repeat("ampersands", "", "&", ""),
	Repeat("at signs", "", "@", ""),
	Repeat("dots", "", ".", ""),
	Repeat("digits", "", "1", ""),
	Repeat("words", "", "a ", ""),
	Numbered("names", "", "a# ", ""),
	Repeat("unclosed string", `x = "`, "a ", ""),
	Repeat("unclosed comment", "/*", " a", ""),
	Repeat("unclosed long string", `x = """`, "a\n", ""),
}

// Rust are shapes of a Rust file.
var Rust = []Shape{
	Numbered("functions", "", "fn f#() { g(#); }\n", ""),
	Numbered("functions in a module", "#[cutile::module]\npub mod m {\n", "fn f#() { g(#); }\n", "}\n"),
	Numbered("entries", "#[cutile::module]\npub mod m {\nuse cutile::core::*;\n", "#[cutile::entry()]\npub unsafe fn f#<E: ElementType>(x: *mut E) { g(#); }\n", "}\n"),
	Numbered("exports", "", "#[no_mangle]\npub unsafe extern \"C\" fn cutile_f#(x: *const TensorDesc) -> i32 { 0 }\n", ""),
	Numbered("statements", "#[cutile::module]\npub mod m {\nuse cutile::core::*;\n#[cutile::entry()]\npub unsafe fn f(x: i32) {\n", "let a# = exti(scalar_to_tile(x));\n", "}\n}\n"),
	Numbered("chain of names", "#[cutile::module]\npub mod m {\nuse cutile::core::*;\n#[cutile::entry()]\npub unsafe fn f(a: i32) {\n", "let a = a * 2i32 + #i32;\n", "}\n}\n"),
	Numbered("loops in a row", "#[cutile::module]\npub mod m {\n#[cutile::entry()]\npub unsafe fn f(n: i32) {\n", "for i in (0i32..n).step_by(#) { load_ptr_tko(i); }\n", "}\n}\n"),
	Nested("nested blocks", "fn f() ", "{", "1", "}", "\n"),
	Nested("nested loops", "#[cutile::module]\npub mod m {\n#[cutile::entry()]\npub unsafe fn f(n: i32) {\n", "for i in 0i32..n {", "g(n);", "}", "}\n}\n"),
	Nested("nested calls", "fn f() { ", "g(", "1", ")", "; }\n"),
	Nested("nested types", "fn f(x: ", "A<", "B", ">", ") {}\n"),
	Nested("nested modules", "", "mod a {", "", "}", "\n"),
	Repeat("operators", "fn f() { let a = 1", " + a", "; }\n"),
	Repeat("unary operators", "fn f() { let a = ", "-", "1; }\n"),
	Repeat("method calls", "fn f() { a", ".b(1)", "; }\n"),
	Repeat("else if", "fn f() { if a { }", " else if a { }", "}\n"),
	Repeat("array", "const A: [i32; 1] = [", "1,", "];\n"),
	Repeat("strings in an array", "const A: [&str; 1] = [", "\"a\",", "];\n"),
	Numbered("arguments", "fn f() { g(", "a#, ", "); }\n"),
	Numbered("parameters", "#[cutile::module]\npub mod m {\n#[cutile::entry()]\npub unsafe fn f(", "a#: i32, ", ") {}\n}\n"),
	Numbered("imports", "", "use a::b#;\n", ""),
	Numbered("import tree", "use a::{", "b#, ", "};\n"),
	Numbered("macros", "", "macro_rules! m# { ($e:expr) => { g($e) }; }\n", ""),
	Numbered("macro rules", "macro_rules! m {\n", "(#) => { g(#) };\n", "}\n"),
	Repeat("broken macro rules", "macro_rules! m {\n", "(1) => { g( };\n", "}\n"),
	Numbered("list macros", "fn f() {\n", "let a# = const_shape![#];\n", "}\n"),
	Repeat("broken list macros", "fn f() {\n", "let a = vec![=];\n", "}\n"),
	Nested("nested list macros", "fn f() { let a = ", "vec![", "1", "]", "; }\n"),
	Repeat("unclosed macro", "macro_rules! m { ($e:expr) => {", " $e", ""),
	Repeat("unclosed block comment", "fn f() {} /* ", "/* a ", ""),
	Repeat("unclosed raw string", "const A: &str = r#\"", "\"a", ""),
	Repeat("attributes", "", "#[a]\n", "fn f() {}\n"),
	Repeat("doc comments", "", "/// a\n", "fn f() {}\n"),
	Repeat("comments", "", "// a\n", "fn f() {}\n"),
	Repeat("suppressions", "", "// tilegate: allow(R45) why\n", "fn f() {}\n"),
	Repeat("suppressions before code", "", "// tilegate: allow(R45) why\nuse a;\n", ""),
	Repeat("damage", "", "fn f( {\n", ""),
	Repeat("damage after damage", "", "fn = ;\n", ""),
	Repeat("generics that do not end", "fn f() { a::", "<a::", ""),
	Repeat("known gaps", "fn f() {\n", "g::<-1>();\n", "}\n"),
	Repeat("safe functions", "unsafe extern \"C\" {\n", "safe fn a();\n", "}\n"),
	Numbered("includes", "", "mod a# { include!(\"../../a#_kernel/ffi.rs\"); }\n", ""),
}

// Python are shapes of a Python file.
var Python = []Shape{
	Numbered("functions", "", "def f#(x):\n    return g#(x)\n", ""),
	Numbered("calls in a chain", "def f(x):\n    return x\n", "def f#(x):\n    return f(x)\nf = f#\n", ""),
	Numbered("statements", "def f(x):\n", "    a# = x.contiguous()\n", ""),
	Numbered("statements of one name", "def f(x):\n", "    x = g(x, #)\n", ""),
	Numbered("statements of a module", "", "a# = g(#)\n", ""),
	Numbered("tests", "", "def test_f#():\n    assert_close(f(#), g(#))\n", ""),
	Numbered("parametrised tests", "import pytest\n", "@pytest.mark.parametrize('a', [1, 2])\ndef test_f#(a):\n    assert f(a) == #\n", ""),
	Numbered("parameters of tests", "import pytest\n@pytest.mark.parametrize('a', [", "(#, 1), ", "])\ndef test_f(a):\n    assert f(a)\n"),
	Numbered("decorators", "", "@a(#)\n", "def f():\n    pass\n"),
	Numbered("registrations", "", "@register_impl('a#', backend='cutile-rs')\ndef a#(x):\n    return x\n", ""),
	Numbered("imports", "", "from . import a#\n", ""),
	Numbered("bindings", "", "bind_kernel_function_cffi('f#', \"int32_t f#(void* a);\")\n", ""),
	Numbered("declarations", "C = \"\"\"\n", "int32_t f#(const TensorDesc* a, int32_t b);\n", "\"\"\"\nbind_kernel_function_cffi('f', C)\n"),
	Numbered("parts of a string", "C = (", "\"int32_t f#(void* a);\" ", ")\nbind_kernel_function_cffi('f', C)\n"),
	Nested("nested lists", "x = ", "[", "1", "]", "\n"),
	Nested("nested calls", "x = ", "f(", "1", ")", "\n"),
	Nested("nested comprehensions", "x = ", "[", "a", " for a in b]", "\n"),
	Repeat("operators", "x = 1", " + x", "\n"),
	Repeat("unary operators", "x = ", "not ", "1\n"),
	Repeat("lambdas", "x = ", "lambda: ", "1\n"),
	Repeat("attributes", "x = a", ".b", "\n"),
	Repeat("method calls", "x = a", ".b(1)", "\n"),
	Repeat("elif", "if a:\n    pass\n", "elif a:\n    pass\n", ""),
	Repeat("list", "x = [", "1,", "]\n"),
	Repeat("list of strings", "x = [", "'a',", "]\n"),
	Numbered("dictionary", "x = {", "'a#': #, ", "}\n"),
	Repeat("strings in a row", "x = (", "'a' ", ")\n"),
	Repeat("format strings", "x = [", "f'{a}',", "]\n"),
	Nested("nested format strings", "x = ", "f'{", "1", "}'", "\n"),
	Shape{"indentation", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.Repeat(" ", i) + "if a:\n")
		}
		return b.String()
	}},
	Repeat("unclosed string", "x = \"\"\"", "a\n", ""),
	Repeat("unclosed format string", "x = f\"\"\"", "{a\n", ""),
	Repeat("comments", "", "# a\n", "x = 1\n"),
	Repeat("suppressions", "", "# tilegate: allow(R45) why\n", "x = 1\n"),
	Repeat("damage", "", "def f(:\n", ""),
	Repeat("damage after damage", "", "= = =\n", ""),
	Repeat("line joins", "x = 1", " + \\\n 1", "\n"),
	Repeat("semicolons", "", "a;", "\n"),
	Repeat("targets", "", "a = ", "1\n"),
	Repeat("global", "def f():\n", "    global a\n", ""),
}

// TOML are shapes of a TOML file.
var TOML = []Shape{
	Numbered("keys", "", "a# = #\n", ""),
	Numbered("tables", "", "[a#]\nb = 1\n", ""),
	Numbered("dependencies", "[dependencies]\n", "a# = { version = \"=0.#\", features = [\"x\"] }\n", ""),
	Numbered("escaped backslashes", "", "a# = \"\\\\\"\n", ""),
	Numbered("apostrophes in strings", "", "a# = \"'\"\n", ""),
	Numbered("brackets in strings", "", "a# = \"[\"\n", ""),
	Numbered("brackets in comments", "", "a# = 1 # [\n", ""),
	Repeat("dotted key", "a", ".a", " = 1\n"),
	Repeat("array", "a = [", "1,", "]\n"),
	Numbered("inline table", "a = {", "b# = 1, ", "c = 1}\n"),
	Nested("nested arrays", "a = ", "[", "", "]", "\n"),
	Nested("nested tables", "a = ", "{a=", "1", "}", "\n"),
	Repeat("unclosed arrays", "a = ", "[", ""),
	Repeat("one key", "", "a = 1\n", ""),
	Repeat("one table", "", "[[a]]\nb = 1\n", ""),
	Repeat("comments", "", "# a\n", ""),
}

// JSON are shapes of a JSON file.
var JSON = []Shape{
	Nested("nested arrays", "", "[", "", "]", ""),
	Nested("nested objects", "", "{\"a\":", "1", "}", ""),
	Numbered("keys", "{", "\"a#\": #,\n", "\"z\": 1}"),
	Numbered("variants", "{\"kernel_variants\": [", "{\"name\": \"v#\", \"reference_ir\": \"reference/v#.mlir\"},\n", "{}]}"),
	Numbered("configs", "{\"config_to_variant\": {", "\"a#\": \"v#\",\n", "\"z\": \"v\"}}"),
	Repeat("one key", "{", "\"a\": 1,", "\"a\": 1}"),
	Repeat("numbers", "[", "1,", "1]"),
	Repeat("strings", "[", "\"a\",", "1]"),
	Repeat("digits", "", "1", ""),
	Repeat("unclosed arrays", "", "[", ""),
	Repeat("unclosed string", "\"", "a", ""),
}

// IR are shapes of CUDA Tile IR.
var IR = []Shape{
	Numbered("entries", "cuda_tile.module @m {\n", "  entry @f#(%arg0: tile<ptr<f32>>) {\n    return\n  }\n", "}\n"),
	Numbered("operations", "cuda_tile.module @m {\n  entry @f(%arg0: tile<ptr<f32>>) {\n", "    %# = constant <i32: #> : tile<i32>\n", "    return\n  }\n}\n"),
	Numbered("operations in a chain", "cuda_tile.module @m {\n  entry @f(%0: tile<i32>) {\n", "    %v = addi %v, %# : tile<i32>\n", "    return\n  }\n}\n"),
	Nested("nested loops", "cuda_tile.module @m {\n  entry @f(%0: tile<i32>) {\n", "for %i in (%0 to %0, step %0) : tile<i32> {\n", "", "}\n", "    return\n  }\n}\n"),
	Nested("nested modules", "", "module {\n", "", "}\n", ""),
	Repeat("operands", "cuda_tile.module @m {\n  entry @f(%0: tile<i32>) {\n    %1 = f ", "%0, ", "%0 : tile<i32>\n    return\n  }\n}\n"),
	Repeat("unclosed string", "cuda_tile.module @m {\n  entry @f(%0: tile<i32>) {\n    print \"", "a", ""),
}

// YAML are shapes of a YAML file.
var YAML = []Shape{
	Numbered("keys", "", "a#: #\n", ""),
	Nested("nested lists", "a: ", "[", "", "]", "\n"),
	Nested("nested maps", "a: ", "{a: ", "1", "}", "\n"),
	Repeat("open lists", "a: ", "[", ""),
	Repeat("open maps", "", "{", ""),
	Repeat("dashes", "", "- ", "a\n"),
	Shape{"indentation", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}},
	Numbered("anchors", "", "a#: &a# x\n", ""),
	Repeat("anchors and aliases", "a: &a [x]\n", "b: *a\n", ""),
	Repeat("documents", "", "---\na: 1\n", ""),
	Repeat("tags", "a: ", "!!str ", "x\n"),
	Repeat("questions", "", "? ", "a\n"),
	Repeat("block", "a: |\n", "  x\n", ""),
	Repeat("comments", "", "# a\n", ""),
	Repeat("one key", "", "a: 1\n", ""),
	Repeat("quoted", "a: \"", "\\x41", "\"\n"),
	Repeat("list", "a: [", "x, ", "y]\n"),
	Repeat("merges", "", "<<: {a: 1}\n", ""),
}
