package check

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestErrorsMakeInvalidAndLinesOrder(t *testing.T) {
	r := New([]Problem{{Severity: Warning, Rule: "A4", Line: 9}, {Severity: Error, Rule: "A2", Field: "x", Message: "bad \x1b[31m", Line: 3}})
	assert.Equal(t, Invalid, r.Verdict)
	assert.Equal(t, "A2", r.Problems[0].Rule)
	assert.Equal(t, Valid, New([]Problem{{Severity: Warning}}).Verdict)
	var b strings.Builder
	require.NoError(t, r.WriteText(&b, "analysis.json"))
	assert.Equal(t, "analysis.json:3: error: x: bad [A2]\nanalysis.json:9: warning:  [A4]\nanalysis.json is invalid\n", b.String())
}

func TestNoProblemsIsAnEmptyList(t *testing.T) {
	j, err := json.Marshal(New(nil))
	require.NoError(t, err)
	assert.JSONEq(t, `{"schema":"tilegate.check/v1","verdict":"valid","problems":[]}`, string(j))
}
