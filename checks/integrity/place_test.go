package integrity_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

// common is a harness that compares.
const common = `import torch


class PyTestCase:
    def setUp(self):
        torch.manual_seed(0)

    def assertCorrectness(self, test_fn, ref_fn, kwargs, rtol=None, atol=None):
        messages = []
        out = test_fn(**kwargs)
        expected = ref_fn(**kwargs)
        for msg in self.differences(out, expected):
            messages.append(msg)
        torch.testing.assert_close(out, expected, rtol=rtol, atol=atol)
        if messages:
            raise AssertionError(messages)
        return out
`

// iniFile is a file of settings under a licence.
const iniFile = "# A licence.\n\n[pytest]\npython_files = test_*.py\n"

// changed compares the sample repository, with a harness and settings, with itself
// after a change of one file; a file of no text is none.
func changed(t *testing.T, path string, change *strings.Replacer) []integrity.Finding {
	t.Helper()
	base, head := ruletest.Base(), ruletest.Base()
	for _, side := range []fstest.MapFS{base, head} {
		side["tests/common.py"] = &fstest.MapFile{Data: []byte(common)}
		side["pytest.ini"] = &fstest.MapFile{Data: []byte(iniFile)}
	}
	src := string(base[path].Data)
	next := change.Replace(src)
	require.NotEqual(t, src, next, "the change changes something")
	if head[path] = (&fstest.MapFile{Data: []byte(next)}); next == "" {
		delete(head, path)
	}
	return integrity.Compare(load(t, head), load(t, base))
}

// A change has one finding, on the line that changed, which says what is so.
func TestPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		path    string
		change  *strings.Replacer
		line    string // of the finding
		message string
		others  int // findings besides
	}{
		"a return in the harness": {
			"tests/common.py", strings.NewReplacer("        messages = []\n", "        return\n        messages = []\n"),
			"        return", "this ends `assertCorrectness` before `torch.testing.assert_close(out,expected,rtol=rtol,atol=atol)`, which ran before", 0,
		},
		"a return in a test": {
			demo, strings.NewReplacer("        tilegym.set_backend(backend)\n", "        if backend == \"cutile-rs\":\n            return\n        tilegym.set_backend(backend)\n"),
			"            return", "this ends `test_op` before `self.assertCorrectness(", 0,
		},
		"a backend that leaves the list": {
			demo, strings.NewReplacer("_backends + [\"cutile-rs\"]", "_backends + [\"cutile-rs-off\"]"),
			"        _backends = _backends + [\"cutile-rs-off\"]", "the backend `cutile-rs` is no longer tested by `Test_Demo::test_op`", 0,
		},
		"a condition of a backend": {
			demo, strings.NewReplacer("if is_backend_available(\"cutile-rs\")", "if is_backend_available(\"cutile-rs-off\")"),
			"    if is_backend_available(\"cutile-rs-off\"):", "cases of `cutile-rs` are there only where `is_backend_available(\"cutile-rs-off\")`", 0,
		},
		"a setting": {
			"pytest.ini", strings.NewReplacer("test_*.py\n", "test_*.py\naddopts = -k \"not cutile_rs\"\n"),
			"addopts = -k \"not cutile_rs\"", "`addopts = -k \"not cutile_rs\"` is new: it sets what pytest collects or how it runs", 0,
		},
		"a setting that is gone": {
			"pytest.ini", strings.NewReplacer("python_files = test_*.py\n", ""),
			"[pytest]", "`python_files = test_*.py`, which set what pytest collects or how it runs, is gone", 0,
		},
		"a deleted test": {
			demo, strings.NewReplacer(string(ruletest.Base()[demo].Data), ""),
			"import pytest", "the test file is deleted", 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := changed(t, c.path, c.change)
			for _, f := range found {
				t.Log(f.Kind, f.Severity, f.File.Position(f.Span.Start).Line, f.Message)
			}
			require.Len(t, found, 1+c.others)
			f := found[0]
			assert.Equal(t, c.path, f.File.Path)
			assert.Equal(t, c.line, f.File.Line(f.File.Position(f.Span.Start).Line))
			assert.Contains(t, f.Message, c.message)
		})
	}
}

// What is unread is listed as that: nothing is told that rests on it.
func TestUnreadFilesGiveNoFinding(t *testing.T) {
	const base = "import torch\n\n\ndef test_f():\n    assert f(1) == 1\n"
	for _, head := range []string{
		"import torch\n\n\ndef test_f(:\n    assert f(1) == 1\n",
		"import torch\n\n\ndef test_f():\n    x = 1\n      assert f(1) == 1\n",
	} {
		assert.Empty(t, compare(t, base, head), head)
	}
}
