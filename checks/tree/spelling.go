package tree

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tilegate/tilegate/checks/syntax"
)

// misread says why the compiler reads a file otherwise than it is read here, and
// where, or "": by another encoding, or by names that are other names in letters that look
// different.
func misread(f *syntax.File, src []byte) (why string, at syntax.Pos) {
	if f.Lang == syntax.Python {
		if name := declaredEncoding(src); name != "" && !plainEncodings[normalEncoding(name)] {
			return fmt.Sprintf("it declares the source encoding %q, by which Python reads other code than stands here; expected utf-8", name), syntax.Pos{}
		}
	}
	folded := rustLetters
	if f.Lang == syntax.Python {
		folded = pythonLetters
	}
	if !holds(src, folded) {
		return "", syntax.Pos{}
	}
	for _, id := range f.Root().Find("identifier", "type_identifier", "field_identifier") {
		for _, r := range id.Text() {
			if r >= utf8.RuneSelf && unicode.Is(folded, r) {
				at.Line = id.Pos().Line
				return fmt.Sprintf("line %d has a name with the letter %q (U+%04X), which the compiler takes for another; expected plain letters", at.Line, r, r), at
			}
		}
	}
	return "", syntax.Pos{}
}

// holds reports whether a text has a letter of the table, none of which is ASCII.
func holds(src []byte, letters *unicode.RangeTable) bool {
	for i := 0; i < len(src); {
		if src[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(src[i:])
		if unicode.Is(letters, r) {
			return true
		}
		i += size
	}
	return false
}

// plainEncodings are those by which Python reads a file of UTF-8 with the same
// names and statements.
var plainEncodings = map[string]bool{"utf-8": true, "utf8": true, "ascii": true, "us-ascii": true, "latin-1": true, "iso-8859-1": true, "iso-latin-1": true}

// normalEncoding is a declared name as Python compares it: what stands behind utf-8
// and latin-1, such as an editor's line ends, does not count.
func normalEncoding(name string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	for _, short := range []string{"utf-8", "latin-1", "iso-8859-1", "iso-latin-1"} {
		if strings.HasPrefix(name, short+"-") {
			return short
		}
	}
	return name
}

// declaredEncoding is the encoding that a comment in the first two lines
// declares, as Python looks for it, or "".
func declaredEncoding(src []byte) string {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	for range 2 {
		line, rest, _ := bytes.Cut(src, []byte("\n"))
		text := bytes.TrimLeft(line, " \t\f")
		if text = bytes.TrimRight(text, "\r"); len(text) > 0 && !bytes.HasPrefix(text, []byte("#")) {
			return ""
		}
		for at := text; ; {
			i := bytes.Index(at, []byte("coding"))
			if i < 0 {
				break
			}
			at = at[i+len("coding"):]
			if len(at) > 0 && (at[0] == ':' || at[0] == '=') {
				name := bytes.TrimLeft(at[1:], " \t")
				end := bytes.IndexFunc(name, func(r rune) bool {
					return !(r == '-' || r == '_' || r == '.' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)))
				})
				if end < 0 {
					end = len(name)
				}
				if end > 0 {
					return string(name[:end])
				}
			}
		}
		src = rest
	}
	return ""
}

// pythonLetters are letters for which Python, which compares names in their
// compatibility form, reads others; rustLetters those that Rust composes.
var (
	pythonLetters = &unicode.RangeTable{
		R16: []unicode.Range16{
			{0x00aa, 0x00aa, 1}, {0x00ba, 0x00ba, 1}, {0x0132, 0x0133, 1}, {0x017f, 0x017f, 1}, {0x01c4, 0x01cc, 1}, {0x01f1, 0x01f3, 1},
			{0x02b0, 0x02b8, 1}, {0x02e0, 0x02e4, 1}, {0x1d2c, 0x1d6a, 1}, {0x1d78, 0x1d78, 1}, {0x1d9b, 0x1dbf, 1}, {0x2071, 0x2071, 1}, {0x207f, 0x207f, 1},
			{0x2090, 0x209c, 1}, {0x2102, 0x2149, 1}, {0x2160, 0x217f, 1}, {0x2c7c, 0x2c7d, 1}, {0xa7f2, 0xa7f4, 1}, {0xfb00, 0xfb06, 1},
			{0xfe33, 0xfe34, 1}, {0xfe4d, 0xfe4f, 1}, {0xff10, 0xff19, 1}, {0xff21, 0xff3a, 1}, {0xff3f, 0xff3f, 1}, {0xff41, 0xff5a, 1},
		},
		R32: []unicode.Range32{{0x107a5, 0x107a5, 1}, {0x1d400, 0x1d7ff, 1}, {0x1fbf0, 0x1fbf9, 1}},
	}
	rustLetters = &unicode.RangeTable{R16: []unicode.Range16{{0x212a, 0x212b, 1}}}
)
