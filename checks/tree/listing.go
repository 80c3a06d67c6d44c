package tree

import (
	"io/fs"
	"sync"
)

// maxRemembered bounds the entries of folders that a listing remembers.
const maxRemembered = 100_000

// listing remembers what a file system said about folders and files. A tree is
// one revision, and many rules ask the same; below an os.Root each question
// opens all folders on the way.
type listing struct {
	fs.FS
	mu      sync.Mutex
	dirs    map[string]answer[[]fs.DirEntry]
	infos   map[string]answer[fs.FileInfo]
	entries int
}

type answer[T any] struct {
	value T
	err   error
}

func newListing(fsys fs.FS) *listing {
	return &listing{FS: fsys, dirs: map[string]answer[[]fs.DirEntry]{}, infos: map[string]answer[fs.FileInfo]{}}
}

// ReadDir lists a folder. The result is shared: it must not be changed.
func (l *listing) ReadDir(name string) ([]fs.DirEntry, error) {
	return remember(l, l.dirs, name, fs.ReadDir)
}

// Stat describes a file.
func (l *listing) Stat(name string) (fs.FileInfo, error) {
	return remember(l, l.infos, name, fs.Stat)
}

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
