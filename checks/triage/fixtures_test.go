package triage

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
)

// scanFixture reads a fixture as the file that its row may judge.
func scanFixture(t *testing.T, r Row, file string) (Result, string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	name := nameFor(r)
	if filepath.Ext(file) == ".xml" {
		name = "pytest.xml"
	}
	s := NewScanner()
	require.NoError(t, s.Scan(name, bytes.NewReader(data)))
	return s.Result(), string(data)
}

// someRows are all rows. A scan is the work of one goroutine: under the race detector, which
// makes it ten times as long and has nothing to find between two scans, they are some.
func someRows() []Row {
	if !hostile.Race {
		return Rows()
	}
	var some []Row
	for i, r := range Rows() {
		if i%raceStep == 0 {
			some = append(some, r)
		}
	}
	return some
}

const raceStep = 16

// Every row has whole logs, or JUnit files where records decide: hit*
// has the row on top, miss* looks alike and does not match it.
func TestFixtures(t *testing.T) {
	folders, err := os.ReadDir("testdata")
	require.NoError(t, err)
	known := map[string]bool{"fuzz": true}
	for _, r := range Rows() {
		known[r.ID] = true
	}
	for _, r := range someRows() {
		t.Run(r.ID, func(t *testing.T) {
			for _, kind := range []string{"hit", "miss"} {
				files, err := filepath.Glob(filepath.Join("testdata", r.ID, kind+"*"))
				require.NoError(t, err)
				require.NotEmpty(t, files, "a row needs a %s file", kind)
				for _, file := range files {
					got, text := scanFixture(t, r, file)
					lines := strings.Count(text, "\n")
					assert.True(t, lines >= 15 && lines <= 60, "%s: expected 15 to 60 lines, found %d", file, lines)
					if kind == "miss" {
						assert.NotContains(t, ids(got), r.ID, file)
						continue
					}
					require.NotEmpty(t, got.Matches, "%s matches nothing", file)
					first := got.Matches[0]
					assert.Equal(t, r.ID, first.Signature, "%s: found %v", file, ids(got))
					// What is concluded from several lines or cases is said in other words.
					concluded := r.FromRecords() && r.Example == "" || strings.Contains(filepath.Base(file), "cases")
					if first.Line > 0 && !concluded {
						assert.Contains(t, strings.Split(text, "\n")[first.Line-1], strings.Split(first.Excerpt.Plain(), "\n")[0], file)
					}
				}
			}
		})
	}
	for _, f := range folders {
		assert.True(t, known[f.Name()], "testdata/%s is of no row", f.Name())
	}
}
