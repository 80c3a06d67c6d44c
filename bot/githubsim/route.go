package githubsim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// obj is a JSON object in the making.
type obj = map[string]any

// docsURL is what every error names as its documentation.
const docsURL = "https://docs.github.com/rest"

// maxBody bounds a request body.
const maxBody = 10 << 20

// answer is the answer to one request. body is marshalled unless raw is set.
type answer struct {
	status int
	header http.Header
	body   any
	raw    []byte
	typ    string // content type of raw
}

func ok(body any) answer                 { return answer{status: http.StatusOK, body: body} }
func created(body any) answer            { return answer{status: http.StatusCreated, body: body} }
func (a answer) with(k, v string) answer { a.setHeader(k, v); return a }

func (a *answer) setHeader(k, v string) {
	if a.header == nil {
		a.header = http.Header{}
	}
	a.header.Set(k, v)
}

func fail(status int, message string) answer {
	return answer{status: status, body: obj{
		"message": message, "documentation_url": docsURL, "status": strconv.Itoa(status),
	}}
}

func notFound() answer { return fail(http.StatusNotFound, "Not Found") }

// fieldError is one entry of a 422.
type fieldError struct {
	Resource string `json:"resource,omitempty"`
	Field    string `json:"field,omitempty"`
	Code     string `json:"code"`
	Message  string `json:"message,omitempty"`
}

// invalid is a 422 with the fields that are wrong.
func invalid(message string, errs ...fieldError) answer {
	if message == "" {
		message = "Validation Failed"
	}
	body := obj{"message": message, "documentation_url": docsURL}
	if len(errs) > 0 {
		body["errors"] = errs
	}
	return answer{status: http.StatusUnprocessableEntity, body: body}
}

// invalidText is a 422 whose errors are plain sentences, as reviews answer.
func invalidText(errs ...string) answer {
	return answer{status: http.StatusUnprocessableEntity, body: obj{
		"message": "Unprocessable Entity", "documentation_url": docsURL, "errors": errs,
	}}
}

// request is one request on its way through a handler, with s.mu held.
type request struct {
	*http.Request
	sim  *Sim
	base string // the API's root as the client names it
	body []byte
	who  actor
	repo *Repo
	inst *installation // the repository's, when the App is installed on it
}

// decode reads the JSON body.
func (c *request) decode(v any) *answer {
	if err := json.Unmarshal(c.body, v); err != nil {
		a := fail(http.StatusBadRequest, "Problems parsing JSON")
		return &a
	}
	return nil
}

func (c *request) id(name string) int64 {
	n, err := strconv.ParseInt(c.PathValue(name), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// accepts reports whether the client asked for that GitHub media type, such as "diff" or "raw".
func (c *request) accepts(kind string) bool {
	for part := range strings.SplitSeq(c.Header.Get("Accept"), ",") {
		t, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		if rest, isGitHub := strings.CutPrefix(t, "application/vnd.github."); isGitHub {
			rest = strings.TrimSuffix(rest, "+json")
			if rest == kind || strings.HasSuffix(rest, "."+kind) {
				return true
			}
		}
	}
	return false
}

// page cuts one page out of a list and makes the Link header. per_page above
// 100 counts as 100.
func page[T any](c *request, items []T) ([]T, string) {
	q := c.URL.Query()
	number := func(name string, standard int) int {
		n, err := strconv.Atoi(q.Get(name))
		if err != nil || n < 1 {
			return standard
		}
		return n
	}
	per, at := min(number("per_page", 30), 100), number("page", 1)
	last := max(1, (len(items)+per-1)/per)
	link := func(n int, rel string) string {
		v := url.Values{}
		for k, x := range q {
			v[k] = x
		}
		v.Set("page", strconv.Itoa(n))
		return fmt.Sprintf("<%s%s?%s>; rel=%q", c.base, c.URL.EscapedPath(), v.Encode(), rel)
	}
	var links []string
	if at > 1 {
		links = append(links, link(at-1, "prev"))
	}
	if at < last {
		links = append(links, link(at+1, "next"), link(last, "last"))
	}
	if at > 1 {
		links = append(links, link(1, "first"))
	}
	// compared before multiplied, so that a huge page number cannot overflow
	if at > last {
		return nil, strings.Join(links, ", ")
	}
	from := (at - 1) * per
	return items[from:min(len(items), from+per)], strings.Join(links, ", ")
}

// list answers a page of a plain array.
func list[T any](c *request, items []T, view func(T) obj) answer {
	part, link := page(c, items)
	out := make([]obj, len(part))
	for i, x := range part {
		out[i] = view(x)
	}
	a := ok(out)
	if link != "" {
		a.setHeader("Link", link)
	}
	return a
}

// counted answers a page wrapped in an object with total_count.
func counted[T any](c *request, name string, items []T, view func(T) obj) answer {
	a := list(c, items, view)
	a.body = obj{"total_count": len(items), name: a.body}
	return a
}

// auth says which kind of token an endpoint wants.
type auth int

const (
	authNone         auth = iota // signed links
	authApp                      // the App's JWT
	authInstallation             // an installation token
)

// route is one endpoint.
type route struct {
	auth auth
	// need lists permissions of which one suffices, such as "issues:write".
	need []string
	// content marks requests that create content, for the secondary limit.
	content bool
	handle  func(*request) answer
}

func (s *Sim) routes() *http.ServeMux {
	mux := http.NewServeMux()
	add := func(pattern string, r route) {
		s.patterns = append(s.patterns, pattern)
		mux.Handle(pattern, s.endpoint(pattern, r))
	}
	app := func(pattern string, h func(*request) answer) { add(pattern, route{auth: authApp, handle: h}) }
	read := func(pattern, need string, h func(*request) answer) {
		add(pattern, route{auth: authInstallation, need: strings.Fields(need), handle: h})
	}
	write := func(pattern, need string, h func(*request) answer) {
		add(pattern, route{auth: authInstallation, need: strings.Fields(need), content: true, handle: h})
	}
	signed := func(pattern string, h func(*request) answer) { add(pattern, route{auth: authNone, handle: h}) }

	app("GET /app", s.getApp)
	app("GET /app/installations", s.listInstallations)
	app("GET /app/installations/{id}", s.getInstallation)
	app("POST /app/installations/{id}/access_tokens", s.createToken)
	app("GET /app/hook/deliveries", s.listDeliveries)
	app("GET /app/hook/deliveries/{id}", s.getDelivery)
	app("POST /app/hook/deliveries/{id}/attempts", s.redeliver)
	app("GET /repos/{owner}/{repo}/installation", s.getRepoInstallation)

	read("GET /installation/repositories", "metadata:read", s.listRepos)
	read("GET /rate_limit", "", s.getRateLimit)
	read("GET /users/{username}", "", s.getUser)

	const r = " /repos/{owner}/{repo}"
	read("GET"+r, "metadata:read", s.getRepo)
	read("GET"+r+"/branches", "contents:read", s.listBranches)
	read("GET"+r+"/branches/{branch...}", "contents:read", s.getBranch)
	read("GET"+r+"/commits", "contents:read", s.listCommits)
	read("GET"+r+"/commits/{ref}", "contents:read", s.getCommit)
	read("GET"+r+"/git/ref/{ref...}", "contents:read", s.getRef)
	read("GET"+r+"/git/commits/{sha}", "contents:read", s.getGitCommit)
	read("GET"+r+"/git/trees/{sha}", "contents:read", s.getTree)
	read("GET"+r+"/git/blobs/{sha}", "contents:read", s.getBlob)
	read("GET"+r+"/compare/{basehead...}", "contents:read", s.compare)
	read("GET"+r+"/contents/{path...}", "contents:read", s.getContents)
	read("GET"+r+"/tarball/{ref...}", "contents:read", s.getTarball)
	read("GET"+r+"/collaborators/{username}/permission", "metadata:read", s.getPermission)
	signed("GET /codeload/{owner}/{repo}/{sha}", s.codeload)

	read("GET"+r+"/pulls", "pull_requests:read", s.listPulls)
	read("GET"+r+"/pulls/{number}", "pull_requests:read", s.getPull)
	// one pattern for /files, /commits, /reviews and /comments: a pattern of each
	// would clash with /pulls/comments/{id}
	read("GET"+r+"/pulls/{number}/{part}", "pull_requests:read", s.listPullPart)
	read("GET"+r+"/commits/{ref}/pulls", "pull_requests:read", s.listCommitPulls)
	write("POST"+r+"/pulls/{number}/reviews", "pull_requests:write", s.createReview)
	write("PUT"+r+"/pulls/{number}/reviews/{id}", "pull_requests:write", s.updateReview)
	read("GET"+r+"/pulls/{number}/reviews/{id}", "pull_requests:read", s.getReview)
	read("GET"+r+"/pulls/{number}/reviews/{id}/comments", "pull_requests:read", s.listReviewsComments)
	write("POST"+r+"/pulls/{number}/comments", "pull_requests:write", s.createReviewComment)
	write("POST"+r+"/pulls/{number}/comments/{id}/replies", "pull_requests:write", s.replyToReviewComment)
	read("GET"+r+"/pulls/comments/{id}", "pull_requests:read", s.getReviewComment)
	write("PATCH"+r+"/pulls/comments/{id}", "pull_requests:write", s.updateReviewComment)
	write("DELETE"+r+"/pulls/comments/{id}", "pull_requests:write", s.deleteReviewComment)

	read("GET"+r+"/issues/{number}", "issues:read pull_requests:read", s.getIssue)
	read("GET"+r+"/issues/{number}/{part}", "issues:read pull_requests:read", s.listIssuePart)
	write("POST"+r+"/issues/{number}/comments", "issues:write pull_requests:write", s.createIssueComment)
	read("GET"+r+"/issues/comments/{id}", "issues:read pull_requests:read", s.getIssueComment)
	write("PATCH"+r+"/issues/comments/{id}", "issues:write pull_requests:write", s.updateIssueComment)
	write("DELETE"+r+"/issues/comments/{id}", "issues:write pull_requests:write", s.deleteIssueComment)
	read("GET"+r+"/issues/comments/{id}/reactions", "issues:read pull_requests:read", s.listReactions)
	write("POST"+r+"/issues/comments/{id}/reactions", "issues:write pull_requests:write", s.createReaction)
	write("DELETE"+r+"/issues/comments/{id}/reactions/{reaction}", "issues:write pull_requests:write", s.deleteReaction)

	write("POST"+r+"/check-runs", "checks:write", s.createCheckRun)
	read("GET"+r+"/check-runs/{id}", "checks:read", s.getCheckRun)
	write("PATCH"+r+"/check-runs/{id}", "checks:write", s.updateCheckRun)
	read("GET"+r+"/check-runs/{id}/annotations", "checks:read", s.listAnnotations)
	read("GET"+r+"/commits/{ref}/check-runs", "checks:read", s.listCheckRuns)

	read("GET"+r+"/actions/workflows", "actions:read", s.listWorkflows)
	read("GET"+r+"/actions/workflows/{workflow}", "actions:read", s.getWorkflow)
	write("POST"+r+"/actions/workflows/{workflow}/dispatches", "actions:write", s.dispatch)
	read("GET"+r+"/actions/workflows/{workflow}/runs", "actions:read", s.listRuns)
	read("GET"+r+"/actions/runs", "actions:read", s.listRuns)
	read("GET"+r+"/actions/runs/{id}", "actions:read", s.getRun)
	read("GET"+r+"/actions/runs/{id}/jobs", "actions:read", s.listJobs)
	write("POST"+r+"/actions/runs/{id}/cancel", "actions:write", s.cancelRun)
	read("GET"+r+"/actions/runs/{id}/artifacts", "actions:read", s.listArtifacts)
	read("GET"+r+"/actions/artifacts/{id}", "actions:read", s.getArtifact)
	read("GET"+r+"/actions/artifacts/{id}/{format}", "actions:read", s.downloadArtifact)
	signed("GET /artifact-content/{id}", s.artifactContent)

	mux.Handle("/", s.endpoint("", route{auth: authNone, handle: func(*request) answer { return notFound() }}))
	return mux
}

// ServeHTTP serves the API, at its root and below /api/v3 as on GitHub
// Enterprise Server.
func (s *Sim) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if rest, below := strings.CutPrefix(r.URL.Path, "/api/v3/"); below {
		clone := r.Clone(r.Context())
		clone.URL.Path = "/" + rest
		if raw, hasRaw := strings.CutPrefix(r.URL.RawPath, "/api/v3/"); hasRaw {
			clone.URL.RawPath = "/" + raw
		}
		r = clone
	}
	s.mux.ServeHTTP(w, r)
}

// endpoint wraps a handler with everything that all requests share: the call
// log, faults, authentication, limits, permissions, headers.
func (s *Sim) endpoint(pattern string, rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			write(w, r, fail(http.StatusRequestEntityTooLarge, "Request body too large"))
			return
		}
		c := &request{Request: r, sim: s, base: "http://" + r.Host, body: body}
		if s.URL != "" {
			c.base = s.URL
		}
		call := s.begin(strings.Replace(pattern, "{part}", r.PathValue("part"), 1), r, body)
		act := s.faults(call)
		if act.Delay > 0 {
			t := time.NewTimer(act.Delay)
			select {
			case <-t.C:
			case <-r.Context().Done():
			case <-s.ctx.Done():
			}
			t.Stop()
		}
		if act.BeforeApply != nil {
			act.BeforeApply()
		}
		if act.Drop {
			s.finish(call, 0)
			panic(http.ErrAbortHandler)
		}
		var a answer
		if act.Status != 0 {
			a = act.answer()
		} else {
			a = s.apply(c, rt, call)
		}
		s.finish(call, a.status)
		if act.AfterApply != nil {
			act.AfterApply()
		}
		if act.DropAnswer {
			panic(http.ErrAbortHandler)
		}
		write(w, r, a)
	})
}

// apply authenticates, checks limits and permissions and runs the handler.
func (s *Sim) apply(c *request, rt route, call *Call) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if refused := s.authenticate(c, rt.auth); refused != nil {
		call.setActor(c.who)
		return *refused
	}
	call.setActor(c.who)
	if c.PathValue("owner") != "" {
		c.repo = s.repos[strings.ToLower(c.PathValue("owner")+"/"+c.PathValue("repo"))]
		if c.repo != nil && c.repo.deleted {
			c.repo = nil
		}
		if c.repo != nil {
			c.inst = s.installationOf(c.repo)
		}
		if c.repo == nil && rt.auth != authNone {
			return notFound()
		}
	}
	if rt.auth != authInstallation {
		return s.limited(c, rt, func() answer { return rt.handle(c) })
	}
	return s.limited(c, rt, func() answer {
		if refused := s.authorize(c, rt); refused != nil {
			return *refused
		}
		return rt.handle(c)
	})
}

// write sends an answer.
func write(w http.ResponseWriter, r *http.Request, a answer) {
	data := a.raw
	typ := a.typ
	if data == nil && a.body != nil {
		var err error
		if data, err = json.Marshal(a.body); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		typ = "application/json; charset=utf-8"
	}
	h := w.Header()
	for k, v := range a.header {
		h[k] = v
	}
	if typ != "" {
		h.Set("Content-Type", typ)
	}
	if r.Method == http.MethodGet && a.status == http.StatusOK {
		sum := sha256.Sum256(data)
		tag := `"` + hex.EncodeToString(sum[:]) + `"`
		h.Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.WriteHeader(a.status)
	if a.status != http.StatusNoContent {
		_, _ = w.Write(data) // a client that is gone needs no answer
	}
}

// stamp is GitHub's notation of a time; nil for none.
func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

// text is a string, or null when empty.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}
