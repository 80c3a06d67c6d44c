package rules_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// upstream is the checkout of NVIDIA/TileGym that TILEGYM_DIR names.
func upstream(t *testing.T) fs.FS {
	t.Helper()
	dir := os.Getenv("TILEGYM_DIR")
	if dir == "" {
		t.Skip("TILEGYM_DIR is not set; it names a checkout of NVIDIA/TileGym")
	}
	return os.DirFS(dir)
}

// accepted lists what the rules find in upstream's own tree at its newest
// revision, all of it and nothing else, and why that is right.
var accepted = []struct {
	rule     string
	severity rules.Severity
	path     string
	why      string
}{
	{"R23", rules.Note, "src/tilegym/ops/cutile_rs/bmm_kernel/kernel.rs", "the reference bakes M, N and K"},
	{"R23", rules.Note, "src/tilegym/ops/cutile_rs/silu_and_mul_kernel/kernel.rs", "the reference bakes the hidden size"},
	{"R20", rules.Note, "src/tilegym/ops/cutile_rs/bmm_kernel/kernel.rs", "hints that the reference does not have"},
	{"R20", rules.Note, "src/tilegym/ops/cutile_rs/silu_and_mul_kernel/kernel.rs", "latencies that the reference does not have"},
	{"R41", rules.Note, "src/tilegym/ops/cutile_rs/attention_sink.py", "copies that the reference makes too"},
	{"R35", rules.Warning, "src/tilegym/backend/cutile_rs/autotuner.py", "tests for a text that check_rc no longer has"},
	{"R48", rules.Warning, "src/tilegym/ops/cutile_rs/silu_and_mul_kernel/kernel.rs", "overflows for large inputs"},
	{"R42", rules.Note, "src/tilegym/ops/cutile_rs/attention_sink.py", "4 of the reference's 18 configurations"},
	{"R35", rules.Note, "src/tilegym/ops/cutile_rs/bmm.py", "batch and K of the operands are not compared"},
	{"R40", rules.Note, "tests/ops/test_matmul.py", "explicit ids that -k cutile_rs does not select"},
}

// TestUpstreamHasNothingElse compares the findings in upstream's tree with the
// accepted ones. Older revisions differ in three ways, which their source shows:
// the autotuner still knew the error's text, the first one clamped devices, and
// the ops package did not import the backend yet.
func TestUpstreamHasNothingElse(t *testing.T) {
	head := upstream(t)
	report, err := review.Run(context.Background(), review.Options{Head: head, Rules: all.Rules})
	require.NoError(t, err)
	assert.Empty(t, report.Summary.Unread, "files that could not be read")
	assert.GreaterOrEqual(t, len(report.Summary.Kernels), 5)
	utils, err := fs.ReadFile(head, tree.BackendRoot+"/utils.py")
	require.NoError(t, err)
	_, check, _ := strings.Cut(string(utils), "def check_rc(")
	var want, got []string
	for _, a := range accepted {
		if !strings.HasSuffix(a.path, "autotuner.py") || !strings.Contains(check, "error code") {
			want = append(want, fmt.Sprintf("%s %s %s", a.rule, a.severity, a.path))
		}
	}
	for _, kernel := range report.Summary.Kernels {
		file := path.Join(tree.OpsRoot, kernel+"_kernel/ffi.rs")
		if src, err := fs.ReadFile(head, file); err == nil && strings.Contains(string(src), "device_id.max(0)") {
			want = append(want, fmt.Sprintf("R32 note %s", file))
		}
	}
	if src, err := fs.ReadFile(head, "src/tilegym/ops/__init__.py"); err == nil && !strings.Contains(string(src), "cutile_rs") {
		want = append(want, "S9 warning src/tilegym/ops/__init__.py")
	}
	for _, f := range report.Findings {
		got = append(got, fmt.Sprintf("%s %s %s", f.Rule, f.Severity, f.Path))
	}
	assert.ElementsMatch(t, want, got, "%+v", report.Findings)
}

// kernels are upstream's own.
var kernels = []string{"matmul", "bmm", "silu_and_mul", "swiglu", "attention_sink"}

// plant is one edit of a file of upstream's that breaks a rule.
type plant struct {
	rule     string
	severity rules.Severity
	file     string   // kernel.rs, ffi.rs, wrapper.py, test.py or a path in the checkout
	kernels  []string // those that have the place; empty for all
	edit     edit
}

// edit changes a source and says on which line it broke the rule.
type edit func(t *testing.T, src string) (string, int)

var (
	views    = []string{"matmul", "bmm", "attention_sink"}
	pointers = []string{"silu_and_mul", "swiglu"}
)

// plants lists the violations. Edits are insertions, or replacements on the
// n-th line that has a short token, so that no upstream text stands here.
var plants = []plant{
	{"R1", rules.Warning, "kernel.rs", nil, body(0, "let planted = permute(plant, const_array![1, 0]);")},
	{"R1", rules.Warning, "kernel.rs", pointers, replace("= pointer_to_tile(", 1, ");", ").reshape(const_shape![1]).broadcast(const_shape![1]);")},
	{"R2", rules.Warning, "kernel.rs", nil, body(0, "let planted: Tile<f32, { [] }> = scalar_to_tile(1e-6f32);")},
	{"R2", rules.Error, "kernel.rs", nil, body(1, "let planted: Tile<f32, { [4] }> = constant(", "    core::f32::consts::LN_2,", "    const_shape![4],", ");")},
	{"R5", rules.Error, "kernel.rs", nil, body(1, "let plant: Tile<f32, { [4, 8] }> = constant(0.0f32, const_shape![4, 8]);", "let planted: Tile<f32, { [4, 1] }> = reduce_sum(plant, 1i32);")},
	{"R5", rules.Warning, "kernel.rs", []string{"attention_sink"}, replace("= reduce_max(", 1, "M] }", "M, 1] }")},
	{"R6", rules.Error, "kernel.rs", nil, body(0, "let planted: Tile<f32, { [CONST * 2] }> = constant(0.0f32, const_shape![8]);")},
	{"R7", rules.Error, "kernel.rs", nil, body(0, "let planted: Tile<i64, { [] }> = exti(scalar_to_tile(get_tile_block_id().0));")},
	{"R10", rules.Error, "ffi.rs", nil, exported(0, "core::mem::forget(plant);")},
	{"R12", rules.Error, "kernel.rs", nil, replace("pub unsafe fn", 1, "pub unsafe fn", "unsafe fn")},
	{"R12", rules.Error, "kernel.rs", pointers, replace("pub unsafe fn", 1, "pub unsafe fn", "pub fn")},
	{"R12", rules.Error, "kernel.rs", []string{"matmul", "silu_and_mul", "swiglu"}, replace("#[cutile::entry()]", 1, "()", "")},
	{"R13", rules.Error, "kernel.rs", nil, body(0, "for planted in (0i32..8i32).step_by(4i32) {}")},
	{"R13", rules.Error, "kernel.rs", []string{"matmul", "bmm"}, replace(".step_by(", 1, " as usize", "")},
	{"R14", rules.Error, "kernel.rs", nil, body(0, "let planted: E = E::ZERO;")},
	{"R14", rules.Error, "kernel.rs", []string{"silu_and_mul"}, replace("None::<E>,", 1, "None::<E>", "Some(E::ZERO)")},
	{"R16", rules.Warning, "kernel.rs", views, replace("&Tensor<E", 1, "&Tensor<E", "&Tensor<f16")},
	{"R16", rules.Warning, "kernel.rs", pointers, replace("*mut E,", 1, "*mut E", "*mut bf16")},
	{"R26", rules.Error, "kernel.rs", nil, body(0, "let planted = exp2(plant);")},
	{"R26", rules.Error, "kernel.rs", []string{"silu_and_mul"}, replace("exp2(", 2, ", ftz::Enabled", "")},
	{"R32", rules.Error, "ffi.rs", nil, replace("no_mangle)]", 1, "unsafe(no_mangle)", "no_mangle")},
	{"R32", rules.Error, "ffi.rs", nil, exported(0, "let planted = Device::new(0);")},
	{"R33", rules.Error, tree.OpsRoot + "/cutile_kernels/Cargo.toml", nil, replace("cutile-macro", 1, "=", "= \"0.2\" #")},
	{"R43", rules.Error, "kernel.rs", views, replace("&Tensor<E", 3, "&Tensor<E", "&mut Tensor<E")},
	{"R43", rules.Error, "ffi.rs", nil, exported(0, "let planted = plant.partition([64, 64]);")},
	{"R45", rules.Error, "kernel.rs", []string{"silu_and_mul"}, body(0, "for planted in 0i32..(hidden_size / CONST) {", "}")},
	{"R45", rules.Error, "kernel.rs", []string{"swiglu"}, body(0, "let planted: i32 = a_shape1 / CONST;", "for plant in 0i32..planted {", "}")},
	{"R45", rules.Warning, "kernel.rs", []string{"silu_and_mul"}, replace("Some(mask)", 1, "Some(mask)", "None")},
	{"R45", rules.Warning, "kernel.rs", []string{"swiglu"}, replace("Some(a_mask)", 1, "Some(a_mask)", "None")},
	{"R46", rules.Error, "kernel.rs", nil, body(0, "let planted: Tile<f32, { [] }> = scalar_to_tile(CONST as f32);")},
	{"R47", rules.Error, "kernel.rs", nil, body(0, "let planted = load_ptr_tko(plant, ordering::Weak, None::<scope::TileBlock>, None, None, None, Latency::<1>);")},
}

func TestPlantedViolationsAreFound(t *testing.T) {
	head := upstream(t)
	tested := map[string]bool{}
	for i, p := range plants {
		on := p.kernels
		if len(on) == 0 {
			on = kernels
		}
		for _, kernel := range on {
			tested[p.rule] = true
			t.Run(fmt.Sprintf("%s/%d/%s", p.rule, i, kernel), func(t *testing.T) {
				file := map[string]string{
					"kernel.rs":  path.Join(tree.OpsRoot, kernel+"_kernel/kernel.rs"),
					"ffi.rs":     path.Join(tree.OpsRoot, kernel+"_kernel/ffi.rs"),
					"wrapper.py": path.Join(tree.OpsRoot, kernel+".py"),
					"test.py":    path.Join(tree.TestsRoot, "test_"+kernel+".py"),
				}[p.file]
				if file == "" {
					file = p.file
				}
				src, err := fs.ReadFile(head, file)
				require.NoError(t, err)
				changed, line := p.edit(t, string(src))
				require.NotEqual(t, string(src), changed)
				report, err := review.Run(context.Background(), review.Options{
					Head:  overlay{head, fstest.MapFS{file: {Data: []byte(changed)}}},
					Rules: all.Rules, Kernels: []string{kernel},
				})
				require.NoError(t, err)
				assert.True(t, slices.ContainsFunc(report.Findings, func(f review.Finding) bool {
					return f.Rule == p.rule && f.Severity == p.severity && f.Path == file && (f.Line == line || slices.Contains(f.AlsoAt, line))
				}), "no %s %s at %s:%d; findings: %+v", p.rule, p.severity, file, line, report.Findings)
			})
		}
	}
	for _, c := range changes {
		tested[c.rule] = true // by TestPlantedChangesAreFound
	}
	for _, r := range all.Rules {
		assert.True(t, tested[r.ID], "rule %s has no planted violation", r.ID)
	}
}

// overlay is a file system in which some files are new or have other content.
type overlay struct {
	fs.FS
	files fstest.MapFS
}

func (o overlay) Open(name string) (fs.File, error) {
	if _, ok := o.files[name]; ok {
		return o.files.Open(name)
	}
	f, err := o.FS.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return o.files.Open(name) // a folder of new files
	}
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.IsDir() {
		return f, err
	}
	list, err := o.ReadDir(name)
	return &folder{f, list}, err
}

// folder is an open folder with new files among its own.
type folder struct {
	fs.File
	left []fs.DirEntry
}

func (d *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(d.left) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(d.left) {
		n = len(d.left)
	}
	out := d.left[:n]
	d.left = d.left[n:]
	return out, nil
}

func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(o.FS, name)
	if errors.Is(err, fs.ErrNotExist) {
		return fs.ReadDir(o.files, name)
	}
	if err != nil {
		return list, err
	}
	for f := range o.files {
		at := func(e fs.DirEntry) bool { return e.Name() == path.Base(f) }
		if info, err := fs.Stat(o.files, f); err == nil && path.Dir(f) == name && !slices.ContainsFunc(list, at) {
			list = append(list, fs.FileInfoToDirEntry(info))
		}
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

// insert puts lines in after an offset; CONST stands for the entry's first
// const generic. The violation is on the i-th of them (from 0).
func insert(src string, offset, i int, lines []string, constant string) (string, int) {
	text := strings.ReplaceAll("\n        "+strings.Join(lines, "\n        "), "CONST", constant)
	return src[:offset] + text + src[offset:], strings.Count(src[:offset], "\n") + 2 + i
}

// body inserts statements at the start of the first entry's body.
func body(i int, lines ...string) edit {
	return func(t *testing.T, src string) (string, int) {
		f := syntax.Parse("kernel.rs", syntax.Rust, []byte(src))
		for _, m := range dsl.Parse(f) {
			for _, fn := range m.Entries() {
				return insert(src, fn.Body.Span().Start+1, i, lines, fn.Consts[0].Name)
			}
		}
		t.Fatal("no entry")
		return "", 0
	}
}

// exported inserts statements at the start of the exported function of ffi.rs.
func exported(i int, lines ...string) edit {
	return func(t *testing.T, src string) (string, int) {
		f := syntax.Parse("ffi.rs", syntax.Rust, []byte(src))
		for _, fn := range f.Root().Find("function_item") {
			if fn.ChildOf("function_modifiers").ChildOf("extern_modifier").Valid() {
				return insert(src, fn.Field("body").Span().Start+1, i, lines, "")
			}
		}
		t.Fatal("no exported function")
		return "", 0
	}
}

// replace replaces text on the n-th line (from 1) that has a token.
func replace(token string, n int, old, with string) edit {
	return func(t *testing.T, src string) (string, int) {
		lines, left := strings.Split(src, "\n"), n
		for i, l := range lines {
			if strings.Contains(l, token) {
				if left--; left == 0 {
					require.Contains(t, l, old)
					lines[i] = strings.Replace(l, old, with, 1)
					return strings.Join(lines, "\n"), i + 1
				}
			}
		}
		t.Fatalf("no such line with %q", token)
		return "", 0
	}
}

// TestDamagedUpstreamDoesNotPanic cuts each kernel source in the middle of
// every 40th line and runs all rules.
func TestDamagedUpstreamDoesNotPanic(t *testing.T) {
	head := upstream(t)
	for _, kernel := range kernels {
		file := path.Join(tree.OpsRoot, kernel+"_kernel/kernel.rs")
		src, err := fs.ReadFile(head, file)
		require.NoError(t, err)
		lines := bytes.SplitAfter(src, []byte("\n"))
		for cut := 20; cut < len(lines)-3; cut += 40 {
			half := append(bytes.Join(lines[:cut], nil), lines[cut][:len(lines[cut])/2]...)
			report, err := review.Run(context.Background(), review.Options{
				Head: overlay{head, fstest.MapFS{file: {Data: half}}}, Rules: all.Rules, Kernels: []string{kernel},
			})
			require.NoError(t, err)
			assert.NotEmpty(t, report.Summary.Unread, "%s cut at line %d", file, cut)
		}
	}
}
