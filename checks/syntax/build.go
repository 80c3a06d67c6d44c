package syntax

import (
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
	tree, stopped := parse(parser, src, len(b.f.nodes) > 0)
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
