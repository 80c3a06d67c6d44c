package host

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// Lib is a crate's lib.rs.
type Lib struct {
	File *syntax.File
	// Mods are the modules with a body and what each includes.
	Mods []*LibMod
	// Includes are all include! invocations, those outside modules too.
	Includes []Include
	// Files are the modules whose body is the file that #[path] names.
	Files []Include
}

// LibMod is a mod item with a body.
type LibMod struct {
	Name     string
	Node     syntax.Node
	Includes []Include
}

// Include is an include! of a file.
type Include struct {
	Node syntax.Node // macro_invocation or mod_item
	// Path is relative to the checkout's root; empty when the argument is no
	// plain string.
	Path string
}

func parseLib(f *syntax.File) *Lib {
	l := &Lib{File: f}
	mods := map[syntax.Node]*LibMod{}
	for _, m := range f.Root().Find("mod_item") {
		if m.Field("body").Valid() && !NeverBuilt(m) {
			mods[m] = &LibMod{Name: m.Field("name").Text(), Node: m}
			l.Mods = append(l.Mods, mods[m])
		} else if p := pathOf(m); p != "" && !NeverBuilt(m) && m.Parent().Is("source_file") {
			l.Files = append(l.Files, Include{m, path.Join(path.Dir(f.Path), p)})
		}
	}
	for _, n := range f.Root().Find("macro_invocation") {
		if syntax.LastSegment(n.Field("macro")) != "include" || NeverBuilt(n) {
			continue
		}
		inc := Include{Node: n}
		// The argument is an opaque token tree: its only token is the string.
		if s := n.ChildOf("token_tree").NamedChildren(); len(s) == 1 && s[0].Is("string_literal", "raw_string_literal") {
			if content := s[0].ChildOf("string_content"); content.Valid() && !s[0].ChildOf("escape_sequence").Valid() {
				inc.Path = path.Join(path.Dir(f.Path), content.Text())
			}
		}
		l.Includes = append(l.Includes, inc)
		if m := mods[n.Ancestor("mod_item")]; m != nil {
			m.Includes = append(m.Includes, inc)
		}
	}
	return l
}

// pathOf is the file that #[path] names for a module; empty without one.
func pathOf(mod syntax.Node) string {
	for _, a := range mod.Attributes() {
		s := a.Field("value")
		if a.NamedChild(0).Text() == "path" && !s.ChildOf("escape_sequence").Valid() {
			return s.ChildOf("string_content").Text()
		}
	}
	return ""
}

// Has reports whether lib.rs takes a file in: by an include, in a module or outside, or
// as a module.
func (l *Lib) Has(p string) bool {
	for _, i := range slices.Concat(l.Includes, l.Files) {
		if i.Path == p && p != "" {
			return true
		}
	}
	return false
}

// Opaque reports whether some include has a path that is not a plain string.
func (l *Lib) Opaque() bool {
	for _, i := range l.Includes {
		if i.Path == "" {
			return true
		}
	}
	return false
}

// Init is the __init__.py of a folder of wrappers.
type Init struct {
	File *syntax.File
	// Imported are the names of the sibling modules that it imports.
	Imported map[string]bool
	// Last is the last import of a sibling module, after which one more belongs.
	Last syntax.Node
	// Dynamic says that it imports modules by computed names.
	Dynamic bool
}

func parseInit(f *syntax.File) *Init {
	in := &Init{File: f, Imported: map[string]bool{}}
	pkg := strings.ReplaceAll(strings.TrimPrefix(path.Dir(f.Path), "src/"), "/", ".")
	for _, n := range f.Root().Find("import_from_statement", "import_statement") {
		module := n.Field("module_name")
		from := module.Squeeze()
		sibling := false
		for _, name := range n.Fields("name") {
			dotted := name.Squeeze()
			if name.Is("aliased_import") {
				dotted = name.Field("name").Squeeze()
			}
			switch {
			case module.Valid() && (from == "." || from == pkg):
				in.Imported[dotted], sibling = true, true
			case !module.Valid() && strings.HasPrefix(dotted, pkg+"."):
				in.Imported[strings.TrimPrefix(dotted, pkg+".")], sibling = true, true
			}
		}
		if rest, ok := strings.CutPrefix(from, pkg+"."); ok {
			in.Imported[rest], sibling = true, true
		} else if rest, ok := strings.CutPrefix(from, "."); ok && rest != "" && !strings.HasPrefix(rest, ".") {
			in.Imported[rest], sibling = true, true
		}
		if sibling {
			in.Last = n
		}
	}
	for _, c := range f.Root().Find("call") {
		switch syntax.PyName(c.Field("function")) {
		case "import_module", "__import__", "iter_modules", "walk_packages", "exec", "load_module":
			in.Dynamic = true
		}
	}
	return in
}

// Number is an integer constant and where it stands.
type Number struct {
	Value int
	Node  syntax.Node
}

// Field is a field of the tensor descriptor. Type has no white space; Len is
// the length of an array, 0 for a scalar.
type Field struct {
	Name string
	Type string
	Len  Number
	Node syntax.Node
}

// FFIUtil is the marshalling code that the exports share, ffi_util.rs.
type FFIUtil struct {
	File    *syntax.File
	MaxDims Number // Node invalid when absent
	Fields  []Field
	// DtypeStr maps a dtype code to its element type.
	DtypeStr map[int]Code
	// ElemSize maps a dtype code to its size in bytes.
	ElemSize map[int]Number
	// RC are the constants of mod rc by name.
	RC map[string]Number
	// Macros are the names of the macros it defines.
	Macros map[string]bool
}

// Code is a dtype code with the name that one side gives it.
type Code struct {
	Name string
	Node syntax.Node
}

func parseFFIUtil(f *syntax.File) *FFIUtil {
	u := &FFIUtil{File: f, DtypeStr: map[int]Code{}, ElemSize: map[int]Number{}, RC: map[string]Number{}, Macros: map[string]bool{}}
	for _, c := range f.Root().Find("const_item") {
		name, v := c.Field("name").Text(), c.Field("value")
		n, ok := rustInt(v)
		switch {
		case !ok:
		case c.Ancestor("mod_item").Field("name").Text() == "rc":
			u.RC[name] = Number{n, v}
		case name == "MAX_DIMS":
			u.MaxDims = Number{n, v}
		}
	}
	for _, s := range f.Root().Find("struct_item") {
		if s.Field("name").Text() != "TensorDesc" {
			continue
		}
		for _, fd := range s.Field("body").NamedChildren() {
			if !fd.Is("field_declaration") {
				continue
			}
			fl := Field{Name: fd.Field("name").Text(), Node: fd}
			t := fd.Field("type")
			if t.Is("array_type") {
				length := t.Field("length")
				fl.Len.Node = length
				if n, ok := rustInt(length); ok {
					fl.Len.Value = n
				} else if length.Text() == "MAX_DIMS" && u.MaxDims.Node.Valid() {
					fl.Len.Value = u.MaxDims.Value
				}
				t = t.Field("element")
			}
			fl.Type = RustType(t.Squeeze()).Base
			u.Fields = append(u.Fields, fl)
		}
	}
	for _, fn := range f.Root().Find("function_item") {
		switch fn.Field("name").Text() {
		case "dtype_str":
			eachArm(fn, func(code int, v syntax.Node) {
				if s := v.Find("string_literal"); len(s) == 1 {
					u.DtypeStr[code] = Code{strings.Trim(s[0].Text(), `"`), v}
				}
			})
		case "dtype_elem_size":
			eachArm(fn, func(code int, v syntax.Node) {
				if n, ok := rustInt(v); ok {
					u.ElemSize[code] = Number{n, v}
				}
			})
		}
	}
	for _, m := range f.Root().Find("macro_definition") {
		u.Macros[m.Field("name").Text()] = true
	}
	return u
}

// eachArm calls visit for each integer that a function's match takes.
func eachArm(fn syntax.Node, visit func(code int, value syntax.Node)) {
	for _, arm := range fn.Field("body").Find("match_arm") {
		var codes func(p syntax.Node)
		codes = func(p syntax.Node) {
			switch p.Kind() {
			case "integer_literal", "negative_literal":
				if n, ok := rustInt(p); ok {
					visit(n, arm.Field("value"))
				}
			case "range_pattern":
				ends := p.NamedChildren()
				if len(ends) != 2 {
					return
				}
				lo, ok1 := rustInt(ends[0])
				hi, ok2 := rustInt(ends[1])
				if !p.ChildOf("..=").Valid() {
					hi--
				}
				if ok1 && ok2 && hi-lo < maxItems {
					for i := lo; i <= hi; i++ {
						visit(i, arm.Field("value"))
					}
				}
			case "match_pattern", "or_pattern":
				for _, c := range p.NamedChildren() {
					codes(c)
				}
			}
		}
		codes(arm.Field("pattern"))
	}
}

func rustInt(n syntax.Node) (int, bool) {
	text := n.Squeeze()
	for _, suffix := range []string{"i32", "i64", "u32", "u64", "usize", "isize"} {
		text = strings.TrimSuffix(text, suffix)
	}
	v, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 0, 32)
	return int(v), err == nil
}

// Utils is the loader of the backend, utils.py.
type Utils struct {
	*Wrapper
	MaxDims Number // _TENSORDESC_MAX_DIMS
	// Fields are those of the C typedef of the descriptor; empty when it is not
	// readable.
	Fields []Field
	// DtypeCode maps a torch dtype such as float16 to its code; DtypeAt is the
	// whole table.
	DtypeCode map[string]Number
	DtypeAt   syntax.Node
	// Messages are the return codes that have a text; MessagesAt is the table.
	Messages   map[int]syntax.Node
	MessagesAt syntax.Node
	// CheckRC is the function that raises on an error code.
	CheckRC syntax.Node
	// SoName is the default file name of the library.
	SoName string
}

func parseUtils(f *syntax.File) *Utils {
	u := &Utils{Wrapper: ParseWrapper(f), DtypeCode: map[string]Number{}, Messages: map[int]syntax.Node{}}
	if v := u.Const(u.Consts["_TENSORDESC_MAX_DIMS"]); v.Is("integer") {
		u.MaxDims.Node = v
		u.MaxDims.Value, _ = strconv.Atoi(v.Text())
	}
	if v := u.Consts["_TENSORDESC_CDEF"]; v.Valid() {
		u.Fields = u.structFields(v)
	}
	if v := u.Consts["_DTYPE_CODE"]; v.Is("dictionary") {
		u.DtypeAt = v
		for _, p := range v.NamedChildren() {
			key := p.Field("key")
			name, ok := u.String(key)
			if !ok {
				name = syntax.PyDotted(key)
			}
			if n, ok := PyInt(u.Const(p.Field("value"))); ok && name != "" {
				u.DtypeCode[strings.TrimPrefix(name, "torch.")] = Number{n, p}
			}
		}
	}
	if v := u.Consts["_RC_MESSAGES"]; v.Is("dictionary") {
		u.MessagesAt = v
		for _, p := range v.NamedChildren() {
			if n, ok := PyInt(u.Const(p.Field("key"))); ok {
				u.Messages[n] = p
			}
		}
	}
	for _, fn := range f.Root().Find("function_definition") {
		switch fn.Field("name").Text() {
		case "check_rc":
			u.CheckRC = fn
		case "bind_kernel_function_cffi":
			for _, p := range fn.Field("parameters").NamedChildren() {
				if p.Field("name").Text() == "so_name" {
					u.SoName, _ = u.String(p.Field("value"))
				}
			}
		}
	}
	return u
}

// structFields reads the fields of the one struct in a C text.
func (w *Wrapper) structFields(n syntax.Node) []Field {
	parts, escapes, ok := w.textParts(n)
	if !ok {
		return nil
	}
	c := parseC(w.File, parts, escapes)
	lists := c.Root().Find("field_declaration_list")
	if c.Unread != "" || len(lists) != 1 {
		return nil
	}
	var out []Field
	for _, fd := range lists[0].NamedChildren() {
		if !fd.Is("field_declaration") {
			return nil
		}
		for _, d := range fd.Fields("declarator") {
			fl := Field{Name: declarator(d, "field_identifier").Text(), Type: cType(fd).Base, Node: fd}
			if d.Is("array_declarator") {
				fl.Len.Node = d.Field("size")
				fl.Len.Value, _ = strconv.Atoi(fl.Len.Node.Text())
			}
			out = append(out, fl)
		}
	}
	return out
}

// PyInt is the value of an integer literal with an optional minus.
func PyInt(n syntax.Node) (int, bool) {
	if n.Is("unary_operator") && n.Field("operator").Text() == "-" {
		v, ok := PyInt(n.Field("argument"))
		return -v, ok
	}
	if !n.Is("integer") {
		return 0, false
	}
	v, err := strconv.ParseInt(strings.ReplaceAll(n.Text(), "_", ""), 0, 32)
	return int(v), err == nil
}

// torchTypes relates the dtypes of PyTorch to the DSL's element types and
// their size in bytes. Packed formats travel as torch.uint8.
var torchTypes = []struct {
	torch, rust string
	size        int
}{
	{"float64", "f64", 8}, {"float32", "f32", 4}, {"float16", "f16", 2}, {"bfloat16", "bf16", 2},
	{"float8_e5m2", "f8e5m2", 1}, {"float8_e4m3fn", "f8e4m3fn", 1}, {"uint8", "f4e2m1fnx2", 1}, {"uint8", "u8", 1},
	{"int64", "i64", 8}, {"int32", "i32", 4}, {"int16", "i16", 2}, {"int8", "i8", 1}, {"bool", "bool", 1},
	{"float", "f32", 4}, {"half", "f16", 2}, {"double", "f64", 8}, {"int", "i32", 4}, {"long", "i64", 8},
}

// RustTypes lists the DSL's element types that a torch dtype can be; empty for
// an unknown one.
func RustTypes(torch string) []string {
	var out []string
	for _, t := range torchTypes {
		if t.torch == torch {
			out = append(out, t.rust)
		}
	}
	return out
}

// ElemSize is the size in bytes of one of the DSL's element types, 0 for an
// unknown one.
func ElemSize(rust string) int {
	for _, t := range torchTypes {
		if t.rust == rust {
			return t.size
		}
	}
	return 0
}
