package triage

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nameFor is a file name that the row may judge.
func nameFor(r Row) string {
	switch r.ID {
	case "S-X01":
		return "reports/agent_b.md"
	case "S-X02":
		return "reports/correctness_cutile_rs.txt"
	case "S-X03":
		return "reports/build_log.md"
	case "S-P08":
		return "reports/performance.md"
	}
	return "job.log"
}

func ids(r Result) []string {
	var all []string
	for _, m := range r.Matches {
		all = append(all, m.Signature)
	}
	return all
}

// Each row is the best match of its example and does not match its near miss.
func TestEveryRowHasAHitAndANearMiss(t *testing.T) {
	for _, r := range someRows() {
		t.Run(r.ID, func(t *testing.T) {
			require.NotEmpty(t, r.Title)
			require.NotEmpty(t, r.Steps)
			require.NotEmpty(t, r.From)
			require.Contains(t, Stages, r.Stage)
			require.Contains(t, []Class{Kernel, Host, Test, Env, Infra, InProcess}, r.Class)
			for _, rule := range r.Rules {
				require.Regexp(t, `^(R[1-9][0-9]?|P[0-9]+)$`, rule)
			}
			if r.FromRecords() && (len(r.Any) == 0 || r.Example == "") {
				require.Empty(t, r.Example, "a row of records alone has no text")
				return
			}
			require.NotEmpty(t, r.Example)
			require.NotEmpty(t, r.NearMiss)
			got := Text(nameFor(r), r.Example)
			require.NotEmpty(t, got.Matches, "example matches nothing")
			require.Equal(t, r.ID, got.Matches[0].Signature, "found %v", ids(got))
			require.NotContains(t, ids(Text(nameFor(r), r.NearMiss)), r.ID)
			// The same text with what CI systems and pytest put around it.
			for _, prefix := range []string{"2026-05-20T10:11:12.1234567Z ", "\x1b[31m", "E   "} {
				if len(r.Expect) > 0 {
					continue
				}
				decorated := prefix + strings.ReplaceAll(r.Example, "\n", "\x1b[0m\r\n"+prefix) + "\r\n"
				require.Contains(t, ids(Text(nameFor(r), decorated)), r.ID, "with %q", prefix)
			}
			if r.Compare == nil && len(r.Expect) == 0 {
				quoted := "> |     // " + strings.ReplaceAll(r.Example, "\n", "\n> |     // ")
				quoted = strings.ReplaceAll(quoted, "> |", "12 |")
				require.Empty(t, Text(nameFor(r), quoted).Matches, "quoted source is not a message")
			}
		})
	}
}

// The rows of the specification are all there.
func TestTableIsComplete(t *testing.T) {
	have := map[string]bool{}
	for _, r := range Rows() {
		have[r.ID] = true
	}
	for _, r := range Rows() {
		for _, id := range r.Over {
			assert.True(t, have[id] && id != r.ID, "%s is more precise than %s", r.ID, id)
		}
	}
	for prefix, n := range map[string]int{"S-B": 21, "S-I": 10, "S-J": 21, "S-R": 18, "S-C": 12, "S-P": 8, "S-X": 4} {
		for i := 1; i <= n; i++ {
			assert.True(t, have[fmt.Sprintf("%s%02d", prefix, i)], "%s%02d is missing", prefix, i)
		}
	}
}

// Every pattern must have literals that are found in every line it matches, or
// the index would never offer it.
func TestLiteralsAreRequired(t *testing.T) {
	for r, row := range ready() {
		for p, pattern := range row.any {
			require.NotEmpty(t, pattern.line.literals, "%s: %s", row.ID, pattern.Line)
			require.GreaterOrEqual(t, shortest(pattern.line.literals), width, "%s: %s", row.ID, pattern.Line)
			for _, l := range strings.Split(row.Example, "\n") {
				if !pattern.line.re.MatchString(l) {
					continue
				}
				offered := slices.ContainsFunc(index().candidates(l, nil), func(i int) bool { return index().refs[i] == patternRef{r, p} })
				assert.True(t, offered, "%s: %s", row.ID, pattern.Line)
				assert.True(t, pattern.line.match(l), "%s: %s", row.ID, pattern.Line)
			}
		}
	}
	for expr, want := range map[string][]string{
		`ab(c|d)ef`: {"abcef", "abdef"}, `(x|yy)z?`: {"x", "xz", "yy", "yyz"}, `(?i)ab`: {"AB", "Ab", "aB", "ab"}, `a*`: nil, `(abc)+`: {"abc"}, `x?`: nil,
		`\b[0-9a-f]{8} [TWt] \w`: {" T ", " W ", " t "}, `a.*bcd`: {"bcd"}, `abc.*[xyz]{9}.*def`: {"abc"}, `ab[c-z]`: {"ab"}, `[a-z]+(i|j)k`: {"ik", "jk"},
		`x(?i)limiter`: {"LIM", "LIm", "LiM", "Lim", "lIM", "lIm", "liM", "lim"}, `(?i)k`: {"K", "k", "\u212a"}, `^$`: nil, `(ab)?.c`: {"c"},
	} {
		assert.Equal(t, want, compile(expr).literals, expr)
	}
	for _, c := range []struct {
		expr, line string
		want       bool
	}{
		{`(ab|cd).*ef`, "cd and ef", true}, {`(ab|cd).*ef`, "cd alone", false}, {`(ab|cd).*ef`, "ef alone", false},
		{`ab(x|\d)cd|ef`, "ab1cd", true}, {`ab(x|\d)cd|ef`, "ab1c", false}, {`ab(x|\d)cd|ef`, "ef", true},
		{`(?i)ab`, "xx", true}, {`(ab)?cd`, "cd", true}, {`(ab)+cd`, "cd", false},
	} {
		n := compile(c.expr).need
		assert.Equal(t, c.want, n == nil || n.in(c.line), "%s in %q", c.expr, c.line)
	}
}

// The panic text is the cause, the abort its consequence.
func TestCauseBeforeConsequence(t *testing.T) {
	log := `Fatal Python error: Aborted

Thread 0x1 (most recent call first):
  File "src/tilegym/ops/cutile_rs/bmm.py", line 88 in _run_ffi
thread '<unnamed>' panicked at cutile-compiler/src/generics.rs:2071:29:
Failed to infer generic parameter BM
thread '<unnamed>' panicked at library/core/src/panicking.rs:226:5:
panic in a function that cannot unwind
`
	got := Text("log", log)
	assert.Equal(t, []string{"S-J09", "S-R01", "S-R03"}, ids(got))
	assert.Equal(t, Kernel, got.Matches[0].Class)
	assert.Equal(t, 6, got.Matches[0].Line)
}

// The stderr text is the cause whether pytest prints it before or after the
// error line.
func TestReturnCodePairsWithStderr(t *testing.T) {
	stderr := "cutile_bmm launch failed: Launch(\"c rank mismatch: Expected 3, got 2\")\n"
	rc := "E   RuntimeError: cutile_bmm failed (rc=-3): kernel launch failed\n"
	for _, log := range []string{stderr + rc, rc + "----- Captured stderr call -----\n" + stderr} {
		assert.Equal(t, []string{"S-R08"}, ids(Text("log", log)))
	}
	assert.Equal(t, []string{"S-J70"}, ids(Text("log", rc)), "the code alone says only that the reason stands elsewhere")
}

func TestFailedBuildIsClassifiedByItsTail(t *testing.T) {
	log := `RuntimeError: cutile-rs: cargo build failed (exit 101) in src/cutile_kernels:
error[E0061]: this function takes 4 arguments but 2 arguments were supplied
  --> src/softmax_kernel/kernel.rs:41:13
   |
41 |     let y = mulf(a, b);
   |             ^^^^ two arguments are missing
error: could not compile ` + "`cutile_kernels`" + ` (lib) due to 1 previous error
FileNotFoundError: libcutile_kernels.so not found at target/release/libcutile_kernels.so.
`
	got := Text("log", log)
	assert.Equal(t, []string{"S-B11", "S-B19", "S-I01"}, ids(got)[:3])
	assert.Contains(t, string(got.Matches[0].Excerpt), "src/softmax_kernel/kernel.rs:41:13")
}

func TestSourceThatPytestEchoesIsNotAMessage(t *testing.T) {
	log := `    def benchmark(fn):
        if all_kernel_us == 0:
            if not has_cuda_events:
                raise RuntimeError(
                    "CUPTI returned 0 device time — libcupti may not be available. "
                )
            else:
>               raise RuntimeError("fn() did not launch any GPU kernels. ")
E               RuntimeError: fn() did not launch any GPU kernels. Ensure the function runs one.
`
	got := Text("log", log)
	require.Equal(t, []string{"S-R14"}, ids(got))
	assert.Equal(t, 9, got.Matches[0].Line)
}

func TestSourceOfAFailedTestIsNotAMessage(t *testing.T) {
	log := `____________________ test_assert ____________________

    @pytest.mark.slow
    def test_assert():
        x = "Unexpected dense value."

        y = x + "CUDA out of memory"
>       assert x == y
E       RuntimeError: Undefined generic parameter BM

test_x.py:15: AssertionError
    indented output: misaligned address
`
	assert.Equal(t, []string{"S-J21", "S-R62"}, ids(Text("log", log)))
}

// A skip says why a case is missing; it must not hide why another one failed.
func TestSkipComesAfterFailure(t *testing.T) {
	log := "SKIPPED [1] tests/ops/test_bmm.py:16: CUDA out of memory on this GPU\nRuntimeError: dtype mismatch, test: torch.float32, reference: torch.float16\n"
	assert.Equal(t, []string{"S-C05", "S-R13"}, ids(Text("log", log)))
}

// Other XML is text, and a JUnit file that was cut off says so.
func TestOtherXMLIsText(t *testing.T) {
	assert.Equal(t, []string{"S-J05"}, ids(Text("log", "<?xml version=\"1.0\"?>\n<log>\nUnexpected dense value.\n</log>\n")))
	got := Text("pytest.xml", "<testsuites><testsuite tests=\"2\"><testcase classname=\"t\" name=\"a\"/>")
	require.Equal(t, []string{"S-R25"}, ids(got))
	assert.Contains(t, got.Matches[0].Excerpt.Plain(), "not whole")
}

// A file that is not whole says so, and what was read of it, whatever else matched.
func TestDamagedFileSaysWhatWasRead(t *testing.T) {
	got := Text("pytest.xml", `<testsuites><testsuite tests="9"><testcase classname="tests.ops.test_bmm.Test_Bmm" name="test_op[cutile_rs-1]"/><testcase classname="tests.ops.test_bmm.Test_Bmm" name="test_op[cutile_rs-2]"><failure message="CUDA out of memory"/></testcase><testcase classname="t" na`)
	require.Equal(t, []string{"S-R13", "S-R25"}, ids(got))
	require.Len(t, got.Damaged, 1)
	assert.Contains(t, got.Damaged[0].Plain(), "pytest.xml: the JUnit file is not whole")
	assert.Contains(t, got.Damaged[0].Plain(), "2 cases were read before that, 1 of them failed")
	assert.Contains(t, got.Matches[1].Excerpt.Plain(), "2 cases were read")
	assert.Equal(t, "tests.ops.test_bmm.Test_Bmm::test_op[cutile_rs-2]", got.Matches[0].Case.Plain())
	assert.Empty(t, got.Matches[1].Case)
	var b strings.Builder
	require.NoError(t, WriteText(&b, got))
	assert.True(t, strings.HasPrefix(b.String(), "Read in part: pytest.xml: the JUnit file is not whole"), b.String())
	assert.Contains(t, b.String(), "\n  test: tests.ops.test_bmm.Test_Bmm::test_op[cutile_rs-2]\n")
	assert.Empty(t, Text("pytest.xml", `<testsuites><testsuite tests="1"><testcase classname="t" name="a"/></testsuite></testsuites>`).Damaged)
}

// The test that a match is of is named where the log tells it, and not where it does not.
func TestMatchNamesItsCase(t *testing.T) {
	for log, want := range map[string]string{
		"____ Test_Bmm.test_op[cutile_rs-(4, 8)] ____\nE   CUDA out of memory":                                "Test_Bmm::test_op[cutile_rs-(4, 8)]",
		"FAILED tests/ops/test_bmm.py::test_op[cutile_rs-1] - CUDA out of memory":                             "tests/ops/test_bmm.py::test_op[cutile_rs-1]",
		"tests/ops/test_bmm.py::test_op[cutile_rs-1] \nCUDA out of memory":                                    "tests/ops/test_bmm.py::test_op[cutile_rs-1]",
		"____ test_op[cutile_rs-1] ____\nE   assert 0\n==== short test summary info ====\nCUDA out of memory": "",
		"____ test_op[cutile_rs-1] ____\nE   assert 0\n##[group]Run other\nCUDA out of memory":                "",
		"CUDA out of memory": "",
	} {
		got := Text("job.log", log)
		require.NotEmpty(t, got.Matches, log)
		assert.Equal(t, want, got.Matches[0].Case.Plain(), log)
	}
}

// Data is told from text, and a log with some raw bytes is text.
func TestBinary(t *testing.T) {
	for head, want := range map[string]string{
		"PK\x03\x04junit.xml": "zip", "\x1f\x8b\x08": "gzip", "\x7fELF\x02": "program", "\xff\xfeE\x00r\x00": "UTF-16",
		strings.Repeat("\x00\x01ab", 99): "binary data",
	} {
		assert.Contains(t, Binary([]byte(head)), want, "%q", head)
	}
	for _, head := range []string{"", "error: x\n", "\x1b[31merror\x1b[0m\r\n", "E   CUDA error\n" + "lost\x00\x00\x00" + strings.Repeat("text ", 40), "größer\n"} {
		assert.Empty(t, Binary([]byte(head)), "%q", head)
	}
}

// What a passing test printed is no failure, but a fallback voids it.
func TestOutputOfPassingTests(t *testing.T) {
	junit := func(output string) Result {
		return Text("pytest.xml", "<testsuites><testsuite tests=\"1\"><testcase classname=\"t\" name=\"test_op[cutile_rs-1]\"><system-err>"+output+"</system-err></testcase></testsuite></testsuites>")
	}
	assert.True(t, junit("CUDA out of memory, caught").Unknown)
	assert.Equal(t, []string{"S-I09"}, ids(junit("Current backend 'cutile-rs' has no implementation for 'bmm', falling back")))
}

func TestEnvironmentBlockIsNotAFailure(t *testing.T) {
	log := "CUDA_TOOLKIT_PATH=/usr/local/cuda\nCUTILE_TILEIRAS_PATH=/usr/bin/tileiras\nCUTILE_RS_AUTOBUILD=0\nCUPTI=1\nDISABLE_FALLBACK=1\nNVML 12.580\ntimeout: 60.0s\nplugins: timeout-2.3.1\n"
	assert.True(t, Text("log", log).Unknown)
	assert.True(t, Text("log", "").Unknown)
}

// field-report 69: one hardware verdict, whatever else failed.
func TestFieldReport69HardwareFault(t *testing.T) {
	log := strings.Repeat("E   RuntimeError: CUDA error: an illegal memory access was encountered\n", 105) +
		"cutile_bmm launch failed: Driver(DriverError(214, \"uncorrectable ECC error encountered\"))\n"
	got := Text("log", log)
	assert.Equal(t, "S-R19", ids(got)[0], "found %v", ids(got))
	got = Text("log", "CUDA_ERROR_ECC_UNCORRECTABLE\nFAILED tests/ops/test_bmm.py")
	assert.Equal(t, "S-R19", got.Matches[0].Signature)
	assert.Equal(t, Infra, got.Matches[0].Class)
}

// field-report 82, 102, 104, 105, 106, 108, 109, 112, 114, 62: environment
// faults are told apart from faults of the code.
func TestFieldReportsToolchain(t *testing.T) {
	for _, c := range []struct {
		report, log, want string
		class             Class
		says              string
	}{
		{"62", "##[error]The self-hosted runner: gpu-3 lost communication with the server.", "S-R22", Infra, "gpu-3"},
		{"82", "Failed to initialize NVML: Driver/library version mismatch", "S-R20", Infra, ""},
		{"82b", "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", "S-R20", Infra, ""},
		{"102", "error: failed to run custom build command for `cuda-bindings v0.2.0`\n/usr/include/limits.h:124:16: fatal error: 'stddef.h' file not found\nthread 'main' panicked at build.rs:90:10:\nUnable to generate bindings: ClangDiagnostic(\"...\")", "S-B18", Env, "cuda-bindings"},
		{"104", "cutile-rs: Device::new failed: DriverError(303, \"CUDA driver library unavailable: libcuda.so.1: cannot open shared object file\")", "S-R18", Env, "libcuda.so.1"},
		{"105", "CUDA_TOOLKIT_PATH=/opt/wrong is invalid: /opt/wrong does not contain include/cuda.h", "S-B18", Env, "/opt/wrong"},
		{"106", "tileiras failed (exit exit status: 1) for gpu sm_75:\nstderr: tileiras: for the --gpu-name option: Cannot find option named 'sm_75'!", "S-J22", Env, "sm_75"},
		{"108", "cutile_bmm launch failed: Driver(DriverError(221, \"PTX JIT compiler library not found\"))", "S-R23", Env, ""},
		{"109", "cuda.tile.TileCompilerExecutionError: Return code 5 <unknown location>", "S-J23", Kernel, "code 5"},
		{"112", "  File \"autotuner.py\", line 130 in _bench_config_cupti\nFailed: Timeout (>60.0s) from pytest-timeout.", "S-C13", Infra, ""},
		{"114", "RuntimeError: CUDA error 35: CUDA driver version is insufficient for CUDA runtime version", "S-R21", Env, ""},
	} {
		t.Run("field-report "+c.report, func(t *testing.T) {
			got := Text("log", c.log)
			require.NotEmpty(t, got.Matches)
			assert.Equal(t, c.want, got.Matches[0].Signature, "found %v", ids(got))
			assert.Equal(t, c.class, got.Matches[0].Class)
			assert.Contains(t, string(got.Matches[0].Excerpt), c.says)
		})
	}
}

// field-report 105: a toolchain fault and a real compile error are both shown,
// the error with its file and line.
func TestFieldReport105BothCausesAreShown(t *testing.T) {
	got := Text("log", `error: failed to run custom build command for `+"`cuda-bindings v0.2.0`"+`
CUDA_TOOLKIT_PATH=/opt/wrong is invalid: /opt/wrong is not a directory
error[E0425]: cannot find value `+"`n`"+` in this scope
  --> src/softmax_kernel/kernel.rs:40:9
`)
	require.Equal(t, []string{"S-B18", "S-B33"}, ids(got))
	assert.Contains(t, string(got.Matches[1].Excerpt), "src/softmax_kernel/kernel.rs:40:9")
}

// field-report 98 and 78: rows of a broken profiler, raw control bytes.
func TestFieldReport98ProfilerUnavailable(t *testing.T) {
	got := Text("log", "\x12CUPTI_ERROR_INSUFFICIENT_PRIVILEGES\xff\nbmm 0.000 ms\n")
	assert.Equal(t, []string{"S-R14"}, ids(got))
	b, err := json.Marshal(got)
	require.NoError(t, err)
	assert.NotContains(t, string(b), `\u0012`)
}

// field-report 115: words in prose are no signature.
func TestFieldReport115WordsInProse(t *testing.T) {
	assert.True(t, Text("log", "PASS SUCCESS FAILED error everything went wrong\nerror rate 3 %\n").Unknown)
}

func TestStagesLimitTheSearch(t *testing.T) {
	log := "RuntimeError: cutile_bmm failed (rc=-2): unsupported dtype\nerror[E0554]: `#![feature]` may not be used on the stable release channel\n"
	s := NewScanner(Runtime)
	require.NoError(t, s.Scan("log", strings.NewReader(log)))
	assert.Equal(t, []string{"S-R02"}, ids(s.Result()))
	assert.Equal(t, []string{"S-B02", "S-R02"}, ids(Text("log", log)))
}

func TestSeveralLogsAndAtMostFourMatches(t *testing.T) {
	s := NewScanner()
	require.NoError(t, s.Scan("a.log", strings.NewReader("RuntimeError: cutile_bmm failed (rc=-2): unsupported dtype\n")))
	require.NoError(t, s.Scan("b.log", strings.NewReader("error: unsafe attribute used without unsafe\nUnexpected dense value.\nmisaligned address\nUndefined generic parameter X\nCUDA out of memory\n")))
	got := s.Result()
	assert.Equal(t, []string{"S-B12", "S-J05", "S-J21", "S-R02"}, ids(got))
	assert.Equal(t, "b.log", string(got.Matches[0].Log))
	assert.Equal(t, "a.log", string(got.Matches[3].Log))
}

func TestReadErrorIsReported(t *testing.T) {
	s := NewScanner()
	err := s.Scan("x.log", io.MultiReader(strings.NewReader("one\nUnexpected dense value"), iotest.ErrReader(errors.New("disk gone"))))
	require.ErrorContains(t, err, "x.log: line 2: disk gone")
	assert.Equal(t, []string{"S-J05"}, ids(s.Result()), "what was read counts")
}

// endless gives n bytes of one line, then a line with a signature.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	for i := range p[:n] {
		p[i] = 'x'
	}
	e.left -= n
	return n, nil
}

// Memory stays bounded: neither a long line nor many lines are kept.
func TestMemoryIsBounded(t *testing.T) {
	grow := func(r io.Reader) uint64 {
		var before, after runtime.MemStats
		s := NewScanner()
		runtime.GC()
		runtime.ReadMemStats(&before)
		require.NoError(t, s.Scan("log", r))
		runtime.GC()
		runtime.ReadMemStats(&after)
		require.Equal(t, []string{"S-J05"}, ids(s.Result()))
		if after.HeapAlloc < before.HeapAlloc {
			return 0
		}
		return after.HeapAlloc - before.HeapAlloc
	}
	last := strings.NewReader("\nUnexpected dense value")
	assert.Less(t, grow(io.MultiReader(&endless{bulk(64 << 20)}, last)), uint64(8<<20))
	many := strings.NewReader(strings.Repeat("error[E0308]: mismatched types\n", bulk(200_000)) + "Unexpected dense value")
	s := NewScanner()
	require.NoError(t, s.Scan("log", bufio.NewReader(many)))
	assert.Equal(t, []string{"S-B63", "S-J05"}, ids(s.Result()))
}

// Titles and steps are prose in our own words: no line may be a message that a
// program prints.
func TestStepsAreProse(t *testing.T) {
	end := regexp.MustCompile(`[.!]$`)
	for _, r := range Rows() {
		assert.NotRegexp(t, end, r.Title, r.ID)
		for _, s := range r.Steps {
			assert.Regexp(t, end, s, r.ID)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, r := range someRows() {
		f.Add(nameFor(r), r.Example)
		f.Add(nameFor(r), r.NearMiss)
	}
	for _, file := range []string{"testdata/S-C06/hit_rows.xml", "testdata/S-P02/hit.xml", "testdata/S-P06/hit.xml"} {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add("pytest.xml", string(data))
	}
	f.Fuzz(func(t *testing.T, name, log string) {
		got := Text(name, log)
		require.Equal(t, len(got.Matches) == 0, got.Unknown)
		require.LessOrEqual(t, len(got.Matches), MaxMatches)
		for _, m := range got.Matches {
			require.LessOrEqual(t, m.Line, strings.Count(log, "\n")+1)
		}
	})
}
