package githubsim

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// reposOf lists the repositories that an installation covers, by name.
func (s *Sim) reposOf(i *installation) []*Repo {
	var out []*Repo
	for _, r := range s.repos {
		if i.covers(r) {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *Repo) int { return strings.Compare(a.fullName(), b.fullName()) })
	return out
}

func (s *Sim) getApp(c *request) answer { return ok(s.viewApp(c.base)) }

func (s *Sim) listInstallations(c *request) answer {
	return list(c, s.installations, func(i *installation) obj { return s.viewInstallation(c.base, i) })
}

func (s *Sim) getInstallation(c *request) answer {
	i := s.installationByID(c.id("id"))
	if i == nil {
		return notFound()
	}
	return ok(s.viewInstallation(c.base, i))
}

func (s *Sim) getRepoInstallation(c *request) answer {
	if c.inst == nil {
		return notFound()
	}
	return ok(s.viewInstallation(c.base, c.inst))
}

func (s *Sim) listRepos(c *request) answer {
	t := c.who.token
	repos := slices.DeleteFunc(s.reposOf(t.inst), func(r *Repo) bool { return t.repos != nil && !t.repos[r] })
	a := counted(c, "repositories", repos, func(r *Repo) obj { return s.viewRepo(c.base, r, false) })
	return a
}

func (s *Sim) getUser(c *request) answer {
	u := s.users[strings.ToLower(c.PathValue("username"))]
	if u == nil {
		return notFound()
	}
	v := s.viewUser(c.base, u)
	since := stamp(s.appSince)
	for _, name := range []string{"name", "company", "location", "email", "hireable", "bio"} {
		v[name] = nil
	}
	for _, name := range []string{"public_repos", "public_gists", "followers", "following"} {
		v[name] = 0
	}
	v["blog"], v["created_at"], v["updated_at"], v["user_view_type"] = "", since, since, "public"
	return ok(v)
}

// viewApp is the App as GET /app and check runs show it.
func (s *Sim) viewApp(base string) obj {
	return obj{
		"id": s.opts.AppID, "slug": s.opts.AppSlug, "node_id": node("A", s.opts.AppID), "client_id": "Iv1.sim",
		"owner": s.viewUser(base, s.user("tilegate-owner")), "name": s.opts.AppSlug, "description": "",
		"external_url": "https://example.com/" + s.opts.AppSlug, "html_url": base + "/apps/" + s.opts.AppSlug,
		"created_at": stamp(s.appSince), "updated_at": stamp(s.appSince),
		"permissions": DefaultPermissions, "events": s.opts.Events, "installations_count": len(s.installations),
	}
}

// actionsApp is the App of GitHub Actions, which owns the check runs of jobs.
const actionsAppID = 15368

func (s *Sim) viewActionsApp(base string) obj {
	v := s.viewApp(base)
	v["id"], v["slug"], v["node_id"], v["name"] = actionsAppID, "github-actions", node("A", actionsAppID), "GitHub Actions"
	v["owner"], v["html_url"] = s.viewUser(base, s.user("github")), base+"/apps/github-actions"
	delete(v, "installations_count")
	return v
}

func (s *Sim) viewInstallation(base string, i *installation) obj {
	selection := "all"
	if i.repos != nil {
		selection = "selected"
	}
	v := obj{
		"id": i.id, "account": s.viewUser(base, i.account), "repository_selection": selection,
		"access_tokens_url": base + "/app/installations/" + itoa(i.id) + "/access_tokens",
		"repositories_url":  base + "/installation/repositories",
		"html_url":          base + "/settings/installations/" + itoa(i.id),
		"app_id":            s.opts.AppID, "app_slug": s.opts.AppSlug, "client_id": "Iv1.sim",
		"target_id": i.account.id, "target_type": i.account.kind, "permissions": i.permissions, "events": s.opts.Events,
		"created_at": stamp(i.since), "updated_at": stamp(i.since), "single_file_name": nil,
		"has_multiple_single_files": false, "single_file_paths": []string{},
		"suspended_by": nil, "suspended_at": stamp(i.suspended),
	}
	if !i.suspended.IsZero() {
		v["suspended_by"] = s.viewUser(base, i.account)
	}
	return v
}

func (s *Sim) viewUser(base string, u *user) obj {
	if u == nil {
		return nil
	}
	api := base + "/users/" + url.PathEscape(u.login)
	return obj{
		"login": u.login, "id": u.id, "node_id": node("U", u.id), "avatar_url": base + "/avatars/" + itoa(u.id),
		"gravatar_id": "", "url": api, "html_url": base + "/" + url.PathEscape(u.login),
		"followers_url": api + "/followers", "following_url": api + "/following{/other_user}",
		"gists_url": api + "/gists{/gist_id}", "starred_url": api + "/starred{/owner}{/repo}",
		"subscriptions_url": api + "/subscriptions", "organizations_url": api + "/orgs", "repos_url": api + "/repos",
		"events_url": api + "/events{/privacy}", "received_events_url": api + "/received_events",
		"type": u.kind, "site_admin": false,
	}
}

// roleFolding is how the permission field folds the role_name field.
var roleFolding = map[string]string{
	"admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read", "none": "none",
}

func (s *Sim) getPermission(c *request) answer {
	u := s.users[strings.ToLower(c.PathValue("username"))]
	if u == nil {
		return fail(http.StatusNotFound, c.PathValue("username")+" is not a user")
	}
	role := c.repo.role(u)
	v := s.viewUser(c.base, u)
	rank := slices.Index(roles, role)
	v["permissions"] = obj{
		"pull": rank >= 1, "triage": rank >= 2, "push": rank >= 3, "maintain": rank >= 4, "admin": rank >= 5,
	}
	v["role_name"] = role
	return ok(obj{"permission": roleFolding[role], "role_name": role, "user": v})
}
