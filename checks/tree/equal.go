package tree

import "github.com/tilegate/tilegate/checks/syntax"

// SameSyntax reports whether two files differ in comments, formatting, line
// ends or a byte-order mark only. Text inside strings is not formatting. Files
// that were not read as a whole are never the same.
func SameSyntax(a, b *syntax.File) bool {
	if a == b {
		return a.Unread == ""
	}
	return a.Unread == "" && b.Unread == "" && a.Lang == b.Lang && sameNode(a.Root(), b.Root())
}

func sameNode(a, b syntax.Node) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	ca, cb := significant(a), significant(b)
	if len(ca) != len(cb) {
		return false
	}
	if len(ca) == 0 {
		return a.Text() == b.Text()
	}
	for i := range ca {
		if !sameNode(ca[i], cb[i]) {
			return false
		}
	}
	// A string's text lies partly between its children.
	return !a.Is("string", "string_literal", "raw_string_literal") || a.Text() == b.Text()
}

// significant lists the children that carry meaning.
func significant(n syntax.Node) []syntax.Node {
	var out []syntax.Node
	for c := range n.Children() {
		if !c.IsComment() {
			out = append(out, c)
		}
	}
	return out
}
