// Package p11 is rule P11: compile options reach the launch as the reference has them.
package p11

import (
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is P11.
var Rule = &rules.Rule{
	ID: "P11", Title: "Compile options reach the launch as the reference has them",
	Category: "performance", Owner: "host", Severity: rules.Warning, DecidedBy: "cross-file", Fix: "none",
	Why: "A cluster size that the reference tunes and the port cannot pass stays at one block, and a pinned one holds back what the reference leaves to the compiler.",
	Triage: []string{
		"Give the export `num_cta_in_cga: i32` and pass the value of each configuration.",
		"Set an option only when its value is positive: `if num_cta_in_cga > 0 { opts = opts.num_cta_in_cga(num_cta_in_cga); }`.",
		"Where the reference sets nothing, leave `CompileOptions::default()`.",
	},
	First: map[string]int{"missing": 0, "pinned": 2, "unguarded": 1},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts, reference.Facts, reference.Evidence}, Run: run,
}

// setters are the compile options, by the names that a reference gives them.
var setters = map[string][]string{"num_cta_in_cga": {"num_ctas", "num_cta_in_cga"}, "occupancy": {"occupancy"}}

func run(p *rules.Pass) {
	k := host.Of(p).Kernel(p.Kernel)
	if k.FFI == nil {
		return
	}
	for _, e := range k.FFI.Exports {
		if len(e.Launches) == 0 {
			continue
		}
		forwarded(p, k, e)
		for _, c := range dsl.Calls(e.Body) {
			if setters[c.Name] != nil && c.Method() && len(c.Args) == 1 {
				pinned(p, k, e, c)
			}
		}
	}
}

// forwarded reports an export that cannot pass on the number of CTAs that the
// reference tunes.
func forwarded(p *rules.Pass, k *host.Kernel, e *host.Export) {
	named := func(n syntax.Node) bool { return strings.HasPrefix(n.Text(), "num_cta") }
	if slices.ContainsFunc(k.FFI.File.Root().Find("identifier", "field_identifier"), named) {
		return
	}
	if values := tuned(p); len(values) > 0 {
		p.Reportf(e.NameAt, rules.Warning, "missing", "the reference tunes `num_ctas` (%s), but `%s` takes no `num_cta_in_cga`, so clusters stay at one block; expected the value of each configuration", rules.List(values), e.Name)
	}
}

// tuned lists the numbers of CTAs above 1 that the analysis or the reference's
// configurations have.
func tuned(p *rules.Pass) []string {
	found := map[int]bool{}
	if a := reference.Evidence.Of(p); a != nil {
		for _, v := range a.Values(func(key string) bool { return slices.Contains(setters["num_cta_in_cga"], key) }) {
			list, _ := v.([]any)
			for _, x := range append(list, v) {
				if n, ok := x.(float64); ok {
					found[int(n)] = true
				}
			}
		}
	}
	if ref := reference.Facts.Of(p); ref != nil {
		for _, s := range reference.Configs(ref.Wrapper) {
			for _, c := range s.Configs {
				if n, err := strconv.Atoi(c["num_ctas"]); err == nil {
					found[n] = true
				}
			}
		}
	}
	var out []string
	for _, n := range slices.Sorted(maps.Keys(found)) {
		if n > 1 {
			out = append(out, strconv.Itoa(n))
		}
	}
	return out
}

// pinned reports an option that is set to a number which the reference leaves
// to the compiler, or to a parameter whose value for none is set as well.
func pinned(p *rules.Pass, k *host.Kernel, e *host.Export, c dsl.Call) {
	arg := dsl.Unparen(c.Args[0])
	switch arg.Kind() {
	case "integer_literal":
		switch sets(p, setters[c.Name]) {
		case no:
			p.Reportf(c.Node, rules.Note, "pinned", "`%s(%s)` is set for every launch, the reference leaves it to the compiler; expected the default", c.Name, arg.Text())
		case maybe:
			p.Undecided("what the reference sets is not known")
		}
	case "identifier":
		if _, ok := e.Param(arg.Text()); ok && !guarded(c.Node, arg.Text()) && passesNone(k, e, arg.Text()) {
			p.Reportf(c.Node, rules.Warning, "unguarded", "`%s(%s)` is also called when the wrapper passes -1 for the compiler's choice; expected `if %s > 0`", c.Name, arg.Text(), arg.Text())
		}
	}
}

type answer uint8

const (
	no answer = iota
	maybe
	yes
)

// sets says whether the reference sets an option.
func sets(p *rules.Pass, keys []string) answer {
	a, ref := reference.Evidence.Of(p), reference.Facts.Of(p)
	if a != nil && a.Says(keys...) {
		return yes
	}
	if ref == nil {
		return maybe
	}
	for _, k := range ref.Kernels {
		if k.Splat {
			return maybe
		}
	}
	for _, n := range ref.File.Root().Find("identifier", "string") {
		if slices.Contains(keys, n.Text()) || slices.Contains(keys, syntax.PyString(n)) {
			return yes
		}
	}
	return no
}

// guarded reports whether a condition around a node names an identifier.
func guarded(n syntax.Node, name string) bool {
	for i := n.Ancestor("if_expression", "match_expression"); i.Valid(); i = i.Ancestor("if_expression", "match_expression") {
		cond := i.Field("condition")
		if i.Is("match_expression") {
			cond = i.Field("value")
		}
		if slices.ContainsFunc(cond.Find("identifier"), func(id syntax.Node) bool { return id.Text() == name }) {
			return true
		}
	}
	return false
}

// passesNone reports whether the wrapper has -1 for a parameter, directly or
// among the values of its configurations.
func passesNone(k *host.Kernel, e *host.Export, param string) bool {
	if k.Wrapper == nil {
		return false
	}
	for _, c := range k.Wrapper.Calls {
		if c.Symbol != e.Name || c.Hidden || len(c.Args) != len(e.Params) {
			continue
		}
		i := slices.IndexFunc(e.Params, func(q host.Param) bool { return q.Name == param })
		if minusOne(c.Args[i]) {
			return true
		}
		for _, attr := range c.Args[i].Find("attribute") {
			field := attr.Field("attribute").Text()
			for _, kw := range k.Wrapper.File.Root().Find("keyword_argument") {
				if kw.Field("name").Text() == field && minusOne(kw.Field("value")) {
					return true
				}
			}
		}
	}
	return false
}

func minusOne(n syntax.Node) bool {
	return slices.ContainsFunc(n.Find("unary_operator"), func(u syntax.Node) bool { return u.Squeeze() == "-1" })
}
