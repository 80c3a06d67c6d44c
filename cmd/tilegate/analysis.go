package main

import (
	"os"
	"path/filepath"

	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/check"
)

type analysisCmd struct {
	Check analysisCheckCmd `cmd:"" help:"Validate analysis.json and the files that it names."`
}

type analysisCheckCmd struct {
	File   string `arg:"" help:"The analysis.json, in reference/ of a kernel's directory."`
	Format string `enum:"text,json" default:"text" help:"Output format: ${enum}."`
}

func (c *analysisCheckCmd) Help() string {
	return "Files that the analysis names are looked for in the kernel's directory, the parent of reference/. Exit status: 0 valid (warnings may be there), 1 not valid, 2 the file cannot be read."
}

func (c *analysisCheckCmd) Run(s streams) error {
	data, err := readSmall(c.File, "an analysis.json")
	if err != nil {
		return err
	}
	path, err := filepath.Abs(c.File)
	if err != nil {
		return err
	}
	// An analysis beside the kernel, outside of the usual layout, has no
	// directory whose name its kernel must have.
	dir, kernel := filepath.Dir(path), ""
	if filepath.Base(dir) == "reference" {
		dir = filepath.Dir(dir)
		kernel = analysis.Kernel(filepath.ToSlash(dir))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return printCheck(s, check.New(analysis.Check(data, root.FS(), kernel)), c.File, c.Format)
}

// printCheck prints a check's report and returns the exit status that it means.
func printCheck(s streams, r check.Report, name, format string) error {
	var err error
	if format == "json" {
		err = writeJSON(s.Out, r)
	} else {
		err = r.WriteText(s.Out, name)
	}
	if err != nil {
		return err
	}
	if r.Verdict == check.Invalid {
		return exitNotFine
	}
	return nil
}
