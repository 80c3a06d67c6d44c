package replay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/replay"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/templates"
	"github.com/tilegate/tilegate/testdata"
)

const kernelRS = "src/tilegym/ops/cutile_rs/row_sum_kernel/kernel.rs"

var (
	headSHA = strings.Repeat("a", 40)
	baseSHA = strings.Repeat("b", 40)
)

// trees are the sample repository and a head that breaks R6.
func trees(t *testing.T) (base, head fstest.MapFS) {
	t.Helper()
	sub, err := fs.Sub(testdata.TilegymMini, "tilegym-mini")
	require.NoError(t, err)
	base, head = fstest.MapFS{}, fstest.MapFS{}
	require.NoError(t, fs.WalkDir(sub, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(sub, p)
		base[p], head[p] = &fstest.MapFile{Data: data}, &fstest.MapFile{Data: data}
		return err
	}))
	workflow := &fstest.MapFile{Data: templates.Workflow}
	base[".github/workflows/tilegym-gate.yml"], head[".github/workflows/tilegym-gate.yml"] = workflow, workflow
	changed := strings.Replace(string(base[kernelRS].Data), "const_shape![TILE]", "const_shape![TILE * 1]", 1)
	require.NotEqual(t, string(base[kernelRS].Data), changed)
	head[kernelRS] = &fstest.MapFile{Data: []byte(changed)}
	return base, head
}

// payload is a payload with the parts that all have.
func payload(t *testing.T, parts map[string]any) []byte {
	t.Helper()
	parts["repository"] = map[string]any{"full_name": "octo/TileGym", "default_branch": "main"}
	parts["installation"] = map[string]any{"id": 77}
	parts["sender"] = map[string]any{"login": "maya", "type": "User"}
	data, err := json.Marshal(parts)
	require.NoError(t, err)
	return data
}

func pullRequest(author, association, headRepo string) map[string]any {
	return map[string]any{
		"number": 12, "title": "Change", "state": "open", "updated_at": "2026-03-01T10:00:00Z",
		"user": map[string]any{"login": author, "type": "User"}, "author_association": association,
		"head": map[string]any{"ref": "topic", "sha": headSHA, "repo": map[string]any{"full_name": headRepo}},
		"base": map[string]any{"ref": "main", "sha": baseSHA, "repo": map[string]any{"full_name": "octo/TileGym"}},
	}
}

func run(t *testing.T, event string, body []byte, roles map[string]string) replay.Result {
	t.Helper()
	base, head := trees(t)
	r, err := replay.Run(context.Background(), replay.Options{
		Delivery: replay.Delivery{Event: event, GUID: "g", Payload: body}, Base: base, Head: head, Roles: roles,
		Rules: all.Rules, Version: "test", Now: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), HeadCommit: headSHA,
	})
	require.NoError(t, err)
	return r
}

// list is each write's method, path and the fields that matter.
func list(t *testing.T, r replay.Result) []string {
	t.Helper()
	var out []string
	for _, w := range r.Writes {
		var body struct {
			Name, Status, Conclusion, Content string
		}
		if len(w.Body) > 0 {
			require.NoError(t, json.Unmarshal(w.Body, &body), "%s", w.Body)
		}
		out = append(out, strings.Join(strings.Fields(fmt.Sprint(w.Method, " ", w.Path, " ", body.Name, " ", body.Status, " ", body.Conclusion, " ", body.Content)), " "))
	}
	return out
}

func TestOpened(t *testing.T) {
	r := run(t, "pull_request", payload(t, map[string]any{"action": "opened", "number": 12, "pull_request": pullRequest("writer", "COLLABORATOR", "octo/TileGym")}), nil)
	assert.Equal(t, "octo/TileGym#12", r.Target)
	assert.Equal(t, []string{
		"POST /repos/octo/TileGym/actions/workflows/tilegym-gate.yml/dispatches",
		"POST /repos/octo/TileGym/check-runs tilegym / gate completed failure",
		"POST /repos/octo/TileGym/check-runs tilegym / rules completed failure",
		"POST /repos/octo/TileGym/check-runs tilegym / build in_progress",
		"POST /repos/octo/TileGym/check-runs tilegym / correctness in_progress",
		"POST /repos/octo/TileGym/check-runs tilegym / perf in_progress",
		"POST /repos/octo/TileGym/pulls/12/reviews",
		"POST /repos/octo/TileGym/issues/12/comments",
	}, list(t, r))
	assert.Empty(t, r.Undone)
	all, err := json.Marshal(r.Writes)
	require.NoError(t, err)
	assert.Contains(t, string(all), headSHA, "the recorded commit stands in the writes")
	assert.Contains(t, string(all), "`aaaaaaa`")
	assert.Contains(t, string(all), `\"base_sha\":\"`+baseSHA, "so does the base in the request")
	again := run(t, "pull_request", payload(t, map[string]any{"action": "opened", "number": 12, "pull_request": pullRequest("writer", "COLLABORATOR", "octo/TileGym")}), nil)
	assert.Equal(t, r, again, "a replay has the same outcome each time")
}

// A fork's head is not dispatched before a maintainer approves it.
func TestForkAndDeletedFork(t *testing.T) {
	p := pullRequest("stranger", "NONE", "stranger/TileGym")
	for range 2 {
		writes := list(t, run(t, "pull_request", payload(t, map[string]any{"action": "synchronize", "pull_request": p}), nil))
		assert.Len(t, writes, 7)
		assert.NotContains(t, strings.Join(writes, "\n"), "/dispatches")
		p["head"].(map[string]any)["repo"] = nil
	}
}

func TestComment(t *testing.T) {
	body := func(text string) []byte {
		return payload(t, map[string]any{
			"action": "created",
			"issue": map[string]any{
				"number": 12, "title": "Change", "state": "open", "user": map[string]any{"login": "stranger", "type": "User"}, "author_association": "NONE",
				"pull_request": map[string]any{"url": "https://api.github.com/repos/octo/TileGym/pulls/12"},
			},
			"comment": map[string]any{"id": 998877, "body": text, "user": map[string]any{"login": "maya", "type": "User"}, "created_at": "2026-03-01T10:00:00Z"},
		})
	}
	approve := body("/tilegym ok-to-test " + headSHA)
	r := run(t, "issue_comment", approve, map[string]string{"maya": "maintain"})
	assert.Contains(t, list(t, r), "POST /repos/octo/TileGym/actions/workflows/tilegym-gate.yml/dispatches")
	assert.Equal(t, "POST /repos/octo/TileGym/issues/comments/998877/reactions eyes", list(t, r)[0], "the recorded comment")
	assert.Contains(t, strings.Join(r.Assumed, "\n"), "had reviewed the pull request once")

	r = run(t, "issue_comment", approve, map[string]string{"maya": "read"})
	assert.NotContains(t, strings.Join(list(t, r), "\n"), "/dispatches")

	assert.Empty(t, run(t, "issue_comment", body("Looks good to me"), nil).Writes)
}

func TestClosedCancels(t *testing.T) {
	p := pullRequest("writer", "COLLABORATOR", "octo/TileGym")
	p["state"] = "closed"
	writes := list(t, run(t, "pull_request", payload(t, map[string]any{"action": "closed", "pull_request": p}), nil))
	require.Len(t, writes, 1)
	assert.Regexp(t, `^POST /repos/octo/TileGym/actions/runs/\d+/cancel$`, writes[0])
}

func TestButtonMergeGroupAndPush(t *testing.T) {
	run1 := run(t, "check_run", payload(t, map[string]any{
		"action": "rerequested", "check_run": map[string]any{"id": 5, "name": "tilegym / gate", "head_sha": headSHA, "app": map[string]any{"id": 4711}, "pull_requests": []any{}},
	}), map[string]string{"maya": "write"})
	assert.Contains(t, list(t, run1), "POST /repos/octo/TileGym/actions/workflows/tilegym-gate.yml/dispatches")

	group := run(t, "merge_group", payload(t, map[string]any{
		"action": "checks_requested", "merge_group": map[string]any{"head_sha": headSHA, "base_sha": baseSHA, "base_ref": "refs/heads/main", "head_ref": "refs/heads/gh-readonly-queue/main/pr-12-b"},
	}), nil)
	assert.Contains(t, list(t, group), "POST /repos/octo/TileGym/check-runs tilegym / gate completed failure")

	assert.Empty(t, run(t, "push", payload(t, map[string]any{"ref": "refs/heads/main"}), nil).Writes)
}

func TestRefusals(t *testing.T) {
	base, head := trees(t)
	for name, c := range map[string]struct {
		body string
		role string
		want string
	}{
		"no repository":   {`{"installation":{"id":1}}`, "", `expected "repository"`},
		"odd repository":  {`{"repository":{"full_name":"a/b/c"},"installation":{"id":1}}`, "", `expected "repository"`},
		"no installation": {`{"repository":{"full_name":"a/b"}}`, "", `expected "installation"`},
		"wrong type":      {`{"repository":3}`, "", "the payload of pull_request"},
		"negative number": {`{"repository":{"full_name":"a/b"},"installation":{"id":1},"pull_request":{"number":-3,"head":{"ref":"x","repo":{"full_name":"a/b"}}}}`, "", "expected a pull request's number"},
		"same branch":     {`{"repository":{"full_name":"a/b"},"installation":{"id":1},"pull_request":{"number":3,"head":{"ref":"main","repo":{"full_name":"a/b"}}}}`, "", "expected two branches"},
		"role":            {`{"repository":{"full_name":"a/b"},"installation":{"id":1}}`, "boss", "the role of maya"},
	} {
		t.Run(name, func(t *testing.T) {
			o := replay.Options{Delivery: replay.Delivery{Event: "pull_request", GUID: "g", Payload: []byte(c.body)}, Base: base, Head: head, Rules: all.Rules}
			if c.role != "" {
				o.Roles = map[string]string{"maya": c.role}
			}
			_, err := replay.Run(context.Background(), o)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestParseDelivery(t *testing.T) {
	for _, c := range []struct{ data, event, want, guid, problem string }{
		{`{"event":"push","delivery":"d1","payload":{"a":1}}`, "", "push", "d1", ""},
		{`{"guid":"d2","event":"push","request":{"headers":{},"payload":{"a":1}}}`, "", "push", "d2", ""},
		{`{"a":1}`, "push", "push", "replay", ""},
		{`{"event":"ping","payload":{"a":1}}`, "push", "push", "replay", ""},
		{`{"a":1}`, "", "", "", "expected {"},
		{`{"payload":{"a":1}}`, "", "", "", "expected the name of the event"},
		{`{"event":"push","payload":[]}`, "", "", "", "expected an object"},
		{`[]`, "push", "", "", "expected a JSON object"},
		{``, "push", "", "", "expected a JSON object"},
	} {
		d, err := replay.ParseDelivery([]byte(c.data), c.event)
		if c.problem != "" {
			assert.ErrorContains(t, err, c.problem, c.data)
			continue
		}
		require.NoError(t, err, c.data)
		assert.Equal(t, c.want, d.Event)
		assert.Equal(t, c.guid, d.GUID)
		assert.JSONEq(t, `{"a":1}`, string(d.Payload))
	}
}
