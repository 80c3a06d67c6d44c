package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/all"
)

type rulesCmd struct {
	ID     string `arg:"" optional:"" help:"Rule to explain: R45, r45 or 45."`
	Format string `enum:"text,json,markdown" default:"text" help:"Output format: ${enum}."`
}

func (c *rulesCmd) Help() string {
	return "Lists the rules, or explains one. The text is the rule's page in docs/rules."
}

func (c *rulesCmd) Run(s streams) error {
	list := all.Rules
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
	return w.Flush()
}

func findRule(id string) (*rules.Rule, error) {
	if want, ok := rules.ParseID(id); ok {
		for _, r := range all.Rules {
			if r.ID == want {
				return r, nil
			}
		}
	}
	return nil, fmt.Errorf("no rule %q: tilegate rules lists them", id)
}
