package review

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/checks/words"
)

// Options is one request for a review.
type Options struct {
	// Head is the checkout to review.
	Head fs.FS
	// Base is the checkout at the merge base; nil makes every finding new.
	Base fs.FS
	// Rules are the rules to run.
	Rules []*rules.Rule
	// Kernels limits the review to kernels of these names; empty reviews all.
	Kernels []string
	// Severities sets the severity of rules by ID; "off" silences one. No finding of
	// the rule is heavier. One above the rule's own lifts the findings that the rule
	// is sure of, those of its own severity; what it is unsure of stays as it is.
	Severities map[string]Severity
	// Version is the version of the tool, for the report.
	Version string
	// Progress is told what is being done; it may be nil.
	Progress func(string)
}

// Off is the severity in Options that silences a rule.
const Off Severity = "off"

// Run reviews a checkout. It returns tree.ErrNoKernels when the checkout has
// another layout, and an error that lists the known kernels when a named one
// does not exist, tree.ErrTooLarge when its files take too much memory, and a
// *rules.Crash when its own code panicked. What could not be read is listed in the report.
func Run(ctx context.Context, o Options) (r *Report, err error) {
	defer rules.Caught(&err, func() string { return "the review" })
	head, err := tree.Load(o.Head, nil)
	if err != nil {
		return nil, err
	}
	kernels, err := selectKernels(head, o.Kernels)
	if err != nil {
		return nil, err
	}
	progress := o.Progress
	if progress == nil {
		progress = func(string) {}
	}
	progress(fmt.Sprintf("parsing %d kernels", len(kernels)))
	if err := parseAll(ctx, head, kernels); err != nil {
		return nil, err
	}
	progress(fmt.Sprintf("running %d rules", len(o.Rules)))
	var base *tree.Tree
	if o.Base != nil {
		// A base of another layout has no kernels and no findings.
		if base, err = tree.Load(o.Base, head); err != nil && !errors.Is(err, tree.ErrNoKernels) {
			return nil, fmt.Errorf("base: %w", err)
		}
	}
	now, err := runRules(ctx, o, head, base, kernels)
	if err != nil {
		return nil, err
	}
	now.leaveOut(head, kernels)
	var before outcome
	if base != nil {
		progress("reviewing the base")
		if before, err = runRules(ctx, o, base, nil, base.Kernels); err != nil {
			return nil, err
		}
		progress(fmt.Sprintf("parsed %s of the base that the head does not have", words.Count(base.Parsed(), "file")))
	}
	markNew(now.comments, before.comments)
	for _, t := range []*tree.Tree{head, base} {
		if t != nil && t.Err() != nil {
			return nil, t.Err()
		}
	}
	findings, _ := group(now.open, known(now.open, before.open, head, base))
	for i := range findings {
		findings[i].Waits = waits(findings[i], head, base)
	}
	r = o.report(head, kernels, findings)
	for _, s := range now.comments {
		r.Summary.Suppressions = append(r.Summary.Suppressions, s.parts()...)
	}
	accepted, first := group(now.accepted, known(now.accepted, slices.Concat(before.accepted, before.open), head, base))
	for i, f := range accepted {
		r.Accepted = append(r.Accepted, Accepted{f, first[i].by.Reason, first[i].by.Line})
	}
	return r, nil
}

// report sums up the findings of a tree.
func (o Options) report(head *tree.Tree, kernels []*tree.Kernel, findings []Finding) *Report {
	r := &Report{Schema: Schema, Tool: Tool{"tilegate", o.Version}, Findings: findings, Compared: o.Base != nil}
	r.Summary = Summary{Kernels: []string{}, Unread: []Unread{}}
	for _, k := range kernels {
		r.Summary.Kernels = append(r.Summary.Kernels, k.ID())
	}
	for _, f := range head.Read() {
		r.Summary.Files++
		if f.Unread != "" {
			r.Summary.Unread = append(r.Summary.Unread, Unread{f.Path, f.Unread, f.UnreadAt})
		}
	}
	var all Counts
	for _, f := range r.Findings {
		all.add(f.Severity)
		if f.New {
			r.Summary.New.add(f.Severity)
		}
	}
	r.Summary.Error, r.Summary.Warning, r.Summary.Note = all.Error, all.Warning, all.Note
	return r
}

func selectKernels(t *tree.Tree, names []string) ([]*tree.Kernel, error) {
	if len(names) == 0 {
		return t.Kernels, nil
	}
	var out []*tree.Kernel
	for _, name := range names {
		k := t.Kernel(name)
		if k == nil {
			var known []string
			for _, k := range t.Kernels {
				known = append(known, k.ID())
			}
			return nil, fmt.Errorf("no kernel %q in this checkout: it has %s", name, strings.Join(known, ", "))
		}
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out, nil
}

// parseAll parses the files of the kernels and what they share, in parallel.
func parseAll(ctx context.Context, t *tree.Tree, kernels []*tree.Kernel) error {
	paths := host.Sources(t)
	for _, k := range kernels {
		paths = append(paths, k.KernelRS, k.FFI, k.Wrapper, k.Test, k.Reference, k.Crate.Lib, k.Crate.FFIUtil, k.Crate.Manifest)
	}
	slices.Sort(paths)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, p := range slices.Compact(paths) {
		if p != "" {
			g.Go(func() (err error) {
				defer rules.Caught(&err, func() string { return "reading " + p })
				t.File(p)
				return ctx.Err()
			})
		}
	}
	return errors.Join(g.Wait(), t.Err())
}

// hit is one diagnostic with what grouping and comparing need.
type hit struct {
	rules.Diagnostic
	rule        *rules.Rule
	order       rules.Order
	kernel      string
	fn          string
	fingerprint string
	by          *Suppression // that accepts it
}

// outcome is what the rules found in a tree, what of it comments accept, and the
// comments.
type outcome struct {
	open, accepted []hit
	comments       []*Suppression
}

func runRules(ctx context.Context, o Options, t, base *tree.Tree, kernels []*tree.Kernel) (outcome, error) {
	var active, off []*rules.Rule
	for _, r := range o.Rules {
		if o.Severities[r.ID] != Off {
			active = append(active, r)
		} else {
			off = append(off, r)
		}
	}
	jobs := rules.Jobs(active, t, base, kernels, off...)
	perJob := make([][]hit, len(jobs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, job := range jobs {
		g.Go(func() error {
			err := job(func(p *rules.Pass, d rules.Diagnostic) { perJob[i] = append(perJob[i], newHit(o, t, p, d)) })
			return cmp.Or(err, ctx.Err())
		})
	}
	if err := g.Wait(); err != nil {
		return outcome{}, err
	}
	hits := slices.Concat(perJob...)
	slices.SortStableFunc(hits, func(a, b hit) int {
		if c := strings.Compare(a.File.Path, b.File.Path); c != 0 {
			return c
		}
		if c := a.Span.Start - b.Span.Start; c != 0 {
			return c
		}
		return cmp.Or(rules.Compare(a.rule.ID, b.rule.ID), a.order.Compare(b.order))
	})
	out := outcome{comments: suppressions(t, o.Rules)}
	out.open, out.accepted = suppress(hits, out.comments, sawAll(active, t, kernels))
	return out, nil
}

func newHit(o Options, t *tree.Tree, p *rules.Pass, d rules.Diagnostic) hit {
	h := hit{Diagnostic: d, rule: p.Rule, order: p.Order}
	if p.Kernel != nil {
		h.kernel = p.Kernel.ID()
	}
	if set := o.Severities[p.Rule.ID]; set != "" {
		h.Severity = configured(set, d.Severity, p.Rule.Severity)
	}
	known := cmp.Or(d.Pin, p.Rule.Pin)
	if pin := t.Pin(p.Crate); known != "" && pin != "" && pin != "="+known {
		h.Severity = Note
		h.Message += fmt.Sprintf(" (known for cutile %s only; this crate asks for `%s`)", known, pin)
	}
	h.fn = d.Function()
	text := strings.Join(strings.Fields(string(d.File.Src[d.Span.Start:d.Span.End])), " ")
	sum := sha256.Sum256([]byte(strings.Join([]string{p.Rule.ID, path.Base(d.File.Path), h.fn, d.Construct, text}, "\x00")))
	h.fingerprint = hex.EncodeToString(sum[:10])
	return h
}

// configured is the severity of a finding whose rule has a severity of its own, where
// another one is set for the rule.
func configured(set, found, own Severity) Severity {
	if set.Rank() < found.Rank() || found == own {
		return set
	}
	return found
}

// waits decides whether the gate waits for a maintainer because of a finding: a new one
// of what the change does to the tests that judge it. Of the notes, which are no more
// than lines in the summary, it is that a kernel's test file is new: nothing at the base
// says which cases it must have.
func waits(f Finding, head, base *tree.Tree) bool {
	if !f.New || !rules.OnTests(f.Rule) {
		return false
	}
	return f.Severity != Note || f.Rule == TestFileRule && slices.ContainsFunc(head.Kernels, func(k *tree.Kernel) bool {
		return k.Test == f.Path && (base == nil || len(base.Crates) == 0 || !base.Exists(k.Test))
	})
}

// TestFileRule is the rule that says that a test file is new.
const TestFileRule = "T6"

// group makes findings of the hits: one per rule, function, kind of construct
// and severity, new ones apart from old ones, which are those that the base
// has, by their index. What different comments accept is apart, too. With each
// finding comes the first of its hits.
func group(hits []hit, old map[int]bool) (out []Finding, first []hit) {
	type key struct {
		rule, path, fn, construct, message string
		severity                           Severity
		isNew                              bool
		by                                 *Suppression
	}
	at := map[key]int{}
	out = []Finding{}
	for i, h := range hits {
		isNew := !old[i]
		k := key{h.rule.ID, h.File.Path, h.fn, h.Construct, "", h.Severity, isNew, h.by}
		if h.fn == "" {
			// Outside functions only equal messages belong together.
			k.message = h.Message
		}
		start := h.File.Position(h.Span.Start)
		end := h.File.Position(h.Span.End)
		fix := lineFix(h.File, h.Fix)
		if i, ok := at[k]; ok {
			f := &out[i]
			// Hits come in the order of their places.
			last := f.Line
			if n := len(f.AlsoAt); n > 0 {
				last = f.AlsoAt[n-1]
			}
			if start.Line != last {
				f.AlsoAt = append(f.AlsoAt, start.Line)
			}
			f.Fix = addFix(f.Fix, fix)
			continue
		}
		at[k] = len(out)
		first = append(first, h)
		out = append(out, Finding{
			Rule: h.rule.ID, Severity: h.Severity, Path: h.File.Path,
			Line: start.Line, Column: start.Column, EndLine: end.Line, EndColumn: end.Column,
			Kernel: h.kernel, Title: h.rule.Title, Message: h.Message, Why: h.rule.WhyOf(h.Construct),
			Fix: fix, Triage: h.rule.Steps(h.Construct), Fingerprint: h.fingerprint, New: isNew,
		})
	}
	return out, first
}
