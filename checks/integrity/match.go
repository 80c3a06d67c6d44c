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
	subject := n.Field("subject")
	for _, c := range clauses {
		if pattern := c.ChildOf("case_pattern"); !plainPattern(pattern) || len(n.Fields("subject")) != 1 {
			f.run.record(effected, f.run.u().raw("other", n.Squeeze()), n, "")
			return goesOn
		}
	}
	return f.matchClauses(f.eval(subject), subject, clauses)
}

// plainPattern reports whether a pattern is a constant, a choice of constants, or a
// name for whatever is there.
func plainPattern(p syntax.Node) bool {
	switch p.Kind() {
	case "case_pattern":
		list := p.NamedChildren()
		return len(list) == 0 && p.Text() == "_" || len(list) == 1 && plainPattern(list[0])
	case "union_pattern":
		for _, k := range p.NamedChildren() {
			if !plainPattern(k) {
				return false
			}
		}
		return true
	case "string", "concatenated_string", "integer", "float", "true", "false", "none", "dotted_name":
		return true
	}
	return false
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
	u := f.run.u()
	list := p.NamedChildren()
	switch p.Kind() {
	case "case_pattern":
		if len(list) == 0 {
			return u.yes
		}
		return f.matches(subject, at, list[0])
	case "union_pattern":
		var any []*term
		for _, k := range list {
			any = append(any, f.matches(subject, at, k))
		}
		return u.or(any...)
	case "dotted_name":
		if len(list) == 1 {
			f.assign(list[0], subject, at)
			return u.yes
		}
		v := f.eval(list[0])
		for _, name := range list[1:] {
			v = u.attr(v, name.Text())
		}
		return u.cmp("==", subject, v)
	case "true", "false", "none":
		return u.cmp("is", subject, f.eval(p))
	}
	return u.cmp("==", subject, f.eval(p))
}
