package githubsim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v4"
	"github.com/google/go-github/v62/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
)

// call makes one bare request and returns status, headers and body.
func call(t *testing.T, method, url, token string, body any) (int, http.Header, string) {
	t.Helper()
	data, err := json.Marshal(body)
	require.NoError(t, err)
	req, err := http.NewRequest(method, url, bytes.NewReader(data))
	require.NoError(t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, resp.Header, string(out)
}

// appToken signs claims with the App's key.
func appToken(t *testing.T, sim *githubsim.Sim, method jwt.SigningMethod, claims jwt.RegisteredClaims) string {
	t.Helper()
	var key any = []byte("wrong kind of key")
	if method.Alg() == "RS256" {
		var err error
		key, err = jwt.ParseRSAPrivateKeyFromPEM(sim.PrivateKeyPEM())
		require.NoError(t, err)
	}
	s, err := jwt.NewWithClaims(method, claims).SignedString(key)
	require.NoError(t, err)
	return s
}

// field-report 1: GitHub refuses App tokens from the future and those that live too long.
func TestFieldReport1AppTokenTimes(t *testing.T) {
	c := newClock()
	sim := githubsim.New(githubsim.Options{Now: c.Now, AppID: 7})
	require.NoError(t, sim.Start())
	defer func() { assert.NoError(t, sim.Close()) }()
	at := func(d time.Duration) *jwt.NumericDate { return jwt.NewNumericDate(c.Now().Add(d)) }
	for name, x := range map[string]struct {
		claims jwt.RegisteredClaims
		want   int
	}{
		"good":               {jwt.RegisteredClaims{Issuer: "7", IssuedAt: at(-time.Minute), ExpiresAt: at(9 * time.Minute)}, 200},
		"on both limits":     {jwt.RegisteredClaims{Issuer: "7", IssuedAt: at(0), ExpiresAt: at(600 * time.Second)}, 200},
		"issued in future":   {jwt.RegisteredClaims{Issuer: "7", IssuedAt: at(time.Second), ExpiresAt: at(time.Minute)}, 401},
		"expires too late":   {jwt.RegisteredClaims{Issuer: "7", IssuedAt: at(0), ExpiresAt: at(601 * time.Second)}, 401},
		"expired":            {jwt.RegisteredClaims{Issuer: "7", IssuedAt: at(-time.Minute), ExpiresAt: at(0)}, 401},
		"other App":          {jwt.RegisteredClaims{Issuer: "8", IssuedAt: at(0), ExpiresAt: at(time.Minute)}, 401},
		"without expiration": {jwt.RegisteredClaims{Issuer: "7", IssuedAt: at(0)}, 401},
		"without issue time": {jwt.RegisteredClaims{Issuer: "7", ExpiresAt: at(time.Minute)}, 401},
	} {
		status, _, body := call(t, "GET", sim.URL+"/app", appToken(t, sim, jwt.SigningMethodRS256, x.claims), nil)
		assert.Equal(t, x.want, status, "%s: %s", name, body)
	}
	good := jwt.RegisteredClaims{Issuer: "7", IssuedAt: at(0), ExpiresAt: at(time.Minute)}
	status, _, _ := call(t, "GET", sim.URL+"/app", appToken(t, sim, jwt.SigningMethodHS256, good), nil)
	assert.Equal(t, 401, status, "HS256")
	forged := appToken(t, githubsim.New(githubsim.Options{Now: c.Now}), jwt.SigningMethodRS256, good)
	status, _, _ = call(t, "GET", sim.URL+"/app", forged, nil)
	assert.Equal(t, 401, status, "another key")
	status, _, _ = call(t, "GET", sim.URL+"/app", "", nil)
	assert.Equal(t, 401, status, "no token")
}

// mint makes an installation token with the given request body.
func mint(t *testing.T, w *world, c *clock, body any) (int, string) {
	t.Helper()
	now := c.Now()
	app := appToken(t, w.sim, jwt.SigningMethodRS256, jwt.RegisteredClaims{
		Issuer: "1", IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(time.Minute)),
	})
	status, _, out := call(t, "POST", fmt.Sprintf("%s/app/installations/%d/access_tokens", w.sim.URL, w.repo.Installation()), app, body)
	var v struct{ Token string }
	require.NoError(t, json.Unmarshal([]byte(out), &v))
	return status, v.Token
}

// field-report 3: an installation token ends after an hour.
func TestFieldReport3TokenLife(t *testing.T) {
	c := newClock()
	w := newWorld(t, githubsim.Options{Now: c.Now})
	status, token := mint(t, w, c, nil)
	require.Equal(t, 201, status)
	repo := w.sim.URL + "/repos/o/r"
	status, _, _ = call(t, "GET", repo, token, nil)
	assert.Equal(t, 200, status)
	c.Advance(59*time.Minute + 59*time.Second)
	status, _, _ = call(t, "GET", repo, token, nil)
	assert.Equal(t, 200, status)
	c.Advance(time.Second)
	status, _, body := call(t, "GET", repo, token, nil)
	assert.Equal(t, 401, status)
	assert.Contains(t, body, "Bad credentials")
}

func TestTokenPermissions(t *testing.T) {
	c := newClock()
	w := newWorld(t, githubsim.Options{Now: c.Now})
	other, err := w.sim.CreateRepo("o", "other", sampleTree())
	require.NoError(t, err)
	private, err := w.sim.CreateRepo("p", "secret", sampleTree(), githubsim.Private(), githubsim.NotInstalled())
	require.NoError(t, err)
	require.Zero(t, private.Installation())
	require.Equal(t, w.repo.Installation(), other.Installation())

	status, _ := mint(t, w, c, map[string]any{"permissions": map[string]string{"contents": "write"}})
	assert.Equal(t, 422, status, "more than the installation grants")
	status, _ = mint(t, w, c, map[string]any{"repositories": []string{"none"}})
	assert.Equal(t, 422, status)

	status, token := mint(t, w, c, map[string]any{"repositories": []string{"r"}, "permissions": map[string]string{"checks": "read", "contents": "read"}})
	require.Equal(t, 201, status)
	check := map[string]string{"name": "x", "head_sha": w.head}
	for _, x := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/repos/o/r", 200},
		{"GET", "/repos/o/r/contents/run.sh", 200},
		{"GET", "/repos/o/r/commits/" + w.head + "/check-runs", 200},
		{"POST", "/repos/o/r/check-runs", 403},
		{"POST", "/repos/o/r/issues/1/comments", 403},
		{"POST", "/repos/o/r/pulls/1/reviews", 403},
		{"POST", "/repos/o/r/actions/workflows/gate.yml/dispatches", 403},
		{"GET", "/repos/o/r/actions/runs", 403},
		{"GET", "/repos/o/other", 200}, // public
		{"POST", "/repos/o/other/check-runs", 403},
		{"GET", "/repos/p/secret", 404},
		{"POST", "/repos/p/secret/check-runs", 404},
		{"GET", "/repos/no/thing", 404},
		{"GET", "/app", 401},
	} {
		status, _, body := call(t, x.method, w.sim.URL+x.path, token, check)
		assert.Equal(t, x.want, status, "%s %s: %s", x.method, x.path, body)
		if status == 403 {
			assert.Contains(t, body, "Resource not accessible by integration")
		}
	}
	assert.Empty(t, w.repo.Checks(w.head))
	status, _, body := call(t, "GET", w.sim.URL+"/installation/repositories", token, nil)
	assert.Equal(t, 200, status)
	assert.Contains(t, body, `"total_count":1`)

	w.sim.SetPermissions(w.repo.Installation(), map[string]string{"checks": "read"})
	_, token = mint(t, w, c, nil)
	status, _, _ = call(t, "POST", w.sim.URL+"/repos/o/r/check-runs", token, check)
	assert.Equal(t, 403, status)
	// field-report 4: a suspended installation gives no token
	w.sim.Suspend(w.repo.Installation(), true)
	status, _ = mint(t, w, c, nil)
	assert.Equal(t, 403, status)
}

func TestRateLimits(t *testing.T) {
	c := newClock()
	w := newWorld(t, githubsim.Options{Now: c.Now, PrimaryLimit: 8, ContentPerMinute: 2})
	_, token := mint(t, w, c, nil)
	write := func() (int, http.Header, string) {
		return call(t, "POST", w.sim.URL+"/repos/o/r/issues/1/comments", token, map[string]string{"body": "x"})
	}
	for range 2 {
		status, h, _ := write()
		assert.Equal(t, 201, status)
		assert.Equal(t, "8", h.Get("X-RateLimit-Limit"))
	}
	status, h, body := write()
	assert.Equal(t, 403, status)
	assert.Equal(t, "60", h.Get("Retry-After"))
	assert.Contains(t, body, "secondary rate limit")
	status, h, _ = call(t, "GET", w.sim.URL+"/repos/o/r", token, nil)
	assert.Equal(t, 200, status, "reading goes on")
	assert.Equal(t, "4", h.Get("X-RateLimit-Remaining"))
	c.Advance(time.Minute)
	status, _, _ = write()
	assert.Equal(t, 201, status)
	for range 3 {
		status, _, _ = call(t, "GET", w.sim.URL+"/rate_limit", token, nil)
		assert.Equal(t, 200, status)
	}
	status, h, body = call(t, "GET", w.sim.URL+"/repos/o/r", token, nil)
	assert.Equal(t, 403, status)
	assert.Contains(t, body, "API rate limit exceeded")
	assert.Equal(t, "0", h.Get("X-RateLimit-Remaining"))
	reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	require.NoError(t, err)
	assert.Equal(t, c.Now().Add(59*time.Minute).Unix(), reset)
	state, err := w.repo.Pull(w.number)
	require.NoError(t, err)
	assert.Len(t, state.Comments, 3)
}

func TestInterceptedCalls(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, githubsim.Options{})
	post := func() error {
		_, _, err := w.gh.Issues.CreateComment(ctx, "o", "r", w.number, &github.IssueComment{Body: github.String("x")})
		return err
	}
	comments := func() int {
		state, err := w.repo.Pull(w.number)
		require.NoError(t, err)
		return len(state.Comments)
	}
	only := func(a githubsim.Action) {
		w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
			if c.Route == "POST /repos/{owner}/{repo}/issues/{number}/comments" {
				return a
			}
			return githubsim.Action{}
		})
	}
	only(githubsim.Refuse(502, "Bad Gateway"))
	refused(t, post(), 502)
	only(githubsim.SecondaryLimit(0))
	refused(t, post(), 403)
	assert.Zero(t, comments())

	var at []int
	only(githubsim.Action{BeforeApply: func() { at = append(at, comments()) }, AfterApply: func() { at = append(at, comments()) }})
	require.NoError(t, post())
	assert.Equal(t, []int{0, 1}, at, "before and after the state changed")
	only(githubsim.Action{Drop: true})
	require.Error(t, post())
	assert.Equal(t, 1, comments(), "dropped: not applied")
	only(githubsim.Action{DropAnswer: true})
	require.Error(t, post())
	assert.Equal(t, 2, comments(), "applied, though the client saw no answer")
	w.sim.Intercept(nil)
	require.NoError(t, post())

	var posts []githubsim.Call
	for _, c := range w.sim.Calls() {
		if c.Method == "POST" && strings.HasSuffix(c.Path, "/comments") {
			posts = append(posts, c)
		}
	}
	require.Len(t, posts, 6)
	assert.Equal(t, 502, posts[0].Status)
	assert.Equal(t, fmt.Sprintf("installation %d", w.repo.Installation()), posts[5].Actor)
	assert.Equal(t, 201, posts[5].Status)
	w.sim.ForgetCalls()
	assert.Empty(t, w.sim.Calls())
}

// field-report 33, 35: the diff media type is refused for many files, the list
// of files goes on to 3,000, and a large patch is left out.
func TestFieldReport33And35LargePullRequests(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, githubsim.Options{MaxPatchLines: 100})
	many := githubsim.Changes{"src/large.rs": githubsim.Text(kernel(4000, nil))}
	for i := range 420 {
		many[fmt.Sprintf("gen/f%03d.rs", i)] = githubsim.Text("fn f() {}\n")
	}
	require.NoError(t, w.repo.CreateBranch("many", "main"))
	_, err := w.repo.Commit("many", "alice", "many files", many)
	require.NoError(t, err)
	n, err := w.repo.OpenPull(githubsim.PullOptions{Title: "many", Branch: "many"})
	require.NoError(t, err)
	_, _, err = w.gh.PullRequests.GetRaw(ctx, "o", "r", n, github.RawOptions{Type: github.Diff})
	assert.Contains(t, refused(t, err, 406), "too_large")
	var files []*github.CommitFile
	opts := &github.ListOptions{PerPage: 300}
	for {
		page, resp, err := w.gh.PullRequests.ListFiles(ctx, "o", "r", n, opts)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page), 100, "per_page above 100 counts as 100")
		files = append(files, page...)
		if resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	require.Len(t, files, 421)
	for _, f := range files {
		if f.GetFilename() == "src/large.rs" {
			assert.Nil(t, f.Patch)
			assert.Equal(t, 4000, f.GetChanges())
		} else {
			assert.NotEmpty(t, f.GetPatch())
		}
	}

	huge := githubsim.Changes{}
	for i := range 3100 {
		huge[fmt.Sprintf("huge/f%04d.rs", i)] = githubsim.Text("fn f() {}\n")
	}
	_, err = w.repo.Commit("many", "alice", "more", huge)
	require.NoError(t, err)
	last, resp, err := w.gh.PullRequests.ListFiles(ctx, "o", "r", n, &github.ListOptions{PerPage: 100, Page: 30})
	require.NoError(t, err)
	assert.Len(t, last, 100)
	assert.Zero(t, resp.NextPage)
	beyond, _, err := w.gh.PullRequests.ListFiles(ctx, "o", "r", n, &github.ListOptions{PerPage: 100, Page: 31})
	require.NoError(t, err)
	assert.Empty(t, beyond)
}

// Past 20,000 patch lines in one answer rows come without counts, unmarked.
func TestFilesPastTwentyThousandPatchLines(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	ch := githubsim.Changes{}
	for i := range 5 {
		ch[fmt.Sprintf("gen/f%d.rs", i)] = githubsim.Text(kernel(5000, nil))
	}
	_, err := w.repo.Commit("feature/x", "alice", "generated", ch)
	require.NoError(t, err)
	files, _, err := w.gh.PullRequests.ListFiles(context.Background(), "o", "r", w.number, nil)
	require.NoError(t, err)
	byName := map[string]*github.CommitFile{}
	for _, f := range files {
		byName[f.GetFilename()] = f
	}
	assert.Equal(t, 5000, byName["gen/f0.rs"].GetChanges())
	assert.Equal(t, 0, byName["gen/f4.rs"].GetChanges())
	assert.Nil(t, byName["gen/f4.rs"].Patch)
	assert.Equal(t, "added", byName["gen/f4.rs"].GetStatus())
}

func TestForksRenamesAndConflicts(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, githubsim.Options{})
	fork, err := w.repo.Fork("mallory")
	require.NoError(t, err)
	head, err := fork.ForcePush("fix", "main", "mallory", "fix", githubsim.Changes{
		"src/moved/kernel.rs": githubsim.Text(kernel(60, map[int]string{1: "// moved\n"})), "src/a kernel/kernel.rs": nil,
	})
	require.NoError(t, err)
	n, err := w.repo.OpenPull(githubsim.PullOptions{Title: "fix", Head: fork, Branch: "fix"})
	require.NoError(t, err)
	files, _, err := w.gh.PullRequests.ListFiles(ctx, "o", "r", n, nil)
	require.NoError(t, err)
	require.Len(t, files, 1)
	assert.Equal(t, "renamed src/a kernel/kernel.rs", files[0].GetStatus()+" "+files[0].GetPreviousFilename())
	assert.Equal(t, 2, files[0].GetChanges())

	// field-report 21: checks of a fork's head name no pull request
	run, _, err := w.gh.Checks.CreateCheckRun(ctx, "o", "r", github.CreateCheckRunOptions{Name: "gate", HeadSHA: head})
	require.NoError(t, err)
	assert.Empty(t, run.PullRequests)
	run, _, err = w.gh.Checks.CreateCheckRun(ctx, "o", "r", github.CreateCheckRunOptions{Name: "gate", HeadSHA: w.head})
	require.NoError(t, err)
	assert.Len(t, run.PullRequests, 1)

	_, err = w.repo.MergePull(w.number, "o")
	require.NoError(t, err)
	_, err = w.repo.MergePull(n, "o")
	require.ErrorContains(t, err, "conflicts", "both changed the kernel")
	_, err = w.repo.MergeGroup(n)
	require.ErrorContains(t, err, "conflicts")
	fork.Delete()
	pr, _, err := w.gh.PullRequests.Get(ctx, "o", "r", n)
	require.NoError(t, err)
	assert.Nil(t, pr.GetHead().Repo)
	// the base moved, so the merge base is what both share
	cmp, _, err := w.gh.Repositories.CompareCommits(ctx, "o", "r", "main", head, nil)
	require.NoError(t, err)
	assert.Equal(t, "diverged", cmp.GetStatus())
	assert.NotEqual(t, w.repo.Head("main"), cmp.GetMergeBaseCommit().GetSHA())
}

func TestLockedConversationAndEnterprisePrefix(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, githubsim.Options{NoRunDetails: true})
	w.repo.Lock(w.number, true)
	gh, err := w.gh.WithEnterpriseURLs(w.sim.URL, w.sim.URL)
	require.NoError(t, err)
	_, _, err = gh.Issues.CreateComment(ctx, "o", "r", w.number, &github.IssueComment{Body: github.String("x")})
	refused(t, err, 403)
	_, _, _, err = gh.Repositories.GetContents(ctx, "o", "r", "src/a kernel/kernel.rs", nil)
	require.NoError(t, err)
	req, err := gh.NewRequest("POST", "repos/o/r/actions/workflows/gate.yml/dispatches", map[string]any{
		"ref": "main", "inputs": map[string]string{"request": "{}", "dispatch": "1"}, "return_run_details": true,
	})
	require.NoError(t, err)
	_, err = gh.Do(ctx, req, nil)
	assert.Contains(t, refused(t, err, 422), "return_run_details")
	assert.Empty(t, w.sim.Runs())
}
