package words

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCodeIsNotEndedByItsText(t *testing.T) {
	for text, want := range map[string]string{
		"":        "``",
		"a b":     "`a b`",
		"a`b":     "``a`b``",
		"`a":      "`` `a ``",
		"a``b`":   "``` a``b` ```",
		" a`b ":   "``  a`b  ``",
		"a` `` b": "```a` `` b```",
	} {
		assert.Equal(t, want, Code(text))
	}
}

func TestShellTakesATextAsOneWord(t *testing.T) {
	for _, text := range []string{"", "src/a_b.py", "a b", "$(id)", "`id`", "a'b", "a;b|c&d", "*", "~", "#a", "a\"b\\c"} {
		out, err := exec.Command("sh", "-c", "printf %s "+Shell(text)).Output()
		require.NoError(t, err)
		assert.Equal(t, text, string(out))
	}
	assert.Equal(t, "src/a_b.py", Shell("src/a_b.py"), "a plain path stays as it is")
}
