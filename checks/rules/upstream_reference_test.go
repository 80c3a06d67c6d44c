package rules_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// The plants of the rules that compare with the reference and look at wrappers
// and tests join the table.
func init() { plants = append(plants, referencePlants...) }

var (
	tuned = []string{"matmul", "bmm", "silu_and_mul", "attention_sink"}
	plain = []string{"matmul", "silu_and_mul", "swiglu"} // entries without options
	gemms = []string{"matmul", "bmm"}
)

var referencePlants = []plant{
	{"R17", rules.Error, libRS, []string{"matmul"}, onLine(replace("matmul_kernel/kernel.rs", 1, "include!", "// include!"), "matmul_kernel/ffi.rs", 1)},
	{"R17", rules.Error, "kernel.rs", nil, end(1, "#[test]", "fn planted() {}")},
	{"R17", rules.Error, "kernel.rs", nil, end(0, "pub unsafe extern \"C\" fn planted(x: u64) -> i32 { 0 }")},
	{"R17", rules.Error, "ffi.rs", nil, end(0, "#[cutile::module]", "mod planted { use cutile::core::*; }")},

	{"R19", rules.Warning, "kernel.rs", []string{"swiglu"}, replace("= true_div(", 1, "true_div(one, denom)", "one / denom")},
	{"R19", rules.Warning, "kernel.rs", []string{"attention_sink"}, replace("= true_div(", 1, "true_div(acc, z_d)", "divf(acc, z_d, rounding::Approx, ftz::Enabled)")},

	{"R20", rules.Error, "kernel.rs", plain, replace("#[cutile::entry()]", 1, "()", "(optimization_hints = (sm_100 = (num_warps = 8,),))")},
	{"R20", rules.Note, "kernel.rs", plain, replace("#[cutile::entry()]", 1, "()", "(optimization_hints = (sm_100 = (occupancy = 4,),))")},
	{"R20", rules.Warning, "kernel.rs", []string{"attention_sink"}, replace("occupancy = 2", 1, "= 2", "= 1")},
	{"R20", rules.Note, "kernel.rs", []string{"swiglu"}, replace("Latency::<0>", 2, "<0>", "<4>")},
	{"R20", rules.Note, "kernel.rs", []string{"bmm"}, replace("Some(3i32)", 1, "3i32", "5i32")},
	{"R20", rules.Warning, "wrapper.py", []string{"matmul"}, replace("int(num_cta_in_cga)", 1, "int(num_cta_in_cga)", "int(-1)")},
	{"R20", rules.Warning, "wrapper.py", []string{"bmm"}, replace("_compile_option_value(num_cta", 1, "(num_cta_in_cga)", "(None)")},
	{"R20", rules.Warning, "wrapper.py", []string{"swiglu"}, replace("_AUTO_COMPILE_OPTION,", 1, "_AUTO_COMPILE_OPTION", "2")},

	{"R23", rules.Note, "kernel.rs", []string{"attention_sink"}, both(replace("const BANDWIDTH: i32,", 1, "BANDWIDTH", "UNUSED"), replace("qk_scale: f32,", 1, "qk_scale", "bandwidth: i32, qk_scale"))},
	{"R23", rules.Warning, "kernel.rs", []string{"matmul"}, both(replace("const BM: i32,", 1, "BM", "XM"), replace("c: &Tensor", 1, "c: ", "bm: i32, c: "))},
	{"R23", rules.Warning, "kernel.rs", []string{"swiglu"}, both(replace("const TILE_SIZE", 1, "TILE_SIZE", "WIDTH"), replace("a_shape0: i32,", 1, "a_shape0", "tile_size: i32, a_shape0"))},

	// In bmm, whose kernel swaps the same axes, this is R34's.
	{"R27", rules.Warning, "wrapper.py", []string{"matmul"}, replace("b = b.contiguous()", 1, "b.contiguous()", "b.transpose(-1, -2).contiguous()")},
	{"R27", rules.Warning, "wrapper.py", gemms, replace("a = a.contiguous()", 1, "a.contiguous()", "torch.transpose(a, 0, 1).contiguous() if kwargs else a.contiguous()")},
	{"R27", rules.Error, "wrapper.py", gemms, python("launch_with_cfg", 0, "planted = a.mT.contiguous()")},
	{"R27", rules.Warning, "kernel.rs", []string{"matmul"}, replace("const CAST_TF32: i32,", 1, "const CAST", "const TRANSPOSE_A: i32, const CAST")},

	{"R38", rules.Note, "wrapper.py", tuned, replace("= autotune_launch(", 1, "result", "_run_ffi(plant, plant)\n    result")},
	{"R38", rules.Note, "wrapper.py", []string{"matmul"}, python("launch_with_cfg", 1, "plant = 1", "_run_ffi(out, a, b, cfg.BM, cfg.BN, cfg.BK, num_programs, persistent, cfg.NUM_CTAS, cfg.OCCUPANCY)")},
	{"R38", rules.Note, "wrapper.py", []string{"bmm"}, python("launch_with_cfg", 0, "_run_ffi(plant, a, b, cfg, persistent, transpose_a, transpose_b)")},

	{"R40", rules.Error, "test.py", []string{"bmm", "silu_and_mul", "swiglu", "attention_sink"}, onLine(replace("+ [\"cutile-rs\"]", 1, "cutile-rs", "cutile"), "parametrize(\"backend\"", 1)},
	{"R40", rules.Error, "test.py", []string{"matmul"}, onLine(replace("+ [\"cutile-rs\"]", 1, "cutile-rs", "cutile"), "@pytest.mark.parametrize(", 1)},
	{"R40", rules.Warning, "test.py", []string{"bmm"}, onLine(replace("if backend == \"cutile-rs\"", 1, "cutile-rs", "tilecpp"), "if backend == \"cutile\"", 1)},
	{"R40", rules.Note, "test.py", []string{"bmm", "silu_and_mul"}, replace("parametrize(\"backend\", _backends", 1, "_backends", "_backends, ids=lambda b: b")},

	{"R41", rules.Error, "wrapper.py", tuned, python("kernel_fn", 0, "planted = torch.zeros((1024, 1024), device=\"cuda\")")},
	{"R41", rules.Error, "wrapper.py", tuned, python("kernel_fn", 2, "planted = plant", "del plant", "plant = planted.clone()")},
	{"R41", rules.Warning, "wrapper.py", tuned, python("kernel_fn", 0, "planted = plant.to(torch.float32)")},
	{"R41", rules.Warning, "wrapper.py", tuned, python("kernel_fn", 0, "planted = plant.contiguous()")},
	{"R41", rules.Error, "wrapper.py", []string{"swiglu"}, replace("c2 = torch.empty_like", 1, "empty_like", "zeros_like")},
	{"R41", rules.Error, "wrapper.py", []string{"swiglu"}, replace("return c2.view", 1, "c2.view", "c2.clone().view")},
	{"R41", rules.Note, "wrapper.py", gemms, replace("a = a.contiguous()", 1, "a.contiguous()", "a.clone()")},

	{"R42", rules.Note, "wrapper.py", gemms, replace("key=(", 1, "a.dtype, ", "")},
	{"R42", rules.Note, "wrapper.py", []string{"bmm"}, replace("key=(", 1, ", transpose_b", "")},
	{"R42", rules.Note, "wrapper.py", []string{"silu_and_mul"}, replace("key=(", 1, ", x.dtype", "")},

	{"R48", rules.Warning, "kernel.rs", []string{"swiglu"}, both(replace("= exp(", 1, "neg_a", "a_f32"), replace("= true_div(", 1, "(one, ", "(exp_neg, "))},
	{"R48", rules.Warning, "kernel.rs", []string{"matmul"}, replace("let k_tiles", 1, "(k + BK - 1i32)", "k")},
	{"R48", rules.Warning, "kernel.rs", []string{"bmm"}, replace("let num_k:", 1, "(rt_k + BK - 1)", "rt_k")},
}

// both makes two edits and tells the line of the second.
func both(first, second edit) edit {
	return func(t *testing.T, src string) (string, int) {
		src, _ = first(t, src)
		return second(t, src)
	}
}

// end adds lines at the end of a file; the violation is on the i-th of them.
func end(i int, lines ...string) edit {
	return func(_ *testing.T, src string) (string, int) {
		return src + strings.Join(lines, "\n") + "\n", strings.Count(src, "\n") + 1 + i
	}
}

// python inserts statements at the start of a Python function.
func python(name string, i int, lines ...string) edit {
	return func(t *testing.T, src string) (string, int) {
		f := syntax.Parse("wrapper.py", syntax.Python, []byte(src))
		for _, fn := range f.Root().Find("function_definition") {
			if fn.Field("name").Text() != name {
				continue
			}
			first := fn.Field("body").NamedChild(0)
			start := f.LineStart(first.Pos().Line)
			indent := src[start:first.Span().Start]
			return src[:start] + indent + strings.Join(lines, "\n"+indent) + "\n" + src[start:], first.Pos().Line + i
		}
		t.Fatalf("no function %s", name)
		return "", 0
	}
}

// change is a violation that takes edits of several files, or a base.
type change struct {
	rule     string
	severity rules.Severity
	kernel   string
	edits    map[string]edit // by file, as in a plant, or below the kernel's folder
	file     string          // with the finding
	compared bool            // upstream's tree is the base
}

var changes = []change{
	{"R30", rules.Note, "bmm", map[string]edit{"wrapper.py": onLine(replace("a = a.contiguous()", 1, "a.contiguous()", "a"), "def bmm(", 1)}, "wrapper.py", true},
	{"R31", rules.Error, "matmul", map[string]edit{
		"kernel.rs": both(replace("E: ElementType,", 1, "E: ElementType,", "E: ElementType, E2: ElementType,"), replace("let mut acc: Tile<f32", 1, "f32", "E2")),
		"ffi.rs":    replace("dty.to_string(),", 2, "dty.to_string(),", "dty.to_string(), dty.to_string(),"),
	}, "ffi.rs", false},
	{"R39", rules.Note, "swiglu", map[string]edit{"reports/agent_b.md": end(2, "VERDICT: BLOCKED", "", "B-only run: agent_e.md is missing")}, "reports/agent_b.md", false},
	{"R39", rules.Note, "swiglu", map[string]edit{
		"reports/agent_b.md": end(1, "VERDICT: COMPILED", "B-only run"),
		"test.py":            end(0, "planted = 1"),
	}, "reports/agent_b.md", true},
	{"R49", rules.Warning, "bmm", map[string]edit{"reports/agent_b.md": end(0, "VERDICT: COMPILED")}, "reports/agent_b.md", false},
	{"R49", rules.Warning, "bmm", map[string]edit{
		"reports/agent_b.md":   end(0, "VERDICT: COMPILED"),
		"reports/build_log.md": end(0, "## Attempt 1", "**Result:** FAIL", "error[E0283]"),
	}, "reports/build_log.md", false},
}

// TestPlantedChangesAreFound is TestPlantedViolationsAreFound for violations
// that one edit of one file does not make.
func TestPlantedChangesAreFound(t *testing.T) {
	head := upstream(t)
	for i, c := range changes {
		t.Run(fmt.Sprintf("%s/%d/%s", c.rule, i, c.kernel), func(t *testing.T) {
			files, at, line := fstest.MapFS{}, "", 0
			for name, edit := range c.edits {
				file := map[string]string{
					"wrapper.py": path.Join(tree.OpsRoot, c.kernel+".py"),
					"test.py":    path.Join(tree.TestsRoot, "test_"+c.kernel+".py"),
				}[name]
				if file == "" {
					file = path.Join(tree.OpsRoot, c.kernel+"_kernel", name)
				}
				src, err := fs.ReadFile(head, file)
				if !errors.Is(err, fs.ErrNotExist) {
					require.NoError(t, err)
				}
				changed, on := edit(t, string(src))
				files[file] = &fstest.MapFile{Data: []byte(changed)}
				if name == c.file {
					at, line = file, on
				}
			}
			options := review.Options{Head: overlay{head, files}, Rules: all.Rules, Kernels: []string{c.kernel}}
			if c.compared {
				options.Base = head
			}
			report, err := review.Run(context.Background(), options)
			require.NoError(t, err)
			assert.True(t, slices.ContainsFunc(report.Findings, func(f review.Finding) bool {
				return f.Rule == c.rule && f.Severity == c.severity && f.Path == at && (f.Line == line || slices.Contains(f.AlsoAt, line)) && f.New
			}), "no new %s %s at %s:%d; findings: %+v", c.rule, c.severity, at, line, report.Findings)
		})
	}
}
