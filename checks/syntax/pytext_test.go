package syntax_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tilegate/tilegate/checks/syntax"
)

// Python's own escapes, each as Python reads it.
func TestPyText(t *testing.T) {
	for source, want := range map[string]string{
		`'a-b'`: "a-b", `'a\55b'`: "a-b", `'a\055b'`: "a-b", `'a\x2db'`: "a-b", `'a\u002db'`: "a-b", `'a\U0000002db'`: "a-b",
		`'\0'`: "\x00", `'\1011'`: "A1", `'\777'`: "ǿ", `'\xe9'`: "é", `'\8'`: `\8`, `'\q'`: `\q`, `'\\x41'`: `\x41`, `'\'"'`: `'"`, `"\"'"`: `"'`,
		"'a\\\nb'": "ab", "'''a\nb'''": "a\nb", "'''a\r\nb'''": "a\nb", `'\a\b\f\n\r\t\v'`: "\a\b\f\n\r\t\v",
		`r'\x41'`: `\x41`, `R"\N{DASH}"`: `\N{DASH}`, `u'\x41'`: "A", `f'{{\x41}}'`: "{A}", `rf'{{\x41}}'`: `{\x41}`, `'{{'`: "{{",
		`('a' "\x62" r'\c')`: `ab\c`, `''`: "", `'\xff\u00ff'`: "ÿÿ",
	} {
		text, known := syntax.PyText(value(t, source))
		assert.True(t, known, source)
		assert.Equal(t, want, text, source)
		assert.Equal(t, want, syntax.PyString(value(t, source)), source)
	}
	for _, source := range []string{
		`'\N{HYPHEN-MINUS}'`, `'\ud800'`, `'\U00110000'`, `'\x4'`, `'\u12'`, `'\xg0'`, `b'a'`, `f'{a}'`, `t'a'`, `('a' f'{b}')`, `('a' b'b')`, `a`, `('a' '\N{DASH}')`, `'\x+1'`,
	} {
		text, known := syntax.PyText(value(t, source))
		assert.False(t, known, source)
		assert.Empty(t, text, source)
		assert.Empty(t, syntax.PyString(value(t, source)), source)
	}
}

// value is the expression of a file that has only one.
func value(t *testing.T, source string) syntax.Node {
	t.Helper()
	n := syntax.Parse("a.py", syntax.Python, []byte(source+"\n")).Root().NamedChild(0).NamedChild(0)
	if n.Is("parenthesized_expression") {
		n = n.NamedChild(0)
	}
	return n
}
