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
	data, err := fs.ReadFile(artifact, job.EvidenceFile)
	if err != nil {
		return Evidence{}, fmt.Errorf("evidence: expected %s at the artifact's root: %w", job.EvidenceFile, err)
	}
	doc, err := job.ParseEvidence(data)
	if err != nil {
		return Evidence{}, err
	}
	if err := doc.Belongs(r, stage, kernel); err != nil {
		return Evidence{}, err
	}
	var faults []error
	seen := map[string]bool{}
	for _, f := range doc.Files {
		switch {
		case !fs.ValidPath(f.Path) || f.Path == job.EvidenceFile || path.Dir(f.Path) != ".":
			faults = append(faults, fmt.Errorf("evidence: files: expected a plain name, found %q", f.Path))
			continue
		case seen[f.Path]:
			faults = append(faults, fmt.Errorf("evidence: files: %q is listed twice", f.Path))
			continue
		}
		seen[f.Path] = true
		content, err := fs.ReadFile(artifact, f.Path)
		if err != nil {
			faults = append(faults, fmt.Errorf("evidence: files: %q is listed and not there", f.Path))
			continue
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != f.SHA256 {
			faults = append(faults, fmt.Errorf("evidence: files: %q has another sha256 than listed", f.Path))
		}
	}
	sum := sha256.Sum256(data)
	return Evidence{Evidence: doc, SHA256: hex.EncodeToString(sum[:]), fsys: artifact, request: r}, errors.Join(faults...)
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
