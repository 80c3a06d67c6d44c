package records

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestQuantity(t *testing.T) {
	for text, want := range map[string]struct {
		ms  float64
		per string
	}{
		"990 us": {0.99, ""}, "1.1 ms": {1.1, ""}, "1100us": {1.1, ""}, "2 s": {2000, ""}, "15 ns": {15e-6, ""}, "3µs": {0.003, ""}, "1e-3 s": {1, ""},
		"100 TFLOPS": {10, "TFLOP"}, "100000 GFLOP/s": {10, "TFLOP"}, "2000 GB/s": {500, "TB"}, "2 TB/s": {500, "TB"}, "1024 GiB/s": {1000 / (1024 * 0x1p30 / 1e12), "TB"},
	} {
		ms, per, ok := quantity(text)
		require.True(t, ok, text)
		assert.InEpsilon(t, want.ms, ms, 1e-12, text)
		assert.Equal(t, want.per, per, text)
	}
	for _, text := range []string{"", "ms", "1.1", "1.1 fortnights", "0 TFLOPS", "1 2 ms", "nan ms", "1.1 Bs"} {
		_, _, ok := quantity(text)
		assert.False(t, ok, "%q", text)
	}
}

func TestUnitsOfARecord(t *testing.T) {
	ms, err := ParseBenchmark("{'cutile-rs': {'forward': {'median': '990 us', 'mean': '1.0 ms', 'rel_std': 1.5}}, 'cutile': {'forward': {'median': '100 TFLOPS', 'min': '80 TFLOPS', 'max': '110 TFLOPS'}}}")
	require.NoError(t, err)
	require.Len(t, ms, 2)
	assert.InEpsilon(t, 0.99, ms[0].Median, 1e-12)
	assert.Equal(t, 1.0, ms[0].Mean)
	assert.Equal(t, 1.5, ms[0].RelStd)
	assert.Equal(t, "TFLOP", ms[1].Per)
	assert.Less(t, ms[1].Min, ms[1].Median)
	assert.Less(t, ms[1].Median, ms[1].Max)

	for _, record := range []string{
		"{'cutile': {'forward': {'median': '100 TFLOPS', 'mean': '9 ms'}}}",
		"{'cutile': {'forward': {'median': 9.0, 'mean': '100 TFLOPS'}}}",
		"{'cutile': {'forward': {'median': 'fast'}}}",
	} {
		_, err := ParseBenchmark(record)
		require.ErrorContains(t, err, "benchmark record: cutile.forward.")
	}
}
