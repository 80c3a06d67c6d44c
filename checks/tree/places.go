package tree

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// testsRoot is the folder of the tests of a suite, or of the ops of none.
func testsRoot(suite string) string {
	if suite == "" {
		return TestsRoot
	}
	return path.Join(SuiteTests, suite)
}

// referenceRoot is the folder of the reference ops of a suite, or of those of none.
func referenceRoot(suite string) string {
	if suite == "" {
		return ReferenceRoot
	}
	return path.Join(SuitesRoot, suite, "cutile")
}

// TestOf is the file with the tests of an op in this tree, whether the tree has a
// kernel for the op or not; empty when there is none.
func (t *Tree) TestOf(suite, name string) string { return t.below(testsRoot(suite), testName(name)) }

// ReferenceOf is the file with the reference of an op in this tree, whether the tree
// has a kernel for the op or not; empty when there is none. It has the op's name, or
// is the only one that registers the op for the reference's backend.
func (t *Tree) ReferenceOf(suite, name string) string {
	dir := referenceRoot(suite)
	if at := t.below(dir, name+".py"); at != "" {
		return at
	}
	found := ""
	for _, at := range t.Files(dir, func(p string) bool { return path.Ext(p) == ".py" }) {
		switch {
		case !t.implements(at, suite, name):
		case found != "":
			return "" // which of them is meant is not known
		default:
			found = at
		}
	}
	return found
}

// implements reports whether a file registers an op for the reference's backend, by
// its name alone or with that of its suite and a group before it.
func (t *Tree) implements(at, suite, name string) bool {
	src, err := t.read(at)
	if err != nil || !bytes.Contains(src, []byte("register_impl")) || !bytes.Contains(src, []byte(name)) {
		return false
	}
	for _, c := range t.File(at).Root().Find("call") {
		if syntax.PyName(c.Field("function")) != "register_impl" || syntax.PyString(syntax.PyArg(c, "backend", 1)) != "cutile" {
			continue
		}
		op := syntax.PyString(syntax.PyArg(c, "name", 0))
		if op == name || suite != "" && strings.HasPrefix(op, suite+".") && strings.HasSuffix(op, "."+name) {
			return true
		}
	}
	return false
}

func testName(op string) string { return "test_" + op + ".py" }

// below finds a file by its name in a folder or in those below it, where upstream
// has the ops of a family, such as activations. Of several the one nearest to the
// folder counts, then the first by path.
func (t *Tree) below(dir, name string) string {
	if at := t.ifExists(path.Join(dir, name)); at != "" {
		return at
	}
	return t.pythonBelow(dir)[name]
}

// pythonBelow maps the names of the Python files of a folder and of those below it to
// their paths. The folders are walked once.
func (t *Tree) pythonBelow(dir string) map[string]string {
	t.mu.Lock()
	known, ok := t.python[dir]
	t.mu.Unlock()
	if ok {
		return known
	}
	found := t.Files(dir, func(p string) bool { return path.Ext(p) == ".py" })
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")) })
	known = map[string]string{}
	for _, p := range found {
		if name := path.Base(p); known[name] == "" {
			known[name] = p
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.python[dir] = known
	return known
}

// TestPath is where the kernel's test stands, or would.
func (k *Kernel) TestPath() string {
	if k.Test != "" {
		return k.Test
	}
	return path.Join(testsRoot(k.Suite), testName(k.Name))
}

// NoTest says that the kernel has no test file, and where one is looked for.
func (k *Kernel) NoTest() string {
	return fmt.Sprintf("it has no test file; expected %s, or a file of that name in a folder below %s", k.TestPath(), testsRoot(k.Suite))
}
