package githubsim

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"path"
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

func (s *Sim) getRepo(c *request) answer { return ok(s.viewRepo(c.base, c.repo, true)) }

func (s *Sim) listBranches(c *request) answer {
	names := slices.Sorted(maps.Keys(c.repo.branches))
	return list(c, names, func(name string) obj {
		id := c.repo.branches[name]
		return obj{
			"name": name, "protected": name == c.repo.defaultBranch,
			"commit": obj{"sha": id, "url": c.repo.api(c.base) + "/commits/" + id},
		}
	})
}

func (s *Sim) getBranch(c *request) answer {
	name := c.PathValue("branch")
	id, found := c.repo.branches[name]
	if !found {
		return fail(http.StatusNotFound, "Branch not found")
	}
	self := c.repo.api(c.base) + "/branches/" + url.PathEscape(name)
	return ok(obj{
		"name": name, "commit": s.viewCommit(c.base, c.repo, c.repo.st.commits[id]),
		"_links":    obj{"html": c.repo.html(c.base) + "/tree/" + url.PathEscape(name), "self": self},
		"protected": name == c.repo.defaultBranch, "protection": obj{"enabled": false}, "protection_url": self + "/protection",
	})
}

func (s *Sim) listCommits(c *request) answer {
	from := c.URL.Query().Get("sha")
	if from == "" {
		from = c.repo.defaultBranch
	}
	head := c.repo.resolve(from)
	if head == nil {
		return notFound()
	}
	all := c.repo.st.between("", head.id)
	slices.Reverse(all)
	return list(c, all, func(x *commit) obj { return s.viewCommit(c.base, c.repo, x) })
}

func (s *Sim) getCommit(c *request) answer {
	x := c.repo.resolve(c.PathValue("ref"))
	if x == nil {
		return invalid("No commit found for SHA: " + c.PathValue("ref"))
	}
	if c.accepts("sha") {
		return answer{status: http.StatusOK, raw: []byte(x.id), typ: "application/vnd.github.sha; charset=utf-8"}
	}
	v := s.viewCommit(c.base, c.repo, x)
	var parent map[string]entry
	if len(x.parents) > 0 {
		parent = c.repo.st.commits[x.parents[0]].files
	}
	changes := c.repo.st.diffTrees(parent, x.files)
	add, del := 0, 0
	for _, ch := range changes {
		add, del = add+ch.additions, del+ch.deletions
	}
	v["stats"] = obj{"additions": add, "deletions": del, "total": add + del}
	v["files"] = s.viewChanges(c.base, c.repo, x.id, changes[:min(len(changes), 300)])
	return ok(v)
}

func (s *Sim) getRef(c *request) answer {
	ref := c.PathValue("ref")
	name, isBranch := strings.CutPrefix(ref, "heads/")
	id := c.repo.branches[name]
	if !isBranch || id == "" {
		x := c.repo.resolve(ref)
		if x == nil || !strings.HasPrefix(ref, "pull/") {
			return notFound()
		}
		id = x.id
	}
	return ok(obj{
		"ref": "refs/" + ref, "node_id": node("REF", c.repo.id), "url": c.repo.api(c.base) + "/git/refs/" + ref,
		"object": obj{"type": "commit", "sha": id, "url": c.repo.api(c.base) + "/git/commits/" + id},
	})
}

func (s *Sim) getGitCommit(c *request) answer {
	x := c.repo.st.commits[c.PathValue("sha")]
	if x == nil {
		return notFound()
	}
	v := s.viewCommit(c.base, c.repo, x)
	git := v["commit"].(obj)
	git["sha"], git["node_id"], git["html_url"], git["parents"] = x.id, v["node_id"], v["html_url"], v["parents"]
	delete(git, "comment_count")
	return ok(git)
}

func (s *Sim) getTree(c *request) answer {
	x := c.repo.resolve(c.PathValue("sha"))
	if x == nil {
		for _, known := range c.repo.st.commits {
			if known.tree == c.PathValue("sha") {
				x = known
			}
		}
	}
	if x == nil {
		return notFound()
	}
	deep := c.URL.Query().Get("recursive") != ""
	items := []obj{}
	folders := map[string]bool{}
	for _, p := range slices.Sorted(maps.Keys(x.files)) {
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
		}
		if !deep && strings.Contains(p, "/") {
			continue
		}
		e := x.files[p]
		item := obj{"path": p, "mode": fmt.Sprintf("%06o", uint32(e.mode)), "sha": e.id, "type": "blob"}
		if e.mode == ModeSubmodule {
			item["type"] = "commit"
		} else {
			item["size"], item["url"] = len(c.repo.st.blob(e.id)), c.repo.api(c.base)+"/git/blobs/"+e.id
		}
		items = append(items, item)
	}
	for dir := range folders {
		if !deep && strings.Contains(dir, "/") {
			continue
		}
		id, err := c.repo.st.putTree(below(x.files, dir))
		if err != nil {
			return fail(http.StatusInternalServerError, err.Error())
		}
		items = append(items, obj{
			"path": dir, "mode": "040000", "type": "tree", "sha": id, "url": c.repo.api(c.base) + "/git/trees/" + id,
		})
	}
	slices.SortFunc(items, func(a, b obj) int { return strings.Compare(a["path"].(string), b["path"].(string)) })
	return ok(obj{"sha": x.tree, "url": c.repo.api(c.base) + "/git/trees/" + x.tree, "truncated": false, "tree": items})
}

// below is the part of a tree in a folder, with paths relative to it.
func below(files map[string]entry, dir string) map[string]entry {
	out := map[string]entry{}
	for p, e := range files {
		if rest, inside := strings.CutPrefix(p, dir+"/"); inside {
			out[rest] = e
		}
	}
	return out
}

func (s *Sim) getBlob(c *request) answer {
	id := c.PathValue("sha")
	o, found := c.repo.st.objects[id]
	if !found || o.kind != "blob" {
		return notFound()
	}
	if c.accepts("raw") {
		return answer{status: http.StatusOK, raw: nonNil(o.data), typ: "application/vnd.github.raw; charset=utf-8"}
	}
	return ok(obj{
		"sha": id, "node_id": node("B", c.repo.id), "size": len(o.data), "url": c.repo.api(c.base) + "/git/blobs/" + id,
		"content": base64.StdEncoding.EncodeToString(o.data), "encoding": "base64",
	})
}

func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// resolveFork resolves "ref" or "owner:ref" in the repository's network.
func (s *Sim) resolveFork(r *Repo, ref string) *commit {
	owner, rest, named := strings.Cut(ref, ":")
	if !named {
		return r.resolve(ref)
	}
	for _, f := range s.repos {
		if f.st == r.st && !f.deleted && strings.EqualFold(f.owner.login, owner) {
			return f.resolve(rest)
		}
	}
	return nil
}

func (s *Sim) compare(c *request) answer {
	baseName, headName, dots := strings.Cut(c.PathValue("basehead"), "...")
	base, head := s.resolveFork(c.repo, baseName), s.resolveFork(c.repo, headName)
	if !dots || base == nil || head == nil {
		return notFound()
	}
	st := c.repo.st
	mb := st.commits[st.mergeBase(base.id, head.id)]
	if mb == nil {
		return fail(http.StatusNotFound, "No common ancestor between "+baseName+" and "+headName+".")
	}
	changes := st.diffTrees(mb.files, head.files)
	if c.accepts("diff") {
		return diffAnswer(changes)
	}
	ahead, behind := st.between(base.id, head.id), st.between(head.id, base.id)
	status := "identical"
	switch {
	case len(ahead) > 0 && len(behind) > 0:
		status = "diverged"
	case len(ahead) > 0:
		status = "ahead"
	case len(behind) > 0:
		status = "behind"
	}
	commits := make([]obj, 0, len(ahead))
	shown, link := page(c, ahead)
	for _, x := range shown {
		commits = append(commits, s.viewCommit(c.base, c.repo, x))
	}
	self := c.repo.api(c.base) + "/compare/" + url.PathEscape(baseName) + "..." + url.PathEscape(headName)
	html := c.repo.html(c.base) + "/compare/" + url.PathEscape(baseName) + "..." + url.PathEscape(headName)
	v := obj{
		"url": self, "html_url": html, "permalink_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch",
		"base_commit": s.viewCommit(c.base, c.repo, base), "merge_base_commit": s.viewCommit(c.base, c.repo, mb),
		"status": status, "ahead_by": len(ahead), "behind_by": len(behind), "total_commits": len(ahead), "commits": commits,
	}
	if n := c.URL.Query().Get("page"); n == "" || n == "1" {
		v["files"] = s.viewChanges(c.base, c.repo, head.id, changes[:min(len(changes), 300)])
	}
	a := ok(v)
	if link != "" {
		a.setHeader("Link", link)
	}
	return a
}

// maxContent is the size above which contents are only served raw; above 100
// MB not at all.
const (
	maxContent    = 1 << 20
	maxRawContent = 100 << 20
)

func (s *Sim) getContents(c *request) answer {
	ref := c.URL.Query().Get("ref")
	if ref == "" {
		ref = c.repo.defaultBranch
	}
	x := c.repo.resolve(ref)
	if x == nil {
		return fail(http.StatusNotFound, "No commit found for the ref "+ref)
	}
	p := strings.Trim(c.PathValue("path"), "/")
	if e, isFile := x.files[p]; isFile {
		data := c.repo.st.blob(e.id)
		if len(data) > maxRawContent {
			return fail(http.StatusForbidden, "This API returns blobs up to 100 MB in size.")
		}
		if c.accepts("raw") && e.mode != ModeSubmodule {
			return answer{status: http.StatusOK, raw: nonNil(data), typ: "application/vnd.github.raw; charset=utf-8"}
		}
		v := s.viewContent(c.base, c.repo, x.id, p, e)
		switch {
		case e.mode == ModeSubmodule:
			v["type"], v["submodule_git_url"] = "submodule", c.repo.html(c.base)+"-"+path.Base(p)+".git"
		case e.mode == ModeSymlink:
			v["type"], v["target"] = "symlink", string(data)
		case len(data) > maxContent:
			v["content"], v["encoding"] = "", "none"
		default:
			v["content"], v["encoding"] = wrap64(data), "base64"
		}
		return ok(v)
	}
	inside := x.files
	if p != "" {
		inside = below(x.files, p)
	}
	if len(inside) == 0 && p != "" {
		return notFound()
	}
	seen := map[string]bool{}
	items := []obj{}
	for _, name := range slices.Sorted(maps.Keys(inside)) {
		first, _, nested := strings.Cut(name, "/")
		if seen[first] {
			continue
		}
		seen[first] = true
		full := path.Join(p, first)
		if nested {
			id, err := c.repo.st.putTree(below(inside, first))
			if err != nil {
				return fail(http.StatusInternalServerError, err.Error())
			}
			v := s.viewContent(c.base, c.repo, x.id, full, entry{modeTree, id})
			v["type"], v["download_url"] = "dir", nil
			items = append(items, v)
			continue
		}
		items = append(items, s.viewContent(c.base, c.repo, x.id, full, inside[name]))
	}
	return ok(items)
}

// wrap64 is base64 in lines of 60, as the contents API sends it.
func wrap64(data []byte) string {
	var b strings.Builder
	for chunk := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString(data)), 60) {
		b.Write(chunk)
		b.WriteByte('\n')
	}
	return b.String()
}
