package outbox

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/store"
)

// comment edits the comment when it exists and makes it otherwise. Before the
// first one is made, GitHub is asked: the App's memory may be younger.
func (s sender) comment(ctx context.Context) (string, error) {
	var c Comment
	if err := decode(s.w, &c); err != nil {
		return "", err
	}
	body := github.IssueComment{Body: github.String(c.Body + "\n\n" + MarkerLine(c.Marker))}
	note := ""
	known, err := s.Store.Object(ctx, s.w.Object)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	if known.RemoteID == 0 {
		comments, err := s.Reader.IssueComments(ctx, s.repo, c.Number)
		if err != nil {
			return "", &postponed{wait: backoff(s.w.Attempts), note: "could not look for the comment: " + err.Error()}
		}
		if i := slices.IndexFunc(comments, func(o pull.Comment) bool { return o.Marker == c.Marker }); i >= 0 {
			known.RemoteID, note = comments[i].ID, "found on GitHub"
		}
	}
	if known.RemoteID != 0 {
		comment, _, err := s.client.Issues.EditComment(ctx, s.repo.Owner, s.repo.Name, known.RemoteID, &body)
		if err == nil {
			return note, s.Store.SaveObject(ctx, s.w.Object, store.Object{RemoteID: comment.GetID(), URL: comment.GetHTMLURL()})
		}
		if statusOf(err) != http.StatusNotFound {
			return note, err
		}
		note = "made again: the old one is gone"
	}
	s.pace(s.w.Installation)
	comment, _, err := s.client.Issues.CreateComment(ctx, s.repo.Owner, s.repo.Name, c.Number, &body)
	if err != nil {
		return note, err
	}
	return note, s.Store.SaveObject(ctx, s.w.Object, store.Object{RemoteID: comment.GetID(), URL: comment.GetHTMLURL()})
}

// edit replaces the body of a review comment, which is idempotent.
func (s sender) edit(ctx context.Context) (string, error) {
	var e Edit
	if err := decode(s.w, &e); err != nil {
		return "", err
	}
	if e.CommentID == 0 {
		comments, err := s.Reader.ReviewComments(ctx, s.repo, e.Number)
		if err != nil {
			return "", &postponed{wait: backoff(s.w.Attempts), note: "could not look for the review comment: " + err.Error()}
		}
		i := slices.IndexFunc(comments, func(o pull.Comment) bool { return o.Marker == e.Marker })
		if i < 0 {
			return "there is no such review comment", nil
		}
		e.CommentID = comments[i].ID
	}
	_, _, err := s.client.PullRequests.EditComment(ctx, s.repo.Owner, s.repo.Name, e.CommentID,
		&github.PullRequestComment{Body: github.String(e.Body + "\n\n" + MarkerLine(e.Marker))})
	if statusOf(err) == http.StatusNotFound {
		return "the review comment is gone", nil
	}
	return "", err
}

// reaction reacts; GitHub answers the same reaction with the one that is there.
func (s sender) reaction(ctx context.Context) (string, error) {
	var r Reaction
	if err := decode(s.w, &r); err != nil {
		return "", err
	}
	s.pace(s.w.Installation)
	_, _, err := s.client.Reactions.CreateIssueCommentReaction(ctx, s.repo.Owner, s.repo.Name, r.CommentID, r.Content)
	return "", err
}

// review makes a review. GitHub refuses all of it when one comment lies off
// the diff and does not say which: the comments that the diff of this moment
// does not hold, or else all of them, go into the review's body.
func (s sender) review(ctx context.Context) (string, error) {
	var r Review
	if err := decode(s.w, &r); err != nil {
		return "", err
	}
	if s.unknown {
		reviews, err := s.Reader.Reviews(ctx, s.repo, r.Number)
		if err != nil {
			return "", &postponed{wait: backoff(s.w.Attempts), note: "could not look for the review: " + err.Error()}
		}
		if i := slices.IndexFunc(reviews, func(o pull.Comment) bool { return o.Marker == r.Marker }); i >= 0 {
			return "found on GitHub", s.Store.SaveObject(ctx, s.w.Object, store.Object{RemoteID: reviews[i].ID})
		}
	}
	note := ""
	made, err := s.postReview(ctx, r, nil)
	if statusOf(err) == http.StatusUnprocessableEntity && len(r.Comments) > 0 {
		kept, listed := s.anchored(ctx, r)
		note = "some comments had no place in the diff"
		made, err = s.postReview(ctx, Review{CommitID: r.CommitID, Number: r.Number, Marker: r.Marker, Body: r.Body, Comments: kept}, listed)
		if statusOf(err) == http.StatusUnprocessableEntity && len(kept) > 0 {
			note = "no comment had a place in the diff"
			made, err = s.postReview(ctx, Review{CommitID: r.CommitID, Number: r.Number, Marker: r.Marker, Body: r.Body}, r.Comments)
		}
	}
	if err != nil {
		return note, err
	}
	return note, s.Store.SaveObject(ctx, s.w.Object, store.Object{RemoteID: made.GetID(), URL: made.GetHTMLURL()})
}

// anchored separates the comments that the present diff holds from the others.
// When the diff cannot be read or excludes none, none is kept.
func (s sender) anchored(ctx context.Context, r Review) (kept, listed []ReviewComment) {
	lines := map[string]pull.File{}
	if snapshot, err := s.Reader.PullRequest(ctx, s.repo, r.Number); err == nil && snapshot.Info().HeadSHA == r.CommitID {
		if files, err := snapshot.Files(ctx); err == nil {
			for _, f := range files {
				lines[f.Path] = f
			}
		}
	}
	for _, c := range r.Comments {
		f := lines[c.Path]
		if f.Commentable[c.Line] && (c.StartLine == 0 || f.Commentable[c.StartLine] && f.HunkOf[c.StartLine] == f.HunkOf[c.Line]) {
			kept = append(kept, c)
		} else {
			listed = append(listed, c)
		}
	}
	if len(listed) == 0 {
		return nil, r.Comments
	}
	return kept, listed
}

// postReview sends one request; listed comments become part of the body.
func (s sender) postReview(ctx context.Context, r Review, listed []ReviewComment) (*github.PullRequestReview, error) {
	var body strings.Builder
	body.WriteString(r.Body)
	for i, c := range listed {
		if i == 0 {
			body.WriteString("\n\nOutside of the diff:\n")
		}
		body.WriteString("\n- " + c.Listed)
	}
	body.WriteString("\n\n" + MarkerLine(r.Marker))
	request := &github.PullRequestReviewRequest{
		CommitID: github.String(r.CommitID), Event: github.String("COMMENT"), Body: github.String(body.String()),
	}
	for _, c := range r.Comments {
		draft := &github.DraftReviewComment{Path: github.String(c.Path), Line: github.Int(c.Line), Side: github.String("RIGHT"), Body: github.String(c.Body)}
		if c.StartLine != 0 && c.StartLine < c.Line {
			draft.StartLine, draft.StartSide = github.Int(c.StartLine), github.String("RIGHT")
		}
		request.Comments = append(request.Comments, draft)
	}
	s.pace(s.w.Installation)
	review, _, err := s.client.PullRequests.CreateReview(ctx, s.repo.Owner, s.repo.Name, r.Number, request)
	return review, err
}
