package trust

import (
	"path"
	"sort"
	"strings"
)

// Control says why a changed path steers the build or the test run itself.
type Control struct {
	Path string
	// Class is what kind of control it is, such as "build script".
	Class string
}

// ControlPlane returns those of the changed paths (a rename counts with both)
// whose code runs while the change is built, collected or tested, or that
// decide how it is. They are listed for the person who approves a commit, since
// they can do harm before any kernel is launched. The list is sorted.
func ControlPlane(paths []string) []Control {
	var controls []Control
	seen := map[string]bool{}
	for _, p := range paths {
		if class := controlClass(p); class != "" && !seen[p] {
			seen[p] = true
			controls = append(controls, Control{Path: p, Class: class})
		}
	}
	sort.Slice(controls, func(i, j int) bool { return controls[i].Path < controls[j].Path })
	return controls
}

func controlClass(file string) string {
	base := strings.ToLower(path.Base(file))
	switch lower := strings.ToLower(file); {
	case strings.HasPrefix(lower, ".github/workflows/"), strings.HasPrefix(lower, ".github/actions/"),
		base == "action.yml", base == "action.yaml":
		return "workflow"
	case strings.HasPrefix(lower, ".github/tilegym."):
		return "gate configuration"
	case strings.HasPrefix(lower, ".github/"):
		return "repository automation"
	case base == ".gitattributes", base == ".gitmodules":
		return "checkout"
	case base == "build.rs":
		return "build script"
	case base == "cargo.toml", base == "cargo.lock", base == "rust-toolchain", base == "rust-toolchain.toml",
		strings.HasPrefix(lower, ".cargo/"), strings.Contains(lower, "/.cargo/"):
		return "Rust build"
	case inProcMacro(lower):
		return "procedural macro"
	case base == "conftest.py", base == "pytest.ini", base == "tox.ini", base == "setup.cfg", base == ".pytest.ini", base == "pytest.toml":
		return "test harness"
	case base == "sitecustomize.py", base == "usercustomize.py", strings.HasSuffix(base, ".pth"):
		return "interpreter start"
	case base == "setup.py", base == "pyproject.toml", base == "uv.lock", base == "pipfile", base == "pipfile.lock",
		strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt"):
		return "Python packaging"
	case strings.HasPrefix(base, "dockerfile"), strings.HasSuffix(base, ".dockerfile"), base == "makefile", base == "cmakelists.txt",
		strings.HasSuffix(base, ".sh"), base == "justfile":
		return "build environment"
	}
	return ""
}

// inProcMacro recognises a procedural macro's crate by its folder, as Rust
// projects name it; the source is not at hand here.
func inProcMacro(file string) bool {
	if !strings.HasSuffix(file, ".rs") {
		return false
	}
	for _, part := range strings.Split(path.Dir(file), "/") {
		part = strings.ReplaceAll(part, "_", "-")
		if part == "proc-macro" || part == "proc-macros" || part == "macros" || strings.HasSuffix(part, "-macro") ||
			strings.HasSuffix(part, "-macros") || strings.HasSuffix(part, "-derive") {
			return true
		}
	}
	return false
}
