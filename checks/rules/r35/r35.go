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
	Whys: map[string]string{
		"return":          "cffi reads the result in the declared type: as another one, a failure can look like success.",
		"count":           "cffi trusts the declaration in the wrapper: a parameter too many or too few shifts all that follow into the wrong places, without any error.",
		"type":            "cffi trusts the declaration in the wrapper: a value of another width or kind than the export takes arrives as another value, without any error.",
		"order":           "cffi trusts the declaration in the wrapper: values land in the places of others, without any error.",
		"name":            "Nothing fails when only names differ, but two names for one parameter are how two arguments get into each other's places.",
		"arguments":       "cffi refuses a call with another number of arguments than was declared, so that each call of the op fails.",
		"argument":        "cffi refuses a number for a pointer and a pointer for a number, so that each call of the op fails.",
		"swapped":         "The types fit, so that nothing stops the call: the kernel computes with each value in the other's place.",
		"fixed":           "A launch on a fixed device or stream works beside what PyTorch has queued: with the memory of another device, or before the inputs are ready.",
		"inline":          "A descriptor lives as long as something in Python holds it; the library has only its address.",
		"alive":           "A descriptor lives as long as something in Python holds it; afterwards its address leads to other memory, which the library reads as sizes and pointers.",
		"rc":              "A launch that failed has written nothing; when its return code is not read in time, what was in the output's memory is taken for the result.",
		"rc assert":       "An assertion is no check of a run: `python -O` removes it, and its error is none that the autotuner takes for a failing configuration.",
		"symbol":          "Symbols are looked up by name when the op is first called: a spelling that only one side has fails there and not in the build.",
		"export":          "Without an exported function the library has nothing that the wrapper could call.",
		"gone":            "The wrapper asks the library for a symbol that no file exports: each call of the op fails.",
		"wrapper":         "An export that no wrapper declares is never called: the op runs on another backend, or not at all.",
		"call":            "A call of what was not declared fails; without a call something else than the kernel computes the result.",
		"cdef":            "cffi reads these declarations when the op is first called; a mismatch in what is not understood here is found no earlier.",
		"label":           "The label is all that an error says of its origin; another one sends the reader to the wrong op.",
		"key":             "Handles are cached by their name alone: an op that is bound under another one's name gets that one's library and declarations.",
		"suite":           "The folder of the crate, its sources and the name of the library together find a suite's library; with some of them another one is built or loaded.",
		"library":         "The library is built from `lib.rs`: an op without a module there has no symbol in it, and each call of it fails.",
		"import":          "A wrapper registers itself when it is imported; without that another backend answers for the op, and nothing fails.",
		"register":        "The dispatcher selects what is registered; without that another backend answers for the op, and nothing fails.",
		"takes":           "The dispatcher hands on what the op is called with; a function that takes fewer arguments fails in each call.",
		"backend":         "The dispatcher compares names as they are: under another spelling the op is never selected, another backend answers for it, and nothing fails.",
		"dispatch":        "The dispatcher asks for ops by their names; what is registered under a name that it never asks for is never selected.",
		"no entry":        "The host side launches what the module in `kernel.rs` defines; where there is none, the library has nothing to run.",
		"entry":           "The host side calls what the module in `kernel.rs` defines; a name that is not there stops the build of the whole library.",
		"entry arguments": "The launcher is made from the entry's parameters; a call with another number of arguments does not fit it.",
		"generics":        "Generics are passed as a list of texts that nobody compares with the entry: one too many, of another kind or in another place stops the launch or compiles another kernel.",
		"generics type":   "The kernel is compiled for the element type that the list names, and reads the memory of every tensor as that type.",
		"grid":            "The launcher takes the number of blocks as three numbers of type `u32`; where it cannot infer them, a launch without them has no size.",
		"options":         "Tuned values reach the compiler through the compile options only; without them each configuration measures the same kernel.",
		"options order":   "Both options are plain numbers: in each other's places they compile the kernel for values that nobody tuned.",
		"dims":            "Python and Rust each define the descriptor: where they differ, sizes, strides and all fields behind are read from the wrong places.",
		"fields":          "Python and Rust each define the descriptor: where they differ, sizes, strides and all fields behind are read from the wrong places.",
		"packed":          "The kernel finds a tensor by its descriptor alone: a field that holds another value, or none, leads it to other memory.",
		"codes":           "A dtype crosses the boundary as a number: a code that the other side does not know, or knows as another type, is refused or reads elements as that type.",
		"sizes":           "The size of an element turns strides and lengths into bytes; a wrong one reads between elements or past the end.",
		"messages":        "Only its code says why a call failed; without a text the user sees a number, and a text without a code is never shown.",
		"dtypes":          "A dtype that passes the wrapper's check is refused inside the library, with less than the wrapper could have said.",
		"arms":            "A type that the wrapper never lets through is compiled for nobody and tested by nobody.",
		"agreement":       "With `unchecked_accesses = true` nothing stops an access outside of a tensor: inputs whose sizes do not fit are read out of bounds.",
		"tuner":           "The autotuner knows a failing configuration by the text of its error; any other error ends the sweep.",
	},
	Triage: []string{
		"Put the C declaration, the export's parameters and the arguments of the call side by side and align them.",
		"Compare the name that the export calls with the entries of `kernel.rs`, and the generics list with the entry's `<..>` in order and number.",
		"Check that the op is in `lib.rs`, in `__init__.py` and registered for an op that dispatches and for the backend `cutile-rs`.",
		"Call `check_rc` right after the library call.",
		"Make the tables of `utils.py` and `ffi_util.rs` equal (descriptor fields, dtype codes, return codes), and keep in the text of `check_rc` what the autotuner looks for.",
		"Bind each descriptor to a name until the call has returned, and take device and stream from the tensors.",
		"Give the symbol, the handle and the label the name of the op's folder; a suite's wrapper passes `crate_dir`, `src_roots` and `so_name` together.",
		"Let the wrapper check what the export relies on: the dtypes that it dispatches on, and sizes of inputs that belong together.",
		"Give the launch `.grid((x, y, z))` of `u32`, and `.compile_options(..)` with the occupancy before the cluster size.",
		"Give the registered function the parameters of the dispatched op, in its order, and `**kwargs` where the op has it.",
		"Restore the file that is missing, or add it; else take out all that still names the op: its folder, its module in `lib.rs`, its import, its declaration.",
	},
	First: map[string]int{
		"gone": 10, "wrapper": 10,
		"entry": 1, "no entry": 1, "generics": 1,
		"library": 2, "import": 2, "register": 2, "backend": 2, "dispatch": 2, "takes": 9,
		"rc":   3,
		"dims": 4, "fields": 4, "packed": 4, "codes": 4, "sizes": 4, "messages": 4, "tuner": 4,
		"inline": 5, "alive": 5, "fixed": 5,
		"symbol": 6, "key": 6, "label": 6, "suite": 6, "call": 6,
		"agreement": 7, "dtypes": 7, "arms": 7,
		"grid": 8, "options": 8,
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
		wrapped(p, w)
		dtypes(p, k, w)
		agreement(p, k, w)
	}
	if k.FFI != nil {
		for _, e := range k.FFI.Exports {
			options(p, e)
			crossedPointers(p, e)
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
