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
	},
	Doc: doc, Scope: rules.PerTree, Requires: []rules.AnyFact{host.Facts}, Run: run,
}

// at is the file that imports the backends.
const at = "src/tilegym/ops/__init__.py"

func run(p *rules.Pass) {
	registers := func(k *host.Kernel) bool { return k.Suite == "" && k.Wrapper != nil && len(k.Wrapper.Registers) > 0 }
	if !slices.ContainsFunc(host.Of(p).Kernels, registers) || !p.Tree.Exists(at) {
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
			if strings.Contains(n.Field("arguments").Text(), "cutile_rs") || syntax.PyName(n.Field("function")) == "import_module" {
				return // by its name, or by one that is computed
			}
			continue
		case "wildcard_import":
			continue
		}
		module := n.Field("module_name").Squeeze()
		names := n.Fields("name")
		if slices.Contains(strings.Split(module, "."), "cutile_rs") || slices.ContainsFunc(names, mentions) {
			gate(p, n)
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

// gate reports an import that stands behind the availability of another
// backend.
func gate(p *rules.Pass, n syntax.Node) {
	for i := n.Ancestor("if_statement"); i.Valid(); i = i.Ancestor("if_statement") {
		c := i.Field("condition")
		if !c.Is("call") || syntax.PyName(c.Field("function")) != "is_backend_available" || !n.Inside(i.Field("consequence")) {
			continue
		}
		if s := syntax.PyString(syntax.PyArg(c, "backend", 0)); s != "" && s != "cutile-rs" {
			p.Reportf(c, rules.Error, "gate", "`cutile_rs` is imported only when `%s` is available; expected `is_backend_available(\"cutile-rs\")`", s)
		}
	}
}
