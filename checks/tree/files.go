package tree

import (
	"io/fs"
	"path"
)

// maxFiles bounds how many files Files lists.
const maxFiles = 10_000

// Files lists the regular files below a folder whose path is wanted, in
// lexical order. Build outputs (target), version control and links are left
// out; a folder that does not exist has none.
func (t *Tree) Files(dir string, want func(p string) bool) []string {
	var out []string
	// An error of a part leaves that part out: its files are then not looked at.
	_ = fs.WalkDir(t.FS, path.Clean(dir), func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || len(out) >= maxFiles:
			return fs.SkipDir
		case d.IsDir():
			if n := d.Name(); p != dir && (n == "target" || n == ".git" || n == "node_modules") {
				return fs.SkipDir
			}
		case d.Type().IsRegular() && want(p):
			out = append(out, p)
		}
		return nil
	})
	return out
}
