// Package r14 is rule R14: no associated constants in values of a kernel, and
// no undefined lanes in reductions.
package r14

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R14.
var Rule = &rules.Rule{
	ID: "R14", Title: "No associated constants as padding or value",
	Category: "syntax", Owner: "kernel", Severity: rules.Error, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-J07"},
	Why:        "The kernel compiler evaluates `T::ZERO` and its kin only as the argument of `constant(..)`; as padding or any other value they stop the first launch.",
	Whys: map[string]string{
		"lanes": "Without padding the lanes that a mask leaves out hold anything; a reduction, a product or a sum takes them in, and the result is wrong or differs from run to run.",
	},
	First: map[string]int{"padding": 0, "lanes": 1, "value": 2},
	Triage: []string{
		"Pad with `None::<E>` and keep the mask.",
		"Where the lanes are reduced or multiplied, replace masked lanes with `select(mask, x, zero)`.",
		"Where a tile of the constant is needed, use `constant(E::ZERO, const_shape![..])`.",
	},
	Doc: doc, Pin: "0.2.0", Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

var (
	constant   = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)
	primitives = []string{
		"f16", "bf16", "f32", "f64", "tf32", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "usize", "isize", "bool",
		"f8e4m3fn", "f8e5m2", "f8e8m0fnu", "f4e2m1fn",
	}
	// accepting take the constant as an attribute or may do so.
	accepting = []string{"constant", "reduce", "scan", "scan_sum"}
)

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			fn.Body.Inspect(func(n syntax.Node) bool {
				switch n.Kind() {
				case "const_item", "static_item", "type_arguments":
					return false
				case "scoped_identifier":
					value(p, fn, n)
					return false
				}
				return true
			})
			for _, l := range loads(fn) {
				if sink, ok := l.reaches(false); ok && l.masked() && dsl.IsNone(l.call.Args[4]) {
					p.Reportf(sink, rules.Warning, "lanes", "masked-off lanes of `%s` are undefined (its load on line %d has no padding), and `%s` reads them; put `select(mask, x, zero)` between", l.name.Text(), l.call.Node.Pos().Line, rules.Source(sink))
				}
			}
		}
	}
}

// value reports an associated constant where the compiler does not take one.
func value(p *rules.Pass, fn *dsl.Func, n syntax.Node) {
	typ, ok := owner(fn, n)
	if !ok || n.Ancestor("match_pattern").Inside(fn.Body) {
		return
	}
	if c, ok := argumentOf(n); ok {
		name := n.Field("name").Text()
		if op := fn.Op(c); op == "constant" && integer(typ) && name != "ZERO" && name != "ONE" {
			p.Reportf(n, rules.Error, "value", "`%s` is no constant that `constant(..)` takes; write its value as a literal", n.Squeeze())
			return
		} else if slices.Contains(accepting, op) {
			return
		}
		if c.Name == "Some" {
			if outer, ok := argumentOf(c.Node); ok && fn.Op(outer) == "load_ptr_tko" {
				p.ReportFix(n, rules.Error, "padding", withoutPadding(fn, outer, c, typ), "`%s` pads with an associated constant, which the kernel compiler does not evaluate; use `None::<%s>` with a mask and `select`", c.Node.Squeeze(), typ)
				return
			}
		}
	}
	p.Reportf(n, rules.Error, "value", "`%s` is an associated constant; the kernel compiler takes one only as the argument of `constant(..)`", n.Squeeze())
}

// integer reports whether a type is a primitive integer. Constants of floats
// are rule R2's.
func integer(typ string) bool { return dsl.Type{Kind: dsl.Scalar, Elem: typ}.Int() }

// owner is the type whose constant a path names: a type parameter of the
// function or a primitive.
func owner(fn *dsl.Func, n syntax.Node) (string, bool) {
	path := n.Field("path")
	if path.Is("bracketed_type") {
		path = path.NamedChild(0)
		if path.Is("qualified_type") {
			path = path.Field("type")
		}
	}
	typ := path.Squeeze()
	return typ, constant.MatchString(n.Field("name").Text()) && (fn.TypeParam(typ) || slices.Contains(primitives, typ))
}

// argumentOf is the call that a node is an argument of.
func argumentOf(n syntax.Node) (dsl.Call, bool) {
	p := n.Parent()
	if !p.Is("arguments") {
		return dsl.Call{}, false
	}
	return dsl.AsCall(p.Parent())
}

// withoutPadding is the fix that drops the padding, possible when no masked
// lane of the loaded tile can reach a result.
func withoutPadding(fn *dsl.Func, call, padding dsl.Call, typ string) *rules.Fix {
	for _, l := range loads(fn) {
		if l.call.Node == call.Node && l.masked() {
			if _, bad := l.reaches(true); !bad {
				return rules.Replace(padding.Node, "None::<"+typ+">", "load without padding; the mask keeps the lanes out of the result")
			}
		}
	}
	return nil
}

// load is a pointer load that binds its tile to a name.
type load struct {
	fn   *dsl.Func
	call dsl.Call
	name syntax.Node
}

func loads(fn *dsl.Func) []load {
	var out []load
	for _, c := range fn.OpCalls(fn.Body, "load_ptr_tko") {
		if pattern := fn.PlaceOf(c.Node).Let.Field("pattern"); pattern.Is("tuple_pattern") && len(c.Args) == 7 {
			if name := pattern.NamedChild(0); name.Is("identifier") {
				out = append(out, load{fn, c, name})
			}
		}
	}
	return out
}

func (l load) masked() bool {
	_, ok := dsl.SomeOf(l.call.Args[3])
	return ok
}

// elementwise are the functions whose result has an undefined lane where an
// argument has one.
var elementwise = []string{
	"convert_tile", "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "ceil", "floor",
	"negf", "absf", "addf", "subf", "mulf", "divf", "fma", "true_div", "pow", "maxf", "minf", "max_tile", "min_tile",
	"addi", "subi", "muli", "divi", "exti", "trunci", "ftof", "ftoi", "itof", "permute",
}

// reaches finds a use in which undefined lanes of the loaded tile change a
// result: a reduction, a matrix product or a sum carried through a loop. With
// strict, any use counts that is not known to keep them out.
func (l load) reaches(strict bool) (syntax.Node, bool) {
	tainted := map[syntax.Node]bool{l.name: true}
	for queue := []syntax.Node{l.name}; len(queue) > 0; queue = queue[1:] {
		for _, id := range l.fn.Uses(queue[0]) {
			sink, binds := l.use(id, strict)
			if sink.Valid() {
				return sink, true
			}
			if binds.Valid() && !tainted[binds] {
				tainted[binds] = true
				queue = append(queue, binds)
			}
		}
	}
	return syntax.Node{}, false
}

// use follows one use of an undefined tile to where its value goes: a sink, or
// the pattern of a name that then holds it too.
func (l load) use(n syntax.Node, strict bool) (sink, binds syntax.Node) {
	unknown := func(at syntax.Node) (syntax.Node, syntax.Node) {
		if strict {
			return at, syntax.Node{}
		}
		return syntax.Node{}, syntax.Node{}
	}
	for at, p := n, n.Parent(); p.Valid(); at, p = p, p.Parent() {
		switch p.Kind() {
		case "parenthesized_expression", "unary_expression", "unsafe_block", "reference_expression", "arguments", "field_expression":
		case "block":
			if at.Next().Valid() && !at.Next().Is("}") {
				return unknown(p)
			}
		case "expression_statement":
			if strings.HasSuffix(p.Text(), ";") {
				return unknown(p)
			}
		case "binary_expression":
			if op := p.Field("operator").Text(); strings.ContainsAny(op, "<>=&|") {
				return unknown(p)
			}
		case "call_expression":
			c, ok := dsl.AsCall(p)
			if !ok {
				return unknown(p)
			}
			switch op := l.fn.Op(c); {
			case c.Method():
				if at != p.Field("function") || c.Name != "reshape" && c.Name != "broadcast" {
					return unknown(p)
				}
			case op == "select" && l.takes(c, n):
			case op == "select":
				return syntax.Node{}, syntax.Node{}
			case strings.HasPrefix(op, "reduce_") || op == "mmaf" || op == "mma":
				return p, syntax.Node{}
			case op == "store_ptr_tko" && len(c.Args) == 7 && c.Args[4].Squeeze() == l.call.Args[3].Squeeze():
				return syntax.Node{}, syntax.Node{}
			case !slices.Contains(elementwise, op):
				return unknown(p)
			}
		case "let_declaration":
			if pattern := p.Field("pattern"); pattern.Is("identifier") && at == p.Field("value") {
				return syntax.Node{}, pattern
			}
			return unknown(p)
		case "assignment_expression", "compound_assignment_expr":
			left := p.Field("left")
			b, ok := l.fn.Lookup(left)
			if !left.Is("identifier") || !ok || at == left {
				return unknown(p)
			}
			if l.carried(p, b) {
				return p, syntax.Node{}
			}
			return syntax.Node{}, b.Pattern
		default:
			return unknown(p)
		}
	}
	return syntax.Node{}, syntax.Node{}
}

// takes reports whether a select always gives back the argument that a node stands
// in, since its mask is the same for all lanes.
func (l load) takes(c dsl.Call, n syntax.Node) bool {
	if len(c.Args) != 3 {
		return false
	}
	switch l.uniform(c.Args[0], maxHops) {
	case "true":
		return n.Inside(c.Args[1])
	case "false":
		return n.Inside(c.Args[2])
	}
	return false
}

// maxHops bounds how many names of a mask are followed.
const maxHops = 8

// uniform is the literal that all lanes of a mask are; empty when that is not known.
func (l load) uniform(mask syntax.Node, hops int) string {
	mask = dsl.Unparen(mask)
	if hops == 0 {
		return ""
	}
	if mask.Is("identifier") {
		b, ok := l.fn.Lookup(mask)
		if !ok || !b.Node.Is("let_declaration") || !b.Node.Field("pattern").Is("identifier") || b.Node.ChildOf("mutable_specifier").Valid() {
			return ""
		}
		return l.uniform(b.Node.Field("value"), hops-1)
	}
	c, ok := dsl.AsCall(mask)
	switch op := l.fn.Op(c); {
	case ok && c.Method() && (c.Name == "reshape" || c.Name == "broadcast"):
		return l.uniform(c.Receiver, hops-1)
	case ok && len(c.Args) == 2 && (op == "constant" || op == "broadcast_scalar"):
		return dsl.Unparen(c.Args[0]).Text()
	}
	return ""
}

// carried reports whether an assignment adds to a name from outside the loop in
// which the load's mask is computed, so that lanes which one turn masks off
// meet others in the sum. With a mask from outside the loop each lane stays
// masked in every turn.
func (l load) carried(assign syntax.Node, b dsl.Binding) bool {
	loop := assign.Ancestor("for_expression", "while_expression", "loop_expression")
	if !loop.Valid() || b.Pattern.Inside(loop) {
		return false
	}
	mask, _ := dsl.SomeOf(l.call.Args[3])
	computed, ok := l.fn.Lookup(mask)
	if !ok || !computed.Pattern.Inside(loop) {
		return false
	}
	if assign.Is("compound_assignment_expr") {
		return true
	}
	for _, id := range assign.Field("right").Find("identifier") {
		if o, ok := l.fn.Lookup(id); ok && o.Pattern == b.Pattern {
			return true
		}
	}
	return false
}
