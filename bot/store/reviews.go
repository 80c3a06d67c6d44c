package store

import "context"

// SaveReview keeps the static review of a head. key names everything else that
// the outcome depends on: merge base, configuration, version of the rules.
func (q queries) SaveReview(ctx context.Context, repo, sha, key string, report, plan []byte) error {
	return q.exec(ctx, `INSERT INTO reviews (repo, head_sha, key, report, plan, recorded) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
		ON CONFLICT DO NOTHING`, repo, sha, key, report, plan, q.stamp())
}

// Review reads a kept review: report and plan as JSON.
func (q queries) Review(ctx context.Context, repo, sha, key string) (report, plan []byte, err error) {
	type pair struct{ report, plan []byte }
	p, err := one(ctx, q, func(scan func(...any) error) (pair, error) {
		var p pair
		err := scan(&p.report, &p.plan)
		return p, err
	}, "SELECT report, plan FROM reviews WHERE repo = ?1 AND head_sha = ?2 AND key = ?3", repo, sha, key)
	return p.report, p.plan, err
}

// Thread is the comment that a finding got in a pull request.
type Thread struct {
	Fingerprint string
	HeadSHA     string // the commit that the comment was written for
	Place       string // "line", "file" or "summary"
	CommentID   int64  // 0 until known
	FixedIn     string // the commit in which the finding was gone
}

// Threads lists the threads of a pull request.
func (q queries) Threads(ctx context.Context, repo string, number int) ([]Thread, error) {
	return collect(ctx, q, func(scan func(...any) error) (Thread, error) {
		var t Thread
		err := scan(&t.Fingerprint, &t.HeadSHA, &t.Place, &t.CommentID, &t.FixedIn)
		return t, err
	}, "SELECT fingerprint, head_sha, place, comment_id, fixed_in FROM threads WHERE repo = ?1 AND number = ?2 ORDER BY fingerprint", repo, number)
}

// SaveThread records a thread, keeping a known comment id where the new one is 0.
func (q queries) SaveThread(ctx context.Context, repo string, number int, t Thread) error {
	return q.exec(ctx, `INSERT INTO threads (repo, number, fingerprint, head_sha, place, comment_id, fixed_in) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
		ON CONFLICT (repo, number, fingerprint) DO UPDATE SET place = ?5, fixed_in = ?7,
			comment_id = CASE WHEN ?6 = 0 THEN comment_id ELSE ?6 END`,
		repo, number, t.Fingerprint, t.HeadSHA, t.Place, t.CommentID, t.FixedIn)
}
