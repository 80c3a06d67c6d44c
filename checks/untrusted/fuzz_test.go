package untrusted

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzFit: what is shortened fits, is text, keeps what must stay, and says how
// much is gone.
func FuzzFit(f *testing.F) {
	f.Add(100, "before\n", "- a\n- b\n- c\n", "after\n", uint8(3))
	f.Add(10, "```\n", "x\n", "```\n", uint8(0))
	f.Add(0, "é", "🙂\n🙂\n", "\xff", uint8(200))
	f.Add(-5, "", "", "", uint8(1))
	f.Fuzz(func(t *testing.T, limit int, before, list, after string, weights uint8) {
		// Texts of a page are rendered, so they are UTF-8.
		before, list, after = strings.ToValidUTF8(before, "?"), strings.ToValidUTF8(list, "?"), strings.ToValidUTF8(after, "?")
		var rows []Row
		for i, line := range strings.SplitAfter(list, "\n") {
			rows = append(rows, Row{line, int(weights>>(i%8)) & 1})
		}
		note := func(n int) string { return fmt.Sprintf("%d more\n", n) }
		out, omitted := Fit(limit, before, rows, after, note)
		require.True(t, utf8.ValidString(out), "%q", out)
		require.True(t, 0 <= omitted && omitted <= len(rows))
		whole := before + list + after
		if len(whole) <= limit {
			require.Equal(t, whole, out)
			require.Zero(t, omitted)
			return
		}
		require.LessOrEqual(t, len(out), max(limit, 0))
		clipped := Clip(whole, limit)
		require.LessOrEqual(t, len(clipped), max(limit, 0))
		require.True(t, utf8.ValidString(clipped))
	})
}
