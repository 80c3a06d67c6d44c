package review

import (
	"testing"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/untrusted"
)

// FuzzCells: the short way for plain characters gives what the long way gives.
func FuzzCells(f *testing.F) {
	for _, s := range []string{"let x = 1;", "\ta\u0301b", "e\u0301", "\u0600a b", "\r\na\r", "\U0001f468\u200d\U0001f469x", "\xffa\xe0", "\x1b[31m~\x7f", "a\u200b\u202e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > near {
			return
		}
		var want []glyph
		for g := uniseg.NewGraphemes(text); g.Next(); {
			from, _ := g.Positions()
			s := tab
			if g.Str() != "\t" {
				s = untrusted.Text(g.Str()).Plain()
			}
			want = append(want, glyph{s, uniseg.StringWidth(s), from})
		}
		require.Equal(t, want, cells(text, 0))
	})
}
