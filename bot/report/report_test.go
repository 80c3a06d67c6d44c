package report_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/perf"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/untrusted"
)

const sha = "1234567890123456789012345678901234567890"

// tree is a gate with one kernel whose stages have these statuses.
func tree(build, correctness, perf gate.Status) gate.Node {
	stage := func(name untrusted.Text, s gate.Status) gate.Node {
		return gate.Node{Name: name, Status: s, Reason: "Reason of " + name + ".", Unblock: "`/tilegym rerun`"}
	}
	return gate.Node{Name: "gate", Status: gate.Failure, Reason: "Root reason.", Children: []gate.Node{
		{Name: "config", Status: gate.Success, Reason: "Valid."}, {Name: "rules", Status: gate.Success, Reason: "None."},
		{Name: "bmm on h200", Status: perf, Children: []gate.Node{stage("build", build), stage("correctness", correctness), stage("perf", perf)}},
	}}
}

func finding(line int, change func(*review.Finding)) review.Finding {
	f := review.Finding{
		Rule: "R6", Severity: review.Error, Path: "k.rs", Line: line, EndLine: line, Column: 5, EndColumn: 9,
		Title: "Title", Message: "Message.", Why: "Why.", Fingerprint: fmt.Sprint("f", line), New: true,
	}
	if change != nil {
		change(&f)
	}
	return f
}

func subject(findings ...review.Finding) report.Subject {
	s := report.Subject{Target: "o/r#1", Number: 1, HeadSHA: sha, Tree: tree(gate.Success, gate.Success, gate.Failure), Review: &review.Report{Findings: findings}}
	file := pull.File{Path: "k.rs", Commentable: map[int]bool{}, HunkOf: map[int]int{}}
	for l := 1; l <= 20; l++ {
		file.Commentable[l], file.HunkOf[l] = true, l/11
	}
	s.Files = []pull.File{file}
	return s
}

func TestChecksFollowTheTree(t *testing.T) {
	s := subject()
	s.Dispatch = map[job.Stage]string{job.Build: "01A", job.Perf: "01B"}
	s.Page = func(id string) string { return "https://host/runs/" + id }
	checks, err := report.Checks(s)
	require.NoError(t, err)
	require.Len(t, checks, 5)
	want := map[string][2]string{
		report.CheckGate: {"completed", "failure"}, report.CheckRules: {"completed", "success"}, report.CheckBuild: {"completed", "success"},
		report.CheckCorrectness: {"completed", "success"}, report.CheckPerf: {"completed", "failure"},
	}
	for _, c := range checks {
		require.Equal(t, want[c.Name], [2]string{c.Status, c.Conclusion}, c.Name)
		require.NotEmpty(t, c.Title)
		for _, a := range c.Actions {
			require.LessOrEqual(t, len(a.Label), 20)
			require.LessOrEqual(t, len(a.Description), 40)
			require.LessOrEqual(t, len(a.Identifier), 20)
		}
	}
	require.Equal(t, "01B", checks[4].ExternalID)
	require.Equal(t, "https://host/runs/01A", checks[2].DetailsURL)

	s.Tree = tree(gate.Pending, gate.Pending, gate.Pending)
	checks, err = report.Checks(s)
	require.NoError(t, err)
	require.Equal(t, "in_progress", checks[2].Status)
	require.Empty(t, checks[2].Conclusion)
}

// The rules check lists what is new first, the heavy ones leading, and folds what
// was there before; code in a message stays code.
func TestRulesCheckLeadsWithWhatIsNew(t *testing.T) {
	s := subject(
		review.Finding{Rule: "R1", Severity: review.Error, Path: "a.rs", Line: 1, Message: "an `old` error"},
		review.Finding{Rule: "R2", Severity: review.Note, Path: "b.rs", Line: 1, Message: "a new note", New: true},
		review.Finding{Rule: "R3", Severity: review.Error, Path: "c.rs", Line: 1, Message: "`a | b` is a new error", New: true},
	)
	checks, err := report.Checks(s)
	require.NoError(t, err)
	require.Equal(t, `
| severity | rule | place | finding |
| --- | --- | --- | --- |
| error | R3 | `+"`c.rs:1`"+` | <code>a &vert; b</code> is a new error |
| note | R2 | `+"`b.rs:1`"+` | a new note |

<details><summary>1 finding that the base has, too</summary>

| severity | rule | place | finding |
| --- | --- | --- | --- |
| error (older) | R1 | `+"`a.rs:1`"+` | an `+"`old`"+` error |

</details>
`, checks[1].Text)

	// Without anything new there is no empty table.
	all := s.Review.Findings
	s.Review.Findings = all[:1]
	checks, err = report.Checks(s)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(checks[1].Text, "\n<details>"), checks[1].Text)
	s.Review.Findings = all

	// However many there are, what is folded ends.
	for i := range 3000 {
		s.Review.Findings = append(s.Review.Findings, review.Finding{Rule: "R1", Severity: review.Warning, Path: "a.rs", Line: i, Message: strings.Repeat("long ", 10)})
	}
	checks, err = report.Checks(s)
	require.NoError(t, err)
	require.Contains(t, checks[1].Text, "\n</details>\n")
	require.Contains(t, checks[1].Text, "rows were left out")
}

// What the heading says is not said again below it, neither in the check nor on the
// run's page.
func TestOutcomeIsSaidOnce(t *testing.T) {
	for sentence, want := range map[string]string{
		"DONE: geomean 0.938 over 8 configs.": "Geomean 0.938 over 8 configs.", "Fine.": "Fine.", "DONE: ": "", "DONE (odd): geomean 1.": "DONE (odd): geomean 1.",
	} {
		r := store.Result{Stage: "perf", Kernel: "bmm", GPU: "h200", Outcome: "DONE", Sentence: sentence, Verdict: []byte("{}")}
		page, err := report.Page(r)
		require.NoError(t, err)
		require.Equal(t, want, page.Sentence.Line())
		s := subject()
		s.Results = []report.Result{{Result: r}}
		checks, err := report.Checks(s)
		require.NoError(t, err)
		require.Contains(t, checks[4].Text, "### bmm on h200: DONE\n\n"+page.Sentence.Prose()+"\n")
	}
}

// TestFieldReport18 : a large table is shortened with a note; the verdict and
// the failing rows stay.
func TestFieldReport18(t *testing.T) {
	ratio := 1.2
	v := perf.Verdict{Candidate: "cutile-rs", Reference: "cutile", GeomeanRatio: &ratio}
	for i := range 2000 {
		r, change := 1.0, "same"
		if i%100 == 0 {
			r, change = 1.5, "slower"
		}
		v.Configs = append(v.Configs, perf.Config{Name: fmt.Sprintf("test_perf[%d-a-long-parameter-list-torch.float16]", i), CandidateMS: r, ReferenceMS: 1, Ratio: &r, Change: change})
	}
	data, err := json.Marshal(v)
	require.NoError(t, err)
	s := subject()
	s.Results = []report.Result{{Result: store.Result{Stage: "perf", Kernel: "bmm", GPU: "h200", Outcome: "INVESTIGATE", Sentence: "The verdict line.", Verdict: data}}}
	checks, err := report.Checks(s)
	require.NoError(t, err)
	text := checks[4].Text
	require.LessOrEqual(t, len(text), 65535)
	require.LessOrEqual(t, len(checks[4].Summary), 65535)
	require.Contains(t, text, "The verdict line.")
	require.Equal(t, 20, strings.Count(text, "| slower |"))
	shown := strings.Count(text, "| same |")
	require.Contains(t, text, fmt.Sprintf("%d rows were left out", 1980-shown))
}

func TestCommentsOnlyOnLinesOfTheDiff(t *testing.T) {
	s := subject(
		finding(3, nil),
		finding(50, func(f *review.Finding) { f.Path = "k.rs" }),
		finding(4, func(f *review.Finding) { f.New = false }),
		finding(5, func(f *review.Finding) { f.Severity = review.Note }),
		finding(9, func(f *review.Finding) { f.EndLine = 12 }), // over a hunk's end
		finding(6, func(f *review.Finding) { f.EndLine = 8 }),
		finding(7, func(f *review.Finding) { f.Fingerprint = "known" }),
	)
	s.Threads = []store.Thread{{Fingerprint: "known", Place: "line"}}
	r, threads, err := report.NewComments(s)
	require.NoError(t, err)
	require.Len(t, threads, 4)
	var places [][2]int
	for _, c := range r.Comments {
		places = append(places, [2]int{c.StartLine, c.Line})
		require.True(t, strings.HasSuffix(c.Body, "<!-- "+report.FindingMarker(c.Fingerprint)+" -->"))
	}
	require.Equal(t, [][2]int{{0, 3}, {0, 9}, {0, 6}}, places)
	require.Contains(t, r.Body, "k.rs:50")
	again, _, err := report.NewComments(s)
	require.NoError(t, err)
	require.Equal(t, r.Marker, again.Marker, "the same findings make the same review")
}

// TestFieldReport39 : the suggestion block holds the replacement byte for byte.
func TestFieldReport39(t *testing.T) {
	for _, text := range []string{"plain();", "a ``` b\nc ```` d", "keeps\tits  blanks ", "crlf\r\nends"} {
		s := subject(finding(3, func(f *review.Finding) {
			f.Fix = &review.Fix{Description: "Do it.", Edits: []review.Edit{{StartLine: 3, EndLine: 4, Text: text}}}
		}))
		r, _, err := report.NewComments(s)
		require.NoError(t, err)
		require.Equal(t, 3, r.Comments[0].StartLine)
		require.Equal(t, 4, r.Comments[0].Line)
		require.Equal(t, text, suggested(t, r.Comments[0].Body))
	}
	// A fix whose lines are not all in one hunk is described, not offered.
	s := subject(finding(10, func(f *review.Finding) {
		f.Fix = &review.Fix{Description: "Do it.", Edits: []review.Edit{{StartLine: 10, EndLine: 11, Text: "x"}}}
	}))
	r, _, err := report.NewComments(s)
	require.NoError(t, err)
	require.NotContains(t, r.Comments[0].Body, "suggestion")
	require.Contains(t, r.Comments[0].Body, "Fix: Do it.")
}

// A comment has at most one suggestion: GitHub applies each alone, and half of a
// fix is none.
func TestOneSuggestionForEachComment(t *testing.T) {
	one := func(at int, text string) review.Edit { return review.Edit{StartLine: at, EndLine: at, Text: text} }
	s := subject(
		finding(3, func(f *review.Finding) {
			f.Fix = &review.Fix{Description: "Do both.", Edits: []review.Edit{one(3, "a"), one(5, "b")}}
		}),
		finding(6, func(f *review.Finding) {
			f.Fix = &review.Fix{Description: "Do it.", Edits: []review.Edit{{StartLine: 6, EndLine: 8, Text: "a\n```suggestion\nb\n```"}}}
		}),
		finding(9, func(f *review.Finding) {
			f.Fix = &review.Fix{Description: "Remove it.", Edits: []review.Edit{one(9, "")}}
		}),
	)
	r, _, err := report.NewComments(s)
	require.NoError(t, err)
	require.Len(t, r.Comments, 3)
	require.NotContains(t, r.Comments[0].Body, "```")
	require.Contains(t, r.Comments[0].Body, "Fix: Do both.")
	require.Equal(t, "a\n```suggestion\nb\n```", suggested(t, r.Comments[1].Body))
	require.Equal(t, 1, strings.Count(r.Comments[1].Body, "````suggestion\n"), "the fence is longer than those in the text")
	require.Equal(t, 6, r.Comments[1].StartLine)
	require.Equal(t, 8, r.Comments[1].Line)
	require.Contains(t, r.Comments[2].Body, "```suggestion\n```", "an empty one removes the line")
}

// TestSuggestionReachesTheFindingsLine : a fix some lines below the finding is
// offered together with the lines between.
func TestSuggestionReachesTheFindingsLine(t *testing.T) {
	s := subject(finding(3, func(f *review.Finding) {
		f.Fix = &review.Fix{Description: "Check it.", Edits: []review.Edit{{StartLine: 5, EndLine: 5, Text: "    )\n    check(rc)"}}}
	}))
	s.Files[0].Patch = "@@ -1,5 +1,6 @@\n one\n two\n+    rc = call(\n         x\n-    y\n+    )\n end"
	r, _, err := report.NewComments(s)
	require.NoError(t, err)
	require.Equal(t, 3, r.Comments[0].StartLine)
	require.Equal(t, 5, r.Comments[0].Line)
	require.Equal(t, "    rc = call(\n        x\n    )\n    check(rc)", suggested(t, r.Comments[0].Body))
}

// suggested extracts the block as GitHub does: up to a line of the same fence.
func suggested(t *testing.T, body string) string {
	t.Helper()
	before, rest, ok := strings.Cut(body, "suggestion\n")
	require.True(t, ok, body)
	fence := before[strings.LastIndex(before, "\n")+1:]
	require.NotEmpty(t, strings.Trim(fence, " "))
	text, _, ok := strings.Cut(rest, "\n"+fence+"\n")
	require.True(t, ok, body)
	return text
}

// TestFieldReport60 : text of others makes no mention, reference or image.
func TestFieldReport60(t *testing.T) {
	evil := "@some-user @org/team #1 closes #2 ![x](http://e.example/x.png) <img src=x>"
	s := subject(finding(3, func(f *review.Finding) { f.Title, f.Message, f.Why = evil, evil, evil }), finding(90, func(f *review.Finding) { f.Title = evil }))
	s.Tree.Reason, s.Tree.Children[2].Children[2].Reason = untrusted.Text(evil), untrusted.Text(evil)
	detail, err := json.Marshal(map[string]any{"cases": []map[string]string{{"id": "test[" + evil + "]", "outcome": "failed", "why": evil}}})
	require.NoError(t, err)
	s.Results = []report.Result{{Result: store.Result{Stage: "correctness", Kernel: "bmm", GPU: "h200", Outcome: "FAIL", Sentence: evil, Verdict: detail}}}
	checks, err := report.Checks(s)
	require.NoError(t, err)
	r, _, err := report.NewComments(s)
	require.NoError(t, err)
	sticky, err := report.Sticky(s)
	require.NoError(t, err)
	texts := []string{r.Body, r.Comments[0].Body, r.Comments[0].Listed, sticky.Body}
	for _, c := range checks {
		texts = append(texts, c.Summary, c.Text)
		// A title is plain text, where a tag is nothing.
		texts = append(texts, strings.ReplaceAll(c.Title, "<img", ""))
	}
	for _, text := range texts {
		outside := withoutCode(text)
		for _, bad := range []string{"@some-user", "@org/team", "#1", "closes #2", "![x](http", "<img"} {
			require.NotContains(t, outside, bad)
		}
	}
}

// withoutCode drops code spans, in which GitHub links nothing.
func withoutCode(s string) string {
	parts := strings.Split(s, "`")
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		b.WriteString(parts[i])
	}
	return b.String()
}

func TestFixedFindingsAreSaidOnce(t *testing.T) {
	s := subject(finding(3, nil))
	s.Threads = []store.Thread{{Fingerprint: "f3", Place: "line"}, {Fingerprint: "gone", Place: "line", CommentID: 7}, {Fingerprint: "listed", Place: "summary"}, {Fingerprint: "old", Place: "line", FixedIn: "abc"}}
	edits, threads, err := report.Fixed(s)
	require.NoError(t, err)
	require.Len(t, edits, 1)
	require.Equal(t, int64(7), edits[0].CommentID)
	require.Contains(t, edits[0].Body, "Fixed in `1234567`")
	require.Len(t, threads, 2)

	s.Threads = []store.Thread{{Fingerprint: "f3", Place: "line", FixedIn: "abc"}}
	edits, threads, err = report.Fixed(s)
	require.NoError(t, err)
	require.Contains(t, edits[0].Body, "Back in")
	require.Empty(t, threads[0].FixedIn)

	s.Threads = []store.Thread{{Fingerprint: "gone", Place: "line"}}
	s.Review.Summary.Unread = []review.Unread{{Path: "k.rs", Why: "too deep"}}
	edits, _, err = report.Fixed(s)
	require.NoError(t, err)
	require.Empty(t, edits, "a file that was not read shows nothing fixed")
}

func TestManyFindingsKeepTheHeaviest(t *testing.T) {
	var all []review.Finding
	for i := 1; i <= 20; i++ {
		for _, severity := range []review.Severity{review.Warning, review.Error} {
			all = append(all, finding(i, func(f *review.Finding) { f.Severity, f.Fingerprint = severity, fmt.Sprint(i, severity) }))
		}
	}
	r, threads, err := report.NewComments(subject(all...))
	require.NoError(t, err)
	require.Len(t, r.Comments, 30)
	require.Len(t, threads, 30)
	require.Contains(t, r.Body, "20 new errors")
	require.Contains(t, r.Body, "10 more findings")
}

// A button that could do nothing is not there.
func TestButtonsCanDoSomething(t *testing.T) {
	labels := func(root gate.Node) string {
		s := subject()
		s.Tree = root
		checks, err := report.Checks(s)
		require.NoError(t, err)
		var out []string
		for _, a := range checks[0].Actions {
			out = append(out, a.Label)
		}
		return strings.Join(out, ", ")
	}
	in := gate.Input{HeadSHA: sha, Config: gate.Config{State: gate.ConfigOK}, Integrity: gate.Integrity{State: gate.IntegrityDone}, Trust: gate.Trust{State: gate.Trusted}}
	in.Rules = gate.Rules{State: gate.RulesNothing}
	in.Plan = gate.Plan{State: gate.PlanNothing, Why: "it removes every kernel."}
	require.Empty(t, labels(gate.Evaluate(in)), "there is no kernel")
	in.Rules = gate.Rules{State: gate.RulesFailed}
	in.Plan = gate.Plan{}
	require.Equal(t, "Rerun failed", labels(gate.Evaluate(in)))
	in.Rules = gate.Rules{State: gate.RulesDone, Errors: []gate.Finding{{Rule: "R35", Path: "w.py", Line: 1, Title: "swapped"}}}
	in.Plan = gate.Plan{State: gate.PlanNothing, Why: "nothing else."}
	require.Empty(t, labels(gate.Evaluate(in)), "the same tree has the same error")
	in.Plan = gate.Plan{State: gate.PlanGPU, Kernels: []string{"bmm"}, GPUs: []string{"h200"}}
	require.Equal(t, "Rerun perf", labels(gate.Evaluate(in)))
	in.Jobs = []gate.Job{{Stage: job.Build, Kernel: "bmm", GPU: "h200", SHA: sha, State: gate.Done, Verdict: gate.Fail}}
	require.Equal(t, "Rerun failed, Rerun perf", labels(gate.Evaluate(in)))
	in.Trust = gate.Trust{State: gate.NeedsApproval}
	require.Empty(t, labels(gate.Evaluate(in)), "the commit may not run")
}

// A title ends with a clause, else with a word.
func TestTitlesEndWhereAThoughtDoes(t *testing.T) {
	title := func(reason string) string {
		s := subject()
		s.Tree = gate.Node{Name: "gate", Status: gate.Failure, Reason: untrusted.Text(reason)}
		checks, err := report.Checks(s)
		require.NoError(t, err)
		return checks[0].Title
	}
	const long = "tests/ops/a/folder/of/a/longer/name/test_row_sum.py:48"
	for reason, want := range map[string]string{
		"tests: T7: the package reaches for the tests that judge it (`" + long + "`); a maintainer must look at what it does.":                       "tests: T7: the package reaches for the tests that judge it (" + long + ")...",
		"tests: T6: the test file is new: there is nothing to compare it with; it has 2 tests with 1 check (`" + long + "`).":                        "tests: T6: the test file is new: there is nothing to compare it with; it has 2 tests with 1 check...",
		"tests: T1: `rtol` of the tests is looser: 0.001 became 0.1 (10 of 15 cases, such as `rows=128, cols=4096, dtype=float16, backend=cutile`).": "tests: T1: rtol of the tests is looser: 0.001 became 0.1...",
		strings.Repeat("word ", 40): strings.TrimSuffix(strings.Repeat("word ", 23), " ") + "...",
		"short; whole.":             "short; whole.",
	} {
		require.Equal(t, want, title(reason))
	}
}

// An annotation says what to do and where the rule is explained, however long the rest.
func TestAnnotationsSayWhatToDo(t *testing.T) {
	const page = "https://github.com/tilegate/tilegate/blob/main/docs/rules/R35.md"
	f := review.Finding{Rule: "R35", Severity: review.Error, Path: "k.rs", Line: 3, EndLine: 3, Message: "m", Why: "w", New: true, Triage: []string{"first", "then"}}
	checks, err := report.Checks(subject(f))
	require.NoError(t, err)
	require.Equal(t, "m\n\nw\n\nhelp: first\n\n"+page, checks[1].Annotations[0].Message)
	f.Message, f.Triage = strings.Repeat("long ", 20000), []string{strings.Repeat("step ", 20000)}
	checks, err = report.Checks(subject(f))
	require.NoError(t, err)
	message := checks[1].Annotations[0].Message
	require.Less(t, len(message), 64<<10)
	require.True(t, strings.HasSuffix(message, page))
	require.Contains(t, message, "help: step ")
}
