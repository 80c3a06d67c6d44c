package integrity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tilegate/tilegate/checks/rules"
)

// What lies beyond the bounds of evaluation is not taken to be what it was: a change
// there is told.
func TestChangesBeyondTheBounds(t *testing.T) {
	chain := func(define, call string) string {
		var b strings.Builder
		b.WriteString(strings.ReplaceAll(define, "#", "0") + "    assert x < LIMIT\n")
		for i := range 20 {
			b.WriteString(strings.ReplaceAll(define, "#", fmt.Sprint(i+1)) + strings.ReplaceAll(call, "#", fmt.Sprint(i)))
		}
		return b.String()
	}
	classes := "class A0:\n    def check(self, x):\n        assert x < LIMIT\n"
	for i := range 20 {
		classes += fmt.Sprintf("class A%d(A%d):\n    pass\n", i+1, i)
	}
	for name, src := range map[string]string{
		"helpers of helpers":             chain("def f#(x):\n", "    f#(x)\n") + "def test_a(x):\n    f20(x)\n",
		"values of helpers":              "def f0(x):\n    return x * LIMIT\n" + strings.Join(strings.Split(chain("def f#(x):\n", "    return f#(x)\n"), "\n")[2:], "\n") + "def test_a(x):\n    assert f20(x)\n",
		"a helper that calls itself":     "def f(n, x):\n    if n == 0:\n        assert x < LIMIT\n        return\n    f(n - 1, x)\ndef test_a(x):\n    f(1, x)\n",
		"helpers that call each other":   "def f(n, x):\n    g(n, x)\ndef g(n, x):\n    if n:\n        f(n - 1, x)\n    else:\n        assert x < LIMIT\ndef test_a(x):\n    f(1, x)\n",
		"fixtures of fixtures":           "import pytest\n" + strings.ReplaceAll(strings.ReplaceAll(chain("@pytest.fixture\ndef f#(x):\n", "    return #\n"), "assert x < LIMIT", "return LIMIT"), "f0(x)", "f0()") + "def test_a(x, f20):\n    assert x < f20\n",
		"a method of a distant class":    classes + "class Test_A(A20):\n    def test_a(self, x):\n        self.check(x)\n",
		"a test that takes unknown":      "def check(x):\n    assert x < LIMIT\ndef test_a(x, *rest: int):\n    check(x)\n",
		"a helper that takes unknown":    "def check(x, *rest: int):\n    assert x < LIMIT\ndef test_a(x):\n    check(x)\n",
		"a limit of the module":          "L = LIMIT\ndef f(n, x):\n    if n:\n        f(n - 1, x)\n    else:\n        assert x < L\ndef test_a(x):\n    f(1, x)\n",
		"values of a long comprehension": "A = [LIMIT if a == 190 else 1 for a in range(200) for b in range(200)]\ndef test_a(x):\n    assert x < A[-1]\n",
	} {
		t.Run(name, func(t *testing.T) {
			if name == "fixtures of fixtures" {
				for i := 20; i > 0; i-- {
					src = strings.ReplaceAll(src, fmt.Sprintf("def f%d(x):\n    return %d\n", i, i-1), fmt.Sprintf("def f%d(f%d):\n    return f%d\n", i, i-1, i-1))
				}
				src = strings.Replace(src, "def f0(x)", "def f0()", 1)
			}
			found := compare(t, strings.ReplaceAll(src, "LIMIT", "1e-5"), strings.ReplaceAll(src, "LIMIT", "1e-2"))
			if assert.Len(t, found, 1, "one change") {
				assert.Equal(t, rules.Warning, found[0].Severity)
				assert.NotContains(t, found[0].Message, "is gone", "nothing is")
			}
		})
	}
}
