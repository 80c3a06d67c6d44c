// Package memfs is a read-only file system in memory, for trees that arrive as
// an archive. It answers "what does this tree hold?" and reads nothing else.
package memfs

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// FS is a read-only file system in memory. The zero FS is empty. Add must not
// be called once the FS is being read.
type FS struct {
	files map[string]*file
	dirs  map[string]map[string]bool // directory -> names
}

type file struct {
	data []byte
	err  error // reading the file fails with this
	size int64
}

// Add adds a regular file. The path must be valid for fs.FS; others are ignored
// and reported as false.
func (f *FS) Add(name string, data []byte) bool {
	return f.add(name, &file{data: data, size: int64(len(data))})
}

// AddUnreadable adds a file that exists with a size but fails to be read, such
// as one over a size limit.
func (f *FS) AddUnreadable(name string, size int64, err error) bool {
	return f.add(name, &file{err: err, size: size})
}

func (f *FS) add(name string, e *file) bool {
	if !fs.ValidPath(name) || name == "." {
		return false
	}
	if f.files == nil {
		f.files, f.dirs = map[string]*file{}, map[string]map[string]bool{}
	}
	f.files[name] = e
	for child := name; child != "."; {
		dir, base := path.Split(child)
		dir = path.Clean(dir)
		if f.dirs[dir] == nil {
			f.dirs[dir] = map[string]bool{}
		}
		f.dirs[dir][base] = true
		child = dir
	}
	return true
}

// Open opens a file or directory.
func (f *FS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if e := f.files[name]; e != nil {
		if e.err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: e.err}
		}
		return &openFile{info: info{path.Base(name), e.size, 0o444}, r: bytes.NewReader(e.data)}, nil
	}
	if f.dirs[name] != nil || name == "." {
		return &openDir{info: info{path.Base(name), 0, fs.ModeDir | 0o555}, fsys: f, name: name}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Stat describes a file, an unreadable one included.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	if e := f.files[name]; e != nil {
		return info{path.Base(name), e.size, 0o444}, nil
	}
	if f.dirs[name] != nil || name == "." {
		return info{path.Base(name), 0, fs.ModeDir | 0o555}, nil
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

// ReadDir lists a directory by name.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	if f.files[name] != nil || f.dirs[name] == nil && name != "." {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	var out []fs.DirEntry
	for child := range f.dirs[name] {
		i, err := f.Stat(path.Join(name, child))
		if err != nil {
			return nil, err
		}
		out = append(out, fs.FileInfoToDirEntry(i))
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

type info struct {
	name string
	size int64
	mode fs.FileMode
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }

type openFile struct {
	info info
	r    *bytes.Reader
}

func (o *openFile) Stat() (fs.FileInfo, error) { return o.info, nil }
func (o *openFile) Read(p []byte) (int, error) { return o.r.Read(p) }
func (o *openFile) Close() error               { return nil }

type openDir struct {
	info info
	fsys *FS
	name string
	list []fs.DirEntry
	read bool
}

func (o *openDir) Stat() (fs.FileInfo, error) { return o.info, nil }
func (o *openDir) Close() error               { return nil }
func (o *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: o.name, Err: fs.ErrInvalid}
}

func (o *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if !o.read {
		list, err := o.fsys.ReadDir(o.name)
		if err != nil {
			return nil, err
		}
		o.list, o.read = list, true
	}
	if n <= 0 {
		out := o.list
		o.list = nil
		return out, nil
	}
	if len(o.list) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(o.list))
	out := o.list[:n]
	o.list = o.list[n:]
	return out, nil
}
