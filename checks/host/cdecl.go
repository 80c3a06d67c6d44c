package host

import (
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// CDef is the C source that a wrapper hands to cffi.
type CDef struct {
	// At is the Python expression that holds the text.
	At syntax.Node
	// Unread says why the text is no readable C, or is empty.
	Unread string
	Decls  []*CDecl
}

// CDecl is one C function declaration. Its nodes stand in the Python file.
type CDecl struct {
	Name   string
	Node   syntax.Node // declaration
	NameAt syntax.Node
	Return CType
	Params []CParam
}

// CParam is a parameter of a C declaration; Name may be empty.
type CParam struct {
	Name string
	Type CType
	Node syntax.Node // parameter_declaration
}

// CType is a C type as far as an ABI needs it.
type CType struct {
	// Base is the type's name in Rust: i32, u64, f32, or the name of a struct.
	// Empty when the type is not known.
	Base    string
	Pointer int    // levels of pointers
	Text    string // as written
}

// cTypes maps C spellings to Rust's names on a 64-bit Linux host.
var cTypes = map[string]string{
	"int8_t": "i8", "int16_t": "i16", "int32_t": "i32", "int64_t": "i64",
	"uint8_t": "u8", "uint16_t": "u16", "uint32_t": "u32", "uint64_t": "u64",
	"char": "i8", "signed char": "i8", "unsigned char": "u8",
	"short": "i16", "unsigned short": "u16",
	"int": "i32", "signed int": "i32", "signed": "i32", "unsigned": "u32", "unsigned int": "u32",
	"long": "i64", "long int": "i64", "unsigned long": "u64", "unsigned long int": "u64",
	"long long": "i64", "long long int": "i64", "unsigned long long": "u64", "unsigned long long int": "u64",
	"size_t": "u64", "uintptr_t": "u64", "ssize_t": "i64", "intptr_t": "i64", "ptrdiff_t": "i64",
	"float": "f32", "double": "f64", "bool": "bool", "_Bool": "bool", "void": "void",
	"TensorDesc": "TensorDesc",
}

// rustTypes maps Rust spellings that share an ABI to one name.
var rustTypes = map[string]string{
	"usize": "u64", "isize": "i64", "c_int": "i32", "c_uint": "u32", "c_long": "i64", "c_ulong": "u64",
	"c_longlong": "i64", "c_ulonglong": "u64", "c_float": "f32", "c_double": "f64", "c_char": "i8",
	"c_void": "void", "TensorDesc": "TensorDesc",
	"i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "u8": "u8", "u16": "u16", "u32": "u32", "u64": "u64",
	"f32": "f32", "f64": "f64", "bool": "bool",
}

// RustType reads a Rust type as written without white space, such as
// "*const TensorDesc" or "i32".
func RustType(text string) CType {
	t := CType{Text: text}
	for {
		rest, ok := strings.CutPrefix(text, "*const")
		if !ok {
			rest, ok = strings.CutPrefix(text, "*mut")
		}
		if !ok {
			break
		}
		t.Pointer++
		text = strings.TrimSpace(rest)
	}
	t.Base = rustTypes[text[strings.LastIndex(text, ":")+1:]]
	return t
}

// Same reports whether two types have one ABI; the second result is false when
// one of them is not known well enough to say.
func (t CType) Same(o CType) (same, known bool) {
	switch {
	case t.Pointer != o.Pointer:
		return false, t.Base != "" && o.Base != "" || t.Pointer > 0 && o.Base != "" || o.Pointer > 0 && t.Base != ""
	case t.Base == "" || o.Base == "":
		return false, false
	case t.Pointer > 0 && (t.Base == "void" || o.Base == "void"):
		return true, true
	}
	return t.Base == o.Base, true
}

// parseC reads C source that stands in a file as the given parts.
func parseC(f *syntax.File, parts []syntax.Span, escapes bool) *syntax.File {
	return syntax.Embed(f, syntax.C, parts, escapes)
}

// cdef is the C text of a Python expression; nil when the text is not visible in the
// file. What several calls name is read once.
func (w *Wrapper) cdef(n syntax.Node) *CDef {
	if n.Is("identifier") && w.Consts[n.Text()].Valid() {
		n = w.Consts[n.Text()]
	}
	d, seen := w.cdefs[n]
	if !seen {
		d = w.readCDef(n)
		w.cdefs[n] = d
	}
	return d
}

func (w *Wrapper) readCDef(n syntax.Node) *CDef {
	parts, escapes, ok := w.textParts(n)
	if !ok {
		return nil
	}
	d := &CDef{At: n}
	c := parseC(w.File, parts, escapes)
	if d.Unread = c.Unread; d.Unread != "" {
		return d
	}
	for _, decl := range c.Root().Find("declaration") {
		fn := declarator(decl.Field("declarator"), "function_declarator")
		name := fn.Field("declarator")
		if !name.Is("identifier") {
			continue
		}
		out := &CDecl{Name: name.Text(), Node: decl, NameAt: name}
		out.Return = cType(decl)
		for _, p := range fn.Field("parameters").NamedChildren() {
			if !p.Is("parameter_declaration") {
				continue
			}
			t := cType(p)
			if t.Base == "void" && t.Pointer == 0 {
				continue
			}
			out.Params = append(out.Params, CParam{declarator(p.Field("declarator"), "identifier").Text(), t, p})
		}
		d.Decls = append(d.Decls, out)
	}
	return d
}

// declarator descends through pointers and parentheses to a node of a kind.
func declarator(n syntax.Node, kind string) syntax.Node {
	for n.Valid() && !n.Is(kind) {
		inner := n.Field("declarator")
		if !inner.Valid() && n.Is("parenthesized_declarator", "attributed_declarator") {
			inner = n.NamedChild(0)
		}
		n = inner
	}
	return n
}

// cType is the type of a parameter or, for a declaration, what it returns.
func cType(decl syntax.Node) CType {
	base := decl.Field("type").Squeeze()
	t := CType{Base: cTypes[base], Text: base}
	for d := decl.Field("declarator"); d.Valid(); {
		if d.Is("pointer_declarator", "abstract_pointer_declarator", "array_declarator") {
			t.Pointer++
			t.Text += "*"
		}
		if d.Is("function_declarator") && !decl.Is("declaration") {
			t.Base = "" // a pointer to a function
		}
		d = d.Field("declarator")
	}
	return t
}
