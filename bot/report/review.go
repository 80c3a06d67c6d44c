package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/tilegate/tilegate/bot/outbox"
	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/templates"
)

// commentsPerReview bounds one review; GitHub has failed on larger ones. The
// check run lists the rest.
const commentsPerReview = 30

// FindingMarker is the hidden marker of a finding's comment. It names the
// finding and not the place, so that a push that moves the line repeats nothing.
func FindingMarker(fingerprint string) string { return "tilegate:finding " + fingerprint }

// FingerprintOf is the fingerprint in a marker; false for other markers.
func FingerprintOf(marker string) (string, bool) {
	return strings.CutPrefix(marker, "tilegate:finding ")
}

// NewComments is the review to write for findings that have no comment yet,
// with the threads that it starts; nil when there are none. Only new errors
// and warnings on lines of the diff are commented; errors elsewhere are listed.
func NewComments(s Subject) (*outbox.Review, []store.Thread, error) {
	if s.Review == nil || s.Number == 0 {
		return nil, nil, nil
	}
	files := map[string]pull.File{}
	for _, f := range s.Files {
		files[f.Path] = f
	}
	candidates := uncommented(s)
	if len(candidates) == 0 {
		return nil, nil, nil
	}
	// Heavy findings first, so that the limit drops the light ones.
	slices.SortStableFunc(candidates, func(a, b review.Finding) int { return b.Severity.Rank() - a.Severity.Rank() })
	var (
		out       outbox.Review
		threads   []store.Thread
		elsewhere []untrusted.Text
		omitted   int
		n         = map[review.Severity]int{}
	)
	for _, f := range candidates {
		thread := store.Thread{Fingerprint: f.Fingerprint, HeadSHA: s.HeadSHA, Place: "line"}
		c, ok, err := lineComment(f, files[f.Path])
		if err != nil {
			return nil, nil, err
		}
		switch {
		case ok && len(out.Comments) < commentsPerReview:
			out.Comments = append(out.Comments, c)
		case ok:
			omitted++
			continue // no thread: a later review may hold it
		case f.Severity == review.Error:
			elsewhere = append(elsewhere, untrusted.Text(listed(f)))
			thread.Place = "summary"
		default:
			thread.Place = "summary"
		}
		n[f.Severity]++
		threads = append(threads, thread)
	}
	if len(out.Comments) == 0 && len(elsewhere) == 0 {
		return nil, threads, nil
	}
	body, err := templates.Markdown("review", "body", map[string]any{
		"Errors": n[review.Error], "Warnings": n[review.Warning], "SHA": untrusted.Text(short(s.HeadSHA)), "Elsewhere": elsewhere, "Omitted": omitted,
	})
	if err != nil {
		return nil, nil, err
	}
	out.Number, out.CommitID, out.Body = s.Number, s.HeadSHA, untrusted.Clip(body, untrusted.CommentLimit-200)
	out.Marker = reviewMarker(s.HeadSHA, threads)
	return &out, threads, nil
}

// Uncommented reports whether NewComments has something to say, for which it
// needs the subject's Files.
func Uncommented(s Subject) bool { return s.Review != nil && s.Number > 0 && len(uncommented(s)) > 0 }

// uncommented are the new errors and warnings without a thread, one of each
// fingerprint.
func uncommented(s Subject) []review.Finding {
	known := map[string]bool{}
	for _, t := range s.Threads {
		known[t.Fingerprint] = true
	}
	var out []review.Finding
	for _, f := range s.Review.Findings {
		if f.New && f.Severity.Rank() >= review.Warning.Rank() && !known[f.Fingerprint] {
			known[f.Fingerprint] = true
			out = append(out, f)
		}
	}
	return out
}

// reviewMarker names a review by its commit and the findings that it tells.
func reviewMarker(sha string, threads []store.Thread) string {
	h := sha256.New()
	for _, t := range threads {
		fmt.Fprintln(h, t.Fingerprint)
	}
	return fmt.Sprintf("tilegate:review %s %s", sha, hex.EncodeToString(h.Sum(nil)[:8]))
}

// listed is the finding in one line, for a review's body.
func listed(f review.Finding) string {
	return fmt.Sprintf("%s %s at `%s:%d`: %s", f.Rule, f.Severity, f.Path, f.Line, f.Message)
}

// lineComment is the comment of a finding; ok is false when its lines are not
// part of the diff.
func lineComment(f review.Finding, file pull.File) (c outbox.ReviewComment, ok bool, err error) {
	data := map[string]any{
		"Rule": untrusted.Text(f.Rule), "RuleID": untrusted.Text(f.Rule).Line(), "Severity": string(f.Severity), "Title": untrusted.Text(f.Title),
		"Message": untrusted.Text(f.Message), "Why": untrusted.Text(f.Why), "AlsoAt": lines(f.AlsoAt),
		"Triage": texts(f.Triage), "Suggestion": "", "FixText": untrusted.Text(""),
	}
	start, end := place(f, file)
	if block, from, to, can := suggestion(f, file); can {
		start, end = from, to
		data["Suggestion"], data["FixText"] = block, untrusted.Text(f.Fix.Description)
	} else if f.Fix != nil {
		data["FixText"] = untrusted.Text(f.Fix.Description)
	}
	if start == 0 {
		return c, false, nil
	}
	body, err := templates.Markdown("review", "comment", data)
	if err != nil {
		return c, false, err
	}
	marker := outbox.MarkerLine(FindingMarker(f.Fingerprint))
	c = outbox.ReviewComment{
		Fingerprint: f.Fingerprint, Path: f.Path, Line: end,
		Body:   untrusted.Clip(body, untrusted.CommentLimit-len(marker)-2) + "\n\n" + marker,
		Listed: untrusted.Text(listed(f)).Prose(),
	}
	if start < end {
		c.StartLine = start
	}
	return c, true, nil
}

// inOneHunk reports whether GitHub accepts a comment on these head-side lines.
func inOneHunk(f pull.File, start, end int) bool {
	if start > end || !f.Commentable[start] || !f.Commentable[end] {
		return false
	}
	return f.HunkOf[start] == f.HunkOf[end]
}

// place is where a comment without a suggestion stands: on the finding's line,
// else on the last line of its construct that is part of the diff; 0 for none.
func place(f review.Finding, file pull.File) (start, end int) {
	for _, l := range []int{f.Line, f.EndLine} {
		if inOneHunk(file, l, l) {
			return l, l
		}
	}
	for l := f.EndLine - 1; l > f.Line; l-- {
		if inOneHunk(file, l, l) {
			return l, l
		}
	}
	return 0, 0
}

// suggestionLines bounds a suggestion that is widened to the finding's line.
const suggestionLines = 25

// suggestion is the fix as a block to accept with one click. That needs one
// edit of lines that all lie in one hunk. When the finding stands on another
// line of that hunk, the lines between are repeated, so that the comment covers
// both.
func suggestion(f review.Finding, file pull.File) (block string, from, to int, ok bool) {
	if f.Fix == nil || len(f.Fix.Edits) != 1 {
		return "", 0, 0, false
	}
	e := f.Fix.Edits[0]
	if e.EndLine < e.StartLine || !inOneHunk(file, e.StartLine, e.EndLine) {
		return "", 0, 0, false
	}
	from, to = min(e.StartLine, f.Line), max(e.EndLine, f.Line)
	if text, can := widened(e, from, to, file); can {
		block, ok = untrusted.Text(text).Suggestion()
		return block, from, to, ok
	}
	block, ok = untrusted.Text(e.Text).Suggestion()
	return block, e.StartLine, e.EndLine, ok
}

// widened is the text of lines from..to with the edit applied.
func widened(e review.Edit, from, to int, file pull.File) (string, bool) {
	if from == e.StartLine && to == e.EndLine {
		return e.Text, true
	}
	if to-from >= suggestionLines || !inOneHunk(file, from, to) {
		return "", false
	}
	head := headLines(file.Patch)
	var lines []string
	for l := from; l <= to; l++ {
		switch original, known := head[l]; {
		case l == e.StartLine:
			lines = append(lines, e.Text)
		case l > e.StartLine && l <= e.EndLine:
		case !known:
			return "", false
		default:
			lines = append(lines, original)
		}
	}
	return strings.Join(lines, "\n"), true
}

// headLines are the head-side lines of a patch without their line feeds.
func headLines(patch string) map[int]string {
	lines := map[int]string{}
	files, _, err := gitdiff.Parse(strings.NewReader("--- a/x\n+++ b/x\n" + strings.TrimSuffix(patch, "\n") + "\n"))
	if err != nil || len(files) != 1 {
		return lines
	}
	for _, hunk := range files[0].TextFragments {
		n := int(hunk.NewPosition)
		for _, l := range hunk.Lines {
			if l.Op != gitdiff.OpDelete {
				lines[n] = strings.TrimSuffix(l.Line, "\n")
				n++
			}
		}
	}
	return lines
}

// Fixed are the edits of comments whose findings are gone, with the threads
// as they stand then.
func Fixed(s Subject) ([]outbox.Edit, []store.Thread, error) {
	if s.Review == nil || s.Number == 0 {
		return nil, nil, nil
	}
	// A finding in a file that was not read is not known to be gone.
	if len(s.Review.Summary.Unread) > 0 {
		return nil, nil, nil
	}
	present := map[string]bool{}
	for _, f := range s.Review.Findings {
		present[f.Fingerprint] = true
	}
	var edits []outbox.Edit
	var threads []store.Thread
	for _, t := range s.Threads {
		if present[t.Fingerprint] == (t.FixedIn == "") {
			continue
		}
		if t.FixedIn == "" {
			t.FixedIn = s.HeadSHA
		} else {
			t.FixedIn = "" // it came back
		}
		threads = append(threads, t)
		if t.Place != "line" {
			continue
		}
		body, err := fixedBody(s, t)
		if err != nil {
			return nil, nil, err
		}
		edits = append(edits, outbox.Edit{Number: s.Number, CommentID: t.CommentID, Marker: FindingMarker(t.Fingerprint), Body: body})
	}
	return edits, threads, nil
}

// fixedBody is what the comment of a finding says when the finding went or
// came back.
func fixedBody(s Subject, t store.Thread) (string, error) {
	if t.FixedIn != "" {
		return templates.Markdown("review", "fixed", map[string]any{"SHA": untrusted.Text(short(s.HeadSHA))})
	}
	for _, f := range s.Review.Findings {
		if f.Fingerprint == t.Fingerprint {
			return templates.Markdown("review", "back", map[string]any{
				"SHA": untrusted.Text(short(s.HeadSHA)), "Rule": untrusted.Text(f.Rule), "Title": untrusted.Text(f.Title), "Message": untrusted.Text(f.Message),
			})
		}
	}
	return "", fmt.Errorf("report: finding %s is neither there nor gone", t.Fingerprint)
}

func lines(n []int) string {
	parts := make([]string, len(n))
	for i, l := range n {
		parts[i] = fmt.Sprint(l)
	}
	return strings.Join(parts, ", ")
}

func texts(s []string) []untrusted.Text {
	out := make([]untrusted.Text, len(s))
	for i, t := range s {
		out[i] = untrusted.Text(t)
	}
	return out
}
