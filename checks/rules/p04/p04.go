// Package p04 is rule P4: the imports from the tree of the wrapper and of its package
// resolve.
package p04

import (
	"cmp"
	_ "embed"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

//go:embed doc.md
var doc string

// Rule is P4.
var Rule = &rules.Rule{
	ID: "P4", Title: "The wrapper's imports from the tree resolve",
	Category: "process", Owner: "host", Severity: rules.Error, DecidedBy: "cross-file", Fix: "none",
	Why: "A wrapper that cannot be imported registers nothing, and the ops package then goes on without the whole backend.",
	Triage: []string{
		"Correct the name, or define it in the module that it is taken from.",
		"Run `python -c \"from tilegym.ops.cutile_rs import KERNEL\"` on a machine with PyTorch.",
	},
	First: map[string]int{"module": 0, "name": 0},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts}, Run: run,
	Also: []rules.Check{{Scope: rules.PerCrate, Run: inside}},
}

func run(p *rules.Pass) {
	w := host.Of(p).Kernel(p.Kernel).Wrapper
	if w == nil {
		return
	}
	m := newModules(p)
	for _, n := range imports(w.File) {
		m.check(w.File, n, "this wrapper cannot be imported")
	}
	m.attributes(w.File)
}

// imports lists the imports of a file that run whenever it is imported.
func imports(f *syntax.File) []syntax.Node {
	return slices.DeleteFunc(f.Root().Find("import_from_statement", "import_statement"), func(n syntax.Node) bool {
		return n.Ancestor("try_statement", "if_statement", "function_definition", "class_definition", "with_statement", "for_statement", "while_statement", "match_statement").Valid()
	})
}

// inside checks the package of the wrappers, whose imports stand behind the
// availability of the backend, and the other files of the backend that it imports.
func inside(p *rules.Pass) {
	for _, c := range host.Of(p).Crates {
		if c.Crate != p.Crate {
			continue
		}
		m := newModules(p)
		checked := map[string]bool{}
		var waiting []string
		if c.Init != nil && c.Init.File.Unread == "" {
			checked[c.Init.File.Path] = true
			for _, n := range c.Init.File.Root().Find("import_from_statement", "import_statement") {
				if !n.Ancestor("try_statement", "function_definition", "class_definition", "with_statement", "for_statement", "while_statement", "match_statement").Valid() && available(n) {
					m.check(c.Init.File, n, "the package cannot be imported, nor any wrapper in it")
					waiting = append(waiting, m.files(c.Init.File, n)...)
				}
			}
		}
		for _, k := range c.Kernels {
			if k.Wrapper == nil {
				continue
			}
			checked[k.Wrapper.File.Path] = true
			for _, n := range imports(k.Wrapper.File) {
				waiting = append(waiting, m.files(k.Wrapper.File, n)...)
			}
		}
		for ; len(waiting) > 0; waiting = waiting[1:] {
			at := waiting[0]
			in := path.Dir(at)
			if checked[at] || len(checked) > maxFiles || in != c.Root && !strings.HasPrefix(in+"/", tree.BackendRoot+"/") {
				continue
			}
			checked[at] = true
			f := p.Tree.File(at)
			if f.Unread != "" {
				continue
			}
			for _, n := range imports(f) {
				m.check(f, n, "this module cannot be imported, nor the wrappers that import it")
				waiting = append(waiting, m.files(f, n)...)
			}
		}
	}
}

// maxFiles bounds the files of one backend that are looked into.
const maxFiles = 256

// available reports whether a statement stands behind no other condition than that
// the backend is available.
func available(n syntax.Node) bool {
	for at, i := n, n.Parent(); i.Valid(); at, i = i, i.Parent() {
		if !i.Is("if_statement", "elif_clause", "else_clause") {
			continue
		}
		c := i.Field("condition")
		if !i.Is("if_statement") || at != i.Field("consequence") || syntax.PyName(c.Field("function")) != "is_backend_available" || syntax.PyString(syntax.PyArg(c, "backend", 0)) != host.Backend {
			return false
		}
	}
	return true
}

// root is where the package lies.
const root = "src"

// modules answers what modules bind and what folders list, and asks each once.
type modules struct {
	*rules.Pass
	bound map[string]names // by path
	lists map[string][]fs.DirEntry
}

func newModules(p *rules.Pass) modules {
	return modules{Pass: p, bound: map[string]names{}, lists: map[string][]fs.DirEntry{}}
}

// names are those that a module binds, and whether they are all.
type names struct {
	of    map[string]bool
	known bool
}

// file is the file of a module, and whether it is a package.
func (p modules) file(dir string) (name string, isPackage bool) {
	if name = path.Join(dir, "__init__.py"); p.Tree.Exists(name) {
		return name, true
	}
	return dir + ".py", false
}

// defines is what a module binds.
func (p modules) defines(file string, own bool) names {
	has, asked := p.bound[file]
	if !asked {
		f := p.Tree.File(file)
		has.of, has.known = bound(f, own)
		has.known = has.known && f.Unread == ""
		p.bound[file] = has
	}
	return has
}

// files lists the files of the modules that an import runs.
func (p modules) files(importer *syntax.File, n syntax.Node) []string {
	var out []string
	add := func(dir string) (isPackage bool) {
		name, isPackage := p.file(dir)
		if p.Tree.Exists(name) {
			out = append(out, name)
		}
		return isPackage
	}
	if n.Is("import_statement") {
		for _, name := range n.Fields("name") {
			if dir, ok := folder(importer.Path, imported(name).Squeeze()); ok {
				add(dir)
			}
		}
		return out
	}
	dir, ok := folder(importer.Path, n.Field("module_name").Squeeze())
	if ok && add(dir) {
		for _, name := range n.Fields("name") {
			add(path.Join(dir, imported(name).Squeeze()))
		}
	}
	return out
}

// imported is the name that an import takes, without the one that it gives.
func imported(name syntax.Node) syntax.Node {
	if name.Is("aliased_import") {
		return name.Field("name")
	}
	return name
}

// missing reports a module that is not there, and whether it did or does not know.
func (p modules) missing(dir string, at syntax.Node, then string) bool {
	file, _ := p.file(dir)
	if p.Tree.Exists(file) {
		return false
	}
	if p.absent(dir) {
		p.Reportf(at, rules.Error, "module", "there is no module `%s`, so %s: expected `%s`", at.Squeeze(), then, file)
	}
	return true
}

// check reports what an import takes from a module that lacks it, and what comes of it.
func (p modules) check(importer *syntax.File, n syntax.Node, then string) {
	if n.Is("import_statement") {
		for _, name := range n.Fields("name") {
			if dir, ok := folder(importer.Path, imported(name).Squeeze()); ok {
				p.missing(dir, imported(name), then)
			}
		}
		return
	}
	dir, ok := folder(importer.Path, n.Field("module_name").Squeeze())
	if !ok || p.missing(dir, n.Field("module_name"), then) {
		return
	}
	file, isPackage := p.file(dir)
	own := file == importer.Path
	has := p.defines(file, own)
	if !has.known {
		p.Undecided("what the imported module defines is not known")
		return
	}
	for _, name := range n.Fields("name") {
		at := imported(name)
		id := at.Squeeze()
		switch {
		case has.of[id] || isPackage && !p.absent(path.Join(dir, id)):
		case own:
			p.Reportf(at, rules.Error, "module "+id, "there is no module `%s`, so %s: expected `%s`", id, then, path.Join(dir, id+".py"))
		default:
			p.Reportf(at, rules.Error, "name", "`%s` does not define `%s`, so %s", file, id, then)
		}
	}
}

// attributes reports what a file asks a module of the tree for that the module does
// not define. The name of the module is used for nothing else in the file.
func (p modules) attributes(f *syntax.File) {
	of := map[string]string{} // folders of modules by their names in the file
	for _, n := range imports(f) {
		for _, name := range n.Fields("name") {
			module, as := imported(name).Squeeze(), name.Field("alias").Text()
			if n.Is("import_from_statement") {
				dir, ok := folder(f.Path, n.Field("module_name").Squeeze())
				file, isPackage := p.file(dir)
				if !ok || !isPackage || file == f.Path || p.defines(file, false).of[module] || !p.defines(file, false).known {
					continue
				}
				of[cmp.Or(as, module)] = path.Join(dir, module)
			} else if dir, ok := folder(f.Path, module); ok && as != "" {
				of[as] = dir
			}
		}
	}
	asked := map[string][]syntax.Node{}
	for _, id := range f.Root().Find("identifier") {
		name, at := id.Text(), id.Parent()
		switch {
		case of[name] == "" || id.Ancestor("import_statement", "import_from_statement").Valid() || at.Is("attribute") && at.Field("attribute") == id || at.Is("keyword_argument") && at.Field("name") == id:
		case !at.Is("attribute") || at.Parent().Field("left") == at || id.Ancestor("try_statement", "if_statement", "conditional_expression", "boolean_operator").Valid():
			delete(of, name) // bound again, handed on, given names or asked for carefully
		default:
			asked[name] = append(asked[name], at.Field("attribute"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		file, isPackage := p.file(of[name])
		if !p.Tree.Exists(file) || !p.defines(file, false).known {
			continue
		}
		for _, at := range asked[name] {
			id := at.Text()
			if p.defines(file, false).of[id] || strings.HasPrefix(id, "__") || isPackage && !p.absent(path.Join(of[name], id)) {
				continue
			}
			then := "this wrapper cannot be imported"
			if at.Ancestor("function_definition", "lambda").Valid() {
				then = "each call that gets here fails"
			}
			p.Reportf(at, rules.Error, "name", "`%s` does not define `%s`, so %s", file, id, then)
		}
	}
}

// folder is where a module of the package would lie, without an ending.
func folder(importer, module string) (string, bool) {
	trimmed := strings.TrimLeft(module, ".")
	switch dots := len(module) - len(trimmed); {
	case dots > 0:
		dir := path.Dir(importer)
		for range dots - 1 {
			dir = path.Dir(dir)
		}
		return path.Join(dir, strings.ReplaceAll(trimmed, ".", "/")), strings.HasPrefix(dir, root+"/tilegym")
	case strings.HasPrefix(module, "tilegym."):
		return path.Join(root, strings.ReplaceAll(module, ".", "/")), true
	}
	return "", false
}

// absent reports whether a module cannot be there: its folder is listed and has
// nothing of that name.
func (p modules) absent(dir string) bool {
	in := path.Dir(dir)
	list, asked := p.lists[in]
	if !asked {
		var err error
		if list, err = fs.ReadDir(p.Tree.FS, in); err != nil {
			list = nil // of a folder that cannot be listed as a whole nothing is known
		}
		p.lists[in] = list
	}
	if len(list) == 0 {
		return false
	}
	base := path.Base(dir)
	return !slices.ContainsFunc(list, func(e fs.DirEntry) bool {
		return e.Name() == base || strings.HasPrefix(e.Name(), base+".")
	})
}

// bound lists the names that a module binds anywhere. It is not known when some
// come from elsewhere or are made at run time. What a package takes from itself, own,
// it does not bind otherwise.
func bound(f *syntax.File, own bool) (names map[string]bool, known bool) {
	names, known = map[string]bool{}, true
	add := func(n syntax.Node) {
		for _, id := range n.Find("identifier") {
			names[id.Text()] = true
		}
	}
	for _, n := range f.Root().Find("function_definition", "class_definition", "assignment", "named_expression", "for_statement", "as_pattern_target", "import_statement", "import_from_statement", "wildcard_import", "call", "type_alias_statement") {
		switch n.Kind() {
		case "function_definition", "class_definition":
			names[n.Field("name").Text()] = true
		case "assignment", "for_statement", "type_alias_statement":
			add(n.Field("left"))
		case "named_expression":
			add(n.Field("name"))
		case "as_pattern_target":
			add(n)
		case "wildcard_import":
			known = false
		case "call":
			switch syntax.PyName(n.Field("function")) {
			case "globals", "setattr", "exec", "vars":
				known = false
			}
		default:
			if dir, ok := folder(f.Path, n.Field("module_name").Squeeze()); own && ok && dir == path.Dir(f.Path) {
				continue
			}
			for _, name := range n.Fields("name") {
				if name.Is("aliased_import") {
					name = name.Field("alias")
				}
				first, _, _ := strings.Cut(name.Squeeze(), ".")
				names[first] = true
			}
		}
	}
	return names, known && !names["__getattr__"]
}
