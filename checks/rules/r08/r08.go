// Package r08 is rule R8: matrix products accumulate in f32 and use tf32 where
// the reference does.
package r08

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R8.
var Rule = &rules.Rule{
	ID: "R8", Title: "f32 accumulators, and tf32 exactly where the reference casts",
	Category: "types", Owner: "kernel", Severity: rules.Error, DecidedBy: "cross-file", Fix: "suggest",
	Signatures: []string{"S-C03", "S-P03"},
	Why:        "A 16-bit accumulator loses precision with every step of the K loop; an f32 product without the reference's tf32 cast runs without tensor cores and rounds differently.",
	Triage: []string{
		"Declare the accumulator as `Tile<f32, ..>` and convert once before the store.",
		"Look for `ct.tfloat32` in the reference: when it casts f32 operands, cast both operands to `tf32` for f32 inputs only.",
		"Compare the operand and accumulator types of `mmaf` in both IR files.",
	},
	First: map[string]int{"accumulator": 0, "tf32": 1, "always": 1},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules, reference.Facts, host.Facts}, Run: run,
}

func run(p *rules.Pass) {
	ref := reference.Facts.Of(p)
	var products []product
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			for _, c := range fn.OpCalls(fn.Body, "mmaf") {
				if len(c.Args) == 3 {
					products = append(products, newProduct(fn, c))
				}
			}
			alwaysCast(p, fn)
		}
	}
	reported := map[syntax.Node]bool{}
	other := sync.OnceValue(func() bool { return otherAccumulators(p, ref) })
	for _, m := range products {
		accumulator(p, m, other, reported)
	}
	missingCast(p, ref, products)
}

// product is one call of mmaf with the element types of its operands; an empty
// one is unknown.
type product struct {
	fn       *dsl.Func
	call     dsl.Call
	lhs, rhs string
}

// casts reports whether the product takes tf32.
func (m product) casts() bool { return m.lhs == "tf32" || m.rhs == "tf32" }

func newProduct(fn *dsl.Func, c dsl.Call) product {
	elem := func(n syntax.Node) string {
		if t := fn.TypeOf(n); t.Kind == dsl.Tile {
			return t.Elem
		}
		return ""
	}
	return product{fn, c, elem(c.Args[0]), elem(c.Args[1])}
}

// accumulator reports a product whose accumulator is known not to be f32.
func accumulator(p *rules.Pass, m product, other func() bool, reported map[syntax.Node]bool) {
	t, place := m.fn.TypeOf(m.call.Args[2]), m.call.Args[2]
	if t.Elem == "" {
		// The product has the type of its accumulator.
		if at := m.fn.PlaceOf(m.call.Node).Type; at.Valid() {
			t, place = dsl.ParseType(at), at
		}
	}
	switch {
	case t.Kind != dsl.Tile || t.Elem == "":
		p.Undecided("the type of an accumulator is unknown")
		return
	case t.Elem == "f32", t.Int():
		return
	case t.Elem == "f64" && (m.lhs == "f64" || m.lhs == ""):
		return
	case m.fn.TypeParam(t.Elem):
		// A type parameter of its own is an accumulator type that the host gives.
		if m.fn.Entry == nil || len(m.fn.Types) > 1 && (m.lhs == "" || m.lhs != t.Elem) {
			p.Undecided("the accumulator has a type that the caller gives")
			return
		}
	case !t.Float():
		return
	}
	if other() {
		p.Undecided("the reference has accumulators of another type than float32")
		return
	}
	if id := dsl.Unparen(place); id.Is("identifier") {
		if b, ok := m.fn.Lookup(id); ok && b.Node.Field("type").Valid() {
			place = b.Node.Field("type")
		}
	}
	if !reported[place] {
		reported[place] = true
		p.Reportf(place, rules.Error, "accumulator", "the accumulator of `mmaf` is `%s`; declare it as `Tile<f32, ..>` and convert the result before the store", t.Elem)
	}
}

// maxCalls bounds how many products and kernels of a reference are looked at;
// beyond it nothing is decided.
const maxCalls = 64

// otherAccumulators reports whether the reference accumulates in another type
// than float32.
func otherAccumulators(p *rules.Pass, ref *reference.File) bool {
	if ref == nil {
		return false
	}
	for i, c := range ref.Calls("mma") {
		if i == maxCalls {
			tooMany(p)
			return true
		}
		acc := c.Arg("acc", 2)
		values := []syntax.Node{acc}
		if acc.Is("identifier") {
			values = reference.Assigned(c.Func, acc.Text())
		}
		for _, v := range values {
			if name := ref.Name(v.Field("function")); v.Is("call") && (name == "full" || name == "zeros") {
				dtype := syntax.PyArg(v, "dtype", map[string]int{"full": 2, "zeros": 1}[name])
				if n := syntax.PyName(dtype); n != "" && n != "float32" {
					return true
				}
			}
		}
	}
	return false
}

// tooMany says that a reference is larger than what is looked at.
func tooMany(p *rules.Pass) {
	p.Tree.Partly(p.Kernel.Reference, fmt.Sprintf("more than %d matrix products or kernels: the kernel was not compared with them", maxCalls))
}

// missingCast reports products that do not take tf32 although the reference
// casts for its products.
func missingCast(p *rules.Pass, ref *reference.File, products []product) {
	if ref == nil || !ref.Has("tfloat32") || len(products) == 0 {
		return
	}
	if types, ok := arms(p, ""); ok && !slices.Contains(types, "f32") {
		return
	}
	byFunc := map[*dsl.Func][]product{}
	var order []*dsl.Func
	anyCast, dead := false, map[*dsl.Func]bool{}
	for _, m := range products {
		if m.fn.Taken(m.call.Node, passed(p, m.fn)) == dsl.Never {
			dead[m.fn] = dead[m.fn] || m.casts()
			continue
		}
		if byFunc[m.fn] == nil {
			order = append(order, m.fn)
		}
		byFunc[m.fn] = append(byFunc[m.fn], m)
		anyCast = anyCast || m.casts()
	}
	if anyCast && !everyKernelCasts(p, ref) {
		p.Undecided("only some kernels of the reference cast to tf32, and so does the port")
		return
	}
	for _, fn := range order {
		list := byFunc[fn]
		if slices.ContainsFunc(list, product.casts) {
			continue
		}
		never := ""
		if dead[fn] {
			never = "; the condition before the product that takes `tf32` never holds"
		}
		for _, m := range list {
			switch {
			case m.lhs == "" || m.rhs == "":
				p.Undecided("the type of an operand of mmaf is unknown")
			case fn.Entry == nil && m.lhs != "f32":
				p.Undecided("a helper multiplies what its caller may have cast")
			case fn.TypeParam(m.lhs) || m.lhs == "f32":
				p.Reportf(m.call.Node, rules.Warning, "tf32", "the reference casts f32 operands to `ct.tfloat32` before its matrix product, this kernel multiplies `%s` tiles as they are; for f32 inputs convert both operands to `Tile<tf32, ..>` first%s", m.lhs, never)
			}
		}
	}
}

// everyKernelCasts reports whether each reached kernel of the reference with a
// matrix product casts to tf32.
func everyKernelCasts(p *rules.Pass, ref *reference.File) bool {
	if len(ref.Kernels) > maxCalls {
		tooMany(p)
		return false
	}
	for _, k := range ref.Kernels {
		if k.Reached && ref.KernelHas(k, "mma") && !ref.KernelHas(k, "tfloat32") {
			return false
		}
	}
	return true
}

// alwaysCast reports a cast to tf32 that no condition guards in an entry that
// also gets 16-bit inputs.
func alwaysCast(p *rules.Pass, fn *dsl.Func) {
	if fn.Entry == nil || strings.Contains(fn.Name, "f32") {
		return
	}
	for _, c := range fn.OpCalls(fn.Body, "convert_tile") {
		if len(c.Args) != 1 || dsl.ParseType(fn.PlaceOf(c.Node).Type).Elem != "tf32" || !fn.TypeParam(fn.TypeOf(c.Args[0]).Elem) {
			continue
		}
		if fn.Taken(c.Node, nil) != dsl.Always {
			continue
		}
		types, ok := arms(p, fn.Name)
		if !ok {
			p.Undecided("whether 16-bit inputs reach a cast to tf32 is unknown")
			continue
		}
		if !slices.Contains(types, "f16") && !slices.Contains(types, "bf16") {
			continue
		}
		p.Reportf(c.Node, rules.Warning, "always", "this casts to `tf32` whatever the input type is, but ffi.rs dispatches 16-bit inputs too; guard it with a const generic such as `CAST_TF32` that the host sets for f32")
	}
}

// passed gives the const generics of an entry that get one known number in all
// of its launches.
func passed(p *rules.Pass, fn *dsl.Func) func(string) (int64, bool) {
	return func(name string) (v int64, ok bool) {
		k := host.Of(p).Kernel(p.Kernel)
		at, listed := -1, 0
		for _, q := range fn.Node.Field("type_parameters").NamedChildren() {
			if q.Field("name").Text() == name {
				at = listed
			}
			if !q.Is("lifetime_parameter") && !q.IsComment() {
				listed++
			}
		}
		if k == nil || k.FFI == nil || fn.Entry == nil || at < 0 {
			return 0, false
		}
		for _, e := range k.FFI.Exports {
			for _, l := range e.Launches {
				if l.Entry.Name != fn.Name {
					continue
				}
				if !l.Listed || at >= len(l.Generics) || !l.Generics[at].Fixed || ok && v != l.Generics[at].Int {
					return 0, false
				}
				v, ok = l.Generics[at].Int, true
			}
		}
		return v, ok
	}
}

// arms lists the element types that ffi.rs dispatches, to the named entry when
// it is not empty; ok is false when some dispatch is not understood.
func arms(p *rules.Pass, entry string) (types []string, ok bool) {
	k := host.Of(p).Kernel(p.Kernel)
	if k == nil || k.FFI == nil {
		return nil, false
	}
	for _, e := range k.FFI.Exports {
		if entry != "" && !slices.ContainsFunc(e.Launches, func(l *host.Launch) bool { return l.Entry.Name == entry }) {
			continue
		}
		if !e.ArmsKnown {
			return nil, false
		}
		for _, a := range e.Arms {
			types = append(types, a.Type)
		}
	}
	return types, len(types) > 0
}
