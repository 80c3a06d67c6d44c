package dispatch_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/dispatch"
	"github.com/tilegate/tilegate/checks/config"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/job"
)

// bundle is the evidence of one job while it is made.
type bundle struct {
	job.Evidence
	files map[string]string
}

func (b *bundle) add(name, kind, content string) {
	sum := sha256.Sum256([]byte(content))
	b.files[name] = content
	b.Files = append(b.Files, job.File{Path: name, Kind: kind, SHA256: hex.EncodeToString(sum[:])})
}

func (b *bundle) ran(name string, code int) {
	b.Commands = append(b.Commands, job.Command{Name: name, Argv: []string{name}, ExitCode: code})
}

// judged is the verdict on the evidence of one job of row_sum that ran on gpu-3.
func judged(t *testing.T, stage job.Stage, conclusion string, k dispatch.Kernel, fill func(*bundle)) dispatch.Verdict {
	t.Helper()
	r := job.Request{
		Schema: job.RequestSchema, Dispatch: "01JABC", Repository: "o/r", HeadSHA: strings.Repeat("a", 40), BaseSHA: strings.Repeat("b", 40),
		Kernels: []string{"row_sum"}, Stages: job.Stages, Candidate: "cutile-rs", Reference: "cutile", GPU: "h200", Rounds: job.Rounds{Min: 1, Max: 3}, Harness: "base",
	}
	now := time.Date(2026, 5, 20, 10, 0, 0, 0, time.UTC)
	b := &bundle{files: map[string]string{}, Evidence: job.Evidence{
		Schema: job.EvidenceSchema, Dispatch: r.Dispatch, Repository: r.Repository, HeadSHA: r.HeadSHA, BaseSHA: r.BaseSHA, Stage: stage, Kernel: "row_sum", GPU: r.GPU,
		Candidate: r.Candidate, Reference: r.Reference, Harness: r.Harness, Timing: "cupti", StartedAt: now, FinishedAt: now, Runner: job.Runner{Name: "gpu-3", OS: "Linux", Arch: "X64"},
		GPUIdentity: job.GPUIdentity{Name: "NVIDIA H200", UUID: "hashed", Driver: "580.159.04", ComputeCapability: "9.0"}, Tools: job.Tools{}, Symbols: []string{"cutile_row_sum"},
	}}
	fill(b)
	doc, err := json.Marshal(b.Evidence)
	require.NoError(t, err)
	artifact := fstest.MapFS{job.EvidenceFile: {Data: doc}}
	for name, content := range b.files {
		artifact[name] = &fstest.MapFile{Data: []byte(content)}
	}
	e, err := dispatch.Open(artifact, r, stage, "row_sum")
	require.NoError(t, err)
	v, err := dispatch.Judge(e, conclusion, config.Default(), k)
	require.NoError(t, err)
	return v.On("gpu-3")
}

// report is a JUnit file of n cases of each backend; fail says how a candidate
// case ends, "" for passed.
func report(n int, fail func(i int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<testsuites><testsuite tests="%d">`, 2*n)
	for _, backend := range []string{"cutile_rs", "cutile"} {
		for i := range n {
			fmt.Fprintf(&b, `<testcase classname="tests.ops.test_row_sum.Test_RowSum" name="test_op[%s-%d-torch.float16]" time="0.1">`, backend, i)
			if text := fail(i); text != "" && backend == "cutile_rs" {
				fmt.Fprintf(&b, `<failure message="%[1]s">%[1]s</failure>`, html.EscapeString(text))
			}
			b.WriteString("</testcase>\n")
		}
	}
	b.WriteString("</testsuite></testsuites>")
	return b.String()
}

func every(text string) func(int) string { return func(int) string { return text } }

// tested is the evidence of a test run.
func tested(code int, xml, log string) func(*bundle) {
	return func(b *bundle) {
		b.ran("cargo build", 0)
		b.ran("pytest", code)
		b.add("pytest.xml", "junit", xml)
		b.add("pytest.log", "log", log)
	}
}

// built is the evidence of a build.
func built(code int, log string) func(*bundle) {
	return func(b *bundle) {
		b.ran("cargo build", code)
		b.add("cargo-build.log", "log", log)
	}
}

// measured is the evidence of one perf round at parity.
func measured(log string) func(*bundle) {
	return func(b *bundle) {
		b.ran("cargo build", 0)
		for _, side := range []string{"cutile-rs", "cutile"} {
			b.ran("perf-round-1-"+side, 0)
			var x strings.Builder
			x.WriteString("<testsuites><testsuite tests=\"1\">")
			fmt.Fprintf(&x, `<testcase classname="tests.ops.test_row_sum.Test_RowSum" name="test_perf[%s-1024]"><properties><property name="benchmark" value="{'%s': {'forward': {'median': 0.5, 'rel_std': 0.2, 'nrep': 50, 'kernel_times': [{'name': 'row_sum_entry', 'self_time_us': 500, 'count': 1}]}}}"/></properties></testcase>`,
				strings.ReplaceAll(side, "-", "_"), side)
			x.WriteString("</testsuite></testsuites>")
			b.add("perf-round-1-"+side+".xml", "junit", x.String())
			b.add("perf-round-1-"+side+".log", "log", log)
		}
	}
}

// blamesTheHost holds what an infrastructure verdict is: no success, no failure of
// the change, and the runner by its name.
func blamesTheHost(t *testing.T, v dispatch.Verdict, class string, says ...string) {
	t.Helper()
	require.Equal(t, gate.Blocked, v.Outcome, v.Sentence)
	require.Equal(t, class, v.FailClass, v.Sentence)
	require.Contains(t, v.Sentence, "runner `gpu-3`")
	for _, s := range says {
		require.Contains(t, v.Sentence, s)
	}
}

// field-report 69: one hardware verdict that names the runner, whatever the 105
// failing tests say.
func TestFieldReport069HardwareFaultNamesTheRunner(t *testing.T) {
	for name, log := range map[string]string{
		"driver": "cutile_row_sum launch failed: Driver(DriverError(214, \"CUDA_ERROR_ECC_UNCORRECTABLE\"))\n",
		"Xid 48": "kernel: NVRM: Xid (PCI:0000:41:00): 48, pid=481, Double Bit ECC Error\n",
		"Xid 63": "kernel: NVRM: Xid (PCI:0000:41:00): 63, pid=481, Row Remapper: New row marked for remapping\n",
		"Xid 79": "kernel: NVRM: Xid (PCI:0000:41:00): 79, pid=481, GPU has fallen off the bus.\n",
		"Xid 94": "kernel: NVRM: Xid (PCI:0000:41:00): 94, pid=481, Contained ECC error\n",
	} {
		v := judged(t, job.Correctness, "failure", dispatch.Kernel{}, tested(1, report(105, every("torch.AcceleratorError: CUDA error: an illegal memory access was encountered")), log))
		require.Contains(t, v.Sentence, "The GPU reports a hardware fault (S-R19)", name)
		blamesTheHost(t, v, "infra")
	}
}

// field-report 73: a job that ends with success and ran nothing shows nothing.
func TestFieldReport073NothingRanInASuccessfulJob(t *testing.T) {
	const empty = `<testsuites><testsuite tests="0"/></testsuites>`
	for name, c := range map[string]struct {
		code int
		log  string
	}{
		"exit 5":         {5, "no tests ran in 0.02s\n"},
		"collected 0":    {0, "collected 0 items\n\n===== no tests ran in 0.02s =====\n"},
		"all deselected": {0, "collected 24 items / 24 deselected / 0 selected\n\n===== 24 deselected in 0.12s =====\n"},
	} {
		v := judged(t, job.Correctness, "success", dispatch.Kernel{}, tested(c.code, empty, c.log))
		require.Equal(t, gate.Blocked, v.Outcome, name)
		require.Contains(t, v.Sentence, "nothing ran", name)
		require.Contains(t, v.Sentence, "No test was selected (S-I06)", name)
	}
}

// cargoTest is the log of `cargo test` in which program output stands between a
// test's name and its result, and says by itself that tests are ok.
const cargoTest = `
     Running unittests src/lib.rs (target/release/deps/cutile_kernels-2c7)

running 3 tests
test guards::null_pointer ... reading 3 descriptors
test guards::other ... ok
test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
ok
test guards::grid_of_zero ... grid 0x0
%s
test guards::rank ... ok

%s`

const (
	oneFailed = `failures:

---- guards::grid_of_zero stdout ----
thread 'guards::grid_of_zero' panicked at tests/guards.rs:31:5:
assertion failed: rc == -6

failures:
    guards::grid_of_zero

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s
`
	noneFailed = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s\n"
)

// field-report 80: real failures of a cargo test are reported whatever the programs
// print, and a log that does not agree with the exit status is no success.
func TestFieldReport080CargoTestLog(t *testing.T) {
	tested := func(code int, log string) dispatch.Verdict {
		return judged(t, job.Build, map[bool]string{true: "success", false: "failure"}[code == 0], dispatch.Kernel{}, func(b *bundle) {
			b.ran("cargo build", 0)
			b.ran("cargo test", code)
			b.add("cargo-test.log", "log", log)
		})
	}
	failed := fmt.Sprintf(cargoTest, "FAILED", oneFailed)
	v := tested(101, failed)
	require.Equal(t, gate.Fail, v.Outcome, v.Sentence)
	require.Contains(t, v.Sentence, "exit code 101")
	require.Contains(t, v.Sentence, "2 passed; 1 failed")
	require.Contains(t, v.Sentence, "guards::grid_of_zero")

	passed := fmt.Sprintf(cargoTest, "ok", noneFailed)
	require.Equal(t, gate.Pass, tested(0, passed).Outcome)
	require.Equal(t, gate.Fail, tested(101, passed).Outcome, "the exit status counts")
	v = tested(0, failed)
	require.Equal(t, gate.Blocked, v.Outcome, "the log counts too")
	require.Contains(t, v.Sentence, "do not agree")
}

// field-report 82: a driver that does not answer before any test is the runner's.
func TestFieldReport082DriverMismatch(t *testing.T) {
	for _, log := range []string{
		"Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.159\n",
		"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n",
	} {
		v := judged(t, job.Correctness, "failure", dispatch.Kernel{}, func(b *bundle) {
			b.ran("nvidia-smi", 1)
			b.add("nvidia-smi.log", "log", log)
		})
		blamesTheHost(t, v, "infra", "before any test ran", "(S-R20)", strings.SplitN(log, "\n", 2)[0][:40])
	}
}

// field-report 93: a perf log without a row is no measurement, whatever the exit
// status was.
func TestFieldReport093NoMeasurement(t *testing.T) {
	for _, code := range []int{0, 1} {
		v := judged(t, job.Perf, map[int]string{0: "success", 1: "failure"}[code], dispatch.Kernel{}, func(b *bundle) {
			b.ran("perf-round-1-candidate", code)
			b.add("perf-round-1-candidate.xml", "junit", `<testsuites><testsuite tests="0"/></testsuites>`)
			b.add("perf-round-1-candidate.log", "log", "warming up\ndone\n")
		})
		require.Equal(t, gate.Blocked, v.Outcome, "exit %d", code)
		require.Contains(t, v.Sentence, "no measurement")
		require.NotContains(t, v.Sentence, "slower")
	}
}

// field-report 96: samples that were all thrown away as throttled are unmeasured,
// with the runner named; one repetition is worth it.
func TestFieldReport096ThrottledNamesTheRunner(t *testing.T) {
	v := judged(t, job.Perf, "success", dispatch.Kernel{}, func(b *bundle) {
		b.ran("perf-round-1-candidate", 0)
		b.add("perf-round-1-candidate.xml", "junit", `<testsuites><testsuite tests="0"/></testsuites>`)
		b.add("perf-round-1-candidate.log", "log", strings.Repeat("warning: GPU clock throttled, sample discarded\n", 40))
	})
	blamesTheHost(t, v, "infra", "no measurement", "throttled")
	require.True(t, v.Retry())
}

// field-report 98: a profiler that could not attach is the host's, and its zeros
// are no times.
func TestFieldReport098ProfilerUnavailable(t *testing.T) {
	v := judged(t, job.Perf, "success", dispatch.Kernel{}, func(b *bundle) {
		measured("CUPTI initialization failed: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES\n")(b)
		for name, content := range b.files {
			if strings.HasSuffix(name, ".xml") {
				b.Files = deleteFile(b.Files, name)
				b.add(name, "junit", strings.Replace(content, "'median': 0.5", "'median': 0.000", 1))
			}
		}
	})
	blamesTheHost(t, v, "infra", "profiler unavailable")
}

func deleteFile(files []job.File, name string) []job.File {
	var out []job.File
	for _, f := range files {
		if f.Path != name {
			out = append(out, f)
		}
	}
	return out
}

// field-report 102: a missing built-in header of libclang is the build host's,
// told with the header and the build script.
func TestFieldReport102MissingHeader(t *testing.T) {
	v := judged(t, job.Build, "failure", dispatch.Kernel{}, built(101, `error: failed to run custom build command for `+"`cuda-bindings v0.2.0`"+`

Caused by:
  process didn't exit successfully: `+"`target/release/build/cuda-bindings-5f0c2a1b9d3e7c44/build-script-build`"+` (exit status: 101)
  --- stderr
  /usr/include/limits.h:124:26: fatal error: 'stddef.h' file not found
  thread 'main' panicked at build.rs:121:10:
  Unable to generate bindings: ClangDiagnostic("/usr/include/limits.h:124:26: fatal error: 'stddef.h' file not found\n")
`))
	blamesTheHost(t, v, "env", "stddef.h", "cuda-bindings", "(S-B18)")
}

// field-report 105: the probed path is quoted; a compile error beside it is shown
// with its place and is the change's.
func TestFieldReport105ToolkitPath(t *testing.T) {
	const toolkit = "error: failed to run custom build command for `cuda-bindings v0.2.0`\n  --- stderr\n  CUDA_TOOLKIT_PATH=/opt/wrong is invalid: /opt/wrong does not contain include/cuda.h\n"
	v := judged(t, job.Build, "failure", dispatch.Kernel{}, built(101, toolkit))
	blamesTheHost(t, v, "env", "/opt/wrong")

	v = judged(t, job.Build, "failure", dispatch.Kernel{}, built(101, toolkit+strings.Replace(toolkit, "cuda-bindings", "cuda-core", 1)+
		"error[E0425]: cannot find value `n` in this scope\n  --> src/row_sum_kernel/kernel.rs:40:9\n   |\n40 |     n + 1\n"))
	require.Equal(t, gate.Fail, v.Outcome, v.Sentence)
	require.Equal(t, "kernel", v.FailClass)
	require.Contains(t, v.Sentence, "/opt/wrong")
	require.Contains(t, v.Sentence, "src/row_sum_kernel/kernel.rs:40:9")
}

// field-report 104, 106, 114: what every test of the run fails with alike is the
// environment's, once, with what the message names.
func TestFieldReport104And106And114OneEnvironmentVerdict(t *testing.T) {
	for text, says := range map[string]string{
		`RuntimeError: Device::new failed: DriverError(303, "CUDA driver library unavailable: libcuda.so.1: cannot open shared object file")`: "libcuda.so.1",
		"RuntimeError: tileiras failed for gpu sm_75: for the --gpu-name option: Cannot find option named 'sm_75'!":                           "sm_75",
		"RuntimeError: CUDA error 35: CUDA driver version is insufficient for CUDA runtime version (driver version 535.216.03)":               "535.216.03",
	} {
		v := judged(t, job.Correctness, "failure", dispatch.Kernel{}, tested(1, report(24, every(text)), ""))
		blamesTheHost(t, v, "env", "all 24 cases failed alike, for one reason outside of the change", says)
	}
}

// field-report 114: a change that edits what the code needs is told so.
func TestFieldReport114ChangeRaisesTheRequirement(t *testing.T) {
	require.True(t, dispatch.IsRequirements("src/tilegym/ops/cutile_rs/cutile_kernels/Cargo.toml"))
	require.True(t, dispatch.IsRequirements("requirements-dev.txt"))
	require.False(t, dispatch.IsRequirements("src/tilegym/ops/cutile_rs/bmm.py"))
	fill := tested(1, report(24, every("RuntimeError: CUDA error 35: CUDA driver version is insufficient for CUDA runtime version")), "driver version: 535.216.03\n")
	v := judged(t, job.Correctness, "failure", dispatch.Kernel{Requirements: []string{"requirements.txt"}}, fill)
	blamesTheHost(t, v, "env", "The change edits `requirements.txt`: it may have raised the requirement.")
	require.NotContains(t, judged(t, job.Correctness, "failure", dispatch.Kernel{}, fill).Sentence, "raised")
}

// field-report 112: times that were taken without tuning are refused.
func TestFieldReport112UntunedTimesAreRefused(t *testing.T) {
	good := judged(t, job.Perf, "success", dispatch.Kernel{}, measured("tuning took 41 s\nDISABLE_AUTOTUNE=0\n"))
	require.Equal(t, gate.PerfDone, good.Outcome, good.Sentence)
	for _, line := range []string{"DISABLE_AUTOTUNE=1", "  TILEGYM_DISABLE_AUTOTUNE=true", "[INFO] autotuning disabled, taking the first config"} {
		v := judged(t, job.Perf, "success", dispatch.Kernel{}, measured("warming up\n"+line+"\n"))
		require.Equal(t, gate.Blocked, v.Outcome, line)
		require.Contains(t, v.Sentence, "without tuning do not count")
		require.Contains(t, v.Sentence, strings.TrimSpace(line))
	}
}

// What another backend answered for the candidate is no measurement of it.
func TestFallbackInAPerfLogIsVoid(t *testing.T) {
	says := "Current backend 'cutile-rs' has no implementation for 'row_sum', falling back to 'cutile' backend"
	v := judged(t, job.Perf, "success", dispatch.Kernel{}, measured("warming up\n"+says+"\n"))
	require.Equal(t, gate.Blocked, v.Outcome, v.Sentence)
	require.Contains(t, v.Sentence, "another backend answered")
	v = judged(t, job.Perf, "success", dispatch.Kernel{}, measured(strings.Replace(says, "cutile-rs", "triton", 1)+"\n"))
	require.Equal(t, gate.PerfDone, v.Outcome, v.Sentence)
}

// field-report 115: a verdict is never read from words.
func TestFieldReport115WordsInTheLog(t *testing.T) {
	v := judged(t, job.Correctness, "failure", dispatch.Kernel{}, tested(1, `<testsuites><testsuite tests="0"/></testsuites>`, "PASS\nSUCCESS: all good\nALL_PASS\n"))
	require.Equal(t, gate.Blocked, v.Outcome)
	v = judged(t, job.Correctness, "success", dispatch.Kernel{}, tested(0, report(4, every("")), "FAILED (as expected by the test of the printer)\nAssertionError in quotes\n4 passed in 0.1s\n"))
	require.Equal(t, gate.AllPass, v.Outcome, v.Sentence)
}

// A skip does not excuse a failure.
func TestSkipForWantOfMemoryExcusesNothing(t *testing.T) {
	v := judged(t, job.Correctness, "failure", dispatch.Kernel{}, tested(1, report(4, func(i int) string {
		return map[bool]string{true: "AssertionError: 3 elements differ"}[i == 2]
	}), "SKIPPED [1] tests/ops/test_row_sum.py:30: CUDA out of memory on this GPU\n"))
	require.Equal(t, gate.Fail, v.Outcome, v.Sentence)
	require.Equal(t, "kernel", v.FailClass)
}

// field-report 70: memory that runs out is labelled and worth one repetition; what
// passes then is flaky, what fails then is no accident.
func TestFieldReport070MemoryExhaustion(t *testing.T) {
	oom := func(i int) string {
		return map[bool]string{true: "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB."}[i == 100 || i == 2000]
	}
	first := judged(t, job.Correctness, "failure", dispatch.Kernel{}, tested(1, report(3000, oom), ""))
	blamesTheHost(t, first, "infra", "2 of 3000 cases failed", "The GPU ran out of memory")
	require.True(t, first.Retry())

	passed, err := judged(t, job.Correctness, "success", dispatch.Kernel{}, tested(0, report(3000, every("")), "")).Again(first)
	require.NoError(t, err)
	require.Equal(t, gate.AllPass, passed.Outcome)
	require.Contains(t, passed.Sentence, "the first run ran out of GPU memory (flaky)")

	again, err := judged(t, job.Correctness, "failure", dispatch.Kernel{}, tested(1, report(3000, oom), "")).Again(first)
	require.NoError(t, err)
	require.Contains(t, string(again.Detail), `"fail_class":"test"`)
	require.Equal(t, gate.Fail, again.Outcome)
	require.Equal(t, "test", again.FailClass)
	require.Contains(t, again.Sentence, "out of memory in the repetition too")
	require.Contains(t, again.Sentence, "test_op[cutile_rs-100-torch.float16]")
	require.False(t, again.Retry())
}
