package integrity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules"
)

// limited is a test file in which a value limits a comparison.
func limited(value string) string {
	before := ""
	if i := strings.LastIndexByte(value, '\n'); i >= 0 {
		before, value = value[:i], value[i+1:]
	}
	return "import torch\n" + before + "\ndef test_a(x, flag):\n    torch.testing.assert_close(f(x), g(x), rtol=0, atol=" + value + ")\n"
}

// warned lists the warnings of a kind.
func warned(found []integrity.Finding, kind integrity.Kind) (out []string) {
	for _, f := range found {
		if f.Kind == kind && f.Severity == rules.Warning {
			out = append(out, f.Message)
		}
	}
	return out
}

// A limit is compared by the value that Python gives it.
func TestLimitsAreWhatPythonComputes(t *testing.T) {
	for _, c := range []struct{ base, head string }{
		{"[1e-2, 1e-5][1]", "sorted([1e-2, 1e-5])[1]"},
		{"1e-5", "sorted({1e-2, 1e-5})[1]"},
		{"1e-5", "sorted([2, 10, 1])[2] * 1e-3"},
		{"1e-5", "{'a': 1e-5, 'b': 1e-2}[sorted(['b', 'a'])[1]]"},
		{"1e-5", "list(reversed([1e-2, 1e-5]))[1]"},
		{"1e-5", "max([1e-2, 1e-5])"},
		{"1e-5", "min({1e-2: 0, 1e-1: 0})"},
		{"list({'a': 1e-5, 'b': 1e-2}.values())[0]", "list({'b': 1e-2, 'a': 1e-5}.values())[0]"},
		{"list({1e-5: 0, 1e-2: 0})[0]", "list({1e-2: 0, 1e-5: 0})[0]"},
		{"list({1e-5: 0, 1e-2: 0}.keys())[0]", "list({1e-2: 0, 1e-5: 0}.keys())[0]"},
		{"[v for v in {1e-5: 0, 1e-2: 0}][0]", "[v for v in {1e-2: 0, 1e-5: 0}][0]"},
		{"[*{1e-5: 0, 1e-2: 0}][0]", "[*{1e-2: 0, 1e-5: 0}][0]"},
		{"A, B = {1e-5: 0, 1e-2: 0}\nA", "A, B = {1e-2: 0, 1e-5: 0}\nA"},
		{"1e-5 * len({1, 2})", "1e-5 * len({1, 2, 3})"},
		{"{1: 1e-5, 2: 1}[True]", "{1: 1e-5, True: 1e-2}[1]"},
		{"1e-5 * 2 ** 3", "1e-5 * 2 ** 4"},
		{"1e-5 * (-2) ** 4", "1e-5 * (-2) ** 6"},
		{"1e-5 if f'{1.0}' == '1.0' else 1e-2", "1e-5 if f'{1.0}' == '1' else 1e-2"},
		{"1e-5", "1e-2 if f'{\"a\"!r}' != 'a' else 1e-5"},
		{"1e-5", "1e-2 if 9007199254740993 != 9007199254740992 else 1e-5"},
	} {
		if found := warned(compare(t, limited(c.base), limited(c.head)), integrity.Tolerance); assert.NotEmpty(t, found, "%s to %s", c.base, c.head) {
			assert.Contains(t, strings.Join(found, "\n"), "looser", "%s to %s", c.base, c.head)
		}
		assert.Empty(t, warned(compare(t, limited(c.head), limited(c.base)), integrity.Tolerance), "%s to %s", c.head, c.base)
	}
}

// What Python leaves open, and what is not computed here, is no value: a change of it
// is told as one that cannot be compared.
func TestUnknownLimitsAreTold(t *testing.T) {
	for _, c := range []struct{ base, head string }{
		{"1e-5", "list({1e-5, 1e-2})[0]"},
		{"1e-5", "[v for v in {1e-5, 1e-2}][0]"},
		{"1e-5", "sorted([1e-5, 1e-2], reverse=True)[1]"},
		{"1e-5", "sorted([1e-5, 'a'])[0]"},
		{"1e-5", "len({flag, 1}) * 1e-5"},
		{"1e-5", "{1: 1e-5, flag: 1e-2}[1]"},
		{"flag and 1e-5", "flag and 1e-2"},
		{"1e-5 * 7 ** 40", "1e-5 * 7 ** 41"},
		{"1e-5 * (-7) ** 41", "1e-5 * (-7) ** 43"},
		{"1e-5 * -9223372036854775809", "1e-5 * -9223372036854775810"},
		{"1e-5 * len([0] * 30000)", "1e-5 * len([0] * 30001)"},
		{"1e-5 * len('a' * 30000)", "1e-5 * len('a' * 30001)"},
		{"[v for a in range(200) for v in range(200)][-1] * 1e-5", "[v for a in range(200) for v in range(201)][-1] * 1e-5"},
		{"[1e-5 for a in range(200) for v in range(200)][-1]", "[1e-5 if a < 180 else 1e-2 for a in range(200) for v in range(200)][-1]"},
	} {
		assert.NotEmpty(t, warned(compare(t, limited(c.base), limited(c.head)), integrity.Tolerance), "%s to %s", c.base, c.head)
	}
}

// Text beyond what is written out differs where what it is made of does.
func TestLongTextsAreCompared(t *testing.T) {
	text := func(last string) string {
		return limited("A = 'aaaaaaaaaaaaaaaa'\n" + strings.Repeat("A = A + A\n", 20) + "A = A + '" + last + "'\n1e-5 if A == flag else 1e-3")
	}
	same, other := compare(t, text("x"), text("x")+"\nx = 1\n"), compare(t, text("x"), text("y"))
	assert.Empty(t, same)
	assert.NotEmpty(t, warned(other, integrity.Tolerance))
}

// Values that Python computes alike are one, however they are written.
func TestSpellingsOfOneValue(t *testing.T) {
	for _, c := range []struct{ base, head string }{
		{"sorted([1e-2, 1e-5])[0]", "[1e-5, 1e-2][0]"},
		{"{1e-5, 1e-2} == flag", "{1e-2, 1e-5} == flag"},
		{"{'a': 1e-5, 'b': 1e-2} == flag", "{'b': 1e-2, 'a': 1e-5} == flag"},
		{"dict(a=1e-5, b=1e-2)['a']", "{'b': 1e-2, 'a': 1e-5}['a']"},
		{"{1e-5 for v in {1, 2}} == flag", "{1e-5} == flag"},
		{"1e-5 if flag and 'text' else 1", "1e-5 if flag else 1"},
		{"(1e-5, 1)[len({1, 1}) - 1]", "1e-5"},
	} {
		base := fmt.Sprintf("def test_a(x, flag):\n    assert x < (%s)\n", c.base)
		head := fmt.Sprintf("def test_a(x, flag):\n    assert x < (%s)\n", c.head)
		require.Empty(t, compare(t, base, head), "%s and %s", c.base, c.head)
	}
}
