package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tilegate/tilegate/checks/config"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/perf"
	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/untrusted"
)

type perfCmd struct {
	Compare perfCompareCmd `cmd:"" help:"Judge a candidate's times against a reference's."`
	History perfHistoryCmd `cmd:"" help:"Show how kernels' times moved from commit to commit, or record a measurement."`
}

type perfCompareCmd struct {
	Dir            string   `arg:"" optional:"" help:"What a perf job of tilegate runner left: its folder or evidence.json. It names backends and records."`
	Candidate      string   `placeholder:"NAME" help:"Backend under test."`
	Reference      string   `placeholder:"NAME" help:"Backend to compare with."`
	JUnit          []string `name:"junit" placeholder:"FILE" sep:"none" help:"JUnit file with records of both; may be repeated, each file is a round."`
	CandidateJUnit []string `name:"candidate-junit" placeholder:"FILE" sep:"none" help:"JUnit file read for the candidate only; may be repeated, each file is a round."`
	ReferenceJUnit []string `name:"reference-junit" placeholder:"FILE" sep:"none" help:"JUnit file read for the reference only; may be repeated, each file is a round."`
	Log            []string `placeholder:"FILE" sep:"none" help:"Console log with result blocks; may be repeated, each file is a round of both."`
	Evidence       []string `placeholder:"FILE" sep:"none" help:"Evidence of GPU, driver, tools and timing method; may be repeated."`
	Analysis       string   `placeholder:"FILE" help:"analysis.json that maps configs to variants."`
	Config         string   `placeholder:"FILE" help:"Configuration with thresholds, renames and allowed skips."`
	MaxMissing     *float64 `placeholder:"SHARE" help:"Highest share of missing configs that is judged on the others (default 0)."`
	AllowSkip      []string `placeholder:"REGEX" sep:"none" help:"Skip text of the candidate that declares a gap; may be repeated."`
	Format         string   `enum:"text,json,markdown" default:"text" help:"Output format: ${enum}."`
}

func (c *perfCompareCmd) Help() string {
	return "Compares measured configs by class, test and parameters: those of a perf job's folder, or of the files that are named. Without evidence of GPU, driver and timing method the times alone decide, comparable is unknown, and the gate would not pass a DONE. Exit status: 0 DONE, 1 INVESTIGATE (slower or missing data), 2 wrong usage or a missing file, 3 BLOCKED (no verdict on times is possible)."
}

func (c *perfCompareCmd) Run(s streams) error {
	v, err := c.compare()
	if err != nil {
		return err
	}
	switch c.Format {
	case "json":
		err = writeJSON(s.Out, v)
		if err == nil && (v.Verdict != perf.Done || v.Borderline || v.Comparable != "yes") {
			_, err = fmt.Fprintln(s.Err, "tilegate:", untrusted.Text(v.Sentence).Line())
		}
	case "markdown":
		err = perf.WriteMarkdown(s.Out, v)
	default:
		err = perf.WriteText(s.Out, v)
		if err == nil && v.Severity == perf.MissingData {
			err = writeNext(s.Out, explained(c.records()))
		}
	}
	if err != nil {
		return err
	}
	switch v.Verdict {
	case perf.Done:
		return nil
	case perf.Investigate:
		return exitNotFine
	}
	return exitUndecided
}

// compare judges the folder of a job, or the files that are named one by one.
func (c *perfCompareCmd) compare() (perf.Verdict, error) {
	if c.Dir != "" {
		return c.compareFolder()
	}
	if c.Candidate == "" || c.Reference == "" {
		return perf.Verdict{}, errors.New("expected --candidate NAME and --reference NAME with record files, or the folder of a perf job of tilegate runner")
	}
	files, logs, err := c.files()
	if err != nil {
		return perf.Verdict{}, err
	}
	evidence, err := readEvidence(c.Evidence)
	if err != nil {
		return perf.Verdict{}, err
	}
	o, err := c.options()
	if err != nil {
		return perf.Verdict{}, err
	}
	o.LogNotes, o.Fallback = logs.notes, logs.fallback
	return perf.Compare(files, evidence, o), nil
}

// records are the files that were compared.
func (c *perfCompareCmd) records() []string {
	if c.Dir == "" {
		return slices.Concat(c.JUnit, c.CandidateJUnit, c.ReferenceJUnit, c.Log)
	}
	f, err := openJob(c.Dir, job.Perf)
	if err != nil {
		return nil
	}
	return f.logs()
}

// compareFolder judges what a job left.
func (c *perfCompareCmd) compareFolder() (perf.Verdict, error) {
	f, err := openJob(c.Dir, job.Perf)
	if err != nil {
		return perf.Verdict{}, err
	}
	if c.Candidate+c.Reference != "" || len(c.JUnit)+len(c.CandidateJUnit)+len(c.ReferenceJUnit)+len(c.Log)+len(c.Evidence) > 0 {
		return perf.Verdict{}, fmt.Errorf("%s names backends and records itself: expected neither --candidate, --reference, --log, --evidence nor --junit beside it", c.Dir)
	}
	return f.perf(*c)
}

// logSigns is what console logs say about a run besides its times.
type logSigns struct {
	notes    []string
	fallback string // the first line that says that another backend answered for the candidate
}

func (l *logSigns) add(c records.Console, candidate string) {
	l.notes = append(l.notes, perf.ConsoleNotes(c)...)
	if l.fallback == "" {
		l.fallback = c.Fallbacks[records.CanonicalBackend(candidate)]
	}
}

// files reads all record files and what their logs say besides.
func (c *perfCompareCmd) files() (files []perf.File, logs logSigns, err error) {
	same := records.CanonicalBackend(c.Candidate) == records.CanonicalBackend(c.Reference)
	if same && len(c.JUnit)+len(c.Log) > 0 {
		return nil, logs, fmt.Errorf("--candidate and --reference are both %s: expected --candidate-junit and --reference-junit, which say whose records a file holds", c.Candidate)
	}
	for _, group := range []struct {
		side  perf.Side
		paths []string
	}{{perf.Both, c.JUnit}, {perf.CandidateOnly, c.CandidateJUnit}, {perf.ReferenceOnly, c.ReferenceJUnit}} {
		for _, path := range group.paths {
			r, err := readJUnit(path)
			if err != nil {
				return nil, logs, err
			}
			files = append(files, perf.File{Report: r, Side: group.side})
		}
	}
	for _, path := range c.Log {
		console, err := readRecords(path, records.ReadConsole)
		if err != nil {
			return nil, logs, err
		}
		files = append(files, perf.File{Report: console.Report, Side: perf.Both})
		logs.add(console, c.Candidate)
	}
	if both := len(c.JUnit) + len(c.Log); both == 0 && len(files) > 0 {
		switch {
		case len(c.ReferenceJUnit) == 0:
			return nil, logs, errors.New("--candidate-junit: expected --reference-junit, too, with what to compare with")
		case len(c.CandidateJUnit) == 0:
			return nil, logs, errors.New("--reference-junit: expected --candidate-junit, too, with what to judge")
		}
	}
	if len(files) == 0 {
		return nil, logs, fmt.Errorf("%w: --junit, --candidate-junit with --reference-junit, or --log", errNoRecords)
	}
	return files, logs, nil
}

func (c *perfCompareCmd) options() (perf.Options, error) {
	cfg, err := readConfig(c.Config)
	if err != nil {
		return perf.Options{}, err
	}
	o := perf.Options{
		Candidate: c.Candidate, Reference: c.Reference,
		Threshold: cfg.Perf.Threshold, MaxMissing: cfg.Perf.MaxMissing, MaxRounds: cfg.Perf.Rounds.Max, Renames: cfg.Perf.Renames,
	}
	if c.MaxMissing != nil {
		if !config.ValidShare(*c.MaxMissing) {
			return o, fmt.Errorf("--max-missing: expected %s, found %v", config.Share, *c.MaxMissing)
		}
		o.MaxMissing = *c.MaxMissing
	}
	skips, err := skipMatcher(c.Config, cfg, c.AllowSkip, c.Candidate)
	if err != nil {
		return o, err
	}
	o.AllowSkip = skips
	if c.Analysis != "" {
		data, err := readSmall(c.Analysis, "an analysis file")
		if err != nil {
			return o, err
		}
		if o.Variants, err = perf.ParseVariants(data); err != nil {
			return o, fmt.Errorf("%s: %w", c.Analysis, err)
		}
	}
	return o, nil
}
