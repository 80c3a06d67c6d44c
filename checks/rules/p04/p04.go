// Package p04 is rule P4: the imports from the tree of the wrapper and of its package
// resolve.
package p04

import (
	_ "embed"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
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
	m := modules{Pass: p, bound: map[string]names{}, lists: map[string][]fs.DirEntry{}}
	for _, n := range w.File.Root().Find("import_from_statement") {
		if n.Ancestor("try_statement", "if_statement", "function_definition", "class_definition", "with_statement").Valid() {
			continue
		}
		m.check(w.File, n, "this wrapper cannot be imported")
	}
}

// inside checks the package of the wrappers, whose imports stand behind the
// availability of the backend.
func inside(p *rules.Pass) {
	for _, c := range host.Of(p).Crates {
		if c.Crate != p.Crate || c.Init == nil || c.Init.File.Unread != "" {
			continue
		}
		m := modules{Pass: p, bound: map[string]names{}, lists: map[string][]fs.DirEntry{}}
		for _, n := range c.Init.File.Root().Find("import_from_statement") {
			if !n.Ancestor("try_statement", "function_definition", "class_definition", "with_statement", "for_statement", "while_statement", "match_statement").Valid() && available(n) {
				m.check(c.Init.File, n, "the package cannot be imported, nor any wrapper in it")
			}
		}
	}
}

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

// names are those that a module binds, and whether they are all.
type names struct {
	of    map[string]bool
	known bool
}

// check reports what an import takes from a module that lacks it, and what comes of it.
func (p modules) check(importer *syntax.File, n syntax.Node, then string) {
	dir, ok := folder(importer.Path, n.Field("module_name").Squeeze())
	if !ok {
		return
	}
	file := dir + ".py"
	isPackage := p.Tree.Exists(path.Join(dir, "__init__.py"))
	if isPackage {
		file = path.Join(dir, "__init__.py")
	}
	if !p.Tree.Exists(file) {
		if p.absent(dir) {
			p.Reportf(n.Field("module_name"), rules.Error, "module", "there is no module `%s`, so %s: expected `%s`", n.Field("module_name").Squeeze(), then, file)
		}
		return
	}
	f := p.Tree.File(file)
	own := file == importer.Path
	has, asked := p.bound[file]
	if !asked {
		has.of, has.known = bound(f, own)
		p.bound[file] = has
	}
	if f.Unread != "" || !has.known {
		p.Undecided("what the imported module defines is not known")
		return
	}
	for _, name := range n.Fields("name") {
		at := name
		if name.Is("aliased_import") {
			at = name.Field("name")
		}
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
