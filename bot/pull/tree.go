package pull

import (
	"bytes"
	"context"
	"crypto/sha1" // the name that git gives to content, not a signature
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"sort"

	"golang.org/x/sync/errgroup"

	"github.com/tilegate/tilegate/checks/memfs"
)

// listing is what a commit's tree holds, by git's account.
type listing struct {
	files map[string]treeEntry
	// cut says that GitHub did not list everything.
	cut bool
}

type treeEntry struct {
	mode string
	sha  string
	size int64
}

// File modes of git.
const (
	modeSymlink   = "120000"
	modeSubmodule = "160000"
)

// tree is the kept part of a commit's tree.
type tree struct {
	files *memfs.FS
	bytes int64
}

var (
	errSymlink = errors.New("a symbolic link, which is not followed")
	errAltered = errors.New("the archive lacks the file or holds another content, and it could not be read singly")
)

// listing reads the names, modes and content ids of a commit's files.
func (g *GitHub) listing(ctx context.Context, repo Repo, sha string) (*listing, error) {
	key := treeKey{repo, sha}
	if l, ok := g.listings.get(key); ok {
		return l, nil
	}
	answer, _, err := g.clients.Read(repo.Installation).Git.GetTree(ctx, repo.Owner, repo.Name, sha, true)
	if err != nil {
		return nil, fail(err, "list the files of %s at %s", repo, sha)
	}
	l := &listing{files: make(map[string]treeEntry, len(answer.Entries)), cut: answer.GetTruncated()}
	for _, e := range answer.Entries {
		if e.GetType() != "tree" {
			l.files[e.GetPath()] = treeEntry{mode: e.GetMode(), sha: e.GetSHA(), size: int64(e.GetSize())}
		}
	}
	g.listings.put(key, l)
	return l, nil
}

// tree reads the wanted files of a commit. The archive that GitHub makes obeys
// the commit's .gitattributes, by which a change could hide or alter files for
// the reviewer; so each file is compared with git's listing, and read singly
// where the archive differs.
func (g *GitHub) tree(ctx context.Context, repo Repo, sha string) (*memfs.FS, error) {
	key := treeKey{repo, sha}
	if t, ok := g.trees.get(key); ok {
		return t.files, nil
	}
	list, err := g.listing(ctx, repo, sha)
	if err != nil {
		if !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		list = &listing{cut: true}
	}
	var expected int64
	for name, e := range list.files {
		if g.want(name) && e.size <= g.limits.File {
			expected += e.size
		}
	}
	if expected > g.limits.Tree {
		return nil, fmt.Errorf("the reviewed files of %s at %s have %d bytes, the limit is %d: %w", repo, sha, expected, g.limits.Tree, ErrTooLarge)
	}
	archive, err := g.archive(ctx, repo, sha)
	if err != nil && (!errors.Is(err, ErrNotFound) || list.files == nil) {
		return nil, err
	}
	t, missing := g.merge(list, archive)
	if err := g.readSingly(ctx, repo, list, missing, t); err != nil {
		return nil, err
	}
	g.trees.put(key, t)
	return t.files, nil
}

// archive downloads a commit's source archive.
func (g *GitHub) archive(ctx context.Context, repo Repo, sha string) (map[string]archived, error) {
	client := g.clients.Download(repo.Installation)
	req, err := client.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/tarball/%s", repo.Owner, repo.Name, sha), nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.BareDo(ctx, req)
	if err != nil {
		return nil, fail(err, "download the source archive of %s at %s", repo, sha)
	}
	defer resp.Body.Close()
	files, err := untar(resp.Body, sha, g.want, g.limits)
	return files, fail(err, "read the source archive of %s at %s", repo, sha)
}

// merge takes from the archive what the listing confirms, and returns the names
// of the files that have to be read singly.
func (g *GitHub) merge(list *listing, archive map[string]archived) (*tree, []string) {
	t := &tree{files: &memfs.FS{}}
	var missing []string
	for name, e := range list.files {
		if !g.want(name) || e.mode == modeSubmodule {
			continue
		}
		got, ok := archive[name]
		switch {
		case e.mode == modeSymlink:
			t.files.AddUnreadable(name, e.size, errSymlink)
		case e.size > g.limits.File:
			t.files.AddUnreadable(name, e.size, overLimit(e.size, g.limits.File))
		case ok && got.err == nil && blobID(got.data) == e.sha:
			t.add(name, got.data)
		default:
			missing = append(missing, name)
		}
	}
	if list.cut {
		// What the listing does not know can only be taken as it is.
		for name, got := range archive {
			if _, known := list.files[name]; known {
				continue
			}
			if got.err != nil {
				t.files.AddUnreadable(name, got.size, got.err)
			} else {
				t.add(name, got.data)
			}
		}
	}
	sort.Strings(missing)
	return t, missing
}

func (t *tree) add(name string, data []byte) {
	t.files.Add(name, data)
	t.bytes += int64(len(data))
}

// readSingly adds files by their content ids. Those over the limit of calls are
// listed as unreadable.
func (g *GitHub) readSingly(ctx context.Context, repo Repo, list *listing, names []string, t *tree) error {
	now := names[:min(len(names), g.limits.Blobs)]
	contents := make([][]byte, len(now))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i, name := range now {
		group.Go(func() error {
			want := list.files[name].sha
			data, _, err := g.clients.Read(repo.Installation).Git.GetBlobRaw(ctx, repo.Owner, repo.Name, want)
			if err != nil {
				return fail(err, "read %s of %s", name, repo)
			}
			if len(want) != 2*sha1.Size || blobID(data) == want {
				contents[i] = bytes.Clone(data)
				if data == nil {
					contents[i] = []byte{}
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, name := range now {
		if contents[i] == nil {
			t.files.AddUnreadable(name, list.files[name].size, errAltered)
			continue
		}
		t.add(name, contents[i])
	}
	for _, name := range names[len(now):] {
		t.files.AddUnreadable(name, list.files[name].size, errAltered)
	}
	return nil
}

// blobID is the id that git gives to a file's content.
func blobID(data []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}
