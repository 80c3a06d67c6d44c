package dsl

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// Op is a function of the DSL's core library as cutile 0.2.0 declares it.
type Op struct {
	Name string
	Args int
	// Modes names the module of each static mode argument by position (from 0).
	Modes map[int]string
}

// Ops holds the functions whose arguments rules check, by name. Source: the
// signatures in cutile/src/_core.rs at tag v0.2.0.
var Ops = ops()

func ops() map[string]Op {
	out := map[string]Op{}
	add := func(args int, modes map[int]string, names ...string) {
		for _, n := range names {
			out[n] = Op{n, args, modes}
		}
	}
	add(4, map[int]string{2: "rounding", 3: "ftz"}, "addf", "subf", "mulf", "divf")
	add(5, map[int]string{3: "rounding", 4: "ftz"}, "fma")
	add(4, map[int]string{2: "nan", 3: "ftz"}, "maxf", "minf")
	add(2, map[int]string{1: "ftz"}, "exp2", "rsqrt")
	add(3, map[int]string{1: "rounding", 2: "ftz"}, "sqrt")
	add(1, nil, "exp", "log", "log2", "sin", "cos", "tan", "sinh", "cosh", "tanh", "ceil", "floor", "negf", "absf")
	add(2, nil, "true_div", "remf", "pow", "atan2", "max_tile", "min_tile")
	add(2, map[int]string{1: "rounding"}, "ftof", "ftoi", "itof")
	add(2, map[int]string{1: "overflow"}, "trunci", "negi")
	add(1, nil, "exti")
	add(3, map[int]string{2: "predicate"}, "cmpi")
	add(4, map[int]string{2: "predicate", 3: "cmp_ordering"}, "cmpf")
	add(3, nil, "select", "mmaf")
	add(3, map[int]string{2: "overflow"}, "addi", "subi", "muli", "shli")
	add(3, map[int]string{2: "rounding"}, "divi")
	add(2, nil, "reduce_sum", "reduce_max", "reduce_min", "reduce_prod")
	add(7, map[int]string{1: "ordering"}, "load_ptr_tko")
	add(7, map[int]string{2: "ordering"}, "store_ptr_tko")
	add(6, map[int]string{2: "ordering", 3: "scope", 5: "tma"}, "load_view_tko")
	add(7, map[int]string{3: "ordering", 4: "scope", 6: "tma"}, "store_view_tko_mut")
	add(4, nil, "make_tensor_view")
	add(5, map[int]string{2: "padding", 3: "dim_map"}, "make_partition_view")
	return out
}

// Modes holds the values of each module of static modes in cutile 0.2.0.
var Modes = map[string][]string{
	"rounding":     {"NearestEven", "PositiveInf", "NegativeInf", "Zero", "Approx", "Full"},
	"ftz":          {"Enabled", "Disabled"},
	"nan":          {"Enabled", "Disabled"},
	"overflow":     {"None", "NoSignedWrap", "NoUnsignedWrap", "NoWrap"},
	"predicate":    {"Equal", "NotEqual", "LessThan", "LessThanOrEqual", "GreaterThan", "GreaterThanOrEqual"},
	"cmp_ordering": {"Unordered", "Ordered"},
	"ordering":     {"Weak", "Relaxed", "Acquire", "Release", "AcqRel"},
	"scope":        {"TileBlock", "Device", "System"},
	"tma":          {"Enabled", "Disabled"},
	"padding":      {"None", "Zero", "NegZero", "Nan", "PosInf", "NegInf"},
	"dim_map":      nil, // not closed: permutations are types with parameters
}

// core is the path of the DSL's functions.
const core = "cutile::core"

// Op is the name in the DSL of the function that a call calls, also when it is
// imported under another name or called by a path. It is "" for a method, a name
// that the module defines or imports itself, and a path outside the DSL.
func (f *Func) Op(c Call) string {
	if c.Method() {
		return ""
	}
	path := strings.TrimPrefix(c.Path, "::")
	if !strings.Contains(path, "::") {
		fn := c.Node.Field("function")
		if fn.Is("generic_function") {
			fn = fn.Field("function")
		}
		if f.Module.Func(path) != nil {
			return ""
		}
		if _, local := f.Lookup(fn); local {
			return ""
		}
		return f.unqualified(c.Node, path)
	}
	first, rest, _ := strings.Cut(path, "::")
	switch full, ok := f.Module.imported(c.Node, first); {
	case ok:
		first = full
	case first == "self" && !strings.Contains(rest, "::"):
		if f.Module.Func(rest) != nil {
			return ""
		}
		return f.unqualified(c.Node, rest)
	case first == "core":
		// By a glob: the standard library has no functions there.
		first = core
	}
	if name, ok := strings.CutPrefix(first+"::"+rest, core+"::"); ok && !strings.Contains(name, "::") {
		return name
	}
	return ""
}

// unqualified is the DSL function that a name of the module means at a place.
func (f *Func) unqualified(at syntax.Node, name string) string {
	full, ok := f.Module.imported(at, name)
	if !ok {
		return name // by a glob
	}
	if !strings.HasPrefix(full, "cutile::") {
		return ""
	}
	return last(full)
}

// OpCall reads an expression, parentheses and blocks around it removed, as a
// call of one of the named DSL functions, and gives it that name.
func (f *Func) OpCall(n syntax.Node, names ...string) (Call, bool) {
	c, ok := AsCall(Unparen(n))
	if !ok {
		return c, false
	}
	op := f.Op(c)
	if !slices.Contains(names, op) {
		return c, false
	}
	c.Name = op
	return c, true
}

// OpCalls lists the calls of the named DSL functions at or below a node.
func (f *Func) OpCalls(n syntax.Node, names ...string) []Call {
	var out []Call
	if n == f.Body {
		for _, c := range f.Calls() {
			// An operation has the name that is called, which is quick to see.
			if slices.Contains(names, c.Name) && f.Op(c) != "" {
				out = append(out, c)
			}
		}
		return out
	}
	for _, c := range n.Find("call_expression") {
		if !f.Module.renamed && !slices.Contains(names, syntax.LastSegment(c.Field("function"))) {
			continue
		}
		if call, ok := f.OpCall(c, names...); ok {
			out = append(out, call)
		}
	}
	return out
}

// Mode splits a path such as ftz::Enabled or cutile::core::ftz::Enabled into
// the module of modes and the mode; ok is false for anything else.
func Mode(n syntax.Node) (module, mode string, ok bool) {
	if !n.Is("scoped_identifier") {
		return "", "", false
	}
	segments := strings.Split(n.Squeeze(), "::")
	module, mode = segments[len(segments)-2], segments[len(segments)-1]
	_, ok = Modes[module]
	return module, mode, ok
}

// IsNone reports whether an argument is None, with or without its type.
func IsNone(n syntax.Node) bool {
	return syntax.LastSegment(n) == "None" && n.Is("identifier", "generic_function", "scoped_identifier")
}

// SomeOf is the value x of an argument Some(x).
func SomeOf(n syntax.Node) (syntax.Node, bool) {
	c, ok := AsCall(n)
	if !ok || c.Name != "Some" || len(c.Args) != 1 {
		return syntax.Node{}, false
	}
	return c.Args[0], true
}
