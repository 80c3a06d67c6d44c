package linediff_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/linediff"
)

// Random edits of texts with mixed line ends, invalid UTF-8 and a missing last
// line end: another library applies each diff and must get the new text.
func TestUnifiedApplies(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a\n", "b\n", "c\r\n", "fn f() {\n", "\n", "\xff\xfe\n", "ünïcode\n", "\\ no\n", "--- x\n"}
	text := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = pieces[rnd.IntN(len(pieces))]
		}
		return out
	}
	join := func(l []string) string {
		s := strings.Join(l, "")
		if rnd.IntN(3) == 0 {
			s = strings.TrimSuffix(s, "\n")
		}
		return s
	}
	changed := 0
	for i := range 400 {
		old := text(rnd.IntN(50))
		lines := slices.Clone(old)
		for range 1 + rnd.IntN(5) {
			at := rnd.IntN(len(lines) + 1)
			if rnd.IntN(3) == 0 && at < len(lines) {
				lines = slices.Delete(lines, at, min(len(lines), at+1+rnd.IntN(4)))
			} else {
				lines = slices.Insert(lines, at, text(1+rnd.IntN(3))...)
			}
		}
		before, after := join(old), join(lines)
		diff := linediff.Unified("a/f.rs", "b/f.rs", []byte(before), []byte(after))
		if before == after {
			assert.Empty(t, diff)
			continue
		}
		changed++
		files, _, err := gitdiff.Parse(strings.NewReader(diff))
		require.NoError(t, err, "%d: %s", i, diff)
		require.Len(t, files, 1)
		var out bytes.Buffer
		require.NoError(t, gitdiff.Apply(&out, strings.NewReader(before), files[0]), "%d: %s", i, diff)
		assert.Equal(t, after, out.String(), "%d: %s", i, diff)
	}
	assert.Greater(t, changed, 300)
}

func TestUnifiedAgainstNothing(t *testing.T) {
	assert.Equal(t, "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n",
		linediff.Unified("/dev/null", "b/x", nil, []byte("one\ntwo")))
}

func TestHunksApartAndTogether(t *testing.T) {
	lines := func(changed ...int) []byte {
		var b strings.Builder
		for i := range 30 {
			if slices.Contains(changed, i) {
				b.WriteString("x")
			}
			fmt.Fprintln(&b, i)
		}
		return []byte(b.String())
	}
	hunks := linediff.Hunks(linediff.Lines(lines(), lines(5, 12)))
	require.Len(t, hunks, 1, "six lines between two changes are context of both")
	hunks = linediff.Hunks(linediff.Lines(lines(), lines(5, 13)))
	require.Len(t, hunks, 2)
	assert.Equal(t, "@@ -3,7 +3,7 @@", hunks[0].Header())
	assert.Equal(t, "@@ -3,7 +3,7 @@\n 2\n 3\n 4", hunks[0].Text(2))
}

func TestFileName(t *testing.T) {
	for name, want := range map[string]string{
		"a/x.rs": "a/x.rs", "a/ü.rs": "a/ü.rs", "a/x y.rs": "a/x y.rs\t", "a/\"q\"\n": `"a/\"q\"\012"`,
	} {
		assert.Equal(t, want, linediff.FileName(name))
	}
}
