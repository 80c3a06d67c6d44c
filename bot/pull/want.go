package pull

import (
	"path"
	"strings"
)

// Wanted is the default choice of the files of a tree that a review reads:
// sources everywhere, documents and data only where kernels and their tests
// are, and the files at the root that set up the build and the gate.
func Wanted(file string) bool {
	if !strings.Contains(file, "/") {
		switch path.Base(file) {
		case "pytest.ini", "setup.cfg", "tox.ini", "rust-toolchain", "requirements.txt":
			return true
		}
	}
	switch path.Ext(file) {
	case ".rs", ".py", ".toml", ".mlir":
		return true
	case ".json", ".md", ".txt", ".lock", ".log":
		return strings.HasPrefix(file, "src/") || strings.HasPrefix(file, "tests/") || strings.Contains(file, "_kernel/")
	case ".yml", ".yaml":
		return strings.HasPrefix(file, ".github/")
	}
	return false
}
