package runner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/tilegate/tilegate/checks/job"
)

// MissingTool says that a program which a stage needs is not installed.
type MissingTool struct {
	Tool    string
	Package string // what brings it
}

func (e MissingTool) Error() string {
	return fmt.Sprintf("%s not found: install %s", e.Tool, e.Package)
}

// Host is the machine that runs the stages.
type Host struct {
	Python string // interpreter that imports pytest
	Cargo  string
	Git    string // empty when absent; needed where a commit is named
	SMI    string // nvidia-smi; empty when absent
	// Toolkit is a folder with the CUDA toolkit's headers, which the crates of cutile
	// are built with; empty when there is none.
	Toolkit string
	// GPUDevice says that the machine shows a GPU device file.
	GPUDevice bool
	Runner    job.Runner
	Environ   []string // of the runner itself; the stages see a part of it
}

// FindHost looks up the tools. TILEGATE_PYTHON overrides the interpreter;
// otherwise it is the first of python3 and python that imports pytest. The error
// is a MissingTool.
func FindHost(ctx context.Context, environ []string) (Host, error) {
	h := Host{Environ: environ, Runner: job.Runner{Name: lookup(environ, "RUNNER_NAME"), OS: "Linux", Arch: "X64"}}
	if h.Runner.Name == "" {
		h.Runner.Name, _ = os.Hostname()
	}
	if v := lookup(environ, "RUNNER_OS"); v != "" {
		h.Runner.OS = v
	}
	if v := lookup(environ, "RUNNER_ARCH"); v != "" {
		h.Runner.Arch = v
	}
	var err error
	if h.Cargo, err = exec.LookPath("cargo"); err != nil {
		return Host{}, MissingTool{"cargo", "Rust (rustup, or the package cargo)"}
	}
	h.Git, _ = exec.LookPath("git")
	h.SMI, _ = exec.LookPath("nvidia-smi")
	devices, _ := filepath.Glob("/dev/nvidia[0-9]*")
	h.GPUDevice = len(devices) > 0
	h.Toolkit = findToolkit(environ, toolkitPlaces)
	h.Python, err = findPython(ctx, environ)
	return h, err
}

// toolkitPlaces are where a CUDA toolkit lies unless CUDA_TOOLKIT_PATH names another
// folder. The first is the one that TileGym's own build takes.
var toolkitPlaces = []string{"/usr/local/cuda", "/usr/local/cuda-13*"}

// findToolkit is the folder that CUDA_TOOLKIT_PATH names, else the first of the usual
// places, if it holds the headers; else empty.
func findToolkit(environ, places []string) string {
	if named := lookup(environ, toolkitVariable); named != "" {
		places = []string{named}
	}
	for _, place := range places {
		// In the toolkit's own layout, or in that of its packages for other platforms.
		for _, header := range []string{"include/cuda.h", "targets/*/include/cuda.h"} {
			if found, _ := filepath.Glob(filepath.Join(place, header)); len(found) > 0 {
				return strings.TrimSuffix(strings.SplitN(found[0], "/include/", 2)[0], "/")
			}
		}
	}
	return ""
}

const toolkitVariable = "CUDA_TOOLKIT_PATH"

// CanBuild is a MissingTool where a crate of the kernels needs the CUDA toolkit and
// the host has none. Where cargo's configuration in the checkout may take the crates
// from elsewhere only cargo knows what they need.
func (h Host) CanBuild(w *Workspace, kernels []string) error {
	if h.Toolkit != "" {
		return nil
	}
	for _, name := range kernels {
		k := w.Tree.Kernel(name)
		if k == nil || k.Crate.Dir == "" || configuresCargo(w, k.Crate.Dir) {
			continue
		}
		tried := strings.Join(toolkitPlaces, ", ")
		if named := lookup(h.Environ, toolkitVariable); named != "" {
			tried = named + ", which " + toolkitVariable + " names"
		}
		return MissingTool{"include/cuda.h of the CUDA toolkit, which cutile is built with (tried " + tried + ")", "the CUDA toolkit, and name its folder with " + toolkitVariable}
	}
	return nil
}

// configuresCargo reports whether cargo finds a configuration in a folder of the
// checkout, or above it in the checkout.
func configuresCargo(w *Workspace, dir string) bool {
	for {
		for _, name := range []string{"config.toml", "config"} {
			if _, err := os.Stat(filepath.Join(w.Root, filepath.FromSlash(dir), ".cargo", name)); err == nil {
				return true
			}
		}
		if dir == "." {
			return false
		}
		dir = path.Dir(dir)
	}
}

func findPython(ctx context.Context, environ []string) (string, error) {
	candidates := []string{"python3", "python"}
	if v := lookup(environ, "TILEGATE_PYTHON"); v != "" {
		candidates = []string{v}
	}
	for _, name := range candidates {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		// The stages run in other folders.
		if path, err = filepath.Abs(path); err != nil {
			return "", err
		}
		limited, cancel := context.WithTimeout(ctx, time.Minute)
		cmd := exec.CommandContext(limited, path, "-c", "import pytest")
		cmd.Env = environ
		err = cmd.Run()
		cancel()
		if err == nil {
			return path, nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
	}
	return "", MissingTool{
		"a Python that imports pytest (tried " + strings.Join(candidates, ", ") + ")",
		"pytest (the package python3-pytest, or python3 -m pip install pytest in a virtual environment named by TILEGATE_PYTHON)",
	}
}

// stageEnviron is what the code under test sees: the host's environment without
// the workflow's tokens, command files and inputs, and without anything that
// changes what pytest or the wrappers do.
func (h Host) stageEnviron(more ...string) []string {
	dropped := func(name string) bool {
		for _, prefix := range []string{"GITHUB_", "ACTIONS_", "RUNNER_", "INPUT_", "TILEGATE_", "PYTEST_"} {
			if strings.HasPrefix(name, prefix) {
				return true
			}
		}
		switch name {
		case "GH_TOKEN", "CUTILE_RS_KERNELS_DIR", "CUTILE_RS_AUTOBUILD", "CUTILE_TUTORIALS_BACKEND",
			"DISABLE_FALLBACK", "DISABLE_AUTOTUNE", "TILEGYM_DISABLE_AUTOTUNE", "CUPTI", "CUDAGRAPH", "WARMUP", "REP", "MIN_REP",
			"INITIAL_REP", "SEED", "PARAMS", "MODE", "CSV", "CONFIG":
			return true
		}
		for _, m := range more {
			if strings.HasPrefix(m, name+"=") {
				return true
			}
		}
		return false
	}
	var env []string
	for _, entry := range h.Environ {
		if name, _, _ := strings.Cut(entry, "="); !dropped(name) {
			env = append(env, entry)
		}
	}
	return append(env, more...)
}

func lookup(environ []string, name string) string {
	for _, entry := range environ {
		if n, v, ok := strings.Cut(entry, "="); ok && n == name {
			return v
		}
	}
	return ""
}
