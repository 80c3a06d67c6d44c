// Package s08 is rule S8: the selector knows the backend.
package s08

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

// Rule is S8.
var Rule = &rules.Rule{
	ID: "S8", Title: "The selector knows the backend and probes it permissively",
	Category: "process", Owner: "host", Severity: rules.Error, DecidedBy: "cross-file", Fix: "none",
	Why: "A backend that the selector does not list is not available: every test of it is skipped, and a skip looks like a pass.",
	Triage: []string{
		"Add `\"cutile-rs\": is_cutile_rs_available()` to the table of backends in `backend/selector.py`.",
		"Ask for the crate and for `cargo`, not for the built library: it is built at the first use.",
	},
	First: map[string]int{"strict": 1},
	Doc:   doc, Scope: rules.PerTree, Requires: []rules.AnyFact{host.Facts}, Run: run,
}

// at is the file that lists the backends.
const at = "src/tilegym/backend/selector.py"

func run(p *rules.Pass) {
	registers := func(k *host.Kernel) bool { return k.Wrapper != nil && len(k.Wrapper.Registers) > 0 }
	if !slices.ContainsFunc(host.Of(p).Kernels, registers) || !p.Tree.Exists(at) {
		return
	}
	f := p.Tree.File(at)
	if f.Unread != "" {
		p.Undecided("the selector is unread")
		return
	}
	w := host.ParseWrapper(f)
	var table syntax.Node // that of the other backends
	listed := false
	for _, n := range f.Root().Find("string") {
		s := syntax.PyString(n)
		pair := n.Parent()
		switch {
		case s == "cutile-rs":
			listed = true
			if pair.Is("pair") && pair.Field("key") == n {
				probe(p, w, pair)
			}
		case s == "cutile" && pair.Is("pair") && pair.Field("key") == n:
			table = pair.Parent()
		}
	}
	switch {
	case listed:
	case !table.Valid():
		p.Undecided("the table of backends was not found")
	case table.ChildOf("dictionary_splat").Valid():
		p.Undecided("the table of backends takes entries from elsewhere")
	default:
		p.Reportf(table.ChildOf("pair").Field("key"), rules.Error, "missing", "the table of backends has no `\"cutile-rs\"`, so its tests are skipped and `set_backend` refuses it; expected `\"cutile-rs\": is_cutile_rs_available()`")
	}
}

// probe looks at how the availability is found out.
func probe(p *rules.Pass, w *host.Wrapper, pair syntax.Node) {
	value := pair.Field("value")
	if value.Is("false", "none") {
		p.Reportf(value, rules.Error, "off", "`cutile-rs` is never available: `%s`", value.Text())
		return
	}
	if !value.Is("call") {
		return
	}
	fn := w.Function(value.Field("function"))
	if !fn.Is("function_definition") {
		return
	}
	library, cargo := syntax.Node{}, false
	for _, n := range fn.Field("body").Find("string") {
		s := syntax.PyString(n)
		if strings.HasSuffix(s, ".so") && !library.Valid() {
			library = n
		}
		cargo = cargo || s == "cargo" || strings.Contains(s, "Cargo.toml")
	}
	if library.Valid() && !cargo && !delegates(fn) {
		p.Reportf(library, rules.Warning, "strict", "the probe asks for the built library; it is built at the first use, so a fresh checkout skips all tests; expected to ask for the crate and for `cargo`")
	}
}

// delegates reports whether a probe uses other functions, which may ask for cargo.
func delegates(fn syntax.Node) bool {
	for _, c := range fn.Field("body").Find("call") {
		if c.Field("function").Is("identifier") {
			return true
		}
	}
	return false
}
