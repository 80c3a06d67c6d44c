package r37

import (
	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/syntax"
)

// onlyWritten reports whether all launches of an export hand a descriptor's memory to
// entries that write it and never read it: it is where the result goes, whatever the
// wrapper calls it.
func onlyWritten(e *host.Export, param string) bool {
	seen := false
	for _, l := range e.Launches {
		if l.Entry == nil || len(l.Call.Args) != len(l.Entry.Params) {
			return false
		}
		for i, a := range l.Call.Args {
			if e.Tensors[host.Root(a)].Param != param {
				continue
			}
			if !stored(l.Entry, l.Entry.Params[i].Name) {
				return false
			}
			seen = true
		}
	}
	return seen
}

// stored reports whether an entry stores through a parameter and does nothing else
// with its memory.
func stored(f *dsl.Func, param string) bool {
	names, stores := map[string]bool{param: true}, false
	for _, id := range f.Body.Find("identifier") {
		if !names[id.Text()] || binds(id) {
			continue
		}
		switch u, name := use(f, id); u {
		case written:
			stores = true
		case renamed:
			names[name] = true
		case read:
			return false
		}
	}
	return stores
}

// binds reports whether an identifier is the name that a let gives.
func binds(id syntax.Node) bool {
	p := id.Parent()
	if p.Is("mut_pattern") {
		id, p = p, p.Parent()
	}
	return p.Is("let_declaration") && p.Field("pattern") == id
}

// What is done with memory where a name of it stands.
const (
	read    = iota // it may be read
	written        // something is stored there
	renamed        // it gets another name
	asked          // its shape is asked for
)

// placing are methods and functions that say where in a tensor's memory something
// goes, and read none of it.
var placing = map[string]bool{
	"partition_mut": true, "partition_full_mut": true, "pointer_to_tile": true, "reshape": true, "broadcast": true,
	"offset": true, "offset_tile": true, "assume_div_by": true, "assume_bounds_lower": true,
}

// use follows an expression on a tensor's memory to what is done with it.
func use(f *dsl.Func, n syntax.Node) (int, string) {
	for {
		p := n.Parent()
		switch p.Kind() {
		case "parenthesized_expression", "reference_expression", "unsafe_block":
		case "block":
			if list := p.NamedChildren(); list[len(list)-1] != n {
				return read, ""
			}
		case "field_expression":
			if p.Field("value") != n {
				return read, ""
			}
			call := p.Parent()
			if call.Is("generic_function") {
				call = call.Parent()
			}
			c, ok := dsl.AsCall(call)
			switch {
			case ok && (c.Name == "shape" || c.Name == "dim"):
				return asked, ""
			case !ok || !placing[c.Name]:
				return read, ""
			}
			p = call
		case "arguments":
			c, ok := dsl.AsCall(p.Parent())
			op := f.Op(c)
			switch {
			case !ok || len(c.Args) == 0 || c.Args[0] != n:
				return read, ""
			case op == "store_ptr_tko" || op == "store_view_tko_mut":
				return written, ""
			case op == "get_tensor_shape":
				return asked, ""
			case !placing[op] || c.Method():
				return read, ""
			}
			p = c.Node
		case "let_declaration":
			name := p.Field("pattern")
			if name.Is("mut_pattern") {
				name = name.ChildOf("identifier")
			}
			if !name.Is("identifier") || p.Field("value") != n {
				return read, ""
			}
			return renamed, name.Text()
		default:
			return read, ""
		}
		n = p
	}
}
