package integrity

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// Touch is a place at which code that is tested reaches for what tests it.
type Touch struct {
	Node syntax.Node
	// Construct is one of test, timing, profiler, caller, modules, patch.
	Construct string
	Message   string
}

// pythonModules are modules that a wrapper has no business with, and why.
var pythonModules = map[string]string{
	"pytest": "test", "_pytest": "test", "unittest": "test", "junitparser": "test", "junit_xml": "test", "tests": "test", "conftest": "test", "hypothesis": "test",
	"torch.testing": "test", "torch.profiler": "profiler", "torch.autograd.profiler": "profiler", "torch.cuda.profiler": "profiler", "cupti": "profiler",
	"cProfile": "profiler", "torch.utils.benchmark": "timing", "triton.testing": "timing", "timeit": "timing",
}

// pythonNames are values that read the clock, the profiler or the caller.
var pythonNames = map[string]string{
	"time.time": "timing", "time.perf_counter": "timing", "time.perf_counter_ns": "timing", "time.monotonic": "timing", "time.monotonic_ns": "timing",
	"time.time_ns": "timing", "time.process_time": "timing", "time.sleep": "timing", "torch.cuda.Event": "timing", "torch.cuda._sleep": "timing",
	"inspect.stack": "caller", "inspect.currentframe": "caller", "sys._getframe": "caller", "traceback.extract_stack": "caller", "traceback.walk_stack": "caller", "sys.argv": "caller",
	"sys.modules": "modules", "gc.get_objects": "modules", "sys.settrace": "modules", "sys.setprofile": "modules",
}

var touchText = map[string]string{
	"test":     "reaches for the tests that judge it",
	"timing":   "reads the clock or waits, which the tests measure",
	"profiler": "reaches for the profiler that measures it",
	"caller":   "looks at who calls it, so that it may do something else when it is tested",
	"modules":  "looks at what else the process holds, so that it may do something else when it is tested",
	"patch":    "replaces something of another module, which the tests may rely on",
}

// markers are texts that name the machinery of tests.
var markers = []string{"PYTEST", "pytest", "junit", "JUNIT", fallbackVariable, "torch.profiler", "CUPTI"}

// Touches lists where a wrapper or a kernel's Rust reaches for the tests, the
// clock or the profiler.
func Touches(f *syntax.File) []Touch {
	var out []Touch
	add := func(n syntax.Node, construct string) {
		if construct != "" && n.Valid() && !n.Damaged() {
			out = append(out, Touch{n, construct, quoteNode(n) + " " + touchText[construct]})
		}
	}
	switch f.Lang {
	case syntax.Python:
		pythonTouches(f, add)
	case syntax.Rust:
		rustTouches(f, add)
	}
	return out
}

func pythonTouches(f *syntax.File, add func(syntax.Node, string)) {
	names := map[string]string{} // local name -> dotted name
	for _, n := range f.Root().Find("import_statement", "import_from_statement") {
		module := n.Field("module_name")
		prefix := ""
		if module.Valid() {
			prefix = module.Squeeze() + "."
		}
		for _, name := range n.Fields("name") {
			local := name
			if name.Is("aliased_import") {
				local, name = name.Field("alias"), name.Field("name")
			}
			dotted := prefix + name.Squeeze()
			if prefix == "" && local == name {
				first, _, _ := strings.Cut(dotted, ".")
				names[first] = first
			} else {
				names[local.Squeeze()] = dotted
			}
			add(n, moduleTouch(dotted))
		}
	}
	resolve := func(n syntax.Node) string {
		dotted := syntax.PyDotted(n)
		first, rest, more := strings.Cut(dotted, ".")
		if full := names[first]; full != "" {
			dotted = full
			if more {
				dotted += "." + rest
			}
		}
		return dotted
	}
	for _, n := range f.Root().Find("attribute", "identifier") {
		if n.Parent().Is("attribute") && n.Parent().Field("object") == n || n.Ancestor("import_statement", "import_from_statement").Valid() {
			continue
		}
		if n.Is("identifier") && (n.Parent().Is("attribute") || n.Parent().Is("keyword_argument") && n.Parent().Field("name") == n) {
			continue
		}
		dotted := resolve(n)
		if dotted == "" {
			continue
		}
		for name := dotted; name != ""; {
			if what := pythonNames[name]; what != "" {
				add(n, what)
				break
			}
			i := strings.LastIndexByte(name, '.')
			name = name[:max(i, 0)]
		}
		if n.Is("attribute") {
			add(n, moduleTouch(dotted))
		}
	}
	for _, n := range f.Root().Find("string") {
		if n.Parent().Is("expression_statement") {
			continue // documentation
		}
		text := n.Text()
		if slices.ContainsFunc(markers, func(m string) bool { return strings.Contains(text, m) }) && !logged(n) {
			add(n, "test")
		}
	}
	for _, n := range f.Root().Find("assignment", "augmented_assignment") {
		left := n.Field("left")
		if left.Is("subscript") {
			left = left.Field("value")
			if resolve(left) == "sys.modules" {
				add(n, "patch")
			}
			continue
		}
		if !left.Is("attribute") {
			continue
		}
		if root := rootName(left); names[root] != "" && !strings.HasPrefix(names[root], ".") {
			add(n, "patch")
		}
	}
	for _, n := range f.Root().Find("call") {
		if syntax.PyDotted(n.Field("function")) == "setattr" {
			if root := rootName(syntax.PyArg(n, "", 0)); names[root] != "" {
				add(n, "patch")
			}
		}
	}
}

// rootName is the name that an attribute chain starts with.
func rootName(n syntax.Node) string {
	for n.Is("attribute") {
		n = n.Field("object")
	}
	if n.Is("identifier") {
		return n.Text()
	}
	return ""
}

// logged reports whether a string is only part of a message.
func logged(n syntax.Node) bool {
	if n.Ancestor("raise_statement").Valid() {
		return true
	}
	call := n.Ancestor("call")
	switch syntax.PyName(call.Field("function")) {
	case "debug", "info", "warning", "error", "print", "warn", "exception":
		return true
	}
	return false
}

// moduleTouch is what a dotted name or one of its modules is.
func moduleTouch(dotted string) string {
	if strings.HasPrefix(dotted, "torch.") && strings.HasSuffix(dotted, "profiler.record_function") {
		return "" // which names a range for who looks at a profile
	}
	for {
		if what := pythonModules[dotted]; what != "" {
			return what
		}
		i := strings.LastIndexByte(dotted, '.')
		if i < 0 {
			return ""
		}
		dotted = dotted[:i]
	}
}

// rustNames are paths and prefixes of functions that time or profile.
var rustNames = map[string]string{"Instant": "timing", "SystemTime": "timing", "sleep": "timing"}

func rustTouches(f *syntax.File, add func(syntax.Node, string)) {
	for _, n := range f.Root().Find("identifier", "type_identifier", "string_literal", "raw_string_literal") {
		text := n.Text()
		if n.Is("string_literal", "raw_string_literal") {
			if slices.ContainsFunc(markers, func(m string) bool { return strings.Contains(text, m) }) && !n.Ancestor("attribute_item").Valid() {
				add(n, "test")
			}
			continue
		}
		switch {
		case rustNames[text] != "" && (n.Parent().Is("scoped_identifier", "scoped_type_identifier", "use_list", "scoped_use_list", "use_declaration") || n.Is("type_identifier")):
			add(n, rustNames[text])
		case strings.HasPrefix(text, "cupti") || strings.HasPrefix(text, "cuProfiler") || strings.HasPrefix(text, "cudaProfiler"):
			add(n, "profiler")
		case strings.HasPrefix(text, "cuEvent") || strings.HasPrefix(text, "cudaEvent"):
			add(n, "timing")
		}
	}
}
