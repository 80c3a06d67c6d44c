package reference

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// Facts is the fact that holds the reference op of a kernel; nil when there is
// none or when its file could not be read as a whole.
var Facts = rules.NewFact("cuTile-Python reference", func(t *tree.Tree, u rules.Unit) *File {
	if u.Kernel == nil || u.Kernel.Reference == "" {
		return nil
	}
	f := t.File(u.Kernel.Reference)
	if f.Unread != "" {
		return nil
	}
	return Parse(f)
})

// api is the Python package that cuTile's functions live in.
const api = "cuda.tile"

// File is a Python file with reference kernels. It embeds the names that the
// file binds: constants, imports and functions.
type File struct {
	*host.Wrapper
	// Kernels are the functions with the decorator ct.kernel, in order.
	Kernels []*Kernel
	// Registered says that the file registers a function for the backend cutile.
	// Without one every function counts as reached.
	Registered bool

	byNode  map[syntax.Node]*Kernel
	reached map[syntax.Node]bool // top-level definitions; nil for all
	calls   []Call
	names   map[string]bool // of cuTile, in reached code
}

// Kernel is a function that cuTile compiles.
type Kernel struct {
	Name string
	Node syntax.Node // function_definition
	// Decorator is the expression ct.kernel or its call.
	Decorator syntax.Node
	// Hints are the keyword arguments of the decorator, such as occupancy.
	Hints map[string]syntax.Node
	// Splat says that some hints are hidden behind **.
	Splat  bool
	Params []Param
	// Reached says that a function registered for the backend cutile names the
	// kernel, directly or through functions of the file.
	Reached bool
}

// Param is a parameter of a kernel.
type Param struct {
	Name       string
	Node       syntax.Node // identifier
	Annotation syntax.Node // invalid when absent
	// Type is the annotation with aliases resolved and without cuTile's package,
	// such as "Constant[int]" or "float"; empty when absent or not understood.
	Type string
}

// Constant reports whether cuTile bakes the parameter's value into the kernel.
func (p Param) Constant() bool {
	return p.Type == "Constant" || strings.HasPrefix(p.Type, "Constant[")
}

// Call is a call of a cuTile function, or of a method that has its name.
type Call struct {
	Node syntax.Node // call
	Name string      // without the package: load, astype
	// Func is the function around the call; invalid at module level.
	Func   syntax.Node
	Method bool // x.name(...): the receiver is argument 0
}

// Arg is the argument with that keyword, else the one at a position from 0,
// the receiver of a method counted. A negative position asks for the keyword
// only. Invalid when absent.
func (c Call) Arg(keyword string, pos int) syntax.Node {
	if c.Method {
		if pos == 0 {
			return c.Node.Field("function").Field("object")
		}
		pos--
	}
	return syntax.PyArg(c.Node, keyword, pos)
}

// Hidden reports whether arguments of the call are hidden behind * or **.
func (c Call) Hidden() bool {
	return c.Node.Field("arguments").ChildOf("list_splat", "dictionary_splat").Valid()
}

// Parse models a Python file.
func Parse(f *syntax.File) *File {
	m := &File{Wrapper: host.ParseWrapper(f), names: map[string]bool{}, byNode: map[syntax.Node]*Kernel{}}
	m.findReached()
	for _, fn := range f.Root().Find("function_definition") {
		for _, d := range syntax.PyDecorators(fn) {
			m.addKernel(fn, d)
		}
	}
	for _, c := range f.Root().Find("call") {
		if args := syntax.PyArgs(c); m.Name(c.Field("function")) == "kernel" && len(args) == 1 && args[0].Is("identifier") {
			m.addKernel(m.Function(args[0]), c)
		}
		if !m.Reached(c) {
			continue
		}
		fn := c.Field("function")
		call := Call{Node: c, Name: m.Name(fn), Func: enclosing(c)}
		if call.Name == "" && fn.Is("attribute") && m.Kernel(c) != nil {
			call.Name, call.Method = fn.Field("attribute").Text(), true
		}
		if call.Name != "" {
			m.calls = append(m.calls, call)
		}
	}
	for _, n := range f.Root().Find("attribute", "identifier") {
		if p := n.Parent(); p.Is("attribute") || p.Is("keyword_argument") && p.Field("name") == n || !m.Reached(n) || n.Ancestor("import_statement", "import_from_statement").Valid() {
			continue
		}
		for _, segment := range strings.Split(m.Name(n), ".") {
			m.names[segment] = true
		}
	}
	delete(m.names, "")
	return m
}

func (m *File) addKernel(fn, decorator syntax.Node) {
	name, args := decorator, syntax.Node{}
	if decorator.Is("call") {
		name, args = decorator.Field("function"), decorator.Field("arguments")
	}
	if m.Name(name) != "kernel" || !fn.Is("function_definition") || m.byNode[fn] != nil {
		return
	}
	k := &Kernel{
		Name: fn.Field("name").Text(), Node: fn, Decorator: decorator, Hints: map[string]syntax.Node{},
		Splat: args.ChildOf("dictionary_splat").Valid(), Reached: m.Reached(fn.Field("body")),
	}
	for _, a := range args.NamedChildren() {
		if a.Is("keyword_argument") {
			k.Hints[a.Field("name").Text()] = a.Field("value")
		}
	}
	for _, p := range fn.Field("parameters").NamedChildren() {
		id := p
		switch p.Kind() {
		case "typed_parameter":
			id = p.ChildOf("identifier")
		case "typed_default_parameter", "default_parameter":
			id = p.Field("name")
		}
		if id.Is("identifier") {
			t := p.Field("type")
			k.Params = append(k.Params, Param{id.Text(), id, t, m.Type(t)})
		}
	}
	m.Kernels = append(m.Kernels, k)
	m.byNode[fn] = k
}

// Name is the name of a cuTile object that an expression refers to, without
// the package, imports and module constants resolved: "load", "PaddingMode.ZERO";
// empty for anything else.
func (m *File) Name(n syntax.Node) string {
	n = m.Const(n)
	dotted := syntax.PyDotted(n)
	first, rest, more := strings.Cut(dotted, ".")
	if imported, ok := m.Imports[first]; ok {
		first = imported
	}
	if more {
		first += "." + rest
	}
	name, ok := strings.CutPrefix(first, api+".")
	if !ok {
		return ""
	}
	return name
}

// Type is a type expression with aliases resolved and without cuTile's
// package; empty when it is not understood.
func (m *File) Type(n syntax.Node) string {
	for n.Is("type") {
		n = n.NamedChild(0)
	}
	n = m.Const(n)
	switch n.Kind() {
	case "subscript", "generic_type":
		base, arg := n.Field("value"), n.Field("subscript")
		if n.Is("generic_type") {
			base, arg = n.NamedChild(0), n.ChildOf("type_parameter").NamedChild(0)
		}
		if b, a := m.Type(base), m.Type(arg); b != "" {
			return b + "[" + a + "]"
		}
	case "identifier", "attribute":
		if name := m.Name(n); name != "" {
			return name
		}
		return syntax.PyDotted(n)
	}
	return ""
}

// Calls lists the calls of the named cuTile functions, method form included,
// in code that the op reaches.
func (m *File) Calls(names ...string) []Call {
	var out []Call
	for _, c := range m.calls {
		if slices.Contains(names, c.Name) {
			out = append(out, c)
		}
	}
	return out
}

// Has reports whether code that the op reaches names one of these objects of
// cuTile, called or not: Has("tfloat32"), Has("truediv").
func (m *File) Has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return m.names[n] })
}

// KernelHas reports whether a kernel names one of these objects of cuTile, in
// its own body or in functions of the file that it names.
func (m *File) KernelHas(k *Kernel, names ...string) bool {
	seen := map[syntax.Node]bool{}
	work := []syntax.Node{k.Node}
	for len(work) > 0 {
		fn := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[fn] {
			continue
		}
		seen[fn] = true
		found := false
		for _, n := range fn.Field("body").Find("attribute", "identifier") {
			for _, segment := range strings.Split(m.Name(n), ".") {
				found = found || slices.Contains(names, segment)
			}
			if f := m.Function(n); n.Is("identifier") && f.Is("function_definition") {
				work = append(work, f)
			}
		}
		if found {
			return true
		}
	}
	return false
}

// Persistent reports whether a kernel loops over its work by the launch grid:
// a range that steps by ct.num_blocks.
func (m *File) Persistent(k *Kernel) bool {
	for _, c := range k.Node.Find("call") {
		args := syntax.PyArgs(c)
		if c.Field("function").Text() != "range" || len(args) != 3 {
			continue
		}
		step := args[2]
		for range 3 {
			if step.Is("identifier") {
				step = m.Local(step)
			}
		}
		if step.Is("call") && m.Name(step.Field("function")) == "num_blocks" {
			return true
		}
	}
	return false
}

// Assigned lists the values that a function assigns to a name.
func Assigned(fn syntax.Node, name string) []syntax.Node {
	var out []syntax.Node
	for _, a := range fn.Find("assignment") {
		if a.Field("left").Text() == name && a.Field("right").Valid() {
			out = append(out, a.Field("right"))
		}
	}
	return out
}

// Kernel is the kernel around a node; nil outside of kernels.
func (m *File) Kernel(n syntax.Node) *Kernel {
	for fn := n.Ancestor("function_definition"); fn.Valid(); fn = fn.Ancestor("function_definition") {
		if k := m.byNode[fn]; k != nil {
			return k
		}
	}
	return nil
}

// Values lists what the file gives to a name: values of keyword arguments and
// of dictionary entries, such as the fields of tuning configurations.
func (m *File) Values(name string) []syntax.Node {
	var out []syntax.Node
	for _, n := range m.File.Root().Find("keyword_argument", "pair") {
		if n.Is("pair") && syntax.PyString(n.Field("key")) == name || n.Is("keyword_argument") && n.Field("name").Text() == name {
			out = append(out, n.Field("value"))
		}
	}
	return out
}

// Int is the value of an integer expression: a literal or a module constant,
// negated or not.
func (m *File) Int(n syntax.Node) (int, bool) {
	n = m.Const(n)
	sign := 1
	if n.Is("unary_operator") && n.Field("operator").Text() == "-" {
		n, sign = m.Const(n.Field("argument")), -1
	}
	if !n.Is("integer") {
		return 0, false
	}
	v, err := strconv.ParseInt(n.Text(), 0, 32)
	return sign * int(v), err == nil
}

func enclosing(n syntax.Node) syntax.Node {
	if o := host.Owner(n); o.Is("function_definition", "lambda") {
		return o
	}
	return syntax.Node{}
}

// Reached reports whether the op reaches the code at a node: module level, or
// a definition that a registered function names, directly or not.
func (m *File) Reached(n syntax.Node) bool {
	d := topLevel(n)
	return m.reached == nil || !d.Valid() || m.reached[d]
}

// topLevel is the outermost function or class that has a node in its body.
func topLevel(n syntax.Node) syntax.Node {
	var out syntax.Node
	for p := n.Parent(); p.Valid(); p = p.Parent() {
		if p.Is("function_definition", "class_definition") {
			out = p
		}
	}
	return out
}

// registration is what is registered for an op of the reference's backend.
type registration struct {
	op   string
	defs []syntax.Node // function_definition, class_definition
}

// registered lists the registrations of definitions of the module.
func (m *File) registered() []registration {
	var out []registration
	add := func(reg syntax.Node, defs ...syntax.Node) {
		if !reg.Is("call") || syntax.PyName(reg.Field("function")) != "register_impl" {
			return
		}
		if backend, _ := m.String(syntax.PyArg(reg, "backend", 1)); backend == "cutile" {
			op, _ := m.String(syntax.PyArg(reg, "name", 0))
			out = append(out, registration{op, defs})
		}
	}
	byName := map[string][]syntax.Node{}
	root := m.File.Root()
	for _, d := range root.Find("function_definition", "class_definition") {
		if topLevel(d).Valid() {
			continue
		}
		byName[d.Field("name").Text()] = append(byName[d.Field("name").Text()], d)
		for _, dec := range syntax.PyDecorators(d) {
			add(dec, d)
		}
	}
	for _, c := range root.Find("call") {
		if args := syntax.PyArgs(c); len(args) == 1 {
			add(c.Field("function"), byName[args[0].Text()]...)
		}
	}
	return out
}

// findReached finds what any of the ops may run.
func (m *File) findReached() {
	for _, r := range m.registered() {
		m.Registered = m.Registered || len(r.defs) > 0
	}
	if !m.Registered {
		return
	}
	m.reached = map[syntax.Node]bool{}
	for d := range m.walk(nil, true).reached {
		m.reached[d] = true
	}
}
