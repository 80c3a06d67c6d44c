package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"github.com/tilegate/tilegate/checks/config"
	"github.com/tilegate/tilegate/checks/memfs"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/checks/words"
)

var errNoGit = errors.New("git is not on PATH")

// untrustedOwner says that git reads no repository of another user's unless it is
// told that it may.
type untrustedOwner struct{ repository string }

func (e untrustedOwner) Error() string {
	return fmt.Sprintf("git does not read %s, which belongs to another user; git config --global --add safe.directory %s lets it", e.repository, words.Shell(e.repository))
}

// ownerOf finds in git's words which repository it does not read.
func ownerOf(said string) (untrustedOwner, bool) {
	_, after, found := strings.Cut(said, "detected dubious ownership in repository at '")
	repository, _, closed := strings.Cut(after, "'\n")
	return untrustedOwner{repository}, found && closed
}

// git runs git in a folder and returns what it prints.
func git(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Env = append(os.Environ(), "LC_ALL=C") // the words are read
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errNoGit
	}
	if err != nil {
		if other, ok := ownerOf(stderr.String()); ok {
			return nil, other
		}
		why := strings.TrimSpace(stderr.String())
		if i := strings.IndexByte(why, '\n'); i >= 0 {
			why = why[:i]
		}
		return nil, fmt.Errorf("git %s: %s", args[0], why)
	}
	return out, nil
}

// mergeBase is the commit at which HEAD and a revision part.
func mergeBase(dir, rev string) (string, error) {
	switch {
	case rev == "" || strings.HasSuffix(rev, "/"):
		return "", fmt.Errorf("--base: expected a revision, found %q without a name: GitHub sets github.base_ref for pull requests only, in a workflow of pushes take github.event.before", rev)
	case strings.HasPrefix(rev, "-"):
		return "", fmt.Errorf("--base: expected a revision, found %q", rev)
	}
	if _, err := git(dir, "rev-parse", "--git-dir"); errors.Is(err, errNoGit) || errors.As(err, new(untrustedOwner)) {
		return "", fmt.Errorf("--base: %w", err)
	} else if err != nil {
		return "", fmt.Errorf("--base needs a git checkout, and %s is none: %w", dir, err)
	}
	if _, err := git(dir, "rev-parse", "--verify", "--quiet", rev+"^{commit}"); err != nil {
		return "", fmt.Errorf("--base: no revision %q in %s%s", rev, dir, otherRevision(dir, rev))
	}
	if _, err := git(dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return "", fmt.Errorf("--base: %s has no commit yet", dir)
	}
	out, err := git(dir, "merge-base", "HEAD", rev)
	if err != nil {
		return "", fmt.Errorf("--base: HEAD and %q have no common ancestor%s", rev, shallow(dir))
	}
	return strings.TrimSpace(string(out)), nil
}

// otherRevision says what to do where a repository does not have a revision.
func otherRevision(dir, rev string) string {
	if _, err := git(dir, "rev-parse", "--verify", "--quiet", "refs/remotes/origin/"+rev+"^{commit}"); err == nil {
		return fmt.Sprintf("; there is %q", "origin/"+rev)
	}
	if s := shallow(dir); s != "" {
		return s
	}
	return ": expected a branch, tag or commit that is there; git fetch brings those of the remote, as origin/NAME"
}

// shallow says, where it is so, that a clone lacks history.
func shallow(dir string) string {
	if out, err := git(dir, "rev-parse", "--is-shallow-repository"); err != nil || strings.TrimSpace(string(out)) != "true" {
		return ""
	}
	return "; the clone is shallow: git fetch --unshallow, or fetch-depth: 0 in a workflow, brings its history"
}

// prefix is the path of a folder inside its repository, with a trailing slash
// unless it is the root.
func prefix(dir string) (string, error) {
	out, err := git(dir, "rev-parse", "--show-prefix")
	return strings.TrimSuffix(string(out), "\n"), err
}

// place is the root of a folder's repository, and its path below it as prefix
// gives it.
func place(dir string) (root, below string, err error) {
	top, err := git(dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", "", err
	}
	below, err = prefix(dir)
	return strings.TrimSuffix(string(top), "\n"), below, err
}

// configAt reads the configuration of a revision, as the App does of the base
// branch.
func configAt(dir, rev string) configFile {
	f := configFile{name: rev + ":" + config.Path}
	root, below, err := place(dir)
	if err != nil {
		f.err = err
		return f
	}
	blob := rev + ":" + below + config.Path
	if _, err := git(root, "rev-parse", "--verify", "--quiet", blob); err == nil {
		f.data, f.err = git(root, "cat-file", "blob", blob)
	}
	return f
}

// mergeBaseTree reads the tree of the merge base below a folder; it is empty
// when the folder did not exist then.
func mergeBaseTree(dir, rev string) (fs.FS, error) {
	base, err := mergeBase(dir, rev)
	if err != nil {
		return nil, err
	}
	root, below, err := place(dir)
	if err != nil {
		return nil, err
	}
	treeish := base + ":" + strings.TrimSuffix(below, "/")
	if _, err := git(root, "rev-parse", "--verify", "--quiet", treeish); err != nil {
		return &memfs.FS{}, nil
	}
	// In a subfolder git archive would look for the subfolder inside the tree.
	archive, err := git(root, "archive", "--format=tar", treeish)
	if err != nil {
		return nil, err
	}
	// All files, as the checkout has them: one that is missing here is new there.
	return readTar(bytes.NewReader(archive), syntax.MaxSize)
}

// maxBlob is the size of the largest file that GitHub takes.
const maxBlob = 100 << 20

// commitTree reads all of a commit's tree, or what of it is below a folder of
// the work tree.
func commitTree(dir, commit string) (fs.FS, error) {
	archive, err := git(dir, "archive", "--format=tar", commit)
	if err != nil {
		return nil, err
	}
	return readTar(bytes.NewReader(archive), maxBlob)
}

// readTar keeps the regular files of an archive; those over the limit cannot be
// read.
func readTar(r io.Reader, limit int64) (fs.FS, error) {
	var out memfs.FS
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if err == io.EOF {
			return &out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("git archive: %w", err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if h.Size > limit {
			out.AddUnreadable(h.Name, h.Size, fmt.Errorf("%d bytes, the limit is %d", h.Size, limit))
			continue
		}
		data, err := io.ReadAll(t)
		if err != nil {
			return nil, fmt.Errorf("git archive: %w", err)
		}
		out.Add(h.Name, data)
	}
}

// changes lists the paths below a folder that differ between a commit and the
// work tree, untracked files included.
func changes(dir, base string) ([]tree.Change, error) {
	out, err := git(dir, "diff", "--name-status", "-z", "--find-renames", "--relative", base)
	if err != nil {
		return nil, err
	}
	var list []tree.Change
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); {
		status := fields[i]
		if strings.HasPrefix(status, "R") || strings.HasPrefix(status, "C") {
			if i+2 >= len(fields) {
				return nil, errors.New("git diff: a rename without its second path")
			}
			list = append(list, tree.Change{Path: fields[i+2], Previous: fields[i+1]})
			i += 3
			continue
		}
		list = append(list, tree.Change{Path: fields[i+1]})
		i += 2
	}
	out, err = git(dir, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	for p := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if p != "" {
			list = append(list, tree.Change{Path: p, Untracked: true})
		}
	}
	return list, nil
}
