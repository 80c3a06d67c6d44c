package worker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/worker/fakerunner"
	"github.com/tilegate/tilegate/checks/job"
)

// gpuWorld is a world whose runs are carried out by a rig.
func gpuWorld(t testing.TB, changes ...change) (*world, *fakerunner.Runner) {
	t.Helper()
	g := &fakerunner.Runner{}
	w := newWorld(t, append([]change{func(c *config) { c.sim.OnDispatch = g.Dispatched }}, changes...)...)
	return w, g
}

// dispatched waits until the runner has got this many requests, and checks that
// no further one follows.
func (w *world) dispatched(g *fakerunner.Runner, n int) {
	w.t.Helper()
	w.eventually(fmt.Sprintf("%d requests", n), func() bool { return len(g.Requests()) >= n })
	w.quiet()
	require.Len(w.t, g.Requests(), n)
}

func TestCleanChangeBecomesGreen(t *testing.T) {
	w, g := gpuWorld(t)
	n, sha := w.open("writer", w.harmless())
	gate := w.becomes(sha, report.CheckGate, "success")
	w.quiet()
	for _, name := range report.CheckNames {
		c, ok := w.check(sha, name)
		require.True(t, ok, name)
		require.Equal(t, "success", c.Conclusion, "%s: %s", name, c.Title)
	}
	w.dispatched(g, 1)
	r := g.Requests()[0]
	require.Equal(t, sha, r.HeadSHA)
	require.Equal(t, []string{"row_sum"}, r.Kernels)
	require.Equal(t, "base", r.Harness)
	build, _ := w.check(sha, report.CheckBuild)
	require.Equal(t, r.Dispatch, build.ExternalID, "a stage's check run names its dispatch")
	require.Len(t, w.repo.Comments(n), 1)
	require.Contains(t, w.repo.Comments(n)[0].Body, "| row\\_sum | cpu | Passed | Passed | Passed | 1.000 |  |")
	t.Log(gate.Title, w.repo.Comments(n)[0].Body)
}

func TestPerfGapIsRedUntilWaived(t *testing.T) {
	w, g := gpuWorld(t)
	g.Set(fakerunner.Only(job.Perf, fakerunner.Outcome{Ratio: 1.12}))
	n, sha := w.open("writer", w.harmless())
	gate := w.becomes(sha, report.CheckGate, "failure")
	require.Contains(t, gate.Title, "1.12")
	require.Contains(t, gate.Summary, "waive perf row_sum")
	perf := w.becomes(sha, report.CheckPerf, "failure")
	require.Contains(t, perf.Text, "INVESTIGATE")

	_, err := w.repo.Comment(n, "writer", "/tilegym waive perf row_sum because")
	require.NoError(t, err)
	w.quiet()
	require.Equal(t, "failure", w.concluded(sha, report.CheckGate).Conclusion, "write access is not enough")

	_, err = w.repo.Comment(n, "maya", "/tilegym waive perf row_sum known launch cost")
	require.NoError(t, err)
	gate = w.becomes(sha, report.CheckGate, "success")
	require.Contains(t, gate.Title, "waived by maya")

	_, err = w.repo.Comment(n, "maya", "/tilegym unwaive perf row_sum")
	require.NoError(t, err)
	w.becomes(sha, report.CheckGate, "failure")
}

// TestExceededWaiverStaysEnded : a measurement above a perf waiver ends it, and a
// lower one that comes after does not bring it back; a new waiver holds.
func TestExceededWaiverStaysEnded(t *testing.T) {
	w, g := gpuWorld(t)
	measures := func(ratio float64) { g.Set(fakerunner.Only(job.Perf, fakerunner.Outcome{Ratio: ratio})) }
	rerun := func(n, dispatches int) {
		_, err := w.repo.Comment(n, "writer", "/tilegym rerun perf row_sum")
		require.NoError(t, err)
		w.eventually("run again", func() bool { return len(g.Requests()) == dispatches })
		w.quiet()
	}
	measures(1.10)
	n, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "failure")
	_, err := w.repo.Comment(n, "maya", "/tilegym waive perf row_sum <= 1.15 known launch cost")
	require.NoError(t, err)
	w.becomes(sha, report.CheckGate, "success")

	measures(1.12) // not above what is accepted
	rerun(n, 2)
	require.Equal(t, "success", w.concluded(sha, report.CheckGate).Conclusion)

	measures(1.20)
	rerun(n, 3)
	require.Contains(t, w.becomes(sha, report.CheckGate, "failure").Summary, "above 1.15")

	measures(1.10)
	rerun(n, 4)
	gate := w.concluded(sha, report.CheckGate)
	require.Equal(t, "failure", gate.Conclusion)
	require.Contains(t, gate.Summary, "was measured on cpu, above 1.15")

	_, err = w.repo.Comment(n, "maya", "/tilegym waive perf row_sum <= 1.15 looked at again")
	require.NoError(t, err)
	w.becomes(sha, report.CheckGate, "success")
}

func TestCorrectnessFailureIsRedAndItsTextIsHarmless(t *testing.T) {
	w, g := gpuWorld(t)
	g.Set(fakerunner.Only(job.Correctness, fakerunner.Outcome{Conclusion: "failure", Failing: 2}))
	n, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "failure")
	w.quiet()
	c, _ := w.check(sha, report.CheckCorrectness)
	require.Equal(t, "failure", c.Conclusion)
	// field-report 60: nobody is called, nothing is closed or loaded.
	for _, text := range []string{c.Title, c.Summary, c.Text, w.repo.Comments(n)[0].Body} {
		require.NotContains(t, text, "@some-user")
		require.NotContains(t, text, "closes #1")
		require.NotContains(t, text, "![x](http")
	}
	perf, _ := w.check(sha, report.CheckPerf)
	require.NotEqual(t, "success", perf.Conclusion, "no perf conclusion without correctness")
	require.Contains(t, perf.Title, "No conclusion")
}

func TestNoVerdictIsNeverAPass(t *testing.T) {
	for name, c := range map[string]struct {
		stage job.Stage
		o     fakerunner.Outcome
		want  string // in the stage's title
	}{
		"field-report 28: a skipped job":           {job.Build, fakerunner.Outcome{Conclusion: "skipped", NoArtifact: true}, "did not run"},
		"field-report 30: success against its job": {job.Build, fakerunner.Outcome{Conclusion: "failure", Edit: func(e *fakerunner.Evidence) { e.Commands[0].ExitCode = 0 }}, "the job ended with failure"},
		"no artifact":                                 {job.Correctness, fakerunner.Outcome{NoArtifact: true}, "no usable artifact"},
		"field-report 74: everything skipped":         {job.Correctness, fakerunner.Outcome{Skipped: true}, "skipped"},
		"field-report 75: interrupted":                {job.Correctness, fakerunner.Outcome{Edit: func(e *fakerunner.Evidence) { e.Interrupted = true }}, "partial"},
		"evidence of another dispatch":                {job.Build, fakerunner.Outcome{Edit: func(e *fakerunner.Evidence) { e.Dispatch = "other" }}, "does not belong"},
		"evidence of another commit":                  {job.Build, fakerunner.Outcome{Edit: func(e *fakerunner.Evidence) { e.HeadSHA = strings.Repeat("0", 40) }}, "does not belong"},
		"a file that was changed after it was listed": {job.Perf, fakerunner.Outcome{Edit: func(e *fakerunner.Evidence) { e.Content["perf-round-1-candidate.xml"] = []byte("<x/>") }}, "another sha256"},
		"no symbol":                             {job.Build, fakerunner.Outcome{Edit: func(e *fakerunner.Evidence) { e.Symbols = nil }}, "does not export"},
		"perf without records":                  {job.Perf, fakerunner.Outcome{Edit: func(e *fakerunner.Evidence) { e.Files = nil }}, "nothing was measured"},
		"records of another kernel's tests":     {job.Correctness, rename("pytest.xml", "test_row_sum", "test_scale_add"), "not of the kernel's test file"},
		"times of another kernel's tests":       {job.Perf, rename("perf-round-1-candidate.xml", "test_row_sum", "test_scale_add"), "not of the kernel's test file"},
		"fewer rounds than asked for":           {job.Perf, fakerunner.Outcome{Edit: func(e *fakerunner.Evidence) { e.Files = e.Files[:2] }}, "1 of at least 2 rounds"},
		"a round that failed":                   {job.Perf, fakerunner.Outcome{Edit: func(e *fakerunner.Evidence) { e.Commands[2].ExitCode = 1 }}, "not those of a whole run"},
		"another backend answered":              {job.Correctness, fakerunner.Outcome{Log: "Current backend 'cutile-rs' has no implementation for 'row_sum', falling back\n"}, "another backend answered"},
		"a perf run without the GPU's identity": {job.Perf, fakerunner.Outcome{Edit: func(e *fakerunner.Evidence) { e.GPUIdentity = job.GPUIdentity{} }}, "measured alike"},
		"a case twice":                          {job.Perf, rename("perf-round-1-candidate.xml", "1024", "2048"), "more than once"},
		"a median of zero":                      {job.Perf, rename("perf-round-1-candidate.xml", "'median': 0.5", "'median': 0.0"), "missing"},
		"a negative median":                     {job.Perf, rename("perf-round-2-candidate.xml", "'median': 0.5", "'median': -0.5"), "missing"},
		"a median that is no number":            {job.Perf, rename("perf-round-2-reference.xml", "'median': 0.5", "'median': nan"), "missing"},
		"a median beyond all bounds":            {job.Perf, rename("perf-round-1-candidate.xml", "'median': 0.5", "'median': 1e308"), "1 of 4 configs missing"},
		"a median below all bounds":             {job.Perf, rename("perf-round-1-reference.xml", "'median': 0.5", "'median': 1e-300"), "1 of 4 configs missing"},
		"an archive that leaves its folder":     {job.Perf, fakerunner.Outcome{Edit: func(e *fakerunner.Evidence) { e.Content["../../evidence.json"] = []byte("{}") }}, "no usable artifact"},
		"another backend's kernel":              {job.Perf, rename("perf-round-1-candidate.xml", "row_sum_entry", "triton_row_sum"), "void"},
		"cases of the reference only":           {job.Correctness, rename("pytest.xml", "cutile_rs", "pytorch"), "4 of 4 expected cases did not run"},
		"timed out":                             {job.Correctness, fakerunner.Outcome{Conclusion: "timed_out"}, "did not end in time"},
	} {
		t.Run(name, func(t *testing.T) {
			w, g := gpuWorld(t)
			g.Set(fakerunner.Only(c.stage, c.o))
			_, sha := w.open("writer", w.harmless())
			check := map[job.Stage]string{job.Build: report.CheckBuild, job.Correctness: report.CheckCorrectness, job.Perf: report.CheckPerf}[c.stage]
			got := w.concluded(sha, check)
			require.NotEqual(t, "success", got.Conclusion)
			require.Contains(t, got.Summary, c.want)
			require.LessOrEqual(t, len(got.Title), 120)
			require.NotEqual(t, "success", w.concluded(sha, report.CheckGate).Conclusion)
		})
	}
}

// rename is a job whose evidence has another text in one of its files.
func rename(file, old, with string) fakerunner.Outcome {
	return fakerunner.Outcome{Edit: func(e *fakerunner.Evidence) {
		e.Replace(file, []byte(strings.ReplaceAll(string(e.Content[file]), old, with)))
	}}
}

// TestOtherBackendsMayFallBack : only the candidate's fallback voids its run.
func TestOtherBackendsMayFallBack(t *testing.T) {
	w, g := gpuWorld(t)
	g.Set(fakerunner.Only(job.Correctness, fakerunner.Outcome{Log: "Current backend 'triton' has no implementation for 'row_sum', falling back\n"}))
	_, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "success")
}

// TestTimeOutIsAFailure : a test that ran out of time failed, whoever the log
// suspects.
func TestTimeOutIsAFailure(t *testing.T) {
	w, g := gpuWorld(t)
	g.Set(fakerunner.Only(job.Correctness, fakerunner.Outcome{Conclusion: "failure", Failing: 1, Log: "Failed: Timeout (>60.0s) from pytest-timeout.\n", Edit: func(e *fakerunner.Evidence) {
		text := strings.Replace(string(e.Content["pytest.xml"]), `message="AssertionError: @some-user closes #1 ![x](http://e.example/x.png)"`, `message="Failed: Timeout (&gt;60.0s) from pytest-timeout."`, 1)
		e.Replace("pytest.xml", []byte(text))
	}}))
	_, sha := w.open("writer", w.harmless())
	c := w.becomes(sha, report.CheckCorrectness, "failure")
	require.Contains(t, c.Text, ": FAIL")
	require.Contains(t, c.Summary, "time limit")
}

// TestFieldReport62 : a lost runner is retried once and never blamed on the change.
func TestFieldReport62(t *testing.T) {
	for _, twice := range []bool{false, true} {
		t.Run(fmt.Sprintf("lost twice %v", twice), func(t *testing.T) {
			w, g := gpuWorld(t)
			g.Set(func(r job.Request, s job.Stage, _ string) fakerunner.Outcome {
				if s == job.Correctness && (twice || len(g.Requests()) == 1) {
					return fakerunner.Outcome{Conclusion: "failure", NoArtifact: true, Lost: true}
				}
				return fakerunner.Outcome{}
			})
			_, sha := w.open("writer", w.harmless())
			if !twice {
				w.becomes(sha, report.CheckGate, "success")
			} else {
				w.eventually("two dispatches", func() bool { return len(g.Requests()) == 2 })
				c := w.becomes(sha, report.CheckCorrectness, "action_required")
				require.Contains(t, c.Summary, "not shown to be at fault")
			}
			w.quiet()
			w.dispatched(g, 2)
		})
	}
}

// TestFieldReport64 : a run that no runner takes ends, and stays ended.
func TestFieldReport64(t *testing.T) {
	w, g := gpuWorld(t)
	g.Hold(true)
	_, sha := w.open("writer", w.harmless())
	w.eventually("dispatched", func() bool { return len(g.Waiting()) == 1 })
	w.quiet()
	w.advance(3 * time.Hour)
	c := w.becomes(sha, report.CheckBuild, "timed_out")
	require.Contains(t, c.Title, "self-hosted, cpu")
	run := g.Waiting()[0]
	w.eventually("cancelled", func() bool { _, conclusion := run.Status(); return conclusion == "cancelled" })
	w.becomes(sha, report.CheckGate, "timed_out")
	g.Work(run)
	w.quiet()
	require.Equal(t, "timed_out", w.concluded(sha, report.CheckGate).Conclusion)
}

// TestFieldReport66 : runs that end in reverse order keep their own outcomes.
func TestFieldReport66(t *testing.T) {
	w, g := gpuWorld(t)
	g.Hold(true)
	_, sha1 := w.open("writer", w.harmless())
	_, sha2 := w.open("maya", githubsim.Changes{kernelRS: w.edit(kernelRS, "n_cols + TILE - 1i32", "(n_cols + TILE) - 1i32")})
	w.eventually("both dispatched", func() bool { return len(g.Waiting()) == 2 })
	g.Set(func(r job.Request, s job.Stage, _ string) fakerunner.Outcome {
		if r.HeadSHA == sha2 && s == job.Build {
			return fakerunner.Outcome{Conclusion: "failure"}
		}
		return fakerunner.Outcome{}
	})
	runs := g.Waiting()
	g.Work(runs[1])
	g.Work(runs[0])
	w.becomes(sha1, report.CheckGate, "success")
	w.becomes(sha2, report.CheckGate, "failure")
}

// TestFieldReport67 : what happens to an old head stays with it.
func TestFieldReport67(t *testing.T) {
	w, g := gpuWorld(t)
	g.Hold(true)
	_, sha1 := w.open("writer", w.harmless())
	w.eventually("dispatched", func() bool { return len(g.Waiting()) == 1 })
	w.eventually("build is open", func() bool { c, _ := w.check(sha1, report.CheckBuild); return c.Status == "in_progress" })
	sha2 := w.push("topic-writer", "writer", githubsim.Changes{kernelRS: w.edit(kernelRS, "n_cols + TILE - 1i32", "(n_cols + TILE) - 1i32")})
	w.eventually("dispatched again", func() bool { return len(g.Waiting()) == 2 })
	for _, name := range []string{report.CheckBuild, report.CheckCorrectness, report.CheckPerf, report.CheckGate} {
		c := w.becomes(sha1, name, "cancelled")
		require.Contains(t, c.Title, sha2[:7])
	}
	old := g.Waiting()[0]
	w.eventually("the old run is cancelled", func() bool { _, conclusion := old.Status(); return conclusion == "cancelled" })
	g.Work(g.Waiting()[1])
	w.becomes(sha2, report.CheckGate, "success")
	w.quiet()
	require.Equal(t, "cancelled", w.concluded(sha1, report.CheckGate).Conclusion)
}

// TestFieldReport26 : a run that fails although its head was replaced is told on
// that head only.
func TestFieldReport26(t *testing.T) {
	w, g := gpuWorld(t, func(c *config) { c.sim.KeepCancelled = true })
	g.Hold(true)
	_, sha1 := w.open("writer", w.harmless())
	w.eventually("dispatched", func() bool { return len(g.Waiting()) == 1 })
	sha2 := w.push("topic-writer", "writer", githubsim.Changes{kernelRS: w.edit(kernelRS, "n_cols + TILE - 1i32", "(n_cols + TILE) - 1i32")})
	w.eventually("dispatched again", func() bool { return len(g.Waiting()) == 2 })
	w.becomes(sha1, report.CheckBuild, "cancelled")
	g.Set(func(r job.Request, s job.Stage, _ string) fakerunner.Outcome {
		if r.HeadSHA == sha1 && s == job.Build {
			return fakerunner.Outcome{Conclusion: "failure"}
		}
		return fakerunner.Outcome{}
	})
	g.Work(g.Waiting()[0])
	build := w.becomes(sha1, report.CheckBuild, "failure")
	require.Contains(t, build.Title, sha1[:7])
	w.becomes(sha1, report.CheckGate, "failure")
	g.Work(g.Waiting()[1])
	w.becomes(sha2, report.CheckGate, "success")
	w.quiet()
	for _, c := range w.repo.Checks(sha2) {
		require.NotEqual(t, "failure", c.Conclusion, c.Name)
	}
	require.NotContains(t, w.repo.Comments(1)[0].Body, sha1[:7])
}

// TestFieldReport23 : the gate also reports on a merge group.
func TestFieldReport23(t *testing.T) {
	w, _ := gpuWorld(t)
	n, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "success")
	group, err := w.repo.MergeGroup(n)
	require.NoError(t, err)
	w.becomes(group, report.CheckGate, "success")
}

// TestFieldReport25 : GitHub's Re-run of our check run is a new dispatch, that
// of another App's is nothing.
func TestFieldReport25(t *testing.T) {
	w, g := gpuWorld(t)
	_, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "success")
	w.quiet()
	foreign, err := w.repo.ForeignCheck(99, report.CheckPerf, sha, "success")
	require.NoError(t, err)
	require.NoError(t, w.repo.Rerequest(foreign, "writer"))
	w.quiet()
	w.dispatched(g, 1)

	g.Hold(true)
	perf, _ := w.check(sha, report.CheckPerf)
	require.NoError(t, w.repo.Rerequest(perf.ID, "writer"))
	w.eventually("dispatched again", func() bool { return len(g.Waiting()) == 1 })
	w.eventually("open again", func() bool { c, _ := w.check(sha, report.CheckGate); return c.Status == "in_progress" })
	require.Equal(t, sha, g.Requests()[1].HeadSHA)
	g.Work(g.Waiting()[0])
	w.becomes(sha, report.CheckGate, "success")
	w.quiet()
}

// TestRulesRunAgain : Re-run shows the static review anew, also where no GPU is
// needed.
func TestRulesRunAgain(t *testing.T) {
	w := newWorld(t)
	_, sha := w.open("writer", githubsim.Changes{"README.md": githubsim.Text("x")})
	gate := w.becomes(sha, report.CheckGate, "success")
	w.quiet()
	require.NoError(t, w.repo.Rerequest(gate.ID, "writer"))
	w.eventually("a new check run", func() bool {
		c, _ := w.check(sha, report.CheckGate)
		return c.ID != gate.ID && c.Conclusion == "success"
	})
}

// TestInvalidConfiguration : a wrong file closes the gate with its line.
func TestInvalidConfiguration(t *testing.T) {
	w := newWorld(t)
	w.push("main", "maya", githubsim.Changes{".github/tilegym.yml": githubsim.Text("# ours\nrefrence: cutile\ngpus: []\n")})
	_, sha := w.open("writer", w.harmless())
	gate := w.becomes(sha, report.CheckGate, "failure")
	require.Contains(t, gate.Title, ".github/tilegym.yml:2")
	require.Contains(t, gate.Title, "refrence")
	require.Contains(t, gate.Summary, "3: gpus: expected at least one class with required: true", "every fault is told")
	w.push("main", "maya", githubsim.Changes{".github/tilegym.yml": githubsim.Text("reference: cutile\n")})
	w.eventually("open again", func() bool { c, _ := w.check(sha, report.CheckGate); return c.Status == "in_progress" })
}

// TestFieldReport29 : a job that the base branch requires later reopens the gate.
func TestFieldReport29(t *testing.T) {
	w, g := gpuWorld(t)
	_, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "success")
	g.Hold(true)
	config, err := w.repo.Read("main", ".github/tilegym.yml")
	require.NoError(t, err)
	w.push("main", "maya", githubsim.Changes{".github/tilegym.yml": githubsim.Text(string(config) + "  - name: second\n    labels: [self-hosted, second]\n    required: true\n")})
	w.eventually("the second class is dispatched", func() bool { return len(g.Waiting()) == 1 })
	w.eventually("open again", func() bool { c, _ := w.check(sha, report.CheckGate); return c.Status == "in_progress" })
	require.Equal(t, "second", g.Requests()[1].GPU)
	g.Work(g.Waiting()[0])
	w.becomes(sha, report.CheckGate, "success")
}

// TestEqualContentIsMeasuredOnce : a push that changes nothing that a verdict
// depends on, and a merge group of the same content, take the verdicts over.
func TestEqualContentIsMeasuredOnce(t *testing.T) {
	w, g := gpuWorld(t)
	n, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "success")
	w.dispatched(g, 1)

	second := w.push("topic-writer", "writer", githubsim.Changes{"README.md": githubsim.Text("words")})
	w.becomes(second, report.CheckGate, "success")
	perf := w.becomes(second, report.CheckPerf, "success")
	require.Contains(t, perf.Title, "Reused from run")
	require.Contains(t, perf.Title, sha[:7])
	group, err := w.repo.MergeGroup(n)
	require.NoError(t, err)
	w.becomes(group, report.CheckGate, "success")
	w.dispatched(g, 1)

	// A rerun asks for it, another tool changes the host, another file the content.
	w.say(n, "writer", "/tilegym rerun all")
	w.dispatched(g, 2)
	g.Set(func(job.Request, job.Stage, string) fakerunner.Outcome {
		return fakerunner.Outcome{Edit: func(e *fakerunner.Evidence) { e.Tools["python"] = "3.13" }}
	})
	third := w.push("topic-writer", "writer", githubsim.Changes{"tests/common.py": w.append("tests/common.py", "\nX = 1\n")})
	w.becomes(third, report.CheckGate, "success")
	w.dispatched(g, 3)
	sha, err = w.repo.ForcePush("topic-writer", "main", "writer", "back", w.harmless())
	require.NoError(t, err)
	w.becomes(sha, report.CheckGate, "success")
	w.dispatched(g, 4)
}

// TestRedContentIsMeasuredAgain : only green verdicts are taken over.
func TestRedContentIsMeasuredAgain(t *testing.T) {
	w, g := gpuWorld(t)
	g.Set(fakerunner.Only(job.Perf, fakerunner.Outcome{Ratio: 1.2}))
	_, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckPerf, "failure")
	w.dispatched(g, 1)
	second := w.push("topic-writer", "writer", githubsim.Changes{"README.md": githubsim.Text("words")})
	w.becomes(second, report.CheckPerf, "failure")
	w.dispatched(g, 2)
	g.Set(fakerunner.Only(job.Perf, fakerunner.Outcome{Ratio: 1.01}))
	third := w.push("topic-writer", "writer", w.planted())
	w.becomes(third, report.CheckPerf, "success")
	w.quiet()
	require.Contains(t, w.repo.Comments(1)[0].Body, fmt.Sprintf("| 1.010 | 1.200 (`%s`), 1.200 (`%s`) |", sha[:7], second[:7]))
}
