package syntax

import (
	"iter"
	"strconv"
	"strings"
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
// interpolation, bytes and other expressions give "".
func PyString(n Node) string {
	if n.Is("concatenated_string") {
		var b strings.Builder
		for _, c := range n.NamedChildren() {
			b.WriteString(PyString(c))
		}
		return b.String()
	}
	if !n.Is("string") || n.ChildOf("interpolation").Valid() {
		return ""
	}
	prefix := strings.ToLower(strings.TrimRight(n.ChildOf("string_start").Text(), `"'`))
	if strings.Contains(prefix, "b") {
		return ""
	}
	start, end := n.ChildOf("string_start").Span().End, n.ChildOf("string_end").Span().Start
	if end < start {
		return ""
	}
	text := string(n.f.Src[start:end])
	if strings.Contains(prefix, "r") || !strings.Contains(text, `\`) {
		return text
	}
	if s, err := strconv.Unquote(`"` + strings.NewReplacer(`"`, `\"`, "\n", `\n`, "\r", `\r`, `\'`, `'`, "\\\n", "").Replace(text) + `"`); err == nil {
		return s
	}
	return text
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
