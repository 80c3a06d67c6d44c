package integrity

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// Where code lies that runs whenever the package that is tested is imported.
const (
	packageInit = "src/tilegym/__init__.py"
	opsInit     = "src/tilegym/ops/__init__.py"
	backendRoot = "src/tilegym/backend"
)

// packageFiles are the Python files of the package that run whenever an op is
// called, wrappers of kernels left out.
func packageFiles(head *tree.Tree) []string {
	wrappers := map[string]bool{}
	for _, k := range head.Kernels {
		wrappers[k.Wrapper] = true
	}
	files := []string{packageInit, opsInit}
	roots := []string{backendRoot, tree.OpsRoot}
	for _, c := range head.Crates {
		if c.Root != tree.OpsRoot {
			roots = append(roots, c.Root)
		}
	}
	for _, root := range roots {
		err := head.Walk(root, maxEntries, func(p string, d fs.DirEntry) error {
			if !d.IsDir() && path.Ext(p) == ".py" && !wrappers[p] {
				files = append(files, p)
			}
			return nil
		})
		if err != nil {
			head.Unread(root, err.Error())
		}
	}
	return files
}

// comparePackage reports code that runs when the package is imported and, since
// the base, replaces something that tests rely on, or reaches for them. Wrappers
// of kernels are looked at by themselves, whatever the base has. moved are files
// of the base by the head's that hold their code now.
func comparePackage(now, was *modules, files []string, moved map[string]string) []Finding {
	head, base := now.t, was.t
	var out []Finding
	for _, p := range files {
		if !head.Exists(p) {
			continue
		}
		h := head.File(p)
		b := syntax.Parse(p, syntax.Python, nil)
		from := was.file(moduleName(p))
		if from == "" {
			from = moved[p]
		}
		if base.Exists(p) {
			b = base.File(p)
		} else if path.Ext(from) == ".py" && !head.Exists(from) {
			b = base.File(from)
		}
		if h.Unread != "" || unchanged(b, h) {
			continue
		}
		had := map[string]bool{}
		for _, t := range Touches(b) {
			had[t.Construct+" "+t.Node.Squeeze()] = true
		}
		for _, t := range Touches(h) {
			key := t.Construct + " " + t.Node.Squeeze()
			if had[key] || !slices.Contains([]string{"test", "modules", "patch"}, t.Construct) {
				continue
			}
			out = append(out, Finding{Measuring, h, clip(t.Node), rules.Warning, key, t.Message})
		}
		out = append(out, registrations(b, h)...)
		if p == opsInit {
			out = append(out, rebound(b, h, interfaces(head))...)
		}
	}
	return out
}

// registrations reports what a file registers or puts into the dispatcher's
// registry and its base did not: another function may answer for a kernel.
func registrations(b, h *syntax.File) []Finding {
	wrappers := !strings.HasPrefix(h.Path, backendRoot+"/") && path.Base(h.Path) != "__init__.py"
	find := func(f *syntax.File) []syntax.Node {
		var out []syntax.Node
		for _, n := range f.Root().Find("call", "assignment", "delete_statement") {
			named := n
			switch {
			case n.Is("call") && syntax.PyName(n.Field("function")) == "register_impl":
				// A file of the ops may be a wrapper under another name than a kernel's.
				if backend := syntax.PyArg(n, "backend", 1); !wrappers || !backend.Is("string") || syntax.PyString(backend) != candidate {
					out = append(out, n)
				}
				continue
			case n.Is("call"):
				named = n.Field("function").Field("object")
			case n.Is("assignment"):
				named = n.Field("left")
			}
			if !named.Is("identifier") && slices.ContainsFunc(append(named.Find("identifier"), named), func(id syntax.Node) bool { return id.Text() == "_REGISTRY" }) {
				out = append(out, n)
			}
		}
		return out
	}
	had := map[string]bool{}
	for _, n := range find(b) {
		had[n.Squeeze()] = true
	}
	var out []Finding
	for _, n := range find(h) {
		if !had[n.Squeeze()] {
			message := quoteNode(n) + " decides which function answers for an op, outside of the op's wrapper; a maintainer must look"
			out = append(out, Finding{Collection, h, clip(n), rules.Warning, "registers " + n.Squeeze(), message})
		}
	}
	return out
}

// rebound reports names of the ops package that another statement gives a value
// once more: what tests call by that name may be another backend's.
func rebound(b, h *syntax.File, interfaces map[string]bool) []Finding {
	count := func(f *syntax.File) map[string][]syntax.Node {
		out := map[string][]syntax.Node{}
		for name := range interfaces {
			out[name] = []syntax.Node{{}}
		}
		for _, n := range f.Root().NamedChildren() {
			switch n.Kind() {
			case "import_from_statement", "import_statement":
				for _, name := range n.Fields("name") {
					if name.Is("aliased_import") {
						name = name.Field("alias")
					}
					out[name.Squeeze()] = append(out[name.Squeeze()], n)
				}
			case "function_definition", "class_definition":
				out[n.Field("name").Text()] = append(out[n.Field("name").Text()], n)
			case "expression_statement":
				for _, a := range n.NamedChildren() {
					if left := a.Field("left"); a.Is("assignment") && left.Is("identifier") {
						out[left.Text()] = append(out[left.Text()], n)
					} else if a.Is("assignment") && left.Is("subscript") && left.Field("value").Is("call") {
						out[left.Squeeze()] = append(out[left.Squeeze()], syntax.Node{}, n)
					}
				}
			}
		}
		return out
	}
	old, now := count(b), count(h)
	var out []Finding
	for _, name := range sortedKeys(now) {
		if list := now[name]; len(list) > 1 && len(list) > len(old[name]) {
			at := list[len(list)-1]
			message := quote(name) + " is given another value here: what tests call by this name may be another backend's; a maintainer must look"
			out = append(out, Finding{Collection, h, clip(at), rules.Warning, "rebound " + name + " " + at.Squeeze(), message})
		}
	}
	return out
}

// interfaceFiles are the modules beside the ops package's and those of suites:
// they define the ops that tests call.
func interfaceFiles(t *tree.Tree) []string {
	var out []string
	entries, err := fs.ReadDir(t.FS, path.Dir(opsInit))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		p := path.Join(path.Dir(opsInit), e.Name())
		if !e.IsDir() && path.Ext(p) == ".py" && p != opsInit {
			out = append(out, p)
		}
	}
	for _, c := range t.Crates {
		if p := path.Join(path.Dir(c.Root), "ops.py"); c.Suite != "" && t.Exists(p) {
			out = append(out, p)
		}
	}
	return out
}

// interfaces are the functions that the modules beside the ops package's define:
// the ops that tests call.
func interfaces(t *tree.Tree) map[string]bool {
	out := map[string]bool{}
	for _, p := range interfaceFiles(t) {
		if path.Dir(p) != path.Dir(opsInit) {
			continue
		}
		for _, n := range t.File(p).Root().NamedChildren() {
			if n.Is("decorated_definition") {
				out[n.Field("definition").Field("name").Text()] = true
			}
		}
	}
	return out
}

// startup are modules that Python imports by itself.
var startup = []string{"sitecustomize", "usercustomize"}

// compareShadows reports modules that are new and that Python finds before those
// which tests, the harness and wrappers import by the same name: a package or an
// extension module beside a file, bytecode that stands for a file, and files at
// the places from which imports start.
func compareShadows(now, was *modules, tests, support, files []string) []Finding {
	head, base := now.t, was.t
	var out []Finding
	add := func(p, message string) {
		if p != "" && !base.Exists(p) {
			out = append(out, whole(head.File(p), Collection, rules.Warning, "shadow "+p, message))
		}
	}
	names := map[string]bool{}
	for _, s := range startup {
		names[s] = true
	}
	importers := slices.Concat(tests, support, []string{path.Join(tree.BackendRoot, "utils.py"), path.Join(tree.BackendRoot, "autotuner.py")})
	for _, k := range head.Kernels {
		importers = append(importers, k.Wrapper)
	}
	for _, p := range importers {
		if p == "" || !head.Exists(p) {
			continue
		}
		for _, n := range head.File(p).Root().Find("import_statement", "import_from_statement") {
			list := n.Fields("name")
			if m := n.Field("module_name"); m.Valid() {
				list = []syntax.Node{m}
			}
			for _, m := range list {
				if m.Is("aliased_import") {
					m = m.Field("name")
				}
				first, _, _ := strings.Cut(m.Squeeze(), ".")
				names[first] = true
			}
		}
	}
	for _, name := range sortedKeys(names) {
		if name == "" || name == "tests" {
			continue
		}
		for _, dir := range []string{".", "src"} {
			if dir == "src" && name == "tilegym" {
				continue
			}
			message := "Python takes this for `" + name + "`, which the tests or what they test import; a maintainer must look"
			if slices.Contains(startup, name) {
				message = "Python runs this by itself before any test; a maintainer must look"
			}
			add(now.file(path.Join(dir, name)), message)
		}
	}
	reviewed := map[string]bool{}
	for _, p := range slices.Concat(tests, support, files, interfaceFiles(head)) {
		reviewed[p] = true
	}
	for _, k := range head.Kernels {
		reviewed[k.Wrapper], reviewed[k.Reference] = true, true
	}
	for _, p := range sortedKeys(reviewed) {
		if !head.Exists(p) {
			continue
		}
		got := now.file(moduleName(p))
		if got != p && !slices.Contains(selectionModules, moduleName(p)) { // those are compared

			what := "package"
			if path.Ext(got) != ".py" {
				what = "binary module"
			}
			add(got, "Python imports this "+what+" in place of `"+p+"`; a maintainer must look")
		}
		add(now.unchecked(p), "Python runs this bytecode in place of `"+p+"` and does not compare the two; a maintainer must look")
	}
	return out
}

// fixturesAsked are the parameters of the tests of a file that no decorator
// gives a value.
func fixturesAsked(f *syntax.File) []string {
	var out []string
	for _, def := range f.Root().Find("function_definition") {
		if !strings.HasPrefix(def.Field("name").Text(), "test") {
			continue
		}
		given := map[string]bool{"self": true, "cls": true}
		for _, d := range syntax.PyDecorators(def) {
			if !d.Is("call") || syntax.PyName(d.Field("function")) != "parametrize" {
				continue
			}
			for _, s := range syntax.PyArg(d, "argnames", 0).Find("string") {
				for name := range strings.SplitSeq(syntax.PyString(s), ",") {
					given[strings.TrimSpace(name)] = true
				}
			}
		}
		for _, p := range def.Field("parameters").NamedChildren() {
			if name, value := parameter(p); name != "" && !value.Valid() && !given[name] {
				out = append(out, name)
			}
		}
	}
	return out
}
