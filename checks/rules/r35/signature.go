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
	c, rust := plainNames(d, e)
	if len(c) != len(rust) {
		at := d.NameAt
		if i := slices.IndexFunc(c, func(s string) bool { return s != "" && !slices.Contains(rust, s) }); i >= 0 {
			at = d.Params[i].Node
		}
		p.Reportf(at, rules.Error, "count", "`%s` is declared with %d parameters, the export has %d%s", d.Name, len(c), len(rust), difference(c, rust))
		return
	}
	permuted := reordered(c, rust)
	if permuted {
		moved(p, d, e, c, rust)
	}
	for i, q := range d.Params {
		r := e.Params[i]
		same, known := q.Type.Same(host.RustType(r.Type))
		switch {
		case permuted && c[i] != rust[i]: // told as a whole
		case known && !same:
			p.Reportf(q.Node, rules.Error, "type", "parameter %d of `%s` is declared as `%s`, the export takes `%s: %s`", i+1, d.Name, rules.Short(q.Node), r.Name, r.Type)
		case c[i] == "" || c[i] == rust[i]:
		default:
			p.Reportf(q.Node, rules.Warning, "name", "parameter %d of `%s` is declared as `%s`, the export calls it `%s`", i+1, d.Name, q.Name, r.Name)
		}
	}
}

// plainNames are the names of the parameters on both sides.
func plainNames(d *host.CDecl, e *host.Export) (c, rust []string) {
	for _, q := range d.Params {
		c = append(c, plain(q.Name))
	}
	for _, q := range e.Params {
		rust = append(rust, plain(q.Name))
	}
	return c, rust
}

// reordered reports whether a declaration names the parameters of the export in
// another order.
func reordered(c, rust []string) bool {
	return slices.Equal(sorted(c), sorted(rust)) && !slices.Equal(c, rust) && !slices.Contains(c, "")
}

// moved reports parameters that have the same names on both sides in another order,
// at the first that moved: it is one fault, however many places it shifts.
func moved(p *rules.Pass, d *host.CDecl, e *host.Export, c, rust []string) {
	var at []int
	for i := range c {
		if c[i] != rust[i] {
			at = append(at, i)
		}
	}
	first, last := at[0], at[len(at)-1]
	if len(at) == 2 {
		p.Reportf(d.Params[first].Node, rules.Error, "order", "parameters %d and %d of `%s` are declared as `%s` and `%s`, the export takes `%s` and `%s` there: the same names in another order",
			first+1, last+1, d.Name, d.Params[first].Name, d.Params[last].Name, e.Params[first].Name, e.Params[last].Name)
		return
	}
	var declared, taken []string
	for i := first; i <= last; i++ {
		declared, taken = append(declared, d.Params[i].Name), append(taken, e.Params[i].Name)
	}
	p.Reportf(d.Params[first].Node, rules.Error, "order", "parameters %d to %d of `%s` are declared as %s, the export takes %s there: the same names in another order", first+1, last+1, d.Name, list(declared), list(taken))
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
