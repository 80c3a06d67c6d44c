package perf

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/job"
)

// with is a record whose median is a text with a unit.
func with(backend, median string) bench {
	return bench{params: "A", backend: backend, raw: "{'" + backend + "': {'forward': {'median': '" + median + "', 'kernel_times': [{'name': 'x_entry', 'self_time_us': 990, 'count': 1}]}}}"}
}

// field-report 89: numbers are compared with their units, a higher rate is better,
// and a time is not comparable with a rate.
func TestFieldReport089Units(t *testing.T) {
	compare := func(head, base string) Verdict {
		return Compare([]File{xmlFile("a", Both, with("cutile-rs", head), with("cutile", base))}, nil, cutileOptions)
	}
	v := compare("1.1 ms", "990 us")
	require.InEpsilon(t, 1.1/0.99, *v.GeomeanRatio, 1e-12)
	require.Equal(t, Investigate, v.Verdict)
	require.Contains(t, v.Sentence, "11.1 % slower than cutile")
	var b bytes.Buffer
	require.NoError(t, WriteText(&b, v))
	require.Contains(t, b.String(), "990.0 us")
	require.Contains(t, b.String(), "1100.0 us", "both in one unit")

	v = compare("110 TFLOPS", "100 TFLOPS")
	require.InEpsilon(t, 100.0/110, *v.GeomeanRatio, 1e-12)
	require.Equal(t, Done, v.Verdict)
	require.Contains(t, v.Sentence, "faster than cutile")
	require.Contains(t, v.Configs[0].Note, "higher is better")
	v = compare("90 TFLOPS", "100 TFLOPS")
	require.Equal(t, Investigate, v.Verdict)
	require.Contains(t, v.Sentence, "slower than cutile")
	v = compare("90000 GFLOPS", "100 TFLOPS")
	require.InEpsilon(t, 100.0/90, *v.GeomeanRatio, 1e-12)

	for _, units := range [][2]string{{"900 GB/s", "1.1 ms"}, {"1.1 ms", "900 GB/s"}, {"100 TFLOPS", "900 GB/s"}} {
		v = compare(units[0], units[1])
		require.Equal(t, Blocked, v.Verdict, units)
		require.Equal(t, "no", v.Comparable)
		require.Nil(t, v.GeomeanRatio)
		require.Contains(t, v.Sentence, "different units")
	}
}

// field-report 94: a slice of a GPU is other hardware than the whole one.
func TestFieldReport094SliceAgainstWhole(t *testing.T) {
	v := Compare([]File{xmlFile("a", Both, rs("A", 2.22), cutile("A", 2))}, evidences("NVIDIA H200 MIG 1g.18gb", "NVIDIA H200"), cutileOptions)
	require.Equal(t, Blocked, v.Verdict)
	require.Equal(t, "no", v.Comparable)
	require.Nil(t, v.GeomeanRatio)
	require.Contains(t, v.Sentence, `different GPU: "NVIDIA H200 MIG 1g.18gb" and "NVIDIA H200"`)
}

func evidences(gpus ...string) []job.Evidence {
	var all []job.Evidence
	for _, name := range gpus {
		all = append(all, evidence(func(e *job.Evidence) { e.GPUIdentity.Name = name }))
	}
	return all
}
