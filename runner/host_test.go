package runner

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/tree"
)

func TestFindHostNamesWhatBringsAMissingTool(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := FindHost(t.Context(), os.Environ())
	assert.EqualError(t, err, "cargo not found: install Rust (rustup, or the package cargo)")
	var missing MissingTool
	assert.ErrorAs(t, err, &missing)

	_, err = findPython(t.Context(), []string{"TILEGATE_PYTHON=/nonexistent/python"})
	assert.ErrorContains(t, err, "/nonexistent/python")
	assert.ErrorContains(t, err, "pytest")
}

func TestFindToolkit(t *testing.T) {
	dir := t.TempDir()
	for _, header := range []string{"old/include/driver.h", "cuda/include/cuda.h", "cuda-13.2/targets/x86_64-linux/include/cuda.h"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, header)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, header), nil, 0o644))
	}
	usual := []string{filepath.Join(dir, "old"), filepath.Join(dir, "cuda"), filepath.Join(dir, "cuda-13*")}
	assert.Equal(t, filepath.Join(dir, "cuda"), findToolkit(nil, usual))
	assert.Equal(t, filepath.Join(dir, "cuda-13.2", "targets", "x86_64-linux"), findToolkit(nil, usual[2:]))
	assert.Empty(t, findToolkit(nil, usual[:1]))
	assert.Empty(t, findToolkit([]string{"CUDA_TOOLKIT_PATH=" + filepath.Join(dir, "old")}, usual), "what is named is meant")
	assert.Equal(t, filepath.Join(dir, "cuda"), findToolkit([]string{"CUDA_TOOLKIT_PATH=" + filepath.Join(dir, "cuda")}, nil))
}

// A build that finds no toolkit does not begin; one whose crates come from elsewhere
// is cargo's to judge.
func TestCanBuild(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"src/tilegym/ops/cutile_rs/a_kernel/kernel.rs":        "",
		"src/tilegym/ops/cutile_rs/cutile_kernels/Cargo.toml": "[dependencies]\ncutile = \"=0.2.0\"\n",
		"src/tilegym/ops/cutile_rs/cutile_kernels/src/lib.rs": "",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	w, err := InPlace(dir)
	require.NoError(t, err)
	var missing MissingTool
	err = Host{Environ: []string{"CUDA_TOOLKIT_PATH=/nonexistent/cuda"}}.CanBuild(w, []string{"a"})
	require.ErrorAs(t, err, &missing)
	assert.ErrorContains(t, err, "/nonexistent/cuda")
	assert.ErrorContains(t, Host{}.CanBuild(w, []string{"a"}), "(tried /usr/local/cuda, /usr/local/cuda-13*) not found: install the CUDA toolkit, ")
	assert.NoError(t, Host{Toolkit: "/opt/cuda"}.CanBuild(w, []string{"a"}))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".cargo"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".cargo", "config.toml"), nil, 0o644))
	assert.NoError(t, Host{}.CanBuild(w, []string{"a"}))
}

func TestFindPythonTakesTheFirstThatImportsPytest(t *testing.T) {
	dir := t.TempDir()
	script := func(name, body string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	}
	script("python3", "exit 1")
	script("python", "exit 0")
	t.Setenv("PATH", dir)
	found, err := findPython(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "python"), found)

	t.Chdir(dir)
	found, err = findPython(t.Context(), []string{"TILEGATE_PYTHON=./python"})
	require.NoError(t, err)
	assert.True(t, filepath.IsAbs(found), "a stage runs in another folder: %s", found)
}

func TestStageEnvironHidesTheWorkflow(t *testing.T) {
	h := Host{Environ: []string{
		"PATH=/bin", "GITHUB_TOKEN=secret", "GITHUB_OUTPUT=f", "ACTIONS_RUNTIME_TOKEN=secret", "INPUT_REQUEST={}",
		"PYTEST_ADDOPTS=-k nothing", "REP=1", "DISABLE_FALLBACK=0", "DISABLE_AUTOTUNE=1", "TILEGYM_DISABLE_AUTOTUNE=1", "CUDA_VISIBLE_DEVICES=0,1", "HOME=/h",
	}}
	env := h.stageEnviron("DISABLE_FALLBACK=1", "CUDA_VISIBLE_DEVICES=GPU-1")
	assert.Equal(t, []string{"PATH=/bin", "HOME=/h", "DISABLE_FALLBACK=1", "CUDA_VISIBLE_DEVICES=GPU-1"}, env)
}

func TestExecuteEndsTheWholeGroupAtTheLimit(t *testing.T) {
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	c := command{
		name: "slow", argv: []string{"sh", "-c", "sleep 600 & echo $! >" + pid + "; wait"},
		dir: dir, env: os.Environ(), limit: 200 * time.Millisecond, log: filepath.Join(dir, "log"),
	}
	done, err := c.execute(t.Context(), time.Now)
	require.NoError(t, err)
	assert.Equal(t, exitTimeout, done.ExitCode)
	child := readInt(t, pid)
	assert.Eventually(t, func() bool {
		stat, err := os.ReadFile(filepath.Join("/proc", child, "stat"))
		return err != nil || strings.Contains(string(stat), ") Z ")
	}, 10*time.Second, 10*time.Millisecond, "the child outlived its group")
	log, err := os.ReadFile(c.log)
	require.NoError(t, err)
	assert.Contains(t, string(log), "ended after its limit of 200ms")
}

func readInt(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.TrimSpace(string(text))
}

func TestExecuteExitCodes(t *testing.T) {
	for _, c := range []struct {
		name   string
		argv   []string
		exit   int
		output string
	}{
		{"success", []string{"sh", "-c", "echo out; echo err >&2"}, 0, "out\nerr\n"},
		{"failure", []string{"sh", "-c", "exit 5"}, 5, ""},
		{"signal", []string{"sh", "-c", "kill -SEGV $$"}, 128 + int(syscall.SIGSEGV), "ended by signal 11"},
		{"no such program", []string{"/nonexistent/program"}, 127, "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			log := filepath.Join(dir, "log")
			done, err := command{name: c.name, argv: c.argv, dir: dir, env: os.Environ(), limit: time.Minute, log: log}.execute(t.Context(), time.Now)
			require.NoError(t, err)
			assert.Equal(t, c.exit, done.ExitCode)
			text, err := os.ReadFile(log)
			require.NoError(t, err)
			assert.Contains(t, string(text), c.output)
		})
	}
}

func TestCappedFileKeepsHeadAndTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := newCappedFile(path)
	require.NoError(t, err)
	line := strings.Repeat("x", 1023) + "\n"
	_, err = f.Write([]byte("first\n"))
	require.NoError(t, err)
	for range 10 << 10 {
		_, err := f.Write([]byte(line))
		require.NoError(t, err)
	}
	_, err = f.Write([]byte("last\n"))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(text), "first\n"))
	assert.True(t, strings.HasSuffix(string(text), "last\n"))
	assert.Contains(t, string(text), "bytes left out]")
	assert.Less(t, len(text), logHead+logTail+100)
}

func TestParseSMI(t *testing.T) {
	row, err := parseSMI("GPU-5f3c, NVIDIA H200, 580.159.04, 9.0, 1980, 3201\n")
	require.NoError(t, err)
	assert.Equal(t, "GPU-5f3c", row.uuid)
	assert.Equal(t, "NVIDIA H200", row.identity.Name)
	assert.Equal(t, "9.0", row.identity.ComputeCapability)
	assert.Equal(t, 1980, row.identity.Clocks.SMMHz)
	assert.NotContains(t, row.identity.UUID, "5f3c")
	_, err = parseSMI("Failed to initialize NVML: Driver/library version mismatch\n")
	assert.ErrorContains(t, err, "version mismatch")
}

// field-report 82: the driver cannot be reached before any test.
func TestFindGPUWithoutAWorkingDriver(t *testing.T) {
	dir := t.TempDir()
	smi := filepath.Join(dir, "nvidia-smi")
	require.NoError(t, os.WriteFile(smi, []byte("#!/bin/sh\necho 'Failed to initialize NVML: Driver/library version mismatch'\nexit 18\n"), 0o755))
	_, err := findGPU(t.Context(), Host{SMI: smi})
	assert.ErrorContains(t, err, "Driver/library version mismatch")

	g, err := findGPU(t.Context(), Host{GPUDevice: true})
	require.NoError(t, err)
	assert.Empty(t, g.timing, "nothing is claimed without nvidia-smi")
	assert.Empty(t, g.identity.Name)

	g, err = findGPU(t.Context(), Host{})
	require.NoError(t, err)
	assert.Equal(t, "wall", g.timing)
	assert.Equal(t, "cpu", g.identity.Name)
	assert.NotEmpty(t, g.identity.Driver)
}

func TestHarnessSaysHowItTakesTimes(t *testing.T) {
	for text, want := range map[string]string{
		"TIMING = \"wall\"\n":             "wall",
		"import os\nTIMING = 'events'\n":  "events",
		"TIMING = 'sundial'\n":            "",
		"def f():\n    TIMING = 'wall'\n": "",
		"# TIMING = 'wall'\n":             "",
	} {
		tr, err := tree.Load(fstest.MapFS{
			"src/tilegym/ops/cutile_rs/a_kernel/kernel.rs": {Data: []byte("")},
			"tests/common.py": {Data: []byte(text)},
		}, nil)
		require.NoError(t, err)
		assert.Equal(t, want, harnessTiming(tr), text)
	}
}

func TestSelections(t *testing.T) {
	assert.Equal(t, "(cutile_rs or cutile-rs)", selects("cutile-rs"))
	assert.Equal(t, "cutile", selects("cutile"))
	assert.True(t, overlaps("cutile", "cutile-rs"))
	assert.False(t, overlaps("cutile-rs", "cutile"))
	assert.False(t, overlaps("triton", "cutile-rs"))
}
