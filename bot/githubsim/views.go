package githubsim

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// node is a GraphQL node id, which clients must treat as opaque.
func node(kind string, id int64) string { return kind + "_sim" + itoa(id) }

func escapePath(p string) string {
	parts := strings.Split(p, "/")
	for i, x := range parts {
		parts[i] = url.PathEscape(x)
	}
	return strings.Join(parts, "/")
}

// api and html are the addresses of a repository.
func (r *Repo) api(base string) string  { return base + "/repos/" + r.fullName() }
func (r *Repo) html(base string) string { return base + "/" + r.fullName() }

// The addresses that every repository view has, below its API root.
var repoLinks = map[string]string{
	"archive_url": "{archive_format}{/ref}", "assignees_url": "assignees{/user}", "blobs_url": "git/blobs{/sha}",
	"branches_url": "branches{/branch}", "collaborators_url": "collaborators{/collaborator}",
	"comments_url": "comments{/number}", "commits_url": "commits{/sha}", "compare_url": "compare/{base}...{head}",
	"contents_url": "contents/{+path}", "contributors_url": "contributors", "deployments_url": "deployments",
	"downloads_url": "downloads", "events_url": "events", "forks_url": "forks", "git_commits_url": "git/commits{/sha}",
	"git_refs_url": "git/refs{/sha}", "git_tags_url": "git/tags{/sha}", "hooks_url": "hooks",
	"issue_comment_url": "issues/comments{/number}", "issue_events_url": "issues/events{/number}",
	"issues_url": "issues{/number}", "keys_url": "keys{/key_id}", "labels_url": "labels{/name}",
	"languages_url": "languages", "merges_url": "merges", "milestones_url": "milestones{/number}",
	"notifications_url": "notifications{?since,all,participating}", "pulls_url": "pulls{/number}",
	"releases_url": "releases{/id}", "stargazers_url": "stargazers", "statuses_url": "statuses/{sha}",
	"subscribers_url": "subscribers", "subscription_url": "subscription", "tags_url": "tags", "teams_url": "teams",
	"trees_url": "git/trees{/sha}",
}

// viewRepo is a repository; full adds what only GET /repos/{owner}/{repo} has.
func (s *Sim) viewRepo(base string, r *Repo, full bool) obj {
	open := 0
	for _, i := range r.issues {
		if i.state == "open" {
			open++
		}
	}
	visibility := "public"
	if r.private {
		visibility = "private"
	}
	v := obj{
		"id": r.id, "node_id": node("R", r.id), "name": r.name, "full_name": r.fullName(), "private": r.private,
		"owner": s.viewUser(base, r.owner), "html_url": r.html(base), "description": nil, "fork": r.parent != nil,
		"url": r.api(base), "created_at": stamp(r.created), "updated_at": stamp(r.pushed), "pushed_at": stamp(r.pushed),
		"git_url": "git://" + strings.TrimPrefix(r.html(base), "http://") + ".git", "ssh_url": "git@github.test:" + r.fullName() + ".git",
		"clone_url": r.html(base) + ".git", "svn_url": r.html(base), "homepage": nil, "size": 1, "stargazers_count": 0,
		"watchers_count": 0, "language": nil, "has_issues": true, "has_projects": false, "has_downloads": true,
		"has_wiki": false, "has_pages": false, "has_discussions": false, "forks_count": 0, "mirror_url": nil,
		"archived": false, "disabled": false, "open_issues_count": open, "license": nil, "allow_forking": true,
		"is_template": false, "web_commit_signoff_required": false, "topics": []string{}, "visibility": visibility,
		"forks": 0, "open_issues": open, "watchers": 0, "default_branch": r.defaultBranch,
		"custom_properties": obj{},
	}
	for name, rest := range repoLinks {
		v[name] = r.api(base) + "/" + rest
	}
	if full {
		v["network_count"], v["subscribers_count"] = 0, 0
		if r.parent != nil {
			v["parent"] = s.viewRepo(base, r.parent, false)
		}
	}
	return v
}

func viewGitUser(login string, c *commit) obj {
	return obj{"name": gitName(login), "email": email(login), "date": stamp(c.when)}
}

func (s *Sim) viewCommit(base string, r *Repo, c *commit) obj {
	api := r.api(base)
	parents := []obj{}
	for _, p := range c.parents {
		parents = append(parents, obj{"sha": p, "url": api + "/commits/" + p, "html_url": r.html(base) + "/commit/" + p})
	}
	author := s.viewUser(base, s.user(c.author))
	return obj{
		"sha": c.id, "node_id": "C_sim" + c.id, "url": api + "/commits/" + c.id, "html_url": r.html(base) + "/commit/" + c.id,
		"comments_url": api + "/commits/" + c.id + "/comments", "author": author, "committer": author, "parents": parents,
		"commit": obj{
			"url": api + "/git/commits/" + c.id, "author": viewGitUser(c.author, c), "committer": viewGitUser(c.author, c),
			"message": c.message, "comment_count": 0, "tree": obj{"sha": c.tree, "url": api + "/git/trees/" + c.tree},
			"verification": obj{"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil},
		},
	}
}

func viewSimpleCommit(c *commit) obj {
	who := obj{"name": gitName(c.author), "email": email(c.author)}
	return obj{"id": c.id, "tree_id": c.tree, "message": c.message, "timestamp": stamp(c.when), "author": who, "committer": who}
}

func (s *Sim) viewContent(base string, r *Repo, sha, p string, e entry) obj {
	self := r.api(base) + "/contents/" + escapePath(p) + "?ref=" + sha
	git := r.api(base) + "/git/blobs/" + e.id
	html := r.html(base) + "/blob/" + sha + "/" + escapePath(p)
	return obj{
		"type": "file", "size": len(r.st.blob(e.id)), "name": path.Base(p), "path": p, "sha": e.id, "url": self,
		"git_url": git, "html_url": html, "download_url": r.html(base) + "/raw/" + sha + "/" + escapePath(p),
		"_links": obj{"git": git, "self": self, "html": html},
	}
}

func viewLabel(base string, r *Repo, name string) obj {
	return obj{
		"id": r.id, "node_id": node("LA", r.id), "url": r.api(base) + "/labels/" + url.PathEscape(name), "name": name,
		"description": "", "color": "ededed", "default": false,
	}
}

func viewLabels(base string, i *issue) []obj {
	out := []obj{}
	for _, name := range i.labels {
		out = append(out, viewLabel(base, i.repo, name))
	}
	return out
}

// viewPull is a pull request; full adds what lists leave out.
func (s *Sim) viewPull(base string, p *pull, full bool) obj {
	r := p.repo
	n := strconv.Itoa(p.number)
	self, html, asIssue := r.api(base)+"/pulls/"+n, r.html(base)+"/pull/"+n, r.api(base)+"/issues/"+n
	statuses := r.api(base) + "/statuses/" + p.headSHA
	link := func(u string) obj { return obj{"href": u} }
	end := func(r *Repo, ref, sha string) obj {
		v := obj{"label": r.owner.login + ":" + ref, "ref": ref, "sha": sha, "user": s.viewUser(base, r.owner), "repo": nil}
		if !r.deleted {
			v["repo"] = s.viewRepo(base, r, false)
		}
		return v
	}
	v := obj{
		"url": self, "id": p.pullID, "node_id": node("PR", p.pullID), "html_url": html, "diff_url": html + ".diff",
		"patch_url": html + ".patch", "issue_url": asIssue, "commits_url": self + "/commits",
		"review_comments_url": self + "/comments", "review_comment_url": r.api(base) + "/pulls/comments{/number}",
		"comments_url": asIssue + "/comments", "statuses_url": statuses, "number": p.number, "state": p.state,
		"locked": p.locked, "title": p.title, "user": s.viewUser(base, p.author), "body": text(p.body),
		"labels": viewLabels(base, p.issue), "milestone": nil, "active_lock_reason": nil, "created_at": stamp(p.created),
		"updated_at": stamp(p.updated), "closed_at": stamp(p.closed), "merged_at": stamp(p.merged),
		"merge_commit_sha": text(p.mergeSHA), "assignee": nil, "assignees": []obj{}, "requested_reviewers": []obj{},
		"requested_teams": []obj{}, "head": end(p.headRepo, p.headRef, p.headSHA), "base": end(r, p.baseRef, p.baseSHA),
		"_links": obj{
			"self": link(self), "html": link(html), "issue": link(asIssue), "comments": link(asIssue + "/comments"),
			"review_comments": link(self + "/comments"), "review_comment": link(r.api(base) + "/pulls/comments{/number}"),
			"commits": link(self + "/commits"), "statuses": link(statuses),
		},
		"author_association": r.association(p.author), "auto_merge": nil, "draft": p.draft,
	}
	if !full {
		return v
	}
	add, del := 0, 0
	changes := p.diff(p.headSHA)
	for _, ch := range changes {
		add, del = add+ch.additions, del+ch.deletions
	}
	state := "clean"
	if !p.mergeable {
		state = "dirty"
	}
	maps.Copy(v, obj{
		"merged": !p.merged.IsZero(), "mergeable": p.mergeable, "rebaseable": p.mergeable, "mergeable_state": state,
		"merged_by": nil, "comments": len(p.issue.comments), "review_comments": len(p.comments),
		"maintainer_can_modify": false, "commits": len(p.commits()), "additions": add, "deletions": del,
		"changed_files": len(changes),
	})
	if p.mergedBy != nil {
		v["merged_by"] = s.viewUser(base, p.mergedBy)
	}
	return v
}

// viewPullsAt lists the open pull requests of a commit as checks and runs do:
// those from forks are left out.
func (s *Sim) viewPullsAt(base string, r *Repo, sha string) []obj {
	out := []obj{}
	for _, p := range s.openPulls() {
		if p.repo != r || p.headRepo != r || p.headSHA != sha {
			continue
		}
		at := func(ref, sha string) obj {
			return obj{"ref": ref, "sha": sha, "repo": obj{"id": r.id, "url": r.api(base), "name": r.name}}
		}
		out = append(out, obj{
			"id": p.pullID, "number": p.number, "url": r.api(base) + "/pulls/" + strconv.Itoa(p.number),
			"head": at(p.headRef, p.headSHA), "base": at(p.baseRef, p.baseSHA),
		})
	}
	return out
}

func viewReactions(self string, list []*reaction) obj {
	v := obj{"url": self + "/reactions", "total_count": len(list)}
	for _, c := range reactionContents {
		n := 0
		for _, r := range list {
			if r.content == c {
				n++
			}
		}
		v[c] = n
	}
	return v
}

func (s *Sim) viewReaction(base string, r *reaction) obj {
	return obj{
		"id": r.id, "node_id": node("REA", r.id), "user": s.viewUser(base, r.by), "content": r.content, "created_at": stamp(r.created),
	}
}

func (s *Sim) viewIssue(base string, i *issue) obj {
	r := i.repo
	self := r.api(base) + "/issues/" + strconv.Itoa(i.number)
	html := r.html(base) + "/issues/" + strconv.Itoa(i.number)
	v := obj{
		"url": self, "repository_url": r.api(base), "labels_url": self + "/labels{/name}", "comments_url": self + "/comments",
		"events_url": self + "/events", "html_url": html, "id": i.id, "node_id": node("I", i.id), "number": i.number,
		"title": i.title, "user": s.viewUser(base, i.author), "labels": viewLabels(base, i), "state": i.state,
		"locked": i.locked, "assignee": nil, "assignees": []obj{}, "milestone": nil, "comments": len(i.comments),
		"created_at": stamp(i.created), "updated_at": stamp(i.updated), "closed_at": stamp(i.closed),
		"author_association": r.association(i.author), "active_lock_reason": nil, "body": text(i.body),
		"reactions": viewReactions(self, nil), "timeline_url": self + "/timeline", "performed_via_github_app": nil,
		"state_reason": nil,
	}
	if p := i.pull; p != nil {
		pull := r.api(base) + "/pulls/" + strconv.Itoa(i.number)
		html = r.html(base) + "/pull/" + strconv.Itoa(i.number)
		v["html_url"], v["draft"] = html, p.draft
		v["pull_request"] = obj{
			"url": pull, "html_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch", "merged_at": stamp(p.merged),
		}
	}
	return v
}

func (s *Sim) viewIssueComment(base string, ic *issueComment) obj {
	r := ic.issue.repo
	self := r.api(base) + "/issues/comments/" + itoa(ic.id)
	kind := "issues"
	if ic.issue.pull != nil {
		kind = "pull"
	}
	v := obj{
		"url": self, "html_url": fmt.Sprintf("%s/%s/%d#issuecomment-%d", r.html(base), kind, ic.issue.number, ic.id),
		"issue_url": r.api(base) + "/issues/" + strconv.Itoa(ic.issue.number), "id": ic.id, "node_id": node("IC", ic.id),
		"user": s.viewUser(base, ic.author), "created_at": stamp(ic.created), "updated_at": stamp(ic.updated),
		"author_association": r.association(ic.author), "body": ic.body, "reactions": viewReactions(self, ic.reactions),
		"performed_via_github_app": nil,
	}
	if ic.author == s.appUser {
		v["performed_via_github_app"] = s.viewApp(base)
	}
	return v
}

func (s *Sim) viewReview(base string, r *review) obj {
	p := r.pull
	self := p.repo.api(base) + "/pulls/" + strconv.Itoa(p.number)
	html := fmt.Sprintf("%s/pull/%d#pullrequestreview-%d", p.repo.html(base), p.number, r.id)
	v := obj{
		"id": r.id, "node_id": node("PRR", r.id), "user": s.viewUser(base, r.author), "body": r.body, "state": r.state,
		"html_url": html, "pull_request_url": self, "commit_id": r.commitID, "author_association": p.repo.association(r.author),
		"_links": obj{"html": obj{"href": html}, "pull_request": obj{"href": self}},
	}
	if r.state != "PENDING" {
		v["submitted_at"] = stamp(r.submitted)
	}
	return v
}

// viewReviewComment is a review comment. An outdated one has neither line nor
// position: the description knows no null there.
func (s *Sim) viewReviewComment(base string, rc *reviewComment) obj {
	p := rc.pull
	self := p.repo.api(base) + "/pulls/comments/" + itoa(rc.id)
	asPull := p.repo.api(base) + "/pulls/" + strconv.Itoa(p.number)
	html := fmt.Sprintf("%s/pull/%d#discussion_r%d", p.repo.html(base), p.number, rc.id)
	v := obj{
		"url": self, "pull_request_review_id": nil, "id": rc.id, "node_id": node("PRRC", rc.id), "diff_hunk": rc.hunk,
		"path": rc.path, "commit_id": rc.commitID, "original_commit_id": rc.commitID, "user": s.viewUser(base, rc.author),
		"body": rc.body, "created_at": stamp(rc.created), "updated_at": stamp(rc.updated), "html_url": html,
		"pull_request_url": asPull, "author_association": p.repo.association(rc.author), "side": rc.side,
		"subject_type": rc.subject, "start_line": nil, "original_start_line": nil, "start_side": nil,
		"reactions": viewReactions(self, nil),
		"_links":    obj{"self": obj{"href": self}, "html": obj{"href": html}, "pull_request": obj{"href": asPull}},
	}
	if rc.review != nil {
		v["pull_request_review_id"] = rc.review.id
	}
	if rc.replyTo != 0 {
		v["in_reply_to_id"] = rc.replyTo
	}
	if rc.subject == "file" {
		v["position"], v["original_position"] = 1, 1
		return v
	}
	v["original_line"], v["original_position"] = rc.line, rc.position
	if rc.startLine != 0 {
		v["original_start_line"], v["start_side"] = rc.startLine, rc.startSide
	}
	line, start, position, current := rc.current()
	if !current {
		return v
	}
	v["line"], v["position"], v["commit_id"] = line, position, p.headSHA
	if start != 0 {
		v["start_line"] = start
	}
	return v
}

func (s *Sim) viewCheckRun(base string, cr *checkRun) obj {
	self := cr.repo.api(base) + "/check-runs/" + itoa(cr.id)
	html := cr.repo.html(base) + "/runs/" + itoa(cr.id)
	details := cr.detailsURL
	if details == "" {
		details = html
	}
	v := obj{
		"id": cr.id, "node_id": node("CR", cr.id), "head_sha": cr.headSHA, "name": cr.name, "external_id": cr.externalID,
		"url": self, "html_url": html, "details_url": details, "status": cr.status, "conclusion": text(cr.conclusion),
		"started_at": stamp(cr.started), "completed_at": stamp(cr.completed), "check_suite": obj{"id": cr.suite},
		"output": obj{
			"title": text(cr.title), "summary": text(cr.summary), "text": text(cr.text),
			"annotations_count": len(cr.annotations), "annotations_url": self + "/annotations",
		},
		"pull_requests": s.viewPullsAt(base, cr.repo, cr.headSHA),
	}
	v["app"] = s.viewAppOf(base, cr.appID)
	return v
}

// viewAppOf is the App that owns a check run.
func (s *Sim) viewAppOf(base string, id int64) obj {
	switch id {
	case s.opts.AppID:
		return s.viewApp(base)
	case actionsAppID:
		return s.viewActionsApp(base)
	}
	v := s.viewActionsApp(base)
	v["id"], v["slug"], v["node_id"] = id, "app-"+itoa(id), node("A", id)
	v["name"], v["html_url"] = "App "+itoa(id), base+"/apps/app-"+itoa(id)
	return v
}

func (s *Sim) viewSuite(base string, r *Repo, appID int64, sha string) obj {
	id := s.suite(r, appID, sha)
	status, conclusion := "queued", any(nil)
	runs := s.checksOf(r, sha)
	runs = slices.DeleteFunc(runs, func(cr *checkRun) bool { return cr.suite != id })
	if len(runs) > 0 && !slices.ContainsFunc(runs, func(cr *checkRun) bool { return cr.status != "completed" }) {
		status, conclusion = "completed", runs[len(runs)-1].conclusion
	}
	branch := any(nil)
	for _, name := range slices.Sorted(maps.Keys(r.branches)) {
		if r.branches[name] == sha {
			branch = name
		}
	}
	c := r.st.commits[sha]
	before := zeroID
	if len(c.parents) > 0 {
		before = c.parents[0]
	}
	return obj{
		"id": id, "node_id": node("CS", id), "head_branch": branch, "head_sha": sha, "status": status, "conclusion": conclusion,
		"url": r.api(base) + "/check-suites/" + itoa(id), "before": before, "after": sha,
		"pull_requests": s.viewPullsAt(base, r, sha), "app": s.viewAppOf(base, appID), "created_at": stamp(c.when), "updated_at": stamp(c.when),
		"latest_check_runs_count": len(runs), "check_runs_url": r.api(base) + "/check-suites/" + itoa(id) + "/check-runs",
		"head_commit": viewSimpleCommit(c), "rerequestable": true, "runs_rerequestable": true,
	}
}

func (s *Sim) viewWorkflow(base string, r *Repo, file string) obj {
	r.workflowFiles()
	id := r.workflows[file]
	name := workflowFolder + file
	if w := r.readWorkflow(r.st.commits[r.branches[r.defaultBranch]], file); w != nil && w.err == nil {
		name = w.name
	}
	return obj{
		"id": id, "node_id": node("W", id), "name": name, "path": workflowFolder + file, "state": "active",
		"created_at": stamp(r.created), "updated_at": stamp(r.created), "url": r.api(base) + "/actions/workflows/" + itoa(id),
		"html_url":  r.html(base) + "/blob/" + r.defaultBranch + "/" + workflowFolder + file,
		"badge_url": r.html(base) + "/workflows/" + url.PathEscape(name) + "/badge.svg",
	}
}

func (run *Run) api(base string) string { return run.Repo.api(base) + "/actions/runs/" + itoa(run.ID) }
func (run *Run) html(base string) string {
	return run.Repo.html(base) + "/actions/runs/" + itoa(run.ID)
}

func (s *Sim) viewRun(base string, run *Run) obj {
	self := run.api(base)
	repo := s.viewRepo(base, run.Repo, false)
	by := s.viewUser(base, run.actor)
	suite := s.suite(run.Repo, actionsAppID, run.HeadSHA)
	return obj{
		"id": run.ID, "name": run.workflowName, "node_id": node("WFR", run.ID), "head_branch": run.Branch, "head_sha": run.HeadSHA,
		"path": workflowFolder + run.Workflow + "@" + run.Branch, "display_title": run.Title, "run_number": run.Number, "event": run.Event,
		"status": run.status, "conclusion": text(run.conclusion), "workflow_id": run.Repo.workflows[run.Workflow],
		"check_suite_id": suite, "check_suite_node_id": node("CS", suite), "url": self, "html_url": run.html(base),
		"pull_requests": []obj{}, "created_at": stamp(run.created), "updated_at": stamp(run.updated), "actor": by,
		"run_attempt": 1, "referenced_workflows": []obj{}, "run_started_at": stamp(run.started), "triggering_actor": by,
		"jobs_url": self + "/jobs", "logs_url": self + "/logs", "artifacts_url": self + "/artifacts", "cancel_url": self + "/cancel",
		"check_suite_url": run.Repo.api(base) + "/check-suites/" + itoa(suite), "rerun_url": self + "/rerun",
		"previous_attempt_url": nil, "workflow_url": run.Repo.api(base) + "/actions/workflows/" + itoa(run.Repo.workflows[run.Workflow]),
		"head_commit": viewSimpleCommit(run.Repo.st.commits[run.HeadSHA]), "repository": repo, "head_repository": repo,
	}
}

func (s *Sim) viewJob(base string, j *Job) obj {
	run := j.Run
	started := j.started
	if started.IsZero() {
		started = j.created // GitHub has no empty start either
	}
	steps := []obj{}
	for n, st := range j.steps {
		steps = append(steps, obj{
			"name": st.Name, "status": "completed", "conclusion": st.Conclusion, "number": n + 1,
			"started_at": stamp(started), "completed_at": stamp(j.completed),
		})
	}
	labels := j.labels
	if labels == nil {
		labels = []string{}
	}
	v := obj{
		"id": j.ID, "run_id": run.ID, "workflow_name": run.workflowName, "head_branch": run.Branch, "run_url": run.api(base),
		"run_attempt": 1, "node_id": node("CR", j.ID), "head_sha": run.HeadSHA,
		"url":      run.Repo.api(base) + "/actions/jobs/" + itoa(j.ID),
		"html_url": run.html(base) + "/job/" + itoa(j.ID), "status": j.status, "conclusion": text(j.conclusion),
		"created_at": stamp(j.created), "started_at": stamp(started), "completed_at": stamp(j.completed), "name": j.Name,
		"steps": steps, "check_run_url": run.Repo.api(base) + "/check-runs/" + itoa(j.ID), "labels": labels,
		"runner_id": nil, "runner_name": nil, "runner_group_id": nil, "runner_group_name": nil,
	}
	if j.runner != "" {
		v["runner_id"], v["runner_name"], v["runner_group_id"], v["runner_group_name"] = 1, j.runner, 1, "Default"
	}
	return v
}

func (s *Sim) viewArtifact(base string, a *artifact) obj {
	self := a.run.Repo.api(base) + "/actions/artifacts/" + itoa(a.id)
	return obj{
		"id": a.id, "node_id": node("AR", a.id), "name": a.name, "size_in_bytes": len(a.data), "url": self,
		"archive_download_url": self + "/zip", "expired": a.expired, "created_at": stamp(a.created),
		"updated_at": stamp(a.created), "expires_at": stamp(a.created.AddDate(0, 0, 90)), "digest": "sha256:" + digest(a.data),
		"workflow_run": obj{
			"id": a.run.ID, "repository_id": a.run.Repo.id, "head_repository_id": a.run.Repo.id,
			"head_branch": a.run.Branch, "head_sha": a.run.HeadSHA,
		},
	}
}
