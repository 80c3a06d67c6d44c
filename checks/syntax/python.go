package syntax

import (
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"
)

// PyName is the last name of a Python name or attribute: "contiguous" of
// x.t().contiguous. Other expressions have none.
func PyName(n Node) string {
	switch n.Kind() {
	case "identifier":
		return n.Text()
	case "attribute":
		return n.Field("attribute").Text()
	}
	return ""
}

// PyDotted is a dotted name such as torch.autograd.Function, or empty when the
// expression is anything else.
func PyDotted(n Node) string {
	switch n.Kind() {
	case "identifier":
		return n.Text()
	case "attribute":
		if left := PyDotted(n.Field("object")); left != "" {
			return left + "." + n.Field("attribute").Text()
		}
	}
	return ""
}

// PyString is the value of a plain string literal; strings with
// interpolation, bytes, texts that are not known here (see PyText) and other
// expressions give "".
func PyString(n Node) string {
	text, _ := PyText(n)
	return text
}

// PyText is the value of a plain string literal, and whether it is known: a string
// with interpolation, bytes, characters by their names and halves of a character are
// not.
func PyText(n Node) (text string, known bool) {
	if n.Is("concatenated_string") {
		var b strings.Builder
		for _, c := range n.NamedChildren() {
			if c.IsComment() {
				continue
			}
			part, known := PyText(c)
			if !known {
				return "", false
			}
			b.WriteString(part)
		}
		return b.String(), true
	}
	if !n.Is("string") || n.ChildOf("interpolation").Valid() {
		return "", false
	}
	start, end := n.ChildOf("string_start").Span().End, n.ChildOf("string_end").Span().Start
	if end < start {
		return "", false
	}
	return PyPart(n, string(n.f.Src[start:end]))
}

// PyPart is what a part of a string literal between its quotes or interpolations says,
// and whether it is known.
func PyPart(literal Node, source string) (text string, known bool) {
	prefix := strings.ToLower(strings.TrimRight(literal.ChildOf("string_start").Text(), `"'`))
	if strings.ContainsAny(prefix, "bt") {
		return "", false
	}
	text = lineEnds.Replace(source)
	if strings.Contains(prefix, "f") {
		text = doubledBraces.Replace(text)
	}
	if strings.Contains(prefix, "r") || !strings.Contains(text, `\`) {
		return text, true
	}
	return unescape(text)
}

// What Python reads as another text: the line ends of a file, and the braces of an
// f-string that are no interpolation. A replacer is expensive to build.
var (
	lineEnds      = strings.NewReplacer("\r\n", "\n", "\r", "\n")
	doubledBraces = strings.NewReplacer("{{", "{", "}}", "}")
)

// simpleEscapes are the escapes of one character.
var simpleEscapes = map[byte]string{
	'\n': "", '\\': `\`, '\'': "'", '"': `"`, 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

// unescape replaces Python's escapes; known is false for a character by its name, half
// of a character and what Python refuses.
func unescape(text string) (out string, known bool) {
	var b strings.Builder
	for {
		before, rest, more := strings.Cut(text, `\`)
		b.WriteString(before)
		if !more {
			return b.String(), true
		}
		if rest == "" {
			return "", false
		}
		c := rest[0]
		digits, base := 0, 16
		switch c {
		case 'x':
			digits = 2
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		case 'N':
			return "", false
		case '0', '1', '2', '3', '4', '5', '6', '7':
			for digits < 3 && digits < len(rest) && '0' <= rest[digits] && rest[digits] <= '7' {
				digits++
			}
			rest, base = "\\"+rest, 8
		default:
			// Python keeps the backslash before a character that it does not know.
			s, simple := simpleEscapes[c]
			if !simple {
				s = `\` + rest[:1]
			}
			b.WriteString(s)
			text = rest[1:]
			continue
		}
		if len(rest) < 1+digits {
			return "", false
		}
		v, err := strconv.ParseUint(rest[1:1+digits], base, 32)
		if err != nil || !utf8.ValidRune(rune(v)) {
			return "", false
		}
		b.WriteRune(rune(v))
		text = rest[1+digits:]
	}
}

// PyArgs lists the positional arguments of a call; a *splat ends the list.
func PyArgs(call Node) []Node {
	var out []Node
	for a := range positional(call) {
		out = append(out, a)
	}
	return out
}

func positional(call Node) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for a := range call.Field("arguments").Children() {
			if a.Is("list_splat", "dictionary_splat") {
				return
			}
			if a.Named() && !a.IsComment() && !a.Is("keyword_argument") && !yield(a) {
				return
			}
		}
	}
}

// PyArg is the argument of a call with that keyword, else the positional one
// at index pos (from 0; negative for keyword only). Invalid when absent.
func PyArg(call Node, keyword string, pos int) Node {
	for a := range call.Field("arguments").Children() {
		if a.Is("keyword_argument") && a.Field("name").Text() == keyword {
			return a.Field("value")
		}
	}
	for a := range positional(call) {
		if pos == 0 {
			return a
		}
		pos--
	}
	return Node{}
}

// PyDecorators lists the decorator expressions of a function or class.
func PyDecorators(def Node) []Node {
	p := def.Parent()
	if !p.Is("decorated_definition") {
		return nil
	}
	var out []Node
	for c := range p.Children() {
		if c.Is("decorator") {
			out = append(out, c.NamedChild(0))
		}
	}
	return out
}
