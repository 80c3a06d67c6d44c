package integrity_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"

	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/tree"
)

// A class is the one that its file and its bases make it, whatever its name is.
func TestClassesAreNotTheirNames(t *testing.T) {
	for name, c := range map[string]struct{ source, from, to string }{
		"a base in Python's order": {
			"class O:\n    tol = 1e-1\nclass A(O):\n    pass\nclass B(O):\n    tol = 1e-5\nclass Test_A(A, B):\n    def test_a(self, x):\n        assert f(x) < self.tol\n",
			"tol = 1e-5", "tol = 1e-2",
		},
		"an attribute that the test's class has": {
			"class Own:\n    tol = 1e-5\n    def check(self, x):\n        assert f(x) < self.tol\nclass Test_A(Own):\n    other = 1\n    def test_a(self, x):\n        self.check(x)\n",
			"other = 1", "tol = 1e-1",
		},
		"super in Python's order": {
			"class O:\n    def limit(self):\n        return 1e-5\nclass A(O):\n    def limit(self):\n        return super().limit()\nclass B(O):\n    def limit(self):\n        return 1e-5\nclass Test_A(A, B):\n    def test_a(self, x):\n        assert f(x) < self.limit()\n",
			"class B(O):\n    def limit(self):\n        return 1e-5", "class B(O):\n    def limit(self):\n        return 1e-1",
		},
		"a limit that the setup stores": {
			"class Test_A:\n    tol = 1e-5\n    def setup_method(self):\n        self.other = 1\n    def test_a(self, x):\n        assert f(x) < self.tol\n",
			"self.other", "self.tol",
		},
		"a limit that is stored for a method": {
			"class Test_A:\n    tol = 1e-5\n    def check(self, x):\n        assert f(x) < self.tol\n    def test_a(self, x):\n        self.other = 1\n        self.check(x)\n",
			"self.other", "self.tol",
		},
		"a limit that a method stores": {
			"class Test_A:\n    tol = 1e-5\n    def loosen(self, x):\n        if x:\n            self.other = 1\n            return\n    def test_a(self, x):\n        self.loosen(x)\n        assert f(x) < self.tol\n",
			"self.other", "self.tol",
		},
		"a fixture of a base": {
			"import pytest\nclass Own:\n    tol = 1e-5\n    @pytest.fixture(autouse=True)\n    def prepare(self):\n        self.other = 1\nclass Test_A(Own):\n    def test_a(self, x):\n        assert f(x) < self.tol\n",
			"self.other", "self.tol",
		},
		"another class of the same name": {
			"class L:\n    tol = 1e-1\nold = L\nclass L:\n    tol = 1e-5\ndef test_a(x):\n    assert f(x) < L.tol\n",
			"< L.tol", "< old.tol",
		},
		"a class of the same name in a function": {
			"class L:\n    tol = 1e-5\ndef other():\n    class L:\n        tol = 1e-5\n    return L\ndef test_a(x):\n    assert f(x) < other().tol\n",
			"        tol = 1e-5", "        tol = 1e-1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			head := strings.Replace(c.source, c.from, c.to, 1)
			assert.NotEmpty(t, warned(compare(t, c.source, head), integrity.Tolerance), head)
			assert.Empty(t, warned(compare(t, head, c.source), integrity.Tolerance), "the other way")
		})
	}
}

// An exception of the file is what its bases make it.
func TestExceptionsOfTheFile(t *testing.T) {
	for name, c := range map[string]struct {
		class string
		told  bool
	}{
		"no Exception":               {"class Stop(BaseException):\n    pass\n", true},
		"pytest's, by another name":  {"import pytest\nS = pytest.skip.Exception\nclass Stop(S):\n    pass\n", true},
		"of a class of the file":     {"class Own(BaseException):\n    pass\nclass Stop(Own):\n    pass\n", true},
		"an exception":               {"class Stop(ValueError):\n    pass\n", false},
		"an exception of the file's": {"class Own(ValueError):\n    pass\nclass Stop(Own):\n    pass\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			source := c.class + "\ndef test_a(x):\n    try:\n        y = f(x)\n    except #:\n        return\n    assert y < 1\n"
			found := compare(t, strings.Replace(source, "#", "Exception", 1), strings.Replace(source, "#", "Stop", 1))
			assert.Equal(t, c.told, len(warned(found, integrity.Checks)) > 0)
		})
	}
}

// A class of a file of helpers is that file's, whatever the test's file calls its own.
func TestClassesOfHelpers(t *testing.T) {
	side := func(test string) *tree.Tree {
		files := ruletest.Base()
		files["tests/helpers.py"] = &fstest.MapFile{Data: []byte("class Limits:\n    tol = 1e-1\n\ndef check(x):\n    assert f(x) < Limits.tol\n")}
		files[demo] = &fstest.MapFile{Data: []byte(test)}
		return load(t, files)
	}
	const own = "class Limits:\n    tol = 1e-5\n\n"
	base := side("from tests.helpers import other\n" + own + "def test_a(x):\n    assert f(x) < 1e-5\n")
	head := side("from tests.helpers import check\n" + own + "def test_a(x):\n    check(x)\n")
	assert.NotEmpty(t, warned(integrity.Compare(head, base), integrity.Tolerance))
	assert.Empty(t, warned(integrity.Compare(base, head), integrity.Tolerance), "the other way")
}
