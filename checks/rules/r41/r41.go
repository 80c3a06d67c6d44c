// Package r41 is rule R41: the wrapper makes no copies where they are timed.
package r41

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R41.
var Rule = &rules.Rule{
	ID: "R41", Title: "No copies in the timed path of a wrapper",
	Category: "performance", Owner: "host", Severity: rules.Error, DecidedBy: "cross-file", Fix: "none",
	Signatures: []string{"S-P01"},
	Why:        "The profiler times everything that the wrapper puts on the device: a copy, a fill or a conversion beside the kernel is measured as if the kernel had been slow, and the tuner measures it for each configuration.",
	Triage: []string{
		"Count the launches of one call: each beyond the kernel's own is work of PyTorch that is measured with it.",
		"Allocate the output with `torch.empty` and let the kernel write all of it.",
		"Move layout work, conversions and uploads out of the function that the tuner calls, or pass strides and numbers and let the kernel read them.",
		"Where a layout has to change, ask for it (`if not x.is_contiguous()`) and say what it costs.",
		"Take out the copy or the computation: let the kernel read the tensors as they are and compute the rest.",
		"Take out what waits for the device or records its work: the tuner and the profiler do both by themselves.",
	},
	First: map[string]int{
		"fill": 1, "allocation": 1,
		"layout": 2, "contiguous": 2, "convert": 2, "upload": 2,
		"clone": 4, "move": 4, "join": 4, "expand": 4, "compute": 4,
		"sync": 5, "graph": 5,
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts, reference.Facts, dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	k := host.Of(p).Kernel(p.Kernel)
	w := k.Wrapper
	if w == nil {
		return
	}
	c := &checker{p: p, w: w, ref: reference.Facts.Of(p), tuned: w.Tuned()}
	for _, m := range dsl.Modules.Of(p) {
		for _, f := range m.Funcs {
			c.gemm = c.gemm || len(f.OpCalls(f.Body, "mmaf", "mmai")) > 0
		}
	}
	c.launches = w.Launches()
	if c.ref != nil {
		c.copies = c.ref.HostCopies(w.Ops()...)
	}
	for _, copied := range w.Copies() {
		c.check(copied)
	}
	c.twoOutputs()
}

type checker struct {
	p        *rules.Pass
	w        *host.Wrapper
	ref      *reference.File // nil when unknown
	copies   *reference.Copies
	tuned    bool // the tuner calls the launch
	gemm     bool // the kernel multiplies matrices
	launches map[syntax.Node]int
}

// what says what each kind of copy does.
var what = map[host.CopyKind]string{
	host.Layout:     "copies a transposed tensor into a new order",
	host.Contiguous: "copies a tensor that is not contiguous",
	host.Clone:      "copies a tensor",
	host.Move:       "copies a tensor",
	host.Fill:       "writes a whole tensor",
	host.Join:       "copies tensors into one",
	host.Expand:     "copies a tensor several times",
	host.Convert:    "converts a tensor",
	host.Upload:     "copies from the host to the device",
	host.Sync:       "waits for the device",
	host.Graph:      "records a CUDA graph",
	host.Compute:    "computes in PyTorch",
}

// instead says what is expected in place of each kind that is never free.
var instead = map[host.CopyKind]string{
	host.Layout:  "the tensor as it lies in memory, with its strides",
	host.Clone:   "the kernel to read the tensor as it is",
	host.Move:    "the kernel to write its result there itself",
	host.Fill:    "`torch.empty`, all of which the kernel writes",
	host.Join:    "the kernel to read the tensors where they lie",
	host.Expand:  "the kernel to read the same elements again",
	host.Upload:  "it as an argument of the kernel, or from an earlier call",
	host.Sync:    "no wait at all",
	host.Graph:   "a plain launch",
	host.Compute: "the kernel to compute it",
}

func (c *checker) check(x host.Copy) {
	if c.w.Failing(x.Node) || leaving(x.Node) || c.leads27(x) || c.asked(x) || x.Kind == host.Graph && !c.eachCall(x.Node) {
		return
	}
	switch c.w.Region(x.Node) {
	case host.Hot:
		c.hot(x)
	case host.Once:
		c.once(x)
	}
}

// leaving reports whether code stands under a condition where a with statement is left,
// as what runs after an error only does.
func leaving(n syntax.Node) bool {
	_, conditional := host.Guard(n)
	return conditional && host.Owner(n).Field("name").Text() == "__exit__"
}

// eachCall reports whether code runs on each call of the op for sure, and not
// only where something is not kept from an earlier call.
func (c *checker) eachCall(n syntax.Node) bool {
	owner := host.Owner(n)
	if _, conditional := host.Guard(n); conditional || n.Ancestor("except_clause").Valid() || len(c.w.Callers(owner)) > 0 {
		return false
	}
	for _, r := range owner.Find("return_statement") {
		if host.Owner(r) == owner && r.Span().Start < n.Span().Start {
			return false
		}
	}
	return !slices.ContainsFunc(syntax.PyDecorators(owner), func(d syntax.Node) bool {
		if d.Is("call") {
			d = d.Field("function")
		}
		return strings.Contains(syntax.PyName(d), "cache")
	})
}

// leads27 reports whether R27 speaks about a copy: a transposition before the
// launch of a kernel that multiplies matrices, which the reference does not
// make.
func (c *checker) leads27(x host.Copy) bool {
	end, launched := c.launches[host.Owner(x.Node)]
	return x.Kind == host.Layout && c.gemm && c.ref != nil && !(launched && end <= x.Node.Span().Start) && c.reference(x) == reference.No
}

// asked reports whether a copy is made only because the caller or the tensor
// needs it.
func (c *checker) asked(x host.Copy) bool {
	switch x.Kind {
	case host.Move:
		// The caller passed the tensor: without it the call would fail.
		return c.optional(x.Tensor)
	case host.Clone:
		// An in-place op must not write through a detached view.
		if t := x.Tensor; t.Is("call") && syntax.PyName(t.Field("function")) == "detach" {
			for _, r := range c.w.Registers {
				if strings.HasSuffix(r.Op, "_") || strings.HasSuffix(r.Func.Field("name").Text(), "_") {
					return true
				}
			}
		}
	}
	return c.w.LayoutGuarded(x.Node)
}

// reference reports whether the reference's op makes such a copy, too.
func (c *checker) reference(x host.Copy) reference.Answer {
	if c.ref == nil {
		return reference.No
	}
	return c.copies.Include(c.w, x)
}

// optional reports whether a name is a parameter whose default is None.
func (c *checker) optional(id syntax.Node) bool {
	if !id.Is("identifier") {
		return false
	}
	for fn := host.Owner(id); fn.Valid(); fn = host.Owner(fn) {
		for _, q := range fn.Field("parameters").NamedChildren() {
			if q.Is("default_parameter", "typed_default_parameter") && q.Field("name").Text() == id.Text() {
				return q.Field("value").Is("none")
			}
		}
	}
	return false
}

// hot judges a copy that each timed call makes.
func (c *checker) hot(x host.Copy) {
	if !c.tuned {
		// All of the wrapper is timed, and what is free for usual inputs stays
		// unsaid.
		if !x.Kind.Unconditional() || x.Kind == host.Upload && x.Small {
			return
		}
	}
	where := "on each timed call"
	if c.tuned {
		where = "in what the autotuner calls, once for each configuration"
	}
	switch same := c.reference(x); {
	case x.Sometimes:
		c.p.Reportf(x.Node, rules.Note, string(x.Kind), "`%s` %s %s where the condition around its last assignment holds", rules.Short(x.Node), what[x.Kind], where)
	case x.Kind.Unconditional() && same == reference.Maybe:
		c.p.Reportf(x.Node, rules.Note, string(x.Kind), "`%s` %s %s; code of the reference's file makes such a copy too, but it cannot be told whether the op runs it, so compare the launches of both", rules.Short(x.Node), what[x.Kind], where)
	case x.Kind.Unconditional() && same == reference.Yes:
		c.p.Reportf(x.Node, rules.Note, string(x.Kind), "`%s` %s %s; the reference makes such a copy too, so the comparison is fair", rules.Short(x.Node), what[x.Kind], where)
	case !x.Kind.Unconditional():
		c.p.Reportf(x.Node, rules.Warning, string(x.Kind), "`%s` %s %s, unless it is a no-op; expected it before `autotune_launch`", rules.Short(x.Node), what[x.Kind], where)
	default:
		c.p.Reportf(x.Node, rules.Error, string(x.Kind), "`%s` %s %s; expected %s", rules.Short(x.Node), what[x.Kind], where, instead[x.Kind])
	}
}

// once judges a copy that the wrapper makes before or after the launch.
func (c *checker) once(x host.Copy) {
	switch x.Kind {
	case host.Contiguous, host.Convert, host.Upload, host.Sync:
		return
	}
	if x.Small {
		return
	}
	same := c.reference(x)
	_, conditional := host.Guard(x.Node)
	switch {
	case x.Kind == host.Layout && !conditional && same == reference.Yes:
		c.p.Reportf(x.Node, rules.Note, string(x.Kind), "`%s` %s on each call; the reference does the same, so the comparison is fair", rules.Short(x.Node), what[x.Kind])
	case x.Kind == host.Layout && !conditional:
		c.p.Reportf(x.Node, rules.Note, string(x.Kind), "`%s` %s on each call, also when it is timed", rules.Short(x.Node), what[x.Kind])
	case c.ref == nil:
		c.p.Undecided("what the reference copies is not known")
	case same == reference.No:
		c.p.Reportf(x.Node, rules.Note, string(x.Kind), "`%s` %s on each call, which the reference does not", rules.Short(x.Node), what[x.Kind])
	}
}

// twoOutputs warns of a function that the tuner calls and that allocates two
// tensors of one shape where the reference allocates one.
func (c *checker) twoOutputs() {
	if !c.tuned || c.ref == nil || c.refAllocates() > 1 {
		return
	}
	first := map[string]syntax.Node{}
	for _, n := range c.w.File.Root().Find("call") {
		shape := c.allocation(c.w, n)
		if shape == "" || c.w.Region(n) != host.Hot {
			continue
		}
		owner := host.Owner(n)
		key := owner.Field("name").Text() + "\x00" + shape
		if f, ok := first[key]; ok && host.Owner(f) == owner {
			if _, conditional := host.Guard(n); !conditional {
				c.p.Reportf(n, rules.Warning, "allocation", "`%s` allocates a second tensor of this size for each configuration; the reference allocates one", rules.Short(n))
			}
			continue
		}
		first[key] = n
	}
}

// allocation is the shape that a call of torch.empty or empty_like gets.
func (c *checker) allocation(w *host.Wrapper, n syntax.Node) string {
	switch w.Full(n.Field("function")) {
	case "torch.empty":
		return syntax.PyArg(n, "size", 0).Squeeze()
	case "torch.empty_like":
		return "like " + syntax.PyArg(n, "input", 0).Squeeze()
	}
	return ""
}

// refAllocates is the largest number of tensors that one function of the
// reference allocates.
func (c *checker) refAllocates() int {
	count, most := map[syntax.Node]int{}, 0
	for _, n := range c.ref.File.Root().Find("call") {
		if c.ref.Reached(n) && c.allocation(c.ref.Wrapper, n) != "" {
			count[host.Owner(n)]++
			most = max(most, count[host.Owner(n)])
		}
	}
	return most
}
