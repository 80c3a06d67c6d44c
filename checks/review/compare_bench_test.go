package review_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/testdata"
)

// The benchmarks of this file compare whole processes, in turn, and report the
// medians of the pairs. They build the command, so they need Go.

// BenchmarkAstGrep compares a review of an upstream checkout with ast-grep that
// looks for as many patterns in the files that the review reads:
//
//	tilegate-ms, ast-grep-ms  processor time of each
//	ratio, cpu-ratio          tilegate against ast-grep: real and processor time
func BenchmarkAstGrep(b *testing.B) {
	dir, grep := os.Getenv("TILEGYM_DIR"), os.Getenv("AST_GREP")
	if dir == "" || grep == "" {
		b.Skip("expected TILEGYM_DIR, a TileGym checkout, and AST_GREP, the program of the npm package @ast-grep/cli")
	}
	seen := &recorder{FS: os.DirFS(dir), paths: map[string]bool{}}
	_, err := review.Run(context.Background(), review.Options{Head: seen, Rules: all.Rules})
	require.NoError(b, err)
	patterns := filepath.Join(b.TempDir(), "patterns.yml")
	require.NoError(b, os.WriteFile(patterns, patternFile(b, all.Rules), 0o644))
	args := []string{"scan", "--rule", patterns, "--report-style", "short"}
	for _, p := range slices.Sorted(maps.Keys(seen.paths)) {
		if p = filepath.Join(dir, p); exists(p) {
			args = append(args, p)
		}
	}
	tilegate := build(b)

	var own, other, wall, cpu []float64
	for b.Loop() {
		a := process(b, "", nil, tilegate, "review", dir)
		c := process(b, "", nil, grep, args...)
		own, other = append(own, a.cpu.Seconds()), append(other, c.cpu.Seconds())
		wall, cpu = append(wall, a.wall.Seconds()/c.wall.Seconds()), append(cpu, a.cpu.Seconds()/c.cpu.Seconds())
	}
	b.ReportMetric(1000*median(own), "tilegate-ms")
	b.ReportMetric(1000*median(other), "ast-grep-ms")
	b.ReportMetric(median(wall), "ratio")
	b.ReportMetric(median(cpu), "cpu-ratio")
}

// patternFile is one pattern of ast-grep for each rule, in the language that the
// rule looks at: calls of the functions that the sample repository calls. An
// argument keeps them from matching anything, which would have to be printed.
func patternFile(tb testing.TB, list []*rules.Rule) []byte {
	calls := map[syntax.Lang]map[string]bool{syntax.Rust: {}, syntax.Python: {}}
	require.NoError(tb, fs.WalkDir(testdata.TilegymMini, ".", func(p string, d fs.DirEntry, err error) error {
		lang := map[string]syntax.Lang{".rs": syntax.Rust, ".py": syntax.Python}[filepath.Ext(p)]
		if err != nil || lang == 0 {
			return err
		}
		src, err := fs.ReadFile(testdata.TilegymMini, p)
		for _, c := range syntax.Parse(p, lang, src).Root().Find("call_expression", "call") {
			if name := syntax.PyDotted(c.Field("function")); name != "" {
				calls[lang][name] = true
			}
		}
		return err
	}))
	next := map[syntax.Lang][]string{}
	for lang, names := range calls {
		next[lang] = slices.Sorted(maps.Keys(names))
	}
	var out bytes.Buffer
	for _, r := range list {
		lang := syntax.Python
		if r.Owner == "kernel" {
			lang = syntax.Rust
		}
		require.NotEmpty(tb, next[lang], "the sample calls too few functions in %v", lang)
		name := next[lang][0]
		next[lang] = next[lang][1:]
		fmt.Fprintf(&out, "id: %s\nlanguage: %v\nseverity: warning\nmessage: found\nrule:\n  pattern: %s($$$ARGS, never_an_argument)\n---\n", r.ID, lang, name)
	}
	return out.Bytes()
}

// BenchmarkValidators compares a review of a checkout whose kernels have all
// artifacts with upstream's shell scripts that validate those, each run for each
// kernel. Left out are those for reports that only a failed port has. It reports
// the time for one kernel:
//
//	tilegate-ms, scripts-ms  real time of each
//	ratio, cpu-ratio         scripts against tilegate: real and processor time
func BenchmarkValidators(b *testing.B) {
	dir := os.Getenv("TILEGYM_DIR")
	if dir == "" {
		b.Skip("TILEGYM_DIR is unset: it names a TileGym checkout with its skills")
	}
	scripts := filepath.Join(dir, "skills/tilegym-converting-cutile-triton-to-cutile-rs/scripts")
	checkout := b.TempDir()
	for _, p := range []string{"src", "tests"} {
		require.NoError(b, os.CopyFS(filepath.Join(checkout, p), os.DirFS(filepath.Join(dir, p))))
	}
	require.NoError(b, os.Mkdir(filepath.Join(checkout, ".agents"), 0o755))
	require.NoError(b, os.Symlink(filepath.Join(dir, "skills"), filepath.Join(checkout, ".agents/skills"))) // where the scripts find each other
	loaded, err := tree.Load(os.DirFS(checkout), nil)
	require.NoError(b, err)
	artifacts, err := txtar.ParseFile("../rules/s02/testdata/near_complete.txtar")
	require.NoError(b, err)
	// Each kernel gets what the fixture has for its kernel demo.
	const demo = tree.OpsRoot + "/demo_kernel/"
	var names []string
	root := b.TempDir() // a folder for each kernel, as the scripts want it
	for _, k := range loaded.Kernels {
		names = append(names, k.Name)
		for _, f := range artifacts.Files {
			at := filepath.Join(checkout, k.Dir, strings.TrimPrefix(f.Name, demo))
			require.NoError(b, os.MkdirAll(filepath.Dir(at), 0o755))
			require.NoError(b, os.WriteFile(at, bytes.ReplaceAll(f.Data, []byte("demo"), []byte(k.Name)), 0o644))
		}
		require.NoError(b, os.Symlink(filepath.Join(checkout, k.Dir), filepath.Join(root, k.Name)))
	}
	env := append(os.Environ(), "CUTILE_KERNEL_OUT_ROOT="+root, "CUTILE_RS_ROOT="+checkout, "TILEGYM_PATH="+checkout)
	tilegate := build(b)

	var own, other, wall, cpu []float64
	each := float64(len(names))
	for b.Loop() {
		a := process(b, "", nil, tilegate, "review", checkout)
		var c cost
		for _, k := range names {
			base := filepath.Join(root, k)
			for _, args := range [][]string{
				{"validate_analysis.sh", k}, {"validate_agent_b.sh", k}, {"validate_agent_d.sh", k}, {"validate_agent_e.sh", k},
				{"validate_entry_pattern.sh", k}, {"validate_kernel.sh", k},
				{"validate_ir.sh", base + "/reference/reference.mlir", k}, {"validate_ir.sh", base + "/generated/generated.mlir", k},
				{"validate_perf_log.sh", base + "/perf_cutile_rs.txt"}, {"validate_perf_log.sh", base + "/baseline_perf_cutile.txt"},
			} {
				one := process(b, scripts, env, "bash", args...)
				c.wall, c.cpu = c.wall+one.wall, c.cpu+one.cpu
			}
		}
		own, other = append(own, a.wall.Seconds()/each), append(other, c.wall.Seconds()/each)
		wall, cpu = append(wall, c.wall.Seconds()/a.wall.Seconds()), append(cpu, c.cpu.Seconds()/a.cpu.Seconds())
	}
	b.ReportMetric(1000*median(own), "tilegate-ms")
	b.ReportMetric(1000*median(other), "scripts-ms")
	b.ReportMetric(median(wall), "ratio")
	b.ReportMetric(median(cpu), "cpu-ratio")
}

// build builds the command.
func build(tb testing.TB) string {
	out := filepath.Join(tb.TempDir(), "tilegate")
	cmd := exec.Command("go", "build", "-o", out, "../../cmd/tilegate")
	text, err := cmd.CombinedOutput()
	require.NoError(tb, err, "%s", text)
	return out
}

// process runs a program to its end; an exit status that says that something
// was found is fine.
func process(tb testing.TB, dir string, env []string, name string, args ...string) cost {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if status := cmd.ProcessState.ExitCode(); status != 0 && status != 1 {
		require.NoError(tb, err, "%s", stderr.Bytes())
	}
	return cost{wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
}

func exists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}
