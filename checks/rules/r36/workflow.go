package r36

import (
	"bytes"
	"path"
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
		sh := shell{pinned: pinned(p)}
		for _, step := range items(get(job.Value, "steps")) {
			sh.given = false
			for _, env := range []ast.Node{get(root, "env"), get(job.Value, "env"), get(step, "env")} {
				sh.given = sh.given || get(env, chooses) != nil
			}
			about := strings.Contains(step.String(), concerns)
			if about {
				variable(p, f, get(step, "env"))
			}
			folder := get(step, "working-directory")
			commands(p, f, &sh, get(step, "run"), about, about && (folder == nil || strings.Contains(folder.String(), concerns)))
		}
	}
}

// pinned reports whether a file chooses the toolchain of a crate of the tree.
func pinned(p *rules.Pass) bool {
	for _, c := range p.Tree.Crates {
		for dir := c.Dir; dir != ""; dir = path.Dir(dir) {
			if p.Tree.Exists(path.Join(dir, "rust-toolchain.toml")) || p.Tree.Exists(path.Join(dir, "rust-toolchain")) {
				return true
			}
			if dir == "." {
				break
			}
		}
	}
	return false
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

// commands reports cargo +nightly, cargo behind rustup run nightly, and what a run
// script sets for a build that follows. In a step that is not about the crates it
// only notes what the step leaves for later ones. here says that the script may begin
// in a folder of the crates.
func commands(p *rules.Pass, f *syntax.File, sh *shell, run ast.Node, about, here bool) {
	first, text := 0, ""
	switch run := run.(type) {
	case *ast.LiteralNode:
		first, text = run.GetToken().Position.Line+1, run.Value.Value
	case *ast.StringNode:
		first, text = run.GetToken().Position.Line, run.Value
	default:
		return
	}
	told := map[int]bool{}
	tell := func(n int, format string, args ...any) {
		if n > 0 && n <= f.LineCount() && !told[n] {
			told[n] = true
			line(p, f, n, format, args...)
		}
	}
	builds := sh.builds(text, first, here)
	if !about {
		return
	}
	for _, b := range builds {
		tell(b.toolchain, "this builds with the nightly toolchain; the crate must build with stable Rust")
		tell(b.bootstrap, "`%s` makes a stable compiler accept nightly features", bootstrap)
		tell(b.flags, "`-Z` flags need a nightly compiler")
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
			if k >= len(words) || !slices.Contains(tools, words[k]) {
				tell(first+i, "this builds with the nightly toolchain; the crate must build with stable Rust")
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
