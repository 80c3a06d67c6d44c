package integrity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/correctness"
	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/words"
)

// fallbackVariable is the dispatcher's switch: with "1" a backend that lacks an
// op fails instead of another one answering for it.
const fallbackVariable = "DISABLE_FALLBACK"

// effects compares what else a case does: the backend, seeds, modes, patches.
func (c *comparison) effects(before, after []event) {
	old, now := effectsOf(before), effectsOf(after)
	seeded := slices.ContainsFunc(old, func(e event) bool { return isSeed(calleeName(e.t)) })
	c.u.spend(len(old) * len(now) / 8)
	for _, o := range old {
		if c.kept(o, now) {
			continue
		}
		c.goneEffect(o, old, now)
	}
	for _, n := range now {
		if slices.ContainsFunc(old, func(o event) bool { return o.t == n.t }) {
			continue
		}
		c.newEffect(n, old, now, seeded)
	}
}

func effectsOf(events []event) []event {
	return slices.DeleteFunc(slices.Clone(events), func(e event) bool { return e.kind != effected && e.kind != stored })
}

// kept reports whether the head does the same where the base did it.
func (c *comparison) kept(o event, now []event) bool {
	var given []*term
	for _, g := range o.guards {
		given = append(given, g.t)
	}
	return slices.ContainsFunc(now, func(n event) bool {
		if n.t != o.t {
			return false
		}
		for _, g := range n.guards {
			if g.kind != onSkip && g.kind != onReturn && !c.holds(g.t, given) {
				return false
			}
		}
		return true
	})
}

// calleeName is the last name of what a call calls.
func calleeName(t *term) string {
	if t.is("fresh") {
		t = t.kids[0]
	}
	if t.is("call") {
		return t.kids[0].last()
	}
	return ""
}

func (c *comparison) goneEffect(o event, old, now []event) {
	name := calleeName(o.t)
	what := quoteNode(o.node)
	at := c.fallback
	i := c.successor(o, old, now)
	becomes := "is gone"
	if i >= 0 {
		at = now[i].node
		becomes = "became " + quoteNode(at)
		switch {
		case now[i].t == o.t:
			becomes = "runs under other conditions"
		case quoteNode(at) == what:
			becomes = "has other values than before, though it is written alike"
		}
	}
	construct := "effect " + o.node.Squeeze() + " " + becomes
	switch {
	case strings.Contains(o.node.Text(), fallbackVariable):
		if why := undoes(c.base, o); why == "" {
			c.add(Collection, at, construct, "%s %s: without it another backend may answer for the kernel", what, becomes)
		}
	case name == "set_backend":
		c.add(Collection, at, construct, "%s %s: the test may run another backend than it names", what, becomes)
	case isSeed(name):
		c.add(Inputs, at, construct, "the seed is another: %s %s", what, becomes)
	case o.t.is("decorator"):
	case o.t.is("mark"):
		c.add(Collection, c.fallback, "mark gone "+o.t.text, "the mark `%s` is gone: runs that select by marks may leave the test out", o.t.text).note()
	case o.t.is("params"):
		c.goneParams(o, now, construct)
	case isPatch(name) || o.kind == stored && !isNumeric(name):
		c.add(Inputs, at, construct, "the setup %s %s", what, becomes)
	case isNumeric(name):
		c.add(Inputs, at, construct, "how the reference computes is another: %s %s", what, becomes)
	case i >= 0 && now[i].t != o.t:
		c.changed(c.causes(o.t, now[i].t), at, "a step of the test is another")
	default:
		c.add(Inputs, at, construct, "a step of the test changed: %s %s", what, becomes)
	}
}

// successor is the index of what a step has become: itself under other
// conditions, else the call of the same name that the base does not make, the
// first for the first that is gone and so on; -1 for none.
func (c *comparison) successor(o event, old, now []event) int {
	if i := slices.IndexFunc(now, func(n event) bool { return n.t == o.t }); i >= 0 {
		return i
	}
	name := calleeName(o.t)
	if name == "" {
		return slices.IndexFunc(now, func(n event) bool {
			return n.node.Squeeze() == o.node.Squeeze() && !slices.ContainsFunc(old, func(x event) bool { return x.t == n.t })
		})
	}
	without := func(list, other []event) (out []int) {
		for i, e := range list {
			if calleeName(e.t) == name && !slices.ContainsFunc(other, func(x event) bool { return x.t == e.t }) {
				out = append(out, i)
			}
		}
		return out
	}
	gone, added := without(old, now), without(now, old)
	for k, i := range gone {
		if old[i].t == o.t && k < len(added) {
			return added[k]
		}
	}
	return -1
}

// goneParams compares the parameters of a fixture.
func (c *comparison) goneParams(o event, now []event, construct string) {
	for _, n := range now {
		if !n.t.is("params") || n.t.text != o.t.text {
			continue
		}
		x, y := o.t.kids[0], n.t.kids[0]
		if x.is("list", "tuple") && y.is("list", "tuple") && !slices.ContainsFunc(x.kids, func(k *term) bool { return !slices.Contains(y.kids, k) }) {
			return
		}
		c.add(Cases, n.node, construct, "the fixture `%s` has other parameters: %s became %s", o.t.text, quoteNode(o.node), quoteNode(n.node))
		return
	}
	c.add(Cases, c.fallback, construct, "the parameters of the fixture `%s` are gone", o.t.text)
}

// newEffect reports what the head does besides and may change the outcome.
func (c *comparison) newEffect(n event, old, now []event, seeded bool) {
	name := calleeName(n.t)
	what := quoteNode(n.node)
	construct := "new " + n.node.Squeeze()
	replaced := name != "" && slices.ContainsFunc(old, func(o event) bool { return calleeName(o.t) == name && !c.kept(o, now) })
	switch {
	case undoes(c.head, n) != "":
		c.add(Collection, n.node, construct, "%s lets another backend answer for the kernel", what)
	case replaced && (isSeed(name) || isPatch(name) || name == "set_backend"):
		// Reported as what the old call became.
	case n.t.is("decorator"):
		c.newDecorator(n, construct)
	case n.t.is("mark"):
		c.add(Collection, n.node, construct, "the mark `%s` is new: runs that select by marks may leave the test out", n.t.text).note()
	case n.kind == stored || isPatch(name) || n.t.is("call") && isEnvironment(n.t.kids[0]):
		c.add(Checks, n.node, construct, "%s replaces something that the test relies on; a maintainer must look", what)
	case isSeed(name) && seeded && ofNumpy(n.t) && !slices.ContainsFunc(old, func(o event) bool { return isSeed(calleeName(o.t)) && ofNumpy(o.t) }):
		c.add(Inputs, n.node, construct, "%s is new: what NumPy draws has a seed now", what).note()
	case isSeed(name) && seeded:
		c.add(Inputs, n.node, construct, "the inputs are drawn with another seed: %s", what)
	case isNumeric(name):
		c.add(Inputs, n.node, construct, "%s changes how the reference computes", what)
	case name == "set_backend":
		c.add(Collection, n.node, construct, "%s selects another backend than the test names", what)
	case n.t.is("closed", "other") && slices.ContainsFunc(old, func(o event) bool { return o.t.op == n.t.op && o.node.Squeeze() == n.node.Squeeze() }):
		// Reported as what the old one became.
	case n.t.is("other", "closed"):
		c.add(Checks, n.node, construct, "the statement %s cannot be followed; a maintainer must look", what)
	}
}

// ofNumpy reports whether a call is one of NumPy's.
func ofNumpy(t *term) bool {
	return t.is("call") && t.kids[0].is("sym") && strings.HasPrefix(t.kids[0].text, "numpy.")
}

func (c *comparison) newDecorator(n event, construct string) {
	text := strings.ToLower(n.node.Text())
	for _, word := range []string{"skip", "xfail", "ignore", "flaky", "retry", "rerun", "expected"} {
		if strings.Contains(text, word) {
			c.add(Skips, n.node, construct, "the decorator %s may skip the test or hide its failure", quoteNode(n.node))
			return
		}
	}
	c.add(Checks, n.node, construct, "the decorator %s may change what the test checks; a maintainer must look", quoteNode(n.node))
}

// undoes says how an event switches the dispatcher's fallback on, or "".
func undoes(s *side, e event) string {
	if !strings.Contains(e.node.Text(), fallbackVariable) {
		return ""
	}
	one := s.u.str("1")
	t := e.t
	switch {
	case t.is("store") && t.text == "[]":
		if t.kids[2] == one {
			return ""
		}
		return "stores another value"
	case t.is("call"):
		switch calleeName(t) {
		case "setenv", "setitem", "putenv", "setdefault":
			if last := t.kids[len(t.kids)-1]; last == one || last.is("kw") && last.kids[0] == one {
				return ""
			}
			return "sets another value"
		case "pop", "delenv", "delitem", "unsetenv":
			return "removes it"
		case "update":
			if slices.ContainsFunc(t.kids, func(k *term) bool { return k.pairs()[fallbackVariable] == one }) {
				return ""
			}
			return "sets another value"
		case "patch", "dict":
			return "replaces the environment"
		}
	case t.is("del"):
		return "deletes it"
	}
	return ""
}

// gaps notes what a newly registered candidate declares not to support: skips
// that hold for it and for no other backend.
func (c *comparison) gaps(b, h *testFn, baseCases, headCases []testCase) {
	has := func(list []testCase) bool {
		return slices.ContainsFunc(list, func(t testCase) bool { return t.backend() == candidate })
	}
	if has(baseCases) || !has(headCases) {
		return
	}
	others := map[syntax.Node]bool{}
	type gap struct {
		e     event
		cases int
	}
	gaps := map[syntax.Node]*gap{}
	var order []*gap
	total, covered := 0, 0
	for _, hc := range headCases {
		if hc.backend() == candidate {
			continue
		}
		for _, e := range c.head.execute(h, hc) {
			if e.kind == skipped || e.kind == xfailed {
				others[e.node] = true
			}
		}
	}
	for _, hc := range headCases {
		if hc.backend() != candidate {
			continue
		}
		events := c.head.execute(h, hc)
		open := true
		counts := true
		for _, e := range events {
			if e.kind != skipped && e.kind != xfailed {
				continue
			}
			if others[e.node] {
				if len(skipConds(e)) == 0 {
					counts = false // no backend runs this case
				}
				continue
			}
			g := gaps[e.node]
			if g == nil {
				g = &gap{e: e}
				gaps[e.node] = g
				order = append(order, g)
			}
			g.cases++
			open = false
		}
		if counts {
			total++
			if open {
				covered++
			}
		}
	}
	c.offered += total
	c.covered += covered
	for _, g := range order {
		if !c.gap.Valid() {
			c.gap = g.e.node
		}
		if correctness.ForwardOnly(g.e.text) && (records.TestID{Test: h.key}).Backward() {
			continue
		}
		text := ""
		if g.e.text != "" {
			text = ": " + quote(g.e.text)
		}
		c.current = nil
		p := c.add(Skips, g.e.node, "gap "+conditionOf(g.e.node)+" "+g.e.text, "declared gap of the new backend `%s`%s; %s of this test's %s stay covered", candidate, text, fmt.Sprint(covered), words.Count(total, "case"))
		p.note()
	}
}

// uncovered reports a newly registered backend of which no case of the file
// runs: what is declared then is no gap but the whole.
func (c *comparison) uncovered() {
	if c.offered > 0 && c.covered == 0 && c.gap.Valid() {
		c.add(Skips, c.gap, "uncovered", "none of this file's %s runs with the new backend `%s`: its gaps leave nothing", words.Count(c.offered, "case"), candidate)
	}
}

// arrival compares what a newly registered candidate does in each case with
// what the reference did there before: it is to be tested like the reference.
func (c *comparison) arrival(b, h *testFn, baseCases, headCases []testCase) {
	key := func(t testCase, is string) string {
		var kept []string
		for _, n := range sortedKeys(t.values) {
			if v := t.values[n]; !(v.is("str") && v.text == is) {
				kept = append(kept, n)
			}
		}
		return strings.Join(kept, ",") + " " + t.key(kept)
	}
	like, likeNow := map[string]*testCase{}, map[string]*testCase{}
	for i, bc := range baseCases {
		switch bc.backend() {
		case candidate:
			return
		case reference:
			like[key(bc, reference)] = &baseCases[i]
		}
	}
	if len(like) == 0 {
		return
	}
	for i, hc := range headCases {
		if hc.backend() == reference {
			likeNow[key(hc, reference)] = &headCases[i]
		}
	}
	from, memo := len(c.order), map[*term]*term{}
	total := 0
	for i := range headCases {
		bc := like[key(headCases[i], candidate)]
		if headCases[i].backend() != candidate || bc == nil {
			continue
		}
		total++
		c.current = &headCases[i]
		try := c.trial()
		after := c.head.execute(h, headCases[i])
		for j := range after {
			after[j].t = c.asReference(after[j].t, memo)
			after[j].guards = slices.Clone(after[j].guards)
			for k := range after[j].guards {
				after[j].guards[k].t = c.asReference(after[j].guards[k].t, memo)
			}
		}
		before := c.base.execute(b, *bc)
		if skippedForGood(before) || skippedForGood(after) {
			continue
		}
		// What the reference lost as well is told of it, and not as what the new backend
		// lacks.
		lost := c.trial()
		if now := likeNow[key(headCases[i], candidate)]; now != nil {
			lost.checks(before, c.head.execute(h, *now), *now)
		}
		// Backends may be measured in different ways, as upstream's are.
		unmeasured := func(list []event) []event {
			return slices.DeleteFunc(list, func(e event) bool { return e.kind == measured })
		}
		try.checks(unmeasured(before), unmeasured(after), headCases[i])
		try.order = slices.DeleteFunc(try.order, func(p *problem) bool { return p.Kind == Cases })
		try.order = slices.DeleteFunc(try.order, func(p *problem) bool {
			return slices.ContainsFunc(lost.order, func(o *problem) bool { return o.Kind == p.Kind && o.Span == p.Span && o.Construct == p.Construct })
		})
		for _, p := range try.order {
			unlike := ", unlike `" + reference + "`"
			if slices.ContainsFunc(lost.order, func(o *problem) bool { return o.Kind == p.Kind && o.Construct == p.Construct }) {
				unlike = ""
			}
			if p.Kind == Inputs && aboutGradients(p.Message) {
				p.note() // the backend is forward-only
			}
			p.Construct = "arrival " + p.Construct
			p.Message = "for the new backend `" + candidate + "`" + unlike + ": " + p.Message
		}
		c.absorb(try)
	}
	c.current = nil
	c.total = total
	c.scope(from)
}

// aboutGradients reports whether a difference is what a forward-only backend
// may need.
func aboutGradients(message string) bool {
	return strings.Contains(message, "grad") || strings.Contains(message, "detach")
}

// asReference is a term with the candidate's name replaced by the reference's.
func (c *comparison) asReference(t *term, memo map[*term]*term) *term {
	if m := memo[t]; m != nil {
		return m
	}
	c.u.spend(1)
	out := t
	switch {
	case t.is("str") && t.text == candidate:
		out = c.u.str(reference)
	case len(t.kids) > 0:
		kids := mapTerms(t.kids, func(k *term) *term { return c.asReference(k, memo) })
		if !slices.Equal(kids, t.kids) {
			out = c.u.raw(t.op, t.text, kids...)
		}
	}
	if at, ok := c.head.origin[t]; ok && out != t {
		if _, known := c.head.origin[out]; !known {
			c.head.origin[out] = at
		}
	}
	memo[t] = out
	return out
}
