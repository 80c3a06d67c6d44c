package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrInUse says that another process works on the database.
var ErrInUse = errors.New("another process of tilegate works on this database")

// lock keeps a second process off the database at a path: two would both send what
// waits to be written. The lock is on a file beside the database, since SQLite's own
// locks of a file end when any handle of it is closed. It dies with its process,
// however that ends, and the file stays.
func lock(path string) (*os.File, error) {
	if err := create(path); err != nil {
		return nil, err
	}
	// By whatever link the database is reached, it is the same one.
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	name := path + ".lock"
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, fmt.Errorf("%w and holds %s: expected one process for a database; stop the other one, or give this one a database of its own", ErrInUse, name)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return f, nil
}

// create makes an empty database where there is none, so that it has a name to lock.
func create(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}
