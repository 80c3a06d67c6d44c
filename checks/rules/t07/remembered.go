package t07

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// remembered reports results of a launch that outlive the call.
func remembered(p *rules.Pass, w *host.Wrapper) {
	launches := w.Launches()
	for fn := range launches {
		for _, d := range syntax.PyDecorators(fn) {
			at := d
			if d.Is("call") {
				d = d.Field("function")
			}
			if caching(w, d) {
				p.Reportf(at, rules.Warning, "remembered", "`%s` remembers what `%s` returned: a second call with the same arguments launches nothing", rules.Short(at), fn.Field("name").Text())
			}
		}
	}
	for _, c := range w.File.Root().Find("call") {
		// A cache around a function: cache(f), lru_cache(maxsize=4)(f).
		maker, of := c.Field("function"), syntax.PyArg(c, "", 0)
		if maker.Is("call") {
			maker = maker.Field("function")
		}
		if !of.Is("identifier") || !caching(w, maker) {
			continue
		}
		if _, ok := launches[w.Function(of)]; ok {
			p.Reportf(c, rules.Warning, "remembered", "`%s` remembers what `%s` returned: a second call with the same arguments launches nothing", rules.Short(c), of.Text())
		}
	}
	m := newMemory(w, launches)
	for _, n := range w.File.Root().Find("assignment", "augmented_assignment", "call") {
		owner := host.Owner(n)
		if _, ok := launches[owner]; !ok || !owner.Is("function_definition") {
			continue
		}
		s := m.scope(owner)
		for _, kept := range stores(n) {
			if m.keeps(s, n, kept) {
				p.Reportf(n, rules.Warning, "remembered", "`%s` keeps the result of a launch beyond the call, so that a later call can return it without launching", rules.Short(n))
				break
			}
		}
	}
}

// caching reports whether a function remembers what another one returned.
func caching(w *host.Wrapper, fn syntax.Node) bool {
	switch w.Full(fn) {
	case "functools.lru_cache", "functools.cache", "cachetools.cached":
		return true
	}
	return false
}

// store is a value that gets a place or a name.
type store struct{ target, value syntax.Node }

// stores lists what an assignment, or a call of a method of a container, stores.
func stores(n syntax.Node) []store {
	var out []store
	switch fn := n.Field("function"); {
	case n.Is("assignment"):
		for _, s := range paired(n) {
			for _, v := range within(s.value) {
				out = append(out, store{s.target, v})
			}
		}
		return out
	case n.Is("augmented_assignment"): // cache |= {key: value}, list += [value]
		for _, v := range within(n.Field("right")) {
			out = append(out, store{n.Field("left"), v})
		}
		return out
	case fn.Is("identifier") && fn.Text() == "setattr":
		for _, v := range within(syntax.PyArg(n, "", 2)) {
			out = append(out, store{syntax.PyArg(n, "", 0), v})
		}
		return out
	}
	for _, part := range stored(n) {
		for _, v := range within(part) {
			out = append(out, store{n.Field("function").Field("object"), v})
		}
	}
	return out
}

// maxParts bounds the values of a display that are looked at.
const maxParts = 64

// within lists a value and what it is put together of: elements of tuples, lists and
// dictionaries, and fields of a namespace.
func within(value syntax.Node) []syntax.Node {
	out := []syntax.Node{value}
	for i := 0; i < len(out) && len(out) < maxParts; i++ {
		switch v := out[i]; {
		case v.Is("tuple", "list", "set", "expression_list"):
			out = append(out, v.NamedChildren()...)
		case v.Is("dictionary"):
			for _, pair := range v.NamedChildren() {
				out = append(out, pair.Field("value"))
			}
		case v.Is("call") && slices.Contains(holders, syntax.PyName(v.Field("function"))):
			for _, a := range v.Field("arguments").NamedChildren() {
				if a.Is("keyword_argument") {
					a = a.Field("value")
				}
				out = append(out, a)
			}
		}
	}
	return out
}

// holders are calls that make an object of what they get.
var holders = []string{"SimpleNamespace", "dict", "list", "tuple", "namedtuple"}

// paired lists the targets of an assignment with their values: of several targets each
// has its own where these are written side by side.
func paired(a syntax.Node) []store {
	left, right := a.Field("left"), a.Field("right")
	if !left.Is("pattern_list", "tuple_pattern", "list_pattern") {
		return []store{{left, right}}
	}
	targets, values := left.NamedChildren(), right.NamedChildren()
	side := right.Is("expression_list", "tuple", "list") && len(targets) == len(values)
	var out []store
	for i, t := range targets {
		if side {
			right = values[i]
		}
		out = append(out, store{t, right})
	}
	return out
}

// keeps reports whether a store of a function keeps what a launch returned.
func (m *memory) keeps(s *scope, n syntax.Node, kept store) bool {
	target, value := kept.target, kept.value
	if n.Is("assignment") && target.Is("identifier") && !s.global[target.Text()] {
		return false
	}
	onArgument := target.Is("attribute") && s.isParameter(target.NamedChild(0)) && m.asked[target.Field("attribute").Text()]
	if n.Is("call") && n.Field("function").Is("identifier") { // setattr(object, name, value)
		name, ok := m.w.String(syntax.PyArg(n, "", 1))
		onArgument = s.isParameter(target) && (!ok || m.asked[name])
	}
	for target.Is("subscript", "attribute", "call") {
		if target.Is("call") {
			return target.Field("function").Is("identifier") && target.Field("function").Text() == "globals" && m.result(s, value)
		}
		onArgument = onArgument || target.Is("attribute") && target.Field("attribute").Text() == "__dict__" && s.isParameter(target.Field("object"))
		onArgument = onArgument || target.Is("attribute") && m.shared(s, target)
		target = target.NamedChild(0)
	}
	for value.Is("assignment") { // a = b = value
		value = value.Field("right")
	}
	return target.Is("identifier") && (onArgument || m.outlives(s, target)) && (m.result(s, value) || s.answer(value))
}

// memory is what a wrapper can keep between calls. All is looked up once: a file
// may hold as many assignments as it has lines.
type memory struct {
	w        *host.Wrapper
	launches map[syntax.Node]int
	asked    map[string]bool // attributes that the file asks for by name
	classes  map[string]bool // of the module
	made     map[string]bool // classes of which the module keeps an object
	scopes   map[syntax.Node]*scope
}

func newMemory(w *host.Wrapper, launches map[syntax.Node]int) *memory {
	m := &memory{w, launches, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[syntax.Node]*scope{}}
	for _, v := range w.Consts {
		if v.Is("call") && v.Field("function").Is("identifier") {
			m.made[v.Field("function").Text()] = true
		}
	}
	for _, c := range w.File.Root().Find("call") {
		switch syntax.PyName(c.Field("function")) {
		case "hasattr", "getattr":
			if s, ok := w.String(syntax.PyArg(c, "", 1)); ok {
				m.asked[s] = true
			}
		}
	}
	for _, c := range w.File.Root().NamedChildren() {
		if c.Is("class_definition") {
			m.classes[c.Field("name").Text()] = true
		}
	}
	return m
}

// scope is what a function does with its names.
type scope struct {
	fn        syntax.Node
	global    map[string]bool        // assigned in the module or a function around
	parameter map[string]bool        // true for a default value that is made once
	bound     map[string]bool        // by assignments and the like
	last      map[string]syntax.Node // the last value that is assigned
	described map[string]bool        // given to make_tensor_desc, or memory given to what launches
	returned  map[string]bool        // named in what is returned
	kept      map[string]bool        // assigned to something else that is returned
	class     syntax.Node            // the class that it is a method of
	ofClass   bool                   // the first parameter is the class itself
	first     string                 // the first parameter
}

func (m *memory) scope(fn syntax.Node) *scope {
	if s := m.scopes[fn]; s != nil {
		return s
	}
	s := &scope{
		global: map[string]bool{}, parameter: map[string]bool{}, bound: map[string]bool{}, last: map[string]syntax.Node{},
		fn: fn, described: map[string]bool{}, returned: map[string]bool{}, kept: map[string]bool{},
	}
	m.scopes[fn] = s
	s.class = methodOf(fn)
	if names := host.Params(fn); len(names) > 0 {
		s.first = names[0].Text()
	}
	for _, d := range syntax.PyDecorators(fn) {
		s.ofClass = s.ofClass || d.Text() == "classmethod"
	}
	for _, g := range fn.Find("global_statement", "nonlocal_statement") {
		for _, id := range g.NamedChildren() {
			s.global[id.Text()] = true
		}
	}
	for _, q := range fn.Field("parameters").NamedChildren() {
		once := q.Is("default_parameter", "typed_default_parameter") && q.Field("value").Is("dictionary", "list", "call", "set")
		for _, id := range []syntax.Node{q, q.Field("name"), q.NamedChild(0)} {
			if _, known := s.parameter[id.Text()]; id.Is("identifier") && !known {
				s.parameter[id.Text()] = once
			}
		}
	}
	places := map[string]bool{}
	for _, r := range fn.Find("return_statement") {
		for _, id := range r.Find("identifier") {
			s.returned[id.Text()] = true
		}
		places[r.NamedChild(0).Squeeze()] = true
	}
	for _, a := range fn.Find("assignment", "for_statement", "named_expression", "as_pattern_target") {
		left := a.Field("left")
		switch {
		case a.Is("as_pattern_target"):
			s.bound[a.Text()] = true
		case a.Is("named_expression"):
			s.bound[a.Field("name").Text()] = true
			if host.Owner(a) == fn {
				s.last[a.Field("name").Text()] = a.Field("value")
			}
		case a.Is("assignment") && left.Is("pattern_list", "tuple_pattern", "list_pattern"):
			for _, one := range paired(a) {
				if one.target.Is("identifier") {
					s.bound[one.target.Text()] = true
					if one.value != a.Field("right") && host.Owner(a) == fn {
						s.last[one.target.Text()] = one.value
					}
				}
			}
		case left.Is("identifier"):
			s.bound[left.Text()] = true
			if right := a.Field("right"); a.Is("assignment") && right.Valid() && host.Owner(a) == fn {
				s.last[left.Text()] = right
			}
		case a.Is("assignment") && left.Is("attribute", "subscript") && places[left.Squeeze()]:
			if id := base(a.Field("right")); id.Is("identifier") {
				s.kept[id.Text()] = true
			}
		}
	}
	for _, c := range fn.Find("call") {
		if t := syntax.PyArg(c, "t", 1); t.Is("identifier") && syntax.PyName(c.Field("function")) == "make_tensor_desc" {
			s.described[t.Text()] = true
		}
		if _, ok := m.launches[m.w.Function(c.Field("function"))]; ok && host.Owner(c) == fn {
			for _, a := range syntax.PyArgs(c) {
				if a.Is("identifier") && allocates(s.last[a.Text()]) {
					s.described[a.Text()] = true
				}
			}
		}
	}
	return s
}

// allocates reports whether a value is memory that nothing wrote yet.
func allocates(value syntax.Node) bool {
	name := syntax.PyName(value.Field("function"))
	return value.Is("call") && (strings.HasPrefix(name, "empty") || strings.HasPrefix(name, "new_empty") || strings.HasPrefix(name, "zeros") || strings.HasPrefix(name, "new_zeros"))
}

// methodOf is the class of the module that a function is a method of.
func methodOf(fn syntax.Node) syntax.Node {
	at := fn.Parent()
	if at.Is("decorated_definition") {
		at = at.Parent()
	}
	if c := at.Parent(); at.Is("block") && c.Is("class_definition") && (c.Parent().Is("module") || c.Parent().Is("decorated_definition")) {
		return c
	}
	return syntax.Node{}
}

// base is the name that attributes, items and calls of methods begin with, or
// another expression.
func base(n syntax.Node) syntax.Node {
	for n.Is("attribute", "subscript", "call") {
		n = n.NamedChild(0)
	}
	return n
}

// shared reports whether an attribute belongs to a class of the module, or to the one
// object that the module makes of it.
func (m *memory) shared(s *scope, attribute syntax.Node) bool {
	object := attribute.Field("object")
	if syntax.PyName(object) == "__class__" && s.isParameter(object.Field("object")) {
		return true
	}
	class := s.class.Field("name").Text()
	return object.Is("identifier") && class != "" && object.Text() == s.first && (s.ofClass || m.made[class])
}

// isParameter reports whether an expression is a parameter of the function.
func (s *scope) isParameter(id syntax.Node) bool {
	_, ok := s.parameter[id.Text()]
	return ok && id.Is("identifier")
}

// answer reports whether a value is what the function gives the library, or a
// function that launches, to write and returns.
func (s *scope) answer(value syntax.Node) bool {
	for value.Is("attribute", "subscript", "parenthesized_expression", "call") {
		if value.Is("call") && !value.Field("function").Is("attribute") {
			return false
		}
		value = value.NamedChild(0)
	}
	name := value.Text()
	return value.Is("identifier") && s.described[name] && (s.returned[name] || s.kept[name])
}

// stored lists what a call puts into the container that it is a method of.
func stored(call syntax.Node) []syntax.Node {
	switch syntax.PyName(call.Field("function")) {
	case "setdefault", "__setitem__", "insert":
		return []syntax.Node{syntax.PyArg(call, "", 1)}
	case "append", "appendleft", "add", "set":
		return []syntax.Node{syntax.PyArg(call, "", 0)}
	case "update", "extend":
		var out []syntax.Node
		for _, a := range call.Field("arguments").NamedChildren() {
			if a.Is("keyword_argument") {
				out = append(out, a.Field("value"))
				continue
			}
			for _, e := range a.NamedChildren() {
				switch pair := e.NamedChildren(); {
				case e.Is("pair"):
					e = e.Field("value")
				case e.Is("tuple", "list") && len(pair) == 2:
					e = pair[1]
				}
				out = append(out, e)
			}
		}
		return out
	}
	return nil
}

// outlives reports whether a name is the module's and not the function's.
func (m *memory) outlives(s *scope, id syntax.Node) bool {
	name := id.Text()
	if s.global[name] {
		return true
	}
	if once, ok := s.parameter[name]; ok {
		return once
	}
	if s.bound[name] {
		return m.part(s, name)
	}
	if outer := host.Owner(s.fn); outer.Is("function_definition") && m.scope(outer).bound[name] {
		return m.part(m.scope(outer), name)
	}
	return m.classes[name] || m.w.Consts[name].Valid() || m.w.Function(id).Valid()
}

// part reports whether a name of a function stands for a part of what the module keeps:
// part = CACHE.setdefault(key, {}).
func (m *memory) part(s *scope, name string) bool {
	last := s.last[name]
	for last.Is("assignment") {
		last = last.Field("right")
	}
	switch fn := last.Field("function"); {
	case last.Is("call") && fn.Is("attribute") && slices.Contains([]string{"get", "setdefault"}, syntax.PyName(fn)):
		last = fn.Field("object")
	case last.Is("subscript"):
		last = last.NamedChild(0)
	default:
		return false
	}
	return last.Is("identifier") && !s.bound[last.Text()] && m.w.Consts[last.Text()].Is("dictionary", "list", "call")
}

// result reports whether a value is what a launch returned, directly or by a
// name of the function.
func (m *memory) result(s *scope, value syntax.Node) bool {
	for range 3 {
		for value.Is("attribute", "subscript", "parenthesized_expression") {
			value = value.NamedChild(0)
		}
		switch {
		case value.Is("call"):
			callee := value.Field("function")
			if syntax.PyName(callee) == "autotune_launch" {
				return true
			}
			if f := m.w.Function(callee); callee.Is("identifier") && f.Valid() {
				_, ok := m.launches[f]
				return ok
			}
			if !callee.Is("attribute") {
				return false
			}
			value = callee.Field("object") // result.reshape(..)
		case value.Is("identifier"):
			last := s.last[value.Text()]
			if !last.Valid() {
				return false
			}
			for last.Is("assignment") {
				last = last.Field("right")
			}
			value = last
		default:
			return false
		}
	}
	return false
}
