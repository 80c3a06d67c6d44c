package history

import (
	"bytes"
	"crypto/sha1"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/perf"
)

var update = flag.Bool("update", false, "write the golden files")

func ptr(f float64) *float64 { return &f }

// day is when the n-th sample was measured.
func day(n int) time.Time {
	return time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC).Add(time.Duration(n) * 20 * time.Hour)
}

func commit(n int) string { return fmt.Sprintf("%x", sha1.Sum([]byte{byte(n), byte(n >> 8)})) }

// sample is a kernel's measurement with two configs.
func sample(n int, ratio float64) Measurement {
	return Measurement{
		Repository: "octo/TileGym", Commit: commit(n), Kernel: "rms_norm", Source: fmt.Sprintf("octo/TileGym#%d", 100+n), Dispatch: "01J", MeasuredAt: day(n),
		GPU:       GPU{Class: "h200", Name: "NVIDIA H200", Driver: "580.159.04", Timing: "cupti"},
		Candidate: "cutile-rs", Reference: "cutile", Rounds: 3, Verdict: verdict(ratio), Severity: perf.Severity(ratio, 1.05), Threshold: 1.05,
		Ratio: ptr(ratio), Confidence: &perf.Confidence{Level: 0.95, Low: ratio * 0.985, High: ratio * 1.015},
		Variants: []Variant{{"default", "cutile", ptr(ratio)}},
		Configs: []Config{
			{"test_perf[262144-1024-torch.float16]", "default", ptr(0.35 * ratio), ptr(0.35)},
			{"test_perf[65536-16384-torch.float16]", "default", ptr(1.31 * ratio), ptr(1.31)},
		},
	}
}

func verdict(ratio float64) string {
	if ratio <= 1.05 {
		return perf.Done
	}
	return perf.Investigate
}

// samples are the shapes that a chart can take.
func samples() []Measurement {
	var all []Measurement
	r := rand.New(rand.NewPCG(1, 1))
	for n, ratio := range []float64{1.12, 1.11, 1.13, 1.06, 1.045, 1.04, 0.99, 0.985, 0.98, 0.985, 1.02, 0.975, 0.97, 0.98, 0.965} {
		m := sample(n, ratio)
		switch {
		case n == 4:
			// No interval: one round.
			m.Rounds, m.Confidence = 1, nil
		case n == 9:
			m.Ratio, m.Confidence, m.Verdict, m.Severity = nil, nil, perf.Investigate, perf.MissingData
			m.Variants[0].Ratio = nil
			m.Configs = []Config{{Name: m.Configs[0].Name}, {Name: m.Configs[1].Name, CandidateMS: ptr(1.3)}}
		}
		if n >= 11 {
			m.GPU.Driver = "590.44.01"
		}
		for k := range 6 {
			ms := 0.02 * float64(k+1)
			m.Configs = append(m.Configs, Config{fmt.Sprintf("test_perf[multi_wave_reload-%d-4096-torch.bfloat16-many-parameters]", 64<<k), "default", ptr(ms * ratio * (1 + 0.02*r.Float64())), ptr(ms)})
		}
		all = append(all, m)
		// The same commits on another card are another series.
		if n%2 == 0 {
			m.GPU = GPU{Class: "rtxpro6000", Name: "NVIDIA RTX PRO 6000", Driver: "580.159.04", Timing: "cupti"}
			m.Verdict, m.Severity = verdict(ratio*1.4), perf.Severity(ratio*1.4, m.Threshold)
			m.Ratio, m.Confidence = ptr(ratio*1.4), &perf.Confidence{Level: 0.95, Low: ratio * 1.2, High: ratio * 1.8}
			m.Variants = []Variant{{"persistent", "cutile", ptr(ratio * 1.5)}, {"tma", "triton", ptr(ratio * 1.3)}}
			m.Configs = []Config{{"test_perf[1]", "persistent", ptr(1.5 * ratio), ptr(1)}, {"test_perf[2]", "tma", ptr(1.3 * ratio), ptr(1)}}
			all = append(all, m)
		}
	}
	return all
}

// encoded is the published form of measurements.
func encoded(t *testing.T, all []Measurement) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	require.NoError(t, enc.Encode(Document{Schema, all}))
	return b.Bytes()
}

// What is exported, imported, kept line by line and exported again is the same,
// byte for byte.
func TestRoundTripLosesNothing(t *testing.T) {
	all := samples()
	all[0].Kernel = "suite.\u202e<odd>\n\"name\""
	all[1].Configs[0].CandidateMS = ptr(math.Nextafter(1e-20, 1))
	all[2].Ratio, all[2].Verdict, all[2].Severity = ptr(1.0000000000000002), perf.Done, perf.SeverityDone
	all[3].MeasuredAt = all[3].MeasuredAt.Add(123456789)
	all[4].Dispatch, all[4].Source, all[4].GPU.Driver, all[4].GPU.Class, all[4].GPU.Timing = "", "", "", "", ""
	exported := encoded(t, all)
	imported, err := Read(bytes.NewReader(exported))
	require.NoError(t, err)
	require.Equal(t, all, imported)

	lines, err := Lines(New(nil, imported))
	require.NoError(t, err)
	require.Equal(t, len(all), bytes.Count(lines, []byte{'\n'}))
	stored, err := Read(bytes.NewReader(lines))
	require.NoError(t, err)
	require.Equal(t, string(exported), string(encoded(t, stored)))

	// A store, an export and another store, one behind the other.
	both, err := Read(io.MultiReader(bytes.NewReader(lines), bytes.NewReader(exported), bytes.NewReader(lines)))
	require.NoError(t, err)
	require.Len(t, both, 3*len(all))
	require.Empty(t, New(all, both), "nothing is new, in whatever time zone")
	elsewhere := all[0]
	elsewhere.MeasuredAt = elsewhere.MeasuredAt.In(time.FixedZone("x", 3600))
	again, err := Read(bytes.NewReader(encoded(t, []Measurement{elsewhere})))
	require.NoError(t, err)
	require.Empty(t, New(all, again))
	require.Len(t, New(nil, both), len(all))
}

func TestReadRefuses(t *testing.T) {
	good := string(bytes.TrimSpace(encoded(t, samples()[:1])))
	replaced := func(old, by string) string {
		require.Contains(t, good, old)
		return strings.Replace(good, old, by, 1)
	}
	for name, tc := range map[string]struct{ text, want string }{
		"cut off":       {good + "\n" + good[:len(good)-10], "document 2 is cut off at byte "},
		"no JSON":       {"ratio,1.05", "document 1, at byte 0: expected a JSON object of schema tilegate.history/v1"},
		"a list":        {"[]", "document 1, at byte 2: expected a JSON object"},
		"other schema":  {replaced("tilegate.history/v1", "tilegate.perf/v1"), `document 1: schema: expected tilegate.history/v1, found "tilegate.perf/v1"`},
		"short commit":  {replaced(commit(0), "abc"), `measurement 1: commit: expected 40 hexadecimal digits, found "abc"`},
		"no card":       {replaced("NVIDIA H200", ""), "gpu.name: expected a name"},
		"no kernel":     {replaced(`"rms_norm"`, `""`), "kernel: expected a name"},
		"zero median":   {replaced(`"reference_ms": 0.35`, `"reference_ms": 0`), "configs[0].reference_ms: expected milliseconds from 1e-20 to 1e20 or null, found 0"},
		"beyond":        {replaced(`"reference_ms": 0.35`, `"reference_ms": 1e300`), "configs[0].reference_ms: expected milliseconds from 1e-20 to 1e20 or null, found 1e+300"},
		"negative":      {replaced(`"geomean_ratio": 1.12`, `"geomean_ratio": -1`), "geomean_ratio: expected a ratio from 1e-20 to 1e20 or null, found -1"},
		"twice":         {replaced("test_perf[65536-16384-torch.float16]", "test_perf[262144-1024-torch.float16]"), "configs[1].name: expected each config once"},
		"no rounds":     {replaced(`"rounds": 3`, `"rounds": 0`), "rounds: expected at least 1, found 0"},
		"no time":       {replaced("2026-03-01T09:30:00Z", "0001-01-01T00:00:00Z"), "measured_at: expected a time"},
		"turned around": {replaced(`"low": 1.1032`, `"low": 9`), "confidence: expected low and high in this order"},
		"no threshold":  {replaced(`"threshold": 1.05`, `"threshold": 0`), "threshold: expected a ratio from 1e-20 to 1e20"},
		"text for time": {replaced(`"candidate_ms": 0.392`, `"candidate_ms": "0.392"`), "document 1, at byte"},
	} {
		_, err := Read(strings.NewReader(tc.text))
		require.ErrorContains(t, err, tc.want, name)
		require.NotContains(t, err.Error(), "\n", name)
	}
	_, err := Read(io.MultiReader(strings.NewReader(good), endless{}))
	require.ErrorContains(t, err, "expected at most 256 MiB")
	all, err := Read(strings.NewReader(" \n"))
	require.NoError(t, err)
	require.Empty(t, all)
}

// endless is blank for ever.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// A series is of one card model, one pair of backends, one way of timing, and its
// points are of one commit each, in the order of their times.
func TestSeriesNeverMix(t *testing.T) {
	all := samples()
	r := rand.New(rand.NewPCG(3, 3))
	r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	other := sample(3, 1.2)
	other.GPU.Timing = "wall"
	events := sample(4, 1.3)
	events.Repository = "else/TileGym"
	sameClass := sample(5, 1.4)
	sameClass.GPU.Name = "NVIDIA H200 NVL"
	triton := sample(6, 1.5)
	triton.Reference, triton.Variants[0].Reference = "triton", "triton"
	series := Group(Selection{}.Of(append(all, other, events, sameClass, triton)))
	require.Len(t, series, 4+4)
	seen := map[Identity]bool{}
	for _, s := range series {
		require.False(t, seen[s.Identity])
		seen[s.Identity] = true
		require.True(t, slices.IsSortedFunc(s.Points, func(a, b Point) int { return a.At.Compare(b.At) }))
		for _, c := range s.Configs {
			require.Len(t, c.Candidate, len(s.Points))
			require.Len(t, c.Reference, len(s.Points))
		}
		want := 1
		switch {
		case s.GPU == "NVIDIA H200" && s.Timing == "cupti" && s.Repository == "octo/TileGym" && s.Reference == "cutile":
			want = 15
		case s.GPUClass == "rtxpro6000":
			want = 8
		}
		require.Len(t, s.Points, want, s.Identity)
	}
}

// What was not measured is a gap, never a zero and never carried over.
func TestGaps(t *testing.T) {
	series := Group(Selection{GPUs: []string{"h200"}}.Of(samples()))
	require.Len(t, series, 1)
	s := series[0]
	require.Nil(t, s.Points[9].Ratio)
	require.Nil(t, s.Points[9].Interval)
	require.Equal(t, perf.MissingData, s.Points[9].Severity)
	require.Equal(t, "test_perf[262144-1024-torch.float16]", s.Configs[0].Name)
	require.Nil(t, s.Configs[0].Candidate[9])
	require.Nil(t, s.Configs[0].Reference[9])
	require.Equal(t, 1.3, *s.Configs[1].Candidate[9])
	require.Nil(t, s.Configs[1].Reference[9])
	for i := range s.Points {
		if i != 9 {
			require.NotNil(t, s.Points[i].Ratio)
			require.NotNil(t, s.Configs[0].Candidate[i])
		}
	}
	// The interval is the verdict's on all variants; a variant of several has none.
	for _, s := range Group(Selection{GPUs: []string{"NVIDIA RTX PRO 6000"}}.Of(samples())) {
		for _, p := range s.Points {
			require.Equal(t, s.Variant == "", p.Interval != nil)
		}
	}
	// A variant that one commit lacks.
	without := samples()
	for i := range without {
		if without[i].GPU.Class == "rtxpro6000" && without[i].Commit == commit(4) {
			without[i].Variants = without[i].Variants[:1]
			without[i].Configs = without[i].Configs[:1]
		}
	}
	for _, s := range Group(Selection{GPUs: []string{"rtxpro6000"}}.Of(without)) {
		require.Equal(t, s.Variant == "tma", s.Points[2].Ratio == nil, s.Variant)
		if s.Variant == "tma" {
			require.Len(t, s.Configs, 1)
			require.Nil(t, s.Configs[0].Candidate[2])
			require.NotNil(t, s.Configs[0].Candidate[3])
		}
	}
}

func TestSelection(t *testing.T) {
	a, b := sample(1, 1), sample(0, 1)
	a.Kernel, b.Kernel = "flashinfer.rms_norm", "bmm"
	all := []Measurement{a, b}
	for _, tc := range []struct {
		s    Selection
		want []Measurement
	}{
		{Selection{}, []Measurement{b, a}},
		{Selection{Kernels: []string{"rms_norm"}}, []Measurement{a}},
		{Selection{Kernels: []string{"flashinfer.rms_norm", "bmm"}}, []Measurement{b, a}},
		{Selection{Kernels: []string{"norm"}}, nil},
		{Selection{GPUs: []string{"H200"}}, nil},
	} {
		require.Equal(t, tc.want, tc.s.Of(all))
	}
}

func TestSparkline(t *testing.T) {
	for want, values := range map[string][]*float64{
		"":         {},
		"·":        {nil},
		"▅":        {ptr(3)},
		"▁·█":      {ptr(1), nil, ptr(2)},
		"▄▅▅":      {ptr(1), ptr(1.001), ptr(1.002)},
		"▁▂▃▄▅▆▇█": {ptr(1), ptr(2), ptr(3), ptr(4), ptr(5), ptr(6), ptr(7), ptr(8)},
		"▁█":       {ptr(1e-9), ptr(1e9)},
	} {
		require.Equal(t, want, Sparkline(values))
	}
}

// What a verdict concludes is kept with the identity of its evidence.
func TestFrom(t *testing.T) {
	ratio := 0.98
	v := perf.Verdict{
		Verdict: perf.Investigate, Severity: perf.MissingData, GeomeanRatio: &ratio, Comparable: "yes", Rounds: 2, Candidate: "cutile-rs", Reference: "cutile",
		Variants: []perf.Variant{{Name: "default", Reference: "cutile", GeomeanRatio: &ratio}},
		Configs:  []perf.Config{{Name: "a", Variant: "default", CandidateMS: 0.98, ReferenceMS: 1}},
		Missing:  []perf.Missing{{Config: "b", Side: "candidate"}, {Config: "b", Side: "reference"}},
	}
	e := job.Evidence{
		Repository: "o/r", HeadSHA: commit(1), Kernel: "bmm", GPU: "h200", Dispatch: "01J", Timing: "cupti", FinishedAt: day(1).In(time.FixedZone("x", 7200)),
		GPUIdentity: job.GPUIdentity{Name: "NVIDIA H200", Driver: "580"},
	}
	m, err := From(e, v, 1.05)
	require.NoError(t, err)
	require.Equal(t, Measurement{
		Repository: "o/r", Commit: commit(1), Kernel: "bmm", Dispatch: "01J", MeasuredAt: day(1), GPU: GPU{"h200", "NVIDIA H200", "580", "cupti"},
		Candidate: "cutile-rs", Reference: "cutile", Rounds: 2, Verdict: perf.Investigate, Severity: perf.MissingData, Threshold: 1.05, Ratio: &ratio,
		Variants: []Variant{{"default", "cutile", &ratio}}, Configs: []Config{{"a", "default", ptr(0.98), ptr(1)}, {Name: "b"}},
	}, m)

	for _, change := range []func(v *perf.Verdict){
		func(v *perf.Verdict) { v.Verdict = perf.Blocked },
		func(v *perf.Verdict) { v.GeomeanRatio = nil },
		func(v *perf.Verdict) { v.Comparable = "no" },
	} {
		blocked := v
		change(&blocked)
		_, err := From(e, blocked, 1.05)
		require.ErrorIs(t, err, ErrNothingMeasured)
	}
	e.HeadSHA, e.GPUIdentity.Name = "", ""
	_, err = From(e, v, 1.05)
	require.ErrorContains(t, err, `commit: expected 40 hexadecimal digits, found ""`)
	require.ErrorContains(t, err, "gpu.name: expected a name")
	require.False(t, errors.Is(err, ErrNothingMeasured))
}

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	p := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(p, []byte(got), 0o644))
	}
	want, err := os.ReadFile(p)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestText(t *testing.T) {
	var b strings.Builder
	require.NoError(t, WriteText(&b, Group(Selection{}.Of(samples()))))
	golden(t, "history.txt", b.String())
}

func svg(t *testing.T, all []Measurement) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, WriteSVG(&b, Group(Selection{}.Of(all))))
	return b.String()
}

func TestSVG(t *testing.T) {
	got := svg(t, samples())
	golden(t, "history.svg", got)
	require.Equal(t, got, svg(t, samples()), "equal measurements, equal bytes")
	// Both limits that the scale holds are lines, the third is named; the band
	// that passes is shaded; an interval is a band; a gap is a mark and no point.
	h200 := got[:strings.Index(got, "all variants")]
	for _, want := range []string{"≤ 1.05 DONE", "≤ 1.10 MILD_GAP", "↑ 1.50 MODERATE_GAP", `class="done"`, `class="band"`, `class="limit pass"`, ": no ratio</title>"} {
		require.Contains(t, h200, want)
	}
	require.Equal(t, 14, strings.Count(h200, "z\" class="), "14 of 15 measurements have a point")
	require.Contains(t, got, "≤ 1.50 MODERATE_GAP")
}

// Whatever measurements say, the chart is well-formed XML without a script, an
// event handler or a number that is none, and everything lies inside of it.
func TestSVGOfHostileMeasurements(t *testing.T) {
	odd := "<script>alert(1)</script>\"' onload=x \u202e\x00\x1b[31m\uFFFE\uFFFF]]>&amp;\n"
	var all []Measurement
	for n, ratio := range []float64{1, 1e-20, 1e20, 3e-19, 1e19, 0.5} {
		m := sample(n, ratio)
		m.Kernel, m.Source, m.GPU.Name, m.GPU.Driver, m.Variants[0].Name = odd, odd, odd, odd+string(rune('a'+n)), odd
		m.Confidence = &perf.Confidence{Low: 1e-20, High: 1e20}
		m.Configs = []Config{
			{odd, odd, ptr(ratio), ptr(1)}, {strings.Repeat(odd, 1000), odd, ptr(1e-20), ptr(1e20)}, {"x" + odd, odd, nil, nil},
		}
		require.NoError(t, m.Validate())
		all = append(all, m)
	}
	huge := sample(0, 1)
	huge.Threshold, huge.Kernel = 1e20, "threshold"
	got := svg(t, append(all, huge))
	require.True(t, utf8.ValidString(got))
	d := xml.NewDecoder(strings.NewReader(got))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		require.Contains(t, []string{"svg", "title", "style", "rect", "text", "line", "g", "path", "polygon", "polyline", "clipPath"}, e.Name.Local)
		for _, a := range e.Attr {
			require.False(t, strings.HasPrefix(a.Name.Local, "on"), a)
			require.NotRegexp(t, "NaN|Inf|e\\+", a.Value)
		}
	}
}

func TestAbbreviate(t *testing.T) {
	names := func(list ...string) (out []ConfigSeries) {
		for _, n := range list {
			out = append(out, ConfigSeries{Name: n})
		}
		return out
	}
	require.Equal(t, []string{"short", "…ong-1-lo…", "…ng-22-lo…"}, abbreviate(names("short", "long-long-1-long-long", "long-long-22-long-long"), 10)[:3])
	for _, n := range abbreviate(names("one-name-that-is-alone-and-long", "x"), 10) {
		require.LessOrEqual(t, utf8.RuneCountInString(n), 10)
	}
}

// A name takes two lines before anything of it is left out, and is broken behind a
// sign where the rest fits.
func TestBrokenNames(t *testing.T) {
	for name, want := range map[string][2]string{
		"test_perf[1]":                      {"test_perf[1]", ""},
		"test_perf[multi_wave-1-float16]":   {"test_perf[multi_", "wave-1-float16]"},
		strings.Repeat("x", 40):             {strings.Repeat("x", 20), strings.Repeat("x", 20)},
		"abcdefghij-klmnopqrstuvwxyz012345": {"abcdefghij-klmnopqrs", "tuvwxyz012345"},
	} {
		first, second := broken(name, 20)
		require.Equal(t, want, [2]string{first, second}, name)
	}
	got := svg(t, samples())
	require.Contains(t, got, ">test_perf[multi_wave_reload-64-4096-</text>")
	require.Contains(t, got, ">torch.bfloat16-many-parameters]</text>")
	require.NotContains(t, got, "…")
}

// An interval that goes on beyond the edge is marked with its true end, and the
// newest ratio does not stand on the bar of its interval.
func TestIntervalBeyondTheEdge(t *testing.T) {
	m := sample(0, 1)
	m.Confidence = &perf.Confidence{Level: 0.95, Low: 0.2, High: 4}
	got := svg(t, []Measurement{m})
	require.Contains(t, got, `class="beyond"><title>the interval goes on up to 4.000</title>`)
	require.Contains(t, got, `class="beyond"><title>the interval goes on down to 0.200</title>`)
	require.Contains(t, got, `class="ink small strong" text-anchor="start">1.000</text>`)
	require.NotContains(t, svg(t, []Measurement{sample(0, 1)}), `class="beyond"`)
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	require.NoError(f, json.NewEncoder(&b).Encode(Document{Schema, samples()[:2]}))
	f.Add(b.Bytes())
	f.Add([]byte(`{"schema":"tilegate.history/v1"}{}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		all, err := Read(bytes.NewReader(raw))
		if err != nil {
			return
		}
		lines, err := Lines(all)
		require.NoError(t, err)
		again, err := Read(bytes.NewReader(lines))
		require.NoError(t, err)
		require.Equal(t, all, again)
		series := Group(Selection{}.Of(all))
		require.NoError(t, WriteText(io.Discard, series))
		require.NoError(t, WriteSVG(io.Discard, series))
	})
}

// BenchmarkSVG draws 300 measurements of 10 kernels with 100 configs.
func BenchmarkSVG(b *testing.B) {
	var all []Measurement
	for k := range 10 {
		for n := range 300 {
			m := sample(n, 1)
			m.Kernel = fmt.Sprintf("kernel_%d", k)
			for c := range 98 {
				m.Configs = append(m.Configs, Config{fmt.Sprintf("test_perf[%d]", c), "default", ptr(1), ptr(1)})
			}
			all = append(all, m)
		}
	}
	for b.Loop() {
		require.NoError(b, WriteSVG(io.Discard, Group(Selection{}.Of(all))))
	}
}

// A series of any length fits a screen: the newest values are drawn and the rest
// counted.
func TestTextOfALongHistory(t *testing.T) {
	var all []Measurement
	for n := range 2000 {
		m := sample(n, 1.0)
		m.GPU.Driver = fmt.Sprintf("580.%d", n)
		all = append(all, m)
	}
	var b bytes.Buffer
	require.NoError(t, WriteText(&b, Group(all)))
	text := b.String()
	require.Contains(t, text, "and 1988 older")
	require.Contains(t, text, "and 1987 older changes of the driver")
	lines := 0
	for line := range strings.Lines(text) {
		lines++
		require.LessOrEqual(t, utf8.RuneCountInString(line), 240)
	}
	require.Less(t, lines, 50)
}
