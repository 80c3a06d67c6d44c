package worker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/worker/fakerunner"
	"github.com/tilegate/tilegate/checks/job"
)

// message is a correctness job in which some candidate cases fail with a text.
func message(failing int, text string) fakerunner.Outcome {
	return fakerunner.Outcome{Conclusion: "failure", Failing: failing, Edit: func(e *fakerunner.Evidence) {
		xml := string(e.Content["pytest.xml"])
		e.Replace("pytest.xml", []byte(strings.ReplaceAll(xml, "AssertionError: @some-user closes #1 ![x](http://e.example/x.png)", text)))
	}}
}

// firstOnly plans an outcome for a stage of the first run; everything else
// succeeds.
func firstOnly(g *fakerunner.Runner, stage job.Stage, o fakerunner.Outcome) fakerunner.Plan {
	return func(_ job.Request, s job.Stage, _ string) fakerunner.Outcome {
		if s == stage && len(g.Requests()) == 1 {
			return o
		}
		return fakerunner.Outcome{}
	}
}

// TestFieldReport69 : a broken GPU is one verdict that names the runner; the job
// is repeated once and nothing is said about single tests.
func TestFieldReport69(t *testing.T) {
	w, g := gpuWorld(t)
	g.Set(fakerunner.Only(job.Correctness, message(4, "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered")))
	n, sha := w.open("writer", w.harmless())
	w.eventually("two dispatches", func() bool { return len(g.Requests()) == 2 })
	c := w.becomes(sha, report.CheckCorrectness, "action_required")
	require.Contains(t, c.Summary, "The GPU reports a hardware fault")
	require.Contains(t, c.Summary, "gpu-1")
	require.Contains(t, c.Summary, "not shown to be at fault")
	w.quiet()
	w.dispatched(g, 2)
	require.NotEqual(t, "success", w.concluded(sha, report.CheckGate).Conclusion)
	pr, err := w.repo.Pull(n)
	require.NoError(t, err)
	require.Empty(t, pr.ReviewComments)
}

// TestFieldReport70 : memory that ran out is tried once more. What passes then is
// called flaky, what fails then fails the check.
func TestFieldReport70(t *testing.T) {
	const text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB."
	t.Run("the repetition passes", func(t *testing.T) {
		w, g := gpuWorld(t)
		g.Set(firstOnly(g, job.Correctness, message(2, text)))
		_, sha := w.open("writer", w.harmless())
		w.becomes(sha, report.CheckGate, "success")
		c := w.becomes(sha, report.CheckCorrectness, "success")
		require.Contains(t, c.Summary, "the first run ran out of GPU memory")
		require.Contains(t, c.Summary, "flaky")
		w.quiet()
		w.dispatched(g, 2)
	})
	t.Run("it fails too", func(t *testing.T) {
		w, g := gpuWorld(t)
		g.Set(fakerunner.Only(job.Correctness, message(2, text)))
		_, sha := w.open("writer", w.harmless())
		w.eventually("two dispatches", func() bool { return len(g.Requests()) == 2 })
		c := w.becomes(sha, report.CheckCorrectness, "failure")
		require.Contains(t, c.Summary, "out of memory in the repetition too")
		w.becomes(sha, report.CheckGate, "failure")
		w.quiet()
		w.dispatched(g, 2)
	})
}

// TestFieldReport96 : a bench whose samples were all thrown away as throttled is
// unmeasured, tried once more, and never counted as unchanged.
func TestFieldReport96(t *testing.T) {
	w, g := gpuWorld(t)
	g.Set(fakerunner.Only(job.Perf, fakerunner.Outcome{Edit: func(e *fakerunner.Evidence) {
		for name := range e.Content {
			if strings.HasSuffix(name, ".xml") {
				e.Replace(name, []byte(`<testsuites><testsuite tests="0"/></testsuites>`))
			}
		}
		const log = "warning: GPU clock throttled, sample discarded\n"
		e.Files = append(e.Files, job.File{Path: "perf.log", Kind: "log"})
		e.Content["perf.log"] = []byte(log)
		e.Replace("perf.log", []byte(log))
	}}))
	_, sha := w.open("writer", w.harmless())
	w.eventually("two dispatches", func() bool { return len(g.Requests()) == 2 })
	c := w.becomes(sha, report.CheckPerf, "action_required")
	require.Contains(t, c.Summary, "no measurement")
	require.Contains(t, c.Summary, "throttled")
	require.Contains(t, c.Summary, "gpu-1")
	w.quiet()
	w.dispatched(g, 2)
	require.NotEqual(t, "success", w.concluded(sha, report.CheckGate).Conclusion)
}

// TestFieldReport114 : a change that edits what the code needs is told so beside
// the driver that is too old.
func TestFieldReport114(t *testing.T) {
	w, g := gpuWorld(t)
	g.Set(fakerunner.Only(job.Correctness, message(4, "RuntimeError: CUDA error 35: CUDA driver version is insufficient for CUDA runtime version (driver version 535.216.03)")))
	changes := w.harmless()
	changes["requirements.txt"] = githubsim.Text("torch>=2.11\n")
	_, sha := w.open("writer", changes)
	c := w.becomes(sha, report.CheckCorrectness, "action_required")
	require.Contains(t, c.Summary, "The driver is too old")
	require.Contains(t, c.Summary, "535.216.03")
	require.Contains(t, c.Summary, "requirements.txt")
	require.Contains(t, c.Summary, "may have raised the requirement")
}

// TestNewTestFileNeedsAMaintainer : a test file that the change itself brings says
// which cases are expected, so a person has to agree with it.
func TestNewTestFileNeedsAMaintainer(t *testing.T) {
	const test = "tests/ops/test_row_sum.py"
	text := string(mini(t)[test].Data)
	w, g := gpuWorld(t, func(c *config) {
		files := mini(t)
		delete(files, test)
		c.repo = files
	})
	changes := w.harmless()
	changes[test] = githubsim.Text(text)
	n, sha := w.open("writer", changes)
	gate := w.becomes(sha, report.CheckGate, "action_required")
	require.Contains(t, gate.Summary, "T6")
	require.Contains(t, gate.Summary, test)
	w.becomes(sha, report.CheckCorrectness, "success")
	w.quiet()
	require.Equal(t, "head", g.Requests()[0].Harness)
	require.Equal(t, "action_required", w.concluded(sha, report.CheckGate).Conclusion)

	_, err := w.repo.Comment(n, "maya", "/tilegym waive T6 "+test+" the cases are those of the reference")
	require.NoError(t, err)
	w.becomes(sha, report.CheckGate, "success")
}

// TestFieldReport62Words : nothing that is said about a lost runner claims that
// tests failed.
func TestFieldReport62Words(t *testing.T) {
	w, g := gpuWorld(t)
	g.Set(fakerunner.Only(job.Correctness, fakerunner.Outcome{Conclusion: "failure", NoArtifact: true, Lost: true}))
	n, sha := w.open("writer", w.harmless())
	w.eventually("two dispatches", func() bool { return len(g.Requests()) == 2 })
	c := w.becomes(sha, report.CheckCorrectness, "action_required")
	w.quiet()
	comments := w.repo.Comments(n)
	texts := []string{c.Title, c.Summary, c.Text}
	for _, m := range comments {
		texts = append(texts, m.Body)
	}
	for _, text := range texts {
		require.NotContains(t, strings.ToLower(text), "tests failed", fmt.Sprint(len(texts)))
		require.NotContains(t, strings.ToLower(text), "cases failed")
	}
	require.Contains(t, c.Summary, "gpu-1")
	require.NotEqual(t, "success", w.concluded(sha, report.CheckGate).Conclusion)
}

// TestFieldReport67LateResult : what a job of the cancelled run says in the end is
// not asked.
func TestFieldReport67LateResult(t *testing.T) {
	w, g := gpuWorld(t)
	g.Hold(true)
	_, sha1 := w.open("writer", w.harmless())
	w.eventually("dispatched", func() bool { return len(g.Waiting()) == 1 })
	w.eventually("build is open", func() bool { c, _ := w.check(sha1, report.CheckBuild); return c.Status == "in_progress" })
	old := g.Waiting()[0]
	sha2 := w.push("topic-writer", "writer", githubsim.Changes{kernelRS: w.edit(kernelRS, "n_cols + TILE - 1i32", "(n_cols + TILE) - 1i32")})
	w.becomes(sha1, report.CheckGate, "cancelled")
	w.eventually("the old run is cancelled", func() bool { _, conclusion := old.Status(); return conclusion == "cancelled" })
	g.Set(fakerunner.Only(job.Build, fakerunner.Outcome{Conclusion: "failure"}))
	g.Work(old)
	w.quiet()
	require.Equal(t, "cancelled", w.concluded(sha1, report.CheckGate).Conclusion)
	require.Equal(t, "cancelled", w.concluded(sha1, report.CheckBuild).Conclusion)
	g.Set(nil)
	w.eventually("dispatched again", func() bool { return len(g.Waiting()) == 2 })
	g.Work(g.Waiting()[1])
	w.becomes(sha2, report.CheckGate, "success")
}
