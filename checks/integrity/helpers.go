package integrity

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// takeHelpers finds the functions of files below tests that this revision of a test
// file uses and the other does not take from there: what moved to such a file, or was
// written out in its place, is entered as one of the file's own. Those that both use
// stay what they are called, since they are compared where they are.
func (s *side) takeHelpers(t *tree.Tree, other *syntax.File) {
	names := func(f *syntax.File) map[string]bool {
		out := map[string]bool{}
		for _, id := range f.Root().Find("identifier") {
			out[id.Text()] = true
		}
		return out
	}
	functions := func(f *syntax.File) map[string]bool {
		out := map[string]bool{}
		for _, def := range f.Root().Find("function_definition") {
			if host(def) {
				out[def.Field("name").Text()] = true
			}
		}
		return out
	}
	mine, theirs, own := names(s.file), names(other), functions(other)
	for _, p := range imported(s.file) {
		if p == s.file.Path || !t.Exists(p) {
			continue
		}
		f := t.File(p)
		if f.Unread != "" {
			continue
		}
		var wanted []string
		for name := range functions(f) {
			if mine[name] && (!theirs[name] || own[name]) && !isCheck(name) && !isMeasure(name) {
				wanted = append(wanted, name)
			}
		}
		if len(wanted) == 0 {
			continue
		}
		from := newSide(s.u, f, s.known)
		from.u, from.closures, from.shown, from.classes, from.keys, from.named = s.u, s.closures, s.shown, s.classes, s.keys, s.named
		from.tested = s.tested
		from.load()
		s.others = append(s.others, from.order...)
		module := strings.TrimSuffix(strings.ReplaceAll(p, "/", "."), ".py")
		slices.Sort(wanted)
		for _, name := range wanted {
			b := from.module.vars[name]
			if b.fn == nil || b.t != nil || fixtureOf(b.fn.node).Valid() {
				continue
			}
			s.helpers[canonical(module+"."+name)] = b.fn
			s.helpers[module[strings.LastIndexByte(module, '.')+1:]+"."+name] = b.fn
		}
	}
}
