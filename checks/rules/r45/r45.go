// Package r45 is rule R45: tiled loops of pointer kernels round up and mask the
// tail.
package r45

import (
	_ "embed"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R45.
var Rule = &rules.Rule{
	ID: "R45", Title: "Pointer loops round up and mask the tail",
	Category: "performance", Owner: "kernel", Severity: rules.Error, DecidedBy: "cross-file", Fix: "safe",
	Signatures: []string{"S-C06", "S-C07", "S-R06"},
	Why:        "A tile count that rounds down drops the last, partial tile; a load without a mask reads past the end of the row.",
	Triage: []string{
		"Compute the count as `(n + TILE - 1i32) / TILE`.",
		"Mask each load and store with `cmpi(col, n_b, predicate::LessThan)`.",
		"Where masked lanes are summed, `select` zero for them.",
		"Test with a size that the tile does not divide.",
	},
	First: map[string]int{"mask": 1, "floor": 0},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

// hops is how many names the chain from a loop's bound to its division has at
// most.
const hops = 3

func run(p *rules.Pass) {
	tails, where := tailEvidence(p)
	if tails == none {
		return
	}
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Entries() {
			a := fn.AccessOf()
			if a.Pointers == 0 {
				continue
			}
			s := newSizes(fn)
			s.floors(p, a)
			if tails == seen {
				s.maskless(p, where)
			}
		}
	}
}

// sizes is what is asked of one function many times.
type sizes struct {
	fn *dsl.Func
	// shapes holds the names that stand in shapes.
	shapes map[string]bool
	// modulo holds the names that are the right side of a remainder.
	modulo map[string]bool
	// products holds, by name of a factor, the other factors and the lets that
	// bind them.
	products map[string]map[syntax.Node]bool
}

func newSizes(fn *dsl.Func) *sizes {
	s := &sizes{fn, map[string]bool{}, map[string]bool{}, map[string]map[syntax.Node]bool{}}
	for _, list := range fn.Body.Find("array_expression") {
		p := list.Parent()
		if p.Is("token_tree") || p.Is("block", "expression_statement") && list.Ancestor("type_arguments").Valid() {
			for _, d := range dsl.Dims(list) {
				s.shapes[d] = true
			}
		}
	}
	for _, b := range fn.Body.Find("binary_expression") {
		l, r := dsl.Unparen(b.Field("left")), dsl.Unparen(b.Field("right"))
		switch b.Field("operator").Text() {
		case "%":
			if r.Is("identifier") {
				s.modulo[r.Text()] = true
			}
		case "*":
			s.product(l, r)
			s.product(r, l)
		}
	}
	return s
}

func (s *sizes) product(factor, other syntax.Node) {
	if !factor.Is("identifier") || !other.Valid() {
		return
	}
	m := s.products[factor.Text()]
	if m == nil {
		m = map[syntax.Node]bool{}
		s.products[factor.Text()] = m
	}
	m[other] = true
	if other.Is("identifier") {
		if b, ok := s.fn.Lookup(other); ok {
			m[b.Node] = true
		}
	}
}

// floors reports the divisions that round down a loop's bound.
func (s *sizes) floors(p *rules.Pass, a dsl.Access) {
	fn := s.fn
	bodies := map[syntax.Node][]syntax.Node{}
	var order []syntax.Node
	for _, loop := range fn.Body.Find("for_expression") {
		onlyPointers := a.Tensors == 0 && a.ViewOps == 0 && !a.MakesView && a.PointerOps > 0
		if !onlyPointers && len(fn.OpCalls(loop.Field("body"), "load_ptr_tko", "store_ptr_tko")) == 0 {
			continue
		}
		if division := s.bound(loop); division.Valid() {
			if bodies[division] == nil {
				order = append(order, division)
			}
			bodies[division] = append(bodies[division], loop.Field("body"))
		}
	}
	for _, division := range order {
		n, tile, _ := dsl.Binary(division, "/")
		tile = dsl.Unparen(tile)
		if s.handled(division, tile.Text()) {
			p.Undecided("the tail may be handled apart from the loop")
			continue
		}
		p.ReportFix(division, rules.Error, "floor", roundUp(fn, division, n, tile, bodies[division]),
			"the loop's tile count `%s` rounds down, so the last partial tile is skipped; write `(%s + %s - 1i32) / %s`", rules.Source(division), rules.Source(dsl.Unparen(n)), tile.Text(), tile.Text())
	}
}

// bound is the division by a tile size that a loop's end comes from, when it
// rounds down; invalid otherwise.
func (s *sizes) bound(loop syntax.Node) syntax.Node {
	fn := s.fn
	over := dsl.Unparen(loop.Field("value"))
	if c, ok := dsl.AsCall(over); ok && c.Name == "step_by" && c.Method() {
		over = dsl.Unparen(c.Receiver)
	}
	ends := over.NamedChildren()
	if !over.Is("range_expression") || len(ends) != 2 {
		return syntax.Node{}
	}
	division := fn.Resolve(ends[1], hops)
	n, tile, ok := dsl.Binary(division, "/")
	b := dsl.Unparen(tile).Text()
	// A tile size is a const generic that stands in a shape.
	if !ok || !fn.Const(b) || !s.shapes[b] || fn.Resolve(n, hops).Is("integer_literal") {
		return syntax.Node{}
	}
	if roundsUp(fn, n, b) || multiple(fn, n, b) {
		return syntax.Node{}
	}
	return division
}

// roundsUp reports whether a numerator adds the tile size and takes one away.
func roundsUp(fn *dsl.Func, n syntax.Node, tile string) bool {
	plusTile, minusOne := false, false
	steps := dsl.Budget(dsl.Steps)
	var walk func(n syntax.Node, negative bool, left int)
	walk = func(n syntax.Node, negative bool, left int) {
		if !steps.Spend() {
			plusTile, minusOne = true, true // unknown: take it as right
			return
		}
		if t := dsl.Unparen(n); !t.Is("identifier") || t.Text() != tile {
			n = fn.Resolve(n, left)
		} else {
			n = t
		}
		if l, r, ok := dsl.Binary(n, "+"); ok {
			walk(l, negative, left-1)
			walk(r, negative, left-1)
			return
		}
		if l, r, ok := dsl.Binary(n, "-"); ok {
			walk(l, negative, left-1)
			walk(r, !negative, left-1)
			return
		}
		switch {
		case n.Is("identifier") && n.Text() == tile && !negative:
			plusTile = true
		case n.Is("integer_literal") && strings.TrimRight(strings.TrimSuffix(n.Text(), "i32"), "_") == "1" && negative:
			minusOne = true
		}
	}
	walk(n, false, hops)
	return plusTile && minusOne
}

// multiple reports whether a numerator is a product with the tile size, which
// divides without a rest.
func multiple(fn *dsl.Func, n syntax.Node, tile string) bool {
	l, r, ok := dsl.Binary(fn.Resolve(n, hops), "*")
	return ok && (dsl.Unparen(l).Text() == tile || dsl.Unparen(r).Text() == tile)
}

// handled reports whether the function computes a rest: something modulo the
// tile size, or the covered length as count times tile size.
func (s *sizes) handled(division syntax.Node, tile string) bool {
	count := division.Parent()
	for count.Is("parenthesized_expression") {
		count = count.Parent()
	}
	m := s.products[tile]
	return s.modulo[tile] || m[division] || count.Is("let_declaration") && m[count]
}

// roundUp is the fix, possible when numerator and tile size are an i32 constant
// or parameter each and every access in the loops has a mask.
func roundUp(fn *dsl.Func, division, n, tile syntax.Node, bodies []syntax.Node) *rules.Fix {
	n = dsl.Unparen(n)
	b, ok := fn.Lookup(n)
	if !n.Is("identifier") || !ok || !b.Node.Is("parameter", "const_parameter") || fn.TypeOf(n).Elem != "i32" || dsl.HasComment(division) {
		return nil
	}
	for _, body := range bodies {
		for _, c := range fn.OpCalls(body, "load_ptr_tko", "store_ptr_tko") {
			i := 3
			if c.Name == "store_ptr_tko" {
				i = 4
			}
			if len(c.Args) != 7 {
				return nil
			}
			if _, masked := dsl.SomeOf(c.Args[i]); !masked {
				return nil
			}
		}
	}
	return rules.Replace(division.Field("left"), "("+n.Text()+" + "+tile.Text()+" - 1i32)", "round the tile count up")
}

// maskless reports loads and stores of whole tiles of lanes without a mask. where is
// the file that shows tails.
func (s *sizes) maskless(p *rules.Pass, where string) {
	fn := s.fn
	for _, c := range fn.OpCalls(fn.Body, "load_ptr_tko", "store_ptr_tko") {
		mask, what := 3, "load reads"
		if c.Name == "store_ptr_tko" {
			mask, what = 4, "store writes"
		}
		if len(c.Args) != 7 || !dsl.IsNone(fn.Resolve(c.Args[mask], 4)) {
			continue
		}
		t := fn.TypeOf(c.Args[0])
		tile := ""
		for _, d := range t.Shape {
			if fn.Const(d) {
				tile = d
			}
		}
		steps := dsl.Budget(dsl.Steps)
		if t.Kind != dsl.PointerTile || tile == "" || !lanes(fn, c.Args[0], &steps) {
			p.Undecided("the lanes of an access without a mask are unknown")
			continue
		}
		if s.handled(syntax.Node{}, tile) || branched(fn, c) {
			p.Undecided("the tail may be handled apart")
			continue
		}
		p.Reportf(c.Args[mask], rules.Warning, "mask", "this %s `%s` lanes without a mask, while the reference (`%s`) rounds its tiles up or checks bounds; mask the lanes past the end", what, strings.Join(t.Shape, " x "), where)
	}
}

// lanes reports whether a pointer or offset spans a tile's lanes: it comes from
// iota.
func lanes(fn *dsl.Func, n syntax.Node, steps *dsl.Budget) bool {
	if !steps.Spend() {
		return false
	}
	n = fn.Resolve(n, 1)
	if n.Is("binary_expression") {
		return lanes(fn, n.Field("left"), steps) || lanes(fn, n.Field("right"), steps)
	}
	if n.Is("identifier") {
		if d := fn.Definition(n); d.Valid() {
			return lanes(fn, d, steps)
		}
		return false
	}
	c, ok := dsl.AsCall(n)
	if !ok {
		return false
	}
	if fn.Op(c) == "iota" {
		return true
	}
	if c.Method() && lanes(fn, c.Receiver, steps) {
		return true
	}
	return slices.ContainsFunc(c.Args, func(a syntax.Node) bool { return lanes(fn, a, steps) })
}

// branched reports whether an access stands in an if whose other branch has one
// too, as full tiles and the last one do.
func branched(fn *dsl.Func, c dsl.Call) bool {
	for at, cond := c.Node, c.Node.Ancestor("if_expression"); cond.Valid(); cond = cond.Ancestor("if_expression") {
		other := cond.Field("alternative")
		if at.Inside(other) {
			other = cond.Field("consequence")
		}
		if len(fn.OpCalls(other, c.Name)) > 0 {
			return true
		}
	}
	return false
}

// evidence is what the sources say about tails.
type evidence uint8

const (
	unknown evidence = iota
	none             // the analysis lists the operations, and none makes a tail
	seen
)

var tailNames = []string{"cdiv", "ceil_div", "next_power_of_2", "check_bounds"}

// tailEvidence reads the analysis of the reference, else the reference itself, and
// tells which.
func tailEvidence(p *rules.Pass) (says evidence, where string) {
	analysis := path.Join(p.Kernel.Dir, "reference/analysis.json")
	if src, err := p.Tree.Bytes(analysis); err == nil {
		var a struct {
			Ops []string `json:"ops_used"`
		}
		if json.Unmarshal(src, &a) == nil && len(a.Ops) > 0 {
			text := strings.Join(a.Ops, " ")
			if slices.ContainsFunc(tailNames, func(n string) bool { return strings.Contains(text, n) }) {
				return seen, analysis
			}
			return none, analysis
		}
	}
	for _, c := range p.Tree.File(p.Kernel.Reference).Root().Find("call") {
		switch name := syntax.PyName(c.Field("function")); name {
		case "cdiv", "ceil_div", "next_power_of_2":
			return seen, p.Kernel.Reference
		case "gather", "scatter":
			if syntax.PyDotted(c.Field("function")) == "ct."+name && !syntax.PyArg(c, "check_bounds", -1).Is("false") {
				return seen, p.Kernel.Reference
			}
		}
	}
	return unknown, ""
}
