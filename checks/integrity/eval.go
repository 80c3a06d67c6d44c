package integrity

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// maxInline bounds how deep helpers are entered, maxUnroll how often a loop
// body is repeated.
const (
	maxInline = 12
	maxUnroll = 64
)

// side is one revision of one file.
type side struct {
	u    *universe
	file *syntax.File
	// tested is the file whose tests are compared, which for a file of helpers is another.
	tested *syntax.File
	// closures are the functions behind terms, origin the place where a term was
	// first made.
	closures map[*term]*closure
	// shown are all functions behind a term, where equal ones were made more than once.
	shown  map[*term][]*closure
	origin map[*term]syntax.Node
	module *frame
	// classes are those of the side by the text of their terms, keys these texts by where
	// the class is defined, named how many of a name there are.
	classes map[string]*class
	keys    map[syntax.Node]string
	named   map[string]int
	order   []*class
	others  []*class // of files of helpers
	// known are the signatures of the harness, by the function's name, and of the ops, by
	// their full names; floats remembers what single32 says.
	known  map[string]*signature
	floats uint8
	// carries remembers what carried lists.
	carries *[]slot
	// opaque keeps calls of functions of the same file as calls, for comparing
	// files function by function; only these are entered.
	opaque bool
	enter  map[string]bool
	fnOf   map[closureKey]*term
	// unentered remembers the functions that are not entered.
	unentered map[syntax.Node]*term
	// added counts the lines up to each that the other revision does not have, once asked
	// for.
	added []int
	// stops are those of the last run of a test or function.
	stops []syntax.Node
	// helpers are functions of other files that are entered, by their full name.
	helpers map[string]*closure
	// generators remembers which functions yield.
	generators map[syntax.Node]bool
	// automatic remembers the fixtures of a scope that are used without being
	// named, in order; each test asks.
	automatic map[*frame][]string
	// records remembers what objects of a class hold, nil where that is not sure; tuples
	// are those that a NamedTuple made, with its fields.
	records map[*class]*record
	tuples  map[*term][]*record
	// taken is what decorators used, by definition; given counts the assignments.
	taken  map[syntax.Node][]taking
	given  map[takenName]int
	events []event // of the module and of class bodies
}

type closureKey struct {
	node  syntax.Node
	scope *frame
	self  *class
	bound bool
}

// closure is a function or lambda with what it can see.
type closure struct {
	node  syntax.Node
	scope *frame
	// class is the one that the function is written in, self that of the object.
	class, self *class
	// bound says that the first parameter is the object.
	bound bool
}

// binding is a name's value and where it was written.
type binding struct {
	t  *term
	at syntax.Node
	// fn is the function that the name holds, whose term is made on demand; with
	// t it is one that a decorator may have replaced.
	fn *closure
}

// frame is the names of one function, class or module.
type frame struct {
	run   *run
	vars  map[string]binding
	outer *frame
	// class is the class that the function is written in, self that of its object.
	class, self *class
	returns     []returned
	global      map[string]bool // names of the module that the function assigns to
	mark        int             // guards at entry
	entered     int             // alterations at entry
	// nonlocal are the functions around whose names the function assigns to.
	nonlocal map[string]*frame
	loop     *loop
	// within says that the frame is a comprehension's, captured that functions read its
	// names, maybe after it has ended.
	within, captured bool
}

// returned is a value that a function returns, and what it had altered till then.
type returned struct {
	way
	value *term
}

// guardKind says why a statement may not run.
type guardKind uint8

const (
	onCond   guardKind = iota + 1 // inside an if
	onTry                         // inside a try that swallows
	onWith                        // inside a with block
	onLoop                        // inside a loop
	onReturn                      // after a return, break or continue
	onSkip                        // after a skip
)

// guard is a condition under which a statement runs.
type guard struct {
	kind guardKind
	t    *term
	node syntax.Node
}

// passes reports whether a guard is a loop that may have no pass.
func (g guard) passes() bool {
	if g.kind != onLoop {
		return false
	}
	v, known := g.t.kids[0].truth()
	return g.t.is("for") || !known || !v
}

// exit is a path that ended before.
type exit struct {
	kind   guardKind
	guards []guard
	node   syntax.Node
	way    way // of a break or continue
}

// alteration is a name of a frame that a function which it called changed, with what
// it was.
type alteration struct {
	frame *frame
	name  string
	was   binding
}

// undo takes back the alterations from an index on and returns what they had made.
func (r *run) undo(from int) []alteration {
	list := slices.Clone(r.altered[from:])
	made := slices.Clone(list)
	for i, a := range list {
		made[i].was = a.frame.vars[a.name]
	}
	for _, a := range slices.Backward(list) {
		r.put(slot{a.frame, a.name}, a.was)
	}
	r.altered = r.altered[:from]
	return made
}

// redo makes what undo took back, each under the condition, if there is one.
func (r *run) redo(list []alteration, cond *term) {
	seen := map[*frame]map[string]bool{}
	for _, a := range list {
		if seen[a.frame][a.name] {
			continue
		}
		if seen[a.frame] == nil {
			seen[a.frame] = map[string]bool{}
		}
		seen[a.frame][a.name] = true
		next := a.was
		if cond != nil {
			next = a.frame.choose(cond, next, a.frame.vars[a.name])
		}
		r.alter(slot{a.frame, a.name}, next)
	}
}

// eventKind says what a test did.
type eventKind uint8

const (
	checked eventKind = iota + 1
	measured
	skipped
	xfailed
	effected
	stored
)

// event is something that a test does, and when.
type event struct {
	kind   eventKind
	t      *term
	guards []guard
	node   syntax.Node
	text   string // why it is skipped
	// places are where the arguments were written, by name.
	places map[string]syntax.Node
}

// run is one symbolic execution.
type run struct {
	s      *side
	events []event
	guards []guard
	exits  []exit
	fresh  map[*term]int
	depth  int
	active []syntax.Node
	// callers are the frames that called those that run, closed those that ended and whose
	// names functions still read, altered what functions changed in frames that are not
	// their own, in order.
	callers []*frame
	closed  []*frame
	altered []alteration
	// attempts are the try blocks that run.
	attempts []*attempt
	// ended is the number of guards under which the run ended for good, or -1.
	ended int
	// stops are the returns after which statements stand that did not run.
	stops []syntax.Node
}

func (s *side) newRun() *run { return &run{s: s, fresh: map[*term]int{}, ended: -1} }

func newSide(u *universe, f *syntax.File, known map[string]*signature) *side {
	return &side{
		u: u.side(), file: f, tested: f, closures: map[*term]*closure{}, shown: map[*term][]*closure{}, origin: map[*term]syntax.Node{},
		classes: map[string]*class{}, keys: map[syntax.Node]string{}, named: map[string]int{}, known: known, fnOf: map[closureKey]*term{}, helpers: map[string]*closure{}, generators: map[syntax.Node]bool{}, unentered: map[syntax.Node]*term{}, automatic: map[*frame][]string{}, records: map[*class]*record{}, tuples: map[*term][]*record{},
	}
}

// load executes the module's statements.
func (s *side) load() {
	r := s.newRun()
	s.module = &frame{run: r, vars: map[string]binding{}}
	s.module.block(s.file.Root())
	s.forgetFunctions()
	s.events = r.events
}

func (r *run) u() *universe { return r.s.u }

// made remembers where a term was first written.
func (r *run) made(t *term, n syntax.Node) *term {
	if _, ok := r.s.origin[t]; !ok && n.File() == r.s.file {
		r.s.origin[t] = n
	}
	return t
}

// push enters a condition and returns how to leave it.
func (r *run) push(kind guardKind, t *term, n syntax.Node) func() {
	depth := len(r.guards)
	r.u().spend(depth / 2)
	r.guards = append(slices.Clip(r.guards), guard{kind, t, n})
	return func() {
		r.guards = r.guards[:depth]
		if r.ended > depth {
			r.ended = -1
		}
	}
}

// path is the conditions under which the present statement runs; ok is false
// for a statement that never does.
func (r *run) path() (out []guard, ok bool) {
	n := len(r.guards) + len(r.exits)
	r.u().spend(n * n / 8)
	add := func(g guard) {
		parts := []*term{g.t}
		if g.t.is("and") && g.kind != onTry {
			parts = g.t.kids
		}
		for _, p := range parts {
			if v, known := p.truth(); known && v {
				continue
			}
			if !slices.ContainsFunc(out, func(o guard) bool { return o.t == p }) {
				out = append(out, guard{g.kind, p, g.node})
			}
		}
	}
	for _, g := range r.guards {
		add(g)
	}
	for _, e := range r.exits {
		var rest []*term
		for _, g := range e.guards {
			if !slices.ContainsFunc(out, func(o guard) bool { return o.t == g.t }) {
				rest = append(rest, g.t)
			}
		}
		t := r.u().not(r.u().and(rest...))
		if v, known := t.truth(); known && !v {
			return nil, false
		}
		add(guard{e.kind, t, e.node})
	}
	// Conditions that contradict each other are never met.
	for _, g := range out {
		not := r.u().not(g.t)
		if slices.ContainsFunc(out, func(o guard) bool { return o.t == not }) {
			return nil, false
		}
	}
	return out, true
}

func (r *run) record(kind eventKind, t *term, n syntax.Node, text string) {
	if guards, ok := r.path(); ok {
		r.events = append(r.events, event{kind: kind, t: t, guards: guards, node: n, text: text})
	}
}

// leave records that the path ends here.
func (r *run) leave(kind guardKind, n syntax.Node, from int) {
	guards := slices.DeleteFunc(slices.Clone(r.guards[from:]), func(g guard) bool { return g.kind == onWith || g.kind == onLoop && !g.passes() })
	if slices.ContainsFunc(guards, func(g guard) bool { return g.kind != onLoop }) {
		guards = slices.DeleteFunc(guards, func(g guard) bool { return g.kind == onLoop })
	}
	r.exits = append(r.exits, exit{kind: kind, guards: guards, node: n})
}

// skip ends the test.
func (r *run) skip(t *term, n syntax.Node, text string) {
	kind := skipped
	if t.last() == "xfail" {
		kind = xfailed
	}
	r.record(kind, t, n, text)
	r.leave(onSkip, n, 0)
	r.ended = len(r.guards)
}

// flow says how a block ended.
type flow uint8

const (
	goesOn flow = iota
	ends
)

// block executes the statements of a block.
func (f *frame) block(n syntax.Node) flow {
	list := n.NamedChildren()
	f.run.u().spend(len(list) / 8)
	for _, c := range list {
		if f.statement(c) == ends {
			if exits := f.run.exits; c.Next().Valid() && len(exits) > 0 && exits[len(exits)-1].node.Is("return_statement") {
				f.run.stops = append(f.run.stops, exits[len(exits)-1].node)
			}
			return ends
		}
		if f.run.ended >= 0 && f.run.ended <= len(f.run.guards) {
			return ends
		}
	}
	return goesOn
}

func (f *frame) statement(n syntax.Node) flow {
	r := f.run
	r.u().spend(1)
	switch n.Kind() {
	case "expression_statement":
		for _, c := range n.NamedChildren() {
			f.expressionStatement(c)
		}
	case "if_statement":
		return f.ifStatement(n)
	case "for_statement":
		return f.forStatement(n)
	case "while_statement":
		defer f.enterLoop()()
		done := r.push(onLoop, r.u().raw("while", "", f.repeated(n)), n)
		f.loopBody(n)
		done()
	case "try_statement":
		return f.tryStatement(n)
	case "with_statement":
		return f.withStatement(n)
	case "match_statement":
		return f.matchStatement(n)
	case "decorated_definition":
		f.define(n.Field("definition"), n)
	case "function_definition", "class_definition":
		f.define(n, n)
	case "return_statement":
		v := r.u().none
		if c := n.NamedChild(0); c.Valid() {
			v = f.eval(c)
		}
		f.returned(v, n)
		return ends
	case "raise_statement":
		return f.raise(n)
	case "assert_statement":
		f.assert(n)
	case "continue_statement", "break_statement":
		f.leaveLoop(n)
		return ends
	case "import_statement", "import_from_statement":
		f.imports(n)
	case "delete_statement":
		f.del(n)
	case "global_statement":
		if f.global == nil {
			f.global = map[string]bool{}
		}
		for _, name := range n.NamedChildren() {
			f.global[name.Text()] = true
		}
	case "nonlocal_statement":
		for _, name := range n.NamedChildren() {
			f.shareName(name.Text())
		}
	case "pass_statement", "comment", "future_import_statement":
	default:
		f.unfollowed(n)
	}
	return goesOn
}

// returned records a function's value.
func (f *frame) returned(v *term, n syntax.Node) {
	r := f.run
	cond := r.conditionSince(f.mark)
	for _, g := range r.guards[f.mark:] {
		if g.passes() {
			cond = r.u().and(cond, g.t) // a loop may have no pass
		}
	}
	f.returns = append(f.returns, returned{way{cond: cond, made: r.since(f.entered)}, f.kept(v)})
	r.leave(onReturn, n, f.mark)
}

// result is what a function returns, of its returns in order.
func (f *frame) result() *term {
	u := f.run.u()
	out := u.none
	for _, r := range slices.Backward(f.returns) {
		out = u.ite(r.cond, r.value, out)
	}
	return out
}

func (f *frame) raise(n syntax.Node) flow {
	what := n.NamedChild(0)
	if what.Valid() {
		t := f.eval(what)
		if call := t; call.is("call") {
			t = call.kids[0]
		}
		if name := t.last(); name == "SkipTest" || name == "Skipped" || t.is("sym") && strings.HasSuffix(t.text, "skip.Exception") {
			f.run.skip(t, n, "")
			return ends
		}
	}
	f.run.fail(n)
	// A test that raises fails: what follows is no weaker for it.
	return ends
}

// fail is a check that the condition around it does not hold. Raising again in
// a handler is none.
func (r *run) fail(n syntax.Node) {
	i := len(r.guards) - 1
	if i < 0 || r.guards[i].kind != onCond || slices.ContainsFunc(r.guards, func(g guard) bool { return g.t.is("raised") }) {
		return
	}
	all := r.guards
	r.guards = all[:i:i]
	r.record(checked, r.u().raw("assert", "", r.u().not(all[i].t)), n, "")
	r.guards = all
}

func (f *frame) del(n syntax.Node) {
	if f.outer == nil || f.class != nil && f.class.frame == f {
		list := n.NamedChildren()
		if n.NamedChild(0).Is("expression_list", "tuple", "list", "parenthesized_expression") {
			list = n.NamedChild(0).NamedChildren()
		}
		for _, t := range list {
			if t.Is("identifier") {
				delete(f.vars, t.Text())
			}
		}
	}
	targets := n.NamedChild(0).Find("subscript", "attribute")
	if len(targets) > 0 && targets[0].Is("subscript") && targets[0].NamedChild(0).Is("identifier") {
		if old := f.eval(targets[0].NamedChild(0)); old.is("list", "dict", "set") {
			f.mutated(targets[0].NamedChild(0).Text(), f.run.u().raw("mut", "del", old, f.eval(targets[0])), n)
		}
	}
	if len(targets) > 0 && f.foreign(f.eval(targets[0].NamedChild(0))) {
		f.run.record(stored, f.run.u().raw("del", "", f.eval(targets[0])), n, "")
	}
}

// assert is one check for each part of a conjunction.
func (f *frame) assert(n syntax.Node) {
	t := f.condition(n.NamedChild(0))
	parts := []*term{t}
	if t.is("and") {
		parts = t.kids
	}
	for _, p := range parts {
		if v, known := p.truth(); known && v {
			continue
		}
		f.run.record(checked, f.run.u().raw("assert", "", p), n, "")
	}
}

func (f *frame) ifStatement(n syntax.Node) flow {
	return f.branch(n, f.condition(n.Field("condition")), func() flow { return f.block(n.Field("consequence")) }, func() flow {
		alternatives := n.Fields("alternative")
		f.run.u().spend(len(alternatives) / 8)
		switch {
		case len(alternatives) == 0:
			return goesOn
		case alternatives[0].Is("elif_clause"):
			return f.elif(alternatives)
		}
		return f.block(alternatives[0].Field("body"))
	})
}

// elif executes the first of the alternatives of an if statement, and those after it.
func (f *frame) elif(alternatives []syntax.Node) flow {
	if len(alternatives) == 0 {
		return goesOn
	}
	first := alternatives[0]
	if first.Is("else_clause") {
		return f.block(first.Field("body"))
	}
	return f.branch(first, f.condition(first.Field("condition")),
		func() flow { return f.block(first.Field("consequence")) },
		func() flow { return f.elif(alternatives[1:]) })
}

// branch executes both sides of a condition and joins what they left.
func (f *frame) branch(n syntax.Node, cond *term, then, otherwise func() flow) flow {
	r := f.run
	if v, known := cond.truth(); known {
		if v {
			return then()
		}
		return otherwise()
	}
	before := f.copyVars()
	r.u().spend(3 * len(before)) // a copy for each side, and the join
	side := func(c *term, do func() flow) (map[string]binding, flow) {
		f.vars = copyOf(before)
		done := r.push(onCond, c, n)
		how := do()
		if r.ended >= 0 && r.ended <= len(r.guards) {
			how = ends
		}
		done()
		return f.vars, how
	}
	mark := len(r.altered)
	a, howA := side(cond, then)
	thenMade := r.undo(mark)
	b, howB := side(r.u().not(cond), otherwise)
	elseMade := r.undo(mark)
	switch {
	case howA == ends && howB == ends:
		f.vars = a
		r.redo(thenMade, nil)
		return ends
	case howA == ends:
		f.vars = b
		r.redo(elseMade, nil)
	case howB == ends:
		f.vars = a
		r.redo(thenMade, nil)
	default:
		f.vars = f.join(cond, a, b)
		r.redo(thenMade, cond)
		r.redo(elseMade, r.u().not(cond))
	}
	return goesOn
}

// copyVars is the names with what they hold. A copy costs as much as a step for each.
func (f *frame) copyVars() map[string]binding {
	f.run.u().spend(len(f.vars))
	return copyOf(f.vars)
}

func copyOf(m map[string]binding) map[string]binding {
	out := make(map[string]binding, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// join makes the names after a condition of those after its two sides.
func (f *frame) join(cond *term, a, b map[string]binding) map[string]binding {
	out := make(map[string]binding, len(a))
	var other []string
	for name, x := range a {
		if y, ok := b[name]; ok && (x == y || x.t != nil && x.t == y.t) {
			out[name] = x
		} else {
			other = append(other, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			other = append(other, name)
		}
	}
	slices.Sort(other)
	for _, name := range other {
		out[name] = f.choose(cond, a[name], b[name])
	}
	return out
}

func (f *frame) forStatement(n syntax.Node) flow {
	r := f.run
	iter := r.u().keyed(f.eval(n.Field("right")))
	defer f.enterLoop()()
	items, ok := r.u().ordered(iter)
	if !ok || !iter.concrete() || len(items) > maxUnroll {
		f.assign(n.Field("left"), r.u().raw("elem", "", iter), n.Field("right"))
		done := r.push(onLoop, r.u().raw("for", "", iter), n)
		f.loopBody(n)
		done()
		return goesOn
	}
	how := goesOn
	for _, item := range items {
		f.assign(n.Field("left"), item, n.Field("right"))
		if how = f.pass(n); how == ends {
			break
		}
	}
	if last := n.Field("alternative"); last.Valid() && how == goesOn {
		how = f.block(last.Field("body"))
	}
	return f.joinExits(f.loop.exits, "break_statement", how)
}

// pass executes a loop's body once; how it ends is how all ways through it end that do
// not go on with continue.
func (f *frame) pass(n syntax.Node) flow {
	start := len(f.run.exits)
	return f.joinExits(start, "continue_statement", f.block(n.Field("body")))
}

// keepExits forgets exits of the kinds from an index on.
func keepExits(exits []exit, from int, kinds ...string) []exit {
	return append(slices.Clone(exits[:from]), slices.DeleteFunc(slices.Clone(exits[from:]), func(e exit) bool { return e.node.Is(kinds...) })...)
}

// loopBody executes a loop's body once; names that it changes hold something
// that depends on the loop.
func (f *frame) loopBody(n syntax.Node) {
	r := f.run
	before := f.copyVars()
	f.loop.guards = len(r.guards)
	f.pass(n)
	depends := func(vars map[string]binding) {
		var changed []string
		for name, b := range vars {
			if old, ok := before[name]; ok && old != b {
				changed = append(changed, name)
			}
		}
		slices.Sort(changed)
		for _, name := range changed {
			b := vars[name]
			vars[name] = binding{t: r.made(r.u().raw("loop", "", f.value(before[name]), f.value(b)), b.at), at: b.at}
		}
	}
	depends(f.vars)
	for _, e := range r.exits[f.loop.exits:] {
		if e.node.Is("break_statement") && e.way.vars != nil {
			depends(e.way.vars)
		}
	}
	if last := n.Field("alternative"); last.Valid() {
		f.block(last.Field("body"))
	}
	f.joinExits(f.loop.exits, "break_statement", goesOn)
}

// repeated is the condition of a while loop as each pass evaluates it: a name
// that the body assigns does not hold what it starts with.
func (f *frame) repeated(n syntax.Node) *term {
	before := f.copyVars()
	f.run.u().read(n.Field("body"))
	for _, a := range n.Field("body").Find("assignment", "augmented_assignment") {
		name := a.Field("left").Text()
		if b, ok := before[name]; ok {
			f.vars[name] = binding{t: f.run.u().raw("carried", "", f.value(b)), at: b.at}
		}
	}
	start := f.copyVars()
	cond := f.condition(n.Field("condition"))
	for _, name := range sortedKeys(f.vars) {
		if b := f.vars[name]; b != start[name] {
			before[name] = b // which the condition itself assigns
		}
	}
	f.vars = before
	return cond
}

func (f *frame) tryStatement(n syntax.Node) flow {
	r := f.run
	var swallow []*term
	type handler struct {
		types *term
		body  syntax.Node
		name  syntax.Node
	}
	var handlers []handler
	var orElse, finally syntax.Node
	for c := range n.Children() {
		switch c.Kind() {
		case "except_clause", "except_group_clause":
			h := handler{types: r.u().raw("sym", "BaseException"), body: c.ChildOf("block")}
			for _, k := range c.NamedChildren() {
				if k.Is("as_pattern") {
					h.name = k.Field("alias").NamedChild(0)
					k = k.NamedChild(0)
				}
				if k != h.body && !k.Is("as_pattern_target") && k != h.name {
					h.types = f.eval(k)
					break
				}
			}
			handlers = append(handlers, h)
			r.u().read(h.body)
			if !raises(h.body) {
				swallow = append(swallow, h.types)
			}
		case "else_clause":
			orElse = c.Field("body")
		case "finally_clause":
			finally = c.ChildOf("block")
		}
	}
	leave := func() {}
	if len(swallow) > 0 {
		leave = r.push(onTry, r.u().raw("try", "", swallow...), n)
	}
	tried := f.tried(n.Field("body"))
	returns, exits := len(f.returns), len(r.exits)
	var rescues []rescue
	for _, h := range handlers {
		rescues = append(rescues, rescue{r.u().raw("raised", "", h.types, tried), func() flow {
			if h.name.Valid() {
				f.set(h.name.Text(), binding{t: r.u().raw("exception", "", h.types), at: h.name})
			}
			return f.block(h.body)
		}})
	}
	how := f.rescued(n, n.Field("body"), orElse, leave, rescues)
	if finally.Valid() && f.always(finally, returns, exits) == ends {
		return ends
	}
	return how
}

// tried is the first function that a try block calls, for telling handlers
// apart.
func (f *frame) tried(body syntax.Node) *term {
	f.run.u().read(body)
	for _, call := range body.Find("call") {
		fn := call.Field("function")
		if syntax.PyDotted(fn) == "" {
			continue
		}
		callee := f.eval(fn)
		if name := syntax.PyArg(call, "backend", 0); callee.last() == "set_backend" && name.Is("identifier", "string") {
			return f.run.u().raw("call", "", callee, f.eval(name))
		}
		return callee
	}
	return f.run.u().none
}

// raises reports whether a handler always raises again or ends the test; a skip
// there is an event of its own.
func raises(body syntax.Node) bool {
	list := body.NamedChildren()
	if len(list) == 0 || slices.ContainsFunc(list[:len(list)-1], func(n syntax.Node) bool { return len(n.Find("return_statement")) > 0 }) {
		return false
	}
	last := list[len(list)-1]
	if last.Is("raise_statement") {
		return true
	}
	if call := last.NamedChild(0); last.Is("expression_statement") && call.Is("call") && !strings.Contains(syntax.PyDotted(call.Field("function")), "mark.") {
		switch syntax.PyName(call.Field("function")) {
		case "skip", "skipTest", "xfail", "fail":
			return true
		}
	}
	return false
}

// harmlessWith are contexts that change nothing of what is compared.
var harmlessWith = map[string]bool{"subTest": true, "catch_warnings": true, "device": true, "nvtx_range": true, "range": true, "record_function": true}

// swallows reports whether a context may end with an exception that was raised in it:
// those that are there for that, and those of the file.
func swallows(g guard) bool {
	t := g.t.kids[0]
	if t.is("call") {
		t = t.kids[0]
	}
	switch t.last() {
	case "suppress", "raises", "assertRaises", "assertRaisesRegex", "deprecated_call", "warns":
		return true
	}
	return t.is("class", "closed", "fn")
}

func (f *frame) withStatement(n syntax.Node) flow {
	r := f.run
	depth := len(r.guards)
	for _, item := range n.ChildOf("with_clause").Find("with_item") {
		if item.Ancestor("with_statement") != n {
			continue
		}
		value := item.Field("value")
		var target syntax.Node
		if value.Is("as_pattern") {
			target = value.Field("alias").NamedChild(0)
			value = value.NamedChild(0)
		}
		t := f.eval(value)
		if target.Valid() {
			f.assign(target, r.u().raw("entered", "", t), value)
		}
		head := t
		if head.is("call") {
			head = head.kids[0]
		}
		if !harmlessWith[head.last()] {
			kind := onWith
			if head.last() == "suppress" {
				kind = onTry
			}
			r.guards = append(slices.Clip(r.guards), guard{kind, r.u().raw("with", "", t), item})
		}
	}
	var rescues []rescue
	for _, g := range r.guards[depth:] {
		if swallows(g) {
			rescues = append(rescues, rescue{r.u().raw("raised", "", g.t), func() flow { return goesOn }})
		}
	}
	how := f.rescued(n, n.Field("body"), syntax.Node{}, func() {}, rescues)
	if r.ended >= 0 && r.ended > depth {
		// The block ended the run whatever the context is, unless it swallows.
		r.ended = depth
	}
	r.guards = r.guards[:depth]
	return how
}

// define binds a function or class.
func (f *frame) define(n, whole syntax.Node) {
	name := n.Field("name").Text()
	f.take(n)
	if n.Is("class_definition") {
		c := f.defineClass(n)
		f.set(name, binding{t: c.term, at: n})
		c.frame.block(n.Field("body"))
		return
	}
	if n.Is("function_definition") {
		f.captured = true
		cl := &closure{node: n, scope: f, class: f.class}
		b := binding{at: n, fn: cl}
		for _, d := range syntax.PyDecorators(n) {
			switch {
			case d.Text() == "property":
				b = binding{t: f.run.u().raw("property", name, f.fnTerm(cl)), at: n}
			case f.wraps(d):
				b = binding{t: f.run.u().raw("decorated", "", f.eval(d), f.fnTerm(cl)), at: n, fn: cl}
			}
		}
		f.set(name, b)
	}
}

// wraps reports whether a decorator may change what a helper does.
func (f *frame) wraps(d syntax.Node) bool {
	if d.Is("call") {
		d = d.Field("function")
	}
	switch syntax.PyName(d) {
	case "staticmethod", "classmethod", "fixture", "property", "wraps", "lru_cache", "cache", "parametrize", "skip", "skipif", "xfail", "no_grad", "inference_mode", "dataclass", "contextmanager":
		return false
	}
	return !strings.HasPrefix(syntax.PyDotted(d), "pytest.")
}

func (f *frame) imports(n syntax.Node) {
	set := func(local, dotted string, at syntax.Node) {
		f.set(local, binding{t: f.run.u().sym(canonical(dotted)), at: at})
	}
	module := n.Field("module_name")
	for _, name := range n.Fields("name") {
		switch {
		case name.Is("aliased_import"):
			dotted := name.Field("name").Squeeze()
			if module.Valid() {
				dotted = join(module.Squeeze(), dotted)
			}
			set(name.Field("alias").Text(), dotted, name)
		case module.Valid():
			set(name.Squeeze(), join(module.Squeeze(), name.Squeeze()), name)
		default:
			first, _, _ := strings.Cut(name.Squeeze(), ".")
			set(first, first, name)
		}
	}
}

func join(module, name string) string {
	if strings.HasSuffix(module, ".") {
		return module + name
	}
	return module + "." + name
}

// shareName makes a name of the function around the frame one that the frame assigns to.
func (f *frame) shareName(name string) {
	for at := f.outer; at != nil && at.outer != nil; at = at.outer {
		if _, ok := at.vars[name]; ok && (at.class == nil || at.class.frame != at) {
			if f.nonlocal == nil {
				f.nonlocal = map[string]*frame{}
			}
			if owner := at.nonlocal[name]; owner != nil {
				at = owner
			}
			f.nonlocal[name] = at
			return
		}
	}
}

// lookup finds a name.
func (f *frame) lookup(name string) (binding, bool) {
	for at := f; at != nil; at = at.outer {
		// The names of a class are not visible in its methods.
		if at != f && at.class != nil && at.class.frame == at {
			continue
		}
		if b, ok := at.vars[name]; ok {
			return b, true
		}
	}
	return binding{}, false
}

// value is the term of a binding.
func (f *frame) value(b binding) *term {
	if b.t == nil {
		return f.fnTerm(b.fn)
	}
	return b.t
}

// where is the place at which the value of an expression was written.
func (f *frame) where(n syntax.Node) syntax.Node {
	if n.Is("identifier") {
		if b, ok := f.lookup(n.Text()); ok && b.at.Valid() && b.at.File() == f.run.s.file {
			return b.at
		}
	}
	if n.Is("parenthesized_expression") {
		return f.where(n.NamedChild(0))
	}
	return n
}

// assign binds a target.
func (f *frame) assign(target syntax.Node, v *term, at syntax.Node) {
	u := f.run.u()
	switch target.Kind() {
	case "identifier":
		f.set(target.Text(), binding{t: v, at: f.where(at)})
		f.gives(target.Text())
		if f.global[target.Text()] {
			f.run.record(stored, u.raw("store", "global "+target.Text(), v), target.Parent(), "")
		}
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list":
		v = u.keyed(v)
		targets := slices.DeleteFunc(target.NamedChildren(), syntax.Node.IsComment)
		if i := slices.IndexFunc(targets, func(t syntax.Node) bool { return t.Is("list_splat_pattern", "list_splat") }); i >= 0 {
			f.assignStar(targets, i, v, at)
			return
		}
		for i, t := range targets {
			item := u.raw("item", strconv.Itoa(i), v)
			if v.is("list", "tuple") && v.concrete() && i < len(v.kids) {
				item = v.kids[i]
			} else if v.is("call", "fresh", "sym", "attr", "param", "ite") {
				item = u.subscript(v, u.int(int64(i)))
			}
			f.assign(t, item, at)
		}
	case "attribute":
		f.store(target, "."+target.Field("attribute").Text(), nil, v, at)
	case "subscript":
		var idx []*term
		for _, s := range target.Fields("subscript") {
			idx = append(idx, f.eval(s))
		}
		key := u.raw("tuple", "", idx...)
		if len(idx) == 1 {
			key = idx[0]
		}
		f.store(target, "[]", key, v, at)
	}
}

// assignStar binds targets of which the one at an index takes what the others leave.
func (f *frame) assignStar(targets []syntax.Node, star int, v *term, at syntax.Node) {
	u := f.run.u()
	after := len(targets) - star - 1
	known := v.is("list", "tuple") && v.concrete() && len(v.kids) >= star+after
	for i, t := range targets {
		var item *term
		switch {
		case known && i == star:
			item = u.raw("list", "", v.kids[star:len(v.kids)-after]...)
		case known && i < star:
			item = v.kids[i]
		case known:
			item = v.kids[len(v.kids)-len(targets)+i]
		case i == star:
			item = u.raw("rest", strconv.Itoa(star)+" "+strconv.Itoa(after), v)
		case i < star:
			item = u.raw("item", strconv.Itoa(i), v)
		default:
			item = u.raw("item", strconv.Itoa(i-len(targets)), v)
		}
		if i == star {
			t = t.NamedChild(0)
		}
		f.assign(t, item, at)
	}
}

// foreign reports whether an object is none that the test made: a module, a
// class, the environment.
func (f *frame) foreign(t *term) bool {
	switch t.op {
	case "sym":
		return t.text != "self" && t.text != "cls"
	case "class":
		return true
	case "call":
		return namespace(t)
	case "attr", "index":
		return f.foreign(t.kids[0])
	case "store":
		return f.foreign(t.kids[0])
	}
	return false
}

// maxStored bounds the entries up to which a dictionary that is filled one by one is
// known entry by entry.
const maxStored = 256

// store changes an attribute or an element of what a name holds.
func (f *frame) store(target syntax.Node, text string, key, v *term, at syntax.Node) {
	u := f.run.u()
	object := target.NamedChild(0)
	old := f.eval(object)
	kids := []*term{old, v}
	if key != nil {
		kids = []*term{old, key, v}
	}
	next := u.raw("store", text, kids...)
	if old.is("dict") && text == "[]" && key.constant && len(old.kids) < maxStored {
		next = u.dict(append(slices.Clone(old.kids), u.raw("pair", "", key, v)))
	}
	f.run.made(next, at)
	if f.foreign(old) || old.is("sym") && isCheck(strings.TrimPrefix(text, ".")) {
		f.run.record(stored, next, target.Parent(), "")
		if !object.Is("identifier") {
			return
		}
	}
	switch object.Kind() {
	case "identifier":
		b, _ := f.lookup(object.Text())
		f.share(old, b.at, at, func(t *term) *term {
			if t == old {
				return next
			}
			return u.raw("store", "view", t, next)
		})
		f.rebind(object.Text(), next, at)
	case "attribute":
		f.store(object, "."+object.Field("attribute").Text(), nil, next, at)
	case "subscript":
		f.assign(object, next, at)
	case "call":
		f.overwrite(object, at, func(old *term) *term { return u.raw("store", "view", old, next) })
	}
}

// rebind gives a name that is visible a new value.
func (f *frame) rebind(name string, t *term, at syntax.Node) {
	f.set(name, binding{t: t, at: at})
}

// mutated gives a name whose object was changed in place its new value, and the others
// of that object theirs: while the module is imported, where the name is defined.
func (f *frame) mutated(name string, t *term, at syntax.Node) {
	b, ok := f.lookup(name)
	if ok && b.t != nil && b.at.Valid() {
		f.share(b.t, b.at, at, func(old *term) *term {
			if old == b.t {
				return t
			}
			return f.run.u().raw("mut", "part", old, t)
		})
	}
	owner := f
	if s := f.run.s; s.module != nil && f.run == s.module.run {
		for o := f; o != nil; o = o.outer {
			if _, ok := o.vars[name]; ok {
				owner = o
				break
			}
		}
	}
	owner.set(name, binding{t: t, at: at})
}

func (f *frame) expressionStatement(n syntax.Node) {
	r := f.run
	switch n.Kind() {
	case "assignment":
		right := n.Field("right")
		if !right.Valid() {
			return
		}
		if right.Is("assignment") { // a = b = value
			f.expressionStatement(right)
			inner := right
			for inner.Field("right").Is("assignment") {
				inner = inner.Field("right")
			}
			right = inner.Field("right")
		}
		if right.Is("lambda") && n.Field("left").Is("identifier") {
			f.set(n.Field("left").Text(), binding{at: right, fn: &closure{node: right, scope: f.seen(right)}})
			return
		}
		f.assign(n.Field("left"), f.eval(right), right)
	case "augmented_assignment":
		op := strings.TrimSuffix(n.Field("operator").Text(), "=")
		left := n.Field("left")
		old, with := f.eval(left), f.eval(n.Field("right"))
		v := r.made(r.u().bin(op, old, with), n)
		if left.Is("identifier") && tensor(old) {
			b, _ := f.lookup(left.Text())
			f.share(old, b.at, n, func(t *term) *term { return r.u().bin(op, t, with) })
		}
		if left.Is("identifier") {
			f.set(left.Text(), binding{t: v, at: n})
			return
		}
		f.assign(left, v, n)
	case "call":
		f.callStatement(n)
	case "await", "yield":
		f.eval(n)
	case "string", "concatenated_string", "ellipsis", "identifier", "comment":
	default:
		f.eval(n)
	}
}

// harmless are calls whose presence or absence changes nothing of what a test
// compares.
var harmless = map[string]bool{
	"print": true, "collect": true, "empty_cache": true, "synchronize": true, "reset_peak_memory_stats": true,
	"debug": true, "info": true, "warning": true, "warn": true, "cuda_clearCublasWorkspaces": true, "flush": true,
	"_cuda_clearCublasWorkspaces": true, "ipc_collect": true, "addinivalue_line": true, "filterwarnings": true, "simplefilter": true,
}

// callStatement is a call for its effect.
func (f *frame) callStatement(n syntax.Node) {
	r := f.run
	before := len(r.events)
	t, entered := f.call(n)
	if entered || !t.is("call", "fresh") {
		return
	}
	fn := t
	if fn.is("fresh") {
		fn = fn.kids[0]
	}
	callee := fn.kids[0]
	name := callee.last()
	// A method may change the object that a name holds.
	if target := n.Field("function"); target.Is("attribute") && callee.is("attr") {
		object := target.Field("object")
		if object.Is("identifier") && !f.foreign(callee.kids[0]) && object.Text() != "self" {
			list := f.listMethod(callee.kids[0], name, fn.kids[1:])
			if list == nil {
				list = f.run.u().dictMethod(callee.kids[0], name, fn.kids[1:])
			}
			if list != nil {
				f.mutated(object.Text(), list, n)
				return
			}
			if !inPlace(name) && !harmless[name] && !isCheck(name) && !isMeasure(name) && !isOption(name) {
				f.mutated(object.Text(), r.made(r.u().raw("mut", name, append([]*term{callee.kids[0]}, fn.kids[1:]...)...), n), n)
			}
		}
	}
	if len(r.events) > before || harmless[name] {
		return // the call recorded what it is
	}
	r.record(effected, t, n, "")
}

// dictMethod is a dictionary after setdefault and the like.
func (u *universe) dictMethod(d *term, name string, args []*term) *term {
	if !d.is("dict") || !d.concrete() || len(d.kids) > maxStored {
		return nil
	}
	switch {
	case name == "setdefault" && len(args) == 2 && args[0].constant && !args[1].is("kw", "star", "dstar"):
		if u.entry(d, args[0]) != nil {
			return d
		}
		if slices.ContainsFunc(d.kids, func(p *term) bool { return !differ(p.kids[0], args[0]) }) {
			return nil
		}
		return u.dict(append(slices.Clone(u.inserted(d)), u.raw("pair", "", args[0], args[1])))
	case name == "update" && len(args) > 0:
		pairs := slices.Clone(u.inserted(d))
		for i, a := range args {
			switch {
			case a.is("kw"):
				pairs = append(pairs, u.raw("pair", "", u.str(a.text), a.kids[0]))
			case i == 0 && a.is("dict") && a.concrete():
				pairs = append(pairs, u.inserted(a)...)
			default:
				return nil
			}
		}
		return u.dict(pairs)
	}
	return nil
}

// inserted are the pairs of a dictionary in their order, where that is known.
func (u *universe) inserted(d *term) []*term {
	if pairs := u.orders[d]; len(pairs) == len(d.kids) {
		return pairs
	}
	return d.kids
}

// listMethod is a list after append and the like.
func (f *frame) listMethod(list *term, name string, args []*term) *term {
	if !list.is("list") || len(list.kids) > maxElements || slices.ContainsFunc(args, func(a *term) bool { return a.is("kw", "star", "dstar") }) {
		return nil
	}
	if name == "insert" && len(args) == 2 {
		i, ok := args[0].integer()
		if !ok {
			return nil
		}
		n := int64(len(list.kids))
		if i < 0 {
			i += n
		}
		return f.run.u().raw("list", "", slices.Insert(slices.Clone(list.kids), int(min(max(i, 0), n)), args[1])...)
	}
	if len(args) != 1 {
		return nil
	}
	switch name {
	case "append":
		return f.run.u().raw("list", "", append(slices.Clone(list.kids), args[0])...)
	case "extend":
		if args[0].is("list", "tuple") && len(list.kids)+len(args[0].kids) <= maxElements {
			return f.run.u().raw("list", "", append(slices.Clone(list.kids), args[0].kids...)...)
		}
	case "remove":
		if i := slices.Index(list.kids, args[0]); i >= 0 {
			return f.run.u().raw("list", "", slices.Delete(slices.Clone(list.kids), i, i+1)...)
		}
	}
	return nil
}
