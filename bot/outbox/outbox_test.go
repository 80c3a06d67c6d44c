package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/appauth"
	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/bot/outbox"
	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/store"
)

// bench is an outbox before a GitHub with one pull request.
type bench struct {
	t    *testing.T
	sim  *githubsim.Sim
	repo *githubsim.Repo
	sha  string
	st   *store.Store
	out  *outbox.Outbox
	to   outbox.To

	start time.Time
	// passed is the time since start; the simulated GitHub's goroutines read it.
	passed atomic.Int64
}

func (b *bench) now() time.Time { return b.start.Add(time.Duration(b.passed.Load())) }

func (b *bench) wait(d time.Duration) { b.passed.Add(int64(d)) }

func newBench(t *testing.T, pace time.Duration, o githubsim.Options) *bench {
	t.Helper()
	b := &bench{t: t, start: time.Now()}
	o.Now = b.now
	b.sim = githubsim.New(o)
	require.NoError(t, b.sim.Start())
	t.Cleanup(func() { b.sim.Close() })
	var err error
	b.repo, err = b.sim.CreateRepo("octo", "r", fstest.MapFS{
		"a.txt":                         {Data: []byte(strings.Repeat("line\n", 60))},
		".github/workflows/gate.yml":    {Data: []byte("run-name: tilegate ${{ inputs.dispatch }}\non:\n  workflow_dispatch:\n    inputs:\n      request: {type: string}\n      dispatch: {type: string}\njobs: {}\n")},
		".github/workflows/ignored.txt": {Data: []byte("x")},
	})
	require.NoError(t, err)
	require.NoError(t, b.repo.CreateBranch("topic", "main"))
	b.sha, err = b.repo.Commit("topic", "octo", "change", githubsim.Changes{"a.txt": githubsim.Text("new\nnew\n" + strings.Repeat("line\n", 60))})
	require.NoError(t, err)
	_, err = b.repo.OpenPull(githubsim.PullOptions{Branch: "topic"})
	require.NoError(t, err)
	clients, err := appauth.New(appauth.Config{APIURL: b.sim.URL, AppID: b.sim.AppID(), PrivateKey: b.sim.PrivateKeyPEM(), Now: o.Now})
	require.NoError(t, err)
	b.st, err = store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "db"), o.Now)
	require.NoError(t, err)
	t.Cleanup(func() { b.st.Close() })
	b.out = outbox.New(outbox.Options{Store: b.st, Clients: clients, Reader: pull.NewReader(pull.Config{Clients: clients, Now: o.Now}), Now: o.Now, Pace: pace})
	b.to = outbox.To{Target: "octo/r#1", Installation: b.repo.Installation(), Repo: "octo/r"}
	return b
}

// put runs f in a transaction.
func (b *bench) put(f func(context.Context, *store.Tx) error) {
	b.t.Helper()
	require.NoError(b.t, b.st.Update(b.t.Context(), func(tx *store.Tx) error { return f(b.t.Context(), tx) }))
}

// drain sends everything, letting time pass for what is postponed.
func (b *bench) drain() {
	b.t.Helper()
	for range 100 {
		sent, err := b.out.Step(b.t.Context())
		require.NoError(b.t, err)
		if sent {
			continue
		}
		open, err := b.st.OpenWrites(b.t.Context())
		require.NoError(b.t, err)
		if len(open) == 0 {
			return
		}
		b.wait(time.Minute)
	}
	b.t.Fatal("the outbox does not empty")
}

func (b *bench) check(c outbox.Check) {
	b.put(func(ctx context.Context, tx *store.Tx) error {
		_, err := outbox.PutCheck(ctx, tx, b.to, c)
		return err
	})
}

func annotated(n int, sha string) outbox.Check {
	c := outbox.Check{Name: "tilegym / rules", HeadSHA: sha, Status: "completed", Conclusion: "failure", Title: "t", Summary: "s"}
	for i := range n {
		c.Annotations = append(c.Annotations, outbox.Annotation{Path: "a.txt", StartLine: i + 1, EndLine: i + 1, Level: "failure", Title: "R", Message: fmt.Sprint(i)})
	}
	return c
}

// TestFieldReport16 : all annotations arrive once, in batches that GitHub
// takes, also when an answer is lost in the middle.
func TestFieldReport16(t *testing.T) {
	for _, fault := range []githubsim.Action{{}, {Drop: true}, {DropAnswer: true}} {
		t.Run(fmt.Sprintf("drop %v, answer lost %v", fault.Drop, fault.DropAnswer), func(t *testing.T) {
			b := newBench(t, 0, githubsim.Options{})
			hit := map[string]bool{}
			b.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
				key := c.Method + fmt.Sprint(strings.Count(string(c.Body), "annotation_level"))
				if !strings.Contains(c.Path, "/check-runs") || c.Method == http.MethodGet || hit[key] {
					return githubsim.Action{}
				}
				hit[key] = true
				return fault
			})
			b.check(annotated(143, b.sha))
			b.drain()
			checks := b.repo.Checks(b.sha)
			require.Len(t, checks, 1)
			require.Equal(t, "failure", checks[0].Conclusion)
			seen := map[string]int{}
			for _, a := range checks[0].Annotations {
				seen[a.Message]++
			}
			require.Len(t, seen, 143)
			require.Len(t, checks[0].Annotations, 143)
			for _, c := range b.sim.Calls() {
				require.LessOrEqual(t, strings.Count(string(c.Body), "annotation_level"), 50)
				if strings.Contains(string(c.Body), `"conclusion"`) {
					require.NotEqual(t, 50, strings.Count(string(c.Body), "annotation_level"), "the conclusion goes with the last batch")
				}
			}
		})
	}
}

// TestFieldReport31 : one comment off the diff does not lose the review.
func TestFieldReport31(t *testing.T) {
	b := newBench(t, 0, githubsim.Options{})
	review := outbox.Review{Number: 1, CommitID: b.sha, Marker: "tilegate:review x", Body: "Two findings."}
	for _, line := range []int{1, 2, 50} {
		review.Comments = append(review.Comments, outbox.ReviewComment{Path: "a.txt", Line: line, Body: fmt.Sprintf("at %d", line), Listed: fmt.Sprintf("listed %d", line)})
	}
	b.put(func(ctx context.Context, tx *store.Tx) error { return outbox.AddReview(ctx, tx, b.to, review) })
	b.drain()
	p, err := b.repo.Pull(1)
	require.NoError(t, err)
	require.Len(t, p.Reviews, 1)
	require.Len(t, p.ReviewComments, 2)
	require.Contains(t, p.Reviews[0].Body, "listed 50")
	require.NotContains(t, p.Reviews[0].Body, "listed 1")
}

func TestNewerStateReplacesWhatWasNotSent(t *testing.T) {
	b := newBench(t, 0, githubsim.Options{})
	for i := range 5 {
		b.check(outbox.Check{Name: "c", HeadSHA: b.sha, Status: "in_progress", Title: fmt.Sprint(i), Summary: "s"})
	}
	b.sim.ForgetCalls()
	b.drain()
	writes := 0
	for _, c := range b.sim.Calls() {
		if strings.Contains(c.Path, "/check-runs") {
			writes++
		}
	}
	require.Equal(t, 1, writes)
	require.Equal(t, "4", b.repo.Checks(b.sha)[0].Title)
	b.check(outbox.Check{Name: "c", HeadSHA: b.sha, Status: "completed", Conclusion: "success", Title: "end", Summary: "s"})
	b.drain()
	require.Len(t, b.repo.Checks(b.sha), 1, "an open check run is updated")
	b.check(outbox.Check{Name: "c", HeadSHA: b.sha, Status: "in_progress", Title: "again", Summary: "s"})
	b.drain()
	require.Len(t, b.repo.Checks(b.sha), 2, "a concluded one is not opened again")
}

func TestPaceBetweenContent(t *testing.T) {
	b := newBench(t, time.Second, githubsim.Options{ContentPerMinute: 80})
	for i := range 3 {
		b.check(outbox.Check{Name: fmt.Sprint("c", i), HeadSHA: b.sha, Status: "in_progress", Title: "t", Summary: "s"})
	}
	step := func() bool {
		sent, err := b.out.Step(t.Context())
		require.NoError(t, err)
		return sent
	}
	require.True(t, step())
	require.False(t, step(), "within the pace")
	b.wait(999 * time.Millisecond)
	require.False(t, step())
	b.wait(time.Millisecond)
	require.True(t, step())
}

func TestDeletedCommentIsMadeAgain(t *testing.T) {
	b := newBench(t, 0, githubsim.Options{})
	put := func(body string) {
		b.put(func(ctx context.Context, tx *store.Tx) error {
			_, err := outbox.PutComment(ctx, tx, b.to, "summary", outbox.Comment{Number: 1, Marker: "tilegate:summary", Body: body})
			return err
		})
		b.drain()
	}
	put("one")
	require.NoError(t, b.repo.DeleteComment(b.repo.Comments(1)[0].ID, "octo"))
	put("two")
	require.Len(t, b.repo.Comments(1), 1)
	require.Contains(t, b.repo.Comments(1)[0].Body, "two")
	_, err := b.repo.Comment(1, "octo", "a copy\n\n<!-- tilegate:summary -->")
	require.NoError(t, err)
	put("three")
	require.Len(t, b.repo.Comments(1), 2, "another person's comment with our marker is not ours")
	require.Contains(t, b.repo.Comments(1)[0].Body, "three")
}

func (b *bench) dispatch(id string) store.Dispatch {
	b.t.Helper()
	b.put(func(ctx context.Context, tx *store.Tx) error {
		return errors.Join(
			tx.AddDispatch(ctx, store.Dispatch{ID: id, Target: b.to.Target, Repo: "octo/r", Installation: b.to.Installation, HeadSHA: b.sha, Workflow: "gate.yml", Ref: "main", Request: []byte("{}"), Labels: []string{"gpu"}}),
			outbox.AddDispatch(ctx, tx, b.to, outbox.Dispatch{ID: id}))
	})
	b.drain()
	d, err := b.st.Dispatch(b.t.Context(), id)
	require.NoError(b.t, err)
	return d
}

func TestDispatchKnowsItsRun(t *testing.T) {
	b := newBench(t, 0, githubsim.Options{})
	d := b.dispatch("01A")
	require.Equal(t, store.DispatchSent, d.State)
	require.Equal(t, "tilegate 01A", b.sim.Run(d.RunID).Title)
}

func TestDispatchOnAnOlderGitHub(t *testing.T) {
	b := newBench(t, 0, githubsim.Options{NoRunDetails: true})
	d := b.dispatch("01B")
	require.Equal(t, store.DispatchSent, d.State)
	require.Zero(t, d.RunID, "the run is found by its name later")
	require.Len(t, b.sim.Runs(), 1)
}

func TestDispatchThatGitHubRefuses(t *testing.T) {
	b := newBench(t, 0, githubsim.Options{})
	b.put(func(ctx context.Context, tx *store.Tx) error {
		return errors.Join(
			tx.AddDispatch(ctx, store.Dispatch{ID: "01C", Target: b.to.Target, Repo: "octo/r", Installation: b.to.Installation, Workflow: "absent.yml", Ref: "main", Request: []byte("{}")}),
			outbox.AddDispatch(ctx, tx, b.to, outbox.Dispatch{ID: "01C"}))
	})
	b.drain()
	d, err := b.st.Dispatch(t.Context(), "01C")
	require.NoError(t, err)
	require.Equal(t, store.DispatchRefused, d.State)
	require.Equal(t, "GitHub does not find the workflow `.github/workflows/absent.yml` on the default branch `main`.", d.Note)
	require.True(t, outbox.NoWorkflow(d))

	// Anything else is told in GitHub's own words, as a sentence.
	b.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
		if strings.HasSuffix(c.Path, "/dispatches") {
			return githubsim.Refuse(http.StatusUnprocessableEntity, "Workflow does not have 'workflow_dispatch' trigger")
		}
		return githubsim.Action{}
	})
	d = b.dispatch("01D")
	require.Equal(t, store.DispatchRefused, d.State)
	require.False(t, outbox.NoWorkflow(d))
	require.Regexp(t, "^GitHub refuses to start the workflow `[^`]+`: Workflow does not have 'workflow_dispatch' trigger\\.$", d.Note)
}

// TestLookBeforeSendingAgain : with a pace, a run that GitHub does not list
// yet is given time before the dispatch is repeated.
func TestLookBeforeSendingAgain(t *testing.T) {
	b := newBench(t, time.Second, githubsim.Options{})
	lost := false
	b.sim.Intercept(func(c *githubsim.Call) githubsim.Action {
		if strings.HasSuffix(c.Path, "/dispatches") && !lost {
			lost = true
			return githubsim.Action{Drop: true}
		}
		return githubsim.Action{}
	})
	d := b.dispatch("01D")
	require.NotZero(t, d.RunID)
	require.Len(t, b.sim.Runs(), 1)
	looks := 0
	for _, c := range b.sim.Calls() {
		if c.Method == http.MethodGet && strings.Contains(c.Path, "/runs") {
			looks++
		}
	}
	require.Equal(t, 2, looks)
}
