package githubsim

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// issue is an issue; with pull set, a pull request.
type issue struct {
	id       int64
	repo     *Repo
	number   int
	title    string
	body     string
	state    string // open, closed
	locked   bool
	author   *user
	labels   []string
	created  time.Time
	updated  time.Time
	closed   time.Time
	comments []*issueComment
	pull     *pull
}

// pull is what a pull request has beyond an issue.
type pull struct {
	*issue
	pullID    int64
	headRepo  *Repo
	headRef   string
	headSHA   string
	baseRef   string
	baseSHA   string // tip of the base branch at the last push to the head
	draft     bool
	merged    time.Time
	mergedBy  *user
	mergeSHA  string // test merge, or the merge itself
	mergeable bool
	heads     []string // every commit that was the head
	reviews   []*review
	comments  []*reviewComment
	diffs     map[string][]*change // by merge base and head
}

// PullOptions describe a pull request to open.
type PullOptions struct {
	Title, Body string
	Author      string // login; the owner of the head repository when empty
	Head        *Repo  // where the branch lives; the base repository when nil
	Branch      string // the head branch
	Base        string // the base branch; the default branch when empty
	Draft       bool
	Labels      []string
	Number      int // a number that is still free; the next one when 0
}

// OpenPull opens a pull request and returns its number.
func (r *Repo) OpenPull(o PullOptions) (int, error) {
	s := r.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.Head == nil {
		o.Head = r
	}
	if o.Base == "" {
		o.Base = r.defaultBranch
	}
	if o.Author == "" {
		o.Author = o.Head.owner.login
	}
	head, base := o.Head.branches[o.Branch], r.branches[o.Base]
	switch {
	case o.Head.st != r.st:
		return 0, fmt.Errorf("githubsim: %s is not a fork of %s", o.Head.fullName(), r.fullName())
	case head == "":
		return 0, fmt.Errorf("githubsim: %s has no branch %q", o.Head.fullName(), o.Branch)
	case base == "":
		return 0, fmt.Errorf("githubsim: %s has no branch %q", r.fullName(), o.Base)
	case len(r.st.between(base, head)) == 0:
		return 0, fmt.Errorf("githubsim: no commits between %s and %s", o.Base, o.Branch)
	case o.Number < 0 || o.Number > 0 && o.Number <= r.lastNumber:
		return 0, fmt.Errorf("githubsim: %s: expected a number above %d, found %d", r.fullName(), r.lastNumber, o.Number)
	case o.Number > 0:
		r.lastNumber = o.Number - 1
	}
	i := r.newIssue(o.Title, o.Body, o.Author)
	i.labels = slices.Clone(o.Labels)
	p := &pull{
		issue: i, pullID: s.nextID(), headRepo: o.Head, headRef: o.Branch, headSHA: head, baseRef: o.Base, baseSHA: base,
		draft: o.Draft, heads: []string{head}, diffs: map[string][]*change{},
	}
	i.pull = p
	s.testMerge(p)
	s.emitPull(p, "opened", p.author, nil)
	return i.number, nil
}

// OpenIssue opens a plain issue and returns its number.
func (r *Repo) OpenIssue(author, title, body string) int {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	return r.newIssue(title, body, author).number
}

func (r *Repo) newIssue(title, body, author string) *issue {
	s := r.sim
	r.lastNumber++
	now := s.now()
	i := &issue{
		id: s.nextID(), repo: r, number: r.lastNumber, title: title, body: body, state: "open",
		author: s.user(author), created: now, updated: now,
	}
	r.issues[i.number] = i
	return i
}

// testMerge makes the commit that merging the pull request would make.
func (s *Sim) testMerge(p *pull) {
	st := p.repo.st
	base := st.commits[p.repo.branches[p.baseRef]]
	head := st.commits[p.headSHA]
	p.mergeable, p.mergeSHA = false, ""
	c, err := s.mergeCommit(p.repo, base, head, fmt.Sprintf("Merge %s into %s", head.id, base.id))
	if err == nil {
		p.mergeable, p.mergeSHA = true, c.id
	}
}

func (s *Sim) mergeCommit(r *Repo, base, head *commit, message string) (*commit, error) {
	var ancestor map[string]entry
	if mb := r.st.commits[r.st.mergeBase(base.id, head.id)]; mb != nil {
		ancestor = mb.files
	}
	files, clean := mergeFiles(ancestor, base.files, head.files)
	if !clean {
		return nil, fmt.Errorf("githubsim: %s conflicts with %s", head.id, base.id)
	}
	return r.st.putCommit(files, []string{base.id, head.id}, "web-flow", message, s.now())
}

// openPulls lists all open pull requests, oldest first.
func (s *Sim) openPulls() []*pull {
	var out []*pull
	for _, r := range s.repos {
		for _, i := range r.issues {
			if i.pull != nil && i.state == "open" {
				out = append(out, i.pull)
			}
		}
	}
	slices.SortFunc(out, func(a, b *pull) int { return int(a.pullID - b.pullID) })
	return out
}

// synchronize follows a push to the head branch.
func (s *Sim) synchronize(p *pull, before string, by *user) {
	p.headSHA = p.headRepo.branches[p.headRef]
	p.baseSHA = p.repo.branches[p.baseRef]
	p.updated = s.now()
	if !slices.Contains(p.heads, p.headSHA) {
		p.heads = append(p.heads, p.headSHA)
	}
	s.testMerge(p)
	s.emitPull(p, "synchronize", by, obj{"before": before, "after": p.headSHA})
}

// withPull runs f with the lock held.
func (r *Repo) withPull(number int, f func(*pull) error) error {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	i := r.issues[number]
	if i == nil || i.pull == nil {
		return fmt.Errorf("githubsim: %s has no pull request %d", r.fullName(), number)
	}
	return f(i.pull)
}

// ClosePull closes a pull request without merging it.
func (r *Repo) ClosePull(number int, by string) error {
	return r.withPull(number, func(p *pull) error {
		p.state, p.closed = "closed", r.sim.now()
		r.sim.emitPull(p, "closed", r.sim.user(by), nil)
		return nil
	})
}

// ReopenPull opens a closed pull request again.
func (r *Repo) ReopenPull(number int, by string) error {
	return r.withPull(number, func(p *pull) error {
		if !p.merged.IsZero() {
			return fmt.Errorf("githubsim: pull request %d is merged", number)
		}
		p.state, p.closed = "open", time.Time{}
		r.sim.emitPull(p, "reopened", r.sim.user(by), nil)
		return nil
	})
}

// MergePull merges a pull request with a merge commit and returns its id. It
// asks no checks: whether they allow it is the caller's question.
func (r *Repo) MergePull(number int, by string) (sha string, err error) {
	s := r.sim
	err = r.withPull(number, func(p *pull) error {
		if p.state != "open" {
			return fmt.Errorf("githubsim: pull request %d is closed", number)
		}
		st := r.st
		c, err := s.mergeCommit(r, st.commits[r.branches[p.baseRef]], st.commits[p.headSHA],
			fmt.Sprintf("Merge pull request #%d from %s", number, p.headRepo.owner.login+"/"+p.headRef))
		if err != nil {
			return err
		}
		sha = c.id
		p.state, p.closed, p.merged, p.mergedBy, p.mergeSHA = "closed", s.now(), s.now(), s.user(by), c.id
		r.move(p.baseRef, c.id, p.mergedBy)
		s.emitPull(p, "closed", p.mergedBy, nil)
		return nil
	})
	return sha, err
}

// SetDraft converts a pull request to a draft or marks it ready for review.
func (r *Repo) SetDraft(number int, draft bool, by string) error {
	return r.withPull(number, func(p *pull) error {
		p.draft = draft
		action := "ready_for_review"
		if draft {
			action = "converted_to_draft"
		}
		r.sim.emitPull(p, action, r.sim.user(by), nil)
		return nil
	})
}

// Retarget changes the base branch.
func (r *Repo) Retarget(number int, base, by string) error {
	return r.withPull(number, func(p *pull) error {
		if r.branches[base] == "" {
			return fmt.Errorf("githubsim: %s has no branch %q", r.fullName(), base)
		}
		from := p.baseRef
		p.baseRef, p.baseSHA = base, r.branches[base]
		r.sim.testMerge(p)
		r.sim.emitPull(p, "edited", r.sim.user(by), obj{"changes": obj{"base": obj{"ref": obj{"from": from}}}})
		return nil
	})
}

// Lock locks the conversation of an issue or pull request.
func (r *Repo) Lock(number int, locked bool) {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	if i := r.issues[number]; i != nil {
		i.locked = locked
	}
}

// MergeGroup puts a pull request into the merge queue: it merges it into the
// base branch on a queue branch and announces merge_group.checks_requested. It
// returns the merge group's head commit.
func (r *Repo) MergeGroup(number int) (sha string, err error) {
	s := r.sim
	err = r.withPull(number, func(p *pull) error {
		base := r.st.commits[r.branches[p.baseRef]]
		c, err := s.mergeCommit(r, base, r.st.commits[p.headSHA], fmt.Sprintf("Merge pull request #%d", number))
		if err != nil {
			return err
		}
		sha = c.id
		branch := fmt.Sprintf("gh-readonly-queue/%s/pr-%d-%s", p.baseRef, number, base.id)
		r.move(branch, c.id, s.user("github-merge-queue[bot]"))
		s.emitMergeGroup(r, p.baseRef, branch, base, c)
		return nil
	})
	return sha, err
}

// diff is what the pull request changes at one of its commits, against the
// merge base with the base branch.
func (p *pull) diff(commitID string) []*change {
	st := p.repo.st
	base := st.mergeBase(p.repo.branches[p.baseRef], commitID)
	key := base + commitID
	if d, done := p.diffs[key]; done {
		return d
	}
	var from map[string]entry
	if mb := st.commits[base]; mb != nil {
		from = mb.files
	}
	d := st.diffTrees(from, st.commits[commitID].files)
	p.diffs[key] = d
	return d
}

// commits lists the pull request's commits, oldest first.
func (p *pull) commits() []*commit {
	return p.repo.st.between(p.repo.branches[p.baseRef], p.headSHA)
}

// pullOf finds the pull request of a request's path.
func (c *request) pullOf() *pull {
	n, err := strconv.Atoi(c.PathValue("number"))
	if err != nil {
		return nil
	}
	if i := c.repo.issues[n]; i != nil {
		return i.pull
	}
	return nil
}

func (s *Sim) listPulls(c *request) answer {
	q := c.URL.Query()
	state := q.Get("state")
	if state == "" {
		state = "open"
	}
	var out []*pull
	for _, n := range slices.Sorted(maps.Keys(c.repo.issues)) {
		p := c.repo.issues[n].pull
		if p == nil || state != "all" && p.state != state || q.Get("base") != "" && q.Get("base") != p.baseRef ||
			q.Get("head") != "" && q.Get("head") != p.headRepo.owner.login+":"+p.headRef {
			continue
		}
		out = append(out, p)
	}
	if q.Get("sort") == "updated" {
		slices.SortStableFunc(out, func(a, b *pull) int { return a.updated.Compare(b.updated) })
	}
	if q.Get("direction") != "asc" {
		slices.Reverse(out)
	}
	return list(c, out, func(p *pull) obj { return s.viewPull(c.base, p, false) })
}

func (s *Sim) listCommitPulls(c *request) answer {
	x := c.repo.resolve(c.PathValue("ref"))
	if x == nil {
		return invalid("No commit found for SHA: " + c.PathValue("ref"))
	}
	var out []*pull
	for _, n := range slices.Sorted(maps.Keys(c.repo.issues)) {
		p := c.repo.issues[n].pull
		if p == nil {
			continue
		}
		if p.mergeSHA == x.id && !p.merged.IsZero() || p.state == "open" && slices.Contains(p.commits(), x) {
			out = append(out, p)
		}
	}
	return list(c, out, func(p *pull) obj { return s.viewPull(c.base, p, false) })
}

func (s *Sim) getPull(c *request) answer {
	p := c.pullOf()
	if p == nil {
		return notFound()
	}
	if c.accepts("diff") {
		return diffAnswer(p.diff(p.headSHA))
	}
	return ok(s.viewPull(c.base, p, true))
}

// The limits above which GitHub does not make a diff.
const (
	maxDiffFiles = 300
	maxDiffLines = 20_000
	maxDiffBytes = 1 << 20
)

// diffAnswer serves a diff, or 406 when it is too large.
func diffAnswer(changes []*change) answer {
	tooLarge := func(what string, n int) answer {
		a := fail(http.StatusNotAcceptable, fmt.Sprintf("Sorry, the diff exceeded the maximum number of %s (%d). "+
			"Consider using 'List pull requests files' API or locally cloning the repository instead.", what, n))
		a.body.(obj)["errors"] = []fieldError{{Resource: "PullRequest", Field: "diff", Code: "too_large"}}
		return a
	}
	if len(changes) > maxDiffFiles {
		return tooLarge("files", maxDiffFiles)
	}
	var b strings.Builder
	for _, ch := range changes {
		b.WriteString(ch.unified())
	}
	if n := strings.Count(b.String(), "\n"); n > maxDiffLines {
		return tooLarge("lines", maxDiffLines)
	}
	if b.Len() > maxDiffBytes {
		return tooLarge("bytes", maxDiffBytes)
	}
	return answer{status: http.StatusOK, raw: []byte(b.String()), typ: "application/vnd.github.v3.diff; charset=utf-8"}
}

func (s *Sim) listPullPart(c *request) answer {
	p := c.pullOf()
	if p == nil {
		return notFound()
	}
	switch c.PathValue("part") {
	case "files":
		return s.listPullFiles(c, p)
	case "commits":
		all := p.commits()
		return list(c, all[:min(len(all), 250)], func(x *commit) obj { return s.viewCommit(c.base, c.repo, x) })
	case "reviews":
		return list(c, p.reviews, func(r *review) obj { return s.viewReview(c.base, r) })
	case "comments":
		return s.listReviewComments(c, p)
	}
	return notFound()
}

// maxPullFiles is how many files of a pull request GitHub lists.
const maxPullFiles = 3000

func (s *Sim) listPullFiles(c *request, p *pull) answer {
	all := p.diff(p.headSHA)
	shown, link := page(c, all[:min(len(all), maxPullFiles)])
	a := ok(s.viewChanges(c.base, p.headRepo, p.headSHA, shown))
	if link != "" {
		a.setHeader("Link", link)
	}
	return a
}

// viewChanges shows changed files. Past 20,000 patch lines in one answer the
// rows come without counts and patch, unmarked, as GitHub does.
func (s *Sim) viewChanges(base string, r *Repo, sha string, changes []*change) []obj {
	out := make([]obj, 0, len(changes))
	total := 0
	for _, ch := range changes {
		id := ch.to.id
		if id == "" {
			id = ch.from.id
		}
		v := obj{
			"sha": id, "filename": ch.path, "status": ch.status,
			"additions": ch.additions, "deletions": ch.deletions, "changes": ch.additions + ch.deletions,
			"blob_url":     r.html(base) + "/blob/" + sha + "/" + escapePath(ch.path),
			"raw_url":      r.html(base) + "/raw/" + sha + "/" + escapePath(ch.path),
			"contents_url": r.api(base) + "/contents/" + escapePath(ch.path) + "?ref=" + sha,
		}
		if ch.previous != "" {
			v["previous_filename"] = ch.previous
		}
		if len(ch.hunks) > 0 {
			patch := ch.patch()
			n := strings.Count(patch, "\n") + 1
			if total += n; total > maxDiffLines && n <= s.opts.MaxPatchLines {
				v["additions"], v["deletions"], v["changes"] = 0, 0, 0
			} else if n <= s.opts.MaxPatchLines && len(patch) <= s.opts.MaxPatchBytes {
				v["patch"] = patch
			}
		}
		out = append(out, v)
	}
	return out
}
