// Package hostile is for tests only. It answers "what does a text look like that
// is made to hurt its reader, and did the reader bear it?": shapes of text of any
// size, and bounds of the time and memory that reading may take. It knows no reader.
package hostile

import (
	"fmt"
	"os"
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
	// room and roomPerByte are the memory that a call may take besides what the
	// process has, most is the memory that a call of Within may.
	room        = 256 << 20
	roomPerByte = 4 << 10
	most        = 512 << 20
)

// Ends runs a reader of n bytes and fails the test when it takes processor time or
// memory out of all proportion. A call that does not end is broken off by a panic
// with the stacks of all goroutines, by which a fuzzer keeps the input.
func Ends(tb testing.TB, n int, read func()) {
	tb.Helper()
	watch := time.AfterFunc(hang, func() {
		stacks := make([]byte, 1<<20)
		panic(fmt.Sprintf("no end after %s on %d bytes:\n%s", hang, n, stacks[:runtime.Stack(stacks, true)]))
	})
	defer watch.Stop()
	var took time.Duration
	held := Memory(func() { took = Time(read) })
	if limit := base + time.Duration(n)*perByte; took > limit {
		tb.Fatalf("%s of processor time for %d bytes, expected at most %s", took, n, limit)
	}
	if limit := int64(room + n*roomPerByte); held > limit && !Race {
		tb.Fatalf("%d MiB of memory for %d bytes, expected at most %d MiB", held>>20, n, limit>>20)
	}
}

// Memory is by how much the memory of the process, C's included, is larger at its
// highest while run runs than before. Where the system does not forget an earlier
// peak, what lies below that is not seen.
func Memory(run func()) int64 {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o200)
	before := highest()
	run()
	return highest() - before
}

// highest is the most memory that the process had, in bytes.
func highest() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err == nil {
		_, rest, _ := strings.Cut(string(status), "VmHWM:")
		var kib int64
		if _, err := fmt.Sscan(rest, &kib); err == nil {
			return kib << 10
		}
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Maxrss << 10
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
	worst  = 8 // times the processor time that the larger one may take
	tries  = 5
	// least is the time of the smaller one below which it does not tell the reader's own.
	least    = 32 * time.Millisecond
	furthest = 16 // times the size, at most, to come there
)

// Linear runs a reader on a text of about n bytes and on one of four times n, as
// Grows does.
func Linear(tb testing.TB, n int, shape func(n int) string, read func(text string)) {
	tb.Helper()
	texts := map[int]string{}
	Grows(tb, n, func(n int) {
		text, ok := texts[n]
		if !ok {
			text = shape(n)
			texts[n] = text
		}
		read(text)
	})
}

// Grows runs a call for a size and four times the size and fails the test when the
// time grows much faster than the size: in quadratic time the larger takes sixteen
// times as long. The size is n, or up to furthest times that: what a reader takes a few
// milliseconds for, the allocator and the garbage of earlier tests blur. A machine may be
// busy with other things, so only a result that comes again and again counts. The race
// detector measures nothing: with it n is run once.
func Grows(tb testing.TB, n int, run func(n int)) {
	tb.Helper()
	if Race {
		run(n)
		return
	}
	// The garbage of one run is no part of the next one's time.
	timed := func(n int) time.Duration {
		runtime.GC()
		return Time(func() { run(n) })
	}
	var short, long time.Duration
	for last := furthest * n; ; n *= 2 {
		if short = timed(n); short >= least || n >= last {
			break
		}
	}
	for i := range tries {
		l := timed(growth * n)
		if i == 0 {
			long = l
		}
		long = min(long, l)
		if long < worst*max(short, least) {
			return
		}
		short = min(short, timed(n))
	}
	tb.Errorf("size %d takes %s, size %d takes %s: the time does not grow in proportion", n, short, growth*n, long)
}

// Within runs a call and fails the test when it takes more processor time than
// Allow gives, or memory than a review may. Only a time that comes again and again
// counts. The race detector measures nothing.
func Within(tb testing.TB, limit time.Duration, run func()) {
	tb.Helper()
	var took, allowed time.Duration
	for range tries {
		held := Memory(func() { took = Time(run) })
		if Race {
			return
		}
		if held > most {
			tb.Errorf("%d MiB of memory, expected at most %d MiB", held>>20, most>>20)
			return
		}
		if took < limit {
			return
		}
		if allowed = Allow(limit); took < allowed {
			tb.Logf("%s of processor time, more than %s: this machine is %.1f times slower than usual", took, limit, float64(allowed)/float64(limit))
			return
		}
	}
	tb.Errorf("%s of processor time, expected less than %s, here %s", took, limit, allowed)
}

// Allow is a limit of time that holds for an idle processor, as others slow this
// one down: it grows by as much as a known piece of work takes longer, up to slowest
// times.
func Allow(limit time.Duration) time.Duration {
	return time.Duration(float64(limit) * slowness(Time(work)))
}

const (
	// usual is what work takes on an idle processor of 2.4 GHz.
	usual = 90 * time.Millisecond
	// slowest is how many times slower a machine may be before a limit fails on it.
	slowest = 4
)

// slowness is how many times longer than usual a known piece of work took; 1 on a
// machine that is as fast or faster.
func slowness(took time.Duration) float64 {
	return min(max(1, float64(took)/float64(usual)), slowest)
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

// The beginnings of files with a registered wrapper, a class of tests, an export
// and a kernel.
const (
	wrapper = "import torch\nimport tilegym\nfrom tilegym.backend import register_impl, set_backend\nfrom tilegym.backend.cutile_rs.autotuner import autotune_launch\nfrom tilegym.backend.cutile_rs.utils import bind_kernel_function_cffi, check_rc, make_tensor_desc\n_c = {}\n" +
		"def launch(x, out):\n    ffi, lib = bind_kernel_function_cffi('demo', 'int32_t cutile_demo(const TensorDesc* out, int32_t device_id, uint64_t raw_stream);')\n    check_rc(lib.cutile_demo(make_tensor_desc(ffi, out), 0, 0), 'demo')\n    return out\n" +
		"@register_impl('demo', backend='cutile-rs')\ndef demo(x, out, **kwargs):\n    ffi, lib = bind_kernel_function_cffi('demo', 'int32_t cutile_demo(const TensorDesc* out, int32_t device_id, uint64_t raw_stream);')\n    d = make_tensor_desc(ffi, out)\n    check_rc(lib.cutile_demo(d, 0, 0), 'demo')\n"
	testHead = "import pytest\nimport torch\nimport tilegym\nfrom .. import common\nclass Test_Demo(common.PyTestCase):\n    _backends = ['cutile', 'cutile-rs']\n"
	export   = "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn cutile_demo(out: *const TensorDesc, device_id: i32, raw_stream: u64) -> i32 {\n    let (out_d, ) = crate::deref_descs!(out);\n    let dty: &'static str = crate::resolve_dtype!(out_d);\n    crate::setup_device_stream!(device, stream, device_id, raw_stream);\n"
	kernel   = "#[cutile::module]\npub mod m {\nuse cutile::core::*;\n#[cutile::entry()]\npub unsafe fn demo_kernel<E: ElementType, const BLOCK: i32>(x: *mut E, t: &Tensor<E, { [-1] }>, n: i32) {\n"
)

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
	Numbered("arms and lets", export, "    let r# = op.sync_on(&stream);\n    match r# { Ok(_) => rc::OK, Err(_) => rc::OK };\n", "}\n"),
	Numbered("arms of one match", export+"    let r = op.sync_on(&stream);\n    match r {\n", "        Err(e#) => rc::OK,\n", "    }\n}\n"),
	Numbered("lets of one name and arms", export, "    let r = op.sync_on(&stream);\n    match r { Err(e#) => 0, _ => 0 };\n", "    0\n}\n"),
	Shape{"lets, then arms", func(n int) string {
		return export + strings.Repeat("let a=1;\n", n/18) + "let r=o.sync();\nmatch r{\n" + strings.Repeat("_=>0,\n", n/12) + "}\n}\n"
	}},
	Numbered("ifs that end in a code", export, "    if a# { -1 }\n", "    0\n}\n"),
	Numbered("early returns", export, "    if a == # { return -1; }\n", "    rc::OK\n}\n"),
	Numbered("launches", export, "    let op# = unsafe { demo_kernel(a, b) }.generics(vec![dty.to_string()]).grid((1, 1, 1)).compile_options(opts);\n    let _ = op#.sync_on(&stream);\n", "    rc::OK\n}\n"),
	Numbered("launches of one name", export, "    let op = unsafe { demo_kernel(op, #) }.generics(g).grid((1, 1, 1));\n    op.sync_on(&stream);\n", "    rc::OK\n}\n"),
	Numbered("pointers and launches", export, "    let p#: DevicePointer<f32> = unsafe { DevicePointer::from_cu_deviceptr(out.ptr) };\n    demo_kernel(p#).sync_on(&stream);\n", "    rc::OK\n}\n"),
	Numbered("pointers of one launch", export+"    demo_kernel(", "unsafe { DevicePointer::from_cu_deviceptr(out_d.ptr) }, ", ").grid((1, 1, 1)).sync_on(&stream);\n    rc::OK\n}\n"),
	Numbered("unwraps", export, "    let a# = b.get(#).unwrap().expect(\"a\");\n", "    rc::OK\n}\n"),
	Repeat("unwraps in a chain", export+"    a", ".unwrap()", ";\n    rc::OK\n}\n"),
	Numbered("devices", export, "    let d# = Device::new(0).unwrap();\n    let s# = Stream::borrow_raw(raw_stream, d#);\n", "    rc::OK\n}\n"),
	Numbered("descriptors", export, "    let d# = &*out;\n    let e# = d#.strides[0] as i32;\n", "    rc::OK\n}\n"),
	Numbered("dispatches", export, "    macro_rules! d# { ($E:ty) => {{ let op = demo_kernel::<$E>(a); match op.sync_on(&stream) { Ok(_) => 0, Err(_) => 0 } }}; }\n    d#!(f32);\n", "    rc::OK\n}\n"),
	Numbered("dispatches of one macro", export+"    macro_rules! d { ($E:ty) => {{ let op = demo_kernel::<$E>(a); op.sync_on(&stream); }}; }\n", "    d!(f#);\n", "    rc::OK\n}\n"),
	Numbered("exports of one kernel", "", "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn cutile_f#(x: *const TensorDesc, device_id: i32, raw_stream: u64) -> i32 { match demo_kernel(x).sync_on(s) { Ok(_) => 0, Err(_) => 0 } }\n", ""),
	Numbered("loads", kernel, "let (v#, t#): (Tile<E, { [BLOCK] }>, Token) = load_ptr_tko(x, ordering::Weak, None::<scope::TileBlock>, None, None::<E>, None::<Token>, Latency::<1>);\n", "}\n}\n"),
	Numbered("stores", kernel, "let t# = store_ptr_tko(x, y, ordering::Weak, None::<scope::TileBlock>, None, None::<Token>, Latency::<1>);\n", "}\n}\n"),
	Numbered("loads and stores of one name", kernel, "let (v, t) = load_ptr_tko(x, ordering::Weak, None::<scope::TileBlock>, None, None::<E>, Some(t), Latency::<1>);\nlet t = store_ptr_tko(x, v, ordering::Weak, None::<scope::TileBlock>, None, Some(t), Latency::<1>);\n", "}\n}\n"),
	Numbered("casts", kernel, "let v#: Tile<f32, { [BLOCK] }> = convert_tile(v);\nlet w#: Tile<E, { [BLOCK] }> = convert_tile(v#);\n", "}\n}\n"),
	Numbered("divisions", kernel, "let q# = cdiv(n, #i32) * n + n / #i32;\nlet p# = assume_div_by::<_, 16>(x);\n", "}\n}\n"),
	Numbered("ifs of constants", kernel, "if BLOCK > #i32 { f(x); } else { g(x); }\n", "}\n}\n"),
	Numbered("assignments in loops", kernel+"let mut a = 0i32;\nfor i in 0i32..n {\n", "a = a + #i32;\n", "}\n}\n}\n"),
	Numbered("mutable names in a loop", kernel, "let mut a# = 0i32;\nfor i in 0i32..n { a# = a# + 1i32; }\n", "}\n}\n"),
	Numbered("products", kernel, "let m# = mmaf(a, b, m);\nlet m = m#;\n", "}\n}\n"),
	Numbered("reductions", kernel, "let r# = reduce_sum(v, 0i32);\nlet e# = exp2(r#, ftz::Enabled);\n", "}\n}\n"),
	Numbered("partitions", kernel, "let p# = t.partition(const_shape![BLOCK]);\nlet l# = load_view_tko(&p#, [0i32], ordering::Weak, scope::TileBlock, None, tma::Enabled);\n", "}\n}\n"),
	Numbered("constants", "#[cutile::module]\npub mod m {\nuse cutile::core::*;\n", "const A#: i32 = #;\n#[cutile::entry()]\npub unsafe fn f#<const N: i32>(x: *mut f32) { let a = A# * N; if !(A# > 1) { g(a); } }\n", "}\n"),
	Numbered("pairs of entries and kernels", "", "#[cutile::module]\npub mod m# { #[cutile::entry()] pub unsafe fn f#<E: ElementType>(x: *mut E) { g(x); } }\n", ""),
	Numbered("modules with paths", "", "#[path = \"../../ffi_util.rs\"]\nmod f#;\n", ""),
	Numbered("includes of one file", "mod a {\n", "include!(\"../../demo_kernel/kernel.rs\"); // #\n", "}\n"),
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
	Numbered("results that are kept", wrapper, "    _c[#] = out\n", ""),
	Numbered("results that are kept by a name", wrapper, "    y# = out\n    _c[#] = y#\n", ""),
	Numbered("results that are kept in attributes", wrapper, "    x.a# = out\n    getattr(x, 'a#')\n", "    return x.a\n"),
	Numbered("results that are kept in containers", "_l = []\n"+wrapper, "    _l.append(launch(x, out))\n", ""),
	Numbered("containers of the module", wrapper, "    global _c#\n    _c# = launch(x, out)\n", ""),
	Numbered("parameters that are kept", "def f(", "a#={}, ", "x=1):\n    pass\n"),
	Numbered("uses of parameters", wrapper, "    kwargs['a#'] = x.contiguous()\n", ""),
	Numbered("descriptors", wrapper, "    d# = make_tensor_desc(ffi, x)\n", ""),
	Numbered("descriptors and launches", wrapper, "    d# = make_tensor_desc(ffi, x)\n    check_rc(lib.cutile_demo(d#), 'a')\n", ""),
	Numbered("launches of one descriptor", wrapper, "    rc = lib.cutile_demo(d, #)\n", "    check_rc(rc, 'a')\n"),
	Numbered("functions that launch", wrapper, "    return out\ndef f#(x, out):\n    return launch(x, out)\n", ""),
	Numbered("functions of other backends", wrapper, "    y = tilegym.ops.cutile.demo.f#(x)\n", ""),
	Numbered("nested functions", wrapper, "    def f#(cfg):\n        return lib.cutile_demo(d)\n    autotune_launch(f#)\n", ""),
	Numbered("early returns", wrapper, "    if x.shape[0] == #:\n        return x\n", ""),
	Numbered("raises", wrapper, "    if x.shape[0] == #:\n        raise ValueError('a#')\n", ""),
	Numbered("codes that nobody checks", wrapper, "    rc# = lib.cutile_demo(d)\n", ""),
	Numbered("exceptions that are caught", wrapper, "    try:\n        launch(x, out)\n    except Exception:\n        y = #\n", ""),
	Numbered("values that are asked for", wrapper, "    if x.sum().item() > #:\n        x = x.cpu()\n    torch.cuda.synchronize()\n", ""),
	Numbered("tensors that are allocated", wrapper, "    y# = torch.empty(x.shape, device=x.device, dtype=x.dtype)\n    launch(x, y#)\n", ""),
	Numbered("tensors that are copied", wrapper, "    x = x.contiguous().to(torch.float32)\n    d = make_tensor_desc(ffi, x)\n", ""),
	Numbered("tests of types", wrapper, "    if x.dtype == torch.float#:\n        x = x.float()\n    elif x.dim() == #:\n        x = x.view(-1)\n", ""),
	Numbered("loops with launches", wrapper, "    for i in range(#):\n        launch(x, out)\n", ""),
	Numbered("configs", "def _configs():\n    return [\n", "        SimpleNamespace(A=#, NUM_CTA_IN_CGA=-1, OCCUPANCY=-1),\n", "    ]\n"+wrapper+"    autotune_launch(kernel_fn=lambda cfg: launch(x, out), configs=_configs(), key=(x.shape,), kernel_name='a')\n"),
	Numbered("tuned launches", wrapper, "    r = autotune_launch(kernel_fn=lambda cfg: launch(x, out), configs=[#], key=(x.shape,), kernel_name='a')\n", "    return r.output\n"),
	Numbered("selections of a backend", wrapper, "    set_backend('a#')\n", ""),
	Numbered("decorators of a cache", "import functools\n"+wrapper, "    return out\n@functools.lru_cache\ndef f#(x):\n    return demo(x, x)\n", ""),
	Numbered("names of one text", "C = 'a' 'b'\n", "A# = C + C\ngetattr(x, A#)\n", ""),
	Numbered("skip marks", testHead, "    @pytest.mark.skipif(True, reason='a#')\n", "    def test_op(self, backend):\n        pass\n"),
	Numbered("skipped tests", testHead, "    @pytest.mark.skip\n    def test_f#(self, backend):\n        pass\n", ""),
	Numbered("skips", testHead+"    def test_op(self, backend):\n", "        if a#:\n            pytest.skip('a#')\n", ""),
	Numbered("parameter lists", testHead, "    @pytest.mark.parametrize('a#', [1, 2])\n", "    def test_op(self, backend):\n        pass\n"),
	Numbered("lists of backends", testHead, "    _backends = _backends + ['a#']\n", "    @pytest.mark.parametrize('backend', _backends)\n    def test_op(self, backend):\n        pass\n"),
	Numbered("comparisons", testHead+"    def test_op(self, backend):\n", "        self.assertCorrectness(tilegym.ops.demo, self.reference, {'x': #}, atol=#, rtol=1)\n", ""),
	Numbered("tolerances", testHead+"    def test_op(self, backend):\n", "        a# = 1e-#\n        torch.testing.assert_close(x, y, atol=a#, rtol=a#)\n", ""),
	Numbered("exceptions in a test", testHead+"    def test_op(self, backend):\n", "        try:\n            f(#)\n        except RuntimeError:\n            return\n", ""),
	Numbered("hooks", "import pytest\n", "def pytest_collection_modifyitems(items):\n    for i in items:\n        i.add_marker(pytest.mark.skip)\n", ""),
	Numbered("marks of a hook", "import pytest\ndef pytest_collection_modifyitems(items):\n    for i in items:\n", "        if 'a#' in i.name:\n            i.add_marker(pytest.mark.skip)\n", ""),
	Numbered("fixtures", "import pytest\n", "@pytest.fixture(autouse=True)\ndef f#(monkeypatch):\n    monkeypatch.setattr(torch, 'a#', 1)\n", ""),
	Numbered("selections", "if is_backend_available('cutile-rs'):\n", "    from . import a#\n", ""),
	Numbered("guarded selections", "", "if is_backend_available('cutile-rs'):\n    from . import a#\n", ""),
	Numbered("dispatched ops", "", "@dispatch('a#')\ndef a#(x):\n    raise NotImplementedError\n", ""),
}

// Growing are shapes of a Python file of a few lines whose values are exponentially
// larger than its text.
var Growing = []Shape{
	Numbered("texts that double", "A = 'aaaaaaaa'\n", "A = A + A\n", ""),
	Numbered("texts that double in place", "A = 'aaaaaaaa'\n", "A += A\n", ""),
	Numbered("format strings of format strings", "A = 'aaaaaaaa'\n", "A = f'{A}{A}{A}{A}'\n", ""),
	Numbered("format strings with a width", "A = 'a'\n", "A = f'{A:>999999999}'\n", ""),
	Numbered("replacements", "A = 'aaaaaaaa'\n", "A = A.replace('a', 'aaaaaaaaaaaaaaaaaaaa')\n", ""),
	Numbered("replacements of nothing", "A = 'aaaaaaaa'\n", "A = A.replace('', A)\n", ""),
	Numbered("joined texts", "A = 'aaaaaaaa'\n", "A = A.join([A, A, A])\n", ""),
	Numbered("formatted texts", "A = '{0}{0}'\n", "A = A.format(A)\nB = '%s%s' % (A, A)\n", ""),
	Numbered("texts of numbers", "A = '1'\n", "A = str(A) + str(A)\nB = int(A)\n", ""),
	Numbered("repeated texts", "A = 'aaaaaaaa'\n", "A = A * 4611686018427387904\n", ""),
	Numbered("texts in upper case", "A = 'aaaaaaaa'\n", "A = (A + A).upper().lower().strip()\n", ""),
	Numbered("lists that double", "A = [0, 1]\n", "A = A + A\n", ""),
	Numbered("lists that double in place", "A = [0, 1]\n", "A += A\nA.extend(A)\n", ""),
	Numbered("repeated lists", "A = [0, 0, 0, 0]\n", "A = A * 4611686018427387904\n", ""),
	Numbered("lists that are repeated a little", "A = [0, 0, 0, 0]\n", "A = A * 4\n", ""),
	Numbered("negative repetition", "A = [0, 0, 0, 0]\n", "A = A * -4611686018427387904\n", ""),
	Numbered("lists in lists", "A = [0]\n", "A = [A, A, A, A]\n", ""),
	Numbered("splats", "A = [0]\n", "A = [*A, *A, *A]\n", ""),
	Numbered("dictionaries of dictionaries", "A = {}\n", "A = {'a': A, 'b': A, **A}\n", ""),
	Numbered("comprehensions of comprehensions", "A = [0, 1]\n", "A = [(x, y) for x in A for y in A]\n", ""),
	Numbered("products", "import itertools\nA = [0, 1]\n", "A = list(itertools.product(A, A, repeat=8))\n", ""),
	Numbered("defaults that call their function", "", "def g#(a=(lambda: g#)()):\n    return a\nX = g#()\n", ""),
	Numbered("defaults that call each other", "", "def g#(a=(lambda: h#)()):\n    return a\ndef h#(a=(lambda: g#)()):\n    return a\nX = g#(h#())\n", ""),
	Numbered("decorators that call what they make", "import functools\ndef d(f):\n    @functools.wraps(f)\n    def w(*a, x=(lambda: w)(), **k):\n        return w(*a, **k)\n    return w\n", "@d\ndef g#():\n    return g#\nX = g#()\n", ""),
	Numbered("classes that make themselves", "", "class A#:\n    x = (lambda: A#().x)()\n    def __init__(self, b=(lambda: A#())()):\n        self.b = A#(b)\nX = A#()\n", ""),
	Numbered("ranges", "", "A# = range(-9223372036854775807, 9223372036854775807)\nfor i in A#: pass\n", ""),
	Numbered("ranges with a large step", "", "A# = list(range(0, 9223372036854775807, 9223372036854775806))\n", ""),
	Numbered("ranges that go down", "", "A# = list(range(9223372036854775807, -9223372036854775807, -1))\n", ""),
	Numbered("powers", "A = 10\n", "A = A ** A ** A\n", ""),
	Numbered("powers of negative numbers", "A = -10\n", "A = A ** 99\nB = (-2) ** 9223372036854775807\n", ""),
	Numbered("shifts", "A = 1\n", "A = A << 99999999\nB = 1 << 47 << 47\n", ""),
	Numbered("squares", "A = 10\n", "A = A * A\n", ""),
	Numbered("conditions that double", "c = x.c\nd = x.d\n", "c, d = (c and x.a#) or (d and x.b#), (d and x.c#) or (c and x.d#)\n", "A = 1 if not c else 2\n"),
	Numbered("choices that double", "A = x.c\nB = x.d\n", "A, B = (B if A else x.a#), (A if B else x.b#)\n", "A = 1 if A else B\n"),
	Numbered("limits that double", "A = 1 if x.c else 2\n", "A = A * 1.5 + A\n", "assert_close(x, A, atol=A)\nassert x < A\n"),
	Numbered("tuples in tuples", "A = (0,)\n", "A = (A, A, A)\n", "assert A == (A, 1)\n"),
	Numbered("classes with many bases", "class A0: pass\nA = A0\n", "class A#(A, A, A, A, A, A): pass\nA = A#\n", "class Test(A):\n    def test(self): self.f()\n"),
	Numbered("digits that double", "A = 9\n", "A = int(str(A) + str(A))\n", ""),
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
