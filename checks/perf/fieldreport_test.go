package perf

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/records"
)

// A geomean over different sets: only what both sides measured counts.
func TestFieldReport085DifferentSets(t *testing.T) {
	v := Compare([]File{
		xmlFile("base", ReferenceOnly, cutile("A", 100), cutile("B", 10000)),
		xmlFile("head", CandidateOnly, rs("A", 100)),
	}, nil, cutileOptions)
	require.Equal(t, 1.0, *v.GeomeanRatio)
	require.Len(t, v.Configs, 1)
	require.Equal(t, []Missing{{"test_perf[B]", "candidate", "not in the records"}}, v.Missing)
	require.Equal(t, Investigate, v.Verdict)
	require.Equal(t, MissingData, v.Severity)
	require.NotContains(t, v.Sentence, "faster")
}

// A zero is no time: it is listed and does not turn the geomean into zero.
func TestFieldReport086ZeroIsNoTime(t *testing.T) {
	for name, median := range map[string]string{"zero": "0", "negative": "-1", "nan": "nan", "inf": "inf", "None": "None"} {
		var cases []bench
		for i := range 30 {
			p := strconv.Itoa(i)
			c := rs(p, 1)
			if i == 7 {
				c.raw = "{'cutile-rs': {'forward': {'median': " + median + ", 'kernel_times': [{'name': 'x_entry', 'self_time_us': 1, 'count': 1}]}}}"
			}
			cases = append(cases, c, cutile(p, 1))
		}
		v := Compare([]File{xmlFile("a", Both, cases...)}, nil, cutileOptions)
		require.Equal(t, 1.0, *v.GeomeanRatio, name)
		require.Len(t, v.Configs, 29)
		require.Len(t, v.Missing, 1)
		require.Equal(t, "test_perf[7]", v.Missing[0].Config)
		require.Equal(t, MissingData, v.Severity)
		require.Contains(t, v.Sentence, "1 of 30 configs missing")
	}
}

// Every printed number times its printed unit is the raw value.
func TestFieldReport091PrintedUnits(t *testing.T) {
	units := map[string]float64{"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}
	for _, raw := range []float64{1.5, 0.0000234, 0.000999, 0.001, 0.0047, 0.99996, 0.9999, 1, 9.9999, 1440.5, 54.81316799999999, 123456} {
		printed := FormatMS(raw)
		number, unit, ok := strings.Cut(printed, " ")
		require.True(t, ok)
		value, err := strconv.ParseFloat(number, 64)
		require.NoError(t, err)
		require.InEpsilon(t, raw, value*units[unit], 0.001, printed)
	}
	v := Compare([]File{xmlFile("a", Both, rs("A", 1.5), cutile("A", 1.5))}, nil, cutileOptions)
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return WriteText(b, v) },
		func(b *bytes.Buffer) error { return WriteMarkdown(b, v) },
	} {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		require.Contains(t, b.String(), "1.500 ms")
	}
}

// A renamed benchmark does not leave the gate without notice; a configured
// rename makes it match.
func TestFieldReport092RenamedBenchmark(t *testing.T) {
	base, head := []bench{}, []bench{}
	for i := range 12 {
		base = append(base, cutile("n"+strconv.Itoa(i), 1))
		head = append(head, rs("n"+strconv.Itoa(i), 1))
	}
	head[4].params = "renamed"
	files := []File{xmlFile("base", ReferenceOnly, base...), xmlFile("head", CandidateOnly, head...)}
	v := Compare(files, nil, cutileOptions)
	require.Equal(t, Investigate, v.Verdict)
	require.ElementsMatch(t, []Missing{
		{"test_perf[n4]", "candidate", "not in the records"},
		{"test_perf[renamed]", "reference", "not in the records"},
	}, v.Missing)

	o := cutileOptions
	o.Renames = map[string]string{"test_perf[n4]": "test_perf[renamed]"}
	v = Compare(files, nil, o)
	require.Equal(t, Done, v.Verdict, v.Sentence)
	require.Len(t, v.Configs, 12)
}

// A log without a parsable row is no measurement, whatever the exit status was.
func TestFieldReport093NothingMeasured(t *testing.T) {
	for _, log := range []string{"", "all good\n", "Performance Test Results\nx 1.0\n", "1 passed in 2.0s\n", "1 failed in 2.0s\n"} {
		c := records.ReadConsole("log", strings.NewReader(log))
		v := Compare([]File{{c.Report, Both}}, nil, cutileOptions)
		require.Equal(t, Blocked, v.Verdict, log)
		require.Equal(t, MissingData, v.Severity)
		require.Contains(t, v.Sentence, "no measurement")
	}
}

// Times of different machines give no percentage.
func TestFieldReport094DifferentHardware(t *testing.T) {
	files := []File{xmlFile("a", Both, rs("A", 2.22), cutile("A", 2))}
	v := Compare(files, []job.Evidence{
		evidence(func(e *job.Evidence) { e.GPUIdentity.Name = "H100 PCIe" }),
		evidence(nil),
	}, cutileOptions)
	require.Equal(t, Blocked, v.Verdict)
	require.Equal(t, "no", v.Comparable)
	require.Contains(t, v.Sentence, `different GPU: "H100 PCIe" and "H200"`)
	var b bytes.Buffer
	require.NoError(t, WriteText(&b, v))
	require.NotContains(t, b.String(), "11.0 %")
	require.NotContains(t, b.String(), "1.110")
}

// A profiler that could not attach gives zeros, which are no times; device time
// and event time are not comparable.
func TestFieldReport098ProfilerUnavailable(t *testing.T) {
	log := "CUPTI initialization failed: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES\n" +
		"Performance Test Results\ntest: t.py::T::test_perf[cutile_rs-1]\nbenchmark: {'cutile-rs': {'forward': {'median': 0.000}}}\n" +
		"Performance Test Results\ntest: t.py::T::test_perf[cutile-1]\nbenchmark: {'cutile': {'forward': {'median': 0.000}}}\n"
	c := records.ReadConsole("log", strings.NewReader(log))
	o := cutileOptions
	o.LogNotes = ConsoleNotes(c)
	v := Compare([]File{{c.Report, Both}}, nil, o)
	require.Equal(t, Blocked, v.Verdict)
	require.Len(t, v.Missing, 2)
	require.Contains(t, v.Missing[0].Why, "no device time")
	require.Contains(t, v.Sentence, "profiler unavailable")

	files := []File{xmlFile("a", Both, rs("A", 1), cutile("A", 1))}
	v = Compare(files, []job.Evidence{evidence(nil), evidence(func(e *job.Evidence) { e.Timing = "events" })}, cutileOptions)
	require.Equal(t, "no", v.Comparable)
}

// Headline, conclusion and table agree at each side of the limit; a ratio on the
// limit passes.
func TestFieldReport100WordsAgreeWithNumbers(t *testing.T) {
	for _, tc := range []struct {
		change  float64
		verdict string
	}{{0.3, Done}, {4.9, Done}, {5.0, Done}, {5.000001, Investigate}, {5.1, Investigate}} {
		v := Compare([]File{xmlFile("a", Both, rs("A", 100+tc.change), cutile("A", 100))}, nil, cutileOptions)
		require.Equal(t, tc.verdict, v.Verdict, "%v %%", tc.change)
		var b bytes.Buffer
		require.NoError(t, WriteText(&b, v))
		printed := FormatRatio(*v.GeomeanRatio, v.Threshold)
		n, err := strconv.ParseFloat(printed, 64)
		require.NoError(t, err)
		require.Equal(t, tc.verdict == Done, n <= 1.05, printed)
		headline, table, _ := strings.Cut(b.String(), "\n")
		require.Contains(t, headline, tc.verdict)
		require.Contains(t, headline, "geomean "+printed)
		require.Contains(t, headline, fmt.Sprintf("%v %% slower than cutile", strconv.FormatFloat(tc.change, 'f', max(1, len(strconv.FormatFloat(tc.change, 'f', -1, 64))-2), 64)))
		require.Contains(t, headline, map[bool]string{true: "at most the limit 1.050", false: "above the limit 1.050"}[tc.verdict == Done])
		require.Contains(t, table, " "+printed+" ")
	}
}

// Shapes that the candidate skips for want of memory are listed; the verdict is
// on the others only as far as the allowed share goes.
func TestFieldReport116RowsThatDisappear(t *testing.T) {
	var cases []bench
	for i := range 20 {
		p := strconv.Itoa(i)
		c := rs(p, 1)
		if i < 3 {
			c = bench{params: p, backend: "cutile-rs", skip: "OOM during benchmark"}
		}
		cases = append(cases, c, cutile(p, 1))
	}
	files := []File{xmlFile("a", Both, cases...)}
	o := cutileOptions
	o.MaxMissing = 0.15
	v := Compare(files, nil, o)
	require.Equal(t, Done, v.Verdict, v.Sentence)
	require.Len(t, v.Configs, 17)
	require.Len(t, v.Missing, 3)
	require.Equal(t, "skipped: OOM during benchmark", v.Missing[0].Why)
	require.Contains(t, v.Sentence, "over 17 configs")
	require.Contains(t, v.Sentence, "3 of 20 configs missing")

	o.MaxMissing = 0.14
	v = Compare(files, nil, o)
	require.Equal(t, Investigate, v.Verdict)
	require.Equal(t, MissingData, v.Severity)
}

// What is printed is clean UTF-8 without control bytes, whatever the ids held.
func TestFieldReport078PrintedTextIsClean(t *testing.T) {
	f := xmlFile("a", Both, bench{params: "\x1b[31m\xff@team|`x`", backend: "cutile-rs", fail: "\x07bell \x1b]0;title"}, cutile("\x1b[31m\xff@team|`x`", 1))
	v := Compare([]File{f}, nil, cutileOptions)
	require.Equal(t, Blocked, v.Verdict)
	require.Len(t, v.Missing, 1)
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return WriteText(b, v) },
		func(b *bytes.Buffer) error { return WriteMarkdown(b, v) },
	} {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		require.True(t, utf8.Valid(b.Bytes()))
		require.NotContains(t, b.String(), "\x1b")
		require.NotContains(t, b.String(), "\x07")
	}
}

// Equal code does not alert, and one bench that is 20 % slower is named: medians
// of 10 samples, sd 4 %, 40 benches, 100 seeds.
func TestFieldReport083NoiseDoesNotAlert(t *testing.T) {
	run := func(seed uint64, slow int) Verdict {
		r := rand.New(rand.NewPCG(seed, 83))
		median := func(scale float64) float64 {
			x := make([]float64, 10)
			for i := range x {
				x[i] = scale * (1 + 0.04*r.NormFloat64())
			}
			slices.Sort(x)
			return (x[4] + x[5]) / 2
		}
		var cases []bench
		for i := range 40 {
			scale := 1.0
			if i == slow {
				scale = 1.2
			}
			c, ref := rs(strconv.Itoa(i), median(scale)), cutile(strconv.Itoa(i), median(1))
			c.relStd, ref.relStd = 4, 4
			cases = append(cases, c, ref)
		}
		return Compare([]File{xmlFile("a", Both, cases...)}, nil, cutileOptions)
	}
	alerts, named := 0, 0
	for seed := range uint64(100) {
		if run(seed, -1).Verdict != Done {
			alerts++
		}
		if run(seed, 7).Configs[7].Change == "slower" {
			named++
		}
	}
	t.Logf("alerts %d of 100, named %d of 100", alerts, named)
	require.LessOrEqual(t, alerts, 2)
	require.GreaterOrEqual(t, named, 95)
}

// Samples that were all thrown away as throttled are unmeasured, not unchanged.
func TestFieldReport096Throttled(t *testing.T) {
	c := records.ReadConsole("log", strings.NewReader("warning: GPU clock throttled, sample discarded\n"))
	o := cutileOptions
	o.LogNotes = ConsoleNotes(c)
	v := Compare([]File{{c.Report, Both}}, nil, o)
	require.Equal(t, Blocked, v.Verdict)
	require.Contains(t, v.Sentence, "no measurement")
	require.Contains(t, v.Sentence, "the GPU was throttled")
}
