// Package r23 is rule R23: what the reference bakes into its kernel is a const
// generic of the port.
package r23

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is R23.
var Rule = &rules.Rule{
	ID: "R23", Title: "Constants of the reference become const generics",
	Category: "performance", Owner: "kernel", Severity: rules.Warning, DecidedBy: "cross-file", Fix: "none",
	Signatures: []string{"S-P04", "S-R11"},
	Why:        "A value that the reference's compiler knows folds into bounds, masks and divisions; as an argument it costs instructions in each block, and a tile size cannot be one at all.",
	Triage: []string{
		"Move the parameter from the list of arguments into the entry's `<..>`.",
		"Pass it as a string in the export's `generics(..)` list, in the entry's order.",
		"Compare the IR: the reference has a constant where the port has a block argument.",
	},
	First: map[string]int{"constant": 0, "tile": 0},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{reference.Facts, reference.Evidence, dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	ref := reference.Facts.Of(p)
	if ref == nil {
		p.Undecided("the reference is not known")
		return
	}
	var entries []*dsl.Func
	for _, m := range dsl.Modules.Of(p) {
		entries = append(entries, m.Entries()...)
	}
	for _, f := range entries {
		k := match(ref, reference.Evidence.Of(p), f, len(entries))
		if k == nil {
			p.Undecided("which reference kernel the entry was ported from is not known")
			continue
		}
		compare(p, f, k)
	}
}

// match finds the reference kernel of an entry: the one that the analysis
// names, else the one whose name is most like the entry's; nil when two are.
func match(ref *reference.File, a *reference.Analysis, f *dsl.Func, entries int) *reference.Kernel {
	var candidates []*reference.Kernel
	for _, k := range ref.Kernels {
		if k.Reached {
			candidates = append(candidates, k)
		}
	}
	if a != nil && entries == 1 && len(a.Variants) == 1 {
		for _, k := range candidates {
			if k.Name == a.Variants[0].KernelFunction {
				return k
			}
		}
	}
	var best *reference.Kernel
	score, tie := 0, false
	for _, k := range candidates {
		switch s := reference.Alike(f.Name, k.Name); {
		case best == nil || s > score:
			best, score, tie = k, s, false
		case s == score:
			tie = true
		}
	}
	if tie {
		return nil
	}
	return best
}

// compare reports runtime parameters of an entry that the reference bakes.
func compare(p *rules.Pass, f *dsl.Func, k *reference.Kernel) {
	generic := map[string]bool{}
	for _, c := range f.Consts {
		generic[normal(c.Name)] = true
	}
	baked := map[string]string{}
	for _, q := range k.Params {
		if q.Constant() && !generic[normal(q.Name)] {
			baked[normal(q.Name)] = q.Name
		}
	}
	for _, q := range f.Params {
		// Rust has const generics of integers and bool, none of floating-point or
		// element types.
		if t := dsl.ParseType(q.Type); t.Kind != dsl.Scalar || !t.Int() && t.Elem != "bool" {
			continue
		}
		name, ok := baked[normal(q.Name)]
		if !ok || changes(q.Name) {
			continue
		}
		if tile(q.Name) && tile(name) {
			p.Reportf(q.Node, rules.Warning, "tile", "`%s` is a runtime argument, but `%s` of the reference (`%s`) bakes `%s` and shapes are made of it; expected `const %s: i32`", q.Name, k.Name, p.Kernel.Reference, name, strings.ToUpper(q.Name))
			continue
		}
		p.Reportf(q.Node, rules.Note, "constant", "`%s` is a runtime argument, but `%s` of the reference (`%s`) bakes `%s`", q.Name, k.Name, p.Kernel.Reference, name)
	}
}

// fillers are words of a name that say nothing about which value it is.
var fillers = []string{"rt", "runtime", "total", "const", "arg"}

// shorts maps the short names of tile sizes to the long ones.
var shorts = map[string]string{
	"bm": "tile m", "bn": "tile n", "bk": "tile k", "tm": "tile m", "tn": "tile n", "tk": "tile k",
}

// normal is a name as the words that matter: rt_m and M, TOTAL_HIDDEN_SIZE and
// hidden_size, BM and TILE_SIZE_M are the same.
func normal(name string) string {
	name = strings.ToLower(name)
	if long, ok := shorts[name]; ok {
		return long
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' })
	words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(fillers, w) })
	if len(words) == 3 && (words[0] == "tile" || words[0] == "block") && words[1] == "size" {
		words = []string{"tile", words[2]}
	}
	if len(words) == 2 && words[0] == "block" {
		words[0] = "tile"
	}
	return strings.Join(words, " ")
}

// changes reports whether a name is that of a random generator's state, which is another
// value in each call: as a constant it would compile the kernel for each of them.
func changes(name string) bool {
	return slices.ContainsFunc(strings.Fields(normal(name)), func(word string) bool { return word == "seed" || word == "philox" || word == "rng" })
}

// tile reports whether a name is that of a tile size.
func tile(name string) bool {
	n := normal(name)
	return strings.HasPrefix(n, "tile") || strings.HasPrefix(n, "block")
}
