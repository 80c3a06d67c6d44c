package triage

import (
	"fmt"
	"io"
	"strings"

	"github.com/tilegate/tilegate/checks/untrusted"
)

// Place is what people call a log: its name, or where "-" reads from.
func Place(log string) string {
	if log == "-" {
		return "standard input"
	}
	return log
}

// WriteText prints a result for people.
func WriteText(w io.Writer, r Result) error {
	var b strings.Builder
	for _, d := range r.Damaged {
		fmt.Fprintf(&b, "Read in part: %s\n\n", d.Line())
	}
	for i, m := range r.Matches {
		switch i {
		case 0:
		case 1:
			b.WriteString("\nAlso seen:\n\n")
		default:
			b.WriteString("\n")
		}
		class := string(m.Class)
		if m.Also != "" {
			class += " or " + string(m.Also)
		}
		fmt.Fprintf(&b, "%s (%s, %s): %s\n", m.Signature, m.Stage, class, m.Title)
		place := Place(m.Log.Line())
		if m.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, m.Line)
		}
		if m.Case != "" {
			fmt.Fprintf(&b, "  test: %s\n", m.Case.Line())
		}
		if m.Shared != "" {
			fmt.Fprintf(&b, "  cases: %s\n", m.Shared.Line())
		}
		for line := range strings.SplitSeq(m.Excerpt.Plain(), "\n") {
			fmt.Fprintf(&b, "  %s: %s\n", place, untrusted.Text(line).Line())
			place = strings.Repeat(" ", len(place))
		}
		if len(m.Rules) > 0 {
			fmt.Fprintf(&b, "  rules: %s\n", strings.Join(m.Rules, ", "))
		}
		for n, step := range m.Steps {
			fmt.Fprintf(&b, "  %d. %s\n", n+1, step)
		}
	}
	switch {
	case !r.Unknown:
		b.WriteString("\n`tilegate rules ID` explains a signature or a rule.\n")
	case r.Why != "":
		fmt.Fprintf(&b, "No known failure signature matches: %s\n", r.Why.Line())
	default:
		b.WriteString("No known failure signature matches: what the log tells is not in the table.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
