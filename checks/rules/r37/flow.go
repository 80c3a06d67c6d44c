package r37

import (
	"maps"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/syntax"
)

// The limits of what is followed; beyond them nothing is reported.
const (
	maxSteps  = 50_000
	maxCalls  = 12
	maxParams = 64  // of a registered function
	maxElems  = 256 // of a tuple
)

// flow follows the tensors of a registered function to the library call. It
// runs the wrapper with sets of parameters in place of values.
type flow struct {
	k      *host.Kernel
	w      *host.Wrapper
	found  map[syntax.Node]bool // parameters that reach the library
	budget int
	calls  []syntax.Node // functions that are being run
	noGrad int           // inside torch.no_grad
}

// value is what an expression may hold: the parameters whose gradient history
// it carries, the parts of a tuple, or a function.
type value struct {
	roots map[syntax.Node]bool
	elems []value
	tuple bool
	fn    syntax.Node
	scope *scope // where fn was made
}

// scope holds the local names of one run of a function.
type scope struct {
	vars map[string]value
	up   *scope
}

func (s *scope) get(name string) (value, bool) {
	for ; s != nil; s = s.up {
		if v, ok := s.vars[name]; ok {
			return v, true
		}
	}
	return value{}, false
}

func (v value) empty() bool { return len(v.roots) == 0 && !v.tuple && !v.fn.Valid() }

// all is every root in a value and its parts.
func (v value) all() map[syntax.Node]bool {
	out := maps.Clone(v.roots)
	if out == nil {
		out = map[syntax.Node]bool{}
	}
	for _, e := range v.elems {
		maps.Copy(out, e.all())
	}
	return out
}

func union(a, b value) value {
	switch {
	case a.empty():
		return b
	case b.empty():
		return a
	}
	if a.tuple && b.tuple && len(a.elems) == len(b.elems) {
		out := value{tuple: true}
		for i := range a.elems {
			out.elems = append(out.elems, union(a.elems[i], b.elems[i]))
		}
		return out
	}
	out := value{roots: a.all()}
	maps.Copy(out.roots, b.all())
	if out.fn, out.scope = a.fn, a.scope; !out.fn.Valid() {
		out.fn, out.scope = b.fn, b.scope
	}
	return out
}

// registered runs a function with its parameters as roots, and then the
// function that it returns, since a getter registers what it gives back.
func (f *flow) registered(fn value, depth int) {
	args := map[string]value{}
	if len(host.Params(fn.fn)) > maxParams {
		f.budget = 0
		return
	}
	for _, q := range host.Params(fn.fn) {
		if !output(q.Text()) && !numeric(q) {
			args[q.Text()] = value{roots: map[syntax.Node]bool{q: true}}
		}
	}
	if result := f.run(fn.fn, fn.scope, args); result.fn.Valid() && depth < 2 {
		f.registered(result, depth+1)
	}
}

// output reports whether a parameter is by its name where the result goes.
func output(name string) bool {
	return name == "out" || name == "output" || strings.HasPrefix(name, "out_") || strings.HasPrefix(name, "output_")
}

// numeric reports whether a parameter is annotated as something that is no
// tensor.
func numeric(q syntax.Node) bool {
	p := q.Parent()
	if !p.Is("typed_parameter", "typed_default_parameter") {
		return false
	}
	switch p.Field("type").Text() {
	case "int", "float", "bool", "str", "torch.dtype":
		return true
	}
	return false
}

// run executes a function body and gives what it returns.
func (f *flow) run(fn syntax.Node, up *scope, args map[string]value) value {
	if len(f.calls) >= maxCalls {
		return value{}
	}
	for _, c := range f.calls {
		if c == fn {
			return value{}
		}
	}
	f.calls = append(f.calls, fn)
	defer func() { f.calls = f.calls[:len(f.calls)-1] }()
	s := &scope{vars: map[string]value{}, up: up}
	for _, q := range host.Params(fn) {
		s.vars[q.Text()] = args[q.Text()]
	}
	if fn.Is("lambda") {
		return f.eval(fn.Field("body"), s)
	}
	for _, d := range syntax.PyDecorators(fn) {
		if noGrad(d) {
			f.noGrad++
			defer func() { f.noGrad-- }()
		}
	}
	var result value
	f.block(fn.Field("body"), s, &result)
	return result
}

func noGrad(n syntax.Node) bool {
	if n.Is("call") {
		n = n.Field("function")
	}
	name := syntax.PyName(n)
	return name == "no_grad" || name == "inference_mode"
}

// block executes statements; true when control leaves the block for good.
func (f *flow) block(b syntax.Node, s *scope, result *value) bool {
	for _, st := range b.NamedChildren() {
		if f.statement(st, s, result) {
			return true
		}
	}
	return false
}

func (f *flow) statement(st syntax.Node, s *scope, result *value) bool {
	if f.budget--; f.budget <= 0 {
		return true
	}
	switch st.Kind() {
	case "expression_statement":
		for _, e := range st.NamedChildren() {
			f.eval(e, s)
		}
	case "return_statement":
		if v := st.NamedChild(0); v.Valid() {
			*result = union(*result, f.eval(v, s))
		}
		return true
	case "assert_statement":
		if cond := st.NamedChild(0); cond.Is("not_operator") {
			clean(s.vars, s.up, wanting(cond.Field("argument")))
		}
	case "raise_statement", "continue_statement", "break_statement":
		return true
	case "if_statement":
		return f.branches(st, s, result)
	case "for_statement":
		f.assign(st.Field("left"), each(f.eval(st.Field("right"), s)), s)
		f.maybe(st.Field("body"), s, result)
	case "while_statement":
		f.maybe(st.Field("body"), s, result)
	case "with_statement":
		off := 0
		for _, item := range st.Find("with_item") {
			v := item.Field("value")
			if v.Is("as_pattern") {
				v = v.NamedChild(0)
			}
			if item.Ancestor("with_statement") == st && noGrad(v) {
				off = 1
			}
		}
		f.noGrad += off
		done := f.block(st.Field("body"), s, result)
		f.noGrad -= off
		return done
	case "try_statement":
		done := f.block(st.Field("body"), s, result)
		for c := range st.Children() {
			if c.Is("except_clause", "finally_clause") {
				f.maybe(c.ChildOf("block"), s, result)
			}
		}
		return done
	case "function_definition":
		s.vars[st.Field("name").Text()] = value{fn: st, scope: s}
	case "decorated_definition":
		if d := st.Field("definition"); d.Is("function_definition") {
			s.vars[d.Field("name").Text()] = value{fn: d, scope: s}
		}
	}
	return false
}

// each is the union of the parts of a value that is looped over.
func each(v value) value {
	if !v.tuple {
		return v
	}
	out := value{}
	for _, e := range v.elems {
		out = union(out, e)
	}
	return out
}

// maybe executes a block that may not run.
func (f *flow) maybe(b syntax.Node, s *scope, result *value) {
	old := f.clone(s.vars)
	if f.block(b, s, result) {
		s.vars = old
		return
	}
	f.merge(s, old)
}

// clone copies local names, at the price of a step for each.
func (f *flow) clone(vars map[string]value) map[string]value {
	f.budget -= len(vars)
	return maps.Clone(vars)
}

func (f *flow) merge(s *scope, other map[string]value) {
	for name, v := range other {
		s.vars[name] = union(s.vars[name], v)
	}
}

// branches executes an if statement. Where x.requires_grad was asked for and
// is false, x carries no history.
func (f *flow) branches(st syntax.Node, s *scope, result *value) bool {
	var ends []map[string]value
	rest := f.clone(s.vars)
	take := func(cond, body syntax.Node) {
		s.vars = f.clone(rest)
		f.eval(cond, s)
		if cond.Is("not_operator") {
			clean(s.vars, s.up, wanting(cond.Field("argument")))
		} else {
			rest = f.clone(s.vars)
			clean(rest, s.up, wanting(cond))
		}
		if !f.block(body, s, result) {
			ends = append(ends, s.vars)
		}
	}
	take(st.Field("condition"), st.Field("consequence"))
	for c := range st.Children() {
		switch c.Kind() {
		case "elif_clause":
			take(c.Field("condition"), c.Field("consequence"))
		case "else_clause":
			s.vars = rest
			rest = nil
			if !f.block(c.Field("body"), s, result) {
				ends = append(ends, s.vars)
			}
		}
	}
	if rest != nil {
		ends = append(ends, rest)
	}
	if len(ends) == 0 {
		return true
	}
	s.vars = ends[0]
	for _, e := range ends[1:] {
		f.merge(s, e)
	}
	return false
}

// clean drops the history of names.
func clean(vars map[string]value, up *scope, names []string) {
	for _, name := range names {
		if _, ok := vars[name]; ok {
			vars[name] = value{}
		} else if _, ok := up.get(name); ok {
			vars[name] = value{}
		}
	}
}

func (f *flow) assign(target syntax.Node, v value, s *scope) {
	switch target.Kind() {
	case "identifier":
		s.vars[target.Text()] = v
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list":
		parts := target.NamedChildren()
		for i, t := range parts {
			if v.tuple && len(v.elems) == len(parts) {
				f.assign(t, v.elems[i], s)
			} else {
				f.assign(t, value{roots: v.all()}, s)
			}
		}
	}
}

// plainAttributes are attributes of a tensor that are no tensor, or one
// without history.
var plainAttributes = map[string]bool{
	"shape": true, "dtype": true, "device": true, "ndim": true, "is_cuda": true, "requires_grad": true,
	"data": true, "grad": true, "itemsize": true, "nbytes": true, "layout": true, "is_leaf": true,
}

// plainMethods are methods of a tensor whose result carries no history.
var plainMethods = map[string]bool{
	"detach": true, "detach_": true, "size": true, "numel": true, "nelement": true, "dim": true, "stride": true,
	"item": true, "data_ptr": true, "element_size": true, "is_contiguous": true, "get_device": true, "tolist": true,
	"storage_offset": true, "numpy": true, "int": true, "long": true, "short": true, "bool": true, "char": true, "byte": true,
	"new_empty": true, "new_zeros": true, "argmax": true, "argmin": true, "argsort": true,
}

// fresh are functions of torch that make a tensor without history.
var fresh = map[string]bool{
	"empty": true, "empty_like": true, "zeros": true, "zeros_like": true, "ones": true, "ones_like": true,
	"full": true, "full_like": true, "arange": true, "tensor": true, "empty_strided": true, "rand": true, "randn": true,
	"argmax": true, "argmin": true, "argsort": true, "is_tensor": true,
}

func (f *flow) eval(n syntax.Node, s *scope) value {
	if f.budget--; f.budget <= 0 || !n.Valid() {
		return value{}
	}
	switch n.Kind() {
	case "identifier":
		if v, ok := s.get(n.Text()); ok {
			return v
		}
		if fn := f.w.Function(n); fn.Valid() {
			return value{fn: fn}
		}
	case "attribute":
		v := f.eval(n.Field("object"), s)
		switch name := n.Field("attribute").Text(); {
		case plainAttributes[name]:
			return value{}
		case name == "T" || name == "mT" || name == "H" || name == "mH":
			return v
		}
	case "call":
		return f.call(n, s)
	case "lambda":
		return value{fn: n, scope: s}
	case "assignment":
		v := f.eval(n.Field("right"), s)
		f.assign(n.Field("left"), v, s)
		return v
	case "augmented_assignment":
		v := union(f.eval(n.Field("left"), s), f.eval(n.Field("right"), s))
		f.assign(n.Field("left"), v, s)
		return v
	case "named_expression":
		v := f.eval(n.Field("value"), s)
		f.assign(n.Field("name"), v, s)
		return v
	case "conditional_expression":
		c := n.NamedChildren()
		if len(c) != 3 {
			return value{}
		}
		f.eval(c[1], s)
		then, other := &scope{vars: map[string]value{}, up: s}, &scope{vars: map[string]value{}, up: s}
		if c[1].Is("not_operator") {
			clean(then.vars, s, wanting(c[1].Field("argument")))
		} else {
			clean(other.vars, s, wanting(c[1]))
		}
		return union(f.eval(c[0], then), f.eval(c[2], other))
	case "tuple", "list", "expression_list":
		v := value{tuple: true}
		for _, c := range n.NamedChildren() {
			if c.Is("list_splat") || len(v.elems) == maxElems {
				return value{roots: f.sum(n, s)}
			}
			v.elems = append(v.elems, f.eval(c, s))
		}
		return v
	case "generator_expression", "list_comprehension":
		return f.comprehension(n, s)
	case "subscript":
		v := f.eval(n.Field("value"), s)
		if i, ok := host.PyInt(n.Field("subscript")); v.tuple && ok && i >= 0 && i < len(v.elems) {
			return v.elems[i]
		}
		return value{roots: v.all()}
	case "parenthesized_expression", "list_splat":
		return f.eval(n.NamedChild(0), s)
	case "binary_operator", "boolean_operator", "unary_operator":
		return value{roots: f.sum(n, s)}
	case "comparison_operator", "not_operator":
		f.sum(n, s)
	}
	return value{}
}

// sum evaluates all children.
func (f *flow) sum(n syntax.Node, s *scope) map[syntax.Node]bool {
	out := map[syntax.Node]bool{}
	for _, c := range n.NamedChildren() {
		maps.Copy(out, f.eval(c, s).all())
	}
	return out
}

func (f *flow) comprehension(n syntax.Node, s *scope) value {
	in := n.ChildOf("for_in_clause")
	over := f.eval(in.Field("right"), s)
	inner := &scope{vars: map[string]value{}, up: s}
	if !over.tuple {
		f.assign(in.Field("left"), over, inner)
		return value{roots: f.eval(n.Field("body"), inner).all()}
	}
	out := value{tuple: true}
	for _, e := range over.elems {
		f.assign(in.Field("left"), e, inner)
		out.elems = append(out.elems, f.eval(n.Field("body"), inner))
	}
	return out
}

func (f *flow) call(n syntax.Node, s *scope) value {
	fn := n.Field("function")
	var args []value
	named := map[string]value{}
	for _, a := range n.Field("arguments").NamedChildren() {
		switch a.Kind() {
		case "keyword_argument":
			named[a.Field("name").Text()] = f.eval(a.Field("value"), s)
		case "list_splat", "dictionary_splat":
			f.eval(a.NamedChild(0), s)
			return value{}
		case "generator_expression":
			args = append(args, f.comprehension(a, s))
		default:
			args = append(args, f.eval(a, s))
		}
	}
	if n.Field("arguments").Is("generator_expression") {
		args = append(args, f.comprehension(n.Field("arguments"), s))
	}
	for _, c := range f.w.Calls {
		if c.Node == n {
			f.library(c, args)
			return value{}
		}
	}
	name := syntax.PyName(fn)
	sum := map[syntax.Node]bool{}
	for _, a := range args {
		maps.Copy(sum, a.all())
	}
	for _, a := range named {
		maps.Copy(sum, a.all())
	}
	switch {
	case name == "make_tensor_desc":
		// The descriptor stands for the tensor.
		if t, ok := named["t"]; ok {
			return t
		}
		if len(args) > 1 {
			return args[1]
		}
		return value{}
	case name == "partial" && len(args) > 0 && args[0].fn.Valid():
		f.apply(args[0], args[1:], named)
		return value{}
	case fn.Is("attribute"):
		return f.method(n, name, s, sum)
	}
	callee := f.eval(fn, s)
	if callee.fn.Valid() {
		return f.apply(callee, args, named)
	}
	switch name {
	case "tuple", "list", "reversed", "sorted":
		if len(args) == 1 {
			return args[0]
		}
	case "zip", "enumerate":
		return value{roots: sum}
	}
	f.handedOver(args, named)
	return value{}
}

// method evaluates a call of an attribute: of a tensor, of torch, or unknown.
func (f *flow) method(n syntax.Node, name string, s *scope, sum map[syntax.Node]bool) value {
	object := n.Field("function").Field("object")
	if dotted := full(f.w, object); dotted == "torch" || strings.HasPrefix(dotted, "torch.") {
		if fresh[name] || strings.HasPrefix(dotted, "torch.cuda") {
			return value{}
		}
		return value{roots: sum}
	}
	v := f.eval(object, s)
	if len(v.all()) == 0 || plainMethods[name] {
		return value{}
	}
	if name == "to" || name == "type" {
		for _, a := range n.Field("arguments").NamedChildren() {
			if a.Is("keyword_argument") {
				a = a.Field("value")
			}
			if d := syntax.PyName(a); strings.HasPrefix(d, "int") || strings.HasPrefix(d, "uint") || d == "bool" || d == "long" {
				return value{}
			}
		}
	}
	return value{roots: v.all()}
}

// handedOver runs functions that other code will call, such as the one that
// the autotuner gets.
func (f *flow) handedOver(args []value, named map[string]value) {
	for _, a := range args {
		if a.fn.Valid() {
			f.apply(a, nil, nil)
		}
	}
	for _, a := range named {
		if a.fn.Valid() {
			f.apply(a, nil, nil)
		}
	}
}

func (f *flow) apply(callee value, args []value, named map[string]value) value {
	bound := map[string]value{}
	params := host.Params(callee.fn)
	for i, a := range args {
		if i < len(params) {
			bound[params[i].Text()] = a
		}
	}
	maps.Copy(bound, named)
	return f.run(callee.fn, callee.scope, bound)
}

// library records the roots that a library call gets in places that the
// export reads as elements of a floating-point type.
func (f *flow) library(c *host.LibCall, args []value) {
	e := f.k.Crate.Export(c.Symbol)
	if f.noGrad > 0 || c.Hidden || e == nil || len(args) != len(e.Params) {
		return
	}
	for i, a := range args {
		if e.Params[i].Desc() && floating(e, e.Params[i].Name) && !onlyWritten(e, e.Params[i].Name) {
			maps.Copy(f.found, a.all())
		}
	}
}

// floating reports whether the export borrows a parameter's memory as the
// dispatched element type or as a fixed floating-point one.
func floating(e *host.Export, param string) bool {
	found := false
	for _, b := range e.Tensors {
		if b.Param == param {
			if !strings.HasPrefix(b.Elem, "$") && !(dsl.Type{Elem: b.Elem}).Float() {
				return false
			}
			found = true
		}
	}
	return found
}
