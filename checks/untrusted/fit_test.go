package untrusted

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCutCountsBytesAndKeepsRunes(t *testing.T) {
	in := Text(strings.Repeat("é日", 1000))
	for limit := range 200 {
		got := in.Cut(limit)
		require.LessOrEqual(t, len(got), limit)
		require.True(t, utf8.ValidString(string(got)), "limit %d", limit)
	}
	got := string(in.Cut(101))
	dropped := 0
	at := strings.Index(got, " [...")
	require.Positive(t, at)
	_, err := fmt.Sscanf(got[at:], " [... %d bytes left out]", &dropped)
	require.NoError(t, err)
	assert.Equal(t, len(in), at+dropped, "the note counts what is missing")
	assert.Equal(t, Text("short"), Text("short").Cut(5))
}

// field-report 18: 2,000 rows must leave the verdict and each failing row, in
// 65,535 bytes, with a note of the number left out.
func TestFieldReport18LongTableFits(t *testing.T) {
	var rows []Row
	for i := range 2000 {
		r := Row{Markdown: fmt.Sprintf("| row %04d | %s | ok |\n", i, strings.Repeat("é", 40)), Weight: 1}
		if i%100 == 99 {
			r = Row{Markdown: fmt.Sprintf("| row %04d | FAIL |\n", i), Weight: 2}
		}
		rows = append(rows, r)
	}
	note := func(n int) string { return fmt.Sprintf("\n%d rows left out\n", n) }
	got, omitted := Fit(CheckOutputLimit, "**verdict**\n", rows, "end\n", note)
	assert.LessOrEqual(t, len(got), CheckOutputLimit)
	assert.Greater(t, len(got), CheckOutputLimit-200, "no more is dropped than needed")
	assert.Equal(t, 20, strings.Count(got, "FAIL"))
	assert.Equal(t, 2000, strings.Count(got, "| row ")+omitted)
	assert.Contains(t, got, note(omitted))
	assert.True(t, strings.HasPrefix(got, "**verdict**\n") && strings.HasSuffix(got, "end\n"))
	assert.Less(t, strings.Index(got, "row 0099"), strings.Index(got, "row 0199"), "rows keep their order")

	all, none := Fit(1000, "a", rows[:2], "b", note)
	assert.Zero(t, none)
	assert.Equal(t, "a"+rows[0].Markdown+rows[1].Markdown+"b", all)
	tiny, _ := Fit(50, strings.Repeat("x", 500), rows, "", note)
	assert.LessOrEqual(t, len(tiny), 50)
}

func TestClipClosesAnOpenFence(t *testing.T) {
	doc := "head\n\n````text\n" + strings.Repeat("line ``` é\n", 100) + "````\n\ntail\n"
	for limit := range len(doc) + 2 {
		got := Clip(doc, limit)
		require.LessOrEqual(t, len(got), limit)
		require.True(t, utf8.ValidString(got))
		if strings.Contains(got, "````text") && strings.Contains(got, "Shortened") {
			require.Equal(t, []string{"Document", "Paragraph", "FencedCodeBlock", "Paragraph", "Emphasis"}, shape(t, got), "limit %d", limit)
		}
	}
	assert.Equal(t, doc, Clip(doc, len(doc)))
}
