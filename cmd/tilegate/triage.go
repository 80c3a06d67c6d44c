package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tilegate/tilegate/checks/triage"
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
	for _, path := range c.Log {
		if err := scanLog(scanner, path, s.In); err != nil {
			return err
		}
		say("read " + path)
	}
	result := scanner.Result()
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

func scanLog(scanner *triage.Scanner, path string, in io.Reader) error {
	if path == "-" {
		return scanText(scanner, "-", in)
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("expected a readable log file: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("expected a log file, found the directory %s", strings.TrimSuffix(path, "/"))
	}
	return scanText(scanner, path, f)
}

// scanText scans what is text, and says what the rest is.
func scanText(scanner *triage.Scanner, path string, r io.Reader) error {
	in := bufio.NewReaderSize(r, triage.HeadBytes)
	head, err := in.Peek(triage.HeadBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("expected a readable log file: %s: %w", path, err)
	}
	if what := triage.Binary(head); what != "" {
		return fmt.Errorf("expected a text log or a JUnit file, found %s: %s", what, path)
	}
	return scanner.Scan(path, in)
}
