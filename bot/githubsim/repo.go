package githubsim

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Repo is a repository.
type Repo struct {
	sim           *Sim
	id            int64
	owner         *user
	name          string
	private       bool
	notInstalled  bool
	deleted       bool
	parent        *Repo
	defaultBranch string
	created       time.Time
	pushed        time.Time

	st          *store // shared with forks
	branches    map[string]string
	permissions map[*user]string
	issues      map[int]*issue
	lastNumber  int
	workflows   map[string]int64 // by path
}

func (r *Repo) fullName() string { return r.owner.login + "/" + r.name }

// FullName is owner/name.
func (r *Repo) FullName() string { return r.fullName() }

// ID is the repository's id.
func (r *Repo) ID() int64 { return r.id }

// Installation is the id of the App's installation on the repository, 0 for none.
func (r *Repo) Installation() int64 {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	if i := r.sim.installationOf(r); i != nil {
		return i.id
	}
	return 0
}

// RepoOption changes how CreateRepo makes a repository.
type RepoOption func(*Repo)

// Private makes the repository private.
func Private() RepoOption { return func(r *Repo) { r.private = true } }

// NotInstalled keeps the App off the repository.
func NotInstalled() RepoOption { return func(r *Repo) { r.notInstalled = true } }

// DefaultBranch names the first branch, which is main otherwise.
func DefaultBranch(name string) RepoOption { return func(r *Repo) { r.defaultBranch = name } }

// CreateRepo makes a repository whose default branch has one commit with the
// files of tree. The owner becomes its admin, and the App is installed on the
// owner's account unless it already is.
func (s *Sim) CreateRepo(owner, name string, tree fs.FS, opts ...RepoOption) (*Repo, error) {
	ch, err := changesFrom(tree)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.newRepo(owner, name, newStore())
	if err != nil {
		return nil, err
	}
	for _, o := range opts {
		o(r)
	}
	files, err := r.st.apply(nil, ch)
	if err != nil {
		return nil, err
	}
	c, err := r.st.putCommit(files, nil, owner, "Initial commit", s.now())
	if err != nil {
		return nil, err
	}
	r.branches[r.defaultBranch] = c.id
	r.permissions[r.owner] = "admin"
	s.repos[strings.ToLower(r.fullName())] = r
	if !r.notInstalled && s.installationOf(r) == nil {
		i := &installation{id: s.nextID(), account: r.owner, permissions: maps.Clone(DefaultPermissions), since: s.now()}
		s.installations = append(s.installations, i)
		s.emitInstallation(i, "created")
	}
	return r, nil
}

func (s *Sim) newRepo(owner, name string, st *store) (*Repo, error) {
	if _, taken := s.repos[strings.ToLower(owner+"/"+name)]; taken {
		return nil, fmt.Errorf("githubsim: %s/%s exists", owner, name)
	}
	now := s.now()
	return &Repo{
		sim: s, id: s.nextID(), owner: s.user(owner), name: name, defaultBranch: "main", created: now, pushed: now,
		st: st, branches: map[string]string{}, permissions: map[*user]string{}, issues: map[int]*issue{},
		workflows: map[string]int64{},
	}, nil
}

// Fork copies the repository to another owner. The App is not installed there.
func (r *Repo) Fork(owner string) (*Repo, error) {
	s := r.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.newRepo(owner, r.name, r.st)
	if err != nil {
		return nil, err
	}
	f.parent, f.private, f.notInstalled, f.defaultBranch = r, r.private, true, r.defaultBranch
	f.branches = maps.Clone(r.branches)
	f.permissions[f.owner] = "admin"
	s.repos[strings.ToLower(f.fullName())] = f
	return f, nil
}

// Delete deletes the repository, such as a fork with open pull requests.
func (r *Repo) Delete() {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	r.deleted = true
}

// roles are GitHub's repository roles, weakest first.
var roles = []string{"none", "read", "triage", "write", "maintain", "admin"}

// SetPermission gives a user a role: none, read, triage, write, maintain, admin.
func (r *Repo) SetPermission(login, role string) {
	if !slices.Contains(roles, role) {
		panic(fmt.Sprintf("githubsim: expected one of %v, found %q", roles, role))
	}
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	r.permissions[r.sim.user(login)] = role
}

// role is what a user may do; everyone may read a public repository.
func (r *Repo) role(u *user) string {
	if role, set := r.permissions[u]; set {
		return role
	}
	if r.private {
		return "none"
	}
	return "read"
}

// association is GitHub's display data about an author.
func (r *Repo) association(u *user) string {
	if u == r.owner {
		return "OWNER"
	}
	if slices.Index(roles, r.permissions[u]) >= slices.Index(roles, "triage") {
		return "COLLABORATOR"
	}
	return "NONE"
}

// Head is the commit at the tip of a branch; "" when there is no such branch.
func (r *Repo) Head(branch string) string {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	return r.branches[branch]
}

// Read returns one file of a commit or branch.
func (r *Repo) Read(ref, path string) ([]byte, error) {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	c := r.resolve(ref)
	if c == nil {
		return nil, fmt.Errorf("githubsim: %s has no commit or branch %q: %w", r.fullName(), ref, fs.ErrNotExist)
	}
	e, found := c.files[path]
	if !found {
		return nil, fmt.Errorf("githubsim: %s at %s has no file %q: %w", r.fullName(), c.id, path, fs.ErrNotExist)
	}
	return slices.Clone(r.st.blob(e.id)), nil
}

// CreateBranch makes a branch at a commit or at another branch's tip.
func (r *Repo) CreateBranch(name, from string) error {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	c := r.resolve(from)
	if c == nil {
		return fmt.Errorf("githubsim: %s has no commit or branch %q", r.fullName(), from)
	}
	if _, exists := r.branches[name]; exists {
		return fmt.Errorf("githubsim: %s already has a branch %q", r.fullName(), name)
	}
	r.move(name, c.id, r.owner)
	return nil
}

// Commit adds a commit on top of a branch and pushes it as author. Open pull
// requests from that branch are synchronized. It returns the commit's id.
func (r *Repo) Commit(branch, author, message string, ch Changes) (string, error) {
	return r.ForcePush(branch, branch, author, message, ch)
}

// ForcePush makes branch point to a new commit on top of onto, which is a
// commit or a branch. A branch that does not exist is created.
func (r *Repo) ForcePush(branch, onto, author, message string, ch Changes) (string, error) {
	s := r.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	parent := r.resolve(onto)
	if parent == nil {
		return "", fmt.Errorf("githubsim: %s has no commit or branch %q", r.fullName(), onto)
	}
	files, err := r.st.apply(parent.files, ch)
	if err != nil {
		return "", err
	}
	c, err := r.st.putCommit(files, []string{parent.id}, author, message, s.now())
	if err != nil {
		return "", err
	}
	r.move(branch, c.id, s.user(author))
	return c.id, nil
}

// Restore points a branch back at an existing commit, as a force-push does.
func (r *Repo) Restore(branch, commit, author string) error {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	c := r.resolve(commit)
	if c == nil {
		return fmt.Errorf("githubsim: %s has no commit %q", r.fullName(), commit)
	}
	r.move(branch, c.id, r.sim.user(author))
	return nil
}

// move points a branch at a commit and announces that.
func (r *Repo) move(branch, id string, by *user) {
	s := r.sim
	before := r.branches[branch]
	if before == id {
		return
	}
	r.branches[branch] = id
	r.pushed = s.now()
	s.emitPush(r, branch, before, id, by)
	for _, p := range s.openPulls() {
		if p.headRepo == r && p.headRef == branch {
			s.synchronize(p, before, by)
		}
	}
}

// Export writes the repository, with all branches and the heads of its pull
// requests (refs/pull/N/head), as a bare git repository into an empty folder.
// Calling it again adds what is new.
func (r *Repo) Export(dir string) error {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	refs := map[string]string{}
	for b, id := range r.branches {
		refs["refs/heads/"+b] = id
	}
	for n, i := range r.issues {
		if i.pull != nil {
			refs[fmt.Sprintf("refs/pull/%d/head", n)] = i.pull.headSHA
		}
	}
	return r.st.export(dir, r.defaultBranch, refs)
}

// resolve finds a commit by branch name, refs/heads/name, refs/pull/N/head or id.
func (r *Repo) resolve(ref string) *commit {
	if id, isBranch := r.branches[strings.TrimPrefix(strings.TrimPrefix(ref, "refs/"), "heads/")]; isBranch {
		return r.st.commits[id]
	}
	if rest, isPull := strings.CutPrefix(strings.TrimPrefix(ref, "refs/"), "pull/"); isPull {
		number, _, _ := strings.Cut(rest, "/")
		n, _ := strconv.Atoi(number)
		if i := r.issues[n]; i != nil && i.pull != nil && strings.HasSuffix(rest, "/head") {
			return r.st.commits[i.pull.headSHA]
		}
		return nil
	}
	return r.st.commits[ref]
}
