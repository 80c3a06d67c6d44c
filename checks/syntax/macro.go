package syntax

import "bytes"

// listMacros are the macros whose arguments are a list of expressions: those of
// the DSL and the standard vec!. The content of any other macro stays opaque,
// since its tokens need not be Rust.
var listMacros = map[string]bool{"const_shape": true, "const_array": true, "vec": true}

// maxRounds bounds how deep macros inside macros are parsed.
const maxRounds = 4

// target is a token tree that is parsed again.
type target struct {
	tree int32
	body bool // of a macro rule: a block; else a list
	span Span
}

// expandMacros parses the content of macro_rules! bodies and list macros. All
// of one round are parsed as one synthetic file; when that has an error, each
// is parsed alone so that one broken body does not hide the others.
func (b *builder) expandMacros() {
	from := 0
	for range maxRounds {
		targets := b.targets(from)
		if len(targets) == 0 {
			return
		}
		from = len(b.f.nodes)
		if b.parseTargets(targets) {
			continue
		}
		b.f.nodes = b.f.nodes[:from]
		for _, t := range targets {
			b.f.nodes[t.tree].sub = none
		}
		for _, t := range targets {
			mark := len(b.f.nodes)
			if !b.parseTargets([]target{t}) {
				b.f.nodes = b.f.nodes[:mark]
				b.f.nodes[t.tree].sub = none
				b.f.Opaque = append(b.f.Opaque, t.span)
			}
		}
	}
}

// targets lists the token trees among the nodes from index from on.
func (b *builder) targets(from int) []target {
	var out []target
	for i := from; i < len(b.f.nodes); i++ {
		n := Node{b.f, int32(i)}
		if n.Damaged() {
			continue
		}
		switch n.Kind() {
		case "macro_rule":
			if t := n.Field("right"); t.Is("token_tree") {
				out = append(out, target{t.i, true, t.Span()})
			}
		case "macro_invocation":
			if t := n.ChildOf("token_tree"); t.Valid() && listMacros[LastSegment(n.Field("macro"))] {
				out = append(out, target{t.i, false, t.Span()})
			}
		}
	}
	return out
}

// parseTargets parses the targets as statements of one synthetic function and
// links each. It reports false when the result has an error.
func (b *builder) parseTargets(targets []target) bool {
	var src bytes.Buffer
	var segments []segment
	src.WriteString("fn _() {\n")
	for _, t := range targets {
		text := b.f.Src[t.span.Start:t.span.End]
		if !t.body {
			// Any bracket may delimit a list macro; an array takes all its forms.
			src.WriteString("[")
			text = text[1 : len(text)-1]
			segments = append(segments, segment{src.Len(), len(text), t.span.Start + 1})
			src.Write(text)
			src.WriteString("\n];\n")
			continue
		}
		// A rule may be delimited by any bracket, its content stands in a block.
		src.WriteString("{")
		text = text[1 : len(text)-1]
		segments = append(segments, segment{src.Len(), len(text), t.span.Start + 1})
		src.Write(metavariables(text))
		src.WriteString("\n}\n")
	}
	src.WriteString("}\n")

	mark := len(b.f.nodes)
	unread := b.f.Unread
	if !b.append(src.Bytes(), segments) {
		b.f.Unread = unread
		return false
	}
	for _, n := range b.f.nodes[mark:] {
		if n.flags&damaged != 0 {
			return false
		}
	}
	block := Node{b.f, int32(mark)}.ChildOf("function_item").Field("body")
	next := 0
	for c := range block.Children() {
		if !c.Named() || c.IsComment() {
			continue
		}
		if c.Is("expression_statement") {
			c = c.NamedChild(0)
		}
		if next == len(targets) || !c.Is("block", "array_expression") {
			return false
		}
		t := targets[next]
		next++
		n := c.node()
		n.start, n.end, n.parent, n.next, n.field = uint32(t.span.Start), uint32(t.span.End), t.tree, none, 0
		b.f.nodes[t.tree].sub = c.i
	}
	return next == len(targets)
}

// metavariables replaces the '$' before a name by '_', which keeps offsets and
// makes $E the identifier _E; $( repetitions stay and do not parse.
func metavariables(text []byte) []byte {
	out := bytes.Clone(text)
	for i, c := range out {
		if c == '$' && i+1 < len(out) && word(out[i+1]) {
			out[i] = '_'
		}
	}
	return out
}

// LastSegment is the last name of a Rust path, such as "from_raw_parts" of
// Tensor::<E>::from_raw_parts.
func LastSegment(n Node) string {
	for {
		switch n.Kind() {
		case "generic_function":
			n = n.Field("function")
		case "generic_type", "generic_type_with_turbofish":
			n = n.Field("type")
		case "scoped_identifier", "scoped_type_identifier":
			n = n.Field("name")
		default:
			return n.Text()
		}
	}
}
