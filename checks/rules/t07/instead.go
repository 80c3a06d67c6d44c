package t07

import (
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// instead reports a wrapper that answers without launching: by another
// backend's implementation, or by what an earlier launch returned.
func instead(p *rules.Pass, w *host.Wrapper) {
	others(p, w)
	remembered(p, w)
}

// others reports what belongs to other backends.
func others(p *rules.Pass, w *host.Wrapper) {
	ops := map[string]bool{}
	for _, r := range w.Registers {
		ops[r.Op], ops[r.Func.Field("name").Text()] = true, true
	}
	for _, c := range w.File.Root().Find("call") {
		fn := c.Field("function")
		full, name := strings.TrimLeft(w.Full(fn), "."), syntax.PyName(fn)
		switch {
		case name == "register_impl":
			if backend, ok := w.String(syntax.PyArg(c, "backend", 1)); ok && backend != "cutile-rs" {
				p.Reportf(c, rules.Warning, "backend", "`%s` registers an implementation for the backend `%s`, with which the port is compared", cut(c), backend)
			}
		case w.Region(c) == host.Unreached:
		case name == "set_backend":
			p.Reportf(c, rules.Warning, "backend", "`%s` selects the backend from within an implementation", cut(c))
		case name == "import_module" || full == "__import__":
			if module, ok := w.String(syntax.PyArg(c, "name", 0)); ok && otherBackend(module+".x") {
				p.Reportf(c, rules.Warning, "backend", "`%s` loads `%s`, which belongs to another backend, with which the port is compared", cut(c), module)
			}
		case otherBackend(full) && launchesElsewhere(p, full):
			p.Reportf(fn, rules.Warning, "backend", "`%s` answers in place of the kernel: `%s` launches another backend's, with which the port is compared", fn.Squeeze(), full)
		case ops[full[strings.LastIndexByte(full, '.')+1:]] && otherBackend(full):
			p.Reportf(fn, rules.Warning, "backend", "`%s` answers in place of the kernel: `%s` belongs to another backend, with which the port is compared", fn.Squeeze(), full)
		}
	}
}

// otherBackend reports whether a dotted name lies in the ops of another
// backend, or is the dispatcher's own.
func otherBackend(full string) bool {
	path := strings.TrimPrefix(strings.TrimPrefix(full, "tilegym."), "ops.")
	first, rest, _ := strings.Cut(path, ".")
	switch first {
	case "cutile", "triton", "tilecpp", "pytorch":
		return rest != ""
	}
	return strings.HasPrefix(full, "tilegym.ops.") && rest == ""
}

// launchesElsewhere reports whether a function of another backend's op launches
// a kernel, by itself or by functions of its file.
func launchesElsewhere(p *rules.Pass, full string) bool {
	dotted, name := full, ""
	for range 2 { // a function of the module, or a method of its class
		i := strings.LastIndexByte(dotted, '.')
		if i < 0 {
			return false
		}
		dotted, name = dotted[:i], dotted[i+1:]
		at := "src/" + strings.ReplaceAll(dotted, ".", "/") + ".py"
		if p.Tree.Exists(at) {
			return launchesIn(p.Tree.File(at), name)
		}
	}
	return false
}

// launchesIn follows the functions and classes of a file from a name to a launch.
func launchesIn(f *syntax.File, name string) bool {
	defs := map[string]syntax.Node{}
	for _, d := range f.Root().Find("function_definition", "class_definition") {
		defs[d.Field("name").Text()] = d
	}
	seen, todo := map[string]bool{name: true}, []string{name}
	for len(todo) > 0 {
		body := defs[todo[0]].Field("body")
		todo = todo[1:]
		for _, c := range body.Find("call") {
			switch fn := c.Field("function"); syntax.PyName(fn) {
			case "launch", "exhaustive_search", "autotune_launch":
				return true
			}
			if c.Field("function").Is("subscript") {
				return true // kernel[grid](..)
			}
		}
		for _, id := range body.Find("identifier") {
			if next := id.Text(); defs[next].Valid() && !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return false
}

// remembered reports results of a launch that outlive the call.
func remembered(p *rules.Pass, w *host.Wrapper) {
	launches := w.Launches()
	for fn := range launches {
		for _, d := range syntax.PyDecorators(fn) {
			at := d
			if d.Is("call") {
				d = d.Field("function")
			}
			switch w.Full(d) {
			case "functools.lru_cache", "functools.cache", "cachetools.cached":
				p.Reportf(at, rules.Warning, "remembered", "`%s` remembers what `%s` returned: a second call with the same arguments launches nothing", at.Squeeze(), fn.Field("name").Text())
			}
		}
	}
	for _, n := range w.File.Root().Find("assignment", "call") {
		owner := host.Owner(n)
		if _, ok := launches[owner]; !ok || !owner.Is("function_definition") {
			continue
		}
		var target, value syntax.Node
		if n.Is("assignment") {
			target, value = n.Field("left"), n.Field("right")
			if target.Is("identifier") && !global(owner, target.Text()) {
				continue
			}
		} else {
			target, value = n.Field("function").Field("object"), stored(n)
		}
		kept := target.Is("attribute") && parameterOf(owner, target.NamedChild(0)) && readElsewhere(w, target)
		for target.Is("subscript", "attribute") {
			target = target.NamedChild(0)
		}
		for value.Is("assignment") { // a = b = value
			value = value.Field("right")
		}
		if !target.Is("identifier") || !kept && !outlives(w, owner, target) || !result(w, launches, owner, value) && !answer(owner, value) {
			continue
		}
		p.Reportf(n, rules.Warning, "remembered", "`%s` keeps the result of a launch beyond the call, so that a later call can return it without launching", cut(n))
	}
}

// parameterOf reports whether an expression is a parameter of a function.
func parameterOf(fn, id syntax.Node) bool {
	for _, q := range fn.Field("parameters").NamedChildren() {
		if id.Is("identifier") && (q.Text() == id.Text() || q.Field("name").Text() == id.Text() || q.Is("typed_parameter") && q.NamedChild(0).Text() == id.Text()) {
			return true
		}
	}
	return false
}

// readElsewhere reports whether the file asks for an attribute by name, or reads
// it where it is not assigned.
func readElsewhere(w *host.Wrapper, target syntax.Node) bool {
	name := target.Field("attribute").Text()
	for _, c := range w.File.Root().Find("call") {
		switch syntax.PyName(c.Field("function")) {
		case "hasattr", "getattr":
			if s, ok := w.String(syntax.PyArg(c, "", 1)); ok && s == name {
				return true
			}
		}
	}
	return false
}

// answer reports whether a value is what the function gives the library to write
// and returns: the tensor behind a descriptor.
func answer(fn, value syntax.Node) bool {
	for value.Is("attribute", "subscript", "parenthesized_expression", "call") {
		if value.Is("call") && !value.Field("function").Is("attribute") {
			return false
		}
		value = value.NamedChild(0)
	}
	if !value.Is("identifier") {
		return false
	}
	described, back := false, false
	for _, c := range fn.Find("call") {
		described = described || syntax.PyName(c.Field("function")) == "make_tensor_desc" && syntax.PyArg(c, "t", 1).Text() == value.Text()
	}
	for _, r := range fn.Find("return_statement") {
		for _, id := range r.Find("identifier") {
			back = back || id.Text() == value.Text()
		}
		for _, a := range r.Find("attribute") {
			back = back || a.Squeeze() != "" && strings.HasPrefix(a.Squeeze(), value.Text()+".")
		}
	}
	return described && (back || returnsKept(fn, value))
}

// returnsKept reports whether a function returns an attribute that it has given
// a value.
func returnsKept(fn, value syntax.Node) bool {
	for _, a := range fn.Find("assignment") {
		left := a.Field("left")
		if !left.Is("attribute", "subscript") || !strings.HasPrefix(a.Field("right").Squeeze(), value.Text()) {
			continue
		}
		for _, r := range fn.Find("return_statement") {
			if r.NamedChild(0).Squeeze() == left.Squeeze() {
				return true
			}
		}
	}
	return false
}

// stored is what a call puts into the container that it is a method of.
func stored(call syntax.Node) syntax.Node {
	switch syntax.PyName(call.Field("function")) {
	case "setdefault", "__setitem__", "insert":
		return syntax.PyArg(call, "", 1)
	case "append", "appendleft", "add":
		return syntax.PyArg(call, "", 0)
	case "update", "extend":
		list := syntax.PyArg(call, "", 0)
		if list.Is("dictionary") {
			return list.ChildOf("pair").Field("value")
		}
		return list.NamedChild(0)
	}
	return syntax.Node{}
}

// global reports whether a function assigns to the module's name.
func global(fn syntax.Node, name string) bool {
	for _, g := range fn.Find("global_statement", "nonlocal_statement") {
		for _, id := range g.NamedChildren() {
			if id.Text() == name {
				return true
			}
		}
	}
	return false
}

// outlives reports whether a name is the module's and not the function's.
func outlives(w *host.Wrapper, fn, id syntax.Node) bool {
	name := id.Text()
	if global(fn, name) {
		return true
	}
	for _, q := range fn.Field("parameters").NamedChildren() {
		if q.Is("default_parameter", "typed_default_parameter") && q.Field("name").Text() == name && q.Field("value").Is("dictionary", "list", "call", "set") {
			return true // the default is made once
		}
		if q.Text() == name || q.Field("name").Text() == name || q.NamedChild(0).Text() == name {
			return false
		}
	}
	for _, a := range fn.Find("assignment", "for_statement", "named_expression", "as_pattern_target") {
		if left := a.Field("left"); left.Is("identifier") && left.Text() == name || a.Field("name").Text() == name || a.Is("as_pattern_target") && a.Text() == name {
			return false
		}
	}
	for _, c := range w.File.Root().NamedChildren() {
		if c.Is("class_definition") && c.Field("name").Text() == name {
			return true
		}
	}
	return w.Consts[name].Valid() || w.Function(id).Valid()
}

// result reports whether a value is what a launch returned, directly or by a
// name of the function.
func result(w *host.Wrapper, launches map[syntax.Node]int, fn, value syntax.Node) bool {
	for range 3 {
		for value.Is("attribute", "subscript", "parenthesized_expression") {
			value = value.NamedChild(0)
		}
		switch {
		case value.Is("call"):
			callee := value.Field("function")
			if syntax.PyName(callee) == "autotune_launch" {
				return true
			}
			if f := w.Function(callee); callee.Is("identifier") && f.Valid() {
				_, ok := launches[f]
				return ok
			}
			if !callee.Is("attribute") {
				return false
			}
			value = callee.Field("object") // result.reshape(..)
		case value.Is("identifier"):
			var last syntax.Node
			for _, a := range fn.Find("assignment") {
				if a.Field("left").Text() == value.Text() && host.Owner(a) == fn && a.Field("right").Valid() {
					last = a.Field("right")
				}
			}
			if !last.Valid() {
				return false
			}
			for last.Is("assignment") {
				last = last.Field("right")
			}
			value = last
		default:
			return false
		}
	}
	return false
}

// cut is code for a message, shortened.
func cut(n syntax.Node) string {
	text := []rune(n.Squeeze())
	if len(text) > 60 {
		return string(text[:57]) + "..."
	}
	return string(text)
}
