package githubsim

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tilegate/tilegate/checks/linediff"
)

// maxCommentBody is the length of a comment or review, in characters.
const maxCommentBody = 65_536

const tooLong = "Body is too long (maximum is 65536 characters)"

// review is one review of a pull request.
type review struct {
	id        int64
	pull      *pull
	author    *user
	body      string
	state     string
	commitID  string
	submitted time.Time
	comments  []*reviewComment
}

// reviewComment is a comment on a line or file of the diff.
type reviewComment struct {
	id               int64
	pull             *pull
	review           *review // nil for a single comment
	author           *user
	path             string
	body             string
	commitID         string // the commit that it was made at
	side, startSide  string
	line, startLine  int // at commitID; 0 for none
	position         int // at commitID
	hunk             string
	replyTo          int64
	subject          string // line, file
	created, updated time.Time
}

// commentInput is a comment as a client sends it.
type commentInput struct {
	CommitID    string `json:"commit_id"`
	Path        string `json:"path"`
	Body        string `json:"body"`
	Position    int    `json:"position"`
	Line        int    `json:"line"`
	Side        string `json:"side"`
	StartLine   int    `json:"start_line"`
	StartSide   string `json:"start_side"`
	SubjectType string `json:"subject_type"`
	InReplyTo   int64  `json:"in_reply_to"`
}

// place makes a comment of an input, or says why GitHub refuses it.
func (s *Sim) place(p *pull, commitID string, by *user, in commentInput) (*reviewComment, string) {
	if strings.TrimSpace(in.Body) == "" {
		return nil, "Body can't be blank"
	}
	if utf8.RuneCountInString(in.Body) > maxCommentBody {
		return nil, tooLong
	}
	now := s.now()
	rc := &reviewComment{
		pull: p, author: by, path: in.Path, body: in.Body, commitID: commitID, subject: "line", created: now, updated: now,
	}
	var file *change
	for _, ch := range p.diff(commitID) {
		if ch.path == in.Path {
			file = ch
		}
	}
	if file == nil {
		return nil, "Path could not be resolved"
	}
	if in.SubjectType == "file" {
		rc.subject, rc.side = "file", "RIGHT"
		return rc, ""
	}
	if in.Line == 0 && in.Position > 0 {
		n := in.Position
		for _, h := range file.hunks {
			if n >= 1 && n <= len(h.Ops) {
				o := h.Ops[n-1]
				in.Line, in.Side = o.New, "RIGHT"
				if o.Kind == '-' {
					in.Line, in.Side = o.Old, "LEFT"
				}
			}
			n -= len(h.Ops) + 1
		}
	}
	side := func(given, standard string) (string, bool) {
		if given == "" {
			given = standard
		}
		return given, given == "LEFT" || given == "RIGHT"
	}
	var known bool
	if rc.side, known = side(in.Side, "RIGHT"); !known {
		return nil, "Side could not be resolved"
	}
	at, op, found := file.find(rc.side, in.Line)
	if !found {
		return nil, "Line could not be resolved"
	}
	rc.line, rc.position, rc.hunk = in.Line, file.position(at, op), file.hunks[at].Text(op)
	if in.StartLine != 0 {
		if rc.startSide, known = side(in.StartSide, rc.side); !known {
			return nil, "Start side could not be resolved"
		}
		startAt, startOp, found := file.find(rc.startSide, in.StartLine)
		switch {
		case !found:
			return nil, "Start line could not be resolved"
		case startAt != at:
			return nil, "Start line must be part of the same hunk as the line."
		case startOp >= op:
			return nil, "Start line must precede the end line."
		}
		rc.startLine = in.StartLine
	}
	return rc, ""
}

// commitOf checks that a commit belongs to the pull request; the head by default.
func (p *pull) commitOf(id string) (string, bool) {
	if id == "" {
		return p.headSHA, true
	}
	if slices.Contains(p.heads, id) {
		return id, true
	}
	return id, slices.ContainsFunc(p.commits(), func(c *commit) bool { return c.id == id })
}

var reviewStates = map[string]string{
	"": "PENDING", "COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED",
}

// createReview makes a review with all its comments, or refuses all of it.
func (s *Sim) createReview(c *request) answer {
	p := c.pullOf()
	if p == nil {
		return notFound()
	}
	var in struct {
		CommitID string         `json:"commit_id"`
		Body     string         `json:"body"`
		Event    string         `json:"event"`
		Comments []commentInput `json:"comments"`
	}
	if bad := c.decode(&in); bad != nil {
		return *bad
	}
	state, known := reviewStates[in.Event]
	commitID, belongs := p.commitOf(in.CommitID)
	switch {
	case !known:
		return invalidText("Variable $event of type PullRequestReviewEvent was provided invalid value")
	case !belongs:
		return invalidText("The commit_id is not part of the pull request")
	case utf8.RuneCountInString(in.Body) > maxCommentBody:
		return invalidText(tooLong)
	case state == "CHANGES_REQUESTED" && in.Body == "", state == "COMMENTED" && in.Body == "" && len(in.Comments) == 0:
		return invalidText("Body can't be blank")
	case p.locked:
		return fail(http.StatusForbidden, "Unable to create review because the conversation is locked.")
	}
	r := &review{pull: p, author: s.appUser, body: in.Body, state: state, commitID: commitID, submitted: s.now()}
	for _, ci := range in.Comments {
		rc, refused := s.place(p, commitID, s.appUser, ci)
		if refused != "" {
			return invalidText(refused)
		}
		rc.review = r
		r.comments = append(r.comments, rc)
	}
	r.id = s.nextID()
	for _, rc := range r.comments {
		rc.id = s.nextID()
	}
	p.reviews = append(p.reviews, r)
	p.comments = append(p.comments, r.comments...)
	return ok(s.viewReview(c.base, r))
}

func (c *request) reviewOf() *review {
	p := c.pullOf()
	if p == nil {
		return nil
	}
	for _, r := range p.reviews {
		if r.id == c.id("id") {
			return r
		}
	}
	return nil
}

func (s *Sim) getReview(c *request) answer {
	r := c.reviewOf()
	if r == nil {
		return notFound()
	}
	return ok(s.viewReview(c.base, r))
}

func (s *Sim) updateReview(c *request) answer {
	r := c.reviewOf()
	if r == nil {
		return notFound()
	}
	var in struct {
		Body string `json:"body"`
	}
	if bad := c.decode(&in); bad != nil {
		return *bad
	}
	if utf8.RuneCountInString(in.Body) > maxCommentBody {
		return invalidText(tooLong)
	}
	if r.author != s.appUser {
		return fail(http.StatusForbidden, "Resource not accessible by integration")
	}
	r.body = in.Body
	return ok(s.viewReview(c.base, r))
}

func (s *Sim) listReviewsComments(c *request) answer {
	r := c.reviewOf()
	if r == nil {
		return notFound()
	}
	return list(c, r.comments, func(rc *reviewComment) obj {
		v := s.viewReviewComment(c.base, rc)
		if _, current := v["position"]; !current {
			v["position"] = nil
		}
		return v
	})
}

func (s *Sim) listReviewComments(c *request, p *pull) answer {
	out := slices.Clone(p.comments)
	if c.URL.Query().Get("direction") == "desc" {
		slices.Reverse(out)
	}
	return list(c, out, func(rc *reviewComment) obj { return s.viewReviewComment(c.base, rc) })
}

// refusedComment is how the endpoint for single comments words a refusal.
func refusedComment(why string) answer {
	field := "pull_request_review_thread.line"
	if strings.HasPrefix(why, "Body") {
		field = "body"
	} else if strings.HasPrefix(why, "Path") {
		field = "pull_request_review_thread.path"
	}
	return invalid("", fieldError{
		Resource: "PullRequestReviewComment", Code: "custom", Field: field, Message: why,
	})
}

func (s *Sim) createReviewComment(c *request) answer {
	p := c.pullOf()
	if p == nil {
		return notFound()
	}
	var in commentInput
	if bad := c.decode(&in); bad != nil {
		return *bad
	}
	if in.InReplyTo != 0 {
		return s.reply(c, p, in.InReplyTo, in.Body)
	}
	if in.CommitID == "" {
		return invalid("", fieldError{Resource: "PullRequestReviewComment", Code: "missing_field", Field: "commit_id"})
	}
	commitID, belongs := p.commitOf(in.CommitID)
	if !belongs {
		return refusedComment("commit_id is not part of the pull request")
	}
	rc, refused := s.place(p, commitID, s.appUser, in)
	if refused != "" {
		return refusedComment(refused)
	}
	rc.id = s.nextID()
	p.comments = append(p.comments, rc)
	v := s.viewReviewComment(c.base, rc)
	return created(v).with("Location", v["url"].(string))
}

func (s *Sim) replyToReviewComment(c *request) answer {
	p := c.pullOf()
	if p == nil {
		return notFound()
	}
	var in commentInput
	if bad := c.decode(&in); bad != nil {
		return *bad
	}
	return s.reply(c, p, c.id("id"), in.Body)
}

func (s *Sim) reply(c *request, p *pull, to int64, body string) answer {
	rc, err := s.addReply(p, to, s.appUser, body)
	if err != "" {
		return refusedComment(err)
	}
	v := s.viewReviewComment(c.base, rc)
	return created(v).with("Location", v["url"].(string))
}

func (s *Sim) addReply(p *pull, to int64, by *user, body string) (*reviewComment, string) {
	if strings.TrimSpace(body) == "" {
		return nil, "Body can't be blank"
	}
	if utf8.RuneCountInString(body) > maxCommentBody {
		return nil, tooLong
	}
	for _, parent := range p.comments {
		if parent.id != to {
			continue
		}
		reply := *parent
		reply.id, reply.author, reply.body, reply.review = s.nextID(), by, body, nil
		reply.replyTo = parent.id
		if parent.replyTo != 0 {
			reply.replyTo = parent.replyTo
		}
		reply.created, reply.updated = s.now(), s.now()
		p.comments = append(p.comments, &reply)
		return &reply, ""
	}
	return nil, "Parent comment could not be resolved"
}

// ReplyToReviewComment lets a user answer in the thread of a review comment.
// It returns the reply's id.
func (r *Repo) ReplyToReviewComment(number int, commentID int64, login, body string) (id int64, err error) {
	err = r.withPull(number, func(p *pull) error {
		rc, refused := r.sim.addReply(p, commentID, r.sim.user(login), body)
		if refused != "" {
			return fmt.Errorf("githubsim: %s", refused)
		}
		id = rc.id
		return nil
	})
	return id, err
}

// reviewCommentOf finds the review comment of a request's path.
func (c *request) reviewCommentOf() *reviewComment {
	for _, i := range c.repo.issues {
		if i.pull == nil {
			continue
		}
		for _, rc := range i.pull.comments {
			if rc.id == c.id("id") {
				return rc
			}
		}
	}
	return nil
}

func (s *Sim) getReviewComment(c *request) answer {
	rc := c.reviewCommentOf()
	if rc == nil {
		return notFound()
	}
	return ok(s.viewReviewComment(c.base, rc))
}

func (s *Sim) updateReviewComment(c *request) answer {
	rc := c.reviewCommentOf()
	if rc == nil {
		return notFound()
	}
	var in commentInput
	if bad := c.decode(&in); bad != nil {
		return *bad
	}
	switch {
	case rc.author != s.appUser:
		return fail(http.StatusForbidden, "Resource not accessible by integration")
	case strings.TrimSpace(in.Body) == "":
		return refusedComment("Body can't be blank")
	case utf8.RuneCountInString(in.Body) > maxCommentBody:
		return refusedComment(tooLong)
	}
	rc.body, rc.updated = in.Body, s.now()
	return ok(s.viewReviewComment(c.base, rc))
}

func (s *Sim) deleteReviewComment(c *request) answer {
	rc := c.reviewCommentOf()
	if rc == nil {
		return notFound()
	}
	rc.pull.comments = slices.DeleteFunc(rc.pull.comments, func(x *reviewComment) bool { return x == rc })
	if rc.review != nil {
		rc.review.comments = slices.DeleteFunc(rc.review.comments, func(x *reviewComment) bool { return x == rc })
	}
	return answer{status: http.StatusNoContent}
}

// current is where a comment stands in the pull request's present diff; ok is
// false when it is outdated.
func (rc *reviewComment) current() (line, startLine, position int, ok bool) {
	p := rc.pull
	if rc.subject == "file" {
		return 0, 0, 0, true
	}
	st := p.repo.st
	tree := func(commitID, side string) (entry, bool) {
		if side == "LEFT" {
			commitID = st.mergeBase(p.repo.branches[p.baseRef], commitID)
		}
		c := st.commits[commitID]
		if c == nil {
			return entry{}, false
		}
		e, found := c.files[rc.path]
		return e, found
	}
	follow := func(line int, side string) int {
		from, inFrom := tree(rc.commitID, side)
		to, inTo := tree(p.headSHA, side)
		if !inFrom || !inTo || from.id == to.id {
			return line
		}
		for _, o := range linediff.Lines(st.blob(from.id), st.blob(to.id)) {
			if o.Old == line && o.Kind == ' ' {
				return o.New
			}
		}
		return 0
	}
	line = follow(rc.line, rc.side)
	if rc.startLine != 0 {
		if startLine = follow(rc.startLine, rc.startSide); startLine == 0 {
			return 0, 0, 0, false
		}
	}
	for _, ch := range p.diff(p.headSHA) {
		if ch.path != rc.path || line == 0 {
			continue
		}
		if at, op, found := ch.find(rc.side, line); found {
			return line, startLine, ch.position(at, op), true
		}
	}
	return 0, 0, 0, false
}
