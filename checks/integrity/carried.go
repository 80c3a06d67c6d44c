package integrity

import (
	"slices"

	"github.com/tilegate/tilegate/checks/syntax"
)

// changesObjects are the methods that change a sequence, set or dictionary in place.
var changesObjects = map[string]bool{
	"append": true, "appendleft": true, "extend": true, "insert": true, "remove": true, "pop": true, "popleft": true, "clear": true, "sort": true,
	"reverse": true, "add": true, "discard": true, "update": true, "setdefault": true, "popitem": true, "subtract": true,
}

// carried are the names of the module and of classes whose values functions of the file
// change: what they hold when a case begins depends on the cases before.
func (s *side) carried() []slot {
	if s.carries != nil {
		return *s.carries
	}
	found := map[slot]bool{}
	var out []slot
	add := func(at slot, held bool) {
		b, ok := at.frame.vars[at.name]
		if !ok || found[at] || b.t == nil || held && !s.mutable(b.t) {
			return
		}
		found[at] = true
		out = append(out, at)
	}
	for _, def := range s.file.Root().Find("function_definition") {
		global := map[string]bool{}
		for _, g := range def.Field("body").Find("global_statement") {
			for _, name := range g.NamedChildren() {
				global[name.Text()] = true
			}
		}
		assigned, changed := changes(def)
		for _, n := range assigned {
			if global[n.Text()] {
				add(slot{s.module, n.Text()}, false)
			}
		}
		local := func(name string) bool {
			return !global[name] && (parameterOf(def, name).Valid() || slices.ContainsFunc(assigned, func(n syntax.Node) bool { return n.Text() == name }))
		}
		for _, n := range changed {
			s.u.spend(1 + len(assigned)/8)
			switch {
			case n.Is("identifier") && !local(n.Text()):
				add(slot{s.module, n.Text()}, true)
			case n.Is("attribute"):
				for _, c := range s.order {
					s.u.spend(1)
					add(slot{c.frame, n.Field("attribute").Text()}, true)
				}
			}
		}
	}
	s.carries = &out
	return out
}

// mutable reports whether a term is a value that its methods change.
func (s *side) mutable(t *term) bool {
	return t.is("list", "dict", "set") || t.is("call") && mutableTypes[t.kids[0].last()]
}

// mutableTypes are the types that make such values.
var mutableTypes = map[string]bool{"list": true, "dict": true, "set": true, "defaultdict": true, "Counter": true, "OrderedDict": true, "deque": true, "bytearray": true}

// changes lists the names that a function assigns to, and the names and attributes whose
// values it changes in place.
func changes(def syntax.Node) (assigned, changed []syntax.Node) {
	var targets func(n syntax.Node)
	targets = func(n syntax.Node) {
		switch n.Kind() {
		case "identifier":
			assigned = append(assigned, n)
		case "subscript":
			changed = append(changed, n.NamedChild(0))
		case "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list":
			for _, c := range n.NamedChildren() {
				targets(c)
			}
		}
	}
	for _, n := range def.Field("body").Find("assignment", "augmented_assignment", "for_statement", "as_pattern_target", "named_expression", "delete_statement", "call") {
		switch n.Kind() {
		case "assignment", "augmented_assignment", "for_statement":
			targets(n.Field("left"))
		case "named_expression":
			targets(n.Field("name"))
		case "as_pattern_target":
			targets(n.NamedChild(0))
		case "delete_statement":
			for _, c := range n.Find("subscript") {
				changed = append(changed, c.NamedChild(0))
			}
		case "call":
			if fn := n.Field("function"); fn.Is("attribute") && changesObjects[fn.Field("attribute").Text()] {
				changed = append(changed, fn.Field("object"))
			}
		}
	}
	return assigned, changed
}

// parameterOf is a function's parameter of a name.
func parameterOf(def syntax.Node, name string) syntax.Node {
	for _, p := range def.Field("parameters").NamedChildren() {
		if n, _ := parameter(p); n == name {
			return p
		}
	}
	return syntax.Node{}
}

// begin makes what other cases may have changed a value that depends on them.
func (r *run) begin() {
	for _, at := range r.s.carried() {
		b := at.frame.vars[at.name]
		r.alter(at, binding{t: r.s.carry(at.name, b.t), at: b.at})
		r.s.forgetFunctions()
	}
}

// carry is a value that others may have changed.
func (s *side) carry(name string, t *term) *term { return s.u.raw("carried", name, t) }

// keptDefault is the default of a parameter: where the function changes it in place, it is what
// the calls before left.
func (s *side) keptDefault(def syntax.Node, name string, v *term) *term {
	if !s.mutable(v) || !def.Is("function_definition") {
		return v
	}
	s.u.read(def)
	_, changed := changes(def)
	s.u.spend(1 + len(changed))
	if slices.ContainsFunc(changed, func(n syntax.Node) bool { return n.Is("identifier") && n.Text() == name }) {
		return s.carry(name, v)
	}
	return v
}
