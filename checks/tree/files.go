package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// maxFiles bounds how many files Files lists, and maxEntries how many it looks at.
const (
	maxFiles   = 10_000
	maxEntries = 100_000
)

// Files lists the files below a folder whose path is wanted, in lexical order.
// Build outputs (target) and version control are left out, links to folders are
// not followed; a folder that does not exist has none. What could not be listed
// is Unread.
func (t *Tree) Files(dir string, want func(p string) bool) []string {
	var out []string
	err := t.Walk(dir, maxEntries, func(p string, d fs.DirEntry) error {
		switch {
		case d.IsDir():
			if n := d.Name(); p != dir && (n == "target" || n == ".git" || n == "node_modules") {
				return fs.SkipDir
			}
		case !want(p):
		case len(out) == maxFiles:
			t.Unread(dir, fmt.Sprintf("more than %d files, of which only the first were looked at", maxFiles))
			return fs.SkipAll
		default:
			out = append(out, p)
		}
		return nil
	})
	if err != nil {
		t.Unread(dir, err.Error())
	}
	return out
}

// Walk visits a folder and all below it in lexical order; links to folders are
// not followed. A part that cannot be listed is Unread. It returns what visit
// returns, as fs.WalkDir does, and an error after too many entries. A folder that
// does not exist is empty.
func (t *Tree) Walk(dir string, limit int, visit func(p string, d fs.DirEntry) error) error {
	seen := 0
	return fs.WalkDir(t.FS, path.Clean(dir), func(p string, d fs.DirEntry, err error) error {
		if seen++; seen > limit {
			return fmt.Errorf("more than %d files and folders, of which only the first were looked at", limit)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid):
			return fs.SkipDir
		case err != nil:
			t.Unread(p, unreadable(err))
			return fs.SkipDir
		}
		return visit(p, d)
	})
}
