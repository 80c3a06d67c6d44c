package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Target is what a gate belongs to: a pull request, or a merge group (Number 0).
type Target struct {
	Key          string // owner/name#12 or owner/name@sha
	Repo         string // owner/name
	Installation int64
	Number       int
	HeadSHA      string
	BaseRef      string
	BaseSHA      string
	Author       string
	Open         bool
	Pull         int    // merge group: the pull request that it merges, 0 when not known
	Failures     int    // looks in a row that ended in an error
	Tree         []byte // the last gate tree as JSON, nil before the first look
}

// PullKey is the key of a pull request's target.
func PullKey(repo string, number int) string { return fmt.Sprintf("%s#%d", repo, number) }

// CommitKey is the key of a merge group's target.
func CommitKey(repo, sha string) string { return repo + "@" + sha }

const targetColumns = "key, repo, installation, number, head_sha, base_ref, base_sha, author, open, pull, failures, tree"

func scanTarget(scan func(...any) error) (Target, error) {
	var t Target
	err := scan(&t.Key, &t.Repo, &t.Installation, &t.Number, &t.HeadSHA, &t.BaseRef, &t.BaseSHA, &t.Author, &t.Open, &t.Pull, &t.Failures, &t.Tree)
	return t, err
}

// SaveTarget records a target's present state and that its head belongs to it.
// The times and the tree of a known target are kept.
func (q queries) SaveTarget(ctx context.Context, t Target) error {
	before, err := q.Target(ctx, t.Key)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	err = q.exec(ctx, `INSERT INTO targets (key, repo, installation, number, head_sha, base_ref, base_sha, author, open, updated, pull)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
		ON CONFLICT (key) DO UPDATE SET installation = ?3, head_sha = ?5, base_ref = ?6, base_sha = ?7, author = ?8, open = ?9, updated = ?10,
		pull = CASE WHEN ?11 > 0 THEN ?11 ELSE pull END`,
		t.Key, t.Repo, t.Installation, t.Number, t.HeadSHA, t.BaseRef, t.BaseSHA, t.Author, t.Open, q.stamp(), t.Pull)
	if err != nil || t.HeadSHA == "" {
		return err
	}
	if err := q.AddHead(ctx, t.Repo, t.HeadSHA, t.Key); err != nil || before.HeadSHA == t.HeadSHA {
		return err
	}
	// A head that was left and came back is the newest one again.
	return q.exec(ctx, "UPDATE heads SET received = ?4 WHERE repo = ?1 AND sha = ?2 AND target = ?3", t.Repo, t.HeadSHA, t.Key, q.stamp())
}

// Target reads one target.
func (q queries) Target(ctx context.Context, key string) (Target, error) {
	return one(ctx, q, scanTarget, "SELECT "+targetColumns+" FROM targets WHERE key = ?1", key)
}

// OpenTargets lists the targets that still need a gate. An empty repo means all.
func (q queries) OpenTargets(ctx context.Context, repo string) ([]Target, error) {
	return collect(ctx, q, scanTarget, "SELECT "+targetColumns+" FROM targets WHERE open = 1 AND (?1 = '' OR repo = ?1) ORDER BY key", repo)
}

// CloseTarget records that a target needs no gate any more.
func (q queries) CloseTarget(ctx context.Context, key string) error {
	return q.exec(ctx, "UPDATE targets SET open = 0, next_look = 0, next_poll = 0, updated = ?2 WHERE key = ?1", key, q.stamp())
}

// AddHead records that a commit was seen as the head of a target.
func (q queries) AddHead(ctx context.Context, repo, sha, target string) error {
	return q.exec(ctx, "INSERT INTO heads (repo, sha, target, received) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING", repo, sha, target, q.stamp())
}

// HeadArrived dates a target's present head by the arrival of the event that told
// of it, where it was dated by the handling.
func (q queries) HeadArrived(ctx context.Context, t Target, at time.Time) error {
	return q.exec(ctx, "UPDATE heads SET received = ?4 WHERE repo = ?1 AND sha = ?2 AND target = ?3 AND received > ?4", t.Repo, t.HeadSHA, t.Key, millis(at))
}

// TargetsOf lists the keys of the targets that had this commit as their head.
func (q queries) TargetsOf(ctx context.Context, repo, sha string) ([]string, error) {
	return collect(ctx, q, scanString, "SELECT target FROM heads WHERE repo = ?1 AND sha = ?2 ORDER BY target", repo, sha)
}

// HeadAt is the newest head of a target that was seen at or before a time.
func (q queries) HeadAt(ctx context.Context, target string, at time.Time) (string, error) {
	return one(ctx, q, scanString, "SELECT sha FROM heads WHERE target = ?1 AND received <= ?2 ORDER BY received DESC, rowid DESC LIMIT 1", target, millis(at))
}

// SaveLook records the outcome of a look: the tree (nil keeps the old one), the
// failures in a row, and the times of the next look at everything and of the
// next one at runs under way (zero: none).
func (q queries) SaveLook(ctx context.Context, key string, tree []byte, failures int, next, poll time.Time) error {
	return q.exec(ctx, "UPDATE targets SET tree = COALESCE(?2, tree), failures = ?3, next_look = ?4, next_poll = ?5, updated = ?6 WHERE key = ?1",
		key, tree, failures, millis(next), millis(poll), q.stamp())
}

// SavePoll sets the time of the next look at runs under way.
func (q queries) SavePoll(ctx context.Context, key string, poll time.Time) error {
	return q.exec(ctx, "UPDATE targets SET next_poll = ?2 WHERE key = ?1", key, millis(poll))
}

// Due is an open target whose next look is due.
type Due struct {
	Target string
	Full   bool // a look at everything, else one at runs under way
}

// DueTargets lists the open targets whose next look is due.
func (q queries) DueTargets(ctx context.Context) ([]Due, error) {
	return collect(ctx, q, func(scan func(...any) error) (Due, error) {
		var d Due
		err := scan(&d.Target, &d.Full)
		return d, err
	}, `SELECT key, next_look > 0 AND next_look <= ?1 FROM targets
		WHERE open = 1 AND (next_look > 0 AND next_look <= ?1 OR next_poll > 0 AND next_poll <= ?1) ORDER BY key`, q.stamp())
}

// NextDue is the earliest time at which an open target is due; zero for none.
func (q queries) NextDue(ctx context.Context) (time.Time, error) {
	ms, err := one(ctx, q, scanInt, `SELECT COALESCE(MIN(t), 0) FROM (
		SELECT next_look AS t FROM targets WHERE open = 1 AND next_look > 0 UNION ALL
		SELECT next_poll FROM targets WHERE open = 1 AND next_poll > 0)`)
	return fromMillis(ms), err
}

// ClearDue takes what is due off the clock because a look was queued.
func (q queries) ClearDue(ctx context.Context, d Due) error {
	if d.Full {
		return q.exec(ctx, "UPDATE targets SET next_look = 0, next_poll = 0 WHERE key = ?1", d.Target)
	}
	return q.exec(ctx, "UPDATE targets SET next_poll = 0 WHERE key = ?1", d.Target)
}

// SaveRepo records which installation serves a repository.
func (q queries) SaveRepo(ctx context.Context, repo string, installation int64) error {
	return q.exec(ctx, `INSERT INTO repos (repo, installation) VALUES (?1, ?2)
		ON CONFLICT (repo) DO UPDATE SET installation = ?2`, repo, installation)
}

// SetOptedIn records that a repository has a configuration or the layout, so
// that its pull requests must get a gate.
func (q queries) SetOptedIn(ctx context.Context, repo string) error {
	return q.exec(ctx, "UPDATE repos SET opted_in = 1 WHERE repo = ?1", repo)
}

// OptedIn reports whether a repository was ever seen to take part.
func (q queries) OptedIn(ctx context.Context, repo string) (bool, error) {
	n, err := one(ctx, q, scanInt, "SELECT COUNT(*) FROM repos WHERE repo = ?1 AND opted_in = 1", repo)
	return n > 0, err
}

func scanInt(scan func(...any) error) (int64, error) {
	var n int64
	err := scan(&n)
	return n, err
}

// Rerun counts how often the static review of a target was asked for again.
func (q queries) Rerun(ctx context.Context, key string) (int64, error) {
	return one(ctx, q, scanInt, "SELECT COALESCE(MAX(rerun), 0) FROM targets WHERE key = ?1", key)
}

// AddRerun asks for the static review again.
func (q queries) AddRerun(ctx context.Context, key string) error {
	return q.exec(ctx, "UPDATE targets SET rerun = rerun + 1 WHERE key = ?1", key)
}

// HeadsOf lists the commits that a target had as its head, oldest first.
func (q queries) HeadsOf(ctx context.Context, target string) ([]string, error) {
	return collect(ctx, q, scanString, "SELECT sha FROM heads WHERE target = ?1 ORDER BY received, rowid", target)
}
