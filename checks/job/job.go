// Package job holds the two documents that travel between the App and a GPU
// host: the request that says what to run, and the evidence that says what
// happened. It answers "is this document well formed, and does it belong to
// this dispatch?" and must not run anything or decide a verdict.
package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tilegate/tilegate/checks/words"
)

// Schema identifiers. A document of another major version is refused.
const (
	RequestSchema  = "tilegate.request/v1"
	EvidenceSchema = "tilegate.evidence/v1"
)

// EvidenceFile is the name of the evidence document at the root of an artifact.
const EvidenceFile = "evidence.json"

// Stage is one step of a dispatch. Each stage needs the one before it.
type Stage string

// The stages in the order in which they run.
const (
	Build       Stage = "build"
	Correctness Stage = "correctness"
	Perf        Stage = "perf"
)

// Stages lists all stages in the order in which they run.
var Stages = []Stage{Build, Correctness, Perf}

// Request asks a GPU host for the stages of some kernels at one commit.
type Request struct {
	Schema     string   `json:"schema"`
	Dispatch   string   `json:"dispatch"`   // ULID, unique for each dispatch
	Repository string   `json:"repository"` // owner/name
	HeadSHA    string   `json:"head_sha"`   // 40 hex digits: the commit under test
	BaseSHA    string   `json:"base_sha"`   // 40 hex digits: the harness comes from here when Harness is "base"
	Kernels    []string `json:"kernels"`
	Stages     []Stage  `json:"stages"`
	Candidate  string   `json:"candidate"` // backend under test, e.g. cutile-rs
	Reference  string   `json:"reference"` // backend compared with, e.g. cutile
	GPU        string   `json:"gpu"`       // GPU class, not a device name
	Rounds     Rounds   `json:"rounds"`
	Harness    string   `json:"harness"` // "base" or "head": whose test files are used
	// Threshold is the highest ratio that is DONE, by which a host tells whether
	// another round would decide; 0 leaves the default. It gates nothing.
	Threshold float64 `json:"threshold,omitempty"`
}

// MaxRounds is the most perf rounds that anybody may ask for: in a comment, a
// configuration, a request or on the command line.
const MaxRounds = 20

// Rounds bounds the alternating perf rounds (count of measurements per side).
type Rounds struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

// Evidence is what one job of a dispatch reports. Everything in it is
// untrusted: identity is always taken from the App's own dispatch row, and the
// evidence is only accepted when it agrees with that row.
type Evidence struct {
	Schema      string      `json:"schema"`
	Dispatch    string      `json:"dispatch"`
	Repository  string      `json:"repository"`
	HeadSHA     string      `json:"head_sha"`
	BaseSHA     string      `json:"base_sha"`
	Stage       Stage       `json:"stage"`
	Kernel      string      `json:"kernel"`
	GPU         string      `json:"gpu"`
	Candidate   string      `json:"candidate"`
	Reference   string      `json:"reference"`
	Harness     string      `json:"harness"`
	Interrupted bool        `json:"interrupted"`
	Timing      string      `json:"timing"` // "cupti", "events", "wall": how times were taken
	StartedAt   time.Time   `json:"started_at"`
	FinishedAt  time.Time   `json:"finished_at"`
	Runner      Runner      `json:"runner"`
	GPUIdentity GPUIdentity `json:"gpu_identity"`
	Tools       Tools       `json:"tools"`
	Commands    []Command   `json:"commands"`
	Symbols     []string    `json:"symbols"` // exported cutile_* symbols, build stage
	Files       []File      `json:"files"`
}

// Runner identifies the host that ran the job.
type Runner struct {
	Name string `json:"name"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
}

// GPUIdentity is what two sides must share for their times to be comparable.
type GPUIdentity struct {
	Name              string `json:"name"`
	UUID              string `json:"uuid"` // hashed
	Driver            string `json:"driver"`
	ComputeCapability string `json:"compute_capability"`
	Clocks            Clocks `json:"clocks"`
}

// Clocks are in MHz, read under load where possible.
type Clocks struct {
	SMMHz     int `json:"sm_mhz"`
	MemoryMHz int `json:"memory_mhz"`
}

// Tools holds the versions of the tools that took part.
type Tools map[string]string

// Command is one process that the stage ran.
type Command struct {
	Name       string   `json:"name"`
	Argv       []string `json:"argv"`
	ExitCode   int      `json:"exit_code"`
	DurationMS int64    `json:"duration_ms"`
}

// File is one raw file beside the evidence document. Kind is "junit", "log",
// "symbols" or "environment". JUnit files of the perf stage are rounds in the
// order of the list.
type File struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"`
	SHA256 string `json:"sha256"`
}

var (
	shaPattern  = regexp.MustCompile(`^[0-9a-f]{40}$`)
	namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	repoPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$`)
)

// ParseRequest reads and validates a request. Unknown fields are ignored;
// another major version is refused.
func ParseRequest(data []byte) (Request, error) {
	var r Request
	if err := json.Unmarshal(data, &r); err != nil {
		return Request{}, fmt.Errorf("request: expected a JSON object of schema %s: %s", RequestSchema, words.JSON(err))
	}
	// A kernel that is named twice is one job, as in the workflow.
	named := map[string]bool{}
	r.Kernels = slices.DeleteFunc(r.Kernels, func(k string) bool {
		twice := named[k]
		named[k] = true
		return twice
	})
	return r, r.Validate()
}

// Validate reports every field that is missing or malformed, joined into one error.
func (r Request) Validate() error {
	var errs []error
	bad := func(field, want, got string) {
		errs = append(errs, fmt.Errorf("request: %s: expected %s, found %q", field, want, got))
	}
	if r.Schema != RequestSchema {
		bad("schema", RequestSchema, r.Schema)
	}
	if !namePattern.MatchString(r.Dispatch) {
		bad("dispatch", "a dispatch id of letters, digits, '.', '_' and '-'", r.Dispatch)
	}
	if !repoPattern.MatchString(r.Repository) {
		bad("repository", "owner/name", r.Repository)
	}
	if !shaPattern.MatchString(r.HeadSHA) {
		bad("head_sha", "40 lower-case hex digits", r.HeadSHA)
	}
	if !shaPattern.MatchString(r.BaseSHA) {
		bad("base_sha", "40 lower-case hex digits", r.BaseSHA)
	}
	if len(r.Kernels) == 0 {
		errs = append(errs, errors.New("request: kernels: expected at least one kernel name, found none"))
	}
	for _, k := range r.Kernels {
		if !namePattern.MatchString(k) {
			bad("kernels", "names of letters, digits, '.', '_' and '-'", k)
		}
	}
	if len(r.Stages) == 0 {
		errs = append(errs, errors.New("request: stages: expected at least one of build, correctness, perf, found none"))
	}
	for _, s := range r.Stages {
		if !slices.Contains(Stages, s) {
			bad("stages", "build, correctness or perf", string(s))
		}
	}
	for field, v := range map[string]string{"candidate": r.Candidate, "reference": r.Reference, "gpu": r.GPU} {
		if !namePattern.MatchString(v) {
			bad(field, "a name of letters, digits, '.', '_' and '-'", v)
		}
	}
	if r.Rounds.Min < 1 || r.Rounds.Max < r.Rounds.Min || r.Rounds.Max > MaxRounds {
		bad("rounds", fmt.Sprintf("1 <= min <= max <= %d", MaxRounds), fmt.Sprintf("min %d, max %d", r.Rounds.Min, r.Rounds.Max))
	}
	if r.Threshold != 0 && !(r.Threshold >= 0.5 && r.Threshold <= 10) {
		bad("threshold", "a ratio between 0.5 and 10, or none", fmt.Sprint(r.Threshold))
	}
	if r.Harness != "base" && r.Harness != "head" {
		bad("harness", "base or head", r.Harness)
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// JobName is the name of the workflow job that runs a stage of a kernel.
func JobName(s Stage, kernel, gpu string) string {
	return fmt.Sprintf("%s (%s, %s)", s, kernel, gpu)
}

// ArtifactName is the name of the artifact that carries a job's evidence.
func ArtifactName(dispatch string, s Stage, kernel, gpu string) string {
	return fmt.Sprintf("tilegate-%s-%s-%s-%s", dispatch, s, kernel, gpu)
}

// RunName is the run-name of the workflow run of a dispatch.
func RunName(dispatch string) string { return "tilegate " + dispatch }

// ParseEvidence reads an evidence document. Unknown fields are ignored;
// another major version is refused.
func ParseEvidence(data []byte) (Evidence, error) {
	var e Evidence
	if err := json.Unmarshal(data, &e); err != nil {
		return Evidence{}, fmt.Errorf("evidence: expected a JSON object of schema %s: %s", EvidenceSchema, words.JSON(err))
	}
	if e.Schema != EvidenceSchema {
		return Evidence{}, fmt.Errorf("evidence: schema: expected %s, found %q", EvidenceSchema, e.Schema)
	}
	if !slices.Contains(Stages, e.Stage) {
		return Evidence{}, fmt.Errorf("evidence: stage: expected build, correctness or perf, found %q", e.Stage)
	}
	return e, nil
}

// Belongs reports why evidence does not belong to a stage of a kernel of the
// request, or nil when dispatch, repository, commits, stage, kernel, GPU class
// and both backends agree.
func (e Evidence) Belongs(r Request, s Stage, kernel string) error {
	var errs []error
	differ := func(field, want, got string) {
		if want != got {
			errs = append(errs, fmt.Errorf("evidence: %s: expected %q, found %q", field, want, got))
		}
	}
	differ("dispatch", r.Dispatch, e.Dispatch)
	differ("repository", r.Repository, e.Repository)
	differ("head_sha", r.HeadSHA, e.HeadSHA)
	differ("base_sha", r.BaseSHA, e.BaseSHA)
	differ("stage", string(s), string(e.Stage))
	differ("kernel", kernel, e.Kernel)
	differ("gpu", r.GPU, e.GPU)
	differ("candidate", r.Candidate, e.Candidate)
	differ("reference", r.Reference, e.Reference)
	differ("harness", r.Harness, e.Harness)
	return errors.Join(errs...)
}
