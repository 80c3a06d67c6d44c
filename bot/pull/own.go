package pull

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/tilegate/tilegate/bot/appauth"
)

// bot returns the numeric id of the App's own user, by which its comments are
// told from those of others; a name or a text could be imitated.
func (g *GitHub) bot(ctx context.Context, installation int64) (int64, error) {
	g.mu.Lock()
	id := g.botID
	g.mu.Unlock()
	if id != 0 {
		return id, nil
	}
	app, _, err := g.clients.App().Apps.Get(ctx, "")
	if err != nil {
		return 0, fail(err, "read the App")
	}
	if app.GetID() != g.clients.AppID() || app.GetSlug() == "" {
		return 0, fmt.Errorf("read the App: expected the name of App %d, found %q of App %d", g.clients.AppID(), app.GetSlug(), app.GetID())
	}
	user, _, err := g.clients.Read(installation).Users.Get(ctx, app.GetSlug()+"[bot]")
	if err != nil {
		return 0, fail(err, "read the user of the App")
	}
	if user.GetID() == 0 {
		return 0, errors.New("read the user of the App: GitHub gives no id")
	}
	g.mu.Lock()
	g.botID = user.GetID()
	g.mu.Unlock()
	return user.GetID(), nil
}

// marker returns the content of the hidden line at the end of a body.
func marker(body string) string {
	body = strings.TrimRight(body, " \t\r\n")
	line := strings.TrimSpace(body[strings.LastIndexAny(body, "\r\n")+1:])
	inside, ok := strings.CutPrefix(line, "<!--")
	if !ok {
		return ""
	}
	inside, ok = strings.CutSuffix(inside, "-->")
	inside = strings.TrimSpace(inside)
	if !ok || !strings.HasPrefix(inside, "tilegate:") || strings.Contains(inside, "-->") {
		return ""
	}
	return inside
}

// IssueComments implements Reader, oldest first.
func (g *GitHub) IssueComments(ctx context.Context, repo Repo, number int) ([]Comment, error) {
	return own(ctx, g, repo, fmt.Sprintf("the comments of %s#%d", repo, number),
		func(client *github.Client, o github.ListOptions) ([]*github.IssueComment, *github.Response, error) {
			return client.Issues.ListComments(ctx, repo.Owner, repo.Name, number, &github.IssueListCommentsOptions{ListOptions: o})
		},
		func(c *github.IssueComment) Comment {
			return Comment{ID: c.GetID(), NodeID: c.GetNodeID(), Body: c.GetBody()}
		})
}

// ReviewComments implements Reader, oldest first. Line is 0 for a comment whose
// line is no longer part of the diff.
func (g *GitHub) ReviewComments(ctx context.Context, repo Repo, number int) ([]Comment, error) {
	return own(ctx, g, repo, fmt.Sprintf("the review comments of %s#%d", repo, number),
		func(client *github.Client, o github.ListOptions) ([]*github.PullRequestComment, *github.Response, error) {
			return client.PullRequests.ListComments(ctx, repo.Owner, repo.Name, number, &github.PullRequestListCommentsOptions{ListOptions: o})
		},
		func(c *github.PullRequestComment) Comment {
			return Comment{ID: c.GetID(), NodeID: c.GetNodeID(), ReviewID: c.GetPullRequestReviewID(), Path: c.GetPath(), Line: c.GetLine(), Body: c.GetBody()}
		})
}

// Reviews implements Reader, oldest first.
func (g *GitHub) Reviews(ctx context.Context, repo Repo, number int) ([]Comment, error) {
	return own(ctx, g, repo, fmt.Sprintf("the reviews of %s#%d", repo, number),
		func(client *github.Client, o github.ListOptions) ([]*github.PullRequestReview, *github.Response, error) {
			return client.PullRequests.ListReviews(ctx, repo.Owner, repo.Name, number, &o)
		},
		func(c *github.PullRequestReview) Comment {
			return Comment{ID: c.GetID(), NodeID: c.GetNodeID(), ReviewID: c.GetID(), Body: c.GetBody()}
		})
}

// own lists what the App itself wrote of some kind, by id. what names the list in an
// error.
func own[T interface{ GetUser() *github.User }](ctx context.Context, g *GitHub, repo Repo, what string,
	page func(*github.Client, github.ListOptions) ([]T, *github.Response, error), comment func(T) Comment) ([]Comment, error) {
	client, err := g.read(repo)
	if err != nil {
		return nil, err
	}
	bot, err := g.bot(ctx, repo.Installation)
	if err != nil {
		return nil, err
	}
	list, err := all(func(o github.ListOptions) ([]T, *github.Response, error) { return page(client, o) })
	if err != nil {
		return nil, fail(err, "list %s", what)
	}
	var own []Comment
	for _, t := range list {
		if t.GetUser().GetID() == bot {
			c := comment(t)
			c.Marker = marker(c.Body)
			own = append(own, c)
		}
	}
	sort.SliceStable(own, func(i, j int) bool { return own[i].ID < own[j].ID })
	return own, nil
}

// CheckRuns implements Reader. Runs of other Apps are left out, whatever their
// names are.
func (g *GitHub) CheckRuns(ctx context.Context, repo Repo, sha string) ([]CheckRun, error) {
	client, err := g.read(repo)
	if err != nil {
		return nil, err
	}
	if err := checkSHA(sha); err != nil {
		return nil, err
	}
	app := g.clients.AppID()
	list, err := all(func(o github.ListOptions) ([]*github.CheckRun, *github.Response, error) {
		page, resp, err := client.Checks.ListCheckRunsForRef(ctx, repo.Owner, repo.Name, sha, &github.ListCheckRunsOptions{
			Filter: github.String("all"), AppID: &app, ListOptions: o,
		})
		if err != nil {
			return nil, resp, err
		}
		return page.CheckRuns, resp, nil
	})
	if err != nil {
		return nil, fail(err, "list the check runs of %s at %s", repo, sha)
	}
	var own []CheckRun
	for _, c := range list {
		if c.GetApp().GetID() == app {
			own = append(own, CheckRun{
				ID: c.GetID(), Name: c.GetName(), HeadSHA: c.GetHeadSHA(), ExternalID: c.GetExternalID(), Status: c.GetStatus(),
				Conclusion: c.GetConclusion(), Annotations: c.GetOutput().GetAnnotationsCount(),
			})
		}
	}
	sort.SliceStable(own, func(i, j int) bool { return own[i].ID > own[j].ID })
	return own, nil
}

// Installations implements Reader. An installation whose repositories cannot be
// listed carries the reason and does not keep the others from being listed.
func (g *GitHub) Installations(ctx context.Context) ([]Installation, error) {
	list, err := all(func(o github.ListOptions) ([]*github.Installation, *github.Response, error) {
		return g.clients.App().Apps.ListInstallations(ctx, &o)
	})
	if err != nil {
		return nil, fail(err, "list the installations of the App")
	}
	var installations []Installation
	for _, i := range list {
		one := Installation{ID: i.GetID(), Suspended: i.SuspendedAt != nil}
		if !one.Suspended {
			one.Repos, one.Err = g.repos(ctx, one.ID)
			if errors.Is(one.Err, appauth.ErrSuspended) {
				one.Suspended, one.Err = true, nil
			}
		}
		installations = append(installations, one)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return installations, nil
}

func (g *GitHub) repos(ctx context.Context, installation int64) ([]Repo, error) {
	list, err := all(func(o github.ListOptions) ([]*github.Repository, *github.Response, error) {
		page, resp, err := g.clients.Read(installation).Apps.ListRepos(ctx, &o)
		if err != nil {
			return nil, resp, err
		}
		return page.Repositories, resp, nil
	})
	if err != nil {
		return nil, fail(err, "list the repositories of installation %d", installation)
	}
	var repos []Repo
	for _, r := range list {
		if !r.GetArchived() {
			repos = append(repos, Repo{Installation: installation, Owner: r.GetOwner().GetLogin(), Name: r.GetName()})
		}
	}
	return repos, nil
}
