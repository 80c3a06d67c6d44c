package r35

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/checks/words"
)

// exported checks the export itself: its name, and that a wrapper declares it.
func exported(p *rules.Pass, k *host.Kernel) {
	if k.FFI == nil {
		return
	}
	exports := k.FFI.Exports
	if len(exports) == 0 {
		if len(k.FFI.File.Opaque) > 0 || len(k.FFI.File.Root().Find("macro_invocation")) > 0 {
			p.Undecided("a macro may make the export")
			return
		}
		first := k.FFI.File.Root().NamedChild(0)
		p.Reportf(first, rules.Error, "export", "`%s` exports no `extern \"C\"` function; expected `cutile_%s`", k.Kernel.FFI, k.Name)
		return
	}
	if want := "cutile_" + k.Name; k.Suite == "" && len(exports) == 1 && exports[0].Name != want {
		p.Reportf(exports[0].NameAt, rules.Error, "symbol", "`%s` is exported by `%s_kernel`; expected `%s`, the name that the op's folder gives", exports[0].Name, k.Name, want)
	}
	if k.Wrapper != nil && (len(k.Wrapper.Binds) > 0 || len(k.Wrapper.Registers) > 0) {
		return // the wrapper's side of the difference is reported
	}
	for _, e := range exports {
		if !k.Crate.PythonRead || slices.ContainsFunc(k.Crate.Wrappers, func(w *host.Wrapper) bool {
			return !visible(w) || declaration(w, e.Name) != nil
		}) {
			continue
		}
		if elsewhere(p, k.Crate, e.Name) {
			p.Undecided("a file outside of the folder of the wrappers may declare the export")
			continue
		}
		p.Reportf(e.NameAt, rules.Error, "wrapper", "no wrapper in `%s` declares `%s`, so nothing can call it; expected `%s.py` to do so", k.Crate.Root, e.Name, k.Name)
	}
}

// elsewhere reports whether a Python file of the package that does not lie beside the
// crate's wrappers may declare a symbol: one that names it, or that binds a library
// by declarations that are not all known. A wrapper may be a package, or lie in one.
func elsewhere(p *rules.Pass, c *host.Crate, symbol string) bool {
	for _, name := range p.Tree.Files(path.Dir(path.Dir(tree.OpsRoot)), func(f string) bool { return path.Ext(f) == ".py" }) {
		if path.Dir(name) == c.Root && path.Base(name) != "__init__.py" || name == tree.BackendRoot+"/utils.py" {
			continue
		}
		src, err := p.Tree.Bytes(name)
		if err != nil || bytes.Contains(src, []byte(symbol)) {
			return true
		}
		if !bytes.Contains(src, []byte("bind_kernel")) {
			continue
		}
		f := p.Tree.File(name)
		if f.Unread != "" {
			return true
		}
		if w := host.ParseWrapper(f); !visible(w) {
			return true
		}
	}
	return false
}

// names checks the spellings of one symbol in the wrapper.
func names(p *rules.Pass, k *host.Kernel, w *host.Wrapper) {
	keyName(p, k, w)
	exports := symbols(k)
	if k.FFI == nil && k.Kernel.FFI != "" {
		p.Undecided("ffi.rs is unread")
		return
	}
	for _, b := range w.Binds {
		if b.CDef == nil {
			p.Undecided("the C declarations are not in the wrapper")
			continue
		}
		if b.CDef.Unread != "" {
			p.Reportf(b.CDef.At, rules.Warning, "cdef", "the declarations cannot be read as C (%s), so they were compared with nothing", b.CDef.Unread)
			continue
		}
		for _, d := range b.CDef.Decls {
			if k.Crate.Export(d.Name) != nil || !k.Crate.AllFFIRead() {
				continue
			}
			if ffi := k.Dir + "/ffi.rs"; k.Kernel.FFI == "" && k.KernelRS != "" && w == k.Wrapper {
				if k.Crate.Lib != nil && k.Crate.Lib.Has(ffi) {
					continue // R33: lib.rs includes a file that is gone
				}
				p.Reportf(d.NameAt, rules.Error, "gone", "`%s` is declared, but `%s`, which would export it, is not there", d.Name, ffi)
				continue
			}
			var fix *rules.Fix
			if len(b.CDef.Decls) == 1 && len(exports) == 1 && exports[0] == "cutile_"+k.Name && called(w, exports[0]) {
				fix = rules.Replace(d.NameAt, exports[0], "declare the exported symbol")
			}
			p.ReportFix(d.NameAt, rules.Error, "symbol", fix, "`%s` is declared, but no `ffi.rs` of the crate exports it%s", d.Name, have(exports))
		}
	}
	if !visible(w) {
		return
	}
	for _, c := range w.Calls {
		if declaration(w, c.Symbol) != nil {
			continue
		}
		var fix *rules.Fix
		if only := onlyDeclaration(w); only != "" && slices.Contains(exports, only) && c.SymbolAt.Is("identifier") {
			fix = rules.Replace(c.SymbolAt, only, "call the declared symbol")
		}
		p.ReportFix(c.SymbolAt, rules.Error, "call", fix, "`%s` is called, but `_FFI_CDEF` declares %s", c.Symbol, list(declared(w)))
	}
	uncalled(p, w)
	labels(p, w)
}

func have(exports []string) string {
	if len(exports) == 0 {
		return ""
	}
	return "; the op's exports " + list(exports)
}

func list(names []string) string { return rules.List(names) }

func declared(w *host.Wrapper) []string {
	var out []string
	for _, b := range w.Binds {
		if b.CDef != nil {
			for _, d := range b.CDef.Decls {
				out = append(out, d.Name)
			}
		}
	}
	return out
}

func onlyDeclaration(w *host.Wrapper) string {
	if d := declared(w); len(d) == 1 {
		return d[0]
	}
	return ""
}

func called(w *host.Wrapper, symbol string) bool {
	return slices.ContainsFunc(w.Calls, func(c *host.LibCall) bool { return c.Symbol == symbol })
}

// keyName checks that the handle's name is the op's. Suites have names of
// their own, since handles are shared by all crates.
func keyName(p *rules.Pass, k *host.Kernel, w *host.Wrapper) {
	if k.Suite != "" || w != k.Wrapper || k.Kernel.FFI == "" {
		return
	}
	distinct := map[string]bool{}
	for _, b := range w.Binds {
		distinct[b.Key] = true
	}
	for _, b := range w.Binds {
		if b.Key == "" || b.Key == k.Name {
			continue
		}
		if len(distinct) > 1 && slices.ContainsFunc(k.Crate.Kernels, func(o *host.Kernel) bool { return o.Name == b.Key }) {
			continue
		}
		var fix *rules.Fix
		if b.KeyAt.Is("string") && slices.Contains(symbols(k), "cutile_"+k.Name) && len(distinct) == 1 {
			fix = rules.Replace(b.KeyAt, `"`+k.Name+`"`, "name the op as its folder does")
		}
		p.ReportFix(b.KeyAt, rules.Error, "key", fix, "the wrapper binds `%s`, but the op's folder is `%s_kernel`; expected `%s`", b.Key, k.Name, k.Name)
	}
}

// uncalled reports a declared symbol that the wrapper never calls. A library
// that is handed on may be called elsewhere.
func uncalled(p *rules.Pass, w *host.Wrapper) {
	if len(w.Calls) > 0 {
		return
	}
	for _, b := range w.Binds {
		left := b.Node.Parent().Field("left")
		lib := left.NamedChild(1)
		if !b.Node.Parent().Is("assignment") || !left.Is("pattern_list", "tuple_pattern") || !lib.Is("identifier") {
			p.Undecided("the library is handed on")
			return
		}
		for _, id := range b.Func.Find("identifier") {
			if id.Text() == lib.Text() && id != lib {
				p.Undecided("the library is used in a way that is not followed")
				return
			}
		}
	}
	for _, b := range w.Binds {
		for _, d := range b.CDef.Decls {
			p.Reportf(b.Node, rules.Error, "call", "`%s` is declared, but the wrapper never calls it", d.Name)
		}
	}
}

// labels checks the name under which check_rc reports an error.
func labels(p *rules.Pass, w *host.Wrapper) {
	only := ""
	for _, c := range w.Calls {
		if only != "" && c.Symbol != only {
			return // several symbols: which one a label means is not known
		}
		only = c.Symbol
	}
	if only == "" || declaration(w, only) == nil {
		return
	}
	seen := map[syntax.Node]bool{}
	for _, c := range w.File.Root().Find("call") {
		if syntax.PyName(c.Field("function")) != "check_rc" {
			continue
		}
		arg := syntax.PyArg(c, "fn_name", 1)
		name, ok := w.String(arg)
		at := w.Const(arg)
		if !ok || name == only || seen[at] {
			continue
		}
		seen[at] = true
		var fix *rules.Fix
		if at.Is("string") && !at.ChildOf("interpolation").Valid() {
			fix = rules.Replace(at, `"`+only+`"`, "name the called symbol")
		}
		p.ReportFix(at, rules.Error, "label", fix, "errors are reported as `%s`, but the wrapper calls `%s`", words.Cut(name, 60), only)
	}
}

// registered checks that the op is part of the library and of the backend.
func registered(p *rules.Pass, m *host.Model, k *host.Kernel) {
	c := k.Crate
	if c.Lib != nil && (k.KernelRS != "" || k.Kernel.FFI != "") {
		switch {
		case c.Lib.Has(k.KernelRS) || c.Lib.Has(k.Kernel.FFI):
		case c.Lib.Opaque() || mentions(c.Lib.File, k.Name+"_kernel/"):
			p.Undecided("lib.rs takes the op in in another way")
		default:
			at := c.Lib.File.Root().NamedChild(0)
			if n := len(c.Lib.Mods); n > 0 {
				at = c.Lib.Mods[n-1].Node
			}
			p.Reportf(syntaxName(at), rules.Error, "library", "`%s` has no module for `%s`, so the library lacks its symbols; expected `%s`", c.Lib.File.Path, k.Name, module(k))
		}
	}
	w := k.Wrapper
	if w == nil || k.Kernel.FFI == "" && k.KernelRS == "" && len(w.Registers) == 0 {
		return
	}
	if c.Init != nil && len(w.Registers) > 0 && !c.Init.Imported[k.Name] {
		imported(p, k)
	}
	if len(w.Registers) == 0 && len(w.Binds) > 0 {
		for _, call := range w.File.Root().Find("call") {
			if syntax.PyName(call.Field("function")) == "register_impl" {
				p.Undecided("the op is registered in another form")
				return
			}
		}
		if importedBySibling(k) {
			p.Undecided("another file may register the op")
			return
		}
		p.Reportf(w.Binds[0].Node, rules.Error, "register", "`%s` registers nothing for the backend; expected `@register_impl(\"%s\", backend=\"cutile-rs\")`", w.File.Path, k.Name)
	}
	for _, r := range w.Registers {
		spelledBackend(p, r)
		takes(p, m, r)
		switch {
		case r.Op == "" || !m.DispatchKnown:
			p.Undecided("the op's name or the dispatched ops are not known")
		case !m.Dispatched[r.Op]:
			p.Reportf(r.Decorator, rules.Error, "dispatch", "`%s` is registered, but no `@dispatch(\"%s\")` selects it", r.Op, r.Op)
		}
	}
}

// module is the item of lib.rs that takes an op in, on one line. It names both files:
// with one of them alone there is no op.
func module(k *host.Kernel) string {
	var b strings.Builder
	fmt.Fprintf(&b, "mod %s {", k.Name)
	for _, p := range []string{k.Dir + "/kernel.rs", k.Dir + "/ffi.rs"} {
		if rel, err := filepath.Rel(path.Dir(k.Crate.Lib.File.Path), p); err == nil {
			fmt.Fprintf(&b, " include!(%q);", filepath.ToSlash(rel))
		}
	}
	return b.String() + " }"
}

// spelledBackend reports a registration under a name that the dispatcher does not
// know. A text that stands there itself is corrected; a constant may be used
// elsewhere as well.
func spelledBackend(p *rules.Pass, r *host.Register) {
	if r.Backend == host.Backend {
		return
	}
	var fix *rules.Fix
	if text := r.BackendAt.ChildOf("string_content"); r.BackendAt.Is("string") && text.Text() == r.Backend {
		fix = rules.Replace(text, host.Backend, "spell the backend as the dispatcher does")
	}
	p.ReportFix(r.BackendAt, rules.Error, "backend", fix, "the op is registered for `%s`, which is no backend; expected `%s`, with this spelling", r.Backend, host.Backend)
}

// takes reports a function that takes fewer arguments than each call of the op gives.
// The dispatcher hands all of them on.
func takes(p *rules.Pass, m *host.Model, r *host.Register) {
	op := m.Interfaces[r.Op]
	if !op.Valid() || !m.DispatchKnown || op.Damaged() || r.Func.Damaged() {
		return
	}
	for _, fn := range []syntax.Node{op, r.Func} {
		for _, d := range syntax.PyDecorators(fn) {
			if name := syntax.PyName(d.Field("function")); name != "dispatch" && name != "register_impl" {
				p.Undecided("a decorator may change what the function takes")
				return
			}
		}
	}
	_, required, _ := host.Taken(op)
	all, _, closed := host.Taken(r.Func)
	switch {
	case !closed:
	case all < len(required):
		p.Reportf(r.Func.Field("parameters"), rules.Error, "takes", "`%s` takes %d of the %d arguments that each call of `%s` gives: %s", r.Func.Field("name").Text(), all, len(required), r.Op, list(required))
	default:
		optional(p, r, op, all)
	}
}

// optional reports a function that takes fewer arguments than the op can be called
// with. It is sure to fail where the op's test gives one of them.
func optional(p *rules.Pass, r *host.Register, op syntax.Node, all int) {
	has := map[string]bool{"backend": true} // which the dispatcher takes out
	for _, n := range host.Params(r.Func) {
		has[n.Text()] = true
	}
	declared := slices.DeleteFunc(host.Params(op), func(n syntax.Node) bool { return n.Text() == "backend" })
	if all >= len(declared) {
		return
	}
	var lacks, given []string
	for _, n := range declared {
		if name := n.Text(); !has[name] && n.Parent().Is("default_parameter", "typed_default_parameter") {
			lacks = append(lacks, name)
			if gives(p.Tree.File(p.Kernel.Test), op.Field("name").Text(), name) {
				given = append(given, name)
			}
		}
	}
	fn := r.Func.Field("name").Text()
	switch {
	case len(given) > 0:
		p.Reportf(r.Func.Field("parameters"), rules.Error, "takes", "`%s` takes %d of the %d arguments of `%s`, and `%s` gives it %s, which it lacks; expected them, or `**kwargs`", fn, all, len(declared), r.Op, p.Kernel.Test, list(given))
	case len(lacks) > 0:
		p.Reportf(r.Func.Field("parameters"), rules.Warning, "takes", "`%s` takes %d of the %d arguments of `%s`, so a call with %s fails; expected them, or `**kwargs`", fn, all, len(declared), r.Op, list(lacks))
	}
}

// gives reports whether a test gives an op an argument by its name: in a call of it, or of
// what gets the op and arguments for it, alone or in a mapping.
func gives(test *syntax.File, op, name string) bool {
	return slices.ContainsFunc(test.Root().Find("keyword_argument", "pair"), func(n syntax.Node) bool {
		if n.Field("name").Text() != name && syntax.PyString(n.Field("key")) != name {
			return false
		}
		call := n.Ancestor("call")
		for call.Field("function").Text() == "dict" {
			call = call.Ancestor("call")
		}
		return syntax.PyName(call.Field("function")) == op || slices.ContainsFunc(syntax.PyArgs(call), func(a syntax.Node) bool { return syntax.PyName(a) == op })
	})
}

// syntaxName is the name of an item, or the item.
func syntaxName(n syntax.Node) syntax.Node {
	if name := n.Field("name"); name.Valid() {
		return name
	}
	return n
}

// mentions reports whether a string of a Rust file contains a text.
func mentions(f *syntax.File, text string) bool {
	for _, s := range f.Root().Find("string_literal") {
		if strings.Contains(s.Text(), text) {
			return true
		}
	}
	return false
}

// imported reports a wrapper that the package never imports.
func imported(p *rules.Pass, k *host.Kernel) {
	in := k.Crate.Init
	switch {
	case in.Dynamic:
		p.Undecided("the package imports modules by computed names")
		return
	case importedBySibling(k):
		return
	}
	const format = "`%s` does not import `%s`, so the op is never registered; expected `from . import %s`"
	if !in.Last.Valid() {
		p.Reportf(k.Wrapper.Registers[0].Decorator, rules.Error, "import", format, in.File.Path, k.Name, k.Name)
		return
	}
	f, line := in.File, in.Last.EndPos().Line
	if slip := misspelt(p, k); slip.Valid() {
		p.ReportFix(slip, rules.Error, "import "+k.Name, rules.Replace(slip, k.Name, "import the wrapper by its name"), format, in.File.Path, k.Name, k.Name)
		return
	}
	fix := rules.Insert(f.LineStart(line)+len(f.Line(line)), "\n"+host.Indent(in.Last)+"from . import "+k.Name+"  # noqa: F401", "import the wrapper")
	p.ReportFix(in.Last, rules.Error, "import "+k.Name, fix, format, in.File.Path, k.Name, k.Name)
}

// misspelt is the name that the package imports from itself in place of a wrapper's: a
// similar one of which there is no module.
func misspelt(p *rules.Pass, k *host.Kernel) syntax.Node {
	f := k.Crate.Init.File
	for _, n := range f.Root().Find("import_from_statement") {
		for _, name := range n.Fields("name") {
			near := words.Nearest(name.Text(), []string{k.Name}) != ""
			beside := path.Join(path.Dir(f.Path), name.Text())
			if n.Field("module_name").Text() == "." && !name.Is("aliased_import") && near && !p.Tree.Exists(beside+".py") && !p.Tree.Exists(path.Join(beside, "__init__.py")) {
				return name
			}
		}
	}
	return syntax.Node{}
}

// importedBySibling reports whether another wrapper of the folder imports this
// one.
func importedBySibling(k *host.Kernel) bool {
	for _, w := range k.Crate.Python {
		if w == k.Wrapper {
			continue
		}
		for _, dotted := range w.Imports {
			if slices.Contains(strings.Split(dotted, "."), k.Name) && strings.Contains(dotted, ".cutile_rs.") {
				return true
			}
		}
	}
	return false
}
