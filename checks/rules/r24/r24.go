// Package r24 is rule R24: tiles carried out of nested loops are assigned, not
// shadowed.
package r24

import (
	_ "embed"
	"slices"
	"sort"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R24.
var Rule = &rules.Rule{
	ID: "R24", Title: "Carried tiles are assigned, not shadowed",
	Category: "syntax", Owner: "kernel", Severity: rules.Warning, DecidedBy: "syntax", Fix: "suggest",
	Signatures: []string{"S-C07", "S-J08"},
	Why:        "A `let` inside a loop makes a new tile that ends with the iteration; the one read after the loop still has its first value.",
	Whys: map[string]string{
		"closure": "Loops and branches carry what their own body assigns; an assignment in a closure changes nothing that is read after them.",
	},
	First: map[string]int{"closure": 2, "shadow": 0},
	Triage: []string{
		"Turn the inner `let x: T = ..` into `x = ..`.",
		"Compare the loop's yielded values in both IR files.",
		"Assign the tile in the body itself instead of in a closure.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			carried := map[syntax.Node][]dsl.Assignment{}
			for _, a := range fn.Assignments(fn.Body) {
				carried[a.Binding.Pattern] = append(carried[a.Binding.Pattern], a)
			}
			s := &shadows{fn, carried, map[syntax.Node]int{}}
			for _, let := range fn.Body.Find("let_declaration") {
				for _, id := range let.Field("pattern").Find("identifier") {
					s.check(p, let, id)
				}
			}
			closures(p, fn, carried)
		}
	}
}

func tile(t dsl.Type) bool { return t.Kind == dsl.Tile || t.Kind == dsl.PointerTile }

// shadows is what is asked of one function many times.
type shadows struct {
	fn       *dsl.Func
	carried  map[syntax.Node][]dsl.Assignment // by the pattern that they mean
	lastRead map[syntax.Node]int              // where a pattern's name is read last
}

// check reports a let in a loop that makes a new tile from a mutable one of
// the same name, which the loop never assigns and which is read after it, and
// one that nothing reads.
func (s *shadows) check(p *rules.Pass, let, id syntax.Node) {
	fn := s.fn
	loop := dsl.Loop(let)
	outer, ok := fn.Lookup(id)
	if !loop.Valid() || !ok || outer.Node == let || !outer.Mutable() || outer.Node.Inside(loop) || !tile(fn.TypeOf(id)) {
		return
	}
	value := let.Field("value")
	if c, ok := dsl.AsCall(dsl.Unparen(value)); ok && strings.HasPrefix(fn.Op(c), "assume_") {
		return
	}
	reads := slices.ContainsFunc(value.Find("identifier"), func(n syntax.Node) bool {
		b, ok := fn.Lookup(n)
		return ok && n.Text() == id.Text() && b.Pattern == outer.Pattern
	})
	switch {
	case reads && s.isLost(outer.Pattern, loop):
		p.Reportf(id, rules.Warning, "shadow", "this `let` makes a new `%s` in each iteration; the one of line %d, read after the loop, never changes. Write `%s = ..` instead", id.Text(), outer.Node.Pos().Line, id.Text())
	case s.readAfter(outer.Pattern, loop) && len(fn.Uses(id)) == 0:
		p.Reportf(id, rules.Warning, "shadow", "nothing reads the new `%s` that this `let` makes; the one of line %d, read after the loop, does not get the value. Write `%s = ..` instead", id.Text(), outer.Node.Pos().Line, id.Text())
	}
}

// isLost reports whether a loop never assigns a name that is read after it.
func (s *shadows) isLost(pattern, loop syntax.Node) bool {
	list := s.carried[pattern] // in source order
	i := sort.Search(len(list), func(i int) bool { return list[i].Node.Span().Start >= loop.Span().Start })
	return s.readAfter(pattern, loop) && (i == len(list) || list[i].Node.Span().Start >= loop.Span().End)
}

// readAfter reports whether a name is read after a loop.
func (s *shadows) readAfter(pattern, loop syntax.Node) bool {
	last, known := s.lastRead[pattern]
	if !known {
		for _, use := range s.fn.Uses(pattern) {
			if !target(use) {
				last = max(last, use.Span().Start)
			}
		}
		s.lastRead[pattern] = last
	}
	return last >= loop.Span().End
}

// target reports whether a name is the left side of a plain assignment.
func target(id syntax.Node) bool {
	p := id.Parent()
	return p.Is("assignment_expression") && p.Field("left") == id
}

// closures reports tiles that only closures assign.
func closures(p *rules.Pass, fn *dsl.Func, carried map[syntax.Node][]dsl.Assignment) {
	for _, c := range fn.Body.Find("closure_expression") {
		if c.Ancestor("closure_expression").Inside(fn.Body) {
			continue
		}
		for _, a := range fn.Assignments(c.Field("body")) {
			b := a.Binding
			if b.Node.Inside(c) || !b.Mutable() || !tile(fn.TypeOf(a.Name)) || len(carried[b.Pattern]) > 0 {
				continue
			}
			for _, use := range fn.Uses(b.Pattern) {
				if use.Span().Start >= c.Span().End && !target(use) {
					p.Reportf(a.Node, rules.Warning, "closure", "`%s` is assigned in a closure only, so loops and branches do not carry the change; assign it in the body itself", a.Name.Text())
					break
				}
			}
		}
	}
}
