package ir

import (
	"slices"
	"strings"
)

// Hints are optimisation hints: values by name, by architecture.
type Hints map[string]map[string]string

// head is the text of an operation, taken apart.
type head struct {
	words []string          // what stands alone: signed, flush_to_zero
	attrs map[string]string // name = value and name<value>, without spaces
	in    []string          // types of the operands, as far as they are printed
	out   []string          // types of the results
}

func (h head) has(w string) bool { return slices.Contains(h.words, w) }

// first is the first of these attributes that is there.
func (h head) first(names ...string) string {
	for _, n := range names {
		if v, ok := h.attrs[n]; ok {
			return v
		}
	}
	return ""
}

// tokens are the tokens of a text.
func tokens(s string) []token {
	l := lex(s)
	var out []token
	for t := l.next(); t.kind != end; t = l.next() {
		out = append(out, t)
	}
	return out
}

// parse takes the text of an operation apart.
func parse(s string) head {
	h := head{attrs: map[string]string{}}
	all := tokens(s)
	i := 0
	for i < len(all) && !all[i].is(":") {
		i = h.item(all, i, false)
	}
	if i < len(all) {
		h.types(all[i+1:])
	}
	return h
}

// attributes are the attributes of a text.
func attributes(s string) map[string]string { return parse(s).attrs }

// item reads one part of a head and returns the index behind it.
func (h *head) item(all []token, i int, nested bool) int {
	t := all[i]
	next := func(s string) bool { return i+1 < len(all) && all[i+1].is(s) }
	switch {
	case !nested && (t.is("{") || t.is("<") && next("{")):
		to := group(all, i)
		from := i + 1
		if t.is("<") {
			from++
		}
		h.dictionary(all[from:max(from, to-1)])
		return to
	case t.is("<") && i == 0:
		to := group(all, i)
		h.attrs["value"] = join(all[1:max(1, to-1)]) // of a constant
		return to
	case t.is("("), t.is("["), t.is("<"), t.is("{"):
		return group(all, i)
	case (t.kind == word || t.kind == alias || t.kind == text) && next("="):
		v, to := valueAt(all, i+2)
		h.attrs[strings.Trim(bare(t.text), `"`)] = v
		return to
	case (t.kind == word || t.kind == alias) && next("<"):
		to := group(all, i+1)
		h.attrs[bare(t.text)] = join(all[i+2 : max(i+2, to-1)])
		return to
	case t.kind == word && t.text == "rounding" && i+1 < len(all) && all[i+1].kind == word:
		h.attrs["rounding"] = all[i+1].text
		return i + 2
	case t.kind == word:
		h.words = append(h.words, bare(t.text))
	}
	return i + 1
}

// dictionary reads the inside of {name = value, name}.
func (h *head) dictionary(all []token) {
	for i := 0; i < len(all); {
		switch t := all[i]; {
		case t.is(":"):
			// The type of a value: 0 : i32.
			for i++; i < len(all) && !all[i].is(","); {
				i = group(all, i)
			}
		default:
			i = h.item(all, i, true)
		}
	}
}

// valueAt reads the value of an attribute and returns the index behind it.
func valueAt(all []token, i int) (string, int) {
	from := i
	for i < len(all) && all[i].is("-") {
		i++
	}
	if i >= len(all) {
		return "", i
	}
	to := group(all, i)
	for to < len(all) && (all[to].is("<") || all[to].is("[") || all[to].is("(")) && all[to].from == all[to-1].to && to == i+1 {
		to = group(all, to)
	}
	return join(all[from:to]), to
}

// group is the index behind a bracket and what it holds, or behind one token.
func group(all []token, i int) int {
	if i >= len(all) {
		return len(all)
	}
	depth := 0
	for j := i; j < len(all); j++ {
		if all[j].kind == punct {
			switch all[j].text {
			case "(", "[", "<", "{":
				depth++
			case ")", "]", ">", "}":
				depth--
			}
		}
		if depth <= 0 {
			return j + 1
		}
	}
	return len(all)
}

// join writes tokens without the spaces and without the dialect's name.
func join(all []token) string {
	var b strings.Builder
	for i, t := range all {
		if i > 0 && t.kind != punct && all[i-1].kind != punct {
			b.WriteByte(' ')
		}
		if t.kind == word || t.kind == alias {
			b.WriteString(bare(t.text))
		} else {
			b.WriteString(t.text)
		}
	}
	return b.String()
}

// types reads "t, t -> t", in parentheses or without.
func (h *head) types(all []token) {
	list := &h.in
	from := 0
	flush := func(to int) {
		part := all[from:to]
		if len(part) > 2 && part[0].is("(") && group(part, 0) == len(part) {
			part = part[1 : len(part)-1]
			for i := 0; i < len(part); {
				j := i
				for j < len(part) && !part[j].is(",") {
					j = group(part, j)
				}
				*list = append(*list, join(part[i:j]))
				i = j + 1
			}
			return
		}
		if len(part) > 0 {
			*list = append(*list, join(part))
		}
	}
	for i := 0; i < len(all); {
		switch {
		case all[i].is(","):
			flush(i)
			i++
			from = i
		case all[i].is("->"):
			flush(i)
			i++
			from, list = i, &h.out
		default:
			i = group(all, i)
		}
	}
	flush(len(all))
}

// typ is a type.
type typ struct {
	name  string // tile, tensor_view, partition_view, ...
	dims  []string
	elem  string
	attrs map[string]string // of a view: tile, padding_value, dim_map, strides
	of    *typ              // the tensor view of a view
}

// parseType reads a type as join writes it.
func parseType(s string) typ {
	name, body, ok := strings.Cut(s, "<")
	t := typ{name: name}
	if !ok {
		return t
	}
	body = strings.TrimSuffix(strings.TrimSpace(body), ">")
	for i, part := range split(body) {
		key, v, assigned := strings.Cut(part, "=")
		switch {
		case assigned && !strings.ContainsAny(key, "<([{"):
			if t.attrs == nil {
				t.attrs = map[string]string{}
			}
			t.attrs[key] = v
		case strings.HasPrefix(part, "tensor_view<") && name != "tensor_view" && t.of == nil:
			of := parseType(part)
			t.of = &of
		case i == 0:
			t.dims, t.elem = dimensions(part)
		}
	}
	return t
}

// dimensions reads 64x?xf16.
func dimensions(s string) (dims []string, elem string) {
	for {
		n := 0
		for n < len(s) && (digit(s[n]) || s[n] == '?') {
			n++
		}
		if n == 0 || n >= len(s) || s[n] != 'x' {
			return dims, s
		}
		dims = append(dims, s[:n])
		s = s[n+1:]
	}
}

// split cuts a text at the commas outside of brackets.
func split(s string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '<', '(', '[', '{':
			depth++
		case '>':
			if i > 0 && s[i-1] == '-' {
				continue
			}
			depth--
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, s[from:i])
				from = i + 1
			}
		}
	}
	if from < len(s) {
		out = append(out, s[from:])
	}
	return out
}

// hints reads the optimisation hints of a head.
func hints(s string) Hints { return hintsIn(attributes(s)["optimization_hints"]) }

// hintsIn reads "<sm_90={occupancy=2},...>".
func hintsIn(v string) Hints {
	h := Hints{}
	_, body, ok := strings.Cut(v, "<")
	if !ok {
		return h
	}
	for _, part := range split(strings.TrimSuffix(body, ">")) {
		arch, list, ok := strings.Cut(part, "={")
		if !ok {
			arch, list = "", part
		}
		for _, pair := range split(strings.TrimSuffix(list, "}")) {
			k, v, ok := strings.Cut(pair, "=")
			if !ok {
				continue
			}
			if k == "num_ctas" {
				k = "num_cta_in_cga" // an older name
			}
			if h[arch] == nil {
				h[arch] = map[string]string{}
			}
			h[arch][k] = v
		}
	}
	return h
}
