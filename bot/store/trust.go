package store

import (
	"context"
	"time"
)

// Approval lets one commit of a pull request through the GPU door.
type Approval struct {
	SHA       string
	Actor     string
	Role      string
	CommentID int64
	Recorded  time.Time
}

// AddApproval records an approval; the first one of a commit stays.
func (q queries) AddApproval(ctx context.Context, repo string, number int, a Approval) error {
	return q.exec(ctx, `INSERT INTO approvals (repo, number, sha, actor, role, comment_id, recorded) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
		ON CONFLICT DO NOTHING`, repo, number, a.SHA, a.Actor, a.Role, a.CommentID, q.stamp())
}

// Approvals lists the approvals of a pull request.
func (q queries) Approvals(ctx context.Context, repo string, number int) ([]Approval, error) {
	return collect(ctx, q, func(scan func(...any) error) (Approval, error) {
		var a Approval
		var recorded int64
		err := scan(&a.SHA, &a.Actor, &a.Role, &a.CommentID, &recorded)
		a.Recorded = fromMillis(recorded)
		return a, err
	}, "SELECT sha, actor, role, comment_id, recorded FROM approvals WHERE repo = ?1 AND number = ?2 ORDER BY recorded", repo, number)
}

// Waiver says that a maintainer accepts a perf gap or a rule finding.
type Waiver struct {
	ID          int64
	Kind        string // "perf" or "rule"
	Subject     string // kernel or rule id
	Path        string // rule waivers
	Fingerprint string // rule waivers: the finding that it is bound to
	GPU         string // perf waivers: the GPU class that was measured
	Ratio       float64
	Until       time.Time // zero: no end
	Reason      string    // untrusted
	Actor       string
	CommentID   int64
	Recorded    time.Time
}

// AddWaiver records a waiver.
func (q queries) AddWaiver(ctx context.Context, repo string, number int, w Waiver) error {
	return q.exec(ctx, `INSERT INTO waivers (repo, number, kind, subject, path, fingerprint, gpu, ratio, until, reason, actor, comment_id, recorded)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)`,
		repo, number, w.Kind, w.Subject, w.Path, w.Fingerprint, w.GPU, w.Ratio, millis(w.Until), w.Reason, w.Actor, w.CommentID, q.stamp())
}

// Waivers lists the waivers of a pull request that were not taken back.
func (q queries) Waivers(ctx context.Context, repo string, number int) ([]Waiver, error) {
	return collect(ctx, q, func(scan func(...any) error) (Waiver, error) {
		var w Waiver
		var until, recorded int64
		err := scan(&w.ID, &w.Kind, &w.Subject, &w.Path, &w.Fingerprint, &w.GPU, &w.Ratio, &until, &w.Reason, &w.Actor, &w.CommentID, &recorded)
		w.Until, w.Recorded = fromMillis(until), fromMillis(recorded)
		return w, err
	}, `SELECT id, kind, subject, path, fingerprint, gpu, ratio, until, reason, actor, comment_id, recorded
		FROM waivers WHERE repo = ?1 AND number = ?2 AND ended = 0 ORDER BY id`, repo, number)
}

// EndWaivers takes waivers of a subject back and reports whether there were any.
func (q queries) EndWaivers(ctx context.Context, repo string, number int, kind, subject, path string) (bool, error) {
	return q.changed(ctx, `UPDATE waivers SET ended = ?6 WHERE repo = ?1 AND number = ?2 AND kind = ?3 AND subject = ?4
		AND (?5 = '' OR path = ?5) AND ended = 0`, repo, number, kind, subject, path, q.stamp())
}

// PerfSince lists the perf results that were recorded after a time for a pull
// request and for the merge groups that held it.
func (q queries) PerfSince(ctx context.Context, repo string, number int, since time.Time) ([]Measured, error) {
	return collect(ctx, q, func(scan func(...any) error) (Measured, error) {
		var m Measured
		err := scan(&m.Kernel, &m.GPU, &m.HeadSHA, &m.Verdict)
		return m, err
	}, `SELECT r.kernel, r.gpu, d.head_sha, r.verdict FROM results r JOIN dispatches d ON d.id = r.dispatch JOIN targets t ON t.key = d.target
		WHERE t.repo = ?1 AND (t.number = ?2 OR t.pull = ?2) AND r.stage = 'perf' AND r.recorded > ?3`, repo, number, millis(since))
}

// Command is one line of a comment, or a button of a check run, that asks for
// something. CommentID and Line identify it, so it is acted on once.
type Command struct {
	CommentID int64
	Line      int
	Number    int
	Actor     string
	Text      string // untrusted
	HeadSHA   string // the head that was known when the comment arrived
	Received  time.Time
	State     string // "new" or "done"
	Note      string
}

// AddCommand records a command and reports whether it is new.
func (q queries) AddCommand(ctx context.Context, repo string, c Command) (bool, error) {
	return q.changed(ctx, `INSERT INTO commands (repo, comment_id, line, number, actor, text, head_sha, received) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
		ON CONFLICT DO NOTHING`, repo, c.CommentID, c.Line, c.Number, c.Actor, c.Text, c.HeadSHA, q.stamp())
}

// NewCommands lists the commands of a pull request that wait, in order.
func (q queries) NewCommands(ctx context.Context, repo string, number int) ([]Command, error) {
	return collect(ctx, q, func(scan func(...any) error) (Command, error) {
		c := Command{Number: number}
		var received int64
		err := scan(&c.CommentID, &c.Line, &c.Actor, &c.Text, &c.HeadSHA, &received, &c.State, &c.Note)
		c.Received = fromMillis(received)
		return c, err
	}, `SELECT comment_id, line, actor, text, head_sha, received, state, note FROM commands
		WHERE repo = ?1 AND number = ?2 AND state = 'new' ORDER BY received, comment_id, line`, repo, number)
}

// FinishCommand records what came of a command.
func (q queries) FinishCommand(ctx context.Context, repo string, commentID int64, line int, note string) error {
	return q.exec(ctx, "UPDATE commands SET state = 'done', note = ?4 WHERE repo = ?1 AND comment_id = ?2 AND line = ?3", repo, commentID, line, note)
}
