// Package check is the answer to "is this document in order?": the problems
// that a validator found, in the fixed form of tilegate.check/v1. It must not
// look at any document itself.
package check

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/untrusted"
)

// Schema is the identifier of the JSON form of a Report.
const Schema = "tilegate.check/v1"

// Verdict says whether a document may be used.
type Verdict string

// The verdicts. Warnings leave a document valid.
const (
	Valid   Verdict = "valid"
	Invalid Verdict = "invalid"
)

// Severity is how much a problem weighs.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is one fault. Field is the path of the field in the document, empty
// for the whole; Line starts at 1, 0 when there is none. Field and Message may
// quote the document.
type Problem struct {
	Severity Severity       `json:"severity"`
	Field    untrusted.Text `json:"field"`
	Rule     string         `json:"rule"`
	Message  untrusted.Text `json:"message"`
	Line     int            `json:"line"`
}

// Report lists the problems of one document by line. Its JSON form is a fixed
// contract.
type Report struct {
	Schema   string    `json:"schema"`
	Verdict  Verdict   `json:"verdict"`
	Problems []Problem `json:"problems"`
}

// New makes a report of problems: invalid when one of them is an error.
func New(problems []Problem) Report {
	r := Report{Schema: Schema, Verdict: Valid, Problems: append([]Problem{}, problems...)}
	slices.SortStableFunc(r.Problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	for _, p := range r.Problems {
		if p.Severity == Error {
			r.Verdict = Invalid
		}
	}
	return r
}

// WriteText prints the report for people; name is the document's.
func (r Report) WriteText(w io.Writer, name string) error {
	var b strings.Builder
	shown := untrusted.Text(name).Line()
	for _, p := range r.Problems {
		b.WriteString(shown)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
		}
		fmt.Fprintf(&b, ": %s: ", p.Severity)
		if p.Field != "" {
			fmt.Fprintf(&b, "%s: ", p.Field.Line())
		}
		fmt.Fprintf(&b, "%s [%s]\n", p.Message.Line(), p.Rule)
	}
	fmt.Fprintf(&b, "%s is %s\n", shown, r.Verdict)
	_, err := io.WriteString(w, b.String())
	return err
}
