package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/config"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/checks/words"
)

type configCmd struct {
	Check configCheckCmd `cmd:"" help:"Check a repository's configuration."`
}

type configCheckCmd struct {
	File string `arg:"" optional:"" default:".github/tilegym.yml" help:"Configuration file (default ${default})."`
}

func (c *configCheckCmd) Help() string {
	return "Exit status: 0 the file is valid, 1 it is not (each fault with its line), 2 it cannot be read."
}

func (c *configCheckCmd) Run(s streams) error {
	data, err := readSmall(c.File, "a configuration file")
	if c.File == config.Path && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("expected a configuration file, found no %s here: name it where it lies elsewhere (tilegate config check FILE); a repository needs none, the defaults hold without it", config.Path)
	}
	if err != nil {
		return err
	}
	cfg, err := config.Parse(c.File, data)
	var faults config.Problems
	if errors.As(err, &faults) {
		fmt.Fprintf(s.Out, "%s\n%s in %s\n", untrusted.Text(faults.Error()), words.Count(len(faults), "fault"), c.File)
		return exitNotFine
	}
	if err != nil {
		return err
	}
	skips := "declared gaps (default)"
	if cfg.AllowedSkips != nil {
		skips = words.Count(len(cfg.AllowedSkips), "pattern")
	}
	classes := make([]string, len(cfg.GPUs))
	for i, g := range cfg.GPUs {
		classes[i] = "GPU class " + g.Name + " (required)"
		if !g.Required {
			classes[i] = "GPU class " + g.Name + " (not required, so never dispatched to)"
		}
	}
	fmt.Fprintf(s.Out, "%s is valid: reference %s, perf threshold %v, rounds %d to %d, %s, allowed skips: %s, workflow %s\n",
		c.File, cfg.Reference, cfg.Perf.Threshold, cfg.Perf.Rounds.Min, cfg.Perf.Rounds.Max, strings.Join(classes, ", "), skips, cfg.Workflow)
	for _, id := range slices.SortedFunc(maps.Keys(cfg.Rules), rules.Compare) {
		fmt.Fprintf(s.Out, "  %s: %s\n", id, meaning(id, review.Severity(cfg.Rules[id])))
	}
	return nil
}

// meaning is what a severity that is set for a rule does to its findings, and of a rule
// about tests to the gate.
func meaning(id string, set review.Severity) string {
	text := "every finding is a " + string(set) + " at most"
	own := review.Error
	for _, r := range all.Rules {
		if r.ID == id {
			own = r.Severity
		}
	}
	switch {
	case set == review.Off:
		text = "off"
	case set.Rank() > own.Rank():
		text = fmt.Sprintf("what the rule is sure of, by itself a %s, is an %s", own, set)
		if set != review.Error {
			text = fmt.Sprintf("what the rule is sure of, by itself a %s, is a %s", own, set)
		}
	case set == review.Error:
		text = "as the rule says"
	}
	switch {
	case !rules.OnTests(id) || set.Rank() > review.Note.Rank():
	case set == review.Note && id == review.TestFileRule:
		text += "; the gate waits for a maintainer only where a kernel's test file is new"
	default:
		text += "; the gate does not wait for a maintainer because of it"
	}
	return text
}
