package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tilegate/tilegate/bot/replay"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/memfs"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/templates"
	"github.com/tilegate/tilegate/testdata"
)

// appdb is the script command "appdb FILE": it makes the database of an App
// that has seen these pull requests of octo/TileGym and has it open, in the
// middle of a write, until the script ends:
//
//	#11 changes documentation only
//	#12 breaks R6 in a kernel
//	#13 changes a kernel, and its run waits
//	#14 was judged, and has a newer head
//	octo/other#1 is of a repository of another kind
func appdb(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: appdb FILE")
	}
	address := "sqlite:" + ts.MkAbs(args[0])
	kernel := tree.OpsRoot + "/row_sum_kernel/kernel.rs"
	sample := func(path, old, with string) fs.FS { return edited(ts, path, old, with) }
	base := sample("", "", "")
	other := &memfs.FS{}
	other.Add("main.c", []byte("int main(void) { return 0; }\n"))
	otherHead := &memfs.FS{}
	otherHead.Add("main.c", []byte("int main(void) { return 1; }\n"))
	for _, c := range []struct {
		repo   string
		number int
		base   fs.FS
		head   fs.FS
	}{
		{"octo/TileGym", 11, base, sample("README.md", "#", "# The")},
		{"octo/TileGym", 12, base, sample(kernel, "const_shape![TILE]", "const_shape![TILE * 1]")},
		{"octo/TileGym", 13, base, sample(kernel, "n_cols + TILE - 1i32", "n_cols + (TILE - 1i32)")},
		{"octo/TileGym", 14, base, sample("README.md", "#", "# An")},
		{"octo/other", 1, other, otherHead},
	} {
		sha := commitOf(c.repo, c.number)
		payload, err := json.Marshal(map[string]any{
			"action": "opened", "repository": map[string]any{"full_name": c.repo, "default_branch": "main"}, "installation": map[string]any{"id": 7},
			"pull_request": map[string]any{
				"number": c.number, "state": "open", "user": map[string]any{"login": "writer", "type": "User"}, "author_association": "MEMBER",
				"head": map[string]any{"ref": "topic", "sha": sha, "repo": map[string]any{"full_name": c.repo}},
				"base": map[string]any{"ref": "main", "sha": strings.Repeat("b", 40)}, "updated_at": time.Date(2026, 3, 1, 10, c.number, 0, 0, time.UTC).Format(time.RFC3339),
			},
		})
		ts.Check(err)
		_, err = replay.Run(context.Background(), replay.Options{
			Delivery: replay.Delivery{Event: "pull_request", GUID: sha, Payload: payload}, Base: c.base, Head: c.head,
			Rules: all.Rules, Version: "test", DatabaseURL: address,
		})
		ts.Check(err)
	}
	ctx := context.Background()
	st, err := store.Open(ctx, address, func() time.Time { return time.Date(2026, 3, 1, 11, 0, 0, 0, time.UTC) })
	ts.Check(err)
	t, err := st.Target(ctx, "octo/TileGym#14")
	ts.Check(err)
	t.HeadSHA = strings.Repeat("c", 40)
	ts.Check(st.SaveTarget(ctx, t))
	// A write that lasts as long as the script does not keep readers out.
	release, began := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- st.Update(ctx, func(tx *store.Tx) error {
			err := tx.AddRerun(ctx, "octo/TileGym#12")
			close(began)
			<-release
			return err
		})
	}()
	<-began
	ts.Defer(func() {
		close(release)
		ts.Check(<-ended)
		ts.Check(st.Close())
	})
}

// commitOf is the recorded head of a pull request.
func commitOf(repo string, number int) string {
	return strings.Repeat(string("0123456789abcdef"[number%16])+string("0123456789abcdef"[len(repo)%16]), 20)
}

// edited is the sample repository with one text of a file replaced.
func edited(ts *testscript.TestScript, path, old, with string) fs.FS {
	mini, err := fs.Sub(testdata.TilegymMini, "tilegym-mini")
	ts.Check(err)
	out := &memfs.FS{}
	out.Add(".github/workflows/tilegym-gate.yml", templates.Workflow)
	found := path == ""
	ts.Check(fs.WalkDir(mini, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(mini, p)
		if p == path {
			found = strings.Contains(string(data), old)
			data = []byte(strings.Replace(string(data), old, with, 1))
		}
		out.Add(p, data)
		return err
	}))
	if !found {
		ts.Fatalf("%s does not hold %q", path, old)
	}
	return out
}
