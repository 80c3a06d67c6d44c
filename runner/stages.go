package runner

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/tree"
)

//go:embed scripts
var scripts embed.FS

// Limits end a command that takes longer.
type Limits struct {
	Build, Check, Correctness, Perf time.Duration // Perf is for one side of one round
	// PerfStage is for the perf stage as a whole: beyond the least number of rounds
	// none is begun that might not end within it.
	PerfStage time.Duration
}

// DefaultLimits leave room for a cold build and a full test matrix. The time limits
// of the workflow's jobs and the configuration's deadlines are made of them.
var DefaultLimits = Limits{
	Build: 40 * time.Minute, Check: 10 * time.Minute, Correctness: 60 * time.Minute, Perf: 30 * time.Minute, PerfStage: 220 * time.Minute,
}

// Stage is the longest that a stage takes; perf takes longer only where more than
// the default number of rounds are asked for at least.
func (l Limits) Stage(stage job.Stage) time.Duration {
	switch stage {
	case job.Build:
		return l.Build
	case job.Correctness:
		return l.Build + 2*l.Check + l.Correctness
	}
	return l.PerfStage
}

// ErrInterrupted says that the context ended before the stage did.
var ErrInterrupted = errors.New("interrupted")

// Runner runs stages on one host.
type Runner struct {
	Host   Host
	Limits Limits
	Out    string // folder that takes one folder for each job, named like its artifact
	// DryRun, when set, takes the commands as shell lines, and nothing is run.
	DryRun io.Writer
	// Progress, when set, takes one line for each command that lasts over a second.
	Progress io.Writer
	// Ended, when set, is called when a job has left its evidence.
	Ended func(Outcome)
	// Unasked says that no dispatch asked for the jobs: what an earlier run left in a
	// job's folder is moved aside, to NAME.1 and so on, where it is refused otherwise,
	// and Out, if it is made here, is made as a folder that git does not list.
	Unasked bool
	Now     func() time.Time
	// MoreRounds says whether another perf round is wanted after the ones whose
	// records are given, as pairs of files in order. Nil: never beyond the minimum.
	MoreRounds func(candidate, reference []string, e job.Evidence) (bool, error)
}

// Outcome is what one job did.
type Outcome struct {
	Stage  job.Stage
	Kernel string
	Dir    string // holds evidence.json and the raw files
	// Failed names the first command that did not succeed; empty when all did.
	Failed   string
	Evidence job.Evidence
}

// Stage runs one stage of one kernel and writes its evidence, also when a
// command fails or the context ends; then the error is ErrInterrupted. Any other
// error means that there is no evidence.
func (r *Runner) Stage(ctx context.Context, w *Workspace, req job.Request, stage job.Stage, kernel string) (Outcome, error) {
	k := w.Tree.Kernel(kernel)
	if k == nil {
		var known []string
		for _, k := range w.Tree.Kernels {
			known = append(known, k.ID())
		}
		return Outcome{}, fmt.Errorf("kernel %q: expected one of %s", kernel, strings.Join(known, ", "))
	}
	out, err := filepath.Abs(r.Out) // commands run elsewhere
	if err != nil {
		return Outcome{}, err
	}
	dir := filepath.Join(out, job.ArtifactName(req.Dispatch, stage, kernel, req.GPU))
	s := &stageRun{
		Runner: r, w: w, req: req, k: k,
		out: Outcome{Stage: stage, Kernel: kernel, Dir: dir},
		e: job.Evidence{
			Schema: job.EvidenceSchema, Dispatch: req.Dispatch, Repository: req.Repository, HeadSHA: req.HeadSHA, BaseSHA: req.BaseSHA,
			Stage: stage, Kernel: kernel, GPU: req.GPU, Candidate: req.Candidate, Reference: req.Reference, Harness: req.Harness,
			Runner: r.Host.Runner, Tools: job.Tools{}, Commands: []job.Command{}, Symbols: []string{}, Files: []job.File{},
		},
	}
	if r.DryRun != nil {
		s.scripts = "$SCRIPTS"
		s.environ(gpu{})
		if err := s.heading(); err != nil {
			return s.out, err
		}
		s.out.Failed, err = s.run(ctx)
		return s.out, err
	}
	if err := r.fresh(dir); err != nil {
		return Outcome{}, err
	}
	if s.scripts, err = os.MkdirTemp("", "tilegate-scripts-"); err != nil {
		return Outcome{}, err
	}
	defer os.RemoveAll(s.scripts)
	if err := writeScripts(s.scripts); err != nil {
		return Outcome{}, err
	}
	s.e.StartedAt = r.Now().UTC()
	err = s.all(ctx)
	if err != nil && !errors.Is(err, ErrInterrupted) {
		return Outcome{}, err
	}
	s.e.Interrupted = err != nil
	s.e.FinishedAt = r.Now().UTC()
	if writeErr := writeEvidence(dir, &s.e, s.files); writeErr != nil {
		return Outcome{}, writeErr
	}
	s.out.Evidence = s.e
	return s.out, err
}

// heading says in a dry run which job the commands are of, and what their variables
// stand for.
func (s *stageRun) heading() error {
	text := fmt.Sprintf("# %s: each stage builds, for it may run on another machine\n", job.JobName(s.out.Stage, s.out.Kernel, s.req.GPU))
	if s.out.Stage != job.Build {
		text += "# $SCRIPTS is a folder with the files of runner/scripts; a run makes a temporary one\n"
	}
	_, err := io.WriteString(s.DryRun, text)
	return err
}

// hide makes a folder, if it is not there, whose files git does not list.
func hide(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	err := os.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o644)
}

// fresh makes an empty folder in place of one that holds something, so that the
// files of two runs never mix.
func (r *Runner) fresh(dir string) error {
	if r.Unasked {
		if err := hide(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(list) > 0 {
		if !r.Unasked {
			return fmt.Errorf("%s is not empty: remove it or choose another --out", dir)
		}
		if err := aside(dir); err != nil {
			return err
		}
	}
	return os.MkdirAll(dir, 0o755)
}

// aside gives a folder the first name of its own with a number that is free.
func aside(dir string) error {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.%d", dir, n)
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return os.Rename(dir, name)
		} else if err != nil {
			return err
		}
	}
}

func writeScripts(dir string) error {
	list, err := scripts.ReadDir("scripts")
	if err != nil {
		return err
	}
	for _, f := range list {
		text, err := scripts.ReadFile("scripts/" + f.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name()), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// listedFile is a raw file of a stage, before it is hashed.
type listedFile struct{ name, kind string }

type stageRun struct {
	*Runner
	w       *Workspace
	req     job.Request
	k       *tree.Kernel
	out     Outcome
	e       job.Evidence
	scripts string
	env     []string
	files   []listedFile
}

func (s *stageRun) path(name string) string { return filepath.Join(s.out.Dir, name) }

func (s *stageRun) crate() string {
	if s.k.Crate.Dir == "" {
		return s.w.Root
	}
	return filepath.Join(s.w.Root, filepath.FromSlash(s.k.Crate.Dir))
}

// environ sets what the commands see: the sources of this tree first, no
// fallback to another backend, and one GPU.
func (s *stageRun) environ(device gpu) {
	python := filepath.Join(s.w.Root, "src") + string(os.PathListSeparator) + s.scripts
	if inherited := lookup(s.Host.Environ, "PYTHONPATH"); inherited != "" {
		python += string(os.PathListSeparator) + inherited
	}
	set := []string{"PYTHONPATH=" + python, "PYTHONDONTWRITEBYTECODE=1", "DISABLE_FALLBACK=1"}
	if s.Host.Toolkit != "" && lookup(s.Host.Environ, toolkitVariable) == "" {
		set = append(set, toolkitVariable+"="+s.Host.Toolkit)
	}
	if device.index != "" {
		set = append(set, "CUDA_VISIBLE_DEVICES="+device.index)
	}
	s.env = s.Host.stageEnviron(set...)
}

// all runs the stage on the host's device and notes who and what took part.
func (s *stageRun) all(ctx context.Context) error {
	device, err := findGPU(ctx, s.Host)
	s.e.GPUIdentity, s.e.Timing = device.identity, device.timing
	if declared := harnessTiming(s.w.Tree); declared != "" {
		s.e.Timing = declared
	}
	s.environ(device)
	s.versions(ctx)
	if err := s.writeEnvironment(); err != nil {
		return err
	}
	if err != nil {
		s.e.Commands = append(s.e.Commands, job.Command{Name: "nvidia-smi", Argv: []string{s.Host.SMI}, ExitCode: 1})
		s.out.Failed = "nvidia-smi"
		s.list("nvidia-smi.log", "log")
		return os.WriteFile(s.path("nvidia-smi.log"), []byte(err.Error()+"\n"), 0o644)
	}
	clocks := device.watchClocks(ctx, 5*time.Second)
	s.out.Failed, err = s.run(ctx)
	s.e.GPUIdentity.Clocks = clocks()
	return err
}

// run does the stage's steps in order and returns the name of the first that
// fails.
func (s *stageRun) run(ctx context.Context) (failed string, err error) {
	var steps func(context.Context) (string, error)
	switch s.out.Stage {
	case job.Build:
		steps = s.build
	case job.Correctness:
		steps = s.correctness
	default:
		steps = s.perf
	}
	failed, err = steps(ctx)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		err = ErrInterrupted
	}
	return failed, err
}

// step runs one command; its log is listed in the evidence.
func (s *stageRun) step(ctx context.Context, name string, limit time.Duration, dir string, env []string, argv ...string) (ok bool, err error) {
	log := strings.ReplaceAll(name, " ", "-") + ".log"
	c := command{name: name, argv: argv, dir: dir, env: append(s.env, env...), limit: limit, log: s.path(log)}
	if s.DryRun != nil {
		_, err := fmt.Fprintln(s.DryRun, c.shell(s.Host.Environ))
		return true, err
	}
	done := s.progress(name)
	defer done()
	result, err := c.execute(ctx, s.Now)
	s.e.Commands = append(s.e.Commands, result)
	s.list(log, "log")
	return result.ExitCode == 0, err
}

// list adds a file to the evidence; one that does not exist in the end is left
// out.
func (s *stageRun) list(name, kind string) {
	s.files = append(s.files, listedFile{name, kind})
}

// progress says on the progress stream that a step lasts.
func (s *stageRun) progress(name string) (done func()) {
	if s.Progress == nil {
		return func() {}
	}
	timer := time.AfterFunc(time.Second, func() {
		fmt.Fprintf(s.Progress, "tilegate: %s: %s\n", job.JobName(s.out.Stage, s.out.Kernel, s.req.GPU), name)
	})
	return func() { timer.Stop() }
}

// build compiles the kernel's crate and looks at what the library exports.
func (s *stageRun) build(ctx context.Context) (string, error) {
	if ok, err := s.compile(ctx); !ok || err != nil {
		return "cargo build", err
	}
	return s.symbols()
}

func (s *stageRun) compile(ctx context.Context) (bool, error) {
	return s.step(ctx, "cargo build", s.Limits.Build, s.crate(), nil, s.Host.Cargo, "build", "--release")
}

// symbols checks that there is one library with a symbol for each of the
// crate's kernels.
func (s *stageRun) symbols() (string, error) {
	const name = "symbols"
	var expected []string
	for _, k := range s.w.Tree.Kernels {
		if k.Crate == s.k.Crate && k.FFI != "" {
			expected = append(expected, "cutile_"+k.Name)
		}
	}
	if s.DryRun != nil {
		_, err := fmt.Fprintf(s.DryRun, "# one library below %s that exports %s\n", quote(s.crate()), strings.Join(expected, ", "))
		return "", err
	}
	library, err := sharedLibrary(s.crate())
	var exported []string
	if err == nil {
		exported, err = exportedSymbols(library)
	}
	done := job.Command{Name: name, Argv: []string{"tilegate", "symbols", library}}
	s.list("symbols.txt", "symbols")
	s.e.Symbols = append(s.e.Symbols, exported...)
	if err != nil {
		done.ExitCode = 1
		s.e.Commands = append(s.e.Commands, done)
		return name, os.WriteFile(s.path("symbols.txt"), []byte(err.Error()+"\n"), 0o644)
	}
	complete, err := writeSymbols(s.path("symbols.txt"), exported, expected)
	if !complete {
		done.ExitCode = 1
	}
	s.e.Commands = append(s.e.Commands, done)
	if err != nil || !complete {
		return name, err
	}
	return "", nil
}

// correctness checks the way from Python to the symbol, launches one case, then
// runs the op's tests of every backend. Autotuning is off: it belongs to perf.
func (s *stageRun) correctness(ctx context.Context) (string, error) {
	if ok, err := s.compile(ctx); !ok || err != nil {
		return "cargo build", err
	}
	library := "$LIBRARY"
	if s.DryRun != nil {
		if _, err := fmt.Fprintf(s.DryRun, "LIBRARY=$(ls %s/lib*.so)\n", quote(filepath.Join(s.crate(), "target", "release"))); err != nil {
			return "", err
		}
	} else {
		var err error
		if library, err = sharedLibrary(s.crate()); err != nil {
			s.e.Commands = append(s.e.Commands, job.Command{Name: "symbols", Argv: []string{"tilegate", "symbols"}, ExitCode: 1})
			s.list("symbols.txt", "symbols")
			return "symbols", os.WriteFile(s.path("symbols.txt"), []byte(err.Error()+"\n"), 0o644)
		}
	}
	module := "tilegym.ops.cutile_rs." + s.k.Name
	if s.k.Suite != "" {
		module = "tilegym.suites." + s.k.Suite + ".cutile_rs." + s.k.Name
	}
	tuning := []string{"CUTILE_RS_AUTOBUILD=0", "TILEGYM_DISABLE_AUTOTUNE=1", "DISABLE_AUTOTUNE=1"}
	ok, err := s.step(ctx, "wiring", s.Limits.Check, s.w.Root, tuning,
		s.Host.Python, filepath.Join(s.scripts, "wiring.py"), s.req.Candidate, module, library, "cutile_"+s.k.Name)
	if !ok || err != nil {
		return "wiring", err
	}
	if failed, err := s.pytest(ctx, "canary", s.Limits.Check, tuning, "test_op and "+selects(s.req.Candidate), "-p", "tilegate_first_case"); failed != "" || err != nil {
		return failed, err
	}
	return s.pytest(ctx, "pytest", s.Limits.Correctness, tuning, "test_op")
}

// perf measures both sides in alternating rounds, so that a slow drift of the
// host meets both, and swaps their order from round to round.
func (s *stageRun) perf(ctx context.Context) (string, error) {
	begun := s.Now()
	if ok, err := s.compile(ctx); !ok || err != nil {
		return "cargo build", err
	}
	env := []string{"CUTILE_RS_AUTOBUILD=0", "CUPTI=1", "WARMUP=100", "REP=50", "MIN_REP=2"}
	type side struct{ name, backend, other string }
	sides := []side{{"candidate", s.req.Candidate, s.req.Reference}, {"reference", s.req.Reference, s.req.Candidate}}
	var candidate, reference []string
	for round := 1; round <= s.req.Rounds.Max; round++ {
		for _, side := range sides {
			name := fmt.Sprintf("perf-round-%d-%s", round, side.name)
			expression := "test_perf and " + selects(side.backend)
			if overlaps(side.backend, side.other) {
				expression += " and not " + selects(side.other)
			}
			if failed, err := s.pytest(ctx, name, s.Limits.Perf, env, expression); failed != "" || err != nil {
				return failed, err
			}
		}
		sides[0], sides[1] = sides[1], sides[0]
		candidate = append(candidate, s.path(fmt.Sprintf("perf-round-%d-candidate.xml", round)))
		reference = append(reference, s.path(fmt.Sprintf("perf-round-%d-reference.xml", round)))
		if round < s.req.Rounds.Min {
			continue
		}
		if s.DryRun != nil || s.MoreRounds == nil || s.Now().Sub(begun)+2*s.Limits.Perf > s.Limits.PerfStage {
			break
		}
		more, err := s.MoreRounds(candidate, reference, s.e)
		if err != nil {
			return "", err
		}
		if !more {
			break
		}
	}
	return "", nil
}

// pytest runs the kernel's test file with a selection and keeps the report.
func (s *stageRun) pytest(ctx context.Context, name string, limit time.Duration, env []string, expression string, more ...string) (failed string, err error) {
	if s.k.Test == "" {
		if s.DryRun != nil {
			_, err := fmt.Fprintf(s.DryRun, "# %s: %s\n", s.k.ID(), s.k.NoTest())
			return name, err
		}
		s.e.Commands = append(s.e.Commands, job.Command{Name: name, Argv: []string{s.Host.Python, "-m", "pytest"}, ExitCode: 4})
		s.list(name+".log", "log")
		return name, os.WriteFile(s.path(name+".log"), fmt.Appendf(nil, "tilegate: %s cannot be tested: %s\n", s.k.ID(), s.k.NoTest()), 0o644)
	}
	report := name + ".xml"
	s.list(report, "junit")
	argv := []string{s.Host.Python, "-m", "pytest", s.k.Test, "-v", "-k", expression, "--junitxml=" + s.path(report), "-p", "no:cacheprovider"}
	ok, err := s.step(ctx, name, limit, s.w.Root, env, append(argv, more...)...)
	if !ok {
		return name, err
	}
	return "", err
}

// selects is a pytest expression for the cases of a backend: an id has its name
// with underscores, unless the test gives its ids itself.
func selects(backend string) string {
	if id := strings.ReplaceAll(backend, "-", "_"); id != backend {
		return "(" + id + " or " + backend + ")"
	}
	return backend
}

// overlaps reports whether cases of the other backend would be selected too,
// since pytest looks for a part of the id.
func overlaps(backend, other string) bool {
	return backend != other && strings.Contains(strings.ReplaceAll(other, "-", "_"), strings.ReplaceAll(backend, "-", "_"))
}

// versions notes the tools that take part; one that cannot be asked is left out.
func (s *stageRun) versions(ctx context.Context) {
	ask := func(name string, args ...string) string {
		path, err := exec.LookPath(name)
		if err != nil {
			return ""
		}
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, args...)
		cmd.Env = s.env
		out, err := cmd.Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	for name, path := range map[string]string{"cargo": s.Host.Cargo, "rustc": "rustc", "tileiras": "tileiras"} {
		if v := ask(path, "--version"); v != "" {
			s.e.Tools[name] = v
		}
	}
	python := map[string]string{}
	if json.Unmarshal([]byte(ask(s.Host.Python, filepath.Join(s.scripts, "versions.py"))), &python) == nil {
		for name, v := range python {
			s.e.Tools[name] = v
		}
	}
}

// writeEnvironment keeps which harness files came from the base commit.
func (s *stageRun) writeEnvironment() error {
	if len(s.w.FromBase) == 0 {
		return nil
	}
	s.list("harness.txt", "environment")
	return os.WriteFile(s.path("harness.txt"), []byte(strings.Join(s.w.FromBase, "\n")+"\n"), 0o644)
}
