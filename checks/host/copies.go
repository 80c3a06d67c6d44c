package host

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// Copy is a call that makes PyTorch launch work of its own beside the kernel,
// or makes the host wait for the device.
type Copy struct {
	Node syntax.Node // the call, or the operation of an operator
	Kind CopyKind
	// Op is the method or function, such as clone or transpose.
	Op string
	// Tensor is what is copied or converted; invalid for a new tensor.
	Tensor syntax.Node
	// Small says that the result has a size of a few literal elements.
	Small bool
	// Sometimes says that the tensor is expanded or transposed under a condition
	// only, and is copied by contiguous for that reason alone.
	Sometimes bool
}

// CopyKind classifies a Copy.
type CopyKind string

// The kinds of copies.
const (
	Layout     CopyKind = "layout"     // a transposition made contiguous
	Contiguous CopyKind = "contiguous" // contiguous on a tensor in its own order: free when it is already
	Clone      CopyKind = "clone"
	Move       CopyKind = "move" // copy_
	Fill       CopyKind = "fill" // a new tensor with values, or one overwritten with a value
	Join       CopyKind = "join" // cat, stack
	Expand     CopyKind = "expand"
	Convert    CopyKind = "convert" // to another dtype: free when it is that already
	Upload     CopyKind = "upload"  // from the host to the device
	Sync       CopyKind = "sync"    // waits for the device
	Graph      CopyKind = "graph"   // records a CUDA graph
	Compute    CopyKind = "compute" // arithmetic of PyTorch
)

// Unconditional reports whether a copy of the kind always costs time on the
// device.
func (k CopyKind) Unconditional() bool { return k != Contiguous && k != Convert }

var (
	transposing = set("t", "transpose", "permute", "swapaxes", "swapdims", "movedim", "moveaxis", "T", "mT", "H", "mH", "adjoint")
	filling     = set("zeros", "zeros_like", "ones", "ones_like", "full", "full_like", "rand", "rand_like", "randn", "randn_like", "randint",
		"arange", "linspace", "eye", "new_zeros", "new_ones", "new_full", "new_tensor")
	overwriting = set("zero_", "fill_", "uniform_", "normal_", "masked_fill_", "fill_diagonal_")
	joining     = set("cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack", "column_stack", "block_diag")
	repeating   = set("repeat", "repeat_interleave", "tile")
	expanding   = set("expand", "expand_as", "broadcast_to")
	waiting     = set("item", "tolist", "cpu", "numpy", "synchronize")
	converting  = set("to", "type", "float", "half", "bfloat16", "double", "type_as", "char", "byte", "int", "long")
	// Methods that other objects do not have under the same name.
	computing = set("add_", "sub_", "mul_", "div_", "clamp_", "clamp", "softmax", "log_softmax", "sigmoid", "sigmoid_", "tanh_", "relu", "relu_", "exp_", "sqrt_", "rsqrt", "rsqrt_",
		"matmul", "mm", "bmm", "addmm", "baddbmm", "addcmul", "addcdiv", "masked_fill", "masked_select", "index_select", "index_add_", "scatter_", "scatter_add_",
		"gather", "cumsum", "cumprod", "amax", "amin", "argsort", "nonzero", "roll", "flip", "tril", "triu",
		"isnan", "isinf", "isfinite", "isposinf", "isneginf", "nan_to_num", "nan_to_num_", "allclose", "count_nonzero")
	// Functions of torch that launch nothing.
	idle = set("empty", "empty_like", "empty_strided", "is_tensor", "device", "Size", "finfo", "iinfo", "no_grad", "inference_mode", "enable_grad", "set_grad_enabled",
		"get_default_dtype", "promote_types", "result_type", "can_cast", "broadcast_shapes", "numel", "is_floating_point", "is_complex", "Tensor", "typename", "compile",
		"manual_seed", "current_device", "Generator", "is_grad_enabled", "is_inference_mode_enabled", "as_strided", "squeeze", "unsqueeze", "reshape", "unbind", "split", "chunk",
		"flatten", "narrow", "select", "view_as_real", "view_as_complex", "detach", "broadcast_tensors", "is_contiguous", "equal_shape", "get_device", "contiguous_format", "tensor_split",
		"atleast_1d", "atleast_2d", "ravel", "diagonal", "are_deterministic_algorithms_enabled", "is_autocast_enabled", "autocast", "Event", "Stream", "stride", "meshgrid")
)

func set(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// Full is a dotted name with its first part replaced by what it was imported
// as; empty for other expressions.
func (w *Wrapper) Full(n syntax.Node) string {
	first, rest, more := strings.Cut(syntax.PyDotted(n), ".")
	if as := w.Imports[first]; as != "" {
		first = as
	}
	if more {
		return first + "." + rest
	}
	return first
}

// Copies lists the copies of a file, in source order. What only looks like one,
// such as a method of an object that is known to be no tensor, is left out.
func (w *Wrapper) Copies() []Copy {
	var out []Copy
	described := map[syntax.Node]map[string]bool{}
	for _, n := range w.File.Root().Find("call", "binary_operator", "assignment", "augmented_assignment") {
		if c, ok := w.copyAt(n); ok {
			out = append(out, c)
		} else if n.Is("binary_operator") {
			if t := w.tensorOperand(n, described); t.Valid() {
				out = append(out, Copy{Node: n, Kind: Compute, Op: n.Field("operator").Text(), Tensor: t})
			}
		}
	}
	if out = append(out, w.reads(described)...); len(out) > 1 {
		slices.SortStableFunc(out, func(a, b Copy) int { return a.Node.Span().Start - b.Node.Span().Start })
	}
	return out
}

// tensorOperand is the operand of an operator that is a tensor: one that its
// function describes to the library. The names are remembered by function.
func (w *Wrapper) tensorOperand(n syntax.Node, described map[syntax.Node]map[string]bool) syntax.Node {
	names := describedIn(Owner(n), described)
	for _, side := range []string{"left", "right"} {
		if t := n.Field(side); t.Is("identifier") && names[t.Text()] {
			return t
		}
	}
	return syntax.Node{}
}

// describedIn lists the names of tensors that a function describes to the
// library. What is found is remembered by function.
func describedIn(fn syntax.Node, known map[syntax.Node]map[string]bool) map[string]bool {
	names, ok := known[fn]
	if !ok {
		names = map[string]bool{}
		for _, c := range fn.Find("call") {
			if syntax.PyName(c.Field("function")) == "make_tensor_desc" {
				if t := syntax.PyArg(c, "t", 1); t.Is("identifier") {
					names[t.Text()] = true
				}
			}
		}
		known[fn] = names
	}
	return names
}

// overwritten classifies an assignment that writes into a tensor of the file.
func (w *Wrapper) overwritten(n syntax.Node) (Copy, bool) {
	target, value := n.Field("left"), n.Field("right")
	whole := target.Is("subscript") && slices.ContainsFunc(target.Fields("subscript"), func(i syntax.Node) bool { return i.Is("slice", "ellipsis") })
	if whole {
		target = target.Field("value")
	}
	c := Copy{Node: n, Tensor: target}
	switch {
	case !target.Is("identifier") || !whole && !n.Is("augmented_assignment") || !w.isTensor(target):
		return c, false
	case n.Is("augmented_assignment"):
		c.Kind, c.Op = Compute, n.Field("operator").Text()
		return c, true
	case value.Is("integer", "float", "true", "false") || value.Is("unary_operator") && value.Field("argument").Is("integer", "float"):
		c.Kind, c.Op = Fill, "fill_"
	default:
		c.Kind, c.Op = Move, "copy_"
	}
	return c, true
}

// making are methods that only tensors have and that give a tensor; viewing are those
// that other objects have, too: of an array they give an array.
var (
	making  = set("contiguous", "unsqueeze", "new_empty", "expand_as", "view_as")
	viewing = set("reshape", "view", "detach", "clone")
)

// isTensor reports whether a name surely holds a tensor: its function, or one around
// it, makes one under that name and gives it nothing else.
func (w *Wrapper) isTensor(id syntax.Node) bool {
	made, only := w.tensorsIn(id, map[scopedName]bool{})
	return made && only
}

// maxTensors bounds the names that are looked at for one, and the statements for each:
// what lies beyond is no tensor surely.
const maxTensors = 16

// tensorsIn says of a name whether some statement makes a tensor under it, and whether
// no statement gives it anything else. seen are the names that are being looked at.
func (w *Wrapper) tensorsIn(id syntax.Node, seen map[scopedName]bool) (made, only bool) {
	for owner := Owner(id); owner.Valid(); owner = Owner(owner) {
		k := scopedName{owner, id.Text()}
		if seen[k] {
			return false, true
		}
		seen[k] = true
		if len(seen) > maxTensors || len(w.binds[k]) > maxTensors {
			return false, false
		}
		for _, b := range w.binds[k] {
			switch {
			case b.node.Is("augmented_assignment"):
			case b.index < 0 && b.node.Is("assignment") && w.makesTensor(b.node.Field("right"), seen):
				made = true
			default:
				return false, false
			}
		}
		if made || parameter(owner, id.Text()) {
			return made, true
		}
	}
	return false, false
}

// makesTensor reports whether an expression surely gives a tensor.
func (w *Wrapper) makesTensor(v syntax.Node, seen map[scopedName]bool) bool {
	fn := v.Field("function")
	if !v.Is("call") {
		return false
	}
	if name, ok := strings.CutPrefix(w.Full(fn), "torch."); ok {
		return filling[name] || strings.HasPrefix(name, "empty")
	}
	of := fn.Field("object")
	switch name := syntax.PyName(fn); {
	case !fn.Is("attribute"):
		return false
	case making[name]:
		return true
	case viewing[name] && of.Is("identifier"):
		// What a caller gives and is asked for such a method is a tensor.
		_, only := w.tensorsIn(of, seen)
		return only
	}
	return viewing[syntax.PyName(fn)] && w.makesTensor(of, seen)
}

// named is the object and the name of a method that getattr asks for.
func (w *Wrapper) named(fn syntax.Node) (object syntax.Node, name string, ok bool) {
	if !fn.Is("call") || fn.Field("function").Text() != "getattr" {
		return syntax.Node{}, "", false
	}
	name, ok = w.String(syntax.PyArg(fn, "", 1))
	return syntax.PyArg(fn, "", 0), name, ok
}

func (w *Wrapper) copyAt(n syntax.Node) (Copy, bool) {
	switch n.Kind() {
	case "binary_operator":
		return Copy{Node: n, Kind: Compute, Op: "matmul", Tensor: n.Field("left")}, n.Field("operator").Text() == "@"
	case "assignment", "augmented_assignment":
		return w.overwritten(n)
	}
	fn := n.Field("function")
	full, name := w.Full(fn), syntax.PyName(fn)
	c := Copy{Node: n, Op: name}
	object, asked, computed := w.named(fn)
	if computed {
		full, name = w.Full(object)+"."+asked, asked
		c.Op = name
	}
	if full == "map" {
		// One call for each element.
		module, ok := strings.CutPrefix(w.Full(syntax.PyArg(n, "", 0)), "torch.")
		if !ok {
			return c, false
		}
		c, ok = w.torchCall(c, module)
		if c.Tensor.Valid() {
			c.Tensor = syntax.PyArg(n, "", 1)
		}
		return c, ok
	}
	if fn.Is("call") && w.Full(fn.Field("function")) == "functools.partial" {
		name, ok := strings.CutPrefix(w.Full(syntax.PyArg(fn, "", 0)), "torch.cuda.")
		if !ok {
			return c, false
		}
		return w.torchCall(c, "cuda."+name)
	}
	if module, ok := strings.CutPrefix(full, "torch."); ok {
		return w.torchCall(c, module)
	}
	if full == "copy.deepcopy" {
		c.Kind, c.Op, c.Tensor = Clone, "clone", syntax.PyArg(n, "x", 0)
		return c, c.Tensor.Is("identifier") && w.isTensor(c.Tensor)
	}
	if !fn.Is("attribute") && !computed {
		return c, false
	}
	if c.Tensor = fn.Field("object"); computed {
		c.Tensor = object
	}
	if c.Tensor.Is("identifier") && w.Imports[c.Tensor.Text()] != "" {
		return c, false // a function of another module
	}
	switch {
	case name == "contiguous":
		c.Kind = Contiguous
		if op := w.transposition(c.Tensor, maxHops); op != "" {
			c.Kind, c.Op = Layout, op
		} else if w.expansion(c.Tensor) {
			c.Kind, c.Op = Expand, "expand"
		}
		c.Sometimes = c.Kind != Contiguous && w.sometimes(n, c.Tensor)
	case name == "clone":
		c.Kind = Clone
		if op := w.transposition(c.Tensor, maxHops); op != "" && strings.HasSuffix(w.Full(syntax.PyArg(n, "memory_format", -1)), "contiguous_format") {
			c.Kind, c.Op = Layout, op
		}
	case name == "copy_":
		c.Kind = Move
	case filling[name] && strings.HasPrefix(name, "new_"):
		c.Kind, c.Small = Fill, small(syntax.PyArg(n, "size", 0))
	case overwriting[name]:
		c.Kind = Fill
	case repeating[name]:
		c.Kind = Expand
	case waiting[name]:
		c.Kind = Sync
	case name == "cuda":
		c.Kind = Upload
	case converting[name]:
		return w.conversion(c)
	case computing[name]:
		c.Kind = Compute
	default:
		return c, false
	}
	return c, true
}

// torchCall classifies a call of a function of torch; name is its path there.
func (w *Wrapper) torchCall(c Copy, name string) (Copy, bool) {
	module, last := "", name
	if i := strings.LastIndex(name, "."); i >= 0 {
		module, last = name[:i], name[i+1:]
	}
	c.Op = last
	switch module {
	case "":
	case "nn.functional", "special", "linalg", "fft":
		c.Kind, c.Tensor = Compute, syntax.PyArg(c.Node, "input", 0)
		return c, true
	case "cuda":
		if last == "graph" || last == "CUDAGraph" || last == "make_graphed_callables" {
			c.Kind = Graph
			return c, true
		}
		c.Kind = Sync
		return c, last == "synchronize"
	default:
		return c, false
	}
	c.Tensor = syntax.PyArg(c.Node, "input", 0)
	switch {
	case last == "contiguous", transposing[last], expanding[last], idle[last], capital(last):
		return c, false // views, and names of classes and dtypes
	case last == "clone":
		c.Kind = Clone
	case filling[last]:
		c.Kind, c.Tensor = Fill, syntax.Node{}
		c.Small = !strings.HasSuffix(last, "_like") && last != "arange" && last != "linspace" && last != "eye" && small(syntax.PyArg(c.Node, "size", 0))
	case joining[last]:
		c.Kind = Join
	case repeating[last]:
		c.Kind = Expand
	case last == "tensor" || last == "as_tensor" || last == "from_numpy":
		c.Kind, c.Tensor = Upload, syntax.Node{}
		c.Small = small(syntax.PyArg(c.Node, "data", 0))
		return c, last != "tensor" && last != "as_tensor" || syntax.PyArg(c.Node, "device", -1).Valid()
	default:
		c.Kind = Compute
	}
	return c, true
}

// capital reports whether a name begins with a capital letter, as those of classes.
func capital(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// conversion classifies x.to(..) and its short forms.
func (w *Wrapper) conversion(c Copy) (Copy, bool) {
	c.Kind = Convert
	if c.Op != "to" && c.Op != "type" && c.Op != "type_as" {
		return c, len(c.Node.Field("arguments").NamedChildren()) == 0
	}
	for _, a := range c.Node.Field("arguments").NamedChildren() {
		if a.Is("keyword_argument") {
			if a.Field("name").Text() == "device" {
				c.Kind = Upload
				return c, false // to which device is not known
			}
			a = a.Field("value")
		}
		if s, ok := w.String(a); ok {
			if s == "cpu" {
				c.Kind = Sync
			} else {
				c.Kind = Upload
			}
			return c, true
		}
		full := w.Full(a)
		if strings.HasPrefix(full, "torch.") || strings.HasSuffix(full, ".dtype") {
			return c, true
		}
	}
	return c, c.Op == "type_as"
}

// small reports whether a size is a few literal elements: 1, (1,), [0], ().
func small(size syntax.Node) bool {
	if !size.Valid() {
		return false
	}
	ok := true
	elements := 1
	size.Inspect(func(n syntax.Node) bool {
		switch n.Kind() {
		case "integer":
			if v, good := PyInt(n); good && v > 1 {
				elements *= min(v, 1<<20)
			}
		case "identifier", "attribute":
			ok = false
		case "call":
			// A conversion makes one element: int(x).
			ok = ok && slices.Contains([]string{"int", "float", "bool"}, syntax.PyName(n.Field("function")))
			return false
		}
		return true
	})
	return ok && elements <= 64
}

// transposition names what changes the order of an expression's elements, or
// is empty: x.t(), x.T, x.transpose(1, 2), torch.permute(x, ..), through names,
// views and the branches of a conditional expression.
func (w *Wrapper) transposition(n syntax.Node, hops int) string {
	if hops == 0 {
		return ""
	}
	switch n.Kind() {
	case "parenthesized_expression":
		return w.transposition(n.NamedChild(0), hops)
	case "conditional_expression":
		parts := n.NamedChildren()
		if len(parts) != 3 {
			return ""
		}
		if op := w.transposition(parts[0], hops-1); op != "" {
			return op
		}
		return w.transposition(parts[2], hops-1)
	case "attribute":
		if name := n.Field("attribute").Text(); transposing[name] && len(name) <= 2 && name != "t" {
			return name
		}
	case "call":
		fn := n.Field("function")
		name := syntax.PyName(fn)
		if full := w.Full(fn); strings.HasPrefix(full, "torch.") {
			if transposing[name] {
				return name
			}
			return ""
		}
		if !fn.Is("attribute") {
			return ""
		}
		switch {
		case transposing[name]:
			return name
		case name == "view" || name == "detach" || name == "unsqueeze" || name == "squeeze":
			return w.transposition(fn.Field("object"), hops-1)
		}
	case "identifier":
		return w.transposition(w.Before(n), hops-1)
	}
	return ""
}

// expansion reports whether an expression repeats elements without copying
// them, which contiguous then does.
func (w *Wrapper) expansion(n syntax.Node) bool {
	for range maxHops {
		switch {
		case n.Is("parenthesized_expression"):
			n = n.NamedChild(0)
		case n.Is("identifier"):
			n = w.Before(n)
		case n.Is("call"):
			fn := n.Field("function")
			return expanding[syntax.PyName(fn)] && (fn.Is("attribute") || strings.HasPrefix(w.Full(fn), "torch."))
		default:
			return false
		}
	}
	return false
}

// sometimes reports whether the name that a tensor has at a use got its value
// under a condition that does not hold for the use as well.
func (w *Wrapper) sometimes(use, tensor syntax.Node) bool {
	for range maxHops {
		if !tensor.Is("identifier") {
			return false
		}
		value := w.Before(tensor)
		if cond, ok := Guard(value); ok && !use.Inside(cond.Parent()) {
			return true
		}
		use, tensor = value, value
	}
	return false
}

// Before is the value that the nearest assignment before a use gives to a name
// in the same function; invalid when there is none, or when the name is one of
// several targets.
func (w *Wrapper) Before(id syntax.Node) syntax.Node {
	list := w.binds[scopedName{Owner(id), id.Text()}]
	for i := len(list) - 1; i >= 0; i-- {
		b := list[i]
		if b.node.Span().Start >= id.Span().Start || id.Inside(b.node) {
			continue
		}
		switch {
		case b.index >= 0:
		case b.node.Is("assignment"):
			return b.node.Field("right")
		case b.node.Is("named_expression"):
			return b.node.Field("value")
		}
		return syntax.Node{}
	}
	return syntax.Node{}
}

// Origin is the name that a tensor expression starts from: the parameter or
// local name behind methods, attributes, subscripts and earlier assignments;
// empty when there is none.
func (w *Wrapper) Origin(n syntax.Node) string {
	for range 4 * maxHops {
		switch n.Kind() {
		case "parenthesized_expression":
			n = n.NamedChild(0)
		case "attribute":
			n = n.Field("object")
		case "subscript":
			n = n.Field("value")
		case "conditional_expression":
			n = n.NamedChild(0)
		case "call":
			fn := n.Field("function")
			if strings.HasPrefix(w.Full(fn), "torch.") {
				n = syntax.PyArg(n, "input", 0)
			} else if fn.Is("attribute") {
				n = fn.Field("object")
			} else {
				return ""
			}
		case "identifier":
			if v := w.Before(n); v.Valid() {
				n = v
				continue
			}
			return n.Text()
		default:
			return ""
		}
	}
	return ""
}

// Launches says for each function that launches the kernel where its first
// launch ends: a call of the autotuner, of the library, or of a function of the
// file that launches.
func (w *Wrapper) Launches() map[syntax.Node]int {
	first := map[syntax.Node]int{}
	lib := map[syntax.Node]bool{}
	for _, c := range w.Calls {
		lib[c.Node] = true
	}
	var work []syntax.Node
	add := func(c syntax.Node) {
		owner := Owner(c)
		end, seen := first[owner]
		if !seen || c.Span().End < end {
			first[owner] = c.Span().End
		}
		if !seen {
			work = append(work, owner)
		}
	}
	for _, c := range w.File.Root().Find("call") {
		if lib[c] || syntax.PyName(c.Field("function")) == "autotune_launch" {
			add(c)
		}
	}
	for len(work) > 0 {
		fn := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range w.Callers(fn) {
			add(c)
		}
	}
	return first
}

// Tuned reports whether the wrapper hands its launch to the autotuner, so that
// code outside of what the tuner calls is not hot.
func (w *Wrapper) Tuned() bool {
	return slices.ContainsFunc(w.File.Root().Find("call"), func(c syntax.Node) bool {
		return syntax.PyName(c.Field("function")) == "autotune_launch" && w.graph.reach[Owner(c)] != Unreached
	})
}

// Guard is the nearest condition within the node's function under which the
// node runs, and whether there is one.
func Guard(n syntax.Node) (syntax.Node, bool) {
	owner := Owner(n)
	for c, p := n, n.Parent(); p.Valid() && c != owner; c, p = p, p.Parent() {
		switch p.Kind() {
		case "if_statement", "elif_clause", "while_statement":
			if p.Field("condition") != c && !c.Is("elif_clause", "else_clause") {
				return p.Field("condition"), true
			}
		case "else_clause":
			if cond := p.Parent().Field("condition"); cond.Valid() {
				return cond, true
			}
		case "conditional_expression":
			if parts := p.NamedChildren(); len(parts) == 3 && parts[1] != c {
				return parts[1], true
			}
		case "boolean_operator":
			if p.Field("right") == c {
				return p.Field("left"), true
			}
		}
	}
	return syntax.Node{}, false
}

// LayoutGuarded reports whether a node runs only when a tensor's strides or
// contiguity ask for it.
func (w *Wrapper) LayoutGuarded(n syntax.Node) bool {
	for at := n; ; {
		cond, ok := Guard(at)
		if !ok {
			return false
		}
		if asksLayout(w, cond, 3, map[syntax.Node]int{}) {
			return true
		}
		at = cond.Parent()
	}
}

// asksLayout reports whether a condition asks for strides or contiguity, also
// through names that hold such an answer and functions of the file. What was looked
// through with as many hops left is not looked through again.
func asksLayout(w *Wrapper, cond syntax.Node, hops int, seen map[syntax.Node]int) bool {
	if seen[cond] >= hops {
		return false
	}
	seen[cond] = hops
	found := false
	cond.Inspect(func(n syntax.Node) bool {
		switch n.Kind() {
		case "attribute":
			switch n.Field("attribute").Text() {
			case "is_contiguous", "stride", "strides", "data_ptr", "is_non_overlapping_and_dense":
				found = true
			}
		case "identifier":
			if p := n.Parent(); p.Is("attribute") && p.Field("attribute") == n {
				return true
			}
			if hops == 1 || found {
				return true
			}
			if v := w.Before(n); v.Valid() {
				found = asksLayout(w, v, hops-1, seen)
			} else if fn := w.Function(n); fn.Valid() {
				found = asksLayout(w, fn.Field("body"), 1, seen)
			}
		}
		return !found
	})
	return found
}
