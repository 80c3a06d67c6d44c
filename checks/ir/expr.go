package ir

import (
	"math"
	"strconv"
	"strings"
)

// expr is how an integer value is computed, as far as it is understood. It
// looks through assumptions, conversions and shapes, so that one computation
// written in two ways is one expression.
type expr struct {
	op    string // const, argument, block, grid, counter, add, sub, mul, div, ceildiv, mod, min, max, cmp or unknown
	k     int64  // a constant's value, a dimension, a loop
	args  []*expr
	form  string // how it was written, where there are several ways
	known bool   // of a cmp: it is "less than" or "greater than"
	facts facts
}

// facts are what an expression is made of.
type facts uint8

const (
	fromBlock   facts = 1 << iota // the block's number
	fromRuntime                   // something that is not constant
	hasCeil                       // a division that rounds up
	hasFloor                      // a division that rounds down or to zero
	hasMin
	blockDiv // a division of the block's number
	signed   // a part that may be negative
)

var unknownExpr = &expr{op: "unknown", facts: fromRuntime | signed}

// The ways to write what may be written in several.
const (
	ceilRounded = "divi rounding<positive_inf>"
	ceilIndex   = "get_index_space_shape"
	ceilByHand  = "(a + b - 1) / b"
	minOp       = "mini or maxi"
	minBranch   = "if or select"
	modPlain    = "remi"
	modFloor    = "remi with a correction of the sign"
)

// exprs holds the expressions of an entry's operations, by operation and result.
type exprs struct {
	e     *side
	at    [][]*expr
	yield map[int][2]*expr // of an if: what both branches give
	forms found            // what is written in each form
	now   int              // the operation that is looked at
	// counters are the expressions of the loops' counters.
	counters map[int]*expr
	// swizzle finds where blocks are numbered in groups.
	swizzle found
	// floorMod says that the sign of a remainder is corrected where a part may be negative.
	floorMod bool
}

func (x *exprs) of(v Value) *expr {
	switch v.from {
	case argument:
		return &expr{op: "argument", k: int64(v.n), facts: fromRuntime | signed}
	case result:
		if v.op < len(x.at) && v.n < len(x.at[v.op]) {
			return x.at[v.op][v.n]
		}
	case induction:
		if x.counters[v.op] == nil {
			x.counters[v.op] = unknownExpr // a damaged loop may run to its own counter
			x.counters[v.op] = x.counter(v.op)
		}
		return x.counters[v.op]
	}
	return unknownExpr
}

// counter is the counter of a loop. One that starts at the block's number and
// steps by the grid is the number of a block that is done later.
func (x *exprs) counter(i int) *expr {
	l := x.loop(i)
	e := &expr{op: "counter", k: int64(i), facts: fromRuntime}
	switch {
	case l.lower == nil || l.lower.facts&signed != 0:
		e.facts |= signed
	case l.persistent():
		return l.lower
	}
	return e
}

// bounds are those of a counted loop.
type bounds struct {
	op                 int
	lower, upper, step *expr
}

// persistent reports whether a loop goes over the blocks that the grid has not.
func (b bounds) persistent() bool {
	return b.lower != nil && b.lower.facts&fromBlock != 0 && b.step.op == "grid"
}

func (x *exprs) loop(i int) bounds {
	if op := x.e.Ops[i]; op.Name == "for" && len(op.operands) >= 3 {
		return bounds{i, x.of(op.operands[0]), x.of(op.operands[1]), x.of(op.operands[2])}
	}
	return bounds{op: i}
}

// evaluate finds the expressions of all operations, in one pass.
func evaluate(s *side) *exprs {
	x := &exprs{e: s, at: make([][]*expr, len(s.Ops)), yield: map[int][2]*expr{}, counters: map[int]*expr{}}
	for i, op := range s.Ops {
		x.now = i
		x.at[i] = x.results(i, op)
		if op.Name == "yield" && op.parent >= 0 && s.Ops[op.parent].Name == "if" && len(op.operands) == 1 && op.region < 2 {
			b := x.yield[op.parent]
			b[op.region] = x.of(op.operands[0])
			x.yield[op.parent] = b
			if b[0] != nil && b[1] != nil && len(s.Ops[op.parent].operands) > 0 {
				x.now = op.parent
				x.at[op.parent] = []*expr{x.choose(x.of(s.Ops[op.parent].operands[0]), b[0], b[1])}
			}
		}
	}
	return x
}

func (x *exprs) results(i int, op Op) []*expr {
	arg := func(n int) *expr {
		if n < len(op.operands) {
			return x.of(op.operands[n])
		}
		return unknownExpr
	}
	h := &x.e.heads[i]
	switch op.Name {
	case "constant":
		if k, ok := integer(h.first("value", "dense")); ok {
			return one(constant(k))
		}
	case "assume":
		e := arg(0)
		if b, ok := h.attrs["bounded"]; ok && e.facts&signed != 0 && e != unknownExpr {
			if k, _, _ := strings.Cut(b, ","); k != "" && digit(k[0]) {
				positive := *e
				positive.facts &^= signed
				e = &positive
			}
		}
		return one(e)
	case "exti", "trunci", "reshape", "broadcast", "bitcast":
		return one(arg(0))
	case "get_tile_block_id", "get_num_tile_blocks":
		name, f := "block", fromBlock|fromRuntime
		if op.Name == "get_num_tile_blocks" {
			name, f = "grid", fromRuntime
		}
		return []*expr{{op: name, k: 0, facts: f}, {op: name, k: 1, facts: f}, {op: name, k: 2, facts: f}}
	case "get_tensor_shape", "get_index_space_shape":
		return x.sizes(op, h)
	case "addi":
		return one(x.add(arg(0), arg(1)))
	case "subi":
		return one(fold("sub", arg(0), arg(1), func(a, b int64) (int64, bool) { return a - b, true }))
	case "muli":
		return one(fold("mul", arg(0), arg(1), func(a, b int64) (int64, bool) { return a * b, true }))
	case "divi":
		return one(x.divide(h, arg(0), arg(1)))
	case "remi":
		e := fold("mod", arg(0), arg(1), func(a, b int64) (int64, bool) { return a % max(b, 1), b > 0 })
		e.form = modPlain
		return one(e)
	case "mini", "maxi":
		return one(x.extreme(op.Name[:3], minOp, arg(0), arg(1)))
	case "cmpi":
		e := combine("cmp", arg(0), arg(1))
		e.known = h.has("less_than") || h.has("less_than_or_equal")
		e.k = 1
		if h.has("greater_than") || h.has("greater_than_or_equal") {
			e.known, e.k = true, -1
		}
		return one(e)
	case "select":
		return one(x.choose(arg(0), arg(1), arg(2)))
	}
	return nil
}

func one(e *expr) []*expr { return []*expr{e} }

func constant(k int64) *expr {
	e := &expr{op: "const", k: k}
	if k < 0 {
		e.facts = signed
	}
	return e
}

// combine makes an expression of two.
func combine(op string, a, b *expr) *expr {
	return &expr{op: op, args: []*expr{a, b}, facts: a.facts | b.facts}
}

// fold computes what is constant.
func fold(op string, a, b *expr, f func(a, b int64) (int64, bool)) *expr {
	if a.op == "const" && b.op == "const" && within(a.k) && within(b.k) {
		if k, ok := f(a.k, b.k); ok {
			return constant(k)
		}
	}
	e := combine(op, a, b)
	if op == "sub" {
		e.facts |= signed
	}
	return e
}

// within keeps products inside of 64 bits.
func within(k int64) bool { return k > math.MinInt32 && k < math.MaxInt32 }

func (x *exprs) add(a, b *expr) *expr {
	for _, p := range [][2]*expr{{a, b}, {b, a}} {
		if p[0].op == "mul" && p[0].facts&blockDiv != 0 && p[1].op == "mod" && p[1].args[0].facts&fromBlock != 0 && grouped(p[0], p[1].args[1]) {
			x.swizzle.add(x.now, "in groups")
		}
	}
	return fold("add", a, b, func(a, b int64) (int64, bool) { return a + b, true })
}

// grouped reports whether the first block of a group, which is a multiple of
// block / n, goes with a remainder by the group's size: a minimum, or the factor
// of the multiple when n is another number.
func grouped(first, size *expr) bool {
	if size.facts&hasMin != 0 {
		return true
	}
	for i, d := range first.args {
		if d.op == "div" && same(first.args[1-i], size) && !same(d.args[1], size) {
			return true
		}
	}
	return false
}

func (x *exprs) divide(h *head, a, b *expr) *expr {
	if h.first("rounding") == "positive_inf" {
		return x.ceil(ceilRounded, a, b)
	}
	if n := rounded(a, b); n != nil {
		return x.ceil(ceilByHand, n, b)
	}
	e := fold("div", a, b, func(a, b int64) (int64, bool) { return a / max(b, 1), b > 0 && a >= 0 })
	if e.op == "const" {
		return e
	}
	e.facts |= hasFloor
	if a.facts&fromBlock != 0 {
		e.facts |= blockDiv
	}
	return e
}

func (x *exprs) ceil(form string, a, b *expr) *expr {
	x.forms.add(x.now, form)
	e := fold("ceildiv", a, b, func(a, b int64) (int64, bool) { return (a + b - 1) / max(b, 1), b > 0 && a >= 0 })
	if e.op != "const" {
		e.facts = e.facts&^hasFloor | hasCeil
		e.form = form
	}
	return e
}

// rounded is n when a is n + b - 1 in any order.
func rounded(a, b *expr) *expr {
	less := func(e *expr) bool { // e is b - 1
		return b.op == "const" && e.op == "const" && e.k == b.k-1 && b.k > 1 || e.op == "sub" && isConst(e.args[1], 1) && same(e.args[0], b)
	}
	switch a.op {
	case "add":
		for i, e := range a.args {
			switch other := a.args[1-i]; {
			case less(e):
				return other
			case isConst(e, -1) && other.op == "add":
				for j := range other.args {
					if same(other.args[j], b) {
						return other.args[1-j]
					}
				}
			case e.op == "sub" && isConst(e.args[1], 1) && same(other, b):
				return e.args[0] // (n - 1) + b
			}
		}
	case "sub":
		if sum := a.args[0]; isConst(a.args[1], 1) && sum.op == "add" {
			for i := range sum.args {
				if same(sum.args[i], b) {
					return sum.args[1-i]
				}
			}
		}
	}
	return nil
}

func isConst(e *expr, k int64) bool { return e.op == "const" && e.k == k }

// same reports whether two expressions are one, as far as a short look tells.
func same(a, b *expr) bool { return sameTo(a, b, 4) }

func sameTo(a, b *expr, depth int) bool {
	if a == b {
		return a != unknownExpr
	}
	if depth == 0 || a.op != b.op || a.op == "unknown" || a.k != b.k || len(a.args) != len(b.args) {
		return false
	}
	for i := range a.args {
		if !sameTo(a.args[i], b.args[i], depth-1) {
			return false
		}
	}
	return true
}

// sizes are the results of get_tensor_shape and get_index_space_shape.
func (x *exprs) sizes(op Op, h *head) []*expr {
	var out []*expr
	var t typ
	if len(h.in) > 0 {
		t = parseType(h.in[0])
	}
	tile, _ := dimensions(strings.Trim(t.attrs["tile"], "()") + "x")
	for i := range min(op.results, 16) {
		n := &expr{op: "size", k: int64(i), facts: fromRuntime}
		if op.Name == "get_index_space_shape" {
			b := unknownExpr
			if i < len(tile) {
				if k, err := strconv.ParseInt(tile[i], 10, 64); err == nil {
					b = constant(k)
				}
			}
			n = x.ceil(ceilIndex, n, b)
		}
		out = append(out, n)
	}
	return out
}

func (x *exprs) extreme(op, form string, a, b *expr) *expr {
	x.forms.add(x.now, op+" by "+form)
	e := combine(op, a, b)
	e.form = form
	if op == "min" {
		e.facts |= hasMin
	}
	return e
}

// choose is a select or an if with results: a minimum, a maximum, a remainder
// whose sign is corrected, or something else.
func (x *exprs) choose(cond, yes, no *expr) *expr {
	for _, p := range [][2]*expr{{yes, no}, {no, yes}} {
		if rem := p[1]; rem.op == "mod" && rem.form == modPlain && p[0].op == "add" && (p[0].args[0] == rem || p[0].args[1] == rem) {
			e := *rem
			e.form = modFloor
			x.forms.add(x.now, modFloor)
			if rem.args[0].facts&signed != 0 {
				x.floorMod = true
			}
			return &e
		}
	}
	if cond.op == "cmp" && cond.known {
		less, a, b := cond.k > 0, cond.args[0], cond.args[1]
		switch {
		case same(a, yes) && same(b, no):
			return x.extreme(pick(less, "min", "max"), minBranch, a, b)
		case same(a, no) && same(b, yes):
			return x.extreme(pick(less, "max", "min"), minBranch, a, b)
		}
	}
	e := combine("unknown", yes, no)
	e.args = nil
	return e
}

func pick(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

// integer reads the value of a constant: "i32:5".
func integer(s string) (int64, bool) {
	kind, v, ok := strings.Cut(s, ":")
	if !ok {
		v = s
	} else if !strings.HasPrefix(kind, "i") {
		return 0, false
	}
	k, err := strconv.ParseInt(v, 0, 64)
	return k, err == nil
}
