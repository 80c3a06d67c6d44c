package records_test

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/records/recordstest"
)

// cost is what a process that read a JUnit file says of itself.
type cost struct {
	Cases          int
	Damage         string
	PeakMB, HeapMB float64 // highest resident set; what the report keeps
}

const readerVariable = "TILEGATE_TEST_READS_JUNIT"

// TestMain is the reading process of TestMemoryOfLargeFiles when it was started as
// one: it reads standard input and prints its cost.
func TestMain(m *testing.M) {
	if os.Getenv(readerVariable) == "" {
		os.Exit(m.Run())
	}
	debug.SetMemoryLimit(records.MemoryLimit)
	report := records.ReadJUnit("stdin", os.Stdin)
	c := cost{Cases: len(report.Cases)}
	if report.Damage != nil {
		c.Damage = report.Damage.Error()
		// The writer must not be left in front of a full pipe.
		io.Copy(io.Discard, os.Stdin)
	}
	var kb float64
	status, err := os.ReadFile("/proc/self/status")
	if err == nil {
		_, rest, _ := strings.Cut(string(status), "VmHWM:")
		_, err = fmt.Sscanf(rest, "%f kB", &kb)
	}
	if err != nil {
		panic(err)
	}
	c.PeakMB = kb / 1e3
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	c.HeapMB = float64(mem.HeapAlloc) / 1e6
	runtime.KeepAlive(report)
	if err := json.NewEncoder(os.Stdout).Encode(c); err != nil {
		panic(err)
	}
	os.Exit(0)
}

// readElsewhere reads in a process of its own what write writes.
func readElsewhere(t *testing.T, write func(io.Writer) error) cost {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the peak of a process is read from /proc")
	}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector takes memory of its own")
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), readerVariable+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	writeErr := write(in)
	require.NoError(t, in.Close())
	var c cost
	require.NoError(t, json.NewDecoder(out).Decode(&c))
	require.NoError(t, cmd.Wait())
	require.NoError(t, writeErr)
	t.Logf("%+v", c)
	return c
}

// A file of 500 MB stays under 200 MB of memory, whatever it is made of, and so
// does one that holds more than is kept. The short form reads 20 MB.
func TestMemoryOfLargeFiles(t *testing.T) {
	long := os.Getenv("TILEGATE_LONG") != ""
	size := int64(20e6)
	if long {
		size = 500e6
	}
	for _, tc := range []struct {
		name  string
		mix   recordstest.Mix
		limit float64 // MB in the short form
	}{
		{"whole run", recordstest.Whole, 50},
		{"measured", recordstest.Mix{Perf: 1}, 50},
		{"failures", recordstest.Mix{Failed: 1}, 50},
		{"output", recordstest.Mix{Output: 1}, 50},
		{"nothing but cases", recordstest.Mix{Plain: 1}, 100},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var cases int
			c := readElsewhere(t, func(w io.Writer) (err error) {
				cases, err = recordstest.Report(w, size, tc.mix, 1)
				return err
			})
			if long {
				tc.limit = 200
			}
			require.Less(t, c.PeakMB, tc.limit)
			if c.Damage != "" {
				require.True(t, long && tc.mix == recordstest.Mix{Plain: 1}, c.Damage)
				require.Contains(t, c.Damage, "expected cases that take at most 136 MiB")
				return
			}
			require.Equal(t, cases, c.Cases)
		})
	}
}

// One property of the largest size, in shapes that take the most memory for a byte.
func TestMemoryOfOneProperty(t *testing.T) {
	for name, value := range map[string]string{
		"dicts":   "{'a': {'forward': {'x': [" + strings.Repeat("{1:1},", records.MaxLiteralBytes/6-20) + "]}}}",
		"tuples":  "{'a': {'forward': {'x': [" + strings.Repeat("(),", records.MaxLiteralBytes/3-20) + "]}}}",
		"keys":    "{" + keys(records.MaxLiteralBytes/10) + "}",
		"kernels": "{'a': {'forward': {'kernel_times': [" + strings.Repeat("{'name':'','count':1},", records.MaxLiteralBytes/22-20) + "]}}}",
		"escapes": "'" + strings.Repeat(`\a`, records.MaxLiteralBytes/2-1) + "'",
	} {
		t.Run(name, func(t *testing.T) {
			c := readElsewhere(t, func(w io.Writer) error {
				_, err := io.WriteString(w, `<testsuite><testcase name="a"><properties><property name="benchmark" value="`+value+`"/></properties></testcase></testsuite>`)
				return err
			})
			require.Empty(t, c.Damage)
			require.Less(t, c.PeakMB, 200.0)
		})
	}
}

func keys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d:0,", i)
	}
	return b.String()
}

// BenchmarkLargeJUnit reads 32 MB of a whole run, in the long form 500 MB, beside
// a bare tokenizer over the same bytes.
func BenchmarkLargeJUnit(b *testing.B) {
	size := int64(32e6)
	if os.Getenv("TILEGATE_LONG") != "" {
		size = 500e6
	}
	f, err := os.Create(filepath.Join(b.TempDir(), "large.xml"))
	require.NoError(b, err)
	defer f.Close()
	_, err = recordstest.Report(f, size, recordstest.Whole, 1)
	require.NoError(b, err)
	for name, read := range map[string]func() error{
		"tilegate": func() error { return records.ReadJUnit("x", f).Damage },
		"bare": func() error {
			d := xml.NewDecoder(bufio.NewReaderSize(f, 64<<10))
			for {
				if _, err := d.RawToken(); errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					return err
				}
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				_, err := f.Seek(0, io.SeekStart)
				require.NoError(b, err)
				require.NoError(b, read())
			}
		})
	}
}
