package integrity_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tilegate/tilegate/checks/integrity"
)

// A pattern of a match is followed where it is surely understood, and else told.
func TestPatterns(t *testing.T) {
	const source = "import pytest\n@pytest.mark.parametrize('n', [-1, 2, 3])\ndef test_a(n):\n#    assert f(n) < 1\n"
	for name, pattern := range map[string]string{
		"a negative number":            "-1",
		"a negative number in a union": "7 | -1",
		"a wildcard in a union":        "7 | _",
		"a wildcard":                   "_",
		"a name":                       "other",
		"a number in parentheses":      "(2)",
		"a number with a name":         "2 as other",
		"a complex number":             "2 + 0j",
		"a sequence":                   "[a, *b]",
		"a class":                      "int()",
	} {
		t.Run(name, func(t *testing.T) {
			head := strings.Replace(source, "#", "    match n:\n        case "+pattern+":\n            return\n", 1)
			found := compare(t, strings.Replace(source, "#", "", 1), head)
			assert.NotEmpty(t, warned(found, integrity.Checks), "a check that does not run any more in\n%s", head)
		})
	}
	never := strings.Replace(source, "#", "    match n:\n        case -7 | 9 | 1:\n            return\n", 1)
	assert.Empty(t, compare(t, strings.Replace(source, "#", "", 1), never), "no case has such a number")
}

// A match that is not followed is all that it reaches.
func TestWhatIsNotFollowedIsWhatItReaches(t *testing.T) {
	for name, c := range map[string]struct{ source, from, to string }{
		"a helper":          {"def check(x):\n    assert f(x) < 1e-5\n\ndef test_a(x, many):\n    match many:\n        case [a, b]:\n            check(x)\n", "assert f(x) < 1e-5", "pass"},
		"a constant":        {"L = 1e-5\ndef test_a(x, many):\n    match many:\n        case [a, b]:\n            assert f(x) < L\n", "L = 1e-5", "L = 1e5"},
		"a local":           {"def test_a(x, many):\n    l = 1e-5\n    match many:\n        case [a, b]:\n            assert f(x) < l\n", "l = 1e-5", "l = 1e5"},
		"a helper's helper": {"L = 1e-5\ndef inner(x):\n    assert f(x) < L\ndef check(x):\n    inner(x)\n\ndef test_a(x, many):\n    match many:\n        case [a, b]:\n            check(x)\n", "L = 1e-5", "L = 1e5"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Len(t, compare(t, c.source, strings.Replace(c.source, c.from, c.to, 1)), 1, "one change")
			assert.Empty(t, compare(t, c.source, c.source+"\n# a comment\n"))
		})
	}
}
