package githubsim

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// issueComment is a comment in the conversation of an issue or pull request.
type issueComment struct {
	id               int64
	issue            *issue
	author           *user
	body             string
	created, updated time.Time
	reactions        []*reaction
}

type reaction struct {
	id      int64
	by      *user
	content string
	created time.Time
}

var reactionContents = []string{"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"}

// Comment lets a user comment on an issue or pull request, and announces it. It
// returns the comment's id.
func (r *Repo) Comment(number int, login, body string) (int64, error) {
	s := r.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	i := r.issues[number]
	if i == nil {
		return 0, fmt.Errorf("githubsim: %s has no issue or pull request %d", r.fullName(), number)
	}
	return s.addComment(i, s.user(login), body).id, nil
}

// EditComment lets a user change a comment, and announces it.
func (r *Repo) EditComment(id int64, login, body string) error {
	s := r.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	ic := r.comment(id)
	if ic == nil {
		return fmt.Errorf("githubsim: %s has no comment %d", r.fullName(), id)
	}
	s.editComment(ic, s.user(login), body)
	return nil
}

// DeleteComment lets a user delete a comment, and announces it.
func (r *Repo) DeleteComment(id int64, login string) error {
	s := r.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	ic := r.comment(id)
	if ic == nil {
		return fmt.Errorf("githubsim: %s has no comment %d", r.fullName(), id)
	}
	s.removeComment(ic, s.user(login))
	return nil
}

func (s *Sim) addComment(i *issue, by *user, body string) *issueComment {
	now := s.now()
	ic := &issueComment{id: s.nextID(), issue: i, author: by, body: body, created: now, updated: now}
	i.comments = append(i.comments, ic)
	i.updated = now
	s.emitComment(ic, "created", by, nil)
	return ic
}

func (s *Sim) editComment(ic *issueComment, by *user, body string) {
	from := ic.body
	ic.body, ic.updated = body, s.now()
	s.emitComment(ic, "edited", by, obj{"changes": obj{"body": obj{"from": from}}})
}

func (s *Sim) removeComment(ic *issueComment, by *user) {
	ic.issue.comments = slices.DeleteFunc(ic.issue.comments, func(x *issueComment) bool { return x == ic })
	s.emitComment(ic, "deleted", by, nil)
}

func (r *Repo) comment(id int64) *issueComment {
	for _, i := range r.issues {
		for _, ic := range i.comments {
			if ic.id == id {
				return ic
			}
		}
	}
	return nil
}

func (c *request) issueOf() *issue {
	n, err := strconv.Atoi(c.PathValue("number"))
	if err != nil {
		return nil
	}
	return c.repo.issues[n]
}

func (s *Sim) getIssue(c *request) answer {
	i := c.issueOf()
	if i == nil {
		return notFound()
	}
	return ok(s.viewIssue(c.base, i))
}

func (s *Sim) listIssuePart(c *request) answer {
	i := c.issueOf()
	switch {
	case i == nil:
		return notFound()
	case c.PathValue("part") == "comments":
		return s.listIssueComments(c, i)
	case c.PathValue("part") == "labels":
		return list(c, i.labels, func(name string) obj { return viewLabel(c.base, i.repo, name) })
	}
	return notFound()
}

func (s *Sim) listIssueComments(c *request, i *issue) answer {
	out := i.comments
	if since, err := time.Parse(time.RFC3339, c.URL.Query().Get("since")); err == nil {
		out = slices.DeleteFunc(slices.Clone(out), func(ic *issueComment) bool { return ic.updated.Before(since) })
	}
	return list(c, out, func(ic *issueComment) obj { return s.viewIssueComment(c.base, ic) })
}

// bodyOf reads the body of a comment, or refuses it.
func (c *request) bodyOf() (string, *answer) {
	var in struct {
		Body string `json:"body"`
	}
	if bad := c.decode(&in); bad != nil {
		return "", bad
	}
	var refused answer
	switch {
	case strings.TrimSpace(in.Body) == "":
		refused = invalid("", fieldError{Resource: "IssueComment", Code: "missing_field", Field: "body"})
	case utf8.RuneCountInString(in.Body) > maxCommentBody:
		refused = invalid("", fieldError{Resource: "IssueComment", Code: "unprocessable", Field: "data", Message: tooLong})
	default:
		return in.Body, nil
	}
	return "", &refused
}

func (s *Sim) createIssueComment(c *request) answer {
	i := c.issueOf()
	if i == nil {
		return notFound()
	}
	body, refused := c.bodyOf()
	if refused != nil {
		return *refused
	}
	if i.locked {
		return fail(http.StatusForbidden, "Unable to create comment because issue is locked.")
	}
	v := s.viewIssueComment(c.base, s.addComment(i, s.appUser, body))
	return created(v).with("Location", v["url"].(string))
}

func (s *Sim) getIssueComment(c *request) answer {
	ic := c.repo.comment(c.id("id"))
	if ic == nil {
		return notFound()
	}
	return ok(s.viewIssueComment(c.base, ic))
}

func (s *Sim) updateIssueComment(c *request) answer {
	ic := c.repo.comment(c.id("id"))
	if ic == nil {
		return notFound()
	}
	body, refused := c.bodyOf()
	if refused != nil {
		return *refused
	}
	if ic.author != s.appUser {
		return fail(http.StatusForbidden, "Resource not accessible by integration")
	}
	s.editComment(ic, s.appUser, body)
	return ok(s.viewIssueComment(c.base, ic))
}

func (s *Sim) deleteIssueComment(c *request) answer {
	ic := c.repo.comment(c.id("id"))
	if ic == nil {
		return notFound()
	}
	s.removeComment(ic, s.appUser)
	return answer{status: http.StatusNoContent}
}

func (s *Sim) listReactions(c *request) answer {
	ic := c.repo.comment(c.id("id"))
	if ic == nil {
		return notFound()
	}
	return list(c, ic.reactions, func(r *reaction) obj { return s.viewReaction(c.base, r) })
}

func (s *Sim) createReaction(c *request) answer {
	ic := c.repo.comment(c.id("id"))
	if ic == nil {
		return notFound()
	}
	var in struct {
		Content string `json:"content"`
	}
	if bad := c.decode(&in); bad != nil {
		return *bad
	}
	if !slices.Contains(reactionContents, in.Content) {
		return invalid("", fieldError{Resource: "Reaction", Code: "invalid", Field: "content"})
	}
	for _, r := range ic.reactions {
		if r.by == s.appUser && r.content == in.Content {
			return ok(s.viewReaction(c.base, r))
		}
	}
	r := &reaction{id: s.nextID(), by: s.appUser, content: in.Content, created: s.now()}
	ic.reactions = append(ic.reactions, r)
	return created(s.viewReaction(c.base, r))
}

func (s *Sim) deleteReaction(c *request) answer {
	ic := c.repo.comment(c.id("id"))
	if ic == nil {
		return notFound()
	}
	n := len(ic.reactions)
	ic.reactions = slices.DeleteFunc(ic.reactions, func(r *reaction) bool { return r.id == c.id("reaction") })
	if len(ic.reactions) == n {
		return notFound()
	}
	return answer{status: http.StatusNoContent}
}
