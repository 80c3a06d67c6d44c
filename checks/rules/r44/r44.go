// Package r44 is rule R44: host code that partitions imports PartitionMut.
package r44

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R44.
var Rule = &rules.Rule{
	ID: "R44", Title: "Host code that partitions imports PartitionMut",
	Category: "syntax", Owner: "host", Severity: rules.Note, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-B15"},
	Why:        "On the host, `partition` on a mutable tensor is a method of a trait; without the trait in scope the crate does not compile.",
	Triage: []string{
		"In host and test code add `use cutile::prelude::PartitionMut;`.",
		"In a kernel module nothing needs an import: when `partition_full_mut` is not found there, the receiver has the wrong type.",
	},
	Doc: doc, Scope: rules.PerCrate, Run: run,
}

func run(p *rules.Pass) {
	for _, f := range p.Tree.Files(p.Crate.Root, func(f string) bool { return path.Ext(f) == ".rs" && path.Base(f) != "kernel.rs" }) {
		check(p, p.Tree.File(f))
	}
}

func check(p *rules.Pass, f *syntax.File) {
	var calls []syntax.Node
	for _, n := range f.Root().Find("call_expression") {
		c, ok := dsl.AsCall(n)
		if ok && c.Method() && c.Name == "partition" && len(c.Args) == 1 && list(c.Args[0]) && !inKernel(n) {
			calls = append(calls, n)
		}
	}
	if len(calls) == 0 {
		return
	}
	switch imported(p, f) {
	case yes:
		return
	case unknown:
		p.Undecided("a glob import may bring the trait into scope")
		return
	}
	for i, n := range calls {
		var fix *rules.Fix
		if i == 0 {
			fix = add(f)
		}
		p.ReportFix(n.Field("function").Field("field"), rules.Note, "", fix, "`partition` on the host is a method of the trait `cutile::prelude::PartitionMut`, which this file does not import")
	}
}

// list reports whether an argument is an array of tile sizes; iterators have a
// partition that takes a closure.
func list(n syntax.Node) bool {
	n = dsl.Unparen(n)
	if n.Is("reference_expression") {
		n = n.Field("value")
	}
	return n.Is("array_expression")
}

// inKernel reports whether a node stands in a module of the kernel DSL.
func inKernel(n syntax.Node) bool {
	for m := n.Ancestor("mod_item"); m.Valid(); m = m.Ancestor("mod_item") {
		if slices.ContainsFunc(m.Attributes(), func(a syntax.Node) bool { return strings.HasSuffix(dsl.AttributePath(a), "module") }) {
			return true
		}
	}
	return false
}

type answer uint8

const (
	no answer = iota
	unknown
	yes
)

// imported says whether the trait is in scope: by the file itself, or by the
// files that lib.rs includes into the same module.
func imported(p *rules.Pass, f *syntax.File) answer {
	sources := []*syntax.File{f}
	if path.Base(f.Path) == "ffi.rs" {
		if k := path.Join(path.Dir(f.Path), "kernel.rs"); p.Tree.Exists(k) {
			sources = append(sources, p.Tree.File(k))
		}
		if p.Crate.Lib != "" {
			sources = append(sources, p.Tree.File(p.Crate.Lib))
		}
	}
	out := no
	for _, s := range sources {
		if s.Unread != "" {
			return unknown
		}
		for _, d := range s.Root().Find("use_declaration") {
			if inKernel(d) {
				continue
			}
			for _, u := range dsl.Uses(d) {
				glob := u.Path
				if u.Name == "*" {
					glob = append(slices.Clone(glob), "*")
				}
				switch full := strings.Join(glob, "::"); {
				case full == "cutile::prelude::*" || full == "cutile::prelude::PartitionMut":
					return yes
				case u.Name == "*" && (u.Path[0] == "crate" || u.Path[0] == "super" || u.Path[0] == "self"):
					out = unknown
				case u.Path[len(u.Path)-1] == "PartitionMut":
					return yes // exported again by another module
				}
			}
		}
	}
	return out
}

// add is the fix: one more use beside the first, or before the first item.
func add(f *syntax.File) *rules.Fix {
	for c := range f.Root().Children() {
		if c.IsComment() || c.Is("inner_attribute_item") {
			continue
		}
		return rules.Insert(c.Span().Start, "use cutile::prelude::PartitionMut;\n", "import the trait")
	}
	return nil
}
