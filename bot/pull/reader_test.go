package pull_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-github/v62/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/appauth"
	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/bot/pull"
)

const (
	kernel   = "src/tilegym/ops/cutile_rs/bmm_kernel/kernel.rs"
	workflow = `name: tilegym gate
run-name: tilegate ${{ inputs.dispatch }}
on:
  workflow_dispatch:
    inputs:
      request: {required: true, type: string}
      dispatch: {required: true, type: string}
jobs:
  build:
    runs-on: [self-hosted, gpu]
    steps: [{run: "true"}]
`
)

// source is a kernel of n lines.
func source(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "// line %d\n", i+1)
	}
	return b.String()
}

// world is one simulated GitHub and a reader of it.
type world struct {
	t       *testing.T
	sim     *githubsim.Sim
	repo    *githubsim.Repo
	ref     pull.Repo
	factory *appauth.Factory
	reader  *pull.GitHub
	now     time.Time
	http    *swap
}

// swap lets a test replace answers below the client.
type swap struct {
	next http.RoundTripper
	with func(*http.Request) *http.Response
}

func (s *swap) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.with != nil {
		if resp := s.with(r); resp != nil {
			resp.Request = r
			return resp, nil
		}
	}
	return s.next.RoundTrip(r)
}

func answer(status int, body []byte) *http.Response {
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))}
}

func newWorld(t *testing.T, options githubsim.Options, limits pull.Limits) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	options.Now = func() time.Time { return w.now }
	w.sim = githubsim.New(options)
	require.NoError(t, w.sim.Start())
	t.Cleanup(func() { assert.NoError(t, w.sim.Close()) })
	files := fstest.MapFS{
		kernel:                                 {Data: []byte(source(60))},
		"src/tilegym/ops/cutile_rs/bmm.py":     {Data: []byte("x = 1\n")},
		"tests/ops/test_bmm.py":                {Data: []byte("def test(): pass\n")},
		"docs/picture.png":                     {Data: []byte("\x89PNG\x00")},
		"README.md":                            {Data: []byte("# read me\n")},
		".github/tilegym.yml":                  {Data: []byte("perf: {}\n")},
		".github/workflows/tilegym-gate.yml":   {Data: []byte(workflow)},
		"src/tilegym/ops/cutile_rs/removed.py": {Data: []byte("old = 1\n")},
		"src/tilegym/ops/cutile_rs/before.py":  {Data: []byte("renamed = 1\nkept = 2\nkept = 3\n")},
	}
	var err error
	w.repo, err = w.sim.CreateRepo("NVIDIA", "TileGym", files)
	require.NoError(t, err)
	w.ref = pull.Repo{Installation: w.repo.Installation(), Owner: "NVIDIA", Name: "TileGym"}
	w.http = &swap{next: http.DefaultTransport}
	w.factory, err = appauth.New(appauth.Config{
		APIURL: w.sim.URL, AppID: w.sim.AppID(), PrivateKey: w.sim.PrivateKeyPEM(), Transport: w.http, Now: options.Now,
	})
	require.NoError(t, err)
	w.reader = pull.NewReader(pull.Config{Clients: w.factory, Now: options.Now, Limits: limits})
	return w
}

// open pushes changes on a new branch and opens a pull request for it.
func (w *world) open(changes githubsim.Changes) int {
	w.t.Helper()
	require.NoError(w.t, w.repo.CreateBranch("topic", "main"))
	_, err := w.repo.Commit("topic", "dev", "change", changes)
	require.NoError(w.t, err)
	n, err := w.repo.OpenPull(githubsim.PullOptions{Title: "A change", Author: "dev", Branch: "topic"})
	require.NoError(w.t, err)
	return n
}

func (w *world) snapshot(number int) pull.Snapshot {
	w.t.Helper()
	s, err := w.reader.PullRequest(w.t.Context(), w.ref, number)
	require.NoError(w.t, err)
	return s
}

func (w *world) count(route string) int {
	n := 0
	for _, c := range w.sim.Calls() {
		if c.Route == route {
			n++
		}
	}
	return n
}

func read(t *testing.T, fsys fs.FS, name string) string {
	t.Helper()
	data, err := fs.ReadFile(fsys, name)
	require.NoError(t, err)
	return string(data)
}

func byPath(files []pull.File) map[string]pull.File {
	m := map[string]pull.File{}
	for _, f := range files {
		m[f.Path] = f
	}
	return m
}

func TestSnapshotBelongsToOneCommit(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	fork := w.repo.Head("main")
	n := w.open(githubsim.Changes{"src/tilegym/ops/cutile_rs/bmm.py": githubsim.Text("x = 2\n")})
	// The base moves on after the pull request was opened.
	tip, err := w.repo.Commit("main", "boss", "base", githubsim.Changes{
		"src/tilegym/ops/cutile_rs/bmm.py": githubsim.Text("x = 3\n"), ".github/tilegym.yml": githubsim.Text("perf: {rounds: 3}\n"),
	})
	require.NoError(t, err)

	s := w.snapshot(n)
	info := s.Info()
	assert.Equal(t, pull.Info{
		Repo: w.ref, Number: n, Title: "A change", Author: "dev", State: "open", HeadSHA: w.repo.Head("topic"), HeadRepo: "NVIDIA/TileGym",
		BaseRef: "main", BaseSHA: tip, CreatedAt: info.CreatedAt,
	}, info)
	assert.False(t, info.Fork())
	assert.True(t, w.now.Equal(s.TakenAt()))
	assert.True(t, w.now.Equal(info.CreatedAt))

	base, err := s.MergeBaseSHA(t.Context())
	require.NoError(t, err)
	assert.Equal(t, fork, base, "where the branches parted, not the tip")
	head, err := s.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "x = 2\n", read(t, head, "src/tilegym/ops/cutile_rs/bmm.py"))
	before, err := s.MergeBase(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "x = 1\n", read(t, before, "src/tilegym/ops/cutile_rs/bmm.py"))
	config, err := s.BaseFile(t.Context(), ".github/tilegym.yml")
	require.NoError(t, err)
	assert.Equal(t, "perf: {rounds: 3}\n", string(config), "of the base branch's tip")

	// A push does not change what was taken.
	_, err = w.repo.Commit("topic", "dev", "more", githubsim.Changes{"src/tilegym/ops/cutile_rs/bmm.py": githubsim.Text("x = 4\n")})
	require.NoError(t, err)
	head, err = s.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "x = 2\n", read(t, head, "src/tilegym/ops/cutile_rs/bmm.py"))
	_, err = s.Files(t.Context())
	assert.ErrorIs(t, err, pull.ErrMoved, "GitHub lists the files of the present head only")
}

func TestPullRequestsOfForks(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	fork, err := w.repo.Fork("someone")
	require.NoError(t, err)
	_, err = fork.Commit("main", "someone", "change", githubsim.Changes{"src/new.py": githubsim.Text("y = 1\n")})
	require.NoError(t, err)
	n, err := w.repo.OpenPull(githubsim.PullOptions{Title: "From a fork", Head: fork, Branch: "main", Draft: true})
	require.NoError(t, err)

	s := w.snapshot(n)
	assert.True(t, s.Info().Fork())
	assert.Equal(t, "someone/TileGym", s.Info().HeadRepo)
	assert.Equal(t, "someone", s.Info().Author)
	assert.True(t, s.Info().Draft)
	head, err := s.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "y = 1\n", read(t, head, "src/new.py"), "read through the base repository")
	files, err := s.Files(t.Context())
	require.NoError(t, err)
	require.Len(t, files, 1)
	assert.Equal(t, "added", files[0].Status)

	fork.Delete()
	assert.Empty(t, w.snapshot(n).Info().HeadRepo)
	assert.True(t, w.snapshot(n).Info().Fork())
	require.NoError(t, w.repo.ClosePull(n, "boss"))
	assert.Equal(t, "closed", w.snapshot(n).Info().State)
}

func TestNamesAreInGitHubsSpelling(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	n := w.open(githubsim.Changes{"a.py": githubsim.Text("a\n")})
	s, err := w.reader.PullRequest(t.Context(), pull.Repo{Installation: w.ref.Installation, Owner: "nvidia", Name: "tilegym"}, n)
	require.NoError(t, err)
	assert.Equal(t, w.ref, s.Info().Repo)
	assert.False(t, s.Info().Fork())
}

func TestFileKinds(t *testing.T) {
	w := newWorld(t, githubsim.Options{MaxPatchLines: 500}, pull.Limits{})
	_, err := w.repo.Commit("main", "boss", "prepare", githubsim.Changes{
		"old-module":  githubsim.Submodule(strings.Repeat("1", 40)),
		"run.py":      githubsim.Text("print(1)\n"),
		"data.cubin":  githubsim.Binary([]byte("\x7fELF\x00one")),
		"wide.py":     githubsim.Text("a = 1\r\nb = 2\r\n"),
		"binary.json": githubsim.Binary([]byte("one\x00")),
	})
	require.NoError(t, err)
	changed := strings.Replace(source(60), "// line 5\n", "// new five\n// and more\n", 1)
	changed = strings.Replace(changed, "// line 50\n", "", 1)
	n := w.open(githubsim.Changes{
		kernel:                                 githubsim.Text(changed),
		"src/tilegym/ops/cutile_rs/added.py":   githubsim.Text("one = 1\ntwo = 2"),
		"src/tilegym/ops/cutile_rs/empty.py":   githubsim.Text(""),
		"src/tilegym/ops/cutile_rs/removed.py": nil,
		"src/tilegym/ops/cutile_rs/before.py":  nil,
		"src/tilegym/ops/cutile_rs/after.py":   githubsim.Text("renamed = 1\nkept = 2\nkept = 3\n"),
		"run.py":                               githubsim.Executable("print(1)\n"),
		"data.cubin":                           githubsim.Binary([]byte("\x7fELF\x00two")),
		"binary.json":                          githubsim.Binary([]byte("two\x00")),
		"old-module":                           githubsim.Submodule(strings.Repeat("2", 40)),
		"new-module":                           githubsim.Submodule(strings.Repeat("3", 40)),
		"src/big.rs":                           githubsim.Text(source(4000)),
		"wide.py":                              githubsim.Text("a = 1\r\nb = 3\r\n"),
	})
	list, err := w.snapshot(n).Files(t.Context())
	require.NoError(t, err)
	files := byPath(list)

	k := files[kernel]
	assert.Equal(t, "modified", k.Status)
	assert.Equal(t, 4, k.Changes)
	assert.Empty(t, k.NoLines)
	for _, line := range []int{2, 5, 6, 9, 48, 53} {
		assert.True(t, k.Commentable[line], "line %d", line)
	}
	for _, line := range []int{0, 1, 10, 30, 47, 54, 60} {
		assert.False(t, k.Commentable[line], "line %d", line)
		assert.NotContains(t, k.HunkOf, line)
	}
	assert.Equal(t, 0, k.HunkOf[5])
	assert.Equal(t, 1, k.HunkOf[50])
	assert.Len(t, k.HunkOf, len(k.Commentable))

	added := files["src/tilegym/ops/cutile_rs/added.py"]
	assert.Equal(t, map[int]bool{1: true, 2: true}, added.Commentable, "a last line without an end counts")
	assert.Equal(t, map[int]bool{1: true, 2: true}, files["wide.py"].Commentable, "field-report 43: carriage returns")

	removed := files["src/tilegym/ops/cutile_rs/removed.py"]
	assert.Equal(t, "removed", removed.Status)
	assert.Empty(t, removed.Commentable, "field-report 38: no head-side line")
	renamed := files["src/tilegym/ops/cutile_rs/after.py"]
	assert.Equal(t, "renamed", renamed.Status)
	assert.Equal(t, "src/tilegym/ops/cutile_rs/before.py", renamed.Previous)

	for path, want := range map[string]pull.Omission{
		"src/tilegym/ops/cutile_rs/after.py": pull.OmittedRename,
		"src/tilegym/ops/cutile_rs/empty.py": pull.OmittedEmpty,
		"run.py":                             pull.OmittedMode,      // field-report 36
		"data.cubin":                         pull.OmittedUnknown,   // field-report 36: not a file that is reviewed
		"old-module":                         pull.OmittedSubmodule, // field-report 44
		"new-module":                         pull.OmittedSubmodule, // field-report 44
		"src/big.rs":                         pull.OmittedLarge,     // field-report 35
	} {
		f, ok := files[path]
		require.True(t, ok, path)
		assert.Equal(t, want, f.NoLines, path)
		assert.Nil(t, f.Commentable, path)
		assert.Nil(t, f.HunkOf, path)
	}
	assert.Equal(t, 4000, files["src/big.rs"].Changes)
	assert.Len(t, list, 12)
	head, err := w.snapshot(n).Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, source(4000), read(t, head, "src/big.rs"), "the review reads it all the same")
}

func TestBinaryFileAmongTheReviewedOnes(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	n := w.open(githubsim.Changes{"src/odd.py": githubsim.Binary([]byte("x = 1\x00\n")), "src/ok.py": githubsim.Text("y\n")})
	list, err := w.snapshot(n).Files(t.Context())
	require.NoError(t, err)
	assert.Equal(t, pull.OmittedBinary, byPath(list)["src/odd.py"].NoLines)
	assert.Equal(t, map[int]bool{1: true}, byPath(list)["src/ok.py"].Commentable)
}

func TestFieldReport33ManyFiles(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	changes := githubsim.Changes{}
	for i := range 420 {
		changes[fmt.Sprintf("src/gen/f%03d.py", i)] = githubsim.Text(fmt.Sprintf("v = %d\n", i))
	}
	list, err := w.snapshot(w.open(changes)).Files(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 420)
	assert.Equal(t, map[int]bool{1: true}, byPath(list)["src/gen/f399.py"].Commentable)
	assert.Equal(t, 5, w.count("GET /repos/{owner}/{repo}/pulls/{number}/files"))
}

func TestRowsThatGitHubEmptiesAreNoticed(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	changes := githubsim.Changes{"run.py": githubsim.Text("x\n")}
	for i := range 12 {
		changes[fmt.Sprintf("src/gen/f%02d.py", i)] = githubsim.Text(source(2000))
	}
	changes["zz.png"] = githubsim.Binary([]byte("\x89\x00"))
	list, err := w.snapshot(w.open(changes)).Files(t.Context())
	require.NoError(t, err)
	emptied := 0
	for _, f := range list {
		if strings.HasPrefix(f.Path, "src/gen/") && f.Patch == "" {
			assert.Zero(t, f.Changes, "the row looks like that of a binary file")
			assert.Equal(t, pull.OmittedLarge, f.NoLines, f.Path)
			emptied++
		}
	}
	assert.Positive(t, emptied)
	assert.Equal(t, pull.OmittedUnknown, byPath(list)["zz.png"].NoLines)
}

func TestListThatGitHubCutsIsCompleted(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	changes := githubsim.Changes{
		"zz/last.py":                           githubsim.Text("last\n"),
		"tests/ops/test_bmm.py":                githubsim.Text("changed\n"),
		"src/tilegym/ops/cutile_rs/removed.py": nil,
	}
	for i := range 3100 {
		changes[fmt.Sprintf("a/f%04d.txt", i)] = githubsim.Text(fmt.Sprintf("%d\n", i))
	}
	list, err := w.snapshot(w.open(changes)).Files(t.Context())
	require.NoError(t, err)
	assert.Len(t, list, 3103)
	files := byPath(list)
	assert.Len(t, files, 3103, "each once")
	assert.Equal(t, "added", files["zz/last.py"].Status)
	assert.Equal(t, pull.OmittedLarge, files["zz/last.py"].NoLines)
	assert.Equal(t, "modified", files["tests/ops/test_bmm.py"].Status)
	assert.Equal(t, "removed", files["src/tilegym/ops/cutile_rs/removed.py"].Status)

	// Without the tree nobody can know the rest.
	w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
		if c.Route == "GET /repos/{owner}/{repo}/git/trees/{sha}" {
			return githubsim.Refuse(http.StatusNotFound, "Not Found")
		}
		return githubsim.Action{}
	})
	fresh := pull.NewReader(pull.Config{Clients: w.factory})
	s, err := fresh.PullRequest(t.Context(), w.ref, 1)
	require.NoError(t, err)
	_, err = s.Files(t.Context())
	assert.Error(t, err, "never a part as if it were the whole")
}

func TestPushWhileTheFilesAreListed(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	n := w.open(githubsim.Changes{"src/a.py": githubsim.Text("a\n")})
	s := w.snapshot(n)
	var once sync.Once
	w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
		if strings.HasSuffix(c.Path, "/files") {
			once.Do(func() {
				_, err := w.repo.Commit("topic", "dev", "more", githubsim.Changes{"src/b.py": githubsim.Text("b\n")})
				assert.NoError(t, err)
			})
		}
		return githubsim.Action{}
	})
	_, err := s.Files(t.Context())
	require.ErrorIs(t, err, pull.ErrMoved)
	assert.ErrorContains(t, err, w.repo.Head("topic"))
}

func TestMergeGroup(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	n := w.open(githubsim.Changes{"src/a.py": githubsim.Text("a\n"), "x.png": githubsim.Binary([]byte{0})})
	base := w.repo.Head("main")
	sha, err := w.repo.MergeGroup(n)
	require.NoError(t, err)
	for _, against := range []string{"main", "refs/heads/main", base} {
		s, err := w.reader.Commit(t.Context(), w.ref, sha, against)
		require.NoError(t, err)
		assert.Equal(t, base, s.Info().BaseSHA)
		assert.Equal(t, sha, s.Info().HeadSHA)
		assert.Zero(t, s.Info().Number)
		assert.False(t, s.Info().Fork())
		files, err := s.Files(t.Context())
		require.NoError(t, err)
		assert.Equal(t, map[int]bool{1: true}, byPath(files)["src/a.py"].Commentable)
		head, err := s.Head(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "a\n", read(t, head, "src/a.py"))
	}
	_, err = w.reader.Commit(t.Context(), w.ref, "main", "main")
	assert.ErrorContains(t, err, "full commit SHA")
	_, err = w.reader.Commit(t.Context(), w.ref, sha, "no-such-branch")
	assert.ErrorIs(t, err, pull.ErrNotFound)
}

func TestTreeHoldsWhatAReviewReads(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{File: 1000})
	n := w.open(githubsim.Changes{
		"src/big.py":    githubsim.Text(source(200)),
		"src/link.py":   githubsim.Symlink("../../../../etc/passwd"),
		"src/module.rs": githubsim.Submodule(strings.Repeat("1", 40)),
		"src/exec.py":   githubsim.Executable("#!/usr/bin/env python\n"),
	})
	head, err := w.snapshot(n).Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, source(60), read(t, head, kernel))
	assert.Equal(t, "#!/usr/bin/env python\n", read(t, head, "src/exec.py"))
	for _, gone := range []string{"docs/picture.png", "README.md", "src/module.rs"} {
		_, err := fs.Stat(head, gone)
		assert.ErrorIs(t, err, fs.ErrNotExist, gone)
	}
	info, err := fs.Stat(head, "src/big.py")
	require.NoError(t, err, "field-report 127: listed with its size")
	assert.Equal(t, int64(len(source(200))), info.Size())
	_, err = fs.ReadFile(head, "src/big.py")
	assert.ErrorIs(t, err, pull.ErrTooLarge)
	assert.ErrorContains(t, err, "the limit is 1000")
	_, err = fs.ReadFile(head, "src/link.py")
	assert.ErrorContains(t, err, "symbolic link")
	assert.Zero(t, w.count("GET /repos/{owner}/{repo}/git/blobs/{sha}"), "everything came from one archive")
}

func TestTreesAreReadOnce(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	n := w.open(githubsim.Changes{"src/a.py": githubsim.Text("a\n")})
	for range 3 {
		s := w.snapshot(n)
		for range 2 {
			_, err := s.Head(t.Context())
			require.NoError(t, err)
			_, err = s.MergeBase(t.Context())
			require.NoError(t, err)
		}
	}
	assert.Equal(t, 2, w.count("GET /repos/{owner}/{repo}/tarball/{ref...}"))
	assert.Equal(t, 2, w.count("GET /repos/{owner}/{repo}/git/trees/{sha}"))
	assert.Equal(t, 3, w.count("GET /repos/{owner}/{repo}/compare/{basehead...}"), "once a snapshot")
}

func TestTreeOverTheLimit(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{Tree: 100})
	_, err := w.snapshot(w.open(githubsim.Changes{"src/a.py": githubsim.Text("a\n")})).Head(t.Context())
	require.ErrorIs(t, err, pull.ErrTooLarge)
	assert.Zero(t, w.count("GET /repos/{owner}/{repo}/tarball/{ref...}"), "known before anything is downloaded")
}

// archive makes a source archive.
func archive(t testing.TB, sha string, entries ...*tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	require.NoError(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": sha}}))
	for _, h := range entries {
		body := h.PAXRecords["body"]
		h.PAXRecords = nil
		if h.Typeflag == 0 {
			h.Typeflag, h.Size = tar.TypeReg, int64(len(body))
		}
		require.NoError(t, w.WriteHeader(h))
		_, err := io.WriteString(w, body)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	return b.Bytes()
}

func file(name, body string) *tar.Header {
	return &tar.Header{Name: name, PAXRecords: map[string]string{"body": body}}
}

// serveArchive answers downloads of source archives.
func (w *world) serveArchive(resp func() *http.Response) {
	w.http.with = func(r *http.Request) *http.Response {
		if strings.HasPrefix(r.URL.Path, "/codeload/") {
			return resp()
		}
		return nil
	}
}

func TestArchiveThatHidesOrAltersFiles(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	n := w.open(githubsim.Changes{
		".gitattributes": githubsim.Text("src/hidden.rs export-ignore\nsrc/altered.rs export-subst\n"),
		"src/hidden.rs":  githubsim.Text("fn hidden() {}\n"),
		"src/altered.rs": githubsim.Text("// $Format:%H$\n"),
	})
	sha := w.repo.Head("topic")
	w.serveArchive(func() *http.Response {
		return answer(http.StatusOK, archive(t, sha, file("top/"+kernel, source(60)), file("top/src/altered.rs", "// "+sha+"\n"), file("top/src/extra.rs", "x")))
	})
	s := w.snapshot(n)
	head, err := s.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "fn hidden() {}\n", read(t, head, "src/hidden.rs"))
	assert.Equal(t, "// $Format:%H$\n", read(t, head, "src/altered.rs"))
	assert.Equal(t, source(60), read(t, head, kernel))
	_, err = fs.Stat(head, "src/extra.rs")
	assert.ErrorIs(t, err, fs.ErrNotExist, "not part of the commit")
}

func TestFilesThatCannotBeReadSinglyAreUnread(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{Blobs: 1})
	n := w.open(githubsim.Changes{"src/hidden.rs": githubsim.Text("fn hidden() {}\n")})
	sha := w.repo.Head("topic")
	w.serveArchive(func() *http.Response { return answer(http.StatusOK, archive(t, sha, file("top/"+kernel, source(60)))) })
	head, err := w.snapshot(n).Head(t.Context())
	require.NoError(t, err)
	_, err = fs.Stat(head, "src/hidden.rs")
	require.NoError(t, err, "listed")
	_, err = fs.ReadFile(head, "src/hidden.rs")
	assert.ErrorContains(t, err, "the archive lacks the file")
}

func TestTreeWithoutAnArchive(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	n := w.open(githubsim.Changes{"src/a.py": githubsim.Text("a\n"), "src/empty.py": githubsim.Text("")})
	w.serveArchive(func() *http.Response { return answer(http.StatusNotFound, nil) })
	head, err := w.snapshot(n).Head(t.Context())
	require.NoError(t, err, "file by file")
	assert.Equal(t, "a\n", read(t, head, "src/a.py"))
	assert.Equal(t, source(60), read(t, head, kernel))
	assert.Empty(t, read(t, head, "src/empty.py"))
}

func TestTreeWithoutAListing(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{File: 1000})
	n := w.open(githubsim.Changes{"src/a.py": githubsim.Text("a\n"), "src/big.py": githubsim.Text(source(200))})
	w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
		if c.Route == "GET /repos/{owner}/{repo}/git/trees/{sha}" {
			return githubsim.Refuse(http.StatusNotFound, "Not Found")
		}
		return githubsim.Action{}
	})
	head, err := w.snapshot(n).Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "a\n", read(t, head, "src/a.py"))
	_, err = fs.ReadFile(head, "src/big.py")
	assert.ErrorIs(t, err, pull.ErrTooLarge)

	w.serveArchive(func() *http.Response { return answer(http.StatusNotFound, nil) })
	_, err = w.snapshot(n).MergeBase(t.Context())
	assert.ErrorIs(t, err, pull.ErrNotFound)
}

func TestArchiveFaults(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	n := w.open(githubsim.Changes{"src/a.py": githubsim.Text("a\n")})
	sha := w.repo.Head("topic")
	good := archive(t, sha, file("top/src/a.py", "a\n"))
	tests := []struct {
		name string
		resp *http.Response
		is   error
	}{
		{"other commit", answer(http.StatusOK, archive(t, strings.Repeat("9", 40), file("top/src/a.py", "a\n"))), pull.ErrArchive},
		{"cut", answer(http.StatusOK, good[:len(good)-20]), io.ErrUnexpectedEOF},
		{"no archive", answer(http.StatusOK, []byte("<html>")), nil},
		{"server error", answer(http.StatusBadGateway, nil), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w.serveArchive(func() *http.Response { return test.resp })
			_, err := w.snapshot(n).Head(t.Context())
			require.Error(t, err)
			assert.ErrorContains(t, err, "source archive of NVIDIA/TileGym at "+sha)
			if test.is != nil {
				assert.ErrorIs(t, err, test.is)
			}
			assert.NotErrorIs(t, err, pull.ErrNotFound)
		})
	}
}

func TestAddressesWithTokensStayOutOfErrors(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	n := w.open(githubsim.Changes{"src/a.py": githubsim.Text("a\n")})
	dead := httptest.NewServer(http.NotFoundHandler())
	address := dead.URL
	for _, kind := range []string{"refused", "unreachable"} {
		t.Run(kind, func(t *testing.T) {
			if kind == "unreachable" {
				dead.Close()
			}
			w.http.with = func(r *http.Request) *http.Response {
				if !strings.Contains(r.URL.Path, "/tarball/") {
					return nil
				}
				resp := answer(http.StatusFound, nil)
				resp.Header.Set("Location", address+"/x?token=s3cret")
				return resp
			}
			s := w.snapshot(n)
			_, err := s.Head(t.Context())
			if kind == "refused" {
				require.NoError(t, err, "read file by file")
				return
			}
			_, err = s.MergeBase(t.Context())
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "s3cret")
		})
	}
}

func TestFieldReport13BaseFile(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{File: 2000})
	n := w.open(githubsim.Changes{".github/tilegym.yml": githubsim.Text("loosened: true\n")})
	_, err := w.repo.Commit("main", "boss", "big", githubsim.Changes{"big.yml": githubsim.Text(source(300)), "dir/x": githubsim.Text("x"), "empty": githubsim.Text("")})
	require.NoError(t, err)
	s := w.snapshot(n)
	config, err := s.BaseFile(t.Context(), ".github/tilegym.yml")
	require.NoError(t, err)
	assert.Equal(t, "perf: {}\n", string(config), "a pull request cannot loosen its own gate")
	empty, err := s.BaseFile(t.Context(), "empty")
	require.NoError(t, err)
	assert.Empty(t, empty)
	for _, missing := range []string{"nowhere.yml", "dir", ".github/tilegym.yml/x"} {
		_, err = s.BaseFile(t.Context(), missing)
		assert.ErrorIs(t, err, pull.ErrNotFound, missing)
	}
	_, err = s.BaseFile(t.Context(), "big.yml")
	assert.ErrorIs(t, err, pull.ErrTooLarge)
	for _, bad := range []string{"../x", "/x", "", "."} {
		_, err = s.BaseFile(t.Context(), bad)
		assert.Error(t, err, bad)
	}
	w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
		if strings.Contains(c.Route, "/contents/") {
			return githubsim.Refuse(http.StatusBadGateway, "Server Error")
		}
		return githubsim.Action{}
	})
	_, err = s.BaseFile(t.Context(), ".github/tilegym.yml")
	require.Error(t, err)
	assert.NotErrorIs(t, err, pull.ErrNotFound, "could not look is not nothing there")
	assert.ErrorContains(t, err, "502")
}

func TestPermission(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	for _, role := range []string{"read", "triage", "write", "maintain", "admin"} {
		w.repo.SetPermission("user-"+role, role)
		got, err := w.reader.Permission(t.Context(), w.ref, "user-"+role)
		require.NoError(t, err)
		assert.Equal(t, role, got)
	}
	got, err := w.reader.Permission(t.Context(), w.ref, "nobody-knows")
	require.NoError(t, err)
	assert.Equal(t, "none", got)
	for _, bad := range []string{"", "a/b", "..", "x?y", "a b"} {
		_, err = w.reader.Permission(t.Context(), w.ref, bad)
		assert.ErrorContains(t, err, "expected a login", bad)
	}
	w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
		if strings.HasSuffix(c.Route, "/permission") {
			return githubsim.Refuse(http.StatusInternalServerError, "Server Error")
		}
		return githubsim.Action{}
	})
	_, err = w.reader.Permission(t.Context(), w.ref, "user-admin")
	assert.Error(t, err, "field-report 55")
}

func TestPermissionAnswersOfOtherShapes(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	tests := []struct{ body, want string }{
		{`{"permission":"write","role_name":"security-reviewer","user":{"permissions":{"pull":true,"triage":true,"push":true,"maintain":false,"admin":false}}}`, "write"},
		{`{"permission":"write","user":{"permissions":{"pull":true,"push":true,"maintain":true}}}`, "maintain"},
		{`{"permission":"write","role_name":"release-manager"}`, "write"},
		{`{"permission":"none","role_name":""}`, "none"},
		{`{"permission":"read"}`, "read"},
		{`{}`, ""},
		{`{"permission":"owner"}`, ""},
	}
	for _, test := range tests {
		w.http.with = func(r *http.Request) *http.Response {
			if strings.HasSuffix(r.URL.Path, "/permission") {
				return answer(http.StatusOK, []byte(test.body))
			}
			return nil
		}
		got, err := w.reader.Permission(t.Context(), w.ref, "someone")
		assert.Equal(t, test.want, got, test.body)
		assert.Equal(t, test.want == "", err != nil, test.body)
	}
}

func TestDefaultBranchAndOpenPullRequests(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	branch, err := w.reader.DefaultBranch(t.Context(), w.ref)
	require.NoError(t, err)
	assert.Equal(t, "main", branch)

	var numbers []int
	for i := range 105 {
		name := fmt.Sprintf("b%d", i)
		require.NoError(t, w.repo.CreateBranch(name, "main"))
		_, err := w.repo.Commit(name, "dev", "x", githubsim.Changes{"a.py": githubsim.Text(name)})
		require.NoError(t, err)
		n, err := w.repo.OpenPull(githubsim.PullOptions{Title: name, Branch: name})
		require.NoError(t, err)
		numbers = append(numbers, n)
	}
	require.NoError(t, w.repo.ClosePull(numbers[0], "dev"))
	list, err := w.reader.OpenPullRequests(t.Context(), w.ref)
	require.NoError(t, err)
	var got []int
	for _, info := range list {
		got = append(got, info.Number)
		assert.Len(t, info.HeadSHA, 40)
		assert.Equal(t, "main", info.BaseRef)
	}
	assert.ElementsMatch(t, numbers[1:], got)
}

func TestRepositoryNamesAreChecked(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	for _, bad := range []pull.Repo{{Owner: "..", Name: "x"}, {Owner: "a/b", Name: "x"}, {Owner: "a", Name: ""}, {Owner: "a", Name: "x?y"}} {
		_, err := w.reader.PullRequest(t.Context(), bad, 1)
		assert.ErrorContains(t, err, "expected the name of a repository")
		_, err = w.reader.OpenPullRequests(t.Context(), bad)
		assert.ErrorContains(t, err, "expected the name of a repository")
	}
	assert.Empty(t, w.sim.Calls())
	_, err := w.reader.PullRequest(t.Context(), w.ref, 99)
	assert.ErrorIs(t, err, pull.ErrNotFound)
}

func (w *world) dispatch(id string) *githubsim.Run {
	w.t.Helper()
	_, err := w.factory.Write(w.ref.Installation).Actions.CreateWorkflowDispatchEventByFileName(w.t.Context(), w.ref.Owner, w.ref.Name, "tilegym-gate.yml",
		github.CreateWorkflowDispatchEventRequest{Ref: "main", Inputs: map[string]any{"request": "{}", "dispatch": id}})
	require.NoError(w.t, err)
	runs := w.sim.Runs()
	return runs[len(runs)-1]
}

func TestFieldReport66RunsAreFoundByTheirOwnName(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	one, two := w.dispatch("01JAAA"), w.dispatch("01JBBB")
	again := w.dispatch("01JAAA")
	require.NotEqual(t, one.ID, again.ID)
	two.AddJob("build (bmm, h100)", "self-hosted", "h100").Complete("failure")
	two.Complete("failure")
	for name, want := range map[string]*githubsim.Run{"tilegate 01JAAA": one, "tilegate 01JBBB": two} {
		run, err := w.reader.FindRun(t.Context(), w.ref, "tilegym-gate.yml", name, w.now)
		require.NoError(t, err)
		assert.Equal(t, want.ID, run.ID, "the first of that name, with equal times")
		assert.Equal(t, name, run.Name)
	}
	for _, name := range []string{"tilegate 01JCCC", "tilegate", "tilegate 01JAAAx", "tilegym gate"} {
		_, err := w.reader.FindRun(t.Context(), w.ref, "tilegym-gate.yml", name, w.now)
		assert.ErrorIs(t, err, pull.ErrNotFound, name)
	}
	_, err := w.reader.FindRun(t.Context(), w.ref, "tilegym-gate.yml", "tilegate 01JAAA", w.now.Add(time.Hour))
	assert.ErrorIs(t, err, pull.ErrNotFound, "made before")
	for _, bad := range []string{"", "../x.yml", "a/b.yml", "gate"} {
		_, err = w.reader.FindRun(t.Context(), w.ref, bad, "tilegate 01JAAA", w.now)
		assert.ErrorContains(t, err, "expected the name of a workflow file", bad)
	}
	_, err = w.reader.FindRun(t.Context(), w.ref, "tilegym-gate.yml", "", w.now)
	assert.Error(t, err)
}

func TestRunWithJobs(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	run := w.dispatch("01JAAA")
	good := run.AddJob("build (bmm, h100)", "self-hosted", "h100")
	good.Start("gpu-3")
	good.Complete("success", githubsim.Step{Name: "cargo", Conclusion: "success"})
	lost := run.AddJob("correctness (bmm, h100)", "self-hosted", "h100")
	lost.Start("gpu-4")
	lost.Annotate("failure", "The self-hosted runner lost communication with the server.")
	lost.Annotate("warning", "not a failure")
	lost.Complete("failure")
	run.AddJob("perf (bmm, h100)", "self-hosted", "h100")

	got, err := w.reader.Run(t.Context(), w.ref, run.ID)
	require.NoError(t, err)
	assert.Equal(t, run.ID, got.ID)
	assert.Equal(t, run.HeadSHA, got.HeadSHA)
	assert.NotEmpty(t, got.URL)
	require.Len(t, got.Jobs, 3)
	jobs := map[string]pull.Job{}
	for _, j := range got.Jobs {
		jobs[j.Name] = j
	}
	b := jobs["build (bmm, h100)"]
	assert.Equal(t, "success", b.Conclusion)
	assert.Equal(t, "gpu-3", b.Runner)
	assert.Equal(t, []string{"self-hosted", "h100"}, b.Labels)
	assert.Contains(t, b.Steps, pull.Step{Name: "cargo", Conclusion: "success"})
	assert.False(t, b.CompletedAt.IsZero())
	assert.Nil(t, b.Annotations)
	assert.Equal(t, []string{"The self-hosted runner lost communication with the server."}, jobs["correctness (bmm, h100)"].Annotations, "field-report 62")
	waiting := jobs["perf (bmm, h100)"]
	assert.Equal(t, "queued", waiting.Status)
	assert.True(t, waiting.StartedAt.IsZero())
	_, err = w.reader.Run(t.Context(), w.ref, 99)
	assert.ErrorIs(t, err, pull.ErrNotFound)
}

func TestArtifact(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{ArtifactTotal: 1000, ArtifactFile: 600})
	run, other := w.dispatch("01JAAA"), w.dispatch("01JBBB")
	const name = "tilegate-01JAAA-perf-bmm-h100"
	require.NoError(t, run.Upload(name, map[string][]byte{"evidence.json": []byte("{}"), "logs/perf.log": []byte("log")}))
	require.NoError(t, run.Upload(name+"x", map[string][]byte{"evidence.json": []byte("wrong")}))
	require.NoError(t, other.Upload(name, map[string][]byte{"evidence.json": []byte("of another run")}))
	files, err := w.reader.Artifact(t.Context(), w.ref, run.ID, name)
	require.NoError(t, err)
	assert.Equal(t, "{}", read(t, files, "evidence.json"))
	assert.Equal(t, "log", read(t, files, "logs/perf.log"))
	require.NoError(t, fstest.TestFS(files, "evidence.json", "logs/perf.log"))

	_, err = w.reader.Artifact(t.Context(), w.ref, run.ID, "tilegate-01JAAA-perf-bmm")
	assert.ErrorIs(t, err, pull.ErrNotFound)
	_, err = w.reader.Artifact(t.Context(), w.ref, 99, name)
	assert.ErrorIs(t, err, pull.ErrNotFound)

	require.NoError(t, run.Upload("large", map[string][]byte{"a": bytes.Repeat([]byte("a"), 601)}))
	_, err = w.reader.Artifact(t.Context(), w.ref, run.ID, "large")
	assert.ErrorIs(t, err, pull.ErrTooLarge)
	require.NoError(t, run.UploadZip("damaged", []byte("PK no zip")))
	_, err = w.reader.Artifact(t.Context(), w.ref, run.ID, "damaged")
	assert.ErrorIs(t, err, pull.ErrArchive)

	run.ExpireArtifacts()
	_, err = w.reader.Artifact(t.Context(), w.ref, run.ID, name)
	assert.ErrorIs(t, err, pull.ErrNotFound)
}

func TestArtifactContentIsCheckedAgainstItsDigest(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	run := w.dispatch("01JAAA")
	require.NoError(t, run.Upload("one", map[string][]byte{"evidence.json": []byte("{}")}))
	w.http.with = func(r *http.Request) *http.Response {
		if strings.HasPrefix(r.URL.Path, "/artifact-content/") {
			return answer(http.StatusOK, zipOf(t, "evidence.json", "{other}"))
		}
		return nil
	}
	_, err := w.reader.Artifact(t.Context(), w.ref, run.ID, "one")
	assert.ErrorContains(t, err, "digest")
}

func TestOwnCommentsAndReviews(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	n := w.open(githubsim.Changes{kernel: githubsim.Text("// changed\n" + source(60))})
	write := w.factory.Write(w.ref.Installation)
	const hidden = "<!-- tilegate:summary v1 -->"
	_, _, err := write.Issues.CreateComment(t.Context(), "NVIDIA", "TileGym", n, &github.IssueComment{Body: github.String("Summary\n\n" + hidden + "\n")})
	require.NoError(t, err)
	_, _, err = write.Issues.CreateComment(t.Context(), "NVIDIA", "TileGym", n, &github.IssueComment{Body: github.String(hidden + "\nnot at the end")})
	require.NoError(t, err)
	for i := range 120 {
		_, err = w.repo.Comment(n, "dev", fmt.Sprintf("quoting %d\n%s", i, hidden))
		require.NoError(t, err)
	}
	_, _, err = write.PullRequests.CreateReview(t.Context(), "NVIDIA", "TileGym", n, &github.PullRequestReviewRequest{
		CommitID: github.String(w.repo.Head("topic")), Event: github.String("COMMENT"), Body: github.String("Review\n<!-- tilegate:review abc -->"),
		Comments: []*github.DraftReviewComment{{Path: github.String(kernel), Line: github.Int(1), Side: github.String("RIGHT"), Body: github.String("Here\r\n\r\n<!-- tilegate:finding f1 -->\r\n")}},
	})
	require.NoError(t, err)

	comments, err := w.reader.IssueComments(t.Context(), w.ref, n)
	require.NoError(t, err)
	require.Len(t, comments, 2, "a copied marker does not make a comment the App's")
	assert.Equal(t, "tilegate:summary v1", comments[0].Marker)
	assert.Empty(t, comments[1].Marker)
	assert.NotZero(t, comments[0].ID)

	lines, err := w.reader.ReviewComments(t.Context(), w.ref, n)
	require.NoError(t, err)
	require.Len(t, lines, 1)
	assert.Equal(t, "tilegate:finding f1", lines[0].Marker)
	assert.Equal(t, kernel, lines[0].Path)
	assert.Equal(t, 1, lines[0].Line)
	reviews, err := w.reader.Reviews(t.Context(), w.ref, n)
	require.NoError(t, err)
	require.Len(t, reviews, 1)
	assert.Equal(t, "tilegate:review abc", reviews[0].Marker)
	assert.Equal(t, reviews[0].ID, lines[0].ReviewID)
	assert.Equal(t, 1, w.count("GET /app"), "asked once")
}

func TestFieldReport30CheckRunsOfOthersAreIgnored(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	n := w.open(githubsim.Changes{"src/a.py": githubsim.Text("a\n")})
	sha := w.snapshot(n).Info().HeadSHA
	_, err := w.repo.ForeignCheck(77, "tilegym / gate", sha, "success")
	require.NoError(t, err)
	for i := range 3 {
		_, _, err := w.factory.Write(w.ref.Installation).Checks.CreateCheckRun(t.Context(), "NVIDIA", "TileGym", github.CreateCheckRunOptions{
			Name: "tilegym / gate", HeadSHA: sha, ExternalID: github.String(fmt.Sprint("d", i)), Status: github.String("in_progress"),
		})
		require.NoError(t, err)
	}
	runs, err := w.reader.CheckRuns(t.Context(), w.ref, sha)
	require.NoError(t, err)
	require.Len(t, runs, 3)
	assert.Equal(t, []string{"d2", "d1", "d0"}, []string{runs[0].ExternalID, runs[1].ExternalID, runs[2].ExternalID}, "newest first")
	assert.Equal(t, "in_progress", runs[0].Status)
	assert.Equal(t, sha, runs[0].HeadSHA)
	none, err := w.reader.CheckRuns(t.Context(), w.ref, w.repo.Head("main"))
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestFieldReport4Installations(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	second, err := w.sim.CreateRepo("other", "fork-of-it", fstest.MapFS{"a": {Data: []byte("a")}})
	require.NoError(t, err)
	third, err := w.sim.CreateRepo("third", "repo", fstest.MapFS{"a": {Data: []byte("a")}})
	require.NoError(t, err)
	w.sim.Suspend(second.Installation(), true)
	w.sim.SetPermissions(third.Installation(), map[string]string{"metadata": "read"})
	list, err := w.reader.Installations(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 3)
	for _, i := range list {
		switch i.ID {
		case w.ref.Installation:
			assert.Equal(t, []pull.Repo{w.ref}, i.Repos)
			assert.NoError(t, i.Err)
		case second.Installation():
			assert.True(t, i.Suspended)
			assert.Empty(t, i.Repos)
			assert.NoError(t, i.Err)
		case third.Installation():
			assert.False(t, i.Suspended)
			assert.ErrorIs(t, i.Err, pull.ErrForbidden, "one fault does not hide the others")
		}
	}
	_, err = w.reader.PullRequest(t.Context(), pull.Repo{Installation: second.Installation(), Owner: "other", Name: "fork-of-it"}, 1)
	assert.ErrorIs(t, err, pull.ErrForbidden)
	assert.ErrorIs(t, err, appauth.ErrSuspended)
}

func TestLimitsReachTheCaller(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	n := w.open(githubsim.Changes{"src/a.py": githubsim.Text("a\n")})
	w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
		if strings.Contains(c.Route, "/pulls/") {
			return githubsim.SecondaryLimit(0)
		}
		return githubsim.Action{}
	})
	_, err := w.reader.PullRequest(t.Context(), w.ref, n)
	wait, ok := appauth.RetryAfter(err, w.now)
	require.True(t, ok, "%v", err)
	assert.Equal(t, time.Minute, wait)
	assert.NotErrorIs(t, err, pull.ErrForbidden)
	calls := len(w.sim.Calls())
	_, err = w.reader.PullRequest(t.Context(), w.ref, n)
	require.Error(t, err)
	assert.Len(t, w.sim.Calls(), calls, "no call during the pause")
}

func TestCancelled(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.reader.PullRequest(ctx, w.ref, 1)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestSnapshotsAreSafeForConcurrentUse(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	s := w.snapshot(w.open(githubsim.Changes{"src/a.py": githubsim.Text("a\n")}))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			_, err := s.Head(context.Background())
			assert.NoError(t, err)
			files, err := s.Files(context.Background())
			assert.NoError(t, err)
			assert.Len(t, files, 1)
			_, err = s.MergeBaseSHA(context.Background())
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	assert.Equal(t, 1, w.count("GET /repos/{owner}/{repo}/compare/{basehead...}"))
}

func TestListsWithoutLinksAreFollowed(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	n := w.open(githubsim.Changes{"src/a.py": githubsim.Text("a\n")})
	w.http.with = func(r *http.Request) *http.Response {
		if !strings.HasSuffix(r.URL.Path, "/files") {
			return nil
		}
		var page int
		_, _ = fmt.Sscan(r.URL.Query().Get("page"), &page)
		rows := []map[string]any{}
		for i := (page - 1) * 100; i < min(page*100, 150); i++ {
			rows = append(rows, map[string]any{"filename": fmt.Sprintf("f%d.py", i), "status": "modified", "changes": 1, "patch": "@@ -1 +1 @@\n-a\n+b"})
		}
		body, err := json.Marshal(rows)
		require.NoError(t, err)
		return answer(http.StatusOK, body)
	}
	files, err := w.snapshot(n).Files(t.Context())
	require.NoError(t, err)
	assert.Len(t, files, 150)
}

func TestWanted(t *testing.T) {
	for path, want := range map[string]bool{
		kernel: true, "src/tilegym/ops/cutile_rs/cutile_kernels/Cargo.toml": true, "tests/ops/test_bmm.py": true, "pyproject.toml": true,
		"src/tilegym/ops/cutile_rs/bmm_kernel/reference/analysis.json": true, "src/tilegym/ops/cutile_rs/bmm_kernel/reports/performance.md": true,
		"out/bmm_kernel/reference/reference.mlir": true, "out/bmm_kernel/reports/agent_a.md": true, ".github/tilegym.yml": true, "pytest.ini": true, "requirements.txt": true,
		"docs/picture.png": false, "README.md": false, "wiki/page.md": false, "data/big.json": false, "src/x.so": false, "docs/x.yml": false,
	} {
		assert.Equal(t, want, pull.Wanted(path), path)
	}
}

func TestServersThatIgnoreFilters(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	w.http.with = func(r *http.Request) *http.Response {
		query := r.URL.Query()
		for _, filter := range []string{"name", "app_id", "event", "created"} {
			query.Del(filter)
		}
		r.URL.RawQuery = query.Encode()
		return nil
	}
	n := w.open(githubsim.Changes{"src/a.py": githubsim.Text("a\n")})
	sha := w.snapshot(n).Info().HeadSHA
	_, err := w.repo.ForeignCheck(77, "tilegym / gate", sha, "success")
	require.NoError(t, err)
	runs, err := w.reader.CheckRuns(t.Context(), w.ref, sha)
	require.NoError(t, err)
	assert.Empty(t, runs)

	run := w.dispatch("01JAAA")
	require.NoError(t, run.Upload("one", map[string][]byte{"evidence.json": []byte("1")}))
	require.NoError(t, run.Upload("two", map[string][]byte{"evidence.json": []byte("2")}))
	for name, want := range map[string]string{"one": "1", "two": "2"} {
		files, err := w.reader.Artifact(t.Context(), w.ref, run.ID, name)
		require.NoError(t, err)
		assert.Equal(t, want, read(t, files, "evidence.json"))
	}
}

func TestBaseBranchThatIsGone(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	n := w.open(githubsim.Changes{"src/a.py": githubsim.Text("a\n")})
	status := http.StatusNotFound
	w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
		if strings.Contains(c.Path, "/git/ref/") {
			return githubsim.Refuse(status, "no")
		}
		return githubsim.Action{}
	})
	assert.Equal(t, w.repo.Head("main"), w.snapshot(n).Info().BaseSHA, "the base that the pull request names")
	status = http.StatusBadGateway
	_, err := w.reader.PullRequest(t.Context(), w.ref, n)
	assert.ErrorContains(t, err, "502", "an old base must not stand in for one that could not be read")
}

func TestEnterpriseServer(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	n := w.open(githubsim.Changes{"src/a.py": githubsim.Text("a\n")})
	factory, err := appauth.New(appauth.Config{APIURL: w.sim.URL + "/api/v3", AppID: w.sim.AppID(), PrivateKey: w.sim.PrivateKeyPEM(), Now: func() time.Time { return w.now }})
	require.NoError(t, err)
	s, err := pull.NewReader(pull.Config{Clients: factory}).PullRequest(t.Context(), w.ref, n)
	require.NoError(t, err)
	head, err := s.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "a\n", read(t, head, "src/a.py"))
}

func TestUnknownErrorsKeepTheirCause(t *testing.T) {
	w := newWorld(t, githubsim.Options{}, pull.Limits{})
	w.sim.Intercept(func(*githubsim.Call) githubsim.Action { return githubsim.Action{Drop: true} })
	_, err := w.reader.PullRequest(t.Context(), w.ref, 1)
	require.Error(t, err)
	assert.ErrorContains(t, err, "read pull request NVIDIA/TileGym#1")
	for _, kind := range []error{pull.ErrNotFound, pull.ErrForbidden, pull.ErrTooLarge} {
		assert.False(t, errors.Is(err, kind))
	}
}
