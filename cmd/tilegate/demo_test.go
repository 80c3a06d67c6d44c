package main

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDemo runs the whole flow: two pull requests from the webhook to the gate,
// with real builds, tests and measurements of the sample repository.
func TestDemo(t *testing.T) {
	var out, errs bytes.Buffer
	status := run([]string{"demo", "--once"}, streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	assert.Zero(t, status, "%s%s", out.String(), errs.String())
	assert.Regexp(t, `(?m)^ *[0-9.]+ s  perf \(row_sum, cpu\) of [0-9a-f]{7}, [0-9]+ to [0-9]+ rounds of both sides$`, errs.String())
	assert.Regexp(t, `(?m)^the pull requests until this ends: http://`, errs.String())
	assert.Regexp(t, `\nthat is as it has to be: the second change is wrong on purpose, and its gate does not let it through\n$`, errs.String())
	assert.Equal(t, "gate success Port row_sum to cutile-rs\ngate failure scale_add: scale in base two\ndemo: ok\n", out.String())
}

// Who does not wait for the end is told that, and not how the program is told.
func TestDemoThatIsStopped(t *testing.T) {
	for _, args := range [][]string{{"demo"}, {"demo", "--once"}} {
		var out, errs lockedBuffer
		ended := make(chan int, 1)
		go func() { ended <- run(args, streams{strings.NewReader(""), &out, &errs}) }()
		require.Eventually(t, func() bool { return strings.Contains(errs.String(), "the pull requests") }, time.Minute, time.Millisecond, errs.String())
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
		select {
		case status := <-ended:
			require.Equal(t, int(exitUndecided), status)
		case <-time.After(time.Minute):
			t.Fatal("does not end")
		}
		require.Regexp(t, `^demo: (FAILED )?stopped before the end\n$`, out.String())
		require.Equal(t, len(args) > 1, strings.Contains(out.String(), "FAILED"))
	}
}

func TestDemoNamesAnAddressThatItCannotHave(t *testing.T) {
	var out, errs bytes.Buffer
	status := run([]string{"demo", "--once", "--listen", "nowhere"}, streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	assert.Equal(t, int(exitUsage), status)
	assert.Regexp(t, `^tilegate: --listen: .*nowhere.*\n$`, errs.String())
	assert.Empty(t, out.String())
}
