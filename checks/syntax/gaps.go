package syntax

// Valid source that the pinned grammars read as an error. A file whose only damage is
// of this kind is read. Such a gap is either an error node that is left unvisited, as
// knownGap tells, or text that is another in a second parse, whose nodes stand where they
// stand in the file: see rsgaps.go and pygaps.go.

// knownGap reports whether an error of Rust is none of the language: a negative literal
// as a generic argument, an empty list of arguments, parameters or bounds, or a lifetime
// that stands before the traits of an object.
func knownGap(n Node) bool {
	parent := n.Parent()
	if n.Is("type_identifier") && n.Text() == "" {
		switch parent.Kind() {
		case "type_arguments":
			return parent.NamedChild(0) == n && n.Next().Is(">")
		case "type_parameter":
			list := parent.Parent()
			return list.Is("type_parameters") && list.NamedChild(0) == parent && parent.Next().Is(">")
		case "trait_bounds":
			return parent.Parent().Is("where_predicate") && parent.NamedChild(0) == n && !n.Next().Valid() && parent.Text() == ":"
		}
		return false
	}
	if !n.Is(errorKind) {
		return false
	}
	before, after := previous(n), n.Next()
	switch n.Squeeze() {
	case "-":
		return parent.Is("type_arguments")
	case ":":
		switch parent.Kind() {
		case "type_parameters":
			return before.Is("type_parameter", "lifetime_parameter") && len(parts(before)) == 1 && after.Is(",", ">")
		case "type_parameter":
			return before.Is("type_identifier") && after.Is("=")
		case "trait_item":
			return before.Is("type_identifier", "type_parameters") && after.Is("declaration_list")
		}
	case "dyn":
		return before.Is("<", "(", ",") && beginsWithLifetime(after)
	case "'": // of a lifetime that is taken for a trait
		bounds := parent.Parent()
		for nth(bounds.Parent(), 0) == bounds && bounds.Parent().Is("bounded_type") {
			bounds = bounds.Parent()
		}
		return parent.Is("dynamic_type", "abstract_type") && before.Is("dyn", "impl") && after.Is("type_identifier") && after.Span().Start == n.Span().End &&
			previous(bounds).Is("<", "(", ",") && beginsWithLifetime(bounds)
	case "for<>":
		return before.Is("=", ":", "<", "(", ",", "->") && after.Is("function_type") && !after.Damaged()
	}
	return false
}

// previous is what stands before a node in the same one. What it holds last is the
// node before in the list of all.
func previous(n Node) Node {
	parent := n.node().parent
	for i := n.i - 1; i > parent; i = n.f.nodes[i].parent {
		if n.f.nodes[i].parent == parent {
			return Node{n.f, i}
		}
	}
	return Node{}
}

// beginsWithLifetime reports whether bounds begin with a lifetime and hold a trait, and
// stand where they need no parentheses. The lifetime may be taken for a trait.
func beginsWithLifetime(bounds Node) bool {
	if !bounds.Parent().Is("type_arguments", "tuple_type") {
		return false
	}
	first, trait := bounds, false
	for first.Is("bounded_type") {
		head := nth(first, 0)
		for c := range first.Children() {
			trait = trait || part(c) && c != head && !c.Is("lifetime")
		}
		first = head
	}
	return first.Is("lifetime", "dynamic_type", "abstract_type") && trait
}
