package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/tree"
)

// A review takes as long for each kernel of a large checkout as for each of a
// small one, and stays below 300 MB with 500 kernels. With TILEGATE_LONG the
// times are compared closely; without it the test only tells linear from worse.
func TestReviewGrowsLinearly(t *testing.T) {
	rounds, most, tolerance, sizes := 1, 3, 1.6, []int{50, 500}
	if os.Getenv("TILEGATE_LONG") != "" {
		rounds, most, tolerance, sizes = 5, 10, 1.15, []int{50, 250, 500}
	}
	dirs := make([]string, len(sizes))
	for i, n := range sizes {
		dirs[i] = t.TempDir()
		grow(t, dirs[i], n)
	}
	// The machine does other things, which costs processor time, too. So small
	// checkouts are reviewed until they took as long as a large one, the sizes in
	// turn, and only what was measured in one round is compared.
	ratios := make([][]float64, len(sizes))
	resident := int64(0)
	for range rounds {
		each := make([]time.Duration, len(sizes))
		for i, n := range sizes {
			runs := min(sizes[len(sizes)-1]/n, most)
			for range runs {
				r := reviewOnDisk(t, dirs[i], "--fail-on=note")
				require.Zero(t, r.status, "%.2000s", r.out+r.err)
				each[i] += r.took
				resident = max(resident, r.resident)
			}
			each[i] /= time.Duration(runs * n)
			ratios[i] = append(ratios[i], each[i].Seconds()/each[0].Seconds())
		}
		t.Logf("processor time for one of %v kernels: %v", sizes, each)
	}
	for i, n := range sizes {
		slices.Sort(ratios[i])
		ratio := ratios[i][rounds/2]
		t.Logf("one of %d kernels takes %.2f times as long as one of %d", n, ratio, sizes[0])
		assert.Less(t, ratio, tolerance, "time for one of %d kernels", n)
	}
	t.Logf("at most %d MB resident", resident>>20)
	if !hostile.Race {
		assert.Less(t, resident, int64(300<<20), "bytes resident")
	}
}

// grow writes a checkout with n kernels. Each is as large as upstream's are, in
// bytes and in syntax nodes: three kernels of the sample repository in one.
func grow(t *testing.T, dir string, n int) {
	t.Helper()
	const sample = "../../testdata/tilegym-mini"
	read := func(p string) string {
		data, err := os.ReadFile(filepath.Join(sample, p))
		require.NoError(t, err)
		return string(data)
	}
	write := func(p, text string) {
		p = filepath.Join(dir, p)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
	}
	for _, p := range []string{
		tree.BackendRoot + "/utils.py", tree.BackendRoot + "/autotuner.py", "src/tilegym/backend/selector.py", "src/tilegym/backend/dispatcher.py",
		"src/tilegym/cpu/__init__.py", "src/tilegym/cpu/tile.py", "src/tilegym/cpu/torch.py",
		tree.OpsRoot + "/ffi_util.rs", tree.OpsRoot + "/cutile_kernels/Cargo.toml", "tests/common.py", "tests/conftest.py",
	} {
		write(p, read(p))
	}
	parts := []string{"row_sum", "scale_add", "row_sum"}
	files := map[string][]string{} // by place, the texts of the parts
	for _, place := range []string{
		tree.OpsRoot + "/%s_kernel/kernel.rs", tree.OpsRoot + "/%s_kernel/ffi.rs", tree.OpsRoot + "/%s.py",
		tree.ReferenceRoot + "/%s.py", tree.TestsRoot + "/test_%s.py",
	} {
		for _, of := range parts {
			files[place] = append(files[place], read(fmt.Sprintf(place, of)))
		}
	}
	lib := "#[path = \"../../ffi_util.rs\"]\nmod ffi_util;\n"
	imports := "from tilegym.backend import is_backend_available\n\nif is_backend_available(\"cutile-rs\"):\n"
	dispatch := "from tilegym.backend import dispatch\n"
	for i := range n {
		op := fmt.Sprintf("op%03d", i)
		lib += fmt.Sprintf("\nmod %[1]s {\n    include!(\"../../%[1]s_kernel/kernel.rs\");\n    include!(\"../../%[1]s_kernel/ffi.rs\");\n}\n", op)
		imports += "    from . import " + op + "  # noqa: F401\n"
		for place, texts := range files {
			whole := ""
			for j, text := range texts {
				whole += part(text, parts[j], op, j)
			}
			write(fmt.Sprintf(place, op), declareTogether(whole))
		}
		for j, of := range parts {
			name := op + suffix(j)
			dispatch += fmt.Sprintf("\n\n@dispatch(%q, fallback_backend=\"cutile\")\ndef %s(%s):\n    raise NotImplementedError(%q)\n",
				name, name, map[string]string{"row_sum": "x", "scale_add": "x, y, alpha=1.0"}[of], name)
		}
	}
	write(tree.OpsRoot+"/cutile_kernels/src/lib.rs", lib)
	write(tree.OpsRoot+"/__init__.py", imports)
	write("src/tilegym/ops/ops.py", dispatch)
}

func suffix(part int) string { return []string{"", "_b", "_c"}[part] }

// part is the text of a sample kernel under the name of an op. What the parts of
// a file would define twice gets a suffix, and only the first keeps its imports.
func part(text, of, op string, n int) string {
	name := op + suffix(n)
	camel := map[string]string{"row_sum": "RowSum", "scale_add": "ScaleAdd"}[of]
	pairs := []string{`_KERNEL = "` + of, `_KERNEL = "` + op, of, name, camel, strings.ReplaceAll(name, "_", "")}
	for _, s := range []string{"_FFI_NAME", "_DTYPES", "_TILE", "_BLOCK", "_AUTO_COMPILE_OPTION", "_configs", "_run_ffi"} {
		pairs = append(pairs, s, s+suffix(n))
	}
	text = strings.NewReplacer(pairs...).Replace(text)
	if n == 0 {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		first, _, _ := strings.Cut(line, " ")
		switch {
		case first == "use" && strings.Contains(line, name):
		case slices.Contains([]string{"use", "import", "from", "_KERNEL"}, first):
			continue
		}
		out.WriteString(line)
	}
	return "\n" + out.String()
}

// declareTogether moves the C declarations of a wrapper's parts into the first,
// since all its functions are bound at once.
func declareTogether(wrapper string) string {
	const open, end = "_FFI_CDEF = \"\"\"\n", "\"\"\"\n"
	first, rest, _ := strings.Cut(wrapper, open)
	declarations, rest, _ := strings.Cut(rest, end)
	for {
		before, after, more := strings.Cut(rest, open)
		if !more {
			break
		}
		declaration, after, _ := strings.Cut(after, end)
		declarations += declaration
		rest = before + after
	}
	if declarations == "" {
		return wrapper
	}
	return first + open + declarations + end + rest
}
