package r36

import (
	"bytes"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// concerns is what a step must mention to be about the cutile-rs crates.
const concerns = "cutile"

// tools are nightly commands that build nothing for users.
var tools = []string{"fmt", "miri", "udeps", "doc", "rustdoc", "clippy", "expand"}

// workflow reports steps that build a cutile-rs crate with nightly.
func workflow(p *rules.Pass, f *syntax.File) {
	// Most workflows say nothing of either, and reading YAML is slow.
	if f.Unread != "" || !mentions(f, concerns) || !mentions(f, "nightly") && !mentions(f, bootstrap) && !mentions(f, "-Z") {
		return
	}
	doc, err := parser.ParseBytes(f.Src, 0)
	if err != nil || len(doc.Docs) == 0 {
		p.Undecided("a workflow is no valid YAML")
		return
	}
	root := doc.Docs[0].Body
	variable(p, f, get(root, "env"))
	for _, job := range entries(get(root, "jobs")) {
		if !strings.Contains(job.Value.String(), concerns) {
			continue
		}
		variable(p, f, get(job.Value, "env"))
		for _, step := range items(get(job.Value, "steps")) {
			if !strings.Contains(step.String(), concerns) {
				continue
			}
			variable(p, f, get(step, "env"))
			commands(p, f, get(step, "run"))
		}
	}
}

func mentions(f *syntax.File, word string) bool { return bytes.Contains(f.Src, []byte(word)) }

// variable reports variables of an env mapping that make the build need nightly.
func variable(p *rules.Pass, f *syntax.File, env ast.Node) {
	for _, e := range entries(env) {
		if e.Key.String() == bootstrap {
			line(p, f, e.Key.GetToken().Position.Line, "`%s` makes a stable compiler accept nightly features", bootstrap)
		}
		value, _ := e.Value.(*ast.StringNode)
		switch {
		case value == nil:
		case e.Key.String() == "RUSTUP_TOOLCHAIN" && toolchain(value.Value):
			line(p, f, e.Key.GetToken().Position.Line, "this builds with the nightly toolchain; the crate must build with stable Rust")
		case strings.HasSuffix(e.Key.String(), "RUSTFLAGS") && flags([]string{value.Value}):
			line(p, f, e.Key.GetToken().Position.Line, "`-Z` flags need a nightly compiler")
		}
	}
}

// commands reports cargo +nightly, and cargo behind rustup run nightly, in the lines
// of a run script.
func commands(p *rules.Pass, f *syntax.File, run ast.Node) {
	first, text := 0, ""
	switch run := run.(type) {
	case *ast.LiteralNode:
		first, text = run.GetToken().Position.Line+1, run.Value.Value
	case *ast.StringNode:
		first, text = run.GetToken().Position.Line, run.Value
	default:
		return
	}
	for i, l := range strings.Split(text, "\n") {
		words := strings.Fields(l)
		for j, w := range words {
			if w != "cargo" {
				continue
			}
			k := j + 1 // of the subcommand
			if k < len(words) && strings.HasPrefix(words[k], "+nightly") {
				k++
			} else if j < 3 || words[j-3] != "rustup" || words[j-2] != "run" || !toolchain(words[j-1]) {
				continue
			}
			if n := first + i; (k >= len(words) || !slices.Contains(tools, words[k])) && n <= f.LineCount() {
				line(p, f, n, "this builds with the nightly toolchain; the crate must build with stable Rust")
			}
		}
	}
}

// entries lists the pairs of a mapping.
func entries(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

func items(n ast.Node) []ast.Node {
	if s, ok := n.(*ast.SequenceNode); ok {
		return s.Values
	}
	return nil
}

// get is the value of a key in a mapping; nil without one.
func get(n ast.Node, key string) ast.Node {
	for _, e := range entries(n) {
		if e.Key.String() == key {
			return e.Value
		}
	}
	return nil
}
