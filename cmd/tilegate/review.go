package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

type reviewCmd struct {
	Path   string   `arg:"" optional:"" default:"." help:"TileGym checkout to review."`
	Base   string   `placeholder:"REV" help:"Report only what is new against the merge base with this revision."`
	Kernel []string `placeholder:"NAME" sep:"none" help:"Review this kernel only; may be repeated."`
	Format string   `enum:"text,json,sarif,rdjson,github,markdown" default:"text" help:"Output format: ${enum}."`
	FailOn string   `enum:"error,warning,note" default:"error" help:"Lightest severity that makes the exit status 1: ${enum}."`
	All    bool     `help:"Show findings that are not new, too."`
}

func (c *reviewCmd) Help() string {
	return "Reviews a TileGym checkout against the rulebook without a GPU. Exit status: 0 no finding reaches --fail-on, 1 one does, 2 the checkout or a file cannot be read."
}

func (c *reviewCmd) Run(s streams) error {
	head, err := checkout(c.Path)
	if err != nil {
		return err
	}
	o := review.Options{Head: head, Rules: all.Rules, Kernels: c.Kernel, Version: version(), Progress: progress(s.Err)}
	if c.Base != "" {
		if o.Base, err = mergeBaseTree(c.Path, c.Base); err != nil {
			return err
		}
	}
	r, err := review.Run(context.Background(), o)
	if errors.Is(err, tree.ErrNoKernels) {
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	if err != nil {
		return err
	}
	style := review.Style{Source: sourceOf(head), Colour: colour(s.Out), All: c.All || c.Base == "", Rules: all.Rules}
	if err := review.Write(s.Out, c.Format, r, style); err != nil {
		return err
	}
	switch {
	case r.Reaches(review.Severity(c.FailOn)):
		return exitNotFine
	case len(r.Summary.Unread) > 0:
		return exitUsage
	}
	return nil
}

// checkout opens a folder as a file system.
func checkout(path string) (fs.FS, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("expected a TileGym checkout: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("expected a TileGym checkout, found the file %s", path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, err
	}
	return root.FS(), nil
}

func sourceOf(fsys fs.FS) func(string) *syntax.File {
	return func(p string) *syntax.File {
		data, err := fs.ReadFile(fsys, p)
		if err != nil {
			return nil
		}
		return syntax.Lines(data)
	}
}
