package host

import (
	"maps"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// Wrapper is a Python file of the backend.
type Wrapper struct {
	File *syntax.File
	// Consts are the values of module-level names that are assigned once.
	Consts map[string]syntax.Node
	// Imports maps a local name to the dotted name that it was imported as, from the
	// top of the packages.
	Imports   map[string]string
	Binds     []*Bind
	Calls     []*LibCall
	Registers []*Register
	// callers lists the calls of each plain name.
	callers map[string][]syntax.Node
	funcs   map[scopedName]syntax.Node
	binds   map[scopedName][]binding
	libs    []syntax.Node // assignments that bind a library
	graph   *graph
	codes   *codes
	texts   map[string]text // of Consts, once they are looked up
	cdefs   map[syntax.Node]*CDef
	pieces  bool // some text is made of more pieces than are followed
}

// scopedName is a name in the function or module that binds it.
type scopedName struct {
	owner syntax.Node
	name  string
}

// binding is one statement that gives a name a value.
type binding struct {
	node  syntax.Node // assignment, for_statement, ...
	index int         // place of the name in a tuple of targets, else -1
}

// Bind is a call of bind_kernel_function_cffi.
type Bind struct {
	Node syntax.Node
	Func syntax.Node // enclosing function_definition, or the module
	// Key is the name of the handle; KeyAt is invalid when it is not known.
	Key   string
	KeyAt syntax.Node
	CDef  *CDef // nil when the C text is not visible
	// The arguments that choose another library; invalid when absent.
	CrateDir, SrcRoots, SoName syntax.Node
	// Splat says that some arguments are hidden behind * or **.
	Splat bool
}

// LibCall is a call of an exported symbol.
type LibCall struct {
	Node     syntax.Node // call
	Symbol   string
	SymbolAt syntax.Node
	Func     syntax.Node // enclosing function_definition, or the module
	Args     []syntax.Node
	// Hidden says that arguments are hidden behind * or passed by name.
	Hidden bool
}

// Register is a function that register_impl(op, backend="cutile-rs") registers,
// as a decorator or by a call with the function.
type Register struct {
	Op        string
	Decorator syntax.Node // the call of register_impl
	// Backend is the name as it is spelled, which the dispatcher may not know; see
	// tree.MeansBackend.
	Backend   string
	BackendAt syntax.Node // the argument
	Func      syntax.Node // function_definition
}

// Desc is a descriptor that make_tensor_desc packs.
type Desc struct {
	Node   syntax.Node // call
	Tensor syntax.Node // the tensor expression
}

// maxHops bounds how many constants are followed.
const maxHops = 8

// maxItems bounds the exports, parameters, calls and the like of one file. A
// file with more was not written to be used and is not modelled.
const maxItems = 256

// ParseWrapper models a Python file.
func ParseWrapper(f *syntax.File) *Wrapper {
	w := &Wrapper{File: f, Imports: imports(f)}
	w.index()
	w.constants()
	w.constantTexts()
	w.cdefs = map[syntax.Node]*CDef{}
	calls := f.Root().Find("call")
	for _, c := range calls {
		if fn := c.Field("function"); fn.Is("identifier") {
			w.callers[fn.Text()] = append(w.callers[fn.Text()], c)
		}
		if syntax.PyName(c.Field("function")) == "bind_kernel_function_cffi" {
			w.Binds = append(w.Binds, w.newBind(c))
		}
	}
	w.findLibraries()
	for _, c := range calls {
		if l := w.newLibCall(c); l != nil {
			w.Calls = append(w.Calls, l)
		}
	}
	for _, fn := range f.Root().Find("function_definition") {
		for _, d := range syntax.PyDecorators(fn) {
			w.addRegister(d, fn)
		}
	}
	for _, c := range calls {
		if args := syntax.PyArgs(c); c.Field("function").Is("call") && len(args) == 1 && args[0].Is("identifier") {
			w.addRegister(c.Field("function"), w.Function(args[0]))
		}
	}
	w.graph = newGraph(w)
	w.codes = newCodes(w)
	return w
}

// index records which names are bound where, in one walk.
func (w *Wrapper) index() {
	w.callers = map[string][]syntax.Node{}
	w.funcs, w.binds = map[scopedName]syntax.Node{}, map[scopedName][]binding{}
	var walk func(n, owner syntax.Node, class bool)
	bind := func(owner, target, node syntax.Node) {
		switch target.Kind() {
		case "identifier":
			k := scopedName{owner, target.Text()}
			w.binds[k] = append(w.binds[k], binding{node, -1})
		case "pattern_list", "tuple_pattern":
			for i, t := range target.NamedChildren() {
				if t.Is("identifier") {
					k := scopedName{owner, t.Text()}
					w.binds[k] = append(w.binds[k], binding{node, i})
				}
			}
		}
	}
	walk = func(n, owner syntax.Node, class bool) {
		switch n.Kind() {
		case "function_definition", "lambda":
			if name := n.Field("name"); name.Valid() && !class {
				if k := (scopedName{owner, name.Text()}); !w.funcs[k].Valid() {
					w.funcs[k] = n
				}
			}
			body := n.Field("body")
			for c := range n.Children() {
				if c == body {
					walk(c, n, false)
				} else {
					walk(c, owner, class)
				}
			}
			return
		case "class_definition":
			class = true
		case "assignment":
			bind(owner, n.Field("left"), n)
			if k := (scopedName{owner, n.Field("left").Text()}); n.Field("right").Is("lambda") && n.Field("left").Is("identifier") && !w.funcs[k].Valid() {
				w.funcs[k] = n.Field("right")
			}
		case "augmented_assignment", "for_statement", "for_in_clause":
			bind(owner, n.Field("left"), n)
		case "named_expression":
			bind(owner, n.Field("name"), n)
		case "as_pattern_target":
			bind(owner, n.NamedChild(0), n)
		}
		if n.Damaged() {
			return
		}
		for c := range n.Children() {
			walk(c, owner, class)
		}
	}
	walk(w.File.Root(), w.File.Root(), false)
}

// findLibraries lists the assignments such as ffi, lib = bind(...).
func (w *Wrapper) findLibraries() {
	if len(w.Binds) == 0 {
		return
	}
	for _, a := range w.File.Root().Find("assignment") {
		right := a.Field("right")
		if a.Field("left").Is("pattern_list", "tuple_pattern") && right.Is("call") &&
			(syntax.PyName(right.Field("function")) == "bind_kernel_function_cffi" || w.returnsBind(right.Field("function"))) {
			w.libs = append(w.libs, a)
		}
	}
}

// large reports whether the file has more of something than is modelled.
func (w *Wrapper) large() bool {
	return w.pieces || len(w.Binds) > maxItems || len(w.Calls) > maxItems || len(w.Registers) > maxItems || len(w.libs) > maxItems
}

// Callers lists the calls of a function by its plain name.
func (w *Wrapper) Callers(fn syntax.Node) []syntax.Node {
	var out []syntax.Node
	for _, c := range w.callers[fn.Field("name").Text()] {
		if w.Function(c.Field("function")) == fn {
			out = append(out, c)
		}
	}
	return out
}

func (w *Wrapper) addRegister(d, fn syntax.Node) {
	if !d.Is("call") || syntax.PyName(d.Field("function")) != "register_impl" || !fn.Is("function_definition") {
		return
	}
	at := syntax.PyArg(d, "backend", 1)
	if backend, _ := w.String(at); tree.MeansBackend(backend) {
		op, _ := w.String(syntax.PyArg(d, "name", 0))
		w.Registers = append(w.Registers, &Register{op, d, backend, at, fn})
	}
}

// Ops lists the names of the ops that a wrapper registers.
func (w *Wrapper) Ops() []string {
	var out []string
	for _, r := range w.Registers {
		out = append(out, r.Op)
	}
	return out
}

// constants finds the module-level names that are assigned exactly once.
func (w *Wrapper) constants() {
	w.Consts = map[string]syntax.Node{}
	for k, b := range w.binds {
		if k.owner == w.File.Root() && len(b) == 1 && b[0].index < 0 && b[0].node.Is("assignment") && b[0].node.Field("right").Valid() {
			w.Consts[k.name] = b[0].node.Field("right")
		}
	}
}

// absolute is the dotted name of a module as a file imports it, without the dots of
// a relative one. A name that leads out of the repository stays as it is.
func absolute(file, module string) string {
	rest := strings.TrimLeft(module, ".")
	up := len(module) - len(rest)
	folders := strings.Split(strings.TrimPrefix(file, "src/"), "/")
	if up == 0 || up >= len(folders) {
		return module
	}
	folders = folders[:len(folders)-up]
	if rest != "" {
		folders = append(folders, rest)
	}
	return strings.Join(folders, ".")
}

// imports maps local names to dotted names.
func imports(f *syntax.File) map[string]string {
	out := map[string]string{}
	for _, n := range f.Root().Find("import_statement", "import_from_statement") {
		module := n.Field("module_name")
		prefix := ""
		if module.Valid() {
			prefix = absolute(f.Path, module.Squeeze()) + "."
		}
		for _, name := range n.Fields("name") {
			switch {
			case name.Is("aliased_import"):
				out[name.Field("alias").Text()] = prefix + name.Field("name").Squeeze()
			case prefix != "":
				out[name.Squeeze()] = prefix + name.Squeeze()
			default:
				first, _, _ := strings.Cut(name.Squeeze(), ".")
				out[first] = first
			}
		}
	}
	return out
}

// Owner is the function or lambda that a node belongs to, else the module. The
// decorators and the parameter defaults of a function belong to its owner.
func Owner(n syntax.Node) syntax.Node {
	for p := n.Parent(); p.Valid(); p = p.Parent() {
		if p.Is("function_definition", "lambda") && p.Field("body").Span().Contains(n.Span()) {
			return p
		}
		if p.Is("module") {
			return p
		}
	}
	return syntax.Node{}
}

// Const is the value of an expression with module constants replaced.
func (w *Wrapper) Const(n syntax.Node) syntax.Node {
	for range maxHops {
		switch {
		case n.Is("identifier") && w.Consts[n.Text()].Valid():
			n = w.Consts[n.Text()]
		case n.Is("parenthesized_expression"):
			n = n.NamedChild(0)
		default:
			return n
		}
	}
	return n
}

// Bounds of the texts that are put together from others. A constant that names
// another one several times, which does the same, tells a text without end in a few
// lines.
const (
	maxText   = 64 << 10 // bytes of one text
	maxTexts  = 4 << 20  // bytes of all constants of a file
	maxDepth  = 64       // constants of constants
	maxPieces = 1024     // expressions that a C declaration is made of
)

// text is what is known of the text of a constant.
type text struct {
	value string
	known bool
}

// constantTexts looks up the texts of all constants once, in the file's order: what
// lies beyond the bounds is the same in each run.
func (w *Wrapper) constantTexts() {
	w.texts = map[string]text{}
	names := slices.Collect(maps.Keys(w.Consts))
	slices.SortFunc(names, func(a, b string) int { return w.Consts[a].Span().Start - w.Consts[b].Span().Start })
	left, depth := maxTexts, 0
	var of func(name string) (string, bool)
	of = func(name string) (string, bool) {
		t, seen := w.texts[name]
		value := w.Consts[name]
		if seen || !value.Valid() || depth == maxDepth || left < 0 {
			return t.value, t.known
		}
		w.texts[name] = text{} // not known, while it is looked for
		var b strings.Builder
		depth++
		ok := write(&b, value, maxHops, of)
		depth--
		if left -= b.Len(); ok && left >= 0 {
			w.texts[name] = text{b.String(), true}
		}
		return w.texts[name].value, w.texts[name].known
	}
	for _, name := range names {
		of(name)
	}
}

// String is the value of a string expression: literals, f-strings of
// constants, concatenations and names of constants. The second result is false
// for anything else, and for a text that is too long.
func (w *Wrapper) String(n syntax.Node) (string, bool) {
	var b strings.Builder
	if !write(&b, n, maxHops, func(name string) (string, bool) { t := w.texts[name]; return t.value, t.known }) {
		return "", false
	}
	return b.String(), true
}

// write appends the text of an expression and reports whether it is known; constant
// tells the text of a name.
func write(b *strings.Builder, n syntax.Node, hops int, constant func(name string) (string, bool)) bool {
	if hops == 0 {
		return false
	}
	add := func(s string) bool {
		if b.Len()+len(s) > maxText {
			return false
		}
		b.WriteString(s)
		return true
	}
	switch n.Kind() {
	case "parenthesized_expression":
		return write(b, n.NamedChild(0), hops-1, constant)
	case "identifier":
		s, ok := constant(n.Text())
		return ok && add(s)
	case "string":
		if !n.ChildOf("interpolation").Valid() {
			return !strings.ContainsAny(n.ChildOf("string_start").Text(), "bB") && add(syntax.PyString(n))
		}
		for c := range n.Children() {
			switch c.Kind() {
			case "string_content":
				if !add(c.Text()) {
					return false
				}
			case "interpolation":
				if c.Field("format_specifier").Valid() || !write(b, c.Field("expression"), hops-1, constant) {
					return false
				}
			}
		}
		return true
	case "concatenated_string":
		return !slices.ContainsFunc(n.NamedChildren(), func(c syntax.Node) bool { return !write(b, c, hops-1, constant) })
	case "binary_operator":
		return n.Field("operator").Text() == "+" && write(b, n.Field("left"), hops-1, constant) && write(b, n.Field("right"), hops-1, constant)
	}
	return false
}

// textParts lists where the text of a string expression stands in the file.
func (w *Wrapper) textParts(n syntax.Node) (parts []syntax.Span, escapes, ok bool) {
	left := maxPieces
	parts, escapes, ok = w.spans(n, maxHops, &left)
	w.pieces = w.pieces || left < 0
	return parts, escapes, ok
}

func (w *Wrapper) spans(n syntax.Node, hops int, left *int) (parts []syntax.Span, escapes, ok bool) {
	if *left--; hops == 0 || *left < 0 {
		return nil, false, false
	}
	n = w.Const(n)
	join := func(list []syntax.Node) ([]syntax.Span, bool, bool) {
		for _, c := range list {
			p, e, ok := w.spans(c, hops-1, left)
			if !ok {
				return nil, false, false
			}
			parts, escapes = append(parts, p...), escapes || e
		}
		return parts, escapes, true
	}
	switch n.Kind() {
	case "string":
		start := n.ChildOf("string_start")
		if n.ChildOf("interpolation").Valid() || strings.ContainsAny(start.Text(), "bB") {
			return nil, false, false
		}
		return []syntax.Span{{Start: start.Span().End, End: n.ChildOf("string_end").Span().Start}},
			!strings.ContainsAny(start.Text(), "rR"), true
	case "concatenated_string":
		return join(n.NamedChildren())
	case "binary_operator":
		if n.Field("operator").Text() == "+" {
			return join([]syntax.Node{n.Field("left"), n.Field("right")})
		}
	case "call":
		// White space does not matter to C.
		fn := n.Field("function")
		switch syntax.PyName(fn) {
		case "dedent", "cleandoc":
			return w.spans(syntax.PyArg(n, "text", 0), hops-1, left)
		case "strip", "lstrip", "rstrip":
			if fn.Is("attribute") && len(n.Field("arguments").NamedChildren()) == 0 {
				return w.spans(fn.Field("object"), hops-1, left)
			}
		}
	}
	return nil, false, false
}

func hidden(call syntax.Node) bool {
	return call.Field("arguments").ChildOf("list_splat", "dictionary_splat").Valid()
}

func (w *Wrapper) newBind(c syntax.Node) *Bind {
	b := &Bind{
		Node: c, Func: Owner(c), Splat: hidden(c),
		CrateDir: syntax.PyArg(c, "crate_dir", 2),
		SrcRoots: syntax.PyArg(c, "src_roots", 3),
		SoName:   syntax.PyArg(c, "so_name", 4),
	}
	if key := syntax.PyArg(c, "kernel", 0); key.Valid() {
		if s, ok := w.String(key); ok {
			b.Key, b.KeyAt = s, w.Const(key)
		}
	}
	if text := syntax.PyArg(c, "cdef", 1); text.Valid() {
		b.CDef = w.cdef(text)
	}
	return b
}

// newLibCall reads lib.cutile_x(...), getattr(lib, "cutile_x")(...) and calls
// of a local name that was bound to one of these.
func (w *Wrapper) newLibCall(c syntax.Node) *LibCall {
	symbol, at := w.symbol(c.Field("function"), 2)
	if symbol == "" {
		return nil
	}
	l := &LibCall{Node: c, Symbol: symbol, SymbolAt: at, Func: Owner(c), Args: syntax.PyArgs(c), Hidden: hidden(c)}
	l.Hidden = l.Hidden || c.Field("arguments").ChildOf("keyword_argument").Valid() || len(l.Args) > maxItems
	return l
}

func (w *Wrapper) symbol(fn syntax.Node, hops int) (string, syntax.Node) {
	switch fn.Kind() {
	case "attribute":
		name := fn.Field("attribute")
		if fn.Field("object").Is("identifier") && (strings.HasPrefix(name.Text(), "cutile_") && w.Imports[fn.Field("object").Text()] == "" || w.library(fn.Field("object"))) {
			return name.Text(), name
		}
	case "call":
		if syntax.PyDotted(fn.Field("function")) == "getattr" && w.library(syntax.PyArg(fn, "", 0)) {
			arg := syntax.PyArg(fn, "", 1)
			if s, ok := w.String(arg); ok {
				return s, arg
			}
		}
	case "identifier":
		if v := w.Local(fn); hops > 0 && v.Valid() {
			return w.symbol(v, hops-1)
		}
	}
	return "", syntax.Node{}
}

// library reports whether a name holds the library of a bind call.
func (w *Wrapper) library(n syntax.Node) bool {
	if !n.Is("identifier") {
		return false
	}
	for _, a := range w.libs {
		if a.Field("left").NamedChild(1).Text() == n.Text() && visible(a, n) {
			return true
		}
	}
	return false
}

// returnsBind reports whether a local function only hands on a bind call.
func (w *Wrapper) returnsBind(fn syntax.Node) bool {
	for _, b := range w.Binds {
		if b.Node.Parent().Is("return_statement") && b.Func.Field("name").Text() == fn.Text() {
			return true
		}
	}
	return false
}

// visible reports whether an assignment can be what a use refers to: it stands
// in the use's function or in one around it.
func visible(assignment, use syntax.Node) bool {
	return use.Inside(Owner(assignment))
}

// Local is the value that a name was bound to by the only plain assignment in
// the functions around the use; invalid otherwise.
func (w *Wrapper) Local(id syntax.Node) syntax.Node {
	for owner := Owner(id); owner.Valid(); owner = Owner(owner) {
		bound := w.binds[scopedName{owner, id.Text()}]
		switch {
		case len(bound) == 1 && bound[0].index < 0 && bound[0].node.Is("assignment"):
			return bound[0].node.Field("right")
		case len(bound) > 0 || parameter(owner, id.Text()):
			return syntax.Node{}
		}
	}
	return syntax.Node{}
}

// parameter reports whether a function has a parameter of that name; a module
// has none.
func parameter(fn syntax.Node, name string) bool {
	if fn.Is("module") {
		return false
	}
	for p := range fn.Field("parameters").Children() {
		if p := paramName(p); p.Valid() && p.Text() == name {
			return true
		}
	}
	return false
}

// Taken counts the arguments that a function takes by place or by name, and lists
// the names of those that each call has to give. The last result is false where *
// or ** takes any.
func Taken(fn syntax.Node) (all int, required []string, closed bool) {
	closed = true
	for _, p := range fn.Field("parameters").NamedChildren() {
		if p.Is("typed_parameter") {
			p = p.NamedChild(0)
		}
		switch p.Kind() {
		case "identifier":
			all, required = all+1, append(required, p.Text())
		case "default_parameter", "typed_default_parameter":
			all++
		case "list_splat_pattern", "dictionary_splat_pattern":
			closed = false
		}
	}
	return all, required, closed
}

// Params lists the name nodes of a function's or lambda's parameters.
func Params(fn syntax.Node) []syntax.Node {
	var out []syntax.Node
	for p := range fn.Field("parameters").Children() {
		if p := paramName(p); p.Valid() {
			out = append(out, p)
		}
	}
	return out
}

// paramName is the name of one parameter; invalid for a bare * and the like.
func paramName(p syntax.Node) syntax.Node {
	switch p.Kind() {
	case "identifier":
		return p
	case "default_parameter", "typed_default_parameter":
		return p.Field("name")
	case "typed_parameter":
		if id := p.NamedChild(0); id.Is("identifier") {
			return id
		}
	}
	return syntax.Node{}
}

// DescOf is the descriptor that an argument of a library call holds: a local
// name bound to make_tensor_desc alone, in a tuple, or by a generator over a
// tuple of tensors; or the call itself. The second result is false when the
// argument is something else or is not resolved.
func (w *Wrapper) DescOf(arg syntax.Node) (Desc, bool) {
	if isPack(arg) {
		return Desc{arg, syntax.PyArg(arg, "t", 1)}, true
	}
	if !arg.Is("identifier") {
		return Desc{}, false
	}
	bound := w.binds[scopedName{Owner(arg), arg.Text()}]
	if len(bound) != 1 || !bound[0].node.Is("assignment") {
		return Desc{}, false
	}
	right := bound[0].node.Field("right")
	if bound[0].index >= 0 {
		return packed(right, bound[0].index)
	}
	return Desc{right, syntax.PyArg(right, "t", 1)}, isPack(right)
}

func isPack(n syntax.Node) bool {
	return n.Is("call") && syntax.PyName(n.Field("function")) == "make_tensor_desc"
}

// packed is the i-th descriptor of a tuple of calls or of a generator.
func packed(right syntax.Node, i int) (Desc, bool) {
	if right.Is("parenthesized_expression") {
		right = right.NamedChild(0)
	}
	switch right.Kind() {
	case "tuple", "expression_list", "list":
		if n := right.NamedChild(i); isPack(n) {
			return Desc{n, syntax.PyArg(n, "t", 1)}, true
		}
	case "generator_expression", "list_comprehension":
		body, in := right.Field("body"), right.ChildOf("for_in_clause")
		if isPack(body) && in.Field("right").Is("tuple", "list") && syntax.PyArg(body, "t", 1).Text() == in.Field("left").Text() {
			return Desc{body, in.Field("right").NamedChild(i)}, true
		}
	}
	return Desc{}, false
}
