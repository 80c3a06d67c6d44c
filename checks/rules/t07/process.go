package t07

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// process reports a wrapper that changes what the whole process shares, and with it
// what the reference computes or which library is loaded, or that looks at the process.
func process(p *rules.Pass, w *host.Wrapper) {
	scripts := asScript(w.File.Root())
	called := map[syntax.Node]map[string]bool{}
	for _, n := range w.File.Root().Find("call", "assignment", "augmented_assignment", "delete_statement", "identifier", "attribute", "string") {
		if inside(scripts, n) {
			continue
		}
		switch n.Kind() {
		case "call":
			modes(p, w, n, called)
			looks(p, w, n)
			environment(p, w, n)
			replaces(p, w, n)
		case "string":
			processFile(p, w, n)
		case "identifier", "attribute":
			dispatcher(p, w, n)
		default:
			environment(p, w, n)
			replaces(p, w, n)
		}
	}
}

// asScript lists, in their order, the blocks of a module that run only when the file is
// started by itself, and not when it is imported.
func asScript(root syntax.Node) []syntax.Span {
	for _, id := range root.Find("identifier") {
		if id.Text() == "__name__" && binds(id) {
			return nil // the name may be any
		}
	}
	var out []syntax.Span
	for _, st := range root.NamedChildren() {
		cond := st.Field("condition")
		for cond.Is("parenthesized_expression") {
			cond = cond.NamedChild(0)
		}
		if parts := cond.NamedChildren(); st.Is("if_statement") && cond.Is("comparison_operator") && len(parts) == 2 && cond.ChildOf("==").Valid() &&
			(isName(parts[0]) && syntax.PyString(parts[1]) == "__main__" || isName(parts[1]) && syntax.PyString(parts[0]) == "__main__") {
			out = append(out, st.Field("consequence").Span())
		}
	}
	return out
}

// binds reports whether a name gets a value where it stands.
func binds(id syntax.Node) bool {
	switch p := id.Parent(); p.Kind() {
	case "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "global_statement", "as_pattern_target":
		return true
	case "assignment", "augmented_assignment", "for_statement", "for_in_clause":
		return p.Field("left") == id
	case "named_expression", "function_definition", "class_definition":
		return p.Field("name") == id
	case "aliased_import":
		return p.Field("alias") == id
	}
	return false
}

func isName(n syntax.Node) bool { return n.Is("identifier") && n.Text() == "__name__" }

// inside reports whether a place lies in one of some spans, which are in their order.
func inside(spans []syntax.Span, n syntax.Node) bool {
	i, found := slices.BinarySearchFunc(spans, n.Span().Start, func(s syntax.Span, start int) int { return s.Start - start })
	return found || i > 0 && spans[i-1].Contains(n.Span())
}

// settings are functions that set how PyTorch computes from then on, everywhere, and
// what they set.
var settings = map[string]string{
	"torch.set_float32_matmul_precision":                     "the precision of matrix products",
	"torch.set_default_dtype":                                "the default dtype",
	"torch.set_default_tensor_type":                          "the default dtype",
	"torch.set_default_device":                               "the default device",
	"torch.manual_seed":                                      "the seed",
	"torch.random.manual_seed":                               "the seed",
	"torch.seed":                                             "the seed",
	"torch.cuda.manual_seed":                                 "the seed",
	"torch.cuda.manual_seed_all":                             "the seed",
	"torch.cuda.seed":                                        "the seed",
	"torch.cuda.seed_all":                                    "the seed",
	"torch.default_generator.manual_seed":                    "the seed",
	"torch.set_rng_state":                                    "the seed",
	"torch.cuda.set_rng_state":                               "the seed",
	"numpy.random.seed":                                      "the seed",
	"random.seed":                                            "the seed",
	"torch.use_deterministic_algorithms":                     "which algorithms may run",
	"torch.set_deterministic_debug_mode":                     "which algorithms may run",
	"torch.set_flush_denormal":                               "how small numbers are rounded",
	"torch.set_grad_enabled":                                 "whether gradients are recorded",
	"torch.autograd.set_grad_enabled":                        "whether gradients are recorded",
	"torch.backends.cuda.enable_flash_sdp":                   "which attention kernels may run",
	"torch.backends.cuda.enable_mem_efficient_sdp":           "which attention kernels may run",
	"torch.backends.cuda.enable_math_sdp":                    "which attention kernels may run",
	"torch.backends.cuda.enable_cudnn_sdp":                   "which attention kernels may run",
	"torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp": "how attention is computed",
}

// modes reports a call that sets how PyTorch computes. As a context it ends with the
// block, and a function that asks for the value first may set it back. What functions
// call is listed once for each.
func modes(p *rules.Pass, w *host.Wrapper, c syntax.Node, called map[syntax.Node]map[string]bool) {
	full := w.Full(c.Field("function"))
	what := settings[full]
	if what == "" || c.Ancestor("with_clause").Valid() {
		return
	}
	getter := "get_" + strings.TrimPrefix(full[strings.LastIndexByte(full, '.')+1:], "set_")
	owner := host.Owner(c)
	names := called[owner]
	if names == nil {
		names = map[string]bool{}
		for _, o := range owner.Find("call") {
			name := syntax.PyName(o.Field("function"))
			names[name] = true
			if strings.HasSuffix(name, enabled) {
				names[enabled] = true
			}
		}
		called[owner] = names
	}
	if names[getter] || names["get_rng_state"] || names["fork_rng"] || names[enabled] && strings.HasSuffix(full, enabled) {
		p.Undecided("the mode may be set back")
		return
	}
	p.Reportf(c, rules.Warning, "mode", "`%s` sets %s for the whole process, so that the reference computes in another way, too; a wrapper leaves the modes of PyTorch as they are", rules.Short(c), what)
}

// enabled ends the names of functions that tell whether a mode is on, and set it.
const enabled = "_enabled"

// looking are functions that tell how the process was started or what measures it.
var looking = map[string]bool{
	"os.getppid": true, "gc.get_referrers": true, "gc.get_referents": true, "psutil.Process": true,
	"torch.autograd._profiler_enabled": true, "torch._C._autograd._profiler_enabled": true, "torch._C._autograd._profiler_type": true,
}

// looks reports a call that tells a test from another run.
func looks(p *rules.Pass, w *host.Wrapper, c syntax.Node) {
	if looking[w.Full(c.Field("function"))] {
		p.Reportf(c, rules.Warning, "process", "`%s` looks at the process around it, so that it may do something else when it is tested", rules.Short(c))
	}
}

// processFiles are files of a process that tell how it was started and what it holds.
var processFiles = []string{"cmdline", "comm", "environ", "exe", "maps", "stat", "status", "task"}

// processFile reports the path of a file that describes a process.
func processFile(p *rules.Pass, w *host.Wrapper, s syntax.Node) {
	if s.Parent().Is("expression_statement", "concatenated_string") {
		return
	}
	text, ok := w.String(s)
	if !ok {
		text = strings.Trim(s.Text(), `rRfFbB"'`)
	}
	path, found := strings.CutPrefix(text, "/proc/")
	owner, file, _ := strings.Cut(path, "/")
	numbered := owner != "" && (owner[0] == '{' || strings.Trim(owner, "0123456789") == "")
	if !found || owner != "self" && owner != "thread-self" && !numbered {
		return
	}
	if first, _, _ := strings.Cut(file, "/"); slices.Contains(processFiles, first) {
		p.Reportf(s, rules.Warning, "process", "`%s` describes a process, so that the wrapper may do something else when it is tested", rules.Short(s))
	}
}

// chosen reports whether a variable chooses what is built, loaded, selected or how
// products are rounded.
func chosen(name string) bool {
	return strings.HasPrefix(name, "CUTILE_RS_") || name == "DISABLE_FALLBACK" || strings.HasPrefix(name, "PYTEST_") ||
		name == "NVIDIA_TF32_OVERRIDE" || name == "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"
}

// environment reports a wrapper that sets, changes or removes such a variable.
func environment(p *rules.Pass, w *host.Wrapper, n syntax.Node) {
	isEnviron := func(e syntax.Node) bool {
		full := w.Full(w.Const(e))
		return full == "os.environ" || full == "os.environb"
	}
	var keys []syntax.Node
	item := func(t syntax.Node) {
		if t.Is("subscript") && isEnviron(t.Field("value")) {
			keys = append(keys, t.Field("subscript"))
		}
	}
	of := func(a syntax.Node) {
		for _, e := range a.NamedChildren() {
			switch {
			case e.Is("pair"):
				keys = append(keys, e.Field("key"))
			case e.Is("tuple", "list") && len(e.NamedChildren()) == 2:
				keys = append(keys, e.NamedChild(0))
			}
		}
	}
	switch n.Kind() {
	case "assignment":
		for _, s := range paired(n) {
			item(s.target)
		}
	case "augmented_assignment":
		item(n.Field("left"))
	case "delete_statement":
		for _, t := range n.Find("subscript") {
			item(t)
		}
	case "call":
		fn := n.Field("function")
		switch full := w.Full(fn); {
		case full == "os.putenv" || full == "os.unsetenv":
			keys = append(keys, syntax.PyArg(n, "", 0))
		case fn.Is("attribute") && isEnviron(fn.Field("object")):
			switch fn.Field("attribute").Text() {
			case "clear":
				p.Reportf(n, rules.Warning, "environment", "`%s` takes away the variables by which the process was told what to do", rules.Short(n))
			case "setdefault", "pop", "__setitem__", "__delitem__":
				keys = append(keys, syntax.PyArg(n, "", 0))
			case "update":
				for _, a := range n.Field("arguments").NamedChildren() {
					if a.Is("keyword_argument") {
						keys = append(keys, a.Field("name"))
					} else {
						of(a)
					}
				}
			}
		}
	}
	for _, k := range keys {
		name, known := w.String(k)
		if k.Parent().Is("keyword_argument") {
			name, known = k.Text(), true
		}
		// The name as one text is found by itself.
		if known && chosen(name) && !(k.Is("string") && strings.HasPrefix(name, "PYTEST_")) && !(k.Is("string") && strings.Contains(k.Text(), "DISABLE_FALLBACK")) {
			p.Reportf(n, rules.Warning, "environment", "`%s` changes the variable `%s` for the whole process, and with it what is loaded, selected or computed; a wrapper leaves it as it is", rules.Short(n), name)
			return
		}
	}
}

// replaces reports something of another module that is replaced through the names
// that the module holds.
func replaces(p *rules.Pass, w *host.Wrapper, n syntax.Node) {
	var of syntax.Node
	switch n.Kind() {
	case "assignment", "augmented_assignment":
		if t := n.Field("left"); t.Is("subscript") {
			of = t.Field("value")
		}
	case "delete_statement":
		if t := n.NamedChild(0); t.Is("subscript") {
			of = t.Field("value")
		}
	case "call":
		fn := n.Field("function")
		switch syntax.PyName(fn) {
		case "update", "setdefault", "pop", "popitem", "clear", "__setitem__", "__delitem__":
			of = fn.Field("object")
		case "__setattr__", "__delattr__":
			target := fn.Field("object")
			if target.Is("identifier") && (target.Text() == "object" || target.Text() == "type") {
				target = syntax.PyArg(n, "", 0)
			}
			if elsewhere(w, target) {
				p.Reportf(n, rules.Warning, "patch", "`%s` replaces something of another module, which the tests may rely on", rules.Short(n))
			}
			return
		}
	}
	if of.Is("identifier") {
		if v := w.Local(of); v.Valid() {
			of = v
		}
	}
	held := syntax.Node{}
	switch {
	case of.Is("attribute") && of.Field("attribute").Text() == "__dict__":
		held = of.Field("object")
	case of.Is("call") && of.Field("function").Text() == "vars":
		held = syntax.PyArg(of, "", 0)
	}
	if elsewhere(w, held) {
		p.Reportf(n, rules.Warning, "patch", "`%s` replaces something of another module, which the tests may rely on", rules.Short(n))
	}
}

// elsewhere reports whether an expression is a module that the file imports, or lies
// in one.
func elsewhere(w *host.Wrapper, n syntax.Node) bool {
	if !n.Is("identifier", "attribute") {
		return false
	}
	for n.Is("attribute") {
		n = n.Field("object")
	}
	return n.Is("identifier") && w.Imports[n.Text()] != ""
}

// dispatcher reports a wrapper that reaches for what the dispatcher and the selector
// keep for themselves: the table of all implementations among it.
func dispatcher(p *rules.Pass, w *host.Wrapper, n syntax.Node) {
	at := n.Parent()
	if at.Is("attribute") && at.Field("object") != n || n.Ancestor("import_statement", "import_from_statement").Valid() ||
		at.Is("keyword_argument") && at.Field("name") == n || at.Is("comparison_operator") {
		return
	}
	full := w.Full(n)
	for _, module := range []string{"tilegym.backend.dispatcher._", "tilegym.backend.selector._"} {
		if rest, ok := strings.CutPrefix(full, module); ok && !strings.Contains(rest, ".") {
			p.Reportf(n, rules.Warning, "backend", "`%s` is the dispatcher's own, through which another backend can answer, with which the port is compared", rules.Short(n))
			return
		}
	}
}
