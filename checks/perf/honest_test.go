package perf

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/records"
)

// Where a test's output says that another backend answered, its time is not the
// candidate's, whatever kernels ran besides.
func TestFallbackInTheOutputIsVoid(t *testing.T) {
	text := string(junit(rs("1", 0.1), cutile("1", 0.1), rs("2", 0.1), cutile("2", 0.1)))
	says := "Current backend '%s' has no implementation for 'x', falling back to 'cutile' backend"
	with := func(backend, said string) Verdict {
		out := strings.Replace(text, `test_perf[`+backend+`-1]">`, `test_perf[`+backend+`-1]"><system-err>`+said+`</system-err>`, 1)
		require.NotEqual(t, text, out)
		return Compare([]File{{records.ReadJUnit("r.xml", strings.NewReader(out)), Both}}, nil, cutileOptions)
	}
	v := with("cutile_rs", strings.Replace(says, "%s", "cutile-rs", 1))
	require.Equal(t, Blocked, v.Verdict)
	require.Contains(t, v.Sentence, "1 of the records of cutile-rs is void: another backend was measured")
	require.Contains(t, v.Missing[0].Why, "void: another backend answered: Current backend 'cutile-rs' has no implementation")
	require.Equal(t, "Another backend was measured", v.Triage[0].Title)
	// Not the candidate's.
	require.Equal(t, Done, with("cutile", strings.Replace(says, "%s", "cutile", 1)).Verdict)
	// A log of the run says the same of all of it.
	o := cutileOptions
	o.Fallback = strings.Replace(says, "%s", "cutile-rs", 1)
	v = Compare([]File{{records.ReadJUnit("r.xml", strings.NewReader(text)), Both}}, nil, o)
	require.Equal(t, Blocked, v.Verdict)
	require.Contains(t, v.Sentence, "void records: another backend answered: Current backend")
}

// That a record has no profile shows nothing, neither a fallback.
func TestRecordWithoutAProfileBlamesNobody(t *testing.T) {
	for profile, why := range map[string]string{
		"":                     "the record has no kernel_times",
		", 'kernel_times': []": "kernel_times is empty",
	} {
		r := rs("1", 0.1)
		r.raw = "{'cutile-rs': {'forward': {'median': 0.1" + profile + "}}}"
		v := Compare([]File{xmlFile("r.xml", Both, r, cutile("1", 0.1))}, nil, cutileOptions)
		require.Equal(t, Blocked, v.Verdict)
		require.Equal(t, "BLOCKED: 1 of the records of cutile-rs is void: nothing shows that its kernel was measured.", v.Sentence)
		require.Contains(t, v.Missing[0].Why, why)
		require.NotContains(t, v.Missing[0].Why, "answered")
		require.Equal(t, "Records without a profile", v.Triage[0].Title)
	}
}

// A port that records backward passes is not forward-only: where it lacks one of
// the same test, a measurement is missing.
func TestBackwardPassThatOnlySomeRecordsHave(t *testing.T) {
	both := func(b bench) bench {
		figures := "{'median': 0.1, 'kernel_times': [{'name': 'x_entry', 'self_time_us': 100.0, 'count': 1}]}"
		b.raw = "{'" + b.backend + "': {'forward': " + figures + ", 'backward': " + figures + "}}"
		return b
	}
	v := Compare([]File{xmlFile("r.xml", Both, rs("1", 0.1), both(cutile("1", 0.1)), both(rs("2", 0.1)), both(cutile("2", 0.1)))}, nil, cutileOptions)
	require.Equal(t, Investigate, v.Verdict)
	require.Equal(t, MissingData, v.Severity)
	require.Empty(t, v.Uncovered)
	require.Equal(t, "test_perf[1] backward", v.Missing[0].Config)
	// None has one.
	v = Compare([]File{xmlFile("r.xml", Both, rs("1", 0.1), both(cutile("1", 0.1)), rs("2", 0.1), both(cutile("2", 0.1)))}, nil, cutileOptions)
	require.Equal(t, Done, v.Verdict)
	require.Len(t, v.Uncovered, 2)
}

// From one measurement that is given twice nobody knows how rounds scatter.
func TestOneFileAsTwoRounds(t *testing.T) {
	file := func(name, sum string, side Side) File {
		f := xmlFile(name, side, rs("1", 0.1), cutile("1", 0.1))
		f.SHA256 = sum
		return f
	}
	a, b := strings.Repeat("a", 64), strings.Repeat("b", 64)
	v := Compare([]File{file("1.xml", a, Both), file("2.xml", b, Both), file("3.xml", strings.ToUpper(a), Both)}, nil, cutileOptions)
	require.Equal(t, Done, v.Verdict)
	require.Nil(t, v.Confidence)
	require.Equal(t, "one measurement stands for two rounds: 3.xml is 1.xml once more, byte for byte", v.ConfidenceNote)
	require.NotNil(t, Compare([]File{file("1.xml", a, Both), file("2.xml", b, Both)}, nil, cutileOptions).Confidence)
	// The two sides of one file are one round of each.
	v = Compare([]File{file("1.xml", a, CandidateOnly), file("1.xml", a, ReferenceOnly)}, nil, cutileOptions)
	require.Equal(t, "1 round; an interval needs at least 2", v.ConfidenceNote)
	// The evidence lists one file under two names, or a name twice.
	for _, second := range []string{"perf-2.xml", "perf-1.xml"} {
		e := evidence(func(e *job.Evidence) {
			e.Files = []job.File{{Path: "perf-1.xml", Kind: "junit", SHA256: a}, {Path: second, Kind: "junit", SHA256: a}, {Path: "x.log", Kind: "log", SHA256: b}}
		})
		v = Compare([]File{file("perf-1.xml", "", Both), file(second, "", Both)}, []job.Evidence{e}, cutileOptions)
		require.Nil(t, v.Confidence)
		require.Contains(t, v.ConfidenceNote, second+" is perf-1.xml once more")
	}
}

// Evidence speaks for the run that it was written in.
func TestEvidenceOfAnotherRun(t *testing.T) {
	f := xmlFile("out/perf-1.xml", Both, rs("1", 0.1), cutile("1", 0.1))
	f.SHA256 = strings.Repeat("a", 64)
	listed := func(path, sum string) []job.Evidence {
		return []job.Evidence{evidence(func(e *job.Evidence) { e.Files = []job.File{{Path: path, Kind: "junit", SHA256: sum}} })}
	}
	other := strings.Repeat("b", 64)
	v := Compare([]File{f}, listed("perf-1.xml", other), cutileOptions)
	require.Equal(t, "unknown", v.Comparable)
	require.Contains(t, v.Notes, "the evidence lists perf-1.xml with another sha256, so it is of another run: comparable is unknown")
	require.Equal(t, "yes", Compare([]File{f}, listed("perf-1.xml", f.SHA256), cutileOptions).Comparable)
	require.Equal(t, "yes", Compare([]File{f}, listed("other.xml", other), cutileOptions).Comparable, "nothing is said about the file")
	require.Equal(t, "yes", Compare([]File{f}, append(listed("perf-1.xml", f.SHA256), listed("perf-1.xml", other)...), cutileOptions).Comparable, "one of them lists it")
	v = Compare([]File{f}, []job.Evidence{evidence(func(e *job.Evidence) { e.Stage = job.Correctness })}, cutileOptions)
	require.Equal(t, "unknown", v.Comparable)
	require.Contains(t, v.Notes[len(v.Notes)-1], "the evidence is of the correctness stage")
}

// Times of a run in which a command failed may be complete, and nobody knows.
func TestEvidenceOfAFailedCommand(t *testing.T) {
	e := evidence(func(e *job.Evidence) {
		e.Commands = []job.Command{{Name: "cargo build"}, {Name: "pytest", ExitCode: 2}}
	})
	v := Compare([]File{xmlFile("r.xml", Both, rs("1", 0.1), cutile("1", 0.1))}, []job.Evidence{e}, cutileOptions)
	require.Equal(t, Blocked, v.Verdict)
	require.Equal(t, "BLOCKED: pytest ended with exit code 2, so the measurements are not those of a whole run.", v.Sentence)
	require.Nil(t, v.GeomeanRatio)
	require.Nil(t, v.RatioMean)
	require.Equal(t, Blocked, v.Variants[0].Verdict)
	// What is slow is slow.
	v = Compare([]File{xmlFile("r.xml", Both, rs("1", 0.2), cutile("1", 0.1))}, []job.Evidence{e}, cutileOptions)
	require.Equal(t, Investigate, v.Verdict)
}

// Verdict, sentence and printed number agree on both edges of a limit.
func TestSentenceOnTheEdgeOfALimit(t *testing.T) {
	for _, threshold := range []float64{0, 1, 1.05, 1.1, 1.5, 1.07, 0.9} {
		limit := threshold
		if limit == 0 {
			limit = DefaultThreshold
		}
		for _, off := range []float64{-2e-9, -1.0000001e-9, -1e-9, -0.9999999e-9, 0, 0.9999999e-9, 1e-9, 1.0000001e-9, 2e-9} {
			o := cutileOptions
			o.Threshold = threshold
			v := Compare([]File{xmlFile("r.xml", Both, rs("1", 0.1*(limit+off)), cutile("1", 0.1))}, nil, o)
			require.Equal(t, v.Verdict == Done, strings.Contains(v.Sentence, "at most the limit"), "%v: %s", off, v.Sentence)
			require.Equal(t, v.Verdict == Investigate, strings.Contains(v.Sentence, "above the limit"), "%v: %s", off, v.Sentence)
			require.Equal(t, v.Verdict == Done, *v.GeomeanRatio <= limit, "%v: %s", off, v.Sentence)
		}
	}
}

// What to do about a skip depends on who skips.
func TestAdviceOnASkipOfTheReference(t *testing.T) {
	c := cutile("1", 0)
	c.skip = "later"
	v := Compare([]File{xmlFile("r.xml", Both, rs("1", 0.1), c, rs("2", 0.1), cutile("2", 0.1))}, nil, cutileOptions)
	require.Contains(t, v.Triage[0].Steps[0], "test_perf[1] (reference): The reference skips what the candidate is expected to measure")
	require.NotContains(t, v.Triage[0].Steps[0], "allowed_skips")
	r := rs("1", 0)
	r.skip = "later"
	v = Compare([]File{xmlFile("r.xml", Both, r, cutile("1", 0.1), rs("2", 0.1), cutile("2", 0.1))}, nil, cutileOptions)
	require.Contains(t, v.Triage[0].Steps[0], "test_perf[1] (candidate): Port what is skipped")
}

// A reason ends with its last word, also where a record gives none.
func TestReasonWithoutAText(t *testing.T) {
	xml := strings.Replace(string(junit(rs("1", 0.1), cutile("1", 0.1), rs("2", 0.1), cutile("2", 0.1))),
		`test_perf[cutile_rs-1]">`, `test_perf[cutile_rs-1]"><skipped type="pytest.xfail" message=""/>`, 1)
	v := Compare([]File{{records.ReadJUnit("r.xml", strings.NewReader(xml)), Both}}, nil, cutileOptions)
	require.Equal(t, "xfailed", v.Missing[0].Why)
	allowed := []string{}
	o := cutileOptions
	o.AllowSkip = func(text string) bool { allowed = append(allowed, text); return false }
	xml = strings.Replace(xml, ` type="pytest.xfail"`, "", 1)
	v = Compare([]File{{records.ReadJUnit("r.xml", strings.NewReader(xml)), Both}}, nil, o)
	require.Equal(t, "skipped", v.Missing[0].Why)
	require.Equal(t, []string{""}, allowed, "the text of the skip is empty")
}

func TestFiguresThatPrintAtOneWidth(t *testing.T) {
	for ms, want := range map[float64]string{0.99996: "1.000 ms", 0.99994: "999.9 us", 999.96: "1.000 s", 9.99996: "10.00 ms", 0.000999996: "1.000 us", 0.05: "50.00 us", 1e6: "1000 s"} {
		require.Equal(t, want, FormatMS(ms))
	}
	r := rs("1", 0.1)
	r.relStd = 1e308
	var b bytes.Buffer
	require.NoError(t, WriteText(&b, Compare([]File{xmlFile("r.xml", Both, r, cutile("1", 0.1))}, nil, cutileOptions)))
	require.Contains(t, b.String(), "rel_std 1e+308 %")
	for line := range strings.Lines(b.String()) {
		require.Less(t, len(line), 300)
	}
	b.Reset()
	o := cutileOptions
	o.Variants = &Variants{Reference: map[string]string{}, byTokens: map[string]string{"1": "a"}}
	require.NoError(t, WriteText(&b, Compare([]File{xmlFile("r.xml", Both, rs("1", 0.1), cutile("1", 0.1), rs("2", 0.1), cutile("2", 0.1))}, nil, o)))
	require.NotContains(t, b.String(), "DONE DONE")
}

// A file that is no round is told: whoever gave it meant it to be one.
func TestFileWithoutPerfCases(t *testing.T) {
	empty := func(side Side) File {
		return File{records.ReadJUnit("empty.xml", strings.NewReader("<testsuites/>")), side}
	}
	round := xmlFile("r.xml", Both, rs("1", 0.1), cutile("1", 0.1))
	for side, want := range map[Side]string{Both: "cutile-rs or cutile", CandidateOnly: "cutile-rs", ReferenceOnly: "cutile"} {
		v := Compare([]File{round, empty(side)}, nil, cutileOptions)
		require.Equal(t, 1, v.Rounds)
		require.Contains(t, v.Notes, "empty.xml holds no perf case of "+want+", so it is no round")
	}
	require.Equal(t, []string{"no evidence of GPU, driver and timing method: comparable is unknown; --evidence takes the evidence.json of the run, and the folder of a perf job of tilegate runner holds it"}, Compare([]File{round}, nil, cutileOptions).Notes)
}
