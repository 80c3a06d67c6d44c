package integrity

import (
	"slices"
	"strings"
)

// ancestors are the direct bases of Python's own exceptions. Of others nothing is
// known but that they are exceptions.
var ancestors = map[string]string{
	"KeyboardInterrupt": "BaseException", "SystemExit": "BaseException", "GeneratorExit": "BaseException", "Exception": "BaseException",
	"ArithmeticError": "Exception", "AssertionError": "Exception", "AttributeError": "Exception", "BufferError": "Exception", "EOFError": "Exception",
	"ImportError": "Exception", "LookupError": "Exception", "MemoryError": "Exception", "NameError": "Exception", "OSError": "Exception",
	"ReferenceError": "Exception", "RuntimeError": "Exception", "StopIteration": "Exception", "SyntaxError": "Exception", "SystemError": "Exception",
	"TypeError": "Exception", "ValueError": "Exception", "Warning": "Exception",
	"FloatingPointError": "ArithmeticError", "OverflowError": "ArithmeticError", "ZeroDivisionError": "ArithmeticError",
	"ModuleNotFoundError": "ImportError", "IndexError": "LookupError", "KeyError": "LookupError", "UnboundLocalError": "NameError",
	"FileNotFoundError": "OSError", "FileExistsError": "OSError", "PermissionError": "OSError", "TimeoutError": "OSError", "ConnectionError": "OSError",
	"NotImplementedError": "RuntimeError", "RecursionError": "RuntimeError", "UnicodeError": "ValueError",
	"torch.OutOfMemoryError": "RuntimeError",
}

// catches reports whether each exception that one of the types names is one of the
// others, too.
func catches(wide, narrow *term) bool {
	if narrow.is("tuple") {
		return !slices.ContainsFunc(narrow.kids, func(k *term) bool { return !catches(wide, k) })
	}
	if wide.is("tuple") {
		return slices.ContainsFunc(wide.kids, func(k *term) bool { return catches(k, narrow) })
	}
	if wide == narrow {
		return true
	}
	if narrow.is("class") {
		return slices.ContainsFunc(narrow.kids, func(base *term) bool { return catches(wide, base) })
	}
	if !wide.is("sym") || !narrow.is("sym") {
		return false
	}
	if wide.text == "BaseException" {
		return true
	}
	name := narrow.text
	if ancestors[name] == "" && name != "BaseException" {
		// A class of somebody else; those by which pytest skips are no Exception.
		return wide.text == "Exception" && !strings.Contains(name, "pytest") && !strings.Contains(name, "skip")
	}
	for ; name != ""; name = ancestors[name] {
		if name == wide.text {
			return true
		}
	}
	return false
}

// followsRaised reports whether a condition about an exception follows from
// another: a narrower handler runs in fewer cases, and set_backend raises a
// ValueError just where the backend is not available.
func followsRaised(t, given *term) bool {
	switch {
	case t.is("raised") && given.is("raised"):
		return slices.Equal(t.kids[1:], given.kids[1:]) && catches(t.kids[0], given.kids[0])
	case t.is("try") && given.is("try"):
		return !slices.ContainsFunc(t.kids, func(k *term) bool {
			return !slices.ContainsFunc(given.kids, func(g *term) bool { return catches(g, k) })
		})
	case t.is("not") && given.is("not"):
		a, b := t.kids[0], given.kids[0]
		return a.is("raised") && b.is("raised") && slices.Equal(a.kids[1:], b.kids[1:]) && catches(b.kids[0], a.kids[0])
	case t.is("raised") && given.is("not") && given.kids[0].is("call"):
		tried, asked := t.kids[1], given.kids[0]
		return tried.is("call") && ofPackage(tried.kids[0], "set_backend") && ofPackage(asked.kids[0], "is_backend_available") &&
			slices.Equal(tried.kids[1:], asked.kids[1:]) && catches(t.kids[0], &term{op: "sym", text: "ValueError"})
	}
	return false
}

// ofPackage reports whether a term is the tested package's function of a name.
func ofPackage(t *term, name string) bool {
	return t.is("sym") && strings.HasPrefix(t.text, "tilegym.") && t.last() == name
}
