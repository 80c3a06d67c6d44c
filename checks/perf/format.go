package perf

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/checks/words"
)

// throttledNote begins the notes that say that the GPU changed its speed.
const throttledNote = "the GPU was throttled:"

// ConsoleNotes are what a console log says about the measurement as a whole.
func ConsoleNotes(c records.Console) []string {
	var notes []string
	if c.NoProfiler != "" {
		notes = append(notes, "profiler unavailable: "+c.Name+": "+c.NoProfiler)
	}
	if c.Throttled != "" {
		notes = append(notes, throttledNote+" "+c.Name+": "+c.Throttled)
	}
	return notes
}

// WriteText prints a verdict for people: the sentence, aligned tables, notes.
func WriteText(w io.Writer, v Verdict) error {
	line := func(s string) string { return untrusted.Text(s).Line() }
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", line(v.Sentence))
	fmt.Fprintf(&b, "candidate %s, reference %s, %s\n", line(v.Candidate), line(v.Reference), v.circumstances(line))
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }
	if len(v.Variants) > 1 {
		fmt.Fprintln(&b)
		row("variant", "reference", "configs", "geomean", "verdict")
		for _, x := range v.Variants {
			row(line(x.Name), line(x.Reference), strconv.Itoa(x.Configs), v.ratio(x.GeomeanRatio), x.words())
		}
		t.Flush()
	}
	if len(v.Configs) > 0 {
		fmt.Fprintln(&b)
		row("config", "variant", "candidate", "reference", "ratio", "rel_std", "launches", "change", "note")
		for _, c := range v.Configs {
			row(c.cells(v, line)...)
		}
		t.Flush()
	}
	if len(v.Missing) > 0 {
		fmt.Fprintln(&b, "\nmissing:")
		for _, m := range v.Missing {
			row("  "+line(m.Config), m.Side, line(m.Why))
		}
		t.Flush()
	}
	if len(v.Uncovered) > 0 {
		fmt.Fprintln(&b, "\nuncovered (declared gaps):")
		for _, u := range v.Uncovered {
			row("  "+line(u.Config), line(u.Why))
		}
		t.Flush()
	}
	if len(v.Triage) > 0 {
		fmt.Fprintln(&b, "\nwhat to do, in this order:")
		for i, x := range v.Triage {
			fmt.Fprintf(&b, "%d. %s\n", i+1, x.heading())
			for _, s := range x.Steps {
				fmt.Fprintf(&b, "   - %s\n", line(s))
			}
		}
	}
	if len(v.Notes) > 0 {
		fmt.Fprintln(&b, "\nnotes:")
		for _, n := range v.Notes {
			fmt.Fprintf(&b, "- %s\n", line(n))
		}
	}
	_, err := io.WriteString(w, trimLines(b.String()))
	return err
}

// WriteMarkdown prints a verdict as GitHub Markdown; everything that comes from
// records is literal in it.
func WriteMarkdown(w io.Writer, v Verdict) error {
	code := func(s string) string { return untrusted.Text(s).Code() }
	prose := func(s string) string { return untrusted.Text(s).Markdown() }
	var b strings.Builder
	table := func(head ...string) {
		fmt.Fprintf(&b, "\n| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	}
	row := func(cells ...string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	headline := "**" + v.Verdict + "**"
	if v.Severity != v.Verdict {
		headline += " (" + v.Severity + ")"
	}
	fmt.Fprintf(&b, "%s\n\n%s\n\ncandidate %s, reference %s, %s\n", headline, prose(v.Sentence), code(v.Candidate), code(v.Reference), v.circumstances(prose))
	if len(v.Variants) > 1 {
		table("variant", "reference", "configs", "geomean", "verdict")
		for _, x := range v.Variants {
			row(code(x.Name), code(x.Reference), strconv.Itoa(x.Configs), v.ratio(x.GeomeanRatio), x.words())
		}
	}
	if len(v.Configs) > 0 {
		table("config", "variant", "candidate", "reference", "ratio", "rel_std", "launches", "change", "note")
		for _, c := range v.Configs {
			cells := c.cells(v, prose)
			cells[0], cells[1] = code(c.Name), code(c.Variant)
			row(cells...)
		}
	}
	if len(v.Missing)+len(v.Uncovered) > 0 {
		table("no time for", "side", "why")
		for _, m := range v.Missing {
			row(code(m.Config), m.Side, prose(m.Why))
		}
		for _, u := range v.Uncovered {
			row(code(u.Config), "candidate, declared", prose(u.Why))
		}
	}
	for i, x := range v.Triage {
		if i == 0 {
			b.WriteString("\nWhat to do, in this order:\n\n")
		}
		fmt.Fprintf(&b, "%d. %s\n", i+1, x.heading())
		for _, s := range x.Steps {
			fmt.Fprintf(&b, "   - %s\n", prose(s))
		}
	}
	for i, n := range v.Notes {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- %s\n", prose(n))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// circumstances are rounds, interval and comparability in one line; text renders
// what may quote records.
func (v Verdict) circumstances(text func(string) string) string {
	s := words.Count(v.Rounds, "round") + ", comparable: " + v.Comparable
	if v.RatioMean != nil && v.Rounds > 1 {
		s += ", mean over rounds " + v.ratio(v.RatioMean)
	}
	if c := v.Confidence; c != nil {
		s += fmt.Sprintf(", %.0f %% interval %s to %s", 100*c.Level, v.ratio(&c.Low), v.ratio(&c.High))
		if v.ConfidenceNote != "" {
			s += " (" + text(v.ConfidenceNote) + ")"
		}
	} else if v.ConfidenceNote != "" {
		s += ", no interval: " + text(v.ConfidenceNote)
	}
	if v.MoreRounds > 0 {
		s += ", asks for " + words.Count(v.MoreRounds, "more round")
	}
	return s
}

// words are the verdict and, where it says more, the severity.
func (x Variant) words() string {
	if x.Verdict == x.Severity {
		return x.Verdict
	}
	return x.Verdict + " " + x.Severity
}

func (v Verdict) ratio(r *float64) string {
	if r == nil {
		return "-"
	}
	return FormatRatio(*r, v.Threshold)
}

func (c Config) cells(v Verdict, text func(string) string) []string {
	relStd := "-"
	if c.RelStd != nil {
		relStd = percent(*c.RelStd)
	}
	return []string{text(c.Name), text(c.Variant), FormatMS(c.CandidateMS), FormatMS(c.ReferenceMS), v.ratio(c.Ratio), relStd,
		count(c.Launches.Candidate) + "/" + count(c.Launches.Reference), c.Change, text(c.Note)}
}

func count(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

// trimLines removes blanks at line ends, which empty last cells leave.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
