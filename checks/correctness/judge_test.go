package correctness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/triage"
)

func recorded(t testing.TB, name string) records.Report {
	t.Helper()
	f, err := os.Open(filepath.Join("../../testdata/junit", name))
	require.NoError(t, err)
	defer f.Close()
	return records.ReadJUnit(name, f)
}

// tc is one made-up case: name, result element ("" for passed).
func tc(name, result string) string {
	return fmt.Sprintf(`<testcase classname="tests.ops.test_x.Test_X" name="%s">%s</testcase>`, name, result)
}

func skip(text string) string { return `<skipped type="pytest.skip" message="` + text + `"/>` }

func failure(text string) string { return `<failure message="` + text + `"/>` }

func report(cases ...string) records.Report {
	return records.ReadJUnit("x.xml", strings.NewReader("<testsuites><testsuite>"+strings.Join(cases, "")+"</testsuite></testsuites>"))
}

var rs = Options{Backend: "cutile-rs", Reference: "cutile"}

func judgeOne(o Options, cases ...string) Verdict {
	return Judge([]records.Report{report(cases...)}, nil, o)
}

func code(n int) *int { return &n }

func TestRecordedFiles(t *testing.T) {
	for _, tc := range []struct {
		file, backend   string
		exit            int
		verdict         string
		class           triage.Class
		expected, pass  int
		failed, skipped int
		sentence        string
	}{
		{"op_pass.xml", "triton", 0, AllPass, "", 24, 24, 0, 0, "all 24 expected cases passed"},
		{"all_skipped.xml", "cutile", 0, Blocked, triage.Env, 16, 0, 0, 16, "all 16 cases were skipped, nothing was tested"},
		{"collection_error.xml", "triton", 2, Blocked, triage.Host, 0, 0, 0, 0, "tests.ops.test_zz_importerr: ImportError"},
		{"interrupted.xml", "triton", 2, Blocked, "", 2, 2, 0, 0, "the run is partial"},
		{"cuda_oom.xml", "pytorch", 1, Blocked, triage.Infra, 3, 2, 1, 0, "outside of the change (infra)"},
		{"illegal_access.xml", "triton", 1, Fail, triage.Host, 1, 0, 2, 0, "test_perf[triton] failed"},
		{"illegal_access.xml", "pytorch", 1, Blocked, triage.Infra, 1, 1, 1, 0, "consequence of"},
		{"no_tests.xml", "triton", 5, Blocked, "", 0, 0, 0, 0, "nothing ran: pytest exited 5"},
		{"perf_wrong_result.xml", "triton", 1, Fail, triage.Kernel, 1, 0, 1, 0, "DID NOT MATCH THE REFERENCE"},
		{"rms_norm_ref.xml", "triton", 0, AllPass, "", 4, 4, 0, 0, "all 4 expected cases passed"},
		{"nan_std.xml", "triton", 0, AllPass, "", 1, 1, 0, 0, ""},
	} {
		for _, exit := range []*int{code(tc.exit), nil} {
			v := Judge([]records.Report{recorded(t, tc.file)}, nil, Options{Backend: tc.backend, ExitCode: exit})
			require.Equal(t, tc.verdict, v.Verdict, "%s: %s", tc.file, v.Sentence)
			require.Equal(t, tc.class, v.FailClass, tc.file)
			require.Equal(t, []int{tc.expected, tc.pass, tc.failed, tc.skipped}, []int{v.Expected, v.Passed, v.Failed, v.Skipped}, tc.file)
			if exit != nil || tc.exit != 5 {
				require.Contains(t, v.Sentence, tc.sentence)
			}
		}
	}
}

func TestCulpritLeads(t *testing.T) {
	v := Judge([]records.Report{recorded(t, "illegal_access.xml")}, nil, Options{Backend: "triton"})
	require.Equal(t, "tests.ops.test_zz_illegal.Test_Illegal::test_perf[triton]", v.Cases[0].ID)
	require.Contains(t, v.Cases[1].Why, "consequence of tests.ops.test_zz_illegal.Test_Illegal::test_perf[triton]")
	require.Equal(t, 1, v.Consequences)
}

// What was expected and what came beyond it is the sum of all counts.
func TestCountsAddUp(t *testing.T) {
	text := func(v Verdict) string {
		var b bytes.Buffer
		require.NoError(t, WriteText(&b, v))
		return b.String()
	}
	v := Judge([]records.Report{recorded(t, "illegal_access.xml")}, nil, Options{Backend: "triton"})
	require.Contains(t, text(v), "backend triton: 1 expected and 1 beyond them, 0 passed, 2 failed, 0 skipped (0 cited), 0 missing\n")

	pair := func(p, result string) string {
		return tc("test_op[cutile_rs-"+p+"]", result) + tc("test_op[cutile-"+p+"]", "")
	}
	v = judgeOne(rs, pair("1", ""), pair("2", failure("boom")), pair("3", skip("not today")), pair("4", `<skipped type="pytest.xfail" message="known"/>`),
		pair("5", "<system-err>Current backend 'cutile-rs' has no implementation for 'x'</system-err>"), tc("test_op[cutile-6]", ""), tc("test_op[cutile_rs-7]", ""), tc("test_registry", failure("gone")))
	require.Contains(t, text(v), "6 expected and 2 beyond them, 2 passed, 2 failed, 1 skipped (0 cited), 1 missing, 1 xfailed, 1 void\n")
	require.Len(t, v.Cases, v.Expected+v.Beyond)
}

// One row for each way to a verdict.
func TestVerdicts(t *testing.T) {
	both := func(params string) string {
		return tc("test_op[cutile_rs-"+params+"]", "") + tc("test_op[cutile-"+params+"]", "")
	}
	ref := func(params string) string { return tc("test_op[cutile-"+params+"]", "") }
	cand := func(params, result string) string { return tc("test_op[cutile_rs-"+params+"]", result) }
	xfail := `<skipped type="pytest.xfail" message="known"/>`
	for _, row := range []struct {
		name     string
		o        func(*Options)
		cases    []string
		verdict  string
		class    triage.Class
		sentence string
	}{
		{"all pass", nil, []string{both("1"), both("2")}, AllPass, "", "all 2 expected cases passed."},
		{"explicit ids spell the backend with a dash", nil, []string{tc("test_op[cutile-rs-a=1]", ""), tc("test_op[cutile-a=1]", "")}, AllPass, "", "the only expected case passed"},
		{"other backends do not matter", nil, []string{both("1"), tc("test_op[pytorch-1]", failure("x"))}, AllPass, "", ""},
		{"wrong result", nil, []string{both("1"), cand("2", failure("AssertionError: DID NOT MATCH")), ref("2")}, Fail, triage.Kernel, "1 of 2 cases failed"},
		{"set-up error", nil, []string{both("1"), cand("2", `<error message="failed on setup with boom"/>`), ref("2")}, Fail, triage.Kernel, "ended in an error"},
		{"timeout", nil, []string{both("1"), cand("2", failure("Failed: Timeout (&gt;60.0s) from pytest-timeout.")), ref("2")}, Fail, triage.Host, "ran into its time limit"},
		{"crashed worker", nil, []string{both("1"), cand("2", `<error message="failed on setup with &quot;worker 'gw0' crashed while running 'x'&quot;"/>`), ref("2")}, Fail, triage.Host, "killed its worker"},
		{"failure beats incompleteness", nil, []string{cand("1", failure("boom")), ref("1"), ref("2"), `<testcase time="1"/>`}, Fail, triage.Kernel, ""},
		{"failure beats an excused failure", nil, []string{cand("1", failure("torch.OutOfMemoryError: CUDA out of memory.")), ref("1"), cand("2", failure("boom")), ref("2")}, Fail, triage.Kernel, "boom"},
		{"out of memory", nil, []string{both("1"), cand("2", failure("torch.OutOfMemoryError: CUDA out of memory.")), ref("2")}, Blocked, triage.Infra, "outside of the change"},
		{"missing case", nil, []string{both("1"), ref("2")}, Blocked, "", "1 of 2 expected cases did not run: tests.ops.test_x.Test_X::test_op[cutile_rs-2]"},
		{"deselected case", func(o *Options) { o.Deselected = 3 }, []string{both("1"), ref("2")}, Blocked, "", "was deselected"},
		{"uncited skip", nil, []string{both("1"), cand("2", skip("not today")), ref("2")}, Blocked, triage.Test, "not today"},
		{"skip for want of the backend", nil, []string{both("1"), cand("2", skip("Backend cutile-rs is not available")), ref("2")}, Blocked, triage.Env, ""},
		{"expected failure", nil, []string{both("1"), cand("2", xfail), ref("2")}, Blocked, triage.Test, "expected to fail"},
		{"interrupted", nil, []string{both("1"), `<testcase time="1"/>`}, Blocked, "", "partial"},
		{"interrupted from outside", func(o *Options) { o.Interrupted = true }, []string{both("1")}, Blocked, "", "interrupted"},
		{"usage error", func(o *Options) { o.ExitCode = code(4) }, []string{both("1")}, Blocked, "", "pytest exited 4"},
		{"killed", func(o *Options) { o.ExitCode = code(137) }, []string{both("1")}, Blocked, "", "killed"},
		{"exit 1 without a failed case", func(o *Options) { o.ExitCode = code(1) }, []string{both("1")}, Blocked, "", "yet the records hold no failed case"},
		{"exit 0 with a failed case", func(o *Options) { o.ExitCode = code(0) }, []string{both("1"), tc("test_op[cutile-2]", failure("x")), cand("2", "")}, Blocked, "", "yet the records hold 1 failed"},
		{"exit 1 by another backend", func(o *Options) { o.ExitCode = code(1) }, []string{both("1"), tc("test_op[pytorch-2]", failure("x"))}, AllPass, "", ""},
		{"no reference case", nil, []string{cand("1", "")}, Blocked, "", "no case of the reference cutile"},
		{"nothing at all", nil, nil, Blocked, "", "nothing ran"},
		{"fallback in the case's output", nil, []string{both("1"), cand("2", "<system-err>Current backend 'cutile-rs' has no implementation for 'x'</system-err>"), ref("2")}, Blocked, triage.Host, "void"},
		{"fallback in the log", func(o *Options) { o.Fallback = "Current backend 'cutile-rs' has no implementation for 'x'" }, []string{both("1")}, Blocked, triage.Host, "void"},
		{"foreign kernel", nil, []string{cand("1", `<properties><property name="benchmark" value="{'cutile-rs': {'forward': {'median': 1, 'kernel_times': [{'name': 'softmax', 'self_time_us': 1, 'count': 1}]}}}"/></properties>`), ref("1")}, Blocked, triage.Host, "void: no kernel named *_entry ran"},
		{"failure of no backend", nil, []string{both("1"), tc("test_registry", failure("boom"))}, Fail, triage.Kernel, "test_registry failed"},
		{"pass of no backend is nothing to judge", nil, []string{both("1"), tc("test_registry", "")}, AllPass, "", "the only expected case passed"},
		{"expected list", func(o *Options) {
			o.Expect = []string{"tests/ops/test_x.py::Test_X::test_op[cutile-1]", "tests/ops/test_x.py::Test_X::test_op[cutile_rs-2]"}
		}, []string{cand("1", ""), cand("2", "")}, AllPass, "", "all 2"},
		{"expected list, one gone", func(o *Options) {
			o.Expect = []string{"tests/ops/test_x.py::Test_X::test_op[cutile-1]", "tests/ops/test_x.py::Test_X::test_op[cutile-3]"}
		}, []string{cand("1", "")}, Blocked, "", "test_op[cutile_rs-3]"},
		{"expected list, no backend", func(o *Options) { o.Expect = []string{"tests/ops/test_x.py::Test_X::test_op"} }, []string{tc("test_op", "")}, AllPass, "", "the only expected case passed"},
		{"empty expected list", func(o *Options) { o.Expect = []string{} }, []string{both("1")}, Blocked, "", "list of expected cases is empty"},
		{"extra candidate case fails", nil, []string{both("1"), cand("9", failure("boom"))}, Fail, triage.Kernel, ""},
		{"extra candidate case is skipped", nil, []string{both("1"), cand("9", skip("why not"))}, Blocked, triage.Test, ""},
		{"teardown error of a failed case", nil, []string{both("1"), cand("2", failure("boom")), cand("2", `<error message="failed on teardown"/>`), ref("2")}, Fail, triage.Kernel, "1 of 2 cases failed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := rs
			if row.o != nil {
				row.o(&o)
			}
			v := judgeOne(o, row.cases...)
			require.Equal(t, row.verdict, v.Verdict, v.Sentence)
			require.Equal(t, row.class, v.FailClass, v.Sentence)
			require.Contains(t, v.Sentence, row.sentence)
			require.NotEmpty(t, v.Sentence)
		})
	}
}

// The four rules by which a skip is cited, and what is near to each.
func TestCitedSkips(t *testing.T) {
	pass := tc("test_op[cutile_rs-0]", "") + tc("test_op[cutile-0]", "")
	base := []records.Report{report(tc("test_op[cutile_rs-1]", skip("old  reason")))}
	for _, row := range []struct {
		name  string
		cases string
		base  []records.Report
		allow func(string) bool
		cited string // in the verdict's sentence; "" when the skip does not count
	}{
		{"a: forward-only backward case", tc("test_op_backward[cutile_rs-1]", skip("cutile-rs is forward-only")) + tc("test_op_backward[cutile-1]", ""), nil, nil, "1 backward case of a forward-only backend; 50 % of the reference's cases are covered"},
		{"a: backward pass not supported", tc("test_op_backward[cutile_rs-1]", skip("cutile-rs backend does not support the backward pass")) + tc("test_op_backward[cutile-1]", ""), nil, nil, "1 backward case of a forward-only backend; 50 %"},
		{"a: the same text on a forward case", tc("test_op[cutile_rs-1]", skip("cutile-rs is forward-only")) + tc("test_op[cutile-1]", ""), nil, nil, ""},
		{"a: another text on a backward case", tc("test_op_backward[cutile_rs-1]", skip("slow")) + tc("test_op_backward[cutile-1]", ""), nil, nil, ""},
		{"b: the reference skips it too", tc("test_op[cutile_rs-1]", skip("sm80")) + tc("test_op[cutile-1]", skip("OOM on sm80")), nil, nil, "1 skipped by the reference too; 100 % of the reference's cases are covered"},
		{"b: the reference skips other parameters", tc("test_op[cutile_rs-1]", skip("sm80")) + tc("test_op[cutile-1]", "") + tc("test_op[cutile_rs-2]", "") + tc("test_op[cutile-2]", skip("sm80")), nil, nil, ""},
		{"c: skipped at the base with the same text", tc("test_op[cutile_rs-1]", skip("old reason")) + tc("test_op[cutile-1]", ""), base, nil, "1 skipped at the base revision too; 50 %"},
		{"c: skipped at the base with another text", tc("test_op[cutile_rs-1]", skip("new reason")) + tc("test_op[cutile-1]", ""), base, nil, ""},
		{"d: allowed", tc("test_op[cutile_rs-1]", skip("no fp64")) + tc("test_op[cutile-1]", ""), nil, func(s string) bool { return s == "no fp64" }, "1 declared gap; 50 % of the reference's cases are covered"},
		{"d: not allowed", tc("test_op[cutile_rs-1]", skip("no fp64")) + tc("test_op[cutile-1]", ""), nil, func(s string) bool { return s == "fp64" }, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := rs
			o.AllowSkip = row.allow
			v := Judge([]records.Report{report(pass, row.cases)}, row.base, o)
			if row.cited != "" {
				require.Equal(t, AllPass, v.Verdict, v.Sentence)
				require.Equal(t, 1, v.Cited)
				require.Contains(t, v.Sentence, "1 of 2 cases passed; cited skips: "+row.cited)
			} else {
				require.Equal(t, Blocked, v.Verdict, v.Sentence)
				require.Zero(t, v.Cited)
			}
			require.Equal(t, 1, v.Skipped)
		})
	}
}

// (b) needs a reference that works at all.
func TestReferenceThatPassedNothingCitesNothing(t *testing.T) {
	v := judgeOne(rs, tc("test_op[cutile_rs-0]", ""), tc("test_op[cutile-0]", skip("no GPU")), tc("test_op[cutile_rs-1]", skip("no GPU")), tc("test_op[cutile-1]", skip("no GPU")))
	require.Equal(t, Blocked, v.Verdict)
	require.Zero(t, v.Cited)
}

// Only cited skips is not a pass.
func TestNothingButCitedSkipsIsBlocked(t *testing.T) {
	o := rs
	o.AllowSkip = func(string) bool { return true }
	v := judgeOne(o, tc("test_op[cutile_rs-1]", skip("gap")), tc("test_op[cutile-1]", ""))
	require.Equal(t, Blocked, v.Verdict)
	require.Equal(t, 1, v.Cited)
	require.Contains(t, v.Sentence, "nothing was tested")
}

// The JSON form has exactly the fields of the contract.
func TestJSONFields(t *testing.T) {
	raw, err := json.Marshal(judgeOne(rs, tc("test_op[cutile_rs-0]", ""), tc("test_op[cutile-0]", ""), tc("test_op[cutile-1]", "")))
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
	require.Equal(t, "backend cases expected fail_class failed missing passed schema sentence skipped verdict", keys(got))
	require.Equal(t, "id outcome why", keys(got["cases"].([]any)[0]))
	require.Equal(t, []any{"tests.ops.test_x.Test_X::test_op[cutile_rs-1]"}, got["missing"])
	require.Equal(t, "", got["fail_class"])

	raw, err = json.Marshal(Judge(nil, nil, rs))
	require.NoError(t, err)
	require.Contains(t, string(raw), `"missing":[],"cases":[]`)
}

// One illegal access and the 34 failures that it caused.
func TestFieldReport072CascadeLeadsWithTheCulprit(t *testing.T) {
	var cases []string
	add := func(n int, result string) {
		cases = append(cases, tc(fmt.Sprintf("test_op[cutile_rs-%d]", n), result), tc(fmt.Sprintf("test_op[cutile-%d]", n), ""))
	}
	for i := range 40 {
		add(i, "")
	}
	for i := 40; i < 75; i++ {
		add(i, failure("torch.AcceleratorError: CUDA error: an illegal memory access was encountered"))
	}
	v := judgeOne(rs, cases...)
	require.Equal(t, Fail, v.Verdict)
	require.Equal(t, []int{40, 35, 34}, []int{v.Passed, v.Failed, v.Consequences})
	require.Equal(t, "tests.ops.test_x.Test_X::test_op[cutile_rs-40]", v.Cases[0].ID)
	require.Contains(t, v.Sentence, "test_op[cutile_rs-40] failed")
	require.Contains(t, v.Sentence, "34 later failures")
}

// A run in which nothing was collected is not a success, whatever else says so.
func TestFieldReport073NothingCollected(t *testing.T) {
	for name, v := range map[string]Verdict{
		"exit 5":        Judge([]records.Report{recorded(t, "no_tests.xml")}, nil, Options{Backend: "triton", ExitCode: code(5)}),
		"exit 0":        Judge([]records.Report{recorded(t, "no_tests.xml")}, nil, Options{Backend: "triton", ExitCode: code(0)}),
		"no file":       Judge(nil, nil, Options{Backend: "triton", ExitCode: code(0)}),
		"all elsewhere": Judge([]records.Report{recorded(t, "op_pass.xml")}, nil, Options{Backend: "cutile-rs", ExitCode: code(0)}),
	} {
		require.Equal(t, Blocked, v.Verdict, name)
		require.Contains(t, v.Sentence, "nothing ran", name)
	}
}

// Tests that skip themselves do not make a run green.
func TestFieldReport074SkippedTests(t *testing.T) {
	run := func(passed, skipped int, text string) records.Report {
		var cases []string
		for i := range passed + skipped {
			result := ""
			if i >= passed {
				result = skip(text)
			}
			cases = append(cases, tc(fmt.Sprintf("test_op[cutile_rs-%d]", i), result))
		}
		return report(cases...)
	}
	o := Options{Backend: "cutile-rs", ExitCode: code(0)}
	v := Judge([]records.Report{run(0, 120, "package missing")}, nil, o)
	require.Equal(t, Blocked, v.Verdict)
	require.Contains(t, v.Sentence, "all 120 cases were skipped")

	v = Judge([]records.Report{run(60, 60, "package missing")}, []records.Report{run(118, 2, "known")}, o)
	require.Equal(t, Blocked, v.Verdict)
	require.Contains(t, v.Sentence, "60 skipped, 2 at the base revision")

	o.AllowSkip = func(text string) bool { return text == "package missing" }
	v = Judge([]records.Report{run(60, 60, "package missing")}, nil, o)
	require.Equal(t, AllPass, v.Verdict, v.Sentence)
	require.Contains(t, v.Sentence, "60 of 120 cases passed; cited skips: 60 declared gaps; 50 % of the expected cases are covered")
}

// A partial report in which everything passed is partial.
func TestFieldReport075PartialReport(t *testing.T) {
	var cases []string
	for i := range 1057 {
		cases = append(cases, tc(fmt.Sprintf("test_op[cutile_rs-%d]", i), ""))
	}
	whole := report(cases...)
	for name, v := range map[string]Verdict{
		"timed out":       Judge([]records.Report{whole}, nil, Options{Backend: "cutile-rs", ExitCode: code(124)}),
		"killed":          Judge([]records.Report{whole}, nil, Options{Backend: "cutile-rs", ExitCode: code(-9)}),
		"stopped outside": Judge([]records.Report{whole}, nil, Options{Backend: "cutile-rs", Interrupted: true}),
		"no closing tags": Judge([]records.Report{records.ReadJUnit("x.xml", strings.NewReader("<testsuites><testsuite>"+strings.Join(cases, "")))}, nil, Options{Backend: "cutile-rs", ExitCode: code(0)}),
	} {
		require.Equal(t, Blocked, v.Verdict, name)
		require.Contains(t, v.Sentence, "partial", name)
		require.Equal(t, 1057, v.Passed)
	}
	v := Judge([]records.Report{whole}, nil, Options{Backend: "cutile-rs", ExitCode: code(0)})
	require.Equal(t, AllPass, v.Verdict)
}

// Control bytes, colours and bad UTF-8 hide no case, and what is printed is
// clean.
func TestFieldReport078DamagedText(t *testing.T) {
	v := judgeOne(Options{Backend: "cutile-rs"},
		tc("test_op[cutile_rs-\x12]", ""),
		tc("test_op[cutile_rs-\xff\x1b[31m]", failure("\x1b[31mbad \xed\xa0\x80\xc3 @team")),
		tc("test_op[cutile_rs-3]", ""))
	require.Equal(t, Fail, v.Verdict)
	require.Equal(t, []int{3, 2, 1}, []int{v.Expected, v.Passed, v.Failed})
	var b bytes.Buffer
	require.NoError(t, WriteText(&b, v))
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	for _, out := range [][]byte{b.Bytes(), raw} {
		require.True(t, utf8.Valid(out))
		require.NotContains(t, string(out), "\x1b")
		require.NotContains(t, string(out), `\u001b`)
	}
}

// Success is not read from words in the output.
func TestFieldReport115WordsInTheOutput(t *testing.T) {
	v := judgeOne(Options{Backend: "cutile-rs", ExitCode: code(0)}, tc("test_op[cutile_rs-1]", "<system-out>FAILED AssertionError CUDA out of memory</system-out>"))
	require.Equal(t, AllPass, v.Verdict, v.Sentence)
	v = judgeOne(Options{Backend: "cutile-rs", ExitCode: code(1)})
	require.Equal(t, Blocked, v.Verdict)
}

// Two out-of-memory failures among thousands of passes are named as such.
func TestFieldReport070MemoryExhaustion(t *testing.T) {
	var cases []string
	for i := range 3000 {
		result := ""
		if i == 100 || i == 2000 {
			result = failure("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1 GiB.")
		}
		cases = append(cases, tc(fmt.Sprintf("test_op[cutile_rs-%d]", i), result))
	}
	v := judgeOne(Options{Backend: "cutile-rs", ExitCode: code(1)}, cases...)
	require.Equal(t, Blocked, v.Verdict)
	require.Equal(t, triage.Infra, v.FailClass)
	require.Contains(t, v.Sentence, "2 of 3000 cases failed for a reason outside of the change")
	require.Contains(t, v.Sentence, "out of memory")
}

// BenchmarkJudge judges 20,000 cases of two backends, one in a hundred failing.
func BenchmarkJudge(b *testing.B) {
	var cases []string
	for i := range 10000 {
		result := ""
		if i%100 == 0 {
			result = failure(fmt.Sprintf("AssertionError: %d DID NOT MATCH", i))
		}
		cases = append(cases, tc(fmt.Sprintf("test_op[cutile_rs-%d]", i), result), tc(fmt.Sprintf("test_op[cutile-%d]", i), ""))
	}
	files := []records.Report{report(cases...)}
	b.ResetTimer()
	for b.Loop() {
		if v := Judge(files, nil, rs); v.Verdict != Fail {
			b.Fatal(v.Sentence)
		}
	}
	b.ReportMetric(20000*float64(b.N)/b.Elapsed().Seconds(), "cases/s")
}

// A backend that the records do not have is answered with those that they have.
func TestWrongBackend(t *testing.T) {
	cases := []string{tc("test_op[cutile_rs-1]", ""), tc("test_op[cutile-1]", "")}
	require.Equal(t, "nothing ran: the records hold no case of nope; they have cutile, cutile-rs.", judgeOne(Options{Backend: "nope"}, cases...).Sentence)
	require.Contains(t, judgeOne(Options{Backend: "cutile-rs", Reference: "nope"}, cases...).Sentence, "the records hold no case of the reference nope; they have cutile, cutile-rs;")
	require.Contains(t, judgeOne(Options{Backend: "nope", Reference: "cutile"}, cases...).Sentence, "; the records hold no case of nope; they have cutile, cutile-rs.")
	require.Equal(t, "nothing ran: the records hold no case of nope.", judgeOne(Options{Backend: "nope"}).Sentence)
}

// Each class of a fault says what it means, and numbers agree with their words.
func TestTextSaysWhatTheClassMeans(t *testing.T) {
	for _, c := range []triage.Class{triage.Kernel, triage.Host, triage.Test, triage.Env, triage.Infra, triage.InProcess} {
		require.NotEmpty(t, classes[c], c)
	}
	v := judgeOne(Options{Backend: "cutile-rs"}, tc("test_op[cutile_rs-1]", failure("CUDA error: an illegal memory access was encountered")), tc("test_op[cutile_rs-2]", failure("CUDA error: an illegal memory access was encountered")))
	require.Contains(t, v.Sentence, "(1 later failure of the same run is its consequence)")
	var b strings.Builder
	require.NoError(t, WriteText(&b, v))
	require.Contains(t, b.String(), "class: host or kernel\n  host: the change's code around the kernel: wrapper, ffi.rs, build\n  kernel: the code of the kernel\n")
	v = judgeOne(Options{Backend: "cutile-rs"}, tc("test_op[cutile_rs-1]", skip("x")))
	require.Contains(t, v.Sentence, "the only case was skipped, nothing was tested")
}

// Cases that fail for one reason are one line, whatever numbers are in it; the
// place of the next reason is not lost among them.
func TestTextFoldsEqualReasons(t *testing.T) {
	var cases []string
	for i := range 20 {
		cases = append(cases, tc(fmt.Sprintf("test_op[cutile_rs-%d]", i), failure(fmt.Sprintf("AssertionError: Mismatched elements: %d / 4096, greatest 1.%de-0%d", i+1, i, i))))
	}
	cases = append(cases, tc("test_op[cutile_rs-20]", failure("AssertionError: Mismatched shapes")), tc("test_op[cutile_rs-21]", skip("no")), tc("test_op[cutile_rs-22]", skip("no")), tc("test_op[cutile_rs-23]", ""))
	v := judgeOne(Options{Backend: "cutile-rs"}, cases...)
	require.Len(t, v.Cases, 24, "the machine form has every case")
	var b strings.Builder
	require.NoError(t, WriteText(&b, v))
	_, table, _ := strings.Cut(b.String(), "\n\n")
	id := strings.TrimSuffix(v.Cases[0].ID, "0]")
	require.Equal(t, strings.ReplaceAll(`outcome  cases  why
failed      20  AssertionError: Mismatched elements: 1 / 4096, greatest 1.0e-00 (other cases: the same with other numbers)
                ID0]
                ID1]
                ID2]
                and 17 more
failed       1  AssertionError: Mismatched shapes
                ID20]
skipped      2  no
                ID21]
                ID22]
`, "ID", id), table)
}
