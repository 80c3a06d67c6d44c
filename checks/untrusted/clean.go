package untrusted

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// zwsp is U+200B. It is invisible and breaks what GitHub would recognise in
// rendered text. Input never keeps one of its own (see visible).
const zwsp = "\u200b"

// clean removes terminal escapes, control characters, bidirectional overrides
// and other invisible format characters, and replaces bytes that are not UTF-8
// by U+FFFD. Line ends (CRLF, CR, U+0085, U+2028, U+2029) become '\n'; tabs
// stay. With one set, every line end and tab is a space.
func clean(s string, one bool) string {
	if isPlainASCII(s, one) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	newline := byte('\n')
	if one {
		newline = ' '
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 0x1b || r >= 0x80 && r <= 0x9f && r != 0x85:
			i += escapeLen(s[i:])
			continue
		case r == '\r':
			if strings.HasPrefix(s[i+1:], "\n") {
				n = 2
			}
			b.WriteByte(newline)
		case r == '\n' || r == 0x85 || r == 0x2028 || r == 0x2029:
			b.WriteByte(newline)
		case r == '\t':
			if one {
				b.WriteByte(' ')
			} else {
				b.WriteByte('\t')
			}
		case visible(r):
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// isPlainASCII is the fast path: nothing in s needs cleaning.
func isPlainASCII(s string, one bool) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c < 0x7f || !one && (c == '\n' || c == '\t') {
			continue
		}
		return false
	}
	return true
}

// visible reports whether a rune may be shown. Format characters (class Cf:
// bidi controls, zero-width characters, tags) and the blank Hangul fillers can
// hide or reorder text, so they go.
func visible(r rune) bool {
	switch r {
	case 0x115f, 0x1160, 0x3164, 0xffa0:
		return false
	}
	return !unicode.Is(unicode.Cc, r) && !unicode.Is(unicode.Cf, r)
}

// escapeLen is the number of bytes of the terminal escape sequence at the
// start of s, which begins with ESC or a C1 control. Strings (OSC, DCS, SOS,
// PM, APC) end at ST or BEL, or before the end of the line: an unterminated one
// must not swallow the rest of a log.
func escapeLen(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	kind := byte(r - 0x40) // a C1 control equals ESC and this byte
	if r == 0x1b {
		if len(s) < 2 {
			return 1
		}
		kind, n = s[1], 2
	}
	switch kind {
	case '[':
		for n < len(s) && s[n] >= 0x20 && s[n] <= 0x3f {
			n++
		}
		if n < len(s) && s[n] >= 0x40 && s[n] <= 0x7e {
			n++
		}
		return n
	case ']', 'P', 'X', '^', '_':
		for i := n; i < len(s); {
			c, w := utf8.DecodeRuneInString(s[i:])
			switch c {
			case 0x07, 0x9c:
				return i + w
			case 0x1b:
				if strings.HasPrefix(s[i+1:], "\\") {
					return i + 2
				}
				return i
			case '\n', '\r':
				return i
			}
			i += w
		}
		return n // no end at all: only the introducer goes
	}
	if r != 0x1b {
		return n
	}
	// ESC, intermediate bytes, final byte; anything else is a lone ESC.
	i := 1
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
		return i + 1
	}
	return 1
}
