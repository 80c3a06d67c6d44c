package runner

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/testdata"
)

// repository is the sample repository as a git repository with one commit.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	dir := t.TempDir()
	tree, err := fs.Sub(testdata.TilegymMini, "tilegym-mini")
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, tree))
	r := repository{t, dir}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r repository) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	require.NoError(r.t, err, string(out))
	return strings.TrimSpace(string(out))
}

func (r repository) commit(message string) string {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

func (r repository) write(name, content string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(r.t, os.WriteFile(path, []byte(content), 0o644))
}

func (r repository) replace(name, old, new string) {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	require.NoError(r.t, err)
	require.Contains(r.t, string(text), old)
	r.write(name, strings.ReplaceAll(string(text), old, new))
}

func request(head, base string, kernels ...string) job.Request {
	return job.Request{
		Schema: job.RequestSchema, Dispatch: "01TEST", Repository: "o/r", HeadSHA: head, BaseSHA: base,
		Kernels: kernels, Stages: job.Stages, Candidate: "cutile-rs", Reference: "cutile", GPU: "cpu",
		Rounds: job.Rounds{Min: 1, Max: 2}, Harness: "base",
	}
}

func newRunner(t *testing.T) *Runner {
	t.Helper()
	h, err := FindHost(t.Context(), os.Environ())
	require.NoError(t, err)
	return &Runner{Host: h, Limits: DefaultLimits, Out: t.TempDir(), Now: time.Now}
}

// checkFiles asserts that every listed file is there with the hash that the
// evidence gives, and that nothing else is.
func checkFiles(t *testing.T, o Outcome) map[string]string {
	t.Helper()
	kinds := map[string]string{}
	for _, f := range o.Evidence.Files {
		text, err := os.ReadFile(filepath.Join(o.Dir, f.Path))
		require.NoError(t, err)
		sum := sha256.Sum256(text)
		assert.Equal(t, hex.EncodeToString(sum[:]), f.SHA256, f.Path)
		kinds[f.Path] = f.Kind
	}
	list, err := os.ReadDir(o.Dir)
	require.NoError(t, err)
	for _, e := range list {
		if e.Name() != job.EvidenceFile {
			assert.Contains(t, kinds, e.Name())
		}
	}
	text, err := os.ReadFile(filepath.Join(o.Dir, job.EvidenceFile))
	require.NoError(t, err)
	read, err := job.ParseEvidence(text)
	require.NoError(t, err)
	assert.Equal(t, o.Evidence.Commands, read.Commands)
	return kinds
}

func read(t *testing.T, o Outcome, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(o.Dir, name))
	require.NoError(t, err)
	return string(text)
}

func TestLocalRunsEveryStageOfACleanKernel(t *testing.T) {
	repo := newRepository(t)
	head := repo.commit("all")
	r := newRunner(t)
	r.MoreRounds = func(candidate, reference []string, e job.Evidence) (bool, error) {
		assert.Len(t, candidate, len(reference))
		return len(candidate) < 2, nil
	}
	req := request(head, head, "row_sum")
	outcomes, err := r.Local(t.Context(), repo.dir, req)
	require.NoError(t, err)
	require.Len(t, outcomes, 3)
	for i, o := range outcomes {
		assert.Equal(t, job.Stages[i], o.Stage)
		assert.Empty(t, o.Failed, read(t, o, o.Evidence.Files[0].Path))
		assert.NoError(t, o.Evidence.Belongs(req, o.Stage, "row_sum"))
		assert.Equal(t, filepath.Join(r.Out, job.ArtifactName("01TEST", o.Stage, "row_sum", "cpu")), o.Dir)
		assert.NotEmpty(t, o.Evidence.Tools["pytest"])
		assert.NotEmpty(t, o.Evidence.Tools["rustc"])
		assert.False(t, o.Evidence.Interrupted)
		checkFiles(t, o)
	}
	assert.Equal(t, "wall", outcomes[2].Evidence.Timing)
	assert.Equal(t, []string{"cutile_row_sum", "cutile_scale_add"}, outcomes[0].Evidence.Symbols)
	assert.Equal(t, "cutile_row_sum\ncutile_scale_add\n", read(t, outcomes[0], "symbols.txt"))

	names := func(o Outcome) (list []string) {
		for _, c := range o.Evidence.Commands {
			list = append(list, c.Name)
		}
		return list
	}
	assert.Equal(t, []string{"cargo build", "wiring", "canary", "pytest"}, names(outcomes[1]))
	assert.Contains(t, read(t, outcomes[1], "wiring.log"), "registers row_sum")
	assert.Equal(t, 1, strings.Count(read(t, outcomes[1], "canary.xml"), "<testcase "))
	report := read(t, outcomes[1], "pytest.xml")
	assert.Equal(t, 7, strings.Count(report, `name="test_op[cutile_rs-`))
	assert.Equal(t, 7, strings.Count(report, `name="test_op[cutile-`))

	// The second round swaps the order; in the list of files the rounds of each
	// side stay in order.
	assert.Equal(t, []string{
		"cargo build", "perf-round-1-candidate", "perf-round-1-reference", "perf-round-2-reference", "perf-round-2-candidate",
	}, names(outcomes[2]))
	assert.Equal(t, 3, strings.Count(read(t, outcomes[2], "perf-round-2-candidate.xml"), `name="test_perf[cutile_rs-`))
	reference := read(t, outcomes[2], "perf-round-1-reference.xml")
	assert.Equal(t, 3, strings.Count(reference, `name="test_perf[cutile-`))
	assert.NotContains(t, reference, "cutile_rs")
}

// A job is told of when it ends, not when all have ended, and what an earlier run
// left is never mixed with it: it is refused, or kept under another name.
func TestJobsAreToldOfAndKeptApart(t *testing.T) {
	repo := newRepository(t)
	w, err := InPlace(repo.dir)
	require.NoError(t, err)
	r := newRunner(t)
	req := request("", "", "row_sum", "scale_add")
	build := []job.Stage{job.Build}
	var told []string
	r.Ended = func(o Outcome) {
		told = append(told, o.Kernel)
		list, err := os.ReadDir(r.Out)
		require.NoError(t, err)
		assert.Len(t, list, len(told), "the next job has not begun")
	}
	outcomes, err := r.Kernels(t.Context(), w, req, build)
	require.NoError(t, err)
	require.Equal(t, []string{"row_sum", "scale_add"}, told)

	r.Ended = nil
	_, err = r.Kernels(t.Context(), w, req, build)
	require.ErrorContains(t, err, "is not empty: remove it or choose another --out")
	r.Unasked = true
	require.NoError(t, os.WriteFile(filepath.Join(outcomes[0].Dir, "mark"), nil, 0o644))
	for range 2 {
		_, err = r.Kernels(t.Context(), w, req, build)
		require.NoError(t, err)
	}
	assert.FileExists(t, outcomes[0].Dir+".1/mark")
	assert.NoFileExists(t, outcomes[0].Dir+".2/mark")
	for _, dir := range []string{outcomes[0].Dir, outcomes[0].Dir + ".1", outcomes[0].Dir + ".2"} {
		assert.FileExists(t, filepath.Join(dir, job.EvidenceFile))
	}
}

func TestLocalStopsAKernelAtItsFirstFailure(t *testing.T) {
	repo := newRepository(t)
	repo.replace("src/tilegym/ops/cutile_rs/row_sum_kernel/kernel.rs", "predicate::LessThan", "predicate::GreaterThanOrEqual")
	head := repo.commit("wrong mask")
	r := newRunner(t)
	outcomes, err := r.Local(t.Context(), repo.dir, request(head, head, "row_sum"))
	require.NoError(t, err)
	require.Len(t, outcomes, 2, "perf must not run after wrong results")
	assert.Equal(t, "canary", outcomes[1].Failed)
	checkFiles(t, outcomes[1])
	assert.Contains(t, read(t, outcomes[1], "canary.xml"), "elements differ")
}

func TestBuildFailures(t *testing.T) {
	t.Run("a compile error", func(t *testing.T) {
		repo := newRepository(t)
		repo.replace("src/tilegym/ops/cutile_rs/scale_add_kernel/kernel.rs", "let left: i32 = n - first;", "let left: i32 = n - frist;")
		head := repo.commit("typo")
		outcomes, err := newRunner(t).Local(t.Context(), repo.dir, request(head, head, "scale_add"))
		require.NoError(t, err)
		require.Len(t, outcomes, 1)
		assert.Equal(t, "cargo build", outcomes[0].Failed)
		assert.Equal(t, 101, outcomes[0].Evidence.Commands[0].ExitCode)
		assert.Regexp(t, `E0425(?s:.*)scale_add_kernel/kernel\.rs:\d+`, read(t, outcomes[0], "cargo-build.log"))
	})
	t.Run("a symbol that is not exported", func(t *testing.T) {
		repo := newRepository(t)
		repo.replace("src/tilegym/ops/cutile_rs/cutile_kernels/src/lib.rs", `include!("../../row_sum_kernel/ffi.rs");`, "")
		head := repo.commit("no ffi")
		outcomes, err := newRunner(t).Local(t.Context(), repo.dir, request(head, head, "scale_add"))
		require.NoError(t, err)
		require.Len(t, outcomes, 1)
		assert.Equal(t, "symbols", outcomes[0].Failed)
		assert.Equal(t, "cutile_scale_add\nmissing: cutile_row_sum\n", read(t, outcomes[0], "symbols.txt"))
	})
}

func TestWiringNamesWhatIsMissing(t *testing.T) {
	repo := newRepository(t)
	repo.replace("src/tilegym/ops/cutile_rs/row_sum.py", `@register_impl("row_sum", backend="cutile-rs")`, "")
	head := repo.commit("not registered")
	req := request(head, head, "row_sum")
	req.Stages = []job.Stage{job.Correctness}
	outcomes, err := newRunner(t).Local(t.Context(), repo.dir, req)
	require.NoError(t, err)
	require.Len(t, outcomes, 1)
	assert.Equal(t, "wiring", outcomes[0].Failed)
	assert.Contains(t, read(t, outcomes[0], "wiring.log"), "registration: FAILED: RuntimeError: tilegym.ops.cutile_rs.row_sum registers no op for backend cutile-rs")
}

func TestExportTakesTheHarnessOfTheBase(t *testing.T) {
	repo := newRepository(t)
	base := repo.commit("base")
	repo.replace("tests/common.py", "torch.float32: (1e-5, 1e-5)", "torch.float32: (1e5, 1e5)")
	repo.replace("src/tilegym/ops/cutile/row_sum.py", "_TILE = 512", "_TILE = 1")
	repo.replace("src/tilegym/ops/cutile_rs/row_sum.py", "_TILE = 512", "_TILE = 256")
	repo.write("tests/ops/conftest.py", "raise SystemExit(0)\n")
	repo.write("conftest.py", "raise SystemExit(0)\n")
	repo.write("tests/ops/test_new.py", "def test_op():\n    pass\n")
	require.NoError(t, os.Remove(filepath.Join(repo.dir, "pytest.ini")))
	head := repo.commit("head")
	status := repo.git("status", "--porcelain")

	git, err := exec.LookPath("git")
	require.NoError(t, err)
	w, err := Export(t.Context(), git, repo.dir, t.TempDir(), head, base, "cutile")
	require.NoError(t, err)
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join(w.Root, name))
		require.NoError(t, err)
		return string(b)
	}
	assert.Contains(t, text("tests/common.py"), "torch.float32: (1e-5, 1e-5)")
	assert.Contains(t, text("src/tilegym/ops/cutile/row_sum.py"), "_TILE = 512")
	assert.Contains(t, text("src/tilegym/ops/cutile_rs/row_sum.py"), "_TILE = 256", "the candidate is the head's")
	assert.NoFileExists(t, filepath.Join(w.Root, "tests/ops/conftest.py"))
	assert.NoFileExists(t, filepath.Join(w.Root, "conftest.py"))
	assert.FileExists(t, filepath.Join(w.Root, "tests/ops/test_new.py"), "a new kernel brings its own test")
	assert.FileExists(t, filepath.Join(w.Root, "pytest.ini"), "the base's configuration comes back")
	assert.NotEmpty(t, w.FromBase)
	root := w.Root
	require.NoError(t, w.Close())
	assert.NoDirExists(t, root)
	assert.Equal(t, status, repo.git("status", "--porcelain"), "the repository is as it was")

	w, err = Export(t.Context(), git, repo.dir, t.TempDir(), head, "", "cutile")
	require.NoError(t, err)
	assert.Contains(t, text("tests/common.py"), "1e5, 1e5", "harness of the head")
	require.NoError(t, w.Close())

	_, err = Export(t.Context(), git, repo.dir, t.TempDir(), strings.Repeat("0", 40), "", "cutile")
	assert.ErrorContains(t, err, "fetch it")
}

func TestInterruptedStageStillLeavesEvidence(t *testing.T) {
	repo := newRepository(t)
	head := repo.commit("all")
	r := newRunner(t)
	ctx, cancel := context.WithCancel(t.Context())
	r.MoreRounds = func([]string, []string, job.Evidence) (bool, error) {
		cancel()
		return true, nil
	}
	req := request(head, head, "row_sum")
	req.Stages = []job.Stage{job.Perf}
	outcomes, err := r.Local(ctx, repo.dir, req)
	require.ErrorIs(t, err, ErrInterrupted)
	require.Len(t, outcomes, 1)
	assert.True(t, outcomes[0].Evidence.Interrupted)
	checkFiles(t, outcomes[0])
}

// TestNoRoundBeyondTheStagesTime: beyond the least number of rounds none is begun
// for which there may be no time.
func TestNoRoundBeyondTheStagesTime(t *testing.T) {
	repo := newRepository(t)
	w, err := InPlace(repo.dir)
	require.NoError(t, err)
	r := newRunner(t)
	r.MoreRounds = func([]string, []string, job.Evidence) (bool, error) { return true, nil }
	rounds := func(stage time.Duration) int {
		r.Limits.PerfStage, r.Out = stage, t.TempDir()
		o, err := r.Stage(t.Context(), w, request("", "", "row_sum"), job.Perf, "row_sum")
		require.NoError(t, err)
		require.Empty(t, o.Failed)
		return (len(o.Evidence.Commands) - 1) / 2
	}
	assert.Equal(t, 1, rounds(2*r.Limits.Perf))
	assert.Equal(t, 2, rounds(2*r.Limits.Perf+time.Hour))
}

func TestDryRunPrintsTheCommands(t *testing.T) {
	repo := newRepository(t)
	w, err := InPlace(repo.dir)
	require.NoError(t, err)
	var out bytes.Buffer
	r := &Runner{Host: Host{Python: "python3", Cargo: "cargo"}, Limits: DefaultLimits, Out: filepath.Join(repo.dir, "out"), DryRun: &out, Now: time.Now}
	_, err = r.Kernels(t.Context(), w, request("", "", "row_sum"), job.Stages)
	require.NoError(t, err)
	text := out.String()
	assert.Contains(t, text, "cargo build --release")
	assert.Contains(t, text, "# one library")
	assert.Contains(t, text, "-k 'test_perf and (cutile_rs or cutile-rs)'")
	assert.Contains(t, text, "-k 'test_perf and cutile and not (cutile_rs or cutile-rs)'")
	assert.Contains(t, text, "CUPTI=1")
	assert.Contains(t, text, "DISABLE_FALLBACK=1")
	assert.NoDirExists(t, r.Out)
	// Every line is one for a shell, and what is not known yet is a variable of it.
	assert.Contains(t, text, "LIBRARY=$(ls "+repo.dir+"/src/tilegym/ops/cutile_rs/cutile_kernels/target/release/lib*.so)\n")
	assert.Contains(t, text, `python3 "$SCRIPTS"/wiring.py cutile-rs tilegym.ops.cutile_rs.row_sum "$LIBRARY" cutile_row_sum`)
	assert.Contains(t, text, `src:"$SCRIPTS" `)
	// The same build is listed once a stage, and it says why.
	assert.Equal(t, 3, strings.Count(text, "cargo build --release"))
	assert.Equal(t, 3, strings.Count(text, ": each stage builds, for it may run on another machine\n"))
	syntax := exec.Command("sh", "-n")
	syntax.Stdin = strings.NewReader(text)
	said, err := syntax.CombinedOutput()
	require.NoError(t, err, string(said))

	_, err = r.Kernels(t.Context(), w, request("", "", "nothing"), job.Stages)
	assert.ErrorContains(t, err, `kernel "nothing": expected one of row_sum, scale_add`)
}

// Upstream has the tests of some ops in a folder below. Without any the stages that
// need them fail, also in a dry run.
func TestWhereTheTestsOfAnOpAre(t *testing.T) {
	repo := newRepository(t)
	dry := func() (string, []Outcome) {
		w, err := InPlace(repo.dir)
		require.NoError(t, err)
		var out bytes.Buffer
		r := &Runner{Host: Host{Python: "python3", Cargo: "cargo"}, Limits: DefaultLimits, Out: filepath.Join(repo.dir, "out"), DryRun: &out, Now: time.Now}
		outcomes, err := r.Kernels(t.Context(), w, request("", "", "row_sum"), job.Stages)
		require.NoError(t, err)
		return out.String(), outcomes
	}
	tests := filepath.Join(repo.dir, "tests", "ops")
	require.NoError(t, os.Mkdir(filepath.Join(tests, "rows"), 0o755))
	require.NoError(t, os.Rename(filepath.Join(tests, "test_row_sum.py"), filepath.Join(tests, "rows", "test_row_sum.py")))
	text, outcomes := dry()
	assert.Contains(t, text, "pytest tests/ops/rows/test_row_sum.py -v -k 'test_perf and ")
	assert.Empty(t, outcomes[len(outcomes)-1].Failed)

	require.NoError(t, os.Remove(filepath.Join(tests, "rows", "test_row_sum.py")))
	text, outcomes = dry()
	assert.Contains(t, text, "# row_sum: it has no test file; expected tests/ops/test_row_sum.py, or a file of that name in a folder below tests/ops\n")
	require.Len(t, outcomes, 2)
	assert.Equal(t, "canary", outcomes[1].Failed)
}
