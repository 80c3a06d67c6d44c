package r37

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// tests warns of backward tests that run with the backend.
func tests(p *rules.Pass, w *host.Wrapper) {
	lists := w.BackendLists()
	var c *cases
	s := newSkips(w)
	for _, fn := range w.File.Root().Find("function_definition") {
		name := fn.Field("name")
		if !strings.HasPrefix(name.Text(), "test") {
			continue
		}
		param := w.BackendParam(fn, lists)
		if param == "" {
			continue
		}
		use := s.backwardUse(fn, param)
		if !use.Valid() {
			continue
		}
		if c == nil {
			c = casesOf(w, lists)
		}
		switch c.run(fn, param) {
		case host.No:
			continue
		case host.Unsure:
			p.Undecided("the list of the test's backends may leave out the backend")
			continue
		}
		switch s.skipped(fn, param, use) {
		case host.Yes:
		case host.Unsure:
			p.Undecided("the test may skip the backend")
		default:
			p.ReportFix(name, rules.Warning, "backward test", skipFix(w, fn, param), "`%s` runs a backward pass with `cutile-rs`, which has none; expected `if %s == \"cutile-rs\": pytest.skip(..)` first", name.Text(), param)
		}
	}
}

// backwardUse is where a test asks for gradients: a call of backward or of
// autograd.grad, a benchmark of the backward pass, or, in a test whose name
// says so, anything about gradients. Uses that other backends alone reach do
// not count.
func (s *skips) backwardUse(fn syntax.Node, param string) syntax.Node {
	w := s.w
	named := slices.ContainsFunc(strings.Split(fn.Field("name").Text(), "_"), func(word string) bool { return word == "backward" || word == "bwd" })
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
			hit = f.Is("attribute") && name == "backward" && !s.ofReference(fn, f.Field("object"), param) || full(w, f) == "torch.autograd.grad"
			if strings.HasPrefix(name, "benchmark") {
				mode, _ := w.String(syntax.PyArg(n, "mode", 1))
				hit = hit || mode == "backward" || mode == "auto"
			}
			hit = hit || named && strings.Contains(name, "backward") && !s.decides(n, param)
		case "attribute":
			hit = named && n.Field("attribute").Text() == "grad"
		case "keyword_argument":
			hit = named && n.Field("name").Text() == "gradient"
		}
		if hit && s.reaches(fn, n, param) && !s.wantsGrad(fn, n) {
			use = n
		}
		return true
	})
	return use
}

// ofReference reports whether a tensor is surely what a function of the file made
// that has nothing to do with the op: a gradient of the reference alone.
func (s *skips) ofReference(fn, tensor syntax.Node, param string) bool {
	for tensor.Is("call", "attribute", "subscript") { // ref.sum()
		tensor = tensor.NamedChild(0)
	}
	dispatched := func(n syntax.Node) bool {
		return slices.ContainsFunc(append(n.Find("attribute", "identifier"), n), func(c syntax.Node) bool {
			return strings.HasPrefix(full(s.w, c), "tilegym.") || c.Text() == param
		})
	}
	values := s.valuesOf(fn, tensor.Text())
	if !tensor.Is("identifier") || len(values) == 0 {
		return false
	}
	for _, v := range values {
		made, _ := s.helper(v.Field("function"))
		if !v.Is("call") || !made.Valid() || dispatched(made.Field("body")) || dispatched(v) {
			return false
		}
		for _, id := range v.Field("arguments").Find("identifier") {
			if slices.ContainsFunc(s.valuesOf(fn, id.Text()), dispatched) {
				return false
			}
		}
	}
	return true
}

// asking are first words of helpers that find out whether a test can run.
var asking = []string{"skip", "needs", "need", "require", "requires", "supports", "support", "has", "can", "check", "ensure", "assume", "is", "only"}

// decides reports whether a call, which has backward in its name, may skip the test
// for the backend.
func (s *skips) decides(c syntax.Node, param string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(syntax.PyName(c.Field("function")), "_"), "_")
	return slices.Contains(asking, first) || s.helps(c) && s.call(param, c) != host.No
}

// wantsGrad reports whether a place stands under requires_grad: the result of a
// forward-only op requires none.
func (s *skips) wantsGrad(fn, n syntax.Node) bool {
	for c := n; c.Valid() && c != fn; c = c.Parent() {
		cond, negate, ok := host.Branch(c)
		if !ok || negate {
			continue
		}
		wants, known := s.wants[cond]
		if !known {
			wants = len(wanting(cond)) > 0
			s.wants[cond] = wants
		}
		if wants {
			return true
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
	return rules.Insert(first.Span().Start, "if "+param+" == \"cutile-rs\":\n"+indent+"    pytest.skip(\"cutile-rs is forward only\")\n"+indent, "skip the backend")
}
