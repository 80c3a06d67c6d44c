package worker_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/bot/report"
)

func TestFindingIsReviewedOnItsLine(t *testing.T) {
	w := newWorld(t)
	n, sha := w.open("writer", w.planted())
	rules := w.becomes(sha, report.CheckRules, "failure")
	require.Contains(t, rules.Title, "R6")
	require.Len(t, rules.Annotations, 1)
	gate := w.becomes(sha, report.CheckGate, "failure")
	require.Contains(t, gate.Summary, "To change it:")
	require.LessOrEqual(t, len(gate.Title), 120)
	w.quiet()
	p, err := w.repo.Pull(n)
	require.NoError(t, err)
	require.Len(t, p.Reviews, 1)
	require.Len(t, p.ReviewComments, 1)
	require.Equal(t, kernelRS, p.ReviewComments[0].Path)
	require.Equal(t, 31, p.ReviewComments[0].Line)
	require.Len(t, w.repo.Comments(n), 1, "one summary comment")
	t.Log(w.describe())
	t.Log(p.ReviewComments[0].Body)
	t.Log(w.repo.Comments(n)[0].Body)
	t.Log(rules.Summary, rules.Text, gate.Summary)
}

func TestUnaffectedChangeIsGreen(t *testing.T) {
	w := newWorld(t)
	_, sha := w.open("writer", githubsim.Changes{"README.md": githubsim.Text("other")})
	gate := w.becomes(sha, report.CheckGate, "success")
	t.Log(gate.Title)
	w.quiet()
	require.Empty(t, w.sim.Runs())
}

// A comment that accepts a finding keeps the check green and stands in the
// summary, after the report was kept and read again, too.
func TestSuppressionStandsInTheSummary(t *testing.T) {
	w := newWorld(t)
	changes := w.planted()
	changes[kernelRS] = w.edit(kernelRS, "let zero: Tile<f32, { [TILE] }> = constant(0.0f32, const_shape![TILE]);",
		"// tilegate: allow(R6) one is no arithmetic, says @octocat\n        let zero: Tile<f32, { [TILE] }> = constant(0.0f32, const_shape![TILE * 1]);")
	n, sha := w.open("writer", changes)
	rules := w.becomes(sha, report.CheckRules, "success")
	require.Contains(t, rules.Text, "| accepted | R6 | `"+kernelRS+":31` | one is no arithmetic, says")
	w.quiet()
	comments := w.repo.Comments(n)
	require.Len(t, comments, 1)
	require.Contains(t, comments[0].Body, "- R6 `"+kernelRS+":31`: one is no arithmetic, says")
	require.NotContains(t, comments[0].Body, " @octocat")

	// The next push takes the comment back. Then nothing is worth a summary any
	// more, but the one that is there follows.
	sha = w.push("topic-writer", "writer", githubsim.Changes{kernelRS: w.append(kernelRS, "")})
	w.becomes(sha, report.CheckGate, "success")
	w.quiet()
	comments = w.repo.Comments(n)
	require.Len(t, comments, 1)
	require.Contains(t, comments[0].Body, "### Passed")
	require.NotContains(t, comments[0].Body, "accept findings")
}
