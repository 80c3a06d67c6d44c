package ir

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRealTexts reads the texts in the directory that TILEGATE_IR_DIR names:
// dumps, or the dialect's own tests with their parts divided by "// -----".
func TestRealTexts(t *testing.T) {
	dir := os.Getenv("TILEGATE_IR_DIR")
	if dir == "" {
		t.Skip("TILEGATE_IR_DIR names no directory of CUDA Tile IR")
	}
	var files, parts, modules, whole, entries, ops int
	strange := map[string]int{}
	require.NoError(t, filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(p) != ".mlir" {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		files++
		for i, part := range bytes.Split(data, []byte("// -----")) {
			parts++
			m := Read(part)
			if !m.HasModule {
				continue
			}
			modules++
			if !m.Closed {
				t.Logf("%s, part %d: %s", p, i, m.Broken)
				continue
			}
			whole++
			for _, e := range m.Entries {
				entries++
				ops += len(e.Ops)
				for _, op := range e.Ops {
					if _, known := classes[canonical(op.Name)]; !known {
						strange[op.Name]++
					}
				}
				for _, p := range Check(part, e.Name) {
					if p.Severity == "error" {
						assert.Fail(t, "an error in a whole module", "%s: %s", p.Field, p.Message)
					}
				}
			}
			if len(m.Entries) > 0 {
				d := Compare(part, part)
				assert.Equal(t, Pass, d.Verdict, p)
				assert.Empty(t, d.Differences, p)
			}
		}
		return nil
	}))
	t.Logf("%d files, %d parts, %d with a module, %d whole, %d entries, %d operations", files, parts, modules, whole, entries, ops)
	t.Logf("unknown operations: %s", strings.Join(slices.Sorted(maps.Keys(strange)), ", "))
}
