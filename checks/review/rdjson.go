package review

import (
	"encoding/json"
	"io"

	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// The Reviewdog Diagnostic Format; columns count bytes.
type (
	rdReport struct {
		Source      rdSource       `json:"source"`
		Diagnostics []rdDiagnostic `json:"diagnostics"`
	}
	rdSource struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	rdDiagnostic struct {
		Message     string         `json:"message"`
		Location    rdLocation     `json:"location"`
		Severity    string         `json:"severity"`
		Code        *rdCode        `json:"code,omitempty"`
		Suggestions []rdSuggestion `json:"suggestions,omitempty"`
	}
	rdLocation struct {
		Path  string   `json:"path"`
		Range *rdRange `json:"range,omitempty"`
	}
	rdRange struct {
		Start rdPosition `json:"start"`
		End   rdPosition `json:"end"`
	}
	rdPosition struct {
		Line   int `json:"line"`
		Column int `json:"column,omitempty"`
	}
	rdCode struct {
		Value string `json:"value"`
		URL   string `json:"url"`
	}
	rdSuggestion struct {
		Range rdRange `json:"range"`
		Text  string  `json:"text"`
	}
)

// writeRDJSON prints the findings for reviewdog, which filters them by the diff
// itself; an unread file is an error on the file.
func writeRDJSON(w io.Writer, r *Report, s Style) error {
	out := rdReport{Source: rdSource{"tilegate", project}, Diagnostics: []rdDiagnostic{}}
	for _, f := range r.Findings {
		if !f.New && !s.All {
			continue
		}
		d := rdDiagnostic{
			Message:  untrusted.Text(f.Message + "\n" + f.Why).Plain(),
			Location: rdLocation{f.Path, &rdRange{rdPosition{f.Line, f.Column}, rdPosition{f.EndLine, f.EndColumn}}},
			Severity: map[Severity]string{Error: "ERROR", Warning: "WARNING", Note: "INFO"}[f.Severity],
			Code:     &rdCode{f.Rule, project + "/blob/main/docs/rules/" + f.Rule + ".md"},
		}
		if f.Fix != nil && s.Source != nil {
			if file := s.Source(f.Path); file != nil {
				d.Suggestions = suggestions(file, f.Fix)
			}
		}
		out.Diagnostics = append(out.Diagnostics, d)
	}
	for _, u := range r.Summary.Unread {
		out.Diagnostics = append(out.Diagnostics, rdDiagnostic{
			Message: "not reviewed: " + line(u.Why), Location: rdLocation{Path: u.Path}, Severity: "ERROR",
		})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func suggestions(file *syntax.File, fix *Fix) []rdSuggestion {
	var out []rdSuggestion
	for _, e := range fix.Edits {
		if e.EndLine > file.LineCount() {
			return nil
		}
		out = append(out, rdSuggestion{
			rdRange{rdPosition{e.StartLine, 1}, rdPosition{e.EndLine, len(file.Line(e.EndLine)) + 1}}, e.Text,
		})
	}
	return out
}
