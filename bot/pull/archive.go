package pull

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/tilegate/tilegate/checks/memfs"
)

// archived is one file of a source archive.
type archived struct {
	data []byte
	size int64
	err  error // why there is no data
}

func overLimit(size, limit int64) error {
	return fmt.Errorf("%d bytes, the limit is %d: %w", size, limit, ErrTooLarge)
}

// untar reads the wanted files of a gzipped source archive as GitHub makes it:
// everything below one folder, the commit's SHA in a global header.
func untar(r io.Reader, sha string, want func(string) bool, limits Limits) (map[string]archived, error) {
	packed := &capped{r: r, left: limits.Archive, what: "compressed archive"}
	unzipped, err := gzip.NewReader(packed)
	if err != nil {
		return nil, fmt.Errorf("not a gzip file: %w", err)
	}
	reader := tar.NewReader(&capped{r: unzipped, left: limits.Unpacked, what: "unpacked archive"})
	files, seen := map[string]archived{}, nameSet{}
	var total int64
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag == tar.TypeXGlobalHeader {
			if of := header.PAXRecords["comment"]; of != "" && of != sha {
				return nil, fmt.Errorf("%w: it is that of commit %q", ErrArchive, shorten(of))
			}
			continue
		}
		_, name, below := strings.Cut(strings.TrimPrefix(header.Name, "./"), "/")
		name = strings.TrimSuffix(name, "/")
		if !below || name == "" {
			continue
		}
		if !fs.ValidPath(name) {
			return nil, fmt.Errorf("%w: the name %q", ErrArchive, shorten(header.Name))
		}
		if header.Typeflag == tar.TypeDir || !want(name) {
			continue
		}
		if err := seen.add(name); err != nil {
			return nil, err
		}
		entry := archived{size: header.Size}
		switch {
		case header.Typeflag != tar.TypeReg:
			entry.err = errSymlink
		case header.Size > limits.File:
			entry.err = overLimit(header.Size, limits.File)
		default:
			if total += header.Size; total > limits.Tree {
				return nil, fmt.Errorf("the reviewed files have more than %d bytes: %w", limits.Tree, ErrTooLarge)
			}
			entry.data = make([]byte, header.Size)
			if _, err := io.ReadFull(reader, entry.data); err != nil {
				return nil, fmt.Errorf("%q: %w", shorten(name), err)
			}
		}
		files[name] = entry
	}
}

// unzip unpacks an artifact: regular files only.
func unzip(data []byte, limits Limits) (*memfs.FS, error) {
	// The list of files is read as a whole, so its length is bounded first.
	if n := bytes.Count(data, []byte("PK\x01\x02")); n > limits.ArtifactFiles {
		return nil, fmt.Errorf("%d files, the limit is %d: %w", n, limits.ArtifactFiles, ErrTooLarge)
	}
	reader, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArchive, err)
	}
	files, seen := &memfs.FS{}, nameSet{}
	var total int64
	for _, f := range reader.File {
		name := path.Clean(strings.TrimPrefix(strings.TrimSuffix(f.Name, "/"), "./"))
		switch {
		case !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00"):
			return nil, fmt.Errorf("%w: the name %q", ErrArchive, shorten(f.Name))
		case f.Mode().IsDir():
			continue
		case !f.Mode().IsRegular():
			return nil, fmt.Errorf("%w: %q is no regular file", ErrArchive, shorten(name))
		case name == ".":
			return nil, fmt.Errorf("%w: a file without a name", ErrArchive)
		}
		if err := seen.add(name); err != nil {
			return nil, err
		}
		content, err := unzipOne(f, min(limits.ArtifactFile, limits.ArtifactTotal-total))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", shorten(name), err)
		}
		total += int64(len(content))
		files.Add(name, content)
	}
	return files, nil
}

// unzipOne reads a file up to a limit, whatever size its header claims.
func unzipOne(f *zip.File, limit int64) ([]byte, error) {
	if f.UncompressedSize64 > uint64(limit) {
		return nil, fmt.Errorf("%d bytes, %d are left: %w", f.UncompressedSize64, limit, ErrTooLarge)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArchive, err)
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArchive, err)
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("%d bytes are left: %w", limit, ErrTooLarge)
	}
	return content, nil
}

// nameSet refuses a name that stands twice, or as a file and as a folder.
type nameSet map[string]bool // true for a file, false for a folder

func (n nameSet) add(name string) error {
	if _, twice := n[name]; twice {
		return fmt.Errorf("%w: %q stands twice", ErrArchive, shorten(name))
	}
	n[name] = true
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if n[dir] {
			return fmt.Errorf("%w: %q is a file and a folder", ErrArchive, shorten(dir))
		}
		if _, known := n[dir]; known {
			break
		}
		n[dir] = false
	}
	return nil
}

// shorten cuts an untrusted name for an error.
func shorten(s string) string {
	if len(s) > 120 {
		return s[:120] + "..."
	}
	return s
}

// capped fails with ErrTooLarge once more than left bytes have been read.
type capped struct {
	r    io.Reader
	left int64
	what string
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left < 0 {
		return 0, fmt.Errorf("%s: %w", c.what, ErrTooLarge)
	}
	// One byte more than allowed shows that there is more.
	if int64(len(p)) > c.left+1 {
		p = p[:c.left+1]
	}
	n, err := c.r.Read(p)
	c.left -= int64(n)
	if c.left < 0 {
		return 0, fmt.Errorf("%s: %w", c.what, ErrTooLarge)
	}
	return n, err
}
