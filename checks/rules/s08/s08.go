// Package s08 is rule S8: the selector knows the backend.
package s08

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
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
		"Let the probe look for the crate and for `cargo`, and return what it finds; nothing may switch it off.",
	},
	First: map[string]int{"strict": 1, "missing": 0, "off": 2},
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
	c := &conditions{w: w, steps: 20 * dsl.Steps, fixed: fixedNames(w)}
	var table syntax.Node // that of the other backends
	listed := false
	for _, n := range f.Root().Find("string") {
		s := syntax.PyString(n)
		pair := n.Parent()
		switch {
		case s == "cutile-rs" && (c.never(n) || takes(n)):
		case s == "cutile-rs":
			listed = true
			if pair.Is("pair") && pair.Field("key") == n {
				probe(p, c, pair)
			}
		case s == "cutile" && pair.Is("pair") && pair.Field("key") == n:
			table = pair.Parent()
		}
	}
	if listed {
		takenOut(p, c, table)
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
func probe(p *rules.Pass, c *conditions, pair syntax.Node) {
	value := pair.Field("value")
	if holds, known := c.constant(value, maxHops); known && !holds {
		p.Reportf(value, rules.Error, "off", "`cutile-rs` is never available: `%s`", rules.Short(value))
		return
	}
	if !value.Is("call") {
		return
	}
	fn := c.w.Function(value.Field("function"))
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

// takes reports whether a name is that of an entry which is taken out of a table, or
// set to False: by a call, del, or an assignment.
func takes(n syntax.Node) bool {
	switch p := n.Parent(); p.Kind() {
	case "argument_list":
		switch fn := p.Parent().Field("function"); syntax.PyName(fn) {
		case "pop", "discard", "remove", "__delitem__":
			return fn.Is("attribute")
		}
	case "subscript":
		at := p.Parent()
		return at.Is("delete_statement") || at.Is("expression_list") && at.Parent().Is("delete_statement") ||
			at.Is("assignment") && at.Field("left") == p && at.Field("right").Is("false", "none")
	}
	return false
}

// takenOut reports entries that are taken out again, where that runs for sure: at the
// top of the module, or in the function that makes the table.
func takenOut(p *rules.Pass, c *conditions, table syntax.Node) {
	root := c.w.File.Root()
	back := again(root)
	for _, n := range root.Find("string") {
		if syntax.PyString(n) != host.Backend || !takes(n) || !ofBackends(n, table) {
			continue
		}
		st := n
		for st.Parent().Valid() && !st.Is("expression_statement", "delete_statement") {
			st = st.Parent()
		}
		owner := host.Owner(n)
		block := root
		if owner != root {
			block = owner.Field("body")
		}
		if st.Parent() != block || owner != root && (!table.Valid() || host.Owner(table) != owner || table.Span().Start > n.Span().Start) || back > n.Span().Start {
			continue
		}
		p.Reportf(n, rules.Error, "off", "`cutile-rs` is taken out of the available backends again: `%s`", rules.Short(st))
	}
}

// ofBackends reports whether what an entry is taken out of is the table, or by its name
// the backends that are available. The file may have tables of other things.
func ofBackends(n, table syntax.Node) bool {
	object := n.Parent().Field("value") // of a subscript
	if n.Parent().Is("argument_list") {
		object = n.Parent().Parent().Field("function").Field("object")
	}
	name := syntax.PyName(object)
	return available(name) || name != "" && table.Parent().Is("assignment") && table.Parent().Field("left").Text() == name
}

// available reports whether a name tells of the backends that are available: all of
// its words are among those that say so.
func available(name string) bool {
	told := false
	for word := range strings.SplitSeq(strings.ToLower(strings.Trim(name, "_")), "_") {
		switch word {
		case "available", "availability", "avail":
			told = true
		case "backend", "backends", "all", "table", "map", "set", "list", "names":
		default:
			return false
		}
	}
	return told
}

// again is the last place of a file at which an entry comes back, or -1.
func again(root syntax.Node) int {
	last := -1
	for _, o := range root.Find("string") {
		if syntax.PyString(o) != host.Backend || takes(o) {
			continue
		}
		switch p := o.Parent(); p.Kind() {
		case "subscript":
			if p.Parent().Is("assignment") && p.Parent().Field("left") == p {
				last = o.Span().Start
			}
		case "argument_list":
			if name := syntax.PyName(p.Parent().Field("function")); name == "add" || name == "append" || name == "setdefault" {
				last = o.Span().Start
			}
		}
	}
	return last
}

// conditions reads the conditions of a file.
type conditions struct {
	w     *host.Wrapper
	steps dsl.Budget
	fixed map[string]bool // names that have one value
}

// never reports whether code stands under a condition that never holds.
func (c *conditions) never(n syntax.Node) bool {
	for at, p := n, n.Parent(); p.Valid(); at, p = p, p.Parent() {
		if p.Is("if_statement", "elif_clause") && at == p.Field("consequence") {
			if holds, known := c.constant(p.Field("condition"), maxHops); known && !holds {
				return true
			}
		}
	}
	return false
}

// maxHops bounds how deep a condition is read.
const maxHops = 8

// constant reads an expression whose truth the source decides: literals, names
// of constants, and functions of the file that never return anything else than
// what is false.
func (c *conditions) constant(n syntax.Node, hops int) (holds, known bool) {
	if hops == 0 || !c.steps.Spend() {
		return false, false
	}
	switch n.Kind() {
	case "parenthesized_expression":
		return c.constant(n.NamedChild(0), hops-1)
	case "identifier":
		if v := c.w.Consts[n.Text()]; v.Valid() && c.fixed[n.Text()] {
			return c.constant(v, hops-1)
		}
	case "false", "none":
		return false, true
	case "true":
		return true, true
	case "integer":
		v, ok := host.PyInt(n)
		return v != 0, ok
	case "not_operator":
		holds, known = c.constant(n.Field("argument"), hops-1)
		return !holds, known
	case "boolean_operator":
		l, left := c.constant(n.Field("left"), hops-1)
		r, right := c.constant(n.Field("right"), hops-1)
		if n.Field("operator").Text() == "and" {
			return l && r, left && right || left && !l || right && !r
		}
		return l || r, left && right || left && l || right && r
	case "conditional_expression":
		parts := n.NamedChildren()
		if len(parts) != 3 {
			return false, false
		}
		switch cond, ok := c.constant(parts[1], hops-1); {
		case ok && cond:
			return c.constant(parts[0], hops-1)
		case ok:
			return c.constant(parts[2], hops-1)
		}
		a, first := c.constant(parts[0], hops-1)
		b, second := c.constant(parts[2], hops-1)
		return a, first && second && a == b
	case "comparison_operator":
		parts := n.NamedChildren()
		if len(parts) != 2 {
			return false, false
		}
		a, first := host.PyInt(parts[0])
		b, second := host.PyInt(parts[1])
		for operator := range n.Children() {
			switch operator.Text() {
			case "==":
				return a == b, first && second
			case "!=":
				return a != b, first && second
			}
		}
	case "call":
		fn := c.w.Function(n.Field("function"))
		if !fn.Is("function_definition") || len(syntax.PyDecorators(fn)) > 0 || len(fn.Find("yield")) > 0 || len(fn.Find("async")) > 0 {
			return false, false
		}
		returns := 0
		for _, r := range fn.Field("body").Find("return_statement") {
			if host.Owner(r) != fn {
				continue
			}
			returns++
			if holds, known := c.constant(r.NamedChild(0), hops-1); r.NamedChild(0).Valid() && (!known || holds) {
				return false, false
			}
		}
		return false, returns > 0
	}
	return false, false
}

// fixedNames are the names that a file gives one value only, in no function.
func fixedNames(w *host.Wrapper) map[string]bool {
	bound, other := map[string]int{}, map[string]bool{}
	for _, n := range w.File.Root().Find("identifier") {
		switch p := n.Parent(); p.Kind() {
		case "global_statement", "nonlocal_statement", "parameters", "default_parameter", "typed_parameter", "typed_default_parameter",
			"augmented_assignment", "pattern_list", "for_statement", "for_in_clause", "as_pattern_target":
			other[n.Text()] = true
		case "assignment", "named_expression":
			if p.Field("left") == n || p.Field("name") == n {
				bound[n.Text()]++
			}
		}
	}
	fixed := map[string]bool{}
	for name, n := range bound {
		fixed[name] = n == 1 && !other[name]
	}
	return fixed
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
