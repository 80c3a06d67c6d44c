package integrity_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

const demo = "tests/ops/test_demo.py"

// compare compares two contents of the sample repository's test file.
func compare(t testing.TB, base, head string) []integrity.Finding {
	t.Helper()
	side := func(src string) fstest.MapFS {
		files := ruletest.Base()
		files[demo] = &fstest.MapFile{Data: []byte(src)}
		return files
	}
	return integrity.Compare(load(t, side(head)), load(t, side(base)))
}

// FuzzCompare shows that no two files make the comparison panic, and that a
// file compared with itself has no findings.
func FuzzCompare(f *testing.F) {
	sample := string(ruletest.Base()[demo].Data)
	seeds := []string{sample, "", "def test_x(", strings.Replace(sample, "reference", "test_op", 3),
		"import pytest\n@pytest.mark.parametrize('a,b', [(1,), *x, (2, 3)])\ndef test(a, b=[i for i in range(9)], *c, **d):\n    for i in a:\n        if i: continue\n        try:\n            return assert_close(a[1:], b, **d)\n        except E as e: raise\n        finally: pass\n    with x as y, z: del y[0], z.a\n    a = b = lambda *q, r=1: (yield)\n    [a, (b, c)] = {**d, 'k': f'{a!r:>{b}}'}\n    while (n := a): break\n    a.b[c] += 1\n    assert not a < 3 <= b, 'x'\n",
		"class Test:\n    x = [1]\n    x.append(2)\n    def f(self): return self.f()\n    def test(self): assert self.f(self.x[5:2], **{'a': 1}) in {1: 2}\nclass Test(Test): pass\n",
		"from . import *\nfrom ..a import b as c, d\nglobal x\nmatch x:\n    case 1: pass\ntype X = int\nasync def test_a():\n    await x\n    async with y: pass\n",
	}
	for _, a := range seeds {
		f.Add(a, sample)
		f.Add(sample, a)
	}
	f.Fuzz(func(t *testing.T, base, head string) {
		hostile.Ends(t, len(base)+2*len(head), func() {
			compare(t, base, head)
			assert.Empty(t, compare(t, head, head))
		})
	})
}

// TestHostileFilesEnd holds the budget: files that are made to take long end
// in one finding that says that they cannot be compared.
func TestHostileFilesEnd(t *testing.T) {
	double := strings.Builder{}
	double.WriteString("def f0(x):\n    return g(x)\n")
	for i := range 30 {
		fmt.Fprintf(&double, "def f%d(x):\n    return f%d(x + 1) + f%d(x * 2)\n", i+1, i, i)
	}
	double.WriteString("def test_f():\n    assert f30(1)\n")
	many := ""
	for i := range 20_000 {
		many += fmt.Sprintf("    v%d = 0\n", i)
	}
	// What is executed often is little, and much stands beside it that is not.
	often := "def test(a, b):\n    for i in range(60):\n        for j in range(60):\n            "
	dead := func(indent string) string { return strings.Repeat(indent+"g(1)\n", 60_000) }
	end := "    assert f(a, b) < 1\n"
	for name, src := range map[string]string{
		"code behind a return": "def h(x, c=[]):\n    return 1\n" + dead("    ") + often + "h(i)\n" + end,
		"code behind continue": often + "while x:\n                continue\n" + dead("                ") + end,
		"code in a handler":    often + "try:\n                continue\n            except E:\n                return\n" + dead("                ") + end,
		"code of a measure":    "def h():\n    return 1\n" + dead("    ") + often + "do_bench(h)\n" + end,
		"clauses":              often + "match 1:\n                case 1: pass\n" + strings.Repeat("                case 2: pass\n", 40_000) + end,
		"names around a loop":  "def test(a, b):\n" + many + often[len("def test(a, b):\n"):] + "for k in a: pass\n" + end,
		"calls that double":    double.String(),
		"many cases":           "import pytest\n@pytest.mark.parametrize('a', range(20000))\n@pytest.mark.parametrize('b', range(20000))\ndef test(a, b):\n    assert f(a, b)\n",
		"many conditions":      "def test(x):\n    assert " + strings.Repeat("x.y or ", 2000) + "z\n",
		"many branches":        "def test(x):\n" + strings.Repeat("    if x.a:\n        x = x.b\n        assert x.c\n", 3000),
		"many checks":          "def test(x):\n" + strings.Repeat("    assert_close(x.a, x)\n    x = x.b\n", 3000),
		"nested comprehension": "import pytest\nA = [(a, b, c, d) for a in range(100) for b in range(100) for c in range(100) for d in range(100)]\n@pytest.mark.parametrize('a', A)\ndef test(a):\n    assert f(a)\n",
		"long lists":           "A = [0] * 20000\n" + strings.Repeat("A = A + [1]\n", 3000),
	} {
		t.Run(name, func(t *testing.T) {
			head := strings.ReplaceAll(strings.ReplaceAll(src, "assert f", "assert not f"), "x.a", "x.z") + "\nx = 1\n"
			hostile.Within(t, 30*time.Second, func() { compare(t, src, head) })
		})
	}
}

// TestSmallFilesStaySmall holds that values which grow exponentially with a file take
// memory and time in proportion to it, in a test's body, in the module, and in what
// tests share.
func TestSmallFilesStaySmall(t *testing.T) {
	for _, shape := range hostile.Growing {
		t.Run(strings.ReplaceAll(shape.Name, " ", "_"), func(t *testing.T) {
			src := shape.Text(2 << 10)
			body := "def test_a(x):\n    " + strings.TrimSpace(strings.ReplaceAll(src, "\n", "\n    ")) + "\n    assert x == A\n"
			for _, src := range []string{src, body} {
				hostile.Ends(t, len(src), func() { compare(t, src, src+"\nx = 1\n") })
			}
		})
	}
}
