package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/tilegate/tilegate/checks/job"
)

// Before returns the stage that a stage needs, or empty for the first.
func Before(stage job.Stage) job.Stage {
	if i := slices.Index(job.Stages, stage); i > 0 {
		return job.Stages[i-1]
	}
	return ""
}

// Succeeded reports why the stage before a stage of a kernel did not succeed, by
// the evidence in dir, or nil when it did. It decides only whether to go on: the
// document comes from the code under test's own host.
func Succeeded(dir string, req job.Request, stage job.Stage, kernel string) error {
	before := Before(stage)
	if before == "" {
		return nil
	}
	name := job.JobName(before, kernel, req.GPU)
	text, err := os.ReadFile(filepath.Join(dir, job.EvidenceFile))
	if err != nil {
		return fmt.Errorf("%s left no evidence: %w", name, err)
	}
	e, err := job.ParseEvidence(text)
	if err != nil {
		return err
	}
	if err := e.Belongs(req, before, kernel); err != nil {
		return err
	}
	if e.Interrupted {
		return fmt.Errorf("%s was interrupted", name)
	}
	if len(e.Commands) == 0 {
		return fmt.Errorf("%s ran no command", name)
	}
	for _, c := range e.Commands {
		if c.ExitCode != 0 {
			return fmt.Errorf("%s: %s ended with exit code %d", name, c.Name, c.ExitCode)
		}
	}
	return nil
}
