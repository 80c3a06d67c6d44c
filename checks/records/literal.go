package records

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of a Python literal. The longest value that TileGym's harness was seen
// to write is 6 kB; nesting there is five levels.
const (
	MaxLiteralBytes = 4 << 20
	MaxLiteralDepth = 64
)

// Value is a Python literal: nil, bool, int64, float64, string, List, Tuple or
// *Dict. Integers beyond 64 bits are float64.
type Value any

// List is a Python list.
type List []Value

// Tuple is a Python tuple.
type Tuple []Value

// Dict is a Python dict in source order.
type Dict struct {
	Keys   []Value
	Values []Value
}

// Get returns the value of a string key.
func (d *Dict) Get(key string) (Value, bool) {
	for i, k := range d.Keys {
		if k == key {
			return d.Values[i], true
		}
	}
	return nil, false
}

// Len is the number of entries.
func (d *Dict) Len() int { return len(d.Keys) }

// LiteralError says where a text stops being a literal that is accepted.
type LiteralError struct {
	Offset   int    // bytes from the start of the text
	Expected string // what would have been accepted there
	Found    string // what is there, shortened
}

func (e *LiteralError) Error() string {
	return fmt.Sprintf("python literal: offset %d: expected %s, found %s", e.Offset, e.Expected, e.Found)
}

// ParseLiteral reads one Python literal as repr writes it: dict, list, tuple,
// str, numbers, True, False, None and the bare nan, inf and -inf that repr gives
// for such floats. Nothing is evaluated: names, calls, operators, sets, bytes and
// string prefixes are refused, and so are duplicate keys. Every error is a
// *LiteralError.
func ParseLiteral(src string) (Value, error) {
	if len(src) > MaxLiteralBytes {
		return nil, &LiteralError{MaxLiteralBytes, fmt.Sprintf("at most %d bytes", MaxLiteralBytes), fmt.Sprintf("%d bytes", len(src))}
	}
	p := literalParser{src: src}
	p.space()
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.pos < len(src) {
		return nil, p.fail("the end of the literal")
	}
	return v, nil
}

type literalParser struct {
	src string
	pos int
}

// fail describes what stands at the present position.
func (p *literalParser) fail(expected string) error {
	return p.failAt(p.pos, expected)
}

func (p *literalParser) failAt(pos int, expected string) error {
	rest := p.src[pos:]
	if rest == "" {
		return &LiteralError{pos, expected, "the end of the text"}
	}
	const show = 24
	end := 0
	for end < len(rest) && end < show {
		_, n := utf8.DecodeRuneInString(rest[end:])
		end += n
	}
	return &LiteralError{pos, expected, strconv.QuoteToGraphic(strings.ToValidUTF8(rest[:end], "\uFFFD"))}
}

func (p *literalParser) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r', '\f':
			p.pos++
		default:
			return
		}
	}
}

func (p *literalParser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

const anyValue = "a dict, list, tuple, string, number, True, False, None, nan or inf"

func (p *literalParser) value(depth int) (Value, error) {
	if depth > MaxLiteralDepth {
		return nil, p.fail(fmt.Sprintf("at most %d levels of nesting", MaxLiteralDepth))
	}
	switch c := p.peek(); {
	case c == '{':
		return p.dict(depth)
	case c == '[':
		items, _, err := p.items(']', depth)
		return List(items), err
	case c == '(':
		return p.tuple(depth)
	case c == '\'' || c == '"':
		return p.str()
	case c == '+' || c == '-' || c == '.' || c >= '0' && c <= '9':
		return p.number()
	case isNameStart(c):
		return p.name()
	}
	return nil, p.fail(anyValue)
}

func (p *literalParser) dict(depth int) (Value, error) {
	d := &Dict{}
	var seen keys
	p.pos++
	for {
		p.space()
		if p.peek() == '}' {
			p.pos++
			return d, nil
		}
		if d.Len() > 0 {
			if p.peek() != ',' {
				return nil, p.fail("',' or '}' after a dict entry")
			}
			p.pos++
			p.space()
			if p.peek() == '}' {
				p.pos++
				return d, nil
			}
		}
		at := p.pos
		key, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		id, ok := keyID(key)
		if !ok {
			return nil, p.failAt(at, "a dict key that Python can hash")
		}
		if !seen.add(id) {
			return nil, p.failAt(at, "each dict key once")
		}
		p.space()
		if p.peek() != ':' {
			return nil, p.fail("':' after a dict key")
		}
		p.pos++
		p.space()
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		d.Keys = append(d.Keys, key)
		d.Values = append(d.Values, v)
	}
}

// keys is a set of dict keys. Most dicts have a few, for which a map costs more
// than it saves.
type keys struct {
	few  []string
	many map[string]bool
}

// add reports whether the key is new.
func (k *keys) add(id string) bool {
	if k.many == nil && len(k.few) < 16 {
		if slices.Contains(k.few, id) {
			return false
		}
		k.few = append(k.few, id)
		return true
	}
	if k.many == nil {
		k.many = map[string]bool{}
		for _, f := range k.few {
			k.many[f] = true
		}
	}
	if k.many[id] {
		return false
	}
	k.many[id] = true
	return true
}

// keyID names a key so that equal keys have equal names; Python counts 1, 1.0
// and True as one key.
func keyID(v Value) (string, bool) {
	switch k := v.(type) {
	case nil:
		return "none", true
	case string:
		return "s" + k, true
	case bool:
		if k {
			return "n1", true
		}
		return "n0", true
	case int64:
		return "n" + strconv.FormatInt(k, 10), true
	case float64:
		if k == math.Trunc(k) && math.Abs(k) < 1<<53 {
			return "n" + strconv.FormatInt(int64(k), 10), true
		}
		return "n" + strconv.FormatFloat(k, 'g', -1, 64), true
	case Tuple:
		var b strings.Builder
		b.WriteByte('t')
		for _, item := range k {
			id, ok := keyID(item)
			if !ok {
				return "", false
			}
			fmt.Fprintf(&b, "%d:%s,", len(id), id)
		}
		return b.String(), true
	}
	return "", false
}

// items reads values up to the closing bracket. The comma result says whether
// the last value was followed by a comma.
func (p *literalParser) items(closing byte, depth int) (items []Value, comma bool, err error) {
	p.pos++
	items = []Value{}
	for {
		p.space()
		if p.peek() == closing {
			p.pos++
			return items, comma, nil
		}
		if len(items) > 0 && !comma {
			return nil, false, p.fail(fmt.Sprintf("',' or %q", closing))
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, false, err
		}
		items = append(items, v)
		p.space()
		if comma = p.peek() == ','; comma {
			p.pos++
		}
	}
}

// tuple reads a parenthesis: (a) is a, (a,) and (a, b) are tuples.
func (p *literalParser) tuple(depth int) (Value, error) {
	items, comma, err := p.items(')', depth)
	if err != nil {
		return nil, err
	}
	if len(items) == 1 && !comma {
		return items[0], nil
	}
	return Tuple(items), nil
}

func (p *literalParser) str() (Value, error) {
	start, quote := p.pos, p.src[p.pos]
	p.pos++
	if strings.HasPrefix(p.src[p.pos:], strings.Repeat(string(quote), 2)) {
		return nil, p.failAt(start, "a string in single quotes, not a triple-quoted one")
	}
	var b strings.Builder
	for {
		rest := p.src[p.pos:]
		i := strings.IndexAny(rest, "\\\n\r"+string(quote))
		if i < 0 {
			p.pos = len(p.src)
			return nil, p.fail(fmt.Sprintf("the closing %c of the string that begins at offset %d", quote, start))
		}
		b.WriteString(rest[:i])
		p.pos += i
		switch p.src[p.pos] {
		case quote:
			p.pos++
			p.space()
			if c := p.peek(); c == '\'' || c == '"' {
				return nil, p.fail("',' or ':' between strings")
			}
			return b.String(), nil
		case '\\':
			if err := p.escape(&b); err != nil {
				return nil, err
			}
		default:
			return nil, p.fail("no line break inside a string")
		}
	}
}

// escape reads one backslash sequence. An unknown one stands for itself, as in
// Python; a surrogate, which UTF-8 cannot hold, becomes U+FFFD.
func (p *literalParser) escape(b *strings.Builder) error {
	start := p.pos
	p.pos++
	if p.pos == len(p.src) {
		return p.fail("a character after the backslash")
	}
	c := p.src[p.pos]
	p.pos++
	switch c {
	case '\n':
	case '\\', '\'', '"':
		b.WriteByte(c)
	case 'a':
		b.WriteByte(7)
	case 'b':
		b.WriteByte(8)
	case 'f':
		b.WriteByte(12)
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case 'v':
		b.WriteByte(11)
	case 'x', 'u', 'U':
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		end := p.pos + digits
		if end > len(p.src) {
			return p.failAt(start, fmt.Sprintf(`\%c and %d hex digits`, c, digits))
		}
		n, err := strconv.ParseUint(p.src[p.pos:end], 16, 32)
		if err != nil {
			return p.failAt(start, fmt.Sprintf(`\%c and %d hex digits`, c, digits))
		}
		if n > utf8.MaxRune {
			return p.failAt(start, "a code point up to 10FFFF")
		}
		p.pos = end
		b.WriteRune(rune(n))
	case 'N':
		return p.failAt(start, `no named character (\N{...})`)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n := rune(c - '0')
		for i := 0; i < 2 && p.peek() >= '0' && p.peek() <= '7' && p.pos < len(p.src); i++ {
			n = n*8 + rune(p.src[p.pos]-'0')
			p.pos++
		}
		b.WriteRune(n)
	default:
		b.WriteByte('\\')
		b.WriteByte(c)
	}
	return nil
}

func (p *literalParser) number() (Value, error) {
	start := p.pos
	negative := false
	for c := p.peek(); c == '+' || c == '-'; c = p.peek() {
		if p.pos > start {
			return nil, p.fail("one sign before a number")
		}
		negative = c == '-'
		p.pos++
	}
	if isNameStart(p.peek()) {
		v, err := p.name()
		if err != nil {
			return nil, err
		}
		f, ok := v.(float64)
		if !ok {
			return nil, p.failAt(start, "a number after the sign")
		}
		if negative {
			f = -f
		}
		return f, nil
	}
	digits, isFloat := p.digits(), false
	if p.peek() == '.' {
		isFloat = true
		p.pos++
		digits += p.digits()
	}
	if digits == 0 {
		return nil, p.failAt(start, "a decimal number")
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		isFloat = true
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if p.digits() == 0 {
			return nil, p.failAt(start, "digits in the exponent")
		}
	}
	if isNameStart(p.peek()) {
		return nil, p.failAt(start, "a decimal number without a suffix")
	}
	text := p.src[start:p.pos]
	if !isFloat {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, nil
		}
	}
	// The only possible error is a value out of range, for which ParseFloat
	// returns the infinity that Python would give.
	f, _ := strconv.ParseFloat(text, 64)
	return f, nil
}

func (p *literalParser) digits() int {
	start := p.pos
	for p.pos < len(p.src) && p.src[p.pos] >= '0' && p.src[p.pos] <= '9' {
		p.pos++
	}
	return p.pos - start
}

func (p *literalParser) name() (Value, error) {
	start := p.pos
	for p.pos < len(p.src) && (isNameStart(p.src[p.pos]) || p.src[p.pos] >= '0' && p.src[p.pos] <= '9') {
		p.pos++
	}
	switch p.src[start:p.pos] {
	case "True":
		return true, nil
	case "False":
		return false, nil
	case "None":
		return nil, nil
	case "nan":
		return math.NaN(), nil
	case "inf":
		return math.Inf(1), nil
	}
	return nil, p.failAt(start, anyValue)
}

func isNameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
