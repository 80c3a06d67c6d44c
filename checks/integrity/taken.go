package integrity

import "github.com/tilegate/tilegate/checks/syntax"

// takenName is a name of a frame.
type takenName struct {
	frame *frame
	name  string
}

// taking is a name that a decorator uses, with what it was when the decorator was
// evaluated, and how often it had been assigned to.
type taking struct {
	takenName
	held  binding
	times int
}

// gives counts an assignment to a name while the module is imported.
func (f *frame) gives(name string) {
	s := f.run.s
	if s.module == nil || f.run != s.module.run {
		return
	}
	if s.given == nil {
		s.given = map[takenName]int{}
	}
	s.given[takenName{f, name}]++
}

// take remembers what the decorators of a definition use: a name may get another value
// later, while what it holds may also be changed in place later.
func (f *frame) take(def syntax.Node) {
	s := f.run.s
	if s.module == nil || f.run != s.module.run || f.outer != nil && (f.class == nil || f.class.frame != f) {
		return
	}
	var list []taking
	for _, d := range syntax.PyDecorators(def) {
		for _, id := range d.Find("identifier") {
			for g := f; g != nil; g = g.outer {
				if b, ok := g.vars[id.Text()]; ok {
					name := takenName{g, id.Text()}
					list = append(list, taking{name, b, s.given[name]})
					break
				}
			}
		}
	}
	if s.taken == nil {
		s.taken = map[syntax.Node][]taking{}
	}
	s.taken[def] = list
}

// asTaken is a frame with the names of a definition's decorators as they were, where
// they were assigned to since.
func (f *frame) asTaken(def syntax.Node) *frame {
	s, out := f.run.s, f
	for _, t := range s.taken[def] {
		if s.given[t.takenName] == t.times {
			continue
		}
		if out == f {
			c := *f
			out, c.vars = &c, f.copyVars()
			s.u.spend(len(f.vars) / 2)
		}
		out.vars[t.name] = t.held
	}
	return out
}
