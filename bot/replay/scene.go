package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tilegate/tilegate/bot/githubsim"
)

// scene is what a payload says about the pull request or merge group.
type scene struct {
	p           payload
	owner, name string
	// pull is the pull request with what the payload does not tell made up;
	// nil for events that are about none.
	pull *pullRequest
	// before says that the pull request was there before the delivery.
	before  bool
	at      time.Time // when GitHub sent it; zero when the payload does not say
	assumed []string
}

// newScene reads a delivery.
func newScene(d Delivery) (*scene, error) {
	s := &scene{}
	if err := json.Unmarshal(d.Payload, &s.p); err != nil {
		return nil, fmt.Errorf("the payload of %s: %w", d.Event, err)
	}
	var ok bool
	if s.owner, s.name, ok = strings.Cut(s.p.Repository.FullName, "/"); !ok || s.owner == "" || s.name == "" || strings.Contains(s.name, "/") {
		return nil, fmt.Errorf(`the payload of %s: expected "repository": {"full_name": "OWNER/REPO"}, found %q; events without a repository write nothing`, d.Event, s.p.Repository.FullName)
	}
	if s.p.Installation == nil {
		return nil, fmt.Errorf(`the payload of %s: expected "installation": {"id": ...}: it is no delivery to a GitHub App`, d.Event)
	}
	if s.p.Repository.DefaultBranch == "" {
		s.p.Repository.DefaultBranch = "main"
	}
	switch {
	case s.p.MergeGroup != nil:
	case s.p.PullRequest != nil:
		pull := *s.p.PullRequest
		s.pull = &pull
		s.before = s.p.Action == "closed"
		s.time(pull.UpdatedAt)
	case s.p.Issue != nil:
		if s.p.Issue.PullRequest == nil {
			break
		}
		i := s.p.Issue
		s.pull = &pullRequest{Number: i.Number, Title: i.Title, State: i.State, User: i.User, Association: i.Association}
		s.before = true
		if s.p.Comment != nil {
			s.time(s.p.Comment.CreatedAt)
		}
	default:
		s.ofCommit()
	}
	if s.pull == nil {
		return s, nil
	}
	return s, s.complete()
}

// ofCommit makes the pull request of an event about a commit.
func (s *scene) ofCommit() {
	for _, c := range []*check{s.p.CheckRun, s.p.CheckSuite, s.p.Workflow} {
		if c == nil {
			continue
		}
		s.before = true
		s.pull = &pullRequest{}
		if len(c.PullRequests) > 0 {
			*s.pull = c.PullRequests[0]
		} else {
			// GitHub lists none for a fork's commit.
			s.assume("the pull request is #1: the delivery does not name it")
		}
		s.pull.Head.SHA = c.HeadSHA
		return
	}
}

// complete makes up what the payload does not say about the pull request.
func (s *scene) complete() error {
	p := s.pull
	if p.Number == 0 {
		p.Number = 1
	}
	if p.Number < 0 {
		return fmt.Errorf("expected a pull request's number, found %d", p.Number)
	}
	fill(&p.Title, "Pull request")
	fill(&p.State, "open")
	if p.User.Login == "" {
		p.User.Login = s.owner
		s.assume("the author is " + s.owner + ": the delivery does not name them")
	}
	fill(&p.Base.Ref, s.p.Repository.DefaultBranch)
	fill(&p.Head.Ref, "head")
	if p.Head.Repo == nil && (s.p.PullRequest == nil || p.Head.SHA == "") {
		p.Head.Repo = p.Base.Repo // the delivery does not say
	}
	if !s.fork() && p.Head.Ref == p.Base.Ref {
		return fmt.Errorf("expected two branches, found %q twice", p.Base.Ref)
	}
	return nil
}

// fill sets a field that is empty.
func fill(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

// fork reports whether the head lives in another repository.
func (s *scene) fork() bool {
	return s.pull.Head.Repo != nil && !strings.EqualFold(s.pull.Head.Repo.FullName, s.p.Repository.FullName) || s.gone()
}

// gone reports whether the head's repository was deleted, which GitHub shows as
// null.
func (s *scene) gone() bool { return s.p.PullRequest != nil && s.p.PullRequest.Head.Repo == nil }

func (s *scene) assume(text string) { s.assumed = append(s.assumed, text) }

func (s *scene) time(text string) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		s.at = t.UTC()
	}
}

// roles are the roles of the people in the payload: those given, else what
// their association suggests.
func (s *scene) roles(given map[string]string) map[string]string {
	out := map[string]string{}
	add := func(a account, association string) {
		if a.Login == "" || out[a.Login] != "" || a.Login == s.owner {
			return
		}
		role := "read"
		if slices.Contains([]string{"OWNER", "MEMBER", "COLLABORATOR"}, association) {
			role = "write"
		}
		out[a.Login] = role
		if _, ok := given[a.Login]; !ok {
			s.assume(fmt.Sprintf("%s has the role %s (--role %s=ROLE says otherwise)", a.Login, role, a.Login))
		}
	}
	if s.pull != nil {
		add(s.pull.User, s.pull.Association)
	}
	if s.p.Comment != nil {
		add(s.p.Comment.User, s.p.Comment.Association)
	}
	add(s.p.Sender, "")
	for login, role := range given {
		out[login] = role
	}
	return out
}

var commitID = regexp.MustCompile(`^[0-9a-f]{40}$`)

// build makes the repository with the base and the head, and the pull request.
// It returns the ids that the simulation gives to the recorded commits.
func (s *scene) build(sim *githubsim.Sim, base, head fs.FS, roles map[string]string) (repo *githubsim.Repo, shas map[string]string, err error) {
	main := s.p.Repository.DefaultBranch
	options := []githubsim.RepoOption{githubsim.DefaultBranch(main)}
	if s.p.Repository.Private {
		options = append(options, githubsim.Private())
	}
	if repo, err = sim.CreateRepo(s.owner, s.name, base, options...); err != nil {
		return nil, nil, err
	}
	for login, role := range roles {
		repo.SetPermission(login, role)
	}
	changes, err := changesBetween(base, head)
	if err != nil {
		return nil, nil, err
	}
	shas = map[string]string{}
	know := func(recorded, simulated string) {
		if commitID.MatchString(recorded) {
			shas[recorded] = simulated
		}
	}
	if m := s.p.MergeGroup; m != nil {
		ref := strings.TrimPrefix(m.HeadRef, "refs/heads/")
		if ref == "" {
			ref = "gh-readonly-queue/" + main
		}
		baseRef := strings.TrimPrefix(m.BaseRef, "refs/heads/")
		if err := ensureBranch(repo, baseRef, main); err != nil {
			return nil, nil, err
		}
		sha, err := repo.ForcePush(ref, main, s.owner, "Merge group", changes)
		know(m.BaseSHA, repo.Head(main))
		know(m.HeadSHA, sha)
		return repo, shas, err
	}
	if s.pull == nil {
		return repo, shas, nil
	}
	if len(changes) == 0 {
		s.assume("the head changes nothing: both trees are equal")
	}
	p := s.pull
	if err := ensureBranch(repo, p.Base.Ref, main); err != nil {
		return nil, nil, err
	}
	from := repo
	if s.fork() {
		owner := p.User.Login
		if p.Head.Repo != nil {
			owner, _, _ = strings.Cut(p.Head.Repo.FullName, "/")
		}
		if from, err = repo.Fork(owner); err != nil {
			return nil, nil, err
		}
	}
	sha, err := from.ForcePush(p.Head.Ref, p.Base.Ref, p.User.Login, p.Title, changes)
	if err != nil {
		return nil, nil, err
	}
	know(p.Base.SHA, repo.Head(p.Base.Ref))
	know(p.Head.SHA, sha)
	_, err = repo.OpenPull(githubsim.PullOptions{
		Title: p.Title, Body: p.Body, Author: p.User.Login, Head: from, Branch: p.Head.Ref, Base: p.Base.Ref, Draft: p.Draft, Number: p.Number,
	})
	if err != nil {
		return nil, nil, err
	}
	if s.gone() {
		from.Delete()
	}
	return repo, shas, nil
}

// ensureBranch makes a branch at the default branch's tip, unless it is that.
func ensureBranch(repo *githubsim.Repo, name, main string) error {
	if name == "" || repo.Head(name) != "" {
		return nil
	}
	return repo.CreateBranch(name, main)
}

// changesBetween are the changes of one commit that turn one tree into the other.
func changesBetween(from, to fs.FS) (githubsim.Changes, error) {
	before, err := files(from)
	if err != nil {
		return nil, fmt.Errorf("the base: %w", err)
	}
	after, err := files(to)
	if err != nil {
		return nil, fmt.Errorf("the head: %w", err)
	}
	out := githubsim.Changes{}
	for p, f := range after {
		if old := before[p]; old == nil || old.Mode != f.Mode || !bytes.Equal(old.Data, f.Data) {
			out[p] = f
		}
	}
	for p := range before {
		if after[p] == nil {
			out[p] = nil
		}
	}
	return out, nil
}

// files reads the regular files and symbolic links of a tree.
func files(tree fs.FS) (map[string]*githubsim.File, error) {
	out := map[string]*githubsim.File{}
	err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path.Base(p) == ".git":
			return fs.SkipDir
		case d.Type()&fs.ModeSymlink != 0:
			target, err := fs.ReadLink(tree, p)
			out[p] = githubsim.Symlink(target)
			return err
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := fs.ReadFile(tree, p)
		out[p] = githubsim.Binary(data)
		if info.Mode()&0o111 != 0 {
			out[p].Mode = githubsim.ModeExecutable
		}
		return err
	})
	return out, err
}

// rewrite makes a payload speak of the simulation: its installation, its
// commits and, for a comment, its comment.
func rewrite(data []byte, installation, comment int64, shas map[string]string) ([]byte, error) {
	for recorded, simulated := range shas {
		data = bytes.ReplaceAll(data, []byte(recorded), []byte(simulated))
	}
	var doc map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&doc); err != nil {
		return nil, err
	}
	set := func(name string, id int64) error {
		object, ok := doc[name].(map[string]any)
		if !ok {
			return errors.New("expected an object " + name)
		}
		object["id"] = id
		return nil
	}
	if err := set("installation", installation); err != nil {
		return nil, err
	}
	if comment != 0 {
		if err := set("comment", comment); err != nil {
			return nil, err
		}
	}
	return json.Marshal(doc)
}
