package host

import (
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

var (
	// Builtin functions that ask a tensor for its values.
	asking = set("float", "int", "bool", "complex", "print", "str", "repr")
	// Methods of a tensor that give a tensor, whatever their arguments.
	giving = set("contiguous", "view", "reshape", "detach", "t", "transpose", "permute", "unsqueeze", "squeeze", "flatten", "clone",
		"abs", "sum", "mean", "any", "all", "float", "half", "to", "amax", "amin")
)

// reads lists the places where Python always asks a tensor on the device for its
// values without a method of the tensor: float(t), print(t), a condition, a
// formatted text. Such a place waits for the device.
func (w *Wrapper) reads(described map[syntax.Node]map[string]bool) []Copy {
	var out []Copy
	t := tensors{w, described, map[scopedName]bool{}}
	add := func(at, n syntax.Node, op string) {
		if !n.Valid() || !t.is(n, maxHops) || n.Ancestor("raise_statement").Valid() {
			return
		}
		if _, conditional := Guard(at); !conditional {
			out = append(out, Copy{Node: at, Kind: Sync, Op: op, Tensor: n})
		}
	}
	for _, n := range w.File.Root().Find("call", "if_statement", "elif_clause", "while_statement", "assert_statement",
		"conditional_expression", "not_operator", "boolean_operator", "interpolation") {
		switch n.Kind() {
		case "call":
			fn := n.Field("function")
			if !fn.Is("identifier") || !asking[fn.Text()] || w.Imports[fn.Text()] != "" || w.Function(fn).Valid() {
				continue
			}
			for _, a := range syntax.PyArgs(n) {
				if t.is(a, maxHops) {
					add(n, a, fn.Text())
					break
				}
			}
		case "if_statement", "elif_clause", "while_statement":
			add(n.Field("condition"), n.Field("condition"), "bool")
		case "assert_statement":
			add(n.NamedChild(0), n.NamedChild(0), "bool")
		case "conditional_expression":
			if parts := n.NamedChildren(); len(parts) == 3 {
				add(parts[1], parts[1], "bool")
			}
		case "not_operator":
			add(n, n.Field("argument"), "bool")
		case "boolean_operator":
			add(n.Field("left"), n.Field("left"), "bool")
		case "interpolation":
			// The text after a failed assertion is made for it alone.
			if a := n.Ancestor("assert_statement"); !a.Valid() || n.Inside(a.NamedChild(0)) {
				add(n, n.Field("expression"), "format")
			}
		}
	}
	return out
}

// tensors knows which expressions of a file are tensors on the device for sure:
// those that their function describes to the library, asks is_cuda of or
// allocates on a device, and what is made of such a tensor.
type tensors struct {
	w         *Wrapper
	described map[syntax.Node]map[string]bool
	names     map[scopedName]bool // answers; true while one is looked for
}

// name reports whether a name is a tensor wherever it is bound.
func (t tensors) name(id syntax.Node, hops int) bool {
	for owner := Owner(id); owner.Valid() && !owner.Is("module"); owner = Owner(owner) {
		k := scopedName{owner, id.Text()}
		if known, ok := t.names[k]; ok {
			return known
		}
		param, bound := parameter(owner, k.name), t.w.binds[k]
		if !param && len(bound) == 0 {
			continue
		}
		t.names[k] = true
		good := describedIn(owner, t.described)[k.name]
		if !good {
			good = !param || asksCUDA(owner, k.name)
			for _, b := range bound {
				good = good && b.index < 0 && b.node.Is("assignment") && t.is(b.node.Field("right"), hops-1)
			}
		}
		t.names[k] = good
		return good
	}
	return false
}

// is reports whether an expression is a tensor on the device.
func (t tensors) is(n syntax.Node, hops int) bool {
	if hops == 0 || !n.Valid() {
		return false
	}
	of := func(n syntax.Node) bool { return t.is(n, hops-1) }
	switch n.Kind() {
	case "parenthesized_expression":
		return of(n.NamedChild(0))
	case "identifier":
		return t.name(n, hops)
	case "subscript":
		return of(n.Field("value"))
	case "attribute":
		name := n.Field("attribute").Text()
		return (name == "T" || name == "mT" || name == "data") && of(n.Field("object"))
	case "unary_operator":
		return of(n.Field("argument"))
	case "comparison_operator":
		operands := n.NamedChildren()
		for c := range n.Children() {
			if !c.Named() && !strings.Contains("< > <= >= == !=", c.Text()) {
				return false
			}
		}
		if len(operands) != 2 {
			return false
		}
		l, r := operands[0], operands[1]
		left, right := of(l), of(r)
		return left && (right || number(r)) || right && number(l)
	case "call":
		fn := n.Field("function")
		if name, ok := strings.CutPrefix(t.w.Full(fn), "torch."); ok {
			switch {
			case name == "empty_like":
				return of(syntax.PyArg(n, "input", 0))
			case name == "empty" || filling[name]:
				device := syntax.PyArg(n, "device", -1)
				return device.Is("attribute") && device.Field("attribute").Text() == "device" && of(device.Field("object")) ||
					strings.HasPrefix(syntax.PyString(device), "cuda")
			}
			return false
		}
		return fn.Is("attribute") && giving[fn.Field("attribute").Text()] && !moves(n) && of(fn.Field("object"))
	}
	return false
}

// moves reports whether a call of to may give a tensor elsewhere.
func moves(call syntax.Node) bool {
	return syntax.PyName(call.Field("function")) == "to" && len(call.Field("arguments").NamedChildren()) > 0
}

// number reports whether an expression is a number.
func number(n syntax.Node) bool {
	if n.Is("unary_operator") {
		n = n.Field("argument")
	}
	return n.Is("integer", "float")
}

// asksCUDA reports whether a function asks is_cuda of a name that it takes for a
// tensor in all cases.
func asksCUDA(fn syntax.Node, name string) bool {
	asks := false
	for _, a := range fn.Find("attribute") {
		asks = asks || a.Field("attribute").Text() == "is_cuda" && a.Field("object").Text() == name
	}
	if !asks {
		return false
	}
	for _, c := range fn.Find("call") {
		if f := c.Field("function"); f.Text() == "isinstance" && syntax.PyArg(c, "", 0).Text() == name {
			return false
		}
	}
	return true
}
