package githubsim_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/google/go-github/v62/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
)

// TestPatchesApply makes random edits and applies the patches that the API
// serves with another library: each must give the new content.
func TestPatchesApply(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a\n", "b\n", "c\r\n", "fn f() {\n", "}\n", "\n", "  x\n", "\xff\xfe bytes\n", "ünïcode\n"}
	text := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = pieces[rnd.IntN(len(pieces))]
		}
		return out
	}
	edit := func(in []string) []string {
		out := slices.Clone(in)
		for range 1 + rnd.IntN(6) {
			at := rnd.IntN(len(out) + 1)
			switch {
			case rnd.IntN(3) == 0 && at < len(out):
				out = slices.Delete(out, at, min(len(out), at+1+rnd.IntN(4)))
			default:
				out = slices.Insert(out, at, text(1+rnd.IntN(4))...)
			}
		}
		return out
	}
	join := func(l []string) string {
		s := strings.Join(l, "")
		if rnd.IntN(3) == 0 {
			s = strings.TrimSuffix(s, "\n")
		}
		return s
	}
	tree, ch := fstest.MapFS{}, githubsim.Changes{}
	olds, news := map[string]string{}, map[string]string{}
	for i := range 250 {
		name := fmt.Sprintf("f%03d.rs", i)
		old := text(rnd.IntN(60))
		olds[name] = join(old)
		tree[name] = &fstest.MapFile{Data: []byte(olds[name])}
		if news[name] = join(edit(old)); news[name] != olds[name] {
			ch[name] = githubsim.Text(news[name])
		}
	}
	w := newWorld(t, githubsim.Options{})
	repo, err := w.sim.CreateRepo("o", "diffs", tree)
	require.NoError(t, err)
	require.NoError(t, repo.CreateBranch("edit", "main"))
	_, err = repo.Commit("edit", "alice", "edit", ch)
	require.NoError(t, err)
	number, err := repo.OpenPull(githubsim.PullOptions{Title: "edit", Branch: "edit"})
	require.NoError(t, err)
	state, err := repo.Pull(number)
	require.NoError(t, err)
	require.Len(t, state.Files, len(ch))
	for _, f := range state.Files {
		files, _, err := gitdiff.Parse(strings.NewReader(fmt.Sprintf("diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n%s\n", f.Path, f.Path, f.Path, f.Path, f.Patch)))
		require.NoError(t, err, "%s", f.Patch)
		require.Len(t, files, 1)
		var out bytes.Buffer
		require.NoError(t, gitdiff.Apply(&out, strings.NewReader(olds[f.Path]), files[0]), "%q -> %q\n%s", olds[f.Path], news[f.Path], f.Patch)
		assert.Equal(t, news[f.Path], out.String(), "%s", f.Patch)
		add, del := 0, 0
		for _, h := range files[0].TextFragments {
			add, del = add+int(h.LinesAdded), del+int(h.LinesDeleted)
		}
		assert.Equal(t, []int{add, del}, []int{f.Additions, f.Deletions})
	}
}

// field-report 36, 44: binary files, mode-only changes and submodules have
// entries of their own kinds.
func TestFieldReport36And44KindsOfFiles(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, githubsim.Options{})
	old, moved := strings.Repeat("1", 40), strings.Repeat("2", 40)
	_, err := w.repo.Commit("main", "o", "submodule", githubsim.Changes{"deps/a": githubsim.Submodule(old)})
	require.NoError(t, err)
	require.NoError(t, w.repo.CreateBranch("kinds", "main"))
	_, err = w.repo.Commit("kinds", "alice", "kinds", githubsim.Changes{
		"k.cubin": githubsim.Binary([]byte("\x7fELF\x00")), "run.sh": githubsim.Text("true\n"),
		"deps/a": githubsim.Submodule(moved), "deps/b": githubsim.Submodule(old),
	})
	require.NoError(t, err)
	n, err := w.repo.OpenPull(githubsim.PullOptions{Title: "kinds", Branch: "kinds"})
	require.NoError(t, err)
	files, _, err := w.gh.PullRequests.ListFiles(ctx, "o", "r", n, nil)
	require.NoError(t, err)
	got := map[string]string{}
	for _, f := range files {
		got[f.GetFilename()] = fmt.Sprintf("%s %d %q", f.GetStatus(), f.GetChanges(), f.GetPatch())
	}
	assert.Equal(t, map[string]string{
		"k.cubin": `added 0 ""`,
		"run.sh":  `changed 0 ""`,
		"deps/a":  fmt.Sprintf("modified 2 %q", "@@ -1 +1 @@\n-Subproject commit "+old+"\n+Subproject commit "+moved),
		"deps/b":  fmt.Sprintf("added 1 %q", "@@ -0,0 +1 @@\n+Subproject commit "+old),
	}, got)
	_, _, err = w.gh.PullRequests.GetRaw(ctx, "o", "r", n, github.RawOptions{Type: github.Diff})
	require.NoError(t, err)
}

func TestWorkflowTriggers(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, githubsim.Options{})
	dispatch := func(file string, inputs map[string]any) error {
		_, err := w.gh.Actions.CreateWorkflowDispatchEventByFileName(ctx, "o", "r", file,
			github.CreateWorkflowDispatchEventRequest{Ref: "main", Inputs: inputs})
		return err
	}
	assert.Contains(t, refused(t, dispatch("other.yml", nil), 422), "workflow_dispatch")
	refused(t, dispatch("none.yml", nil), 404)
	for file, content := range map[string]string{
		"text.yml": "on: workflow_dispatch\njobs: {}\n", "list.yml": "on: [push, workflow_dispatch]\njobs: {}\n",
		"bare.yml": "on:\n  workflow_dispatch:\njobs: {}\n",
		"choice.yml": "on:\n  workflow_dispatch:\n    inputs:\n      mode:\n        type: choice\n        options: [a, b]\n        required: true\n" +
			"      extra:\n        default: x\n",
	} {
		_, err := w.repo.Commit("main", "o", file, githubsim.Changes{".github/workflows/" + file: githubsim.Text(content)})
		require.NoError(t, err)
	}
	for _, file := range []string{"text.yml", "list.yml", "bare.yml"} {
		require.NoError(t, dispatch(file, nil), file)
	}
	refused(t, dispatch("choice.yml", nil), 422)
	refused(t, dispatch("choice.yml", map[string]any{"mode": "c"}), 422)
	require.NoError(t, dispatch("choice.yml", map[string]any{"mode": "b"}))
	runs := w.sim.Runs()
	require.Len(t, runs, 4)
	assert.Equal(t, map[string]string{"mode": "b", "extra": "x"}, runs[3].Inputs)
	_, err := w.repo.Commit("main", "o", "broken", githubsim.Changes{".github/workflows/broken.yml": githubsim.Text("on: [\n")})
	require.NoError(t, err)
	refused(t, dispatch("broken.yml", nil), 422)
}
