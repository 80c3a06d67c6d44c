package review

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// project is where the tool and its rule pages are found.
const project = "https://github.com/tilegate/tilegate"

// RulePage is the address of a rule's page.
func RulePage(id string) string { return project + "/blob/main/docs/rules/" + id + ".md" }

// The part of SARIF 2.1.0 that a review uses; code scanning reads all of it.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Automation  sarifAutomation   `json:"automationDetails"`
		ColumnKind  string            `json:"columnKind"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifAutomation struct {
		ID string `json:"id"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifRule struct {
		ID               string      `json:"id"`
		ShortDescription sarifText   `json:"shortDescription"`
		FullDescription  sarifText   `json:"fullDescription"`
		Help             sarifText   `json:"help"`
		HelpURI          string      `json:"helpUri"`
		Default          sarifConfig `json:"defaultConfiguration"`
		Properties       sarifProps  `json:"properties"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifProps struct {
		Tags     []string `json:"tags"`
		Severity string   `json:"problem.severity"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Baseline     string            `json:"baselineState"`
		// Suppressions are there for all results of a run, or for none.
		Suppressions []sarifSuppression `json:"suppressions,omitzero"`
		Fixes        []sarifFix         `json:"fixes,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted sarifText   `json:"insertedContent"`
	}
)

// What code scanning takes at most; it refuses a file with more results, and
// shows no more locations of one.
const (
	maxResults = 25_000
	maxRelated = 100
)

// writeSARIF prints SARIF 2.1.0. Columns count UTF-16 code units; without the
// source of a file its columns are left out.
func writeSARIF(w io.Writer, r *Report, s Style) error {
	index := map[string]int{}
	driver := sarifDriver{Name: r.Tool.Name, Version: r.Tool.Version, InformationURI: project, Rules: []sarifRule{}}
	for i, rule := range s.Rules {
		index[rule.ID] = i
		tags := []string{rule.Category}
		if rule.Owner != rule.Category {
			tags = append(tags, rule.Owner)
		}
		driver.Rules = append(driver.Rules, sarifRule{
			ID: rule.ID, ShortDescription: sarifText{Text: rule.Title}, FullDescription: sarifText{Text: rule.Why},
			Help: sarifText{rules.Page(rule), rules.Page(rule)}, HelpURI: RulePage(rule.ID),
			Default: sarifConfig{sarifLevel(rule.Severity)}, Properties: sarifProps{tags, problemSeverity(rule.Severity)},
		})
	}
	run := sarifRun{Tool: sarifTool{driver}, Automation: sarifAutomation{"tilegate/"}, ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	invocation := sarifInvocation{Successful: len(r.Summary.Unread) == 0 && len(r.Summary.Kernels) > 0}
	for _, u := range r.Summary.Unread {
		at := sarifPhysical{Artifact: artifact(u.Path)}
		if row, column := u.At.Line, u.At.Column; row > 0 {
			at.Region = &sarifRegion{StartLine: row}
			if column > 0 && s.Source != nil {
				if file := s.Source(u.Path); file != nil && row <= file.LineCount() {
					at.Region.StartColumn = utf16Column(file.Line(row), column)
				}
			}
		}
		invocation.Notifications = append(invocation.Notifications, sarifNotification{
			"error", sarifText{Text: "not reviewed: " + line(u.Why)}, []sarifLocation{{Physical: at}},
		})
	}
	if len(r.Summary.Kernels) == 0 {
		invocation.Notifications = append(invocation.Notifications, sarifNotification{Level: "error", Message: sarifText{Text: "there is no kernel to review"}})
	}
	_, idle := r.comments(s)
	for _, p := range idle {
		invocation.Notifications = append(invocation.Notifications, sarifNotification{
			"warning", sarifText{Text: "suppression problem: " + acceptsNothing + line(p.Problem)},
			[]sarifLocation{{Physical: sarifPhysical{artifact(p.Path), &sarifRegion{StartLine: p.Line}}}},
		})
	}
	all := results(r, s.Accepted)
	found, omitted := heaviest(all, maxResults)
	if omitted > 0 {
		invocation.Notifications = append(invocation.Notifications, sarifNotification{
			Level: "warning", Message: sarifText{Text: fmt.Sprintf("%d of %d findings, the lightest, are left out: code scanning takes %d", omitted, len(all), maxResults)},
		})
	}
	run.Invocations = []sarifInvocation{invocation}
	same := map[string]int{}
	var starts, ends columns
	for _, f := range found {
		var file *syntax.File
		if s.Source != nil {
			file = s.Source(f.Path)
		}
		same[f.Fingerprint]++
		res := sarifResult{
			RuleID: f.Rule, RuleIndex: index[f.Rule], Level: sarifLevel(f.Severity),
			Message:   sarifText{Text: unlinked(untrusted.Text(f.Message).Plain())},
			Locations: []sarifLocation{{Physical: sarifPhysical{artifact(f.Path), region(file, f.Finding, &starts, &ends)}}},
			// The second is the one that code scanning tells alerts apart by.
			Fingerprints: map[string]string{"tilegate/v1": f.Fingerprint, "primaryLocationLineHash": fmt.Sprintf("%s:%d", f.Fingerprint, same[f.Fingerprint])},
			Baseline:     "unchanged",
		}
		if f.New {
			res.Baseline = "new"
		}
		if s.Accepted {
			res.Suppressions = []sarifSuppression{}
		}
		if f.Reason != "" {
			res.Suppressions = append(res.Suppressions, sarifSuppression{"inSource", "accepted", line(f.Reason)})
		}
		var links []string
		for i, n := range f.AlsoAt[:min(len(f.AlsoAt), maxRelated)] {
			res.Related = append(res.Related, sarifLocation{i + 1, sarifPhysical{artifact(f.Path), &sarifRegion{StartLine: n}}})
			links = append(links, fmt.Sprintf("[line %d](%d)", n, i+1))
		}
		if links != nil {
			res.Message.Text += "\nAlso at " + strings.Join(links, ", ")
			if more := len(f.AlsoAt) - maxRelated; more > 0 {
				res.Message.Text += fmt.Sprintf(" and %d more", more)
			}
			res.Message.Text += "."
		}
		if f.Fix != nil {
			res.Fixes = []sarifFix{{sarifText{Text: f.Fix.Description + " (" + s.repair(f.Finding) + ")"}, []sarifChange{{artifact(f.Path), replacements(file, f.Fix)}}}}
		}
		run.Results = append(run.Results, res)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// results are the findings, and with accepted also those that comments accept, at
// their places among the others; only these have a reason.
func results(r *Report, accepted bool) []Accepted {
	var out []Accepted
	for _, f := range r.Findings {
		out = append(out, Accepted{Finding: f})
	}
	if !accepted || len(r.Accepted) == 0 {
		return out
	}
	out = append(out, r.Accepted...)
	slices.SortStableFunc(out, func(a, b Accepted) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line, a.Column-b.Column, rules.Compare(a.Rule, b.Rule))
	})
	return out
}

// heaviest is the first limit findings in the order of their weight, new before
// old ones and accepted ones last, put back in the order that they had; and how
// many it leaves out.
func heaviest(findings []Accepted, limit int) ([]Accepted, int) {
	if len(findings) <= limit {
		return findings, 0
	}
	order := make([]int, len(findings))
	for i := range order {
		order[i] = i
	}
	weight := func(f Accepted) int {
		w := 2 * f.Severity.Rank()
		if f.New {
			w++
		}
		if f.Reason != "" {
			w -= 100
		}
		return w
	}
	slices.SortStableFunc(order, func(a, b int) int { return weight(findings[b]) - weight(findings[a]) })
	kept := order[:limit]
	slices.Sort(kept)
	out := make([]Accepted, 0, limit)
	for _, i := range kept {
		out = append(out, findings[i])
	}
	return out, len(findings) - limit
}

// unlinked takes the meaning from what SARIF would read as a link in a message.
func unlinked(text string) string { return strings.ReplaceAll(text, "](", "] (") }

// replacements are the edits of a fix. Without the source they replace whole
// lines with their end, so that no column is needed.
func replacements(file *syntax.File, fix *Fix) []sarifReplacement {
	var out []sarifReplacement
	for _, e := range fix.Edits {
		deleted, text := sarifRegion{StartLine: e.StartLine, StartColumn: 1, EndLine: e.EndLine + 1, EndColumn: 1}, e.Text+"\n"
		if file != nil && e.EndLine <= file.LineCount() {
			end := file.Line(e.EndLine)
			deleted.EndLine, deleted.EndColumn, text = e.EndLine, utf16Column(end, len(end)+1), e.Text
		}
		out = append(out, sarifReplacement{deleted, sarifText{Text: text}})
	}
	return out
}

// problemSeverity is a severity in the words of code scanning.
func problemSeverity(s Severity) string {
	if s == Note {
		return "recommendation"
	}
	return string(s)
}

func sarifLevel(s Severity) string {
	switch s {
	case Error, Warning, Note:
		return string(s)
	}
	return "none"
}

// artifact is a path as a relative URI. A colon would make the first part a
// scheme.
func artifact(path string) sarifArtifact {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(p), ":", "%3A")
	}
	return sarifArtifact{strings.Join(parts, "/")}
}

func region(file *syntax.File, f Finding, starts, ends *columns) *sarifRegion {
	r := &sarifRegion{StartLine: f.Line, EndLine: f.EndLine}
	if file != nil && f.EndLine <= file.LineCount() {
		r.StartColumn = starts.of(file, f.Line, f.Column)
		r.EndColumn = ends.of(file, f.EndLine, f.EndColumn)
	}
	return r
}

// columns turns columns in bytes into those in UTF-16 code units. It goes on from
// the place before when that stands on the same line: findings come in order, and
// a line may be as long as the file.
type columns struct {
	file            *syntax.File
	line, at, units int
}

func (c *columns) of(file *syntax.File, line, column int) int {
	text := file.Line(line)
	to := min(column-1, len(text))
	if c.file != file || c.line != line || to < c.at {
		*c = columns{file: file, line: line}
	}
	c.units += utf16Column(text[c.at:], to-c.at+1) - 1
	c.at = to
	return c.units + 1
}

// utf16Column turns a column in bytes into one in UTF-16 code units.
func utf16Column(text string, column int) int {
	return len(utf16.Encode([]rune(text[:min(column-1, len(text))]))) + 1
}
