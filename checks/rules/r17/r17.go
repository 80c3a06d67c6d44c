// Package r17 is rule R17: kernel.rs is the only copy of a kernel.
package r17

import (
	_ "embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R17.
var Rule = &rules.Rule{
	ID: "R17", Title: "kernel.rs is the only copy of the kernel",
	Category: "process", Owner: "host", Severity: rules.Error, DecidedBy: "cross-file", Fix: "safe",
	Signatures: []string{"S-I02", "S-B10", "S-J11"},
	Why:        "The IR that is compared, the library that is launched and the test that compiles must come from one source; a second copy drifts, and then a check of one says nothing about the other.",
	Triage: []string{
		"Keep the device module in `<op>_kernel/kernel.rs` and the export in `ffi.rs`.",
		"Include both in one module of `lib.rs`; include `kernel.rs` in a pipeline test.",
		"Delete pasted copies, then compare the IR again.",
	},
	First: map[string]int{"copy": 2, "include": 1, "no kernel": 1, "elsewhere": 0, "export": 0, "launch": 0, "module": 0, "test": 1},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts, dsl.Modules}, Run: files,
	Also: []rules.Check{{Scope: rules.PerCrate, Run: included}, {Scope: rules.PerTree, Run: copies}},
}

// files checks that the device module and the host code stay apart.
func files(p *rules.Pass) {
	k := host.Of(p).Kernel(p.Kernel)
	if k.FFI != nil {
		for _, m := range dsl.Parse(k.FFI.File) {
			p.Reportf(m.Attr, rules.Error, "module", "`ffi.rs` defines the device module `%s`; expected it in `kernel.rs`, which tests and the IR are made from", m.Name)
		}
	}
	if k.KernelRS == "" {
		return
	}
	f := p.Tree.File(k.KernelRS)
	hidden(p, f)
	for _, fn := range f.Root().Find("function_item") {
		ext := fn.ChildOf("function_modifiers").ChildOf("extern_modifier")
		switch {
		case ext.Valid():
			p.Reportf(fn.Field("name"), rules.Error, "export", "`kernel.rs` exports `%s`; expected the export in `ffi.rs`", fn.Field("name").Text())
		case testItem(fn):
			p.Reportf(fn.Field("name"), rules.Error, "test", "`kernel.rs` holds the test `%s`; expected tests in a file that includes `kernel.rs`", fn.Field("name").Text())
		case !host.TestOnly(fn):
			if at := launch(p, fn); at.Valid() {
				p.Reportf(at, rules.Error, "launch", "`kernel.rs` launches a kernel in `%s`; expected host code in `ffi.rs`", fn.Field("name").Text())
			}
		}
	}
}

// hidden reports what kernel.rs takes its device code from: a rule reads only
// what is written there.
func hidden(p *rules.Pass, f *syntax.File) {
	modules := dsl.Parse(f)
	inside := func(n syntax.Node) bool {
		return len(modules) == 0 || slices.ContainsFunc(modules, func(m *dsl.Module) bool { return n.Inside(m.Node) })
	}
	for _, n := range f.Root().Find("macro_invocation", "mod_item") {
		switch {
		case host.TestOnly(n) || n.Ancestor("function_item").Valid() || !inside(n):
		case n.Is("mod_item") && !n.Field("body").Valid():
			p.Reportf(n, rules.Warning, "elsewhere", "the module `%s` is in another file, whose device code no rule reads; expected it in `kernel.rs`", n.Field("name").Text())
		case n.Is("mod_item"):
		case syntax.LastSegment(n.Field("macro")) == "include":
			p.Reportf(n, rules.Warning, "elsewhere", "`%s` takes device code from another file, which no rule reads; expected it in `kernel.rs`", n.Squeeze())
		case strings.Contains(n.Squeeze(), "cutile::") || len(modules) > 0 && strings.Contains(n.Text(), "fn "):
			p.Reportf(n.Field("macro"), rules.Warning, "elsewhere", "the macro `%s!` makes device code, which no rule reads; expected it written out in `kernel.rs`", n.Field("macro").Text())
		}
	}
}

func testItem(fn syntax.Node) bool {
	return slices.ContainsFunc(fn.Attributes(), func(a syntax.Node) bool {
		name := dsl.AttributePath(a)
		return name == "test" || strings.HasSuffix(name, "::test")
	})
}

// launch is where a function outside of the device modules launches a kernel.
func launch(p *rules.Pass, fn syntax.Node) syntax.Node {
	for _, m := range dsl.Modules.Of(p) {
		if fn.Inside(m.Node) {
			return syntax.Node{}
		}
	}
	for _, c := range dsl.Calls(fn.Field("body")) {
		switch c.Name {
		case "generics", "grid", "const_grid", "sync_on", "async_on", "compile_options":
			if c.Method() {
				return c.Node
			}
		case "borrow_tensor", "from_cu_deviceptr":
			return c.Node
		}
	}
	return syntax.Node{}
}

// included checks that the library takes each op's kernel.rs in together with
// its ffi.rs.
func included(p *rules.Pass) {
	c := host.Of(p).Crate(p.Crate)
	if c.Lib == nil {
		return
	}
	for _, mod := range c.Lib.Files {
		dir, name := path.Split(mod.Path)
		kernel := dir + "kernel.rs"
		if name != "ffi.rs" || !strings.HasSuffix(dir, "_kernel/") || !p.Tree.Exists(mod.Path) || !p.Tree.Exists(kernel) || c.Lib.Has(kernel) {
			continue
		}
		f := p.Tree.File(mod.Path)
		if c.Lib.Opaque() || f.Unread != "" || takes(f) {
			p.Undecided("the export may take its kernel in itself")
			continue
		}
		p.Reportf(mod.Node, rules.Error, "include", "module `%s` is `ffi.rs` alone, without `kernel.rs` of the same op; expected a module that includes both", mod.Node.Field("name").Text())
	}
	for _, mod := range c.Lib.Mods {
		for _, inc := range mod.Includes {
			dir, name := path.Split(inc.Path)
			kernel := dir + "kernel.rs"
			if name != "ffi.rs" || !strings.HasSuffix(dir, "_kernel/") || !p.Tree.Exists(inc.Path) || c.Lib.Has(kernel) {
				continue
			}
			if c.Lib.Opaque() {
				p.Undecided("an include has a computed path")
				continue
			}
			if !p.Tree.Exists(kernel) {
				if f := p.Tree.File(inc.Path); f.Unread == "" && len(dsl.Parse(f)) == 0 {
					p.Reportf(inc.Node, rules.Error, "no kernel", "module `%s` includes `ffi.rs`, but `%s` does not exist", mod.Name, kernel)
				}
				continue
			}
			p.ReportFix(inc.Node, rules.Error, "include", includeFix(inc), "module `%s` includes `ffi.rs` without `kernel.rs` of the same op, so what it launches comes from elsewhere or nowhere", mod.Name)
		}
	}
}

// takes reports whether a file takes in another one.
func takes(f *syntax.File) bool {
	return slices.ContainsFunc(f.Root().Find("macro_invocation", "mod_item"), func(n syntax.Node) bool {
		return syntax.LastSegment(n.Field("macro")) == "include" || n.Is("mod_item") && !n.Field("body").Valid()
	})
}

// includeFix adds the include of kernel.rs before that of ffi.rs.
func includeFix(inc host.Include) *rules.Fix {
	stmt := inc.Node
	if stmt.Parent().Is("expression_statement") {
		stmt = stmt.Parent()
	}
	text := inc.Node.Text()
	i := strings.LastIndex(text, "ffi.rs")
	return rules.Insert(stmt.Span().Start, text[:i]+"kernel.rs"+text[i+len("ffi.rs"):]+";\n"+host.Indent(stmt), "include the kernel")
}

// Bounds of what is looked at in a checkout.
const (
	maxFiles   = 200_000 // files and folders
	maxSources = 20_000  // Rust files, which are parsed
)

// elsewhere are folders whose sources are examples, other people's or built.
var elsewhere = []string{"skills", "examples", "wiki", "docs", "target", "node_modules", "site-packages", "third_party", "vendor", "venv"}

// copies finds device modules and entries of an op in other files.
func copies(p *rules.Pass) {
	type owner struct {
		k     *host.Kernel
		named string
	}
	modules, entries := map[string]owner{}, map[string]owner{}
	own := map[string]bool{}
	for _, k := range host.Of(p).Kernels {
		if k.KernelRS == "" {
			continue
		}
		own[k.KernelRS] = true
		if k.Kernel.FFI != "" {
			own[k.Kernel.FFI] = true // has a finding of its own
		}
		for _, m := range dsl.Parse(p.Tree.File(k.KernelRS)) {
			modules[m.Name] = owner{k, m.Name}
			for _, e := range m.Entries() {
				entries[e.Name] = owner{k, m.Name}
			}
		}
	}
	sources := 0
	err := p.Tree.Walk(".", maxFiles, func(at string, d fs.DirEntry) error {
		switch {
		case d.IsDir():
			if at != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains(elsewhere, d.Name())) {
				return fs.SkipDir
			}
			return nil
		case path.Ext(at) != ".rs" || own[at]:
			return nil
		}
		if sources++; sources > maxSources {
			return fmt.Errorf("more than %d Rust files, of which only the first were looked at", maxSources)
		}
		for _, m := range dsl.Parse(p.Tree.File(at)) {
			if o, ok := modules[m.Name]; ok {
				p.Reportf(m.Node.Field("name"), rules.Error, "copy", "`%s` is defined a second time; expected `include!` of `%s`", m.Name, o.k.KernelRS)
				continue
			}
			for _, e := range m.Entries() {
				if o, ok := entries[e.Name]; ok {
					p.Reportf(e.NameAt, rules.Error, "copy", "the entry `%s` of `%s` is defined a second time; expected `include!` of `%s`", e.Name, o.named, o.k.KernelRS)
				}
			}
		}
		return nil
	})
	if err != nil {
		p.Tree.Unread(".", err.Error())
	}
}
