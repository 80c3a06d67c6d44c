package all_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/all"
)

var update = flag.Bool("update", false, "write docs/rules.md and docs/rules")

// TestDocs keeps docs/rules.md and the rule pages equal to the rules.
func TestDocs(t *testing.T) {
	docs := "../../../docs"
	want := map[string]string{
		filepath.Join(docs, "rules.md"):  rules.Index(all.Rules),
		filepath.Join(docs, "limits.md"): rules.Limits(all.Rules),
	}
	for _, r := range all.Rules {
		require.Regexp(t, `(?s)\n## Limits\n\n\S.*\n## `, r.Doc, "%s: every rule says what it does not see", r.ID)
	}
	for _, r := range all.Rules {
		require.NoError(t, r.Validate())
		want[filepath.Join(docs, "rules", r.ID+".md")] = rules.Page(r)
	}
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Join(docs, "rules"), 0o755))
	}
	for p, text := range want {
		if *update {
			require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
		}
		got, err := os.ReadFile(p)
		if assert.NoError(t, err) {
			assert.Equal(t, text, string(got), "%s is stale: run go test ./checks/rules/all -update", p)
		}
	}
	pages, err := filepath.Glob(filepath.Join(docs, "rules", "*.md"))
	require.NoError(t, err)
	assert.Len(t, pages, len(all.Rules), "a page without a rule")
}

// TestOrder keeps the generated list in the order of the rule IDs.
func TestOrder(t *testing.T) {
	for i := 1; i < len(all.Rules); i++ {
		assert.Negative(t, rules.Compare(all.Rules[i-1].ID, all.Rules[i].ID))
	}
}

// TestListIsComplete keeps the generated list equal to the rule directories.
func TestListIsComplete(t *testing.T) {
	dirs, err := filepath.Glob("../[rpast][0-9][0-9]")
	require.NoError(t, err)
	assert.Len(t, all.Rules, len(dirs), "run go generate ./checks/rules/all")
}
