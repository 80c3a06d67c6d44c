// Package r29 is rule R29: latency hints in persistent loops come from the
// reference.
package r29

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R29.
var Rule = &rules.Rule{
	ID: "R29", Title: "Latency hints in persistent loops come from the reference",
	Category: "performance", Owner: "kernel", Severity: rules.Error, DecidedBy: "cross-file", Fix: "suggest",
	Signatures: []string{"S-R01"},
	Why:        "A persistent kernel is compiled for many configurations, and a latency that one of them cannot hold ends in an abort during tuning or in a slow pipeline.",
	Triage: []string{
		"Pass `None` unless the reference's load or store has `latency=` or its IR shows the hint.",
		"Run one fixed configuration without the tuner to see whether the hint is the cause.",
		"Pass the latency of the reference's load or store.",
	},
	First: map[string]int{"latency": 0, "missing": 2},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules, reference.Facts, reference.IR, reference.Evidence}, Run: run,
}

// maxKernels bounds how many kernels of a reference are looked at.
const maxKernels = 64

// hintAt gives the position of the latency among the arguments.
var hintAt = map[string]int{"load_view_tko": 4, "store_view_tko_mut": 5}

func run(p *rules.Pass) {
	ev := evidenceOf(p)
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			for _, c := range fn.OpCalls(fn.Body, "load_view_tko", "store_view_tko_mut") {
				if i := hintAt[c.Name]; i < len(c.Args) && persistent(fn, c.Node) {
					check(p, fn, c, c.Args[i], ev)
				}
			}
		}
	}
}

// persistent reports whether a loop around a node steps by the launch grid.
func persistent(fn *dsl.Func, n syntax.Node) bool {
	for l := dsl.Loop(n); l.Valid(); l = dsl.Loop(l) {
		if l.Is("for_expression") && fn.GridStride(l) {
			return true
		}
	}
	return false
}

// latencies is what the reference says of the latencies of its loads or its
// stores.
type latencies struct {
	known  bool  // there is a reference that would show them
	values []int // that it asks for
	every  bool  // each load, or each store, asks for one
}

// evidence is what all sources say together.
type evidence struct {
	loads, stores latencies
	denied        bool // the analysis says that there is none
	inIR          bool // the IR shows one
}

func check(p *rules.Pass, fn *dsl.Func, c dsl.Call, arg syntax.Node, ev evidence) {
	of, what := ev.loads, "load"
	if c.Name == "store_view_tko_mut" {
		of, what = ev.stores, "store"
	}
	value := fn.Resolve(arg, 3)
	if dsl.IsNone(value) {
		if of.known && of.every && !ev.inIR {
			p.Reportf(arg, rules.Note, "missing", "the reference asks for latency %s at each %s of its persistent loop, this one has none", list(of.values), what)
		}
		return
	}
	if _, ok := dsl.SomeOf(value); !ok {
		p.Undecided("the latency is a value from elsewhere")
		return
	}
	if !ev.loads.known {
		p.Undecided("what the reference says of latencies is not known")
		return
	}
	if len(ev.loads.values)+len(ev.stores.values) > 0 || ev.inIR {
		return // which value it is belongs to rule R20
	}
	severity, says := rules.Warning, "the reference has no latency there"
	if ev.denied {
		severity, says = rules.Error, "the analysis says that there is no latency"
	}
	p.Reportf(arg, severity, "latency", "`%s` is a latency hint in a persistent loop, but %s; pass `None`", arg.Squeeze(), says)
}

func list(values []int) string {
	var out []string
	for _, v := range values {
		out = append(out, strconv.Itoa(v))
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}

func evidenceOf(p *rules.Pass) evidence {
	var ev evidence
	python(reference.Facts.Of(p), &ev)
	if a := reference.Evidence.Of(p); a != nil {
		for _, v := range a.Values(func(k string) bool { return strings.Contains(k, "latenc") }) {
			switch n, ok := number(v); {
			case ok && n > 0:
				ev.loads.known, ev.stores.known = true, true
				ev.loads.values = append(ev.loads.values, n)
			case ok:
				ev.denied = true
			default:
				ev.loads.known = false // it says something that is not understood
				return ev
			}
		}
		if ev.denied = ev.denied && len(ev.loads.values) == 0; ev.denied {
			ev.loads.known = true
		}
	}
	for _, e := range reference.IR.Of(p) {
		ev.loads.known, ev.stores.known = true, true
		for _, op := range e.Ops {
			ev.inIR = ev.inIR || strings.Contains(op.Text, "latency")
		}
	}
	return ev
}

// number reads a latency of the analysis; null, "none" and an empty list are 0.
func number(v any) (int, bool) {
	switch v := v.(type) {
	case nil:
		return 0, true
	case float64:
		return int(v), true
	case string:
		if s := strings.ToLower(v); s == "none" || s == "" {
			return 0, true
		}
		n, err := strconv.Atoi(v)
		return n, err == nil
	case []any:
		most := 0
		for _, e := range v {
			n, ok := number(e)
			if !ok {
				return 0, false
			}
			most = max(most, n)
		}
		return most, true
	}
	return 0, false
}

// python reads the latencies of the reference's persistent kernels, or of all
// when none is persistent.
func python(ref *reference.File, ev *evidence) {
	if ref == nil {
		return
	}
	var kernels []*reference.Kernel
	for _, only := range []bool{true, false} {
		for _, k := range ref.Kernels {
			if k.Reached && (!only || ref.Persistent(k)) && len(kernels) < maxKernels {
				kernels = append(kernels, k)
			}
		}
		if len(kernels) > 0 {
			break
		}
	}
	given := map[string][]syntax.Node{}
	for i, name := range []string{"load", "store"} {
		l := latencies{known: true, every: true}
		calls := 0
		for _, c := range ref.Calls(name) {
			k := ref.Kernel(c.Node)
			if k != nil && !slices.Contains(kernels, k) {
				continue
			}
			calls++
			values, ok := asked(ref, k, c, given)
			if !ok {
				l.known = false
			}
			l.values = append(l.values, values...)
			l.every = l.every && len(values) > 0
		}
		l.every = l.every && calls > 0
		if i == 0 {
			l.known = l.known && calls > 0
			ev.loads = l
			continue
		}
		ev.stores = l
		ev.loads.known = ev.loads.known && l.known
	}
}

// asked lists the positive latencies that a call asks for; ok is false when
// they are not visible.
func asked(ref *reference.File, k *reference.Kernel, c reference.Call, cache map[string][]syntax.Node) (values []int, ok bool) {
	if c.Hidden() {
		return nil, false
	}
	arg := c.Arg("latency", -1)
	if !arg.Valid() || arg.Is("none") {
		return nil, true
	}
	if n, ok := ref.Int(arg); ok {
		return positive(n), true
	}
	// A constant of the kernel: what the configurations set.
	if k == nil || !arg.Is("identifier") || !slices.ContainsFunc(k.Params, func(q reference.Param) bool { return q.Name == arg.Text() }) {
		return nil, false
	}
	given, seen := cache[arg.Text()]
	if !seen {
		given = ref.Values(arg.Text())
		cache[arg.Text()] = given
	}
	for _, v := range given {
		n, ok := ref.Int(v)
		if !ok {
			return nil, false
		}
		values = append(values, positive(n)...)
	}
	return values, len(given) > 0
}

func positive(n int) []int {
	if n > 0 {
		return []int{n}
	}
	return nil
}
