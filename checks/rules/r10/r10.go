// Package r10 is rule R10: borrow PyTorch memory, never own it.
package r10

import (
	_ "embed"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R10.
var Rule = &rules.Rule{
	ID: "R10", Title: "Borrow PyTorch memory, never own it",
	Category: "memory", Owner: "host", Severity: rules.Error, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-R04", "S-R06"},
	Why:        "PyTorch owns the device memory; an owning wrapper frees it a second time, or leaks when someone forgets it, and the process aborts far from the cause.",
	Whys: map[string]string{
		"element": "The borrow names the type in which memory is read; when it is not the one that the kernel is compiled for, elements of another size are read.",
	},
	Triage: []string{
		"Find where the wrapper of the tensor is made in `ffi.rs` and make it with `borrow_tensor`.",
		"Pass `&*x_t` to the entry and let the wrapper go out of scope; nothing has to be forgotten or dropped.",
		"Run the smallest test once more under `compute-sanitizer` when the abort stays.",
		"Take the descriptor by pointer and leave what it points to to the caller.",
	},
	First: map[string]int{"arc": 1, "drop": 1, "element": 0, "move": 1, "own": 1, "own CString": 3, "own Vec": 3, "transmute": 0},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts}, Run: run,
}

func run(p *rules.Pass) {
	ffi := host.Of(p).Kernel(p.Kernel).FFI
	if ffi == nil {
		return
	}
	fixed := map[string]bool{} // names whose owner is replaced by a borrow
	for _, n := range ffi.File.Root().Find("scoped_identifier", "identifier") {
		owning(p, ffi, n, fixed)
	}
	for _, e := range ffi.Exports {
		for _, c := range dsl.Calls(e.Body) {
			borrowed(p, e, c)
		}
		for _, l := range e.Launches {
			elements(p, e, l)
		}
	}
}

// owners are the last names of the paths that owning reports.
var owners = map[string]bool{"from_raw_parts": true, "from_raw": true, "forget": true, "transmute": true, "transmute_copy": true}

// owning reports a path to a function that makes or leaks an owner. A bare
// name counts when it is called and was imported as such a path.
func owning(p *rules.Pass, ffi *host.FFI, n syntax.Node, fixed map[string]bool) {
	parent := n.Parent()
	if parent.Is("scoped_identifier", "use_as_clause", "scoped_use_list", "use_list", "use_declaration") {
		return
	}
	bare := n.Is("identifier")
	called := parent.Is("call_expression") && parent.Field("function") == n ||
		parent.Is("generic_function") && parent.Parent().Is("call_expression")
	if bare && !called {
		return
	}
	name, owner := syntax.LastSegment(n), syntax.LastSegment(n.Field("path"))
	if full := ffi.Uses[name]; bare && full != "" {
		parts := strings.Split(full, "::")
		name = parts[len(parts)-1]
		if len(parts) > 1 {
			owner = parts[len(parts)-2]
		}
	} else if bare {
		return
	} else if full := ffi.Uses[owner]; full != "" {
		owner = full[strings.LastIndex(full, ":")+1:]
	}
	switch {
	case !owners[name] || host.TestOnly(n):
	case name == "from_raw_parts" && owner == "Tensor":
		fix := borrowFix(ffi, n, fixed)
		p.ReportFix(n, rules.Error, "own", fix, "`%s` makes a tensor that owns PyTorch's memory and frees it; expected `borrow_tensor` of the descriptor", n.Squeeze())
	case name == "from_raw_parts" && owner == "Vec", name == "from_raw" && (owner == "Box" || owner == "CString"):
		p.Reportf(n, rules.Error, "own "+owner, "`%s` takes ownership of memory that came across the C boundary; the caller owns it", n.Squeeze())
	case name == "forget" && owner == "mem":
		p.ReportFix(n, rules.Error, "own", forgetFix(ffi, n, fixed), "`%s` leaks a wrapper to keep it from freeing PyTorch's memory; a borrow from `borrow_tensor` needs no such call", n.Squeeze())
	case (name == "transmute" || name == "transmute_copy") && (owner == "mem" || owner == "intrinsics"):
		p.Reportf(n, rules.Error, "transmute", "`%s` reinterprets memory; expected `borrow_tensor` or `DevicePointer::from_cu_deviceptr` of the descriptor", n.Squeeze())
	}
}

// borrowFix replaces Tensor::<E>::from_raw_parts(d.ptr, ...) by a borrow of d.
func borrowFix(ffi *host.FFI, fn syntax.Node, fixed map[string]bool) *rules.Fix {
	call := fn.Parent()
	elem := fn.Field("path").Field("type_arguments").NamedChild(0)
	ptr := call.Field("arguments").NamedChild(0)
	desc := ptr.Field("value")
	if !call.Is("call_expression") || !elem.Valid() || !ptr.Is("field_expression") || ptr.Field("field").Text() != "ptr" || !desc.Is("identifier") || !isDesc(ffi, desc) {
		return nil
	}
	if let := call.Ancestor("let_declaration"); let.Valid() && dsl.Unparen(let.Field("value")) == call {
		fixed[let.Field("pattern").Text()] = true
	}
	borrow := "crate::ffi_util::borrow_tensor"
	if ffi.Uses["borrow_tensor"] != "" {
		borrow = "borrow_tensor"
	}
	return rules.Replace(call, borrow+"::<"+elem.Text()+">("+desc.Text()+")", "borrow the descriptor's memory")
}

func isDesc(ffi *host.FFI, id syntax.Node) bool {
	for _, e := range ffi.Exports {
		if _, isParam := e.Param(id.Text()); !isParam && e.Descs[id.Text()] != "" && id.Inside(e.Body) {
			return true
		}
	}
	return false
}

// forgetFix removes a call that forgets a borrow, or an owner that another fix
// turns into a borrow.
func forgetFix(ffi *host.FFI, fn syntax.Node, fixed map[string]bool) *rules.Fix {
	call := fn.Parent()
	arg := call.Field("arguments").NamedChild(0)
	stmt := call.Parent()
	if !stmt.Is("expression_statement") || !arg.Is("identifier") {
		return nil
	}
	harmless := fixed[arg.Text()]
	for _, e := range ffi.Exports {
		b, ok := e.Tensors[arg.Text()]
		harmless = harmless || ok && arg.Inside(e.Body) && b.Node.Is("call_expression")
	}
	edit, ok := host.RemoveLines(stmt)
	if !harmless || !ok {
		return nil
	}
	return &rules.Fix{Description: "drop the call: a borrow frees nothing", Edits: []rules.TextEdit{edit}}
}

// borrowed reports calls that turn a borrow back into an owner or move it.
func borrowed(p *rules.Pass, e *host.Export, c dsl.Call) {
	arg := syntax.Node{}
	if len(c.Args) > 0 {
		arg = c.Args[0]
	}
	path := c.Node.Field("function").Field("path")
	switch {
	case c.Method() && (c.Name == "unpartition" || c.Name == "to_host_vec"):
		if root := host.Root(c.Receiver); e.Tensors[root].Param != "" {
			p.Reportf(c.Node.Field("function"), rules.Error, "move", "`%s` moves the borrowed tensor `%s`; a borrow must stay where it is", c.Name, root)
		}
	case syntax.LastSegment(path) == "Arc" && c.Name == "new", syntax.LastSegment(path) == "Rc" && c.Name == "new":
		if b, ok := e.TensorOf(arg); ok {
			p.Reportf(c.Node, rules.Error, "arc", "`%s` shares ownership of the borrowed tensor of `%s`; pass `&*` of the borrow", c.Path, b.Param)
		}
	case syntax.LastSegment(path) == "ManuallyDrop" && (c.Name == "into_inner" || c.Name == "drop" || c.Name == "take"):
		if b, ok := e.TensorOf(arg); ok {
			p.Reportf(c.Node, rules.Error, "drop", "`%s` makes an owner of the borrowed tensor of `%s`, which then frees PyTorch's memory", c.Path, b.Param)
		}
	}
}

// elements reports a borrow with a fixed floating-point element where the
// entry's parameter takes the element type that the generics list passes as
// the tensor's dtype.
func elements(p *rules.Pass, e *host.Export, l *host.Launch) {
	if !l.Listed || len(l.Generics) != len(l.Entry.Types)+len(l.Entry.Consts) || len(l.Call.Args) != len(l.Entry.Params) {
		return
	}
	dtype := map[string]bool{} // type parameters that get the dtype string
	for i, t := range l.Entry.Types {
		dtype[t.Name] = l.Generics[i].Dtype
	}
	for i, arg := range l.Call.Args {
		b, ok := e.TensorOf(arg)
		want := dsl.ParseType(l.Entry.Params[i].Type).Elem
		if !ok || !dtype[want] || !(dsl.Type{Elem: b.Elem}).Float() {
			continue
		}
		p.Reportf(b.Node, rules.Error, "element", "`%s` is borrowed as `%s`, but the generics list passes its dtype for `%s`; expected the element type of the dispatch", b.Param, b.Elem, want)
	}
}
