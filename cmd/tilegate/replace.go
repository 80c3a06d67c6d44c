package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// replaceFile puts new content in the place of a file of the folder, all of it
// or none: readers and a power loss see the old content or the new. The file
// keeps its mode. A file that is or lies behind a symbolic link, or whose
// content is not what it was, is left alone.
func replaceFile(root *os.Root, name string, before, after []byte) (err error) {
	for p := name; p != "."; p = path.Dir(p) {
		info, err := root.Lstat(p)
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s: expected no symbolic link, found one at %s; fix the file that it points to", name, p)
		}
	}
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: expected a regular file, found %s", name, info.Mode().Type())
	}
	temp := path.Join(path.Dir(name), "."+path.Base(name)+"."+rand.Text()+".tmp")
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Remove(temp))
		}
	}()
	_, err = f.Write(after)
	if err := errors.Join(err, f.Chmod(info.Mode()), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	// As late as can be, so that an editor's save in the meantime is not lost.
	now, err := root.ReadFile(name)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) {
		return fmt.Errorf("%s: the file was changed while it was being fixed; run again", name)
	}
	return root.Rename(temp, name)
}
