// Package r20 is rule R20: latency, TMA, occupancy and CGA hints come from the
// reference.
package r20

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

// Rule is R20.
var Rule = &rules.Rule{
	ID: "R20", Title: "Hints come from the reference, not from habit",
	Category: "performance", Owner: "kernel", Severity: rules.Error, DecidedBy: "cross-file", Fix: "none",
	Signatures: []string{"S-P02", "S-P03", "S-P07", "S-J02", "S-J17", "S-R17"},
	Why:        "A hint that another kernel needed costs registers or clusters here, a hint that the reference has and the port drops costs its speed, and a hint that the compiler does not know stops the first launch.",
	Triage: []string{
		"List the reference's hints: the decorator of its kernel, `latency=` of its loads, `num_ctas` and `occupancy` of its configurations.",
		"Give the entry those and no others; pass tuned values as compile options.",
		"Under `optimization_hints` write one tuple for each `sm_*` with `num_cta_in_cga`, `occupancy` or `max_divisibility`.",
	},
	First: map[string]int{"key": 2, "cluster": 1, "contradiction": 0, "hint": 0, "latency": 0},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts, reference.Facts, reference.Evidence, dsl.Modules}, Run: run,
}

// pin is the cutile version whose entry hints are known.
const pin = "0.2.0"

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, f := range m.Entries() {
			entryHints(p, f)
			dropped(p, f)
		}
		for _, f := range m.Funcs {
			latencies(p, f)
		}
	}
	clusters(p)
}

// known are the hints that an entry takes under an architecture.
var known = []string{"num_cta_in_cga", "occupancy", "max_divisibility"}

// perOp are hints of single operations.
var perOp = []string{"latency", "allow_tma"}

// hint is key = value in an entry's attribute. The value is a token, or a
// token_tree.
type hint struct {
	key   syntax.Node
	value syntax.Node
}

// pairs lists the key = value pairs at the top level of a token tree.
func pairs(tree syntax.Node) []hint {
	var out []hint
	var toks []syntax.Node
	for c := range tree.Children() {
		if !c.IsComment() {
			toks = append(toks, c)
		}
	}
	for i := 0; i+2 < len(toks); i++ {
		if toks[i].Is("identifier") && toks[i+1].Kind() == "=" {
			out = append(out, hint{toks[i], toks[i+2]})
		}
	}
	return out
}

// entryHints checks the hints of an entry's attribute.
func entryHints(p *rules.Pass, f *dsl.Func) {
	var bare []hint // without evidence
	defer func() {
		if len(bare) == 0 {
			return
		}
		var texts []string
		for _, h := range bare {
			if text := h.key.Text() + " = " + h.value.Text(); !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
		p.Reportf(bare[0].key, rules.Note, "hint", "`%s` has the hints `%s`; neither the reference's kernel (`%s`) nor an `analysis.json` has them (compile options of the launch override them)", f.Name, strings.Join(texts, ", "), p.Kernel.Reference)
	}()
	for c := range f.Entry.Args.Children() {
		if c.Is("identifier") && c.Text() == "optimization_hints" && c.Next().Is("token_tree") {
			p.ReportPinned(c, rules.Error, "key", pin, "`optimization_hints(..)` is not understood; expected `optimization_hints = (sm_100 = (occupancy = 1,),)`")
		}
	}
	for _, top := range pairs(f.Entry.Args) {
		if top.key.Text() != "optimization_hints" {
			if name := top.key.Text(); slices.Contains(known, name) || slices.Contains(perOp, name) {
				p.ReportPinned(top.key, rules.Error, "key", pin, "`%s` is no option of an entry; expected it under `optimization_hints = (sm_100 = (%s = ..,),)`", name, known[0])
			}
			continue
		}
		for _, arch := range pairs(top.value) {
			if !strings.HasPrefix(arch.key.Text(), "sm_") {
				p.ReportPinned(arch.key, rules.Error, "key", pin, "`%s` stands where an architecture is expected: `optimization_hints = (sm_100 = (occupancy = 1,),)`", arch.key.Text())
				continue
			}
			for _, h := range pairs(arch.value) {
				name := h.key.Text()
				switch {
				case slices.Contains(perOp, name):
					p.ReportPinned(h.key, rules.Error, "key", pin, "`%s` is a hint of a load or store and cannot stand at an entry", name)
				case !slices.Contains(known, name):
					p.ReportPinned(h.key, rules.Error, "key", pin, "`%s` is no hint of an entry; expected %s", name, "`"+strings.Join(known, "`, `")+"`")
				case name != "max_divisibility" && unfounded(p, f, h):
					bare = append(bare, h)
				}
			}
		}
	}
}

// dropped notes an entry without a hint that the reference's kernel of the same name
// has, where the wrapper passes no value of its own.
func dropped(p *rules.Pass, f *dsl.Func) {
	ref := reference.Facts.Of(p)
	w := host.Of(p).Kernel(p.Kernel).Wrapper
	if ref == nil || w == nil || reference.Evidence.Of(p) != nil {
		return
	}
	for _, k := range ref.Kernels {
		if !k.Reached || k.Splat || named(k.Name) != named(f.Name) {
			continue
		}
		for _, hint := range slices.Sorted(maps.Keys(hintKeys)) {
			keys := hintKeys[hint]
			for _, key := range keys {
				n, isInt := ref.Int(k.Hints[key])
				if !k.Hints[key].Valid() || !isInt || strings.Contains(f.Entry.Args.Text(), hint) || tuned(w, keys) {
					continue
				}
				p.Reportf(f.NameAt, rules.Note, "hint", "`%s` has no `%s`; `%s` of the reference (`%s`) has `%s = %d`", f.Name, hint, k.Name, p.Kernel.Reference, key, n)
			}
		}
	}
}

// named is the name of a kernel without what the two languages add to it.
func named(kernel string) string { return strings.TrimSuffix(strings.Trim(kernel, "_"), "_ct") }

// tuned reports whether a wrapper may set a hint: it gives something by that name
// another value than the one for automatic.
func tuned(w *host.Wrapper, keys []string) bool {
	for _, a := range w.File.Root().Find("keyword_argument", "assignment", "pair", "default_parameter") {
		name, value := a.Field("name"), a.Field("value")
		switch {
		case a.Is("assignment"):
			name, value = a.Field("left"), a.Field("right")
		case a.Is("pair"):
			name = a.Field("key")
		}
		text := strings.ToLower(name.Text())
		if !slices.ContainsFunc(keys, func(k string) bool { return strings.Contains(text, k) }) {
			continue
		}
		if v := w.Const(value); !v.Is("none") && v.Squeeze() != "-1" {
			return true
		}
	}
	return false
}

// hintKeys are the names of an entry's hints in decorators and analyses.
var hintKeys = map[string][]string{"occupancy": {"occupancy"}, "num_cta_in_cga": {"num_ctas", "num_cta_in_cga"}}

// unfounded reports whether neither the analysis nor the decorator of a
// reference kernel has an entry's hint. A contradiction is reported at once.
func unfounded(p *rules.Pass, f *dsl.Func, h hint) bool {
	name := h.key.Text()
	keys := hintKeys[name]
	var said []string
	if a := reference.Evidence.Of(p); a != nil {
		for _, v := range a.Values(func(k string) bool { return slices.Contains(keys, k) }) {
			if n, ok := v.(float64); ok {
				said = append(said, strconv.Itoa(int(n)))
			}
		}
		if len(said) > 0 {
			if !slices.Contains(said, h.value.Text()) && digits(h.value.Text()) {
				p.Reportf(h.value, rules.Warning, "contradiction", "`%s` has `%s = %s`, the analysis of the reference (`%s`) says %s", f.Name, name, h.value.Text(), a.Path, list(said))
			}
			return false
		}
	}
	ref := reference.Facts.Of(p)
	if ref == nil {
		p.Undecided("the reference's hints are not known")
		return false
	}
	for _, k := range ref.Kernels {
		if k.Splat {
			p.Undecided("hints of the reference are hidden")
			return false
		}
		for _, key := range keys {
			v, ok := k.Hints[key]
			if !k.Reached || !ok {
				continue
			}
			n, isInt := ref.Int(v)
			if !isInt {
				p.Undecided("a hint of the reference is computed")
				return false
			}
			said = append(said, strconv.Itoa(n))
		}
	}
	if len(said) > 0 && !slices.Contains(said, h.value.Text()) && digits(h.value.Text()) {
		p.Reportf(h.value, rules.Warning, "contradiction", "`%s` has `%s = %s`, the reference's kernel (`%s`) has %s", f.Name, name, h.value.Text(), p.Kernel.Reference, list(said))
	}
	return len(said) == 0
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func list(values []string) string {
	slices.Sort(values)
	return "`" + strings.Join(slices.Compact(values), "`, `") + "`"
}

// latencyAt is the place of the latency among the arguments of an access.
var latencyAt = map[string]int{"load_view_tko": 4, "store_view_tko_mut": 5, "load_ptr_tko": 6, "store_ptr_tko": 6}

// latencies notes latencies that the reference does not have.
func latencies(p *rules.Pass, f *dsl.Func) {
	for _, c := range f.OpCalls(f.Body, "load_view_tko", "store_view_tko_mut", "load_ptr_tko", "store_ptr_tko") {
		i := latencyAt[c.Name]
		if len(c.Args) <= i {
			continue
		}
		n, ok := latency(f, c.Args[i])
		if !ok || n <= 1 {
			continue // 0 is no hint, and 1 is what the operation takes for none
		}
		said, where, decided := referenceLatencies(p)
		switch {
		case !decided:
			p.Undecided("the reference's latencies are not known")
			return
		case slices.Contains(said, n):
		case len(said) == 0:
			p.Reportf(c.Args[i], rules.Note, "latency", "`%s` has the latency %d; the reference (%s) has none", c.Name, n, where)
		default:
			var texts []string
			for _, s := range said {
				texts = append(texts, strconv.Itoa(s))
			}
			p.Reportf(c.Args[i], rules.Note, "latency", "`%s` has the latency %d; the reference (%s) has %s", c.Name, n, where, list(texts))
		}
	}
}

// latency reads Latency::<3>, Some(3i32) and names of module constants.
func latency(f *dsl.Func, n syntax.Node) (int, bool) {
	if inner, ok := dsl.SomeOf(n); ok {
		n = inner
	} else if n.Is("generic_function") && syntax.LastSegment(n.Field("function")) == "Latency" {
		n = n.Field("type_arguments").NamedChild(0)
	} else {
		return 0, false
	}
	n = dsl.Unparen(n)
	if n.Is("identifier", "type_identifier") {
		if c, ok := f.Module.Consts[n.Text()]; ok && !f.Const(n.Text()) {
			n = c.Field("value")
		}
	}
	text := strings.TrimSuffix(strings.TrimSuffix(n.Text(), "i32"), "_")
	v, err := strconv.Atoi(text)
	return v, err == nil && n.Is("integer_literal")
}

// referenceLatencies lists the latencies of the analysis and of the reference's
// loads and stores, and tells the file or files that say so; decided is false when
// one is not known.
func referenceLatencies(p *rules.Pass) (said []int, where string, decided bool) {
	var files []string
	if a := reference.Evidence.Of(p); a != nil {
		for _, v := range a.Values(func(k string) bool { return strings.Contains(k, "latency") }) {
			for _, e := range flatten(v) {
				said = append(said, int(e))
			}
		}
		if len(said) > 0 {
			files = append(files, a.Path)
		}
	}
	ref := reference.Facts.Of(p)
	if ref == nil {
		return said, rules.List(files), len(said) > 0
	}
	files = append(files, p.Kernel.Reference)
	for _, c := range ref.Calls("load", "store", "gather", "scatter") {
		if c.Hidden() {
			return nil, "", false
		}
		v := c.Arg("latency", -1)
		if !v.Valid() {
			continue
		}
		if n, ok := ref.Int(v); ok {
			said = append(said, n)
			continue
		}
		values := ref.Values(v.Text())
		if len(values) == 0 {
			return nil, "", false
		}
		for _, v := range values {
			n, ok := ref.Int(v)
			if !ok {
				return nil, "", false
			}
			said = append(said, n)
		}
	}
	return slices.DeleteFunc(said, func(n int) bool { return n < 0 }), rules.List(files), true
}

// flatten lists the numbers in a value of an analysis.
func flatten(v any) []float64 {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case []any:
		var out []float64
		for _, e := range v {
			out = append(out, flatten(e)...)
		}
		return out
	case map[string]any:
		var out []float64
		for _, e := range v {
			out = append(out, flatten(e)...)
		}
		return out
	}
	return nil
}

// clusters compares the number of CTAs that the wrapper passes with the
// reference's.
func clusters(p *rules.Pass) {
	k := host.Of(p).Kernel(p.Kernel)
	ref := reference.Facts.Of(p)
	if k.Wrapper == nil || k.FFI == nil || ref == nil {
		return
	}
	for _, c := range k.Wrapper.Calls {
		e := k.Crate.Export(c.Symbol)
		if e == nil || c.Hidden || len(c.Args) != len(e.Params) {
			continue
		}
		for i, q := range e.Params {
			if q.Name != "num_cta_in_cga" && q.Name != "num_ctas" {
				continue
			}
			passed, ok := newValues(k.Wrapper).of(c.Args[i])
			if !ok {
				p.Undecided("the number of CTAs that the wrapper passes is not known")
				continue
			}
			theirs, sets := ctas(ref)
			auto := !slices.ContainsFunc(passed, func(v int) bool { return v > 0 })
			switch {
			case !slices.ContainsFunc(passed, func(v int) bool { return v > 1 }) && slices.ContainsFunc(theirs, func(v int) bool { return v > 1 }):
				always := "the compiler's default"
				if !auto {
					always = numbers(passed)
				}
				p.Reportf(c.Args[i], rules.Warning, "cluster", "the reference (`%s`) tunes `num_ctas` (%s), but `%s` always gets %s, so clusters stay at one block; expected the value of each configuration", p.Kernel.Reference, numbers(theirs), q.Name, always)
			case !auto && !sets:
				p.Reportf(c.Args[i], rules.Warning, "cluster", "`%s` gets %s, but the reference (`%s`) never sets `num_ctas`; expected -1", q.Name, numbers(passed), p.Kernel.Reference)
			}
		}
	}
}

func numbers(values []int) string {
	var out []string
	for _, v := range values {
		out = append(out, strconv.Itoa(v))
	}
	return list(out)
}

// ctas lists the reference's numbers of CTAs; sets says that it sets them at
// all, known or not.
func ctas(ref *reference.File) (values []int, sets bool) {
	for _, s := range reference.Configs(ref.Wrapper) {
		for _, c := range s.Configs {
			if n, err := strconv.Atoi(c["num_ctas"]); err == nil {
				values = append(values, n)
			}
		}
	}
	for _, k := range ref.Kernels {
		sets = sets || k.Splat
	}
	for _, n := range ref.File.Root().Find("identifier", "string") {
		sets = sets || n.Text() == "num_ctas" || syntax.PyString(n) == "num_ctas"
	}
	return values, sets
}
