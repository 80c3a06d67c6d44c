package r35

import (
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// entries checks that what ffi.rs calls in a module of kernel.rs is defined there,
// and that there is something to launch at all.
func entries(p *rules.Pass, k *host.Kernel) {
	if k.FFI == nil || k.KernelRS == "" || len(k.FFI.Exports) == 0 || !onlyBoth(k) {
		return
	}
	f := p.Tree.File(k.KernelRS)
	if f.Unread != "" {
		return
	}
	if !closed(f.Root(), 0) {
		p.Undecided("kernel.rs takes items from elsewhere")
		return
	}
	modules := dsl.Modules.Of(p)
	if len(k.Entries) == 0 && len(modules) == 0 {
		e := k.FFI.Exports[0]
		p.Reportf(e.NameAt, rules.Error, "no entry", "`%s` is exported, but %s defines no kernel: no module with `#[cutile::module]`", e.Name, path.Base(k.KernelRS))
		return
	}
	seen := map[string]bool{}
	for _, e := range k.FFI.Exports {
		for _, call := range dsl.Calls(e.Body) {
			if call.Method() {
				continue
			}
			parts := strings.Split(k.FFI.FullPath(call.Path), "::")
			name := parts[len(parts)-1]
			if len(parts) < 2 || seen[name] {
				continue
			}
			if from := parts[0]; len(parts) == 2 && strings.HasSuffix(from, "_module") && !hasModule(f.Root(), from) && !hasModule(k.FFI.File.Root(), from) {
				if brings(k.FFI.File.Root(), f.Root()) {
					p.Undecided("ffi.rs takes items from elsewhere")
					continue
				}
				seen[name] = true
				p.Reportf(call.Node, rules.Error, "entry "+name, "`%s` calls `%s` of `%s`, which is no module of %s%s", e.Name, name, from, path.Base(k.KernelRS), hasModules(modules))
				continue
			}
			m := slices.IndexFunc(modules, func(m *dsl.Module) bool { return m.Name == parts[len(parts)-2] })
			if m < 0 || defines(modules[m], name) {
				continue
			}
			seen[name] = true
			p.Reportf(call.Node, rules.Error, "entry "+name, "`%s` calls `%s`, which `%s` in %s does not define%s", e.Name, name, modules[m].Name, path.Base(k.KernelRS), has(modules[m]))
		}
	}
}

// hasModule reports whether a file has a module of a name, or brings one in.
func hasModule(root syntax.Node, name string) bool {
	if slices.ContainsFunc(root.Find("mod_item"), func(m syntax.Node) bool { return m.Field("name").Text() == name }) {
		return true
	}
	return slices.ContainsFunc(root.Find("use_as_clause", "extern_crate_declaration"), func(u syntax.Node) bool {
		return u.Field("alias").Text() == name || u.Field("name").Text() == name
	})
}

// foreign are the crates that have no kernels of this one.
var foreign = []string{"std", "core", "alloc", "cutile", "cuda_core", "cuda_async", "half"}

// brings reports whether a file may have modules that are not seen in it nor in
// kernel.rs: those of another file that a blank import brings in, or of a macro.
func brings(file, kernel syntax.Node) bool {
	if slices.ContainsFunc(file.NamedChildren(), func(item syntax.Node) bool { return item.Is("macro_invocation", "expression_statement") }) {
		return true
	}
	return slices.ContainsFunc(file.Find("use_wildcard"), func(u syntax.Node) bool {
		root, _, _ := strings.Cut(strings.TrimPrefix(u.Ancestor("use_declaration").Field("argument").Squeeze(), "::"), "::")
		return !slices.Contains(foreign, root) && !hasModule(kernel, root)
	})
}

// hasModules tells which modules there are.
func hasModules(modules []*dsl.Module) string {
	var names []string
	for _, m := range modules {
		names = append(names, m.Name)
	}
	if len(names) == 0 {
		return "; it has none"
	}
	return "; its modules: " + list(names)
}

// has tells which entries a module has.
func has(m *dsl.Module) string {
	var names []string
	for _, e := range m.Entries() {
		names = append(names, e.Name)
	}
	if len(names) == 0 {
		return "; it has no entry"
	}
	return "; its entries: " + list(names)
}

// onlyBoth reports whether lib.rs puts kernel.rs and ffi.rs into one module with
// nothing else, so that no other file defines what ffi.rs calls.
func onlyBoth(k *host.Kernel) bool {
	if k.Crate.Lib == nil {
		return false
	}
	for _, m := range k.Crate.Lib.Mods {
		var kernel, ffi, other bool
		for _, i := range m.Includes {
			switch i.Path {
			case k.KernelRS:
				kernel = true
			case k.Kernel.FFI:
				ffi = true
			default:
				other = true
			}
		}
		if kernel && ffi {
			return !other
		}
	}
	return false
}

// maxModules bounds the modules inside each other that are looked into.
const maxModules = 8

// closed reports whether all items of a file or module are seen in it: no macro
// makes some, no file brings some in.
func closed(n syntax.Node, depth int) bool {
	for _, item := range n.NamedChildren() {
		switch item.Kind() {
		case "macro_invocation", "expression_statement":
			return false
		case "mod_item":
			if body := item.Field("body"); !body.Valid() || depth == maxModules || !closed(body, depth+1) {
				return false
			}
		case "use_declaration":
			if item.ChildOf("visibility_modifier").Valid() {
				return false
			}
		}
	}
	return true
}

// defines reports whether a module has an item of a name, or may have: the DSL
// makes more functions out of an entry, whose names begin with its own.
func defines(m *dsl.Module, name string) bool {
	for _, item := range m.Body.NamedChildren() {
		if item.Field("name").Text() == name {
			return true
		}
	}
	derived := func(e *dsl.Func) bool { return strings.HasPrefix(name, e.Name+"_") }
	return strings.HasPrefix(name, "__") || m.Imported[name] || slices.ContainsFunc(m.Entries(), derived)
}
