package integrity_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tilegate/tilegate/checks/integrity"
)

// What is held by a list or by the module is changed where it is held.
func TestWhatIsChangedWhereItIsHeld(t *testing.T) {
	const module = "import torch\nimport pytest\nX = torch.randn(4)\n\n@def test_a():\n#    torch.testing.assert_close(f(X), g(X))\n"
	const list = "import torch\n\n@def test_a():\n    l = [torch.randn(4), torch.randn(4)]\n#    torch.testing.assert_close(f(l[0]), g(l[0]))\n"
	for name, c := range map[string]struct{ source, before, call string }{
		"of the module, by a helper":   {module, "def zero():\n    X.zero_()\n\n", "    zero()\n"},
		"of the module, by an alias":   {module, "def zero(t):\n    t.zero_()\n\n", "    zero(X)\n"},
		"of the module, by its name":   {module, "", "    X.zero_()\n"},
		"of the module, by a fixture":  {module, "@pytest.fixture(autouse=True)\ndef zero():\n    X.zero_()\n\n", ""},
		"of the module, used by name":  {module, "@pytest.fixture\ndef zero():\n    X.zero_()\n\n@pytest.mark.usefixtures('zero')\n", ""},
		"of the module, and returns":   {module, "def zero(a):\n    if a:\n        X.zero_()\n        return\n\n", "    zero(h())\n"},
		"of a list, by a helper":       {list, "def zero(l):\n    for t in l:\n        t.zero_()\n\n", "    zero(l)\n"},
		"of a list, by the test":       {list, "", "    for t in l:\n        t.zero_()\n"},
		"of a list in a list":          {list, "def zero(l):\n    l[0][0].zero_()\n\n", "    zero([l])\n"},
		"of a list, by another name":   {list, "", "    m = l\n    m[0].zero_()\n"},
		"of a list, by a name that it": {list, "", "    a, b = l\n    a.zero_()\n"},
	} {
		t.Run(name, func(t *testing.T) {
			source := func(before, call string) string {
				return strings.NewReplacer("@", before, "#", call).Replace(c.source)
			}
			found := compare(t, source("", ""), source(c.before, c.call))
			assert.NotEmpty(t, warned(found, integrity.Inputs), "no input that is another is told of in\n%s", source(c.before, c.call))
			same := source(c.before, c.call)
			assert.Empty(t, compare(t, same, same+"\ndef test_b():\n    assert f(X) < 1\n"), "a test more")
		})
	}
}

// A fixture that a test names by a mark has parameters as one that it asks for.
func TestParametersOfFixturesUsedByName(t *testing.T) {
	const fixture = "import pytest\n@pytest.fixture(params=[1, 2])\ndef n(request):\n    setup(request.param)\n\n"
	for name, source := range map[string]string{
		"of the test":   fixture + "@pytest.mark.usefixtures('n')\ndef test_a(x):\n    assert f(x) < 1\n",
		"of the class":  fixture + "@pytest.mark.usefixtures('n')\nclass Test_A:\n    def test_a(self, x):\n        assert f(x) < 1\n",
		"of the module": fixture + "pytestmark = [pytest.mark.usefixtures('n')]\ndef test_a(x):\n    assert f(x) < 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			assert.NotEmpty(t, warned(compare(t, source, strings.Replace(source, "[1, 2]", "[1]", 1)), integrity.Cases))
			assert.Empty(t, warned(compare(t, source, strings.Replace(source, "[1, 2]", "[1, 2, 3]", 1)), integrity.Cases))
		})
	}
}

// What is loosened for the reference, too, is not told as peculiar to the new backend.
func TestArrivalIsUnlikeTheReference(t *testing.T) {
	const source = "import pytest\n@pytest.mark.parametrize('backend', [#])\ndef test_a(x, backend):\n    tol = 1e-5\n    assert f(x, backend) < tol\n"
	base := strings.Replace(source, "#", "'cutile'", 1)
	head := strings.Replace(source, "#", "'cutile', 'cutile-rs'", 1)
	for name, c := range map[string]struct {
		from, to string
		unlike   int
	}{
		"both looser":                          {"tol = 1e-5", "tol = 1e-2", 0},
		"both unchecked":                       {"assert f(x, backend) < tol", "print(f(x, backend))", 0},
		"the new one is looser":                {"< tol", "< (1e-2 if backend == 'cutile-rs' else tol)", 1},
		"the new one is looser than the other": {"< tol", "< (1e-2 if backend == 'cutile-rs' else 1e-3)", 1},
	} {
		t.Run(name, func(t *testing.T) {
			found := compare(t, base, strings.Replace(head, c.from, c.to, 1))
			n := 0
			for _, f := range found {
				if strings.Contains(f.Message, "unlike") {
					n++
				}
			}
			assert.NotEmpty(t, found)
			assert.Equal(t, c.unlike, n)
		})
	}
}

// A step of another function still runs behind a return, whatever it looks like.
func TestWhatStillRunsIsCompared(t *testing.T) {
	base := "def helper(x):\n    assert f(x) < 1\n\ndef test_a(x):\n    helper(x)\n    print(x)\n    assert f(x) < 1\n"
	head := strings.Replace(strings.Replace(base, "< 1", "< 2", 1), "print(x)", "return", 1)
	found := compare(t, base, head)
	assert.NotEmpty(t, warned(found, integrity.Tolerance), "the helper's limit")
	assert.Contains(t, strings.Join(warned(found, integrity.Checks), "\n"), "ends `test_a` before `assert f(x)<1`, which ran before")
}

// The place of a change is found in a time that grows as the file does.
func TestPlaceOfAChangeCost(t *testing.T) {
	source := "import pytest\nX = '''" + strings.Repeat("\n", 200_000) + "'''\nB = #\n@pytest.mark.parametrize('backend', B if X + other() else [])\ndef test_a(backend):\n    assert f(backend) < 1\n"
	base, head := strings.Replace(source, "#", "['cutile', 'cutile-rs']", 1), strings.Replace(source, "#", "['cutile']", 1)
	start := time.Now()
	assert.NotEmpty(t, compare(t, base, head))
	assert.Less(t, time.Since(start), 5*time.Second)
}
