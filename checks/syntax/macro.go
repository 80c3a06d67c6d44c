package syntax

import (
	"bytes"
	"sync"
)

// listMacros are the macros whose arguments are a list of expressions: those of
// the DSL and the standard vec!. The content of any other macro stays opaque,
// since its tokens need not be Rust.
var listMacros = map[string]bool{"const_shape": true, "const_array": true, "vec": true}

// maxRounds bounds how deep macros inside macros are parsed.
const maxRounds = 4

// scratch is memory for the nodes of a Rust file: how many its macros add is not
// known before.
var scratch = sync.Pool{New: func() any { return new([]node) }}

// rust parses the file's source, macro bodies included.
func (b builder) rust() {
	f, memory := b.f, scratch.Get().(*[]node)
	defer scratch.Put(memory)
	f.nodes = (*memory)[:0]
	src := f.escapeGaps()
	var left map[int32]int32
	if b.append(src, nil) {
		b.damage()
		if f.Unread != "" {
			left = b.mendRust(src)
		}
		b.forbid()
		b.expandMacros()
	}
	*memory = f.nodes
	b.splice(left)
}

// target is a token tree that is parsed again.
type target struct {
	tree int32
	body bool // of a macro rule: a block; else a list
	span Span
}

// expandMacros parses the content of macro_rules! bodies and list macros. All
// of one round are parsed as one synthetic file; when that has an error, each
// is parsed alone so that one broken body does not hide the others.
func (b builder) expandMacros() {
	b.f.subs = map[int32]int32{}
	from := 0
	for range maxRounds {
		targets := b.targets(from)
		if len(targets) == 0 {
			break
		}
		from = len(b.f.nodes)
		if b.parseTargets(targets) {
			continue
		}
		b.f.nodes = b.f.nodes[:from]
		for _, t := range targets {
			delete(b.f.subs, t.tree)
		}
		for _, t := range targets {
			mark := len(b.f.nodes)
			if !b.parseTargets([]target{t}) {
				b.f.nodes = b.f.nodes[:mark]
				delete(b.f.subs, t.tree)
				b.f.Opaque = append(b.f.Opaque, t.span)
			}
		}
	}
}

// splice copies the nodes out of the builder's scratch memory, parsed content,
// which stands behind the tree there, in its place: after the tokens that it
// says again. The nodes that are left out are copied as what they hold, or not at all.
func (b builder) splice(left map[int32]int32) {
	old := *b.f
	if len(old.nodes) == 0 {
		b.f.nodes = nil
		return
	}
	count := 0
	var measure func(i int32)
	measure = func(i int32) {
		if len(left) > 0 {
			if held, out := left[i]; out {
				if held != none {
					measure(held)
				}
				return
			}
		}
		count++
		for c := old.first(i); c != none; c = old.nodes[c].next {
			measure(c)
		}
		if s := old.sub(i); s != none {
			measure(s)
		}
	}
	measure(0)
	b.f.nodes, b.f.subs = make([]node, 0, count), make(map[int32]int32, len(old.subs))
	var move func(from, parent int32) int32
	move = func(from, parent int32) int32 {
		if len(left) > 0 {
			if held, out := left[from]; out {
				if held == none {
					return none
				}
				to := move(held, parent)
				b.f.nodes[to].field = old.nodes[from].field
				return to
			}
		}
		to := int32(len(b.f.nodes))
		b.f.nodes = append(b.f.nodes, old.nodes[from])
		b.f.nodes[to].parent, b.f.nodes[to].next = parent, none
		before := none
		for c := old.first(from); c != none; c = old.nodes[c].next {
			at := move(c, to)
			if at == none {
				continue
			}
			if before != none {
				b.f.nodes[before].next = at
			}
			before = at
		}
		if s := old.sub(from); s != none {
			b.f.subs[to] = move(s, to)
		}
		return to
	}
	move(0, none)
}

// targets lists the token trees among the nodes from index from on.
func (b builder) targets(from int) []target {
	var out []target
	for i := from; i < len(b.f.nodes); i++ {
		n := Node{b.f, int32(i)}
		if n.Damaged() {
			continue
		}
		switch n.Kind() {
		case "macro_rule":
			if t := n.Field("right"); t.Is("token_tree") && bracketed(t) {
				out = append(out, target{t.i, true, t.Span()})
			}
		case "macro_invocation":
			if t := n.ChildOf("token_tree"); t.Valid() && bracketed(t) && listMacros[LastSegment(n.Field("macro"))] {
				out = append(out, target{t.i, false, t.Span()})
			}
		}
	}
	return out
}

// bracketed reports whether a token tree has both of its brackets, one of which
// may be missing.
func bracketed(t Node) bool {
	s := t.Text()
	if len(s) < 2 {
		return false
	}
	switch s[:1] + s[len(s)-1:] {
	case "()", "[]", "{}":
		return true
	}
	return false
}

// parseTargets parses the targets as statements of one synthetic function and
// links each. It reports false when the result has an error.
func (b builder) parseTargets(targets []target) bool {
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
	unread, at := b.f.Unread, b.f.UnreadAt
	if !b.append(src.Bytes(), segments) {
		b.f.Unread, b.f.UnreadAt = unread, at
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
		b.f.subs[t.tree] = c.i
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
