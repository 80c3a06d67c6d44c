// Package r21 is rule R21: divisibility is assumed of pointers only.
package r21

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R21.
var Rule = &rules.Rule{
	ID: "R21", Title: "Divisibility is assumed of pointers only",
	Category: "performance", Owner: "kernel", Severity: rules.Error, DecidedBy: "syntax", Fix: "suggest",
	Signatures: []string{"S-C06"},
	Why:        "The compiler believes an assumption: when a size or stride is not divisible after all, masks and boundary code are optimised away and edges are silently wrong.",
	Triage: []string{
		"Delete the assumption, or assume a lower bound with `assume_bounds_lower::<_, 0>`.",
		"Keep `assume_div_by::<_, 16>` for data pointers, whose alignment PyTorch guarantees.",
		"Assume at most 16 of a pointer: a slice of a tensor begins anywhere.",
		"Test with a size that the assumed number does not divide.",
	},
	First: map[string]int{"integer": 0, "pointer": 2},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

// alignment is what the allocator guarantees for a data pointer that every
// wrapper may pass, in bytes.
const alignment = 16

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			for _, c := range fn.OpCalls(fn.Body, "assume_div_by", "assume_div_by_every_along") {
				if len(c.Args) == 1 {
					check(p, fn, c)
				}
			}
		}
	}
}

func check(p *rules.Pass, fn *dsl.Func, c dsl.Call) {
	t := fn.TypeOf(c.Args[0])
	what := ""
	switch {
	case t.Kind == dsl.Scalar && t.Int():
		what = "a scalar"
	case t.Kind == dsl.Tile && t.Int():
		what = "a tile of integers"
	case t.Kind == dsl.Ptr || t.Kind == dsl.PointerTile:
		if d, ok := divisor(c); ok && d > alignment {
			p.Reportf(c.Node, rules.Warning, "pointer", "`%s` assumes that `%s` is divisible by %d; a tensor's address is aligned to %d bytes for sure, a slice's often not to more", c.Name, c.Args[0].Squeeze(), d, alignment)
		}
		return
	default:
		p.Undecided("the type of what is assumed to be divisible is unknown")
		return
	}
	p.Reportf(c.Node, rules.Error, "integer", "`%s` on `%s`, which is %s (`%s`); assume divisibility of data pointers only, for a size or stride at most `assume_bounds_lower::<_, 0>`", c.Name, c.Args[0].Squeeze(), what, t.Elem)
}

// divisor is the number in assume_div_by::<_, D>.
func divisor(c dsl.Call) (int, bool) {
	args := c.Turbo.NamedChildren()
	if len(args) < 2 {
		return 0, false
	}
	n := args[1]
	if n.Is("block") {
		n = dsl.Unparen(n)
	}
	return number(n)
}

func number(n syntax.Node) (int, bool) {
	if !n.Is("integer_literal") {
		return 0, false
	}
	text := strings.ReplaceAll(n.Text(), "_", "")
	for _, suffix := range []string{"i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize"} {
		text = strings.TrimSuffix(text, suffix)
	}
	v, err := strconv.ParseInt(text, base(text), 64)
	return int(v), err == nil
}

// base is that of a literal for ParseInt. A decimal one may begin with zeros.
func base(text string) int {
	if len(text) > 1 && strings.ContainsRune("xob", rune(text[1])) {
		return 0
	}
	return 10
}
