package worker

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tilegate/tilegate/bot/commands"
	"github.com/tilegate/tilegate/bot/outbox"
	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/bot/trust"
)

// deliver acts on one stored delivery: it records what the event tells and
// queues looks at the targets that it concerns, in one transaction. Doing it
// twice does no harm.
func (a *App) deliver(ctx context.Context, guid string) error {
	d, err := a.Store.Delivery(ctx, guid)
	if err != nil {
		return fmt.Errorf("delivery %s: %w", guid, err)
	}
	if !d.Handled.IsZero() {
		return nil
	}
	e, err := parseEvent(d.Payload)
	if err != nil {
		a.Log.Warn("delivery cannot be read", "guid", guid, "event", d.Event, "error", err)
		return a.Store.FinishDelivery(ctx, guid, "cannot be read: "+err.Error())
	}
	var outcome string
	err = a.Store.Update(ctx, func(tx *store.Tx) error {
		outcome = "nothing to do"
		h := handler{App: a, tx: tx, guid: guid, arrived: d.Received, e: e, repo: e.Repository.FullName, why: new(string)}
		targets, err := h.route(ctx, d.Event)
		if err != nil {
			return err
		}
		for _, key := range targets {
			if err := a.queue.addLook(ctx, tx, key, depthOf(d.Event)); err != nil {
				return err
			}
		}
		if *h.why != "" {
			outcome += ": " + *h.why
		}
		if len(targets) > 0 {
			outcome = "look at " + strings.Join(targets, ", ")
		}
		return tx.FinishDelivery(ctx, guid, outcome)
	})
	if err != nil {
		return fmt.Errorf("delivery %s of %s: %w", guid, d.Event, err)
	}
	a.outbox.Wake()
	a.Log.Info("delivery handled", "guid", guid, "event", d.Event, "action", d.Action, "outcome", outcome)
	return nil
}

// depthOf says how much an event calls for: one about a run changes nothing
// but that run.
func depthOf(event string) depth {
	if event == "workflow_run" || event == "workflow_job" {
		return poll
	}
	return full
}

// handler acts on one event within a transaction.
type handler struct {
	*App
	tx   *store.Tx
	guid string
	// arrived is when GitHub sent the event. Deliveries are handled side by side,
	// so only this tells which came first.
	arrived time.Time
	e       event
	repo    string
	why     *string // there is nothing to do
}

// nothing says why an event concerns no target.
func (h handler) nothing(format string, args ...any) ([]string, error) {
	*h.why = fmt.Sprintf(format, args...)
	return nil, nil
}

// route returns the targets to look at.
func (h handler) route(ctx context.Context, name string) ([]string, error) {
	if h.repo != "" && h.e.Installation.ID != 0 {
		if err := h.tx.SaveRepo(ctx, h.repo, h.e.Installation.ID); err != nil {
			return nil, err
		}
	}
	switch name {
	case "installation", "installation_repositories":
		h.Forget(h.e.Installation.ID)
		if h.e.Action != "deleted" && h.e.Action != "suspend" {
			h.Sweep()
		}
		return nil, h.tx.ReleaseInstallation(ctx, h.e.Installation.ID)
	}
	if h.repo == "" || h.e.Installation.ID == 0 {
		return h.nothing("the payload names no repository or no installation")
	}
	switch name {
	case "pull_request":
		return h.pullRequest(ctx)
	case "issue_comment":
		return h.comment(ctx)
	case "check_run":
		return h.checkRun(ctx)
	case "check_suite":
		return h.checkSuite(ctx)
	case "workflow_run":
		return h.workflowRun(ctx)
	case "workflow_job":
		return h.workflowJob(ctx)
	case "merge_group":
		return h.mergeGroup(ctx)
	case "push":
		return h.push(ctx)
	}
	return h.nothing("the App does not act on %s", name)
}

func (h handler) pullRequest(ctx context.Context) ([]string, error) {
	p := h.e.PullRequest
	if p == nil {
		return h.nothing("the payload has no pull_request")
	}
	switch h.e.Action {
	case "opened", "synchronize", "reopened", "edited", "closed", "ready_for_review", "converted_to_draft":
	default:
		// Labels, assignments and the like.
		return h.nothing("%q changes no verdict", h.e.Action)
	}
	t := store.Target{
		Key: store.PullKey(h.repo, p.Number), Repo: h.repo, Installation: h.e.Installation.ID, Number: p.Number,
		HeadSHA: p.Head.SHA, BaseRef: p.Base.Ref, BaseSHA: p.Base.SHA, Author: p.User.Login, Open: true,
	}
	if err := h.tx.SaveTarget(ctx, t); err != nil {
		return nil, err
	}
	return []string{t.Key}, h.tx.HeadArrived(ctx, t, h.arrived)
}

// comment records the commands of a new comment. An edit or a deletion never
// runs anything.
func (h handler) comment(ctx context.Context) ([]string, error) {
	c := h.e.Comment
	switch {
	case h.e.Action != "created":
		return h.nothing("only a comment that is created is read, this one was %q", h.e.Action)
	case c == nil || h.e.Issue == nil:
		return h.nothing("the payload has no comment or no issue")
	case h.e.Issue.PullRequest == nil:
		return h.nothing("the comment is on an issue, not on a pull request")
	case trust.Ignored(c.User.Type, c.User.Login) || trust.Ignored(h.e.Sender.Type, h.e.Sender.Login):
		return h.nothing("bots are not obeyed")
	}
	parsed := commands.Parse(c.Body)
	if len(parsed) == 0 {
		return h.nothing("the comment holds no command")
	}
	key := store.PullKey(h.repo, h.e.Issue.Number)
	for _, command := range parsed {
		if err := h.addCommand(ctx, key, h.e.Issue.Number, c.ID, command.Line, c.User.Login, command.Text); err != nil {
			return nil, err
		}
	}
	to := outbox.To{Target: key, Installation: h.e.Installation.ID, Repo: h.repo}
	return []string{key}, outbox.AddReaction(ctx, h.tx, to, outbox.Reaction{CommentID: c.ID, Content: "eyes"})
}

// addCommand records one command with the head that is known now: what is
// pushed later was not seen by its writer.
func (h handler) addCommand(ctx context.Context, key string, number int, comment int64, line int, actor, text string) error {
	sha, err := h.tx.HeadAt(ctx, key, h.arrived)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if _, known := h.tx.Target(ctx, key); errors.Is(known, store.ErrNotFound) {
		// A pull request from before the App: the look will make it known.
		t := store.Target{Key: key, Repo: h.repo, Installation: h.e.Installation.ID, Number: number, Open: true}
		if err := h.tx.SaveTarget(ctx, t); err != nil {
			return err
		}
	}
	_, err = h.tx.AddCommand(ctx, h.repo, store.Command{CommentID: comment, Line: line, Number: number, Actor: actor, Text: text, HeadSHA: sha})
	return err
}

// button records a press of a button as the command that it stands for. The
// delivery identifies the press.
func (h handler) button(ctx context.Context, sha, text string) ([]string, error) {
	if trust.Ignored(h.e.Sender.Type, h.e.Sender.Login) {
		return h.nothing("bots are not obeyed")
	}
	keys, err := h.tx.TargetsOf(ctx, h.repo, sha)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(h.guid))
	press := -int64(binary.BigEndian.Uint64(sum[:8])>>1) - 1
	var open []string
	for _, key := range keys {
		t, err := h.tx.Target(ctx, key)
		if err != nil {
			return nil, err
		}
		if !t.Open || t.HeadSHA != sha {
			continue
		}
		open = append(open, key)
		if t.Number == 0 {
			if err := h.addMergeGroupCommand(ctx, t, press, text); err != nil {
				return nil, err
			}
			continue
		}
		if err := h.addCommand(ctx, key, t.Number, press, t.Number, h.e.Sender.Login, text); err != nil {
			return nil, err
		}
	}
	if len(open) == 0 {
		return h.nothing("%.7s is the head of no open pull request or merge group that is known", sha)
	}
	return open, nil
}

// addMergeGroupCommand records a press on a merge group's check run.
func (h handler) addMergeGroupCommand(ctx context.Context, t store.Target, press int64, text string) error {
	_, err := h.tx.AddCommand(ctx, t.Key, store.Command{CommentID: press, Actor: h.e.Sender.Login, Text: text, HeadSHA: t.HeadSHA})
	return err
}

// buttons are the commands behind the identifiers of a check run's buttons.
var buttons = map[string]string{
	"rerun_failed":      "/tilegym rerun failed",
	"rerun_build":       "/tilegym rerun build",
	"rerun_correctness": "/tilegym rerun correctness",
	"rerun_perf":        "/tilegym rerun perf",
}

func (h handler) checkRun(ctx context.Context) ([]string, error) {
	c := h.e.CheckRun
	if c == nil || c.App.ID != h.AppID {
		return h.nothing("the check run is not the App's")
	}
	switch h.e.Action {
	case "rerequested":
		return h.button(ctx, c.HeadSHA, rerunOf(c.Name))
	case "requested_action":
		text, ok := buttons[h.e.RequestedAction.Identifier]
		if !ok {
			return h.nothing("no button of the App is called %q", h.e.RequestedAction.Identifier)
		}
		return h.button(ctx, c.HeadSHA, text)
	}
	return h.nothing("nobody asked for something: the check run was %q", h.e.Action)
}

// rerunOf is the command behind GitHub's own Re-run of a check run.
func rerunOf(check string) string {
	if stage, ok := report.StageOf(check); ok {
		return "/tilegym rerun " + string(stage)
	}
	if check == report.CheckRules {
		return "/tilegym rerun rules"
	}
	return "/tilegym rerun all"
}

func (h handler) checkSuite(ctx context.Context) ([]string, error) {
	c := h.e.CheckSuite
	if c == nil || c.App.ID != h.AppID {
		return h.nothing("the check suite is not the App's")
	}
	if h.e.Action != "rerequested" {
		return h.nothing("nobody asked for something: the check suite was %q", h.e.Action)
	}
	return h.button(ctx, c.HeadSHA, "/tilegym rerun all")
}

// workflowRun finds the target of a run by our own record of the dispatch,
// else by the run's name or commit: the payload's list of pull requests is
// empty for forks.
func (h handler) workflowRun(ctx context.Context) ([]string, error) {
	r := h.e.WorkflowRun
	if r == nil {
		return h.nothing("the payload has no workflow_run")
	}
	d, err := h.tx.DispatchOfRun(ctx, h.repo, r.ID)
	if errors.Is(err, store.ErrNotFound) {
		id, _ := strings.CutPrefix(r.DisplayTitle, "tilegate ")
		d, err = h.tx.Dispatch(ctx, id)
	}
	if errors.Is(err, store.ErrNotFound) {
		return h.openTargetsOf(ctx, r.HeadSHA)
	}
	if err != nil || d.Repo != h.repo {
		return nil, err
	}
	if h.e.Action == "completed" && r.Conclusion != "cancelled" && d.State == store.DispatchCancelled {
		if err := h.tx.SetLate(ctx, d.ID, true); err != nil {
			return nil, err
		}
	}
	return []string{d.Target}, nil
}

func (h handler) openTargetsOf(ctx context.Context, sha string) ([]string, error) {
	keys, err := h.tx.TargetsOf(ctx, h.repo, sha)
	if err != nil {
		return nil, err
	}
	var open []string
	for _, key := range keys {
		t, err := h.tx.Target(ctx, key)
		if err != nil {
			return nil, err
		}
		if t.Open {
			open = append(open, key)
		}
	}
	if len(open) == 0 {
		return h.nothing("the App did not ask for the run, and nothing open is known at its commit")
	}
	return open, nil
}

func (h handler) workflowJob(ctx context.Context) ([]string, error) {
	if h.e.WorkflowJob == nil {
		return h.nothing("the payload has no workflow_job")
	}
	d, err := h.tx.DispatchOfRun(ctx, h.repo, h.e.WorkflowJob.RunID)
	if errors.Is(err, store.ErrNotFound) {
		return h.nothing("the App did not ask for the run")
	}
	return []string{d.Target}, err
}

func (h handler) mergeGroup(ctx context.Context) ([]string, error) {
	m := h.e.MergeGroup
	if m == nil || m.HeadSHA == "" {
		return h.nothing("the payload has no merge_group with a head_sha")
	}
	t := store.Target{
		Key: store.CommitKey(h.repo, m.HeadSHA), Repo: h.repo, Installation: h.e.Installation.ID, HeadSHA: m.HeadSHA,
		BaseRef: strings.TrimPrefix(m.BaseRef, "refs/heads/"), BaseSHA: m.BaseSHA, Open: h.e.Action != "destroyed",
		Pull: pullOfQueue(m.HeadRef),
	}
	return []string{t.Key}, h.tx.SaveTarget(ctx, t)
}

// queueBranch is the name that GitHub gives to the branch of a merge group.
var queueBranch = regexp.MustCompile(`^refs/heads/gh-readonly-queue/.+/pr-([1-9][0-9]{0,8})-[0-9a-f]{40,64}$`)

// pullOfQueue is the pull request that a merge group's branch is named after, 0
// for another name.
func pullOfQueue(ref string) int {
	m := queueBranch.FindStringSubmatch(ref)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // the pattern admits small numbers only
	return n
}

// push looks again at what is judged against the branch: its configuration or
// merge base may have changed.
func (h handler) push(ctx context.Context) ([]string, error) {
	branch := h.e.branch()
	if branch == "" {
		return h.nothing("no branch was pushed")
	}
	open, err := h.tx.OpenTargets(ctx, h.repo)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, t := range open {
		if t.BaseRef == branch {
			keys = append(keys, t.Key)
		}
	}
	if len(keys) == 0 {
		return h.nothing("nothing open that is known is judged against %s", branch)
	}
	return keys, nil
}
