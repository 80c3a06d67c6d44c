package tree_test

import (
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/tree"
)

// restless is a file system in which one file becomes another once it was opened.
type restless struct {
	fstest.MapFS
	path   string
	change func(f *fstest.MapFile)
}

func (r restless) Open(name string) (fs.File, error) {
	f, err := r.MapFS.Open(name)
	if err == nil && name == r.path {
		file := r.MapFS[name]
		next := *file
		r.change(&next)
		return &restlessFile{File: f, after: &next}, nil
	}
	return f, err
}

// restlessFile is described as it was when it was opened, and then as it is after.
type restlessFile struct {
	fs.File
	asked int
	after *fstest.MapFile
}

func (f *restlessFile) Stat() (fs.FileInfo, error) {
	if f.asked++; f.asked == 1 {
		return f.File.Stat()
	}
	return fstest.MapFS{"x": f.after}.Stat("x")
}

// A file that changes while it is read is unread: what was seen of it may be
// neither the old nor the new one.
func TestFilesThatChangeAreUnread(t *testing.T) {
	const kernel = ops + "a_kernel/kernel.rs"
	for name, change := range map[string]func(f *fstest.MapFile){
		"written again": func(f *fstest.MapFile) { f.ModTime = time.Unix(5, 0) },
		"longer":        func(f *fstest.MapFile) { f.Data = append(f.Data, "fn g() {}"...); f.ModTime = time.Unix(5, 0) },
		"emptied":       func(f *fstest.MapFile) { f.Data, f.ModTime = nil, time.Unix(5, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			tr, err := tree.Load(restless{checkout(), kernel, change}, nil)
			require.NoError(t, err)
			assert.Equal(t, "it changed while it was read", tr.File(kernel).Unread)
		})
	}
}

// lying is a file system that tells another size than its files have.
type lying struct {
	fstest.MapFS
	size int64
}

type lyingInfo struct {
	fs.FileInfo
	size int64
}

func (i lyingInfo) Size() int64 { return i.size }

type lyingFile struct {
	fs.File
	size int64
}

func (f lyingFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return lyingInfo{info, f.size}, err
}

func (l lying) Open(name string) (fs.File, error) {
	f, err := l.MapFS.Open(name)
	if info, statErr := l.MapFS.Stat(name); err == nil && statErr == nil && !info.IsDir() {
		return lyingFile{f, l.size}, nil
	}
	return f, err
}

// What a file system says of a size is not believed.
func TestWrongSizesAreUnread(t *testing.T) {
	for _, size := range []int64{0, 1, 1 << 20} {
		tr, err := tree.Load(lying{checkout(), size}, nil)
		require.NoError(t, err)
		assert.Equal(t, "it changed while it was read", tr.File(ops+"a_kernel/kernel.rs").Unread, "%d bytes", size)
	}
}
