package records

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
)

func suiteOf(attributes string, cases ...string) string {
	return `<testsuites><testsuite name="pytest" ` + attributes + `>` + strings.Join(cases, "") + `</testsuite></testsuites>`
}

// A file whose suite counts results that it does not hold has lost one: the case
// would read as passed.
func TestCountedResultThatIsNotThere(t *testing.T) {
	passed := `<testcase classname="a.B" name="test_op[cutile_rs-1]"></testcase>`
	failed := `<testcase classname="a.B" name="test_op[cutile_rs-2]"><failure message="x"/></testcase>`
	skipped := `<testcase classname="a.B" name="test_op[cutile_rs-3]"><skipped message="x"/></testcase>`
	for _, tc := range []struct{ document, want string }{
		{suiteOf(`tests="1" failures="1"`, passed), `declares failures="1" and holds 0: a result is missing`},
		{suiteOf(`tests="2" errors="1" failures="1"`, passed, failed), `declares errors="1" and holds 0: a result is missing`},
		{suiteOf(`tests="2" skipped="2"`, passed, skipped), `declares skipped="2" and holds 1: a result is missing`},
		{suiteOf(`tests="1" failures="1"`, strings.Replace(passed, "></", "><!--<failure/>--></", 1)), `declares failures="1" and holds 0`},
		{suiteOf(`tests="3" failures="1" skipped="1" errors="0"`, passed, failed, skipped), ""},
		{suiteOf(`tests="2" failures="0"`, passed, failed), ""},
		{suiteOf(`tests="1" failures="many" errors="-1"`, passed), ""},
		// The outer suite counts what the inner one holds.
		{suiteOf(`tests="2" failures="1"`, passed, `<testsuite tests="1" failures="1">`+failed+`</testsuite>`), ""},
	} {
		got := ReadJUnit("x.xml", strings.NewReader(tc.document)).Interrupted()
		if tc.want == "" {
			require.Empty(t, got, tc.document)
			continue
		}
		require.Contains(t, got, "x.xml "+tc.want, tc.document)
	}
}

// Only what JUnit names says how a case ended.
func TestUnknownElementInACase(t *testing.T) {
	for _, element := range []string{"FAILURE", "rerun", "flakyFailure", "testcase", "result"} {
		r := ReadJUnit("x.xml", strings.NewReader(suiteOf("", `<testcase classname="a.B" name="t"><`+element+` message="x"/></testcase>`)))
		require.Contains(t, r.Interrupted(), `holds the element "`+element+`" in a test case`)
	}
	known := `<testcase classname="a.B" name="t"><properties/><system-out>x</system-out><system-err>y</system-err></testcase>`
	require.Empty(t, ReadJUnit("x.xml", strings.NewReader(suiteOf("", known))).Interrupted())
}

// Real files contradict themselves nowhere but where the run was stopped.
func TestRecordedFilesContradictNothing(t *testing.T) {
	n := 0
	require.NoError(t, filepath.WalkDir("../../testdata", func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".xml" {
			return err
		}
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		require.Empty(t, ReadJUnit(path, f).Doubt)
		n++
		return nil
	}))
	require.Greater(t, n, 100)
}

// The end of a console log says which of its tests failed, and that a run did not
// end by itself.
func TestConsoleThatFailedOrWasStopped(t *testing.T) {
	block := "Performance Test Results\ntest: tests/ops/test_x.py::Test_X::test_perf[cutile_rs-1]\nbenchmark: {'cutile-rs': {'forward': {'median': 0.1}}}\n"
	for _, word := range []string{"FAILED", "ERROR"} {
		c := ReadConsole("log", strings.NewReader(block+word+" tests/ops/test_x.py::Test_X::test_perf[cutile_rs-1] - AssertionError: far off\n= 1 failed in 3.00s =\n"))
		require.Equal(t, Failed, c.Cases[0].Outcome)
		require.Equal(t, "AssertionError: far off", c.Cases[0].Message)
		require.Empty(t, c.Interrupted())
	}
	c := ReadConsole("log", strings.NewReader(block+"FAILED tests/ops/test_x.py::Test_X::test_perf[cutile_rs-2] - x\n"))
	require.Equal(t, Passed, c.Cases[0].Outcome, "another test failed")
	dashed := strings.Replace(block, "cutile_rs-1", "cutile_rs-a - b", 1)
	for said, message := range map[string]string{"": "", " - assert x[1] - y": "assert x[1] - y"} {
		c = ReadConsole("log", strings.NewReader(dashed+"FAILED tests/ops/test_x.py::Test_X::test_perf[cutile_rs-a - b]"+said+"\n"))
		require.Equal(t, Failed, c.Cases[0].Outcome, "parameters with a dash")
		require.Equal(t, message, c.Cases[0].Message)
	}
	for _, end := range []string{"!!!!!!! KeyboardInterrupt !!!!!!!", "!!! Interrupted: 1 error during collection !!!", "!!!! stopping after 1 failures !!!!", "!!!! _pytest.outcomes.Exit: no device !!!!"} {
		c := ReadConsole("log", strings.NewReader(block+end+"\n"))
		require.Contains(t, c.Interrupted(), "the run was stopped: "+strings.Trim(end, "! "))
	}
	require.Empty(t, ReadConsole("log", strings.NewReader(block+"!!! all good, no Exit yet\n")).Interrupted())
	f := openRecorded(t, "interrupted_console.log")
	require.Contains(t, ReadConsole("interrupted_console.log", f).Stopped, "KeyboardInterrupt")
}

// Both readers of a record refuse counts that nothing measured has.
func TestRecordOfNoRepetition(t *testing.T) {
	record := func(nrep, relStd, launches string) string {
		return "{'a': {'forward': {'median': 0.5, 'rel_std': " + relStd + ", 'nrep': " + nrep + ", 'kernel_times': [{'name': 'k', 'self_time_us': 1.0, 'count': " + launches + "}]}}}"
	}
	for _, nrep := range []string{"0", "-3", "0.5"} {
		_, err := ParseBenchmark(record(nrep, "1.0", "1"))
		require.ErrorContains(t, err, "a.forward.nrep: expected at least 1 repetition, found "+nrep)
	}
	for _, nrep := range []string{"1", "nan", "None"} {
		_, err := ParseBenchmark(record(nrep, "1.0", "1"))
		require.NoError(t, err, nrep)
	}
	_, err := ParseBenchmark(record("3", "1.0", "10000000000000000000"))
	require.ErrorContains(t, err, "expected a whole number of launches from 1 to 2147483648, found 1e+19")
	text := record("3", "-1.0", "1")
	quickly, ok := quickBenchmark([]byte(text), &interner{})
	require.True(t, ok)
	v, err := ParseLiteral(text)
	require.NoError(t, err)
	carefully, err := benchmark(v)
	require.NoError(t, err)
	for _, ms := range [][]Measurement{quickly, carefully} {
		require.True(t, math.IsNaN(ms[0].RelStd), "no spread is below zero")
	}
}

func TestFallbackLine(t *testing.T) {
	says := "Current backend 'cutile-rs' has no implementation for 'bmm', falling back to 'cutile' backend"
	byDefault := "No backend implementation found for 'bmm', using default implementation"
	for _, tc := range []struct {
		text, backend string
		want          string
	}{
		{"x\nWARNING " + says + "\ny", "cutile-rs", says},
		{strings.Replace(says, "cutile-rs", "cutile_rs", 1), "cutile-rs", strings.Replace(says, "cutile-rs", "cutile_rs", 1)},
		{says, "cutile", ""},
		{"a\n" + byDefault + "\n", "cutile-rs", byDefault},
		{"No backend implementation found for 'bmm' with backend 'cutile-rs'. Fallback to default implementation is disabled", "cutile-rs", ""},
		{"Current backend 'cutile-rs' is fine\n" + says, "cutile-rs", says},
		{"E   NotImplementedError: Current backend 'cutile-rs' has no implementation for 'bmm'. Fallback to 'cutile' is disabled (DISABLE_FALLBACK=1).", "cutile-rs", ""},
		{"", "cutile-rs", ""},
	} {
		require.Equal(t, tc.want, Fallback(tc.text, tc.backend), tc.text)
	}
	// However much is written around it.
	noise := strings.Repeat("x", 200<<10)
	for _, line := range []string{says, byDefault} {
		r := ReadJUnit("x.xml", strings.NewReader(document(`<testcase classname="a" name="b"><system-out>`+noise+"\n"+line+"\n"+noise+`</system-out></testcase>`)))
		require.Equal(t, line, Fallback(r.Cases[0].Output, "cutile-rs"))
	}
}

// A line may begin the dispatcher's words again and again.
func TestFallbackOfALongLine(t *testing.T) {
	hostile.Linear(t, 1<<18, func(n int) string { return strings.Repeat("Current backend 'x' ", n/20) }, func(text string) {
		require.Empty(t, Fallback(text, "cutile-rs"))
	})
	line := "Current backend 'cutile-rs' has no implementation for 'bmm'" + strings.Repeat("é", 300)
	said := Fallback(line, "cutile-rs")
	require.True(t, utf8.ValidString(said) && strings.HasPrefix(line, said) && len(said) <= maxSaid, said)
}

func TestBackwardByName(t *testing.T) {
	for name, want := range map[string]bool{
		"test_op_backward[cutile_rs-1]":         true,
		"test_op_backward_no_bias[cutile_rs-1]": true,
		"test_op[cutile_rs-bwd-1]":              true,
		"test_op[cutile_rs-backward=True]":      true,
		"test_bwd[no-1]":                        true,
		"test_op[cutile_rs-no_backward-1]":      false,
		"test_op[cutile_rs-no-backward-1]":      false,
		"test_op[cutile_rs-without_bwd]":        false,
		"test_op[cutile_rs-backward=False]":     false,
		"test_op[cutile_rs-1]":                  false,
	} {
		require.Equal(t, want, ParseID("a.B", name).Backward(), name)
	}
}

// endless is a device that has no end.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// What never gets to an element is not read for ever.
func TestEndlessTextOutsideOfElements(t *testing.T) {
	for _, c := range []byte{0, ' ', 'x'} {
		r := ReadJUnit("device", endless(c))
		require.ErrorContains(t, r.Damage, "found more than 16 MiB of text outside of any element")
		r = ReadJUnit("device", io.MultiReader(strings.NewReader("<testsuites></testsuites>"), endless(c)))
		require.ErrorContains(t, r.Damage, "found more than 16 MiB of text outside of any element")
	}
}

// pytest counts each subtest that passes and writes none, so that nothing tells such
// a file from one that lost cases: the message names both.
func TestTestsThatHaveSubtests(t *testing.T) {
	written := suiteOf(`errors="0" failures="0" skipped="0" tests="9"`,
		`<testcase classname="test_y.T" name="test_sub" time="0.037" />`, `<testcase classname="test_y" name="test_subt" time="0.009" />`, `<testcase classname="test_y" name="test_plain" time="0.005" />`)
	require.Equal(t, "y.xml declares 9 tests and holds 3: it is partial, or its tests have subtests, which pytest counts and does not write",
		ReadJUnit("y.xml", strings.NewReader(written)).Interrupted())
}
