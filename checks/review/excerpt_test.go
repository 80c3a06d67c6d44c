package review_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/syntax"
)

// shown is the excerpt of a place in a file, from line 1.
func shown(t *testing.T, src string, line, column, endLine, endColumn int, colour bool) string {
	t.Helper()
	r := &review.Report{Findings: []review.Finding{{
		Rule: "R1", Severity: review.Error, Path: "k.rs", Line: line, Column: column, EndLine: endLine, EndColumn: endColumn, Message: "m", Why: "w", New: true,
	}}}
	var b bytes.Buffer
	s := review.Style{Colour: colour, Source: func(string) *syntax.File { return syntax.Lines([]byte(src)) }}
	require.NoError(t, review.Write(&b, "text", r, s))
	_, rest, ok := strings.Cut(b.String(), "\n")
	require.True(t, ok)
	excerpt, _, ok := strings.Cut(rest, "  why: w\n")
	require.True(t, ok)
	return excerpt
}

func TestExcerpts(t *testing.T) {
	many := strings.Repeat("x();\n", 9)
	for name, c := range map[string]struct {
		src                              string
		line, column, endLine, endColumn int
		want                             string
	}{
		"one line": {"a\n    let x = f(y);\n", 2, 13, 2, 17, `
 --> k.rs:2:13
  |
2 | let x = f(y);
  |         ^^^^
`},
		"two digits": {strings.Repeat("\n", 41) + "f()", 42, 1, 42, 4, `
  --> k.rs:42:1
   |
42 | f()
   | ^^^
`},
		"tabs": {"\tlet\tx = f(\ty);", 1, 10, 1, 15, `
 --> k.rs:1:10
  |
1 | let    x = f(    y);
  |            ^^^^^^^^
`},
		"wide characters": {"let 広 = \"日本 e\u0301\"; bad", 1, 25, 1, 28, `
 --> k.rs:1:25
  |
1 | let 広 = "日本 ` + "e\u0301" + `"; bad
  |                    ^^^
`},
		"an invisible character": {"a\u200bb bad", 1, 7, 1, 10, `
 --> k.rs:1:7
  |
1 | ab bad
  |    ^^^
`},
		"a long line": {strings.Repeat("aaaa ", 50) + "bad " + strings.Repeat("bbbb ", 50), 1, 251, 1, 254, `
 --> k.rs:1:251
  |
1 | ...aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa bad bbbb bbbb bbbb bbbb bbbb bbbb bbbb bbbb bbbb bbbb bbbb bbbb ...
  |                                            ^^^
`},
		"a line of millions": {strings.Repeat("é", 1<<20) + "bad" + strings.Repeat("é", 1<<20), 1, 2<<20 + 1, 1, 2<<20 + 4, `
 --> k.rs:1:2097153
  |
1 | ...` + strings.Repeat("é", 40) + "bad" + strings.Repeat("é", 61) + `...
  |                                            ^^^
`},
		"longer than the window": {strings.Repeat("b", 300), 1, 1, 1, 301, `
 --> k.rs:1:1
  |
1 | ` + strings.Repeat("b", 107) + `...
  | ` + strings.Repeat("^", 110) + `
`},
		"the end of a line": {"f(", 1, 3, 1, 3, `
 --> k.rs:1:3
  |
1 | f(
  |   ^
`},
		"white space": {"   ", 1, 2, 1, 3, `
 --> k.rs:1:2
  |
1 |
  | ^
`},
		"no line": {"f()", 9, 1, 9, 2, `
  --> k.rs:9:1
`},
		"several lines": {"  let s = f(\n    x,\n\n  );\n", 1, 11, 4, 4, `
 --> k.rs:1:11
  |
1 |   let s = f(
  |  _________^
2 | |   x,
3 | |
4 | | );
  | |_^
`},
		"many lines": {"f(\n" + many + ")", 1, 1, 11, 2, `
  --> k.rs:1:1
   |
 1 |   f(
   |  _^
 2 | | x();
 3 | | x();
 4 | | x();
...  |
11 | | )
   | |_^
`},
		"line ends of Windows": {"f(\r\n  x,\r\n)\r\n", 1, 1, 3, 2, `
 --> k.rs:1:1
  |
1 |   f(
  |  _^
2 | |   x,
3 | | )
  | |_^
`},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want[1:], shown(t, c.src, c.line, c.column, c.endLine, c.endColumn, false))
		})
	}
}

func TestExcerptColours(t *testing.T) {
	plain := shown(t, "f(\n)", 1, 1, 2, 2, false)
	assert.NotContains(t, plain, "\x1b")
	coloured := shown(t, "f(\n)", 1, 1, 2, 2, true)
	assert.Contains(t, coloured, "\x1b[1;31m")
	assert.Equal(t, strings.Count(coloured, "\x1b[1;"), strings.Count(coloured, "\x1b[0m"), "every colour ends")
	// Terminal sequences of the source are not passed on.
	assert.NotContains(t, shown(t, "f(\x1b[2J)", 1, 1, 1, 3, false), "\x1b")
}
