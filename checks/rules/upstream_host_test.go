package rules_test

import (
	"context"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/r10"
	"github.com/tilegate/tilegate/checks/rules/r32"
	"github.com/tilegate/tilegate/checks/rules/r33"
	"github.com/tilegate/tilegate/checks/rules/r35"
	"github.com/tilegate/tilegate/checks/rules/r37"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// TestUpstreamHostFindings holds the rules of the host side to exactly what is
// wrong in upstream's tree at any of its revisions: the autotuner that looks
// for a text which check_rc lost, the sizes that bmm never compares, and the
// clamped device of the first revision.
func TestUpstreamHostFindings(t *testing.T) {
	head := upstream(t)
	want := []string{"R35 note bmm.py"}
	utils, err := fs.ReadFile(head, tree.BackendRoot+"/utils.py")
	require.NoError(t, err)
	if _, body, ok := strings.Cut(string(utils), "def check_rc("); !ok || !strings.Contains(body, "error code") {
		want = append(want, "R35 warning autotuner.py")
	}
	for _, kernel := range kernels {
		src, err := fs.ReadFile(head, path.Join(tree.OpsRoot, kernel+"_kernel/ffi.rs"))
		require.NoError(t, err)
		if strings.Contains(string(src), "device_id.max(0)") {
			want = append(want, "R32 note ffi.rs")
		}
	}
	report, err := review.Run(context.Background(), review.Options{
		Head: head, Rules: []*rules.Rule{r10.Rule, r32.Rule, r33.Rule, r35.Rule, r37.Rule},
	})
	require.NoError(t, err)
	var got []string
	for _, f := range report.Findings {
		got = append(got, f.Rule+" "+string(f.Severity)+" "+path.Base(f.Path))
	}
	assert.ElementsMatch(t, want, got)
	assert.Empty(t, report.Summary.Unread)
}

// The plants of the host rules join the table.
func init() { plants = append(plants, hostPlants...) }

const (
	libRS   = tree.OpsRoot + "/cutile_kernels/src/lib.rs"
	cargo   = tree.OpsRoot + "/cutile_kernels/Cargo.toml"
	initPy  = tree.OpsRoot + "/__init__.py"
	ffiUtil = tree.OpsRoot + "/ffi_util.rs"
	utilsPy = tree.BackendRoot + "/utils.py"
)

var one = []string{"swiglu"}

var hostPlants = []plant{
	{"R10", rules.Error, "ffi.rs", nil, replace("let dty", 1, "let dty", "let plant = Tensor::<f32>::from_raw_parts(0, 0, 0, s, s); let dty")},
	{"R10", rules.Error, "ffi.rs", views, replace("borrow_tensor::<$E>", 2, "$E", "f32")},
	{"R32", rules.Error, "ffi.rs", nil, onLine(replace("    raw_stream: u64,", 1, "u64", "i64"), "extern \"C\" fn", 1)},
	{"R32", rules.Error, "ffi.rs", nil, onLine(replace(") -> i32", 1, "i32", "i64"), "extern \"C\" fn", 1)},
	{"R32", rules.Warning, "ffi.rs", nil, exported(0, "plant().unwrap();")},
	{"R33", rules.Error, cargo, one, replace("cuda-async", 1, "\"=0.2.0\"", "{ path = \"../cuda-async\" }")},
	{"R33", rules.Error, cargo, one, replace("crate-type", 1, "cdylib", "staticlib")},
	{"R33", rules.Error, libRS, one, replace("swiglu_kernel/ffi.rs", 1, "swiglu", "planted")},

	{"R35", rules.Error, "wrapper.py", nil, replace("_KERNEL = \"", 1, " \"", " \"x")},
	{"R35", rules.Error, "wrapper.py", nil, replace("_FFI_NAME = \"", 1, " \"", " \"x")},
	{"R35", rules.Error, "wrapper.py", nil, replace("int32_t cutile_", 1, "cutile_", "cutile_x")},
	{"R35", rules.Error, "wrapper.py", nil, replace("int32_t device_id", 1, "int32_t device_id", "int64_t device_id")},
	{"R35", rules.Error, "wrapper.py", nil, replace("int32_t device_id", 1, "int32_t device_id", "int32_t planted, int32_t device_id")},
	{"R35", rules.Warning, "wrapper.py", nil, replace("int32_t device_id", 1, "device_id", "gpu")},
	{"R35", rules.Error, "wrapper.py", nil, replace("lib.cutile_", 1, "cutile_", "cutile_x")},
	{"R35", rules.Error, "wrapper.py", nil, onLine(replace("int(raw_stream),", 1, "int(raw_stream),", ""), "lib.cutile_", 1)},
	{"R35", rules.Error, "wrapper.py", nil, onLine(replace("check_rc(rc", 1, "check_rc(rc, _FFI_NAME)", "pass"), "lib.cutile_", 1)},
	{"R35", rules.Error, "wrapper.py", nil, replace("check_rc(rc", 1, "check_rc(rc", "return None; check_rc(rc")},
	{"R35", rules.Error, "wrapper.py", nil, replace("@register_impl(\"", 1, "(\"", "(\"x")},
	{"R35", rules.Error, "wrapper.py", nil, replace("_DTYPES = (", 1, "torch.float32", "torch.float64")},
	{"R35", rules.Error, "ffi.rs", nil, replace(".grid((", 1, ", 1)", ", 1i32)")},
	{"R35", rules.Error, "ffi.rs", nil, onLine(replace("dty.to_string()", 1, "dty.to_string()", "dty.to_string(), dty.to_string()"), ".generics(generics)", 1)},
	{"R35", rules.Error, "ffi.rs", nil, replace("extern \"C\" fn", 1, "cutile_", "cutile_x")},
	{"R35", rules.Error, "ffi.rs", []string{"matmul", "bmm"}, replace("_kernel(&*a_t", 1, "&*a_t, ", "")},
	{"R35", rules.Warning, "ffi.rs", []string{"matmul", "bmm"}, replace("bm.to_string(),", 1, "bm", "bn")},
	{"R35", rules.Error, initPy, one, onLine(replace("import swiglu", 1, "from . import swiglu", "pass #"), "import silu_and_mul", 1)},
	{"R35", rules.Error, utilsPy, one, replace("_TENSORDESC_MAX_DIMS =", 1, "= ", "= 1")},
	{"R35", rules.Error, utilsPy, one, replace("strides[", 1, "[", "[1")},
	{"R35", rules.Error, utilsPy, one, replace("\"torch.bfloat16\":", 1, "2", "0")},
	{"R35", rules.Error, ffiUtil, one, replace("1 | 2 => ", 1, "=> 2", "=> 4")},

	{"R37", rules.Error, "wrapper.py", nil, replace(".detach()", 1, "= ", "= plant.requires_grad_() #")},
	{"R37", rules.Error, "wrapper.py", nil, detached(1)},
	{"R37", rules.Error, "wrapper.py", []string{"matmul", "bmm", "swiglu", "attention_sink"}, detached(2)},
	{"R37", rules.Error, "wrapper.py", []string{"attention_sink"}, detached(4)},
	{"R37", rules.Error, "wrapper.py", nil, refused(1)},
	{"R37", rules.Warning, "test.py", one, onLine(replace("backend == \"cutile-rs\"", 1, "cutile-rs", "planted"), "def test_op_backward(", 1)},
}

// onLine is an edit whose finding stands on the n-th line that has a token.
func onLine(e edit, token string, n int) edit {
	return func(t *testing.T, src string) (string, int) {
		changed, _ := e(t, src)
		left := n
		for i, l := range strings.Split(changed, "\n") {
			if strings.Contains(l, token) {
				if left--; left == 0 {
					return changed, i + 1
				}
			}
		}
		t.Fatalf("no such line with %q", token)
		return "", 0
	}
}

// detached removes the n-th detach; the finding stands at the function.
func detached(n int) edit {
	return func(t *testing.T, src string) (string, int) {
		changed, line := replace(".detach()", n, ".detach()", "")(t, src)
		f := syntax.Parse("wrapper.py", syntax.Python, []byte(changed))
		at := f.LineStart(line)
		fn := f.Enclosing(syntax.Span{Start: at, End: at + len(f.Line(line))}).Ancestor("function_definition")
		require.True(t, fn.Valid())
		return changed, fn.Pos().Line
	}
}

// refused raises in place of the n-th detach.
func refused(n int) edit {
	return func(t *testing.T, src string) (string, int) {
		_, line := replace(".detach()", n, ".detach()", "")(t, src)
		lines := strings.Split(src, "\n")
		indent, _, _ := strings.Cut(lines[line-1], strings.TrimLeft(lines[line-1], " "))
		lines[line-1] = indent + "raise ValueError()"
		return strings.Join(lines, "\n"), line
	}
}
