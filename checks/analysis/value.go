package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxDepth bounds the nesting of a document.
const maxDepth = 100

// value is a JSON value with the line on which it ends its first token.
type value struct {
	line    int
	at      span // of its first token
	kind    kind
	members []member // object
	items   []value  // array
	text    string   // string or number
	truth   bool     // boolean
}

type member struct {
	key   string
	line  int
	at    span // of the key
	value value
}

// span is a range of byte offsets, the end exclusive.
type span struct{ start, end int }

type kind uint8

const (
	null kind = iota
	object
	array
	text
	number
	boolean
)

func (k kind) String() string {
	return [...]string{"null", "an object", "a list", "a string", "a number", "a boolean"}[k]
}

// get is a member of an object, and whether it is there.
func (v value) get(key string) (value, bool) {
	for _, m := range v.members {
		if m.key == key {
			return m.value, true
		}
	}
	return value{line: v.line}, false
}

// float is a number's value.
func (v value) float() (float64, bool) {
	if v.kind != number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
	return f, err == nil
}

// locate is the place of a field that a problem names, or of the nearest object
// around one that is not there.
func (v value) locate(field string) span {
	at := v.at
	for field != "" {
		if rest, ok := strings.CutPrefix(field, "["); ok && v.kind == array {
			number, after, _ := strings.Cut(rest, "]")
			i, err := strconv.Atoi(number)
			if err != nil || i < 0 || i >= len(v.items) {
				return at
			}
			v, field = v.items[i], strings.TrimPrefix(after, ".")
			at = v.at
			continue
		}
		found := false
		for _, m := range v.members {
			rest, ok := strings.CutPrefix(field, m.key)
			if ok && m.key != "" && (rest == "" || rest[0] == '.' || rest[0] == '[') {
				v, at, field, found = m.value, m.at, strings.TrimPrefix(rest, "."), true
				break
			}
		}
		if !found {
			return at
		}
	}
	return at
}

// syntaxError is a place in a document that is not JSON, or not the JSON that
// is wanted.
type syntaxError struct {
	line int
	what string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

// parser turns tokens into values and remembers lines.
type parser struct {
	dec  *json.Decoder
	data []byte
	at   int64 // offset up to which lines are counted
	line int
	last span // of the token that was read last
}

// parse reads one JSON document. Duplicate keys, further text after the
// document and deep nesting are errors.
func parse(data []byte) (value, error) {
	p := &parser{dec: json.NewDecoder(bytes.NewReader(data)), data: data, line: 1}
	p.dec.UseNumber()
	v, err := p.value(0)
	if err != nil {
		return value{}, err
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		p.here()
		return value{}, &syntaxError{p.line, "expected the end of the file, found more text"}
	}
	return v, nil
}

// here counts the lines up to the decoder's place.
func (p *parser) here() int {
	return p.count(p.dec.InputOffset())
}

func (p *parser) count(to int64) int {
	to = min(to, int64(len(p.data)))
	if to > p.at {
		p.line += bytes.Count(p.data[p.at:to], []byte("\n"))
		p.at = to
	}
	return p.line
}

func (p *parser) token() (json.Token, error) {
	from := int(p.dec.InputOffset())
	t, err := p.dec.Token()
	if err == nil {
		p.here()
		p.last.end = min(int(p.dec.InputOffset()), len(p.data))
		for from < p.last.end && bytes.IndexByte([]byte(" \t\r\n,:"), p.data[from]) >= 0 {
			from++
		}
		p.last.start = from
		return t, nil
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		p.count(syntax.Offset)
	} else {
		p.count(int64(len(p.data)))
	}
	what := err.Error()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		what = "expected more JSON, found the end of the file"
	}
	return nil, &syntaxError{p.line, what}
}

func (p *parser) value(depth int) (value, error) {
	t, err := p.token()
	if err != nil {
		return value{}, err
	}
	return p.from(t, depth)
}

func (p *parser) from(t json.Token, depth int) (value, error) {
	v := value{line: p.line, at: p.last}
	if depth > maxDepth {
		return v, &syntaxError{p.line, fmt.Sprintf("expected at most %d levels of nesting", maxDepth)}
	}
	switch t := t.(type) {
	case string:
		v.kind, v.text = text, t
	case json.Number:
		v.kind, v.text = number, t.String()
	case bool:
		v.kind, v.truth = boolean, t
	case json.Delim:
		if t == '[' {
			v.kind = array
			for p.dec.More() {
				item, err := p.value(depth + 1)
				if err != nil {
					return v, err
				}
				v.items = append(v.items, item)
			}
		} else {
			v.kind = object
			seen := map[string]bool{}
			for p.dec.More() {
				key, err := p.token()
				if err != nil {
					return v, err
				}
				name, _ := key.(string)
				m := member{key: name, line: p.line, at: p.last}
				if seen[name] {
					return v, &syntaxError{p.line, fmt.Sprintf("the key %q is there twice", name)}
				}
				seen[name] = true
				if m.value, err = p.value(depth + 1); err != nil {
					return v, err
				}
				v.members = append(v.members, m)
			}
		}
		if _, err := p.token(); err != nil { // the closing bracket
			return v, err
		}
	}
	return v, nil
}
