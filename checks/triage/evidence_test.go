package triage

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/records"
)

// Both declarations of a function that a log shows are compared: order, number and
// width count, a name of its own on one side does not. A log without a failure says
// nothing.
func TestDeclarationsAreCompared(t *testing.T) {
	const failed = "\nFAILED tests/ops/test_relu.py::test_op[cutile_rs-1] - AssertionError\n"
	const c = "int32_t cutile_relu(const TensorDesc* x, int32_t block, int32_t device_id, uint64_t raw_stream);\n"
	rust := func(parameters string) string {
		return "pub unsafe extern \"C\" fn cutile_relu(" + parameters + ") -> i32 {"
	}
	for parameters, differ := range map[string]bool{
		"x: *const TensorDesc, block: i32, device_id: i32, raw_stream: u64":                           false,
		"input: *const TensorDesc, block_size: i32, _device_id: i32, stream: u64":                     false,
		"x: *const TensorDesc,\n    block: i32, // of a tile\n    device_id: i32, raw_stream: u64,\n": false,
		"x: *const TensorDesc, device_id: i32, block: i32, raw_stream: u64":                           true,
		"x: *const TensorDesc, block: i64, device_id: i32, raw_stream: u64":                           true,
		"x: *const TensorDesc, block: i32, occupancy: i32, device_id: i32, raw_stream: u64":           true,
		"x: TensorDesc, block: i32, device_id: f32, raw_stream: u64":                                  true,
		"x: *const TensorDesc, block: i32, raw_stream: u64":                                           true,
	} {
		for _, log := range []string{c + rust(parameters), rust(parameters) + "\n" + c, "-int32_t cutile_relu(int32_t block);\n+" + c + "+" + rust(parameters)} {
			got := ids(Text("job.log", log+failed))
			if differ {
				assert.Equal(t, []string{"S-I21"}, got, parameters)
			} else {
				assert.Empty(t, got, parameters)
			}
			assert.Empty(t, Text("job.log", log).Matches, parameters)
		}
	}
	other := strings.ReplaceAll(c, "relu", "gelu")
	assert.Empty(t, Text("job.log", other+rust("block: i32")+failed).Matches, "two functions")
	assert.Empty(t, Text("job.log", c+"pub unsafe extern \"C\" fn cutile_relu(\n"+strings.Repeat("x: i32,\n", 99)+")"+failed).Matches, "a declaration that does not end soon")
}

// Names of cases that are joined with underscores are read like the usual ones.
func TestParametersBehindUnderscores(t *testing.T) {
	var c collector
	c.parser = new(records.IDParser)
	*c.parser = records.NewIDParser()
	for name, want := range map[string][]string{
		"test_op[cutile_rs_128_1000_torch.float16]": {"cutile-rs", "128", "1000", "torch.float16"},
		"test_op[cutile_7_torch.float8_e4m3fn]":     {"cutile", "7", "torch.float8_e4m3fn"},
		"test_op[cutile_rs_rows=3_hidden=64]":       {"cutile-rs", "rows=3", "hidden=64"},
		"test_op[cutile_rs-128-a_b]":                {"cutile-rs", "128", "a_b"},
		"test_op[static_persistent-128]":            {"", "static_persistent", "128"},
		"test_op[triton_half_1-torch.bfloat16]":     {"triton", "half", "1", "torch.bfloat16"},
	} {
		id := c.parse("tests.ops.test_bmm", name)
		assert.Equal(t, want, append([]string{id.Backend}, id.Params...), name)
	}
}

// What a step prints of a machine's state, or of what fails later, counts although the
// step passed; a failure that it survived does not.
func TestEvidenceOfAStepThatPassed(t *testing.T) {
	const later = "##[group]Run pytest\n##[endgroup]\nPerformance regressions detected!\nFAILED tests/ops/test_bmm.py::test_op[cutile_rs-1] - AssertionError\n##[error]Process completed with exit code 1.\n"
	for want, said := range map[string]string{
		"S-P09": "HW Power Brake Slowdown : Active", "S-P14": "Setting locked GPU clocks is not supported for GPU 00000000:41:00.0.",
		"S-P11": "num_warmup=0", "S-C24": "run 0 vs run 3: 188 of 4120 elements differ",
	} {
		got := Text("job.log", "##[group]Run state\n##[endgroup]\n"+said+"\n"+later)
		require.NotEmpty(t, got.Matches, said)
		assert.Equal(t, want, got.Matches[0].Signature, "%v", ids(got))
	}
	got := Text("job.log", "##[group]Run state\n##[endgroup]\nERROR: Failed building wheel for x\n"+later)
	assert.Equal(t, "S-P10", got.Matches[0].Signature, "%v", ids(got))
}

// A symptom comes after what names a mechanism, wherever they stand.
func TestSymptomsComeLast(t *testing.T) {
	for _, c := range []struct{ want, log string }{
		{"S-R04", "cutile_bmm launch failed: Driver(DriverError(1, \"invalid argument\"))\nfree(): double free detected in tcache 2"},
		{"S-I21", "cutile-rs: invalid device id: -1\nABI mismatch of cutile_bmm: cdef has 9 arguments"},
		{"S-R18", "E   RuntimeError: cutile_bmm failed (rc=-4): device init failed\nno CUDA-capable device is detected: No CUDA GPUs are available"},
		{"S-R43", "INTERNALERROR> OSError: [Errno 24] Too many open files"},
		{"S-R51", "E   KeyError: 'TILE_K'\nsrc/tilegym/ops/cutile_rs/bmm.py:131: KeyError\nout = run(entry.best_config)"},
		{"S-B54", "Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.\nERROR: failed to solve: process \"/bin/sh -c yarn\" did not complete successfully: exit code: 1"},
	} {
		got := Text("job.log", c.log)
		require.NotEmpty(t, got.Matches, c.log)
		assert.Equal(t, c.want, got.Matches[0].Signature, "%s: %v", c.log, ids(got))
	}
}

// The advice that torch prints beside every such error says nothing of a race.
func TestAdviceIsNoObservation(t *testing.T) {
	got := Text("job.log", "E   torch.AcceleratorError: CUDA error: an illegal memory access was encountered\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\n")
	assert.Equal(t, []string{"S-R06"}, ids(got))
}
