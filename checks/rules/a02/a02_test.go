package a02_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/rules/a02"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestA2(t *testing.T) { ruletest.Run(t, a02.Rule) }

// The document that the page shows is whole: nothing is to be said of it but that its
// IR file is not there, and each of its fields stands in the table below it.
func TestPageShowsAWholeDocument(t *testing.T) {
	_, rest, ok := strings.Cut(a02.Rule.Doc, "## Use instead\n\n```json\n")
	require.True(t, ok)
	document, table, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	problems := analysis.Check([]byte(document), fstest.MapFS{}, "demo")
	require.Len(t, problems, 1)
	assert.Equal(t, "A3", problems[0].Rule)
	for _, line := range strings.Split(document, "\n") {
		if name, ok := strings.CutPrefix(line, "  \""); ok {
			name, _, _ = strings.Cut(name, "\"")
			assert.Contains(t, table, "`"+name+"`")
		}
	}
}
