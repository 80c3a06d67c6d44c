// Package r36 is rule R36: the crate builds with stable Rust.
package r36

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/tilegate/tilegate/checks/dsl"
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
	Category: "syntax", Owner: "kernel", Severity: rules.Error, DecidedBy: "syntax", Fix: "safe",
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
	p.Report(rules.Diagnostic{File: f, Span: at, Severity: rules.Error, Fix: fix, Message: rules.Message(format, args...)})
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
	named := names(f)
	for _, s := range texts {
		text := strings.Trim(s.Text(), `"`)
		if strings.Contains(text, bootstrap+"=") || text == bootstrap && (sets(s) || named(s)) {
			bootstraps(p, f, s)
		}
	}
	if !split(f) {
		return
	}
	for _, n := range f.Root().Find("macro_invocation", "binary_expression") {
		text := joined(n, maxPieces)
		if (strings.Contains(text, bootstrap+"=") || text == bootstrap && (sets(n) || named(n))) && !strings.Contains(n.Text(), bootstrap) {
			bootstraps(p, f, n)
		}
	}
}

func bootstraps(p *rules.Pass, f *syntax.File, n syntax.Node) {
	report(p, f, n.Span(), nil, "`%s` makes a stable compiler accept nightly features", bootstrap)
}

// split reports whether a file may put the variable's name together from pieces.
func split(f *syntax.File) bool { return mentions(f, "RUSTC") || mentions(f, "BOOTSTRAP") }

// maxPieces bounds how deep texts made of texts are read, and of how many.
const maxPieces = 8

// joined is the text that string literals of Rust are put together to, by +,
// concat! or a format; empty when another value is part of it.
func joined(n syntax.Node, hops int) string {
	n = dsl.Unparen(n)
	if hops == 0 {
		return ""
	}
	switch n.Kind() {
	case "string_literal":
		return strings.Trim(n.Text(), `"`)
	case "reference_expression":
		return joined(n.Field("value"), hops-1)
	case "call_expression":
		c, _ := dsl.AsCall(n)
		switch {
		case c.Method() && (c.Name == "to_string" || c.Name == "to_owned" || c.Name == "into"):
			return joined(c.Receiver, hops-1)
		case c.Path == "String::from" && len(c.Args) == 1:
			return joined(c.Args[0], hops-1)
		}
	case "binary_expression":
		l, r := joined(n.Field("left"), hops-1), joined(n.Field("right"), hops-1)
		if n.Field("operator").Text() == "+" && l != "" && r != "" {
			return l + r
		}
	case "macro_invocation":
		var pieces []string
		args := host.TokenArgs(n)
		if len(args) > maxPieces {
			return ""
		}
		for _, a := range args {
			piece := literals(a.Nodes)
			if piece == "" {
				return ""
			}
			pieces = append(pieces, piece)
		}
		switch name := syntax.LastSegment(n.Field("macro")); {
		case len(pieces) == 0:
		case name == "concat":
			return strings.Join(pieces, "")
		case name == "format", strings.HasSuffix(name, "print"), strings.HasSuffix(name, "println"):
			text := pieces[0]
			for _, piece := range pieces[1:] {
				text = strings.Replace(text, "{}", piece, 1)
			}
			return text
		}
	}
	return ""
}

// literals is the text of tokens that are one literal or a concat! of some.
func literals(tokens []syntax.Node) string {
	switch {
	case len(tokens) == 1 && tokens[0].Is("string_literal", "integer_literal"):
		return strings.Trim(tokens[0].Text(), `"`)
	case len(tokens) == 3 && tokens[0].Text() == "concat" && tokens[2].Is("token_tree"):
		text := ""
		for c := range tokens[2].Children() {
			switch {
			case c.Is("string_literal"):
				text += strings.Trim(c.Text(), `"`)
			case c.Named() && !c.IsComment():
				return ""
			}
		}
		return text
	}
	return ""
}

// names gives a function that reports whether a text is the value of a name that
// a call of the file sets in the environment.
func names(f *syntax.File) func(text syntax.Node) bool {
	set := sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for _, c := range f.Root().Find("call_expression") {
			first := c.Field("arguments").NamedChild(0)
			if first.Is("reference_expression") {
				first = first.Field("value")
			}
			if first.Is("identifier") && sets(first) {
				out[first.Text()] = true
			}
		}
		return out
	})
	return func(text syntax.Node) bool {
		switch p := text.Parent(); p.Kind() {
		case "const_item", "static_item":
			return set()[p.Field("name").Text()]
		case "let_declaration":
			return set()[p.Field("pattern").Text()]
		}
		return false
	}
}

// sets reports whether a text is given to a call that sets a variable of the
// environment.
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
		default:
			unstable(p, f, s, text)
		}
	}
	if f.Unread != "" || !split(f) && !mentions(f, "nightly") && !mentions(f, "-Z") {
		return
	}
	w := host.ParseWrapper(f)
	for _, n := range f.Root().Find("binary_operator", "concatenated_string", "string") {
		if n.Is("string") && !n.ChildOf("interpolation").Valid() || n.Parent().Is("binary_operator", "concatenated_string", "interpolation") {
			continue
		}
		switch text, _ := w.String(n); {
		case text == bootstrap && !strings.Contains(n.Text(), bootstrap) && !asks(n):
			report(p, f, n.Span(), nil, "`%s` makes a stable compiler accept nightly features", bootstrap)
		case n.Is("binary_operator", "string"): // what stands in one piece was looked at
			unstable(p, f, n, text)
		}
	}
}

// unstable reports a text that makes Cargo or rustup build with nightly: the name of
// a toolchain, a command, or flags that begin with -Z.
func unstable(p *rules.Pass, f *syntax.File, at syntax.Node, text string) {
	words := strings.Fields(text)
	if len(words) == 0 || asks(at) || at.Parent().Is("expression_statement") {
		return // nothing, a question, or a docstring
	}
	command := command(words)
	switch {
	case len(words) == 1 && toolchain(words[0]) && (strings.Contains(words[0], "+") || dated(words[0]) || chosen(at)), command && slices.ContainsFunc(words, toolchain):
		report(p, f, at.Span(), nil, "this builds with the nightly toolchain; the crate must build with stable Rust")
	case (command || strings.HasPrefix(text, "-")) && flags(words):
		report(p, f, at.Span(), nil, "`-Z` flags need a nightly compiler")
	}
}

// command reports whether words are a command that builds: Cargo, rustup or the compiler
// with what they take, or any after a variable that these read. What tells of a command
// in a message goes on in another way.
func command(words []string) bool {
	variable := false
	if words[0] == "env" {
		words = words[1:]
	}
	for len(words) > 0 {
		name, _, set := strings.Cut(words[0], "=")
		if !set || strings.ToUpper(name) != name {
			break
		}
		variable = variable || strings.HasPrefix(name, "RUST") || strings.HasPrefix(name, "CARGO")
		words = words[1:]
	}
	if variable || len(words) < 2 {
		return variable
	}
	takes := map[string][]string{
		"cargo":  {"b", "build", "c", "check", "t", "test", "r", "run", "rustc", "install", "clippy", "bench", "doc"},
		"rustup": {"run", "default", "toolchain", "override", "install", "update"},
		"rustc":  {},
	}[words[0]]
	return slices.Contains(takes, words[1]) || takes != nil && (words[1][0] == '+' || words[1][0] == '-')
}

// dated reports whether the name of a toolchain has a date, as no other name does.
func dated(word string) bool {
	_, after, _ := strings.Cut(word, "nightly-")
	return after != "" && after[0] >= '0' && after[0] <= '9'
}

// chosen reports whether a text is the name of a toolchain by its place: it stands among the words of a command, or is the value of RUSTUP_TOOLCHAIN.
func chosen(at syntax.Node) bool {
	beside := func(names ...string) bool {
		return slices.ContainsFunc(at.Parent().NamedChildren(), func(n syntax.Node) bool { return slices.Contains(names, syntax.PyString(n)) })
	}
	switch p := at.Parent(); p.Kind() {
	case "list", "tuple", "argument_list":
		return beside("cargo", "rustup", "rustc", chooses)
	case "keyword_argument":
		return p.Field("name").Text() == chooses
	case "pair":
		return beside(chooses)
	case "assignment":
		left := p.Field("left")
		return p.Field("right") == at && left.Is("subscript") && syntax.PyString(left.Field("subscript")) == chooses
	}
	return false
}

// chooses is the variable that chooses a toolchain.
const chooses = "RUSTUP_TOOLCHAIN"

// toolchain reports whether a word chooses nightly: nightly, nightly-2026-01-31,
// +nightly or RUSTUP_TOOLCHAIN=nightly.
func toolchain(word string) bool {
	word = strings.TrimPrefix(strings.TrimPrefix(word, chooses+"="), "+")
	return word == "nightly" || strings.HasPrefix(word, "nightly-")
}

// asks reports whether a string is only looked for or taken away.
func asks(s syntax.Node) bool {
	for n := s; n.Valid() && !strings.HasSuffix(n.Kind(), "statement"); n = n.Parent() {
		switch p := n.Parent(); p.Kind() {
		case "comparison_operator", "delete_statement":
			return true
		case "argument_list":
			if name := syntax.PyName(p.Parent().Field("function")); slices.Contains([]string{"pop", "get", "getenv", "startswith", "endswith", "find", "index", "count", "replace", "removeprefix", "split"}, name) {
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
