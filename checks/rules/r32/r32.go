// Package r32 is rule R32: the shape of an export and how it treats null
// descriptors, unknown dtypes and the device.
package r32

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

// Rule is R32.
var Rule = &rules.Rule{
	ID: "R32", Title: "Exports have the Rust 2024 shape and check what they get",
	Category: "memory", Owner: "host", Severity: rules.Error, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-B12", "S-R02", "S-R03", "S-R04", "S-R05", "S-I02"},
	Why:        "Python calls the export without any checks of its own: a wrong shape does not link, a null or unknown input reads foreign memory, and a panic ends the process.",
	Whys: map[string]string{
		"attribute":  "Rust changes the name of a function that does not ask to keep it, and the 2024 edition refuses the old spellings; without the name cffi finds no symbol.",
		"convention": "cffi calls by the convention of C; another one is the same on some systems only, or lets a panic unwind into frames that cannot take it.",
		"visibility": "The caller alone can vouch for the pointers that it passes; a signature that does not say so lets safe code call it with anything.",
		"return":     "The wrapper reads an `i32` as return code; without one it reads what happens to be there, and takes a failure for success or the reverse.",
		"device":     "The wrapper passes the tensors' device and PyTorch's stream last; elsewhere, or without them, the kernel runs on another device or out of order.",
		"null":       "A null pointer is dereferenced as if a descriptor were there, which ends the process.",
		"dtype":      "Python passes a code that nobody has checked: an unknown one ends the process, or the memory is read as a type that it is not.",
		"panic":      "A panic cannot cross the C boundary: it ends the process of Python with all that it held.",
		"code":       "Codes are how the wrapper tells failures apart; one with another meaning leads it and the reader astray.",
		"failure":    "A launch that failed has written nothing; when it is answered like one that succeeded, what was in the output's memory is taken for the result.",
		"nothing":    "An output that no kernel has written holds what was in its memory before, and the caller takes that for the result.",
		"device 0":   "On a machine with several GPUs the tensors may be on another one than the first, and the kernel then reads memory that is not there.",
		"max":        "A device that was never set becomes GPU 0 in silence, where an error would have named the fault.",
	},
	Triage: []string{
		"Give the export `#[unsafe(no_mangle)]`, `pub unsafe extern \"C\"`, `-> i32`, and `device_id: i32, raw_stream: u64` at the end.",
		"Let `deref_descs!`, `resolve_dtype!` and `setup_device_stream!` of `ffi_util.rs` check descriptors, dtype and device.",
		"Return a code of `ffi_util::rc` on every failure; never panic.",
	},
	First: map[string]int{"null": 1, "dtype": 1, "device 0": 1, "fixed": 1, "max": 1, "panic": 2, "code": 2, "failure": 2, "nothing": 2},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts}, Run: run,
}

func run(p *rules.Pass) {
	k := host.Of(p).Kernel(p.Kernel)
	if k.FFI == nil {
		return
	}
	o := newOutcomes(k.FFI)
	for _, e := range k.FFI.Exports {
		if host.TestOnly(e.Node) {
			continue
		}
		attribute(p, e)
		signature(p, e)
		nulls(p, e)
		dtype(p, e)
		panics(p, e)
		minusOne(p, e)
		failures(p, e, o)
		fixed(p, e)
		dropped(p, e, o)
		unlaunched(p, e, o)
	}
	devices(p, k)
}

// attribute checks that the symbol is exported in the form of Rust 2024.
func attribute(p *rules.Pass, e *host.Export) {
	switch e.ABI {
	case "C":
	case host.Rust:
		fix := rules.Insert(e.Node.ChildOf("fn").Span().Start, `extern "C" `, "call by the convention of C")
		if len(e.Attrs) == 0 {
			fix.Edits = append(exporting(e).Edits, fix.Edits...)
		}
		if e.Node.ChildOf("function_modifiers").ChildOf("extern_modifier").Valid() {
			fix = nil
		}
		p.ReportFix(e.NameAt, rules.Error, "convention", fix, "`%s` is exported without `extern \"C\"`, so that cffi passes its arguments in another way than Rust takes them; expected `pub unsafe extern \"C\" fn`", e.Name)
	default:
		p.Reportf(e.NameAt, rules.Warning, "convention", "`%s` is exported as `extern %q`; expected `extern \"C\"`, the convention in which cffi calls it and across which nothing unwinds", e.Name, e.ABI)
	}
	for _, a := range e.Attrs {
		switch path := dsl.AttributePath(a); path {
		case "no_mangle":
			p.ReportFix(a, rules.Error, "attribute", rules.Replace(a, "unsafe(no_mangle)", "write the attribute as Rust 2024 wants it"),
				"`#[no_mangle]` on `%s` is an error in Rust 2024; expected `#[unsafe(no_mangle)]`", e.Name)
			return
		case "export_name":
			p.Reportf(a, rules.Error, "attribute", "`#[export_name]` on `%s` is an error in Rust 2024; expected `#[unsafe(no_mangle)]`", e.Name)
			return
		case "cfg_attr":
			p.Undecided("the attribute of the export depends on the configuration")
			return
		}
		if text := a.Squeeze(); text == "unsafe(no_mangle)" || strings.HasPrefix(text, "unsafe(export_name") {
			return
		}
	}
	if !strings.HasPrefix(e.Name, "cutile_") {
		return
	}
	fix := exporting(e)
	if e.ABI == host.Rust && len(e.Attrs) == 0 {
		fix = nil // part of the one for the convention, on the same line
	}
	p.ReportFix(e.NameAt, rules.Error, "attribute", fix,
		"`%s` has no `#[unsafe(no_mangle)]`, so the library has no symbol of that name", e.Name)
}

// exporting adds the attribute that gives an export its symbol.
func exporting(e *host.Export) *rules.Fix {
	first := e.Node
	if len(e.Attrs) > 0 {
		first = e.Attrs[0].Parent()
	}
	return rules.Insert(first.Span().Start, "#[unsafe(no_mangle)]\n"+host.Indent(first), "export the symbol under its name")
}

// signature checks visibility, return type and the last two parameters.
func signature(p *rules.Pass, e *host.Export) {
	if !strings.HasPrefix(e.Name, "cutile_") {
		return
	}
	if !e.Public || !e.Unsafe {
		p.Reportf(e.NameAt, rules.Warning, "visibility", "`%s` is not `pub unsafe extern \"C\"`; it dereferences pointers that only the caller can vouch for", e.Name)
	}
	if same, known := host.RustType(e.Return).Same(host.RustType("i32")); e.Return == "" || known && !same {
		found := "nothing"
		if e.Return != "" {
			found = "`" + e.Return + "`"
		}
		p.Reportf(e.NameAt, rules.Error, "return", "`%s` returns %s; expected the return code as `i32`", e.Name, found)
	}
	n := len(e.Params)
	device, stream := "nothing", "nothing"
	if n >= 1 {
		stream = e.Params[n-1].Name + ": " + e.Params[n-1].Type
	}
	if n >= 2 {
		device = e.Params[n-2].Name + ": " + e.Params[n-2].Type
	}
	if n < 2 || !is(e.Params[n-2], "i32", "dev") || !is(e.Params[n-1], "u64", "stream") {
		p.Reportf(e.NameAt, rules.Error, "device", "the last two parameters of `%s` are `%s` and `%s`; expected `device_id: i32, raw_stream: u64`", e.Name, device, stream)
	}
}

// is reports whether a parameter has a type and a name that says what it is.
func is(p host.Param, rust, word string) bool {
	same, known := host.RustType(p.Type).Same(host.RustType(rust))
	return (same || !known) && strings.Contains(strings.ToLower(p.Name), word)
}

// nulls checks that each descriptor that is dereferenced was checked before. A
// descriptor that some other function or macro gets may be checked there.
func nulls(p *rules.Pass, e *host.Export) {
	for _, param := range e.Params {
		if !param.Desc() {
			continue
		}
		deref, checked := syntax.Node{}, false
		e.Body.Inspect(func(n syntax.Node) bool {
			switch n.Kind() {
			case "macro_invocation":
				for _, a := range host.TokenArgs(n) {
					for _, t := range a.Nodes {
						// deref_descs! and every macro that is not known here
						checked = checked || t.Text() == param.Name
					}
				}
			case "identifier":
				if n.Text() != param.Name {
					return true
				}
				switch parent := n.Parent(); {
				case parent.Is("unary_expression") && strings.HasPrefix(parent.Text(), "*"):
					deref = parent
				case parent.Is("reference_expression"):
				default:
					checked = true // a method such as is_null, or an argument
				}
			}
			return true
		})
		if deref.Valid() && !checked {
			p.Reportf(deref, rules.Warning, "null "+param.Name, "`%s` is dereferenced without a null check; expected `crate::deref_descs!` or `if %s.is_null() { return rc::NULL_PTR; }`", param.Name, param.Name)
		}
	}
}

// dtype checks that an unknown dtype code is answered and not assumed away.
func dtype(p *rules.Pass, e *host.Export) {
	asked := false
	typed := typedMacros(e)
	if e.Rest.Node.Valid() && !refuses(e) {
		p.Reportf(e.Rest.Node, rules.Warning, "dtype", "a dtype without an arm of its own is run as `%s` here; expected `_ => rc::UNSUPPORTED_DTYPE`", e.Rest.Type)
	}
	e.Body.Inspect(func(n syntax.Node) bool {
		switch n.Kind() {
		case "match_arm":
			another(p, typed, quoted(n.Field("pattern")), n.Field("value"))
		case "if_expression":
			another(p, typed, compared(n.Field("condition")), n.Field("consequence"))
		case "field_identifier", "identifier":
			asked = asked || strings.Contains(n.Text(), "dtype")
		case "macro_invocation":
			// Any macro may look at the descriptor.
			asked = asked || syntax.LastSegment(n.Field("macro")) != "deref_descs" && mentionsDesc(e, n)
		case "call_expression":
			c, ok := dsl.AsCall(n)
			if !ok {
				asked = true
				return true
			}
			if c.Method() && (c.Name == "unwrap" || c.Name == "expect") {
				if in, ok := dsl.AsCall(dsl.Unparen(c.Receiver)); ok && in.Name == "dtype_str" {
					p.Reportf(n, rules.Warning, "dtype", "`%s` panics on an unknown dtype code; expected `crate::resolve_dtype!` or `return rc::UNSUPPORTED_DTYPE`", rules.Short(n))
				}
			}
			if c.Method() && strings.HasPrefix(c.Name, "unwrap_or") && len(c.Args) == 1 {
				in, ok := dsl.AsCall(dsl.Unparen(c.Receiver))
				if t := assumed(c.Args[0]); ok && in.Name == "dtype_str" && t != "" {
					p.Reportf(n, rules.Warning, "dtype", "an unknown dtype code is run as `%s`; expected `crate::resolve_dtype!` or `return rc::UNSUPPORTED_DTYPE`", t)
				}
			}
			if c.Name != "borrow_tensor" && c.Name != "from_cu_deviceptr" && !c.Method() {
				for _, a := range c.Args {
					asked = asked || e.Descs[host.Root(a)] != "" && dsl.Unparen(a).Is("identifier", "reference_expression")
				}
			}
		}
		return true
	})
	if !asked && len(e.Launches) > 0 && len(e.Tensors) > 0 {
		p.Reportf(e.NameAt, rules.Warning, "dtype", "`%s` launches without looking at the dtype of any descriptor; another dtype is read as the wrong type", e.Name)
	}
}

// another reports a dtype that is run as another type than it names, by a macro all of
// whose pointers are of the type that it gets. Kernels that compute nothing move types
// under the name of an integer of their width, which is left alone.
func another(p *rules.Pass, typed map[string]bool, names []syntax.Node, run syntax.Node) {
	run = last(run)
	if run.Is("expression_statement") {
		run = run.NamedChild(0)
	}
	args := host.TokenArgs(run)
	if !run.Is("macro_invocation") || len(args) != 1 || !host.ElementType(args[0].Text) {
		return
	}
	as := args[0].Text
	if !typed[run.Field("macro").Text()] {
		return
	}
	for _, n := range names {
		if t := strings.Trim(n.Text(), `"`); host.ElementType(t) && t != as && (floats(t) && floats(as) || host.ElemSize(t) != host.ElemSize(as)) {
			p.Reportf(n, rules.Warning, "dtype", "the dtype `%s` is run as `%s`, so that its memory is read as the wrong type; expected `%s`", t, as, t)
		}
	}
}

// typedMacros names the macros of an export all of whose pointers are of a type that
// they get.
func typedMacros(e *host.Export) map[string]bool {
	out := map[string]bool{}
	for _, m := range e.Body.Find("macro_definition") {
		text := m.Squeeze()
		pointers := strings.Count(text, "DevicePointer<")
		out[m.Field("name").Text()] = pointers > 0 && strings.Count(text, "DevicePointer<$") == pointers
	}
	return out
}

// floats reports whether a type holds floating-point numbers.
func floats(t string) bool { return strings.HasPrefix(t, "f") || strings.HasPrefix(t, "bf") }

// quoted lists the texts that a pattern takes.
func quoted(pattern syntax.Node) []syntax.Node {
	if pattern.Field("condition").Valid() {
		return nil
	}
	var out []syntax.Node
	for _, a := range alternatives(pattern) {
		if a.Is("string_literal") {
			out = append(out, a)
		}
	}
	return out
}

// compared lists the texts one of which a value is where a condition holds.
func compared(cond syntax.Node) []syntax.Node {
	cond = dsl.Unparen(cond)
	if l, r, ok := dsl.Binary(cond, "||"); ok {
		return append(compared(l), compared(r)...)
	}
	if _, r, ok := dsl.Binary(cond, "=="); ok && r.Is("string_literal") {
		return []syntax.Node{r}
	}
	return nil
}

// refuses reports whether an export returns the code of an unsupported dtype
// somewhere by itself, so that not all types may get to its arms.
func refuses(e *host.Export) bool {
	found := false
	e.Body.Inspect(func(n syntax.Node) bool {
		found = found || n.Is("identifier") && n.Text() == "UNSUPPORTED_DTYPE" || n.Is("unary_expression", "negative_literal") && n.Squeeze() == "-2"
		return !found
	})
	return found
}

// assumed is the element type that stands in for an unknown dtype: the text, or
// the value of a closure; empty when it is none.
func assumed(n syntax.Node) string {
	n = dsl.Unparen(n)
	if n.Is("closure_expression") {
		n = last(n.Field("body"))
	}
	if t := strings.Trim(n.Text(), `"`); n.Is("string_literal") && host.ElementType(t) {
		return t
	}
	return ""
}

func mentionsDesc(e *host.Export, macro syntax.Node) bool {
	for _, a := range host.TokenArgs(macro) {
		for _, t := range a.Nodes {
			if e.Descs[t.Text()] != "" {
				return true
			}
		}
	}
	return false
}

// panicking are the macros that end the process when they are reached.
var panicking = map[string]bool{
	"panic": true, "assert": true, "assert_eq": true, "assert_ne": true,
	"unreachable": true, "todo": true, "unimplemented": true,
}

// panics reports what can panic across the C boundary.
func panics(p *rules.Pass, e *host.Export) {
	e.Body.Inspect(func(n syntax.Node) bool {
		switch n.Kind() {
		case "const_item", "const_block":
			return false // runs in the compiler
		case "macro_invocation":
			if name := syntax.LastSegment(n.Field("macro")); panicking[name] {
				p.Reportf(n.Field("macro"), rules.Warning, "panic", "`%s!` ends the process when it is reached; expected a return code", name)
			}
		case "call_expression":
			c, ok := dsl.AsCall(n)
			if !ok || !c.Method() || c.Name != "unwrap" && c.Name != "expect" {
				return true
			}
			in, _ := dsl.AsCall(dsl.Unparen(c.Receiver))
			if in.Name == "dtype_str" || zeroDevice(in) {
				return true // reported as what it is
			}
			p.Reportf(n.Field("function").Field("field"), rules.Warning, "panic", "`.%s()` on `%s` ends the process on failure; expected a return code", c.Name, rules.Short(c.Receiver))
		}
		return true
	})
}

// minusOne reports -1 as a return code: it means "auto" among the inputs.
func minusOne(p *rules.Pass, e *host.Export) {
	for _, n := range e.Body.Find("unary_expression", "negative_literal") {
		if text := n.Squeeze(); (text == "-1" || text == "-1i32") && returned(n) {
			p.Reportf(n, rules.Warning, "code", "`-1` is returned as an error code; it is reserved for automatic compile options, expected a code of `ffi_util::rc`")
		}
	}
}

// last is the value of a block, or the expression itself.
func last(n syntax.Node) syntax.Node {
	for n.Is("block") {
		list := n.NamedChildren()
		if len(list) == 0 {
			return n
		}
		n = list[len(list)-1]
		if n.Is("expression_statement") && !strings.HasSuffix(n.Text(), ";") {
			n = n.NamedChild(0)
		}
	}
	return n
}

// returned reports whether an expression is a value that the function returns.
func returned(n syntax.Node) bool {
	for {
		p := n.Parent()
		switch p.Kind() {
		case "return_expression":
			return true
		case "function_item":
			return p.Field("body") == n
		case "macro_rule", "token_tree":
			return p.Is("token_tree") && p.Parsed() == n
		case "expression_statement":
			if strings.HasSuffix(p.Text(), ";") {
				return false
			}
		case "block":
			for next := n.Next(); next.Valid(); next = next.Next() {
				if next.Named() {
					return false
				}
			}
		case "match_arm":
			if p.Field("value") != n {
				return false
			}
		case "if_expression":
			if p.Field("condition") == n {
				return false
			}
		case "match_block", "else_clause", "unsafe_block", "parenthesized_expression":
		case "match_expression":
			if p.Field("value") == n {
				return false
			}
		default:
			return false
		}
		n = p
	}
}

// devices checks every Device::new of the file.
func devices(p *rules.Pass, k *host.Kernel) {
	for _, c := range dsl.Calls(k.FFI.File.Root()) {
		switch {
		case !isDevice(c) || host.TestOnly(c.Node):
		case zeroDevice(c):
			p.ReportFix(c.Node, rules.Error, "device 0", deviceFix(k, c), "`%s` always takes GPU 0; the tensors may be on another one, expected the parameter `device_id`", rules.Short(c.Node))
		default:
			for _, m := range dsl.Calls(c.Args[0]) {
				if m.Method() && m.Name == "max" && len(m.Args) == 1 && m.Args[0].Text() == "0" {
					p.Reportf(m.Node, rules.Note, "max", "`%s` takes GPU 0 for a negative device; `crate::setup_device_stream!` rejects it", rules.Short(m.Node))
				}
			}
		}
	}
}

func isDevice(c dsl.Call) bool {
	return len(c.Args) == 1 && (c.Path == "Device::new" || strings.HasSuffix(c.Path, "::Device::new"))
}

func zeroDevice(c dsl.Call) bool {
	if !isDevice(c) {
		return false
	}
	arg := dsl.Unparen(c.Args[0])
	if arg.Is("type_cast_expression") {
		arg = dsl.Unparen(arg.Field("value"))
	}
	return arg.Is("integer_literal") && strings.TrimLeft(strings.TrimSuffix(strings.TrimSuffix(arg.Text(), "usize"), "i32"), "0_") == ""
}

// deviceFix replaces the statements that bind the device and the stream by the
// shared macro.
func deviceFix(k *host.Kernel, c dsl.Call) *rules.Fix {
	let := c.Node.Ancestor("let_declaration")
	next := let.Next()
	dev, stream := let.Field("pattern"), next.Field("pattern")
	if k.Crate.FFIUtil == nil || !k.Crate.FFIUtil.Macros["setup_device_stream"] || !next.Is("let_declaration") || !dev.Is("identifier") || !stream.Is("identifier") {
		return nil
	}
	borrow, ok := dsl.AsCall(dsl.Unparen(next.Field("value")))
	if !ok || !strings.HasSuffix(borrow.Path, "Stream::borrow_raw") || len(borrow.Args) != 2 || host.Root(borrow.Args[1]) != dev.Text() {
		return nil
	}
	for _, e := range k.FFI.Exports {
		if n := len(e.Params); let.Inside(e.Body) && n >= 2 && e.Params[n-2].Name == "device_id" && e.Params[n-1].Name == "raw_stream" {
			return &rules.Fix{Description: "take the device and the stream from the caller", Edits: []rules.TextEdit{{
				Span: syntax.Span{Start: let.Span().Start, End: next.Span().End},
				New:  "crate::setup_device_stream!(" + dev.Text() + ", " + stream.Text() + ", device_id, raw_stream);",
			}}}
		}
	}
	return nil
}
