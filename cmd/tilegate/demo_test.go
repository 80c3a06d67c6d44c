package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDemo runs the whole flow: two pull requests from the webhook to the gate,
// with real builds, tests and measurements of the sample repository.
func TestDemo(t *testing.T) {
	var out, errs bytes.Buffer
	status := run([]string{"demo", "--once"}, streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	assert.Zero(t, status, "%s%s", out.String(), errs.String())
	assert.Equal(t, "gate success Port row_sum to cutile-rs\ngate failure scale_add: scale in base two\ndemo: ok\n", out.String())
}

func TestDemoNamesAnAddressThatItCannotHave(t *testing.T) {
	var out, errs bytes.Buffer
	status := run([]string{"demo", "--once", "--listen", "nowhere"}, streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	assert.Equal(t, int(exitUsage), status)
	assert.Regexp(t, `^tilegate: --listen: .*nowhere.*\n$`, errs.String())
	assert.Empty(t, out.String())
}
