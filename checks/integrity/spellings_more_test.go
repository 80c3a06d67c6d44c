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

// More ways to write the same test, each with one that looks like it and is not the same.
func TestSpellingsAndWhatLooksLikeThem(t *testing.T) {
	const imports = "import itertools\nimport math\nimport pytest\nimport tilegym\nimport torch\nfrom tilegym.backend import is_backend_available\n\n"
	input := func(value string) string {
		return "def test_a(n, m, flag):\n    x = " + value + "\n    torch.testing.assert_close(f(x), g(x))\n"
	}
	class := func(body string) string {
		return "def own(a, b):\n    return a * b\n\nclass Test_A:\n" + body + "\n    def test_a(self, n):\n        self.assertCorrectness(lambda a, b: h(a, b), lambda a, b: self.reference(a, b), {'a': n, 'b': 2})\n        assert self.reference(n, 1) < 2\n"
	}
	cases := func(decorators string) string {
		return decorators + "def test_a(kind, n):\n    assert f(kind, n) < 1\n"
	}
	backends := func(list string) string {
		return list + "\n@pytest.mark.parametrize('backend', B)\ndef test_a(backend, n):\n    assert f(backend, n) < 1\n"
	}
	const maybe = "B = ['cutile']\nif is_backend_available('cutile-rs'):\n    B = B + ['cutile-rs']\n"
	perf := func(condition string) string {
		return maybe + "@pytest.mark.parametrize('backend', B + ['pytorch'])\ndef test_a(backend, x):\n    if " + condition + ":\n        assert f(x, backend) < 1\n"
	}
	checks := func(tested, names, keys string) string {
		return "class Test_A:\n    def test_a(self, x, y):\n        self.assertCorrectness(lambda " + names + ": op()(" + tested + "), lambda " + names + ": ref(" + tested + ") + 1, " + keys + ")\n"
	}
	for name, c := range map[string]struct{ base, same, other string }{
		"the default type":         {input("torch.randn(n)"), input("torch.randn(n, dtype=torch.float32)"), input("torch.randn(n, dtype=torch.float16)")},
		"the default type, asked":  {input("torch.randn(n)"), input("torch.randn(n, dtype=torch.get_default_dtype())"), input("torch.randn(n, dtype=kind())")},
		"options that say nothing": {input("torch.randn(n)"), input("torch.randn(n, dtype=None, requires_grad=False)"), input("torch.randn(n, requires_grad=True)")},
		"the type of another":      {input("torch.zeros_like(n)"), input("torch.zeros_like(n)"), input("torch.zeros_like(n, dtype=torch.float32)")},
		"a shape of a method":      {input("f(n).view(2, m)"), input("f(n).view((2, m))"), input("f(n).view((m, 2))")},
		"a torch.Size":             {input("torch.randn(n, m)"), input("torch.randn(torch.Size((n, m)))"), input("torch.randn(torch.Size((m, n)))")},
		"a method for a function":  {input("torch.transpose(f(n), 1, 2)"), input("f(n).transpose(1, 2)"), input("f(n).transpose(2, 3)")},
		"infinity":                 {input("torch.full((n,), float('-inf'))"), input("torch.full((n,), -math.inf)"), input("torch.full((n,), math.inf)")},
		"a star target": {
			input("torch.randn(n, m, 4)"), input("0\n    *front, last = n, m, 4\n    x = torch.randn(*front, last)"), input("0\n    *front, last = n, m, 4\n    x = torch.randn(last, *front)"),
		},
		"a star target of a value": {
			input("h(n)"), input("0\n    (*front, last), x = f(n), h(n)"), input("0\n    *front, x = h(n)"),
		},
		"map": {
			"def test_a(n, m):\n    x = torch.rand(n)\n    y = torch.rand(m)\n    torch.testing.assert_close(f(x), g(y))\n",
			"def test_a(n, m):\n    x, y = map(lambda s: torch.rand(s), (n, m))\n    torch.testing.assert_close(f(x), g(y))\n",
			"def test_a(n, m):\n    x, y = map(lambda s: torch.rand(s), (m, n))\n    torch.testing.assert_close(f(x), g(y))\n",
		},
		"options of a helper": {
			input("torch.randn(n, device='cuda')"),
			"def made(*s, **kw):\n    kw.setdefault('device', 'cuda')\n    return torch.randn(*s, **kw)\n\n" + input("made(n)"),
			"def made(*s, **kw):\n    kw.setdefault('device', 'cuda')\n    return torch.randn(*s, **kw)\n\n" + input("made(n, device='cpu')"),
		},
		"staticmethod as a call": {
			class("    @staticmethod\n    def reference(a, b):\n        return a * b\n"), class("    reference = staticmethod(own)\n"), class("    reference = staticmethod(lambda a, b: a + b)\n"),
		},
		"dictionaries": {
			"def test_a(x, y):\n    torch.testing.assert_close(x.a, y.a, rtol=1e-3, atol=1e-3)\n    torch.testing.assert_close(x.b, y.b, rtol=1e-3, atol=1e-3)\n",
			"def test_a(x, y):\n    torch.testing.assert_close({'a': x.a, 'b': x.b}, {'b': y.b, 'a': y.a}, rtol=1e-3, atol=1e-3)\n",
			"def test_a(x, y):\n    torch.testing.assert_close({'a': x.a, 'b': x.a}, {'b': y.a, 'a': y.a}, rtol=1e-3, atol=1e-3)\n",
		},
		"arguments under other names": {
			checks("a, b", "a, b", "{'a': x, 'b': y}"), checks("p, q", "p, q", "{'p': x, 'q': y}"), checks("p, q", "p, q", "{'p': y, 'q': x}"),
		},
		"only by keyword": {
			"def ref(x, k=1):\n    return x + k\n\n" + input("ref(n, m)"), "def ref(x, *, k=1):\n    return x + k\n\n" + input("ref(n, k=m)"), "def ref(x, *, k=1):\n    return x + k\n\n" + input("ref(n)"),
		},
		"a product": {
			cases(maybe + "@pytest.mark.parametrize('kind', B)\n@pytest.mark.parametrize('n', [1, 2])\n"),
			cases(maybe + "@pytest.mark.parametrize('kind, n', itertools.product(B, [1, 2]))\n"),
			cases(maybe + "@pytest.mark.parametrize('kind, n', itertools.product(B, [1]))\n"),
		},
		"tuples": {
			backends(maybe), backends(strings.NewReplacer("[", "(", "]", ",)").Replace(maybe)), backends("B = ('cutile',)\n"),
		},
		"as often as it is there": {
			backends(maybe), backends("B = ['cutile'] + ['cutile-rs'] * is_backend_available('cutile-rs')\n"), backends("B = ['cutile'] + ['cutile-rs'] * is_backend_available('tilecpp')\n"),
		},
		"one of the list": {perf("backend != 'pytorch'"), perf("backend in B"), perf("backend in B[:1]")},
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range compare(t, imports+c.base, imports+c.same) {
				assert.Fail(t, "the same test in another spelling is reported", report(f))
			}
			if c.base != c.other {
				assert.NotEmpty(t, compare(t, imports+c.base, imports+c.other), "what is not the same is not told of")
			}
		})
	}
}

// The type that tensors have of which none is given is known only where nothing sets it.
func TestDefaultTypeThatIsSet(t *testing.T) {
	const source = "import torch\n\ndef test_a(n):\n    x = torch.randn(n#)\n    torch.testing.assert_close(f(x), g(x))\n"
	base, head := strings.Replace(source, "#", "", 1), strings.Replace(source, "#", ", dtype=torch.float32", 1)
	const sets = "\ndef other():\n    torch.set_default_dtype(torch.float64)\n"
	assert.Empty(t, compare(t, base, head))
	assert.NotEmpty(t, compare(t, base+sets, head+sets))
}

// The parameters of an op are those that the checkout declares.
func TestArgumentsOfOpsByName(t *testing.T) {
	const source = "import tilegym\n\ndef test_a(x, y):\n    assert tilegym.ops.demo(#) < 1\n"
	of := func(args string) string { return strings.Replace(source, "#", args, 1) }
	compared := func(base, head string) []integrity.Finding {
		side := func(source string) *tree.Tree {
			files := ruletest.Base()
			files[demo] = &fstest.MapFile{Data: []byte(source)}
			files["src/tilegym/ops/ops.py"] = &fstest.MapFile{Data: []byte("def demo(x, factor: float = 1.0, **kwargs: Any):\n    pass\n")}
			return load(t, files)
		}
		return integrity.Compare(side(head), side(base))
	}
	assert.Empty(t, compared(of("x, y"), of("x=x, factor=y")))
	assert.Empty(t, compared(of("x, y"), of("factor=y, x=x")))
	assert.NotEmpty(t, compared(of("x, y"), of("x=y, factor=x")))
	assert.NotEmpty(t, compared(of("x, 1.0"), of("x")), "a default is the op's own")
}

// Another function that compares is told of as that, and a new seed of another library as
// a note.
func TestWhatIsToldOfOtherFunctions(t *testing.T) {
	const source = "import numpy as np\nimport torch\n\nclass Test_A:\n    def test_a(self, x, y):\n        torch.manual_seed(1)\n        torch.testing.assert_close(x, y, rtol=1e-3, atol=1e-3)\n"
	found := compare(t, source, strings.Replace(source, "torch.testing.assert_close", "self.assertAllClose", 1))
	assert.Empty(t, warned(found, integrity.Inputs))
	assert.Contains(t, strings.Join(warned(found, integrity.Checks), "\n"), "`torch.testing.assert_close` became `self.assertAllClose`")
	found = compare(t, source, strings.Replace(source, "        torch.manual", "        np.random.seed(1)\n        torch.manual", 1))
	assert.NotEmpty(t, found)
	assert.Empty(t, warned(found, integrity.Inputs))
	found = compare(t, source, strings.Replace(source, "        torch.testing", "        torch.cuda.manual_seed(2)\n        torch.testing", 1))
	assert.NotEmpty(t, warned(found, integrity.Inputs))
}

// What a case finds that other cases changed depends on them.
func TestStateFromCaseToCase(t *testing.T) {
	const source = "import pytest\n@class Test_A:\n    seen = []\n\n    @pytest.mark.parametrize('n', [1, 2])\n    def test_a(self, n, $x=1):\n#        assert f(n) < 1\n"
	base := strings.NewReplacer("#", "", "$", "").Replace(strings.Replace(source, "@class", "class", 1))
	of := func(module, parameter, body string) string {
		head := strings.Replace(source, "\n@class", "\n"+module+"class", 1)
		return strings.NewReplacer("$", parameter, "#", body).Replace(head)
	}
	for name, head := range map[string]string{
		"a set":              of("done = set()\n", "", "        if n in done:\n            return\n        done.add(n)\n"),
		"a list":             of("done = []\n", "", "        if done:\n            return\n        done.append(n)\n"),
		"a dictionary":       of("done = {}\n", "", "        if n in done:\n            return\n        done[n] = True\n"),
		"a counter":          of("n_done = 0\n", "", "        global n_done\n        n_done += 1\n        if n_done > 1:\n            return\n"),
		"a skip":             of("done = set()\n", "", "        if done:\n            pytest.skip('enough')\n        done.add(n)\n"),
		"a helper":           of("done = {}\ndef first(n):\n    if n in done:\n        return False\n    done[n] = 1\n    return True\n\n", "", "        if not first(n):\n            return\n"),
		"a default":          of("", "done=[], ", "        if done:\n            return\n        done.append(n)\n"),
		"one of the class":   of("", "", "        if self.seen:\n            return\n        self.seen.append(n)\n"),
		"a type of a module": of("import collections\ndone = collections.defaultdict(int)\n", "", "        if done[n]:\n            return\n        done[n] += 1\n"),
	} {
		t.Run(name, func(t *testing.T) {
			found := compare(t, base, head)
			assert.NotEmpty(t, append(warned(found, integrity.Checks), warned(found, integrity.Skips)...), "%s", head)
			assert.Empty(t, compare(t, head, head+"\ndef test_b():\n    assert f(1) < 1\n"), "a test more")
		})
	}
	for name, head := range map[string]string{
		"a list that nothing changes": of("done = []\n", "", "        if done:\n            return\n"),
		"a list of the test":          of("done = [1]\n", "", "        done = []\n        if done:\n            return\n        done.append(n)\n"),
		"a record that nobody reads":  of("done = []\n", "", "        done.append(n)\n"),
	} {
		t.Run(name, func(t *testing.T) { assert.Empty(t, compare(t, base, head), "%s", head) })
	}
}
