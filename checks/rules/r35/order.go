package r35

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// swapped reports two arguments that carry the names of each other's
// parameters. One name alone says little about a value; two that cross say
// that they were mixed up.
func swapped(p *rules.Pass, callee string, params []string, args [][]string, nodes []syntax.Node) {
	carries := func(i, j int) bool {
		for _, name := range args[i] {
			if params[j] != "" && fold(name) == fold(params[j]) {
				return true
			}
		}
		return false
	}
	for i := range params {
		for j := i + 1; j < len(params); j++ {
			if carries(i, j) && carries(j, i) && !carries(i, i) && !carries(j, j) {
				p.Reportf(nodes[i], rules.Warning, "swapped", "`%s` gets `%s` for `%s` and `%s` for `%s`: the two are in each other's places",
					callee, rules.Short(nodes[i]), params[i], rules.Short(nodes[j]), params[j])
			}
		}
	}
}

// swappedArguments compares the names in a call of the library with those of
// the export, or of the declaration where the export is not visible.
func swappedArguments(p *rules.Pass, k *host.Kernel, w *host.Wrapper, c *host.LibCall, d *host.CDecl) {
	var params []string
	var args [][]string
	e := k.Crate.Export(c.Symbol)
	if e != nil && reordered(plainNames(d, e)) {
		return // told of the declaration: the call fits one of the two
	}
	for i, arg := range c.Args {
		if e != nil && len(e.Params) == len(c.Args) {
			params = append(params, plain(e.Params[i].Name))
		} else {
			params = append(params, plain(d.Params[i].Name))
		}
		at := arg
		if desc, ok := w.DescOf(arg); ok {
			at = desc.Tensor
		}
		var names []string
		for _, n := range append(at.Find("identifier", "string"), at) {
			switch {
			case n.Is("string"):
				names = append(names, syntax.PyString(n))
			case n.Is("identifier") && !(n.Parent().Is("call") && n.Parent().Field("function") == n):
				name := strings.TrimLeft(n.Text(), "_")
				names = append(names, name, strings.TrimRight(name, "0123456789")) // a2 is a in another shape
			}
		}
		args = append(args, names)
	}
	if !misplaced(p, w, c, params) {
		swapped(p, c.Symbol, params, args, c.Args)
	}
}

// misplaced reports a tensor that is given for another parameter than the one
// of its name, which gets another tensor.
func misplaced(p *rules.Pass, w *host.Wrapper, c *host.LibCall, params []string) bool {
	tensor := func(i int) string {
		if d, ok := w.DescOf(c.Args[i]); ok && d.Tensor.Is("identifier") {
			return fold(d.Tensor.Text())
		}
		return ""
	}
	for i := range params {
		for j := range params {
			if i != j && params[j] != "" && tensor(i) == fold(params[j]) && tensor(j) != "" && tensor(j) != tensor(i) && fold(params[i]) != tensor(i) {
				p.Reportf(c.Args[i], rules.Warning, "swapped", "`%s` gets the tensor `%s` for `%s`, and another one for `%s`", c.Symbol, tensor(i), params[i], params[j])
				return true
			}
		}
	}
	return false
}

// swappedEntry compares the names in a call of an entry with its parameters.
func swappedEntry(p *rules.Pass, l *host.Launch) {
	var params []string
	var args [][]string
	for i, q := range l.Entry.Params {
		params = append(params, stem(q.Name))
		var names []string
		for _, id := range append(l.Call.Args[i].Find("identifier"), l.Call.Args[i]) {
			if id.Is("identifier") {
				names = append(names, stem(id.Text()))
			}
		}
		args = append(args, names)
	}
	swapped(p, l.Entry.Name, params, args, l.Call.Args)
	crossedAxes(p, l)
}

// crossedAxes reports sizes or strides of a tensor that are given for each
// other's dimension, as its first for a parameter that ends in 1 and its second
// for the one that ends in 0.
func crossedAxes(p *rules.Pass, l *host.Launch) {
	type given struct {
		name, from string // the parameter without its number, the list without its index
		param, at  int
	}
	var all []given
	for i, q := range l.Entry.Params {
		name := strings.TrimRight(q.Name, "0123456789")
		g := given{name: name}
		var ok bool
		if g.param, ok = digit(q.Name[len(name):]); !ok || name == "" {
			all = append(all, given{})
			continue
		}
		arg := dsl.Unparen(l.Call.Args[i])
		for arg.Is("type_cast_expression") {
			arg = dsl.Unparen(arg.Field("value"))
		}
		if parts := arg.NamedChildren(); arg.Is("index_expression") && len(parts) == 2 {
			g.from = parts[0].Squeeze()
			g.at, ok = digit(parts[1].Text())
		} else if c, called := dsl.AsCall(arg); called && c.Method() && c.Name == "dim" && len(c.Args) == 1 {
			g.from = c.Receiver.Squeeze() + "." + c.Name
			g.at, ok = digit(c.Args[0].Text())
		} else {
			ok = false
		}
		if !ok {
			g = given{}
		}
		all = append(all, g)
	}
	for i, a := range all {
		for j, b := range all[i+1:] {
			if a.from != "" && a.from == b.from && a.name == b.name && a.param != b.param && a.at == b.param && b.at == a.param {
				p.Reportf(l.Call.Args[i], rules.Warning, "swapped", "`%s` gets `%s` for `%s` and `%s` for `%s`: the two are in each other's places",
					l.Entry.Name, rules.Short(l.Call.Args[i]), l.Entry.Params[i].Name, rules.Short(l.Call.Args[i+1+j]), l.Entry.Params[i+1+j].Name)
			}
		}
	}
}

// crossedPointers reports a local name of one descriptor, or of its memory, that
// is bound to another, while a name of another one is bound to it.
func crossedPointers(p *rules.Pass, e *host.Export) {
	names := map[string][]string{} // of each descriptor parameter, folded
	for _, q := range e.Params {
		if q.Desc() {
			names[q.Name] = []string{fold(q.Name)}
		}
	}
	if crossed(p, e, names, e.Descs) {
		return
	}
	for local, param := range e.Descs {
		names[param] = append(names[param], fold(stem(local)))
	}
	tensors := map[string]string{}
	for local, b := range e.Tensors {
		tensors[local] = b.Param
	}
	if !crossed(p, e, names, tensors) {
		twice(p, e, names, tensors)
	}
}

// twice notes a name of the memory of one descriptor that is bound to that of another,
// which has a name of its own, while nothing takes the memory of the first.
func twice(p *rules.Pass, e *host.Export, names map[string][]string, bound map[string]string) {
	if len(bound) > maxBound {
		return
	}
	called := func(local, param string) bool { return slices.Contains(names[param], fold(stem(local))) }
	for _, local := range slices.Sorted(maps.Keys(bound)) {
		from := bound[local]
		if called(local, from) || !slices.ContainsFunc(slices.Collect(maps.Keys(bound)), func(other string) bool { return bound[other] == from && called(other, from) }) {
			continue
		}
		for _, meant := range slices.Sorted(maps.Keys(names)) {
			if meant != from && called(local, meant) && sizesOnly(e, meant) {
				p.Reportf(binding(e, local), rules.Note, "swapped", "`%s` is the memory of the descriptor `%s`, and nothing takes that of `%s`; expected the memory of `%s`, unless the op works in place", local, from, meant, meant)
			}
		}
	}
}

// sizesOnly reports whether an export is sure to take no more from a descriptor than
// its sizes, strides and dtype.
func sizesOnly(e *host.Export, param string) bool {
	for local, of := range e.Descs {
		if of != param {
			continue
		}
		for _, id := range e.Body.Find("identifier") {
			field := id.Parent()
			if id.Text() != local || id == binding(e, local) {
				continue
			}
			if !field.Is("field_expression") || !slices.Contains([]string{"strides", "shape", "sizes", "dims", "dim", "ndim", "dtype"}, field.Field("field").Text()) {
				return false
			}
		}
	}
	return true
}

// maxBound bounds the names of descriptors that are compared with each other.
const maxBound = 256

// crossed reports the first such name among those that are bound to parameters.
func crossed(p *rules.Pass, e *host.Export, names map[string][]string, bound map[string]string) bool {
	if len(bound) > maxBound {
		p.Tree.Partly(e.NameAt.File().Path, fmt.Sprintf("more than %d names of descriptors in one export: they were not compared with each other", maxBound))
		return false
	}
	called := func(local, param string) bool { return slices.Contains(names[param], fold(stem(local))) }
	for _, local := range slices.Sorted(maps.Keys(bound)) {
		from := bound[local]
		if called(local, from) {
			continue
		}
		for _, other := range slices.Sorted(maps.Keys(bound)) {
			if to := bound[other]; to != from && called(local, to) && !called(other, to) {
				p.Reportf(binding(e, local), rules.Warning, "swapped", "`%s` stands for the descriptor `%s`, and `%s` for `%s`: the two are in each other's places", local, from, other, to)
				return true
			}
		}
	}
	return false
}

// binding is the identifier in the let that binds a name of an export first.
func binding(e *host.Export, name string) syntax.Node {
	for _, let := range e.Body.Find("let_declaration") {
		for _, id := range append(let.Field("pattern").Find("identifier"), let.Field("pattern")) {
			if id.Is("identifier") && id.Text() == name {
				return id
			}
		}
	}
	return e.NameAt
}

// idleAxis reports a grid whose blocks lie along an axis that the entry does not
// read, with a single block along one that it reads.
func idleAxis(p *rules.Pass, l *host.Launch) {
	g := dsl.Unparen(l.Grid)
	if dims := g.NamedChildren(); g.Is("tuple_expression") && len(dims) == 3 && !infersGrid(l.Entry) {
		read, ok := axes(l.Entry)
		if !ok {
			p.Undecided("which axes of the grid the entry reads is unknown")
			return
		}
		one := func(i int) bool { v, ok := dsl.Integer(dsl.Unparen(dims[i])); return ok && v == 1 }
		for i := range dims {
			for j := range dims {
				if read[i] && one(i) && !read[j] && !dims[j].Is("integer_literal") {
					p.Reportf(dims[j], rules.Warning, "grid axes", "the blocks of `%s` lie along axis %d of the grid, but it reads its place along axis %d only, where there is one block: all do the same work", l.Entry.Name, j, i)
					return
				}
			}
		}
	}
}

// axes are the axes of the grid that an entry reads; ok is false where that is
// not seen.
func axes(f *dsl.Func) (read [3]bool, ok bool) {
	for _, g := range f.Module.Funcs {
		calls := g.OpCalls(g.Body, "get_tile_block_id")
		if g != f && g.Entry == nil && len(calls) > 0 {
			return read, false // a helper, whoever calls it
		}
		if g != f {
			continue
		}
		for _, c := range calls {
			switch at := c.Node.Parent(); {
			case at.Is("field_expression"):
				i, one := digit(at.Field("field").Text())
				if !one || i > 2 {
					return read, false
				}
				read[i], ok = true, true
			case at.Is("let_declaration") && at.Field("pattern").Is("tuple_pattern"):
				i := 0
				for part := range at.Field("pattern").Children() {
					switch {
					case part.Is(","):
						i++
					case part.Is("identifier") && i < 3:
						read[i], ok = read[i] || len(g.Uses(part)) > 0, true
					case part.Named() && !part.IsComment():
						return read, false
					}
				}
			default:
				return read, false
			}
		}
	}
	return read, ok
}

// digit is the value of a single digit.
func digit(text string) (int, bool) {
	if len(text) != 1 || text[0] < '0' || text[0] > '9' {
		return 0, false
	}
	return int(text[0] - '0'), true
}

// stem is the name of a tensor without what says how it is held.
func stem(name string) string {
	for _, suffix := range []string{"_ptr", "_dp", "_d", "_t", "_desc", "_tensor"} {
		if s, ok := strings.CutSuffix(name, suffix); ok && s != "" {
			return s
		}
	}
	return name
}

// fixedTarget reports a device or stream that the wrapper does not take from
// the tensors.
func fixedTarget(p *rules.Pass, w *host.Wrapper, c *host.LibCall, d *host.CDecl) {
	for i, arg := range c.Args {
		name := d.Params[i].Name
		device := strings.Contains(name, "device")
		if !device && !strings.Contains(name, "stream") {
			continue
		}
		value := arg
		for range 4 {
			switch {
			case value.Is("identifier") && w.Local(value).Valid():
				value = w.Local(value)
			case value.Is("identifier"):
				value = w.Const(value)
			case value.Is("call") && value.Field("function").Text() == "int" && len(syntax.PyArgs(value)) == 1:
				value = syntax.PyArgs(value)[0]
			}
		}
		switch {
		case value.Is("integer") && device:
			p.Reportf(arg, rules.Error, "fixed", "`%s` of `%s` is always `%s`; the tensors may be on another device, expected `device.index` of a tensor", name, c.Symbol, value.Text())
		case value.Is("integer"):
			p.Reportf(arg, rules.Error, "fixed", "`%s` of `%s` is always `%s`; expected `torch.cuda.current_stream(device=...).cuda_stream`, which orders the launch after what made the inputs", name, c.Symbol, value.Text())
		case value.Is("attribute") && value.Field("object").Is("call") && w.Full(value.Field("object").Field("function")) == "torch.cuda.default_stream":
			p.Reportf(arg, rules.Warning, "fixed", "`%s` of `%s` is the default stream; expected `torch.cuda.current_stream(device=...).cuda_stream`, which orders the launch after what made the inputs", name, c.Symbol)
		}
	}
}

// options reports compile options that get each other's values: the macro's
// arguments and the methods have fixed names.
func options(p *rules.Pass, e *host.Export) {
	names := []string{"occupancy", "num_cta_in_cga"}
	isOther := func(n syntax.Node, i int) bool { return n.Is("identifier") && fold(n.Text()) == fold(names[1-i]) }
	e.Body.Inspect(func(n syntax.Node) bool {
		switch n.Kind() {
		case "macro_invocation":
			if syntax.LastSegment(n.Field("macro")) != "compile_options" {
				return true
			}
			args := host.TokenArgs(n)
			if len(args) == 2 && len(args[0].Nodes) == 1 && len(args[1].Nodes) == 1 && isOther(args[0].Nodes[0], 0) && isOther(args[1].Nodes[0], 1) {
				p.Reportf(n, rules.Warning, "options order", "`%s` takes the occupancy first and the cluster size second; here they are in each other's places", rules.Short(n.Field("macro")))
			}
		case "call_expression":
			c, ok := dsl.AsCall(n)
			if !ok || !c.Method() || len(c.Args) != 1 {
				return true
			}
			for i, name := range names {
				if c.Name == name && isOther(dsl.Unparen(c.Args[0]), i) {
					p.Reportf(n.Field("function").Field("field"), rules.Warning, "options order", "`.%s(..)` gets `%s`, which is the other option", name, rules.Short(c.Args[0]))
				}
			}
		}
		return true
	})
}

// fixedType reports a launch whose generics name one element type although the
// export dispatches on several: all inputs are read as that type.
func fixedType(p *rules.Pass, e *host.Export, l *host.Launch, params []generic) {
	if !e.ArmsKnown || len(e.Arms) < 2 {
		return
	}
	literal := -1
	for i, g := range l.Generics {
		switch {
		case !params[i].kind:
		case elementLiteral(g.Literal):
			if literal < 0 {
				literal = i
			}
		default:
			return
		}
	}
	if literal >= 0 {
		p.Reportf(l.Generics[literal].Node, rules.Error, "generics type", "`%s` is always compiled for `%s`, but `%s` dispatches on %d types: the others are read as this one; expected the dtype of the tensors", l.Entry.Name, l.Generics[literal].Literal, e.Name, len(e.Arms))
	}
}
