package spec_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim/spec"
)

func TestHandlerChecksRequestAndAnswer(t *testing.T) {
	dir := os.Getenv(spec.EnvDir)
	if dir == "" {
		t.Skipf("%s is not set: GitHub's description is not at hand (.ci/fetch-spec brings it)", spec.EnvDir)
	}
	sp, err := spec.Load(dir)
	require.NoError(t, err)
	var got string
	api := httptest.NewServer(sp.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		got = string(body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":1,"node_id":"x","user":null,"content":"eyes","created_at":"2026-01-02T03:04:05Z"}`)
	})))
	defer api.Close()
	post := func(body string) string {
		resp, err := http.Post(api.URL+"/api/v3/repos/o/r/issues/comments/1/reactions", "application/json", strings.NewReader(body))
		require.NoError(t, err)
		defer resp.Body.Close()
		out, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, http.StatusCreated, resp.StatusCode)
		return string(out)
	}
	assert.Contains(t, post(`{"content":"eyes"}`), `"id":1`)
	assert.Equal(t, `{"content":"eyes"}`, got, "the request reaches the API unchanged")
	assert.Empty(t, sp.Problems())
	assert.Equal(t, map[string]int{"POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions 201": 1}, sp.Seen())
	post(`{"content":"smile"}`)
	require.Len(t, sp.Problems(), 1)
	assert.Contains(t, sp.Problems()[0], "request")
}

func TestMissingPackagesAreNamed(t *testing.T) {
	_, err := spec.Load(t.TempDir())
	require.ErrorContains(t, err, "@octokit/openapi")
	require.ErrorContains(t, err, spec.EnvDir)
	_, err = spec.Examples(t.TempDir())
	require.ErrorContains(t, err, "@octokit/webhooks-examples")
}
