package analysis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/check"
	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/upstreamtest"
)

// told lists the misspelt fields of a document: "field: name".
func told(problems []check.Problem) []string {
	var out []string
	for _, p := range problems {
		if _, name, ok := strings.Cut(string(p.Message), "did you mean "); ok {
			out = append(out, string(p.Field)+": "+strings.Trim(name, `"?`))
		}
	}
	return out
}

func TestMisspeltFieldsAreTold(t *testing.T) {
	for misspelt, want := range map[string]string{
		`"autotune_keys": ["M"`:                          "autotune_keys: autotune_key",
		`"autotuneKey": ["M"`:                            "autotuneKey: autotune_key",
		`"config_to_varaint": {`:                         "config_to_varaint: config_to_variant",
		`"kernel-variants": [`:                           "kernel-variants: kernel_variants",
		`"KERNEL_NAME": "`:                               "KERNEL_NAME: kernel_name",
		`"lauch_path": "autotune"`:                       "lauch_path: launch_path",
		`"opsused": [`:                                   "opsused: ops_used",
		`"reference_backends": "triton"`:                 "kernel_variants[1].reference_backends: reference_backend",
		`"reference_ir_f32_suplement": "`:                "kernel_variants[0].reference_ir_f32_suplement: reference_ir_f32_supplement",
		`"dispatch_conditions": "large"`:                 "kernel_variants[1].dispatch_conditions: dispatch_condition",
		`"autotune_config": [`:                           "kernel_variants[0].autotune_config: autotune_configs",
		`"winer": "`:                                     "reference_backend_selection.winer: winner",
		`"cutile_geomaen_ms": 0`:                         "reference_backend_selection.cutile_geomaen_ms: cutile_geomean_ms",
		`"per_varient": {`:                               "reference_backend_selection.per_varient: per_variant",
		`"param_lists": [`:                               "test_perf_configs[0].param_lists: param_list",
		`"functoin": "`:                                  "correctness_reference.functoin: function",
		`"soruce": "tests/ops/test_scaled_product.py:10`: "correctness_reference.soruce: source",
		`"rtoll": 0}`:                                    "correctness_tolerance.f32.rtoll: rtol",
		`"variants": [`:                                  "variants: kernel_variants",
		`"tolerances": {`:                                "tolerances: correctness_tolerance",
		`"kernel_fn": "plain_kernel`:                     "kernel_variants[0].kernel_fn: kernel_function",
	} {
		right := want[strings.LastIndex(want, " ")+1:]
		_, rest, _ := strings.Cut(misspelt, `":`)
		old := `"` + right + `":` + rest
		require.Contains(t, good, old)
		changed := strings.Replace(good, old, misspelt, 1)
		_, problems := Parse([]byte(changed))
		assert.Equal(t, []string{want}, told(problems))
		for _, p := range problems {
			if strings.Contains(string(p.Message), "did you mean") {
				assert.Equal(t, check.Warning, p.Severity)
				assert.Equal(t, "A2", p.Rule)
				assert.Contains(t, strings.Split(changed, "\n")[p.Line-1], misspelt)
			}
		}
	}
}

// A document may hold more than is read, and anything about what is read.
func TestFurtherFieldsAreLeftAlone(t *testing.T) {
	for _, c := range []struct{ at, more string }{
		{`"kernel_name"`, `"source_file": "x", "source_files": [], "resource": 1, "reference": "y", "kernel": "z", "variants": 2, "notes": "", "kernel_names": [], "patterns": [], "sources": [],`},
		{`"variant_name": "plain"`, `"variant_type": "single", "constants": [], "reference_irs": [], "reference_ir_notes": "", "reference_ir_bf16_supplement": null, "latency_caution": "", "kernel_functions": [],`},
		{`"winner": "cutile"`, `"method": "CUPTI", "triton_tileir_geo_mean_ms": 1, "cutile_geomedian_ms": 1, "cutile_mean_ms": 1, "triton_geomean_us": 3, "winners": [],`},
		{`"function": "def`, `"functions": [], "line": 3, "sources": [],`},
		{`"atol": 0.001`, `"notes": "x", "tol": 1, "max": 2,`},
		{`"BLOCK_M"`, `"num_cta": 1, "occupancy": 2,`},
		{`"param_list"`, `"params": ["M", "N"], "dtype": "f16", "shapes": [],`},
	} {
		changed := strings.Replace(good, c.at, c.more+" "+c.at, 1)
		require.NotEqual(t, good, changed)
		_, problems := Parse([]byte(changed))
		assert.Empty(t, told(problems), c.more)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"winner", "winner", 0}, {"winer", "winner", 1}, {"wniner", "winner", 1}, {"Win-ner", "winner", 0}, {"winnerss", "winner", 2}, {"wimmer", "winner", 2}, {"", "ab", 2}} {
		assert.Equal(t, c.want, distance(c.a, c.b), c.a)
		assert.Equal(t, c.want, distance(c.b, c.a), c.a)
	}
	assert.Equal(t, longest, distance(strings.Repeat("a", 1000), "winner"))
	for _, names := range [][]string{rootFields, variantFields, selectionFields, timeFields} {
		for _, name := range names {
			assert.LessOrEqual(t, len(name), longest)
		}
	}
}

func TestManyFieldsAreReadInLinearTime(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"a": 1`)
	for i := range 50_000 {
		fmt.Fprintf(&b, `, "kernel_nam%d": 1`, i)
	}
	b.WriteString("}")
	hostile.Within(t, 10*time.Second, func() {
		_, problems := Parse([]byte(b.String()))
		assert.Len(t, told(problems), 100)
	})
}

// The documents of upstream's history, and the example in every version of its
// guide, have no field that is told.
func TestUpstreamHasNoMisspeltField(t *testing.T) {
	dir := upstreamtest.Repository(t)
	const guide = "skills/tilegym-converting-cutile-triton-to-cutile-rs/agents/agent_a.md"
	examples := 0
	for line := range strings.Lines(upstreamtest.Git(t, dir, "rev-list", "--all", "--objects", "--", guide, "*analysis.json")) {
		object, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != guide && !strings.HasSuffix(name, "analysis.json") {
			continue // a commit or a folder
		}
		text := upstreamtest.Git(t, dir, "cat-file", "blob", object)
		if name == guide {
			_, rest, ok := strings.Cut(text, "```json\n")
			require.True(t, ok, object)
			text, _, _ = strings.Cut(rest, "```")
			examples++
		}
		d, problems := Parse([]byte(text))
		require.NotEmpty(t, d.KernelName, "%s %s is not read", object, name)
		assert.Empty(t, told(problems), "%s %s", object, name)
	}
	assert.Positive(t, examples)
}
