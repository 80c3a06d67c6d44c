package githubsim

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
)

// Mode is a git file mode.
type Mode uint32

// The file modes that git knows.
const (
	ModeFile       Mode = 0o100644
	ModeExecutable Mode = 0o100755
	ModeSymlink    Mode = 0o120000
	ModeSubmodule  Mode = 0o160000
	modeTree       Mode = 0o040000
)

// File is the content of one path in a commit. For a symbolic link Data is the
// target; for a submodule it is the 40 hex digits of its commit.
type File struct {
	Data []byte
	Mode Mode
}

// Changes maps slash-separated paths to their new content; nil deletes a path.
type Changes map[string]*File

// Text is a regular file with that content.
func Text(content string) *File { return &File{Data: []byte(content), Mode: ModeFile} }

// Binary is a regular file with those bytes.
func Binary(content []byte) *File { return &File{Data: content, Mode: ModeFile} }

// Executable is a file with the executable bit.
func Executable(content string) *File { return &File{Data: []byte(content), Mode: ModeExecutable} }

// Symlink is a symbolic link to target.
func Symlink(target string) *File { return &File{Data: []byte(target), Mode: ModeSymlink} }

// Submodule is a submodule at that commit (40 hex digits).
func Submodule(commit string) *File { return &File{Data: []byte(commit), Mode: ModeSubmodule} }

// entry is one path of a commit's tree, without its content.
type entry struct {
	mode Mode
	id   string
}

// object is one stored git object as git hashes it, without the header.
type object struct {
	kind string // blob, tree or commit
	data []byte
}

// commit is a parsed commit with its tree as a flat list of paths.
type commit struct {
	id, tree string
	parents  []string
	author   string // login
	message  string
	when     time.Time
	files    map[string]entry
}

// store holds the git objects of a repository and of its forks.
type store struct {
	objects map[string]object
	commits map[string]*commit
}

func newStore() *store {
	return &store{objects: map[string]object{}, commits: map[string]*commit{}}
}

// put stores an object and returns the id that git gives it.
func (st *store) put(kind string, data []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	id := hex.EncodeToString(h.Sum(nil))
	if _, known := st.objects[id]; !known {
		st.objects[id] = object{kind, slices.Clone(data)}
	}
	return id
}

func (st *store) blob(id string) []byte { return st.objects[id].data }

// putTree stores the tree objects of a flat list of paths.
func (st *store) putTree(files map[string]entry) (string, error) {
	direct := map[string]entry{}
	below := map[string]map[string]entry{}
	for p, e := range files {
		dir, rest, nested := strings.Cut(p, "/")
		if !nested {
			direct[dir] = e
			continue
		}
		if below[dir] == nil {
			below[dir] = map[string]entry{}
		}
		below[dir][rest] = e
	}
	for dir, sub := range below {
		if _, clash := direct[dir]; clash {
			return "", fmt.Errorf("githubsim: %q is both a file and a folder", dir)
		}
		id, err := st.putTree(sub)
		if err != nil {
			return "", err
		}
		direct[dir] = entry{modeTree, id}
	}
	names := make([]string, 0, len(direct))
	for name := range direct {
		names = append(names, name)
	}
	// git sorts a folder as if its name ended in a slash
	key := func(name string) string {
		if direct[name].mode == modeTree {
			return name + "/"
		}
		return name
	}
	sort.Slice(names, func(i, j int) bool { return key(names[i]) < key(names[j]) })
	var b bytes.Buffer
	for _, name := range names {
		raw, err := hex.DecodeString(direct[name].id)
		if err != nil || len(raw) != sha1.Size {
			return "", fmt.Errorf("githubsim: %q: expected an object id of 40 hex digits, found %q", name, direct[name].id)
		}
		fmt.Fprintf(&b, "%o %s\x00", uint32(direct[name].mode), name)
		b.Write(raw)
	}
	return st.put("tree", b.Bytes()), nil
}

// apply gives the flat tree that results from changes to files.
func (st *store) apply(files map[string]entry, ch Changes) (map[string]entry, error) {
	out := make(map[string]entry, len(files)+len(ch))
	for p, e := range files {
		out[p] = e
	}
	for p, f := range ch {
		if !fs.ValidPath(p) || p == "." {
			return nil, fmt.Errorf("githubsim: expected a relative slash-separated path, found %q", p)
		}
		if f == nil {
			if _, known := out[p]; !known {
				return nil, fmt.Errorf("githubsim: cannot delete %q: the branch has no such file", p)
			}
			delete(out, p)
			continue
		}
		mode := f.Mode
		if mode == 0 {
			mode = ModeFile
		}
		if mode == ModeSubmodule {
			out[p] = entry{mode, string(f.Data)}
			continue
		}
		out[p] = entry{mode, st.put("blob", f.Data)}
	}
	return out, nil
}

// putCommit stores a commit of those files.
func (st *store) putCommit(files map[string]entry, parents []string, author, message string, when time.Time) (*commit, error) {
	tree, err := st.putTree(files)
	if err != nil {
		return nil, err
	}
	when = when.UTC().Truncate(time.Second)
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	for _, role := range []string{"author", "committer"} {
		fmt.Fprintf(&b, "%s %s <%s> %d +0000\n", role, gitName(author), email(author), when.Unix())
	}
	fmt.Fprintf(&b, "\n%s\n", message)
	id := st.put("commit", []byte(b.String()))
	c := &commit{id: id, tree: tree, parents: slices.Clone(parents), author: author, message: message, when: when, files: files}
	st.commits[id] = c
	return c, nil
}

// gitName strips what git does not allow in a name.
func gitName(login string) string { return strings.Trim(login, "<>\n") }

func email(login string) string {
	return strings.NewReplacer("[", "", "]", "").Replace(gitName(login)) + "@users.noreply.github.com"
}

// ancestors returns the commits reachable from id, itself included.
func (st *store) ancestors(id string) map[string]bool {
	seen := map[string]bool{}
	todo := []string{id}
	for len(todo) > 0 {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[c] || st.commits[c] == nil {
			continue
		}
		seen[c] = true
		todo = append(todo, st.commits[c].parents...)
	}
	return seen
}

// mergeBase returns the best common ancestor, or "" for unrelated histories:
// among the common ancestors that no other common ancestor reaches, the newest.
func (st *store) mergeBase(a, b string) string {
	ofA, ofB := st.ancestors(a), st.ancestors(b)
	shadowed := map[string]bool{}
	var common []string
	for c := range ofA {
		if ofB[c] {
			common = append(common, c)
		}
	}
	for _, c := range common {
		for anc := range st.ancestors(c) {
			if anc != c {
				shadowed[anc] = true
			}
		}
	}
	best := ""
	for _, c := range common {
		if shadowed[c] {
			continue
		}
		if best == "" || st.commits[c].when.After(st.commits[best].when) ||
			st.commits[c].when.Equal(st.commits[best].when) && c < best {
			best = c
		}
	}
	return best
}

// between lists the commits reachable from head and not from base, oldest first.
func (st *store) between(base, head string) []*commit {
	old := st.ancestors(base)
	var out []*commit
	seen := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		c := st.commits[id]
		if c == nil || old[id] || seen[id] {
			return
		}
		seen[id] = true
		for _, p := range c.parents {
			visit(p)
		}
		out = append(out, c)
	}
	visit(head)
	return out
}

// mergeFiles merges two trees file by file against their base. ok is false
// when both sides changed one path in different ways.
func mergeFiles(base, ours, theirs map[string]entry) (merged map[string]entry, ok bool) {
	merged = map[string]entry{}
	ok = true
	paths := map[string]bool{}
	for _, m := range []map[string]entry{base, ours, theirs} {
		for p := range m {
			paths[p] = true
		}
	}
	for p := range paths {
		b, inB := base[p]
		o, inO := ours[p]
		t, inT := theirs[p]
		takeTheirs := inB == inO && b == o
		switch {
		case takeTheirs && inT:
			merged[p] = t
		case takeTheirs:
		case inO:
			merged[p] = o
		}
		if !takeTheirs && (inB != inT || b != t) && (inO != inT || o != t) {
			ok = false
		}
	}
	return merged, ok
}

// changesFrom reads a tree from a file system.
func changesFrom(tree fs.FS) (Changes, error) {
	ch := Changes{}
	err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path.Base(p) == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			target, err := fs.ReadLink(tree, p)
			if err != nil {
				return err
			}
			ch[p] = Symlink(filepath.ToSlash(target))
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("githubsim: %s: expected a regular file or a symbolic link, found %s", p, info.Mode().Type())
		}
		data, err := fs.ReadFile(tree, p)
		if err != nil {
			return err
		}
		mode := ModeFile
		if info.Mode()&0o111 != 0 {
			mode = ModeExecutable
		}
		ch[p] = &File{Data: data, Mode: mode}
		return nil
	})
	return ch, err
}

// export writes the objects and branches as a bare git repository.
func (st *store) export(dir, head string, refs map[string]string) error {
	write := func(name string, data []byte) error {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Stat(p); err == nil && strings.HasPrefix(name, "objects/") {
			return nil // content-addressed: already the same
		}
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		return os.WriteFile(p, data, 0o644)
	}
	errs := []error{
		os.MkdirAll(filepath.Join(dir, "refs", "heads"), 0o755),
		write("HEAD", []byte("ref: refs/heads/"+head+"\n")),
		write("config", []byte("[core]\n\trepositoryformatversion = 0\n\tbare = true\n[uploadpack]\n\tallowAnySHA1InWant = true\n")),
	}
	for id, o := range st.objects {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		fmt.Fprintf(z, "%s %d\x00", o.kind, len(o.data))
		_, err := z.Write(o.data)
		errs = append(errs, err, z.Close(), write("objects/"+id[:2]+"/"+id[2:], b.Bytes()))
	}
	for ref, id := range refs {
		errs = append(errs, write(ref, []byte(id+"\n")))
	}
	return errors.Join(errs...)
}
