package demo

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
)

// The edits of the sample pull requests fit the sample repository.
func TestSamples(t *testing.T) {
	tree, port, err := base()
	require.NoError(t, err)
	sim := githubsim.New(githubsim.Options{})
	repo, err := sim.CreateRepo(owner, name, tree)
	require.NoError(t, err)
	repo.SetPermission(author, "write")
	require.NoError(t, openPulls(repo, port))
	require.Equal(t, []int{1, 2}, repo.Pulls())

	clean, err := repo.Pull(1)
	require.NoError(t, err)
	assert.Len(t, clean.Files, len(portFiles)+len(unport))
	bad, err := repo.Pull(2)
	require.NoError(t, err)
	for _, p := range planted {
		data, err := repo.Read(bad.HeadSHA, p.path)
		require.NoError(t, err)
		assert.Contains(t, string(data), p.text)
	}
}

// Markdown of a pull request cannot run anything on the page.
func TestMarkdownIsSafe(t *testing.T) {
	out := string(markdown("<script>alert(1)</script><details><summary>more</summary>\n\n**bold**\n\n</details>\n\n[x](javascript:alert(1)) <img src=x onerror=alert(1)>"))
	assert.NotContains(t, out, "script")
	assert.NotContains(t, out, "onerror")
	assert.Contains(t, out, "<details>")
	assert.Contains(t, out, "<strong>bold</strong>")
}
