package commands

import (
	"fmt"
	"slices"
	"time"
)

// Known is what exists at the moment, against which a command's names are
// checked. A nil list is not checked.
type Known struct {
	Kernels []string
	GPUs    []string
	Rules   []string
	Now     time.Time
}

// Check returns why a well-formed command cannot be obeyed: a name that does
// not exist, with the list of those that do, or a day that has passed. It
// brings nothing into another form; nil means that every name exists.
func (c Command) Check(k Known) error {
	if c.Err != nil {
		return c.Err
	}
	switch a := c.Args.(type) {
	case Explain:
		return exists("rule", a.Rule, k.Rules)
	case Rerun:
		for _, kernel := range a.Kernels {
			if err := rerunKernel(kernel, k.Kernels); err != nil {
				return err
			}
		}
		if a.GPU != "" {
			return exists("GPU class", a.GPU, k.GPUs)
		}
	case WaivePerf:
		if err := exists("kernel", a.Kernel, k.Kernels); err != nil {
			return err
		}
		return ahead(a.Until, k.Now)
	case WaiveRule:
		if err := exists("rule", a.Rule, k.Rules); err != nil {
			return err
		}
		return ahead(a.Until, k.Now)
	}
	return nil
}

func rerunKernel(name string, kernels []string) error {
	if kernels == nil || slices.Contains(kernels, name) {
		return nil
	}
	if s, ok := asStage(name); ok {
		return fmt.Errorf("there is no kernel %s; a stage stands before the kernels, and only one", quote(string(s)))
	}
	hint := didYouMean(name, kernels)
	if hint == "" {
		hint = didYouMean(name, stageNames())
	}
	return unknown("kernel", name, hint, kernels)
}

func exists(kind, name string, names []string) error {
	if names == nil || slices.Contains(names, name) {
		return nil
	}
	return unknown(kind, name, didYouMean(name, names), names)
}

func unknown(kind, name, hint string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("there is no %s %s; this repository has none", kind, quote(name))
	}
	return fmt.Errorf("there is no %s %s%s; there are %s", kind, quote(name), hint, listed(names))
}

// Expired reports whether a waiver's last day has passed. The day counts in
// full, in UTC; a zero day never ends.
func Expired(until, now time.Time) bool {
	return !until.IsZero() && !now.UTC().Before(until.AddDate(0, 0, 1))
}

func ahead(until, now time.Time) error {
	if !now.IsZero() && Expired(until, now) {
		return fmt.Errorf("%s has passed; today is %s (UTC)", quote(until.Format(time.DateOnly)), now.UTC().Format(time.DateOnly))
	}
	return nil
}
