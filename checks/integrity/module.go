package integrity

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// modules says which file of a tree a Python module is, and which file the names
// of a module come from.
type modules struct {
	t *tree.Tree
	// What folders hold besides sources, by the module's name.
	native   map[string]map[string]string
	bytecode map[string]map[string][]string
	scopes   map[string]map[string][]provider
	origins  map[origin][]origin
}

func newModules(t *tree.Tree) *modules {
	return &modules{
		t: t, native: map[string]map[string]string{}, bytecode: map[string]map[string][]string{},
		scopes: map[string]map[string][]provider{}, origins: map[origin][]origin{},
	}
}

// moduleName is a module's path without the end that says what file it is:
// src/tilegym/ops for src/tilegym/ops/__init__.py.
func moduleName(p string) string {
	dir, file := path.Split(p)
	name, _, _ := strings.Cut(file, ".")
	if name == "__init__" {
		return path.Clean(dir)
	}
	return path.Join(dir, name)
}

// file is what Python imports for a module, in the order in which its path
// finder looks: a package before a module, and for each an extension module, the
// source and bytecode without source. It is empty for folders without code.
func (m *modules) file(module string) string {
	if module == "." || module == "" {
		return ""
	}
	for _, stem := range []string{path.Join(module, "__init__"), module} {
		if p := m.extensions(path.Dir(stem))[path.Base(stem)]; p != "" {
			return p
		}
		for _, ext := range []string{".py", ".pyc"} {
			if m.t.Exists(stem + ext) {
				return stem + ext
			}
		}
	}
	return ""
}

// extensions are the extension modules of a folder by the name under which
// Python imports them.
func (m *modules) extensions(dir string) map[string]string {
	if found, ok := m.native[dir]; ok {
		return found
	}
	found := map[string]string{}
	m.native[dir] = found
	entries, err := fs.ReadDir(m.t.FS, dir)
	if err != nil {
		return found // a folder that is not there, or that others say is unread
	}
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), ".so")
		name, tag, _ := strings.Cut(stem, ".")
		if ok && !e.IsDir() && found[name] == "" && (tag == "" || tag == "abi3" || strings.HasPrefix(tag, "cpython-")) {
			found[name] = path.Join(dir, e.Name())
		}
	}
	return found
}

// unchecked is bytecode that Python runs in place of a source file without a
// look at it, or empty. Bytecode that Python leaves behind itself is not.
func (m *modules) unchecked(p string) string {
	dir := path.Join(path.Dir(p), "__pycache__")
	found, ok := m.bytecode[dir]
	if !ok {
		found = map[string][]string{}
		m.bytecode[dir] = found
		entries, err := fs.ReadDir(m.t.FS, dir)
		if err != nil {
			return "" // a folder that is not there, or that others say is unread
		}
		for _, e := range entries {
			if name, tag, _ := strings.Cut(e.Name(), "."); !e.IsDir() && strings.HasPrefix(tag, "cpython-") && strings.HasSuffix(tag, ".pyc") {
				found[name] = append(found[name], path.Join(dir, e.Name()))
			}
		}
	}
	for _, at := range found[strings.TrimSuffix(path.Base(p), ".py")] {
		src, err := tree.ReadFile(m.t.FS, at, syntax.MaxSize)
		// PEP 552: of the flags after the magic number, 1 says that a hash of the
		// source stands there, and 2 that Python compares it.
		if err == nil && len(src) >= 8 && src[4]&3 == 1 {
			return at
		}
	}
	return ""
}

// origin is a name and the file in which it is no import any more; a module has
// no name.
type origin struct{ file, name string }

// provider is a statement that gives a name of a module its value.
type provider struct {
	at syntax.Node
	// module and name are what is imported; without a module the value is made here.
	module, name string
}

// scope lists what gives the names of a file's module their values; the name "*"
// stands for all that another module has. What a statement surely replaces is
// left out.
func (m *modules) scope(p string) map[string][]provider {
	if found, ok := m.scopes[p]; ok {
		return found
	}
	found := map[string][]provider{}
	m.scopes[p] = found
	if path.Ext(p) != ".py" {
		return found
	}
	add := func(name string, at, statement syntax.Node, v provider) {
		v.at = at
		if name != "*" && statement.Parent().Is("module") {
			found[name] = nil
		}
		found[name] = append(found[name], v)
	}
	m.t.File(p).Root().Inspect(func(n syntax.Node) bool {
		switch n.Kind() {
		case "function_definition", "class_definition":
			outer := n
			if n.Parent().Is("decorated_definition") {
				outer = n.Parent()
			}
			add(n.Field("name").Text(), n.Field("name"), outer, provider{})
			return false
		case "lambda":
			return false
		case "assignment":
			if left := n.Field("left"); left.Is("identifier") && n.Field("right").Valid() {
				add(left.Text(), left, n.Parent(), provider{})
			}
		case "import_from_statement":
			from := fromModule(p, n.Field("module_name").Squeeze())
			if n.ChildOf("wildcard_import").Valid() {
				add("*", n, n, provider{module: from})
			}
			for _, name := range n.Fields("name") {
				as := name
				if name.Is("aliased_import") {
					as, name = name.Field("alias"), name.Field("name")
				}
				add(as.Squeeze(), n, n, provider{module: from, name: name.Squeeze()})
			}
		case "import_statement":
			for _, name := range n.Fields("name") {
				if name.Is("aliased_import") {
					add(name.Field("alias").Squeeze(), n, n, provider{module: fromModule(p, name.Field("name").Squeeze())})
				}
			}
		}
		return true
	})
	return found
}

// fromModule is the module that an import in a file names, or empty when it does
// not lie in this repository.
func fromModule(p, dotted string) string {
	rest := strings.TrimLeft(dotted, ".")
	dir := "src"
	if rest != dotted {
		dir = p
		for range len(dotted) - len(rest) {
			dir = path.Dir(dir)
		}
	} else if first, _, _ := strings.Cut(rest, "."); first != "tilegym" {
		dir = "."
	}
	return path.Join(dir, strings.ReplaceAll(rest, ".", "/"))
}

// from lists the places where a name of a file may be made, imports followed. What
// cannot be followed counts as made in the file that is unread, or in the module
// that the tree lacks.
func (m *modules) from(p, name string) []origin {
	key := origin{p, name}
	if found, ok := m.origins[key]; ok {
		return found
	}
	m.origins[key] = nil // imports in a circle lead nowhere
	var out []origin
	add := func(list []origin) {
		for _, o := range list {
			if !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
	}
	scope := m.scope(p)
	for _, v := range scope[name] {
		file := m.file(v.module)
		switch {
		case v.module == "":
			add([]origin{key})
		case file == "":
			add([]origin{{v.module, v.name}})
		case v.name == "" || path.Ext(file) != ".py" || m.t.File(file).Unread != "":
			add([]origin{{file, v.name}})
		default:
			list := m.from(file, v.name)
			if sub := m.file(path.Join(v.module, v.name)); len(list) == 0 && sub != "" {
				list = []origin{{sub, ""}}
			}
			add(list)
		}
	}
	for _, v := range scope["*"] {
		if file := m.file(v.module); file != "" && !strings.HasPrefix(name, "_") {
			add(m.from(file, name))
		}
	}
	m.origins[key] = out
	return out
}
