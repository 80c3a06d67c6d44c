package syntax

import (
	"iter"
	"strings"
)

const none = int32(-1)

// node is one syntax node. Children form a list through next.
type node struct {
	kind       string
	field      string
	start, end int
	parent     int32
	first      int32
	next       int32
	sub        int32 // token_tree only: root of the parsed content
	named      bool
	damaged    bool // ERROR, MISSING, or inside an ERROR
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
	return n.node().kind
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
func (n Node) Named() bool { return n.Valid() && n.node().named }

// Damaged reports whether the node is or lies inside a syntax error.
func (n Node) Damaged() bool { return n.Valid() && n.node().damaged }

// Span is the node's range of bytes.
func (n Node) Span() Span {
	if !n.Valid() {
		return Span{}
	}
	return Span{n.node().start, n.node().end}
}

// Text is the node's source text.
func (n Node) Text() string {
	if !n.Valid() {
		return ""
	}
	return string(n.f.Src[n.node().start:n.node().end])
}

// Pos is the place where the node starts.
func (n Node) Pos() Pos {
	if !n.Valid() {
		return Pos{}
	}
	return n.f.Position(n.node().start)
}

// EndPos is the place after the node's last byte.
func (n Node) EndPos() Pos {
	if !n.Valid() {
		return Pos{}
	}
	return n.f.Position(n.node().end)
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
		for i := n.node().first; i != none; i = n.f.nodes[i].next {
			if !yield(Node{n.f, i}) {
				return
			}
		}
	}
}

// NamedChildren lists the named children without comments.
func (n Node) NamedChildren() []Node {
	var out []Node
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
	for c := range n.Children() {
		if c.node().field == name {
			return c
		}
	}
	return Node{}
}

// Fields lists all children with that field name.
func (n Node) Fields(name string) []Node {
	var out []Node
	for c := range n.Children() {
		if c.node().field == name {
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

// Prev is the preceding sibling that is no comment.
func (n Node) Prev() Node {
	last := Node{}
	for c := range n.Parent().Children() {
		if c == n {
			return last
		}
		if !c.IsComment() {
			last = c
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
	return n.at(n.node().sub)
}

// Inspect visits the node and all below it in source order, parsed macro
// content in place of its tokens; opaque token trees and damaged subtrees are
// not entered. When visit returns false the node's children are skipped.
func (n Node) Inspect(visit func(Node) bool) {
	if !n.Valid() || n.Damaged() || !visit(n) {
		return
	}
	if n.Is("token_tree") {
		n.Parsed().Inspect(visit)
		return
	}
	for c := range n.Children() {
		c.Inspect(visit)
	}
}

// Find lists all nodes of the kinds at or below n, as Inspect visits them.
func (n Node) Find(kinds ...string) []Node {
	if !n.Valid() {
		return nil
	}
	var out []Node
	if n.i == 0 && len(kinds) == 1 {
		for _, i := range n.f.byKind[kinds[0]] {
			out = append(out, Node{n.f, i})
		}
		return out
	}
	n.Inspect(func(c Node) bool {
		if c.Is(kinds...) {
			out = append(out, c)
		}
		return true
	})
	return out
}

// Attributes lists the attribute nodes ("attribute") that stand before a Rust
// item, nearest last.
func (n Node) Attributes() []Node {
	var out []Node
	for c := range n.Parent().Children() {
		switch {
		case c == n:
			return out
		case c.Is("attribute_item"):
			out = append(out, c.ChildOf("attribute"))
		case !c.IsComment():
			out = nil
		}
	}
	return nil
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
		atomic := c.node().first == none || c.Is("string_literal", "raw_string_literal", "char_literal", "string", "concatenated_string")
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

// index fills byKind in visiting order, so that parsed macro content counts
// and opaque or damaged parts do not.
func (f *File) index() {
	f.byKind = make(map[string][]int32)
	f.Root().Inspect(func(n Node) bool {
		f.byKind[n.Kind()] = append(f.byKind[n.Kind()], n.i)
		return true
	})
}
