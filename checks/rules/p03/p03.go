// Package p03 is rule P3: an entry takes what its reference IR accesses.
package p03

import (
	_ "embed"
	"path"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/r12"
	"github.com/tilegate/tilegate/checks/rules/r28"
)

//go:embed doc.md
var doc string

// Rule is P3.
var Rule = &rules.Rule{
	ID: "P3", Title: "An entry takes what its reference IR accesses",
	Category: "memory", Owner: "kernel", Severity: rules.Warning, DecidedBy: "ir", Fix: "none",
	Why: "A port that reaches memory in another way than the reference loses TMA, or asks for tensor descriptors that the reference never needed.",
	Triage: []string{
		"Count `load_view_tko` and `load_ptr_tko` in the reference IR of the variant.",
		"Views: take `&Tensor<E, { [-1, ..] }>`. Pointers: take `*mut E` and mask the loads.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules, reference.Evidence}, Run: run,
}

// style is how a kernel reaches memory.
type style uint8

const (
	unknown style = iota
	views
	pointers
)

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Entries() {
			check(p, fn)
		}
	}
}

func check(p *rules.Pass, fn *dsl.Func) {
	file, want := expected(p, fn.Name)
	a := fn.AccessOf()
	var got style
	switch {
	case a.Tensors > 0 && a.Pointers == 0:
		got = views
	case a.Pointers > 0 && a.Tensors == 0:
		got = pointers
	}
	if want == unknown || got == unknown || got == want {
		return
	}
	if p.Speaks(r12.Rule, "style") || p.Speaks(r28.Rule, "pointer") {
		return
	}
	said := map[style]string{views: "views (`load_view_tko`)", pointers: "pointers (`load_ptr_tko`)"}
	take := map[style]string{views: "tensors", pointers: "pointers"}
	p.Reportf(fn.NameAt, rules.Warning, "pattern", "`%s` takes %s, but `%s` reaches memory through %s only; expected %s", fn.Name, take[got], file, said[want], take[want])
}

// expected says how the reference IR of an entry reaches memory: that of the
// variant with the longest name that the entry's contains, or that of all dumps when they agree.
func expected(p *rules.Pass, entry string) (string, style) {
	dir := path.Join(p.Kernel.Dir, "reference")
	dumps := p.Tree.Files(dir, func(f string) bool { return path.Dir(f) == dir && path.Ext(f) == ".mlir" })
	if a := reference.Evidence.Of(p); a != nil && len(a.Variants) > 1 {
		longest := ""
		dumps = nil
		for _, v := range a.Variants {
			if len(v.Name) > len(longest) && strings.Contains(strings.ToLower(entry), strings.ToLower(v.Name)) {
				longest, dumps = v.Name, []string{path.Join(p.Kernel.Dir, v.ReferenceIR)}
			}
		}
	}
	found, file := unknown, ""
	for _, f := range dumps {
		d := reference.ReadDump(p.Tree, f)
		if d == nil {
			return "", unknown
		}
		s := styleOf(d)
		if s == unknown || found != unknown && s != found {
			return "", unknown
		}
		found, file = s, path.Base(f)
	}
	return file, found
}

func styleOf(d *reference.Dump) style {
	v, q := 0, 0
	for _, e := range d.Entries {
		v += e.Count("load_view_tko") + e.Count("store_view_tko") + e.Count("store_view_tko_mut")
		q += e.Count("load_ptr_tko") + e.Count("store_ptr_tko")
	}
	switch {
	case v > 0 && q == 0:
		return views
	case q > 0 && v == 0:
		return pointers
	}
	return unknown
}
