package dispatch_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/dispatch"
	"github.com/tilegate/tilegate/checks/config"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/job"
)

// FuzzEvidence: whatever an artifact holds, it is refused or judged, the verdict
// can be stored, and it is good only for a job that GitHub calls a success and
// that a whole run without a failed command stands behind.
func FuzzEvidence(f *testing.F) {
	const head, base = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"
	request := job.Request{
		Schema: job.RequestSchema, Dispatch: "01J", Repository: "o/r", HeadSHA: head, BaseSHA: base, Kernels: []string{"x"}, Stages: job.Stages,
		Candidate: "cutile-rs", Reference: "cutile", GPU: "h200", Rounds: job.Rounds{Min: 1, Max: 2}, Harness: "base",
	}
	whole := `<testsuite><testcase classname="tests.ops.test_x" name="t[cutile_rs-1]"/><testcase classname="tests.ops.test_x" name="t[cutile-1]"/></testsuite>`
	for stage := range job.Stages {
		for _, conclusion := range []string{"success", "failure"} {
			f.Add(uint8(stage), []byte(whole), []byte("1 passed in 1.0s"), []byte(`{}`), conclusion, 0, []byte(nil))
			f.Add(uint8(stage), []byte(whole[:90]), []byte("throttled \x1b[0m\xff"), []byte(`{"kernel_variants":[]`), conclusion, 1, []byte(nil))
		}
		f.Add(uint8(stage), []byte(whole), []byte("x"), []byte(nil), "success", 0, []byte(`{"schema":"tilegate.evidence/v1","stage":"perf","files":[{"path":"../a"}]}`))
	}
	f.Fuzz(func(t *testing.T, which uint8, junit, log, analysis []byte, conclusion string, exit int, document []byte) {
		stage := job.Stages[int(which)%len(job.Stages)]
		artifact := fstest.MapFS{"pytest.xml": {Data: junit}, "pytest.log": {Data: log}, "nm.txt": {Data: log}}
		if document == nil {
			e := job.Evidence{
				Schema: job.EvidenceSchema, Dispatch: "01J", Repository: "o/r", HeadSHA: head, BaseSHA: base, Stage: stage, Kernel: "x", GPU: "h200",
				Candidate: "cutile-rs", Reference: "cutile", Harness: "base", Timing: "cupti", Symbols: []string{"cutile_x"},
				GPUIdentity: job.GPUIdentity{Name: "H200", Driver: "1"},
				Commands:    []job.Command{{Name: "cargo build"}, {Name: "pytest", ExitCode: exit}},
			}
			for name, kind := range map[string]string{"pytest.xml": "junit", "pytest.log": "log"} {
				sum := sha256.Sum256(artifact[name].Data)
				e.Files = append(e.Files, job.File{Path: name, Kind: kind, SHA256: hex.EncodeToString(sum[:])})
			}
			var err error
			document, err = json.Marshal(e)
			require.NoError(t, err)
		}
		artifact[job.EvidenceFile] = &fstest.MapFile{Data: document}
		hostile.Ends(t, len(junit)+len(log)+len(analysis)+len(document), func() {
			e, err := dispatch.Open(artifact, request, stage, "x")
			if err != nil {
				require.NotEmpty(t, err.Error())
				return
			}
			v, err := dispatch.Judge(e, conclusion, config.Default(), dispatch.Kernel{Test: "tests/ops/test_x.py", Analysis: analysis})
			require.NoError(t, err)
			require.NotEmpty(t, v.Sentence)
			require.True(t, v.Detail == nil || json.Valid(v.Detail) && utf8.Valid(v.Detail))
			switch v.Outcome {
			case gate.Pass, gate.AllPass, gate.PerfDone:
				require.Equal(t, "success", conclusion)
				require.False(t, e.Interrupted)
				for _, c := range e.Commands {
					require.Zero(t, c.ExitCode, "%s is good, and %s failed", v.Outcome, c.Name)
				}
			default:
				require.Contains(t, []gate.Verdict{gate.Blocked, gate.Fail, gate.Investigate}, v.Outcome, fmt.Sprint(v))
			}
		})
	})
}
