package syntax

import (
	"bytes"
	"fmt"
	"sort"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// builder copies tree-sitter trees into the node list of one file.
type builder struct{ f *File }

// segment maps a part of a synthetic source back to the file: bytes from
// synthetic offset at, length long, stand at file offset to.
type segment struct{ at, length, to int }

// append parses src and appends its nodes. With segments, src is synthetic:
// offsets are mapped back, and those outside all segments take the nearest
// mapped offset. It reports false when the tree is deeper than MaxDepth.
func (b builder) append(src []byte, segments []segment) bool {
	parser := sitter.NewParser()
	defer parser.Close()
	if err := parser.SetLanguage(b.f.g.lang); err != nil {
		b.f.Unread = fmt.Sprintf("the %s grammar does not fit the parser: %v", b.f.Lang, err)
		return false
	}
	tree, stopped := parse(parser, src, segments != nil)
	if tree == nil {
		if segments != nil {
			stopped, _ = unmap(segments, stopped, stopped)
		}
		b.f.UnreadAt = Pos{Line: b.f.Position(stopped).Line}
		b.f.Unread = fmt.Sprintf("the parser gave up at line %d: what stands before is no %s, or far too much in one piece", b.f.UnreadAt.Line, b.f.Lang)
		return false
	}
	defer tree.Close()
	return b.copy(tree.RootNode(), segments)
}

func unmap(segments []segment, start, end int) (int, int) {
	// The first segment that does not end before an offset. What stands between
	// two segments, such as the bracket that closes one, belongs to the nearer.
	find := func(o int) int {
		i := sort.Search(len(segments), func(i int) bool { return segments[i].at+segments[i].length >= o })
		i = min(i, len(segments)-1)
		if i > 0 && o-(segments[i-1].at+segments[i-1].length) <= segments[i].at-o {
			i--
		}
		return i
	}
	at := func(i, o int) int {
		s := segments[i]
		return s.to + min(max(o-s.at, 0), s.length)
	}
	i := find(start)
	if end > start && i+1 < len(segments) && segments[i+1].at == start {
		i++ // the text of the node begins with the next segment
	}
	return at(i, start), at(max(i, find(end)), end)
}

// Valid Rust that the pinned grammar reads as an error. A file whose only damage is
// of this kind is read. Such a gap is either an error node that is left unvisited, as
// knownGap tells, or a word that is blanked before a second parse, as blankGaps does.

// knownGap reports whether an error is a negative literal as a generic argument, or
// the argument that is missing where there are none: Vec<>.
func knownGap(n Node) bool {
	if !n.Parent().Is("type_arguments") {
		return false
	}
	return n.Is(errorKind) && n.Text() == "-" || n.Is("type_identifier") && n.Text() == "" && n.Next().Is(">") && n.Parent().NamedChild(0) == n
}

// blankGaps returns the source with the words blanked that the grammar lacks, at
// unchanged offsets, or nil when it has none: unsafe before an extern block, and safe
// before an item of one. The tokens of the first parse tell where they stand.
func (f *File) blankGaps() []byte {
	var out []byte
	blank := func(n Node) {
		if out == nil {
			out = bytes.Clone(f.Src)
		}
		for i := n.Span().Start; i < n.Span().End; i++ {
			out[i] = ' '
		}
	}
	var before, last Node // the tokens that stand before one
	for i := int32(0); i < int32(len(f.nodes)); i++ {
		n := Node{f, i}
		text := n.IsComment() || n.Is("string_literal", "raw_string_literal")
		if !text && f.first(i) != none {
			continue
		}
		if text {
			i = f.after(i) - 1
		}
		switch t := n.Text(); {
		case t == "" || n.IsComment() || n.Is("string_literal") && last.Text() == "extern":
			continue
		case t == "{" && last.Text() == "extern" && before.Text() == "unsafe":
			blank(before)
		case (t == "fn" || t == "static") && last.Text() == "safe":
			blank(last)
		}
		before, last = last, n
	}
	return out
}
