package integrity_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tilegate/tilegate/checks/integrity"
)

// A function reads the names around it when it is called, and not when it is made.
func TestNamesThatAreBoundAgain(t *testing.T) {
	const direct = "import torch\n\nclass Test_A:\n    def test_a(self, n, kind):\n        x = torch.randn(n)\n        kw = {'scale': 1.0}\n        fn = lambda: f(x, **kw)\n#        self.assertCorrectness(fn, lambda: g(x), {})\n"
	inner := strings.Replace(direct, "fn = lambda: f(x, **kw)", "def fn():\n            return f(x, **kw)\n", 1)
	chosen := strings.Replace(direct, "fn = lambda: f(x, **kw)", "if kind == 'a':\n            fn = lambda: f(x, **kw)\n        else:\n            fn = lambda: h(x, **kw)", 1)
	held := strings.NewReplacer("fn = lambda: f(x, **kw)", "fns = {'f': [lambda: f(x, **kw)]}", "(fn,", "(fns['f'][0],").Replace(direct)
	spread := strings.NewReplacer("fn = lambda: f(x, **kw)", "fns = {'test_fn': lambda: f(x, **kw), 'ref_fn': lambda: g(x), 'kwargs': {}}", "fn, lambda: g(x), {}", "**fns").Replace(direct)
	returned := strings.NewReplacer("    def test_a", "    def made(self, x, kw):\n        return lambda: f(x, **kw)\n\n    def test_a", "lambda: f(x, **kw)\n#", "self.made(x, kw)\n#").Replace(direct)
	measured := strings.Replace(direct, "self.assertCorrectness(fn, lambda: g(x), {})", "record_property(kind, common.benchmark_framework(kind, fn))", 1)
	for name, c := range map[string]struct{ source, line string }{
		"a lambda":                         {direct, "        x = x * 0.01\n"},
		"a lambda, in place":               {direct, "        x *= 0.01\n"},
		"a lambda, a part":                 {direct, "        x = x[:1]\n"},
		"a lambda, under a condition":      {direct, "        if kind == 'a':\n            x = x[:1]\n"},
		"a lambda, in a block":             {direct, "        with torch.no_grad():\n            x = x[:1]\n"},
		"a lambda, by a loop":              {direct, "        for x in [torch.zeros(n)]:\n            pass\n"},
		"a lambda, an option":              {direct, "        kw['scale'] = 0.0\n"},
		"a lambda, all options":            {direct, "        kw = {}\n"},
		"a function":                       {inner, "        x = x[:1]\n"},
		"one of two":                       {chosen, "        x = x[:1]\n"},
		"held in a list":                   {held, "        x = x[:1]\n"},
		"held in a list, an option":        {held, "        kw['scale'] = 0.0\n"},
		"spread":                           {spread, "        x = x[:1]\n"},
		"returned, in place":               {returned, "        x.mul_(0.01)\n"},
		"returned, an option in place":     {returned, "        kw['scale'] = 0.0\n"},
		"measured":                         {measured, "        x = x[:1]\n"},
		"measured, one backend":            {measured, "        if kind == 'cutile-rs':\n            x = x[:1]\n"},
		"an equal function made elsewhere": {held, "        self.kept = (lambda y: [lambda: f(y, **kw)])(x)\n        x = x[:1]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			base, head := strings.Replace(c.source, "#", "", 1), strings.Replace(c.source, "#", c.line, 1)
			found := compare(t, base, head)
			assert.NotEmpty(t, append(warned(found, integrity.Inputs), warned(found, integrity.Checks)...), "what is compared is another in\n%s", head)
			assert.Empty(t, compare(t, head, head+"\ndef test_b():\n    assert f(1) < 1\n"), "a test more")
		})
	}
}

// What a name holds after a function was called, or that of another function, is not what
// the function reads.
func TestNamesThatAreBoundAgainElsewhere(t *testing.T) {
	const source = "import torch\n\ndef made(n, kind):\n    x = torch.randn(n)\n    if kind == 'a':\n        return lambda: f(x)\n    x = x * 2\n    return lambda: h(x)\n\nclass Test_A:\n    def test_a(self, n, kind):\n        x = torch.randn(n)\n        fn = lambda: f(x)\n@        self.assertCorrectness(fn, lambda: g(x), {})\n#        self.assertCorrectness(made(n, kind), lambda: g(n), {})\n"
	plain := strings.NewReplacer("@", "", "#", "").Replace(source)
	for name, head := range map[string]string{
		"after the check":     strings.NewReplacer("@", "", "#", "        x = x[:1]\n").Replace(source),
		"and back":            strings.NewReplacer("@", "        y = x\n        x = x[:1]\n        x = y\n", "#", "").Replace(source),
		"in another function": strings.NewReplacer("@", "        def other():\n            x = 1\n            return x\n", "#", "").Replace(source),
		"written out":         strings.NewReplacer("@", "", "#", "", "(fn,", "(lambda: f(x),").Replace(source),
	} {
		t.Run(name, func(t *testing.T) { assert.Empty(t, compare(t, plain, head), "%s", head) })
	}
	plain = strings.Replace(plain, "(fn,", "(made(n, kind),", 1)
	other := strings.Replace(plain, "    x = torch.randn(n)\n    if", "    x = torch.ones(n)\n    if", 1)
	assert.NotEmpty(t, compare(t, plain, other), "each way returns what its names hold")
	later := strings.Replace(plain, "x = x * 2", "x = x * 3", 1)
	assert.NotEmpty(t, compare(t, plain, later))
}
