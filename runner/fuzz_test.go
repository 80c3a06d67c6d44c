package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/tree"
)

// FuzzSMI: an answer of nvidia-smi names a card or is refused; its id leaves the
// host only as a hash.
func FuzzSMI(f *testing.F) {
	f.Add("GPU-1234, NVIDIA H200, 580.159.04, 9.0, 1980, 3201\n")
	f.Add("GPU-1, \"a, b\", x, y, [N/A], -1\nGPU-2, c, x, y, 1, 2\n")
	f.Add("NVIDIA-SMI has failed\n")
	f.Add("\"")
	f.Fuzz(func(t *testing.T, answer string) {
		row, err := parseSMI(answer)
		if err != nil {
			require.Contains(t, err.Error(), "nvidia-smi: expected")
			return
		}
		require.Equal(t, hashed(row.uuid), row.identity.UUID)
		require.Len(t, row.identity.UUID, 16)
	})
}

// FuzzSymbols: whatever a build leaves as library, its symbols are read or refused.
func FuzzSymbols(f *testing.F) {
	self, err := os.ReadFile("/proc/self/exe")
	require.NoError(f, err)
	f.Add(self[:4096])
	f.Add([]byte("\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 57)))
	f.Add([]byte("\x7fELF\x02\x01\x01" + strings.Repeat("\xff", 500)))
	f.Add([]byte{})
	path := filepath.Join(f.TempDir(), "lib.so")
	f.Fuzz(func(t *testing.T, library []byte) {
		require.NoError(t, os.WriteFile(path, library, 0o600))
		hostile.Ends(t, len(library), func() {
			names, err := exportedSymbols(path)
			require.True(t, err == nil || strings.HasPrefix(err.Error(), path))
			require.True(t, slices.IsSorted(names))
			for _, n := range names {
				require.True(t, strings.HasPrefix(n, "cutile_"))
			}
		})
	})
}

// FuzzHarness: what the harness says of its timing is one of three words, or
// nothing.
func FuzzHarness(f *testing.F) {
	f.Add("TIMING = \"wall\"\n")
	f.Add("if a:\n    TIMING = 'cupti'\nTIMING: str = f'{x}'\nTIMING += 'events'\n")
	f.Fuzz(func(t *testing.T, common string) {
		tr, err := tree.Load(fstest.MapFS{
			"tests/common.py": {Data: []byte(common)}, tree.OpsRoot + "/x_kernel/kernel.rs": {Data: []byte("fn f() {}")},
		}, nil)
		require.NoError(t, err)
		require.Contains(t, []string{"", "wall", "events", "cupti"}, harnessTiming(tr))
	})
}
