package report

import (
	"strings"

	"github.com/tilegate/tilegate/bot/outbox"
	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/review"
)

// The names of the check runs. Gate is the one to require.
const (
	CheckRules       = "tilegym / rules"
	CheckBuild       = "tilegym / build"
	CheckCorrectness = "tilegym / correctness"
	CheckPerf        = "tilegym / perf"
	CheckGate        = "tilegym / gate"
)

// stageChecks are the check runs that show GPU jobs.
var stageChecks = map[job.Stage]string{
	job.Build:       CheckBuild,
	job.Correctness: CheckCorrectness,
	job.Perf:        CheckPerf,
}

// CheckNames lists all check runs, the gate first since it holds the merge.
var CheckNames = []string{CheckGate, CheckRules, CheckBuild, CheckCorrectness, CheckPerf}

// StageOf is the stage that a check run shows; false for rules and gate.
func StageOf(check string) (job.Stage, bool) {
	for s, name := range stageChecks {
		if name == check {
			return s, true
		}
	}
	return "", false
}

// Subject is everything that is told about one target at one head.
type Subject struct {
	Target  string // key of the target, part of the markers
	Number  int    // 0 for a merge group
	HeadSHA string
	Tree    gate.Node
	Review  *review.Report // nil until the static review has ended
	Files   []pull.File    // changed files with their commentable lines
	Threads []store.Thread // findings that already have a comment
	Results []Result       // the newest result of each stage, kernel and GPU class
	// Measured are all perf results of the target, oldest first, for the trend.
	Measured []store.Measured
	// Dispatch is the newest dispatch of a stage, empty before the first.
	Dispatch map[job.Stage]string
	// Page is the address of a dispatch's page, empty when there are no pages.
	Page func(dispatch string) string
}

// Result is a stored result with the commit that it belongs to.
type Result struct {
	store.Result
	HeadSHA string
}

// word is how a status is called in text.
func word(s gate.Status) string {
	switch s {
	case gate.Success:
		return "Passed"
	case gate.Pending:
		return "Waiting"
	case gate.ActionRequired:
		return "Needs a person"
	case gate.TimedOut:
		return "Timed out"
	}
	return "Blocked"
}

// inert breaks what would call or link somebody if a title were ever rendered.
var inert = strings.NewReplacer("`", "", "@", "@\u200b", "#", "#\u200b", "](", "]\u200b(")

// titleLimit is the length of a title, in bytes, that GitHub's lists show whole.
const titleLimit = 120

// title is the node's reason as one short line: its first sentence and as many
// of the next as fit. What would change it stands in the summary. GitHub shows
// titles as plain text.
func title(n gate.Node) string {
	reason := n.Reason.Line()
	if _, waived, found := strings.Cut(reason, " Waived: "); found && n.Status == gate.Success {
		reason = "Waived: " + waived
	}
	return inert.Replace(shorten(reason))
}

// shorten keeps the sentences that fit into a title, of a first one that is too long
// the clauses that fit, and where these say too little the words.
func shorten(text string) string {
	if len(text) <= titleLimit {
		return text
	}
	end := 0
	for {
		next := strings.Index(text[end:], ". ")
		if next < 0 || end+next+1 > titleLimit {
			break
		}
		end += next + 2
	}
	if end > 0 {
		return strings.TrimSpace(text[:end])
	}
	const more = "..."
	if at := clauses(text, titleLimit-len(more)); at > titleLimit/3 {
		return text[:at] + more
	}
	cut := strings.ToValidUTF8(text[:titleLimit-len(more)], "")
	if space := strings.LastIndexByte(cut, ' '); space > titleLimit/2 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " ,;:(`") + more
}

// clauses is where the last clause ends that lies within a limit, outside of
// parentheses and code; 0 for none.
func clauses(text string, limit int) int {
	end, depth, code := 0, 0, false
	for i := 0; i < len(text) && i <= limit; i++ {
		rest := text[i:]
		if depth == 0 && !code && (strings.HasPrefix(rest, "; ") || strings.HasPrefix(rest, ", ") || strings.HasPrefix(rest, " (")) {
			end = i
		}
		switch {
		case text[i] == '`':
			code = !code
		case text[i] == '(' && !code:
			depth++
		case text[i] == ')' && !code && depth > 0:
			depth--
		}
	}
	return end
}

// apply sets status and conclusion of a check run from a node.
func apply(c *outbox.Check, n gate.Node) {
	c.Status = "completed"
	c.Conclusion = string(n.Status)
	if n.Status == gate.Pending {
		c.Status, c.Conclusion = "in_progress", ""
	}
}

// find is the child of a name, or a pending node that says it is not known.
func find(root gate.Node, name string) (gate.Node, bool) {
	for _, c := range root.Children {
		if string(c.Name) == name {
			return c, true
		}
	}
	return gate.Node{}, false
}
