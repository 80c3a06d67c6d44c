package dsl

import (
	"slices"
	"strings"
	"sync"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// Modules is the fact that holds the DSL modules of a kernel's kernel.rs.
var Modules = rules.NewFact("dsl modules", func(t *tree.Tree, u rules.Unit) []*Module {
	if u.Kernel == nil || u.Kernel.KernelRS == "" {
		return nil
	}
	return Parse(t.File(u.Kernel.KernelRS))
})

// Module is a mod item with the attribute cutile::module and an inline body.
type Module struct {
	File   *syntax.File
	Node   syntax.Node // mod_item
	Attr   syntax.Node // the attribute cutile::module
	Name   string
	Body   syntax.Node            // declaration_list
	Funcs  []*Func                // without items under #[cfg(test)]
	Consts map[string]syntax.Node // const_item by name
	// Aliases holds the names of the module's type aliases.
	Aliases map[string]bool
	// Imported holds the names that use declarations bring in from outside the
	// cutile crate; such a name is not the DSL's.
	Imported map[string]bool

	byName map[string]*Func // the first of each name
	// imports holds, by the node that use declarations stand in, the full path of
	// each name that they bring in; it is empty for a name of several meanings.
	imports map[syntax.Node]map[string]string
	nested  bool // use declarations stand below the module's body
	renamed bool // some name may mean a DSL function of another name
}

// Func is a function of a module: an entry or a helper. Both are compiled for
// the GPU when they are first launched.
type Func struct {
	Module *Module
	Node   syntax.Node // function_item
	Name   string
	NameAt syntax.Node
	Public bool
	Unsafe bool
	Entry  *Entry // nil for a helper
	Types  []TypeParam
	Consts []ConstParam
	Params []Param
	Body   syntax.Node

	scopes map[syntax.Node]map[string][]Binding // lets by block and name, in order
	index  sync.Once
	uses   map[syntax.Node][]syntax.Node // identifiers by the pattern they mean
	names  map[string]bool               // all identifiers
	called sync.Once
	calls  []Call
}

// Entry is the attribute that makes a function a kernel entry point.
type Entry struct {
	Attr    syntax.Node // attribute
	Path    string      // cutile::entry, entry, ...
	HasList bool        // has a parenthesised argument list
	Args    syntax.Node // token_tree of the list
}

// TypeParam is a generic type parameter with its bounds as written.
type TypeParam struct {
	Name   string
	Bounds []string
	Node   syntax.Node
}

// ConstParam is a const generic parameter.
type ConstParam struct {
	Name string
	Node syntax.Node
}

// Param is a value parameter. Type is its type's node.
type Param struct {
	Name string
	Node syntax.Node // parameter
	Type syntax.Node
}

// Parse finds the modules of a kernel file.
func Parse(f *syntax.File) []*Module {
	var out []*Module
	for _, m := range f.Root().Find("mod_item") {
		body := m.Field("body")
		if !body.Valid() || !hasAttribute(m, "module") || testOnly(m) {
			continue
		}
		mod := &Module{
			File: f, Node: m, Name: m.Field("name").Text(), Body: body,
			Consts: map[string]syntax.Node{}, Aliases: map[string]bool{}, Imported: map[string]bool{},
			imports: map[syntax.Node]map[string]string{},
		}
		for _, a := range m.Attributes() {
			if last(AttributePath(a)) == "module" {
				mod.Attr = a
			}
		}
		for c := range body.Children() {
			switch c.Kind() {
			case "const_item":
				mod.Consts[c.Field("name").Text()] = c
			case "type_item":
				mod.Aliases[c.Field("name").Text()] = true
			}
		}
		mod.findImports()
		for _, fn := range body.Find("function_item") {
			if !testOnly(fn) && !fn.Ancestor("function_item", "impl_item", "trait_item").Valid() {
				mod.add(newFunc(mod, fn))
			}
		}
		out = append(out, mod)
	}
	return out
}

func newFunc(m *Module, n syntax.Node) *Func {
	f := &Func{
		Module: m, Node: n, NameAt: n.Field("name"), Name: n.Field("name").Text(),
		Public: n.ChildOf("visibility_modifier").Valid() && n.ChildOf("visibility_modifier").Squeeze() != "pub(self)",
		Unsafe: n.ChildOf("function_modifiers").ChildOf("unsafe").Valid(),
		Body:   n.Field("body"),
	}
	for _, a := range n.Attributes() {
		if name := AttributePath(a); last(name) == "entry" {
			list := a.Field("arguments")
			f.Entry = &Entry{Attr: a, Path: name, HasList: list.Valid(), Args: list}
		}
	}
	for _, p := range n.Field("type_parameters").NamedChildren() {
		switch p.Kind() {
		case "type_parameter", "constrained_type_parameter":
			tp := TypeParam{Name: p.Field("name").Text(), Node: p}
			for _, b := range p.Field("bounds").NamedChildren() {
				tp.Bounds = append(tp.Bounds, b.Text())
			}
			f.Types = append(f.Types, tp)
		case "const_parameter":
			f.Consts = append(f.Consts, ConstParam{p.Field("name").Text(), p})
		}
	}
	for _, w := range n.ChildOf("where_clause").NamedChildren() {
		for i := range f.Types {
			if f.Types[i].Name == w.Field("left").Text() {
				for _, b := range w.Field("bounds").NamedChildren() {
					f.Types[i].Bounds = append(f.Types[i].Bounds, b.Text())
				}
			}
		}
	}
	for _, p := range n.Field("parameters").NamedChildren() {
		if p.Is("parameter") {
			pat := p.Field("pattern")
			if pat.Is("mut_pattern") {
				pat = pat.ChildOf("identifier")
			}
			f.Params = append(f.Params, Param{pat.Text(), p, p.Field("type")})
		}
	}
	f.scopes = map[syntax.Node]map[string][]Binding{}
	for _, let := range f.Body.Find("let_declaration") {
		block := let.Parent()
		names := f.scopes[block]
		if names == nil {
			names = map[string][]Binding{}
			f.scopes[block] = names
		}
		let.Field("pattern").Inspect(func(n syntax.Node) bool {
			if n.Is("identifier", "shorthand_field_identifier") {
				names[n.Text()] = append(names[n.Text()], Binding{n.Text(), let, n})
			}
			return !n.Is("type_arguments")
		})
	}
	return f
}

// Uses lists the identifiers of the body that mean a binding, given by the
// identifier in its pattern.
func (f *Func) Uses(pattern syntax.Node) []syntax.Node {
	f.build()
	return f.uses[pattern]
}

// build resolves every identifier of the function once.
func (f *Func) build() {
	f.index.Do(func() {
		f.uses, f.names = map[syntax.Node][]syntax.Node{}, map[string]bool{}
		for _, p := range f.Params {
			f.names[p.Name] = true
		}
		for _, id := range f.Node.Find("identifier") {
			f.names[id.Text()] = true
			if b, ok := f.Lookup(id); ok && b.Pattern != id {
				f.uses[b.Pattern] = append(f.uses[b.Pattern], id)
			}
		}
	})
}

// Const finds a const generic parameter by name.
func (f *Func) Const(name string) bool {
	return slices.ContainsFunc(f.Consts, func(c ConstParam) bool { return c.Name == name })
}

// TypeParam finds a type parameter by name.
func (f *Func) TypeParam(name string) bool {
	return slices.ContainsFunc(f.Types, func(t TypeParam) bool { return t.Name == name })
}

// Entries lists the entry points.
func (m *Module) Entries() []*Func {
	var out []*Func
	for _, f := range m.Funcs {
		if f.Entry != nil {
			out = append(out, f)
		}
	}
	return out
}

func (m *Module) add(f *Func) {
	m.Funcs = append(m.Funcs, f)
	if m.byName == nil {
		m.byName = map[string]*Func{}
	}
	if m.byName[f.Name] == nil {
		m.byName[f.Name] = f
	}
}

// Func finds a function by name.
func (m *Module) Func(name string) *Func { return m.byName[name] }

// findImports reads all use declarations of the module.
func (m *Module) findImports() {
	for _, decl := range m.Body.Find("use_declaration") {
		if testOnly(decl) {
			continue
		}
		at := decl.Parent()
		names := m.imports[at]
		if names == nil {
			names = map[string]string{}
			m.imports[at] = names
		}
		m.nested = m.nested || at != m.Body
		for _, u := range Uses(decl) {
			path := strings.Join(u.Path, "::")
			if at == m.Body && u.Path[0] != "cutile" {
				m.Imported[u.Name] = true
			}
			if u.Name == "*" {
				continue
			}
			if before, ok := names[u.Name]; ok && before != path {
				path = "" // under conditions of the build
			}
			names[u.Name] = path
			m.renamed = m.renamed || strings.HasPrefix(path, core) && u.Name != u.Path[len(u.Path)-1]
		}
	}
}

// imported is the full path that a name was imported from at a place.
func (m *Module) imported(at syntax.Node, name string) (path string, ok bool) {
	if !m.nested {
		path, ok = m.imports[m.Body][name]
		return path, ok
	}
	for n := at; n.Valid() && n != m.Node; n = n.Parent() {
		if path, ok = m.imports[n][name]; ok {
			return path, true
		}
	}
	return "", false
}

// Use is one name that a use declaration brings in.
type Use struct {
	Name string      // the local name; * for a glob
	Path []string    // the segments of the full path, the original name last
	Node syntax.Node // where the original name stands
}

// Uses lists the names of a use_declaration, lists and renames resolved.
func Uses(decl syntax.Node) []Use {
	var out []Use
	var walk func(n syntax.Node, prefix []string)
	walk = func(n syntax.Node, prefix []string) {
		switch n.Kind() {
		case "use_list":
			for _, c := range n.NamedChildren() {
				walk(c, prefix)
			}
		case "scoped_use_list":
			walk(n.Field("list"), join(prefix, n.Field("path")))
		case "use_as_clause":
			path := join(prefix, n.Field("path"))
			if n.Field("path").Is("self") && len(prefix) > 0 {
				path = prefix
			}
			out = append(out, Use{n.Field("alias").Text(), path, n.Field("path")})
		case "use_wildcard":
			out = append(out, Use{"*", join(prefix, n.NamedChild(0)), n})
		case "identifier", "scoped_identifier", "self", "crate", "super":
			path := join(prefix, n)
			if n.Is("self") && len(prefix) > 0 {
				path = prefix
			}
			at := n
			if n.Is("scoped_identifier") {
				at = n.Field("name")
			}
			out = append(out, Use{path[len(path)-1], path, at})
		}
	}
	walk(decl.Field("argument"), nil)
	return out
}

func join(prefix []string, path syntax.Node) []string {
	out := slices.Clone(prefix)
	for _, s := range strings.Split(path.Squeeze(), "::") {
		if s != "" {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		out = []string{""}
	}
	return out
}

// AttributePath is the path of an attribute without white space, such as
// cutile::entry.
func AttributePath(a syntax.Node) string {
	for c := range a.Children() {
		if c.Is("identifier", "scoped_identifier") {
			return c.Squeeze()
		}
	}
	return ""
}

func hasAttribute(item syntax.Node, name string) bool {
	return slices.ContainsFunc(item.Attributes(), func(a syntax.Node) bool { return last(AttributePath(a)) == name })
}

// testOnly reports whether an item or one around it is under #[cfg(test)] or
// is a #[test].
func testOnly(n syntax.Node) bool {
	for ; n.Valid(); n = n.Parent() {
		for _, a := range n.Attributes() {
			if p := AttributePath(a); p == "test" || p == "cfg" && a.Field("arguments").Squeeze() == "(test)" {
				return true
			}
		}
	}
	return false
}

func last(path string) string { return path[strings.LastIndex(path, ":")+1:] }

// Call is a call in a body: of a free function, a path or a method.
type Call struct {
	Node     syntax.Node // call_expression
	Name     string      // last segment without turbofish
	Path     string      // as written without turbofish and white space; empty for a method
	Receiver syntax.Node // method calls only
	Turbo    syntax.Node // type_arguments, if any
	Args     []syntax.Node
}

// Method reports whether the call is a method call.
func (c Call) Method() bool { return c.Receiver.Valid() }

// AsCall reads a node as a call; the second result is false when it is none.
func AsCall(n syntax.Node) (Call, bool) {
	if !n.Is("call_expression") {
		return Call{}, false
	}
	c := Call{Node: n, Args: n.Field("arguments").NamedChildren()}
	fn := n.Field("function")
	if fn.Is("generic_function") {
		c.Turbo, fn = fn.Field("type_arguments"), fn.Field("function")
	}
	switch fn.Kind() {
	case "field_expression":
		c.Receiver, c.Name = fn.Field("value"), fn.Field("field").Text()
	case "identifier", "scoped_identifier":
		c.Name, c.Path = syntax.LastSegment(fn), fn.Squeeze()
	default:
		return Call{}, false
	}
	return c, true
}

// Calls lists the calls of the body, outer calls first. A DSL function has its
// own name there, also when it was imported under another. The list is shared:
// it must not be changed.
func (f *Func) Calls() []Call {
	f.called.Do(func() {
		f.calls = Calls(f.Body)
		if f.Module.renamed {
			for i, c := range f.calls {
				if op := f.Op(c); op != "" {
					f.calls[i].Name = op
				}
			}
		}
	})
	return f.calls
}

// Calls lists the calls at or below a node, outer calls first.
func Calls(n syntax.Node) []Call {
	found := n.Find("call_expression")
	out := make([]Call, 0, len(found))
	for _, c := range found {
		if call, ok := AsCall(c); ok {
			out = append(out, call)
		}
	}
	return out
}

// Unparen strips parentheses, references and single-expression unsafe or plain
// blocks from an expression.
func Unparen(n syntax.Node) syntax.Node {
	for {
		switch n.Kind() {
		case "parenthesized_expression":
			n = n.NamedChild(0)
		case "unsafe_block":
			n = n.ChildOf("block")
		case "block":
			c := n.NamedChildren()
			if len(c) != 1 {
				return n
			}
			n = c[0]
		case "expression_statement":
			if strings.HasSuffix(n.Text(), ";") {
				return n
			}
			n = n.NamedChild(0)
		default:
			return n
		}
	}
}
