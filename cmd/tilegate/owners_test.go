package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/correctness"
	"github.com/tilegate/tilegate/checks/triage"
)

// The verdict on a file and what is known of its failure blame the same people.
func TestVerdictAndTriageNameTheSameOwners(t *testing.T) {
	for file, c := range map[string]struct{ backend, owners string }{
		"illegal_access":    {"triton", "host or kernel"},
		"perf_wrong_result": {"triton", "kernel or host"},
		"collection_error":  {"triton", "host or test"},
		"cuda_oom":          {"pytorch", "infra or test"},
		"all_skipped":       {"cutile", "env or host"},
	} {
		path := "../../testdata/junit/" + file + ".xml"
		says := func(args ...string) string {
			var out, errs bytes.Buffer
			run(args, streams{strings.NewReader(""), &out, &errs})
			require.Empty(t, errs.String())
			return out.String()
		}
		require.Contains(t, says("correctness", "--backend", c.backend, "--junit", path), "\nclass: "+c.owners+"\n", file)
		first, _, _ := strings.Cut(says("triage", path), ": ")
		require.Contains(t, first, ", "+c.owners+")", file)

		var v correctness.Verdict
		var r triage.Result
		require.NoError(t, json.Unmarshal([]byte(says("correctness", "--backend", c.backend, "--junit", path, "--format", "json")), &v))
		require.NoError(t, json.Unmarshal([]byte(says("triage", path, "--format", "json")), &r))
		require.Equal(t, []triage.Class{r.Matches[0].Class, r.Matches[0].Also}, []triage.Class{v.FailClass, v.FailAlso}, file)
	}
}
