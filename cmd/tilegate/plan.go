package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// reasons is how many paths the text names for a kernel.
const reasons = 10

type planCmd struct {
	Path   string `arg:"" optional:"" default:"." help:"TileGym checkout (default: the current folder)."`
	Base   string `required:"" placeholder:"REV" help:"Revision that the change is made against."`
	Format string `enum:"text,json" default:"text" help:"Output format: ${enum}."`
}

func (c *planCmd) Help() string {
	return "Says which kernels a change has to build, test and measure, and why. Exit status: 0 decided, 2 unknown revision, no repository or a folder inside of the checkout."
}

func (c *planCmd) Run(s streams) error {
	fsys, err := checkout(c.Path)
	if err != nil {
		return err
	}
	base, err := mergeBase(c.Path, c.Base)
	if err != nil {
		return err
	}
	changed, err := changes(c.Path, base)
	if err != nil {
		return err
	}
	old, err := mergeBaseTree(c.Path, c.Base)
	if err != nil {
		return err
	}
	baseTree, err := tree.Load(old, nil)
	if err != nil && !errors.Is(err, tree.ErrNoKernels) {
		return err
	}
	headTree, err := tree.Load(fsys, baseTree)
	if err != nil && (!errors.Is(err, tree.ErrNoKernels) || checkoutAbove(c.Path) != "") {
		return otherLayout(c.Path, err)
	}
	plan := tree.MakePlan(headTree, baseTree, changed)
	if c.Format == "json" {
		return writeJSON(s.Out, plan)
	}
	fmt.Fprintln(s.Out, plan.Sentence)
	if len(plan.Kernels) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nKERNEL\tSTAGES\tBECAUSE OF")
	for _, k := range plan.Kernels {
		fmt.Fprintf(w, "%s\t%s\t%s\n", k.Name, strings.Join(k.Stages, ", "), untrusted.Text(k.Because[0]).Line())
		for _, why := range k.Because[1:min(len(k.Because), reasons)] {
			fmt.Fprintf(w, "\t\t%s\n", untrusted.Text(why).Line())
		}
		if n := len(k.Because) - reasons; n > 0 {
			fmt.Fprintf(w, "\t\tand %d more, which --format json lists\n", n)
		}
	}
	return w.Flush()
}
