// Package r36 is rule R36: the crate builds with stable Rust.
package r36

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

//go:embed doc.md
var doc string

// Rule is R36.
var Rule = &rules.Rule{
	ID: "R36", Title: "Stay on stable Rust",
	Category: "memory", Owner: "kernel", Severity: rules.Error, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-B01", "S-B02"},
	Why:        "The library is built on the user's machine with a stable toolchain; a crate that needs nightly does not build there at all.",
	Triage: []string{
		"Remove the attribute or the pin and build: the errors show the shapes that need another form.",
		"Give the host a const generic for the computed size, or write one entry for each size (`op_kernel_b512`).",
	},
	Doc: doc, Scope: rules.PerCrate, Run: crate,
	Also: []rules.Check{{Scope: rules.PerTree, Run: around}},
}

// crate looks at the crate's own files and at the configuration that applies to
// its folder.
func crate(p *rules.Pass) {
	for _, f := range p.Tree.Files(p.Crate.Root, func(f string) bool { return path.Ext(f) == ".rs" }) {
		rust(p, p.Tree.File(f))
	}
	for _, f := range p.Tree.Files(p.Crate.Root, func(f string) bool { return path.Ext(f) == ".py" }) {
		python(p, p.Tree.File(f))
	}
	if p.Crate.Manifest != "" && p.Tree.Exists(p.Crate.Manifest) {
		m := host.ParseTOML(p.Tree, p.Crate.Manifest)
		for _, v := range m.Values {
			if len(v.Path) == 1 && v.Path[0] == "cargo-features" && len(v.List) > 0 {
				report(p, m.File, v.Key, nil, "`cargo-features` need a nightly Cargo")
			}
		}
	}
	for dir := p.Crate.Dir; dir != ""; dir = path.Dir(dir) {
		if shared(p, dir) {
			break // reported with the first crate below it
		}
		folder(p, dir)
		if dir == "." {
			break
		}
	}
}

// shared reports whether a folder also holds an earlier crate of the tree.
func shared(p *rules.Pass, dir string) bool {
	for _, c := range p.Tree.Crates {
		if c == p.Crate {
			return false
		}
		if c.Dir != "" && (dir == "." || strings.HasPrefix(c.Dir+"/", dir+"/")) {
			return true
		}
	}
	return false
}

// folder looks at the toolchain and Cargo configuration of a folder, which hold
// for all crates below it.
func folder(p *rules.Pass, dir string) {
	if f := path.Join(dir, "rust-toolchain.toml"); p.Tree.Exists(f) {
		m := host.ParseTOML(p.Tree, f)
		for _, v := range m.Values {
			if slices.Equal(v.Path, []string{"toolchain", "channel"}) && nightly(v.Text) {
				report(p, m.File, v.At, nil, "the toolchain of `%s` is `%s`; the crate must build with stable Rust", dir, v.Text)
			}
		}
	}
	if f := path.Join(dir, "rust-toolchain"); p.Tree.Exists(f) {
		file := p.Tree.File(f)
		if file.LineCount() > 0 && nightly(strings.TrimSpace(string(file.Line(1)))) {
			line(p, file, 1, "the toolchain of `%s` is nightly; the crate must build with stable Rust", dir)
		}
	}
	for _, name := range []string{".cargo/config.toml", ".cargo/config"} {
		f := path.Join(dir, name)
		if !p.Tree.Exists(f) {
			continue
		}
		m := host.ParseTOML(p.Tree, f)
		for _, v := range m.Values {
			last := v.Path[len(v.Path)-1]
			switch {
			case v.Path[0] == "unstable":
				report(p, m.File, v.Key, nil, "`[unstable]` settings need a nightly Cargo")
			case v.Path[0] == "env" && slices.Contains(v.Path, bootstrap):
				report(p, m.File, v.Key, nil, "`%s` makes a stable compiler accept nightly features", bootstrap)
			case last == "rustflags" && flags(append([]string{v.Text}, v.List...)):
				report(p, m.File, v.At, nil, "`-Z` flags need a nightly compiler")
			}
		}
	}
}

const bootstrap = "RUSTC_BOOTSTRAP"

func nightly(channel string) bool { return strings.HasPrefix(channel, "nightly") }

func flags(list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		return slices.ContainsFunc(strings.Fields(s), func(f string) bool { return strings.HasPrefix(f, "-Z") })
	})
}

func report(p *rules.Pass, f *syntax.File, at syntax.Span, fix *rules.Fix, format string, args ...any) {
	p.Report(rules.Diagnostic{File: f, Span: at, Severity: rules.Error, Fix: fix, Message: fmt.Sprintf(format, args...)})
}

// line reports a whole line.
func line(p *rules.Pass, f *syntax.File, n int, format string, args ...any) {
	start := f.LineStart(n)
	report(p, f, syntax.Span{Start: start, End: start + len(f.Line(n))}, nil, format, args...)
}

// rust reports feature attributes, and strings that set the bootstrap variable
// in build scripts.
func rust(p *rules.Pass, f *syntax.File) {
	for _, item := range f.Root().Find("inner_attribute_item") {
		a := item.ChildOf("attribute")
		name := a.NamedChild(0).Squeeze()
		tokens := a.Field("arguments")
		if name == "cfg_attr" {
			if !feature(tokens) {
				continue
			}
		} else if name != "feature" {
			continue
		}
		report(p, f, item.Span(), remove(f, item, name), "`%s` needs a nightly compiler; find a form that stable Rust takes", item.Squeeze())
	}
	texts := f.Root().Find("string_literal")
	seen := map[syntax.Node]bool{}
	for _, s := range texts {
		seen[s] = true
	}
	for _, m := range f.Root().Find("macro_invocation") {
		// What is printed is not parsed otherwise; Cargo reads it from a build script.
		for _, a := range host.TokenArgs(m) {
			for _, n := range a.Nodes {
				if n.Is("string_literal") && !seen[n] {
					seen[n], texts = true, append(texts, n)
				}
			}
		}
	}
	for _, s := range texts {
		text := strings.Trim(s.Text(), `"`)
		if strings.Contains(text, bootstrap+"=") || text == bootstrap && sets(s) {
			report(p, f, s.Span(), nil, "`%s` makes a stable compiler accept nightly features", bootstrap)
		}
	}
}

// sets reports whether a string is the name in a call that sets a variable of
// the environment.
func sets(s syntax.Node) bool {
	call := s.Ancestor("call_expression")
	switch fn := call.Field("function"); syntax.LastSegment(fn) {
	case "set_var":
		return true
	default:
		return fn.Is("field_expression") && (fn.Field("field").Text() == "env" || fn.Field("field").Text() == "envs")
	}
}

// feature reports whether the tokens of cfg_attr hold feature(..).
func feature(tokens syntax.Node) bool {
	previous := ""
	for c := range tokens.Children() {
		if c.Is("token_tree") && previous == "feature" {
			return true
		}
		previous = c.Text()
	}
	return false
}

// remove is the fix that deletes an attribute on lines of its own.
func remove(f *syntax.File, item syntax.Node, name string) *rules.Fix {
	last := item.EndPos().Line
	start, end := f.LineStart(item.Pos().Line), f.LineStart(last)+len(f.Line(last))
	rest := string(f.Src[start:item.Span().Start]) + string(f.Src[item.Span().End:end])
	if name != "feature" || strings.TrimSpace(rest) != "" {
		return nil
	}
	if last < f.LineCount() {
		end = f.LineStart(last + 1)
	}
	return &rules.Fix{Description: "delete the attribute", Edits: []rules.TextEdit{{Span: syntax.Span{Start: start, End: end}}}}
}

// python reports code that runs the build with nightly features.
func python(p *rules.Pass, f *syntax.File) {
	for _, s := range f.Root().Find("string", "keyword_argument") {
		if s.Is("keyword_argument") {
			if name := s.Field("name"); name.Text() == bootstrap {
				report(p, f, name.Span(), nil, "`%s` makes a stable compiler accept nightly features", bootstrap)
			}
			continue
		}
		text := syntax.PyString(s)
		switch {
		case text == bootstrap && !asks(s):
			report(p, f, s.Span(), nil, "`%s` makes a stable compiler accept nightly features", bootstrap)
		case strings.HasPrefix(text, "+nightly"), strings.HasPrefix(text, "cargo +nightly"):
			report(p, f, s.Span(), nil, "this builds with the nightly toolchain; the crate must build with stable Rust")
		}
	}
}

// asks reports whether a string is only looked for or taken away.
func asks(s syntax.Node) bool {
	for n := s; n.Valid() && !strings.HasSuffix(n.Kind(), "statement"); n = n.Parent() {
		switch p := n.Parent(); p.Kind() {
		case "comparison_operator", "delete_statement":
			return true
		case "argument_list":
			if name := syntax.PyName(p.Parent().Field("function")); name == "pop" || name == "get" || name == "getenv" {
				return true
			}
		}
	}
	return false
}

// around looks at the files that build all crates.
func around(p *rules.Pass) {
	for _, f := range p.Tree.Files(tree.BackendRoot, func(f string) bool { return path.Ext(f) == ".py" }) {
		python(p, p.Tree.File(f))
	}
	for _, f := range p.Tree.Files(".github/workflows", func(f string) bool { return path.Ext(f) == ".yml" || path.Ext(f) == ".yaml" }) {
		workflow(p, p.Tree.File(f))
	}
}
