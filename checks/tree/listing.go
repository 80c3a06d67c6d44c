package tree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/tilegate/tilegate/checks/syntax"
)

const (
	// maxRemembered bounds the entries of folders that a listing remembers.
	maxRemembered = 100_000
	// maxListed bounds the entries of one folder.
	maxListed = 200_000
)

// listing remembers what a file system said about folders and files. A tree is
// one revision, and many rules ask the same; below an os.Root each question
// opens all folders on the way.
type listing struct {
	fs.FS
	mu      sync.Mutex
	dirs    map[string]answer[[]fs.DirEntry]
	infos   map[string]answer[fs.FileInfo]
	links   map[string]answer[fs.FileInfo] // not followed
	entries int
}

type answer[T any] struct {
	value T
	err   error
}

func newListing(fsys fs.FS) *listing {
	return &listing{FS: fsys, dirs: map[string]answer[[]fs.DirEntry]{}, infos: map[string]answer[fs.FileInfo]{}, links: map[string]answer[fs.FileInfo]{}}
}

// Open opens a file or folder. What is neither is refused, since opening a pipe
// waits for somebody to write into it, and so is a file over the parser's limit.
func (l *listing) Open(name string) (fs.File, error) {
	if info, err := l.Stat(name); err == nil && !info.IsDir() {
		if err := readable(info, syntax.MaxSize); err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
	return l.FS.Open(name)
}

// readable says why a file is not read by what is known of it, or is nil.
func readable(info fs.FileInfo, limit int64) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("not a regular file: %s", kindOf(info.Mode()))
	case info.Size() > limit:
		return fmt.Errorf("%d bytes, the limit is %d", info.Size(), limit)
	}
	return nil
}

// ReadDir lists a folder. The result is shared: it must not be changed.
func (l *listing) ReadDir(name string) ([]fs.DirEntry, error) {
	return remember(l, l.dirs, name, readDir)
}

// readDir is fs.ReadDir for folders that are not too large.
func readDir(fsys fs.FS, name string) ([]fs.DirEntry, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	dir, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("not a folder")}
	}
	list, err := dir.ReadDir(maxListed + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(list) > maxListed {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fmt.Errorf("more than %d files and folders", maxListed)}
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

// Stat describes a file.
func (l *listing) Stat(name string) (fs.FileInfo, error) {
	return remember(l, l.infos, name, fs.Stat)
}

// Lstat describes a file or a link itself.
func (l *listing) Lstat(name string) (fs.FileInfo, error) {
	return remember(l, l.links, name, fs.Lstat)
}

// ReadLink is where a link leads.
func (l *listing) ReadLink(name string) (string, error) { return fs.ReadLink(l.FS, name) }

func remember[T any](l *listing, known map[string]answer[T], name string, ask func(fs.FS, string) (T, error)) (T, error) {
	l.mu.Lock()
	a, ok := known[name]
	l.mu.Unlock()
	if ok {
		return a.value, a.err
	}
	a.value, a.err = ask(l.FS, name)
	size := 1
	if list, ok := any(a.value).([]fs.DirEntry); ok {
		size += len(list)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.entries+size <= maxRemembered {
		known[name] = a
		l.entries += size
	}
	return a.value, a.err
}
