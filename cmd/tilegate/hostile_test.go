package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

const (
	hostileOps    = "src/tilegym/ops/cutile_rs/"
	hostileKernel = hostileOps + "demo_kernel/kernel.rs"
	// maxResident is the memory that a review of hostile files may take, in bytes:
	// all that the process ever held, the program itself included.
	maxResident = 300 << 20
)

// onDisk writes the clean sample checkout to a folder and lets edit change it.
func onDisk(t *testing.T, edit func(t *testing.T, at func(string) string)) string {
	t.Helper()
	dir := t.TempDir()
	at := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
	for p, f := range ruletest.Base() {
		require.NoError(t, os.MkdirAll(filepath.Dir(at(p)), 0o755))
		require.NoError(t, os.WriteFile(at(p), f.Data, 0o644))
	}
	edit(t, at)
	return dir
}

// reviewed is what a process that reviewed a folder left.
type reviewed struct {
	out, err string
	status   int
	resident int64         // most bytes of memory at one time
	took     time.Duration // of the processor
}

// measured is the command, which then writes the most memory that it held at one
// time as a last line to standard error. What the system tells the parent of a
// process holds what the parent itself had when it started it.
func measured() {
	code := run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "kB")
	fmt.Fprintln(os.Stderr, strings.TrimSpace(peak))
	os.Exit(code)
}

// reviewOnDisk runs `tilegate review` as a process of its own, so that its memory
// can be told; the binary of the test is the command itself.
func reviewOnDisk(t *testing.T, dir string, args ...string) reviewed {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, append([]string{"review", dir}, args...)...)
	cmd.Args[0] = "tilegate-measured"
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
	peak, err := strconv.ParseInt(lines[len(lines)-1], 10, 64)
	require.NoError(t, err, "%s", errs.String())
	return reviewed{
		out.String(), strings.Join(lines[:len(lines)-1], "\n"), cmd.ProcessState.ExitCode(), peak << 10,
		cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
	}
}

// replace puts something else at the place of a file.
func replace(with func(name string) error, places ...string) func(*testing.T, func(string) string) {
	return func(t *testing.T, at func(string) string) {
		for _, p := range places {
			require.NoError(t, os.RemoveAll(at(p)))
			require.NoError(t, os.MkdirAll(filepath.Dir(at(p)), 0o755))
			require.NoError(t, with(at(p)))
		}
	}
}

func text(s string) func(string) error {
	return func(name string) error { return os.WriteFile(name, []byte(s), 0o644) }
}

func link(to string) func(string) error {
	return func(name string) error { return os.Symlink(to, name) }
}

// Whatever stands at the place of a file, a review ends soon, says what it could
// not read, and is not clean.
func TestReviewOfHostileCheckouts(t *testing.T) {
	const wrapper, test, manifest = hostileOps + "demo.py", "tests/ops/test_demo.py", hostileOps + "cutile_kernels/Cargo.toml"
	const large = 20 << 20
	long := func(s hostile.Shape) func(string) error { return text(s.Text(large)) }
	nested := func(open string) string { return strings.Repeat(open, 100_000) }
	for name, c := range map[string]struct {
		edit func(*testing.T, func(string) string)
		why  string // of the unread line; %s stands for its path
		path string
	}{
		"a folder":                {replace(func(n string) error { return os.Mkdir(n, 0o755) }, hostileKernel), "not a regular file: a folder", hostileKernel},
		"a pipe":                  {replace(func(n string) error { return syscall.Mkfifo(n, 0o644) }, hostileKernel), "not a regular file: a pipe", hostileKernel},
		"a pipe as wrapper":       {replace(func(n string) error { return syscall.Mkfifo(n, 0o644) }, wrapper), "not a regular file: a pipe", wrapper},
		"a pipe as artifact":      {replace(func(n string) error { return syscall.Mkfifo(n, 0o644) }, hostileOps+"demo_kernel/reference/analysis.json"), "not a regular file: a pipe", hostileOps + "demo_kernel/reference/analysis.json"},
		"a link to itself":        {replace(link("kernel.rs"), hostileKernel), "too many levels of symbolic links", hostileKernel},
		"a link to nothing":       {replace(link("nothing.rs"), hostileKernel), "a link to something that does not exist", hostileKernel},
		"a link out of the tree":  {replace(link("/etc/passwd"), hostileKernel), "a link out of the checkout", hostileKernel},
		"a link to a device":      {replace(link("/dev/zero"), hostileKernel), "a link out of the checkout", hostileKernel},
		"a relative link out":     {replace(link(strings.Repeat("../", 20)+"etc/passwd"), wrapper), "a link out of the checkout", wrapper},
		"a kernel's folder out":   {replace(link("/usr"), hostileOps+"far_kernel"), "a link out of the checkout", hostileOps + "far_kernel"},
		"a test that is a link":   {replace(link("nothing.py"), test), "a link to something that does not exist", test},
		"a manifest that is one":  {replace(link("Cargo.toml"), manifest), "too many levels of symbolic links", manifest},
		"folders in a loop":       {replace(link(".."), hostileOps+"loop_kernel/loop"), "", ""},
		"a kernel that is a loop": {replace(link("loop_kernel"), hostileOps+"loop_kernel"), "too many levels of symbolic links", hostileOps + "loop_kernel"},
		"a suite that is a loop":  {replace(link("loop"), "src/tilegym/suites/loop"), "too many levels of symbolic links", "src/tilegym/suites/loop"},
		"brackets in Rust":        {replace(text("fn f() { "+nested("(")+"\n"), hostileKernel), "nested deeper than 5000 levels", hostileKernel},
		"brackets in Python":      {replace(text("x = "+nested("[")+"\n"), wrapper), "nested deeper than 5000 levels", wrapper},
		"brackets in TOML":        {replace(text("x = "+nested("[")+"\n"), manifest), "nested deeper than 200 levels", manifest},
		"dots in TOML":            {replace(text("a"+strings.Repeat(".a", 100_000)+" = 1\n"), manifest), "nested deeper than 200 levels", manifest},
		"20 MB in one line":       {replace(long(hostile.Repeat("", "", "a", "")), hostileKernel), "20971520 bytes, the limit is 2097152", hostileKernel},
		"20 MB of small items":    {replace(long(hostile.Repeat("", "", "fn f(){}\n", "")), hostileKernel), "bytes, the limit is 2097152", hostileKernel},
		"20 MB of strings":        {replace(long(hostile.Repeat("", "x = [", "'a',", "]\n")), wrapper), "bytes, the limit is 2097152", wrapper},
		"20 MB in a comment":      {replace(long(hostile.Repeat("", "/*", " a", "")), hostileOps+"demo_kernel/ffi.rs"), "bytes, the limit is 2097152", hostileOps + "demo_kernel/ffi.rs"},
		"20 MB of a manifest":     {replace(long(hostile.Repeat("", "", "# a\n", "")), manifest), "20971520 bytes, the limit is 2097152", manifest},
		"20 MB of IR":             {replace(long(hostile.Repeat("", "", "}\n", "")), hostileOps+"demo_kernel/generated/generated.mlir"), "bytes, the limit is 2097152", hostileOps + "demo_kernel/generated/generated.mlir"},
		"2 MB in one string":      {replace(text(`x = "`+strings.Repeat("a ", 1<<20-100)), wrapper), "the parser gave up at line 1", wrapper},
		"2 MB of an open macro":   {replace(text("macro_rules! m { ($e:expr) => {"+strings.Repeat(" $e", (2<<20-100)/3)), hostileKernel), "1:1: syntax error", hostileKernel},
		"NUL bytes":               {replace(text("fn f() {}\n\x00"), hostileKernel), "NUL byte at line 2", hostileKernel},
		"NUL bytes in a manifest": {replace(text("[package]\n\x00"), manifest), "NUL byte at line 2", manifest},
		"no UTF-8":                {replace(text("# a\n# \xff\n"), wrapper), "not UTF-8 at line 2", wrapper},
		"UTF-16":                  {replace(text("\xff\xfef\x00n\x00"), hostileKernel), "NUL byte at line 1", hostileKernel},
		"no UTF-8 in IR":          {replace(text("module {\n\xff"), hostileOps+"demo_kernel/reference/reference.mlir"), "not UTF-8 at line 2", hostileOps + "demo_kernel/reference/reference.mlir"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := onDisk(t, c.edit)
			r := reviewOnDisk(t, dir)
			if !hostile.Race {
				assert.Less(t, r.resident, int64(maxResident), "bytes of memory")
			}
			assert.Less(t, r.took, hostile.Allow(30*time.Second))
			if c.why == "" {
				assert.Contains(t, []int{0, 1}, r.status, r.out+r.err)
				return
			}
			require.Contains(t, r.out, "unread: "+c.path+":", r.err)
			_, line, _ := strings.Cut(r.out, "unread: "+c.path+":")
			line, _, _ = strings.Cut(line, "\n")
			assert.Contains(t, line, c.why)
			assert.Contains(t, []int{1, 2}, r.status, "the review is not clean")
			assert.NotContains(t, r.out, "No finding:")
			if name == "a folder" {
				return // lib.rs includes what is no file: an error, too
			}
			assert.NotContains(t, r.out, "error[", "nothing else is wrong with the sample")
			assert.Equal(t, 2, r.status)
		})
	}
}

// A file that its reader may not open is unread. The superuser may open all.
func TestReviewOfForbiddenFiles(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("run as the superuser, who may read everything")
	}
	for name, forbid := range map[string]string{"the file": hostileKernel, "its folder": filepath.Dir(hostileKernel)} {
		t.Run(name, func(t *testing.T) {
			dir := onDisk(t, func(t *testing.T, at func(string) string) {
				require.NoError(t, os.Chmod(at(forbid), 0))
				t.Cleanup(func() { _ = os.Chmod(at(forbid), 0o755) })
			})
			r := reviewOnDisk(t, dir)
			assert.Contains(t, r.out, "unread: "+hostileKernel+": permission denied")
			assert.Equal(t, 2, r.status)
		})
	}
}

// Names with line feeds and escapes stay data, in every format.
func TestReviewOfHostileNames(t *testing.T) {
	names := []string{"a\nb", "\x1b[31mred", "a\r::error::x", "<!-- x -->", "`id`", "日本", "a b", "%0a", strings.Repeat("n", 240)}
	dir := onDisk(t, func(t *testing.T, at func(string) string) {
		for _, n := range names {
			require.NoError(t, os.Mkdir(at(hostileOps+n+"_kernel"), 0o755))
			require.NoError(t, os.WriteFile(at(hostileOps+n+"_kernel/kernel.rs"), []byte("fn f( {\x00"), 0o644))
		}
	})
	for _, format := range []string{"text", "json", "sarif", "rdjson", "github", "markdown"} {
		r := reviewOnDisk(t, dir, "--format", format)
		assert.NotContains(t, r.out, "\x1b", format)
		assert.NotContains(t, r.out, "\r", format)
		assert.NotContains(t, r.out, "\na\n", format)
		assert.NotContains(t, r.out, "\n::error::x", format)
		assert.NotZero(t, r.status, format)
		assert.GreaterOrEqual(t, strings.Count(r.out, "NUL byte at line 1"), len(names), format)
	}
}

// A folder of very many files is looked at in bounded memory, or unread. All
// folders but the first are left to the long form: to make the files takes longer
// than to review them.
func TestReviewOfManyFiles(t *testing.T) {
	const generated = hostileOps + "demo_kernel/generated"
	for i, c := range []struct{ name, dir, ending, content, unread string }{
		{"in a kernel's folder", hostileOps + "demo_kernel", ".txt", "a\n", strings.TrimSuffix(hostileOps, "/")},
		{"sources beside it", hostileOps + "demo_kernel", ".rs", "fn f() {}\n", strings.TrimSuffix(hostileOps, "/")},
		{"dumps", generated, ".mlir", "module {}\n", generated},
		{"wrappers", hostileOps, ".py", "x = 1\n", strings.TrimSuffix(hostileOps, "/")},
		{"tests", "tests/ops", ".py", "x = 1\n", ""},
		{"anywhere in the tree", "more", ".rs", "fn f() {}\n", "."},
		{"nothing to do with it", "wiki", ".md", "a\n", ""},
	} {
		if i > 0 && os.Getenv("TILEGATE_LONG") == "" {
			return
		}
		t.Run(c.name, func(t *testing.T) {
			dir := onDisk(t, func(t *testing.T, at func(string) string) { fill(t, at(c.dir), c.ending, c.content) })
			r := reviewOnDisk(t, dir)
			t.Logf("%d MB, %s, exit status %d, %.300s", r.resident>>20, r.took, r.status, r.out)
			if !hostile.Race {
				assert.Less(t, r.resident, int64(maxResident), "bytes of memory")
			}
			assert.Less(t, r.took, hostile.Allow(60*time.Second))
			if c.unread == "" {
				assert.Zero(t, r.status)
				return
			}
			assert.Contains(t, r.out, "unread: "+c.unread+": more than ")
			assert.Equal(t, 2, r.status)
		})
	}
}

// fill makes 100,000 files of one content.
func fill(t *testing.T, dir, ending, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	var first string
	for i := range 100_000 {
		name := filepath.Join(dir, fmt.Sprintf("f%d%s", i, ending))
		if i%30_000 == 0 { // one file has a bounded number of names
			first = name
			require.NoError(t, os.WriteFile(first, []byte(content), 0o644))
			continue
		}
		require.NoError(t, os.Link(first, name)) // cheaper than a file of its own
	}
}
