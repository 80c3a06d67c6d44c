package r37

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

const backend = "cutile-rs"

// tests warns of backward tests that run with the backend.
func tests(p *rules.Pass, w *host.Wrapper) {
	lists := backendLists(w)
	for _, fn := range w.File.Root().Find("function_definition") {
		name := fn.Field("name")
		if !strings.HasPrefix(name.Text(), "test") {
			continue
		}
		param := parametrized(w, fn, lists)
		if param == "" {
			continue
		}
		use := backwardUse(w, fn, param)
		if !use.Valid() {
			continue
		}
		switch skipped(w, fn, param, use) {
		case yes:
		case unknown:
			p.Undecided("the test may skip the backend")
		default:
			p.ReportFix(name, rules.Warning, "backward test", skipFix(w, fn, param), "`%s` runs a backward pass with `cutile-rs`, which has none; expected `if %s == \"cutile-rs\": pytest.skip(..)` first", name.Text(), param)
		}
	}
}

// backendLists names the lists of backends that hold the backend.
func backendLists(w *host.Wrapper) map[string]bool {
	out := map[string]bool{}
	holds := func(n syntax.Node) bool { return holdsBackend(w, n, out) }
	for range 4 { // lists are built from lists
		for _, a := range w.File.Root().Find("assignment", "augmented_assignment") {
			if left := a.Field("left"); left.Is("identifier") && holds(a.Field("right")) {
				out[left.Text()] = true
			}
		}
		for _, c := range w.File.Root().Find("call") {
			fn := c.Field("function")
			if name := syntax.PyName(fn); fn.Is("attribute") && (name == "append" || name == "extend" || name == "insert") && holds(c.Field("arguments")) {
				out[syntax.PyName(fn.Field("object"))] = true
			}
		}
	}
	return out
}

// holdsBackend reports whether an expression holds the backend's name or one
// of the lists. The question whether it is available holds nothing.
func holdsBackend(w *host.Wrapper, n syntax.Node, lists map[string]bool) bool {
	found := false
	n.Inspect(func(c syntax.Node) bool {
		switch c.Kind() {
		case "call":
			if name := syntax.PyName(c.Field("function")); strings.HasPrefix(name, "is_backend_available") {
				return false
			}
		case "comparison_operator", "lambda":
			return false
		case "string":
			found = found || syntax.PyString(c) == backend
		case "identifier":
			found = found || lists[c.Text()]
		}
		return true
	})
	return found
}

// parametrized is the name of the test's parameter that takes the backend;
// empty when it takes none.
func parametrized(w *host.Wrapper, fn syntax.Node, lists map[string]bool) string {
	marks := syntax.PyDecorators(fn)
	if class := fn.Ancestor("class_definition"); class.Valid() {
		marks = append(marks, syntax.PyDecorators(class)...)
	}
	if m := w.Consts["pytestmark"]; m.Valid() {
		marks = append(marks, m.Find("call")...)
	}
	for _, d := range marks {
		if !d.Is("call") || syntax.PyName(d.Field("function")) != "parametrize" || !holdsBackend(w, syntax.PyArg(d, "argvalues", 1), lists) {
			continue
		}
		arg := syntax.PyArg(d, "argnames", 0)
		var names []string
		if s, ok := w.String(arg); ok {
			names = strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
		}
		for _, c := range arg.NamedChildren() {
			if s := syntax.PyString(c); s != "" {
				names = append(names, s)
			}
		}
		for _, n := range names {
			if len(names) == 1 || strings.Contains(n, "backend") || strings.Contains(n, "framework") {
				return n
			}
		}
	}
	return ""
}

// backwardUse is where a test asks for gradients: a call of backward or of
// autograd.grad, a benchmark of the backward pass, or, in a test whose name
// says so, anything about gradients. Uses that other backends alone reach do
// not count.
func backwardUse(w *host.Wrapper, fn syntax.Node, param string) syntax.Node {
	named := slices.ContainsFunc(strings.Split(fn.Field("name").Text(), "_"), func(s string) bool { return s == "backward" || s == "bwd" })
	var use syntax.Node
	fn.Field("body").Inspect(func(n syntax.Node) bool {
		if use.Valid() {
			return false
		}
		hit := false
		switch n.Kind() {
		case "call":
			f := n.Field("function")
			name := syntax.PyName(f)
			hit = f.Is("attribute") && name == "backward" || full(w, f) == "torch.autograd.grad"
			if strings.HasPrefix(name, "benchmark") {
				mode, _ := w.String(syntax.PyArg(n, "mode", 1))
				hit = hit || mode == "backward" || mode == "auto"
			}
			hit = hit || named && strings.Contains(name, "backward")
		case "attribute":
			hit = named && n.Field("attribute").Text() == "grad"
		case "keyword_argument":
			hit = named && n.Field("name").Text() == "gradient"
		}
		if hit && reaches(w, fn, n, param) {
			use = n
		}
		return true
	})
	return use
}

// reaches reports whether the backend gets to a place, by the conditions
// around it. A place under requires_grad is not reached: the result of a
// forward-only op requires none.
func reaches(w *host.Wrapper, fn, n syntax.Node, param string) bool {
	for c := n; c.Valid() && c != fn; c = c.Parent() {
		p := c.Parent()
		stmt, cond := p, p.Field("condition")
		negate := false
		switch {
		case p.Is("if_statement") && p.Field("consequence") == c:
		case p.Is("elif_clause") && p.Field("consequence") == c:
		case p.Is("else_clause"):
			stmt, negate = p.Parent(), true
			cond = stmt.Field("condition")
		case p.Is("conditional_expression"):
			parts := p.NamedChildren()
			cond, negate = parts[1], c == parts[2]
		default:
			continue
		}
		if stmt.Is("for_statement", "while_statement", "try_statement") {
			continue
		}
		if !negate && len(wanting(cond)) > 0 {
			return false
		}
		switch a := ask(w, cond, param); {
		case a == unknown, a == no && !negate, a == yes && negate:
			return false
		}
	}
	return true
}

// answer is the value of a condition for the backend.
type answer uint8

const (
	other   answer = iota // depends on other things
	no                    // false
	yes                   // true
	unknown               // depends on the backend in a way that is not understood
)

// ask evaluates a condition with the backend's name in the parameter.
func ask(w *host.Wrapper, n syntax.Node, param string) answer {
	switch n.Kind() {
	case "parenthesized_expression":
		return ask(w, n.NamedChild(0), param)
	case "not_operator":
		return not(ask(w, n.Field("argument"), param))
	case "boolean_operator":
		l, r := ask(w, n.Field("left"), param), ask(w, n.Field("right"), param)
		decisive, neutral := no, yes
		if n.Field("operator").Text() == "or" {
			decisive, neutral = yes, no
		}
		switch {
		case l == decisive || r == decisive:
			return decisive
		case l == unknown || r == unknown:
			return unknown
		case l == neutral && r == neutral:
			return neutral
		}
		return other
	case "comparison_operator":
		parts := n.NamedChildren()
		if len(parts) != 2 {
			break
		}
		l, r := parts[0], parts[1]
		if r.Text() == param && !n.ChildOf("in", "not in").Valid() {
			l, r = r, l
		}
		if l.Text() != param {
			break
		}
		switch {
		case n.ChildOf("==", "!=").Valid():
			s, ok := w.String(r)
			if !ok {
				return unknown
			}
			return truth((s == backend) == n.ChildOf("==").Valid())
		case n.ChildOf("in", "not in").Valid():
			set := w.Const(r)
			if !set.Is("tuple", "list", "set") {
				return unknown
			}
			found := false
			for _, e := range set.NamedChildren() {
				s, ok := w.String(e)
				if !ok {
					return unknown
				}
				found = found || s == backend
			}
			return truth(found == n.ChildOf("in").Valid())
		}
	case "call":
		fn := n.Field("function")
		switch name := syntax.PyName(fn); {
		case name == "is_backend_available":
			return yes
		case fn.Is("attribute") && fn.Field("object").Text() == param && (name == "startswith" || name == "endswith"):
			s, ok := w.String(syntax.PyArg(n, "", 0))
			if !ok {
				return unknown
			}
			if name == "startswith" {
				return truth(strings.HasPrefix(backend, s))
			}
			return truth(strings.HasSuffix(backend, s))
		}
	}
	for _, id := range n.Find("identifier") {
		if id.Text() == param {
			return unknown
		}
	}
	return other
}

func truth(b bool) answer {
	if b {
		return yes
	}
	return no
}

func not(a answer) answer {
	switch a {
	case yes:
		return no
	case no:
		return yes
	}
	return a
}

// skipped reports whether the test ends for the backend before the use.
func skipped(w *host.Wrapper, fn syntax.Node, param string, use syntax.Node) answer {
	for _, d := range syntax.PyDecorators(fn) {
		if strings.Contains(syntax.PyName(d.Field("function")), "skip") || syntax.PyName(d.Field("function")) == "xfail" {
			return unknown
		}
	}
	result := no
	for _, st := range fn.Field("body").NamedChildren() {
		if st.Span().Start >= use.Span().Start {
			break
		}
		switch st.Kind() {
		case "if_statement":
			if leaves(st.Field("consequence")) {
				switch ask(w, st.Field("condition"), param) {
				case yes:
					return yes
				case unknown:
					result = unknown
				}
			}
		case "expression_statement":
			if c := st.NamedChild(0); c.Is("call") && strings.Contains(syntax.PyName(c.Field("function")), "skip") {
				result = unknown // a helper decides
			}
		}
	}
	return result
}

// leaves reports whether a block ends the test.
func leaves(block syntax.Node) bool {
	for _, s := range block.NamedChildren() {
		switch s.Kind() {
		case "return_statement", "raise_statement":
			return true
		case "expression_statement":
			switch c := s.NamedChild(0); syntax.PyName(c.Field("function")) {
			case "skip", "xfail", "skipTest":
				return true
			}
		}
	}
	return false
}

// skipFix adds the skip as the test's first statement.
func skipFix(w *host.Wrapper, fn syntax.Node, param string) *rules.Fix {
	first := firstStatement(fn)
	has := slices.ContainsFunc(host.Params(fn), func(q syntax.Node) bool { return q.Text() == param })
	if !first.Valid() || !has || w.Imports["pytest"] != "pytest" {
		return nil
	}
	indent := host.Indent(first)
	return rules.Insert(first.Span().Start, "if "+param+" == \"cutile-rs\":\n"+indent+"    pytest.skip(\"cutile-rs is forward only\")\n"+indent, "Skip the backend")
}
