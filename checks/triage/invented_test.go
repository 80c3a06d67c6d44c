package triage

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What a log does not tell is not taken for known.
func TestNothingIsInvented(t *testing.T) {
	const failing = "FAILED tests/ops/test_demo.py::test_op[cutile_rs-64] - AssertionError: Tensor-likes are not close!\n"
	for name, c := range map[string]struct{ log, not string }{
		"success that is denied":     {failing + "$ TORCH_COMPILE_DISABLE=1 python check.py\nmax over all: output is not correct\n", "S-C77"},
		"none of several":            {failing + "$ TORCH_COMPILE_DISABLE=1 python check.py\n0 of 4 are correct\n", "S-C77"},
		"the GPU's own architecture": {"TORCH_CUDA_ARCH_LIST=8.9\nNVIDIA RTX 6000 Ada Generation\nRuntimeError: CUDA error: no kernel image is available for execution on the device\n", "S-B131"},
		"no GPU is named":            {"TORCH_CUDA_ARCH_LIST=8.9\nRuntimeError: CUDA error: no kernel image is available for execution on the device\n", "S-B131"},
	} {
		assert.NotContains(t, ids(Text("job.log", c.log)), c.not, name)
	}
	assert.Contains(t, ids(Text("job.log", failing+"$ TORCH_COMPILE_DISABLE=1 python check.py\nmax over all: output is correct\n")), "S-C77")
	assert.Contains(t, ids(Text("job.log", "TORCH_CUDA_ARCH_LIST=8.9\nNVIDIA RTX PRO 6000 Blackwell\nRuntimeError: CUDA error: no kernel image is available for execution on the device\n")), "S-B131")
}

// The parts of a compiler are compared by what the log tells of them.
func TestOlderToolIsTold(t *testing.T) {
	s := setup{tools: map[string]entry{"nvcc's wheel": {version: "12"}}, there: map[string]entry{"cuda_tile": {version: "1.0.0"}}}
	why, _, ok := s.olderTool()
	assert.True(t, ok)
	assert.Equal(t, "nvcc's wheel 12, cuda-tile needs at least 13.1", why)

	s.tools = map[string]entry{"tileiras": {version: "13.1"}, "ptxas": {version: "unknown"}}
	_, _, ok = s.olderTool()
	assert.False(t, ok, "a version without a number is not older")
}

// A table of spills of any length is kept in bounded memory.
func TestRowsOfSpillsAreBounded(t *testing.T) {
	c := contrast{plain: []string{"kernel", "spills"}}
	for i := range 5000 {
		c.line(line{n: i + 1, text: fmt.Sprintf("kernel_%d main 0", i)})
	}
	assert.Len(t, c.none, maxSettings)
}
