package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/tree"
)

// Workspace is the tree that the stages run in.
type Workspace struct {
	Root string // absolute
	Tree *tree.Tree
	// HeadSHA is the commit of the tree; empty when the tree is the user's own.
	HeadSHA string
	// FromBase lists the files that were taken from the base commit: mode, object
	// and path, as git prints them.
	FromBase []string
	remove   func() error
}

// Close removes the copy; a tree that was used in place stays.
func (w *Workspace) Close() error { return w.remove() }

// InPlace uses a checkout as it is.
func InPlace(root string) (*Workspace, error) {
	w := &Workspace{remove: func() error { return nil }}
	return w, w.load(root)
}

func (w *Workspace) load(root string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	w.Root = root
	w.Tree, err = tree.Load(os.DirFS(root), nil)
	if err != nil {
		return fmt.Errorf("%s: %w", root, err)
	}
	return nil
}

// harnessRoots are the files that decide what a test run means, other than
// tests/ and the reference backend.
var harnessFiles = []string{"conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml"}

// Export writes the head commit of a repository into a new folder below parent.
// With a base commit, the harness is that of the base: every file that it has
// below tests/, below the reference backend and among pytest's configuration
// files replaces the head's, and a conftest.py or configuration file that only
// the head has is left out. Test files that only the head has stay, since a new
// kernel brings its own. The repository itself is not changed.
func Export(ctx context.Context, git, repository, parent, head, base, reference string) (*Workspace, error) {
	if git == "" {
		return nil, MissingTool{"git", "the package git"}
	}
	repository, err := filepath.Abs(repository)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(parent, "tilegate-work-")
	if err != nil {
		return nil, err
	}
	w := &Workspace{HeadSHA: head, remove: func() error { return os.RemoveAll(dir) }}
	if err := w.export(ctx, gitRepo{ctx, git, repository, filepath.Join(dir, "index")}, filepath.Join(dir, "tree"), head, base, reference); err != nil {
		return nil, errors.Join(err, w.remove())
	}
	return w, nil
}

func (w *Workspace) export(ctx context.Context, g gitRepo, root, head, base, reference string) error {
	for _, sha := range []string{head, base} {
		if sha == "" {
			continue
		}
		if _, err := g.run(nil, "cat-file", "-e", sha+"^{commit}"); err != nil {
			return fmt.Errorf("commit %s is not in %s: fetch it (actions/checkout with fetch-depth: 0)", sha, g.dir)
		}
	}
	if _, err := g.run(nil, "read-tree", head); err != nil {
		return err
	}
	if base != "" {
		if err := w.overlay(g, base, reference); err != nil {
			return err
		}
	}
	if err := os.Mkdir(root, 0o755); err != nil {
		return err
	}
	// A work tree is named because the repository may be a bare one.
	if _, err := g.run(nil, "--work-tree="+root, "checkout-index", "--all", "--quiet", "--prefix="+root+"/"); err != nil {
		return err
	}
	return w.load(root)
}

// overlay replaces the harness in the index by that of the base commit.
func (w *Workspace) overlay(g gitRepo, base, reference string) error {
	roots := append([]string{"tests", path.Join("src/tilegym/ops", strings.ReplaceAll(reference, "-", "_"))}, harnessFiles...)
	listed, err := g.run(nil, append([]string{"ls-tree", "-r", "-z", "--full-tree", base, "--"}, roots...)...)
	if err != nil {
		return err
	}
	var entries []string
	atBase := map[string]bool{}
	for _, entry := range strings.Split(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		if entry == "" {
			continue
		}
		_, name, _ := strings.Cut(entry, "\t")
		atBase[name] = true
		entries = append(entries, entry)
	}
	w.FromBase = slices.Clone(entries)
	atHead, err := g.run(nil, "ls-files", "-z", "--full-name")
	if err != nil {
		return err
	}
	for _, name := range strings.Split(string(atHead), "\x00") {
		configures := path.Base(name) == "conftest.py" || slices.Contains(harnessFiles, name) ||
			strings.HasPrefix(name, "tests/") && slices.Contains(harnessFiles, path.Base(name))
		if configures && !atBase[name] {
			entries = append(entries, "0 "+strings.Repeat("0", 40)+"\t"+name)
		}
	}
	_, err = g.run([]byte(strings.Join(entries, "\x00")+"\x00"), "update-index", "-z", "--replace", "--index-info")
	return err
}

// gitRepo runs git on a repository with an index of its own.
type gitRepo struct {
	ctx   context.Context
	git   string
	dir   string
	index string
}

func (g gitRepo) run(stdin []byte, args ...string) ([]byte, error) {
	full := append([]string{"-c", "safe.directory=" + g.dir, "-c", "core.hooksPath=" + os.DevNull, "-C", g.dir}, args...)
	cmd := exec.CommandContext(g.ctx, g.git, full...)
	cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+g.index, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	cmd.Stdin = bytes.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return out.Bytes(), nil
}

// Head returns the commit that a checkout is at, or empty outside of git.
func Head(ctx context.Context, git, checkout string) string {
	dir, err := filepath.Abs(checkout) // git believes in absolute ones only
	if git == "" || err != nil {
		return ""
	}
	out, err := gitRepo{ctx: ctx, git: git, dir: dir}.run(nil, "rev-parse", "HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
