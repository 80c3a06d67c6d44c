package rules_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/rules"
)

// The plants of the rules about artifacts bring the artifacts along: upstream's
// tree has none.
func init() {
	changes = append(changes, artifactChanges...)
	plants = append(plants, wiringPlants...)
}

// selector and opsInit are where the backend is wired up.
const (
	selector = "src/tilegym/backend/selector.py"
	opsInit  = "src/tilegym/ops/__init__.py"
)

var wiringPlants = []plant{
	{"P4", rules.Error, "wrapper.py", nil, replace("import check_rc", 1, "check_rc", "check_return")},
	{"P4", rules.Error, "wrapper.py", []string{"bmm"}, replace("cutile_rs.autotuner import", 1, "autotuner", "tuner")},
	{"P11", rules.Note, "ffi.rs", []string{"swiglu"}, exported(0, "let planted = CompileOptions::default().num_cta_in_cga(3);")},
	{"S8", rules.Error, selector, []string{"bmm"}, onLine(replace("\"cutile-rs\": is_cutile", 1, "\"cutile-rs\": ", "\"cutile_rs\": "), "\"cutile\": is_cutile", 1)},
	{"S8", rules.Error, selector, []string{"bmm"}, replace("\"cutile-rs\": is_cutile", 1, "is_cutile_rs_available()", "False")},
	{"S9", rules.Warning, opsInit, []string{"bmm"}, onLine(replace("from . import cutile_rs", 1, "from . import cutile_rs", "pass"), "from . import triton", 1)},
	{"S9", rules.Error, opsInit, []string{"bmm"}, replace("is_backend_available(\"cutile-rs\")", 1, "cutile-rs", "cutile")},
}

// whole is a new file; the finding is on the line that a text stands on, after
// an edit that replaces one text by another.
func whole(text, old, with, on string) edit {
	return func(t *testing.T, _ string) (string, int) {
		t.Helper()
		require.Contains(t, text, old)
		text := strings.Replace(text, old, with, 1)
		before, _, found := strings.Cut(text, on)
		require.True(t, found, on)
		return text, strings.Count(before, "\n") + 1
	}
}

func fresh(text string) edit { return whole(text, "", "", "") }

// plantedAnalysis and plantedIR are artifacts of a kernel named bmm.
const (
	plantedAnalysis = `{
  "kernel_name": "bmm",
  "source": "src/tilegym/ops/cutile/bmm.py",
  "launch_path": "direct",
  "pattern": "single",
  "ops_used": [],
  "reference_backend": "cutile",
  "reference_backend_selection": {
    "winner": "cutile",
    "cutile_geomean_ms": 0.2,
    "triton_tileir_geomean_ms": 0.3
  },
  "test_perf_configs": [{"param_list": [[64, 64]]}],
  "kernel_variants": [
    {
      "variant_name": "persistent",
      "kernel_function": "bmm_ct",
      "dispatch_condition": "all",
      "reference_ir": "reference/reference.mlir",
      "supplement": null,
      "reference_backend": "cutile"
    }
  ],
  "config_to_variant": {"64-64": "persistent"},
  "correctness_reference": {
    "function": "Test_BMM.reference",
    "source": "tests/ops/test_bmm.py"
  },
  "correctness_tolerance": {
    "source": "tests/ops/test_bmm.py",
    "f16": {"atol": 1e-2, "rtol": 1e-2}
  },
  "autotune_backends": [],
  "entry_symbol_policy": {"alias_used": false}
}
`
	plantedIR = `cuda_tile.module @m {
  entry @bmm_ct(%0: tile<ptr<f16>>) optimization_hints = <sm_100 = {}> {
    %1, %2, %3 = get_num_tile_blocks : tile<i32>
    for %i in (%0 to %1, step %1) : tile<i32> {
      %4, %5 = load_view_tko weak %0[%i] : partition_view<tile=(16)>, tile<i32> -> tile<16xf16>, token
    }
    %6 = make_partition_view %0 : partition_view<tile=(16x16), dim_map=[0,1], tensor_view<?x?xf16, strides=[1,?]>>
    return
  }
}
`
	plantedPerf     = "== Performance Test Results ==\ntest: tests/ops/test_bmm.py::T::test_perf[cutile_rs-64-64]\nbenchmark: {'cutile-rs': {'forward': {'median': 0.2, 'kernel_times': [{'name': 'bmm_entry', 'self_time_us': 200, 'count': 1}]}}}\n"
	plantedBaseline = "== Performance Test Results ==\ntest: tests/ops/test_bmm.py::T::test_perf[cutile-64-64]\nbenchmark: {'cutile': {'forward': {'median': 0.2, 'kernel_times': [{'name': 'bmm_ct', 'self_time_us': 200, 'count': 1}]}}}\n"
)

const (
	analysisFile  = "reference/analysis.json"
	referenceFile = "reference/reference.mlir"
	generatedFile = "generated/generated.mlir"
	// outAnalysis lies in the folder that the pipeline writes to.
	outAnalysis = "../../../../../cutile_kernel_out/bmm/reference/analysis.json"
)

// document is a change of the analysis of bmm.
func document(rule string, severity rules.Severity, old, with, on string) change {
	return change{rule, severity, "bmm", map[string]edit{analysisFile: whole(plantedAnalysis, old, with, on), referenceFile: fresh(plantedIR)}, analysisFile, false}
}

// report is an artifact of bmm with a finding, beside a good analysis.
func report(rule, file, text, on string) change {
	return change{rule, rules.Warning, "bmm", map[string]edit{analysisFile: fresh(plantedAnalysis), referenceFile: fresh(plantedIR), file: whole(text, "", "", on)}, file, false}
}

// absent is the finding at the analysis when a file is not there.
func absent(rule string) change {
	return change{rule, rules.Warning, "bmm", map[string]edit{analysisFile: fresh(plantedAnalysis)}, analysisFile, false}
}

// lowered is a change of the generated IR of bmm, next to the reference's.
func lowered(rule, old, with, on string) change {
	return change{rule, rules.Warning, "bmm", map[string]edit{analysisFile: fresh(plantedAnalysis), referenceFile: fresh(plantedIR), generatedFile: whole(plantedIR, old, with, on)}, generatedFile, false}
}

// launched is a change of the performance log of bmm.
func launched(rule, old, with string) change {
	return change{rule, rules.Warning, "bmm", map[string]edit{
		"perf_cutile_rs.txt": whole(plantedPerf, old, with, "benchmark:"), "baseline_perf_cutile.txt": fresh(plantedBaseline),
	}, "perf_cutile_rs.txt", false}
}

var artifactChanges = []change{
	document("A1", rules.Error, "\"ops_used\": [],", "\"ops_used\": [,", "[,"),
	document("A2", rules.Error, "\"direct\"", "\"ct.launch\"", "ct.launch"),
	document("A3", rules.Error, "reference/reference.mlir", "reference/reference_b.mlir", "reference_b."),
	document("A4", rules.Error, "\"reference_backend\": \"cutile\",", "\"reference_backend\": \"tileir\",", "tileir\","),
	document("A5", rules.Error, "[{\"param_list\": [[64, 64]]}]", "[]", "test_perf_configs"),
	document("A6", rules.Error, "\"bmm_ct\"", "\"\"", "kernel_function"),
	document("A7", rules.Error, "\"64-64\": \"persistent\"", "\"64-64\": \"direct\"", "64-64"),
	document("A8", rules.Error, "\"Test_BMM.reference\"", "\" \"", "\"function\""),
	document("A9", rules.Error, ", \"rtol\": 1e-2", "", "1e-2"),
	document("A10", rules.Error, "\"autotune_backends\": []", "\"autotune_backends\": null", "autotune_backends"),
	document("A11", rules.Warning, "    \"winner\": \"cutile\",\n", "", "reference_backend_selection"),
	document("A12", rules.Error, "\"supplement\": null", "\"supplement\": \"reference/reference.mlir\"", "supplement"),
	document("A13", rules.Error, "\"kernel_name\": \"bmm\"", "\"kernel_name\": \"matmul\"", "kernel_name"),
	{"A14", rules.Error, "bmm", map[string]edit{analysisFile: fresh(plantedAnalysis), referenceFile: whole(plantedIR, "@bmm_ct", "@mm", "cuda_tile.module")}, referenceFile, false},
	document("A15", rules.Warning, "\"cutile_geomean_ms\": 0.2", "\"cutile_geomean_ms\": 0.4", "winner"),
	document("A16", rules.Warning, "\"alias_used\": false", "\"alias_used\": true", "alias_used"),

	{"S1", rules.Warning, "bmm", map[string]edit{outAnalysis: fresh(plantedAnalysis)}, outAnalysis, false},
	absent("S2"), absent("S3"), absent("S4"),
	report("S5", "reports/correctness.md", "all fine\n", "all"),
	report("S6", "reports/performance.md", "VERDICT: DONE\ngeomean_ratio: 1\n", "VERDICT"),
	{"S7", rules.Warning, "bmm", map[string]edit{referenceFile: fresh(plantedIR)}, referenceFile, false},
	report("S10", "reports/agent_a.md", "<VALIDATOR_OUTPUT>\nexit=1\n</VALIDATOR_OUTPUT>\nVERDICT: PASS\n", "exit=1"),
	report("S11", "reports/perf_investigation_1.md", "# It is slow\n", "#"),
	report("S12", "generated/diff_report.md", "VERDICT: PASS\n", "VERDICT"),
	report("S13", "perf_cutile_rs.txt", "2 passed\n", "2"),

	report("P1", "reports/agent_b.md", "VERDICT: COMPILED\n```\n$ nm -D libcutile_kernels.so | grep cutile_bmm\n```\n", "$ nm"),
	report("P2", "reports/agent_b.md", "VERDICT: COMPILED\n```\n$ cargo test --test bmm_pipeline\ntest result: FAILED. 0 passed; 1 failed\n```\n", "test result"),
	{"P3", rules.Warning, "bmm", map[string]edit{
		analysisFile:                      whole(plantedAnalysis, "\"kernel_variants\": [", "\"kernel_variants\": [{\"variant_name\": \"static_persistent\", \"reference_ir\": \"reference/reference_static.mlir\"},", ""),
		referenceFile:                     fresh(plantedIR),
		"reference/reference_static.mlir": whole(plantedIR, "load_view_tko", "load_ptr_tko", ""),
		"kernel.rs":                       onLine(replace("static_persistent_bmm_kernel<", 1, "<", "<"), "static_persistent_bmm_kernel<", 1),
	}, "kernel.rs", false},
	launched("P5", "'count': 1", "'count': 2"),
	report("P6", "perf_cutile_rs.txt", "E NotImplementedError: no backward\n", "E"),
	lowered("P7", "dim_map=[0,1]", "dim_map=[1,0]", "dim_map"),
	lowered("P8", "%0[%i]", "%0[%i] optimization_hints = <sm_100 = {latency = 3}>", "latency"),
	launched("P9", "'count': 1}", "'count': 1}, {'name': 'FillFunctor', 'self_time_us': 0.1, 'count': 1}"),
	lowered("P10", "%0[%i]", "%0[%i] optimization_hints = <sm_100 = {allow_tma = false}>", "allow_tma"),
}
