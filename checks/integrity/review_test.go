package integrity_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"

	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/tree"
)

// What a review computes is bounded, however many files exceed what one may, and each of
// them is told of.
func TestManyFilesBeyondTheBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString("import torch\n\ndef test_a(x):\n    t0 = torch.randn(4)\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "    t%d = t%d.view(-1)\n    t%d.mul_(%d)\n", i+1, i, i+1, i)
	}
	b.WriteString("    assert f(x, 'cutile-rs') < 1\n")
	spent := func(files int) (bytes uint64, found []integrity.Finding) {
		side := func(source string) *tree.Tree {
			all := ruletest.Base()
			for i := range files {
				all[fmt.Sprintf("tests/ops/test_more%d.py", i)] = &fstest.MapFile{Data: []byte(source)}
			}
			loaded := load(t, all)
			for i := range files {
				loaded.File(fmt.Sprintf("tests/ops/test_more%d.py", i))
			}
			return loaded
		}
		base, head := side("def test_a(x):\n    assert f(x, 'cutile-rs') < 1\n"), side(b.String())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found = integrity.Compare(head, base)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, found
	}
	one, _ := spent(1)
	many, found := spent(8)
	assert.Len(t, warned(found, integrity.Collection), 8)
	assert.Less(t, many, 4*one, "bytes")
}
