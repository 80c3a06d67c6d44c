package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/triage"
	"github.com/tilegate/tilegate/checks/untrusted"
)

type rulesCmd struct {
	ID     string `arg:"" optional:"" help:"Rule or failure signature to explain: R45, r45 or 45; S-B01. S lists the signatures, S-B those of the build."`
	Format string `enum:"text,json,markdown" default:"text" help:"Output format: ${enum}."`
}

func (c *rulesCmd) Help() string {
	return "Lists the rules, or explains one, or a failure signature of tilegate triage. tilegate rules S lists the signatures, and S-B, S-I, S-J, S-R, S-C, S-P and S-X those of one stage. The text is the rule's page in docs/rules."
}

func (c *rulesCmd) Run(s streams) error {
	list := all.Rules
	if row, ok := findSignature(c.ID); ok {
		if c.Format == "json" {
			return fmt.Errorf("%s is a failure signature: expected --format text or markdown, since json lists rules; tilegate triage --format json has signatures", row.ID)
		}
		return writeSignature(s.Out, row)
	}
	if rows := signaturesOf(c.ID); len(rows) > 0 {
		if c.Format != "text" {
			return fmt.Errorf("%s lists failure signatures: expected --format text; tilegate triage --format json has signatures", c.ID)
		}
		return listSignatures(s.Out, rows)
	}
	if c.ID != "" {
		r, err := findRule(c.ID)
		if err != nil {
			return err
		}
		if c.Format != "json" {
			_, err := fmt.Fprint(s.Out, rules.Page(r))
			return err
		}
		list = []*rules.Rule{r}
	}
	switch c.Format {
	case "json":
		return writeJSON(s.Out, rules.Table(list))
	case "markdown":
		_, err := fmt.Fprint(s.Out, rules.Index(list))
		return err
	}
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RULE\tSEVERITY\tOWNER\tDECIDED BY\tFIX\tTITLE")
	for _, r := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.Severity, r.Owner, r.DecidedBy, r.Fix, r.Title)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(s.Out, "\n`tilegate rules ID` explains a rule, `tilegate rules S` lists the failure signatures of tilegate triage.")
	return err
}

// signaturesOf are the failure signatures whose ids begin with a text that is no
// whole id: S, S- or, with the letter of a stage, S-B.
func signaturesOf(prefix string) (rows []triage.Row) {
	prefix = strings.ToUpper(prefix)
	if prefix != "S" && !(strings.HasPrefix(prefix, "S-") && len(prefix) <= len("S-B")) {
		return nil
	}
	for _, row := range triage.Rows() {
		if strings.HasPrefix(row.ID, prefix) {
			rows = append(rows, row)
		}
	}
	return rows
}

// listSignatures prints a table of failure signatures.
func listSignatures(out io.Writer, rows []triage.Row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SIGNATURE\tSTAGE\tCLASS\tRULES\tTITLE")
	for _, row := range rows {
		class := string(row.Class)
		if row.Also != "" {
			class += " or " + string(row.Also)
		}
		rules := "-"
		if len(row.Rules) > 0 {
			rules = strings.Join(row.Rules, " ")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", row.ID, row.Stage, class, rules, row.Title)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "\n`tilegate rules ID` explains a signature or a rule.")
	return err
}

func findRule(id string) (*rules.Rule, error) {
	if want, ok := rules.ParseID(id); ok {
		for _, r := range all.Rules {
			if r.ID == want {
				return r, nil
			}
		}
	}
	if strings.HasPrefix(strings.ToUpper(id), "S-") {
		return nil, fmt.Errorf("no failure signature %q: tilegate rules S lists them", id)
	}
	return nil, fmt.Errorf("no rule %q: tilegate rules lists them", id)
}

// findSignature finds a failure signature in any case of its letters.
func findSignature(id string) (triage.Row, bool) {
	for _, row := range triage.Rows() {
		if strings.EqualFold(row.ID, id) {
			return row, true
		}
	}
	return triage.Row{}, false
}

// writeSignature prints what a signature means and what to do.
func writeSignature(w io.Writer, row triage.Row) error {
	var b strings.Builder
	class := string(row.Class)
	if row.Also != "" {
		class += " or " + string(row.Also)
	}
	fmt.Fprintf(&b, "# %s: %s\n\nstage %s, class %s", row.ID, row.Title, row.Stage, class)
	if len(row.Rules) > 0 {
		fmt.Fprintf(&b, ", rules %s", strings.Join(row.Rules, ", "))
	}
	b.WriteString("\n\n")
	for i, step := range row.Steps {
		fmt.Fprintf(&b, "%d. %s\n", i+1, step)
	}
	if row.Example != "" {
		fmt.Fprintf(&b, "\nSuch as:\n\n")
		for line := range strings.Lines(strings.TrimRight(row.Example, "\n")) {
			fmt.Fprintf(&b, "    %s\n", untrusted.Text(strings.TrimRight(line, "\n")).Line())
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
