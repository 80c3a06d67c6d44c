package githubsim

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

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
