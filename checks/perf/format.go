package perf

import (
	"fmt"
	"io"
	"strconv"
	"strings"

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
	if len(v.Variants) > 1 {
		fmt.Fprintln(&b)
		WriteTable(&b, variantAlign, v.variantRows(line))
	}
	if len(v.Configs) > 0 {
		fmt.Fprintln(&b)
		WriteTable(&b, configAlign, v.configRows(line, line))
	}
	if len(v.Missing) > 0 {
		fmt.Fprintln(&b, "\nmissing:")
		var rows [][]string
		for _, m := range v.Missing {
			rows = append(rows, []string{line(m.Config), m.Side, line(m.Why)})
		}
		WriteTable(&b, "lll", folded(rows))
	}
	if len(v.Uncovered) > 0 {
		fmt.Fprintln(&b, "\nuncovered (declared gaps):")
		var rows [][]string
		for _, u := range v.Uncovered {
			rows = append(rows, []string{line(u.Config), line(u.Why)})
		}
		WriteTable(&b, "ll", folded(rows))
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

// folded indents rows whose first cell is a config's name. Of those that are equal
// but for the name, the first ones are shown and the others are counted.
func folded(rows [][]string) [][]string {
	const shown = 3
	var order []string
	groups := map[string][][]string{}
	for _, row := range rows {
		key := strings.Join(row[1:], "\x00")
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], append([]string{"  " + row[0]}, row[1:]...))
	}
	var out [][]string
	for _, key := range order {
		group := groups[key]
		more := len(group) - shown
		if more <= 1 { // a line that counts one says less than its name
			out = append(out, group...)
			continue
		}
		out = append(out, group[:shown]...)
		out = append(out, append([]string{fmt.Sprintf("  and %d more", more)}, group[0][1:]...))
	}
	return out
}

// WriteMarkdown prints a verdict as GitHub Markdown; everything that comes from
// records is literal in it.
func WriteMarkdown(w io.Writer, v Verdict) error {
	code := func(s string) string { return untrusted.Text(s).Code() }
	prose := func(s string) string { return untrusted.Text(s).Markdown() }
	var b strings.Builder
	table := func(align string, rows [][]string) {
		for i, cells := range rows {
			fmt.Fprintf(&b, "%s| %s |\n", words.Form(i+1, "\n", ""), strings.Join(cells, " | "))
			if i == 0 {
				fmt.Fprintf(&b, "|%s\n", strings.NewReplacer("l", "---|", "r", "--:|").Replace(align))
			}
		}
	}
	headline := "**" + v.Verdict + "**"
	if v.Severity != v.Verdict {
		headline += " (" + v.Severity + ")"
	}
	fmt.Fprintf(&b, "%s\n\n%s\n\ncandidate %s, reference %s, %s\n", headline, prose(v.Sentence), code(v.Candidate), code(v.Reference), v.circumstances(prose))
	if len(v.Variants) > 1 {
		table(variantAlign, v.variantRows(code))
	}
	if len(v.Configs) > 0 {
		table(configAlign, v.configRows(code, prose))
	}
	if len(v.Missing)+len(v.Uncovered) > 0 {
		rows := [][]string{{"no time for", "side", "why"}}
		for _, m := range v.Missing {
			rows = append(rows, []string{code(m.Config), m.Side, prose(m.Why)})
		}
		for _, u := range v.Uncovered {
			rows = append(rows, []string{code(u.Config), "candidate, declared", prose(u.Why)})
		}
		table("lll", rows)
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

// The columns of the tables: texts to the left, numbers to the right.
const (
	variantAlign = "llrrl"
	configAlign  = "llrrrrrll"
)

// variantRows are the table of the variants; name renders what may quote records.
func (v Verdict) variantRows(name func(string) string) [][]string {
	rows := [][]string{{"variant", "reference", "configs", "geomean", "verdict"}}
	ratios := make([]*float64, len(v.Variants))
	for i, x := range v.Variants {
		ratios[i] = x.GeomeanRatio
	}
	for i, ratio := range FormatRatios(ratios, v.Threshold) {
		x := v.Variants[i]
		rows = append(rows, []string{name(x.Name), name(x.Reference), strconv.Itoa(x.Configs), ratio, x.words()})
	}
	return rows
}

// configRows are the table of the configs; name and text render what may quote
// records.
func (v Verdict) configRows(name, text func(string) string) [][]string {
	rows := [][]string{{"config", "variant", "candidate", "reference", "ratio", "rel_std", "launches", "change", "note"}}
	n := len(v.Configs)
	times, ratios := make([]*float64, 2*n), make([]*float64, n)
	for i := range v.Configs {
		c := &v.Configs[i]
		times[i], times[n+i], ratios[i] = &c.CandidateMS, &c.ReferenceMS, c.Ratio
	}
	ms := FormatTimes(times) // both sides in one unit
	for i, ratio := range FormatRatios(ratios, v.Threshold) {
		c := v.Configs[i]
		relStd := "-"
		if c.RelStd != nil {
			relStd = percent(*c.RelStd)
		}
		rows = append(rows, []string{name(c.Name), name(c.Variant), ms[i], ms[n+i], ratio, relStd,
			count(c.Launches.Candidate) + "/" + count(c.Launches.Reference), c.Change, text(c.Note)})
	}
	return rows
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
