package rules_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

func TestCodeOfSeveralLinesInAMessage(t *testing.T) {
	for code, want := range map[string]string{
		"f(a,b)":                           "f(a,b)",
		"f(\n    a,  # first\n    b,\n)":   "f(a, b,)",
		"isinstance(a, b) and (\n    c\n)": "isinstance(a, b) and (c)",
		"(a\n    .t()\n    [0])":           "(a.t() [0])",
		"(a ==\n    'b  c')":               "(a == 'b c')",
		"[lambda a, b:\n    c]":            "[lambda a, b: c]",
	} {
		f := syntax.Parse("a.py", syntax.Python, []byte("x = "+code+"\n"))
		n := f.Root().Find("assignment")[0].Field("right")
		assert.Equal(t, want, rules.Source(n))
		assert.Equal(t, want, rules.Short(n))
	}
	f := syntax.Parse("a.py", syntax.Python, []byte("x = f("+strings.Repeat("ä, ", 40)+")\n"))
	n := f.Root().Find("assignment")[0].Field("right")
	assert.Equal(t, "f("+strings.Repeat("ä, ", 18)+"ä...", rules.Short(n))
}
