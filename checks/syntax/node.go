package syntax

import (
	"iter"
	"slices"
	"strings"
)

const none = int32(-1)

// node is one syntax node. Children form a list through next. It holds no
// pointers, so that C may fill it and the garbage collector need not look into
// it: a review keeps millions.
type node struct {
	kind       uint16 // index into the grammar's kinds
	field      uint8  // index into the grammar's fields
	flags      uint8
	start, end uint32
	parent     int32
	next       int32
}

// The flags of a node.
const (
	named   = 1 << iota
	damaged // ERROR, MISSING, or inside an ERROR
	inner   // has children: the first is the next of the file's nodes
	visited // by Inspect when it starts at the root
)

// first is the first child of a node, or none.
func (f *File) first(i int32) int32 {
	if f.nodes[i].flags&inner != 0 {
		return i + 1
	}
	return none
}

// sub is the root of the parsed content of a node, or none.
func (f *File) sub(i int32) int32 {
	if f.nodes[i].kind == f.g.treeID {
		if s, ok := f.subs[i]; ok {
			return s
		}
	}
	return none
}

// Node is a handle on a syntax node; the zero Node is invalid and all its
// methods return zero values.
type Node struct {
	f *File
	i int32
}

// Valid reports whether n is a node.
func (n Node) Valid() bool { return n.f != nil }

// File is the file that the node belongs to.
func (n Node) File() *File { return n.f }

func (n Node) node() *node { return &n.f.nodes[n.i] }

func (n Node) at(i int32) Node {
	if i == none {
		return Node{}
	}
	return Node{n.f, i}
}

// Kind is the grammar's name of the node, such as "call_expression"; for an
// anonymous node its text, such as "+".
func (n Node) Kind() string {
	if !n.Valid() {
		return ""
	}
	return n.f.g.kinds[n.node().kind]
}

// Is reports whether the node is of one of the kinds.
func (n Node) Is(kinds ...string) bool {
	k := n.Kind()
	for _, want := range kinds {
		if k == want {
			return true
		}
	}
	return false
}

// Named reports whether the node is named in the grammar.
func (n Node) Named() bool { return n.Valid() && n.node().flags&named != 0 }

// Damaged reports whether the node is or lies inside a syntax error.
func (n Node) Damaged() bool { return n.Valid() && n.node().flags&damaged != 0 }

// Span is the node's range of bytes.
func (n Node) Span() Span {
	if !n.Valid() {
		return Span{}
	}
	return Span{int(n.node().start), int(n.node().end)}
}

// Text is the node's source text. It shares the file's memory.
func (n Node) Text() string {
	if !n.Valid() {
		return ""
	}
	return n.f.text[n.node().start:n.node().end]
}

// Pos is the place where the node starts.
func (n Node) Pos() Pos {
	if !n.Valid() {
		return Pos{}
	}
	return n.f.Position(int(n.node().start))
}

// EndPos is the place after the node's last byte.
func (n Node) EndPos() Pos {
	if !n.Valid() {
		return Pos{}
	}
	return n.f.Position(int(n.node().end))
}

// Parent is the enclosing node; from the root of parsed macro content it is
// the token tree that holds the content.
func (n Node) Parent() Node {
	if !n.Valid() {
		return Node{}
	}
	return n.at(n.node().parent)
}

// Ancestor is the nearest enclosing node of one of the kinds.
func (n Node) Ancestor(kinds ...string) Node {
	for p := n.Parent(); p.Valid(); p = p.Parent() {
		if p.Is(kinds...) {
			return p
		}
	}
	return Node{}
}

// Inside reports whether n is outer or lies below it.
func (n Node) Inside(outer Node) bool {
	for ; n.Valid(); n = n.Parent() {
		if n == outer {
			return true
		}
	}
	return false
}

// Children yields all children, anonymous ones and comments included.
func (n Node) Children() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if !n.Valid() {
			return
		}
		for i := n.f.first(n.i); i != none; i = n.f.nodes[i].next {
			if !yield(Node{n.f, i}) {
				return
			}
		}
	}
}

// NamedChildren lists the named children without comments.
func (n Node) NamedChildren() []Node {
	count := 0
	for c := range n.Children() {
		if c.Named() && !c.IsComment() {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	out := make([]Node, 0, count)
	for c := range n.Children() {
		if c.Named() && !c.IsComment() {
			out = append(out, c)
		}
	}
	return out
}

// NamedChild is the i-th (from 0) named child that is no comment.
func (n Node) NamedChild(i int) Node {
	for c := range n.Children() {
		if c.Named() && !c.IsComment() {
			if i == 0 {
				return c
			}
			i--
		}
	}
	return Node{}
}

// Field is the first child with that field name.
func (n Node) Field(name string) Node {
	if !n.Valid() {
		return Node{}
	}
	for i := n.f.first(n.i); i != none; i = n.f.nodes[i].next {
		if f := n.f.nodes[i].field; f != 0 && n.f.g.fields[f] == name {
			return Node{n.f, i}
		}
	}
	return Node{}
}

// Fields lists all children with that field name.
func (n Node) Fields(name string) []Node {
	var out []Node
	for c := range n.Children() {
		if n.f.g.fields[c.node().field] == name {
			out = append(out, c)
		}
	}
	return out
}

// ChildOf is the first child of one of the kinds.
func (n Node) ChildOf(kinds ...string) Node {
	for c := range n.Children() {
		if c.Is(kinds...) {
			return c
		}
	}
	return Node{}
}

// Next is the following sibling that is no comment.
func (n Node) Next() Node {
	if !n.Valid() {
		return Node{}
	}
	for i := n.node().next; i != none; i = n.f.nodes[i].next {
		if c := (Node{n.f, i}); !c.IsComment() {
			return c
		}
	}
	return Node{}
}

// IsComment reports whether the node is a comment of either language.
func (n Node) IsComment() bool { return n.Is("line_comment", "block_comment", "comment") }

// Parsed is the content of a token tree as syntax: for the arguments of a list
// macro an array_expression, for the body of a macro rule a block. Invalid when
// the content is opaque.
func (n Node) Parsed() Node {
	if !n.Valid() {
		return Node{}
	}
	return n.at(n.f.sub(n.i))
}

// Inspect visits the node and all below it in source order, parsed macro
// content in place of its tokens; opaque token trees and damaged subtrees are
// not entered. When visit returns false the node's children are skipped.
func (n Node) Inspect(visit func(Node) bool) {
	if n.Valid() {
		n.f.inspect(n.i, visit)
	}
}

func (f *File) inspect(i int32, visit func(Node) bool) {
	n := &f.nodes[i]
	if n.flags&damaged != 0 || !visit(Node{f, i}) {
		return
	}
	c := f.first(i)
	if n.kind == f.g.treeID {
		c = f.sub(i)
	}
	for ; c != none; c = f.nodes[c].next {
		f.inspect(c, visit)
	}
}

// Find lists all nodes of the kinds at or below n, as Inspect visits them.
// Kinds of named nodes are looked up: that takes as long as the result, not as
// the tree.
func (n Node) Find(kinds ...string) []Node {
	if !n.Valid() {
		return nil
	}
	f := n.f
	look := f.nodes[n.i].flags&visited != 0 // else inside damage or opaque tokens
	for _, kind := range kinds {
		if id, ok := f.g.ids[kind]; ok && id >= f.g.named {
			look = false
		}
	}
	if !look {
		var out []Node
		n.Inspect(func(c Node) bool {
			if c.Is(kinds...) {
				out = append(out, c)
			}
			return true
		})
		return out
	}
	to := f.after(n.i)
	var found [][]int32
	count := 0
	for _, kind := range kinds {
		if id, ok := f.g.ids[kind]; ok {
			all := f.byKind[f.starts[id]:f.starts[id+1]]
			from, _ := slices.BinarySearch(all, n.i)
			all = all[from:]
			end, _ := slices.BinarySearch(all, to)
			all = all[:end]
			if len(all) > 0 {
				found = append(found, all)
				count += len(all)
			}
		}
	}
	if count == 0 {
		return nil
	}
	out := make([]Node, 0, count)
	for len(found) > 1 {
		// Take the earliest of the heads of the lists.
		at := 0
		for k, list := range found {
			if list[0] < found[at][0] {
				at = k
			}
		}
		out = append(out, Node{f, found[at][0]})
		if found[at] = found[at][1:]; len(found[at]) == 0 {
			found = slices.Delete(found, at, at+1)
		}
	}
	for _, i := range found[0] {
		out = append(out, Node{f, i})
	}
	return out
}

// after is the index of the first node that stands after all nodes at or below
// a node, its parsed content included.
func (f *File) after(i int32) int32 {
	for ; i != none; i = f.nodes[i].parent {
		if next := f.nodes[i].next; next != none {
			return next
		}
	}
	return int32(len(f.nodes))
}

// Attributes lists the attribute nodes ("attribute") that stand before a Rust
// item, nearest last.
func (n Node) Attributes() []Node {
	if !n.Valid() {
		return nil
	}
	first, ok := n.f.attributes[n.i]
	if !ok {
		return nil
	}
	var out []Node
	for c := (Node{n.f, first}); c != n; c = n.at(c.node().next) {
		if c.Is("attribute_item") {
			out = append(out, c.ChildOf("attribute"))
		}
	}
	return out
}

// findAttributes notes for each node after attributes where those begin: a search
// among all siblings would take quadratic time for a file of many items.
func (f *File) findAttributes() {
	id, ok := f.g.ids["attribute_item"]
	if !ok {
		return
	}
	for i := range f.nodes {
		if f.nodes[i].kind != id {
			continue
		}
		if _, later := f.attributes[int32(i)]; later {
			continue // not the first of its row
		}
		if f.attributes == nil {
			f.attributes = map[int32]int32{}
		}
		for c := f.nodes[i].next; c != none; c = f.nodes[c].next {
			f.attributes[c] = int32(i)
			if n := (Node{f, c}); f.nodes[c].kind != id && !n.IsComment() {
				break
			}
		}
	}
}

// Squeeze is the node's text with comments removed and white space dropped
// where it separates nothing, for comparing code as written.
func (n Node) Squeeze() string {
	var b strings.Builder
	var leaf func(Node)
	last := byte(0)
	leaf = func(c Node) {
		if c.IsComment() {
			return
		}
		atomic := c.f.first(c.i) == none || c.Is("string_literal", "raw_string_literal", "char_literal", "string", "concatenated_string")
		if !atomic {
			for ch := range c.Children() {
				leaf(ch)
			}
			return
		}
		t := c.Text()
		if t == "" {
			return
		}
		if word(last) && word(t[0]) {
			b.WriteByte(' ')
		}
		b.WriteString(t)
		last = t[len(t)-1]
	}
	if n.Valid() {
		leaf(n)
	}
	return b.String()
}

func word(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// index sorts the named nodes that Inspect visits by kind, and within a kind in
// visiting order, which is the order of the nodes: parsed macro content counts
// and opaque or damaged parts do not.
func (f *File) index() {
	f.findAttributes()
	f.starts = make([]int32, f.g.named+1)
	f.Root().Inspect(func(n Node) bool {
		n.node().flags |= visited
		if kind := n.node().kind; kind < f.g.named {
			f.starts[kind]++
		}
		return true
	})
	// starts[k] is first the end of kind k, and its start once it is filled from
	// the last node to the first.
	total := int32(0)
	for kind, count := range f.starts {
		total += count
		f.starts[kind] = total
	}
	f.byKind = make([]int32, total)
	for i := len(f.nodes) - 1; i >= 0; i-- {
		if n := &f.nodes[i]; n.flags&visited != 0 && n.kind < f.g.named {
			f.starts[n.kind]--
			f.byKind[f.starts[n.kind]] = int32(i)
		}
	}
}
