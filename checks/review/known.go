package review

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// known tells, by index, which hits the base has. A hit is new when its
// fingerprint occurs more often than in the base; the earlier ones are the old.
// What is left on both sides is compared once more without the names that a
// function gives its own things, and then without the names of functions that
// are on one side only: such a hit was renamed. A file that was renamed counts
// under its name at the base. Then come those that moved: into a function that is
// new or out of one that is gone, and with their function into another file.
//
// Counting cannot tell a finding that moved or was renamed from one that was
// mended while another of the same shape came: neither is new, since the head
// has no more of them than the base.
func known(hits, base []hit, head, before *tree.Tree) map[int]bool {
	out := map[int]bool{}
	var left []int
	free := map[string][]int{}
	for i, h := range base {
		free[h.fingerprint] = append(free[h.fingerprint], i)
	}
	gone := map[int]bool{}
	for i := range base {
		gone[i] = true
	}
	for i, h := range hits {
		if at := free[h.fingerprint]; len(at) > 0 {
			delete(gone, at[0])
			free[h.fingerprint], out[i] = at[1:], true
			continue
		}
		left = append(left, i)
	}
	if len(left) == 0 || len(gone) == 0 {
		return out
	}
	n := &namer{map[syntax.Node]map[string]bool{}, map[string]bool{}, renamedFiles(hits, left, base, gone, head, before), map[syntax.Node]map[string]int{}}
	for _, m := range []match{
		{func(h hit, _ *tree.Tree, _ bool) string { return n.shape(h, h.fn) }, nil},
		{func(h hit, other *tree.Tree, _ bool) string {
			if h.fn == "" || n.has(other, h.File.Path, h.fn) {
				return ""
			}
			return n.shape(h, "")
		}, nil},
		{n.moved(false), nil}, // into a function that is new
		{n.moved(true), nil},  // out of one that is gone
		{func(h hit, other *tree.Tree, _ bool) string {
			if h.fn == "" || !head.Exists(h.File.Path) || n.has(other, h.File.Path, h.fn) {
				return ""
			}
			return n.in(h, "", h.fn)
		}, n.sameFunction},
	} {
		waiting := map[string][]int{}
		for i, h := range base {
			if gone[i] {
				if k := m.key(h, head, true); k != "" {
					waiting[k] = append(waiting[k], i)
				}
			}
		}
		left = slices.DeleteFunc(left, func(i int) bool {
			k := m.key(hits[i], before, false)
			at := waiting[k]
			if k == "" || len(at) == 0 || m.fits != nil && !m.fits(base[at[0]], hits[i]) {
				return false
			}
			delete(gone, at[0])
			waiting[k], out[i] = at[1:], true
			return true
		})
	}
	return out
}

// match pairs the hits of both sides that have one key, which is empty for those
// that it is not about, and that fit each other.
type match struct {
	key  func(h hit, other *tree.Tree, old bool) string
	fits func(old, now hit) bool
}

// moved is the key of hits that went from one function of a file to another: those of
// the side that has the function alone, and all of the other one.
func (n *namer) moved(oldAlone bool) func(h hit, other *tree.Tree, old bool) string {
	return func(h hit, other *tree.Tree, old bool) string {
		if old == oldAlone && (h.fn == "" || n.has(other, h.File.Path, h.fn)) {
			return ""
		}
		return n.shape(h, "")
	}
}

// sameFunction reports whether two hits stand in one function that is now in another
// file: most of its lines are the same.
func (n *namer) sameFunction(old, now hit) bool {
	return path.Ext(old.File.Path) == path.Ext(now.File.Path) && likeness(n.lines(old), n.lines(now)) >= alike
}

// lines counts the lines of the function that a hit stands in.
func (n *namer) lines(h hit) map[string]int {
	fn := owner(h)
	if n.text[fn] == nil {
		n.text[fn] = countLines(strings.Split(fn.Text(), "\n"))
	}
	return n.text[fn]
}

// owner is the function that a hit stands in.
func owner(h hit) syntax.Node {
	fn := h.File.Enclosing(h.Span)
	for fn.Valid() && !fn.Is("function_item", "function_definition") {
		fn = fn.Parent()
	}
	return fn
}

// alike is the share of equal lines from which a file counts as another one
// renamed. It is the one that git takes.
const alike = 0.5

// renamedFiles pairs the files that only one side has and that have hits left:
// it holds the other side's path of each.
func renamedFiles(hits []hit, left []int, base []hit, gone map[int]bool, head, before *tree.Tree) map[string]string {
	only := func(other *tree.Tree, each iter.Seq[hit]) map[string]*syntax.File {
		out := map[string]*syntax.File{}
		for h := range each {
			if !other.Exists(h.File.Path) {
				out[h.File.Path] = h.File
			}
		}
		return out
	}
	came := only(before, func(yield func(hit) bool) {
		for _, i := range left {
			if !yield(hits[i]) {
				return
			}
		}
	})
	went := only(head, func(yield func(hit) bool) {
		for i := range gone {
			if !yield(base[i]) {
				return
			}
		}
	})
	pairs := map[string]string{}
	if len(came) == 0 || len(went) == 0 {
		return pairs
	}
	lines := map[string]map[string]int{}
	for _, side := range []map[string]*syntax.File{came, went} {
		for p, f := range side {
			lines[p] = countLines(strings.Split(string(f.Src), "\n"))
		}
	}
	for _, c := range slices.Sorted(maps.Keys(came)) {
		best, share := "", alike
		for _, w := range slices.Sorted(maps.Keys(went)) {
			if s := likeness(lines[c], lines[w]); path.Ext(c) == path.Ext(w) && pairs[w] == "" && s >= share {
				best, share = w, s
			}
		}
		if best != "" {
			pairs[c], pairs[best] = best, c
		}
	}
	return pairs
}

// countLines counts lines without white space at their ends.
func countLines(lines []string) map[string]int {
	n := map[string]int{}
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			n[l]++
		}
	}
	return n
}

// likeness is the share of lines that two files have in common.
func likeness(a, b map[string]int) float64 {
	common, all := 0, 0
	for l, n := range a {
		common += min(n, b[l])
		all += n
	}
	for _, n := range b {
		all += n
	}
	return 2 * float64(common) / float64(max(all, 1))
}

// namer knows the names of functions and of what they declare, and the files
// that were renamed.
type namer struct {
	declared map[syntax.Node]map[string]bool
	exists   map[string]bool
	renamed  map[string]string
	text     map[syntax.Node]map[string]int // lines of functions
}

// name is the file's name in a hit's shape; a renamed file has one on both sides.
func (n *namer) name(p string) string {
	if other := n.renamed[p]; other != "" {
		p = min(p, other)
	}
	return path.Base(p)
}

// outermost is the function around all others that a function stands in, which see
// what it declares.
func outermost(fn syntax.Node) syntax.Node {
	for p := fn.Parent(); p.Valid(); p = p.Parent() {
		if p.Is("function_item", "function_definition") {
			fn = p
		}
	}
	return fn
}

// shape is a hit without the names that its function declares.
func (n *namer) shape(h hit, fn string) string { return n.in(h, n.name(h.File.Path), fn) }

// in is the shape of a hit in a file of a name.
func (n *namer) in(h hit, file, fn string) string {
	names := n.names(outermost(owner(h)))
	var text strings.Builder
	order := map[string]int{}
	at := h.Span.Start
	for _, id := range h.File.Enclosing(h.Span).Find("identifier") {
		s := id.Span()
		if s.Start < at || s.End > h.Span.End || !names[id.Text()] {
			continue
		}
		if order[id.Text()] == 0 {
			order[id.Text()] = len(order) + 1
		}
		fmt.Fprintf(&text, "%s\x01%d\x01", h.File.Src[at:s.Start], order[id.Text()])
		at = s.End
	}
	text.Write(h.File.Src[at:h.Span.End])
	return strings.Join([]string{h.rule.ID, file, fn, h.Construct, strings.Join(strings.Fields(text.String()), " ")}, "\x00")
}

// names holds a function's own name and those that it declares.
func (n *namer) names(fn syntax.Node) map[string]bool {
	if out, ok := n.declared[fn]; ok || !fn.Valid() {
		return out
	}
	out := map[string]bool{fn.Field("name").Text(): true}
	add := func(p syntax.Node) {
		for _, id := range p.Find("identifier") {
			out[id.Text()] = true
		}
	}
	fn.Inspect(func(c syntax.Node) bool {
		switch c.Kind() {
		case "let_declaration", "parameter", "for_expression":
			add(c.Field("pattern"))
		case "closure_parameters":
			add(c)
		case "parameters", "lambda_parameters":
			for _, q := range c.NamedChildren() {
				switch {
				case q.Is("identifier"):
					add(q)
				case q.Field("name").Valid():
					add(q.Field("name"))
				case q.Is("typed_parameter"):
					add(q.NamedChild(0))
				}
			}
		case "assignment", "for_statement", "for_in_clause":
			add(c.Field("left"))
		case "function_definition":
			add(c.Field("name"))
		}
		return true
	})
	n.declared[fn] = out
	return out
}

// has reports whether a file of the other tree has a function of a name.
func (n *namer) has(t *tree.Tree, at, fn string) bool {
	at = cmp.Or(n.renamed[at], at)
	side := fmt.Sprintf("%p\x00%s", t, at)
	if _, ok := n.exists[side]; !ok {
		n.exists[side] = true
		if t.Exists(at) {
			for _, f := range t.File(at).Root().Find("function_item", "function_definition") {
				n.exists[side+"\x00"+f.Field("name").Text()] = true
			}
		}
	}
	return n.exists[side+"\x00"+fn]
}
