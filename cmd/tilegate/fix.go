package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/config"
	"github.com/tilegate/tilegate/checks/linediff"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/checks/words"
)

type fixCmd struct {
	Path   string   `arg:"" optional:"" default:"." help:"TileGym checkout to fix (default: the current folder)."`
	Base   *string  `placeholder:"REV" help:"Fix only what is new against the merge base with this revision."`
	Rule   []string `placeholder:"ID" sep:"none" help:"Apply the fixes of this rule only; may be repeated."`
	DryRun bool     `help:"Print what would change as a unified diff, and change nothing."`
}

func (c *fixCmd) Help() string {
	return "Applies the safe fixes of the review's findings. A fix is applied only when the edited file can be parsed and the edited checkout reviews clean at that place. The diff of a dry run is for git apply in PATH; what remains is told on standard error. Exit status: 0 every safe fix was applied or there was none, 1 a fix was not applied, 2 the checkout or a file cannot be read or written."
}

func (c *fixCmd) Run(s streams) error {
	var only []string
	for _, id := range c.Rule {
		r, err := findRule(id)
		if err != nil {
			return err
		}
		if r.Fix != "safe" {
			return fmt.Errorf("rule %s has no safe fix: expected one of %s", r.ID, strings.Join(fixable(), ", "))
		}
		if !slices.Contains(only, r.ID) {
			only = append(only, r.ID)
		}
	}
	o, err := reviewOptions(c.Path, c.Base, s)
	if err != nil {
		return err
	}
	done, err := review.Repair(context.Background(), o, only)
	if err != nil {
		return otherLayout(c.Path, err)
	}
	told := s.Out
	if c.DryRun {
		told = s.Err
		for _, f := range done.Files {
			if _, err := io.WriteString(s.Out, linediff.Unified("a/"+f.Path, "b/"+f.Path, f.Before, f.After)); err != nil {
				return err
			}
		}
	}
	written, err := c.write(done.Files)
	c.tell(told, done, written, only)
	switch {
	case err != nil:
		return err
	case len(done.Left.Summary.Kernels) == 0:
		return noKernel(c.Path)
	case len(done.Left.Summary.Unread) > 0:
		return exitUsage
	case len(done.Dropped) > 0:
		return exitNotFine
	}
	return nil
}

// fixable lists the rules that offer safe fixes.
func fixable() (ids []string) {
	for _, r := range all.Rules {
		if r.Fix == "safe" {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// write puts the fixed files in place and returns those that it could write.
func (c *fixCmd) write(files []review.RepairedFile) (written []review.RepairedFile, err error) {
	if c.DryRun || len(files) == 0 {
		return files, nil
	}
	root, err := os.OpenRoot(c.Path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, f := range files {
		if failed := replaceFile(root, f.Path, f.Before, f.After); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		written = append(written, f)
	}
	return written, oneLine(err)
}

// mostFaults are told in the one line of an error.
const mostFaults = 3

// oneLine makes one line of a joined error, of which the first faults are told.
func oneLine(err error) error {
	if err == nil {
		return nil
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) > mostFaults {
		more := words.Count(len(lines)-mostFaults, "more fault")
		var faults config.Problems
		if errors.As(err, &faults) {
			more += ", which tilegate config check lists"
		}
		lines = append(lines[:mostFaults], more)
	}
	return errors.New(strings.Join(lines, "; "))
}

// tell prints what was changed and what remains.
func (c *fixCmd) tell(w io.Writer, done *review.Repaired, written []review.RepairedFile, only []string) {
	verb, edit := "fixed", "Made"
	if c.DryRun {
		verb, edit = "would fix", "Would make"
	}
	edits := 0
	for _, f := range written {
		edits += f.Edits
		fmt.Fprintf(w, "%s %s: %s (%s)\n", verb, untrusted.Text(f.Path).Line(), words.Count(f.Edits, "edit"), strings.Join(f.Rules, ", "))
	}
	for _, d := range done.Dropped {
		fmt.Fprintf(w, "not applied %s:%d: %s: %s: %s\n", untrusted.Text(d.Path).Line(), d.Line, d.Rule, untrusted.Text(d.Description).Line(), untrusted.Text(d.Why).Line())
	}
	left, others, older := 0, 0, 0
	for _, f := range done.Left.Findings {
		switch {
		case !f.New:
			older++
		case len(only) > 0 && !slices.Contains(only, f.Rule):
			others++
		default:
			left++
			fmt.Fprintf(w, "remains %s:%d: %s %s: %s\n", untrusted.Text(f.Path).Line(), f.Line, f.Severity, f.Rule, untrusted.Text(f.Message).Line())
		}
	}
	for _, u := range done.Left.Summary.Unread {
		fmt.Fprintf(w, "unread %s: %s\n", untrusted.Text(u.Place()).Line(), untrusted.Text(u.Beside()).Line())
	}
	switch failed := len(done.Files) - len(written); {
	case edits > 0:
		fmt.Fprintf(w, "%s %s in %s", edit, words.Count(edits, "edit"), words.Count(len(written), "file"))
		if failed > 0 {
			fmt.Fprintf(w, ", %s could not be written", words.Count(failed, "file"))
		}
	case failed > 0:
		fmt.Fprintf(w, "Nothing was fixed: %s could not be written", words.Count(failed, "file"))
	default:
		fmt.Fprint(w, "Nothing to fix")
	}
	fmt.Fprint(w, "; ")
	if failed := len(done.Files) - len(written); failed > 0 {
		// The files as they are hold what could not be written, too.
		fmt.Fprint(w, "when they are, ")
	}
	fmt.Fprint(w, words.Count(left, "finding"))
	if len(only) > 0 {
		fmt.Fprintf(w, " of %s", strings.Join(only, ", "))
	}
	fmt.Fprint(w, words.Form(left, " remains", " remain"))
	if others > 0 {
		fmt.Fprintf(w, ", and %d of other rules", others)
	}
	if older > 0 {
		fmt.Fprintf(w, ", %d older left as they are", older)
	}
	if n := len(done.Left.Summary.Unread); n > 0 {
		fmt.Fprintf(w, ", %s could not be read as a whole", words.Count(n, "file"))
	}
	fmt.Fprintln(w, ".")
}
