package commands

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite docs/commands.md")

func TestReferenceIsUpToDate(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "commands.md")
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(Reference()), 0o644))
	}
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, Reference(), string(have), "run go test ./bot/commands -update")
}

func TestTableIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range Verbs() {
		for _, name := range append([]string{v.Name}, v.Aliases...) {
			assert.False(t, seen[name], "%s stands twice", name)
			seen[name] = true
			assert.Same(t, v, Find(strings.ToUpper(name)))
		}
		assert.NotEmpty(t, v.Help)
		assert.NotEmpty(t, v.Usage)
		assert.NotEmpty(t, v.Who.String())
		assert.NotNil(t, v.parse)
	}
	for _, name := range []string{"help", "status", "explain", "rerun", "run", "ok-to-test", "cancel", "waive", "unwaive"} {
		assert.True(t, seen[name], name)
	}
}

func TestFieldReport50HelpIsNoCommand(t *testing.T) {
	replies := []string{HelpText(), Reference()}
	for _, v := range Verbs() {
		replies = append(replies, v.HelpText())
	}
	for _, body := range []string{"/tilegym frobnicate", "/tilegym run --rounds 0", "/tilegym waive perf bmm"} {
		for _, c := range Parse(body) {
			replies = append(replies, c.Err.Error())
		}
	}
	for _, reply := range replies {
		assert.Empty(t, Parse(reply), reply)
		assert.Empty(t, Parse("> /tilegym frobnicate\n\n"+reply), reply)
	}
}
