// Package r11 is rule R11: pipeline tests give full-rank strides.
package r11

import (
	_ "embed"
	"path"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R11.
var Rule = &rules.Rule{
	ID: "R11", Title: "Pipeline tests give each tensor its strides in full rank",
	Category: "memory", Owner: "kernel", Severity: rules.Error, DecidedBy: "cross-file", Fix: "none",
	Signatures: []string{"S-B05"},
	Why:        "The compiler looks up the strides of every tensor parameter by name and takes one for each dimension; a missing or short list ends in a panic in the launcher generator.",
	First:      map[string]int{"missing": 0, "rank": 1, "order": 1},
	Triage: []string{
		"List every `&Tensor` parameter of the entry in `.strides(..)`, by its name there.",
		"Give one stride for each dimension, the innermost (1) included; only `Array::dims` inside a kernel leaves static strides out (rule R9).",
	},
	Doc: doc, Scope: rules.PerCrate, Requires: []rules.AnyFact{host.Facts}, Run: run,
}

// maxCompilers bounds how many compilers of one file are looked at.
const maxCompilers = 100

// pin is the cutile version in which the launcher generator panics.
const pin = "0.2.0"

func run(p *rules.Pass) {
	c := host.Of(p).Crate(p.Crate)
	for _, name := range p.Tree.Files(p.Crate.Root, func(f string) bool { return strings.HasSuffix(path.Base(f), "_pipeline.rs") }) {
		f := p.Tree.File(name)
		if f.Unread != "" {
			continue
		}
		seen := 0
		for _, n := range f.Root().Find("call_expression") {
			if call, ok := dsl.AsCall(n); ok && strings.HasSuffix(call.Path, "KernelCompiler::new") && len(call.Args) == 3 && seen < maxCompilers {
				seen++
				compiler(p, c, call)
			}
		}
	}
}

// compiler checks one KernelCompiler::new(ast, module, entry) with what is
// chained to it.
func compiler(p *rules.Pass, c *host.Crate, call dsl.Call) {
	fn := entry(c, text(call.Args[1]), text(call.Args[2]))
	if fn == nil {
		p.Undecided("a pipeline test compiles an entry that is not found")
		return
	}
	strides, compiled := chain(call.Node)
	switch {
	case strides.Node.Valid() && len(strides.Args) == 1:
		listed(p, fn, strides.Args[0])
	case compiled && len(tensors(fn)) > 0:
		p.ReportPinned(call.Node, rules.Error, "missing", pin, "no `.strides(..)`, but `%s` has tensor parameters (%s); give each its strides", fn.Name, strings.Join(tensors(fn), ", "))
	}
}

// entry finds an entry by the names of its module and itself.
func entry(c *host.Crate, module, name string) *dsl.Func {
	for _, k := range c.Kernels {
		if fn := k.Entries[name]; fn != nil && fn.Module.Name == module {
			return fn
		}
	}
	return nil
}

func text(n syntax.Node) string { return strings.Trim(dsl.Unparen(n).Text(), `"`) }

// chain finds the call of strides among the methods that are called on the
// compiler, one after the other; compiled says that they end in compile.
func chain(n syntax.Node) (strides dsl.Call, compiled bool) {
	for {
		for n.Parent().Is("try_expression", "parenthesized_expression") {
			n = n.Parent()
		}
		field := n.Parent()
		if !field.Is("field_expression") || field.Field("value") != n {
			return strides, compiled
		}
		call := field.Parent()
		if call.Is("generic_function") {
			call = call.Parent()
		}
		c, ok := dsl.AsCall(call)
		if !ok {
			return strides, compiled
		}
		switch c.Name {
		case "strides":
			strides = c
		case "compile":
			compiled = true
		}
		n = call
	}
}

// tensors lists the names of an entry's tensor parameters.
func tensors(fn *dsl.Func) []string {
	var out []string
	for _, q := range fn.Params {
		if dsl.ParseType(q.Type).Kind == dsl.Tensor {
			out = append(out, q.Name)
		}
	}
	return out
}

// listed checks the list that strides gets.
func listed(p *rules.Pass, fn *dsl.Func, arg syntax.Node) {
	list := array(arg)
	if !list.Valid() {
		p.Undecided("the list of strides is not visible")
		return
	}
	names := map[string]bool{}
	for _, n := range list.NamedChildren() {
		pair := dsl.Unparen(n)
		parts := pair.NamedChildren()
		if !pair.Is("tuple_expression") || len(parts) != 2 || !parts[0].Is("string_literal") {
			p.Undecided("the list of strides is not visible")
			return
		}
		name := text(parts[0])
		names[name] = true
		for _, q := range fn.Params {
			if t := dsl.ParseType(q.Type); q.Name == name && t.Kind == dsl.Tensor && t.ShapeKnown {
				rank(p, fn, name, len(t.Shape), parts[1])
			}
		}
	}
	var missing []string
	for _, name := range tensors(fn) {
		if !names[name] {
			missing = append(missing, "`"+name+"`")
		}
	}
	if len(missing) > 0 {
		p.ReportPinned(arg, rules.Error, "missing", pin, "the strides of %s are missing; `%s` needs those of every `&Tensor` parameter", strings.Join(missing, ", "), fn.Name)
	}
}

// rank checks the strides of one tensor.
func rank(p *rules.Pass, fn *dsl.Func, name string, rank int, value syntax.Node) {
	list := array(value)
	if !list.Valid() || list.Field("length").Valid() {
		p.Undecided("the strides of a tensor are not visible")
		return
	}
	strides := list.NamedChildren()
	if len(strides) != rank {
		p.Reportf(value, rules.Error, "rank", "`%s` of `%s` has rank %d, but %d strides are given; list one for each dimension, the innermost included", name, fn.Name, rank, len(strides))
		return
	}
	if rank > 1 && one(strides[0]) && !one(strides[rank-1]) && dsl.Unparen(strides[rank-1]).Is("integer_literal", "identifier") && !permuted(fn, name) {
		p.Reportf(value, rules.Error, "order", "the strides of `%s` begin with 1 and end with `%s`; the innermost dimension comes last", name, strides[rank-1].Text())
	}
}

func one(n syntax.Node) bool { return strings.TrimSuffix(dsl.Unparen(n).Text(), "i32") == "1" }

// permuted reports whether an entry views a parameter with exchanged axes, or
// hands it to code that may.
func permuted(fn *dsl.Func, name string) bool {
	for _, c := range fn.Calls() {
		if c.Method() && c.Receiver.Text() == name && c.Name != "partition" && c.Name != "partition_full_mut" && c.Name != "shape" {
			return true
		}
		for _, a := range c.Args {
			if dsl.Unparen(a).Text() == name && !strings.HasPrefix(fn.Op(c), "get_") {
				return true
			}
		}
	}
	return false
}

// array is the array behind a reference, vec! or the name of a constant or
// local of the file; invalid when it is not visible.
func array(n syntax.Node) syntax.Node {
	for range 4 {
		n = dsl.Unparen(n)
		switch n.Kind() {
		case "reference_expression":
			n = n.Field("value")
		case "array_expression":
			return n
		case "macro_invocation":
			return n.ChildOf("token_tree").Parsed()
		case "identifier":
			n = constant(n)
		default:
			return syntax.Node{}
		}
	}
	return syntax.Node{}
}

// constant is the value of the one const, static or let of a name.
func constant(id syntax.Node) syntax.Node {
	var out syntax.Node
	for _, d := range id.File().Root().Find("const_item", "static_item", "let_declaration") {
		name := d.Field("name")
		if d.Is("let_declaration") {
			name = d.Field("pattern")
		}
		if name.Text() == id.Text() {
			if out.Valid() {
				return syntax.Node{}
			}
			out = d.Field("value")
		}
	}
	return out
}
