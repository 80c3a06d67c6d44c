package t07

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// instead reports a wrapper that answers without launching: by another
// backend's implementation, or by what an earlier launch returned, or that changes what
// the reference answers.
func instead(p *rules.Pass, w *host.Wrapper) {
	others(p, w)
	remembered(p, w)
	process(p, w)
}

// others reports what belongs to other backends.
func others(p *rules.Pass, w *host.Wrapper) {
	ops := map[string]bool{}
	elsewhere := launchers{p.Tree, map[string]map[string]bool{}}
	for _, r := range w.Registers {
		ops[r.Op], ops[r.Func.Field("name").Text()] = true, true
	}
	for _, c := range w.File.Root().Find("call") {
		name := syntax.PyName(c.Field("function"))
		switch {
		case name == "register_impl":
			if backend, ok := w.String(syntax.PyArg(c, "backend", 1)); ok && compared[backend] {
				p.Reportf(c, rules.Warning, "backend", "`%s` registers an implementation for the backend `%s`, with which the port is compared", rules.Short(c), backend)
			}
		case w.Region(c) == host.Unreached:
		case name == "set_backend":
			p.Reportf(c, rules.Warning, "backend", "`%s` selects the backend from within an implementation", rules.Short(c))
		case name == "import_module" || w.Full(c.Field("function")) == "__import__":
			if module, ok := w.String(syntax.PyArg(c, "name", 0)); ok && otherBackend(module+".x") {
				p.Reportf(c, rules.Warning, "backend", "`%s` loads `%s`, which belongs to another backend, with which the port is compared", rules.Short(c), module)
			}
		}
	}
	for _, n := range w.File.Root().Find("identifier", "attribute") {
		if !runs(n) || w.Region(n) == host.Unreached {
			continue
		}
		switch full := meant(w, n); {
		case !otherBackend(full), p.Tree.Exists(sourceOf(full)):
		case elsewhere.launch(full):
			p.Reportf(n, rules.Warning, "backend", "`%s` answers in place of the kernel: `%s` launches another backend's, with which the port is compared", rules.Short(n), full)
		case ops[full[strings.LastIndexByte(full, '.')+1:]]:
			p.Reportf(n, rules.Warning, "backend", "`%s` answers in place of the kernel: `%s` belongs to another backend, with which the port is compared", rules.Short(n), full)
		}
	}
}

// meant is the dotted name behind a name, which may be a constant of the module, or
// begin with a name of the function for another one.
func meant(w *host.Wrapper, n syntax.Node) string {
	n = w.Const(n)
	base := n
	for base.Is("attribute") {
		base = base.Field("object")
	}
	if v := w.Local(base); base != n && base.Is("identifier") && syntax.PyDotted(v) != "" {
		return w.Full(v) + strings.TrimPrefix(syntax.PyDotted(n), base.Text())
	}
	return w.Full(n)
}

// sourceOf is the file of a module.
func sourceOf(dotted string) string { return "src/" + strings.ReplaceAll(dotted, ".", "/") + ".py" }

// runs reports whether a name may be what runs: it is called, handed on or gets
// another name, and is not only asked about.
func runs(n syntax.Node) bool {
	switch p := n.Parent(); p.Kind() {
	case "attribute", "comparison_operator", "type", "parameters", "dotted_name", "aliased_import":
		return false
	case "assignment":
		return p.Field("right") == n
	case "keyword_argument":
		return p.Field("value") == n
	case "argument_list":
		name := syntax.PyName(p.Parent().Field("function"))
		return name != "isinstance" && name != "issubclass" && name != "hasattr"
	default:
		return true
	}
}

// compared are the other backends and fallbacks that the dispatcher selects. What
// is registered under a name that nothing selects answers for nobody.
var compared = map[string]bool{"cutile": true, "triton": true, "tilecpp": true, "pytorch": true, "default": true}

// otherBackend reports whether a dotted name lies in the ops of another
// backend, or is the dispatcher's own.
func otherBackend(full string) bool {
	path := strings.TrimPrefix(strings.TrimPrefix(full, "tilegym."), "ops.")
	first, rest, _ := strings.Cut(path, ".")
	if compared[first] && first != "default" {
		return rest != ""
	}
	return strings.HasPrefix(full, "tilegym.ops.") && rest == ""
}

// launchers knows the functions and classes of files that launch a kernel, by
// the path of the file.
type launchers struct {
	tree  *tree.Tree
	files map[string]map[string]bool
}

// launch reports whether a function of another backend's op launches a kernel, by
// itself or by functions of its file.
func (l launchers) launch(full string) bool {
	dotted, name := full, ""
	for range 2 { // a function of the module, or a method of its class
		i := strings.LastIndexByte(dotted, '.')
		if i < 0 {
			return false
		}
		dotted, name = dotted[:i], dotted[i+1:]
		at := sourceOf(dotted)
		if l.tree.Exists(at) {
			if l.files[at] == nil {
				l.files[at] = launching(l.tree.File(at))
			}
			return l.files[at][name]
		}
	}
	return false
}

// launching lists the functions and classes of a file from which a launch is
// reached by names.
func launching(f *syntax.File) map[string]bool {
	defs := map[string]syntax.Node{}
	for _, d := range f.Root().Find("function_definition", "class_definition") {
		defs[d.Field("name").Text()] = d
	}
	out, users := map[string]bool{}, map[string][]string{}
	var todo []string
	for name, d := range defs {
		body := d.Field("body")
		if slices.ContainsFunc(body.Find("call"), launches) {
			out[name], todo = true, append(todo, name)
		}
		for _, id := range body.Find("identifier") {
			if used := id.Text(); defs[used].Valid() {
				users[used] = append(users[used], name)
			}
		}
	}
	for len(todo) > 0 {
		used := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, name := range users[used] {
			if !out[name] {
				out[name], todo = true, append(todo, name)
			}
		}
	}
	return out
}

// launches reports whether a call launches a kernel.
func launches(c syntax.Node) bool {
	switch fn := c.Field("function"); syntax.PyName(fn) {
	case "launch", "exhaustive_search", "autotune_launch":
		return true
	default:
		return fn.Is("subscript") // kernel[grid](..)
	}
}
