// Package r12 is rule R12: the form of an entry's attribute, signature and
// parameters.
package r12

import (
	_ "embed"
	"fmt"
	"maps"
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

// Rule is R12.
var Rule = &rules.Rule{
	ID: "R12", Title: "Entry attribute and parameters in the form that gets a launcher",
	Category: "syntax", Owner: "kernel", Severity: rules.Error, DecidedBy: "cross-file", Fix: "safe",
	Signatures: []string{"S-B06", "S-B08", "S-B09", "S-J11", "S-J18", "S-B16"},
	Why:        "The macro generates a launcher only for entries that it recognises, and rejects parameters that it cannot pass; without a launcher ffi.rs does not compile.",
	Whys: map[string]string{
		"variants": "A structural variant of the reference is another kernel; without an entry for it, some inputs run one that was not made for them.",
		"style":    "An entry that takes its tensors in another way than the reference compiles to other accesses, and its IR cannot be compared with the reference's.",
	},
	Triage: []string{
		"Write `#[cutile::entry()]`, with options inside the parentheses.",
		"Make the entry `pub`, and `unsafe` when it takes pointers or skips access checks.",
		"Use `&Tensor<E, { [-1, ..] }>` for views and `*mut E` for pointer loads, as the reference does.",
		"Give each variant of the analysis an entry of its own, and write variants that differ in constants as one.",
	},
	First: map[string]int{"const pointer": 2, "owned tensor": 2, "reference": 2, "style": 2, "attribute path": 0, "bare attribute": 0, "conditional": 0, "no attribute": 0, "private": 1, "safe": 1, "variants": 3},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules, host.Facts, reference.IR, reference.Evidence}, Run: run,
}

func run(p *rules.Pass) {
	forgotten(p)
	for _, m := range dsl.Modules.Of(p) {
		used := imported(p, m.Name)
		for _, fn := range m.Entries() {
			header(p, fn, used)
			parameters(p, fn)
			style(p, fn)
		}
		for _, fn := range m.Funcs {
			conditional(p, fn)
		}
		variants(p, m.Entries())
	}
}

// conditional reports an entry whose attribute depends on the configuration: the
// module's macro runs before that is decided, and sees no entry.
func conditional(p *rules.Pass, fn *dsl.Func) {
	if fn.Entry != nil {
		return
	}
	for _, a := range fn.Node.Attributes() {
		if dsl.AttributePath(a) == "cfg_attr" && strings.Contains(a.Squeeze(), "cutile::entry") {
			p.Reportf(a, rules.Error, "conditional", "`#[%s]` gives `%s` no launcher; the macro looks for the attribute itself, write `#[cutile::entry()]`", a.Squeeze(), fn.Name)
		}
	}
}

// plain are attributes that say nothing about what becomes of a function.
var plain = []string{"allow", "expect", "warn", "deny", "doc", "inline", "must_use", "rustfmt::skip"}

// forgotten reports functions that ffi.rs launches and that have no attribute which
// makes them entries.
func forgotten(p *rules.Pass) {
	k := host.Of(p).Kernel(p.Kernel)
	if k.FFI == nil {
		return
	}
	byName := map[string]*dsl.Func{}
	bare := map[string]bool{}
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			// Another attribute is reported as conditional, or that of another macro.
			if fn.Entry == nil && !fn.Node.Damaged() && !slices.ContainsFunc(fn.Node.Attributes(), func(a syntax.Node) bool { return !slices.Contains(plain, dsl.AttributePath(a)) }) {
				byName[m.Name+"::"+fn.Name] = fn
				bare[m.Name+"::"+fn.Name] = true
			}
		}
	}
	for _, e := range k.FFI.Exports {
		for _, name := range slices.Sorted(maps.Keys(e.Launched(k.FFI, bare))) {
			fn := byName[name]
			delete(bare, name)
			fix := rules.Insert(fn.Node.Span().Start, "#[cutile::entry()]\n"+host.Indent(fn.Node), "make the function an entry")
			p.ReportFix(fn.NameAt, rules.Error, "no attribute", fix, "`%s` launches `%s`, which is no entry and has no launcher; expected `#[cutile::entry()]` above it", e.Name, fn.Name)
		}
	}
}

// variants compares the number of entries with the analysis, and tensors with
// a reference that goes through pointers alone. The other way round, pointers
// where the reference has views, is rule R28's.
func variants(p *rules.Pass, entries []*dsl.Func) {
	if len(entries) == 0 {
		return
	}
	if a := reference.Evidence.Of(p); a != nil && len(a.Variants) > 0 {
		last := entries[len(entries)-1]
		switch n := len(a.Variants); {
		case len(entries) < n:
			p.Reportf(last.NameAt, rules.Warning, "variants", "`analysis.json` lists %d structural variants, but there are %d entries; expected one for each", n, len(entries))
		case len(entries) > n:
			p.Reportf(last.NameAt, rules.Note, "variants", "`analysis.json` lists %d structural variants, but there are %d entries; an entry for the same variant with other constants is fine", n, len(entries))
		}
	}
	pointers := 0
	for _, e := range reference.IR.Of(p) {
		if e.Count("load_view_tko")+e.Count("store_view_tko") > 0 {
			return
		}
		pointers += e.Count("load_ptr_tko") + e.Count("store_ptr_tko")
	}
	for _, fn := range entries {
		if a := fn.AccessOf(); pointers > 0 && !a.HandsOverData && a.Tensors > 0 && a.Pointers == 0 && a.ViewOps > 0 && a.PointerOps == 0 {
			p.Reportf(fn.NameAt, rules.Warning, "style", "the reference's IR goes through pointers alone, but `%s` takes tensors and accesses them through views; take `*mut E`", fn.Name)
		}
	}
}

// imported holds the names that ffi.rs takes from the module.
func imported(p *rules.Pass, module string) map[string]bool {
	out := map[string]bool{}
	for _, d := range p.Tree.File(p.Kernel.FFI).Root().Find("use_declaration") {
		for _, u := range dsl.Uses(d) {
			if n := len(u.Path); n >= 2 && u.Path[n-2] == module {
				out[u.Path[n-1]] = true
			}
		}
	}
	return out
}

// header checks the attribute and what stands before the function's name. The
// edits of all its findings go with the first.
func header(p *rules.Pass, fn *dsl.Func, used map[string]bool) {
	type found struct {
		at             syntax.Node
		pin, construct string
		message        string
		args           []any
	}
	var all []found
	var edits []rules.TextEdit
	insert := func(at int, text string) {
		edits = append(edits, rules.TextEdit{Span: syntax.Span{Start: at, End: at}, New: text})
	}
	e := fn.Entry
	inCrate := strings.Contains(fn.Module.Attr.Field("arguments").Squeeze(), "tile_rust_crate")
	switch {
	case !e.HasList:
		all = append(all, found{e.Attr, "0.2.0", "bare attribute", "`#[%s]` has no argument list; cutile 0.2.0 then generates no launcher, write `#[cutile::entry()]`", []any{e.Path}})
		if e.Path == "cutile::entry" && !e.Attr.Field("value").Valid() {
			insert(e.Attr.Span().End, "()")
		}
	case e.Path != "cutile::entry" && !inCrate:
		all = append(all, found{e.Attr, "", "attribute path", "`#[%s(..)]` is checked as an entry but gets no launcher; the macro looks for the path `cutile::entry`", []any{e.Path}})
	}
	if used[fn.Name] && !fn.Public {
		all = append(all, found{fn.NameAt, "", "private", "ffi.rs imports `%s` but the entry is not `pub`", []any{fn.Name}})
		if own := fn.Node.ChildOf("visibility_modifier"); own.Valid() {
			edits = append(edits, rules.TextEdit{Span: own.Span(), New: "pub"})
		} else {
			insert(fn.Node.Span().Start, "pub ")
		}
	}
	unsafely := func() {
		if !fn.Node.ChildOf("function_modifiers").Valid() {
			insert(fn.Node.ChildOf("fn").Span().Start, "unsafe ")
		}
	}
	pointer := syntax.Node{}
	for _, q := range fn.Params {
		if q.Type.Is("pointer_type") && !pointer.Valid() {
			pointer = q.Node
		}
	}
	switch {
	case fn.Unsafe:
	case pointer.Valid():
		all = append(all, found{fn.NameAt, "", "safe with pointers", "the entry takes the pointer `%s` but is not `unsafe`", []any{pointer.Squeeze()}})
		unsafely()
	case unchecked(e.Args):
		all = append(all, found{fn.NameAt, "", "safe without checks", "the entry sets `unchecked_accesses = true` but is not `unsafe`", nil})
		unsafely()
	}
	for i, f := range all {
		var fix *rules.Fix
		if i == 0 && len(edits) > 0 {
			fix = &rules.Fix{Description: "give the entry the form that gets a launcher", Edits: edits}
		}
		if !f.at.Damaged() {
			p.Report(rules.Diagnostic{
				File: f.at.File(), Span: f.at.Span(), Severity: rules.Error, Construct: f.construct, Pin: f.pin, Fix: fix,
				Message: fmt.Sprintf(f.message, f.args...),
			})
		}
	}
}

// unchecked reports whether an entry's options hold unchecked_accesses = true.
func unchecked(args syntax.Node) bool {
	for c := range args.Children() {
		if c.Is("identifier") && c.Text() == "unchecked_accesses" && c.Next().Is("=") {
			return c.Next().Next().Text() == "true"
		}
	}
	return false
}

func parameters(p *rules.Pass, fn *dsl.Func) {
	for _, q := range fn.Params {
		t := dsl.ParseType(q.Type)
		switch {
		case t.Kind == dsl.Ptr && !t.Mut:
			p.ReportPinned(q.Type, rules.Error, "const pointer", "0.2.0", "`%s`: entries take `*mut %s` only", q.Node.Squeeze(), t.Elem)
		case t.Kind == dsl.Tensor && !t.Ref:
			p.Reportf(q.Type, rules.Error, "owned tensor", "`%s` would move the tensor into the kernel; take `&Tensor<..>`", q.Node.Squeeze())
		case q.Type.Is("reference_type") && t.Kind != dsl.Tensor && t.Name != "" && !fn.Module.Aliases[t.Name]:
			p.Reportf(q.Type, rules.Error, "reference", "`%s`: the launcher passes references to `Tensor` only", q.Node.Squeeze())
		}
	}
}

// style reports parameters of one style with accesses of the other.
func style(p *rules.Pass, fn *dsl.Func) {
	a := fn.AccessOf()
	if a.HandsOverData {
		p.Undecided("a helper may do the accesses")
		return
	}
	switch {
	case a.Pointers > 0 && a.Tensors == 0 && a.ViewOps > 0 && a.PointerOps == 0 && !a.MakesView:
		p.Reportf(fn.NameAt, rules.Warning, "style", "`%s` takes pointers but accesses memory through views only; take `&Tensor<E, { [-1, ..] }>` as a reference with views does", fn.Name)
	case a.Tensors > 0 && a.Pointers == 0 && a.PointerOps > 0 && a.ViewOps == 0:
		p.Reportf(fn.NameAt, rules.Warning, "style", "`%s` takes tensors but accesses memory through pointers only; take `*mut E` as a reference with pointers does", fn.Name)
	}
}
