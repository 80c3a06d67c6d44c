package integrity

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// role is what a function of the harness is for.
type role uint8

const (
	noRole    role = iota
	comparing      // decides whether two values agree
	timing         // measures
	seeding        // sets up a test
	hooking        // is called by pytest
	helping        // is called by tests
)

var roleKind = map[role]Kind{comparing: Checks, timing: Measuring, seeding: Inputs, hooking: Collection, helping: Inputs}

var roleText = map[role]string{
	comparing: "how the harness compares was rewritten",
	timing:    "how the harness measures was rewritten",
	seeding:   "what the harness sets up before a test was rewritten",
	hooking:   "what the harness does when pytest calls it was rewritten",
	helping:   "a helper that the tests use was rewritten",
}

// roleOf tells a function's role by its name.
func roleOf(name string, def syntax.Node) role {
	lower := strings.ToLower(name)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(lower, w) })
	}
	switch {
	case strings.HasPrefix(name, "pytest_"):
		return hooking
	case isCheck(name) || has("toleranc", "close"):
		return comparing
	case has("bench", "profile", "timing", "cupti", "kineto", "warmup"):
		return timing
	case strings.EqualFold(name, "setup") || has("setup_", "seed"), fixtureOf(def).Valid():
		return seeding
	}
	return noRole
}

// hash is a digest of a node's code in 128 bits: a waiver for one construct must not
// cover another one that was written to have the same.
func hash(n syntax.Node) string { return digest(n)[:32] }

// digest is the whole of the hash, which nobody finds another source for.
func digest(n syntax.Node) string {
	sum := sha256.Sum256([]byte(n.Squeeze()))
	return hex.EncodeToString(sum[:])
}

// member is a function of a harness file under its qualified name.
type member struct {
	name string
	fn   *closure
}

func (s *side) members() map[string]member {
	out := map[string]member{}
	add := func(prefix string, f *frame, c *class) {
		for name, b := range f.vars {
			if b.fn != nil && b.fn.node.Is("function_definition") {
				fn := *b.fn
				fn.class = c
				fn.bound = c != nil && !decorated(fn.node, "staticmethod")
				out[prefix+name] = member{name, &fn}
			}
		}
	}
	add("", s.module, nil)
	for _, c := range s.order {
		add(c.name+".", c.frame, c)
	}
	return out
}

// harnessFile compares a file of the harness function by function. used holds
// the names that tests use, requested those of the fixtures that they ask for.
func (c *comparison) harnessFile(used, requested map[string]bool) {
	c.base.opaque, c.head.opaque = true, true
	c.base.load()
	c.head.load()
	c.fallback = firstStatement(c.head.file)
	old, now := c.base.members(), c.head.members()
	c.base.enter, c.head.enter = missing(old, now), missing(now, old)
	c.module()
	roles := c.roles(old, now, used)
	for _, name := range sortedKeys(old) {
		r := roles[old[name].name]
		if r == noRole {
			continue
		}
		h, ok := now[name]
		if !ok {
			if !c.base.enter[old[name].name] || r == comparing || r == timing {
				c.add(roleKind[r], firstStatement(c.head.file), "function gone "+name, "%s: `%s` is gone from this file; a maintainer must look", roleText[r], name)
			}
			continue
		}
		c.member(name, old[name].fn, h.fn, r)
	}
	c.variables(used)
	for _, name := range sortedKeys(now) {
		if _, had := old[name]; !had {
			c.newMember(name, now[name])
			c.newFixture(now[name].fn, requested)
		}
	}
}

// variables compares the values of the file that tests use by name.
func (c *comparison) variables(used map[string]bool) {
	for _, name := range sortedKeys(c.base.module.vars) {
		old, now := c.base.module.vars[name], c.head.module.vars[name]
		if old.t == nil || now.t == nil || old.t == now.t || !used[name] || old.t.is("class", "sym") {
			continue
		}
		c.fallback = now.at
		construct := "variable " + name + " " + textOf(now.at)
		lo, _, okOld := interval(old.t)
		_, hi, okNow := interval(now.t)
		switch {
		case c.limitsOf(old.t, now.t):
		case okOld && okNow && isTolerance(strings.ToLower(name)):
			if hi > lo {
				c.add(Tolerance, now.at, construct, "the limit `%s`, which tests use, is looser: %s became %s", name, quote(show(old.t)), quote(show(now.t)))
			}
		case old.t.is("list", "tuple", "set") && now.t.is("list", "tuple", "set"):
			for _, k := range old.t.kids {
				if !slices.Contains(now.t.kids, k) {
					c.add(Cases, now.at, construct+" "+show(k), "%s is gone from `%s`, which tests use", quote(show(k)), name)
				}
			}
		default:
			c.add(Inputs, now.at, construct, "`%s`, which tests use, is another: a maintainer must look", name)
		}
	}
}

// missing are the names of functions that the other side does not have.
func missing(have, other map[string]member) map[string]bool {
	out := map[string]bool{}
	for name, m := range have {
		if _, ok := other[name]; !ok {
			out[m.name] = true
		}
	}
	return out
}

// roles gives each function its role, and those that it calls the same.
func (c *comparison) roles(old, now map[string]member, used map[string]bool) map[string]role {
	out := map[string]role{}
	calls := map[string][]string{}
	for _, list := range []map[string]member{old, now} {
		for _, key := range sortedKeys(list) {
			m := list[key]
			if r := roleOf(m.name, m.fn.node); r != noRole {
				out[m.name] = r
			} else if used[m.name] && out[m.name] == noRole {
				out[m.name] = helping
			}
			for _, id := range m.fn.node.Field("body").Find("identifier") {
				if id.Text() == "add_argument" {
					out[m.name] = seeding // the options that tests read
				}
				calls[m.name] = append(calls[m.name], id.Text())
			}
		}
	}
	todo := sortedKeys(out)
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		for _, callee := range calls[name] {
			if _, known := calls[callee]; known && out[callee] == noRole {
				out[callee] = out[name]
				todo = append(todo, callee)
			}
		}
	}
	return out
}

// member compares one function of the harness.
func (c *comparison) member(name string, b, h *closure, r role) {
	c.fallback = h.node.Field("name")
	before, was, okB := c.base.runMember(b, syntax.Node{})
	after, is, okH := c.head.runMember(h, b.node)
	if !okB || !okH {
		if b.node.Squeeze() != h.node.Squeeze() {
			c.rewritten(name, h, r, c.fallback)
		}
		return
	}
	before, after = c.options(before, after)
	if slices.Equal(mapEvents(c.u, before), mapEvents(c.u, after)) && was == is && c.sameDefaults(b, h) {
		return
	}
	from := len(c.order)
	c.events(before, after, testCase{}, &testFn{key: name, name: c.fallback})
	if c.stopped(from) && c.sameDefaults(b, h) {
		return // the function's value is another for the same reason
	}
	if was != is && !c.limitsOf(was, is) || !c.sameDefaults(b, h) {
		c.rewritten(name, h, r, c.firstNew(before, after, was, is))
	} else if from == len(c.order) && was == is && !slices.Equal(significantEvents(c.u, before), significantEvents(c.u, after)) {
		c.rewritten(name, h, r, c.firstNew(before, after, was, is))
	}
	for _, p := range c.order[from:] {
		if r == timing || r == hooking {
			p.Kind = roleKind[r]
		}
	}
}

// significantEvents are what a function does, without new calls that change
// nothing.
func significantEvents(u *universe, events []event) []*term {
	return mapEvents(u, slices.DeleteFunc(slices.Clone(events), func(e event) bool { return e.kind == effected && harmless[calleeName(e.t)] }))
}

func (c *comparison) rewritten(name string, h *closure, r role, at syntax.Node) {
	c.add(roleKind[r], at, "rewritten "+name+" "+hash(h.node), "%s: `%s`; a maintainer must look", roleText[r], name)
}

// firstNew is the first place of a function that does something else.
func (c *comparison) firstNew(before, after []event, was, is *term) syntax.Node {
	old := mapEvents(c.u, before)
	for i, t := range mapEvents(c.u, after) {
		if !slices.Contains(old, t) {
			return after[i].node
		}
	}
	if was != is {
		if at := c.causes(was, is)[0].at; at.Valid() && at.Inside(c.fallback.Parent()) {
			return at
		}
	}
	return c.fallback
}

// sameDefaults reports whether the parameters of the base have their defaults.
func (c *comparison) sameDefaults(b, h *closure) bool {
	defaults := func(fn *closure) map[string]*term {
		out := map[string]*term{}
		for _, p := range fn.node.Field("parameters").NamedChildren() {
			if name, def := parameter(p); def.Valid() {
				out[name] = fn.defaultOf(def)
			}
		}
		return out
	}
	x, y := defaults(b), defaults(h)
	for name, t := range x {
		if y[name] != nil && y[name] != t {
			return false
		}
	}
	return true
}

// runMember runs a function for symbols. Parameters that old does not have get
// their defaults.
func (s *side) runMember(fn *closure, old syntax.Node) ([]event, *term, bool) {
	r := s.newRun()
	f := &frame{run: r, vars: map[string]binding{}, outer: s.module}
	had := map[string]bool{}
	if old.Valid() {
		for _, p := range old.Field("parameters").NamedChildren() {
			name, _ := parameter(p)
			had[name] = true
		}
	}
	var args []argument
	for i, p := range fn.node.Field("parameters").NamedChildren() {
		name, def := parameter(p)
		switch {
		case name == "" || i == 0 && fn.bound:
		case old.Valid() && !had[name] && def.Valid():
		default:
			op := "param"
			if strings.HasPrefix(fn.node.Field("name").Text(), "pytest_") {
				op = "sym" // pytest's own objects, which outlive the call
			}
			args = append(args, argument{s.u.raw("kw", name, s.u.raw(op, name)), p})
		}
	}
	v, ok := f.enterCall(fn, args)
	s.stops = r.stops
	return r.events, v, ok
}

// optionKinds are the options of the configuration that decide what tests do.
var optionKinds = map[string]Kind{
	"--seed": Inputs, "--warmup": Measuring, "--rep": Measuring, "--min-rep": Measuring, "--initial-rep": Measuring,
	"--cupti": Measuring, "--cudagraph": Measuring, "--mode": Measuring, "--fields": Measuring,
}

// options compares the definitions of options and returns the other events.
func (c *comparison) options(before, after []event) (x, y []event) {
	read := func(events []event) (map[string]event, []event) {
		found, rest := map[string]event{}, []event(nil)
		for _, e := range events {
			if name := calleeName(e.t); isOption(name) && len(e.t.kids) > 1 && e.t.kids[1].is("str") {
				found[e.t.kids[1].text] = e
				continue
			}
			rest = append(rest, e)
		}
		return found, rest
	}
	def := func(e event) *term {
		for _, k := range e.t.kids {
			if k.is("kw") && k.text == "default" {
				return k.kids[0]
			}
		}
		return c.u.none
	}
	old, restOld := read(before)
	now, restNow := read(after)
	for _, name := range sortedKeys(old) {
		kind := optionKinds[name]
		h, ok := now[name]
		if kind == 0 || !ok || def(old[name]) == def(h) {
			continue
		}
		at := h.node
		if p := h.places["default"]; p.Valid() {
			at = p
		}
		c.add(kind, at, "option "+name+" "+show(def(h)), "the default of `%s` became %s, it was %s", name, quote(show(def(h))), quote(show(def(old[name]))))
	}
	return restOld, restNow
}

// limitsOf compares two values that differ in tolerances only, and reports
// those that are looser. It returns false when they differ in anything else.
func (c *comparison) limitsOf(x, y *term) bool {
	type change struct {
		name     string
		old, now *term
		at       syntax.Node
	}
	var changes []change
	var same func(x, y *term) bool
	same = func(x, y *term) bool {
		c.u.spend(1)
		if x == y {
			return true
		}
		if x.is("dict") && y.is("dict") {
			for _, p := range x.kids {
				i := slices.IndexFunc(y.kids, func(q *term) bool { return q.is("pair") && p.is("pair") && q.kids[0] == p.kids[0] })
				if i < 0 {
					return false
				}
				q := y.kids[i]
				if key := p.kids[0]; key.is("str") && isTolerance(key.text) && numeric(p.kids[1]) && numeric(q.kids[1]) {
					if p != q {
						changes = append(changes, change{key.text, p.kids[1], q.kids[1], c.head.origin[q]})
					}
					continue
				}
				if !same(p.kids[1], q.kids[1]) {
					return false
				}
			}
			return true
		}
		if x.op != y.op || x.text != y.text || len(x.kids) != len(y.kids) || len(x.kids) == 0 {
			return false
		}
		for i := range x.kids {
			if !same(x.kids[i], y.kids[i]) {
				return false
			}
		}
		return true
	}
	if !same(x, y) {
		return false
	}
	for _, ch := range changes {
		lo, _, _ := interval(ch.old)
		_, hi, _ := interval(ch.now)
		if hi > lo {
			c.add(Tolerance, ch.at, ch.name+" "+show(ch.old)+" "+show(ch.now), "the default `%s` is looser: %s became %s", ch.name, quote(show(ch.old)), quote(show(ch.now)))
		}
	}
	return true
}

// ownFixtures are fixtures of pytest that tests report by, or that change what
// they run in.
var ownFixtures = map[string]bool{
	"record_property": true, "record_testsuite_property": true, "record_xml_attribute": true, "request": true,
	"monkeypatch": true, "pytestconfig": true, "capsys": true, "recwarn": true,
}

// newFixture reports a fixture that is new here and that tests get in place of
// another of its name.
func (c *comparison) newFixture(fn *closure, requested map[string]bool) {
	name := fn.node.Field("name").Text()
	if !fixtureOf(fn.node).Valid() || !ownFixtures[name] && !requested[name] {
		return
	}
	c.add(Collection, fn.node.Field("name"), "fixture "+name+" "+hash(fn.node), "tests that ask for the fixture `%s` get this one now; a maintainer must look", name)
}

// newMember reports functions that run without being called.
func (c *comparison) newMember(name string, m member) {
	c.fallback = m.fn.node.Field("name")
	if d := fixtureOf(m.fn.node); d.Is("call") && syntax.PyArg(d, "autouse", -1).Text() == "True" {
		c.add(Collection, c.fallback, "autouse "+name+" "+hash(m.fn.node), "the fixture `%s` runs around every test; a maintainer must look", name)
		return
	}
	if strings.Contains(name, ".") && calledByName(m.name) {
		c.add(Collection, c.fallback, "called "+name+" "+hash(m.fn.node), "`%s` runs around every test without being called; a maintainer must look", m.name)
		return
	}
	if quietHooks[m.name] && !strings.Contains(name, ".") {
		if events, _, ok := c.head.runMember(m.fn, syntax.Node{}); ok {
			from := len(c.order)
			c.events(nil, events, testCase{}, &testFn{key: name})
			for _, p := range c.order[from:] {
				p.Kind = Collection
			}
		}
	}
}
