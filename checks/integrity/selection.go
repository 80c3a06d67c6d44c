package integrity

import (
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// The modules that decide which backend answers for an op.
const (
	packageModule = "src/tilegym"
	dispatcher    = backendRoot + "/dispatcher"
	selector      = backendRoot + "/selector"
)

var selectionModules = []string{dispatcher, selector}

// selecting are the functions that decide which backend answers for an op. What
// reads the switch against fallbacks is another.
var selecting = []string{
	"register_impl", "dispatch",
	"set_backend", "get_current_backend", "is_backend_available", "assert_backend_available", "get_available_backends",
}

// compareSelection reports a dispatcher that no longer obeys the switch against
// fallbacks, and functions that select a backend and were rewritten, replaced by
// those of another file, or are gone. Functions are looked for where the names of
// the package lead, in both trees: a move alone is none. importers are files that
// use the functions; moved are the base's files by those of the head that they
// went to.
func compareSelection(now, was *modules, of *review, importers []string) (out []Finding, moved map[string]string) {
	s := &selectionChange{now: now, was: was, names: map[[2]string]map[string]string{}, lost: map[string]origin{}, told: map[string]bool{}}
	for _, module := range slices.Concat(selectionModules, []string{backendRoot, packageModule}) {
		s.entry(module)
	}
	s.switched()
	for _, name := range sortedKeys(s.lost) {
		s.gone(name)
	}
	s.importers(importers)
	out, moved = s.out, map[string]string{}
	pairs := map[string][2]string{}
	for pair := range s.names {
		pairs[pair[0]+"\x00"+pair[1]] = pair
	}
	for _, key := range sortedKeys(pairs) {
		pair := pairs[key]
		b, h := was.t.File(pair[0]), now.t.File(pair[1])
		if pair[0] != pair[1] && !now.t.Exists(pair[0]) {
			moved[pair[1]] = pair[0]
		}
		switch {
		case unchanged(b, h) && path.Ext(pair[0]) == path.Ext(pair[1]):
		case path.Ext(pair[1]) != ".py":
			message := "Python imports this binary module in place of " + quote(pair[0]) + ", which decides which backend answers; a maintainer must look"
			out = append(out, whole(h, Collection, rules.Warning, "shadow "+pair[1], message))
		default:
			out = append(out, compareFile(b, h, of, func(c *comparison) { c.selection(s.names[pair]) })...)
		}
	}
	return out, moved
}

// selectionChange is how the functions of the base that select are found again.
type selectionChange struct {
	now, was *modules
	// names are, for a file of the base and one of the head, the functions to
	// compare: the head's names by the base's.
	names map[[2]string]map[string]string
	// lost are functions of the base by name that a module has no more.
	lost map[string]origin
	told map[string]bool
	out  []Finding
}

func (s *selectionChange) pair(b, h, name, as string) {
	key := [2]string{b, h}
	if s.names[key] == nil {
		s.names[key] = map[string]string{}
	}
	if name != "" {
		s.names[key][name] = as
	}
}

// entry follows the names of a module.
func (s *selectionChange) entry(module string) {
	b, h := s.was.file(module), s.now.file(module)
	if b == "" {
		return
	}
	if slices.Contains(selectionModules, module) && h != "" {
		s.pair(b, h, "", "") // which says what cannot be read, too
	}
	if h != "" && (s.now.t.File(h).Unread != "" || path.Ext(h) != ".py") {
		return
	}
	for _, name := range selecting {
		old := slices.DeleteFunc(slices.Clone(s.was.from(b, name)), func(o origin) bool { return !s.was.t.Exists(o.file) })
		if len(old) == 0 {
			continue
		}
		var list []origin
		if h != "" {
			list = s.now.from(h, name)
		}
		if len(list) == 0 {
			s.lost[name] = old[0]
		}
		for _, o := range list {
			if !slices.Contains(s.was.from(b, name), o) || s.now.t.Exists(o.file) {
				s.found(old, o, h, name)
			}
		}
	}
	for _, sub := range []string{backendRoot, dispatcher, selector} {
		if h == "" || path.Dir(sub) != module {
			continue
		}
		name := path.Base(sub)
		for _, o := range s.now.from(h, name) {
			if o != (origin{s.now.file(sub), ""}) && len(s.was.from(b, name)) < 2 {
				s.elsewhere(h, name, o)
			}
		}
	}
}

// found pairs a function of the head with the base's.
func (s *selectionChange) found(old []origin, o origin, h, name string) {
	b := old[0]
	if slices.Contains(old, o) {
		b = o
	} else if !s.now.t.Exists(o.file) && strings.HasPrefix(o.file, packageModule+"/") {
		s.lost[name] = b // an import that fails
		return
	} else if s.now.file(moduleName(b.file)) == b.file && slices.ContainsFunc(s.now.from(b.file, b.name), func(kept origin) bool { return kept == b }) {
		s.elsewhere(h, name, o)
		return
	}
	s.pair(b.file, o.file, b.name, o.name)
}

// elsewhere reports a name that leads to another place than the base's.
func (s *selectionChange) elsewhere(h, name string, o origin) {
	construct := "selection " + h + " " + name + " " + o.file
	if s.told[construct] {
		return
	}
	s.told[construct] = true
	f := s.now.t.File(h)
	at := firstStatement(f)
	for _, v := range s.now.scope(h)[name] {
		at = v.at
	}
	message := quote(name) + ", which decides which backend answers, is taken from " + quote(o.file) + " here; a maintainer must look at whether another backend can answer for a kernel"
	s.out = append(s.out, Finding{Collection, f, clip(at), rules.Warning, construct, message})
}

// switched finds the functions of the base that read the switch against
// fallbacks in the files to which those beside them went.
func (s *selectionChange) switched() {
	heads := map[string][]string{}
	for pair := range s.names {
		heads[pair[0]] = append(heads[pair[0]], pair[1])
	}
	for _, b := range sortedKeys(heads) {
		list := heads[b]
		slices.Sort(list)
		for name, providers := range s.was.scope(b) {
			if !slices.ContainsFunc(providers, func(v provider) bool {
				return v.at.Parent().Is("function_definition") && strings.Contains(v.at.Parent().Text(), fallbackVariable)
			}) {
				continue
			}
			there := false
			for _, h := range list {
				for _, o := range s.now.from(h, name) {
					there = true
					s.pair(b, o.file, name, o.name)
				}
			}
			if !there {
				s.pair(b, list[0], name, name) // which says that it is gone
			}
		}
	}
}

// gone reports a function that no module of the package leads to any more.
func (s *selectionChange) gone(name string) {
	b := s.lost[name]
	for pair, names := range s.names {
		if _, ok := names[b.name]; ok && pair[0] == b.file {
			return
		}
	}
	if h := s.now.file(moduleName(b.file)); h != "" {
		s.pair(b.file, h, b.name, b.name)
		return
	}
	if construct := "selection gone " + b.file; !s.told[construct] {
		s.told[construct] = true
		message := "the file decides which backend answers, and it is deleted or moved to where the package does not take it from; a maintainer must look at whether another backend can answer for a kernel"
		s.out = append(s.out, absent(s.was.t.File(b.file), construct, message))
	}
}

// importers reports files that take a function which selects from another place
// than the package's.
func (s *selectionChange) importers(files []string) {
	wrappers := map[string]bool{}
	for _, k := range s.now.t.Kernels {
		wrappers[k.Wrapper] = true
	}
	entry, base := s.now.file(backendRoot), s.was.file(backendRoot)
	if entry == "" || base == "" || s.now.t.File(entry).Unread != "" {
		return
	}
	for _, p := range slices.Concat(files, sortedKeys(wrappers), interfaceFiles(s.now.t)) {
		if !s.now.t.Exists(p) || slices.Contains([]string{packageModule, backendRoot, dispatcher, selector}, moduleName(p)) {
			continue
		}
		inBase := s.was.t.Exists(p)
		if inBase && unchanged(s.was.t.File(p), s.now.t.File(p)) {
			continue
		}
		for _, name := range selecting {
			ours := append(s.now.from(entry, name), s.was.from(base, name)...)
			had := s.was.from(p, name)
			relied := slices.ContainsFunc(had, func(o origin) bool { return slices.Contains(ours, o) })
			if !relied && (!wrappers[p] || name != "register_impl" || inBase) || len(ours) == 0 {
				continue
			}
			for _, o := range s.now.from(p, name) {
				if !slices.Contains(ours, o) && !slices.Contains(had, o) {
					s.elsewhere(p, name, o)
				}
			}
		}
	}
}

// selection compares functions that select, the head's names by the base's, and
// those of classes that read the switch.
func (c *comparison) selection(names map[string]string) {
	c.base.load()
	c.head.load()
	c.fallback = firstStatement(c.head.file)
	changing := assigned(c.base.file, c.head.file)
	c.base.forget(changing)
	c.head.forget(changing)
	old, now := c.base.members(), c.head.members()
	for _, name := range sortedKeys(old) {
		switched := strings.Contains(old[name].fn.node.Text(), fallbackVariable)
		as, asked := names[name]
		if !asked && (!switched || !strings.Contains(name, ".")) {
			continue
		}
		if !asked {
			as = name
		}
		m, ok := now[as]
		if ok && (m.fn.node.Squeeze() == old[name].fn.node.Squeeze() || c.base.module.fnTerm(old[name].fn) == c.head.module.fnTerm(m.fn)) {
			continue
		}
		at, digest := syntax.Node{}, ""
		if ok {
			at, digest = m.fn.node.Field("name"), hash(m.fn.node)
		}
		does := "decides which backend answers"
		if switched {
			does = "obeys `" + fallbackVariable + "`"
		}
		c.add(Collection, at, "dispatcher "+name+" "+digest, "`%s`, which %s, was rewritten; a maintainer must look at whether another backend can answer for a kernel", name, does)
	}
}

// assigned are the names of modules to which one of their functions assigns.
func assigned(files ...*syntax.File) map[string]bool {
	out := map[string]bool{}
	for _, f := range files {
		for _, n := range f.Root().Find("global_statement") {
			for _, name := range n.NamedChildren() {
				out[name.Text()] = true
			}
		}
	}
	return out
}

// forget takes names of the module for what they are when a function is called:
// anything, and not what the module starts with.
func (s *side) forget(names map[string]bool) {
	for name := range names {
		if b, ok := s.module.vars[name]; ok && b.t != nil {
			s.module.vars[name] = binding{t: s.u.raw("state", name), at: b.at}
		}
	}
	s.fnOf = map[closureKey]*term{}
}
