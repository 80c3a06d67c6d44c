package integrity

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// class is a class of the file, or of a file of helpers.
type class struct {
	name string
	// term is the class as a value. Its text tells it from others of its name: those of
	// other files, and those that the same file makes elsewhere.
	term  *term
	node  syntax.Node
	frame *frame
	bases []*term
	// linear are the class and what it derives from, in Python's order, once asked for.
	linear    []*term
	resolving bool
}

// defineClass makes the class of a definition.
func (f *frame) defineClass(n syntax.Node) *class {
	s := f.run.s
	name := n.Field("name").Text()
	c := &class{name: name, node: n}
	c.frame = &frame{run: f.run, vars: map[string]binding{}, outer: f, class: c, mark: f.mark, entered: f.entered}
	for _, b := range n.Field("superclasses").NamedChildren() {
		if !b.Is("keyword_argument") && !b.IsComment() {
			c.bases = append(c.bases, f.eval(b))
		}
	}
	key, known := s.keys[n]
	if !known {
		key = name
		if n.File() != s.tested {
			key = n.File().Path + ":" + name
		}
		s.named[key]++
		if k := s.named[key]; k > 1 {
			key += "#" + strconv.Itoa(k)
		}
		s.keys[n] = key
	}
	c.term = s.u.raw("class", key, c.bases...)
	if old := s.classes[key]; old != nil {
		s.order = slices.DeleteFunc(s.order, func(k *class) bool { return k == old })
	}
	s.classes[key] = c
	s.order = append(s.order, c)
	return c
}

// classOfTerm is the class that a term is, or nil.
func (s *side) classOfTerm(t *term) *class {
	if t = unstored(t); t == nil || !t.is("class") {
		return nil
	}
	return s.classes[t.text]
}

// classNamed is the class that a name of the module holds, or nil.
func (s *side) classNamed(name string) *class { return s.classOfTerm(s.module.vars[name].t) }

// lineage are a class and those of its bases whose source is known, in the order in
// which Python looks an attribute up.
func (s *side) lineage(c *class) (out []*class) {
	list := s.linear(c)
	s.u.spend(len(list))
	for _, t := range list {
		if k := s.classOfTerm(t); k != nil {
			out = append(out, k)
		}
	}
	return out
}

// linear is Python's order of a class and all that it derives from. Classes that have
// none cannot be compared: Python refuses them.
func (s *side) linear(c *class) []*term {
	if c.linear != nil {
		return c.linear
	}
	if c.resolving {
		panic(tooLarge{})
	}
	c.resolving = true
	defer func() { c.resolving = false }()
	lists := [][]*term{}
	for _, b := range c.bases {
		if k := s.classOfTerm(b); k != nil {
			lists = append(lists, slices.Clone(s.linear(k)))
		} else {
			lists = append(lists, []*term{b})
		}
	}
	lists = append(lists, mapTerms(c.bases, unstored))
	out := []*term{c.term}
	for {
		lists = slices.DeleteFunc(lists, func(l []*term) bool { return len(l) == 0 })
		if len(lists) == 0 {
			break
		}
		i := slices.IndexFunc(lists, func(l []*term) bool {
			s.u.spend(len(lists))
			return !slices.ContainsFunc(lists, func(o []*term) bool { return slices.Contains(o[1:], l[0]) })
		})
		if i < 0 {
			panic(tooLarge{})
		}
		next := lists[i][0]
		out = append(out, next)
		for j := range lists {
			s.u.spend(1 + len(lists[j])/8)
			if lists[j][0] == next {
				lists[j] = lists[j][1:]
			}
		}
	}
	c.linear = out
	return out
}

// inClass looks an attribute up in a class and those of its bases that the
// file has.
func (s *side) inClass(c *class, name string) (binding, bool) {
	for _, k := range s.lineage(c) {
		if b, ok := k.frame.vars[name]; ok {
			return b, true
		}
	}
	return binding{}, false
}

// inherited is an attribute of super(): that of the class that comes after the one in
// which it is written, in the order of the object's class, else what the object has
// where no class of the file says otherwise.
func (f *frame) inherited(object syntax.Node, name string) (binding, *term, bool) {
	if !object.Is("call") || object.Field("function").Text() != "super" {
		return binding{}, nil, false
	}
	if _, hidden := f.lookup("super"); hidden {
		return binding{}, nil, false
	}
	var c, self *class
	for at := f; at != nil && c == nil; at = at.outer {
		c, self = at.class, at.self
	}
	if c == nil {
		return binding{}, nil, false
	}
	s := f.run.s
	list := s.lineage(c)
	if self != nil {
		if all := s.lineage(self); slices.Contains(all, c) {
			list = all[slices.Index(all, c):]
		}
	}
	for _, base := range list[1:] {
		b, ok := base.frame.vars[name]
		switch {
		case ok && b.fn != nil && b.t == nil:
			fn := *b.fn
			fn.bound, fn.self = !decorated(fn.node, "staticmethod"), self
			return binding{at: b.at, fn: &fn}, nil, true
		case ok:
			return b, f.value(b), true
		}
	}
	return binding{}, s.u.raw("sym", "self."+name), true
}

// object reports whether a term is the object of the test, whatever was stored in it.
func object(t *term) bool {
	switch t.op {
	case "sym":
		return t.text == "self" || t.text == "cls"
	case "store":
		return strings.HasPrefix(t.text, ".") && object(t.kids[0])
	case "ite":
		return object(t.kids[1]) && object(t.kids[2])
	}
	return false
}

// storedIn is what was stored in an attribute of an object, under its conditions, and
// else what the class has; nil where nothing was.
func (u *universe) storedIn(t *term, name string, otherwise func() *term) *term {
	u.spend(1)
	switch t.op {
	case "store":
		if t.text == "."+name {
			return t.kids[1]
		}
		if strings.HasPrefix(t.text, ".") {
			return u.storedIn(t.kids[0], name, otherwise)
		}
	case "ite":
		a, b := u.storedIn(t.kids[1], name, otherwise), u.storedIn(t.kids[2], name, otherwise)
		if a == nil && b == nil {
			return nil
		}
		if a == nil {
			a = otherwise()
		}
		if b == nil {
			b = otherwise()
		}
		return u.ite(t.kids[0], a, b)
	}
	return nil
}

// classOf is the class whose attributes an object has: self, cls, a class of
// the file.
func (f *frame) classOf(t *term) *class {
	if t.is("class") {
		return f.run.s.classOfTerm(t)
	}
	if object(t) {
		for at := f; at != nil; at = at.outer {
			if at.self != nil {
				return at.self
			}
			if at.class != nil {
				return at.class
			}
		}
	}
	return nil
}

// owner is the class of the object that a method is called on.
func (c *closure) owner() *class {
	if c.self != nil {
		return c.self
	}
	return c.class
}

// plainObject is an object without what was stored in it.
func plainObject(t *term) *term {
	for t.is("store", "ite") && object(t) {
		t = t.kids[map[bool]int{true: 1}[t.is("ite")]]
	}
	return unstored(t)
}
