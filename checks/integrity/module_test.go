package integrity

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/tree"
)

func treeOf(t *testing.T, files map[string]string) *tree.Tree {
	t.Helper()
	fsys := fstest.MapFS{}
	for p, text := range files {
		fsys[p] = &fstest.MapFile{Data: []byte(text)}
	}
	loaded, err := tree.Load(fsys, nil)
	require.ErrorIs(t, err, tree.ErrNoKernels)
	return loaded
}

// The order of Python's path finder.
func TestModuleFile(t *testing.T) {
	order := []string{
		"src/m/__init__.cpython-312-x86_64-linux-gnu.so", "src/m/__init__.py", "src/m/__init__.pyc",
		"src/m.abi3.so", "src/m.py", "src/m.pyc",
	}
	for i, want := range order {
		files := map[string]string{"src/m/other.py": "", "src/m.pyi": "", "src/m.pypy311-pp73.so": "", "src/m.x.py": "", "src/mm.py": ""}
		for _, p := range order[i:] {
			files[p] = ""
		}
		assert.Equal(t, want, newModules(treeOf(t, files)).file("src/m"))
	}
	m := newModules(treeOf(t, map[string]string{"src/m/other.py": "", "src/m.pyi": "", "src/m/m.so": ""}))
	assert.Empty(t, m.file("src/m"), "a folder without code")
	assert.Equal(t, "src/m/m.so", m.file("src/m/m"))
	assert.Empty(t, m.file("."))
}

func TestUncheckedBytecode(t *testing.T) {
	for flags, want := range map[string]string{
		"\x00": "", "\x03": "", "\x02": "",
		"\x01": "src/__pycache__/m.cpython-312.pyc",
	} {
		m := newModules(treeOf(t, map[string]string{"src/m.py": "", "src/__pycache__/m.cpython-312.pyc": "\xcb\r\r\n" + flags + "\x00\x00\x00hash"}))
		assert.Equal(t, want, m.unchecked("src/m.py"), "%q", flags)
		assert.Empty(t, m.unchecked("src/mm.py"))
	}
}

func TestOrigins(t *testing.T) {
	m := newModules(treeOf(t, map[string]string{
		"src/tilegym/__init__.py": `
from . import backend
from .backend import one as first
from .backend import two
from .backend import lost
from .backend import gone
from .backend import star
from .backend import late
import tilegym.a as other
from outside import far
`,
		"src/tilegym/backend/__init__.py": `
from ..a import one
try:
    from ..a import two
except ImportError:
    from ..b import two
from ..absent import gone
from ..a import *
late = one
def late(): pass
def _f():
    from ..b import one
    late = 2
`,
		"src/tilegym/a.py": "from .b import *\nfrom tilegym import circle\ndef one(): pass\ndef two(): pass\ndef star(): pass\n",
		"src/tilegym/b.py": "from .a import *\ndef two(): pass\n",
	}))
	a, b, init := "src/tilegym/a.py", "src/tilegym/b.py", "src/tilegym/backend/__init__.py"
	for name, want := range map[string][]origin{
		"first":   {{a, "one"}},
		"two":     {{a, "two"}, {b, "two"}},
		"gone":    {{"src/tilegym/absent", "gone"}},
		"star":    {{a, "star"}},
		"late":    {{init, "late"}},
		"backend": {{init, ""}},
		"other":   {{a, ""}},
		"far":     {{"outside", "far"}},
		"lost":    nil,
		"circle":  nil,
	} {
		assert.Equal(t, want, m.from("src/tilegym/__init__.py", name), name)
	}
}

// What is long or wide costs no more than it is long or wide.
func TestSelectionCost(t *testing.T) {
	wide := map[string]string{}
	for i := range 800 {
		wide[fmt.Sprintf("src/tilegym/backend/m%d.py", i)] = fmt.Sprintf("from .m%d import *\n", i+1)
		wide[fmt.Sprintf("src/tilegym/backend/__pycache__/m%d.cpython-312.pyc", i)] = "0123\x00\x00\x00\x00"
	}
	wide["src/tilegym/backend/m800.py"] = "def dispatch(): return 1\n"
	wide["src/tilegym/backend/dispatcher.py"] = strings.Repeat("if x:\n    from .m0 import dispatch\n", 20_000)
	wide["src/tilegym/backend/__init__.py"] = "from .dispatcher import dispatch\n"
	head, base := treeOf(t, wide), treeOf(t, map[string]string{
		"src/tilegym/backend/dispatcher.py": "def dispatch(): pass\n",
		"src/tilegym/backend/__init__.py":   "from .dispatcher import dispatch\n",
	})
	start := time.Now()
	found := Compare(head, base)
	assert.NotEmpty(t, found)
	assert.Less(t, time.Since(start), 20*time.Second)
}
