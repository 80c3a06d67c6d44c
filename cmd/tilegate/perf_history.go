package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/history"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/perf"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/checks/words"
)

type perfHistoryCmd struct {
	Kernel   []string `placeholder:"NAME" sep:"none" help:"Only this kernel, with or without its suite; may be repeated."`
	GPU      []string `name:"gpu" placeholder:"NAME" sep:"none" help:"Only this GPU class or card model; may be repeated."`
	Store    string   `placeholder:"FILE" help:"File that keeps the measurements (default perf-history.jsonl)."`
	Config   string   `placeholder:"FILE" help:"Read the App's database instead: YAML file with its settings; TILEGATE_* variables override it."`
	Add      []string `placeholder:"PATH" sep:"none" help:"Judge the evidence of a perf stage (its folder or evidence.json) and record it in the store; may be repeated."`
	Analysis string   `placeholder:"FILE" help:"With --add: analysis.json that maps configs to variants."`
	Import   []string `placeholder:"FILE" sep:"none" help:"Record the measurements of an export or of another store in the store; - reads standard input; may be repeated."`
	Format   string   `enum:"text,json,svg" default:"text" help:"Output format: ${enum}; json is the export."`
}

func (c *perfHistoryCmd) Help() string {
	return "Prints the measurements of the store, or of the App's database when --config or TILEGATE_DATABASE_URL names one and --store does not. With --add or --import it records measurements and prints what is new. Exit status: 0 printed or recorded, 2 wrong usage or an unreadable file, 3 nothing is recorded, or the evidence concludes nothing."
}

const defaultHistory = "perf-history.jsonl"

func (c *perfHistoryCmd) Run(s streams) error {
	if len(c.Add)+len(c.Import) > 0 {
		return c.record(s)
	}
	if c.Analysis != "" {
		return errors.New("--analysis: expected --add, whose evidence it divides into variants")
	}
	all, where, by, err := c.read()
	if err != nil {
		return err
	}
	selected := history.Selection{Kernels: c.Kernel, GPUs: c.GPU}.Of(all)
	if len(selected) == 0 {
		fmt.Fprintln(s.Err, "tilegate:", nothingRecorded(all, where, by))
		return exitUndecided
	}
	switch c.Format {
	case "json":
		return writeJSON(s.Out, history.Document{Schema: history.Schema, Measurements: selected})
	case "svg":
		return history.WriteSVG(s.Out, history.Group(selected))
	}
	return history.WriteText(s.Out, history.Group(selected))
}

// nothingRecorded says what there is instead, or how to record something.
func nothingRecorded(all []history.Measurement, where, by string) string {
	if len(all) == 0 {
		return fmt.Sprintf("no measurement is recorded in %s: expected one by %s", where, by)
	}
	var kernels, gpus []string
	for _, m := range all {
		kernels, gpus = append(kernels, untrusted.Text(m.Kernel).Line()), append(gpus, untrusted.Text(m.GPU.Name).Line())
	}
	list := func(names []string) string {
		slices.Sort(names)
		return strings.Join(slices.Compact(names), ", ")
	}
	return fmt.Sprintf("no measurement in %s is of these kernels and GPUs: it has %s on %s", where, list(kernels), list(gpus))
}

// read reads the store that is asked for, and says which and what fills it.
func (c *perfHistoryCmd) read() (all []history.Measurement, where, by string, err error) {
	if c.Store == "" && (c.Config != "" || os.Getenv("TILEGATE_DATABASE_URL") != "") {
		all, where, err = c.readApp()
		return all, where, "a perf verdict of the App; the files of --add and --import are read with --store", err
	}
	by = "--add or --import"
	if c.Store != "" && c.Config != "" {
		return nil, "", "", errors.New("expected --store or --config, found both")
	}
	all, err = readHistory(c.store())
	if errors.Is(err, fs.ErrNotExist) && c.Store == "" {
		return nil, c.store(), by, nil
	}
	return all, c.store(), by, err
}

func (c *perfHistoryCmd) store() string {
	if c.Store == "" {
		return defaultHistory
	}
	return c.Store
}

func (c *perfHistoryCmd) readApp() (all []history.Measurement, where string, err error) {
	ctx := context.Background()
	st, address, err := openApp(ctx, c.Config)
	if err != nil {
		return nil, "", err
	}
	defer st.Close()
	all, err = st.Measurements(ctx)
	return all, "the App's database " + address, err
}

func readHistory(path string) ([]history.Measurement, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("expected a file of measurements: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("expected a file of measurements, found the directory %s", path)
	}
	all, err := history.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return history.New(nil, all), nil // stores that were joined may hold a measurement twice
}

// record adds what is new to the store.
func (c *perfHistoryCmd) record(s streams) error {
	if c.Config != "" || len(c.Kernel)+len(c.GPU) > 0 || c.Format != "text" {
		return errors.New("--add and --import record everything in --store: expected neither --config, --kernel, --gpu nor --format beside them")
	}
	known, err := readHistory(c.store())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var some []history.Measurement
	for _, path := range c.Import {
		var more []history.Measurement
		if path == "-" {
			more, err = history.Read(s.In)
		} else {
			more, err = readHistory(path)
		}
		if err != nil {
			return fmt.Errorf("--import: %w", err)
		}
		some = append(some, more...)
	}
	nothing := false
	for _, path := range c.Add {
		m, err := c.judge(path)
		if errors.Is(err, history.ErrNothingMeasured) {
			fmt.Fprintf(s.Err, "tilegate: --add %s: %s\n", path, untrusted.Text(err.Error()).Line())
			nothing = true
			continue
		}
		if err != nil {
			return fmt.Errorf("--add %s: %s", path, strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\n", "; "), path+": "))
		}
		some = append(some, m)
	}
	fresh := history.New(known, some)
	if err := appendHistory(c.store(), fresh); err != nil {
		return err
	}
	for _, m := range fresh {
		ratio := "no ratio"
		if m.Ratio != nil {
			ratio = perf.FormatRatio(*m.Ratio, m.Threshold)
		}
		fmt.Fprintf(s.Out, "recorded %s at %.7s on %s: %s, %s\n", untrusted.Text(m.Kernel).Line(), m.Commit, untrusted.Text(m.GPU.Name).Line(), ratio, untrusted.Text(m.Severity).Line())
	}
	if old := len(some) - len(fresh); old > 0 {
		fmt.Fprintf(s.Out, "%s recorded before\n", words.Count(old, "measurement"))
	}
	if len(some) == 0 && !nothing {
		fmt.Fprintln(s.Err, "tilegate: --import: expected measurements, found none")
	}
	if nothing || len(some) == 0 {
		return exitUndecided
	}
	return nil
}

// judge compares the rounds of a perf stage's evidence.
func (c *perfHistoryCmd) judge(path string) (history.Measurement, error) {
	if strings.EqualFold(filepath.Ext(path), ".xml") {
		return history.Measurement{}, fmt.Errorf("expected the folder of a perf job of tilegate runner or its %s, found a JUnit file, which names no commit", job.EvidenceFile)
	}
	f, err := openEvidence(path, job.Perf)
	if other := (noEvidence{}); errors.As(err, &other) {
		return history.Measurement{}, fmt.Errorf("expected the folder of a perf job of tilegate runner or its %s, found another file: %w; --import takes stores and exports", job.EvidenceFile, other.why)
	}
	if err != nil {
		return history.Measurement{}, err
	}
	if f.Interrupted {
		return history.Measurement{}, fmt.Errorf("%w: %s", history.ErrNothingMeasured, f.partial())
	}
	v, err := f.perf(perfCompareCmd{Analysis: c.Analysis})
	if err != nil {
		return history.Measurement{}, err
	}
	if why := f.partial(); why != "" && v.Verdict != perf.Investigate {
		return history.Measurement{}, fmt.Errorf("%w: %s", history.ErrNothingMeasured, why)
	}
	return history.From(f.Evidence, v, v.Threshold)
}

// appendHistory adds measurements to the end of a store, whole or not at all as far
// as the file system lets it.
func appendHistory(path string, fresh []history.Measurement) (err error) {
	if len(fresh) == 0 {
		return nil
	}
	lines, err := history.Lines(fresh)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("--store: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if last := make([]byte, 1); info.Size() > 0 {
		if _, err := f.ReadAt(last, info.Size()-1); err != nil {
			return fmt.Errorf("--store: %w", err)
		}
		if !bytes.Equal(last, []byte{'\n'}) {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	if _, err := f.Write(lines); err != nil {
		return fmt.Errorf("--store: %w", err)
	}
	return f.Sync()
}
