package review

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// The Reviewdog Diagnostic Format; columns count bytes and a range ends before
// its end, or with its last line when it has no columns.
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
		Related     []rdRelated    `json:"related_locations,omitempty"`
		Output      string         `json:"original_output"`
	}
	rdRelated struct {
		Message  string     `json:"message"`
		Location rdLocation `json:"location"`
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

// writeRDJSON prints the findings for reviewdog. Its reporters show a message as
// Markdown on a pull request, and the original output in a terminal. An unread
// file is an error from its first line to its last, so that a filter by the
// lines of a diff lets it through. A comment that accepts nothing is a warning; one
// that accepts is left out, since a reporter may fail for whatever it is told.
func writeRDJSON(w io.Writer, r *Report, s Style) error {
	out := rdReport{Source: rdSource{"tilegate", project}, Diagnostics: []rdDiagnostic{}}
	for _, f := range r.Findings {
		if !f.New && !s.All {
			continue
		}
		var text strings.Builder
		textFinding(&text, palette{}, f, s)
		d := rdDiagnostic{
			Message:  untrusted.Text(f.Message).Prose() + "\n\n" + untrusted.Text(f.Why).Prose(),
			Location: rdLocation{f.Path, &rdRange{rdPosition{f.Line, f.Column}, rdPosition{f.EndLine, f.EndColumn}}},
			Severity: map[Severity]string{Error: "ERROR", Warning: "WARNING", Note: "INFO"}[f.Severity],
			Code:     &rdCode{f.Rule, RulePage(f.Rule)},
			Output:   text.String(),
		}
		if waive := f.waiver(); waive != "" {
			d.Message += "\n\nThe gate waits for a maintainer's " + untrusted.Text(waive).Code()
		}
		for _, n := range f.AlsoAt {
			d.Related = append(d.Related, rdRelated{"The same here.", rdLocation{f.Path, lines(n, n)}})
		}
		if f.Fix != nil && s.Source != nil {
			if file := s.Source(f.Path); file != nil {
				d.Suggestions = suggestions(file, f.Fix)
			}
		}
		out.Diagnostics = append(out.Diagnostics, d)
	}
	for _, u := range r.Summary.Unread {
		last := 1
		if s.Source != nil {
			if file := s.Source(u.Path); file != nil {
				last = max(last, file.LineCount())
			}
		}
		var text strings.Builder
		textUnread(&text, palette{}, u)
		out.Diagnostics = append(out.Diagnostics, rdDiagnostic{
			Message: "not reviewed: " + untrusted.Text(u.Why+". "+u.help()).Prose(), Location: rdLocation{u.Path, lines(1, last)}, Severity: "ERROR",
			Output: text.String(),
		})
	}
	_, idle := r.comments(s)
	for _, p := range idle {
		var text strings.Builder
		textIdle(&text, palette{}, p)
		out.Diagnostics = append(out.Diagnostics, rdDiagnostic{
			Message: acceptsNothing + untrusted.Text(p.Problem).Prose(), Location: rdLocation{p.Path, lines(p.Line, p.Line)}, Severity: "WARNING",
			Output: text.String(),
		})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func lines(first, last int) *rdRange {
	return &rdRange{rdPosition{Line: first}, rdPosition{Line: last}}
}

// maxSuggestion is the number of lines that a suggestion replaces at most.
const maxSuggestion = 40

// suggestions is the fix as one replacement of whole lines, with the unchanged
// ones between its edits: reviewdog posts only the first suggestion of a
// diagnostic, and edits of one fix belong together. There is none when the edits
// lie far apart or their text cannot be shown as it is.
func suggestions(file *syntax.File, fix *Fix) []rdSuggestion {
	first, last := fix.Edits[0].StartLine, fix.Edits[len(fix.Edits)-1].EndLine
	if last > file.LineCount() || last-first >= maxSuggestion {
		return nil
	}
	end := "\n"
	if file.CRLF() {
		end = "\r\n"
	}
	var text []string
	next := first
	for _, e := range fix.Edits {
		for ; next < e.StartLine; next++ {
			text = append(text, file.Line(next))
		}
		text = append(text, e.Text)
		next = e.EndLine + 1
	}
	all := strings.Join(text, end)
	if _, ok := untrusted.Text(all).Suggestion(); !ok {
		return nil
	}
	return []rdSuggestion{{*lines(first, last), all}}
}
