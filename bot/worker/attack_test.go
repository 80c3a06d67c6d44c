package worker_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/bot/worker/fakerunner"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/rules"
)

// lax makes a branch whose configuration lets almost everything through.
func (w *world) lax() {
	w.t.Helper()
	data, err := w.repo.Read("main", ".github/tilegym.yml")
	require.NoError(w.t, err)
	w.push("lax", "writer", githubsim.Changes{".github/tilegym.yml": githubsim.Text(strings.Replace(string(data), "perf:\n", "perf:\n  threshold: 5\n", 1))})
}

// TestVerdictsOfAnotherBaseDoNotCount : a pull request that was measured against
// a branch with a lax configuration does not bring its verdicts to main.
func TestVerdictsOfAnotherBaseDoNotCount(t *testing.T) {
	w, g := gpuWorld(t)
	g.Set(fakerunner.Only(job.Perf, fakerunner.Outcome{Ratio: 1.3}))
	w.lax()
	sha := w.push("topic", "writer", w.harmless())
	n, err := w.repo.OpenPull(githubsim.PullOptions{Title: "x", Author: "writer", Branch: "topic", Base: "lax"})
	require.NoError(t, err)
	w.becomes(sha, report.CheckGate, "success")
	w.quiet()
	perf, _ := w.check(sha, report.CheckPerf)
	require.Contains(t, perf.Text, "| 1.300 |", "the limit that was applied decides the digits")
	require.NoError(t, w.repo.Retarget(n, "main", "writer"))
	w.becomes(sha, report.CheckGate, "failure")
	w.dispatched(g, 2)

	// The same when the configuration of the base itself becomes stricter.
	require.NoError(t, w.repo.Retarget(n, "lax", "writer"))
	w.becomes(sha, report.CheckGate, "success")
	data, err := w.repo.Read("main", ".github/tilegym.yml")
	require.NoError(t, err)
	w.push("lax", "writer", githubsim.Changes{".github/tilegym.yml": githubsim.Text(string(data))})
	w.becomes(sha, report.CheckGate, "failure")
}

// TestOneCommitInTwoPullRequests : GitHub keeps check runs by commit, so a second
// pull request with an easier base must not make the first one green, and does
// not hold it once it has ended.
func TestOneCommitInTwoPullRequests(t *testing.T) {
	w, g := gpuWorld(t)
	g.Set(fakerunner.Only(job.Perf, fakerunner.Outcome{Ratio: 1.3}))
	w.lax()
	sha := w.push("topic", "writer", w.harmless())
	strict, err := w.repo.OpenPull(githubsim.PullOptions{Title: "x", Author: "writer", Branch: "topic"})
	require.NoError(t, err)
	w.becomes(sha, report.CheckGate, "failure")
	w.quiet()
	easy, err := w.repo.OpenPull(githubsim.PullOptions{Title: "x", Author: "writer", Branch: "topic", Base: "lax"})
	require.NoError(t, err)
	w.eventually("the second is measured", func() bool { return len(g.Requests()) == 2 })
	w.quiet()
	gate, _ := w.check(sha, report.CheckGate)
	require.Equal(t, "failure", gate.Conclusion)
	require.Contains(t, gate.Summary, fmt.Sprintf("pull request %d", strict))
	for _, c := range w.repo.Checks(sha) {
		if c.Name == report.CheckGate {
			require.NotEqual(t, "success", c.Conclusion)
		}
	}

	require.NoError(t, w.repo.ClosePull(strict, "writer"))
	w.becomes(sha, report.CheckGate, "success")
	require.NoError(t, w.repo.ReopenPull(strict, "writer"))
	w.becomes(sha, report.CheckGate, "failure")
	w.quiet()

	// The easy one ends while it is green by itself: what it said is not the last word.
	require.NoError(t, w.repo.ClosePull(easy, "writer"))
	w.quiet()
	gate, _ = w.check(sha, report.CheckGate)
	require.Equal(t, "failure", gate.Conclusion)
}

// TestWaiverOfWhatWasNotSeen : a waiver does not take in what was pushed while it
// was written.
func TestWaiverOfWhatWasNotSeen(t *testing.T) {
	w := newWorld(t)
	n, sha := w.open("writer", w.planted())
	w.becomes(sha, report.CheckGate, "failure")
	w.quiet()

	var down atomic.Bool
	down.Store(true)
	w.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
		if down.Load() && c.Method == http.MethodGet {
			return githubsim.Refuse(http.StatusBadGateway, "down")
		}
		return githubsim.Action{}
	})
	_, err := w.repo.Comment(n, "maya", "/tilegym waive R6 "+kernelRS+" this one line")
	require.NoError(t, err)
	w.eventually("the comment is recorded", func() bool {
		waiting, err := w.st.NewCommands(context.Background(), w.repo.FullName(), n)
		require.NoError(t, err)
		return len(waiting) == 1
	})
	second := w.push("topic-writer", "writer", githubsim.Changes{"README.md": githubsim.Text("pushed in between")})
	w.eventually("both are recorded", func() bool {
		target, err := w.st.Target(context.Background(), store.PullKey(w.repo.FullName(), n))
		require.NoError(t, err)
		return target.HeadSHA == second && target.Failures > 0
	})
	down.Store(false)
	w.eventually("answered", func() bool { w.advance(heartbeat * 1000); return len(w.own(n)) > 0 })
	require.Contains(t, w.own(n)[0], "nothing was waived")
	require.Equal(t, "failure", w.concluded(second, report.CheckGate).Conclusion)

	w.say(n, "maya", "/tilegym waive R6 "+kernelRS+" this one line")
	w.becomes(second, report.CheckRules, "success")
}

// TestHeadThatCameBack : a command under a head that was left and restored is
// about that head.
func TestHeadThatCameBack(t *testing.T) {
	w, g := gpuWorld(t)
	n, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "success")
	second := w.push("topic-writer", "writer", w.planted())
	w.becomes(second, report.CheckRules, "failure")
	w.quiet()
	require.NoError(t, w.repo.Restore("topic-writer", sha, "writer"))
	w.quiet()
	before := len(g.Requests())
	w.say(n, "writer", "/tilegym rerun build")
	w.dispatched(g, before+1)
	require.Equal(t, sha, g.Requests()[before].HeadSHA)
}

// TestMergeGroupKnowsTheWaivers : what a maintainer accepted in a pull request
// holds in the merge queue, for that pull request and what is built on it only.
func TestMergeGroupKnowsTheWaivers(t *testing.T) {
	w, g := gpuWorld(t)
	g.Set(fakerunner.Only(job.Perf, fakerunner.Outcome{Ratio: 1.12}))
	n, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "failure")
	w.say(n, "maya", "/tilegym waive perf row_sum <= 1.15 known launch cost")
	w.becomes(sha, report.CheckGate, "success")
	group, err := w.repo.MergeGroup(n)
	require.NoError(t, err)
	gate := w.becomes(group, report.CheckGate, "success")
	require.Contains(t, gate.Title, "waived by maya")

	other, sha := w.open("maya", w.harmless())
	w.becomes(sha, report.CheckGate, "failure")
	group, err = w.repo.MergeGroup(other)
	require.NoError(t, err)
	w.becomes(group, report.CheckGate, "failure")
}

// TestFewerRoundsThanConfigured : the author of a change cannot ask for a coarser
// measurement than the base branch does.
func TestFewerRoundsThanConfigured(t *testing.T) {
	w, g := gpuWorld(t)
	n, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "success")
	w.say(n, "writer", "/tilegym rerun perf row_sum --rounds 1")
	w.dispatched(g, 2)
	require.Equal(t, job.Rounds{Min: 2, Max: 2}, g.Requests()[1].Rounds)
}

// analysisOf declares a reference and a variant of row_sum.
func analysisOf(reference string) *githubsim.File {
	return githubsim.Text(fmt.Sprintf(`{"kernel_name": "row_sum", "reference_backend": %q, "kernel_variants": [{"variant_name": "wide", "reference_backend": "pytorch"}],
		"config_to_variant": {"1024-torch.float16": "wide"}}`, reference))
}

// TestReferenceFollowsTheBasesAnalysis : auto takes the reference that an
// analysis.json declares; a change cannot choose an easier one for a kernel that
// has one, and no variant is compared with what is no reference.
func TestReferenceFollowsTheBasesAnalysis(t *testing.T) {
	const path = "src/tilegym/ops/cutile_rs/row_sum_kernel/reference/analysis.json"
	w, g := gpuWorld(t)
	data, err := w.repo.Read("main", ".github/tilegym.yml")
	require.NoError(t, err)
	w.push("main", "maya", githubsim.Changes{".github/tilegym.yml": githubsim.Text(strings.Replace(string(data), "reference: cutile", "reference: auto", 1))})
	changes := w.harmless()
	changes[path] = analysisOf("triton")
	_, sha := w.open("writer", changes)
	perf := w.becomes(sha, report.CheckPerf, "success")
	require.Equal(t, "triton", g.Requests()[0].Reference)
	require.Contains(t, perf.Text, "| wide | triton | 1 |")

	w.push("main", "maya", githubsim.Changes{path: analysisOf("cutile")})
	_, sha = w.open("maya", changes)
	w.becomes(sha, report.CheckPerf, "success")
	require.Equal(t, "cutile", g.Requests()[len(g.Requests())-1].Reference)
}

// TestKernelsOfOneName : a suite's kernel that has the name of another one gets
// jobs of its own.
func TestKernelsOfOneName(t *testing.T) {
	const ops, zoo = "src/tilegym/ops/cutile_rs/", "src/tilegym/suites/zoo/cutile_rs/"
	repo := mini(t)
	for name, file := range repo {
		if rest, ok := strings.CutPrefix(name, ops); ok && !strings.HasPrefix(rest, "scale_add") {
			repo[zoo+rest] = file
		}
	}
	repo["tests/suites/zoo/test_row_sum.py"] = repo["tests/ops/test_row_sum.py"]
	w, g := gpuWorld(t, func(c *config) { c.repo = repo })
	kernel := w.edit(zoo+"row_sum_kernel/kernel.rs", "n_cols + TILE - 1i32", "n_cols + (TILE - 1i32)")
	g.Set(func(r job.Request, stage job.Stage, kernel string) fakerunner.Outcome {
		if kernel != "zoo.row_sum" {
			return fakerunner.Outcome{}
		}
		return fakerunner.Outcome{Edit: func(e *fakerunner.Evidence) {
			e.Symbols = []string{"cutile_row_sum"}
			for name, content := range e.Content {
				e.Replace(name, []byte(strings.ReplaceAll(string(content), "zoo.row_sum", "row_sum")))
			}
		}}
	})
	n, sha := w.open("writer", githubsim.Changes{zoo + "row_sum_kernel/kernel.rs": kernel})
	w.becomes(sha, report.CheckBuild, "success")
	w.dispatched(g, 1)
	require.Equal(t, []string{"zoo.row_sum"}, g.Requests()[0].Kernels)
	w.becomes(sha, report.CheckPerf, "success")
	w.push("topic-writer", "writer", w.harmless())
	w.dispatched(g, 2)
	require.Equal(t, []string{"row_sum", "zoo.row_sum"}, append([]string(nil), g.Requests()[1].Kernels...))
	w.say(n, "writer", "/tilegym rerun build zoo.row_sum")
	w.dispatched(g, 3)
	require.Equal(t, []string{"zoo.row_sum"}, g.Requests()[2].Kernels)
}

// TestOtherReferencesAreContent : reference ops import each other, so a verdict
// is not taken over when another kernel's has changed.
func TestOtherReferencesAreContent(t *testing.T) {
	w, g := gpuWorld(t)
	_, sha := w.open("writer", w.harmless())
	w.becomes(sha, report.CheckGate, "success")
	w.dispatched(g, 1)
	sha = w.push("topic-writer", "writer", githubsim.Changes{"src/tilegym/ops/cutile/scale_add.py": w.append("src/tilegym/ops/cutile/scale_add.py", "\nX = 1\n")})
	w.becomes(sha, report.CheckGate, "success")
	w.dispatched(g, 2)
	// Another kernel's tests are nothing to this one.
	sha = w.push("topic-writer", "writer", githubsim.Changes{"tests/ops/test_scale_add.py": w.append("tests/ops/test_scale_add.py", "\n# words\n")})
	w.becomes(sha, report.CheckGate, "success")
	w.dispatched(g, 2)
}

// TestMovedOutOfSight : kernels that leave the known folders are not reviewed, and
// that is no pass.
func TestMovedOutOfSight(t *testing.T) {
	for name, left := range map[string]githubsim.Changes{
		"all of the folder": {},
		"all but one file":  {"src/tilegym/ops/cutile_rs/README.md": githubsim.Text("# Moved\n")},
	} {
		t.Run(name, func(t *testing.T) {
			w, g := gpuWorld(t)
			ch := maps.Clone(left)
			for name := range mini(t) {
				if rest, ok := strings.CutPrefix(name, "src/tilegym/ops/cutile_rs/"); ok {
					data, err := w.repo.Read("main", name)
					require.NoError(t, err)
					ch[name], ch["src/tilegym/ops/cutile_rust/"+rest] = nil, githubsim.Text(string(data))
				}
			}
			_, sha := w.open("writer", ch)
			gate := w.concluded(sha, report.CheckGate)
			require.Equal(t, "action_required", gate.Conclusion)
			require.Contains(t, gate.Summary, "removes every cutile-rs kernel")
			require.Empty(t, g.Requests())
		})
	}
}

// TestBasesReferenceIsContent : with the base's harness the candidate is compared
// with the base's reference op, whatever the change does to it.
func TestBasesReferenceIsContent(t *testing.T) {
	const reference = "src/tilegym/ops/cutile/row_sum.py"
	w, g := gpuWorld(t)
	changes := w.harmless()
	changes[reference] = w.append(reference, "\nX = 1\n")
	_, sha := w.open("writer", changes)
	w.becomes(sha, report.CheckPerf, "success")
	w.dispatched(g, 1)
	w.push("main", "maya", githubsim.Changes{reference: w.append(reference, "\nY = 2\n")})
	sha, err := w.repo.ForcePush("topic-writer", "main", "writer", "again", changes)
	require.NoError(t, err)
	w.becomes(sha, report.CheckPerf, "success")
	w.dispatched(g, 2)
}

// TestRuleThatPanics: a fault of a rule fails the review of the change that shows it, and
// the App goes on.
func TestRuleThatPanics(t *testing.T) {
	w := newWorld(t, marked(func() { panic("out of range") }))
	_, sha := w.open("writer", githubsim.Changes{kernelRS: w.append(kernelRS, "// marked\n")})
	gate := w.becomes(sha, report.CheckGate, "action_required")
	require.Contains(t, gate.Title+gate.Summary, "rule R45 on kernel row_sum failed by a fault of tilegate's own")
	_, other := w.open("maya", githubsim.Changes{"README.md": githubsim.Text("other")})
	w.becomes(other, report.CheckGate, "success")
	w.quiet()
	require.Empty(t, w.sim.Runs(), "nothing is sent to a runner")
}

// TestRuleThatDoesNotEnd: a review that takes too long is given up, which a command can
// change.
func TestRuleThatDoesNotEnd(t *testing.T) {
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	var tries atomic.Int32
	w := newWorld(t, marked(func() {
		if tries.Add(1) == 1 {
			<-hang
		}
	}), func(c *config) { c.app.ReviewLimit = 5 * time.Second })
	n, sha := w.open("writer", githubsim.Changes{kernelRS: w.append(kernelRS, "// marked\n")})
	gate := w.becomes(sha, report.CheckGate, "action_required")
	require.Contains(t, gate.Title+gate.Summary, "The static review was not done after 5s")
	w.say(n, "writer", "/tilegym rerun rules")
	w.becomes(sha, report.CheckRules, "success")
}

// marked adds a rule that runs a function on a kernel whose source holds a mark.
func marked(do func()) func(*config) {
	return func(c *config) {
		c.app.Rules = []*rules.Rule{{ID: "R45", Scope: rules.PerKernel, Severity: rules.Note, Run: func(p *rules.Pass) {
			if strings.Contains(string(p.Tree.File(p.Kernel.KernelRS).Src), "// marked") {
				do()
			}
		}}}
	}
}
