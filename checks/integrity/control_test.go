package integrity_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tilegate/tilegate/checks/integrity"
)

const (
	limitOf  = "def test_a(x, flag, many):\n    tol = 1e-5\n#    assert f(x) < tol\n"
	inputsOf = "import torch\nimport pytest\n@def test_a(flag, many):\n    x = torch.randn(4)\n#    torch.testing.assert_close(f(x), g(x))\n"
)

// What a statement leaves behind on a way that is not surely taken is still there
// after it: whatever the way ends with.
func TestWhatIsLeftBehind(t *testing.T) {
	indent := func(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n" }
	for name, text := range map[string]string{
		"before a break of a list":                "for a in [flag]:\n    if a:\n        tol = 1\n        break",
		"before a continue of a list":             "for a in [flag, x]:\n    if a:\n        tol = 1\n        continue\n    print(a)",
		"before a break of a loop":                "for a in many:\n    if a:\n        tol = 1\n        break",
		"before a continue of a loop":             "for a in many:\n    if a:\n        tol = 1\n        continue\n    print(a)",
		"before a break of while":                 "while True:\n    if flag:\n        tol = 1\n        break\n    flag = x",
		"before a continue of while":              "while flag:\n    flag = x\n    if x:\n        tol = 1\n        continue",
		"before breaks of each way":               "for a in [flag, x]:\n    if a:\n        tol = 1\n        break\n    else:\n        break",
		"before a continue, with a break":         "for a in [flag, x]:\n    if a:\n        tol = 1\n        continue\n    else:\n        break",
		"in what follows a loop without a break":  "for a in [flag]:\n    pass\nelse:\n    tol = 1",
		"in what follows a loop of what is there": "for a in many:\n    if a:\n        break\nelse:\n    tol = 1",
		"in what follows while":                   "while flag:\n    flag = x\nelse:\n    tol = 1",
		"in a break of a loop in a loop":          "for a in [flag]:\n    for b in [x]:\n        if b:\n            tol = 1\n            break",
		"before an exception":                     "tol = 1\ntry:\n    boom()\n    tol = 1e-5\nexcept ValueError:\n    pass",
		"between an exception and another":        "try:\n    tol = 1\n    boom()\n    tol = 1e-5\nexcept ValueError:\n    pass",
		"before raise":                            "try:\n    tol = 1\n    raise ValueError\nexcept ValueError:\n    pass",
		"before raise under a condition":          "try:\n    if flag:\n        tol = 1\n        raise ValueError\nexcept ValueError:\n    pass",
		"in a break in finally":                   "for a in [flag]:\n    try:\n        break\n    finally:\n        tol = 1",
		"where the exception is swallowed":        "import contextlib\ntol = 1\nwith contextlib.suppress(ValueError):\n    boom()\n    tol = 1e-5",
		"where the exception is expected":         "import pytest\ntol = 1\nwith pytest.raises(ValueError):\n    boom()\n    tol = 1e-5",
		"in a condition that is not evaluated":    "tol = 1\nflag or (tol := 1e-5)",
		"in a choice that is not evaluated":       "tol = 1\n(tol := 1e-5) if flag else None",
		"in a comprehension":                      "[(tol := 1) for _ in [0]]",
		"by a nested function":                    "def loosen():\n    nonlocal tol\n    tol = 1\nloosen()",
		"by a nested function, at times":          "def loosen():\n    nonlocal tol\n    if flag:\n        tol = 1\nloosen()",
		"by a nested function that returns":       "def loosen():\n    nonlocal tol\n    if flag:\n        tol = 1\n        return\n    print(tol)\nloosen()",
		"by a nested function by +=":              "def loosen():\n    nonlocal tol\n    tol += 1\nloosen()",
		"by a match that is not followed":         "match many:\n    case [a, b]:\n        tol = 1",
	} {
		t.Run(name, func(t *testing.T) {
			base := strings.Replace(limitOf, "#", "", 1)
			head := strings.Replace(limitOf, "#", indent(text), 1)
			found := compare(t, base, head)
			assert.NotEmpty(t, append(warned(found, integrity.Tolerance), warned(found, integrity.Checks)...), "no limit that is looser is told of in\n%s", head)
			assert.Empty(t, compare(t, head, head), "a file and itself")
		})
	}
}

// A helper changes what its caller holds, however the helper ends.
func TestWhatHelpersChange(t *testing.T) {
	for name, c := range map[string]struct{ helper, call string }{
		"before it returns":             {"def prepare(t):\n    if t.dim() == 2:\n        t.zero_()\n        return\n", "    prepare(x)\n"},
		"and returns on both ways":      {"def prepare(t):\n    if t.dim() == 2:\n        return\n    else:\n        t.zero_()\n        return\n", "    prepare(x)\n"},
		"after a way that returned":     {"def prepare(t):\n    if t.dim() == 2:\n        t.mul_(1)\n        return\n    t.zero_()\n", "    prepare(x)\n"},
		"before a break":                {"def prepare(t, many):\n    for a in many:\n        if a:\n            t.zero_()\n            break\n", "    prepare(x, many)\n"},
		"before a continue of a list":   {"def prepare(t, a):\n    for v in [a]:\n        if v:\n            t.zero_()\n            continue\n        print(v)\n", "    prepare(x, many)\n"},
		"in a handler":                  {"def prepare(t):\n    try:\n        boom()\n    except ValueError:\n        t.zero_()\n", "    prepare(x)\n"},
		"in a handler that returns":     {"def prepare(t):\n    try:\n        boom()\n    except ValueError:\n        t.zero_()\n        return\n", "    prepare(x)\n"},
		"in finally after a return":     {"def prepare(t):\n    try:\n        return\n    finally:\n        t.zero_()\n", "    prepare(x)\n"},
		"in a loop that returns":        {"def prepare(t, many):\n    for a in many:\n        return\n    t.zero_()\n", "    prepare(x, many)\n"},
		"by an element":                 {"def prepare(l):\n    for t in l:\n        t.zero_()\n", "    prepare([x])\n"},
		"by a condition that is a call": {"def prepare(t, a):\n    a and t.zero_()\n", "    prepare(x, flag)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			source := func(call string) string {
				return strings.NewReplacer("@", c.helper+"\n", "#", call).Replace(inputsOf)
			}
			found := compare(t, source(""), source(c.call))
			assert.NotEmpty(t, warned(found, integrity.Inputs), "no input that is another is told of in\n%s", source(c.call))
		})
	}
}

// A text is what Python reads; one that is not known here is no other than any.
func TestTextsAreWhatPythonReads(t *testing.T) {
	const source = "import pytest\n@pytest.mark.parametrize('backend', ['cutile', 'cutile-rs'])\ndef test_a(x, backend):\n#    assert f(x) < 1\n"
	for _, text := range []string{
		`"cutile\N{HYPHEN-MINUS}rs"`, `"cutile\55rs"`, `"cutile\x2drs"`, `"cutile\055rs"`, `"cutile\u002drs"`, `"cutile\U0000002drs"`, `"cuti" "le-rs"`,
		`"cuti\` + "\n" + `le-rs"`, `f"cutile\x2d{'rs'}"`, `f"{'cutile'}\55rs"`, `"cuti" f"le\x2drs"`, `rf"cutile-{'rs'}"`,
	} {
		head := strings.Replace(source, "#", "    if backend == "+text+":\n        return\n", 1)
		assert.NotEmpty(t, warned(compare(t, strings.Replace(source, "#", "", 1), head), integrity.Checks), text)
	}
	for _, text := range []string{`"cutile\\55rs"`, `r"cutile\55rs"`, `"cutile\qrs"`, `f"cutile{{rs}}"`} {
		head := strings.Replace(source, "#", "    if backend == "+text+":\n        return\n", 1)
		assert.Empty(t, compare(t, strings.Replace(source, "#", "", 1), head), text)
	}
	brace := "def test_a(x, s):\n    if s == #:\n        return\n    assert f(x) < 1\n"
	with := func(text string) string { return strings.Replace(brace, "#", text, 1) }
	assert.NotEmpty(t, compare(t, with("f'{{'"), with("'{{'")))
	assert.Empty(t, compare(t, with("f'{{'"), with("'{'")))
	assert.NotEmpty(t, compare(t, with("f'{s:>{4}}'"), with("f'{s:>{5}}'")))
	assert.NotEmpty(t, compare(t, with("f'{s:>4}'"), with("f'{s:>5}'")))
	assert.NotEmpty(t, compare(t, with("f'{s:>{x}}'"), with("f'{s:<{x}}'")))
	assert.NotEmpty(t, compare(t, with("f'{s:>{x}}'"), with("f'{s:>{x!r}}'")))
	assert.Empty(t, compare(t, "def test_a(n):\n    assert f'{n:>4}' < 'a'\n", "def test_a(n):\n    m = n\n    assert f'{m:>4}' < 'a'\n"))
	assert.NotEmpty(t, compare(t, "def test_a(n):\n    assert f'{n=}' < 'a'\n", "def test_a(n):\n    m = n\n    assert f'{m=}' < 'a'\n"))
}
