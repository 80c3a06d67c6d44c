package perf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/records"
)

// recorded reads a recorded file for one side.
func recorded(t testing.TB, name string, side Side) File {
	t.Helper()
	f, err := os.Open(filepath.Join("../../testdata/junit", name))
	require.NoError(t, err)
	defer f.Close()
	return File{records.ReadJUnit(name, f), side}
}

// bench is a record of a made-up case: median in milliseconds, launches of the
// kernel of that name.
type bench struct {
	params, backend string
	median          float64
	kernel          string
	relStd          float64
	skip, fail      string
	raw             string // instead of the property made from the fields above
}

func xmlFile(name string, side Side, cases ...bench) File {
	return File{records.ReadJUnit(name, bytes.NewReader(junit(cases...))), side}
}

// junit is the text of a JUnit file.
func junit(cases ...bench) []byte {
	var b bytes.Buffer
	b.WriteString(`<testsuites><testsuite>`)
	for _, c := range cases {
		id := strings.ReplaceAll(c.backend, "-", "_")
		if c.params != "" {
			id += "-" + c.params
		}
		fmt.Fprintf(&b, `<testcase classname="tests.ops.test_x.Test_X" name="test_perf[%s]">`, id)
		switch {
		case c.skip != "":
			fmt.Fprintf(&b, `<skipped type="pytest.skip" message="%s"/>`, c.skip)
		case c.fail != "":
			fmt.Fprintf(&b, `<failure message="%s"/>`, c.fail)
		default:
			kernel := c.kernel
			if kernel == "" {
				kernel = "x_entry"
			}
			value := c.raw
			if value == "" {
				value = fmt.Sprintf("{'%s': {'forward': {'median': %v, 'rel_std': %v, 'nrep': 50, 'kernel_times': [{'name': '%s', 'self_time_us': %v, 'count': 1}]}}}",
					c.backend, c.median, c.relStd, kernel, c.median*1000)
			}
			value = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;").Replace(value)
			fmt.Fprintf(&b, `<properties><property name="benchmark" value="%s"/></properties>`, value)
		}
		b.WriteString(`</testcase>`)
	}
	b.WriteString(`</testsuite></testsuites>`)
	return b.Bytes()
}

func rs(params string, median float64) bench {
	return bench{params: params, backend: "cutile-rs", median: median}
}

func cutile(params string, median float64) bench {
	return bench{params: params, backend: "cutile", median: median, kernel: "k"}
}

var cutileOptions = Options{Candidate: "cutile-rs", Reference: "cutile"}

func evidence(change func(*job.Evidence)) job.Evidence {
	e := job.Evidence{
		Candidate: "cutile-rs", Reference: "cutile", Timing: "cupti",
		GPUIdentity: job.GPUIdentity{Name: "H200", UUID: "u", Driver: "580", ComputeCapability: "9.0"},
		Tools:       job.Tools{"torch": "2.11"},
	}
	if change != nil {
		change(&e)
	}
	return e
}

func TestRecordedSameFileIsParity(t *testing.T) {
	v := Compare([]File{recorded(t, "rms_norm_ref.xml", CandidateOnly), recorded(t, "rms_norm_ref.xml", ReferenceOnly)},
		nil, Options{Candidate: "triton", Reference: "triton"})
	require.Equal(t, Done, v.Verdict, v.Sentence)
	require.Equal(t, 1.0, *v.GeomeanRatio)
	require.Len(t, v.Configs, 4)
	require.Empty(t, v.Missing)
	require.Equal(t, "unknown", v.Comparable)
	require.Equal(t, 1, v.Rounds)
	for _, c := range v.Configs {
		require.Equal(t, 1.0, *c.Ratio)
		require.Equal(t, "same", c.Change)
		require.Equal(t, 1, *c.Launches.Candidate)
	}
}

func TestRecordedRegressionIsFound(t *testing.T) {
	o := Options{Candidate: "triton", Reference: "triton"}
	files := []File{recorded(t, "rms_norm_slower12.xml", CandidateOnly), recorded(t, "rms_norm_ref.xml", ReferenceOnly)}
	v := Compare(files, nil, o)
	require.InDelta(t, 1.126, *v.GeomeanRatio, 0.0005)
	require.Equal(t, Investigate, v.Verdict)
	require.Equal(t, ModerateGap, v.Severity)
	require.Len(t, v.Configs, 3)
	require.Len(t, v.Missing, 1)
	require.Equal(t, Missing{"test_perf[static_persistent-262144-1024-torch.float16]", "candidate", "not in the records"}, v.Missing[0])
	require.Len(t, v.Triage, 2, "no launch evidence, so only the missing config and the band's steps")
	require.Contains(t, v.Triage[0].Steps[0], "Measure the same cases on both sides")
	require.Contains(t, v.Triage[1].Steps[0], "same number of kernels")
	require.Contains(t, v.Sentence, "12.6 % slower than the reference's records of triton, above the limit 1.050; 1 of 4 configs missing.")

	o.MaxMissing = 0.25 // declared, so there is nothing to do about it
	v = Compare(files, nil, o)
	require.Len(t, v.Missing, 1)
	require.Len(t, v.Triage, 1)
}

func TestRecordedExtraLaunchIsFound(t *testing.T) {
	v := Compare([]File{recorded(t, "rope_extra_launch.xml", CandidateOnly), recorded(t, "rope_ref.xml", ReferenceOnly)},
		nil, Options{Candidate: "triton", Reference: "triton", MaxMissing: 0.6})
	require.Len(t, v.Configs, 2)
	require.InDelta(t, 1.058, *v.Configs[0].Ratio, 0.001)
	require.InDelta(t, 1.000, *v.Configs[1].Ratio, 0.001)
	for _, c := range v.Configs {
		require.Equal(t, 2, *c.Launches.Candidate)
		require.Equal(t, 1, *c.Launches.Reference)
		require.Contains(t, c.Note, "launches 2 against 1")
	}
	require.Equal(t, Done, v.Verdict, "3 of 5 missing is within 0.6")
	require.Len(t, v.Missing, 3)
	require.Len(t, v.Triage, 1)
	require.Equal(t, []string{"R41", "P9"}, v.Triage[0].Rules, "a fill kernel beside the own one")
	require.Contains(t, strings.Join(v.Triage[0].Steps, "\n"), "2 launches against 1")
}

func TestRecordedNoiseIsNoRegression(t *testing.T) {
	v := Compare([]File{recorded(t, "rms_norm_aa_noisy.xml", CandidateOnly), recorded(t, "rms_norm_ref.xml", ReferenceOnly)},
		nil, Options{Candidate: "triton", Reference: "triton"})
	require.Equal(t, Done, v.Verdict, v.Sentence)
	worst := v.Configs[3]
	require.InDelta(t, 1.084, *worst.Ratio, 0.001)
	require.Equal(t, "unclear", worst.Change, "a two-speed config")
	require.Contains(t, worst.Note, "noisy inside a run")
}

func TestRecordedBackendsOfOneFile(t *testing.T) {
	v := Compare([]File{recorded(t, "nan_std.xml", Both)}, nil, Options{Candidate: "triton", Reference: "pytorch"})
	require.Len(t, v.Configs, 1)
	require.Nil(t, v.Configs[0].RelStd, "nan is no figure")
	require.Contains(t, v.Configs[0].Note, "only 1 repetition")

	v = Compare([]File{recorded(t, "perf_wrong_result.xml", Both)}, nil, Options{Candidate: "triton", Reference: "pytorch"})
	require.Equal(t, Blocked, v.Verdict)
	require.Equal(t, MissingData, v.Severity)
	require.Nil(t, v.GeomeanRatio)
	require.Equal(t, "candidate", v.Missing[0].Side)
	require.Contains(t, v.Missing[0].Why, "failed: AssertionError")

	for _, file := range []string{"all_skipped.xml", "no_tests.xml", "op_pass.xml", "collection_error.xml", "interrupted.xml"} {
		v = Compare([]File{recorded(t, file, Both)}, nil, cutileOptions)
		require.Equal(t, Blocked, v.Verdict, file)
		require.Nil(t, v.GeomeanRatio)
		require.NotEmpty(t, v.Sentence)
	}
}

func TestInterruptedRunIsBlockedThoughItsTimesAreFine(t *testing.T) {
	v := Compare([]File{recorded(t, "interrupted.xml", CandidateOnly), recorded(t, "interrupted.xml", ReferenceOnly)},
		nil, Options{Candidate: "triton", Reference: "triton"})
	require.Equal(t, Blocked, v.Verdict)
	require.Contains(t, v.Sentence, "partial")
}

func TestSpellingsAndPositionsOfTheBackendMatch(t *testing.T) {
	a := xmlFile("a", Both, cutile("use_tma=True-1", 1))
	b := records.ReadJUnit("b", strings.NewReader(`<testsuite><testcase classname="tests.ops.test_x.Test_X" name="test_perf[cutile-rs-use_tma=True-1]"><properties>`+
		`<property name="benchmark" value="{'cutile-rs': {'forward': {'median': 1.2, 'kernel_times': [{'name': 'k_entry', 'self_time_us': 1200, 'count': 1}]}}}"/></properties></testcase></testsuite>`))
	v := Compare([]File{a, {b, Both}}, nil, cutileOptions)
	require.Equal(t, 1.2, *v.GeomeanRatio)
	require.Equal(t, "test_perf[use_tma=True-1]", v.Configs[0].Name)
}

func TestDuplicatesAreBlocked(t *testing.T) {
	v := Compare([]File{xmlFile("a.xml", Both, rs("1", 1), rs("1", 1.1), cutile("1", 1))}, nil, cutileOptions)
	require.Equal(t, Blocked, v.Verdict)
	require.Contains(t, v.Sentence, "a.xml: test_perf[1] of cutile-rs occurs more than once")

	v = Compare([]File{xmlFile("a.xml", Both, rs("1", 1), cutile("1", 1), bench{params: "2", backend: "cutile-rs",
		raw: "{'cutile-rs': {'forward': {'median': 1}}, 'cutile_rs': {'forward': {'median': 1}}}"}, cutile("2", 1))}, nil, cutileOptions)
	require.Equal(t, Blocked, v.Verdict)
	require.Contains(t, v.Sentence, "two benchmark records")
}

func TestRoundsTakeTheLowestOfEachSide(t *testing.T) {
	// Config A: the candidate's first round is in its slow state.
	files := []File{
		xmlFile("r1", Both, rs("A", 1.40), cutile("A", 1.00), rs("B", 1), cutile("B", 1)),
		xmlFile("r2", Both, rs("A", 1.01), cutile("A", 1.02), rs("B", 1), cutile("B", 1)),
	}
	v := Compare(files, nil, cutileOptions)
	require.Equal(t, 2, v.Rounds)
	require.InDelta(t, math.Sqrt(1.01/1.00), *v.GeomeanRatio, 1e-12)
	require.InDelta(t, math.Pow(1.40*1.01/1.00/1.02, 0.25), *v.RatioMean, 1e-12)
	require.Equal(t, SeverityDone, v.Severity)
	require.Equal(t, MildGap, Severity(*v.RatioMean, DefaultThreshold))
	require.Equal(t, 4, v.MoreRounds, "the statistics disagree about the band, and rounds that scatter so do not decide within the budget")
	require.True(t, v.Borderline)
	require.Less(t, v.Confidence.Low, 1.0)
	require.Greater(t, v.Confidence.High, 2.0, "one degree of freedom")
	one := Compare(files[:1], nil, cutileOptions)
	require.Nil(t, one.Confidence)
	require.Contains(t, one.ConfidenceNote, "at least 2")

	o := cutileOptions
	o.MaxRounds = 2
	require.Zero(t, Compare(files, nil, o).MoreRounds, "the budget is used up")
}

func TestUnevenRoundsUseTheFirstOfBoth(t *testing.T) {
	v := Compare([]File{
		xmlFile("c1", CandidateOnly, rs("A", 1.2)), xmlFile("c2", CandidateOnly, rs("A", 1.0)),
		xmlFile("r1", ReferenceOnly, cutile("A", 1.0)),
	}, nil, cutileOptions)
	require.Equal(t, 1, v.Rounds)
	require.InDelta(t, 1.2, *v.GeomeanRatio, 1e-12)
	require.Contains(t, strings.Join(v.Notes, "\n"), "uneven number of rounds")
}

func TestRoundWithoutATimeMakesTheConfigMissing(t *testing.T) {
	v := Compare([]File{
		xmlFile("r1", Both, rs("A", 1), cutile("A", 1), rs("B", 1), cutile("B", 1)),
		xmlFile("r2", Both, rs("A", 1), cutile("A", 1), bench{params: "B", backend: "cutile-rs", fail: "boom"}, cutile("B", 1)),
	}, nil, cutileOptions)
	require.Equal(t, Investigate, v.Verdict)
	require.Equal(t, MissingData, v.Severity)
	require.Equal(t, []Missing{{"test_perf[B]", "candidate", "round 2: failed: boom"}}, v.Missing)
}

func TestConfidenceFromTheRounds(t *testing.T) {
	var files []File
	for i, r := range []float64{1.00, 1.02, 1.04} {
		files = append(files, xmlFile(fmt.Sprint(i), Both, rs("A", r), cutile("A", 1)))
	}
	v := Compare(files, nil, cutileOptions)
	// mean and sample standard deviation of the logarithms, t(2) = 4.302653
	logs := []float64{0, math.Log(1.02), math.Log(1.04)}
	mean, std := meanStd(logs)
	half := 4.302653*std/math.Sqrt(3) + math.Sqrt(1e-6+4*2*timerStep*timerStep/12)
	require.InDelta(t, math.Exp(mean-half), v.Confidence.Low, 1e-7)
	require.InDelta(t, math.Exp(mean+half), v.Confidence.High, 1e-7)
	require.Equal(t, 0.95, v.Confidence.Level)
	require.Empty(t, v.ConfidenceNote)
	require.True(t, v.Borderline, "the interval straddles 1.05")
	require.Equal(t, 2, v.MoreRounds, "with t(3) the interval would still straddle, with t(4) not")
	require.Equal(t, "same", v.Configs[0].Change)

	o := cutileOptions
	o.MaxRounds = 4
	require.Equal(t, 1, Compare(files, nil, o).MoreRounds, "no more than the budget")
	o.MaxRounds = 3
	require.Zero(t, Compare(files, nil, o).MoreRounds)
}

func TestVoidRecordIsBlocked(t *testing.T) {
	for name, c := range map[string]bench{
		"foreign kernel": {params: "1", backend: "cutile-rs", median: 1, kernel: "void at::native::softmax"},
		"no profile":     {params: "1", backend: "cutile-rs", raw: "{'cutile-rs': {'forward': {'median': 1}}}"},
	} {
		v := Compare([]File{xmlFile("a", Both, c, cutile("1", 1), rs("2", 1), cutile("2", 1))}, nil, cutileOptions)
		require.Equal(t, Blocked, v.Verdict, name)
		require.Nil(t, v.GeomeanRatio)
		require.Contains(t, v.Missing[0].Why, "void", name)
		require.Contains(t, v.Triage[0].Rules, "R35")
	}
}

func TestSkips(t *testing.T) {
	gap := "cutile-rs x does not support transpose"
	files := []File{xmlFile("a", Both,
		rs("1", 1), cutile("1", 1),
		bench{params: "2", backend: "cutile-rs", skip: gap}, cutile("2", 1),
		bench{params: "3", backend: "cutile-rs", skip: "sm80"}, bench{params: "3", backend: "cutile", skip: "sm80"},
	)}
	v := Compare(files, nil, cutileOptions)
	require.Equal(t, MissingData, v.Severity)
	require.Equal(t, []Missing{{"test_perf[2]", "candidate", "skipped: " + gap}}, v.Missing)
	require.Empty(t, v.Uncovered)

	o := cutileOptions
	o.AllowSkip = func(text string) bool { return text == gap }
	v = Compare(files, nil, o)
	require.Equal(t, Done, v.Verdict, v.Sentence)
	require.Empty(t, v.Missing)
	require.Equal(t, []Uncovered{{"test_perf[2]", gap}}, v.Uncovered)
}

func TestEachDirectionIsAConfig(t *testing.T) {
	value := "{'%s': {'forward': {'median': 1, 'kernel_times': [{'name': 'f_entry', 'self_time_us': 1000, 'count': 1}]}, 'backward': {'median': %v, 'kernel_times': [{'name': 'b_entry', 'self_time_us': 1000, 'count': 1}]}}}"
	v := Compare([]File{xmlFile("a", Both,
		bench{params: "1", backend: "cutile-rs", raw: fmt.Sprintf(value, "cutile-rs", 2)},
		bench{params: "1", backend: "cutile", raw: fmt.Sprintf(value, "cutile", 1)})}, nil, cutileOptions)
	require.Len(t, v.Configs, 2)
	require.Equal(t, "test_perf[1]", v.Configs[0].Name)
	require.Equal(t, "test_perf[1] backward", v.Configs[1].Name)

	v = Compare([]File{xmlFile("a", Both, bench{params: "1", backend: "cutile-rs", fail: "boom"},
		bench{params: "1", backend: "cutile", raw: fmt.Sprintf(value, "cutile", 1)})}, nil, cutileOptions)
	require.Len(t, v.Missing, 2, "a failed case lacks both directions")
}

const analysisJSON = `{"kernel_variants": [{"variant_name": "persistent", "reference_backend": "triton"}, {"variant_name": "plain"}],
 "config_to_variant": {"static_persistent-1024-float16": "persistent", "1024_torch.float16_plain": "plain"}}`

func TestVariants(t *testing.T) {
	variants, err := ParseVariants([]byte(analysisJSON))
	require.NoError(t, err)
	o := cutileOptions
	o.Variants = variants
	triton := bench{params: "static_persistent-1024-torch.float16", backend: "triton", median: 2, kernel: "t"}
	files := []File{xmlFile("a", Both,
		rs("static_persistent-1024-torch.float16", 1), cutile("static_persistent-1024-torch.float16", 1), triton,
		rs("plain-1024-torch.float16", 1.2), cutile("plain-1024-torch.float16", 1),
		rs("other", 1), cutile("other", 1))}
	v := Compare(files, nil, o)
	require.Len(t, v.Variants, 3)
	require.Equal(t, []string{"default", "persistent", "plain"}, []string{v.Variants[0].Name, v.Variants[1].Name, v.Variants[2].Name})
	require.Equal(t, "triton", v.Variants[1].Reference)
	require.Equal(t, 0.5, *v.Variants[1].GeomeanRatio)
	require.Equal(t, ModerateGap, v.Variants[2].Severity)
	require.Equal(t, 1, v.Variants[2].Configs)
	require.Contains(t, strings.Join(v.Notes, "\n"), "not in config_to_variant, counted as default: test_perf[other]")
	require.Equal(t, "not in config_to_variant", v.Configs[2].Note)

	for raw, want := range map[string]string{
		"[]":                              "expected a JSON object",
		`{"config_to_variant": {"1": 2}}`: `config_to_variant["1"]: expected a variant's name, found 2`,
		`{"config_to_variant": {"1-2": "a", "2_1": "b"}}`: `belong to "a" and "b"`,
	} {
		_, err := ParseVariants([]byte(raw))
		require.ErrorContains(t, err, want)
	}
}

func TestComparability(t *testing.T) {
	files := []File{xmlFile("a", Both, rs("1", 1), cutile("1", 1))}
	v := Compare(files, []job.Evidence{evidence(nil), evidence(nil)}, cutileOptions)
	require.Equal(t, "yes", v.Comparable)
	require.Equal(t, Done, v.Verdict)

	for name, change := range map[string]func(*job.Evidence){
		"GPU":           func(e *job.Evidence) { e.GPUIdentity.Name = "H200 MIG 1g.18gb" },
		"GPU device":    func(e *job.Evidence) { e.GPUIdentity.UUID = "other" },
		"driver":        func(e *job.Evidence) { e.GPUIdentity.Driver = "570" },
		"timing method": func(e *job.Evidence) { e.Timing = "events" },
		"profiler":      func(e *job.Evidence) { e.Tools = job.Tools{"torch": "2.10"} },
	} {
		v := Compare(files, []job.Evidence{evidence(nil), evidence(change)}, cutileOptions)
		require.Equal(t, "no", v.Comparable, name)
		require.Equal(t, Blocked, v.Verdict)
		require.Contains(t, v.Sentence, "different "+name)
		require.Nil(t, v.GeomeanRatio)
		require.Nil(t, v.Configs[0].Ratio, "no percentage at all")
	}
	for name, change := range map[string]func(*job.Evidence){
		"gpu_identity.name": func(e *job.Evidence) { e.GPUIdentity.Name = "" },
		"timing":            func(e *job.Evidence) { e.Timing = "" },
		"candidate":         func(e *job.Evidence) { e.Candidate = "triton" },
	} {
		v := Compare(files, []job.Evidence{evidence(change)}, cutileOptions)
		require.Equal(t, "unknown", v.Comparable, name)
		require.Contains(t, strings.Join(v.Notes, "\n"), name)
	}
	v = Compare(files, []job.Evidence{evidence(func(e *job.Evidence) { e.Interrupted = true })}, cutileOptions)
	require.Equal(t, Blocked, v.Verdict)
}

// A record's own sign: profiled kernels make up a quarter of a wall-clock time.
func TestWallClockAgainstDeviceTimeIsNotComparable(t *testing.T) {
	wall := bench{params: "1", backend: "cutile", raw: "{'cutile': {'forward': {'median': 0.06, 'kernel_times': [{'name': 'k', 'self_time_us': 15.5, 'count': 1}]}}}"}
	v := Compare([]File{xmlFile("a", Both, rs("1", 0.0155), wall)}, nil, cutileOptions)
	require.Equal(t, "no", v.Comparable)
	require.Equal(t, Blocked, v.Verdict)
	require.Contains(t, v.Sentence, "wall-clock")
}

func TestBandsAreDecidedUnrounded(t *testing.T) {
	for _, tc := range []struct {
		ratio    float64
		severity string
		printed  string
	}{
		{0.9384, SeverityDone, "0.938"},
		{1.05, SeverityDone, "1.050"},
		{1.05 + 5e-10, SeverityDone, "1.050"},
		{1.05 + 2e-9, MildGap, "1.050000002"},
		{1.0500049, MildGap, "1.050005"},
		{1.0504, MildGap, "1.0504"},
		{1.051, MildGap, "1.051"},
		{1.1, MildGap, "1.100"},
		{1.10001, ModerateGap, "1.10001"},
		{1.5, ModerateGap, "1.500"},
		{1.5003, LargeGap, "1.5003"},
		{1.00002, SeverityDone, "1.00002"},
	} {
		require.Equal(t, tc.severity, Severity(tc.ratio, DefaultThreshold), "%v", tc.ratio)
		require.Equal(t, tc.printed, FormatRatio(tc.ratio, DefaultThreshold))
	}
	require.Equal(t, SeverityDone, Severity(1.08, 1.08), "the limit comes from the configuration")
}

// The JSON form has exactly the fields of the contract.
func TestJSONFields(t *testing.T) {
	var files []File
	for i := range 3 {
		files = append(files, xmlFile(fmt.Sprint(i), Both, rs("A", 1.2+0.001*float64(i)), cutile("A", 1),
			bench{params: "B", backend: "cutile-rs", skip: "gap"}, cutile("B", 1),
			bench{params: "C", backend: "cutile-rs", fail: "boom"}, cutile("C", 1)))
	}
	o := cutileOptions
	o.AllowSkip = func(s string) bool { return s == "gap" }
	v := Compare(files, nil, o)
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal(raw, &got))
	keys := func(v any) string {
		var ks []string
		for k := range v.(map[string]any) {
			ks = append(ks, k)
		}
		sort.Strings(ks)
		return strings.Join(ks, " ")
	}
	first := func(name string) any { return got[name].([]any)[0] }
	require.Equal(t, "borderline candidate comparable confidence confidence_note configs geomean_ratio missing more_rounds ratio_mean reference rounds schema severity triage uncovered variants verdict", keys(got))
	require.Equal(t, "high level low", keys(got["confidence"]))
	require.Equal(t, "configs geomean_ratio name reference severity verdict", keys(first("variants")))
	require.Equal(t, "candidate_ms change launches name note ratio reference_ms rel_std variant", keys(first("configs")))
	require.Equal(t, "candidate reference", keys(first("configs").(map[string]any)["launches"]))
	require.Equal(t, "config side why", keys(first("missing")))
	require.Equal(t, "config why", keys(first("uncovered")))
	require.Equal(t, "rules steps", keys(first("triage")))

	raw, err = json.Marshal(Compare(nil, nil, cutileOptions))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &got))
	require.Nil(t, got["geomean_ratio"])
	require.Nil(t, got["confidence"])
	for _, name := range []string{"variants", "configs", "missing", "uncovered", "triage"} {
		require.Equal(t, []any{}, got[name], "an empty list, not null")
	}
}

func TestOrderIsStable(t *testing.T) {
	files := []File{recorded(t, "rope_ref.xml", Both), recorded(t, "rms_norm_ref.xml", Both)}
	o := Options{Candidate: "triton", Reference: "pytorch"}
	first, err := json.Marshal(Compare(files, nil, o))
	require.NoError(t, err)
	for range 20 {
		again, err := json.Marshal(Compare(files, nil, o))
		require.NoError(t, err)
		require.Equal(t, string(first), string(again))
	}
}

// BenchmarkCompare judges 10,000 configs in 5 rounds; with reading, the records
// come as JUnit files.
func BenchmarkCompare(b *testing.B) {
	var texts [][]byte
	for r := range 5 {
		var cases []bench
		for i := range 10000 {
			p := fmt.Sprintf("%d-torch.float16", i)
			cases = append(cases, rs(p, 1+float64(r)/100), cutile(p, 1))
		}
		texts = append(texts, junit(cases...))
	}
	read := func() (files []File) {
		for i, text := range texts {
			files = append(files, File{records.ReadJUnit(fmt.Sprint(i), bytes.NewReader(text)), Both})
		}
		return files
	}
	judge := func(b *testing.B, files []File) {
		if v := Compare(files, nil, cutileOptions); v.Verdict != Done {
			b.Fatal(v.Sentence)
		}
	}
	b.Run("judge", func(b *testing.B) {
		files := read()
		for b.Loop() {
			judge(b, files)
		}
	})
	b.Run("read and judge", func(b *testing.B) {
		for b.Loop() {
			judge(b, read())
		}
	})
}

// A port measures the forward pass only; the reference's record has both. Records
// of a real card.
func TestForwardOnlyPort(t *testing.T) {
	read := func(name string, side Side) File {
		f, err := os.Open("../../testdata/h200/cutile/" + name)
		require.NoError(t, err)
		defer f.Close()
		return File{Report: records.ReadJUnit(name, f), Side: side}
	}
	files := []File{read("silu_and_mul_perf_candidate.xml", CandidateOnly), read("silu_and_mul_perf_reference.xml", ReferenceOnly)}
	v := Compare(files, nil, cutileOptions)
	require.Equal(t, Done, v.Verdict, v.Sentence)
	require.Len(t, v.Configs, 8)
	require.Empty(t, v.Missing)
	require.Len(t, v.Uncovered, 8)
	require.Contains(t, v.Uncovered[0].Config, "backward")
	require.Contains(t, v.Uncovered[0].Why, "forward only")

	// A backward pass that the candidate has and the reference lacks is missing,
	// and so is one whose forward pass was not measured.
	v = Compare([]File{{Report: files[1].Report, Side: CandidateOnly}, {Report: files[0].Report, Side: ReferenceOnly}}, nil,
		Options{Candidate: "cutile", Reference: "cutile-rs"})
	require.Len(t, v.Missing, 8)
	require.Equal(t, "reference", v.Missing[0].Side)
	files[0].Cases = files[0].Cases[1:]
	files[0].Declared--
	v = Compare(files, nil, cutileOptions)
	require.Len(t, v.Missing, 2)
	require.Len(t, v.Uncovered, 7)
}
