package templates

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/untrusted"
)

func TestProseShowsCodeSpansAndEscapesTheRest(t *testing.T) {
	for in, want := range map[string]string{
		"a `b` c":        "a <code>b</code> c",
		"`<i>` & <b>`":   "<code>&lt;i&gt;</code> &amp; &lt;b&gt;`",
		"no span":        "no span",
		"`open":          "`open",
		"`a``b`":         "<code>a</code><code>b</code>",
		"":               "",
		"`</code><img>`": "<code>&lt;/code&gt;&lt;img&gt;</code>",
	} {
		require.Equal(t, want, string(prose(untrusted.Text(in))), in)
	}
}
