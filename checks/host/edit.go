package host

import (
	"bytes"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// TestOnly reports whether a Rust node lies in an item under #[cfg(test)] or in
// a #[test] function.
func TestOnly(n syntax.Node) bool {
	for ; n.Valid(); n = n.Parent() {
		if !n.Is("function_item", "mod_item", "impl_item") {
			continue // only items are asked for their attributes
		}
		for _, a := range n.Attributes() {
			if p := dsl.AttributePath(a); p == "test" || p == "cfg" && a.Field("arguments").Squeeze() == "(test)" {
				return true
			}
		}
	}
	return false
}

// NeverBuilt reports whether a node is part of an item that no build of the
// library holds: one for tests, or under a condition that never holds.
func NeverBuilt(n syntax.Node) bool {
	for at := n; at.Valid(); at = at.Parent() {
		if !at.Is("function_item", "mod_item", "impl_item") {
			continue
		}
		for _, a := range at.Attributes() {
			if dsl.AttributePath(a) != "cfg" {
				continue
			}
			switch a.Field("arguments").Squeeze() {
			case "(any())", "(not(all()))", "(test)", "(false)":
				return true
			}
		}
	}
	return false
}

// RemoveLines is an edit that removes a statement with its lines and a comment
// after it; false when other code stands on them.
func RemoveLines(n syntax.Node) (rules.TextEdit, bool) {
	f := n.File()
	first, last := n.Pos().Line, n.EndPos().Line
	if last >= f.LineCount() {
		return rules.TextEdit{}, false
	}
	start, end := f.LineStart(first), f.LineStart(last+1)
	after := f.Src[n.Span().End:end]
	comment := "//"
	if f.Lang == syntax.Python {
		comment = "#"
	}
	if i := bytes.Index(after, []byte(comment)); i >= 0 {
		after = after[:i]
	}
	if !blank(f.Src[start:n.Span().Start]) || !blank(after) {
		return rules.TextEdit{}, false
	}
	return rules.TextEdit{Span: syntax.Span{Start: start, End: end}}, true
}

// Indent is the white space before the first token of the node's line.
func Indent(n syntax.Node) string {
	line := n.File().Line(n.Pos().Line)
	for i := range len(line) {
		if line[i] != ' ' && line[i] != '\t' {
			return line[:i]
		}
	}
	return line
}

func blank(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}
