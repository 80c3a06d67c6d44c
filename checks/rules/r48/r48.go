// Package r48 is rule R48: a port keeps what its source means beyond the shape
// that was dumped.
package r48

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R48.
var Rule = &rules.Rule{
	ID: "R48", Title: "The source's meaning is kept beyond the dumped shape",
	Category: "semantics", Owner: "kernel", Severity: rules.Warning, DecidedBy: "cross-file", Fix: "none",
	Signatures: []string{"S-C06", "S-C09"},
	Why:        "IR that was dumped for one shape and tests with small random numbers do not show tails and large values; what the source says about them has to come over by reading it.",
	Triage: []string{
		"Round the count up as the message writes it: `(n + TILE - 1i32) / TILE`, over a view that pads.",
		"Read the reference for `cdiv`, `check_bounds`, `padding_mode` and for what it does with large inputs.",
		"Test a size that no tile divides, and inputs of plus and minus 100.",
		"Write the sigmoid as `1 / (1 + exp(-x))`, which tends to 0 and 1.",
	},
	First: map[string]int{"floor": 0, "tail": 1, "overflow": 3},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts, reference.Facts, reference.Evidence, dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	ref, a := reference.Facts.Of(p), reference.Evidence.Of(p)
	tails, fromAnalysis := tailEvidence(ref, a)
	if w := host.Of(p).Kernel(p.Kernel).Wrapper; tails && w != nil && restricts(w) {
		p.Undecided("the wrapper refuses sizes with a tail")
		tails = false
	}
	evidence := p.Kernel.Reference
	if fromAnalysis {
		evidence = a.Path
	}
	for _, m := range dsl.Modules.Of(p) {
		for _, f := range m.Funcs {
			overflow(p, ref, f)
			if f.Entry != nil && tails {
				floors(p, f, evidence)
				if fromAnalysis {
					noTail(p, f)
				}
			}
		}
	}
}

// hops is how many names a search through definitions follows.
const hops = 6

// quotient is a division with its operands.
type quotient struct{ node, num, den syntax.Node }

// quotients lists the divisions of a function.
func quotients(f *dsl.Func) []quotient {
	var out []quotient
	for _, c := range f.OpCalls(f.Body, "true_div", "divf") {
		if len(c.Args) >= 2 {
			out = append(out, quotient{c.Node, c.Args[0], c.Args[1]})
		}
	}
	for _, n := range f.Body.Find("binary_expression") {
		if l, r, ok := dsl.Binary(n, "/"); ok && f.TypeOf(l).Kind == dsl.Tile {
			out = append(out, quotient{n, l, r})
		}
	}
	return out
}

// overflow warns of e / (1 + e) with e = exp(x) where the reference bounds its
// exponents.
func overflow(p *rules.Pass, ref *reference.File, f *dsl.Func) {
	for _, q := range quotients(f) {
		e, ok := onePlus(f, q.den)
		if !ok || !holds(f, q.num, e) {
			continue
		}
		c, ok := call(f, e, "exp", "exp2")
		if !ok || len(c.Args) == 0 {
			continue
		}
		steps := dsl.Budget(dsl.Steps)
		if !grows(f, c.Args[0], &steps) {
			continue
		}
		if ref == nil {
			p.Undecided("the reference's exponential is not known")
			return
		}
		there, how := bounded(ref)
		if how == "" {
			p.Undecided("the reference's exponents may grow as well")
			return
		}
		p.Reportf(q.node, rules.Warning, "overflow", "`%s` is e / (1 + e) with e = %s of the input, which becomes inf / inf for inputs above about 88; the reference (`%s`, line %d) has `%s`, %s", rules.Source(q.node), c.Name, p.Kernel.Reference, there.Pos().Line, rules.Source(there), how)
	}
}

// onePlus reads 1 + e and gives e.
func onePlus(f *dsl.Func, n syntax.Node) (syntax.Node, bool) {
	n = f.Resolve(n, hops)
	l, r, ok := dsl.Binary(n, "+")
	if c, isCall := f.OpCall(n, "addf"); isCall && len(c.Args) >= 2 {
		l, r, ok = c.Args[0], c.Args[1], true
	}
	switch {
	case !ok:
		return syntax.Node{}, false
	case one(f, l):
		return dsl.Unparen(r), true
	case one(f, r):
		return dsl.Unparen(l), true
	}
	return syntax.Node{}, false
}

// number is the value of the literal that fills a tile, or of a literal itself. A
// sign is no part of a literal: what is known is not negative.
func number(f *dsl.Func, n syntax.Node) (float64, bool) {
	n = f.Resolve(n, hops)
	for range hops {
		c, ok := dsl.AsCall(n)
		switch {
		case ok && slices.Contains([]string{"constant", "broadcast_scalar", "scalar_to_tile", "convert_tile"}, f.Op(c)) && len(c.Args) > 0:
			n = f.Resolve(c.Args[0], hops)
		case ok && c.Method() && (c.Name == "reshape" || c.Name == "broadcast"):
			n = f.Resolve(c.Receiver, hops)
		case n.Is("identifier") && f.Module.Imported[n.Text()]:
			v, ok := named[n.Text()]
			return v, ok
		case n.Is("identifier"):
			item, ok := f.Module.Consts[n.Text()]
			if !ok {
				return 0, false
			}
			n = item.Field("value")
		case n.Is("scoped_identifier"):
			if syntax.LastSegment(n.Field("path")) != "consts" {
				return 0, false
			}
			v, ok := named[syntax.LastSegment(n)]
			return v, ok
		default:
			return literal(n)
		}
	}
	return 0, false
}

// named are constants of the standard library for floating-point numbers.
var named = map[string]float64{
	"LOG2_E": math.Log2E, "LOG10_E": math.Log10E, "LN_2": math.Ln2, "LN_10": math.Ln10, "E": math.E, "PI": math.Pi, "SQRT_2": math.Sqrt2,
}

// literal is the value of a number as Rust writes it, such as 1_000.5f32 or 1e0.
func literal(n syntax.Node) (float64, bool) {
	if !n.Is("float_literal", "integer_literal") {
		return 0, false
	}
	text := strings.ReplaceAll(n.Text(), "_", "")
	for _, suffix := range []string{"f16", "bf16", "f32", "f64", "i32", "i64", "u32", "u64", "usize", "isize"} {
		if rest, ok := strings.CutSuffix(text, suffix); ok {
			text = rest
			break
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

func one(f *dsl.Func, n syntax.Node) bool {
	v, ok := number(f, n)
	return ok && v == 1
}

// call reads an expression, or what a name stands for, as a call.
func call(f *dsl.Func, n syntax.Node, names ...string) (dsl.Call, bool) {
	return f.OpCall(f.Resolve(n, hops), names...)
}

// holds reports whether an expression is a name, or a product with it.
func holds(f *dsl.Func, n, name syntax.Node) bool {
	if !name.Is("identifier") {
		return dsl.Unparen(n).Squeeze() == name.Squeeze()
	}
	target, ok := f.Lookup(name)
	if !ok {
		return false
	}
	steps := dsl.Budget(dsl.Steps)
	var walk func(n syntax.Node) bool
	walk = func(n syntax.Node) bool {
		if n = dsl.Unparen(n); !steps.Spend() {
			return false
		}
		if n.Is("identifier") {
			if b, ok := f.Lookup(n); ok && b.Pattern == target.Pattern {
				return true
			}
			if d := f.Definition(n); d.Valid() {
				return walk(d)
			}
			return false
		}
		if l, r, ok := dsl.Binary(n, "*"); ok {
			return walk(l) || walk(r)
		}
		if c, ok := f.OpCall(n, "mulf"); ok && len(c.Args) >= 2 {
			return walk(c.Args[0]) || walk(c.Args[1])
		}
		return false
	}
	return walk(n)
}

// grows reports whether an expression is the input itself, or the input times
// a positive number: nothing is subtracted, negated, bounded or unknown.
func grows(f *dsl.Func, n syntax.Node, steps *dsl.Budget) bool {
	if n = dsl.Unparen(n); !steps.Spend() {
		return false
	}
	if n.Is("identifier") {
		b, ok := f.Lookup(n)
		if !ok || b.Node.ChildOf("mutable_specifier").Valid() {
			return false
		}
		if d := f.Definition(n); d.Valid() {
			return grows(f, d, steps)
		}
		// A parameter, or the tile of a load.
		if b.Node.Is("let_declaration") {
			c, ok := dsl.AsCall(dsl.Unparen(b.Node.Field("value")))
			return ok && f.Op(c) == "load_ptr_tko"
		}
		return b.Node.Is("parameter")
	}
	product := func(l, r syntax.Node) bool {
		positive := func(n syntax.Node) bool { v, ok := number(f, n); return ok && v > 0 }
		return positive(l) && grows(f, r, steps) || positive(r) && grows(f, l, steps)
	}
	if l, r, ok := dsl.Binary(n, "*"); ok {
		return product(l, r)
	}
	c, ok := dsl.AsCall(n)
	switch {
	case !ok:
		return false
	case c.Method():
		return (c.Name == "reshape" || c.Name == "broadcast") && grows(f, c.Receiver, steps)
	case f.Op(c) == "mulf" && len(c.Args) >= 2:
		return product(c.Args[0], c.Args[1])
	case f.Op(c) == "convert_tile" && len(c.Args) == 1:
		return grows(f, c.Args[0], steps)
	}
	return slices.Contains([]string{"load_view_tko", "load_ptr_tko", "load_tile"}, f.Op(c))
}

// bounded finds an exponential of the reference whose exponent is negated or a
// difference, and says so. It shows what the source means only where no other
// exponential may grow. how is empty when there is none.
func bounded(ref *reference.File) (call syntax.Node, how string) {
	var difference, negation syntax.Node
	for _, c := range ref.Calls("exp", "exp2") {
		arg := c.Arg("x", 0)
		if arg.Is("identifier") {
			if v := ref.Before(arg); v.Valid() {
				arg = v
			}
		}
		minus := false
		negated := false
		arg.Inspect(func(n syntax.Node) bool {
			isMinus := n.Is("unary_operator", "binary_operator") && n.Field("operator").Text() == "-"
			minus = minus || isMinus
			negated = negated || isMinus && n.Is("unary_operator") || n.Is("call") && ref.Name(n.Field("function")) == "negative"
			return !negated
		})
		switch {
		case negated:
			negation = firstOf(negation, c.Node)
		case minus:
			difference = firstOf(difference, c.Node)
		default:
			return syntax.Node{}, "" // it grows as well
		}
	}
	switch {
	case negation.Valid():
		return negation, "whose exponent is negated, so that the quotient becomes 0 where it overflows"
	case difference.Valid():
		return difference, "whose exponent is a difference, which bounds it"
	}
	return syntax.Node{}, ""
}

// firstOf is the first of two nodes that there is.
func firstOf(a, b syntax.Node) syntax.Node {
	if a.Valid() {
		return a
	}
	return b
}

// restricts reports whether a wrapper refuses sizes by a remainder.
func restricts(w *host.Wrapper) bool {
	for _, n := range w.File.Root().Find("if_statement", "assert_statement") {
		cond := n.Field("condition")
		if n.Is("assert_statement") {
			cond = n.NamedChild(0)
		} else if !n.Field("consequence").ChildOf("raise_statement").Valid() {
			continue
		}
		if slices.ContainsFunc(cond.Find("binary_operator"), func(b syntax.Node) bool { return b.Field("operator").Text() == "%" }) {
			return true
		}
	}
	return false
}

// tailNames are names that say that a size need not be a multiple of a tile.
var tailNames = []string{"cdiv", "ceil_div", "next_power_of_2", "check_bounds", "padding_mode", "num_tiles"}

// tailEvidence says whether the source handles tails, and whether it is the
// analysis that says so.
func tailEvidence(ref *reference.File, a *reference.Analysis) (tails, fromAnalysis bool) {
	if a != nil {
		text := strings.ToLower(strings.Join(a.OpsUsed, " "))
		for _, v := range a.Values(func(k string) bool { return strings.Contains(k, "variant") || strings.Contains(k, "condition") }) {
			if s, ok := v.(string); ok {
				text += " " + strings.ToLower(s)
			}
		}
		if text != "" {
			tails = slices.ContainsFunc(tailNames, func(n string) bool { return strings.Contains(text, n) })
			return tails, tails
		}
	}
	if ref == nil {
		return false, false
	}
	if len(ref.Calls("cdiv", "num_tiles")) > 0 {
		return true, false
	}
	return slices.ContainsFunc(ref.Calls("load"), func(c reference.Call) bool { return c.Arg("padding_mode", -1).Valid() }), false
}

// floors warns of view loops whose tile count rounds down. evidence is the file that
// says that the source rounds up.
func floors(p *rules.Pass, f *dsl.Func, evidence string) {
	a := f.AccessOf()
	if a.Tensors == 0 || a.Pointers > 0 {
		return
	}
	shapes := map[string]bool{}
	for _, list := range f.Body.Find("array_expression") {
		if list.Parent().Is("token_tree") || list.Ancestor("type_arguments").Valid() {
			for _, d := range dsl.Dims(list) {
				shapes[d] = true
			}
		}
	}
	seen := map[syntax.Node]bool{}
	for _, loop := range f.Body.Find("for_expression") {
		over := dsl.Unparen(loop.Field("value"))
		if c, ok := dsl.AsCall(over); ok && c.Method() && c.Name == "step_by" {
			over = dsl.Unparen(c.Receiver)
		}
		ends := over.NamedChildren()
		if !over.Is("range_expression") || len(ends) != 2 {
			continue
		}
		all := factors(f, ends[1])
		for _, division := range all {
			n, t, ok := dsl.Binary(division, "/")
			tile := dsl.Unparen(t).Text()
			if !ok || seen[division] || !f.Const(tile) || !shapes[tile] || mentions(f, n, tile) || remainder(f, tile) ||
				slices.ContainsFunc(all, func(o syntax.Node) bool { return dsl.Unparen(o).Text() == tile }) {
				continue
			}
			if f.Resolve(n, 3).Is("integer_literal") {
				continue
			}
			seen[division] = true
			p.Reportf(division, rules.Warning, "floor", "the loop's tile count `%s` rounds down, while the reference (`%s`) rounds up and pads: a size that `%s` does not divide loses its tail; expected `(%s + %s - 1i32) / %s`", rules.Source(division), evidence, tile, rules.Source(dsl.Unparen(n)), tile, tile)
		}
	}
}

// factors are what a loop's end is the product of, through names: one factor
// when it is no product.
func factors(f *dsl.Func, end syntax.Node) []syntax.Node {
	var out []syntax.Node
	steps := dsl.Budget(dsl.Steps)
	var walk func(n syntax.Node, left int)
	walk = func(n syntax.Node, left int) {
		n = f.Resolve(n, 3)
		if l, r, ok := dsl.Binary(n, "*"); ok && left > 0 && steps.Spend() {
			walk(l, left-1)
			walk(r, left-1)
			return
		}
		out = append(out, n)
	}
	walk(end, hops)
	return out
}

// mentions reports whether an expression is made with a name, as one that
// rounds up or is a multiple of it.
func mentions(f *dsl.Func, n syntax.Node, name string) bool {
	steps := dsl.Budget(dsl.Steps)
	var walk func(n syntax.Node, left int) bool
	walk = func(n syntax.Node, left int) bool {
		for _, id := range n.Find("identifier") {
			if !steps.Spend() || id.Text() == name {
				return true
			}
			if d := f.Definition(id); d.Valid() && left > 0 && walk(d, left-1) {
				return true
			}
		}
		return false
	}
	return walk(n, 3)
}

// remainder reports whether a function computes something modulo a tile size.
func remainder(f *dsl.Func, tile string) bool {
	return slices.ContainsFunc(f.Body.Find("binary_expression"), func(n syntax.Node) bool {
		return n.Field("operator").Text() == "%" && dsl.Unparen(n.Field("right")).Text() == tile
	})
}

// noTail warns of an entry that has nothing for tails although the analysis
// says that the source has.
func noTail(p *rules.Pass, f *dsl.Func) {
	if a := f.AccessOf(); a.HandsOverData || a.PointerOps+a.ViewOps == 0 || a.MakesView {
		return
	}
	for _, c := range f.Calls() {
		switch {
		case slices.Contains([]string{"partition", "partition_permuted", "get_index_space_shape", "select", "cmpi", "ceil_div"}, c.Name):
			return
		case (c.Name == "load_ptr_tko" || c.Name == "store_ptr_tko") && slices.ContainsFunc(c.Args, func(n syntax.Node) bool { _, some := dsl.SomeOf(n); return some }):
			return
		}
	}
	for _, n := range f.Body.Find("binary_expression") {
		if l, r, ok := dsl.Binary(n, "/"); ok && mentions(f, l, dsl.Unparen(r).Text()) {
			return
		}
	}
	p.Reportf(f.NameAt, rules.Warning, "tail", "`analysis.json` says that the source handles sizes that no tile divides, but `%s` has no mask, no padded partition and no count that rounds up", f.Name)
}
