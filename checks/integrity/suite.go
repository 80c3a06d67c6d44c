package integrity

import (
	"slices"
	"strings"
	"sync"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// Suites is what the test file of a kernel runs, for rules that ask which backends
// its tests run with. The evaluator that compares tests answers, so that no rule
// lists the cases of a test in another way.
var Suites = rules.NewFact("test cases", func(t *tree.Tree, u rules.Unit) *Suite {
	if u.Kernel == nil || u.Kernel.Test == "" || !t.Exists(u.Kernel.Test) {
		return &Suite{}
	}
	return NewSuite(t.File(u.Kernel.Test))
})

// suiteSteps bounds the evaluation of the tests of one file.
const suiteSteps = maxSteps / 4

// Suite is what the tests of a file run. It is safe for concurrent use.
type Suite struct {
	mu    sync.Mutex
	side  *side
	tests map[syntax.Node][]*testFn // by the function, which several classes may have
	order []syntax.Node
	// made says that the cases of tests may be made by a hook of the file.
	made bool
}

// NewSuite lists the tests of a file. A file that is unread or computes more than is
// followed has none that are known.
func NewSuite(f *syntax.File) *Suite {
	s := &Suite{}
	if f.Unread != "" {
		return s
	}
	side := newSide(newUniverse(suiteSteps), f, nil)
	s.within(func() {
		side.load()
		tests := side.tests()
		s.side, s.tests = side, map[syntax.Node][]*testFn{}
		for _, t := range tests {
			if s.tests[t.fn.node] == nil {
				s.order = append(s.order, t.fn.node)
			}
			s.tests[t.fn.node] = append(s.tests[t.fn.node], t)
		}
		s.made = hasName(side.module, "pytest_generate_tests")
	})
	return s
}

// within runs a part of the evaluation; what exceeds its budget is not finished.
func (s *Suite) within(do func()) (done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(tooLarge); !ok {
				panic(r)
			}
		}
	}()
	do()
	return true
}

// Knowledge is how sure an answer about tests is.
type Knowledge uint8

// The answers.
const (
	Unknown Knowledge = iota
	Surely
	SurelyNot
)

// Listing is one set of cases of a test: a parametrize decorator, or the parameters
// of a fixture.
type Listing struct {
	At    syntax.Node // the decorator or the parameters
	Names []string    // of the parameters that it gives values
	rows  []paramCase
	known bool
}

// Listings are the sets of cases of a test function, for all classes that have it.
func (s *Suite) Listings(fn syntax.Node) []Listing {
	var out []Listing
	for _, t := range s.tests[fn] {
		for _, set := range t.sets {
			if !slices.ContainsFunc(out, func(l Listing) bool { return l.At == set.from }) {
				out = append(out, Listing{set.from, set.names, set.cases, set.known && !s.made})
			}
		}
	}
	return out
}

// All are the sets of cases of all tests of the file.
func (s *Suite) All() []Listing {
	var out []Listing
	for _, fn := range s.order {
		out = append(out, s.Listings(fn)...)
	}
	return out
}

// Param is the parameter that takes a backend in a case of a test, or empty.
func (l Listing) Param(backend string) string {
	for _, row := range l.rows {
		for i, v := range row.vals {
			if i < len(l.Names) && v.is("str") && v.text == backend && (len(l.Names) == 1 || ofBackends(l.Names[i])) && !impossible(row) {
				return l.Names[i]
			}
		}
	}
	return ""
}

// Param is the parameter of a test that takes a backend, or of which that is not known;
// empty when there is none.
func (s *Suite) Param(fn syntax.Node, backend string) string {
	open := ""
	for _, l := range s.Listings(fn) {
		if name := l.Param(backend); name != "" {
			return name
		}
		if i := slices.IndexFunc(l.Names, ofBackends); i >= 0 && l.Holds(backend) == Unknown {
			open = l.Names[i]
		}
	}
	return open
}

// Backends reports whether a set of cases chooses backends, by the names of its
// parameters.
func (l Listing) Backends() bool { return slices.ContainsFunc(l.Names, ofBackends) }

func ofBackends(name string) bool {
	return strings.Contains(name, "backend") || strings.Contains(name, "framework")
}

// impossible reports whether a case is surely never there.
func impossible(row paramCase) bool {
	return slices.ContainsFunc(row.conds, func(t *term) bool { v, known := t.truth(); return known && !v })
}

// Holds reports whether a backend is among the cases.
func (l Listing) Holds(backend string) Knowledge {
	if l.Param(backend) != "" {
		return Surely
	}
	if !l.known {
		return Unknown
	}
	for _, row := range l.rows {
		for i, v := range row.vals {
			named := i < len(l.Names) && ofBackends(l.Names[i])
			if named && !v.constant || v.has("str") && slices.ContainsFunc(v.find(func(t *term) bool { return t.is("str") }), func(t *term) bool { return t.text == backend }) {
				return Unknown
			}
		}
	}
	return SurelyNot
}

// Runs reports whether a test has a case in which a parameter is a backend. A case
// with a mark that may skip it is none for sure.
func (s *Suite) Runs(fn syntax.Node, param, backend string) Knowledge {
	result := Unknown
	for _, l := range s.Listings(fn) {
		if !slices.Contains(l.Names, param) {
			continue
		}
		switch l.Holds(backend) {
		case Unknown:
			return Unknown
		case SurelyNot:
			result = SurelyNot
			continue
		}
		for _, row := range l.rows {
			if i := slices.Index(l.Names, param); i < len(row.vals) && row.vals[i].is("str") && row.vals[i].text == backend && len(row.marks) == 0 && !impossible(row) {
				return Surely
			}
		}
		return Unknown
	}
	return result
}

// Skipping is what a test asks for before it skips a backend, as names of parameters
// and attributes in the conditions, and the parameters whose values the cases of
// another backend have and those of this one lack. It is not known where a function
// that is not read gets the backend, and may skip.
func (s *Suite) Skipping(fn syntax.Node, param, backend, other string) (names, left map[string]bool, known bool) {
	names, left, known = map[string]bool{}, map[string]bool{}, true
	done := s.within(func() {
		for _, t := range s.tests[fn] {
			c := s.side.symbolic(t)
			for _, set := range t.sets {
				known = set.leftOut(param, backend, other, left) && known
			}
			c.values[param] = s.side.u.str(backend)
			for _, e := range s.side.execute(t, c) {
				if e.kind == skipped || e.kind == xfailed {
					for _, g := range e.guards {
						asked(g.t, names)
					}
				} else if e.t != nil && s.side.hands(e.t, backend) {
					known = false
				}
			}
		}
	})
	return names, left, known && done && len(s.tests[fn]) > 0
}

// leftOut adds the parameters whose values the cases of another backend have and those
// of a backend lack; false when a mark may skip some.
func (set paramSet) leftOut(param, backend, other string, left map[string]bool) bool {
	at := slices.Index(set.names, param)
	if at < 0 {
		return true
	}
	if !set.known {
		return false
	}
	columns := func(name string) (out []map[*term]bool, marked bool) {
		out = make([]map[*term]bool, len(set.names))
		for i := range out {
			out[i] = map[*term]bool{}
		}
		for _, row := range set.cases {
			if at < len(row.vals) && row.vals[at].is("str") && row.vals[at].text == name {
				marked = marked || len(row.marks) > 0
				for i, v := range row.vals {
					out[i][v] = true
				}
			}
		}
		return out, marked
	}
	ours, marked := columns(backend)
	theirs, _ := columns(other)
	for i, name := range set.names {
		for v := range theirs[i] {
			if i != at && !ours[i][v] {
				left[name] = true
			}
		}
	}
	return !marked
}

// asked adds the names of what a condition asks for.
func asked(t *term, names map[string]bool) {
	for _, k := range t.find(func(k *term) bool { return k.is("param", "sym", "attr") }) {
		names[k.text[strings.LastIndexByte(k.text, '.')+1:]] = true
	}
}

// hands reports whether a call of a function that is not known, which may skip, gets
// a backend's name.
func (s *side) hands(t *term, backend string) bool {
	return len(t.find(func(k *term) bool {
		if !k.is("call") || quiet(k.kids[0]) || isCheck(k.kids[0].last()) || isMeasure(k.kids[0].last()) {
			return false
		}
		return slices.ContainsFunc(k.kids[1:], func(a *term) bool {
			if a.is("kw") {
				a = a.kids[0]
			}
			return a.is("str") && a.text == backend
		})
	})) > 0
}

// quiet are callees that skip no test: the package, PyTorch and Python.
func quiet(callee *term) bool {
	if !callee.is("sym") {
		return false
	}
	root, _, dotted := strings.Cut(callee.text, ".")
	return dotted && (root == "tilegym" || root == "torch" || root == "logging") || !dotted && (builtins[root] || root == "print" || root == "repr")
}
