package host

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// Manifest is a Cargo.toml with places. Tables, dotted keys and inline tables
// look alike: each value has one path.
type Manifest struct {
	File *syntax.File
	// Problem says why the file is no TOML, with ProblemAt its place.
	Problem   string
	ProblemAt syntax.Span
	Values    []Value
	Tables    []Table

	scanned int // bytes that valueEnd looked at
}

// maxParts bounds the parts of a key with those of its tables, each of which all
// values below repeat.
const maxParts = 32

// Value is one leaf: a key with a string, an array of strings, or another
// scalar.
type Value struct {
	Path   []string
	Text   string   // the value of a string, else the source
	List   []string // elements of an array
	String bool
	Array  bool
	// Key and At are the places of the key and of the value; the line of an
	// inline table counts from its outermost key.
	Key, At syntax.Span
	// Entry is the place from the key on the line to the end of its value.
	Entry syntax.Span
}

// Table is a [header].
type Table struct {
	Path []string
	At   syntax.Span
}

// ParseTOML reads any TOML file, such as .cargo/config.toml, with places.
func ParseTOML(t *tree.Tree, p string) *Manifest { return parseManifest(t, p) }

func parseManifest(t *tree.Tree, p string) *Manifest {
	f := t.File(p)
	m := &Manifest{File: f}
	legacy := strings.HasSuffix(p, ".cargo/config") // Cargo's name for config.toml before
	if f.Unread != "" || path.Ext(p) != ".toml" && !legacy {
		m.Problem = f.Unread
		return m
	}
	parser := unstable.Parser{}
	parser.Reset(f.Src)
	var table []string
	for parser.NextExpression() {
		e := parser.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = nil
			var at syntax.Span
			for it := e.Key(); it.Next(); {
				table = append(table, string(it.Node().Data))
				at = cover(at, keySpan(it.Node()))
			}
			m.Tables = append(m.Tables, Table{table, at})
		case unstable.KeyValue:
			m.keyValue(&parser, table, e, syntax.Span{})
		}
	}
	var perr *unstable.ParserError
	if err := parser.Error(); errors.As(err, &perr) {
		r := parser.Range(perr.Highlight)
		m.Problem, m.ProblemAt = perr.Message, syntax.Span{Start: int(r.Offset), End: int(r.Offset + r.Length)}
		return m
	} else if err != nil {
		m.Problem = err.Error()
		return m
	}
	if m.Problem != "" {
		return m
	}
	// Keys that are defined twice only show when the document is decoded.
	var all map[string]any
	var derr *toml.DecodeError
	if err := toml.Unmarshal(f.Src, &all); errors.As(err, &derr) {
		line, _ := derr.Position()
		m.Problem = derr.Error()
		m.ProblemAt = syntax.Span{Start: f.LineStart(line), End: f.LineStart(line) + len(f.Line(line))}
	} else if err != nil {
		m.Problem = err.Error()
	}
	return m
}

func keySpan(n *unstable.Node) syntax.Span {
	return syntax.Span{Start: int(n.Raw.Offset), End: int(n.Raw.Offset + n.Raw.Length)}
}

func cover(a, b syntax.Span) syntax.Span {
	if a == (syntax.Span{}) {
		return b
	}
	return syntax.Span{Start: min(a.Start, b.Start), End: max(a.End, b.End)}
}

// keyValue flattens one key with its value.
func (m *Manifest) keyValue(p *unstable.Parser, prefix []string, e *unstable.Node, outer syntax.Span) {
	v := Value{Path: append([]string{}, prefix...)}
	for it := e.Key(); it.Next(); {
		v.Path = append(v.Path, string(it.Node().Data))
		v.Key = cover(v.Key, keySpan(it.Node()))
	}
	if len(v.Path) > maxParts {
		m.Problem, m.ProblemAt = fmt.Sprintf("expected keys of at most %d parts", maxParts), v.Key
		return
	}
	if outer == (syntax.Span{}) {
		outer = syntax.Span{Start: v.Key.Start, End: m.valueEnd(v.Key.End)}
	}
	v.Entry = outer
	n := e.Value()
	if n.Kind == unstable.InlineTable {
		for it := n.Children(); it.Next(); {
			m.keyValue(p, v.Path, it.Node(), outer)
		}
		return
	}
	v.At = keySpan(n)
	switch n.Kind {
	case unstable.String:
		v.String, v.Text = true, string(n.Data)
	case unstable.Array:
		v.Array = true
		v.At = outer
		for it := n.Children(); it.Next(); {
			v.List = append(v.List, string(it.Node().Data))
		}
	default:
		v.Text = string(n.Data)
	}
	if v.At.End <= v.At.Start {
		v.At = outer
	}
	m.Values = append(m.Values, v)
}

// valueEnd is the end of the value that follows a key: of its line, or of the
// bracket that opens on it.
func (m *Manifest) valueEnd(key int) int {
	src := m.File.Src
	if m.scanned > 4*len(src) {
		return key // quotes that mislead, again and again
	}
	depth, quote := 0, byte(0)
	for i := key; i < len(src); i++ {
		m.scanned++
		c := src[i]
		switch {
		case quote != 0:
			switch {
			case c == quote:
				quote = 0
			case c == '\\' && quote == '"':
				i++
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == '#' || c == '\n':
			if depth <= 0 {
				return key + len(strings.TrimRight(string(src[key:i]), " \t\r"))
			}
			for c == '#' && i+1 < len(src) && src[i+1] != '\n' {
				i++
			}
		}
	}
	return len(src)
}

// Get is the value at a path.
func (m *Manifest) Get(keys ...string) (Value, bool) {
	for _, v := range m.Values {
		if strings.Join(v.Path, "\x00") == strings.Join(keys, "\x00") {
			return v, true
		}
	}
	return Value{}, false
}

// Under lists the values at or below a path.
func (m *Manifest) Under(keys ...string) []Value {
	var out []Value
	for _, v := range m.Values {
		if len(v.Path) >= len(keys) && strings.Join(v.Path[:len(keys)], "\x00") == strings.Join(keys, "\x00") {
			out = append(out, v)
		}
	}
	return out
}

// Table is the header of a table.
func (m *Manifest) Table(keys ...string) (Table, bool) {
	for _, t := range m.Tables {
		if strings.Join(t.Path, "\x00") == strings.Join(keys, "\x00") {
			return t, true
		}
	}
	return Table{}, false
}

// FileText is the source of the value.
func (v Value) FileText(m *Manifest) []byte { return m.File.Src[v.At.Start:v.At.End] }
