package gate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/gate"
)

func TestWriteText(t *testing.T) {
	tree := gate.Node{
		Name: "gate", Status: gate.Failure, Reason: "rules: R6: x", Unblock: "a push", Children: []gate.Node{
			{Name: "rules", Status: gate.Failure, Reason: "R6: x", Children: []gate.Node{
				{Name: "R6", Status: gate.Failure, Reason: "A product at `k.rs:3`.\x1b[31m", Unblock: "a push that\ncorrects it"},
				{Name: "R2", Status: gate.Success, Waived: true, Reason: "R2 waived by maya."},
			}},
			{Name: "bmm on b200", Status: gate.Pending, Reason: "perf: Running.", Children: []gate.Node{
				{Name: "build", Status: gate.Success, Reason: "Built."},
				{Name: "perf", Status: gate.Pending, Reason: "Running.", Unblock: "the end of the job", URL: "https://ci/1"},
			}},
		},
	}
	var b strings.Builder
	require.NoError(t, gate.WriteText(&b, tree))
	assert.Equal(t, strings.TrimPrefix(`
gate            failure
├─ rules        failure
│  ├─ R6        failure           A product at `+"`k.rs:3`"+`.
│  │                              to change it: a push that corrects it
│  └─ R2        success (waived)  R2 waived by maya.
└─ bmm on b200  pending
   ├─ build     success           Built.
   └─ perf      pending           Running.
                                  to change it: the end of the job
                                  https://ci/1
`, "\n"), b.String())
}
