package r35

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// declarations compares each C declaration with the export of that name.
func declarations(p *rules.Pass, k *host.Kernel, w *host.Wrapper) {
	for _, b := range w.Binds {
		if b.CDef == nil {
			continue
		}
		for _, d := range b.CDef.Decls {
			if e := k.Crate.Export(d.Name); e != nil {
				compare(p, d, e)
			}
		}
	}
}

// plain is a parameter's name without the underscore that marks it unused.
func plain(name string) string { return strings.TrimLeft(name, "_") }

func compare(p *rules.Pass, d *host.CDecl, e *host.Export) {
	if same, known := d.Return.Same(host.RustType(e.Return)); known && !same {
		p.Reportf(d.NameAt, rules.Error, "return", "`%s` is declared to return `%s`, the export returns `%s`", d.Name, d.Return.Text, e.Return)
	}
	var c, rust []string
	for _, q := range d.Params {
		c = append(c, plain(q.Name))
	}
	for _, q := range e.Params {
		rust = append(rust, plain(q.Name))
	}
	if len(c) != len(rust) {
		at := d.NameAt
		if i := slices.IndexFunc(c, func(s string) bool { return s != "" && !slices.Contains(rust, s) }); i >= 0 {
			at = d.Params[i].Node
		}
		p.Reportf(at, rules.Error, "count", "`%s` is declared with %d parameters, the export has %d%s", d.Name, len(c), len(rust), difference(c, rust))
		return
	}
	permuted := slices.Equal(sorted(c), sorted(rust)) && !slices.Equal(c, rust) && !slices.Contains(c, "")
	for i, q := range d.Params {
		r := e.Params[i]
		same, known := q.Type.Same(host.RustType(r.Type))
		switch {
		case known && !same:
			p.Reportf(q.Node, rules.Error, "type", "parameter %d of `%s` is declared as `%s`, the export takes `%s: %s`", i+1, d.Name, rules.Short(q.Node), r.Name, r.Type)
		case c[i] == "" || c[i] == rust[i]:
		case permuted:
			p.Reportf(q.Node, rules.Error, "order", "parameter %d of `%s` is declared as `%s`, the export takes `%s` there: the same names in another order", i+1, d.Name, q.Name, r.Name)
		default:
			p.Reportf(q.Node, rules.Warning, "name", "parameter %d of `%s` is declared as `%s`, the export calls it `%s`", i+1, d.Name, q.Name, r.Name)
		}
	}
}

func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}

// difference names the parameters that only one side has.
func difference(c, rust []string) string {
	only := func(a, b []string) []string {
		var out []string
		for _, s := range a {
			if s != "" && !slices.Contains(b, s) {
				out = append(out, s)
			}
		}
		return out
	}
	out := ""
	if o := only(c, rust); len(o) > 0 {
		out += "; only declared: " + list(o)
	}
	if o := only(rust, c); len(o) > 0 {
		out += "; only exported: " + list(o)
	}
	return out
}

// arguments compares a call of the library with the declaration.
func arguments(p *rules.Pass, k *host.Kernel, w *host.Wrapper, c *host.LibCall) {
	d := declaration(w, c.Symbol)
	if d == nil || !visible(w) {
		return
	}
	if c.Hidden {
		p.Undecided("arguments of the call are hidden behind a star")
		return
	}
	if len(c.Args) != len(d.Params) {
		p.Reportf(c.Node, rules.Error, "arguments", "`%s` is called with %d arguments and declared with %d parameters", c.Symbol, len(c.Args), len(d.Params))
		return
	}
	swappedArguments(p, k, w, c, d)
	fixedTarget(p, w, c, d)
	for i, arg := range c.Args {
		param := d.Params[i]
		pointer := param.Type.Pointer > 0
		desc, isDesc := w.DescOf(arg)
		switch {
		case pointer && desc.Node == arg && isDesc:
			p.Reportf(arg, rules.Note, "inline", "the descriptor for `%s` lives only during the call; bind it to a name so that it stays alive", param.Name)
		case pointer && isDesc:
			if gone := deleted(desc.Node, arg); gone.Valid() {
				p.Reportf(gone, rules.Error, "alive", "`%s` is deleted before `%s` is called", arg.Text(), c.Symbol)
			}
		case pointer && castOfDesc(w, arg):
			p.Reportf(arg, rules.Error, "alive", "the descriptor for `%s` is freed before the call: a cast does not keep it alive, and no name holds it", param.Name)
		case pointer && number(arg):
			p.Reportf(arg, rules.Error, "argument", "argument %d is `%s`, but `%s` is a `%s`; expected what `make_tensor_desc` returns", i+1, rules.Short(arg), param.Name, param.Type.Text)
		case !pointer && param.Type.Base != "" && isDesc:
			p.Reportf(arg, rules.Error, "argument", "argument %d is the descriptor `%s`, but `%s` is an `%s`", i+1, rules.Short(arg), param.Name, param.Type.Text)
		}
	}
}

// deleted is a del of the argument's name between its binding and the call.
func deleted(bound, arg syntax.Node) syntax.Node {
	for _, s := range host.Owner(arg).Find("delete_statement") {
		if s.Span().Start < bound.Span().End || s.Span().Start > arg.Span().Start {
			continue
		}
		for _, id := range s.Find("identifier") {
			if id.Text() == arg.Text() {
				return s
			}
		}
	}
	return syntax.Node{}
}

// castOfDesc reports whether an argument is a cast of a descriptor that no
// name holds.
func castOfDesc(w *host.Wrapper, arg syntax.Node) bool {
	if arg.Is("identifier") {
		arg = w.Local(arg)
	}
	if !arg.Is("call") || !strings.HasSuffix(syntax.PyDotted(arg.Field("function")), "ffi.cast") {
		return false
	}
	value := syntax.PyArg(arg, "", 1)
	return value.Is("call") && syntax.PyName(value.Field("function")) == "make_tensor_desc"
}

// number reports whether an expression is surely no pointer to a descriptor.
func number(n syntax.Node) bool {
	switch n.Kind() {
	case "integer", "float", "true", "false":
		return true
	case "call":
		name := syntax.PyName(n.Field("function"))
		if n.Field("function").Is("identifier") {
			return name == "int" || name == "float" || name == "bool" || name == "len"
		}
		return name == "data_ptr" || name == "numel" || name == "size" || name == "dim" || name == "stride"
	}
	return false
}
