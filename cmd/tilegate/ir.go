package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tilegate/tilegate/checks/check"
	"github.com/tilegate/tilegate/checks/ir"
)

type irCmd struct {
	Check irCheckCmd `cmd:"" help:"Say whether a file is CUDA Tile IR of a kernel."`
	Diff  irDiffCmd  `cmd:"" help:"Compare generated IR with its reference."`
}

type irCheckCmd struct {
	File   string `arg:"" help:"File of CUDA Tile IR."`
	Kernel string `arg:"" help:"Kernel whose name the entry's symbol must contain."`
	Format string `enum:"text,json" default:"text" help:"Output format: ${enum}."`
}

func (c *irCheckCmd) Help() string {
	return "Exit status: 0 valid (warnings may be there), 1 not valid, 2 the file cannot be read."
}

func (c *irCheckCmd) Run(s streams) error {
	if strings.TrimSpace(c.Kernel) == "" {
		return errors.New("<kernel>: expected a kernel's name, found none")
	}
	data, err := readIR(c.File)
	if err != nil {
		return err
	}
	return printCheck(s, check.New(ir.Check(data, c.Kernel)), c.File, c.Format)
}

type irDiffCmd struct {
	Reference string `arg:"" help:"IR of the reference backend."`
	Generated string `arg:"" help:"IR that cutile-rs generated."`
	Format    string `enum:"text,json" default:"text" help:"Output format: ${enum}."`
}

func (c *irDiffCmd) Help() string {
	return "Exit status: 0 PASS or PASS_WITH_NOTES, 1 FAIL_FIXABLE, 2 a file cannot be read, 3 a file is not CUDA Tile IR (BLOCKED)."
}

func (c *irDiffCmd) Run(s streams) error {
	reference, err := readIR(c.Reference)
	if err != nil {
		return err
	}
	generated, err := readIR(c.Generated)
	if err != nil {
		return err
	}
	d := ir.Compare(reference, generated)
	d.Name(c.Reference, c.Generated)
	if c.Format == "json" {
		err = writeJSON(s.Out, d)
	} else {
		err = d.WriteText(s.Out)
	}
	if err != nil {
		return err
	}
	switch d.Verdict {
	case ir.FailFixable:
		return exitNotFine
	case ir.Blocked:
		return exitUndecided
	}
	return nil
}

// readIR reads a file of CUDA Tile IR. Dumps are larger than other documents.
func readIR(path string) ([]byte, error) {
	const limit = 64 << 20
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("expected a file of CUDA Tile IR: %w", err)
	case info.IsDir():
		return nil, fmt.Errorf("expected a file of CUDA Tile IR, found the directory %s", path)
	case info.Size() > limit:
		return nil, fmt.Errorf("expected a file of CUDA Tile IR of at most %d bytes, found %d in %s", limit, info.Size(), path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("expected a file of CUDA Tile IR: %w", err)
	}
	return data, nil
}
