package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/analysis"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// study is what the trees of head and merge base tell: it depends on nothing
// else than the two, the configuration and the rules, and is kept.
type study struct {
	Plan    tree.Plan      `json:"plan"`
	Report  *review.Report `json:"-"`                 // kept beside the rest
	Failure string         `json:"failure,omitempty"` // why the review could not be carried out
	// Removed says that the change removes every kernel, so that there is none to judge.
	Removed bool `json:"removed,omitempty"`
	// Harness is whose test files judge the change: those of the base, unless
	// the change itself brings the tests of a kernel.
	Harness      string `json:"harness"`
	MergeBaseSHA string `json:"merge_base_sha"`
	// Kernels are the planned kernels by the names that requests and jobs have.
	Kernels map[string]kernelFacts `json:"kernels"`
	// Contents names what the verdicts of each planned kernel depend on; a kernel
	// without an entry is always run.
	Contents map[string]string `json:"contents,omitempty"`
	// Changed are the changed paths, both names of a rename.
	Changed []string `json:"changed"`
}

// kernelFacts are what the trees say about a planned kernel.
type kernelFacts struct {
	ID        string `json:"id"`
	Test      string `json:"test"`
	Analysis  []byte `json:"analysis,omitempty"`
	Reference string `json:"reference,omitempty"` // declared by an analysis.json
}

// review reads the trees, plans and reviews, or takes what is kept of it. part
// is false for a repository with neither configuration nor layout.
func (l *look) review(ctx context.Context) (part bool, err error) {
	again, err := l.Store.Rerun(ctx, l.t.Key)
	if err != nil {
		return false, err
	}
	rest := fmt.Sprintf("%s/%s/%d/%d", l.policy.digest, l.Version, studyForm, again)
	// The base branch's tip and the head determine the merge base, which costs a
	// request to find.
	tip := "tip/" + l.info.BaseSHA + "/" + rest
	if l.study, err = l.kept(ctx, tip); err != nil || l.study != nil {
		return l.study != nil, err
	}
	base, err := l.snap.MergeBaseSHA(ctx)
	if err != nil {
		return false, fmt.Errorf("find the merge base: %w", err)
	}
	key := "base/" + base + "/" + rest
	if l.study, err = l.kept(ctx, key); err != nil {
		return false, err
	}
	if l.study == nil {
		if l.study, part, err = l.makeStudy(ctx, base); err != nil || !part {
			return part, err
		}
	}
	if err := l.Store.SetOptedIn(ctx, l.t.Repo); err != nil {
		return false, err
	}
	return true, errors.Join(l.keep(ctx, key), l.keep(ctx, tip))
}

// studyForm is raised when a kept study of before would be read wrongly, such as one
// that does not say of its findings whether the gate waits for them.
const studyForm = 2

// kept is the study that was kept under a key; nil for none.
func (l *look) kept(ctx context.Context, key string) (*study, error) {
	report, plan, err := l.Store.Review(ctx, l.t.Repo, l.info.HeadSHA, key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &study{}
	if err := errors.Join(json.Unmarshal(plan, s), json.Unmarshal(report, &s.Report)); err != nil {
		return nil, fmt.Errorf("kept review: %w", err)
	}
	return s, nil
}

// keep keeps the study under a key.
func (l *look) keep(ctx context.Context, key string) error {
	plan, err := json.Marshal(l.study)
	if err != nil {
		return err
	}
	report, err := json.Marshal(l.study.Report)
	if err != nil {
		return err
	}
	return l.Store.SaveReview(ctx, l.t.Repo, l.info.HeadSHA, key, report, plan)
}

// makeStudy reads and judges the two trees.
func (l *look) makeStudy(ctx context.Context, base string) (s *study, part bool, err error) {
	files, err := l.snap.Files(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("read the changed files: %w", err)
	}
	s = &study{Harness: "base", MergeBaseSHA: base}
	changes := make([]tree.Change, 0, len(files))
	for _, f := range files {
		changes = append(changes, tree.Change{Path: f.Path, Previous: f.Previous})
		s.Changed = append(s.Changed, f.Path)
		if f.Previous != "" {
			s.Changed = append(s.Changed, f.Previous)
		}
	}
	headFS, err := l.snap.Head(ctx)
	if err == nil {
		var baseFS fs.FS
		if baseFS, err = l.snap.MergeBase(ctx); err == nil {
			part, err = l.examine(ctx, s, headFS, baseFS, changes)
			return s, part, err
		}
	}
	if errors.Is(err, pull.ErrTooLarge) {
		s.fail("The tree could not be read: " + err.Error() + ".")
		return s, true, nil
	}
	return nil, false, fmt.Errorf("read the trees: %w", err)
}

// examine plans and reviews.
func (l *look) examine(ctx context.Context, s *study, headFS, baseFS fs.FS, changes []tree.Change) (part bool, err error) {
	head, err := loadTree(headFS)
	if err != nil {
		return false, fmt.Errorf("read the head's tree: %w", err)
	}
	before, err := loadTree(baseFS)
	if err != nil {
		return false, fmt.Errorf("read the merge base's tree: %w", err)
	}
	if head == nil && before == nil && !l.policy.present {
		return false, nil
	}
	s.Plan = *tree.MakePlan(head, before, changes)
	// Moved elsewhere they would pass unseen; a file that stays behind keeps the folder.
	s.Removed = !kernels(head) && kernels(before)
	if head == nil {
		return true, nil
	}
	changed := map[string]bool{}
	for _, p := range s.Changed {
		changed[p] = true
	}
	s.Kernels = map[string]kernelFacts{}
	for _, p := range s.Plan.Kernels {
		k := head.Kernel(kernelID(p))
		if k == nil {
			return false, fmt.Errorf("planned kernel %s: not in the head's tree", kernelID(p))
		}
		if changed[k.Test] {
			s.Harness = "head"
		}
		s.Kernels[head.JobName(k)] = factsOf(head, before, k)
	}
	if s.Contents, err = l.contents(ctx, s, head); err != nil {
		return false, fmt.Errorf("name the content: %w", err)
	}
	severities := make(map[string]review.Severity, len(l.policy.Rules))
	for id, severity := range l.policy.Rules {
		severities[id] = review.Severity(severity)
	}
	s.Report, err = l.inTime(ctx, review.Options{
		Head: headFS, Base: baseFS, Rules: l.App.Rules, Severities: severities, Version: l.Version,
	})
	var crash *rules.Crash
	switch {
	case errors.As(err, &crash):
		// To try again would end the same way.
		l.Log.Error("the static review panicked", "target", l.t.Key, "head", l.info.HeadSHA, "error", crash, "stack", string(crash.Stack))
		s.fail("The static review could not be carried out: " + crash.Error() + ".")
		return true, nil
	case errors.Is(err, errSlowReview):
		l.Log.Error("the static review took too long", "target", l.t.Key, "head", l.info.HeadSHA, "limit", l.ReviewLimit)
		s.fail(fmt.Sprintf("The static review was not done after %s and was given up: a file of the change takes too long to read, or the server has too much to do.", l.ReviewLimit))
		return true, nil
	case err != nil:
		return false, fmt.Errorf("static review: %w", err)
	}
	// A file that nobody can read was so before, or is part of this change.
	unread := s.Report.Summary.Unread[:0]
	for _, u := range s.Report.Summary.Unread {
		if changed[u.Path] {
			unread = append(unread, u)
		}
	}
	s.Report.Summary.Unread = unread
	return true, nil
}

// errSlowReview says that a review took longer than App.ReviewLimit.
var errSlowReview = errors.New("the review took too long")

// fail records why there is no review. Nothing is sent to a runner then.
func (s *study) fail(why string) {
	s.Failure, s.Report = why, nil
	s.Plan = tree.Plan{Schema: tree.PlanSchema, Rules: true}
}

// inTime reviews, and gives a review up that takes too long. It cannot be stopped inside
// a rule: it runs on until it comes to the end of that rule, and nobody waits for it.
func (l *look) inTime(ctx context.Context, o review.Options) (*review.Report, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.ReviewLimit, errSlowReview)
	defer cancel()
	type outcome struct {
		report *review.Report
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		report, err := review.Run(ctx, o)
		done <- outcome{report, err}
	}()
	select {
	case out := <-done:
		if out.err != nil && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return out.report, out.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// maxAnalysis bounds an analysis.json that is kept.
const maxAnalysis = 256 << 10

// factsOf gathers what is needed of a kernel later. What it is measured against
// follows the base's declaration while there is one: a change may not choose an
// easier reference for itself.
func factsOf(head, before *tree.Tree, k *tree.Kernel) kernelFacts {
	f := kernelFacts{ID: k.ID(), Test: k.Test}
	f.Analysis, f.Reference = declaration(head, k)
	if before != nil {
		if old := before.Kernel(k.ID()); old != nil {
			if _, reference := declaration(before, old); reference != "" {
				f.Reference = reference
			}
		}
	}
	return f
}

// declaration is a kernel's analysis.json and the reference backend in it.
func declaration(t *tree.Tree, k *tree.Kernel) (data []byte, reference string) {
	for _, p := range []string{path.Join(k.Dir, "reference/analysis.json"), path.Join(k.Dir, "analysis.json")} {
		data, err := t.Bytes(p)
		if err != nil || len(data) > maxAnalysis {
			continue
		}
		d, _ := analysis.Parse(data)
		return data, d.ReferenceBackend
	}
	return nil, ""
}

// loadTree is nil for a tree of another layout.
func loadTree(fsys fs.FS) (*tree.Tree, error) {
	if fsys == nil {
		return nil, nil
	}
	t, err := tree.Load(fsys, nil)
	if errors.Is(err, tree.ErrNoKernels) {
		return nil, nil
	}
	return t, err
}

// kernels reports whether a tree has any.
func kernels(t *tree.Tree) bool { return t != nil && len(t.Kernels) > 0 }

// kernelID is the name by which a tree knows a planned kernel.
func kernelID(p tree.PlannedKernel) string {
	if p.Suite == "" {
		return p.Name
	}
	return p.Suite + "/" + p.Name
}

// kernels are the names of the planned kernels, as requests and jobs know them.
func (s *study) kernels() []string {
	return slices.Sorted(maps.Keys(s.Kernels))
}

// fill tells the gate what the study found.
func (s *study) fill(in *gate.Input) {
	in.Rules = gate.Rules{State: gate.RulesDone}
	in.Integrity = gate.Integrity{State: gate.IntegrityDone}
	if s.Failure != "" {
		in.Rules = gate.Rules{State: gate.RulesFailed, Why: untrusted.Text(s.Failure)}
		return
	}
	in.Plan = gate.Plan{State: gate.PlanNothing, Why: untrusted.Text(s.Plan.Sentence)}
	if s.Removed {
		in.Rules = gate.Rules{State: gate.RulesNothing, Why: "The change removes every cutile-rs kernel from the folders that are known here, so that nothing is left to review."}
		return
	}
	if s.Plan.GPU {
		in.Plan = gate.Plan{State: gate.PlanGPU, Kernels: s.kernels()}
	}
	if s.Report == nil {
		return
	}
	for _, u := range s.Report.Summary.Unread {
		in.Rules.Unread = append(in.Rules.Unread, gate.Unread{Path: untrusted.Text(u.Path), Why: untrusted.Text(u.Why)})
	}
	for _, f := range s.Report.Findings {
		if !f.New {
			continue
		}
		finding := gate.Finding{Rule: f.Rule, Path: untrusted.Text(f.Path), Line: f.Line, Title: untrusted.Text(f.Message), Fingerprint: f.Fingerprint}
		switch {
		case f.Waits:
			in.Integrity.Findings = append(in.Integrity.Findings, finding)
		case f.Severity == review.Error:
			in.Rules.Errors = append(in.Rules.Errors, finding)
		}
	}
}
