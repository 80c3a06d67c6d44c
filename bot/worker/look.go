package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tilegate/tilegate/bot/appauth"
	"github.com/tilegate/tilegate/bot/outbox"
	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/bot/trust"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// Results of looks, as the metric names them.
const (
	lookDone   = "done"
	lookFailed = "failed"
)

// lookAt looks at a target, again as long as something asked for it meanwhile.
// A look that fails is repeated after a growing time.
func (a *App) lookAt(ctx context.Context, key string, d depth) error {
	if !a.turns.begin(key, d) {
		return nil
	}
	for {
		started := a.Now()
		err := a.lookOnce(ctx, key, d)
		if ctx.Err() != nil {
			a.turns.leave(key)
			return ctx.Err()
		}
		result := lookDone
		if err != nil {
			result = lookFailed
		}
		a.metrics.looks.WithLabelValues(result).Observe(a.Now().Sub(started).Seconds())
		if err != nil {
			if err := a.postpone(ctx, key, err); err != nil {
				a.turns.leave(key)
				return err
			}
		}
		if d = a.turns.end(key); d == none {
			signal(a.clock)
			a.outbox.Wake()
			return nil
		}
	}
}

// postpone sets the time of the next look after a failed one.
func (a *App) postpone(ctx context.Context, key string, cause error) error {
	t, err := a.Store.Target(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	wait := min(time.Second<<min(t.Failures, 8), 5*time.Minute)
	if pause, ok := appauth.RetryAfter(cause, a.Now()); ok {
		wait = pause
	}
	a.Log.Warn("a look failed and will be repeated", "target", key, "failures", t.Failures+1, "in", wait, "error", cause)
	return a.Store.SaveLook(ctx, key, nil, t.Failures+1, a.Now().Add(wait), time.Time{})
}

// look is one evaluation of one target.
type look struct {
	*App
	t     store.Target
	to    outbox.To
	repo  pull.Repo
	snap  pull.Snapshot
	info  pull.Info
	roles map[string]role // answers of the permission API, asked once a look

	policy     policy
	study      *study
	trust      trust.Verdict
	dispatches []store.Dispatch // of this head, oldest first
	results    map[string][]store.Result
	reused     map[string][]store.Reused // by kernel and GPU class
	next       time.Time                 // of the next look at everything
	poll       time.Time                 // of the next look at runs under way
}

// role is an answer of the permission API.
type role struct {
	name string
	err  error
}

// lookOnce moves one target towards where it should be.
func (a *App) lookOnce(ctx context.Context, key string, d depth) error {
	t, err := a.Store.Target(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if hold, err := a.Store.InstallationHold(ctx, t.Installation); err != nil {
		return err
	} else if hold.After(a.Now()) {
		return a.Store.SaveLook(ctx, key, nil, t.Failures, hold, time.Time{})
	}
	l := &look{App: a, t: t, to: outbox.To{Target: key, Installation: t.Installation, Repo: t.Repo}, roles: map[string]role{}}
	l.repo.Installation = t.Installation
	l.repo.Owner, l.repo.Name, _ = strings.Cut(t.Repo, "/")
	if d == poll && t.Failures == 0 {
		moved, err := l.runsMoved(ctx)
		if err != nil || !moved {
			return err
		}
	}
	switch err := l.open(ctx); {
	case errors.Is(err, pull.ErrNotFound):
		return l.close(ctx, "it does not exist any more")
	case err != nil:
		return err
	}
	if err := l.obey(ctx); err != nil {
		return err
	}
	if l.info.Number > 0 && l.info.State != "open" || l.info.Number == 0 && !l.t.Open {
		return l.close(ctx, "it was closed")
	}
	if err := l.replaceOld(ctx); err != nil {
		return err
	}
	return l.evaluate(ctx)
}

// open takes the snapshot and records what it says about the target.
func (l *look) open(ctx context.Context) (err error) {
	if l.t.Number > 0 {
		l.snap, err = l.Reader.PullRequest(ctx, l.repo, l.t.Number)
	} else {
		l.snap, err = l.Reader.Commit(ctx, l.repo, l.t.HeadSHA, l.t.BaseRef)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", l.t.Key, err)
	}
	l.info = l.snap.Info()
	fresh := targetOf(l.info)
	fresh.Key, fresh.Installation, fresh.Open = l.t.Key, l.t.Installation, l.t.Open
	if l.t.Number > 0 {
		fresh.Open = l.info.State == "open"
	} else {
		fresh.BaseSHA = l.t.BaseSHA // the place in the queue, which only the event tells
	}
	l.t.HeadSHA, l.t.Open = fresh.HeadSHA, fresh.Open
	return l.Store.SaveTarget(ctx, fresh)
}

// evaluate decides and reports the state of the head.
func (l *look) evaluate(ctx context.Context) error {
	in := gate.Input{HeadSHA: l.info.HeadSHA, MergeGroup: l.info.Number == 0, Now: l.Now()}
	var err error
	if in.Config, err = l.readPolicy(ctx); err != nil {
		return err
	}
	if in.Config.State == gate.ConfigOK {
		part, err := l.review(ctx)
		if err != nil {
			return err
		}
		if !part {
			// Neither configuration nor layout: this repository never asked for a gate.
			return l.Store.SaveLook(ctx, l.t.Key, []byte("null"), 0, time.Time{}, time.Time{})
		}
		l.study.fill(&in)
		if err := l.runs(ctx, &in); err != nil {
			return err
		}
		if err := l.late(ctx); err != nil {
			return err
		}
		if in.Waivers, err = l.waivers(ctx); err != nil {
			return err
		}
	}
	return l.tell(ctx, gate.Evaluate(in))
}

// others are the other open targets with a commit as their head. GitHub keeps check runs by
// commit, so what is shown for one of them is shown for all.
func (l *look) others(ctx context.Context, sha string) ([]store.Target, error) {
	keys, err := l.Store.TargetsOf(ctx, l.t.Repo, sha)
	if err != nil {
		return nil, err
	}
	var out []store.Target
	for _, key := range keys {
		if key == l.t.Key {
			continue
		}
		t, err := l.Store.Target(ctx, key)
		if err != nil {
			return nil, err
		}
		if t.Open && t.HeadSHA == sha {
			out = append(out, t)
		}
	}
	return out, nil
}

// shared adds to a tree what the other targets of the commit are missing: a gate
// that is green for one base must not let the commit into another one.
func shared(tree gate.Node, others []store.Target) gate.Node {
	children := tree.Children
	for _, t := range others {
		var other gate.Node
		if json.Unmarshal(t.Tree, &other) != nil || other.Name == "" || other.Status == gate.Success {
			continue // not known yet, no part of it, or green as well
		}
		children = append(children, gate.Node{
			Name: untrusted.Text("pull request " + strconv.Itoa(t.Number)), Status: other.Status,
			Reason:  untrusted.Text(fmt.Sprintf("It has the same head, is to be merged into `%s`, and is not green.", t.BaseRef)),
			Unblock: untrusted.Text(fmt.Sprintf("what opens the gate of pull request %d, its end, or another head", t.Number)),
		})
	}
	if len(children) == len(tree.Children) {
		return tree
	}
	folded := gate.Fold(tree.Name, tree.Reason, children)
	folded.SHA = tree.SHA
	return folded
}

// tell puts everything that differs from what GitHub was told into the outbox.
func (l *look) tell(ctx context.Context, tree gate.Node) error {
	others, err := l.others(ctx, l.info.HeadSHA)
	if err != nil {
		return err
	}
	s, err := l.subject(ctx, shared(tree, others))
	if err != nil {
		return err
	}
	checks, err := report.Checks(s)
	if err != nil {
		return err
	}
	review, started, err := report.NewComments(s)
	if err != nil {
		return err
	}
	if review != nil {
		// The App's memory may be younger than its comments.
		if s.Threads, err = l.adopt(ctx, s.Threads); err != nil {
			return err
		}
		if review, started, err = report.NewComments(s); err != nil {
			return err
		}
	}
	edits, ended, err := report.Fixed(s)
	if err != nil {
		return err
	}
	encoded, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	return l.Store.Update(ctx, func(tx *store.Tx) error {
		for _, c := range checks {
			changed, err := outbox.PutCheck(ctx, tx, l.to, c)
			if err != nil {
				return err
			}
			if changed && c.Name == report.CheckGate {
				if err := l.lookAtOthers(ctx, tx, others); err != nil {
					return err
				}
			}
		}
		if review != nil {
			if err := outbox.AddReview(ctx, tx, l.to, *review); err != nil {
				return err
			}
		}
		for _, t := range append(started, ended...) {
			if err := tx.SaveThread(ctx, l.t.Repo, l.t.Number, t); err != nil {
				return err
			}
		}
		for _, e := range edits {
			if err := outbox.PutEdit(ctx, tx, l.to, e); err != nil {
				return err
			}
		}
		// A comment that is there follows the state, whatever it is.
		told, err := outbox.Commented(ctx, tx, l.to, report.StickyName)
		if err != nil {
			return err
		}
		if told || report.Worthwhile(s) {
			c, err := report.Sticky(s)
			if err != nil {
				return err
			}
			if _, err := outbox.PutComment(ctx, tx, l.to, report.StickyName, c); err != nil {
				return err
			}
		}
		return tx.SaveLook(ctx, l.t.Key, encoded, 0, l.next, l.poll)
	})
}

// subject gathers what the report tells.
func (l *look) subject(ctx context.Context, tree gate.Node) (report.Subject, error) {
	s := report.Subject{
		Target: l.t.Key, Number: l.info.Number, HeadSHA: l.info.HeadSHA, Tree: tree, Page: l.PageURL, Dispatch: l.newestDispatch(),
	}
	for _, d := range l.dispatches {
		for _, r := range l.results[d.ID] {
			s.Results = replaceResult(s.Results, report.Result{Result: r, HeadSHA: d.HeadSHA})
		}
	}
	for _, reused := range l.reused {
		for _, r := range reused {
			if !slices.ContainsFunc(s.Results, func(o report.Result) bool { return o.Stage == r.Stage && o.Kernel == r.Kernel && o.GPU == r.GPU }) {
				s.Results = append(s.Results, report.Result{Result: r.Result, HeadSHA: r.HeadSHA})
			}
		}
	}
	slices.SortStableFunc(s.Results, func(a, b report.Result) int {
		return cmp.Or(strings.Compare(a.Kernel, b.Kernel), strings.Compare(a.GPU, b.GPU))
	})
	if l.study == nil || l.info.Number == 0 {
		if l.study != nil {
			s.Review = l.study.Report
		}
		return s, nil
	}
	s.Review = l.study.Report
	var err error
	if s.Threads, err = l.Store.Threads(ctx, l.t.Repo, l.info.Number); err != nil {
		return s, err
	}
	if s.Measured, err = l.Store.MeasuredOf(ctx, l.t.Key); err != nil {
		return s, err
	}
	if report.Uncommented(s) {
		if s.Files, err = l.snap.Files(ctx); err != nil {
			return s, fmt.Errorf("read the changed files: %w", err)
		}
	}
	return s, nil
}

// replaceResult adds a result in place of an older one of the same job.
func replaceResult(all []report.Result, r report.Result) []report.Result {
	for i, old := range all {
		if old.Stage == r.Stage && old.Kernel == r.Kernel && old.GPU == r.GPU {
			all[i] = r
			return all
		}
	}
	return append(all, r)
}

// adopt adds the threads that are on GitHub and not in the store.
func (l *look) adopt(ctx context.Context, known []store.Thread) ([]store.Thread, error) {
	comments, err := l.Reader.ReviewComments(ctx, l.repo, l.info.Number)
	if err != nil {
		return nil, fmt.Errorf("read the App's review comments: %w", err)
	}
	have := map[string]bool{}
	for _, t := range known {
		have[t.Fingerprint] = true
	}
	for _, c := range comments {
		fingerprint, ok := report.FingerprintOf(c.Marker)
		if !ok || have[fingerprint] {
			continue
		}
		have[fingerprint] = true
		t := store.Thread{Fingerprint: fingerprint, HeadSHA: l.info.HeadSHA, Place: "line", CommentID: c.ID}
		if err := l.Store.SaveThread(ctx, l.t.Repo, l.info.Number, t); err != nil {
			return nil, err
		}
		known = append(known, t)
	}
	return known, nil
}

// lookAtOthers queues looks at targets whose check runs show what this one is
// missing.
func (l *look) lookAtOthers(ctx context.Context, tx *store.Tx, others []store.Target) error {
	for _, t := range others {
		if err := l.queue.addLook(ctx, tx, t.Key, full); err != nil {
			return err
		}
	}
	return nil
}

// leave makes the check runs of others the newest ones of a commit that this
// target leaves: GitHub goes by the newest of a name, and nobody corrects this
// target's any more.
func (l *look) leave(ctx context.Context, tx *store.Tx, sha string, others []store.Target) error {
	if len(others) == 0 {
		return nil
	}
	gone := false
	for _, name := range report.CheckNames {
		was, err := outbox.LeaveCheck(ctx, tx, l.to, name, sha)
		if err != nil {
			return err
		}
		gone = gone || was
		for _, t := range others {
			if !was {
				break
			}
			to := outbox.To{Target: t.Key, Installation: t.Installation, Repo: t.Repo}
			if err := outbox.RenewCheck(ctx, tx, to, name, sha); err != nil {
				return err
			}
		}
	}
	if !gone {
		return nil
	}
	return l.lookAtOthers(ctx, tx, others)
}

// settled reports whether a stored tree will not change by itself.
func settled(tree []byte) bool {
	if len(tree) == 0 {
		return false
	}
	var n gate.Node
	return json.Unmarshal(tree, &n) == nil && n.Status != gate.Pending
}

// role asks the permission API, once a look for each person.
func (l *look) role(ctx context.Context, login string) (string, error) {
	r, ok := l.roles[login]
	if !ok {
		r.name, r.err = l.Reader.Permission(ctx, l.repo, login)
		l.roles[login] = r
	}
	return r.name, r.err
}
