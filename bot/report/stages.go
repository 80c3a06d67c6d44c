package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/perf"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/templates"
)

// Detail is the part of a stored verdict that the texts show; its fields are
// those of the published verdict formats.
type Detail struct {
	FailClass  string          `json:"fail_class"`
	Signature  string          `json:"signature"` // of the failure, where one is known
	Severity   string          `json:"severity"`
	Ratio      *float64        `json:"geomean_ratio"`
	Threshold  float64         `json:"threshold"` // the limit that was applied; 0 where it was not kept
	Comparable string          `json:"comparable"`
	Candidate  untrusted.Text  `json:"candidate"`
	Reference  untrusted.Text  `json:"reference"`
	Variants   []detailVariant `json:"variants"`
	Configs    []detailConfig  `json:"configs"`
	Missing    missingConfigs  `json:"missing"` // perf only
	Cases      []detailCase    `json:"cases"`
	Triage     []detailTriage  `json:"triage"`
}

type detailVariant struct {
	Name      untrusted.Text `json:"name"`
	Reference untrusted.Text `json:"reference"`
	Ratio     *float64       `json:"geomean_ratio"`
	Verdict   untrusted.Text `json:"verdict"`
	Configs   int            `json:"configs"`
}

type detailConfig struct {
	Name        untrusted.Text `json:"name"`
	CandidateMS float64        `json:"candidate_ms"`
	ReferenceMS float64        `json:"reference_ms"`
	Ratio       *float64       `json:"ratio"`
	Change      untrusted.Text `json:"change"`
	Launches    struct {
		Candidate *int `json:"candidate"`
		Reference *int `json:"reference"`
	} `json:"launches"`
}

type detailMissing struct {
	Config untrusted.Text `json:"config"`
	Side   untrusted.Text `json:"side"`
	Why    untrusted.Text `json:"why"`
}

// missingConfigs are perf's missing configurations. Correctness lists the names of
// missing cases under the same key and each of them among its cases too, so
// names alone are left out.
type missingConfigs []detailMissing

// UnmarshalJSON takes either list.
func (m *missingConfigs) UnmarshalJSON(data []byte) error {
	var names []string
	if json.Unmarshal(data, &names) == nil {
		*m = nil
		return nil
	}
	return json.Unmarshal(data, (*[]detailMissing)(m))
}

type detailCase struct {
	ID      untrusted.Text `json:"id"`
	Outcome untrusted.Text `json:"outcome"`
	Why     untrusted.Text `json:"why"`
}

type detailTriage struct {
	Rules []string         `json:"rules"`
	Steps []untrusted.Text `json:"steps"`
}

// ParseDetail reads a stored verdict; an empty one is the zero Detail.
func ParseDetail(verdict []byte) (Detail, error) {
	var d Detail
	if len(verdict) == 0 {
		return d, nil
	}
	if err := json.Unmarshal(verdict, &d); err != nil {
		return d, fmt.Errorf("stored verdict: %w", err)
	}
	return d, nil
}

// stageText tells the results of one stage in detail.
func stageText(results []Result, stage job.Stage) (string, error) {
	var rows []untrusted.Row
	for _, r := range results {
		if r.Stage != string(stage) {
			continue
		}
		d, err := ParseDetail(r.Verdict)
		if err != nil {
			return "", err
		}
		more, err := resultRows(r, d)
		if err != nil {
			return "", err
		}
		rows = append(rows, more...)
	}
	if len(rows) == 0 {
		return "", nil
	}
	return fit(untrusted.CheckOutputLimit, "", rows, "")
}

// Weights of rows: what says the verdict stays longest.
const (
	weightHead   = 9
	weightBad    = 5
	weightNormal = 1
)

// resultRows renders one result. The head row, the failing rows and the triage
// steps outlive the others when the text is too long.
func resultRows(r Result, d Detail) ([]untrusted.Row, error) {
	var rows []untrusted.Row
	var failure error
	add := func(weight int, block string, data map[string]any) {
		text, err := templates.Markdown("check", block, data)
		if err != nil && failure == nil {
			failure = err
		}
		rows = append(rows, untrusted.Row{Markdown: text, Weight: weight})
	}
	head := map[string]any{
		"Kernel": untrusted.Text(r.Kernel), "GPU": untrusted.Text(r.GPU), "Outcome": untrusted.Text(r.Outcome), "Sentence": under(r.Outcome, r.Sentence),
	}
	switch job.Stage(r.Stage) {
	case job.Perf:
		var variants []map[string]any
		for _, v := range d.Variants {
			variants = append(variants, map[string]any{"Name": v.Name, "Reference": v.Reference, "Configs": v.Configs, "Ratio": ratio(v.Ratio, d.limit()), "Verdict": v.Verdict})
		}
		head["Variants"], head["Configs"] = variants, len(d.Configs)+len(d.Missing) > 0
		head["Candidate"], head["ReferenceName"] = d.Candidate, d.Reference
		add(weightHead, "perf-head", head)
		for _, c := range d.Configs {
			w := weightNormal
			if c.Change == "slower" || c.Ratio != nil && perf.Severity(*c.Ratio, d.limit()) != perf.SeverityDone {
				w = weightBad
			}
			add(w, "perf-row", map[string]any{
				"Name": c.Name, "CandidateMS": perf.FormatMS(c.CandidateMS), "ReferenceMS": perf.FormatMS(c.ReferenceMS), "Ratio": ratio(c.Ratio, d.limit()),
				"Launches": launches(c), "Change": c.Change,
			})
		}
		for _, m := range d.Missing {
			add(weightBad, "perf-missing", map[string]any{"Config": m.Config, "Side": m.Side, "Why": m.Why})
		}
	default:
		add(weightHead, "stage-head", head)
		for _, c := range d.Cases {
			switch c.Outcome {
			case "passed":
				continue
			case "skipped-cited":
				add(weightNormal, "case-row", map[string]any{"ID": c.ID, "Outcome": c.Outcome, "Why": c.Why.Cut(300)})
			default:
				add(weightBad, "case-row", map[string]any{"ID": c.ID, "Outcome": c.Outcome, "Why": c.Why.Cut(300)})
			}
		}
	}
	for _, t := range d.Triage {
		add(weightBad, "steps", map[string]any{"Rules": untrusted.Text(strings.Join(t.Rules, ", ")), "Steps": t.Steps})
	}
	return rows, failure
}

// under is a sentence below a heading with the outcome, which it need not repeat.
func under(outcome, sentence string) untrusted.Text {
	rest, repeated := strings.CutPrefix(sentence, outcome+": ")
	if first, size := utf8.DecodeRuneInString(rest); repeated && size > 0 {
		rest = string(unicode.ToUpper(first)) + rest[size:]
	}
	return untrusted.Text(rest)
}

func launches(c detailConfig) string {
	if c.Launches.Candidate == nil || c.Launches.Reference == nil {
		return ""
	}
	return fmt.Sprintf("%d / %d", *c.Launches.Candidate, *c.Launches.Reference)
}

// limit is the highest ratio that passed.
func (d Detail) limit() float64 {
	if d.Threshold > 0 {
		return d.Threshold
	}
	return perf.DefaultThreshold
}

func ratio(v *float64, limit float64) string {
	if v == nil {
		return "none"
	}
	return perf.FormatRatio(*v, limit)
}
