// Package s09 is rule S9: the ops package imports the backend.
package s09

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is S9.
var Rule = &rules.Rule{
	ID: "S9", Title: "The ops package imports the backend",
	Category: "process", Owner: "host", Severity: rules.Error, DecidedBy: "cross-file", Fix: "none",
	Why: "Wrappers register themselves when they are imported; a folder that nobody imports registers nothing.",
	Triage: []string{
		"Add `from . import cutile_rs` under `if is_backend_available(\"cutile-rs\"):` to `ops/__init__.py`.",
		"Put `is_backend_available(\"cutile-rs\")` alone in place of the condition that is shown.",
	},
	First: map[string]int{"missing": 0, "environment": 1, "gate": 1, "never": 1},
	Doc:   doc, Scope: rules.PerTree, Requires: []rules.AnyFact{host.Facts}, Run: run,
}

// at is the file that imports the backends.
const at = "src/tilegym/ops/__init__.py"

func run(p *rules.Pass) {
	registers := func(k *host.Kernel) bool { return k.Suite == "" && k.Wrapper != nil && len(k.Wrapper.Registers) > 0 }
	if !slices.ContainsFunc(host.Of(p).Kernels, registers) {
		return
	}
	inside(p)
	if !p.Tree.Exists(at) {
		return
	}
	f := p.Tree.File(at)
	if f.Unread != "" {
		p.Undecided("the ops package is unread")
		return
	}
	var others syntax.Node // the import of another backend
	for _, n := range f.Root().Find("import_statement", "import_from_statement", "call", "wildcard_import") {
		switch n.Kind() {
		case "call":
			name := syntax.PyName(n.Field("function"))
			if name == "import_module" || name != "is_backend_available" && strings.Contains(n.Field("arguments").Text(), "cutile_rs") {
				return // by its name, or by one that is computed
			}
			continue
		case "wildcard_import":
			continue
		}
		module := n.Field("module_name").Squeeze()
		names := n.Fields("name")
		if slices.Contains(strings.Split(module, "."), "cutile_rs") || slices.ContainsFunc(names, mentions) {
			g := &gates{p: p, w: host.ParseWrapper(f), what: "`cutile_rs`", seen: map[syntax.Node]bool{}}
			g.gate(n)
			return
		}
		if module == "." && slices.ContainsFunc(names, func(m syntax.Node) bool { return m.Squeeze() == "cutile" || m.Squeeze() == "triton" }) {
			others = n
		}
	}
	if !others.Valid() {
		p.Undecided("the package imports its backends in another way")
		return
	}
	p.Reportf(others, rules.Warning, "missing", "this package imports other backends but not `cutile_rs`, so none of its wrappers is registered; expected `if is_backend_available(\"cutile-rs\"): from . import cutile_rs`")
}

func mentions(name syntax.Node) bool {
	if name.Is("aliased_import") {
		name = name.Field("name")
	}
	return slices.Contains(strings.Split(name.Squeeze(), "."), "cutile_rs")
}

// gates looks at the conditions of imports in one file.
type gates struct {
	p    *rules.Pass
	w    *host.Wrapper
	what string // what is imported
	seen map[syntax.Node]bool
}

// inside looks at the imports of the wrappers in their own package.
func inside(p *rules.Pass) {
	for _, c := range host.Of(p).Crates {
		if c.Init == nil || c.Suite != "" {
			continue
		}
		g := &gates{p: p, w: host.ParseWrapper(c.Init.File), what: "a wrapper of `cutile_rs`", seen: map[syntax.Node]bool{}}
		for _, n := range c.Init.File.Root().Find("import_statement", "import_from_statement") {
			wrappers := func(k *host.Kernel) bool {
				return k.Wrapper != nil && len(k.Wrapper.Registers) > 0 && slices.ContainsFunc(n.Fields("name"), func(name syntax.Node) bool {
					if name.Is("aliased_import") {
						name = name.Field("name")
					}
					dotted := name.Squeeze()
					return dotted[strings.LastIndexByte(dotted, '.')+1:] == k.Name
				})
			}
			if slices.ContainsFunc(c.Kernels, wrappers) {
				g.gate(n)
			}
		}
	}
}

// gate reports an import that stands behind another condition than the availability
// of this backend.
func (g *gates) gate(n syntax.Node) {
	for at, i := n, n.Parent(); i.Valid(); at, i = i, i.Parent() {
		if i.Is("if_statement", "elif_clause") && at == i.Field("consequence") {
			if c := i.Field("condition"); !g.seen[c] {
				g.seen[c] = true
				g.behind(c, maxHops)
			}
		}
	}
}

// maxHops bounds how deep a condition is read.
const maxHops = 8

// behind reports what a condition asks for beside the backend. Parts that are not
// understood are left alone, such as a switch that turns the backend off.
func (g *gates) behind(cond syntax.Node, hops int) {
	p, w := g.p, g.w
	value := w.Const(cond)
	if hops == 0 {
		return
	}
	switch value.Kind() {
	case "boolean_operator":
		left, right := value.Field("left"), value.Field("right")
		if value.Field("operator").Text() == "and" {
			g.behind(left, hops-1)
			g.behind(right, hops-1)
		}
	case "call", "subscript", "comparison_operator":
		if key := environment(value, ""); key.Valid() {
			if name, ok := w.String(key); !ok || machines(name) {
				p.Undecided("the variable may be one that every machine has")
				return
			}
			p.Reportf(cond, rules.Error, "environment", "%s is imported only when the environment has `%s`; expected `is_backend_available(\"cutile-rs\")` alone", g.what, rules.Short(key))
			return
		}
		if syntax.PyName(value.Field("function")) != "is_backend_available" {
			return
		}
		if s, ok := w.String(syntax.PyArg(value, "backend", 0)); ok && s != host.Backend {
			p.Reportf(cond, rules.Error, "gate", "%s is imported only when `%s` is available; expected `is_backend_available(\"cutile-rs\")`", g.what, s)
		}
	case "not_operator":
		arg := w.Const(value.Field("argument"))
		if arg.Is("true") || available(w, arg) {
			p.Reportf(cond, rules.Error, "never", "%s is never imported where it is available: `%s`; expected `is_backend_available(\"cutile-rs\")`", g.what, rules.Short(cond))
		}
	case "false", "none":
		p.Reportf(cond, rules.Error, "never", "%s is never imported: `%s`; expected `is_backend_available(\"cutile-rs\")`", g.what, rules.Short(cond))
	case "integer":
		if v, ok := host.PyInt(value); ok && v == 0 {
			p.Reportf(cond, rules.Error, "never", "%s is never imported: `%s`; expected `is_backend_available(\"cutile-rs\")`", g.what, rules.Short(cond))
		}
	}
}

// available reports whether an expression asks for this backend.
func available(w *host.Wrapper, n syntax.Node) bool {
	s, _ := w.String(syntax.PyArg(n, "backend", 0))
	return n.Is("call") && syntax.PyName(n.Field("function")) == "is_backend_available" && s == host.Backend
}

// machines reports whether a variable is one that the system, the toolkit or the
// service that runs the tests sets.
func machines(name string) bool {
	common := []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "LANG", "TERM", "TMPDIR", "HOSTNAME", "CI", "VIRTUAL_ENV", "PYTHONPATH"}
	return slices.Contains(common, name) || slices.ContainsFunc([]string{"CUDA", "NV", "LD_", "GITHUB_", "RUNNER_", "CARGO_", "RUSTUP_", "CONDA_", "XDG_"}, func(prefix string) bool {
		return strings.HasPrefix(name, prefix)
	})
}

// environment is the name of the variable that an expression wants to be set; invalid
// when the expression holds without one, too. The value is compared with wanted, or
// asked for its truth.
func environment(n syntax.Node, wanted string) syntax.Node {
	switch n.Kind() {
	case "call":
		fn := n.Field("function")
		dotted := syntax.PyDotted(fn)
		if !strings.HasSuffix(dotted, "environ.get") && syntax.PyName(fn) != "getenv" {
			return syntax.Node{}
		}
		if d := syntax.PyArg(n, "default", 1); d.Valid() && !d.Is("none", "false") {
			text := syntax.PyString(d)
			if !d.Is("string") || d.ChildOf("interpolation").Valid() || wanted == "" && text != "" || wanted != "" && text == wanted {
				return syntax.Node{}
			}
		}
		return syntax.PyArg(n, "key", 0)
	case "subscript":
		if syntax.PyName(n.Field("value")) == "environ" {
			return n.Field("subscript")
		}
	case "comparison_operator":
		parts := n.NamedChildren()
		switch {
		case len(parts) != 2:
		case n.ChildOf("in").Valid() && syntax.PyName(parts[1]) == "environ":
			return parts[0]
		case n.ChildOf("==").Valid() && parts[1].Is("string") && syntax.PyString(parts[1]) != "":
			return environment(parts[0], syntax.PyString(parts[1]))
		case n.ChildOf("is not").Valid() && parts[1].Is("none") && len(syntax.PyArgs(parts[0])) < 2:
			return environment(parts[0], "")
		}
	}
	return syntax.Node{}
}
