package ir

import (
	"strings"
	"unicode/utf8"
)

// kind is the kind of a token of the printed form.
type kind uint8

const (
	end    kind = iota
	value       // %name, with :2 or #1
	symbol      // @name
	alias       // #name or !name
	label       // ^name
	word        // names with '.', '_' and '$'
	number      // whatever starts with a digit, 64x32xf16 too
	text        // "..."
	punct       // one character, or ->
)

type token struct {
	kind     kind
	text     string
	from, to int
	line     int  // from 1
	first    bool // it is the first one of its line
}

func (t token) is(s string) bool { return t.kind == punct && t.text == s }

// lexer cuts a text into tokens. A copy of it looks ahead.
type lexer struct {
	src   string
	at    int
	line  int
	first bool
	open  int // line of a string that does not end, 0 for none
}

func lex(src string) lexer { return lexer{src: src, line: 1, first: true} }

// next is the next token; of kind end after the last one.
func (l *lexer) next() token {
	l.space()
	t := token{from: l.at, line: l.line, first: l.first}
	l.first = false
	if l.at >= len(l.src) {
		t.to = l.at
		return t
	}
	c := l.src[l.at]
	switch {
	case c == '"':
		t.kind = text
		l.quoted()
	case c == '%':
		t.kind = value
		l.at++
		l.name()
		for l.at+1 < len(l.src) && (l.src[l.at] == '#' || l.src[l.at] == ':') && digit(l.src[l.at+1]) {
			l.at++
			l.name()
		}
	case c == '@':
		t.kind = symbol
		l.at++
		if l.at < len(l.src) && l.src[l.at] == '"' {
			l.quoted()
		} else {
			l.name()
		}
	case c == '#' || c == '!':
		t.kind = alias
		l.at++
		l.name()
	case c == '^':
		t.kind = label
		l.at++
		l.name()
	case digit(c):
		t.kind = number
		for l.at < len(l.src) && (nameByte(l.src[l.at]) || l.src[l.at] == '?' || l.src[l.at] == '+' || l.src[l.at] == '-') {
			// A sign belongs to an exponent only.
			if s := l.src[l.at]; (s == '+' || s == '-') && l.src[l.at-1] != 'e' && l.src[l.at-1] != 'E' {
				break
			}
			l.at++
		}
	case nameByte(c):
		t.kind = word
		for l.at < len(l.src) && nameByte(l.src[l.at]) {
			l.at++
		}
	case strings.HasPrefix(l.src[l.at:], "->"):
		t.kind = punct
		l.at += 2
	default:
		t.kind = punct
		_, n := utf8.DecodeRuneInString(l.src[l.at:])
		l.at += n
	}
	t.text, t.to = l.src[t.from:l.at], l.at
	return t
}

// space passes white space and comments.
func (l *lexer) space() {
	for l.at < len(l.src) {
		switch c := l.src[l.at]; {
		case c == '\n':
			l.line++
			l.first = true
			l.at++
		case c == ' ' || c == '\t' || c == '\r':
			l.at++
		case strings.HasPrefix(l.src[l.at:], "//"):
			if n := strings.IndexByte(l.src[l.at:], '\n'); n >= 0 {
				l.at += n
			} else {
				l.at = len(l.src)
			}
		default:
			return
		}
	}
}

// quoted passes a string, which ends on its line.
func (l *lexer) quoted() {
	for l.at++; l.at < len(l.src); l.at++ {
		switch l.src[l.at] {
		case '\\':
			if !strings.HasPrefix(l.src[l.at+1:], "\n") {
				l.at++
			}
		case '"':
			l.at++
			return
		case '\n':
			l.unended()
			return
		}
	}
	l.at = min(l.at, len(l.src))
	l.unended()
}

func (l *lexer) unended() {
	if l.open == 0 {
		l.open = l.line
	}
}

func (l *lexer) name() {
	for l.at < len(l.src) && (nameByte(l.src[l.at]) || l.src[l.at] == '-' && l.at+1 < len(l.src) && nameByte(l.src[l.at+1])) {
		l.at++
	}
}

func nameByte(c byte) bool {
	return c == '_' || c == '.' || c == '$' || digit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// bare takes the dialect's prefix from a name.
func bare(name string) string {
	for _, p := range []string{"#", "!"} {
		name = strings.TrimPrefix(name, p)
	}
	return strings.TrimPrefix(name, "cuda_tile.")
}

// squeeze is a text on one line without comments, with one space where there
// was any white space.
func squeeze(src string) string {
	src = strings.TrimSpace(src)
	if !strings.ContainsAny(src, "\n\r\t") && !strings.Contains(src, "  ") && !strings.Contains(src, "//") {
		return src
	}
	var b strings.Builder
	l := lex(src)
	last := 0
	for t := l.next(); t.kind != end; t = l.next() {
		if t.from > last && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
		last = t.to
	}
	return b.String()
}
