package job

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const head, base = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"

func request() Request {
	return Request{
		Schema: RequestSchema, Dispatch: "01J", Repository: "o/r", HeadSHA: head, BaseSHA: base, Kernels: []string{"bmm"}, Stages: Stages,
		Candidate: "cutile-rs", Reference: "cutile", GPU: "h200", Rounds: Rounds{2, 6}, Harness: "base",
	}
}

func evidence() Evidence {
	r := request()
	return Evidence{
		Schema: EvidenceSchema, Dispatch: r.Dispatch, Repository: r.Repository, HeadSHA: head, BaseSHA: base, Stage: Perf, Kernel: "bmm", GPU: "h200",
		Candidate: r.Candidate, Reference: r.Reference, Harness: "base",
	}
}

// A later version may add fields; a document of another kind or another major
// version is refused.
func TestParseEvidence(t *testing.T) {
	e, err := ParseEvidence([]byte(`{"schema":"tilegate.evidence/v1","stage":"perf","kernel":"bmm","new":{"x":[1]},"timing":"cupti","finished_at":"2026-03-01T10:00:00Z",
		"gpu_identity":{"name":"NVIDIA H200","uuid":"hashed","driver":"580.159.04","compute_capability":"9.0","clocks":{"sm_mhz":1980,"memory_mhz":3201}},
		"tools":{"python":"3.12.3"},"commands":[{"name":"pytest","argv":["pytest","-k","x"],"exit_code":5,"duration_ms":12}],"files":[{"path":"r1.xml","kind":"junit","sha256":"00"}]}`))
	require.NoError(t, err)
	require.Equal(t, GPUIdentity{"NVIDIA H200", "hashed", "580.159.04", "9.0", Clocks{1980, 3201}}, e.GPUIdentity)
	require.Equal(t, Tools{"python": "3.12.3"}, e.Tools)
	require.Equal(t, 5, e.Commands[0].ExitCode)
	require.Equal(t, "cupti", e.Timing)
	for text, want := range map[string]string{
		`{"schema":"tilegate.evidence/v2","stage":"perf"}`: `evidence: schema: expected tilegate.evidence/v1, found "tilegate.evidence/v2"`,
		`{"stage":"perf"}`: `evidence: schema: expected tilegate.evidence/v1, found ""`,
		`{"schema":"tilegate.evidence/v1","stage":"deploy"}`: `evidence: stage: expected build, correctness or perf, found "deploy"`,
		`[]`: "evidence: expected a JSON object",
		`{"schema":"tilegate.evidence/v1","stage":"perf"`:       "evidence: expected a JSON object",
		`{"schema":"tilegate.evidence/v1","commands":"pytest"}`: "evidence: expected a JSON object",
	} {
		_, err := ParseEvidence([]byte(text))
		require.ErrorContains(t, err, want)
	}
}

// Evidence belongs to a job only when everything that names the job agrees.
func TestBelongs(t *testing.T) {
	require.NoError(t, evidence().Belongs(request(), Perf, "bmm"))
	for field, change := range map[string]func(e *Evidence){
		"dispatch":   func(e *Evidence) { e.Dispatch = "01K" },
		"repository": func(e *Evidence) { e.Repository = "o/other" },
		"head_sha":   func(e *Evidence) { e.HeadSHA = base },
		"base_sha":   func(e *Evidence) { e.BaseSHA = head },
		"stage":      func(e *Evidence) { e.Stage = Correctness },
		"kernel":     func(e *Evidence) { e.Kernel = "rope" },
		"gpu":        func(e *Evidence) { e.GPU = "rtx" },
		"candidate":  func(e *Evidence) { e.Candidate = "cutile" },
		"reference":  func(e *Evidence) { e.Reference = "triton" },
		"harness":    func(e *Evidence) { e.Harness = "head" },
	} {
		e := evidence()
		change(&e)
		err := e.Belongs(request(), Perf, "bmm")
		require.ErrorContains(t, err, "evidence: "+field+": expected ")
		require.NotContains(t, err.Error(), "\n", "only what differs is named")
	}
}

func TestRequests(t *testing.T) {
	text, err := json.Marshal(request())
	require.NoError(t, err)
	got, err := ParseRequest(text)
	require.NoError(t, err)
	require.Equal(t, request(), got)
	for field, change := range map[string]func(r *Request){
		"schema":     func(r *Request) { r.Schema = "tilegate.request/v2" },
		"dispatch":   func(r *Request) { r.Dispatch = "a b" },
		"repository": func(r *Request) { r.Repository = "o" },
		"head_sha":   func(r *Request) { r.HeadSHA = strings.ToUpper("abcdef") + head[6:] },
		"base_sha":   func(r *Request) { r.BaseSHA = "" },
		"kernels":    func(r *Request) { r.Kernels = []string{"bmm; rm"} },
		"stages":     func(r *Request) { r.Stages = []Stage{"deploy"} },
		"candidate":  func(r *Request) { r.Candidate = "-x" },
		"gpu":        func(r *Request) { r.GPU = "" },
		"rounds":     func(r *Request) { r.Rounds = Rounds{3, 2} },
		"threshold":  func(r *Request) { r.Threshold = 11 },
		"harness":    func(r *Request) { r.Harness = "mine" },
	} {
		r := request()
		change(&r)
		require.ErrorContains(t, r.Validate(), "request: "+field+": expected ")
	}
	r := request()
	r.Rounds = Rounds{1, MaxRounds + 1}
	require.ErrorContains(t, r.Validate(), "request: rounds: expected 1 <= min <= max <= 20, found ")
}

func TestRequestOfNothingOrOfOneThingTwice(t *testing.T) {
	r := request()
	r.Kernels, r.Stages = nil, nil
	require.ErrorContains(t, r.Validate(), "request: kernels: expected at least one kernel name, found none")
	require.ErrorContains(t, r.Validate(), "request: stages: expected at least one of build, correctness, perf, found none")
	r = request()
	r.Kernels = []string{"bmm", "rope", "bmm"}
	text, err := json.Marshal(r)
	require.NoError(t, err)
	read, err := ParseRequest(text)
	require.NoError(t, err)
	require.Equal(t, []string{"bmm", "rope"}, read.Kernels)
}

func TestDocumentsOfTheWrongShape(t *testing.T) {
	_, err := ParseRequest([]byte(`{"kernels":"bmm"}`))
	require.EqualError(t, err, "request: expected a JSON object of schema tilegate.request/v1: kernels: expected a list, found a text")
	_, err = ParseEvidence([]byte(`[]`))
	require.EqualError(t, err, "evidence: expected a JSON object of schema tilegate.evidence/v1: expected an object, found a list")
	_, err = ParseEvidence(nil)
	require.EqualError(t, err, "evidence: expected a JSON object of schema tilegate.evidence/v1: the text ends before the document does")
}
