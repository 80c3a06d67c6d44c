// Package r37 is rule R37: a wrapper takes tensors that require gradients and
// computes forward only.
package r37

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R37.
var Rule = &rules.Rule{
	ID: "R37", Title: "The wrapper is a forward-only autograd surface",
	Category: "process", Owner: "host", Severity: rules.Error, DecidedBy: "cross-file", Fix: "safe",
	Signatures: []string{"S-I05", "S-C08"},
	Why:        "Tests and benchmarks pass tensors that require gradients while they look at the forward pass; a wrapper that refuses them, or that lets them into the library, breaks runs that have nothing to do with gradients.",
	Whys: map[string]string{
		"autograd":      "The backend has forward kernels only: a gradient that the wrapper computes or prepares is no result of the port, and no test compares it.",
		"in place":      "A tensor that shares memory with the caller's is overwritten without autograd's knowledge, and gradients that need the old values become wrong.",
		"backward test": "The backend has no backward kernels, so that the test fails for a reason that says nothing of the port.",
	},
	Triage: []string{
		"Detach each tensor input before it is packed: `if x.requires_grad: x = x.detach()`.",
		"Return a plain tensor; leave gradients to a backend that has backward kernels.",
		"Let backward tests skip cutile-rs in their first lines.",
		"Detach a clone, `x.detach().clone()`, before an op that writes into it.",
	},
	First: map[string]int{"autograd": 1, "keeps": 1, "backward test": 2, "detach": 0, "in place": 3, "refuses": 0},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts, host.Tests, dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	k := host.Of(p).Kernel(p.Kernel)
	if w := k.Wrapper; w != nil {
		refuses(p, w)
		autograd(p, w)
		keepsGrad(p, w)
		inPlace(p, w)
		for _, r := range w.Registers {
			undetached(p, k, r)
		}
	}
	if k.Test != "" {
		if t := host.Tests.Of(p); t != nil {
			tests(p, t)
		} else {
			p.Undecided("the test file is unread")
		}
	}
}

// wanting lists the names x whose x.requires_grad a condition asks for, without
// those under a not. Loops over tuples of names count for each name.
func wanting(cond syntax.Node) []string {
	var out []string
	loop := map[string][]string{}
	for _, in := range cond.Find("for_in_clause") {
		if in.Field("right").Is("tuple", "list") {
			for _, n := range in.Field("right").NamedChildren() {
				loop[in.Field("left").Text()] = append(loop[in.Field("left").Text()], n.Text())
			}
		}
	}
	cond.Inspect(func(n syntax.Node) bool {
		if n.Is("not_operator") {
			return false
		}
		if n.Is("attribute") && n.Field("attribute").Text() == "requires_grad" && n.Field("object").Is("identifier") {
			name := n.Field("object").Text()
			if list := loop[name]; list != nil {
				out = append(out, list...)
			} else {
				out = append(out, name)
			}
		}
		return true
	})
	return out
}

// refuses reports code that raises because a tensor requires gradients.
func refuses(p *rules.Pass, w *host.Wrapper) {
	for _, n := range w.File.Root().Find("if_statement", "assert_statement") {
		if !w.Reached(host.Owner(n)) {
			continue
		}
		if n.Is("assert_statement") {
			cond := n.NamedChild(0)
			if cond.Is("not_operator") && len(wanting(cond.Field("argument"))) > 0 {
				p.ReportFix(n, rules.Error, "refuses", assertFix(n, cond), "`%s` refuses tensors that require gradients; expected `x = x.detach()`", cond.Squeeze())
			}
			continue
		}
		cond, body := n.Field("condition"), n.Field("consequence")
		raise := body.ChildOf("raise_statement")
		if names := wanting(cond); len(names) > 0 && raise.Valid() {
			var fix *rules.Fix
			if cond.Is("attribute") && len(body.NamedChildren()) == 1 && !n.Field("alternative").Valid() && usedAfter(n, names[0]) {
				fix = rules.Replace(raise, names[0]+" = "+names[0]+".detach()", "detach the tensor")
			}
			p.ReportFix(raise, rules.Error, "refuses", fix, "the wrapper raises when `%s` requires gradients; tests pass such tensors to the forward pass, expected `%s = %s.detach()`", names[0], names[0], names[0])
		}
	}
}

func assertFix(n, cond syntax.Node) *rules.Fix {
	arg := cond.Field("argument")
	if !arg.Is("attribute") || !arg.Field("object").Is("identifier") || !usedAfter(n, arg.Field("object").Text()) {
		return nil
	}
	x := arg.Field("object").Text()
	return rules.Replace(n, "if "+arg.Text()+":\n"+host.Indent(n)+"    "+x+" = "+x+".detach()", "detach the tensor")
}

// usedAfter reports whether a statement's function uses a name after it, so
// that a new value of the name has an effect.
func usedAfter(stmt syntax.Node, name string) bool {
	for _, id := range host.Owner(stmt).Find("identifier") {
		if id.Text() == name && id.Span().Start >= stmt.Span().End {
			return true
		}
	}
	return false
}

// autograd reports gradient code in the wrapper.
func autograd(p *rules.Pass, w *host.Wrapper) {
	for _, c := range w.File.Root().Find("class_definition") {
		for _, base := range c.Field("superclasses").NamedChildren() {
			if full(w, base) == "torch.autograd.Function" {
				p.Reportf(c.Field("name"), rules.Error, "autograd", "`%s` is an autograd function; the backend has no backward kernels, expected a plain forward function", c.Field("name").Text())
			}
		}
	}
	for _, c := range w.File.Root().Find("call") {
		fn := c.Field("function")
		switch name := syntax.PyName(fn); {
		case !fn.Is("attribute"):
		case name == "save_for_backward":
			p.Reportf(fn, rules.Error, "autograd", "`%s` keeps tensors for a backward pass that the backend does not have", fn.Squeeze())
		case name == "register_autograd":
			p.Reportf(fn, rules.Error, "autograd", "`%s` gives the op a backward function; the backend has no backward kernels, expected a plain forward function", fn.Squeeze())
		case name == "backward" || full(w, fn) == "torch.autograd.grad":
			p.Reportf(fn, rules.Error, "autograd", "`%s` computes gradients in the wrapper; the backend is forward only", fn.Squeeze())
		}
	}
}

// full is a dotted name with its first part replaced by what it was imported
// as.
func full(w *host.Wrapper, n syntax.Node) string {
	first, rest, more := strings.Cut(syntax.PyDotted(n), ".")
	if as := w.Imports[first]; as != "" {
		first = as
	}
	if more {
		return first + "." + rest
	}
	return first
}

// keepsGrad reports results that are made to require gradients.
func keepsGrad(p *rules.Pass, w *host.Wrapper) {
	const format = "`%s` makes a tensor of the wrapper require gradients; a forward-only result must not"
	for _, n := range w.File.Root().Find("call", "keyword_argument", "assignment") {
		if !w.Reached(host.Owner(n)) {
			continue
		}
		switch n.Kind() {
		case "call":
			arg := syntax.PyArg(n, "requires_grad", 0)
			if syntax.PyName(n.Field("function")) == "requires_grad_" && !arg.Is("false") {
				p.Reportf(n, rules.Error, "keeps", format, n.Squeeze())
			}
		case "keyword_argument":
			call := n.Parent().Parent()
			if n.Field("name").Text() == "requires_grad" && !n.Field("value").Is("false") && strings.HasPrefix(full(w, call.Field("function")), "torch.") {
				p.Reportf(n, rules.Error, "keeps", format, n.Squeeze())
			}
		case "assignment":
			if left := n.Field("left"); left.Is("attribute") && left.Field("attribute").Text() == "requires_grad" && !n.Field("right").Is("false") {
				p.Reportf(n, rules.Error, "keeps", format, n.Squeeze())
			}
		}
	}
}

// inPlace warns of an in-place op that writes through a detached view of the
// caller's tensor.
func inPlace(p *rules.Pass, w *host.Wrapper) {
	if !slices.ContainsFunc(w.Registers, func(r *host.Register) bool {
		name := r.Func.Field("name").Text()
		return strings.HasSuffix(r.Op, "_") || strings.HasSuffix(name, "_") && !strings.HasSuffix(name, "__")
	}) {
		return
	}
	for _, c := range w.File.Root().Find("call") {
		fn := c.Field("function")
		if !w.Reached(host.Owner(c)) || !fn.Is("attribute") || syntax.PyName(fn) != "detach" {
			continue
		}
		before := fn.Field("object")
		after := c.Parent()
		if after.Is("attribute") && after.Field("attribute").Text() == "clone" ||
			before.Is("call") && syntax.PyName(before.Field("function")) == "clone" {
			continue
		}
		p.Reportf(c, rules.Warning, "in place", "`%s` shares memory with the caller's tensor, which the in-place op then overwrites behind autograd's back; expected `.detach().clone()`", c.Squeeze())
	}
}

// undetached reports parameters of a registered function that reach the
// library with their gradient history.
func undetached(p *rules.Pass, k *host.Kernel, r *host.Register) {
	f := &flow{k: k, w: k.Wrapper, found: map[syntax.Node]bool{}, budget: maxSteps}
	f.registered(value{fn: r.Func}, 0)
	if f.budget <= 0 {
		p.Undecided("the wrapper is too large to follow")
		return
	}
	byFunc := map[syntax.Node][]syntax.Node{}
	var order []syntax.Node
	for param := range f.found {
		fn := param.Ancestor("function_definition", "lambda")
		if byFunc[fn] == nil {
			order = append(order, fn)
		}
		byFunc[fn] = append(byFunc[fn], param)
	}
	slices.SortFunc(order, before)
	for _, fn := range order {
		params := byFunc[fn]
		slices.SortFunc(params, before)
		var names []string
		for _, q := range params {
			names = append(names, q.Text())
		}
		at, called := fn.Field("name"), fn.Field("name").Text()
		if !at.Valid() {
			at, called = fn, "the lambda"
		}
		p.ReportFix(at, rules.Error, "detach", detachFix(fn, names), "%s of `%s` can require gradients and reaches the library as it is; expected `if %s.requires_grad: %s = %s.detach()` before",
			rules.List(names), called, names[0], names[0], names[0])
	}
}

func before(a, b syntax.Node) int { return a.Span().Start - b.Span().Start }

// detachFix adds a guard for each name at the start of the function. It wants
// to see that the name is a tensor: the function uses one of its attributes.
func detachFix(fn syntax.Node, names []string) *rules.Fix {
	var b strings.Builder
	first := firstStatement(fn)
	if !first.Valid() {
		return nil
	}
	for _, name := range names {
		if !tensor(fn, name) {
			return nil
		}
		indent := host.Indent(first)
		b.WriteString("if " + name + ".requires_grad:\n" + indent + "    " + name + " = " + name + ".detach()\n" + indent)
	}
	return rules.Insert(first.Span().Start, b.String(), "detach before the first use")
}

// firstStatement is the first statement of a function after its docstring.
func firstStatement(fn syntax.Node) syntax.Node {
	body := fn.Field("body").NamedChildren()
	for i, s := range body {
		if i == 0 && s.Is("expression_statement") && s.NamedChild(0).Is("string", "concatenated_string") {
			continue
		}
		if s.Pos().Line == fn.Pos().Line {
			return syntax.Node{} // a one-line function
		}
		return s
	}
	return syntax.Node{}
}

// tensor reports whether a function treats a name as a tensor without asking.
func tensor(fn syntax.Node, name string) bool {
	found := false
	for _, a := range fn.Field("body").Find("attribute") {
		switch a.Field("attribute").Text() {
		case "shape", "dtype", "device", "is_cuda", "contiguous", "ndim", "numel", "view", "reshape":
			found = found || a.Field("object").Text() == name
		}
	}
	for _, c := range fn.Field("body").Find("comparison_operator", "call") {
		if c.Is("comparison_operator") && c.ChildOf("is", "is not").Valid() && c.NamedChild(0).Text() == name ||
			c.Is("call") && syntax.PyDotted(c.Field("function")) == "isinstance" && syntax.PyArg(c, "", 0).Text() == name {
			return false // may be something else
		}
	}
	return found
}
