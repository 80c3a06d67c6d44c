package job

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParseRequest: a request that is accepted is whole, stays accepted when it is
// written again, and makes names that are safe in a workflow.
func FuzzParseRequest(f *testing.F) {
	text, err := json.Marshal(request())
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte(strings.Replace(string(text), `"bmm"`, `"a;rm -rf /","../x","\n"`, 1)))
	f.Add([]byte(strings.Replace(string(text), `"max":6`, `"max":1e9`, 1)))
	f.Add([]byte(`{"schema":"tilegate.request/v2"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseRequest(data)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		again, err := json.Marshal(r)
		require.NoError(t, err)
		same, err := ParseRequest(again)
		require.NoError(t, err)
		require.Equal(t, r, same)
		for _, s := range r.Stages {
			for _, k := range r.Kernels {
				name := ArtifactName(r.Dispatch, s, k, r.GPU)
				require.False(t, strings.ContainsAny(name+JobName(s, k, r.GPU)+RunName(r.Dispatch), "\r\n\"'`$\\/:<>|*?;&"), "%q", name)
			}
		}
	})
}

// FuzzParseEvidence: evidence that is accepted is of this version, is the same
// when it is written again, and belongs to nothing but what it names.
func FuzzParseEvidence(f *testing.F) {
	text, err := json.Marshal(evidence())
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte(strings.Replace(string(text), `"bmm"`, `"BMM"`, 1)))
	f.Add([]byte(strings.Replace(string(text), `"kernel"`, `"Kernel"`, 1)))
	f.Add([]byte(`{"schema":"tilegate.evidence/v1","stage":"perf","started_at":"x"}`))
	r := request()
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := ParseEvidence(data)
		if err != nil {
			require.Equal(t, Evidence{}, e)
			return
		}
		require.Equal(t, EvidenceSchema, e.Schema)
		again, err := json.Marshal(e)
		require.NoError(t, err)
		same, err := ParseEvidence(again)
		require.NoError(t, err)
		for _, stage := range Stages {
			fits := e.Belongs(r, stage, "bmm") == nil
			require.Equal(t, fits, same.Belongs(r, stage, "bmm") == nil)
			require.False(t, fits && (e.Stage != stage || e.Kernel != "bmm" || e.HeadSHA != head || e.BaseSHA != base || e.Dispatch != r.Dispatch || e.Repository != r.Repository || e.GPU != r.GPU || e.Candidate != r.Candidate || e.Reference != r.Reference || e.Harness != r.Harness))
		}
	})
}
