package pull

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/tilegate/tilegate/bot/appauth"
)

// Clients hands out the clients that a reader uses; *appauth.Factory is one.
type Clients interface {
	AppID() int64
	App() *github.Client
	Read(installation int64) *github.Client
	Download(installation int64) *github.Client
}

// Config describes a reader.
type Config struct {
	Clients Clients
	// Now is the clock; nil for the machine's.
	Now func() time.Time
	// Want chooses the files of a tree that are kept; nil for Wanted.
	Want func(path string) bool
	// Limits that are zero have the values of DefaultLimits.
	Limits Limits
}

// Limits bound what is taken into memory, in bytes unless named otherwise.
type Limits struct {
	// File is the largest file of a tree that is kept. A larger one is listed
	// and fails to be read.
	File int64
	// Tree is the sum of the kept files of one tree.
	Tree int64
	// Archive is a source archive before, Unpacked after decompression.
	Archive, Unpacked int64
	// Blobs is the number of files of one tree that are read singly, because
	// the archive lacks them or has changed them.
	Blobs int
	// Artifact is an artifact before decompression, ArtifactFile one of its
	// files, ArtifactTotal all of them, ArtifactFiles their number.
	Artifact, ArtifactFile, ArtifactTotal int64
	ArtifactFiles                         int
	// Cache is the sum of the trees that are kept for the next snapshot.
	Cache int64
}

// DefaultLimits fit TileGym ten times over.
var DefaultLimits = Limits{
	File: 8 << 20, Tree: 128 << 20, Archive: 512 << 20, Unpacked: 4 << 30, Blobs: 1000,
	Artifact: 64 << 20, ArtifactFile: 32 << 20, ArtifactTotal: 128 << 20, ArtifactFiles: 2000,
	Cache: 256 << 20,
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits
	for _, pair := range []struct{ value, standard *int64 }{
		{&l.File, &d.File}, {&l.Tree, &d.Tree}, {&l.Archive, &d.Archive}, {&l.Unpacked, &d.Unpacked},
		{&l.Artifact, &d.Artifact}, {&l.ArtifactFile, &d.ArtifactFile}, {&l.ArtifactTotal, &d.ArtifactTotal}, {&l.Cache, &d.Cache},
	} {
		if *pair.value == 0 {
			*pair.value = *pair.standard
		}
	}
	if l.Blobs == 0 {
		l.Blobs = d.Blobs
	}
	if l.ArtifactFiles == 0 {
		l.ArtifactFiles = d.ArtifactFiles
	}
	return l
}

// GitHub is the Reader that asks GitHub's API.
type GitHub struct {
	clients  Clients
	now      func() time.Time
	want     func(string) bool
	limits   Limits
	listings *cache[treeKey, *listing]
	trees    *cache[treeKey, *tree]

	mu    sync.Mutex
	botID int64
}

var _ Reader = (*GitHub)(nil)

// NewReader returns a reader. It keeps only what cannot become stale: the trees
// of commits, and the id of the App's own user.
func NewReader(c Config) *GitHub {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Want == nil {
		c.Want = Wanted
	}
	limits := c.Limits.withDefaults()
	return &GitHub{
		clients: c.Clients, now: c.Now, want: c.Want, limits: limits,
		// A listed file costs about 200 bytes.
		listings: newCache[treeKey](limits.Cache/4, func(l *listing) int64 { return int64(len(l.files)) * 200 }),
		trees:    newCache[treeKey](limits.Cache, func(t *tree) int64 { return t.bytes }),
	}
}

const (
	perPage  = 100
	maxPages = 100
)

// all reads the pages of a list.
func all[T any](get func(github.ListOptions) ([]T, *github.Response, error)) ([]T, error) {
	var list []T
	options := github.ListOptions{PerPage: perPage, Page: 1}
	for range maxPages {
		items, resp, err := get(options)
		if err != nil {
			return nil, err
		}
		list = append(list, items...)
		switch {
		case resp != nil && resp.NextPage > options.Page:
			options.Page = resp.NextPage
		case len(items) == perPage && (resp == nil || resp.Header.Get("Link") == ""):
			// A full page without any link may be followed by another.
			options.Page++
		default:
			return list, nil
		}
	}
	return nil, fmt.Errorf("%w: a list of more than %d pages", ErrTooLarge, maxPages)
}

// fail says what could not be read, and gives the errors of GitHub their kinds.
func fail(err error, format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	var (
		answer    *github.ErrorResponse
		transport *url.Error
	)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, appauth.ErrSuspended), errors.Is(err, appauth.ErrGone), errors.Is(err, appauth.ErrRights):
		return fmt.Errorf("%s: %w: %w", what, ErrForbidden, withoutURL(err))
	case errors.As(err, &answer) && answer.Response != nil:
		text := answer.Message
		if len(text) > 200 {
			text = strings.ToValidUTF8(text[:200], "") + "..."
		}
		status := answer.Response.StatusCode
		switch kind := kindOf(status, answer); kind {
		case nil:
			return fmt.Errorf("%s: GitHub answers %d: %q", what, status, text)
		default:
			return fmt.Errorf("%s: %w (GitHub answers %d: %q)", what, kind, status, text)
		}
	case errors.As(err, &transport):
		return fmt.Errorf("%s: %w", what, withoutURL(err))
	}
	return fmt.Errorf("%s: %w", what, err)
}

func kindOf(status int, answer *github.ErrorResponse) error {
	for _, e := range answer.Errors {
		if e.Code == "too_large" {
			return ErrTooLarge
		}
	}
	switch status {
	case http.StatusNotFound, http.StatusGone:
		return ErrNotFound
	case http.StatusForbidden, http.StatusUnavailableForLegalReasons:
		return ErrForbidden
	case http.StatusNotAcceptable, http.StatusRequestEntityTooLarge:
		return ErrTooLarge
	case http.StatusUnprocessableEntity:
		if strings.HasPrefix(answer.Message, "No commit found") {
			return ErrNotFound
		}
	}
	return nil
}

// withoutURL drops the address from a transport's error: the addresses to which
// GitHub redirects carry tokens.
func withoutURL(err error) error {
	var transport *url.Error
	if errors.As(err, &transport) {
		return transport.Err
	}
	return err
}

var (
	nameShape     = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)
	shaShape      = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
	workflowShape = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,200}\.ya?ml$`)
)

// check refuses names that would lead to another address of the API.
func (r Repo) check() error {
	for _, name := range []string{r.Owner, r.Name} {
		if !nameShape.MatchString(name) || strings.Trim(name, ".") == "" {
			return fmt.Errorf("expected the name of a repository, found %q", r.String())
		}
	}
	return nil
}

func checkSHA(sha string) error {
	if !shaShape.MatchString(sha) {
		return fmt.Errorf("expected a full commit SHA, found %q", sha)
	}
	return nil
}

// read returns the client for a repository after a look at its name.
func (g *GitHub) read(repo Repo) (*github.Client, error) {
	if err := repo.check(); err != nil {
		return nil, err
	}
	return g.clients.Read(repo.Installation), nil
}

// PullRequest implements Reader.
func (g *GitHub) PullRequest(ctx context.Context, repo Repo, number int) (Snapshot, error) {
	client, err := g.read(repo)
	if err != nil {
		return nil, err
	}
	pr, _, err := client.PullRequests.Get(ctx, repo.Owner, repo.Name, number)
	if err != nil {
		return nil, fail(err, "read pull request %s#%d", repo, number)
	}
	info, err := infoOf(repo, pr)
	if err != nil {
		return nil, fmt.Errorf("read pull request %s#%d: %w", repo, number, err)
	}
	// The base SHA of a pull request is that of its last push, not the tip.
	switch tip, err := g.tip(ctx, client, info.Repo, info.BaseRef); {
	case err == nil:
		info.BaseSHA = tip
	case !errors.Is(err, ErrNotFound):
		return nil, err
	}
	if err := checkSHA(info.BaseSHA); err != nil {
		return nil, fmt.Errorf("read the base of %s#%d: %w", repo, number, err)
	}
	return &snapshot{reader: g, info: info, takenAt: g.now(), changedFiles: pr.GetChangedFiles()}, nil
}

// Commit implements Reader.
func (g *GitHub) Commit(ctx context.Context, repo Repo, headSHA, base string) (Snapshot, error) {
	client, err := g.read(repo)
	if err != nil {
		return nil, err
	}
	if err := checkSHA(headSHA); err != nil {
		return nil, err
	}
	info := Info{Repo: repo, State: "open", HeadSHA: headSHA, HeadRepo: repo.String(), BaseRef: base, BaseSHA: base}
	if !shaShape.MatchString(base) {
		if info.BaseSHA, err = g.tip(ctx, client, repo, base); err != nil {
			return nil, err
		}
	}
	return &snapshot{reader: g, info: info, takenAt: g.now(), changedFiles: -1}, nil
}

// tip returns the commit at the end of a branch.
func (g *GitHub) tip(ctx context.Context, client *github.Client, repo Repo, branch string) (string, error) {
	ref, _, err := client.Git.GetRef(ctx, repo.Owner, repo.Name, "heads/"+strings.TrimPrefix(branch, "refs/heads/"))
	if err != nil {
		return "", fail(err, "read branch %q of %s", branch, repo)
	}
	sha := ref.GetObject().GetSHA()
	if err := checkSHA(sha); err != nil {
		return "", fmt.Errorf("read branch %q of %s: %w", branch, repo, err)
	}
	return sha, nil
}

func infoOf(repo Repo, pr *github.PullRequest) (Info, error) {
	// GitHub's own spelling, so that names can be compared.
	if base := pr.GetBase().GetRepo(); base.GetOwner().GetLogin() != "" && base.GetName() != "" {
		repo.Owner, repo.Name = base.GetOwner().GetLogin(), base.GetName()
	}
	info := Info{
		Repo: repo, Number: pr.GetNumber(), Title: pr.GetTitle(), Author: pr.GetUser().GetLogin(),
		State: pr.GetState(), Merged: pr.GetMerged() || pr.MergedAt != nil, Draft: pr.GetDraft(), Locked: pr.GetLocked(),
		HeadSHA: pr.GetHead().GetSHA(), HeadRepo: pr.GetHead().GetRepo().GetFullName(),
		BaseRef: pr.GetBase().GetRef(), BaseSHA: pr.GetBase().GetSHA(), CreatedAt: pr.GetCreatedAt().Time,
	}
	return info, checkSHA(info.HeadSHA)
}

// OpenPullRequests implements Reader. BaseSHA is the base of the last push.
func (g *GitHub) OpenPullRequests(ctx context.Context, repo Repo) ([]Info, error) {
	client, err := g.read(repo)
	if err != nil {
		return nil, err
	}
	list, err := all(func(o github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
		return client.PullRequests.List(ctx, repo.Owner, repo.Name, &github.PullRequestListOptions{State: "open", Sort: "created", Direction: "asc", ListOptions: o})
	})
	if err != nil {
		return nil, fail(err, "list the open pull requests of %s", repo)
	}
	infos := make([]Info, 0, len(list))
	seen := map[int]bool{}
	for _, pr := range list {
		info, err := infoOf(repo, pr)
		if err != nil {
			return nil, fmt.Errorf("list the open pull requests of %s: #%d: %w", repo, pr.GetNumber(), err)
		}
		// The list may shift by one between two pages.
		if !seen[info.Number] {
			seen[info.Number] = true
			infos = append(infos, info)
		}
	}
	return infos, nil
}

// Permission implements Reader. A person whom GitHub does not know has "none".
func (g *GitHub) Permission(ctx context.Context, repo Repo, login string) (string, error) {
	client, err := g.read(repo)
	if err != nil {
		return "", err
	}
	if login == "" || len(login) > 100 || strings.ContainsAny(login, "/?#%\\ ") || strings.Trim(login, ".") == "" {
		return "", fmt.Errorf("expected a login, found %q", login)
	}
	req, err := client.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/collaborators/%s/permission", repo.Owner, repo.Name, url.PathEscape(login)), nil)
	if err != nil {
		return "", err
	}
	// The library's type lacks the role.
	var answer struct {
		Permission string `json:"permission"`
		RoleName   string `json:"role_name"`
		User       struct {
			Permissions map[string]bool `json:"permissions"`
		} `json:"user"`
	}
	if _, err := client.Do(ctx, req, &answer); err != nil {
		if err = fail(err, "read the role of %q in %s", login, repo); errors.Is(err, ErrNotFound) {
			return "none", nil
		}
		return "", err
	}
	switch answer.RoleName {
	case "admin", "maintain", "write", "triage", "read", "none":
		return answer.RoleName, nil
	}
	// A role that an organisation made builds on one of the five.
	for _, right := range []struct{ name, role string }{
		{"admin", "admin"}, {"maintain", "maintain"}, {"push", "write"}, {"triage", "triage"}, {"pull", "read"},
	} {
		if answer.User.Permissions[right.name] {
			return right.role, nil
		}
	}
	switch answer.Permission {
	case "admin", "maintain", "write", "triage", "read", "none":
		return answer.Permission, nil
	}
	return "", fmt.Errorf("read the role of %q in %s: expected a role, found %q", login, repo, answer.Permission)
}

// DefaultBranch implements Reader.
func (g *GitHub) DefaultBranch(ctx context.Context, repo Repo) (string, error) {
	client, err := g.read(repo)
	if err != nil {
		return "", err
	}
	r, _, err := client.Repositories.Get(ctx, repo.Owner, repo.Name)
	if err != nil {
		return "", fail(err, "read %s", repo)
	}
	if r.GetDefaultBranch() == "" {
		return "", fmt.Errorf("read %s: GitHub names no default branch", repo)
	}
	return r.GetDefaultBranch(), nil
}
