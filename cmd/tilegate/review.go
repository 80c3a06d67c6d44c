package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/tilegate/tilegate/checks/config"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/checks/words"
)

type reviewCmd struct {
	Path   string   `arg:"" optional:"" default:"." help:"TileGym checkout to review (default: the current folder)."`
	Base   *string  `placeholder:"REV" help:"Report only what is new against the merge base with this revision."`
	Kernel []string `placeholder:"NAME" sep:"none" help:"Review this kernel and what it shares with others only; may be repeated."`
	Format string   `enum:"text,json,sarif,rdjson,github,markdown" default:"text" help:"Output format: ${enum}."`
	FailOn string   `enum:"error,warning,note" default:"error" help:"Lightest severity that makes the exit status 1: ${enum}."`
	All    bool     `help:"Show findings that are not new, too; in SARIF also those that comments accept, as suppressed."`
}

func (c *reviewCmd) Help() string {
	return "Reviews a TileGym checkout against the rulebook without a GPU. Severities are taken from .github/tilegym.yml, with --base from that revision's. Exit status: 1 a finding reaches --fail-on, also when files are unread; otherwise 2 when the checkout or a file cannot be read, or there is no kernel; otherwise 0, also where the gate waits for a maintainer because of a finding of a T rule, which is a warning."
}

// A review of a checkout in use needs so little memory that collecting garbage
// is not worth the time, and one of 500 kernels needs two thirds of memoryGoal,
// which the collector then keeps to. A larger checkout takes what it needs.
const (
	memoryGoal = 235 << 20
	growth     = 400 // percent, before garbage is collected
)

func (c *reviewCmd) Run(s streams) error {
	if os.Getenv("GOMEMLIMIT")+os.Getenv("GOGC") == "" {
		debug.SetMemoryLimit(memoryGoal)
		debug.SetGCPercent(growth)
	}
	o, err := reviewOptions(c.Path, c.Base, s)
	if err != nil {
		return err
	}
	o.Kernels = c.Kernel
	r, err := review.Run(context.Background(), o)
	if err != nil {
		return otherLayout(c.Path, err)
	}
	style := review.Style{Source: sourceOf(o.Head), Colour: colour(s.Out), All: c.All || c.Base == nil, Accepted: c.All, Rules: all.Rules}
	if c.Path != "." {
		style.Path = words.Shell(c.Path)
	}
	if c.Base != nil {
		style.Base = words.Shell(*c.Base)
	}
	if err := review.Write(s.Out, c.Format, r, style); err != nil {
		return err
	}
	switch {
	case r.Reaches(review.Severity(c.FailOn)):
		return exitNotFine
	case len(r.Summary.Kernels) == 0:
		return noKernel(c.Path)
	case len(r.Summary.Unread) > 0:
		return exitUsage
	}
	if n := r.Waiting(); n > 0 {
		fmt.Fprintf(s.Err, "tilegate: exit status 0 is no pass of the gate, which waits for a maintainer because of %s\n", words.Count(n, "finding"))
	}
	return nil
}

// noKernel says that there was nothing to judge, which is no verdict.
func noKernel(path string) error {
	return fmt.Errorf("%s: no cutile-rs kernel: expected a folder NAME_kernel, or a wrapper that is registered for cutile-rs, in %s or a suite's %s folder; found none", path, tree.OpsRoot, filepath.Base(tree.OpsRoot))
}

// otherLayout adds to tree.ErrNoKernels the folder that was looked at, and the one
// above it that is a checkout, where there is one.
func otherLayout(path string, err error) error {
	if !errors.Is(err, tree.ErrNoKernels) {
		return err
	}
	root := checkoutAbove(path)
	if root == "" {
		return fmt.Errorf("%s: %w", path, err)
	}
	return fmt.Errorf("%s: %w; the checkout above it is %s", path, err, root)
}

// checkoutAbove is the nearest folder above another that has a cutile-rs backend,
// relative to the current one where that can be; empty when there is none.
func checkoutAbove(path string) string {
	at, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	for parent := filepath.Dir(at); parent != at; parent = filepath.Dir(at) {
		at = parent
		for _, place := range []string{tree.OpsRoot, tree.SuitesRoot + "/*/" + filepath.Base(tree.OpsRoot)} {
			if found, err := fs.Glob(os.DirFS(at), place); err != nil || len(found) == 0 {
				continue
			}
			here, err := os.Getwd()
			if err != nil {
				return at
			}
			if near, err := filepath.Rel(here, at); err == nil {
				return near
			}
			return at
		}
	}
	return ""
}

// configFile is a configuration, or why there is none. A file that does not
// exist has no data and no error.
type configFile struct {
	name string
	data []byte
	err  error
}

// configOf reads the configuration that lies in a checkout.
func configOf(fsys fs.FS) configFile {
	data, err := tree.ReadFile(fsys, config.Path, syntax.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return configFile{config.Path, data, err}
}

// reviewOptions are those of a checkout, by the configuration of its base revision
// where one is given.
func reviewOptions(path string, base *string, s streams) (review.Options, error) {
	head, err := checkout(path)
	if err != nil {
		return review.Options{}, err
	}
	o := review.Options{Head: head, Rules: all.Rules, Version: version(), Progress: progress(s.Err)}
	policy := configOf(head)
	if base != nil {
		if o.Base, err = mergeBaseTree(path, *base); err != nil {
			return review.Options{}, err
		}
		policy = configAt(path, *base)
	}
	o.Severities, err = severities(policy)
	return o, err
}

// severities are the severities of rules that a configuration sets.
func severities(f configFile) (map[string]review.Severity, error) {
	if f.err != nil {
		return nil, fmt.Errorf("expected a configuration file: %w", f.err)
	}
	cfg, err := config.Parse(f.name, f.data)
	if err != nil {
		return nil, oneLine(err)
	}
	set := make(map[string]review.Severity, len(cfg.Rules))
	for id, s := range cfg.Rules {
		set[id] = review.Severity(s)
	}
	return set, nil
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
	return inside{root.FS()}, nil
}

// inside is the file system of an os.Root that says in its own words that a link
// leads out of it.
type inside struct{ fs.FS }

var errOutside = errors.New("a link out of the checkout")

// within replaces the error that os.Root has for a link that leads out of it, and
// does not export.
func within[T any](v T, err error) (T, error) {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) && failed.Err.Error() == "path escapes from parent" {
		return v, &fs.PathError{Op: failed.Op, Path: failed.Path, Err: errOutside}
	}
	return v, err
}

// Open opens a file or folder.
func (i inside) Open(name string) (fs.File, error) { return within(i.FS.Open(name)) }

// Stat describes a file.
func (i inside) Stat(name string) (fs.FileInfo, error) { return within(fs.Stat(i.FS, name)) }

// Lstat describes a file or a link itself.
func (i inside) Lstat(name string) (fs.FileInfo, error) { return within(fs.Lstat(i.FS, name)) }

// ReadLink is where a link leads.
func (i inside) ReadLink(name string) (string, error) { return within(fs.ReadLink(i.FS, name)) }

// ReadDir lists a folder.
func (i inside) ReadDir(name string) ([]fs.DirEntry, error) { return within(fs.ReadDir(i.FS, name)) }

// ReadFile reads a file.
func (i inside) ReadFile(name string) ([]byte, error) { return within(fs.ReadFile(i.FS, name)) }

// sourceOf reads the lines of a checkout's files, each once; what is over the
// parser's limit has none.
func sourceOf(fsys fs.FS) func(string) *syntax.File {
	files := map[string]*syntax.File{}
	return func(p string) *syntax.File {
		if f, ok := files[p]; ok {
			return f
		}
		files[p] = nil
		if data, err := tree.ReadFile(fsys, p, syntax.MaxSize); err == nil {
			files[p] = syntax.Lines(data)
		}
		return files[p]
	}
}
