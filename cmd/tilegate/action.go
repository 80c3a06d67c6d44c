package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sethvargo/go-githubactions"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// actionCmd is what action.yml runs: it turns the action's inputs into the
// arguments of review or runner, and their outcome into outputs, annotations and
// a step summary.
type actionCmd struct{}

// summaryLimit is GitHub's limit of a step summary, in bytes.
const summaryLimit = 1 << 20

func (actionCmd) Run(s streams) error {
	for _, file := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
		path := os.Getenv(file)
		if path == "" {
			return fmt.Errorf("action: expected to run in a GitHub workflow, which sets %s; elsewhere use tilegate review or tilegate runner", file)
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err != nil {
			return fmt.Errorf("action: %s: expected a file that can be written: %w", file, err)
		}
		f.Close()
	}
	a := githubactions.New(githubactions.WithWriter(s.Out), githubactions.WithGetenv(os.Getenv))
	var status int
	switch mode := a.GetInput("mode"); mode {
	case "", "review":
		status = actionReview(a, s)
	case "runner":
		status = actionRunner(a, s)
	default:
		status = int(exitUsage)
		annotate(a, "tilegate", fmt.Sprintf("mode: expected review or runner, found %q", mode))
	}
	a.SetOutput("status", fmt.Sprint(status))
	if status != 0 {
		return exitCode(status)
	}
	return nil
}

// annotate writes an error without a place; the text may be untrusted.
func annotate(a *githubactions.Action, title, text string) {
	a.WithFieldsMap(map[string]string{"title": title}).Errorf("%s", untrusted.Text(text).Line())
}

func actionReview(a *githubactions.Action, s streams) int {
	path := a.GetInput("path")
	if path == "" {
		path = "."
	}
	options := []string{}
	for _, option := range []string{"base", "fail-on"} {
		if v := a.GetInput(strings.ReplaceAll(option, "-", "_")); v != "" {
			options = append(options, "--"+option+"="+v)
		}
	}
	for _, kernel := range strings.Fields(a.GetInput("kernel")) {
		options = append(options, "--kernel="+kernel)
	}
	review := func(format string, out, errs io.Writer) int {
		args := append([]string{"review", "--format=" + format}, options...)
		return run(append(args, "--", path), streams{s.In, out, errs})
	}
	var errs, summary bytes.Buffer
	status := review("github", s.Out, io.MultiWriter(s.Err, &errs))
	failureOf(a, "tilegate review", status, errs.String())
	if review("markdown", &summary, io.Discard) == status && summary.Len() > 0 {
		a.AddStepSummary(untrusted.Clip(summary.String(), summaryLimit))
	}
	return status
}

func actionRunner(a *githubactions.Action, s streams) int {
	text := a.GetInput("request")
	req, err := job.ParseRequest([]byte(text))
	if err != nil {
		annotate(a, "tilegate runner", err.Error())
		return int(exitUsage)
	}
	stage, out := a.GetInput("stage"), a.GetInput("out")
	if stage == "" {
		stage = "all"
	}
	args := []string{"runner", "--request=-", "--out=" + out}
	for _, option := range [][2]string{{"checkout", "path"}, {"after", "after"}, {"kernel", "kernel"}} {
		if v := a.GetInput(option[1]); v != "" {
			args = append(args, "--"+option[0]+"="+v)
		}
	}
	var errs bytes.Buffer
	status := run(append(args, "--", stage), streams{strings.NewReader(text), s.Out, io.MultiWriter(s.Err, &errs)})
	failureOf(a, "tilegate runner "+stage, status, errs.String())
	dirs := evidenceDirs(out, req)
	a.SetOutput("evidence", strings.Join(dirs, "\n"))
	if len(dirs) > 0 {
		a.AddStepSummary(commandTable(dirs))
	}
	return status
}

// failureOf annotates the line that says why nothing could be run or decided.
func failureOf(a *githubactions.Action, title string, status int, errs string) {
	for line := range strings.Lines(errs) {
		if text, ok := strings.CutPrefix(line, "tilegate: "); ok && status != 0 {
			annotate(a, title, strings.TrimSpace(text))
		}
	}
}

// evidenceDirs finds the folders of a request's jobs that hold evidence, in the
// order in which the jobs run.
func evidenceDirs(out string, req job.Request) (dirs []string) {
	for _, kernel := range req.Kernels {
		for _, stage := range job.Stages {
			dir := filepath.Join(out, job.ArtifactName(req.Dispatch, stage, kernel, req.GPU))
			if _, err := os.Stat(filepath.Join(dir, job.EvidenceFile)); err == nil {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

// commandTable lists the commands of each job with their exit codes.
func commandTable(dirs []string) string {
	var b strings.Builder
	b.WriteString("| job | command | exit code | seconds |\n|---|---|---|---|\n")
	for _, dir := range dirs {
		text, err := os.ReadFile(filepath.Join(dir, job.EvidenceFile))
		if err != nil {
			continue
		}
		e, err := job.ParseEvidence(text)
		if err != nil {
			continue
		}
		name := untrusted.Text(job.JobName(e.Stage, e.Kernel, e.GPU)).Markdown()
		for _, c := range e.Commands {
			fmt.Fprintf(&b, "| %s | %s | %d | %.1f |\n", name, untrusted.Text(c.Name).Markdown(), c.ExitCode, float64(c.DurationMS)/1000)
		}
	}
	return b.String()
}
