package pull_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/pull"
)

// FuzzMarker: a marker is only what ends a text, is one line, and survives text
// before it but none behind it.
func FuzzMarker(f *testing.F) {
	for _, s := range []string{"text\n\n<!-- tilegate:summary v1 -->", "<!--tilegate:x-->\r\n", "<!-- tilegate:x --> -->", "<!-- tilegate:a\n-->", "<!-- tilegate:<!-- tilegate:x -->", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		m := pull.Marker(body)
		if m == "" {
			return
		}
		require.True(t, strings.HasPrefix(m, "tilegate:"), "%q", m)
		require.Contains(t, body, m)
		require.False(t, strings.ContainsAny(m, "\r\n"), "%q", m)
		require.Equal(t, m, pull.Marker("before\n"+body))
		require.Empty(t, pull.Marker(body+"\nafter"))
	})
}
