package integrity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// testFn is one collected test function.
type testFn struct {
	key    string // Class::name, or the name
	fn     *closure
	name   syntax.Node
	sets   []paramSet
	marks  []mark
	others []decoration
	// made are the parameters that fixtures of the file make of theirs.
	made map[string]bool
	// used are the fixtures that marks name.
	used []string
	// selected are marks by which a run may select.
	selected []decoration
}

// paramSet is one parametrize decorator.
type paramSet struct {
	names  []string
	cases  []paramCase
	values *term // what the cases come from
	known  bool  // cases holds all of them
	at     syntax.Node
	from   syntax.Node // the decorator, or the parameters of a fixture
}

// paramCase is one row of a decorator.
type paramCase struct {
	conds []*term
	vals  []*term
	marks []mark
}

// mark is a skip or xfail from a decorator or a parameter.
type mark struct {
	kind eventKind
	cond *term
	text string
	at   syntax.Node
	t    *term
}

// decoration is a decorator that is not understood.
type decoration struct {
	t  *term
	at syntax.Node
}

// case is one row of the product of all decorators.
type testCase struct {
	conds  []*term
	values map[string]*term
	marks  []mark
}

// tests lists what pytest collects from the file, in order.
func (s *side) tests() []*testFn {
	var out []*testFn
	moduleMarks := s.pytestmark(s.module)
	for _, name := range s.ordered(s.module) {
		if strings.HasPrefix(name, "test") {
			if b := s.module.vars[name]; b.fn != nil {
				out = append(out, s.newTest("", name, b.fn, moduleMarks))
			}
		}
	}
	for _, c := range s.order {
		if !strings.HasPrefix(c.name, "Test") || s.classNamed(c.name) != c || s.uncollected(c) {
			continue // or a later class has taken its name
		}
		seen := map[string]bool{}
		for _, k := range s.lineage(c) {
			s.u.spend(1)
			for _, name := range s.ordered(k.frame) {
				if b := k.frame.vars[name]; strings.HasPrefix(name, "test") && b.fn != nil && !seen[name] {
					seen[name] = true
					fn := *b.fn
					fn.bound, fn.self = !decorated(fn.node, "staticmethod"), c
					marks := slices.Concat(moduleMarks, s.pytestmark(c.frame), s.decorators(c.frame.outer, c.node))
					out = append(out, s.newTest(c.name+"::", name, &fn, marks))
				}
			}
		}
	}
	return out
}

// unstored is an object without what was stored in its attributes.
func unstored(t *term) *term {
	for t != nil && t.is("store") && strings.HasPrefix(t.text, ".") {
		t = t.kids[0]
	}
	return t
}

// uncollected reports whether pytest passes over a class.
func (s *side) uncollected(c *class) bool {
	for _, name := range []string{"__init__", "__new__"} {
		if _, ok := c.frame.vars[name]; ok {
			return true
		}
	}
	b, ok := c.frame.vars["__test__"]
	return ok && b.t == s.u.no
}

// ordered lists a frame's names by where they are defined.
func (s *side) ordered(f *frame) []string {
	names := sortedKeys(f.vars)
	slices.SortStableFunc(names, func(a, b string) int { return f.vars[a].at.Span().Start - f.vars[b].at.Span().Start })
	return names
}

// pytestmark lists the marks of a module or class variable.
func (s *side) pytestmark(f *frame) []decoration {
	b, ok := f.vars["pytestmark"]
	if !ok || b.t == nil {
		return nil
	}
	list := []*term{b.t}
	if b.t.is("list", "tuple") {
		list = b.t.kids
	}
	var out []decoration
	for _, t := range list {
		out = append(out, decoration{t, b.at})
	}
	return out
}

// decorators lists the decorators of a definition with their values.
func (s *side) decorators(f *frame, def syntax.Node) []decoration {
	var out []decoration
	f = f.asTaken(def)
	for _, d := range syntax.PyDecorators(def) {
		out = append(out, decoration{f.eval(d), d})
	}
	return out
}

func (s *side) newTest(prefix, name string, fn *closure, outer []decoration) *testFn {
	t := &testFn{key: prefix + name, fn: fn, name: fn.node.Field("name")}
	for _, d := range append(slices.Clone(outer), s.decorators(fn.scope, fn.node)...) {
		s.decorate(t, d)
	}
	s.fixtureSets(t)
	return t
}

// fixtureSets adds the parameters of the file's fixtures that a test asks for, where
// they can be listed.
func (s *side) fixtureSets(t *testFn) {
	given := map[string]bool{}
	for _, set := range t.sets {
		for _, n := range set.names {
			given[n] = true
		}
	}
	asked := func(fn *closure) (out []string) {
		for i, p := range fn.node.Field("parameters").NamedChildren() {
			if name, def := parameter(p); name != "" && !def.Valid() && !(i == 0 && (fn.bound || fn.class != nil)) {
				out = append(out, name)
			}
		}
		return out
	}
	todo := slices.Concat(asked(t.fn), t.used, s.automaticIn(s.module))
	if c := t.fn.owner(); c != nil {
		for _, k := range s.lineage(c) {
			todo = append(todo, s.automaticIn(k.frame)...)
		}
	}
	for ; len(todo) > 0; todo = todo[1:] {
		name := todo[0]
		b := s.fixtureNamed(name, t)
		if given[name] || b.fn == nil {
			continue
		}
		given[name] = true
		todo = append(todo, asked(b.fn)...)
		d := fixtureOf(b.fn.node)
		params := syntax.PyArg(d, "params", -1)
		if !d.Is("call") || !params.Valid() {
			continue
		}
		set := paramSet{names: []string{name}, at: params, from: params, values: b.fn.scope.eval(params)}
		if set.list(s) {
			t.sets = append(t.sets, set)
			if t.made == nil {
				t.made = map[string]bool{}
			}
			t.made[name] = true
		}
	}
}

// fixtureNamed is the binding of a fixture of the file that a test gets by a name, or
// none.
func (s *side) fixtureNamed(name string, t *testFn) binding {
	b, ok := binding{}, false
	if c := t.fn.owner(); c != nil {
		b, ok = s.inClass(c, name)
	}
	if !ok {
		b = s.module.vars[name]
	}
	if b.fn == nil || !fixtureOf(b.fn.node).Valid() {
		return binding{}
	}
	return b
}

// decorate sorts a decorator into parameters, marks and others.
func (s *side) decorate(t *testFn, d decoration) {
	callee, args := d.t, []*term(nil)
	if d.t.is("call") {
		callee, args = d.t.kids[0], d.t.kids[1:]
	}
	if !callee.is("sym") {
		t.others = append(t.others, d)
		return
	}
	switch callee.text {
	case "pytest.mark.parametrize":
		t.sets = append(t.sets, s.paramSet(args, d))
		return
	case "pytest.mark.usefixtures":
		for _, a := range args {
			if a.is("str") {
				t.used = append(t.used, a.text)
			}
		}
		t.others = append(t.others, d)
		return
	case "staticmethod", "classmethod":
		return
	}
	if m, ok := s.mark(callee, args, d.at, d.t); ok {
		t.marks = append(t.marks, m)
		return
	}
	if name, ok := strings.CutPrefix(callee.text, "pytest.mark."); !ok {
		t.others = append(t.others, d)
	} else if !neutralMarks[name] {
		t.selected = append(t.selected, decoration{s.u.raw("mark", name), d.at})
	}
}

// neutralMarks are marks that neither skip a test nor select it.
var neutralMarks = map[string]bool{
	"timeout": true, "filterwarnings": true, "asyncio": true, "anyio": true, "xdist_group": true, "forked": true, "no_cover": true, "order": true,
}

// mark reads a skip or xfail mark.
func (s *side) mark(callee *term, args []*term, at syntax.Node, whole *term) (mark, bool) {
	m := mark{kind: skipped, cond: s.u.yes, at: at, t: whole}
	text := ""
	var conds []*term
	for _, a := range args {
		switch {
		case a.is("kw") && (a.text == "reason" || a.text == "msg"):
			text = plain(a.kids[0])
		case a.is("kw") && a.text == "condition":
			conds = append(conds, a.kids[0])
		case !a.is("kw", "star", "dstar"):
			conds = append(conds, a)
		}
	}
	m.text = text
	switch callee.text {
	case "pytest.mark.skip", "unittest.skip":
		if text == "" && len(conds) > 0 {
			m.text = plain(conds[0])
		}
		return m, true
	case "pytest.mark.xfail", "unittest.expectedFailure":
		m.kind = xfailed
		if len(conds) > 0 {
			m.cond = s.u.and(conds[0])
		}
		return m, true
	case "pytest.mark.flaky", "pytest.mark.rerun", "pytest.mark.reruns", "pytest.mark.retry":
		m.kind, m.text = xfailed, "run again until it passes"
		return m, true
	case "pytest.mark.skipif", "unittest.skipIf":
		if len(conds) > 0 {
			m.cond = conds[0]
		}
		return m, true
	case "unittest.skipUnless":
		if len(conds) > 0 {
			m.cond = s.u.not(conds[0])
		}
		return m, true
	}
	return m, false
}

// paramSet reads a parametrize decorator.
func (s *side) paramSet(args []*term, d decoration) paramSet {
	set := paramSet{at: d.at, from: d.at}
	call := d.at
	if call.Is("call") {
		if v := syntax.PyArg(call, "argvalues", 1); v.Valid() {
			set.at = s.module.where(v)
		}
	}
	var positional []*term
	named := map[string]*term{}
	for _, a := range args {
		if a.is("kw") {
			named[a.text] = a.kids[0]
		} else {
			positional = append(positional, a)
		}
	}
	if v := named["argnames"]; v != nil {
		positional = append([]*term{v}, positional...)
	}
	if v := named["argvalues"]; v != nil {
		positional = append(positional, v)
	}
	if len(positional) < 2 {
		set.values = d.t
		return set
	}
	switch names := positional[0]; {
	case names.is("str"):
		for _, n := range strings.Split(names.text, ",") {
			set.names = append(set.names, strings.TrimSpace(n))
		}
	case names.is("list", "tuple"):
		for _, n := range names.kids {
			set.names = append(set.names, n.text)
		}
	}
	set.values = positional[1]
	if v := named["indirect"]; v != nil && v != s.u.no {
		// A fixture makes the values of these.
		set.values = s.u.raw("indirect", "", set.values, v)
	}
	set.list(s)
	return set
}

// list lists the cases of the values and reports whether all are known.
func (set *paramSet) list(s *side) bool {
	if set.values.is("list", "tuple", "set") && len(set.names) > 0 {
		set.known = true
		for _, k := range set.values.kids {
			c, ok := s.paramCase(k, len(set.names), set.at)
			set.known = set.known && ok
			set.cases = append(set.cases, c)
		}
	}
	return set.known
}

func (s *side) paramCase(t *term, width int, at syntax.Node) (c paramCase, ok bool) {
	if t.is("opt") {
		c.conds = append(c.conds, t.kids[0])
		t = t.kids[1]
	}
	if t.is("star") {
		return c, false
	}
	if t.is("call") && t.kids[0].is("sym") && t.kids[0].last() == "param" {
		var vals []*term
		for _, a := range t.kids[1:] {
			switch {
			case a.is("kw") && a.text == "marks":
				list := []*term{a.kids[0]}
				if a.kids[0].is("list", "tuple") {
					list = a.kids[0].kids
				}
				for _, m := range list {
					callee, args := m, []*term(nil)
					if m.is("call") {
						callee, args = m.kids[0], m.kids[1:]
					}
					place := s.origin[m]
					if !place.Valid() {
						place = at
					}
					if mk, ok := s.mark(callee, args, place, m); ok {
						c.marks = append(c.marks, mk)
					} else if !callee.is("sym") || !strings.HasPrefix(callee.text, "pytest.mark.") {
						c.marks = append(c.marks, mark{kind: skipped, cond: m, text: "a mark that cannot be read", at: place, t: m})
					}
				}
			case !a.is("kw", "star", "dstar"):
				vals = append(vals, a)
			case !a.is("kw"):
				return c, false
			}
		}
		c.vals = vals
		return c, len(vals) == width
	}
	if width == 1 {
		c.vals = []*term{t}
		return c, true
	}
	if t.is("tuple", "list") && len(t.kids) == width {
		c.vals = t.kids
		return c, true
	}
	return c, false
}

// maxCases bounds the cases of one test that are compared one by one.
const maxCases = 3000

// cases is the product of a test's parameters, or one case of symbols when
// they cannot be listed.
func (s *side) cases(t *testFn) ([]testCase, bool) {
	out := []testCase{{values: map[string]*term{}}}
	for _, set := range t.sets {
		if !set.known || len(out)*len(set.cases) > maxCases {
			return []testCase{s.symbolic(t)}, false
		}
		var next []testCase
		for _, c := range out {
			for _, row := range set.cases {
				n := testCase{conds: slices.Concat(c.conds, row.conds), values: make(map[string]*term, len(c.values)+len(row.vals)), marks: slices.Concat(c.marks, row.marks)}
				for k, v := range c.values {
					n.values[k] = v
				}
				for i, name := range set.names {
					n.values[name] = row.vals[i]
				}
				if v, known := s.u.and(n.conds...).truth(); !known || v {
					next = append(next, n)
				}
			}
		}
		out = next
	}
	return out, true
}

// symbolic is one case whose parameters are unknown.
func (s *side) symbolic(t *testFn) testCase {
	c := testCase{values: map[string]*term{}}
	for _, set := range t.sets {
		for _, n := range set.names {
			c.values[n] = s.u.raw("param", n)
		}
	}
	return c
}

// key tells cases apart by the values of some parameters.
func (c testCase) key(names []string) string {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "%d;", c.values[n].id)
	}
	return b.String()
}

// backend is the backend that a case runs, or "".
func (c testCase) backend() string {
	for _, name := range []string{"backend", "framework", "impl", "backend_name"} {
		if v := c.values[name]; v != nil && v.is("str") {
			return v.text
		}
	}
	for _, name := range sortedKeys(c.values) {
		if v := c.values[name]; v.is("str") && backends[v.text] {
			return v.text
		}
	}
	return ""
}

// describe is a case for a message.
func (c testCase) describe() string {
	var parts []string
	for _, n := range sortedKeys(c.values) {
		parts = append(parts, n+"="+show(c.values[n]))
	}
	return strings.Join(parts, ", ")
}

// maxShown bounds the spelling of a value, which is cut in messages.
const maxShown = 400

// show is a short spelling of a value.
func show(t *term) string {
	var b strings.Builder
	showIn(&b, t)
	return b.String()
}

func showIn(b *strings.Builder, t *term) {
	if b.Len() > maxShown {
		return
	}
	switch t.op {
	case "tuple", "list":
		b.WriteByte('(')
		for i, k := range t.kids {
			if b.Len() > maxShown {
				b.WriteString("…")
				break
			}
			if i > 0 {
				b.WriteString(", ")
			}
			showIn(b, k)
		}
		b.WriteByte(')')
	default:
		b.WriteString(showOne(t))
	}
}

// showOne is the spelling of a value that has no parts.
func showOne(t *term) string {
	switch t.op {
	case "sym":
		return strings.TrimPrefix(t.text, "torch.")
	case "none":
		return "None"
	case "str":
		if r := []rune(t.text); len(r) > maxShown {
			return string(r[:maxShown]) + "…"
		}
		return t.text
	case "int", "float", "bool":
		return t.text
	}
	return "…"
}

// execute runs a test for a case.
func (s *side) execute(t *testFn, c testCase) []event {
	r := s.newRun()
	f := &frame{run: r, vars: map[string]binding{}, outer: s.module}
	if t.fn.owner() != nil {
		f.set("self", binding{t: s.u.raw("sym", "self"), at: t.name})
	}
	r.begin()
	// Marks skip before the test begins.
	for _, m := range slices.Concat(t.marks, c.marks) {
		if v, known := m.cond.truth(); known && !v {
			continue
		}
		done := r.push(onCond, m.cond, m.at)
		r.record(m.kind, m.t, m.at, m.text)
		if m.kind == skipped {
			r.leave(onSkip, m.at, 0)
		}
		done()
	}
	for _, d := range t.others {
		r.record(effected, s.u.raw("decorator", "", d.t), d.at, "")
	}
	for _, d := range t.selected {
		r.record(effected, d.t, d.at, "")
	}
	f.runFixtures(t, c)
	f.runSetup(t)
	var args []argument
	for i, p := range t.fn.node.Field("parameters").NamedChildren() {
		name, def := parameter(p)
		switch {
		case i == 0 && t.fn.bound:
		case c.values[name] != nil && !t.made[name]:
			args = append(args, argument{s.u.raw("kw", name, c.values[name]), p})
		case name != "" && !def.Valid():
			args = append(args, argument{s.u.raw("kw", name, f.fixture(name, t, c, 0)), p})
		}
	}
	if r.ended < 0 {
		if _, ok := f.enterCall(t.fn, args); !ok {
			r.record(effected, s.closed(t.fn), t.name, "")
		}
	}
	s.stops = r.stops
	r.undo(0) // the next test finds the module as it was
	return r.events
}

// runFixtures runs the file's fixtures that are used without being named.
func (f *frame) runFixtures(t *testFn, c testCase) {
	s := f.run.s
	scopes := []*frame{s.module}
	if c := t.fn.owner(); c != nil {
		for _, k := range slices.Backward(s.lineage(c)) {
			scopes = append(scopes, k.frame)
		}
	}
	for _, scope := range scopes {
		for _, name := range s.automaticIn(scope) {
			f.fixture(name, t, c, 0)
		}
	}
	for _, name := range t.used {
		f.fixture(name, t, c, 0)
	}
}

// The functions that pytest calls around a test because of their names.
var (
	moduleSetup = []string{"setUpModule", "setup_module", "setup_function", "teardown_function", "teardown_module", "tearDownModule"}
	classSetup  = []string{"setUpClass", "setup_class", "setup_method", "teardown_method", "teardown_class", "tearDownClass"}
)

// calledByName reports whether pytest or Python calls a method of this name by
// itself.
func calledByName(name string) bool {
	switch name {
	case "__init_subclass__", "__getattribute__", "__getattr__", "__new__":
		return true
	}
	return slices.Contains(classSetup, name)
}

// runSetup runs what the file sets up and tears down around the test by the
// names of functions.
func (f *frame) runSetup(t *testFn) {
	s := f.run.s
	enter := func(fn *closure) {
		var args []argument
		for i, p := range fn.node.Field("parameters").NamedChildren() {
			if name, def := parameter(p); name != "" && !def.Valid() && !(i == 0 && fn.bound) {
				args = append(args, argument{s.u.raw("kw", name, s.u.raw("sym", name)), p})
			}
		}
		if _, ok := f.enterCall(fn, args); !ok {
			f.run.record(effected, s.closed(fn), fn.node.Field("name"), "")
		}
	}
	for _, name := range moduleSetup {
		if b := s.module.vars[name]; b.fn != nil && (t.fn.owner() == nil || !strings.HasSuffix(name, "_function")) {
			enter(b.fn)
		}
	}
	c := t.fn.owner()
	if c == nil {
		return
	}
	for _, name := range classSetup {
		if b, ok := s.inClass(c, name); ok && b.fn != nil {
			fn := *b.fn
			fn.self, fn.bound = c, !decorated(fn.node, "staticmethod")
			enter(&fn)
		}
	}
}

// automaticIn lists the fixtures of a scope that are used without being named.
func (s *side) automaticIn(scope *frame) []string {
	names, known := s.automatic[scope]
	if known {
		return names
	}
	for _, name := range s.ordered(scope) {
		fn := scope.vars[name].fn
		if fn == nil {
			continue
		}
		if d := fixtureOf(fn.node); d.Is("call") && syntax.PyArg(d, "autouse", -1).Text() == "True" {
			names = append(names, name)
		}
	}
	s.automatic[scope] = names
	return names
}

// fixtureOf is the decorator that makes a function a fixture.
func fixtureOf(def syntax.Node) syntax.Node {
	for _, d := range syntax.PyDecorators(def) {
		call := d
		if call.Is("call") {
			call = call.Field("function")
		}
		if syntax.PyName(call) == "fixture" {
			return d
		}
	}
	return syntax.Node{}
}

// fixture is the value of a fixture of the file; others are symbols.
func (f *frame) fixture(name string, t *testFn, c testCase, depth int) *term {
	s := f.run.s
	b := s.fixtureNamed(name, t)
	if b.fn == nil {
		return s.u.raw("sym", name)
	}
	// A test has one of each; what one fixture changes, others and the test see.
	made := "fixture " + name
	if b, ok := f.vars[made]; ok {
		return b.t
	}
	if depth > maxInline {
		return s.requested(b.fn, t)
	}
	fn := *b.fn
	fn.bound = fn.class != nil
	if fn.bound {
		fn.self = t.fn.owner()
	}
	var args []argument
	for i, p := range fn.node.Field("parameters").NamedChildren() {
		pname, def := parameter(p)
		if i == 0 && fn.bound || pname == "" || def.Valid() {
			continue
		}
		v := c.values[pname]
		switch {
		case pname == "request" && t.made[name] && c.values[name] != nil:
			v = s.u.raw("store", ".param", s.u.raw("sym", pname), c.values[name])
		case v == nil || t.made[pname]:
			v = f.fixture(pname, t, c, depth+1)
		}
		args = append(args, argument{s.u.raw("kw", pname, v), p})
	}
	if d := fixtureOf(fn.node); d.Is("call") && !t.made[name] {
		if params := syntax.PyArg(d, "params", -1); params.Valid() {
			f.run.record(effected, s.u.raw("params", name, fn.scope.eval(params)), params, "")
		}
	}
	v, ok := f.enterCall(&fn, args)
	if !ok {
		v = s.requested(b.fn, t)
	}
	f.set(made, binding{t: v, at: b.at})
	return v
}

// requested is a fixture that is not entered, with the fixtures that it asks for.
func (s *side) requested(fn *closure, t *testFn) *term {
	kids := []*term{}
	seen := map[syntax.Node]bool{}
	for todo := []*closure{fn}; len(todo) > 0; todo = todo[1:] {
		if seen[todo[0].node] {
			continue
		}
		seen[todo[0].node] = true
		kids = append(kids, s.closed(todo[0]))
		for _, p := range todo[0].node.Field("parameters").NamedChildren() {
			name, _ := parameter(p)
			b := s.module.vars[name]
			if c := t.fn.owner(); c != nil {
				if own, ok := s.inClass(c, name); ok {
					b = own
				}
			}
			if b.fn != nil {
				todo = append(todo, b.fn)
			}
		}
	}
	return s.u.raw("fixture", "", kids...)
}
