package linediff_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/linediff"
)

// FuzzUnified: a diff of any two texts holds both sides and, applied by another
// library, makes the new one of the old one.
func FuzzUnified(f *testing.F) {
	f.Add("a\nb\nc", "a\nB\nc\n", "f.rs")
	f.Add("", "x\r\n\r\n", "a b\t\"c\\")
	f.Add("--- a\n+++ b\n@@ -1 +1 @@\n", "\\ No newline at end of file", "\xff\n")
	f.Add(strings.Repeat("a\nb\n", 50), strings.Repeat("b\na\n", 50), "/dev/null")
	f.Fuzz(func(t *testing.T, a, b, name string) {
		hostile.Ends(t, 10*(len(a)+len(b)), func() {
			ops := linediff.Lines([]byte(a), []byte(b))
			var before, after strings.Builder
			for _, o := range ops {
				if o.Kind != '+' {
					before.WriteString(o.Text)
				}
				if o.Kind != '-' {
					after.WriteString(o.Text)
				}
			}
			require.Equal(t, a, before.String())
			require.Equal(t, b, after.String())
			require.NotContains(t, linediff.FileName(name), "\n")
			diff := linediff.Unified("a/"+name, "b/"+name, []byte(a), []byte(b))
			if a == b {
				require.Empty(t, diff)
				return
			}
			// The names are the fuzzer's: another library reads the diff with plain ones.
			files, _, err := gitdiff.Parse(strings.NewReader(linediff.Unified("a/f", "b/f", []byte(a), []byte(b))))
			require.NoError(t, err)
			require.Len(t, files, 1)
			var out bytes.Buffer
			require.NoError(t, gitdiff.Apply(&out, strings.NewReader(a), files[0]))
			require.Equal(t, b, out.String())
		})
	})
}
