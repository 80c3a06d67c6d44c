package integrity

import (
	"slices"

	"github.com/tilegate/tilegate/checks/syntax"
)

// seen is the frame whose names a function that is written at a node reads. It reads them
// when it is called. What a generator makes is taken while its names hold what they hold
// now.
func (f *frame) seen(n syntax.Node) *frame {
	if f.within && n.Ancestor("generator_expression", "list_comprehension", "set_comprehension", "dictionary_comprehension").Is("generator_expression") {
		return f.snapshot()
	}
	f.captured = true
	return f
}

// kept is a value that a function returns: its functions go on with the names that the
// function has where it returns.
func (f *frame) kept(v *term) *term {
	if !v.functions {
		return v
	}
	var snapshot *frame
	s := f.run.s
	f.run.refresh(f.run.latest(v), map[*term]*term{}, func(fn *term, list []*closure) *term {
		for i, c := range list {
			if c.scope != f {
				continue
			}
			if snapshot == nil {
				f.run.u().spend(len(f.vars) / 2)
				snapshot = f.snapshot()
				f.run.closed = append(f.run.closed, snapshot)
			}
			now := *c
			now.scope = snapshot
			list[i], s.closures[fn] = &now, &now
		}
		return fn
	})
	return f.run.latest(v)
}

// functionOf is the function that a term is and that may be entered, or nil.
func (f *frame) functionOf(t *term) *closure {
	s := f.run.s
	switch {
	case t.is("sym"):
		return s.helpers[t.text]
	case len(s.shown[t]) > 1 && f.run.latest(t).is("oneof"):
		return nil
	}
	for _, c := range s.shown[t] {
		if f.mayEnter(c) {
			return c // one of those that do the same and does not run now
		}
	}
	return s.closures[t]
}

// snapshot is the frame as it is now.
func (f *frame) snapshot() *frame {
	c := *f
	c.vars = f.copyVars()
	return &c
}

// latest is a value in which each function does what it does with what its names hold
// now.
func (r *run) latest(t *term) *term {
	return r.refresh(t, map[*term]*term{}, func(fn *term, list []*closure) *term {
		var out []*term
		for _, c := range list {
			r.u().spend(1 + len(out))
			now := fn // where it runs, it does what it did when it began
			if !slices.Contains(r.active, c.node) {
				now = c.asValue(r)
			}
			if !slices.Contains(out, now) {
				out = append(out, now)
			}
		}
		if len(out) == 1 {
			return out[0]
		}
		// It is not known which of those that were equal it is.
		return r.u().raw("oneof", "", out...)
	})
}

// static reports whether what a function reads around it are names of the module or of a
// class.
func (c *closure) static() bool {
	return c.scope.outer == nil || c.scope.class != nil && c.scope.class.frame == c.scope
}

// asValue is the term of a function for a run.
func (c *closure) asValue(r *run) *term {
	return (&frame{run: r, vars: map[string]binding{}}).fnTerm(c)
}

// refresh replaces the functions in a value that read names of functions.
func (r *run) refresh(t *term, memo map[*term]*term, with func(*term, []*closure) *term) *term {
	if !t.functions {
		return t
	}
	if known := memo[t]; known != nil {
		return known
	}
	u := r.u()
	u.spend(1 + len(t.kids)/8)
	out := t
	switch {
	case t.is("fn"):
		if list := r.s.shown[t]; slices.ContainsFunc(list, func(c *closure) bool { return !c.static() }) {
			out = with(t, list)
		}
	case t.is("kw", "list", "tuple", "set", "dict", "pair", "opt", "star", "dstar", "ite", "partial", "store", "decorated"):
		list := t.kids
		if pairs := u.orders[t]; t.is("dict") && len(pairs) == len(t.kids) {
			list = pairs
		}
		kids := mapTerms(list, func(k *term) *term { return r.refresh(k, memo, with) })
		switch {
		case slices.Equal(kids, list):
		case t.is("dict"):
			out = u.dict(kids)
		case t.is("set"):
			out = u.set(kids)
		case t.is("ite"):
			out = u.ite(kids[0], kids[1], kids[2])
		default:
			out = u.raw(t.op, t.text, kids...)
			if at := r.s.origin[t]; at.Valid() {
				r.made(out, at)
			}
		}
	}
	memo[t] = out
	return out
}
