package integrity_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tilegate/tilegate/checks/integrity"
)

// Two ways to write the same test, of which neither is weaker.
func TestSpellingsOfOneTest(t *testing.T) {
	const imports = "import functools\nimport operator\nimport pytest\nimport tilegym\nimport torch\nfrom tilegym.backend import is_backend_available\n\n"
	for name, c := range map[string]struct{ base, head string }{
		"a mark that no test carries": {
			"def test_a(x):\n    assert x < 1\n",
			"LATER = pytest.mark.xfail(reason='r')\nclass Marks:\n    skip = pytest.mark.skip('r')\n\ndef test_a(x):\n    assert x < 1\n",
		},
		"a narrower handler that returns": {
			"def test_a(x):\n    try:\n        y = f(x)\n    except Exception:\n        return\n    assert y < 1\n",
			"def test_a(x):\n    try:\n        y = f(x)\n    except (KeyError, MyError):\n        return\n    assert y < 1\n",
		},
		"a narrower handler that swallows": {
			"def test_a(x):\n    try:\n        assert f(x) < 1\n    except (ValueError, OSError):\n        pass\n",
			"def test_a(x):\n    try:\n        assert f(x) < 1\n    except FileNotFoundError:\n        pass\n",
		},
		"sequences in sequences": {
			"def test_a(x, y):\n    torch.testing.assert_close(x.a, y.a, rtol=1e-3, atol=1e-3)\n    torch.testing.assert_close(x.b, y.b, rtol=1e-3, atol=1e-3)\n",
			"def test_a(x, y):\n    torch.testing.assert_close([(x.a, x.b)], [(y.a, y.b)], rtol=1e-3, atol=1e-3)\n",
		},
		"partial of a comparison": {
			"def test_a(x, y):\n    torch.testing.assert_close(x, y, rtol=1e-3, atol=1e-3)\n",
			"close = functools.partial(torch.testing.assert_close, rtol=1e-3, atol=1e-3)\n\ndef test_a(x, y):\n    close(x, y)\n",
		},
		"a choice that is a match": {
			"def test_a(x, kind):\n    if kind == 'a' or kind == 'b':\n        y = 1\n    elif kind is None and x > 2:\n        y = 2\n    else:\n        y = 3\n    assert x < y\n",
			"def test_a(x, kind):\n    match kind:\n        case 'a' | 'b':\n            y = 1\n        case None if x > 2:\n            y = 2\n        case other:\n            y = 3\n    assert x < y\n",
		},
		"a change under a condition in a helper": {
			"def test_a(flag):\n    x = torch.randn(4)\n    if flag:\n        x.mul_(2)\n    else:\n        x.add_(1)\n    torch.testing.assert_close(f(x), g(x))\n",
			"def change(t, flag):\n    if flag:\n        t.mul_(2)\n    else:\n        t.add_(1)\n\ndef test_a(flag):\n    x = torch.randn(4)\n    change(x, flag)\n    torch.testing.assert_close(f(x), g(x))\n",
		},
		"tensors of one value": {
			"def test_a():\n    a = torch.zeros(4)\n    a.fill_(1)\n    b = torch.zeros(4)\n    torch.testing.assert_close(f(a), g(b))\n",
			"def test_a():\n    b = torch.zeros(4)\n    a = torch.zeros(4)\n    a.fill_(1)\n    torch.testing.assert_close(f(a), g(b))\n",
		},
		"sizes that are counted": {
			"def test_a(n):\n    m = n * 2\n    torch.testing.assert_close(f(n), g(m))\n",
			"def test_a(n):\n    m = n\n    m *= 2\n    torch.testing.assert_close(f(n), g(m))\n",
		},
		"super of two classes": {
			"class Test_A(common.PyTestCase):\n    def test_a(self, x, y):\n        self.assertAllClose(x, y, rtol=1e-3)\n",
			"class Own(common.PyTestCase):\n    def assertAllClose(self, *args, **kwargs):\n        super().assertAllClose(*args, **kwargs)\n\nclass Test_A(Own):\n    def assertAllClose(self, *args, **kwargs):\n        super().assertAllClose(*args, **kwargs)\n\n    def test_a(self, x, y):\n        self.assertAllClose(x, y, rtol=1e-3)\n",
		},
		"a fixture of a fixture": {
			"@pytest.mark.parametrize('n', [1, 2])\ndef test_a(n):\n    assert f(n) < 1\n",
			"@pytest.fixture(params=[1, pytest.param(2, id='two')])\ndef n(request):\n    return request.param\n\n@pytest.fixture\ndef made(n):\n    return f(n)\n\ndef test_a(made):\n    assert made < 1\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range compare(t, imports+c.base, imports+c.head) {
				assert.Fail(t, "the same test in another spelling is reported", report(f))
			}
		})
	}
}

// What looks like another spelling and is less, with one finding that says what.
func TestSpellingsOfLess(t *testing.T) {
	const imports = "import functools\nimport pytest\nimport torch\n\n"
	for name, c := range map[string]struct {
		kind       integrity.Kind
		base, head string
		message    string
	}{
		"a mark of a case": {
			integrity.Skips,
			"@pytest.mark.parametrize('n', [1, 2])\ndef test_a(n):\n    assert f(n) < 1\n",
			"LATER = pytest.mark.skip(reason='r')\n\n@pytest.mark.parametrize('n', [1, pytest.param(2, marks=LATER)])\ndef test_a(n):\n    assert f(n) < 1\n",
			"this skips cases that ran before",
		},
		"a wider handler": {
			integrity.Skips,
			"def test_a(x):\n    try:\n        y = f(x)\n    except ImportError:\n        pytest.skip('r')\n    assert y < 1\n",
			"def test_a(x):\n    try:\n        y = f(x)\n    except (ImportError, ValueError):\n        pytest.skip('r')\n    assert y < 1\n",
			"this skips cases that ran before",
		},
		"a handler of another call": {
			integrity.Skips,
			"def test_a(x):\n    try:\n        y = f(x)\n    except Exception:\n        pytest.skip('r')\n    assert y < 1\n",
			"def test_a(x):\n    try:\n        g(x)\n        y = f(x)\n    except ValueError:\n        pytest.skip('r')\n    assert y < 1\n",
			"this skips cases that ran before",
		},
		"a skip by somebody else's answer": {
			integrity.Skips,
			"import tilegym\n\ndef test_a(x, backend):\n    try:\n        tilegym.set_backend(backend)\n    except ValueError:\n        pytest.skip('r')\n    assert x < 1\n",
			"import tilegym\nfrom other import is_backend_available\n\ndef test_a(x, backend):\n    if not is_backend_available(backend):\n        pytest.skip('r')\n    tilegym.set_backend(backend)\n    assert x < 1\n",
			"this skips cases that ran before",
		},
		"an element fewer": {
			integrity.Checks,
			"def test_a(x, y):\n    torch.testing.assert_close((x.a, x.b), (y.a, y.b))\n",
			"def test_a(x, y):\n    torch.testing.assert_close((x.a,), (y.a,))\n",
			"is gone or was rewritten",
		},
		"partial with a limit": {
			integrity.Tolerance,
			"def test_a(x, y):\n    torch.testing.assert_close(x, y, rtol=1e-3, atol=1e-3)\n",
			"close = functools.partial(torch.testing.assert_close, rtol=1e-3, atol=1e-1)\n\ndef test_a(x, y):\n    close(x, y)\n",
			"`atol` is looser",
		},
		"arguments of a dictionary that is not known": {
			integrity.Checks,
			"def test_a(x, y):\n    torch.testing.assert_close(x, y, rtol=1e-3, atol=1e-3)\n",
			"def test_a(x, y):\n    torch.testing.assert_close(x, y, **limits())\n",
			"are not followed to their end",
		},
		"a limit of the class that a helper sets": {
			integrity.Tolerance,
			"class Test_A:\n    tol = 1e-3\n\n    def test_a(self, x, y):\n        torch.testing.assert_close(x, y, rtol=0, atol=self.tol)\n",
			"class Test_A:\n    tol = 1e-3\n\n    def test_a(self, x, y):\n        self.tol = 1e-1\n        torch.testing.assert_close(x, y, rtol=0, atol=self.tol)\n",
			"`atol` is looser",
		},
		"a parameter of a fixture that is gone": {
			integrity.Cases,
			"@pytest.fixture(params=[1, 2])\ndef n(request):\n    return request.param\n\ndef test_a(n):\n    assert f(n) < 1\n",
			"@pytest.fixture(params=[1])\ndef n(request):\n    return request.param\n\ndef test_a(n):\n    assert f(n) < 1\n",
			"the case `2` is gone",
		},
		"a tensor that a nested function changes": {
			integrity.Inputs,
			"def test_a():\n    x = torch.randn(4)\n    torch.testing.assert_close(f(x), g(x))\n",
			"def test_a():\n    x = torch.randn(4)\n    def prepare():\n        x.zero_()\n    prepare()\n    torch.testing.assert_close(f(x), g(x))\n",
			"became `x.zero_()`",
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := compare(t, imports+c.base, imports+c.head)
			var all []string
			for _, f := range found {
				all = append(all, report(f))
			}
			if list := warned(found, c.kind); assert.NotEmpty(t, list, "all: %v", all) {
				assert.Contains(t, strings.Join(list, "\n"), c.message)
			}
			assert.Len(t, found, 1, "all: %v", all)
		})
	}
}
