package r34

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/syntax"
)

// route is one way from a tensor of the caller to an argument of the launch.
type route struct {
	// steps are the changes of the order of axes, in the order they happen.
	steps []step
	place syntax.Node // of the last step
	// conditional says that the steps depend on a condition.
	conditional bool
	// known is false when something on the way is not understood.
	known bool
}

// step swaps two axes, or permutes all.
type step struct {
	swap [2]int // negative counts from the last
	perm []int
}

func (r route) then(s step, at syntax.Node) route {
	r.steps = append(append([]step(nil), r.steps...), s)
	r.place = at
	return r
}

// axes is the swap that all steps make together on a tensor of that rank.
func (r route) axes(rank int) (axes, bool) {
	p := make([]int, rank)
	for i := range p {
		p[i] = i
	}
	at := func(i int) (int, bool) {
		if i < 0 {
			i += rank
		}
		return i, i >= 0 && i < rank
	}
	for _, s := range r.steps {
		if s.perm != nil {
			if len(s.perm) != rank {
				return axes{}, false
			}
			q := make([]int, rank)
			for i, v := range s.perm {
				v, ok := at(v)
				if !ok {
					return axes{}, false
				}
				q[i] = p[v]
			}
			p = q
			continue
		}
		i, okI := at(s.swap[0])
		j, okJ := at(s.swap[1])
		if !okI || !okJ {
			return axes{}, false
		}
		p[i], p[j] = p[j], p[i]
	}
	return swapOf(p)
}

// last is the swap that all steps make together, or else the steps from one on
// to the last, where it is the wanted one: [.., heads, sequence, ..] is often
// brought into place first. It is none when the steps before undo it.
func (r route) last(rank int, want axes) (axes, bool) {
	if all, ok := r.axes(rank); ok || len(r.steps) < 2 {
		return all, ok && all == want
	}
	for i := 1; i < len(r.steps); i++ {
		end := route{steps: r.steps[i:]}
		if swapped, ok := end.axes(rank); !ok || swapped != want {
			continue
		}
		before := route{steps: r.steps[:i]}
		if swapped, ok := before.axes(rank); ok && swapped != want {
			return want, true
		}
	}
	return axes{}, false
}

// maxRoutes bounds the ways that are followed.
const (
	maxRoutes = 32
	maxDepth  = 24
)

// routes lists the ways of the tensor in a launch argument: from the wrapper's
// caller through its library call, and what ffi.rs does to its descriptor.
func routes(k *host.Kernel, e *host.Export, arg syntax.Node) []route {
	param, ffi, ok := descriptor(e, arg)
	if !ok {
		return []route{{}}
	}
	position := -1
	for i, q := range e.Params {
		if q.Name == param {
			position = i
		}
	}
	var out []route
	for _, c := range k.Wrapper.Calls {
		if c.Symbol != e.Name || c.Hidden || position < 0 || position >= len(c.Args) || !k.Wrapper.Reached(host.Owner(c.Node)) {
			continue
		}
		d, ok := k.Wrapper.DescOf(c.Args[position])
		if !ok {
			out = append(out, route{})
			continue
		}
		t := &tracer{w: k.Wrapper, calls: map[syntax.Node]bool{}, steps: dsl.Steps}
		for _, r := range t.walk(d.Tensor, maxDepth) {
			for _, s := range ffi {
				r = r.then(s.step, s.node)
			}
			out = append(out, r)
		}
	}
	return out
}

// swapAt is a step in ffi.rs.
type swapAt struct {
	step
	node syntax.Node
}

// descriptor is the descriptor parameter behind a launch argument, with the
// steps that ffi.rs makes on a copy of it.
func descriptor(e *host.Export, arg syntax.Node) (param string, steps []swapAt, ok bool) {
	name := local(arg)
	borrow, isCall := dsl.AsCall(dsl.Unparen(bound(e, name)))
	borrows := isCall && borrow.Name == "borrow_tensor" && len(borrow.Args) == 1
	if b, ok := e.TensorOf(arg); ok && !(borrows && copied(e, borrow.Args[0]).Valid()) {
		return b.Param, nil, true
	}
	if !borrows {
		return "", nil, false
	}
	if lit := copied(e, borrow.Args[0]); lit.Valid() {
		return swappedLiteral(e, lit)
	}
	name = local(borrow.Args[0])
	value := dsl.Unparen(bound(e, name))
	base := e.Descs[local(value)]
	if base == "" {
		return "", nil, false
	}
	for _, c := range dsl.Calls(e.Body) {
		if !c.Method() || c.Name != "swap" || !c.Receiver.Is("field_expression") || c.Receiver.Field("value").Text() != name || c.Receiver.Field("field").Text() != "strides" || len(c.Args) != 2 {
			continue
		}
		i, okI := integer(c.Args[0])
		j, okJ := integer(c.Args[1])
		if !okI || !okJ {
			return "", nil, false
		}
		steps = append(steps, swapAt{step{swap: [2]int{i, j}}, c.Node})
	}
	return base, steps, true
}

// copied is the descriptor literal that an argument names, also through names
// of references to it; invalid for any other argument.
func copied(e *host.Export, arg syntax.Node) syntax.Node {
	for range 3 {
		value := dsl.Unparen(bound(e, local(arg)))
		if value.Is("struct_expression") {
			return value
		}
		arg = value
	}
	return syntax.Node{}
}

// local is the name behind references, dereferences and clone; empty for any
// other expression.
func local(n syntax.Node) string {
	for {
		n = dsl.Unparen(n)
		switch n.Kind() {
		case "reference_expression":
			n = n.Field("value")
		case "unary_expression":
			n = n.NamedChild(0)
		case "identifier":
			return n.Text()
		case "call_expression":
			c, ok := dsl.AsCall(n)
			if !ok || !c.Method() || c.Name != "clone" {
				return ""
			}
			n = c.Receiver
		default:
			return ""
		}
	}
}

// bound is the value that the export binds to a name exactly once.
func bound(e *host.Export, name string) syntax.Node {
	var out syntax.Node
	for _, let := range e.Body.Find("let_declaration") {
		if pattern := let.Field("pattern"); name != "" && pattern.Is("identifier") && pattern.Text() == name {
			if out.Valid() {
				return syntax.Node{}
			}
			out = let.Field("value")
		}
	}
	return out
}

// swappedLiteral reads a descriptor literal whose strides are those of a
// parameter's descriptor in another order.
func swappedLiteral(e *host.Export, lit syntax.Node) (string, []swapAt, bool) {
	for _, f := range lit.Field("body").NamedChildren() {
		if !f.Is("field_initializer") || f.Field("field").Text() != "strides" {
			continue
		}
		base, perm := "", []int{}
		for _, n := range f.Field("value").NamedChildren() {
			n = dsl.Unparen(n)
			of, i := n.NamedChild(0), n.NamedChild(1)
			v, ok := integer(i)
			if !n.Is("index_expression") || !of.Is("field_expression") || of.Field("field").Text() != "strides" || !ok {
				if base != "" && n.Is("integer_literal") {
					continue // unused dimensions
				}
				return "", nil, false
			}
			d := e.Descs[of.Field("value").Text()]
			if d == "" || base != "" && d != base {
				return "", nil, false
			}
			base, perm = d, append(perm, v)
		}
		if base == "" {
			return "", nil, false
		}
		for len(perm) > 0 && perm[len(perm)-1] == len(perm)-1 {
			perm = perm[:len(perm)-1] // later dimensions keep their place
		}
		var moved []int
		for i, v := range perm {
			if v != i {
				moved = append(moved, i)
			}
		}
		if len(moved) == 0 {
			return base, nil, true
		}
		if len(moved) != 2 {
			return "", nil, false
		}
		return base, []swapAt{{step{swap: [2]int{moved[0], moved[1]}}, f}}, true
	}
	return "", nil, false
}

func integer(n syntax.Node) (int, bool) {
	n = dsl.Unparen(n)
	if !n.Is("integer_literal") {
		return 0, false
	}
	v, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSuffix(n.Text(), "usize"), "_"))
	return v, err == nil
}

// tracer follows a tensor expression of the wrapper back to where it comes
// from.
type tracer struct {
	w     *host.Wrapper
	calls map[syntax.Node]bool // call sites on the way
	steps dsl.Budget
}

// walk lists the ways to an expression.
func (t *tracer) walk(n syntax.Node, depth int) []route {
	if depth == 0 || !t.steps.Spend() {
		return []route{{}}
	}
	switch n.Kind() {
	case "parenthesized_expression":
		return t.walk(n.NamedChild(0), depth-1)
	case "conditional_expression":
		parts := n.NamedChildren()
		if len(parts) != 3 {
			return []route{{}}
		}
		return either(t.walk(parts[0], depth-1), t.walk(parts[2], depth-1))
	case "attribute":
		if name := n.Field("attribute").Text(); name == "T" || name == "mT" || name == "H" || name == "mH" {
			return t.after(n.Field("object"), step{swap: [2]int{-2, -1}}, n, depth)
		}
	case "call":
		return t.call(n, depth)
	case "identifier":
		return t.name(n.Text(), n, depth)
	}
	return []route{{known: true}} // a new tensor, in its own order
}

// either joins the ways of two alternatives; they are conditional unless both
// make the same steps.
func either(a, b []route) []route {
	if slices.EqualFunc(a, b, route.same) {
		return a
	}
	out := slices.Concat(a, b)
	for i := range out {
		out[i].conditional = true
	}
	if len(out) > maxRoutes {
		return []route{{}}
	}
	return out
}

// same reports whether two ways make the same steps.
func (r route) same(o route) bool {
	return r.known == o.known && r.conditional == o.conditional && slices.EqualFunc(r.steps, o.steps, func(x, y step) bool {
		return x.swap == y.swap && slices.Equal(x.perm, y.perm)
	})
}

// after lists the ways to an expression with one more step.
func (t *tracer) after(n syntax.Node, s step, at syntax.Node, depth int) []route {
	out := t.walk(n, depth-1)
	for i := range out {
		out[i] = out[i].then(s, at)
	}
	return out
}

// keeping are methods that change no order of axes.
var keeping = map[string]bool{"contiguous": true, "detach": true, "clone": true, "to": true, "cuda": true, "requires_grad_": true}

func (t *tracer) call(n syntax.Node, depth int) []route {
	fn := n.Field("function")
	name, tensor, first := syntax.PyName(fn), fn.Field("object"), 0
	if strings.HasPrefix(t.w.Full(fn), "torch.") {
		tensor, first = syntax.PyArg(n, "input", 0), 1
	} else if !fn.Is("attribute") {
		return []route{{known: true}}
	}
	switch name {
	case "t", "adjoint":
		return t.after(tensor, step{swap: [2]int{-2, -1}}, n, depth)
	case "transpose", "swapaxes", "swapdims":
		i, okI := t.literal(syntax.PyArg(n, "dim0", first))
		j, okJ := t.literal(syntax.PyArg(n, "dim1", first+1))
		if !okI || !okJ {
			return []route{{}}
		}
		return t.after(tensor, step{swap: [2]int{i, j}}, n, depth)
	case "movedim", "moveaxis":
		// Between neighbours a move is a swap.
		i, okI := t.literal(syntax.PyArg(n, "source", first))
		j, okJ := t.literal(syntax.PyArg(n, "destination", first+1))
		if !okI || !okJ || max(i, j)-min(i, j) != 1 || (i < 0) != (j < 0) {
			return []route{{}}
		}
		return t.after(tensor, step{swap: [2]int{i, j}}, n, depth)
	case "permute":
		list := syntax.PyArgs(n)[min(first, len(syntax.PyArgs(n))):]
		if len(list) == 1 && list[0].Is("tuple", "list") {
			list = list[0].NamedChildren()
		}
		perm := []int{}
		for _, a := range list {
			v, ok := t.literal(a)
			if !ok {
				return []route{{}}
			}
			perm = append(perm, v)
		}
		return t.after(tensor, step{perm: perm}, n, depth)
	}
	switch {
	case first == 0 && keeping[name]:
		return t.walk(tensor, depth-1)
	case first == 0 && !shaping[name]:
		return []route{{}}
	}
	return []route{{known: true}} // other axes from here on
}

// shaping are methods that give a tensor other axes.
var shaping = map[string]bool{"view": true, "reshape": true, "flatten": true, "unflatten": true, "unsqueeze": true, "squeeze": true, "expand": true}

// literal reads an axis.
func (t *tracer) literal(n syntax.Node) (int, bool) {
	n = t.w.Const(n)
	sign := 1
	if n.Is("unary_operator") && n.Field("operator").Text() == "-" {
		n, sign = n.Field("argument"), -1
	}
	if !n.Is("integer") {
		return 0, false
	}
	v, err := strconv.Atoi(n.Text())
	return sign * v, err == nil
}

// name follows a name to its last assignment before a use, to the call sites of
// the function that it is a parameter of, or to the function around.
func (t *tracer) name(name string, use syntax.Node, depth int) []route {
	if depth == 0 {
		return []route{{}}
	}
	for owner := host.Owner(use); owner.Valid(); owner = host.Owner(owner) {
		if value, assignment := before(owner, name, use); value.Valid() {
			if value == assignment.Field("left") {
				return []route{{}}
			}
			out := t.walk(value, depth-1)
			for p := assignment.Parent(); p.Valid() && p != owner; p = p.Parent() {
				if p.Is("if_statement", "for_statement", "while_statement", "try_statement", "match_statement") && !use.Inside(p) {
					return either(out, t.name(name, assignment, depth-1))
				}
			}
			return out
		}
		if i := parameter(owner, name); i >= 0 {
			return t.callers(owner, name, i, depth)
		}
		use = owner
	}
	return []route{{}}
}

// before is the value of the last plain assignment to a name in a function
// before a use.
func before(owner syntax.Node, name string, use syntax.Node) (value, assignment syntax.Node) {
	for _, a := range owner.Find("assignment") {
		if v := assigned(a, name); v.Valid() && host.Owner(a) == owner && a.Span().Start < use.Span().Start && !use.Inside(a) {
			value, assignment = v, a
		}
	}
	return value, assignment
}

// assigned is what an assignment gives a name, alone or at its place among as many
// values; its left side when that is not known, and invalid when it gives it none.
func assigned(a syntax.Node, name string) syntax.Node {
	left, right := a.Field("left"), a.Field("right")
	if left.Is("identifier") && left.Text() == name {
		return right
	}
	if !left.Is("pattern_list", "tuple_pattern", "list_pattern") {
		return syntax.Node{}
	}
	names := left.NamedChildren()
	i := slices.IndexFunc(names, func(n syntax.Node) bool { return n.Is("identifier") && n.Text() == name })
	switch {
	case i < 0:
		return syntax.Node{}
	case !right.Is("expression_list", "tuple", "list") || len(right.NamedChildren()) != len(names) ||
		slices.ContainsFunc(append(names, right.NamedChildren()...), func(n syntax.Node) bool { return n.Is("list_splat", "list_splat_pattern") || n.IsComment() }):
		return left
	}
	return right.NamedChildren()[i]
}

func parameter(fn syntax.Node, name string) int {
	if !fn.Is("function_definition", "lambda") {
		return -1
	}
	for i, p := range host.Params(fn) {
		if p.Text() == name {
			return i
		}
	}
	return -1
}

// callers lists the ways through all calls of a function in the file; what a
// registered function gets from its caller is where the ways begin.
func (t *tracer) callers(fn syntax.Node, name string, i, depth int) []route {
	var out []route
	for _, c := range t.w.File.Root().Find("call") {
		f := c.Field("function")
		if !f.Is("identifier") || t.w.Function(f) != fn || !t.w.Reached(host.Owner(c)) {
			continue
		}
		if t.calls[c] {
			return []route{{}} // recursion
		}
		t.calls[c] = true
		if arg := syntax.PyArg(c, name, i); arg.Valid() {
			out = append(out, t.walk(arg, depth-1)...)
		} else {
			out = append(out, route{})
		}
		delete(t.calls, c)
		if len(out) > maxRoutes {
			return []route{{}}
		}
	}
	if len(out) == 0 {
		return []route{{known: true}}
	}
	return out
}
