package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/tilegate/tilegate/checks/job"
)

// Caps of what a job uploads, in bytes.
const (
	maxFile  = 32 << 20
	maxTotal = 128 << 20
)

// writeEvidence hashes the raw files and then writes the document, last, so that
// an artifact without it is incomplete. A file that is no regular file or over a
// cap is removed and not listed.
func writeEvidence(dir string, e *job.Evidence, files []listedFile) error {
	var total int64
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		sum, size, err := hashFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && (size > maxFile || total+size > maxTotal) {
			err = fmt.Errorf("%d bytes", size)
		}
		if err != nil {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
			continue
		}
		total += size
		e.Files = append(e.Files, job.File{Path: f.name, Kind: f.kind, SHA256: sum})
	}
	text, err := json.MarshalIndent(e, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, job.EvidenceFile), append(text, '\n'), 0o644)
}

// hashFile reads a regular file, never through a link.
func hashFile(path string) (sum string, size int64, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	if !info.Mode().IsRegular() {
		return "", 0, errors.New("not a regular file")
	}
	h := sha256.New()
	size, err = io.Copy(h, io.LimitReader(f, maxFile+1))
	return hex.EncodeToString(h.Sum(nil)), size, err
}
