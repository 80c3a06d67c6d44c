package analysis

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each problem of a document on one line has a place of its own in it.
func TestProblemsHaveTheirPlaces(t *testing.T) {
	const document = `{"kernel_name": "demo", "launch_path": "loop", "ops_used": "ct.load", "kernel_variants": [{"variant_name": "a", "kernel_function": ""}], "correctness_tolerance": {"f16.x": {"atol": -1}}}`
	dir := fstest.MapFS{"reference/analysis.json": {Data: []byte(document)}, "kernel.rs": {Data: []byte("x")}}
	at := map[string]string{}
	for _, l := range Review(dir, "demo") {
		if l.File == "reference/analysis.json" {
			require.Less(t, l.Start, l.End, l.Field)
			at[string(l.Field)] = document[l.Start:l.End]
		}
	}
	for field, want := range map[string]string{
		"launch_path":                        `"launch_path"`,
		"ops_used":                           `"ops_used"`,
		"source":                             `{`,
		"kernel_variants[0].kernel_function": `"kernel_function"`,
		"kernel_variants[0].reference_ir":    `{`,
		"correctness_tolerance.f16.x.atol":   `"atol"`,
		"correctness_tolerance.f16.x.rtol":   `"f16.x"`,
		"correctness_tolerance.source":       `"correctness_tolerance"`,
	} {
		assert.Equal(t, want, at[field], field)
	}
	assert.Equal(t, strings.Index(document, `{"variant_name"`), func() int {
		for _, l := range Review(dir, "demo") {
			if l.Field == "kernel_variants[0].reference_ir" {
				return l.Start
			}
		}
		return -1
	}())
}
