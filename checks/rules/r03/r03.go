// Package r03 is rule R3: tokens are bound to ordinary names.
package r03

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R3.
var Rule = &rules.Rule{
	ID: "R3", Title: "Tokens are bound to ordinary names",
	Category: "syntax", Owner: "kernel", Severity: rules.Note, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-B07"},
	Why:        "Older kernel macros did not accept wildcards and underscore names when the tuple of a load is taken apart, and then failed far from the line that caused it.",
	Triage: []string{
		"Bind both parts of the tuple to plain names.",
		"Write `let _ = tok;` after it where the token is not used.",
	},
	Doc: doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{dsl.Modules}, Run: run,
}

func run(p *rules.Pass) {
	for _, m := range dsl.Modules.Of(p) {
		for _, fn := range m.Funcs {
			taken := map[string]bool{}
			for _, c := range fn.Calls() {
				if !loads(fn.Op(c)) {
					continue
				}
				let := fn.PlaceOf(c.Node).Let
				pattern := let.Field("pattern")
				if !pattern.Is("tuple_pattern") {
					continue
				}
				for _, part := range unusual(pattern) {
					p.ReportFix(part, rules.Note, "", rename(fn, let, part, taken), "`%s` in the tuple of `%s(..)`; bind it to an ordinary name and write `let _ = name;` after it (cutile 0.2.0 accepts this form, older macros did not)", part.Text(), c.Name)
				}
			}
		}
	}
}

// maxFixes bounds the fixes for one function.
const maxFixes = 100

// loads reports whether a DSL function returns a value and a token.
func loads(op string) bool {
	return op == "load_ptr_tko" || strings.HasPrefix(op, "atomic_") && strings.HasSuffix(op, "_tko")
}

// unusual lists the wildcards and underscore names of a pattern.
func unusual(pattern syntax.Node) []syntax.Node {
	var out []syntax.Node
	pattern.Inspect(func(n syntax.Node) bool {
		if n.Is("_") || n.Is("identifier") && strings.HasPrefix(n.Text(), "_") {
			out = append(out, n)
		}
		return true
	})
	return out
}

// rename is the fix: an ordinary name, consumed on the next line when nothing
// uses it.
func rename(fn *dsl.Func, let, part syntax.Node, taken map[string]bool) *rules.Fix {
	pattern := let.Field("pattern")
	indent, ok := dsl.Indent(let)
	var parts []syntax.Node
	for c := range pattern.Children() {
		if c.Is("_", "identifier", "mut_pattern") {
			parts = append(parts, c)
		}
	}
	if !ok || len(taken) == maxFixes || part.Parent() != pattern || len(parts) != 2 || len(unusual(pattern)) != 1 || dsl.HasComment(pattern) {
		return nil
	}
	base := "tok"
	if part == parts[0] {
		base = "value"
	}
	name := fn.Fresh(base)
	for i := 2; taken[name]; i++ {
		name = fn.Fresh(fmt.Sprintf("%s_%d", base, i))
	}
	taken[name] = true
	fix := &rules.Fix{Description: "bind to an ordinary name", Edits: []rules.TextEdit{{Span: part.Span(), New: name}}}
	uses := fn.Uses(part)
	for _, id := range uses {
		fix.Edits = append(fix.Edits, rules.TextEdit{Span: id.Span(), New: name})
	}
	if len(uses) == 0 {
		end := let.Span().End
		fix.Edits = append(fix.Edits, rules.TextEdit{Span: syntax.Span{Start: end, End: end}, New: fmt.Sprintf("\n%slet _ = %s;", indent, name)})
	}
	return fix
}
