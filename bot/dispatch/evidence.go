package dispatch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/tilegate/tilegate/checks/job"
)

// Evidence is a job's evidence that was found to belong to it.
type Evidence struct {
	job.Evidence
	SHA256  string // of the evidence document
	fsys    fs.FS
	request job.Request // the one that was sent, not what the evidence says of it
}

// Open reads the evidence of one job from its artifact and checks that it
// belongs to the request and that each listed file is there with its digest.
// Everything in it stays untrusted.
func Open(artifact fs.FS, r job.Request, stage job.Stage, kernel string) (Evidence, error) {
	e, err := read(artifact)
	if err != nil {
		return Evidence{}, err
	}
	if err := e.Belongs(r, stage, kernel); err != nil {
		return Evidence{}, err
	}
	e.request = r
	return e, e.check()
}

// OpenLocal reads the evidence of a job that nobody asked for but who ran it: it
// belongs to what it says itself.
func OpenLocal(folder fs.FS) (Evidence, error) {
	e, err := read(folder)
	if err != nil {
		return Evidence{}, err
	}
	return e, e.check()
}

func read(artifact fs.FS) (Evidence, error) {
	data, err := fs.ReadFile(artifact, job.EvidenceFile)
	if err != nil {
		return Evidence{}, fmt.Errorf("evidence: expected %s at the artifact's root: %w", job.EvidenceFile, err)
	}
	doc, err := job.ParseEvidence(data)
	sum := sha256.Sum256(data)
	return Evidence{Evidence: doc, SHA256: hex.EncodeToString(sum[:]), fsys: artifact}, err
}

// check says which of the listed files are not there as they are listed.
func (e Evidence) check() error {
	var faults []error
	seen := map[string]bool{}
	for _, f := range e.Files {
		switch {
		case !fs.ValidPath(f.Path) || f.Path == job.EvidenceFile || path.Dir(f.Path) != ".":
			faults = append(faults, fmt.Errorf("evidence: files: expected a plain name, found %q", f.Path))
			continue
		case seen[f.Path]:
			faults = append(faults, fmt.Errorf("evidence: files: %q is listed twice", f.Path))
			continue
		}
		seen[f.Path] = true
		content, err := fs.ReadFile(e.fsys, f.Path)
		if err != nil {
			faults = append(faults, fmt.Errorf("evidence: files: %q is listed and not there", f.Path))
			continue
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != f.SHA256 {
			faults = append(faults, fmt.Errorf("evidence: files: %q has another sha256 than listed", f.Path))
		}
	}
	return errors.Join(faults...)
}

// exit is the exit code of a command of the evidence; ok is false when it did
// not run.
func (e Evidence) exit(name string) (code int, ok bool) {
	for _, c := range e.Commands {
		if c.Name == name {
			return c.ExitCode, true
		}
	}
	return 0, false
}

// failed is the first command that did not succeed.
func (e Evidence) failed() (job.Command, bool) {
	for _, c := range e.Commands {
		if c.ExitCode != 0 {
			return c, true
		}
	}
	return job.Command{}, false
}
