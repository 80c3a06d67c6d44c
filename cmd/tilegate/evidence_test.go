package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/job"
)

// The folder of a job may come from anywhere: what is no file of it is not read.
func TestFolderOfAJobHoldsPlainFiles(t *testing.T) {
	folder := func(files ...string) evidenceFolder {
		f := evidenceFolder{dir: t.TempDir(), Evidence: job.Evidence{Candidate: "cutile-rs", Reference: "cutile", Stage: job.Perf}}
		for _, name := range files {
			f.Files = append(f.Files, job.File{Path: name, Kind: "junit"})
		}
		return f
	}
	refused := func(f evidenceFolder, want string) {
		t.Helper()
		_, err := f.perf(perfCompareCmd{})
		require.ErrorContains(t, err, want)
	}
	f := folder("r.xml")
	require.NoError(t, syscall.Mkfifo(filepath.Join(f.dir, "r.xml"), 0o644))
	refused(f, "expected a regular file, as a job leaves them, found a pipe or a device")
	f = folder("r.xml")
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(f.dir, "r.xml")))
	refused(f, "found a link")
	f = folder("r.xml")
	require.NoError(t, os.Mkdir(filepath.Join(f.dir, "r.xml"), 0o755))
	refused(f, "found a directory")
	f = folder("r.xml", "r.xml")
	require.NoError(t, os.WriteFile(filepath.Join(f.dir, "r.xml"), []byte("<testsuites/>"), 0o644))
	refused(f, `evidence: files: "r.xml" is listed twice`)
	f = folder("r.log")
	f.Files[0].Kind, f.Files[0].SHA256 = "log", strings.Repeat("0", 64)
	require.NoError(t, os.WriteFile(filepath.Join(f.dir, "r.log"), []byte("1 passed\n"), 0o644))
	refused(f, "the file is not what the job left")
	refused(folder("../r.xml"), "expected a plain name")
	f = folder()
	f.Candidate = ""
	refused(f, `expected the names of candidate and reference, found "" and "cutile"`)
}
