package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	reflectschema "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/replay"
	"github.com/tilegate/tilegate/bot/worker"
	"github.com/tilegate/tilegate/checks/check"
	"github.com/tilegate/tilegate/checks/correctness"
	"github.com/tilegate/tilegate/checks/history"
	"github.com/tilegate/tilegate/checks/ir"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/perf"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/checks/triage"
)

var updateSchemas = flag.Bool("update", false, "write docs/schemas")

// rulesSchema names the form of tilegate rules: a bare list, which cannot name it
// itself.
const rulesSchema = "tilegate.rules/v1"

// documents are the machine formats, by the name of their schema.
var documents = map[string]any{
	job.RequestSchema:   job.Request{},
	job.EvidenceSchema:  job.Evidence{},
	review.Schema:       review.Report{},
	tree.PlanSchema:     tree.Plan{},
	perf.Schema:         perf.Verdict{},
	rulesSchema:         []rules.Row{},
	history.Schema:      history.Document{},
	correctness.Schema:  correctness.Verdict{},
	triage.Schema:       triage.Result{},
	ir.Schema:           ir.Diff{},
	check.Schema:        check.Report{},
	worker.StatusSchema: worker.Status{},
	replay.Schema:       replay.Result{},
}

func schemaPath(id string) string {
	return filepath.Join("../../docs/schemas", strings.ReplaceAll(id, "/", ".")+".json")
}

// TestSchemas keeps docs/schemas equal to the Go types.
func TestSchemas(t *testing.T) {
	for id, doc := range documents {
		r := reflectschema.Reflector{Anonymous: true, AllowAdditionalProperties: true, DoNotReference: false, ExpandedStruct: true}
		s := r.Reflect(doc)
		s.Title = id
		if s.Properties != nil { // a list has none
			if p, ok := s.Properties.Get("schema"); ok {
				p.Const = id
			}
		}
		want, err := json.MarshalIndent(s, "", "  ")
		require.NoError(t, err)
		want = append(want, '\n')
		p := schemaPath(id)
		if *updateSchemas {
			require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
			require.NoError(t, os.WriteFile(p, want, 0o644))
		}
		got, err := os.ReadFile(p)
		if assert.NoError(t, err) {
			assert.Equal(t, string(want), string(got), "%s is stale: run make generate", p)
		}
	}
}

// validate checks a document against its published schema.
func validate(t *testing.T, id string, doc []byte) {
	t.Helper()
	c := jsonschema.NewCompiler()
	s, err := c.Compile(schemaPath(id))
	require.NoError(t, err)
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	require.NoError(t, err)
	assert.NoError(t, s.Validate(v), "%s", doc)
}

// TestOutputFitsSchema runs the commands and validates what they print.
func TestOutputFitsSchema(t *testing.T) {
	for id, args := range map[string][]string{
		review.Schema:      {"review", "../../checks/rules/ruletest/base", "--format", "json"},
		history.Schema:     {"perf", "history", "--store", "testdata/perf-history.jsonl", "--format", "json"},
		perf.Schema:        {"perf", "compare", "--candidate", "triton", "--reference", "pytorch", "--junit", "../../testdata/junit/rms_norm_ref.xml", "--format", "json"},
		correctness.Schema: {"correctness", "--backend", "triton", "--reference", "pytorch", "--junit", "../../testdata/junit/illegal_access.xml", "--format", "json"},
		rulesSchema:        {"rules", "--format", "json"},
		triage.Schema:      {"triage", "../../testdata/junit/illegal_access.xml", "--format", "json"},
	} {
		var out, errs bytes.Buffer
		run(args, streams{In: strings.NewReader(""), Out: &out, Err: &errs})
		validate(t, id, out.Bytes())
	}
}
