package integrity

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/words"
)

// maxSteps bounds the evaluation of one file, both revisions together, and maxReview
// that of all files that a change touches.
const (
	maxSteps  = 4_000_000
	maxReview = 10_000_000
)

// review is what the comparisons of all files share: how functions of the harness of both
// revisions take their arguments, and the steps that are left.
type review struct {
	known [2]map[string]*signature
	steps int
}

// whole is a finding about a file as a whole.
func whole(f *syntax.File, kind Kind, severity rules.Severity, construct, message string) Finding {
	span := syntax.Span{}
	for _, c := range f.Root().NamedChildren() {
		span = clip(c)
		break
	}
	return Finding{kind, f, span, severity, construct, message}
}

// absent is a finding about a file that the head does not have.
func absent(f *syntax.File, construct, message string) Finding {
	return Finding{Collection, f, syntax.Span{}, rules.Warning, construct, message}
}

// lineOf is the text of a line, without its indentation.
func lineOf(f *syntax.File, n int) syntax.Span {
	start, text := f.LineStart(n), f.Line(n)
	return syntax.Span{Start: start + len(text) - len(strings.TrimLeft(text, " \t")), End: start + len(text)}
}

// compareFile runs a comparison of two revisions of a file. What cannot be
// compared is one finding that says so.
func compareFile(base, head *syntax.File, of *review, do func(*comparison)) (out []Finding) {
	switch {
	case head.Unread != "":
		return nil // listed as unread: no more is known of it
	case base.Unread != "":
		return []Finding{whole(head, Collection, rules.Warning, "unread base "+base.Unread, "the base's file cannot be read, so that nothing can be compared: "+base.Unread)}
	}
	steps := min(maxSteps, of.steps)
	u := newUniverse(steps)
	c := &comparison{u: u, base: newSide(u, base, of.known[0]), head: newSide(u, head, of.known[1]), problems: map[string]*problem{}}
	defer func() { of.steps -= steps - max(u.steps, 0) }()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case tooLarge:
			out = append(c.findings(), whole(head, Collection, rules.Warning, "too large", "the file computes more than is followed, so that not all of it was compared with the base; a maintainer must look"))
		default:
			panic(r)
		}
	}()
	do(c)
	return c.findings()
}

// testFile compares a test file.
func (c *comparison) testFile() {
	c.base.load()
	c.head.load()
	c.fallback = firstStatement(c.head.file)
	c.module()
	old, now := c.base.tests(), c.head.tests()
	matched := map[*testFn]bool{}
	var left []*testFn
	for _, b := range old {
		i := slices.IndexFunc(now, func(h *testFn) bool { return h.key == b.key })
		if i < 0 {
			left = append(left, b)
			continue
		}
		matched[now[i]] = true
		c.runnable(b, now[i])
		c.test(b, now[i])
	}
	c.derivations()
	for _, name := range sortedKeys(c.head.module.vars) {
		if b := c.head.module.vars[name]; b.fn != nil && !hasName(c.base.module, name) {
			c.newFixture(b.fn, nil)
		}
	}
	for _, b := range left {
		c.moved(b, now, matched)
	}
	c.uncovered()
}

// runnable reports a test that pytest only builds and never runs.
func (c *comparison) runnable(b, h *testFn) {
	if !suspended(b.fn.node) && suspended(h.fn.node) {
		c.fallback = h.name
		c.add(Collection, h.name, "suspended "+h.key, "the test `%s` is a generator or a coroutine now: pytest makes it and does not run its body", h.key)
	}
}

// suspended reports whether a call of a function does not run its body.
func suspended(def syntax.Node) bool {
	if def.ChildOf("async").Valid() {
		return true
	}
	return slices.ContainsFunc(def.Field("body").Find("yield"), func(n syntax.Node) bool {
		return n.Ancestor("function_definition", "lambda") == def
	})
}

func hasName(f *frame, name string) bool {
	_, ok := f.vars[name]
	return ok
}

// derivations reports test classes that take their methods from elsewhere than
// before: what is not in the file cannot be followed. A metaclass, and methods
// that Python calls for every attribute, can do the same.
func (c *comparison) derivations() {
	for _, h := range c.head.order {
		b := c.base.classNamed(h.name)
		if b == nil || c.head.classNamed(h.name) != h || !strings.HasPrefix(h.name, "Test") {
			continue
		}
		for _, k := range h.node.Field("superclasses").NamedChildren() {
			if k.Is("keyword_argument") && !strings.Contains(b.node.Field("superclasses").Squeeze(), k.Squeeze()) {
				c.add(Checks, k, "class option "+h.name+" "+k.Squeeze(), "`%s` is made with %s, which may change what its tests do; a maintainer must look", h.name, quoteNode(k))
			}
		}
		for _, name := range []string{"__getattribute__", "__getattr__", "__init_subclass__"} {
			_, had := c.base.inClass(b, name)
			if now, ok := c.head.inClass(h, name); ok && !had {
				c.add(Checks, now.at, "called "+h.name+"."+name+" "+hash(now.at), "`%s` is called for what the tests of `%s` use; a maintainer must look", name, h.name)
			}
		}
		for _, t := range h.bases {
			if t.is("class") || slices.Contains(b.bases, t) {
				continue
			}
			at := h.node.Field("superclasses")
			c.add(Checks, at, "derives "+h.name+" "+show(t), "`%s` takes its methods from %s now, which may check less; a maintainer must look", h.name, quote(show(t)))
		}
	}
}

func firstStatement(f *syntax.File) syntax.Node {
	for _, n := range f.Root().NamedChildren() {
		return n
	}
	return f.Root()
}

// builtins are names of Python that tests and the harness compute and decide
// with.
var builtins = map[string]bool{
	"abs": true, "all": true, "any": true, "bool": true, "dict": true, "enumerate": true, "filter": true, "float": true, "getattr": true, "hasattr": true,
	"int": true, "isinstance": true, "len": true, "list": true, "map": true, "max": true, "min": true, "range": true, "round": true, "set": true,
	"setattr": true, "sorted": true, "str": true, "sum": true, "super": true, "tuple": true, "zip": true,
	"AssertionError": true, "BaseException": true, "Exception": true, "RuntimeError": true,
}

// module compares what the file does when it is imported.
func (c *comparison) module() {
	h := &testFn{key: ""}
	c.skips(c.base.events, c.head.events, testCase{}, h)
	c.effects(c.base.events, c.head.events)
	for _, name := range c.head.ordered(c.head.module) {
		if builtins[name] && !hasName(c.base.module, name) {
			at := c.head.module.vars[name].at
			c.add(Checks, at, "builtin "+name+" "+hash(at), "`%s` is not Python's in this file any more; a maintainer must look", name)
		}
	}
	c.hooks(c.base.module, c.head.module)
}

// moved looks for what became of a test that is not there under its name.
func (c *comparison) moved(b *testFn, now []*testFn, matched map[*testFn]bool) {
	for _, h := range now {
		if !matched[h] && c.sameBody(b, h) && c.sameSets(b, h) {
			matched[h] = true
			return
		}
	}
	cases, known := c.base.cases(b)
	lost := 0
	for _, bc := range cases {
		if events := c.base.execute(b, bc); !skippedForGood(events) && !(known && c.elsewhere(bc, events)) {
			lost++
		}
	}
	if lost == 0 {
		return
	}
	var best *comparison
	var successor *testFn
	for _, h := range now {
		if matched[h] {
			continue
		}
		try := c.trial()
		try.test(b, h)
		if best == nil || len(try.order) < len(best.order) {
			best, successor = try, h
		}
	}
	if best != nil && len(best.order) <= 2 {
		matched[successor] = true
		c.absorb(best)
		return
	}
	at := firstStatement(c.head.file)
	if name, _, ok := strings.Cut(b.key, "::"); ok && c.head.classNamed(name) != nil {
		at = c.head.classNamed(name).node.Field("name")
	}
	body := b.fn.node.Field("body").Squeeze()
	for _, def := range c.head.file.Root().Find("function_definition") {
		if def.Field("body").Squeeze() == body && !slices.ContainsFunc(now, func(h *testFn) bool { return h.fn.node == def }) {
			c.add(Collection, def.Field("name"), "uncollected "+b.key, "the test `%s` is not collected any more: pytest does not find `%s` here", b.key, def.Field("name").Text())
			return
		}
	}
	c.add(Collection, at, "gone "+b.key, "the test `%s` is gone or was rewritten: nothing in this file does what %s did; a maintainer must look", b.key, words.Count(lost, "of its case"))
}

// hooks reports functions and variables that pytest asks about what to run.
func (c *comparison) hooks(b, h *frame) {
	for _, name := range c.head.ordered(h) {
		if !strings.HasPrefix(name, "pytest_") && name != "collect_ignore" && name != "collect_ignore_glob" {
			continue
		}
		now := h.vars[name]
		old, had := b.vars[name]
		switch {
		case now.fn != nil && quietHooks[name]:
			continue // compared as a function
		case had && c.sameBinding(old, now):
		case had && old.fn != nil && now.fn != nil:
			c.add(Collection, now.at.Field("name"), "hook "+name+" "+hash(now.at), "the hook `%s` was rewritten; a maintainer must look at what is collected and run", name)
		default:
			at := now.at
			if n := at.Field("name"); n.Valid() {
				at = n
			}
			c.add(Collection, at, "hook "+name+" "+hash(now.at), "`%s` decides what pytest collects, runs or reports; a maintainer must look", name)
		}
	}
}

// quietHooks are hooks that only set something up.
var quietHooks = map[string]bool{"pytest_report_header": true, "pytest_addoption": true, "pytest_configure": true, "pytest_make_parametrize_id": true, "pytest_sessionstart": true}

func (c *comparison) sameBinding(b, h binding) bool {
	if (b.fn == nil) != (h.fn == nil) {
		return false
	}
	if b.fn == nil {
		return b.t == h.t
	}
	return b.fn.node.Squeeze() == h.fn.node.Squeeze() || c.base.deepTerm(b.fn) == c.head.deepTerm(h.fn)
}

// deepTerm is what a function does with its helpers entered.
func (s *side) deepTerm(fn *closure) *term {
	opaque := s.opaque
	s.opaque = false
	defer func() { s.opaque = opaque }()
	return s.module.fnTerm(fn)
}
