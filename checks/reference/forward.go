package reference

import (
	"slices"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/syntax"
)

// callPath knows the definitions of a file that a call of some ops runs: functions of
// the module and methods of its classes. Of a class that is made, or handed on, the
// methods may run; with torch.autograd.Function's apply, forward does for sure, and
// nothing else where whole is false.
type callPath struct {
	m       *File
	whole   bool
	defs    map[string][]syntax.Node               // of the module
	methods map[syntax.Node]map[string]syntax.Node // of its classes
	reached map[syntax.Node]Answer                 // of definitions and constants
	used    map[use]Answer                         // of names
	work    []syntax.Node
}

// forward follows the forward path of the functions that are registered for ops.
// Where none is, all registered ones may be meant; where nothing is registered, all
// code may.
func (m *File) forward(ops []string) *callPath { return m.walk(ops, false) }

// walk follows from the functions that are registered for ops what each definition
// names. With whole a class runs as a whole, backward passes too.
func (m *File) walk(ops []string, whole bool) *callPath {
	p := &callPath{m, whole, map[string][]syntax.Node{}, map[syntax.Node]map[string]syntax.Node{}, map[syntax.Node]Answer{}, map[use]Answer{}, nil}
	for _, d := range m.File.Root().Find("function_definition", "class_definition") {
		switch outer := topLevel(d); {
		case !outer.Valid():
			p.defs[d.Field("name").Text()] = append(p.defs[d.Field("name").Text()], d)
			if d.Is("class_definition") {
				p.methods[d] = map[string]syntax.Node{}
			}
		case outer.Is("class_definition") && d.Is("function_definition") && d.Ancestor("class_definition", "function_definition") == outer:
			p.methods[outer][d.Field("name").Text()] = d
		}
	}
	all := m.registered()
	ours := slices.DeleteFunc(slices.Clone(all), func(r registration) bool { return !slices.Contains(ops, r.op) })
	answer := Yes
	if len(ours) == 0 {
		ours, answer = all, Maybe
	}
	for _, r := range ours {
		for _, d := range r.defs {
			p.mark(d, answer)
		}
	}
	for len(p.work) > 0 {
		d := p.work[len(p.work)-1]
		p.work = p.work[:len(p.work)-1]
		code := d
		if d.Is("class_definition") && !whole {
			code = d.Field("superclasses") // its methods are marked themselves
		}
		p.follow(code, p.reached[d])
	}
	return p
}

// maxInherited bounds the classes that one inherits from.
const maxInherited = 64

// maxSame bounds the definitions of one name of which each is asked for a method.
const maxSame = 8

// use is a name and what of it is used, if that is known.
type use struct{ name, of string }

// reach says whether the ops run the code at a node.
func (p *callPath) reach(n syntax.Node) Answer {
	if p.m.reached == nil {
		return Maybe
	}
	d := topLevel(n)
	if d.Is("class_definition") {
		for fn := host.Owner(n); fn.Valid() && !fn.Is("module"); fn = host.Owner(fn) {
			if p.methods[d][fn.Field("name").Text()] == fn {
				return p.reached[fn]
			}
		}
	}
	if !d.Is("function_definition") { // runs when the module is imported
		return No
	}
	return p.reached[d]
}

// mark notes a definition that runs, or the value of a constant that is used; of a
// class any method may run.
func (p *callPath) mark(d syntax.Node, a Answer) {
	if d.Is("class_definition") {
		a = Maybe
	}
	if p.reached[d] >= a {
		return
	}
	p.reached[d], p.work = a, append(p.work, d)
	for _, method := range p.methods[d] {
		p.mark(method, Maybe)
	}
}

// follow marks what the code at a node names.
func (p *callPath) follow(n syntax.Node, a Answer) {
	for _, id := range n.Find("identifier") {
		at, name := id.Parent(), id.Text()
		switch {
		case at.Is("attribute") && at.Field("attribute") == id, at.Is("keyword_argument") && at.Field("name") == id:
			continue
		case at.Is("attribute") && (name == "self" || name == "cls"):
			if method := p.method(topLevel(id), at.Field("attribute").Text()); method.Valid() {
				p.mark(method, a)
			}
			continue
		}
		u := use{name, ""}
		if at.Is("attribute") && len(p.defs[name]) <= maxSame {
			u.of = at.Field("attribute").Text()
		}
		if p.used[u] >= a {
			continue
		}
		p.used[u] = a
		for _, def := range p.defs[name] {
			if method := p.named(def, u.of); method.Valid() {
				def = method
			}
			p.mark(def, a)
		}
		if value := p.m.Consts[name]; value.Valid() {
			p.mark(value, a)
		}
	}
}

// named is the method of a class that C.apply and C.method run.
func (p *callPath) named(class syntax.Node, name string) syntax.Node {
	if p.whole || !class.Is("class_definition") || name == "" {
		return syntax.Node{}
	}
	if method := p.method(class, name); method.Valid() || name != "apply" {
		return method
	}
	return p.method(class, "forward")
}

// method is a method of a class or of one that it inherits from.
func (p *callPath) method(class syntax.Node, name string) syntax.Node {
	// Classes are looked at once each, in the order in which they are named.
	next, seen := []syntax.Node{class}, map[syntax.Node]bool{class: true}
	for len(next) > 0 && len(seen) <= maxInherited {
		class, next = next[0], next[1:]
		if method := p.methods[class][name]; method.Valid() {
			return method
		}
		for _, super := range class.Field("superclasses").NamedChildren() {
			for _, def := range p.defs[super.Text()] {
				if !seen[def] {
					seen[def], next = true, append(next, def)
				}
			}
		}
	}
	return syntax.Node{}
}
