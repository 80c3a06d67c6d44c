package syntax

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// rsGap is a place of legal source at which the grammar needs another text.
type rsGap struct {
	at, end int    // what is replaced, nothing for an insertion
	put     string // as long as what is replaced, or inserted
	// The gap is one only where a node that starts at an offset is as wanted; without
	// wanted it always is one.
	from   int
	wanted func(n Node) bool
}

// mendRust parses the source again with another text where the grammar lacks
// something, and returns which nodes stand for nothing in the file, with the node that
// they hold, if it stays. What only may be such a place is tried, and kept where the
// tree tells that it is.
func (b builder) mendRust(src []byte) (left map[int32]int32) {
	f := b.f
	gaps := f.rustGaps()
	for again := 2; len(gaps) > 0; again-- {
		text, segments := fill(src, gaps)
		if !b.anew(text, segments) {
			return nil
		}
		kept := f.confirmed(gaps)
		if len(kept) == len(gaps) {
			return f.unfill(gaps)
		}
		if gaps = kept; len(gaps) == 0 || again == 0 {
			b.anew(src, nil)
			return nil
		}
	}
	return nil
}

// anew parses a text in the place of what was parsed.
func (b builder) anew(text []byte, segments []segment) bool {
	f := b.f
	f.nodes, f.Unread, f.UnreadAt = f.nodes[:0], "", Pos{}
	if !b.append(text, segments) {
		return false
	}
	b.damage()
	return true
}

// fill puts the texts of gaps into a source. It has segments only where that makes it
// longer.
func fill(src []byte, gaps []rsGap) (out []byte, segments []segment) {
	from, shift, at := 0, 0, 0 // at: where the segment at hand starts in the file
	for _, g := range gaps {
		out = append(append(out, src[from:g.at]...), g.put...)
		from = g.end
		if g.at == g.end {
			segments = append(segments, segment{at + shift, g.at - at, at})
			at, shift = g.at, shift+len(g.put)
		}
	}
	if segments != nil {
		segments = append(segments, segment{at + shift, len(src) - at, at})
	}
	return append(out, src[from:]...), segments
}

// confirmed are the gaps that the tree shows to be some.
func (f *File) confirmed(gaps []rsGap) (kept []rsGap) {
	asked := map[int][]int{}
	found := make([]bool, len(gaps))
	for k, g := range gaps {
		if found[k] = g.wanted == nil; !found[k] {
			asked[g.from] = append(asked[g.from], k)
		}
	}
	for i := range f.nodes {
		for _, k := range asked[int(f.nodes[i].start)] {
			found[k] = found[k] || gaps[k].wanted(Node{f, int32(i)})
		}
	}
	for k, g := range gaps {
		if found[k] {
			kept = append(kept, g)
		}
	}
	return kept
}

// unfill makes of the nodes in the place of gaps what the source says, and returns
// those that stand for nothing in it.
func (f *File) unfill(gaps []rsGap) (left map[int32]int32) {
	left = map[int32]int32{}
	rests, inserted := map[int]bool{}, map[int]bool{}
	for _, g := range gaps {
		switch {
		case g.put == restName:
			rests[g.at] = true
		case g.at == g.end:
			inserted[g.at] = true
		}
	}
	if len(rests) == 0 && len(inserted) == 0 {
		return nil
	}
	for i := range f.nodes {
		n := Node{f, int32(i)}
		raw := n.node()
		switch {
		case rests[int(raw.start)] && n.Is("shorthand_field_initializer"):
			raw.kind = f.g.ids["base_field_initializer"]
			name := &f.nodes[f.first(n.i)]
			name.kind, name.flags = f.g.ids[".."], name.flags&^named
		case !inserted[int(raw.start)] || raw.flags&damaged != 0:
		case n.Is("reference_type") && nth(n, 0).node().start == raw.start:
			left[n.i] = nth(n, 0).i
		case raw.start == raw.end && n.Parent().Is("struct_item", "type_item"):
			left[n.i] = none
		}
	}
	return left
}

// rsToken is where a token of Rust stands. A file of two megabytes may have as many.
type rsToken struct{ at, end int32 }

// rsTokens are the tokens of a text. A mark is one of its own, but for two dots. They
// are counted first: a list that grows takes three times the memory.
func rsTokens(src string) []rsToken {
	count := 0
	eachToken(src, func(int, int) { count++ })
	all := make([]rsToken, 0, count)
	eachToken(src, func(at, end int) { all = append(all, rsToken{int32(at), int32(end)}) })
	return all
}

func eachToken(src string, do func(at, end int)) {
	for i := 0; i < len(src); {
		next := skipRust(src, i)
		switch c := src[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r', strings.HasPrefix(src[i:], "//"), strings.HasPrefix(src[i:], "/*"):
		default:
			if src[i:next] == "." {
				for next < len(src) && (src[next] == '.' || next > i+1 && src[next] == '=') {
					next++
				}
			}
			do(i, next)
		}
		i = next
	}
}

// restName stands for the two dots of an assignment that takes some of the fields.
const restName = "_a"

// rsScan looks for the gaps of a file in the order of its tokens.
type rsScan struct {
	src    string
	tokens []rsToken
	gaps   []rsGap
	// Of blocks, and that of the unsafe extern block at hand.
	blocks, foreign int
	// Of brackets, and those of the where clause at hand: -1 for none.
	depth, where int
	angles       int
	predicate    bool // one of the clause may begin
	unclosed     bool // an attribute goes on to the end
}

// rustGaps finds what the grammar of Rust lacks, in the order of the source.
func (f *File) rustGaps() []rsGap {
	s := rsScan{src: f.text, tokens: rsTokens(f.text), where: -1}
	for i := 0; i < len(s.tokens); {
		i = s.token(i)
	}
	slices.SortStableFunc(s.gaps, func(a, b rsGap) int { return a.at - b.at })
	return s.gaps
}

// token looks at a token and returns the index of the one to look at next.
func (s *rsScan) token(i int) int {
	switch t := s.text(i); t {
	case "{":
		s.blocks++
		if s.extern(i-1) && s.text(i-2+s.abi(i-1)) == "unsafe" {
			s.blank(i - 2 + s.abi(i-1))
			s.foreign = s.blocks
		}
	case "}":
		if s.blocks == s.foreign {
			s.foreign = 0
		}
		s.blocks--
	case "fn", "static":
		if before := s.text(i - 1); before == "safe" || before == "unsafe" && t == "static" && s.foreign > 0 && s.blocks == s.foreign {
			s.blank(i - 1)
		}
	case "raw":
		if next := s.text(i + 1); s.text(i-1) == "&" && next != "const" && next != "mut" {
			s.put(i, "_aw")
		}
	case "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "u128", "i128", "isize", "usize", "f32", "f64", "bool", "str", "char":
		if s.text(i+1) == "!" && opens(s.text(i+2)) { // a macro of this name
			s.put(i, "_"+t[1:])
		}
	case "..":
		if before := s.text(i - 1); (before == "," || before == "{") && s.text(i+1) == "}" {
			s.put(i, restName)
			last := &s.gaps[len(s.gaps)-1]
			last.from, last.wanted = last.at, assignsFields
		}
	case "struct":
		if at, end := s.clause(i + 2); s.text(at) == "where" && s.text(end) == ";" {
			s.insert(at, "()", func(n Node) bool { return n.Is("ordered_field_declaration_list") && n.Parent().Is("struct_item") })
		}
	case "type":
		if before := s.text(i - 1); before != "pub" && before != ")" {
			break
		}
		if _, end := s.clause(i + 2); s.text(end) == ";" {
			s.insert(end, "=()", func(n Node) bool {
				item := n.Parent()
				return n.Is("unit_type") && item.Is("type_item") && item.Parent().Parent().Is("foreign_mod_item")
			})
		}
	case "#":
		if before := s.text(i - 1); !s.unclosed && s.text(i+1) == "[" && (before == "{" || before == "," || before == "|") {
			return s.attributes(i)
		}
	}
	s.predicates(i)
	return i + 1
}

// text is that of a token, or empty where there is none.
func (s *rsScan) text(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.src[s.tokens[i].at:s.tokens[i].end]
}

func opens(t string) bool { return t == "(" || t == "[" || t == "{" }

func closes(t string) bool { return t == ")" || t == "]" || t == "}" }

func (s *rsScan) put(i int, text string) {
	s.gaps = append(s.gaps, rsGap{at: int(s.tokens[i].at), end: int(s.tokens[i].end), put: text})
}

func (s *rsScan) blank(i int) { s.put(i, strings.Repeat(" ", len(s.text(i)))) }

// insert puts a text before a token, where it makes a node that is wanted.
func (s *rsScan) insert(i int, text string, wanted func(n Node) bool) {
	at := int(s.tokens[i].at)
	s.gaps = append(s.gaps, rsGap{at: at, end: at, put: text, from: at, wanted: wanted})
}

// attributes takes the attributes of a field of a pattern or of a parameter of a
// closure for nothing, and returns the index of what they stand before.
func (s *rsScan) attributes(i int) int {
	first := len(s.gaps)
	for s.text(i) == "#" && s.text(i+1) == "[" {
		depth, end := 0, i+1
		for ; end < len(s.tokens); end++ {
			if t := s.text(end); opens(t) {
				depth++
			} else if closes(t) {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if end == len(s.tokens) {
			s.unclosed = true
			return i + 1
		}
		if !s.attribute(i+2, end) {
			return end + 1
		}
		at, to := int(s.tokens[i].at), int(s.tokens[end].end)
		s.gaps = append(s.gaps, rsGap{at: at, end: to, put: strings.Repeat(" ", to-at), wanted: func(n Node) bool {
			return n.Is("field_pattern") || n.Named() && n.Parent().Is("closure_parameters")
		}})
		i = end + 1
	}
	if i < len(s.tokens) {
		for k := range s.gaps[first:] {
			s.gaps[first+k].from = int(s.tokens[i].at)
		}
	}
	return i
}

// attribute reports whether tokens are a path, with tokens in brackets or a value.
func (s *rsScan) attribute(i, end int) bool {
	for {
		if t := s.text(i); t == "" || !word(t[0]) || t[0] <= '9' && t[0] >= '0' {
			return false
		}
		if s.text(i+1) != ":" || s.text(i+2) != ":" {
			break
		}
		i += 3
	}
	t := s.text(i + 1)
	return i+1 == end || opens(t) || t == "=" && i+2 < end
}

// clause is where the where clause of an item stands, if it has one, and where that or
// else the list of type parameters ends. It begins after the name.
func (s *rsScan) clause(i int) (at, end int) {
	at = -1
	depth, angles := 0, 0
	for ; i < len(s.tokens); i++ {
		t := s.text(i)
		switch {
		case depth == 0 && angles <= 0 && t == "where" && at < 0:
			at = i
		case depth == 0 && angles <= 0 && (t == ";" || at < 0 && t != "<" || opens(t) && t != "(" && t != "["):
			return at, i
		case t == "struct" || t == "type": // no clause goes on so far
			return -1, i
		case opens(t):
			depth++
		case closes(t):
			depth--
		case depth == 0:
			angles += s.angle(i)
		}
	}
	return at, i
}

// angle is how many angle brackets a token opens or closes.
func (s *rsScan) angle(i int) int {
	switch before := s.text(i - 1); {
	case s.text(i) == "<":
		return 1
	case s.text(i) == ">" && !(s.tokens[i-1].end == s.tokens[i].at && (before == "-" || before == "=")):
		return -1
	}
	return 0
}

// predicates finds the types in a where clause that the grammar does not know there.
func (s *rsScan) predicates(i int) {
	t := s.text(i)
	here := s.where >= 0 && s.depth == s.where
	begins := here && s.predicate
	if begins {
		s.predicate = false
		if t == "(" && s.text(i+1) == ")" || t == "fn" || t == "dyn" || t == "impl" || t == "unsafe" || t == "extern" || t == "!" ||
			word(t[0]) && s.text(i+1) == "!" && opens(s.text(i+2)) {
			s.insert(i, "&", func(n Node) bool { return n.Is("reference_type") && n.Parent().Is("where_predicate") })
		}
	}
	switch {
	case t == "where":
		s.where, s.angles, s.predicate = s.depth, 0, true
	case here && s.angles <= 0 && (t == "{" || t == ";" || t == "}" || t == "="):
		s.where = -1
	case here && t == ",":
		s.predicate = s.angles <= 0
	case here:
		s.angles += s.angle(i)
	}
	if opens(t) {
		s.depth++
	} else if closes(t) {
		s.depth--
	}
}

// extern reports whether a token is the word extern or what it calls, with that before.
func (s *rsScan) extern(i int) bool { return s.text(i+s.abi(i)) == "extern" }

// abi is -1 for the text that extern is followed by, else 0.
func (s *rsScan) abi(i int) int {
	if t := s.text(i); s.text(i-1) == "extern" && t != "" && strings.IndexByte(t, '"') >= 0 {
		return -1
	}
	return 0
}

// assignsFields reports whether a field of a struct is one of a target of an assignment.
func assignsFields(n Node) bool {
	if !n.Is("shorthand_field_initializer") {
		return false
	}
	for n = n.Parent().Parent(); ; {
		switch up := n.Parent(); up.Kind() {
		case "tuple_expression", "array_expression", "parenthesized_expression":
			n = up
		case "arguments":
			n = up.Parent()
		case "field_initializer":
			n = up.Parent().Parent()
		case "assignment_expression":
			return up.Field("left") == n
		default:
			return false
		}
	}
}

// escapeGaps returns the source with digits for the underscores in the numbers of
// characters. They are told from the text alone and before the first parse, which takes
// far too long over a text with many.
func (f *File) escapeGaps() (out []byte) {
	src := f.text
	if !strings.Contains(src, `\u{`) {
		return f.Src
	}
	for i := 0; i < len(src); {
		next := skipRust(src, i)
		// Bytes have no such escapes.
		if c := src[i]; (c == '"' || c == '\'') && (i == 0 || !word(src[i-1]) || src[i-1] == 'c' && (i == 1 || !word(src[i-2]))) {
			for _, at := range underscores(src[i:next]) {
				if out == nil {
					out = bytes.Clone(f.Src)
				}
				out[i+at] = '0'
			}
		}
		i = next
	}
	if out == nil {
		return f.Src
	}
	return out
}

// underscores are the offsets of underscores in the numbers of characters of a text,
// where those are of the language.
func underscores(text string) (all []int) {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++ // so that an escaped backslash escapes nothing
		number, braced := strings.CutPrefix(text[i:], "u{")
		rest := strings.TrimLeft(number, "0123456789abcdefABCDEF_")
		number = number[:len(number)-len(rest)]
		if !braced || !strings.HasPrefix(rest, "}") || strings.HasPrefix(number, "_") {
			continue
		}
		digits := strings.ReplaceAll(number, "_", "")
		if v, err := strconv.ParseUint(digits, 16, 32); err != nil || len(digits) > 6 || !utf8.ValidRune(rune(v)) {
			continue
		}
		for k := range len(number) {
			if number[k] == '_' {
				all = append(all, i+len("u{")+k)
			}
		}
	}
	return all
}
