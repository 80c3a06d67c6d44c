package syntax

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Limits of a file that is parsed. Files beyond them are unread, never clean.
const (
	// MaxSize is the largest file in bytes.
	MaxSize = 2 << 20
	// MaxDepth is the deepest nesting of syntax nodes, and of brackets.
	MaxDepth = 5000
)

// Lang is the language of a file.
type Lang uint8

// The languages that are parsed.
const (
	Rust Lang = iota + 1
	Python
	C // only embedded in another file: see Embed
)

// String names the language.
func (l Lang) String() string {
	return [...]string{Rust: "Rust", Python: "Python", C: "C"}[l]
}

// File is one parsed source file. It is immutable and safe for concurrent use.
type File struct {
	Path string // as given to Parse
	Lang Lang
	Src  []byte // without a byte-order mark, line ends as they are
	// BOM reports that a byte-order mark was removed from Src.
	BOM bool
	// Unread says why the file could not be read as a whole, or is empty. An
	// unread file may still have a tree; nodes inside damage are not visited.
	Unread string
	// UnreadAt is the place that Unread tells: line and column are 0 where they
	// are not known.
	UnreadAt Pos
	// Opaque holds the spans of macro bodies that could not be parsed again.
	Opaque []Span

	g      *grammar
	text   string          // Src again
	lines  []int32         // byte offset of each line start
	nodes  []node          // each before its children, then its parsed content
	subs   map[int32]int32 // token_tree -> root of its parsed content
	byKind []int32         // named nodes by kind, in the order of Inspect
	starts []int32         // where each kind starts in byKind
	// attributes holds, for a node after attributes, the first of them.
	attributes map[int32]int32
}

// Span is a range of byte offsets into File.Src, End exclusive.
type Span struct{ Start, End int }

// Contains reports whether s holds o.
func (s Span) Contains(o Span) bool { return s.Start <= o.Start && o.End <= s.End }

// Pos is a place in a file: line and column start at 1, the column counts bytes.
type Pos struct{ Line, Column int }

// Parse reads src as a file of the language. It never fails: what cannot be
// read is said in File.Unread. The file keeps src, which must not change.
func Parse(path string, lang Lang, src []byte) *File {
	f := &File{Path: path, Lang: lang, g: grammars[lang]}
	if rest, ok := bytes.CutPrefix(src, []byte("\xef\xbb\xbf")); ok {
		f.BOM, src = true, rest
	}
	f.setSource(src)
	f.lines = lineStarts(src)
	f.Unread, f.UnreadAt = unreadable(f)
	if f.Unread == "" && BracketDepth(src) > MaxDepth {
		f.Unread = fmt.Sprintf("brackets nested deeper than %d levels", MaxDepth)
	}
	if f.Unread != "" {
		return f
	}
	b := builder{f}
	switch lang {
	case Rust:
		b.rust()
	case Python:
		b.python()
	default:
		if b.append(src, nil) {
			b.damage()
		}
	}
	f.index()
	return f
}

// unreadable says why a file is no text of a size that is read, and where, or is
// empty.
func unreadable(f *File) (why string, at Pos) {
	switch src := f.Src; {
	case len(src) > MaxSize:
		return fmt.Sprintf("%d bytes, the limit is %d", len(src), MaxSize), Pos{}
	case bytes.IndexByte(src, 0) >= 0:
		at.Line = f.Position(bytes.IndexByte(src, 0)).Line
		return fmt.Sprintf("NUL byte at line %d", at.Line), at
	case !utf8.Valid(src):
		at.Line = f.Position(invalidUTF8(src)).Line
		return fmt.Sprintf("not UTF-8 at line %d", at.Line), at
	}
	return "", Pos{}
}

func (f *File) setSource(src []byte) {
	f.Src = src
	// A file is immutable, so that texts may be parts of it instead of copies.
	f.text = unsafe.String(unsafe.SliceData(src), len(src))
}

// Root is the node of the whole file; invalid for a file without a tree.
func (f *File) Root() Node {
	if len(f.nodes) == 0 {
		return Node{}
	}
	return Node{f, 0}
}

// Position returns the place of a byte offset.
func (f *File) Position(offset int) Pos {
	i, exact := slices.BinarySearch(f.lines, int32(offset))
	if !exact {
		i--
	}
	return Pos{i + 1, offset - int(f.lines[i]) + 1}
}

// Line returns the text of a line (from 1) without its line end.
func (f *File) Line(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	end := len(f.Src)
	if n < len(f.lines) {
		end = int(f.lines[n])
	}
	return strings.TrimRight(f.text[f.lines[n-1]:end], "\r\n")
}

// LineCount counts the lines of the file.
func (f *File) LineCount() int { return len(f.lines) }

// CRLF reports whether the file's first line ends in a carriage return and a
// line feed, which edits then keep.
func (f *File) CRLF() bool {
	i := bytes.IndexByte(f.Src, '\n')
	return i > 0 && f.Src[i-1] == '\r'
}

func lineStarts(src []byte) []int32 {
	starts := make([]int32, 1, 1+bytes.Count(src, []byte("\n")))
	for i, c := range src {
		if c == '\n' && i+1 < len(src) {
			starts = append(starts, int32(i+1))
		}
	}
	return starts
}

func invalidUTF8(src []byte) int {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return 0
}

// BracketDepth is the deepest bracket nesting, strings and comments included:
// an upper bound that is cheap enough to ask before the C parser is.
func BracketDepth(src []byte) int {
	depth, deepest := 0, 0
	for _, c := range src {
		switch c {
		case '(', '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
	}
	return deepest
}

// Enclosing is the smallest node that holds a span, parsed macro content
// included; invalid when the file has no tree.
func (f *File) Enclosing(s Span) Node {
	n := f.Root()
	for n.Valid() {
		inner := Node{}
		if p := n.Parsed(); p.Valid() {
			inner = p
		} else {
			for c := range n.Children() {
				if c.Span().Contains(s) {
					inner = c
					break
				}
			}
		}
		if !inner.Valid() || !inner.Span().Contains(s) {
			return n
		}
		n = inner
	}
	return n
}

// LineStart is the byte offset at which a line (from 1) starts.
func (f *File) LineStart(n int) int { return int(f.lines[n-1]) }

// Lines wraps any text as a File without a tree, for its lines and positions. The
// file keeps src, which must not change.
func Lines(src []byte) *File {
	f := &File{}
	if rest, ok := bytes.CutPrefix(src, []byte("\xef\xbb\xbf")); ok {
		f.BOM, src = true, rest
	}
	f.setSource(src)
	f.lines = lineStarts(src)
	return f
}

// Plain is Lines for a file of a checkout, with what makes it unread.
func Plain(path string, src []byte) *File {
	f := Lines(src)
	f.Path = path
	f.Unread, f.UnreadAt = unreadable(f)
	return f
}

// Memory is about how many bytes the file takes.
func (f *File) Memory() int {
	return len(f.Src) + len(f.lines)*int(unsafe.Sizeof(f.lines[0])) + len(f.nodes)*(int(unsafe.Sizeof(node{}))+8)
}
