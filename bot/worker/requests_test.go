package worker

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRequestsAreBounded : a change that affects more kernels than a run takes is
// sent as several requests, each with one reference.
func TestRequestsAreBounded(t *testing.T) {
	var kernels []string
	for i := range 250 {
		kernels = append(kernels, fmt.Sprintf("k%03d", i))
	}
	reference := func(kernel string) string {
		if kernel == "k007" {
			return "triton"
		}
		return "cutile"
	}
	seen := map[string]bool{}
	var sizes []int
	for _, part := range requests(kernels, reference) {
		sizes = append(sizes, len(part))
		for _, k := range part {
			require.False(t, seen[k], k)
			seen[k] = true
			require.Equal(t, reference(part[0]), reference(k))
		}
	}
	require.Len(t, seen, len(kernels))
	require.Equal(t, []int{100, 100, 49, 1}, sizes)
}
