package report

import (
	"fmt"
	"strings"

	"github.com/tilegate/tilegate/bot/outbox"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/templates"
)

// StickyName and StickyMarker tell the summary comment from other comments.
const (
	StickyName   = "summary"
	StickyMarker = "tilegate:summary"
)

// Worthwhile reports whether the subject needs a summary comment: there is
// something to do, jobs whose results it shows, or a comment in the change that
// accepts findings.
func Worthwhile(s Subject) bool {
	return s.Number > 0 && (s.Tree.Status != gate.Success || len(stageNodes(s.Tree, job.Build)) > 0 || len(s.Threads) > 0 || len(suppressions(s.Review)) > 0)
}

// Sticky is the summary comment.
func Sticky(s Subject) (outbox.Comment, error) {
	kernels := kernelNodes(s.Tree)
	rules := ""
	if s.Review != nil {
		rules = counts(s.Review) + "."
	}
	head, err := templates.Markdown("sticky", "head", map[string]any{
		"Word": word(s.Tree.Status), "Reason": s.Tree.Reason, "Unblock": s.Tree.Unblock, "Rules": rules, "Kernels": len(kernels) > 0,
	})
	if err != nil {
		return outbox.Comment{}, err
	}
	var rows []untrusted.Row
	for _, k := range kernels {
		r, err := kernelRow(s, k)
		if err != nil {
			return outbox.Comment{}, err
		}
		rows = append(rows, r)
	}
	accepted := suppressions(s.Review)
	foot, err := templates.Markdown("sticky", "foot", map[string]any{
		"Suppressions": accepted[:min(len(accepted), suppressionLimit)], "More": max(len(accepted)-suppressionLimit, 0),
		"Open": open(s.Tree), "SHA": untrusted.Text(short(s.HeadSHA)), "Page": s.page(job.Perf, job.Correctness, job.Build),
	})
	if err != nil {
		return outbox.Comment{}, err
	}
	body, err := fit(untrusted.CommentLimit-len(outbox.MarkerLine(StickyMarker))-2, head, rows, foot)
	return outbox.Comment{Number: s.Number, Marker: StickyMarker, Body: body}, err
}

// suppressionLimit bounds the list of suppressions; the rules check lists all.
const suppressionLimit = 15

// suppression is a comment in the source that accepts findings, as it is told.
type suppression struct {
	Rules, Place, Reason, Problem untrusted.Text
	// Findings are what it accepts; Short are the first of them, and Longer how many
	// follow.
	Findings, Short []accepted
	Longer          int
}

// accepted is a finding that a comment accepts.
type accepted struct {
	Severity           string
	Rule, Place, Title untrusted.Text
	AlsoAt             string
}

// suppressions are those that the change adds, and older ones that accept something
// new.
func suppressions(r *review.Report) []suppression {
	if r == nil {
		return nil
	}
	var out []suppression
	add := func(s review.Suppression, findings []accepted) {
		short := findings[:min(len(findings), acceptedLimit)]
		out = append(out, suppression{
			Rules: untrusted.Text(strings.Join(s.Rules, ", ")), Place: untrusted.Text(fmt.Sprintf("%s:%d", s.Path, s.Line)),
			Reason: untrusted.Text(s.Reason).Cut(reasonLimit), Problem: untrusted.Text(s.Problem).Cut(reasonLimit),
			Findings: findings, Short: short, Longer: len(findings) - len(short),
		})
	}
	for _, a := range r.Accepting(false) {
		var findings []accepted
		for _, f := range a.Findings {
			findings = append(findings, accepted{
				Severity: string(f.Severity), Rule: untrusted.Text(f.Rule), Place: untrusted.Text(fmt.Sprintf("%s:%d", f.Path, f.Line)),
				Title: untrusted.Text(f.Message).Cut(reasonLimit), AlsoAt: lines(f.AlsoAt),
			})
		}
		add(a.Suppression, findings)
	}
	for _, s := range r.Summary.Suppressions {
		if s.New && s.Problem != "" {
			add(s, nil)
		}
	}
	return out
}

// reasonLimit is the length of a reason, or of what it is about, that is shown, in
// bytes.
const reasonLimit = 300

// acceptedLimit bounds what the summary lists of what one comment accepts; the rules
// check lists all.
const acceptedLimit = 3

func kernelNodes(root gate.Node) []gate.Node {
	var nodes []gate.Node
	for _, n := range root.Children {
		if strings.Contains(string(n.Name), " on ") {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// openLimit bounds the list of what is open; the gate's check lists all.
const openLimit = 8

// open are the leaves that are not green, the first of each reason. A stage
// that waits for another one says nothing of its own.
func open(root gate.Node) []gate.Node {
	var out []gate.Node
	seen := map[untrusted.Text]bool{root.Reason: true}
	for _, n := range root.Children {
		for _, leaf := range n.Leaves() {
			if leaf.Status == gate.Success || seen[leaf.Reason] || strings.HasPrefix(string(leaf.Reason), "No conclusion:") {
				continue
			}
			seen[leaf.Reason] = true
			if leaf.Name != n.Name {
				leaf.Name = n.Name + " / " + leaf.Name
			}
			out = append(out, leaf)
		}
	}
	if len(out) == 1 {
		return nil // the heading says it
	}
	return out[:min(len(out), openLimit)]
}

// trendLength is how many earlier ratios the summary shows.
const trendLength = 5

// trend are the earlier ratios of a kernel in this pull request, oldest first,
// each with its commit.
func trend(measured []store.Measured, kernel, gpu string) (string, error) {
	var past []string
	for _, m := range measured {
		if m.Kernel != kernel || m.GPU != gpu {
			continue
		}
		d, err := ParseDetail(m.Verdict)
		if err != nil {
			return "", err
		}
		if d.Ratio != nil {
			past = append(past, fmt.Sprintf("%s (%s)", ratio(d.Ratio, d.limit()), untrusted.Text(short(m.HeadSHA)).Code()))
		}
	}
	if len(past) < 2 {
		return "", nil
	}
	past = past[:len(past)-1] // the last one is the present one
	return strings.Join(past[max(0, len(past)-trendLength):], ", "), nil
}

func kernelRow(s Subject, k gate.Node) (untrusted.Row, error) {
	kernel, gpu, _ := strings.Cut(string(k.Name), " on ")
	data := map[string]any{"Kernel": untrusted.Text(kernel), "GPU": untrusted.Text(gpu), "Ratio": "", "Build": "", "Correctness": "", "Perf": ""}
	for _, n := range k.Children {
		key := map[string]string{string(job.Build): "Build", string(job.Correctness): "Correctness", string(job.Perf): "Perf"}[string(n.Name)]
		state := word(n.Status)
		if n.Waived {
			state += " (waived)"
		}
		data[key] = state
	}
	for _, r := range s.Results {
		if r.Kernel != kernel || r.GPU != gpu || r.Stage != string(job.Perf) {
			continue
		}
		d, err := ParseDetail(r.Verdict)
		if err != nil {
			return untrusted.Row{}, err
		}
		data["Ratio"] = ratio(d.Ratio, d.limit())
	}
	past, err := trend(s.Measured, kernel, gpu)
	if err != nil {
		return untrusted.Row{}, err
	}
	data["Trend"] = past
	text, err := templates.Markdown("sticky", "row", data)
	return untrusted.Row{Markdown: text, Weight: weight(k.Status)}, err
}
