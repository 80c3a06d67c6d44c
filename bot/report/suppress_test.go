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
	require.Contains(t, c.Body, "Comments that this change adds to accept findings:\n\n- R45, R48 `k.rs:7`: the caller pads\n- `w.py:3`: accepts nothing, expected `tilegate: allow(R45) reason`\n")
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
