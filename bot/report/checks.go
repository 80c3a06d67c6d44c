package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/bot/outbox"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/templates"
)

// Checks are the check runs of the subject, the gate first. A stage that the
// change does not need has no check run; the gate says why.
func Checks(s Subject) ([]outbox.Check, error) {
	g, err := gateCheck(s)
	if err != nil {
		return nil, err
	}
	checks := []outbox.Check{g}
	if s.Review != nil || !allSuccess(rulesNode(s.Tree)) {
		r, err := rulesCheck(s)
		if err != nil {
			return nil, err
		}
		checks = append(checks, r)
	}
	for _, stage := range job.Stages {
		nodes := stageNodes(s.Tree, stage)
		if len(nodes) == 0 {
			continue
		}
		c, err := stageCheck(s, stage, nodes)
		if err != nil {
			return nil, err
		}
		checks = append(checks, c)
	}
	return checks, nil
}

// Replaced is the check run of a head that a newer one replaced before it was
// concluded.
func Replaced(name, oldSHA, newSHA string) outbox.Check {
	sentence := untrusted.Text(fmt.Sprintf("Not decided: %.7s was replaced by %.7s.", oldSHA, newSHA)).Line()
	return outbox.Check{Name: name, HeadSHA: oldSHA, Status: "completed", Conclusion: "cancelled", Title: sentence, Summary: sentence}
}

// FailedLate are the check runs of a replaced head whose run failed after all:
// those of the stage and of the gate.
func FailedLate(r store.Result, oldSHA, newSHA string) []outbox.Check {
	text := untrusted.Text(fmt.Sprintf("%s of %s on %s at %.7s, which %.7s has replaced: %s", r.Stage, r.Kernel, r.GPU, oldSHA, newSHA, r.Sentence))
	var checks []outbox.Check
	for _, name := range []string{stageChecks[job.Stage(r.Stage)], CheckGate} {
		checks = append(checks, outbox.Check{
			Name: name, HeadSHA: oldSHA, Status: "completed", Conclusion: "failure",
			Title: inert.Replace(shorten(text.Line())), Summary: text.Prose(), DetailsURL: r.JobURL,
		})
	}
	return checks
}

func allSuccess(nodes []gate.Node) bool {
	for _, n := range nodes {
		if n.Status != gate.Success {
			return false
		}
	}
	return true
}

// row renders one line of the table of nodes.
func row(n gate.Node) (untrusted.Row, error) {
	text, err := templates.Markdown("check", "row", map[string]any{
		"Name": n.Name, "Word": word(n.Status), "Reason": n.Reason, "Unblock": n.Unblock,
	})
	return untrusted.Row{Markdown: text, Weight: weight(n.Status)}, err
}

func weight(s gate.Status) int {
	switch s {
	case gate.Success:
		return 0
	case gate.Pending:
		return 1
	}
	return 2
}

// summary renders a node and the table of its parts within GitHub's limit.
func summary(sha string, n gate.Node, parts []gate.Node) (string, error) {
	head, err := templates.Markdown("check", "head", map[string]any{
		"Word": word(n.Status), "SHA": untrusted.Text(short(sha)), "Reason": n.Reason, "Unblock": n.Unblock, "Rows": len(parts) > 0,
	})
	if err != nil {
		return "", err
	}
	rows := make([]untrusted.Row, 0, len(parts))
	for _, p := range parts {
		r, err := row(p)
		if err != nil {
			return "", err
		}
		rows = append(rows, r)
	}
	return fit(untrusted.CheckOutputLimit, head, rows, "")
}

// fit joins the parts within the limit, with a note about rows left out.
func fit(limit int, before string, rows []untrusted.Row, after string) (string, error) {
	var failure error
	out, _ := untrusted.Fit(limit, before, rows, after, func(n int) string {
		note, err := templates.Markdown("check", "omitted", n)
		if err != nil {
			failure = err
		}
		return note
	})
	return out, failure
}

func gateCheck(s Subject) (outbox.Check, error) {
	c := outbox.Check{Name: CheckGate, HeadSHA: s.HeadSHA, Title: title(s.Tree), DetailsURL: s.page(job.Perf, job.Correctness, job.Build)}
	apply(&c, s.Tree)
	var parts []gate.Node
	for _, n := range s.Tree.Children {
		parts = append(parts, n)
		if n.Status == gate.Success {
			continue
		}
		for _, leaf := range n.Leaves() {
			if leaf.Status != gate.Success && leaf.Name != n.Name {
				leaf.Name = n.Name + " / " + leaf.Name
				parts = append(parts, leaf)
			}
		}
	}
	var err error
	if c.Summary, err = summary(s.HeadSHA, s.Tree, parts); err != nil {
		return c, err
	}
	if s.Tree.Status != gate.Success && s.Tree.Status != gate.Pending && s.Number > 0 {
		c.Actions = buttons(s.Tree)
	}
	return c, nil
}

// buttons are the reruns that can change something: of what failed by itself, and of
// what the commit may measure.
func buttons(root gate.Node) []outbox.Action {
	kernels := kernelNodes(root)
	if trust, ok := find(root, "trust"); ok && trust.Status != gate.Success {
		kernels = nil
	}
	review, _ := find(root, "rules")
	failed := len(review.Children) == 0 && strings.Contains(string(review.Unblock), "/tilegym rerun rules")
	for _, k := range kernels {
		failed = failed || slices.ContainsFunc(k.Leaves(), func(l gate.Node) bool {
			return l.Status != gate.Success && l.Status != gate.Pending && !l.Waits
		})
	}
	var out []outbox.Action
	if failed {
		out = append(out, outbox.Action{Label: "Rerun failed", Description: "Runs again what is not green", Identifier: "rerun_failed"})
	}
	if len(kernels) > 0 {
		out = append(out, outbox.Action{Label: "Rerun perf", Description: "Measures all kernels again", Identifier: "rerun_perf"})
	}
	return out
}

// rulesNode are the parts of the tree that need no GPU.
func rulesNode(root gate.Node) []gate.Node {
	var nodes []gate.Node
	for _, name := range []string{"config", "rules", "tests"} {
		if n, ok := find(root, name); ok {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

func rulesCheck(s Subject) (outbox.Check, error) {
	parts := rulesNode(s.Tree)
	green := untrusted.Text("Nothing to object to.")
	if s.Review != nil {
		green = untrusted.Text(counts(s.Review) + ".")
	}
	n := gate.Fold("rules", green, parts)
	c := outbox.Check{Name: CheckRules, HeadSHA: s.HeadSHA, Title: title(n)}
	apply(&c, n)
	var err error
	if c.Summary, err = summary(s.HeadSHA, n, parts); err != nil {
		return c, err
	}
	if s.Review == nil {
		return c, nil
	}
	if c.Text, err = findingsText(s.Review); err != nil {
		return c, err
	}
	if c.Status == "completed" {
		c.Annotations = annotations(s.Review)
	}
	return c, nil
}

// counts says how many findings there are, new ones and older ones apart.
func counts(r *review.Report) string {
	n := map[review.Severity]int{}
	older := 0
	for _, f := range r.Findings {
		if f.New {
			n[f.Severity]++
		} else {
			older++
		}
	}
	text := fmt.Sprintf("%s, %s and %s new", plural(n[review.Error], "error"), plural(n[review.Warning], "warning"), plural(n[review.Note], "note"))
	if older > 0 {
		text += fmt.Sprintf("; %d older", older)
	}
	if len(r.Summary.Unread) > 0 {
		text += fmt.Sprintf("; %s not read", plural(len(r.Summary.Unread), "file"))
	}
	return text
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// findingsText lists what was not read, what the change accepts and all
// findings: the new ones first and of these the heavy ones, the others folded.
// Heavy and new ones are the last to be left out.
func findingsText(r *review.Report) (string, error) {
	accepted := suppressions(r)
	if len(r.Findings) == 0 && len(r.Summary.Unread) == 0 && len(accepted) == 0 {
		return "", nil
	}
	head, err := templates.Markdown("check", "findings-head", nil)
	if err != nil {
		return "", err
	}
	var rows []untrusted.Row
	for _, u := range r.Summary.Unread {
		text, err := templates.Markdown("check", "unread-row", map[string]any{"Path": untrusted.Text(u.Path), "Why": untrusted.Text(u.Why)})
		if err != nil {
			return "", err
		}
		rows = append(rows, untrusted.Row{Markdown: text, Weight: 9})
	}
	for _, a := range accepted {
		text, err := templates.Markdown("check", "suppression-row", a)
		if err != nil {
			return "", err
		}
		rows = append(rows, untrusted.Row{Markdown: text, Weight: 8})
		for _, f := range a.Findings {
			text, err := templates.Markdown("check", "accepted-row", f)
			if err != nil {
				return "", err
			}
			rows = append(rows, untrusted.Row{Markdown: text, Weight: 8})
		}
	}
	var fresh, older []review.Finding
	for _, f := range r.Findings {
		if f.New {
			fresh = append(fresh, f)
		} else {
			older = append(older, f)
		}
	}
	slices.SortStableFunc(fresh, func(a, b review.Finding) int { return b.Severity.Rank() - a.Severity.Rank() })
	more, err := findingRows(fresh, 4)
	if err != nil {
		return "", err
	}
	rows = append(rows, more...)
	if len(older) == 0 {
		return fit(untrusted.CheckOutputLimit, head, rows, "")
	}
	if len(rows) == 0 {
		head = ""
	}
	open, err := templates.Markdown("check", "older-head", plural(len(older), "finding"))
	if err != nil {
		return "", err
	}
	shut, err := templates.Markdown("check", "older-foot", nil)
	if err != nil {
		return "", err
	}
	if more, err = findingRows(older, 0); err != nil {
		return "", err
	}
	rows = append(append(append(rows, untrusted.Row{Markdown: open, Weight: 9}), more...), untrusted.Row{Markdown: shut, Weight: 9})
	return fit(untrusted.CheckOutputLimit, head, rows, "")
}

// findingRows are the rows of findings; a heavier one outlives a lighter one.
func findingRows(findings []review.Finding, weight int) ([]untrusted.Row, error) {
	var rows []untrusted.Row
	for _, f := range findings {
		text, err := templates.Markdown("check", "finding-row", map[string]any{
			"Severity": string(f.Severity), "New": f.New, "Rule": untrusted.Text(f.Rule),
			"Place": untrusted.Text(fmt.Sprintf("%s:%d", f.Path, f.Line)), "Title": untrusted.Text(f.Message),
		})
		if err != nil {
			return nil, err
		}
		rows = append(rows, untrusted.Row{Markdown: text, Weight: weight + f.Severity.Rank()})
	}
	return rows, nil
}

// annotationLimit is GitHub's limit for an annotation's message in bytes.
const annotationLimit = 64 << 10

// annotations mark the new errors and warnings. A note is one line in the text.
func annotations(r *review.Report) []outbox.Annotation {
	levels := map[review.Severity]string{review.Error: "failure", review.Warning: "warning"}
	var out []outbox.Annotation
	for _, f := range r.Findings {
		level, ok := levels[f.Severity]
		if !ok || !f.New {
			continue
		}
		message := f.Message
		if f.Why != "" {
			message += "\n\n" + f.Why
		}
		do := "\n\n" + review.RulePage(f.Rule)
		if len(f.Triage) > 0 {
			do = "\n\nhelp: " + string(untrusted.Text(f.Triage[0]).Cut(annotationLimit/4)) + do
		}
		a := outbox.Annotation{
			Path: f.Path, StartLine: max(f.Line, 1), EndLine: max(f.EndLine, f.Line, 1), Level: level,
			Title:   untrusted.Text(f.Rule + ": " + f.Title).Cut(200).Line(),
			Message: (untrusted.Text(message).Cut(annotationLimit-1-len(do)) + untrusted.Text(do)).Plain(),
		}
		if f.EndLine == f.Line && f.Column > 0 {
			// GitHub's end column is the last one marked, ours the one after it.
			a.StartColumn, a.EndColumn = f.Column, max(f.EndColumn-1, f.Column)
		}
		out = append(out, a)
	}
	return out
}

// stageNodes are the nodes of one stage, named after kernel and GPU class.
func stageNodes(root gate.Node, stage job.Stage) []gate.Node {
	var nodes []gate.Node
	for _, k := range root.Children {
		if !strings.Contains(string(k.Name), " on ") {
			continue
		}
		for _, n := range k.Children {
			if string(n.Name) == string(stage) {
				n.Name = k.Name
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

func stageCheck(s Subject, stage job.Stage, nodes []gate.Node) (outbox.Check, error) {
	green := nodes[0].Reason
	if len(nodes) > 1 {
		green = untrusted.Text(fmt.Sprintf("%s passed for all %d kernels and GPU classes.", stage, len(nodes)))
	}
	n := gate.Fold(untrusted.Text(stage), green, nodes)
	c := outbox.Check{
		Name: stageChecks[stage], HeadSHA: s.HeadSHA, Title: title(n),
		ExternalID: s.Dispatch[stage], DetailsURL: s.page(stage),
	}
	apply(&c, n)
	var err error
	if c.Summary, err = summary(s.HeadSHA, n, nodes); err != nil {
		return c, err
	}
	if c.Text, err = stageText(s.Results, stage); err != nil {
		return c, err
	}
	if c.Status == "completed" && n.Status != gate.Success && s.Number > 0 {
		c.Actions = []outbox.Action{{
			Label: "Rerun " + string(stage), Description: "Runs this stage again", Identifier: "rerun_" + string(stage),
		}}
	}
	return c, nil
}

// page is the address of the newest dispatch's page, of the first of the
// stages that has one.
func (s Subject) page(stages ...job.Stage) string {
	for _, stage := range stages {
		if id := s.Dispatch[stage]; id != "" && s.Page != nil {
			return s.Page(id)
		}
	}
	return ""
}

func short(sha string) string { return sha[:min(7, len(sha))] }
