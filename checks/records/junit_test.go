package records

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func openRecorded(t testing.TB, name string) *os.File {
	t.Helper()
	f, err := os.Open(filepath.Join("../../testdata/junit", name))
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func recorded(t testing.TB, name string) Report {
	t.Helper()
	return ReadJUnit(name, openRecorded(t, name))
}

func document(cases string) string {
	return `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest">` + cases + `</testsuite></testsuites>`
}

func outcomes(r Report) string {
	var list []string
	for _, c := range r.Cases {
		list = append(list, string(c.Outcome))
	}
	return strings.Join(list, " ")
}

// The recorded files, whole: how many cases, which outcomes, whether complete.
func TestRecordedFiles(t *testing.T) {
	for _, tc := range []struct {
		file        string
		cases       int
		outcomes    map[Outcome]int
		interrupted string
	}{
		{"rms_norm_ref.xml", 8, map[Outcome]int{Passed: 8}, ""},
		{"rms_norm_aa_noisy.xml", 8, map[Outcome]int{Passed: 8}, ""},
		{"rms_norm_slower12.xml", 3, map[Outcome]int{Passed: 3}, ""},
		{"rope_ref.xml", 9, map[Outcome]int{Passed: 9}, ""},
		{"rope_extra_launch.xml", 2, map[Outcome]int{Passed: 2}, ""},
		{"op_pass.xml", 24, map[Outcome]int{Passed: 24}, ""},
		{"perf_wrong_result.xml", 2, map[Outcome]int{Passed: 1, Failed: 1}, ""},
		{"all_skipped.xml", 16, map[Outcome]int{Skipped: 16}, ""},
		{"cuda_oom.xml", 3, map[Outcome]int{Passed: 2, Failed: 1}, ""},
		{"illegal_access.xml", 3, map[Outcome]int{Passed: 1, Failed: 2}, ""},
		{"collection_error.xml", 1, map[Outcome]int{Error: 1}, "could not be collected"},
		{"interrupted.xml", 2, map[Outcome]int{Passed: 2}, "without a name"},
		{"nan_std.xml", 2, map[Outcome]int{Passed: 2}, ""},
		{"no_tests.xml", 0, map[Outcome]int{}, ""},
	} {
		t.Run(tc.file, func(t *testing.T) {
			r := recorded(t, tc.file)
			require.NoError(t, r.Damage)
			require.Len(t, r.Cases, tc.cases)
			require.Zero(t, r.Repairs)
			got := map[Outcome]int{}
			for _, c := range r.Cases {
				got[c.Outcome]++
				_, err := Measurements(c)
				require.NoError(t, err)
			}
			require.Equal(t, tc.outcomes, got)
			if tc.interrupted == "" {
				require.Empty(t, r.Interrupted())
			} else {
				require.Contains(t, r.Interrupted(), tc.interrupted)
			}
		})
	}
}

func TestOutcomesToldApartByTheirText(t *testing.T) {
	r := ReadJUnit("x", strings.NewReader(document(
		`<testcase classname="a" name="t1"><failure message="Failed: Timeout (&gt;4.0s) from pytest-timeout."/></testcase>`+
			`<testcase classname="a" name="t2"><error message="failed on setup with &quot;worker 'gw0' crashed while running 'a::t2'&quot;"/></testcase>`+
			`<testcase classname="a" name="t3"><skipped type="pytest.xfail" message="known"/></testcase>`+
			`<testcase classname="a" name="t4"><skipped type="pytest.skip" message="no GPU">x.py:1: no GPU</skipped></testcase>`+
			`<testcase classname="a" name="t5"><failure message="AssertionError: Timeout of the model"/></testcase>`+
			`<testcase classname="a" name="t6"><failure message="AssertionError"/><error message="failed on teardown"/></testcase>`)))
	require.NoError(t, r.Damage)
	require.Equal(t, "timeout crashed xfailed skipped failed failed", outcomes(r))
	require.Equal(t, "no GPU", r.Cases[3].Message)
	require.Equal(t, "x.py:1: no GPU", r.Cases[3].Detail)
}

// A report with raw control bytes, colour codes, a lone surrogate and bytes
// that are not UTF-8 loses no case, and all text is clean.
func TestFieldReport078DamagedCharacters(t *testing.T) {
	raw := document(
		"<testcase classname=\"a\" name=\"t[\x12-\xff]\"/>" +
			"<testcase classname=\"a\" name=\"t2\"><failure message=\"\x1b[31mred\x1b[0m \xed\xa0\x80 &#x1b; &#xD800; a & b &nbsp;\">body \x00\xc3</failure></testcase>" +
			"<testcase classname=\"a\" name=\"t3\"/>")
	r := ReadJUnit("x", strings.NewReader(raw))
	require.NoError(t, r.Damage)
	require.Equal(t, "passed failed passed", outcomes(r))
	require.Equal(t, "t[\uFFFD-\uFFFD]", r.Cases[0].Name)
	require.Contains(t, r.Cases[1].Message, "red")
	require.Contains(t, r.Cases[1].Message, "a & b &nbsp;")
	for _, c := range r.Cases {
		require.True(t, utf8.ValidString(c.Name+c.Message+c.Detail))
		require.NotContains(t, c.Message+c.Detail, "\x1b")
	}
	require.Equal(t, 13, r.Repairs)
}

// Cut off anywhere, a report is damaged, never shorter and complete.
func TestCutOffIsDamage(t *testing.T) {
	whole, err := os.ReadFile("../../testdata/junit/perf_wrong_result.xml")
	require.NoError(t, err)
	whole = bytes.TrimSpace(whole)
	for n := 0; n < len(whole); n += 97 {
		r := ReadJUnit("x", bytes.NewReader(whole[:n]))
		require.Error(t, r.Damage, "first %d bytes", n)
		require.Contains(t, r.Interrupted(), "damaged")
	}
}

func TestDamageSaysWhatWasExpected(t *testing.T) {
	for raw, want := range map[string]string{
		"":                               "expected a testsuites or testsuite element, found an empty file",
		"no XML at all":                  "expected a testsuites or testsuite element, found none: this is no JUnit XML",
		"<html></html>":                  `expected a testsuites or testsuite element, found "html"`,
		"\xff\xfe<\x00":                  "UTF-16",
		"<testsuite><testcase/>":         "line 1: unexpected EOF",
		"<testsuite><a></b></testsuite>": "line 1: element <a> closed by </b>",
	} {
		require.ErrorContains(t, ReadJUnit("x", strings.NewReader(raw)).Damage, want, raw)
	}
	r := ReadJUnit("x", io.MultiReader(strings.NewReader("<testsuite>"), failing{}))
	require.ErrorContains(t, r.Damage, "disk on fire")
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("disk on fire") }

func TestDeclaredCountShowsPartialFile(t *testing.T) {
	r := ReadJUnit("x.xml", strings.NewReader(`<testsuites tests="3"><testsuite tests="3"><testcase classname="a" name="b"/></testsuite></testsuites>`))
	require.Equal(t, "x.xml declares 3 tests and holds 1: it is partial, or its tests have subtests, which pytest counts and does not write", r.Interrupted())
}

func TestOtherEncodingAndMarkup(t *testing.T) {
	r := ReadJUnit("x", strings.NewReader("\uFEFF<?xml version='1.0' encoding='iso-8859-1'?><!-- > <x> --><testsuite>"+
		"<properties><property name='p' value='v'/></properties>"+
		"<testcase classname='a' name='b'><system-out><![CDATA[<testcase name='no'/> ]] &amp;]]></system-out></testcase></testsuite>"))
	require.NoError(t, r.Damage)
	require.Len(t, r.Cases, 1)
	require.Equal(t, "<testcase name='no'/> ]] &amp;", r.Cases[0].Output)
}

// Captured output is bounded, in plain text and in CDATA, and what follows it is
// still read.
func TestLongTextIsBounded(t *testing.T) {
	long := strings.Repeat("x &lt; é", 2<<20)
	r := ReadJUnit("x", strings.NewReader(document(
		"<testcase classname='a' name='b'><failure message='m'>"+long+"</failure></testcase>"+
			"<testcase classname='a' name='c'><system-out><![CDATA["+strings.Repeat("]]x", 1<<20)+"]]></system-out></testcase>"+
			"<testcase classname='a' name='d'/>")))
	require.NoError(t, r.Damage)
	require.Equal(t, "failed passed passed", outcomes(r))
	require.LessOrEqual(t, len(r.Cases[0].Detail), maxDetail+16)
}

// That another backend answers is said on one line of what a test prints. It is
// kept wherever it stands, however much is printed around it.
func TestFallbackLineIsKept(t *testing.T) {
	said := "WARNING Current backend 'cutile-rs' has no implementation for rms_norm, using cutile"
	noise := func(n int) string { return strings.Repeat("a line of captured output &amp; more\n", n) }
	for _, before := range []int{0, 10, 900, 1000, 1900, 2000, 5000, 30000, 60000} {
		r := ReadJUnit("x", strings.NewReader(document(
			"<testcase classname='a' name='b'><system-out>"+noise(before)+"</system-out><system-err>"+noise(7)+said+"\n"+noise(60000-before)+"</system-err></testcase>")))
		require.NoError(t, r.Damage)
		require.Contains(t, r.Cases[0].Output, "Current backend 'cutile-rs' has no implementation for rms_norm", before)
		require.LessOrEqual(t, len(r.Cases[0].Output), maxDetail+5*maxSaid)
	}
	r := ReadJUnit("x", strings.NewReader(document("<testcase classname='a' name='b'><system-out>"+noise(90000)+"</system-out></testcase>")))
	require.NotContains(t, r.Cases[0].Output, "Current backend")
	require.Contains(t, r.Cases[0].Output, cutMark)
}

// Other backends and ops that may not fall back say much before the line that counts.
func TestFallbackLineIsKeptAmongOthers(t *testing.T) {
	says := func(backend, rest string) string {
		return "Current backend '" + backend + "' has no implementation for '" + rest + "'\n"
	}
	var before strings.Builder
	for i := range 200 {
		before.WriteString(says("cutile", fmt.Sprintf("op%d', falling back to 'triton", i)))
		before.WriteString(says("cutile-rs", fmt.Sprintf("op%d'. Fallback to 'cutile' is disabled, '", i)))
		fmt.Fprintf(&before, "No backend implementation found for 'op%d' with backend 'cutile-rs'. Fallback to default implementation is disabled\n", i)
	}
	noise := strings.Repeat("a line of captured output\n", 9000)
	r := ReadJUnit("x", strings.NewReader(document("<testcase classname='a' name='b'><system-out>"+noise+before.String()+says("cutile-rs", "bmm', falling back to 'cutile")+noise+"</system-out></testcase>")))
	require.Equal(t, "Current backend 'cutile-rs' has no implementation for 'bmm', falling back to 'cutile'", Fallback(r.Cases[0].Output, "cutile-rs"))
	require.Contains(t, Fallback(r.Cases[0].Output, "cutile"), "'op0'")
	require.LessOrEqual(t, len(r.Cases[0].Output), maxDetail+5*maxSaid)
}

// The first failures keep their whole text, later ones of many keep less.
func TestTextsOfManyCasesAreCutShorter(t *testing.T) {
	body := strings.Repeat("E   assert a == b\n", 1000)
	one := "<testcase classname='a' name='b'><failure message='AssertionError: wrong'>" + body + "</failure></testcase>"
	r := ReadJUnit("x", strings.NewReader(document(strings.Repeat(one, 12000))))
	require.NoError(t, r.Damage)
	require.Len(t, r.Cases, 12000)
	require.Equal(t, body, r.Cases[0].Detail)
	total := 0
	for _, c := range r.Cases {
		require.Equal(t, Failed, c.Outcome)
		require.Equal(t, "AssertionError: wrong", c.Message)
		require.True(t, strings.HasPrefix(c.Detail, "E   assert a == b\n") && strings.HasSuffix(c.Detail, "E   assert a == b\n"))
		total += len(c.Detail)
	}
	require.LessOrEqual(t, len(r.Cases[2000].Detail), 2<<10+len(cutMark))
	require.LessOrEqual(t, len(r.Cases[11999].Detail), 256+len(cutMark))
	require.Less(t, total, 3*maxTexts)
}

// xdist writes the cases in the order in which its workers ended: a case is known
// by its parameters, never by its place.
func TestOrderOfCasesTellsNothing(t *testing.T) {
	byKey := func(cases []Case) map[string]float64 {
		m := map[string]float64{}
		for _, c := range cases {
			ms, err := Measurements(c)
			require.NoError(t, err)
			for _, one := range ms {
				id := ParseID(c.Class, c.Name)
				require.Equal(t, id.Backend, one.Backend)
				m[one.Backend+" "+id.Key()] = one.Median
			}
		}
		return m
	}
	r := recorded(t, "rope_ref.xml")
	want := byKey(r.Cases)
	require.Len(t, want, 9)
	mixed := rand.New(rand.NewPCG(1, 2)).Perm(len(r.Cases))
	cases := make([]Case, len(mixed))
	for i, n := range mixed {
		cases[i] = r.Cases[n]
	}
	require.Equal(t, want, byKey(cases))
}

func TestLineOfACase(t *testing.T) {
	r := ReadJUnit("x", strings.NewReader("<testsuite>\n<testcase name='a'><failure>\n\n</failure></testcase><testcase name='b'/>\n"+
		strings.Repeat("<testcase name='c'>\n</testcase>", 5000)+"</testsuite>"))
	require.NoError(t, r.Damage)
	require.Equal(t, []int{2, 4, 5, 6}, []int{r.Cases[0].Line, r.Cases[1].Line, r.Cases[2].Line, r.Cases[3].Line})
	require.Equal(t, 5004, r.Cases[5001].Line)
}

// A file may hold several suites; suites inside a suite are counted once.
func TestSuitesInSuites(t *testing.T) {
	r := ReadJUnit("x", strings.NewReader(`<testsuites><testsuite tests="2"><testsuite tests="1"><testcase classname="a" name="b"/></testsuite><testcase classname="a" name="c"/></testsuite>`+
		`<testsuite tests="1"><properties><property name="benchmark" value="not a case"/></properties><testcase classname="a" name="d"/></testsuite></testsuites>`))
	require.NoError(t, r.Damage)
	require.Equal(t, 3, r.Declared)
	require.Len(t, r.Cases, 3)
	require.False(t, r.Cases[2].HasBenchmark())
	require.Empty(t, r.Interrupted())
}

// Every shape that a benchmark property can take in a file: figures without a
// value, nested lists, quotes of both kinds, escapes, 2 MB, an element instead of
// an attribute, and one that is no literal.
func TestBenchmarkProperties(t *testing.T) {
	property := func(value string) Case {
		r := ReadJUnit("x", strings.NewReader(document(`<testcase classname="a" name="b"><properties>`+value+`</properties></testcase>`)))
		require.NoError(t, r.Damage)
		require.Len(t, r.Cases, 1)
		return r.Cases[0]
	}
	attribute := func(value string) Case {
		return property(`<property name="benchmark" value="` + strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;").Replace(value) + `" />`)
	}
	long := strings.Repeat("x", 2<<20)
	for value, median := range map[string]float64{
		"{'a': {'forward': {'median': 0.5, 'std': nan, 'rel_std': -inf, 'min': None, 'nrep': 3}}}":                    0.5,
		"{'a': {'forward': {'extra': [[1, [2, (3, 'x')]], {}], 'median': 1e-3}}}":                                     0.001,
		`{"a": {"forward": {"kernel_name": "it's", 'other': 'say "<&>"', "median": 2}}}`:                              2,
		`{'a': {'forward': {'kernel_name': 'tab	and\ A', 'median': 0.25}}}`:                                           0.25,
		"{'a': {'forward': {'kernel_name': '" + long + "', 'median': 0.75}}}":                                         0.75,
		"{'a': {'forward': {'all': [" + strings.Repeat("0.125, ", 2<<20/7) + "], 'median': 0.125}}}":                  0.125,
		"{'a': {'forward': {'median': 4, 'kernel_times': [{'name': '" + long + "', 'count': 1}]}, 'backward': None}}": 4,
	} {
		c := attribute(value)
		ms, err := Measurements(c)
		require.NoError(t, err, value[:60])
		require.Len(t, ms, 1)
		require.Equal(t, median, ms[0].Median, value[:60])
	}
	ms, err := Measurements(property(`<property name="other" value="1"/><property name="benchmark">{'a': {'forward': {'median': 1.5}}}</property><property name="benchmark" value="{'b': {'forward': {'median': 2}}}"/>`))
	require.NoError(t, err)
	require.Len(t, ms, 2)
	require.Equal(t, 1.5, ms[0].Median)

	for value, want := range map[string]string{
		"{'a': {'forward': {'median': tensor(0.5)}}}":          "offset 29: expected a dict, list, tuple",
		"{'a': {'forward': {'median': 0.5, 'median': 0.6}}}":   "each dict key once",
		"{'a': {'forward': {'median': 0.5}":                    "the end of the text",
		"":                                                     "the end of the text",
		"'" + strings.Repeat("x", MaxLiteralBytes) + "'":       "at most 4194304 bytes",
		"{'a': {'forward': " + strings.Repeat("[", 100) + "}}": "at most 64 levels",
		"{'a': {'forward': {'kernel_times': [{'count': 1}]}}}": "kernel_times[0].name: expected a string",
		"{'a': {'forward': {'median': 1}, 'forward': {}}}":     "each dict key once",
		"{'a': {'forward': {'nrep': 'many'}}}":                 `a.forward.nrep: expected a number, found the string "many"`,
	} {
		c := attribute(value)
		_, err := Measurements(c)
		require.ErrorContains(t, err, want)
		require.True(t, c.HasBenchmark())
	}
}

func TestVisitorStopsReading(t *testing.T) {
	stop := errors.New("enough")
	n := 0
	sum := DecodeJUnit(strings.NewReader(document(`<testcase name="a"/><testcase name="b"/>`)), func(Case) error {
		n++
		return stop
	})
	require.Equal(t, stop, sum.Damage)
	require.Equal(t, 1, n)
}

func FuzzReadJUnit(f *testing.F) {
	for _, name := range []string{"collection_error.xml", "interrupted.xml", "nan_std.xml", "no_tests.xml"} {
		b, err := os.ReadFile(filepath.Join("../../testdata/junit", name))
		require.NoError(f, err)
		f.Add(b)
	}
	f.Add([]byte("<testsuite><![CDATA[]]></testsuite><!-- --->&#0;&"))
	f.Add([]byte("   <")) // the window may end before the markup
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := ReadJUnit("x", bytes.NewReader(raw))
		slow := ReadJUnit("x", iotest.OneByteReader(bytes.NewReader(raw)))
		// Printed, nan equals nan.
		if fmt.Sprintf("%+v", r) != fmt.Sprintf("%+v", slow) {
			t.Fatalf("read in one piece: %+v\nread byte by byte: %+v", r, slow)
		}
		for _, c := range r.Cases {
			if !utf8.ValidString(c.Class + c.Name + c.Message + c.Detail + c.Output) {
				t.Fatalf("not clean: %+q", c.ID()+c.Message+c.Detail+c.Output)
			}
			Measurements(c)
			ParseID(c.Class, c.Name).Key()
		}
	})
}

// BenchmarkReadJUnit reads 2,000 measured cases, about 1 MB.
func BenchmarkReadJUnit(b *testing.B) {
	one := `<testcase classname="tests.ops.test_x.Test_X" name="test_perf[triton-1024]" time="0.1"><properties><property name="benchmark" value="{'triton': {'forward': {'median': 0.35, 'kernel_times': [{'name': 'f&lt;int&gt;', 'self_time_us': 356.2, 'total_time_us': 356.2, 'count': 1}]}}}" /></properties></testcase>`
	raw := []byte(document(strings.Repeat(one, 2000)))
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if sum := DecodeJUnit(bytes.NewReader(raw), func(Case) error { return nil }); sum.Damage != nil {
			b.Fatal(sum.Damage)
		}
	}
}
