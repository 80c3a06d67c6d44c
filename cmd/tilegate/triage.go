package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/triage"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/checks/words"
)

type triageCmd struct {
	Stage  []string `enum:"build,import,jit,runtime,correctness,perf,process" placeholder:"STAGE" help:"Match only signatures of these stages: ${enum}; may be repeated."`
	Format string   `enum:"text,json" default:"text" help:"Output format: ${enum}."`
	Log    []string `arg:"" help:"Log files and JUnit files; - is standard input."`
}

func (c *triageCmd) Help() string {
	return "Matches logs, and the failed cases and times of JUnit files, against the known failure signatures and prints the cause first, with the rules it points at and the steps to take. Reports of a conversion are judged as whole files, by their names: " + strings.Join(triage.JudgedFiles(), ", ") + ". Exit status: 0 a signature matched, 2 a log cannot be read, 3 no signature matched."
}

func (c *triageCmd) Run(s streams) error {
	var stages []triage.Stage
	for _, name := range c.Stage {
		stages = append(stages, triage.Stage(name))
	}
	scanner := triage.NewScanner(stages...)
	say := progress(s.Err)
	text := false
	for _, path := range c.Log {
		any, err := scanLog(scanner, path, s.In)
		if err != nil {
			return err
		}
		text = text || any
		say("read " + triage.Place(path))
	}
	result := scanner.Result()
	if result.Unknown {
		result.Why = untrusted.Text(c.why(scanner, text))
	}
	if c.Format == "json" {
		if err := writeJSON(s.Out, result); err != nil {
			return err
		}
	} else if err := triage.WriteText(s.Out, result); err != nil {
		return err
	}
	if result.Unknown {
		return exitUndecided
	}
	return nil
}

// why says why nothing matched, where that can be told. text says that any was read.
func (c *triageCmd) why(scanner *triage.Scanner, text bool) string {
	if !text {
		return words.Form(len(c.Log), "the log is empty.", "the logs are empty.")
	}
	if len(c.Stage) > 0 {
		asked := "none of " + words.Form(len(c.Stage), "the stage ", "the stages ") + strings.Join(c.Stage, ", ") + " does"
		if slices.Contains(c.Log, "-") {
			return asked + "; without --stage all are matched."
		}
		if found := triageAll(c.Log); len(found) > 0 {
			return asked + "; of other stages " + strings.Join(found, ", ") + words.Form(len(found), " does", " do") + ": tilegate triage " + asWords(c.Log)
		}
	}
	return scanner.NoneFailed()
}

// triageAll lists the signatures of any stage that match files, each with its stage.
func triageAll(paths []string) (found []string) {
	scanner := triage.NewScanner()
	for _, path := range paths {
		if _, err := scanLog(scanner, path, nil); err != nil {
			return nil
		}
	}
	for _, m := range scanner.Result().Matches {
		found = append(found, fmt.Sprintf("%s (%s)", m.Signature, m.Stage))
	}
	return found
}

// explained are the files of which a signature tells more.
func explained(paths []string) (some []string) {
	for _, path := range paths {
		if len(triageAll([]string{path})) > 0 {
			some = append(some, path)
		}
	}
	return some
}

// writeNext names the command that tells more about files.
func writeNext(w io.Writer, logs []string) error {
	if len(logs) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nNext:\ntilegate triage %s\n", asWords(logs))
	return err
}

// filled remembers whether anything but blanks was read.
type filled struct {
	io.Reader
	any bool
}

// Read reads on.
func (f *filled) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	f.any = f.any || len(bytes.TrimSpace(p[:n])) > 0
	return n, err
}

// scanLog scans a file, or standard input, and reports whether it holds any text.
func scanLog(scanner *triage.Scanner, path string, in io.Reader) (bool, error) {
	if path == "-" {
		return scanText(scanner, "-", in)
	}
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("expected a readable log file: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return false, fmt.Errorf("expected a log file, found the directory %s", strings.TrimSuffix(path, "/"))
	}
	return scanText(scanner, path, f)
}

// scanText scans what is text, and says what the rest is.
func scanText(scanner *triage.Scanner, path string, r io.Reader) (bool, error) {
	seen := filled{Reader: r}
	in := bufio.NewReaderSize(&seen, triage.HeadBytes)
	head, err := in.Peek(triage.HeadBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("expected a readable log file: %s: %w", triage.Place(path), err)
	}
	if what := triage.Binary(head); what != "" {
		return false, fmt.Errorf("expected a text log or a JUnit file, found %s: %s", what, triage.Place(path))
	}
	err = scanner.Scan(path, in)
	return seen.any, err
}
