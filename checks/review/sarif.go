package review

import (
	"encoding/json"
	"io"
	"net/url"
	"strings"
	"unicode/utf16"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// project is where the tool and its rule pages are found.
const project = "https://github.com/tilegate/tilegate"

// The part of SARIF 2.1.0 that a review uses; code scanning reads all of it.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		ColumnKind  string            `json:"columnKind"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
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
		Name             string      `json:"name"`
		ShortDescription sarifText   `json:"shortDescription"`
		FullDescription  sarifText   `json:"fullDescription"`
		Help             sarifText   `json:"help"`
		HelpURI          string      `json:"helpUri"`
		Default          sarifConfig `json:"defaultConfiguration"`
		Properties       sarifTags   `json:"properties"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifTags struct {
		Tags []string `json:"tags"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
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
		Fixes        []sarifFix        `json:"fixes,omitempty"`
	}
	sarifLocation struct {
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

// writeSARIF prints SARIF 2.1.0. Columns count UTF-16 code units; without the
// source of a file its columns are left out.
func writeSARIF(w io.Writer, r *Report, s Style) error {
	index := map[string]int{}
	driver := sarifDriver{Name: r.Tool.Name, Version: r.Tool.Version, InformationURI: project, Rules: []sarifRule{}}
	for i, rule := range s.Rules {
		index[rule.ID] = i
		driver.Rules = append(driver.Rules, sarifRule{
			ID: rule.ID, Name: rule.ID, ShortDescription: sarifText{Text: rule.Title}, FullDescription: sarifText{Text: rule.Why},
			Help: sarifText{rules.Page(rule), rules.Page(rule)}, HelpURI: project + "/blob/main/" + rules.DocPath(rule),
			Default: sarifConfig{sarifLevel(rule.Severity)}, Properties: sarifTags{[]string{rule.Category, rule.Owner}},
		})
	}
	run := sarifRun{Tool: sarifTool{driver}, ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	run.Invocations = []sarifInvocation{{Successful: len(r.Summary.Unread) == 0}}
	for _, u := range r.Summary.Unread {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{
			"error", sarifText{Text: "not reviewed: " + line(u.Why)}, []sarifLocation{{sarifPhysical{Artifact: artifact(u.Path)}}},
		})
	}
	for _, f := range r.Findings {
		var file *syntax.File
		if s.Source != nil {
			file = s.Source(f.Path)
		}
		res := sarifResult{
			RuleID: f.Rule, RuleIndex: index[f.Rule], Level: sarifLevel(f.Severity),
			Message:      sarifText{Text: untrusted.Text(f.Message).Plain()},
			Locations:    []sarifLocation{{sarifPhysical{artifact(f.Path), region(file, f)}}},
			Fingerprints: map[string]string{"tilegate/v1": f.Fingerprint}, Baseline: "unchanged",
		}
		if f.New {
			res.Baseline = "new"
		}
		for _, n := range f.AlsoAt {
			res.Related = append(res.Related, sarifLocation{sarifPhysical{artifact(f.Path), &sarifRegion{StartLine: n}}})
		}
		if f.Fix != nil {
			change := sarifChange{Artifact: artifact(f.Path)}
			for _, e := range f.Fix.Edits {
				// Whole lines with their end, so that no column is needed.
				change.Replacements = append(change.Replacements, sarifReplacement{
					sarifRegion{StartLine: e.StartLine, StartColumn: 1, EndLine: e.EndLine + 1, EndColumn: 1}, sarifText{Text: e.Text + "\n"},
				})
			}
			res.Fixes = []sarifFix{{sarifText{Text: f.Fix.Description}, []sarifChange{change}}}
		}
		run.Results = append(run.Results, res)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func sarifLevel(s Severity) string {
	switch s {
	case Error, Warning, Note:
		return string(s)
	}
	return "none"
}

// artifact is a path as a relative URI.
func artifact(path string) sarifArtifact {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return sarifArtifact{strings.Join(parts, "/")}
}

func region(file *syntax.File, f Finding) *sarifRegion {
	r := &sarifRegion{StartLine: f.Line, EndLine: f.EndLine}
	if file != nil && f.EndLine <= file.LineCount() {
		r.StartColumn = utf16Column(file.Line(f.Line), f.Column)
		r.EndColumn = utf16Column(file.Line(f.EndLine), f.EndColumn)
	}
	return r
}

// utf16Column turns a column in bytes into one in UTF-16 code units.
func utf16Column(text string, column int) int {
	return len(utf16.Encode([]rune(text[:min(column-1, len(text))]))) + 1
}
