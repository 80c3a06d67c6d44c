package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tilegate/tilegate/bot/dispatch"
	"github.com/tilegate/tilegate/checks/correctness"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/checks/words"
)

type correctnessCmd struct {
	Dir       string   `arg:"" optional:"" help:"What a correctness job of tilegate runner left: its folder or evidence.json. It names backends and records."`
	JUnit     []string `name:"junit" placeholder:"FILE" sep:"none" help:"JUnit file of the run; may be repeated."`
	Backend   string   `placeholder:"NAME" help:"Backend under test."`
	Reference string   `placeholder:"NAME" help:"Backend whose cases in the same files are the expected ones."`
	BaseJUnit []string `name:"base-junit" placeholder:"FILE" sep:"none" help:"JUnit file of the base revision, which cites skips that were there before; may be repeated."`
	Expect    string   `placeholder:"FILE" help:"Expected cases, one node id a line, of either backend."`
	AllowSkip []string `placeholder:"REGEX" sep:"none" help:"Skip text that declares a gap; may be repeated."`
	Config    string   `placeholder:"FILE" help:"Configuration with allowed skips."`
	ExitCode  *int     `placeholder:"N" help:"Exit status of pytest."`
	Format    string   `enum:"text,json" default:"text" help:"Output format: ${enum}."`
}

func (c *correctnessCmd) Help() string {
	return "Judges a correctness job's folder, or the files that are named. The text puts cases with one reason together; json lists every case. Exit status: 0 ALL_PASS, 1 FAIL, 2 wrong usage or a missing file, 3 BLOCKED (nothing ran, skipped, partial, or a cause outside of the change)."
}

func (c *correctnessCmd) Run(s streams) error {
	v, logs, err := c.judge()
	if err != nil {
		return err
	}
	if c.Format == "json" {
		err = writeJSON(s.Out, v)
	} else {
		err = correctness.WriteText(s.Out, v)
		if err == nil && v.Verdict != correctness.AllPass {
			err = writeNext(s.Out, logs)
		}
	}
	if err != nil {
		return err
	}
	switch v.Verdict {
	case correctness.AllPass:
		return nil
	case correctness.Fail:
		return exitNotFine
	}
	return exitUndecided
}

// judge judges the folder of a job, or the files that are named one by one. The
// logs are the files that say more about what failed.
func (c *correctnessCmd) judge() (v correctness.Verdict, logs []string, err error) {
	var f evidenceFolder
	if c.Dir != "" {
		if f, err = openJob(c.Dir, job.Correctness); err != nil {
			return v, nil, err
		}
		if c.Backend+c.Reference != "" || len(c.JUnit) > 0 || c.ExitCode != nil {
			return v, nil, fmt.Errorf("%s names backends, records and exit status itself: expected neither --backend, --reference, --exit-code nor --junit beside it", c.Dir)
		}
		c.Backend, c.Reference = f.Candidate, f.Reference
	} else if c.Backend == "" || len(c.JUnit) == 0 {
		return v, nil, errors.New("expected --junit FILE and --backend NAME, or the folder of a correctness job of tilegate runner")
	}
	files, err := readReports(c.JUnit)
	if err != nil {
		return v, nil, err
	}
	base, err := readReports(c.BaseJUnit)
	if err != nil {
		return v, nil, err
	}
	o, err := c.options()
	if err != nil {
		return v, nil, err
	}
	if c.Dir == "" {
		for i, r := range files {
			if slices.ContainsFunc(r.Cases, failed) {
				logs = append(logs, c.JUnit[i])
			}
		}
		if v = correctness.Judge(files, base, o); len(logs) == 0 && v.Verdict != correctness.AllPass && c.Format == "text" {
			logs = explained(c.JUnit)
		}
		return v, logs, nil
	}
	e, err := dispatch.OpenLocal(os.DirFS(f.dir))
	if err != nil {
		return v, nil, oneLine(err)
	}
	if v, _, err = e.Tests("", base, o); err != nil {
		return v, nil, err
	}
	if v.Failed > 0 || slices.ContainsFunc(f.Commands, func(c job.Command) bool { return c.ExitCode != 0 }) {
		logs = f.logs()
	} else if v.Verdict != correctness.AllPass && c.Format == "text" {
		logs = explained(f.logs())
	}
	return v, logs, nil
}

// asWords writes names as the words of a command.
func asWords(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = untrusted.Text(words.Shell(n)).Line()
	}
	return strings.Join(out, " ")
}

func failed(tc records.Case) bool {
	switch tc.Outcome {
	case records.Failed, records.Error, records.Timeout, records.Crashed:
		return true
	}
	return false
}

func (c *correctnessCmd) options() (correctness.Options, error) {
	o := correctness.Options{Backend: c.Backend, Reference: c.Reference, ExitCode: c.ExitCode}
	cfg, err := readConfig(c.Config)
	if err != nil {
		return o, err
	}
	if records.CanonicalBackend(c.Backend) == records.CanonicalBackend(c.Reference) {
		return o, fmt.Errorf("--backend and --reference are both %s: expected two backends", c.Backend)
	}
	if o.AllowSkip, err = skipMatcher(c.Config, cfg, c.AllowSkip, c.Backend); err != nil {
		return o, err
	}
	if c.Expect != "" {
		data, err := readSmall(c.Expect, "a list of expected cases")
		if err != nil {
			return o, err
		}
		if o.Expect, err = expectedCases(data); err != nil {
			return o, fmt.Errorf("%s: %w", c.Expect, err)
		}
	}
	return o, nil
}

func readReports(paths []string) ([]records.Report, error) {
	var all []records.Report
	for _, path := range paths {
		r, err := readJUnit(path)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// expectedCases are the lines that are neither empty nor comments. The list is
// never nil: an empty file expects nothing, which is not the same as no file.
func expectedCases(data []byte) ([]string, error) {
	ids := []string{}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, errors.New("expected a list of node ids in UTF-8, found another encoding or no text")
	}
	n := 0
	for l := range strings.Lines(string(data)) {
		n++
		if l = strings.TrimSpace(l); l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		// What pytest --collect-only writes below the ids would be a case that never runs.
		if !strings.Contains(l, "::") && strings.ContainsAny(l, " \t") {
			return nil, fmt.Errorf("line %d: expected a node id such as tests/ops/test_bmm.py::Test_BMM::test_op[cutile-1], found %.80q", n, l)
		}
		ids = append(ids, l)
	}
	return ids, nil
}
