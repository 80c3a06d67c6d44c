package main

import (
	"fmt"
	"strings"

	"github.com/tilegate/tilegate/checks/correctness"
	"github.com/tilegate/tilegate/checks/records"
)

type correctnessCmd struct {
	JUnit     []string `name:"junit" required:"" placeholder:"FILE" sep:"none" help:"JUnit file of the run."`
	Backend   string   `required:"" placeholder:"NAME" help:"Backend under test."`
	Reference string   `placeholder:"NAME" help:"Backend whose cases in the same files are the expected ones."`
	BaseJUnit []string `name:"base-junit" placeholder:"FILE" sep:"none" help:"JUnit file of the base revision, which cites skips that were there before."`
	Expect    string   `placeholder:"FILE" help:"Expected cases, one node id a line, of either backend."`
	AllowSkip []string `placeholder:"REGEX" sep:"none" help:"Skip text that declares a gap."`
	Config    string   `placeholder:"FILE" help:"Configuration with allowed skips."`
	ExitCode  *int     `placeholder:"N" help:"Exit status of pytest."`
	Format    string   `enum:"text,json" default:"text" help:"Output format: ${enum}."`
}

func (c *correctnessCmd) Help() string {
	return "Exit status: 0 ALL_PASS, 1 FAIL, 2 wrong usage or a missing file, 3 BLOCKED (nothing ran, skipped, partial, or a cause outside of the change)."
}

func (c *correctnessCmd) Run(s streams) error {
	files, err := readReports(c.JUnit)
	if err != nil {
		return err
	}
	base, err := readReports(c.BaseJUnit)
	if err != nil {
		return err
	}
	cfg, err := readConfig(c.Config)
	if err != nil {
		return err
	}
	o := correctness.Options{Backend: c.Backend, Reference: c.Reference, ExitCode: c.ExitCode}
	if records.CanonicalBackend(c.Backend) == records.CanonicalBackend(c.Reference) {
		return fmt.Errorf("--backend and --reference are both %s: expected two backends", c.Backend)
	}
	if o.AllowSkip, err = skipMatcher(c.Config, cfg, c.AllowSkip, c.Backend); err != nil {
		return err
	}
	if c.Expect != "" {
		data, err := readSmall(c.Expect, "a list of expected cases")
		if err != nil {
			return err
		}
		o.Expect = expectedCases(string(data))
	}
	v := correctness.Judge(files, base, o)
	if c.Format == "json" {
		err = writeJSON(s.Out, v)
	} else {
		err = correctness.WriteText(s.Out, v)
	}
	if err != nil {
		return err
	}
	switch v.Verdict {
	case correctness.AllPass:
		return nil
	case correctness.Fail:
		return exitNotFine
	}
	return exitUndecided
}

func readReports(paths []string) ([]records.Report, error) {
	var all []records.Report
	for _, path := range paths {
		r, err := readJUnit(path)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// expectedCases are the lines that are neither empty nor comments. The list is
// never nil: an empty file expects nothing, which is not the same as no file.
func expectedCases(text string) []string {
	ids := []string{}
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			ids = append(ids, l)
		}
	}
	return ids
}
