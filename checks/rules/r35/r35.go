// Package r35 is rule R35: all pieces of the ABI describe the same function.
package r35

import (
	_ "embed"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
)

//go:embed doc.md
var doc string

// Rule is R35.
var Rule = &rules.Rule{
	ID: "R35", Title: "All pieces of the ABI describe the same function",
	Category: "memory", Owner: "host", Severity: rules.Error, DecidedBy: "cross-file", Fix: "safe",
	Signatures: []string{"S-I02", "S-I03", "S-I04", "S-R06", "S-C04"},
	Why:        "cffi trusts the declaration in the wrapper: when it differs from the export, values land in the wrong places without any error, and an unread return code makes a failed launch look like a result.",
	Triage: []string{
		"Put the C declaration, the export's parameters and the arguments of the call side by side and align them.",
		"Compare the name that the export calls with the entries of `kernel.rs`, and the generics list with the entry's `<..>` in order and number.",
		"Check that the op is in `lib.rs`, in `__init__.py` and registered for an op that dispatches.",
		"Call `check_rc` right after the library call.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts, dsl.Modules}, Run: run,
	Also: []rules.Check{{Scope: rules.PerTree, Run: runTree}},
}

func run(p *rules.Pass) {
	m := host.Of(p)
	k := m.Kernel(p.Kernel)
	exported(p, k)
	entries(p, k)
	registered(p, m, k)
	for _, w := range wrappers(k) {
		names(p, k, w)
		declarations(p, k, w)
		for _, c := range w.Calls {
			arguments(p, k, w, c)
			returnCode(p, w, c)
		}
		dtypes(p, k, w)
		agreement(p, k, w)
	}
	if k.FFI != nil {
		for _, e := range k.FFI.Exports {
			options(p, e)
			for _, l := range e.Launches {
				launch(p, e, l)
			}
		}
	}
}

// runTree checks what all kernels share.
func runTree(p *rules.Pass) {
	m := host.Of(p)
	contract(p, m)
	keys(p, m)
	tuner(p, m)
}

// wrappers lists the Python files of a kernel: its own, and those of the same
// folder that belong to no other kernel and declare one of its symbols.
func wrappers(k *host.Kernel) []*host.Wrapper {
	var out []*host.Wrapper
	if k.Wrapper != nil {
		out = append(out, k.Wrapper)
	}
	for _, w := range k.Crate.Wrappers {
		if w != k.Wrapper && !owned(k.Crate, w) && declares(k, w) {
			out = append(out, w)
		}
	}
	return out
}

func owned(c *host.Crate, w *host.Wrapper) bool {
	for _, k := range c.Kernels {
		if k.Wrapper == w {
			return true
		}
	}
	return false
}

// declares reports whether a wrapper declares a symbol of the kernel.
func declares(k *host.Kernel, w *host.Wrapper) bool {
	if k.FFI == nil {
		return false
	}
	for _, e := range k.FFI.Exports {
		if declaration(w, e.Name) != nil {
			return true
		}
	}
	return false
}

// declaration is the C declaration of a symbol in a wrapper.
func declaration(w *host.Wrapper, symbol string) *host.CDecl {
	for _, b := range w.Binds {
		if b.CDef == nil {
			continue
		}
		for _, d := range b.CDef.Decls {
			if d.Name == symbol {
				return d
			}
		}
	}
	return nil
}

// visible reports whether all C text of a wrapper is known.
func visible(w *host.Wrapper) bool {
	for _, b := range w.Binds {
		if b.CDef == nil || b.CDef.Unread != "" || b.Splat {
			return false
		}
	}
	return len(w.Binds) > 0
}

// symbols lists the names of the exports of a kernel.
func symbols(k *host.Kernel) []string {
	var out []string
	if k.FFI != nil {
		for _, e := range k.FFI.Exports {
			out = append(out, e.Name)
		}
	}
	return out
}

// generic is a generic parameter of an entry in source order.
type generic struct {
	name string
	kind bool // a type
}

// generics lists the generic parameters of an entry in the order in which
// their values are passed.
func generics(f *dsl.Func) []generic {
	var out []generic
	t, c := f.Types, f.Consts
	for len(t) > 0 || len(c) > 0 {
		if len(c) == 0 || len(t) > 0 && t[0].Node.Span().Start < c[0].Node.Span().Start {
			out, t = append(out, generic{t[0].Name, true}), t[1:]
		} else {
			out, c = append(out, generic{c[0].Name, false}), c[1:]
		}
	}
	return out
}
