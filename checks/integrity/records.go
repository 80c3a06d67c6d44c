package integrity

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// record is a class whose objects hold what they are made with, each value under the
// name of a field: a dataclass, a NamedTuple, or a class whose __init__ does no more.
type record struct {
	fields   []string
	defaults map[string]*term // of the fields that need not be given
	keyword  bool             // fields are given by name only
}

// makes are the methods by which a class says itself how its objects are made or read.
var makes = []string{"__init__", "__post_init__", "__new__", "__getattr__", "__getattribute__", "__setattr__"}

// plainOptions are those of a dataclass that leave its __init__ as it is, but for kw_only.
var plainOptions = map[string]bool{"frozen": true, "eq": true, "order": true, "repr": true, "slots": true, "unsafe_hash": true, "kw_only": true}

// recordOf is what a class of the file holds, or nil where that is not sure.
func (s *side) recordOf(c *class) *record {
	r, known := s.records[c]
	if !known {
		r = s.newRecord(c)
		s.records[c] = r
	}
	return r
}

func (s *side) newRecord(c *class) *record {
	bases := slices.DeleteFunc(slices.Clone(c.bases), func(b *term) bool { return b.is("sym") && b.text == "object" })
	decorators := syntax.PyDecorators(c.node)
	switch {
	case len(bases) == 1 && s.namedTuple(c) && len(decorators) == 0:
		if r := fieldsOf(c); r != nil && !s.changed(r, c, true) {
			return r
		}
		return nil
	case len(bases) > 0 || len(c.node.Field("superclasses").NamedChildren()) > len(c.bases):
		return nil
	case len(decorators) == 0:
		r := initialised(c)
		if r == nil || s.changed(r, c, false) {
			return nil
		}
		return r
	case len(decorators) > 1:
		return nil
	}
	d, frozen, keyword := decorators[0], false, false
	if d.Is("call") {
		for _, a := range d.Field("arguments").NamedChildren() {
			name, yes := a.Field("name").Text(), a.Field("value").Is("true")
			if !plainOptions[name] {
				return nil
			}
			frozen, keyword = frozen || name == "frozen" && yes, keyword || name == "kw_only" && yes
		}
		d = d.Field("function")
	}
	if name := syntax.PyDotted(d); name != "dataclass" && name != "dataclasses.dataclass" {
		return nil
	}
	r := fieldsOf(c)
	if r == nil || s.changed(r, c, frozen) {
		return nil
	}
	r.keyword = keyword
	return r
}

// namedTuple reports whether a class derives from NamedTuple and nothing else.
func (s *side) namedTuple(c *class) bool {
	return len(c.bases) == 1 && c.bases[0].is("sym") && c.bases[0].last() == "NamedTuple"
}

// fieldsOf reads the annotated names of a class body, or nil where it holds what may
// change them.
func fieldsOf(c *class) *record {
	r := &record{defaults: map[string]*term{}}
	for _, n := range c.node.Field("body").NamedChildren() {
		if n.Is("decorated_definition") {
			n = n.Field("definition")
		}
		switch {
		case n.IsComment() || n.Is("pass_statement"):
		case n.Is("function_definition") && !slices.Contains(makes, n.Field("name").Text()):
		case n.Is("expression_statement") && n.NamedChild(0).Is("string"):
		case n.Is("expression_statement") && n.NamedChild(0).Is("assignment") && n.NamedChild(0).Field("left").Is("identifier"):
			a := n.NamedChild(0)
			kind := a.Field("type").Text()
			name := a.Field("left").Text()
			if kind == "" || strings.Contains(kind, "ClassVar") || strings.Contains(kind, "InitVar") || strings.Contains(kind, "KW_ONLY") || slices.Contains(r.fields, name) {
				return nil
			}
			r.fields = append(r.fields, name)
			if right := a.Field("right"); right.Is("call") {
				return nil // field(...) may say anything
			} else if right.Valid() {
				r.defaults[name] = c.frame.vars[name].t
			}
		default:
			return nil
		}
	}
	return r
}

// initialised reads an __init__ that keeps each of its parameters under a name, or nil
// where the class has another or does more.
func initialised(c *class) *record {
	var r *record
	for _, n := range c.node.Field("body").NamedChildren() {
		switch name := n.Field("name").Text(); {
		case n.IsComment() || n.Is("expression_statement") && n.NamedChild(0).Is("string"):
		case n.Is("function_definition") && name == "__init__" && r == nil:
			if r = kept(n); r == nil {
				return nil
			}
		case n.Is("function_definition") && !slices.Contains(makes, name):
		default:
			return nil
		}
	}
	return r
}

// kept are the parameters of an __init__, in order, under the names that they are kept
// by, or nil.
func kept(init syntax.Node) *record {
	r := &record{}
	params := init.Field("parameters").NamedChildren()
	if len(params) < 2 || params[0].Text() != "self" {
		return nil
	}
	for _, p := range params[1:] {
		name, def := parameter(p)
		if name == "" || def.Valid() {
			return nil
		}
		r.fields = append(r.fields, name)
	}
	left := slices.Clone(r.fields)
	for _, n := range init.Field("body").NamedChildren() {
		a := n.NamedChild(0)
		target, value := a.Field("left"), a.Field("right").Text()
		if n.IsComment() || n.Is("expression_statement") && a.Is("string") {
			continue
		}
		// A parameter under another name than its own is not looked for.
		if !a.Is("assignment") || target.Text() != "self."+value || !slices.Contains(left, value) {
			return nil
		}
		left = slices.DeleteFunc(left, func(name string) bool { return name == value })
	}
	if len(left) > 0 {
		return nil
	}
	return r
}

// changed reports whether something in the files of the test may store in a field of an
// object that is made already, or, for objects that refuse that, in the class.
func (s *side) changed(r *record, c *class, frozen bool) bool {
	files := []syntax.Node{s.tested.Root()}
	if s.file != s.tested {
		files = append(files, s.file.Root())
	}
	own := func(n syntax.Node) bool {
		return n.Ancestor("class_definition") == c.node && n.Ancestor("function_definition").Field("name").Text() == "__init__"
	}
	for _, root := range files {
		for _, n := range root.Find("attribute") {
			name, object := n.Field("attribute").Text(), n.Field("object").Text()
			switch {
			case name == "__dict__" || name == "__setattr__":
				return true
			case object == c.name && written(n):
				return true
			case !frozen && slices.Contains(r.fields, name) && !own(n) && written(n):
				return true
			}
		}
		for _, n := range root.Find("identifier") {
			if t := n.Text(); t == "setattr" || t == "delattr" || t == "vars" {
				return true
			}
		}
	}
	return false
}

// written reports whether an attribute stands where something is stored or deleted.
func written(n syntax.Node) bool {
	for at := n; ; at = at.Parent() {
		up := at.Parent()
		switch {
		case up.Is("assignment", "augmented_assignment", "for_statement", "for_in_clause"):
			return up.Field("left") == at
		case up.Is("as_pattern_target", "delete_statement"):
			return true
		case !up.Is("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "expression_list", "tuple", "list", "parenthesized_expression"):
			return false
		}
	}
}

// values are what an object of a record holds, in the order of its fields; nil where the
// arguments do not tell.
func (r *record) values(args []*term) []*term {
	given := map[string]*term{}
	for i, a := range args {
		name, v := "", a
		switch {
		case a.is("star", "dstar", "opt"):
			return nil
		case a.is("kw"):
			name, v = a.text, a.kids[0]
		case i < len(r.fields) && !r.keyword:
			name = r.fields[i]
		}
		if !slices.Contains(r.fields, name) || given[name] != nil {
			return nil
		}
		given[name] = v
	}
	out := make([]*term, len(r.fields))
	for i, name := range r.fields {
		if out[i] = given[name]; out[i] == nil {
			out[i] = r.defaults[name]
		}
		if out[i] == nil {
			return nil
		}
	}
	return out
}

// namedTupleOf is the tuple that a call of a NamedTuple makes, or nil. It has the names
// of its fields, see fieldValue.
func (s *side) namedTupleOf(callee *term, args []*term) *term {
	var r *record
	if c := s.classOfTerm(callee); callee.is("class") && c != nil && s.namedTuple(c) {
		r = s.recordOf(c)
	} else if callee.is("call") && callee.kids[0].is("sym") && callee.kids[0].last() == "namedtuple" && len(callee.kids) == 3 {
		r = &record{}
		switch names := callee.kids[2]; {
		case names.is("str"):
			r.fields = strings.Fields(strings.ReplaceAll(names.text, ",", " "))
		case names.is("list", "tuple"):
			for _, n := range names.kids {
				if !n.is("str") {
					return nil
				}
				r.fields = append(r.fields, n.text)
			}
		}
	}
	if r == nil || len(r.fields) == 0 {
		return nil
	}
	vals := r.values(args)
	if vals == nil {
		return nil
	}
	t := s.u.raw("tuple", "", vals...)
	if !slices.ContainsFunc(s.tuples[t], func(o *record) bool { return slices.Equal(o.fields, r.fields) }) {
		s.tuples[t] = append(s.tuples[t], r)
	}
	return t
}

// fieldValue is an attribute of an object that is a record, or nil.
func (s *side) fieldValue(t *term, name string) *term {
	var found *term
	switch {
	case t.is("tuple"):
		// Tuples of equal values are one term, whatever their fields are called.
		for _, r := range s.tuples[t] {
			if i := slices.Index(r.fields, name); i >= 0 && found != nil && found != t.kids[i] {
				return nil
			} else if i >= 0 {
				found = t.kids[i]
			}
		}
	case t.is("call") && t.kids[0].is("class"):
		c := s.classOfTerm(t.kids[0])
		if c == nil {
			return nil
		}
		r := s.recordOf(c)
		if r == nil {
			return nil
		}
		if i := slices.Index(r.fields, name); i >= 0 {
			if vals := r.values(t.kids[1:]); vals != nil {
				found = vals[i]
			}
		}
	}
	return found
}
