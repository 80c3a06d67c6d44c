// Package r40 is rule R40: tests run with the backend where they dispatch to
// it, and only there.
package r40

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/checks/words"
)

//go:embed doc.md
var doc string

// Rule is R40.
var Rule = &rules.Rule{
	ID: "R40", Title: "Tests run with cutile-rs where they dispatch to it",
	Category: "process", Owner: "test", Severity: rules.Error, DecidedBy: "cross-file", Fix: "safe",
	Signatures: []string{"S-I06", "S-I07", "S-I09", "S-R13"},
	Why:        "A test that never runs with the backend lets a broken port pass, and one that calls another backend's functions passes for a reason that has nothing to do with the port.",
	Whys: map[string]string{
		"skip": "A case that the wrapper refuses by design fails, and a failure that is expected hides those that are not.",
		"ids":  "A selection that misses these cases reports success for tests that never ran.",
	},
	Triage: []string{
		"Add `cutile-rs` to the list of backends behind `is_backend_available`, next to the other gates.",
		"Call the op through `tilegym.ops`, never a backend's own module.",
		"Skip for cutile-rs what the wrapper rejects, as the test does for the reference.",
		"Select with `-k \"cutile_rs or cutile-rs\"`: explicit ids keep the hyphen. No item at all means that the backend is not available.",
		"Write the op's test, dispatched through `tilegym.ops` and parametrised over the backends, `cutile-rs` among them.",
	},
	First: map[string]int{"direct": 1, "skip": 2, "ids": 3, "registration": 0, "gate": 0, "test": 4},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts, host.Tests, integrity.Suites}, Run: run,
}

func run(p *rules.Pass) {
	k := host.Of(p).Kernel(p.Kernel)
	if k.Test == "" {
		absent(p, k)
		return
	}
	t := host.Tests.Of(p)
	if t == nil {
		p.Undecided("the test file is unread")
		return
	}
	suite := integrity.Suites.Of(p)
	spelled(p, t)
	registered(p, k, t, suite)
	for _, fn := range t.File.Root().Find("function_definition") {
		if !strings.HasPrefix(fn.Field("name").Text(), "test") {
			continue
		}
		listings := suite.Listings(fn)
		ids(p, fn, listings)
		for _, l := range listings {
			if param := l.Param(host.Backend); param != "" {
				direct(p, t, fn, param)
				skips(p, k, t, suite, fn, param)
				break
			}
		}
	}
}

// selector is the file that lists the backends.
const selector = "src/tilegym/backend/selector.py"

// spelled reports a question for the availability of the backend under a name that
// the selector does not know: it is always answered with no.
func spelled(p *rules.Pass, t *host.Wrapper) {
	f := p.Tree.File(selector)
	if f.Unread != "" {
		return
	}
	listed := map[string]bool{}
	for _, n := range f.Root().Find("string") {
		listed[syntax.PyString(n)] = true
	}
	if !listed[host.Backend] {
		return // S8's, or another way to list backends
	}
	for _, c := range t.File.Root().Find("call") {
		if syntax.PyName(c.Field("function")) != "is_backend_available" {
			continue
		}
		arg := syntax.PyArg(c, "backend", 0)
		name, ok := t.String(arg)
		if !ok || name == host.Backend {
			continue
		}
		meant := tree.MeansBackend(name) || words.Nearest(name, slices.Concat([]string{host.Backend}, records.KnownBackends)) == host.Backend
		if !meant || listed[name] {
			continue
		}
		var fix *rules.Fix
		if text := arg.ChildOf("string_content"); arg.Is("string") && text.Text() == name {
			fix = rules.Replace(text, host.Backend, "spell the backend as the selector does")
		}
		p.ReportFix(arg, rules.Error, "gate", fix, "`%s` is no backend, so it is never available and what depends on it never runs; expected `%s`, with this spelling", name, host.Backend)
	}
}

// registered reports a test file whose backends are all known and lack this one.
func registered(p *rules.Pass, k *host.Kernel, t *host.Wrapper, suite *integrity.Suite) {
	if k.Wrapper == nil || len(k.Wrapper.Registers) == 0 {
		return
	}
	var at syntax.Node
	known := true
	// A list that is filled in a way that the evaluator does not follow may hold the
	// backend: names are a second opinion, by which it may.
	lists := sync.OnceValue(func() map[string]bool { return mayHold(t) })
	for _, l := range suite.All() {
		if !l.Backends() {
			continue
		}
		switch l.Holds(host.Backend) {
		case integrity.Surely:
			return
		case integrity.Unknown:
			known = false
		}
		known = known && !t.HoldsBackend(l.At, lists())
		if !at.Valid() || l.At.Span().Start < at.Span().Start {
			at = l.At
		}
	}
	if !at.Valid() {
		p.Undecided("the test file chooses its backends in another way")
		return
	}
	if !known {
		p.Undecided("the list of the tests' backends is not followed")
		return
	}
	p.ReportFix(at, rules.Error, "registration", gate(t, at), "no test in `%s` runs with `cutile-rs`, although `%s` registers the op; expected `if is_backend_available(\"cutile-rs\"): _backends = _backends + [\"cutile-rs\"]`", k.Test, k.Kernel.Wrapper)
}

// mayHold names what may hold the backend, outside of tests: lists, functions that
// speak of it, and what is handed to a function together with it.
func mayHold(t *host.Wrapper) map[string]bool {
	out := t.BackendLists()
	tested := func(n syntax.Node) bool {
		o := host.Owner(n)
		return o.Is("function_definition") && strings.HasPrefix(o.Field("name").Text(), "test")
	}
	taint := func(target syntax.Node) {
		for _, id := range append(target.Find("identifier"), target) {
			if id.Is("identifier") {
				out[id.Text()] = true
			}
		}
	}
	for range 4 { // one leads to another
		for _, def := range t.File.Root().Find("function_definition") {
			if name := def.Field("name").Text(); !strings.HasPrefix(name, "test") && (t.HoldsBackend(def.Field("body"), out) || t.HoldsBackend(def.Field("parameters"), out)) {
				out[name] = true
			}
		}
		for _, n := range t.File.Root().Find("call", "assignment", "augmented_assignment", "for_statement") {
			switch {
			case tested(n) || syntax.PyName(n.Field("function")) == "parametrize" || !t.HoldsBackend(n, out):
			case n.Is("call"):
				for _, a := range append(syntax.PyArgs(n), n.Field("function").Field("object")) {
					root, _, _ := strings.Cut(a.Text(), ".")
					if a.Is("identifier", "attribute") && t.Imports[root] == "" && root != "self" && root != "cls" {
						out[syntax.PyName(a)] = true
					}
				}
			case n.Is("for_statement"):
				if t.HoldsBackend(n.Field("right"), out) {
					taint(n.Field("left"))
				}
			default:
				taint(n.Field("left"))
			}
		}
	}
	return out
}

// gate adds the backend to the list that a parametrization names: after the
// list's last gate, or after the list.
func gate(t *host.Wrapper, parametrize syntax.Node) *rules.Fix {
	values := syntax.PyArg(parametrize, "argvalues", 1)
	if !values.Is("identifier") || t.Imports["is_backend_available"] == "" {
		return nil
	}
	name := values.Text()
	var after syntax.Node
	for _, a := range t.File.Root().Find("assignment") {
		if a.Field("left").Text() != name || a.Span().Start > parametrize.Span().Start {
			continue
		}
		stmt := a.Parent()
		if stmt.Ancestor("for_statement").Valid() {
			return nil // a gate would stand in the loop
		}
		if cond := stmt.Ancestor("if_statement"); cond.Valid() && stmt.Parent().Parent() == cond {
			if !strings.Contains(cond.Field("condition").Text(), "is_backend_available") || cond.Field("alternative").Valid() {
				return nil
			}
			stmt = cond
		}
		after = stmt
	}
	if !after.Valid() {
		return nil
	}
	f, line, indent := after.File(), after.EndPos().Line, host.Indent(after)
	return rules.Insert(f.LineStart(line)+len(f.Line(line)),
		"\n"+indent+"if is_backend_available(\"cutile-rs\"):\n"+indent+"    "+name+" = "+name+" + [\"cutile-rs\"]", "run with the backend where it is available")
}

// backendModules are the folders of backends below tilegym.ops.
var backendModules = []string{"cutile", "cutile_rs", "triton", "tilecpp", "pytorch"}

// ownModule reports whether a dotted name lies in a backend's own module.
func ownModule(dotted string) bool {
	parts := strings.Split(dotted, ".")
	if len(parts) < 4 || parts[0] != "tilegym" {
		return false
	}
	switch parts[1] {
	case "ops":
		return slices.Contains(backendModules, parts[2])
	case "suites":
		return slices.Contains(backendModules, parts[3])
	}
	return false
}

// direct warns of a test with the backend that calls a backend's own functions
// and dispatches nothing.
func direct(p *rules.Pass, t *host.Wrapper, fn syntax.Node, param string) {
	var calls []syntax.Node // the functions' names
	for _, c := range fn.Field("body").Find("call") {
		// A function that is handed on is called by the one that gets it.
		for _, name := range append([]syntax.Node{c.Field("function")}, values(c)...) {
			if ownModule(t.Full(name)) && t.Reaches(fn, c, param) {
				calls = append(calls, name)
			}
		}
	}
	if len(calls) == 0 || dispatches(t, fn) {
		return
	}
	for _, st := range fn.Field("body").NamedChildren() {
		if st.Is("if_statement") && host.Leaves(st.Field("consequence")) && st.Span().Start < calls[0].Span().Start && t.Ask(st.Field("condition"), param) != host.No && t.Ask(st.Field("condition"), param) != host.Depends {
			return // the backend skips
		}
	}
	for _, name := range calls {
		p.Reportf(name, rules.Warning, "direct", "`%s` runs with `cutile-rs` but calls `%s`, which is a backend's own and takes no other; expected the op from `tilegym.ops`, or the test without `cutile-rs`", fn.Field("name").Text(), t.Full(name))
	}
}

// values lists the names that a call gets as arguments.
func values(c syntax.Node) []syntax.Node {
	var out []syntax.Node
	for _, a := range c.Field("arguments").NamedChildren() {
		if a.Is("keyword_argument") {
			a = a.Field("value")
		}
		if a.Is("identifier", "attribute") {
			out = append(out, a)
		}
	}
	return out
}

// dispatches reports whether a test uses an op of tilegym.ops, or hands the
// backend on.
func dispatches(t *host.Wrapper, fn syntax.Node) bool {
	found := false
	fn.Field("body").Inspect(func(n syntax.Node) bool {
		switch n.Kind() {
		case "attribute", "identifier":
			parts := strings.Split(t.Full(n), ".")
			found = found || len(parts) == 3 && parts[0] == "tilegym" && parts[1] == "ops" && !slices.Contains(backendModules, parts[2]) ||
				len(parts) == 5 && parts[1] == "suites" && parts[3] == "ops"
		case "keyword_argument":
			found = found || n.Field("name").Text() == "backend"
		}
		return !found
	})
	return found
}

// skips warns of a case that the test skips for the reference and the wrapper
// rejects, while nothing skips it for the backend.
func skips(p *rules.Pass, k *host.Kernel, t *host.Wrapper, suite *integrity.Suite, fn syntax.Node, param string) {
	if k.Wrapper == nil {
		return
	}
	rejected := rejects(k.Wrapper)
	type skip struct {
		at    syntax.Node
		names map[string]bool
	}
	var reference []skip
	ours := map[string]bool{}
	for _, st := range fn.Field("body").Find("if_statement", "elif_clause") {
		cond := st.Field("condition")
		if !skipping(st.Field("consequence")) {
			continue
		}
		all := names(cond, param)
		for c := st; c.Valid() && c != fn; c = c.Parent() {
			if outer, _, ok := host.Branch(c); ok {
				for n := range names(outer, param) {
					all[n] = true
				}
			}
		}
		reaches := t.Ask(cond, param) != host.No && t.Reaches(fn, cond, param)
		if reaches {
			for n := range all {
				ours[n] = true
			}
		} else if asks(t, cond, param, "cutile") {
			reference = append(reference, skip{cond, all})
		}
	}
	if len(reference) == 0 {
		return
	}
	// What helpers, fixtures and the list of cases leave out counts as well.
	asked, left, known := suite.Skipping(fn, param, host.Backend, "cutile")
	if !known {
		p.Undecided("a function that is not followed may skip the backend")
		return
	}
	for n := range asked {
		ours[spelling(n)] = true
	}
	for _, s := range reference {
		var missing []string
		covered := false
		for n := range left {
			covered = covered || s.names[spelling(n)]
		}
		for n := range s.names {
			if rejected[n] {
				missing = append(missing, n)
				covered = covered || ours[n]
			}
		}
		if len(missing) > 0 && !covered {
			slices.Sort(missing)
			p.Reportf(s.at, rules.Warning, "skip", "this case is skipped for the reference, and the cutile-rs wrapper raises for it by %s too, but nothing skips it for `cutile-rs`", rules.List(missing))
		}
	}
}

// asks reports whether a condition compares the parameter with a backend.
func asks(t *host.Wrapper, cond syntax.Node, param, backend string) bool {
	return slices.ContainsFunc(cond.Find("comparison_operator"), func(c syntax.Node) bool {
		parts := c.NamedChildren()
		if len(parts) != 2 || !c.ChildOf("==").Valid() || parts[0].Text() != param {
			return false
		}
		s, ok := t.String(parts[1])
		return ok && s == backend
	})
}

// skipping reports whether a block calls skip itself.
func skipping(block syntax.Node) bool {
	for _, s := range block.NamedChildren() {
		if c := s.NamedChild(0); s.Is("expression_statement") && c.Is("call") && syntax.PyName(c.Field("function")) == "skip" {
			return true
		}
	}
	return false
}

// spelling is a name as it is compared: transpose_a is trans_a.
func spelling(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(name), "transpose", "trans"), "_", "")
}

// names lists what a condition asks for, spelt alike: transpose_a is trans_a,
// a.dtype is dtype. The backend's parameter is left out.
func names(cond syntax.Node, param string) map[string]bool {
	out := map[string]bool{}
	for _, n := range cond.Find("identifier", "attribute") {
		name := n.Text()
		if n.Is("attribute") {
			name = n.Field("attribute").Text()
		}
		if name != param {
			out[spelling(name)] = true
		}
	}
	for _, general := range []string{"torch", "in", "get", "cuda", "capability", "getdevicecapability", "float16", "float32", "bfloat16", "device", "iscuda", "none"} {
		delete(out, general)
	}
	return out
}

// rejects lists what the wrapper raises NotImplementedError for.
func rejects(w *host.Wrapper) map[string]bool {
	out := map[string]bool{}
	for _, st := range w.File.Root().Find("if_statement") {
		raise := st.Field("consequence").ChildOf("raise_statement")
		if !raise.Valid() || !w.Reached(host.Owner(st)) || !strings.Contains(raise.Text(), "NotImplementedError") {
			continue
		}
		for n := range names(st.Field("condition"), "") {
			out[n] = true
		}
	}
	return out
}

// ids notes explicit ids of cases with the backend: they keep its hyphen, while
// the harness turns it into an underscore everywhere else.
func ids(p *rules.Pass, fn syntax.Node, listings []integrity.Listing) {
	for _, l := range listings {
		if !l.At.Is("call") || l.Param(host.Backend) == "" {
			continue
		}
		at := syntax.PyArg(l.At, "ids", 3)
		if !at.Valid() || at.Is("none") || strings.Contains(at.Text(), "replace(") {
			continue
		}
		p.Reportf(at, rules.Note, "ids", "these ids keep `cutile-rs`, while all others have `cutile_rs`: `-k cutile_rs` never selects the cases of `%s`; expected `-k \"cutile_rs or cutile-rs\"` in commands", fn.Field("name").Text())
	}
}

// maxFiles bounds the search for a test of another name.
const maxFiles = 20_000

// absent reports an op of which no test file speaks together with the backend.
func absent(p *rules.Pass, k *host.Kernel) {
	if k.Wrapper == nil || len(k.Wrapper.Registers) == 0 || !p.Tree.Exists(k.Kernel.Wrapper) {
		return
	}
	reg := k.Wrapper.Registers[0]
	ops := map[string]bool{k.Name: true}
	for _, r := range k.Wrapper.Registers {
		ops[r.Op] = true
	}
	if !callers(p, ops) {
		p.Undecided("not all that calls the op was looked at")
		return
	}
	seen, found := 0, false
	err := fs.WalkDir(p.Tree.FS, "tests", func(at string, d fs.DirEntry, err error) error {
		seen++
		switch {
		case err != nil:
			return err
		case seen > maxFiles:
			p.Tree.Unread("tests", fmt.Sprintf("more than %d files and folders, of which only the first were looked at", maxFiles))
			return errors.New("too many files")
		case found:
			return fs.SkipAll
		case d.IsDir() || path.Ext(at) != ".py":
			return nil
		}
		f := p.Tree.File(at)
		if f.Unread != "" {
			return errors.New("an unread test")
		}
		speaks := func(n syntax.Node) bool { return syntax.PyString(n) == host.Backend }
		found = uses(f, ops) && slices.ContainsFunc(f.Root().Find("string"), speaks)
		return nil
	})
	switch {
	case found:
	case err != nil:
		p.Undecided("not all tests were looked at")
	default:
		p.Reportf(reg.Decorator, rules.Error, "test", "`%s` is registered, but no test in `tests` runs it with `cutile-rs`", reg.Op)
	}
}

// opsRoot is the folder of the dispatched ops and of what is built on them.
const opsRoot = "src/tilegym/ops"

// callers adds to the names of an op those of the functions and classes that call it, in
// the files that belong to no backend. It is false when one of them is unread.
func callers(p *rules.Pass, ops map[string]bool) bool {
	files := p.Tree.Files(opsRoot, func(name string) bool {
		below := strings.TrimPrefix(name, opsRoot+"/")
		dir, _, _ := strings.Cut(below, "/")
		return path.Ext(name) == ".py" && !slices.Contains(backendModules, dir)
	})
	by := map[string][]string{} // the functions and classes that call one of a name
	for _, name := range files {
		f := p.Tree.File(name)
		if f.Unread != "" {
			return false
		}
		for _, c := range f.Root().Find("call") {
			def := c.Ancestor("function_definition", "class_definition")
			for up := def; up.Valid(); up = up.Ancestor("function_definition", "class_definition") {
				def = up
			}
			callee := syntax.PyName(c.Field("function"))
			by[callee] = append(by[callee], def.Field("name").Text())
		}
	}
	todo := slices.Collect(maps.Keys(ops))
	for ; len(todo) > 0; todo = todo[1:] {
		for _, name := range by[todo[0]] {
			if name != "" && !ops[name] {
				ops[name] = true
				todo = append(todo, name)
			}
		}
	}
	return true
}

// uses reports whether a file does something with one of some functions; a mere import
// is no use.
func uses(f *syntax.File, names map[string]bool) bool {
	as := map[string]bool{}
	for name := range names {
		as[name] = true
	}
	for _, a := range f.Root().Find("aliased_import") {
		if name := a.Field("name").Text(); names[name[strings.LastIndex(name, ".")+1:]] {
			as[a.Field("alias").Text()] = true
		}
	}
	return slices.ContainsFunc(f.Root().Find("identifier", "string"), func(n syntax.Node) bool {
		if n.Is("string") {
			return names[syntax.PyString(n)]
		}
		return as[n.Text()] && !n.Ancestor("import_from_statement", "import_statement").Valid()
	})
}
