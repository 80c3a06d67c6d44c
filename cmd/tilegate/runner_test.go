package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/job"
)

// The runner plans its rounds by the request's limit, not by the default.
func TestMoreRoundsByTheRequestsLimit(t *testing.T) {
	dir := t.TempDir()
	write := func(round int, backend, kernel string, median float64) string {
		path := filepath.Join(dir, fmt.Sprintf("%s-%d.xml", backend, round))
		require.NoError(t, os.WriteFile(path, fmt.Appendf(nil,
			`<testsuite><testcase classname="tests.ops.test_x.T" name="test_perf[%s-1]"><properties><property name="benchmark" value="{'%s': {'forward': {'median': %v, 'kernel_times': [{'name': '%s', 'self_time_us': %v, 'count': 1}]}}}"/></properties></testcase></testsuite>`,
			backend, backend, median, kernel, 1000*median), 0o644))
		return path
	}
	var candidate, reference []string
	for i, median := range []float64{1.03, 1.06} { // on both sides of 1.05
		candidate = append(candidate, write(i, "cutile_rs", "x_entry", median))
		reference = append(reference, write(i, "cutile", "k", 1))
	}
	for threshold, want := range map[float64]bool{0: true, 1.05: true, 9: false} {
		req := job.Request{Candidate: "cutile-rs", Reference: "cutile", Rounds: job.Rounds{Min: 2, Max: 6}, Threshold: threshold}
		more, err := moreRounds(req)(candidate, reference, job.Evidence{})
		require.NoError(t, err)
		require.Equal(t, want, more, "%v", threshold)
	}
}
