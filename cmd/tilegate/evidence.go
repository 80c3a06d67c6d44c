package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/perf"
	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/runner"
)

// evidenceFolder is what one job of the runner left: its evidence, and the raw
// files beside it.
type evidenceFolder struct {
	dir string
	job.Evidence
}

// openJob reads the evidence that an argument names.
func openJob(path string, stage job.Stage) (evidenceFolder, error) {
	if strings.EqualFold(filepath.Ext(path), ".xml") {
		return evidenceFolder{}, fmt.Errorf("expected the folder of a %s job or its %s, found %s: each JUnit file has a --junit of its own", stage, job.EvidenceFile, path)
	}
	return openEvidence(path, stage)
}

// openEvidence reads the evidence of a job of a stage. The path names its folder
// or the document in it.
func openEvidence(path string, stage job.Stage) (evidenceFolder, error) {
	file, dir := path, filepath.Dir(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file, dir = filepath.Join(path, job.EvidenceFile), path
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return evidenceFolder{}, fmt.Errorf("%s: no %s in it: expected the folder of a %s job of tilegate runner%s", path, job.EvidenceFile, stage, jobsBelow(path, stage))
		}
	}
	evidence, err := readEvidence([]string{file})
	if errors.Is(err, fs.ErrNotExist) {
		if why := notRun(path, stage); why != "" {
			return evidenceFolder{}, errors.New(why)
		}
	}
	if err != nil {
		return evidenceFolder{}, err
	}
	if found := evidence[0].Stage; found != stage {
		return evidenceFolder{}, fmt.Errorf("expected evidence of the %s stage, found one of %s", stage, found)
	}
	return evidenceFolder{dir, evidence[0]}, nil
}

// notRun says that a job left no folder because a stage before it failed, by the
// folder which that one left beside; else "".
func notRun(path string, stage job.Stage) string {
	dir := filepath.Clean(path)
	if filepath.Base(dir) == job.EvidenceFile {
		dir = filepath.Dir(dir)
	}
	for before := runner.Before(stage); before != ""; before = runner.Before(before) {
		beside := filepath.Join(filepath.Dir(dir), strings.Replace(filepath.Base(dir), "-"+string(stage)+"-", "-"+string(before)+"-", 1))
		evidence, err := readEvidence([]string{beside})
		if err != nil || beside == dir {
			continue
		}
		why := ""
		if evidence[0].Interrupted {
			why = "was interrupted"
		}
		for _, command := range evidence[0].Commands {
			if why == "" && command.ExitCode != 0 {
				why = fmt.Sprintf("failed (%s ended with exit code %d)", command.Name, command.ExitCode)
			}
		}
		if why != "" {
			return fmt.Sprintf("%s is not there: %s was not run, since %s %s: see %s", path, stage, before, why, beside)
		}
	}
	return ""
}

// jobsBelow names the folders of a stage's jobs in a folder of several jobs.
func jobsBelow(dir string, stage job.Stage) string {
	found, _ := filepath.Glob(filepath.Join(dir, "tilegate-*-"+string(stage)+"-*", job.EvidenceFile))
	for i, name := range found {
		found[i] = untrusted.Text(filepath.Dir(name)).Line()
	}
	if len(found) == 0 {
		return ""
	}
	return "; the evidence of a " + string(stage) + " job is in " + strings.Join(found, ", ")
}

// perf compares the rounds as the App does: the JUnit files are rounds in the
// order in which they are listed.
func (f evidenceFolder) perf(c perfCompareCmd) (perf.Verdict, error) {
	c.Candidate, c.Reference = f.Candidate, f.Reference
	if c.Candidate == "" || c.Reference == "" {
		return perf.Verdict{}, fmt.Errorf("%s: evidence: expected the names of candidate and reference, found %q and %q", f.dir, c.Candidate, c.Reference)
	}
	var logs logSigns
	listed := map[string]bool{}
	for _, file := range f.Files {
		if err := f.plain(file.Path); err != nil {
			return perf.Verdict{}, err
		}
		if listed[file.Path] {
			return perf.Verdict{}, fmt.Errorf("evidence: files: %q is listed twice", file.Path)
		}
		listed[file.Path] = true
		switch at := filepath.Join(f.dir, file.Path); file.Kind {
		case "junit":
			c.JUnit = append(c.JUnit, at)
		case "log":
			console, err := readRecords(at, records.ReadConsole)
			if err != nil {
				return perf.Verdict{}, err
			}
			sum, err := digest(at)
			if err != nil {
				return perf.Verdict{}, err
			}
			if err := f.unchanged(at, sum); err != nil {
				return perf.Verdict{}, err
			}
			logs.add(console, f.Candidate)
		}
	}
	var files []perf.File
	if len(c.JUnit) > 0 {
		var err error
		if files, _, err = c.files(); err != nil {
			return perf.Verdict{}, err
		}
		for _, file := range files {
			if err := f.unchanged(file.Name, file.SHA256); err != nil {
				return perf.Verdict{}, err
			}
		}
	}
	o, err := c.options()
	if err != nil {
		return perf.Verdict{}, err
	}
	o.LogNotes, o.Fallback = logs.notes, logs.fallback
	return perf.Compare(files, []job.Evidence{f.Evidence}, o), nil
}

// logs are the files that tell why tests failed, those that are there.
func (f evidenceFolder) logs() []string {
	var out []string
	for _, file := range f.Files {
		if (file.Kind == "junit" || file.Kind == "log") && f.plain(file.Path) == nil {
			if at := filepath.Join(f.dir, file.Path); exists(at) {
				out = append(out, at)
			}
		}
	}
	return out
}

// plain says why a listed name is not that of a file beside the evidence. A job
// leaves no links; reading a pipe would not end.
func (f evidenceFolder) plain(name string) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("evidence: files: expected a plain name, found %q", name)
	}
	at := filepath.Join(f.dir, name)
	if info, err := os.Lstat(at); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: expected a regular file, as a job leaves them, found %s", at, kindOf(info.Mode()))
	}
	return nil
}

// kindOf names what is no regular file.
func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeSymlink != 0:
		return "a link"
	}
	return "a pipe or a device"
}

// unchanged says whether a file that was read is the one that the job left.
func (f evidenceFolder) unchanged(name, sum string) error {
	for _, l := range f.Files {
		if filepath.Join(f.dir, l.Path) == name && sum != "" && len(l.SHA256) == len(sum) && !strings.EqualFold(l.SHA256, sum) {
			return fmt.Errorf("%s: expected the sha256 %.64q that the evidence lists, found %s: the file is not what the job left", name, l.SHA256, sum)
		}
	}
	return nil
}

// digest is the sha256 of a file.
func digest(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// partial says why times of the evidence are not those of a whole run, else "".
func (f evidenceFolder) partial() string {
	if f.Interrupted {
		return "the run was interrupted"
	}
	for _, command := range f.Commands {
		if command.ExitCode != 0 {
			return fmt.Sprintf("%s ended with exit code %d, so it is not a whole run", command.Name, command.ExitCode)
		}
	}
	return ""
}
