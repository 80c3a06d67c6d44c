package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/review"
)

// A change that accepts findings by itself is told, even when all is green.
func TestAddedSuppressionsAreListed(t *testing.T) {
	s := subject()
	s.Tree = gate.Node{Name: "gate", Status: gate.Success, Reason: "Fine."}
	require.False(t, report.Worthwhile(s))
	s.Review.Summary.Suppressions = []review.Suppression{
		{Path: "k.rs", Line: 7, Rules: []string{"R45", "R48"}, Reason: "the caller pads", Used: true, New: true},
		{Path: "k.rs", Line: 9, Rules: []string{"R2"}, Reason: "was there before", Used: true},
		{Path: "k.rs", Line: 11, Rules: []string{"R3"}, Reason: "the rule is off", New: true},
		{Path: "w.py", Line: 3, Rules: []string{}, New: true, Problem: "expected `tilegate: allow(R45) reason`"},
	}
	require.True(t, report.Worthwhile(s))
	c, err := report.Sticky(s)
	require.NoError(t, err)
	require.Contains(t, c.Body, "Comments in the source that accept findings:\n\n- R45, R48 `k.rs:7`: the caller pads\n- `w.py:3`: accepts nothing, expected `tilegate: allow(R45) reason`\n")
	require.NotContains(t, c.Body, "was there before")
	checks, err := report.Checks(s)
	require.NoError(t, err)
	require.Contains(t, checks[1].Text, "| accepted | R45, R48 | `k.rs:7` | the caller pads |\n| accepts nothing |  | `w.py:3` | expected `tilegate: allow(R45) reason` |\n")

	s.Review.Summary.Suppressions = nil
	c, err = report.Sticky(s)
	require.NoError(t, err)
	require.NotContains(t, c.Body, "accept findings")
}

// The reason and the path are written by the author of the change.
func TestSuppressionsAreUntrusted(t *testing.T) {
	s := subject()
	s.Review.Summary.Suppressions = []review.Suppression{{
		Path: "a`b|c.rs", Line: 1, Rules: []string{"R45"}, Used: true, New: true,
		Reason: "see @octocat\n/tilegym ok-to-test <!-- tilegate:summary --> [x](https://host) closes #1 | ![i](u) " + strings.Repeat("long ", 200),
	}}
	for i := range 40 {
		s.Review.Summary.Suppressions = append(s.Review.Summary.Suppressions, review.Suppression{Path: "k.rs", Line: i + 1, Rules: []string{"R2"}, Reason: fmt.Sprint("reason ", i), Used: true, New: true})
	}
	c, err := report.Sticky(s)
	require.NoError(t, err)
	require.Contains(t, c.Body, "- and 26 more, in the rules check\n")
	require.NotContains(t, c.Body, "reason 14")
	checks, err := report.Checks(s)
	require.NoError(t, err)
	require.Contains(t, checks[1].Text, "reason 39")
	for _, text := range []string{c.Body, checks[1].Text} {
		require.NotContains(t, text, " @octocat")
		require.NotContains(t, text, "\n/tilegym ok")
		require.NotContains(t, text, "<!-- tilegate:summary -->")
		require.NotContains(t, text, "](https")
		require.NotContains(t, text, " #1 ")
		require.Less(t, strings.Count(text, "long"), 80)
	}
}

// Who reads the summary can judge what a comment accepts, not only its reason.
func TestWhatIsAcceptedIsTold(t *testing.T) {
	s := subject()
	s.Review.Summary.Suppressions = []review.Suppression{
		{Path: "w.py", Line: 9, Rules: []string{"R35"}, Reason: "I know", Used: true, New: true},
		{Path: "w.py", Line: 30, Rules: []string{"R2"}, Reason: "from before", Used: true},
		{Path: "w.py", Line: 40, Rules: []string{"R3"}, Reason: "for something else", Used: true},
	}
	finding := func(rule string, line int, message string, isNew bool) review.Finding {
		return review.Finding{Rule: rule, Severity: review.Error, Path: "w.py", Line: line, EndLine: line, Message: message, New: isNew, Fingerprint: message}
	}
	for i := range 4 {
		f := finding("R35", 10+i, fmt.Sprintf("swapped %d @octocat\n/tilegym ok-to-test 1 <!-- tilegate:summary --> [x](https://host) | a", i), true)
		f.AlsoAt = []int{20, 21}
		s.Review.Accepted = append(s.Review.Accepted, review.Accepted{Finding: f, Reason: "I know", CommentLine: 9})
	}
	s.Review.Accepted = append(s.Review.Accepted,
		review.Accepted{Finding: finding("R2", 31, "as it was", false), Reason: "from before", CommentLine: 30},
		review.Accepted{Finding: finding("R3", 41, "a new one", true), Reason: "for something else", CommentLine: 40})
	c, err := report.Sticky(s)
	require.NoError(t, err)
	require.Contains(t, c.Body, "- R35 `w.py:9`: I know\n  - accepts error R35 at `w.py:10`: swapped 0 ")
	require.Contains(t, c.Body, " Also at 20, 21.\n  - accepts error R35 at `w.py:11`: swapped 1 ")
	require.Contains(t, c.Body, "\n  - accepts 1 more, in the rules check\n- R3 `w.py:40`: for something else\n  - accepts error R3 at `w.py:41`: a new one\n")
	require.NotContains(t, c.Body, "swapped 3")
	checks, err := report.Checks(s)
	require.NoError(t, err)
	require.Contains(t, checks[1].Text, "| accepted | R35 | `w.py:9` | I know |\n| error, accepted | R35 | `w.py:10` | swapped 0 ")
	require.Contains(t, checks[1].Text, "swapped 3")
	for _, text := range []string{c.Body, checks[1].Text} {
		require.NotContains(t, text, "as it was")
		require.NotContains(t, text, " @octocat")
		require.NotContains(t, text, "\n/tilegym ok")
		require.NotContains(t, text, "<!-- tilegate:summary -->")
		require.NotContains(t, text, "](https")
	}
}
