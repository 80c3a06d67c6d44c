// Package fakerunner answers "what would GPU runners do with this run?" in
// tests of the App: it runs the jobs of simulated workflow runs without running
// anything, and leaves evidence as planned. It must not be used outside of tests.
package fakerunner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tilegate/tilegate/bot/githubsim"
	"github.com/tilegate/tilegate/checks/job"
)

// Outcome is how one job ends. Its zero value is a job that
// succeeded and left good evidence.
type Outcome struct {
	Conclusion string // success when empty
	NoArtifact bool
	Lost       bool            // no step failed: the runner went away
	Ratio      float64         // perf: candidate over reference; 1 when 0
	Failing    int             // correctness: cases that fail
	Skipped    bool            // correctness: every candidate case is skipped
	Log        string          // text of the stage's log
	Edit       func(*Evidence) // changes the document before it is uploaded
}

// Evidence is a job's evidence while it is made.
type Evidence struct {
	job.Evidence
	Content map[string][]byte // of the files by name
}

// Runner runs the jobs of dispatched runs. It is safe for concurrent use.
type Runner struct {
	mu   sync.Mutex
	plan Plan
	hold bool
	held []*githubsim.Run
	seen []job.Request
}

// Plan says how a job ends.
type Plan func(r job.Request, stage job.Stage, kernel string) Outcome

// Only plans an outcome for one stage; the others succeed.
func Only(stage job.Stage, o Outcome) Plan {
	return func(_ job.Request, s job.Stage, _ string) Outcome {
		if s == stage {
			return o
		}
		return Outcome{}
	}
}

// Set changes the plan; nil lets every job succeed.
func (g *Runner) Set(plan Plan) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.plan = plan
}

// Hold decides whether runs stay queued until Work is called for them.
func (g *Runner) Hold(hold bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hold = hold
}

// Dispatched is for githubsim.Options.OnDispatch.
func (g *Runner) Dispatched(run *githubsim.Run) {
	r, err := job.ParseRequest([]byte(run.Inputs["request"]))
	if err != nil {
		run.Complete("failure")
		return
	}
	g.mu.Lock()
	g.seen = append(g.seen, r)
	hold := g.hold
	if hold {
		g.held = append(g.held, run)
	}
	g.mu.Unlock()
	if !hold {
		g.Work(run)
	}
}

// Requests are the requests so far.
func (g *Runner) Requests() []job.Request {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]job.Request(nil), g.seen...)
}

// Waiting are the runs that were held back.
func (g *Runner) Waiting() []*githubsim.Run {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]*githubsim.Run(nil), g.held...)
}

// Work runs the jobs of a run to their ends.
func (g *Runner) Work(run *githubsim.Run) {
	r, err := job.ParseRequest([]byte(run.Inputs["request"]))
	if err != nil {
		run.Complete("failure")
		return
	}
	worst := "success"
	for _, kernel := range r.Kernels {
		stop := false
		for _, stage := range r.Stages {
			j := run.AddJob(job.JobName(stage, kernel, r.GPU), "self-hosted", "cpu")
			if stop {
				j.Complete("skipped")
				continue
			}
			g.mu.Lock()
			plan := g.plan
			g.mu.Unlock()
			o := Outcome{}
			if plan != nil {
				o = plan(r, stage, kernel)
			}
			if o.Conclusion == "" {
				o.Conclusion = "success"
			}
			j.Start("gpu-1")
			if !o.NoArtifact {
				if err := run.Upload(job.ArtifactName(r.Dispatch, stage, kernel, r.GPU), artifact(r, stage, kernel, o)); err != nil {
					panic(err)
				}
			}
			step := githubsim.Step{Name: "Run", Conclusion: o.Conclusion}
			if o.Lost {
				step.Conclusion = "success"
			}
			j.Complete(o.Conclusion, step)
			if o.Conclusion != "success" {
				worst, stop = "failure", true
			}
		}
	}
	run.Complete(worst)
}

// artifact makes the files of a job's artifact.
func artifact(r job.Request, stage job.Stage, kernel string, o Outcome) map[string][]byte {
	now := time.Date(2026, 11, 30, 1, 0, 0, 0, time.UTC)
	e := &Evidence{Content: map[string][]byte{}, Evidence: job.Evidence{
		Schema: job.EvidenceSchema, Dispatch: r.Dispatch, Repository: r.Repository, HeadSHA: r.HeadSHA, BaseSHA: r.BaseSHA,
		Stage: stage, Kernel: kernel, GPU: r.GPU, Candidate: r.Candidate, Reference: r.Reference, Harness: r.Harness, Timing: "cupti",
		StartedAt: now, FinishedAt: now.Add(time.Minute), Runner: job.Runner{Name: "gpu-1", OS: "Linux", Arch: "X64"},
		GPUIdentity: job.GPUIdentity{Name: "Test GPU", UUID: "hashed", Driver: "580.1", ComputeCapability: "12.0"},
		Tools:       job.Tools{"python": "3.12"}, Symbols: []string{},
	}}
	exit := 0
	if o.Conclusion != "success" && o.Conclusion != "" {
		exit = 1
	}
	switch stage {
	case job.Build:
		e.Commands = []job.Command{{Name: "cargo build", ExitCode: exit}}
		e.Symbols = []string{"cutile_" + kernel}
		e.add("cargo-build.log", "log", o.Log)
	case job.Correctness:
		e.Commands = []job.Command{{Name: "cargo build"}, {Name: "wiring"}, {Name: "canary"}, {Name: "pytest", ExitCode: exit}}
		e.add("pytest.xml", "junit", opXML(kernel, r.Reference, o))
		e.add("pytest.log", "log", o.Log)
	case job.Perf:
		ratio := o.Ratio
		if ratio == 0 {
			ratio = 1
		}
		e.Commands = []job.Command{{Name: "cargo build"}}
		for round := 1; round <= r.Rounds.Min; round++ {
			for _, side := range []string{"candidate", "reference"} {
				name := fmt.Sprintf("perf-round-%d-%s", round, side)
				e.Commands = append(e.Commands, job.Command{Name: name, ExitCode: exit})
				backend, scale := r.Reference, 1.0
				if side == "candidate" {
					backend, scale = r.Candidate, ratio
				}
				e.add(name+".xml", "junit", perfXML(kernel, backend, scale))
			}
		}
	}
	if o.Edit != nil {
		o.Edit(e)
	}
	doc, err := json.Marshal(e.Evidence)
	if err != nil {
		panic(err)
	}
	e.Content[job.EvidenceFile] = doc
	return e.Content
}

func (e *Evidence) add(name, kind, content string) {
	sum := sha256.Sum256([]byte(content))
	e.Content[name] = []byte(content)
	e.Files = append(e.Files, job.File{Path: name, Kind: kind, SHA256: hex.EncodeToString(sum[:])})
}

// Replace changes a listed file and its digest.
func (e *Evidence) Replace(name string, content []byte) {
	sum := sha256.Sum256(content)
	e.Content[name] = content
	for i := range e.Files {
		if e.Files[i].Path == name {
			e.Files[i].SHA256 = hex.EncodeToString(sum[:])
		}
	}
}

// opXML is the report of the op's tests of both backends.
func opXML(kernel, reference string, o Outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0"?><testsuites><testsuite name="pytest" errors="0" failures="%d" skipped="0" tests="8">`, o.Failing)
	for _, backend := range []string{reference, "cutile_rs"} {
		for i := range 4 {
			fmt.Fprintf(&b, `<testcase classname="tests.ops.test_%s.Test_Op" name="test_op[%s-%d-torch.float32]" time="0.1">`, kernel, backend, 64<<i)
			switch {
			case backend == "cutile_rs" && i < o.Failing:
				fmt.Fprintf(&b, `<failure message="%s">assert False</failure>`, "AssertionError: @some-user closes #1 ![x](http://e.example/x.png)")
			case backend == "cutile_rs" && o.Skipped:
				b.WriteString(`<skipped type="pytest.skip" message="no GPU">no GPU</skipped>`)
			}
			b.WriteString("</testcase>")
		}
	}
	b.WriteString("</testsuite></testsuites>")
	return b.String()
}

// perfXML is one side of a round.
func perfXML(kernel, backend string, scale float64) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><testsuites><testsuite name="pytest" errors="0" failures="0" skipped="0" tests="4">`)
	for i := range 4 {
		ms := 0.5 * float64(int(1)<<i) * scale
		fmt.Fprintf(&b, `<testcase classname="tests.ops.test_%s.Test_Op" name="test_perf[%s-%d-torch.float16]" time="0.1"><properties><property name="benchmark" value="`,
			kernel, strings.ReplaceAll(backend, "-", "_"), 1024<<i)
		fmt.Fprintf(&b, `{'%s': {'forward': {'mean': %[2]g, 'std': 0.001, 'rel_std': 0.2, 'median': %[2]g, 'min': %[2]g, 'max': %[2]g, 'nrep': 50, 'kernel_times': [{'name': '%s_entry', 'self_time_us': %[4]g, 'total_time_us': %[4]g, 'count': 1}]}}}`,
			backend, ms, kernel, ms*1000)
		b.WriteString(`" /></properties></testcase>`)
	}
	b.WriteString("</testsuite></testsuites>")
	return b.String()
}
