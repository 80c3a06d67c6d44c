package ir

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// TestLines holds every line of the list against its example: the generated
// text differs from the reference in this line, the harmless one does not and
// has nothing heavier than an equivalent.
func TestLines(t *testing.T) {
	files, err := filepath.Glob("testdata/list/*.txtar")
	require.NoError(t, err)
	assert.Len(t, files, len(Lines), "an example without a line")
	ids := map[string]bool{}
	for _, l := range Lines {
		assert.False(t, ids[l.ID], "two lines are called %s", l.ID)
		ids[l.ID] = true
		t.Run(l.ID, func(t *testing.T) {
			e := readExample(t, l)
			at := slices.IndexFunc(e.diff.Differences, func(d Difference) bool { return d.line == l })
			require.GreaterOrEqual(t, at, 0, "found %s", told(e.diff))
			d := e.diff.Differences[at]
			assert.Equal(t, l.Kind, d.Kind)
			assert.Contains(t, string(d.Item), l.Item)
			if l.Part != Precheck {
				assert.NotEqual(t, d.Reference, d.Generated)
			}
			want := map[Kind][]Verdict{
				Critical: {FailFixable, Blocked}, Warning: {PassWithNotes, FailFixable}, KnownGap: {PassWithNotes},
				Equivalent: {PassWithNotes}, Noise: {Pass},
			}[l.Kind]
			assert.Contains(t, want, e.diff.Verdict, "found %s", told(e.diff))

			require.NotEqual(t, e.reference, e.harmless, "the harmless text is the reference")
			harmless := Compare([]byte(e.reference), []byte(e.harmless))
			for _, d := range harmless.Differences {
				assert.NotSame(t, l, d.line, "found %s", told(harmless))
				assert.NotContains(t, []Kind{Critical, Warning}, d.Kind, "found %s", told(harmless))
			}
			for _, text := range []string{e.reference, e.generated, e.harmless} {
				if same := Compare([]byte(text), []byte(text)); same.Verdict != Blocked {
					assert.Empty(t, same.Differences, "a text differs from itself")
				}
			}
		})
	}
}

// example is a line's example with what Compare finds in it.
type example struct {
	says                           string
	reference, generated, harmless string
	diff                           Diff
}

func readExample(t *testing.T, l *Line) example {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", "list", l.ID+".txtar"))
	require.NoError(t, err)
	require.Len(t, a.Files, 3)
	e := example{says: strings.TrimSpace(string(a.Comment))}
	for i, to := range []*string{&e.reference, &e.generated, &e.harmless} {
		require.Equal(t, []string{"reference.mlir", "generated.mlir", "harmless.mlir"}[i], a.Files[i].Name)
		*to = string(a.Files[i].Data)
	}
	e.diff = Compare([]byte(e.reference), []byte(e.generated))
	return e
}

func told(d Diff) string {
	var b strings.Builder
	_ = d.WriteText(&b)
	return b.String()
}
