package host

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/syntax"
)

// FFI is an ffi.rs.
type FFI struct {
	File    *syntax.File
	Exports []*Export
	// Uses maps the local name of each imported item to its full path.
	Uses map[string]string
	// types maps a name to the type that the file gives it, when it does so once.
	types map[string]string
}

// Export is a function with the C calling convention, or one like it: one C symbol.
type Export struct {
	FFI  *FFI
	Node syntax.Node // function_item
	// Name is the symbol, which an attribute may set to another text than the
	// function's name; NameAt is where it stands.
	Name   string
	NameAt syntax.Node
	// ABI is the convention that is written after extern: "C" where there is none, and
	// Rust where there is no extern either.
	ABI    string
	Attrs  []syntax.Node // attribute
	Public bool
	Unsafe bool
	Params []Param
	// Return is the return type without white space; empty for none.
	Return string
	Body   syntax.Node
	// Descs maps a local name to the descriptor parameter that it refers to.
	Descs map[string]string
	// Tensors maps a local name to the descriptor parameter whose memory it
	// borrows, through borrow_tensor or DevicePointer.
	Tensors map[string]Borrow
	// Arms are the element types that the export dispatches on, with ArmsKnown
	// false when the dispatch has a form that is not understood.
	Arms      []Arm
	ArmsKnown bool
	// Rest is the arm that runs all other types as one, when there is one; its Node
	// is the whole arm.
	Rest     Arm
	Launches []*Launch
	// changed are the local names on which a method is called.
	changed map[string]bool
}

// maxLaunches bounds the launches of one export that are followed, and the generics
// of one that are read.
const maxLaunches = 64

// Param is a parameter of an export. Type is as written, without white space and with
// names that the file gives to types replaced.
type Param struct {
	Name string
	Type string
	Node syntax.Node
}

// Desc reports whether the parameter is a pointer to a tensor descriptor.
func (p Param) Desc() bool {
	return strings.HasPrefix(p.Type, "*") && p.Type[strings.LastIndexAny(p.Type, " :")+1:] == "TensorDesc"
}

// Borrow is device memory of a descriptor parameter with an element type as
// written, such as $E or i32.
type Borrow struct {
	Param string
	Elem  string
	Node  syntax.Node // the call that borrows
}

// Arm is one element type of a dispatch.
type Arm struct {
	Type string
	Node syntax.Node
}

// Launch is one call of a kernel entry with what is chained to it.
type Launch struct {
	Export *Export
	Entry  *dsl.Func
	Call   dsl.Call
	// Generics holds the elements of the list passed to generics; Listed says
	// that the whole list is visible.
	Generics   []Generic
	GenericsAt syntax.Node
	Listed     bool
	Grid       syntax.Node // argument of grid; invalid when there is none
	Options    syntax.Node // argument of compile_options
	// Escapes says that the launch is handed on in a way that is not followed,
	// so that nothing can be said about what it lacks.
	Escapes bool
	// Runs says that the launch is seen to run (sync_on and the like).
	Runs bool
	long bool // more generics than are read
}

// Generic is one element of a generics list.
type Generic struct {
	Node syntax.Node
	// Name is the local name whose value is passed, Literal the text of a string
	// literal; both are empty for any other expression.
	Name    string
	Literal string
	// Dtype says that the name holds a dtype string.
	Dtype bool
	// Int is the number that is always passed; Fixed says that it is known.
	Int   int64
	Fixed bool
}

// parseFFI models an ffi.rs; nil when it has more of something than is
// modelled.
func parseFFI(f *syntax.File) *FFI {
	ffi := &FFI{File: f, Uses: map[string]string{}, types: map[string]string{}}
	for _, t := range f.Root().Find("type_item") {
		name := t.Field("name").Text()
		if _, twice := ffi.types[name]; twice {
			ffi.types[name] = name
			continue
		}
		ffi.types[name] = t.Field("type").Squeeze()
	}
	for _, u := range f.Root().Find("use_declaration") {
		addUse(ffi.Uses, "", u.Field("argument"))
	}
	functions := f.Root().Find("function_item")
	exports := func(fn syntax.Node) bool {
		abi := abiOf(fn)
		return abi == "C" || (likeC[abi] || abi == Rust) && exportedAs(fn)
	}
	if !slices.ContainsFunc(functions, exports) {
		// The one that has the name of the op's symbol is meant to be it.
		symbol := "cutile_" + strings.TrimSuffix(path.Base(path.Dir(f.Path)), "_kernel")
		exports = func(fn syntax.Node) bool { return fn.Field("name").Text() == symbol }
	}
	for _, fn := range functions {
		if !NeverBuilt(fn) && exports(fn) {
			if len(ffi.Exports) == maxItems || len(fn.Field("parameters").NamedChildren()) > maxItems {
				return nil
			}
			ffi.Exports = append(ffi.Exports, newExport(ffi, fn, abiOf(fn)))
		}
	}
	return ffi
}

// Rust is the convention of a function that names none.
const Rust = "Rust"

// likeC are the conventions that are that of C on the systems that the library is
// built for.
var likeC = map[string]bool{"C-unwind": true, "system": true, "system-unwind": true, "cdecl": true, "sysv64": true}

// abiOf is the convention of a function.
func abiOf(fn syntax.Node) string {
	ext := fn.ChildOf("function_modifiers").ChildOf("extern_modifier")
	if text := ext.NamedChild(0); text.Valid() {
		return strings.Trim(text.Text(), `"`)
	}
	if ext.Valid() {
		return "C"
	}
	return Rust
}

// exportedAs reports whether an attribute makes a symbol of a function.
func exportedAs(fn syntax.Node) bool {
	return slices.ContainsFunc(fn.Attributes(), func(a syntax.Node) bool {
		text := strings.TrimPrefix(a.Squeeze(), "unsafe(")
		return strings.HasPrefix(text, "no_mangle") || strings.HasPrefix(text, "export_name")
	})
}

// exportName is the symbol that an attribute sets, and the attribute; empty when there
// is none that says it in plain text.
func exportName(attrs []syntax.Node) (string, syntax.Node) {
	for _, a := range attrs {
		text, unsafe := strings.CutPrefix(a.Squeeze(), "unsafe(")
		if unsafe {
			text = strings.TrimSuffix(text, ")")
		}
		if text, ok := strings.CutPrefix(text, "export_name="); ok {
			text = strings.Trim(strings.TrimPrefix(text, "r"), "#")
			if inner := strings.Trim(text, `"`); len(inner) == len(text)-2 && inner != "" && !strings.ContainsAny(inner, `"\`) {
				return inner, a
			}
		}
	}
	return "", syntax.Node{}
}

// plainType is a type as written, with a name that the file gives to another type
// replaced by that one.
func (f *FFI) plainType(text string) string {
	for range maxHops {
		i := strings.LastIndexAny(text, " *:") + 1
		of, ok := f.types[text[i:]]
		if !ok || of == text[i:] || strings.HasSuffix(text[:i], ":") {
			break
		}
		text = text[:i] + of
	}
	return text
}

// addUse records the names that a use tree brings into scope.
func addUse(uses map[string]string, prefix string, n syntax.Node) {
	join := func(p string) string {
		if prefix == "" {
			return p
		}
		return prefix + "::" + p
	}
	switch n.Kind() {
	case "identifier", "crate", "self":
		uses[n.Text()] = join(n.Text())
		if n.Is("self") && prefix != "" {
			uses[prefix[strings.LastIndex(prefix, ":")+1:]] = prefix
		}
	case "scoped_identifier":
		uses[n.Field("name").Text()] = join(n.Squeeze())
	case "use_as_clause":
		uses[n.Field("alias").Text()] = join(n.Field("path").Squeeze())
	case "scoped_use_list":
		p := prefix
		if path := n.Field("path"); path.Valid() {
			p = join(path.Squeeze())
		}
		addUse(uses, p, n.Field("list"))
	case "use_list":
		for _, c := range n.NamedChildren() {
			addUse(uses, prefix, c)
		}
	}
}

// FullPath is a path as written with its first name replaced by what that name
// was imported as.
func (f *FFI) FullPath(path string) string {
	first, rest, more := strings.Cut(path, "::")
	if full, ok := f.Uses[first]; ok {
		first = full
	}
	if more {
		return first + "::" + rest
	}
	return first
}

func newExport(ffi *FFI, n syntax.Node, abi string) *Export {
	e := &Export{
		FFI: ffi, Node: n, ABI: abi, NameAt: n.Field("name"), Name: n.Field("name").Text(),
		Attrs: n.Attributes(), Body: n.Field("body"),
		Public: n.ChildOf("visibility_modifier").Valid(),
		Unsafe: n.ChildOf("function_modifiers").ChildOf("unsafe").Valid(),
		Return: ffi.plainType(n.Field("return_type").Squeeze()),
		Descs:  map[string]string{}, Tensors: map[string]Borrow{},
	}
	if symbol, at := exportName(e.Attrs); symbol != "" {
		e.Name, e.NameAt = symbol, at
	}
	for _, p := range n.Field("parameters").NamedChildren() {
		if p.Is("parameter") {
			pat := p.Field("pattern")
			if pat.Is("mut_pattern") {
				pat = pat.ChildOf("identifier")
			}
			e.Params = append(e.Params, Param{pat.Text(), ffi.plainType(p.Field("type").Squeeze()), p})
		}
	}
	e.findDescs()
	e.findTensors()
	e.findArms()
	return e
}

// Param finds a parameter by name.
func (e *Export) Param(name string) (Param, bool) {
	for _, p := range e.Params {
		if p.Name == name {
			return p, true
		}
	}
	return Param{}, false
}

// names lists the identifiers that a let pattern binds, in order.
func names(pattern syntax.Node) []string {
	switch pattern.Kind() {
	case "identifier":
		return []string{pattern.Text()}
	case "tuple_pattern":
		var out []string
		for _, c := range pattern.NamedChildren() {
			if !c.Is("identifier") {
				return nil
			}
			out = append(out, c.Text())
		}
		return out
	case "mut_pattern":
		return names(pattern.ChildOf("identifier"))
	}
	return nil
}

func (e *Export) findDescs() {
	for _, p := range e.Params {
		if p.Desc() {
			e.Descs[p.Name] = p.Name
		}
	}
	for _, let := range e.Body.Find("let_declaration") {
		bound := names(let.Field("pattern"))
		v := dsl.Unparen(let.Field("value"))
		var from []string
		switch {
		case v.Is("macro_invocation") && syntax.LastSegment(v.Field("macro")) == "deref_descs":
			for _, a := range TokenArgs(v) {
				from = append(from, strings.Trim(a.Text, "() "))
			}
		case v.Is("tuple_expression"):
			for _, c := range v.NamedChildren() {
				from = append(from, derefOf(c))
			}
		default:
			from = []string{derefOf(v)}
		}
		for i, name := range bound {
			if i < len(from) && len(bound) == len(from) {
				if p, ok := e.Param(from[i]); ok && p.Desc() {
					e.Descs[name] = p.Name
				}
			}
		}
	}
}

// derefOf is the name x of &*x, *x or x.as_ref()…, else empty.
func derefOf(n syntax.Node) string {
	n = dsl.Unparen(n)
	switch n.Kind() {
	case "reference_expression":
		v := dsl.Unparen(n.Field("value"))
		if v.Is("unary_expression") && strings.HasPrefix(v.Text(), "*") {
			return derefOf(v)
		}
	case "unary_expression":
		if strings.HasPrefix(n.Text(), "*") {
			if id := dsl.Unparen(n.NamedChild(0)); id.Is("identifier") {
				return id.Text()
			}
		}
	}
	return ""
}

func (e *Export) findTensors() {
	for _, let := range e.Body.Find("let_declaration") {
		bound := names(let.Field("pattern"))
		if len(bound) != 1 {
			continue
		}
		if b, ok := e.borrow(let.Field("value"), let.Field("type")); ok {
			e.Tensors[bound[0]] = b
		}
	}
}

// borrow reads an expression that borrows a descriptor's device memory.
func (e *Export) borrow(n, annotation syntax.Node) (Borrow, bool) {
	call, ok := dsl.AsCall(dsl.Unparen(n))
	if !ok || len(call.Args) == 0 {
		return Borrow{}, false
	}
	b := Borrow{Node: call.Node}
	desc := dsl.Unparen(call.Args[0])
	switch call.Name {
	case "borrow_tensor":
		if call.Turbo.Valid() {
			b.Elem = call.Turbo.NamedChild(0).Squeeze()
		} else {
			b.Elem = elementArgument(annotation)
		}
	case "from_cu_deviceptr":
		if desc.Is("field_expression") {
			desc = desc.Field("value")
		}
		if b.Elem = elementArgument(call.Node.Field("function").Field("path")); b.Elem == "" {
			b.Elem = elementArgument(annotation)
		}
	default:
		return Borrow{}, false
	}
	if desc.Is("reference_expression") {
		desc = desc.Field("value")
	}
	b.Param = e.Descs[desc.Text()]
	return b, b.Param != ""
}

// elementArgument is the innermost type argument of a generic type.
func elementArgument(n syntax.Node) string {
	args := n.Field("type_arguments")
	if !args.Valid() {
		return ""
	}
	a := args.NamedChild(0)
	if inner := elementArgument(a); inner != "" {
		return inner
	}
	return a.Squeeze()
}

// TensorOf is the borrow behind an argument such as &*x_t.
func (e *Export) TensorOf(arg syntax.Node) (Borrow, bool) {
	for {
		switch n := dsl.Unparen(arg); n.Kind() {
		case "reference_expression":
			arg = n.Field("value")
		case "unary_expression":
			arg = n.NamedChild(0)
		case "identifier":
			b, ok := e.Tensors[n.Text()]
			return b, ok
		default:
			return e.borrow(n, syntax.Node{})
		}
	}
}

// TokenArg is one comma-separated argument of a macro whose tokens are opaque.
type TokenArg struct {
	Text  string // without white space at the ends
	Nodes []syntax.Node
}

// TokenArgs splits the tokens of a macro invocation at its top-level commas.
func TokenArgs(macro syntax.Node) []TokenArg {
	var out []TokenArg
	var cur []syntax.Node
	flush := func() {
		if len(cur) > 0 {
			src := cur[0].File().Src
			text := src[cur[0].Span().Start:cur[len(cur)-1].Span().End]
			out = append(out, TokenArg{strings.TrimSpace(string(text)), cur})
		}
		cur = nil
	}
	first := true
	for c := range macro.ChildOf("token_tree").Children() {
		switch {
		case c.IsComment():
		case first:
			first = false // the opening bracket
		case c.Kind() == "," || c.Is(")", "]", "}"):
			flush()
		default:
			cur = append(cur, c)
		}
	}
	flush()
	return out
}

// findArms reads the element types of dispatch_by_dtype! or of a match on
// dtype strings.
func (e *Export) findArms() {
	found := 0
	for _, m := range e.Body.Find("macro_invocation") {
		if syntax.LastSegment(m.Field("macro")) != "dispatch_by_dtype" {
			continue
		}
		found++
		if args := TokenArgs(m); len(args) > 2 {
			for _, a := range args[2:] {
				e.Arms = append(e.Arms, Arm{a.Text, a.Nodes[0]})
			}
		}
	}
	for _, m := range e.Body.Find("match_expression") {
		var arms []Arm
		for _, arm := range m.Field("body").NamedChildren() {
			pat := arm.Field("pattern")
			for _, s := range pat.Find("string_literal") {
				arms = append(arms, Arm{strings.Trim(s.Text(), `"`), s})
			}
		}
		if len(arms) > 0 && ElementType(arms[0].Type) {
			found++
			if rest := restArm(m); rest.Node.Valid() {
				e.Rest = rest
				if !slices.ContainsFunc(arms, func(a Arm) bool { return a.Type == rest.Type }) {
					arms = append(arms, rest)
				}
			}
			e.Arms = append(e.Arms, arms...)
		}
	}
	e.ArmsKnown = found == 1
}

// restArm is the arm of a match that runs all types without an arm of their own
// as one type: `_ => dispatch!(f32)`.
func restArm(match syntax.Node) Arm {
	for _, arm := range match.Field("body").NamedChildren() {
		pat, run := arm.Field("pattern"), arm.Field("value")
		if run.Is("block") && len(run.NamedChildren()) == 1 {
			run = run.NamedChild(0)
		}
		if run.Is("expression_statement") {
			run = run.NamedChild(0)
		}
		if pat.Squeeze() != "_" || !run.Is("macro_invocation") {
			continue
		}
		if args := TokenArgs(run); len(args) == 1 && ElementType(args[0].Text) {
			return Arm{args[0].Text, arm}
		}
	}
	return Arm{}
}

// ElementType reports whether a name is one of the DSL's element types.
func ElementType(name string) bool {
	for _, t := range torchTypes {
		if t.rust == name {
			return true
		}
	}
	return false
}

// scopeLets lists the let declarations that are visible at a node, nearest
// first, through macro bodies up to the function.
func scopeLets(n syntax.Node) []syntax.Node {
	var out []syntax.Node
	for ; n.Valid() && !n.Is("function_item"); n = n.Parent() {
		if !n.Parent().Is("block") && !n.Parent().Is("source_file") {
			continue
		}
		var before []syntax.Node
		for c := range n.Parent().Children() {
			if c == n {
				break
			}
			if c.Is("let_declaration") {
				before = append(before, c)
			}
		}
		for i := len(before) - 1; i >= 0; i-- {
			out = append(out, before[i])
		}
	}
	return out
}

// lookup is the value that a local name is bound to at a node.
func lookup(at syntax.Node, name string) syntax.Node {
	for _, let := range scopeLets(at) {
		for _, b := range names(let.Field("pattern")) {
			if b == name {
				if let.Field("pattern").Is("tuple_pattern") {
					return syntax.Node{}
				}
				return let.Field("value")
			}
		}
	}
	return syntax.Node{}
}

// findLaunches reports whether all launches, and their generics, are followed.
func (e *Export) findLaunches(entries map[string]*dsl.Func) bool {
	var found []dsl.Call
	whole := true
	e.changed = map[string]bool{}
	for _, c := range dsl.Calls(e.Body) {
		switch {
		case c.Method():
			if c.Receiver.Is("identifier") && c.Name != "clone" {
				e.changed[c.Receiver.Text()] = true
			}
		case entries[c.Name] != nil && len(found) < maxLaunches:
			found = append(found, c)
		case entries[c.Name] != nil:
			whole = false
		}
	}
	for _, c := range found {
		l := e.newLaunch(entries[c.Name], c)
		e.Launches, whole = append(e.Launches, l), whole && !l.long
	}
	return whole
}

// Launched lists those of some functions of the kernel's modules, spelled module::name,
// that the export calls and gives generics or a grid, as only the launcher of an entry
// takes them. Of more calls than maxLaunches the rest is left out.
func (e *Export) Launched(f *FFI, functions map[string]bool) map[string]bool {
	out, left := map[string]bool{}, maxLaunches
	for _, c := range dsl.Calls(e.Body) {
		if c.Method() || c.Name == "" {
			continue
		}
		parts := strings.Split(f.FullPath(c.Path), "::")
		name := strings.Join(parts[max(0, len(parts)-2):], "::")
		if !functions[name] || out[name] {
			continue
		}
		if left--; left < 0 {
			break
		}
		if l := e.newLaunch(nil, c); l.GenericsAt.Valid() || l.Grid.Valid() {
			out[name] = true
		}
	}
	return out
}

func (e *Export) newLaunch(entry *dsl.Func, call dsl.Call) *Launch {
	l := &Launch{Export: e, Entry: entry, Call: call}
	l.follow(call.Node, 0)
	return l
}

// maxRebinds bounds how often a launch is followed through let bindings.
const maxRebinds = 16

// follow climbs from an expression that is the launch through the methods that
// are called on it, and through the names that it is bound to.
func (l *Launch) follow(n syntax.Node, depth int) {
	if depth == maxRebinds {
		l.Escapes = true
		return
	}
	for {
		p := n.Parent()
		switch {
		case p.Is("parenthesized_expression", "unsafe_block", "try_expression", "await_expression"):
		case p.Is("block") && lastOf(p) == n, p.Is("expression_statement") && !strings.HasSuffix(p.Text(), ";"):
		case p.Is("field_expression") && p.Field("value") == n:
			call := p.Parent()
			if call.Is("generic_function") {
				call = call.Parent()
			}
			if !call.Is("call_expression") {
				l.Escapes = true
				return
			}
			if !l.method(p.Field("field").Text(), call) {
				return
			}
			p = call
		case p.Is("let_declaration") && p.Field("value") == n:
			bound := names(p.Field("pattern"))
			if len(bound) != 1 {
				l.Escapes = true
				return
			}
			l.followName(p, bound[0], depth+1)
			return
		case p.Is("assignment_expression") && p.Field("right") == n && p.Field("left").Text() == Root(n):
			return // the name is followed already
		case p.Is("expression_statement"):
			return // dropped without running
		default:
			l.Escapes = true
			return
		}
		n = p
	}
}

func lastOf(block syntax.Node) syntax.Node {
	c := block.NamedChildren()
	if len(c) == 0 {
		return syntax.Node{}
	}
	return c[len(c)-1]
}

// method records a method call on the launch; false ends the chain.
func (l *Launch) method(name string, call syntax.Node) bool {
	arg := call.Field("arguments").NamedChild(0)
	switch name {
	case "generics":
		l.GenericsAt = arg
		l.readGenerics(arg)
	case "grid", "const_grid":
		l.Grid = arg
	case "compile_options":
		l.Options = arg
	case "sync", "sync_on", "async_on", "execute", "run", "launch":
		l.Runs = true
		return false
	case "unwrap", "expect", "map_err", "clone", "shared_mem":
	default:
		l.Escapes = true
		return false
	}
	return true
}

// followName follows all uses of a name after the statement that binds it.
func (l *Launch) followName(let syntax.Node, name string, depth int) {
	for s := let.Next(); s.Valid(); s = s.Next() {
		rebound := s.Is("let_declaration") && len(names(s.Field("pattern"))) == 1 && names(s.Field("pattern"))[0] == name
		for _, id := range s.Find("identifier") {
			if id.Text() == name && id != s.Field("pattern") {
				if p := id.Parent(); p.Is("assignment_expression") && p.Field("left") == id {
					continue
				}
				l.follow(id, depth)
			}
		}
		if rebound {
			return
		}
	}
}

// readGenerics reads the list that is passed to generics.
func (l *Launch) readGenerics(arg syntax.Node) {
	arg = dsl.Unparen(arg)
	if arg.Is("identifier") {
		name := arg.Text()
		if l.Export.changed[name] {
			return // something may be added to it
		}
		arg = dsl.Unparen(lookup(arg, name))
	}
	if c, ok := dsl.AsCall(arg); ok {
		switch {
		case c.Method() && (c.Name == "to_vec" || c.Name == "into" || c.Name == "clone"):
			arg = dsl.Unparen(c.Receiver)
		case c.Path == "Vec::from" && len(c.Args) == 1:
			arg = dsl.Unparen(c.Args[0])
		}
	}
	var list []syntax.Node
	switch {
	case arg.Is("macro_invocation") && syntax.LastSegment(arg.Field("macro")) == "vec":
		elems, ok := dsl.MacroList(arg)
		if !ok {
			return
		}
		list = elems
	case arg.Is("array_expression") && !arg.Field("length").Valid():
		list = arg.NamedChildren()
	default:
		return
	}
	if len(list) > maxLaunches {
		l.long = true
		return
	}
	l.Listed = true
	for _, n := range list {
		l.Generics = append(l.Generics, l.Export.generic(n))
	}
}

// generic reads one element: x.to_string(), String::from("f32"), "f32".into(),
// format!("{x}").
func (e *Export) generic(n syntax.Node) Generic {
	g := Generic{Node: n}
	v := dsl.Unparen(n)
	if c, ok := dsl.AsCall(v); ok {
		switch {
		case c.Method() && (c.Name == "to_string" || c.Name == "to_owned" || c.Name == "into" || c.Name == "clone"):
			v = dsl.Unparen(c.Receiver)
		case c.Path == "String::from" && len(c.Args) == 1:
			v = dsl.Unparen(c.Args[0])
		}
	}
	name, at := "", v
	switch v.Kind() {
	case "macro_invocation":
		name, at, g.Literal = formatted(v)
	case "identifier":
		name = v.Text()
	case "string_literal":
		g.Literal = strings.Trim(v.Text(), `"`)
	case "integer_literal":
		g.Int, g.Fixed = dsl.Integer(v)
	}
	if name != "" {
		g.Name, g.Dtype = name, dtypeName(at, name)
		g.Int, g.Fixed = fixedInt(at, name)
	} else if v, err := strconv.ParseInt(g.Literal, 10, 32); err == nil {
		g.Int, g.Fixed = v, true
	}
	return g
}

// formatted reads format!("{x}"), format!("{}", x) and format!("f32"): the name
// that it prints and where that is looked up, or the text.
func formatted(macro syntax.Node) (name string, at syntax.Node, literal string) {
	args := TokenArgs(macro)
	if syntax.LastSegment(macro.Field("macro")) != "format" || len(args) == 0 || !args[0].Nodes[0].Is("string_literal") {
		return "", macro, ""
	}
	text := strings.Trim(args[0].Nodes[0].Text(), `"`)
	inner, braced := strings.CutPrefix(text, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	switch {
	case !strings.ContainsAny(text, `{}\`) && len(args) == 1:
		return "", macro, text
	case !braced || !closed:
	case inner == "" && len(args) == 2 && len(args[1].Nodes) == 1 && args[1].Nodes[0].Is("identifier"):
		return args[1].Text, args[1].Nodes[0], ""
	case len(args) == 1 && isName(inner):
		return inner, macro, ""
	}
	return "", macro, ""
}

// isName reports whether the text between the braces of a format string is one name.
func isName(text string) bool {
	letter := func(r rune) bool { return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	other := func(r rune) bool { return !letter(r) && (r < '0' || r > '9') }
	return text != "" && letter(rune(text[0])) && !strings.ContainsFunc(text, other)
}

// fixedInt is the integer literal that a name is bound to for good at a place.
func fixedInt(at syntax.Node, name string) (int64, bool) {
	for _, let := range scopeLets(at) {
		if slices.Contains(names(let.Field("pattern")), name) {
			if !let.Field("pattern").Is("identifier") || let.ChildOf("mutable_specifier").Valid() {
				return 0, false
			}
			return dsl.Integer(dsl.Unparen(let.Field("value")))
		}
	}
	return 0, false
}

// dtypeName reports whether a name is bound to a dtype string.
func dtypeName(at syntax.Node, name string) bool {
	v := lookup(at, name)
	found := false
	v.Inspect(func(n syntax.Node) bool {
		switch n.Kind() {
		case "macro_invocation":
			found = found || syntax.LastSegment(n.Field("macro")) == "resolve_dtype"
		case "call_expression":
			c, ok := dsl.AsCall(n)
			found = found || ok && c.Name == "dtype_str"
		}
		return true
	})
	return found
}

// Root is the identifier that a chain of method calls, fields, references and
// dereferences starts with; empty for any other expression.
func Root(n syntax.Node) string {
	for {
		switch n = dsl.Unparen(n); n.Kind() {
		case "reference_expression", "field_expression":
			n = n.Field("value")
		case "unary_expression", "index_expression":
			n = n.NamedChild(0)
		case "generic_function":
			n = n.Field("function")
		case "call_expression":
			fn := n.Field("function")
			if !fn.Is("field_expression") && !fn.Field("function").Is("field_expression") {
				return ""
			}
			n = fn
		case "identifier":
			return n.Text()
		default:
			return ""
		}
	}
}
