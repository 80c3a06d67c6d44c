// Package r30 is rule R30: batched TMA descriptors need aligned outer strides.
package r30

import (
	_ "embed"
	"slices"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R30.
var Rule = &rules.Rule{
	ID: "R30", Title: "Batched TMA descriptors need aligned outer strides",
	Category: "performance", Owner: "host", Severity: rules.Note, DecidedBy: "cross-file", Fix: "none",
	Signatures: []string{"S-R07"},
	Why:        "A TMA descriptor of a batched tensor takes outer strides of whole 16 bytes; a view with others fails when it is launched, and only for the callers that pass one.",
	Triage: []string{
		"Find the tensor whose outer stride times its element size is no multiple of 16.",
		"Make it contiguous or pad it in the wrapper when the strides ask for it.",
		"Do not assert divisibility of a stride in the kernel: it is not true for every caller.",
	},
	Doc: doc, Scope: rules.PerChange, Requires: []rules.AnyFact{host.Facts}, Run: run,
}

func run(p *rules.Pass) {
	for _, k := range host.Of(p).Kernels {
		if k.Wrapper == nil || !batched(k) {
			continue
		}
		old := p.Base.Kernel(k.ID())
		if old == nil || old.Wrapper == "" {
			continue
		}
		f := p.Base.File(old.Wrapper)
		if f.Unread != "" {
			p.Undecided("the base's wrapper is unread")
			continue
		}
		before, after := guarded(host.ParseWrapper(f)), guarded(k.Wrapper)
		for _, r := range k.Wrapper.Registers {
			var lost []string
			for _, q := range host.Params(r.Func) {
				if name := q.Text(); before[name] && !after[name] {
					lost = append(lost, name)
				}
			}
			if len(lost) > 0 {
				p.Reportf(r.Func.Field("name"), rules.Note, "strides", "`%s` no longer makes %s contiguous or looks at its strides; a TMA view of a batched tensor needs outer strides of whole 16 bytes", r.Func.Field("name").Text(), rules.List(lost))
			}
		}
	}
}

// batched reports whether an entry takes a tensor of three or more dimensions.
func batched(k *host.Kernel) bool {
	for _, e := range k.Entries {
		if slices.ContainsFunc(e.Params, func(q dsl.Param) bool {
			t := dsl.ParseType(q.Type)
			return t.Kind == dsl.Tensor && len(t.Shape) >= 3
		}) {
			return true
		}
	}
	return false
}

// guarded lists the names whose tensors a wrapper makes contiguous or whose
// strides it asks for. What it hands to functions that may do so counts.
func guarded(w *host.Wrapper) map[string]bool {
	out := map[string]bool{}
	for _, c := range w.Copies() {
		if c.Kind == host.Contiguous || c.Kind == host.Layout || c.Kind == host.Clone {
			out[w.Origin(c.Tensor)] = true
		}
	}
	for _, a := range w.File.Root().Find("attribute") {
		switch a.Field("attribute").Text() {
		case "stride", "is_contiguous", "strides":
			out[w.Origin(a.Field("object"))] = true
		}
	}
	lib := map[syntax.Node]bool{}
	for _, c := range w.Calls {
		lib[c.Node] = true
	}
	launches := w.Launches()
	for _, c := range w.File.Root().Find("call") {
		fn := c.Field("function")
		if lib[c] || harmless[syntax.PyName(fn)] || fn.Is("attribute") && w.Imports[fn.Field("object").Text()] == "" {
			continue
		}
		if callee := w.Function(fn); callee.Valid() && !guards(launches, callee) {
			continue
		}
		for _, a := range c.Field("arguments").NamedChildren() {
			if a.Is("keyword_argument") {
				a = a.Field("value")
			}
			if a.Is("identifier") {
				out[w.Origin(a)] = true
			}
		}
	}
	delete(out, "")
	return out
}

// harmless are functions that leave a tensor's strides alone.
var harmless = map[string]bool{
	"make_tensor_desc": true, "isinstance": true, "len": true, "int": true, "float": true, "str": true, "bool": true, "tuple": true, "list": true,
	"max": true, "min": true, "getattr": true, "hasattr": true, "autotune_launch": true, "check_rc": true, "empty": true, "empty_like": true,
	"bind_kernel_function_cffi": true, "current_stream": true, "current_device": true, "next_power_of_2": true, "cdiv": true, "ceil": true, "range": true,
}

// guards reports whether a function of the file makes something contiguous or
// asks for strides, and launches nothing.
func guards(launches map[syntax.Node]int, fn syntax.Node) bool {
	found := false
	for _, a := range fn.Field("body").Find("attribute") {
		switch a.Field("attribute").Text() {
		case "contiguous", "stride", "is_contiguous", "clone":
			found = true
		}
	}
	_, launching := launches[fn]
	return found && !launching
}
