package triage

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
)

// generated is a log of about size bytes: whole logs without a failure over and
// over, one crash at a third of it, and its consequences in every test after.
type generated struct {
	noise []byte
	size  int
	given int
	crash int
	text  bytes.Buffer
	n     int
}

const (
	culprit     = "tests/ops/test_bmm.py::Test_Bmm::test_op[cutile_rs-%d-torch.float16]\nE   torch.AcceleratorError: CUDA error: an illegal memory access was encountered\n"
	consequence = "tests/ops/test_bmm.py::Test_Bmm::test_op[cutile_rs-%d-torch.float16]\nE   torch.AcceleratorError: CUDA error: unspecified launch failure\nE   RuntimeError: cutile_bmm failed (rc=-4): device init failed\nSKIPPED [1] tests/ops/test_bmm.py:30: Backend cutile-rs is not available\n"
)

func (g *generated) Read(p []byte) (int, error) {
	for g.text.Len() < len(p) && g.given < g.size {
		before := g.text.Len()
		switch {
		case g.given < g.size/3:
			g.text.Write(g.noise)
		case g.crash == 0:
			g.crash = g.n
			fmt.Fprintf(&g.text, culprit, g.n)
		default:
			fmt.Fprintf(&g.text, consequence, g.n)
			g.text.Write(g.noise)
		}
		g.n++
		g.given += g.text.Len() - before
	}
	if g.text.Len() == 0 {
		return 0, io.EOF
	}
	return g.text.Read(p)
}

// passing are the fixtures of logs in which nothing failed.
func passing(t testing.TB) []byte {
	files, err := filepath.Glob("testdata/*/miss.log")
	require.NoError(t, err)
	var all []byte
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		if len(Text("log", string(data)).Matches) == 0 {
			all = append(all, data...)
		}
	}
	require.Greater(t, len(all), 50_000)
	return all
}

// bulk is the size of an input whose only purpose is that memory can be measured on
// it. The race detector measures nothing and sees the same accesses in a part of it.
func bulk(size int) int {
	if hostile.Race {
		return size / 24
	}
	return size
}

// resident is the largest resident memory of the process so far, in bytes; 0 where
// the system does not say.
func resident(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(status), "VmHWM:")
	require.True(t, ok)
	var kib int
	_, err = fmt.Sscanf(rest, "%d", &kib)
	require.NoError(t, err)
	return kib << 10
}

// processorTime is what the process has used so far.
func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A large log is read in one pass in bounded memory, and one crash that spreads
// to thousands of tests is reported by the first of them. TILEGATE_LONG=1 reads
// 200 MB.
func TestLargeLogLeadsWithTheCulprit(t *testing.T) {
	size := bulk(10 << 20)
	if os.Getenv("TILEGATE_LONG") != "" {
		size = 200 << 20
	}
	log := &generated{noise: passing(t), size: size}
	runtime.GC()
	before := resident(t)
	start, cpu := time.Now(), processorTime(t)
	s := NewScanner()
	require.NoError(t, s.Scan("job.log", log))
	got := s.Result()
	took := time.Since(start)
	cpu = processorTime(t) - cpu
	grown := resident(t) - before
	megabytes := float64(log.given) / 1e6
	t.Logf("%.0f MB in %.2f s, %.0f MB/s; %.0f MB a processor second; resident memory grew by %.1f MB", megabytes, took.Seconds(), megabytes/took.Seconds(), megabytes/cpu.Seconds(), float64(grown)/1e6)

	require.NotEmpty(t, got.Matches)
	first := got.Matches[0]
	assert.Equal(t, "S-R06", first.Signature, "found %v", ids(got))
	assert.Contains(t, string(first.Excerpt), "an illegal memory access was encountered")
	assert.Equal(t, bytes.Count(log.noise, []byte("\n"))*log.crash+2, first.Line)
	assert.LessOrEqual(t, len(got.Matches), MaxMatches)
	if !hostile.Race {
		assert.Less(t, grown, 48<<20, "memory grows with the log")
	}
}

// crashReport is a JUnit file in the middle of which one case crashes the GPU's context, so
// that all later ones fail.
func crashReport(cases int) io.Reader {
	in, out := io.Pipe()
	go func() {
		fmt.Fprintf(out, "<testsuites><testsuite tests=\"%d\">\n", cases)
		for i := range cases {
			body := ""
			if i >= cases/2 {
				body = `<failure message="torch.AcceleratorError: CUDA error: unspecified launch failure">tests/common.py:146: AcceleratorError</failure>`
			}
			if i == cases/2 {
				body = `<failure message="torch.AcceleratorError: CUDA error: an illegal memory access was encountered">tests/ops/test_bmm.py:58: AcceleratorError</failure>`
			}
			fmt.Fprintf(out, "<testcase classname=\"tests.ops.test_bmm.Test_Bmm\" name=\"test_op[cutile_rs-%d-torch.float16]\" time=\"0.2\">%s<system-out>%s</system-out></testcase>\n", i, body, strings.Repeat("launch 8x4 blocks, 128 threads\n", 10))
		}
		fmt.Fprint(out, "</testsuite></testsuites>")
		out.Close()
	}()
	return in
}

// A JUnit file is streamed too, and its culprit is the first case that failed.
func TestLargeJUnitLeadsWithTheCulprit(t *testing.T) {
	cases := bulk(20_000)
	if os.Getenv("TILEGATE_LONG") != "" {
		cases = 400_000
	}
	scan := func(cases int) Result {
		s := NewScanner()
		require.NoError(t, s.Scan("pytest.xml", crashReport(cases)))
		return s.Result()
	}
	// Garbage that the collector leaves lying, for which the tables give it much room, is
	// not what the reader holds.
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	scan(100) // tables and indexes take the same for every file
	runtime.GC()
	before := resident(t)
	got := scan(cases)
	require.NotEmpty(t, got.Matches)
	assert.Equal(t, "S-R06", got.Matches[0].Signature)
	assert.Contains(t, string(got.Matches[0].Excerpt), "an illegal memory access was encountered")
	grown := resident(t) - before
	t.Logf("resident memory grew by %.1f MB", float64(grown)/1e6)
	if !hostile.Race {
		assert.Less(t, grown, 80<<20, "memory grows with the file")
	}
}

func BenchmarkScan(b *testing.B) {
	log := passing(b)
	b.SetBytes(int64(len(log)))
	for b.Loop() {
		s := NewScanner()
		if err := s.Scan("job.log", bytes.NewReader(log)); err != nil {
			b.Fatal(err)
		}
	}
}
