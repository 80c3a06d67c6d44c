package integrity

import "github.com/tilegate/tilegate/checks/syntax"

// matchStatement executes a match statement as the conditions that its patterns are.
// One with a pattern that takes its subject apart is not followed.
func (f *frame) matchStatement(n syntax.Node) flow {
	var clauses []syntax.Node
	for c := range n.Field("body").Children() {
		if c.Is("case_clause") {
			clauses = append(clauses, c)
		}
	}
	f.run.u().spend(len(clauses))
	subject := n.Field("subject")
	for _, c := range clauses {
		if pattern := c.ChildOf("case_pattern"); !plainPattern(pattern) || len(n.Fields("subject")) != 1 {
			f.unfollowed(n)
			return goesOn
		}
	}
	return f.matchClauses(f.eval(subject), subject, clauses)
}

// unfollowed is a statement that is not executed: it is what it was where its source is,
// and all that it can reach by names. What it assigns holds what depends on it.
func (f *frame) unfollowed(n syntax.Node) {
	u := f.run.u()
	t := u.raw("other", n.Squeeze(), u.raw("closed", f.run.s.reach(n, f)))
	f.run.record(effected, t, n, "")
	assigned := map[string]bool{}
	for _, a := range n.Find("assignment", "augmented_assignment", "for_statement", "named_expression", "as_pattern", "dotted_name", "splat_pattern") {
		targets := []syntax.Node{a.Field("left"), a.Field("name")}
		switch a.Kind() {
		case "as_pattern", "splat_pattern":
			targets = a.NamedChildren()
		case "dotted_name":
			targets = nil
			if list := a.NamedChildren(); len(list) == 1 {
				targets = list
			}
		}
		for _, target := range targets {
			for _, id := range append(target.Find("identifier"), target) {
				if id.Is("identifier") && !(id.Parent().Is("attribute") && id.Parent().Field("attribute") == id) {
					assigned[id.Text()] = true
				}
			}
		}
	}
	for _, name := range sortedKeys(assigned) {
		b, _ := f.lookup(name)
		f.set(name, binding{t: u.raw("left", name, t, f.held(b)), at: n})
	}
}

// parts are what a pattern is made of, without comments.
func parts(p syntax.Node) (out []syntax.Node) {
	for c := range p.Children() {
		if !c.IsComment() {
			out = append(out, c)
		}
	}
	return out
}

// patternsOf splits what a case_pattern or union_pattern is made of at its bars.
func patternsOf(p syntax.Node) [][]syntax.Node {
	out := [][]syntax.Node{nil}
	for _, c := range parts(p) {
		if c.Is("|") {
			out = append(out, nil)
			continue
		}
		out[len(out)-1] = append(out[len(out)-1], c)
	}
	return out
}

// plainPattern reports whether a pattern is a constant, a choice of constants, or a
// name for whatever is there: whether all that it is made of is understood.
func plainPattern(p syntax.Node) bool {
	choices := patternsOf(p)
	for _, list := range choices {
		switch {
		case len(list) == 2 && list[0].Is("-") && list[1].Is("integer", "float"):
		case len(list) != 1:
			return false
		case list[0].Is("union_pattern"):
			if !p.Is("case_pattern") || !plainPattern(list[0]) {
				return false
			}
		case list[0].Is("dotted_name"):
			if len(choices) > 1 && len(list[0].NamedChildren()) == 1 {
				return false
			}
		case !list[0].Is("_", "string", "concatenated_string", "integer", "float", "true", "false", "none"):
			return false
		}
	}
	return true
}

func (f *frame) matchClauses(subject *term, at syntax.Node, clauses []syntax.Node) flow {
	if len(clauses) == 0 {
		return goesOn
	}
	first := clauses[0]
	cond := f.matches(subject, at, first.ChildOf("case_pattern"))
	if guard := first.Field("guard"); guard.Valid() {
		if v, known := cond.truth(); !known || v {
			cond = f.run.u().and(cond, f.condition(guard.NamedChild(0)))
		}
	}
	return f.branch(first, cond,
		func() flow { return f.block(first.Field("consequence")) },
		func() flow { return f.matchClauses(subject, at, clauses[1:]) })
}

// matches is the condition that a plain pattern is.
func (f *frame) matches(subject *term, at, p syntax.Node) *term {
	var conds []*term
	for _, list := range patternsOf(p) {
		conds = append(conds, f.matchesOne(subject, at, list))
	}
	return f.run.u().or(conds...)
}

func (f *frame) matchesOne(subject *term, at syntax.Node, list []syntax.Node) *term {
	u := f.run.u()
	p := list[len(list)-1]
	switch p.Kind() {
	case "_":
		return u.yes
	case "union_pattern":
		return f.matches(subject, at, p)
	case "dotted_name":
		names := p.NamedChildren()
		if len(names) == 1 {
			f.assign(names[0], subject, at)
			return u.yes
		}
		v := f.eval(names[0])
		for _, name := range names[1:] {
			v = u.attr(v, name.Text())
		}
		return u.cmp("==", subject, v)
	case "true", "false", "none":
		return u.cmp("is", subject, f.eval(p))
	}
	v := f.eval(p)
	if len(list) > 1 {
		v = negative(u, v)
	}
	return u.cmp("==", subject, v)
}
