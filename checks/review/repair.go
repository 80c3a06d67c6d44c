package review

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"github.com/tilegate/tilegate/checks/memfs"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// maxRounds bounds the rounds of Repair. Only a tree with very many
// overlapping fixes needs more than a few.
const maxRounds = 100

// Repaired is a checkout after its safe fixes.
type Repaired struct {
	// Files are the files that the fixes change, by path.
	Files []RepairedFile
	// Dropped are fixes that were offered and not applied.
	Dropped []Dropped
	// Left is the review of the repaired tree.
	Left *Report
}

// RepairedFile is one file before and after its fixes, byte-order mark and line
// ends included. Edits counts the places that were changed.
type RepairedFile struct {
	Path          string
	Before, After []byte
	Edits         int
	Rules         []string // whose fixes these are, in order
}

// Dropped is a fix that was not applied, and why. Line is that of the
// repaired tree.
type Dropped struct {
	Rule, Path  string
	Line        int
	Description string
	Why         string
}

// Repair applies the safe fixes of a checkout's findings, in rounds, until no
// fix is left that can be applied; only limits it to rules of these IDs, empty
// means all. A fix is applied when the edited file can be parsed and the
// edited tree, reviewed with all rules of the options, has the diagnostic no
// more and no new one in the edited text. With a base only the fixes of findings
// that are new are applied. The kernels of the options are not used.
func Repair(ctx context.Context, o Options, only []string) (*Repaired, error) {
	w := &workshop{o: o, only: only}
	if err := w.lookAtBase(ctx); err != nil {
		return nil, err
	}
	first, err := w.look(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	out, lost, err := w.repair(ctx, first)
	if err != nil || len(lost) == 0 {
		return out, err
	}
	// Of two fixes for one place the first took the other's text away: the other way
	// round both may hold.
	w.smallFirst = true
	again, stillLost, err := w.repair(ctx, first)
	if err != nil {
		return nil, err
	}
	if len(stillLost)+len(again.Dropped) < len(lost)+len(out.Dropped) {
		out, lost = again, stillLost
	}
	out.Dropped = append(out.Dropped, lost...)
	return out, nil
}

// repair applies what fixes it can from one state on. lost are fixes that other ones
// made impossible.
func (w *workshop) repair(ctx context.Context, first *state) (out *Repaired, lost []Dropped, err error) {
	w.undone = map[string]bool{}
	out = &Repaired{}
	history := []*state{first}
	for range maxRounds {
		next, dropped, err := w.round(ctx, history[len(history)-1])
		if err != nil {
			return nil, nil, err
		}
		out.Dropped = dropped
		if next == nil {
			break
		}
		// Two fixes that undo each other would go round for ever: back to where
		// it began, without the fix that began it.
		if i := slices.IndexFunc(history, next.same); i >= 0 {
			cause := append(history, next)[i+1]
			for _, p := range cause.applied {
				for _, h := range p.offers {
					w.undone[offerKey(h)] = true
				}
			}
			history = history[:i+1]
			continue
		}
		history = append(history, next)
	}
	now := history[len(history)-1]
	findings, _ := group(now.hits, w.older(now))
	out.Left = w.o.report(now.tree, now.tree.Kernels, findings)
	out.Files = repaired(history)
	return out, w.lost(first, now), nil
}

// repaired sums up the patches that led to the last state.
func repaired(history []*state) []RepairedFile {
	files := map[string]*RepairedFile{}
	for _, s := range history {
		for _, p := range s.applied {
			f := files[p.file.Path]
			if f == nil {
				f = &RepairedFile{Path: p.file.Path, Before: whole(p.file, p.file.Src)}
				files[p.file.Path] = f
			}
			f.After = p.content
			f.Edits += len(p.edits)
			for _, h := range p.offers {
				f.Rules = append(f.Rules, h.rule.ID)
			}
			slices.SortFunc(f.Rules, rules.Compare)
			f.Rules = slices.Compact(f.Rules)
		}
	}
	var out []RepairedFile
	for _, p := range slices.Sorted(maps.Keys(files)) {
		if f := files[p]; !bytes.Equal(f.Before, f.After) {
			out = append(out, *f)
		}
	}
	return out
}

// workshop is one Repair.
type workshop struct {
	o      Options
	only   []string
	base   *tree.Tree // nil without one
	before []hit      // of the base
	// undone are fixes, by offerKey, that other fixes undo.
	undone map[string]bool
	// smallFirst says that of fixes for one place the one with the least text goes first,
	// and not that of the first diagnostic.
	smallFirst bool
}

// lookAtBase reviews the base, if there is one.
func (w *workshop) lookAtBase(ctx context.Context) error {
	if w.o.Base == nil {
		return nil
	}
	base, err := tree.Load(w.o.Base, nil)
	if errors.Is(err, tree.ErrNoKernels) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("base: %w", err)
	}
	found, err := runRules(ctx, w.o, base, nil, base.Kernels)
	w.base, w.before = base, found.open
	return errors.Join(err, base.Err())
}

// older are the hits of a state that the base has, too, by their index.
func (w *workshop) older(s *state) map[int]bool {
	if w.base == nil {
		return nil
	}
	return known(s.hits, w.before, s.tree, w.base)
}

// offerKey names a fix within one state of the tree.
func offerKey(h hit) string {
	return fmt.Sprint(h.rule.ID, "\x00", h.File.Path, "\x00", h.Span, h.Fix.Edits)
}

// state is a tree with its diagnostics.
type state struct {
	tree    *tree.Tree
	changed map[string][]byte // content that differs from the checkout
	hits    []hit
	unread  map[string]bool
	applied []patch // that led here from the state before
}

// same reports whether two states are of the same content.
func (s *state) same(o *state) bool {
	return maps.EqualFunc(s.changed, o.changed, bytes.Equal)
}

// patch is the edits of one file that are made together.
type patch struct {
	file    *syntax.File
	edits   []rules.TextEdit // in order, apart from each other
	offers  []hit            // whose fixes they are
	content []byte           // afterwards
}

// look reviews the tree with some files replaced.
func (w *workshop) look(ctx context.Context, changed map[string][]byte, before *tree.Tree) (*state, error) {
	if w.o.Progress != nil {
		w.o.Progress(fmt.Sprintf("reviewing with %d files changed", len(changed)))
	}
	over := overlay{FS: w.o.Head, changed: &memfs.FS{}}
	for p, data := range changed {
		over.changed.Add(p, data)
	}
	t, err := tree.Load(over, before)
	if err != nil {
		return nil, err
	}
	if err := parseAll(ctx, t, t.Kernels); err != nil {
		return nil, err
	}
	s := &state{tree: t, changed: changed, unread: map[string]bool{}}
	found, err := runRules(ctx, w.o, t, w.base, t.Kernels)
	if err != nil {
		return nil, err
	}
	s.hits = found.open
	for _, f := range t.Read() {
		if f.Unread != "" {
			s.unread[f.Path] = true
		}
	}
	return s, nil
}

// overlay is a file system with some files replaced.
type overlay struct {
	fs.FS
	changed *memfs.FS
}

// Open opens the replacement, if there is one.
func (o overlay) Open(name string) (fs.File, error) {
	if info, err := o.changed.Stat(name); err == nil && info.Mode().IsRegular() {
		return o.changed.Open(name)
	}
	return o.FS.Open(name)
}

// round applies as many fixes as it can at once; nil when there are none. The
// fixes that fail by themselves are dropped.
func (w *workshop) round(ctx context.Context, now *state) (*state, []Dropped, error) {
	offers, undone := w.offers(now)
	var dropped []Dropped
	drop := func(h hit, why string) {
		dropped = append(dropped, Dropped{h.rule.ID, h.File.Path, h.File.Position(h.Span.Start).Line, h.Fix.Description, why})
	}
	for _, h := range undone {
		drop(h, "another fix undoes it")
	}
	if len(offers) == 0 {
		return nil, dropped, nil
	}
	next, _, err := w.try(ctx, now, offers)
	if next != nil || err != nil {
		return next, dropped, err
	}
	var good []hit
	var first *state
	for _, h := range offers {
		next, why, err := w.try(ctx, now, []hit{h})
		if err != nil {
			return nil, nil, err
		}
		if next == nil {
			drop(h, why)
			continue
		}
		if good = append(good, h); first == nil {
			first = next
		}
	}
	if len(good) < 2 || len(good) == len(offers) {
		return first, dropped, nil
	}
	next, _, err = w.try(ctx, now, good)
	if next == nil {
		next = first // they do not go together: one now, the others next round
	}
	return next, dropped, err
}

// offers lists the diagnostics with a fix, those that are undone apart. What the
// base has, too, is not offered.
func (w *workshop) offers(s *state) (out, undone []hit) {
	older := w.older(s)
	for i, h := range s.hits {
		switch {
		case older[i] || h.Fix == nil || len(h.Fix.Edits) == 0 || len(w.only) > 0 && !slices.Contains(w.only, h.rule.ID):
		case w.undone[offerKey(h)]:
			undone = append(undone, h)
		default:
			out = append(out, h)
		}
	}
	return out, undone
}

// lost are fixes that were offered at first and that nothing offers any more though
// their diagnostics are left: other fixes changed the text around them. Those without a
// fix are counted by rule and file, as nothing else of a place stays the same.
func (w *workshop) lost(before, now *state) []Dropped {
	type place struct{ rule, file string }
	each := func(s *state, take func(place, hit)) {
		older := w.older(s)
		for i, h := range s.hits {
			if !older[i] && (len(w.only) == 0 || slices.Contains(w.only, h.rule.ID)) {
				take(place{h.rule.ID, h.File.Path}, h)
			}
		}
	}
	bare, offered := map[place]int{}, map[place][]string{}
	each(before, func(p place, h hit) {
		if h.Fix == nil {
			bare[p]++
		} else {
			offered[p] = append(offered[p], h.Fix.Description)
		}
	})
	var out []Dropped
	each(now, func(p place, h hit) {
		if h.Fix != nil {
			return
		}
		if bare[p]--; bare[p] < 0 && len(offered[p]) > 0 {
			out = append(out, Dropped{p.rule, p.file, h.File.Position(h.Span.Start).Line, offered[p][0], "another fix changed the text around it, and it has none any more"})
			offered[p] = offered[p][1:]
		}
	})
	return out
}

// try applies fixes, those that overlap an earlier one left out, and reviews
// the result; nil with the reason when it is not better.
func (w *workshop) try(ctx context.Context, now *state, offers []hit) (*state, string, error) {
	if w.smallFirst {
		offers = slices.Clone(offers)
		slices.SortStableFunc(offers, func(a, b hit) int { return cmp.Compare(extent(a.Fix), extent(b.Fix)) })
	}
	patches, why := plan(offers)
	if why != "" {
		return nil, why, nil
	}
	changed := map[string][]byte{}
	for p, data := range now.changed {
		changed[p] = data
	}
	for i := range patches {
		p := &patches[i]
		if why := p.apply(); why != "" {
			return nil, why, nil
		}
		changed[p.file.Path] = p.content
		// So that equal states have equal maps.
		if old, err := fs.ReadFile(w.o.Head, p.file.Path); err == nil && bytes.Equal(old, p.content) {
			delete(changed, p.file.Path)
		}
	}
	next, err := w.look(ctx, changed, now.tree)
	if err != nil {
		return nil, "", err
	}
	next.applied = patches
	if why := judge(now, next); why != "" {
		return nil, why, nil
	}
	return next, "", nil
}

// hull is what a fix's edits, in any order, enclose.
func hull(f *rules.Fix) syntax.Span {
	out := f.Edits[0].Span
	for _, e := range f.Edits[1:] {
		out.Start, out.End = min(out.Start, e.Span.Start), max(out.End, e.Span.End)
	}
	return out
}

// extent is how many bytes a fix's edits enclose.
func extent(f *rules.Fix) int { h := hull(f); return h.End - h.Start }

// plan joins fixes into one patch a file. A fix whose edits touch or enclose
// those of an earlier one waits for another round; equal fixes are one.
func plan(offers []hit) (patches []patch, why string) {
	taken := map[string][]syntax.Span{}
	at := map[string]int{}
	for _, h := range offers {
		edits := slices.Clone(h.Fix.Edits)
		slices.SortStableFunc(edits, func(a, b rules.TextEdit) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
		for i, e := range edits {
			if i > 0 && e.Span.Start < edits[i-1].Span.End || e.Span.Start < 0 || e.Span.End < e.Span.Start || e.Span.End > len(h.File.Src) {
				return nil, "its edits overlap each other"
			}
		}
		i, known := at[h.File.Path]
		if known && slices.ContainsFunc(patches[i].offers, func(o hit) bool { return slices.Equal(o.Fix.Edits, h.Fix.Edits) }) {
			patches[i].offers = append(patches[i].offers, h)
			continue
		}
		whole := hull(h.Fix)
		if slices.ContainsFunc(taken[h.File.Path], func(s syntax.Span) bool { return s.Start <= whole.End && whole.Start <= s.End }) {
			continue
		}
		taken[h.File.Path] = append(taken[h.File.Path], whole)
		if !known {
			i = len(patches)
			at[h.File.Path] = i
			patches = append(patches, patch{file: h.File})
		}
		patches[i].edits = append(patches[i].edits, edits...)
		patches[i].offers = append(patches[i].offers, h)
	}
	return patches, ""
}

// apply makes the content after the edits, or says why it is not acceptable.
func (p *patch) apply() (why string) {
	if p.file.Unread != "" {
		return "the file could not be read as a whole: " + p.file.Unread
	}
	slices.SortFunc(p.edits, func(a, b rules.TextEdit) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	var out []byte
	at := 0
	for i := range p.edits {
		e := &p.edits[i]
		e.New = newlines(p.file, e.New)
		out = append(append(out, p.file.Src[at:e.Span.Start]...), e.New...)
		at = e.Span.End
	}
	out = append(out, p.file.Src[at:]...)
	if string(out) == string(p.file.Src) {
		return "it changes nothing"
	}
	p.content = whole(p.file, out)
	return unparsable(p.file.Path, out)
}

// whole is a file's content with its byte-order mark.
func whole(f *syntax.File, src []byte) []byte {
	if f.BOM {
		return append([]byte("\xef\xbb\xbf"), src...)
	}
	return src
}

// unparsable says why an edited file cannot be parsed.
func unparsable(p string, src []byte) string {
	var err error
	switch path.Ext(p) {
	case ".rs":
		if f := syntax.Parse(p, syntax.Rust, src); f.Unread != "" {
			err = fmt.Errorf("%s", f.Unread)
		}
	case ".py":
		if f := syntax.Parse(p, syntax.Python, src); f.Unread != "" {
			err = fmt.Errorf("%s", f.Unread)
		}
	case ".toml":
		err = toml.Unmarshal(src, new(map[string]any))
	case ".json":
		err = json.Unmarshal(src, new(any))
	default:
		err = fmt.Errorf("nothing parses %s files", path.Ext(p))
	}
	if err != nil {
		return "the edited file cannot be parsed: " + err.Error()
	}
	return ""
}

// judge says why a state is not better than the one before; empty when it is.
// What a fix lets other rules see in text that it did not touch is no fault of
// the fix.
func judge(before, after *state) string {
	for p := range after.unread {
		if !before.unread[p] {
			return fmt.Sprintf("%s cannot be read afterwards", p)
		}
	}
	for _, p := range after.applied {
		for _, h := range p.offers {
			if p.count(after.hits, h, p.moved(h.Span)) > p.count(before.hits, h, h.Span)-p.count(p.offers, h, h.Span) {
				return fmt.Sprintf("%s still finds something at the place afterwards", h.rule.ID)
			}
		}
		was, is := map[string]int{}, map[string]int{}
		for _, e := range p.edits {
			at := p.moved(e.Span)
			p.touching(before.hits, e.Span, was)
			p.touching(after.hits, syntax.Span{Start: at.Start, End: at.Start + len(e.New)}, is)
		}
		for id, n := range is {
			if n > was[id] {
				return fmt.Sprintf("the edited text breaks %s", id)
			}
		}
	}
	return ""
}

// moved is where a span is after the edits: it grows and shrinks with those
// inside and moves with those before.
func (p *patch) moved(s syntax.Span) syntax.Span {
	at := s
	for _, e := range p.edits {
		grown := len(e.New) - (e.Span.End - e.Span.Start)
		switch {
		case e.Span.End <= s.Start && e.Span != s:
			at.Start += grown
		case e.Span.Start < s.Start:
			at.Start += e.Span.Start - s.Start
		}
		if e.Span.Start < s.End {
			at.End += grown
		}
	}
	at.End = max(at.Start, at.End)
	return at
}

// count counts the diagnostics of h's kind inside a span of the file.
func (p *patch) count(hits []hit, h hit, s syntax.Span) (n int) {
	for _, o := range hits {
		if o.rule == h.rule && o.Construct == h.Construct && o.File.Path == h.File.Path && s.Contains(o.Span) {
			n++
		}
	}
	return n
}

// touching counts by rule the diagnostics, notes aside, that share text with a
// span of the file.
func (p *patch) touching(hits []hit, s syntax.Span, by map[string]int) {
	for _, o := range hits {
		if o.Severity != Note && o.File.Path == p.file.Path && o.Span.Start <= s.End && s.Start <= o.Span.End {
			by[o.rule.ID]++
		}
	}
}
