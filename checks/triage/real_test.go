package triage_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/triage"
)

// The recorded runs of TileGym's own tests: the first match names the cause, and
// a run without a failure has none.
func TestRecordedRuns(t *testing.T) {
	want := map[string]struct {
		signature string // "" when nothing failed
		class     triage.Class
		says      string
		line      int
	}{
		"all_skipped.xml":         {"S-I07", triage.Env, "Framework cutile is not available", 1},
		"collection_error.xml":    {"S-I12", triage.Host, "cannot import name 'rms_norm_gone'", 1},
		"cuda_oom.xml":            {"S-R13", triage.Infra, "Tried to allocate 160.00 GiB", 1},
		"illegal_access.xml":      {"S-R06", triage.Host, "an illegal memory access was encountered", 1},
		"interrupted.xml":         {"S-R25", triage.Infra, "a case without a name", 0},
		"interrupted_console.log": {"S-R25", triage.Infra, "triton/backends/nvidia/compiler.py:442: KeyboardInterrupt", 47},
		"no_tests.xml":            {"S-I06", triage.Infra, "holds no case", 0},
		"perf_wrong_result.xml":   {"S-C14", triage.Kernel, "140633790 / 268435456", 1},
		"nan_std.xml":             {},
		"op_pass.xml":             {},
		"rms_norm_aa_noisy.xml":   {},
		"rms_norm_ref.xml":        {},
		"rms_norm_slower12.xml":   {},
		"rope_extra_launch.xml":   {},
		"rope_ref.xml":            {},

		"cffi_missing.xml":                {"S-I11", triage.Env, "No module named 'cffi'", 2},
		"tileiras_wrong_cuda_home.xml":    {"S-J23", triage.Kernel, "Return code 5", 2},
		"silu_and_mul_op.xml":             {},
		"silu_and_mul_perf_candidate.xml": {},
		"silu_and_mul_perf_reference.xml": {},
	}
	var files []string
	for _, dir := range []string{"junit", "h200/cutile"} {
		found, err := filepath.Glob("../../testdata/" + dir + "/*.[xl]*")
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.Len(t, files, len(want), "a recording is without a row here")
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(file)
			require.NoError(t, err)
			defer f.Close()
			s := triage.NewScanner()
			require.NoError(t, s.Scan(name, f))
			got, want := s.Result(), want[name]
			if want.signature == "" {
				require.True(t, got.Unknown, "found %+v", got.Matches)
				return
			}
			require.NotEmpty(t, got.Matches)
			first := got.Matches[0]
			assert.Equal(t, want.signature, first.Signature)
			assert.Equal(t, want.class, first.Class)
			assert.Equal(t, want.line, first.Line)
			assert.Contains(t, string(first.Excerpt), want.says)
		})
	}
}
